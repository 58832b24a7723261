//! Where Copilot keeps sessions: the user folders of the editors built on VS Code, and the folder of
//! the command line tool. One walk serves detection and scan, so that their numbers agree.
//!
//! Deliberately absent: reading a session. Databases are opened here only for their index of titles
//! and for the row in which the oldest versions kept whole sessions.

use crate::readers::json::{JsonType, Tape, Value};
use crate::readers::sqlite::Snapshot;
use crate::readers::vscode::{Workspace, workspaces};
use crate::{Platform, ReadError, Root, Roots, ScanError, roots};
use assay_model::{Candidate, Coverage};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

pub(super) const NAME: &str = "copilot";

/// The reference system passes over smaller files.
const REFERENCE_MIN: u64 = 100;

/// Editors that keep Copilot's sessions alike. The published rules look at the first only.
const PRODUCTS: &[(&str, Coverage)] = &[
    ("Code", Coverage::Reference),
    ("Code - Insiders", Coverage::Extended),
    ("Code - OSS", Coverage::Extended),
    ("VSCodium", Coverage::Extended),
];

/// Folders below `globalStorage`. The last two are of intermediate builds and hand-overs.
const GLOBAL: &[(&str, Coverage)] = &[
    ("emptyWindowChatSessions", Coverage::Reference),
    ("savedChatSessions", Coverage::Extended),
    ("transferredChatSessions", Coverage::Extended),
];

const INDEX: &str = "chat.ChatSessionStore.index";
pub(super) const OLD_SESSIONS: &str = "interactive.sessions";

/// How a session is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Shape {
    /// A mutation log.
    Log,
    /// One session as a whole.
    Whole,
    /// An element of the row of the oldest versions.
    Row,
    /// Events of the command line tool or of the extension.
    Events,
    /// A file of the command line tool whose shape nobody has published.
    Legacy,
}

/// What a candidate carries from the scan to the collecting.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Hint {
    /// How it is kept.
    pub shape: Shape,
    /// The title that the editor's index has.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub title: Option<String>,
    /// Which element of the row.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub element: Option<usize>,
    /// Files beside it that belong to it.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub beside: Vec<PathBuf>,
    /// The copy that goes by the plain id, if this is another.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub copy_of: Option<Copy>,
}

/// The session that another is a copy of.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Copy {
    /// Its id.
    pub id: String,
    /// Its file.
    pub path: PathBuf,
    /// How it is kept.
    pub shape: Shape,
}

/// What the walk found.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub roots: Vec<Root>,
    pub candidates: Vec<Candidate>,
    pub errors: Vec<ScanError>,
    /// Whether a folder may not be read.
    pub denied: bool,
}

struct Item {
    label: String,
    root: usize,
    candidate: Candidate,
    hint: Hint,
}

#[derive(Default)]
struct Walk {
    found: Found,
    items: Vec<Item>,
    titles: BTreeMap<String, String>,
    external: Vec<String>,
}

/// Walks every place.
pub(super) fn find(roots: &Roots) -> Found {
    let mut walk = Walk::default();
    for (user, product, coverage, origin) in editors(roots) {
        walk.editor(roots, &user, &product, coverage, origin);
    }
    for (folder, origin) in command_line(roots) {
        walk.command_line(&folder, origin);
    }
    for folder in roots.custom(NAME) {
        walk.custom(roots, folder);
    }
    walk.finish()
}

fn editors(roots: &Roots) -> Vec<(PathBuf, String, Coverage, String)> {
    let mut all: Vec<_> = PRODUCTS
        .iter()
        .map(|(product, coverage)| {
            (roots.app_config().join(product).join("User"), (*product).to_owned(), *coverage, "default".to_owned())
        })
        .collect();
    all.push((
        roots.home.join(".vscode-server").join("data").join("User"),
        "server".to_owned(),
        Coverage::Extended,
        "default".to_owned(),
    ));
    for (name, below) in [("VSCODE_PORTABLE", "user-data"), ("VSCODE_APPDATA", "Code")] {
        if let Some(folder) = roots.env_dir(name) {
            let user = folder.join(below).join("User");
            all.push((user, name.to_owned(), Coverage::Extended, format!("env:{name}")));
        }
    }
    all
}

fn command_line(roots: &Roots) -> Vec<(PathBuf, String)> {
    let mut all = vec![(roots.home.join(".copilot"), "default".to_owned())];
    if let Some(folder) = roots.env_dir("COPILOT_HOME") {
        all.push((folder, "env:COPILOT_HOME".to_owned()));
    }
    if let Some(folder) = roots.env_dir("XDG_STATE_HOME").filter(|_| roots.platform == Platform::Linux) {
        all.push((folder.join(".copilot"), "env:XDG_STATE_HOME".to_owned()));
    }
    all
}

impl Walk {
    fn root(&mut self, path: &Path, origin: String) -> Option<usize> {
        if self.found.roots.iter().any(|known| known.path == path) {
            return None;
        }
        self.found.roots.push(Root::look(path, origin));
        let root = self.found.roots.last()?;
        (root.exists && root.readable).then(|| self.found.roots.len() - 1)
    }

    /// The names in a folder, sorted; none where it is absent, an error where it may not be read.
    fn list(&mut self, folder: &Path) -> Vec<String> {
        match std::fs::read_dir(folder) {
            Ok(entries) => {
                let mut names: Vec<String> =
                    entries.flatten().map(|e| e.file_name().to_string_lossy().into_owned()).collect();
                names.sort();
                names
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
            Err(error) if error.kind() == std::io::ErrorKind::NotADirectory => Vec::new(),
            Err(error) => {
                self.found.denied |= error.kind() == std::io::ErrorKind::PermissionDenied;
                self.found.errors.push(ScanError { path: folder.to_owned(), cause: error.to_string() });
                Vec::new()
            }
        }
    }

    fn editor(&mut self, roots: &Roots, user: &Path, product: &str, coverage: Coverage, origin: String) {
        let Some(root) = self.root(user, origin) else { return };
        self.list(&user.join("workspaceStorage"));
        for workspace in workspaces(user) {
            self.workspace(roots, root, product, coverage, &workspace);
        }
        let global = user.join("globalStorage");
        self.database(roots, root, product, &global.join("state.vscdb"), "");
        for (name, of_place) in GLOBAL {
            let of_both = if coverage == Coverage::Reference { *of_place } else { coverage };
            self.sessions(root, &global.join(name), &format!("{product}/{name}"), "", of_both);
        }
        self.note_external(root);
    }

    fn workspace(&mut self, roots: &Roots, root: usize, product: &str, coverage: Coverage, workspace: &Workspace) {
        let label = format!("{product}/{}", workspace.id);
        self.database(roots, root, &label, &workspace.dir.join("state.vscdb"), &workspace.project);
        self.sessions(root, &workspace.dir.join("chatSessions"), &label, &workspace.project, coverage);
        let transcripts = workspace.dir.join("GitHub.copilot-chat").join("transcripts");
        for name in self.list(&transcripts) {
            if let Some(id) = name.strip_suffix(".jsonl") {
                let label = format!("{label}/transcript");
                self.file(root, &transcripts.join(&name), id, &label, &workspace.project, Shape::Events);
            }
        }
    }

    fn sessions(&mut self, root: usize, folder: &Path, label: &str, project: &str, coverage: Coverage) {
        for name in self.list(folder) {
            let (id, shape) = match (name.strip_suffix(".jsonl"), name.strip_suffix(".json")) {
                (Some(id), _) => (id, Shape::Log),
                (None, Some(id)) => (id, Shape::Whole),
                (None, None) => continue, // not a session: an editor's lock or temporary file
            };
            let path = folder.join(&name);
            if let Some(item) = self.file(root, &path, id, label, project, shape)
                && item.candidate.file_size >= REFERENCE_MIN
            {
                item.candidate.coverage = coverage;
            }
        }
    }

    /// Adds a file; until told otherwise, one that the published rules do not look at.
    fn file(
        &mut self,
        root: usize,
        path: &Path,
        id: &str,
        label: &str,
        project: &str,
        shape: Shape,
    ) -> Option<&mut Item> {
        let meta = match std::fs::metadata(path) {
            Ok(meta) if meta.is_file() => meta,
            Ok(_) => return None,
            Err(error) => {
                self.found.errors.push(ScanError { path: path.to_owned(), cause: error.to_string() });
                return None;
            }
        };
        self.items.push(Item {
            label: label.to_owned(),
            root,
            candidate: Candidate {
                id: id.to_owned(),
                source: NAME.to_owned(),
                file_path: path.to_owned(),
                file_size: meta.len(),
                file_mtime: roots::mtime(&meta),
                project_dir: project.to_owned(),
                coverage: Coverage::Extended,
                hint: serde_json::Value::Null,
            },
            hint: Hint { shape, title: None, element: None, beside: Vec::new(), copy_of: None },
        });
        self.items.last_mut()
    }

    /// Titles, and the sessions of the oldest versions.
    fn database(&mut self, roots: &Roots, root: usize, label: &str, path: &Path, project: &str) {
        if !path.is_file() {
            return;
        }
        if let Err(error) = self.read_database(roots, root, label, path, project) {
            self.found.errors.push(ScanError { path: path.to_owned(), cause: error.to_string() });
        }
    }

    fn read_database(
        &mut self,
        roots: &Roots,
        root: usize,
        label: &str,
        path: &Path,
        project: &str,
    ) -> Result<(), ReadError> {
        let snapshot = Snapshot::open(roots, path)?;
        let reader = snapshot.connect()?;
        if !reader.has_table("ItemTable")? {
            return Ok(());
        }
        let mut tape = Tape::new();
        if let Some(row) = reader.row("ItemTable", INDEX)? {
            for (id, entry) in tape.read_whole(row.bytes()).iter().filter_map(|v| v.get("entries")).flat_map(Value::entries) {
                if let Some(title) = entry.get_str("title").filter(|t| !t.is_empty()) {
                    self.titles.insert(id.to_string(), title.into_owned());
                }
                if entry.get("isExternal").and_then(Value::bool) == Some(true) {
                    self.external.push(id.into_owned());
                }
            }
        }
        let Some(row) = reader.row("ItemTable", OLD_SESSIONS)? else { return Ok(()) };
        let Ok(value) = tape.read_whole(row.bytes()) else {
            return Err(ReadError::Damaged { path: path.to_owned(), cause: format!("{OLD_SESSIONS} is not JSON") });
        };
        for (element, session) in elements(value).enumerate() {
            let id = match session.get_str("sessionId").filter(|id| !id.is_empty()) {
                Some(id) => id.into_owned(),
                None => format!("{label}/{OLD_SESSIONS}/{element}"),
            };
            let size = session.raw().len() as u64;
            if let Some(item) = self.file(root, path, &id, &format!("{label}/row"), project, Shape::Row) {
                item.hint.element = Some(element);
                item.candidate.file_size = size;
            }
        }
        Ok(())
    }

    /// Names sessions that the index has and no file holds: those of agents elsewhere.
    fn note_external(&mut self, root: usize) {
        let mut external = std::mem::take(&mut self.external);
        external.retain(|id| !self.items.iter().any(|item| item.candidate.id == *id));
        external.sort();
        external.dedup();
        if !external.is_empty() {
            self.found.roots[root].note = Some(format!("external sessions, listed but not on disk: {}", external.join(", ")));
        }
    }

    fn command_line(&mut self, folder: &Path, origin: String) {
        if let Some(root) = self.root(folder, origin) {
            self.session_state(root, &folder.join("session-state"));
            let legacy = folder.join("history-session-state");
            for name in self.list(&legacy) {
                if let Some(id) = name.strip_suffix(".json") {
                    self.file(root, &legacy.join(&name), id, "history-session-state", "", Shape::Legacy);
                }
            }
            if folder.join("session-store.db").is_file() {
                self.found.roots[root].note = Some("session-store.db is derived from the sessions: not read".to_owned());
            }
        }
    }

    fn session_state(&mut self, root: usize, folder: &Path) {
        for name in self.list(folder) {
            let path = folder.join(&name);
            if let Some(id) = name.strip_suffix(".jsonl") {
                self.file(root, &path, id, "session-state", "", Shape::Events);
                continue;
            }
            let beside = self.beside(&path);
            let events = path.join("events.jsonl");
            let main = if events.is_file() { Some(events) } else { beside.first().cloned() };
            if let Some(item) = main.and_then(|main| self.file(root, &main, &name, "session-state", "", Shape::Events)) {
                item.hint.beside = beside.into_iter().filter(|p| *p != item.candidate.file_path).collect();
                for extra in item.hint.beside.iter().filter_map(|p| std::fs::metadata(p).ok()) {
                    item.candidate.file_size += extra.len();
                    item.candidate.file_mtime = item.candidate.file_mtime.max(roots::mtime(&extra));
                }
            }
        }
    }

    /// The plan and the checkpoints beside a session's events.
    fn beside(&mut self, folder: &Path) -> Vec<PathBuf> {
        let checkpoints = folder.join("checkpoints");
        let notes = self.list(&checkpoints).into_iter().filter(|n| n.ends_with(".md")).map(|n| checkpoints.join(n));
        std::iter::once(folder.join("plan.md")).chain(notes.collect::<Vec<_>>()).filter(|p| p.is_file()).collect()
    }

    /// A folder that a person added: of whichever of the shapes above it is.
    fn custom(&mut self, roots: &Roots, folder: &Path) {
        let is = |name: &str| folder.join(name).is_dir();
        let origin = || "custom".to_owned();
        if is("session-state") || is("history-session-state") {
            self.command_line(folder, origin());
        } else if is("User") {
            self.editor(roots, &folder.join("User"), "custom", Coverage::Reference, origin());
        } else if is("workspaceStorage") || is("globalStorage") {
            self.editor(roots, folder, "custom", Coverage::Reference, origin());
        } else if let Some(root) = self.root(folder, origin()) {
            let label = format!("custom/{}", folder.display());
            self.sessions(root, folder, &label, "", Coverage::Extended);
            for item in self.items.iter_mut().filter(|item| item.root == root) {
                item.candidate.coverage = Coverage::Extended;
            }
            if folder.file_name().is_some_and(|n| n == "session-state") {
                self.items.retain(|item| item.root != root);
                self.session_state(root, folder);
            }
            for workspace in self.list(folder) {
                let sessions = folder.join(&workspace).join("chatSessions");
                self.sessions(root, &sessions, &format!("{label}/{workspace}"), "", Coverage::Extended);
            }
        }
    }

    /// Gives the plain id to one of the sessions that share it, and a longer one to the others.
    fn finish(mut self) -> Found {
        // Transcripts of the extension repeat what the session of the same id holds.
        let rank = |item: &Item| {
            let file = &item.candidate;
            let extended = file.coverage == Coverage::Extended;
            (extended, item.hint.shape, std::cmp::Reverse(file.file_size), std::cmp::Reverse(file.file_mtime))
        };
        let mut best: BTreeMap<&str, usize> = BTreeMap::new();
        for (i, item) in self.items.iter().enumerate() {
            let known = best.entry(&item.candidate.id).or_insert(i);
            if rank(item) < rank(&self.items[*known]) {
                *known = i;
            }
        }
        let copies: Vec<Option<Copy>> = self
            .items
            .iter()
            .enumerate()
            .map(|(i, item)| {
                let of = best.get(item.candidate.id.as_str()).copied().filter(|of| *of != i)?;
                let of = &self.items[of];
                Some(Copy { id: of.candidate.id.clone(), path: of.candidate.file_path.clone(), shape: of.hint.shape })
            })
            .collect();
        for (mut item, copy_of) in self.items.into_iter().zip(copies) {
            item.hint.title = self.titles.get(&item.candidate.id).cloned();
            if copy_of.is_some() {
                let ending = item.candidate.file_path.extension().unwrap_or_default().to_string_lossy().into_owned();
                item.candidate.id = format!("{}@{}.{ending}", item.candidate.id, item.label);
                item.hint.copy_of = copy_of;
            }
            let root = &mut self.found.roots[item.root];
            root.conversations += 1;
            root.bytes += item.candidate.file_size;
            item.candidate.hint = serde_json::to_value(&item.hint).unwrap_or_default();
            self.found.candidates.push(item.candidate);
        }
        self.found
    }
}

/// The sessions of the oldest versions: an array of them, or an object by id.
pub(super) fn elements<'a>(value: Value<'a>) -> Box<dyn Iterator<Item = Value<'a>> + 'a> {
    match value.kind() {
        JsonType::Object => Box::new(value.entries().map(|(_, session)| session)),
        JsonType::Array => Box::new(value.items()),
        JsonType::Null | JsonType::Bool | JsonType::Number | JsonType::String => Box::new(std::iter::empty()),
    }
}
