//! Where Claude Code keeps its sessions, and what is there.
//!
//! Transcripts lie in `projects/<folder>/`, those of sub-agents below `<session>/subagents/`. The folder's
//! name cannot be decoded and is never read as a path. Deliberately absent: what is in a transcript, and
//! everything else the tool keeps (history, todos, snapshots of files, feedback bundles).

use super::{bodies, sub_agents};
use crate::{Detection, Evidence, EvidenceFile, Platform, ReadError, Root, Roots, ScanError, roots};
use assay_model::{Candidate, Coverage};
use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use walkdir::WalkDir;

/// The source's name.
pub(super) const SOURCE: &str = "claude-code";

/// How a transcript's name ends.
const TRANSCRIPT: &str = ".jsonl";

/// The environment's override of the configuration folder.
const CONFIG_DIR: &str = "CLAUDE_CONFIG_DIR";

/// The origin of a folder that a person named.
const CUSTOM: &str = "custom";

/// The reference system takes a smaller file for an empty one, in bytes.
const SMALLEST: u64 = 100;

/// How deep below the desktop app's folder a session's own configuration folder may lie.
const DESKTOP_DEPTH: usize = 8;

/// What a scan tells [`super::fill`] about a candidate, besides its place.
#[derive(Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(super) struct Hint {
    /// The session in whose folder a sub-agent's transcript lies.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub parent: Option<String>,
    /// Sub-agents that have a transcript of their own in this session's folder.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub agents: Vec<String>,
    /// The conversation that has the id which this one's file name would give.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub twin: Option<String>,
}

/// Looks at every place.
pub(super) fn detect(roots: &Roots) -> Detection {
    let mut seen = HashSet::new();
    let places = places(roots).into_iter().map(|(path, origin)| {
        let mut root = Root::look(path, origin);
        if !root.exists || !root.readable {
            return root;
        }
        for folder in project_folders(&root.path, root.origin == CUSTOM) {
            let look = Root::look(&folder, "");
            if look.exists && !look.readable {
                (root.readable, root.note) = (false, look.note);
                continue;
            }
            let mut failed = None;
            for found in list(&folder, &mut |error| failed = Some(error.to_string())) {
                if seen.insert(found.identity) {
                    root.conversations += 1;
                    root.bytes += found.bytes;
                }
            }
            root.note = root.note.take().or(failed);
        }
        root
    });
    Detection::of(places.collect())
}

/// Lists the conversations: those that the reference system reads first, each part in the order of
/// roots, project folders and paths.
pub(super) fn scan(roots: &Roots, found: &Detection, sink: &mut dyn FnMut(Result<Candidate, ScanError>)) {
    let reference = reference_folders(roots);
    let mut seen = HashSet::new();
    let mut all = Vec::new();
    for root in found.readable() {
        for folder in project_folders(&root.path, root.origin == CUSTOM) {
            for transcript in list(&folder, &mut |error| sink(Err(error))) {
                if seen.insert(transcript.identity.clone()) {
                    let top = transcript.parent.is_none() && transcript.depth == 1 && transcript.whole_name;
                    let coverage = if top && transcript.bytes >= SMALLEST && reference.contains(&folder) {
                        Coverage::Reference
                    } else {
                        Coverage::Extended
                    };
                    all.push((transcript, coverage));
                }
            }
        }
    }
    all.sort_by_key(|(_, coverage)| *coverage != Coverage::Reference);
    let mut ids: HashSet<String> = HashSet::new();
    for (transcript, coverage) in all {
        let id = transcript.ids().find(|id| !ids.contains(id)).unwrap_or_default();
        let twin = (id != transcript.id).then(|| transcript.id.clone());
        ids.insert(id.clone());
        let hint = Hint { parent: transcript.parent, agents: transcript.agents, twin };
        sink(Ok(Candidate {
            id,
            source: SOURCE.to_owned(),
            file_path: transcript.path,
            file_size: transcript.bytes,
            file_mtime: transcript.mtime,
            project_dir: transcript.project,
            coverage,
            hint: if hint == Hint::default() {
                serde_json::Value::Null
            } else {
                serde_json::to_value(hint).unwrap_or_default()
            },
        }));
    }
}

/// Opens a transcript, and with it what describes a sub-agent and the bodies that it mentions.
pub(super) fn collect(roots: &Roots, candidate: &Candidate) -> Result<Evidence, ReadError> {
    let path = &candidate.file_path;
    let mut evidence = Evidence::of_file(roots, candidate)?;
    sub_agents::consult(roots, candidate, &mut evidence);
    let folder = session_folder(path).join(bodies::FOLDER);
    if folder.is_dir() {
        let mentioned = bodies::mentioned(&evidence.files[0]).map_err(|e| ReadError::io(path, &e))?;
        for name in mentioned {
            let body = folder.join(name);
            if body.is_file() {
                evidence.consulted.extend(EvidenceFile::open(roots, &body));
            }
        }
    }
    Ok(evidence)
}

/// The folder beside a session's transcript, also for the transcripts inside it.
pub(super) fn session_folder(transcript: &Path) -> PathBuf {
    let inside = transcript.ancestors().find(|a| a.file_name().is_some_and(|n| n == "subagents"));
    match inside.and_then(Path::parent) {
        Some(folder) => folder.to_owned(),
        None => transcript.with_extension(""),
    }
}

/// Configuration folders that take the place of `~/.claude`.
fn overrides(roots: &Roots) -> Vec<PathBuf> {
    let value = roots.env(CONFIG_DIR).unwrap_or("");
    value.split(',').map(str::trim).filter(|v| !v.is_empty()).map(|v| roots.expand(v)).collect()
}

/// The `projects` folders that the reference system would read.
fn reference_folders(roots: &Roots) -> Vec<PathBuf> {
    let mut folders = overrides(roots);
    if folders.is_empty() {
        folders.push(roots.home.join(".claude"));
    }
    folders.iter().flat_map(|f| project_folders(f, false)).collect()
}

/// Every place to look at, and why.
fn places(roots: &Roots) -> Vec<(PathBuf, String)> {
    let mut places: Vec<(PathBuf, String)> =
        overrides(roots).into_iter().map(|path| (path, format!("env:{CONFIG_DIR}"))).collect();
    let default = |path: PathBuf| (path, "default".to_owned());
    places.push(default(roots.home.join(".claude")));
    let xdg = match roots.platform {
        Platform::Linux | Platform::MacOs => Some(roots.env_dir("XDG_CONFIG_HOME")),
        Platform::Windows => None,
    };
    if let Some(folder) = xdg {
        places.push(default(folder.unwrap_or_else(|| roots.home.join(".config")).join("claude")));
    }
    for folder in desktop_folders(roots) {
        places.push(default(folder.clone()));
        places.extend(nested_configurations(&folder).into_iter().map(default));
    }
    places.extend(roots.custom(SOURCE).iter().map(|path| (path.clone(), CUSTOM.to_owned())));
    let mut seen = HashSet::new();
    places.retain(|(path, _)| seen.insert(path.clone()));
    places
}

/// Where the desktop app keeps the sessions of its local agents.
fn desktop_folders(roots: &Roots) -> Vec<PathBuf> {
    const SESSIONS: &str = "local-agent-mode-sessions";
    let mut folders = vec![roots.app_config().join("Claude").join(SESSIONS)];
    if roots.platform == Platform::Windows {
        let local = roots.env_dir("LOCALAPPDATA").unwrap_or_else(|| roots.home.join("AppData").join("Local"));
        let packages = std::fs::read_dir(local.join("Packages")).into_iter().flatten().flatten();
        let ours = packages.filter(|p| p.file_name().to_string_lossy().starts_with("Claude_"));
        let mut packaged: Vec<_> =
            ours.map(|p| p.path().join("LocalCache").join("Roaming").join("Claude").join(SESSIONS)).collect();
        packaged.sort();
        folders.extend(packaged);
    }
    folders
}

fn nested_configurations(folder: &Path) -> Vec<PathBuf> {
    let walk = WalkDir::new(folder).max_depth(DESKTOP_DEPTH).sort_by_file_name();
    let found = walk.into_iter().flatten().filter(|e| e.file_type().is_dir() && e.file_name() == ".claude");
    found.map(|e| e.into_path()).collect()
}

/// The folders of project folders that `path` stands for: a configuration folder, its `projects` folder,
/// or, if a person named it, a home folder or any folder of such folders.
fn project_folders(path: &Path, named: bool) -> Vec<PathBuf> {
    let inside = [path.join("projects"), path.join(".claude").join("projects")];
    if let Some(projects) = inside.into_iter().find(|p| p.is_dir()) {
        vec![projects]
    } else if named || path.file_name().is_some_and(|n| n == "projects") {
        vec![path.to_owned()]
    } else {
        Vec::new()
    }
}

/// One transcript.
struct Transcript {
    path: PathBuf,
    /// The same path below a folder without links, to know it again.
    identity: PathBuf,
    bytes: u64,
    mtime: i64,
    project: String,
    /// The id that its name gives.
    id: String,
    /// Its folder below the folder of project folders, `/` between.
    folder: String,
    depth: usize,
    /// Whether its name ends in `.jsonl`; one that the tool set aside has something after it.
    whole_name: bool,
    parent: Option<String>,
    agents: Vec<String>,
}

impl Transcript {
    /// Ids it may have, from the plainest to one that no other file can have. Only a second file of the
    /// same name takes a longer one, so that a conversation's id does not hang on what lies beside it.
    fn ids(&self) -> impl Iterator<Item = String> + '_ {
        let whole = self.path.to_string_lossy();
        [self.id.clone(), format!("{}@{}", self.id, self.folder), format!("{}@{whole}", self.id)].into_iter()
    }
}

/// The transcripts below a folder of project folders. A folder that is itself a project folder counts too.
fn list(folder: &Path, fail: &mut dyn FnMut(ScanError)) -> Vec<Transcript> {
    let mut projects = Vec::new();
    let mut direct = false;
    match std::fs::read_dir(folder) {
        Ok(entries) => {
            for entry in entries.flatten() {
                match std::fs::metadata(entry.path()) {
                    Ok(meta) if meta.is_dir() => projects.push(entry.path()),
                    Ok(_) => direct |= entry.path().extension().is_some_and(|e| e == "jsonl"),
                    Err(_) => {} // gone, or a link to nowhere
                }
            }
        }
        Err(error) => fail(ScanError { path: folder.to_owned(), cause: error.to_string() }),
    }
    projects.sort();
    let canonical = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    if direct {
        let base = canonical.parent().map(Path::to_owned).unwrap_or_default();
        return list_project(folder, &base, fail);
    }
    projects.iter().flat_map(|project| list_project(project, &canonical, fail)).collect()
}

/// The transcripts of one project folder, whose parent without links is `base`.
fn list_project(project: &Path, base: &Path, fail: &mut dyn FnMut(ScanError)) -> Vec<Transcript> {
    let name = project.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut found = Vec::new();
    let mut agents: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let walk = WalkDir::new(project).follow_links(true).sort_by_file_name().into_iter();
    let skipped = |e: &walkdir::DirEntry| {
        e.depth() > 0 && e.file_type().is_dir() && (e.file_name() == bodies::FOLDER || e.file_name() == "memory")
    };
    for entry in walk.filter_entry(|e| !skipped(e)) {
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => {
                let path = error.path().unwrap_or(project).to_owned();
                fail(ScanError { path, cause: error.to_string() });
                continue;
            }
        };
        let file = entry.file_name().to_string_lossy();
        let whole_name = file.ends_with(TRANSCRIPT);
        if !entry.file_type().is_file() || !(whole_name || file.contains(".jsonl.")) {
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
        let plain = folders.is_empty() || stem.starts_with(sub_agents::PREFIX);
        let id = if plain { stem.to_owned() } else { format!("{}/{stem}", folders.join("/")) };
        found.push(Transcript {
            identity: base.join(&name).join(below),
            bytes: meta.len(),
            mtime: roots::mtime(&meta),
            project: name.clone(),
            id,
            folder: std::iter::once(name.as_str()).chain(folders.iter().map(String::as_str)).collect::<Vec<_>>().join("/"),
            depth: entry.depth(),
            whole_name,
            parent,
            agents: Vec::new(),
            path: entry.into_path(),
        });
    }
    for transcript in &mut found {
        if transcript.depth == 1 {
            transcript.agents = agents.remove(&transcript.id).unwrap_or_default();
        }
    }
    found
}
