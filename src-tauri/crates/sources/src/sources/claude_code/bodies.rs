//! Tool output that was set aside in the session's `tool-results/` folder.
//!
//! A body is found by its base name in that folder only; the absolute path in a record may belong to
//! another machine and is never followed.

use crate::{EvidenceFile, MessageId};
use memchr::memmem;
use std::collections::{BTreeSet, HashMap};
use std::io::BufRead;

/// The folder's name.
pub(super) const FOLDER: &str = "tool-results";

/// How a result begins whose body was set aside.
const SET_ASIDE: &str = "<persisted-output>";

/// The bodies at hand.
#[derive(Default)]
pub(super) struct Bodies<'e> {
    files: HashMap<&'e str, &'e EvidenceFile>,
    shown: HashMap<String, MessageId>,
}

impl<'e> Bodies<'e> {
    /// The bodies among the consulted files.
    pub fn of(consulted: &'e [EvidenceFile]) -> Self {
        let bodies = consulted.iter().filter(|f| f.file.replace('\\', "/").contains(&format!("/{FOLDER}/")));
        let named = bodies.map(|f| (crate::account::base_name(&f.file), f));
        Self { files: named.collect(), shown: HashMap::new() }
    }

    /// The text of a body; one that is not text is described. `None`: not at hand.
    pub fn read(&self, name: &str) -> Option<String> {
        Some(text(name, &self.files.get(name)?.read_all().ok()?))
    }

    /// Bodies at hand that no record showed: a text mentions them, and nothing says what for.
    pub fn not_shown(&self) -> Vec<String> {
        let mut names: Vec<_> = self.files.keys().filter(|n| !self.shown.contains_key(**n)).map(|n| (*n).to_owned()).collect();
        names.sort();
        names
    }

    /// The file of a body.
    pub fn file(&self, name: &str) -> Option<&'e EvidenceFile> {
        self.files.get(name).copied()
    }

    /// The message that already shows a body.
    pub fn shown(&self, name: &str) -> Option<MessageId> {
        self.shown.get(name).copied()
    }

    /// Remembers which message shows a body.
    pub fn show(&mut self, name: String, message: MessageId) {
        self.shown.insert(name, message);
    }
}

/// The text of a body; one that is not text is described.
pub(super) fn text(name: &str, bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) if bytes.contains(&0) => {
            let hash = assay_model::hash::hex(&assay_model::hash::sha256(bytes));
            format!("[{name}, {} bytes, sha256 {hash}]", bytes.len())
        }
        Err(_) => String::from_utf8_lossy(bytes).into_owned(),
    }
}

/// The base name of the body that a result says it was set aside in.
pub(super) fn set_aside(result: &str) -> Option<&str> {
    let result = result.trim_start();
    result.starts_with(SET_ASIDE).then(|| names(result.as_bytes()).next()).flatten()
}

/// The base name of a body's path.
pub(super) fn base(path: &str) -> Option<&str> {
    Some(crate::account::base_name(path)).filter(|name| !name.is_empty())
}

/// Base names that follow the folder's name somewhere in a text, escaped or not.
fn names(text: &[u8]) -> impl Iterator<Item = &str> {
    memmem::find_iter(text, FOLDER).filter_map(move |at| {
        let rest = &text[at + FOLDER.len()..];
        let start = rest.iter().position(|b| !matches!(b, b'/' | b'\\')).filter(|n| *n > 0)?;
        let rest = &rest[start..];
        let end = rest.iter().position(|b| b"/\\\"<> \t\r\n".contains(b)).unwrap_or(rest.len());
        std::str::from_utf8(&rest[..end]).ok().filter(|name| !name.is_empty() && *name != "..")
    })
}

/// Every base name that a file mentions, to know which bodies to open with it.
pub(super) fn mentioned(file: &EvidenceFile) -> std::io::Result<BTreeSet<String>> {
    let mut found = BTreeSet::new();
    let mut reader = file.reader()?;
    let mut line = Vec::new();
    while reader.read_until(b'\n', &mut line)? > 0 {
        found.extend(names(&line).map(str::to_owned));
        line.clear();
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_is_named_by_what_follows_the_folder() {
        let unix = "<persisted-output>\nOutput too large. Full output saved to: /h/p/u/tool-results/b1.txt\n\nPreview";
        assert_eq!(set_aside(unix), Some("b1.txt"));
        let windows = r"<persisted-output> Full output saved to: D:\p\tool-results\b2.json Preview";
        assert_eq!(set_aside(windows), Some("b2.json"));
        assert_eq!(set_aside("see /x/tool-results/b1.txt"), None, "a mention is not a reference");
        let escaped = br#"{"persistedOutputPath":"D:\\p\\tool-results\\b2.json"} tool-results"#;
        assert_eq!(names(escaped).collect::<Vec<_>>(), ["b2.json"]);
    }
}
