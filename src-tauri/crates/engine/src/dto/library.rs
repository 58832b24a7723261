//! What the library holds: lists, searches, and what leaves it.
//!
//! Deliberately absent: words for people, and paths to use.

use super::{Count, Fault, RetentionChoice};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// A conversation of the library.
#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct LibraryRow {
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
    /// Messages, recovered ones included.
    pub messages: u32,
    /// Recovered messages.
    pub recovered: u32,
    /// Entries that a person could miss.
    pub dropped: u32,
    /// Unknown entries.
    pub unknown: u32,
    /// Messages with a made-up time.
    pub synthetic: u32,
    /// `exact`, `complete`, `degraded`, `blocked`.
    pub verdict: String,
    /// Bytes of the store that it was read from.
    #[ts(type = "number")]
    pub bytes: u64,
    /// Under which rules it was read.
    pub retention: RetentionChoice,
    /// Since when its source no longer has it, ISO.
    pub gone_since: Option<String>,
    /// Whether a person pinned it.
    pub pinned: bool,
    /// Labels that a person gave it.
    pub labels: Vec<String>,
    /// Since when it is deleted and can be restored, ISO.
    pub deleted_at: Option<String>,
    /// How many earlier states of it are kept, because they say more than the source does now.
    pub earlier: u32,
    /// How many copies of it there are.
    pub copies: u32,
    /// What it is of another one: `sub-agent`, `fork`, `copy`, `earlier-state`.
    pub relation: Option<String>,
}

/// Which conversations or messages of the library, in which order.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", default)]
pub struct LibraryQuery {
    /// What to look for: in titles, projects, folders and ids of a list; in messages of a search.
    pub text: String,
    /// Only this source.
    pub source: Option<String>,
    /// Only this project.
    pub project: Option<String>,
    /// At this time or later, ISO.
    pub from: Option<String>,
    /// Before this time, ISO.
    pub before: Option<String>,
    /// For a search only messages from `user`, `assistant` or `system`.
    pub role: Option<String>,
    /// Only what uses tools.
    pub tools: bool,
    /// Only what has code.
    pub code: bool,
    /// Only what lost something or holds a kind that is not known.
    pub lossy: bool,
    /// Only what has a made-up time.
    pub synthetic: bool,
    /// Only what its source no longer has.
    pub gone: bool,
    /// Only what is pinned.
    pub pinned: bool,
    /// Only what bears this label.
    pub label: Option<String>,
    /// What is deleted and can be restored, instead of everything else.
    pub deleted: bool,
    /// Earlier states of conversations that their source took something back from, instead of the conversations.
    pub earlier: bool,
    /// Also copies of conversations that are there themselves.
    pub copies: bool,
    /// Of a list: `title`, `project`, `time`, `messages`, `dropped`, `bytes`. A search has the best first.
    pub sort: String,
    /// Largest first.
    pub descending: bool,
    /// First row.
    pub offset: u32,
    /// How many rows; at most 500.
    pub limit: u32,
}

/// A message that answers a search.
#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SearchHit {
    /// Names the conversation.
    pub key: String,
    /// The source.
    pub source: String,
    /// The conversation's title.
    pub title: String,
    /// The conversation's project.
    pub project: String,
    /// The message's position in the whole timeline; see `locate`.
    pub message: u32,
    /// `user`, `assistant`, `system`.
    pub from: String,
    /// What it is.
    pub kind: String,
    /// Its time, ISO.
    pub at: Option<String>,
    /// `recorded`, `derived`, `synthetic`.
    pub origin: String,
    /// The boundary it crossed, if it was recovered.
    pub reason: Option<String>,
    /// Whether what was found is in its thinking.
    pub in_thinking: bool,
    /// Since when the source no longer has the conversation, ISO.
    pub gone_since: Option<String>,
    /// The place in its text.
    pub text: String,
    /// What was found in `text`, as first and last place of UTF-16.
    pub marks: Vec<[u32; 2]>,
}

/// A page of what a search found.
#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SearchPage {
    /// How many there are.
    pub total: u32,
    /// Where this page begins.
    pub offset: u32,
    /// Best first.
    pub rows: Vec<SearchHit>,
    /// Messages that no search can find yet, because they are not indexed.
    #[ts(type = "number")]
    pub unindexed: u64,
}

/// What a list can be narrowed to.
#[derive(Debug, Clone, Default, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct LibraryFacets {
    /// Sources and how many conversations each has.
    pub sources: Vec<Count>,
    /// Projects and how many conversations each has, most first.
    pub projects: Vec<Count>,
    /// Labels and how many conversations bear each, by name.
    pub labels: Vec<Count>,
    /// Conversations that are deleted and can be restored.
    pub deleted: u32,
    /// Messages that are not indexed yet.
    #[ts(type = "number")]
    pub unindexed: u64,
}

/// A form in which conversations leave the library.
#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ExportForm {
    /// `markdown`, `json`, `html`, `chatcrystal`.
    pub format: String,
    /// How its file's name ends.
    pub ending: String,
    /// What is in the library and not in the document, as codes.
    pub leaves_out: Vec<String>,
    /// Whether secrets are masked unless a person says otherwise.
    pub masks: bool,
}

/// Conversations that left the library.
#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ExportResult {
    /// The file's name.
    pub file: String,
    /// Conversations in it.
    pub conversations: u32,
    /// Secrets that were masked.
    #[ts(type = "number")]
    pub masked: u64,
    /// Conversations that are not in it, with the reason.
    pub refused: Vec<Fault>,
}

/// How many, of something at an hour.
#[derive(Debug, Clone, Serialize, TS)]
pub struct HourCount {
    /// A source or a reason.
    pub code: String,
    /// Hours since 1970.
    #[ts(type = "number")]
    pub hour: i64,
    /// How many.
    #[ts(type = "number")]
    pub count: u64,
}

/// The library over time.
#[derive(Debug, Clone, Default, Serialize, TS)]
pub struct LibraryHistory {
    /// Messages by source, oldest first; those with a made-up time are left out.
    pub activity: Vec<HourCount>,
    /// Entries that a person could miss by reason, at the hour of their conversation's latest message.
    pub losses: Vec<HourCount>,
}
