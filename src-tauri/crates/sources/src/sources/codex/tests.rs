//! Where Codex is looked for, what holds for any bytes, and that no text of a fixture is lost in silence.

use super::*;
use crate::{Platform, fixtures, parse};
use assay_model::{Kind, MessageType, Coverage, Disposition, Ledger, ParsedConversation};
use proptest::prelude::*;
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;
use std::path::Path;

fn candidate(path: &str) -> Candidate {
    Candidate {
        id: "own".into(),
        source: NAME.into(),
        file_path: path.into(),
        file_size: 0,
        file_mtime: 0,
        project_dir: String::new(),
        coverage: Coverage::Reference,
        hint: Json::Null,
    }
}

fn read(bytes: &[u8]) -> (ParsedConversation, Ledger) {
    read_with("r.jsonl", bytes, None)
}

fn read_with(path: &str, bytes: &[u8], parent: Option<&[u8]>) -> (ParsedConversation, Ledger) {
    let mut evidence = Evidence { files: vec![EvidenceFile::memory(path, bytes)], ..Evidence::default() };
    evidence.consulted.extend(parent.map(|p| EvidenceFile::memory("p.jsonl", p)));
    parse(&Adapter, &candidate(path), &evidence)
}

fn lines(records: &[Json]) -> Vec<u8> {
    records.iter().map(|r| format!("{r}\n")).collect::<String>().into_bytes()
}

fn item(payload: Json) -> Json {
    json!({"timestamp": "2026-01-01T00:00:00Z", "type": "response_item", "payload": payload})
}

fn event(payload: Json) -> Json {
    json!({"timestamp": "2026-01-01T00:00:00Z", "type": "event_msg", "payload": payload})
}

fn said(role: &str, text: &str) -> Json {
    let kind = if role == "assistant" { "output_text" } else { "input_text" };
    item(json!({"type": "message", "role": role, "content": [{"type": kind, "text": text}]}))
}

fn reference(c: &ParsedConversation) -> Vec<&str> {
    c.reference().map(|m| m.content.as_str()).collect()
}

fn write(home: &Path, path: &str, bytes: impl AsRef<[u8]>) {
    let path = home.join(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, bytes).unwrap();
}

fn found(roots: &Roots) -> (Detection, Vec<Candidate>) {
    let detection = Adapter.detect(roots);
    let mut all = Vec::new();
    Adapter.scan(roots, &detection, &mut |c| all.push(c.unwrap()));
    (detection, all)
}

#[test]
fn looks_where_each_platform_and_override_says() {
    for platform in [Platform::Linux, Platform::MacOs, Platform::Windows] {
        let detection = Adapter.detect(&Roots::new("/nowhere", platform));
        assert_eq!(detection.state, crate::State::NotInstalled);
        let paths: Vec<_> = detection.roots.iter().map(|r| (r.path.clone(), r.origin.as_str())).collect();
        assert_eq!(
            paths,
            [
                ("/nowhere/.codex/sessions".into(), "default"),
                ("/nowhere/.codex/archived_sessions".into(), "default"),
            ],
            "absent places are named, too"
        );
    }
    let home = tempfile::tempdir().unwrap();
    let mut roots = Roots::new(home.path(), Platform::Linux);
    std::fs::create_dir(home.path().join(".codex")).unwrap();
    assert_eq!(Adapter.detect(&roots).state, crate::State::Empty);
    let meta = format!("{}\n", json!({"timestamp": "", "type": "session_meta", "payload": {"id": "abc", "cwd": "/p"}}));
    write(home.path(), "elsewhere/sessions/2026/rollout-2026-01-01T00-00-00-x.jsonl", &meta);
    roots.env.insert("CODEX_HOME".into(), "~/elsewhere".into());
    let (detection, all) = found(&roots);
    assert_eq!(detection.roots[0].origin, "env:CODEX_HOME");
    assert_eq!((all[0].id.as_str(), all[0].project_dir.as_str(), all[0].file_size), ("abc", "/p", meta.len() as u64));
    assert!(all[0].file_mtime > 0);
    roots.env.clear();
    for folder in ["elsewhere", "elsewhere/sessions", "elsewhere/sessions/2026"] {
        roots.custom.insert(NAME.into(), vec![home.path().join(folder)]);
        assert_eq!(found(&roots).1.len(), 1, "{folder}");
    }
}

#[test]
fn coverage_is_what_the_reference_system_reads() {
    let home = tempfile::tempdir().unwrap();
    let text = lines(&[said("user", "long enough to be looked at by the reference system")]);
    write(home.path(), ".codex/sessions/2026/01/01/rollout-2026-01-01T00-00-00-a.jsonl", &text);
    write(home.path(), ".codex/sessions/2026/01/01/rollout-2026-01-01T00-00-00-b.jsonl", "{}");
    write(home.path(), ".codex/sessions/c.jsonl", &text);
    write(home.path(), ".codex/archived_sessions/rollout-2026-01-01T00-00-00-d.jsonl", &text);
    write(home.path(), ".codex/sessions/.rollout-e.jsonl.paginated.tmp", &text);
    let packed = zstd::encode_all(text.as_slice(), 3).unwrap();
    write(home.path(), ".codex/sessions/rollout-2026-01-01T00-00-00-f.jsonl.zst", &packed);
    write(home.path(), ".codex/sessions/rollout-2026-01-01T00-00-00-g.jsonl.zst", &text);
    let roots = Roots::new(home.path(), Platform::Linux);
    let (detection, all) = found(&roots);
    let coverage: BTreeMap<&str, Coverage> = all.iter().map(|c| (c.id.as_str(), c.coverage)).collect();
    let extended = ["b", "c", "d", "f", "g"].map(|id| (id, Coverage::Extended));
    assert_eq!(coverage, extended.into_iter().chain([("a", Coverage::Reference)]).collect());
    assert_eq!(detection.conversations, 6);
    assert_eq!(detection.roots[0].note.as_deref(), Some("staging-files=1 other-files=0"));
    for (_, outcome) in fixtures::run(&Adapter, &roots).1.iter().map(|o| (&o.candidate.id, o.parsed.as_ref().unwrap())) {
        assert_eq!(outcome.1.unaccounted_bytes(), 0);
    }
    let unpacked = all.iter().find(|c| c.id == "f").unwrap();
    let evidence = Adapter.collect(&roots, unpacked).unwrap();
    assert_eq!(parse(&Adapter, unpacked, &evidence).0.messages.len(), 1);
}

#[test]
fn a_cut_compressed_file_gives_what_stands_before_the_cut() {
    let home = tempfile::tempdir().unwrap();
    let many: Vec<Json> = (0..20_000u64).map(|i| said("assistant", &format!("{i} {:x}", i * 7919))).collect();
    let packed = zstd::encode_all(lines(&many).as_slice(), 3).unwrap();
    write(home.path(), ".codex/sessions/rollout-2026-01-01T00-00-00-f.jsonl.zst", &packed[..packed.len() / 2]);
    let roots = Roots::new(home.path(), Platform::Linux);
    let (conversation, ledger) = fixtures::run(&Adapter, &roots).1.remove(0).parsed.unwrap();
    assert!(conversation.messages.len() > 1000, "{}", conversation.messages.len());
    assert!(ledger.notices.iter().any(|n| n.code == NoticeCode::TruncatedFile));
    assert_eq!(ledger.unaccounted_bytes(), 0);
    let mut unpacked = Vec::new();
    let mut decoder = zstd::stream::Decoder::new(&packed[..packed.len() / 2]).unwrap();
    std::io::Read::read_to_end(&mut decoder, &mut unpacked).unwrap_err();
    let accounted: u64 = ledger.entries.iter().filter(|e| e.locator.pointer().is_none()).map(|e| e.bytes).sum();
    assert_eq!(accounted, unpacked.len() as u64, "the cut tail is a span, too");
    assert_eq!(ledger.entries.iter().filter(|e| e.kind == "malformed").count(), 1);
}

#[test]
fn a_compressed_file_of_which_nothing_can_be_unpacked_is_damaged() {
    let home = tempfile::tempdir().unwrap();
    let packed = zstd::encode_all(&lines(&[said("user", "a")])[..], 3).unwrap();
    write(home.path(), ".codex/sessions/rollout-2026-01-01T00-00-00-f.jsonl.zst", &packed[..9]);
    write(home.path(), ".codex/sessions/rollout-2026-01-01T00-00-00-g.jsonl.zst", b"\x28\xb5\x2f\xfdnothing that was packed");
    let roots = Roots::new(home.path(), Platform::Linux);
    let outcomes = fixtures::run(&Adapter, &roots).1;
    assert_eq!(outcomes.len(), 2);
    for outcome in outcomes {
        let error = Adapter.collect(&roots, &outcome.candidate).unwrap_err();
        assert_eq!(error.code(), "damaged", "{}", outcome.candidate.id);
    }
}

#[cfg(unix)]
#[test]
fn a_folder_without_permission_is_said_and_the_rest_goes_on() {
    use std::os::unix::fs::PermissionsExt;
    let home = tempfile::tempdir().unwrap();
    let text = lines(&[said("user", "a")]);
    write(home.path(), ".codex/sessions/1/rollout-2026-01-01T00-00-00-a.jsonl", &text);
    write(home.path(), ".codex/sessions/2/rollout-2026-01-01T00-00-00-b.jsonl", &text);
    let closed = home.path().join(".codex/sessions/1");
    std::fs::set_permissions(&closed, std::fs::Permissions::from_mode(0o000)).unwrap();
    let roots = Roots::new(home.path(), Platform::Linux);
    let detection = Adapter.detect(&roots);
    let (mut ids, mut errors) = (Vec::new(), 0);
    Adapter.scan(&roots, &detection, &mut |c| match c {
        Ok(c) => ids.push(c.id),
        Err(_) => errors += 1,
    });
    let privileged = std::fs::read_dir(&closed).is_ok();
    std::fs::set_permissions(&closed, std::fs::Permissions::from_mode(0o755)).unwrap();
    if !privileged {
        assert_eq!((ids.as_slice(), errors), (&["b".to_owned()][..], 1));
    }
}

#[test]
fn the_published_rules_hold_to_the_letter() {
    let answer = |text: &str| event(json!({"type": "agent_message", "message": text}));
    let (c, _) = read(&lines(&[
        answer(" untrimmed\n"),
        said("assistant", " untrimmed\n"),
        said("assistant", "untrimmed"),
        answer("untrimmed"),
        item(json!({"type": "custom_tool_call", "name": "t", "input": "", "call_id": "1"})),
        said("assistant", "\u{feff}\u{3000}"),
        event(json!({"type": "user_message", "message": "a ## My request for Codex:\n b ## My request for Codex:\n c "})),
        event(json!({"type": "user_message", "message": 7})),
        said("user", "never"),
        said("assistant", "untrimmed"),
        item(json!({"type": "message", "role": "assistant", "content": [
            {"type": "output_text", "text": "one"}, {"type": "output_text", "text": ""}, null, "text", 5,
            {"type": "output_text", "text": 9}, {"type": "output_text", "text": "two ```"}]})),
    ]));
    assert_eq!(
        reference(&c),
        [" untrimmed\n", "untrimmed", "untrimmed", "b ## My request for Codex:\n c", "one\ntwo ```"]
    );
    let flags: Vec<_> = c.reference().map(|m| (m.has_tool_use, m.has_code)).collect();
    assert_eq!(flags, [(false, false), (false, false), (true, false), (false, false), (false, true)]);
}

#[test]
fn prompts_of_several_parts_pair_with_the_joined_event() {
    let parts = json!([{"type": "input_text", "text": "look at "}, {"type": "input_text", "text": "this"}]);
    let (c, _) = read(&lines(&[
        item(json!({"type": "message", "role": "user", "content": parts})),
        event(json!({"type": "user_message", "message": "look at this"})),
    ]));
    assert_eq!(c.messages.len(), 1);
}

#[test]
fn one_form_alone_is_read_in_full() {
    let (c, _) = read(&lines(&[said("user", "a"), said("assistant", "b"), said("user", "a"), said("assistant", "c")]));
    assert_eq!(c.messages.iter().map(|m| m.content.as_str()).collect::<Vec<_>>(), ["a", "b", "a", "c"]);
}

#[test]
fn rollbacks_count_user_turns_and_not_those_already_taken_back() {
    let prompt = |t: &str| event(json!({"type": "user_message", "message": t}));
    let back = |n: u32| event(json!({"type": "thread_rolled_back", "num_turns": n}));
    let (c, _) = read(&lines(&[
        prompt("1"),
        prompt("2"),
        prompt("3"),
        back(1),
        prompt("4"),
        back(2),
        prompt("5"),
        back(9),
        prompt("6"),
    ]));
    let live: Vec<_> = c.messages.iter().filter(|m| m.branch.is_none()).map(|m| m.content.as_str()).collect();
    assert_eq!(live, ["thread_rolled_back\nnum_turns: 9", "6"]);
}

#[test]
fn sixty_compactions_show_their_summary_once() {
    let mut records: Vec<Json> = (0..50).map(|i| said("user", &format!("prompt {i}"))).collect();
    let mut history: Vec<Json> = records.iter().map(|r| r["payload"].clone()).collect();
    history.push(said("user", "the summary")["payload"].clone());
    for _ in 0..60 {
        records.push(json!({"type": "compacted", "payload": {"message": "", "replacement_history": history}}));
    }
    let (c, ledger) = read(&lines(&records));
    let of = |reason| c.messages.iter().filter(|m| m.reason() == Some(reason)).count();
    assert_eq!((of(Reason::ResponseItemUser), of(Reason::CompactionHistory)), (50, 1));
    assert!(ledger.entries.len() < 50 * 2 + 60 * 5, "{}", ledger.entries.len());
}

#[test]
fn a_cut_whole_file_gives_the_items_before_the_cut() {
    let whole = json!({"session": {"id": "s", "instructions": "say \"items\": [", "timestamp": "2025-05-01T00:00:00Z"},
        "items": [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "first"}]},
                  {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "second"}]}]});
    let text = serde_json::to_vec_pretty(&whole).unwrap();
    let (all, _) = read_with("r.json", &text, None);
    assert_eq!(all.messages.len(), 3);
    for cut in 0..text.len() {
        let (c, ledger) = read_with("r.json", &text[..cut], None);
        assert_eq!(ledger.unaccounted_bytes(), 0, "cut at {cut}");
        let whole_first = text[..cut].windows(5).any(|w| w == b"first")
            && c.messages.iter().all(|m| m.content != "first")
            && text[..cut].windows(9).filter(|w| *w == b"\"message\"").count() > 1;
        assert!(!whole_first, "the first item was whole at {cut}");
    }
}

#[test]
fn what_stands_beside_the_items_of_a_whole_file_is_told() {
    let session = r#""session":{"id":"s","timestamp":"2025-05-01T00:00:00Z"}"#;
    let items = r#""items":[{"type":"message","role":"user","content":[{"type":"input_text","text":"said"}]}]"#;
    let more = r#""novel":"WORDS","deep":{"a":["MORE"]}"#;
    for order in [[session, items, more], [session, more, items], [more, session, items], [items, more, session]] {
        let text = format!("{{{}}}\n", order.join(", "));
        let (c, ledger) = read_with("r.json", text.as_bytes(), None);
        let texts: Vec<_> = c.messages.iter().map(|m| m.content.as_str()).collect();
        for words in ["said", "WORDS", "MORE"] {
            assert_eq!(texts.iter().filter(|t| t.contains(words)).count(), 1, "{words} of {text}: {texts:?}");
        }
        sound(&c, &ledger);
        assert!(ledger.entries.iter().all(|e| e.disposition != Disposition::Pending && e.kind != "malformed"), "{text}");
        let said = c.messages.iter().find(|m| m.content == "said").unwrap();
        assert_eq!(said.when.at().map(|t| t.to_string()).as_deref(), Some("2025-05-01T00:00:00.000Z"), "{text}");
    }
    let (c, ledger) = read_with("r.json", br#"{"session":{"id":"s"},"items":"WORDS"}"#, None);
    assert_eq!((c.messages.len(), ledger.unaccounted_bytes()), (1, 0), "items of another type are kept raw");
}

/// The stores of every fixture, a file each.
fn fixture_files() -> Vec<(String, Vec<u8>)> {
    let home = tempfile::tempdir().unwrap();
    let mut files = Vec::new();
    for case in fixtures::cases(NAME).unwrap() {
        let at = home.path().join(&case.name);
        std::fs::create_dir_all(&at).unwrap();
        case.lay_out(&at).unwrap();
        for entry in walkdir::WalkDir::new(&at).sort_by_file_name().into_iter().filter_map(Result::ok) {
            let name = entry.path().to_string_lossy().into_owned();
            if name.contains("sessions/") && name.ends_with(".jsonl") {
                files.push((case.name.clone(), std::fs::read(entry.path()).unwrap()));
            }
        }
    }
    assert!(files.len() > 15);
    files
}

/// Strings that join, type or time records.
const NOT_CONTENT: &[&str] = &[
    "id", "type", "timestamp", "role", "call_id", "turn_id", "thread_id", "session_id", "forked_from_id",
    "parent_thread_id", "record_type", "previous_response_id", "client_id", "phase", "kind", "namespace",
    "image_url", "images", "status", "item_id",
];

fn mark(value: &mut Json, pointer: &str, marks: &mut Vec<(String, String)>) {
    match value {
        Json::String(text) if !text.starts_with("data:") && !text.is_empty() => {
            let token = format!("c{}n", &assay_model::hash::hex(&assay_model::hash::sha256(text.as_bytes()))[..12]);
            text.push_str(&format!(" {token}"));
            marks.push((pointer.to_owned(), token));
        }
        Json::Array(list) => {
            list.iter_mut().enumerate().for_each(|(i, v)| mark(v, &format!("{pointer}/{i}"), marks));
        }
        Json::Object(map) => {
            for (key, v) in map.iter_mut().filter(|(key, _)| !NOT_CONTENT.contains(&key.as_str())) {
                mark(v, &format!("{pointer}/{key}"), marks);
            }
        }
        Json::String(_) | Json::Null | Json::Bool(_) | Json::Number(_) => {}
    }
}

#[test]
fn every_text_of_the_fixtures_is_somewhere() {
    let mut lost = Vec::new();
    for (case, bytes) in fixture_files() {
        lost_in(&case, &bytes, &mut lost);
    }
    assert!(lost.is_empty(), "lost without a word:\n{}", lost.join("\n"));
}

/// Marks every text of a file, and lists those that a parse neither keeps nor accounts for.
fn lost_in(case: &str, bytes: &[u8], lost: &mut Vec<String>) {
    let (mut text, mut marks) = (String::new(), Vec::new());
    for line in String::from_utf8_lossy(bytes).lines() {
        let start = text.len() as u64;
        match serde_json::from_str::<Json>(line) {
            Ok(mut record) if record.is_object() => {
                let mut of_record = Vec::new();
                mark(&mut record, "", &mut of_record);
                text.push_str(&record.to_string());
                marks.extend(of_record.into_iter().map(|(pointer, token)| (start, pointer, token)));
            }
            _ => text.push_str(line),
        }
        text.push('\n');
    }
    let (c, ledger) = read(text.as_bytes());
    let mut known: Vec<&str> = c.messages.iter().map(|m| m.content.as_str()).collect();
    known.extend(c.messages.iter().filter_map(|m| m.tool_name.as_deref()));
    let metadata = [&c.slug, &c.cwd, &c.git_branch, &c.tool_version];
    known.extend(metadata.into_iter().filter_map(|m| m.as_deref()));
    for (start, pointer, token) in marks {
        let accounted = ledger.entries.iter().any(|e| {
            let Locator::Bytes { byte_start, .. } = &e.locator else { return false };
            let covers = e.locator.pointer().is_none_or(|p| pointer.starts_with(p));
            let stated = matches!(e.disposition, Disposition::Dropped | Disposition::Folded) && e.reason.is_some();
            *byte_start == start && covers && stated && e.reason != Some(Reason::Duplicate)
        });
        if !accounted && !known.iter().any(|text| text.contains(&token)) {
            lost.push(format!("{case} @{start} {pointer}"));
        }
    }
}

/// Any JSON in the places that the parser looks at.
fn any_json() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::from),
        any::<i32>().prop_map(Json::from),
        "[a-c<# \\n]{0,6}".prop_map(Json::from),
        Just(json!("message")),
        Just(json!("output_text")),
        Just(json!("c")),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        let key = prop::sample::select(vec!["type", "text", "content", "role", "message", "id", "call_id", "output", "item", "x"]);
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Json::from),
            prop::collection::vec((key, inner), 0..4)
                .prop_map(|m| Json::Object(m.into_iter().map(|(k, v)| (k.to_owned(), v)).collect())),
        ]
    })
}

fn any_record() -> impl Strategy<Value = Json> {
    let outer = prop::sample::select(vec![
        "session_meta", "response_item", "event_msg", "turn_context", "compacted", "world_state", "message", "other",
    ]);
    let inner = prop::sample::select(vec![
        "message", "reasoning", "function_call", "function_call_output", "custom_tool_call", "web_search_call",
        "agent_message", "user_message", "agent_reasoning", "item_completed", "thread_rolled_back", "task_complete",
        "exec_command_end", "patch_apply_end", "compaction", "error", "other",
    ]);
    let role = prop::sample::select(vec!["user", "assistant", "developer", "other"]);
    let field = prop::sample::select(vec![
        "content", "message", "text", "summary", "arguments", "input", "output", "item", "replacement_history", "id",
        "call_id", "num_turns", "images", "last_agent_message", "stdout", "encrypted_content", "forked_from_id",
    ]);
    let fields = prop::collection::vec((field, any_json()), 0..4);
    (outer, inner, role, fields, any_json()).prop_map(|(outer, inner, role, fields, stray)| {
        let mut payload = json!({"type": inner, "role": role});
        for (field, value) in fields {
            payload[field] = value;
        }
        match stray {
            Json::Bool(true) => json!({"type": outer, "payload": stray}),
            Json::Number(_) => json!({"timestamp": stray, "type": outer, "payload": payload}),
            _ => json!({"timestamp": "2026-01-01T00:00:00Z", "type": outer, "payload": payload}),
        }
    })
}

fn sound(c: &ParsedConversation, ledger: &Ledger) {
    assert_eq!(ledger.unaccounted_bytes(), 0);
    for entry in ledger.entries.iter().filter(|e| matches!(e.disposition, Disposition::Kept | Disposition::Recovered)) {
        assert!((entry.message_index.unwrap() as usize) < c.messages.len());
    }
    assert!(ledger.entries.iter().all(|e| e.disposition != Disposition::Dropped || e.reason.is_some()));
    let copied = ledger.entries.iter().any(|e| e.reason == Some(Reason::CopiedPrefix) && !e.is_record());
    let foreign = ledger.entries.iter().any(|e| e.kind == "session_meta/copied");
    assert!(!copied || foreign, "nothing is called a copy where there is none");
    for message in &c.messages {
        let told = ledger.entries.iter().any(|e| e.message_index == Some(message.position));
        assert!(told, "a message that no entry stands for: {message:?}");
    }
    let ids: std::collections::BTreeSet<_> = c.messages.iter().map(|m| &m.id).collect();
    assert_eq!(ids.len(), c.messages.len(), "ids are distinct");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_are_accounted_for(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        for path in ["r.jsonl", "r.json"] {
            let (c, ledger) = read_with(path, &bytes, Some(&bytes));
            prop_assert_eq!(ledger.unaccounted_bytes(), 0);
            prop_assert_eq!((c, ledger), read_with(path, &bytes, Some(&bytes)));
        }
    }

    #[test]
    fn any_shapes_are_accounted_for(records in prop::collection::vec(any_record(), 0..12)) {
        let bytes = lines(&records);
        let (c, ledger) = read(&bytes);
        sound(&c, &ledger);
        prop_assert_eq!((&c, &ledger), (&read(&bytes).0, &read(&bytes).1));
    }

    #[test]
    fn a_cut_loses_no_earlier_text(records in prop::collection::vec(any_record(), 1..10), at in any::<prop::sample::Index>()) {
        let bytes = lines(&records);
        let cut = at.index(bytes.len());
        let whole = bytes[..cut].iter().rposition(|b| *b == b'\n').map_or(0, |i| i + 1);
        let texts = |c: &ParsedConversation| c.messages.iter().map(|m| m.content.clone()).collect::<Vec<_>>();
        let before = texts(&read(&bytes[..whole]).0);
        let after = texts(&read(&bytes[..cut]).0);
        prop_assert_eq!(&before[..], &after[..before.len().min(after.len())]);
        prop_assert!(after.len() >= before.len());
    }
}

#[test]
fn messages_of_another_shape_are_recovered() {
    let (c, ledger) = read(&lines(&[item(json!({"role": "user", "content": "typeless"}))]));
    assert_eq!(c.messages[0].content, "typeless");
    assert_eq!(c.messages[0].reason(), Some(Reason::LegacyShape));
    let one = json!({"type": "output_text", "text": "no list"});
    let (c, _) = read(&lines(&[item(json!({"type": "message", "role": "assistant", "content": one}))]));
    assert_eq!((c.messages[0].content.as_str(), c.messages[0].is_reference()), ("no list", false));
    assert_eq!(ledger.unaccounted_bytes(), 0);
}

#[test]
fn detection_counts_what_a_scan_lists() {
    let home = tempfile::tempdir().unwrap();
    let meta = |id: &str| json!({"timestamp": "2026-01-01T00:00:00Z", "type": "session_meta", "payload": {"id": id, "cwd": "/p"}});
    let a = lines(&[meta("a"), said("user", "long enough to be looked at by the reference system")]);
    write(home.path(), ".codex/sessions/2026/rollout-2026-01-01T00-00-00-a.jsonl", &a);
    write(home.path(), ".codex/archived_sessions/rollout-2026-01-01T00-00-00-a.jsonl", &a);
    write(home.path(), ".codex/sessions/2026/rollout-2026-01-01T00-00-00-a.jsonl.zst", zstd::encode_all(&a[..], 3).unwrap());
    write(home.path(), ".codex/archived_sessions/rollout-2026-01-01T00-00-00-b.jsonl", lines(&[meta("b"), said("user", "b")]));
    write(home.path(), ".codex/history.jsonl", lines(&[json!({"session_id": "z", "ts": 1767225600, "text": "gone"})]));
    let (detection, all) = found(&Roots::new(home.path(), Platform::Linux));
    let ids: Vec<&str> = all.iter().map(|c| c.id.as_str()).collect();
    assert_eq!(ids, ["b", "a", "history"]);
    assert_eq!(detection.conversations, 3, "twins are one");
    assert_eq!(detection.roots.iter().map(|r| r.conversations).collect::<Vec<_>>(), [1, 1, 1]);
}

#[test]
fn a_damaged_database_beside_the_rollouts_costs_no_rollout_and_is_said() {
    let home = tempfile::tempdir().unwrap();
    write(home.path(), ".codex/sessions/rollout-2026-01-01T00-00-00-a.jsonl", lines(&[said("user", "a")]));
    write(home.path(), ".codex/state_5.sqlite", "no database at all, only words that go on for a while");
    write(home.path(), ".codex/queue_1.sqlite", "neither is this");
    write(home.path(), ".codex/external_agent_session_imports.json", "{\"records\":[{");
    let roots = Roots::new(home.path(), Platform::Linux);
    let detection = Adapter.detect(&roots);
    let (mut ids, mut errors) = (Vec::new(), Vec::new());
    Adapter.scan(&roots, &detection, &mut |c| match c {
        Ok(c) => ids.push(c.id),
        Err(e) => errors.push(e.path.file_name().unwrap().to_string_lossy().into_owned()),
    });
    assert_eq!(ids, ["a"]);
    assert_eq!(errors, ["state_5.sqlite", "queue_1.sqlite"]);
    assert!(detection.error.is_some());
}

#[test]
fn the_databases_may_be_elsewhere() {
    let home = tempfile::tempdir().unwrap();
    write(home.path(), ".codex/sessions/rollout-2026-01-01T00-00-00-a.jsonl", lines(&[said("user", "a")]));
    std::fs::create_dir_all(home.path().join("state")).unwrap();
    let db = rusqlite::Connection::open(home.path().join("state/state_9.sqlite")).unwrap();
    db.execute_batch("CREATE TABLE threads(id TEXT, title TEXT); INSERT INTO threads VALUES('a', 'Elsewhere')").unwrap();
    drop(db);
    queue(home.path(), "state/queue_1.sqlite", &["a", "z"]);
    let mut roots = Roots::new(home.path(), Platform::Linux);
    roots.env.insert("CODEX_SQLITE_HOME".into(), home.path().join("state").to_string_lossy().into_owned());
    let (detection, outcomes) = fixtures::run(&Adapter, &roots);
    assert_eq!(detection.conversations, 2);
    assert_eq!(told(outcomes), [("a".into(), vec!["a".into(), "wait for a".into()]), ("z".into(), vec!["wait for z".into()])]);
    let (c, _) = fixtures::run(&Adapter, &roots).1.remove(0).parsed.unwrap();
    assert_eq!(c.slug.as_deref(), Some("Elsewhere"));
}

#[test]
fn a_prompt_that_waits_loses_nothing_that_stands_beside_its_words() {
    let payload = json!({"items": [{"type": "text", "text": "look", "text_elements": [{"placeholder": "the map"}], "n": 1}]});
    let row = |table: &str, value: String| crate::Row {
        file: "q".into(),
        table: table.into(),
        key: Some("1".into()),
        value: Some(value.into_bytes()),
    };
    let evidence = Evidence { rows: vec![row(super::beside::QUEUED, payload.to_string())], ..Evidence::default() };
    let (c, ledger) = parse(&Adapter, &candidate("q"), &evidence);
    let texts: Vec<&str> = c.messages.iter().map(|m| m.content.as_str()).collect();
    assert_eq!(texts, ["look", r#"[{"placeholder":"the map"}]"#]);
    let about = ledger.entries.iter().find(|e| e.locator.pointer() == Some("/items/0/n")).unwrap();
    assert_eq!((about.disposition, about.reason), (Disposition::Folded, Some(Reason::Metadata)));
}

#[test]
fn a_prompt_of_the_history_is_a_copy_only_of_what_was_said_then() {
    let home = tempfile::tempdir().unwrap();
    let mut late = said("user", "go on");
    late["timestamp"] = json!("2026-01-01T00:30:00.250Z");
    let mut client = event(json!({"type": "user_message", "message": "go on"}));
    client["timestamp"] = late["timestamp"].clone();
    let answer = event(json!({"type": "agent_message", "message": "said by user_message's answer"}));
    write(home.path(), ".codex/sessions/rollout-2026-01-01T00-00-00-a.jsonl", lines(&[late, client, answer]));
    let prompt = |minute: i64, text: &str| json!({"session_id": "a", "ts": 1767225600 + minute * 60, "text": text});
    let history = [prompt(10, "go on"), prompt(30, "go on"), prompt(31, "said by user_message's answer")];
    write(home.path(), ".codex/history.jsonl", lines(&history));
    let history = fixtures::run(&Adapter, &Roots::new(home.path(), Platform::Linux)).1.pop().unwrap();
    let told: Vec<_> = history.parsed.unwrap().0.messages.into_iter().map(|m| (m.when.at().unwrap().to_string(), m.content)).collect();
    assert_eq!(
        told,
        [
            ("2026-01-01T00:10:00.000Z".into(), "go on".into()),
            ("2026-01-01T00:31:00.000Z".into(), String::from("said by user_message's answer")),
        ],
        "both forms of the one prompt are one"
    );
}

/// A queue with a prompt for each of these threads.
fn queue(home: &Path, path: &str, threads: &[&str]) {
    let file = home.join(path);
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    let db = rusqlite::Connection::open(file).unwrap();
    let columns = "id TEXT, thread_id TEXT, payload_json TEXT, created_at_ms INT, updated_at_ms INT, queue_order INT";
    db.execute_batch(&format!("CREATE TABLE queued_items({columns})")).unwrap();
    for thread in threads {
        let payload = json!({"text": format!("wait for {thread}")}).to_string();
        db.execute("INSERT INTO queued_items VALUES(?, ?, ?, 1767225600000, 1767225600000, 1)", [*thread, *thread, &payload])
            .unwrap();
    }
}

/// What each conversation says.
fn told(outcomes: Vec<fixtures::Outcome>) -> Vec<(String, Vec<String>)> {
    let texts = |o: &fixtures::Outcome| o.parsed.as_ref().unwrap().0.messages.iter().map(|m| m.content.clone()).collect();
    outcomes.iter().map(|o| (o.candidate.id.clone(), texts(o))).collect()
}

#[test]
fn what_one_data_folder_says_of_a_conversation_in_another_is_said_with_it() {
    let home = tempfile::tempdir().unwrap();
    write(home.path(), "other/sessions/rollout-2026-01-01T00-00-00-a.jsonl", lines(&[said("user", "a")]));
    queue(home.path(), ".codex/queue_1.sqlite", &["a"]);
    queue(home.path(), "other/queue_1.sqlite", &["a"]);
    let db = rusqlite::Connection::open(home.path().join(".codex/state_1.sqlite")).unwrap();
    db.execute_batch("CREATE TABLE threads(id TEXT, title TEXT); INSERT INTO threads VALUES('a', 'Titled')").unwrap();
    drop(db);
    write(
        home.path(),
        ".codex/external_agent_session_imports.json",
        json!({"records": [{"imported_thread_id": "a", "source_path": "/p/x.jsonl"}]}).to_string(),
    );
    let mut roots = Roots::new(home.path(), Platform::Linux);
    roots.custom.insert(NAME.into(), vec![home.path().join("other")]);
    let mut outcomes = fixtures::run(&Adapter, &roots).1;
    let (c, ledger) = outcomes.remove(0).parsed.unwrap();
    assert!(outcomes.is_empty(), "{:?}", told(outcomes));
    let texts: Vec<&str> = c.messages.iter().map(|m| m.content.as_str()).collect();
    assert_eq!(texts, ["a", "wait for a", "wait for a"]);
    assert_ne!(c.messages[1].id, c.messages[2].id, "two queues number their rows from one");
    assert_eq!(c.slug.as_deref(), Some("Titled"));
    assert!(ledger.notices.iter().any(|n| n.detail == "imported-from=/p/x.jsonl"));
}

#[test]
fn a_second_file_of_one_id_that_says_something_else_stands_for_itself() {
    let home = tempfile::tempdir().unwrap();
    let file = |text| lines(&[json!({"type": "session_meta", "payload": {"id": "a"}}), said("user", text)]);
    write(home.path(), ".codex/sessions/rollout-2026-01-01T00-00-00-a.jsonl", file("one thing"));
    write(home.path(), ".codex/archived_sessions/rollout-2026-01-01T00-00-00-a.jsonl", file("another"));
    let (detection, all) = found(&Roots::new(home.path(), Platform::Linux));
    assert_eq!((all.len(), detection.conversations), (2, 2), "{all:?}");
}

#[test]
fn turn_ids_are_names_and_tell_a_copy_from_a_turn_of_its_own() {
    let meta = |id: &str, parent: Option<&str>| {
        json!({"timestamp": "2026-01-01T00:00:00Z", "type": "session_meta", "payload": {"id": id, "forked_from_id": parent}})
    };
    let started = |turn: &str| event(json!({"type": "task_started", "turn_id": turn}));
    let prompt = |text: &str| event(json!({"type": "user_message", "message": text}));
    // Opaque ids in no order of time.
    let parent = [meta("p", None), started("zz"), said("user", "go on"), prompt("go on"), said("assistant", "one")];
    let own = [started("aa"), said("user", "go on"), said("assistant", "two")];
    let child = [&[meta("c", Some("p"))], &parent[..], &own[..]].concat();
    let (c, ledger) = read_with("c.jsonl", &lines(&child), Some(&lines(&parent)));
    assert_eq!(c.messages.iter().map(|m| m.content.as_str()).collect::<Vec<_>>(), ["go on", "one", "go on", "two"]);
    let copied = ledger.entries.iter().filter(|e| e.is_record() && e.reason == Some(Reason::CopiedPrefix)).count();
    assert_eq!(copied, 2, "the parent's session_meta and its prompt to the model");
    assert!(ledger.notices.iter().any(|n| n.detail == "copied-from=p records=4"), "{:?}", ledger.notices);
    // Without the parent nothing can be told apart: everything stays, and it is said.
    let (c, ledger) = read(&lines(&child));
    assert_eq!(c.messages.len(), 4);
    assert!(ledger.notices.iter().any(|n| n.detail == "may-repeat=p"));
}

#[test]
fn news_in_a_copied_beginning_are_told_by_the_conversation_they_come_from() {
    let meta = |id: &str, parent: Option<&str>| {
        json!({"timestamp": "2026-01-01T00:00:00Z", "type": "session_meta", "payload": {"id": id, "forked_from_id": parent}})
    };
    let mut news = said("user", "go on");
    news["payload"]["content"][0]["weather"] = json!({"sky": "blue and wide"});
    let parent = [meta("p", None), news, said("assistant", "one")];
    let twice = String::from_utf8(lines(&[said("user", "twice")])).unwrap();
    let twice = twice.replacen("\"payload\":", "\"payload\":\"the first of two\",\"payload\":", 1);
    let parent = [lines(&parent), twice.into_bytes()].concat();
    let child = [lines(&[meta("c", Some("p"))]), parent.clone(), lines(&[said("user", "own")])].concat();
    let ours = |said: &str, c: &ParsedConversation| c.messages.iter().any(|m| m.content.contains(said));
    let (c, _) = read(&parent);
    assert!(ours("blue and wide", &c) && ours("the first of two", &c));
    let (c, ledger) = read_with("c.jsonl", &child, Some(&parent));
    assert!(!ours("blue and wide", &c) && !ours("the first of two", &c), "{:?}", c.messages);
    for place in ["/payload/content/0/weather", "/payload"] {
        let copy = |e: &&assay_model::LedgerEntry| {
            e.locator.pointer() == Some(place) && e.reason == Some(Reason::CopiedPrefix)
        };
        assert!(ledger.entries.iter().any(|e| copy(&e)), "{place}");
    }
}

#[test]
fn a_record_with_very_many_fields_takes_no_time_per_pair_of_them() {
    let many: serde_json::Map<String, Json> = (0..60_000).map(|n| (format!("new{n}"), json!(format!("words {n}")))).collect();
    let mut record = said("user", "go on");
    record["payload"]["more"] = many.into();
    let text = String::from_utf8(lines(&[record])).unwrap().replace("\"role\":", "\"role\":\"twice\",\"role\":");
    let begun = std::time::Instant::now();
    let (_, ledger) = read(text.as_bytes());
    assert_eq!(ledger.unaccounted_bytes(), 0);
    assert!(begun.elapsed().as_secs() < 30, "{:?}", begun.elapsed());
}

#[test]
fn an_ordinal_used_twice_is_no_identity_and_counters_are_read() {
    let ordinal = |mut record: Json| {
        record["ordinal"] = json!(41);
        record
    };
    let count = event(json!({"type": "token_count",
        "info": {"total_token_usage": {"input_tokens": 1000, "cached_input_tokens": 900, "output_tokens": 7}},
        "rate_limits": {"primary": {"used_percent": 26.0, "resets_at": 1767225600}, "credits": {"has_credits": true}}}));
    let (c, ledger) = read(&lines(&[ordinal(said("user", "a")), ordinal(count), ordinal(said("assistant", "b"))]));
    assert_eq!(c.messages.iter().map(|m| m.content.as_str()).collect::<Vec<_>>(), ["a", "b"]);
    assert!(c.messages.iter().all(|m| !m.content.contains("900")), "usage is in no message, and added up nowhere");
    let counter = ledger.entries.iter().find(|e| e.kind == "event_msg/token_count").unwrap();
    assert_eq!((counter.disposition, counter.reason), (Disposition::Folded, Some(Reason::Metadata)));
    assert!(ledger.entries.iter().all(|e| e.disposition != Disposition::Unknown));
}

#[test]
fn a_counter_that_comes_later_is_accounted_for_and_changes_no_message() {
    let before = [said("user", "a"), said("assistant", "b")];
    let after = [&before[..], &[event(json!({"type": "token_count", "info": {"total_token_usage": {"input_tokens": 9}}}))]].concat();
    let ((a, a_ledger), (b, b_ledger)) = (read(&lines(&before)), read(&lines(&after)));
    assert_eq!(a.messages, b.messages);
    assert_eq!(b_ledger.entries.len(), a_ledger.entries.len() + 1, "the record has its entry");
    assert_eq!(b_ledger.unaccounted_bytes(), 0);
}

#[test]
fn a_message_of_an_agent_that_makes_the_model_answer_begins_a_turn() {
    let agent = json!({"timestamp": "2026-01-01T00:00:00Z", "type": "inter_agent_communication",
        "payload": {"author": "/root/a", "recipient": "/root", "content": "found it", "trigger_turn": true}});
    let (c, _) = read(&lines(&[
        said("user", "look"),
        said("assistant", "asked"),
        agent,
        said("assistant", "thanks"),
        event(json!({"type": "thread_rolled_back", "num_turns": 1})),
    ]));
    let back: Vec<bool> = c.messages.iter().map(|m| m.branch.is_some()).collect();
    assert_eq!(back, [false, false, true, true, false], "one turn is taken back: the agent's");
}

#[test]
#[cfg(unix)]
fn a_link_to_a_rollout_is_no_second_conversation() {
    let home = tempfile::tempdir().unwrap();
    write(home.path(), ".codex/sessions/b/rollout-2026-01-01T00-00-00-a.jsonl", lines(&[said("user", "a")]));
    std::os::unix::fs::symlink(home.path().join(".codex/sessions/b"), home.path().join(".codex/sessions/a")).unwrap();
    let (detection, all) = found(&Roots::new(home.path().canonicalize().unwrap(), Platform::Linux));
    assert_eq!((detection.conversations, all.len()), (1, 1));
    assert!(all[0].file_path.ends_with("b/rollout-2026-01-01T00-00-00-a.jsonl"), "the file, not the link");
    let roots = Roots::new(home.path(), Platform::Linux);
    let (_, ledger) = parse(&Adapter, &all[0], &Adapter.collect(&roots, &all[0]).unwrap());
    assert!(ledger.notices.iter().any(|n| n.code == NoticeCode::DuplicateOf && n.detail.starts_with("path=")));
}

#[test]
fn of_an_encrypted_message_between_agents_only_that_it_was_sent_is_told() {
    let part = json!({"type": "encrypted_content", "encrypted_content": "zz"});
    let item = json!({"type": "agent_message", "author": "a", "recipient": "b", "content": [part]});
    let sent = json!({"timestamp": "2026-01-01T00:00:01Z", "type": "response_item", "payload": item});
    let (c, ledger) = read(&lines(&[sent]));
    let told: Vec<_> = c.messages.iter().map(|m| (m.message_type, m.kind, m.content.as_str())).collect();
    assert_eq!(told, [(MessageType::System, Kind::Event, "[encrypted]\nauthor: a\nrecipient: b")]);
    let entry = ledger.entries.iter().find(|e| e.reason == Some(Reason::EncryptedContent)).unwrap();
    assert_eq!((entry.locator.pointer(), entry.bytes), (Some("/payload/content/0"), 2));
}

#[test]
fn an_encrypted_content_that_is_no_text_is_kept_as_it_is() {
    let strange = json!({"says": "in the clear"});
    let output = json!([{"type": "encrypted_content", "encrypted_content": "zz"}, {"type": "encrypted_content", "encrypted_content": strange}]);
    let (c, ledger) = read(&lines(&[
        item(json!({"type": "reasoning", "summary": [], "encrypted_content": strange})),
        item(json!({"type": "function_call_output", "call_id": "c", "output": output})),
    ]));
    let as_written = strange.to_string();
    let told = c.messages.iter().filter(|m| m.content == as_written).count();
    assert_eq!(told, 2, "{:?}", c.messages);
    let dropped: Vec<_> = ledger.entries.iter().filter(|e| e.reason == Some(Reason::EncryptedContent)).map(|e| e.bytes).collect();
    assert_eq!(dropped, [2], "what is text, is told by its size");
}

#[test]
fn events_about_calls_say_who_asked_and_which_tool() {
    let event = |payload: Json| json!({"timestamp": "2026-01-01T00:00:01Z", "type": "event_msg", "payload": payload});
    let item = |item: Json| event(json!({"type": "item_completed", "item": item}));
    let (c, _) = read(&lines(&[
        event(json!({"type": "dynamic_tool_call_request", "callId": "d1", "tool": "look", "arguments": {"a": 1}})),
        event(json!({"type": "dynamic_tool_call_response", "call_id": "d1", "content_items": [{"text": "seen"}]})),
        event(json!({"type": "mcp_tool_call_end", "call_id": "c7", "invocation": {"server": "atlas", "tool": "map", "arguments": {}}})),
        item(json!({"type": "CommandExecution", "id": "x", "command": "ls", "aggregated_output": "out"})),
    ]));
    let said: Vec<_> = c.messages.iter().map(|m| (m.message_type, m.kind, m.tool_name.as_deref().unwrap_or(""))).collect();
    assert_eq!(
        said,
        [
            (MessageType::Assistant, Kind::ToolCall, "look"),
            (MessageType::System, Kind::ToolResult, "look"),
            (MessageType::System, Kind::ToolResult, "atlas/map"),
            (MessageType::System, Kind::ToolResult, "exec_command"),
        ]
    );
}
