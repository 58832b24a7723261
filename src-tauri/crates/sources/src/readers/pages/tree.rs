//! Pages, the tree that they make, and the rows on its leaves, as far as all of it stands. Deliberately absent: what
//! becomes of a row.

use super::{MAX_ROW, READINGS, Salvage};
use rusqlite::types::Value;
use std::collections::HashSet;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

/// Bytes of the file's header, which the first page begins with.
const HEADER: usize = 100;

pub(super) const LEAF: u8 = 0x0D;
pub(super) const INTERIOR: u8 = 0x05;

/// A row as a leaf holds it.
pub(super) struct Cell {
    pub(super) number: i64,
    pub(super) values: Vec<Value>,
    /// Whether its end could not be read.
    pub(super) cut: bool,
}

pub(super) struct Pages {
    file: File,
    size: usize,
    /// Bytes of a page that hold content.
    usable: usize,
    pub(super) count: u32,
    /// Pages of a tree, and free ones; by number.
    pub(super) seen: Vec<bool>,
    /// How many more pages may be read to put rows together.
    pub(super) left: u64,
}

impl Pages {
    pub(super) fn open(mut file: File) -> io::Result<Self> {
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
        Ok(Self { file, size, usable, count, seen: vec![false; count as usize + 1], left: READINGS * u64::from(count) })
    }

    /// A page that is there, or what is left of the last one; the first one without the file's header.
    pub(super) fn page(&mut self, number: u32) -> Option<Vec<u8>> {
        if number == 0 || number > self.count {
            return None;
        }
        let mut bytes = Vec::with_capacity(self.size);
        self.file.seek(SeekFrom::Start((u64::from(number) - 1) * self.size as u64)).ok()?;
        (&self.file).take(self.size as u64).read_to_end(&mut bytes).ok()?;
        Some(if number == 1 { bytes.split_off(HEADER) } else { bytes })
    }

    /// The leaves of the tree at `root`, in order. A node that is not one is counted, and the tree is `torn`.
    pub(super) fn leaves(&mut self, root: u32, report: &mut Salvage, torn: &mut bool) -> Vec<u32> {
        let (mut leaves, mut open) = (Vec::new(), vec![root]);
        while let Some(number) = open.pop() {
            let page = self.page(number).filter(|_| !self.seen[number as usize]);
            match page.as_deref().and_then(|page| Some((page, *page.first()?))) {
                Some((_, LEAF)) => leaves.push(number),
                Some((page, INTERIOR)) => {
                    let cells = pointers(page, 12, before(number));
                    let mut children: Vec<u32> = cells.iter().filter_map(|at| be32(page, *at)).collect();
                    children.extend(be32(page, 8));
                    let missing = (most_cells(page) + 1).saturating_sub(children.len());
                    report.pages += missing as u64;
                    *torn |= missing > 0;
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

    /// How many rows a leaf says it has.
    pub(super) fn count_rows(&mut self, leaf: u32) -> u64 {
        self.page(leaf).map_or(0, |page| most_cells(&page) as u64)
    }

    /// Hands out the rows of a leaf, one at a time, for each may be long. Cells that are none are counted.
    pub(super) fn rows(&mut self, leaf: u32, report: &mut Salvage, mut visit: impl FnMut(&Cell, &mut Salvage)) {
        let Some(page) = self.page(leaf) else { return };
        let cells = pointers(&page, 8, before(leaf));
        let mut read = 0;
        for at in cells {
            if let Some(cell) = self.row(&page, at) {
                visit(&cell, report);
                read += 1;
            }
        }
        let most = most_cells(&page);
        report.lost += most.saturating_sub(read) as u64;
        // A leaf that says it has rows and has none is one that could not be read; so is one that was cut off.
        let cut_off = page.len() + before(leaf) < self.size;
        report.pages += u64::from(cut_off || read == 0 && most > 0);
    }

    fn row(&mut self, page: &[u8], at: usize) -> Option<Cell> {
        let mut rest = page.get(at..)?;
        let length = usize::try_from(varint(&mut rest)?).ok().filter(|length| *length <= MAX_ROW)?;
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
        // A chain that comes back to itself, or to the page of a tree, is broken there.
        let mut chain = HashSet::new();
        while payload.len() < length && !torn {
            let more = next.filter(|number| self.left > 0 && chain.insert(*number) && self.is_loose(*number));
            let Some(more) = more.and_then(|number| self.page(number)) else { break };
            self.left -= 1;
            let take = (length - payload.len()).min(self.usable - 4);
            let content = more.get(4..).unwrap_or_default();
            payload.extend_from_slice(&content[..take.min(content.len())]);
            if content.len() < take {
                break;
            }
            next = be32(&more, 0).filter(|number| *number > 0);
        }
        let cut = payload.len() < length;
        Some(Cell { number, values: values(&payload)?, cut })
    }

    /// Whether a page is of no tree and not free, as far as is known.
    fn is_loose(&self, number: u32) -> bool {
        self.seen.get(number as usize).is_some_and(|seen| !seen)
    }

    /// Marks the pages of the free list.
    pub(super) fn skip_free(&mut self) {
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
pub(super) fn pointers(page: &[u8], header: usize, missing: usize) -> Vec<usize> {
    let count = usize::from(be16(page, 3));
    let all = (0..count).map_while(|at| page.get(header + 2 * at..header + 2 * at + 2));
    all.filter_map(|pair| usize::from(u16::from_be_bytes([pair[0], pair[1]])).checked_sub(missing))
        .filter(|at| *at >= header && *at < page.len())
        .collect()
}

/// How many cells a page says it has, as far as that many fit: each takes four bytes and its pointer two.
pub(super) fn most_cells(page: &[u8]) -> usize {
    usize::from(be16(page, 3)).min(page.len() / 6)
}

pub(super) fn be16(bytes: &[u8], at: usize) -> u16 {
    bytes.get(at..at + 2).map_or(0, |b| u16::from_be_bytes([b[0], b[1]]))
}

pub(super) fn be32(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..at + 4).map(|b| u32::from_be_bytes([b[0], b[1], b[2], b[3]]))
}

/// A number of one to nine bytes, the high ones first.
pub(super) fn varint(bytes: &mut &[u8]) -> Option<u64> {
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
