//! Conversations as rows: what change detection asks for, what a list shows, all that is stored.

use crate::code::{Code, Json, json};
use crate::incoming::{Bytes, Incoming, Known, KnownOfSource, Prepared};
use crate::ledger;
use assay_model::hash::Hash;
use assay_model::{
    Candidate, Coverage, FileExtent, Link, ParsedConversation, Relation, Retention, Summary, Timestamp, Verdict,
    identity,
};
use rusqlite::{Connection, OptionalExtension, Row, named_params, params};
use std::collections::HashSet;
use std::sync::Arc;

/// The columns of [`Known`], in its order, after the source's own id.
const KNOWN: &str = "source_conversation_id, conversation, file_path, file_size, file_mtime, parser_version, \
     retention, content_hash, full_hash, rest_hash, raw_hash, read_at, messages, gone_since, verdict, title, \
     EXISTS (SELECT 1 FROM original WHERE original.conversation = conversation.conversation), \
     EXISTS (SELECT 1 FROM conversation_reason AS r WHERE r.conversation = conversation.conversation \
         AND r.reason = 'incomplete-record')";

fn known_row(row: &Row<'_>) -> rusqlite::Result<(String, Known)> {
    let known = Known {
        key: row.get(1)?,
        file_path: row.get(2)?,
        file_size: row.get::<_, i64>(3)? as u64,
        file_mtime: row.get(4)?,
        parser_version: row.get(5)?,
        retention: row.get::<_, Code<Retention>>(6)?.0,
        content_hash: row.get(7)?,
        full_hash: row.get(8)?,
        rest_hash: row.get(9)?,
        raw_hash: row.get(10)?,
        read_at: row.get(11)?,
        messages: row.get(12)?,
        gone_since: row.get(13)?,
        verdict: row.get::<_, Code<Verdict>>(14)?.0,
        title: row.get(15)?,
        original: row.get(16)?,
        pending: row.get(17)?,
    };
    Ok((row.get(0)?, known))
}

/// What is known of all conversations of a source.
pub(crate) fn known_of(db: &Connection, source: &str) -> rusqlite::Result<KnownOfSource> {
    db.prepare_cached(&format!("SELECT {KNOWN} FROM conversation WHERE source = ?"))?
        .query_map([source], known_row)?
        .collect()
}

/// What is known of one conversation.
pub(crate) fn known(db: &Connection, source: &str, id: &str) -> rusqlite::Result<Option<Known>> {
    db.prepare_cached(&format!("SELECT {KNOWN} FROM conversation WHERE (source, source_conversation_id) = (?, ?)"))?
        .query_row([source, id], known_row)
        .optional()
        .map(|found| found.map(|(_, known)| known))
}

/// Writes the row of a conversation, new or not, and returns its key. What is written is there again.
pub(crate) fn write(db: &Connection, incoming: &Incoming<'_>, prepared: &Prepared) -> rusqlite::Result<i64> {
    let (c, s, candidate, ledger) = (incoming.conversation, incoming.summary, incoming.candidate, incoming.ledger);
    let coverage = match candidate.coverage {
        Coverage::Reference => "reference",
        Coverage::Extended => "extended",
    };
    let recovered = c.messages.iter().filter(|m| !m.is_reference()).count();
    let unknown: u64 = s.unknown_kinds.values().sum();
    db.prepare_cached(
        "INSERT INTO conversation (
             source, source_conversation_id, conversation_id, file_path, file_size, file_mtime, parser_version,
             retention, content_hash, full_hash, rest_hash, raw_hash, read_at, messages, recovered_messages, verdict,
             first_message_at, last_message_at, lost, unknown, synthetic, title, slug, project_dir, project_name, cwd,
             git_branch, tool_version, coverage, links, scanned_project_dir, hint, summary, files, extents, ledger_rows,
             ledger_row_bytes, copy_of
         ) VALUES (
             :source, :id, :portable_id, :file_path, :file_size, :file_mtime, :parser_version,
             :retention, :content_hash, :full_hash, :rest_hash, :raw_hash, :read_at, :messages, :recovered, :verdict,
             :first_at, :last_at, :lost, :unknown, :synthetic, :title, :slug, :project_dir, :project_name, :cwd,
             :git_branch, :tool_version, :coverage, :links, :scanned_dir, :hint, :summary, :files, :extents, :rows,
             :row_bytes, :copy_of
         ) ON CONFLICT (source, source_conversation_id) DO UPDATE SET
             file_path = :file_path, file_size = :file_size, file_mtime = :file_mtime,
             parser_version = :parser_version, retention = :retention, content_hash = :content_hash,
             full_hash = :full_hash, rest_hash = :rest_hash, raw_hash = :raw_hash, read_at = :read_at,
             gone_since = iif(:from_library, gone_since, NULL), messages = :messages, recovered_messages = :recovered, verdict = :verdict,
             first_message_at = :first_at, last_message_at = :last_at, lost = :lost, unknown = :unknown,
             synthetic = :synthetic, title = :title, slug = :slug, project_dir = :project_dir,
             project_name = :project_name, cwd = :cwd, git_branch = :git_branch, tool_version = :tool_version,
             coverage = :coverage, links = :links, scanned_project_dir = :scanned_dir, hint = :hint, summary = :summary, files = :files,
             extents = :extents, ledger_rows = :rows, ledger_row_bytes = :row_bytes, copy_of = :copy_of
         RETURNING conversation",
    )?
    .query_row(
        named_params! {
            ":source": c.source,
            ":id": c.id,
            ":portable_id": identity::namespace(&c.source, &c.id),
            ":file_path": candidate.file_path.to_string_lossy(),
            ":file_size": candidate.file_size as i64,
            ":file_mtime": candidate.file_mtime,
            ":parser_version": incoming.parser_version,
            ":retention": incoming.retention.code(),
            ":content_hash": incoming.content_hash,
            ":full_hash": incoming.full_hash(),
            ":rest_hash": prepared.rest_hash,
            ":raw_hash": incoming.raw_hash,
            ":read_at": incoming.read_at,
            ":from_library": matches!(incoming.original, Bytes::OfTheLibrary),
            ":messages": c.messages.len() as i64,
            ":recovered": recovered as i64,
            ":verdict": incoming.verdict.code(),
            ":first_at": c.first_message_at.map(Timestamp::millis),
            ":last_at": c.last_message_at.map(Timestamp::millis),
            ":lost": s.lost as i64,
            ":unknown": unknown as i64,
            ":synthetic": s.synthetic_timestamps as i64,
            ":title": prepared.title,
            ":slug": c.slug,
            ":project_dir": c.project_dir,
            ":project_name": c.project_name,
            ":cwd": c.cwd,
            ":git_branch": c.git_branch,
            ":tool_version": c.tool_version,
            ":coverage": coverage,
            ":links": json(&c.links),
            ":scanned_dir": candidate.project_dir,
            ":hint": json(&candidate.hint),
            ":summary": json(s),
            ":files": json(&prepared.files.paths()),
            ":extents": ledger::extents(&ledger.extents),
            ":rows": ledger.rows as i64,
            ":row_bytes": ledger.row_bytes as i64,
            ":copy_of": c.links.iter().find(|l| l.relation == Relation::Copy).map(|l| &l.conversation),
        },
        |row| row.get(0),
    )
}

/// How many conversations were newly marked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Marked {
    /// Their source no longer has them.
    pub gone: u32,
    /// Their source has them again.
    pub back: u32,
}

/// Marks the conversations of a source that are not `present` as gone since `at`, and takes the mark from
/// those that are. What is marked rightly already is not written.
pub(crate) fn mark(db: &Connection, source: &str, present: &HashSet<&str>, at: Timestamp) -> rusqlite::Result<Marked> {
    let mut marked = Marked::default();
    let mut changes = Vec::new();
    {
        let mut statement = db.prepare_cached(
            "SELECT conversation, source_conversation_id, gone_since IS NOT NULL FROM conversation WHERE source = ?",
        )?;
        let mut rows = statement.query([source])?;
        while let Some(row) = rows.next()? {
            let (here, gone) = (present.contains(row.get_ref(1)?.as_str()?), row.get(2)?);
            match (here, gone) {
                (true, true) => marked.back += 1,
                (false, false) => marked.gone += 1,
                (true, false) | (false, true) => continue,
            }
            changes.push((row.get::<_, i64>(0)?, (!here).then_some(at.millis())));
        }
    }
    let mut update = db.prepare_cached("UPDATE conversation SET gone_since = ?2 WHERE conversation = ?1")?;
    for (conversation, since) in changes {
        update.execute(params![conversation, since])?;
    }
    Ok(marked)
}

/// A conversation as a list shows it.
#[derive(Debug, Clone, PartialEq)]
pub struct Listed {
    /// The library's key.
    pub key: i64,
    /// The source.
    pub source: String,
    /// The source's own id.
    pub id: String,
    /// The portable id.
    pub conversation_id: String,
    /// The tool's title, or the beginning of the first prompt.
    pub title: String,
    /// A name for people.
    pub project_name: String,
    /// The working directory.
    pub cwd: Option<String>,
    /// The branch.
    pub git_branch: Option<String>,
    /// The earliest time of a message.
    pub first_message_at: Option<Timestamp>,
    /// The latest time of a message.
    pub last_message_at: Option<Timestamp>,
    /// Messages, recovered ones included.
    pub messages: u32,
    /// Recovered messages.
    pub recovered: u32,
    /// Entries that a person could miss.
    pub lost: u32,
    /// Entries of kinds that the parser does not know.
    pub unknown: u32,
    /// Messages with a made-up time.
    pub synthetic: u32,
    /// How well it survived.
    pub verdict: Verdict,
    /// Bytes of its store.
    pub file_size: u64,
    /// Under which retention it was read.
    pub retention: Retention,
    /// The parser that read it.
    pub parser_version: String,
    /// Since when the source no longer has it.
    pub gone_since: Option<Timestamp>,
    /// Since when it is pinned.
    pub pinned_at: Option<Timestamp>,
    /// Since when it is deleted, and can still be restored.
    pub deleted_at: Option<Timestamp>,
    /// Its labels, by name.
    pub labels: Vec<String>,
    /// Other conversations it belongs to or comes from.
    pub links: Vec<Link>,
    /// How many earlier states of it are kept, because they say more than the source does now; none that was deleted.
    pub earlier: u32,
    /// How many copies of it there are.
    pub copies: u32,
}

pub(crate) const LISTED: &str = "conversation, source, source_conversation_id, conversation_id, title, project_name, \
     cwd, git_branch, first_message_at, last_message_at, messages, recovered_messages, lost, unknown, synthetic, \
     verdict, file_size, retention, parser_version, gone_since, pinned_at, deleted_at, \
     (SELECT json_group_array(label ORDER BY label) FROM label WHERE label.conversation = conversation.conversation), \
     links, \
     (SELECT count(*) FROM conversation AS e WHERE e.earlier_of = conversation.conversation \
         AND e.conversation NOT IN (SELECT conversation FROM standing WHERE deleted_at IS NOT NULL)), \
     (SELECT source_conversation_id FROM conversation AS l WHERE l.conversation = conversation.earlier_of), \
     (SELECT count(*) FROM conversation AS c WHERE (c.source, c.copy_of) = \
         (conversation.source, conversation.source_conversation_id))";

/// Where those columns come from.
pub(crate) const LISTED_FROM: &str = "conversation LEFT JOIN standing USING (conversation)";

pub(crate) fn listed(row: &Row<'_>) -> rusqlite::Result<Listed> {
    let mut links = row.get::<_, Json<Vec<Link>>>(23)?.0;
    let later: Option<String> = row.get(25)?;
    links.extend(later.map(|later| Link { relation: Relation::Earlier, conversation: later, tool_call_id: None }));
    Ok(Listed {
        key: row.get(0)?,
        source: row.get(1)?,
        id: row.get(2)?,
        conversation_id: row.get(3)?,
        title: row.get(4)?,
        project_name: row.get(5)?,
        cwd: row.get(6)?,
        git_branch: row.get(7)?,
        first_message_at: instant(row, 8)?,
        last_message_at: instant(row, 9)?,
        messages: row.get(10)?,
        recovered: row.get(11)?,
        lost: row.get(12)?,
        unknown: row.get(13)?,
        synthetic: row.get(14)?,
        verdict: row.get::<_, Code<Verdict>>(15)?.0,
        file_size: row.get::<_, i64>(16)? as u64,
        retention: row.get::<_, Code<Retention>>(17)?.0,
        parser_version: row.get(18)?,
        gone_since: instant(row, 19)?,
        pinned_at: instant(row, 20)?,
        deleted_at: instant(row, 21)?,
        labels: row.get::<_, Json<Vec<String>>>(22)?.0,
        links,
        earlier: row.get(24)?,
        copies: row.get(26)?,
    })
}

pub(crate) fn instant(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<Timestamp>> {
    let millis: Option<i64> = row.get(column)?;
    millis.map(|m| Timestamp::from_millis(m).ok_or(rusqlite::Error::IntegralValueOutOfRange(column, m))).transpose()
}

/// All that is stored of a conversation, without its messages and entries: those come in pages.
#[derive(Debug, Clone, PartialEq)]
pub struct Stored {
    /// What a list shows.
    pub listed: Listed,
    /// What the scan had found.
    pub candidate: Candidate,
    /// The conversation; `messages` and `reference_order` are empty here.
    pub conversation: ParsedConversation,
    /// The hash of the reference messages.
    pub content_hash: Hash,
    /// The hash of the whole timeline.
    pub full_hash: Hash,
    /// The hash of the store's own bytes, if it was made.
    pub raw_hash: Option<Hash>,
    /// When it was read, nanoseconds since 1970.
    pub read_at: i64,
    /// The account in numbers.
    pub summary: Summary,
    /// Entries of the account.
    pub entries: u32,
    pub(crate) files: Vec<Arc<str>>,
    pub(crate) extents: Vec<FileExtent>,
    pub(crate) rows: u64,
    pub(crate) row_bytes: u64,
}

/// What the scan had found of a conversation.
pub(crate) fn candidate(db: &Connection, key: i64) -> rusqlite::Result<Option<Candidate>> {
    db.prepare_cached("SELECT * FROM conversation WHERE conversation = ?")?.query_row([key], candidate_row).optional()
}

fn candidate_row(row: &Row<'_>) -> rusqlite::Result<Candidate> {
    Ok(Candidate {
        id: row.get("source_conversation_id")?,
        source: row.get("source")?,
        file_path: row.get::<_, String>("file_path")?.into(),
        file_size: row.get::<_, i64>("file_size")? as u64,
        file_mtime: row.get("file_mtime")?,
        project_dir: row.get("scanned_project_dir")?,
        coverage: row.get::<_, Code<Coverage>>("coverage")?.0,
        hint: row.get::<_, Json<serde_json::Value>>("hint")?.0,
    })
}

/// A conversation by its key.
pub(crate) fn stored(db: &Connection, key: i64) -> rusqlite::Result<Option<Stored>> {
    let read = |row: &Row<'_>| {
        let listed = listed(row)?;
        let extents: Vec<(Arc<str>, u64)> = row.get::<_, Json<_>>("extents")?.0;
        let conversation = ParsedConversation {
            id: listed.id.clone(),
            slug: row.get("slug")?,
            source: listed.source.clone(),
            project_dir: row.get("project_dir")?,
            project_name: listed.project_name.clone(),
            cwd: listed.cwd.clone(),
            git_branch: listed.git_branch.clone(),
            tool_version: row.get("tool_version")?,
            links: row.get::<_, Json<Vec<Link>>>("links")?.0,
            messages: Vec::new(),
            reference_order: Vec::new(),
            first_message_at: listed.first_message_at,
            last_message_at: listed.last_message_at,
        };
        Ok(Stored {
            candidate: candidate_row(row)?,
            conversation,
            content_hash: row.get("content_hash")?,
            full_hash: row.get("full_hash")?,
            raw_hash: row.get("raw_hash")?,
            read_at: row.get("read_at")?,
            summary: row.get::<_, Json<Summary>>("summary")?.0,
            entries: ledger::count(db, key)?,
            files: row.get::<_, Json<_>>("files")?.0,
            extents: extents.into_iter().map(|(file, bytes)| FileExtent { file, bytes }).collect(),
            rows: row.get::<_, i64>("ledger_rows")? as u64,
            row_bytes: row.get::<_, i64>("ledger_row_bytes")? as u64,
            listed,
        })
    };
    db.prepare_cached(&format!("SELECT {LISTED}, * FROM {LISTED_FROM} WHERE conversation = ?"))?
        .query_row([key], read)
        .optional()
}
