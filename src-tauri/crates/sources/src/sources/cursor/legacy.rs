//! What only a workspace's `ItemTable` holds: chats of 2023–24, one per tab, and prompts that name no
//! session. Deliberately absent: composers.

use super::bubble;
use super::rows::read_row;
use super::index::PROMPTS;
use super::render::squash;
use super::writer::Writer;
use crate::readers::json::{JsonType, Tape, Value};
use crate::{Account, Evidence, Fate};
use assay_model::{Kind, MessageType, NoticeCode, Reason, Timestamp, When, text};
use std::collections::HashSet;

/// Fills the account of one legacy tab, whose row holds the tab alone.
pub(super) fn fill_tab(evidence: &Evidence, account: &mut Account) {
    let mut tape = Tape::new();
    for row in &evidence.rows {
        let kind = "aichat/tab";
        let entry = account.record(row.locator(), kind, row.bytes().len() as u64, Fate::Dropped(Reason::LegacyShape));
        let Ok(tab) = read_row(account, entry, row.bytes(), &mut tape) else { continue };
        if tab.kind() != JsonType::Object {
            account.unknown(entry, kind, &tab.raw_text());
            continue;
        }
        account.slug = tab.get("chatTitle").and_then(Value::non_empty).map(|t| t.into_owned());
        let sent = tab.get("lastSendTime").and_then(Value::f64).and_then(Timestamp::from_number);
        account.created_at = sent.map(|(at, _)| at);
        for (i, value) in tab.get("bubbles").into_iter().flat_map(Value::items).enumerate() {
            let own = value.get("id").and_then(Value::non_empty).map(|id| id.into_owned());
            let user = value.get_str("type").as_deref() == Some("user");
            let mut pen = Writer {
                record: entry,
                base: format!("/bubbles/{i}"),
                id: own.unwrap_or_else(|| format!("bubble-{i}")),
                from: if user { MessageType::User } else { bubble::from(value) },
                when: When::MISSING,
                branch: None,
                made: Vec::new(),
                account,
            };
            match value.kind() {
                JsonType::Object => bubble::write(&mut pen, value, Some(Reason::LegacyShape)),
                _ => pen.unknown("", "aichat/bubble".to_owned(), value),
            }
        }
        let odd = tab.get("bubbles").filter(|b| b.kind() != JsonType::Array && !b.is_default());
        let mut pen = Writer {
            record: entry,
            base: String::new(),
            id: "tab".to_owned(),
            from: MessageType::System,
            when: When::MISSING,
            branch: None,
            made: Vec::new(),
            account,
        };
        if let Some(odd) = odd {
            pen.unknown("/bubbles", "aichat/bubbles".to_owned(), odd);
        }
        pen.rest("", "composer", tab, &["bubbles"]);
    }
}

/// The text of an element of either list.
fn prompt(item: Value<'_>) -> Option<std::borrow::Cow<'_, str>> {
    item.get_any(&["textDescription", "text"]).and_then(Value::str)
}

/// Fills the account of a workspace's prompts. Those that a composer of the workspace holds, and prompts
/// that a generation repeats with its time, are copies.
pub(super) fn fill_prompts(evidence: &Evidence, account: &mut Account) {
    let mut tape = Tape::new();
    let mut bubbles = HashSet::new();
    for row in &evidence.consulted_rows {
        if let Some(words) = tape.read_whole(row.bytes()).ok().and_then(|b| b.get_str("text")) {
            bubbles.insert(squash(&words));
        }
    }
    let mut generated = HashSet::new();
    for row in evidence.rows.iter().filter(|r| r.key.as_deref() == Some(PROMPTS[1])) {
        if let Ok(list) = tape.read_whole(row.bytes()) {
            generated.extend(list.items().filter_map(prompt).map(|t| squash(&t)));
        }
    }
    let mut copies = 0;
    for row in &evidence.rows {
        let generations = row.key.as_deref() == Some(PROMPTS[1]);
        let kind = if generations { PROMPTS[1] } else { PROMPTS[0] };
        let entry = account.record(row.locator(), kind, row.bytes().len() as u64, Fate::Dropped(Reason::Tombstone));
        if row.value.is_none() {
            continue;
        }
        let Ok(list) = read_row(account, entry, row.bytes(), &mut tape) else { continue };
        if list.kind() != JsonType::Array {
            account.unknown(entry, kind, &list.raw_text());
            continue;
        }
        account.refate(entry, Fate::Dropped(Reason::BookkeepingRecord));
        for (i, item) in list.items().enumerate() {
            let place = account.locator(entry).clone();
            let when = account.time(item.get("unixMs").filter(|v| !v.is_default()), &place);
            let own = item.get("generationUUID").and_then(Value::non_empty).map(|id| id.into_owned());
            let mut pen = Writer {
                record: entry,
                base: format!("/{i}"),
                id: own.unwrap_or_else(|| format!("{kind}-{i}")),
                from: MessageType::User,
                when,
                branch: None,
                made: Vec::new(),
                account,
            };
            let Some(words) = prompt(item) else {
                pen.unknown("", kind.to_owned(), item);
                continue;
            };
            let squashed = squash(&words);
            let copy = bubbles.contains(&squashed) || !generations && generated.contains(&squashed);
            if squashed.is_empty() {
                pen.drop("/text", kind, &words, Reason::EmptyMessage);
            } else if copy {
                copies += 1;
                pen.drop("/text", kind, &words, Reason::Duplicate);
            } else {
                pen.recover("/text", kind, Kind::Text, text::trim(&words), Reason::ExtendedCoverage);
            }
            pen.rest("", "prompt", item, &["text", "textDescription"]);
        }
    }
    if copies > 0 {
        account.notice(NoticeCode::DuplicateOf, format!("prompts {copies}"), None);
    }
}
