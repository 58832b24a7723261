//! The folders that every editor built on VS Code has: `User/workspaceStorage/<id>/` and its
//! `workspace.json`. Shared by the sources that live in such editors.

use super::json::Tape;
use crate::ScanError;
use crate::adapter::list;
use std::io::Read;
use std::path::{Path, PathBuf};

/// One folder below `workspaceStorage`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Workspace {
    /// The folder's name.
    pub id: String,
    /// The folder.
    pub dir: PathBuf,
    /// The project it belongs to, as a path or, for a remote one, as its URI; empty if not known.
    pub project: String,
}

/// The workspaces below `user/workspaceStorage`, by name. What cannot be listed is handed to `fail`.
pub fn workspaces(user: &Path, fail: &mut dyn FnMut(ScanError)) -> Vec<Workspace> {
    let storage = user.join("workspaceStorage");
    let entries = match list(&storage) {
        Ok(entries) => entries,
        Err(error) => {
            if error.kind() != std::io::ErrorKind::NotFound {
                fail(ScanError::io(&storage, &error));
            }
            return Vec::new();
        }
    };
    let mut found: Vec<Workspace> = Vec::new();
    for dir in entries.flatten().map(|e| e.path()).filter(|dir| dir.is_dir()) {
        // What is in a folder that may not be listed would seem not to be there.
        match list(&dir) {
            Ok(_) => found.push(Workspace {
                id: dir.file_name().unwrap_or_default().to_string_lossy().into_owned(),
                project: project_of(&dir).unwrap_or_default(),
                dir,
            }),
            Err(error) => fail(ScanError::io(&dir, &error)),
        }
    }
    found.sort_by(|a, b| a.id.cmp(&b.id));
    found
}

fn project_of(dir: &Path) -> Option<String> {
    let mut text = Vec::new();
    crate::roots::open_plain(&dir.join("workspace.json")).ok()?.read_to_end(&mut text).ok()?;
    let mut tape = Tape::new();
    let value = tape.read_whole(&text).ok()?;
    // `workspace` is a string, or since multi-root windows an object with `configPath`.
    let uri = value
        .get_str("folder")
        .or_else(|| value.get_str("workspace"))
        .or_else(|| value.path(&["workspace", "configPath"])?.str())?;
    Some(uri_to_path(&uri))
}

/// The path of a `file:` URI, decoded; any other URI as it is.
pub fn uri_to_path(uri: &str) -> String {
    let Some(rest) = uri.strip_prefix("file://") else { return uri.to_owned() };
    let path = percent_encoding::percent_decode_str(rest).decode_utf8_lossy().into_owned();
    // `file:///c:/x` is the Windows path `c:/x`.
    match path.as_bytes() {
        [b'/', drive, b':', ..] if drive.is_ascii_alphabetic() => path[1..].to_owned(),
        _ => path,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn projects_are_read_from_their_uri() {
        assert_eq!(uri_to_path("file:///home/u/%E9%A1%B9%E7%9B%AE%20a"), "/home/u/项目 a");
        assert_eq!(uri_to_path("file:///c%3A/work"), "c:/work");
        assert_eq!(uri_to_path("vscode-remote://ssh/x"), "vscode-remote://ssh/x");
        let user = tempfile::tempdir().unwrap();
        let dir = user.path().join("workspaceStorage/b");
        std::fs::create_dir_all(&dir).unwrap();
        std::fs::create_dir_all(user.path().join("workspaceStorage/a")).unwrap();
        std::fs::write(dir.join("workspace.json"), r#"{"folder":"file:///p"}"#).unwrap();
        let found: Vec<_> =
            workspaces(user.path(), &mut |error| panic!("{error}")).into_iter().map(|w| (w.id, w.project)).collect();
        assert_eq!(found, [("a".into(), String::new()), ("b".into(), "/p".into())]);
    }
}
