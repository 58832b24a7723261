//! What a person says of a conversation: pinned, labelled, deleted. Rows of their own, which no import
//! writes, so that all of it outlives every import.
//!
//! Deleting hides: the conversation and its account stay until they are purged, and either way an import
//! leaves it out until it is restored. Of what is purged only its id stays. Deliberately absent: what any of it looks like.

use crate::key::in_conversation;
use crate::search::index;
use assay_model::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row, params};
use std::collections::{BTreeSet, HashSet};

/// The longest label in characters.
const LABEL: usize = 60;

/// A label as it is kept: on one line, single spaces; `None` for one that says nothing or too much.
pub fn label(text: &str) -> Option<String> {
    let text = text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|w| !w.is_empty());
    let text = text.collect::<Vec<_>>().join(" ");
    (!text.is_empty() && text.chars().count() <= LABEL).then_some(text)
}

/// A label and how many conversations bear it; deleted ones are not counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Labelled {
    /// The label.
    pub label: String,
    /// How many.
    pub conversations: u32,
}

/// A conversation of which nothing is kept any more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Purged {
    /// The source.
    pub source: String,
    /// The source's own id.
    pub id: String,
    /// When it was purged.
    pub at: Timestamp,
}

pub(crate) fn pin(db: &Connection, conversation: i64, at: Option<Timestamp>) -> rusqlite::Result<()> {
    // An older pin stays the older one: pinning twice is pinning once.
    db.prepare_cached(
        "INSERT INTO standing (conversation, pinned_at) VALUES (?1, ?2) ON CONFLICT (conversation)
         DO UPDATE SET pinned_at = iif(?2 IS NULL, NULL, coalesce(pinned_at, ?2))",
    )?
    .execute(params![conversation, at.map(Timestamp::millis)])?;
    tidy(db, conversation)
}

/// Hides a conversation, or shows it again.
pub(crate) fn delete(db: &Connection, conversation: i64, at: Option<Timestamp>) -> rusqlite::Result<()> {
    db.prepare_cached(
        "INSERT INTO standing (conversation, deleted_at) VALUES (?1, ?2) ON CONFLICT (conversation)
         DO UPDATE SET deleted_at = iif(?2 IS NULL, NULL, coalesce(deleted_at, ?2))",
    )?
    .execute(params![conversation, at.map(Timestamp::millis)])?;
    tidy(db, conversation)
}

/// A conversation of which nothing is said has no row.
fn tidy(db: &Connection, conversation: i64) -> rusqlite::Result<()> {
    db.prepare_cached("DELETE FROM standing WHERE conversation = ? AND pinned_at IS NULL AND deleted_at IS NULL")?
        .execute([conversation])
        .map(|_| ())
}

/// Gives and takes labels.
pub(crate) fn relabel(
    db: &Connection,
    of: i64,
    add: &BTreeSet<String>,
    remove: &BTreeSet<String>,
) -> rusqlite::Result<()> {
    let mut take = db.prepare_cached("DELETE FROM label WHERE conversation = ? AND folded(label) = folded(?)")?;
    for label in remove {
        take.execute(params![of, label])?;
    }
    let mut give = db.prepare_cached(
        "INSERT INTO label (conversation, label) SELECT ?1, ?2 WHERE folded(?2) NOT IN
             (SELECT folded(label) FROM label WHERE conversation = ?1)",
    )?;
    for label in add {
        give.execute(params![of, label])?;
    }
    Ok(())
}

/// Makes a conversation's labels exactly these.
pub(crate) fn set_labels(db: &Connection, of: i64, labels: &BTreeSet<String>) -> rusqlite::Result<()> {
    db.prepare_cached("DELETE FROM label WHERE conversation = ?")?.execute([of])?;
    relabel(db, of, labels, &BTreeSet::new())
}

/// Every label, by name. An earlier state does not count: it is listed behind its conversation.
pub(crate) fn labels(db: &Connection) -> rusqlite::Result<Vec<Labelled>> {
    let read = |row: &Row<'_>| Ok(Labelled { label: row.get(0)?, conversations: row.get(1)? });
    db.prepare_cached(
        "SELECT min(label), count(*) FILTER (WHERE earlier_of IS NULL)
         FROM label JOIN conversation USING (conversation) LEFT JOIN standing USING (conversation)
         WHERE deleted_at IS NULL GROUP BY folded(label) ORDER BY folded(label)",
    )?
    .query_map([], read)?
    .collect()
}

/// Takes a conversation out of the library for good, and leaves the stone that keeps it out.
pub(crate) fn purge(db: &Connection, conversation: i64, at: Timestamp) -> rusqlite::Result<()> {
    db.prepare_cached(
        "INSERT INTO tombstone SELECT source, source_conversation_id, '', ?2 FROM conversation
         WHERE conversation = ?1 ON CONFLICT DO UPDATE SET purged_at = excluded.purged_at",
    )?
    .execute(params![conversation, at.millis()])?;
    remove(db, conversation)
}

/// Takes a conversation out of the library. The next import that finds it brings it back.
pub(crate) fn remove(db: &Connection, conversation: i64) -> rusqlite::Result<()> {
    // What runs did with it stays, without what it was called.
    db.prepare_cached(
        "UPDATE import_outcome SET title = '' FROM conversation AS c LEFT JOIN conversation AS later
             ON later.conversation = c.earlier_of
         WHERE c.conversation = ? AND import_outcome.source = c.source
             AND (import_outcome.source_conversation_id = c.source_conversation_id
                  OR import_outcome.source_conversation_id = later.source_conversation_id AND import_outcome.title = c.title)",
    )?
    .execute([conversation])?;
    index::forget(db, conversation)?;
    for (table, key) in [("message", "message"), ("ledger_entry", "chunk"), ("notice", "notice")] {
        db.prepare_cached(&format!("DELETE FROM {table} WHERE {key} BETWEEN ? AND ?"))?
            .execute(in_conversation(conversation, 0))?;
    }
    for table in ["conversation_reason", "label", "standing", "conversation"] {
        db.prepare_cached(&format!("DELETE FROM {table} WHERE conversation = ?"))?.execute([conversation])?;
    }
    Ok(())
}

/// Lets a purged conversation in again, with the next import that finds it. Whether there was a stone.
pub(crate) fn let_in(db: &Connection, source: &str, id: &str) -> rusqlite::Result<bool> {
    db.prepare_cached("DELETE FROM tombstone WHERE (source, source_conversation_id) = (?, ?)")?
        .execute([source, id])
        .map(|n| n > 0)
}

/// The source's own ids of the conversations that imports leave out.
pub(crate) fn left_out(db: &Connection, source: &str) -> rusqlite::Result<HashSet<String>> {
    db.prepare_cached(
        "SELECT source_conversation_id FROM standing JOIN conversation USING (conversation)
         WHERE source = ?1 AND deleted_at IS NOT NULL
         UNION ALL SELECT source_conversation_id FROM tombstone WHERE source = ?1",
    )?
    .query_map([source], |row| row.get(0))?
    .collect()
}

/// Whether imports leave a conversation out.
pub(crate) fn is_left_out(db: &Connection, source: &str, id: &str) -> rusqlite::Result<bool> {
    db.prepare_cached(
        "SELECT 1 FROM standing JOIN conversation USING (conversation)
         WHERE (source, source_conversation_id) = (?1, ?2) AND deleted_at IS NOT NULL
         UNION ALL SELECT 1 FROM tombstone WHERE (source, source_conversation_id) = (?1, ?2)",
    )?
    .query_row([source, id], |_| Ok(()))
    .optional()
    .map(|found| found.is_some())
}

/// Forgets what purged conversations were called, where an earlier version of this program kept it.
pub(crate) fn forget_titles(db: &Connection) -> rusqlite::Result<()> {
    db.execute_batch(
        "UPDATE import_outcome SET title = '' WHERE title <> '' AND (source, source_conversation_id) IN
             (SELECT source, source_conversation_id FROM tombstone);
         UPDATE tombstone SET title = '' WHERE title <> ''",
    )
}

/// Every conversation that was purged, latest first.
pub(crate) fn purged(db: &Connection) -> rusqlite::Result<Vec<Purged>> {
    let read = |row: &Row<'_>| {
        let millis: i64 = row.get(2)?;
        let at = Timestamp::from_millis(millis).ok_or(rusqlite::Error::IntegralValueOutOfRange(2, millis))?;
        Ok(Purged { source: row.get(0)?, id: row.get(1)?, at })
    };
    db.prepare_cached(
        "SELECT source, source_conversation_id, purged_at FROM tombstone ORDER BY purged_at DESC, source, source_conversation_id",
    )?
    .query_map([], read)?
    .collect()
}
