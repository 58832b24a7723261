//! What is left of a damaged SQLite database, read page by page and without SQLite, which gives a table up at its
//! first bad page.
//!
//! Every table's tree is walked from its root; a page that cannot be is counted and its siblings are read all the
//! same. Where a tree lost a node, leaves that nothing points to any more are read too, if they hold rows of a
//! key-value table. Free pages are left alone: they hold what was deleted. Nothing of the database's own text is
//! run: tables are made anew from what [`columns`](super::columns) reads in it. Deliberately absent: indexes, tables
//! without row ids, texts that are not UTF-8, and any meaning.

mod tree;

use super::columns::{Column, columns};
use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};
use std::fs::File;
use std::io;
use tree::{Cell, LEAF, Pages};

/// The longest row that SQLite stores, in bytes.
const MAX_ROW: usize = 1_000_000_000;

/// How often the pages of a file are read over to put rows together, so that rows which claim the same pages end.
const READINGS: u64 = 4;

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
    /// Rows that a page says it has and that could not be read, or of which nobody knows the table.
    pub lost: u64,
    /// Rows whose key another one has that was read before.
    pub copies: u64,
    /// Tables whose definition cannot be read, so that their rows cannot.
    pub tables: u64,
}

/// Copies every row that can be read into the empty database `into`.
pub fn salvage(file: File, tables: &[KeyTable], into: &mut Connection) -> io::Result<Salvage> {
    let mut pages = Pages::open(file)?;
    let mut report = Salvage::default();
    let sql = |error: rusqlite::Error| io::Error::other(error.to_string());
    let transaction = into.transaction().map_err(sql)?;

    let mut named: Vec<(String, u32, Option<Vec<Column>>)> = Vec::new();
    let mut torn = false;
    for leaf in pages.leaves(1, &mut report, &mut torn) {
        pages.rows(leaf, &mut report, |cell, report| match &*cell.values {
            [Value::Text(kind), ..] if matches!(&**kind, "index" | "view" | "trigger") => {}
            [Value::Text(kind), Value::Text(name), _, Value::Integer(root), rest @ ..] if kind == "table" => {
                // A table that is only a name for others has no root.
                if let Some(root) = u32::try_from(*root).ok().filter(|root| *root > 0) {
                    let told = if let [Value::Text(definition)] = rest { columns(definition) } else { None };
                    named.push((name.clone(), root, told));
                }
            }
            _ => report.tables += 1,
        });
    }
    let mut trees: Vec<(Target, Vec<u32>)> = Vec::new();
    for (name, root, told) in named {
        if name.starts_with("sqlite_") {
            // SQLite's own: no content, and not to be taken for that of another table.
            pages.leaves(root, &mut report, &mut torn);
            continue;
        }
        let known = tables.iter().any(|table| table.name == name);
        match told
            .or_else(|| known.then(key_and_value))
            .and_then(|columns| Target::make(&transaction, &name, &columns, known))
        {
            Some(target) => trees.push((target, pages.leaves(root, &mut report, &mut torn))),
            None => {
                // Its pages are walked so that its rows are not taken for those of another table.
                let leaves = pages.leaves(root, &mut Salvage::default(), &mut false);
                report.lost += leaves.into_iter().map(|leaf| pages.count_rows(leaf)).sum::<u64>();
                report.tables += 1;
            }
        }
    }
    // The definition of a table that is missing here may be what was lost.
    torn |= report.tables > 0;
    for table in tables {
        if trees.iter().all(|(target, _)| target.name != table.name) {
            let target = Target::make(&transaction, table.name, &key_and_value(), true);
            trees.extend(target.map(|target| (target, Vec::new())));
        }
    }
    for (target, leaves) in &trees {
        for leaf in leaves {
            pages.rows(*leaf, &mut report, |cell, report| target.put(&transaction, cell, report));
        }
    }
    // Last: a row that a tree reaches is the one that counts.
    if torn {
        pages.skip_free();
        for leaf in (1..=pages.count).filter(|page| !pages.seen[*page as usize]).collect::<Vec<_>>() {
            if pages.page(leaf).is_none_or(|page| page.first() != Some(&LEAF)) {
                continue;
            }
            pages.rows(leaf, &mut report, |cell, report| {
                let key = match &*cell.values {
                    [Value::Text(key), _] => Some(key.as_str()),
                    [Value::Blob(key), _] => std::str::from_utf8(key).ok(),
                    _ => None,
                };
                let table = key.and_then(|key| tables.iter().find(|table| (table.has)(key)));
                let target = table.and_then(|table| trees.iter().find(|(target, _)| target.name == table.name));
                let Some((target, _)) = target else {
                    report.lost += 1;
                    return;
                };
                let before = report.rows;
                target.put(&transaction, cell, report);
                report.loose += report.rows - before;
            });
        }
    }
    transaction.commit().map_err(sql)?;
    Ok(report)
}

/// The columns of a key-value table.
fn key_and_value() -> Vec<Column> {
    ["key", "value"].map(|name| Column { name: name.to_owned(), is_number: false, is_real: false }).to_vec()
}

/// A table of the copy.
struct Target {
    name: String,
    /// Which of a row's values is its number, which is stored as NULL.
    numbers: Vec<bool>,
    /// Insert a row under its number, or under a new one; where a row of its key is there, neither does.
    insert: [String; 2],
}

impl Target {
    /// Makes a table of these columns, the first of which is a key or is not; `None` where SQLite has no such table.
    fn make(copy: &Connection, name: &str, columns: &[Column], keyed: bool) -> Option<Self> {
        let quoted = |name: &str| format!("\"{}\"", name.replace('"', "\"\""));
        let names: Vec<String> = columns.iter().map(|column| quoted(&column.name)).collect();
        let defined: Vec<String> = columns
            .iter()
            .zip(&names)
            .enumerate()
            .map(|(at, (column, name))| {
                let unique = if keyed && at == 0 { " UNIQUE" } else { "" };
                format!("{name}{}{unique}", if column.is_real { " REAL" } else { "" })
            })
            .collect();
        let table = quoted(name);
        copy.execute(&format!("CREATE TABLE {table} ({})", defined.join(", ")), []).ok()?;
        let (names, marks) = (names.join(", "), vec!["?"; columns.len()].join(", "));
        Some(Self {
            name: name.to_owned(),
            numbers: columns.iter().map(|column| column.is_number).collect(),
            insert: [
                format!("INSERT OR IGNORE INTO {table} (rowid, {names}) VALUES (?, {marks})"),
                format!("INSERT OR IGNORE INTO {table} ({names}) VALUES ({marks})"),
            ],
        })
    }

    /// Takes a row over and counts it. It overwrites none.
    fn put(&self, copy: &Connection, cell: &Cell, report: &mut Salvage) {
        let number = Value::Integer(cell.number);
        let values = self.numbers.iter().enumerate().map(|(at, is_number)| match is_number {
            true => &number,
            false => cell.values.get(at).unwrap_or(&Value::Null),
        });
        let put = |sql: &str, values: &mut dyn Iterator<Item = &Value>| {
            copy.prepare_cached(sql).and_then(|mut insert| insert.execute(params_from_iter(values)))
        };
        let done = match put(&self.insert[0], &mut std::iter::once(&number).chain(values.clone())) {
            // The number may be another row's, the key not.
            Ok(0) => put(&self.insert[1], &mut values.clone()),
            done => done,
        };
        match done {
            Ok(0) => report.copies += 1,
            Ok(_) => {
                report.rows += 1;
                report.cut += u64::from(cell.cut);
            }
            Err(_) => report.lost += 1,
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::tree::{INTERIOR, be16, be32, most_cells, pointers, varint};
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

    /// The leaves of the tree of a table, and the rest of the file to change.
    fn leaves_of(path: &Path, table: &str) -> (Vec<usize>, Vec<u8>) {
        let db = Connection::open(path).unwrap();
        let root = "SELECT rootpage FROM sqlite_schema WHERE name = ?1";
        let root: u32 = db.query_row(root, [table], |row| row.get(0)).unwrap();
        let mut pages = Pages::open(File::open(path).unwrap()).unwrap();
        let leaves = pages.leaves(root, &mut Salvage::default(), &mut false);
        (leaves.into_iter().map(|page| (page as usize - 1) * 1024).collect(), std::fs::read(path).unwrap())
    }

    #[test]
    fn each_row_that_cannot_be_read_is_counted() {
        let folder = tempfile::tempdir().unwrap();
        let path = store(folder.path());
        let (leaves, mut bytes) = leaves_of(&path, "kv");
        // Two cells of one leaf point out of the page, and a third has a type that is never written.
        let leaf = leaves[3];
        bytes[leaf + 8..leaf + 12].fill(0xFF);
        let third = leaf + usize::from(be16(&bytes[leaf..], 12));
        bytes[third + 4] = 10;
        // One leaf has a row that another has, by key and by number.
        let (from, to) = (leaves[5], leaves[6]);
        let page = bytes[from..from + 1024].to_vec();
        let most = most_cells(&bytes[to..]) as u64;
        bytes[to..to + 1024].copy_from_slice(&page);
        std::fs::write(&path, &bytes).unwrap();
        let (report, copy) = read(&path).unwrap();
        let copies = most_cells(&page) as u64;
        assert_eq!((report.lost, report.copies, report.pages), (3, copies, 0), "{report:?}");
        assert_eq!(report.rows, 706 - 3 - most, "{report:?}");
        assert_eq!(report.rows as i64, count(&copy, "kv") + count(&copy, "items") + count(&copy, "more"));
    }

    #[test]
    fn a_row_that_nothing_points_to_overwrites_none_that_something_does() {
        let folder = tempfile::tempdir().unwrap();
        let path = store(folder.path());
        let (leaves, mut bytes) = leaves_of(&path, "kv");
        let (live, stale) = (leaves[60], leaves[90]);
        let number = |at: usize| {
            let mut pages = Pages::open(File::open(&path).unwrap()).unwrap();
            let mut numbers = Vec::new();
            pages.rows(at as u32 / 1024 + 1, &mut Salvage::default(), |cell, _| numbers.push(cell.number));
            numbers[0]
        };
        // The pointer to one leaf is lost, and its rows have numbers that rows elsewhere have.
        let parent = (0..bytes.len() / 1024).map(|page| page * 1024).find(|page| {
            bytes[*page] == INTERIOR
                && pointers(&bytes[*page..*page + 1024], 12, 0)
                    .iter()
                    .any(|at| be32(&bytes[*page..], *at) == Some(stale as u32 / 1024 + 1))
        });
        let parent = parent.unwrap();
        let cell = pointers(&bytes[parent..parent + 1024], 12, 0)
            .into_iter()
            .find(|at| be32(&bytes[parent..], *at) == Some(stale as u32 / 1024 + 1));
        bytes[parent + cell.unwrap()..][..4].fill(0xFF);
        let (own, other) = (number(stale), number(live));
        let place = stale + usize::from(be16(&bytes[stale..], 8));
        let mut rest = &bytes[place..];
        varint(&mut rest).unwrap();
        let at = bytes.len() - rest.len();
        assert!((128..16384).contains(&own) && (128..16384).contains(&other), "two bytes each");
        // `rest` is a slice of the file from the cell on, so `at` is its place.
        bytes[at..at + 2].copy_from_slice(&[0x80 | (other >> 7) as u8, (other & 0x7F) as u8]);
        std::fs::write(&path, &bytes).unwrap();
        let (report, copy) = read(&path).unwrap();
        assert_eq!((count(&copy, "kv"), report.copies, report.lost), (702, 0, 0), "{report:?}");
        assert!(report.loose > 1 && report.pages == 1, "{report:?}");
        let whose: String = copy.query_row("SELECT key FROM kv WHERE rowid = ?1", [other], |row| row.get(0)).unwrap();
        assert!(whose.ends_with(&format!("{:05}", other - 1)), "{whose} has the number {other}");
    }

    #[test]
    fn a_chain_of_pages_that_comes_back_to_itself_ends() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("long.db");
        let db = Connection::open(&path).unwrap();
        let make = "PRAGMA page_size=1024; CREATE TABLE kv (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB);
                    INSERT INTO kv VALUES ('a:1', zeroblob(200000)), ('a:2', x'00');";
        db.execute_batch(make).unwrap();
        drop(db);
        let (_, mut bytes) = leaves_of(&path, "kv");
        // A long row: the third page of its chain points back to the second.
        let chain: Vec<u32> = {
            let leaf = leaves_of(&path, "kv").0[0];
            let at = pointers(&bytes[leaf..leaf + 1024], 8, 0)[0];
            let mut rest = &bytes[leaf + at..];
            let length = varint(&mut rest).unwrap() as usize;
            varint(&mut rest).unwrap();
            let least = (1024 - 12) * 32 / 255 - 23;
            let fits = least + (length - least) % 1020;
            let local = if fits <= 1024 - 35 { fits } else { least };
            let first = be32(rest, local).unwrap();
            let second = be32(&bytes, (first as usize - 1) * 1024).unwrap();
            vec![first, second, be32(&bytes, (second as usize - 1) * 1024).unwrap()]
        };
        bytes[(chain[2] as usize - 1) * 1024..][..4].copy_from_slice(&chain[1].to_be_bytes());
        std::fs::write(&path, &bytes).unwrap();
        let mut pages = Pages::open(File::open(&path).unwrap()).unwrap();
        let (all, mut report) = (pages.left, Salvage::default());
        let leaf = pages.leaves(2, &mut report, &mut false)[0];
        let mut lengths = Vec::new();
        pages.rows(leaf, &mut report, |cell, _| {
            let Value::Blob(value) = &cell.values[1] else { return };
            lengths.push((value.len(), cell.cut));
        });
        assert_eq!(all - pages.left, 3, "each page of the chain once");
        assert!(lengths[0].0 < 4 * 1024 && lengths[0].1 && !lengths[1].1, "{lengths:?}");
    }

    #[test]
    fn what_a_database_says_of_itself_is_never_run() {
        let folder = tempfile::tempdir().unwrap();
        let (path, other) = (folder.path().join("hostile.db"), folder.path().join("other.db"));
        let db = Connection::open(&path).unwrap();
        db.execute_batch(
            "CREATE TABLE kv (key TEXT, value BLOB); INSERT INTO kv VALUES ('a:1', 'x');
             CREATE TABLE evil (a); INSERT INTO evil VALUES (1), (2);
             CREATE TABLE more (a TEXT DEFAULT (1 + 1)); INSERT INTO more VALUES ('m');
             PRAGMA writable_schema=ON;",
        )
        .unwrap();
        let evil = format!("ATTACH '{}' AS o; CREATE TABLE o.made(x)", other.display());
        db.execute("UPDATE sqlite_schema SET sql = ?1 WHERE name = 'evil'", [&evil]).unwrap();
        let tail = format!("CREATE TABLE more (a TEXT); {evil}");
        db.execute("UPDATE sqlite_schema SET sql = ?1 WHERE name = 'more'", [tail]).unwrap();
        drop(db);
        let (report, copy) = read(&path).unwrap();
        assert!(!other.exists(), "its text was run");
        assert_eq!(report, Salvage { rows: 2, tables: 1, lost: 2, ..Salvage::default() });
        assert_eq!((count(&copy, "kv"), count(&copy, "more")), (1, 1));
    }

    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig { cases: 48, failure_persistence: None, ..Default::default() })]

        #[test]
        fn any_damage_is_read_around_and_each_row_of_the_copy_is_counted(
            hurts in proptest::collection::vec((proptest::prelude::any::<proptest::sample::Index>(), 0usize..9, proptest::prelude::any::<u8>()), 1..40),
            cut in proptest::option::of(proptest::prelude::any::<proptest::sample::Index>()),
        ) {
            let folder = tempfile::tempdir().unwrap();
            let path = store(folder.path());
            let mut bytes = std::fs::read(&path).unwrap();
            for (at, near, byte) in hurts {
                // As often as not in what a page says of itself, where it matters most.
                let at = at.index(bytes.len());
                let at = if near % 2 == 0 { at / 1024 * 1024 + near } else { at };
                bytes[at] = byte;
            }
            bytes[..16].copy_from_slice(b"SQLite format 3\0");
            if let Some(cut) = cut {
                bytes.truncate(cut.index(bytes.len()));
            }
            std::fs::write(&path, &bytes).unwrap();
            if let Ok((report, copy)) = read(&path) {
                let mut names = copy.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").unwrap();
                let names: Vec<String> = names.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
                let rows: i64 = names.iter().map(|name| count(&copy, &format!("\"{}\"", name.replace('"', "\"\"")))).sum();
                proptest::prop_assert_eq!(rows as u64, report.rows);
                proptest::prop_assert!(report.loose <= report.rows && report.cut <= report.rows);
                let said = report.rows + report.lost + report.copies + report.pages + report.tables;
                proptest::prop_assert!(said >= 1);
            }
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
