//! What holds of any store: the account balances, nothing is lost silently, a cut loses nothing earlier.

use super::super::discovery;
use super::super::hint::{Hint, Shape};
use super::parsed;
use crate::{Platform, Roots, fixtures};
use assay_model::{Disposition, Ledger, ParsedConversation};
use proptest::prelude::*;

/// Whatever is done to a store: an account that balances, the same twice.
fn checked(shape: Shape, bytes: &[u8]) -> (ParsedConversation, Ledger) {
    let first = parsed(shape, bytes);
    assert_eq!(first.1.unaccounted_bytes(), 0, "{}", String::from_utf8_lossy(bytes));
    assert_eq!(first, parsed(shape, bytes));
    assert!(first.1.entries.iter().all(|e| e.disposition != Disposition::Dropped || e.reason.is_some()));
    first
}

const SHAPES: [Shape; 4] = [Shape::Log, Shape::Whole, Shape::Events, Shape::Legacy];

/// JSON made of the words that sessions are made of.
fn session_json() -> impl Strategy<Value = serde_json::Value> {
    const KEYS: &[&str] = &[
        "requests", "response", "message", "text", "value", "kind", "result", "metadata", "toolCallRounds", "toolCalls",
        "toolCallResults", "thinking", "variableData", "variables", "pendingRequests", "inputState", "inputText", "id",
        "requestId", "timestamp", "content", "toolCallId", "toolSpecificData", "resultDetails", "edits", "0", "data", "type",
    ];
    const WORDS: &[&str] = &[
        "thinking", "text", "toolInvocationSerialized", "prepareToolInvocation", "inlineReference", "textEditGroup", "x",
        "", "user.message", "assistant.message", "tool.execution_start", "tool.execution_complete", "session.start", "```",
    ];
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        (0i64..6).prop_map(Into::into),
        prop::sample::select(WORDS).prop_map(Into::into),
        Just(1_750_000_000_000_i64.into()),
    ];
    leaf.prop_recursive(7, 80, 8, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Into::into),
            prop::collection::vec((prop::sample::select(KEYS), inner), 0..8)
                .prop_map(|m| m.into_iter().map(|(k, v)| (k.to_owned(), v)).collect()),
        ]
    })
}

fn change() -> impl Strategy<Value = String> {
    let step = prop_oneof![
        prop::sample::select(&["requests", "response", "message", "text", "result", "inputState"][..])
            .prop_map(serde_json::Value::from),
        (0usize..4).prop_map(serde_json::Value::from),
    ];
    (0i64..5, prop::collection::vec(step, 0..5), prop::option::of(session_json()), prop::option::of(0usize..4)).prop_map(
        |(kind, path, value, keep)| {
            let mut line = serde_json::json!({"kind": kind, "k": path});
            if let Some(value) = value {
                line["v"] = value;
            }
            if let Some(keep) = keep {
                line["i"] = keep.into();
            }
            line.to_string()
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_bytes_are_accounted_for(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        for shape in SHAPES {
            checked(shape, &bytes);
        }
    }

    #[test]
    fn any_session_is_accounted_for(requests in prop::collection::vec(session_json(), 0..4), more in session_json()) {
        let text = serde_json::json!({"version": 3, "requests": requests, "pendingRequests": more, "inputState": more}).to_string();
        checked(Shape::Whole, text.as_bytes());
        checked(Shape::Log, format!("{{\"kind\":0,\"v\":{text}}}\n").as_bytes());
    }

    #[test]
    fn any_log_is_accounted_for(first in session_json(), changes in prop::collection::vec(change(), 0..12)) {
        let snapshot = serde_json::json!({"kind": 0, "v": {"requests": [{"response": first}, first]}}).to_string();
        let text = std::iter::once(snapshot).chain(changes).collect::<Vec<_>>().join("\n");
        checked(Shape::Log, text.as_bytes());
    }

    #[test]
    fn any_event_is_accounted_for(kind in "(user|assistant).message|tool.execution_(start|complete)|session.(start|error|new)", data in session_json()) {
        let text = serde_json::json!({"type": kind, "id": "e", "data": data}).to_string();
        checked(Shape::Events, format!("{text}\n{text}\n").as_bytes());
    }
}

fn fixture_sessions() -> Vec<(Shape, String, Vec<u8>)> {
    let mut all = Vec::new();
    for case in fixtures::cases(discovery::NAME).unwrap() {
        let home = tempfile::tempdir().unwrap();
        case.lay_out(home.path()).unwrap();
        for candidate in discovery::find(&Roots::new(home.path(), Platform::Linux)).candidates {
            let hint: Hint = serde_json::from_value(candidate.hint).unwrap();
            if hint.shape != Shape::Row && candidate.file_path.extension().is_some_and(|e| e != "md") {
                all.push((hint.shape, case.name.clone(), std::fs::read(&candidate.file_path).unwrap()));
            }
        }
    }
    all
}

#[test]
fn cutting_a_store_anywhere_loses_no_earlier_message() {
    for (shape, name, bytes) in fixture_sessions() {
        for cut in (0..bytes.len()).step_by(1 + bytes.len() / 250) {
            let (conversation, _) = checked(shape, &bytes[..cut]);
            // Every whole prompt and answer text before the cut is still in some message.
            let said: String = conversation
                .messages
                .iter()
                .flat_map(|m| [m.content.as_str(), m.thinking.as_deref().unwrap_or(""), "\n"])
                .collect();
            // Of a first line what stands before the cut, of the others those that are whole.
            let first = bytes.iter().position(|b| *b == b'\n').unwrap_or(bytes.len());
            let last = bytes[..cut].iter().rposition(|b| *b == b'\n').unwrap_or(cut);
            let whole = if shape == Shape::Log && cut > first { last } else { cut };
            for text in whole_texts(&String::from_utf8_lossy(&bytes[..whole])) {
                assert!(said.contains(text.trim()), "{name} cut at {cut} of {}: {text:?} is not in\n{said}", bytes.len());
            }
        }
    }
}

/// Prompts that stand whole in `text`: `"message":{"text":"…"`. Read with no help of the adapter.
fn whole_texts(text: &str) -> Vec<String> {
    let compact = text.replace("\": ", "\":").replace("\n", "");
    let mut found = Vec::new();
    for piece in compact.split("\"message\":{").skip(1) {
        let Some(rest) = piece.trim_start().strip_prefix("\"text\":\"") else { continue };
        if let Some((inside, _)) = rest.split_once('"').filter(|(inside, _)| !inside.contains('\\')) {
            found.push(inside.to_owned());
        }
    }
    found
}

/// What a canary may not be put into: ids, kinds, times, media types.
const NOT_CONTENT: &[&str] = &[
    "id", "kind", "type", "timestamp", "toolCallId", "requestId", "sessionId", "scheme", "external", "path", "$mid",
    "toolCallRoundId", "parentId", "parentToolCallId", "messageId", "mimeType", "modelId", "source", "encrypted",
    "reasoningOpaque", "success", "interactionId", "hookInvocationId", "startTime", "eventKind", "isText", "toolId",
    "name", "toolName", "hookType", "k", "reasoningId", "turnId", "role", "tool_call_id", "assetId",
];

fn plant(value: &mut serde_json::Value, key: &str, count: &mut usize, canaries: &mut Vec<String>) {
    match value {
        serde_json::Value::String(text) if !NOT_CONTENT.contains(&key) && !text.trim().is_empty() => {
            *count += 1;
            let canary = format!("canary{count}x");
            *text = if text.starts_with('{') { format!("{text} {canary}") } else { format!("{canary} {text}") };
            canaries.push(canary);
        }
        serde_json::Value::Array(items) => items.iter_mut().for_each(|v| plant(v, key, count, canaries)),
        // A body in base64 is told by its size and hash.
        serde_json::Value::Object(members) if members.get("isText") == Some(&false.into()) => {}
        serde_json::Value::Object(members) => {
            let media = members.contains_key("mimeType");
            let told = |key: &str| !(media && key == "data");
            members.iter_mut().filter(|(k, _)| told(k)).for_each(|(k, v)| plant(v, &k.clone(), count, canaries));
        }
        _ => {}
    }
}

#[test]
fn every_text_of_the_fixtures_is_somewhere_or_listed_with_its_reason() {
    for (shape, name, bytes) in fixture_sessions() {
        let text = String::from_utf8_lossy(&bytes);
        let records: Vec<&str> = if shape == Shape::Whole { vec![&text] } else { text.lines().collect() };
        let (mut count, mut canaries, mut lines) = (0, Vec::new(), Vec::new());
        for (i, record) in records.iter().enumerate() {
            match serde_json::from_str::<serde_json::Value>(record) {
                Ok(mut value) => {
                    let from = canaries.len();
                    plant(&mut value, "", &mut count, &mut canaries);
                    for canary in &mut canaries[from..] {
                        canary.push_str(&format!("@{i}"));
                    }
                    lines.push(value.to_string());
                }
                Err(_) => lines.push((*record).to_owned()),
            }
        }
        let planted = lines.join("\n");
        let (conversation, ledger) = checked(shape, planted.as_bytes());
        let mut known: Vec<String> = conversation.messages.iter().map(|m| m.content.clone()).collect();
        known.extend(conversation.messages.iter().filter_map(|m| m.thinking.clone()));
        known.extend([&conversation.slug, &conversation.cwd, &conversation.git_branch].into_iter().flatten().cloned());
        let listed = ledger.entries.iter().filter(|e| {
            matches!(e.disposition, Disposition::Dropped | Disposition::Folded | Disposition::Unknown)
        });
        let listed: Vec<(u64, &str)> = listed.filter_map(|e| Some((line_of(e), e.locator.pointer()?))).collect();
        for canary in &canaries {
            let (token, line) = canary.split_once('@').unwrap();
            let line: usize = line.parse().unwrap();
            if known.iter().any(|text| text.contains(token)) {
                continue;
            }
            let value: serde_json::Value = serde_json::from_str(&lines[line]).unwrap();
            let pointer = pointer_to(&value, token, "").unwrap();
            let is_listed =
                listed.iter().any(|(at, p)| *at == line as u64 + 1 && (pointer == *p || pointer.starts_with(&format!("{p}/"))));
            assert!(is_listed, "{name}: {token} at {pointer} of line {} is nowhere", line + 1);
        }
    }
}

fn line_of(entry: &assay_model::LedgerEntry) -> u64 {
    match &entry.locator {
        assay_model::Locator::Bytes { line, .. } => *line,
        assay_model::Locator::Row { .. } => 0,
    }
}

fn pointer_to(value: &serde_json::Value, token: &str, at: &str) -> Option<String> {
    match value {
        serde_json::Value::String(text) => text.contains(token).then(|| at.to_owned()),
        serde_json::Value::Array(items) => {
            items.iter().enumerate().find_map(|(i, v)| pointer_to(v, token, &format!("{at}/{i}")))
        }
        serde_json::Value::Object(members) => {
            members.iter().find_map(|(k, v)| pointer_to(v, token, &format!("{at}/{k}")))
        }
        _ => None,
    }
}
