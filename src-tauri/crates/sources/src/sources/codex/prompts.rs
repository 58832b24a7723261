//! Prompts outside of rollouts: `history.jsonl`, which has every prompt that was submitted, and the queue of those
//! that were not yet.
//!
//! A prompt of the history that its conversation's rollout has, word for word, is a copy; one whose rollout is gone,
//! or does not have it, stands here. Deliberately absent: any match by time.

use super::beside::{QUEUED, QUEUED_AT};
use super::{context, discovery, readable};
use crate::readers::json::{JsonType, Tape, Value, pointer_to};
use crate::readers::records::Content;
use crate::{Account, Evidence, EvidenceFile, Fate, ReadError, Record, Roots, Row};
use assay_model::{Candidate, Kind, Locator, Message, MessageType, NoticeCode, Reason, Timestamp, When, text};
use foldhash::{HashMap, HashSet};
use memchr::memmem;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::Path;

/// The history's file name, and the id of the conversation that it is.
pub(super) const HISTORY: &str = "history.jsonl";
pub(super) const ID: &str = "history";

/// Opens a history, and what people said in the rollouts that are still there, in these folders.
pub(super) fn collect(
    roots: &Roots,
    candidate: &Candidate,
    folders: &[&Path],
) -> Result<Evidence, ReadError> {
    let mut evidence = Evidence::of_file(roots, candidate)?;
    let mut named: BTreeSet<String> = BTreeSet::new();
    let listed = evidence.files[0].records(|span| {
        if let Content::Record(prompt, _) = span.content {
            named.extend(prompt.get("session_id").and_then(Value::non_empty).map(Cow::into_owned));
        }
    });
    listed.map_err(|e| ReadError::io(&candidate.file_path, &e))?;
    for (id, path) in folders.iter().flat_map(|folder| discovery::rollouts(folder)) {
        if named.contains(&id) {
            // One that is gone by now has nothing to say; one that cannot be read is reported as itself.
            let said = EvidenceFile::open(roots, &path).ok().and_then(|f| said_in(&f).ok());
            evidence.consulted.extend(said.map(|said| EvidenceFile::memory(&id, said)));
        }
    }
    Ok(evidence)
}

/// What people said in a rollout: a JSON object a line.
fn said_in(rollout: &EvidenceFile) -> std::io::Result<Vec<u8>> {
    let mentions = [&b"user_message"[..], b"UserMessage", b"input_text"].map(memmem::Finder::new);
    let mut found = Vec::new();
    rollout.records(|span| {
        if !mentions.iter().any(|m| m.find(span.bytes).is_some()) {
            return;
        }
        let Content::Record(record, _) = span.content else { return };
        let body = record.get("payload").unwrap_or(record);
        let body = body.get("item").unwrap_or(body);
        let mut texts: Vec<Cow<'_, str>> = body.get_str("message").into_iter().collect();
        if body.get_str("role").is_none_or(|role| role == "user") {
            let parts = body.get("content").into_iter().flat_map(Value::items);
            let parts: Vec<_> = parts.filter_map(|part| part.get_str("text")).collect();
            texts.extend((parts.len() > 1).then(|| parts.join("\n").into()));
            texts.extend(parts);
        }
        for said in texts {
            let line = serde_json::json!({ "said": said }).to_string();
            found.extend_from_slice(line.as_bytes());
            found.push(b'\n');
        }
    })?;
    Ok(found)
}

fn plain(text: &str) -> String {
    text::trim(text).replace("\r\n", "\n")
}

/// Reads a history into `account`.
pub(super) fn fill_history(evidence: &Evidence, account: &mut Account) {
    let Some(file) = evidence.files.first() else { return };
    let mut sessions: HashMap<&str, HashSet<String>> = HashMap::default();
    for consulted in &evidence.consulted {
        let said = sessions.entry(&consulted.file).or_default();
        // It was made a moment ago: every line is an object.
        let _ = consulted.records(|span| {
            if let Content::Record(line, _) = span.content
                && let Some(text) = line.get_str("said")
            {
                said.insert(plain(&text));
                said.insert(plain(context::split_request(&text).1));
            }
        });
    }
    ID.clone_into(&mut account.project_name);
    let mut history = History { sessions, gone: BTreeSet::new(), prompts: 0 };
    account.read_jsonl(file, |account, record| history.prompt(account, &record));
    if history.prompts > 0 {
        let detail = format!("sessions {} prompts {}", history.gone.len(), history.prompts);
        account.notice(NoticeCode::BodyMissing, detail, None);
    }
}

struct History<'e> {
    sessions: HashMap<&'e str, HashSet<String>>,
    /// Conversations that have no rollout, and how many prompts of theirs stand here.
    gone: BTreeSet<String>,
    prompts: u64,
}

impl History<'_> {
    fn prompt(&mut self, account: &mut Account, record: &Record<'_>) {
        let value = record.value;
        account.set_kind(record.entry, "prompt");
        let Some(prompt) = value.get_str("text") else {
            account.unknown(record.entry, "prompt/no-text", &value.raw_text());
            return;
        };
        let session = value.get("session_id").and_then(Value::non_empty);
        let said = session.as_deref().and_then(|s| self.sessions.get(s));
        // The tool writes whole seconds here.
        let seconds = value.get("ts").and_then(Value::i64).and_then(|ts| Timestamp::from_millis(ts.checked_mul(1000)?));
        let when = match seconds.filter(|at| at.is_sane()) {
            Some(at) => When::Recorded(at),
            None => account.time(value.get("ts"), record.locator),
        };
        let block = |account: &mut Account, fate| {
            account.block(record.entry, "/text", "prompt/text", prompt.len(), fate)
        };
        if said.is_some_and(|said| said.contains(&plain(&prompt))) {
            let block = block(account, Fate::Folded(Reason::Duplicate, None));
            account.excerpt(block, &prompt);
        } else if text::is_blank(&prompt) {
            block(account, Fate::Dropped(Reason::EmptyMessage));
        } else {
            let start = if let Locator::Bytes { byte_start, .. } = record.locator { *byte_start } else { 0 };
            let place = record.locator.at("/text");
            let id = account.push(Message {
                when,
                has_code: text::has_fence(&prompt),
                ..Message::recovered(
                    format!("@{start}"),
                    MessageType::User,
                    Kind::Text,
                    &*prompt,
                    Reason::ExtendedCoverage,
                    place,
                )
            });
            block(account, Fate::Recovered(id));
            if said.is_none() {
                self.prompts += 1;
                self.gone.extend(session.as_deref().map(str::to_owned));
            }
        }
        for (key, field) in value.entries().filter(|(key, field)| !matches!(&**key, "text" | "ts") && !field.is_default()) {
            let pointer = pointer_to("", &key);
            let text = readable::text(field);
            let name = format!("prompt/{key}");
            if key == "session_id" {
                let fate = Fate::Folded(Reason::Metadata, None);
                let block = account.block(record.entry, pointer, name, text.len(), fate);
                account.excerpt(block, &text);
            } else {
                let block = account.block(record.entry, pointer, name.clone(), text.len(), Fate::Pending);
                account.unknown(block, name, &text);
            }
        }
    }
}

/// Reads the prompts of a conversation that wait in the queue: after everything else, in their order.
pub(super) fn fill_queued(evidence: &Evidence, account: &mut Account) {
    let mut ids: HashSet<String> = HashSet::default();
    for row in evidence.rows.iter().filter(|row| &*row.table == QUEUED) {
        let at = evidence.consulted_rows.iter().find(|r| &*r.table == QUEUED_AT && r.key == row.key && r.file == row.file);
        let at = at.and_then(|r| std::str::from_utf8(r.bytes()).ok()?.parse().ok()).and_then(Timestamp::from_millis);
        let mut id = format!("queued-{}", row.key.as_deref().unwrap_or(""));
        while !ids.insert(id.clone()) {
            id.push('+'); // two queues may both have a first row
        }
        queued(row, id, at.map_or(When::MISSING, When::Recorded), account);
    }
}

fn queued(row: &Row, id: String, when: When, account: &mut Account) {
    let locator = row.locator();
    let entry = account.record(locator.clone(), "queued-prompt", row.bytes().len() as u64, Fate::Dropped(Reason::EmptyMessage));
    let mut tape = Tape::new();
    let Ok(payload) = tape.read_whole(row.bytes()) else {
        if !row.bytes().is_empty() {
            account.unknown(entry, "queued-prompt/malformed", &String::from_utf8_lossy(row.bytes()));
        }
        return;
    };
    account.repaired(&locator, payload.repairs());
    let parts = parts(payload);
    if parts.iter().all(|part| part.text.is_none()) {
        // Its shape is not published.
        let raw = account.unknown(entry, "queued-prompt", &readable::text(payload));
        account.message(raw).when = when;
        return;
    }
    let words: Vec<&str> = parts.iter().filter_map(|part| part.text.as_deref()).collect();
    let message = Message::recovered(
        id.clone(),
        MessageType::User,
        Kind::Draft,
        words.join("\n"),
        Reason::QueuedPrompt,
        locator.clone(),
    );
    let draft = account.push(Message { when, ..message });
    for (n, part) in parts.into_iter().enumerate() {
        match part.text {
            Some(text) => {
                account.block(entry, part.pointer, "queued-prompt/text", text.len(), Fate::Recovered(draft));
            }
            None if part.value.is_default() => {}
            None if part.is_item => {
                let text = readable::text(part.value);
                let place = locator.at(part.pointer.as_str());
                let message = Message::recovered(
                    format!("{id}.{n}"),
                    MessageType::User,
                    Kind::Attachment,
                    text,
                    Reason::Attachment,
                    place,
                );
                account.recover(entry, part.pointer, "queued-prompt/item", Message { when, ..message });
            }
            None => {
                let raw = part.value.raw_text();
                let fate = Fate::Folded(Reason::Metadata, Some(draft));
                let block = account.block(entry, part.pointer, "queued-prompt/about", raw.len(), fate);
                account.excerpt(block, &raw);
            }
        }
    }
}

/// One thing that a queued prompt says.
struct Part<'a> {
    pointer: String,
    value: Value<'a>,
    text: Option<String>,
    /// Whether it stands in a list of what is to be sent.
    is_item: bool,
}

/// Takes a payload apart: lists of items with texts in them, a plain text, and everything about them.
fn parts(payload: Value<'_>) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    if let Some(text) = payload.non_empty() {
        parts.push(Part { pointer: String::new(), value: payload, text: Some(text.into_owned()), is_item: true });
    }
    items(payload, "", &mut parts);
    for (key, value) in payload.entries() {
        let pointer = pointer_to("", &key);
        let said = matches!(&*key, "text" | "message" | "prompt").then(|| value.non_empty()).flatten();
        match said {
            Some(text) => {
                parts.push(Part { pointer, value, text: Some(text.into_owned()), is_item: true });
            }
            None if value.items().any(|item| item.get_str("text").is_some() || item.get_str("type").is_some()) => {
                items(value, &pointer, &mut parts);
            }
            None => parts.push(Part { pointer, value, text: None, is_item: false }),
        }
    }
    parts
}

fn items<'a>(list: Value<'a>, pointer: &str, parts: &mut Vec<Part<'a>>) {
    for (i, value) in list.items().enumerate() {
        let text = value.get("text").or(Some(value)).filter(|t| t.kind() == JsonType::String).and_then(Value::non_empty);
        let inside = if value.kind() == JsonType::String { "" } else { "/text" };
        let pointer = if text.is_some() { format!("{pointer}/{i}{inside}") } else { format!("{pointer}/{i}") };
        parts.push(Part { pointer, value, text: text.map(Cow::into_owned), is_item: true });
    }
}
