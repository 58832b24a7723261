//! Two databases of the command line tool. `session-store.db` is derived from the sessions and is the only copy of
//! one whose files are gone: its prompts and answers without calls, results and thinking. `session.db` in a
//! session's folder holds its tasks.
//!
//! Tables and columns are read by name where they are known; nobody has published them, so any other column with
//! text is kept as it is. Deliberately absent: the full-text index, which repeats the rest.

use super::node::Node;
use super::words;
use crate::readers::json::Tape;
use crate::readers::sqlite::{Reader, Snapshot};
use crate::{Account, Evidence, Fate, ReadError, Roots, Row, roots};
use assay_model::{Kind, Message, MessageType, NoticeCode, Reason, Timestamp, When, text};
use rusqlite::types::ValueRef;
use std::path::Path;

/// What is missing where the derived database is the only copy of a session.
pub(super) const NO_FILES: &str = "the session's files are gone; its database has prompts and answers only";
/// What is missing where only the tasks of a session are left.
pub(super) const NO_EVENTS: &str = "events.jsonl";

/// The table of sessions, and the column that says in others to which one a row belongs.
const SESSIONS: &str = "sessions";
const OF_SESSION: &str = "session_id";

/// Columns that say which row of which session something is, and those that are known about it.
const KNOWN: &[&str] = &[
    "id", "session_id", "turn_index", "timestamp", "created_at", "updated_at", "first_seen_at", "checkpoint_number",
    "cwd", "repository", "branch", "host_type", "summary", "name", "model", "file_path", "tool_name", "ref_type",
    "ref_value", "todo_id", "depends_on", "status",
];

/// Table, column, who says it, as what.
const SAID: &[(&str, &str, MessageType, Kind)] = &[
    ("turns", "user_message", MessageType::User, Kind::Text),
    ("turns", "assistant_response", MessageType::Assistant, Kind::Text),
];

/// Tables of which a row is one event, with the columns that read by themselves.
const EVENTS: &[(&str, &[&str])] = &[
    (
        "checkpoints",
        &["title", "overview", "history", "work_done", "technical_details", "important_files", "next_steps", "content"],
    ),
    ("todos", &["title", "description"]),
];

/// The sessions in a `session-store.db`, and its tables with rows that name none: their names and numbers.
pub(super) fn sessions(roots: &Roots, path: &Path) -> Result<(Vec<String>, Vec<String>), ReadError> {
    let snapshot = Snapshot::open(roots, path)?;
    let reader = snapshot.connect()?;
    let mut others = Vec::new();
    for table in tables(&reader)? {
        if table != SESSIONS && !columns(&reader, &table)?.iter().any(|c| c == OF_SESSION) {
            let count = format!("SELECT count(*) FROM {}", quoted(&table));
            let count: Vec<i64> = reader.query(&count, [], |row| row.get(0))?;
            others.extend(count.first().filter(|count| **count > 0).map(|count| format!("{table} {count}")));
        }
    }
    if !columns(&reader, SESSIONS)?.iter().any(|c| c == "id") {
        return Ok((Vec::new(), others));
    }
    let ids = "SELECT CAST(id AS TEXT) FROM sessions WHERE id IS NOT NULL ORDER BY 1";
    Ok((reader.query(ids, [], |row| row.get(0))?, others))
}

/// The tables that hold rows, the session's own first. What the full-text index is made of repeats the rest.
fn tables(reader: &Reader<'_>) -> Result<Vec<String>, ReadError> {
    let plain = "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' \
                 AND name NOT LIKE 'sqlite_%' ORDER BY name <> 'sessions', name <> 'turns', name";
    reader.query(plain, [], |row| row.get(0))
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// Takes the rows of one session into the evidence, or with no `session` all rows of a database that is its own.
pub(super) fn collect(roots: &Roots, path: &Path, session: Option<&str>, evidence: &mut Evidence) -> Result<(), ReadError> {
    let snapshot = Snapshot::open(roots, path)?;
    let reader = snapshot.connect()?;
    for table in tables(&reader)? {
        let columns = columns(&reader, &table)?;
        let has = |name: &str| columns.iter().any(|c| c == name);
        let whose = match (session, table.as_str()) {
            (None, _) => "?1 IS NULL",
            (Some(_), SESSIONS) if has("id") => "CAST(id AS TEXT) = ?1",
            (Some(_), _) if has(OF_SESSION) => "CAST(session_id AS TEXT) = ?1",
            (Some(_), _) => continue, // not of any session: the place says which there are
        };
        // Some tables have no numbers of rows.
        let numberless = "SELECT wr FROM pragma_table_list WHERE schema = 'main' AND name = ?1";
        let numberless = reader.query(numberless, [&table], |row| row.get(0))?.first() == Some(&true);
        let number = if numberless { "row_number() OVER ()" } else { "rowid" };
        let order = if has("turn_index") { "turn_index, 1" } else { "1" };
        let sql = format!("SELECT {number}, * FROM {} WHERE {whose} ORDER BY {order}", quoted(&table));
        let file = roots::display(path);
        evidence.rows.extend(reader.query(&sql, [session], |row| {
            Ok(Row {
                file: file.clone(),
                table: table.as_str().into(),
                key: Some(row.get::<_, i64>(0)?.to_string().into()),
                value: Some(json(row, &columns)?.into_bytes()),
            })
        })?);
    }
    evidence.notices.push(snapshot.notice());
    Ok(())
}

fn columns(reader: &Reader<'_>, table: &str) -> Result<Vec<String>, ReadError> {
    reader.query("SELECT name FROM pragma_table_info(?1) ORDER BY cid", [table], |row| row.get(0))
}

/// A row as a JSON object of its columns, which is what an entry's bytes are counted in.
fn json(row: &rusqlite::Row<'_>, columns: &[String]) -> rusqlite::Result<String> {
    let mut object = serde_json::Map::new();
    for (at, column) in columns.iter().enumerate() {
        let value = match row.get_ref(at + 1)? {
            ValueRef::Null => continue,
            ValueRef::Integer(n) => n.into(),
            ValueRef::Real(n) => n.into(),
            ValueRef::Text(bytes) => String::from_utf8_lossy(bytes).into(),
            ValueRef::Blob(bytes) => crate::readers::binary::describe_bytes("application/octet-stream", bytes).into(),
        };
        object.insert(column.clone(), value);
    }
    Ok(serde_json::Value::Object(object).to_string())
}

/// Tells the rows of a session.
pub(super) fn tell(rows: &[Row], account: &mut Account, missing: Option<&str>) {
    if let Some(missing) = missing {
        account.notice(NoticeCode::BodyMissing, missing, None);
    }
    for row in rows {
        let mut tape = Tape::new();
        match tape.read_whole(row.bytes()) {
            Ok(value) => tell_row(row, &Node::of(value), account),
            Err(_) => {
                let kind = format!("store/{}", row.table);
                let entry = account.record(row.locator(), kind.clone(), row.bytes().len() as u64, Fate::Pending);
                account.unknown(entry, kind, &String::from_utf8_lossy(row.bytes()));
            }
        }
    }
}

fn tell_row(row: &Row, node: &Node, account: &mut Account) {
    let (table, key) = (&*row.table, row.key.as_deref().unwrap_or("row"));
    let fate = Fate::Folded(Reason::Metadata, None);
    let entry = account.record(row.locator(), format!("store/{table}"), row.bytes().len() as u64, fate);
    if table == SESSIONS {
        account.slug = node.get_str("summary").or(node.get_str("name")).map(str::to_owned);
        account.git_branch = node.get_str("branch").map(str::to_owned);
        account.created_at = node.get_str("created_at").and_then(time);
        if let Some(folder) = node.get_str("cwd") {
            account.project_dir = folder.to_owned();
            account.project_name = crate::account::base_name(folder).to_owned();
            account.cwd = Some(folder.to_owned());
        }
    }
    let when = ["timestamp", "created_at"].iter().find_map(|c| time(node.get_str(c)?)).map_or(When::MISSING, When::Recorded);
    let mut say = |column: &str, from: MessageType, kind: Kind, content: String, bytes: usize| {
        let locator = account.locator(entry).at(format!("/{column}"));
        let id = format!("{table}/{key}/{column}");
        let mut message = Message::recovered(id, from, kind, content, Reason::ExtendedCoverage, locator);
        message.when = when;
        message.has_code = kind == Kind::Text && text::has_fence(&message.content);
        let id = account.push(message);
        account.block(entry, format!("/{column}"), format!("store/{table}/{column}"), bytes, Fate::Recovered(id));
    };
    let mut told: Vec<&str> = Vec::new();
    for (_, column, from, kind) in SAID.iter().filter(|(of, ..)| *of == table) {
        if let Some(content) = node.get_str(column).filter(|c| !text::is_blank(c)) {
            say(column, *from, *kind, content.to_owned(), content.len());
            told.push(column);
        }
    }
    for (_, columns) in EVENTS.iter().filter(|(of, _)| *of == table) {
        let texts: Vec<&str> = columns.iter().filter_map(|c| node.get_str(c)).collect();
        if let Some(first) = columns.iter().find(|c| node.get_str(c).is_some()) {
            let state = node.get_str("status").map(|s| format!("\nstatus: {s}")).unwrap_or_default();
            let bytes = texts.iter().map(|t| t.len()).sum();
            say(first, MessageType::System, Kind::Event, texts.join("\n") + &state, bytes);
        }
        told.extend(*columns);
    }
    for (column, value) in node.members() {
        let bytes = words::text_len(value);
        if told.contains(&&**column) || value.str().is_none() || bytes == 0 {
            continue;
        }
        let pointer = format!("/{column}");
        if KNOWN.contains(&&**column) {
            let block = account.block(entry, pointer, format!("store/{table}/{column}"), bytes, fate);
            account.excerpt(block, &words::plain(value));
        } else {
            let block = account.block(entry, pointer, "column", bytes, Fate::Pending);
            let id = account.unknown(block, format!("store/{table}/{column}"), &words::plain(value));
            let message = account.message(id);
            message.id = format!("{table}/{key}/{column}");
            message.when = when;
        }
    }
}

/// RFC 3339, or what SQLite's `datetime()` writes.
fn time(text: &str) -> Option<Timestamp> {
    Timestamp::parse(text).or_else(|| Timestamp::parse(&format!("{}Z", text.trim().replacen(' ', "T", 1)))).filter(|t| t.is_sane())
}
