//! Discovery: every platform, override and added folder.

use super::super::{Adapter, discovery};
use crate::fixtures;
use crate::{Platform, Roots, State};
use assay_model::Coverage;
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
