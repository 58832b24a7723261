//! Import runs: what each did, kept so that a person can look it up later. A run that was killed is one
//! that never ended. Deliberately absent: what the result means; it is the engine's JSON.

use crate::code::Code;
use crate::conversation::instant;
use assay_model::{Timestamp, Verdict};
use rusqlite::{Connection, OptionalExtension, Row, named_params, params};

/// An import run.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// Its number; later runs have higher ones.
    pub run: i64,
    /// When it began.
    pub started_at: Timestamp,
    /// When it ended; absent while it runs, and for ever if it was killed.
    pub ended_at: Option<Timestamp>,
    /// Whether a person stopped it.
    pub cancelled: bool,
    /// What came of it, as the engine wrote it.
    pub result: Option<serde_json::Value>,
}

/// What a run did with one conversation.
#[derive(Debug, Clone, PartialEq)]
pub struct OutcomeRow {
    /// The source.
    pub source: String,
    /// The source's own id.
    pub id: String,
    /// Its title, if known.
    pub title: String,
    /// `read`, or the importer's reason to skip it.
    pub importer: String,
    /// What the library did: the code of an [`crate::Outcome`].
    pub library: Option<String>,
    /// More about it.
    pub reason: Option<String>,
    /// How well it survives.
    pub verdict: Option<Verdict>,
}

/// Which outcomes of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OutcomeQuery {
    /// The run.
    pub run: i64,
    /// Only this source.
    pub source: Option<String>,
    /// Only this importer code.
    pub importer: Option<String>,
    /// Only this library code.
    pub library: Option<String>,
    /// Only those whose conversation crossed this boundary, as it is now.
    pub reason: Option<String>,
    /// First row.
    pub offset: u32,
    /// How many rows.
    pub limit: u32,
}

/// Rows of something, and how many there are in all.
#[derive(Debug, Clone, PartialEq)]
pub struct Page<T> {
    /// How many there are in all.
    pub total: u32,
    /// The rows asked for.
    pub rows: Vec<T>,
}

/// Whether the latest run never ended.
pub(crate) fn was_killed(db: &Connection) -> rusqlite::Result<bool> {
    let sql = "SELECT ended_at IS NULL FROM import_run ORDER BY run DESC LIMIT 1";
    db.query_row(sql, [], |row| row.get(0)).optional().map(Option::unwrap_or_default)
}

pub(crate) fn begin(db: &Connection, at: Timestamp) -> rusqlite::Result<i64> {
    db.prepare_cached("INSERT INTO import_run (started_at) VALUES (?)")?.insert([at.millis()])
}

pub(crate) fn record(db: &Connection, run: i64, outcome: &OutcomeRow) -> rusqlite::Result<()> {
    db.prepare_cached(
        "INSERT INTO import_outcome (run, source, source_conversation_id, title, importer, library, reason, verdict)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
    )?
    .execute(params![
        run,
        outcome.source,
        outcome.id,
        outcome.title,
        outcome.importer,
        outcome.library,
        outcome.reason,
        outcome.verdict.map(Verdict::code),
    ])
    .map(|_| ())
}

pub(crate) fn finish(
    db: &Connection,
    run: i64,
    at: Timestamp,
    cancelled: bool,
    result: &serde_json::Value,
) -> rusqlite::Result<()> {
    db.prepare_cached("UPDATE import_run SET ended_at = ?2, cancelled = ?3, result = ?4 WHERE run = ?1")?
        .execute(params![run, at.millis(), cancelled, result.to_string()])
        .map(|_| ())
}

const RUN: &str = "SELECT run, started_at, ended_at, cancelled, result FROM import_run";

fn run_row(row: &Row<'_>) -> rusqlite::Result<Run> {
    let started: i64 = row.get(1)?;
    Ok(Run {
        run: row.get(0)?,
        started_at: instant(row, 1)?.ok_or(rusqlite::Error::IntegralValueOutOfRange(1, started))?,
        ended_at: instant(row, 2)?,
        cancelled: row.get(3)?,
        result: row.get::<_, Option<crate::code::Json<_>>>(4)?.map(|r| r.0),
    })
}

/// The latest runs first.
pub(crate) fn runs(db: &Connection, limit: u32) -> rusqlite::Result<Vec<Run>> {
    db.prepare_cached(&format!("{RUN} ORDER BY run DESC LIMIT ?"))?.query_map([limit], run_row)?.collect()
}

pub(crate) fn run(db: &Connection, run: i64) -> rusqlite::Result<Option<Run>> {
    db.prepare_cached(&format!("{RUN} WHERE run = ?"))?.query_row([run], run_row).optional()
}

/// Outcomes in the order in which they were recorded.
pub(crate) fn outcomes(db: &Connection, query: &OutcomeQuery) -> rusqlite::Result<Page<OutcomeRow>> {
    const WHERE: &str = "FROM import_outcome WHERE run = :run AND (:source IS NULL OR source = :source)
         AND (:importer IS NULL OR importer = :importer) AND (:library IS NULL OR library = :library)
         AND (:reason IS NULL OR library IS NOT NULL AND EXISTS (
             SELECT 1 FROM conversation AS c JOIN conversation_reason AS r USING (conversation)
             WHERE c.source = import_outcome.source AND r.reason = :reason
             AND c.source_conversation_id = import_outcome.source_conversation_id))";
    let OutcomeQuery { run, source, importer, library, reason, offset, limit } = query;
    let filter =
        named_params! { ":run": run, ":source": source, ":importer": importer, ":library": library, ":reason": reason };
    let total = db.prepare_cached(&format!("SELECT count(*) {WHERE}"))?.query_row(filter, |row| row.get(0))?;
    let read = |row: &Row<'_>| {
        Ok(OutcomeRow {
            source: row.get(0)?,
            id: row.get(1)?,
            title: row.get(2)?,
            importer: row.get(3)?,
            library: row.get(4)?,
            reason: row.get(5)?,
            verdict: row.get::<_, Option<Code<Verdict>>>(6)?.map(|v| v.0),
        })
    };
    let rows = db
        .prepare_cached(&format!(
            "SELECT source, source_conversation_id, title, importer, library, reason, verdict {WHERE}
             ORDER BY outcome LIMIT {limit} OFFSET {offset}"
        ))?
        .query_map(filter, read)?
        .collect::<rusqlite::Result<_>>()?;
    Ok(Page { total, rows })
}
