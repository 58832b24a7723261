//! Originals: the bytes that conversations were read from, kept so that a later parser can read them again
//! when their tool has deleted them.
//!
//! A stream of bytes is cut where its content says so (a rolling hash over the last 64 bytes), so that what
//! was added, at the end or anywhere else, changes the pieces around it and no other; a piece is kept once,
//! by its SHA-256, whoever has it. Deliberately absent: what the bytes mean.

use crate::code::Json;
use crate::key::{in_conversation, part_of};
use assay_model::hash::{Hash, sha256};
use rusqlite::{Connection, OptionalExtension, Row, params};
use std::collections::HashSet;
use std::io::{self, Read};

/// The shortest and the longest piece in bytes; only the last of a stream is shorter.
const SHORTEST: usize = 64 << 10;
const LONGEST: usize = 1 << 20;

/// As many bits of the rolling hash have to be zero where a piece ends: one place in 128 KiB.
const MASK: u64 = ((1 << 17) - 1) << 40;

/// The fastest level. Texts as uniform as these gain a few per cent by higher ones, which take twice as long.
const LEVEL: i32 = 1;

/// A piece of a stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    hash: Hash,
    bytes: u32,
    /// Compressed; not there if the library has it already.
    body: Option<Vec<u8>>,
}

/// The bytes of one conversation, cut and compressed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Original {
    /// What the streams are, for whoever made them; the library does not ask.
    pub about: serde_json::Value,
    streams: Vec<Vec<Piece>>,
}

impl Original {
    /// One without bytes yet.
    pub fn new(about: serde_json::Value) -> Self {
        Self { about, streams: Vec::new() }
    }

    /// Adds a stream. Pieces that are among `kept` are not compressed again.
    pub fn add(&mut self, mut stream: impl Read, kept: &HashSet<Hash>) -> io::Result<()> {
        let (mut pieces, mut buffer, mut filled, mut over) = (Vec::new(), vec![0; LONGEST], 0, false);
        loop {
            while filled < buffer.len() && !over {
                match stream.read(&mut buffer[filled..])? {
                    0 => over = true,
                    n => filled += n,
                }
            }
            if filled == 0 {
                break;
            }
            let end = cut(&buffer[..filled]);
            let hash = sha256(&buffer[..end]);
            let body = (!kept.contains(&hash)).then(|| zstd::bulk::compress(&buffer[..end], LEVEL)).transpose()?;
            pieces.push(Piece { hash, bytes: end as u32, body });
            buffer.copy_within(end..filled, 0);
            filled -= end;
        }
        self.streams.push(pieces);
        Ok(())
    }

    /// Bytes of all streams.
    pub fn bytes(&self) -> u64 {
        self.streams.iter().flatten().map(|p| u64::from(p.bytes)).sum()
    }

    /// Bytes that it takes until it is stored.
    pub fn held(&self) -> u64 {
        self.streams.iter().flatten().map(|p| p.body.as_ref().map_or(0, Vec::len) as u64 + 64).sum()
    }
}

/// What stands for each byte in the rolling hash: numbers without a pattern, always the same.
const GEAR: [u64; 256] = {
    let (mut table, mut state, mut n) = ([0; 256], 0x9E37_79B9_7F4A_7C15_u64, 0);
    while n < 256 {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        table[n] = z ^ (z >> 31);
        n += 1;
    }
    table
};

/// Where the first piece of `bytes` ends.
fn cut(bytes: &[u8]) -> usize {
    let mut rolling = 0_u64;
    // Each byte is shifted out after 64: what is before cannot matter.
    for (at, byte) in bytes.iter().enumerate().skip(SHORTEST.saturating_sub(64)) {
        rolling = (rolling << 1).wrapping_add(GEAR[usize::from(*byte)]);
        if rolling & MASK == 0 && at + 1 >= SHORTEST {
            return at + 1;
        }
    }
    bytes.len()
}

/// How much originals there are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Originals {
    /// Conversations that have one.
    pub conversations: u64,
    /// Bytes of all of them.
    pub bytes: u64,
    /// Bytes that they take in the library.
    pub stored: u64,
    /// Pieces that no conversation has any more.
    pub loose: u64,
}

/// Makes a conversation's original this one. Returns the pieces that it no longer has.
pub(crate) fn write(db: &Connection, conversation: i64, original: &Original) -> rusqlite::Result<Vec<i64>> {
    let before = pieces_of(db, conversation)?;
    db.prepare_cached(
        "INSERT INTO original (conversation, bytes, about) VALUES (?1, ?2, ?3) ON CONFLICT (conversation)
         DO UPDATE SET bytes = ?2, about = ?3 WHERE (bytes, about) IS NOT (?2, ?3)",
    )?
    .execute(params![conversation, original.bytes() as i64, original.about.to_string()])?;
    let mut find = db.prepare_cached("SELECT piece FROM piece WHERE hash = ?")?;
    let mut put = db.prepare_cached("INSERT INTO piece (hash, bytes, body) VALUES (?, ?, ?)")?;
    let mut place = db.prepare_cached(
        "INSERT INTO original_piece (part, conversation, stream, piece) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT (part) DO UPDATE SET stream = ?3, piece = ?4 WHERE (stream, piece) IS NOT (?3, ?4)",
    )?;
    let (mut number, mut now) = (0, HashSet::new());
    for (stream, pieces) in original.streams.iter().enumerate() {
        for piece in pieces {
            let known = find.query_row([piece.hash], |row| row.get(0)).optional()?;
            let key: i64 = match (known, &piece.body) {
                (Some(key), _) => key,
                (None, Some(body)) => put.insert(params![piece.hash, piece.bytes, body])?,
                (None, None) => return Err(rusqlite::Error::QueryReturnedNoRows),
            };
            place.execute(params![part_of(conversation, number), conversation, stream as i64, key])?;
            now.insert(key);
            number += 1;
        }
    }
    db.prepare_cached("DELETE FROM original_piece WHERE part BETWEEN ? AND ?")?
        .execute(in_conversation(conversation, number))?;
    Ok(before.into_iter().filter(|piece| !now.contains(piece)).collect())
}

/// Takes a conversation's original away. Returns its pieces.
pub(crate) fn forget(db: &Connection, conversation: i64) -> rusqlite::Result<Vec<i64>> {
    let pieces = pieces_of(db, conversation)?;
    db.prepare_cached("DELETE FROM original_piece WHERE part BETWEEN ? AND ?")?
        .execute(in_conversation(conversation, 0))?;
    db.prepare_cached("DELETE FROM original WHERE conversation = ?")?.execute([conversation])?;
    Ok(pieces)
}

fn pieces_of(db: &Connection, conversation: i64) -> rusqlite::Result<Vec<i64>> {
    db.prepare_cached("SELECT DISTINCT piece FROM original_piece WHERE part BETWEEN ? AND ?")?
        .query_map(in_conversation(conversation, 0), |row| row.get(0))?
        .collect()
}

/// Removes those of `pieces` that no conversation has any more.
pub(crate) fn sweep(db: &Connection, pieces: &[i64]) -> rusqlite::Result<()> {
    let mut delete = db.prepare_cached(
        "DELETE FROM piece WHERE piece = ?1 AND NOT EXISTS (SELECT 1 FROM original_piece WHERE piece = ?1)",
    )?;
    pieces.iter().try_for_each(|piece| delete.execute([piece]).map(|_| ()))
}

/// Pieces that no conversation has: what is left by an import that was killed.
pub(crate) fn loose(db: &Connection) -> rusqlite::Result<Vec<i64>> {
    db.prepare_cached("SELECT piece FROM piece WHERE piece NOT IN (SELECT piece FROM original_piece)")?
        .query_map([], |row| row.get(0))?
        .collect()
}

/// The hashes of all pieces.
pub(crate) fn kept(db: &Connection) -> rusqlite::Result<HashSet<Hash>> {
    db.prepare_cached("SELECT hash FROM piece")?.query_map([], |row| row.get(0))?.collect()
}

pub(crate) fn sizes(db: &Connection) -> rusqlite::Result<Originals> {
    let number = |row: &Row<'_>, column| row.get::<_, i64>(column).map(|n| n as u64);
    let (conversations, bytes) = db
        .prepare_cached("SELECT count(*), coalesce(sum(bytes), 0) FROM original")?
        .query_row([], |row| Ok((number(row, 0)?, number(row, 1)?)))?;
    let stored =
        db.prepare_cached("SELECT coalesce(sum(length(body)), 0) FROM piece")?.query_row([], |row| number(row, 0))?;
    Ok(Originals { conversations, bytes, stored, loose: loose(db)?.len() as u64 })
}

/// What a conversation's streams are, and their bytes; `None` if it has no original.
pub(crate) fn about(db: &Connection, conversation: i64) -> rusqlite::Result<Option<(serde_json::Value, u64)>> {
    db.prepare_cached("SELECT about, bytes FROM original WHERE conversation = ?")?
        .query_row([conversation], |row| Ok((row.get::<_, Json<_>>(0)?.0, row.get::<_, i64>(1)? as u64)))
        .optional()
}

/// One stream of a conversation's original, read piece by piece.
pub struct Stream<'a> {
    db: &'a Connection,
    pieces: std::vec::IntoIter<i64>,
    current: io::Cursor<Vec<u8>>,
}

pub(crate) fn stream(db: &Connection, conversation: i64, stream: u32) -> rusqlite::Result<Stream<'_>> {
    let [first, last] = in_conversation(conversation, 0);
    let pieces: Vec<i64> = db
        .prepare_cached("SELECT piece FROM original_piece WHERE part BETWEEN ? AND ? AND stream = ? ORDER BY part")?
        .query_map(params![first, last, stream], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    Ok(Stream { db, pieces: pieces.into_iter(), current: io::Cursor::default() })
}

/// A piece's bytes; an error if they are not those that were put there.
pub(crate) fn piece(db: &Connection, key: i64) -> io::Result<Vec<u8>> {
    let (hash, bytes, body): (Hash, u32, Vec<u8>) = db
        .prepare_cached("SELECT hash, bytes, body FROM piece WHERE piece = ?")
        .and_then(|mut s| s.query_row([key], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))))
        .map_err(io::Error::other)?;
    let bytes = zstd::bulk::decompress(&body, bytes as usize)?;
    if sha256(&bytes) != hash {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "a piece of an original is damaged"));
    }
    Ok(bytes)
}

impl Read for Stream<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        loop {
            let n = self.current.read(into)?;
            if n > 0 || into.is_empty() {
                return Ok(n);
            }
            match self.pieces.next() {
                Some(next) => self.current = io::Cursor::new(piece(self.db, next)?),
                None => return Ok(0),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noise(bytes: usize, mut seed: u64) -> Vec<u8> {
        let mut next = || {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            seed as u8
        };
        (0..bytes).map(|_| next()).collect()
    }

    fn hashes(bytes: &[u8]) -> Vec<Hash> {
        let mut original = Original::default();
        original.add(bytes, &HashSet::new()).unwrap();
        assert_eq!(original.bytes(), bytes.len() as u64);
        original.streams[0].iter().map(|p| p.hash).collect()
    }

    #[test]
    fn a_change_touches_the_pieces_around_it_and_no_other() {
        let old = noise(3 << 20, 7);
        let before = hashes(&old);
        assert!((8..40).contains(&before.len()), "{} pieces", before.len());
        let grown = hashes(&[old.clone(), noise(1000, 9)].concat());
        assert_eq!(grown[..before.len() - 1], before[..before.len() - 1], "growth costs the last piece");
        assert!(grown.len() <= before.len() + 1);
        let mut changed = old.clone();
        changed.splice(1_000_000..1_000_000, noise(50, 11));
        let after: HashSet<Hash> = hashes(&changed).into_iter().collect();
        assert!(before.iter().filter(|h| !after.contains(*h)).count() <= 2, "an insertion costs its own piece");
        assert_eq!(hashes(b""), Vec::<Hash>::new());
        assert!(hashes(&vec![0; 3 << 20]).len() <= 4, "bytes without any place to cut are cut all the same");
    }
}
