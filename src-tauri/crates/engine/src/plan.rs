//! What an import would do with a conversation, and why it would leave one out.

use crate::examine::{Examined, Hashes, Trouble};
use assay_model::Retention;

/// Why the importer leaves a conversation out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Skip {
    /// Its source is switched off.
    Disabled,
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
}

impl Skip {
    /// The stable kebab-case code.
    pub fn code(self) -> &'static str {
        match self {
            Skip::Disabled => "disabled",
            Skip::UnchangedMetadata => "unchanged-metadata",
            Skip::FewerThanTwoMessages => "fewer-than-two-messages",
            Skip::Blocked => "blocked",
            Skip::Failed => "failed",
            Skip::Cancelled => "cancelled",
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

/// Whether a conversation is too short to be imported.
pub fn is_short(examined: &Examined, minimum: u32) -> bool {
    (examined.conversation.messages.len() as u64) < u64::from(minimum)
}

/// The plan for a conversation that was read.
pub fn of(examined: &Examined, _hashes: &Hashes, _retention: Retention, minimum: u32) -> Plan {
    if is_short(examined, minimum) {
        return Plan::Skipped(Skip::FewerThanTwoMessages);
    }
    Plan::New
}
