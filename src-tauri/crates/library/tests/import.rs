//! The acceptance scenarios of an import, as far as the library decides them.

mod support;

use assay_library::{Filter, Library, Outcome, OutcomeQuery, OutcomeRow, Plan, Prepared, Sort, plan};
use assay_model::{MessageType, When, hash};
use pretty_assertions::assert_eq;
use proptest::prelude::*;
use std::collections::HashSet;
use support::{Line, Parsed, dump, index, moment, open, said, talk};

#[test]
fn two_sources_using_the_same_raw_id_are_two_conversations() {
    let folder = tempfile::tempdir().unwrap();
    let mut library = open(folder.path());
    let (a, b) = (Parsed::of("codex", "7", &talk(2)), Parsed::of("cursor", "7", &talk(3)));
    assert_eq!(library.store(&a.incoming()).unwrap(), Outcome::Inserted);
    assert_eq!(library.store(&b.incoming()).unwrap(), Outcome::Inserted);
    let reader = library.reader().unwrap();
    let found = reader.find("7").unwrap();
    assert_eq!(found.iter().map(|f| f.conversation_id.as_str()).collect::<Vec<_>>(), ["codex:7", "cursor:7"]);
    for (parsed, listed) in [(&a, &found[0]), (&b, &found[1])] {
        let stored = reader.show(listed.key).unwrap().unwrap();
        assert_eq!(reader.conversation(&stored).unwrap(), parsed.conversation, "messages with equal ids stay apart");
    }
    assert!(reader.collisions().unwrap().is_empty());
}

#[test]
fn an_id_that_carries_its_prefix_keeps_it_and_a_collision_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let mut library = open(folder.path());
    library.store(&Parsed::of("codex", "codex:7", &talk(2)).incoming()).unwrap();
    let reader = library.reader().unwrap();
    assert_eq!(reader.find("codex:7").unwrap()[0].conversation_id, "codex:7");
    assert!(reader.collisions().unwrap().is_empty());

    library.store(&Parsed::of("codex", "7", &talk(4)).incoming()).unwrap();
    for (own, messages) in [("codex:7", 2), ("7", 4)] {
        let found = reader.find(own).unwrap();
        assert_eq!(
            found.iter().map(|f| f.messages).collect::<Vec<_>>(),
            [messages],
            "never merged, each to be reached"
        );
    }
    let collisions = reader.collisions().unwrap();
    assert_eq!(collisions["codex:7"], ["7", "codex:7"]);
}

/// The same file name in two folders: which file has the plain id depends on what lies beside it.
#[test]
fn another_conversation_under_the_same_id_replaces_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let mut library = open(folder.path());
    let ours = Parsed::of("codex", "a", &talk(3));
    library.store(&ours.incoming()).unwrap();
    let key = library.known("codex").unwrap()["a"].key;

    let mut theirs = Parsed::of("codex", "a", &[said(MessageType::User, "else"), said(MessageType::User, "where")]);
    theirs.candidate.file_path = "/elsewhere/a.jsonl".into();
    assert_eq!(library.store(&theirs.incoming()).unwrap(), Outcome::Inserted);
    let known = library.known("codex").unwrap();
    let aside = &known[&format!("a@{}", ours.candidate.file_path.display())];
    assert_eq!((aside.key, aside.messages, aside.gone_since.is_some()), (key, 3, true), "set aside, whole");
    assert_eq!(known["a"].messages, 2);

    // The scan meets the first file again, under a longer id.
    let mut again = Parsed::of("codex", "a", &talk(4));
    again.conversation.id = "a@-w".into();
    again.candidate.id = "a@-w".into();
    assert_eq!(
        library.store(&again.incoming()).unwrap(),
        Outcome::Grown,
        "the one that was set aside, with whatever a person said of it"
    );
    let known = library.known("codex").unwrap();
    assert_eq!(known.len(), 2);
    assert_eq!((known["a@-w"].key, known["a@-w"].messages), (key, 4));
    library.mark("codex", &HashSet::from(["a", "a@-w"]), moment(9)).unwrap();
    assert!(library.known("codex").unwrap()["a@-w"].gone_since.is_none());
}

/// A person deletes one of two that share an id; when its file goes, the other one gets the plain id.
#[test]
fn what_was_deleted_keeps_no_other_conversation_out() {
    let folder = tempfile::tempdir().unwrap();
    let mut library = open(folder.path());
    let ours = Parsed::of("codex", "a", &talk(3));
    library.store(&ours.incoming()).unwrap();
    let key = library.known("codex").unwrap()["a"].key;
    let mut group = library.group().unwrap();
    group.set_deleted(key, Some(moment(1))).unwrap();
    group.commit().unwrap();
    let mut moved = Parsed::of("codex", "a", &talk(4));
    moved.candidate.file_path = "/elsewhere/a.jsonl".into();
    assert_eq!(library.store(&moved.incoming()).unwrap(), Outcome::Unchanged, "the same one, elsewhere");
    let mut theirs = Parsed::of("codex", "a", &[said(MessageType::User, "else"), said(MessageType::User, "where")]);
    theirs.candidate.file_path = "/elsewhere/a.jsonl".into();
    assert_eq!(library.store(&theirs.incoming()).unwrap(), Outcome::Inserted);
    let listed = |deleted| {
        let filter = Filter { deleted, ..Filter::default() };
        let rows = library.reader().unwrap().list(&filter, Sort::Id, false, 0, 9).unwrap().rows;
        rows.iter().map(|l| l.messages).collect::<Vec<_>>()
    };
    assert_eq!((listed(false), listed(true)), (vec![2], vec![3]));
}

#[test]
fn a_conversation_that_moved_and_changed_is_still_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let mut library = open(folder.path());
    library.store(&Parsed::of("codex", "a", &talk(3)).incoming()).unwrap();
    let mut lines = talk(3);
    lines[1].text = "said otherwise".into();
    let mut moved = Parsed::of("codex", "a", &lines);
    moved.candidate.file_path = "/elsewhere/a.jsonl".into();
    assert_eq!(library.store(&moved.incoming()).unwrap(), Outcome::Replaced);
    let reader = library.reader().unwrap();
    let listed = reader.list(&Filter::default(), Sort::Id, false, 0, 9).unwrap().rows;
    assert_eq!(listed.iter().map(|l| (l.id.as_str(), l.earlier)).collect::<Vec<_>>(), [("a", 1)]);
}

#[test]
fn the_same_content_again_writes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let mut library = open(folder.path());
    let mut parsed = Parsed::of("codex", "a", &talk(5));
    library.store(&parsed.incoming()).unwrap();
    index(&mut library);
    let before = dump(library.path());
    parsed.read_at += 1_000_000_000;
    assert_eq!(library.store(&parsed.incoming()).unwrap(), Outcome::Unchanged);
    assert_eq!(dump(library.path()), before, "not even the time of reading");
}

#[test]
fn only_the_mtime_changed_updates_metadata() {
    let folder = tempfile::tempdir().unwrap();
    let mut library = open(folder.path());
    let mut parsed = Parsed::of("codex", "a", &talk(5));
    library.store(&parsed.incoming()).unwrap();
    parsed.candidate.file_mtime += 1;
    assert_eq!(library.store(&parsed.incoming()).unwrap(), Outcome::MetadataUpdated);
    let known = &library.known("codex").unwrap()["a"];
    assert!(known.is_current(&parsed.candidate, "codex@1", parsed.retention));
}

#[test]
fn only_the_parser_version_changed_updates_metadata() {
    let folder = tempfile::tempdir().unwrap();
    let mut library = open(folder.path());
    let mut parsed = Parsed::of("codex", "a", &talk(5));
    library.store(&parsed.incoming()).unwrap();
    parsed.parser_version = "codex@2".into();
    let known = library.known("codex").unwrap().remove("a").unwrap();
    assert!(!known.is_current(&parsed.candidate, "codex@2", parsed.retention), "a new parser reads again");
    assert_eq!(library.store(&parsed.incoming()).unwrap(), Outcome::MetadataUpdated);
    assert_eq!(library.known("codex").unwrap()["a"].parser_version, "codex@2");
}

#[test]
fn changed_content_replaces_in_one_step() {
    let folder = tempfile::tempdir().unwrap();
    let mut library = open(folder.path());
    library.store(&Parsed::of("codex", "a", &talk(9)).incoming()).unwrap();
    let mut lines = talk(4);
    lines[1].text = "another answer".into();
    let changed = Parsed::of("codex", "a", &lines);
    assert_eq!(library.store(&changed.incoming()).unwrap(), Outcome::Replaced);
    let reader = library.reader().unwrap();
    let stored = reader.show(reader.find("codex:a").unwrap()[0].key).unwrap().unwrap();
    assert_eq!(reader.conversation(&stored).unwrap(), changed.conversation);
    assert_eq!(reader.ledger(&stored).unwrap(), changed.ledger);
}

#[test]
fn content_changed_with_equal_size_and_mtime_shows_in_the_raw_hash() {
    let folder = tempfile::tempdir().unwrap();
    let mut library = open(folder.path());
    let (mut old, mut new) = (talk(2), talk(2));
    (old[1].text, new[1].text) = ("yes".into(), "nay".into());
    let (old, new) = (Parsed::of("codex", "a", &old), Parsed::of("codex", "a", &new));
    library.store(&old.incoming()).unwrap();
    let known = library.known("codex").unwrap().remove("a").unwrap();
    assert!(known.is_current(&new.candidate, "codex@1", new.retention), "size and time do not tell");
    assert_ne!(known.raw_hash, new.raw_hash);
    assert_eq!(library.store(&new.incoming()).unwrap(), Outcome::Replaced);
}

#[test]
fn growth_appends_and_brings_earlier_messages_up_to_date() {
    let folder = tempfile::tempdir().unwrap();
    let mut library = open(folder.path());
    let mut lines = talk(3);
    lines.iter_mut().for_each(|l| l.at = None);
    let first = Parsed::of("codex", "a", &lines);
    assert_eq!(first.conversation.messages[0].when, When::Synthetic { at: None, rule: "following-message" });
    library.store(&first.incoming()).unwrap();
    lines.push(Line { at: Some(0), ..said(MessageType::Assistant, "at last") });
    let grown = Parsed::of("codex", "a", &lines);
    assert_eq!(plan(library.known("codex").unwrap().get("a"), &grown.incoming()), Plan::Grown);
    assert_eq!(library.store(&grown.incoming()).unwrap(), Outcome::Grown);
    let reader = library.reader().unwrap();
    let stored = reader.show(reader.find("a").unwrap()[0].key).unwrap().unwrap();
    assert_eq!(reader.conversation(&stored).unwrap(), grown.conversation, "the made-up times as they are now");
}

#[test]
fn a_source_that_is_gone_is_marked_and_the_mark_goes_when_it_is_back() {
    let folder = tempfile::tempdir().unwrap();
    let mut library = open(folder.path());
    for id in ["a", "b"] {
        library.store(&Parsed::of("codex", id, &talk(2)).incoming()).unwrap();
    }
    library.store(&Parsed::of("cursor", "a", &talk(2)).incoming()).unwrap();
    let gone = |library: &Library| {
        let known = library.known("codex").unwrap();
        (known["a"].gone_since, known["b"].gone_since)
    };
    let only_b = HashSet::from(["b"]);
    assert_eq!(library.mark("codex", &only_b, moment(1)).unwrap().gone, 1);
    assert_eq!(gone(&library), (Some(moment(1).millis()), None));
    assert_eq!(library.mark("codex", &only_b, moment(2)).unwrap().gone, 0);
    assert_eq!(gone(&library), (Some(moment(1).millis()), None), "the first time stays");
    assert_eq!(library.known("cursor").unwrap()["a"].gone_since, None, "other sources are not touched");
    assert_eq!(library.mark("codex", &HashSet::from(["a", "b"]), moment(3)).unwrap().back, 1);
    assert_eq!(gone(&library), (None, None));
    library.mark("codex", &only_b, moment(4)).unwrap();
    library.store(&Parsed::of("codex", "a", &talk(3)).incoming()).unwrap();
    assert_eq!(gone(&library), (None, None), "what can be read is there");
}

#[test]
fn importing_unchanged_stores_again_writes_only_the_runs_own_record() {
    let folder = tempfile::tempdir().unwrap();
    let mut library = open(folder.path());
    let stores: Vec<_> = (0..5).map(|i| Parsed::of("codex", &i.to_string(), &talk(i + 1))).collect();
    let mut dumps = Vec::new();
    for second in 0..2 {
        let run = library.begin_run(moment(second)).unwrap();
        let known = library.known("codex").unwrap();
        let mut group = library.group().unwrap();
        for store in &stores {
            let prepared = Prepared::new(known.get(&store.conversation.id), &store.incoming());
            let outcome = group.store(&store.incoming(), &prepared).unwrap();
            let row = OutcomeRow {
                source: "codex".into(),
                id: store.conversation.id.clone(),
                title: "message 0".into(),
                importer: "read".into(),
                library: Some(outcome.outcome.code().into()),
                reason: None,
                verdict: Some(store.verdict()),
            };
            group.record(run, &row).unwrap();
        }
        group.commit().unwrap();
        let present = stores.iter().map(|s| s.conversation.id.as_str()).collect();
        library.mark("codex", &present, moment(second)).unwrap();
        library.finish_run(run, moment(second + 1), false, &serde_json::json!({"n": second})).unwrap();
        dumps.push(dump(library.path()));
    }
    assert_eq!(dumps[0], dumps[1]);
    let reader = library.reader().unwrap();
    let unchanged = OutcomeQuery { run: 2, library: Some("unchanged".into()), limit: 3, ..OutcomeQuery::default() };
    let page = reader.outcomes(&unchanged).unwrap();
    assert_eq!((page.total, page.rows.len()), (5, 3));
    let runs = reader.runs(10).unwrap();
    assert_eq!((runs[0].run, runs[0].ended_at), (2, Some(moment(2))));
    assert_eq!(runs[1].result, Some(serde_json::json!({"n": 0})));
}

#[test]
fn a_run_that_was_killed_has_not_ended() {
    let folder = tempfile::tempdir().unwrap();
    let mut library = open(folder.path());
    library.begin_run(moment(0)).unwrap();
    drop(library);
    let library = open(folder.path());
    let run = library.reader().unwrap().runs(1).unwrap().remove(0);
    assert_eq!((run.ended_at, run.result), (None, None));
}

#[test]
fn a_group_that_is_dropped_leaves_every_conversation_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let mut library = open(folder.path());
    let old = Parsed::of("codex", "a", &talk(2));
    library.store(&old.incoming()).unwrap();
    let before = dump(library.path());
    let (grown, new) = (Parsed::of("codex", "a", &talk(4)), Parsed::of("codex", "b", &talk(4)));
    let mut group = library.group().unwrap();
    for parsed in [&grown, &new] {
        group.store(&parsed.incoming(), &Prepared::new(None, &parsed.incoming())).unwrap();
    }
    drop(group);
    assert_eq!(dump(library.path()), before);
}

#[test]
fn what_was_prepared_against_another_state_is_prepared_again() {
    let folder = tempfile::tempdir().unwrap();
    let mut library = open(folder.path());
    let (short, long) = (Parsed::of("codex", "a", &talk(2)), Parsed::of("codex", "a", &talk(4)));
    let as_new = Prepared::new(None, &long.incoming());
    library.store(&short.incoming()).unwrap();
    let mut group = library.group().unwrap();
    assert_eq!(group.store(&long.incoming(), &as_new).unwrap().outcome, Outcome::Grown);
    assert_eq!(group.store(&long.incoming(), &as_new).unwrap().outcome, Outcome::Unchanged);
    group.commit().unwrap();
}

#[test]
fn what_is_shown_is_what_was_imported() {
    let folder = tempfile::tempdir().unwrap();
    let mut library = open(folder.path());
    let mut lines = talk(2500);
    lines[7].recovered = true;
    lines[9].thinking = Some("hm\0 \u{feff}".into());
    lines[11].at = Some(0);
    let parsed = Parsed::of("codex", "a", &lines);
    library.store(&parsed.incoming()).unwrap();
    let reader = library.reader().unwrap();
    let stored = reader.show(reader.find("a").unwrap()[0].key).unwrap().unwrap();
    assert_eq!(stored.candidate, parsed.candidate);
    assert_eq!(stored.summary, parsed.summary);
    assert_eq!((stored.content_hash, Some(&stored.full_hash)), (parsed.content_hash, parsed.chain.last()));
    assert_eq!(stored.entries as usize, parsed.ledger.entries.len());
    let (conversation, ledger) = (reader.conversation(&stored).unwrap(), reader.ledger(&stored).unwrap());
    assert_eq!(conversation, parsed.conversation);
    assert_eq!(hash::chain(&conversation), parsed.chain);
    assert_eq!(ledger, parsed.ledger);
    assert_eq!(reader.messages(&stored, 10..13).unwrap(), parsed.conversation.messages[10..13]);
    for page in [0..1, 999..1001, 1500..4000, 4999..6000, 0..0] {
        let end = page.end.min(5000) as usize;
        let expected = &parsed.ledger.entries[page.start as usize..end];
        assert_eq!(reader.entries(&stored, page.clone()).unwrap(), expected, "{page:?}");
    }
}

fn line() -> impl Strategy<Value = Line> {
    let from = prop_oneof![Just(MessageType::User), Just(MessageType::Assistant), Just(MessageType::System)];
    let time = prop_oneof![Just(None), (0_i64..5000).prop_map(Some)];
    let text = prop_oneof![Just("ok".to_owned()), "[a-z悬空 \n`]{0,12}", any::<String>()];
    (from, text, proptest::option::of("[a-z]{0,5}"), any::<bool>(), time)
        .prop_map(|(from, text, thinking, recovered, at)| Line { from, text, thinking, recovered, at })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn importing_in_pieces_is_importing_at_once(
        lines in proptest::collection::vec(line(), 1..12),
        cuts in proptest::collection::vec((0_usize..12, 0_usize..20), 0..4),
    ) {
        let (pieces, once) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let (mut in_pieces, mut at_once) = (open(pieces.path()), open(once.path()));
        let mut cuts: Vec<_> = cuts.into_iter().filter(|(cut, _)| *cut < lines.len()).collect();
        cuts.sort_unstable();
        for (cut, indexed) in cuts {
            in_pieces.store(&Parsed::of("codex", "a", &lines[..cut]).incoming()).unwrap();
            // Indexing gets anywhere between nothing and everything before the next piece comes.
            let mut left = indexed;
            while left > 0 && in_pieces.index(&mut |_| { left -= 1; left > 0 }).unwrap() {}
        }
        let whole = Parsed::of("codex", "a", &lines);
        in_pieces.store(&whole.incoming()).unwrap();
        at_once.store(&whole.incoming()).unwrap();
        index(&mut in_pieces);
        index(&mut at_once);
        prop_assert_eq!(dump(in_pieces.path()), dump(at_once.path()));
        let reader = in_pieces.reader().unwrap();
        let stored = reader.show(1).unwrap().unwrap();
        prop_assert_eq!(reader.conversation(&stored).unwrap(), whole.conversation);
        prop_assert_eq!(reader.ledger(&stored).unwrap(), whole.ledger);
    }
}
