//! Every fixture gives what it declares, and every declared boundary has the fixture that fails without it.
//! `UPDATE_FIXTURES=1 cargo test -p assay-sources --test golden` writes what a parse makes of them:
//! read it before you accept it.
#![allow(clippy::unwrap_used, clippy::panic, clippy::disallowed_methods, missing_docs)]

use assay_model::{Disposition, Ledger, Message, ParsedConversation, Provenance, Reason};
use assay_sources::fixtures::{self, Outcome};
use assay_sources::registry;
use std::path::Path;

#[test]
fn every_fixture_gives_what_it_declares() {
    let registry = registry();
    let update = std::env::var_os("UPDATE_FIXTURES").is_some();
    let mut wrong = Vec::new();
    for adapter in registry.iter() {
        let source = adapter.manifest().name;
        for case in fixtures::cases(source).unwrap() {
            let outcome = case.render(&registry).unwrap();
            assert_eq!(outcome, case.render(&registry).unwrap(), "{source}/{}: two parses differ", case.name);
            assert!(!outcome.contains("UNACCOUNTED"), "{source}/{}: the ledger does not balance\n{outcome}", case.name);
            if outcome == case.expected {
                continue;
            }
            if update {
                let file =
                    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../fixtures").join(source).join(&case.name);
                std::fs::write(file.join("expected.txt"), outcome).unwrap();
            } else {
                wrong.push(format!(
                    "{source}/{}\n{}",
                    case.name,
                    pretty_assertions::StrComparison::new(&case.expected, &outcome)
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// Undoes a boundary in an outcome: what crossed it is treated as if its rule were not there.
fn without(reason: Reason, outcomes: &mut [Outcome]) -> bool {
    let mut crossed = false;
    for outcome in outcomes {
        if let Ok((conversation, ledger)) = &mut outcome.parsed {
            crossed |= without_in(reason, conversation, ledger);
        }
    }
    crossed
}

fn without_in(reason: Reason, conversation: &mut ParsedConversation, ledger: &mut Ledger) -> bool {
    let mut crossed = false;
    for message in conversation.messages.iter_mut().filter(|m: &&mut Message| m.reason() == Some(reason)) {
        message.provenance = Provenance::Reference;
        crossed = true;
    }
    for entry in ledger.entries.iter_mut().filter(|e| e.reason == Some(reason)) {
        entry.disposition = Disposition::Kept;
        entry.reason = None;
        crossed = true;
    }
    crossed
}

#[test]
fn each_boundary_has_the_fixture_that_fails_without_it() {
    let registry = registry();
    for adapter in registry.iter() {
        let manifest = adapter.manifest();
        let cases = fixtures::cases(manifest.name).unwrap();
        for boundary in manifest.boundaries {
            let case = cases.iter().find(|c| c.name == boundary.fixture);
            let case = case.unwrap_or_else(|| {
                panic!("{}: no fixture {} for {}", manifest.name, boundary.fixture, boundary.reason)
            });
            assert!(
                case.boundaries.contains(&boundary.reason),
                "{}/{} does not list {}",
                manifest.name,
                case.name,
                boundary.reason
            );
            let mut crossed = false;
            let mutated =
                case.render_changed(&registry, |outcomes| crossed = without(boundary.reason, outcomes)).unwrap();
            assert!(crossed, "{}/{} never crosses {}", manifest.name, case.name, boundary.reason);
            assert_ne!(mutated, case.expected, "{}/{} passes without {}", manifest.name, case.name, boundary.reason);
        }
    }
}

#[test]
fn every_source_has_the_nine_samples() {
    const NINE: [&str; 9] = [
        "normal-text",
        "tool-only",
        "thinking-only",
        "mixed-blocks",
        "empty-response",
        "repeated-text",
        "missing-timestamp",
        "malformed-json",
        "unknown-version",
    ];
    for adapter in registry().iter() {
        let source = adapter.manifest().name;
        let names: Vec<String> = fixtures::cases(source).unwrap().into_iter().map(|c| c.name).collect();
        for name in NINE {
            assert!(names.iter().any(|n| n == name), "{source} has no fixture {name}");
        }
    }
}
