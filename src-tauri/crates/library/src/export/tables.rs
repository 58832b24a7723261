//! Conversations, messages and accounts as tables of columns, partitioned by source and month. Deliberately
//! absent: the format of the files, see [`super::parquet`].

use super::Document;
use super::parquet::{Columns, Files, Type, Value};
use assay_model::{Locator, Reason, Timestamp, hash};
use std::io;
use std::path::Path;

const CONVERSATIONS: Columns = &[
    ("conversation_id", Type::Text),
    ("source", Type::Text),
    ("source_conversation_id", Type::Text),
    ("title", Type::Text),
    ("project", Type::Text),
    ("cwd", Type::Text),
    ("git_branch", Type::Text),
    ("first_message_at", Type::Time),
    ("last_message_at", Type::Time),
    ("messages", Type::Number),
    ("recovered", Type::Number),
    ("lost", Type::Number),
    ("verdict", Type::Text),
    ("retention", Type::Text),
    ("parser_version", Type::Text),
    ("content_hash", Type::Text),
    ("full_hash", Type::Text),
];

const MESSAGES: Columns = &[
    ("conversation_id", Type::Text),
    ("seq", Type::Number),
    ("id", Type::Text),
    ("parent_id", Type::Text),
    ("type", Type::Text),
    ("role", Type::Text),
    ("kind", Type::Text),
    ("content", Type::Text),
    ("thinking", Type::Text),
    ("has_tool_use", Type::Flag),
    ("has_code", Type::Flag),
    ("sent_at", Type::Time),
    ("time_origin", Type::Text),
    ("tool_name", Type::Text),
    ("tool_call_id", Type::Text),
    ("recovered_from", Type::Text),
    ("branch", Type::Text),
];

const LEDGER: Columns = &[
    ("conversation_id", Type::Text),
    ("file", Type::Text),
    ("byte_start", Type::Number),
    ("byte_end", Type::Number),
    ("row_table", Type::Text),
    ("row_key", Type::Text),
    ("pointer", Type::Text),
    ("kind", Type::Text),
    ("disposition", Type::Text),
    ("reason", Type::Text),
    ("message", Type::Number),
    ("bytes", Type::Number),
];

/// What the tables leave out, as codes.
pub const LEAVES_OUT: &[&str] =
    &["excerpts", "notices", "links", "originals", "timestamp-rules", "deleted-conversations", "earlier-states"];

/// Tables while they are written.
#[derive(Debug)]
pub struct Tables(Files);

fn text(value: Option<&str>) -> Value<'_> {
    value.map_or(Value::None, Value::Text)
}

fn number(value: Option<u64>) -> Value<'static> {
    value.map_or(Value::None, |n| Value::Number(n as i64))
}

fn time(at: Option<Timestamp>) -> Value<'static> {
    at.map_or(Value::None, |at| Value::Number(at.millis()))
}

impl Tables {
    /// Tables below `folder`: `conversations`, `messages` and `ledger`, each in folders `source=…/month=…`.
    pub fn new(folder: &Path) -> Self {
        Self(Files::new(folder))
    }

    /// Adds a conversation, all of it in the month in which it began.
    pub fn add(&mut self, document: &Document) -> io::Result<()> {
        let (listed, c) = (&document.stored.listed, &document.conversation);
        let began = listed.first_message_at.map(|at| at.to_string());
        let month = began.as_deref().and_then(|at| at.get(..7)).unwrap_or("unknown");
        let place = |table: &str| format!("{table}/source={}/month={month}/part-0.parquet", listed.source);
        let id = listed.conversation_id.as_str();
        let (content, full) = (hash::hex(&document.stored.content_hash), hash::hex(&document.stored.full_hash));
        self.0.push(
            &place("conversations"),
            CONVERSATIONS,
            &[
                Value::Text(id),
                Value::Text(&listed.source),
                Value::Text(&listed.id),
                Value::Text(&listed.title),
                Value::Text(&listed.project_name),
                text(c.cwd.as_deref()),
                text(c.git_branch.as_deref()),
                time(listed.first_message_at),
                time(listed.last_message_at),
                number(Some(listed.messages.into())),
                number(Some(listed.recovered.into())),
                number(Some(listed.lost.into())),
                Value::Text(listed.verdict.code()),
                Value::Text(listed.retention.code()),
                Value::Text(&listed.parser_version),
                Value::Text(&content),
                Value::Text(&full),
            ],
        )?;
        for m in &c.messages {
            self.0.push(
                &place("messages"),
                MESSAGES,
                &[
                    Value::Text(id),
                    number(Some(m.position.into())),
                    Value::Text(&m.id),
                    text(m.parent_uuid.as_deref()),
                    Value::Text(m.message_type.code()),
                    Value::Text(&m.role),
                    Value::Text(m.kind.code()),
                    Value::Text(&m.content),
                    text(m.thinking.as_deref()),
                    Value::Flag(m.has_tool_use),
                    Value::Flag(m.has_code),
                    time(m.when.at()),
                    Value::Text(m.when.origin()),
                    text(m.tool_name.as_deref()),
                    text(m.tool_call_id.as_deref()),
                    text(m.reason().map(Reason::code)),
                    text(m.branch.map(|b| b.code())),
                ],
            )?;
        }
        for e in &document.ledger.entries {
            let (span, row) = match &e.locator {
                Locator::Bytes { byte_start, byte_end, .. } => (Some((*byte_start, *byte_end)), None),
                Locator::Row { table, key, .. } => (None, Some((table, key))),
            };
            self.0.push(
                &place("ledger"),
                LEDGER,
                &[
                    Value::Text(id),
                    Value::Text(e.locator.file()),
                    number(span.map(|s| s.0)),
                    number(span.map(|s| s.1)),
                    text(row.map(|r| &**r.0)),
                    text(row.and_then(|r| r.1.as_deref())),
                    text(e.locator.pointer()),
                    Value::Text(&e.kind),
                    Value::Text(e.disposition.code()),
                    text(e.reason.map(Reason::code)),
                    number(e.message_index.map(u64::from)),
                    number(Some(e.bytes)),
                ],
            )?;
        }
        Ok(())
    }

    /// Completes the files. Returns how many there are.
    pub fn finish(self) -> io::Result<u64> {
        self.0.finish()
    }
}
