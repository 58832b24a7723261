//! Tells a session's content into the account: every message that the published rules lose, and an
//! entry for every block. Owns the one place where content is said, folded, dropped or kept raw, and
//! where something that was replaced is compared with what replaced it.
//!
//! Deliberately absent: what any field means (`session.rs`, `response.rs`, `metadata.rs`).

use super::log::Session;
use super::node::Data;
use super::reference::Turn;
use super::state::{At, Place};
use super::words;
use crate::readers::json::JsonType;
use crate::{Account, EntryId, Fate, MessageId};
use assay_model::{Branch, Kind, Message, MessageType, NoticeCode, Reason, When, text};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// Whether what is told is the session as it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// It is.
    Live,
    /// A turn that the person took back.
    Undone,
    /// Replaced or cut off by a later change.
    Gone,
    /// Written after damage: nobody knows where it belongs.
    Unplaced,
}

/// Where in the timeline something belongs: by request, then in the order of telling.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Slot(pub u32, pub u8);

impl Slot {
    /// Changes that could not be placed.
    pub const UNPLACED: Slot = Slot(u32::MAX - 2, 0);
    /// Prompts that wait.
    pub const QUEUE: Slot = Slot(u32::MAX - 1, 0);
    /// What was never sent.
    pub const DRAFT: Slot = Slot(u32::MAX, 0);

    /// The turn of a request; what it replaced stands before it.
    pub fn turn(request: usize, mode: Mode) -> Self {
        Slot(request.min(u32::MAX as usize - 3) as u32, u8::from(mode != Mode::Gone))
    }
}

/// A message in the making.
#[derive(Debug)]
pub(super) struct Say<'w> {
    pub kind: Kind,
    pub from: MessageType,
    pub text: String,
    pub reason: Reason,
    pub tool: Option<&'w str>,
    pub call: Option<&'w str>,
}

impl<'w> Say<'w> {
    /// Something that happened.
    pub fn event(text: impl Into<String>, reason: Reason) -> Self {
        Self::of(Kind::Event, MessageType::System, text, reason)
    }

    /// Anything without a tool.
    pub fn of(kind: Kind, from: MessageType, text: impl Into<String>, reason: Reason) -> Self {
        Self { kind, from, text: text.into(), reason, tool: None, call: None }
    }

    /// Of a tool's call.
    pub fn tool(self, tool: Option<&'w str>, call: Option<&'w str>) -> Self {
        Self { tool, call, ..self }
    }
}

/// The telling of one session.
pub(super) struct Teller<'a, 's> {
    /// The account that is filled.
    pub account: &'a mut Account,
    /// What is told.
    pub session: &'s Session,
    /// How it is told at the moment.
    pub mode: Mode,
    /// Where it belongs at the moment.
    pub slot: Slot,
    /// The time of what is told at the moment.
    pub when: When,
    /// Among what belongs to one place: the order in which it went.
    pub sequence: usize,
    /// Where turns were cut off after what is told at the moment, see [`Teller::cut_off`].
    cuts: Vec<(usize, usize)>,
    /// Whether the request being told is repeated from the snapshot that the published rules read.
    pub adopted: bool,
    order: Vec<(Slot, usize, MessageId)>,
    placed: HashSet<MessageId>,
    /// Ids in use; those of the published rules' messages with the message.
    ids: HashMap<String, Option<MessageId>>,
    /// Texts that were told, by turn.
    leaves: HashMap<u32, Vec<&'s str>>,
    said: HashMap<u64, Vec<MessageId>>,
    /// Calls and answers of the state as it stands.
    calls: HashMap<(Kind, String), MessageId>,
}

impl<'a, 's> Teller<'a, 's> {
    /// Begins the telling; the messages of the published rules are in the account already.
    pub fn new(account: &'a mut Account, session: &'s Session) -> Self {
        let ids = account.messages().iter().zip(0..).map(|(m, id)| (m.id.clone(), Some(id))).collect();
        Self {
            account,
            session,
            mode: Mode::Live,
            slot: Slot(0, 0),
            when: When::MISSING,
            sequence: 0,
            cuts: Vec::new(),
            adopted: false,
            order: Vec::new(),
            placed: HashSet::new(),
            ids,
            leaves: HashMap::new(),
            said: HashMap::new(),
            calls: HashMap::new(),
        }
    }

    /// Remembers that the turn `index` went, as number `sequence` of all that did, when turns were cut off at `from`.
    /// What went before that and was a part of it is told later, and stands with it.
    pub fn cut_off(&mut self, from: usize, index: usize, sequence: usize) {
        // A cut hides those behind it that came after.
        self.cuts.truncate(self.cuts.partition_point(|(known, _)| *known < from));
        self.cuts.push((from, sequence.saturating_sub(index - from)));
    }

    /// See [`Teller::cut_off`].
    pub fn forget_cuts(&mut self) {
        self.cuts.clear();
    }

    /// The place in the timeline of a turn that went, or of a part that did: where what took the place of it stands.
    /// Whether the turn itself went, too.
    pub fn begin_gone(&mut self, index: usize) -> bool {
        let before = self.cuts.partition_point(|(from, _)| *from <= index);
        match before.checked_sub(1).and_then(|at| self.cuts.get(at)) {
            Some((from, first)) => {
                self.slot = Slot::turn(*from, Mode::Gone);
                self.sequence = first + (index - from);
                true
            }
            None => {
                self.slot = Slot::turn(index, Mode::Gone);
                false
            }
        }
    }

    /// Sets the timeline: turn by turn, replaced before what replaced it.
    pub fn finish(mut self) {
        for id in 0..self.account.messages().len() as MessageId {
            if self.placed.insert(id) {
                self.order.push((Slot::UNPLACED, usize::MAX, id));
            }
        }
        self.order.sort_by_key(|(slot, sequence, _)| (*slot, *sequence));
        self.account.timeline = Some(self.order.into_iter().map(|(.., id)| id).collect());
    }

    /// The entry of the record in which something stands.
    pub fn record(&self, place: &Place) -> Option<EntryId> {
        self.session.records.get(place.record as usize).copied()
    }

    /// The reason of content at `place` that the published rules lose for `natural`, were it in the
    /// snapshot they read.
    pub fn reason(&self, place: &Place, natural: Reason) -> Reason {
        match self.session.unseen {
            Some(reason) => reason,
            None if self.mode == Mode::Gone => Reason::Superseded,
            None if place.record > 0 => Reason::LaterPatch,
            None => natural,
        }
    }

    /// Whether something stands in the snapshot that the published rules read.
    pub fn in_reference(&self, place: &Place) -> bool {
        (place.record == 0 || self.adopted) && self.session.unseen.is_none()
    }

    /// The message of the published rules that goes by `id`, if it has no place in the timeline yet.
    pub fn unplaced(&self, id: &str) -> Option<(MessageId, &Message)> {
        let id = self.ids.get(id).copied().flatten().filter(|id| !self.placed.contains(id))?;
        self.account.messages().get(id as usize).filter(|m| m.is_reference()).map(|m| (id, m))
    }

    /// The messages of the published rules for the request at `place`.
    pub fn turn(&self, place: &Place) -> Turn {
        let mut steps = place.pointer.trim_start_matches("/v").split('/').skip(1);
        let index = match (steps.next(), steps.next()) {
            (Some("requests"), Some(index)) if self.in_reference(place) => index.parse::<usize>().ok(),
            _ => None,
        };
        index.and_then(|i| self.session.turns.get(i)).copied().unwrap_or_default()
    }

    /// Puts a message of the published rules where it belongs.
    pub fn place(&mut self, id: MessageId) {
        if self.placed.insert(id) {
            self.order.push((self.slot, self.sequence, id));
            match self.mode {
                Mode::Live => {}
                Mode::Undone => self.account.message(id).branch = Some(Branch::RolledBack),
                Mode::Gone => self.account.message(id).branch = Some(Branch::Superseded),
                Mode::Unplaced => self.account.message(id).branch = Some(Branch::Unplaced),
            }
        }
    }

    /// A block whose content a message of the published rules holds.
    pub fn keep(&mut self, at: &At<'s>, name: impl Into<Cow<'static, str>>, id: MessageId) {
        self.place(id);
        self.remember(at);
        if let Some(record) = self.record(&at.place) {
            self.account.block(record, at.place.pointer.as_str(), name, words::text_len(at.node), Fate::Kept(id));
        }
        self.marker(at);
    }

    /// Remembers a text, to know what an earlier version of it became.
    pub fn remember(&mut self, at: &At<'s>) {
        if let Some(text) = at.node.str() {
            self.leaves.entry(self.slot.0).or_default().push(text);
        }
    }

    /// Says that the tool itself cut a value short.
    fn marker(&mut self, at: &At<'s>) {
        if let Some(text) = at.node.str().filter(|t| words::truncation_marker(t)) {
            let place = self.record(&at.place).map(|r| self.account.locator(r).at(at.place.pointer.as_str()));
            self.account.notice(NoticeCode::TruncatedBySource, text, place);
        }
    }

    /// Says something that the published rules lose; its block stands at `at`. What was replaced by
    /// something that still says it is no message of its own.
    pub fn say(&mut self, at: &At<'s>, name: impl Into<Cow<'static, str>>, say: Say<'_>) -> Option<MessageId> {
        let record = self.record(&at.place)?;
        self.marker(at);
        let bytes = say.text.len();
        if text::is_blank(&say.text) && say.kind != Kind::ToolCall {
            let reason = if say.reason == Reason::EmptyResponse { say.reason } else { Reason::EmptyMessage };
            self.account.block(record, at.place.pointer.as_str(), name, bytes, Fate::Dropped(reason));
            return None;
        }
        if self.mode == Mode::Gone && self.still_said(&say) {
            self.account.block(record, at.place.pointer.as_str(), name, bytes, Fate::Dropped(Reason::Duplicate));
            return None;
        }
        let id = self.push(&at.place, say)?;
        self.account.block(record, at.place.pointer.as_str(), name, bytes, Fate::Recovered(id));
        Some(id)
    }

    /// A further block whose content the message `id` holds; without one it was kept elsewhere.
    pub fn also(&mut self, at: &At<'s>, name: impl Into<Cow<'static, str>>, id: Option<MessageId>) {
        let Some(record) = self.record(&at.place) else { return };
        let fate = match id {
            Some(id) if self.account.messages()[id as usize].is_reference() => Fate::Kept(id),
            Some(id) => Fate::Recovered(id),
            None => Fate::Dropped(Reason::Duplicate),
        };
        self.account.block(record, at.place.pointer.as_str(), name, words::text_len(at.node), fate);
    }

    /// Adds a recovered message without a block.
    pub fn push(&mut self, place: &Place, say: Say<'_>) -> Option<MessageId> {
        let record = self.record(place)?;
        let locator = self.account.locator(record).at(place.pointer.as_str());
        let id = self.own_id(place);
        let mut message = Message::recovered(id, say.from, say.kind, say.text, say.reason, locator);
        message.has_tool_use = say.kind == Kind::ToolCall;
        message.has_code = say.kind == Kind::Text && text::has_fence(&message.content);
        message.when = self.when;
        message.tool_name = say.tool.map(str::to_owned);
        message.tool_call_id = say.call.map(str::to_owned);
        message.branch = match self.mode {
            Mode::Live => None,
            Mode::Undone => Some(Branch::RolledBack),
            Mode::Gone => Some(Branch::Superseded),
            Mode::Unplaced => Some(Branch::Unplaced),
        };
        let hash = hash_of(say.kind, &message.content);
        let id = self.account.push(message);
        self.said.entry(hash).or_default().push(id);
        if let (Some(call), Mode::Live | Mode::Undone) = (say.call, self.mode) {
            self.calls.insert((say.kind, call.to_owned()), id);
        }
        self.placed.insert(id);
        self.order.push((self.slot, self.sequence, id));
        Some(id)
    }

    /// What a call answered or, if it did not, the call, in the state as it stands.
    pub fn of_call(&self, call: &str) -> Option<MessageId> {
        [Kind::ToolResult, Kind::ToolCall].iter().find_map(|kind| self.calls.get(&(*kind, call.to_owned())).copied())
    }

    /// Puts a message of the account right behind another, or last.
    pub fn follow(&mut self, id: MessageId, after: Option<MessageId>) {
        self.placed.insert(id);
        match after.and_then(|after| self.order.iter().position(|(.., known)| *known == after)) {
            Some(at) => {
                let (slot, sequence, _) = self.order[at];
                self.order.insert(at + 1, (slot, sequence, id));
            }
            None => self.order.push((Slot::UNPLACED, usize::MAX, id)),
        }
    }

    /// An id from where something was written, which no other message has.
    fn own_id(&mut self, place: &Place) -> String {
        let mut id = format!("{}{}", place.record + 1, place.pointer);
        while self.ids.contains_key(&id) {
            id.push('+');
        }
        self.ids.insert(id.clone(), None);
        id
    }

    /// Whether the state as it stands, or something told already, says it too: word for word, or as
    /// the beginning of a text that went on growing.
    fn still_said(&self, say: &Say<'_>) -> bool {
        let messages = self.account.messages();
        let same = |id: &MessageId| {
            let message = &messages[*id as usize];
            message.kind == say.kind && message.content == say.text
        };
        if self.said.get(&hash_of(say.kind, &say.text)).is_some_and(|ids| ids.iter().any(same)) {
            return true;
        }
        if let Some(id) = say.call.and_then(|call| self.calls.get(&(say.kind, call.to_owned()))) {
            let content = &messages[*id as usize].content;
            return say.text.lines().all(|line| content.contains(line));
        }
        let leaves = self.leaves.get(&self.slot.0).map_or(&[][..], Vec::as_slice);
        match (say.kind, say.from) {
            // A prompt is written at once: one that another begins with is one of its own.
            (Kind::Text, MessageType::User) => leaves.iter().any(|leaf| text::trim(leaf) == text::trim(&say.text)),
            _ => leaves.iter().any(|leaf| leaf.starts_with(say.text.as_str())),
        }
    }

    /// Content of which only a flag or metadata survives, perhaps on a message.
    pub fn fold(&mut self, at: &At<'s>, name: impl Into<Cow<'static, str>>, reason: Reason, id: Option<MessageId>) {
        self.without(at, name, Fate::Folded(reason, id));
    }

    /// Content that is in no message.
    pub fn drop(&mut self, at: &At<'s>, name: impl Into<Cow<'static, str>>, reason: Reason) {
        self.without(at, name, Fate::Dropped(reason));
    }

    fn without(&mut self, at: &At<'s>, name: impl Into<Cow<'static, str>>, fate: Fate) {
        let Some(record) = self.record(&at.place) else { return };
        let entry = self.account.block(record, at.place.pointer.as_str(), name, words::text_len(at.node), fate);
        self.account.excerpt(entry, &words::plain(at.node));
    }

    /// Something that this parser does not know, kept raw and listed by name.
    pub fn unknown(&mut self, at: &At<'s>, name: String) {
        let Some(record) = self.record(&at.place) else { return };
        let raw = words::json(at.node);
        let say = Say::event(raw.as_str(), Reason::UnknownKind);
        if self.mode == Mode::Gone && self.still_said(&say) {
            return self.drop(at, name, Reason::Duplicate);
        }
        let entry =
            self.account.block(record, at.place.pointer.as_str(), "unknown", words::text_len(at.node), Fate::Pending);
        let id = self.account.unknown(entry, name, &raw);
        let hash = hash_of(Kind::Event, &raw);
        // Its place stays as it is when the log grows; the number of an entry does not.
        let own = self.own_id(&at.place);
        let message = self.account.message(id);
        message.id = own;
        message.when = self.when;
        self.said.entry(hash).or_default().push(id);
        self.place(id);
    }

    /// Whether a value is of the shape that is read where it stands. One that is not is kept raw.
    pub fn is_of(&mut self, shape: JsonType, at: &At<'s>, name: &str) -> bool {
        let fits = match &at.node.data {
            Data::Map(_) => shape == JsonType::Object,
            Data::List(_) => shape == JsonType::Array,
            Data::Null | Data::Bool(_) | Data::Number(_) | Data::Text(_) | Data::Bytes(_) | Data::Deep(_) => false,
        };
        if !fits && !at.node.is_default() {
            self.unknown(at, name.to_owned());
        }
        fits
    }

    /// Every field of `at` that carries something and is not in `handled`: folded if it is known, else
    /// kept raw.
    pub fn rest(&mut self, at: &At<'s>, of: &str, handled: &[&str], folded: &[&str], id: Option<MessageId>) {
        for (key, field) in at.members() {
            if handled.contains(&key) {
                continue;
            }
            if folded.contains(&key) {
                self.fold(&field, format!("{of}/{key}"), Reason::Metadata, id);
            } else {
                self.unknown(&field, format!("{of}/{key}"));
            }
        }
    }
}

/// A hash for looking up; what it finds is compared.
fn hash_of(kind: Kind, text: &str) -> u64 {
    use std::hash::{Hash, Hasher};
    let mut hasher = std::hash::DefaultHasher::new();
    (kind.code(), text).hash(&mut hasher);
    hasher.finish()
}
