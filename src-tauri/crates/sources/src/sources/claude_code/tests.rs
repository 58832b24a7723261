//! What no fixture can show: other platforms, broken folders, arbitrary bytes, and that nothing is lost.

use super::Adapter;
use crate::fixtures;
use crate::{Detection, Evidence, EvidenceFile, Platform, Roots, SourceAdapter, State, parse};
use assay_model::{Candidate, Coverage, Disposition, Ledger, ParsedConversation};
use proptest::prelude::*;
use std::path::{Path, PathBuf};

fn candidate() -> Candidate {
    Candidate {
        id: "s".into(),
        source: "claude-code".into(),
        file_path: "/p/s.jsonl".into(),
        file_size: 0,
        file_mtime: 0,
        project_dir: "-p".into(),
        coverage: Coverage::Reference,
        hint: serde_json::Value::Null,
    }
}

fn read(bytes: &[u8]) -> (ParsedConversation, Ledger) {
    let evidence = Evidence { files: vec![EvidenceFile::memory("/p/s.jsonl", bytes)], ..Evidence::default() };
    parse(&Adapter, &candidate(), &evidence)
}

fn write(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

/// A transcript that is long enough for the reference system.
fn transcript() -> String {
    format!(
        r#"{{"type":"user","uuid":"u1","timestamp":"2026-01-01T00:00:00Z","message":{{"role":"user","content":"{}"}}}}"#,
        "x".repeat(60)
    )
}

fn scan(roots: &Roots) -> (Detection, Vec<Candidate>) {
    let found = Adapter.detect(roots);
    let mut all = Vec::new();
    Adapter.scan(roots, &found, &mut |c| all.extend(c));
    (found, all)
}

fn ids(candidates: &[Candidate]) -> Vec<(&str, Coverage)> {
    candidates.iter().map(|c| (c.id.as_str(), c.coverage)).collect()
}

mod discovery;

/// The published rules see a value of another type as none.
#[test]
fn values_of_another_type_count_as_absent() {
    let line = |fields: &str| format!(r#"{{"uuid":"u","timestamp":"2026-01-01T00:00:00Z",{fields}}}"#);
    let cases = [
        (r#""type":"user","message":{"role":5,"content":"a"}"#, Some(("user", "a"))),
        (r#""type":"user","message":{"role":"","content":"a"}"#, Some(("", "a"))),
        (r#""type":"assistant","message":{"role":"tool","content":[{"type":"text","text":"a"},{"type":"text","text":7},{"type":"text","text":""},{"type":"text","text":"b"}]}"#, Some(("tool", "a\nb"))),
        (r#""type":"assistant","message":{"content":[{"type":"thinking","thinking":["a"]}]}"#, None),
        (r#""type":"assistant","message":{"content":[null,7,"a",["b"],{"type":8,"text":"c"}]}"#, None),
        (r#""type":"user","message":"a""#, None),
        (r#""type":"user","message":{"content":{"type":"text","text":"a"}}"#, None),
        (r#""type":["user"],"message":{"role":"user","content":"a"}"#, None),
        (r#""type":"User","message":{"role":"user","content":"a"}"#, None),
    ];
    for (fields, expected) in cases {
        let (conversation, ledger) = read(line(fields).as_bytes());
        let found: Vec<_> = conversation.reference().map(|m| (m.role.as_str(), m.content.as_str())).collect();
        assert_eq!(found, expected.into_iter().collect::<Vec<_>>(), "{fields}");
        assert_eq!(ledger.unaccounted_bytes(), 0);
        let entries = serde_json::to_string(&(&ledger, &conversation.messages)).unwrap();
        assert!(entries.contains('a'), "what is not a message is still accounted for: {fields}");
    }
}

#[test]
fn deep_nesting_is_only_text() {
    let deep = format!("{}{}", "[".repeat(50_000), "]".repeat(50_000));
    let line = format!(r#"{{"type":"user","uuid":"u","toolUseResult":{deep},"message":{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"t","content":{deep}}}]}}}}"#);
    let (_, ledger) = read(line.as_bytes());
    assert_eq!(ledger.unaccounted_bytes(), 0);
}

/// JSON as a transcript might hold it: known keys and values in places where they do and do not belong.
fn json() -> impl Strategy<Value = serde_json::Value> {
    let word = prop::sample::select(vec![
        "user", "assistant", "system", "attachment", "progress", "text", "thinking", "tool_use", "tool_result",
        "image", "base64", "queue-operation", "enqueue", "last-prompt", "summary", "queued_command",
        "agent_progress", "hook_success", "u1", "u2", "u1~2", "toolu_1", "", "<system-reminder>a</system-reminder>",
        "<persisted-output> tool-results/x.txt", "2026-01-01T00:00:00Z", "Error: a", "a\n1→b", "…", "\u{feff}", "é",
    ]);
    let leaf = prop_oneof![
        6 => word.prop_map(serde_json::Value::from),
        1 => any::<bool>().prop_map(serde_json::Value::from),
        1 => any::<f64>().prop_map(serde_json::Value::from),
        1 => Just(serde_json::Value::Null),
    ];
    let key = prop::sample::select(vec![
        "type", "uuid", "parentUuid", "message", "content", "role", "id", "text", "thinking", "signature", "name",
        "input", "tool_use_id", "is_error", "source", "data", "base64", "toolUseResult", "attachment", "prompt",
        "subtype", "timestamp", "sessionId", "isSidechain", "isMeta", "operation", "lastPrompt", "leafUuid",
        "retractedMessageUuids", "supersedes", "logicalParentUuid", "persistedOutputPath", "forkedFrom", "todos",
        "source_uuid", "agentId", "frobnicate", "a/b~c",
    ]);
    leaf.prop_recursive(5, 60, 8, move |inner| {
        prop_oneof![
            1 => prop::collection::vec(inner.clone(), 0..5).prop_map(serde_json::Value::from),
            3 => prop::collection::vec((key.clone(), inner), 0..9).prop_map(|members| {
                members.into_iter().map(|(k, v)| (k.to_owned(), v)).collect::<serde_json::Map<_, _>>().into()
            }),
        ]
    })
}

fn record_kind() -> impl Strategy<Value = &'static str> {
    prop::sample::select(super::kinds::RECORDS.iter().map(|(name, _)| *name).collect::<Vec<_>>())
}

fn check(bytes: &[u8]) -> Result<(), TestCaseError> {
    let (conversation, ledger) = read(bytes);
    prop_assert_eq!(ledger.unaccounted_bytes(), 0);
    prop_assert_eq!(&read(bytes), &(conversation.clone(), ledger.clone()));
    let ids: std::collections::HashSet<&str> = conversation.messages.iter().map(|m| m.id.as_str()).collect();
    prop_assert_eq!(ids.len(), conversation.messages.len(), "message ids are distinct");
    for entry in &ledger.entries {
        prop_assert!(entry.disposition == Disposition::Kept || entry.reason.is_some(), "a reason for {:?}", entry);
        prop_assert!(entry.message_index.is_none_or(|i| (i as usize) < conversation.messages.len()));
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    #[test]
    fn any_bytes_are_accounted_for(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        check(&bytes)?;
    }

    #[test]
    fn any_records_are_accounted_for(
        records in prop::collection::vec((record_kind(), prop::sample::select(vec!["u1", "u2", "u3", "u4", ""]), json(), json(), json()), 0..10),
    ) {
        let lines: Vec<String> = records
            .into_iter()
            .map(|(kind, uuid, body, content, result)| {
                let mut record = serde_json::json!({"type": kind, "uuid": uuid, "attachment": body, "data": body, "content": content});
                record["message"] = serde_json::json!({"role": kind, "id": "m1", "content": [content, result, "x"]});
                for (key, value) in result.as_object().into_iter().flatten() {
                    record[key] = value.clone();
                }
                record.to_string()
            })
            .collect();
        check(lines.join("\n").as_bytes())?;
    }

    #[test]
    fn any_json_is_accounted_for(lines in prop::collection::vec(json(), 0..12)) {
        let text: Vec<String> = lines.iter().map(|l| l.to_string()).collect();
        check(text.join("\n").as_bytes())?;
    }
}

/// Cutting a transcript anywhere loses no message that was whole before the cut.
#[test]
fn a_cut_loses_nothing_before_it() {
    for case in fixtures::cases("claude-code").unwrap() {
        let home = tempfile::tempdir().unwrap();
        case.lay_out(home.path()).unwrap();
        for entry in walkdir::WalkDir::new(home.path()).into_iter().flatten() {
            if entry.path().extension().is_none_or(|e| e != "jsonl") {
                continue;
            }
            let whole = std::fs::read(entry.path()).unwrap();
            for cut in (0..whole.len()).step_by(97) {
                let before = whole[..cut].iter().rposition(|b| *b == b'\n').map_or(0, |i| i + 1);
                let texts = |bytes: &[u8]| -> Vec<String> {
                    read(bytes).0.reference().map(|m| m.content.clone()).collect()
                };
                let after = texts(&whole[..cut]);
                for text in texts(&whole[..before]) {
                    assert!(after.contains(&text), "{}: cut at {cut} lost {text:?}", case.name);
                }
                assert_eq!(read(&whole[..cut]).1.unaccounted_bytes(), 0, "{}: cut at {cut}", case.name);
            }
        }
    }
}

mod canary;

mod cases;
