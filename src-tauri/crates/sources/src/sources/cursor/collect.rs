//! Gets hold of everything that a parse of one conversation needs. The last step that opens files.
//! Deliberately absent: what the rows mean.

use super::content;
use super::hint::{Hint, Store};
use super::index::{PROMPTS, TABS};
use super::keys::{self, BLOB, CHECKPOINT, TABLE, TABLES, bubble_key};
use super::{plans, store};
use crate::readers::json::{Tape, Value};
use crate::readers::sqlite::{Reader, Snapshot};
use crate::{Evidence, EvidenceFile, ReadError, Roots, Row, roots};
use assay_model::{Candidate, NoticeCode};
use std::collections::{BTreeSet, VecDeque};

/// More blobs than any conversation has.
const MOST_BLOBS: usize = 200_000;

/// Families of rows beside the bubbles, keyed by the composer.
const BESIDE: [&str; 6] = [
    "messageRequestContext",
    "codeBlockDiff",
    "codeBlockPartialInlineDiffFates",
    "checkpointId",
    "ofsContent",
    "agentKv:bubbleCheckpoint",
];

/// The evidence of a candidate.
pub(super) fn collect(roots: &Roots, candidate: &Candidate) -> Result<Evidence, ReadError> {
    let hint = Hint::read(candidate);
    let plans = hint.as_ref().map(|h| h.plans.clone()).unwrap_or_default();
    match hint.map(|h| h.store) {
        Some(Store::Composer { composer, .. }) => database(roots, candidate, |reader, evidence| {
            composer_rows(reader, &composer, evidence)?;
            plans::collect(reader, &plans, evidence)
        }),
        Some(Store::Plans) => database(roots, candidate, |reader, evidence| plans::collect(reader, &plans, evidence)),
        Some(Store::Tab { index }) => {
            database(roots, candidate, |reader, evidence| tab_row(reader, index, evidence))
        }
        Some(Store::Prompts { composers, global }) => {
            let mut evidence = database(roots, candidate, |reader, evidence| {
                for key in PROMPTS {
                    evidence.rows.extend(reader.row("ItemTable", key)?);
                }
                Ok(())
            })?;
            if let Some(global) = global {
                match prompts_of(roots, &global, &composers) {
                    Ok(mut said) => evidence.consulted_rows.append(&mut said),
                    // Without the bubbles nothing is a copy: that loses nothing, so it is no reason to fail.
                    Err(error) => evidence.notice(NoticeCode::BodyMissing, format!("prompts to compare with: {error}")),
                }
            }
            Ok(evidence)
        }
        Some(Store::Blobs) => {
            let mut evidence =
                database(roots, candidate, |reader, evidence| blob_rows(reader, candidate, evidence))?;
            let beside = candidate.file_path.with_file_name("meta.json");
            match EvidenceFile::open(roots, &beside) {
                Ok(file) => evidence.consulted.push(file),
                Err(ReadError::Gone(_)) => {}
                Err(error) => evidence.notice(NoticeCode::BodyMissing, error.to_string()),
            }
            Ok(evidence)
        }
        Some(Store::Transcript | Store::History | Store::Plan) | None => Evidence::of_file(roots, candidate),
    }
}

fn database(
    roots: &Roots,
    candidate: &Candidate,
    mut read: impl FnMut(&Reader<'_>, &mut Evidence) -> Result<(), ReadError>,
) -> Result<Evidence, ReadError> {
    Snapshot::read(roots, &candidate.file_path, TABLES, |snapshot, reader| {
        let mut evidence = Evidence::default();
        read(reader, &mut evidence)?;
        evidence.notices.push(snapshot.notice());
        Ok(evidence)
    })
}

fn composer_rows(reader: &Reader<'_>, composer: &str, evidence: &mut Evidence) -> Result<(), ReadError> {
    if !reader.has_table(TABLE)? {
        return Ok(());
    }
    evidence.rows.extend(reader.row(TABLE, &format!("composerData:{composer}"))?);
    let mut bubbles = reader.prefix_by_rowid(TABLE, &format!("bubbleId:{composer}:"))?;
    bubbles.retain(|row| row.key.as_deref().and_then(bubble_key).is_some_and(|(owner, _)| owner == composer));
    evidence.rows.append(&mut bubbles);
    for family in BESIDE {
        evidence.rows.append(&mut reader.prefix(TABLE, &format!("{family}:{composer}:"))?);
    }
    evidence.rows.extend(reader.row(TABLE, &format!("{CHECKPOINT}{composer}"))?);
    let bubbles = evidence.rows.iter().filter(|row| row.key.as_deref().and_then(keys::bubble_key).is_some());
    if bubbles.into_iter().all(|row| row.value.is_none()) {
        blob_tree(reader, evidence)?;
    }
    for key in content::keys(evidence.rows.iter().map(|r| r.bytes())) {
        evidence.consulted_rows.extend(reader.row(TABLE, &key)?);
    }
    Ok(())
}

/// The blobs that the conversation's own rows reach: all there is of it where its bubbles are gone.
fn blob_tree(reader: &Reader<'_>, evidence: &mut Evidence) -> Result<(), ReadError> {
    let mut open: VecDeque<String> = evidence.rows.iter().flat_map(|row| store::pointers(row.bytes())).collect();
    let mut seen: BTreeSet<String> = BTreeSet::new();
    while let Some(id) = open.pop_front() {
        if seen.len() >= MOST_BLOBS {
            evidence.notice(NoticeCode::BodyMissing, format!("blobs that are one too many, not read: {}", open.len() + 1));
            break;
        }
        if !seen.insert(id.clone()) {
            continue;
        }
        if let Some(row) = reader.row(TABLE, &format!("{BLOB}{id}"))? {
            open.extend(store::pointers(row.bytes()));
            evidence.rows.push(row);
        }
    }
    Ok(())
}

/// The row of the legacy chats with one tab in it, so that a conversation owns its own bytes only. A row that
/// cannot be read is given whole.
fn tab_row(reader: &Reader<'_>, index: usize, evidence: &mut Evidence) -> Result<(), ReadError> {
    let Some(row) = reader.row("ItemTable", TABS)? else { return Ok(()) };
    let mut tape = Tape::new();
    let tab = match tape.read_whole(row.bytes()) {
        Ok(value) => match value.get("tabs").and_then(|tabs| tabs.items().nth(index)) {
            Some(tab) => tab.raw().to_vec(),
            None => return Ok(()),
        },
        Err(_) => row.bytes().to_vec(),
    };
    let key = row.key.map(|key| format!("{key}#/tabs/{index}").into());
    evidence.rows.push(Row { key, value: Some(tab), ..row });
    Ok(())
}

/// What people said in these composers, to tell which prompts are copies.
fn prompts_of(roots: &Roots, global: &std::path::Path, composers: &[String]) -> Result<Vec<Row>, ReadError> {
    Snapshot::read(roots, global, TABLES, |_, reader| {
        let mut said = Vec::new();
        if !reader.has_table(TABLE)? {
            return Ok(said);
        }
        let mut tape = Tape::new();
        let mut is_user = |row: &Row| {
            let bubble = tape.read_whole(row.bytes()).ok();
            bubble.is_some_and(|bubble| bubble.get("type").and_then(Value::f64) == Some(1.0))
        };
        for composer in composers {
            said.extend(reader.prefix(TABLE, &format!("bubbleId:{composer}:"))?.into_iter().filter(|row| is_user(row)));
        }
        Ok(said)
    })
}

/// Everything in an agent's store: its blobs in the order of the table, then its own row.
fn blob_rows(reader: &Reader<'_>, candidate: &Candidate, evidence: &mut Evidence) -> Result<(), ReadError> {
    for (table, sql) in [("blobs", "SELECT id, data FROM blobs ORDER BY rowid"), ("meta", "SELECT key, value FROM meta")] {
        if !reader.has_table(table)? {
            continue;
        }
        let file = roots::display(&candidate.file_path);
        evidence.rows.append(&mut reader.query(sql, [], |row| {
            let value = row.get_ref(1)?;
            let null = matches!(value, rusqlite::types::ValueRef::Null);
            Ok(Row {
                file: file.clone(),
                table: table.into(),
                key: Some(super::keys::text(row)?.into()),
                value: (!null).then(|| value.as_bytes().unwrap_or_default().to_vec()),
            })
        })?);
    }
    Ok(())
}
