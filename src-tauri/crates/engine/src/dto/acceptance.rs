//! What an import of one source would keep and lose: numbers, boundaries, conversations.
//!
//! Deliberately absent: words for people, and paths to use.

use super::{Bilingual, Count, Fate, Strata};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

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

/// What crossed a boundary, and what became of it.
#[derive(Debug, Clone, Serialize, TS)]
pub struct Crossed {
    /// The boundary, or the remark that says that something is missing.
    pub code: String,
    /// What became of it.
    pub disposition: Fate,
    /// Whether a person could miss it.
    pub loss: bool,
    /// How many.
    #[ts(type = "number")]
    pub count: u64,
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
    /// The same by what became of them, and what is missing without having been there.
    pub crossed: Vec<Crossed>,
    /// Conversations that lose something, by reason or remark, most first.
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

/// A row of the conversation table.
#[derive(Debug, Clone, Default, Serialize, TS)]
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
    /// What a person could miss and no message holds: dropped entries, and what is missing from the store.
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
    /// Only those that crossed this boundary, have this remark, or `derived-timestamp`, `out-of-order`.
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
