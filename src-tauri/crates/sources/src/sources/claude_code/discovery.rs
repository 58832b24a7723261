//! Where Claude Code keeps its sessions, and what is there.
//!
//! Transcripts lie in `projects/<folder>/`, those of sub-agents below `<session>/subagents/`. The folder's
//! name cannot be decoded and is never read as a path. Of a transcript only its head is looked at. Deliberately
//! absent: everything else the tool keeps (todos, snapshots of files, feedback bundles).

use super::copies::{self, Peer};
use super::transcripts::{PROJECTS, Transcript, list};
use super::{beside, history, sub_agents};
use crate::roots::may_be;
use crate::{Detection, Evidence, Platform, ReadError, Root, Roots, ScanError, State, adapter};
use assay_model::{Candidate, Coverage};
use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use walkdir::WalkDir;

/// The source's name.
pub(super) const SOURCE: &str = "claude-code";

/// The environment's override of the configuration folder.
const CONFIG_DIR: &str = "CLAUDE_CONFIG_DIR";

/// The origin of a folder that a person named.
const CUSTOM: &str = "custom";

/// The reference system takes a smaller file for an empty one, in bytes.
const SMALLEST: u64 = 100;

/// What the note of a root says about files that a link leads to once more.
const SECOND_PATHS: &str = "second-paths";

/// What the note of a root says about transcripts that lie among the project folders, in none of them.
const STRAYS: &str = "outside-of-project-folders";

/// How deep below the desktop app's folder a session's own configuration folder may lie.
const DESKTOP_DEPTH: usize = 8;

/// How deep below a folder of project folders what lies beside transcripts is looked for.
const BESIDE_DEPTH: usize = 6;

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
    /// The folder of a session whose transcript is gone.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub left: Option<PathBuf>,
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
    let (mut seen, mut errors) = (HashSet::new(), Vec::new());
    let look = |(path, origin)| {
        let mut root = Root::folder(path, origin);
        if !root.exists || !root.readable {
            return root;
        }
        for folder in project_folders(&root.path, root.origin == CUSTOM) {
            if let Err(error) = adapter::list(&folder).map(drop) {
                (root.readable, root.hindrance) = (false, Some(State::from(&error)));
                errors.push(ScanError::io(&folder, &error));
                continue;
            }
            let (mut linked, mut strays) = (0u64, 0u64);
            for found in list(&folder, &mut |error| errors.push(error)) {
                strays += u64::from(found.stray);
                if seen.insert(found.identity) {
                    root.conversations += 1;
                    root.bytes += found.bytes + found.beside;
                } else {
                    linked += 1;
                }
            }
            let linked = (linked > 0).then(|| format!("{SECOND_PATHS}={linked}"));
            let strays = (strays > 0).then(|| format!("{STRAYS}={strays}"));
            let first = root.note.take().or(linked);
            root.note = first.into_iter().chain(strays).reduce(|a, b| format!("{a} {b}"));
        }
        let others = other_files(&root.path, root.origin == CUSTOM);
        if !others.is_empty() {
            root.note = Some(root.note.iter().cloned().chain([others]).collect::<Vec<_>>().join(" "));
        }
        for prompts in history::files(&root.path) {
            if seen.insert(canonical(&prompts)) {
                root.conversations += 1;
                root.bytes += std::fs::metadata(&prompts).map_or(0, |m| m.len());
            }
        }
        root
    };
    let places = places(roots).into_iter().map(look).collect();
    Detection::with_errors(places, &errors)
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
                    && !transcript.stray
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
    // A file among the project folders takes no id from one that lies where it belongs.
    all.sort_by_key(|(transcript, coverage)| (*coverage != Coverage::Reference, transcript.stray));
    let forms: Vec<_> = all.iter().map(|(transcript, _)| (transcript.ids(), &*transcript.path)).collect();
    let own = roots.given.of(SOURCE).hand_out(&forms);
    let ids: HashSet<String> = own.iter().cloned().collect();
    let heads: Vec<copies::Head> = all.iter().map(|(transcript, _)| transcript.head()).collect();
    let mut flat = flat_agents(&all, &heads);
    let mut peers = copies::peers(all.iter().zip(&own).map(|((t, _), id)| (id.as_str(), t.path.as_path())), &heads);
    for (at, ((transcript, coverage), id)) in all.into_iter().zip(own).enumerate() {
        let twin = (id != transcript.id && ids.contains(&transcript.id)).then(|| transcript.id.clone());
        let mut agents = transcript.agents;
        agents.extend(flat.remove(&at).unwrap_or_default());
        let hint = Hint {
            parent: transcript.parent,
            agents,
            twin,
            peers: peers.remove(&at).unwrap_or_default(),
            paths: transcript.paths,
            sort: transcript.sort,
            left: transcript.left,
        };
        sink(Ok(Candidate {
            id,
            source: SOURCE.to_owned(),
            file_path: transcript.path,
            file_size: transcript.bytes + transcript.beside,
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
        Some(Sort::Leftovers) => return beside::collect(roots, candidate, &hint),
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

/// The folder beside a session's transcript, also for the transcripts inside it, whose session is `parent`.
pub(super) fn session_folder(transcript: &Path, parent: Option<&str>) -> PathBuf {
    let named = |folder: &Path, name: &str| folder.file_name().is_some_and(|n| n == name);
    let of = |a: &&Path| parent.is_some_and(|p| named(a, "subagents") && a.parent().is_some_and(|f| named(f, p)));
    match transcript.ancestors().filter(of).last().and_then(Path::parent) {
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

/// Files in the places of sessions that no version of the tool known here writes, counted by their sort. They may be
/// those of an extension; a person can name their folder to have them read.
fn other_files(root: &Path, named: bool) -> String {
    const SORTS: [(&str, &str, &str); 2] =
        [("transcripts", "ses_", ".jsonl"), ("pre-compact-session-histories", "", ".jsonl")];
    const INDEX: &str = "sessions-index.json";
    const BESIDE: [&str; 2] = [".forked-skill.json", ".marker.json"];
    let count = |folder: &Path, depth: usize, fits: &dyn Fn(&str) -> bool| {
        let walk = WalkDir::new(folder).min_depth(1).max_depth(depth).into_iter().flatten();
        walk.filter(|e| e.file_type().is_file() && fits(&e.file_name().to_string_lossy())).count()
    };
    let home = if root.file_name().is_some_and(|n| n == "projects") { root.parent().unwrap_or(root) } else { root };
    let mut found: Vec<(String, usize)> = Vec::new();
    for (folder, start, end) in SORTS {
        let fits = |name: &str| name.starts_with(start) && name.ends_with(end);
        found.push((format!("{folder}/{start}*{end}"), count(&home.join(folder), 1, &fits)));
    }
    let projects = project_folders(root, named);
    for end in BESIDE {
        let of = |folder: &PathBuf| count(folder, BESIDE_DEPTH, &|name| name.ends_with(end));
        found.push((format!("*{end}"), projects.iter().map(of).sum()));
    }
    // Among transcripts a session may lie that somebody saved in another form; the tool's own index is none.
    let json = |name: &str| name.ends_with(".json") && name != INDEX && !BESIDE.iter().any(|end| name.ends_with(end));
    let of = |project: &PathBuf| WalkDir::new(project).min_depth(1).max_depth(1).into_iter().flatten()
        .filter(|e| e.path().is_dir()).map(|e| count(e.path(), 1, &json)).sum::<usize>();
    found.push((format!("{PROJECTS}/*.json"), projects.iter().map(of).sum()));
    let said = found.into_iter().filter(|(_, n)| *n > 0).map(|(sort, n)| format!("{sort}={n}"));
    said.collect::<Vec<_>>().join(" ")
}

/// The folders of project folders that `path` stands for: a configuration folder, its `projects` folder,
/// or, if a person named it, a home folder or any folder of such folders.
fn project_folders(path: &Path, named: bool) -> Vec<PathBuf> {
    let inside = [path.join("projects"), path.join(".claude").join("projects")];
    if let Some(projects) = inside.into_iter().find(|p| may_be(p)) {
        vec![projects]
    } else if named || path.file_name().is_some_and(|n| n == "projects") {
        vec![path.to_owned()]
    } else {
        Vec::new()
    }
}
