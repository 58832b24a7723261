//! Full text over what messages say, think, ask of tools and get from them, and the names of those tools.
//!
//! The index holds words, not text; the snippet is cut from the message itself when it is shown.
//! Deliberately absent: titles and folders; a list's filter has those.

pub(crate) mod index;
mod query;
mod snippet;
mod tokens;

use crate::code::Code;
use crate::conversation::instant;
use crate::error::At;
use crate::key::in_conversation;
use crate::{Error, Filter, Page, Reader};
use assay_model::{Kind, MessageType, Reason, Timestamp};
use query::{Query, Term};
use rusqlite::{Row, params, params_from_iter};
pub use snippet::Snippet;
use std::collections::HashMap;

/// Up to so many answers are ranked, the best first. Of more than that, nobody could say which is the best, and the
/// latest come first.
const RANKED: usize = 2000;

/// How many bytes of text are looked at for the first letter of a word.
const LOOKED_AT: usize = 4 << 20;

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
    /// What the messages have to be, in the index's own syntax behind the words.
    fn expression(&self) -> String {
        let mut all: Vec<String> = self.from.iter().map(|from| quoted(from.code())).collect();
        let [call, result] = [Kind::ToolCall, Kind::ToolResult].map(|kind| quoted(kind.code()));
        all.extend(self.tools.then(|| format!("({} OR {call} OR {result})", quoted(index::TOOLS))));
        all.extend(self.code.then(|| quoted(index::CODE)));
        let kinds: Vec<_> = self.kinds.iter().map(|kind| quoted(kind.code())).collect();
        all.extend((!kinds.is_empty()).then(|| format!("({})", kinds.join(" OR "))));
        all.iter().map(|one| format!(" AND {one}")).collect()
    }
}

fn quoted(about: &str) -> String {
    format!("\"{}\"", index::about(about))
}

/// A conversation that answers may be in.
struct Wanted {
    /// Its place in the order by time.
    place: u32,
    /// Whether its messages have to be asked, too: for their time, or whether that was made up.
    ask: bool,
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
    /// How well it answers; higher is better. Of more answers than are ranked, how far it is to the front.
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

    /// Messages that answer what a person typed, best first; the latest first where more than [`RANKED`] answer.
    /// Any text is a valid query; one without a word finds nothing.
    pub fn search(&self, text: &str, filter: &SearchFilter, offset: u32, limit: u32) -> Result<Page<Hit>, Error> {
        let query = Query::parse(text);
        let end = offset.saturating_add(limit) as usize;
        let (total, found) = self.answers(&query, filter, end).at(&self.path)?;
        let page = found.into_iter().skip(offset as usize).take(limit as usize);
        let rows = page.map(|(message, score)| self.hit(message, score, &query)).collect::<rusqlite::Result<_>>();
        Ok(Page { total: u32::try_from(total).unwrap_or(u32::MAX), rows: rows.at(&self.path)? })
    }

    /// How many answers there are, and the keys of at least the first `end` of them in their order, each with its
    /// score. What has every word as it stands comes before what has only words that begin so, however many of those.
    fn answers(&self, query: &Query, filter: &SearchFilter, end: usize) -> rusqlite::Result<(usize, Vec<(i64, f64)>)> {
        let Some(expression) = query.expression() else { return Ok((0, Vec::new())) };
        let (expression, exact) = (expression + &filter.expression(), query.exact().map(|e| e + &filter.expression()));
        // The keys of a word that is in half of a million messages are read in the time of a few scores.
        let [first, last] = filter.conversation.map_or([i64::MIN, i64::MAX], |c| in_conversation(c, 0));
        let of = "FROM message_fts WHERE message_fts MATCH ? AND rowid BETWEEN ? AND ?";
        let mut select = self.db.prepare_cached(&format!("SELECT rowid {of}"))?;
        let mut keys = |of: &str| -> rusqlite::Result<Vec<i64>> {
            select.query_map(params![of, first, last], |row| row.get(0))?.collect()
        };
        let (exact, keys) = (exact.map_or(Ok(Vec::new()), |exact| keys(&exact))?, keys(&expression)?);
        if keys.is_empty() {
            return Ok((0, Vec::new()));
        }
        // Both come in the order of the keys.
        let only_begins = |key: &i64| exact.binary_search(key).is_err();
        let wanted = self.wanted(filter)?;
        let mut placed = Vec::new();
        for of_one in keys.chunk_by(|a, b| a >> 32 == b >> 32) {
            let Some(Wanted { place, ask }) = wanted.get(&(of_one[0] >> 32)) else { continue };
            for key in of_one {
                if !ask || self.is_wanted(*key, filter)? {
                    placed.push((only_begins(key), *place, *key));
                }
            }
        }
        // Of more than anybody looks at, those that have the letter as a word come first.
        if let Some(terms) = query.unsure().filter(|_| placed.len() <= RANKED) {
            let mut room = LOOKED_AT;
            let mut kept = Vec::new();
            for one in placed {
                if !one.0 || self.has(one.2, terms, &mut room)? {
                    kept.push(one);
                }
            }
            placed = kept;
        }
        let total = placed.len();
        if total > RANKED {
            if end < total {
                placed.select_nth_unstable(end);
                placed.truncate(end);
            }
            placed.sort_unstable();
            let far = |n: usize| 1.0 / (n + 1) as f64;
            return Ok((total, placed.into_iter().enumerate().map(|(n, (.., key))| (key, far(n))).collect()));
        }
        let mut scores = self.db.prepare_cached(&format!("SELECT rowid, rank {of}"))?;
        let scores =
            scores.query_map(params![expression, first, last], |row| Ok((row.get(0)?, -row.get::<_, f64>(1)?)))?;
        let scores = scores.collect::<rusqlite::Result<HashMap<i64, f64>>>()?;
        let best = scores.values().copied().fold(0.0, f64::max);
        let score = |key: &i64| scores.get(key).copied().unwrap_or_default();
        let mut answers: Vec<_> =
            placed.into_iter().map(|(begins, _, key)| (key, score(&key) + if begins { 0.0 } else { best })).collect();
        answers.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        Ok((total, answers))
    }

    /// Whether one of the terms stands in a message. Where there is no room left for its text, nobody looks.
    fn has(&self, message: i64, terms: &[Term], room: &mut usize) -> rusqlite::Result<bool> {
        let mut select =
            self.db.prepare_cached("SELECT content, thinking, tool_name FROM message WHERE message = ?")?;
        select.query_row([message], |row| {
            for column in 0..3 {
                let Some(text) = row.get_ref(column)?.as_str_or_null()? else { continue };
                let enough = text.len() > *room;
                *room = room.saturating_sub(text.len());
                if enough || snippet::has(text, terms) {
                    return Ok(true);
                }
            }
            Ok(false)
        })
    }

    /// The conversations that answers may be in, by key.
    fn wanted(&self, filter: &SearchFilter) -> rusqlite::Result<HashMap<i64, Wanted>> {
        let Filter { from, before, synthetic, .. } = filter.conversations;
        let (conditions, values) = filter.conversations.whole();
        let sql = format!(
            "SELECT conversation, first_message_at, last_message_at FROM conversation WHERE {conditions}
             ORDER BY last_message_at DESC, conversation"
        );
        let mut place = 0;
        let read = |row: &Row<'_>| {
            let (first, last): (Option<i64>, Option<i64>) = (row.get(1)?, row.get(2)?);
            let cut = from.is_some_and(|from| first.is_none_or(|first| first < from.millis()))
                || before.is_some_and(|before| last.is_none_or(|last| last >= before.millis()));
            place += 1;
            Ok((row.get(0)?, Wanted { place, ask: synthetic || cut }))
        };
        self.db.prepare_cached(&sql)?.query_map(params_from_iter(values), read)?.collect()
    }

    /// Whether a message itself is of the time that is wanted, and its time made up if that is wanted.
    fn is_wanted(&self, message: i64, filter: &SearchFilter) -> rusqlite::Result<bool> {
        let Filter { from, before, synthetic, .. } = filter.conversations;
        let (from, before) = (from.map(Timestamp::millis), before.map(Timestamp::millis));
        self.db
            .prepare_cached(
                "SELECT 1 FROM message WHERE message = ?1 AND (?2 IS NULL OR timestamp >= ?2)
                     AND (?3 IS NULL OR timestamp < ?3) AND (NOT ?4 OR timestamp_origin = 'synthetic')",
            )?
            .exists(params![message, from, before, synthetic])
    }

    fn hit(&self, message: i64, score: f64, query: &Query) -> rusqlite::Result<Hit> {
        self.db
            .prepare_cached(
                "SELECT c.conversation, c.source, c.source_conversation_id, c.conversation_id, c.title, m.seq, m.type,
                        m.kind, m.timestamp, m.content, m.thinking, c.project_name, m.reason, m.timestamp_origin,
                        c.gone_since, m.tool_name
                 FROM message m JOIN conversation c USING (conversation) WHERE m.message = ?",
            )?
            .query_row([message], |row| hit(row, score, query))
    }
}

fn hit(row: &Row<'_>, score: f64, query: &Query) -> rusqlite::Result<Hit> {
    let content = snippet::best(row.get_ref(9)?.as_str()?, query);
    let thinking = row.get_ref(10)?.as_str_or_null()?.and_then(|text| snippet::best(text, query));
    let terms = |found: &Option<(usize, Snippet)>| found.as_ref().map_or(0, |(terms, _)| *terms);
    let in_thinking = terms(&thinking) > terms(&content);
    let found = if in_thinking { thinking } else { content };
    let snippet = match (found, row.get_ref(15)?.as_str_or_null()?) {
        (Some((_, snippet)), _) => snippet,
        // It answers by the name of its tool.
        (None, Some(tool)) => snippet::behind(tool, row.get_ref(9)?.as_str()?, query),
        (None, None) => Snippet::default(),
    };
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
        score,
        project_name: row.get(11)?,
        reason: row.get::<_, Option<Code<Reason>>>(12)?.map(|reason| reason.0),
        timestamp_origin: row.get(13)?,
        gone_since: instant(row, 14)?,
    })
}
