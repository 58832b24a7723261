//! What every place of the window uses: text in two languages, faults, pages, counts, signs of life.
//!
//! Deliberately absent: words for people, and paths to use.

use super::SourceView;
use assay_model::Disposition;
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

/// Which rules decide what is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
pub enum RetentionChoice {
    /// The published rules.
    Reference,
    /// Everything that can be recovered.
    Full,
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
