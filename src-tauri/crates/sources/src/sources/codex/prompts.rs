//! Prompts outside of rollouts: `history.jsonl`, which has every prompt that was submitted, and the queue of those
//! that were not yet.
//!
//! Deliberately absent: which prompts of the history are copies, see [`crate::prompts`].

use super::beside::{QUEUED, QUEUED_AT};
use super::{context, discovery, readable};
use crate::prompts::{self, Fields, Saying, plain};
use crate::readers::json::{JsonType, Tape, Value, pointer_to};
use crate::{Account, Evidence, Fate, ReadError, Record, Roots, Row};
use assay_model::{Candidate, Kind, Message, MessageType, Reason, Timestamp, When};
use foldhash::HashSet;
use std::borrow::Cow;
use std::path::Path;

pub(super) use crate::prompts::{FILE as HISTORY, ID};

/// Opens a history, and what people said in the rollouts that are still there, in these folders.
pub(super) fn collect(roots: &Roots, candidate: &Candidate, folders: &[&Path]) -> Result<Evidence, ReadError> {
    prompts::collect::<Submitted>(roots, candidate, folders.iter().flat_map(|folder| discovery::rollouts(folder)))
}

/// Reads a history into `account`.
pub(super) fn fill_history(evidence: &Evidence, account: &mut Account) {
    prompts::fill(&Submitted, evidence, |_| false, account);
}

/// What was submitted.
struct Submitted;

impl prompts::History for Submitted {
    const FIELDS: Fields =
        Fields { words: "text", time: "ts", seconds: true, conversation: "session_id", place: None, beside: None };
    const MENTIONS: &'static [&'static str] = &["user_message", "UserMessage", "input_text"];

    fn saying(record: Value<'_>) -> Option<Saying> {
        let body = record.get("payload").unwrap_or(record);
        let item = body.get("item").unwrap_or(body);
        let is_prompt = item.get_str("role").is_some_and(|role| role == "user");
        let (stream, content) = match &*item.get_str("type").unwrap_or_default() {
            "user_message" => (0, item.get("message")?),
            "UserMessage" => (2, item.get("content")?),
            "message" | "" if is_prompt => (1, item.get("content")?),
            _ => return None,
        };
        let parts = content.items().filter_map(|part| part.str().or_else(|| part.get_str("text")));
        let mut parts: Vec<String> = content.str().into_iter().chain(parts).map(Cow::into_owned).collect();
        if parts.len() > 1 {
            parts.push(parts.join("\n"));
        }
        let at = record.get_str("timestamp").and_then(|t| Timestamp::parse(&t));
        // A rollout and its copy in the archive both have it.
        let id = at.zip(parts.last()).map(|(at, said)| format!("{at} {said}"));
        let texts = parts.iter().flat_map(|said| [plain(said), plain(context::split_request(said).1)]).collect();
        Some(Saying { stream, id, at, texts })
    }

    fn forms(&self, _: Value<'_>, words: &str) -> Vec<String> {
        vec![plain(words)]
    }

    fn has_gaps(&self, _: &str) -> bool {
        false
    }

    fn fits(&self, _: &str, _: &str) -> bool {
        false
    }

    fn beside(&self, _: &mut Account, _: &Record<'_>, _: When, _: Option<&[String]>) {}
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
        let item = format!("{pointer}/{i}");
        if text.is_none() || value.kind() == JsonType::String {
            parts.push(Part { pointer: item, value, text: text.map(Cow::into_owned), is_item: true });
            continue;
        }
        for (key, value) in value.entries().filter(|(key, _)| key != "type") {
            let said = if key == "text" { text.as_deref().map(str::to_owned) } else { None };
            let is_item = matches!(value.kind(), JsonType::String | JsonType::Array | JsonType::Object);
            parts.push(Part { pointer: pointer_to(&item, &key), value, text: said, is_item });
        }
    }
}
