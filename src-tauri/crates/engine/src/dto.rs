//! What crosses to the page: plain data, ids instead of paths, pages instead of whole stores.
//!
//! Generated to TypeScript by `cargo test -p assay-engine` (see `ui/src/lib/backend/generated/`); a test
//! holds the committed files fresh. Words for people are not here: codes are, and the page words them.
//! The exception is what an adapter declares about itself, which comes in both languages.

use assay_model::{Disposition, Locator};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use ts_rs::TS;

/// Text in both languages.
#[derive(Debug, Clone, Serialize, TS)]
pub struct Bilingual {
    /// English.
    pub en: String,
    /// 简体中文.
    pub zh: String,
}

/// An error as the edge sends it: `code` and `params` are worded by the page, `detail` is for a report.
#[derive(Debug, Clone, Serialize, Deserialize, TS)]
pub struct Fault {
    /// Stable kebab-case code.
    pub code: String,
    /// What the words need: paths, counts.
    pub params: BTreeMap<String, String>,
    /// What the machine said, untranslated.
    pub detail: String,
}

/// The app as it starts.
#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct AppState {
    /// Version of this build.
    pub version: String,
    /// The library.
    pub library: LibraryState,
    /// What the person chose.
    pub settings: Settings,
    /// Every source, in the order it is shown, before anything was detected.
    pub sources: Vec<SourceInfo>,
    /// Whether the embedded sample home is open instead of the person's own.
    pub sample: bool,
}

/// The library file.
#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct LibraryState {
    /// Where it is.
    pub path: String,
    /// Its size on disk.
    #[ts(type = "number")]
    pub bytes: u64,
    /// Conversations in it.
    #[ts(type = "number")]
    pub conversations: u64,
    /// Set when it cannot be used: `newer`, `damaged`, `locked`, `disk-full`, …
    pub fault: Option<Fault>,
}

/// A source as its adapter declares it.
#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SourceInfo {
    /// The stable name.
    pub source: String,
    /// The tool's own name.
    pub display_name: String,
    /// `name@n`.
    pub parser_version: String,
    /// What the store is.
    pub blurb: Bilingual,
    /// Inner markup of a 24×24 icon.
    pub icon: String,
    /// After how many days the tool deletes sessions, if it does.
    pub deletes_after_days: Option<u32>,
    /// Whether the person has it switched on.
    pub enabled: bool,
    /// Reference or full.
    pub retention: RetentionChoice,
}

/// Which rules decide what is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
pub enum RetentionChoice {
    /// The published rules.
    Reference,
    /// Everything that can be recovered.
    Full,
}

/// What the person chose; kept beside the library.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", default)]
pub struct Settings {
    /// `en`, `zh-CN`, or empty for the system's.
    pub language: String,
    /// `light`, `dark`, `contrast`, or empty for the system's.
    pub theme: String,
    /// Sources that are switched off; a source that is new to a version starts on.
    pub disabled: Vec<String>,
    /// Retention by source, where it is not full.
    pub retention: BTreeMap<String, RetentionChoice>,
    /// Folders that the person added, by source.
    pub folders: BTreeMap<String, Vec<String>>,
    /// Conversations with fewer messages are not imported.
    pub minimum_messages: u32,
    /// Whether every import compares content and not just size and time.
    pub verify: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            language: String::new(),
            theme: String::new(),
            disabled: Vec::new(),
            retention: BTreeMap::new(),
            folders: BTreeMap::new(),
            minimum_messages: 2,
            verify: false,
        }
    }
}

/// One place that was looked at.
#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct RootView {
    /// The place, with the home folder as `~`.
    pub path: String,
    /// `default`, `custom`, or `env:NAME`.
    pub origin: String,
    /// Whether it is there.
    pub exists: bool,
    /// Whether it may be read.
    pub readable: bool,
    /// Conversations in it.
    #[ts(type = "number")]
    pub conversations: u64,
    /// What else is to be said.
    pub note: Option<String>,
}

/// A source as it was found.
#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SourceView {
    /// The stable name.
    pub source: String,
    /// Whether the person has it switched on.
    pub enabled: bool,
    /// `not-installed`, `found`, `empty`, `no-permission`, `locked`, `encrypted`, `failed`; `looking` before.
    pub state: String,
    /// Why, for a failure.
    pub error: Option<String>,
    /// Every place that was looked at.
    pub roots: Vec<RootView>,
    /// Conversations found.
    #[ts(type = "number")]
    pub conversations: u64,
    /// Bytes found.
    #[ts(type = "number")]
    pub bytes: u64,
    /// The earliest file time, ISO.
    pub first_activity: Option<String>,
    /// The latest file time, ISO.
    pub last_activity: Option<String>,
    /// Sessions that the tool will delete within three days, if it deletes.
    #[ts(type = "number | null")]
    pub deleted_soon: Option<u64>,
    /// After a preview: content bytes by disposition under the source's retention.
    pub strata: Option<Strata>,
}

/// Numbers by disposition.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, TS)]
pub struct Strata {
    /// In a reference message.
    #[ts(type = "number")]
    pub kept: u64,
    /// In a recovered message.
    #[ts(type = "number")]
    pub recovered: u64,
    /// Only a flag or metadata survives.
    #[ts(type = "number")]
    pub folded: u64,
    /// Kinds not known to this parser.
    #[ts(type = "number")]
    pub unknown: u64,
    /// In no message.
    #[ts(type = "number")]
    pub dropped: u64,
    /// Still being written.
    #[ts(type = "number")]
    pub pending: u64,
}

impl Strata {
    /// From counts by disposition.
    pub fn of(counts: &BTreeMap<Disposition, u64>) -> Self {
        let n = |d| counts.get(&d).copied().unwrap_or(0);
        Self {
            kept: n(Disposition::Kept),
            recovered: n(Disposition::Recovered),
            folded: n(Disposition::Folded),
            unknown: n(Disposition::Unknown),
            dropped: n(Disposition::Dropped),
            pending: n(Disposition::Pending),
        }
    }
}

/// How many, of something with a code or a name.
#[derive(Debug, Clone, Serialize, Deserialize, TS)]
pub struct Count {
    /// The code or name.
    pub code: String,
    /// How many.
    #[ts(type = "number")]
    pub count: u64,
}

/// A kind that this parser does not know.
#[derive(Debug, Clone, Serialize, TS)]
pub struct UnknownKind {
    /// Its name.
    pub kind: String,
    /// How many.
    #[ts(type = "number")]
    pub count: u64,
    /// Versions of the tool that wrote it.
    pub versions: Vec<String>,
}

/// One source's preview in numbers, under one retention.
#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct AcceptanceSummary {
    /// The source.
    pub source: String,
    /// When the preview was made, ISO.
    pub previewed_at: String,
    /// Conversations, and how many have each verdict: `exact`, `complete`, `degraded`, `blocked`.
    #[ts(type = "number")]
    pub conversations: u64,
    /// By verdict.
    pub verdicts: Vec<Count>,
    /// Records in all.
    #[ts(type = "number")]
    pub records: u64,
    /// Bytes in all.
    #[ts(type = "number")]
    pub bytes: u64,
    /// Content bytes by disposition.
    pub strata: Strata,
    /// Entries by the boundary they crossed, most first.
    pub by_reason: Vec<Count>,
    /// Conversations that lose something, by reason, most first.
    pub losses: Vec<Count>,
    /// Messages with a made-up time.
    #[ts(type = "number")]
    pub synthetic: u64,
    /// Messages with a derived time.
    #[ts(type = "number")]
    pub derived: u64,
    /// Messages whose time disagrees with their place.
    #[ts(type = "number")]
    pub out_of_order: u64,
    /// Must be zero.
    #[ts(type = "number")]
    pub unaccounted_bytes: u64,
    /// Format drift.
    pub unknown_kinds: Vec<UnknownKind>,
    /// Notices by code.
    pub notices: Vec<Count>,
    /// What an import would do.
    pub plan: Vec<Count>,
}

/// One row of the acceptance matrix.
#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct BoundaryRow {
    /// The reason code.
    pub code: String,
    /// `text`, `tools`, `thinking`, `time`, `identity`, `versions`, `damage`.
    pub group: String,
    /// A short name.
    pub title: Bilingual,
    /// The rule in one line.
    pub rule: Bilingual,
    /// What the published rules make of it.
    pub reference: Fate,
    /// What full retention makes of it.
    pub full: Fate,
    /// The embedded fixture.
    pub fixture: String,
    /// Whether this build behaves as the fixture declares.
    pub pass: bool,
    /// How the outcome differs, when it does.
    pub difference: Option<String>,
    /// How often it was crossed in the person's own data; `null` before a preview.
    #[ts(type = "number | null")]
    pub yours: Option<u64>,
}

/// What becomes of something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
#[ts(rename = "Disposition")]
pub enum Fate {
    /// In a reference message.
    Kept,
    /// In a recovered message.
    Recovered,
    /// Only a flag or metadata survives.
    Folded,
    /// Kind not known.
    Unknown,
    /// In no message.
    Dropped,
    /// Still being written.
    Pending,
}

impl From<Disposition> for Fate {
    fn from(d: Disposition) -> Self {
        match d {
            Disposition::Kept => Self::Kept,
            Disposition::Recovered => Self::Recovered,
            Disposition::Folded => Self::Folded,
            Disposition::Unknown => Self::Unknown,
            Disposition::Dropped => Self::Dropped,
            Disposition::Pending => Self::Pending,
        }
    }
}

/// A row of the conversation table.
#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ConversationRow {
    /// Names the conversation in every other call.
    pub key: String,
    /// The source.
    pub source: String,
    /// The source's own id.
    pub id: String,
    /// Title, or the beginning of the first prompt; empty if there is neither.
    pub title: String,
    /// The project's name.
    pub project: String,
    /// The project's folder.
    pub cwd: Option<String>,
    /// The branch.
    pub git_branch: Option<String>,
    /// First and last time, ISO.
    pub first_at: Option<String>,
    /// See `first_at`.
    pub last_at: Option<String>,
    /// `reference` or `extended`.
    pub coverage: String,
    /// Another conversation that this one belongs to, and how: `sub-agent`, `fork`, `copy`.
    pub relation: Option<String>,
    /// Reference messages.
    pub messages: u32,
    /// Recovered messages.
    pub recovered: u32,
    /// Dropped entries that a person could miss.
    pub dropped: u32,
    /// Unknown entries.
    pub unknown: u32,
    /// Messages with a made-up time.
    pub synthetic: u32,
    /// `exact`, `complete`, `degraded`, `blocked`.
    pub verdict: String,
    /// What an import would do: `new`, `grown`, `changed`, `metadata`, `unchanged`, `skipped`, `blocked`.
    pub plan: String,
    /// Why, for `skipped` and `blocked`.
    pub plan_reason: Option<String>,
    /// Bytes of the store that it owns.
    #[ts(type = "number")]
    pub bytes: u64,
    /// Content bytes by disposition.
    pub strata: Strata,
}

/// Which rows of the conversation table, in which order.
#[derive(Debug, Clone, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", default)]
pub struct RowQuery {
    /// Text in title, project or id.
    pub text: String,
    /// Only those that crossed this boundary.
    pub reason: Option<String>,
    /// Only this verdict.
    pub verdict: Option<String>,
    /// Only this plan.
    pub plan: Option<String>,
    /// Only those with this unknown kind.
    pub unknown_kind: Option<String>,
    /// `title`, `project`, `time`, `messages`, `dropped`, `unknown`, `synthetic`, `verdict`, `plan`, `bytes`.
    pub sort: String,
    /// Largest first.
    pub descending: bool,
    /// First row.
    pub offset: u32,
    /// How many rows; at most 500.
    pub limit: u32,
}

/// A page of rows.
#[derive(Debug, Clone, Serialize, TS)]
pub struct Page<T> {
    /// How many there are in all.
    pub total: u32,
    /// Where this page begins.
    pub offset: u32,
    /// The rows.
    pub rows: Vec<T>,
}

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
}

/// A pointer to another conversation.
#[derive(Debug, Clone, Serialize, TS)]
pub struct LinkView {
    /// `sub-agent`, `fork`, `copy`.
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

/// A sign of life of long work; at most ten a second.
#[derive(Debug, Clone, Serialize, TS)]
#[serde(tag = "event", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum Progress {
    /// A source was detected.
    Detected {
        /// What was found.
        view: SourceView,
    },
    /// Work on a source goes on.
    Working {
        /// The source.
        source: String,
        /// Conversations done.
        #[ts(type = "number")]
        done: u64,
        /// Conversations in all, as far as known.
        #[ts(type = "number")]
        total: u64,
        /// Bytes done.
        #[ts(type = "number")]
        bytes_done: u64,
        /// Bytes in all, as far as known.
        #[ts(type = "number")]
        bytes_total: u64,
        /// Bytes a second, lately.
        #[ts(type = "number")]
        rate: u64,
        /// Seconds left, if that can be said.
        #[ts(type = "number | null")]
        seconds_left: Option<u64>,
    },
    /// A source is done.
    SourceDone {
        /// The source.
        source: String,
        /// Why it failed, if it did; the others go on.
        fault: Option<Fault>,
    },
    /// Everything is done, or was cancelled.
    Finished {
        /// Whether it was cancelled.
        cancelled: bool,
    },
}

/// What an import would do, before anything is written.
#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ImportPlan {
    /// By source.
    pub sources: Vec<SourcePlan>,
    /// What to read first: codes with counts, e.g. `encrypted-store`, `unknown-kinds`, `deleted-soon`.
    pub warnings: Vec<PlanWarning>,
}

/// A warning of a plan.
#[derive(Debug, Clone, Serialize, TS)]
pub struct PlanWarning {
    /// Stable code.
    pub code: String,
    /// The source it is about.
    pub source: String,
    /// How many.
    #[ts(type = "number")]
    pub count: u64,
}

/// What an import of one source would do.
#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SourcePlan {
    /// The source.
    pub source: String,
    /// Whether it is switched on.
    pub enabled: bool,
    /// Whether a preview was made; without one there are no figures.
    pub previewed: bool,
    /// `new`, `grown`, `changed`, `metadata`, `unchanged` with their counts.
    pub actions: Vec<Count>,
    /// Skipped, by reason.
    pub skipped: Vec<Count>,
    /// Blocked, by reason.
    pub blocked: Vec<Count>,
    /// Bytes that would be read.
    #[ts(type = "number")]
    pub bytes: u64,
}

/// What to import.
#[derive(Debug, Clone, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", default)]
pub struct ImportRequest {
    /// These sources; all that are switched on if empty.
    pub sources: Vec<String>,
    /// Only these conversations (keys), if not empty.
    pub keys: Vec<String>,
    /// Only these plans, if not empty.
    pub actions: Vec<String>,
    /// Compare content, not just size and time.
    pub verify: bool,
}

/// An import in its three layers, which are never added together.
#[derive(Debug, Clone, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ImportResult {
    /// The run.
    #[ts(type = "number")]
    pub run: i64,
    /// When it began, ISO.
    pub started_at: String,
    /// When it ended, ISO; `null` for one that was killed.
    pub ended_at: Option<String>,
    /// Whether it was cancelled.
    pub cancelled: bool,
    /// By source.
    pub sources: Vec<SourceResult>,
    /// Failures in all.
    #[ts(type = "number")]
    pub failures: u64,
}

/// An import of one source.
#[derive(Debug, Clone, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SourceResult {
    /// The source.
    pub source: String,
    /// Why the whole source failed, if it did.
    pub fault: Option<Fault>,
    /// Entries that the parser dropped, by reason (of what was read in this run).
    pub parser: Vec<Count>,
    /// Conversations that the importer skipped, by reason.
    pub importer: Vec<Count>,
    /// What the library did, by outcome.
    pub library: Vec<Count>,
}

/// One conversation of a run.
#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct OutcomeRow {
    /// Names the conversation.
    pub key: String,
    /// The source.
    pub source: String,
    /// The source's own id.
    pub id: String,
    /// Title, if known.
    pub title: String,
    /// `read`, or why it was skipped.
    pub importer: String,
    /// What the library did.
    pub library: Option<String>,
    /// More about a failure.
    pub detail: Option<String>,
    /// The verdict.
    pub verdict: Option<String>,
}

/// Which outcomes of a run.
#[derive(Debug, Clone, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", default)]
pub struct OutcomeQuery {
    /// The run.
    #[ts(type = "number")]
    pub run: i64,
    /// Only this source.
    pub source: Option<String>,
    /// Only this importer code.
    pub importer: Option<String>,
    /// Only this library code.
    pub library: Option<String>,
    /// First row.
    pub offset: u32,
    /// How many rows; at most 500.
    pub limit: u32,
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    /// Every type that crosses to the page.
    macro_rules! exported {
        ($($t:ty),+ $(,)?) => { [$((<$t as TS>::ident(&ts_rs::Config::default()), <$t as TS>::decl(&ts_rs::Config::default()))),+] };
    }

    #[test]
    fn generated_typescript_is_fresh() {
        let types = exported![
            Bilingual,
            Fault,
            AppState,
            LibraryState,
            SourceInfo,
            RetentionChoice,
            Settings,
            RootView,
            SourceView,
            Strata,
            Count,
            UnknownKind,
            AcceptanceSummary,
            BoundaryRow,
            Fate,
            ConversationRow,
            RowQuery,
            Page<ConversationRow>,
            Inspection,
            LinkView,
            CoreRun,
            NoticeView,
            Place,
            TimelineItem,
            Chip,
            RawRecord,
            RawBlock,
            Progress,
            ImportPlan,
            PlanWarning,
            SourcePlan,
            ImportRequest,
            ImportResult,
            SourceResult,
            OutcomeRow,
            OutcomeQuery,
        ];
        let mut text = String::from(
            "// Made from src-tauri/crates/engine/src/dto.rs by `UPDATE_TYPES=1 cargo test -p assay-engine`.\n\n",
        );
        for (_, declaration) in types {
            text.push_str("export ");
            text.push_str(&declaration);
            text.push_str("\n\n");
        }
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../ui/src/lib/backend/generated/dto.ts");
        #[allow(clippy::disallowed_methods)]
        if std::env::var_os("UPDATE_TYPES").is_some() {
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(&file, &text).unwrap();
        }
        assert_eq!(
            std::fs::read_to_string(&file).unwrap_or_default(),
            text,
            "run UPDATE_TYPES=1 cargo test -p assay-engine"
        );
    }
}
