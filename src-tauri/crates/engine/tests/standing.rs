//! Pins, labels and deletions outlive every import; what is deleted is seen nowhere and can be brought back.
#![allow(clippy::unwrap_used, missing_docs)]

mod support;

use assay_engine::{Engine, Filter, Format, ImportOptions, PreviewRequest, SearchFilter};
use assay_library::Library;
use pretty_assertions::assert_eq;
use support::{Fake, Faults, Place, told};

fn engine(place: &Place) -> Engine {
    place.engine(&[Fake::leak("fake", Faults::default())])
}

fn list(engine: &Engine, filter: Filter) -> Vec<String> {
    let rows = engine.list(&[], &filter).unwrap();
    rows.iter().map(|l| format!("{} {} [{}]", l.id, l.pinned_at.is_some(), l.labels.join(", "))).collect()
}

fn keys(ids: &[&str]) -> Vec<String> {
    ids.iter().map(|id| format!("fake/{id}")).collect()
}

fn strings(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|t| (*t).to_owned()).collect()
}

/// Two conversations of two messages.
fn imported() -> (Place, Engine) {
    let place = Place::new();
    for id in ["one", "two"] {
        place.write("fake", id, "u hello\na hi there\n", 9);
    }
    let engine = engine(&place);
    engine.import(&ImportOptions::default(), &|_| ()).unwrap();
    (place, engine)
}

#[test]
fn labels_and_pins_survive_growth_replacement_and_a_new_parser() {
    let (place, engine) = imported();
    engine.set_pin(&keys(&["one"]), true).unwrap();
    engine.relabel(&keys(&["one", "two"]), &strings(&["keep", " for  later "]), &[]).unwrap();
    engine.relabel(&keys(&["two"]), &strings(&["Keep"]), &strings(&["FOR LATER"])).unwrap();
    let said = ["one true [for later, keep]", "two false [keep]"];
    assert_eq!(list(&engine, Filter::default()), said);
    place.write("fake", "one", "u hello\na hi there\nu and more\na much more\n", 8);
    place.write("fake", "two", "u something\na else\n", 8);
    let import = place.import(&[Fake::leak("fake", Faults::default())]);
    assert_eq!(told(&import), ["fake one read grown", "fake two read replaced"]);
    assert_eq!(list(&engine, Filter::default()), said);
    place.import(&[Fake::leak("fake", Faults { reported_version: Some("fake@2"), ..Faults::default() })]);
    assert_eq!(list(&engine, Filter::default()), said);

    let only = |filter: Filter| list(&engine, filter).iter().map(|l| l[..3].to_owned()).collect::<Vec<_>>();
    assert_eq!(only(Filter { pinned: true, ..Filter::default() }), ["one"]);
    assert_eq!(only(Filter { label: Some("For Later".into()), ..Filter::default() }), ["one"]);
    let counts: Vec<_> = engine.labels().unwrap().into_iter().map(|c| (c.code, c.count)).collect();
    assert_eq!(counts, [("for later".to_owned(), 1), ("keep".to_owned(), 2)]);
    // Letter case is that of every script.
    engine.relabel(&keys(&["one", "two"]), &strings(&["Ärger"]), &[]).unwrap();
    engine.relabel(&keys(&["one"]), &strings(&["äRGER"]), &[]).unwrap();
    engine.relabel(&keys(&["two"]), &[], &strings(&["ÄRGER"])).unwrap();
    assert_eq!(only(Filter { label: Some("ärger".into()), ..Filter::default() }), ["one"]);
    let counts: Vec<_> = engine.labels().unwrap().into_iter().map(|c| (c.code, c.count)).collect();
    assert!(counts.contains(&("Ärger".to_owned(), 1)), "{counts:?}");
    engine.set_labels("fake/one", &strings(&["other"])).unwrap();
    engine.set_pin(&keys(&["one"]), false).unwrap();
    assert_eq!(list(&engine, Filter::default()), ["one false [other]", "two false [keep]"]);
    assert_eq!(engine.set_labels("fake/one", &strings(&[" "])).unwrap_err().code, "not-a-label");
}

#[test]
fn of_a_change_that_cannot_be_done_nothing_is_done() {
    let (_place, engine) = imported();
    let error = engine.set_pin(&keys(&["one", "nobody"]), true).unwrap_err();
    assert_eq!(error.code, "no-such-conversation");
    assert_eq!(list(&engine, Filter::default()), ["one false []", "two false []"]);
}

#[test]
fn what_is_deleted_is_seen_nowhere_stays_out_and_comes_back_as_it_was() {
    let (place, engine) = imported();
    engine.index(&|_| ()).unwrap();
    engine.relabel(&keys(&["one"]), &strings(&["keep"]), &[]).unwrap();
    let before = place.dump();
    engine.delete(&keys(&["one"])).unwrap();
    let found = || engine.search(&[], "hello", &SearchFilter::default(), 9).unwrap().hits.len();
    assert_eq!((list(&engine, Filter::default()), found()), (strings(&["two false []"]), 1));
    let told_of = |engine: &Engine| (engine.state().library.conversations, engine.state().library.deleted);
    assert_eq!(told_of(&engine), (1, 1), "a library of deleted conversations is not an empty one");
    assert_eq!(engine.labels().unwrap().len(), 0);
    assert_eq!(engine.export(&strings(&["fake:one"]), Format::Markdown, None).err().unwrap().code, "deleted");

    place.write("fake", "one", "u hello\na hi there\nu more\na more\n", 8);
    engine.preview(&PreviewRequest::default(), &|_| ()).unwrap();
    let plan = engine.plan().sources.remove(0);
    assert!(plan.skipped.iter().any(|c| c.code == "deleted" && c.count == 1), "{plan:?}");
    let import = engine.import(&ImportOptions::default(), &|_| ()).unwrap();
    assert_eq!(told(&import), ["fake one deleted -", "fake two unchanged-metadata -"]);
    assert_eq!(list(&engine, Filter { deleted: true, ..Filter::default() }), ["one false [keep]"]);

    engine.restore(&keys(&["one"])).unwrap();
    assert_eq!((place.dump(), found()), (before, 2));
    let import = engine.import(&ImportOptions::default(), &|_| ()).unwrap();
    assert_eq!(told(&import)[0], "fake one read grown");
}

#[test]
fn a_library_of_an_earlier_version_is_said_to_be_one_and_not_to_be_empty() {
    let (place, engine) = imported();
    let db = rusqlite::Connection::open(place.library()).unwrap();
    let version: i64 = db.query_row("PRAGMA user_version", [], |r| r.get(0)).unwrap();
    db.pragma_update(None, "user_version", version - 1).unwrap();
    let library = engine.state().library;
    assert!(library.older && library.fault.is_none(), "{library:?}");
    db.pragma_update(None, "user_version", version).unwrap();
    assert_eq!((engine.state().library.older, engine.state().library.conversations), (false, 2));
}

#[test]
fn what_is_purged_is_gone_from_the_file_and_stays_out_until_it_is_let_in() {
    let (place, engine) = imported();
    engine.index(&|_| ()).unwrap();
    engine.relabel(&keys(&["one"]), &strings(&["keep"]), &[]).unwrap();
    engine.purge(&keys(&["one"])).unwrap();
    for table in ["conversation", "message", "ledger_entry", "label", "conversation_reason", "message_fts_docsize"] {
        let db = rusqlite::Connection::open(place.library()).unwrap();
        let rows: i64 = db.query_row(&format!("SELECT count(*) FROM {table}"), [], |r| r.get(0)).unwrap();
        let kept = if table == "conversation" || table == "ledger_entry" { 1 } else { rows.min(2) };
        assert_eq!(rows, kept, "{table}");
    }
    let import = engine.import(&ImportOptions::default(), &|_| ()).unwrap();
    assert_eq!(told(&import)[0], "fake one deleted -");
    assert_eq!(engine.purged().unwrap().len(), 1);
    assert_eq!(engine.keys(&strings(&["fake:one"])).unwrap(), keys(&["one"]));
    engine.restore(&keys(&["one"])).unwrap();
    let import = engine.import(&ImportOptions::default(), &|_| ()).unwrap();
    assert_eq!(told(&import)[0], "fake one read inserted");
    assert_eq!(engine.restore(&keys(&["nobody"])).unwrap_err().code, "no-such-conversation");
}

#[test]
fn no_bytes_of_what_is_purged_are_left_in_the_file_or_beside_it() {
    let place = Place::new();
    place.write(
        "fake",
        "one",
        &format!("u the secretheading of it\na a longish reply{}\n", " of wordsalone".repeat(900)),
        9,
    );
    place.write("fake", "two", "u hello\na hi there\n", 9);
    let engine = engine(&place);
    engine.import(&ImportOptions::default(), &|_| ()).unwrap();
    let left = |what: &str| {
        let files = std::fs::read_dir(place.library().parent().unwrap()).unwrap();
        let all: Vec<u8> = files
            .map(|e| e.unwrap().path())
            .filter(|p| p.file_name().unwrap().to_string_lossy().starts_with("library.db"))
            .flat_map(|p| std::fs::read(p).unwrap())
            .collect();
        all.windows(what.len()).any(|w| w == what.as_bytes())
    };
    assert!(left("the secretheading of it"));
    engine.index(&|_| ()).unwrap();
    engine.purge(&keys(&["one"])).unwrap();
    for text in ["the secretheading", "a longish reply", "of wordsalone of"] {
        assert!(!left(text), "{text}");
    }
    engine.import(&ImportOptions::default(), &|_| ()).unwrap();
    assert!(!left("the secretheading"), "an import that leaves it out does not name it");
    engine.vacuum(&|_| ()).unwrap();
    assert!(!left("secretheading") && !left("wordsalone"), "nor a word of it");
    assert_eq!(list(&engine, Filter::default()), ["two false []"]);
}

#[test]
fn without_a_library_none_is_made_and_in_use_is_said() {
    let empty = Place::new();
    assert_eq!(engine(&empty).set_pin(&keys(&["one"]), true).unwrap_err().code, "no-library");
    assert!(!empty.library().exists());
    let (place, engine) = imported();
    let _writer = Library::open(&place.library()).unwrap();
    assert_eq!(engine.delete(&keys(&["one"])).unwrap_err().code, "in-use");
}

#[test]
fn a_library_of_an_earlier_version_is_brought_up_when_it_is_first_read() {
    let (place, engine) = imported();
    let db = rusqlite::Connection::open(place.library()).unwrap();
    let later = ["standing", "label", "tombstone", "original_piece", "original", "piece"];
    db.execute_batch("DELETE FROM unindexed").unwrap();
    later.iter().for_each(|table| db.execute_batch(&format!("DROP TABLE {table}")).unwrap());
    db.execute_batch(
        "DROP INDEX conversation_earlier; ALTER TABLE conversation DROP COLUMN earlier_of;
         DROP INDEX conversation_copies; ALTER TABLE conversation DROP COLUMN copy_of",
    )
    .unwrap();
    db.pragma_update(None, "user_version", 6).unwrap();
    drop(db);
    assert!(engine.state().library.fault.is_none());
    assert_eq!(list(&engine, Filter::default()).len(), 2);
    assert!(place.library().with_file_name("library.db.v6.backup").exists(), "after a copy");
}
