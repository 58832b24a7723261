//! The acceptance scenarios of an import, each by name.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

mod support;

use assay_engine::dto::RetentionChoice;
use assay_engine::{ImportOptions, Patience, PreviewRequest, Registry, ReportFormat, registry};
use assay_model::Disposition;
use std::sync::atomic::Ordering;
use std::time::Duration;
use support::{BEGIN, DAY, Fake, Faults, Place, codes, done, told};

const TALK: &str = "u hello\na hi there\n";

fn plain(name: &'static str) -> &'static dyn assay_sources::SourceAdapter {
    Fake::leak(name, Faults::default())
}

#[test]
fn content_changed_with_equal_size_and_mtime() {
    let place = Place::new();
    place.write("fake", "one", TALK, 9);
    assert_eq!(told(&place.import(&[plain("fake")])), ["fake one read inserted"]);
    place.write("fake", "one", "u hello\na no there\n", 9);
    assert_eq!(told(&place.import(&[plain("fake")])), ["fake one unchanged-metadata -"], "size and time are the same");
    assert_eq!(told(&place.verify(&[plain("fake")])), ["fake one read replaced"], "verify compares the bytes");
    assert_eq!(place.texts(), ["fake:one: hello", "fake:one: no there"]);
}

#[test]
fn a_file_beside_the_session_changed_with_equal_size_and_mtime() {
    let place = Place::new();
    let claude = [registry().get("claude-code").unwrap()];
    let project = place.home().join(".claude/projects/-p");
    let write = |file: &str, text: &str| {
        let path = project.join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        place.touch(&path, BEGIN - 9 * DAY);
    };
    let record = |uuid: &str, from: &str, content: &str| {
        format!(
            r#"{{"type":"{from}","uuid":"{uuid}","timestamp":"2026-01-01T00:00:01Z","message":{{"role":"{from}","content":{content}}}}}"#
        )
    };
    let call = record("u1", "assistant", r#"[{"type":"tool_use","id":"t1","name":"B","input":{}}]"#);
    let saved = r#""<persisted-output>\nFull output saved to: /x/s/tool-results/t1.txt\n</persisted-output>""#;
    let answer = record("u2", "user", &format!(r#"[{{"type":"tool_result","tool_use_id":"t1","content":{saved}}}]"#));
    write("s.jsonl", &format!("{call}\n{answer}\n"));
    write("s/tool-results/t1.txt", "FIRST OUTPUT");
    assert_eq!(told(&place.import(&claude)), ["claude-code s read inserted"]);
    assert_eq!(told(&place.verify(&claude)), ["claude-code s read unchanged"]);
    write("s/tool-results/t1.txt", "OTHER OUTPUT");
    assert_eq!(told(&place.import(&claude)), ["claude-code s unchanged-metadata -"], "size and time are the same");
    assert_eq!(told(&place.verify(&claude)), ["claude-code s read replaced"], "verify compares all that is read");
    assert!(place.texts().iter().any(|t| t.contains("OTHER OUTPUT")));
    assert_eq!(told(&place.verify(&claude)), ["claude-code s read unchanged"]);
}

#[test]
fn only_the_mtime_changed() {
    let place = Place::new();
    place.write("fake", "one", TALK, 9);
    place.import(&[plain("fake")]);
    place.write("fake", "one", TALK, 5);
    assert_eq!(told(&place.import(&[plain("fake")])), ["fake one read metadata-updated"]);
    assert_eq!(told(&place.import(&[plain("fake")])), ["fake one unchanged-metadata -"]);
}

#[test]
fn only_the_parser_version_changed() {
    let place = Place::new();
    place.write("fake", "one", TALK, 9);
    place.import(&[plain("fake")]);
    let raised = Fake::leak("fake", Faults { reported_version: Some("fake@2"), ..Faults::default() });
    assert_eq!(told(&place.import(&[raised])), ["fake one read metadata-updated"], "always parsed again");
    assert_eq!(told(&place.import(&[raised])), ["fake one unchanged-metadata -"]);
}

#[test]
fn two_sources_using_the_same_raw_id() {
    let place = Place::new();
    place.write("fake", "same", TALK, 9);
    place.write("other", "same", "u another\na talk\n", 9);
    let adapters = [plain("fake"), plain("other")];
    assert_eq!(told(&place.import(&adapters)), ["fake same read inserted", "other same read inserted"]);
    assert_eq!(place.texts().len(), 4);
}

#[test]
fn an_id_that_already_carries_its_prefix() {
    let place = Place::new();
    place.write("fake", "fake:one", TALK, 9);
    place.write("fake", "one", "u another\na talk\n", 9);
    let engine = place.engine(&[plain("fake")]);
    engine.preview(&PreviewRequest::default(), &|_| ()).unwrap();
    let warnings = engine.plan().warnings;
    assert!(warnings.iter().any(|w| w.code == "id-collision" && w.count == 1), "{warnings:?}");
    let imported = place.import(&[plain("fake")]);
    assert_eq!(place.texts().len(), 4, "both are kept, never merged");
    let reasons: Vec<_> = imported.outcomes.iter().map(|o| o.reason.as_deref()).collect();
    assert_eq!(reasons, [Some("id-collision"); 2], "and said to meet");
    for own in ["fake:one", "one"] {
        let found = place.reader().find(own).unwrap();
        assert_eq!(found.iter().map(|f| f.id.as_str()).collect::<Vec<_>>(), [own], "each can be reached");
    }
}

#[test]
fn duplicate_adapter_registration() {
    assert!(Registry::new(&[plain("fake"), plain("fake")]).is_err());
}

#[test]
fn detect_failing() {
    let place = Place::new();
    place.write("fake", "one", TALK, 9);
    place.write("other", "one", TALK, 9);
    place.import(&[plain("fake"), plain("other")]);
    let broken = Fake::leak("fake", Faults { detect_panics: true, ..Faults::default() });
    let imported = place.import(&[broken, plain("other")]);
    assert_eq!(told(&imported), ["other one unchanged-metadata -"], "the others go on");
    assert_eq!(imported.result.sources[0].fault.as_ref().unwrap().detail, "detect broke");
    assert_eq!(place.reader().find("fake:one").unwrap()[0].gone_since, None, "nothing is marked by a failed look");
}

#[test]
fn detect_hanging_holds_nobody_up() {
    let place = Place::new();
    place.write("other", "one", TALK, 9);
    let hanging = Fake::leak("fake", Faults { detect_hangs: true, ..Faults::default() });
    let slow = std::sync::atomic::AtomicBool::new(false);
    let imported = place
        .engine(&[hanging, plain("other")])
        .with_patience(Patience { slow: Duration::from_millis(50), give_up: Duration::from_millis(600) })
        .import(&ImportOptions::default(), &|progress| {
            if let assay_engine::dto::Progress::Detected { view } = progress {
                slow.fetch_or(view.error.as_deref() == Some("stalled"), std::sync::atomic::Ordering::SeqCst);
            }
        })
        .unwrap();
    assert_eq!(told(&imported), ["other one read inserted"]);
    assert!(slow.into_inner(), "a slow source is told of");
    assert_eq!(imported.failures[0].detail, "stalled");
}

#[test]
fn scan_failing() {
    let place = Place::new();
    place.write("fake", "one", TALK, 9);
    place.write("fake", "two", TALK, 9);
    place.import(&[plain("fake")]);
    std::fs::remove_file(place.home().join("fake/two.txt")).unwrap();
    for faults in [Faults { scan_error: true, ..Faults::default() }, Faults { scan_panics: true, ..Faults::default() }]
    {
        let fakes = [Fake::leak("fake", faults)];
        let imported = place.import(&fakes);
        assert_eq!(told(&imported), ["fake one unchanged-metadata -"], "what was listed is imported");
        assert_eq!(codes(&imported).into_iter().collect::<Vec<_>>(), ["scan-incomplete"]);
        let engine = place.engine(&fakes);
        engine.detect(&|_| ());
        let view = engine.views().remove(0);
        assert_eq!(view.troubles, [imported.failures[0].detail.clone()], "and the source says what was not");
        assert_eq!(place.reader().find("fake:two").unwrap()[0].gone_since, None, "an incomplete scan proves nothing");
    }
}

#[test]
fn one_candidate_failing() {
    let place = Place::new();
    for id in ["a", "b", "c", "d", "e"] {
        place.write("fake", id, TALK, 9);
    }
    let faults = Faults {
        parse_panics_on: Some("b"),
        no_permission_on: Some("c"),
        vanish_after_scan: Some("d"),
        ..Faults::default()
    };
    let imported = place.import(&[Fake::leak("fake", faults)]);
    assert_eq!(
        told(&imported),
        ["fake a read inserted", "fake b failed -", "fake c blocked -", "fake d failed -", "fake e read inserted"]
    );
    assert_eq!(codes(&imported).into_iter().collect::<Vec<_>>(), ["gone", "no-permission", "panicked"]);
    assert_eq!(imported.outcomes[1].reason.as_deref(), Some("panicked: parse broke"));
    assert_eq!(imported.result.failures, 3);
}

#[test]
fn a_conversation_with_one_message() {
    let place = Place::new();
    place.write("fake", "one", "u only this\n", 9);
    assert_eq!(told(&place.import(&[plain("fake")])), ["fake one fewer-than-two-messages -"]);
    assert!(place.texts().is_empty());
}

#[test]
fn same_content_again() {
    let place = Place::new();
    place.write("fake", "one", TALK, 9);
    place.write("fake", "two", TALK, 9);
    place.import(&[plain("fake")]);
    let before = place.dump();
    let again = place.import(&[plain("fake")]);
    assert_eq!(told(&again), ["fake one unchanged-metadata -", "fake two unchanged-metadata -"]);
    let verified = place.verify(&[plain("fake")]);
    assert_eq!(told(&verified), ["fake one read unchanged", "fake two read unchanged"]);
    assert_eq!(place.dump(), before);
    assert_eq!(place.engine(&[plain("fake")]).history().unwrap().len(), 3, "each run has its record");
}

#[test]
fn a_missing_folder_is_a_state_and_not_a_failure() {
    let place = Place::new();
    let imported = place.import(&[plain("fake")]);
    assert!(imported.outcomes.is_empty() && imported.failures.is_empty());
}

#[test]
fn a_file_modified_as_it_was_read_is_read_again() {
    let place = Place::new();
    let path = place.write("fake", "one", TALK, 9);
    place.touch(&path, BEGIN + 1_000_000_000 - 10_000_000);
    place.import(&[plain("fake")]);
    assert_eq!(told(&place.import(&[plain("fake")])), ["fake one read unchanged"], "10 ms are within a tick");
}

#[test]
fn a_record_that_nobody_finished_is_looked_at_again() {
    let place = Place::new();
    let path = place.write("fake", "one", &format!("{TALK}ha"), 0);
    place.touch(&path, BEGIN - 10_000_000_000);
    place.import(&[plain("fake")]);
    let pending = || {
        let reader = place.reader();
        let key = reader.find("fake:one").unwrap().remove(0).key;
        let summary = reader.show(key).unwrap().unwrap().summary;
        summary.by_disposition.get(&Disposition::Pending).copied().unwrap_or(0)
    };
    assert_eq!(pending(), 1);
    place.now.fetch_add(600_000_000_000, Ordering::SeqCst);
    assert_eq!(told(&place.import(&[plain("fake")])), ["fake one read metadata-updated"]);
    assert_eq!(pending(), 0, "it will not be finished any more");
    assert_eq!(told(&place.import(&[plain("fake")])), ["fake one unchanged-metadata -"]);
}

#[test]
fn growing_at_any_cut_points_equals_one_import() {
    let whole: String = (0..12).map(|i| format!("u question {i}\na answer {i}\n")).collect();
    let at_once = Place::new();
    at_once.write("fake", "one", &whole, 1);
    at_once.import(&[plain("fake")]);
    for cuts in [vec![2, 5, 9], vec![3, 4, 23], vec![2, 3, 4, 5, 6, 7, 8, 20]] {
        let grown = Place::new();
        for (i, lines) in cuts.iter().enumerate() {
            let part: String = whole.split_inclusive('\n').take(*lines).collect();
            grown.write("fake", "one", &part, 20 - i as i64);
            let expected = if i == 0 { "inserted" } else { "grown" };
            assert_eq!(told(&grown.import(&[plain("fake")])), [format!("fake one read {expected}")]);
        }
        grown.write("fake", "one", &whole, 1);
        grown.import(&[plain("fake")]);
        let home = |place: &Place| place.folder.path().to_string_lossy().into_owned();
        assert_eq!(
            grown.dump().replace(&home(&grown), "~"),
            at_once.dump().replace(&home(&at_once), "~"),
            "cut at {cuts:?}"
        );
    }
}

#[test]
fn a_source_gone_stays_and_comes_back() {
    let place = Place::new();
    place.write("fake", "one", TALK, 9);
    place.write("fake", "two", TALK, 9);
    place.import(&[plain("fake")]);
    std::fs::remove_file(place.home().join("fake/two.txt")).unwrap();
    place.import(&[plain("fake")]);
    let two = || place.reader().find("fake:two").unwrap().remove(0);
    let since = two().gone_since.expect("marked as gone");
    assert_eq!(place.texts().len(), 4, "nothing is deleted");
    place.import(&[plain("fake")]);
    assert_eq!(two().gone_since, Some(since), "the first time counts");
    place.write("fake", "two", TALK, 9);
    place.import(&[plain("fake")]);
    assert_eq!(two().gone_since, None);
}

#[test]
fn cancelled_midway_and_resumed_equals_one_run() {
    let (cancelled, whole) = (Place::new(), Place::new());
    for place in [&cancelled, &whole] {
        for i in 0..400 {
            place.write("fake", &format!("c{i:03}"), &format!("u hello {i}\na hi\n"), 9);
        }
    }
    whole.import(&[plain("fake")]);
    let engine = cancelled.engine(&[plain("fake")]);
    let imported = engine
        .import(&ImportOptions::default(), &|progress| {
            if done(&progress) > 0 {
                engine.cancel();
            }
        })
        .unwrap();
    assert!(imported.result.cancelled);
    let left = imported.outcomes.iter().filter(|o| o.importer == "cancelled").count();
    assert!(left > 0 && left < 400, "{left} of 400 were left");
    assert_eq!(imported.outcomes.len(), 400, "every conversation has an outcome");
    assert_eq!(cancelled.texts().len(), (400 - left) * 2, "what was written is whole");
    let resumed = cancelled.import(&[plain("fake")]);
    let inserted = resumed.outcomes.iter().filter(|o| o.library.as_deref() == Some("inserted")).count();
    assert_eq!(inserted, left);
    let home = |place: &Place| place.folder.path().to_string_lossy().into_owned();
    assert_eq!(cancelled.dump().replace(&home(&cancelled), "~"), whole.dump().replace(&home(&whole), "~"));
}

#[test]
fn a_source_that_is_switched_off_is_left_out() {
    let place = Place::new();
    place.write("fake", "one", TALK, 9);
    place.write("other", "one", TALK, 9);
    let adapters = [plain("fake"), plain("other")];
    let engine = place.engine(&adapters);
    let mut settings = engine.settings();
    settings.disabled.push("fake".into());
    engine.save_settings(settings).unwrap();
    let imported = place.import(&adapters);
    assert_eq!(told(&imported), ["other one read inserted"]);
    assert_eq!(imported.result.sources[0].importer[0].code, "disabled");
}

#[test]
fn a_changed_retention_always_parses_again() {
    let place = Place::new();
    place.write("fake", "one", TALK, 9);
    place.import(&[plain("fake")]);
    let engine = place.engine(&[plain("fake")]);
    let mut settings = engine.settings();
    settings.retention.insert("fake".into(), RetentionChoice::Reference);
    engine.save_settings(settings).unwrap();
    assert_eq!(told(&place.import(&[plain("fake")])), ["fake one read metadata-updated"]);
}

#[test]
fn a_preview_writes_nothing_and_plans_what_the_import_does() {
    let place = Place::new();
    for id in ["changed", "grown", "metadata", "same"] {
        place.write("fake", id, TALK, 9);
    }
    place.import(&[plain("fake")]);
    place.write("fake", "changed", "u hello\na something else\n", 5);
    place.write("fake", "grown", "u hello\na hi there\nu more\n", 5);
    place.write("fake", "metadata", TALK, 5);
    place.write("fake", "new", TALK, 5);
    place.write("fake", "short", "u one\n", 5);
    let before = (place.dump(), place.engine(&[plain("fake")]).history().unwrap().len());
    let engine = place.engine(&[plain("fake")]);
    engine.preview(&PreviewRequest::default(), &|_| ()).unwrap();
    let query = assay_engine::dto::RowQuery { limit: 500, ..Default::default() };
    let mut rows = engine.conversations("fake", RetentionChoice::Full, &query).rows;
    rows.sort_by(|a, b| a.id.cmp(&b.id));
    let plans: Vec<String> =
        rows.iter().map(|r| format!("{} {} {}", r.id, r.plan, r.plan_reason.as_deref().unwrap_or("-"))).collect();
    assert_eq!(
        plans,
        [
            "changed changed -",
            "grown grown -",
            "metadata metadata -",
            "new new -",
            "same skipped unchanged-metadata",
            "short skipped fewer-than-two-messages"
        ]
    );
    assert_eq!((place.dump(), engine.history().unwrap().len()), before);
    assert_eq!(
        told(&place.import(&[plain("fake")])),
        [
            "fake changed read replaced",
            "fake grown read grown",
            "fake metadata read metadata-updated",
            "fake new read inserted",
            "fake same unchanged-metadata -",
            "fake short fewer-than-two-messages -"
        ]
    );
}

#[test]
fn a_preview_without_a_library_makes_none() {
    let place = Place::new();
    place.write("fake", "one", TALK, 9);
    let engine = place.engine(&[plain("fake")]);
    engine.preview(&PreviewRequest::default(), &|_| ()).unwrap();
    let mut lines = 0;
    let faults = engine
        .preview_lines(&PreviewRequest::default(), Default::default(), &|_| (), &mut |_| {
            lines += 1;
            true
        })
        .unwrap();
    assert_eq!((lines, faults.len()), (1, 0));
    let names: Vec<_> = std::fs::read_dir(place.folder.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(names, ["home"]);
}

#[test]
fn a_report_tells_the_layers_and_what_is_missing() {
    let place = Place::new();
    place.write("fake", "one", TALK, 9);
    place.write("fake", "two", TALK, 9);
    let adapter = Fake::leak("fake", Faults { no_permission_on: Some("two"), ..Faults::default() });
    let imported = place.import(&[adapter]);
    let engine = place.engine(&[adapter]);
    let report = engine.report(imported.result.run, ReportFormat::Markdown).unwrap();
    assert!(report.contains("| library | inserted | 1 |"), "{report}");
    assert!(report.contains("| importer skipped | blocked | 1 |"), "{report}");
    assert!(report.contains("fake/two"), "{report}");
    let json: serde_json::Value =
        serde_json::from_str(&engine.report(imported.result.run, ReportFormat::Json).unwrap()).unwrap();
    assert_eq!(json["outcomes"].as_array().unwrap().len(), 2);
}

#[test]
fn a_plan_knows_what_an_import_did() {
    let place = Place::new();
    place.write("fake", "one", TALK, 9);
    place.write("fake", "two", TALK, 9);
    let engine = place.engine(&[plain("fake")]);
    engine.preview(&PreviewRequest::default(), &|_| ()).unwrap();
    let planned = || {
        let plan = engine.plan().sources.remove(0);
        plan.actions.iter().filter(|c| c.count > 0).map(|c| (c.code.clone(), c.count)).collect::<Vec<_>>()
    };
    assert_eq!(planned(), [("new".to_owned(), 2)]);
    engine.import(&ImportOptions::default(), &|_| ()).unwrap();
    assert_eq!(planned(), [("unchanged".to_owned(), 2)]);
}
