//! Cuts what a conversation owns out of the rows it shares with others.

use super::super::codex;
use super::places;
use super::store::{self, Family, TABLE, TABLES};
use super::survey::keys;
use crate::readers::json::{Tape, Value};
use crate::readers::sqlite::{Reader, Snapshot};
use crate::{Evidence, EvidenceFile, ReadError, Roots, Row, roots};
use assay_model::{Candidate, NoticeCode};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// Where a session stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Spot {
    /// The database.
    pub file: PathBuf,
    /// The row.
    pub key: String,
    /// The place in its value.
    pub pointer: String,
    /// The same as bytes, so that a long row is not read again for each of its sessions.
    pub start: u64,
    /// See [`Spot::start`].
    pub length: u64,
    /// The member's name, where it alone says which session it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// Where something is said about a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Fact {
    /// The database.
    pub file: PathBuf,
    /// The row.
    pub key: String,
    /// The place in its value; empty for all of it.
    pub pointer: String,
    /// What is said, as it is written. So short that the row is not read again for each session it names.
    pub said: String,
}

/// What a candidate stands for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Hint {
    /// A session.
    Session {
        /// The first is it, the others are copies.
        spots: Vec<Spot>,
        /// Files with pasted content that it names.
        pasted: Vec<PathBuf>,
        /// What is said about it elsewhere.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        facts: Vec<Fact>,
    },
    /// A session that is only named somewhere: what is said about it.
    Named {
        /// Where it is named.
        facts: Vec<Fact>,
    },
    /// A rollout of the command line, with what its finder says.
    Rollout(serde_json::Value),
    /// What a store holds beside its sessions.
    Loose {
        /// Files with pasted content that no session names.
        pasted: Vec<PathBuf>,
    },
}

impl Hint {
    /// As a candidate carries it.
    pub fn to_json(&self) -> serde_json::Value {
        serde_json::to_value(self).unwrap_or_default()
    }

    /// What `candidate` stands for.
    pub fn of(candidate: &Candidate) -> Self {
        serde_json::from_value(candidate.hint.clone()).unwrap_or(Hint::Loose { pasted: Vec::new() })
    }
}

/// Gets hold of everything that a conversation owns.
pub(super) fn collect(roots: &Roots, candidate: &Candidate) -> Result<Evidence, ReadError> {
    let (mut evidence, pasted) = match Hint::of(candidate) {
        Hint::Session { spots, pasted, facts } => (session(roots, candidate, &spots, &facts)?, pasted),
        Hint::Named { facts } => (named(roots, candidate, &facts), Vec::new()),
        Hint::Rollout(hint) => return codex::collect(roots, &Candidate { hint, ..candidate.clone() }),
        Hint::Loose { pasted } => (loose(roots, candidate)?, pasted),
    };
    for path in pasted {
        match EvidenceFile::open(roots, &path) {
            Ok(file) => evidence.files.push(file),
            Err(error) => evidence.notice(NoticeCode::BodyMissing, error.to_string()),
        }
    }
    Ok(evidence)
}

/// The first spot must be there; a copy that is gone meanwhile is not missed.
fn session(roots: &Roots, candidate: &Candidate, spots: &[Spot], facts: &[Fact]) -> Result<Evidence, ReadError> {
    let mut evidence = Evidence::default();
    for (i, spot) in spots.iter().enumerate() {
        let found = Snapshot::read(roots, &spot.file, TABLES, |snapshot, reader| {
            let mut here = Evidence::default();
            if !spots[..i].iter().any(|earlier| earlier.file == spot.file) {
                here.notices.push(snapshot.notice());
            }
            let found = cut(reader, spot, &candidate.id, &mut here)?;
            if i == 0 {
                beside(reader, &candidate.id, &mut here.rows)?;
            }
            Ok(found.then_some(here))
        });
        match found {
            Ok(Some(mut here)) => {
                evidence.rows.append(&mut here.rows);
                evidence.notices.append(&mut here.notices);
            }
            Ok(None) if i == 0 => return Err(ReadError::Gone(spot.file.clone())),
            Err(error) if i == 0 => return Err(error),
            Ok(None) | Err(_) => {
                let detail = format!("{} {}", spot.file.display(), spot.key);
                evidence.notice(NoticeCode::ChangedWhileReading, detail);
            }
        }
    }
    add_facts(facts, &mut evidence);
    if candidate.file_path.extension().is_some_and(|e| e == "backup") {
        evidence.notice(NoticeCode::BodyMissing, "state.vscdb");
    }
    if places::has_encrypted_store(roots, &candidate.file_path) {
        evidence.notice(NoticeCode::EncryptedStore, "ModularData/ai-agent/database.db");
    }
    Ok(evidence)
}

/// What is said about a session that is only named.
fn named(roots: &Roots, candidate: &Candidate, facts: &[Fact]) -> Evidence {
    let mut evidence = Evidence::default();
    add_facts(facts, &mut evidence);
    if places::has_encrypted_store(roots, &candidate.file_path) {
        evidence.notice(NoticeCode::EncryptedStore, "ModularData/ai-agent/database.db");
    }
    evidence
}

/// Adds what is said about a session.
fn add_facts(facts: &[Fact], evidence: &mut Evidence) {
    evidence.rows.extend(facts.iter().map(|fact| {
        let key = if fact.pointer.is_empty() { fact.key.clone() } else { store::slice_key(&fact.key, &fact.pointer) };
        Row {
            file: roots::display(&fact.file),
            table: TABLE.into(),
            key: Some(key.into()),
            value: Some(fact.said.clone().into_bytes()),
        }
    }));
}

/// Cuts one session into its head and its messages. Whether it was found.
fn cut(reader: &Reader<'_>, spot: &Spot, id: &str, evidence: &mut Evidence) -> Result<bool, ReadError> {
    // A row that holds numbers or is of another encoding has no such piece, and is read whole below.
    let piece = reader.piece(TABLE, &spot.key, spot.start as usize, spot.length as usize);
    let slice = piece.ok().flatten().unwrap_or_default();
    let mut tape = Tape::new();
    if let Ok(value) = tape.read_whole(&slice) {
        let element = store::Element { pointer: spot.pointer.clone(), value, name: spot.name.clone() };
        if element.id().as_deref() == Some(id) {
            split(&spot.file, &spot.key, &element, &mut evidence.rows);
            return Ok(true);
        }
    }
    // The row changed since the scan, is damaged, or names the session outside of it.
    let Some(row) = reader.row(TABLE, &spot.key)? else { return Ok(false) };
    Ok(store::read(row.bytes(), |read| {
        let elements = read.value.map(|value| store::take(value).elements).unwrap_or_default();
        let at_spot = elements.iter().find(|e| e.pointer == spot.pointer && e.id().is_none_or(|own| own == id));
        let Some(element) = at_spot.or_else(|| elements.iter().find(|e| e.id().as_deref() == Some(id))) else {
            return false;
        };
        split(&spot.file, &spot.key, element, &mut evidence.rows);
        if let Some(damage) = read.damage {
            evidence.notice(NoticeCode::TruncatedFile, format!("{} {damage}", spot.key));
            if element.value.span().end > damage {
                evidence.notice(NoticeCode::BodyMissing, "messages");
            }
        }
        true
    }))
}

/// A row for the session without its messages, and one for each message.
fn split(file: &Path, key: &str, element: &store::Element<'_>, rows: &mut Vec<Row>) {
    let whole = element.value.raw();
    let mut push = |pointer: &str, value: Vec<u8>| {
        rows.push(slice(file, key, pointer, value));
    };
    match element.messages() {
        None => push(&element.pointer, whole.to_vec()),
        Some((name, list)) => {
            let (start, inside) = (element.value.span().start, list.span());
            let (before, after) = (&whole[..=inside.start - start], &whole[inside.end - start - 1..]);
            push(&element.pointer, [before, after].concat());
            for (step, message) in store::members(list) {
                push(&format!("{}/{name}{step}", element.pointer), message.raw().to_vec());
            }
        }
    }
}

fn slice(file: &Path, key: &str, pointer: &str, value: Vec<u8>) -> Row {
    let key = store::slice_key(key, pointer);
    Row { file: roots::display(file), table: TABLE.into(), key: Some(key.into()), value: Some(value) }
}

/// Rows about a session beside the one it stands in.
fn beside(reader: &Reader<'_>, id: &str, rows: &mut Vec<Row>) -> Result<(), ReadError> {
    for (key, family) in keys(reader)? {
        match family {
            Family::Draft | Family::Suggestion if store::session_of(&key, family) == Some(id) => {
                rows.extend(reader.row(TABLE, &key)?);
            }
            Family::Draft | Family::Suggestion | Family::Sessions | Family::History | Family::Facts | Family::Last => {}
        }
    }
    Ok(())
}

/// What a store holds beside its sessions. The sessions' prompts are consulted, to know copies.
fn loose(roots: &Roots, candidate: &Candidate) -> Result<Evidence, ReadError> {
    let file = &candidate.file_path;
    Snapshot::read(roots, file, TABLES, |snapshot, reader| {
        Ok(Evidence { notices: vec![snapshot.notice()], ..loose_rows(file, reader)? })
    })
}

fn loose_rows(file: &Path, reader: &Reader<'_>) -> Result<Evidence, ReadError> {
    let mut evidence = Evidence::default();
    let keys = keys(reader)?;
    let mut known = HashSet::new();
    for (key, _) in keys.iter().filter(|(_, family)| *family == Family::Sessions) {
        let Some(row) = reader.row(TABLE, key)? else { continue };
        store::read(row.bytes(), |read| loose_in(file, key, row.bytes(), &read, &mut known, &mut evidence.rows));
        evidence.consulted_rows.push(row);
    }
    for (key, family) in &keys {
        match family {
            Family::History => {
                if let Some(row) = reader.row(TABLE, key)? {
                    history(file, key, row, &mut evidence.rows);
                }
            }
            Family::Draft | Family::Suggestion => {
                let owner = store::session_of(key, *family);
                if owner.is_none_or(|id| !known.contains(id)) {
                    evidence.rows.extend(reader.row(TABLE, key)?);
                }
            }
            Family::Facts => {
                // Only what names no session: the rest is told with those.
                let row = reader.row(TABLE, key)?;
                evidence.rows.extend(row.filter(|row| store::named(row.bytes(), *family).is_none()));
            }
            Family::Sessions | Family::Last => {}
        }
    }
    Ok(evidence)
}

/// What of a row of sessions is no session: damage, and what nobody knows.
fn loose_in(
    file: &Path,
    key: &str,
    bytes: &[u8],
    read: &store::Read<'_>,
    known: &mut HashSet<String>,
    rows: &mut Vec<Row>,
) {
    let taken = read.value.map(store::take).unwrap_or_default();
    for element in &taken.elements {
        if element.value.entries().next().is_some() {
            known.extend(element.id());
        } else if store::has_text(element.value) {
            rows.push(slice(file, key, &element.pointer, element.value.raw().to_vec()));
        }
    }
    rows.extend(taken.rest.iter().map(|rest| slice(file, key, &rest.pointer, rest.value.raw().to_vec())));
    if let Some(damage) = read.damage {
        rows.push(slice(file, key, "", bytes[damage.min(bytes.len())..].to_vec()));
    }
}

/// One row for each prompt.
fn history(file: &Path, key: &str, row: Row, rows: &mut Vec<Row>) {
    let mut tape = Tape::new();
    match tape.read_whole(row.bytes()) {
        Ok(value) if value.items().next().is_some() => {
            let prompts = store::members(value);
            rows.extend(prompts.into_iter().map(|(step, prompt): (_, Value<'_>)| {
                slice(file, key, &step, prompt.raw().to_vec())
            }));
        }
        Ok(_) | Err(_) => rows.push(row),
    }
}

/// Texts and images that were pasted into prompts, set aside beside a workspace's database, and the folders of
/// them that cannot be listed.
pub(super) fn sidecars(database: &Path) -> (Vec<PathBuf>, Vec<(PathBuf, ReadError)>) {
    let (mut files, mut closed) = (Vec::new(), Vec::new());
    let folders = database.parent().into_iter().flat_map(|folder| ["long-text", "paste-files"].map(|name| folder.join(name)));
    for folder in folders.filter(|folder| std::fs::symlink_metadata(folder).is_ok()) {
        for entry in walkdir::WalkDir::new(&folder).max_depth(4).sort_by_file_name() {
            match entry {
                Ok(entry) if entry.file_type().is_file() => files.push(entry.into_path()),
                Ok(_) => {}
                Err(error) => {
                    let path = error.path().unwrap_or(&folder).to_owned();
                    let error = error.into_io_error().unwrap_or_else(|| std::io::Error::other("a circle of links"));
                    let error = ReadError::io(&path, &error);
                    closed.push((path, error));
                }
            }
        }
    }
    (files, closed)
}
