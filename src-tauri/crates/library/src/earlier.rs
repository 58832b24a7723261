//! What a source takes back. Tools shorten their files (a rewind that cuts, a migration, an edited prompt, a clean-up
//! of outputs), and an import finds a conversation without something that the library has.
//!
//! The library then keeps its own state whole, with its account and its original, behind the conversation that
//! takes its place; pin and labels go to that one. Every message of the earlier state needs one of its own in the
//! later: the same text, or one that goes on. What nobody said (calls, results, events, drafts) may also be worded
//! anew, as long as its record is where it was or it did not shrink; and what is told elsewhere now is not lost.
//! Deliberately absent: growth, which loses nothing; and differences between two parsers, of which the published
//! rules make none.

use crate::code::Code;
use crate::incoming::{Bytes, Incoming, Known};
use crate::key::in_conversation;
use assay_model::{Branch, Kind, Locator, Reason, Timestamp, identity};
use rusqlite::{Connection, Row, params};
use std::collections::{HashMap, HashSet};

/// A text of a message: of its content, or of its thinking.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Part<'a> {
    id: &'a str,
    thinking: bool,
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

/// What the later state says. A text that stood for an earlier one is taken, and stands for no other.
struct Later<'a> {
    /// Every text that is not empty, sorted.
    texts: Vec<(&'a str, Part<'a>)>,
    taken: Vec<bool>,
    /// Where among the texts a part is.
    parts: HashMap<Part<'a>, usize>,
    /// Places of which the text is kept with another message, or in another conversation.
    copies: HashSet<Place<'a>>,
    /// Bytes that are a record.
    records: HashSet<[i64; 2]>,
}

impl<'a> Later<'a> {
    fn of(incoming: &Incoming<'a>) -> Self {
        let entries = &incoming.ledger.entries;
        let messages = incoming.conversation.messages.iter();
        let mut texts: Vec<_> = messages
            .flat_map(|m| {
                let content = (&*m.content, Part { id: &m.id, thinking: false });
                let thinking = m.thinking.as_deref().map(|text| (text, Part { id: &m.id, thinking: true }));
                [Some(content), thinking]
            })
            .flatten()
            .filter(|(text, _)| !text.is_empty())
            .collect();
        texts.sort_unstable_by_key(|(text, _)| *text);
        let is_copy = |reason| matches!(reason, Some(Reason::Duplicate | Reason::CopiedPrefix));
        Self {
            taken: vec![false; texts.len()],
            parts: texts.iter().enumerate().map(|(n, (_, part))| (*part, n)).collect(),
            texts,
            copies: entries.iter().filter(|e| is_copy(e.reason)).map(|e| place(&e.locator)).collect(),
            records: entries
                .iter()
                .map(|e| place(&e.locator))
                .filter_map(|at| at.0.filter(|_| at.2.is_none()))
                .collect(),
        }
    }

    /// Takes the text of the same part, if it is `right`.
    fn take_part(&mut self, part: Part<'_>, right: impl Fn(&str) -> bool) -> bool {
        let found = self.parts.get(&part).copied().filter(|n| !self.taken[*n] && right(self.texts[*n].0));
        found.inspect(|n| self.taken[*n] = true).is_some()
    }

    /// Takes a text that is `right` among those that begin like this one.
    fn take_text(&mut self, text: &str, right: impl Fn(&str) -> bool) -> bool {
        let from = self.texts.partition_point(|(t, _)| *t < text);
        let mut like_it = (from..self.texts.len()).take_while(|n| self.texts[*n].0.starts_with(text));
        let found = like_it.find(|n| !self.taken[*n] && right(self.texts[*n].0));
        found.inspect(|n| self.taken[*n] = true).is_some()
    }
}

/// A text of the earlier state that does not stand as it is in the same part of the later one.
struct Missing {
    text: String,
    id: String,
    thinking: bool,
    kind: Kind,
    bytes: Option<[i64; 2]>,
    row: Option<(String, Option<String>)>,
    pointer: Option<String>,
}

impl Missing {
    fn place(&self) -> Place<'_> {
        (self.bytes, self.row.as_ref().map(|(table, key)| (&**table, key.as_deref())), self.pointer.as_deref())
    }

    fn part(&self) -> Part<'_> {
        Part { id: &self.id, thinking: self.thinking }
    }

    /// Whether the later state has it worded otherwise.
    fn is_worded_in(&self, later: &mut Later<'_>) -> bool {
        let said = matches!(self.kind, Kind::Text | Kind::Reasoning);
        let updated = |now: &str| self.kind == Kind::Draft || now.len() >= self.text.len();
        later.take_part(self.part(), |now| now.starts_with(&self.text))
            || later.take_text(&self.text, |_| true)
            || later.copies.contains(&self.place())
            || !said
                && (self.bytes.is_some_and(|bytes| later.records.contains(&bytes))
                    || later.take_part(self.part(), updated))
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
    // Words of ours, raw records that more of the store explains, and files that nothing leads to yet.
    let passing = [Reason::BodyMissing, Reason::UnknownKind].map(Reason::code);
    let half = if finished { Reason::DamagedSnapshot } else { Reason::BodyMissing }.code();
    let mut statement = db.prepare_cached(
        "SELECT id, content, thinking, kind, byte_start, byte_end, row_table, row_key, pointer FROM message
         WHERE message BETWEEN ? AND ? AND (? OR reason IS NULL)
             AND coalesce(reason, '') NOT IN (?, ?, ?) AND branch IS NOT ?",
    )?;
    let [first, last] = in_conversation(known.key, 0);
    let values = params![first, last, same_reading, half, passing[0], passing[1], Branch::Unplaced.code()];
    let mut rows = statement.query(values)?;
    let (mut later, mut missing) = (Later::of(incoming), Vec::new());
    // First what stayed as and where it was, then what only moved, so that nothing else stands for it.
    while let Some(row) = rows.next()? {
        let id = row.get_ref(0)?.as_str()?;
        let texts = [Some(row.get_ref(1)?.as_str()?), row.get_ref(2)?.as_str_or_null()?];
        for (text, thinking) in texts.into_iter().zip([false, true]) {
            let text = text.unwrap_or_default().trim_end();
            if !text.is_empty() && !later.take_part(Part { id, thinking }, |now| now.trim_end() == text) {
                missing.push(read(row, text, thinking)?);
            }
        }
    }
    missing.retain(|m| !later.take_text(&m.text, |now| now.trim_end() == m.text));
    // The longest first, so that none takes what only goes on from a shorter one.
    missing.sort_by_key(|m| std::cmp::Reverse(m.text.len()));
    Ok(missing.iter().any(|m| !m.is_worded_in(&mut later)))
}

fn read(row: &Row<'_>, text: &str, thinking: bool) -> rusqlite::Result<Missing> {
    Ok(Missing {
        text: text.to_owned(),
        id: row.get(0)?,
        thinking,
        kind: row.get::<_, Code<Kind>>(3)?.0,
        bytes: row.get::<_, Option<i64>>(4)?.zip(row.get(5)?).map(|(start, end)| [start, end]),
        row: row
            .get::<_, Option<String>>(6)?
            .map(|table| Ok::<_, rusqlite::Error>((table, row.get(7)?)))
            .transpose()?,
        pointer: row.get(8)?,
    })
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
