//! Documents: what is in them, what is masked, what a receiver would refuse.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "in a test")]

mod support;

use assay_library::export::{Document, Format, RefusalReason, export};
use assay_library::{Library, Reader};
use assay_model::MessageType::{Assistant, System, User};
use assay_model::{hash, identity};
use pretty_assertions::assert_eq;
use support::{Line, Parsed, open, said, talk};

fn document(library: &Library, id: &str) -> Document {
    let reader: Reader = library.reader().unwrap();
    let key = reader.find(id).unwrap()[0].key;
    reader.document(key).unwrap().unwrap()
}

fn stored(lines: &[Line]) -> Document {
    let folder = tempfile::tempdir().unwrap();
    let mut library = open(folder.path());
    library.store(&Parsed::of("codex", "a", lines).incoming()).unwrap();
    document(&library, "a")
}

fn lines() -> Vec<Line> {
    let at = |n: i64, line: Line| Line { at: Some(n * 1000), ..line };
    vec![
        at(0, said(User, "Please fix `x`:\n```rust\nopen fence")),
        at(1, said(User, "a second prompt <script>alert(1)</script>")),
        at(2, Line { recovered: true, ..said(System, "output with ```` four") }),
        at(3, Line { thinking: Some("hm ``` hm".into()), ..said(Assistant, "Done. The password: hunter2") }),
    ]
}

#[test]
fn markdown_keeps_every_message_in_its_place() {
    let text = export(Format::Markdown, &[stored(&lines())], &[]).text;
    let expected = r#"# Please fix \`x\`: \`\`\`rust open fence

## 1 · user · 2026-01-01T00:00:00.000Z

````markdown
Please fix `x`:
```rust
open fence
````

## 2 · user · 2026-01-01T00:00:01.000Z

```markdown
a second prompt <script>alert(1)</script>
```

## 3 · system · tool-result · 2026-01-01T00:00:02.000Z · recovered: tool-result

`````tool-result
output with ```` four
`````

## 4 · assistant · 2026-01-01T00:00:03.000Z

````thinking
hm ``` hm
````

Done. The password: hunter2

## Ledger

| reason | entries |
|---|---:|
| tool-result | 1 |

"#;
    let (front, body) = text.split_once("---\n\n").unwrap();
    assert_eq!(body, expected);
    assert!(front.starts_with("---\ntitle: \"Please fix `x`: ```rust open fence\"\nsource: \"codex\"\n"), "{front}");
    assert!(front.contains("leavesOut: \"ledger-entries, "), "{front}");
}

#[test]
fn several_conversations_are_one_document_of_each_format() {
    let (a, b) = (stored(&talk(2)), stored(&lines()));
    let both = [a, b];
    let text = export(Format::Markdown, &both, &[]).text;
    assert_eq!(text.lines().filter(|l| l.starts_with("# ")).count(), 2);
    assert!(!text.starts_with("---"), "front matter is that of one conversation");
    let html = export(Format::Html, &both, &[]).text;
    assert_eq!(html.matches("<main").count(), 2);
    assert_eq!(export(Format::Json, &both, &[]).text.lines().count(), 2);
}

#[test]
fn html_is_one_page_that_loads_and_runs_nothing() {
    let html = export(Format::Html, &[stored(&lines())], &[]).text;
    assert!(html.contains("default-src 'none'"));
    assert!(!html.contains("<script") && html.contains("&lt;script&gt;alert(1)&lt;/script&gt;"));
    assert!(!html.contains(" src=") && !html.contains("<link") && !html.contains("@import"));
    assert_eq!(html.matches("<article").count(), 4);
}

#[test]
fn json_has_everything_and_nothing_twice() {
    let document = stored(&lines());
    let text = export(Format::Json, std::slice::from_ref(&document), &[]).text;
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(value["conversationId"], "codex:a");
    assert_eq!(value["contentHash"], hash::hex(&document.stored.content_hash));
    assert_eq!(value["messages"].as_array().unwrap().len(), 4);
    assert_eq!(value["messages"][2]["reason"], "tool-result");
    assert_eq!(value["ledger"].as_array().unwrap().len(), 8);
    assert_eq!(value["summary"]["records"], 4);
    assert_eq!(value["meta"]["fileMtime"], "2026-01-01T00:00:00.000Z");
    assert_eq!(value["notices"][0]["code"], "cwd-changed");
}

#[test]
fn masking_is_counted_and_reaches_every_format() {
    let mut document = stored(&lines());
    document.mask();
    assert_eq!(document.masked["password"], 1);
    for format in Format::ALL {
        let text = export(format, std::slice::from_ref(&document), &["codex"]).text;
        assert!(!text.contains("hunter2") && text.contains("[masked: password]"), "{}", format.code());
    }
    assert!(export(Format::Markdown, &[document], &[]).text.contains("masked: \"password 1\""));
}

#[test]
fn masking_reaches_every_field_that_is_written() {
    const TOKEN: &str = "ghp_aB3dE5gH7jK9mN1pQ3sT5vX7zA9cE1gH3jK5";
    let folder = tempfile::tempdir().unwrap();
    let mut library = open(folder.path());
    let mut parsed = Parsed::of("codex", "a", &lines());
    let (c, path) = (&mut parsed.conversation, format!("/home/u/{TOKEN}/proj"));
    c.slug = Some(TOKEN.into());
    c.cwd = Some(path.clone());
    c.git_branch = Some(format!("fix/{TOKEN}"));
    c.project_dir.clone_from(&path);
    c.project_name = TOKEN.into();
    let message = &mut c.messages[1];
    message.content = format!("use {TOKEN}");
    message.thinking = Some(format!("the {TOKEN}"));
    message.tool_name = Some(format!("mcp__{TOKEN}"));
    message.role = TOKEN.into();
    *message.locator.file_mut() = path.into();
    library.store(&parsed.incoming()).unwrap();
    let mut document = document(&library, "a");
    document.mask();
    for format in Format::ALL {
        let text = export(format, std::slice::from_ref(&document), &["codex"]).text;
        assert!(!text.contains(TOKEN) && text.contains("[masked: access-token]"), "{}: {text}", format.code());
    }
}

#[test]
fn a_payload_is_what_its_receiver_checks_it_to_be() {
    let folder = tempfile::tempdir().unwrap();
    let mut library = open(folder.path());
    let mut parsed = Parsed::of("codex", "a", &lines());
    parsed.conversation.messages[0].parent_uuid = Some(String::new());
    parsed.conversation.messages[1].parent_uuid = Some("elsewhere".into());
    library.store(&parsed.incoming()).unwrap();
    for mask in [false, true] {
        let mut document = document(&library, "a");
        if mask {
            document.mask();
        }
        let exported = export(Format::Chatcrystal, &[document], &["codex"]);
        assert!(exported.refused.is_empty(), "{:?}", exported.refused);
        let payload: serde_json::Value = serde_json::from_str(&exported.text).unwrap();
        assert_eq!(payload["version"], 1);
        let item = &payload["items"][0];
        assert_eq!(item["sourceConversationId"], "a");
        assert_eq!(item["conversationId"], identity::namespace("codex", "a"));
        assert_eq!(item["parsed"]["id"], item["conversationId"]);
        assert_eq!(item["parsed"]["source"], "codex");
        assert_eq!(item["meta"]["id"], "a");
        let messages = item["parsed"]["messages"].as_array().unwrap();
        assert_eq!(messages.len(), 3, "recovered messages are left out");
        assert_eq!(messages[0]["id"], "codex:a:m0");
        assert_eq!(messages[0]["parentUuid"], serde_json::Value::Null);
        assert_eq!(messages[1]["parentUuid"], "codex:a:elsewhere", "also of a parent that is not here");
        // The hash, made again from what was written.
        let hashed: Vec<_> = messages
            .iter()
            .enumerate()
            .map(|(i, m)| {
                format!(
                    r#"{{"index":{i},"type":{},"role":{},"content":{},"hasToolUse":{},"hasCode":{},"thinking":{}}}"#,
                    m["type"], m["role"], m["content"], m["hasToolUse"], m["hasCode"], m["thinking"]
                )
            })
            .collect();
        let text = format!(r#"{{"source":"codex","messages":[{}]}}"#, hashed.join(","));
        assert_eq!(item["contentHash"], hash::hex(&hash::sha256(text.as_bytes())), "masked: {mask}");
        assert_eq!(item["contentHash"] == hash::hex(&parsed.content_hash), !mask);
    }
}

#[test]
fn what_a_receiver_would_refuse_or_lose_is_refused_with_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let mut library = open(folder.path());
    let mut twice = Parsed::of("codex", "twice", &talk(3));
    twice.conversation.messages[2].id = twice.conversation.messages[0].id.clone();
    let timeless = [said(User, "a"), said(Assistant, "b")];
    for parsed in [
        Parsed::of("codex", "7", &talk(2)),
        Parsed::of("codex", "codex:7", &talk(3)),
        Parsed::of("codex", "short", &talk(1)),
        Parsed::of("codex", " ", &talk(2)),
        Parsed::of("codex", "timeless", &timeless),
        Parsed::of("other", "x", &talk(2)),
        Parsed::of("codex", "fine", &talk(2)),
        twice,
    ] {
        library.store(&parsed.incoming()).unwrap();
    }
    let reader = library.reader().unwrap();
    let documents: Vec<_> = (1..=8).map(|key| reader.document(key).unwrap().unwrap()).collect();
    let exported = export(Format::Chatcrystal, &documents, &["codex", "cursor"]);
    let refused: Vec<_> = exported.refused.iter().map(|r| (r.id.as_str(), r.reason, r.detail.as_str())).collect();
    assert_eq!(
        refused,
        [
            ("7", RefusalReason::IdCollision, "codex:7"),
            ("codex:7", RefusalReason::IdCollision, "7"),
            ("short", RefusalReason::FewerThanTwoMessages, "1"),
            (" ", RefusalReason::EmptyId, ""),
            ("timeless", RefusalReason::NoTimestamp, "m0"),
            ("x", RefusalReason::UnknownSource, "other"),
            ("twice", RefusalReason::MessageIdCollision, "codex:twice:m0"),
        ]
    );
    let payload: serde_json::Value = serde_json::from_str(&exported.text).unwrap();
    assert_eq!(payload["items"].as_array().unwrap().len(), 1, "the others go on");
}
