//! A conversation's bytes, as they were when they were collected.

use crate::readers::records::{Span, read_records, split_records};
use crate::{ReadError, Roots, roots};
use assay_model::{Candidate, Notice, NoticeCode};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read, Seek, Write};
use std::path::Path;
use std::sync::Arc;

/// Up to this size a file is read at once; a larger one is streamed from its open handle.
const IN_MEMORY: u64 = 16 << 20;

/// The most that a compressed file may unpack to, in bytes.
const MAX_UNPACKED: u64 = 64 << 30;

const ZSTD_MAGIC: [u8; 4] = [0x28, 0xB5, 0x2F, 0xFD];

#[derive(Debug)]
enum Body {
    Memory(Vec<u8>),
    Disk(File),
    Zstd(File),
}

/// One file of the evidence.
#[derive(Debug)]
pub struct EvidenceFile {
    /// Its path, as locators name it.
    pub file: Arc<str>,
    /// Its length in bytes when it was opened (compressed length for a compressed file).
    pub bytes: u64,
    /// Whether it changed so recently that its last record may be unfinished.
    pub growing: bool,
    body: Body,
}

impl EvidenceFile {
    /// Opens `path` for reading. What is appended later is not seen.
    pub fn open(roots: &Roots, path: &Path) -> Result<Self, ReadError> {
        let fail = |e: &io::Error| ReadError::io(path, e);
        let mut file = roots::open_plain(path).map_err(|e| fail(&e))?;
        let meta = file.metadata().map_err(|e| fail(&e))?;
        let growing = roots.is_recent(roots::mtime(&meta));
        let bytes = meta.len();
        let mut magic = [0; 4];
        let packed = bytes >= 4 && {
            file.read_exact(&mut magic).map_err(|e| fail(&e))?;
            file.rewind().map_err(|e| fail(&e))?;
            magic == ZSTD_MAGIC
        };
        let body = if packed {
            // One of which nothing can be unpacked cannot be read; what is cut off later is found by reading.
            if let Err(e) = unpacked(&file).and_then(|mut text| text.read(&mut [0])) {
                return Err(ReadError::Damaged { path: path.to_owned(), cause: e.to_string() });
            }
            Body::Zstd(file)
        } else if bytes <= IN_MEMORY {
            let mut buffer = Vec::with_capacity(bytes as usize);
            file.take(bytes).read_to_end(&mut buffer).map_err(|e| fail(&e))?;
            Body::Memory(buffer)
        } else {
            Body::Disk(file)
        };
        let bytes = if let Body::Memory(buffer) = &body { buffer.len() as u64 } else { bytes };
        Ok(Self { file: roots::display(path), bytes, growing, body })
    }

    /// A file as it was, from the bytes that [`EvidenceFile::stored`] gave. A large one goes to a nameless
    /// file in `scratch`.
    pub(crate) fn restored(file: Arc<str>, growing: bool, mut from: impl Read, scratch: &Path) -> io::Result<Self> {
        let mut head = Vec::new();
        from.by_ref().take(IN_MEMORY + 1).read_to_end(&mut head)?;
        let packed = head.starts_with(&ZSTD_MAGIC);
        if !packed && head.len() as u64 <= IN_MEMORY {
            return Ok(Self { file, bytes: head.len() as u64, growing, body: Body::Memory(head) });
        }
        let mut disk = tempfile::tempfile_in(scratch)?;
        disk.write_all(&head)?;
        let bytes = head.len() as u64 + io::copy(&mut from, &mut disk)?;
        let body = if packed { Body::Zstd(disk) } else { Body::Disk(disk) };
        Ok(Self { file, bytes, growing, body })
    }

    /// Its bytes as they are stored, packed if it is packed.
    pub(crate) fn stored(&self) -> io::Result<Box<dyn Read + '_>> {
        Ok(match &self.body {
            Body::Memory(bytes) => Box::new(bytes.as_slice()),
            Body::Disk(file) | Body::Zstd(file) => {
                let mut file: &File = file;
                file.rewind()?;
                Box::new(file.take(self.bytes))
            }
        })
    }

    /// A file that exists only in memory, for tests.
    pub fn memory(file: &str, bytes: impl Into<Vec<u8>>) -> Self {
        let bytes = bytes.into();
        Self { file: file.into(), bytes: bytes.len() as u64, growing: false, body: Body::Memory(bytes) }
    }

    /// Its text from the start, unpacked. One reader at a time: large files share their handle.
    pub fn reader(&self) -> io::Result<Box<dyn BufRead + '_>> {
        let from_start = |mut file: &File| file.rewind();
        Ok(match &self.body {
            Body::Memory(bytes) => Box::new(Cursor::new(bytes.as_slice())),
            Body::Disk(file) => {
                from_start(file)?;
                Box::new(BufReader::with_capacity(1 << 20, file.take(self.bytes)))
            }
            Body::Zstd(file) => {
                from_start(file)?;
                let unpacked = unpacked(file.take(self.bytes))?;
                Box::new(BufReader::with_capacity(1 << 20, unpacked.take(MAX_UNPACKED)))
            }
        })
    }

    /// Hands every record of a line-oriented text to `visit`, see [`read_records`].
    pub fn records(&self, visit: impl FnMut(Span<'_>)) -> io::Result<u64> {
        match &self.body {
            Body::Memory(bytes) => Ok(split_records(bytes, visit)),
            Body::Disk(_) | Body::Zstd(_) => read_records(self.reader()?, visit),
        }
    }

    /// A hash of its text.
    fn hash(&self) -> io::Result<assay_model::hash::Hash> {
        let mut reader = self.reader()?;
        let mut digest = assay_model::hash::Stream::default();
        loop {
            let chunk = reader.fill_buf()?;
            if chunk.is_empty() {
                return Ok(digest.finish());
            }
            digest.update(chunk);
            let length = chunk.len();
            reader.consume(length);
        }
    }

    /// The whole text at once. Only for stores that are one JSON value.
    pub fn read_all(&self) -> io::Result<std::borrow::Cow<'_, [u8]>> {
        if let Body::Memory(bytes) = &self.body {
            return Ok(bytes.into());
        }
        let mut all = Vec::new();
        self.reader()?.read_to_end(&mut all)?;
        Ok(all.into())
    }
}

/// What a compressed text unpacks to.
fn unpacked<'a>(packed: impl Read + 'a) -> io::Result<impl Read + 'a> {
    zstd::stream::Decoder::new(packed)
}

/// One row of a database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// The database's path, as locators name it.
    pub file: Arc<str>,
    /// The table.
    pub table: Arc<str>,
    /// The key; `None` where it is `NULL`.
    pub key: Option<Arc<str>>,
    /// The value, TEXT and BLOB alike; `None` where it is `NULL`.
    pub value: Option<Vec<u8>>,
}

impl Row {
    /// Where it stands.
    pub fn locator(&self) -> assay_model::Locator {
        assay_model::Locator::Row {
            file: self.file.clone(),
            table: self.table.clone(),
            key: self.key.clone(),
            pointer: None,
        }
    }

    /// The value's bytes; none where it is `NULL`.
    pub fn bytes(&self) -> &[u8] {
        self.value.as_deref().unwrap_or(&[])
    }
}

/// Everything that a parse reads.
#[derive(Debug, Default)]
pub struct Evidence {
    /// Files that the conversation owns: their records must tile them. The main file comes first.
    pub files: Vec<EvidenceFile>,
    /// Files that are only consulted (an index, a body set aside); the conversation does not own them.
    pub consulted: Vec<EvidenceFile>,
    /// Rows that the conversation owns: each must get an entry.
    pub rows: Vec<Row>,
    /// Rows that are only consulted.
    pub consulted_rows: Vec<Row>,
    /// What is to be said about how it was read.
    pub notices: Vec<Notice>,
}

impl Evidence {
    /// The one file of a conversation that is a file.
    pub fn of_file(roots: &Roots, candidate: &Candidate) -> Result<Self, ReadError> {
        Ok(Self { files: vec![EvidenceFile::open(roots, &candidate.file_path)?], ..Self::default() })
    }

    /// Adds a remark.
    pub fn notice(&mut self, code: NoticeCode, detail: impl Into<String>) {
        self.notices.push(Notice { code, detail: detail.into(), locator: None });
    }

    /// A hash of everything that a parse reads, for `verify`: what is only consulted may be shown, too. Equal exactly
    /// when nothing changed.
    pub fn raw_hash(&self) -> io::Result<assay_model::hash::Hash> {
        let mut parts = Vec::new();
        for (files, rows) in [(&self.files, &self.rows), (&self.consulted, &self.consulted_rows)] {
            parts.extend_from_slice(&(files.len() as u64).to_le_bytes());
            for file in files {
                parts.extend_from_slice(&file.hash()?);
            }
            for row in rows {
                parts.extend_from_slice(&assay_model::hash::sha256(row.key.as_deref().unwrap_or("").as_bytes()));
                parts.extend_from_slice(&assay_model::hash::sha256(row.bytes()));
            }
        }
        Ok(assay_model::hash::sha256(&parts))
    }
}
