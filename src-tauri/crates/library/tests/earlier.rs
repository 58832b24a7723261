//! What a source takes back stays in the library, behind the state that took its place.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

mod support;

use assay_library::{Bytes, Filter, Library, Outcome, SearchFilter, Sort};
use assay_model::{MessageType, Retention};
use pretty_assertions::assert_eq;
use std::collections::BTreeSet;
use support::{Line, Parsed, index, moment, open, said, talk};

/// Stores `before` and then `after` under one id; how many earlier states are kept then.
fn earlier(before: &Parsed, after: &Parsed) -> usize {
    let folder = tempfile::tempdir().unwrap();
    let mut library = open(folder.path());
    library.store(&before.incoming()).unwrap();
    library.store(&after.incoming()).unwrap();
    states(&library)
}

fn states(library: &Library) -> usize {
    let filter = Filter { earlier: true, ..Filter::default() };
    library.reader().unwrap().list(&filter, Sort::Id, false, 0, 9).unwrap().rows.len()
}

fn parsed(lines: &[Line]) -> Parsed {
    Parsed::of("codex", "a", lines)
}

#[test]
fn a_shortened_conversation_is_replaced_and_its_earlier_state_stays_whole() {
    let folder = tempfile::tempdir().unwrap();
    let mut library = open(folder.path());
    let long = parsed(&talk(5));
    library.store(&long.incoming()).unwrap();
    let key = library.known("codex").unwrap()["a"].key;
    let mut group = library.group().unwrap();
    group.set_pin(key, Some(moment(1))).unwrap();
    group.relabel(key, &BTreeSet::from(["kept".to_owned()]), &BTreeSet::new()).unwrap();
    group.commit().unwrap();

    let short = parsed(&talk(2));
    assert_eq!(library.store(&short.incoming()).unwrap(), Outcome::Replaced);
    assert_eq!(library.store(&short.incoming()).unwrap(), Outcome::Unchanged, "once");
    index(&mut library);
    let reader = library.reader().unwrap();
    let listed = reader.list(&Filter::default(), Sort::Id, false, 0, 9).unwrap().rows;
    let [now] = &listed[..] else { panic!("{listed:?}") };
    assert_eq!((now.id.as_str(), now.messages, now.earlier), ("a", 2, 1));
    assert_eq!((now.pinned_at, &now.labels[..]), (Some(moment(1)), &["kept".to_owned()][..]), "what a person said");
    assert_eq!(reader.counts().unwrap()["codex"], 1);

    let before = reader.earlier(now.key).unwrap().remove(0);
    assert_eq!((before.id.as_str(), before.messages), ("a@2026-01-01T00:01:40.000Z", 5));
    assert!(before.gone_since.is_some() && before.pinned_at.is_none() && before.labels.is_empty());
    assert_eq!(before.links.last().map(|l| l.conversation.as_str()), Some("a"));
    let stored = reader.show(before.key).unwrap().unwrap();
    let mut as_it_was = long.conversation.clone();
    as_it_was.id = before.id.clone();
    as_it_was.links = before.links.clone();
    assert_eq!(reader.conversation(&stored).unwrap().messages, as_it_was.messages);
    assert_eq!(reader.ledger(&stored).unwrap(), long.ledger);

    let find = |earlier| {
        let conversations = Filter { earlier, ..Filter::default() };
        let filter = SearchFilter { conversations, ..SearchFilter::default() };
        reader.search("message", &filter, 0, 99).unwrap().rows.len()
    };
    assert_eq!((find(false), find(true)), (2, 5), "nothing is found twice, and everything is found");
}

#[test]
fn earlier_states_line_up_behind_the_latest_and_go_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let mut library = open(folder.path());
    for n in [5, 3, 4, 2] {
        library.store(&parsed(&talk(n)).incoming()).unwrap();
    }
    let reader = library.reader().unwrap();
    let now = reader.find("a").unwrap().remove(0);
    let mut messages: Vec<u32> = reader.earlier(now.key).unwrap().iter().map(|l| l.messages).collect();
    messages.sort_unstable();
    assert_eq!((now.messages, now.earlier, messages), (2, 2, vec![4, 5]), "three grew to four: that lost nothing");
    let mut group = library.group().unwrap();
    group.purge(now.key, moment(1)).unwrap();
    group.commit().unwrap();
    assert!(library.known("codex").unwrap().is_empty());
    assert_eq!(library.reader().unwrap().purged().unwrap().len(), 1, "only the conversation itself is kept out");
    assert!(library.reader().unwrap().check().unwrap().iter().all(|f| !f.wrong));
}

#[test]
fn only_words_that_somebody_said_and_that_are_nowhere_now_make_an_earlier_state() {
    let (user, model) = (MessageType::User, MessageType::Assistant);
    let long = parsed(&[said(user, "what is it?"), said(model, "It is"), said(user, "go on")]);
    let says = |lines: &[Line]| earlier(&long, &parsed(lines));
    assert_eq!(says(&[said(user, "what is it?"), said(model, "It is a bird.\n"), said(user, "go on")]), 0, "goes on");
    assert_eq!(says(&[said(model, "It is"), said(user, "go on, please"), said(user, "what is it?")]), 0, "moved");
    assert_eq!(says(&[said(user, "what is it?"), said(model, "It was"), said(user, "go on")]), 1, "reworded");
    assert_eq!(says(&[said(user, "what is it?")]), 1, "cut");

    let thought = |thinking: &str| {
        let line = Line { thinking: Some(thinking.to_owned()), ..said(model, "yes") };
        parsed(&[said(user, "?"), line])
    };
    assert_eq!(earlier(&thought("a plane"), &thought("a plane or a bird")), 0);
    assert_eq!(earlier(&thought("a plane"), &thought("a bird")), 1);

    let result = |text: &str| parsed(&[said(user, "?"), Line { recovered: true, ..said(model, text) }]);
    assert_eq!(earlier(&result("running"), &result("finished")), 0, "a tool's state is not what somebody said");
    assert_eq!(earlier(&result("a long output"), &result("[cleared]")), 1, "and yet it must not shrink");
    assert_eq!(earlier(&result("an output"), &parsed(&[said(user, "?")])), 1, "or go");
}

#[test]
fn what_was_said_twice_has_to_be_said_twice() {
    let (user, model) = (MessageType::User, MessageType::Assistant);
    let round = [said(user, "continue"), said(model, "Done.")];
    let talk = |rounds: usize| parsed(&vec![round.clone(); rounds].concat());
    assert_eq!(earlier(&talk(3), &talk(2)), 1);
    assert_eq!(earlier(&talk(2), &talk(3)), 0);
    let longer = parsed(&[said(user, "go"), said(user, "go on")]);
    assert_eq!(earlier(&longer, &parsed(&[said(user, "go on"), said(user, "go")])), 0, "moved, each to its own");
    assert_eq!(earlier(&longer, &parsed(&[said(user, "go on"), said(user, "stop")])), 1);
}

#[test]
fn another_parser_or_other_rules_make_no_earlier_state_of_what_they_recover() {
    let mut before = parsed(&talk(3));
    before.conversation.messages[2].provenance = assay_model::Provenance::Recovered(assay_model::Reason::ToolResult);
    before.settle();
    let after = |version: &str, retention| {
        let mut after = parsed(&talk(2));
        after.parser_version = version.into();
        after.retention = retention;
        after
    };
    assert_eq!(earlier(&before, &after("codex@1", Retention::Full)), 1);
    assert_eq!(earlier(&before, &after("codex@2", Retention::Full)), 0);
    assert_eq!(earlier(&before, &after("codex@1", Retention::Reference)), 0);
    assert_eq!(earlier(&parsed(&talk(3)), &after("codex@2", Retention::Full)), 1, "the published rules are the same");
}

#[test]
fn the_librarys_own_bytes_take_nothing_back() {
    let folder = tempfile::tempdir().unwrap();
    let mut library = open(folder.path());
    library.store(&parsed(&talk(3)).incoming()).unwrap();
    let mut again = parsed(&talk(2));
    again.parser_version = "codex@2".into();
    let incoming = assay_library::Incoming { original: Bytes::OfTheLibrary, ..again.incoming() };
    assert_eq!(library.store(&incoming).unwrap(), Outcome::Replaced);
    assert_eq!(states(&library), 0);
}

#[test]
fn counts_agree_with_lists_and_a_label_of_the_conversation_finds_its_earlier_states() {
    let folder = tempfile::tempdir().unwrap();
    let mut library = open(folder.path());
    for messages in [6, 4, 2] {
        library.store(&parsed(&talk(messages)).incoming()).unwrap();
    }
    index(&mut library);
    let reader = library.reader().unwrap();
    let key = library.known("codex").unwrap()["a"].key;
    let states_of = reader.earlier(key).unwrap();
    let mut group = library.group().unwrap();
    group.set_deleted(states_of[0].key, Some(moment(9))).unwrap();
    for of in [key, states_of[1].key] {
        group.relabel(of, &BTreeSet::from(["kept".to_owned()]), &BTreeSet::new()).unwrap();
    }
    group.relabel(key, &BTreeSet::from(["main".to_owned()]), &BTreeSet::new()).unwrap();
    group.commit().unwrap();
    let list = |filter: &Filter| reader.list(filter, Sort::Id, false, 0, 9).unwrap().rows;
    assert_eq!((list(&Filter::default())[0].earlier, states(&library)), (1, 1), "what is deleted is not counted");
    let labels: Vec<_> = reader.labels().unwrap().into_iter().map(|l| (l.label, l.conversations)).collect();
    assert_eq!(labels, [("kept".to_owned(), 1), ("main".to_owned(), 1)], "as many as a list by it shows");
    let by = Filter { label: Some("main".to_owned()), earlier: true, ..Filter::default() };
    assert_eq!(list(&by).len(), 1);
    let within = SearchFilter { conversations: by, ..SearchFilter::default() };
    assert_eq!(reader.search("message", &within, 0, 9).unwrap().total, 4, "and what they say");
}
