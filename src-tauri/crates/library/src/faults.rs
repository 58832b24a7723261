//! A disk that is full at any point of anything that writes: what happened before is there, what was under way is
//! there whole or not at all, and once there is room everything goes on to the same end.

#[path = "../tests/support/mod.rs"]
mod support;

use crate::{Error, Library, Original, Reader};
use assay_model::hash;
use assay_model::{MessageType, Timestamp};
use std::collections::{BTreeSet, HashSet};
use std::path::Path;
use support::{Line, Parsed, dump, moment, said, talk};

/// Something that writes.
type Step = fn(&mut Library) -> Result<(), Error>;

fn store(library: &mut Library, id: &str, messages: usize) -> Result<(), Error> {
    library.store(&parsed(id, messages).incoming()).map(|_| ())
}

/// Talk with a long text in it, and its own bytes.
fn parsed(id: &str, messages: usize) -> Parsed {
    let mut lines = talk(messages);
    lines.push(Line { at: Some(0), ..said(MessageType::User, &format!("{id} is long. ").repeat(messages * 400)) });
    let mut parsed = Parsed::of("fake", id, &lines);
    let bytes: String = lines.iter().map(|line| line.text.as_str()).collect();
    let mut original = Original::new(serde_json::json!({"of": id}));
    original.add(bytes.as_bytes(), &HashSet::new()).unwrap();
    parsed.original = Some(original);
    parsed
}

fn key(library: &Library, id: &str) -> Option<i64> {
    library.known("fake").ok()?.get(id).map(|known| known.key)
}

fn all_at_once(library: &mut Library, at: Timestamp) -> Result<(), Error> {
    let run = library.begin_run(at)?;
    library.finish_run(run, at, false, &serde_json::json!({"done": "well ".repeat(900)}))
}

/// Everything that writes, in an order in which each has something to do.
const STEPS: &[Step] = &[
    |library| store(library, "a", 5),
    |library| store(library, "b", 9),
    |library| store(library, "a", 12),
    |library| {
        let Some(key) = key(library, "a") else { return Ok(()) };
        let mut group = library.group()?;
        group.set_pin(key, Some(moment(1)))?;
        group.relabel(key, &BTreeSet::from(["good".to_owned()]), &BTreeSet::new())?;
        group.commit()
    },
    |library| library.index(&mut |_| true).map(|_| ()),
    |library| store(library, "a", 3),
    |library| {
        let Some(key) = key(library, "b") else { return Ok(()) };
        let mut group = library.group()?;
        group.set_deleted(key, Some(moment(2)))?;
        group.commit()
    },
    |library| store(library, "c", 7),
    |library| {
        let Some(key) = key(library, "c") else { return Ok(()) };
        let mut group = library.group()?;
        group.purge(key, moment(3))?;
        group.commit()
    },
    |library| library.index(&mut |_| true).map(|_| ()),
    |library| all_at_once(library, moment(4)),
    Library::tidy,
];

/// So many pages may the file have; all that it wants for `None`.
fn limit(library: &Library, pages: Option<i64>) -> i64 {
    let set = format!("PRAGMA max_page_count = {}", pages.unwrap_or(4_294_967_294));
    library.connection().query_row(&set, [], |row| row.get(0)).unwrap()
}

fn pages(library: &Library) -> i64 {
    library.connection().pragma_query_value(None, "page_count", |row| row.get(0)).unwrap()
}

fn is_sound(path: &Path) {
    let reader = Reader::open(path).unwrap().unwrap();
    let wrong: Vec<_> = reader.check().unwrap().into_iter().filter(|f| f.wrong && f.code != "loose-pieces").collect();
    assert!(wrong.is_empty(), "{wrong:?}");
    for known in reader.known("fake").unwrap().values() {
        let stored = reader.show(known.key).unwrap().unwrap();
        let conversation = reader.conversation(&stored).unwrap();
        let id = conversation.id.split('@').next().unwrap();
        let whole = parsed(id, known.messages as usize - 1);
        assert_eq!(conversation.messages, whole.conversation.messages, "as it was, or as it should be");
        assert_eq!(reader.ledger(&stored).unwrap(), whole.ledger);
        assert_eq!(hash::full_hash(&conversation), known.full_hash);
    }
}

#[test]
fn a_disk_that_fills_at_any_point_leaves_a_sound_library_that_goes_on_to_the_same_end() {
    let folder = tempfile::tempdir().unwrap();
    let mut library = Library::open(&folder.path().join("whole.db")).unwrap();
    let empty = pages(&library);
    let mut most = empty;
    for step in STEPS {
        step(&mut library).unwrap();
        most = most.max(pages(&library));
    }
    let whole = dump(library.path());
    let mut refused = 0;
    for room in (0..most - empty).step_by(3) {
        let path = folder.path().join(format!("{room}.db"));
        let mut library = Library::open(&path).unwrap();
        limit(&library, Some(empty + room));
        for step in STEPS {
            if let Err(error) = step(&mut library) {
                assert_eq!(error.code(), "disk-full", "{error}");
                refused += 1;
                is_sound(&path);
                limit(&library, None);
                step(&mut library).unwrap();
                limit(&library, Some(empty + room));
            }
        }
        is_sound(&path);
        assert_eq!(dump(&path), whole, "with room for {room} pages");
    }
    assert!(refused > 20, "{refused}");
}
