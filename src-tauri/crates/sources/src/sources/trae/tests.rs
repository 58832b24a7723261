//! Discovery on every platform, damage and permissions, and the properties that hold for any store.
#![allow(clippy::unwrap_used)]

use super::Adapter;
use crate::fixtures::{self, Outcome};
use crate::readers::json::Tape;
use crate::readers::sqlite::HANDED_OUT;
use crate::{Platform, Roots, SourceAdapter, State};
use assay_model::{Coverage, Disposition, NoticeCode, Reason};
use proptest::prelude::*;
use rusqlite::Connection;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;

const AGENT: &str = super::store::AGENT;

fn database(file: &Path, rows: &[(&str, &[u8])]) {
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    let c = Connection::open(file).unwrap();
    c.execute_batch("CREATE TABLE ItemTable(key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)").unwrap();
    for (key, value) in rows {
        c.execute("INSERT INTO ItemTable VALUES(?1, ?2)", (key, value)).unwrap();
    }
}

fn workspace(user: &Path, name: &str, rows: &[(&str, &[u8])]) {
    let dir = user.join("workspaceStorage").join(name);
    database(&dir.join("state.vscdb"), rows);
    std::fs::write(dir.join("workspace.json"), r#"{"folder":"file:///home/u/p"}"#).unwrap();
}

fn session(id: &str, messages: Value) -> Value {
    json!({"list": [{"sessionId": id, "createdAt": 1_767_225_600_000i64, "messages": messages}]})
}

fn two(id: &str) -> Vec<u8> {
    let messages = json!([
        {"role": "user", "content": "ask", "turnIndex": 0},
        {"role": "assistant", "content": "answer", "turnIndex": 1}
    ]);
    session(id, messages).to_string().into_bytes()
}

fn ids(outcomes: &[Outcome]) -> Vec<(&str, Coverage)> {
    outcomes.iter().map(|o| (o.candidate.id.as_str(), o.candidate.coverage)).collect()
}

#[test]
fn every_product_is_found_on_every_platform() {
    for (platform, config) in [
        (Platform::Linux, ".config"),
        (Platform::MacOs, "Library/Application Support"),
        (Platform::Windows, "AppData/Roaming"),
    ] {
        let home = tempfile::tempdir().unwrap();
        for product in ["Trae", "Trae CN", "TRAE SOLO", "TRAE SOLO CN"] {
            let user = home.path().join(config).join(product).join("User");
            workspace(&user, "w", &[(AGENT, &two(product))]);
        }
        let (found, outcomes) = fixtures::run(&Adapter, &Roots::new(home.path(), platform));
        assert_eq!(found.state, State::Found);
        assert_eq!(found.conversations, 4);
        assert_eq!(found.roots.len(), 10, "each product's editor and its newer store, and two for the command line");
        let extended = Coverage::Extended;
        let expected =
            [("Trae", Coverage::Reference), ("Trae CN", extended), ("TRAE SOLO", extended), ("TRAE SOLO CN", extended)];
        assert_eq!(ids(&outcomes), expected, "{platform:?}");
    }
}

#[test]
fn added_folders_may_be_any_of_three() {
    let home = tempfile::tempdir().unwrap();
    let user = home.path().join("portable/Trae/User");
    workspace(&user, "w", &[(AGENT, &two("s"))]);
    for folder in ["portable/Trae", "portable/Trae/User", "portable/Trae/User/workspaceStorage"] {
        let mut roots = Roots::new(home.path(), Platform::Linux);
        roots.custom.insert("trae".into(), vec![home.path().join(folder)]);
        let (found, outcomes) = fixtures::run(&Adapter, &roots);
        assert_eq!(ids(&outcomes), [("s", Coverage::Reference)], "{folder}");
        assert!(found.roots.iter().any(|r| r.path == user && r.origin == "custom" && r.conversations == 1));
    }
    let mut roots = Roots::new(home.path(), Platform::Linux);
    roots.env.insert("TRAE_DIR".into(), user.to_string_lossy().into_owned());
    let (found, _) = fixtures::run(&Adapter, &roots);
    assert!(found.roots.iter().any(|r| r.origin == "env:TRAE_DIR" && r.conversations == 1));
}

#[test]
fn nothing_and_damage_are_told_apart_and_the_rest_goes_on() {
    let home = tempfile::tempdir().unwrap();
    let roots = || Roots::new(home.path(), Platform::Linux);
    let found = Adapter.detect(&roots());
    assert_eq!(found.state, State::NotInstalled);
    assert!(found.roots.iter().all(|r| !r.exists), "absent places are named too");

    let user = home.path().join(".config/Trae/User");
    std::fs::create_dir_all(&user).unwrap();
    assert_eq!(Adapter.detect(&roots()).state, State::Empty);

    let broken = user.join("workspaceStorage/a/state.vscdb");
    std::fs::create_dir_all(broken.parent().unwrap()).unwrap();
    std::fs::write(&broken, [7; 4096]).unwrap();
    let found = Adapter.detect(&roots());
    assert_eq!(found.state, State::Failed);
    assert!(found.error.unwrap().contains("damaged"));

    workspace(&user, "b", &[(AGENT, &two("s"))]);
    let found = Adapter.detect(&roots());
    assert_eq!(found.state, State::Found, "one damaged database does not hide the others");
    let mut failures = 0;
    Adapter.scan(&roots(), &found, &mut |c| failures += u32::from(c.is_err()));
    assert_eq!(failures, 1);
}

#[test]
fn an_encrypted_store_is_told_by_its_first_bytes_and_left_alone() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join(".config/Trae CN/ModularData/ai-agent/database.db");
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    let notes = |bytes: &[u8]| {
        std::fs::write(&file, bytes).unwrap();
        let found = Adapter.detect(&Roots::new(home.path(), Platform::Linux));
        let root = found.roots.into_iter().find(|r| r.path == file).unwrap();
        (found.state, root.note)
    };
    assert_eq!(notes(&[0x5A; 4096]), (State::Encrypted, Some("encrypted-store".into())));
    assert_eq!(notes(b"SQLite format 3\0and so on"), (State::Empty, Some("unknown-store-layout".into())));
    let beside: Vec<_> = std::fs::read_dir(file.parent().unwrap()).unwrap().collect();
    assert_eq!(beside.len(), 1, "nothing appears beside it");
}

#[test]
fn the_published_rules_see_only_what_they_name() {
    let home = tempfile::tempdir().unwrap();
    let user = home.path().join(".config/Trae/User");
    workspace(&user, "a", &[(AGENT, &two("seen")), ("memento/icube-ai-chat-storage", &two("other-panel"))]);
    workspace(&user, "b", &[(AGENT, &two("no-description"))]);
    std::fs::remove_file(user.join("workspaceStorage/b/workspace.json")).unwrap();
    workspace(&user, "c", &[(AGENT, session("stub", json!([])).to_string().as_bytes())]);
    database(&user.join("globalStorage/state.vscdb"), &[(AGENT, &two("global"))]);
    let (_, outcomes) = fixtures::run(&Adapter, &Roots::new(home.path(), Platform::Linux));
    let reference: Vec<_> = ids(&outcomes).into_iter().filter(|(_, c)| *c == Coverage::Reference).collect();
    assert_eq!(reference, [("seen", Coverage::Reference)]);
    assert_eq!(outcomes.len(), 5);
    let stub = outcomes.iter().find(|o| o.candidate.id == "stub").unwrap();
    let ledger = &stub.parsed.as_ref().unwrap().1;
    assert!(ledger.notices.iter().any(|n| n.code == NoticeCode::BodyMissing));
}

#[test]
fn a_row_that_changed_since_the_scan_is_searched_for_the_session() {
    let home = tempfile::tempdir().unwrap();
    let user = home.path().join(".config/Trae/User");
    workspace(&user, "a", &[(AGENT, &two("s"))]);
    let roots = Roots::new(home.path(), Platform::Linux);
    let mut candidates = Vec::new();
    Adapter.scan(&roots, &Adapter.detect(&roots), &mut |c| candidates.extend(c.ok()));
    let later = json!({"list": [{"sessionId": "new", "messages": []}, {"sessionId": "s", "messages": [{"role": "user", "content": "later"}]}]});
    let c = Connection::open(user.join("workspaceStorage/a/state.vscdb")).unwrap();
    c.execute("UPDATE ItemTable SET value = ?1", [later.to_string()]).unwrap();
    drop(c);
    let roots = Roots::new(home.path(), Platform::Linux);
    let evidence = Adapter.collect(&roots, &candidates[0]).unwrap();
    let (conversation, _) = crate::parse(&Adapter, &candidates[0], &evidence);
    assert_eq!(conversation.messages[0].content, "later");
    c_gone(&user);
    let roots = Roots::new(home.path(), Platform::Linux);
    assert_eq!(Adapter.collect(&roots, &candidates[0]).unwrap_err().code(), "gone");
}

fn c_gone(user: &Path) {
    let c = Connection::open(user.join("workspaceStorage/a/state.vscdb")).unwrap();
    c.execute("DELETE FROM ItemTable", []).unwrap();
}

/// All that is shown of a store: messages, titles, and what entries without a message say.
fn told(outcomes: &[Outcome]) -> String {
    let mut all = String::new();
    for outcome in outcomes {
        let Ok((conversation, ledger)) = &outcome.parsed else { continue };
        all.extend(conversation.slug.iter().map(|s| format!("{s}\n")));
        for message in &conversation.messages {
            all.push_str(&message.content);
            all.push('\n');
            all.extend(message.tool_name.iter().map(|s| format!("{s}\n")));
            all.extend(message.thinking.iter().map(|s| format!("{s}\n")));
        }
        for entry in &ledger.entries {
            let stated = entry.reason.is_some() && entry.disposition != Disposition::Kept;
            all.extend(entry.excerpt.iter().filter(|_| stated).map(|s| format!("{s}\n")));
        }
    }
    all
}

/// Ids, types, names and times: what would change the meaning if it were another text.
const FIXED: &[&str] = &[
    "sessionId", "id", "key", "role", "turnId", "agentMessageId", "toolName", "currentSessionId", "timestamp",
    "config_name",
];

/// Puts a token of its own into every string of `value`.
fn mark(value: &mut Value, next: &mut usize, tokens: &mut Vec<String>) {
    match value {
        Value::String(text) => {
            let token = format!("canary{next:04}x");
            *next += 1;
            *text = format!("{text} {token}");
            tokens.push(token);
        }
        Value::Array(items) => items.iter_mut().for_each(|item| mark(item, next, tokens)),
        Value::Object(members) => members
            .iter_mut()
            .filter(|(name, _)| !FIXED.contains(&name.as_str()))
            .for_each(|(_, member)| mark(member, next, tokens)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[test]
fn no_text_of_a_fixture_is_lost_in_silence() {
    let mut next = 0;
    for case in fixtures::cases("trae").unwrap() {
        let home = tempfile::tempdir().unwrap();
        case.lay_out(home.path()).unwrap();
        let mut tokens = Vec::new();
        for entry in walkdir::WalkDir::new(home.path()).into_iter().flatten() {
            // The older copy of a sound database is left alone; the fixture of copies has its own test.
            if entry.file_name() != "state.vscdb" || case.name == "backup" {
                continue;
            }
            let c = Connection::open(entry.path()).unwrap();
            let mut statement = c.prepare("SELECT key, value FROM ItemTable").unwrap();
            let rows: Vec<(String, String)> =
                statement.query_map([], |r| Ok((r.get(0)?, r.get(1)?))).unwrap().map(Result::unwrap).collect();
            for (key, text) in rows {
                let Some(family) = super::store::Family::of(&key) else { continue };
                let Ok(mut value) = serde_json::from_str::<Value>(&text) else { continue };
                let is_fact = matches!(family, super::store::Family::Facts | super::store::Family::Last);
                if !is_fact {
                    mark(&mut value, &mut next, &mut tokens);
                }
                c.execute("UPDATE ItemTable SET value = ?2 WHERE key = ?1", (&key, value.to_string())).unwrap();
            }
        }
        let (_, outcomes) = fixtures::run(&Adapter, &Roots::new(home.path(), Platform::Linux));
        let told = told(&outcomes);
        // A body in base64 is told by its size and hash, so a token glued to one goes with it.
        let lost: Vec<_> = tokens.iter().filter(|t| !told.contains(*t)).collect();
        let bodies = if case.name == "prompts-and-drafts" { 1 } else { 0 };
        assert_eq!(lost.len(), bodies, "{}: {lost:?}\n{told}", case.name);
    }
}

#[test]
fn the_older_copy_counts_only_where_the_database_does_not() {
    let home = tempfile::tempdir().unwrap();
    let user = home.path().join(".config/Trae/User");
    let at = |name: &str, file: &str| user.join("workspaceStorage").join(name).join(file);
    workspace(&user, "sound", &[(AGENT, &two("new"))]);
    database(&at("sound", "state.vscdb.backup"), &[(AGENT, &two("old"))]);
    workspace(&user, "damaged", &[]);
    std::fs::write(at("damaged", "state.vscdb"), "x".repeat(9000)).unwrap();
    database(&at("damaged", "state.vscdb.backup"), &[(AGENT, &two("saved"))]);
    workspace(&user, "gone", &[]);
    std::fs::remove_file(at("gone", "state.vscdb")).unwrap();
    database(&at("gone", "state.vscdb.backup"), &[(AGENT, &two("left"))]);
    let roots = Roots::new(home.path(), Platform::Linux);
    // Of one that is cut and has no older copy, what is left is read.
    workspace(&user, "cut", &[(AGENT, &two("left over")), ("filler", "x".repeat(60_000).as_bytes())]);
    let whole = std::fs::read(at("cut", "state.vscdb")).unwrap();
    std::fs::write(at("cut", "state.vscdb"), &whole[..whole.len() - 20_000]).unwrap();
    let (found, outcomes) = fixtures::run(&Adapter, &roots);
    let mut ids: Vec<&str> = outcomes.iter().map(|o| o.candidate.id.as_str()).collect();
    ids.sort_unstable();
    assert_eq!(ids, ["left", "left over", "new", "saved"]);
    assert!(found.error.as_deref().is_some_and(|e| e.contains("state.vscdb")), "the damage is said: {:?}", found.error);
    for outcome in &outcomes {
        let missing = outcome.parsed.as_ref().unwrap().1.notices.iter().any(|n| n.detail == "state.vscdb");
        let copy = ["left", "saved"].contains(&outcome.candidate.id.as_str());
        assert_eq!(missing, copy, "{}: which copy was read is said", outcome.candidate.id);
    }
}

/// How often one row of that many sessions is read over by everything that a preview does but writing: the bytes
/// that leave the database, by the bytes of the row.
fn readings_of(sessions: usize, keyed: bool) -> f64 {
    let one = |n: usize| {
        let messages = json!([
            {"role": "user", "content": format!("ask {n}"), "turnIndex": 0},
            {"role": "assistant", "content": "answer ".repeat(300), "turnIndex": 1}
        ]);
        (format!("s{n}"), messages)
    };
    let all = (0..sessions).map(one);
    let value = if keyed {
        json!({"sessions": all.map(|(id, messages)| (id, json!({"messages": messages}))).collect::<serde_json::Map<_, _>>()})
    } else {
        json!({"list": all.map(|(id, messages)| json!({"sessionId": id, "messages": messages})).collect::<Vec<_>>()})
    };
    let facts: serde_json::Map<_, _> = (0..sessions).map(|n| (format!("s{n}"), json!("builder"))).collect();
    let home = tempfile::tempdir().unwrap();
    let (value, facts) = (value.to_string(), Value::from(facts).to_string());
    let rows = [(AGENT, value.as_bytes()), ("icube_session_agent_map", facts.as_bytes())];
    workspace(&home.path().join(".config/Trae/User"), "w", &rows);
    let before = HANDED_OUT.get();
    let (_, outcomes) = fixtures::run(&Adapter, &Roots::new(home.path(), Platform::Linux));
    let read = HANDED_OUT.get() - before;
    assert_eq!(outcomes.len(), sessions);
    assert!(outcomes.iter().all(|o| o.parsed.as_ref().unwrap().0.messages.len() == 2));
    read as f64 / value.len() as f64
}

#[test]
fn a_row_of_many_sessions_is_not_read_again_for_each() {
    for keyed in [false, true] {
        let (few, many) = (readings_of(40, keyed), readings_of(160, keyed));
        // Looked at by detection and scan, set aside once, and each session cut out of it once.
        assert!(few < 8.0 && many < 8.0, "keyed {keyed}: read {few:.1} times for 40 sessions, {many:.1} for 160");
    }
}

#[test]
fn what_is_left_of_a_damaged_database_can_be_collected_later_on() {
    let home = tempfile::tempdir().unwrap();
    let user = home.path().join(".config/Trae/User");
    workspace(&user, "w", &[(AGENT, &two("s")), ("draft:session:other:code", b"to be sent"), ("filler", &[b'x'; 60_000])]);
    let file = user.join("workspaceStorage/w/state.vscdb");
    let whole = std::fs::read(&file).unwrap();
    std::fs::write(&file, &whole[..whole.len() - 20_000]).unwrap();
    // A copy that is damaged as well is no reason to give the database up.
    std::fs::write(file.with_extension("vscdb.backup"), [7; 9000]).unwrap();
    let roots = || Roots::new(home.path(), Platform::Linux);
    let mut candidates = Vec::new();
    Adapter.scan(&roots(), &Adapter.detect(&roots()), &mut |c| candidates.extend(c.ok()));
    assert_eq!(candidates.iter().map(|c| &*c.id).collect::<Vec<_>>(), ["s", "prompts-trae-w"]);
    for (candidate, said) in candidates.iter().zip(["ask", "to be sent"]) {
        let evidence = Adapter.collect(&roots(), candidate).unwrap();
        let (conversation, ledger) = crate::parse(&Adapter, candidate, &evidence);
        assert_eq!(conversation.messages[0].content, said);
        assert!(ledger.notices.iter().any(|n| n.code == NoticeCode::DamagedStore), "{:?}", ledger.notices);
    }
}

#[test]
fn what_cannot_be_read_or_listed_is_said() {
    let home = tempfile::tempdir().unwrap();
    let user = home.path().join(".config/Trae/User");
    let rows: [(&str, &[u8]); 4] = [
        (AGENT, &two("s")),
        ("icube_session_agent_map", b"{\"s\":\"buil"),
        ("all_session_badges_7", b"[\"completed\"]"),
        ("memento:sessionRelation:modelMap", b"{}"),
    ];
    workspace(&user, "w", &rows);
    let (_, outcomes) = fixtures::run(&Adapter, &Roots::new(home.path(), Platform::Linux));
    let told = told(&outcomes);
    assert!(told.contains("buil") && told.contains("completed"), "{told}");
    assert_eq!(outcomes.len(), 2);
    let entries = &outcomes[1].parsed.as_ref().unwrap().1.entries;
    let kinds: Vec<_> = entries.iter().filter(|e| e.is_record()).map(|e| (&*e.kind, e.disposition)).collect();
    assert_eq!(kinds, [("session-facts", Disposition::Unknown), ("malformed", Disposition::Recovered)]);

    #[cfg(unix)]
    for folder in [user.join("workspaceStorage/w/long-text"), user.with_file_name("ModularData/ai-agent/snapshot")] {
        std::fs::create_dir_all(folder.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(&folder, &folder).unwrap();
        let roots = Roots::new(home.path(), Platform::Linux);
        let mut failures = Vec::new();
        Adapter.scan(&roots, &Adapter.detect(&roots), &mut |c| failures.extend(c.err().map(|e| e.to_string())));
        let said = failures.iter().any(|failure| failure.contains(&*folder.to_string_lossy()));
        assert!(said, "{} that is a circle: {failures:?}", folder.display());
        std::fs::remove_file(&folder).unwrap();
    }
}

#[test]
fn what_is_not_known_about_a_model_is_kept_as_it_is() {
    let message = json!({"role": "assistant", "content": "said", "modelInfo": {"config_name": "m", "novel": "WORDS"}});
    let outcomes = run_value(session("s", json!([message])).to_string().as_bytes());
    sound(&outcomes).unwrap();
    let kept = outcomes.iter().flat_map(|o| &o.parsed.as_ref().unwrap().0.messages).filter(|m| m.content == "WORDS").count();
    assert_eq!(kept, 1);
}

fn run_value(value: &[u8]) -> Vec<Outcome> {
    let home = tempfile::tempdir().unwrap();
    workspace(&home.path().join(".config/Trae/User"), "w", &[(AGENT, value)]);
    fixtures::run(&Adapter, &Roots::new(home.path(), Platform::Linux)).1
}

fn sound(outcomes: &[Outcome]) -> Result<(), TestCaseError> {
    for outcome in outcomes {
        let (conversation, ledger) = outcome.parsed.as_ref().unwrap();
        prop_assert_eq!(ledger.unaccounted_bytes(), 0, "{:?}", outcome.candidate);
        let mut ids: Vec<_> = conversation.messages.iter().map(|m| &m.id).collect();
        let count = ids.len();
        ids.sort_unstable();
        ids.dedup();
        prop_assert_eq!(ids.len(), count, "two messages have one id");
        prop_assert!(ledger.entries.iter().all(|e| e.disposition == Disposition::Kept || e.reason.is_some()));
    }
    Ok(())
}

/// Values that look like a store but may have any type anywhere.
fn store_like() -> impl Strategy<Value = Value> {
    let word = prop_oneof![
        Just("user"), Just("assistant"), Just("ai"), Just("finish"), Just("run"), Just(""), Just(" \u{feff}"),
        Just("```\ncode"), Just("文字"), Just("shared"),
    ];
    let leaf = prop_oneof![
        word.prop_map(Value::from),
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (0i64..4).prop_map(Value::from),
        (1_767_225_600_000i64..1_767_225_600_004).prop_map(Value::from),
        Just(json!(1e300)),
    ];
    leaf.prop_recursive(8, 96, 6, |inner| {
        let name = prop::sample::select(vec![
            "list", "sessions", "data", "messages", "history", "sessionId", "id", "createdAt", "title", "role",
            "content", "turnIndex", "turnId", "timestamp", "agentTaskContent", "proposal",
            "proposalReasoningContent", "guideline", "thought", "planItems", "toolName", "params", "result",
            "reasoningContent", "toolCall", "summary", "parsedQuery", "files", "error", "other", "a/b~c",
        ]);
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::vec((name, inner), 0..8)
                .prop_map(|m| m.into_iter().map(|(k, v)| (k.to_owned(), v)).collect()),
        ]
    })
}

fn message_like() -> impl Strategy<Value = Value> {
    prop::collection::vec(store_like(), 0..6).prop_map(|messages| {
        let wrapped = messages.into_iter().enumerate().map(|(i, content)| {
            let role = if i % 2 == 0 { "user" } else { "assistant" };
            json!({"role": role, "content": content.get("content"), "agentTaskContent": content, "turnIndex": i % 3})
        });
        session("s", wrapped.collect())
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn any_shape_is_accounted_for(value in prop_oneof![store_like(), message_like()]) {
        let bytes = value.to_string().into_bytes();
        let (first, second) = (run_value(&bytes), run_value(&bytes));
        sound(&first)?;
        let what = |o: &[Outcome]| o.iter().map(|o| o.parsed.clone().unwrap().0.messages.len()).collect::<Vec<_>>();
        prop_assert_eq!(what(&first), what(&second));
    }

    #[test]
    fn any_bytes_are_accounted_for(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let outcomes = run_value(&bytes);
        sound(&outcomes)?;
        let mut tape = Tape::new();
        if tape.read_whole(&bytes).is_err() && !bytes.is_empty() {
            prop_assert!(outcomes.iter().any(|o| o.parsed.as_ref().unwrap().1.entries.iter()
                .any(|e| e.reason == Some(Reason::MalformedJson))));
        }
    }

    #[test]
    fn a_cut_loses_nothing_that_stands_before_it(at in 0usize..1000, messages in 1usize..6) {
        let list: Vec<_> = (0..messages).map(|i| {
            let role = if i % 2 == 0 { "user" } else { "assistant" };
            json!({"role": role, "turnIndex": i, "content": format!("word{i} \"}}]\\ said")})
        }).collect();
        let whole = json!({"list": [
            {"sessionId": "a", "messages": list.clone()},
            {"messages": list, "sessionId": "b"},
        ]}).to_string();
        let cut = &whole.as_bytes()[..at.min(whole.len())];
        let outcomes = run_value(cut);
        sound(&outcomes)?;
        let text = String::from_utf8_lossy(cut);
        let told = told(&outcomes);
        let mut seen: BTreeMap<String, usize> = BTreeMap::new();
        for i in 0..messages {
            let word = format!("word{i} ");
            *seen.entry(word.clone()).or_default() = text.matches(&word).count();
            prop_assert!(told.matches(&word).count() >= seen[&word], "{} in\n{}", word, told);
        }
    }
}
