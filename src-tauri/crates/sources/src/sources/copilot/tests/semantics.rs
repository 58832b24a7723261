//! The semantics of the log, one test each: what VS Code's own reader does with it and, where it gives up, what
//! is told here.

use super::super::hint::Shape;
use super::{contents, parsed, replay};
use assay_model::{Branch, Disposition, Kind, NoticeCode, Reason, Retention, Summary, Verdict, When};
use serde_json::json;

/// A log of a snapshot with one request, and then these lines.
fn log(lines: &[serde_json::Value]) -> String {
    let first = json!({"kind": 0, "v": {"version": 3, "requests": [
        {"requestId": "a", "timestamp": 1_750_000_000_000u64, "message": {"text": "ask"}, "response": [{"value": "one"}, {"value": "two"}]}
    ]}});
    std::iter::once(&first).chain(lines).map(|line| line.to_string() + "\n").collect()
}

/// What the state has at `pointer` after these lines.
fn after(lines: &[serde_json::Value], pointer: &str) -> serde_json::Value {
    replay(&log(lines)).unwrap().pointer(pointer).cloned().unwrap_or(json!("absent"))
}

fn response(lines: &[serde_json::Value]) -> serde_json::Value {
    after(lines, "/requests/0/response")
}

const AT: &str = "response";

#[test]
fn r01_set_and_push_after_the_snapshot() {
    let lines = [json!({"kind": 1, "k": ["customTitle"], "v": "T"}), json!({"kind": 2, "k": ["requests", 0, AT], "v": [{"value": "three"}]})];
    assert_eq!(after(&lines, "/customTitle"), "T");
    assert_eq!(response(&lines), json!([{"value": "one"}, {"value": "two"}, {"value": "three"}]));
}

#[test]
fn r02_a_push_with_an_index_cuts_everything_from_there_off() {
    let lines = [json!({"kind": 2, "k": ["requests", 0, AT], "v": [{"value": "ONE"}], "i": 0})];
    assert_eq!(response(&lines), json!([{"value": "ONE"}]), "it is no insertion: nothing behind the index stays");
}

#[test]
fn r03_a_push_without_values_only_cuts() {
    assert_eq!(response(&[json!({"kind": 2, "k": ["requests", 0, AT], "i": 1})]), json!([{"value": "one"}]));
}

#[test]
fn r04_a_push_to_what_is_absent_makes_it() {
    let lines = [json!({"kind": 2, "k": ["requests"], "v": [{"requestId": "b"}]}), json!({"kind": 2, "k": ["requests", 1, AT], "v": [{"value": "x"}]})];
    assert_eq!(after(&lines, "/requests/1/response"), json!([{"value": "x"}]));
}

#[test]
fn r05_a_deletion_in_an_array_leaves_a_hole_and_shifts_nothing() {
    assert_eq!(response(&[json!({"kind": 3, "k": ["requests", 0, AT, 0]})]), json!([null, {"value": "two"}]));
}

#[test]
fn r06_a_set_without_a_value_removes() {
    assert_eq!(after(&[json!({"kind": 1, "k": ["version"]})], "/version"), "absent");
}

#[test]
fn r07_an_empty_path_changes_nothing_and_is_no_damage() {
    let lines = [json!({"kind": 1, "k": [], "v": {"gone": true}}), json!({"kind": 1, "k": ["customTitle"], "v": "T"})];
    assert_eq!(after(&lines, "/customTitle"), "T");
    assert_eq!(after(&lines, "/version"), 3);
}

#[test]
fn r08_an_index_beyond_the_end_pads_with_holes() {
    let lines = [json!({"kind": 2, "k": ["requests", 0, AT], "v": [{"value": "x"}], "i": 3})];
    assert_eq!(response(&lines), json!([{"value": "one"}, {"value": "two"}, null, {"value": "x"}]));
}

#[test]
fn r09_a_snapshot_may_come_again_and_the_last_one_counts() {
    let text = log(&[json!({"kind": 0, "v": {"requests": [{"requestId": "z", "message": {"text": "anew"}}]}})]);
    let (conversation, _) = parsed(Shape::Log, text.as_bytes());
    assert_eq!(contents(&conversation), ["ask", "one\ntwo", "anew"]);
    assert_eq!(conversation.messages[0].branch, Some(Branch::Superseded), "the first one is told as replaced");
}

#[test]
fn r10_a_torn_tail_leaves_the_state_before_it_and_lists_what_it_says() {
    let whole = log(&[json!({"kind": 2, "k": ["requests"], "v": [{"requestId": "b", "message": {"text": "and the tail"}}]})]);
    let torn = &whole[..whole.find("the tail").unwrap() + 7];
    assert_eq!(replay(torn).unwrap()["requests"].as_array().unwrap().len(), 1);
    let (conversation, ledger) = parsed(Shape::Log, torn.as_bytes());
    assert_eq!(contents(&conversation), ["ask", "one\ntwo", "and the tai"]);
    assert_eq!(conversation.messages[2].branch, Some(Branch::Unplaced));
    assert!(ledger.entries.iter().any(|e| e.disposition == Disposition::Dropped && e.reason == Some(Reason::MalformedJson)));
}

#[test]
fn r11_a_log_without_a_snapshot_is_rebuilt_as_far_as_it_goes() {
    let line = json!({"kind": 2, "k": ["requests"], "v": [{"requestId": "b", "message": {"text": "no snapshot"}}]}).to_string();
    let (conversation, ledger) = parsed(Shape::Log, line.as_bytes());
    assert_eq!(conversation.reference().count(), 0);
    assert_eq!(contents(&conversation), ["no snapshot"]);
    assert!(ledger.notices.iter().any(|n| n.code == NoticeCode::SnapshotMissing));
}

#[test]
fn r12_an_unknown_kind_is_kept_raw_and_ends_the_trust() {
    let lines = [json!({"kind": 9, "k": ["customTitle"], "v": "never"}), json!({"kind": 1, "k": ["customTitle"], "v": "later"})];
    assert_eq!(after(&lines, "/customTitle"), "absent");
    let (_, ledger) = parsed(Shape::Log, log(&lines).as_bytes());
    assert!(ledger.entries.iter().any(|e| e.kind == "log/9" && e.disposition == Disposition::Unknown));
}

#[test]
fn r13_a_change_below_what_is_not_there_ends_the_trust() {
    let lines = [json!({"kind": 1, "k": ["nobody", "x"], "v": "lost"}), json!({"kind": 1, "k": ["customTitle"], "v": "T"})];
    assert_eq!(after(&lines, "/customTitle"), "absent");
    let (conversation, _) = parsed(Shape::Log, log(&lines).as_bytes());
    assert!(contents(&conversation).iter().any(|c| c.contains("lost")), "what it would have written is listed");
}

#[test]
fn r14_half_a_surrogate_is_repaired_and_remarked() {
    let text = log(&[]).replace("one", "cut \\ud83d");
    let (conversation, ledger) = parsed(Shape::Log, text.as_bytes());
    assert_eq!(contents(&conversation)[1], "cut \u{FFFD}\ntwo");
    assert!(ledger.notices.iter().any(|n| n.code == NoticeCode::RepairedText));
}

#[test]
fn r15_carriage_returns_and_blank_lines_are_no_damage() {
    let text = log(&[json!({"kind": 1, "k": ["customTitle"], "v": "T"})]).replace('\n', "\r\n\r\n\n");
    assert_eq!(replay(&text).unwrap()["customTitle"], "T");
}

#[test]
fn r16_a_turn_that_was_edited_stays_readable_before_what_replaced_it() {
    let edited = json!({"kind": 2, "k": ["requests"], "v": [{"requestId": "a2", "message": {"text": "ask better"}}], "i": 0});
    let (conversation, _) = parsed(Shape::Log, log(&[edited]).as_bytes());
    assert_eq!(contents(&conversation), ["ask", "one\ntwo", "ask better"]);
    assert_eq!(conversation.messages[1].branch, Some(Branch::Superseded));
    assert_eq!(conversation.messages[2].branch, None);
}

#[test]
fn r17_thinking_that_went_stale_is_told_in_full_and_once() {
    let turn = json!({"kind": 2, "k": ["requests"], "v": [{"requestId": "b", "message": {"text": "why"},
        "response": [{"kind": "thinking", "id": "t", "value": "Let me"}, {"value": "So."}],
        "result": {"metadata": {"toolCallRounds": [{"id": "r", "response": "So.", "toolCalls": [], "thinking": {"id": "t", "text": "Let me check the file"}}]}}}]});
    let (conversation, _) = parsed(Shape::Log, log(&[turn]).as_bytes());
    assert_eq!(contents(&conversation)[2..], ["why", "Let me check the file", "So."]);
}

#[test]
fn r17b_a_text_with_remarks_that_went_stale_is_told_in_full_and_once() {
    let told = |parts: serde_json::Value, answer: &str| {
        let turn = json!({"kind": 2, "k": ["requests"], "v": [{"requestId": "b", "message": {"text": "why"}, "response": parts,
            "result": {"metadata": {"toolCallRounds": [{"id": "r", "response": answer, "toolCalls": []}]}}}]});
        let (conversation, ledger) = parsed(Shape::Log, log(&[turn]).as_bytes());
        assert_eq!(ledger.unaccounted_bytes(), 0);
        contents(&conversation)[3..].iter().map(|text| (*text).to_owned()).collect::<Vec<_>>()
    };
    let remarked = |text: &str| json!({"kind": "markdownVuln", "content": {"value": text}, "vulnerabilities": [{"title": "SQL"}]});
    let vulnerability = "vulnerabilities: {\"title\":\"SQL\"}";
    let answer = "Like this:\n\n```js\nquery(a + b)\n```\n\nBut do not.";
    let (before, after) = (json!({"value": "Like this:\n\n"}), json!({"value": "But do not."}));
    for (begun, space) in [("```js\nquery(", ""), ("```js\nquery(a + b)\n```\n\n", "\n\n")] {
        let whole = format!("```js\nquery(a + b)\n```{space}\n{vulnerability}");
        let all = told(json!([before, remarked(begun), after]), answer);
        assert_eq!(all, ["Like this:\n\n", whole.as_str(), "But do not."], "{begun}");
    }
    // At the end, nothing says where it ends but the answer.
    let all = told(json!([before, remarked("```js")]), answer);
    assert_eq!(all[1], format!("{}\n{vulnerability}", &answer[12..]));
    // A part of the answer that no other part says: it is told in one piece.
    let all = told(json!([remarked("```js\nquery(")]), answer);
    assert_eq!(all, [format!("```js\nquery(\n{vulnerability}"), answer.to_owned()]);
}

#[test]
fn r18_a_value_that_the_editor_cut_short_says_so() {
    let text = log(&[]).replace("one", "[VS Code: value truncated for persistence; original 2000000 chars]");
    let (conversation, ledger) = parsed(Shape::Log, text.as_bytes());
    assert!(ledger.notices.iter().any(|n| n.code == NoticeCode::TruncatedBySource));
    let verdict = Verdict::of(&conversation, &Summary::of(&conversation, &ledger), Retention::Full);
    assert_eq!(verdict, Verdict::Degraded, "something is missing");
}

#[test]
fn r19_a_path_may_name_an_element_by_text_and_an_array_may_be_made_of_null() {
    let lines = [json!({"kind": 1, "k": ["requests", "0", AT], "v": null}), json!({"kind": 2, "k": ["requests", 0, AT], "v": [{"value": "new"}]})];
    assert_eq!(response(&lines), json!([{"value": "new"}]));
}

#[test]
fn r20_a_number_that_is_none_costs_nothing_but_itself() {
    let text = log(&[]).replace("1750000000000", "1e400");
    let (conversation, ledger) = parsed(Shape::Log, text.as_bytes());
    assert_eq!(contents(&conversation), ["ask", "one\ntwo"]);
    assert!(!matches!(conversation.messages[0].when, When::Recorded(_)));
    assert!(ledger.notices.iter().any(|n| n.code == NoticeCode::InsaneTimestamp));
}

#[test]
fn r21_a_pending_turn_was_interrupted_and_a_queued_prompt_was_never_sent() {
    let lines = [
        json!({"kind": 1, "k": ["requests", 0, "modelState"], "v": {"value": 0}}),
        json!({"kind": 1, "k": ["pendingRequests"], "v": [{"id": "q", "kind": "queued", "request": {"message": {"text": "next"}}}]}),
    ];
    let (conversation, _) = parsed(Shape::Log, log(&lines).as_bytes());
    assert_eq!(contents(&conversation), ["ask", "one\ntwo", "response pending", "next"]);
    assert_eq!(conversation.messages[3].kind, Kind::Draft);
}

#[test]
fn r22_an_empty_file_is_an_empty_conversation() {
    let (conversation, ledger) = parsed(Shape::Log, b"");
    assert!(conversation.messages.is_empty() && ledger.entries.is_empty());
}

#[test]
fn r23_a_line_of_one_carriage_return_is_blank() {
    let text = format!("{}\r\n{}\n", log(&[]).trim_end().to_owned() + "\n\r", json!({"kind": 1, "k": ["customTitle"], "v": "T"}));
    assert_eq!(replay(&text).unwrap()["customTitle"], "T");
}

#[test]
fn r24_a_snapshot_after_damage_is_trusted_again() {
    let text = log(&[]) + "{torn\n" + &log(&[json!({"kind": 1, "k": ["customTitle"], "v": "T"})]);
    assert_eq!(replay(&text).unwrap()["customTitle"], "T");
}

/// All the text of a conversation, and its verdict.
fn told(shape: Shape, text: &[u8]) -> (String, Verdict, Vec<String>) {
    let (conversation, ledger) = parsed(shape, text);
    assert_eq!(ledger.unaccounted_bytes(), 0);
    let verdict = Verdict::of(&conversation, &Summary::of(&conversation, &ledger), Retention::Full);
    let entries = ledger.entries.iter().map(|e| format!("{} {}", e.kind, e.disposition.code())).collect();
    (contents(&conversation).join("\n"), verdict, entries)
}

#[test]
fn r25_what_a_change_without_a_readable_path_would_have_written_is_kept() {
    let request = json!([{"requestId": "q", "message": {"text": "lost words"}, "response": [{"value": "lost answer"}]}]);
    for path in [json!("requests"), json!(null), json!(["requests", 0, null]), json!([]), json!(7)] {
        for (kind, v) in [(1, json!("lost words and a lost answer")), (1, request.clone()), (2, request.clone())] {
            let (text, verdict, entries) = told(Shape::Log, log(&[json!({"kind": kind, "k": path, "v": v})]).as_bytes());
            assert!(text.contains("lost words") && text.contains("lost answer"), "{kind} {path}: {text}");
            assert_eq!(verdict, Verdict::Degraded, "{kind} {path}");
            assert!(entries.iter().any(|e| e.ends_with(" unknown")), "{kind} {path}: {entries:?}");
        }
    }
}

#[test]
fn r26_a_whole_session_with_a_bad_byte_or_nul_bytes_in_front_keeps_what_stands_whole() {
    let whole = json!({"version": 3, "customTitle": "T", "requests": [
        {"requestId": "a", "message": {"text": "first"}, "response": [{"value": "one"}]},
        {"requestId": "b", "message": {"text": "second"}, "response": [{"value": "two"}]},
    ]})
    .to_string();
    let (text, ..) = told(Shape::Whole, format!("{}{whole}", "\0".repeat(40)).as_bytes());
    assert_eq!(text, "first\none\nsecond\ntwo");
    let (text, verdict, entries) = told(Shape::Whole, whole.replace("\"first\"", "#first\"").as_bytes());
    assert!(text.contains("second") && text.contains("two") && text.contains("one"), "{text}");
    assert_eq!(verdict, Verdict::Degraded);
    assert!(entries.iter().any(|e| e == "malformed dropped") && entries.iter().any(|e| e == "piece recovered"), "{entries:?}");
    // Braces without an end cost a bounded time.
    told(Shape::Whole, format!("{{\"a\": # {}", "{\"a\":".repeat(20_000)).as_bytes());
}

#[test]
fn the_first_line_needs_no_kind() {
    for first in [r#"{"v":{"requests":[{"message":{"text":"hi"}}]}}"#, r#"{"requests":[{"message":{"text":"hi"}}]}"#] {
        let (conversation, _) = parsed(Shape::Log, format!("{first}\n{{\"kind\":1,\"k\":[\"customTitle\"],\"v\":\"T\"}}\n").as_bytes());
        assert_eq!(conversation.reference().map(|m| m.content.as_str()).collect::<Vec<_>>(), ["hi"], "{first}");
        assert_eq!(conversation.slug.as_deref(), Some("T"), "{first}");
    }
    let later = log(&[json!({"v": {"requests": []}})]);
    assert_eq!(after(&[json!({"v": {"requests": []}})], "/version"), 3, "only the first: {later}");
}

#[test]
fn calls_of_one_id_are_one_call_unless_the_tool_or_the_answer_says_otherwise() {
    let event = |kind: &str, data: serde_json::Value| json!({"type": kind, "id": data.to_string(), "data": data}).to_string() + "\n";
    let start = |tool: serde_json::Value| {
        let mut data = json!({"toolCallId": "c", "arguments": {}});
        data.as_object_mut().unwrap().extend(tool.as_object().unwrap().clone());
        event("tool.execution_start", data)
    };
    let answer = |text: &str| event("tool.execution_complete", json!({"toolCallId": "c", "success": true, "result": {"content": text}}));
    let asked = event("assistant.message", json!({"content": "", "toolRequests": [{"toolCallId": "c", "name": "look", "arguments": {}}]}));
    let calls = |text: &str| {
        let (conversation, _) = parsed(Shape::Events, text.as_bytes());
        let calls = conversation.messages.iter().filter(|m| m.kind == Kind::ToolCall);
        calls.map(|m| m.tool_name.clone().unwrap_or_default()).collect::<Vec<_>>()
    };
    let (look, find) = (start(json!({"toolName": "look"})), start(json!({"toolName": "find"})));
    assert_eq!(calls(&format!("{asked}{look}{}", answer("a"))), ["look"], "asked for, then started");
    assert_eq!(calls(&format!("{look}{find}{}", answer("a"))), ["look", "find"], "another tool");
    assert_eq!(calls(&format!("{look}{}{look}{}", answer("a"), answer("b"))), ["look", "look"], "after its answer");
    assert_eq!(calls(&start(json!({"mcpServerName": "docs", "mcpToolName": "look"}))), ["docs-look"]);
    let odd = start(json!({"toolName": ["a name of another type"]}));
    let (_, ledger) = parsed(Shape::Events, odd.as_bytes());
    assert!(ledger.entries.iter().any(|e| e.excerpt.as_deref().is_some_and(|said| said.contains("a name of another type"))));
}

#[test]
fn a_decision_is_told_where_it_is_a_denial_and_not_where_a_word_says_so() {
    let told = |result: serde_json::Value| {
        let line = json!({"type": "permission.completed", "id": "p", "data": {"requestId": "r", "result": result}}).to_string();
        parsed(Shape::Events, line.as_bytes()).0.messages.len()
    };
    assert_eq!([json!({"kind": "denied-by-rules"}), json!("denied"), json!({"kind": "approved", "path": "/denied"})].map(told), [1, 1, 0]);
}

#[test]
fn r16b_all_turns_behind_an_edited_one_stand_before_what_replaced_them() {
    let turn = |id: &str| json!({"requestId": id, "message": {"text": id}, "response": [{"value": format!("{id} answered")}]});
    let lines = [
        json!({"kind": 2, "k": ["requests"], "v": [turn("b"), turn("c"), turn("d")]}),
        json!({"kind": 2, "k": ["requests"], "v": [turn("b2")], "i": 1}),
        json!({"kind": 2, "k": ["requests"], "v": [turn("e")]}),
        json!({"kind": 2, "k": ["requests"], "v": [turn("b3")], "i": 1}),
    ];
    let (conversation, _) = parsed(Shape::Log, log(&lines).as_bytes());
    let told: Vec<&str> = conversation.messages.iter().filter(|m| m.kind == Kind::Text).map(|m| m.content.as_str()).collect();
    let asked: Vec<&str> = told.into_iter().filter(|text| text.len() <= 3).collect();
    assert_eq!(asked, ["ask", "b", "c", "d", "b2", "e", "b3"]);
}

#[test]
fn attachments_of_the_first_versions_stand_in_an_object_by_name() {
    let shapes = [
        (json!({"variables": {"file:a.ts": [{"level": "full", "value": "OLD ONE"}, "OLD TWO"], "selection": "OLD THREE"}}), 3),
        (json!({"file:a.ts": [{"level": "full", "value": "OLD ONE"}, "OLD TWO"], "selection": "OLD THREE"}), 3),
        (json!({"variables": [{"name": "a.ts", "value": "OLD ONE"}, ["OLD TWO"], "OLD THREE"]}), 3),
    ];
    for (data, count) in shapes {
        let text = json!({"version": 1, "requests": [{"message": {"text": "q"}, "variableData": data}]}).to_string();
        let (conversation, ledger) = parsed(Shape::Whole, text.as_bytes());
        let attached: Vec<&str> =
            conversation.messages.iter().filter(|m| m.kind == Kind::Attachment).map(|m| m.content.as_str()).collect();
        assert_eq!(attached.len(), count, "{data}");
        assert!(["OLD ONE", "OLD TWO", "OLD THREE"].iter().zip(&attached).all(|(word, said)| said.contains(word)), "{attached:?}");
        assert!(ledger.entries.iter().filter(|e| e.kind == "request/variable").all(|e| e.disposition == Disposition::Recovered));
    }
}

/// Whatever stands where a field is known to be, of whatever type: it is in a message or has an entry of its own.
#[test]
fn a_value_of_another_type_is_never_silent() {
    let session = json!({"version": 3, "requests": [{
        "requestId": "r", "timestamp": 1_750_000_000_000u64,
        "message": {"text": "ask", "parts": [{"kind": "text", "text": "ask"}]},
        "variableData": {"variables": [{"kind": "file", "name": "a.ts", "value": "body"}]},
        "response": [
            {"value": "one"}, {"kind": "thinking", "value": "hm", "id": "t"},
            {"kind": "toolInvocationSerialized", "toolId": "run", "toolCallId": "c", "invocationMessage": "Running",
             "toolSpecificData": {"kind": "terminal", "command": "ls"}, "resultDetails": {"input": "ls", "output": "a.ts"}},
            {"kind": "textEditGroup", "uri": {"scheme": "file", "path": "/a.ts"}, "edits": [[{"text": "new"}]]},
            {"kind": "warning", "content": {"value": "careful"}},
        ],
        "result": {"errorDetails": {"message": "failed"}, "metadata": {
            "toolCallRounds": [{"response": "said", "thinking": {"text": "thought", "id": "u"}, "toolCalls": [{"id": "c", "name": "run", "arguments": "{}"}, {"id": "d", "name": "run", "arguments": "{}"}]}],
            "toolCallResults": {"d": {"content": [{"value": "answer"}]}}, "summary": {"text": "short"}}},
        "codeCitations": [{"license": "MIT", "value": "u", "snippet": "s"}],
    }], "pendingRequests": [{"id": "p", "request": {"message": {"text": "next"}}}], "inputState": {"inputText": "draft"}});
    let odd = [json!([["ODD WORDS"]]), json!(["ODD WORDS"]), json!({"odd": "ODD WORDS"}), json!("ODD WORDS"), json!([{"odd": "ODD WORDS"}])];
    let mut places = vec![String::new()];
    let mut all = Vec::new();
    while let Some(place) = places.pop() {
        match session.pointer(&place).unwrap() {
            serde_json::Value::Object(members) => places.extend(members.keys().map(|key| format!("{place}/{key}"))),
            serde_json::Value::Array(items) => places.extend((0..items.len()).map(|at| format!("{place}/{at}"))),
            _ => {}
        }
        // These say which, what and when, not what was said.
        if !["/version", "Id", "/id", "/kind", "/timestamp"].iter().any(|end| place.ends_with(end)) {
            all.push(place);
        }
    }
    let mut silent = Vec::new();
    for place in all.iter().filter(|place| !place.is_empty()) {
        for value in &odd {
            let mut session = session.clone();
            *session.pointer_mut(place).unwrap() = value.clone();
            let (conversation, ledger) = parsed(Shape::Whole, session.to_string().as_bytes());
            let told = conversation.messages.iter().any(|m| {
                [Some(&m.content), m.thinking.as_ref(), m.tool_name.as_ref()].into_iter().flatten().any(|t| t.contains("ODD WORDS"))
            });
            let listed = ledger.entries.iter().any(|e| e.excerpt.as_deref().is_some_and(|e| e.contains("ODD WORDS")));
            if !told && !listed {
                silent.push(format!("{place} {value}"));
            }
        }
    }
    assert!(silent.is_empty(), "{silent:#?}");
}

#[test]
fn a_part_that_is_no_object_is_unknown() {
    let text = r#"{"version":3,"requests":[{"message":{"text":"q"},"response":[["WORDS in a list"],{"value":"a"},7]}]}"#;
    let (conversation, ledger) = parsed(Shape::Whole, text.as_bytes());
    assert_eq!(contents(&conversation), ["q", r#"["WORDS in a list"]"#, "a", "7"]);
    let unknown = ledger.entries.iter().filter(|e| e.disposition == Disposition::Unknown && e.kind == "response/part");
    assert_eq!(unknown.count(), 2);
}

#[test]
fn requests_of_one_id_are_told_apart() {
    let request = |id: &str, ask: &str| json!({"requestId": id, "message": {"text": ask}, "response": [{"value": format!("re {ask}")}]});
    let requests = [request("a", "one"), request("a", "two"), request("a", "one"), request("resp-a", "three")];
    let first = json!({"kind": 0, "v": {"version": 3, "requests": requests}}).to_string() + "\n";
    let ids = |text: &str| {
        let (conversation, ledger) = parsed(Shape::Log, text.as_bytes());
        let ids: Vec<String> = conversation.messages.iter().map(|m| m.id.clone()).collect();
        let said: Vec<String> = ledger.notices.iter().filter(|n| n.code == NoticeCode::DuplicateOf).map(|n| n.detail.clone()).collect();
        (ids, said)
    };
    let (mine, said) = ids(&first);
    assert_eq!(mine, ["a", "resp-a", "a~1", "resp-a~1", "a~2", "resp-a~2", "resp-a~3", "resp-resp-a~3"]);
    assert_eq!(said, ["requestId a~1 differs from a", "requestId a~2 = a", "requestId resp-a~3 differs from resp-a"]);
    // A later snapshot repeats them, and says nothing anew.
    assert_eq!(ids(&(first.clone() + &first)).0, mine);
}

#[test]
fn a_prompt_of_the_command_line_by_another_name_is_told() {
    let line = |data: serde_json::Value| json!({"type": "user.message", "id": "e", "data": data}).to_string() + "\n";
    for data in [json!({"prompt": "A WHOLE PROMPT"}), json!({"content": "", "prompt": "A WHOLE PROMPT"})] {
        let (conversation, ledger) = parsed(Shape::Events, line(data).as_bytes());
        assert_eq!(contents(&conversation), ["A WHOLE PROMPT"]);
        assert_eq!(conversation.messages[0].kind, Kind::Text);
        let block = ledger.entries.iter().find(|e| e.kind == "user.message/prompt").unwrap();
        assert_eq!(block.disposition, Disposition::Recovered);
    }
    let both = line(json!({"content": "said", "prompt": "as sent"}));
    assert_eq!(contents(&parsed(Shape::Events, both.as_bytes()).0), ["said"]);
}
