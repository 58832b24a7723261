//! Which composer started which: a parent names its sub-agents in its `composerData`. Deliberately absent:
//! the tool call, which is in the sub-agent's own id (`task-<call>`).

use super::keys::TABLE;
use crate::ReadError;
use crate::readers::json::{Tape, Value};
use crate::readers::sqlite::Reader;
use std::collections::BTreeMap;

/// The fields in which a composer names those it started.
pub(super) const CHILDREN: [&str; 2] = ["subagentComposerIds", "subComposerIds"];

/// Sub-agents and the composer that started each.
pub(super) fn read(reader: &Reader<'_>) -> Result<BTreeMap<String, String>, ReadError> {
    let mut parents = BTreeMap::new();
    if !reader.has_table(TABLE)? {
        return Ok(parents);
    }
    let mut tape = Tape::new();
    let mut visit = |key: &str, value: &[u8]| {
        // Most composers started none: look for the field's name before reading the value.
        if CHILDREN.iter().all(|c| memchr::memmem::find(value, c.as_bytes()).is_none()) {
            return;
        }
        let Ok(data) = tape.read_whole(value) else { return };
        let parent = &key["composerData:".len()..];
        for child in CHILDREN.iter().filter_map(|c| data.get(c)).flat_map(Value::items).filter_map(Value::non_empty) {
            parents.entry(child.into_owned()).or_insert_with(|| parent.to_owned());
        }
    };
    reader.query(
        "SELECT key, value FROM cursorDiskKV WHERE key >= 'composerData:' AND key < 'composerData;' ORDER BY key",
        [],
        |row| {
            let key = super::keys::text(row)?;
            visit(&key, row.get_ref(1)?.as_bytes().unwrap_or_default());
            Ok(())
        },
    )?;
    Ok(parents)
}
