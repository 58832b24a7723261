//! What an import would do with a conversation, and why it would leave one out.

use crate::examine::{Examined, Hashes, Trouble};
use crate::import::{incoming, is_current};
use crate::pipeline::Task;
use assay_library::{Bytes, Known, KnownOfSource};
use std::collections::HashSet;

/// Why the importer leaves a conversation out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Skip {
    /// Its source is switched off.
    Disabled,
    /// The person deleted it from the library.
    Deleted,
    /// Size, time, parser version and retention are those of the last import.
    UnchangedMetadata,
    /// Too short to be a conversation.
    FewerThanTwoMessages,
    /// The store stands in the way.
    Blocked,
    /// It could not be read or written.
    Failed,
    /// The person stopped the run before its turn.
    Cancelled,
    /// It was to be read from the library's own bytes, and they were not kept.
    NoOriginal,
}

impl Skip {
    /// The stable kebab-case code.
    pub fn code(self) -> &'static str {
        match self {
            Skip::Disabled => "disabled",
            Skip::Deleted => "deleted",
            Skip::UnchangedMetadata => "unchanged-metadata",
            Skip::FewerThanTwoMessages => "fewer-than-two-messages",
            Skip::Blocked => "blocked",
            Skip::Failed => "failed",
            Skip::Cancelled => "cancelled",
            Skip::NoOriginal => "no-original",
        }
    }
}

/// What an import would do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Plan {
    /// Not in the library yet.
    New,
    /// What the library has is its beginning.
    Grown,
    /// What the library has is different.
    Changed,
    /// Only what is known about it changed.
    Metadata,
    /// Nothing.
    Unchanged,
    /// It is left out.
    Skipped(Skip),
    /// It cannot be read; the code says why.
    Blocked(&'static str),
}

impl Plan {
    /// The stable kebab-case code.
    pub fn code(self) -> &'static str {
        match self {
            Plan::New => "new",
            Plan::Grown => "grown",
            Plan::Changed => "changed",
            Plan::Metadata => "metadata",
            Plan::Unchanged => "unchanged",
            Plan::Skipped(_) => "skipped",
            Plan::Blocked(_) => "blocked",
        }
    }

    /// Why, for what is left out or cannot be read.
    pub fn reason(self) -> Option<&'static str> {
        match self {
            Plan::Skipped(skip) => Some(skip.code()),
            Plan::Blocked(code) => Some(code),
            Plan::New | Plan::Grown | Plan::Changed | Plan::Metadata | Plan::Unchanged => None,
        }
    }
}

impl From<&Trouble> for Plan {
    fn from(trouble: &Trouble) -> Self {
        Plan::Blocked(trouble.code)
    }
}

impl From<assay_library::Plan> for Plan {
    fn from(plan: assay_library::Plan) -> Self {
        match plan {
            assay_library::Plan::New => Plan::New,
            assay_library::Plan::Grown => Plan::Grown,
            assay_library::Plan::Changed => Plan::Changed,
            assay_library::Plan::Metadata => Plan::Metadata,
            assay_library::Plan::Unchanged => Plan::Unchanged,
        }
    }
}

/// What the settings say of imports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rule {
    /// Conversations with fewer messages are left out.
    pub minimum: u32,
    /// Whether originals are kept.
    pub originals: bool,
}

/// Whether a conversation is too short to be imported.
pub fn is_short(examined: &Examined, minimum: u32) -> bool {
    (examined.conversation.messages.len() as u64) < u64::from(minimum)
}

/// What the library has of a source, and what a person wants it not to have.
#[derive(Debug, Default)]
pub struct Shelved {
    /// What it has, by id.
    pub known: KnownOfSource,
    /// Ids of what was deleted.
    pub deleted: HashSet<String>,
}

impl Shelved {
    /// What the library knows of a conversation.
    pub fn get(&self, id: &str) -> Option<&Known> {
        self.known.get(id)
    }

    /// Whether a person deleted it. What stands elsewhere under the same id may be another conversation: that is for
    /// the library to say, once it was read.
    pub fn is_deleted(&self, task: &Task) -> bool {
        let here = |known: &Known| known.file_path == task.candidate.file_path.to_string_lossy();
        self.deleted.contains(&task.candidate.id) && self.get(&task.candidate.id).is_none_or(here)
    }
}

/// The plan for a conversation that was read. `hashes` are made here where they are needed and not given.
pub fn of(task: &Task, examined: &Examined, hashes: Option<&Hashes>, shelved: &Shelved, rule: Rule) -> Plan {
    if shelved.is_deleted(task) {
        return Plan::Skipped(Skip::Deleted);
    }
    if is_short(examined, rule.minimum) {
        return Plan::Skipped(Skip::FewerThanTwoMessages);
    }
    let Some(known) = shelved.get(&task.candidate.id) else { return Plan::New };
    if is_current(known, task, rule) {
        return Plan::Skipped(Skip::UnchangedMetadata);
    }
    let made;
    let hashes = match hashes {
        Some(hashes) => hashes,
        None => {
            made = Hashes::of(&examined.conversation);
            &made
        }
    };
    // When it was read and the raw bytes play no part in the comparison.
    match assay_library::plan(Some(known), &incoming(task, examined, hashes, None, 0, Bytes::NotKept)) {
        assay_library::Plan::Unchanged if rule.originals && !known.original => Plan::Metadata,
        plan => plan.into(),
    }
}
