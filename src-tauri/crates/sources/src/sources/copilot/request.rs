//! A request and the fields around its response: the prompt, what went with it, how it ended.
//!
//! Deliberately absent: response parts (`response.rs`) and what the model's side recorded (`metadata.rs`).

use super::fields::{REQUEST_FOLDED, REQUEST_HANDLED, STATES};
use super::metadata::Facts;
use super::node::{Data, Node};
use super::reference;
use super::state::{At, Step};
use super::teller::{Mode, Say, Slot, Teller};
use super::words;
use crate::readers::json::JsonType;
use assay_model::{Kind, MessageType, Reason, text};

impl<'s> Teller<'_, 's> {
    pub fn requests(&mut self, at: &At<'s>) {
        let mode = self.mode;
        for (index, request) in at.items().enumerate() {
            self.mode = mode;
            self.request(index, &request);
        }
        if !matches!(at.node.data, Data::List(_) | Data::Null) {
            self.unknown(at, "session/requests".to_owned());
        }
        self.mode = mode;
    }

    pub fn request(&mut self, index: usize, at: &At<'s>) {
        let Some(record) = self.record(&at.place) else { return };
        if at.node.members().is_empty() {
            if !at.node.is_default() {
                self.unknown(at, "request".to_owned());
            }
            return;
        }
        match self.mode {
            Mode::Unplaced => self.slot = Slot::UNPLACED,
            Mode::Gone => {
                self.begin_gone(index);
            }
            Mode::Live | Mode::Undone => self.slot = Slot::turn(index, self.mode),
        }
        let turn = self.adopt(index, at);
        let asked = match turn.user.or(turn.assistant) {
            // Its time was read, and remarked upon, with the published rules' messages.
            Some(id) if turn.user.is_some() => self.account.messages()[id as usize].when,
            _ => reference::time(self.account, record, at),
        };
        self.when = asked;
        let undone = at.get("shouldBeRemovedOnSend");
        if undone.is_some() && self.mode == Mode::Live {
            self.mode = Mode::Undone;
        }
        let by_system = at.get("isSystemInitiated").is_some_and(|f| f.node.is_true());
        if let Some(message) = at.get("message") {
            self.prompt(&message, turn, by_system);
        }
        if let Some(label) = at.get("systemInitiatedLabel") {
            let reason = self.reason(&label.place, Reason::SystemRecord);
            self.say(&label, "request/systemInitiatedLabel", Say::event(words::plain(label.node), reason));
        }
        if let Some(variables) = at.get("variableData") {
            self.attachments(&variables);
        }
        self.when = reference::answer_time(asked);
        let mut facts = Facts::of(at);
        let before = self.account.messages().len();
        match at.get("response") {
            Some(response) if matches!(response.node.data, Data::List(_)) => {
                let parts: Vec<At<'s>> = response.items().collect();
                self.parts(&parts, turn, &mut facts);
            }
            Some(response) if !response.node.is_default() => self.unknown(&response, "request/response".to_owned()),
            _ => {}
        }
        if turn.assistant.is_none()
            && self.account.messages().len() == before
            && let Some(response) = at.get("response").filter(|r| self.in_reference(&r.place))
        {
            self.drop(&response, "request/response", Reason::EmptyResponse);
        }
        if let Some(result) = at.get("result") {
            self.result(&result, &mut facts, turn);
        }
        for field in ["responseErrorDetails", "codeCitations", "modelState", "isCanceled", "shouldBeRemovedOnSend"] {
            match at.get(field) {
                // The newer field says it too.
                Some(old) if field == "isCanceled" && at.get("modelState").is_some() => {
                    self.fold(&old, "request/isCanceled", Reason::Metadata, turn.assistant);
                }
                Some(field_at) => self.request_field(&Step::Key(field.into()), &field_at),
                None => {}
            }
        }
        self.rest(at, "request", REQUEST_HANDLED, REQUEST_FOLDED, turn.user.or(turn.assistant));
        self.adopted = false;
    }

    /// The messages of the published rules for a request; also for one that a later snapshot repeats.
    fn adopt(&mut self, index: usize, at: &At<'s>) -> reference::Turn {
        let turn = self.turn(&at.place);
        self.adopted = false;
        if self.mode != Mode::Live || self.in_reference(&at.place) || self.session.unseen.is_some() {
            return turn;
        }
        let Some(id) = at.node.get_str("requestId") else { return turn };
        // By its own id, or as the one of several by that id which stands here.
        let unplaced = |id: &str| self.unplaced(&reference::apart(id, index)).or_else(|| self.unplaced(id));
        let same_prompt = |text| unplaced(id).filter(|(_, m)| m.content == text).map(|(id, _)| id);
        let user = reference::prompt(at).and_then(same_prompt);
        let assistant = reference::answer(at).and_then(|answer| {
            let (id, message) = unplaced(&format!("resp-{id}"))?;
            let same = message.content == answer.content && message.thinking == answer.thinking;
            same.then_some((id, answer.texts))
        });
        self.adopted = user.is_some() || assistant.is_some();
        reference::Turn { user, assistant: assistant.map(|a| a.0), texts: assistant.map_or(0, |a| a.1) }
    }

    /// One field of a request, by itself.
    pub fn request_field(&mut self, field: &Step, at: &At<'s>) {
        let Step::Key(key) = field else { return self.unknown(at, "request".to_owned()) };
        if at.node.is_default() && !matches!(&**key, "modelState" | "shouldBeRemovedOnSend") {
            return;
        }
        let name = format!("request/{key}");
        match &**key {
            "responseErrorDetails" | "errorDetails" => self.error(at),
            "codeCitations" if self.is_of(JsonType::Array, at, "request/codeCitations") => {
                for citation in at.items() {
                    if !self.is_of(JsonType::Object, &citation, "request/codeCitation") {
                        continue;
                    }
                    let reason = self.reason(&citation.place, Reason::UnmappedResponsePart);
                    let text = words::fields(citation.node, &["license", "value", "snippet"], &["kind"]);
                    self.say(&citation, "request/codeCitation", Say::event(text, reason));
                }
            }
            "modelState" => {
                let value = at.node.get("value").and_then(Node::f64);
                match STATES.iter().find(|(code, _)| Some(*code) == value) {
                    Some((_, word)) if self.mode != Mode::Gone => {
                        let reason = self.reason(&at.place, Reason::EventNotMapped);
                        self.say(at, name, Say::event(format!("response {word}"), reason));
                    }
                    _ => self.fold(at, name, Reason::Metadata, None),
                }
            }
            "codeCitations" => {}
            "isCanceled" => {
                let reason = self.reason(&at.place, Reason::EventNotMapped);
                self.say(at, name, Say::event("response cancelled", reason));
            }
            "shouldBeRemovedOnSend" => self.fold(at, name, Reason::Metadata, None),
            "requestId" | "timestamp" => {}
            key if REQUEST_FOLDED.contains(&key) => self.fold(at, name, Reason::Metadata, None),
            _ => self.unknown(at, name),
        }
    }

    /// A change inside a field of a request.
    pub fn inner(&mut self, field: &Step, at: &At<'s>) {
        let Step::Key(key) = field else { return self.unknown(at, "request".to_owned()) };
        let turn = self.turn(&at.place);
        let kept = match &**key {
            "message" => turn.user,
            "response" => turn.assistant,
            _ => None,
        };
        let text = at.node.str();
        let was_read = at.place.pointer.ends_with("/text") || at.place.pointer.ends_with("/value");
        match (&**key, text, kept) {
            ("message" | "response", Some(_), Some(id)) if was_read => {
                self.keep(at, format!("request/{key}"), id);
            }
            ("message" | "response" | "result" | "variableData", ..) if self.mode != Mode::Live => {
                let from = if &**key == "message" { MessageType::User } else { MessageType::Assistant };
                let kind = if text.is_some() { Kind::Text } else { Kind::Event };
                let reason = self.reason(&at.place, Reason::LaterPatch);
                self.say(at, format!("request/{key}"), Say::of(kind, from, words::plain(at.node), reason));
            }
            (key, ..) if REQUEST_FOLDED.contains(&key) || REQUEST_HANDLED.contains(&key) => {
                self.fold(at, format!("request/{key}"), Reason::Metadata, None);
            }
            _ => self.unknown(at, format!("request/{key}")),
        }
    }

    /// What the person asked.
    pub fn prompt(&mut self, at: &At<'s>, turn: reference::Turn, by_system: bool) {
        let from = if by_system { MessageType::System } else { MessageType::User };
        let user = match &at.node.data {
            // Version 1 wrote the bare text.
            Data::Text(_) => {
                let reason = self.reason(&at.place, Reason::LegacyShape);
                let said = self.say(at, "request/message", Say::of(Kind::Text, from, words::plain(at.node), reason));
                self.remember(at);
                said
            }
            _ => match at.get("text") {
                Some(text) if turn.user.is_some() && self.in_reference(&text.place) => {
                    if let Some(id) = turn.user {
                        self.keep(&text, "request/message/text", id);
                    }
                    turn.user
                }
                Some(text) => {
                    let reason = self.reason(&text.place, Reason::LegacyShape);
                    // The published rules' message still shows the text as it was.
                    if let Some(old) = turn.user {
                        self.place(old);
                    }
                    let said = self.say(
                        &text,
                        "request/message/text",
                        Say::of(Kind::Text, from, text::trim(&words::plain(text.node)), reason),
                    );
                    self.remember(&text);
                    if let (Some(old), Some(new)) = (turn.user, said) {
                        self.supersede(old, new);
                    }
                    said
                }
                None => None,
            },
        };
        if by_system && let Some(id) = user.filter(|id| !self.account.messages()[*id as usize].is_reference()) {
            self.account.message(id).role = "system-initiated".to_owned();
        }
        if at.node.str().is_some() || !self.is_of(JsonType::Object, at, "request/message") {
            return;
        }
        self.rest(at, "request/message", &["text", "parts"], &[], user);
        let whole = at.node.get("text").map(words::plain).unwrap_or_default();
        let parts = at.get("parts").filter(|parts| self.is_of(JsonType::Array, parts, "request/message/parts"));
        for part in parts.iter().flat_map(At::items) {
            // Parts repeat the prompt's text, cut up; what else they carry are references.
            let known = part.node.get_str("text").or_else(|| part.node.str());
            let id = if known.is_some_and(|t| whole.contains(t)) { user } else { None };
            if known.is_some() || !part.node.is_default() {
                self.fold(&part, "request/message/part", Reason::Metadata, id);
            }
        }
    }

    /// Marks a message as replaced by a later one.
    pub fn supersede(&mut self, old: u32, new: u32) {
        let id = self.account.messages()[new as usize].id.clone();
        let message = self.account.message(old);
        message.branch = Some(assay_model::Branch::Superseded);
        message.superseded_by = Some(id);
    }

    /// Files, images and other context handed to the model with a prompt.
    pub fn attachments(&mut self, at: &At<'s>) {
        let listed = at.get("variables");
        let of = listed.as_ref().unwrap_or(at);
        let all: Vec<(Option<&str>, At<'s>)> = match &of.node.data {
            Data::List(_) => of.items().map(|item| (None, item)).collect(),
            // Before the list there was an object of lists by variable name.
            Data::Map(_) => {
                let named = |(name, of): (&'s str, At<'s>)| {
                    let items: Vec<_> = if of.node.items().is_empty() { vec![of] } else { of.items().collect() };
                    items.into_iter().map(move |item| (Some(name), item))
                };
                of.members().flat_map(named).collect()
            }
            _ => {
                if !of.node.is_default() {
                    self.unknown(of, "request/variableData".to_owned());
                }
                Vec::new()
            }
        };
        for (name, item) in all {
            let reason = self.reason(&item.place, Reason::Attachment);
            let text = words::fields(item.node, &["name", "value"], &["id", "kind", "isFile", "isDirectory", "isImage"]);
            let text = if item.node.members().is_empty() { words::plain(item.node) } else { text };
            let text = match name {
                Some(name) if !text.is_empty() => format!("{name}\n{text}"),
                _ => text,
            };
            let tool = item.node.get_str("kind");
            self.say(
                &item,
                "request/variable",
                Say::of(Kind::Attachment, MessageType::User, text, reason).tool(tool, None),
            );
        }
        if at.node.get("variables").is_some() {
            self.rest(at, "request/variableData", &["variables"], &[], None);
        }
    }
}
