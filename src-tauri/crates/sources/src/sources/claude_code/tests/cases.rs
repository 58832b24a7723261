//! Known faults of readers of these transcripts, each with what is right.

use super::*;
use assay_model::{Branch, Message, NoticeCode, Reason};
use serde_json::{Value as Json, json};

fn lines(records: &[Json]) -> Vec<u8> {
    records.iter().map(|r| format!("{r}\n")).collect::<String>().into_bytes()
}

pub(super) fn user(uuid: &str, parent: Option<&str>, text: &str) -> Json {
    json!({"type": "user", "uuid": uuid, "parentUuid": parent, "sessionId": "s", "timestamp": "2026-01-01T00:00:00Z",
        "message": {"role": "user", "content": text}})
}

fn assistant(uuid: &str, parent: &str, message: Json) -> Json {
    json!({"type": "assistant", "uuid": uuid, "parentUuid": parent, "sessionId": "s",
        "timestamp": "2026-01-01T00:00:01Z", "message": message})
}

fn answer(uuid: &str, parent: &str, text: &str) -> Json {
    assistant(uuid, parent, json!({"role": "assistant", "content": [{"type": "text", "text": text}]}))
}

pub(super) fn texts(messages: &[Message]) -> Vec<&str> {
    messages.iter().map(|m| m.content.as_str()).collect()
}

#[test]
fn nested_branches_keep_every_message_and_the_last_end_is_live() {
    // Seventeen forks inside each other; the longest branch is never the first child.
    let mut records = vec![user("u0", None, "start")];
    for n in 0..17 {
        let at = format!("u{n}");
        records.push(user(&format!("x{n}"), Some(&at), &format!("left {n}")));
        records.push(answer(&format!("y{n}"), &format!("x{n}"), &format!("left answer {n}")));
        records.push(user(&format!("u{}", n + 1), Some(&at), &format!("on {n}")));
    }
    let (c, _) = read(&lines(&records));
    assert_eq!(c.messages.len(), 1 + 17 * 3, "no branch is discarded");
    let live = texts(&c.messages.iter().filter(|m| m.branch.is_none()).cloned().collect::<Vec<_>>()).join(" ");
    assert!(live.starts_with("start on 0 on 1") && live.ends_with("on 16") && !live.contains("left"), "{live}");
    assert!(c.messages.iter().filter(|m| m.content.starts_with("left")).all(|m| m.branch == Some(Branch::Abandoned)));
}

#[test]
fn words_of_another_type_where_a_block_has_its_text_are_kept_raw() {
    let blocks = |content: Json| assistant("a1", "u1", json!({"role": "assistant", "content": content}));
    for (block, words) in [
        (json!({"type": "text", "text": ["WORDS"]}), "[\"WORDS\"]"),
        (json!({"type": "thinking", "thinking": {"t": "WORDS"}}), "{\"t\":\"WORDS\"}"),
        (json!({"type": "thinking", "thinking": {"t": "WORDS"}, "signature": "c2ln"}), "{\"t\":\"WORDS\"}"),
        (json!({"type": "compaction", "content": ["WORDS"]}), "[\"WORDS\"]"),
    ] {
        let name = block["type"].as_str().unwrap().to_owned();
        for content in [json!([block.clone()]), json!([{"type": "text", "text": "said"}, block.clone()])] {
            let (c, ledger) = read(&lines(&[user("u1", None, "go"), blocks(content)]));
            let raw = c.messages.iter().find(|m| m.content == words);
            assert_eq!(raw.map(Message::reason), Some(Some(Reason::UnknownKind)), "{block}");
            let kinds: Vec<&str> = ledger.entries.iter().map(|e| &*e.kind).filter(|k| k.contains('/')).collect();
            assert!(kinds.iter().any(|k| k.ends_with(&format!("{name}/{}", if name == "compaction" { "content" } else { &name }))), "{kinds:?}");
            assert!(c.reference().all(|m| !m.content.contains("WORDS") && m.thinking.is_none()));
        }
    }
    let (c, _) = read(&lines(&[user("u1", None, "go"), blocks(json!([{"type": "text", "text": null}]))]));
    assert_eq!(texts(&c.messages), ["go"], "nothing is nothing");
}

#[test]
fn two_compactions_keep_everything_in_order() {
    let boundary = |uuid: &str, before: &str| {
        json!({"type": "system", "subtype": "compact_boundary", "uuid": uuid, "parentUuid": null,
            "logicalParentUuid": before, "content": format!("compacted {uuid}"), "timestamp": "2026-01-01T00:00:02Z"})
    };
    let (c, ledger) = read(&lines(&[
        user("u1", None, "one"),
        answer("a1", "u1", "1"),
        boundary("k1", "a1"),
        user("u2", Some("k1"), "two"),
        answer("a2", "u2", "2"),
        boundary("k2", "a2"),
        user("u3", Some("k2"), "three"),
    ]));
    let all = texts(&c.messages);
    assert_eq!(all, ["one", "1", "compacted k1", "two", "2", "compacted k2", "three"]);
    assert!(c.messages.iter().all(|m| m.branch.is_none()), "nothing was left: {all:?}");
    assert!(ledger.notices.iter().all(|n| n.code != NoticeCode::BrokenTree));
}

#[test]
fn no_tree_is_left_because_another_follows() {
    let first = [user("u1", None, "red"), answer("a1", "u1", "Red.")];
    let again = [user("u2", None, "green"), answer("a2", "u2", "Green.")];
    let named = json!({"type": "last-prompt", "lastPrompt": "green", "leafUuid": "a2"});
    for end in [&[][..], &[named]] {
        let (c, _) = read(&lines(&[&first[..], &again[..], end].concat()));
        let marked: Vec<_> = c.messages.iter().filter(|m| m.branch.is_some()).collect();
        assert!(marked.is_empty(), "a session that was taken up again or cleared has several roots: {marked:?}");
    }
}

#[test]
fn a_record_written_twice_leaves_the_first_copy_on_the_live_path() {
    let whole = [user("u1", None, "q1"), answer("a1", "u1", "1"), user("u2", Some("a1"), "q2"), answer("a2", "u2", "2")];
    // Which records are written again, and after which.
    let cases: [(&str, &[usize]); 4] =
        [("root", &[0, 0, 1, 2, 3]), ("middle", &[0, 1, 1, 2, 3]), ("late", &[0, 1, 2, 3, 0]), ("all", &[0, 1, 2, 3, 0, 1, 2, 3])];
    for (name, order) in cases {
        let records: Vec<Json> = order.iter().map(|at| whole[*at].clone()).collect();
        let (c, ledger) = read(&lines(&records));
        assert_eq!(c.messages.len(), order.len(), "{name}: every copy stays");
        for (at, message) in c.messages.iter().enumerate() {
            let first = order[..at].iter().all(|o| *o != order[at]);
            let id = ["u1", "a1", "u2", "a2"][order[at]];
            let expected = if first { (None, None) } else { (Some(Branch::Superseded), Some(id)) };
            assert_eq!((message.branch, message.superseded_by.as_deref()), expected, "{name} #{at}");
        }
        let told = ledger.notices.iter().filter(|n| n.code == NoticeCode::DuplicateOf).count();
        assert_eq!(told, order.len() - whole.len(), "{name}");
        assert!(ledger.notices.iter().all(|n| n.code != NoticeCode::BrokenTree), "{name}");
    }
}

#[test]
fn a_record_with_an_id_in_use_and_other_words_is_kept_and_reported() {
    let records = [user("u1", None, "q1"), user("u1", None, "other words"), answer("a1", "u1", "1")];
    let (c, ledger) = read(&lines(&records));
    assert_eq!(texts(&c.messages), ["q1", "other words", "1"]);
    assert!(c.messages.iter().all(|m| m.branch.is_none()), "nobody left anything");
    assert!(ledger.notices.iter().any(|n| n.code == NoticeCode::DuplicateOf && n.detail.contains("differs")));
}

#[test]
fn why_an_answer_ended_is_told_once_unless_it_was_complete() {
    let part = |uuid: &str, parent: &str, text: &str, why: Json| {
        assistant(uuid, parent, json!({"id": "m1", "role": "assistant", "stop_reason": why,
            "content": [{"type": "text", "text": text}]}))
    };
    let (c, ledger) = read(&lines(&[
        user("u1", None, "go"),
        part("a1", "u1", "half of", json!("max_tokens")),
        part("a2", "a1", "it", json!("max_tokens")),
    ]));
    assert_eq!(texts(&c.messages), ["go", "half of", "stop_reason: max_tokens", "it"]);
    assert!(ledger.entries.iter().any(|e| e.kind == "assistant/stop_reason" && e.reason == Some(Reason::Duplicate)));
    for complete in ["end_turn", "tool_use", "stop_sequence"] {
        let (c, _) = read(&lines(&[part("a1", "u1", "all", json!(complete))]));
        assert_eq!(c.messages.len(), 1, "{complete}");
    }
}

#[test]
fn only_a_string_of_redacted_thinking_is_encrypted() {
    let read = |data: Json| {
        read(&lines(&[assistant("a1", "u1", json!({"role": "assistant",
            "content": [{"type": "text", "text": "t"}, {"type": "redacted_thinking", "data": data}]}))]))
    };
    let reasons = |ledger: &Ledger| -> Vec<_> { ledger.entries.iter().filter_map(|e| e.reason).collect() };
    assert_eq!(reasons(&read(json!("QUJD")).1), [Reason::Reasoning, Reason::EncryptedContent]);
    assert_eq!(reasons(&read(Json::Null).1), [Reason::EmptyMessage]);
    let (c, ledger) = read(json!({"words": "in clear"}));
    assert_eq!(reasons(&ledger), [Reason::UnknownKind]);
    assert!(c.messages.iter().any(|m| m.content.contains("in clear")), "kept raw");
}

#[test]
fn a_line_of_megabytes_keeps_its_words_and_tells_its_image_by_size() {
    let image = json!({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "A".repeat(12 << 20)}});
    let record = json!({"type": "user", "uuid": "u1", "timestamp": "2026-01-01T00:00:00Z",
        "message": {"role": "user", "content": [{"type": "text", "text": "what is this?"}, image]}});
    let (c, ledger) = read(&lines(&[record]));
    assert_eq!(c.messages[0].content, "what is this?");
    assert!(c.messages[1].content.starts_with("[image/png, 9437184 bytes, sha256 "), "{}", c.messages[1].content);
    assert!(c.messages.iter().map(|m| m.content.len()).sum::<usize>() < 1000, "the body is not carried along");
    assert_eq!(ledger.unaccounted_bytes(), 0);
}

#[test]
fn an_answer_without_id_and_model_and_a_record_of_a_new_kind_fail_nothing() {
    let (c, ledger) = read(&lines(&[
        answer("a1", "u1", "no id"),
        json!({"type": "frobnicate", "uuid": "f1", "what": "new"}),
        user("u2", Some("a1"), "on"),
    ]));
    assert_eq!(texts(&c.reference().cloned().collect::<Vec<_>>()), ["on", "no id"]);
    let unknown: Vec<_> = ledger.entries.iter().filter(|e| e.disposition == Disposition::Unknown).collect();
    assert_eq!(unknown.len(), 1);
    assert_eq!(unknown[0].kind, "frobnicate");
    assert!(c.messages.iter().any(|m| m.content.contains("\"what\":\"new\"")));
}

#[test]
fn an_answer_in_three_lines_is_three_messages_and_its_usage_is_in_none() {
    let part = |uuid: &str, parent: &str, block: Json, output: u32| {
        assistant(uuid, parent, json!({"id": "m1", "role": "assistant", "content": [block],
            "usage": {"input_tokens": 91, "output_tokens": output}}))
    };
    let (c, ledger) = read(&lines(&[
        part("a1", "u1", json!({"type": "thinking", "thinking": "hm", "signature": "x"}), 1),
        part("a2", "a1", json!({"type": "text", "text": "Done."}), 40),
        part("a3", "a2", json!({"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "ls"}}), 57),
    ]));
    assert_eq!(c.reference().count(), 3, "as the published rules have it");
    assert!(c.messages.iter().all(|m| m.branch.is_none()), "they add up, none is a snapshot of another");
    assert!(c.messages.iter().all(|m| !m.content.contains("91") && !m.content.contains("57")), "nothing is counted");
    assert!(ledger.entries.iter().all(|e| e.disposition != Disposition::Unknown));
}

#[test]
fn a_transcript_that_is_all_side_conversation_is_told_in_full() {
    let aside = |mut record: Json| {
        record["isSidechain"] = json!(true);
        record
    };
    let (c, _) = read(&lines(&[
        aside(user("u1", None, "look")),
        aside(answer("a1", "u1", "seen")),
        aside(user("u2", Some("a1"), "thanks")),
    ]));
    assert_eq!(texts(&c.messages), ["look", "seen", "thanks"]);
    assert!(c.messages.iter().all(|m| m.branch.is_none()), "in a file of its own it is the story");
}

#[test]
fn a_character_over_any_boundary_is_whole() {
    // 300 KB in which a three-byte character lies over each of the usual limits.
    for shift in 0..3 {
        let long = format!("{}{}", "x".repeat(shift), "界".repeat(100_000));
        let (c, ledger) = read(&lines(&[user("u1", None, &long), answer("a1", "u1", "读完了 🙂")]));
        assert_eq!(texts(&c.messages), [long.as_str(), "读完了 🙂"]);
        assert!(ledger.notices.iter().all(|n| n.code != NoticeCode::RepairedText), "nothing had to be repaired");
    }
}

#[test]
fn damage_in_the_middle_costs_itself_only() {
    let good = |n: u32| user(&format!("u{n}"), None, &format!("good {n}")).to_string();
    let mut bytes = format!("{}\n", good(1)).into_bytes();
    bytes.extend_from_slice(&[0; 4096]);
    bytes.extend_from_slice(format!("\n{}\n{}\n{}\n", good(2), &good(3)[..60], good(4)).as_bytes());
    let (c, ledger) = read(&bytes);
    assert_eq!(c.reference().count(), 3);
    let of = |reason| ledger.entries.iter().filter(|e| e.reason == Some(reason)).collect::<Vec<_>>();
    let (nul, cut) = (of(Reason::NulRun), of(Reason::MalformedJson));
    assert_eq!((nul.len(), cut.len()), (1, 1));
    assert!(nul[0].bytes >= 4096);
    assert!(cut[0].excerpt.as_deref().is_some_and(|e| e.contains("user")));
}

#[test]
#[cfg(unix)]
fn a_link_to_a_transcript_is_no_second_conversation() {
    let home = tempfile::tempdir().unwrap();
    let projects = home.path().join(".claude/projects");
    write(&projects.join("-b/s.jsonl"), &transcript());
    write(&projects.join("-b/s/subagents/agent-1.jsonl"), &transcript());
    std::os::unix::fs::symlink(projects.join("-b"), projects.join("-a")).unwrap();
    std::os::unix::fs::symlink(projects.join("-b/s.jsonl"), projects.join("-b/t.jsonl")).unwrap();
    let roots = Roots::new(home.path(), Platform::Linux);
    let (found, all) = scan(&roots);
    assert_eq!(ids(&all), [("s", Coverage::Reference), ("agent-1", Coverage::Extended)]);
    assert_eq!(found.conversations, 2);
    assert_eq!(found.roots[0].note.as_deref(), Some("second-paths=4"));
    assert_eq!(all[0].file_path, projects.join("-b/s.jsonl"), "the file itself, not the link");
    let (_, ledger) = parse(&Adapter, &all[0], &Adapter.collect(&roots, &all[0]).unwrap());
    let told: Vec<_> = ledger.notices.iter().filter(|n| n.code == NoticeCode::DuplicateOf).collect();
    assert_eq!(told.len(), 3, "each other path is reported: {told:?}");
}

#[test]
fn an_early_agent_beside_its_session_is_not_told_twice() {
    let home = tempfile::tempdir().unwrap();
    let project = home.path().join(".claude/projects/-p");
    let inner = user("c1", None, "look around");
    let progress = json!({"type": "progress", "uuid": "p1", "sessionId": "s", "timestamp": "2026-01-01T00:00:00Z",
        "parentToolUseID": "toolu_1", "data": {"type": "agent_progress", "agentId": "77", "message": inner}});
    let other = json!({"type": "progress", "uuid": "p2", "sessionId": "s", "timestamp": "2026-01-01T00:00:00Z",
        "parentToolUseID": "toolu_2", "data": {"type": "agent_progress", "agentId": "88", "message": user("d1", None, "only here")}});
    let text = |records: &[Json]| String::from_utf8(lines(records)).unwrap();
    write(&project.join("s.jsonl"), &text(&[user("u1", None, "start"), progress, other]));
    write(&project.join("agent-77.jsonl"), &text(&[inner]));
    let roots = Roots::new(home.path(), Platform::Linux);
    let all = scan(&roots).1;
    let session = all.iter().find(|c| c.id == "s").unwrap();
    let (c, _) = parse(&Adapter, session, &Adapter.collect(&roots, session).unwrap());
    assert_eq!(texts(&c.messages), ["start", "only here"], "a transcript of its own has the other");
}

#[test]
fn a_prompt_of_the_history_is_known_by_its_words() {
    let home = tempfile::tempdir().unwrap();
    let said = ["Look:\na\nb\nPlease.", "<command-name>/fix</command-name>\n<command-args>the door</command-args>", "<bash-input>ls -l</bash-input>", "plain"];
    let records: Vec<Json> = said.iter().enumerate().map(|(n, t)| user(&format!("u{n}"), None, t)).collect();
    write(&home.path().join(".claude/projects/-p/s.jsonl"), std::str::from_utf8(&lines(&records)).unwrap());
    let prompt = |text: &str, session: &str| json!({"display": text, "pastedContents": {}, "timestamp": 1767225600000i64, "sessionId": session});
    let known = ["Look:\r\n[Pasted text #1 +1 lines]\nPlease.", "/fix the door", "!ls -l", " plain "];
    let new = ["Look:\n[Pasted text #1 +1 lines]\nNow.", "/fix the window", "!ls -a", "plain text", "[Pasted text #1 +1 lines]"];
    let history: Vec<Json> = known.iter().chain(&new).map(|t| prompt(t, "s")).chain([prompt("plain", "gone")]).collect();
    write(&home.path().join(".claude/history.jsonl"), std::str::from_utf8(&lines(&history)).unwrap());
    let roots = Roots::new(home.path(), Platform::Linux);
    let (found, all) = scan(&roots);
    assert_eq!((found.conversations, all.len()), (2, 2));
    let history = all.iter().find(|c| c.id == "history").unwrap();
    let (c, ledger) = parse(&Adapter, history, &Adapter.collect(&roots, history).unwrap());
    assert_eq!(texts(&c.messages), [&new[..], &["plain"]].concat());
    assert_eq!(ledger.unaccounted_bytes(), 0);
}

#[test]
fn a_prompt_of_the_history_is_a_copy_only_of_what_was_said_then() {
    let home = tempfile::tempdir().unwrap();
    let said = |minute: u32, id: &str, text: &str| {
        let time = format!("2026-01-01T00:{minute:02}:00Z");
        json!({"type": "user", "uuid": id, "timestamp": time, "message": {"role": "user", "content": text}})
    };
    let mut answer = said(9, "a1", "said by the model");
    answer["type"] = json!("assistant");
    let again = said(20, "u1", "continue");
    let waits = |operation: &str, content: Option<&str>, minute: u32| {
        json!({"type": "queue-operation", "operation": operation, "content": content, "timestamp": format!("2026-01-01T00:{minute:02}:00Z")})
    };
    let records = [
        again.clone(),
        again,
        said(21, "u2", "<command-name>/fix</command-name>\n<command-args>the doors</command-args>"),
        said(22, "u3", "I foresee a b nowhere"),
        said(23, "u4", "Read one\ntwo now"),
        json!({"type": "last-prompt", "lastPrompt": "only the last prompt", "sessionId": "s"}),
        answer,
        waits("enqueue", Some("queued"), 30),
        waits("dequeue", None, 35),
        said(35, "u5", "queued"),
    ];
    write(&home.path().join(".claude/projects/-p/s.jsonl"), std::str::from_utf8(&lines(&records)).unwrap());
    let prompt = |minute: i64, text: &str, pasted: &[&str]| {
        let pasted: serde_json::Map<String, Json> =
            pasted.iter().enumerate().map(|(n, t)| ((n + 1).to_string(), json!({"type": "text", "content": t}))).collect();
        json!({"display": text, "pastedContents": pasted, "timestamp": 1767225600000i64 + minute * 60_000, "sessionId": "s"})
    };
    let history = [
        prompt(10, "continue", &[]),
        prompt(20, "continue", &[]),
        prompt(21, "/fix the door", &[]),
        prompt(22, "see [Pasted text #1 +1 lines] now", &[]),
        prompt(23, "Read [Pasted text #1 +1 lines] now", &["one\ntwo"]),
        prompt(24, "only the last prompt", &[]),
        prompt(25, "said by the model", &[]),
        prompt(29, "queued", &[]),
        prompt(30, "queued", &[]),
    ];
    write(&home.path().join(".claude/history.jsonl"), std::str::from_utf8(&lines(&history)).unwrap());
    let roots = Roots::new(home.path(), Platform::Linux);
    let history = scan(&roots).1.into_iter().find(|c| c.id == "history").unwrap();
    let (c, ledger) = parse(&Adapter, &history, &Adapter.collect(&roots, &history).unwrap());
    let told: Vec<(i64, &str)> =
        c.messages.iter().map(|m| ((m.when.at().unwrap().millis() - 1767225600000) / 60_000, &*m.content)).collect();
    assert_eq!(
        told,
        [
            (10, "continue"),
            (21, "/fix the door"),
            (22, "see [Pasted text #1 +1 lines] now"),
            (24, "only the last prompt"),
            (25, "said by the model"),
            (29, "queued"),
        ]
    );
    let pasted = ledger.entries.iter().find(|e| e.kind == "prompt/pasted").unwrap();
    assert_eq!(pasted.reason, Some(Reason::Duplicate), "it is in its place in what was said");
}

#[test]
fn what_a_result_says_in_other_wrapping_is_not_told_twice() {
    let result = |id: &str, content: &str, own: Json| {
        json!({"type": "user", "uuid": id, "timestamp": "2026-01-01T00:00:04Z", "toolUseResult": own, "message": {"role": "user",
            "content": [{"type": "tool_result", "tool_use_id": id, "content": content}]}})
    };
    let failed = "<tool_use_error>File has not been read yet.</tool_use_error>";
    let mut again = result("t4", "seen", json!(null));
    again["message"]["content"][0]["text"] = json!("seen");
    let (c, ledger) = read(&lines(&[
        result("t1", failed, json!("Error: File has not been read yet.")),
        result("t2", "Running in background with ID: bash_1", json!({"stdout": "", "backgroundTaskId": "bash_1"})),
        result("t3", "Running in background with ID: bash_12", json!({"stdout": "", "backgroundTaskId": "bash_1"})),
        again,
    ]));
    assert_eq!(
        texts(&c.messages),
        [failed, "Running in background with ID: bash_1", "Running in background with ID: bash_12", "bash_1", "seen"]
    );
    assert_eq!(ledger.entries.iter().filter(|e| e.disposition == Disposition::Unknown).count(), 0);
}

#[test]
fn a_nickname_is_a_title_only_where_nothing_says_more() {
    let mut first = user("u1", None, "go");
    first["slug"] = json!("quiet-winding-brook");
    let summary = json!({"type": "summary", "summary": "What was done", "leafUuid": "u1"});
    assert_eq!(read(&lines(&[first.clone(), summary])).0.slug.as_deref(), Some("What was done"));
    assert_eq!(read(&lines(&[first])).0.slug.as_deref(), Some("quiet-winding-brook"));
}

#[test]
fn the_counters_of_an_agent_are_no_second_result() {
    let own = json!({"status": "completed", "agentId": "a775a67", "content": [{"type": "text", "text": "All is well."}],
        "totalTokens": 4617, "usage": {"input_tokens": 14, "service_tier": "standard", "speed": "fast enough"}});
    let result = json!({"type": "user", "uuid": "r1", "timestamp": "2026-01-01T00:00:04Z", "toolUseResult": own,
        "message": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "All is well.\nagentId: a775a67"}]}});
    let (c, _) = read(&lines(&[result]));
    assert_eq!(texts(&c.messages), ["All is well.\nagentId: a775a67"]);
}

#[test]
fn what_a_tool_said_before_it_was_cut_off_is_kept() {
    let call = |uuid: &str, id: &str| {
        assistant(uuid, "u1", json!({"role": "assistant",
            "content": [{"type": "tool_use", "id": id, "name": "Bash", "input": {"command": "make"}}]}))
    };
    let step = |uuid: &str, id: &str, output: &str| {
        json!({"type": "progress", "uuid": uuid, "parentUuid": "a1", "parentToolUseID": id,
            "timestamp": "2026-01-01T00:00:02Z", "data": {"type": "bash_progress", "output": output}})
    };
    let result = json!({"type": "user", "uuid": "r1", "timestamp": "2026-01-01T00:00:04Z", "message": {"role": "user",
        "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "all of it"}]}});
    let (c, ledger) = read(&lines(&[
        user("u1", None, "build"),
        call("a1", "t1"),
        step("p1", "t1", "half"),
        result,
        call("a2", "t2"),
        step("p2", "t2", "one"),
        step("p3", "t2", "one\ntwo"),
        user("u2", Some("p3"), "stop"),
    ]));
    let told: Vec<&str> = c.messages.iter().filter(|m| m.kind == assay_model::Kind::ToolResult).map(|m| m.content.as_str()).collect();
    assert_eq!(told, ["all of it", "one\ntwo"], "the last step of the call without a result");
    assert_eq!(c.messages.last().unwrap().content, "stop", "in its place");
    let steps: Vec<_> = ledger.entries.iter().filter(|e| e.kind == "progress/bash_progress" && !e.is_record()).map(|e| e.disposition).collect();
    assert_eq!(steps, [Disposition::Folded, Disposition::Folded, Disposition::Recovered]);
}

#[test]
fn a_copy_that_was_stamped_and_wrapped_anew_is_known_by_its_ids_and_words() {
    let home = tempfile::tempdir().unwrap();
    let project = home.path().join(".claude/projects/-p");
    let first = [user("u1", None, "hello"), answer("a1", "u1", "hi")];
    let mut again = [&first[..], &[user("u2", Some("a1"), "more")]].concat();
    again[0]["message"]["content"] = json!([{"type": "text", "text": "hello"}]);
    again[1]["timestamp"] = json!("2026-01-01T00:09:00Z");
    let other = [user("u1", None, "another session that counts its records alike")];
    let text = |records: &[Json]| String::from_utf8(lines(records)).unwrap();
    for (name, records) in [("a", &first[..]), ("b", &again[..]), ("c", &other[..])] {
        write(&project.join(format!("{name}.jsonl")), &text(records));
    }
    let roots = Roots::new(home.path(), Platform::Linux);
    let links = |id: &str| -> Vec<String> {
        let all = scan(&roots).1;
        let candidate = all.iter().find(|c| c.id == id).unwrap();
        let (c, _) = parse(&Adapter, candidate, &Adapter.collect(&roots, candidate).unwrap());
        c.links.into_iter().map(|link| link.conversation).collect()
    };
    assert_eq!((links("a"), links("b"), links("c")), (vec!["b".to_owned()], vec!["a".to_owned()], vec![]));
}

#[test]
fn the_server_of_a_call_is_accounted_for() {
    let call = json!({"type": "mcp_tool_use", "id": "m1", "name": "look", "server_name": "atlas", "input": {"q": 1}});
    let (c, ledger) = read(&lines(&[assistant("a1", "u1", json!({"id": "x", "role": "assistant", "content": [call]}))]));
    let entry = ledger.entries.iter().find(|e| e.locator.pointer() == Some("/message/content/0/server_name")).unwrap();
    assert_eq!((entry.disposition, entry.excerpt.as_deref(), entry.bytes), (Disposition::Folded, Some("atlas"), 5));
    assert_eq!(c.messages[entry.message_index.unwrap() as usize].tool_name.as_deref(), Some("look"));
}

#[test]
fn a_body_counts_with_its_own_bytes_wherever_it_stands() {
    let body = "QUJD".repeat(400);
    let image = json!({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": body}});
    let result = json!({"type": "tool_result", "tool_use_id": "t", "content": [image]});
    let mut record = user("u1", None, "");
    record["message"]["content"] = json!([image, result]);
    record["toolUseResult"] = json!({"type": "image", "file": {"base64": body, "type": "image/png"}});
    let (_, ledger) = read(&lines(&[record]));
    let sized = |pointer: &str| ledger.entries.iter().find(|e| e.locator.pointer() == Some(pointer)).unwrap().bytes;
    for pointer in ["/message/content/0", "/message/content/1/content/0"] {
        assert_eq!(sized(pointer), 1600, "{pointer}");
    }
    assert!(sized("/toolUseResult") >= 1600);
}

#[test]
fn a_step_on_the_way_is_folded_into_its_call() {
    let call = json!({"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "make"}});
    let mut records = vec![assistant("a1", "u1", json!({"id": "x", "role": "assistant", "content": [call]}))];
    for data in [json!({"type": "hook_progress", "hookName": "h"}), json!({"type": "query_update", "query": "q"}), json!("step 2")] {
        records.push(json!({"type": "progress", "uuid": format!("p{}", records.len()), "parentToolUseID": "t1", "data": data}));
    }
    records.extend([json!({"type": "tag", "tag": "x"}), json!({"type": "started", "key": "k", "agentId": "a"})]);
    let (c, ledger) = read(&lines(&records));
    let folded: Vec<_> = ledger.entries.iter().filter(|e| e.locator.pointer() == Some("/data")).collect();
    assert_eq!(folded.len(), 3);
    for entry in folded {
        assert_eq!(entry.disposition, Disposition::Folded, "{entry:?}");
        assert_eq!(c.messages[entry.message_index.unwrap() as usize].tool_call_id.as_deref(), Some("t1"));
    }
    assert!(ledger.entries.iter().all(|e| e.disposition != Disposition::Dropped), "{:?}", ledger.entries);
}
