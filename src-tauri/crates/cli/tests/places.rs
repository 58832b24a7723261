//! Where nothing is ever written, and what is said of a place that may not be read.
#![allow(clippy::unwrap_used, missing_docs)]

mod support;

use support::assay;

fn sample() -> tempfile::TempDir {
    let home = tempfile::tempdir().unwrap();
    assay_sources::fixtures::lay_out_sample(home.path()).unwrap();
    home
}

#[test]
fn an_export_writes_neither_into_a_tools_folder_nor_over_the_library() {
    let home = sample();
    assert_eq!(assay(home.path(), &["import"]).0, 0);
    let library = home.path().join(".local/share/assay/library.db");
    let (_, list, _) = assay(home.path(), &["list", "--json"]);
    let first: serde_json::Value = serde_json::from_str(list.lines().next().unwrap()).unwrap();
    let id = first["conversationId"].as_str().unwrap();
    let config = home.path().join(".codex/config.toml");
    std::fs::write(&config, "model = 'm'").unwrap();
    let inside = [
        config.clone(),
        home.path().join(".config/Cursor/User/settings.json"),
        home.path().join(".claude/projects/x.md"),
        library.clone(),
        library.with_file_name("library.db-wal"),
    ];
    for place in inside {
        let place = place.to_string_lossy().into_owned();
        let (code, _, err) = assay(home.path(), &["export", "--format", "markdown", "--out", &place, id]);
        assert_eq!(code, 2, "{place}: {err}");
        assert!(err.contains("Name another place"), "{err}");
    }
    assert_eq!(std::fs::read_to_string(&config).unwrap(), "model = 'm'");
    assert_eq!(assay(home.path(), &["list", "--json"]).1, list, "the library is as it was");
    let outside = home.path().join("notes.md").to_string_lossy().into_owned();
    let (code, out, _) = assay(home.path(), &["export", "--json", "--format", "markdown", "--out", &outside, id]);
    assert!(code == 0 && out.contains("\"conversations\":1"), "{out}");
}

#[test]
fn an_export_is_written_over_no_database_and_into_no_other_name_of_a_file() {
    let home = sample();
    assert_eq!(assay(home.path(), &["import"]).0, 0);
    let (_, list, _) = assay(home.path(), &["list", "--json"]);
    let first: serde_json::Value = serde_json::from_str(list.lines().next().unwrap()).unwrap();
    let id = first["conversationId"].as_str().unwrap();
    let path = |name: &str| home.path().join(name);
    let export =
        |name: &str| assay(home.path(), &["export", "--format", "html", "--out", &path(name).to_string_lossy(), id]);
    assert_eq!(assay(home.path(), &["backup", &path("copy.db").to_string_lossy()]).0, 0);
    std::fs::hard_link(home.path().join(".local/share/assay/library.db"), path("linked")).unwrap();
    for name in ["copy.db", "linked"] {
        let (code, _, err) = export(name);
        assert!(code == 2 && err.contains("Name another place"), "{name}: {code} {err}");
    }
    std::fs::write(path("notes"), "precious").unwrap();
    std::fs::hard_link(path("notes"), path("same")).unwrap();
    assert_eq!(export("same").0, 0);
    assert_eq!(std::fs::read_to_string(path("notes")).unwrap(), "precious");
    assert!(!path("same.new").exists());
    // What fails leaves nothing half done.
    std::fs::create_dir(path("taken")).unwrap();
    assert_eq!(export("taken").0, 1);
    assert!(!path("taken.new").exists());
}

#[test]
fn no_library_is_made_inside_a_store() {
    let home = sample();
    let library = home.path().join(".claude/projects/library.db");
    let named = library.to_string_lossy().into_owned();
    let (code, _, err) = assay(home.path(), &["--library", &named, "import"]);
    assert_eq!(code, 2, "{err}");
    assert!(!library.exists());
}

#[test]
fn a_title_cannot_steer_the_terminal() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join(".claude/projects/-p");
    std::fs::create_dir_all(&folder).unwrap();
    let line = |kind: &str, n: u32| {
        format!(
            r#"{{"type":"{kind}","uuid":"u{n}","sessionId":"s","timestamp":"2026-01-01T00:00:0{n}.000Z","message":{{"role":"{kind}","content":"\u001b[2Jneedle"}}}}"#
        )
    };
    std::fs::write(folder.join("s.jsonl"), format!("{}\n{}\n", line("user", 1), line("assistant", 2))).unwrap();
    assert_eq!(assay(home.path(), &["import"]).0, 0);
    for words in [["show", "s"], ["search", "needle"], ["list", "s"]] {
        let (code, out, err) = assay(home.path(), &words);
        assert_eq!(code, 0, "{err}");
        assert!(out.contains("needle") && !out.contains('\u{1b}'), "{words:?}: {out:?}");
    }
}
