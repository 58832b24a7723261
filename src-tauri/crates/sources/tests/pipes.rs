//! A pipe where a store's file is expected is told, not waited for.
#![cfg(unix)]
#![allow(clippy::unwrap_used, missing_docs)]

use assay_sources::{Platform, Roots, fixtures, registry};
use std::path::Path;
use std::process::Command;
use std::sync::mpsc::channel;
use std::time::Duration;

fn pipe(path: &Path) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

#[test]
fn no_source_waits_for_a_pipe() {
    let home = tempfile::tempdir().unwrap();
    for place in [
        ".claude/projects/-p/00000000-0000-4000-8000-000000000001.jsonl",
        ".codex/session_index.jsonl",
        ".codex/sessions/2026/01/01/rollout-2026-01-01T00-00-00-00000000-0000-4000-8000-000000000001.jsonl",
        ".config/Cursor/User/globalStorage/state.vscdb",
        ".config/Cursor/User/workspaceStorage/a/workspace.json",
        ".config/Trae/User/workspaceStorage/a/state.vscdb",
        ".config/Trae/User/workspaceStorage/a/workspace.json",
        ".config/Trae/ModularData/ai-agent/database.db",
        ".config/Code/User/workspaceStorage/a/workspace.json",
        ".config/Code/User/workspaceStorage/a/chatSessions/00000000-0000-4000-8000-000000000001.json",
    ] {
        pipe(&home.path().join(place));
    }
    for adapter in registry().iter() {
        let (done, waiting) = channel();
        let roots = Roots::new(home.path(), Platform::Linux);
        std::thread::spawn(move || done.send(fixtures::run(adapter, &roots).1.len()));
        let name = adapter.manifest().name;
        assert!(waiting.recv_timeout(Duration::from_secs(60)).is_ok(), "{name} waits for a pipe");
    }
}

#[test]
fn what_has_a_conversations_name_and_is_no_file_is_said() {
    for (source, place) in [
        ("claude-code", ".claude/projects/-p/00000000-0000-4000-8000-000000000001.jsonl"),
        ("codex", ".codex/sessions/rollout-2026-01-01T00-00-00-00000000-0000-4000-8000-000000000001.jsonl"),
        ("copilot", ".config/Code/User/workspaceStorage/a/chatSessions/00000000-0000-4000-8000-000000000001.json"),
    ] {
        let home = tempfile::tempdir().unwrap();
        pipe(&home.path().join(place));
        let roots = Roots::new(home.path(), Platform::Linux);
        let registry = registry();
        let adapter = registry.get(source).unwrap();
        let mut said = Vec::new();
        adapter.scan(&roots, &adapter.detect(&roots), &mut |one| said.extend(one.err().map(|e| e.path)));
        assert_eq!(said, [home.path().join(place)], "{source}");
    }
}
