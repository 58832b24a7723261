//! The library as a window asks for it: lists, searches, places in a conversation, what leaves it.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use assay_engine::dto::{LibraryQuery, RetentionChoice};
use assay_engine::{Clock, Engine, Format, ImportOptions, Sample, registry};

const NOW: i64 = 1_796_029_200_000_000_000;

fn filled() -> (Engine, Sample) {
    let clock = Clock::of(|| NOW);
    let home = Sample::lay_out(&clock).unwrap();
    let engine = Engine::open(home.options(registry(), clock));
    assert!(engine.import(&ImportOptions::default(), &|_| ()).unwrap().failures.is_empty());
    (engine, home)
}

fn ask(text: &str) -> LibraryQuery {
    LibraryQuery { text: text.to_owned(), limit: 200, ..LibraryQuery::default() }
}

#[test]
fn a_hit_leads_to_the_message_that_it_is_in() {
    let (engine, _home) = filled();
    let before = engine.search_kept(&ask("the")).unwrap();
    assert!(before.rows.is_empty() && before.unindexed > 0, "what is not indexed is not found, and that is said");
    engine.index(&|_| ()).unwrap();
    let page = engine.search_kept(&ask("the ")).unwrap();
    assert!(!page.rows.is_empty() && page.unindexed == 0);
    for hit in &page.rows {
        let text: Vec<u16> = hit.text.encode_utf16().collect();
        for [start, end] in &hit.marks {
            let mark = String::from_utf16(&text[*start as usize..*end as usize]).unwrap();
            assert_eq!(mark.to_lowercase(), "the", "{}", hit.text);
        }
        let item = engine.locate(&hit.key, RetentionChoice::Full, hit.message).unwrap().unwrap();
        let item = &engine.timeline(&hit.key, RetentionChoice::Full, item, 1).unwrap()[0];
        let whole = engine.whole_text(&hit.key, RetentionChoice::Full, item.index).unwrap();
        let text = if hit.in_thinking { item.thinking.clone().unwrap() } else { whole };
        assert!(text.contains(hit.text.trim_matches('…')), "{}", hit.text);
        let places = engine.find_within(&hit.key, RetentionChoice::Full, "THE").unwrap();
        assert!(places.iter().any(|place| place.item == item.index), "{}", hit.text);
        // Under the published rules it is shown at its place, or not at all.
        if let Some(item) = engine.locate(&hit.key, RetentionChoice::Reference, hit.message).unwrap() {
            let item = &engine.timeline(&hit.key, RetentionChoice::Reference, item, 1).unwrap()[0];
            assert!(hit.reason.is_none() && item.at == hit.at, "{}", hit.text);
        }
    }
}

#[test]
fn a_move_that_was_killed_leaves_nothing_that_doctor_does_not_find() {
    let (engine, home) = filled();
    let library = engine.library().to_owned();
    let to = home.home().join("elsewhere/moved.db");
    std::fs::create_dir_all(to.parent().unwrap()).unwrap();
    // As a kill leaves it: the note beside the library, and half a copy in the other place.
    let note = library.with_file_name("library.db.moving");
    let parts = [".part", ".part-journal"].map(|ending| to.with_file_name(format!("moved.db{ending}")));
    std::fs::write(&note, to.to_string_lossy().as_bytes()).unwrap();
    parts.iter().for_each(|part| std::fs::write(part, "half").unwrap());
    let leftovers = || engine.doctor().into_iter().filter(|f| f.code == "leftover").count();
    assert_eq!(leftovers(), 3);
    engine.repair(&|_| ()).unwrap();
    assert_eq!(leftovers(), 0);
    assert!(!note.exists() && !parts.iter().any(|part| part.exists()));
    engine.move_library(&to, &|_| ()).unwrap();
    let names = |of: &std::path::Path| -> Vec<_> {
        std::fs::read_dir(of).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect()
    };
    assert_eq!(names(to.parent().unwrap()).iter().filter(|n| n.contains(".part")).count(), 0);
    assert!(to.exists() && !library.exists() && !note.exists());
}

#[test]
fn the_list_is_narrowed_by_every_filter() {
    let (engine, _home) = filled();
    let all = engine.kept(&ask("")).unwrap();
    assert!(all.total > 0 && all.rows.len() as u32 == all.total);
    let facets = engine.facets().unwrap();
    assert_eq!(facets.sources.iter().map(|s| s.count).sum::<u64>(), u64::from(all.total));
    for source in &facets.sources {
        let page = engine.kept(&LibraryQuery { source: Some(source.code.clone()), ..ask("") }).unwrap();
        assert_eq!(u64::from(page.total), source.count);
    }
    let lossy = engine.kept(&LibraryQuery { lossy: true, ..ask("") }).unwrap();
    assert!(lossy.total > 0 && lossy.rows.iter().all(|row| row.dropped + row.unknown > 0));
    let synthetic = engine.kept(&LibraryQuery { synthetic: true, ..ask("") }).unwrap();
    assert!(synthetic.total > 0 && synthetic.rows.iter().all(|row| row.synthetic > 0));
    assert_eq!(engine.kept(&LibraryQuery { gone: true, ..ask("") }).unwrap().total, 0);
    let history = engine.kept_history().unwrap();
    assert!(history.activity.iter().all(|a| facets.sources.iter().any(|s| s.code == a.code)));
    assert!(!history.activity.is_empty() && !history.losses.is_empty());
    let bad = engine.kept(&LibraryQuery { from: Some("yesterday".to_owned()), ..ask("") });
    assert_eq!(bad.unwrap_err().code, "bad-time");
}

#[test]
fn conversations_leave_as_a_document_that_says_what_is_not_in_it() {
    let (engine, home) = filled();
    let rows = engine.kept(&ask("")).unwrap().rows;
    let keys: Vec<String> = rows.iter().map(|row| row.key.clone()).collect();
    let folder = tempfile::tempdir().unwrap();
    for format in Format::ALL {
        let file = folder.path().join(format!("all.{}", format.extension()));
        let done = engine.export_kept(&keys, format, true, &file).unwrap();
        assert_eq!(done.conversations as usize + done.refused.len(), keys.len());
        assert!(std::fs::metadata(&file).unwrap().len() > 0);
    }
    let inside = engine.library().with_file_name("x.md");
    let _outside_is_allowed = engine.export_kept(&keys[..1], Format::Markdown, true, &inside).unwrap();
    let refused = engine.export_kept(&keys[..1], Format::Markdown, true, engine.library());
    assert_eq!(refused.unwrap_err().code, "over-the-library");
    drop(home);
}

#[test]
fn what_a_person_says_of_a_conversation_is_in_its_row_and_can_be_asked_for() {
    let (engine, _home) = filled();
    let keys: Vec<String> = engine.kept(&ask("")).unwrap().rows.into_iter().map(|row| row.key).collect();
    engine.set_pin(&keys[..1], true).unwrap();
    engine.relabel(&keys[..2], &["keep".to_owned()], &[]).unwrap();
    let pinned = engine.kept(&LibraryQuery { pinned: true, ..ask("") }).unwrap().rows;
    assert!(pinned.len() == 1 && pinned[0].pinned && pinned[0].labels == ["keep"]);
    assert_eq!(engine.kept(&LibraryQuery { label: Some("keep".to_owned()), ..ask("") }).unwrap().total, 2);
    engine.delete(&keys[..1]).unwrap();
    assert_eq!(engine.kept(&ask("")).unwrap().total as usize, keys.len() - 1);
    let deleted = LibraryQuery { deleted: true, ..ask("") };
    assert!(engine.kept(&deleted).unwrap().rows[0].deleted_at.is_some());
    assert_eq!(engine.facets().unwrap().deleted, 1);
    engine.restore(&keys[..1]).unwrap();
    assert_eq!(engine.kept(&deleted).unwrap().total, 0);
}
