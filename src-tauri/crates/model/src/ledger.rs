//! The complete account of a parse: every record and every block, each with exactly one disposition.

use crate::{Locator, Reason, Retention};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::sync::Arc;

/// What became of a record or a block. The order is from strongest to weakest: a record takes the
/// strongest disposition among its blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Disposition {
    /// Its content is in a reference message.
    Kept,
    /// The published rules lose it; full retention keeps it as a recovered message.
    Recovered,
    /// Only a flag, a counter or metadata survives of it.
    Folded,
    /// A kind this parser does not know; the raw text is kept and listed by name.
    Unknown,
    /// Its content is in no message; the entry has a reason.
    Dropped,
    /// The incomplete last record of a file that is still being written.
    Pending,
}

impl Disposition {
    /// Every disposition, strongest first.
    pub const ALL: [Disposition; 6] = [
        Disposition::Kept,
        Disposition::Recovered,
        Disposition::Folded,
        Disposition::Unknown,
        Disposition::Dropped,
        Disposition::Pending,
    ];

    /// The kebab-case code.
    pub fn code(self) -> &'static str {
        match self {
            Disposition::Kept => "kept",
            Disposition::Recovered => "recovered",
            Disposition::Folded => "folded",
            Disposition::Unknown => "unknown",
            Disposition::Dropped => "dropped",
            Disposition::Pending => "pending",
        }
    }
}

/// One line of the account.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LedgerEntry {
    /// Where it stands. A record-level entry has no pointer, a block-level entry has one.
    pub locator: Locator,
    /// What the store calls it, e.g. `assistant/tool_use`.
    pub kind: Cow<'static, str>,
    /// What became of it.
    pub disposition: Disposition,
    /// The boundary it crossed. Always set for what is dropped.
    pub reason: Option<Reason>,
    /// Position of the message that holds its content (or that it was folded into).
    pub message_index: Option<u32>,
    /// Record level: bytes of the span or of the row's value. Block level: bytes of its content.
    pub bytes: u64,
    /// The beginning of what is in no message.
    pub excerpt: Option<String>,
}

impl LedgerEntry {
    /// Whether this accounts for a whole record rather than for a block of one.
    pub fn is_record(&self) -> bool {
        self.locator.pointer().is_none()
    }
}

/// A file whose record-level spans must tile it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FileExtent {
    /// The file.
    pub file: Arc<str>,
    /// Its (decompressed) length in bytes as it was read.
    pub bytes: u64,
}

macro_rules! notices {
    ($($(#[doc = $doc:literal])+ $variant:ident = $code:literal;)+) => {
        /// Something worth saying that drops nothing.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum NoticeCode { $($(#[doc = $doc])+ #[serde(rename = $code)] $variant,)+ }

        impl NoticeCode {
            /// Every notice there is.
            pub const ALL: &'static [NoticeCode] = &[$(NoticeCode::$variant,)+];

            /// The stable kebab-case code.
            pub fn code(self) -> &'static str {
                match self { $(NoticeCode::$variant => $code,)+ }
            }
        }
    };
}

impl NoticeCode {
    /// Whether it tells of something that a person could miss, and that no entry can stand for.
    pub fn is_loss(self) -> bool {
        matches!(
            self,
            NoticeCode::BodyMissing
                | NoticeCode::SnapshotMissing
                | NoticeCode::TruncatedFile
                | NoticeCode::TruncatedBySource
                | NoticeCode::DamagedStore
        )
    }
}

notices! {
    /// Written by a version newer than this parser knows.
    UnknownVersion = "unknown-version";
    /// Text had to be repaired to be read (lone surrogates, raw control bytes, invalid UTF-8).
    RepairedText = "repaired-text";
    /// The database's write-ahead log was read with it.
    WalIncluded = "wal-included";
    /// The database was read in place, as it stood.
    ReadInPlace = "read-in-place";
    /// A copy of something kept elsewhere.
    DuplicateOf = "duplicate-of";
    /// Records of more than one session in one file.
    MixedSessions = "mixed-sessions";
    /// The working directory changed on the way.
    CwdChanged = "cwd-changed";
    /// The project folder is known only by a name that cannot be decoded.
    PathUnresolved = "path-unresolved";
    /// The log has no first snapshot.
    SnapshotMissing = "snapshot-missing";
    /// A body is named but not in the store.
    BodyMissing = "body-missing";
    /// The store is encrypted by the tool.
    EncryptedStore = "encrypted-store";
    /// A field stands twice in one object; the last one counts.
    DuplicateKey = "duplicate-key";
    /// A time that cannot be meant (1970, the year 9999, seconds for milliseconds).
    InsaneTimestamp = "insane-timestamp";
    /// Parents that form a circle or are missing.
    BrokenTree = "broken-tree";
    /// Something replayed from another conversation or from before.
    Replay = "replay";
    /// The value of a field is not what is expected there.
    UnexpectedShape = "unexpected-shape";
    /// A value that the tool itself cut short.
    TruncatedBySource = "truncated-by-source";
    /// Identity or folder had to be taken from a file name.
    Inferred = "inferred";
    /// The order is not the tool's own.
    OrderInferred = "order-inferred";
    /// The file ends within a record.
    TruncatedFile = "truncated-file";
    /// A field with content that this parser does not know.
    UnknownField = "unknown-field";
    /// The store changed while it was being read.
    ChangedWhileReading = "changed-while-reading";
    /// A change of the log could not be applied.
    PatchNotApplied = "patch-not-applied";
    /// The database is damaged; what could be read of its pages was.
    DamagedStore = "damaged-store";
}

/// A remark beside the entries.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Notice {
    /// What it is about.
    pub code: NoticeCode,
    /// Names and numbers; never a sentence.
    pub detail: String,
    /// Where, if it is about one place.
    pub locator: Option<Locator>,
}

/// The complete account of one parse.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Ledger {
    /// Record-level and block-level entries, each record before its blocks, in store order.
    pub entries: Vec<LedgerEntry>,
    /// Remarks.
    pub notices: Vec<Notice>,
    /// Byte-addressed files that the conversation owns.
    pub extents: Vec<FileExtent>,
    /// Rows that the conversation owns: their number and the bytes of their values.
    pub rows: u64,
    /// See [`Ledger::rows`].
    pub row_bytes: u64,
}

impl Ledger {
    /// The account under `retention`. `moved` is what [`crate::ParsedConversation::under`] returned.
    pub fn under(&mut self, retention: Retention, moved: &[Option<u32>]) {
        if retention == Retention::Full {
            return;
        }
        for entry in &mut self.entries {
            if entry.disposition == Disposition::Recovered {
                entry.disposition = entry.reason.map_or(Disposition::Dropped, Reason::under_reference);
            }
            entry.message_index = entry.message_index.and_then(|i| moved.get(i as usize).copied().flatten());
        }
        self.settle_records();
    }

    /// The entries that stand for content, with their places in the account: blocks, and records without any.
    pub fn leaves(&self) -> impl Iterator<Item = (usize, &LedgerEntry)> {
        let has_blocks = |at: usize| self.entries.get(at + 1).is_some_and(|next| !next.is_record());
        self.entries.iter().enumerate().filter(move |(at, e)| !e.is_record() || !has_blocks(*at))
    }

    /// Gives each record the strongest disposition among its blocks.
    pub fn settle_records(&mut self) {
        let mut at = 0;
        while at < self.entries.len() {
            let blocks = self.entries[at + 1..].iter().take_while(|e| !e.is_record()).count();
            let strongest = self.entries[at + 1..at + 1 + blocks].iter().min_by_key(|e| e.disposition);
            if let Some((disposition, reason, index)) = strongest.map(|e| (e.disposition, e.reason, e.message_index)) {
                let record = &mut self.entries[at];
                record.disposition = disposition;
                record.reason = reason;
                record.message_index = index;
            }
            at += 1 + blocks;
        }
    }

    /// Bytes of the owned files and rows that no record-level entry, or more than one, accounts for.
    /// Zero when the ledger balances.
    pub fn unaccounted_bytes(&self) -> u64 {
        let mut gap = 0;
        for extent in &self.extents {
            let mut spans: Vec<(u64, u64)> = self
                .entries
                .iter()
                .filter(|e| e.is_record())
                .filter_map(|e| match &e.locator {
                    Locator::Bytes { file, byte_start, byte_end, .. } if **file == *extent.file => {
                        Some((*byte_start, *byte_end))
                    }
                    Locator::Bytes { .. } | Locator::Row { .. } => None,
                })
                .collect();
            if !spans.is_sorted() {
                spans.sort_unstable();
            }
            let mut at = 0;
            for (start, end) in spans {
                gap += start.abs_diff(at);
                at = end;
            }
            gap += extent.bytes.abs_diff(at);
        }
        let rows = self.entries.iter().filter(|e| e.is_record() && matches!(e.locator, Locator::Row { .. }));
        let (count, bytes) = rows.fold((0, 0), |(n, b), e| (n + 1, b + e.bytes));
        gap + bytes.abs_diff(self.row_bytes) + self.rows.abs_diff(count)
    }
}
