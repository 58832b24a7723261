//! What a person does with the library from the command line: labels, pins, deletion with undo.
#![allow(clippy::unwrap_used, missing_docs)]

mod support;

use serde_json::Value;
use std::path::Path;
use support::assay;

/// The answer of a command that must work, line by line.
fn lines(home: &Path, arguments: &[&str]) -> Vec<Value> {
    let (code, out, err) = assay(home, &[arguments, &["--json"]].concat());
    assert_eq!(code, 0, "{arguments:?}: {err}");
    out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// A home whose sample is imported, and the ids in its library.
fn imported() -> (tempfile::TempDir, Vec<String>) {
    let home = tempfile::tempdir().unwrap();
    assay_sources::fixtures::lay_out_sample(home.path()).unwrap();
    assert_eq!(assay(home.path(), &["import"]).0, 0);
    let ids = lines(home.path(), &["list"]).iter().map(|l| l["conversationId"].as_str().unwrap().to_owned()).collect();
    (home, ids)
}

#[test]
fn labels_and_pins_are_given_taken_and_listed() {
    let (home, ids) = imported();
    let (home, a, b) = (home.path(), ids[0].as_str(), ids[1].as_str());
    assert!(assay(home, &["label"]).1.contains("No conversation bears a label yet"));
    let labelled = lines(home, &["label", "--add", "keep", "--add", "for later", a, b]);
    assert_eq!(labelled[0]["labels"], serde_json::json!(["for later", "keep"]));
    assert_eq!(lines(home, &["label", "--remove", "KEEP", b])[0]["labels"], serde_json::json!(["for later"]));
    let counts = lines(home, &["label"]);
    assert_eq!(counts[1], serde_json::json!({ "label": "keep", "conversations": 1 }));
    assert!(lines(home, &["pin", a])[0]["pinnedAt"].is_string());
    let only = |filter: &[&str]| lines(home, &[&["list"], filter].concat()).len();
    assert_eq!([only(&["--pinned"]), only(&["--label", "keep"]), only(&["--label", "for later"])], [1, 1, 2]);
    let (_, table, _) = assay(home, &["list", "--pinned"]);
    assert!(table.contains("pinned, for later, keep") && table.contains("1 conversations"), "{table}");
    assert!(lines(home, &["pin", "--off", a])[0]["pinnedAt"].is_null());
    assert_eq!(assay(home, &["label", "--add", " ", a]).0, 2, "an empty label is wrong usage");
    assert_eq!(assay(home, &["label", "--add", "x"]).0, 2, "of what is wrong usage");
    assert_eq!(assay(home, &["pin", "nobody"]).0, 1);
}

#[test]
fn a_deleted_conversation_is_gone_from_every_answer_and_comes_back() {
    let (home, ids) = imported();
    let (home, id) = (home.path(), ids[0].as_str());
    let (code, out, _) = assay(home, &["delete", id]);
    assert!(code == 0 && out.contains("`assay restore` with the same ids brings them back"), "{out}");
    assert_eq!(lines(home, &["list"]).len(), ids.len() - 1);
    assert_eq!(lines(home, &["list", "--deleted"])[0]["conversationId"], id);
    let (code, _, err) = assay(home, &["show", id]);
    assert!(code == 1 && err.contains("`assay restore` brings it back"), "{err}");
    let (_, out, _) = assay(home, &["import", "--json"]);
    assert!(out.contains(r#""importer":"deleted""#), "{out}");
    assert_eq!(assay(home, &["restore", id]).0, 0);
    assert_eq!(lines(home, &["list"]).len(), ids.len());

    assert_eq!(assay(home, &["delete", "--purge", id]).0, 0);
    let (_, out, _) = assay(home, &["list", "--deleted"]);
    assert!(out.contains("Purged; imports leave them out"), "{out}");
    let stone = lines(home, &["list", "--deleted"]).remove(0);
    assert!(stone["conversationId"] == id && stone["purgedAt"].is_string(), "{stone}");
    assert_eq!(assay(home, &["restore", id]).0, 0);
    assert_eq!(lines(home, &["list"]).len(), ids.len() - 1, "nothing of it was kept");
    assert_eq!(assay(home, &["import"]).0, 0);
    assert_eq!(lines(home, &["list"]).len(), ids.len());
}

#[test]
fn what_is_kept_is_told_and_read_again_when_the_stores_are_gone() {
    let (home, ids) = imported();
    let home = home.path();
    let stats = lines(home, &["stats"]).remove(0);
    assert_eq!(stats["originals"]["conversations"], ids.len());
    assert!(stats["originals"]["storedBytes"].as_u64() < stats["originals"]["bytes"].as_u64(), "{stats}");
    for part in ["messageBytes", "ledgerBytes"] {
        assert!(stats[part].as_u64() > Some(4_096), "{part}: {stats}");
    }
    let (_, table, _) = assay(home, &["stats"]);
    assert!(table.contains("originals") && table.contains("are not indexed yet"), "{table}");

    let before = lines(home, &[&["show"], ids.iter().map(String::as_str).collect::<Vec<_>>().as_slice()].concat());
    for store in [".claude", ".codex", ".config"] {
        std::fs::remove_dir_all(home.join(store)).unwrap();
    }
    let again = lines(home, &["reparse"]);
    assert_eq!(again.len(), ids.len() + 1, "one line each, and the summary");
    assert!(again[..ids.len()].iter().all(|l| l["importer"] == "reparsed" && l["library"] == "unchanged"));
    let one = lines(home, &["reparse", "--retention", "reference", &ids[0]]);
    assert_eq!((one.len(), &one[0]["conversationId"]), (2, &Value::from(ids[0].as_str())));
    assert_eq!(lines(home, &["reparse", &ids[0]])[0]["importer"], "reparsed");
    let after = lines(home, &[&["show"], ids.iter().map(String::as_str).collect::<Vec<_>>().as_slice()].concat());
    assert_eq!(before, after, "there and back again");
    assert!(assay(home, &["list"]).1.contains("conversations."), "nothing is lost");
}

#[test]
fn a_library_is_looked_after() {
    let (home, ids) = imported();
    let home = home.path();
    let usual = home.join(".local/share/assay/library.db");
    let codes = || lines(home, &["doctor"]).iter().map(|l| l["code"].as_str().unwrap().to_owned()).collect::<Vec<_>>();
    assert_eq!(codes(), ["not-indexed"]);
    assert_eq!(lines(home, &["index"])[0]["unindexed"], 0);
    let (code, out, _) = assay(home, &["doctor"]);
    assert!(code == 0 && out.starts_with("Nothing is wrong"), "{out}");

    std::fs::write(usual.with_file_name("library.db.part"), "x").unwrap();
    let db = rusqlite::Connection::open(&usual).unwrap();
    db.execute_batch("INSERT INTO piece (hash, bytes, body) VALUES (zeroblob(32), 1, x'00')").unwrap();
    drop(db);
    let (code, out, _) = assay(home, &["doctor"]);
    assert!(code == 1 && out.contains("loose") || out.contains("left of an import"), "{out}");
    assert!(out.contains("library.db.part is left of something that was killed"), "{out}");
    assert_eq!(assay(home, &["doctor", "--fix"]).0, 0);
    assert!(codes().is_empty() && !usual.with_file_name("library.db.part").exists());

    let vacuumed = lines(home, &["vacuum"]).remove(0);
    assert!(vacuumed["bytesAfter"].as_u64() <= vacuumed["bytesBefore"].as_u64());
    let found = || lines(home, &["search", "the"]).len();
    let before = found();
    assert!(before > 0);
    assert_eq!(lines(home, &["index", "--rebuild"])[0]["unindexed"], 0);
    assert_eq!(found(), before);

    let copy = home.join("copies/one.db").to_string_lossy().into_owned();
    assert_eq!(assay(home, &["backup", &copy]).0, 0);
    assert_eq!(lines(home, &["list", "--library", &copy]).len(), ids.len());
    assert_eq!(assay(home, &["backup", &copy]).0, 1, "nothing is written over");
    let inside = home.join(".claude/projects/copy.db").to_string_lossy().into_owned();
    assert_eq!(assay(home, &["backup", &inside]).0, 2);

    let moved = home.join("elsewhere/my.db");
    assert_eq!(assay(home, &["move", &moved.to_string_lossy()]).0, 0);
    assert!(!usual.exists() && moved.exists());
    assert_eq!(lines(home, &["list"]).len(), ids.len(), "it is found where it is");
    assert_eq!(assay(home, &["move", &usual.to_string_lossy()]).0, 0);
    assert!(usual.exists() && !moved.exists());
    assert_eq!(lines(home, &["list"]).len(), ids.len());
}

#[test]
fn a_mistyped_place_is_an_error_and_marks_nothing_as_gone() {
    let (home, ids) = imported();
    let library = home.path().join(".local/share/assay/library.db").to_string_lossy().into_owned();
    let nowhere = home.path().join("nowhere");
    for arguments in [vec!["import", "--library", &library], vec!["detect"], vec!["preview"]] {
        let (code, _, err) = assay(&nowhere, &arguments);
        assert!(code == 2 && err.contains("does not exist"), "{err}");
    }
    let root = format!("codex={}", nowhere.display());
    assert_eq!(assay(home.path(), &["import", "--root", &root]).0, 2);
    assert!(lines(home.path(), &["list"]).iter().all(|l| l["goneSince"].is_null()) && !ids.is_empty());
    std::fs::remove_dir_all(home.path().join(".codex/sessions")).unwrap();
    assert_eq!(assay(home.path(), &["import"]).0, 0);
    let (_, table, _) = assay(home.path(), &["list", "--gone"]);
    assert!(table.contains("source gone since 20"), "{table}");
}

#[test]
fn of_two_that_share_a_portable_id_each_is_listed_by_one_of_its_own() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    let folder = home.join(".codex/sessions/2026/01/01");
    std::fs::create_dir_all(&folder).unwrap();
    for (n, id) in ["7", "codex:7"].into_iter().enumerate() {
        let said = |kind: &str| {
            format!(
                r#"{{"timestamp":"2026-01-01T00:00:01.000Z","type":"event_msg","payload":{{"type":"{kind}","message":"of number {n}"}}}}"#
            )
        };
        let meta = format!(
            r#"{{"timestamp":"2026-01-01T00:00:00.000Z","type":"session_meta","payload":{{"id":"{id}","cwd":"/w"}}}}"#
        );
        let text = format!("{meta}\n{}\n{}\n", said("user_message"), said("agent_message"));
        std::fs::write(folder.join(format!("rollout-2026-01-01T00-00-0{n}-{n}.jsonl")), text).unwrap();
    }
    assert_eq!(assay(home, &["import"]).0, 0);
    let (_, table, _) = assay(home, &["list"]);
    for (n, id) in ["codex/7", "codex/codex:7"].into_iter().enumerate() {
        assert!(table.contains(&format!(" {id}")), "{table}");
        let (code, text, err) = assay(home, &["export", "--format", "markdown", id]);
        assert!(code == 0 && text.contains(&format!("of number {n}")), "{id}: {err}");
    }
    for command in [&["export", "--format", "json"][..], &["show"], &["delete"]] {
        let (code, out, err) = assay(home, &[command, &["codex:7"]].concat());
        assert!(code == 1 && out.is_empty(), "{command:?}: {out}");
        assert!(err.contains("codex/7, codex/codex:7") && err.contains("name one of these"), "{command:?}: {err}");
    }
}

#[cfg(unix)]
#[test]
fn a_library_that_may_not_be_written_is_named_itself() {
    use std::os::unix::fs::PermissionsExt;
    let (home, ids) = imported();
    let library = home.path().join("kept/library.db");
    let place = library.to_string_lossy().into_owned();
    std::fs::create_dir_all(library.parent().unwrap()).unwrap();
    assert_eq!(assay(home.path(), &["--library", &place, "import"]).0, 0);
    let mode = |mode| std::fs::set_permissions(library.parent().unwrap(), PermissionsExt::from_mode(mode)).unwrap();
    std::fs::remove_file(library.with_file_name("library.db.lock")).unwrap();
    mode(0o555);
    // Nothing keeps the superuser out.
    let barred = std::fs::File::create(library.with_file_name("probe")).is_err();
    let (code, _, err) = assay(home.path(), &["--library", &place, "pin", &ids[0]]);
    mode(0o755);
    if barred {
        assert!(code == 1 && err.contains(&format!("the library {place}.")) && err.contains("--library"), "{err}");
        assert!(!err.contains(".lock"), "{err}");
    }
}

#[test]
fn every_format_is_written_states_what_it_leaves_out_and_masks_what_is_shown_around() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    let folder = home.join(".claude/projects/-p");
    std::fs::create_dir_all(&folder).unwrap();
    let line = |kind: &str, n: u32| {
        format!(
            r#"{{"type":"{kind}","uuid":"u{n}","sessionId":"s","timestamp":"2026-01-01T00:00:0{n}.000Z","message":{{"role":"{kind}","content":"the password: hunter2 and 密码: xyz789"}}}}"#
        )
    };
    std::fs::write(folder.join("s.jsonl"), format!("{}\n{}\n", line("user", 1), line("assistant", 2))).unwrap();
    assert_eq!(assay(home, &["import"]).0, 0);
    for (format, masks) in [("markdown", true), ("html", true), ("json", false), ("chatcrystal", false)] {
        let (code, out, err) = assay(home, &["export", "--format", format, "s"]);
        assert_eq!(code, 0, "{err}");
        assert_eq!((out.contains("hunter2"), out.contains("xyz789")), (!masks, !masks), "{format}");
        assert_eq!(err.contains("secrets were masked"), masks, "{format}: {err}");
        let unmasked = err.contains("unmasked (password ") && err.contains("--mask masks them");
        assert_eq!(unmasked, !masks, "{format}: {err}");
        let said_so = assay(home, &["export", "--format", format, "--no-mask", "s"]).2;
        assert_eq!(said_so, "", "whoever asked for it is not told");
        let masked = assay(home, &["export", "--format", format, "--mask", "s"]).1;
        let raw = assay(home, &["export", "--format", format, "--no-mask", "s"]).1;
        assert!(!masked.contains("hunter2") && raw.contains("hunter2"), "{format}");
        if masks {
            assert!(out.contains("leavesOut"), "{format} says what it leaves out");
        }
        assert_eq!(assay(home, &["export", "--format", format]).0, 2, "of what?");
    }
    let tables = home.join("tables").to_string_lossy().into_owned();
    let (code, out, err) = assay(home, &["export", "--format", "parquet", "--out", &tables]);
    assert!(
        code == 0 && out.contains("1 conversations in 3 files") && out.contains("Left out: excerpts"),
        "{out}{err}"
    );
    assert!(err.contains("secrets were masked"), "{err}");
    for table in ["conversations", "messages", "ledger"] {
        let file = home.join("tables").join(table).join("source=claude-code/month=2026-01/part-0.parquet");
        let bytes = std::fs::read(file).unwrap();
        assert!(bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1"), "{table}");
    }
    assert_eq!(assay(home, &["export", "--format", "parquet", "--out", &tables]).0, 2, "nothing is written over");
    assert_eq!(assay(home, &["export", "--format", "parquet"]).0, 2, "a folder is needed");
}
