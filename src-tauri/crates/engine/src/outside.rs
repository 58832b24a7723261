//! Files that a person names for what leaves the library: where they may be, and how they are written.
//!
//! Deliberately absent: what is written.

use crate::dto::Fault;
use crate::engine::{Engine, fault};
use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// How every SQLite file begins.
const SQLITE: &[u8; 16] = b"SQLite format 3\0";

impl Engine {
    /// Refuses what [`Engine::may_write`] does, and to write over a database of whoever it is.
    pub fn may_replace(&self, file: &Path) -> Result<(), Fault> {
        self.may_write(file)?;
        if is_database(file) { Err(fault("over-a-database", file.to_string_lossy())) } else { Ok(()) }
    }

    /// Writes a file whole or not at all, at a place where one may be written.
    pub fn write_out(&self, file: &Path, text: &str) -> Result<(), Fault> {
        self.may_replace(file)?;
        replace(file, text.as_bytes()).map_err(|e| fault("not-written", format!("{}: {e}", file.display())))
    }

    /// Refuses a file that nothing may be written to: one inside a tool's own folder, or the library's.
    pub fn may_write(&self, file: &Path) -> Result<(), Fault> {
        let place = resolved(file);
        let library = resolved(&self.options.library);
        if place.as_os_str().as_encoded_bytes().starts_with(library.as_os_str().as_encoded_bytes()) {
            return Err(fault("over-the-library", file.to_string_lossy()));
        }
        self.is_outside_stores(file)
    }

    /// Refuses a file inside a folder that a tool keeps its data in, or right beside one of its stores.
    pub(crate) fn is_outside_stores(&self, file: &Path) -> Result<(), Fault> {
        let place = resolved(file);
        let home = resolved(&self.options.roots.home);
        let surveys = self.look(&[])?;
        let inside = surveys.iter().flat_map(|s| &s.detection.roots).filter(|r| r.exists).any(|root| {
            let root = resolved(&root.path);
            place.starts_with(tool_folder(&root, &home))
        });
        if inside { Err(fault("inside-a-store", file.to_string_lossy())) } else { Ok(()) }
    }
}

fn is_database(file: &Path) -> bool {
    let mut head = [0; SQLITE.len()];
    let plain = fs::metadata(file).is_ok_and(|meta| meta.is_file());
    plain && fs::File::open(file).and_then(|mut file| file.read_exact(&mut head)).is_ok() && head == *SQLITE
}

/// Puts a file in the place of what is there, whole or not at all. What has the same content by another name keeps it.
/// Into what is no file, a pipe or a device, it is written as it is.
pub(crate) fn replace(file: &Path, bytes: &[u8]) -> io::Result<()> {
    let file = fs::canonicalize(file).unwrap_or_else(|_| file.to_owned());
    let there = fs::metadata(&file).ok();
    if there.as_ref().is_some_and(|meta| !meta.is_file()) {
        return fs::write(&file, bytes);
    }
    let mut partial = file.as_os_str().to_owned();
    partial.push(".new");
    let partial = PathBuf::from(partial);
    let write = || {
        let mut out = fs::File::create(&partial)?;
        out.write_all(bytes)?;
        if let Some(meta) = there {
            out.set_permissions(meta.permissions())?;
        }
        out.sync_all()?;
        drop(out);
        fs::rename(&partial, &file)
    };
    write().inspect_err(|_| drop(fs::remove_file(&partial)))
}

/// Takes out what a folder that was empty has now, and the folder if it was not there.
pub(crate) fn empty(folder: &Path, was_there: bool) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let _nothing_to_do_about_it = fs::remove_dir_all(entry.path());
    }
    if !was_there {
        let _nothing_to_do_about_it = fs::remove_dir(folder);
    }
}

/// A path without links, as far as it exists.
fn resolved(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let parent =
        || path.parent().and_then(|p| p.canonicalize().ok()).zip(path.file_name()).map(|(p, name)| p.join(name));
    path.canonicalize().ok().or_else(parent).unwrap_or(path)
}

/// The tool's whole folder that a root lies in: below the home folder the first one that is not shared by
/// many programs; elsewhere the root, or the folder that the root's file is in.
fn tool_folder(root: &Path, home: &Path) -> PathBuf {
    const SHARED: [&str; 9] =
        [".config", ".local", "share", "state", "Library", "Application Support", "AppData", "Roaming", "Local"];
    if let Ok(below) = root.strip_prefix(home) {
        let mut folder = home.to_owned();
        for part in below {
            folder.push(part);
            if !SHARED.iter().any(|s| part == std::ffi::OsStr::new(s)) {
                return folder;
            }
        }
    }
    match root.parent() {
        Some(parent) if root.is_file() => parent.to_owned(),
        _ => root.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tools_folder_is_the_whole_of_it() {
        let home = Path::new("/h");
        for (root, folder) in [
            ("/h/.codex/sessions", "/h/.codex"),
            ("/h/.config/Cursor/User/globalStorage/state.vscdb", "/h/.config/Cursor"),
            ("/h/Library/Application Support/Trae/ModularData", "/h/Library/Application Support/Trae"),
            ("/elsewhere/sessions", "/elsewhere/sessions"),
        ] {
            assert_eq!(tool_folder(Path::new(root), home), Path::new(folder), "{root}");
        }
    }
}
