//! The transcripts of a folder of project folders, and what else is a conversation beside them.
//!
//! Deliberately absent: which folders those are, see [`super::discovery`], and what is in a transcript but for its
//! head.

use super::discovery::{Sort, canonical};
use super::{beside, bodies, copies, history, sub_agents};
use crate::adapter::NOT_PLAIN;
use crate::{ScanError, roots};
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use walkdir::WalkDir;

/// How a transcript's name ends.
const TRANSCRIPT: &str = ".jsonl";

/// The folder of project folders.
pub(super) const PROJECTS: &str = "projects";

/// The folders in a session's folder.
const SESSION_PARTS: [&str; 3] = ["subagents", bodies::FOLDER, beside::RUNS];

/// One transcript.
pub(super) struct Transcript {
    pub path: PathBuf,
    /// The same path below a folder without links, to know it again.
    pub identity: PathBuf,
    pub bytes: u64,
    /// Bytes of what is read with it, and the time of the latest change of any of it.
    pub beside: u64,
    pub mtime: i64,
    pub project: String,
    /// The id that its name gives.
    pub id: String,
    /// Its folder below the folder of project folders, `/` between.
    pub folder: String,
    pub depth: usize,
    /// Whether its name ends in `.jsonl`; one that the tool set aside has something after it.
    pub whole_name: bool,
    pub parent: Option<String>,
    pub agents: Vec<String>,
    /// Other paths to it.
    pub paths: Vec<PathBuf>,
    /// Whether its path leads to it without a link below the folder of project folders.
    pub direct: bool,
    /// Whether it lies among the project folders, in none of them.
    pub stray: bool,
    pub sort: Option<Sort>,
    /// The folder of a session whose transcript is gone.
    pub left: Option<PathBuf>,
}

impl Transcript {
    /// The prompts of any session, as one conversation.
    pub fn history(path: PathBuf) -> Option<Self> {
        // Gone since it was listed.
        let meta = std::fs::metadata(&path).ok()?;
        Some(Self {
            identity: canonical(&path),
            bytes: meta.len(),
            beside: 0,
            mtime: roots::mtime(&meta),
            project: String::new(),
            id: history::ID.to_owned(),
            folder: path.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy().into_owned(),
            depth: 0,
            whole_name: true,
            parent: None,
            agents: Vec::new(),
            paths: Vec::new(),
            direct: true,
            stray: false,
            sort: Some(Sort::History),
            left: None,
            path,
        })
    }

    /// Counts a file in that is read with it.
    fn reads(&mut self, file: &Path) {
        // Gone since it was listed.
        let Ok(meta) = std::fs::metadata(file) else { return };
        self.beside += meta.len();
        self.mtime = self.mtime.max(roots::mtime(&meta));
    }

    /// What lies in the folder of a session whose transcript is gone.
    fn leftovers(folder: &Path, project: &str, fail: &mut dyn FnMut(ScanError)) -> Option<Self> {
        let files = beside::files(folder, fail);
        let first = files.first()?.clone();
        let metas: Vec<_> = files.iter().filter_map(|f| std::fs::metadata(f).ok()).collect();
        let session = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Some(Self {
            identity: canonical(folder),
            bytes: metas.iter().map(std::fs::Metadata::len).sum(),
            beside: 0,
            mtime: metas.iter().map(roots::mtime).max().unwrap_or(0),
            project: project.to_owned(),
            folder: format!("{project}/{session}"),
            id: session,
            depth: 2,
            whole_name: true,
            parent: None,
            agents: Vec::new(),
            paths: Vec::new(),
            direct: true,
            stray: false,
            sort: Some(Sort::Leftovers),
            left: Some(folder.to_owned()),
            path: first,
        })
    }

    /// Takes over another path to the same file. Of a link and the file itself, the file stands.
    pub fn also_at(&mut self, mut other: Self) {
        if other.direct && !self.direct {
            std::mem::swap(self, &mut other);
        }
        self.paths.append(&mut other.paths);
        self.paths.push(other.path);
        self.agents.append(&mut other.agents);
        self.agents.sort();
        self.agents.dedup();
    }

    /// What its first records say about it.
    pub fn head(&self) -> copies::Head {
        if self.parent.is_none() && self.sort.is_none() { copies::head(&self.path) } else { copies::Head::default() }
    }

    /// Ids it may have, from the plainest to one that no other file can have. Only a second file of the
    /// same name takes a longer one, so that a conversation's id does not hang on what lies beside it.
    pub fn ids(&self) -> Vec<String> {
        let whole = self.path.to_string_lossy();
        vec![self.id.clone(), format!("{}@{}", self.id, self.folder), format!("{}@{whole}", self.id)]
    }
}

/// The transcripts below a folder of project folders, and those that lie in it as they would in a project folder: a
/// person may name one of those, and a file may be put where none belongs. What a folder in it is hangs on that
/// folder alone, so that no file beside it changes an id.
pub(super) fn list(folder: &Path, fail: &mut dyn FnMut(ScanError)) -> Vec<Transcript> {
    let (mut projects, mut sessions) = (Vec::new(), Vec::new());
    let of_projects = folder.file_name().is_some_and(|n| n == PROJECTS);
    match std::fs::read_dir(folder) {
        Ok(entries) => {
            for path in entries.flatten().map(|e| e.path()).filter(|p| p.is_dir()) {
                let folders = if !of_projects && is_session(&path) { &mut sessions } else { &mut projects };
                folders.push(path);
            }
        }
        Err(error) => {
            fail(ScanError::io(folder, &error));
            return Vec::new();
        }
    }
    projects.sort();
    let canonical = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let base = canonical.parent().map(Path::to_owned).unwrap_or_default();
    let mut found = list_project(folder, &base, &|inside| sessions.iter().any(|s| s == inside), fail);
    found.iter_mut().for_each(|transcript| transcript.stray = of_projects);
    found.extend(projects.iter().flat_map(|project| list_project(project, &canonical, &|_| true, fail)));
    found
}

/// Whether a file's name is a transcript's, also of one that was set aside.
fn is_transcript(name: &str) -> bool {
    name.ends_with(TRANSCRIPT) || name.contains(".jsonl.")
}

/// Whether a folder is a session's, by what is in it: a project folder has transcripts, or folders of sessions.
fn is_session(folder: &Path) -> bool {
    let inside = || std::fs::read_dir(folder).into_iter().flatten().flatten();
    SESSION_PARTS.iter().any(|part| folder.join(part).is_dir())
        && !inside().any(|e| is_transcript(&e.file_name().to_string_lossy()))
}

/// The folders in a folder, by name.
fn folders_in(folder: &Path) -> Vec<PathBuf> {
    // What could not be listed was said when the folder was walked.
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut folders: Vec<PathBuf> = entries.map(|e| e.path()).filter(|p| p.is_dir()).collect();
    folders.sort();
    folders
}

/// The transcripts of one project folder, whose parent without links is `base`, and those in the folders in it that
/// are `its`.
fn list_project(
    project: &Path,
    base: &Path,
    its: &dyn Fn(&Path) -> bool,
    fail: &mut dyn FnMut(ScanError),
) -> Vec<Transcript> {
    let name = project.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut found = Vec::new();
    let mut agents: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let walk = WalkDir::new(project).follow_links(true).sort_by_file_name().into_iter();
    let skipped = |e: &walkdir::DirEntry| {
        let elsewhere = e.file_name() == bodies::FOLDER || e.file_name() == "memory";
        e.depth() > 0 && e.file_type().is_dir() && (elsewhere || (e.depth() == 1 && !its(e.path())))
    };
    for entry in walk.filter_entry(|e| !skipped(e)) {
        let entry = match entry {
            Ok(entry) => entry,
            // Of what is none of its own, e.g. a link to nowhere, nothing is to be said here.
            Err(error) if error.depth() == 1 && !error.path().is_some_and(its) => continue,
            Err(error) => {
                fail(ScanError::walk(project, &error));
                continue;
            }
        };
        let file = entry.file_name().to_string_lossy();
        let whole_name = file.ends_with(TRANSCRIPT);
        if entry.file_type().is_dir() || !is_transcript(&file) {
            continue;
        }
        if !entry.file_type().is_file() {
            fail(ScanError::new(entry.path(), NOT_PLAIN));
            continue;
        }
        // One that the tool set aside keeps its whole name, so that it is not taken for the other.
        let stem = file.strip_suffix(TRANSCRIPT).filter(|stem| !stem.is_empty()).unwrap_or(&file);
        let Ok(meta) = entry.metadata() else { continue };
        let below = entry.path().strip_prefix(project).unwrap_or(entry.path());
        let parts: Vec<String> = below.iter().map(|p| p.to_string_lossy().into_owned()).collect();
        let (folders, _) = parts.split_at(parts.len() - 1);
        let parent = folders.get(1).is_some_and(|f| f == "subagents").then(|| folders[0].clone());
        if let (Some(session), Some(agent)) = (&parent, stem.strip_prefix(sub_agents::PREFIX)) {
            agents.entry(session.clone()).or_default().push(agent.to_owned());
        }
        let identity = canonical(entry.path());
        let plain = folders.is_empty() || stem.starts_with(sub_agents::PREFIX);
        let id = if plain { stem.to_owned() } else { format!("{}/{stem}", folders.join("/")) };
        found.push(Transcript {
            direct: identity == base.join(&name).join(below),
            identity,
            bytes: meta.len(),
            beside: 0,
            mtime: roots::mtime(&meta),
            project: name.clone(),
            id,
            folder: std::iter::once(name.as_str()).chain(folders.iter().map(String::as_str)).collect::<Vec<_>>().join("/"),
            depth: entry.depth(),
            whole_name,
            parent,
            agents: Vec::new(),
            paths: Vec::new(),
            stray: false,
            sort: None,
            left: None,
            path: entry.into_path(),
        });
    }
    for transcript in &mut found {
        if transcript.depth == 1 {
            transcript.agents = agents.remove(&transcript.id).unwrap_or_default();
        }
        if transcript.id.starts_with(sub_agents::PREFIX) {
            transcript.reads(&sub_agents::about(&transcript.path));
        }
    }
    let sessions: HashMap<String, usize> =
        found.iter().enumerate().filter(|(_, t)| t.depth == 1).map(|(at, t)| (t.id.clone(), at)).collect();
    for folder in folders_in(project).into_iter().filter(|folder| its(folder)) {
        match sessions.get(&*folder.file_name().unwrap_or_default().to_string_lossy()) {
            Some(at) => beside::files(&folder, fail).iter().for_each(|file| found[*at].reads(file)),
            None => found.extend(Transcript::leftovers(&folder, &name, fail)),
        }
    }
    found
}
