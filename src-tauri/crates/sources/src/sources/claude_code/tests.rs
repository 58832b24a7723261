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

mod discovery {
    use super::*;
    use assay_model::Coverage::{Extended, Reference};

    #[test]
    fn each_platform_has_its_places() {
        let looked = |platform| -> Vec<PathBuf> {
            Adapter.detect(&Roots::new("/nowhere", platform)).roots.into_iter().map(|r| r.path).collect()
        };
        let desktop = "Claude/local-agent-mode-sessions";
        let paths = |list: &[&str]| -> Vec<PathBuf> { list.iter().map(|p| Path::new("/nowhere").join(p)).collect() };
        assert_eq!(
            looked(Platform::Linux),
            paths(&[".claude", ".config/claude", &format!(".config/{desktop}")]),
            "absent places are listed too"
        );
        assert_eq!(
            looked(Platform::MacOs),
            paths(&[".claude", ".config/claude", &format!("Library/Application Support/{desktop}")])
        );
        assert_eq!(looked(Platform::Windows), paths(&[".claude", &format!("AppData/Roaming/{desktop}")]));
        assert_eq!(Adapter.detect(&Roots::new("/nowhere", Platform::Linux)).state, State::NotInstalled);
    }

    #[test]
    fn the_override_takes_the_default_places_part_and_the_default_is_still_looked_at() {
        let home = tempfile::tempdir().unwrap();
        write(&home.path().join(".claude/projects/-a/one.jsonl"), &transcript());
        write(&home.path().join("work/projects/-b/two.jsonl"), &transcript());
        write(&home.path().join("more/projects/-c/three.jsonl"), &transcript());
        let mut roots = Roots::new(home.path(), Platform::Linux);
        roots.env.insert("CLAUDE_CONFIG_DIR".into(), "~/work, ~/more/projects".into());
        let (found, all) = scan(&roots);
        assert_eq!(ids(&all), [("two", Reference), ("three", Reference), ("one", Extended)]);
        assert_eq!(found.roots[0].origin, "env:CLAUDE_CONFIG_DIR");
        assert_eq!((found.roots[0].conversations, found.roots[2].conversations), (1, 1));
        assert_eq!(found.bytes, all.iter().map(|c| c.file_size).sum::<u64>());
        assert!(all.iter().all(|c| c.file_mtime > 0));
    }

    #[test]
    fn folders_that_a_person_names_may_be_any_of_the_three() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("backup/projects/-p");
        write(&folder.join("s.jsonl"), &transcript());
        for named in ["backup", "backup/projects", "backup/projects/-p"] {
            let mut roots = Roots::new(home.path().join("empty"), Platform::Linux);
            roots.custom.insert("claude-code".into(), vec![home.path().join(named)]);
            let (found, all) = scan(&roots);
            assert_eq!(ids(&all), [("s", Extended)], "{named}");
            assert_eq!(all[0].project_dir, "-p", "{named}");
            assert_eq!(found.roots.last().unwrap().origin, "custom");
        }
        let mut roots = Roots::new(home.path().join("empty"), Platform::Linux);
        let same = ["backup", "backup/projects/-p"].map(|named| home.path().join(named)).to_vec();
        roots.custom.insert("claude-code".into(), same);
        assert_eq!(scan(&roots).1.len(), 1, "the same file through two folders is one conversation");
    }

    #[test]
    fn every_family_of_files_is_listed_once_with_an_id_of_its_own() {
        let home = tempfile::tempdir().unwrap();
        let projects = home.path().join(".claude/projects");
        for file in [
            "-a/s1.jsonl",
            "-a/agent-1.jsonl",
            "-a/s1/subagents/agent-2.jsonl",
            "-a/s1/subagents/workflows/wf_1/agent-3.jsonl",
            "-a/s1/subagents/journal.jsonl",
            "-a/s1/tool-results/not-a-session.jsonl",
            "-a/memory/notes.jsonl",
            "-a/s2.jsonl.corrupt-1",
            "-a/s3.jsonl.copy.jsonl",
            "-a/sessions-index.json",
            "-b/s1.jsonl",
            "-b/s1/subagents/agent-2.jsonl",
            "-b/old/chat.jsonl",
        ] {
            write(&projects.join(file), &transcript());
        }
        write(&projects.join("-b/tiny.jsonl"), "{}");
        let (found, all) = scan(&Roots::new(home.path(), Platform::Linux));
        assert_eq!(
            ids(&all),
            [
                ("agent-1", Reference),
                ("s1", Reference),
                ("s3.jsonl.copy", Reference),
                ("s1@-b", Reference),
                ("agent-2", Extended),
                ("s1/subagents/journal", Extended),
                ("agent-3", Extended),
                ("s2.jsonl.corrupt-1", Extended),
                ("old/chat", Extended),
                ("agent-2@-b/s1/subagents", Extended),
                ("tiny", Extended),
            ]
        );
        assert_eq!(found.conversations, all.len() as u64);
        assert_eq!(all[1].hint, serde_json::json!({"agents": ["2", "3"]}));
        assert_eq!(all[4].hint, serde_json::json!({"parent": "s1"}));
    }

    #[test]
    #[cfg(unix)]
    fn a_link_to_itself_and_a_folder_without_permission_stop_nothing() {
        let home = tempfile::tempdir().unwrap();
        let projects = home.path().join(".claude/projects");
        write(&projects.join("-a/s.jsonl"), &transcript());
        std::os::unix::fs::symlink(&projects, projects.join("-a/loop")).unwrap();
        std::os::unix::fs::symlink("/nowhere/at/all", projects.join("-gone")).unwrap();
        let roots = Roots::new(home.path(), Platform::Linux);
        let found = Adapter.detect(&roots);
        assert_eq!((found.state, found.conversations), (State::Found, 1));
        let mut errors = 0;
        Adapter.scan(&roots, &found, &mut |c| errors += usize::from(c.is_err()));
        assert_eq!(errors, 1, "the loop is reported");
        let gone = Candidate { file_path: projects.join("-a/gone.jsonl"), ..candidate() };
        assert_eq!(Adapter.collect(&roots, &gone).unwrap_err().code(), "gone");
    }

    #[test]
    fn an_empty_installation_is_empty() {
        let home = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(home.path().join(".claude/todos")).unwrap();
        let (found, all) = scan(&Roots::new(home.path(), Platform::Linux));
        assert_eq!((found.state, all.len()), (State::Empty, 0));
    }
}

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

mod canary {
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
                    let pointer = super::super::render::pointer(pointer, key);
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
}
