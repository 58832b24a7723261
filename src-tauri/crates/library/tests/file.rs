//! The file: who may open it, what is left alone, what a kill leaves.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "in a test")]

mod support;

use assay_library::{Error, Library, Original, Prepared, Reader};
use assay_model::hash;
use pretty_assertions::assert_eq;
use rusqlite::Connection;
use std::collections::HashSet;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;
use support::{Parsed, dump, index, moment, open, talk};

/// What makes a library of this version one of version 5.
const LIKE_VERSION_5: &str = "DROP TABLE unindexed; DROP TABLE standing; DROP TABLE label; DROP TABLE tombstone;
    DROP TABLE original_piece; DROP TABLE original; DROP TABLE piece; DROP INDEX conversation_earlier;
    DROP INDEX conversation_copies; ALTER TABLE conversation DROP COLUMN earlier_of;
    ALTER TABLE conversation DROP COLUMN copy_of; PRAGMA user_version = 5";

fn code<T: std::fmt::Debug>(result: Result<T, Error>) -> &'static str {
    result.expect_err("it cannot be used").code()
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> =
        std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_library_is_made_with_its_folder_and_marked_as_ours() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("deep/er/library.db");
    assert!(Reader::open(&path).unwrap().is_none(), "looking makes nothing");
    assert!(names(folder.path()).is_empty());
    drop(Library::open(&path).unwrap());
    assert_eq!(names(path.parent().unwrap()), ["library.db", "library.db.lock"], "no backup of nothing");
    let db = Connection::open(&path).unwrap();
    let pragma = |name| db.pragma_query_value(None, name, |r| r.get::<_, i64>(0)).unwrap();
    assert_eq!((pragma("application_id"), pragma("user_version")), (0x4153_4159, 13));
}

#[test]
fn a_newer_library_is_refused_and_left_untouched() {
    let folder = tempfile::tempdir().unwrap();
    let path = open(folder.path()).path().to_owned();
    Connection::open(&path).unwrap().execute_batch("PRAGMA user_version = 99").unwrap();
    std::fs::remove_file(folder.path().join("library.db.lock")).unwrap();
    let before = std::fs::read(&path).unwrap();
    assert_eq!(code(Library::open(&path)), "newer");
    assert_eq!(code(Reader::open(&path)), "newer");
    assert_eq!(std::fs::read(&path).unwrap(), before);
    assert_eq!(names(folder.path()), ["library.db"], "nothing beside it either");
}

#[test]
fn what_is_not_a_library_is_refused_and_left_untouched() {
    let folder = tempfile::tempdir().unwrap();
    let foreign = folder.path().join("foreign.db");
    let db = Connection::open(&foreign).unwrap();
    db.execute_batch("PRAGMA journal_mode = wal; CREATE TABLE t (a); INSERT INTO t VALUES (1)").unwrap();
    // Its log is there and has not been written back: nearly all of it is in the log.
    let (text, short) = (folder.path().join("text.db"), folder.path().join("short.db"));
    std::fs::write(&text, "not a database, but long enough to have a header ".repeat(9)).unwrap();
    std::fs::write(&short, "x").unwrap();
    let before: Vec<_> = names(folder.path());
    for path in [&foreign, &text, &short] {
        let content = std::fs::read(path).unwrap();
        assert_eq!(code(Library::open(path)), "not-a-library", "{path:?}");
        assert_eq!(code(Reader::open(path)), "not-a-library", "{path:?}");
        assert_eq!(std::fs::read(path).unwrap(), content);
    }
    assert_eq!(names(folder.path()), before);
    assert_eq!(db.query_row("SELECT a FROM t", [], |r| r.get::<_, i64>(0)).unwrap(), 1);
}

#[test]
fn an_older_library_is_copied_before_it_is_brought_up() {
    let folder = tempfile::tempdir().unwrap();
    let mut library = open(folder.path());
    library.store(&Parsed::of("codex", "a", &talk(3)).incoming()).unwrap();
    index(&mut library);
    let (path, before) = (library.path().to_owned(), dump(library.path()));
    drop(library);
    Connection::open(&path).unwrap().execute_batch(LIKE_VERSION_5).unwrap();
    assert_eq!(code(Reader::open(&path)), "older", "a reader changes nothing");
    drop(open(folder.path()));
    let copy = folder.path().join("library.db.v5.backup");
    for (file, version) in [(&path, 13), (&copy, 5)] {
        let db = Connection::open(file).unwrap();
        assert_eq!(db.pragma_query_value(None, "user_version", |r| r.get::<_, i64>(0)).unwrap(), version);
        // Words are cut anew after that; everything else is as it was.
        let told = |line: &&String| !line.starts_with("word ") && !line.starts_with("unindexed ");
        let (now, then): (Vec<_>, Vec<_>) = (dump(file), before.clone());
        assert_eq!(now.iter().filter(told).collect::<Vec<_>>(), then.iter().filter(told).collect::<Vec<_>>());
    }
    let mut library = open(folder.path());
    index(&mut library);
    assert_eq!(dump(&path), before);
}

#[test]
fn a_second_writer_is_told_and_readers_are_not_held_up() {
    let folder = tempfile::tempdir().unwrap();
    let mut first = open(folder.path());
    assert_eq!(code(Library::open(first.path())), "in-use");
    let parsed = Parsed::of("codex", "a", &talk(3));
    let reader = first.reader().unwrap();
    let mut group = first.group().unwrap();
    group.store(&parsed.incoming(), &Prepared::new(None, &parsed.incoming())).unwrap();
    assert!(reader.known("codex").unwrap().is_empty(), "not committed yet");
    group.commit().unwrap();
    assert_eq!(reader.known("codex").unwrap().len(), 1);
    drop(first);
    open(folder.path());
}

#[test]
fn a_damaged_library_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let mut library = open(folder.path());
    library.store(&Parsed::of("codex", "a", &talk(300)).incoming()).unwrap();
    library.settle().unwrap();
    let path = library.path().to_owned();
    drop(library);
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[4096..].fill(0xA5);
    std::fs::write(&path, bytes).unwrap();
    let known = Reader::open(&path).and_then(|reader| reader.unwrap().known("codex"));
    assert_eq!(code(known), "damaged");
}

#[test]
fn a_folder_that_cannot_be_made_is_an_error_with_a_code() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("file"), "x").unwrap();
    assert_eq!(code(Library::open(&folder.path().join("file/library.db"))), "io");
}

/// A process of this test binary that runs `test` on the library at `path`, killed after so many milliseconds.
fn killed(test: &str, path: &Path, after: u64) {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", test])
        .env("ASSAY_TEST_LIBRARY", path)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_millis(after));
    child.kill().unwrap();
    child.wait().unwrap();
}

/// Where to, in a process that is going to be killed; nothing in an ordinary run of the tests.
fn library_to_be_killed() -> Option<Library> {
    #[allow(clippy::disallowed_methods, reason = "the parent's only way to say where")]
    let path = std::env::var("ASSAY_TEST_LIBRARY").ok()?;
    Some(Library::open(Path::new(&path)).unwrap())
}

/// Not a test of its own: the process that the next one kills.
#[test]
fn writes_until_it_is_killed() {
    let Some(mut library) = library_to_be_killed() else { return };
    // Goes on where the last one was killed: a store that only grows.
    let known = library.known("codex").unwrap();
    for length in 1 + known.get("a").map_or(0, |k| k.messages as usize / 7).. {
        library.begin_run(moment(0)).unwrap();
        let mut group = library.group().unwrap();
        for id in ["a", "b", "c"] {
            let mut parsed = Parsed::of("codex", id, &talk(length * 7));
            let mut original = Original::new(serde_json::json!({}));
            original.add(format!("{id}{length}").repeat(99_999).as_bytes(), &HashSet::new()).unwrap();
            parsed.original = Some(original);
            group.store(&parsed.incoming(), &Prepared::new(None, &parsed.incoming())).unwrap();
        }
        group.commit().unwrap();
    }
}

#[test]
fn a_kill_leaves_every_conversation_whole() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("library.db");
    for pause in [40, 90, 140, 230, 310] {
        killed("writes_until_it_is_killed", &path, pause);
        let Some(reader) = Reader::open(&path).unwrap() else { continue };
        for known in reader.known("codex").unwrap().values() {
            let stored = reader.show(known.key).unwrap().unwrap();
            let conversation = reader.conversation(&stored).unwrap();
            let whole = Parsed::of("codex", &conversation.id, &talk(known.messages as usize));
            assert_eq!(conversation, whole.conversation);
            assert_eq!(reader.ledger(&stored).unwrap(), whole.ledger);
            assert_eq!(hash::full_hash(&conversation), known.full_hash);
            assert_eq!(reader.unindexed().unwrap() % 3, 0, "the three were committed together");
        }
        let wrong = reader.check().unwrap().into_iter().filter(|f| f.wrong && f.code != "loose-pieces");
        assert_eq!(wrong.collect::<Vec<_>>(), []);
    }
    // The next run completes it.
    let mut library = Library::open(&path).unwrap();
    library.begin_run(moment(1)).unwrap();
    assert!(library.reader().unwrap().check().unwrap().iter().all(|f| !f.wrong), "nothing lies about");
    let last = Parsed::of("codex", "a", &talk(2000));
    library.store(&last.incoming()).unwrap();
    let reader = library.reader().unwrap();
    let stored = reader.show(reader.find("a").unwrap()[0].key).unwrap().unwrap();
    assert_eq!(reader.conversation(&stored).unwrap(), last.conversation);
}

/// Not a test of its own: the process that the next one kills.
#[test]
fn indexes_until_it_is_killed() {
    let Some(mut library) = library_to_be_killed() else { return };
    let mut messages = 0;
    let mut a_few = |_| {
        std::thread::sleep(Duration::from_millis(1));
        messages += 1;
        messages % 7 != 0
    };
    while library.index(&mut a_few).unwrap() {}
}

#[test]
fn a_kill_while_indexing_leaves_an_index_that_can_be_finished() {
    let (killed_in, once_in) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (mut library, mut at_once) = (open(killed_in.path()), open(once_in.path()));
    for id in 0..12 {
        let parsed = Parsed::of("codex", &id.to_string(), &talk(40));
        library.store(&parsed.incoming()).unwrap();
        at_once.store(&parsed.incoming()).unwrap();
    }
    let path = library.path().to_owned();
    drop(library);
    for pause in [40, 90, 140, 230] {
        killed("indexes_until_it_is_killed", &path, pause);
        let reader = Reader::open(&path).unwrap().unwrap();
        let found = reader.search("message", &Default::default(), 0, 1).unwrap();
        assert_eq!(u64::from(found.total) + reader.unindexed().unwrap(), 12 * 40, "what is not found is said");
    }
    let mut library = open(killed_in.path());
    index(&mut library);
    index(&mut at_once);
    assert_eq!(library.reader().unwrap().unindexed().unwrap(), 0);
    let rows = dump(library.path());
    assert_eq!(rows, dump(at_once.path()));
    assert_eq!(rows.iter().filter(|row| row.starts_with("word ") && row.ends_with(" message")).count(), 12 * 40);
}

#[test]
fn a_group_is_full_after_a_few_conversations_however_short() {
    let folder = tempfile::tempdir().unwrap();
    let mut library = open(folder.path());
    let mut group = library.group().unwrap();
    let stored = (0..1000).take_while(|id| {
        let parsed = Parsed::of("codex", &id.to_string(), &talk(1));
        group.store(&parsed.incoming(), &Prepared::new(None, &parsed.incoming())).unwrap();
        !group.is_full()
    });
    assert!(stored.count() < 64);
}
