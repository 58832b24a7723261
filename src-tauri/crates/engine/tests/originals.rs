//! Originals: what the library kept of every source's stores gives the same conversations again, row for
//! row, when the stores are gone; growth costs what grew.
#![allow(clippy::unwrap_used, missing_docs)]

mod support;

use assay_engine::dto::{LibraryQuery, RetentionChoice, Settings};
use assay_engine::{Clock, Engine, EngineOptions, ImportOptions, Platform, ReparseOptions, Roots, registry};
use assay_library::{Filter, Reader};
use pretty_assertions::assert_eq;
use rusqlite::Connection;
use std::collections::BTreeSet;
use std::path::Path;
use support::{BEGIN, DAY, Fake, Faults, Place, told};

/// An engine with the real sources over a home folder.
fn real(place: &Place) -> Engine {
    Engine::open(EngineOptions {
        roots: Roots::new(place.home(), Platform::Linux),
        library: place.library(),
        registry: registry(),
        clock: Clock::of(|| i64::MAX / 2),
        sample: false,
    })
}

fn import(engine: &Engine) -> Vec<String> {
    told(&engine.import(&ImportOptions::default(), &|_| ()).unwrap())
}

fn reparse(engine: &Engine) -> Vec<String> {
    told(&engine.reparse(&ReparseOptions::default(), &|_| ()).unwrap())
}

/// Makes the library look as if an earlier parser had read it, badly.
fn as_an_earlier_parser_read_it(library: &Path) {
    let db = Connection::open(library).unwrap();
    db.execute_batch(
        "UPDATE conversation SET parser_version = 'earlier@0', full_hash = zeroblob(32), content_hash = zeroblob(32),
             rest_hash = zeroblob(32), title = 'bad', verdict = 'degraded', summary = '{}', links = '[]', messages = 1;
         DELETE FROM ledger_entry; DELETE FROM notice; DELETE FROM conversation_reason;
         DELETE FROM message WHERE seq > 0; UPDATE message SET content = 'bad', thinking = 'bad'",
    )
    .unwrap();
}

#[test]
fn every_fixture_of_every_source_is_read_again_row_for_row_when_its_store_is_gone() {
    let mut read = 0;
    for adapter in registry().iter() {
        let source = adapter.manifest().name;
        for case in assay_sources::fixtures::cases(source).unwrap() {
            let place = Place::new();
            std::fs::create_dir_all(place.home()).unwrap();
            case.lay_out(&place.home()).unwrap();
            let engine = real(&place);
            import(&engine);
            let fresh = place.dump();
            std::fs::remove_dir_all(place.home()).unwrap();
            std::fs::create_dir_all(place.home()).unwrap();
            as_an_earlier_parser_read_it(&place.library());
            let again = reparse(&engine);
            assert!(again.iter().all(|t| t.ends_with("reparsed replaced")), "{source}/{}: {again:?}", case.name);
            assert_eq!(place.dump(), fresh, "{source}/{}", case.name);
            read += again.len();
        }
    }
    assert!(read > 100, "{read} conversations");
}

#[test]
fn a_record_of_the_library_is_shown_when_its_store_is_gone_or_says_something_else() {
    let place = Place::new();
    std::fs::create_dir_all(place.home()).unwrap();
    assay_sources::fixtures::lay_out_sample(&place.home()).unwrap();
    let engine = real(&place);
    import(&engine);
    let rows = engine.kept(&LibraryQuery { limit: 100, ..LibraryQuery::default() }).unwrap().rows;
    let mut shown = Vec::new();
    let look = |rows: &[assay_engine::dto::LibraryRow]| -> Vec<(String, String)> {
        rows.iter()
            .map(|row| (row.key.clone(), engine.record(&row.key, RetentionChoice::Full, 0).unwrap().text))
            .collect()
    };
    shown.extend(look(&rows));
    assert!(shown.len() >= 5 && shown.iter().any(|(_, text)| !text.is_empty()), "{shown:?}");
    std::fs::remove_dir_all(place.home()).unwrap();
    std::fs::create_dir_all(place.home()).unwrap();
    assert_eq!(look(&rows), shown);
}

#[test]
fn a_raised_parser_version_reads_again_what_its_source_no_longer_has() {
    let place = Place::new();
    let gone = place.write("fake", "gone", "u hello\na hi there\n", 9);
    place.write("fake", "here", "u hello\na hi there\n", 9);
    place.import(&[Fake::leak("fake", Faults::default())]);
    std::fs::remove_file(gone).unwrap();
    let version = |v| Fake::leak("fake", Faults { reported_version: Some(v), ..Faults::default() });
    let later = place.import(&[version("fake@2")]);
    assert_eq!(told(&later), ["fake gone reparsed metadata-updated", "fake here read metadata-updated"]);
    let list = place.reader().list(&Filter::default(), Default::default(), false, 0, 9).unwrap().rows;
    let versions: BTreeSet<_> = list.iter().map(|l| l.parser_version.as_str()).collect();
    assert_eq!(versions, BTreeSet::from(["fake@2"]));
    assert!(list[0].gone_since.is_some(), "it is gone all the same");
    assert_eq!(told(&place.import(&[version("fake@2")])), ["fake here unchanged-metadata -"]);
}

#[test]
fn originals_can_be_switched_off_and_on_again() {
    let place = Place::new();
    place.write("fake", "one", "u hello\na hi there\n", 9);
    let engine = place.engine(&[Fake::leak("fake", Faults::default())]);
    engine.save_settings(Settings { keep_originals: false, ..Settings::default() }).unwrap();
    assert_eq!(import(&engine), ["fake one read inserted"]);
    assert_eq!(place.reader().originals().unwrap().conversations, 0);
    assert_eq!(reparse(&engine), ["fake one no-original -"]);
    assert_eq!(import(&engine), ["fake one unchanged-metadata -"]);
    engine.save_settings(Settings::default()).unwrap();
    assert_eq!(import(&engine), ["fake one read metadata-updated"], "read once more, for its bytes");
    assert_eq!(place.reader().originals().unwrap().conversations, 1);
    assert_eq!(import(&engine), ["fake one unchanged-metadata -"]);
    engine.save_settings(Settings { keep_originals: false, ..Settings::default() }).unwrap();
    place.write("fake", "one", "u hello\na hi there\nu more\n", 8);
    assert_eq!(import(&engine), ["fake one read grown"]);
    let left = place.reader().originals().unwrap();
    assert_eq!((left.conversations, left.stored), (0, 0), "an earlier state would be worse than none");
}

#[test]
fn growth_costs_what_grew_and_leaves_nothing_behind() {
    let place = Place::new();
    let mut text = String::new();
    let mut seed = 7_u64;
    while text.len() < 6 << 20 {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let words: Vec<_> = (1..200).map(|n| format!("{:x}", seed.rotate_left(n) ^ (u64::from(n) * 977))).collect();
        text.push_str(&format!("u {}\n", words.join(" ")));
    }
    place.write("fake", "one", &text, 9);
    place.import(&[Fake::leak("fake", Faults::default())]);
    let pieces = || {
        let db = Connection::open(place.library()).unwrap();
        let mut all = db.prepare("SELECT piece FROM piece").unwrap();
        all.query_map([], |r| r.get::<_, i64>(0)).unwrap().map(Result::unwrap).collect::<BTreeSet<_>>()
    };
    let (before, size) = (pieces(), place.reader().originals().unwrap());
    assert!(before.len() > 10 && size.stored < size.bytes, "{size:?}");
    text.push_str("a one more\n");
    place.write("fake", "one", &text, 8);
    place.import(&[Fake::leak("fake", Faults::default())]);
    let (after, size) = (pieces(), place.reader().originals().unwrap());
    assert!(after.difference(&before).count() <= 2, "only the last piece is new");
    assert_eq!((size.loose, size.bytes), (0, text.len() as u64), "what it replaced is gone");
    let engine = place.engine(&[Fake::leak("fake", Faults::default())]);
    engine.purge(&["fake/one".to_owned()]).unwrap();
    assert!(pieces().is_empty(), "what is purged leaves no bytes");
}

#[test]
fn what_two_conversations_share_is_kept_once_and_stays_while_one_has_it() {
    let place = Place::new();
    let text = "u the same words\na again\n".repeat(20_000);
    place.write("fake", "one", &text, 9);
    place.write("fake", "two", &text, 9);
    let engine = place.engine(&[Fake::leak("fake", Faults::default())]);
    import(&engine);
    let before = place.reader().originals().unwrap();
    assert_eq!(before.bytes, 2 * text.len() as u64);
    engine.purge(&["fake/one".to_owned()]).unwrap();
    assert_eq!(place.reader().originals().unwrap().stored, before.stored);
    assert_eq!(reparse(&engine), ["fake two reparsed unchanged"]);
}

#[test]
fn a_damaged_original_is_told_and_what_the_library_has_stays() {
    let place = Place::new();
    place.write("fake", "one", "u hello\na hi there\n", 9);
    let engine = place.engine(&[Fake::leak("fake", Faults::default())]);
    import(&engine);
    let before = place.dump();
    let db = Connection::open(place.library()).unwrap();
    db.execute_batch("UPDATE piece SET hash = zeroblob(32)").unwrap();
    drop(db);
    let again = engine.reparse(&ReparseOptions::default(), &|_| ()).unwrap();
    assert_eq!((told(&again), again.failures[0].code.as_str()), (vec!["fake one blocked -".to_owned()], "damaged"));
    assert_eq!(place.dump(), before);
}

#[test]
fn the_time_of_a_reading_again_is_that_of_the_first_so_that_nothing_is_read_twice() {
    let place = Place::new();
    place.write("fake", "one", "u hello\na hi there\n", 9);
    let engine = place.engine(&[Fake::leak("fake", Faults::default())]);
    import(&engine);
    let read_at = || {
        let reader = Reader::open(&place.library()).unwrap().unwrap();
        reader.known("fake").unwrap()["one"].read_at
    };
    let first = read_at();
    place.now.store(BEGIN + 9 * DAY, std::sync::atomic::Ordering::SeqCst);
    as_an_earlier_parser_read_it(&place.library());
    reparse(&engine);
    assert_eq!(read_at(), first);
}

#[test]
fn what_a_tool_takes_back_is_kept_read_again_and_found() {
    let place = Place::new();
    let write = |text: &str, hour| place.write("fake", "one", text, hour);
    let import = |version| {
        let fake = Fake::leak("fake", Faults { reported_version: version, ..Faults::default() });
        let imported = place.import(&[fake]);
        let reasons: Vec<_> = imported.outcomes.iter().filter_map(|o| o.reason.clone()).collect();
        (told(&imported), reasons)
    };
    write("u hello\na hi there\nu forget it\na gladly\n", 9);
    import(None);
    write("u hello\na hi there\n", 8);
    let cut = import(None);
    assert_eq!(cut, (vec!["fake one read replaced".to_owned()], vec!["earlier-state-kept".to_owned()]));
    assert_eq!(import(None).0, ["fake one unchanged-metadata -"]);
    write("u hello\na hi there\nu go on\n", 7);
    assert_eq!(import(None).0, ["fake one read grown"]);

    let reader = place.reader();
    let list =
        |earlier| reader.list(&Filter { earlier, ..Filter::default() }, Default::default(), false, 0, 9).unwrap();
    let (now, before) = (list(false).rows.remove(0), list(true).rows.remove(0));
    assert_eq!((now.id.as_str(), now.messages, now.earlier, before.messages), ("one", 3, 1, 4));
    // Its own bytes are there, and a later parser reads them.
    let later = import(Some("fake@2")).0;
    let own = format!("fake {} reparsed metadata-updated", before.id);
    assert_eq!(later, ["fake one read metadata-updated".to_owned(), own]);
    let reader = place.reader();
    let again = reader.earlier(now.key).unwrap().remove(0);
    assert_eq!((again.messages, again.parser_version.as_str(), again.links), (4, "fake@2", before.links));
    let engine = place.engine(&[Fake::leak("fake", Faults::default())]);
    let key = engine.kept(&LibraryQuery { limit: 9, ..LibraryQuery::default() }).unwrap().rows.remove(0).key;
    let linked = |key: &str| {
        let links = engine.inspect(key, RetentionChoice::Full).unwrap().links;
        links.into_iter().map(|l| (l.relation, l.key)).collect::<Vec<_>>()
    };
    let earlier = linked(&key);
    assert_eq!(earlier.iter().map(|l| &*l.0).collect::<Vec<_>>(), ["has-earlier-state"]);
    assert_eq!(linked(&earlier[0].1), [("earlier-state".to_owned(), key)]);
}
