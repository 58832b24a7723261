//! What was said: the blocks of a message, under the published rules and beyond them.
//!
//! One record gives at most one message of the published rules; every block that they leave out becomes a
//! recovered message after it. Several records of one answer stay several messages, as those rules have it.

use super::kinds::{self, BlockKind};
use super::line::Line;
use super::outcome;
use super::queue::hash;
use super::render;
use super::session::Session;
use super::spoken::join;
use super::tree::Step;
use super::wrappers;
use crate::readers::json::{JsonType, Value, pointer_to};
use crate::{Account, Fate, MessageId};
use assay_model::{Kind, MessageType, Reason, text};
use std::borrow::Cow;

/// Why an answer ends that is complete or goes on with a tool.
const COMPLETE: [&str; 2] = ["end_turn", "tool_use"];

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
pub(super) struct Part<'a> {
    /// Its JSON pointer.
    pub pointer: String,
    pub value: Value<'a>,
    pub kind: PartKind,
}

/// What a block is.
pub(super) enum PartKind {
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
    pub fn text(&self) -> Option<Cow<'a, str>> {
        match self.kind {
            PartKind::Whole => self.value.non_empty(),
            PartKind::Block(BlockKind::Text, ..) => self.value.get("text").and_then(Value::non_empty),
            PartKind::Block(..) | PartKind::Bare | PartKind::Nothing | PartKind::Unknown(_) => None,
        }
    }

    /// The thinking that the published rules read; an empty one is none.
    pub fn thinking(&self) -> Option<Cow<'a, str>> {
        match self.kind {
            PartKind::Block(BlockKind::Thinking, ..) => self.value.get("thinking").and_then(Value::non_empty),
            PartKind::Whole | PartKind::Block(..) | PartKind::Bare | PartKind::Nothing | PartKind::Unknown(_) => None,
        }
    }

    /// Whether it is a block of that kind.
    pub fn is(&self, kind: BlockKind) -> bool {
        matches!(self.kind, PartKind::Block(k, ..) if k == kind)
    }
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
        let cleaned = wrappers::clean(&joined.text);
        let reference = match said.outer {
            None => self.reference(account, line, &parts, &joined, &cleaned, message),
            Some(_) => None,
        };
        if let (MessageType::User, Some(id)) = (line.from, reference) {
            self.queue.prompt(&joined.text, id);
            if !cleaned.removed.is_empty() {
                self.queue.prompt(&cleaned.text, id);
            }
        }
        let mut answered = Vec::new();
        for (part, span) in parts.iter().zip(&joined.spans) {
            if let Some(span) = span {
                self.spoken(account, line, part, span, &joined, &cleaned, reference, said.outer);
            }
            self.part(account, line, part, reference, &mut answered, said.outer);
        }
        for (key, value) in message.into_iter().flat_map(Value::entries) {
            if !kinds::MESSAGE_FIELDS.contains(&&*key) && !value.is_default() {
                self.unknown(account, line, &pointer_to(&at, &key), &format!("message/{key}"), value);
            }
        }
        if let Some(message) = message {
            self.stopped(account, line, message, &at, said.outer);
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

    /// Why an answer ended, where it is not that it was complete: cut at a limit, refused, paused.
    fn stopped(
        &mut self,
        account: &mut Account,
        line: &mut Line<'_>,
        message: Value<'_>,
        at: &str,
        outer: Option<Reason>,
    ) {
        let Some(why) = message.get("stop_reason").and_then(Value::non_empty) else { return };
        // Messages of the tool's own state a sequence that they do not have.
        let sequence = message.get("stop_sequence").is_some_and(|s| !s.is_default());
        if COMPLETE.contains(&&*why) || (why == "stop_sequence" && !sequence) {
            return;
        }
        let about = ["stop_sequence", "stop_details"].iter().filter_map(|key| {
            let value = message.get(key).filter(|v| !v.is_default())?;
            Some(format!("{key}: {}", render::text(value)))
        });
        let text = std::iter::once(format!("stop_reason: {why}")).chain(about).collect::<Vec<_>>().join("\n");
        // Each line of an answer says it.
        let answer = message.get("id").and_then(Value::non_empty).unwrap_or(Cow::Borrowed(&line.base)).into_owned();
        let pointer = format!("{at}/stop_reason");
        let mut event = line.recovered(Kind::Event, text, outer.unwrap_or(Reason::SystemRecord), &pointer);
        event.message_type = MessageType::System;
        event.role = MessageType::System.code().to_owned();
        self.keep_in(account, line, &pointer, "stop_reason", &answer, event);
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
                if part.text().is_none() && !self.no_text(account, line, part, name, "text") {
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
                (Some(_), None, None) | (None, ..) => {
                    let told = self.no_text(account, line, part, name, "thinking");
                    match value.get("signature").map(Value::str_len) {
                        Some(bytes) if bytes > 0 => {
                            self.encrypted_thinking(account, line, part, name, "signature", bytes);
                        }
                        Some(_) | None if told => {}
                        Some(_) | None => empty(account, line),
                    }
                }
            },
            BlockKind::Redacted => match value.get("data").filter(|d| !d.is_default()) {
                Some(data) if data.kind() == JsonType::String => {
                    self.encrypted_thinking(account, line, part, name, "data", data.str_len());
                }
                // What is no text was encrypted by nobody.
                Some(data) => self.unknown(account, line, &format!("{pointer}/data"), &format!("{name}/data"), data),
                None => empty(account, line),
            },
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
                let bytes = render::media_bytes(value, &message.content);
                let (_, fate) = self.once(account, line, message);
                account.block(line.entry, pointer, line.kind_of(name), bytes, fate);
            }
            BlockKind::Compaction => {
                match value.get("content").and_then(Value::non_empty) {
                    Some(summary) => {
                        let at = format!("{pointer}/content");
                        let message =
                            line.recovered(Kind::Event, summary, outer.unwrap_or(Reason::NonTextBlock), &at);
                        self.keep(account, line, &at, name, message);
                    }
                    None if self.no_text(account, line, part, name, "content") => {}
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
                self.unknown(account, line, &pointer_to(pointer, &key), &format!("{name}/{key}"), field);
            }
        }
    }
}

impl Session<'_> {
    /// Keeps what stands where a block has its text and is none. It is absent under the published rules, and may
    /// hold words. Returns whether there is such a thing.
    fn no_text(&mut self, account: &mut Account, line: &mut Line<'_>, part: &Part<'_>, name: &str, field: &str) -> bool {
        let other = part.value.get(field).filter(|v| v.kind() != JsonType::String && !v.is_default());
        if let Some(value) = other {
            let pointer = format!("{}/{field}", part.pointer);
            self.unknown(account, line, &pointer, &format!("{name}/{field}"), value);
        }
        other.is_some()
    }

    /// Thinking that only the provider can read: that it was there is told, its bytes are in no message.
    fn encrypted_thinking(
        &mut self,
        account: &mut Account,
        line: &mut Line<'_>,
        part: &Part<'_>,
        name: &str,
        field: &str,
        bytes: usize,
    ) {
        let message = line.recovered(Kind::Reasoning, "[encrypted]", Reason::Reasoning, &part.pointer);
        let (_, fate) = self.once(account, line, message);
        account.block(line.entry, part.pointer.as_str(), line.kind_of(name), 0, fate);
        encrypted(account, line, &format!("{}/{field}", part.pointer), name, bytes);
    }
}

fn encrypted(account: &mut Account, line: &Line<'_>, pointer: &str, name: &str, bytes: usize) {
    let fate = Fate::Dropped(Reason::EncryptedContent);
    account.block(line.entry, pointer, line.kind_of(name), bytes, fate);
}
