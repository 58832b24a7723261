//! Where rollouts lie, and what lies beside them.
//!
//! Deliberately absent: what a record means (only the first one is looked at, for its id), and how the databases
//! beside the rollouts are read, see [`super::beside`].

use super::beside::{self, Beside, Queued};
use super::files::{Form, candidates, each_once, look_at};
use super::heads::{HEAD, id_from_name};
use super::{NAME, prompts};
use crate::adapter::NOT_PLAIN;
use crate::{Detection, Evidence, EvidenceFile, ReadError, Root, Roots, ScanError, State, roots};
use assay_model::{Candidate, Coverage, NoticeCode};
use serde_json::json;
use std::collections::{HashMap, HashSet};
use std::io::Read;
use std::path::{Path, PathBuf};
use walkdir::WalkDir;

/// The folders of sessions in a data folder.
const SESSIONS: [&str; 2] = ["sessions", "archived_sessions"];

/// A tool that writes rollouts.
pub(in crate::sources) struct Tool {
    /// The source that its conversations belong to.
    pub source: &'static str,
    /// The environment's override of the folder of databases; empty if there is none.
    pub sqlite_home: &'static str,
}

/// Codex itself.
const CODEX: Tool = Tool { source: NAME, sqlite_home: "CODEX_SQLITE_HOME" };

/// Looks at the sessions and the archive of every place that Codex may use, and at what lies beside them.
pub(super) fn detect(roots: &Roots) -> Detection {
    let bases = bases(roots);
    let (found, survey) = places(roots, &CODEX, &bases);
    let mut detection = Detection::with_errors(found, &survey.failures);
    if detection.state == State::NotInstalled && bases.iter().any(|(base, _)| base.is_dir()) {
        detection.state = State::Empty;
    }
    detection
}

/// Every place of these data folders with what it holds, and the whole of it.
pub(in crate::sources) fn places(roots: &Roots, tool: &Tool, bases: &[(PathBuf, &'static str)]) -> (Vec<Root>, Survey) {
    let found: Vec<(Root, PathBuf)> =
        located(roots, tool, bases).into_iter().map(|(path, origin, base)| (look(path, origin), base)).collect();
    // The files of one conversation are one: only the whole tells how many there are.
    let survey = survey(roots, tool, &found);
    let mut found: Vec<Root> = found.into_iter().map(|(root, _)| root).collect();
    for root in &mut found {
        let inside = survey.candidates.iter().filter(|c| c.file_path.starts_with(&root.path));
        root.conversations = inside.count() as u64;
        if root.path.file_name().is_some_and(|n| n == "sessions") && survey.without_rollout > 0 {
            let note = format!("threads-without-rollout={}", survey.without_rollout);
            root.note = Some(root.note.take().map_or(note.clone(), |n| format!("{n} {note}")));
        }
    }
    (found, survey)
}

/// Every place of these data folders, why it is looked at, and the data folder that it belongs to.
fn located(roots: &Roots, tool: &Tool, bases: &[(PathBuf, &'static str)]) -> Vec<(PathBuf, &'static str, PathBuf)> {
    let mut found: Vec<(PathBuf, &'static str, PathBuf)> = Vec::new();
    for (base, origin) in bases {
        let databases = beside::databases(roots, tool, base, origin);
        let files = [Some(base.join(prompts::HISTORY)), beside::database(&databases, "queue")];
        let files = files.into_iter().flatten().filter(|file| file.is_file());
        for place in folders(base, origin).into_iter().chain(files) {
            if found.iter().all(|(known, ..)| *known != place) {
                // A session folder that a person named lies in a data folder, too.
                let inside = place == *base && SESSIONS.iter().any(|name| base.ends_with(name));
                let base = base.parent().filter(|_| inside).unwrap_or(base).to_owned();
                found.push((place, origin, base));
            }
        }
    }
    found
}

/// The data folders, and why each is looked at.
fn bases(roots: &Roots) -> Vec<(PathBuf, &'static str)> {
    let mut bases = Vec::new();
    match roots.env_dir("CODEX_HOME") {
        Some(home) => bases.push((home, "env:CODEX_HOME")),
        None => bases.push((roots.home.join(".codex"), "default")),
    }
    bases.extend(roots.custom(NAME).iter().map(|folder| (folder.clone(), "custom")));
    bases
}

/// The data folder's two session folders; a custom folder may also be one of them.
fn folders(base: &Path, origin: &str) -> Vec<PathBuf> {
    let inside = SESSIONS.map(|name| base.join(name));
    if origin == "custom" && base.is_dir() && !inside.iter().any(|folder| folder.is_dir()) {
        return vec![base.to_owned()];
    }
    inside.into()
}

fn look(folder: PathBuf, origin: &str) -> Root {
    let is_file = folder.ends_with(prompts::HISTORY) || folder.extension().is_some_and(|e| e == "sqlite");
    let mut root = if is_file { Root::look(folder, origin) } else { Root::folder(folder, origin) };
    let (mut staging, mut other) = (0u64, 0u64);
    if root.exists && root.readable {
        for entry in walk(&root.path).filter_map(Result::ok).filter(|e| e.file_type().is_file()) {
            let name = entry.file_name().to_string_lossy();
            let is_file = entry.depth() == 0;
            if is_file || Form::of(&name).is_some() {
                root.bytes += entry.metadata().map_or(0, |m| m.len());
            } else if name.ends_with(".tmp") || name.starts_with("rollout-compress-") {
                staging += 1;
            } else {
                other += 1;
            }
        }
        if staging + other > 0 {
            root.note = Some(format!("staging-files={staging} other-files={other}"));
        }
    }
    root
}

fn walk(folder: &Path) -> impl Iterator<Item = walkdir::Result<walkdir::DirEntry>> {
    WalkDir::new(folder).follow_links(true).sort_by_file_name().into_iter()
}

/// Lists the conversations in the order of their paths.
pub(super) fn scan(roots: &Roots, found: &Detection, sink: &mut dyn FnMut(Result<Candidate, ScanError>)) {
    let bases: HashMap<PathBuf, PathBuf> =
        located(roots, &CODEX, &bases(roots)).into_iter().map(|(place, _, base)| (place, base)).collect();
    let placed = |root: &Root| Some((root.clone(), bases.get(&root.path)?.clone()));
    let places: Vec<_> = found.roots.iter().filter_map(placed).collect();
    let survey = survey(roots, &CODEX, &places);
    survey.failures.into_iter().for_each(|error| sink(Err(error)));
    survey.candidates.into_iter().for_each(|candidate| sink(Ok(candidate)));
}

/// Everything that the places hold.
#[derive(Default)]
pub(in crate::sources) struct Survey {
    /// One for each conversation.
    pub candidates: Vec<Candidate>,
    /// What could not be read.
    pub failures: Vec<ScanError>,
    /// Conversations that the state database knows and that have no rollout.
    without_rollout: usize,
}

fn survey(roots: &Roots, tool: &Tool, places: &[(Root, PathBuf)]) -> Survey {
    let mut survey = Survey::default();
    let (mut files, mut histories, mut bases) = (Vec::new(), Vec::new(), Vec::new());
    for (root, base) in places.iter().filter(|(r, _)| r.exists && r.readable) {
        if !bases.iter().any(|(known, _)| *known == base) {
            bases.push((base, &root.origin));
        }
        if root.path.ends_with(prompts::HISTORY) {
            histories.push(root.path.clone());
            continue;
        }
        if !root.path.is_dir() {
            continue;
        }
        for entry in walk(&root.path) {
            match entry {
                Ok(entry) if entry.file_type().is_file() => files.extend(look_at(&root.path, base, entry.path())),
                Ok(entry) if !entry.file_type().is_dir() && Form::of(&entry.file_name().to_string_lossy()).is_some() => {
                    survey.failures.push(ScanError::new(entry.path(), NOT_PLAIN));
                }
                Ok(_) => {}
                Err(error) => survey.failures.push(ScanError::walk(&root.path, &error)),
            }
        }
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    let files = each_once(files);
    // Of a conversation in one data folder another may have the title, and prompts that wait for it.
    let (mut beside, mut read) = (Beside::default(), HashSet::new());
    for (base, origin) in bases {
        let databases = beside::databases(roots, tool, base, origin);
        let first = read.insert(databases.clone());
        beside.add(roots, base, first.then_some(&*databases), &mut |error| survey.failures.push(error));
    }
    let given = roots.given.of(tool.source);
    survey.candidates = candidates(&files, &mut beside, &given);
    let ids: HashSet<&str> = survey.candidates.iter().map(|c| c.id.as_str()).collect();
    survey.without_rollout = beside.known.iter().filter(|id| !ids.contains(id.as_str())).count();
    let waiting = beside.queued.iter().filter_map(|(thread, queued)| only_queued(thread, queued));
    survey.candidates.extend(waiting);
    let forms = |path: &Path| vec![prompts::ID.to_owned(), format!("{}@{}", prompts::ID, path.display())];
    let ids = given.hand_out(&histories.iter().map(|path| (forms(path), &**path)).collect::<Vec<_>>());
    survey.candidates.extend(ids.into_iter().zip(histories).filter_map(|(id, path)| history(id, path)));
    for candidate in &mut survey.candidates {
        if candidate.source != tool.source {
            // The published rules know Codex's own rollouts only.
            tool.source.clone_into(&mut candidate.source);
            candidate.coverage = Coverage::Extended;
        }
    }
    survey
}

/// A conversation of which there is nothing but prompts in the queue.
fn only_queued(thread: &str, queued: &[Queued]) -> Option<Candidate> {
    Some(Candidate {
        id: if thread.is_empty() { "queue".to_owned() } else { thread.to_owned() },
        source: NAME.to_owned(),
        file_path: queued.first()?.file.clone(),
        file_size: queued.iter().map(|q| q.bytes).sum(),
        file_mtime: queued.iter().map(|q| q.mtime).max()?,
        project_dir: String::new(),
        coverage: Coverage::Extended,
        hint: json!({"queue": queued, "thread": thread, "onlyQueued": true}),
    })
}

/// The prompts of any conversation, as one.
fn history(id: String, path: PathBuf) -> Option<Candidate> {
    // Gone since it was listed.
    let meta = std::fs::metadata(&path).ok()?;
    Some(Candidate {
        id,
        source: NAME.to_owned(),
        file_size: meta.len(),
        file_mtime: roots::mtime(&meta),
        file_path: path,
        project_dir: String::new(),
        coverage: Coverage::Extended,
        hint: json!({"history": true}),
    })
}

/// Rollouts below a folder, by the id in their names.
pub(super) fn rollouts(folder: &Path) -> Vec<(String, PathBuf)> {
    let files = walk(folder).filter_map(Result::ok).filter(|e| e.file_type().is_file()).map(walkdir::DirEntry::into_path);
    files.filter(|p| Form::of(&p.file_name().unwrap_or_default().to_string_lossy()).is_some())
        .map(|path| (id_from_name(&path), path))
        .collect()
}

/// The bytes of a small file; none if it is not there.
pub(super) fn read_small(path: &Path) -> Vec<u8> {
    let mut bytes = Vec::new();
    if let Ok(file) = roots::open_plain(path) {
        // A file that cannot be read to its end is a damaged one.
        let _ = file.take(HEAD).read_to_end(&mut bytes);
    }
    bytes
}

/// Opens the conversation's file, its folded copies, and the file of the conversation it comes from.
pub(in crate::sources) fn collect(roots: &Roots, candidate: &Candidate) -> Result<Evidence, ReadError> {
    let hint = |key: &str| candidate.hint.get(key);
    if hint("history").is_some() {
        let base = candidate.file_path.parent().unwrap_or(Path::new(""));
        return prompts::collect(roots, candidate, &[&base.join("sessions"), &base.join("archived_sessions")]);
    }
    let only_queued = hint("onlyQueued").is_some();
    let mut evidence = if only_queued { Evidence::default() } else { Evidence::of_file(roots, candidate)? };
    let queued = hint("queue").and_then(|q| serde_json::from_value::<Vec<Queued>>(q.clone()).ok());
    let thread = hint("thread").and_then(|t| t.as_str()).unwrap_or("");
    for queued in queued.into_iter().flatten() {
        match beside::add_queued(roots, &queued, thread, &mut evidence) {
            Err(error) if only_queued => return Err(error),
            Err(error) => evidence.notice(NoticeCode::ChangedWhileReading, error.to_string()),
            Ok(()) => {}
        }
    }
    let paths = candidate.hint.get("copies").and_then(|c| c.as_array()).map_or(&[][..], Vec::as_slice);
    for path in paths.iter().filter_map(|p| p.as_str()) {
        match EvidenceFile::open(roots, Path::new(path)) {
            Ok(copy) => evidence.files.push(copy),
            Err(error) => evidence.notice(NoticeCode::ChangedWhileReading, error.to_string()),
        }
    }
    if let Some(parent) = candidate.hint.get("parentFile").and_then(|p| p.as_str()) {
        match EvidenceFile::open(roots, Path::new(parent)) {
            Ok(parent) => evidence.consulted.push(parent),
            Err(error) => evidence.notice(NoticeCode::ChangedWhileReading, error.to_string()),
        }
    }
    Ok(evidence)
}
