//! Trae (ByteDance): Trae, Trae CN, TRAE SOLO and TRAE SOLO CN.
//!
//! A store is the `ItemTable` of an editor's `state.vscdb`, one for each workspace and a global one. One
//! row holds many sessions, so the record is not the row but the element of an array: a conversation owns
//! a slice for its session's head and one for each message, whose locator key is the row's key with the
//! element's JSON pointer as a fragment (`memento/icube-ai-agent-storage#/list/0/messages/3`). What is left
//! of such a row — brackets, commas, which session was open last — belongs to no conversation, unless
//! something in it needs telling; then the store's own conversation (prompts, drafts, damage) owns it.
//!
//! A session that is only named, by a map of models or by the folder of its file snapshots, is a conversation
//! without messages, so that it is not missed in silence. The command line writes rollouts in Codex's format, and
//! Codex's parser reads them.
//!
//! Deliberately absent: whatever the tool encrypted (`ModularData/ai-agent/database.db` is looked at by its
//! first sixteen bytes and never opened), keys that hold secrets, logs, and what file snapshots hold.

mod choice;
mod collect;
mod extras;
mod fill;
mod loose;
mod manifest;
mod message;
mod places;
mod store;
mod survey;
#[cfg(test)]
mod tests;

use super::codex;
use crate::{Account, Detection, Evidence, ReadError, Roots, ScanError, SourceAdapter, SourceManifest};
use assay_model::Candidate;

/// The adapter.
pub(super) struct Adapter;

impl SourceAdapter for Adapter {
    fn manifest(&self) -> &'static SourceManifest {
        &manifest::MANIFEST
    }

    fn detect(&self, roots: &Roots) -> Detection {
        survey::survey(roots).detection()
    }

    fn scan(&self, roots: &Roots, _found: &Detection, sink: &mut dyn FnMut(Result<Candidate, ScanError>)) {
        let survey = survey::survey(roots);
        survey.candidates.into_iter().for_each(|candidate| sink(Ok(candidate)));
        survey.failures.into_iter().for_each(|failure| sink(Err(failure)));
    }

    fn collect(&self, roots: &Roots, candidate: &Candidate) -> Result<Evidence, ReadError> {
        collect::collect(roots, candidate)
    }

    fn fill(&self, candidate: &Candidate, evidence: &Evidence, account: &mut Account) {
        // A remote project is known by a URI, which is no folder.
        let folder = Some(&candidate.project_dir).filter(|dir| !dir.is_empty() && !dir.contains("://"));
        account.cwd = folder.cloned();
        match collect::Hint::of(candidate) {
            collect::Hint::Session { .. } => fill::session(candidate, evidence, account),
            collect::Hint::Named { .. } => fill::named(evidence, account),
            collect::Hint::Rollout(hint) => {
                codex::fill(&Candidate { hint, ..candidate.clone() }, evidence, account);
            }
            collect::Hint::Loose { .. } => loose::fill(evidence, account),
        }
    }
}
