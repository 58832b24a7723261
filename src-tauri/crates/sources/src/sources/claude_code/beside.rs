//! What lies in a session's folder beside its sub-agents: output that was set aside and nothing mentions, and the
//! state of workflow runs.
//!
//! Older versions deleted a transcript and left its folder; what is in it then stands for itself. Deliberately
//! absent: output that a record mentions, see [`super::bodies`], and what a run's state means: no two versions of it
//! are known, so that it is kept as it is written.

use super::bodies::{self, FOLDER};
use super::discovery::{Hint, session_folder};
use super::sub_agents::PREFIX;
use crate::{Account, Evidence, EvidenceFile, Fate, ReadError, Roots};
use assay_model::{Branch, Candidate, Kind, Locator, Message, MessageType, Reason};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use walkdir::WalkDir;

/// The folder of the state of runs.
const RUNS: &str = "workflows";

/// How deep below its folder a body may lie.
const DEPTH: usize = 3;

/// The bodies and runs in a session's folder, by path.
pub(super) fn files(session: &Path) -> Vec<PathBuf> {
    let below = |folder: &str, depth: usize| {
        let walk = WalkDir::new(session.join(folder)).max_depth(depth).sort_by_file_name();
        walk.into_iter().flatten().filter(|e| e.file_type().is_file()).map(walkdir::DirEntry::into_path)
    };
    let runs = below(RUNS, 1).filter(|p| p.extension().is_some_and(|e| e == "json"));
    below(FOLDER, DEPTH).chain(runs).collect()
}

/// Adds to a transcript the bodies that it mentions, to consult; and to a session what nothing mentions, to own.
pub(super) fn add(
    roots: &Roots,
    candidate: &Candidate,
    hint: &Hint,
    evidence: &mut Evidence,
) -> Result<(), ReadError> {
    let path = &candidate.file_path;
    let folder = session_folder(path);
    let files = files(&folder);
    let Some(transcript) = evidence.files.first().filter(|_| !files.is_empty()) else { return Ok(()) };
    let here = bodies::mentioned(transcript).map_err(|e| ReadError::io(path, &e))?;
    let is_agent = hint.parent.is_some() || path.file_name().is_some_and(|n| n.to_string_lossy().starts_with(PREFIX));
    let elsewhere = if is_agent { BTreeSet::new() } else { mentioned_by_agents(roots, &folder) };
    for file in files {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        // One that is gone by now is remarked where a record names it.
        if here.contains(&*name) {
            evidence.consulted.extend(EvidenceFile::open(roots, &file));
        } else if !is_agent && !elsewhere.contains(&*name) {
            evidence.files.extend(EvidenceFile::open(roots, &file));
        }
    }
    Ok(())
}

/// What is left of a session whose transcript is gone, but for what its sub-agents mention.
pub(super) fn collect(roots: &Roots, candidate: &Candidate) -> Result<Evidence, ReadError> {
    let mut evidence = Evidence::default();
    let inside = |a: &&Path| a.file_name().is_some_and(|n| n == FOLDER || n == RUNS);
    let Some(folder) = candidate.file_path.ancestors().filter(inside).last().and_then(Path::parent) else {
        return Err(ReadError::Gone(candidate.file_path.clone()));
    };
    let elsewhere = mentioned_by_agents(roots, folder);
    for file in files(folder) {
        if !elsewhere.contains(&*file.file_name().unwrap_or_default().to_string_lossy()) {
            evidence.files.push(EvidenceFile::open(roots, &file)?);
        }
    }
    Ok(evidence)
}

fn mentioned_by_agents(roots: &Roots, session: &Path) -> BTreeSet<String> {
    let walk = WalkDir::new(session.join("subagents")).sort_by_file_name().into_iter().flatten();
    let transcripts = walk.filter(|e| e.file_type().is_file() && e.path().extension().is_some_and(|x| x == "jsonl"));
    // Of one that cannot be read nothing is known; it is reported as a conversation of its own.
    let mentioned = transcripts.filter_map(|e| bodies::mentioned(&EvidenceFile::open(roots, e.path()).ok()?).ok());
    mentioned.flatten().collect()
}

/// Accounts for one such file.
pub(super) fn fill(file: &EvidenceFile, account: &mut Account) {
    let bytes = file.read_all().unwrap_or_default();
    let length = bytes.len() as u64;
    account.extent(file.file.clone(), length);
    if bytes.is_empty() {
        return;
    }
    let locator = Locator::Bytes { file: file.file.clone(), byte_start: 0, byte_end: length, line: 1, pointer: None };
    let name = crate::account::base_name(&file.file);
    let is_run = Path::new(&*file.file).parent().and_then(Path::file_name).is_some_and(|folder| folder == RUNS);
    let (kind, what, reason) = if is_run {
        ("workflow", Kind::Event, Reason::BookkeepingRecord)
    } else {
        ("tool-results/unmentioned", Kind::ToolResult, Reason::ToolResult)
    };
    let entry = account.record(locator.clone(), kind, length, Fate::Dropped(reason));
    let mut message =
        Message::recovered(name, MessageType::System, what, bodies::text(name, &bytes), reason, locator);
    // Nothing says when it was.
    message.branch = Some(Branch::Unplaced);
    account.recover(entry, "", kind, message);
}
