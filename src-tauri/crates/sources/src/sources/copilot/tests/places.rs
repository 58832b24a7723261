//! Discovery: every platform, override and added folder.

use super::super::{Adapter, discovery};
use crate::fixtures;
use crate::{Platform, Roots, SourceAdapter, State};
use assay_model::{Coverage, NoticeCode};
use rusqlite::Connection;
use std::path::Path;

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
fn sessions_in_the_editor_of_another_tool_are_found_and_nothing_else_of_it_is_a_place() {
    let session = format!("{}{}", r#"{"version":3,"requests":[]}"#, " ".repeat(100));
    let home = tempfile::tempdir().unwrap();
    let roots = Roots::new(home.path(), Platform::Linux);
    for product in ["Cursor", "Windsurf"] {
        let storage = format!(".config/{product}/User/workspaceStorage/w");
        lay_out(home.path(), &[(&format!("{storage}/state.vscdb"), "a damaged database, whose text is no header of any")]);
    }
    let detection = Adapter.detect(&roots);
    assert_eq!((detection.state, detection.error), (State::NotInstalled, None), "another tool's editor is not this tool");
    for product in ["Cursor", "Windsurf"] {
        let file = format!(".config/{product}/User/workspaceStorage/w/chatSessions/{product}.json");
        lay_out(home.path(), &[(&file, &session)]);
    }
    let detection = Adapter.detect(&roots);
    assert_eq!((detection.state, detection.conversations), (State::Found, 2));
    let mut errors = Vec::new();
    Adapter.scan(&roots, &detection, &mut |one| match one {
        Ok(candidate) => assert_eq!(candidate.coverage, Coverage::Extended),
        Err(error) => errors.push(error.path),
    });
    let damaged = home.path().join(".config/Windsurf/User/workspaceStorage/w/state.vscdb");
    assert_eq!(errors, [damaged], "what the other tool's own source tells is told once");
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
        let said: String = Adapter.detect(&Roots::new(home.path(), platform)).roots.into_iter().filter_map(|r| r.note).collect();
        assert_eq!(said, "files that are no sessions, not read: notes.txt", "{platform:?}");
        let ids: Vec<&str> = all.iter().map(|f| f.0.as_str()).collect();
        assert_eq!(ids, ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"], "{platform:?}");
    }
}

#[test]
fn a_file_that_is_no_session_is_named_and_is_no_conversation() {
    let home = tempfile::tempdir().unwrap();
    let folder = ".config/Code/User/workspaceStorage/w/chatSessions";
    let at = |name: &str| format!("{folder}/{name}");
    let id = "00000000-0000-4000-8000-000000000001";
    let (other, renamed, torn) = (at("commandEmbeddings.json"), at("copy of it.json"), at(&format!("{id}.json")));
    lay_out(home.path(), &[(&other, r#"{"a": 1}"#), (&renamed, r#"{"version":3,"requests":[]}"#), (&torn, "\0\0\0")]);
    let roots = Roots::new(home.path(), Platform::Linux);
    let mut ids: Vec<String> = found(&roots).into_iter().map(|f| f.0).collect();
    ids.sort();
    assert_eq!(ids, [id, "copy of it"]);
    let notes: Vec<String> = fixtures::run(&Adapter, &roots).0.roots.into_iter().filter_map(|r| r.note).collect();
    assert!(notes.iter().any(|n| n.contains("no sessions, not read: commandEmbeddings.json")), "{notes:?}");
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

fn tasks(path: &Path) -> Connection {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let db = Connection::open(path).unwrap();
    db.execute_batch(
        "PRAGMA journal_mode=wal; PRAGMA wal_autocheckpoint=0;
         CREATE TABLE todos (id TEXT, title TEXT, status TEXT);
         INSERT INTO todos VALUES ('t1', 'Mend the hinge', 'open');",
    )
    .unwrap();
    db
}

#[test]
fn a_folder_with_nothing_but_its_tasks_is_read_as_a_database() {
    let home = tempfile::tempdir().unwrap();
    let _open = tasks(&home.path().join(".copilot/session-state/s/session.db"));
    let (_, outcomes) = fixtures::run(&Adapter, &Roots::new(home.path(), Platform::Linux));
    let (conversation, ledger) = outcomes[0].parsed.as_ref().unwrap();
    let said: Vec<&str> = conversation.messages.iter().map(|m| m.content.as_str()).collect();
    assert_eq!(said, ["Mend the hinge\nstatus: open"]);
    assert!(ledger.extents.is_empty(), "a database is no text");
    assert!(ledger.notices.iter().any(|n| n.code == NoticeCode::BodyMissing && n.detail == "events.jsonl"));
}

#[test]
fn what_only_the_log_of_a_database_has_is_a_change() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join(".copilot/session-state");
    lay_out(home.path(), &[(".copilot/session-state/whole/events.jsonl", "")]);
    let open = ["whole", "tasks"].map(|name| tasks(&folder.join(name).join("session.db")));
    let sizes = || {
        let found = discovery::find(&Roots::new(home.path(), Platform::Linux));
        found.candidates.iter().map(|c| c.file_size).collect::<Vec<_>>()
    };
    let before = sizes();
    for db in open.iter() {
        db.execute("INSERT INTO todos VALUES ('t2', 'Oil it', 'open')", []).unwrap();
    }
    let after = sizes();
    assert_eq!(before.len(), 2);
    assert!(before.iter().zip(&after).all(|(before, after)| before < after), "{before:?} {after:?}");
}

#[test]
fn a_folder_without_its_events_does_not_hide_what_the_derived_database_has() {
    let home = tempfile::tempdir().unwrap();
    lay_out(home.path(), &[(".copilot/session-state/s/plan.md", "Hang the door")]);
    let _open = tasks(&home.path().join(".copilot/session-state/t/session.db"));
    Connection::open(home.path().join(".copilot/session-store.db"))
        .unwrap()
        .execute_batch(
            "CREATE TABLE sessions (id TEXT); CREATE TABLE turns (session_id TEXT, turn_index INTEGER, user_message TEXT);
             INSERT INTO sessions VALUES ('s'), ('t');
             INSERT INTO turns VALUES ('s', 0, 'which door?'), ('t', 0, 'which hinge?');",
        )
        .unwrap();
    let (_, outcomes) = fixtures::run(&Adapter, &Roots::new(home.path(), Platform::Linux));
    let mut told: Vec<(&str, &str)> = outcomes
        .iter()
        .flat_map(|o| o.parsed.as_ref().unwrap().0.messages.iter().map(|m| (o.candidate.id.as_str(), m.content.as_str())))
        .collect();
    told.sort_unstable();
    let expected = [
        ("s", "Hang the door"),
        ("s@session-store.db", "which door?"),
        ("t", "which hinge?"),
        ("t@session-state.db", "Mend the hinge\nstatus: open"),
    ];
    assert_eq!(told, expected);
}

fn with_rows(file: &Path, rows: &[(&str, &str)]) {
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    let db = Connection::open(file).unwrap();
    db.execute_batch("CREATE TABLE ItemTable (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)").unwrap();
    for row in rows {
        db.execute("INSERT INTO ItemTable VALUES (?1, ?2)", *row).unwrap();
    }
}

#[test]
fn rows_that_cannot_be_read_are_said_and_the_others_are_read() {
    let home = tempfile::tempdir().unwrap();
    let user = home.path().join(".config/Code/User");
    let chat = r#"[{"chat":{"sessionId":"moved","requests":[{"message":{"text":"on my way"}}]}}]"#;
    with_rows(
        &user.join("workspaceStorage/w/state.vscdb"),
        &[
            ("chat.ChatSessionStore.index", r#"{"version":1,"entries":{"a":"#),
            ("interactive.sessions", "[{"),
            ("chat.workspaceTransfer", chat),
        ],
    );
    let mut said = Vec::new();
    let mut ids = Vec::new();
    let roots = Roots::new(home.path(), Platform::Linux);
    Adapter.scan(&roots, &Adapter.detect(&roots), &mut |found| match found {
        Ok(candidate) => ids.push(candidate.id),
        Err(error) => said.push(error.cause),
    });
    assert_eq!(ids, ["moved"]);
    assert_eq!(said, ["chat.ChatSessionStore.index is not JSON", "interactive.sessions is not JSON"]);
}

#[test]
fn every_table_of_the_command_line_is_read_or_said() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join(".copilot");
    std::fs::create_dir_all(&folder).unwrap();
    let db = Connection::open(folder.join("session-store.db")).unwrap();
    db.execute_batch(
        "CREATE TABLE sessions (id TEXT PRIMARY KEY, summary TEXT) WITHOUT ROWID;
         INSERT INTO sessions VALUES ('s', 'About rows'), ('t', 'Others');
         CREATE TABLE turns (session_id TEXT, turn_index INT, user_message TEXT, PRIMARY KEY (session_id, turn_index)) WITHOUT ROWID;
         INSERT INTO turns VALUES ('s', 1, 'second'), ('s', 0, 'first'), ('t', 0, 'other');
         CREATE TABLE \"odd \"\"name\" (session_id TEXT, words TEXT); INSERT INTO \"odd \"\"name\" VALUES ('s', 'kept as it is');
         CREATE TABLE notes (words TEXT); INSERT INTO notes VALUES ('of nobody'), ('too');
         CREATE TABLE schema_version (n INT);",
    )
    .unwrap();
    drop(db);
    let (detection, outcomes) = fixtures::run(&Adapter, &Roots::new(home.path(), Platform::Linux));
    let root = detection.roots.iter().find(|root| root.path == folder).unwrap();
    assert_eq!(root.note.as_deref(), Some("tables of no session, not read: notes 2"));
    let (conversation, ledger) = outcomes[0].parsed.as_ref().unwrap();
    assert_eq!(super::contents(conversation), ["first", "second", "kept as it is"]);
    assert_eq!((conversation.slug.as_deref(), ledger.unaccounted_bytes()), (Some("About rows"), 0));
}

#[test]
fn a_copy_that_only_grew_less_is_one_and_one_with_other_words_is_not() {
    let session = |texts: &[&str]| {
        let requests: Vec<_> = texts.iter().map(|text| serde_json::json!({"message": {"text": text}})).collect();
        serde_json::json!({"version": 3, "requests": requests, "filler": null}).to_string() + &" ".repeat(100)
    };
    let id = "11111111-1111-4111-8111-111111111111";
    for (mine, is_copy) in [(&["one more"][..], true), (&["one", "two"], true), (&["more than"], false), (&["three"], false)] {
        let home = tempfile::tempdir().unwrap();
        let at = |workspace: &str| format!(".config/Code/User/workspaceStorage/{workspace}/chatSessions/{id}.json");
        let longer = session(&["one more than", "two", "padding so that it is the larger one"]);
        lay_out(home.path(), &[(&at("a"), &longer), (&at("b"), &session(mine))]);
        let (_, outcomes) = fixtures::run(&Adapter, &Roots::new(home.path(), Platform::Linux));
        let copy = outcomes.iter().find(|o| o.candidate.id != id).unwrap();
        assert_eq!(copy.parsed.as_ref().unwrap().0.messages.is_empty(), is_copy, "{mine:?}");
    }
}
