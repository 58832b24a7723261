//! One conversation from candidate to verdict: collect, parse, project, hash, sum up.
//!
//! Preview, import and inspector all come through here, so that they cannot disagree. A panic of an
//! adapter costs its conversation and nothing else. Deliberately absent: what happens with the outcome.

use assay_model::hash::{self, Hash};
use assay_model::{Candidate, Ledger, ParsedConversation, Retention, Summary, Verdict};
use assay_sources::{Evidence, ReadError, Roots, SourceAdapter, parse};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Why a conversation could not be examined.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{detail}")]
pub struct Trouble {
    /// Stable code: those of [`ReadError`], `panicked`, `same-id`.
    pub code: &'static str,
    /// What the machine says.
    pub detail: String,
}

impl Trouble {
    /// Whether the store itself stands in the way and trying again will not help until it changes.
    pub fn is_block(&self) -> bool {
        matches!(self.code, "no-permission" | "locked" | "damaged" | "encrypted" | "same-id")
    }
}

impl From<ReadError> for Trouble {
    fn from(error: ReadError) -> Self {
        Self { code: error.code(), detail: error.to_string() }
    }
}

/// A conversation, and everything that is known about it under one retention.
#[derive(Debug, Clone)]
pub struct Examined {
    /// The conversation.
    pub conversation: ParsedConversation,
    /// Its account.
    pub ledger: Ledger,
    /// The account in numbers.
    pub summary: Summary,
    /// The verdict.
    pub verdict: Verdict,
}

impl Examined {
    fn of(conversation: ParsedConversation, ledger: Ledger, retention: Retention) -> Self {
        let summary = Summary::of(&conversation, &ledger);
        let verdict = Verdict::of(&conversation, &summary, retention);
        Self { conversation, ledger, summary, verdict }
    }

    /// The same under `retention`.
    pub fn under(mut self, retention: Retention) -> Self {
        if retention == Retention::Full {
            return self;
        }
        let moved = self.conversation.under(retention);
        self.ledger.under(retention, &moved);
        Self::of(self.conversation, self.ledger, retention)
    }
}

/// The hashes of a conversation under one retention.
#[derive(Debug, Clone)]
pub struct Hashes {
    /// Interchangeable with the reference system's.
    pub content: Hash,
    /// Over the whole timeline.
    pub full: Hash,
    /// One link for each message; the last is `full`.
    pub chain: Vec<Hash>,
}

impl Hashes {
    /// Computes them.
    pub fn of(conversation: &ParsedConversation) -> Self {
        let chain = hash::chain(conversation);
        Self {
            content: hash::content_hash(conversation),
            full: chain.last().copied().unwrap_or_else(|| hash::chain_root(conversation)),
            chain,
        }
    }
}

/// Collects and parses one candidate, with everything that full retention keeps.
pub fn examine(adapter: &dyn SourceAdapter, roots: &Roots, candidate: &Candidate) -> Result<Examined, Trouble> {
    let evidence = collect(adapter, roots, candidate)?;
    examine_evidence(adapter, candidate, &evidence)
}

/// Collects one candidate's evidence.
pub fn collect(adapter: &dyn SourceAdapter, roots: &Roots, candidate: &Candidate) -> Result<Evidence, Trouble> {
    guarded(|| adapter.collect(roots, candidate))?.map_err(Trouble::from)
}

/// Parses evidence that was collected.
pub fn examine_evidence(
    adapter: &dyn SourceAdapter,
    candidate: &Candidate,
    evidence: &Evidence,
) -> Result<Examined, Trouble> {
    guarded(|| {
        let (conversation, ledger) = parse(adapter, candidate, evidence);
        Examined::of(conversation, ledger, Retention::Full)
    })
}

/// Runs a step of an adapter; a panic becomes a trouble.
pub fn guarded<T>(step: impl FnOnce() -> T) -> Result<T, Trouble> {
    catch_unwind(AssertUnwindSafe(step)).map_err(|cause| Trouble { code: "panicked", detail: words(&*cause) })
}

fn words(cause: &(dyn Any + Send)) -> String {
    let text = cause.downcast_ref::<&str>().map(|s| (*s).to_owned());
    text.or_else(|| cause.downcast_ref::<String>().cloned()).unwrap_or_else(|| "a step panicked".to_owned())
}
