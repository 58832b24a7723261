//! The adapter as a whole: places on each platform, logs, damage, secrets, properties, and a canary in every
//! text of every fixture.

use super::Adapter;
use super::fields::{Disposal, dispose};
use super::hint::{Hint, Store};
use crate::fixtures::{self, Outcome};
use crate::readers::json::pointer_to;
use crate::readers::sqlite::HANDED_OUT;
use crate::{Account, Evidence, EvidenceFile, Platform, Roots, Row, SourceAdapter, State, registry};
use assay_model::{Candidate, Coverage, Disposition, Ledger, Locator, NoticeCode, ParsedConversation};
use proptest::prelude::*;
use rusqlite::Connection;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

const GLOBAL: &str = "Cursor/User/globalStorage/state.vscdb";

fn database(path: &Path) -> Connection {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let db = Connection::open(path).unwrap();
    db.execute_batch(
        "CREATE TABLE ItemTable (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB);
         CREATE TABLE cursorDiskKV (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB);",
    )
    .unwrap();
    db
}

fn insert(db: &Connection, key: &str, value: &str) {
    db.execute("INSERT INTO cursorDiskKV VALUES (?1, ?2)", [key, value]).unwrap();
}

fn bubble(db: &Connection, composer: &str, id: &str, kind: u8, text: &str) {
    let value = serde_json::json!({"_v": 3, "type": kind, "bubbleId": id, "text": text});
    insert(db, &format!("bubbleId:{composer}:{id}"), &value.to_string());
}

fn ids(outcomes: &[Outcome]) -> Vec<&str> {
    outcomes.iter().map(|o| o.candidate.id.as_str()).collect()
}

fn texts(outcome: &Outcome) -> Vec<&str> {
    outcome.parsed.as_ref().unwrap().0.messages.iter().map(|m| m.content.as_str()).collect()
}

fn home() -> (TempDir, Roots) {
    let home = tempfile::tempdir().unwrap();
    let mut roots = Roots::new(home.path(), Platform::Linux);
    roots.now = i64::MAX;
    (home, roots)
}

#[test]
fn the_editor_is_found_on_every_platform() {
    for (platform, config) in [
        (Platform::Linux, ".config"),
        (Platform::MacOs, "Library/Application Support"),
        (Platform::Windows, "AppData/Roaming"),
    ] {
        let (home, mut roots) = home();
        roots.platform = platform;
        let db = database(&home.path().join(config).join(GLOBAL));
        bubble(&db, "c1", "u1", 1, "hello");
        drop(db);
        let (found, outcomes) = fixtures::run(&Adapter, &roots);
        assert_eq!(found.state, State::Found, "{platform:?}");
        assert_eq!(ids(&outcomes), ["c1"], "{platform:?}");
        assert_eq!(outcomes[0].candidate.coverage, Coverage::Reference);
        assert_eq!(texts(&outcomes[0]), ["hello"]);
    }
    let (_home, roots) = home();
    let nothing = Adapter.detect(&roots);
    assert_eq!(nothing.state, State::NotInstalled);
    assert!(nothing.roots.iter().all(|r| !r.exists), "also what is not there was looked at");
    assert!(nothing.roots.len() >= 6, "{:?}", nothing.roots);
}

#[test]
fn rows_that_only_the_log_holds_are_read_and_the_database_is_copied_once() {
    let (home, mut roots) = home();
    let scratch = tempfile::tempdir().unwrap();
    roots.scratch = scratch.path().to_owned();
    let path = home.path().join(".config").join(GLOBAL);
    let db = database(&path);
    db.execute_batch("PRAGMA journal_mode=wal; PRAGMA wal_autocheckpoint=0").unwrap();
    for n in 0..50 {
        bubble(&db, &format!("c{n:02}"), "u1", 1, "only in the log");
    }
    let before = std::fs::read(&path).unwrap();
    let (_, outcomes) = fixtures::run(&Adapter, &roots);
    assert_eq!(outcomes.len(), 50);
    assert!(outcomes.iter().all(|o| texts(o) == ["only in the log"]));
    assert_eq!(std::fs::read_dir(scratch.path()).unwrap().count(), 1, "one copy for fifty conversations");
    assert_eq!(std::fs::read(&path).unwrap(), before, "the database is as it was");
    drop(roots);
    assert_eq!(std::fs::read_dir(scratch.path()).unwrap().count(), 0, "the copy is gone");
}

#[test]
fn what_nobody_can_read_is_said_in_its_place() {
    let (home, roots) = home();
    let db = database(&home.path().join(".config").join(GLOBAL));
    let bubble = |id: &str, field: &str, value: serde_json::Value| {
        let bubble = serde_json::json!({"_v": 3, "type": 2, "bubbleId": id, "text": "", (field): value});
        insert(&db, &format!("bubbleId:c1:{id}"), &bubble.to_string());
    };
    bubble("a", "toolFormerData", serde_json::json!({"name": "grep", "params": "{}", "toolCallBinary": "QUJDREVG"}));
    bubble("b", "thinking", serde_json::json!({"text": "", "redactedThinking": "secret blob"}));
    let (_, outcomes) = fixtures::run(&Adapter, &roots);
    let (conversation, ledger) = outcomes[0].parsed.as_ref().unwrap();
    let hidden = |kind: &str| ledger.entries.iter().find(|e| e.kind == kind).unwrap();
    let said = |entry: &assay_model::LedgerEntry| &conversation.messages[entry.message_index.unwrap() as usize].content;
    let (binary, thinking) = (hidden("tool/toolCallBinary"), hidden("thinking/redactedThinking"));
    assert_eq!((binary.bytes, binary.disposition), (8, Disposition::Dropped));
    assert!(said(binary).starts_with("[application/x-protobuf, 6 bytes"), "{}", said(binary));
    assert_eq!((thinking.disposition, said(thinking).as_str()), (Disposition::Dropped, "[redacted thinking]"));
    assert_eq!(thinking.reason, Some(assay_model::Reason::EncryptedContent));
}

#[test]
fn a_damaged_database_is_said_and_the_rest_is_read() {
    let (home, roots) = home();
    let path = home.path().join(".config").join(GLOBAL);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, [7u8; 8192]).unwrap();
    let found = Adapter.detect(&roots);
    assert_eq!(found.state, State::Failed);
    assert!(found.error.unwrap().contains("damaged"));

    let transcript = home.path().join(".cursor/projects/p/agent-transcripts/s.jsonl");
    std::fs::create_dir_all(transcript.parent().unwrap()).unwrap();
    std::fs::write(&transcript, "{\"role\":\"user\",\"message\":{\"content\":\"still here\"}}\n").unwrap();
    let (found, outcomes) = fixtures::run(&Adapter, &roots);
    assert_eq!((found.state, ids(&outcomes)), (State::Found, vec!["s"]));
    let mut errors = 0;
    Adapter.scan(&roots, &found, &mut |c| errors += usize::from(c.is_err()));
    assert_eq!(errors, 1, "the scan says what it could not list");

    let db = database(&path.with_extension("vscdb.backup"));
    bubble(&db, "c1", "u1", 1, "from the backup");
    drop(db);
    let (found, outcomes) = fixtures::run(&Adapter, &roots);
    assert_eq!(ids(&outcomes), ["c1", "s"]);
    assert!(found.roots.iter().any(|r| r.note.as_deref().is_some_and(|n| n.contains("backup copy is read"))));
}

#[test]
fn rows_that_are_no_conversation_are_counted_by_family_and_not_read() {
    let (home, roots) = home();
    let db = database(&home.path().join(".config").join(GLOBAL));
    db.execute_batch(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
         INSERT INTO cursorDiskKV SELECT printf('agentKv:blob:%064x', i), zeroblob(4096) FROM n;
         INSERT INTO cursorDiskKV VALUES (NULL, 'x'), ('inlineDiffsData', '{}');",
    )
    .unwrap();
    bubble(&db, "c1", "u1", 1, "hello");
    drop(db);
    let found = Adapter.detect(&roots);
    let note = found.roots.iter().find_map(|r| r.note.clone()).unwrap();
    assert_eq!(note, "agentKv:blob: 3000, bubbleId: 1, inlineDiffsData 1, (no key) 1");
    assert_eq!(found.conversations, 1);
}

#[test]
fn families_are_counted_by_what_their_keys_begin_with() {
    let (home, roots) = home();
    let db = database(&global(&home));
    for n in 0..100 {
        insert(&db, &format!("inlineDiffs-{n:03}"), "[]");
        insert(&db, &format!("composer.content.{n:03}"), "text");
    }
    insert(&db, "composer.apart", "x");
    insert(&db, "composer.zone", "x");
    bubble(&db, "c1", "u1", 1, "hello");
    let note = |roots: &Roots| Adapter.detect(roots).roots.iter().find_map(|r| r.note.clone()).unwrap();
    assert_eq!(note(&roots), "bubbleId: 1, composer.apart 1, composer.content. 100, composer.zone 1, inlineDiffs- 100");
    for n in 0..100 {
        insert(&db, &format!("setting{n:03}"), "x");
    }
    drop(db);
    assert!(note(&roots).ends_with("setting058 1, (others) 41"), "{}", note(&roots));
}

#[test]
fn each_plan_of_the_registry_is_told_once_and_the_registry_read_once() {
    let (home, roots) = home();
    let db = database(&global(&home));
    let plan = |n: usize| serde_json::json!({"name": format!("plan {n}"), "content": format!("step {n} {}", "and on ".repeat(400))});
    let plans: serde_json::Map<_, _> = (0..100).map(|n| (format!("c{n}"), plan(n))).collect();
    let registry = serde_json::json!({"version": 2, "plans": plans, "note": "a word on all of them"}).to_string();
    for n in 0..100 {
        bubble(&db, &format!("c{n}"), "u1", 1, "plan it");
    }
    let write = |value: &str| {
        db.execute("INSERT INTO ItemTable VALUES ('composer.planRegistry', ?1)", [value]).unwrap();
    };
    write(&registry);
    let before = HANDED_OUT.get();
    let (_, outcomes) = fixtures::run(&Adapter, &roots);
    let read = HANDED_OUT.get() - before;
    assert!(read < 8 * registry.len() as u64, "{read} bytes of values for a registry of {}", registry.len());
    assert_eq!(outcomes.len(), 101);
    for outcome in &outcomes[..100] {
        let n = outcome.candidate.id.trim_start_matches('c');
        assert!(texts(outcome)[1].starts_with(&format!("step {n} ")), "{:?}", texts(outcome));
    }
    assert_eq!(texts(&outcomes[100]), ["a word on all of them"]);

    // What is no list of plans is told as it stands, damaged or not.
    for odd in ["\"only a text\"", "{\"plans\": {\"p\": {\"content\": \"only a text", "{\"plans\": \"only a text\"}", "[[\"only a text\"]]"] {
        write(odd);
        let (_, outcomes) = fixtures::run(&Adapter, &Roots { now: i64::MAX, ..Roots::new(home.path(), Platform::Linux) });
        let last = outcomes.last().unwrap();
        assert_eq!((outcomes.len(), &*last.candidate.id), (101, "plan-registry"), "{odd}");
        assert!(texts(last).concat().contains("only a text"), "{odd}: {:?}", texts(last));
    }
}

#[test]
fn damage_in_a_workspace_is_said_and_its_older_copy_read_where_the_database_is_gone() {
    let (home, roots) = home();
    let user = home.path().join(".config/Cursor/User");
    let db = database(&user.join("workspaceStorage/a/state.vscdb"));
    db.execute("INSERT INTO ItemTable VALUES ('aiService.prompts', '[{\"text\":\"cut of')", []).unwrap();
    let db = database(&user.join("workspaceStorage/b/state.vscdb.backup"));
    db.execute("INSERT INTO ItemTable VALUES ('aiService.prompts', '[{\"text\":\"left over\"}]')", []).unwrap();
    let db = database(&global(&home));
    db.execute("INSERT INTO ItemTable VALUES ('composer.composerHeaders', '{\"allComposers\":[')", []).unwrap();
    drop(db);
    let (found, outcomes) = fixtures::run(&Adapter, &roots);
    assert_eq!(ids(&outcomes), ["prompts-a", "prompts-b"]);
    assert!(texts(&outcomes[0])[0].contains("cut of") && texts(&outcomes[1]) == ["left over"]);
    let notes: String = found.roots.iter().filter_map(|r| r.note.clone()).collect();
    assert!(notes.contains("composer.composerHeaders is not JSON") && notes.contains("is gone, its backup copy"), "{notes}");

    #[cfg(unix)]
    {
        // A folder that cannot be listed: a circle of links.
        std::os::unix::fs::symlink(user.join("profiles"), user.join("profiles")).unwrap();
        let mut errors = Vec::new();
        Adapter.scan(&roots, &found, &mut |c| errors.extend(c.err().map(|e| e.path)));
        assert_eq!(errors, [user.join("profiles")]);
    }
}

#[test]
fn the_same_id_in_two_places_stays_two_conversations() {
    let (home, mut roots) = home();
    let other = home.path().join("old").join(GLOBAL);
    for (path, text) in [(home.path().join(".config").join(GLOBAL), "new"), (other, "old")] {
        bubble(&database(&path), "c1", "u1", 1, text);
    }
    roots.custom.insert("cursor".into(), vec![home.path().join("old/Cursor")]);
    let (_, outcomes) = fixtures::run(&Adapter, &roots);
    assert_eq!(ids(&outcomes), ["c1", "c1@2"]);
    assert_eq!(texts(&outcomes[1]), ["old"]);
    let (conversation, ledger) = outcomes[1].parsed.as_ref().unwrap();
    assert_eq!(conversation.links[0].conversation, "c1");
    assert!(ledger.notices.iter().any(|n| n.detail == "c1"));
}

fn composer_row(db: &Connection, id: &str, value: &serde_json::Value) {
    insert(db, &format!("composerData:{id}"), &value.to_string());
}

fn global(home: &TempDir) -> PathBuf {
    home.path().join(".config").join(GLOBAL)
}

#[test]
fn keys_that_are_bytes_are_keys() {
    let (home, roots) = home();
    let db = database(&global(&home));
    for (key, value) in [
        ("composerData:c1", r#"{"composerId":"c1","fullConversationHeadersOnly":[{"bubbleId":"u1","type":1}]}"#),
        ("bubbleId:c1:u1", r#"{"_v":3,"type":1,"bubbleId":"u1","text":"bound as bytes"}"#),
    ] {
        db.execute("INSERT INTO cursorDiskKV VALUES (?1, ?2)", (key.as_bytes(), value)).unwrap();
    }
    drop(db);
    let (found, outcomes) = fixtures::run(&Adapter, &roots);
    assert_eq!((ids(&outcomes), texts(&outcomes[0])), (vec!["c1"], vec!["bound as bytes"]));
    assert!(found.roots.iter().any(|r| r.note.as_deref().is_some_and(|n| n.contains("(key of bytes) 2"))));
}

#[test]
fn a_database_with_lost_pages_gives_what_is_left_and_says_what_is_not() {
    let (home, roots) = home();
    let path = global(&home);
    let db = database(&path);
    for n in 0..300 {
        bubble(&db, &format!("c{n:03}"), "u1", 1, &format!("{n} {}", "word ".repeat(40)));
    }
    drop(db);
    let whole = std::fs::read(&path).unwrap();
    let needle = b"\"text\":\"150 word";
    let at = whole.windows(needle.len()).position(|w| w == needle).unwrap() / 4096 * 4096;
    let mut hurt = whole.clone();
    hurt[at..at + 4096].fill(0);
    std::fs::write(&path, &hurt).unwrap();

    let (found, outcomes) = fixtures::run(&Adapter, &roots);
    assert!(outcomes.len() > 270 && outcomes.len() < 300, "{} of 300 are left", outcomes.len());
    assert!(outcomes.iter().all(|o| texts(o)[0].contains("word")));
    let ledger = &outcomes[0].parsed.as_ref().unwrap().1;
    assert!(ledger.notices.iter().any(|n| n.code == NoticeCode::DamagedStore && n.detail.contains("unreadablePages=1")));
    let mut errors = Vec::new();
    Adapter.scan(&roots, &found, &mut |c| errors.extend(c.err().map(|e| e.to_string())));
    assert_eq!(errors.len(), 1, "an incomplete scan, so that nothing counts as gone: {errors:?}");
    assert_eq!(std::fs::read(&path).unwrap(), hurt, "the database is as it was");

    // The tree's root: every leaf is still read, though nothing points to it.
    let root: i64 = {
        std::fs::write(&path, &whole).unwrap();
        let db = Connection::open(&path).unwrap();
        db.query_row("SELECT rootpage FROM sqlite_schema WHERE name = 'cursorDiskKV'", [], |r| r.get(0)).unwrap()
    };
    let mut hurt = whole.clone();
    let at = (root as usize - 1) * 4096;
    hurt[at..at + 4096].fill(0);
    std::fs::write(&path, &hurt).unwrap();
    let mut roots = Roots::new(home.path(), Platform::Linux);
    roots.now = i64::MAX;
    assert_eq!(fixtures::run(&Adapter, &roots).1.len(), 300);
}

#[test]
fn without_the_global_database_a_name_in_an_index_is_no_conversation() {
    let (home, roots) = home();
    let user = home.path().join(".config/Cursor/User/workspaceStorage/w");
    let db = database(&user.join("state.vscdb"));
    std::fs::write(user.join("workspace.json"), r#"{"folder":"file:///home/u/shop"}"#).unwrap();
    db.execute("INSERT INTO ItemTable VALUES ('composer.composerData', ?1)", [r#"{"allComposers":[{"composerId":"c1"}]}"#]).unwrap();
    drop(db);
    let (found, outcomes) = fixtures::run(&Adapter, &roots);
    assert!(outcomes.is_empty(), "what was imported of it is gone: {:?}", ids(&outcomes));
    assert!(found.roots.iter().any(|r| r.note.as_deref().is_some_and(|n| n.contains("no global database has them: 1"))));
}

#[test]
fn a_sub_agent_is_in_the_project_of_who_started_it() {
    let (home, roots) = home();
    let db = database(&global(&home));
    let project = serde_json::json!({"id": "w", "uri": {"fsPath": "/home/u/shop", "scheme": "file"}});
    composer_row(&db, "top", &serde_json::json!({"composerId": "top", "workspaceIdentifier": project, "subagentComposerIds": ["task-1"]}));
    composer_row(&db, "task-1", &serde_json::json!({"composerId": "task-1", "subagentComposerIds": ["task-2"]}));
    bubble(&db, "top", "u1", 1, "begin");
    for id in ["task-1", "task-2"] {
        bubble(&db, id, "u1", 1, "find it");
    }
    drop(db);
    let (_, outcomes) = fixtures::run(&Adapter, &roots);
    for outcome in outcomes {
        let conversation = &outcome.parsed.as_ref().unwrap().0;
        assert_eq!(conversation.cwd.as_deref(), Some("/home/u/shop"), "{}", outcome.candidate.id);
    }
}

#[test]
fn a_diff_stands_with_the_tool_that_names_it() {
    let (home, roots) = home();
    let db = database(&global(&home));
    composer_row(&db, "c1", &serde_json::json!({"composerId": "c1", "fullConversationHeadersOnly": [{"bubbleId": "a1", "type": 2}, {"bubbleId": "a2", "type": 2}]}));
    let tool = serde_json::json!({"_v": 3, "type": 2, "bubbleId": "a1", "toolFormerData": {"name": "edit_file", "result": "{\"codeblockId\":\"d-7\"}"}});
    insert(&db, "bubbleId:c1:a1", &tool.to_string());
    bubble(&db, "c1", "a2", 2, "Done.");
    insert(&db, "codeBlockDiff:c1:d-7", r#"{"newModelDiffWrtV0":[{"modified":["let x = 1;"]}]}"#);
    insert(&db, "codeBlockDiff:c1:d-8", r#"{"newModelDiffWrtV0":[{"modified":["of nobody"]}]}"#);
    drop(db);
    let (_, outcomes) = fixtures::run(&Adapter, &roots);
    let texts = texts(&outcomes[0]);
    let at = |word: &str| texts.iter().position(|t| t.contains(word)).unwrap();
    assert!(at("codeblockId") < at("let x") && at("let x") < at("Done."), "{texts:?}");
    assert_eq!(at("of nobody"), texts.len() - 1, "one without an owner comes last");
}

#[test]
fn a_transcript_is_in_the_one_project_that_its_folder_can_mean() {
    let line = "{\"role\":\"user\",\"message\":{\"content\":\"hi\"}}\n";
    for (projects, cwd) in [(&["/home/u/my.shop"][..], Some("/home/u/my.shop")), (&["/home/u/my.shop", "/home/u/my-shop"], None), (&[], None)] {
        let (home, roots) = home();
        for (n, project) in projects.iter().enumerate() {
            let user = home.path().join(format!(".config/Cursor/User/workspaceStorage/w{n}"));
            std::fs::create_dir_all(&user).unwrap();
            std::fs::write(user.join("workspace.json"), format!(r#"{{"folder":"file://{project}"}}"#)).unwrap();
        }
        let transcript = home.path().join(".cursor/projects/home-u-my-shop/agent-transcripts/s.jsonl");
        std::fs::create_dir_all(transcript.parent().unwrap()).unwrap();
        std::fs::write(&transcript, line).unwrap();
        let (_, outcomes) = fixtures::run(&Adapter, &roots);
        let (conversation, ledger) = outcomes[0].parsed.as_ref().unwrap();
        assert_eq!(conversation.cwd.as_deref(), cwd, "{projects:?}");
        let code = if cwd.is_some() { NoticeCode::Inferred } else { NoticeCode::PathUnresolved };
        assert!(ledger.notices.iter().any(|n| n.code == code), "{projects:?}");
    }
}

/// What the fixtures' stores hold below `home`.
fn laid_out(case: &fixtures::Case) -> (TempDir, Vec<(Candidate, Evidence)>) {
    let (home, roots) = home();
    case.lay_out(home.path()).unwrap();
    let mut all = Vec::new();
    Adapter.scan(&roots, &Adapter.detect(&roots), &mut |candidate| {
        let candidate = candidate.unwrap();
        let evidence = Adapter.collect(&roots, &candidate).unwrap();
        all.push((candidate, evidence));
    });
    (home, all)
}

#[test]
fn secrets_are_never_in_what_is_read() {
    for case in fixtures::cases("cursor").unwrap() {
        assert!(!case.render(&registry()).unwrap().contains("never read"), "{}", case.name);
        let (_home, all) = laid_out(&case);
        for (candidate, evidence) in all {
            let mut rows = evidence.rows.iter().chain(&evidence.consulted_rows);
            assert!(!rows.any(|r| r.key.as_deref().is_some_and(|k| k.contains("cursorAuth") || k.contains("secret"))));
            assert!(!candidate.hint.to_string().contains("never read"));
        }
    }
}

/// Puts a token at the end of every text of a value; JSON inside a string stays JSON.
fn plant(value: &mut serde_json::Value, object: &str, pointer: &str, tokens: &mut Vec<(String, String)>) {
    match value {
        serde_json::Value::String(text) => {
            let inner: Option<serde_json::Value> =
                serde_json::from_str(text).ok().filter(|v: &serde_json::Value| v.is_object() || v.is_array());
            if let Some(mut inner) = inner {
                let from = tokens.len();
                plant(&mut inner, object, pointer, tokens);
                tokens[from..].iter_mut().for_each(|t| t.1 = pointer.to_owned());
                *text = inner.to_string();
            } else if !text.is_empty() && text.len() < 1024 {
                let token = format!("canary{}x", tokens.len());
                text.push_str(&token);
                tokens.push((token, pointer.to_owned()));
            }
        }
        serde_json::Value::Array(items) => {
            for (i, item) in items.iter_mut().enumerate() {
                plant(item, object, &format!("{pointer}/{i}"), tokens);
            }
        }
        serde_json::Value::Object(fields) => {
            for (name, field) in fields.iter_mut() {
                let structural = matches!(
                    name.as_str(),
                    "root" | "bubbleId" | "composerId" | "type" | "role" | "id" | "createdAt" | "mimeType" | "beforeContentId"
                        | "afterContentId" | "serverName" | "toolName" | "toolCallId" | "tool_use_id" | "name"
                );
                let plain = ["bubble", "tool", "composer", "message", "agent", "plan", "prompt", "thinking"]
                    .iter()
                    .any(|o| dispose(o, name) == Some(Disposal::Plain));
                let title = name == "name" && object == "composerData" && pointer.is_empty();
                if structural && !title || plain && field.is_string() && !title {
                    continue;
                }
                plant(field, object, &pointer_to(pointer, name), tokens);
            }
        }
        _ => {}
    }
}

fn told(token: &str, row: &Row, pointer: &str, conversation: &ParsedConversation, ledger: &Ledger) -> bool {
    let in_messages = conversation
        .messages
        .iter()
        .any(|m| m.content.contains(token) || m.thinking.as_deref().is_some_and(|t| t.contains(token)));
    let metadata = [&conversation.slug, &conversation.cwd, &conversation.git_branch];
    in_messages
        || metadata.iter().any(|m| m.as_deref().is_some_and(|m| m.contains(token)))
        || ledger.entries.iter().any(|e| {
            let here = matches!(&e.locator, Locator::Row { key, .. } if *key == row.key);
            let below = pointer.starts_with(e.locator.pointer().unwrap_or(if row.value.is_some() { "-" } else { "" }));
            let whole = e.is_record() && e.reason.is_some();
            let lost = matches!(e.disposition, Disposition::Dropped | Disposition::Folded | Disposition::Unknown);
            here && lost && e.reason.is_some() && (below || whole)
        })
}

#[test]
fn every_text_of_every_fixture_is_somewhere() {
    let mut planted = 0;
    for case in fixtures::cases("cursor").unwrap() {
        let (_home, all) = laid_out(&case);
        for (candidate, mut evidence) in all {
            for at in 0..evidence.rows.len() {
                let original = evidence.rows[at].clone();
                let Ok(mut value) = serde_json::from_slice::<serde_json::Value>(original.bytes()) else { continue };
                let family = original.key.as_deref().unwrap_or("").split(':').next().unwrap_or("").to_owned();
                let mut tokens = Vec::new();
                plant(&mut value, &family, "", &mut tokens);
                evidence.rows[at].value = Some(value.to_string().into_bytes());
                let (conversation, ledger) = crate::parse(&Adapter, &candidate, &evidence);
                assert_eq!(ledger.unaccounted_bytes(), 0);
                for (token, pointer) in tokens {
                    planted += 1;
                    assert!(
                        told(&token, &original, &pointer, &conversation, &ledger),
                        "{} {:?}: what stands at {pointer} is nowhere",
                        case.name,
                        original.key
                    );
                }
                evidence.rows[at] = original;
            }
        }
    }
    assert!(planted > 100, "{planted}");
}

fn candidate(store: Store) -> Candidate {
    Candidate {
        id: "c".into(),
        source: "cursor".into(),
        file_path: PathBuf::from("/h/state.vscdb"),
        file_size: 0,
        file_mtime: 0,
        project_dir: String::new(),
        coverage: Coverage::Reference,
        hint: Hint::of(store).write(),
    }
}

fn composer() -> Candidate {
    candidate(Store::Composer { composer: "c".into(), title: None, created: None })
}

fn row(table: &str, key: &str, value: Option<Vec<u8>>) -> Row {
    Row { file: "/h/state.vscdb".into(), table: table.into(), key: Some(key.into()), value }
}

/// JSON of any shape, with the names that the parser looks for.
fn json() -> impl Strategy<Value = serde_json::Value> {
    let names = prop::sample::select(vec![
        "text", "type", "bubbleId", "thinking", "allThinkingBlocks", "toolFormerData", "params", "rawArgs", "result",
        "name", "status", "additionalData", "codeBlocks", "suggestedCodeBlocks", "toolResults", "isAgentic", "content",
        "createdAt", "timingInfo", "clientStartTime", "clientEndTime", "richText", "rawText", "images", "_v",
        "fullConversationHeadersOnly", "conversation", "conversationMap", "capabilities", "data", "bubbleDataMap",
        "queueItems", "context", "conversationState", "capabilityType", "grouping", "textPreview", "role", "message",
        "root", "children", "hologram", "b1", "b2", "tools", "errorDetails", "workspaceIdentifier", "uri", "bubbles",
    ]);
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        any::<i32>().prop_map(Into::into),
        Just(serde_json::json!(1)),
        Just(serde_json::json!(2)),
        prop::sample::select(vec!["b1", "b2", "", " ", "2026-01-05T09:00:01.000Z", "{\"output\":\"x\"}", "~AA==", "[]"])
            .prop_map(Into::into),
        "\\PC{0,12}".prop_map(Into::into),
    ];
    leaf.prop_recursive(4, 40, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Into::into),
            prop::collection::vec((names.clone(), inner), 0..6)
                .prop_map(|m| m.into_iter().map(|(k, v)| (k.to_owned(), v)).collect::<serde_json::Map<_, _>>().into()),
        ]
    })
}

fn value() -> impl Strategy<Value = Option<Vec<u8>>> {
    prop_oneof![
        6 => json().prop_map(|v| Some(v.to_string().into_bytes())),
        1 => (json(), any::<prop::sample::Index>()).prop_map(|(v, cut)| {
            let mut bytes = v.to_string().into_bytes();
            bytes.truncate(cut.index(bytes.len() + 1));
            Some(bytes)
        }),
        1 => prop::collection::vec(any::<u8>(), 0..40).prop_map(Some),
        1 => Just(None),
    ]
}

fn rows() -> impl Strategy<Value = Vec<Row>> {
    let keys = ["composerData:c", "bubbleId:c:b1", "bubbleId:c:b2", "bubbleId:c:b3", "messageRequestContext:c:b1",
        "codeBlockDiff:c:d", "checkpointId:c:k", "ofsContent:c:f", "agentKv:checkpoint:c"];
    prop::collection::vec(value(), keys.len()).prop_map(move |values| {
        keys.iter().zip(values).map(|(key, value)| row("cursorDiskKV", key, value)).collect()
    })
}

fn check(candidate: &Candidate, evidence: &Evidence) -> Result<ParsedConversation, TestCaseError> {
    let (conversation, ledger) = crate::parse(&Adapter, candidate, evidence);
    prop_assert_eq!(ledger.unaccounted_bytes(), 0);
    let again = crate::parse(&Adapter, candidate, evidence);
    prop_assert_eq!(&again.0, &conversation);
    prop_assert_eq!(&again.1, &ledger);
    for (at, message) in conversation.messages.iter().enumerate() {
        prop_assert_eq!(message.position as usize, at);
    }
    Ok(conversation)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    #[test]
    fn any_rows_balance_and_none_takes_another_with_it(rows in rows(), cut in any::<prop::sample::Index>()) {
        let all = check(&composer(), &Evidence { rows: rows.clone(), ..Evidence::default() })?;
        // The bubbles' rows alone make the reference messages: fewer rows lose only their own.
        let kept = cut.index(rows.len());
        let some = check(&composer(), &Evidence { rows: rows[..kept].to_vec(), ..Evidence::default() })?;
        let reference = |c: &ParsedConversation| {
            let mut all: Vec<_> = c.reference().map(|m| (m.id.clone(), m.content.clone())).collect();
            all.sort();
            all
        };
        let whole = reference(&all);
        for message in reference(&some) {
            prop_assert!(whole.contains(&message));
        }
    }

    #[test]
    fn any_text_of_any_row_is_somewhere(mut values in prop::collection::vec(json(), 3)) {
        let keys = ["composerData:c", "bubbleId:c:b1", "messageRequestContext:c:b1"];
        let mut planted = Vec::new();
        let mut rows = Vec::new();
        for (key, value) in keys.iter().zip(&mut values) {
            let mut tokens = Vec::new();
            plant(value, key.split(':').next().unwrap(), "", &mut tokens);
            // Tokens of one row must not be found in another.
            let text = value.to_string().replace("canary", &format!("canary{}n", rows.len()));
            let row = row("cursorDiskKV", key, Some(text.into_bytes()));
            planted.extend(tokens.into_iter().map(|(t, p)| (t.replace("canary", &format!("canary{}n", rows.len())), p, row.clone())));
            rows.push(row);
        }
        let evidence = Evidence { rows, ..Evidence::default() };
        let (conversation, ledger) = crate::parse(&Adapter, &composer(), &evidence);
        for (token, pointer, row) in planted {
            prop_assert!(told(&token, &row, &pointer, &conversation, &ledger), "{:?} {pointer}: {}", row.key, String::from_utf8_lossy(row.bytes()));
        }
    }

    #[test]
    fn any_other_store_balances(value in value(), other in value()) {
        let tab = candidate(Store::Tab { index: 0 });
        let key = super::index::TABS;
        check(&tab, &Evidence { rows: vec![row("ItemTable", key, value.clone())], ..Evidence::default() })?;
        let prompts = candidate(Store::Prompts { composers: Vec::new(), global: None });
        let pair = super::index::PROMPTS.map(|key| row("ItemTable", key, value.clone())).to_vec();
        check(&prompts, &Evidence { rows: pair, ..Evidence::default() })?;
        let blobs = vec![
            row("blobs", &"00".repeat(32), value.clone()),
            row("blobs", "x", other),
            row("meta", "0", Some(format!("{{\"latestRootBlobId\":\"{}\"}}", "00".repeat(32)).into_bytes())),
        ];
        check(&candidate(Store::Blobs), &Evidence { rows: blobs, ..Evidence::default() })?;
        for store in [Store::Transcript, Store::History, Store::Plan] {
            let files = vec![EvidenceFile::memory("/h/f.jsonl", value.clone().unwrap_or_default())];
            check(&candidate(store), &Evidence { files, ..Evidence::default() })?;
        }
    }

    #[test]
    fn a_cut_transcript_keeps_what_came_before(text in prop::bool::ANY, cut in any::<prop::sample::Index>()) {
        let (name, whole) = if text {
            ("/h/f.txt", "user:\nfirst\nassistant:\n[Thinking] hm\n[Tool call] Grep\n  x: 1\nassistant:\nlast\n")
        } else {
            ("/h/f.jsonl", "{\"role\":\"user\",\"message\":{\"content\":\"first\"}}\n{\"role\":\"assistant\",\"message\":{\"content\":[{\"type\":\"text\",\"text\":\"last\"}]}}\n")
        };
        let cut = cut.index(whole.len() + 1);
        let files = |bytes: &str| Evidence { files: vec![EvidenceFile::memory(name, bytes)], ..Evidence::default() };
        let all = check(&candidate(Store::Transcript), &files(whole))?;
        let some = check(&candidate(Store::Transcript), &files(&whole[..cut]))?;
        for message in &all.messages {
            let end = match &message.locator {
                Locator::Bytes { byte_end, .. } => *byte_end as usize,
                Locator::Row { .. } => usize::MAX,
            };
            // A heading that is cut short is a line of what came before it.
            let kept = end > cut || some.messages.iter().any(|m| m.content.starts_with(&message.content));
            prop_assert!(kept, "{}", message.content);
        }
    }
}

#[test]
fn an_account_of_nothing_is_empty() {
    let evidence = Evidence::default();
    let stranger = Candidate { hint: serde_json::Value::Null, ..composer() };
    let mut account = Account::new(&stranger, &evidence);
    Adapter.fill(&stranger, &evidence, &mut account);
    assert!(account.messages().is_empty());
}
