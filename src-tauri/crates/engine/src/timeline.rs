//! A conversation as the inspector shows it: messages and, in their place, the ghosts of what no message
//! holds; chips on the messages that something was folded into; the core sample.
//!
//! Built once for a conversation and a retention, as numbers; texts are cut when a page is asked for.
//! Deliberately absent: reading stores, and words for people.

use crate::dto::{Chip, CoreRun, Fate, FoundPlace, TimelineItem};
use crate::examine::Examined;
use assay_model::{Disposition, LedgerEntry, Locator, Message, MessageType, text};
use std::collections::{BTreeMap, HashMap};

/// Text that one item carries; the rest is asked for.
const CUT: usize = 16 << 10;
/// Characters of a chip's label.
const LABEL: usize = 60;

/// One item: a message of this retention, or the ghost of a ledger entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Item {
    Message(u32),
    Ghost(u32),
}

/// The timeline of one conversation under one retention.
#[derive(Debug)]
pub struct Timeline {
    items: Vec<Item>,
    /// The entry of each message: the one that accounts for its content.
    entry_of: Vec<Option<u32>>,
    /// The item of each message.
    item_of: Vec<u32>,
    /// Entries that were folded into a message.
    chips: HashMap<u32, Vec<u32>>,
    /// The latest time up to each message, to find where time would put one.
    latest: Vec<i64>,
    core: Vec<CoreRun>,
}

impl Timeline {
    /// Lays out `shown`, which is `full` under some retention.
    pub fn new(full: &Examined, shown: &Examined) -> Self {
        let messages = &shown.conversation.messages;
        let mut entry_of = vec![None; messages.len()];
        for (at, entry) in shown.ledger.leaves().chain(shown.ledger.entries.iter().enumerate()) {
            if let Some(slot) = holds(entry).and_then(|m| entry_of.get_mut(m as usize)) {
                slot.get_or_insert(at as u32);
            }
        }
        let mut places = Places::new(messages);
        let (mut ghosts, mut chips) = (BTreeMap::<i64, Vec<u32>>::new(), HashMap::<u32, Vec<u32>>::new());
        let mut last: i64 = -1;
        let mut seen_texts = std::collections::HashSet::new();
        for (at, entry) in shown.ledger.leaves() {
            if let Some(message) = holds(entry) {
                last = i64::from(message);
                places.pass(message);
                continue;
            }
            // Several entries may be parts of one text; it is shown once.
            let text = full.ledger.entries[at].message_index;
            match lost(entry) {
                Lost::Nothing => {}
                Lost::Folded => match entry.message_index.or_else(|| places.folded_into(&entry.locator)) {
                    Some(message) => chips.entry(message).or_default().push(at as u32),
                    None => ghosts.entry(last).or_default().push(at as u32),
                },
                Lost::Dropped => {
                    if text.is_none_or(|t| seen_texts.insert(t)) {
                        ghosts.entry(last).or_default().push(at as u32);
                    }
                }
            }
        }
        let mut items = Vec::with_capacity(messages.len());
        let mut item_of = Vec::with_capacity(messages.len());
        let of = |after: i64| ghosts.get(&after).into_iter().flatten().map(|e| Item::Ghost(*e));
        items.extend(of(-1));
        for message in 0..messages.len() as u32 {
            item_of.push(items.len() as u32);
            items.push(Item::Message(message));
            items.extend(of(i64::from(message)));
        }
        let mut latest = Vec::with_capacity(messages.len());
        let mut so_far = i64::MIN;
        for message in messages {
            so_far = message.when.at().map_or(so_far, |t| so_far.max(t.millis()));
            latest.push(so_far);
        }
        let core = core(shown, &items, &item_of);
        Self { items, entry_of, item_of, chips, latest, core }
    }

    /// How many items there are.
    pub fn len(&self) -> u32 {
        self.items.len() as u32
    }

    /// The core sample.
    pub fn core(&self) -> &[CoreRun] {
        &self.core
    }

    /// Items `offset..offset+limit`.
    pub fn page(&self, full: &Examined, shown: &Examined, offset: u32, limit: u32) -> Vec<TimelineItem> {
        let wanted = self.items.iter().enumerate().skip(offset as usize).take(limit as usize);
        wanted
            .map(|(index, item)| match *item {
                Item::Message(m) => self.message(full, shown, index as u32, m),
                Item::Ghost(e) => ghost(full, shown, index as u32, e),
            })
            .collect()
    }

    /// The item of a message.
    pub fn item_of(&self, message: u32) -> Option<u32> {
        self.item_of.get(message as usize).copied()
    }

    /// Where `text` stands, whatever its case.
    pub fn find(&self, full: &Examined, shown: &Examined, text: &str) -> Vec<FoundPlace> {
        let wanted = text.to_lowercase();
        let mut found = Vec::new();
        if wanted.is_empty() {
            return found;
        }
        let mut look = |item: usize, part: &str, text: &str| {
            let text = text.to_lowercase();
            let Some(first) = text.find(&wanted) else { return };
            let count = text.matches(&wanted).count() as u32;
            found.push(FoundPlace { item: item as u32, part: part.to_owned(), count, beyond: first >= CUT });
        };
        for (at, item) in self.items.iter().enumerate() {
            match *item {
                Item::Message(m) => {
                    let message = &shown.conversation.messages[m as usize];
                    look(at, "thinking", message.thinking.as_deref().unwrap_or_default());
                    look(at, "content", &message.content);
                }
                Item::Ghost(e) => match lost_text(full, e) {
                    Some(message) => look(at, "content", &message.content),
                    None => {
                        look(at, "content", shown.ledger.entries[e as usize].excerpt.as_deref().unwrap_or_default())
                    }
                },
            }
        }
        found
    }

    /// The whole text of an item.
    pub fn whole_text(&self, full: &Examined, shown: &Examined, index: u32) -> Option<String> {
        match *self.items.get(index as usize)? {
            Item::Message(m) => Some(shown.conversation.messages[m as usize].content.clone()),
            Item::Ghost(e) => {
                let entry = &shown.ledger.entries[e as usize];
                Some(match lost_text(full, e) {
                    Some(message) => message.content.clone(),
                    None => entry.excerpt.clone().unwrap_or_default(),
                })
            }
        }
    }

    fn message(&self, full: &Examined, shown: &Examined, index: u32, number: u32) -> TimelineItem {
        let m = &shown.conversation.messages[number as usize];
        let entry = self.entry_of[number as usize];
        let unknown = entry.is_some_and(|e| shown.ledger.entries[e as usize].disposition == Disposition::Unknown);
        let disposition = match (unknown, m.is_reference()) {
            (true, _) => Fate::Unknown,
            (false, true) => Fate::Kept,
            (false, false) => Fate::Recovered,
        };
        let chips = self.chips.get(&number).into_iter().flatten().map(|e| chip(full, shown, *e)).collect();
        let belongs_before = m.when.at().filter(|_| m.out_of_order).and_then(|at| {
            let first_later = self.latest.partition_point(|latest| *latest <= at.millis());
            self.item_of.get(first_later).copied()
        });
        TimelineItem { disposition, chips, belongs_before, entry, ..item(index, m) }
    }
}

/// The message of this retention that holds the content of an entry.
fn holds(entry: &LedgerEntry) -> Option<u32> {
    match entry.disposition {
        Disposition::Kept | Disposition::Recovered | Disposition::Unknown => entry.message_index,
        Disposition::Folded | Disposition::Dropped | Disposition::Pending => None,
    }
}

/// What a person should see of an entry whose content is in no message.
enum Lost {
    Nothing,
    Folded,
    Dropped,
}

fn lost(entry: &LedgerEntry) -> Lost {
    let missed = entry.reason.is_none_or(|r| r.is_loss());
    match entry.disposition {
        Disposition::Folded if missed => Lost::Folded,
        Disposition::Dropped if missed => Lost::Dropped,
        Disposition::Unknown | Disposition::Pending => Lost::Dropped,
        Disposition::Kept | Disposition::Recovered | Disposition::Folded | Disposition::Dropped => Lost::Nothing,
    }
}

/// Where a record is, whatever stands inside it.
#[derive(PartialEq, Eq, Hash)]
enum RecordPlace<'a> {
    Bytes(&'a str, u64),
    Row(&'a str, &'a str, Option<&'a str>),
}

fn record_place(locator: &Locator) -> RecordPlace<'_> {
    match locator {
        Locator::Bytes { file, byte_start, .. } => RecordPlace::Bytes(file, *byte_start),
        Locator::Row { file, table, key, .. } => RecordPlace::Row(file, table, key.as_deref()),
    }
}

/// Finds the message that something was folded into, where the account does not name it: one of the same
/// record, else the latest answer before it.
struct Places<'a> {
    messages: &'a [Message],
    by_record: HashMap<RecordPlace<'a>, u32>,
    latest_answer: Option<u32>,
}

impl<'a> Places<'a> {
    fn new(messages: &'a [Message]) -> Self {
        let mut by_record = HashMap::new();
        for message in messages.iter().filter(|m| m.is_reference()) {
            by_record.entry(record_place(&message.locator)).or_insert(message.position);
        }
        Self { messages, by_record, latest_answer: None }
    }

    fn pass(&mut self, message: u32) {
        let m = self.messages.get(message as usize);
        if m.is_some_and(|m| m.message_type == MessageType::Assistant && m.is_reference()) {
            self.latest_answer = Some(message);
        }
    }

    fn folded_into(&self, locator: &Locator) -> Option<u32> {
        // A row may hold a whole conversation; then the place of the record says too little.
        let same = self.by_record.get(&record_place(locator)).copied();
        let in_bytes = matches!(locator, Locator::Bytes { .. });
        if in_bytes { same.or(self.latest_answer) } else { self.latest_answer.or(same) }
    }
}

/// The message of full retention that holds what an entry lost.
fn lost_text(full: &Examined, entry: u32) -> Option<&Message> {
    let index = full.ledger.entries.get(entry as usize)?.message_index?;
    full.conversation.messages.get(index as usize).filter(|m| !m.is_reference())
}

fn cut(text: &str) -> (String, bool) {
    if text.len() <= CUT {
        return (text.to_owned(), false);
    }
    let end = (0..=CUT).rev().find(|i| text.is_char_boundary(*i)).unwrap_or(0);
    (text[..end].to_owned(), true)
}

/// An item of a message's own facts.
fn item(index: u32, m: &Message) -> TimelineItem {
    let (content, was_cut) = cut(&m.content);
    TimelineItem {
        index,
        item: "message".to_owned(),
        disposition: Fate::Kept,
        reason: m.reason().map(|r| r.code().to_owned()),
        from: Some(m.message_type.code().to_owned()),
        kind: m.kind.code().to_owned(),
        content,
        cut: was_cut,
        bytes: m.content.len() as u64,
        thinking: m.thinking.as_deref().map(|t| cut(t).0),
        tool_name: m.tool_name.clone(),
        tool_call_id: m.tool_call_id.clone(),
        has_tool_use: m.has_tool_use,
        at: m.when.at().map(|t| t.to_string()),
        origin: m.when.origin().to_owned(),
        rule: m.when.rule().map(str::to_owned),
        belongs_before: None,
        branch: m.branch.map(|b| b.code().to_owned()),
        chips: Vec::new(),
        entry: None,
    }
}

fn ghost(full: &Examined, shown: &Examined, index: u32, number: u32) -> TimelineItem {
    let entry = &shown.ledger.entries[number as usize];
    let reason = entry.reason.map(|r| r.code().to_owned());
    let disposition = Fate::from(entry.disposition);
    let (item_word, kind) = ("ghost".to_owned(), entry.kind.to_string());
    match lost_text(full, number) {
        Some(message) => {
            TimelineItem { item: item_word, disposition, reason, kind, entry: Some(number), ..item(index, message) }
        }
        None => TimelineItem {
            index,
            item: item_word,
            disposition,
            reason,
            from: None,
            kind,
            content: entry.excerpt.clone().unwrap_or_default(),
            cut: false,
            bytes: entry.bytes,
            thinking: None,
            tool_name: None,
            tool_call_id: None,
            has_tool_use: false,
            at: None,
            origin: String::new(),
            rule: None,
            belongs_before: None,
            branch: None,
            chips: Vec::new(),
            entry: Some(number),
        },
    }
}

fn chip(full: &Examined, shown: &Examined, number: u32) -> Chip {
    let entry = &shown.ledger.entries[number as usize];
    let lost = lost_text(full, number);
    let label = lost.and_then(|m| m.tool_name.as_deref()).or_else(|| lost.map(|m| m.content.as_str()));
    Chip {
        kind: entry.kind.to_string(),
        reason: entry.reason.map(|r| r.code().to_owned()).unwrap_or_default(),
        label: text::excerpt(label.or(entry.excerpt.as_deref()).unwrap_or_default(), LABEL),
        entry: number,
    }
}

/// Runs of equal disposition over all records, in store order, each with the item where it begins.
fn core(shown: &Examined, items: &[Item], item_of: &[u32]) -> Vec<CoreRun> {
    let ghost_items: HashMap<u32, u32> = items
        .iter()
        .enumerate()
        .filter_map(|(at, item)| match item {
            Item::Ghost(entry) => Some((*entry, at as u32)),
            Item::Message(_) => None,
        })
        .collect();
    let mut runs: Vec<CoreRun> = Vec::new();
    let entries = &shown.ledger.entries;
    let (mut at, mut item) = (0, 0);
    while at < entries.len() {
        let record = &entries[at];
        let blocks = entries[at + 1..].iter().take_while(|e| !e.is_record()).count();
        let here = (at..=at + blocks).find_map(|e| {
            let ghost = ghost_items.get(&(e as u32)).copied();
            ghost.or_else(|| entries[e].message_index.and_then(|m| item_of.get(m as usize).copied()))
        });
        item = here.unwrap_or(item);
        let disposition = Fate::from(record.disposition);
        match runs.last_mut() {
            Some(run) if run.disposition == disposition => run.records += 1,
            _ => runs.push(CoreRun { disposition, records: 1, item }),
        }
        at += 1 + blocks;
    }
    runs
}
