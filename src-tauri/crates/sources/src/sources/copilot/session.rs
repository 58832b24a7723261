//! What the fields of a session are, and the walk over them: the state as it stands, then what went on the
//! way, then what could not be applied.
//!
//! Deliberately absent: requests (`request.rs`) and what is inside them.

use super::fields::{FOLDED, HANDLED, KNOWN_VERSION, REQUEST_FOLDED};
use super::log::Session;
use super::metadata::Facts;
use super::reference;
use super::node::{Data, Node};
use super::state::{At, Step};
use super::teller::{Mode, Say, Slot, Teller};
use super::words;
use crate::readers::json::{JsonType, Tape, Value};
use crate::{Account, EvidenceFile, Fate, Row};
use assay_model::{Kind, Link, Message, MessageType, NoticeCode, Reason, Relation, Timestamp};

/// Tells a session, and the files beside it, into the account.
pub(super) fn tell(account: &mut Account, session: &Session, index_title: Option<String>, beside: &[EvidenceFile]) {
    let state = &session.state;
    let root = At { state, node: &state.root, place: state.root_place() };
    describe(account, &root, index_title);
    let mut teller = Teller::new(account, session);
    teller.walk(&[], &root, Mode::Live);
    // The latest first: an earlier version of a text that went on growing is found in the later one.
    for (i, gone) in state.removed.iter().enumerate().rev() {
        teller.sequence = i;
        match (gone.path.as_slice(), gone.cut) {
            ([field, index], Some(from)) if field.is("requests") => {
                teller.cut_off(from, index.index().unwrap_or(from).max(from), i);
            }
            // All turns that there were went, and those before them have nothing to do with later cuts.
            ([], _) => teller.forget_cuts(),
            ([field], _) if field.is("requests") => teller.forget_cuts(),
            _ => {}
        }
        let at = At { state, node: &gone.node, place: gone.place.clone() };
        teller.walk(&gone.path, &at, Mode::Gone);
    }
    for change in &session.unapplied {
        let at = At { state, node: &change.node, place: change.place.clone() };
        match &change.path {
            Some(path) => teller.walk(path, &at, Mode::Unplaced),
            None => teller.keep_raw(&at, "log/v".to_owned()),
        }
    }
    for (place, name, node) in &session.beside {
        let at = At { state, node, place: place.clone() };
        teller.keep_raw(&at, format!("log/{name}"));
    }
    for file in beside {
        teller.beside(file);
    }
    teller.finish();
}

/// Tells what stood in the input box of a session on its way to another window. It comes last.
pub(super) fn tell_typed(account: &mut Account, row: &Row) {
    let fate = Fate::Dropped(Reason::BlankLine);
    let entry = account.record(row.locator(), "transfer/inputValue", row.bytes().len() as u64, fate);
    let mut tape = Tape::new();
    let Some(typed) = tape.read_whole(row.bytes()).ok().and_then(Value::str) else {
        let id = account.unknown(entry, "transfer/inputValue", &String::from_utf8_lossy(row.bytes()));
        return account.timeline.iter_mut().for_each(|timeline| timeline.push(id));
    };
    let locator = account.locator(entry).clone();
    let (from, reason) = (MessageType::User, Reason::UnsentDraft);
    let id = account.push(Message::recovered("inputValue", from, Kind::Draft, typed, reason, locator));
    account.refate(entry, Fate::Recovered(id));
    account.timeline.iter_mut().for_each(|timeline| timeline.push(id));
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
    /// Keeps raw what says nothing about where it belongs.
    fn keep_raw(&mut self, at: &At<'s>, name: String) {
        self.mode = Mode::Unplaced;
        self.slot = Slot::UNPLACED;
        self.when = assay_model::When::MISSING;
        self.unknown(at, name);
    }

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
            [field] if field.is("response") && self.is_of(JsonType::Array, at, "request/response") => {
                let turn = self.turn(&at.place);
                self.parts(&at.items().collect::<Vec<_>>(), turn, &mut Facts::default());
            }
            [field] if field.is("response") => {}
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
        match self.mode {
            Mode::Unplaced => self.slot = Slot::UNPLACED,
            Mode::Gone => {
                if self.begin_gone(index) {
                    // The turn that is there now is another one, and so is its time.
                    self.when = assay_model::When::MISSING;
                    return;
                }
                self.slot.1 = 2;
            }
            Mode::Live | Mode::Undone => self.slot = Slot(Slot::turn(index, self.mode).0, 2),
        }
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
        if at.node.members().is_empty() && !at.node.is_default() {
            // Where a session would stand, something that is none.
            return self.keep_raw(at, "session".to_owned());
        }
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

    /// What went wrong.
    pub fn error(&mut self, at: &At<'s>) {
        let reason = self.reason(&at.place, Reason::ErrorRecord);
        let text = words::fields(at.node, &["message"], &[]);
        let text = if at.node.members().is_empty() { words::plain(at.node) } else { text };
        self.say(at, "request/errorDetails", Say::event(text, reason));
    }

    fn queue(&mut self, at: &At<'s>) {
        if !self.is_of(JsonType::Array, at, "session/pendingRequests") {
            return;
        }
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
        let Some(request) = at.get("request").filter(|request| matches!(request.node.data, Data::Map(_))) else {
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
        if let Some(message) = message.as_ref().filter(|m| m.node.str().is_none())
            && self.is_of(JsonType::Object, message, "pendingRequest/message")
        {
            self.rest(message, "pendingRequest/message", &["text", "parts"], &[], said);
        }
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
        if !self.is_of(JsonType::Object, at, "session/inputState") {
            return;
        }
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
