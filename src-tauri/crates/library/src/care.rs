//! Looking after a library: what is wrong with it, room that nothing takes, copies. Deliberately absent:
//! words for people, and what is to be done; the edge has them.

use crate::error::At;
use crate::search::index;
use crate::{Error, Library, Reader, file, original, standing};
use rusqlite::Connection;
use rusqlite::backup::{Backup, Progress, StepResult};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Something that is not as it should be, or that a person may want to know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// A stable kebab-case code.
    pub code: &'static str,
    /// How much of it there is.
    pub count: u64,
    /// What the machine says.
    pub detail: String,
    /// Whether something is wrong with the library, and not only worth knowing.
    pub wrong: bool,
}

/// What is counted: a code, whether it is wrong, and how many there are of it.
const COUNTED: &[(&str, bool, &str)] = &[
    ("orphans", true, "SELECT count(*) FROM pragma_foreign_key_check"),
    (
        "wrong-counts",
        true,
        "SELECT count(*) FROM conversation c WHERE messages <>
             (SELECT count(*) FROM message WHERE message BETWEEN c.conversation << 32 AND (c.conversation << 32) + 4294967295)",
    ),
    (
        "index-stale",
        true,
        "SELECT count(*) FROM message_fts_docsize WHERE id NOT IN (SELECT message FROM message)",
    ),
    ("loose-pieces", true, "SELECT count(*) FROM piece WHERE piece NOT IN (SELECT piece FROM original_piece)"),
    ("not-indexed", false, "SELECT coalesce(sum(messages - seq), 0) FROM unindexed JOIN conversation USING (conversation)"),
    ("no-original", false, "SELECT count(*) FROM conversation WHERE conversation NOT IN (SELECT conversation FROM original)"),
    (
        "gone-without-original",
        false,
        "SELECT count(*) FROM conversation WHERE gone_since IS NOT NULL
             AND conversation NOT IN (SELECT conversation FROM original)",
    ),
    ("killed-runs", false, "SELECT count(*) FROM import_run WHERE ended_at IS NULL"),
];

impl Reader {
    /// Reads the whole library and says what is wrong with it.
    pub fn check(&self) -> Result<Vec<Finding>, Error> {
        let mut found = Vec::new();
        let damage: Vec<String> = self.all("PRAGMA integrity_check (20)", [], |row| row.get(0))?;
        let damage: Vec<String> = damage.into_iter().filter(|line| line != "ok").collect();
        if !damage.is_empty() {
            let (count, detail) = (damage.len() as u64, damage.join("; "));
            found.push(Finding { code: "damaged", count, detail, wrong: true });
        }
        for (code, wrong, sql) in COUNTED {
            let count = self.db.query_row(sql, [], |row| row.get::<_, i64>(0)).at(&self.path)? as u64;
            if count > 0 {
                found.push(Finding { code, count, detail: String::new(), wrong: *wrong });
            }
        }
        // A piece is only believed after it was unpacked and hashed.
        let pieces: Vec<i64> = self.all("SELECT piece FROM piece ORDER BY piece", [], |row| row.get(0))?;
        let broken = pieces.into_iter().filter_map(|key| original::piece(&self.db, key).err());
        let broken: Vec<String> = broken.map(|e| e.to_string()).collect();
        if let Some(first) = broken.first() {
            let (count, detail) = (broken.len() as u64, first.clone());
            found.push(Finding { code: "original-damaged", count, detail, wrong: true });
        }
        Ok(found)
    }

    /// Copies the library, as it is now, to a new file; `told` hears pages done and in all. Other programs
    /// may go on to use the library.
    pub fn copy_to(&self, to: &Path, told: &mut dyn FnMut(u64, u64)) -> Result<(), Error> {
        if to.exists() {
            return Err(Error::Io { path: to.to_owned(), detail: "there is a file of that name".to_owned() });
        }
        if let Some(folder) = to.parent() {
            std::fs::create_dir_all(folder).at(folder)?;
        }
        let part = file::beside(to, ".part");
        let _left_by_a_kill = std::fs::remove_file(&part);
        let copied = self.copy(&part, told);
        if copied.is_err() {
            let _nothing_to_do_about_it = std::fs::remove_file(&part);
        }
        copied?;
        std::fs::rename(&part, to).at(to)
    }

    fn copy(&self, to: &Path, told: &mut dyn FnMut(u64, u64)) -> Result<(), Error> {
        let mut target = Connection::open(to).at(to)?;
        let backup = Backup::new(&self.db, &mut target).at(&self.path)?;
        loop {
            let step = backup.step(1000).at(to)?;
            let Progress { remaining, pagecount } = backup.progress();
            told((pagecount - remaining) as u64, pagecount as u64);
            match step {
                StepResult::Done => break,
                StepResult::More => {}
                _ => std::thread::sleep(Duration::from_millis(20)),
            }
        }
        drop(backup);
        let sound: String = target.query_row("PRAGMA quick_check (1)", [], |row| row.get(0)).at(to)?;
        match sound.as_str() {
            "ok" => Ok(()),
            _ => Err(Error::Damaged { path: to.to_owned(), detail: sound }),
        }
    }
}

/// The file beside a library that says where it is being moved to.
const MOVING: &str = ".moving";

impl Library {
    /// Copies the library as [`Reader::copy_to`] does, and says beside it where to for as long as that takes: what a
    /// kill leaves there is found by [`beside`].
    pub fn copy_away(&self, to: &Path, told: &mut dyn FnMut(u64, u64)) -> Result<(), Error> {
        let note = file::beside(self.path(), MOVING);
        std::fs::write(&note, to.to_string_lossy().as_bytes()).at(&note)?;
        let copied = self.reader()?.copy_to(to, told);
        std::fs::remove_file(&note).at(&note)?;
        copied
    }

    /// Removes pieces of originals that nobody has, and ends runs that a kill left open.
    pub fn tidy(&mut self) -> Result<(), Error> {
        let path = self.path().to_owned();
        let db = self.connection();
        let loose = original::loose(db).at(&path)?;
        original::sweep(db, &loose).at(&path)?;
        db.execute_batch("UPDATE import_run SET ended_at = started_at, cancelled = 1 WHERE ended_at IS NULL").at(&path)
    }

    /// Gives room that nothing takes back to the disk: pieces of originals that nobody has, what the text
    /// index keeps for speed, empty pages. Needs as much room again while it lasts.
    pub fn vacuum(&mut self) -> Result<(), Error> {
        let path = self.path().to_owned();
        let db = self.connection();
        let loose = original::loose(db).at(&path)?;
        original::sweep(db, &loose).at(&path)?;
        standing::forget_titles(db).at(&path)?;
        db.execute_batch("INSERT INTO message_fts (message_fts) VALUES ('optimize'); PRAGMA optimize; VACUUM")
            .at(&path)?;
        self.settle()
    }

    /// Empties the text index, so that [`Library::index`] makes it anew.
    pub fn clear_index(&mut self) -> Result<(), Error> {
        let path = self.path().to_owned();
        let clear = self.connection().unchecked_transaction().at(&path)?;
        index::clear(&clear).at(&path)?;
        clear.commit().at(&path)
    }
}

/// Files beside a library, and where it was to be moved to, that are left of something that was killed, or kept as
/// copies, with their bytes.
pub fn beside(library: &Path) -> Vec<(PathBuf, u64)> {
    let name = library.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let ours = |file: &str| {
        file.strip_prefix(&name).is_some_and(|rest| {
            rest.ends_with(".backup") || [".backup.part", ".part", ".probe", MOVING].contains(&rest)
        })
    };
    let folder = library.parent().map(std::fs::read_dir);
    let mut found: Vec<(PathBuf, u64)> = folder
        .and_then(Result::ok)
        .into_iter()
        .flatten()
        .flatten()
        .filter(|entry| ours(&entry.file_name().to_string_lossy()))
        .filter_map(|entry| Some((entry.path(), entry.metadata().ok()?.len())))
        .collect();
    if let Ok(to) = std::fs::read_to_string(file::beside(library, MOVING)) {
        let parts = [".part", ".part-journal"].map(|ending| file::beside(Path::new(&to), ending));
        found.extend(
            parts.into_iter().filter_map(|part| Some((part.metadata().ok()?.len(), part))).map(|(n, part)| (part, n)),
        );
    }
    found.sort();
    found.dedup();
    found
}
