//! What a snapshot's rows are asked for: whole, in pieces, by the beginning of their keys, as counts. Deliberately
//! absent: opening, and what a damaged database takes.

use super::{Snapshot, private_folder};
use crate::{ReadError, Row, roots};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension};
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};
use tempfile::TempDir;

/// A row that is read in pieces, set aside in a file: to find a piece in the database, SQLite walks the row's
/// pages from its start, and memory is not kept for whoever may come next.
#[derive(Debug)]
pub(super) struct Long {
    table: String,
    key: String,
    /// The only file in it is the row.
    folder: TempDir,
}

impl Long {
    fn file(&self) -> PathBuf {
        self.folder.path().join("row")
    }
}

/// Rows up to this length are read in pieces where they stand.
const SHORT: usize = 64 << 10;

/// A connection to a [`Snapshot`].
pub struct Reader<'a> {
    pub(super) snapshot: &'a Snapshot,
    pub(super) connection: Connection,
}

impl Reader<'_> {
    /// The database's path, as locators name it.
    pub fn file(&self) -> Arc<str> {
        roots::display(&self.snapshot.original)
    }

    /// The names of the tables.
    pub fn tables(&self) -> Result<Vec<String>, ReadError> {
        self.query("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name", [], |row| row.get(0))
    }

    /// Whether there is a table of that name.
    pub fn has_table(&self, name: &str) -> Result<bool, ReadError> {
        Ok(self.tables()?.iter().any(|t| t == name))
    }

    /// The row of a key-value table; `None` if there is none. A `NULL` value is a row, and so is one whose key
    /// is a BLOB of the same bytes.
    pub fn row(&self, table: &str, key: &str) -> Result<Option<Row>, ReadError> {
        let find = |is: &str| {
            let sql = format!("SELECT key, value FROM \"{table}\" WHERE key = {is}");
            let make = |row: &rusqlite::Row<'_>| self.make(table, row);
            self.connection.query_row(&sql, [key], make).optional().map_err(|e| self.snapshot.sort(&e))
        };
        Ok(match find("?1")? {
            Some(row) => Some(row),
            None => find("CAST(?1 AS BLOB)")?,
        })
    }

    /// A piece of the value of a row, TEXT or BLOB; `None` if there is no such piece. For rows so long that one
    /// must not be read for each of its parts.
    pub fn piece(&self, table: &str, key: &str, start: usize, length: usize) -> Result<Option<Vec<u8>>, ReadError> {
        let io = |error: &std::io::Error| ReadError::io(&self.snapshot.scratch, error);
        let mut long = self.snapshot.long.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = long.iter().find(|known| known.table == table && known.key == key) {
            return piece_of(&known.file(), start, length).map_err(|e| io(&e));
        }
        let run = || -> rusqlite::Result<Option<rusqlite::blob::Blob<'_>>> {
            let sql = format!("SELECT rowid FROM \"{table}\" WHERE key = ?1");
            let id = self.connection.query_row(&sql, [key], |row| row.get(0)).optional()?;
            id.map(|id| self.connection.blob_open("main", table, "value", id, true)).transpose()
        };
        let Some(mut blob) = run().map_err(|e| self.snapshot.sort(&e))? else { return Ok(None) };
        if start.checked_add(length).is_none_or(|end| end > blob.len()) {
            return Ok(None);
        }
        if blob.len() <= SHORT || length >= blob.len() / 2 {
            handed_out(length);
            let mut piece = vec![0; length];
            blob.read_at_exact(&mut piece, start).map_err(|e| self.snapshot.sort(&e))?;
            return Ok(Some(piece));
        }
        let folder = private_folder(&self.snapshot.scratch).map_err(|e| io(&e))?;
        let row = Long { table: table.to_owned(), key: key.to_owned(), folder };
        let mut file = std::fs::File::create_new(row.file()).map_err(|e| io(&e))?;
        handed_out(blob.len());
        std::io::copy(&mut blob, &mut file).map_err(|e| io(&e))?;
        let piece = piece_of(&row.file(), start, length).map_err(|e| io(&e));
        long.push(row);
        piece
    }

    /// The rows whose key starts with `prefix`, by key. Uses the index (`LIKE` would not).
    pub fn prefix(&self, table: &str, prefix: &str) -> Result<Vec<Row>, ReadError> {
        let mut rows = Vec::new();
        for range in KEY_RANGES {
            let sql = format!("SELECT key, value FROM \"{table}\" WHERE {range} ORDER BY key");
            let mut more = self.query(&sql, [prefix, &after_prefix(prefix)], |row| self.make(table, row))?;
            let merge = !rows.is_empty() && !more.is_empty();
            rows.append(&mut more);
            if merge {
                rows.sort_by(|a, b| a.key.cmp(&b.key));
            }
        }
        Ok(rows)
    }

    /// The rows whose key starts with `prefix`, in the order in which the table holds them.
    pub fn prefix_by_rowid(&self, table: &str, prefix: &str) -> Result<Vec<Row>, ReadError> {
        let sql = format!("SELECT key, value FROM \"{table}\" WHERE {} ORDER BY rowid", with_prefix(table));
        self.query(&sql, [prefix, &after_prefix(prefix)], |row| self.make(table, row))
    }

    /// The keys that start with `prefix`, in order (BLOBs last), one by one and without their values.
    pub fn keys(&self, table: &str, prefix: &str, mut visit: impl FnMut(&str)) -> Result<(), ReadError> {
        for range in KEY_RANGES {
            let sql = format!("SELECT key FROM \"{table}\" WHERE {range} ORDER BY key");
            let mut run = || -> rusqlite::Result<()> {
                let mut statement = self.connection.prepare(&sql)?;
                let mut rows = statement.query([prefix, &after_prefix(prefix)])?;
                while let Some(row) = rows.next()? {
                    visit(&String::from_utf8_lossy(bytes(row.get_ref(0)?).unwrap_or(b"")));
                }
                Ok(())
            };
            run().map_err(|e| self.snapshot.sort(&e))?;
        }
        Ok(())
    }

    /// Any query; for tables that are not key-value.
    pub fn query<T>(
        &self,
        sql: &str,
        params: impl rusqlite::Params,
        map: impl FnMut(&rusqlite::Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, ReadError> {
        let run = move || -> rusqlite::Result<Vec<T>> {
            let mut statement = self.connection.prepare(sql)?;
            statement.query_map(params, map)?.collect()
        };
        run().map_err(|e| self.snapshot.sort(&e))
    }

    fn make(&self, table: &str, row: &rusqlite::Row<'_>) -> rusqlite::Result<Row> {
        handed_out(bytes(row.get_ref(1)?).map_or(0, <[u8]>::len));
        Ok(Row {
            file: self.file(),
            table: table.into(),
            key: bytes(row.get_ref(0)?).map(|k| String::from_utf8_lossy(k).into()),
            value: match row.get_ref(1)? {
                number @ (ValueRef::Integer(_) | ValueRef::Real(_)) => Some(number_text(number)),
                other => bytes(other).map(<[u8]>::to_vec),
            },
        })
    }
}

/// Counts the bytes of values that leave databases, for tests of how much is read.
#[cfg(test)]
fn handed_out(bytes: usize) {
    HANDED_OUT.set(HANDED_OUT.get() + bytes as u64);
}

#[cfg(not(test))]
fn handed_out(_: usize) {}

#[cfg(test)]
thread_local! {
    /// Bytes of values that this thread was given.
    pub(crate) static HANDED_OUT: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
}

/// A piece of a file; `None` if it is not that long.
fn piece_of(file: &Path, start: usize, length: usize) -> std::io::Result<Option<Vec<u8>>> {
    use std::io::{Read, Seek, SeekFrom};
    let mut file = std::fs::File::open(file)?;
    if start.checked_add(length).is_none_or(|end| end as u64 > file.metadata().map_or(0, |meta| meta.len())) {
        return Ok(None);
    }
    file.seek(SeekFrom::Start(start as u64))?;
    let mut piece = Vec::new();
    file.take(length as u64).read_to_end(&mut piece)?;
    handed_out(piece.len());
    Ok(Some(piece))
}

fn bytes(value: ValueRef<'_>) -> Option<&[u8]> {
    match value {
        ValueRef::Text(b) | ValueRef::Blob(b) => Some(b),
        ValueRef::Null | ValueRef::Integer(_) | ValueRef::Real(_) => None,
    }
}

fn number_text(value: ValueRef<'_>) -> Vec<u8> {
    match value {
        ValueRef::Integer(n) => n.to_string().into_bytes(),
        ValueRef::Real(n) => n.to_string().into_bytes(),
        ValueRef::Null | ValueRef::Text(_) | ValueRef::Blob(_) => Vec::new(),
    }
}

/// A key is TEXT or, where a tool bound bytes, a BLOB; SQLite never takes one for the other.
const KEY_RANGES: [&str; 2] = ["key >= ?1 AND key < ?2", "key >= CAST(?1 AS BLOB) AND key < CAST(?2 AS BLOB)"];

/// The condition that a row's key starts with a prefix (`?1`, and `?2` that comes after it).
pub(crate) fn with_prefix(table: &str) -> String {
    let [text, blob] = KEY_RANGES;
    format!(
        "rowid IN (SELECT rowid FROM \"{table}\" WHERE {text} UNION ALL SELECT rowid FROM \"{table}\" WHERE {blob})"
    )
}

/// The smallest text after all that start with `prefix`: its last byte plus one (prefixes end in ASCII).
pub(crate) fn after_prefix(prefix: &str) -> String {
    let mut chars: Vec<char> = prefix.chars().collect();
    match chars.pop().and_then(|last| char::from_u32(last as u32 + 1)) {
        Some(next) => {
            chars.push(next);
            chars.into_iter().collect()
        }
        None => "\u{10FFFF}".to_owned(),
    }
}
