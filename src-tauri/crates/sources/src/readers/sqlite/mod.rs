//! SQLite databases that their tool may be using: read as they stand, nothing left beside them.
//!
//! Without a `-wal` the database is opened in place, read-only and immutable: SQLite then makes no
//! `-shm`, takes no lock and works in a read-only folder. With one, database and log are copied to a
//! private folder (a reflink where the file system can) and the copy is opened, so that rows which only
//! the log holds are seen. A tool that keeps writing does not matter, and a run reads one state of it. A damaged
//! one is read page by page (`readers::pages`) into such a copy. Deliberately absent: tables and keys of any source.

mod reader;

use super::pages::{self, KeyTable, Salvage};
use crate::{ReadError, Roots, roots};
use assay_model::{Notice, NoticeCode};
#[cfg(test)]
pub(crate) use reader::HANDED_OUT;
use reader::Long;
pub use reader::Reader;
pub(crate) use reader::{after_prefix, with_prefix};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use tempfile::TempDir;

/// A consistent state of one database. Connections to it are cheap; see [`Snapshot::connect`].
#[derive(Debug)]
pub struct Snapshot {
    original: PathBuf,
    opened: PathBuf,
    stamp: Stamp,
    /// See [`Roots::run`].
    run: u64,
    copy: Option<TempDir>,
    /// Set where the database is damaged and this is what is left of it.
    salvage: Option<Salvage>,
    /// Where copies may lie, see [`Roots::scratch`].
    scratch: PathBuf,
    /// Long rows that pieces are read of.
    long: Mutex<Vec<Long>>,
}

/// Sizes and modification times of the database and its log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    /// Bytes of the database and its log.
    pub size: u64,
    /// The later of their modification times, nanoseconds since 1970.
    pub mtime: i64,
    wal: u64,
}

impl Stamp {
    /// Looks at the database at `path` and its log.
    pub fn of(path: &Path) -> Result<Self, ReadError> {
        let meta = std::fs::metadata(path).map_err(|e| ReadError::io(path, &e))?;
        if !meta.is_file() {
            return Err(ReadError::Damaged { path: path.to_owned(), cause: "not a plain file".to_owned() });
        }
        let wal = std::fs::metadata(beside(path, "-wal")).ok().filter(|m| m.len() > 0);
        let (wal_size, wal_time) = wal.map_or((0, i64::MIN), |m| (m.len(), roots::mtime(&m)));
        Ok(Self { size: meta.len() + wal_size, mtime: roots::mtime(&meta).max(wal_time), wal: wal_size })
    }
}

/// The beginning of a log. As long as it stays, the log only grows at its end, by whole transactions that each
/// prove themselves with a checksum; when the log starts anew, its salts change.
fn wal_header(log: &Path) -> Option<[u8; 32]> {
    let mut header = [0; 32];
    let mut file = roots::open_plain(log).ok()?;
    std::io::Read::read_exact(&mut file, &mut header).ok()?;
    Some(header)
}

/// Copies a database and its log. Returns whether the two are one state: they are not if the log started anew
/// meanwhile. `between` runs between the two copies, for tests.
fn copy_state(path: &Path, copy: &Path, between: impl FnOnce()) -> std::io::Result<bool> {
    let log = beside(path, "-wal");
    let begin = wal_header(&log);
    std::fs::copy(path, copy)?;
    between();
    // After the database: what moves from the log into it meanwhile is in the log's copy still.
    match std::fs::copy(&log, beside(copy, "-wal")) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => Err(e),
        Ok(_) | Err(_) => Ok(begin == wal_header(&log)),
    }
}

fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(suffix);
    PathBuf::from(name)
}

/// The latest snapshot of each database, so that one run copies a database once.
#[derive(Debug, Clone, Default)]
pub(crate) struct Snapshots(Arc<Mutex<Vec<Arc<Snapshot>>>>);

const PREFIX: &str = "assay-snapshot-";

/// A folder that only this account may look into, named after this process so that [`sweep`] knows it.
fn private_folder(scratch: &Path) -> std::io::Result<TempDir> {
    let prefix = format!("{PREFIX}{}-", std::process::id());
    let mut builder = tempfile::Builder::new();
    builder.prefix(&prefix);
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
    builder.tempdir_in(scratch)
}

/// Removes the copies of databases that processes which are gone left in `scratch` (they were killed), and
/// with `own` those of this one, which may not use any snapshot afterwards.
pub fn sweep(scratch: &Path, own: bool) {
    let this = std::process::id();
    for entry in std::fs::read_dir(scratch).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let number = name.to_str().and_then(|n| n.strip_prefix(PREFIX)?.split('-').next()?.parse::<u32>().ok());
        let Some(process) = number else { continue };
        let alive = if process == this {
            !own
        } else {
            !cfg!(target_os = "linux") || Path::new(&format!("/proc/{process}")).exists()
        };
        if !alive {
            // What cannot be removed now is tried again next time.
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

impl Snapshot {
    /// The state of the database at `path`, shared by everything that runs under the same `roots` until
    /// the database changes; a copy is shared by its whole run, whatever changes. The roots keep it; whoever
    /// holds the `Arc` keeps it longer.
    pub fn open(roots: &Roots, path: &Path) -> Result<Arc<Self>, ReadError> {
        let stamp = Stamp::of(path)?;
        // Locked while copying: whoever else wants this database waits for the one copy.
        let mut shared = roots.snapshots.0.lock().unwrap_or_else(PoisonError::into_inner);
        let of_this_run = |s: &Snapshot| s.copy.is_some() && s.run == roots.run && roots.run > 0;
        if let Some(known) = shared.iter().find(|s| s.original == path && (s.stamp == stamp || of_this_run(s))) {
            return Ok(known.clone());
        }
        shared.retain(|s| s.original != path);
        let snapshot = Arc::new(Self::take(roots, path, stamp)?);
        shared.push(snapshot.clone());
        Ok(snapshot)
    }

    fn take(roots: &Roots, path: &Path, mut stamp: Stamp) -> Result<Self, ReadError> {
        let made = |opened: PathBuf, stamp: Stamp, copy: Option<TempDir>| Self {
            original: path.to_owned(),
            opened,
            stamp,
            run: roots.run,
            copy,
            salvage: None,
            scratch: roots.scratch.clone(),
            long: Mutex::default(),
        };
        for _ in 0..8 {
            if stamp.wal == 0 {
                return Ok(made(path.to_owned(), stamp, None));
            }
            let folder = private_folder(&roots.scratch).map_err(|e| ReadError::io(path, &e))?;
            let copy = folder.path().join("db");
            if copy_state(path, &copy, || ()).map_err(|e| ReadError::io(path, &e))? {
                return Ok(made(copy, stamp, Some(folder)));
            }
            stamp = Stamp::of(path)?;
        }
        Err(ReadError::Locked(path.to_owned()))
    }

    /// Reads the database at `path` by `read`; where that meets damage, what is left of the database is copied,
    /// page by page, and read instead. `tables` are those that the store is known to have.
    pub fn read<T>(
        roots: &Roots,
        path: &Path,
        tables: &[KeyTable],
        mut read: impl FnMut(&Snapshot, &Reader<'_>) -> Result<T, ReadError>,
    ) -> Result<T, ReadError> {
        let plain = Self::open(roots, path).and_then(|snapshot| read(&snapshot, &snapshot.connect()?));
        match plain {
            Err(damage @ ReadError::Damaged { .. }) => match Self::salvaged(roots, path, tables) {
                Ok(snapshot) => read(&snapshot, &snapshot.connect()?),
                Err(_) => Err(damage),
            },
            other => other,
        }
    }

    /// What is left of a damaged database. From now on [`Snapshot::open`] gives it under these `roots`.
    fn salvaged(roots: &Roots, path: &Path, tables: &[KeyTable]) -> Result<Arc<Self>, ReadError> {
        let stamp = Stamp::of(path)?;
        let mut shared = roots.snapshots.0.lock().unwrap_or_else(PoisonError::into_inner);
        let same = |s: &&Arc<Snapshot>| s.original == path && s.stamp == stamp && s.salvage.is_some();
        if let Some(known) = shared.iter().find(same) {
            return Ok(known.clone());
        }
        let fail = |e: &std::io::Error| ReadError::Damaged { path: path.to_owned(), cause: e.to_string() };
        let plain = Self::take(roots, path, stamp)?;
        if plain.copy.is_some() {
            // The log goes into the copy; one that cannot is left out.
            let _ = Connection::open(&plain.opened).and_then(|c| c.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)"));
        }
        let folder = private_folder(&roots.scratch).map_err(|e| fail(&e))?;
        let opened = folder.path().join("db");
        let mut into = Connection::open(&opened).map_err(|e| plain.sort(&e))?;
        let file = roots::open_plain(&plain.opened).map_err(|e| fail(&e))?;
        let salvage = pages::salvage(file, tables, &mut into).map_err(|e| fail(&e))?;
        if salvage.rows == 0 {
            return Err(ReadError::Damaged { path: path.to_owned(), cause: "no row can be read".to_owned() });
        }
        let snapshot = Arc::new(Self {
            original: path.to_owned(),
            opened,
            stamp,
            run: roots.run,
            copy: Some(folder),
            salvage: Some(salvage),
            scratch: roots.scratch.clone(),
            long: Mutex::default(),
        });
        shared.retain(|s| s.original != path);
        shared.push(snapshot.clone());
        Ok(snapshot)
    }

    /// What was left of the database, where it is damaged.
    pub fn damage(&self) -> Option<String> {
        let Salvage { rows, cut, pages, loose, lost, copies, tables } = self.salvage?;
        Some(format!(
            "rows={rows} cutShort={cut} unreadablePages={pages} looseRows={loose} lostRows={lost} copies={copies} \
             unreadableTables={tables}"
        ))
    }

    /// What is to be said about how the database was read.
    pub fn notice(&self) -> Notice {
        if let Some(damage) = self.damage() {
            let detail = format!("{} {damage}", self.original.to_string_lossy());
            return Notice { code: NoticeCode::DamagedStore, detail, locator: None };
        }
        let code = if self.copy.is_some() { NoticeCode::WalIncluded } else { NoticeCode::ReadInPlace };
        Notice { code, detail: self.original.to_string_lossy().into_owned(), locator: None }
    }

    /// The database's size and time, for change detection.
    pub fn stamp(&self) -> Stamp {
        self.stamp
    }

    /// A read-only connection.
    pub fn connect(&self) -> Result<Reader<'_>, ReadError> {
        let flags = OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
        let connection = if self.copy.is_some() {
            Connection::open_with_flags(&self.opened, flags | OpenFlags::SQLITE_OPEN_READ_WRITE)
        } else {
            let uri = format!(
                "file:{}?mode=ro&immutable=1",
                percent_encoding::utf8_percent_encode(&self.opened.to_string_lossy(), URI_PATH)
            );
            Connection::open_with_flags(uri, flags | OpenFlags::SQLITE_OPEN_READ_ONLY)
        };
        let connection = connection.map_err(|e| self.sort(&e))?;
        for (setting, on) in HARMLESS {
            connection.set_db_config(*setting, *on).map_err(|e| self.sort(&e))?;
        }
        let reader = Reader { snapshot: self, connection };
        // Opening is lazy: only a query tells whether this is a database.
        reader.tables()?;
        Ok(reader)
    }

    fn sort(&self, error: &rusqlite::Error) -> ReadError {
        let path = self.original.clone();
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => ReadError::Locked(path),
            Some(ErrorCode::PermissionDenied | ErrorCode::CannotOpen) => ReadError::NoPermission(path),
            _ => ReadError::Damaged { path, cause: error.to_string() },
        }
    }
}

/// What a database says of itself (views, triggers, functions in its definitions) is data here, and never run.
const HARMLESS: &[(DbConfig, bool)] = &[
    (DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true),
    (DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false),
    (DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false),
    (DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false),
];

/// Everything but what a URI gives a meaning to.
const URI_PATH: &percent_encoding::AsciiSet = &percent_encoding::CONTROLS.add(b'%').add(b'?').add(b'#').add(b' ');

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::Platform;

    fn listing(folder: &Path) -> Vec<(String, Vec<u8>)> {
        let mut all: Vec<_> = std::fs::read_dir(folder)
            .unwrap()
            .map(|e| e.unwrap())
            .map(|e| (e.file_name().to_string_lossy().into_owned(), std::fs::read(e.path()).unwrap()))
            .collect();
        all.sort();
        all
    }

    fn fixture(wal: bool) -> (TempDir, PathBuf, Connection) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state 100%?.vscdb");
        let c = Connection::open(&path).unwrap();
        c.execute_batch(
            "CREATE TABLE t(key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB);
            INSERT INTO t VALUES('a:1','text'),('a:2',x'62'),('a:3',NULL),('b:1','z'),('a;','edge'),(NULL,'n'),
            (x'633A31','bytes'),('c:2','text');",
        )
        .unwrap();
        if wal {
            c.execute_batch(
                "PRAGMA journal_mode=wal; PRAGMA wal_autocheckpoint=0; INSERT INTO t VALUES('a:4','only in the log')",
            )
            .unwrap();
        }
        (folder, path, c)
    }

    #[test]
    fn reads_text_blob_and_null_in_place_and_leaves_nothing() {
        let (folder, path, c) = fixture(false);
        drop(c);
        let before = listing(folder.path());
        let snapshot = Snapshot::open(&Roots::new("/h", Platform::Linux), &path).unwrap();
        let reader = snapshot.connect().unwrap();
        let values: Vec<_> = reader.prefix("t", "a:").unwrap().into_iter().map(|r| r.value).collect();
        assert_eq!(values, [Some(b"text".to_vec()), Some(b"b".to_vec()), None]);
        assert_eq!(reader.prefix_by_rowid("t", "a:").unwrap(), reader.prefix("t", "a:").unwrap());
        let bytes: Vec<_> = reader.prefix("t", "c:").unwrap().into_iter().map(|r| r.key).collect();
        assert_eq!(bytes, [Some("c:1".into()), Some("c:2".into())], "keys that are bytes are keys");
        assert_eq!(reader.prefix_by_rowid("t", "c:").unwrap(), reader.prefix("t", "c:").unwrap());
        assert_eq!(reader.row("t", "c:1").unwrap().unwrap().bytes(), b"bytes");
        let mut keys = Vec::new();
        reader.keys("t", "c:", |key| keys.push(key.to_owned())).unwrap();
        assert_eq!(keys, ["c:2", "c:1"]);
        assert_eq!(reader.row("t", "b:1").unwrap().unwrap().bytes(), b"z");
        assert_eq!(reader.row("t", "nothing").unwrap(), None);
        assert_eq!(reader.piece("t", "a:1", 1, 2).unwrap().unwrap(), b"ex");
        assert_eq!(reader.piece("t", "a:1", 2, 9).unwrap(), None);
        assert_eq!(reader.piece("t", "nothing", 0, 1).unwrap(), None);
        assert_eq!(snapshot.notice().code, NoticeCode::ReadInPlace);
        assert_eq!(listing(folder.path()), before);
    }

    #[test]
    fn pieces_of_a_long_row_are_read_from_a_file_that_is_gone_with_the_snapshot() {
        let (folder, path, c) = fixture(false);
        let long: String = (0..60_000).map(|n| format!("{n:05}")).collect();
        c.execute("INSERT INTO t VALUES('long', ?1), ('wide', ?2)", [&long, &long.replace('0', "é")]).unwrap();
        drop(c);
        let scratch = tempfile::tempdir().unwrap();
        let roots = Roots { scratch: scratch.path().to_owned(), ..Roots::new("/h", Platform::Linux) };
        let aside = || listing_names(scratch.path());
        let snapshot = Snapshot::open(&roots, &path).unwrap();
        let piece = |key: &str, start: usize, length: usize| {
            snapshot
                .connect()
                .unwrap()
                .piece("t", key, start, length)
                .unwrap()
                .map(|p| String::from_utf8_lossy(&p).into_owned())
        };
        assert_eq!(piece("a:1", 1, 2).unwrap(), "ex");
        assert_eq!(piece("long", 0, long.len()).unwrap(), long);
        assert_eq!(aside(), 0, "neither a short row nor most of a long one");
        for at in [0, 59_999, 31_234] {
            assert_eq!(piece("long", at * 5, 5).unwrap(), format!("{at:05}"));
            assert_eq!(aside(), 1, "once");
        }
        assert_eq!(piece("long", long.len() - 2, 3), None, "before and after it is set aside");
        assert_eq!(piece("long", usize::MAX, 3), None);
        assert_eq!(piece("wide", 16, 3).unwrap(), "é1", "bytes, not characters");
        assert_eq!(aside(), 2);
        drop((roots, snapshot));
        assert_eq!(aside(), 0);
        drop(folder);
    }

    fn listing_names(folder: &Path) -> usize {
        std::fs::read_dir(folder).unwrap().count()
    }

    #[test]
    fn a_view_in_place_of_a_table_is_no_table_and_no_function_of_a_definition_runs() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state.vscdb");
        let c = Connection::open(&path).unwrap();
        c.execute_batch("CREATE TABLE t(key TEXT, value BLOB); CREATE VIEW v AS SELECT key, value FROM t").unwrap();
        drop(c);
        let snapshot = Snapshot::open(&Roots::new("/h", Platform::Linux), &path).unwrap();
        let reader = snapshot.connect().unwrap();
        assert!(!reader.has_table("v").unwrap());
        assert!(reader.row("t", "x").is_ok() && reader.row("v", "x").is_err(), "views are off");
    }

    #[test]
    fn sees_rows_that_only_the_log_holds_and_disturbs_no_writer() {
        let (folder, path, c) = fixture(true);
        let before = listing(folder.path());
        let snapshot = Snapshot::open(&Roots::new("/h", Platform::Linux), &path).unwrap();
        let reader = snapshot.connect().unwrap();
        assert_eq!(reader.row("t", "a:4").unwrap().unwrap().bytes(), b"only in the log");
        assert_eq!(snapshot.notice().code, NoticeCode::WalIncluded);
        assert_eq!(listing(folder.path()), before);
        c.busy_timeout(std::time::Duration::ZERO).unwrap();
        c.execute("INSERT INTO t VALUES('a:5','x')", []).unwrap();
        assert_eq!(reader.row("t", "a:5").unwrap(), None, "a snapshot stays as it was");
    }

    #[test]
    fn a_run_copies_once_and_takes_its_copies_with_it() {
        let (_folder, path, c) = fixture(true);
        let roots = Roots::new("/h", Platform::Linux);
        let copy = Snapshot::open(&roots, &path).unwrap().opened.clone();
        assert_eq!(Snapshot::open(&roots.clone(), &path).unwrap().opened, copy, "shared though nobody held it");
        c.execute("INSERT INTO t VALUES('a:5','x')", []).unwrap();
        let next = Snapshot::open(&roots, &path).unwrap();
        assert!(next.opened != copy && !copy.exists(), "a changed database is copied again");
        let copy = next.opened.clone();
        drop((roots, next));
        assert!(!copy.exists(), "nothing stays behind");
    }

    #[test]
    fn a_run_reads_one_state_of_a_database_that_changes() {
        let (_folder, path, c) = fixture(true);
        let mut roots = Roots { run: 1, ..Roots::new("/h", Platform::Linux) };
        let first = Snapshot::open(&roots, &path).unwrap();
        c.execute("INSERT INTO t VALUES('a:5','x')", []).unwrap();
        assert!(Arc::ptr_eq(&first, &Snapshot::open(&roots, &path).unwrap()), "one copy a run");
        roots.run = 2;
        let second = Snapshot::open(&roots, &path).unwrap();
        assert!(second.connect().unwrap().row("t", "a:5").unwrap().is_some(), "the next run sees the change");
    }

    #[test]
    fn a_log_that_starts_anew_while_it_is_copied_makes_no_state_and_one_that_grows_does() {
        let copied = |meanwhile: &str| {
            let (folder, path, c) = fixture(true);
            let copy = folder.path().join("copy");
            let whole = copy_state(&path, &copy, || c.execute_batch(meanwhile).unwrap()).unwrap();
            let there = "SELECT count(*) FROM t WHERE key IN ('a:4', 'a:5')";
            let rows: u32 = Connection::open(&copy).unwrap().query_row(there, [], |row| row.get(0)).unwrap();
            (whole, rows)
        };
        assert_eq!(copied("INSERT INTO t VALUES('a:5','x')"), (true, 2), "added to the log");
        assert_eq!(copied("INSERT INTO t VALUES('a:5','x'); PRAGMA wal_checkpoint(PASSIVE)"), (true, 2), "and moved");
        let anew = copied("PRAGMA wal_checkpoint(RESTART); CREATE TABLE other(x)");
        assert_eq!(anew, (false, 0), "what was in the old log is in neither copy");
    }

    #[test]
    fn a_tool_that_never_stops_writing_is_no_obstacle() {
        let (_folder, path, c) = fixture(true);
        c.execute_batch("PRAGMA wal_autocheckpoint=50; CREATE TABLE n(key TEXT, value TEXT)").unwrap();
        let done = std::sync::atomic::AtomicBool::new(false);
        let order = std::sync::atomic::Ordering::Relaxed;
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let c = c;
                // Two rows at once: a state with one of them never was.
                let two =
                    "INSERT INTO n VALUES(hex(randomblob(400)), 'x'); INSERT INTO n VALUES(hex(randomblob(400)), 'x')";
                while !done.load(order) {
                    c.execute_batch(&format!("BEGIN; {two}; COMMIT")).unwrap();
                }
            });
            let mut seen = 0;
            for _ in 0..25 {
                let snapshot = Snapshot::open(&Roots::new("/h", Platform::Linux), &path).unwrap();
                let reader = snapshot.connect().unwrap();
                let sound: Vec<String> = reader.query("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
                let rows: Vec<u32> = reader.query("SELECT count(*) FROM n", [], |row| row.get(0)).unwrap();
                assert_eq!(sound, ["ok"]);
                assert!(rows[0].is_multiple_of(2) && rows[0] >= seen, "{rows:?} after {seen}");
                seen = rows[0];
            }
            done.store(true, order);
        });
    }

    #[test]
    fn damage_is_an_error_and_not_a_panic() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state.vscdb");
        std::fs::write(&path, [7u8; 4096]).unwrap();
        let roots = Roots::new("/h", Platform::Linux);
        let snapshot = Snapshot::open(&roots, &path).unwrap();
        assert!(matches!(snapshot.connect().err(), Some(ReadError::Damaged { .. })));
        assert!(matches!(Snapshot::open(&roots, &folder.path().join("none")).err(), Some(ReadError::Gone(_))));
    }
}
