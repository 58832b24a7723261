//! One session: its head, its messages by the published rules, what lies beside it, its copies.

use super::message::{self, Parts, Part};
use super::extras;
use super::store::{self, Family};
use crate::readers::json::{JsonType, Tape, Value};
use crate::account::base_name;
use crate::{Account, EntryId, Evidence, EvidenceFile, Fate, MessageId, ReferenceOrder, Row};
use assay_model::{Branch, Candidate, Kind, Locator, Message, MessageType, NoticeCode, Reason, Timestamp, When, text};
use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

/// Fills the account of a session that is only named: what is said about it, and that it is nowhere to be read.
pub(super) fn named(evidence: &Evidence, account: &mut Account) {
    for row in &evidence.rows {
        fact(row, account);
    }
    account.notice(NoticeCode::BodyMissing, "messages", None);
}

/// Something that is said about a session.
fn fact(row: &Row, account: &mut Account) {
    let fate = Fate::Folded(Reason::Metadata, None);
    let entry = account.record(row.locator(), "session-fact", row.bytes().len() as u64, fate);
    account.excerpt(entry, &String::from_utf8_lossy(row.bytes()));
}

/// Fills the account of a session.
pub(super) fn session(candidate: &Candidate, evidence: &Evidence, account: &mut Account) {
    account.reference_order = ReferenceOrder::AsPushed;
    let mut session = Session {
        account,
        id: &candidate.id,
        clock: None,
        used: HashSet::new(),
        originals: HashMap::new(),
        pasted: evidence.files.iter().collect(),
    };
    let mut rows = evidence.rows.as_slice();
    let mut places = 0;
    while let Some((row, rest)) = rows.split_first() {
        let key = store::split_key(row.key.as_deref().unwrap_or("")).0;
        match Family::of(key) {
            Some(Family::Sessions) => {
                let below = format!("{}/", row.key.as_deref().unwrap_or(""));
                let belongs = |r: &&Row| r.file == row.file && r.key.as_deref().is_some_and(|k| k.starts_with(&below));
                let count = rest.iter().take_while(belongs).count();
                session.place(row, &rest[..count], places > 0);
                places += 1;
                rows = &rest[count..];
            }
            Some(family @ (Family::Draft | Family::Suggestion)) => {
                super::loose::unsent(row, family, session.account);
                rows = rest;
            }
            Some(Family::Facts | Family::Last | Family::History) | None => {
                fact(row, session.account);
                rows = rest;
            }
        }
    }
    let Session { account, pasted, .. } = session;
    pasted.into_iter().for_each(|file| super::loose::pasted(file, account));
}

struct Session<'a> {
    account: &'a mut Account,
    id: &'a str,
    /// The next time that a message may have; the published rules let no message be earlier.
    clock: Option<Timestamp>,
    /// Ids given so far: one turn id may stand on several messages.
    used: HashSet<String>,
    /// The bytes of the head and of the messages, to know their copies, with the message that each became.
    originals: HashMap<Vec<u8>, Option<MessageId>>,
    /// Files with pasted content whose message was not met yet.
    pasted: Vec<&'a EvidenceFile>,
}

impl Session<'_> {
    /// Reads one place that the session stands in.
    fn place(&mut self, head: &Row, messages: &[Row], copy: bool) {
        self.head(head, messages.len(), copy);
        let mut tapes: Vec<Tape> = messages.iter().map(|_| Tape::new()).collect();
        let mut opened = Vec::new();
        for (row, tape) in messages.iter().zip(&mut tapes) {
            let bytes = row.bytes().len() as u64;
            let entry = self.account.record(row.locator(), "message", bytes, Fate::Dropped(Reason::EmptyMessage));
            if let Some(original) = self.originals.get(row.bytes()).filter(|_| copy) {
                self.account.refate(entry, Fate::Folded(Reason::Duplicate, *original));
                continue;
            }
            if let Ok(value) = tape.read_whole(row.bytes()) {
                self.account.repaired(&row.locator(), value.repairs());
                opened.push((entry, row, value));
            }
            if !copy {
                self.originals.insert(row.bytes().to_vec(), None);
            }
        }
        let turn = |value: Value<'_>| value.get("turnIndex").and_then(Value::f64).unwrap_or(0.0);
        opened.sort_by(|a, b| turn(a.2).partial_cmp(&turn(b.2)).unwrap_or(Ordering::Equal));
        for (entry, row, value) in opened {
            let first = self.account.messages().len();
            self.message(entry, row, value, copy);
            if !copy && self.account.messages().len() > first {
                self.originals.insert(row.bytes().to_vec(), Some(first as MessageId));
            }
        }
    }

    /// What is known about the session, but its messages.
    fn head(&mut self, row: &Row, messages: usize, copy: bool) {
        let bytes = row.bytes().len() as u64;
        let same = copy && self.originals.contains_key(row.bytes());
        let fate = if same { Fate::Folded(Reason::Duplicate, None) } else { Fate::Folded(Reason::Metadata, None) };
        let entry = self.account.record(row.locator(), "session", bytes, fate);
        if copy {
            self.account.notice(NoticeCode::DuplicateOf, row.file.to_string(), Some(row.locator()));
        }
        let mut tape = Tape::new();
        let Ok(value) = tape.read_whole(row.bytes()) else { return };
        if !copy {
            self.originals.insert(row.bytes().to_vec(), None);
            self.account.repaired(&row.locator(), value.repairs());
            self.know(value, row, messages);
        } else if same {
            return;
        }
        for field in message::fields(value, message::SESSION_IDS, message::SESSION_FACTS) {
            self.field(entry, field, "session", None);
        }
    }

    /// Takes over what the head says about the session.
    fn know(&mut self, value: Value<'_>, row: &Row, messages: usize) {
        let title = value.get_any(&["title", "name"]).and_then(Value::str);
        self.account.slug = title.map(|t| text::trim(&t).to_owned()).filter(|t| !t.is_empty());
        if value.get("createdAt").is_some_and(|at| at.kind() == JsonType::Number) {
            self.clock = self.account.time(value.get("createdAt"), &row.locator()).at();
            self.account.created_at = self.clock;
        }
        if let Some(version) = value.get_any(&["version", "schemaVersion"]).filter(|v| !v.is_default()) {
            self.account.notice(NoticeCode::UnknownVersion, version.raw_text(), Some(row.locator()));
        }
        if messages == 0 {
            self.account.notice(NoticeCode::BodyMissing, "messages", Some(row.locator()));
        }
        if !store::has_id(value) {
            self.account.notice(NoticeCode::Inferred, "id", Some(row.locator()));
        }
    }

    /// A field that is no content: folded where it is known, kept raw where not.
    fn field(&mut self, entry: EntryId, field: message::Field<'_>, inside: &str, owner: Option<MessageId>) {
        let raw = field.value.raw_text();
        if field.known {
            let fate = Fate::Folded(Reason::Metadata, owner);
            let block = self.account.block(entry, field.pointer, "metadata", raw.len(), fate);
            self.account.excerpt(block, &raw);
        } else {
            let text = field.value.str().unwrap_or(raw);
            let block = self.account.block(entry, field.pointer, "unknown", text.len(), Fate::Pending);
            self.account.unknown(block, format!("{inside}/{}", field.name), &text);
        }
    }

    /// One message: by the published rules what they keep, and around it what they lose.
    fn message(&mut self, entry: EntryId, row: &Row, value: Value<'_>, copy: bool) {
        if value.kind() != JsonType::Object {
            if store::has_text(value) {
                self.account.unknown(entry, "message/not-an-object", &value.raw_text());
            }
            return;
        }
        let locator = row.locator();
        let role = value.get_str("role").unwrap_or(Cow::Borrowed(""));
        self.account.set_kind(entry, format!("message/{}", if role.is_empty() { "no-role" } else { &*role }));
        let parts = Parts::of(value, &role, copy);
        let id = self.id_of(value, row, parts.is_kept());
        let own = value.get("timestamp").filter(|at| at.kind() == JsonType::Number && !at.is_default());

        let mut reference = None;
        let mut when = When::MISSING;
        if parts.is_kept() {
            when = self.running_clock(own, row);
            let kept = Message {
                role: role.to_string(),
                has_tool_use: parts.has_tool_use,
                has_code: text::has_fence(&parts.text),
                thinking: parts.thinking.clone(),
                when,
                ..Message::new(id.clone(), parts.from, parts.text.as_str(), locator.clone())
            };
            reference = Some(kept);
        } else if own.is_some() {
            when = self.account.time(own, &locator);
        }
        let around = match when {
            When::Recorded(at) if reference.is_some() => When::Derived { at, rule: "owning-message" },
            When::Recorded(_) | When::Derived { .. } => when,
            When::Synthetic { .. } => When::MISSING,
        };

        // Messages go in the order things happened, entries in the order they stand.
        let anchor = parts.anchor();
        let mut owner = None;
        let mut fates = Vec::new();
        for (i, part) in parts.list.iter().enumerate() {
            if Some(i) == anchor {
                owner = reference.take().map(|message| self.account.push(message));
            }
            fates.push(if part.kept { None } else { Some(self.lost(&id, part, &parts, around, &locator)) });
        }
        for (part, fate) in parts.list.iter().zip(fates) {
            let Some(fate) = fate.or(owner.map(Fate::Kept)) else { continue };
            let block = self.account.block(entry, part.pointer.as_str(), part.slot.name(), part.text.len(), fate);
            if let Fate::Dropped(_) = fate {
                self.account.excerpt(block, &part.text);
            }
        }
        if let (Some(owner), When::Synthetic { .. }) = (owner, when) {
            let raw = value.get("timestamp").map_or(Cow::Borrowed(""), Value::raw_text);
            let fate = Fate::Folded(Reason::SyntheticTimestamp, Some(owner));
            let block = self.account.block(entry, "/timestamp", "timestamp", raw.len(), fate);
            self.account.excerpt(block, &raw);
        }
        for extra in extras::extras(value, parts.said()) {
            extras::recover_extra(self.account, entry, &id, extra, &locator);
        }
        for (inside, field) in parts.fields {
            self.field(entry, field, inside, owner);
        }
        if !self.pasted.is_empty() {
            let named = store::Names::of(value);
            let (here, later) = self.pasted.drain(..).partition(|file| named.hold(base_name(&file.file)));
            self.pasted = later;
            let here: Vec<&EvidenceFile> = here;
            here.into_iter().for_each(|file| super::loose::pasted(file, self.account));
        }
    }

    /// What becomes of a part that the published rules lose.
    fn lost(&mut self, id: &str, part: &Part<'_>, parts: &Parts<'_>, when: When, at: &Locator) -> Fate {
        let reason = parts.reason(part);
        match reason {
            Reason::EmptyMessage => return Fate::Dropped(reason),
            Reason::Duplicate => return Fate::Folded(reason, None),
            _ => {}
        }
        let kind = part.slot.kind();
        let from = if kind == Kind::ToolResult { MessageType::System } else { parts.from };
        let place = at.at(part.pointer.as_str());
        let message = Message::recovered(format!("{id}{}", part.pointer), from, kind, &*part.text, reason, place);
        Fate::Recovered(self.account.push(Message {
            role: parts.role.clone(),
            when,
            has_code: text::has_fence(&part.text),
            tool_name: part.tool.clone(),
            tool_call_id: part.call.clone(),
            branch: parts.copy.then_some(Branch::Unplaced),
            ..message
        }))
    }

    /// The recorded time if it is later than the running clock, else the clock's.
    fn running_clock(&mut self, own: Option<Value<'_>>, row: &Row) -> When {
        let recorded = self.account.time(own, &row.locator());
        let later = recorded.at().is_some_and(|at| self.clock.is_none_or(|clock| at > clock));
        let when = if later {
            recorded
        } else if self.clock.is_some() {
            When::Synthetic { at: self.clock, rule: "running-clock" }
        } else {
            When::MISSING
        };
        self.clock = when.at().map(|at| at.plus_millis(1)).or(self.clock);
        when
    }

    /// The tool's own id, made unlike all others of the conversation. A turn's id stands on several
    /// messages: one that the published rules keep has the first claim to it.
    fn id_of(&mut self, message: Value<'_>, row: &Row, kept: bool) -> String {
        let written = |name| message.get(name).and_then(Value::non_empty);
        let turn = message.get("turnIndex").filter(|t| t.kind() == JsonType::Number);
        let place = store::split_key(row.key.as_deref().unwrap_or("")).1;
        let id = match (written("agentMessageId"), written("turnId"), turn) {
            (Some(own), _, _) => own.into_owned(),
            (None, Some(turn), _) if kept => turn.into_owned(),
            (None, None, Some(turn)) if kept => format!("{}-{}", self.id, turn.raw_text()),
            (None, _, _) => format!("{}{place}", self.id),
        };
        let mut unlike = id.clone();
        let mut n = 1;
        while !self.used.insert(unlike.clone()) {
            n += 1;
            unlike = format!("{id}#{n}");
        }
        unlike
    }
}
