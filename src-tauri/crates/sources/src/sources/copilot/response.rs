//! The parts of a response, by a table: every kind that VS Code has written (`chatService.ts`), and
//! what becomes of it. Text runs, thinking and tool calls have code of their own.
//!
//! Deliberately absent: the fields around a response (`session.rs`), and what the model's side recorded
//! about it (`metadata.rs`), which is only joined here by the id of a call.

use super::metadata::{Facts, result_text};
use super::reference::{Part, Turn, part};
use super::state::{At, Data, Node};
use super::teller::{Mode, Say, Teller};
use super::words;
use assay_model::{Branch, Kind, MessageType, Reason};

/// What becomes of a part.
#[derive(Debug, Clone, Copy)]
enum Treat {
    /// A message of its own.
    Say(Kind),
    /// Only metadata.
    Fold,
    /// How the editor looked.
    UiState,
}

use Treat::{Fold, UiState};
const EVENT: Treat = Treat::Say(Kind::Event);

/// Kind, what becomes of it, the fields that read by themselves, the other known fields.
type Row = (&'static str, Treat, &'static [&'static str], &'static [&'static str]);

const PARTS: &[Row] = &[
    ("markdownVuln", Treat::Say(Kind::Text), &["content"], &["vulnerabilities"]),
    ("codeblockUri", Fold, &["uri"], &["isEdit", "undoStopId"]),
    ("textEditGroup", EVENT, &["uri"], &["edits", "done", "isExternalEdit", "state"]),
    ("notebookEditGroup", EVENT, &["uri"], &["edits", "done", "isExternalEdit", "state"]),
    ("workspaceEdit", EVENT, &[], &["edits"]),
    ("externalEdit", EVENT, &["uri"], &["edits", "start", "operationId"]),
    ("undoStop", UiState, &["id"], &[]),
    ("progressMessage", EVENT, &["content"], &["shimmer", "icon"]),
    ("progressTask", EVENT, &["content"], &["progress"]),
    ("progressTaskSerialized", EVENT, &["content"], &["progress"]),
    ("confirmation", EVENT, &["title", "message"], &["data", "buttons", "isUsed", "isLive"]),
    ("elicitationSerialized", EVENT, &["title", "subtitle", "message"], ELICITATION),
    ("elicitation2", EVENT, &["title", "subtitle", "message"], ELICITATION),
    ("elicitation", EVENT, &["title", "subtitle", "message"], ELICITATION),
    (
        "questionCarousel",
        EVENT,
        &["title", "message"],
        &["questions", "data", "allowSkip", "isUsed", "resolveId", "terminalId", "answers"],
    ),
    (
        "planReview",
        EVENT,
        &["title", "content"],
        &["actions", "planUri", "data", "isUsed", "isOutdated", "canProvideFeedback", "resolveId"],
    ),
    ("mcpServersStarting", UiState, &[], &["didStartServerIds"]),
    ("mcpServersStartingSlow", UiState, &[], &["didStartServerIds", "servers"]),
    ("mcpAuthenticationRequired", UiState, &["title", "message"], &["servers", "command"]),
    ("voiceProgress", UiState, &["content"], &[]),
    ("treeData", EVENT, &[], &["treeData", "label", "uri", "children"]),
    ("multiDiffData", EVENT, &["title"], &["multiDiffData", "resources", "collapsed", "readOnly"]),
    ("command", Fold, &[], &["command", "additionalCommands"]),
    ("warning", EVENT, &["content"], &[]),
    ("info", EVENT, &["content"], &[]),
    ("systemNotification", EVENT, &["content"], &["title", "level"]),
    ("pullRequest", EVENT, &["title", "description", "uri"], &["author", "linkTag", "command"]),
    ("extensions", Fold, &[], &["extensions"]),
    (
        "hook",
        EVENT,
        &["systemMessage", "stopReason"],
        &["hookType", "toolDisplayName", "metadata", "subAgentInvocationId"],
    ),
    ("clearToPreviousToolInvocation", Fold, &[], &["reason"]),
    ("disabledClaudeHooks", UiState, &[], &[]),
    ("autoModeResolution", Fold, &[], &["modelId", "resolvedModel", "resolvedModelName", "predictedLabel", "confidence"]),
];

const ELICITATION: &[&str] =
    &["state", "acceptedResult", "acceptButtonLabel", "rejectButtonLabel", "source", "isHidden", "moreActions"];

/// Fields that say how a text is shown.
const MARKDOWN: &[&str] = &["isTrusted", "supportThemeIcons", "supportHtml", "baseUri", "uris", "$mid", "inlineReferences"];

const TOOL_HANDLED: &[&str] = &[
    "kind",
    "toolCallId",
    "toolId",
    "toolName",
    "invocationMessage",
    "originMessage",
    "pastTenseMessage",
    "toolSpecificData",
    "resultDetails",
    "resultError",
    "isComplete",
];

const TOOL_FOLDED: &[&str] = &[
    "isConfirmed",
    "presentation",
    "source",
    "generatedTitle",
    "subAgentInvocationId",
    "isAttachedToThinking",
    "fromSubAgent",
    "icon",
    "toolReferenceName",
];

/// Fields of a tool's own data that are what it answered; all others are what it was asked.
const ANSWERS: &[&str] = &["terminalCommandOutput", "terminalCommandState", "output", "result"];

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

    fn tool_part(&mut self, at: &At<'s>, turn: Turn, facts: &mut Facts<'s>, alone: bool) {
        let natural = if turn.assistant.is_some() { Reason::ToolInput } else { Reason::ToolOnlyResponse };
        if at.node.get_str("kind") == Some("prepareToolInvocation") {
            let reason = self.reason(&at.place, natural);
            let tool = at.node.get_str("toolName");
            if alone {
                let text = words::fields(at.node, &["toolName"], &["kind"]);
                let say = Say::of(Kind::ToolCall, MessageType::Assistant, text, reason).tool(tool, None);
                self.say(at, "response/prepareToolInvocation", say);
            } else {
                self.fold(at, "response/prepareToolInvocation", reason, turn.assistant);
            }
            return;
        }
        self.tool(at, natural, facts);
    }

    /// A call, what it was asked and what it answered.
    fn tool(&mut self, at: &At<'s>, natural: Reason, facts: &mut Facts<'s>) {
        let node = at.node;
        let call = node.get_str("toolCallId").map(words::call_id);
        let recorded = call.and_then(|id| facts.take_call(id));
        let name = node
            .get_str("toolId")
            .or(node.get_str("toolName"))
            .or(recorded.as_ref().and_then(|c| c.node.get_str("name")));
        let own = at.get("toolSpecificData");
        let details = at.get("resultDetails");

        let mut lines: Vec<String> = Vec::new();
        let mut line = |text: String| {
            if !text.is_empty() && !lines.contains(&text) {
                lines.push(text);
            }
        };
        for key in ["invocationMessage", "originMessage", "pastTenseMessage"] {
            line(node.get(key).map(words::plain).unwrap_or_default());
        }
        let arguments = recorded.as_ref().and_then(|c| c.get("arguments"));
        line(arguments.as_ref().map(|a| words::plain(a.node)).unwrap_or_default());
        if let Some(own) = &own {
            let mut without = vec!["kind"];
            without.extend(ANSWERS);
            line(match own.node.members().is_empty() {
                true => words::plain(own.node),
                false => words::fields(own.node, &["rawInput", "input", "prompt", "command"], &without),
            });
            if let Some(child) = own.node.get("chatResource").map(words::plain).filter(|c| !c.is_empty()) {
                self.link(child, call);
            }
        }
        line(details.as_ref().and_then(|d| d.node.get("input")).map(words::plain).unwrap_or_default());
        line(decision(node.get("isConfirmed")).to_owned());
        if node.get("isComplete").is_some_and(|n| n.data == Data::Bool(false)) {
            line("interrupted".to_owned());
        }
        let reason = self.reason(&at.place, natural);
        let say = Say::of(Kind::ToolCall, MessageType::Assistant, lines.join("\n"), reason).tool(name, call);
        let id = self.say(at, "response/toolInvocationSerialized", say);
        if let Some(arguments) = arguments.filter(|a| !a.node.is_default()) {
            self.also(&arguments, "metadata/toolCall", id);
        }
        self.rest(at, "response/tool", TOOL_HANDLED, TOOL_FOLDED, id);
        self.answer(at, name, call, own, details, facts);
    }

    /// What a call answered, wherever that stands: once.
    fn answer(
        &mut self,
        at: &At<'s>,
        name: Option<&'s str>,
        call: Option<&'s str>,
        own: Option<At<'s>>,
        details: Option<At<'s>>,
        facts: &mut Facts<'s>,
    ) {
        let mut sources: Vec<(At<'s>, &'static str, String)> = Vec::new();
        if let Some(result) = call.and_then(|id| facts.take_result(id)) {
            let text = result_text(result.node);
            sources.push((result, "metadata/toolCallResult", text));
        }
        for key in ANSWERS {
            if let Some(answer) = own.as_ref().and_then(|own| own.get(key)) {
                let text = match *key {
                    "terminalCommandOutput" => words::fields(answer.node, &["text"], &[]),
                    "terminalCommandState" => words::fields(answer.node, &[], &["timestamp", "duration"]),
                    _ => words::plain(answer.node),
                };
                let text = if answer.node.members().is_empty() { words::plain(answer.node) } else { text };
                sources.push((answer, "response/toolSpecificData", text));
            }
        }
        if let Some(details) = details {
            let text = match &details.node.data {
                Data::Map(_) => words::fields(details.node, &["output"], &["input"]),
                _ => words::plain(details.node),
            };
            sources.push((details, "response/resultDetails", text));
        }
        if let Some(error) = at.get("resultError") {
            let text = words::plain(error.node);
            sources.push((error, "response/resultError", text));
        }
        sources.retain(|(_, _, text)| !text.is_empty());
        let mut text = String::new();
        for (_, _, piece) in &sources {
            if !text.contains(piece.as_str()) {
                if !text.is_empty() {
                    text.push('\n');
                }
                text.push_str(piece);
            }
        }
        let Some(((first, block, _), more)) = sources.split_first() else { return };
        let reason = self.reason(&first.place, Reason::ToolResult);
        let say = Say::of(Kind::ToolResult, MessageType::System, text, reason).tool(name, call);
        let id = self.say(first, *block, say);
        for (source, block, _) in more {
            self.also(source, *block, id);
        }
    }

    /// Any other part, by the table.
    fn other(&mut self, at: &At<'s>, turn: Turn, facts: &mut Facts<'s>) {
        let node = at.node;
        let kind = match node.get("kind").and_then(Node::str) {
            Some("thinking") => return self.thinking_list(at, turn, facts),
            Some(kind) => kind,
            // Whole sessions keep a file tree without its kind.
            None if node.get("label").is_some() => "treeData",
            None => {
                let empty = node.members().iter().all(|(k, v)| v.is_default() || MARKDOWN.contains(&&**k) || **k == *"value");
                let text = node.get("value").filter(|v| !v.is_default());
                return match (empty, text) {
                    (true, None) => {}
                    _ => self.unknown(at, "response/part".to_owned()),
                };
            }
        };
        if kind == "text" {
            // Without a value that is a text.
            return self.rest(at, "response/text", &["kind"], MARKDOWN, None);
        }
        let Some((_, treat, first, known)) = PARTS.iter().find(|row| row.0 == kind) else {
            return self.unknown(at, format!("response/{kind}"));
        };
        let is_known = |key: &str| key == "kind" || first.contains(&key) || known.contains(&key);
        let unknown: Vec<&str> = node.members().iter().map(|(k, _)| &**k).filter(|k| !is_known(k)).collect();
        let name = format!("response/{kind}");
        let reason = self.reason(&at.place, Reason::UnmappedResponsePart);
        match treat {
            Treat::Say(as_kind) => {
                let mut without = unknown.clone();
                without.extend(["kind", "edits"]);
                let mut text = words::fields(node, first, &without);
                for edit in node.get("edits").map(edit_text).into_iter().filter(|e| !e.is_empty()) {
                    text = if text.is_empty() { edit } else { format!("{text}\n{edit}") };
                }
                let from = if *as_kind == Kind::Text { MessageType::Assistant } else { MessageType::System };
                let text = if text.is_empty() { kind.to_owned() } else { text };
                self.say(at, name.clone(), Say::of(*as_kind, from, text, reason));
            }
            Treat::Fold => self.fold(at, name.clone(), reason, turn.assistant),
            Treat::UiState => self.drop(at, name.clone(), Reason::UiState),
        }
        for key in unknown {
            if let Some(field) = at.get(key).filter(|f| !f.node.is_default()) {
                self.unknown(&field, format!("{name}/{key}"));
            }
        }
    }

    /// Thinking whose value is a list, or empty (a mark that the model is done thinking).
    fn thinking_list(&mut self, at: &At<'s>, turn: Turn, facts: &mut Facts<'s>) {
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

/// The new text of edits: the log keeps no text from before.
fn edit_text(node: &Node) -> String {
    let mut texts = Vec::new();
    for group in node.items() {
        let single = std::slice::from_ref(group);
        for edit in if group.items().is_empty() { single } else { group.items() } {
            match edit.get("text").and_then(Node::str) {
                Some(text) => texts.push(text.to_owned()),
                None if !edit.is_default() => texts.push(words::json(edit)),
                None => {}
            }
        }
    }
    texts.join("\n")
}

/// What the person decided about a call, where that is worth a word.
fn decision(confirmed: Option<&Node>) -> &'static str {
    let Some(confirmed) = confirmed else { return "" };
    match (&confirmed.data, confirmed.get("type").and_then(Node::f64)) {
        (Data::Bool(false), _) | (_, Some(0.0)) => "denied",
        (_, Some(5.0)) => "skipped",
        _ => "",
    }
}
