//! Keys of `cursorDiskKV`: `family:composer:rest`, and what can be learned from them without a value.
//! Deliberately absent: values.

use crate::ReadError;
use crate::readers::sqlite::Reader;
use std::collections::BTreeMap;

/// The table of composers, bubbles and everything that belongs to them.
pub(super) const TABLE: &str = "cursorDiskKV";

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
        let tombstones: Vec<String> = reader.query(
            "SELECT key FROM cursorDiskKV WHERE key >= 'composerData:' AND key < 'composerData;' AND value IS NULL",
            [],
            text,
        )?;
        for key in tombstones {
            keys.data.insert(key["composerData:".len()..].to_owned(), true);
        }
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
    let mut found = Vec::new();
    let mut from = String::new();
    while found.len() < MOST_FAMILIES {
        let next: Vec<String> = reader.query(
            "SELECT key FROM cursorDiskKV WHERE key >= ?1 ORDER BY key LIMIT 1",
            [&from],
            text,
        )?;
        let Some(key) = next.first() else { break };
        let family = family(key);
        let after = match family.strip_suffix([':', '.']) {
            // The character after a colon is a semicolon, after a full stop a slash.
            Some(name) => format!("{name}{}", if family.ends_with(':') { ';' } else { '/' }),
            None => format!("{key}\0"),
        };
        let count: Vec<i64> = reader.query(
            "SELECT count(*) FROM cursorDiskKV WHERE key >= ?1 AND key < ?2",
            [family, after.as_str()],
            |row| row.get(0),
        )?;
        if after <= from {
            break; // a key that is not valid text sorts differently here and there
        }
        found.push(format!("{family} {}", count.first().unwrap_or(&0)));
        from = after;
    }
    let nameless: Vec<i64> =
        reader.query("SELECT count(*) FROM cursorDiskKV WHERE key IS NULL", [], |row| row.get(0))?;
    if let Some(count) = nameless.first().filter(|n| **n > 0) {
        found.push(format!("(no key) {count}"));
    }
    Ok(found.join(", "))
}

/// The part of a key that names what the row is.
fn family(key: &str) -> &str {
    let segments = if key.starts_with("agentKv:") { 2 } else { 1 };
    if key.starts_with("composer.content.") {
        return "composer.content.";
    }
    match key.match_indices(':').nth(segments - 1) {
        Some((at, _)) => &key[..=at],
        None => key,
    }
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
    }
}
