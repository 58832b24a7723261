//! A response: its text runs with the references that stand in them, and its thinking, which the log may hold
//! only the beginning of.
//!
//! Deliberately absent: tool calls (`tool.rs`), all other parts (`parts.rs`), the fields around a response
//! (`request.rs`).

use super::metadata::Facts;
use super::reference::{Part, Turn, part};
use super::node::{Data, Node};
use super::state::At;
use super::teller::{Mode, Say, Teller};
use super::words;
use assay_model::{Branch, Kind, MessageType, Reason};

/// Fields that say how a text is shown.
pub(super) const MARKDOWN: &[&str] = &["isTrusted", "supportThemeIcons", "supportHtml", "baseUri", "uris", "$mid", "inlineReferences"];

/// A run of texts that read as one, with a message still to be made.
#[derive(Default)]
struct Run<'s> {
    text: String,
    leaves: Vec<(At<'s>, &'static str)>,
}

impl<'s> Teller<'_, 's> {
    /// Tells the parts of one response. `turn` has the messages that the published rules made of it.
    pub fn parts(&mut self, parts: &[At<'s>], turn: Turn, facts: &mut Facts<'s>) {
        let kept = |at: &At<'s>| at.get("value").filter(|v| self.in_reference(&v.place) && turn.assistant.is_some());
        let texts = parts.iter().filter(|p| matches!(part(p.node), Part::Text(_)) && kept(p).is_some()).count();
        // A text of the published rules' message is no longer there: tell all of the text anew.
        let anew = matches!(self.mode, Mode::Live | Mode::Undone) && turn.assistant.is_some() && texts < turn.texts;
        let before = self.account.messages().len();
        if let Some(old) = turn.assistant.filter(|_| anew) {
            self.place(old);
        }
        let said_in: Vec<(usize, &str)> = parts.iter().enumerate().filter_map(|(i, at)| Some((i, said(at.node)?))).collect();
        let mut run = Run::default();
        for (i, at) in parts.iter().enumerate() {
            let value = at.get("value");
            let reference = value.as_ref().and_then(|v| turn.assistant.filter(|_| self.in_reference(&v.place)));
            match (part(at.node), value) {
                (Part::Text(text), Some(value)) => {
                    facts.said.push_str(text);
                    if let Some(id) = reference {
                        if anew {
                            run.text.push_str(text);
                        } else {
                            self.flush(&mut run);
                        }
                        self.keep(&value, "response/text", id);
                    } else {
                        run.text.push_str(text);
                        run.leaves.push((value, "response/text"));
                    }
                    let handled = ["kind", "value"];
                    self.rest(at, "response/text", &handled, MARKDOWN, reference);
                }
                (Part::Thinking(text), Some(value)) => {
                    self.flush(&mut run);
                    self.thinking(at, &value, text, reference, facts);
                }
                _ if at.node.get_str("kind") == Some("inlineReference") => {
                    self.rest(at, "response/inlineReference", &["kind", "inlineReference", "name"], &["resolveId"], None);
                    let next_is_text = parts.get(i + 1).is_some_and(|next| {
                        matches!(part(next.node), Part::Text(_)) && (anew || kept_none(self, next, turn))
                    });
                    if anew || !run.text.is_empty() || next_is_text {
                        run.text.push_str(&reference_text(at.node));
                        run.leaves.push((at.clone(), "response/inlineReference"));
                    } else {
                        let reason = self.reason(&at.place, Reason::UnmappedResponsePart);
                        let say = Say::of(Kind::Attachment, MessageType::Assistant, reference_text(at.node), reason);
                        self.say(at, "response/inlineReference", say);
                    }
                }
                _ if at.node.str().is_some() => {
                    // The oldest sessions wrote bare strings.
                    run.text.push_str(at.node.str().unwrap_or_default());
                    facts.said.push_str(at.node.str().unwrap_or_default());
                    run.leaves.push((at.clone(), "response/string"));
                }
                (Part::Tool, _) => {
                    self.flush(&mut run);
                    let alone = !parts[i + 1..].iter().any(|p| p.node.get_str("kind") == Some("toolInvocationSerialized"));
                    self.tool_part(at, turn, facts, alone);
                }
                _ if at.node.get_str("kind") == Some("markdownVuln") => {
                    self.flush(&mut run);
                    let after = &said_in[said_in.partition_point(|(at, _)| *at <= i)..];
                    self.vulnerable(at, after, turn, facts);
                }
                _ => {
                    self.flush(&mut run);
                    self.other(at, turn, facts);
                }
            }
            if self.mode == Mode::Gone {
                self.flush(&mut run);
            }
        }
        self.flush(&mut run);
        if let Some(old) = turn.assistant.filter(|_| anew) {
            self.account.message(old).branch = Some(Branch::Superseded);
            let new = (before..self.account.messages().len()).find(|id| self.account.messages()[*id].kind == Kind::Text);
            if let Some(new) = new {
                self.supersede(old, new as u32);
            }
        }
    }

    /// A text with remarks on its code. In a log it is compared by its kind alone, so that what is written may be
    /// its beginning; the rest of it is where the model's side recorded what was said.
    fn vulnerable(&mut self, at: &At<'s>, after: &[(usize, &str)], turn: Turn, facts: &mut Facts<'s>) {
        let begun = said(at.node).unwrap_or_default();
        match facts.whole_text(begun, after) {
            Some((full, text)) => {
                let reason = self.reason(&full.place, Reason::UnmappedResponsePart);
                facts.said.push_str(&text);
                let remarks = at.node.get("vulnerabilities").filter(|r| !r.is_default()).map(words::plain);
                let text = [Some(text.trim_end().to_owned()), remarks.map(|r| format!("vulnerabilities: {r}"))].into_iter().flatten();
                let say = Say::of(Kind::Text, MessageType::Assistant, text.collect::<Vec<_>>().join("\n"), reason);
                let id = self.say(at, "response/markdownVuln", say);
                self.rest(at, "response/markdownVuln", &["kind", "content", "vulnerabilities"], &[], id);
            }
            None => {
                facts.said.push_str(begun);
                self.other(at, turn, facts);
            }
        }
    }

    /// Makes the message of a run.
    fn flush(&mut self, run: &mut Run<'s>) {
        let Run { text, leaves } = std::mem::take(run);
        let Some(((first, name), more)) = leaves.split_first() else { return };
        let natural = match *name {
            "response/string" => Reason::LegacyShape,
            "response/text" => Reason::EmptyResponse,
            _ => Reason::UnmappedResponsePart,
        };
        let reason = self.reason(&first.place, natural);
        let id = self.say(first, *name, Say::of(Kind::Text, MessageType::Assistant, text, reason));
        for (leaf, _) in &leaves {
            self.remember(leaf);
        }
        for (leaf, name) in more {
            self.also(leaf, *name, id);
        }
    }

    /// Thinking: as it stands, or as the model's side recorded it where the log kept only its beginning.
    fn thinking(&mut self, at: &At<'s>, value: &At<'s>, text: &'s str, kept: Option<u32>, facts: &mut Facts<'s>) {
        let healed = facts.take_thinking(at.node.get_str("id"), text);
        let mut holder = kept;
        if let Some(id) = kept {
            self.keep(value, "response/thinking", id);
        }
        match healed {
            Some(full) if full.text.len() > text.len() => {
                let reason = self.reason(&full.at.place, Reason::Thinking);
                let say = Say::of(Kind::Reasoning, MessageType::Assistant, full.text, reason);
                let id = self.say(&full.at, "metadata/thinking", say);
                if kept.is_none() {
                    self.also(value, "response/thinking", id);
                }
                holder = holder.or(id);
            }
            same => {
                if kept.is_none() {
                    let reason = self.reason(&value.place, Reason::Thinking);
                    let say = Say::of(Kind::Reasoning, MessageType::Assistant, text, reason);
                    holder = self.say(value, "response/thinking", say);
                }
                if let Some(same) = same {
                    self.drop(&same.at, "metadata/thinking", Reason::Duplicate);
                }
            }
        }
        self.remember(value);
        self.rest(at, "response/thinking", &["kind", "value", "id"], THINKING_FOLDED, holder);
    }

    /// Thinking whose value is a list, or empty (a mark that the model is done thinking).
    pub fn thinking_list(&mut self, at: &At<'s>, turn: Turn, facts: &mut Facts<'s>) {
        let mut holder = turn.assistant;
        if let Some(value) = at.get("value").filter(|v| !v.node.is_default()) {
            let text = joined(value.node);
            if let Some(same) = facts.take_thinking(at.node.get_str("id"), &text) {
                self.drop(&same.at, "metadata/thinking", Reason::Duplicate);
            }
            let reason = self.reason(&value.place, Reason::Thinking);
            holder = self.say(&value, "response/thinking", Say::of(Kind::Reasoning, MessageType::Assistant, text, reason));
        }
        self.rest(at, "response/thinking", &["kind", "value", "id"], THINKING_FOLDED, holder);
    }
}

const THINKING_FOLDED: &[&str] = &["generatedTitle", "reasoningDurationMs", "metadata"];

fn kept_none<'s>(teller: &Teller<'_, 's>, at: &At<'s>, turn: Turn) -> bool {
    turn.assistant.is_none() || at.get("value").is_none_or(|v| !teller.in_reference(&v.place))
}

/// The text of a part that is one, with remarks or without.
fn said(node: &Node) -> Option<&str> {
    match part(node) {
        Part::Text(text) => Some(text),
        Part::Thinking(_) | Part::Tool => None,
        Part::Unmapped if node.get_str("kind") == Some("markdownVuln") => {
            node.get("content").and_then(|content| content.get_str("value").or(content.str()))
        }
        Part::Unmapped => node.str(),
    }
}

/// A text, or the pieces of one.
pub(super) fn joined(node: &Node) -> String {
    match &node.data {
        Data::List(items) => items.iter().map(words::plain).collect(),
        _ => words::plain(node),
    }
}

/// A reference inside a text, as a link.
fn reference_text(node: &Node) -> String {
    let target = node.get("inlineReference");
    let place = target.map(|t| words::plain(t.get("location").unwrap_or(t))).unwrap_or_default();
    let name = node.get_str("name").or_else(|| target.and_then(|t| t.get_str("name")));
    match (name, place.is_empty()) {
        (Some(name), false) => format!("[{name}]({place})"),
        (Some(name), true) => name.to_owned(),
        (None, _) => place,
    }
}
