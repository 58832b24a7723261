//! What lies beside the rollouts and says something about them: titles in the state database, prompts that wait in
//! the queue, the ledger of conversations that Codex took over from other tools.
//!
//! None of it is needed to read a rollout; where it is damaged, rollouts are read without it. Deliberately absent:
//! projections of rollouts (`thread_history_*.sqlite`), goals, memories, logs, and `auth.json`, which is never opened.

use super::discovery::Tool;
use crate::readers::json::{Tape, Value};
use crate::readers::records::{Content, read_records};
use crate::readers::sqlite::Snapshot;
use crate::{Evidence, ReadError, Roots, Row, ScanError};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::BufReader;
use std::path::{Path, PathBuf};

/// The queue's table, and where its rows say when they were put there.
pub(super) const QUEUED: &str = "queued_items";
pub(super) const QUEUED_AT: &str = "queued_items.created_at_ms";

/// What is said about conversations, by their id, in all data folders. Where two say it, the first one counts.
#[derive(Debug, Default)]
pub(super) struct Beside {
    /// Titles that the index of sessions has.
    pub names: HashMap<String, String>,
    /// Titles that the state database has, where they are not the first prompt.
    pub titles: HashMap<String, String>,
    /// Conversations that were taken over from another tool.
    pub imports: HashMap<String, Import>,
    /// Prompts that were queued and not yet sent, of every queue.
    pub queued: BTreeMap<String, Vec<Queued>>,
    /// Conversations that the state database knows.
    pub known: HashSet<String>,
}

/// Where a conversation was taken over from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Import {
    pub path: String,
    pub title: Option<String>,
}

/// Prompts of one conversation that wait in the queue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Queued {
    pub file: PathBuf,
    /// Bytes of what they say, and the latest change of one, nanoseconds since 1970.
    pub bytes: u64,
    pub mtime: i64,
}

/// The database `<stem>_<n>.sqlite` of the latest generation in `folder`.
pub(super) fn database(folder: &Path, stem: &str) -> Option<PathBuf> {
    let generation = |path: &Path| -> Option<u64> {
        let name = path.file_name()?.to_str()?;
        name.strip_prefix(stem)?.strip_prefix('_')?.strip_suffix(".sqlite")?.parse().ok()
    };
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path());
    files.filter_map(|path| Some((generation(&path)?, path))).max().map(|(_, path)| path)
}

/// Where the databases of a data folder are.
pub(super) fn databases(roots: &Roots, tool: &Tool, base: &Path, origin: &str) -> PathBuf {
    let moved = roots.env_dir(tool.sqlite_home).filter(|_| origin != "custom");
    moved.unwrap_or_else(|| base.to_owned())
}

impl Beside {
    /// Reads what lies beside the rollouts of `base`, and the databases in `databases`, if they are still to be read.
    /// What cannot be read is handed to `fail`.
    pub fn add(&mut self, roots: &Roots, base: &Path, databases: Option<&Path>, fail: &mut dyn FnMut(ScanError)) {
        for (thread, name) in names(&base.join("session_index.jsonl")) {
            self.names.entry(thread).or_insert(name);
        }
        for (thread, import) in imports(base) {
            self.imports.entry(thread).or_insert(import);
        }
        let mut failed = |path: &Path, error: &ReadError| {
            fail(ScanError::read(path, error));
        };
        if let Some(state) = databases.and_then(|folder| database(folder, "state"))
            && let Err(error) = self.read_state(roots, &state)
        {
            failed(&state, &error);
        }
        if let Some(queue) = databases.and_then(|folder| database(folder, "queue"))
            && let Err(error) = self.read_queue(roots, &queue)
        {
            failed(&queue, &error);
        }
    }

    fn read_state(&mut self, roots: &Roots, file: &Path) -> Result<(), ReadError> {
        let snapshot = Snapshot::open(roots, file)?;
        let reader = snapshot.connect()?;
        // Columns come and go with the generations.
        let columns: HashSet<String> = reader.query("SELECT name FROM pragma_table_info('threads')", [], |r| r.get(0))?
            .into_iter().collect();
        if !columns.contains("id") {
            return Ok(());
        }
        let column = |name: &'static str| if columns.contains(name) { name } else { "NULL" };
        let sql = format!(
            "SELECT id, {}, {}, {} FROM threads ORDER BY id",
            column("name"),
            column("title"),
            column("first_user_message")
        );
        let text = |r: &rusqlite::Row<'_>, i: usize| -> Option<String> { r.get(i).ok() };
        for (id, name, title, first) in reader.query(&sql, [], |r| Ok((text(r, 0), text(r, 1), text(r, 2), text(r, 3))))? {
            let Some(id) = id else { continue };
            let title = name.filter(|n| !n.is_empty()).or(title.filter(|t| !t.is_empty() && Some(t) != first.as_ref()));
            if let Some(title) = title {
                self.titles.entry(id.clone()).or_insert(title);
            }
            self.known.insert(id);
        }
        Ok(())
    }

    fn read_queue(&mut self, roots: &Roots, file: &Path) -> Result<(), ReadError> {
        let snapshot = Snapshot::open(roots, file)?;
        let reader = snapshot.connect()?;
        if !reader.has_table(QUEUED)? {
            return Ok(());
        }
        let sql = "SELECT CAST(thread_id AS TEXT), sum(length(CAST(payload_json AS BLOB))), max(max(created_at_ms), max(updated_at_ms))
            FROM queued_items GROUP BY thread_id";
        let rows = reader.query(sql, [], |r| {
            Ok((r.get::<_, Option<String>>(0)?, r.get::<_, Option<i64>>(1)?, r.get::<_, Option<i64>>(2)?))
        })?;
        for (thread, bytes, changed) in rows {
            let queued = Queued {
                file: file.to_owned(),
                bytes: u64::try_from(bytes.unwrap_or(0)).unwrap_or(0),
                mtime: changed.unwrap_or(0).saturating_mul(1_000_000),
            };
            self.queued.entry(thread.unwrap_or_default()).or_default().push(queued);
        }
        Ok(())
    }
}

/// Titles by conversation; the last one written counts.
fn names(index: &Path) -> HashMap<String, String> {
    let mut titles = HashMap::new();
    if let Ok(file) = crate::roots::open_plain(index) {
        // A damaged index costs titles, never a conversation.
        let _ = read_records(BufReader::new(file), |span| {
            if let Content::Record(entry, _) = span.content {
                let text = |key| entry.get(key).and_then(Value::non_empty);
                if let (Some(id), Some(title)) = (text("id"), text("thread_name")) {
                    titles.insert(id.into_owned(), title.into_owned());
                }
            }
        });
    }
    titles
}

/// The ledger of conversations that were taken over. A damaged one costs a remark, never a conversation.
fn imports(base: &Path) -> HashMap<String, Import> {
    let mut tape = Tape::new();
    let bytes = super::discovery::read_small(&base.join("external_agent_session_imports.json"));
    let Ok(ledger) = tape.read_whole(&bytes) else { return HashMap::new() };
    let record = |record: Value<'_>| {
        let text = |key: &str| record.get(key).and_then(Value::non_empty).map(std::borrow::Cow::into_owned);
        let path = text("source_path").or_else(|| text("source_session_id")).unwrap_or_default();
        Some((text("imported_thread_id")?, Import { path, title: text("title") }))
    };
    ledger.get("records").unwrap_or(ledger).items().filter_map(record).collect()
}

/// Adds the prompts that a conversation has in the queue.
pub(super) fn add_queued(roots: &Roots, queued: &Queued, thread: &str, evidence: &mut Evidence) -> Result<(), ReadError> {
    let snapshot = Snapshot::open(roots, &queued.file)?;
    let reader = snapshot.connect()?;
    evidence.notices.push(snapshot.notice());
    let file: std::sync::Arc<str> = crate::roots::display(&queued.file);
    let sql = "SELECT CAST(id AS TEXT), CAST(payload_json AS BLOB), CAST(created_at_ms AS TEXT) FROM queued_items
        WHERE CAST(thread_id AS TEXT) = ? ORDER BY queue_order, id";
    let rows = reader.query(sql, [thread], |r| {
        Ok((r.get::<_, Option<String>>(0)?, r.get::<_, Option<Vec<u8>>>(1)?, r.get::<_, Option<String>>(2)?))
    })?;
    for (id, payload, at) in rows {
        let key: Option<std::sync::Arc<str>> = id.map(Into::into);
        let row = |table: &str, value: Option<Vec<u8>>| Row { file: file.clone(), table: table.into(), key: key.clone(), value };
        evidence.rows.push(row(QUEUED, payload));
        evidence.consulted_rows.push(row(QUEUED_AT, at.map(String::into_bytes)));
    }
    Ok(())
}
