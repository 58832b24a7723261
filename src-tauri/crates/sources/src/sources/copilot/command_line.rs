//! The folder of the command line tool: a session is a folder of events with what belongs to it, in older builds
//! a file; the database beside them is derived from them and counts only where they are gone.
//!
//! Deliberately absent: what is in a session.

use super::discovery::{Item, Walk};
use super::hint::{Shape, is_database};
use super::store;
use crate::{Platform, Roots, ScanError};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The folders, and why they are looked at.
pub(super) fn places(roots: &Roots) -> Vec<(PathBuf, String)> {
    let mut all = vec![(roots.home.join(".copilot"), "default".to_owned())];
    if let Some(folder) = roots.env_dir("COPILOT_HOME") {
        all.push((folder, "env:COPILOT_HOME".to_owned()));
    }
    if let Some(folder) = roots.env_dir("XDG_STATE_HOME").filter(|_| roots.platform == Platform::Linux) {
        all.push((folder.join(".copilot"), "env:XDG_STATE_HOME".to_owned()));
    }
    all
}

impl Walk {
    /// One folder of the tool.
    pub fn command_line(&mut self, roots: &Roots, folder: &Path, origin: String) {
        let Some(root) = self.root(folder, origin) else { return };
        self.session_state(root, &folder.join("session-state"));
        let legacy = folder.join("history-session-state");
        for name in self.list(&legacy) {
            if let Some(id) = name.strip_suffix(".json") {
                self.file(root, &legacy.join(&name), id, "history-session-state", "", Shape::Legacy);
            }
        }
        let database = folder.join("session-store.db");
        if !database.is_file() {
            return;
        }
        // A folder without its events says nothing of what was said in the session.
        let is_whole = |item: &&Item| item.candidate.file_path.extension().is_some_and(|e| e == "jsonl" || e == "json");
        let here = self.items.iter().filter(|item| item.root == root).filter(is_whole);
        let known: BTreeSet<String> = here.map(|item| item.candidate.id.clone()).collect();
        match store::sessions(roots, &database) {
            Ok((ids, others)) => {
                if !others.is_empty() {
                    self.note(root, format!("tables of no session, not read: {}", others.join(", ")));
                }
                let (derived, only): (Vec<_>, Vec<_>) = ids.into_iter().partition(|id| known.contains(id));
                if !derived.is_empty() {
                    let count = derived.len();
                    self.note(root, format!("session-store.db repeats sessions that are on disk, not read: {count}"));
                }
                for id in only {
                    self.file(root, &database, &id, "session-store", "", Shape::Store);
                }
            }
            Err(error) => self.found.errors.push(ScanError::read(&database, &error)),
        }
    }

    /// The sessions in `session-state`.
    pub fn session_state(&mut self, root: usize, folder: &Path) {
        let mut states = 0;
        for name in self.list(folder) {
            let path = folder.join(&name);
            if let Some(id) = name.strip_suffix(".jsonl") {
                self.file(root, &path, id, "session-state", "", Shape::Events);
                continue;
            }
            let mut beside = self.beside(&path);
            let events = path.join("events.jsonl");
            let main = if events.is_file() { Some(events) } else { beside.first().cloned() };
            let shape = |main: &Path| if is_database(main) { Shape::Tasks } else { Shape::Events };
            if let Some(item) = main.and_then(|main| self.file(root, &main, &name, "session-state", "", shape(&main))) {
                beside.retain(|file| *file != item.candidate.file_path);
                item.take(beside);
            }
            states += ["rewind-snapshots", "files"].map(|name| self.files(&path.join(name), 3).len()).iter().sum::<usize>();
        }
        if states > 0 {
            self.note(root, format!("states of files, not read: {states}"));
        }
    }

    /// The plan, the checkpoints, the facts and the tasks beside a session's events.
    fn beside(&mut self, folder: &Path) -> Vec<PathBuf> {
        let checkpoints = folder.join("checkpoints");
        let notes = self.list(&checkpoints).into_iter().filter(|n| n.ends_with(".md")).map(|n| checkpoints.join(n));
        let named = ["workspace.yaml", "plan.md"].map(|name| folder.join(name));
        let files = named.into_iter().chain(notes).chain([folder.join("session.db")]);
        files.filter(|file| file.is_file()).collect()
    }
}
