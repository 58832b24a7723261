//! What holds for every source on every fixture, however its files are damaged: no panic, a ledger that
//! balances, the same result twice, and no message lost that stands before the damage.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::disallowed_methods, missing_docs)]

use assay_model::{Disposition, Locator};
use assay_sources::fixtures::{self, Case, Outcome};
use assay_sources::{Platform, Roots, SourceAdapter, registry};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use rusqlite::Connection;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// One fixture laid out, and what its store gives when it is whole.
struct Store {
    adapter: &'static dyn SourceAdapter,
    name: String,
    home: TempDir,
    whole: Vec<Outcome>,
}

impl Store {
    fn lay_out(adapter: &'static dyn SourceAdapter, case: &Case) -> Self {
        let home = tempfile::tempdir().unwrap();
        case.lay_out(home.path()).unwrap();
        let mut store = Self { adapter, name: format!("{}/{}", case.source, case.name), home, whole: Vec::new() };
        store.whole = store.run();
        store
    }

    fn run(&self) -> Vec<Outcome> {
        fixtures::run(self.adapter, &self.roots()).1
    }

    fn roots(&self) -> Roots {
        let mut roots = Roots::new(self.home.path(), Platform::Linux);
        roots.now = i64::MAX; // nothing is being written any more
        roots
    }

    /// Lets `damage` at a file; what was there comes back when the guard is dropped.
    fn damaged(&self, file: &Path, damage: impl FnOnce(&Path, Vec<u8>)) -> Restore {
        let bytes = std::fs::read(file).unwrap();
        damage(file, bytes.clone());
        Restore { file: file.to_owned(), bytes }
    }

    /// The files with one of these extensions.
    fn files(&self, extensions: &[&str]) -> Vec<PathBuf> {
        let walk = walkdir::WalkDir::new(self.home.path()).sort_by_file_name().into_iter().flatten();
        let files = walk.filter(|entry| entry.file_type().is_file()).map(walkdir::DirEntry::into_path);
        files.filter(|f| f.extension().is_some_and(|e| extensions.iter().any(|wanted| e == *wanted))).collect()
    }

    fn run_twice(&self) -> Vec<Outcome> {
        let (first, second) = (self.run(), self.run());
        assert_eq!(first.len(), second.len(), "{}: two scans differ", self.name);
        for (a, b) in first.iter().zip(&second) {
            assert_eq!(a.candidate, b.candidate, "{}: two scans differ", self.name);
            assert_eq!(a.parsed, b.parsed, "{}: two parses differ", self.name);
        }
        first
    }
}

/// Puts a file back, also when a test fails, so that a smaller failure can be looked for.
struct Restore {
    file: PathBuf,
    bytes: Vec<u8>,
}

impl Drop for Restore {
    fn drop(&mut self) {
        let _ = std::fs::write(&self.file, &self.bytes);
    }
}

thread_local! {
    /// Every test has its own: they change files.
    static STORES: Vec<Store> = stores();
}

fn stores() -> Vec<Store> {
    let registry = registry();
    let of = |adapter: &'static dyn SourceAdapter| {
        let cases = fixtures::cases(adapter.manifest().name).unwrap();
        cases.into_iter().map(move |case| Store::lay_out(adapter, &case))
    };
    registry.iter().flat_map(of).collect()
}

fn balanced(store: &Store, outcomes: &[Outcome]) -> Result<(), TestCaseError> {
    for outcome in outcomes {
        let Ok((conversation, ledger)) = &outcome.parsed else { continue };
        let about = || format!("{} {}", store.name, outcome.candidate.id);
        prop_assert_eq!(ledger.unaccounted_bytes(), 0, "{}: bytes without an entry", about());
        for entry in &ledger.entries {
            let reasoned = entry.disposition == Disposition::Kept || entry.reason.is_some();
            prop_assert!(reasoned, "{}: {:?} has no reason", about(), entry);
            let found = entry.message_index.is_none_or(|i| (i as usize) < conversation.messages.len());
            prop_assert!(found, "{}: {:?} names a message that is not there", about(), entry);
        }
    }
    Ok(())
}

type Said = (String, Option<String>);

/// How often each text is told, over all conversations of a store.
fn said<'a>(outcomes: &'a [Outcome], count: impl Fn(&'a Outcome, u32) -> bool) -> HashMap<Said, usize> {
    let mut said = HashMap::new();
    for outcome in outcomes {
        let Ok((conversation, _)) = &outcome.parsed else { continue };
        for message in &conversation.messages {
            if count(outcome, message.position) {
                *said.entry((message.content.clone(), message.thinking.clone())).or_default() += 1;
            }
        }
    }
    said
}

/// Whether `told` is `text`, or `text` with something to add: that a call was never answered, say.
fn holds(told: &Said, text: &Said) -> bool {
    told.1 == text.1 && if text.0.is_empty() { told.0.is_empty() } else { told.0.contains(&text.0) }
}

/// Whether all that a message was made of stands in `file` before `end`.
fn stands_before(outcome: &Outcome, position: u32, file: &Path, end: u64) -> bool {
    let Ok((conversation, ledger)) = &outcome.parsed else { return false };
    let entries = ledger.entries.iter().filter(|e| e.message_index == Some(position)).map(|e| &e.locator);
    let mut places = entries.chain([&conversation.messages[position as usize].locator]);
    places.all(|place| match place {
        Locator::Bytes { file: at, byte_end, .. } => Path::new(&**at) == file && *byte_end <= end,
        Locator::Row { .. } => false,
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 6, failure_persistence: None, ..ProptestConfig::default() })]

    /// A file that ends early: a crash, a full disk, a copy that was interrupted.
    #[test]
    fn a_cut_loses_no_message_that_stands_before_it(part in 0.0..1.0f64) {
        each_store(|store| {
            for file in store.files(&["jsonl", "json"]) {
                let mut end = 0;
                let _restore = store.damaged(&file, |file, bytes| {
                    end = (bytes.len() as f64 * part) as usize;
                    std::fs::write(file, &bytes[..end]).unwrap();
                });
                let outcomes = store.run_twice();
                balanced(store, &outcomes)?;
                let before = said(&store.whole, |o, position| stands_before(o, position, &file, end as u64));
                let after = said(&outcomes, |_, _| true);
                for (text, count) in before {
                    let left: usize = after.iter().filter(|(told, _)| holds(told, &text)).map(|(_, n)| n).sum();
                    let name = file.strip_prefix(store.home.path()).unwrap().display();
                    prop_assert!(left >= count, "{} {} cut at {}: {:?} is lost", store.name, name, end, text);
                }
            }
            Ok(())
        })?;
    }

    /// Bytes that a disk or a bad tool changed.
    #[test]
    fn flipped_bytes_are_accounted_for(flips in prop::collection::vec((0.0..1.0f64, 1u8..), 1..6)) {
        each_store(|store| {
            for file in store.files(&["jsonl", "json", "txt", "md", "yaml", "vscdb", "db"]) {
                let _restore = store.damaged(&file, |file, mut bytes| {
                    let length = bytes.len() as f64;
                    for (part, mask) in &flips {
                        if let Some(byte) = bytes.get_mut((length * part) as usize) {
                            *byte ^= mask;
                        }
                    }
                    std::fs::write(file, bytes).unwrap();
                });
                balanced(store, &store.run())?;
            }
            Ok(())
        })?;
    }

    /// A row whose value ends early or holds another byte: a sound database may be damaged inside.
    #[test]
    fn damaged_rows_are_accounted_for(part in 0.0..1.0f64, mask in any::<u8>()) {
        each_store(|store| {
            for file in store.files(&["vscdb", "db"]) {
                let mut damaged = false;
                let _restore = store.damaged(&file, |file, _| damaged = damage_rows(file, part, mask).is_ok());
                if damaged {
                    balanced(store, &store.run_twice())?;
                }
            }
            Ok(())
        })?;
    }
}

/// What happens to the bytes of a piece.
#[derive(Debug, Clone)]
enum Change {
    /// It ends early.
    Cut(f64),
    /// A byte is another.
    Flip(f64, u8),
    /// A run of it stands twice.
    Repeat(f64, usize),
    /// A run of it is gone.
    Skip(f64, usize),
    /// Something else stands in it.
    Insert(f64, Vec<u8>),
}

fn change() -> impl Strategy<Value = Change> {
    const WORDS: [&[u8]; 9] = [b"\n", b"null", b"[]", b"{}", b"\"", b"1e999", b"-1", b"\\ud800", b"\xEF\xBB\xBF"];
    let part = || 0.0..1.0f64;
    prop_oneof![
        part().prop_map(Change::Cut),
        (part(), 1u8..).prop_map(|(at, mask)| Change::Flip(at, mask)),
        (part(), 1..400usize).prop_map(|(at, length)| Change::Repeat(at, length)),
        (part(), 1..40usize).prop_map(|(at, length)| Change::Skip(at, length)),
        (part(), prop::sample::select(WORDS.to_vec())).prop_map(|(at, word)| Change::Insert(at, word.to_vec())),
    ]
}

fn changed(mut bytes: Vec<u8>, changes: &[Change]) -> Vec<u8> {
    for change in changes {
        let place = |part: &f64| (bytes.len() as f64 * part) as usize;
        match change {
            Change::Cut(part) => bytes.truncate(place(part)),
            Change::Flip(part, mask) => {
                let at = place(part);
                bytes.iter_mut().skip(at).take(1).for_each(|byte| *byte ^= mask);
            }
            Change::Repeat(part, length) => {
                let at = place(part);
                let run = bytes[at..(at + length).min(bytes.len())].to_vec();
                bytes.splice(at..at, run);
            }
            Change::Skip(part, length) => {
                let at = place(part);
                bytes.drain(at..(at + length).min(bytes.len()));
            }
            Change::Insert(part, word) => {
                let at = place(part);
                bytes.splice(at..at, word.iter().copied());
            }
        }
    }
    bytes
}

/// What the fuzz targets do by coverage, here by chance: any piece of any fixture, changed in any way.
#[test]
fn any_bytes_in_place_of_any_piece_are_accounted_for() {
    for adapter in registry().iter() {
        let pieces = assay_sources::fixtures::Pieces::of(adapter).unwrap();
        let seeds = pieces.seeds();
        let mut runner = TestRunner::new(ProptestConfig {
            cases: cases(64),
            failure_persistence: None,
            ..ProptestConfig::default()
        });
        let input = (prop::sample::select(seeds), prop::collection::vec(change(), 0..6));
        let held = runner.run(&input, |(seed, changes)| {
            let (head, body) = seed.split_at(3);
            let input = [head, &changed(body.to_vec(), &changes)].concat();
            pieces.check(&input).map_err(TestCaseError::fail)
        });
        if let Err(wrong) = held {
            panic!("{}: {wrong}", adapter.manifest().name);
        }
    }
}

/// As many cases as `PROPTEST_CASES` says, or so many.
fn cases(usual: u32) -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(usual)
}

/// Every source has its target, which is named for it.
#[test]
fn every_source_is_fuzzed() {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../fuzz/Cargo.toml");
    let manifest = std::fs::read_to_string(manifest).unwrap();
    for adapter in registry().iter() {
        let name = adapter.manifest().name;
        assert!(manifest.contains(&format!("[[bin]]\nname = \"{name}\"\n")), "fuzz/Cargo.toml has no target {name}");
    }
}

fn each_store(mut check: impl FnMut(&Store) -> Result<(), TestCaseError>) -> Result<(), TestCaseError> {
    STORES.with(|stores| stores.iter().try_for_each(&mut check))
}

/// Cuts every value of every key-value table at `part`, and changes the byte before the cut.
fn damage_rows(file: &Path, part: f64, mask: u8) -> rusqlite::Result<()> {
    let c = Connection::open(file)?;
    let mut names = c.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'")?;
    let tables: Vec<String> = names.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
    for table in tables {
        let Ok(mut select) = c.prepare(&format!("SELECT rowid, CAST(value AS BLOB) FROM \"{table}\"")) else {
            continue;
        };
        let rows: Vec<(i64, Option<Vec<u8>>)> =
            select.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<Result<_, _>>()?;
        for (id, value) in rows {
            let Some(mut value) = value else { continue };
            value.truncate((value.len() as f64 * part) as usize);
            if let Some(last) = value.last_mut() {
                *last ^= mask;
            }
            c.execute(&format!("UPDATE \"{table}\" SET value = ?2 WHERE rowid = ?1"), (id, value))?;
        }
    }
    Ok(())
}
