//! The head of a rollout: whose it is, where it ran, what it comes from.
//!
//! Deliberately absent: everything after the first record that says it.

use crate::readers::json::{Tape, Value};
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

/// How far into a file its first `session_meta` is looked for.
pub(super) const HEAD: u64 = 8 << 20;
const HEAD_RECORDS: usize = 16;

/// What the first records say about the whole.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Head {
    /// The id of the first `session_meta` (or of an older header).
    pub id: Option<String>,
    /// The working directory.
    pub cwd: Option<String>,
    /// The conversation that this one was forked from or spawned by.
    pub parent: Option<String>,
}

/// The text of a file, unpacked.
pub(super) fn unpacked(path: &Path) -> io::Result<Box<dyn BufRead>> {
    let mut file = BufReader::new(crate::roots::open_plain(path)?);
    Ok(if file.fill_buf()?.starts_with(&[0x28, 0xB5, 0x2F, 0xFD]) {
        Box::new(BufReader::new(zstd::stream::Decoder::with_buffer(file)?))
    } else {
        Box::new(file)
    })
}

/// Reads the head of a rollout (or of a whole-file JSON session).
pub(super) fn head(path: &Path) -> io::Result<Head> {
    let mut reader = unpacked(path)?.take(HEAD);
    let mut tape = Tape::new();
    if path.extension().is_some_and(|e| e == "json") {
        let mut text = Vec::new();
        reader.read_to_end(&mut text)?;
        let session = super::typescript::session(&mut tape, &text);
        return Ok(session.map(|s| Head { id: own_id(s), ..Head::default() }).unwrap_or_default());
    }
    let mut line = Vec::new();
    for number in 0..HEAD_RECORDS {
        line.clear();
        if reader.read_until(b'\n', &mut line)? == 0 {
            break;
        }
        let text = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&line);
        let Ok((record, _)) = tape.read(text) else { continue };
        if record.get_str("type").as_deref() == Some("session_meta") {
            let Some(meta) = record.get("payload") else { continue };
            return Ok(Head {
                id: own_id(meta),
                cwd: meta.get("cwd").and_then(Value::non_empty).map(Into::into),
                parent: parent_of(meta),
            });
        }
        if number == 0 && record.get("type").is_none() && record.get("payload").is_none() {
            return Ok(Head { id: own_id(record), ..Head::default() });
        }
    }
    Ok(Head::default())
}

fn own_id(meta: Value<'_>) -> Option<String> {
    meta.get("id")?.non_empty().map(Into::into)
}

/// Where a fork or a spawned agent comes from, in any of the ways that versions have written it.
pub(super) fn parent_of(meta: Value<'_>) -> Option<String> {
    const PLACES: [&[&str]; 4] = [
        &["forked_from_id"],
        &["parent_thread_id"],
        &["source", "subagent", "thread_spawn", "parent_thread_id"],
        &["history_base", "thread_id"],
    ];
    PLACES.iter().find_map(|place| meta.path(place)?.non_empty()).map(Into::into)
}

/// `rollout-2026-01-02T10-00-00-<id>.jsonl` and its older and compressed forms: the part after the time.
pub(super) fn id_from_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let stem = [".jsonl.zst", ".jsonl", ".json"].iter().find_map(|s| name.strip_suffix(s)).unwrap_or(&name);
    let rest = stem.strip_prefix("rollout-").unwrap_or(stem);
    ["dddd-dd-ddTdd-dd-dd-", "dddd-dd-dd-"]
        .iter()
        .find_map(|pattern| {
            let (time, id) = rest.split_at_checked(pattern.len())?;
            let fits = time.bytes().zip(pattern.bytes()).all(|(b, p)| if p == b'd' { b.is_ascii_digit() } else { b == p });
            (fits && !id.is_empty()).then_some(id)
        })
        .unwrap_or(stem)
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_come_out_of_every_era_of_file_names() {
        let id = |name: &str| id_from_name(Path::new(name));
        assert_eq!(id("rollout-2026-01-02T10-00-00-abc-1.jsonl"), "abc-1");
        assert_eq!(id("rollout-2026-01-02T10-00-00-abc-1.jsonl.zst"), "abc-1");
        assert_eq!(id("rollout-2025-05-07-abc.json"), "abc");
        assert_eq!(id("rich.jsonl"), "rich");
        assert_eq!(id("rollout-2026-01-02T10-00-00-.jsonl"), "rollout-2026-01-02T10-00-00-");
    }
}
