//! Claude Code: transcripts in `~/.claude/projects`, one JSON record a line.
//!
//! Owns discovery, the published rules for what a message is, and everything beyond them that a
//! transcript says. Each file is one conversation; a sub-agent's transcript is a conversation of its own,
//! linked to the one that started it. Deliberately absent: usage and cost, and any merging of two files:
//! sessions that share records (a resume, a fork) stay two.

mod blocks;
mod bodies;
mod calls;
mod context;
mod discovery;
mod kinds;
mod line;
mod manifest;
mod outcome;
mod queue;
mod render;
mod session;
mod spoken;
mod sub_agents;
mod told;
mod tree;
mod wrappers;

#[cfg(test)]
mod tests;

use crate::{Account, Detection, Evidence, ReadError, Roots, ScanError, SourceAdapter, SourceManifest};
use assay_model::Candidate;

/// The adapter.
pub(super) struct Adapter;

impl SourceAdapter for Adapter {
    fn manifest(&self) -> &'static SourceManifest {
        &manifest::MANIFEST
    }

    fn detect(&self, roots: &Roots) -> Detection {
        discovery::detect(roots)
    }

    fn scan(&self, roots: &Roots, found: &Detection, sink: &mut dyn FnMut(Result<Candidate, ScanError>)) {
        discovery::scan(roots, found, sink);
    }

    fn collect(&self, roots: &Roots, candidate: &Candidate) -> Result<Evidence, ReadError> {
        discovery::collect(roots, candidate)
    }

    fn fill(&self, candidate: &Candidate, evidence: &Evidence, account: &mut Account) {
        let mut session = session::Session::new(candidate, evidence);
        for file in &evidence.files {
            account.read_jsonl(file, |account, record| session.record(account, record));
        }
        session.close(account, candidate, evidence);
    }
}
