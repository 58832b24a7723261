//! One conversation that was opened: its account, its timeline by pages, what is found in it, its records.
//!
//! Deliberately absent: where it was opened from, and how a timeline is laid out.

use crate::dto::{
    Count, Fault, FoundPlace, Inspection, LinkView, NoticeView, Place, RawBlock, RawRecord, RetentionChoice, Strata,
    TimelineItem,
};
use crate::engine::{Engine, fault};
use crate::kept::library_row;
use crate::opened::View;
use crate::preview::{count, most_first, relation};
use assay_model::hash::hex;
use assay_model::{Disposition, LedgerEntry, Locator};
use assay_sources::Evidence;
use std::collections::BTreeMap;
use std::io::{BufRead, Read};
use std::path::PathBuf;

/// Text of a raw record that is shown, in bytes.
const RAW: usize = 256 << 10;
/// Items of a page, at most.
const PAGE: u32 = 500;

impl Engine {
    /// Opens a conversation of the last preview or of the library.
    pub fn inspect(&self, key: &str, retention: RetentionChoice) -> Result<Inspection, Fault> {
        let open = self.opened(key)?;
        let view = open.view(retention.into());
        let (View { shown, timeline, .. }, hashes) = (view, view.hashes());
        let mut strata = BTreeMap::<Disposition, u64>::new();
        for (_, entry) in shown.ledger.leaves() {
            *strata.entry(entry.disposition).or_default() += 1;
        }
        let (of, others) = match open.kept() {
            Some(listed) => (&listed.links, self.others(listed)?),
            None => (&shown.conversation.links, Vec::new()),
        };
        let home = self.home();
        let row = open.row(retention.into());
        let link = |id: &str| self.linked(&open, id);
        let by_reason: Vec<Count> = most_first(shown.summary.by_reason.iter().map(|(r, n)| count(r, *n)));
        Ok(Inspection {
            row,
            retention,
            reference_messages: open.full.conversation.reference_order.len() as u32,
            full_messages: open.full.conversation.messages.len() as u32,
            items: timeline.len(),
            core: timeline.core().to_vec(),
            strata: Strata::of(&strata),
            by_reason,
            notices: shown
                .ledger
                .notices
                .iter()
                .map(|n| NoticeView {
                    code: n.code.code().to_owned(),
                    detail: n.detail.clone(),
                    place: n.locator.as_ref().map(|l| Place::of(l, &home)),
                })
                .collect(),
            content_hash: hex(&hashes.content),
            full_hash: hex(&hashes.full),
            links: of
                .iter()
                .map(|l| LinkView { relation: relation(l.relation).to_owned(), key: link(&l.conversation) })
                .chain(others.iter().map(|(what, l)| LinkView { relation: (*what).to_owned(), key: link(&l.id) }))
                .collect(),
            kept: open.kept().map(library_row),
            resume: self.resume(&open),
        })
    }

    /// Items `offset..offset+limit` of a conversation's timeline.
    pub fn timeline(
        &self,
        key: &str,
        retention: RetentionChoice,
        offset: u32,
        limit: u32,
    ) -> Result<Vec<TimelineItem>, Fault> {
        let open = self.opened(key)?;
        let view = open.view(retention.into());
        Ok(view.timeline.page(&open.full, &view.shown, offset, limit.min(PAGE)))
    }

    /// The whole text of an item that was cut.
    pub fn whole_text(&self, key: &str, retention: RetentionChoice, index: u32) -> Result<String, Fault> {
        let open = self.opened(key)?;
        let view = open.view(retention.into());
        let text = view.timeline.whole_text(&open.full, &view.shown, index);
        text.ok_or_else(|| fault("no-such-item", index.to_string()))
    }

    /// Every place of a conversation where `text` stands, in the order of the timeline. The case of letters
    /// does not matter.
    pub fn find_within(&self, key: &str, retention: RetentionChoice, text: &str) -> Result<Vec<FoundPlace>, Fault> {
        let open = self.opened(key)?;
        let view = open.view(retention.into());
        Ok(view.timeline.find(&open.full, &view.shown, text))
    }

    /// The item that shows a message of the whole timeline; `None` if it is not shown under this retention.
    pub fn locate(&self, key: &str, retention: RetentionChoice, message: u32) -> Result<Option<u32>, Fault> {
        let open = self.opened(key)?;
        let wanted = open.full.conversation.messages.get(message as usize).map(|m| &m.locator);
        let view = open.view(retention.into());
        let shown = &view.shown.conversation.messages;
        Ok(match shown.len() == open.full.conversation.messages.len() {
            true => view.timeline.item_of(message),
            // Messages keep their order; the same place in the store is the same message.
            false => {
                shown.iter().position(|m| Some(&m.locator) == wanted).and_then(|at| view.timeline.item_of(at as u32))
            }
        })
    }

    /// The record behind a ledger entry, as it stands in the store, and what becomes of it under a retention.
    pub fn record(&self, key: &str, retention: RetentionChoice, entry: u32) -> Result<RawRecord, Fault> {
        let open = self.opened(key)?;
        let entries = &open.view(retention.into()).shown.ledger.entries;
        let (start, record) = record_of(entries, entry).ok_or_else(|| fault("no-such-entry", entry.to_string()))?;
        let evidence = self.evidence(&open, entry)?;
        let (raw, cut) = raw_text(&evidence, &record.locator);
        Ok(RawRecord {
            place: Place::of(&entries[entry as usize].locator, &self.home()),
            kind: record.kind.to_string(),
            disposition: record.disposition.into(),
            reason: record.reason.map(|r| r.code().to_owned()),
            text: String::from_utf8_lossy(&raw).into_owned(),
            cut,
            bytes: record.bytes,
            blocks: entries[start + 1..]
                .iter()
                .take_while(|e| !e.is_record())
                .map(|block| RawBlock {
                    pointer: block.locator.pointer().unwrap_or_default().to_owned(),
                    kind: block.kind.to_string(),
                    disposition: block.disposition.into(),
                    reason: block.reason.map(|r| r.code().to_owned()),
                    bytes: block.bytes,
                })
                .collect(),
        })
    }

    /// The file behind a ledger entry, to be shown in the file manager.
    pub fn record_file(&self, key: &str, entry: u32) -> Result<PathBuf, Fault> {
        let open = self.opened(key)?;
        let entry = open.full.ledger.entries.get(entry as usize);
        entry.map(|e| PathBuf::from(e.locator.file())).ok_or_else(|| fault("no-such-entry", ""))
    }

    pub(crate) fn home(&self) -> String {
        self.options.roots.home.to_string_lossy().into_owned()
    }
}

/// The record-level entry that an entry is, or is a block of.
fn record_of(entries: &[LedgerEntry], entry: u32) -> Option<(usize, &LedgerEntry)> {
    let upto = entries.get(..=entry as usize)?;
    upto.iter().enumerate().rev().find(|(_, e)| e.is_record())
}

/// The bytes of a record; at most [`RAW`] of them, and whether there are more.
fn raw_text(evidence: &Evidence, locator: &Locator) -> (Vec<u8>, bool) {
    match locator {
        Locator::Bytes { file, byte_start, byte_end, .. } => {
            let files = evidence.files.iter().chain(&evidence.consulted);
            let Some(file) = files.into_iter().find(|f| f.file == *file) else { return (Vec::new(), false) };
            let length = (byte_end - byte_start).min(RAW as u64);
            let read = || -> std::io::Result<Vec<u8>> {
                let mut reader = file.reader()?;
                skip(&mut *reader, *byte_start)?;
                let mut text = Vec::new();
                reader.take(length).read_to_end(&mut text)?;
                Ok(text)
            };
            (read().unwrap_or_default(), byte_end - byte_start > RAW as u64)
        }
        Locator::Row { file, table, key, .. } => {
            let rows = evidence.rows.iter().chain(&evidence.consulted_rows);
            let row = rows.into_iter().find(|r| r.file == *file && r.table == *table && r.key == *key);
            let bytes = row.map_or(&[][..], |r| r.bytes());
            (bytes[..bytes.len().min(RAW)].to_vec(), bytes.len() > RAW)
        }
    }
}

fn skip(reader: &mut dyn BufRead, mut bytes: u64) -> std::io::Result<()> {
    while bytes > 0 {
        let here = reader.fill_buf()?.len() as u64;
        if here == 0 {
            break;
        }
        let step = here.min(bytes);
        reader.consume(step as usize);
        bytes -= step;
    }
    Ok(())
}
