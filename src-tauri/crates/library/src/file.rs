//! The library's file: what it is, its version, the lock that one writer holds, the copy made before a
//! migration. Deliberately absent: what is in the tables; that each table's own module knows.

use crate::error::At;
use crate::{Error, case};
use rusqlite::backup::Progress;
use rusqlite::{Connection, OpenFlags};
use std::fs::{File, TryLockError};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// `ASAY`: marks the file as ours for `file(1)` and for [`look`].
const APPLICATION_ID: u32 = 0x4153_4159;

/// The steps from nothing to this version, one for each family of tables. Append only: a library that
/// was written by any earlier version runs those it has not seen. The version is the number of steps.
const MIGRATIONS: &[&str] = &[
    include_str!("migrations/0001_conversation.sql"),
    include_str!("migrations/0002_message.sql"),
    include_str!("migrations/0003_ledger.sql"),
    include_str!("migrations/0004_import.sql"),
    include_str!("migrations/0005_search.sql"),
    include_str!("migrations/0006_unindexed.sql"),
    include_str!("migrations/0007_standing.sql"),
    include_str!("migrations/0008_original.sql"),
    include_str!("migrations/0009_reindex.sql"),
    include_str!("migrations/0010_earlier.sql"),
    include_str!("migrations/0011_filters.sql"),
    include_str!("migrations/0012_copies.sql"),
    include_str!("migrations/0013_tool.sql"),
];

/// The version that this build writes.
pub(crate) const VERSION: u32 = MIGRATIONS.len() as u32;

/// How long a reader waits for the moment in which a checkpoint holds the file.
const BUSY: Duration = Duration::from_secs(5);

/// What a look at the file tells before SQLite touches it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Found {
    /// No file, or nothing in it.
    Nothing,
    /// A library of this version.
    Library(u32),
}

/// Looks at a file without changing it or leaving anything beside it. Only what says of itself that it
/// is a library, or is still empty, and has a log is opened for this, because then the log has the last
/// word.
fn look(path: &Path) -> Result<Found, Error> {
    let not_ours = || Error::NotALibrary { path: path.to_owned() };
    let mut header = Vec::new();
    match File::open(path) {
        Ok(file) => file.take(100).read_to_end(&mut header).at(path)?,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(Found::Nothing),
        Err(e) => return Err(Error::io(path, &e)),
    };
    if !header.is_empty() && (header.len() < 100 || !header.starts_with(b"SQLite format 3\0")) {
        return Err(not_ours());
    }
    let number = |at: usize| header.iter().skip(at).take(4).fold(0, |n, b| n << 8 | u32::from(*b));
    let (pages, mut version, mut application) = (number(28), number(60), number(68));
    // A database of one page has no tables.
    let mut empty = application == 0 && version == 0 && pages <= 1;
    if !empty && application != APPLICATION_ID {
        return Err(not_ours());
    }
    if std::fs::metadata(beside(path, "-wal")).is_ok_and(|m| m.len() > 0) {
        let connection = Connection::open_with_flags(path, read_only()).at(path)?;
        connection.busy_timeout(BUSY).at(path)?;
        let number = |sql| connection.query_row(sql, [], |r| r.get::<_, i64>(0)).map(|n| n as u32);
        application = number("PRAGMA application_id").at(path)?;
        version = number("PRAGMA user_version").at(path)?;
        empty = application == 0 && number("SELECT count(*) FROM sqlite_schema").at(path)? == 0;
    }
    match (application, version) {
        _ if empty => Ok(Found::Nothing),
        (APPLICATION_ID, version) if version > VERSION => {
            Err(Error::Newer { path: path.to_owned(), found: version, known: VERSION })
        }
        (APPLICATION_ID, version) => Ok(Found::Library(version)),
        _ => Err(not_ours()),
    }
}

fn read_only() -> OpenFlags {
    OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX
}

/// A file beside the library.
pub(crate) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// Opens a library to read; `None` if there is none yet. Creates nothing.
pub(crate) fn open_to_read(path: &Path) -> Result<Option<Connection>, Error> {
    match look(path)? {
        Found::Nothing => return Ok(None),
        Found::Library(found) if found < VERSION => {
            return Err(Error::Older { path: path.to_owned(), found, known: VERSION });
        }
        Found::Library(_) => {}
    }
    let connection = Connection::open_with_flags(path, read_only()).at(path)?;
    match ready(&connection) {
        Ok(()) => Ok(Some(connection)),
        // A folder that may not be written to, or a full disk: SQLite has no place for its own files there.
        Err(error) if has_no_log(path) => {
            let still = still(path).at(path)?;
            // If that does not help, the first error is the one to tell.
            ready(&still).map_err(|_| Error::sqlite(path, error))?;
            Ok(Some(still))
        }
        Err(error) => Err(Error::sqlite(path, error)),
    }
}

/// Makes a connection ready to read, and reads something: opening alone touches nothing.
fn ready(connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(BUSY)?;
    connection.set_prepared_statement_cache_capacity(64);
    case::teach(connection)?;
    connection.pragma_update(None, "cache_size", -16 * 1024)?;
    connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))
}

/// Whether all that there is stands in the file itself.
fn has_no_log(path: &Path) -> bool {
    !std::fs::metadata(beside(path, "-wal")).is_ok_and(|m| m.len() > 0)
}

/// Opens a library that nobody can be writing to, because it, its folder or its disk takes nothing: without
/// locks and without a file beside it.
fn still(path: &Path) -> rusqlite::Result<Connection> {
    let escaped: String = path
        .to_string_lossy()
        .chars()
        .map(|c| match c {
            '%' => "%25".to_owned(),
            '?' => "%3f".to_owned(),
            '#' => "%23".to_owned(),
            c => c.to_string(),
        })
        .collect();
    let flags = read_only() | OpenFlags::SQLITE_OPEN_URI;
    Connection::open_with_flags(format!("file:{escaped}?mode=ro&immutable=1"), flags)
}

/// Opens a library to write, makes it if there is none, and brings an older one up. The lock is held as
/// long as the returned file is open.
pub(crate) fn open_to_write(path: &Path) -> Result<(Connection, File), Error> {
    // Before anything is made: a file that is not ours gets no lock beside it either.
    look(path)?;
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).at(folder)?;
    }
    let lock = lock(path)?;
    // Again under the lock: somebody may just have brought it up.
    let found = look(path)?;
    let mut connection = Connection::open(path).at(path)?;
    connection.busy_timeout(BUSY).at(path)?;
    connection.set_prepared_statement_cache_capacity(64);
    case::teach(&connection).at(path)?;
    connection.pragma_update(None, "journal_mode", "wal").at(path)?;
    connection.pragma_update(None, "synchronous", "normal").at(path)?;
    connection.pragma_update(None, "foreign_keys", true).at(path)?;
    connection.pragma_update(None, "cache_size", -64 * 1024).at(path)?;
    match found {
        Found::Library(VERSION) => {}
        Found::Library(older) => {
            back_up(&connection, path, older)?;
            migrate(&mut connection, path, older)?;
        }
        Found::Nothing => migrate(&mut connection, path, 0)?,
    }
    Ok((connection, lock))
}

/// Takes the lock that keeps a second writer out. The lock file stays: removing it would let two
/// processes lock two files of one name. It says who holds it.
fn lock(path: &Path) -> Result<File, Error> {
    let at = beside(path, ".lock");
    // That it may not be written is said of the library: nobody has to know of the lock.
    let failed = |error: &std::io::Error| match Error::io(&at, error) {
        Error::NoPermission { .. } => Error::NoPermission { path: path.to_owned() },
        other => other,
    };
    let mut file = File::options().create(true).truncate(false).write(true).open(&at).map_err(|e| failed(&e))?;
    match file.try_lock() {
        Ok(()) => {
            file.set_len(0).at(&at)?;
            writeln!(file, "{}", std::process::id()).at(&at)?;
            Ok(file)
        }
        Err(TryLockError::WouldBlock) => Err(Error::InUse { path: path.to_owned() }),
        Err(TryLockError::Error(e)) => Err(Error::io(&at, &e)),
    }
}

/// Runs the steps that a library of version `from` has not seen: all of them or none.
fn migrate(connection: &mut Connection, path: &Path, from: u32) -> Result<(), Error> {
    let steps = connection.transaction().at(path)?;
    for step in &MIGRATIONS[from as usize..] {
        steps.execute_batch(step).at(path)?;
    }
    steps.pragma_update(None, "application_id", APPLICATION_ID).at(path)?;
    steps.pragma_update(None, "user_version", VERSION).at(path)?;
    steps.commit().at(path)
}

/// Copies the library to `<library>.v<version>.backup` before it is changed.
fn back_up(connection: &Connection, path: &Path, version: u32) -> Result<(), Error> {
    let (copy, unfinished) = (backup_of(path, version), beside(path, ".backup.part"));
    let _left_by_a_kill = std::fs::remove_file(&unfinished);
    connection.backup(rusqlite::MAIN_DB, &unfinished, None::<fn(Progress)>).at(path)?;
    std::fs::rename(&unfinished, &copy).at(&copy)
}

/// Where the copy of a library of that version is kept.
pub(crate) fn backup_of(path: &Path, version: u32) -> PathBuf {
    beside(path, &format!(".v{version}.backup"))
}
