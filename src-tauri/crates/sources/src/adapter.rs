//! The one trait that a source implements, and what its steps return.

use crate::{Account, Evidence, Roots, SourceManifest};
use assay_model::{Candidate, Ledger, ParsedConversation};
use serde::Serialize;
use std::io;
use std::path::{Path, PathBuf};

/// How a source was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// None of the places exists.
    NotInstalled,
    /// There is something to read.
    Found,
    /// The place exists and holds no conversation.
    Empty,
    /// The place may not be read.
    NoPermission,
    /// A database is locked.
    Locked,
    /// The only store there is, is encrypted by the tool.
    Encrypted,
    /// Looking failed.
    Failed,
}

impl State {
    /// What may stand in the way, the one that a person can do most about first.
    const HINDRANCES: [State; 4] = [State::NoPermission, State::Locked, State::Failed, State::Encrypted];
}

impl From<&io::Error> for State {
    fn from(error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::PermissionDenied => State::NoPermission,
            _ => State::Failed,
        }
    }
}

/// One place that was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Root {
    /// The place.
    pub path: PathBuf,
    /// Why it was looked at: `default`, `custom`, or `env:NAME`.
    pub origin: String,
    /// Whether it is there.
    pub exists: bool,
    /// Whether it may be read.
    pub readable: bool,
    /// Conversations in it.
    pub conversations: u64,
    /// Bytes in it that a scan would read.
    pub bytes: u64,
    /// What else is to be said: names and numbers, e.g. `encrypted-store`.
    pub note: Option<String>,
    /// Why it cannot be read, as the state of a source that has no other place.
    #[serde(skip)]
    pub hindrance: Option<State>,
}

impl Root {
    /// Looks at `path`, which must be a folder or a file, without counting what it holds.
    pub fn look(path: impl Into<PathBuf>, origin: impl Into<String>) -> Self {
        let path = path.into();
        let opened = match std::fs::metadata(&path) {
            Ok(meta) if meta.is_dir() => std::fs::read_dir(&path).map(drop),
            Ok(_) => crate::roots::open_plain(&path).map(drop),
            Err(error) => Err(error),
        };
        Self::opened(path, origin.into(), opened)
    }

    /// Looks at `path`, which must be a folder: a file in its place cannot be read.
    pub fn folder(path: impl Into<PathBuf>, origin: impl Into<String>) -> Self {
        let path = path.into();
        let opened = list(&path).map(drop);
        Self::opened(path, origin.into(), opened)
    }

    fn opened(path: PathBuf, origin: String, opened: io::Result<()>) -> Self {
        let error = opened.err();
        Self {
            path,
            origin,
            exists: error.as_ref().is_none_or(|e| e.kind() != io::ErrorKind::NotFound),
            readable: error.is_none(),
            conversations: 0,
            bytes: 0,
            note: error.as_ref().filter(|e| e.kind() != io::ErrorKind::NotFound).map(ToString::to_string),
            hindrance: error.filter(|e| e.kind() != io::ErrorKind::NotFound).map(|e| State::from(&e)),
        }
    }

    /// Adds to what is to be said about it.
    pub fn remark(&mut self, text: &str) {
        match &mut self.note {
            Some(note) if note.contains(text) => {}
            Some(note) => {
                note.push_str("; ");
                note.push_str(text);
            }
            none => *none = Some(text.to_owned()),
        }
    }
}

/// Why a pipe, a socket or a device that has a conversation's name is none.
pub(crate) const NOT_PLAIN: &str = "not a plain file";

/// The entries of a folder. A file in its place is said in words, and by the same kind of error on every platform.
pub(crate) fn list(folder: &Path) -> io::Result<std::fs::ReadDir> {
    match std::fs::metadata(folder)?.is_dir() {
        true => std::fs::read_dir(folder),
        false => Err(io::Error::new(io::ErrorKind::NotADirectory, "a file stands where a folder is expected")),
    }
}

/// What looking for a source found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Detection {
    /// In one word.
    pub state: State,
    /// Every place that was looked at, also those that are not there.
    pub roots: Vec<Root>,
    /// Conversations in all roots.
    pub conversations: u64,
    /// Bytes in all roots.
    pub bytes: u64,
    /// What stood in the way first, also where something else could be read.
    pub error: Option<String>,
}

impl Detection {
    /// Sums the roots up: found when one holds a conversation, else by what stood in the way.
    pub fn of(roots: Vec<Root>) -> Self {
        Self::with_errors(roots, &[])
    }

    /// [`Detection::of`], where some things in the roots could not be listed. What it was is said of the root, too.
    pub fn with_errors(mut roots: Vec<Root>, errors: &[ScanError]) -> Self {
        for (at, error) in errors.iter().enumerate() {
            let around = |root: &&mut Root| root.exists && error.path.starts_with(&root.path);
            let nearest = |root: &&mut Root| root.path.components().count();
            if let Some(root) = roots.iter_mut().filter(around).max_by_key(nearest) {
                // One of very many says what is the matter.
                if at < 3 { root.remark(&error.to_string()) } else { root.remark("…") }
            }
        }
        let closed = roots.iter().filter(|root| root.hindrance.is_some());
        let closed =
            closed.map(|root| format!("cannot list {}: {}", root.path.display(), root.note.as_deref().unwrap_or("")));
        let error = errors.iter().map(ToString::to_string).chain(closed).next();
        let hindrances: Vec<State> =
            roots.iter().filter_map(|root| root.hindrance).chain(errors.iter().map(|error| error.state)).collect();
        let hindered = State::HINDRANCES.into_iter().find(|state| hindrances.contains(state));
        let conversations = roots.iter().map(|r| r.conversations).sum();
        let bytes = roots.iter().map(|r| r.bytes).sum();
        let state = if conversations > 0 {
            State::Found
        } else if let Some(state) = hindered {
            state
        } else if roots.iter().any(|r| r.note.as_deref() == Some("encrypted-store")) {
            State::Encrypted
        } else if roots.iter().any(|r| r.exists) {
            State::Empty
        } else {
            State::NotInstalled
        };
        Self { state, roots, conversations, bytes, error }
    }

    /// The roots that can be scanned.
    pub fn readable(&self) -> impl Iterator<Item = &Root> {
        self.roots.iter().filter(|r| r.exists && r.readable)
    }
}

/// A place that a scan could not list. The rest of the scan goes on.
#[derive(Debug, Clone, thiserror::Error)]
#[error("cannot list {path}: {cause}")]
pub struct ScanError {
    /// The place.
    pub path: PathBuf,
    /// Why.
    pub cause: String,
    /// The state of a source of which nothing else is found.
    pub state: State,
}

impl ScanError {
    /// Something that cannot be what it should be.
    pub fn new(path: &Path, cause: impl Into<String>) -> Self {
        Self { path: path.to_owned(), cause: cause.into(), state: State::Failed }
    }

    /// What the operating system says about a place.
    pub fn io(path: &Path, error: &io::Error) -> Self {
        Self { state: State::from(error), ..Self::new(path, error.to_string()) }
    }

    /// What stopped a walk through the folders below `folder`.
    pub fn walk(folder: &Path, error: &walkdir::Error) -> Self {
        let state = error.io_error().map_or(State::Failed, State::from);
        let cause = error.io_error().map_or_else(|| error.to_string(), ToString::to_string);
        Self { state, ..Self::new(error.path().unwrap_or(folder), cause) }
    }

    /// A file that cannot be read.
    pub fn read(path: &Path, error: &ReadError) -> Self {
        let state = match error {
            ReadError::NoPermission(_) => State::NoPermission,
            ReadError::Locked(_) => State::Locked,
            ReadError::Encrypted(_) => State::Encrypted,
            ReadError::Gone(_) | ReadError::Damaged { .. } | ReadError::Io { .. } => State::Failed,
        };
        Self { state, ..Self::new(path, error.to_string()) }
    }
}

/// Why a conversation's bytes could not be had.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// It was there when the scan looked.
    #[error("{0} is gone")]
    Gone(PathBuf),
    /// It may not be read.
    #[error("no permission to read {0}")]
    NoPermission(PathBuf),
    /// A database is locked by its tool.
    #[error("{0} is locked")]
    Locked(PathBuf),
    /// A database or a compressed file is damaged.
    #[error("{path} is damaged: {cause}")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What its reader says.
        cause: String,
    },
    /// Encrypted by the tool.
    #[error("{0} is encrypted")]
    Encrypted(PathBuf),
    /// Anything else that the operating system says.
    #[error("cannot read {path}: {cause}")]
    Io {
        /// The file.
        path: PathBuf,
        /// What the operating system says.
        cause: String,
    },
}

impl ReadError {
    /// Sorts an error of the operating system.
    pub fn io(path: &Path, error: &std::io::Error) -> Self {
        match error.kind() {
            std::io::ErrorKind::NotFound => ReadError::Gone(path.to_owned()),
            std::io::ErrorKind::PermissionDenied => ReadError::NoPermission(path.to_owned()),
            _ => ReadError::Io { path: path.to_owned(), cause: error.to_string() },
        }
    }

    /// The stable kebab-case code.
    pub fn code(&self) -> &'static str {
        match self {
            ReadError::Gone(_) => "gone",
            ReadError::NoPermission(_) => "no-permission",
            ReadError::Locked(_) => "locked",
            ReadError::Damaged { .. } => "damaged",
            ReadError::Encrypted(_) => "encrypted",
            ReadError::Io { .. } => "io",
        }
    }
}

/// One source. Stateless: everything it knows comes in through the arguments.
pub trait SourceAdapter: Send + Sync {
    /// Name, version, boundaries.
    fn manifest(&self) -> &'static SourceManifest;

    /// Looks at every place the tool may use, and says what each holds. Reads no conversation.
    fn detect(&self, roots: &Roots) -> Detection;

    /// Lists the conversations of what was found, in an order that is the same on every run.
    fn scan(&self, roots: &Roots, found: &Detection, sink: &mut dyn FnMut(Result<Candidate, ScanError>));

    /// Gets hold of everything that [`SourceAdapter::parse`] needs. The last step that opens files.
    fn collect(&self, roots: &Roots, candidate: &Candidate) -> Result<Evidence, ReadError>;

    /// Reads the evidence into `account`: every record and every block gets one entry. Total and pure:
    /// no clock, no environment, no failure; the same evidence gives the same account.
    /// See [`crate::Account::new`]; callers use [`parse`].
    fn fill(&self, candidate: &Candidate, evidence: &Evidence, account: &mut Account);
}

/// Parses one conversation, with everything that full retention keeps.
pub fn parse(adapter: &dyn SourceAdapter, candidate: &Candidate, evidence: &Evidence) -> (ParsedConversation, Ledger) {
    let mut account = Account::new(candidate, evidence);
    adapter.fill(candidate, evidence, &mut account);
    account.finish()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    #[test]
    fn what_stands_in_the_way_is_the_state_and_is_said_of_the_root() {
        let home = tempfile::tempdir().unwrap();
        let inside = home.path().join("store/inside");
        std::fs::create_dir_all(&inside).unwrap();
        let root = || Root::folder(home.path().join("store"), "default");
        let denied = ScanError::io(&inside, &io::ErrorKind::PermissionDenied.into());
        let broken = ScanError::new(&inside, "of another shape");
        let locked = ScanError::read(&inside, &ReadError::Locked(inside.clone()));
        for (errors, state) in [
            (vec![], State::Empty),
            (vec![broken.clone()], State::Failed),
            (vec![broken.clone(), locked.clone()], State::Locked),
            (vec![broken.clone(), locked, denied], State::NoPermission),
        ] {
            let found = Detection::with_errors(vec![root()], &errors);
            assert_eq!(found.state, state);
            assert_eq!(found.error, errors.first().map(ToString::to_string));
            for error in &errors {
                assert!(found.roots[0].note.as_ref().unwrap().contains(&error.to_string()));
            }
        }
        let held = Detection::with_errors(vec![Root { conversations: 1, ..root() }], &[broken]);
        assert_eq!(held.state, State::Found, "what could be read counts");
        assert!(held.error.is_some(), "what could not is said");
    }
}
