//! Codex: rollouts of the command line, the editor extension and the desktop app, from 2025-04 on.
//!
//! `discovery` finds the files, `rollout` reads one (with `meta`, `items`, `tools`, `events`, `compaction`), `typescript`
//! reads the oldest form; `telling` knows which texts say the same. `prompts` reads the
//! prompts outside of rollouts, `beside` what else is said about them. Deliberately absent: the SQLite projections
//! of rollouts, credentials.

mod beside;
mod compaction;
mod context;
mod discovery;
mod events;
mod files;
mod heads;
mod items;
mod known;
mod manifest;
mod meta;
mod parent;
mod prompts;
mod readable;
mod rollout;
mod telling;
#[cfg(test)]
mod tests;
mod tools;
mod typescript;

use crate::{
    Account, Detection, Evidence, EvidenceFile, Fate, MessageId, ReadError, Roots, ScanError, SourceAdapter, SourceManifest,
};
use assay_model::{Candidate, Link, Locator, NoticeCode, Reason, Relation};
use std::io::BufRead;

// Another tool's command line writes rollouts, too.
pub(in crate::sources) use discovery::{Tool, collect, places};

const NAME: &str = "codex";

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
        fill(candidate, evidence, account);
    }
}

/// Reads what [`collect`] got hold of into `account`.
pub(in crate::sources) fn fill(candidate: &Candidate, evidence: &Evidence, account: &mut Account) {
    account.known = Some(&known::KNOWN);
    let hint = |key: &str| candidate.hint.get(key).and_then(|v| v.as_str()).map(str::to_owned);
    if candidate.hint.get("history").is_some() {
        return prompts::fill_history(evidence, account);
    }
    account.slug = hint("title");
    if let Some(path) = hint("importedFrom") {
        account.notice(NoticeCode::DuplicateOf, format!("imported-from={path}"), None);
    }
    let paths = candidate.hint.get("paths").and_then(|p| p.as_array());
    for path in paths.into_iter().flatten().filter_map(|p| p.as_str()) {
        account.notice(NoticeCode::DuplicateOf, format!("path={path}"), None);
    }
    if let Some(original) = hint("copyOf") {
        account.notice(NoticeCode::DuplicateOf, format!("same-id={original}"), None);
        account.links.push(Link { relation: Relation::Copy, conversation: original, tool_call_id: None });
    }
    let Some((main, copies)) = evidence.files.split_first() else {
        account.notice(NoticeCode::BodyMissing, "rollout", None);
        return prompts::fill_queued(evidence, account);
    };
    if main.file.ends_with(".json") {
        typescript::fill(main, account);
    } else {
        rollout::fill(main, evidence.consulted.first(), account);
    }
    for copy in copies {
        fold_copy(main, copy, account);
    }
    prompts::fill_queued(evidence, account);
    // What was read after the rollout comes after it.
    let all = account.messages().len() as MessageId;
    if let Some(order) = &mut account.timeline {
        order.extend(order.len() as MessageId..all);
    }
    account.slug = account.slug.take().or_else(|| hint("stateTitle")).or_else(|| hint("importTitle"));
}

/// Accounts for a file whose whole text stands in `main`.
fn fold_copy(main: &EvidenceFile, copy: &EvidenceFile, account: &mut Account) {
    let still_equal = if copy.file.ends_with(".json") {
        match (copy.read_all(), main.read_all()) {
            (Ok(copy), Ok(main)) => main.starts_with(files::without_closers(&copy)),
            _ => false,
        }
    } else {
        match (copy.reader(), main.reader()) {
            (Ok(copy), Ok(main)) => files::is_beginning(copy, main).unwrap_or(false),
            _ => false,
        }
    };
    if !still_equal {
        account.notice(NoticeCode::ChangedWhileReading, &*copy.file, None);
        return account.read_jsonl(copy, |account, record| {
            account.unknown(record.entry, "changed-copy", &record.value.raw_text());
        });
    }
    let bytes = copy.reader().and_then(|mut reader| {
        let mut bytes = 0;
        loop {
            let length = reader.fill_buf()?.len();
            if length == 0 {
                return Ok(bytes);
            }
            bytes += length as u64;
            reader.consume(length);
        }
    });
    let bytes = bytes.unwrap_or(0);
    account.extent(copy.file.clone(), bytes);
    let locator = Locator::of_file(copy.file.clone(), bytes);
    account.notice(NoticeCode::DuplicateOf, &*main.file, Some(locator.clone()));
    if bytes > 0 {
        account.record(locator, "copy", bytes, Fate::Folded(Reason::Duplicate, None));
    }
}
