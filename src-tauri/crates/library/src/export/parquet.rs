//! Parquet files: tables that DuckDB, Spark and everything else that reads columns can ask, many libraries at
//! once. Rows are held until they make a row group, and any number of files may be written side by side.
//! Deliberately absent: the format itself, which is the `parquet` crate's; nesting; reading.

use parquet::basic::{Compression, ConvertedType, Repetition, Type as Physical, ZstdLevel};
use parquet::column::writer::ColumnWriter;
use parquet::data_type::ByteArray;
use parquet::errors::Result as Written;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::{Type as Schema, TypePtr};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// How many bytes of values a table holds before it writes them as a row group.
const GROUP: usize = 16 << 20;

/// How many all tables hold together. Then the fullest one writes.
const HELD: usize = 64 << 20;

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

/// The columns of a table.
pub(crate) type Columns = &'static [(&'static str, Type)];

impl Type {
    fn schema(self, name: &str) -> Written<TypePtr> {
        let (physical, meaning) = match self {
            Type::Text => (Physical::BYTE_ARRAY, ConvertedType::UTF8),
            Type::Number => (Physical::INT64, ConvertedType::NONE),
            Type::Time => (Physical::INT64, ConvertedType::TIMESTAMP_MILLIS),
            Type::Flag => (Physical::BOOLEAN, ConvertedType::NONE),
        };
        let column = Schema::primitive_type_builder(name, physical).with_converted_type(meaning);
        column.with_repetition(Repetition::OPTIONAL).build().map(Arc::new)
    }
}

/// A column of the row group that is being filled.
#[derive(Debug, Default)]
struct Column {
    /// 1 for each row that has a value, else 0.
    present: Vec<i16>,
    texts: Vec<ByteArray>,
    numbers: Vec<i64>,
    flags: Vec<bool>,
}

impl Column {
    /// Adds a value; returns how many bytes it holds.
    fn push(&mut self, value: &Value<'_>) -> usize {
        self.present.push(i16::from(!matches!(value, Value::None)));
        match value {
            Value::Text(text) => self.texts.push(ByteArray::from(text.as_bytes().to_vec())),
            Value::Number(number) => self.numbers.push(*number),
            Value::Flag(flag) => self.flags.push(*flag),
            Value::None => {}
        }
        if let Value::Text(text) = value { text.len() + 64 } else { 10 }
    }

    fn write(&self, to: &mut ColumnWriter<'_>) -> Written<()> {
        let present = Some(&self.present[..]);
        match to {
            ColumnWriter::ByteArrayColumnWriter(to) => to.write_batch(&self.texts, present, None),
            ColumnWriter::Int64ColumnWriter(to) => to.write_batch(&self.numbers, present, None),
            ColumnWriter::BoolColumnWriter(to) => to.write_batch(&self.flags, present, None),
            _ => Ok(0), // no other type is in a schema of ours
        }
        .map(|_| ())
    }
}

/// A file that is open only while something is written to it, so that any number may be written side by side.
#[derive(Debug)]
struct Appended(PathBuf);

impl Write for Appended {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        File::options().append(true).open(&self.0)?.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// One file while it is written.
#[derive(Debug)]
struct Table {
    writer: SerializedFileWriter<Appended>,
    columns: Vec<Column>,
    held: usize,
}

impl Table {
    fn create(path: PathBuf, columns: Columns) -> io::Result<Self> {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        File::create_new(&path)?;
        let open = || {
            let fields = columns.iter().map(|(name, of)| of.schema(name)).collect::<Written<_>>()?;
            let schema = Schema::group_type_builder("schema").with_fields(fields).build()?;
            let compression = Compression::ZSTD(ZstdLevel::try_new(3)?);
            let properties = WriterProperties::builder().set_compression(compression).build();
            SerializedFileWriter::new(Appended(path), Arc::new(schema), Arc::new(properties))
        };
        let columns = columns.iter().map(|_| Column::default()).collect();
        Ok(Self { writer: open().map_err(io::Error::other)?, columns, held: 0 })
    }

    fn push(&mut self, row: &[Value<'_>]) {
        self.held += self.columns.iter_mut().zip(row).map(|(column, value)| column.push(value)).sum::<usize>();
    }

    /// Writes what it holds as a row group.
    fn flush(&mut self) -> Written<()> {
        if std::mem::take(&mut self.held) == 0 {
            return Ok(());
        }
        let mut group = self.writer.next_row_group()?;
        for column in &mut self.columns {
            if let Some(mut to) = group.next_column()? {
                std::mem::take(column).write(to.untyped())?;
                to.close()?;
            }
        }
        group.close()?;
        Ok(())
    }

    fn finish(mut self) -> Written<()> {
        self.flush()?;
        self.writer.close().map(|_| ())
    }
}

/// Files of several tables, partitioned by folders, written side by side.
#[derive(Debug)]
pub(crate) struct Files {
    folder: PathBuf,
    tables: BTreeMap<String, Table>,
    held: usize,
}

impl Files {
    /// Files below `folder`, which must not hold any of their names yet.
    pub(crate) fn new(folder: &Path) -> Self {
        Self { folder: folder.to_owned(), tables: BTreeMap::new(), held: 0 }
    }

    /// Adds a row to the file `place` (below the folder, with `/`).
    pub(crate) fn push(&mut self, place: &str, columns: Columns, row: &[Value<'_>]) -> io::Result<()> {
        if !self.tables.contains_key(place) {
            let table = Table::create(self.folder.join(place), columns)?;
            self.tables.insert(place.to_owned(), table);
        }
        let Some(table) = self.tables.get_mut(place) else { return Ok(()) };
        let before = table.held;
        table.push(row);
        self.held += table.held - before;
        let full = if table.held >= GROUP {
            Some(table)
        } else if self.held >= HELD {
            self.tables.values_mut().max_by_key(|table| table.held)
        } else {
            None
        };
        if let Some(table) = full {
            self.held -= table.held;
            table.flush().map_err(io::Error::other)?;
        }
        Ok(())
    }

    /// Completes every file. Returns how many there are.
    pub(crate) fn finish(self) -> io::Result<u64> {
        let files = self.tables.len() as u64;
        self.tables.into_values().try_for_each(Table::finish).map_err(io::Error::other)?;
        Ok(files)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parquet::file::reader::{FileReader, SerializedFileReader};

    const COLUMNS: Columns = &[("text", Type::Text), ("n", Type::Number), ("at", Type::Time), ("flag", Type::Flag)];

    fn read(path: &Path) -> Vec<String> {
        let reader = SerializedFileReader::new(File::open(path).unwrap()).unwrap();
        reader.get_row_iter(None).unwrap().map(|row| row.unwrap().to_string()).collect()
    }

    #[test]
    fn what_is_written_is_read_by_any_reader_value_by_value() {
        let folder = tempfile::tempdir().unwrap();
        let mut files = Files::new(folder.path());
        let place = "t/month=2026-01/a.parquet";
        for n in 0..3 {
            let text = if n == 1 { Value::None } else { Value::Text("悬空") };
            let row = [text, Value::Number(n), Value::Number(1_767_225_600_000), Value::Flag(n == 0)];
            files.push(place, COLUMNS, &row).unwrap();
        }
        files
            .push("t/month=2026-02/a.parquet", COLUMNS, &[Value::None, Value::None, Value::None, Value::None])
            .unwrap();
        assert_eq!(files.finish().unwrap(), 2);
        assert_eq!(
            read(&folder.path().join(place)),
            [
                "{text: \"悬空\", n: 0, at: 2026-01-01 00:00:00.000 +00:00, flag: true}",
                "{text: null, n: 1, at: 2026-01-01 00:00:00.000 +00:00, flag: false}",
                "{text: \"悬空\", n: 2, at: 2026-01-01 00:00:00.000 +00:00, flag: false}",
            ]
        );
        assert_eq!(read(&folder.path().join("t/month=2026-02/a.parquet")).len(), 1);
        let mut again = Files::new(folder.path());
        assert!(again.push(place, COLUMNS, &[]).is_err(), "nothing is written over");
    }

    #[test]
    fn very_many_rows_come_in_groups_and_all_tables_together_hold_little() {
        let folder = tempfile::tempdir().unwrap();
        let mut files = Files::new(folder.path());
        let text = "long ".repeat(200_000);
        for n in 0..150 {
            let place = format!("t/month={}/a.parquet", n % 10);
            files.push(&place, COLUMNS, &[Value::Text(&text), Value::Number(n), Value::None, Value::None]).unwrap();
            assert!(files.held < HELD && files.held == files.tables.values().map(|t| t.held).sum::<usize>());
        }
        files.finish().unwrap();
        let file = File::open(folder.path().join("t/month=3/a.parquet")).unwrap();
        let reader = SerializedFileReader::new(file).unwrap();
        assert!(reader.num_row_groups() > 1);
        assert_eq!(reader.metadata().file_metadata().num_rows(), 15);
    }
}
