//! Indexing comes after an import, gives way to everything else, and what is not indexed is said.
#![allow(clippy::unwrap_used, missing_docs)]

mod support;

use assay_engine::{Engine, ImportOptions, SearchFilter};
use assay_library::Library;
use std::sync::Once;
use std::time::Duration;
use support::{Fake, Faults, Place, done};

/// A place with three conversations of two messages each in its library, and an engine over it.
fn imported() -> (Place, Engine) {
    let place = Place::new();
    for id in ["one", "two", "three"] {
        place.write("fake", id, "u hello\na hi there\n", 9);
    }
    let engine = place.engine(&[Fake::leak("fake", Faults::default())]);
    engine.import(&ImportOptions::default(), &|_| ()).unwrap();
    (place, engine)
}

/// How many messages say hello, and how many were not searched.
fn hellos(engine: &Engine) -> (usize, u64) {
    let found = engine.search(&[], "hello", &SearchFilter::default(), 10).unwrap();
    (found.hits.len(), found.unindexed)
}

#[test]
fn an_import_is_found_after_indexing_and_a_search_says_so_before() {
    let (place, engine) = imported();
    assert_eq!(hellos(&engine), (0, 6));
    let told = std::sync::Mutex::new(0);
    let left = engine.index(&|p| {
        let mut most = told.lock().unwrap();
        *most = done(&p).max(*most);
    });
    assert_eq!((left.unwrap(), *told.lock().unwrap()), (0, 6));
    assert_eq!(hellos(&engine), (3, 0));
    let writer = Library::open(&place.library()).unwrap();
    assert_eq!(engine.index(&|_| ()).unwrap(), 0, "nothing to do needs no writer");
    drop(writer);
}

#[test]
fn a_library_in_use_is_searched_as_far_as_it_is_indexed() {
    let (place, engine) = imported();
    let writer = Library::open(&place.library()).unwrap();
    assert_eq!(engine.index(&|_| ()).unwrap_err().code, "in-use");
    assert_eq!(hellos(&engine), (0, 6));
    drop(writer);
    assert_eq!(engine.index(&|_| ()).unwrap(), 0);
}

#[test]
fn without_a_library_none_is_made() {
    let place = Place::new();
    assert_eq!(place.engine(&[]).index(&|_| ()).unwrap(), 0);
    assert!(!place.library().exists());
}

#[test]
fn it_can_be_cancelled_and_goes_on_later() {
    let (_place, engine) = imported();
    assert_eq!(engine.index(&|_| engine.cancel()).unwrap(), 6);
    assert_eq!(engine.index(&|_| ()).unwrap(), 0);
    assert_eq!(hellos(&engine), (3, 0));
}

#[test]
fn an_import_that_begins_meanwhile_is_neither_refused_nor_held_up() {
    let (place, engine) = imported();
    place.write("fake", "four", "u hello\na again\n", 9);
    let once = Once::new();
    std::thread::scope(|scope| {
        let engine = &engine;
        engine
            .index(&|_| {
                once.call_once(|| {
                    scope.spawn(|| engine.import(&ImportOptions::default(), &|_| ()).unwrap());
                    std::thread::sleep(Duration::from_millis(100));
                });
            })
            .unwrap();
    });
    assert_eq!(place.texts().len(), 8);
    assert_eq!(engine.index(&|_| ()).unwrap(), 0);
    assert_eq!(hellos(&engine), (4, 0));
}
