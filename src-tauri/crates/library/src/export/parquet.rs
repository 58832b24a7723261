//! Parquet files: tables that DuckDB, Spark and everything else that reads columns can ask, many libraries at
//! once. Of the format just what flat tables of texts, numbers, times and flags need: one page a column and row
//! group, plain encoding, zstd. Deliberately absent: nesting, dictionaries, statistics, reading.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A row group is written when it holds this many bytes.
const GROUP: usize = 16 << 20;

const LEVEL: i32 = 3;
const MAGIC: &[u8] = b"PAR1";

/// What a column holds. Every column may be empty in a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Type {
    Text,
    Number,
    /// Milliseconds since 1970, UTC.
    Time,
    Flag,
}

/// A value of a row.
#[derive(Debug, Clone)]
pub(crate) enum Value<'a> {
    Text(&'a str),
    Number(i64),
    Flag(bool),
    None,
}

impl Type {
    /// The numbers that the format has for the physical and the logical type.
    fn codes(self) -> (i64, Option<i64>) {
        match self {
            Type::Text => (6, Some(0)),
            Type::Number => (2, None),
            Type::Time => (2, Some(9)),
            Type::Flag => (0, None),
        }
    }
}

/// A column of the row group that is being filled.
#[derive(Debug, Default)]
struct Column {
    /// Runs of rows that have, or have not, a value.
    present: Vec<(bool, u64)>,
    values: Vec<u8>,
    /// Flags are packed into bits when the group is written.
    flags: Vec<bool>,
}

impl Column {
    fn push(&mut self, value: &Value<'_>) {
        let there = !matches!(value, Value::None);
        match self.present.last_mut() {
            Some((last, many)) if *last == there => *many += 1,
            Some(_) | None => self.present.push((there, 1)),
        }
        match value {
            Value::Text(text) => {
                self.values.extend((text.len() as u32).to_le_bytes());
                self.values.extend(text.as_bytes());
            }
            Value::Number(number) => self.values.extend(number.to_le_bytes()),
            Value::Flag(flag) => self.flags.push(*flag),
            Value::None => {}
        }
    }

    /// The page: which rows have a value, and the values.
    fn page(&self) -> Vec<u8> {
        let mut levels = Vec::new();
        for (there, many) in &self.present {
            varint(many << 1, &mut levels);
            levels.push(u8::from(*there));
        }
        let mut page = (levels.len() as u32).to_le_bytes().to_vec();
        page.extend(levels);
        page.extend(&self.values);
        page.extend(self.flags.chunks(8).map(|bits| bits.iter().rev().fold(0, |byte, bit| byte << 1 | u8::from(*bit))));
        page
    }
}

/// What the footer says of a column chunk.
#[derive(Debug)]
struct Chunk {
    offset: u64,
    plain: u64,
    packed: u64,
}

/// One file while it is written. It is closed between row groups, so that any number may be written at once.
#[derive(Debug)]
struct Table {
    path: PathBuf,
    schema: &'static [(&'static str, Type)],
    columns: Vec<Column>,
    rows: u64,
    written: u64,
    groups: Vec<(u64, Vec<Chunk>)>,
}

impl Table {
    fn create(path: PathBuf, schema: &'static [(&'static str, Type)]) -> io::Result<Self> {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        File::create_new(&path)?.write_all(MAGIC)?;
        let columns = schema.iter().map(|_| Column::default()).collect();
        Ok(Self { path, schema, columns, rows: 0, written: MAGIC.len() as u64, groups: Vec::new() })
    }

    fn push(&mut self, row: &[Value<'_>]) -> io::Result<()> {
        self.columns.iter_mut().zip(row).for_each(|(column, value)| column.push(value));
        self.rows += 1;
        if self.columns.iter().map(|c| c.values.len()).sum::<usize>() >= GROUP { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.rows == 0 {
            return Ok(());
        }
        let mut file = File::options().append(true).open(&self.path)?;
        let mut chunks = Vec::new();
        for column in std::mem::take(&mut self.columns) {
            let page = column.page();
            let packed = zstd::bulk::compress(&page, LEVEL)?;
            let mut head = Struct::default();
            head.number(1, 0).number(2, page.len() as i64).number(3, packed.len() as i64);
            let mut about = Struct::default();
            about.number(1, self.rows as i64).number(2, 0).number(3, 3).number(4, 3);
            head.nested(5, about);
            let head = head.end();
            file.write_all(&head)?;
            file.write_all(&packed)?;
            let sizes = (head.len() + page.len(), head.len() + packed.len());
            chunks.push(Chunk { offset: self.written, plain: sizes.0 as u64, packed: sizes.1 as u64 });
            self.written += sizes.1 as u64;
        }
        self.columns = self.schema.iter().map(|_| Column::default()).collect();
        self.groups.push((std::mem::take(&mut self.rows), chunks));
        Ok(())
    }

    fn finish(mut self) -> io::Result<()> {
        self.flush()?;
        let mut root = Struct::default();
        root.text(4, "schema").number(5, self.schema.len() as i64);
        let mut elements = vec![root.end()];
        for (name, of) in self.schema {
            let (physical, logical) = of.codes();
            let mut element = Struct::default();
            element.number(1, physical).number(3, 1).text(4, name);
            if let Some(logical) = logical {
                element.number(6, logical);
            }
            elements.push(element.end());
        }
        let groups = self.groups.iter().map(|(rows, chunks)| {
            let columns = chunks.iter().zip(self.schema).map(|(chunk, (name, of))| {
                let mut about = Struct::default();
                about.number(1, of.codes().0).list(2, NUMBER, &[zigzag(0), zigzag(3)]).list(3, TEXT, &[string(name)]);
                about.number(4, 6).long(5, *rows as i64).long(6, chunk.plain as i64);
                about.long(7, chunk.packed as i64).long(9, chunk.offset as i64);
                let mut column = Struct::default();
                column.long(2, chunk.offset as i64).nested(3, about);
                column.end()
            });
            let columns: Vec<_> = columns.collect();
            let mut group = Struct::default();
            group.list(1, STRUCT, &columns);
            group.long(2, chunks.iter().map(|c| c.plain as i64).sum()).long(3, *rows as i64);
            group.end()
        });
        let groups: Vec<_> = groups.collect();
        let mut footer = Struct::default();
        footer.number(1, 1).list(2, STRUCT, &elements).long(3, self.groups.iter().map(|g| g.0 as i64).sum());
        footer.list(4, STRUCT, &groups).text(6, "assay");
        let footer = footer.end();
        let mut file = File::options().append(true).open(&self.path)?;
        file.write_all(&footer)?;
        file.write_all(&(footer.len() as u32).to_le_bytes())?;
        file.write_all(MAGIC)
    }
}

/// Files of several tables, partitioned by folders, written side by side.
#[derive(Debug)]
pub(crate) struct Files {
    folder: PathBuf,
    tables: BTreeMap<String, Table>,
}

impl Files {
    /// Files below `folder`, which must not hold any of their names yet.
    pub(crate) fn new(folder: &Path) -> Self {
        Self { folder: folder.to_owned(), tables: BTreeMap::new() }
    }

    /// Adds a row to the file `place` (below the folder, with `/`).
    pub(crate) fn push(
        &mut self,
        place: &str,
        schema: &'static [(&'static str, Type)],
        row: &[Value<'_>],
    ) -> io::Result<()> {
        if !self.tables.contains_key(place) {
            let table = Table::create(self.folder.join(place), schema)?;
            self.tables.insert(place.to_owned(), table);
        }
        self.tables.get_mut(place).map_or(Ok(()), |table| table.push(row))
    }

    /// Completes every file. Returns how many there are.
    pub(crate) fn finish(self) -> io::Result<u64> {
        let files = self.tables.len() as u64;
        self.tables.into_values().try_for_each(Table::finish)?;
        Ok(files)
    }
}

// Thrift's compact protocol, in which the format writes what it says of itself.

const NUMBER: u8 = 5;
const LONG: u8 = 6;
const TEXT: u8 = 8;
const LIST: u8 = 9;
const STRUCT: u8 = 12;

fn varint(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

fn zigzag(number: i64) -> Vec<u8> {
    let mut out = Vec::new();
    varint((number << 1 ^ number >> 63) as u64, &mut out);
    out
}

fn string(text: &str) -> Vec<u8> {
    let mut out = Vec::new();
    varint(text.len() as u64, &mut out);
    out.extend(text.as_bytes());
    out
}

/// A struct while its fields are written, in the order of their numbers.
#[derive(Default)]
struct Struct {
    bytes: Vec<u8>,
    last: u8,
}

impl Struct {
    fn field(&mut self, number: u8, of: u8, value: &[u8]) -> &mut Self {
        self.bytes.push((number - self.last) << 4 | of);
        self.bytes.extend(value);
        self.last = number;
        self
    }

    fn number(&mut self, number: u8, value: i64) -> &mut Self {
        self.field(number, NUMBER, &zigzag(value))
    }

    fn long(&mut self, number: u8, value: i64) -> &mut Self {
        self.field(number, LONG, &zigzag(value))
    }

    fn text(&mut self, number: u8, value: &str) -> &mut Self {
        self.field(number, TEXT, &string(value))
    }

    fn nested(&mut self, number: u8, value: Struct) -> &mut Self {
        self.field(number, STRUCT, &value.end())
    }

    fn list(&mut self, number: u8, of: u8, items: &[Vec<u8>]) -> &mut Self {
        let mut all = Vec::new();
        if items.len() < 15 {
            all.push((items.len() as u8) << 4 | of);
        } else {
            all.push(0xF0 | of);
            varint(items.len() as u64, &mut all);
        }
        items.iter().for_each(|item| all.extend(item));
        self.field(number, LIST, &all)
    }

    fn end(mut self) -> Vec<u8> {
        self.bytes.push(0);
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_holds_pages_that_unpack_to_its_values_between_its_marks() {
        const SCHEMA: &[(&str, Type)] = &[("text", Type::Text), ("n", Type::Number), ("flag", Type::Flag)];
        let folder = tempfile::tempdir().unwrap();
        let mut files = Files::new(folder.path());
        for n in 0..20 {
            let text = if n % 10 == 9 { Value::None } else { Value::Text("悬空") };
            files
                .push("t/month=2026-01/a.parquet", SCHEMA, &[text, Value::Number(n), Value::Flag(n % 2 == 0)])
                .unwrap();
        }
        assert_eq!(files.finish().unwrap(), 1);
        let bytes = std::fs::read(folder.path().join("t/month=2026-01/a.parquet")).unwrap();
        assert!(bytes.starts_with(MAGIC) && bytes.ends_with(MAGIC));
        let end = bytes.len() - 8;
        let footer = u32::from_le_bytes(bytes[end..end + 4].try_into().unwrap()) as usize;
        assert!(bytes[end - footer..end].windows(4).any(|w| w == b"flag"), "the footer names the columns");

        let pages: Vec<_> =
            (0..end - footer).filter(|at| bytes[*at..].starts_with(&[0x28, 0xB5, 0x2F, 0xFD])).collect();
        let unpack = |at: usize| {
            let mut page = vec![0; 1 << 16];
            let packed = zstd::zstd_safe::find_frame_compressed_size(&bytes[at..]).unwrap();
            let n = zstd::bulk::decompress_to_buffer(&bytes[at..at + packed], &mut page).unwrap();
            page[..n].to_vec()
        };
        assert_eq!(pages.len(), 3, "a page a column");
        let (levels, row) =
            ([8, 0, 0, 0, 18, 1, 2, 0, 18, 1, 2, 0], [&6_u32.to_le_bytes()[..], "悬空".as_bytes()].concat());
        assert_eq!(unpack(pages[0]), [levels.to_vec(), row.repeat(18)].concat(), "nine with, one without, and again");
        assert_eq!(unpack(pages[1])[6..22], [0_i64.to_le_bytes(), 1_i64.to_le_bytes()].concat());
        assert_eq!(unpack(pages[2])[6..], [0x55, 0x55, 0x05], "the first flag is the lowest bit");
        let mut again = Files::new(folder.path());
        assert!(again.push("t/month=2026-01/a.parquet", SCHEMA, &[]).is_err(), "nothing is written over");
    }
}
