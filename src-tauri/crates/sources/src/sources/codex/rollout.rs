//! One rollout: a log of `{timestamp, type, payload}` records, read from its first byte to its last.
//!
//! Owns the state that outlives a record — the latest answer of the published rules, which texts were
//! told, calls by id, turns for rollbacks, the copied beginning of a fork. Seen in Codex 0.1 (bare items,
//! 2025-05) to 0.153. Deliberately absent: items (`items`, `tools`), events (`events`), records about the
//! whole (`meta`), files and folders (`discovery`).

use super::tools::{AboutCall, Call};
use super::parent::Parent;
use super::telling::{Key, Stream, Tellings, Voice, Waiting};
use super::{events, readable};
use crate::readers::json::{JsonType, Value, pointer_to};
use crate::{Account, EntryId, EvidenceFile, Fate, MessageId, Record};
use assay_model::{
    Branch, Kind, Locator, Message, MessageType, NoticeCode, Reason, When, text,
};
use foldhash::{HashMap, HashSet};
use std::ops::Range;

/// Types that a wrapped record may have.
const WRAPPED: &[&str] = &[
    "session_meta",
    "response_item",
    "event_msg",
    "turn_context",
    "compacted",
    "world_state",
    "inter_agent_communication",
    "inter_agent_communication_metadata",
];

/// Reads a rollout into `account`. `parent` is the rollout of the conversation that this one was forked
/// from or spawned by, where it is at hand.
pub(super) fn fill(file: &EvidenceFile, parent: Option<&EvidenceFile>, account: &mut Account) {
    let mut rollout = Rollout { parent: parent.map(Parent::of), ..Rollout::default() };
    account.read_jsonl(file, |account, record| rollout.record(account, &record));
    rollout.finish(account);
}

/// What becomes of a block whose original stands in the conversation that this one came from, or, if it is told here
/// as well, in the message that tells it. Every block begins so.
pub(super) const COPIED: Fate = Fate::Folded(Reason::CopiedPrefix, None);

/// The record being read.
#[derive(Debug)]
pub(super) struct Here {
    pub entry: EntryId,
    pub locator: Locator,
    pub when: When,
    /// The tool's id for the item, for its first message.
    pub id: Option<String>,
    pub turn: Option<String>,
    /// Written before records were wrapped: the published rules read none of it.
    pub legacy: bool,
    messages: u32,
}

#[derive(Debug, Default)]
pub(super) struct Rollout {
    pub here: Option<Here>,
    pub latest: Option<MessageId>,
    pub tellings: Tellings,
    pub calls: HashMap<String, Call>,
    pub about: HashMap<String, Vec<AboutCall>>,
    pub thread_name: Option<String>,
    /// Whether a compaction was read: the event of it says nothing more.
    pub compacted: bool,
    pub own_id: Option<String>,
    pub parent: Option<Parent>,
    pub parent_id: Option<String>,
    /// Inside the beginning that repeats the parent, and whether the record being read does.
    pub in_beginning: bool,
    pub copied: bool,
    copied_records: u32,
    /// Blocks of the copied beginning by what they say: the same may be told here.
    copies: Vec<(EntryId, Key)>,
    /// Turns that another tool's conversation was taken over as.
    pub imported_turns: HashSet<String>,
    pub metas: u32,
    /// Where each user turn that still counts begins.
    turns: Vec<u32>,
    rolled_back: Vec<Range<u32>>,
    /// The place of each pushed message: a message that waits keeps the place it was read at.
    places: Vec<u32>,
    next_place: u32,
    ids: HashSet<String>,
}

impl Rollout {
    /// Reads one record of a JSONL file.
    pub fn record(&mut self, account: &mut Account, record: &Record<'_>) {
        let value = record.value;
        let payload = value.get("payload");
        let when = account.time(value.get("timestamp"), record.locator);
        self.open(account, record.entry, record.locator.clone(), when);
        if account.created_at.is_none() {
            account.created_at = when.at();
        }
        let kind = value.get_str("type");
        self.leave_copied_beginning(kind.as_deref().unwrap_or(""), payload);
        account.repeats = self.copied;
        let Some(kind) = kind.as_deref() else { return self.untyped(account, value) };
        match payload.filter(|p| p.kind() == JsonType::Object) {
            Some(payload) => match kind {
                "session_meta" => self.session_meta(account, payload),
                "response_item" => {
                    self.item(account, payload, "/payload");
                }
                "event_msg" => self.event(account, payload),
                "turn_context" => self.turn_context(account, payload),
                "compacted" => self.compacted(account, payload),
                "world_state" => self.world_state(account, payload),
                "inter_agent_communication" => self.agent_message(account, payload, "/payload", kind),
                "inter_agent_communication_metadata" => {
                    self.metadata(account, kind);
                }
                _ => return self.unknown(account, record.entry, kind.to_owned(), value),
            },
            None if payload.is_none() && !WRAPPED.contains(&kind) => {
                return self.bare(account, value);
            }
            None => return self.unknown(account, record.entry, kind.to_owned(), value),
        }
        self.rest(account, value, "", kind, &["timestamp", "ordinal", "type", "payload", "metadata"]);
    }

    /// Reads an item that is a record of its own.
    pub fn bare(&mut self, account: &mut Account, item: Value<'_>) {
        if let Some(here) = &mut self.here {
            here.legacy = true;
        }
        self.item(account, item, "");
    }

    /// Opens a record; what is read next belongs to it.
    pub fn open(&mut self, account: &Account, entry: EntryId, locator: Locator, when: When) {
        self.sync(account);
        self.here = Some(Here { entry, locator, when, id: None, turn: None, legacy: false, messages: 0 });
    }

    /// A copied beginning ends with the first record of what was said or done that the parent does not have. Turn
    /// contexts, counters and the like are written anew for the child and end nothing, unless their turn is its own.
    fn leave_copied_beginning(&mut self, kind: &str, payload: Option<Value<'_>>) {
        if !self.in_beginning {
            return;
        }
        let parent = self.parent.as_ref().zip(payload);
        let own_turn = parent.is_some_and(|(parent, p)| parent.lacks_turn(p));
        let known = !own_turn && parent.is_some_and(|(parent, p)| parent.has(p));
        let about = match payload.filter(|_| kind == "event_msg").and_then(|p| p.get_str("type")) {
            Some(event) => events::is_metadata(&event),
            None => matches!(kind, "session_meta" | "turn_context" | "world_state"),
        };
        self.in_beginning = known || (about && !own_turn);
        self.copied = known;
        self.copied_records += u32::from(known);
    }

    /// Records of 2025-05 to 2025-09 that have no type.
    fn untyped(&mut self, account: &mut Account, value: Value<'_>) {
        let entry = self.entry();
        if value.get_str("record_type").as_deref() == Some("state") {
            account.set_kind(entry, "legacy/state");
            account.refate(entry, Fate::Dropped(Reason::BookkeepingRecord));
            self.rest(account, value, "", "legacy/state", &["record_type", "previous_response_id", "timestamp", "id"]);
        } else if value.get("payload").is_none() && value.get("id").is_some() && value.get("timestamp").is_some() {
            self.header(account, value);
        } else {
            self.unknown(account, entry, "record".to_owned(), value);
        }
    }

    fn world_state(&mut self, account: &mut Account, state: Value<'_>) {
        account.set_kind(self.entry(), "world_state");
        let content = readable::fields(state, &["state"], &["full"]);
        let message =
            self.draft("/payload", MessageType::System, Kind::Attachment, content, Reason::EventNotMapped);
        self.once(account, "/payload", "world_state", message);
    }

    /// The entry of the record being read.
    pub fn entry(&self) -> EntryId {
        self.here.as_ref().map_or(0, |h| h.entry)
    }

    /// The place of the record being read.
    pub fn locator(&self) -> Locator {
        let nowhere = || Locator::Bytes { file: "".into(), byte_start: 0, byte_end: 0, line: 0, pointer: None };
        self.here.as_ref().map_or_else(nowhere, |h| h.locator.clone())
    }

    /// Says that the whole record is metadata.
    pub fn metadata(&self, account: &mut Account, kind: &str) {
        account.set_kind(self.entry(), kind.to_owned());
        account.refate(self.entry(), Fate::Folded(Reason::Metadata, None));
    }

    /// Says that `object`, at `base`, is metadata but for `carved` bytes that have blocks of their own.
    pub fn metadata_beside(&self, account: &mut Account, kind: &str, base: &str, object: Value<'_>, carved: usize) {
        account.set_kind(self.entry(), kind.to_owned());
        let bytes = object.raw().len().saturating_sub(carved);
        account.block(self.entry(), base, kind.to_owned(), bytes, Fate::Folded(Reason::Metadata, None));
    }

    /// Lists fields with content that no version known here writes.
    pub fn rest(&mut self, account: &mut Account, object: Value<'_>, base: &str, kind: &str, known: &[&str]) {
        for (name, value) in object.entries() {
            if known.contains(&&*name) || value.is_default() {
                continue;
            }
            self.unknown_field(account, kind, base, &name, value);
        }
    }

    /// Keeps something unknown raw, with the record's time.
    pub fn unknown(&self, account: &mut Account, entry: EntryId, name: String, value: Value<'_>) {
        if self.copied {
            return account.refate(entry, COPIED);
        }
        let id = account.unknown(entry, name, &readable::text(value));
        account.message(id).when = self.here.as_ref().map_or(When::MISSING, |h| h.when);
    }

    /// Keeps a field that no version known here writes.
    pub fn unknown_field(&self, account: &mut Account, kind: &str, base: &str, name: &str, value: Value<'_>) {
        let pointer = pointer_to(base, name);
        let block = account.block(self.entry(), pointer, format!("{kind}/{name}"), value.raw().len(), COPIED);
        self.unknown(account, block, format!("{kind}/{name}"), value);
    }

    /// A recovered message of this record. Pushing it is up to the caller.
    pub fn draft(
        &mut self,
        pointer: &str,
        from: MessageType,
        kind: Kind,
        content: impl Into<String>,
        reason: Reason,
    ) -> Message {
        let locator = self.locator();
        let start = if let Locator::Bytes { byte_start, .. } = &locator { *byte_start } else { 0 };
        let Some(here) = &mut self.here else { return Message::recovered("", from, kind, content, reason, locator) };
        here.messages += 1;
        let own = here.id.take().filter(|id| self.ids.insert(id.clone()));
        let id = own.unwrap_or_else(|| match here.messages {
            1 => format!("@{start}"),
            n => format!("@{start}.{n}"),
        });
        let reason = if here.legacy && reason != Reason::Boilerplate { Reason::LegacyShape } else { reason };
        let locator = if pointer.is_empty() { locator } else { locator.at(pointer) };
        Message { when: here.when, ..Message::recovered(id, from, kind, content, reason, locator) }
    }

    fn sync(&mut self, account: &Account) {
        while self.places.len() < account.messages().len() {
            self.places.push(self.next_place);
            self.next_place += 1;
        }
    }

    /// The next place in the timeline.
    pub fn place(&mut self, account: &Account) -> u32 {
        self.sync(account);
        self.next_place += 1;
        self.next_place - 1
    }

    fn push(&mut self, account: &mut Account, message: Message) -> MessageId {
        self.sync(account);
        let id = account.push(message);
        self.sync(account);
        id
    }

    /// Adds a message that was read at an earlier place.
    pub fn push_at(&mut self, account: &mut Account, place: u32, message: Message) -> MessageId {
        self.sync(account);
        self.places.push(place);
        account.push(message)
    }

    /// Adds a block for `content` at `pointer`, whose fate is told later.
    pub fn block(&self, account: &mut Account, pointer: &str, kind: &str, content: &str) -> EntryId {
        account.block(self.entry(), pointer, kind.to_owned(), content.len(), COPIED)
    }

    /// Recovers a message that nothing else in the file repeats.
    pub fn recover(&mut self, account: &mut Account, pointer: &str, kind: &str, message: Message) -> Option<MessageId> {
        let block = self.block(account, pointer, kind, &message.content);
        if self.copied {
            let key = self.tellings.key(&message.content);
            self.copies.push((block, key));
            return None;
        }
        let id = self.push(account, message);
        account.refate(block, Fate::Recovered(id));
        Some(id)
    }

    /// Keeps a message of the published rules.
    pub fn keep(
        &mut self,
        account: &mut Account,
        voice: Voice,
        stream: Stream,
        blocks: &[EntryId],
        message: Message,
    ) -> MessageId {
        let key = self.tellings.key(&message.content);
        let (telling, _) = self.hear(account, voice, stream, key);
        let id = self.push(account, message);
        for block in blocks {
            account.refate(*block, Fate::Kept(id));
        }
        self.tellings.get(telling).show(id);
        id
    }

    /// Tells a text that another stream may tell, too.
    pub fn tell(
        &mut self,
        account: &mut Account,
        voice: Voice,
        stream: Stream,
        blocks: Vec<EntryId>,
        message: Message,
    ) {
        let key = self.tellings.key(&message.content);
        if self.copied {
            return self.repeats_parent(&blocks, key);
        }
        let (telling, _) = self.hear(account, voice, stream, key);
        self.wait(account, telling, stream, message, blocks);
    }

    /// Adds a copy that is shown if no better one turns up.
    pub fn wait(&mut self, account: &Account, telling: u32, stream: Stream, message: Message, blocks: Vec<EntryId>) {
        let place = self.place(account);
        self.tellings.get(telling).wait(Waiting { stream, place, message, blocks });
    }

    /// A text of the copied beginning: its blocks point at the message that tells it, if one here does.
    pub fn repeats_parent(&mut self, blocks: &[EntryId], key: Key) {
        self.tellings.copied(key);
        self.copies.extend(blocks.iter().map(|block| (*block, key)));
    }

    pub fn hear(&mut self, account: &Account, voice: Voice, stream: Stream, key: Key) -> (u32, bool) {
        let turn = self.here.as_ref().and_then(|h| h.turn.as_deref());
        let (telling, new) = self.tellings.hear(voice, stream, key, turn);
        if new && voice == Voice::User {
            self.begin_turn(account);
        }
        (telling, new)
    }

    /// Recovers a text unless it stands somewhere before.
    pub fn once(&mut self, account: &mut Account, pointer: &str, kind: &str, message: Message) {
        let block = self.block(account, pointer, kind, &message.content);
        if text::is_blank(&message.content) {
            return account.refate(block, Fate::Dropped(Reason::EmptyMessage));
        }
        let key = self.tellings.key(&message.content);
        if self.copied {
            return self.repeats_parent(&[block], key);
        }
        match self.tellings.before(key) {
            Some(Some(telling)) => self.tellings.get(telling).folded.push((block, Reason::Duplicate)),
            Some(None) => {}
            None => {
                let (telling, _) = self.hear(account, Voice::Context, Stream::History, key);
                let id = self.push(account, message);
                account.refate(block, Fate::Recovered(id));
                self.tellings.get(telling).show(id);
            }
        }
    }

    /// Provider-encrypted bytes: in no message. Returns whether there are any.
    pub fn encrypted(&self, account: &mut Account, pointer: &str, value: Option<Value<'_>>) -> bool {
        let Some(value) = value.filter(|v| !v.is_default()) else { return false };
        if value.str_len() == 0 {
            // Anything but text is no encrypted content, whatever its field is called.
            let name = format!("{}/encrypted_content", account.kind(self.entry()));
            let block = account.block(self.entry(), pointer, name.clone(), value.raw().len(), COPIED);
            self.unknown(account, block, name, value);
            return false;
        }
        let fate = Fate::Dropped(Reason::EncryptedContent);
        account.block(self.entry(), pointer, "encrypted_content", value.str_len(), fate);
        true
    }

    /// Begins a turn here: something that was said to the model made it answer.
    pub fn begin_turn(&mut self, account: &Account) {
        self.sync(account);
        self.turns.push(self.next_place);
    }

    /// Takes back the last `turns` user turns. They stay in the timeline, marked.
    pub fn roll_back(&mut self, account: &Account, turns: usize) {
        self.sync(account);
        let keep = self.turns.len().saturating_sub(turns);
        let Some(&start) = self.turns.get(keep) else { return };
        self.turns.truncate(keep);
        self.rolled_back.retain(|r| r.start < start);
        self.rolled_back.push(start..self.next_place);
    }

    /// Settles what waited for the end, and puts every message in its place.
    pub fn finish(mut self, account: &mut Account) {
        self.sync(account);
        let mut open: Vec<(String, AboutCall)> = std::mem::take(&mut self.about)
            .into_iter()
            .flat_map(|(call, all)| all.into_iter().map(move |about| (call.clone(), about)))
            .collect();
        open.sort_by_key(|(_, about)| about.place);
        for (call, about) in open {
            self.settle(account, &call, about);
        }
        let mut mirrored = 0u64;
        let copies: Vec<_> = std::mem::take(&mut self.copies)
            .into_iter()
            .filter_map(|(block, key)| Some((block, self.tellings.before(key)??)))
            .collect();
        let mut told = Vec::new();
        for telling in std::mem::take(&mut self.tellings).into_all() {
            let mut shown = telling.shown;
            if let Some(waiting) = telling.waiting {
                let id = self.push_at(account, waiting.place, waiting.message);
                for block in waiting.blocks {
                    account.refate(block, Fate::Recovered(id));
                }
                shown = Some(id);
            }
            mirrored += telling.folded.len() as u64;
            for (block, reason) in telling.folded {
                account.refate(block, Fate::Folded(reason, shown));
            }
            told.push(shown);
        }
        for (block, telling) in copies {
            account.refate(block, Fate::Folded(Reason::CopiedPrefix, told[telling as usize]));
        }
        if mirrored > 0 {
            account.notice(NoticeCode::DuplicateOf, format!("mirrored-texts={mirrored}"), None);
        }
        if self.copied_records > 0 {
            let parent = self.parent_id.as_deref().unwrap_or("");
            let detail = format!("copied-from={parent} records={}", self.copied_records);
            account.notice(NoticeCode::DuplicateOf, detail, None);
        }
        if !self.imported_turns.is_empty() {
            let detail = format!("imported-turns={}", self.imported_turns.len());
            account.notice(NoticeCode::DuplicateOf, detail, None);
        }
        if self.metas == 0 {
            account.notice(NoticeCode::Inferred, "id from the file name", None);
        }
        if account.slug.is_none() {
            account.slug = self.thread_name.take();
        }
        for (id, place) in self.places.iter().enumerate() {
            let at = self.rolled_back.partition_point(|r| r.end <= *place);
            if self.rolled_back.get(at).is_some_and(|r| r.contains(place)) {
                account.message(id as MessageId).branch = Some(Branch::RolledBack);
            }
        }
        if !self.places.is_sorted() {
            let mut order: Vec<MessageId> = (0..self.places.len() as MessageId).collect();
            order.sort_by_key(|id| self.places[*id as usize]);
            account.timeline = Some(order);
        }
    }
}
