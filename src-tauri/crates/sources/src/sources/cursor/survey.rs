//! Looks at every place and lists the conversations in it: composers that an index names, composers that
//! only have rows, legacy tabs, prompts without a session, agent stores, transcripts. Reads keys, indexes
//! and names; a value only where the published rules decide by it. Deliberately absent: messages.

use super::hint::{Hint, Store};
use super::index::{self, Entry};
use super::keys::{self, Keys, TABLE, TABLES};
use super::manifest::MANIFEST;
use super::places::{Place, Stack, places};
use super::{agent, parents, plans, slugs};
use crate::readers::sqlite::{Reader, Snapshot, Stamp, after_prefix, with_prefix};
use crate::readers::vscode;
use crate::adapter::list;
use crate::roots::may_be;
use crate::{ReadError, Root, Roots, ScanError, roots};
use assay_model::{Candidate, Coverage};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// How much a survey needs to know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Depth {
    /// How many conversations there are, and which families of keys.
    Counts,
    /// What a scan says about each.
    Candidates,
}

/// A place, what was found there, and what could not be read.
#[derive(Debug)]
pub(super) struct Finding {
    /// The place.
    pub root: Root,
    /// The conversations in it, by id.
    pub candidates: Vec<Candidate>,
    /// What went wrong.
    pub errors: Vec<ScanError>,
    /// Folders that are known to be projects.
    pub projects: BTreeSet<String>,
}

impl Finding {
    /// A place without a conversation.
    pub fn empty(root: Root) -> Self {
        Self { root, candidates: Vec::new(), errors: Vec::new(), projects: BTreeSet::new() }
    }

    /// Something that cannot be read; the rest of the survey goes on.
    pub fn fail(&mut self, error: ReadError) {
        self.errors.push(ScanError::read(&self.root.path, &error));
    }
}

/// Adds to what is to be said about a place.
pub(super) fn note(root: &mut Root, text: &str) {
    if !text.is_empty() {
        root.remark(text);
    }
}

/// Everything there is, in an order that is the same on every run. Each id stands once: what is found again
/// becomes a conversation of its own that names the first.
pub(super) fn survey(roots: &Roots, depth: Depth) -> Vec<Finding> {
    let mut findings = Vec::new();
    for place in places(roots) {
        match place.stack {
            Stack::Editor => editor(roots, &place, depth, &mut findings),
            Stack::Agent => agent::survey(&place, &mut findings),
            Stack::Neither => findings.push(Finding::empty(Root::folder(place.path, place.origin))),
        }
    }
    slugs::resolve(&mut findings);
    tell_copies_apart(&mut findings, roots);
    for finding in &mut findings {
        finding.root.conversations = finding.candidates.len() as u64;
    }
    findings
}

/// Gives what has an id that another place uses too an id of its own.
fn tell_copies_apart(findings: &mut [Finding], roots: &Roots) {
    let places = findings.len();
    let mut all: Vec<&mut Candidate> = findings.iter_mut().flat_map(|f| &mut f.candidates).collect();
    let forms = |id: &str| std::iter::once(id.to_owned()).chain((2..=places).map(|n| format!("{id}@{n}"))).collect();
    let forms: Vec<_> = all.iter().map(|candidate| (forms(&candidate.id), &*candidate.file_path)).collect();
    let own = roots.given.of(MANIFEST.name).hand_out(&forms);
    let taken: BTreeSet<String> = own.iter().cloned().collect();
    for (candidate, id) in all.iter_mut().zip(own).filter(|(candidate, id)| candidate.id != *id) {
        let plain = std::mem::replace(&mut candidate.id, id);
        candidate.coverage = Coverage::Extended;
        if let Some(mut hint) = Hint::read(candidate).filter(|_| taken.contains(&plain)) {
            hint.copy_of = Some(plain);
            candidate.hint = hint.write();
        }
    }
}

/// Reads a database by `read`: the one at `path` or what is left of it or, where nothing is, the copy that the
/// editor keeps beside it. Damage is an error of the place even where it could be read around: what is missing
/// is not gone.
fn read_around<T>(
    roots: &Roots,
    path: &Path,
    finding: &mut Finding,
    mut read: impl FnMut(&Snapshot, &Reader<'_>) -> Result<T, ReadError>,
) -> Result<(PathBuf, T), ReadError> {
    let mut damage = None;
    let mut noting = |snapshot: &Snapshot, reader: &Reader<'_>| {
        damage = snapshot.damage();
        read(snapshot, reader)
    };
    match Snapshot::read(roots, path, TABLES, &mut noting) {
        Ok(found) => {
            if let Some(cause) = damage {
                note(&mut finding.root, "damaged, what is left of it is read page by page");
                finding.fail(ReadError::Damaged { path: path.to_owned(), cause });
            }
            Ok((path.to_owned(), found))
        }
        Err(error @ ReadError::Damaged { .. }) => {
            let backup = path.with_extension("vscdb.backup");
            match Snapshot::read(roots, &backup, TABLES, &mut noting) {
                Ok(found) => {
                    note(&mut finding.root, "damaged, its backup copy is read instead");
                    finding.fail(error);
                    Ok((backup, found))
                }
                Err(_) => Err(error),
            }
        }
        Err(error) => Err(error),
    }
}

/// One `User` folder: the global database, those of profiles, and the workspaces.
fn editor(roots: &Roots, place: &Place, depth: Depth, findings: &mut Vec<Finding>) {
    let global = place.path.join("globalStorage").join("state.vscdb");
    let mut databases = vec![global.clone()];
    let profiles = place.path.join("profiles");
    let list = || list(&profiles)?.map(|entry| Ok(entry?.path())).collect::<std::io::Result<Vec<PathBuf>>>();
    match list() {
        Ok(folders) => {
            let mut below: Vec<PathBuf> =
                folders.into_iter().map(|p| p.join("globalStorage").join("state.vscdb")).collect();
            below.sort();
            databases.extend(below.into_iter().filter(|p| p.exists()));
        }
        // Where the folder above cannot be listed, the other places say so.
        Err(_) if !may_be(&profiles) || !place.path.is_dir() => {}
        Err(error) => {
            let mut finding = Finding::empty(Root::folder(&profiles, place.origin.clone()));
            finding.fail(ReadError::io(&profiles, &error));
            findings.push(finding);
        }
    }
    let mut workspaces = Finding::empty(Root::folder(place.path.join("workspaceStorage"), place.origin.clone()));
    let indexes = read_workspaces(roots, &place.path, global.exists().then_some(&global), &mut workspaces);

    for database in databases {
        let listed = if database == global { indexes.as_slice() } else { &[] };
        let mut finding = Finding::empty(Root::look(&database, place.origin.clone()));
        if finding.root.exists {
            // Why it cannot be opened is said of the place.
            if let Err(error) = composers(roots, &database, listed, depth, &mut finding)
                && finding.root.readable
            {
                finding.root.readable = !matches!(error, ReadError::NoPermission(_));
                finding.fail(error);
            }
            if database.with_extension("vscdb.backup").exists() {
                note(&mut finding.root, "backup copy beside it, read only if the database is damaged");
            }
        }
        findings.push(finding);
    }
    findings.push(workspaces);
}

/// Reads what each workspace's database says: its index of composers, and what only it holds.
fn read_workspaces(roots: &Roots, user: &Path, global: Option<&PathBuf>, finding: &mut Finding) -> Vec<Entry> {
    let mut indexes = Vec::new();
    let mut nowhere = 0;
    for workspace in vscode::workspaces(user, &mut |error| finding.errors.push(error)) {
        if !workspace.project.is_empty() {
            finding.projects.insert(workspace.project.clone());
        }
        let database = workspace.dir.join("state.vscdb");
        // The older copy counts where the database is gone, and is looked for by whoever finds it damaged.
        let backup = database.with_extension("vscdb.backup");
        let database = match (database.exists(), backup.is_file()) {
            (true, _) => database,
            (false, true) => {
                note(&mut finding.root, &format!("{} is gone, its backup copy is read instead", database.display()));
                backup
            }
            (false, false) => continue,
        };
        let described = workspace.dir.join("workspace.json").exists();
        let read = read_around(roots, &database, finding, |snapshot, reader| {
            Ok((index::workspace(reader, &workspace.project, described)?, Keys::read(reader)?, snapshot.stamp()))
        });
        let (path, (found, own, stamp)) = match read {
            Ok(read) => read,
            Err(error) => {
                finding.fail(error);
                continue;
            }
        };
        finding.root.bytes += stamp.size;
        let here = |id: String, store: Store| Candidate {
            id,
            source: "cursor".to_owned(),
            file_path: path.clone(),
            file_size: stamp.size,
            file_mtime: stamp.mtime,
            project_dir: workspace.project.clone(),
            coverage: Coverage::Extended,
            hint: Hint::of(store).write(),
        };
        finding.candidates.extend(found.tabs.iter().enumerate().map(|(index, id)| {
            here(id.clone().unwrap_or_else(|| format!("{}-tab-{index}", workspace.id)), Store::Tab { index })
        }));
        if found.prompts {
            let composers = found.composers.iter().map(|e| e.id.clone()).collect();
            let store = Store::Prompts { composers, global: global.cloned() };
            finding.candidates.push(here(format!("prompts-{}", workspace.id), store));
        }
        // Old builds kept composers in the workspace's own table.
        let ids: BTreeSet<&String> = own.data.iter().filter(|(_, gone)| !**gone).map(|(id, _)| id).collect();
        let ids: BTreeSet<&String> = ids.into_iter().chain(own.bubbles.keys()).collect();
        if global.is_none() {
            nowhere += found.composers.iter().filter(|e| !ids.contains(&e.id)).count();
        }
        for id in ids {
            let entry = found.composers.iter().find(|e| e.id == *id);
            finding.candidates.push(here(id.clone(), composer(id, entry)));
        }
        for remark in found.remarks {
            note(&mut finding.root, &remark);
        }
        indexes.extend(found.composers);
    }
    // Without the global database a name in an index is no conversation: one that was imported is gone.
    if nowhere > 0 {
        note(&mut finding.root, &format!("listed, and no global database has them: {nowhere}"));
    }
    finding.candidates.sort_by(|a, b| a.id.cmp(&b.id));
    indexes
}

fn composer(id: &str, entry: Option<&Entry>) -> Store {
    Store::Composer {
        composer: id.to_owned(),
        title: entry.and_then(|e| e.title.clone()),
        created: entry.and_then(|e| e.created),
    }
}

/// The composers of one database that is not a workspace's: named by an index or only by their rows.
fn composers(
    roots: &Roots,
    database: &Path,
    listed: &[Entry],
    depth: Depth,
    finding: &mut Finding,
) -> Result<(), ReadError> {
    let (path, found) = read_around(roots, database, finding, |snapshot, reader| {
        Database::read(reader, listed, depth, snapshot.stamp())
    })?;
    finding.root.bytes = found.stamp.size;
    note(&mut finding.root, &found.families);
    note(&mut finding.root, found.remark.unwrap_or_default());
    if found.tombstones > 0 {
        note(&mut finding.root, &format!("deleted (tombstone) {}", found.tombstones));
    }
    finding.candidates.extend(found.candidates.into_iter().map(|candidate| Candidate {
        file_path: path.clone(),
        file_size: found.stamp.size,
        file_mtime: found.stamp.mtime,
        ..candidate
    }));
    Ok(())
}

/// What a database with composers says.
struct Database {
    stamp: Stamp,
    families: String,
    remark: Option<&'static str>,
    tombstones: usize,
    /// Without the file, which may be another than the one that was asked for.
    candidates: Vec<Candidate>,
}

impl Database {
    fn read(reader: &Reader<'_>, listed: &[Entry], depth: Depth, stamp: Stamp) -> Result<Self, ReadError> {
        let keys = Keys::read(reader)?;
        let families = if depth == Depth::Counts { keys::families(reader)? } else { String::new() };
        let (headers, remark) = index::global(reader)?;

        // The workspaces' word counts before the global index's, the first one before the others.
        let mut entries: BTreeMap<&str, &Entry> = BTreeMap::new();
        for entry in headers.iter().rev().chain(listed.iter().rev()) {
            entries.insert(&entry.id, entry);
        }
        let deleted = |id: &str| keys.data.get(id) == Some(&true) && !keys.bubbles.contains_key(id);
        let tombstones = keys.data.keys().filter(|id| deleted(id)).count();
        let with_rows = keys.data.keys().chain(keys.bubbles.keys()).filter(|id| !deleted(id)).map(String::as_str);
        // A tree of blobs is left where the rows of a composer are gone.
        let with_blobs = keys.checkpoints.iter().map(String::as_str);
        let ids: BTreeSet<&str> = with_rows.chain(with_blobs).chain(entries.keys().copied()).collect();
        let published: BTreeSet<&str> = listed.iter().filter(|e| e.published).map(|e| e.id.as_str()).collect();
        let parents = if depth == Depth::Candidates { parents::read(reader)? } else { BTreeMap::new() };
        let mut plans = plans::registry(reader, &ids)?;
        let known = |id: &str| entries.get(id).map(|e| e.project.clone()).filter(|project| !project.is_empty());
        let mut candidates = Vec::new();
        for id in ids {
            let entry = entries.get(id).copied();
            let reference = published.contains(id)
                || (depth == Depth::Candidates && keys.bubbles.contains_key(id) && has_text(reader, id)?);
            let mut hint = Hint::of(composer(id, entry));
            hint.parent = parents.get(id).map(|parent| parent.id.clone());
            hint.plans = plans.of.remove(id).unwrap_or_default();
            let project = known(id).or_else(|| parents::project(&parents, id, known));
            candidates.push(candidate(id, project.unwrap_or_default(), reference, &hint));
        }
        if !plans.alone.is_empty() {
            let hint = Hint { plans: plans.alone, ..Hint::of(Store::Plans) };
            candidates.push(candidate("plan-registry", String::new(), false, &hint));
        }
        Ok(Self { stamp, families, remark, tombstones, candidates })
    }
}

fn candidate(id: &str, project: String, reference: bool, hint: &Hint) -> Candidate {
    Candidate {
        id: id.to_owned(),
        source: "cursor".to_owned(),
        file_path: PathBuf::new(),
        file_size: 0,
        file_mtime: 0,
        project_dir: project,
        coverage: if reference { Coverage::Reference } else { Coverage::Extended },
        hint: hint.write(),
    }
}

/// Whether the published rules would list a composer that no index names: one of its first twenty rows,
/// in the order of the table, has text.
fn has_text(reader: &Reader<'_>, composer: &str) -> Result<bool, ReadError> {
    let prefix = format!("bubbleId:{composer}:");
    let sql = format!("SELECT rowid FROM {TABLE} WHERE {} ORDER BY rowid LIMIT 20", with_prefix(TABLE));
    let first: Vec<i64> = reader.query(&sql, [&prefix, &after_prefix(&prefix)], |row| row.get(0))?;
    for rowid in first {
        let value: Vec<Vec<u8>> =
            reader.query(&format!("SELECT value FROM {TABLE} WHERE rowid = ?1"), [rowid], |row| {
                Ok(row.get_ref(0)?.as_bytes().unwrap_or_default().to_vec())
            })?;
        let mut tape = crate::readers::json::Tape::new();
        let text = value.first().and_then(|v| tape.read_whole(v).ok()).and_then(|v| v.get_str("text"));
        if text.is_some_and(|t| !assay_model::text::is_blank(&t)) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Size and time of a file, for change detection.
pub(super) fn stamp(path: &Path) -> Result<(u64, i64), ReadError> {
    let meta = std::fs::metadata(path).map_err(|e| ReadError::io(path, &e))?;
    Ok((meta.len(), roots::mtime(&meta)))
}
