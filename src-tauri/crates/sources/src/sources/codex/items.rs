//! Items of the model's history: messages and reasoning.
//!
//! An item is the payload of a `response_item` record, a bare record of 2025-05 to 2025-09, or an
//! element of the TypeScript CLI's `items`. Deliberately absent: tool calls
//! (`tools`), events that tell the same (`events`).

use super::rollout::Rollout;
use super::tools::CALLS;
use super::telling::{Stream, Voice};
use super::{context, readable};
use crate::readers::binary;
use crate::readers::json::{JsonType, Value};
use crate::{Account, EntryId, Fate};
use assay_model::{Kind, Message, MessageType, Reason, text};
use std::borrow::Cow;

/// Fields of every item that carry no content of their own.
const ENVELOPE: &[&str] = &["type", "id", "status", "metadata", "internal_chat_message_metadata_passthrough"];

/// Fields that name or hold an image or sound.
pub(super) const MEDIA: &[&str] = &["image_url", "audio_url", "path", "file_id"];

/// One part of a message, and where it stands.
pub(super) struct Part<'a> {
    pub pointer: String,
    pub kind: Cow<'a, str>,
    pub value: Value<'a>,
}

impl<'a> Part<'a> {
    pub fn text(&self) -> Option<Cow<'a, str>> {
        let field = |name| self.value.get_str(name).filter(|t| !t.is_empty());
        self.value.str().or_else(|| field("text")).or_else(|| field("refusal")).or_else(|| self.value.get_str("text"))
    }

    /// What only the provider can read, in a part that has nothing else to say.
    pub fn encrypted(&self) -> Option<Value<'a>> {
        let said = |field: &str| self.value.get(field).filter(|v| !v.is_default());
        match (said("encrypted_content"), said("text")) {
            (Some(body), None) => Some(body),
            (Some(body), Some(_)) if self.kind == "encrypted_content" => Some(body),
            (None, text) if self.kind == "encrypted_content" => Some(text.unwrap_or(self.value)),
            (Some(_) | None, _) => None,
        }
    }

    /// Fields beside those that a part of a known kind has.
    fn others(&self) -> impl Iterator<Item = (Cow<'a, str>, Value<'a>)> {
        const KNOWN: &[&str] =
            &["type", "text", "refusal", "image_url", "audio_url", "detail", "path", "file_id", "encrypted_content"];
        let known = self.text().is_some() || KNOWN.iter().skip(3).any(|k| self.value.get(k).is_some());
        self.value.entries().filter(move |(name, value)| known && !KNOWN.contains(&&**name) && !value.is_default())
    }

    /// Where the text itself stands.
    fn text_pointer(&self) -> String {
        if self.value.kind() == JsonType::String { self.pointer.clone() } else { format!("{}/text", self.pointer) }
    }
}

/// The parts of a content field, whether it is an array, one part or a bare string.
pub(super) fn parts<'a>(content: Option<Value<'a>>, pointer: &str) -> Vec<Part<'a>> {
    let part = |value: Value<'a>, pointer: String| {
        let kind = value.get_str("type").unwrap_or(Cow::Borrowed("text"));
        Part { pointer, kind, value }
    };
    match content.filter(|c| !c.is_null()) {
        None => Vec::new(),
        Some(list) if list.kind() == JsonType::Array => {
            list.items().enumerate().map(|(i, value)| part(value, format!("{pointer}/{i}"))).collect()
        }
        Some(one) => vec![part(one, pointer.to_owned())],
    }
}

impl Rollout {
    /// Reads one item, which stands at `base` of the record.
    pub fn item(&mut self, account: &mut Account, item: Value<'_>, base: &str) {
        let entry = self.entry();
        let mut kind = item.get_str("type").unwrap_or_default();
        if kind.is_empty() && item.get("role").is_some() && item.get("content").is_some() {
            // Other writers leave the type out; the published rules then read nothing.
            kind = Cow::Borrowed("message");
            if let Some(here) = &mut self.here {
                here.legacy = true;
            }
        }
        let name = if base.is_empty() { format!("item/{kind}") } else { format!("response_item/{kind}") };
        account.set_kind(entry, name.clone());
        if let Some(here) = &mut self.here {
            here.id = item.get("id").and_then(Value::non_empty).map(Into::into);
            here.turn = ["internal_chat_message_metadata_passthrough", "metadata"]
                .iter()
                .find_map(|m| item.path(&[m, "turn_id"])?.non_empty())
                .map(Into::into);
        }
        let known: &[&str] = match &*kind {
            "message" => {
                self.message(account, item, base);
                &["role", "content", "phase", "end_turn"]
            }
            "reasoning" => {
                self.reasoning(account, item, base);
                &["summary", "content", "encrypted_content"]
            }
            "function_call_output" | "custom_tool_call_output" | "tool_search_output" => {
                let field = if kind == "tool_search_output" { "tools" } else { "output" };
                self.call_output(account, item, base, field);
                &["call_id", "name", "output", "tools", "execution"]
            }
            "agent_message" => {
                self.agent_message(account, item, base, &name);
                return;
            }
            "compaction" | "compaction_summary" | "context_compaction" => {
                let message =
                    self.draft(base, MessageType::System, Kind::Event, kind.clone(), Reason::EventNotMapped);
                self.recover(account, base, &name, message);
                self.encrypted(account, &format!("{base}/encrypted_content"), item.get("encrypted_content"));
                &["encrypted_content"]
            }
            "ghost_snapshot" => {
                account.refate(entry, Fate::Dropped(Reason::FileCheckpoint));
                account.excerpt(entry, &item.raw_text());
                &["ghost_commit"]
            }
            _ => match CALLS.iter().find(|c| *c.kind == *kind) {
                Some(shape) => {
                    self.call(account, item, base, shape);
                    &[
                        "name", "namespace", "call_id", "arguments", "input", "action", "execution", "revised_prompt",
                        "result", "encrypted_function_args",
                    ]
                }
                None => {
                    return self.unknown(account, entry, name, item);
                }
            },
        };
        for (field, value) in item.entries() {
            let enveloped = base.is_empty() && matches!(&*field, "timestamp" | "ordinal");
            if !known.contains(&&*field) && !ENVELOPE.contains(&&*field) && !enveloped && !value.is_default() {
                self.unknown_field(account, &name, base, &field, value);
            }
        }
    }

    fn message(&mut self, account: &mut Account, item: Value<'_>, base: &str) {
        let parts = parts(item.get("content"), &format!("{base}/content"));
        let role = item.get_str("role").unwrap_or_default();
        if parts.is_empty() {
            account.refate(self.entry(), Fate::Dropped(Reason::EmptyMessage));
        }
        match &*role {
            "assistant" => {
                // The published rules know only lists; another shape counts as absent.
                let listed = item.get("content").is_some_and(|c| c.kind() == JsonType::Array);
                self.answer(account, &parts, listed);
            }
            "user" => self.prompt(account, &parts),
            "developer" => self.instruction(account, &parts, &role, Reason::ResponseItemDeveloper),
            _ => self.instruction(account, &parts, &role, Reason::RoleNotMapped),
        }
        self.other_fields(account, &parts);
    }

    pub fn other_fields(&self, account: &mut Account, parts: &[Part<'_>]) {
        for part in parts {
            for (name, value) in part.others() {
                self.unknown_field(account, &format!("content/{}", part.kind), &part.pointer, &name, value);
            }
        }
    }

    /// What the model answered. The published rules compare it with the latest answer only.
    fn answer(&mut self, account: &mut Account, parts: &[Part<'_>], listed: bool) {
        let mut texts = Vec::new();
        let mut blocks = Vec::new();
        let mut others = Vec::new();
        for part in parts {
            let output = (listed && part.kind == "output_text").then(|| part.value.get_str("text")).flatten();
            match output.filter(|t| !t.is_empty()) {
                Some(text) => {
                    blocks.push(self.block(account, &part.text_pointer(), "output_text", &text));
                    texts.push(text);
                }
                None => others.push(part),
            }
        }
        self.answer_text(account, text::trim(&text::join(texts)), blocks);
        for part in others {
            self.other_part(account, part, MessageType::Assistant, Reason::EventNotMapped);
        }
    }

    fn answer_text(&mut self, account: &mut Account, answer: &str, blocks: Vec<EntryId>) {
        if answer.is_empty() {
            for block in blocks {
                account.refate(block, Fate::Dropped(Reason::EmptyMessage));
            }
            return;
        }
        let mut message =
            self.draft("", MessageType::Assistant, Kind::Text, answer, Reason::DuplicateOfLatestAssistant);
        message.has_code = text::has_fence(answer);
        let repeats = self.latest.is_some_and(|l| account.messages()[l as usize].content == answer);
        if self.here.as_ref().is_some_and(|h| h.legacy) {
            self.tell(account, Voice::Assistant, Stream::History, blocks, message);
        } else if repeats {
            self.repeated_answer(account, blocks, message);
        } else {
            message.provenance = assay_model::Provenance::Reference;
            self.latest = Some(self.keep(account, Voice::Assistant, Stream::History, &blocks, message));
        }
    }

    /// An answer equal to the latest one: the other stream's copy, or really said again.
    fn repeated_answer(&mut self, account: &mut Account, blocks: Vec<EntryId>, message: Message) {
        let key = self.tellings.key(&message.content);
        if self.copied {
            return self.repeats_parent(&blocks, key);
        }
        let (telling, new) = self.hear(account, Voice::Assistant, Stream::History, key);
        if new {
            self.wait(account, telling, Stream::History, message, blocks);
        } else {
            let folded = blocks.into_iter().map(|b| (b, Reason::DuplicateOfLatestAssistant));
            self.tellings.get(telling).folded.extend(folded);
        }
    }

    /// A user's message: words, context and media are told apart, part by part.
    fn prompt(&mut self, account: &mut Account, parts: &[Part<'_>]) {
        let mut words: Vec<Cow<'_, str>> = Vec::new();
        let mut blocks = Vec::new();
        for part in parts {
            let Some(said) = part.text().filter(|_| matches!(&*part.kind, "input_text" | "text" | "output_text"))
            else {
                self.other_part(account, part, MessageType::User, Reason::ResponseItemUser);
                continue;
            };
            let pointer = part.text_pointer();
            if context::is_context(&said) {
                let mut message = self.draft(
                    &pointer,
                    MessageType::System,
                    Kind::Attachment,
                    said,
                    Reason::ResponseItemUser,
                );
                message.role = "user".to_owned();
                self.once(account, &pointer, "input_text/context", message);
            } else if context::is_label(&said) {
                let block = self.block(account, &pointer, "input_text/label", &said);
                account.refate(block, Fate::Folded(Reason::Metadata, None));
            } else if said.trim_start().starts_with("<user_shell_command>") {
                let message =
                    self.draft(&pointer, MessageType::User, Kind::Text, said, Reason::ResponseItemUser);
                self.recover(account, &pointer, "input_text/shell", message);
            } else {
                let (before, request) = context::split_request(&said);
                if let Some(before) = before {
                    self.editor_context(account, &pointer, before);
                }
                let block = self.block(account, &pointer, "input_text", request);
                if request.is_empty() {
                    account.refate(block, Fate::Dropped(Reason::EmptyMessage));
                } else {
                    blocks.push(block);
                    words.push(request.to_owned().into());
                }
            }
        }
        if words.is_empty() {
            return;
        }
        let content = words.join("\n");
        let mut message = self.draft("", MessageType::User, Kind::Text, content, Reason::ResponseItemUser);
        message.has_code = text::has_fence(&message.content);
        self.tell(account, Voice::User, Stream::History, blocks, message);
        if words.len() > 1 {
            // A compaction repeats the parts one by one.
            for part in words {
                let key = self.tellings.key(&part);
                self.tellings.copied(key);
            }
        }
    }

    /// What an editor put before the prompt.
    pub fn editor_context(&mut self, account: &mut Account, pointer: &str, before: &str) {
        let mut message =
            self.draft(pointer, MessageType::System, Kind::Attachment, before, Reason::IdeContextPrefix);
        message.role = "user".to_owned();
        self.once(account, pointer, "ide-context", message);
    }

    /// Instructions: each text is told once, wherever it stands again.
    fn instruction(&mut self, account: &mut Account, parts: &[Part<'_>], role: &str, reason: Reason) {
        for part in parts {
            let Some(said) = part.text() else {
                self.other_part(account, part, MessageType::System, reason);
                continue;
            };
            let pointer = part.text_pointer();
            let mut message = self.draft(&pointer, MessageType::System, Kind::Attachment, said, reason);
            role.clone_into(&mut message.role);
            self.once(account, &pointer, &part.kind, message);
        }
    }

    /// A part that is not the text that its message is made of.
    fn other_part(&mut self, account: &mut Account, part: &Part<'_>, from: MessageType, reason: Reason) {
        let value = part.value;
        if let Some(body) = part.encrypted() {
            self.encrypted(account, &part.pointer, Some(body));
        } else if let Some(source) = value.get_any(MEDIA).filter(|s| !s.is_default()) {
            self.media(account, &part.pointer, &part.kind, Stream::History, source);
        } else if let Some(said) = part.text() {
            if text::is_blank(&said) {
                let block = self.block(account, &part.pointer, &part.kind, &said);
                account.refate(block, Fate::Dropped(Reason::EmptyMessage));
            } else {
                let message = self.draft(&part.pointer, from, Kind::Text, said, reason);
                self.recover(account, &part.pointer, &part.kind, message);
            }
        } else if value.is_default() || value.get_any(MEDIA).is_some() {
            let block = self.block(account, &part.pointer, &part.kind, "");
            account.refate(block, Fate::Dropped(Reason::EmptyMessage));
        } else {
            let block = self.block(account, &part.pointer, &part.kind, &value.raw_text());
            self.unknown(account, block, format!("content/{}", part.kind), value);
        }
    }

    /// An image or sound in a prompt; both streams name it.
    pub fn media(&mut self, account: &mut Account, pointer: &str, kind: &str, stream: Stream, source: Value<'_>) {
        let content = media_text(source, kind);
        let block = self.block(account, pointer, kind, &content);
        let mut message = self.draft(pointer, MessageType::User, Kind::Attachment, content, Reason::Attachment);
        message.role = "user".to_owned();
        self.tell(account, Voice::Media, stream, vec![block], message);
    }

    fn reasoning(&mut self, account: &mut Account, item: Value<'_>, base: &str) {
        let mut readable = false;
        for field in ["summary", "content"] {
            let parts = parts(item.get(field), &format!("{base}/{field}"));
            for part in &parts {
                match part.text() {
                    Some(said) => {
                        readable |= !text::is_blank(&said);
                        self.thought(account, &part.text_pointer(), &part.kind, Stream::History, said);
                    }
                    None => self.other_part(account, part, MessageType::Assistant, Reason::Reasoning),
                }
            }
            self.other_fields(account, &parts);
        }
        let encrypted = self.encrypted(account, &format!("{base}/encrypted_content"), item.get("encrypted_content"));
        if encrypted && !readable {
            let content = "[encrypted]";
            let message = self.draft(base, MessageType::Assistant, Kind::Reasoning, content, Reason::Reasoning);
            self.recover(account, base, "reasoning", message);
        } else if !encrypted && !readable {
            account.refate(self.entry(), Fate::Dropped(Reason::EmptyMessage));
        }
    }

    /// One piece of reasoning.
    pub fn thought(
        &mut self,
        account: &mut Account,
        pointer: &str,
        kind: &str,
        stream: Stream,
        said: Cow<'_, str>,
    ) {
        let block = self.block(account, pointer, kind, &said);
        if text::is_blank(&said) {
            return account.refate(block, Fate::Dropped(Reason::EmptyMessage));
        }
        let message = self.draft(pointer, MessageType::Assistant, Kind::Reasoning, said, Reason::Reasoning);
        self.tell(account, Voice::Reasoning, stream, vec![block], message);
    }

    /// What one agent wrote to another.
    pub fn agent_message(&mut self, account: &mut Account, item: Value<'_>, base: &str, kind: &str) {
        account.set_kind(self.entry(), kind.to_owned());
        if item.get("trigger_turn").and_then(Value::bool) == Some(true) {
            self.begin_turn(account);
        }
        let mut said = Vec::new();
        let mut encrypted = false;
        for part in parts(item.get("content"), &format!("{base}/content")) {
            if let Some(body) = part.encrypted() {
                encrypted |= self.encrypted(account, &part.pointer, Some(body));
            } else {
                said.push(part.text().unwrap_or_else(|| readable::text(part.value)).into_owned());
            }
        }
        encrypted |= self.encrypted(account, &format!("{base}/encrypted_content"), item.get("encrypted_content"));
        let others = readable::fields(item, &[], &["type", "id", "content", "encrypted_content", "metadata",
            "internal_chat_message_metadata_passthrough"]);
        let unreadable = encrypted && said.iter().all(|text| text::is_blank(text));
        let (from, form) = if unreadable {
            // Nobody said what can be read: only that something was sent, and by whom, is told.
            said = vec!["[encrypted]".to_owned()];
            (MessageType::System, Kind::Event)
        } else {
            (MessageType::Assistant, Kind::Text)
        };
        said.extend((!others.is_empty()).then_some(others));
        let mut message = self.draft(base, from, form, said.join("\n"), Reason::EventNotMapped);
        message.role = "agent".to_owned();
        self.recover(account, base, kind, message);
    }
}

/// An image or sound as text: a link as it stands, a body by its size and hash.
pub(super) fn media_text(source: Value<'_>, kind: &str) -> String {
    let source = if source.kind() == JsonType::Object { source.get_any(&["url", "data"]).unwrap_or(source) } else { source };
    match source.str() {
        Some(link) if link.starts_with("data:") => binary::describe("application/octet-stream", &link),
        Some(body) if kind == "image_generation_call" => binary::describe("image/png", &body),
        Some(link) => link.into_owned(),
        None => readable::text(source).into_owned(),
    }
}
