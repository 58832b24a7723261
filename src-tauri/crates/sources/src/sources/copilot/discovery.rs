//! The walk over every place where Copilot keeps sessions. One walk serves detection and scan, so that their
//! numbers agree.
//!
//! Deliberately absent: what the places of an editor (`editors.rs`) and of the command line tool
//! (`command_line.rs`) look like, and reading a session.

use super::hint::{Copy, Hint, Shape, is_database};
use super::{command_line, editors};
use crate::given::Ids;
use crate::readers::sqlite::Stamp;
use crate::adapter::{NOT_PLAIN, list};
use crate::{ReadError, Root, Roots, ScanError, roots};
use assay_model::{Candidate, Coverage};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

pub(super) const NAME: &str = "copilot";

/// What the walk found.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub roots: Vec<Root>,
    pub candidates: Vec<Candidate>,
    pub errors: Vec<ScanError>,
}

/// A session that the walk came across.
pub(super) struct Item {
    /// Where it is, in a word that is the same on every machine.
    pub label: String,
    /// The number of its root.
    pub root: usize,
    pub candidate: Candidate,
    pub hint: Hint,
}

#[derive(Default)]
pub(super) struct Walk {
    pub found: Found,
    pub items: Vec<Item>,
    /// Titles that the editors' indexes have, by session.
    pub titles: BTreeMap<String, String>,
    /// Sessions that an index lists as kept elsewhere.
    pub external: Vec<String>,
    /// Files that belong to a session, by root, label of the place, and id.
    pub belongings: BTreeMap<(usize, String, String), Vec<PathBuf>>,
}

/// Walks every place.
pub(super) fn find(roots: &Roots) -> Found {
    let mut walk = Walk::default();
    for (user, product, coverage, origin) in editors::places(roots) {
        walk.editor(roots, &user, &product, coverage, origin);
    }
    walk.guests(roots);
    for (folder, origin) in command_line::places(roots) {
        walk.command_line(roots, &folder, origin);
    }
    for folder in roots.custom(NAME) {
        walk.custom(roots, folder);
    }
    walk.finish(&roots.given.of(NAME))
}

impl Walk {
    /// Looks at a place, once; its number if it can be read.
    pub fn root(&mut self, path: &Path, origin: String) -> Option<usize> {
        if self.found.roots.iter().any(|known| known.path == path) {
            return None;
        }
        self.found.roots.push(Root::folder(path, origin));
        let root = self.found.roots.last()?;
        (root.exists && root.readable).then(|| self.found.roots.len() - 1)
    }

    /// Adds to what is to be said about a place.
    pub fn note(&mut self, root: usize, text: String) {
        self.found.roots[root].remark(&text);
    }

    /// The names in a folder, sorted; none where it is absent, an error where it may not be read.
    pub fn list(&mut self, folder: &Path) -> Vec<String> {
        match list(folder) {
            Ok(entries) => {
                let mut names: Vec<String> =
                    entries.flatten().map(|e| e.file_name().to_string_lossy().into_owned()).collect();
                names.sort();
                names
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
            // What a file above would hold is asked for where nothing tells the files among folders apart.
            Err(_) if folder.parent().is_some_and(Path::is_file) => Vec::new(),
            Err(error) => {
                self.found.errors.push(ScanError::io(folder, &error));
                Vec::new()
            }
        }
    }

    /// The plain files at most `depth` folders below a folder, sorted.
    pub fn files(&mut self, folder: &Path, depth: usize) -> Vec<PathBuf> {
        let mut files = Vec::new();
        let mut open = vec![(folder.to_owned(), depth)];
        while let Some((folder, depth)) = open.pop() {
            for name in self.list(&folder) {
                let path = folder.join(name);
                match std::fs::symlink_metadata(&path) {
                    Ok(meta) if meta.is_dir() && depth > 0 => open.push((path, depth - 1)),
                    Ok(meta) if meta.is_file() => files.push(path),
                    Ok(_) | Err(_) => {}
                }
            }
        }
        files.sort();
        files
    }

    /// Adds a file; until told otherwise, one that the published rules do not look at.
    pub fn file(
        &mut self,
        root: usize,
        path: &Path,
        id: &str,
        label: &str,
        project: &str,
        shape: Shape,
    ) -> Option<&mut Item> {
        let measured = match path.is_dir() {
            true => return None,
            false => measure(path, shape.is_database()),
        };
        let (file_size, file_mtime) = match measured {
            Ok(measured) => measured,
            Err(error) => {
                self.found.errors.push(ScanError::read(path, &error));
                return None;
            }
        };
        self.items.push(Item {
            label: label.to_owned(),
            root,
            candidate: Candidate {
                id: id.to_owned(),
                source: NAME.to_owned(),
                file_path: path.to_owned(),
                file_size,
                file_mtime,
                project_dir: project.to_owned(),
                coverage: Coverage::Extended,
                hint: serde_json::Value::Null,
            },
            hint: Hint::of(shape),
        });
        self.items.last_mut()
    }

    /// A folder that a person added: of whichever of the shapes above it is.
    fn custom(&mut self, roots: &Roots, folder: &Path) {
        let is = |name: &str| folder.join(name).is_dir();
        let origin = || "custom".to_owned();
        if is("session-state") || is("history-session-state") {
            self.command_line(roots, folder, origin());
        } else if is("User") {
            self.editor(roots, &folder.join("User"), "custom", Coverage::Reference, origin());
        } else if is("workspaceStorage") || is("globalStorage") {
            self.editor(roots, folder, "custom", Coverage::Reference, origin());
        } else if let Some(root) = self.root(folder, origin()) {
            let label = format!("custom/{}", folder.display());
            self.sessions(root, folder, &label, "", Coverage::Extended);
            for item in self.items.iter_mut().filter(|item| item.root == root) {
                item.candidate.coverage = Coverage::Extended;
            }
            if folder.file_name().is_some_and(|n| n == "session-state") {
                self.items.retain(|item| item.root != root);
                self.session_state(root, folder);
            }
            for workspace in self.list(folder) {
                let sessions = folder.join(&workspace).join("chatSessions");
                self.sessions(root, &sessions, &format!("{label}/{workspace}"), "", Coverage::Extended);
            }
        }
    }

    /// Gives the plain id to one of the sessions that share it, and a longer one to the others.
    fn finish(mut self, given: &Ids) -> Found {
        self.hand_over();
        let was_apart = |item: &Item| given.has(&item.apart(), &item.candidate.file_path);
        let rank = |item: &Item| {
            let file = &item.candidate;
            // Of one folder the better form has the id, whichever had it before.
            let held = given.has_beside(&file.id, &file.file_path);
            let extended = file.coverage == Coverage::Extended;
            (!held, extended, item.hint.shape, std::cmp::Reverse(file.file_size), std::cmp::Reverse(file.file_mtime))
        };
        let mut best: BTreeMap<&str, usize> = BTreeMap::new();
        for (i, item) in self.items.iter().enumerate().filter(|(_, item)| !was_apart(item)) {
            let known = best.entry(&item.candidate.id).or_insert(i);
            if rank(item) < rank(&self.items[*known]) {
                *known = i;
            }
        }
        let copies: Vec<(bool, Option<Copy>)> = self
            .items
            .iter()
            .enumerate()
            .map(|(i, item)| {
                let best = best.get(item.candidate.id.as_str()).copied();
                let of = best.filter(|of| *of != i).map(|of| &self.items[of]);
                let of = of.map(|of| Copy {
                    id: of.candidate.id.clone(),
                    path: of.candidate.file_path.clone(),
                    shape: of.hint.shape,
                });
                (best == Some(i), of)
            })
            .collect();
        for (mut item, (plain, copy_of)) in self.items.into_iter().zip(copies) {
            item.hint.title = self.titles.get(&item.candidate.id).cloned();
            item.hint.copy_of = copy_of;
            if !plain {
                let apart = item.apart();
                item.hint.session = Some(std::mem::replace(&mut item.candidate.id, apart));
            }
            let root = &mut self.found.roots[item.root];
            root.conversations += 1;
            root.bytes += item.candidate.file_size;
            item.candidate.hint = serde_json::to_value(&item.hint).unwrap_or_default();
            self.found.candidates.push(item.candidate);
        }
        self.found
    }

    /// Gives each session the files that belong to it. Where a place has it twice, its log has them.
    fn hand_over(&mut self) {
        let mut left: BTreeMap<usize, usize> = BTreeMap::new();
        for ((root, label, id), files) in std::mem::take(&mut self.belongings) {
            let of_place = self.items.iter_mut().filter(|i| i.label == label && i.candidate.id == id);
            match of_place.min_by_key(|item| item.hint.shape) {
                Some(item) => item.take(files),
                None => *left.entry(root).or_default() += files.len(),
            }
        }
        for (root, count) in left {
            self.note(root, format!("files of sessions that are gone: {count}"));
        }
    }
}

/// Size and time of a file, for the detection of changes; of a database with its log, which may have all that is new.
fn measure(path: &Path, database: bool) -> Result<(u64, i64), ReadError> {
    if database {
        return Stamp::of(path).map(|stamp| (stamp.size, stamp.mtime));
    }
    let meta = std::fs::metadata(path).map_err(|e| ReadError::io(path, &e))?;
    match meta.is_file() {
        true => Ok((meta.len(), roots::mtime(&meta))),
        false => Err(ReadError::Io { path: path.to_owned(), cause: NOT_PLAIN.to_owned() }),
    }
}

impl Item {
    /// The id that tells it apart from another session of its id.
    fn apart(&self) -> String {
        let ending = self.candidate.file_path.extension().unwrap_or_default().to_string_lossy();
        format!("{}@{}.{ending}", self.candidate.id, self.label)
    }

    /// Takes files that belong to the session; they count for the detection of changes.
    pub fn take(&mut self, files: Vec<PathBuf>) {
        for (size, mtime) in files.iter().filter_map(|file| measure(file, is_database(file)).ok()) {
            self.candidate.file_size += size;
            self.candidate.file_mtime = self.candidate.file_mtime.max(mtime);
        }
        self.hint.beside.extend(files);
    }
}
