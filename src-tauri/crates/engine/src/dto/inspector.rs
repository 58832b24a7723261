//! One conversation as a timeline, down to the raw record.
//!
//! Deliberately absent: words for people, and paths to use.

use super::{ConversationRow, Count, Fate, LibraryRow, RetentionChoice, Strata};
use assay_model::Locator;
use serde::Serialize;
use ts_rs::TS;

/// A conversation as the inspector opens it.
#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Inspection {
    /// Its row.
    pub row: ConversationRow,
    /// `reference` or `full`.
    pub retention: RetentionChoice,
    /// Reference messages, and messages under full retention: the figures on the switch.
    pub reference_messages: u32,
    /// See `reference_messages`.
    pub full_messages: u32,
    /// Items of the timeline under this retention.
    pub items: u32,
    /// The core sample: runs of equal disposition over all records, in store order.
    pub core: Vec<CoreRun>,
    /// Entries by disposition.
    pub strata: Strata,
    /// Entries by reason.
    pub by_reason: Vec<Count>,
    /// Remarks.
    pub notices: Vec<NoticeView>,
    /// `contentHash`.
    pub content_hash: String,
    /// `fullHash`.
    pub full_hash: String,
    /// Conversations it belongs to or comes from.
    pub links: Vec<LinkView>,
    /// What the library says of it, if it was opened from there.
    pub kept: Option<LibraryRow>,
    /// The command that goes on with it in its tool, where that is known and the tool still has it.
    pub resume: Option<String>,
}

/// A pointer to another conversation.
#[derive(Debug, Clone, Serialize, TS)]
pub struct LinkView {
    /// `sub-agent`, `fork`, `copy`, `earlier-state`: what this is of the other. `has-earlier-state`, `has-copy`: what
    /// the other is of this.
    pub relation: String,
    /// The other's key, if it is known.
    pub key: String,
}

/// A run of records in the core sample.
#[derive(Debug, Clone, Copy, Serialize, TS)]
pub struct CoreRun {
    /// What became of them.
    pub disposition: Fate,
    /// How many records.
    pub records: u32,
    /// The timeline item where the run begins.
    pub item: u32,
}

/// A remark.
#[derive(Debug, Clone, Serialize, TS)]
pub struct NoticeView {
    /// Stable code.
    pub code: String,
    /// Names and numbers.
    pub detail: String,
    /// Where, if it is about one place.
    pub place: Option<Place>,
}

/// Where something stands in the original.
#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Place {
    /// The file, with the home folder as `~`.
    pub file: String,
    /// Physical line, for byte-addressed stores.
    #[ts(type = "number | null")]
    pub line: Option<u64>,
    /// Byte span.
    #[ts(type = "number | null")]
    pub byte_start: Option<u64>,
    /// See `byte_start`.
    #[ts(type = "number | null")]
    pub byte_end: Option<u64>,
    /// Table and key, for rows.
    pub table: Option<String>,
    /// See `table`.
    pub key: Option<String>,
    /// JSON pointer inside the record.
    pub pointer: Option<String>,
}

impl Place {
    /// From a locator, with `home` shortened to `~`.
    pub fn of(locator: &Locator, home: &str) -> Self {
        let short = |file: &str| match file.strip_prefix(home) {
            Some(rest) if !home.is_empty() => format!("~{rest}"),
            _ => file.to_owned(),
        };
        let pointer = locator.pointer().map(str::to_owned);
        match locator {
            Locator::Bytes { file, byte_start, byte_end, line, .. } => Self {
                file: short(file),
                line: Some(*line),
                byte_start: Some(*byte_start),
                byte_end: Some(*byte_end),
                table: None,
                key: None,
                pointer,
            },
            Locator::Row { file, table, key, .. } => Self {
                file: short(file),
                line: None,
                byte_start: None,
                byte_end: None,
                table: Some(table.to_string()),
                key: key.as_deref().map(str::to_owned),
                pointer,
            },
        }
    }
}

/// One item of the timeline: a message, or the ghost of what no message holds.
#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct TimelineItem {
    /// Index in the timeline under this retention.
    pub index: u32,
    /// `message` or `ghost`.
    pub item: String,
    /// `kept`, `recovered`, `folded`, `dropped`, `unknown`, `pending`.
    pub disposition: Fate,
    /// The boundary it crossed.
    pub reason: Option<String>,
    /// `user`, `assistant`, `system`; for a ghost what it would have been, if it is known.
    pub from: Option<String>,
    /// `text`, `tool-call`, `tool-result`, `reasoning`, `event`, `attachment`, `draft`; for a ghost the store's own name.
    pub kind: String,
    /// Text; at most 16 KiB of it.
    pub content: String,
    /// Whether there is more text than `content` has.
    pub cut: bool,
    /// Length of the whole text in bytes.
    #[ts(type = "number")]
    pub bytes: u64,
    /// Reasoning that belongs to it.
    pub thinking: Option<String>,
    /// The tool.
    pub tool_name: Option<String>,
    /// Joins a call and its result.
    pub tool_call_id: Option<String>,
    /// Whether tools were used.
    pub has_tool_use: bool,
    /// Time, ISO.
    pub at: Option<String>,
    /// `recorded`, `derived`, `synthetic`.
    pub origin: String,
    /// The rule, for a derived or synthetic time.
    pub rule: Option<String>,
    /// For an out-of-order message: the item that it would come before by time.
    pub belongs_before: Option<u32>,
    /// Off the live path: `abandoned`, `sidechain`, `superseded`, `rolled-back`, `unplaced`.
    pub branch: Option<String>,
    /// What was folded into it, e.g. three tool calls.
    pub chips: Vec<Chip>,
    /// Its ledger entry, for the drawer.
    pub entry: Option<u32>,
}

/// Something that survives only as a flag on a message.
#[derive(Debug, Clone, Serialize, TS)]
pub struct Chip {
    /// The store's name of it.
    pub kind: String,
    /// The boundary.
    pub reason: String,
    /// The tool, or the beginning of its content.
    pub label: String,
    /// Its ledger entry.
    pub entry: u32,
}

/// A record as it stands in the original.
#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct RawRecord {
    /// Where.
    pub place: Place,
    /// The store's name of it.
    pub kind: String,
    /// What became of it.
    pub disposition: Fate,
    /// The boundary it crossed.
    pub reason: Option<String>,
    /// Its text, at most 256 KiB; U+FFFD for what is not UTF-8.
    pub text: String,
    /// Whether there is more.
    pub cut: bool,
    /// Its length in bytes.
    #[ts(type = "number")]
    pub bytes: u64,
    /// Its blocks.
    pub blocks: Vec<RawBlock>,
}

/// A block of a raw record.
#[derive(Debug, Clone, Serialize, TS)]
pub struct RawBlock {
    /// JSON pointer.
    pub pointer: String,
    /// The store's name of it.
    pub kind: String,
    /// What became of it.
    pub disposition: Fate,
    /// The boundary it crossed.
    pub reason: Option<String>,
    /// Bytes of its content.
    #[ts(type = "number")]
    pub bytes: u64,
}

/// A place in a conversation where something that was looked for stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct FoundPlace {
    /// The item of the timeline.
    pub item: u32,
    /// `content`, `thinking`.
    pub part: String,
    /// How often it stands there.
    pub count: u32,
    /// Whether it stands only behind what a page of the timeline carries of the item.
    pub beyond: bool,
}
