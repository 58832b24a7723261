//! Full text over what messages say, think, ask of tools and get from them.
//!
//! The index holds words, not text; the snippet is cut from the message itself when it is shown.
//! Deliberately absent: titles and folders (a list's filter has those), and text behind [`INDEXED`] bytes
//! of one message.

pub(crate) mod index;
mod query;
mod snippet;
mod tokens;

use crate::code::Code;
use crate::conversation::instant;
use crate::error::At;
use crate::key::in_conversation;
use crate::{Error, Page, Reader};
use assay_model::{Kind, MessageType, Timestamp};
use query::Query;
use rusqlite::{Row, named_params};
pub use snippet::Snippet;
pub use tokens::INDEXED;

/// Answers are counted up to here: nobody reads the number of a word that is everywhere, and it takes as
/// long to find as the answers.
pub const COUNTED: u32 = 10_000;

/// Where to look.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SearchFilter {
    /// Only this source.
    pub source: Option<String>,
    /// Only this conversation, by the library's key.
    pub conversation: Option<i64>,
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
    /// finds nothing. `total` stops at [`COUNTED`].
    pub fn search(&self, text: &str, filter: &SearchFilter, offset: u32, limit: u32) -> Result<Page<Hit>, Error> {
        let query = Query::parse(text);
        let Some(expression) = query.expression() else { return Ok(Page { total: 0, rows: Vec::new() }) };
        let values = named_params! {
            ":query": expression,
            ":source": filter.source,
            ":first": filter.conversation.map(|c| in_conversation(c, 0)[0]),
            ":last": filter.conversation.map(|c| in_conversation(c, 0)[1]),
        };
        let mut wanted = String::from("message_fts MATCH :query");
        wanted.push_str(match filter.conversation {
            Some(_) => " AND message_fts.rowid BETWEEN :first AND :last",
            None => " AND :first IS NULL AND :last IS NULL",
        });
        wanted.push_str(match filter.source {
            Some(_) => " AND message_fts.rowid >> 32 IN (SELECT conversation FROM conversation WHERE source = :source)",
            None => " AND :source IS NULL",
        });
        let total = self
            .db
            .prepare_cached(&format!("SELECT count(*) FROM (SELECT 1 FROM message_fts WHERE {wanted} LIMIT {COUNTED})"))
            .and_then(|mut s| s.query_row(values, |row| row.get(0)))
            .at(&self.path)?;
        let rows = self.all(
            // The best first, from the index alone; only then the messages themselves.
            &format!(
                "WITH found AS MATERIALIZED (
                     SELECT rowid AS message, rank AS score FROM message_fts WHERE {wanted}
                     ORDER BY rank LIMIT {limit} OFFSET {offset}
                 )
                 SELECT c.conversation, c.source, c.source_conversation_id, c.conversation_id, c.title, m.seq, m.type,
                        m.kind, m.timestamp, m.content, m.thinking, found.score
                 FROM found JOIN message m USING (message) JOIN conversation c USING (conversation)
                 ORDER BY found.score, m.message"
            ),
            values,
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
    })
}
