//! Where stores are, and what was found there.
//!
//! Deliberately absent: words for people, and paths to use.

use super::Strata;
use serde::Serialize;
use ts_rs::TS;

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
    /// What in it could not be read, in the words of the machine.
    pub troubles: Vec<String>,
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
    /// Why the list of its conversations is not complete, in the words of the machine: a damaged database, a folder
    /// that cannot be listed. What a root holds of it is said there as well.
    pub troubles: Vec<String>,
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
    /// After a preview: conversations that would lose something under it.
    #[ts(type = "number | null")]
    pub losing: Option<u64>,
    /// After a preview: conversations that cannot be read.
    #[ts(type = "number | null")]
    pub unread: Option<u64>,
}

/// A folder or file that was dropped on the window. The page names it by its place among what was dropped.
#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Dropped {
    /// It, with the home folder as `~`.
    pub path: String,
    /// The folder that would be added.
    pub folder: String,
    /// Whether it is a file.
    pub file: bool,
    /// The sources that can read it, in the order of the registry.
    pub fits: Vec<DropFit>,
}

/// A source that can read what was dropped.
#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct DropFit {
    /// The stable name.
    pub source: String,
    /// Conversations in the folder.
    #[ts(type = "number")]
    pub conversations: u64,
    /// The one conversation of a file.
    pub key: Option<String>,
    /// Whether all of it lies in places that are looked at already.
    pub known: bool,
}
