//! Watching imports what is new and changed as it settles, and nothing else, until it is stopped.
#![allow(clippy::unwrap_used, missing_docs)]

mod support;

use assay_engine::WatchOptions;
use std::sync::atomic::Ordering;
use std::time::Duration;
use support::{BEGIN, DAY, Fake, Faults, Place, told};

fn often() -> WatchOptions {
    WatchOptions { every: Duration::from_millis(5), settled: Duration::from_secs(5), ..WatchOptions::default() }
}

#[test]
fn what_settles_is_imported_and_nothing_else_is_recorded() {
    let place = Place::new();
    place.write("fake", "old", "u hello\na hi there\n", 9);
    place.write("fake", "short", "u hello\n", 9);
    // Written a second ago, and perhaps not to its end.
    let fresh = place.write("fake", "fresh", "u hel", 0);
    let engine = place.engine(&[Fake::leak("fake", Faults::default())]);
    let mut heard = Vec::new();
    engine
        .watch(&often(), &|_| (), &mut |imported| {
            heard.push(told(&imported.unwrap()));
            if heard.len() == 1 {
                std::fs::write(&fresh, "u hello\na hi there\n").unwrap();
                place.touch(&fresh, BEGIN + 1);
                place.now.store(BEGIN + DAY, Ordering::SeqCst);
            } else {
                engine.cancel();
            }
            true
        })
        .unwrap();
    assert_eq!(heard[0], ["fake old read inserted", "fake short fewer-than-two-messages -"]);
    assert_eq!(heard[1..], [["fake fresh read inserted"]], "what was tried is not tried again");
    assert_eq!(place.reader().runs(9).unwrap().len(), 2, "a look that finds nothing leaves no record");
}

#[test]
fn a_library_that_goes_or_becomes_another_stops_it_and_none_is_begun_in_its_place() {
    let gone = |place: &Place| std::fs::rename(place.library(), place.folder.path().join("moved.db")).unwrap();
    let newer = |place: &Place| {
        let db = rusqlite::Connection::open(place.library()).unwrap();
        db.pragma_update(None, "user_version", 9_999).unwrap();
    };
    for (change, code) in [(&gone as &dyn Fn(&Place), "library-gone"), (&newer, "newer")] {
        let place = Place::new();
        place.write("fake", "one", "u hello\na hi there\n", 9);
        let engine = place.engine(&[Fake::leak("fake", Faults::default())]);
        let ended = engine.watch(&often(), &|_| (), &mut |imported| {
            assert_eq!(told(&imported.unwrap()), ["fake one read inserted"]);
            change(&place);
            place.write("fake", "two", "u hello\na hi there\n", 9);
            true
        });
        assert_eq!(ended.unwrap_err().code, code);
        assert_eq!(place.library().exists(), code == "newer", "nothing was begun in its place");
    }
}
