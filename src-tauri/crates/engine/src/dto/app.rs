//! The app as it starts, and what the person chose.
//!
//! Deliberately absent: words for people, and paths to use.

use super::{Bilingual, Fault, RetentionChoice};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use ts_rs::TS;

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
    /// Conversations in it, without deleted ones.
    #[ts(type = "number")]
    pub conversations: u64,
    /// Those that are deleted and can be restored.
    #[ts(type = "number")]
    pub deleted: u64,
    /// Whether an earlier version wrote it. What it holds is known once it is brought up, which the first use does.
    pub older: bool,
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
    /// Whether the library keeps the bytes that conversations are read from.
    pub keep_originals: bool,
    /// Whether what is new or changed is imported by itself while the app is open.
    pub watch: bool,
    /// Whether exports mask secrets unless a person says otherwise.
    pub mask: bool,
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
            keep_originals: true,
            watch: false,
            mask: true,
        }
    }
}
