//! The agent's transcripts: an export without results, times and models, so a store of the same id is the
//! better origin. JSONL, and in old builds text with headings. Deliberately absent: merging with the store.

use super::blocks;
use super::writer::Writer;
use crate::readers::json::Value;
use crate::{Account, EvidenceFile, Fate, Record};
use assay_model::{Kind, Locator, Message, MessageType, NoticeCode, Reason, When};

/// Ends of a turn about which nothing needs to be said.
const FINE: [&str; 4] = ["success", "completed", "finished", "ok"];

/// Fills the account of a transcript.
pub(super) fn fill(file: &EvidenceFile, account: &mut Account) {
    if file.bytes == 0 {
        account.notice(NoticeCode::BodyMissing, "transcript emptied", None);
    }
    if super::slugs::is_path(&account.project_dir) {
        account.cwd = Some(account.project_dir.clone());
        account.notice(NoticeCode::Inferred, "folder by the name of its transcripts' folder", None);
    } else if !account.project_dir.is_empty() {
        account.notice(NoticeCode::PathUnresolved, account.project_dir.clone(), None);
    }
    if file.file.ends_with(".txt") { text(file, account) } else { account.read_jsonl(file, line) }
}

fn line(account: &mut Account, record: Record<'_>) {
    let Record { entry, value, locator } = record;
    let when = account.time(value.get("timestamp").filter(|v| !v.is_default()), locator);
    let number = match locator {
        Locator::Bytes { line, byte_start, .. } => format!("line-{line}-{byte_start}"),
        Locator::Row { .. } => "line".to_owned(),
    };
    let message = value.get("message").filter(|m| !m.is_default());
    let role = value.get_str("role").or_else(|| message?.get_str("role")).unwrap_or_default();
    let named = value.get_str("type").or_else(|| value.get_str("event")).unwrap_or_default();
    let mut pen = Writer {
        record: entry,
        base: String::new(),
        id: number,
        from: blocks::from(&role),
        when,
        branch: None,
        made: Vec::new(),
        account,
    };
    let content = [("/message/content", message.and_then(|m| m.get("content"))), ("/content", value.get("content"))]
        .into_iter()
        .find_map(|(place, content)| Some((place, content?)));
    let mut read = vec!["role", "timestamp", "type", "event"];
    let kind = if role.is_empty() && !named.is_empty() { format!("transcript/{named}") } else { format!("transcript/{role}") };
    pen.account.set_kind(entry, kind.clone());
    match (&*role, &*named, content) {
        ("", "turn_ended", _) => {
            let status = value.get("status").and_then(Value::non_empty).unwrap_or_default();
            read.push("status");
            if !status.is_empty() && !FINE.contains(&&*status) {
                let said = format!("turn ended: {status}");
                pen.recover("/status", "transcript/status", Kind::Event, said, Reason::SystemRecord);
            }
        }
        ("", "error", _) => {}
        ("", _, _) | (_, _, None) => {
            let name = if role.is_empty() && named.is_empty() { "transcript/record".to_owned() } else { kind };
            let made = account.unknown(entry, name, &value.raw_text());
            account.message(made).when = when;
            return;
        }
        _ => {}
    }
    if let Some((place, content)) = content {
        blocks::write(&mut pen, place, content);
        match (place, message) {
            ("/message/content", Some(message)) => {
                read.push("message");
                pen.rest("/message", "message", message, &["content", "role"]);
            }
            _ => read.push("content"),
        }
    }
    pen.rest("", "transcript", value, &read);
    let made = std::mem::take(&mut pen.made);
    if made.is_empty() && pen.account.is_bare(entry) {
        let reason = if named == "turn_ended" { Reason::Metadata } else { Reason::EmptyMessage };
        let fate = if named == "turn_ended" { Fate::Folded(reason, None) } else { Fate::Dropped(reason) };
        pen.account.refate(entry, fate);
    }
    if !role.is_empty() {
        for id in made {
            account.message(id).role = role.clone().into_owned();
        }
    }
}

/// A part of a text transcript.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Section {
    Said(MessageType),
    Thinking,
    Call,
    Result,
}

/// What a line opens, and the rest of the line.
fn heading(line: &str) -> Option<(Section, &str)> {
    const HEADINGS: [(&str, Section); 5] = [
        ("user:", Section::Said(MessageType::User)),
        ("assistant:", Section::Said(MessageType::Assistant)),
        ("[Thinking]", Section::Thinking),
        ("[Tool call]", Section::Call),
        ("[Tool result]", Section::Result),
    ];
    HEADINGS.iter().find_map(|(mark, section)| Some((*section, line.strip_prefix(mark)?)))
}

/// Text with headings. Who said what is a guess: an answer may quote a line that looks like one.
fn text(file: &EvidenceFile, account: &mut Account) {
    let bytes = match file.read_all() {
        Ok(bytes) => bytes,
        Err(error) => {
            account.notice(NoticeCode::TruncatedFile, error.to_string(), None);
            account.extent(file.file.clone(), 0);
            return;
        }
    };
    account.extent(file.file.clone(), bytes.len() as u64);
    account.notice(NoticeCode::Inferred, "attribution by headings", None);
    let mut open: Option<(Section, usize, u64)> = None;
    let (mut at, mut number) = (0, 0);
    let mut sections: Vec<(Option<Section>, usize, usize, u64)> = Vec::new();
    for line in bytes.split_inclusive(|b| *b == b'\n') {
        number += 1;
        if let Some((section, _)) = std::str::from_utf8(line).ok().and_then(heading) {
            let start = open.map_or(0, |o| o.1);
            if at > start || open.is_some() {
                sections.push((open.map(|o| o.0), start, at, open.map_or(1, |o| o.2)));
            }
            open = Some((section, at, number));
        }
        at += line.len();
    }
    if at > 0 {
        sections.push((open.map(|o| o.0), open.map_or(0, |o| o.1), at, open.map_or(1, |o| o.2)));
    }
    let mut speaker = MessageType::System;
    for (section, start, end, line) in sections {
        let body = String::from_utf8_lossy(&bytes[start..end]);
        let place = Locator::Bytes {
            file: file.file.clone(),
            byte_start: start as u64,
            byte_end: end as u64,
            line,
            pointer: None,
        };
        put_section(account, section, &body, place, (end - start) as u64, &mut speaker);
    }
}

fn put_section(
    account: &mut Account,
    section: Option<Section>,
    body: &str,
    place: Locator,
    bytes: u64,
    speaker: &mut MessageType,
) {
    let (first, rest) = body.split_once('\n').unwrap_or((body, ""));
    let opened = heading(first).map_or(first, |(_, tail)| tail);
    let (kind, reason, tool) = match section {
        None => (Kind::Text, Reason::ExtendedCoverage, None),
        Some(Section::Said(from)) => {
            *speaker = from;
            (Kind::Text, Reason::ExtendedCoverage, None)
        }
        Some(Section::Thinking) => (Kind::Reasoning, Reason::Reasoning, None),
        Some(Section::Call) => (Kind::ToolCall, Reason::ToolInput, Some(opened.trim())),
        Some(Section::Result) => (Kind::ToolResult, Reason::ToolResult, Some(opened.trim())),
    };
    let content = match tool {
        Some(_) => rest.to_owned(),
        None => format!("{opened}\n{rest}"),
    };
    let content = content.trim();
    let content = content.strip_prefix("<user_query>").unwrap_or(content);
    let content = content.strip_suffix("</user_query>").unwrap_or(content).trim();
    if content.is_empty() && tool.is_none() {
        account.record(place, "transcript/heading", bytes, Fate::Dropped(Reason::BlankLine));
        return;
    }
    let id = match &place {
        Locator::Bytes { line, .. } => format!("line-{line}"),
        Locator::Row { .. } => "line".to_owned(),
    };
    let mut message = Message::recovered(id, *speaker, kind, content, reason, place.clone());
    message.tool_name = tool.filter(|t| !t.is_empty()).map(str::to_owned);
    message.when = When::MISSING;
    let id = account.push(message);
    account.record(place, "transcript/section", bytes, Fate::Recovered(id));
}
