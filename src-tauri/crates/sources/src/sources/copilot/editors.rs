//! The user folders of the editors built on VS Code: where sessions lie in them, and what of each session lies
//! beside it. Databases are opened here for their index of titles and for the rows that hold whole sessions.
//!
//! Deliberately absent: other folders (`discovery.rs`), and what is in a session.

use super::beside::{EDITING, RESOURCES};
use super::discovery::Walk;
use super::hint::{Element, Shape};
use crate::readers::json::{JsonType, Tape, Value};
use crate::readers::sqlite::{Reader, Snapshot};
use crate::readers::vscode::{Workspace, uri_to_path, workspaces};
use crate::{ReadError, Roots, ScanError, roots};
use assay_model::Coverage;
use std::io::Read;
use std::path::{Path, PathBuf};

/// The reference system passes over smaller files.
const REFERENCE_MIN: u64 = 100;

/// How much of a file of another name is looked at to tell whether it is a session.
const HEAD: u64 = 64 * 1024;

/// Editors that keep Copilot's sessions alike. The published rules look at the first only.
const PRODUCTS: &[(&str, Coverage)] = &[
    ("Code", Coverage::Reference),
    ("Code - Insiders", Coverage::Extended),
    ("Code - OSS", Coverage::Extended),
    ("VSCodium", Coverage::Extended),
];

/// Editors that have an assistant of their own, and keep another's sessions as the ones above do: no places of this
/// source until there is such a session. Whether a source of its own tells which of its databases are damaged.
const GUESTS: &[(&str, bool)] = &[
    ("Antigravity", false),
    ("Cursor", true),
    ("Kiro", false),
    ("Positron", false),
    ("Windsurf", false),
    ("Windsurf - Next", false),
];

/// Folders below `globalStorage`. The last two are of intermediate builds and hand-overs.
const GLOBAL: &[(&str, Coverage)] = &[
    (EMPTY_WINDOWS, Coverage::Reference),
    ("savedChatSessions", Coverage::Extended),
    ("transferredChatSessions", Coverage::Extended),
];

const EMPTY_WINDOWS: &str = "emptyWindowChatSessions";

/// The folder of the extension, below that of a workspace and below `globalStorage`.
const EXTENSION: &[&str] = &["GitHub.copilot-chat", "github.copilot-chat"];

const INDEX: &str = "chat.ChatSessionStore.index";

/// The row of the oldest versions: a list of sessions, or an object of them by id.
pub(super) const OLD_SESSIONS: &str = "interactive.sessions";
/// Sessions on their way to another window, each with the text of the input box.
pub(super) const TRANSFER: &str = "chat.workspaceTransfer";

/// The user folders, with the name of their editor and why they are looked at.
pub(super) fn places(roots: &Roots) -> Vec<(PathBuf, String, Coverage, String)> {
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

impl Walk {
    /// The user folders of the editors in which there may be a session.
    pub fn guests(&mut self, roots: &Roots) {
        for (product, told) in GUESTS {
            let user = roots.app_config().join(product).join("User");
            let (places, errors) = (self.found.roots.len(), self.found.errors.len());
            self.editor(roots, &user, product, Coverage::Extended, "default".to_owned());
            let sessions = self.items.iter().any(|item| item.root == places);
            if !sessions && !self.belongings.keys().any(|(root, ..)| *root == places) {
                self.found.roots.truncate(places);
                self.found.errors.truncate(errors);
            } else if *told {
                let others = self.found.errors.split_off(errors).into_iter();
                self.found.errors.extend(others.filter(|error| error.path.extension().is_none_or(|e| e != "vscdb")));
            }
        }
    }

    /// One user folder.
    pub fn editor(&mut self, roots: &Roots, user: &Path, product: &str, coverage: Coverage, origin: String) {
        let Some(root) = self.root(user, origin) else { return };
        for workspace in workspaces(user, &mut |error| self.found.errors.push(error)) {
            self.workspace(roots, root, product, coverage, &workspace);
        }
        let global = user.join("globalStorage");
        self.database(roots, root, product, &global.join("state.vscdb"), "");
        for (name, of_place) in GLOBAL {
            let of_both = if coverage == Coverage::Reference { *of_place } else { coverage };
            self.sessions(root, &global.join(name), &format!("{product}/{name}"), "", of_both);
        }
        self.extension(root, &global, &format!("{product}/{EMPTY_WINDOWS}"), "");
        self.note_external(root);
    }

    fn workspace(&mut self, roots: &Roots, root: usize, product: &str, coverage: Coverage, workspace: &Workspace) {
        let label = format!("{product}/{}", workspace.id);
        self.database(roots, root, &label, &workspace.dir.join("state.vscdb"), &workspace.project);
        self.sessions(root, &workspace.dir.join("chatSessions"), &label, &workspace.project, coverage);
        self.extension(root, &workspace.dir, &label, &workspace.project);
        let editing = workspace.dir.join(EDITING);
        let mut bodies = 0;
        for id in self.list(&editing) {
            let state = editing.join(&id).join("state.json");
            bodies += self.files(&editing.join(&id).join("contents"), 1).len();
            if state.is_file() {
                self.belongings.entry((root, label.clone(), id)).or_default().push(state);
            }
        }
        if bodies > 0 {
            self.note(root, format!("bodies of files in sessions of edits, not read: {bodies}"));
        }
    }

    /// What the extension keeps: transcripts, and output of tools that was too long for the session.
    fn extension(&mut self, root: usize, folder: &Path, label: &str, project: &str) {
        for own in EXTENSION.iter().map(|name| folder.join(name)).filter(|own| own.is_dir()) {
            let transcripts = own.join("transcripts");
            for name in self.list(&transcripts) {
                if let Some(id) = name.strip_suffix(".jsonl") {
                    let label = format!("{label}/transcript");
                    self.file(root, &transcripts.join(&name), id, &label, project, Shape::Events);
                }
            }
            let resources = own.join(RESOURCES);
            for id in self.list(&resources) {
                if resources.join(&id).is_file() {
                    continue; // in no session's folder
                }
                let files = self.files(&resources.join(&id), 3);
                if !files.is_empty() {
                    self.belongings.entry((root, label.to_owned(), id)).or_default().extend(files);
                }
            }
            let logs = self.files(&own.join("debug-logs"), 2).len();
            if logs > 0 {
                self.note(root, format!("debug logs, not read: {logs}"));
            }
        }
    }

    /// The sessions in a folder, one a file.
    pub fn sessions(&mut self, root: usize, folder: &Path, label: &str, project: &str, coverage: Coverage) {
        let mut others = Vec::new();
        for name in self.list(folder) {
            let (id, shape) = match (name.strip_suffix(".jsonl"), name.strip_suffix(".json")) {
                (Some(id), _) => (id, Shape::Log),
                (None, Some(id)) => (id, Shape::Whole),
                // Not a session: an editor's temporary file, or a copy that somebody made.
                (None, None) => {
                    others.extend(folder.join(&name).is_file().then_some(name));
                    continue;
                }
            };
            let path = folder.join(&name);
            if !is_uuid(id) && path.is_file() && !speaks_of_a_session(&path) {
                others.push(name);
                continue;
            }
            if let Some(item) = self.file(root, &path, id, label, project, shape)
                && item.candidate.file_size >= REFERENCE_MIN
            {
                item.candidate.coverage = coverage;
            }
        }
        if !others.is_empty() {
            self.note(root, format!("files that are no sessions, not read: {}", others.join(", ")));
        }
    }

    /// Titles, and the sessions that rows hold.
    fn database(&mut self, roots: &Roots, root: usize, label: &str, path: &Path, project: &str) {
        if !path.is_file() {
            return;
        }
        if let Err(error) = self.read_database(roots, root, label, path, project) {
            self.found.errors.push(ScanError::read(path, &error));
        }
    }

    fn fail(&mut self, path: &Path, cause: String) {
        self.found.errors.push(ScanError::new(path, cause));
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
        if let Some(row) = reader.row("ItemTable", INDEX)?.filter(|row| !row.bytes().is_empty()) {
            let index = tape.read_whole(row.bytes());
            if index.is_err() {
                self.fail(path, not_json(INDEX));
            }
            for (id, entry) in index.iter().filter_map(|v| v.get("entries")).flat_map(Value::entries) {
                if let Some(title) = entry.get_str("title").filter(|t| !t.is_empty()) {
                    self.titles.insert(id.to_string(), title.into_owned());
                }
                if entry.get("isExternal").and_then(Value::bool) == Some(true) {
                    self.external.push(id.into_owned());
                }
            }
        }
        for key in [OLD_SESSIONS, TRANSFER] {
            self.row(&reader, root, (label, project), path, key)?;
        }
        Ok(())
    }

    /// The sessions in one row.
    fn row(
        &mut self,
        reader: &Reader<'_>,
        root: usize,
        (label, project): (&str, &str),
        path: &Path,
        key: &str,
    ) -> Result<(), ReadError> {
        let Some(row) = reader.row("ItemTable", key)?.filter(|row| !row.bytes().is_empty()) else { return Ok(()) };
        let mut tape = Tape::new();
        let Ok(value) = tape.read_whole(row.bytes()) else {
            self.fail(path, not_json(key));
            return Ok(());
        };
        for (index, element) in elements(value).enumerate() {
            let Some(session) = session_of(key, element) else { continue };
            let id = match session.get_str("sessionId").filter(|id| !id.is_empty()) {
                Some(id) => id.into_owned(),
                None => format!("{label}/{key}/{index}"),
            };
            let size = element.raw().len() as u64;
            let project = match element.get("toWorkspace").filter(|_| key == TRANSFER).and_then(folder) {
                Some(target) => target,
                None => project.to_owned(),
            };
            if let Some(item) = self.file(root, path, &id, &format!("{label}/row"), &project, Shape::Row) {
                item.hint.element = Some(Element { key: key.to_owned(), index });
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
            self.note(root, format!("external sessions, listed but not on disk: {}", external.join(", ")));
        }
    }
}

/// What is said of a row that cannot be read; the rest of its database is.
fn not_json(key: &str) -> String {
    format!("{key} is not JSON")
}

/// Whether a name is one that the editor gives a session.
fn is_uuid(name: &str) -> bool {
    let dash = |at: usize| matches!(at, 8 | 13 | 18 | 23);
    name.len() == 36 && name.bytes().enumerate().all(|(at, b)| if dash(at) { b == b'-' } else { b.is_ascii_hexdigit() })
}

/// Whether a file of another name begins as a session does (somebody renamed it). One that cannot be opened is
/// not left out here: why it cannot be read is told with it.
fn speaks_of_a_session(path: &Path) -> bool {
    let Ok(file) = roots::open_plain(path) else { return true };
    let mut head = Vec::new();
    if file.take(HEAD).read_to_end(&mut head).is_err() {
        return true;
    }
    [&b"\"requests\""[..], b"\"sessionId\"", b"\"kind\""].iter().any(|key| memchr::memmem::find(&head, key).is_some())
}

/// The folder of a serialised URI.
fn folder(uri: Value<'_>) -> Option<String> {
    let path = uri.get_str("fsPath").or_else(|| uri.get_str("path")).filter(|p| !p.is_empty());
    path.map(|p| p.into_owned()).or_else(|| uri.get_str("external").or_else(|| uri.str()).map(|u| uri_to_path(&u)))
}

/// The elements of a row: an array of them, or an object by id.
pub(super) fn elements<'a>(value: Value<'a>) -> Box<dyn Iterator<Item = Value<'a>> + 'a> {
    match value.kind() {
        JsonType::Object => Box::new(value.entries().map(|(_, session)| session)),
        JsonType::Array => Box::new(value.items()),
        JsonType::Null | JsonType::Bool | JsonType::Number | JsonType::String => Box::new(std::iter::empty()),
    }
}

/// The session in an element of the row `key`: the element itself, or what is on its way to another window.
pub(super) fn session_of<'a>(key: &str, element: Value<'a>) -> Option<Value<'a>> {
    match key {
        TRANSFER => element.get("chat").filter(|chat| chat.kind() == JsonType::Object),
        _ => Some(element),
    }
}
