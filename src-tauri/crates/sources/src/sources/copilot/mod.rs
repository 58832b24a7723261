//! GitHub Copilot: chat sessions of VS Code and its kin, and the command line tool.
//!
//! `discovery` finds sessions (`editors`, `command_line`); `log` reads one into a `state` of `node`s, whose first
//! snapshot gives the messages of the published rules (`reference`); a `teller` accounts for everything, told what
//! things mean by `session`, `request`, `response`, `tool`, `parts` and `metadata`. Sessions of events (the command
//! line tool, transcripts of the extension) are `events`; before them there was `legacy`, and where they are gone
//! there may be a `store`. What lies beside a session is `beside`. Deliberately absent: stores of Visual Studio and
//! of JetBrains' editors.

mod beside;
mod command_line;
mod discovery;
mod editors;
mod event_types;
mod events;
mod fields;
mod hint;
mod known;
mod legacy;
mod log;
mod manifest;
mod metadata;
mod node;
mod parts;
mod reference;
mod request;
mod response;
mod session;
mod state;
mod store;
mod teller;
#[cfg(test)]
mod tests;
mod tool;
mod words;

use crate::readers::json::Tape;
use crate::readers::sqlite::Snapshot;
use crate::{
    Account, Detection, Evidence, EvidenceFile, Fate, ReadError, Roots, Row, ScanError, SourceAdapter, SourceManifest,
};
use assay_model::{Candidate, Link, NoticeCode, Reason, Relation};
use hint::{Copy, Element, Hint, Shape};

/// The adapter.
pub(super) struct Adapter;

impl SourceAdapter for Adapter {
    fn manifest(&self) -> &'static SourceManifest {
        &manifest::MANIFEST
    }

    fn detect(&self, roots: &Roots) -> Detection {
        let found = discovery::find(roots);
        Detection::with_errors(found.roots, &found.errors)
    }

    fn scan(&self, roots: &Roots, _found: &Detection, sink: &mut dyn FnMut(Result<Candidate, ScanError>)) {
        let found = discovery::find(roots);
        found.candidates.into_iter().for_each(|candidate| sink(Ok(candidate)));
        found.errors.into_iter().for_each(|error| sink(Err(error)));
    }

    fn collect(&self, roots: &Roots, candidate: &Candidate) -> Result<Evidence, ReadError> {
        let hint = Hint::read(candidate);
        let mut evidence = Evidence::default();
        if let Some(copy) = hint.copy_of.as_ref().filter(|copy| matches!(copy.shape, Shape::Log | Shape::Whole | Shape::Events)) {
            // It may be gone by now: then this is no copy of anything.
            evidence.consulted.extend(EvidenceFile::open(roots, &copy.path).ok());
        }
        let session = hint.session.as_ref().unwrap_or(&candidate.id);
        match (hint.shape, &hint.element) {
            (Shape::Store, _) => store::collect(roots, &candidate.file_path, Some(session), &mut evidence)?,
            (Shape::Tasks, _) => store::collect(roots, &candidate.file_path, None, &mut evidence)?,
            (_, Some(element)) => collect_row(roots, candidate, element, &mut evidence)?,
            (_, None) => {
                evidence.files.push(EvidenceFile::open(roots, &candidate.file_path)?);
            }
        }
        for path in &hint.beside {
            let read = match hint::is_database(path) {
                true => store::collect(roots, path, None, &mut evidence),
                false => EvidenceFile::open(roots, path).map(|file| evidence.files.push(file)),
            };
            // The session is not less of a session for what lies beside it.
            if let Err(error) = read {
                evidence.notice(NoticeCode::BodyMissing, error.to_string());
            }
        }
        Ok(evidence)
    }

    fn fill(&self, candidate: &Candidate, evidence: &Evidence, account: &mut Account) {
        let hint = Hint::read(candidate);
        if candidate.project_dir.is_empty() {
            account.project_name = "Global".to_owned();
        }
        if let Some(copy) = &hint.copy_of {
            account.links.push(Link { relation: Relation::Copy, conversation: copy.id.clone(), tool_call_id: None });
            account.notice(NoticeCode::DuplicateOf, copy.id.clone(), None);
            if is_contained(copy, candidate, evidence, &hint) {
                return account_for_copy(evidence, account);
            }
        }
        fill(&hint, evidence, account);
    }
}

fn collect_row(
    roots: &Roots,
    candidate: &Candidate,
    Element { key, index }: &Element,
    evidence: &mut Evidence,
) -> Result<(), ReadError> {
    let snapshot = Snapshot::open(roots, &candidate.file_path)?;
    let row = snapshot.connect()?.row("ItemTable", key)?;
    let gone = || ReadError::Gone(candidate.file_path.clone());
    let row = row.ok_or_else(gone)?;
    let mut tape = Tape::new();
    let value = tape.read_whole(row.bytes()).map_err(|_| gone())?;
    let element = editors::elements(value).nth(*index).ok_or_else(gone)?;
    let session = editors::session_of(key, element).ok_or_else(gone)?;
    let slice = |key: String, value: &[u8]| Row {
        key: Some(key.into()),
        value: Some(value.to_vec()),
        file: row.file.clone(),
        table: row.table.clone(),
    };
    evidence.rows.push(slice(format!("{key}/{index}"), session.raw()));
    // The text of the input box travels with a session that goes to another window.
    if let Some(typed) = element.get("inputValue").filter(|v| key == editors::TRANSFER && !v.is_default()) {
        evidence.rows.push(slice(format!("{key}/{index}/inputValue"), typed.raw()));
    }
    evidence.notices.push(snapshot.notice());
    Ok(())
}

fn fill(hint: &Hint, evidence: &Evidence, account: &mut Account) {
    let beside = evidence.files.get(1..).unwrap_or_default();
    let title = hint.title.clone();
    match (hint.shape, evidence.files.first(), evidence.rows.first()) {
        (Shape::Row, _, Some(row)) => {
            let read = log::read_row(account, row);
            session::tell(account, &read, title, &evidence.files);
            evidence.rows[1..].iter().for_each(|row| session::tell_typed(account, row));
        }
        (Shape::Log, Some(file), _) => {
            let read = log::read_log(account, file);
            session::tell(account, &read, title, beside);
        }
        (Shape::Whole, Some(file), _) => {
            let read = log::read_whole(account, file);
            session::tell(account, &read, title, beside);
        }
        (Shape::Events, Some(_), _) => {
            events::tell(account, &evidence.files);
            store::tell(&evidence.rows, account, None);
        }
        (Shape::Legacy, Some(file), _) => legacy::tell(account, file),
        (Shape::Store, ..) => store::tell(&evidence.rows, account, Some(store::NO_FILES)),
        (Shape::Tasks, ..) => store::tell(&evidence.rows, account, Some(store::NO_EVENTS)),
        (Shape::Row, _, None) | (Shape::Log | Shape::Whole | Shape::Events | Shape::Legacy, None, _) => {}
    }
}

/// Whether the session that goes by the plain id says everything that this copy of it says.
fn is_contained(copy: &Copy, candidate: &Candidate, evidence: &Evidence, hint: &Hint) -> bool {
    let Some(original) = evidence.consulted.first() else { return false };
    let theirs = told(&Hint { shape: copy.shape, copy_of: None, element: None, ..hint.clone() }, candidate, |account, of| {
        let read = match of.shape {
            Shape::Log => log::read_log(account, original),
            Shape::Whole => log::read_whole(account, original),
            Shape::Events => return events::tell(account, std::slice::from_ref(original)),
            Shape::Row | Shape::Legacy | Shape::Store | Shape::Tasks => return,
        };
        session::tell(account, &read, None, &[]);
    });
    let mine = told(hint, candidate, |account, of| fill(of, evidence, account));
    let (theirs, mine) = (texts(&theirs), texts(&mine));
    // A text that went on growing begins with what it was; the first text not before it in order is the one.
    let begins = |text: &str| theirs[theirs.partition_point(|t| *t < text)..].first().is_some_and(|t| t.starts_with(text));
    !mine.is_empty() && mine.into_iter().all(begins)
}

/// An account of its own of a session.
fn told(hint: &Hint, candidate: &Candidate, tell: impl FnOnce(&mut Account, &Hint)) -> Account {
    let mut account = Account::new(candidate, &Evidence::default());
    tell(&mut account, hint);
    account
}

/// Every text that a session says, in the order of the alphabet.
fn texts(account: &Account) -> Vec<&str> {
    let all = account.messages().iter().flat_map(|m| [Some(m.content.as_str()), m.thinking.as_deref()]);
    let mut texts: Vec<&str> = all.flatten().filter(|text| !text.is_empty()).collect();
    texts.sort_unstable();
    texts.dedup();
    texts
}

/// Accounts for a copy that says nothing of its own.
fn account_for_copy(evidence: &Evidence, account: &mut Account) {
    for file in &evidence.files {
        let locator = assay_model::Locator::Bytes {
            file: file.file.clone(),
            byte_start: 0,
            byte_end: file.bytes,
            line: 1,
            pointer: None,
        };
        if file.bytes > 0 {
            account.record(locator, "copy", file.bytes, Fate::Dropped(Reason::Duplicate));
        }
        account.extent(file.file.clone(), file.bytes);
    }
    for row in &evidence.rows {
        account.record(row.locator(), "copy", row.bytes().len() as u64, Fate::Dropped(Reason::Duplicate));
    }
}
