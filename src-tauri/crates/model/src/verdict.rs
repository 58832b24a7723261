//! One word for how well a conversation survives.

use crate::{Disposition, ParsedConversation, Retention, Summary};
use serde::{Deserialize, Serialize};

/// How well a conversation survives an import.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Nothing dropped, nothing unknown, no made-up time, nothing that needed recovering.
    Exact,
    /// All content kept, but some of it recovered, repaired or re-timed.
    Complete,
    /// Content dropped, unknown or missing.
    Degraded,
    /// Cannot be read: encrypted, damaged, locked, no permission.
    Blocked,
}

impl Verdict {
    /// The kebab-case code.
    pub fn code(self) -> &'static str {
        match self {
            Verdict::Exact => "exact",
            Verdict::Complete => "complete",
            Verdict::Degraded => "degraded",
            Verdict::Blocked => "blocked",
        }
    }

    /// The verdict on a conversation that could be read. A harmless drop (a blank line) is no loss, but what
    /// is dropped is not exact either.
    pub fn of(conversation: &ParsedConversation, summary: &Summary, retention: Retention) -> Self {
        if summary.lost > 0 || summary.unaccounted_bytes > 0 {
            return Verdict::Degraded;
        }
        let recovered = conversation.messages.iter().any(|m| !m.is_reference());
        let retimed = summary.synthetic_timestamps > 0;
        let any = |d| {
            [&summary.by_disposition, &summary.blocks_by_disposition].iter().any(|n| n.get(&d).is_some_and(|n| *n > 0))
        };
        let dropped = any(Disposition::Dropped) || any(Disposition::Pending);
        if recovered
            || retimed
            || dropped
            || summary.repaired > 0
            || (retention == Retention::Reference && summary.folded_content > 0)
        {
            return Verdict::Complete;
        }
        Verdict::Exact
    }
}
