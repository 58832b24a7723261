//! Tests of the adapter: discovery by platform, the replay, and properties of any store.
#![allow(clippy::unwrap_used)]

use super::discovery::{self, Hint, Shape};
use super::state::{Data, Node};
use super::{Adapter, log};
use crate::fixtures::{self, Outcome};
use crate::{Account, Evidence, EvidenceFile, Platform, Roots, State, parse, registry};
use assay_model::{Branch, Candidate, Coverage, Disposition, Ledger, NoticeCode, ParsedConversation, Reason};
use proptest::prelude::*;
use std::path::{Path, PathBuf};

fn candidate(shape: Shape) -> Candidate {
    let hint = Hint { shape, title: None, element: None, beside: Vec::new(), copy_of: None };
    Candidate {
        id: "s".into(),
        source: discovery::NAME.into(),
        file_path: PathBuf::new(),
        file_size: 0,
        file_mtime: 0,
        project_dir: "/home/u/p".into(),
        coverage: Coverage::Reference,
        hint: serde_json::to_value(hint).unwrap(),
    }
}

fn parsed(shape: Shape, bytes: &[u8]) -> (ParsedConversation, Ledger) {
    let name = if shape == Shape::Whole { "s.json" } else { "s.jsonl" };
    let evidence = Evidence { files: vec![EvidenceFile::memory(name, bytes)], ..Evidence::default() };
    parse(&Adapter, &candidate(shape), &evidence)
}

fn contents(conversation: &ParsedConversation) -> Vec<&str> {
    conversation.messages.iter().map(|m| m.content.as_str()).collect()
}

fn plain_json(node: &Node) -> serde_json::Value {
    match &node.data {
        Data::Null => serde_json::Value::Null,
        Data::Bool(on) => (*on).into(),
        Data::Number(text) | Data::Deep(text) => serde_json::from_str(text).unwrap(),
        Data::Text(text) => text.to_string().into(),
        Data::List(items) => items.iter().map(plain_json).collect(),
        Data::Map(members) => members.iter().map(|(k, v)| (k.to_string(), plain_json(v))).collect(),
        Data::Bytes(bytes) => bytes.iter().enumerate().map(|(i, b)| (i.to_string(), serde_json::Value::from(*b))).collect(),
    }
}

/// The state that a log reaches; nothing if it has no snapshot.
fn replay(text: &str) -> Option<serde_json::Value> {
    let mut account = Account::new(&candidate(Shape::Log), &Evidence::default());
    let session = log::read_log(&mut account, &EvidenceFile::memory("s.jsonl", text));
    session.has_snapshot.then(|| plain_json(&session.state.root))
}

#[test]
fn a_log_is_replayed_as_the_editor_does() {
    let cases = [
        (r#"{"kind":1,"k":["a","b"],"v":2}"#, r#"{"a":{"b":2},"l":[0,1,2]}"#, "set"),
        (r#"{"kind":1,"k":["a","b"]}"#, r#"{"a":{},"l":[0,1,2]}"#, "a set without a value removes"),
        (r#"{"kind":1,"k":[],"v":{}}"#, r#"{"a":{"b":1},"l":[0,1,2]}"#, "an empty path changes nothing"),
        (r#"{"kind":1,"k":["l",4],"v":4}"#, r#"{"a":{"b":1},"l":[0,1,2,null,4]}"#, "beyond the end leaves holes"),
        (r#"{"kind":1,"k":["l","1"],"v":9}"#, r#"{"a":{"b":1},"l":[0,9,2]}"#, "an index may be a text"),
        (r#"{"kind":2,"k":["l"],"v":[3]}"#, r#"{"a":{"b":1},"l":[0,1,2,3]}"#, "push appends"),
        (r#"{"kind":2,"k":["l"],"v":["x"],"i":1}"#, r#"{"a":{"b":1},"l":[0,"x"]}"#, "push with an index cuts first"),
        (r#"{"kind":2,"k":["l"],"i":1}"#, r#"{"a":{"b":1},"l":[0]}"#, "push without values only cuts"),
        (r#"{"kind":2,"k":["l"],"v":[5],"i":4}"#, r#"{"a":{"b":1},"l":[0,1,2,null,5]}"#, "or pads"),
        (r#"{"kind":2,"k":["n"],"v":[1]}"#, r#"{"a":{"b":1},"l":[0,1,2],"n":[1]}"#, "push makes the array"),
        (r#"{"kind":3,"k":["l",1]}"#, r#"{"a":{"b":1},"l":[0,null,2]}"#, "delete leaves a hole, nothing shifts"),
        (r#"{"kind":3,"k":["a"]}"#, r#"{"l":[0,1,2]}"#, "delete takes a member away"),
        (r#"{"kind":0,"v":{"z":1}}"#, r#"{"z":1}"#, "the last snapshot wins"),
        (r#"{"kind":1,"k":["x","y"],"v":1}"#, r#"{"a":{"b":1},"l":[0,1,2]}"#, "no such parent: damage"),
        (r#"{"kind":2,"k":["a"],"v":[1]}"#, r#"{"a":{"b":1},"l":[0,1,2]}"#, "a push to an object: damage"),
        ("{\"kind\":7}\n{\"kind\":1,\"k\":[\"a\"],\"v\":0}", r#"{"a":{"b":1},"l":[0,1,2]}"#, "after an unknown kind"),
        ("oops\n{\"kind\":1,\"k\":[\"a\"],\"v\":0}", r#"{"a":{"b":1},"l":[0,1,2]}"#, "after damage"),
        ("oops\n{\"kind\":0,\"v\":{}}\n{\"kind\":1,\"k\":[\"a\"],\"v\":0}", r#"{"a":0}"#, "a snapshot is trusted again"),
    ];
    for (change, expected, why) in cases {
        let text = format!("{{\"kind\":0,\"v\":{{\"a\":{{\"b\":1}},\"l\":[0,1,2]}}}}\r\n\n{change}\n");
        let expected: serde_json::Value = serde_json::from_str(expected).unwrap();
        assert_eq!(replay(&text), Some(expected), "{why}");
    }
    assert_eq!(replay(r#"{"kind":1,"k":["a"],"v":1}"#), None);
    assert_eq!(replay(""), None);
}

#[test]
fn a_later_snapshot_is_trusted_after_damage_and_what_stands_between_is_listed() {
    let text = concat!(
        r#"{"kind":0,"v":{"requests":[{"requestId":"a","timestamp":1750000000000,"message":{"text":"one"}}]}}"#,
        "\n{torn\n",
        r#"{"kind":2,"k":["requests"],"v":[{"requestId":"b","message":{"text":"two"}}]}"#,
        "\n",
        r#"{"kind":0,"v":{"requests":[{"requestId":"c","message":{"text":"three"}}]}}"#,
        "\n",
    );
    let (conversation, ledger) = parsed(Shape::Log, text.as_bytes());
    assert_eq!(contents(&conversation), ["one", "three", "two"]);
    let branches: Vec<_> = conversation.messages.iter().map(|m| m.branch).collect();
    assert_eq!(branches, [Some(Branch::Superseded), None, Some(Branch::Unplaced)]);
    assert!(ledger.notices.iter().any(|n| n.code == NoticeCode::PatchNotApplied));
}

#[test]
fn only_the_literal_first_line_is_read_by_the_published_rules() {
    let session = r#"{"kind":0,"v":{"requests":[{"timestamp":1750000000000,"message":{"text":"hi"},"response":[{"value":"yo"}]}]}}"#;
    let cases = [
        (format!("{session}\n"), 2, "the snapshot"),
        (session.to_owned(), 2, "without a line break"),
        (format!("{session}\r\n{{\"kind\":1,\"k\":[\"x\"],\"v\":1}}"), 2, "with a carriage return"),
        (format!("  {session}  \n"), 2, "white space is no damage"),
        (session.replace(r#"{"kind":0,"v":"#, "").replacen("}}", "}", 1).replace("]}}", "]}"), 2, "bare"),
        (format!("\n{session}\n"), 0, "a blank line comes first"),
        (format!("\u{FEFF}{session}\n"), 0, "a mark comes first"),
        (format!("{session}{session}\n"), 0, "two on one line"),
        (session.replacen(',', ",\r", 1), 0, "a carriage return ends the line"),
        (session.replace("hi", "h\u{1}i"), 0, "a raw control byte"),
        (session.replacen('0', "1", 1), 0, "another kind"),
        (session.replace("hi", "h\\ud83di\u{2028}"), 2, "half a pair and a line separator are no damage"),
    ];
    for (text, count, why) in cases {
        let (conversation, ledger) = parsed(Shape::Log, text.as_bytes());
        assert_eq!(conversation.reference().count(), count, "{why}: {text}");
        assert_eq!(ledger.unaccounted_bytes(), 0, "{why}");
        assert!(contents(&conversation).concat().contains("yo"), "full retention has the answer: {why}");
    }
}

#[test]
fn a_value_of_another_type_counts_as_absent() {
    let requests = r#"[null,7,"x",{"message":{"text":5},"response":"no"},{"message":"v1","response":[null,3,"old",
        {"value":["a"]},{"kind":"thinking","value":["b","c"]},{"kind":"text","value":7},{"value":"kept"},{"kind":null,"value":"too"}]},
        {"timestamp":"soon","message":{"text":" q "},"response":{}}]"#;
    let text = format!(r#"{{"version":"3","requests":{requests}}}"#);
    let (conversation, ledger) = parsed(Shape::Whole, text.as_bytes());
    let reference: Vec<_> = conversation.reference().map(|m| (m.content.as_str(), m.thinking.as_deref())).collect();
    assert_eq!(reference, [("kept\ntoo", None), ("q", None)]);
    assert_eq!(ledger.unaccounted_bytes(), 0);
    for kept in ["v1", "old", "bc"] {
        assert!(contents(&conversation).contains(&kept), "{kept} in {:?}", contents(&conversation));
    }
}

#[test]
fn deep_and_wide_values_are_bounded() {
    let deep = format!(r#"{{"requests":[{{"message":{{"text":"q"}},"x":{}1{}}}]}}"#, "[".repeat(9000), "]".repeat(9000));
    let (conversation, ledger) = parsed(Shape::Whole, deep.as_bytes());
    assert_eq!(conversation.reference().count(), 1);
    assert_eq!(ledger.unaccounted_bytes(), 0);
    let mut climbing = String::from("{\"kind\":0,\"v\":{}}\n");
    for depth in 1..600 {
        let path = vec!["\"a\""; depth].join(",");
        climbing.push_str(&format!("{{\"kind\":1,\"k\":[{path}],\"v\":{{\"b\":[[[]]]}}}}\n"));
    }
    climbing.push_str("{\"kind\":0,\"v\":{}}\n{\"kind\":1,\"k\":[\"l\"],\"v\":[]}\n{\"kind\":1,\"k\":[\"l\",999999999],\"v\":1}\n");
    let (_, ledger) = parsed(Shape::Log, climbing.as_bytes());
    assert_eq!(ledger.unaccounted_bytes(), 0);
}

#[test]
fn bytes_written_as_numbers_are_described() {
    let body: Vec<String> = (0..300).map(|i| format!("\"{i}\":{}", i % 256)).collect();
    let text = format!(
        r#"{{"requests":[{{"message":{{"text":"look"}},"variableData":{{"variables":[{{"kind":"image","name":"p.png","value":{{{}}}}}]}}}}]}}"#,
        body.join(",")
    );
    let (conversation, _) = parsed(Shape::Whole, text.as_bytes());
    assert!(contents(&conversation)[1].starts_with("p.png\n[300 bytes, sha256 "), "{:?}", contents(&conversation));
}

fn lay_out(home: &Path, files: &[(&str, &str)]) {
    for (path, text) in files {
        let path = home.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
}

fn found(roots: &Roots) -> Vec<(String, Coverage)> {
    let (_, outcomes) = fixtures::run(&Adapter, roots);
    outcomes.into_iter().map(|o| (o.candidate.id, o.candidate.coverage)).collect()
}

#[test]
fn sessions_are_found_where_each_platform_keeps_them() {
    let session = format!("{}{}", r#"{"version":3,"requests":[]}"#, " ".repeat(100));
    let places = [
        (Platform::Linux, ".config"),
        (Platform::MacOs, "Library/Application Support"),
        (Platform::Windows, "AppData/Roaming"),
    ];
    for (platform, base) in places {
        let home = tempfile::tempdir().unwrap();
        let paths: Vec<String> = [
            "Code/User/workspaceStorage/w/chatSessions/a.json",
            "Code/User/globalStorage/emptyWindowChatSessions/b.jsonl",
            "Code/User/globalStorage/savedChatSessions/c.json",
            "Code/User/globalStorage/transferredChatSessions/d.json",
            "Code/User/workspaceStorage/no-workspace/chatSessions/e.json",
            "Code - Insiders/User/workspaceStorage/w/chatSessions/f.json",
            "Code - OSS/User/globalStorage/emptyWindowChatSessions/g.json",
            "VSCodium/User/workspaceStorage/w/chatSessions/h.json",
            "Code/User/workspaceStorage/w/chatSessions/notes.txt",
            "Code/User/globalStorage/github.copilot-chat/commandEmbeddings.json",
        ]
        .iter()
        .map(|p| format!("{base}/{p}"))
        .collect();
        let files: Vec<(&str, &str)> = paths.iter().map(|p| (p.as_str(), session.as_str())).collect();
        lay_out(home.path(), &files);
        lay_out(home.path(), &[(".copilot/session-state/i/events.jsonl", ""), (".copilot/session-state/j.jsonl", "")]);
        let mut all = found(&Roots::new(home.path(), platform));
        all.sort_by(|a, b| a.0.cmp(&b.0));
        let reference: Vec<&str> =
            all.iter().filter(|f| f.1 == Coverage::Reference).map(|f| f.0.as_str()).collect();
        assert_eq!(reference, ["a", "b", "e"], "{platform:?}");
        let ids: Vec<&str> = all.iter().map(|f| f.0.as_str()).collect();
        assert_eq!(ids, ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"], "{platform:?}");
    }
}

#[test]
fn overrides_and_added_folders_are_looked_at() {
    let home = tempfile::tempdir().unwrap();
    let session = format!("{}{}", r#"{"version":3,"requests":[]}"#, " ".repeat(100));
    lay_out(
        home.path(),
        &[
            ("portable/user-data/User/workspaceStorage/w/chatSessions/a.json", &session),
            ("cli/session-state/b/events.jsonl", ""),
            ("mine/User/workspaceStorage/w/chatSessions/c.json", &session),
            ("only/d.json", &session),
            ("state/session-state/e/events.jsonl", ""),
        ],
    );
    let mut roots = Roots::new(home.path().join("nobody"), Platform::Linux);
    let at = |p: &str| home.path().join(p);
    roots.env.insert("VSCODE_PORTABLE".into(), at("portable").to_string_lossy().into());
    roots.env.insert("COPILOT_HOME".into(), at("cli").to_string_lossy().into());
    roots.custom.insert(discovery::NAME.into(), vec![at("mine"), at("only"), at("state/session-state")]);
    let ids: Vec<String> = found(&roots).into_iter().map(|f| f.0).collect();
    assert_eq!(ids, ["a", "b", "c", "d", "e"]);
    let nothing = fixtures::run(&Adapter, &Roots::new(home.path().join("nobody"), Platform::Linux)).0;
    assert_eq!(nothing.state, State::NotInstalled);
    assert!(nothing.roots.len() >= 6, "absent places are listed too");
}

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
    "name", "toolName", "hookType", "k", "reasoningId",
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
            members.iter_mut().for_each(|(k, v)| plant(v, &k.clone(), count, canaries));
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

#[test]
fn copies_that_say_something_of_their_own_are_kept() {
    let case = fixtures::cases(discovery::NAME).unwrap().into_iter().find(|c| c.name == "copies").unwrap();
    let (_, outcomes) = case.run(&registry()).unwrap();
    let said = |o: &Outcome| o.parsed.as_ref().map_or(0, |(c, _)| c.messages.len());
    assert_eq!(outcomes.iter().map(said).collect::<Vec<_>>(), [0, 4, 4, 2]);
    let ledger = &outcomes[0].parsed.as_ref().unwrap().1;
    assert!(ledger.entries.iter().all(|e| e.reason == Some(Reason::Duplicate)));
}
