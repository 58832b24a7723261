//! What the fields of a session and of its requests are, and the walk over them: the state as it
//! stands, then what went on the way, then what could not be applied.
//!
//! Deliberately absent: response parts (`response.rs`) and what the model's side recorded (`metadata.rs`).

use super::fields::{FOLDED, HANDLED, KNOWN_VERSION, REQUEST_FOLDED, REQUEST_HANDLED, STATES};
use super::log::Session;
use super::metadata::Facts;
use super::reference;
use super::state::{At, Data, Node, Step};
use super::teller::{Mode, Say, Slot, Teller};
use super::words;
use crate::Account;
use assay_model::{Kind, Link, MessageType, NoticeCode, Reason, Relation, Timestamp, text};

/// Tells a session into the account.
pub(super) fn tell(account: &mut Account, session: &Session, index_title: Option<String>) {
    let state = &session.state;
    let root = At { state, node: &state.root, place: state.root_place() };
    describe(account, &root, index_title);
    let mut teller = Teller::new(account, session);
    teller.walk(&[], &root, Mode::Live);
    // The latest first: an earlier version of a text that went on growing is found in the later one.
    for (i, gone) in state.removed.iter().enumerate().rev() {
        teller.sequence = i;
        let at = At { state, node: &gone.node, place: gone.place.clone() };
        teller.walk(&gone.path, &at, Mode::Gone);
    }
    for change in &session.unapplied {
        let at = At { state, node: &change.node, place: change.place.clone() };
        teller.walk(&change.path, &at, Mode::Unplaced);
    }
    teller.finish();
}

/// What is known about the session as a whole.
fn describe(account: &mut Account, root: &At<'_>, index_title: Option<String>) {
    let title = |key: &str| root.node.get_str(key).map(str::to_owned);
    account.slug = title("customTitle").or(index_title).or_else(|| title("computedTitle"));
    account.created_at = root.node.get("creationDate").and_then(Node::f64).and_then(Timestamp::from_number).map(|t| t.0);
    let folder = root.node.get("workingDirectory").map(words::plain).filter(|f| !f.is_empty());
    account.cwd = folder.or_else(|| (!account.project_dir.is_empty()).then(|| account.project_dir.clone()));
    if let Some(repo) = root.node.get("repoData") {
        account.git_branch = ["branch", "localBranch", "headBranch"].iter().find_map(|k| repo.get_str(k)).map(str::to_owned);
    }
    if let Some(version) = root.node.get("version").and_then(Node::f64).filter(|v| *v > KNOWN_VERSION) {
        account.notice(NoticeCode::UnknownVersion, version.to_string(), None);
    }
}

impl<'s> Teller<'_, 's> {
    /// Tells what stands at `path` of the session.
    pub fn walk(&mut self, path: &[Step], at: &At<'s>, mode: Mode) {
        self.mode = mode;
        let (first, rest) = match path.split_first() {
            None => return self.session_fields(at),
            Some(split) => split,
        };
        if !first.is("requests") {
            return self.session_field(first, rest, at);
        }
        let Some((index, rest)) = rest.split_first() else { return self.requests(at) };
        let index = index.index().unwrap_or(0);
        self.begin_part(index);
        match rest {
            [] => self.request(index, at),
            [field] if field.is("response") => {
                let turn = self.turn(&at.place);
                self.parts(&at.items().collect::<Vec<_>>(), turn, &mut Facts::default());
            }
            [field, _] if field.is("response") => {
                let turn = self.turn(&at.place);
                self.parts(std::slice::from_ref(at), turn, &mut Facts::default());
            }
            [field] if field.is("message") => self.prompt(at, self.turn(&at.place), false),
            [field] if field.is("variableData") => self.attachments(at),
            [field] if field.is("result") => self.result(at, &mut Facts::of_result(at), reference::Turn::default()),
            [field] => self.request_field(field, at),
            [field, ..] => self.inner(field, at),
        }
    }

    /// Sets where and when a change to part of a request belongs.
    fn begin_part(&mut self, index: usize) {
        self.slot = if self.mode == Mode::Unplaced { Slot::UNPLACED } else { Slot(Slot::turn(index, self.mode).0, 2) };
        let state = &self.session.state;
        let root = At { state, node: &state.root, place: state.root_place() };
        let live = root.get("requests").and_then(|r| r.items().nth(index));
        self.when = match live.and_then(|live| Some((self.record(&live.place)?, live))) {
            Some((record, live)) if live.get("timestamp").is_some_and(|t| t.node.f64().is_some()) => {
                reference::answer_time(reference::time(self.account, record, &live))
            }
            _ => assay_model::When::MISSING,
        };
    }

    fn session_fields(&mut self, at: &At<'s>) {
        self.slot = Slot(0, 0);
        if let Some(requests) = at.get("requests") {
            self.requests(&requests);
        }
        self.when = assay_model::When::MISSING;
        self.slot = Slot::DRAFT;
        if let Some(queue) = at.get("pendingRequests") {
            self.queue(&queue);
        }
        if let Some(input) = at.get("inputState") {
            self.draft(&input);
        }
        self.slot = Slot::UNPLACED;
        self.rest(at, "session", HANDLED, FOLDED, None);
    }

    /// A change to something other than the requests.
    fn session_field(&mut self, first: &Step, rest: &[Step], at: &At<'s>) {
        self.when = assay_model::When::MISSING;
        self.slot = if self.mode == Mode::Unplaced { Slot::UNPLACED } else { Slot::DRAFT };
        let Step::Key(key) = first else { return self.unknown(at, "session".to_owned()) };
        match (&**key, rest) {
            ("pendingRequests", []) => self.queue(at),
            ("pendingRequests", [_]) => self.queued(at),
            ("inputState", []) => self.draft(at),
            ("inputState", [field]) if field.is("inputText") => {
                self.draft_text(at);
            }
            ("inputState" | "pendingRequests", _) => self.fold(at, format!("session/{key}"), Reason::Metadata, None),
            ("sessionId" | "version" | "creationDate", _) => {}
            (key, _) if FOLDED.contains(&key) && self.mode != Mode::Unplaced => {
                self.fold(at, format!("session/{key}"), Reason::Metadata, None);
            }
            (key, _) if FOLDED.contains(&key) => {
                let reason = self.reason(&at.place, Reason::LaterPatch);
                self.say(at, format!("session/{key}"), Say::event(format!("{key}: {}", words::plain(at.node)), reason));
            }
            (key, _) => self.unknown(at, format!("session/{key}")),
        }
    }

    fn requests(&mut self, at: &At<'s>) {
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

    fn request(&mut self, index: usize, at: &At<'s>) {
        let Some(record) = self.record(&at.place) else { return };
        if at.node.members().is_empty() {
            if !at.node.is_default() {
                self.unknown(at, "request".to_owned());
            }
            return;
        }
        self.slot = if self.mode == Mode::Unplaced { Slot::UNPLACED } else { Slot::turn(index, self.mode) };
        let turn = self.adopt(at);
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
    fn adopt(&mut self, at: &At<'s>) -> reference::Turn {
        let turn = self.turn(&at.place);
        self.adopted = false;
        if self.mode != Mode::Live || self.in_reference(&at.place) || self.session.unseen.is_some() {
            return turn;
        }
        let Some(id) = at.node.get_str("requestId") else { return turn };
        let same_prompt = |text| self.unplaced(id).filter(|(_, m)| m.content == text).map(|(id, _)| id);
        let user = reference::prompt(at).and_then(same_prompt);
        let assistant = reference::answer(at).and_then(|answer| {
            let (id, message) = self.unplaced(&format!("resp-{id}"))?;
            let same = message.content == answer.content && message.thinking == answer.thinking;
            same.then_some((id, answer.texts))
        });
        self.adopted = user.is_some() || assistant.is_some();
        reference::Turn { user, assistant: assistant.map(|a| a.0), texts: assistant.map_or(0, |a| a.1) }
    }

    /// One field of a request, by itself.
    fn request_field(&mut self, field: &Step, at: &At<'s>) {
        let Step::Key(key) = field else { return self.unknown(at, "request".to_owned()) };
        if at.node.is_default() && !matches!(&**key, "modelState" | "shouldBeRemovedOnSend") {
            return;
        }
        let name = format!("request/{key}");
        match &**key {
            "responseErrorDetails" | "errorDetails" => self.error(at),
            "codeCitations" => {
                for citation in at.items() {
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
    fn inner(&mut self, field: &Step, at: &At<'s>) {
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
    fn prompt(&mut self, at: &At<'s>, turn: reference::Turn, by_system: bool) {
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
        if at.node.members().is_empty() {
            return;
        }
        self.rest(at, "request/message", &["text", "parts"], &[], user);
        let whole = at.node.get("text").map(words::plain).unwrap_or_default();
        for part in at.get("parts").iter().flat_map(At::items) {
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
    fn attachments(&mut self, at: &At<'s>) {
        let all: Vec<At<'s>> = match at.get("variables") {
            Some(list) => list.items().collect(),
            // Before the list there was an object of lists by variable name.
            None => at.members().map(|(_, v)| v).collect(),
        };
        for item in all {
            let reason = self.reason(&item.place, Reason::Attachment);
            let text = words::fields(item.node, &["name", "value"], &["id", "kind", "isFile", "isDirectory", "isImage"]);
            let text = if item.node.members().is_empty() { words::plain(item.node) } else { text };
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

    /// What went wrong.
    pub fn error(&mut self, at: &At<'s>) {
        let reason = self.reason(&at.place, Reason::ErrorRecord);
        let text = words::fields(at.node, &["message"], &[]);
        let text = if at.node.members().is_empty() { words::plain(at.node) } else { text };
        self.say(at, "request/errorDetails", Say::event(text, reason));
    }

    fn queue(&mut self, at: &At<'s>) {
        for item in at.items() {
            self.queued(&item);
        }
    }

    /// A prompt that waits for its turn.
    fn queued(&mut self, at: &At<'s>) {
        if self.mode != Mode::Unplaced {
            self.slot = Slot::QUEUE;
        }
        let reason = self.reason(&at.place, Reason::QueuedPrompt);
        let reason = if matches!(reason, Reason::LaterPatch) { Reason::QueuedPrompt } else { reason };
        let Some(request) = at.get("request") else {
            return self.unknown(at, "session/pendingRequest".to_owned());
        };
        if let Some(record) = self.record(&request.place) {
            self.when = reference::time(self.account, record, &request);
        }
        let message = request.get("message");
        let said = match message.as_ref().and_then(|m| if m.node.str().is_some() { Some(m.clone()) } else { m.get("text") }) {
            Some(text) => {
                let say = Say::of(Kind::Draft, MessageType::User, words::plain(text.node), reason);
                self.say(&text, "pendingRequest/message", say)
            }
            None => None,
        };
        if let Some(variables) = request.get("variableData") {
            self.attachments(&variables);
        }
        self.rest(&request, "pendingRequest", &["requestId", "timestamp", "message", "variableData"], REQUEST_FOLDED, said);
        if let Some(parts) = message.and_then(|m| m.get("parts")).filter(|p| !p.node.is_default()) {
            self.fold(&parts, "pendingRequest/message/parts", Reason::Metadata, said);
        }
        self.rest(at, "pendingRequest", &["id", "request"], &["kind", "sendOptions"], said);
    }

    /// The input box: text that was never sent, and how it was set up.
    fn draft(&mut self, at: &At<'s>) {
        let said = at.get("inputText").and_then(|text| self.draft_text(&text));
        let known = ["attachments", "mode", "selectedModel", "selections", "contrib", "permissionLevel"];
        self.rest(at, "inputState", &["inputText"], &known, said);
    }

    fn draft_text(&mut self, at: &At<'s>) -> Option<u32> {
        self.when = assay_model::When::MISSING;
        if self.mode != Mode::Unplaced {
            self.slot = Slot::DRAFT;
        }
        let reason = match self.reason(&at.place, Reason::UnsentDraft) {
            Reason::LaterPatch => Reason::UnsentDraft,
            other => other,
        };
        let said =
            self.say(at, "inputState/inputText", Say::of(Kind::Draft, MessageType::User, words::plain(at.node), reason));
        self.remember(at);
        said
    }

    /// A separate session that a sub-agent's call names.
    pub fn link(&mut self, conversation: String, call: Option<&str>) {
        let link = Link { relation: Relation::SubAgent, conversation, tool_call_id: call.map(str::to_owned) };
        if !self.account.links.contains(&link) {
            self.account.links.push(link);
        }
    }
}
