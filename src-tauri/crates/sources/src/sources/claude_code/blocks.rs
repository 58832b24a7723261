//! What was said: the blocks of a message, under the published rules and beyond them.
//!
//! One record gives at most one message of the published rules; every block that they leave out becomes a
//! recovered message after it. Several records of one answer stay several messages, as those rules have it.

use super::kinds::{self, BlockKind};
use super::line::Line;
use super::outcome;
use super::queue::hash;
use super::render;
use super::session::{Call, Session, body_name};
use super::tree::Step;
use super::wrappers;
use crate::readers::json::{JsonType, Value};
use crate::{Account, Fate, MessageId};
use assay_model::{Branch, Kind, MessageType, Reason, text};
use std::borrow::Cow;
use std::ops::Range;

/// What is read as something said.
pub(super) struct Said<'a> {
    /// The object that holds `message` and `toolUseResult`.
    value: Value<'a>,
    /// Its JSON pointer in the record.
    pointer: &'static str,
    /// Why the published rules do not see any of it.
    outer: Option<Reason>,
}

impl<'a> Said<'a> {
    /// The parts of a record, or of a record inside one.
    pub fn of(value: Value<'a>, pointer: &'static str, outer: Option<Reason>) -> Self {
        Self { value, pointer, outer }
    }
}

/// One block and what it is.
struct Part<'a> {
    pointer: String,
    value: Value<'a>,
    kind: PartKind,
}

enum PartKind {
    /// The whole content is this string.
    Whole,
    /// A string that stands where a block should.
    Bare,
    Block(BlockKind, &'static str, &'static [&'static str]),
    /// Nothing in it.
    Nothing,
    Unknown(String),
}

impl<'a> Part<'a> {
    /// The text that the published rules read; an empty one is none.
    fn text(&self) -> Option<Cow<'a, str>> {
        match self.kind {
            PartKind::Whole => self.value.non_empty(),
            PartKind::Block(BlockKind::Text, ..) => self.value.get("text").and_then(Value::non_empty),
            PartKind::Block(..) | PartKind::Bare | PartKind::Nothing | PartKind::Unknown(_) => None,
        }
    }

    fn thinking(&self) -> Option<Cow<'a, str>> {
        match self.kind {
            PartKind::Block(BlockKind::Thinking, ..) => self.value.get("thinking").and_then(Value::non_empty),
            PartKind::Whole | PartKind::Block(..) | PartKind::Bare | PartKind::Nothing | PartKind::Unknown(_) => None,
        }
    }

    fn is(&self, kind: BlockKind) -> bool {
        matches!(self.kind, PartKind::Block(k, ..) if k == kind)
    }
}

/// The text of a message, joined as the published rules do it, and where each block stands in it.
struct Joined<'a> {
    text: Cow<'a, str>,
    spans: Vec<Option<Range<usize>>>,
    cleaned: wrappers::Cleaned,
}

fn join<'a>(parts: &[Part<'a>]) -> Joined<'a> {
    let mut text: Option<Cow<'a, str>> = None;
    let mut spans = Vec::with_capacity(parts.len());
    for part in parts {
        spans.push(part.text().map(|t| match &mut text {
            None => {
                let span = 0..t.len();
                text = Some(t);
                span
            }
            Some(all) => {
                let all = all.to_mut();
                all.push('\n');
                all.push_str(&t);
                all.len() - t.len()..all.len()
            }
        }));
    }
    let text = text.unwrap_or_default();
    let cleaned = wrappers::clean(&text);
    Joined { text, spans, cleaned }
}

fn parts<'a>(content: Value<'a>, pointer: &str) -> Vec<Part<'a>> {
    if content.kind() == JsonType::String {
        return vec![Part { pointer: pointer.to_owned(), value: content, kind: PartKind::Whole }];
    }
    let part = |(i, value): (usize, Value<'a>)| Part {
        pointer: format!("{pointer}/{i}"),
        value,
        kind: match value.get_str("type") {
            Some(name) => match kinds::BLOCKS.iter().find(|(n, ..)| *n == name) {
                Some((name, kind, fields)) => PartKind::Block(*kind, name, fields),
                None => PartKind::Unknown(name.into_owned()),
            },
            None if value.kind() == JsonType::String => PartKind::Bare,
            None if value.is_default() => PartKind::Nothing,
            None => PartKind::Unknown("no-type".to_owned()),
        },
    };
    content.items().enumerate().map(part).collect()
}

impl Session<'_> {
    /// Reads the message of a record. Returns what the record is on its branch.
    pub fn said(&mut self, account: &mut Account, line: &mut Line<'_>, said: Said<'_>) -> Step {
        let start = account.messages().len();
        account.refate(line.entry, Fate::Dropped(Reason::EmptyMessage));
        let at = format!("{}/message", said.pointer);
        let message = said.value.get("message");
        let content = message.and_then(|m| m.get("content"));
        let content_at = format!("{at}/content");
        let parts = content.map(|c| parts(c, &content_at)).unwrap_or_default();
        match (message, content) {
            (Some(message), _) if message.kind() != JsonType::Object && !message.is_default() => {
                self.unknown(account, line, &at, "message", message);
            }
            (_, Some(content)) if parts.is_empty() && !content.is_default() => {
                self.unknown(account, line, &content_at, "content", content);
            }
            _ => {}
        }
        let joined = join(&parts);
        let reference = match said.outer {
            None => self.reference(account, line, &parts, &joined, message),
            Some(_) => None,
        };
        if let (MessageType::User, Some(id)) = (line.from, reference) {
            self.queue.prompt(&joined.text, id);
            if !joined.cleaned.removed.is_empty() {
                self.queue.prompt(&joined.cleaned.text, id);
            }
        }
        let mut answered = Vec::new();
        for (part, span) in parts.iter().zip(&joined.spans) {
            if let Some(span) = span {
                self.spoken(account, line, part, span, &joined, reference, said.outer);
            }
            self.part(account, line, part, reference, &mut answered, said.outer);
        }
        for (key, value) in message.into_iter().flat_map(Value::entries) {
            if !kinds::MESSAGE_FIELDS.contains(&&*key) && !value.is_default() {
                self.unknown(account, line, &render::pointer(&at, &key), &format!("message/{key}"), value);
            }
        }
        if let Some(result) = said.value.get("toolUseResult").filter(|r| !r.is_null()) {
            let pointer = format!("{}/toolUseResult", said.pointer);
            outcome::read(self, account, line, result, &pointer, answered.first().map(String::as_str), start);
        }
        let flag = |key: &str| said.value.get(key).and_then(Value::bool) == Some(true);
        match line.from {
            MessageType::Assistant => {
                let answer = message.and_then(|m| m.get("id")).and_then(Value::non_empty);
                Step::Answer(hash(answer.as_deref().unwrap_or(&line.base)))
            }
            MessageType::User if answered.is_empty() && !flag("isMeta") => match reference {
                Some(id) if account.messages()[id as usize].kind == Kind::Text => Step::Prompt,
                Some(_) | None => Step::Aside,
            },
            MessageType::User | MessageType::System => Step::Aside,
        }
    }

    /// The message of the published rules, if they make one.
    fn reference(
        &mut self,
        account: &mut Account,
        line: &mut Line<'_>,
        parts: &[Part<'_>],
        joined: &Joined<'_>,
        api: Option<Value<'_>>,
    ) -> Option<MessageId> {
        let thinking: Vec<Cow<'_, str>> = parts.iter().filter_map(Part::thinking).collect();
        let has_tool_use = parts.iter().any(|p| p.is(BlockKind::Call(Reason::ToolInput)));
        let content = &joined.cleaned.text;
        if content.is_empty() && thinking.is_empty() && !has_tool_use {
            return None;
        }
        let whole = matches!(parts, [Part { kind: PartKind::Whole, .. }]);
        let mut message = line.reference(content.clone());
        message.has_tool_use = has_tool_use;
        message.has_code = text::has_fence(if whole { content } else { &joined.text });
        message.thinking = (!thinking.is_empty()).then(|| thinking.join("\n"));
        let injected = ["isMeta", "isCompactSummary", "isApiErrorMessage"];
        let is_event = injected.iter().any(|key| line.value.get(key).and_then(Value::bool) == Some(true));
        message.kind = if is_event { Kind::Event } else { wrappers::kind_of(content) };
        let id = account.push(message);
        self.snapshot(account, id, api.and_then(|m| m.get("id")).and_then(Value::non_empty));
        Some(id)
    }

    /// Marks the earlier snapshot of an answer that this line repeats and continues.
    fn snapshot(&mut self, account: &mut Account, id: MessageId, api: Option<Cow<'_, str>>) {
        let Some(api) = api else { return };
        if let Some(earlier) = self.answers.get(&*api).copied() {
            let (old, new) = (&account.messages()[earlier as usize], &account.messages()[id as usize]);
            if !old.content.is_empty() && new.content.starts_with(&old.content) {
                let by = new.id.clone();
                let old = account.message(earlier);
                old.branch = Some(Branch::Superseded);
                old.superseded_by = Some(by);
            }
        }
        if !account.messages()[id as usize].content.is_empty() {
            self.answers.insert(api.into_owned(), id);
        }
    }

    /// Accounts for the text of a block: what is kept of it, and what was injected.
    #[allow(clippy::too_many_arguments)]
    fn spoken(
        &mut self,
        account: &mut Account,
        line: &mut Line<'_>,
        part: &Part<'_>,
        span: &Range<usize>,
        joined: &Joined<'_>,
        reference: Option<MessageId>,
        outer: Option<Reason>,
    ) {
        let whole = &joined.text[span.clone()];
        if let Some(outer) = outer {
            let message = line.recovered(Kind::Text, whole, outer, &part.pointer);
            self.keep(account, line, &part.pointer, "text", message);
            return;
        }
        let inside = joined.cleaned.removed.iter().filter(|r| r.start < span.end && r.end > span.start);
        let taken: Vec<&str> =
            inside.map(|r| &joined.text[r.start.max(span.start)..r.end.min(span.end)]).collect();
        let removed: usize = taken.iter().map(|t| t.len()).sum();
        let blank_rest = removed == whole.len() || {
            let mut at = span.start;
            let mut blank = true;
            for piece in &taken {
                let start = piece.as_ptr() as usize - joined.text.as_ptr() as usize;
                blank &= text::is_blank(&joined.text[at..start]);
                at = start + piece.len();
            }
            blank && text::is_blank(&joined.text[at..span.end])
        };
        match reference {
            Some(id) if !blank_rest => {
                account.block(
                    line.entry,
                    part.pointer.as_str(),
                    line.kind_of("text"),
                    whole.len() - removed,
                    Fate::Kept(id),
                );
            }
            Some(_) | None if taken.is_empty() => {
                let fate = Fate::Dropped(Reason::EmptyMessage);
                account.block(line.entry, part.pointer.as_str(), line.kind_of("text"), whole.len(), fate);
            }
            Some(_) | None => {}
        }
        if !taken.is_empty() {
            let message = line.recovered(Kind::Event, taken.join("\n"), Reason::InjectedTag, &part.pointer);
            self.keep(account, line, &part.pointer, "injected", message);
        }
    }

    /// Accounts for everything of a block but its text. `answered` gets the ids of calls that it answers.
    fn part(
        &mut self,
        account: &mut Account,
        line: &mut Line<'_>,
        part: &Part<'_>,
        reference: Option<MessageId>,
        answered: &mut Vec<String>,
        outer: Option<Reason>,
    ) {
        let (pointer, value) = (part.pointer.as_str(), part.value);
        let (kind, name, fields) = match &part.kind {
            PartKind::Whole => {
                if value.str_len() == 0 {
                    account.block(line.entry, pointer, line.kind_of("text"), 0, Fate::Dropped(Reason::EmptyMessage));
                }
                return;
            }
            PartKind::Bare => {
                let text = value.str().unwrap_or_default();
                let reason = outer.unwrap_or(Reason::NonTextBlock);
                if text::is_blank(&text) {
                    let fate = Fate::Dropped(Reason::EmptyMessage);
                    account.block(line.entry, pointer, line.kind_of("string"), text.len(), fate);
                } else {
                    let message = line.recovered(Kind::Text, text, reason, pointer);
                    self.keep(account, line, pointer, "string", message);
                }
                return;
            }
            PartKind::Nothing => {
                account.block(line.entry, pointer, line.kind_of("nothing"), 0, Fate::Dropped(Reason::EmptyMessage));
                return;
            }
            PartKind::Unknown(name) => {
                self.unknown(account, line, pointer, name, value);
                return;
            }
            PartKind::Block(kind, name, fields) => (*kind, *name, *fields),
        };
        let empty = |account: &mut Account, line: &Line<'_>| {
            account.block(line.entry, pointer, line.kind_of(name), 0, Fate::Dropped(Reason::EmptyMessage));
        };
        match kind {
            BlockKind::Text => {
                if part.text().is_none() {
                    empty(account, line);
                }
                if let Some(citations) = value.get("citations").filter(|c| !c.is_default()) {
                    let reason = outer.unwrap_or(Reason::NonTextBlock);
                    let at = format!("{pointer}/citations");
                    let message = line.recovered(Kind::Attachment, render::text(citations), reason, &at);
                    self.keep(account, line, &at, "citations", message);
                }
            }
            BlockKind::Thinking => match (part.thinking(), reference, outer) {
                (Some(thinking), _, Some(outer)) => {
                    let message = line.recovered(Kind::Reasoning, thinking, outer, pointer);
                    self.keep(account, line, pointer, name, message);
                }
                (Some(thinking), Some(id), None) => {
                    account.block(line.entry, pointer, line.kind_of(name), thinking.len(), Fate::Kept(id));
                }
                (Some(_), None, None) | (None, ..) => match value.get("signature").map(Value::str_len) {
                    Some(bytes) if bytes > 0 => encrypted(account, line, pointer, name, bytes),
                    Some(_) | None => empty(account, line),
                },
            },
            BlockKind::Redacted => {
                encrypted(account, line, pointer, name, value.get("data").map_or(0, Value::str_len));
            }
            BlockKind::Call(reason) => {
                self.call(account, line, part, name, outer.unwrap_or(reason));
            }
            BlockKind::Answer(reason) => {
                let id = value.get("tool_use_id").and_then(Value::non_empty).map(Cow::into_owned);
                self.answer(account, line, part, name, id.as_deref(), outer.unwrap_or(reason));
                answered.extend(id.or_else(|| Some(String::new())));
            }
            BlockKind::Media => {
                let message =
                    line.recovered(Kind::Attachment, render::media(value), outer.unwrap_or(Reason::NonTextBlock), pointer);
                self.keep(account, line, pointer, name, message);
            }
            BlockKind::Compaction => {
                match value.get("content").and_then(Value::non_empty) {
                    Some(summary) => {
                        let at = format!("{pointer}/content");
                        let message =
                            line.recovered(Kind::Event, summary, outer.unwrap_or(Reason::NonTextBlock), &at);
                        self.keep(account, line, &at, name, message);
                    }
                    None => empty(account, line),
                }
                if let Some(bytes) = value.get("encrypted_content").map(Value::str_len).filter(|n| *n > 0) {
                    encrypted(account, line, &format!("{pointer}/encrypted_content"), name, bytes);
                }
            }
            BlockKind::Switch => {
                self.state(account, line, pointer, name, render::text(value), Reason::Metadata);
            }
        }
        for (key, field) in value.entries() {
            let known = fields.is_empty() || key == "type" || fields.contains(&&*key);
            if !known && !field.is_default() {
                self.unknown(account, line, &render::pointer(pointer, &key), &format!("{name}/{key}"), field);
            }
        }
    }

    fn call(&mut self, account: &mut Account, line: &mut Line<'_>, part: &Part<'_>, name: &str, reason: Reason) {
        let value = part.value;
        let input = value.get("input");
        let shown = match input.map(|i| (i, i.str())) {
            None => String::new(),
            Some((_, Some(text))) => text.into_owned(),
            Some((input, None)) => input.raw_text().into_owned(),
        };
        let id = value.get("id").and_then(Value::non_empty).map(Cow::into_owned);
        let tool = value.get("name").and_then(Value::non_empty).map(Cow::into_owned);
        let mut message = line.recovered(Kind::ToolCall, shown, reason, &part.pointer);
        message.tool_name.clone_from(&tool);
        message.tool_call_id.clone_from(&id);
        let by = message.id.clone();
        let kept = self.keep(account, line, &part.pointer, name, message);
        let Some(id) = id else { return };
        let lines = input.map(outcome::line_hashes).unwrap_or_default();
        let earlier = self.calls.insert(id, Call { name: tool, message: kept, lines });
        if let Some(earlier) = earlier.filter(|e| e.message != kept) {
            let old = account.message(earlier.message);
            old.branch = Some(Branch::Superseded);
            old.superseded_by = Some(by);
        }
    }

    fn answer(
        &mut self,
        account: &mut Account,
        line: &mut Line<'_>,
        part: &Part<'_>,
        name: &str,
        id: Option<&str>,
        reason: Reason,
    ) {
        let content = part.value.get("content").filter(|c| !c.is_default());
        let at = format!("{}/content", part.pointer);
        let mut pieces: Vec<(String, String, String)> = Vec::new(); // pointer, name, text
        let mut unknown = Vec::new();
        match content.map(|c| (c, c.kind())) {
            None => {}
            Some((content, JsonType::Array)) => {
                for (i, item) in content.items().enumerate() {
                    let at = format!("{at}/{i}");
                    let kind = item.get_str("type").unwrap_or_default();
                    let text = match (&*kind, item.str()) {
                        ("", Some(text)) => Some(text.into_owned()),
                        ("text", _) => item.get_str("text").map(Cow::into_owned),
                        (other, _) => kinds::BLOCKS
                            .iter()
                            .find(|(n, k, _)| *n == other && *k == BlockKind::Media)
                            .map(|_| render::media(item)),
                    };
                    match text {
                        Some(text) => pieces.push((at, format!("{name}/{kind}"), text)),
                        None if item.is_default() => {}
                        // Server tools answer with blocks of their own; what they say is their text.
                        None if name != "tool_result" => pieces.push((at, format!("{name}/{kind}"), render::text(item))),
                        None => unknown.push((at, format!("{name}/{kind}"), item)),
                    }
                }
            }
            Some((content, JsonType::Object)) => pieces.push((at, name.to_owned(), render::text(content))),
            Some((content, _)) => {
                let text = content.str().unwrap_or_else(|| content.raw_text());
                pieces.push((part.pointer.clone(), name.to_owned(), text.into_owned()));
            }
        }
        let texts: Vec<&str> = pieces.iter().map(|(.., text)| text.as_str()).collect();
        let mut message = line.recovered(Kind::ToolResult, texts.join("\n"), reason, &part.pointer);
        message.tool_call_id = id.map(str::to_owned);
        let set_aside = pieces.iter().find_map(|(.., text)| body_name(text, false)).map(str::to_owned);
        let (kept, fate) = if pieces.is_empty() && !unknown.is_empty() {
            (None, Fate::Dropped(Reason::EmptyMessage))
        } else {
            let (id, fate) = self.once(account, line, message);
            (Some(id), fate)
        };
        if pieces.is_empty() && unknown.is_empty() {
            account.block(line.entry, part.pointer.as_str(), line.kind_of(name), 0, fate);
        }
        for (at, name, text) in &pieces {
            account.block(line.entry, at.as_str(), line.kind_of(name.trim_end_matches('/')), text.len(), fate);
        }
        for (at, name, item) in unknown {
            self.unknown(account, line, &at, name.trim_end_matches('/'), item);
        }
        if part.value.get("is_error").and_then(Value::bool) == Some(true) {
            let at = format!("{}/is_error", part.pointer);
            account.block(line.entry, at, line.kind_of("is_error"), 0, Fate::Folded(Reason::Metadata, kept));
        }
        if let Some(body) = set_aside {
            self.body(account, line, &body, id);
        }
    }
}

fn encrypted(account: &mut Account, line: &Line<'_>, pointer: &str, name: &str, bytes: usize) {
    let fate = Fate::Dropped(Reason::EncryptedContent);
    account.block(line.entry, pointer, line.kind_of(name), bytes, fate);
}
