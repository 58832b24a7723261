//! What a store says stays words: in tables and sentences nothing of it moves the terminal or begins a line of its
//! own; JSON has it exactly.
#![allow(clippy::unwrap_used, missing_docs)]

mod support;

use serde_json::{Value, json};
use std::path::Path;
use support::assay;

/// Ends the line, clears the screen, turns the direction, and separates lines as some programs see them.
const HOSTILE: &str = "evil\n2026-01-01 00:00  99  exact\r\u{1b}[2J\u{9b}31m\u{202e}drowssap\u{2066}\u{2028}end";

/// A store in which all that can be is hostile: texts, a tool's name, the folder, the id.
fn store(home: &Path) {
    let folder = home.join(".claude/projects/-home-u-p");
    std::fs::create_dir_all(&folder).unwrap();
    let record = |n: usize, of: &str, content: Value| {
        let message = json!({ "role": of, "content": content });
        json!({
            "type": of, "uuid": format!("u{n}"), "parentUuid": null, "sessionId": "s", "version": "2.0.0",
            "cwd": format!("/home/u/{HOSTILE}"), "gitBranch": HOSTILE, "timestamp": "2026-03-01T10:00:00.000Z",
            "message": message,
        })
    };
    let tool = json!([{ "type": "tool_use", "id": "t", "name": format!("Tool{HOSTILE}"), "input": { "a": HOSTILE } }]);
    let records = [
        record(1, "user", json!(HOSTILE)),
        record(2, "assistant", json!([{ "type": "text", "text": format!("answer {HOSTILE}") }])),
        record(3, "assistant", tool),
        json!({ "type": HOSTILE, "uuid": "u4", "sessionId": "s", "timestamp": "2026-03-01T10:00:00.000Z" }),
    ];
    let lines: String = records.iter().map(|record| format!("{record}\n")).collect();
    let name = if cfg!(windows) { "s.jsonl" } else { "s\n\u{202e}\u{1b}[2J.jsonl" };
    std::fs::write(folder.join(name), lines).unwrap();
}

#[test]
fn nothing_that_a_store_says_steers_a_terminal() {
    let home = tempfile::tempdir().unwrap();
    store(home.path());
    let (code, out, err) = assay(home.path(), &["import"]);
    assert_eq!(code, 0, "{out}{err}");
    let (_, list, _) = assay(home.path(), &["list", "--json"]);
    let listed: Value = serde_json::from_str(list.lines().next().unwrap()).unwrap();
    let id = listed["conversationId"].as_str().unwrap();
    assert!(list.lines().count() == 1 && listed["cwd"].to_string().contains("[2J"), "JSON is exact: {list}");
    assert_eq!(assay(home.path(), &["label", "--add", "bad\u{202e}label", id]).0, 0);
    let asked: [&[&str]; 12] = [
        &["list"],
        &["list", "--earlier"],
        &["label"],
        &["search", "evil"],
        &["search", "drowssap"],
        &["show", id],
        &["show", HOSTILE],
        &["export", "--format", "markdown", HOSTILE],
        &["preview"],
        &["detect"],
        &["stats"],
        &["doctor"],
    ];
    for arguments in asked {
        let (_, out, err) = assay(home.path(), arguments);
        for (text, of) in [(&out, "out"), (&err, "err")] {
            let steers = |c: &char| {
                c.is_control() && !['\n', '\t'].contains(c)
                    || matches!(c, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
            };
            assert_eq!(text.chars().find(steers), None, "{arguments:?} {of}: {text:?}");
            // In `show` a text has its lines.
            let alone = text.lines().any(|line| line.starts_with("2026-01-01 00:00  99"));
            assert!(!alone || arguments[0] == "show", "{arguments:?} {of}: {text}");
        }
    }
    let (_, table, _) = assay(home.path(), &["list"]);
    assert_eq!(table.lines().count(), 4, "a title, a row and what there is: {table}");
}
