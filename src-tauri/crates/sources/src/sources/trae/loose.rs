//! What a store holds beside its sessions: prompts without a session, drafts, pasted texts, damage.

use super::store::{self, Family};
use crate::readers::json::{Tape, Value};
use crate::readers::binary;
use crate::{Account, EntryId, Evidence, EvidenceFile, Fate, Row};
use assay_model::{Kind, Locator, Message, MessageType, NoticeCode, Reason, text};
use std::collections::HashSet;

/// Whether a history of prompts has one that is in no session.
pub(super) fn has_news(history: &[u8], known: &[String]) -> bool {
    let known: HashSet<&str> = known.iter().map(String::as_str).collect();
    let mut tape = Tape::new();
    match tape.read_whole(history) {
        Ok(value) if value.items().next().is_some() => value.items().any(|item| is_news(item, &known)),
        Ok(value) => store::has_text(value),
        Err(_) => !history.is_empty(),
    }
}

fn is_news(item: Value<'_>, known: &HashSet<&str>) -> bool {
    match input_text(item) {
        Some(prompt) => !known.contains(text::trim(&prompt)),
        None => store::has_text(item),
    }
}

fn input_text(item: Value<'_>) -> Option<std::borrow::Cow<'_, str>> {
    item.get("inputText").and_then(Value::str).or_else(|| item.str()).filter(|prompt| !text::is_blank(prompt))
}

/// Adds what people said in `messages`.
pub(super) fn add_prompts(messages: &[(String, Value<'_>)], prompts: &mut Vec<String>) {
    let said = messages.iter().filter(|(_, m)| m.get_str("role").as_deref() == Some("user"));
    prompts.extend(said.filter_map(|(_, m)| m.get_str("content")).map(|prompt| text::trim(&prompt).to_owned()));
}

/// Fills the account of a store's loose ends.
pub(super) fn fill(evidence: &Evidence, account: &mut Account) {
    let mut prompts = Vec::new();
    for row in &evidence.consulted_rows {
        store::read(row.bytes(), |read| {
            for element in read.value.map(|value| store::take(value).elements).unwrap_or_default() {
                let messages = element.messages().map_or_else(Vec::new, |(_, list)| store::members(list));
                add_prompts(&messages, &mut prompts);
            }
        });
    }
    let known: HashSet<&str> = prompts.iter().map(String::as_str).collect();
    for row in &evidence.rows {
        let (key, _) = store::split_key(row.key.as_deref().unwrap_or(""));
        match Family::of(key) {
            Some(Family::History) => history(row, &known, account),
            Some(family @ (Family::Draft | Family::Suggestion)) => unsent(row, family, account),
            Some(Family::Facts) => {
                let entry = open(row, "session-facts", account);
                match Tape::new().read_whole(row.bytes()) {
                    Ok(value) => account.unknown(entry, "session-facts", &value.raw_text()),
                    Err(_) => {
                        damaged(row, entry, account);
                        continue;
                    }
                };
            }
            Some(Family::Sessions | Family::Last) | None => leftover(row, account),
        }
    }
    for file in &evidence.files {
        pasted(file, account);
    }
}

fn open(row: &Row, kind: &'static str, account: &mut Account) -> EntryId {
    account.record(row.locator(), kind, row.bytes().len() as u64, Fate::Dropped(Reason::EmptyMessage))
}

/// A prompt of the input history. It has no session and no time, and gets none.
fn history(row: &Row, known: &HashSet<&str>, account: &mut Account) {
    let entry = open(row, "input-history", account);
    let mut tape = Tape::new();
    let Ok(item) = tape.read_whole(row.bytes()) else { return damaged(row, entry, account) };
    account.repaired(&row.locator(), item.repairs());
    let Some(prompt) = input_text(item) else {
        if store::has_text(item) {
            account.unknown(entry, "input-history/item", &item.raw_text());
        }
        return;
    };
    if known.contains(text::trim(&prompt)) {
        let block = account.block(entry, "/inputText", "prompt", prompt.len(), Fate::Folded(Reason::Duplicate, None));
        account.excerpt(block, &prompt);
    } else {
        let id = id_of(row, "");
        let when = ["timestamp", "createdAt"].iter().find_map(|name| item.get(name));
        let when = account.time(when, &row.locator());
        let message = Message::recovered(
            id,
            MessageType::User,
            Kind::Text,
            prompt.clone(),
            Reason::ExtendedCoverage,
            row.locator(),
        );
        account.recover(entry, "/inputText", "prompt", Message { when, has_code: text::has_fence(&prompt), ..message });
    }
    let base = id_of(row, "");
    for part in super::extras::prompt_extras(item, &prompt) {
        super::extras::recover_extra(account, entry, &base, part, &row.locator());
    }
}

/// Gives a draft or a suggestion of a whole row its message; also used for those of a session.
pub(super) fn unsent(row: &Row, family: Family, account: &mut Account) {
    let (kind, from, message_kind, reason) = if family == Family::Draft {
        ("draft", MessageType::User, Kind::Draft, Reason::UnsentDraft)
    } else {
        ("suggestion", MessageType::System, Kind::Event, Reason::ExtendedCoverage)
    };
    let entry = open(row, kind, account);
    let mut tape = Tape::new();
    let value = tape.read_whole(row.bytes()).ok();
    if let Some(value) = value {
        account.repaired(&row.locator(), value.repairs());
    }
    let content = match value {
        Some(value) => value.str().unwrap_or_else(|| value.raw_text()),
        None => String::from_utf8_lossy(row.bytes()),
    };
    if text::is_blank(&content) || value.is_some_and(Value::is_default) {
        return;
    }
    let message = Message::recovered(id_of(row, ""), from, message_kind, content, reason, row.locator());
    account.recover(entry, "", kind, message);
}

/// What stands among sessions and is none: an unknown element, or bytes that are not JSON.
fn leftover(row: &Row, account: &mut Account) {
    let entry = open(row, "leftover", account);
    let (_, pointer) = store::split_key(row.key.as_deref().unwrap_or(""));
    if pointer.is_empty() {
        damaged(row, entry, account);
    } else {
        account.unknown(entry, "sessions/element", &String::from_utf8_lossy(row.bytes()));
    }
}

/// Bytes that are not JSON are kept as they are.
fn damaged(row: &Row, entry: EntryId, account: &mut Account) {
    account.set_kind(entry, "malformed");
    let raw = String::from_utf8_lossy(row.bytes());
    if raw.is_empty() {
        return account.refate(entry, Fate::Dropped(Reason::MalformedJson));
    }
    account.excerpt(entry, &raw);
    let id = id_of(row, "");
    let message =
        Message::recovered(id, MessageType::System, Kind::Event, raw, Reason::MalformedJson, row.locator());
    account.recover(entry, "", "malformed", message);
    account.notice(NoticeCode::TruncatedFile, "", Some(row.locator()));
}

/// Gives a file with pasted content its message.
pub(super) fn pasted(file: &EvidenceFile, account: &mut Account) {
    let locator =
        Locator::Bytes { file: file.file.clone(), byte_start: 0, byte_end: file.bytes, line: 1, pointer: None };
    account.extent(file.file.clone(), file.bytes);
    let bytes = match file.read_all() {
        Ok(bytes) => bytes,
        Err(error) => {
            account.record(locator.clone(), "pasted", file.bytes, Fate::Dropped(Reason::BodyMissing));
            account.notice(NoticeCode::BodyMissing, error.to_string(), Some(locator));
            return;
        }
    };
    let content = match std::str::from_utf8(&bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => binary::describe_bytes(media_type(&file.file), &bytes),
    };
    let entry =
        account.record(locator.clone(), "pasted", file.bytes, Fate::Dropped(Reason::EmptyMessage));
    if !text::is_blank(&content) {
        let name = crate::account::base_name(&file.file).to_owned();
        let message =
            Message::recovered(name, MessageType::User, Kind::Attachment, content, Reason::Attachment, locator);
        account.recover(entry, "", "pasted", message);
    }
}

fn media_type(file: &str) -> &'static str {
    match file.rsplit_once('.').map_or("", |(_, extension)| extension) {
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "gif" => "image/gif",
        "webp" => "image/webp",
        _ => "application/octet-stream",
    }
}

fn id_of(row: &Row, suffix: &str) -> String {
    format!("{}{suffix}", row.key.as_deref().unwrap_or("row"))
}
