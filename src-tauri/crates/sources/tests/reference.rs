//! `contentHash` is interchangeable with the reference system's: it computed `reference/hashes.json`
//! itself, over the generated home beside it.
#![allow(clippy::unwrap_used, missing_docs)]

use assay_model::hash;
use assay_sources::{Platform, Roots, fixtures, registry};
use std::collections::BTreeMap;
use std::path::Path;

#[derive(serde::Deserialize)]
#[serde(rename_all = "camelCase")]
struct Expected {
    content_hash: String,
    messages: usize,
}

#[test]
fn all_sixty_conversations_have_the_hash_that_the_reference_system_computed() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reference");
    let expected: BTreeMap<String, BTreeMap<String, Expected>> =
        serde_json::from_slice(&std::fs::read(folder.join("hashes.json")).unwrap()).unwrap();
    let mut checked = 0;
    let mut wrong = Vec::new();
    for (source, conversations) in &expected {
        let adapter = registry().get(source).unwrap();
        let (_, outcomes) = fixtures::run(adapter, &Roots::new(folder.join("home"), Platform::Linux));
        for (id, expected) in conversations {
            checked += 1;
            let found = outcomes.iter().find(|o| o.candidate.id == *id);
            match found.map(|o| o.parsed.as_ref()) {
                Some(Ok((conversation, ledger))) => {
                    let count = conversation.reference().count();
                    if count != expected.messages {
                        wrong.push(format!("{source} {id}: {count} messages instead of {}", expected.messages));
                    } else if hash::hex(&hash::content_hash(conversation)) != expected.content_hash {
                        wrong.push(format!("{source} {id}: another hash"));
                    }
                    if ledger.unaccounted_bytes() > 0 {
                        wrong.push(format!("{source} {id}: the ledger does not balance"));
                    }
                }
                other => {
                    wrong.push(format!("{source} {id}: {}", if other.is_some() { "blocked" } else { "not found" }))
                }
            }
        }
    }
    assert_eq!(checked, 60);
    assert!(wrong.is_empty(), "{} of {checked} disagree:\n{}", wrong.len(), wrong.join("\n"));
}
