//! The known faults of this field, by number, and what shows that each does not happen here: a fixture or a test.
//! Numbers and letters are those of the list of cases that the sources were built against; one that has no entry, or
//! an entry whose proof is gone, fails here. Deliberately absent: what a proof says, which stands with it.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use assay_model::NoticeCode;
use assay_sources::{Platform, Roots, fixtures, registry};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Every case there is of the sources.
const LISTED: &[(&str, &[u32])] = &[
    ("A", &[1, 3, 5, 6, 7, 9, 10, 11, 13, 15, 16, 18, 19, 21, 23, 24, 25, 27, 29, 30, 32]),
    ("B", &[34, 35, 36, 37, 39, 40, 41, 42, 44, 46, 47, 50, 51]),
    ("C", &[52, 53, 54, 55, 56, 57, 61, 63, 64]),
    ("D", &[65, 67, 69, 70, 72, 74]),
    ("E", &[75, 77]),
    // Of the library and its edges.
    ("F", &[79, 80, 81, 82, 84, 86, 87, 89, 90, 93, 94, 95]),
];

struct Case {
    part: &'static str,
    number: u32,
    /// What must not go wrong.
    fault: &'static str,
    /// `source/fixture`, or `path below src-tauri/crates :: test`.
    shown_by: &'static [&'static str],
}

const fn case(part: &'static str, number: u32, fault: &'static str, shown_by: &'static [&'static str]) -> Case {
    Case { part, number, fault, shown_by }
}

const CASES: &[Case] = &[
    case(
        "A",
        1,
        "a session is emptied by its copy: the same record ids in two files",
        &["claude-code/copies", "library/tests/import.rs :: two_sources_using_the_same_raw_id_are_two_conversations"],
    ),
    case(
        "A",
        3,
        "a branch is lost among many nested ones",
        &[
            "sources/src/sources/claude_code/tests/cases.rs :: nested_branches_keep_every_message_and_the_last_end_is_live",
        ],
    ),
    case("A", 5, "the replay of a compaction is taken for a rewind", &["claude-code/branches"]),
    case(
        "A",
        6,
        "what stands before or after a compaction is lost or put first",
        &[
            "claude-code/notices",
            "sources/src/sources/claude_code/tests/cases.rs :: two_compactions_keep_everything_in_order",
        ],
    ),
    case("A", 7, "parents in a circle never end", &["claude-code/branches"]),
    case(
        "A",
        9,
        "half a surrogate pair costs the line",
        &["claude-code/malformed-json", "sources/src/readers/json/mod.rs :: reads_what_a_strict_reader_rejects"],
    ),
    case(
        "A",
        10,
        "a hole of NUL bytes costs its neighbours",
        &[
            "claude-code/malformed-json",
            "sources/src/sources/claude_code/tests/cases.rs :: damage_in_the_middle_costs_itself_only",
        ],
    ),
    case(
        "A",
        11,
        "one cut line in the middle costs the session",
        &[
            "claude-code/malformed-json",
            "sources/src/sources/claude_code/tests/cases.rs :: damage_in_the_middle_costs_itself_only",
        ],
    ),
    case(
        "A",
        13,
        "a line of megabytes aborts, or is carried along",
        &[
            "sources/src/sources/claude_code/tests/cases.rs :: a_line_of_megabytes_keeps_its_words_and_tells_its_image_by_size",
        ],
    ),
    case(
        "A",
        15,
        "a new kind of record, or a missing field, fails the file",
        &[
            "claude-code/unknown-version",
            "sources/src/sources/claude_code/tests/cases.rs :: an_answer_without_id_and_model_and_a_record_of_a_new_kind_fail_nothing",
        ],
    ),
    case(
        "A",
        16,
        "usage of an answer in several lines is added up; here it is counted nowhere",
        &[
            "sources/src/sources/claude_code/tests/cases.rs :: an_answer_in_three_lines_is_three_messages_and_its_usage_is_in_none",
        ],
    ),
    case(
        "A",
        18,
        "sub-agents collide with their session and take it with them",
        &[
            "claude-code/sub-agents",
            "sources/src/sources/claude_code/tests/discovery.rs :: every_family_of_files_is_listed_once_with_an_id_of_its_own",
            "engine/tests/acceptance.rs :: one_candidate_failing",
        ],
    ),
    case("A", 19, "sub-agents are counted as sessions of a person", &["claude-code/sub-agents"]),
    case(
        "A",
        21,
        "a conversation that is all side chain is empty",
        &[
            "sources/src/sources/claude_code/tests/cases.rs :: a_transcript_that_is_all_side_conversation_is_told_in_full",
            "library/tests/export.rs :: markdown_keeps_every_message_in_its_place",
        ],
    ),
    case(
        "A",
        23,
        "wrappers are cut unevenly, or out of a text that quotes them",
        &[
            "claude-code/injected-tags",
            "sources/src/sources/claude_code/wrappers.rs :: tags_go_and_their_spans_are_known",
        ],
    ),
    case("A", 24, "a folder's name is decoded", &["claude-code/two-projects", "claude-code/bookkeeping"]),
    case(
        "A",
        25,
        "a character over the limit of a buffer hides the session",
        &["sources/src/sources/claude_code/tests/cases.rs :: a_character_over_any_boundary_is_whole"],
    ),
    case(
        "A",
        27,
        "what is appended within the same second is missed",
        &[
            "engine/tests/acceptance.rs :: a_file_modified_as_it_was_read_is_read_again",
            "engine/tests/acceptance.rs :: content_changed_with_equal_size_and_mtime",
        ],
    ),
    case(
        "A",
        29,
        "what the tool deletes is deleted from the library",
        &[
            "engine/tests/acceptance.rs :: a_source_gone_stays_and_comes_back",
            "library/tests/import.rs :: a_source_that_is_gone_is_marked_and_the_mark_goes_when_it_is_back",
        ],
    ),
    case(
        "A",
        30,
        "two files of one name are one conversation",
        &[
            "claude-code/two-projects",
            "sources/src/sources/claude_code/tests/discovery.rs :: every_family_of_files_is_listed_once_with_an_id_of_its_own",
        ],
    ),
    case(
        "A",
        32,
        "a folder that the environment names is not looked at",
        &[
            "sources/src/sources/claude_code/tests/discovery.rs :: the_override_takes_the_default_places_part_and_the_default_is_still_looked_at",
        ],
    ),
    case(
        "B",
        34,
        "each message twice, or a true repetition lost",
        &[
            "codex/repeated-text",
            "sources/src/sources/codex/telling.rs :: both_forms_of_a_repeated_answer_are_two_tellings",
            "sources/src/sources/codex/tests.rs :: one_form_alone_is_read_in_full",
        ],
    ),
    case("B", 35, "a fork is stored as its parent", &["codex/fork", "codex/spawned"]),
    case(
        "B",
        36,
        "turn ids are read as times",
        &[
            "codex/spawned",
            "sources/src/sources/codex/tests.rs :: turn_ids_are_names_and_tell_a_copy_from_a_turn_of_its_own",
        ],
    ),
    case("B", 37, "a rollout without its first record lands nowhere", &["codex/copies"]),
    case(
        "B",
        39,
        "sound records are not read, or known by a number that is used twice",
        &["sources/src/sources/codex/tests.rs :: an_ordinal_used_twice_is_no_identity_and_counters_are_read"],
    ),
    case(
        "B",
        40,
        "compactions of gigabytes are stored as messages",
        &["codex/compaction", "sources/src/sources/codex/tests.rs :: sixty_compactions_show_their_summary_once"],
    ),
    case("B", 41, "a compaction blocks the import", &["codex/compaction"]),
    case(
        "B",
        42,
        "the archive is missed, or doubles what is live",
        &["codex/copies", "sources/src/sources/codex/tests.rs :: detection_counts_what_a_scan_lists"],
    ),
    case("B", 44, "free-text calls, their output and arguments are missing", &["codex/sample", "codex/tool-only"]),
    case(
        "B",
        46,
        "a counter that comes after its message is lost",
        &[
            "sources/src/sources/codex/tests.rs :: a_counter_that_comes_later_is_accounted_for_and_changes_no_message",
            "engine/tests/acceptance.rs :: growing_at_any_cut_points_equals_one_import",
        ],
    ),
    case(
        "B",
        47,
        "cached tokens are charged twice; here usage is added up nowhere",
        &["sources/src/sources/codex/tests.rs :: an_ordinal_used_twice_is_no_identity_and_counters_are_read"],
    ),
    case(
        "B",
        50,
        "a folder that the environment names is not looked at",
        &[
            "sources/src/sources/codex/tests.rs :: looks_where_each_platform_and_override_says",
            "sources/src/sources/codex/tests.rs :: the_databases_may_be_elsewhere",
        ],
    ),
    case(
        "B",
        51,
        "exact names are not found",
        &[
            "library/src/search/tokens.rs :: names_are_cut_into_parts_and_kept_whole",
            "library/tests/search.rs :: words_of_every_script_and_names_in_part_and_whole_are_found",
        ],
    ),
    case(
        "C",
        52,
        "what has no time is shown as now",
        &["cursor/missing-timestamp", "sources/src/sources/cursor/time.rs :: timing_gives_a_time_by_a_named_rule"],
    ),
    case("C", 53, "sessions of a later index are absent", &["cursor/global-index"]),
    case("C", 54, "a transcript is merged by guess, or read instead of the richer store", &["cursor/transcripts"]),
    case(
        "C",
        55,
        "a database of gigabytes is scanned whole",
        &["sources/src/sources/cursor/tests.rs :: rows_that_are_no_conversation_are_counted_by_family_and_not_read"],
    ),
    case(
        "C",
        56,
        "reading locks the tool's database",
        &[
            "sources/src/readers/sqlite/mod.rs :: sees_rows_that_only_the_log_holds_and_disturbs_no_writer",
            "sources/tests/leaves_no_trace.rs :: looking_at_a_home_changes_nothing_in_it",
        ],
    ),
    case(
        "C",
        57,
        "rows that only the log has are not read",
        &[
            "sources/src/sources/cursor/tests.rs :: rows_that_only_the_log_holds_are_read_and_the_database_is_copied_once",
        ],
    ),
    case(
        "C",
        61,
        "a session whose rows come later is never completed",
        &["cursor/unplaced", "engine/tests/acceptance.rs :: one_candidate_failing"],
    ),
    case(
        "C",
        63,
        "a new family of keys is not read and not said",
        &[
            "sources/src/sources/cursor/tests.rs :: rows_that_are_no_conversation_are_counted_by_family_and_not_read",
            "cursor/agent-store",
        ],
    ),
    case("C", 64, "wrapped prompts, redacted words and output of the shell are missing", &["cursor/transcripts"]),
    case("D", 65, "only the first snapshot is read", &["copilot/later-patches"]),
    case(
        "D",
        67,
        "a push at an index is taken for an insertion",
        &["sources/src/sources/copilot/tests/mod.rs :: a_log_is_replayed_as_the_editor_does"],
    ),
    case("D", 69, "a log without a snapshot is not listed", &["copilot/missing-snapshot"]),
    case(
        "D",
        70,
        "old forms are unread, or two forms of one session are two",
        &["copilot/copies", "copilot/old-shapes"],
    ),
    case(
        "D",
        72,
        "a cache file is taken for a session",
        &["sources/src/sources/copilot/tests/places.rs :: sessions_are_found_where_each_platform_keeps_them"],
    ),
    case(
        "D",
        74,
        "a message that grows in its place is missed",
        &["library/tests/import.rs :: growth_appends_and_brings_earlier_messages_up_to_date"],
    ),
    case(
        "E",
        75,
        "an encrypted store is tried for ever, or is no session",
        &["trae/encrypted-only", "trae/encrypted-store"],
    ),
    case("E", 77, "times that were made up are shown as recorded", &["trae/missing-timestamp"]),
    case(
        "F",
        79,
        "importing a growing session again leaves more rows than importing it once",
        &[
            "engine/tests/pieces.rs :: importing_in_pieces_equals_importing_at_once_over_every_source",
            "engine/tests/acceptance.rs :: same_content_again",
        ],
    ),
    case(
        "F",
        80,
        "what is still being written is taken for damage, and is never read again",
        &[
            "engine/tests/watching.rs :: what_settles_is_imported_and_nothing_else_is_recorded",
            "engine/tests/acceptance.rs :: a_file_modified_as_it_was_read_is_read_again",
        ],
    ),
    case(
        "F",
        81,
        "one failure makes later changes be skipped",
        &[
            "engine/tests/acceptance.rs :: one_candidate_failing",
            "engine/tests/acceptance.rs :: cancelled_midway_and_resumed_equals_one_run",
        ],
    ),
    case(
        "F",
        82,
        "a source gives nothing and nothing is said",
        &["cli/tests/surface.rs :: detect_has_a_line_for_every_source"],
    ),
    case(
        "F",
        84,
        "Chinese words of one or two characters are not found",
        &["library/tests/search.rs :: words_of_every_script_and_names_in_part_and_whole_are_found"],
    ),
    case(
        "F",
        86,
        "text that stands only in results of tools is not found",
        &["library/tests/search.rs :: words_of_every_script_and_names_in_part_and_whole_are_found"],
    ),
    case(
        "F",
        87,
        "a secret behind a Chinese key word leaves with an export, or on one path only",
        &[
            "library/src/export/mask/tests.rs :: secrets_are_masked_in_every_language",
            "cli/tests/library.rs :: every_format_is_written_states_what_it_leaves_out_and_masks_what_is_shown_around",
        ],
    ),
    case(
        "F",
        89,
        "a day is cut where another time zone, or no daylight saving, has it",
        &["cli/src/arguments.rs :: a_day_is_as_long_as_it_is_where_the_person_lives"],
    ),
    case(
        "F",
        90,
        "a fence in a message ends the export's own",
        &["library/src/export/markdown.rs :: text_that_would_reach_out_is_fenced"],
    ),
    case(
        "F",
        93,
        "a slow or locked source holds up the others",
        &["engine/tests/acceptance.rs :: detect_hanging_holds_nobody_up"],
    ),
    case(
        "F",
        94,
        "an update loses the library, or an older build changes a newer one",
        &[
            "library/tests/file.rs :: an_older_library_is_copied_before_it_is_brought_up",
            "library/tests/file.rs :: a_newer_library_is_refused_and_left_untouched",
            "engine/tests/originals.rs :: a_raised_parser_version_reads_again_what_its_source_no_longer_has",
        ],
    ),
    case(
        "F",
        95,
        "a failure is shown as success, or without its cause",
        &[
            "engine/tests/acceptance.rs :: a_report_tells_the_layers_and_what_is_missing",
            "engine/tests/originals.rs :: a_damaged_original_is_told_and_what_the_library_has_stays",
        ],
    ),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..")
}

/// Why a proof does not hold, if it does not.
fn missing(proof: &str) -> Option<String> {
    let Some((file, test)) = proof.split_once(" :: ") else {
        let fixture = root().join("fixtures").join(proof).join("expected.txt");
        return (!fixture.is_file()).then(|| format!("no fixture {proof}"));
    };
    let Ok(text) = std::fs::read_to_string(root().join("src-tauri/crates").join(file)) else {
        return Some(format!("no file {file}"));
    };
    let at = text.find(&format!("fn {test}("));
    let is_test = at.is_some_and(|at| text[..at].rfind("#[test]").is_some_and(|mark| !text[mark..at].contains("fn ")));
    // Properties are marked once for all of them.
    let is_property = at.is_some_and(|at| text[..at].contains("proptest! {"));
    (!is_test && !is_property).then(|| format!("no test {test} in {file}"))
}

#[test]
fn every_case_has_an_entry_and_every_entry_a_proof() {
    let listed: BTreeSet<(&str, u32)> =
        LISTED.iter().flat_map(|(part, numbers)| numbers.iter().map(|n| (*part, *n))).collect();
    let mut seen = BTreeSet::new();
    let mut wrong = Vec::new();
    for case in CASES {
        let name = format!("{}{} ({})", case.part, case.number, case.fault);
        if !listed.contains(&(case.part, case.number)) {
            wrong.push(format!("{name} is not in the list"));
        }
        if !seen.insert((case.part, case.number)) {
            wrong.push(format!("{name} is there twice"));
        }
        if case.shown_by.is_empty() {
            wrong.push(format!("{name} is shown by nothing"));
        }
        wrong.extend(case.shown_by.iter().filter_map(|proof| Some(format!("{name}: {}", missing(proof)?))));
    }
    wrong.extend(listed.difference(&seen).map(|(part, number)| format!("{part}{number} has no entry")));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A session is written before its messages are: what is missing is said, and the next look finds it.
#[test]
fn rows_that_come_after_their_session_are_read_then() {
    let registry = registry();
    let adapter = registry.get("cursor").unwrap();
    let home = tempfile::tempdir().unwrap();
    let cases = fixtures::cases("cursor").unwrap();
    cases.iter().find(|c| c.name == "unplaced").unwrap().lay_out(home.path()).unwrap();
    let look = || {
        // New roots for a new run.
        let (_, outcomes) = fixtures::run(adapter, &Roots::new(home.path(), Platform::Linux));
        let outcome = outcomes.into_iter().find(|o| o.candidate.id == "c-edit").unwrap();
        let (conversation, ledger) = outcome.parsed.unwrap();
        let missing = ledger.notices.iter().any(|n| n.code == NoticeCode::BodyMissing);
        let texts: Vec<String> = conversation.messages.into_iter().map(|m| m.content).collect();
        ((outcome.candidate.file_size, outcome.candidate.file_mtime), missing, texts)
    };
    let before = look();
    assert!(before.1, "the message without a row is remarked");
    let file = home.path().join(".config/Cursor/User/globalStorage/state.vscdb");
    let database = rusqlite::Connection::open(file).unwrap();
    let row = r#"{"_v": 3, "bubbleId": "a9", "type": 2, "text": "It came later."}"#;
    database.execute("INSERT INTO cursorDiskKV VALUES ('bubbleId:c-edit:a9', ?)", [row]).unwrap();
    drop(database);
    let after = look();
    assert_ne!(before.0, after.0, "an import sees that something changed");
    assert!(!after.1 && after.2.iter().any(|text| text == "It came later."), "{:?}", after.2);
}
