//! A field that no version of a parser knows, with content, in any object of any record: it must be listed by its
//! name, wherever it stands. Stores change with every release, and this is how that is noticed.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use assay_sources::fixtures::Pieces;
use assay_sources::readers::json::pointer_to;
use assay_sources::registry;
use serde_json::Value;
use std::collections::BTreeMap;

/// Content that can be nothing but content.
const NEWS: &str = "words that nobody expected";
const FIELD: &str = "fieldOfTomorrow";

/// Every value with the field added to one of its objects, with that object's pointer.
fn with_news(value: &Value) -> Vec<(String, Value)> {
    let mut places = Vec::new();
    let mut open = vec![(String::new(), value)];
    while let Some((pointer, value)) = open.pop() {
        match value {
            Value::Object(members) => {
                places.push(pointer.clone());
                open.extend(members.iter().map(|(key, member)| (pointer_to(&pointer, key), member)));
            }
            Value::Array(items) => {
                open.extend(items.iter().enumerate().map(|(at, item)| (format!("{pointer}/{at}"), item)))
            }
            _ => {}
        }
    }
    let add = |pointer: String| {
        let mut value = value.clone();
        value.pointer_mut(&pointer)?.as_object_mut()?.insert(FIELD.to_owned(), NEWS.into());
        Some((pointer, value))
    };
    places.into_iter().filter_map(add).collect()
}

/// Places where a new field is told only with what it stands in, or not at all: inside the arguments and results
/// of tools, whose shape is the tool's; in objects of which only numbers are known about a message; and in shapes
/// that no release writes any more.
const NOT_LOOKED_INTO: &[&str] = &[
    "toolCallResults",
    "toolCalls",
    "/edits",
    "resultDetails",
    "trackedFileBackups",
    "/data/message",
    "timingInfo",
    "modelInfo",
    "tokenCount",
    "providerOptions",
    "modelState",
    "/uri",
    "pastedContents",
    "/items/0",
    "/files/0",
    "/chatMessages",
    "/queueItems/0",
    "/request/message",
    "/response/0",
];

#[test]
fn a_field_with_content_that_nobody_knows_is_listed() {
    for adapter in registry().iter() {
        let source = adapter.manifest().name;
        let pieces = Pieces::of(adapter).unwrap();
        let (mut silent, mut all) = (BTreeMap::<String, usize>::new(), 0);
        for (seed, lines) in pieces.owned().into_iter().filter_map(|seed| {
            let text = String::from_utf8(seed[3..].to_vec()).ok()?;
            Some((seed, text))
        }) {
            let lines: Vec<&str> = lines.lines().collect();
            for (at, line) in lines.iter().enumerate() {
                let Ok(value) = serde_json::from_str::<Value>(line) else { continue };
                // States of files are left out whole.
                if !value.is_object() || value.get("nonExistentFiles").is_some() {
                    continue;
                }
                for (pointer, changed) in with_news(&value) {
                    let mut text = lines.iter().map(|l| (*l).to_owned()).collect::<Vec<_>>();
                    text[at] = changed.to_string();
                    let input = [&seed[..3], text.join("\n").as_bytes()].concat();
                    all += 1;
                    let tolerated = NOT_LOOKED_INTO.iter().any(|place| pointer.contains(place));
                    if !tolerated && !pieces.tells(&input, NEWS, FIELD) {
                        let kind = value.get("type").or_else(|| value.get("kind"));
                        let kind = kind.map(ToString::to_string).unwrap_or_default();
                        *silent
                            .entry(format!("{kind} {pointer} of {}", line.chars().take(90).collect::<String>()))
                            .or_default() += 1;
                    }
                }
            }
        }
        assert!(all > 0, "{source}: no record was tried");
        assert!(silent.is_empty(), "{source}: a new field in these objects is lost without a word: {silent:#?}");
    }
}
