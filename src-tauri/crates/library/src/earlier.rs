//! What a source takes back. Tools shorten their files (a rewind that cuts, a migration, an edited prompt), and an
//! import finds a conversation without words that the library has.
//!
//! The library then keeps its own state whole, with its account and its original, behind the conversation that
//! takes its place; pin and labels go to that one. Only what somebody said counts: drafts, plans and states of the
//! tool change all the time, a text that goes on is the same text, and one that is told elsewhere now is not lost.
//! Deliberately absent: growth, which loses
//! nothing; and differences between two parsers, of which the published rules make none.

use crate::incoming::{Bytes, Incoming, Known};
use crate::key::in_conversation;
use assay_model::{Kind, Ledger, Locator, Message, Reason, Timestamp, identity};
use rusqlite::{Connection, params};
use std::collections::{HashMap, HashSet};

/// What a conversation says, to look earlier words up in.
struct Said<'a> {
    /// Every text, sorted.
    texts: Vec<&'a str>,
    /// The texts by the message's id.
    by_id: HashMap<&'a str, &'a str>,
    /// Places of which the text is kept with another message, or in another conversation.
    copies: HashSet<Place<'a>>,
}

/// A place in a store, but for the file: its bytes or its row, and where in that.
type Place<'a> = (Option<[i64; 2]>, Option<(&'a str, Option<&'a str>)>, Option<&'a str>);

fn place(locator: &Locator) -> Place<'_> {
    match locator {
        Locator::Bytes { byte_start, byte_end, pointer, .. } => {
            (Some([*byte_start as i64, *byte_end as i64]), None, pointer.as_deref())
        }
        Locator::Row { table, key, pointer, .. } => (None, Some((table, key.as_deref())), pointer.as_deref()),
    }
}

impl<'a> Said<'a> {
    fn of(messages: &'a [Message], ledger: &'a Ledger) -> Self {
        let thinking = messages.iter().filter_map(|m| m.thinking.as_deref());
        let mut texts: Vec<&str> = messages.iter().map(|m| &*m.content).chain(thinking).collect();
        texts.sort_unstable();
        let is_copy = |reason| matches!(reason, Some(Reason::Duplicate | Reason::CopiedPrefix));
        Self {
            texts,
            by_id: messages.iter().map(|m| (&*m.id, &*m.content)).collect(),
            copies: ledger.entries.iter().filter(|e| is_copy(e.reason)).map(|e| place(&e.locator)).collect(),
        }
    }

    /// Whether a text is still said: as it is, or as the beginning of a longer one.
    fn has(&self, id: &str, text: &str) -> bool {
        let text = text.trim_end();
        let goes_on = |longer: &&str| longer.starts_with(text);
        self.by_id.get(id).is_some_and(goes_on)
            || self.texts.get(self.texts.partition_point(|t| *t < text)).is_some_and(goes_on)
    }
}

/// Whether the library's state of a conversation says something that this one no longer does.
pub(crate) fn says_more(db: &Connection, known: &Known, incoming: &Incoming<'_>) -> rusqlite::Result<bool> {
    if matches!(incoming.original, Bytes::OfTheLibrary) {
        return Ok(false); // the same bytes
    }
    // What was made out of half a record is worded otherwise once the record is whole.
    let finished = incoming.candidate.file_size > known.file_size;
    if known.pending && finished {
        return Ok(false);
    }
    // Another parser, or other rules, may word differently what they recover.
    let same_reading = known.parser_version == incoming.parser_version && known.retention == incoming.retention;
    let said = Said::of(&incoming.conversation.messages, incoming.ledger);
    let mut statement = db.prepare_cached(
        "SELECT id, content, thinking, byte_start, byte_end, row_table, row_key, pointer FROM message WHERE message BETWEEN ?1 AND ?2 AND kind IN (?3, ?4)
             AND (?5 OR reason IS NULL) AND NOT (?6 AND reason IS ?7)",
    )?;
    let [first, last] = in_conversation(known.key, 0);
    let values = params![
        first,
        last,
        Kind::Text.code(),
        Kind::Reasoning.code(),
        same_reading,
        finished,
        Reason::DamagedSnapshot.code()
    ];
    let mut rows = statement.query(values)?;
    while let Some(row) = rows.next()? {
        let (id, content) = (row.get_ref(0)?.as_str()?, row.get_ref(1)?.as_str()?);
        let thinking = row.get_ref(2)?.as_str_or_null()?.unwrap_or_default();
        if said.has(id, content) && said.has("", thinking) {
            continue;
        }
        let bytes = row.get::<_, Option<i64>>(3)?.zip(row.get(4)?).map(|(start, end)| [start, end]);
        let row_key = row.get_ref(6)?.as_str_or_null()?;
        let in_row = row.get_ref(5)?.as_str_or_null()?.map(|table| (table, row_key));
        if !said.copies.contains(&(bytes, in_row, row.get_ref(7)?.as_str_or_null()?)) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Makes room for the state that takes its place: gives the one that the library has an id of its own, which says
/// when it was read, and marks it as gone from its source.
pub(crate) fn step_back(db: &Connection, known: &Known, incoming: &Incoming<'_>) -> rusqlite::Result<()> {
    let (source, id) = (&incoming.conversation.source, &incoming.conversation.id);
    let read_at = Timestamp::from_millis(known.read_at / 1_000_000).unwrap_or(Timestamp::EPOCH);
    let mut taken = db.prepare_cached("SELECT 1 FROM conversation WHERE (source, source_conversation_id) = (?, ?)")?;
    let mut own = format!("{id}@{read_at}");
    while taken.exists([source, &own])? {
        own.push('+');
    }
    db.prepare_cached(
        "UPDATE conversation SET source_conversation_id = ?, conversation_id = ?, gone_since = coalesce(gone_since, ?)
         WHERE conversation = ?",
    )?
    .execute(params![own, identity::namespace(source, &own), incoming.read_at / 1_000_000, known.key])?;
    Ok(())
}

/// Puts an earlier state, and those before it, behind the conversation that took its place, which inherits what a
/// person said of it.
pub(crate) fn follow(db: &Connection, earlier: i64, later: i64) -> rusqlite::Result<()> {
    for sql in [
        "UPDATE conversation SET earlier_of = ?2 WHERE conversation = ?1 OR earlier_of = ?1",
        "UPDATE standing SET conversation = ?2 WHERE conversation = ?1",
        "UPDATE label SET conversation = ?2 WHERE conversation = ?1",
    ] {
        db.prepare_cached(sql)?.execute([earlier, later])?;
    }
    Ok(())
}

/// The keys of a conversation's earlier states, latest first.
pub(crate) fn of(db: &Connection, conversation: i64) -> rusqlite::Result<Vec<i64>> {
    db.prepare_cached("SELECT conversation FROM conversation WHERE earlier_of = ? ORDER BY read_at DESC")?
        .query_map([conversation], |row| row.get(0))?
        .collect()
}
