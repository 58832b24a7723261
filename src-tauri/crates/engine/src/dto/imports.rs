//! The plan of an import, its result in three layers, and its runs.
//!
//! Deliberately absent: words for people, and paths to use.

use super::{Count, Fault};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// What an import would do, before anything is written.
#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ImportPlan {
    /// By source.
    pub sources: Vec<SourcePlan>,
    /// What to read first, losses before all: codes with counts, e.g. `losses`, `encrypted-store`, `unknown-kinds`, `deleted-soon`.
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
    /// Names the conversation of the preview.
    pub key: String,
    /// Names it in the library, if this run put it there or found it there.
    pub kept: Option<String>,
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
    /// Only those whose conversation, as the library has it, crossed this boundary.
    pub reason: Option<String>,
    /// First row.
    pub offset: u32,
    /// How many rows; at most 500.
    pub limit: u32,
}
