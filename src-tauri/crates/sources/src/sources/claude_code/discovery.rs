//! Where Claude Code keeps its sessions, and what is there.
//!
//! Transcripts lie in `projects/<folder>/`, those of sub-agents below `<session>/subagents/`. The folder's
//! name cannot be decoded and is never read as a path. Of a transcript only its head is looked at. Deliberately
//! absent: everything else the tool keeps (todos, snapshots of files, feedback bundles).

use super::copies::{self, Peer};
use super::{beside, bodies, history, sub_agents};
use crate::{Detection, Evidence, Platform, ReadError, Root, Roots, ScanError, roots};
use assay_model::{Candidate, Coverage};
use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap, HashSet};
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

/// What the note of a root says about files that a link leads to once more.
const SECOND_PATHS: &str = "second-paths";

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
    /// Conversations whose transcripts begin with the same record.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub peers: Vec<Peer>,
    /// Other paths to the same file.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub paths: Vec<PathBuf>,
    /// What it is, if it is no transcript.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub sort: Option<Sort>,
}

/// A conversation that is no transcript.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Sort {
    /// The prompts that were typed in any session.
    History,
    /// Bodies and runs in the folder of a session whose transcript is gone.
    Leftovers,
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
            let (mut failed, mut linked) = (None, 0u64);
            for found in list(&folder, &mut |error| failed = Some(error.to_string())) {
                if seen.insert(found.identity) {
                    root.conversations += 1;
                    root.bytes += found.bytes;
                } else {
                    linked += 1;
                }
            }
            let linked = (linked > 0).then(|| format!("{SECOND_PATHS}={linked}"));
            root.note = root.note.take().or(failed).or(linked);
        }
        for prompts in history::files(&root.path) {
            if seen.insert(canonical(&prompts)) {
                root.conversations += 1;
                root.bytes += std::fs::metadata(&prompts).map_or(0, |m| m.len());
            }
        }
        root
    });
    Detection::of(places.collect())
}

/// Lists the conversations: those that the reference system reads first, each part in the order of
/// roots, project folders and paths.
pub(super) fn scan(roots: &Roots, found: &Detection, sink: &mut dyn FnMut(Result<Candidate, ScanError>)) {
    let reference = reference_folders(roots);
    let mut seen: HashMap<PathBuf, usize> = HashMap::new();
    let mut all: Vec<(Transcript, Coverage)> = Vec::new();
    for root in found.readable() {
        for folder in project_folders(&root.path, root.origin == CUSTOM) {
            for transcript in list(&folder, &mut |error| sink(Err(error))) {
                if let Some(first) = seen.get(&transcript.identity) {
                    all[*first].0.also_at(transcript);
                    continue;
                }
                seen.insert(transcript.identity.clone(), all.len());
                let top = transcript.parent.is_none()
                    && transcript.sort.is_none()
                    && transcript.depth == 1
                    && transcript.whole_name;
                let coverage = if top && transcript.bytes >= SMALLEST && reference.contains(&folder) {
                    Coverage::Reference
                } else {
                    Coverage::Extended
                };
                all.push((transcript, coverage));
            }
        }
        for prompts in history::files(&root.path) {
            if let Entry::Vacant(place) = seen.entry(canonical(&prompts)) {
                place.insert(all.len());
                all.extend(Transcript::history(prompts).map(|t| (t, Coverage::Extended)));
            }
        }
    }
    all.sort_by_key(|(_, coverage)| *coverage != Coverage::Reference);
    let mut ids: HashSet<String> = HashSet::new();
    let own: Vec<String> = all
        .iter()
        .map(|(transcript, _)| {
            let id = transcript.ids().find(|id| !ids.contains(id)).unwrap_or_default();
            ids.insert(id.clone());
            id
        })
        .collect();
    let heads: Vec<copies::Head> = all.iter().map(|(transcript, _)| transcript.head()).collect();
    let mut flat = flat_agents(&all, &heads);
    let mut peers = copies::peers(all.iter().zip(&own).map(|((t, _), id)| (id.as_str(), t.path.as_path())), &heads);
    for (at, ((transcript, coverage), id)) in all.into_iter().zip(own).enumerate() {
        let twin = (id != transcript.id).then(|| transcript.id.clone());
        let mut agents = transcript.agents;
        agents.extend(flat.remove(&at).unwrap_or_default());
        let hint = Hint {
            parent: transcript.parent,
            agents,
            twin,
            peers: peers.remove(&at).unwrap_or_default(),
            paths: transcript.paths,
            sort: transcript.sort,
        };
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

/// Early sub-agents lie beside their session, which only their records name. By the session's place.
fn flat_agents(all: &[(Transcript, Coverage)], heads: &[copies::Head]) -> HashMap<usize, Vec<String>> {
    let session = |t: &Transcript| (t.folder.clone(), t.id.clone());
    let sessions: HashMap<_, _> = all.iter().enumerate().map(|(at, (t, _))| (session(t), at)).collect();
    let mut found: HashMap<usize, Vec<String>> = HashMap::new();
    for ((transcript, _), head) in all.iter().zip(heads) {
        let agent = transcript.id.strip_prefix(sub_agents::PREFIX).filter(|_| transcript.parent.is_none());
        let session = head.session.as_ref().and_then(|s| sessions.get(&(transcript.folder.clone(), s.clone())));
        if let (Some(agent), Some(session)) = (agent, session) {
            found.entry(*session).or_default().push(agent.to_owned());
        }
    }
    found
}

/// Opens a transcript, and with it what describes a sub-agent, the bodies that it mentions, what nothing
/// mentions, and the transcripts that begin as this one does.
pub(super) fn collect(roots: &Roots, candidate: &Candidate) -> Result<Evidence, ReadError> {
    let hint = Hint::of(candidate);
    match hint.sort {
        Some(Sort::History) => return history::collect(roots, candidate),
        Some(Sort::Leftovers) => return beside::collect(roots, candidate),
        None => {}
    }
    let mut evidence = Evidence::of_file(roots, candidate)?;
    sub_agents::consult(roots, candidate, &mut evidence);
    beside::add(roots, candidate, &hint, &mut evidence)?;
    copies::consult(roots, &hint.peers, &mut evidence);
    Ok(evidence)
}

impl Hint {
    /// What the scan said about a candidate.
    pub fn of(candidate: &Candidate) -> Self {
        serde_json::from_value(candidate.hint.clone()).unwrap_or_default()
    }
}

/// A path without links.
pub(super) fn canonical(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
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
    /// Other paths to it.
    paths: Vec<PathBuf>,
    /// Whether its path leads to it without a link below the folder of project folders.
    direct: bool,
    sort: Option<Sort>,
}

impl Transcript {
    /// The prompts of any session, as one conversation.
    fn history(path: PathBuf) -> Option<Self> {
        // Gone since it was listed.
        let meta = std::fs::metadata(&path).ok()?;
        Some(Self {
            identity: canonical(&path),
            bytes: meta.len(),
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
            sort: Some(Sort::History),
            path,
        })
    }

    /// What lies in the folder of a session whose transcript is gone.
    fn leftovers(folder: &Path, project: &str) -> Option<Self> {
        let files = beside::files(folder);
        let first = files.first()?.clone();
        let metas: Vec<_> = files.iter().filter_map(|f| std::fs::metadata(f).ok()).collect();
        let session = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Some(Self {
            identity: canonical(folder),
            bytes: metas.iter().map(std::fs::Metadata::len).sum(),
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
            sort: Some(Sort::Leftovers),
            path: first,
        })
    }

    /// Takes over another path to the same file. Of a link and the file itself, the file stands.
    fn also_at(&mut self, mut other: Self) {
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
    fn head(&self) -> copies::Head {
        if self.parent.is_none() && self.sort.is_none() { copies::head(&self.path) } else { copies::Head::default() }
    }

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

/// The folders in a folder, by name.
fn folders_in(folder: &Path) -> Vec<PathBuf> {
    // What could not be listed was said when the folder was walked.
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut folders: Vec<PathBuf> = entries.map(|e| e.path()).filter(|p| p.is_dir()).collect();
    folders.sort();
    folders
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
        let identity = canonical(entry.path());
        let plain = folders.is_empty() || stem.starts_with(sub_agents::PREFIX);
        let id = if plain { stem.to_owned() } else { format!("{}/{stem}", folders.join("/")) };
        found.push(Transcript {
            direct: identity == base.join(&name).join(below),
            identity,
            bytes: meta.len(),
            mtime: roots::mtime(&meta),
            project: name.clone(),
            id,
            folder: std::iter::once(name.as_str()).chain(folders.iter().map(String::as_str)).collect::<Vec<_>>().join("/"),
            depth: entry.depth(),
            whole_name,
            parent,
            agents: Vec::new(),
            paths: Vec::new(),
            sort: None,
            path: entry.into_path(),
        });
    }
    for transcript in &mut found {
        if transcript.depth == 1 {
            transcript.agents = agents.remove(&transcript.id).unwrap_or_default();
        }
    }
    let sessions: HashSet<&str> = found.iter().filter(|t| t.depth == 1).map(|t| t.id.as_str()).collect();
    let gone: Vec<PathBuf> = folders_in(project).into_iter().filter(|f| {
        let name = f.file_name().unwrap_or_default().to_string_lossy();
        !sessions.contains(&*name)
    }).collect();
    found.extend(gone.into_iter().filter_map(|folder| Transcript::leftovers(&folder, &name)));
    found
}
