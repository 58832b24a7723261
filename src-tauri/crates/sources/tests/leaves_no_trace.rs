//! Looking changes nothing: after detecting, listing, collecting and parsing everything, a home folder is
//! byte for byte as it was, with databases that their tool has open and with the environment pointing into it.
#![allow(clippy::unwrap_used, missing_docs)]

use assay_sources::{Platform, Roots, fixtures, registry};
use rusqlite::Connection;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Overrides of all sources, and where each points below the home folder.
const OVERRIDES: &[(&str, &str)] = &[
    ("XDG_CONFIG_HOME", ".config"),
    ("XDG_DATA_HOME", ".local/share"),
    ("XDG_STATE_HOME", ".local/state"),
    ("CLAUDE_CONFIG_DIR", ".claude"),
    ("CODEX_HOME", ".codex"),
    ("COPILOT_HOME", ".copilot"),
    ("CURSOR_CONFIG_DIR", ".cursor"),
    ("TRAE_DIR", ".config/Trae"),
];

/// Every file and folder below `folder`: contents and time of the last change.
fn listing(folder: &Path) -> BTreeMap<PathBuf, (Option<Vec<u8>>, SystemTime)> {
    walkdir::WalkDir::new(folder)
        .into_iter()
        .map(|entry| {
            let entry = entry.unwrap();
            let contents = entry.file_type().is_file().then(|| std::fs::read(entry.path()).unwrap());
            (entry.path().to_owned(), (contents, entry.metadata().unwrap().modified().unwrap()))
        })
        .collect()
}

/// Opens every database below `folder` as its tool does: with a log that is not merged yet.
fn keep_open(folder: &Path) -> Vec<Connection> {
    let open = |path: &Path| -> rusqlite::Result<Connection> {
        let c = Connection::open(path)?;
        c.execute_batch(
            "PRAGMA journal_mode=wal; PRAGMA wal_autocheckpoint=0;
            CREATE TABLE IF NOT EXISTS written_while_open(x); INSERT INTO written_while_open VALUES(1)",
        )?;
        Ok(c)
    };
    let files = walkdir::WalkDir::new(folder).into_iter().flatten().map(walkdir::DirEntry::into_path);
    let is_database = |path: &PathBuf| std::fs::read(path).is_ok_and(|b| b.starts_with(b"SQLite format 3\0"));
    files.filter(|path| path.is_file() && is_database(path)).filter_map(|path| open(&path).ok()).collect()
}

/// Returns how many conversations were found, and how many databases were open meanwhile.
fn look(source: &str, live: bool, overrides: bool) -> (usize, usize) {
    let registry = registry();
    let adapter = registry.get(source).unwrap();
    let (mut conversations, mut open) = (0, 0);
    for case in fixtures::cases(source).unwrap() {
        let (home, scratch) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        case.lay_out(home.path()).unwrap();
        let tools = if live { keep_open(home.path()) } else { Vec::new() };
        let mut roots = Roots::new(home.path(), Platform::Linux);
        roots.scratch = scratch.path().to_owned();
        if overrides {
            let places = OVERRIDES.iter().map(|(name, at)| ((*name).to_owned(), home.path().join(at)));
            roots.env = places.map(|(name, at)| (name, at.to_string_lossy().into_owned())).collect();
        }
        let before = listing(home.path());
        let (_, outcomes) = fixtures::run(adapter, &roots);
        let after = listing(home.path());
        let changed: Vec<_> = after.iter().filter(|(path, what)| before.get(*path) != Some(what)).collect();
        assert!(changed.is_empty(), "{source}/{}: {:?}", case.name, changed.iter().map(|c| c.0).collect::<Vec<_>>());
        assert_eq!(after.len(), before.len(), "{source}/{}: something is gone", case.name);
        conversations += outcomes.len();
        drop(roots);
        assert_eq!(listing(scratch.path()).len(), 1, "{source}/{}: snapshots stay behind", case.name);
        open += tools.len();
        drop(tools);
    }
    (conversations, open)
}

#[test]
fn looking_at_a_home_changes_nothing_in_it() {
    let mut databases = 0;
    for adapter in registry().iter() {
        let source = adapter.manifest().name;
        let (found, _) = look(source, false, false);
        let (live, open) = look(source, true, false);
        assert_eq!(live, found, "{source}: open databases hold the same conversations");
        let (overridden, _) = look(source, true, true);
        assert_eq!(overridden, found, "{source}: overrides that name the usual places change nothing");
        databases += open;
    }
    assert!(databases > 0, "no fixture has a database: the test shows nothing");
}
