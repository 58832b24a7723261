//! The ledger in numbers.

use crate::{Disposition, Ledger, NoticeCode, ParsedConversation, Reason, When};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Counts over one or many ledgers. `Default` is the sum of none.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Summary {
    /// Record-level entries.
    pub records: u64,
    /// Bytes of the records.
    pub bytes: u64,
    /// Block-level entries.
    pub blocks: u64,
    /// Records by disposition; sums to `records`.
    pub by_disposition: BTreeMap<Disposition, u64>,
    /// Blocks by disposition; sums to `blocks`.
    pub blocks_by_disposition: BTreeMap<Disposition, u64>,
    /// Content bytes of blocks (of records without blocks: their bytes) by disposition.
    pub content_bytes_by_disposition: BTreeMap<Disposition, u64>,
    /// Blocks, and records without blocks, by the boundary they crossed.
    pub by_reason: BTreeMap<String, u64>,
    /// Messages whose time was made up.
    pub synthetic_timestamps: u64,
    /// Messages whose time was taken from another recorded one.
    pub derived_timestamps: u64,
    /// Messages whose recorded time disagrees with their position.
    pub out_of_order: u64,
    /// Bytes that no entry accounts for. Anything but zero is a fault of Assay.
    pub unaccounted_bytes: u64,
    /// Kinds that this parser does not know, by name.
    pub unknown_kinds: BTreeMap<String, u64>,
    /// Blocks and records that a person could miss: dropped with a loss, unknown or missing.
    pub lost: u64,
    /// Places where text had to be repaired.
    pub repaired: u64,
    /// Folded blocks that carry content a person could miss.
    pub folded_content: u64,
}

impl Summary {
    /// The numbers of one conversation.
    pub fn of(conversation: &ParsedConversation, ledger: &Ledger) -> Self {
        let mut s = Summary { unaccounted_bytes: ledger.unaccounted_bytes(), ..Summary::default() };
        let mut by_reason: BTreeMap<Reason, u64> = BTreeMap::new();
        let mut entries = ledger.entries.iter().peekable();
        while let Some(entry) = entries.next() {
            let leaf = if entry.is_record() {
                s.records += 1;
                s.bytes += entry.bytes;
                *s.by_disposition.entry(entry.disposition).or_default() += 1;
                entries.peek().is_none_or(|next| next.is_record())
            } else {
                s.blocks += 1;
                *s.blocks_by_disposition.entry(entry.disposition).or_default() += 1;
                true
            };
            if !leaf {
                continue; // its blocks are counted instead
            }
            *s.content_bytes_by_disposition.entry(entry.disposition).or_default() += entry.bytes;
            if let Some(reason) = entry.reason {
                *by_reason.entry(reason).or_default() += 1;
            }
            let loss = entry.reason.is_none_or(|r| r.is_loss());
            match entry.disposition {
                Disposition::Unknown => {
                    s.lost += 1;
                    *s.unknown_kinds.entry(entry.kind.to_string()).or_default() += 1;
                }
                Disposition::Dropped if loss => s.lost += 1,
                Disposition::Folded if loss => s.folded_content += 1,
                Disposition::Kept
                | Disposition::Recovered
                | Disposition::Folded
                | Disposition::Dropped
                | Disposition::Pending => {}
            }
        }
        s.by_reason = by_reason.into_iter().map(|(reason, n)| (reason.code().to_owned(), n)).collect();
        for notice in &ledger.notices {
            match notice.code {
                NoticeCode::RepairedText => s.repaired += 1,
                code => s.lost += u64::from(code.is_loss()),
            }
        }
        for message in &conversation.messages {
            match message.when {
                When::Recorded(_) => {}
                When::Derived { .. } => s.derived_timestamps += 1,
                When::Synthetic { .. } => s.synthetic_timestamps += 1,
            }
            s.out_of_order += u64::from(message.out_of_order);
        }
        s
    }

    /// Adds the numbers of another.
    pub fn add(&mut self, other: &Summary) {
        fn merge<K: Ord + Clone>(into: &mut BTreeMap<K, u64>, from: &BTreeMap<K, u64>) {
            for (key, n) in from {
                *into.entry(key.clone()).or_default() += n;
            }
        }
        self.records += other.records;
        self.bytes += other.bytes;
        self.blocks += other.blocks;
        merge(&mut self.by_disposition, &other.by_disposition);
        merge(&mut self.blocks_by_disposition, &other.blocks_by_disposition);
        merge(&mut self.content_bytes_by_disposition, &other.content_bytes_by_disposition);
        merge(&mut self.by_reason, &other.by_reason);
        merge(&mut self.unknown_kinds, &other.unknown_kinds);
        self.synthetic_timestamps += other.synthetic_timestamps;
        self.derived_timestamps += other.derived_timestamps;
        self.out_of_order += other.out_of_order;
        self.unaccounted_bytes += other.unaccounted_bytes;
        self.lost += other.lost;
        self.repaired += other.repaired;
        self.folded_content += other.folded_content;
    }
}
