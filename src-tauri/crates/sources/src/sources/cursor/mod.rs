//! Cursor: the editor's composers in `state.vscdb`, legacy chats, and the agent's own stores.
//!
//! Two stacks that know nothing of each other are read side by side and joined by id. Deliberately absent:
//! the cloud's conversations, which are on no disk, and secrets, whose keys are never asked for.

mod agent;
mod blocks;
mod bubble;
mod collect;
mod composer;
mod content;
mod eras;
mod fields;
mod files;
mod hint;
mod index;
mod keys;
mod legacy;
mod manifest;
mod parents;
mod places;
mod plans;
mod protobuf;
mod render;
mod rows;
mod slugs;
mod store;
mod survey;
#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
mod time;
mod tool;
mod transcript;
mod writer;

use crate::{Account, Detection, Evidence, ReadError, Roots, ScanError, SourceAdapter, SourceManifest};
use assay_model::{Candidate, Link, NoticeCode, Relation};
use hint::{Hint, Store};
use survey::{Depth, survey};

/// The adapter.
pub(super) struct Adapter;

impl SourceAdapter for Adapter {
    fn manifest(&self) -> &'static SourceManifest {
        &manifest::MANIFEST
    }

    fn detect(&self, roots: &Roots) -> Detection {
        let (places, errors): (_, Vec<_>) = survey(roots, Depth::Counts).into_iter().map(|f| (f.root, f.errors)).unzip();
        Detection::with_errors(places, &errors.into_iter().flatten().collect::<Vec<_>>())
    }

    fn scan(&self, roots: &Roots, _found: &Detection, sink: &mut dyn FnMut(Result<Candidate, ScanError>)) {
        for finding in survey(roots, Depth::Candidates) {
            finding.errors.into_iter().for_each(|error| sink(Err(error)));
            finding.candidates.into_iter().for_each(|candidate| sink(Ok(candidate)));
        }
    }

    fn collect(&self, roots: &Roots, candidate: &Candidate) -> Result<Evidence, ReadError> {
        collect::collect(roots, candidate)
    }

    fn fill(&self, candidate: &Candidate, evidence: &Evidence, account: &mut Account) {
        let Some(hint) = Hint::read(candidate) else { return };
        if let Some(first) = &hint.copy_of {
            account.notice(NoticeCode::DuplicateOf, first, None);
            account.links.push(Link { relation: Relation::Copy, conversation: first.clone(), tool_call_id: None });
        }
        if let Some(parent) = &hint.parent {
            let call = candidate.id.strip_prefix("task-").map(str::to_owned);
            account.links.push(Link { relation: Relation::SubAgent, conversation: parent.clone(), tool_call_id: call });
        }
        match &hint.store {
            Store::Composer { .. } => composer::fill(candidate, &hint, evidence, account),
            Store::Tab { .. } => legacy::fill_tab(evidence, account),
            Store::Prompts { .. } => legacy::fill_prompts(evidence, account),
            Store::Blobs => store::fill(evidence, account),
            Store::Transcript => evidence.files.iter().for_each(|file| transcript::fill(file, account)),
            Store::History => evidence.files.iter().for_each(|file| files::fill_history(file, account)),
            Store::Plan => evidence.files.iter().for_each(|file| files::fill_plan(file, account)),
            Store::Plans => evidence.rows.iter().for_each(|row| drop(plans::fill(account, row))),
        }
    }
}
