//! What a conversation is, and what became of every byte that told it.
//!
//! Owns: the timeline ([`Message`], [`ParsedConversation`]), where a time came from ([`When`]),
//! the [`Ledger`] and its balance, the closed lists of [`Reason`]s and notices, the two hashes,
//! identity and namespacing.
//!
//! Deliberately absent: input and output, the clock, the environment, any knowledge of one source.

mod candidate;
mod conversation;
pub mod hash;
pub mod identity;
mod ledger;
mod locator;
mod message;
mod reason;
mod summary;
pub mod text;
mod time;
mod verdict;

pub use candidate::{Candidate, Coverage};
pub use conversation::{Link, ParsedConversation, Relation};
pub use ledger::{Disposition, FileExtent, Ledger, LedgerEntry, Notice, NoticeCode};
pub use locator::Locator;
pub use message::{Branch, Kind, Message, MessageType, Provenance};
pub use reason::Reason;
pub use summary::Summary;
pub use time::{Timestamp, When};
pub use verdict::Verdict;

use serde::{Deserialize, Serialize};

/// Which rules decide what an import keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Retention {
    /// The published rules only; `contentHash` covers exactly this.
    Reference,
    /// The published rules, and beside them everything they lose that can be recovered.
    #[default]
    Full,
}

impl Retention {
    /// The word used on the command line, in JSON and in the library.
    pub fn code(self) -> &'static str {
        match self {
            Retention::Reference => "reference",
            Retention::Full => "full",
        }
    }
}
