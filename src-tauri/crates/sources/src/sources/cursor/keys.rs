//! Keys of `cursorDiskKV`: `family:composer:rest`, and what can be learned from them without a value.
//! Deliberately absent: values.

use crate::ReadError;
use crate::readers::pages::KeyTable;
use crate::readers::sqlite::{Reader, after_prefix, with_prefix};
use std::collections::{BTreeMap, BTreeSet};

/// The table of composers, bubbles and everything that belongs to them.
pub(super) const TABLE: &str = "cursorDiskKV";

/// How the keys of that table begin; whatever is no such key is the editor's.
const FAMILIES: [&str; 10] = [
    "agentKv:",
    "bubbleId:",
    "checkpointId:",
    "codeBlock",
    "composer.content.",
    "composerData:",
    "composerVirtualRowHeights",
    "inlineDiff",
    "messageRequestContext:",
    "ofsContent:",
];

/// The tables of every database of the editor, for what is left of a damaged one.
pub(super) const TABLES: &[KeyTable] = &[
    KeyTable { name: TABLE, has: |key| FAMILIES.iter().any(|family| key.starts_with(family)) },
    KeyTable { name: "ItemTable", has: |_| true },
];

/// How the keys of roots of trees of blobs begin, before the composer's id.
pub(super) const CHECKPOINT: &str = "agentKv:checkpoint:";
/// How the keys of blobs begin, before their hash.
pub(super) const BLOB: &str = "agentKv:blob:";

/// The most families that are counted; singular keys make a family each.
const MOST_FAMILIES: usize = 64;

/// The composer and the bubble of a `bubbleId:` key. A composer's id may hold line breaks and colons
/// (`task-call_…\nfc_…`), so the last colon is the one that counts.
pub(super) fn bubble_key(key: &str) -> Option<(&str, &str)> {
    key.strip_prefix("bubbleId:")?.rsplit_once(':')
}

/// What the keys of one database say.
#[derive(Debug, Default)]
pub(super) struct Keys {
    /// Composers with a `composerData:` row, and whether that row is a tombstone.
    pub data: BTreeMap<String, bool>,
    /// Composers with `bubbleId:` rows, and how many.
    pub bubbles: BTreeMap<String, u64>,
    /// Composers with the root of a tree of blobs.
    pub checkpoints: BTreeSet<String>,
}

impl Keys {
    /// Reads keys only: the index has them all.
    pub fn read(reader: &Reader<'_>) -> Result<Self, ReadError> {
        let mut keys = Self::default();
        if !reader.has_table(TABLE)? {
            return Ok(keys);
        }
        reader.keys(TABLE, "composerData:", |key| {
            keys.data.insert(key["composerData:".len()..].to_owned(), false);
        })?;
        let prefix = "composerData:";
        let null = format!("SELECT key FROM {TABLE} WHERE value IS NULL AND {}", with_prefix(TABLE));
        let tombstones: Vec<String> = reader.query(&null, [prefix, &after_prefix(prefix)], text)?;
        for key in tombstones {
            keys.data.insert(key["composerData:".len()..].to_owned(), true);
        }
        reader.keys(TABLE, CHECKPOINT, |key| {
            keys.checkpoints.insert(key[CHECKPOINT.len()..].to_owned());
        })?;
        reader.keys(TABLE, "bubbleId:", |key| {
            if let Some((composer, _)) = bubble_key(key) {
                match keys.bubbles.get_mut(composer) {
                    Some(count) => *count += 1,
                    None => {
                        keys.bubbles.insert(composer.to_owned(), 1);
                    }
                }
            }
        })?;
        Ok(keys)
    }
}

/// The first column as text, whatever its bytes are.
pub(super) fn text(row: &rusqlite::Row<'_>) -> rusqlite::Result<String> {
    Ok(String::from_utf8_lossy(row.get_ref(0)?.as_bytes().unwrap_or_default()).into_owned())
}

/// The families of keys with their numbers, e.g. `agentKv:blob: 1200, bubbleId: 12`. Counts in the index,
/// so that rows which are no conversation cost next to nothing.
pub(super) fn families(reader: &Reader<'_>) -> Result<String, ReadError> {
    if !reader.has_table(TABLE)? {
        return Ok(String::new());
    }
    let count = |which: &str, params: &[&str]| -> Result<i64, ReadError> {
        let sql = format!("SELECT count(*) FROM {TABLE} WHERE {which}");
        let counted = reader.query(&sql, rusqlite::params_from_iter(params), |row| row.get(0))?;
        Ok(counted.first().copied().unwrap_or(0))
    };
    let mut found = Vec::new();
    let mut from = String::new();
    loop {
        let sql = "SELECT key FROM cursorDiskKV WHERE key >= ?1 AND key < x'' ORDER BY key LIMIT 1";
        let next: Vec<String> = reader.query(sql, [&from], text)?;
        let Some(key) = next.first() else { break };
        let family = family(key);
        let after = if family == key { format!("{key}\0") } else { after_prefix(family) };
        // What a key that is not valid text would sort as is not known here.
        if found.len() == MOST_FAMILIES || after <= from {
            found.push(format!("(others) {}", count("key >= ?1 AND key < x''", &[&from])?));
            break;
        }
        found.push(format!("{family} {}", count("key >= ?1 AND key < ?2", &[family, &after])?));
        from = after;
    }
    // Bytes sort after every text.
    for (name, which) in [("(key of bytes)", "key >= x''"), ("(no key)", "key IS NULL")] {
        let count = count(which, &[])?;
        if count > 0 {
            found.push(format!("{name} {count}"));
        }
    }
    Ok(found.join(", "))
}

/// The beginning of a key that names what the row is. The ids after it differ from row to row.
fn family(key: &str) -> &str {
    // These are families of families.
    let start = ["agentKv:", "composer."].into_iter().find(|named| key.starts_with(named)).map_or(0, str::len);
    key[start..].find([':', '-', '.']).map_or(key, |at| &key[..=start + at])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_colon_splits_a_bubble_key() {
        assert_eq!(bubble_key("bubbleId:c1:b1"), Some(("c1", "b1")));
        assert_eq!(bubble_key("bubbleId:task-call_A\nfc_B:b41"), Some(("task-call_A\nfc_B", "b41")));
        assert_eq!(bubble_key("bubbleId:task-functions.task:0:b"), Some(("task-functions.task:0", "b")));
        assert_eq!(bubble_key("bubbleId:lonely"), None);
        assert_eq!(bubble_key("checkpointId:c:b"), None);
    }

    #[test]
    fn families_are_named_by_their_prefix() {
        assert_eq!(family("agentKv:blob:00ff"), "agentKv:blob:");
        assert_eq!(family("bubbleId:c:b"), "bubbleId:");
        assert_eq!(family("composer.content.ab"), "composer.content.");
        assert_eq!(family("inlineDiffsData"), "inlineDiffsData");
        assert_eq!(family("inlineDiffs-0a1b"), "inlineDiffs-");
        assert_eq!(family("composer.other"), "composer.other");
        assert_eq!(family("agentKv:odd"), "agentKv:odd");
    }
}
