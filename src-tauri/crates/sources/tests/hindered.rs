//! What stands in the way of looking, for each source: a file where a folder is expected, and a folder that may not
//! be listed. Deliberately absent: damage inside of files.
#![allow(clippy::unwrap_used)]

use assay_sources::{Platform, Roots, State, registry};
use std::path::Path;

/// A folder that each source looks into.
const FOLDERS: [(&str, &str); 12] = [
    ("claude-code", ".claude"),
    ("claude-code", ".claude/projects"),
    ("codex", ".codex"),
    ("codex", ".codex/sessions"),
    ("cursor", ".config/Cursor/User/workspaceStorage"),
    ("cursor", ".config/Cursor/User/globalStorage"),
    ("cursor", ".cursor/chats"),
    ("trae", ".config/Trae/User"),
    ("trae", ".config/Trae/User/workspaceStorage"),
    ("trae", ".config/Trae/User/globalStorage"),
    ("copilot", ".config/Code/User/workspaceStorage"),
    ("copilot", ".copilot/session-state"),
];

/// The state, and whether the place is said to be what stood in the way: by the source and by one of its roots.
fn look(home: &Path, source: &str, place: &Path) -> (State, bool) {
    let found = registry().get(source).unwrap().detect(&Roots::new(home, Platform::Linux));
    let place = place.display().to_string();
    let of_source = found.error.is_some_and(|error| error.contains(&place));
    let of_root = found
        .roots
        .iter()
        .any(|root| root.exists && root.note.is_some() && place.starts_with(&*root.path.to_string_lossy()))
        || found.roots.iter().any(|root| !root.readable && root.path.to_string_lossy().starts_with(&place));
    (found.state, of_source && of_root)
}

#[test]
fn a_file_where_a_folder_is_expected_is_said() {
    for (source, folder) in FOLDERS {
        let home = tempfile::tempdir().unwrap();
        let place = home.path().join(folder);
        std::fs::create_dir_all(place.parent().unwrap()).unwrap();
        std::fs::write(&place, "no folder").unwrap();
        assert_eq!(look(home.path(), source, &place), (State::Failed, true), "{source} {folder}");
    }
}

#[test]
#[cfg(unix)]
fn a_folder_that_may_not_be_listed_is_said() {
    use std::os::unix::fs::PermissionsExt;
    let inside = [
        ("claude-code", ".claude/projects/-p"),
        ("codex", ".codex/sessions/2026"),
        ("cursor", ".cursor/chats/a"),
        ("cursor", ".config/Cursor/User/workspaceStorage/w"),
        ("trae", ".config/Trae/User/workspaceStorage/w"),
        ("copilot", ".config/Code/User/workspaceStorage/w"),
    ];
    for (source, folder) in FOLDERS.into_iter().chain(inside) {
        let home = tempfile::tempdir().unwrap();
        let place = home.path().join(folder);
        std::fs::create_dir_all(&place).unwrap();
        std::fs::set_permissions(&place, std::fs::Permissions::from_mode(0o000)).unwrap();
        // Whom nothing is forbidden, nothing is said to be.
        let privileged = std::fs::read_dir(&place).is_ok();
        let said = look(home.path(), source, &place);
        std::fs::set_permissions(&place, std::fs::Permissions::from_mode(0o755)).unwrap();
        if !privileged {
            assert_eq!(said, (State::NoPermission, true), "{source} {folder}");
        }
    }
}
