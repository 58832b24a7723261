//! What is imported is found, and only that.
#![allow(clippy::unwrap_used, reason = "in a test")]

mod support;

use assay_library::{Filter, Library, SearchFilter, Sort};
use assay_model::MessageType::{Assistant, System, User};
use assay_model::{Kind, Link, Relation, Timestamp};
use pretty_assertions::assert_eq;
use proptest::prelude::*;
use support::{Line, Parsed, index, moment, open, said, talk};

fn found(library: &mut Library, query: &str) -> Vec<String> {
    index(library);
    found_so_far(library, query)
}

fn found_so_far(library: &Library, query: &str) -> Vec<String> {
    let page = library.reader().unwrap().search(query, &SearchFilter::default(), 0, 100).unwrap();
    assert_eq!(page.total as usize, page.rows.len());
    let mut places: Vec<_> =
        page.rows.iter().map(|hit| format!("{}#{}", hit.conversation_id, hit.message_index)).collect();
    places.sort();
    places
}

#[test]
fn words_of_every_script_and_names_in_part_and_whole_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let mut library = open(folder.path());
    let lines = [
        said(User, "请检查悬空引用，重跑gen-itgc后再看"),
        said(Assistant, "getUserName fails with error-401 in src/main_window.rs"),
        Line { recovered: true, ..said(System, "status:500 from bd-q3fy") },
        Line { thinking: Some("桂林 or 广西, perhaps".into()), ..said(Assistant, "Crème Brûlée") },
        said(User, "ひらがな カタカナ 한국어"),
        said(User, "die Straße 🎉 ist neu, Σίσυφος"),
    ];
    library.store(&Parsed::of("codex", "a", &lines).incoming()).unwrap();
    let cases: [(&str, &[u32]); 40] = [
        ("悬空", &[0]),
        ("悬", &[0]),
        ("空悬", &[]),
        ("悬空 引用", &[0]),
        ("itgc", &[0]),
        ("重跑gen-itgc后", &[0]),
        ("广西 OR 悬空", &[0, 3]),
        ("getUserName", &[1]),
        ("getusername", &[1]),
        ("get_user_name", &[1]),
        ("username", &[1]),
        ("usern", &[1]),
        ("strasse", &[5]),
        ("STRAßE", &[5]),
        ("🎉", &[5]),
        ("user", &[1]),
        ("error-401", &[1]),
        ("error401", &[1]),
        ("401", &[1]),
        ("src/main_window.rs", &[1]),
        ("main_window.rs", &[1]),
        ("mainWin", &[1]),
        ("main_win", &[1]),
        ("status:500", &[2]),
        ("bd-q3fy", &[2]),
        ("creme brulee", &[3]),
        ("BRÛLÉE", &[3]),
        ("广西", &[3]),
        ("がな", &[4]),
        ("국어", &[4]),
        ("\"fails with\" getUser", &[1]),
        // While it is typed.
        ("fails w", &[1]),
        ("fails x", &[]),
        ("src/main_window.r", &[1]),
        ("status:5", &[2]),
        ("status:50", &[2]),
        ("status:5 ", &[]),
        ("f", &[]),
        ("σισυφος", &[5]),
        ("ΣΊΣΥΦΟΣ", &[5]),
    ];
    for (query, expected) in cases {
        let expected: Vec<_> = expected.iter().map(|n| format!("codex:a#{n}")).collect();
        assert_eq!(found(&mut library, query), expected, "{query}");
    }
}

#[test]
fn what_was_replaced_is_not_found_any_more() {
    let folder = tempfile::tempdir().unwrap();
    let mut library = open(folder.path());
    library.store(&Parsed::of("codex", "a", &[said(User, "old words"), said(User, "more")]).incoming()).unwrap();
    library.store(&Parsed::of("codex", "b", &[said(User, "old words too")]).incoming()).unwrap();
    library.store(&Parsed::of("codex", "a", &[said(User, "new words")]).incoming()).unwrap();
    assert_eq!(found(&mut library, "old"), ["codex:b#0"]);
    assert_eq!(found(&mut library, "words"), ["codex:a#0", "codex:b#0"]);
    assert!(found(&mut library, "more").is_empty());
}

#[test]
fn what_was_replaced_is_not_found_however_far_the_index_had_come() {
    for indexed in 0..=3 {
        let folder = tempfile::tempdir().unwrap();
        let mut library = open(folder.path());
        let old = ["old one", "old two", "old three"].map(|text| Line { recovered: true, ..said(User, text) });
        library.store(&Parsed::of("codex", "a", &old).incoming()).unwrap();
        let mut left = indexed;
        if indexed > 0 {
            let mut so_many = |_| {
                left -= 1;
                left > 0
            };
            assert_eq!(library.index(&mut so_many).unwrap(), indexed < 3);
        }
        assert_eq!(found_so_far(&library, "old").len(), indexed);
        assert_eq!(library.reader().unwrap().unindexed().unwrap() as usize, 3 - indexed);
        // Another parser reads otherwise; the source took nothing back.
        let mut new = Parsed::of("codex", "a", &[said(User, "new"), said(User, "words")]);
        new.parser_version = "codex@2".into();
        library.store(&new.incoming()).unwrap();
        assert!(found_so_far(&library, "old").is_empty(), "not even before the new is indexed");
        assert_eq!(library.reader().unwrap().unindexed().unwrap(), 2);
        assert_eq!(found(&mut library, "new"), ["codex:a#0"]);
        assert!(found(&mut library, "old").is_empty());
        assert_eq!(library.reader().unwrap().unindexed().unwrap(), 0);
    }
}

#[test]
fn the_latest_conversations_are_indexed_first_and_what_is_not_is_counted() {
    let folder = tempfile::tempdir().unwrap();
    let mut library = open(folder.path());
    for (id, at) in [("early", 1), ("late", 9), ("middle", 5)] {
        let lines = [Line { at: Some(at), ..said(User, "word") }, Line { at: Some(at), ..said(User, "word") }];
        library.store(&Parsed::of("codex", id, &lines).incoming()).unwrap();
    }
    let reader = library.reader().unwrap();
    assert_eq!((reader.unindexed().unwrap(), reader.unindexed_bytes().unwrap()), (6, 24));
    let mut messages = 0;
    let mut three = |bytes| {
        assert_eq!(bytes, 4);
        messages += 1;
        messages < 3
    };
    assert!(library.index(&mut three).unwrap());
    assert_eq!(found_so_far(&library, "word"), ["codex:late#0", "codex:late#1", "codex:middle#0"]);
    assert_eq!((reader.unindexed().unwrap(), reader.unindexed_bytes().unwrap()), (3, 12));
    assert_eq!(found(&mut library, "word").len(), 6);
    assert_eq!((reader.unindexed().unwrap(), reader.unindexed_bytes().unwrap()), (0, 0));
}

#[test]
fn growth_is_found_and_nothing_twice() {
    let folder = tempfile::tempdir().unwrap();
    let mut library = open(folder.path());
    for n in [2, 3, 3, 6] {
        library.store(&Parsed::of("codex", "a", &talk(n)).incoming()).unwrap();
    }
    assert_eq!(found(&mut library, "message").len(), 6);
    assert_eq!(found(&mut library, "\"message 5\""), ["codex:a#5"]);
}

fn in_source(source: &str) -> SearchFilter {
    let conversations = Filter { sources: vec![source.into()], ..Filter::default() };
    SearchFilter { conversations, ..SearchFilter::default() }
}

#[test]
fn filters_of_conversations_and_of_messages_hold_for_lists_and_for_searches() {
    let folder = tempfile::tempdir().unwrap();
    let mut library = open(folder.path());
    let at = |line: Line| Line { at: Some(0), ..line };
    let coded = [at(said(User, "needle one")), said(Assistant, "needle\n```\nx\n```")];
    library.store(&Parsed::of("codex", "a", &coded).incoming()).unwrap();
    library.store(&Parsed::of("codex", "b", &[at(said(User, "needle two")), said(User, "last")]).incoming()).unwrap();
    index(&mut library);
    let reader = library.reader().unwrap();
    let ids = |filter: &Filter| -> Vec<String> {
        reader.list(filter, Sort::Id, false, 0, 10).unwrap().rows.into_iter().map(|row| row.id).collect()
    };
    assert_eq!(ids(&Filter { code: true, ..Filter::default() }), ["a"]);
    assert_eq!(ids(&Filter { project: Some("elsewhere".into()), ..Filter::default() }), [""; 0]);
    let far = Timestamp::parse("2100-01-01T00:00:00Z");
    assert!(far.is_some() && ids(&Filter { from: far, ..Filter::default() }).is_empty());
    assert_eq!(ids(&Filter { before: far, ..Filter::default() }), ["a", "b"]);
    let count = |filter: &SearchFilter| reader.search("needle", filter, 0, 10).unwrap().total;
    assert_eq!(count(&SearchFilter::default()), 3);
    assert_eq!(count(&SearchFilter { code: true, ..SearchFilter::default() }), 1);
    assert_eq!(count(&SearchFilter { from: Some(User), ..SearchFilter::default() }), 2);
    let late = Filter { from: far, ..Filter::default() };
    assert_eq!(count(&SearchFilter { conversations: late, ..SearchFilter::default() }), 0);
}

#[test]
fn a_search_may_be_kept_to_a_source_or_a_conversation_and_comes_in_pages() {
    let folder = tempfile::tempdir().unwrap();
    let mut library = open(folder.path());
    for (source, id) in [("codex", "a"), ("codex", "b"), ("cursor", "c")] {
        library.store(&Parsed::of(source, id, &talk(4)).incoming()).unwrap();
    }
    index(&mut library);
    let reader = library.reader().unwrap();
    let cursor = in_source("cursor");
    let page = reader.search("message", &cursor, 0, 3).unwrap();
    assert_eq!((page.total, page.rows.len()), (4, 3));
    assert!(page.rows.iter().all(|hit| hit.source == "cursor"));
    let b = SearchFilter { conversation: Some(reader.find("b").unwrap()[0].key), ..SearchFilter::default() };
    let page = reader.search("message", &b, 3, 3).unwrap();
    assert_eq!((page.total, page.rows.len()), (4, 1));
    assert_eq!(page.rows[0].id, "b");
}

#[test]
fn the_better_answer_comes_first_with_its_place_marked() {
    let folder = tempfile::tempdir().unwrap();
    let mut library = open(folder.path());
    let lines = [
        said(User, &format!("{} needle {}", "hay ".repeat(300), "hay ".repeat(300))),
        said(User, "needle and needle"),
        Line { thinking: Some("the needle thinks".into()), ..said(Assistant, "nothing here") },
    ];
    library.store(&Parsed::of("codex", "a", &lines).incoming()).unwrap();
    index(&mut library);
    let page = library.reader().unwrap().search("needle", &SearchFilter::default(), 0, 10).unwrap();
    assert_eq!(page.rows[0].message_index, 1);
    assert!(page.rows.is_sorted_by(|a, b| a.score >= b.score));
    for hit in &page.rows {
        let marked: Vec<_> = hit.snippet.marks.iter().map(|m| &hit.snippet.text[m.clone()]).collect();
        assert!(!marked.is_empty() && marked.iter().all(|m| *m == "needle"), "{hit:?}");
        assert_eq!(hit.in_thinking, hit.message_index == 2);
    }
}

#[test]
fn a_very_long_message_is_found_by_its_last_word_which_is_shown() {
    let folder = tempfile::tempdir().unwrap();
    let mut library = open(folder.path());
    let long = format!("{}the lastNeedle", "0123456789abcdef, ".repeat(320_000));
    library.store(&Parsed::of("codex", "a", &[said(User, "first"), said(User, &long)]).incoming()).unwrap();
    assert_eq!(found(&mut library, "lastneedle"), ["codex:a#1"]);
    let page = library.reader().unwrap().search("needle", &SearchFilter::default(), 0, 9).unwrap();
    let shown = &page.rows[0].snippet;
    assert!(shown.text.ends_with("the lastNeedle") && shown.text.len() < 300, "{}", shown.text);
    assert_eq!(&shown.text[shown.marks[0].clone()], "Needle");
}

#[test]
fn the_word_itself_comes_before_whatever_only_begins_so() {
    let folder = tempfile::tempdir().unwrap();
    let mut library = open(folder.path());
    let exact = format!("{} status {}", "hay ".repeat(400), "hay ".repeat(400));
    for (id, many) in [("few", 3), ("many", 2200)] {
        let mut lines = vec![said(User, &exact)];
        lines.extend((0..many).map(|_| said(User, "statuses statusbar statusline statuses")));
        library.store(&Parsed::of("codex", id, &lines).incoming()).unwrap();
        index(&mut library);
        let reader = library.reader().unwrap();
        let one = SearchFilter { conversation: Some(reader.find(id).unwrap()[0].key), ..SearchFilter::default() };
        let page = reader.search("status", &one, 0, 3).unwrap();
        assert_eq!((page.total, page.rows[0].message_index), (many + 1, 0), "{id}");
        assert!(page.rows.is_sorted_by(|a, b| a.score >= b.score));
    }
}

#[test]
fn a_tool_is_found_by_its_name_behind_what_is_said_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let mut library = open(folder.path());
    let lines = [
        Line { recovered: true, ..said(System, "{\"command\": \"ls\"}") },
        Line { recovered: true, ..said(System, "") },
        said(User, "why is apply_patch slow, and what else is there to say of it?"),
    ];
    let mut parsed = Parsed::of("codex", "a", &lines);
    for (n, tool) in [(0, "FrobnicateTool"), (1, "apply_patch")] {
        parsed.conversation.messages[n].tool_name = Some(tool.into());
    }
    parsed.settle();
    library.store(&parsed.incoming()).unwrap();
    for query in ["FrobnicateTool", "frobn", "tool", "frobnicatetool ls"] {
        assert_eq!(found(&mut library, query), ["codex:a#0"], "{query}");
    }
    let page = library.reader().unwrap().search("apply_patch ", &SearchFilter::default(), 0, 9).unwrap();
    assert_eq!(page.rows.iter().map(|hit| hit.message_index).collect::<Vec<_>>(), [2, 1]);
    let hit = &page.rows[1].snippet;
    assert_eq!(hit.text.get(hit.marks[0].clone()), Some("apply_patch"));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_query_is_answered(queries in proptest::collection::vec(any::<String>(), 20)) {
        let folder = tempfile::tempdir().unwrap();
        let mut library = open(folder.path());
        library.store(&Parsed::of("codex", "a", &talk(2)).incoming()).unwrap();
        index(&mut library);
        let reader = library.reader().unwrap();
        for query in queries.iter().map(String::as_str).chain(["\"", "a\"b", "NOT", "AND", "a NEAR b", "-x", "text:a", "a*", "(", "a OR OR b"]) {
            prop_assert!(reader.search(query, &SearchFilter::default(), 0, 10).is_ok(), "{query}");
        }
    }

    #[test]
    fn a_message_is_found_by_each_of_its_words(text in "[a-zA-Z0-9_./ 悬空引用é-]{1,40}") {
        let folder = tempfile::tempdir().unwrap();
        let mut library = open(folder.path());
        library.store(&Parsed::of("codex", "a", &[said(User, &text)]).incoming()).unwrap();
        for word in text.split_whitespace().filter(|w| w.chars().any(char::is_alphanumeric)) {
            prop_assert_eq!(found(&mut library, word), vec!["codex:a#0".to_owned()], "{}", word);
        }
    }
}

/// Of more answers than anybody ranks the latest conversations come first, page by page, and all are counted.
#[test]
fn of_very_many_answers_the_latest_come_first() {
    let folder = tempfile::tempdir().unwrap();
    let mut library = open(folder.path());
    for (id, at) in [("early", 1_000_i64), ("latest", 9_000_000), ("late", 5_000_000)] {
        let line = |i| Line { at: Some(at + i), recovered: i % 3 == 0, ..said(User, "everywhere") };
        library.store(&Parsed::of("codex", id, &(0..900).map(line).collect::<Vec<_>>()).incoming()).unwrap();
    }
    index(&mut library);
    let reader = library.reader().unwrap();
    let page = |filter: &SearchFilter, offset, limit| {
        let page = reader.search("everywhere", filter, offset, limit).unwrap();
        let rows: Vec<_> = page.rows.iter().map(|hit| (hit.id.clone(), hit.message_index)).collect();
        assert!(page.rows.is_sorted_by(|a, b| a.score >= b.score));
        (page.total, rows)
    };
    let all = SearchFilter::default();
    let at = |id: &str, n| (id.to_owned(), n);
    assert_eq!(page(&all, 0, 2), (2700, vec![at("latest", 0), at("latest", 1)]));
    assert_eq!(page(&all, 899, 2), (2700, vec![at("latest", 899), at("late", 0)]));
    assert_eq!(page(&all, 2699, 9), (2700, vec![at("early", 899)]));
    assert_eq!(page(&all, 2700, 9), (2700, vec![]));
    let results = SearchFilter { kinds: vec![Kind::ToolResult], ..SearchFilter::default() };
    assert_eq!(page(&results, 0, 0).0, 900);
    let half = Filter { from: Some(moment(5_000)), before: Some(moment(9_000)), ..Filter::default() };
    let late = SearchFilter { conversations: half, ..SearchFilter::default() };
    assert_eq!(page(&late, 0, 1), (900, vec![at("late", 0)]));
}

#[test]
fn what_a_search_is_narrowed_to_is_no_word() {
    let folder = tempfile::tempdir().unwrap();
    let mut library = open(folder.path());
    library.store(&Parsed::of("codex", "a", &[said(User, "hello"), said(Assistant, "```x```")]).incoming()).unwrap();
    for word in ["user", "\u{e000}user", "text", "code", "tools"] {
        assert!(found(&mut library, word).is_empty(), "{word}");
    }
    let code = SearchFilter { code: true, ..SearchFilter::default() };
    assert_eq!(library.reader().unwrap().search("x", &code, 0, 9).unwrap().total, 1);
    assert_eq!(library.reader().unwrap().search("hello", &code, 0, 9).unwrap().total, 0);
}

#[test]
fn what_is_there_twice_can_be_shown_once() {
    let folder = tempfile::tempdir().unwrap();
    let mut library = open(folder.path());
    let store = |library: &mut Library, id: &str, of: Option<&str>| {
        let mut parsed = Parsed::of("codex", id, &[said(User, "needle")]);
        let link = |of: &str| Link { relation: Relation::Copy, conversation: of.into(), tool_call_id: None };
        parsed.conversation.links = of.map(link).into_iter().collect();
        library.store(&parsed.incoming()).unwrap();
    };
    for (id, of) in [("a", None), ("b", Some("a")), ("c", Some("a")), ("d", Some("nowhere"))] {
        store(&mut library, id, of);
    }
    index(&mut library);
    let shown = |library: &Library| {
        let once = Filter { once: true, ..Filter::default() };
        let reader = library.reader().unwrap();
        let listed = reader.list(&once, Sort::Id, false, 0, 10).unwrap().rows;
        let filter = SearchFilter { conversations: once, ..SearchFilter::default() };
        assert_eq!(reader.search("needle", &filter, 0, 10).unwrap().total as usize, listed.len());
        listed.into_iter().map(|l| (l.id, l.copies)).collect::<Vec<_>>()
    };
    let of = |list: &[(&str, u32)]| list.iter().map(|(id, n)| ((*id).to_owned(), *n)).collect::<Vec<_>>();
    assert_eq!(shown(&library), of(&[("a", 2), ("d", 0)]));
    let a = library.reader().unwrap().find("a").unwrap().remove(0);
    assert_eq!(library.reader().unwrap().copies(&a).unwrap().len(), 2);
    let mut group = library.group().unwrap();
    group.set_deleted(a.key, Some(moment(1))).unwrap();
    group.commit().unwrap();
    assert_eq!(shown(&library), of(&[("b", 0), ("c", 0), ("d", 0)]), "copies of what is gone are what is left");
    store(&mut library, "d", Some("d2"));
    store(&mut library, "d2", Some("d"));
    index(&mut library);
    assert_eq!(shown(&library).len(), 4, "each a copy of the other: both are shown");
}
