//! What lies in a session's folder beside its sub-agents: output that was set aside and nothing mentions, and the
//! state of workflow runs.
//!
//! Older versions deleted a transcript and left its folder; what is in it then stands for itself. Deliberately
//! absent: output that a record mentions, see [`super::bodies`], and what a run's state means: no two versions of it
//! are known, so that it is kept as it is written.

use super::bodies::{self, FOLDER};
use super::discovery::{Hint, session_folder};
use super::sub_agents::PREFIX;
use crate::{Account, Evidence, EvidenceFile, Fate, ReadError, Roots, ScanError};
use assay_model::{Branch, Candidate, Kind, Message, MessageType, NoticeCode, Reason};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use walkdir::WalkDir;

/// The folder of the state of runs.
pub(super) const RUNS: &str = "workflows";

/// How deep below its folder a body may lie.
const DEPTH: usize = 3;

/// The bodies and runs in a session's folder, by path. What cannot be listed is handed to `fail`.
pub(super) fn files(session: &Path, fail: &mut dyn FnMut(ScanError)) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for (folder, depth) in [(FOLDER, DEPTH), (RUNS, 1)].map(|(name, depth)| (session.join(name), depth)) {
        if !folder.is_dir() {
            continue;
        }
        for entry in WalkDir::new(&folder).max_depth(depth).sort_by_file_name() {
            match entry {
                Ok(entry) if entry.file_type().is_file() => found.push(entry.into_path()),
                Ok(_) => {}
                Err(error) => fail(ScanError::walk(&folder, &error)),
            }
        }
    }
    let is_run = |path: &Path| path.parent() == Some(&session.join(RUNS));
    found.retain(|path| !is_run(path) || path.extension().is_some_and(|e| e == "json"));
    found
}

/// Adds to a transcript the bodies that it mentions, to consult; and to a session what nothing mentions, to own.
pub(super) fn add(
    roots: &Roots,
    candidate: &Candidate,
    hint: &Hint,
    evidence: &mut Evidence,
) -> Result<(), ReadError> {
    let path = &candidate.file_path;
    let folder = session_folder(path, hint.parent.as_deref());
    let files = files(&folder, &mut |error| evidence.notice(NoticeCode::BodyMissing, error.to_string()));
    let Some(transcript) = evidence.files.first().filter(|_| !files.is_empty()) else { return Ok(()) };
    let here = bodies::mentioned(transcript).map_err(|e| ReadError::io(path, &e))?;
    let is_agent = hint.parent.is_some() || path.file_name().is_some_and(|n| n.to_string_lossy().starts_with(PREFIX));
    let elsewhere = if is_agent { BTreeSet::new() } else { mentioned_by_agents(roots, &folder) };
    for file in files {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let mentioned = here.contains(&*name);
        if !mentioned && (is_agent || elsewhere.contains(&*name)) {
            continue;
        }
        match EvidenceFile::open(roots, &file) {
            Ok(body) if mentioned => evidence.consulted.push(body),
            Ok(body) => evidence.files.push(body),
            Err(error) => evidence.notice(NoticeCode::BodyMissing, error.to_string()),
        }
    }
    Ok(())
}

/// What is left of a session whose transcript is gone, but for what its sub-agents mention.
pub(super) fn collect(roots: &Roots, candidate: &Candidate, hint: &Hint) -> Result<Evidence, ReadError> {
    let mut evidence = Evidence::default();
    let Some(folder) = &hint.left else { return Err(ReadError::Gone(candidate.file_path.clone())) };
    let elsewhere = mentioned_by_agents(roots, folder);
    for file in files(folder, &mut |error| evidence.notice(NoticeCode::BodyMissing, error.to_string())) {
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
    let name = crate::account::base_name(&file.file);
    let is_run = Path::new(&*file.file).parent().and_then(Path::file_name).is_some_and(|folder| folder == RUNS);
    let (kind, what, reason) = if is_run {
        ("workflow", Kind::Event, Reason::BookkeepingRecord)
    } else {
        ("tool-results/unmentioned", Kind::ToolResult, Reason::ToolResult)
    };
    let Some((bytes, entry)) = account.read_whole(file, kind, Fate::Dropped(reason)) else { return };
    let locator = account.locator(entry).clone();
    let mut message =
        Message::recovered(name, MessageType::System, what, bodies::text(name, &bytes), reason, locator);
    // Nothing says when it was.
    message.branch = Some(Branch::Unplaced);
    account.recover(entry, "", kind, message);
}
