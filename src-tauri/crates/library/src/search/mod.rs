//! Full text over what messages say, think, ask of tools and get from them.
//!
//! The index holds words, not text; the snippet is cut from the message itself when it is shown.
//! Deliberately absent: titles and folders (a list's filter has those), and text behind [`INDEXED`] bytes
//! of one message.

pub(crate) mod index;
mod query;
mod snippet;
mod tokens;

use crate::code::{Code, json};
use crate::conversation::instant;
use crate::error::At;
use crate::filter::Conditions;
use crate::key::in_conversation;
use crate::{Error, Filter, Page, Reader};
use assay_model::{Kind, MessageType, Reason, Timestamp};
use query::Query;
use rusqlite::types::Value;
use rusqlite::{Row, params_from_iter};
pub use snippet::Snippet;
pub use tokens::INDEXED;

/// Answers are counted up to here: nobody reads the number of a word that is everywhere, and it takes as
/// long to find as the answers.
pub const COUNTED: u32 = 10_000;

/// Where to look.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SearchFilter {
    /// Only in these conversations. Its dates, and whether times were made up, are asked of the messages here.
    pub conversations: Filter,
    /// Only this conversation, by the library's key.
    pub conversation: Option<i64>,
    /// Only messages from these.
    pub from: Option<MessageType>,
    /// Only calls of tools, their results, and messages that used one.
    pub tools: bool,
    /// Only messages with code.
    pub code: bool,
    /// Only messages of these kinds; of all if there are none.
    pub kinds: Vec<Kind>,
}

impl SearchFilter {
    /// What follows the words in a question to the index, and its values.
    fn condition(&self) -> (String, Vec<Value>) {
        let (mut sql, mut values) = (String::new(), Vec::new());
        if let Some([first, last]) = self.conversation.map(|c| in_conversation(c, 0)) {
            sql.push_str(" AND message_fts.rowid BETWEEN ? AND ?");
            values.extend([Value::Integer(first), Value::Integer(last)]);
        }
        sql += &format!(" AND message_fts.rowid >> 32 {}", self.conversations.standing());
        let conversations = self.conversations.conditions();
        if !conversations.is_empty() {
            let all = conversations.all();
            sql += &format!(" AND message_fts.rowid >> 32 IN (SELECT conversation FROM conversation WHERE {all})");
            values.extend(conversations.values);
        }
        let mut messages = Conditions::default();
        messages.with("timestamp >= ?", self.conversations.from.map(Timestamp::millis));
        messages.with("timestamp < ?", self.conversations.before.map(Timestamp::millis));
        messages.with("type = ?", self.from.map(|from| from.code().to_owned()));
        messages.when(self.tools, "(has_tool_use OR kind IN ('tool-call', 'tool-result'))");
        messages.when(self.code, "has_code");
        messages.when(self.conversations.synthetic, "timestamp_origin = 'synthetic'");
        let kinds = (!self.kinds.is_empty()).then(|| json(&self.kinds));
        messages.with("kind IN (SELECT value FROM json_each(?))", kinds);
        if !messages.is_empty() {
            let all = messages.all();
            sql += &format!(" AND EXISTS (SELECT 1 FROM message WHERE message = message_fts.rowid AND {all})");
            values.extend(messages.values);
        }
        (sql, values)
    }
}

/// A message that answers a query.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// The library's key of its conversation.
    pub key: i64,
    /// The source.
    pub source: String,
    /// The source's own id of the conversation.
    pub id: String,
    /// The portable id of the conversation.
    pub conversation_id: String,
    /// The conversation's title.
    pub title: String,
    /// The message's position.
    pub message_index: u32,
    /// Who it is from.
    pub message_type: MessageType,
    /// What it is.
    pub kind: Kind,
    /// Its time.
    pub at: Option<Timestamp>,
    /// The place in its text.
    pub snippet: Snippet,
    /// Whether the place is in its thinking.
    pub in_thinking: bool,
    /// How well it answers; higher is better.
    pub score: f64,
    /// The conversation's project.
    pub project_name: String,
    /// The boundary it crossed, if it was recovered.
    pub reason: Option<Reason>,
    /// What its time is worth: `recorded`, `derived`, `synthetic`.
    pub timestamp_origin: String,
    /// Since when the source no longer has the conversation.
    pub gone_since: Option<Timestamp>,
}

impl Reader {
    /// How many messages are not in the index yet, so that no search finds them.
    pub fn unindexed(&self) -> Result<u64, Error> {
        index::unindexed(&self.db).at(&self.path)
    }

    /// How many bytes of text those messages have. Slower to tell than their number.
    pub fn unindexed_bytes(&self) -> Result<u64, Error> {
        index::unindexed_bytes(&self.db).at(&self.path)
    }

    /// Messages that answer what a person typed, best first. Any text is a valid query; one without a word
    /// finds nothing. `total` stops at one more than [`COUNTED`].
    pub fn search(&self, text: &str, filter: &SearchFilter, offset: u32, limit: u32) -> Result<Page<Hit>, Error> {
        let query = Query::parse(text);
        let Some(expression) = query.expression() else { return Ok(Page { total: 0, rows: Vec::new() }) };
        let (wanted, values) = filter.condition();
        let values = || std::iter::once(Value::Text(expression.clone())).chain(values.iter().cloned());
        let wanted = format!("message_fts MATCH ?{wanted}");
        let total = self
            .db
            .prepare_cached(&format!(
                "SELECT count(*) FROM (SELECT 1 FROM message_fts WHERE {wanted} LIMIT {COUNTED} + 1)"
            ))
            .and_then(|mut s| s.query_row(params_from_iter(values()), |row| row.get(0)))
            .at(&self.path)?;
        let rows = self.all(
            // The best first, from the index alone; only then the messages themselves.
            &format!(
                "WITH found AS MATERIALIZED (
                     SELECT rowid AS message, rank AS score FROM message_fts WHERE {wanted}
                     ORDER BY rank LIMIT {limit} OFFSET {offset}
                 )
                 SELECT c.conversation, c.source, c.source_conversation_id, c.conversation_id, c.title, m.seq, m.type,
                        m.kind, m.timestamp, m.content, m.thinking, found.score, c.project_name, m.reason,
                        m.timestamp_origin, c.gone_since
                 FROM found JOIN message m USING (message) JOIN conversation c USING (conversation)
                 ORDER BY found.score, m.message"
            ),
            params_from_iter(values()),
            |row| hit(row, &query),
        )?;
        Ok(Page { total, rows })
    }
}

fn hit(row: &Row<'_>, query: &Query) -> rusqlite::Result<Hit> {
    let content = snippet::best(row.get_ref(9)?.as_str()?, query);
    let thinking = row.get_ref(10)?.as_str_or_null()?.and_then(|text| snippet::best(text, query));
    let terms = |found: &Option<(usize, Snippet)>| found.as_ref().map_or(0, |(terms, _)| *terms);
    let in_thinking = terms(&thinking) > terms(&content);
    let (_, snippet) = if in_thinking { thinking } else { content }.unwrap_or_default();
    Ok(Hit {
        key: row.get(0)?,
        source: row.get(1)?,
        id: row.get(2)?,
        conversation_id: row.get(3)?,
        title: row.get(4)?,
        message_index: row.get(5)?,
        message_type: row.get::<_, Code<MessageType>>(6)?.0,
        kind: row.get::<_, Code<Kind>>(7)?.0,
        at: instant(row, 8)?,
        snippet,
        in_thinking,
        score: -row.get::<_, f64>(11)?,
        project_name: row.get(12)?,
        reason: row.get::<_, Option<Code<Reason>>>(13)?.map(|reason| reason.0),
        timestamp_origin: row.get(14)?,
        gone_since: instant(row, 15)?,
    })
}
