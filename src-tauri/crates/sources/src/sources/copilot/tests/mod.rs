//! Tests of the adapter. Here: the replay and the published rules.
#![allow(clippy::unwrap_used)]

mod places;
mod properties;
mod semantics;

use super::discovery;
use super::hint::{Hint, Shape};
use super::node::{Data, Node};
use super::{Adapter, log};
use crate::fixtures::{self, Outcome};
use crate::{Account, Evidence, EvidenceFile, parse, registry};
use assay_model::{Branch, Candidate, Coverage, Disposition, Ledger, Locator, NoticeCode, ParsedConversation, Reason};
use std::path::PathBuf;

fn candidate(shape: Shape) -> Candidate {
    let hint = Hint::of(shape);
    Candidate {
        id: "s".into(),
        source: discovery::NAME.into(),
        file_path: PathBuf::new(),
        file_size: 0,
        file_mtime: 0,
        project_dir: "/home/u/p".into(),
        coverage: Coverage::Reference,
        hint: serde_json::to_value(hint).unwrap(),
    }
}

pub(super) fn parsed(shape: Shape, bytes: &[u8]) -> (ParsedConversation, Ledger) {
    let name = if shape == Shape::Whole { "s.json" } else { "s.jsonl" };
    let evidence = Evidence { files: vec![EvidenceFile::memory(name, bytes)], ..Evidence::default() };
    parse(&Adapter, &candidate(shape), &evidence)
}

pub(super) fn contents(conversation: &ParsedConversation) -> Vec<&str> {
    conversation.messages.iter().map(|m| m.content.as_str()).collect()
}

fn plain_json(node: &Node) -> serde_json::Value {
    match &node.data {
        Data::Null => serde_json::Value::Null,
        Data::Bool(on) => (*on).into(),
        Data::Number(text) | Data::Deep(text) => serde_json::from_str(text).unwrap(),
        Data::Text(text) => text.to_string().into(),
        Data::List(items) => items.iter().map(plain_json).collect(),
        Data::Map(members) => members.iter().map(|(k, v)| (k.to_string(), plain_json(v))).collect(),
        Data::Bytes(bytes) => bytes.iter().enumerate().map(|(i, b)| (i.to_string(), serde_json::Value::from(*b))).collect(),
    }
}

/// The state that a log reaches; nothing if it has no snapshot.
fn replay(text: &str) -> Option<serde_json::Value> {
    let mut account = Account::new(&candidate(Shape::Log), &Evidence::default());
    let session = log::read_log(&mut account, &EvidenceFile::memory("s.jsonl", text));
    session.has_snapshot.then(|| plain_json(&session.state.root))
}

#[test]
fn a_log_is_replayed_as_the_editor_does() {
    let cases = [
        (r#"{"kind":1,"k":["a","b"],"v":2}"#, r#"{"a":{"b":2},"l":[0,1,2]}"#, "set"),
        (r#"{"kind":1,"k":["a","b"]}"#, r#"{"a":{},"l":[0,1,2]}"#, "a set without a value removes"),
        (r#"{"kind":1,"k":[],"v":{}}"#, r#"{"a":{"b":1},"l":[0,1,2]}"#, "an empty path changes nothing"),
        (r#"{"kind":1,"k":["l",4],"v":4}"#, r#"{"a":{"b":1},"l":[0,1,2,null,4]}"#, "beyond the end leaves holes"),
        (r#"{"kind":1,"k":["l","1"],"v":9}"#, r#"{"a":{"b":1},"l":[0,9,2]}"#, "an index may be a text"),
        (r#"{"kind":2,"k":["l"],"v":[3]}"#, r#"{"a":{"b":1},"l":[0,1,2,3]}"#, "push appends"),
        (r#"{"kind":2,"k":["l"],"v":["x"],"i":1}"#, r#"{"a":{"b":1},"l":[0,"x"]}"#, "push with an index cuts first"),
        (r#"{"kind":2,"k":["l"],"i":1}"#, r#"{"a":{"b":1},"l":[0]}"#, "push without values only cuts"),
        (r#"{"kind":2,"k":["l"],"v":[5],"i":4}"#, r#"{"a":{"b":1},"l":[0,1,2,null,5]}"#, "or pads"),
        (r#"{"kind":2,"k":["n"],"v":[1]}"#, r#"{"a":{"b":1},"l":[0,1,2],"n":[1]}"#, "push makes the array"),
        (r#"{"kind":3,"k":["l",1]}"#, r#"{"a":{"b":1},"l":[0,null,2]}"#, "delete leaves a hole, nothing shifts"),
        (r#"{"kind":3,"k":["a"]}"#, r#"{"l":[0,1,2]}"#, "delete takes a member away"),
        (r#"{"kind":0,"v":{"z":1}}"#, r#"{"z":1}"#, "the last snapshot wins"),
        (r#"{"kind":1,"k":["x","y"],"v":1}"#, r#"{"a":{"b":1},"l":[0,1,2]}"#, "no such parent: damage"),
        (r#"{"kind":2,"k":["a"],"v":[1]}"#, r#"{"a":{"b":1},"l":[0,1,2]}"#, "a push to an object: damage"),
        ("{\"kind\":7}\n{\"kind\":1,\"k\":[\"a\"],\"v\":0}", r#"{"a":{"b":1},"l":[0,1,2]}"#, "after an unknown kind"),
        ("oops\n{\"kind\":1,\"k\":[\"a\"],\"v\":0}", r#"{"a":{"b":1},"l":[0,1,2]}"#, "after damage"),
        ("oops\n{\"kind\":0,\"v\":{}}\n{\"kind\":1,\"k\":[\"a\"],\"v\":0}", r#"{"a":0}"#, "a snapshot is trusted again"),
    ];
    for (change, expected, why) in cases {
        let text = format!("{{\"kind\":0,\"v\":{{\"a\":{{\"b\":1}},\"l\":[0,1,2]}}}}\r\n\n{change}\n");
        let expected: serde_json::Value = serde_json::from_str(expected).unwrap();
        assert_eq!(replay(&text), Some(expected), "{why}");
    }
    assert_eq!(replay(r#"{"kind":1,"k":["a"],"v":1}"#), None);
    assert_eq!(replay(""), None);
}

#[test]
fn a_later_snapshot_is_trusted_after_damage_and_what_stands_between_is_listed() {
    let text = concat!(
        r#"{"kind":0,"v":{"requests":[{"requestId":"a","timestamp":1750000000000,"message":{"text":"one"}}]}}"#,
        "\n{torn\n",
        r#"{"kind":2,"k":["requests"],"v":[{"requestId":"b","message":{"text":"two"}}]}"#,
        "\n",
        r#"{"kind":0,"v":{"requests":[{"requestId":"c","message":{"text":"three"}}]}}"#,
        "\n",
    );
    let (conversation, ledger) = parsed(Shape::Log, text.as_bytes());
    assert_eq!(contents(&conversation), ["one", "three", "two"]);
    let branches: Vec<_> = conversation.messages.iter().map(|m| m.branch).collect();
    assert_eq!(branches, [Some(Branch::Superseded), None, Some(Branch::Unplaced)]);
    assert!(ledger.notices.iter().any(|n| n.code == NoticeCode::PatchNotApplied));
}

#[test]
fn only_the_literal_first_line_is_read_by_the_published_rules() {
    let session = r#"{"kind":0,"v":{"requests":[{"timestamp":1750000000000,"message":{"text":"hi"},"response":[{"value":"yo"}]}]}}"#;
    let cases = [
        (format!("{session}\n"), 2, "the snapshot"),
        (session.to_owned(), 2, "without a line break"),
        (format!("{session}\r\n{{\"kind\":1,\"k\":[\"x\"],\"v\":1}}"), 2, "with a carriage return"),
        (format!("  {session}  \n"), 2, "white space is no damage"),
        (session.replace(r#"{"kind":0,"v":"#, "").replacen("}}", "}", 1).replace("]}}", "]}"), 2, "bare"),
        (format!("\n{session}\n"), 0, "a blank line comes first"),
        (format!("\u{FEFF}{session}\n"), 0, "a mark comes first"),
        (format!("{session}{session}\n"), 0, "two on one line"),
        (session.replacen(',', ",\r", 1), 0, "a carriage return ends the line"),
        (session.replace("hi", "h\u{1}i"), 0, "a raw control byte"),
        (session.replacen('0', "1", 1), 0, "another kind"),
        (session.replace("hi", "h\\ud83di\u{2028}"), 2, "half a pair and a line separator are no damage"),
    ];
    for (text, count, why) in cases {
        let (conversation, ledger) = parsed(Shape::Log, text.as_bytes());
        assert_eq!(conversation.reference().count(), count, "{why}: {text}");
        assert_eq!(ledger.unaccounted_bytes(), 0, "{why}");
        assert!(contents(&conversation).concat().contains("yo"), "full retention has the answer: {why}");
    }
}

#[test]
fn a_value_of_another_type_counts_as_absent() {
    let requests = r#"[null,7,"x",{"message":{"text":5},"response":"no"},{"message":"v1","response":[null,3,"old",
        {"value":["a"]},{"kind":"thinking","value":["b","c"]},{"kind":"text","value":7},{"value":"kept"},{"kind":null,"value":"too"}]},
        {"timestamp":"soon","message":{"text":" q "},"response":{}}]"#;
    let text = format!(r#"{{"version":"3","requests":{requests}}}"#);
    let (conversation, ledger) = parsed(Shape::Whole, text.as_bytes());
    let reference: Vec<_> = conversation.reference().map(|m| (m.content.as_str(), m.thinking.as_deref())).collect();
    assert_eq!(reference, [("kept\ntoo", None), ("q", None)]);
    assert_eq!(ledger.unaccounted_bytes(), 0);
    for kept in ["v1", "old", "bc"] {
        assert!(contents(&conversation).contains(&kept), "{kept} in {:?}", contents(&conversation));
    }
}

#[test]
fn deep_and_wide_values_are_bounded() {
    let deep = format!(r#"{{"requests":[{{"message":{{"text":"q"}},"x":{}1{}}}]}}"#, "[".repeat(9000), "]".repeat(9000));
    let (conversation, ledger) = parsed(Shape::Whole, deep.as_bytes());
    assert_eq!(conversation.reference().count(), 1);
    assert_eq!(ledger.unaccounted_bytes(), 0);
    let mut climbing = String::from("{\"kind\":0,\"v\":{}}\n");
    for depth in 1..600 {
        let path = vec!["\"a\""; depth].join(",");
        climbing.push_str(&format!("{{\"kind\":1,\"k\":[{path}],\"v\":{{\"b\":[[[]]]}}}}\n"));
    }
    climbing.push_str("{\"kind\":0,\"v\":{}}\n{\"kind\":1,\"k\":[\"l\"],\"v\":[]}\n{\"kind\":1,\"k\":[\"l\",999999999],\"v\":1}\n");
    let (_, ledger) = parsed(Shape::Log, climbing.as_bytes());
    assert_eq!(ledger.unaccounted_bytes(), 0);
}

#[test]
fn bytes_written_as_numbers_are_described() {
    let body: Vec<String> = (0..300).map(|i| format!("\"{i}\":{}", i % 256)).collect();
    let text = format!(
        r#"{{"requests":[{{"message":{{"text":"look"}},"variableData":{{"variables":[{{"kind":"image","name":"p.png","value":{{{}}}}}]}}}}]}}"#,
        body.join(",")
    );
    let (conversation, _) = parsed(Shape::Whole, text.as_bytes());
    assert!(contents(&conversation)[1].starts_with("p.png\n[300 bytes, sha256 "), "{:?}", contents(&conversation));
}

#[test]
fn copies_that_say_something_of_their_own_are_kept() {
    let case = fixtures::cases(discovery::NAME).unwrap().into_iter().find(|c| c.name == "copies").unwrap();
    let (_, outcomes) = case.run(&registry()).unwrap();
    let said = |o: &Outcome| o.parsed.as_ref().map_or(0, |(c, _)| c.messages.len());
    assert_eq!(outcomes.iter().map(said).collect::<Vec<_>>(), [0, 4, 4, 2]);
    let ledger = &outcomes[0].parsed.as_ref().unwrap().1;
    assert!(ledger.entries.iter().all(|e| e.reason == Some(Reason::Duplicate)));
}

#[test]
fn every_kind_that_the_vendor_writes_is_known_and_shown_in_a_fixture() {
    let case = fixtures::cases(discovery::NAME).unwrap().into_iter().find(|c| c.name == "every-kind").unwrap();
    let (_, outcomes) = case.run(&registry()).unwrap();
    let ledgers: Vec<&Ledger> = outcomes.iter().map(|o| &o.parsed.as_ref().unwrap().1).collect();
    let entries = || ledgers.iter().flat_map(|l| &l.entries);
    let unknown: Vec<_> = entries().filter(|e| e.disposition == Disposition::Unknown).map(|e| &e.kind).collect();
    assert!(unknown.is_empty(), "{unknown:?}");
    let parts = super::parts::kinds().map(|kind| format!("response/{kind}"));
    let events = super::event_types::EVENTS.iter().map(|(kind, _)| *kind).chain(super::event_types::EPHEMERAL.iter().copied());
    for kind in parts.chain(events.map(str::to_owned)) {
        assert!(entries().any(|e| e.kind == kind), "the fixture has no {kind}");
    }
}

#[test]
fn what_a_task_reported_reads_by_itself() {
    let text = r#"{"requests":[{"message":{"text":"q"},"response":[{"kind":"progressTaskSerialized","content":{"value":"Indexing"},
        "progress":[{"kind":"warning","content":{"value":"Two files were skipped"}}]}]}]}"#;
    let (conversation, _) = parsed(Shape::Whole, text.as_bytes());
    assert_eq!(contents(&conversation), ["q", "Indexing\nTwo files were skipped"]);
}

/// The lines that places behind damage are in, as bytes between newlines count them.
#[test]
fn pieces_behind_damage_know_their_lines() {
    let request = |n: usize| format!("{{\"requestId\":\"r{n}\",\"message\":{{\"text\":\"ask {n}\"}}}}");
    let requests: Vec<String> = (0..300).map(request).collect();
    let text = format!("{{\"requests\":[\n# \n{}]}}", requests.join(",\n\n"));
    let (conversation, ledger) = parsed(Shape::Whole, text.as_bytes());
    assert_eq!((conversation.messages.len(), ledger.unaccounted_bytes()), (300, 0));
    let mut seen = 0;
    for entry in ledger.entries.iter().filter(|e| e.is_record()) {
        let Locator::Bytes { byte_start, line, .. } = &entry.locator else { continue };
        let above = text.as_bytes()[..*byte_start as usize].iter().filter(|b| **b == b'\n').count() as u64;
        assert_eq!(*line, above + 1);
        seen += 1;
    }
    assert!(seen >= 600, "each request and each gap: {seen}");
}

#[test]
fn a_text_that_was_cut_off_deep_inside_is_closed_after_its_last_whole_member() {
    let (depth, commas) = (20_000, 200_000);
    let text = format!("{}{}", "[".repeat(depth), "1,".repeat(commas));
    let ways = super::log::closings(text.as_bytes());
    let ends: Vec<usize> = ways.iter().map(Vec::len).collect();
    assert_eq!(ends, [text.len() + depth, text.len() - 1 + depth]);
}
