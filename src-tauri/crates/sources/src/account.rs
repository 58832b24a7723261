//! The account that a parse fills: messages, and an entry for every record and every block.
//!
//! An adapter opens a record, gives each content-bearing block of it a [`Fate`], and pushes messages in
//! source order; closing the account sets positions, made-up times and order marks by one rule for all
//! sources. Deliberately absent: what any record means.

use crate::Evidence;
use crate::EvidenceFile;
use crate::drift::{self, Known};
use crate::readers::json::{Repairs, Value, pointer_to};
use crate::readers::records::Content;
use assay_model::{
    Candidate, Disposition, FileExtent, Kind, Ledger, LedgerEntry, Link, Locator, Message, MessageType, Notice,
    NoticeCode, ParsedConversation, Reason, Timestamp, When, text,
};
use foldhash::HashMap;
use std::borrow::Cow;
use std::sync::Arc;

/// A message in the order of pushing; becomes a position when the account is closed.
pub type MessageId = u32;

/// An entry of the ledger.
pub type EntryId = usize;

/// How long an excerpt may be, in characters.
const EXCERPT: usize = 200;

/// What becomes of a record or a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// Its content is in this message of the published rules.
    Kept(MessageId),
    /// Its content is in this recovered message, whose reason is the entry's.
    Recovered(MessageId),
    /// Only a flag or metadata survives, perhaps on this message.
    Folded(Reason, Option<MessageId>),
    /// In no message.
    Dropped(Reason),
    /// Not known to this parser; the raw text is this message's content.
    Unknown(MessageId),
    /// An unfinished record of a file that is still being written.
    Pending,
}

/// In which order the published rules give the reference messages.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum ReferenceOrder {
    /// By timestamp, ties in the order of pushing.
    #[default]
    ByTimestamp,
    /// By timestamp, ties in this order.
    ByTimestampThen(Vec<MessageId>),
    /// As they were pushed.
    AsPushed,
}

/// A parse in the making. The public fields are the conversation's metadata.
#[derive(Debug)]
pub struct Account {
    /// See [`ParsedConversation::slug`].
    pub slug: Option<String>,
    /// See [`ParsedConversation::project_dir`].
    pub project_dir: String,
    /// See [`ParsedConversation::project_name`].
    pub project_name: String,
    /// See [`ParsedConversation::cwd`].
    pub cwd: Option<String>,
    /// See [`ParsedConversation::git_branch`].
    pub git_branch: Option<String>,
    /// See [`ParsedConversation::tool_version`].
    pub tool_version: Option<String>,
    /// See [`ParsedConversation::links`].
    pub links: Vec<Link>,
    /// The recorded creation of the conversation, the last resort for a missing time.
    pub created_at: Option<Timestamp>,
    /// The order of the reference messages.
    pub reference_order: ReferenceOrder,
    /// The fields that records are known to have; others are listed.
    pub known: Option<&'static Known>,
    /// Whether the record being read repeats one of another conversation, which tells everything that it says.
    pub repeats: bool,
    /// Messages in timeline order, where that is not the order of pushing.
    pub timeline: Option<Vec<MessageId>>,
    id: String,
    source: String,
    messages: Vec<Message>,
    /// With the number of the record each belongs to.
    entries: Vec<(u32, LedgerEntry)>,
    records: u32,
    notices: Vec<Notice>,
    extents: Vec<FileExtent>,
    rows: u64,
    row_bytes: u64,
}

impl Account {
    /// An empty account of a conversation that owns all files and rows of the evidence.
    pub fn new(candidate: &Candidate, evidence: &Evidence) -> Self {
        Self {
            slug: None,
            project_dir: candidate.project_dir.clone(),
            project_name: base_name(&candidate.project_dir).to_owned(),
            cwd: None,
            git_branch: None,
            tool_version: None,
            links: Vec::new(),
            created_at: None,
            reference_order: ReferenceOrder::default(),
            known: None,
            repeats: false,
            timeline: None,
            id: candidate.id.clone(),
            source: candidate.source.clone(),
            messages: Vec::new(),
            entries: Vec::new(),
            records: 0,
            notices: evidence.notices.clone(),
            extents: Vec::new(),
            rows: evidence.rows.len() as u64,
            row_bytes: evidence.rows.iter().map(|r| r.bytes().len() as u64).sum(),
        }
    }

    /// Reads a JSONL file: damage is accounted for here, each whole record is opened and handed to
    /// `visit`, which must give it its kind and its fate (or its blocks theirs).
    pub fn read_jsonl(&mut self, file: &EvidenceFile, mut visit: impl FnMut(&mut Account, Record<'_>)) {
        let mut end_of_file = 0;
        let outcome = file.records(|span| {
            end_of_file = span.end;
            let locator = Locator::Bytes {
                file: file.file.clone(),
                byte_start: span.start,
                byte_end: span.end,
                line: span.line,
                pointer: None,
            };
            let bytes = span.end - span.start;
            match span.content {
                Content::Record(value, repairs) => {
                    let entry = self.record(locator.clone(), "record", bytes, Fate::Dropped(Reason::BookkeepingRecord));
                    self.repaired(&locator, repairs);
                    self.repeats = false;
                    visit(self, Record { entry, value, locator: &locator });
                    if repairs.duplicate_keys > 0 {
                        self.keep_shadowed(entry, value);
                    }
                    if let Some(known) = self.known {
                        drift::list(self, entry, "", value, known);
                    }
                }
                Content::NotARecord(value) => {
                    let entry = self.record(locator.clone(), "not-a-record", bytes, Fate::Pending);
                    self.unknown(entry, "not-a-record", &value.raw_text());
                }
                Content::Blank => {
                    self.record(locator, "blank", bytes, Fate::Dropped(Reason::BlankLine));
                }
                Content::Nul => {
                    self.record(locator, "nul", bytes, Fate::Dropped(Reason::NulRun));
                }
                Content::Malformed { incomplete, .. } => {
                    let pending = incomplete && file.growing;
                    let fate = if pending { Fate::Pending } else { Fate::Dropped(Reason::MalformedJson) };
                    let entry = self.record(locator.clone(), "malformed", bytes, fate);
                    self.excerpt(entry, &String::from_utf8_lossy(span.bytes));
                    if incomplete && !pending {
                        self.notice(NoticeCode::TruncatedFile, "", Some(locator));
                    }
                }
                Content::TooLarge => {
                    self.record(locator, "too-large", bytes, Fate::Dropped(Reason::RecordTooLarge));
                }
            }
        });
        if let Err(error) = outcome {
            self.notice(NoticeCode::TruncatedFile, error.to_string(), None);
        }
        self.extents.push(FileExtent { file: file.file.clone(), bytes: end_of_file });
    }

    /// Accounts for a file as one record, and hands out its bytes. An empty file has no record.
    pub fn read_whole<'f>(
        &mut self,
        file: &'f EvidenceFile,
        kind: impl Into<Cow<'static, str>>,
        fate: Fate,
    ) -> Option<(Cow<'f, [u8]>, EntryId)> {
        let bytes = file.read_all().unwrap_or_else(|error| {
            self.notice(NoticeCode::TruncatedFile, format!("{}: {error}", file.file), None);
            Cow::default()
        });
        let length = bytes.len() as u64;
        self.extent(file.file.clone(), length);
        (length > 0).then(|| (bytes, self.record(Locator::of_file(file.file.clone(), length), kind, length, fate)))
    }

    /// Where a key stands more than once in an object, the last one counts; what the others say is kept too.
    fn keep_shadowed(&mut self, record: EntryId, value: Value<'_>) {
        let mut open = vec![(String::new(), value)];
        while let Some((parent, value)) = open.pop() {
            for (at, item) in value.items().enumerate() {
                open.push((format!("{parent}/{at}"), item));
            }
            let last: HashMap<_, _> = value.entries().map(|(key, member)| (key, member.span().start)).collect();
            for (key, member) in value.entries() {
                let place = pointer_to(&parent, &key);
                if last.get(&key) == Some(&member.span().start) || member.is_default() {
                    open.push((place, member));
                    continue;
                }
                self.begin_blocks(record);
                let text = member.str().unwrap_or_else(|| member.raw_text());
                if self.repeats {
                    self.block(record, place, "duplicate-key", text.len(), Fate::Folded(Reason::CopiedPrefix, None));
                    continue;
                }
                let id = format!("shadowed-{}-{}", self.entries.len(), member.span().start);
                let locator = self.entries[record].1.locator.clone();
                let kept = Message::recovered(id, MessageType::System, Kind::Event, text, Reason::Superseded, locator);
                self.recover(record, place, "duplicate-key", kept);
            }
        }
    }

    /// Before a record gets a block from outside its parser: if it has none yet, what was said of the whole is
    /// now said of its content.
    pub(crate) fn begin_blocks(&mut self, record: EntryId) {
        if self.entries_of(record).next().is_none() {
            let (number, mut whole) = self.entries[record].clone();
            whole.locator = whole.locator.at("");
            self.entries.push((number, whole));
        }
    }

    /// Whether an entry is kept raw as something that is not known.
    pub(crate) fn is_unknown(&self, entry: EntryId) -> bool {
        self.entries[entry].1.disposition == Disposition::Unknown
    }

    /// The blocks of a record that is the last one.
    pub(crate) fn entries_of(&self, record: EntryId) -> impl Iterator<Item = (EntryId, &LedgerEntry)> {
        let number = self.entries[record].0;
        let after = self.entries.iter().enumerate().skip(record + 1);
        after.filter(move |(_, (of, _))| *of == number).map(|(id, (_, entry))| (id, entry))
    }

    /// Declares a byte-addressed file that is not read by [`Account::read_jsonl`].
    pub fn extent(&mut self, file: Arc<str>, bytes: u64) {
        self.extents.push(FileExtent { file, bytes });
    }

    /// Opens a record. Its fate stands only if no block is added to it.
    pub fn record(&mut self, locator: Locator, kind: impl Into<Cow<'static, str>>, bytes: u64, fate: Fate) -> EntryId {
        self.records += 1;
        self.entry(self.records, locator, kind.into(), bytes, fate)
    }

    /// Adds a block at `pointer` of a record. `bytes` are the bytes of its content.
    pub fn block(
        &mut self,
        record: EntryId,
        pointer: impl Into<Arc<str>>,
        kind: impl Into<Cow<'static, str>>,
        bytes: usize,
        fate: Fate,
    ) -> EntryId {
        let (number, locator) = (self.entries[record].0, self.entries[record].1.locator.at(pointer));
        self.entry(number, locator, kind.into(), bytes as u64, fate)
    }

    fn entry(&mut self, record: u32, locator: Locator, kind: Cow<'static, str>, bytes: u64, fate: Fate) -> EntryId {
        let entry = LedgerEntry {
            locator,
            kind,
            disposition: Disposition::Pending,
            reason: None,
            message_index: None,
            bytes,
            excerpt: None,
        };
        self.entries.push((record, entry));
        self.refate(self.entries.len() - 1, fate);
        self.entries.len() - 1
    }

    /// Changes the fate of an entry, when what follows tells more about it.
    pub fn refate(&mut self, entry: EntryId, fate: Fate) {
        let (disposition, reason, index) = match fate {
            Fate::Kept(m) => (Disposition::Kept, None, Some(m)),
            Fate::Recovered(m) => (Disposition::Recovered, self.messages[m as usize].reason(), Some(m)),
            Fate::Folded(reason, m) => (Disposition::Folded, Some(reason), m),
            Fate::Dropped(reason) => (Disposition::Dropped, Some(reason), None),
            Fate::Unknown(m) => (Disposition::Unknown, Some(Reason::UnknownKind), Some(m)),
            Fate::Pending => (Disposition::Pending, Some(Reason::IncompleteRecord), None),
        };
        let entry = &mut self.entries[entry].1;
        entry.disposition = disposition;
        entry.reason = reason;
        entry.message_index = index;
    }

    /// Points an entry of what is in no message to the one that says so in its place.
    pub fn stands_in(&mut self, entry: EntryId, message: MessageId) {
        self.entries[entry].1.message_index = Some(message);
    }

    /// Names the kind of an entry.
    pub fn set_kind(&mut self, entry: EntryId, kind: impl Into<Cow<'static, str>>) {
        self.entries[entry].1.kind = kind.into();
    }

    /// Whether the record that was opened last is `entry` and has no block yet.
    pub fn is_bare(&self, entry: EntryId) -> bool {
        entry + 1 == self.entries.len()
    }

    /// The kind of an entry.
    pub fn kind(&self, entry: EntryId) -> &str {
        &self.entries[entry].1.kind
    }

    /// Whether there is such an entry.
    pub fn has_entry(&self, entry: EntryId) -> bool {
        entry < self.entries.len()
    }

    /// Shows the beginning of what an entry stands for; for what is in no message.
    pub fn excerpt(&mut self, entry: EntryId, content: &str) {
        self.entries[entry].1.excerpt = Some(text::excerpt(content, EXCERPT));
    }

    /// The place of an entry.
    pub fn locator(&self, entry: EntryId) -> &Locator {
        &self.entries[entry].1.locator
    }

    /// Adds a message to the timeline.
    pub fn push(&mut self, message: Message) -> MessageId {
        self.messages.push(message);
        self.messages.len() as MessageId - 1
    }

    /// Adds a recovered message and the block that it recovers, whose bytes are the message's text.
    pub fn recover(
        &mut self,
        record: EntryId,
        pointer: impl Into<Arc<str>>,
        kind: impl Into<Cow<'static, str>>,
        message: Message,
    ) -> MessageId {
        let bytes = message.content.len() + message.thinking.as_ref().map_or(0, String::len);
        let id = self.push(message);
        self.block(record, pointer, kind, bytes, Fate::Recovered(id));
        id
    }

    /// Keeps something unknown raw: an event with its text in the timeline, listed by `name`.
    pub fn unknown(&mut self, entry: EntryId, name: impl Into<Cow<'static, str>>, raw: &str) -> MessageId {
        let locator = self.entries[entry].1.locator.clone();
        let id = format!("unknown-{entry}");
        let message = Message::recovered(id, MessageType::System, Kind::Event, raw, Reason::UnknownKind, locator);
        let id = self.push(message);
        self.set_kind(entry, name);
        self.excerpt(entry, raw);
        self.refate(entry, Fate::Unknown(id));
        id
    }

    /// A message that was pushed, to change it.
    pub fn message(&mut self, id: MessageId) -> &mut Message {
        &mut self.messages[id as usize]
    }

    /// All messages in the order of pushing.
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// Adds a remark.
    pub fn notice(&mut self, code: NoticeCode, detail: impl Into<String>, locator: Option<Locator>) {
        self.notices.push(Notice { code, detail: detail.into(), locator });
    }

    /// Remarks what had to be put right in a record.
    pub fn repaired(&mut self, locator: &Locator, repairs: Repairs) {
        if repairs.any_text() {
            let detail = format!(
                "escapes={} controlBytes={} invalidUtf8={}",
                repairs.escapes, repairs.control_bytes, repairs.invalid_utf8
            );
            self.notice(NoticeCode::RepairedText, detail, Some(locator.clone()));
        }
        if repairs.duplicate_keys > 0 {
            self.notice(NoticeCode::DuplicateKey, repairs.duplicate_keys.to_string(), Some(locator.clone()));
        }
    }

    /// Reads a recorded time: RFC 3339 text, or a number of milliseconds (or, wrongly, seconds).
    /// What is there but cannot be meant is remarked with its raw value.
    pub fn time(&mut self, value: Option<Value<'_>>, locator: &Locator) -> When {
        let Some(value) = value.filter(|v| !v.is_null()) else { return When::MISSING };
        let parsed = match value.str() {
            Some(text) => Timestamp::parse(&text).map(|at| (at, false)),
            None => value.f64().and_then(Timestamp::from_number),
        };
        match parsed {
            Some((at, seconds)) if at.is_sane() => {
                if seconds {
                    self.notice(NoticeCode::InsaneTimestamp, value.raw_text(), Some(locator.clone()));
                    return When::Derived { at, rule: "seconds-as-milliseconds" };
                }
                When::Recorded(at)
            }
            Some((at, _)) => {
                self.notice(NoticeCode::InsaneTimestamp, value.raw_text(), Some(locator.clone()));
                When::Recorded(at)
            }
            None => {
                self.notice(NoticeCode::InsaneTimestamp, value.raw_text(), Some(locator.clone()));
                When::MISSING
            }
        }
    }

    /// Closes the account.
    pub fn finish(mut self) -> (ParsedConversation, Ledger) {
        let order = self.timeline.take().unwrap_or_else(|| (0..self.messages.len() as u32).collect());
        debug_assert_eq!(order.len(), self.messages.len(), "the timeline leaves messages out");
        let mut position = vec![0u32; self.messages.len()];
        for (at, id) in order.iter().enumerate() {
            position[*id as usize] = at as u32;
        }
        let mut slots: Vec<Option<Message>> = self.messages.drain(..).map(Some).collect();
        let mut messages: Vec<Message> = order.iter().filter_map(|id| slots[*id as usize].take()).collect();
        for (at, message) in messages.iter_mut().enumerate() {
            message.position = at as u32;
        }
        fill_times(&mut messages, self.created_at);
        mark_order(&mut messages);

        let by_time = |mut ids: Vec<u32>| {
            ids.sort_by_key(|p| messages[*p as usize].when.at());
            ids
        };
        let reference = |ids: &[u32]| -> Vec<u32> {
            ids.iter().map(|id| position[*id as usize]).filter(|p| messages[*p as usize].is_reference()).collect()
        };
        let pushed: Vec<u32> = (0..messages.len() as u32).collect();
        let reference_order = match &self.reference_order {
            ReferenceOrder::ByTimestamp => by_time(reference(&pushed)),
            ReferenceOrder::ByTimestampThen(ties) => by_time(reference(ties)),
            ReferenceOrder::AsPushed => reference(&pushed),
        };

        if !self.entries.is_sorted_by_key(|e| e.0) {
            self.entries.sort_by_key(|e| e.0);
        }
        let mut entries: Vec<LedgerEntry> = self.entries.into_iter().map(|e| e.1).collect();
        for entry in &mut entries {
            entry.message_index = entry.message_index.map(|id| position[id as usize]);
        }
        let mut ledger = Ledger {
            entries,
            notices: self.notices,
            extents: self.extents,
            rows: self.rows,
            row_bytes: self.row_bytes,
        };
        ledger.settle_records();
        // Two ways of finding it out, one link.
        let mut links: Vec<Link> = Vec::with_capacity(self.links.len());
        for link in self.links {
            if !links.contains(&link) {
                links.push(link);
            }
        }
        let mut conversation = ParsedConversation {
            id: self.id,
            slug: self.slug,
            source: self.source,
            project_dir: self.project_dir,
            project_name: self.project_name,
            cwd: self.cwd,
            git_branch: self.git_branch,
            tool_version: self.tool_version,
            links,
            messages,
            reference_order,
            first_message_at: None,
            last_message_at: None,
        };
        conversation.bound_times();
        (conversation, ledger)
    }
}

/// One whole record of a JSONL file.
pub struct Record<'a> {
    /// Its entry.
    pub entry: EntryId,
    /// Its value, an object.
    pub value: Value<'a>,
    /// Its place.
    pub locator: &'a Locator,
}

/// A missing time is the preceding message's, else the following one's, else the conversation's.
fn fill_times(messages: &mut [Message], created_at: Option<Timestamp>) {
    let missing = |m: &Message| m.when == When::MISSING;
    let mut before = None;
    for message in messages.iter_mut() {
        if missing(message) {
            if let Some(at) = before {
                message.when = When::Synthetic { at: Some(at), rule: "preceding-message" };
            }
        } else {
            before = message.when.at().or(before);
        }
    }
    let mut after = None;
    for message in messages.iter_mut().rev() {
        if !missing(message) {
            after = message.when.at().or(after);
        } else if let Some(at) = after {
            message.when = When::Synthetic { at: Some(at), rule: "following-message" };
        } else if let Some(at) = created_at {
            message.when = When::Synthetic { at: Some(at), rule: "conversation-created" };
        }
    }
}

/// Marks messages whose recorded time is before that of an earlier one.
fn mark_order(messages: &mut [Message]) {
    let mut latest = None;
    for message in messages {
        if let When::Recorded(at) = message.when {
            message.out_of_order = latest.is_some_and(|l| at < l);
            latest = latest.max(Some(at));
        }
    }
}

/// The last part of a path, whichever way its separators lean.
pub(crate) fn base_name(path: &str) -> &str {
    path.trim_end_matches(['/', '\\']).rsplit(['/', '\\']).next().unwrap_or(path)
}
