//! A transcript being read: what is remembered from record to record, and what is said at its end.

use super::blocks::Said;
use super::bodies::{self, Bodies};
use super::context::{Context, Title};
use super::discovery::Hint;
use super::kinds::{self, Field, RecordKind};
use super::line::Line;
use super::queue::{Late, Queue, hash};
use super::render;
use super::sub_agents;
use super::tree::{Node, Step, Tree, replay_key};
use crate::readers::json::{Value, pointer_to};
use crate::{Account, Evidence, Fate, MessageId, Record};
use assay_model::{
    Branch, Candidate, Link, Locator, Message, MessageType, NoticeCode, Reason, Relation, Timestamp, When,
};
use foldhash::HashMap;

/// How many blocks of a record are looked at for one that says what an unknown field says.
const MANY: usize = 64;

/// A state up to this length, in characters, is shown whole beside its entry; a longer one is kept.
const STATE: usize = 200;

/// A tool call that was seen.
pub(super) struct Call {
    /// The tool.
    pub name: Option<String>,
    /// The message that shows it.
    pub message: MessageId,
    /// Hashes of the lines of its input, to know a copy of them.
    pub lines: Vec<u64>,
}

/// What is remembered while a transcript is read.
pub(super) struct Session<'e> {
    pub hint: Hint,
    pub tree: Tree,
    pub queue: Queue,
    pub bodies: Bodies<'e>,
    /// What each tool said last while it ran.
    pub steps: HashMap<String, Late>,
    /// Calls by id.
    pub calls: HashMap<String, Call>,
    /// The latest message of each answer, to know a snapshot that a later line repeats.
    pub answers: HashMap<String, MessageId>,
    /// Recovered messages by what makes them equal.
    copies: HashMap<u64, MessageId>,
    /// State that was said, by its field and text.
    said: HashMap<u64, MessageId>,
    pub context: Context,
}

impl<'e> Session<'e> {
    /// Nothing read yet.
    pub fn new(hint: Hint, evidence: &'e Evidence) -> Self {
        Self {
            hint,
            tree: Tree::default(),
            queue: Queue::default(),
            bodies: Bodies::of(&evidence.consulted),
            steps: HashMap::default(),
            calls: HashMap::default(),
            answers: HashMap::default(),
            copies: HashMap::default(),
            said: HashMap::default(),
            context: Context::default(),
        }
    }

    /// Reads one record.
    pub fn record(&mut self, account: &mut Account, record: Record<'_>) {
        let value = record.value;
        let stated = value.get_str("type").filter(|t| !t.is_empty());
        let role = value.path(&["message", "role"]).and_then(Value::str);
        let uuid = value.get_str("uuid").filter(|u| !u.is_empty()).map(std::borrow::Cow::into_owned);
        // Lines of 2024 and early 2025 have no type; who speaks is said by the message alone.
        let untyped = stated.is_none() && matches!(role.as_deref(), Some("user" | "assistant"));
        let kind = match (&stated, &role) {
            (Some(kind), _) => kind.to_string(),
            (None, Some(role)) if untyped => role.to_string(),
            (None, _) => String::new(),
        };
        let from = match kind.as_str() {
            "user" => MessageType::User,
            "assistant" => MessageType::Assistant,
            _ => MessageType::System,
        };
        let said = from != MessageType::System;
        let when = self.when(account, value, record.locator);
        let repeated = uuid.as_deref().is_some_and(|u| self.tree.contains(u));
        let mut line = Line {
            entry: record.entry,
            value,
            locator: record.locator,
            base: self.base(uuid.as_deref(), repeated, &kind, record.locator),
            kind,
            parent: value.get_str("parentUuid").filter(|p| !p.is_empty()).map(|p| p.into_owned()),
            when,
            from,
            role: role.map_or(from.code().to_owned(), |r| r.into_owned()),
            branch: None,
            made: 0,
        };
        account.set_kind(record.entry, line.kind.clone());
        self.context.read(account, &line, said && uuid.is_some() && !untyped);
        let first = account.messages().len() as MessageId;
        let outer = match (&uuid, untyped) {
            (_, true) => Some(Reason::LegacyShape),
            (None, _) => Some(Reason::NoUuid),
            (Some(_), false) => None,
        };
        let step = match kinds::find(kinds::RECORDS, &line.kind) {
            Some(RecordKind::Said) => {
                let step = self.said(account, &mut line, Said::of(value, "", outer));
                self.fields(account, &mut line);
                step
            }
            Some(other) => {
                self.told(account, &mut line, other);
                Step::Aside
            }
            None => {
                let name = if line.kind.is_empty() { "no-type".to_owned() } else { line.kind.clone() };
                self.unknown_record(account, &mut line, name);
                Step::Aside
            }
        };
        if let Some(uuid) = uuid {
            self.node(account, &line, uuid, step, first);
        }
    }

    /// A recorded time; only text is one.
    fn when(&mut self, account: &mut Account, value: Value<'_>, locator: &Locator) -> When {
        let Some(time) = value.get("timestamp").filter(|t| !t.is_null()) else { return When::MISSING };
        let when = if time.str().is_some() {
            account.time(Some(time), locator)
        } else {
            account.notice(NoticeCode::UnexpectedShape, format!("timestamp {}", time.raw_text()), Some(locator.clone()));
            When::MISSING
        };
        if account.created_at.is_none() {
            account.created_at = when.at().filter(|at: &Timestamp| at.is_sane());
        }
        when
    }

    /// The id of a record's first message, distinct in the file.
    fn base(&self, uuid: Option<&str>, repeated: bool, kind: &str, locator: &Locator) -> String {
        match (uuid, locator) {
            (Some(uuid), _) if !repeated => uuid.to_owned(),
            // With its place, which no other record shares, whatever uuids there are.
            (Some(uuid), Locator::Bytes { byte_start, .. }) => format!("{uuid}~{byte_start}"),
            (Some(uuid), Locator::Row { .. }) => uuid.to_owned(),
            (None, Locator::Bytes { byte_start, .. }) => format!("{kind}@{byte_start}"),
            (None, Locator::Row { .. }) => kind.to_owned(),
        }
    }

    /// Accounts for every field beside the body.
    pub fn fields(&mut self, account: &mut Account, line: &mut Line<'_>) {
        for (key, value) in line.value.entries() {
            match kinds::field(&key) {
                Some(Field::Structure) => {}
                Some(Field::State) => {
                    let text = render::text(value);
                    if !text.is_empty() {
                        self.state(account, line, &pointer_to("", &key), &key, text, Reason::Metadata);
                    }
                }
                None if value.is_default() => {}
                None => self.unknown(account, line, &pointer_to("", &key), &key, value),
            }
        }
    }

    /// Keeps something unknown raw; said again, it is a copy.
    pub fn unknown(&mut self, account: &mut Account, line: &mut Line<'_>, pointer: &str, name: &str, value: Value<'_>) {
        let raw = value.str().unwrap_or_else(|| value.raw_text());
        let kind = line.kind_of(name);
        let says_it = |id: &MessageId| account.messages().get(*id as usize).is_some_and(|m| m.content == raw);
        let told = account.entries_of(line.entry).take(MANY).filter_map(|(_, entry)| entry.message_index).find(says_it);
        if let Some(id) = told {
            account.block(line.entry, pointer, kind, raw.len(), Fate::Folded(Reason::Duplicate, Some(id)));
            return;
        }
        let key = hash((&kind, &*raw));
        if let Some(id) = self.said.get(&key).filter(|id| account.messages()[**id as usize].content == raw) {
            account.block(line.entry, pointer, kind, raw.len(), Fate::Folded(Reason::Duplicate, Some(*id)));
            return;
        }
        let entry = account.block(line.entry, pointer, kind.clone(), raw.len(), Fate::Pending);
        let id = account.unknown(entry, kind, &raw);
        let made = line.recovered(assay_model::Kind::Event, "", Reason::UnknownKind, pointer);
        let message = account.message(id);
        *message = Message { content: std::mem::take(&mut message.content), ..made };
        self.said.insert(key, id);
    }

    /// Keeps a whole record of a kind that is not known.
    pub fn unknown_record(&mut self, account: &mut Account, line: &mut Line<'_>, name: String) {
        let id = account.unknown(line.entry, name, &line.value.raw_text());
        let made = line.recovered(assay_model::Kind::Event, "", Reason::UnknownKind, "");
        let message = account.message(id);
        *message = Message { content: std::mem::take(&mut message.content), ..made };
    }

    /// A state of the tool: only counted if it can be shown beside its entry, else kept; said again, it is
    /// a copy.
    pub fn state(
        &mut self,
        account: &mut Account,
        line: &mut Line<'_>,
        pointer: &str,
        name: &str,
        text: String,
        reason: Reason,
    ) {
        if text.chars().nth(STATE).is_none() {
            let entry =
                account.block(line.entry, pointer, line.kind_of(name), text.len(), Fate::Folded(reason, None));
            account.excerpt(entry, &text);
            return;
        }
        let key = hash((name, &text));
        if let Some(id) = self.said.get(&key).filter(|id| account.messages()[**id as usize].content == text) {
            let fate = Fate::Folded(Reason::Duplicate, Some(*id));
            account.block(line.entry, pointer, line.kind_of(name), text.len(), fate);
            return;
        }
        let mut message = line.recovered(assay_model::Kind::Event, text, reason, pointer);
        message.message_type = MessageType::System;
        message.role = MessageType::System.code().to_owned();
        let kind = line.kind_of(name);
        let id = account.recover(line.entry, pointer, kind, message);
        self.said.insert(key, id);
    }

    /// Pushes a recovered message, unless the same was kept before: the same call or result again, or the
    /// same record again. Returns the message that holds the text.
    pub fn keep(
        &mut self,
        account: &mut Account,
        line: &Line<'_>,
        pointer: &str,
        name: &str,
        message: Message,
    ) -> MessageId {
        let record = line.base.split('~').next().unwrap_or("");
        let scope = message.tool_call_id.clone().unwrap_or_else(|| record.to_owned());
        self.keep_in(account, line, pointer, name, &scope, message)
    }

    /// As [`Session::keep`], for what is the same wherever it stands in `scope`.
    pub fn keep_in(
        &mut self,
        account: &mut Account,
        line: &Line<'_>,
        pointer: &str,
        name: &str,
        scope: &str,
        message: Message,
    ) -> MessageId {
        let bytes = message.content.len();
        let (id, fate) = self.once_in(account, scope, message);
        account.block(line.entry, pointer, line.kind_of(name), bytes, fate);
        id
    }

    /// As [`Session::keep`], for a message that several blocks make up.
    pub fn once(&mut self, account: &mut Account, line: &Line<'_>, message: Message) -> (MessageId, Fate) {
        let record = line.base.split('~').next().unwrap_or("");
        let scope = message.tool_call_id.clone().unwrap_or_else(|| record.to_owned());
        self.once_in(account, &scope, message)
    }

    fn once_in(&mut self, account: &mut Account, scope: &str, message: Message) -> (MessageId, Fate) {
        let key = hash((scope, message.kind.code(), &message.content));
        let same = |id: &MessageId| {
            let other = &account.messages()[*id as usize];
            other.kind == message.kind && other.content == message.content && !message.content.is_empty()
        };
        if let Some(id) = self.copies.get(&key).copied().filter(|id| same(id)) {
            return (id, Fate::Folded(Reason::Duplicate, Some(id)));
        }
        let id = account.push(message);
        self.copies.insert(key, id);
        (id, Fate::Recovered(id))
    }

    /// Shows a body that was set aside, or remarks that it is not there.
    pub fn body(&mut self, account: &mut Account, line: &mut Line<'_>, name: &str, call: Option<&str>) {
        if self.bodies.shown(name).is_some() {
            return;
        }
        match self.bodies.read(name) {
            Some(text) => {
                let mut message = line.recovered(assay_model::Kind::ToolResult, text, Reason::ToolResult, "");
                if let Some(file) = self.bodies.file(name) {
                    message.locator = Locator::of_file(file.file.clone(), file.bytes);
                }
                message.tool_call_id = call.map(str::to_owned);
                let id = account.push(message);
                self.bodies.show(name.to_owned(), id);
            }
            None => account.notice(NoticeCode::BodyMissing, name, Some(line.locator.clone())),
        }
    }

    /// Shows a body that a text mentions and no result was set aside in.
    fn mentioned(&mut self, account: &mut Account, name: &str) {
        let (Some(text), Some(file)) = (self.bodies.read(name), self.bodies.file(name)) else { return };
        let place = Locator::of_file(file.file.clone(), file.bytes);
        let id = format!("tool-results/{name}");
        let mut message = Message::recovered(
            id,
            MessageType::System,
            assay_model::Kind::ToolResult,
            text,
            Reason::ToolResult,
            place,
        );
        message.branch = Some(Branch::Unplaced);
        account.push(message);
    }

    fn node(&mut self, account: &Account, line: &Line<'_>, uuid: String, step: Step, first: MessageId) {
        let flag = |key: &str| line.value.get(key).and_then(Value::bool) == Some(true);
        let end = account.messages().len() as MessageId;
        let reference = account.messages()[first as usize..].iter().find(|m| m.is_reference());
        let time = line.value.get("timestamp").map_or(&[][..], Value::raw);
        let text = reference.map_or("", |m| m.content.as_str());
        let parent = line.parent.clone();
        let replay = parent.as_deref().and_then(|p| replay_key(Some(p), time, text));
        let logical = || line.value.get_str("logicalParentUuid").map(|p| p.into_owned());
        for key in ["supersedes", "supersedesUuids"] {
            for old in strings(line.value.get(key)) {
                self.tree.retracted.push((old, Branch::Superseded, Some(line.base.clone())));
            }
        }
        for old in strings(line.value.get("retractedMessageUuids")) {
            self.tree.retracted.push((old, Branch::RolledBack, None));
        }
        let parent = parent.or_else(logical);
        let sidechain = flag("isSidechain");
        self.tree.add(Node {
            uuid,
            bytes: hash(line.value.raw()),
            parent,
            step,
            sidechain,
            can_end: !flag("isMeta") && line.value.get("teamName").is_none_or(Value::is_default),
            replay,
            messages: (first, end),
            locator: line.locator.clone(),
        });
    }

    /// Says what is known only at the end.
    pub fn close(mut self, account: &mut Account, candidate: &Candidate, evidence: &Evidence) {
        self.tree.settle(account);
        for id in 0..account.messages().len() as MessageId {
            let message = &account.messages()[id as usize];
            let call = message.tool_call_id.as_ref().filter(|_| message.tool_name.is_none());
            if let Some(name) = call.and_then(|c| self.calls.get(c)).and_then(|c| c.name.clone()) {
                account.message(id).tool_name = Some(name);
            }
        }
        // A tool that was cut off has no result: what it said last is all there is of it.
        for message in account.messages().iter().filter(|m| m.kind == assay_model::Kind::ToolResult) {
            if let Some(call) = &message.tool_call_id {
                self.steps.remove(call);
            }
        }
        let mut cut_off: Vec<Late> = std::mem::take(&mut self.steps).into_values().collect();
        cut_off.sort_by_key(|late| (late.after, late.block));
        self.queue.late.extend(cut_off);
        for name in self.bodies.not_shown() {
            self.mentioned(account, &name);
        }
        self.queue.settle(account);
        if let Some(twin) = self.hint.twin.take() {
            account.notice(NoticeCode::DuplicateOf, format!("id {twin}"), None);
            account.links.push(Link { relation: Relation::Copy, conversation: twin, tool_call_id: None });
        }
        let session = self.context.first_session();
        let task = sub_agents::link(account, candidate, &self.hint, session, evidence);
        self.context.title(Title::Task, task, None);
        let background = self.context.background;
        self.context.close(account, candidate, |uuid| self.tree.contains(uuid));
        super::copies::link(account, &self.hint.peers, &self.tree, background, evidence);
    }
}

/// The strings of an array, or the one string.
fn strings(value: Option<Value<'_>>) -> Vec<String> {
    let Some(value) = value else { return Vec::new() };
    value.items().chain(Some(value)).filter_map(Value::non_empty).map(|s| s.into_owned()).collect()
}

/// The base name of a body that a text or a path names.
pub(super) fn body_name(text: &str, is_path: bool) -> Option<&str> {
    if is_path { bodies::base(text) } else { bodies::set_aside(text) }
}
