//! The account as it is stored: entries in compressed chunks, remarks in rows, numbers by reason.
//! Deliberately absent: what any of it means.

use crate::code::{Code, Json, json};
use crate::key::{in_conversation, part_of};
use crate::message::Files;
use assay_model::{Disposition, FileExtent, Ledger, LedgerEntry, Locator, Notice, NoticeCode, Reason, Summary};
use rusqlite::{Connection, Row, params};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

/// Entries of one chunk. Large enough to compress well, small enough to open for one page of a view.
const ENTRIES: usize = 1000;

/// The fastest level; the gain of a higher one is small on text as uniform as this.
const LEVEL: i32 = 1;

/// A run of entries as it is stored.
#[derive(Debug)]
pub(crate) struct Chunk {
    entries: u32,
    body: Vec<u8>,
}

/// An entry with its file as a number, and no field names.
#[derive(Serialize, Deserialize)]
struct Line<'a>(
    u32,
    Place,
    #[serde(borrow)] Cow<'a, str>,
    Disposition,
    Option<Reason>,
    Option<u32>,
    u64,
    #[serde(borrow)] Option<Cow<'a, str>>,
);

#[derive(Serialize, Deserialize)]
enum Place {
    /// Start, end, line, pointer.
    #[serde(rename = "b")]
    Bytes(u64, u64, u64, Option<Arc<str>>),
    /// Table, key, pointer.
    #[serde(rename = "r")]
    Row(Arc<str>, Option<Arc<str>>, Option<Arc<str>>),
}

/// The entries as JSON, chunk by chunk.
pub(crate) fn uncompressed<'a>(ledger: &'a Ledger, files: &'a Files) -> impl Iterator<Item = String> + 'a {
    ledger.entries.chunks(ENTRIES).map(|entries| json(&entries.iter().map(|e| line(e, files)).collect::<Vec<_>>()))
}

fn line<'a>(e: &'a LedgerEntry, files: &Files) -> Line<'a> {
    let place = match &e.locator {
        Locator::Bytes { byte_start, byte_end, line, pointer, .. } => {
            Place::Bytes(*byte_start, *byte_end, *line, pointer.clone())
        }
        Locator::Row { table, key, pointer, .. } => Place::Row(table.clone(), key.clone(), pointer.clone()),
    };
    let (kind, excerpt) = (Cow::Borrowed(e.kind.as_ref()), e.excerpt.as_deref().map(Cow::Borrowed));
    Line(files.index(e.locator.file()), place, kind, e.disposition, e.reason, e.message_index, e.bytes, excerpt)
}

/// The entries as they are stored.
pub(crate) fn chunks(ledger: &Ledger, files: &Files) -> Vec<Chunk> {
    let lengths = ledger.entries.chunks(ENTRIES).map(|c| c.len() as u32);
    lengths.zip(uncompressed(ledger, files)).map(|(entries, text)| Chunk { entries, body: compress(&text) }).collect()
}

/// Writing to memory cannot fail; a chunk that zstd refused would be read back as damaged.
fn compress(text: &str) -> Vec<u8> {
    zstd::bulk::compress(text.as_bytes(), LEVEL).unwrap_or_default()
}

fn unfold(body: &[u8], files: &[Arc<str>], into: &mut Vec<LedgerEntry>) -> Result<(), String> {
    let text = zstd::stream::decode_all(body).map_err(|e| e.to_string())?;
    let lines: Vec<Line<'_>> = serde_json::from_slice(&text).map_err(|e| e.to_string())?;
    for Line(file, place, kind, disposition, reason, message_index, bytes, excerpt) in lines {
        let file = files.get(file as usize).ok_or("an entry in a file that is not listed")?.clone();
        let locator = match place {
            Place::Bytes(byte_start, byte_end, line, pointer) => {
                Locator::Bytes { file, byte_start, byte_end, line, pointer }
            }
            Place::Row(table, key, pointer) => Locator::Row { file, table, key, pointer },
        };
        let (kind, excerpt) = (Cow::Owned(kind.into_owned()), excerpt.map(Cow::into_owned));
        into.push(LedgerEntry { locator, kind, disposition, reason, message_index, bytes, excerpt });
    }
    Ok(())
}

/// Makes the stored account equal to this one; rows that are equal already are not written.
pub(crate) fn write(
    db: &Connection,
    conversation: i64,
    chunks: &[Chunk],
    notices: &[Notice],
    summary: &Summary,
) -> rusqlite::Result<()> {
    let mut put = db.prepare_cached(
        "INSERT INTO ledger_entry (chunk, conversation, entries, body) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT (chunk) DO UPDATE SET entries = ?3, body = ?4 WHERE (entries, body) IS NOT (?3, ?4)",
    )?;
    for (n, chunk) in chunks.iter().enumerate() {
        put.execute(params![part_of(conversation, n as u32), conversation, chunk.entries, chunk.body])?;
    }
    let rest = in_conversation(conversation, chunks.len() as u32);
    db.prepare_cached("DELETE FROM ledger_entry WHERE chunk BETWEEN ? AND ?")?.execute(rest)?;

    let mut put = db.prepare_cached(
        "INSERT INTO notice (notice, conversation, code, detail, locator) VALUES (?1, ?2, ?3, ?4, ?5)
         ON CONFLICT (notice) DO UPDATE SET code = ?3, detail = ?4, locator = ?5
         WHERE (code, detail, locator) IS NOT (?3, ?4, ?5)",
    )?;
    for (n, notice) in notices.iter().enumerate() {
        let locator = notice.locator.as_ref().map(json);
        let key = part_of(conversation, n as u32);
        put.execute(params![key, conversation, notice.code.code(), notice.detail, locator])?;
    }
    let rest = in_conversation(conversation, notices.len() as u32);
    db.prepare_cached("DELETE FROM notice WHERE notice BETWEEN ? AND ?")?.execute(rest)?;

    let reasons = &summary.by_reason;
    db.prepare_cached(
        "DELETE FROM conversation_reason WHERE conversation = ?1 AND reason NOT IN (SELECT key FROM json_each(?2))",
    )?
    .execute(params![conversation, json(reasons)])?;
    let mut put = db.prepare_cached(
        "INSERT INTO conversation_reason (conversation, reason, entries) VALUES (?1, ?2, ?3)
         ON CONFLICT DO UPDATE SET entries = ?3 WHERE entries IS NOT ?3",
    )?;
    for (reason, n) in reasons {
        put.execute(params![conversation, reason, *n as i64])?;
    }
    Ok(())
}

/// Entries `range` of a conversation.
pub(crate) fn entries(
    db: &Connection,
    conversation: i64,
    files: &[Arc<str>],
    range: Range<u32>,
) -> rusqlite::Result<Vec<LedgerEntry>> {
    let first = range.start / ENTRIES as u32;
    let last = range.end.saturating_sub(1) / ENTRIES as u32;
    let mut statement =
        db.prepare_cached("SELECT body FROM ledger_entry WHERE chunk BETWEEN ? AND ? ORDER BY chunk")?;
    let mut rows = statement.query([part_of(conversation, first), part_of(conversation, last)])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        unfold(row.get_ref(0)?.as_blob()?, files, &mut found)
            .map_err(|e| rusqlite::Error::FromSqlConversionFailure(0, rusqlite::types::Type::Blob, e.into()))?;
    }
    let skip = (range.start - first * ENTRIES as u32) as usize;
    found.drain(..skip.min(found.len()));
    found.truncate(range.len());
    Ok(found)
}

/// How many entries a conversation has.
pub(crate) fn count(db: &Connection, conversation: i64) -> rusqlite::Result<u32> {
    db.prepare_cached("SELECT coalesce(sum(entries), 0) FROM ledger_entry WHERE chunk BETWEEN ? AND ?")?
        .query_row(in_conversation(conversation, 0), |row| row.get(0))
}

/// The remarks of a conversation.
pub(crate) fn notices(db: &Connection, conversation: i64) -> rusqlite::Result<Vec<Notice>> {
    let read = |row: &Row<'_>| {
        Ok(Notice {
            code: row.get::<_, Code<NoticeCode>>(0)?.0,
            detail: row.get(1)?,
            locator: row.get::<_, Option<Json<Locator>>>(2)?.map(|l| l.0),
        })
    };
    db.prepare_cached("SELECT code, detail, locator FROM notice WHERE notice BETWEEN ? AND ? ORDER BY notice")?
        .query_map(in_conversation(conversation, 0), read)?
        .collect()
}

/// Extents as they are stored.
pub(crate) fn extents(extents: &[FileExtent]) -> String {
    json(&extents.iter().map(|e| (&e.file, e.bytes)).collect::<Vec<_>>())
}
