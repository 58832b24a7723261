//! Bodies of files that an edit names by content id (`composer.content.<hash>`): raw text in rows of their
//! own, shared between conversations, so they are consulted and not owned. Deliberately absent: diffs.

use super::writer::Writer;
use crate::Evidence;
use crate::readers::binary;
use crate::readers::json::{Tape, Value};
use assay_model::{Kind, Reason};
use std::collections::BTreeSet;

/// Where an edit names the file before and after it.
const FIELDS: [&str; 2] = ["beforeContentId", "afterContentId"];

/// The content ids that a bubble's tool result names.
fn named(bubble: Value<'_>) -> Vec<(&'static str, String)> {
    let Some(result) = bubble.path(&["toolFormerData", "result"]) else { return Vec::new() };
    let text = result.str().unwrap_or_else(|| result.raw_text());
    let mut tape = Tape::new();
    let Ok(result) = tape.read_whole(text.as_bytes()) else { return Vec::new() };
    FIELDS.into_iter().filter_map(|f| Some((f, result.get(f)?.non_empty()?.into_owned()))).collect()
}

/// The keys of the bodies that these rows name, for collecting them.
pub(super) fn keys<'r>(rows: impl Iterator<Item = &'r [u8]>) -> BTreeSet<String> {
    let mut tape = Tape::new();
    let mut found = BTreeSet::new();
    for bytes in rows.filter(|b| memchr::memmem::find(b, b"ContentId").is_some()) {
        if let Ok(bubble) = tape.read_whole(bytes) {
            found.extend(named(bubble).into_iter().map(|(_, id)| key(&id)));
        }
    }
    found
}

fn key(id: &str) -> String {
    if id.starts_with("composer.content.") { id.to_owned() } else { format!("composer.content.{id}") }
}

/// Adds the bodies that a bubble's edit names.
pub(super) fn write(pen: &mut Writer<'_>, bubble: Value<'_>, evidence: &Evidence) {
    if evidence.consulted_rows.is_empty() {
        return;
    }
    for (field, id) in named(bubble) {
        let key = key(&id);
        let found = evidence.consulted_rows.binary_search_by(|r| r.key.as_deref().cmp(&Some(key.as_str())));
        let Some(row) = found.ok().and_then(|at| evidence.consulted_rows.get(at)) else { continue };
        if row.bytes().is_empty() {
            continue;
        }
        let content = match std::str::from_utf8(row.bytes()) {
            Ok(text) => text.to_owned(),
            Err(_) => binary::describe("application/octet-stream", &String::from_utf8_lossy(row.bytes())),
        };
        let place = format!("/toolFormerData/result/{field}");
        let id = pen.recover(&place, format!("tool/{field}"), Kind::Attachment, content, Reason::Attachment);
        pen.account.message(id).locator = row.locator();
    }
}


#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_ids_are_found_in_a_result_that_is_a_string_or_an_object() {
        let rows = [
            br#"{"toolFormerData":{"result":"{\"beforeContentId\":\"composer.content.a\"}"}}"#.as_slice(),
            br#"{"toolFormerData":{"result":{"afterContentId":"b"}}}"#,
            br#"{"text":"ContentId"}"#,
            b"not json ContentId",
        ];
        let found: Vec<_> = keys(rows.into_iter()).into_iter().collect();
        assert_eq!(found, ["composer.content.a", "composer.content.b"]);
    }
}
