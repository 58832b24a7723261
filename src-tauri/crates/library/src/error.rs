//! What can go wrong with a library, as codes. Deliberately absent: words for people; the edge has them.

use rusqlite::ErrorCode;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// A library that cannot be used as asked.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Written by a later version. The file was left as it was.
    #[error("{} has version {found}; this build knows up to {known}", path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u32,
        /// The latest version this build knows.
        known: u32,
    },
    /// Written by an earlier version, and opened only to read: open it to write once, and it is brought up.
    #[error("{} has version {found} and has to be brought up to {known} first", path.display())]
    Older {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u32,
        /// The version this build reads.
        known: u32,
    },
    /// Some other file. It was left as it was.
    #[error("{} is not an Assay library", path.display())]
    NotALibrary {
        /// The file.
        path: PathBuf,
    },
    /// Another process is writing to it.
    #[error("another process is writing to {}", path.display())]
    InUse {
        /// The file.
        path: PathBuf,
    },
    /// There is no room left on its disk.
    #[error("no room left on the disk of {}", path.display())]
    DiskFull {
        /// The file.
        path: PathBuf,
    },
    /// Its content cannot be trusted.
    #[error("{} is damaged: {detail}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What the machine said.
        detail: String,
    },
    /// It may not be read or written.
    #[error("no permission for {}", path.display())]
    NoPermission {
        /// The file.
        path: PathBuf,
    },
    /// The question was called off before it was answered; see [`crate::Reader::interrupter`].
    #[error("called off")]
    Interrupted {
        /// The file.
        path: PathBuf,
    },
    /// Anything else that a disk or the database can say.
    #[error("{}: {detail}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the machine said.
        detail: String,
    },
}

impl Error {
    /// A stable kebab-case code.
    pub fn code(&self) -> &'static str {
        match self {
            Error::Newer { .. } => "newer",
            Error::Older { .. } => "older",
            Error::NotALibrary { .. } => "not-a-library",
            Error::InUse { .. } => "in-use",
            Error::DiskFull { .. } => "disk-full",
            Error::Damaged { .. } => "damaged",
            Error::NoPermission { .. } => "no-permission",
            Error::Interrupted { .. } => "interrupted",
            Error::Io { .. } => "io",
        }
    }

    /// The library's file.
    pub fn path(&self) -> &Path {
        match self {
            Error::Newer { path, .. }
            | Error::Older { path, .. }
            | Error::NotALibrary { path }
            | Error::InUse { path }
            | Error::DiskFull { path }
            | Error::Damaged { path, .. }
            | Error::NoPermission { path }
            | Error::Interrupted { path }
            | Error::Io { path, .. } => path,
        }
    }

    pub(crate) fn io(path: &Path, error: &std::io::Error) -> Self {
        let path = path.to_owned();
        match error.kind() {
            ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => Error::NoPermission { path },
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded => Error::DiskFull { path },
            _ => Error::Io { path, detail: error.to_string() },
        }
    }

    pub(crate) fn sqlite(path: &Path, error: rusqlite::Error) -> Self {
        let detail = error.to_string();
        let owned = path.to_owned();
        match error.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => Error::DiskFull { path: owned },
            Some(ErrorCode::SystemIoFailure) if disk_is_full(path) => Error::DiskFull { path: owned },
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => Error::Damaged { path: owned, detail },
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked | ErrorCode::FileLockingProtocolFailed) => {
                Error::InUse { path: owned }
            }
            Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => Error::NoPermission { path: owned },
            Some(ErrorCode::OperationInterrupted) => Error::Interrupted { path: owned },
            // SQLite does not say why it could not open a file; the file system does.
            Some(ErrorCode::CannotOpen) => match std::fs::OpenOptions::new().read(true).write(true).open(path) {
                Err(e) => Error::io(path, &e),
                Ok(_) => Error::Io { path: owned, detail },
            },
            // A value that cannot be read back as what was written.
            None if matches!(
                error,
                rusqlite::Error::FromSqlConversionFailure(..)
                    | rusqlite::Error::InvalidColumnType(..)
                    | rusqlite::Error::IntegralValueOutOfRange(..)
                    | rusqlite::Error::Utf8Error(..)
            ) =>
            {
                Error::Damaged { path: owned, detail }
            }
            _ => Error::Io { path: owned, detail },
        }
    }
}

/// Whether a disk that SQLite reports as failing is merely full: asked by writing a little beside the
/// library. SQLite says "I/O error" for a full disk in several places (the shared-memory file is one).
fn disk_is_full(path: &Path) -> bool {
    let mut probe = path.as_os_str().to_owned();
    probe.push(".probe");
    let full = std::fs::write(&probe, [0_u8; 64 * 1024])
        .is_err_and(|e| matches!(e.kind(), ErrorKind::StorageFull | ErrorKind::QuotaExceeded));
    let _gone = std::fs::remove_file(&probe);
    full
}

/// Gives an error of the database or of the disk the file it is about.
pub(crate) trait At<T> {
    /// Names the file.
    fn at(self, path: &Path) -> Result<T, Error>;
}

impl<T> At<T> for rusqlite::Result<T> {
    fn at(self, path: &Path) -> Result<T, Error> {
        self.map_err(|e| Error::sqlite(path, e))
    }
}

impl<T> At<T> for std::io::Result<T> {
    fn at(self, path: &Path) -> Result<T, Error> {
        self.map_err(|e| Error::io(path, &e))
    }
}
