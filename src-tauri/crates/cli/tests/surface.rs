//! The machine-readable surface as scripts see it: names, order, exit status.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use serde_json::Value;
use std::path::Path;

/// Runs `assay`: exit status, answers, complaints.
fn assay(arguments: &[&str]) -> (u8, String, String) {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let all = std::iter::once("assay").chain(arguments.iter().copied()).map(Into::into);
    let status = assay_cli::run(all, &mut out, &mut err, false);
    (status, String::from_utf8(out).unwrap(), String::from_utf8(err).unwrap())
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

/// A home with the sample in it.
fn home() -> tempfile::TempDir {
    let home = tempfile::tempdir().unwrap();
    assay_sources::fixtures::lay_out_sample(home.path()).unwrap();
    home
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

#[test]
fn help_says_what_is_done_and_shows_examples() {
    let (status, out, err) = assay(&["--help"]);
    assert_eq!((status, err.as_str()), (0, ""));
    for word in ["detect", "preview", "import", "list", "show", "search", "accept", "Examples:", "Exit status: 0 done"]
    {
        assert!(out.contains(word), "no {word} in\n{out}");
    }
}

#[test]
fn wrong_usage_is_status_2() {
    let home = home();
    let home = text(home.path());
    for wrong in [
        vec!["frobnicate"],
        vec!["preview", "--home", &home, "--source", "nothing"],
        vec!["preview", "--home", &home, "--root", "codex"],
        vec!["preview", "--home", &home, "--root", "nothing=/x"],
        vec!["preview", "--home", &home, "--retention", "some"],
        vec!["show", "--home", &home],
    ] {
        let (status, out, err) = assay(&wrong);
        assert_eq!((status, out.as_str()), (2, ""), "{wrong:?}: {err}");
        assert!(!err.is_empty(), "{wrong:?} is explained");
    }
}

#[test]
fn detect_has_a_line_for_every_source() {
    let empty = tempfile::tempdir().unwrap();
    let (status, out, _) = assay(&["detect", "--json", "--home", &text(empty.path())]);
    let found = lines(&out);
    let names: Vec<&str> = found.iter().map(|l| l["source"].as_str().unwrap()).collect();
    let expected: Vec<&str> = assay_sources::registry().iter().map(|a| a.manifest().name).collect();
    assert_eq!((status, names), (0, expected));
    for line in &found {
        let fields = ["source", "displayName", "enabled", "state", "roots", "conversations", "bytes", "error"];
        assert_eq!(keys(line), fields);
        assert_eq!(line["state"], "not-installed");
        for root in line["roots"].as_array().unwrap() {
            assert_eq!(keys(root), ["path", "origin", "exists", "readable", "conversations", "note"]);
        }
    }
    assert!(std::fs::read_dir(empty.path()).unwrap().next().is_none(), "looking leaves nothing");
}

#[test]
fn preview_prints_the_fields_of_the_contract_in_the_same_order_every_time_and_writes_nothing() {
    let home = home();
    let arguments = ["preview", "--json", "--home", &text(home.path())];
    let (status, out, err) = assay(&arguments);
    assert_eq!((status, err.as_str()), (0, ""));
    assert_eq!(assay(&arguments).1, out);
    let all = lines(&out);
    assert!(!all.is_empty());
    for line in &all {
        // Why something is skipped or blocked stands beside the plan.
        let fields: Vec<&str> = keys(line).into_iter().filter(|k| *k != "planReason").collect();
        assert_eq!(line.get("planReason").is_some(), line["plan"] == "skipped");
        assert_eq!(
            fields,
            [
                "source",
                "id",
                "conversationId",
                "coverage",
                "parserVersion",
                "meta",
                "slug",
                "projectName",
                "cwd",
                "gitBranch",
                "links",
                "firstMessageAt",
                "lastMessageAt",
                "contentHash",
                "fullHash",
                "verdict",
                "plan",
                "messages",
                "ledger",
                "notices",
                "summary"
            ]
        );
        assert_eq!(keys(&line["meta"]), ["id", "source", "filePath", "fileSize", "fileMtime", "projectDir"]);
        let summary = &line["summary"];
        assert_eq!(
            keys(summary),
            [
                "records",
                "bytes",
                "blocks",
                "byDisposition",
                "blocksByDisposition",
                "contentBytesByDisposition",
                "byReason",
                "syntheticTimestamps",
                "derivedTimestamps",
                "outOfOrder",
                "unaccountedBytes"
            ]
        );
        let records: u64 = summary["byDisposition"].as_object().unwrap().values().map(|n| n.as_u64().unwrap()).sum();
        assert_eq!(summary["records"], records);
        assert_eq!(summary["unaccountedBytes"], 0);
        for notice in line["notices"].as_array().unwrap() {
            assert_eq!(keys(notice), ["code", "detail", "locator"]);
        }
        for entry in line["ledger"].as_array().unwrap() {
            let index = entry["messageIndex"].as_u64();
            let held = index.is_none_or(|i| (i as usize) < line["messages"].as_array().unwrap().len());
            assert!(held, "{entry} points past the messages");
        }
    }
    let (_, short, _) = assay(&["preview", "--json", "--no-messages", "--no-ledger", "--home", &text(home.path())]);
    assert!(lines(&short).iter().all(|l| l.get("messages").is_none() && l.get("ledger").is_none()));
    assert!(!home.path().join(".local").exists(), "a preview makes no library");
}

#[test]
fn a_part_or_copy_names_the_conversation_it_belongs_to() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join(".claude/projects/-w");
    let inside = folder.join("s1/subagents");
    std::fs::create_dir_all(&inside).unwrap();
    let said = |id: &str, side: bool| {
        let one = |uuid: &str, who: &str| {
            format!(
                r#"{{"type":"{who}","uuid":"{id}{uuid}","sessionId":"s1","isSidechain":{side},"timestamp":"2026-05-01T10:00:01.000Z","cwd":"/w","message":{{"role":"{who}","content":"{id} says"}}}}"#
            )
        };
        format!("{}\n{}\n", one("1", "user"), one("2", "assistant"))
    };
    std::fs::write(folder.join("s1.jsonl"), said("main", false)).unwrap();
    std::fs::write(inside.join("agent-a.jsonl"), said("now", true)).unwrap();
    std::fs::write(folder.join("agent-b.jsonl"), said("early", true)).unwrap();
    let rollouts = home.path().join(".codex/sessions");
    std::fs::create_dir_all(&rollouts).unwrap();
    let spawned = r#"{"timestamp":"2026-05-01T10:00:01.000Z","type":"session_meta","payload":{"id":"c2","cwd":"/w","source":{"subagent":{"thread_spawn":{"parent_thread_id":"c1","depth":1}}}}}
{"timestamp":"2026-05-01T10:00:02.000Z","type":"event_msg","payload":{"type":"user_message","message":"go"}}
{"timestamp":"2026-05-01T10:00:03.000Z","type":"event_msg","payload":{"type":"agent_message","message":"gone"}}
"#;
    std::fs::write(rollouts.join("rollout-2026-05-01T10-00-00-c2.jsonl"), spawned).unwrap();
    let at = text(home.path());
    let expected = [
        ("claude-code:agent-a", "claude-code:s1"),
        ("claude-code:agent-b", "claude-code:s1"),
        ("codex:c2", "codex:c1"),
    ];
    let check = |lines: &[Value], of: &str| {
        for (part, whole) in expected {
            let line = lines.iter().find(|l| l["conversationId"] == part).unwrap();
            let link = &line["links"][0];
            assert_eq!(
                (&link["relation"], &link["conversationId"]),
                (&"sub-agent".into(), &whole.into()),
                "{of}: {line}"
            );
            assert_eq!(link["id"], whole.split_once(':').unwrap().1, "{of}");
        }
        let whole = lines.iter().find(|l| l["conversationId"] == "claude-code:s1").unwrap();
        assert_eq!(whole["links"], Value::Array(Vec::new()), "{of}");
    };
    check(&lines(&assay(&["preview", "--json", "--home", &at]).1), "preview");
    assay(&["import", "--home", &at]);
    check(&lines(&assay(&["list", "--json", "--home", &at]).1), "list");
    let shown = ["claude-code:agent-a", "claude-code:agent-b", "codex:c2", "claude-code:s1"];
    check(&lines(&assay(&[&["show", "--json", "--home", &at][..], &shown[..]].concat()).1), "show");
    let table = assay(&["list", "--home", &at]).1;
    assert_eq!(table.matches("sub-agent of s1").count(), 2, "{table}");
    assert_eq!(table.matches("sub-agent of c1").count(), 1, "{table}");
}

#[test]
fn reference_retention_keeps_the_content_hash_and_only_reference_messages() {
    let home = home();
    let home = text(home.path());
    let full = lines(&assay(&["preview", "--json", "--home", &home]).1);
    let reference = lines(&assay(&["preview", "--json", "--home", &home, "--retention", "reference"]).1);
    assert_eq!(full.len(), reference.len());
    for (full, reference) in full.iter().zip(&reference) {
        assert_eq!(full["contentHash"], reference["contentHash"]);
        assert!(reference["messages"].as_array().unwrap().iter().all(|m| m["retention"] == "reference"));
        assert_eq!(full["summary"]["records"], reference["summary"]["records"]);
        assert_eq!(reference["summary"]["byDisposition"]["recovered"], 0);
    }
}

#[test]
fn what_was_imported_is_listed_shown_and_found() {
    let home = home();
    let at = text(home.path());
    let (status, out, err) = assay(&["import", "--json", "--home", &at]);
    assert_eq!((status, err.as_str()), (0, ""));
    let mut outcomes = lines(&out);
    let summary = outcomes.pop().unwrap();
    for layer in ["parser", "importer", "library", "sources"] {
        assert!(summary["summary"][layer].is_object(), "{summary}");
    }
    let fields = ["source", "id", "conversationId", "importer", "library", "reason", "verdict"];
    assert!(outcomes.iter().all(|line| keys(line) == fields));

    let previewed = lines(&assay(&["preview", "--json", "--home", &at]).1);
    let listed = lines(&assay(&["list", "--json", "--home", &at]).1);
    let inserted = outcomes.iter().filter(|o| o["library"] == "inserted").count();
    assert_eq!(listed.len(), inserted);
    for line in &listed {
        let id = line["conversationId"].as_str().unwrap();
        let shown = lines(&assay(&["show", "--json", "--home", &at, id]).1).remove(0);
        let expected = previewed.iter().find(|p| p["conversationId"] == id).unwrap();
        for (field, value) in shown.as_object().unwrap() {
            if field != "plan" {
                assert_eq!(*value, expected[field], "{id}: {field}");
            }
        }
        let said = shown["messages"].as_array().unwrap().iter().filter_map(|m| m["content"].as_str());
        let is_word = |w: &&str| w.len() > 3 && w.chars().all(char::is_alphabetic);
        let word = said.flat_map(str::split_whitespace).find(is_word).unwrap();
        let hits = lines(&assay(&["search", "--json", "--home", &at, "--", word]).1);
        assert!(hits.iter().any(|h| h["conversationId"] == id), "{word} is found in {id}");
        assert_eq!(keys(&hits[0]), ["conversationId", "messageIndex", "snippet", "score"]);
    }
    let (_, again, _) = assay(&["import", "--json", "--home", &at]);
    assert!(lines(&again).iter().all(|l| l.get("library").is_none_or(Value::is_null)), "nothing is done twice");
}

#[test]
fn a_search_in_a_library_that_is_in_use_says_what_it_could_not_search() {
    let home = home();
    let at = text(home.path());
    let library = text(&home.path().join("library.db"));
    let search = ["search", "--json", "--home", &at, "--library", &library, "--", "the"];
    assert_eq!(assay(&["import", "--json", "--home", &at, "--library", &library]).0, 0);
    // What a writer holds.
    let writer = || {
        let lock = std::fs::File::options().write(true).open(format!("{library}.lock")).unwrap();
        lock.try_lock().unwrap();
        lock
    };
    let held = writer();
    let (status, out, err) = assay(&search);
    assert_eq!((status, out.as_str()), (0, ""), "an import does not index");
    assert!(err.contains("not indexed yet") && err.contains("in use"), "{err}");
    drop(held);
    let (status, found, err) = assay(&search);
    assert_eq!((status, err.as_str()), (0, ""));
    assert!(!found.is_empty());
    let _held = writer();
    assert_eq!(assay(&search), (0, found, String::new()), "nothing to index needs no writer");
}

#[test]
fn accept_checks_every_boundary_of_this_build() {
    let home = home();
    let (status, out, err) = assay(&["accept", "--json", "--home", &text(home.path())]);
    assert_eq!((status, err.as_str()), (0, ""), "{out}");
    let boundaries: usize = assay_sources::registry().iter().map(|a| a.manifest().boundaries.len()).sum();
    assert_eq!(lines(&out).len(), boundaries);
    for line in lines(&out) {
        assert_eq!(keys(&line), ["source", "boundary", "fixture", "pass", "yours"]);
        assert_eq!(line["pass"], true, "{line}");
        assert!(line["yours"].is_u64());
    }
}

#[test]
fn people_get_tables_and_the_next_step() {
    let (status, out, _) = assay(&["--sample", "preview"]);
    assert_eq!(status, 0);
    assert!(out.contains("Nothing was written."), "{out}");
    let (status, out, _) = assay(&["--sample", "import"]);
    assert_eq!(status, 0);
    assert!(out.contains("the parser dropped"), "{out}");
    let (status, _, err) = assay(&["--sample", "search", "word"]);
    assert_eq!(status, 1);
    assert!(err.contains("`assay import` makes it"), "{err}");
}
