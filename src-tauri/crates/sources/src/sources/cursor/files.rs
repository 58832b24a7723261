//! Two kinds of files beside the agent's sessions: its history of prompts (one JSON list) and plans
//! (Markdown). Each is one record. Deliberately absent: sessions.

use super::rows::read_row;
use super::render;
use super::writer::Writer;
use crate::readers::json::{JsonType, Tape};
use crate::{Account, EntryId, EvidenceFile, Fate};
use assay_model::{Kind, Locator, Message, MessageType, NoticeCode, Reason, When, text};
use std::borrow::Cow;

/// Opens the one record that a file is.
fn whole<'f>(file: &'f EvidenceFile, kind: &'static str, account: &mut Account) -> (Cow<'f, [u8]>, Option<EntryId>) {
    let bytes = file.read_all().unwrap_or_else(|error| {
        account.notice(NoticeCode::TruncatedFile, error.to_string(), None);
        Cow::Borrowed(&[])
    });
    account.extent(file.file.clone(), bytes.len() as u64);
    let place = Locator::Bytes {
        file: file.file.clone(),
        byte_start: 0,
        byte_end: bytes.len() as u64,
        line: 1,
        pointer: None,
    };
    let entry = (!bytes.is_empty())
        .then(|| account.record(place, kind, bytes.len() as u64, Fate::Dropped(Reason::BookkeepingRecord)));
    (bytes, entry)
}

/// `prompt_history.json`: a list of prompts, as texts or as objects with one.
pub(super) fn fill_history(file: &EvidenceFile, account: &mut Account) {
    let (bytes, Some(entry)) = whole(file, "prompt-history", account) else { return };
    let mut tape = Tape::new();
    let Ok(list) = read_row(account, entry, &bytes, &mut tape) else { return };
    if list.kind() != JsonType::Array {
        account.unknown(entry, "prompt-history", &list.raw_text());
        return;
    }
    for (i, item) in list.items().enumerate() {
        let place = account.locator(entry).clone();
        let when = account.time(item.get_any(&["timestamp", "createdAt"]).filter(|v| !v.is_default()), &place);
        let mut pen = Writer {
            record: entry,
            base: String::new(),
            id: format!("prompt-{i}"),
            from: MessageType::User,
            when,
            branch: None,
            made: Vec::new(),
            account,
        };
        let words = item.str().or_else(|| item.get_any(&["text", "prompt"])?.str());
        let place = format!("/{i}");
        match words {
            Some(words) if text::is_blank(&words) => pen.drop(&place, "prompt", &words, Reason::EmptyMessage),
            Some(words) if item.kind() == JsonType::String => {
                pen.recover(&place, "prompt", Kind::Text, text::trim(&words), Reason::ExtendedCoverage);
            }
            // More than its text: kept as it stands.
            _ if !render::is_hollow(item) => {
                pen.recover(&place, "prompt", Kind::Text, render::text(item), Reason::ExtendedCoverage);
            }
            _ => {}
        }
    }
}

/// A plan: one attachment, titled by its first heading.
pub(super) fn fill_plan(file: &EvidenceFile, account: &mut Account) {
    let (bytes, Some(entry)) = whole(file, "plan", account) else { return };
    let Ok(words) = std::str::from_utf8(&bytes) else {
        account.refate(entry, Fate::Dropped(Reason::BinaryContent));
        return;
    };
    if text::is_blank(words) {
        account.refate(entry, Fate::Dropped(Reason::BlankLine));
        return;
    }
    let title = words.lines().find_map(|l| l.strip_prefix("# ").map(str::trim)).filter(|t| !t.is_empty());
    account.slug = title.map(str::to_owned);
    let place = account.locator(entry).clone();
    let mut message = Message::recovered(
        "plan",
        MessageType::Assistant,
        Kind::Attachment,
        words,
        Reason::ExtendedCoverage,
        place,
    );
    message.when = When::MISSING;
    let id = account.push(message);
    account.refate(entry, Fate::Recovered(id));
}

