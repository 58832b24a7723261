//! The one trait that a source implements, and what its steps return.

use crate::{Account, Evidence, Roots, SourceManifest};
use assay_model::{Candidate, Ledger, ParsedConversation};
use serde::Serialize;
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
}

impl Root {
    /// Looks at `path`, which must be a folder or a file, without counting what it holds.
    pub fn look(path: impl Into<PathBuf>, origin: impl Into<String>) -> Self {
        let path = path.into();
        let (exists, readable, note) = match std::fs::metadata(&path) {
            Ok(meta) if meta.is_dir() => match std::fs::read_dir(&path) {
                Ok(_) => (true, true, None),
                Err(e) => (true, false, Some(e.to_string())),
            },
            Ok(_) => match crate::roots::open_plain(&path) {
                Ok(_) => (true, true, None),
                Err(e) => (true, false, Some(e.to_string())),
            },
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => (false, false, None),
            Err(e) => (true, false, Some(e.to_string())),
        };
        Self { path, origin: origin.into(), exists, readable, conversations: 0, bytes: 0, note }
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
    /// What went wrong, for [`State::Failed`] and [`State::Locked`].
    pub error: Option<String>,
}

impl Detection {
    /// Sums the roots up: found when one holds a conversation, else by what stood in the way.
    pub fn of(roots: Vec<Root>) -> Self {
        let conversations = roots.iter().map(|r| r.conversations).sum();
        let bytes = roots.iter().map(|r| r.bytes).sum();
        let state = if conversations > 0 {
            State::Found
        } else if roots.iter().any(|r| r.exists && !r.readable) {
            State::NoPermission
        } else if roots.iter().any(|r| r.note.as_deref() == Some("encrypted-store")) {
            State::Encrypted
        } else if roots.iter().any(|r| r.exists) {
            State::Empty
        } else {
            State::NotInstalled
        };
        Self { state, roots, conversations, bytes, error: None }
    }

    /// The roots that can be scanned.
    pub fn readable(&self) -> impl Iterator<Item = &Root> {
        self.roots.iter().filter(|r| r.exists && r.readable)
    }
}

/// A place that a scan could not list. The rest of the scan goes on.
#[derive(Debug, thiserror::Error)]
#[error("cannot list {path}: {cause}")]
pub struct ScanError {
    /// The place.
    pub path: PathBuf,
    /// Why.
    pub cause: String,
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
