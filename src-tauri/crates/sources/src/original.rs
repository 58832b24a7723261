//! Evidence as streams of bytes that can be kept, and back: what is restored gives the same account as what
//! was collected. Deliberately absent: where the streams are kept.

use crate::evidence::{Evidence, EvidenceFile, Row};
use assay_model::Notice;
use serde::{Deserialize, Serialize};
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::Path;
use std::sync::Arc;

/// What the streams of some evidence are: first one for each file, owned before consulted, then one of all
/// owned rows and one of all consulted rows.
#[derive(Debug, Serialize, Deserialize)]
struct About {
    files: Vec<AboutFile>,
    consulted: Vec<AboutFile>,
    notices: Vec<Notice>,
    /// The databases that rows stand in.
    databases: Vec<Arc<str>>,
}

#[derive(Debug, Serialize, Deserialize)]
struct AboutFile {
    file: Arc<str>,
    growing: bool,
}

/// What stands before a row's value: database, table, key, length of the value if there is one.
#[derive(Debug, Serialize, Deserialize)]
struct Head(usize, Arc<str>, Option<Arc<str>>, Option<u64>);

impl Evidence {
    /// What its streams are, as JSON.
    pub fn about(&self) -> serde_json::Value {
        let about = |f: &EvidenceFile| AboutFile { file: f.file.clone(), growing: f.growing };
        let about = About {
            files: self.files.iter().map(about).collect(),
            consulted: self.consulted.iter().map(about).collect(),
            notices: self.notices.clone(),
            databases: self.databases(),
        };
        serde_json::to_value(about).unwrap_or_default()
    }

    /// Hands its streams to `take`, one after the other.
    pub fn streams(&self, take: &mut dyn FnMut(&mut dyn Read) -> io::Result<()>) -> io::Result<()> {
        for file in self.files.iter().chain(&self.consulted) {
            take(&mut *file.stored()?)?;
        }
        let databases = self.databases();
        for rows in [&self.rows, &self.consulted_rows] {
            take(&mut Rows { databases: &databases, rows: rows.iter(), head: Cursor::default(), value: &[] })?;
        }
        Ok(())
    }

    /// Evidence from what [`Evidence::about`] said and the streams that `open` gives. Large files go to
    /// nameless files in `scratch`.
    pub fn restore<'a>(
        about: serde_json::Value,
        scratch: &Path,
        mut open: impl FnMut(u32) -> io::Result<Box<dyn Read + 'a>>,
    ) -> io::Result<Self> {
        let about: About = serde_json::from_value(about)?;
        let mut streams = 0..;
        let mut next = || open(streams.next().unwrap_or(u32::MAX));
        let mut file = |f: AboutFile| EvidenceFile::restored(f.file, f.growing, next()?, scratch);
        let files = about.files.into_iter().map(&mut file).collect::<io::Result<_>>()?;
        let consulted = about.consulted.into_iter().map(&mut file).collect::<io::Result<_>>()?;
        let mut rows = || read_rows(&about.databases, next()?);
        Ok(Self { files, consulted, rows: rows()?, consulted_rows: rows()?, notices: about.notices })
    }

    fn databases(&self) -> Vec<Arc<str>> {
        let mut all: Vec<Arc<str>> = Vec::new();
        for row in self.rows.iter().chain(&self.consulted_rows) {
            if all.last() != Some(&row.file) && !all.contains(&row.file) {
                all.push(row.file.clone());
            }
        }
        all
    }
}

/// Rows as one stream: of each a line of JSON, and its value.
struct Rows<'a> {
    databases: &'a [Arc<str>],
    rows: std::slice::Iter<'a, Row>,
    head: Cursor<Vec<u8>>,
    value: &'a [u8],
}

impl Read for Rows<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        loop {
            let n = match self.head.read(into)? {
                0 => self.value.read(into)?,
                n => n,
            };
            if n > 0 || into.is_empty() {
                return Ok(n);
            }
            let Some(row) = self.rows.next() else { return Ok(0) };
            let database = self.databases.iter().position(|d| *d == row.file).unwrap_or_default();
            let length = row.value.as_ref().map(|v| v.len() as u64);
            let mut head = serde_json::to_vec(&Head(database, row.table.clone(), row.key.clone(), length))?;
            head.push(b'\n');
            (self.head, self.value) = (Cursor::new(head), row.bytes());
        }
    }
}

fn read_rows(databases: &[Arc<str>], stream: Box<dyn Read + '_>) -> io::Result<Vec<Row>> {
    let mut stream = BufReader::with_capacity(1 << 20, stream);
    let (mut rows, mut line): (Vec<Row>, Vec<u8>) = (Vec::new(), Vec::new());
    while stream.read_until(b'\n', &mut line)? > 0 {
        let Head(database, table, key, length) = serde_json::from_slice(&line)?;
        line.clear();
        let value = length.map(|length| {
            let mut value = Vec::new();
            let read = stream.by_ref().take(length).read_to_end(&mut value)?;
            if read as u64 == length { Ok(value) } else { Err(io::Error::from(io::ErrorKind::UnexpectedEof)) }
        });
        let file = databases.get(database).cloned().ok_or(io::ErrorKind::InvalidData)?;
        // Rows of one table share its name, as they did when they were collected.
        let table = rows.last().map(|r| r.table.clone()).filter(|t| *t == table).unwrap_or(table);
        rows.push(Row { file, table, key, value: value.transpose()? });
    }
    Ok(rows)
}
