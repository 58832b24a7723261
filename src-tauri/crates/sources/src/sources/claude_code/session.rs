//! A transcript being read: what is remembered from record to record, and what is said at its end.

use super::blocks::Said;
use super::bodies::{self, Bodies};
use super::discovery::Hint;
use super::kinds::{self, Field, RecordKind};
use super::line::Line;
use super::queue::{Queue, hash};
use super::render;
use super::tree::{Node, Step, Tree, replay_key};
use crate::account::base_name;
use crate::readers::json::{Tape, Value};
use crate::{Account, Evidence, Fate, MessageId, Record};
use assay_model::{
    Branch, Candidate, Link, Locator, Message, MessageType, NoticeCode, Reason, Relation, Timestamp, When,
};
use std::collections::{BTreeMap, HashMap};

/// A state up to this length, in characters, is shown whole beside its entry; a longer one is kept.
const STATE: usize = 200;

/// Major and minor version of the newest transcripts that this parser was written from.
const KNOWN_VERSION: (u32, u32) = (2, 1);

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
    /// Calls by id.
    pub calls: HashMap<String, Call>,
    /// The latest message of each answer, to know a snapshot that a later line repeats.
    pub answers: HashMap<String, MessageId>,
    /// Recovered messages by what makes them equal.
    copies: HashMap<u64, MessageId>,
    /// State that was said, by its field and text.
    said: HashMap<u64, MessageId>,
    repeats: HashMap<String, u32>,
    titles: [Option<String>; 4],
    summaries: Vec<(String, Option<String>)>,
    sessions: BTreeMap<String, u64>,
    first_session: Option<String>,
    forked_from: BTreeMap<String, u64>,
    cwds: Vec<String>,
    branches: Vec<String>,
    versions: Vec<String>,
    /// Whether folder and branch come from a message, as the published rules have it.
    stated: (bool, bool),
}

impl<'e> Session<'e> {
    /// Nothing read yet.
    pub fn new(candidate: &Candidate, evidence: &'e Evidence) -> Self {
        Self {
            hint: serde_json::from_value(candidate.hint.clone()).unwrap_or_default(),
            tree: Tree::default(),
            queue: Queue::default(),
            bodies: Bodies::of(&evidence.consulted),
            calls: HashMap::new(),
            answers: HashMap::new(),
            copies: HashMap::new(),
            said: HashMap::new(),
            repeats: HashMap::new(),
            titles: [const { None }; 4],
            summaries: Vec::new(),
            sessions: BTreeMap::new(),
            first_session: None,
            forked_from: BTreeMap::new(),
            cwds: Vec::new(),
            branches: Vec::new(),
            versions: Vec::new(),
            stated: (false, false),
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
        if repeated {
            account.notice(NoticeCode::DuplicateOf, format!("uuid {}", line.base), Some(record.locator.clone()));
        }
        self.context(account, &line, said && uuid.is_some() && !untyped);
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
    fn base(&mut self, uuid: Option<&str>, repeated: bool, kind: &str, locator: &Locator) -> String {
        match (uuid, locator) {
            (Some(uuid), _) if !repeated => uuid.to_owned(),
            (Some(uuid), _) => {
                let times = self.repeats.entry(uuid.to_owned()).or_insert(1);
                *times += 1;
                format!("{uuid}~{times}")
            }
            (None, Locator::Bytes { byte_start, .. }) => format!("{kind}@{byte_start}"),
            (None, Locator::Row { .. }) => kind.to_owned(),
        }
    }

    /// Which session, folder, branch and version a record belongs to.
    fn context(&mut self, account: &mut Account, line: &Line<'_>, reference: bool) {
        let text = |key: &str| line.value.get(key).and_then(Value::non_empty);
        let graph = line.value.get("parentUuid").is_some() || reference;
        if let Some(session) = line.value.get_any(&["sessionId", "session_id"]).and_then(Value::non_empty) {
            if self.first_session.is_none() {
                self.first_session = Some(session.to_string());
            }
            if graph {
                match self.sessions.get_mut(&*session) {
                    Some(records) => *records += 1,
                    None => drop(self.sessions.insert(session.into_owned(), 1)),
                }
            }
        }
        if let Some(cwd) = text("cwd") {
            if account.cwd.is_none() || (reference && !self.stated.0) {
                account.cwd = Some(cwd.to_string());
                self.stated.0 = reference;
            }
            if !self.cwds.iter().any(|known| **known == *cwd) {
                if !self.cwds.is_empty() {
                    account.notice(NoticeCode::CwdChanged, cwd.to_string(), Some(line.locator.clone()));
                }
                self.cwds.push(cwd.into_owned());
            }
        }
        if let Some(branch) = text("gitBranch") {
            if account.git_branch.is_none() || (reference && !self.stated.1) {
                account.git_branch = Some(branch.to_string());
                self.stated.1 = reference;
            }
            if !self.branches.iter().any(|known| **known == *branch) {
                if !self.branches.is_empty() {
                    let detail = format!("gitBranch {branch}");
                    account.notice(NoticeCode::CwdChanged, detail, Some(line.locator.clone()));
                }
                self.branches.push(branch.into_owned());
            }
        }
        if let Some(slug) = text("slug").filter(|_| reference && self.titles[2].is_none()) {
            self.titles[2] = Some(slug.into_owned());
        }
        if let Some(version) = text("version") {
            if account.tool_version.as_deref() != Some(&*version) {
                account.tool_version = Some(version.to_string());
            }
            if !self.versions.iter().any(|v| **v == *version) {
                if newer(&version) {
                    account.notice(NoticeCode::UnknownVersion, version.to_string(), Some(line.locator.clone()));
                }
                self.versions.push(version.into_owned());
            }
        }
        if let Some(from) = line.value.path(&["forkedFrom", "sessionId"]).and_then(Value::non_empty) {
            *self.forked_from.entry(from.into_owned()).or_default() += 1;
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
                        self.state(account, line, &render::pointer("", &key), &key, text, Reason::Metadata);
                    }
                }
                None if value.is_default() => {}
                None => self.unknown(account, line, &render::pointer("", &key), &key, value),
            }
        }
    }

    /// Keeps something unknown raw; said again, it is a copy.
    pub fn unknown(&mut self, account: &mut Account, line: &mut Line<'_>, pointer: &str, name: &str, value: Value<'_>) {
        let raw = value.raw_text();
        let kind = line.kind_of(name);
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
        let bytes = message.content.len();
        let (id, fate) = self.once(account, line, message);
        account.block(line.entry, pointer, line.kind_of(name), bytes, fate);
        id
    }

    /// As [`Session::keep`], for a message that several blocks make up.
    pub fn once(&mut self, account: &mut Account, line: &Line<'_>, message: Message) -> (MessageId, Fate) {
        let record = line.base.split('~').next().unwrap_or("");
        let scope = message.tool_call_id.as_deref().unwrap_or(record);
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
                    message.locator = Locator::Bytes {
                        file: file.file.clone(),
                        byte_start: 0,
                        byte_end: file.bytes,
                        line: 1,
                        pointer: None,
                    };
                }
                message.tool_call_id = call.map(str::to_owned);
                let id = account.push(message);
                self.bodies.show(name.to_owned(), id);
            }
            None => account.notice(NoticeCode::BodyMissing, name, Some(line.locator.clone())),
        }
    }

    /// A title; an empty one takes the earlier one back.
    pub fn title(&mut self, rank: usize, title: &str, leaf: Option<String>) {
        let title = Some(title.to_owned()).filter(|t| !t.is_empty());
        match (rank, title) {
            (3, Some(title)) => self.summaries.push((title, leaf)),
            (rank, title) => self.titles[rank] = title,
        }
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
        self.tree.add(Node {
            uuid,
            parent: parent.or_else(logical),
            step,
            sidechain: flag("isSidechain"),
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
        self.queue.settle(account);
        if self.sessions.len() > 1 {
            let counts: Vec<_> = self.sessions.iter().map(|(id, n)| format!("{id} {n}")).collect();
            account.notice(NoticeCode::MixedSessions, counts.join(", "), None);
        }
        for (from, records) in &self.forked_from {
            let link = Link { relation: Relation::Fork, conversation: from.clone(), tool_call_id: None };
            account.links.push(link);
            account.notice(NoticeCode::Replay, format!("{from} {records}"), None);
        }
        if let Some(twin) = self.hint.twin.take() {
            account.notice(NoticeCode::DuplicateOf, format!("id {twin}"), None);
            account.links.push(Link { relation: Relation::Copy, conversation: twin, tool_call_id: None });
        }
        let about = self.sub_agent(account, candidate, evidence);
        let summary = self.summaries.iter().rev().find(|(_, leaf)| leaf.as_ref().is_some_and(|l| self.tree.contains(l)));
        self.titles[3] = summary.map(|(title, _)| title.clone()).or(about);
        account.slug = self.titles.iter_mut().find_map(Option::take);
        match &account.cwd {
            Some(cwd) => account.project_name = base_name(cwd).to_owned(),
            None => account.notice(NoticeCode::PathUnresolved, candidate.project_dir.clone(), None),
        }
    }

    /// Links a sub-agent to the conversation that started it. Returns what it was started for.
    fn sub_agent(&self, account: &mut Account, candidate: &Candidate, evidence: &Evidence) -> Option<String> {
        let file = candidate.file_path.file_name().map(|n| n.to_string_lossy()).unwrap_or_default();
        if self.hint.parent.is_none() && !file.starts_with("agent-") {
            return None;
        }
        let mut tape = Tape::new();
        let about = evidence.consulted.iter().find(|f| f.file.ends_with(".meta.json"));
        let bytes = about.and_then(|f| f.read_all().ok()).unwrap_or_default();
        let meta = tape.read_whole(&bytes).ok();
        let text = |key: &str| meta.and_then(|m| m.get(key)).and_then(Value::non_empty).map(|t| t.into_owned());
        let session = self.hint.parent.clone().or_else(|| self.first_session.clone());
        if let Some(parent) = text("parentAgentId").map(|agent| format!("agent-{agent}")).or(session) {
            let tool_call_id = text("toolUseId");
            account.links.push(Link { relation: Relation::SubAgent, conversation: parent, tool_call_id });
        }
        if account.cwd.is_none() {
            account.cwd = text("worktreePath");
        }
        text("description").or_else(|| text("name"))
    }
}

/// The strings of an array, or the one string.
fn strings(value: Option<Value<'_>>) -> Vec<String> {
    let Some(value) = value else { return Vec::new() };
    value.items().chain(Some(value)).filter_map(Value::non_empty).map(|s| s.into_owned()).collect()
}

/// Whether a version is of a line that this parser does not know.
fn newer(version: &str) -> bool {
    let mut parts = version.split('.').map(|p| p.parse::<u32>().ok());
    match (parts.next().flatten(), parts.next().flatten()) {
        (Some(major), Some(minor)) => (major, minor) > KNOWN_VERSION,
        _ => false,
    }
}

/// The base name of a body that a text or a path names.
pub(super) fn body_name(text: &str, is_path: bool) -> Option<&str> {
    if is_path { bodies::base(text) } else { bodies::set_aside(text) }
}
