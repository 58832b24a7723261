//! The library: one SQLite file that holds what was imported, and that other tools may open.
//!
//! Owns: the file and its migrations, one transaction per conversation, what is known for change
//! detection, runs, full text, export.
//! Deliberately absent: any knowledge of one source, reading of stores, the clock, the network.
//!
//! A conversation is `(source, source_conversation_id)` and a message is `(conversation, seq)`; no id is
//! global, so two conversations that share the ids of their messages both keep all of them.

#[cfg(test)]
extern crate self as assay_library;

mod activity;
mod care;
mod case;
mod code;
mod conversation;
mod earlier;
mod error;
pub mod export;
#[cfg(test)]
mod faults;
mod file;
mod filter;
mod incoming;
mod key;
mod ledger;
mod library;
mod message;
mod origin;
mod original;
mod reader;
mod run;
mod search;
mod standing;

pub use care::{Finding, beside};
pub use conversation::{Listed, Marked, Stored};
pub use error::Error;
pub use filter::{Filter, Sort};
pub use incoming::{Bytes, Incoming, Known, KnownOfSource, Outcome, Plan, Prepared, plan, title};
pub use library::{Done, Group, Library};
pub use original::{Original, Originals, Stream};
pub use reader::{Reader, Size};
pub use run::{OutcomeQuery, OutcomeRow, Page, Run};
pub use rusqlite::InterruptHandle;
pub use search::{Hit, SearchFilter, Snippet};
pub use standing::{Labelled, Purged, label};
