//! Claude Code: transcripts in `~/.claude/projects`, one JSON record a line.
//!
//! Owns discovery, the published rules for what a message is, and everything beyond them that a
//! transcript says. Each file is one conversation; a sub-agent's transcript is a conversation of its own,
//! linked to the one that started it; sessions that share records (a resume, a fork) are linked, and stay two. What
//! lies beside them is told, too: the history of prompts, and what is left of sessions that are gone. Deliberately
//! absent: usage and cost, and any merging of two files.

mod beside;
mod blocks;
mod bodies;
mod calls;
mod context;
mod copies;
mod discovery;
mod history;
mod kinds;
mod known;
mod line;
mod manifest;
mod outcome;
mod queue;
mod render;
mod session;
mod spoken;
mod sub_agents;
mod told;
mod transcripts;
mod tree;
mod wrappers;

#[cfg(test)]
mod tests;

use crate::{Account, Detection, Evidence, ReadError, Roots, ScanError, SourceAdapter, SourceManifest};
use assay_model::{Candidate, NoticeCode};

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
        account.known = Some(&known::KNOWN);
        let hint = discovery::Hint::of(candidate);
        for path in &hint.paths {
            account.notice(NoticeCode::DuplicateOf, format!("path {}", path.display()), None);
        }
        match hint.sort {
            Some(discovery::Sort::History) => history::fill(evidence, account),
            Some(discovery::Sort::Leftovers) => {
                account.notice(NoticeCode::BodyMissing, format!("transcript {}", candidate.id), None);
                evidence.files.iter().for_each(|file| beside::fill(file, account));
            }
            None => {
                let Some((transcript, beside)) = evidence.files.split_first() else { return };
                let mut session = session::Session::new(hint, evidence);
                account.read_jsonl(transcript, |account, record| session.record(account, record));
                beside.iter().for_each(|file| beside::fill(file, account));
                session.close(account, candidate, evidence);
            }
        }
    }
}
