//! Puts a word of its own into every string of every fixture, and looks where each word went.

use super::*;
use serde_json::Value;

/// Ids, types, times, and states that are facts about the tool: nothing that anybody said.
const NO_CONTENT: &[&str] = &[
    "uuid", "parentUuid", "logicalParentUuid", "sessionId", "type", "subtype", "timestamp", "id", "tool_use_id",
    "role", "operation", "media_type", "data", "base64", "signature", "encrypted_content", "version", "agentId",
    "leafUuid", "model", "messageId", "userType", "permissionMode", "entrypoint", "requestId", "toolUseID",
    "parentToolUseID", "sourceToolAssistantUUID", "source_uuid", "commandMode", "retractedMessageUuids",
    "supersedes", "messageUuid", "level", "persistedOutputPath", "parentSessionId", "parentLastUuid", "slug",
    "stop_reason", "sessionKind",
];

struct Token {
    word: String,
    line: u64,
    pointer: String,
}

fn plant(value: &mut Value, key: &str, pointer: &str, line: u64, tokens: &mut Vec<Token>) {
    match value {
        Value::String(text) if !text.is_empty() && !NO_CONTENT.contains(&key) => {
            let word = format!("canary{}x", tokens.len());
            *text = match text.find("</") {
                Some(end) => format!("{}{word}{}", &text[..end], &text[end..]),
                None => format!("{text}{word}"),
            };
            tokens.push(Token { word, line, pointer: pointer.to_owned() });
        }
        Value::Array(items) => {
            for (i, item) in items.iter_mut().enumerate() {
                plant(item, key, &format!("{pointer}/{i}"), line, tokens);
            }
        }
        Value::Object(members) => {
            for (key, member) in members.iter_mut() {
                let pointer = crate::readers::json::pointer_to(pointer, key);
                plant(member, key, &pointer, line, tokens);
            }
        }
        Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Whether an entry without a message says what became of a word.
fn is_accounted_for(token: &Token, ledger: &Ledger) -> bool {
    let on_line = |e: &&assay_model::LedgerEntry| {
        matches!(&e.locator, assay_model::Locator::Bytes { line, .. } if *line == token.line)
    };
    let gone = |d| matches!(d, Disposition::Dropped | Disposition::Folded | Disposition::Unknown);
    let entries: Vec<_> = ledger.entries.iter().filter(on_line).collect();
    let whole = entries.len() == 1 && gone(entries[0].disposition) && entries[0].reason.is_some();
    whole
        || entries.iter().any(|e| {
            e.locator.pointer().is_some_and(|p| token.pointer.starts_with(p)) && gone(e.disposition) && e.reason.is_some()
        })
}

#[test]
fn every_word_is_in_a_message_or_has_a_reason_not_to_be() {
    let mut lost = Vec::new();
    for case in fixtures::cases("claude-code").unwrap() {
        let home = tempfile::tempdir().unwrap();
        case.lay_out(home.path()).unwrap();
        let (_, all) = scan(&Roots::new(home.path(), Platform::Linux));
        for candidate in all {
            let bytes = std::fs::read(&candidate.file_path).unwrap();
            let mut tokens = Vec::new();
            let mut out = Vec::new();
            for (i, line) in bytes.split_inclusive(|b| *b == b'\n').enumerate() {
                match serde_json::from_slice::<Value>(line) {
                    Ok(mut value) if value.is_object() => {
                        plant(&mut value, "", "", i as u64 + 1, &mut tokens);
                        out.extend_from_slice(value.to_string().as_bytes());
                        out.push(b'\n');
                    }
                    _ => out.extend_from_slice(line),
                }
            }
            std::fs::write(&candidate.file_path, &out).unwrap();
            let mut roots = Roots::new(home.path(), Platform::Linux);
            roots.now = i64::MAX;
            let evidence = Adapter.collect(&roots, &candidate).unwrap();
            let (conversation, ledger) = parse(&Adapter, &candidate, &evidence);
            let shown = serde_json::to_string(&(&conversation, &ledger.notices)).unwrap();
            for token in tokens {
                if !shown.contains(&token.word) && !is_accounted_for(&token, &ledger) {
                    lost.push(format!("{}/{} line {} {}", case.name, candidate.id, token.line, token.pointer));
                }
            }
        }
    }
    assert!(lost.is_empty(), "{}", lost.join("\n"));
}
