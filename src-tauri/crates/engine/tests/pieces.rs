//! Importing a store in pieces, wherever it is cut, ends in the same library as importing it at once, row for
//! row: over every fixture of every source, files cut at any byte and databases at any row.
#![allow(clippy::unwrap_used, missing_docs)]

mod support;

use assay_engine::{Clock, Engine, EngineOptions, ImportOptions, Platform, Roots, registry};
use pretty_assertions::assert_eq;
use rusqlite::Connection;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicI64, Ordering};
use support::{BEGIN, DAY, Place};

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.path().is_dir() { all.extend(files(&entry.path())) } else { all.push(entry.path()) }
    }
    all.sort();
    all
}

fn is_database(file: &Path) -> bool {
    std::fs::read(file).is_ok_and(|bytes| bytes.starts_with(b"SQLite format 3"))
}

/// Leaves of a database the first `share` of each table's rows, in thousandths.
fn cut_rows(file: &Path, share: u64) {
    let db = Connection::open(file).unwrap();
    // A damaged one stays as it is.
    let Ok(mut tables) = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE '%value%'")
    else {
        return;
    };
    let tables: Vec<String> = tables.query_map([], |r| r.get(0)).unwrap().map(Result::unwrap).collect();
    for table in tables {
        let rows: u64 =
            db.query_row(&format!("SELECT count(*) FROM \"{table}\""), [], |r| r.get::<_, i64>(0)).unwrap() as u64;
        let left = rows * share / 1000;
        db.execute_batch(&format!(
            "DELETE FROM \"{table}\" WHERE rowid NOT IN (SELECT rowid FROM \"{table}\" ORDER BY rowid LIMIT {left})"
        ))
        .unwrap();
    }
}

/// Lays the first `share` of a finished store out as a home, in thousandths; all files as old as `time` says.
fn lay_out(from: &Path, to: &Path, share: u64, time: i64, place: &Place) {
    let _ = std::fs::remove_dir_all(to);
    std::fs::create_dir_all(to).unwrap();
    for file in files(from) {
        let target = to.join(file.strip_prefix(from).unwrap());
        std::fs::create_dir_all(target.parent().unwrap()).unwrap();
        if is_database(&file) {
            std::fs::copy(&file, &target).unwrap();
            if share < 1000 {
                cut_rows(&target, share);
            }
        } else {
            let bytes = std::fs::read(&file).unwrap();
            std::fs::write(&target, &bytes[..(bytes.len() as u64 * share / 1000) as usize]).unwrap();
        }
        place.touch(&target, time);
    }
}

fn import(place: &Place, now: i64) {
    static TICK: AtomicI64 = AtomicI64::new(0);
    let tick = TICK.fetch_add(1, Ordering::SeqCst);
    let engine = Engine::open(EngineOptions {
        roots: Roots::new(place.home(), Platform::Linux),
        library: place.library(),
        registry: registry(),
        clock: Clock::of(move || now + tick),
        sample: false,
    });
    engine.import(&ImportOptions::default(), &|_| ()).unwrap();
}

/// What the library holds of conversations that their source still has, each under its name.
fn dump(place: &Place, home: &str) -> Vec<String> {
    let all = place.dump();
    let (mut one, mut out) = (String::new(), Vec::new());
    for line in all.lines().chain(["Stored {"]) {
        if line == "Stored {" && !one.is_empty() {
            out.push(std::mem::take(&mut one));
        }
        one.push_str(&line.replace(home, "~"));
        one.push('\n');
    }
    // What only a cut store had under that id is marked as gone; nothing else may differ.
    out.retain(|text| text.contains("gone_since: None"));
    out.sort();
    out
}

#[test]
fn importing_in_pieces_equals_importing_at_once_over_every_source() {
    let mut seed = 20_261_130_u64;
    let mut below = |n: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % n
    };
    let mut checked = 0;
    for adapter in registry().iter() {
        let source = adapter.manifest().name;
        for case in assay_sources::fixtures::cases(source).unwrap() {
            let whole = tempfile::tempdir().unwrap();
            case.lay_out(whole.path()).unwrap();
            let (pieces, once) = (Place::new(), Place::new());
            let mut cuts = [below(1000), below(1000)];
            cuts.sort_unstable();
            for (n, share) in cuts.into_iter().chain([1000]).enumerate() {
                // Each state is a day later, and a minute old when it is read: nothing is being written.
                let time = BEGIN + n as i64 * DAY;
                lay_out(whole.path(), &pieces.home(), share, time, &pieces);
                import(&pieces, time + DAY / 2);
            }
            lay_out(whole.path(), &once.home(), 1000, BEGIN + 2 * DAY, &once);
            import(&once, BEGIN + 2 * DAY + DAY / 2);
            let homes = [pieces.home(), once.home()].map(|h| h.to_string_lossy().into_owned());
            let (grown, fresh) = (dump(&pieces, &homes[0]), dump(&once, &homes[1]));
            assert_eq!(grown, fresh, "{source}/{} cut at {cuts:?}", case.name);
            checked += fresh.len();
        }
    }
    assert!(checked > 100, "{checked} conversations");
}
