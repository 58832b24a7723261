//! What is left of a damaged SQLite database, read page by page and without SQLite, which gives a table up at its
//! first bad page.
//!
//! Every table's tree is walked from its root; a page that cannot be is counted and its siblings are read all the
//! same. Where a tree lost a node, leaves that nothing points to any more are read too, if they hold rows of a
//! key-value table. Free pages are left alone: they hold what was deleted. Deliberately absent: indexes, tables
//! without row ids, texts that are not UTF-8, and any meaning.

use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

/// How many pages one row may take, so that a broken chain ends.
const MAX_CHAIN: usize = 1 << 20;

/// A key-value table that a store is known to have, for leaves that no tree reaches.
#[derive(Debug, Clone, Copy)]
pub struct KeyTable {
    /// Its name.
    pub name: &'static str,
    /// Whether a key can be one of its. The first table of a list that answers yes has the row.
    pub has: fn(&str) -> bool,
}

/// What could be read and what could not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Salvage {
    /// Rows that were read.
    pub rows: u64,
    /// Rows of which only a beginning was left.
    pub cut: u64,
    /// Pages that could not be read.
    pub pages: u64,
    /// Rows that were found on pages to which nothing points any more; they are among `rows`.
    pub loose: u64,
}

/// Copies every row that can be read into the empty database `into`.
pub fn salvage(file: File, tables: &[KeyTable], into: &mut Connection) -> io::Result<Salvage> {
    let mut pages = Pages::open(file)?;
    let mut report = Salvage::default();
    let sql = |error: rusqlite::Error| io::Error::other(error.to_string());
    let transaction = into.transaction().map_err(sql)?;

    let mut trees: Vec<(Target, Vec<u32>)> = Vec::new();
    let mut torn = false;
    for leaf in pages.leaves(1, &mut report, &mut torn) {
        for cell in pages.rows(leaf, &mut report) {
            let [Value::Text(kind), Value::Text(name), _, Value::Integer(root), Value::Text(create)] = &*cell.values
            else {
                continue;
            };
            if kind == "table" && !name.starts_with("sqlite_") && transaction.execute_batch(create).is_ok() {
                let leaves = pages.leaves(u32::try_from(*root).unwrap_or(0), &mut report, &mut torn);
                trees.push((Target::of(&transaction, name).map_err(sql)?, leaves));
            }
        }
    }
    for table in tables {
        if trees.iter().all(|(target, _)| target.name != table.name) {
            let create = format!("CREATE TABLE \"{}\" (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)", table.name);
            transaction.execute_batch(&create).map_err(sql)?;
            trees.push((Target::of(&transaction, table.name).map_err(sql)?, Vec::new()));
        }
    }
    // Loose rows first: what a tree reaches takes their place.
    if torn {
        pages.skip_free();
        for leaf in (1..=pages.count).filter(|page| !pages.seen[*page as usize]).collect::<Vec<_>>() {
            if pages.page(leaf).is_none_or(|page| page.first() != Some(&LEAF)) {
                continue;
            }
            for cell in pages.rows(leaf, &mut report) {
                let [Value::Text(key), _] = &*cell.values else { continue };
                let table = tables.iter().find(|table| (table.has)(key));
                let target = table.and_then(|table| trees.iter().find(|(target, _)| target.name == table.name));
                let Some((target, _)) = target else { continue };
                target.insert(&transaction, &cell).map_err(sql)?;
                report.loose += 1;
                report.rows += 1;
                report.cut += u64::from(cell.cut);
            }
        }
    }
    for (target, leaves) in trees {
        for leaf in leaves {
            for cell in pages.rows(leaf, &mut report) {
                report.cut += u64::from(cell.cut);
                report.rows += u64::from(target.insert(&transaction, &cell).is_ok());
            }
        }
    }
    transaction.commit().map_err(sql)?;
    Ok(report)
}

/// A table of the copy.
struct Target {
    name: String,
    /// Which of a row's values are written: a column that is the row's number is stored as NULL.
    columns: Vec<usize>,
    insert: String,
}

impl Target {
    fn of(copy: &Connection, name: &str) -> rusqlite::Result<Self> {
        let quoted = |name: &str| format!("\"{}\"", name.replace('"', "\"\""));
        let mut statement =
            copy.prepare("SELECT name, pk AND upper(type) = 'INTEGER' FROM pragma_table_info(?1) ORDER BY cid")?;
        let all: Vec<(String, bool)> =
            statement.query_map([name], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<Result<_, _>>()?;
        let columns: Vec<usize> = (0..all.len()).filter(|at| !all[*at].1).collect();
        let names: String = columns.iter().map(|at| format!(", {}", quoted(&all[*at].0))).collect();
        let marks = ", ?".repeat(columns.len());
        let insert = format!("INSERT OR REPLACE INTO {} (rowid{names}) VALUES (?{marks})", quoted(name));
        Ok(Self { name: name.to_owned(), columns, insert })
    }

    fn insert(&self, copy: &Connection, cell: &Cell) -> rusqlite::Result<()> {
        let number = Value::Integer(cell.number);
        let values = self.columns.iter().map(|at| cell.values.get(*at).unwrap_or(&Value::Null));
        copy.prepare_cached(&self.insert)?.execute(params_from_iter(std::iter::once(&number).chain(values)))?;
        Ok(())
    }
}

/// Bytes of the file's header, which the first page begins with.
const HEADER: usize = 100;

const LEAF: u8 = 0x0D;
const INTERIOR: u8 = 0x05;

/// A row as a leaf holds it.
struct Cell {
    number: i64,
    values: Vec<Value>,
    /// Whether its end could not be read.
    cut: bool,
}

struct Pages {
    file: File,
    size: usize,
    /// Bytes of a page that hold content.
    usable: usize,
    count: u32,
    /// Pages of a tree, and free ones; by number.
    seen: Vec<bool>,
}

impl Pages {
    fn open(mut file: File) -> io::Result<Self> {
        let mut head = [0; 100];
        file.rewind()?;
        file.read_exact(&mut head)?;
        let size = match u16::from_be_bytes([head[16], head[17]]) {
            1 => 1 << 16,
            n => usize::from(n),
        };
        let utf8 = u32::from_be_bytes([head[56], head[57], head[58], head[59]]) <= 1;
        if !head.starts_with(b"SQLite format 3\0") || !size.is_power_of_two() || size < 512 || !utf8 {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "no page size or encoding to go by"));
        }
        // The last page of a file that was cut off is read as far as it goes.
        let count = u32::try_from(file.metadata()?.len().div_ceil(size as u64)).unwrap_or(u32::MAX - 1);
        let usable = size - usize::from(head[20]).min(size - 480);
        Ok(Self { file, size, usable, count, seen: vec![false; count as usize + 1] })
    }

    /// A page that is there, or what is left of the last one; the first one without the file's header.
    fn page(&mut self, number: u32) -> Option<Vec<u8>> {
        if number == 0 || number > self.count {
            return None;
        }
        let mut bytes = Vec::with_capacity(self.size);
        self.file.seek(SeekFrom::Start((u64::from(number) - 1) * self.size as u64)).ok()?;
        (&self.file).take(self.size as u64).read_to_end(&mut bytes).ok()?;
        Some(if number == 1 { bytes.split_off(HEADER) } else { bytes })
    }

    /// The leaves of the tree at `root`, in order. A node that is not one is counted, and the tree is `torn`.
    fn leaves(&mut self, root: u32, report: &mut Salvage, torn: &mut bool) -> Vec<u32> {
        let (mut leaves, mut open) = (Vec::new(), vec![root]);
        while let Some(number) = open.pop() {
            let page = self.page(number).filter(|_| !self.seen[number as usize]);
            match page.as_deref().and_then(|page| Some((page, *page.first()?))) {
                Some((_, LEAF)) => leaves.push(number),
                Some((page, INTERIOR)) => {
                    let cells = pointers(page, 12, before(number));
                    let mut children: Vec<u32> = cells.iter().filter_map(|at| be32(page, *at)).collect();
                    children.extend(be32(page, 8));
                    *torn |= children.len() != usize::from(be16(page, 3)) + 1;
                    open.extend(children.into_iter().rev());
                }
                Some(_) | None => {
                    report.pages += 1;
                    *torn = true;
                    continue;
                }
            }
            self.seen[number as usize] = true;
        }
        leaves
    }

    /// The rows of a leaf; cells that are none are left out.
    fn rows(&mut self, leaf: u32, report: &mut Salvage) -> Vec<Cell> {
        let Some(page) = self.page(leaf) else { return Vec::new() };
        let cells = pointers(&page, 8, before(leaf));
        let rows: Vec<Cell> = cells.iter().filter_map(|at| self.row(&page, *at)).collect();
        // A leaf that says it has rows and has none is one that could not be read; so is one that was cut off.
        let cut_off = page.len() + before(leaf) < self.size;
        report.pages += u64::from(cut_off || rows.is_empty() && be16(&page, 3) > 0);
        rows
    }

    fn row(&mut self, page: &[u8], at: usize) -> Option<Cell> {
        let mut rest = page.get(at..)?;
        let length = usize::try_from(varint(&mut rest)?).ok()?;
        let number = varint(&mut rest)?.cast_signed();
        // How much of a row stays on its page is laid down in the file format.
        let most = self.usable - 35;
        let local = if length <= most {
            length
        } else {
            let least = (self.usable - 12) * 32 / 255 - 23;
            let fits = least + (length - least) % (self.usable - 4);
            if fits <= most { fits } else { least }
        };
        let mut payload = rest[..local.min(rest.len())].to_vec();
        let torn = payload.len() < local;
        let mut next = if local < length { be32(rest, local) } else { None };
        let mut hops = 0;
        while payload.len() < length && !torn {
            let more = next.filter(|_| hops < MAX_CHAIN).and_then(|number| self.page(number));
            let Some(more) = more else { break };
            let take = (length - payload.len()).min(self.usable - 4);
            let content = more.get(4..).unwrap_or_default();
            payload.extend_from_slice(&content[..take.min(content.len())]);
            if content.len() < take {
                break;
            }
            next = be32(&more, 0).filter(|number| *number > 0);
            hops += 1;
        }
        let cut = payload.len() < length;
        Some(Cell { number, values: values(&payload)?, cut })
    }

    /// Marks the pages of the free list.
    fn skip_free(&mut self) {
        let mut head = [0; 40];
        if self.file.rewind().and_then(|()| self.file.read_exact(&mut head)).is_err() {
            return;
        }
        let mut trunk = be32(&head, 32).unwrap_or(0);
        while let Some(page) = self.page(trunk).filter(|_| !self.seen[trunk as usize]) {
            self.seen[trunk as usize] = true;
            let leaves = be32(&page, 4).unwrap_or(0).min(self.count) as usize;
            for free in (0..leaves).filter_map(|at| be32(&page, 8 + 4 * at)) {
                if let Some(seen) = self.seen.get_mut(free as usize) {
                    *seen = true;
                }
            }
            trunk = be32(&page, 0).unwrap_or(0);
        }
    }
}

/// Bytes of a page that belong to the file's header.
fn before(page: u32) -> usize {
    if page == 1 { HEADER } else { 0 }
}

/// Where the cells of a page begin; `missing` bytes of the page stand before it.
fn pointers(page: &[u8], header: usize, missing: usize) -> Vec<usize> {
    let count = usize::from(be16(page, 3));
    let all = (0..count).map_while(|at| page.get(header + 2 * at..header + 2 * at + 2));
    all.filter_map(|pair| usize::from(u16::from_be_bytes([pair[0], pair[1]])).checked_sub(missing))
        .filter(|at| *at >= header && *at < page.len())
        .collect()
}

fn be16(bytes: &[u8], at: usize) -> u16 {
    bytes.get(at..at + 2).map_or(0, |b| u16::from_be_bytes([b[0], b[1]]))
}

fn be32(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..at + 4).map(|b| u32::from_be_bytes([b[0], b[1], b[2], b[3]]))
}

/// A number of one to nine bytes, the high ones first.
fn varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0u64;
    for at in 0..9 {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        if at == 8 {
            return Some(value << 8 | u64::from(*byte));
        }
        value = value << 7 | u64::from(byte & 0x7F);
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

/// The values of a record. The last ones of one that was cut short are what is left of them.
fn values(payload: &[u8]) -> Option<Vec<Value>> {
    let mut head = payload;
    let length = usize::try_from(varint(&mut head)?).ok()?;
    let taken = payload.len() - head.len();
    let mut types = head.get(..length.checked_sub(taken)?)?;
    let mut body = payload.get(length..)?;
    let mut values = Vec::new();
    while !types.is_empty() {
        let kind = varint(&mut types)?;
        let size = match kind {
            0 | 8 | 9 => 0,
            1..=4 => kind,
            5 => 6,
            6 | 7 => 8,
            10 | 11 => return None, // never written to a file
            _ => (kind - 12) / 2,
        };
        let size = usize::try_from(size).ok()?.min(body.len());
        let (own, rest) = body.split_at(size);
        body = rest;
        values.push(match kind {
            0 => Value::Null,
            8 => Value::Integer(0),
            9 => Value::Integer(1),
            1..=6 => Value::Integer(integer(own)),
            7 => Value::Real(f64::from_bits(integer(own).cast_unsigned())),
            _ if kind % 2 == 1 => match std::str::from_utf8(own) {
                Ok(text) => Value::Text(text.to_owned()),
                Err(_) => Value::Blob(own.to_vec()),
            },
            _ => Value::Blob(own.to_vec()),
        });
    }
    Some(values)
}

/// Bytes as a signed number, the high ones first.
fn integer(bytes: &[u8]) -> i64 {
    let negative = bytes.first().is_some_and(|b| b & 0x80 != 0);
    bytes.iter().fold(if negative { -1 } else { 0 }, |n, byte| n << 8 | i64::from(*byte))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::path::{Path, PathBuf};

    const TABLES: &[KeyTable] =
        &[KeyTable { name: "kv", has: |key| key.contains(':') }, KeyTable { name: "items", has: |_| true }];

    fn store(folder: &Path) -> PathBuf {
        let path = folder.join("whole.db");
        let db = Connection::open(&path).unwrap();
        db.execute_batch(
            "PRAGMA page_size=1024;
             CREATE TABLE items (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB);
             CREATE TABLE kv (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB);
             CREATE TABLE more (id INTEGER PRIMARY KEY, size REAL, name TEXT, none TEXT);
             WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 699)
             INSERT INTO kv SELECT printf('b:%05d', i), printf('{\"text\":\"%d %s\"}', i, hex(zeroblob(60))) FROM n;
             INSERT INTO kv VALUES ('long:1', replace(hex(zeroblob(5000)), '0', 'x')), ('null:1', NULL), ('gone:1', 'g');
             DELETE FROM kv WHERE key = 'gone:1';
             INSERT INTO items VALUES ('title', x'0102'), ('n', 7);
             INSERT INTO more VALUES (7, 1.5, 'seven', NULL), (-3, -2.25, 'minus', 'x');",
        )
        .unwrap();
        path
    }

    fn read(path: &Path) -> io::Result<(Salvage, Connection)> {
        let mut into = Connection::open_in_memory().unwrap();
        Ok((salvage(File::open(path)?, TABLES, &mut into)?, into))
    }

    fn count(db: &Connection, table: &str) -> i64 {
        db.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0)).unwrap()
    }

    #[test]
    fn a_sound_database_is_read_whole_and_word_for_word() {
        let folder = tempfile::tempdir().unwrap();
        let path = store(folder.path());
        let (report, copy) = read(&path).unwrap();
        assert_eq!(report, Salvage { rows: 706, ..Salvage::default() });
        copy.execute("ATTACH ?1 AS was", [path.to_str().unwrap()]).unwrap();
        for table in ["kv", "items", "more"] {
            let differ: i64 = copy
                .query_row(
                    &format!(
                        "SELECT count(*) FROM (SELECT rowid, * FROM {table} EXCEPT SELECT rowid, * FROM was.{table})"
                    ),
                    [],
                    |r| r.get(0),
                )
                .unwrap();
            assert_eq!((differ, count(&copy, table)), (0, count(&copy, &format!("was.{table}"))), "{table}");
        }
    }

    #[test]
    fn whatever_page_is_lost_takes_only_its_own_rows_with_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = store(folder.path());
        let whole = std::fs::read(&path).unwrap();
        let most = 12; // rows on one leaf
        for page in (1..whole.len() / 1024).step_by(7).chain(1..6) {
            let mut bytes = whole.clone();
            bytes[page * 1024..(page + 1) * 1024].fill(0xA5);
            let hurt = folder.path().join("hurt.db");
            File::create(&hurt).unwrap().write_all(&bytes).unwrap();
            let (report, copy) = read(&hurt).unwrap();
            let left = count(&copy, "kv");
            assert!(left >= 702 - most, "page {page}: {left} rows left, {report:?}");
            let total = count(&copy, "items") + count(&copy, "more") + left;
            assert!(total == 706 || report.pages + report.cut > 0, "page {page}: what is missing is said");
        }
    }

    #[test]
    fn a_file_that_ends_early_keeps_what_stands_before_the_end() {
        let folder = tempfile::tempdir().unwrap();
        let path = store(folder.path());
        let whole = std::fs::read(&path).unwrap();
        let mut before = 0;
        for part in 1..8 {
            let cut = folder.path().join("cut.db");
            std::fs::write(&cut, &whole[..whole.len() * part / 8]).unwrap();
            let (report, copy) = read(&cut).unwrap();
            assert!(report.pages > 0 && count(&copy, "kv") >= before, "{part}: {report:?}");
            before = count(&copy, "kv");
        }
        assert!(before > 300, "{before}");
        // Within a page: its other rows are whole, and the one at the cut is said to be.
        let last = (0..whole.len() / 1024).rev().find(|p| whole[p * 1024] == LEAF).unwrap();
        let cut = folder.path().join("cut.db");
        std::fs::write(&cut, &whole[..last * 1024]).unwrap();
        let without = read(&cut).unwrap().0.rows;
        std::fs::write(&cut, &whole[..(last + 1) * 1024 - 100]).unwrap();
        let (report, _) = read(&cut).unwrap();
        assert!(report.rows > without && report.pages > 0, "{without}: {report:?}");
        std::fs::write(&path, [7u8; 4096]).unwrap();
        assert!(read(&path).is_err(), "what is no database is not guessed at");
    }
}
