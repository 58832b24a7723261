//! Messages as rows. Deliberately absent: their order by the published rules is only stored here, not made.

use crate::code::{Code, rule};
use crate::key::{in_conversation, part_of};
use assay_model::{
    Branch, Kind, Ledger, Locator, Message, MessageType, ParsedConversation, Provenance, Reason, Timestamp, When,
};
use rusqlite::types::Type;
use rusqlite::{Connection, Row, ToSql, params};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

/// The files that a conversation's messages and entries stand in, each once. Rows name them by number.
#[derive(Debug)]
pub(crate) struct Files {
    paths: Vec<Arc<str>>,
    by_path: HashMap<Arc<str>, u32>,
}

impl Files {
    /// The files in the order in which the account names them.
    pub(crate) fn of(conversation: &ParsedConversation, ledger: &Ledger) -> Self {
        let mut files = Self { paths: Vec::new(), by_path: HashMap::new() };
        ledger.extents.iter().for_each(|e| files.add(&e.file));
        ledger.entries.iter().for_each(|e| files.add_of(&e.locator));
        conversation.messages.iter().for_each(|m| files.add_of(&m.locator));
        files
    }

    fn add_of(&mut self, locator: &Locator) {
        match locator {
            Locator::Bytes { file, .. } | Locator::Row { file, .. } => self.add(file),
        }
    }

    fn add(&mut self, file: &Arc<str>) {
        // Nearly always the one that was named last.
        if self.paths.last() != Some(file) && !self.by_path.contains_key(file) {
            self.by_path.insert(file.clone(), self.paths.len() as u32);
            self.paths.push(file.clone());
        }
    }

    /// The number of a file. All files of the account have one.
    pub(crate) fn index(&self, file: &str) -> u32 {
        self.by_path.get(file).copied().unwrap_or(u32::MAX)
    }

    pub(crate) fn paths(&self) -> &[Arc<str>] {
        &self.paths
    }
}

/// What is stored of a message besides its texts: the columns and their values, always in this order.
macro_rules! about {
    () => {
        "id, parent_uuid, type, role, kind, has_tool_use, has_code, timestamp, timestamp_origin, timestamp_rule, \
         reason, tool_name, tool_call_id, branch, superseded_by, out_of_order, reference_index, file, byte_start, \
         byte_end, line, row_table, row_key, pointer"
    };
}

/// Placeholders for those columns, from `?1`.
macro_rules! values {
    () => {
        "?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24"
    };
}

const INSERT: &str = concat!(
    "INSERT INTO message (",
    about!(),
    ", message, conversation, seq, content, thinking) VALUES (",
    values!(),
    ", ?25, ?26, ?27, ?28, ?29)"
);

const UPDATE: &str = concat!(
    "UPDATE message SET (",
    about!(),
    ") = (",
    values!(),
    ") WHERE message = ?25 AND (",
    about!(),
    ") IS NOT (",
    values!(),
    ")"
);

const SELECT: &str = concat!(
    "SELECT ",
    about!(),
    ", seq, content, thinking FROM message WHERE message BETWEEN ? AND ? ORDER BY message"
);

/// Makes the stored timeline equal to this one, of which the first `head` messages are stored already
/// with the same texts. Rows that are equal already are not written.
pub(crate) fn write(
    db: &Connection,
    conversation: i64,
    timeline: &ParsedConversation,
    files: &Files,
    head: u32,
) -> rusqlite::Result<()> {
    db.prepare_cached("DELETE FROM message WHERE message BETWEEN ? AND ?")?
        .execute(in_conversation(conversation, head))?;
    let mut place = vec![None; timeline.messages.len()];
    for (n, position) in timeline.reference_order.iter().enumerate() {
        if let Some(place) = place.get_mut(*position as usize) {
            *place = Some(n as u32);
        }
    }
    let (mut insert, mut update) = (db.prepare_cached(INSERT)?, db.prepare_cached(UPDATE)?);
    for (seq, message) in timeline.messages.iter().enumerate() {
        let (m, seq) = (message, seq as u32);
        let key = part_of(conversation, seq);
        let (span, row, pointer) = match &m.locator {
            Locator::Bytes { byte_start, byte_end, line, pointer, .. } => {
                (Some((*byte_start as i64, *byte_end as i64, *line as i64)), None, pointer)
            }
            Locator::Row { table, key, pointer, .. } => (None, Some((table, key)), pointer),
        };
        let (file, at) = (files.index(m.locator.file()), m.when.at().map(Timestamp::millis));
        let (start, end, line) = (span.map(|s| s.0), span.map(|s| s.1), span.map(|s| s.2));
        let (table, row_key) = (row.map(|r| &**r.0), row.and_then(|r| r.1.as_deref()));
        let (reason, branch) = (m.reason().map(Reason::code), m.branch.map(Branch::code));
        let (from, kind, pointer) = (m.message_type.code(), m.kind.code(), pointer.as_deref());
        let (origin, rule) = (m.when.origin(), m.when.rule());
        let about: [&dyn ToSql; 24] = [
            &m.id,
            &m.parent_uuid,
            &from,
            &m.role,
            &kind,
            &m.has_tool_use,
            &m.has_code,
            &at,
            &origin,
            &rule,
            &reason,
            &m.tool_name,
            &m.tool_call_id,
            &branch,
            &m.superseded_by,
            &m.out_of_order,
            &place[seq as usize],
            &file,
            &start,
            &end,
            &line,
            &table,
            &row_key,
            &pointer,
        ];
        let statement = if seq < head { &mut update } else { &mut insert };
        for (n, value) in about.iter().enumerate() {
            statement.raw_bind_parameter(n + 1, value)?;
        }
        statement.raw_bind_parameter(25, key)?;
        if seq >= head {
            statement.raw_bind_parameter(26, conversation)?;
            statement.raw_bind_parameter(27, seq)?;
            statement.raw_bind_parameter(28, &m.content)?;
            statement.raw_bind_parameter(29, &m.thinking)?;
        }
        statement.raw_execute()?;
    }
    Ok(())
}

/// Messages `range` of a conversation.
pub(crate) fn read(
    db: &Connection,
    conversation: i64,
    files: &[Arc<str>],
    range: Range<u32>,
) -> rusqlite::Result<Vec<Message>> {
    if range.is_empty() {
        return Ok(Vec::new());
    }
    db.prepare_cached(SELECT)?
        .query_map(params![part_of(conversation, range.start), part_of(conversation, range.end - 1)], |row| {
            message(row, files)
        })?
        .collect()
}

/// The positions of the reference messages in the order of the published rules.
pub(crate) fn reference_order(db: &Connection, conversation: i64) -> rusqlite::Result<Vec<u32>> {
    db.prepare_cached(
        "SELECT seq FROM message WHERE message BETWEEN ? AND ? AND reference_index IS NOT NULL ORDER BY reference_index",
    )?
    .query_map(in_conversation(conversation, 0), |row| row.get(0))?
    .collect()
}

fn message(row: &Row<'_>, files: &[Arc<str>]) -> rusqlite::Result<Message> {
    let at = row
        .get::<_, Option<i64>>(7)?
        .map(|millis| Timestamp::from_millis(millis).ok_or(rusqlite::Error::IntegralValueOutOfRange(7, millis)));
    let (at, made_by) = (at.transpose()?, row.get::<_, Option<String>>(9)?);
    let made_by = made_by.as_deref().map_or("unknown", rule);
    let when = match (row.get_ref(8)?.as_str()?, at) {
        ("recorded", Some(at)) => When::Recorded(at),
        ("derived", Some(at)) => When::Derived { at, rule: made_by },
        ("synthetic", at) => When::Synthetic { at, rule: made_by },
        (other, _) => return Err(unreadable(8, format!("a time that is {other}"))),
    };
    let file: u32 = row.get(17)?;
    let file =
        files.get(file as usize).cloned().ok_or_else(|| unreadable(17, "a message in a file that is not listed"))?;
    let pointer = row.get::<_, Option<Arc<str>>>(23)?;
    let locator = match row.get::<_, Option<Arc<str>>>(21)? {
        Some(table) => Locator::Row { file, table, key: row.get(22)?, pointer },
        None => {
            let number = |n| row.get::<_, i64>(n).map(|v| v as u64);
            Locator::Bytes { file, byte_start: number(18)?, byte_end: number(19)?, line: number(20)?, pointer }
        }
    };
    Ok(Message {
        id: row.get(0)?,
        parent_uuid: row.get(1)?,
        message_type: row.get::<_, Code<MessageType>>(2)?.0,
        role: row.get(3)?,
        kind: row.get::<_, Code<Kind>>(4)?.0,
        has_tool_use: row.get(5)?,
        has_code: row.get(6)?,
        when,
        provenance: match row.get::<_, Option<Code<Reason>>>(10)? {
            None => Provenance::Reference,
            Some(reason) => Provenance::Recovered(reason.0),
        },
        tool_name: row.get(11)?,
        tool_call_id: row.get(12)?,
        branch: row.get::<_, Option<Code<Branch>>>(13)?.map(|b| b.0),
        superseded_by: row.get(14)?,
        out_of_order: row.get(15)?,
        locator,
        position: row.get(24)?,
        content: row.get(25)?,
        thinking: row.get(26)?,
    })
}

fn unreadable(column: usize, detail: impl Into<String>) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(column, Type::Text, detail.into().into())
}
