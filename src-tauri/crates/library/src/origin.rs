//! Two stores under one id: a file name that appears in another folder too names another conversation.
//!
//! Ids come from the sources, and where a source names a conversation after its file, the same name in a second
//! place takes the plain id, or hands it over. What the library has under an id is therefore never replaced by
//! what shares nothing with it and stands elsewhere: it is set aside, with its pin and its labels, and found
//! again by its place. Deliberately absent: any other change of an id.

use crate::incoming::{Incoming, Known};
use assay_model::{ParsedConversation, identity};
use rusqlite::{Connection, OptionalExtension, params};
use std::collections::HashSet;

/// How many messages are looked for in what the library has.
const LOOKED_AT: usize = 50;

/// Whether what the library has under this id is of another origin: read elsewhere, and without one message in
/// common with what comes in.
pub(crate) fn is_other(db: &Connection, known: &Known, incoming: &Incoming<'_>) -> rusqlite::Result<bool> {
    let same = known.messages == 0
        || known.content_hash == incoming.content_hash
        || known.is_head_of(incoming)
        || known.file_path == incoming.candidate.file_path.to_string_lossy();
    if same {
        return Ok(false);
    }
    shares_none(db, known.key, incoming.conversation)
}

fn shares_none(db: &Connection, key: i64, conversation: &ParsedConversation) -> rusqlite::Result<bool> {
    let mut same =
        db.prepare_cached("SELECT 1 FROM message WHERE conversation = ? AND id = ? AND content = ? LIMIT 1")?;
    for message in conversation.messages.iter().filter(|m| !m.content.is_empty()).take(LOOKED_AT) {
        if same.exists(params![key, message.id, message.content])? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The id of what was set aside: the one it had, and its place.
fn aside(id: &str, file_path: &str) -> String {
    format!("{id}@{file_path}")
}

/// Gives what the library has under `id` an id of its own, so that the plain one is free.
pub(crate) fn set_aside(db: &Connection, source: &str, id: &str, known: &Known, at: i64) -> rusqlite::Result<()> {
    rename(db, known.key, source, &aside(id, &known.file_path))?;
    db.prepare_cached("UPDATE conversation SET gone_since = coalesce(gone_since, ?) WHERE conversation = ?")?
        .execute(params![at, known.key])?;
    Ok(())
}

/// The places of everything that is set aside.
pub(crate) fn all_aside(db: &Connection) -> rusqlite::Result<HashSet<String>> {
    db.prepare(
        "SELECT file_path FROM conversation \
         WHERE substr(source_conversation_id, -length(file_path) - 1) = '@' || file_path",
    )?
    .query_map([], |row| row.get(0))?
    .collect()
}

/// If what was read at this place before is set aside, gives it the id that it has now.
pub(crate) fn find_again(db: &Connection, incoming: &Incoming<'_>) -> rusqlite::Result<()> {
    let (source, path) = (&incoming.conversation.source, incoming.candidate.file_path.to_string_lossy());
    let found: Option<i64> = db
        .prepare_cached(
            "SELECT conversation FROM conversation WHERE source = ?1 AND file_path = ?2 \
             AND substr(source_conversation_id, -length(?2) - 1) = '@' || ?2",
        )?
        .query_row(params![source, path], |row| row.get(0))
        .optional()?;
    match found {
        Some(key) if !shares_none(db, key, incoming.conversation)? => {
            rename(db, key, source, &incoming.conversation.id)
        }
        Some(_) | None => Ok(()),
    }
}

fn rename(db: &Connection, key: i64, source: &str, id: &str) -> rusqlite::Result<()> {
    let sql = "UPDATE conversation SET source_conversation_id = ?, conversation_id = ? WHERE conversation = ?";
    db.prepare_cached(sql)?.execute(params![id, identity::namespace(source, id), key])?;
    Ok(())
}
