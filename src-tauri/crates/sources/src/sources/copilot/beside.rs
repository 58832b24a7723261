//! Files beside a session that belong to it: output of tools that was too long for the session, states of files,
//! a plan, checkpoints, facts.
//!
//! Deliberately absent: where they lie (`editors.rs`, `command_line.rs`), and the tasks in a database
//! (`store.rs`).

use super::teller::Teller;
use super::words;
use crate::readers::binary;
use crate::{Account, EntryId, EvidenceFile, Fate};
use assay_model::{Kind, Locator, Message, MessageType, NoticeCode, Reason, Timestamp, text};
use std::borrow::Cow;
use std::collections::HashMap;

/// The folder of output that was too long, by session and call.
pub(super) const RESOURCES: &str = "chat-session-resources";
/// The folder of states of files, by session.
pub(super) const EDITING: &str = "chatEditingSessions";

/// What `workspace.yaml` says about a session. Every one of them is known about it; three are its folder, branch
/// and title.
const FACTS: &[&str] = &[
    "id",
    "cwd",
    "git_root",
    "repository",
    "branch",
    "host_type",
    "summary",
    "name",
    "user_named",
    "summary_count",
    "created_at",
    "updated_at",
    "model",
    "client_name",
];

/// The parts of a path.
fn parts(path: &str) -> impl DoubleEndedIterator<Item = &str> {
    path.split(['/', '\\'])
}

/// Opens the one record that a file is; `None` if it is empty.
pub(super) fn whole<'f>(
    account: &mut Account,
    file: &'f EvidenceFile,
    kind: &'static str,
    fate: Fate,
) -> Option<(Cow<'f, [u8]>, EntryId)> {
    let bytes = match file.read_all() {
        Ok(bytes) => bytes,
        Err(error) => {
            account.notice(NoticeCode::TruncatedFile, error.to_string(), None);
            return None;
        }
    };
    account.extent(file.file.clone(), bytes.len() as u64);
    if bytes.is_empty() {
        return None;
    }
    let locator = Locator::Bytes {
        file: file.file.clone(),
        byte_start: 0,
        byte_end: bytes.len() as u64,
        line: 1,
        pointer: None,
    };
    let entry = account.record(locator, kind, bytes.len() as u64, fate);
    Some((bytes, entry))
}

impl Teller<'_, '_> {
    /// Tells a file beside a session of the editor.
    pub fn beside(&mut self, file: &EvidenceFile) {
        if parts(&file.file).any(|part| part == EDITING) {
            let fate = Fate::Dropped(Reason::FileCheckpoint);
            if let Some((bytes, entry)) = whole(self.account, file, "edit-session", fate) {
                self.account.excerpt(entry, &String::from_utf8_lossy(&bytes[..bytes.len().min(1024)]));
            }
            return;
        }
        let fate = Fate::Dropped(Reason::BlankLine);
        let Some((bytes, entry)) = whole(self.account, file, "spilled-output", fate) else { return };
        let mut below: Vec<&str> = parts(&file.file).collect();
        below.drain(..below.iter().rposition(|part| *part == RESOURCES).map_or(0, |at| (at + 2).min(below.len())));
        // The folder, or in other builds the file, is named for the call.
        let mut named = below.iter().map(|part| words::call_id(part.split('.').next().unwrap_or(part)));
        let call = named.find_map(|id| Some((id, self.of_call(id)?)));
        let content = match std::str::from_utf8(&bytes) {
            Ok(text) => text.to_owned(),
            Err(_) => binary::describe_bytes("application/octet-stream", &bytes),
        };
        if text::is_blank(&content) {
            return;
        }
        if call.is_some_and(|(_, id)| self.account.messages()[id as usize].content.contains(content.trim())) {
            self.account.refate(entry, Fate::Dropped(Reason::Duplicate));
            return;
        }
        let locator = self.account.locator(entry).clone();
        let id = format!("{RESOURCES}/{}", below.join("/"));
        let mut message =
            Message::recovered(id, MessageType::System, Kind::ToolResult, content, Reason::ToolResult, locator);
        if let Some((id, of)) = call {
            let of = &self.account.messages()[of as usize];
            message.when = of.when;
            message.branch = of.branch;
            message.tool_name = of.tool_name.clone();
            message.tool_call_id = Some(id.to_owned());
        }
        let id = self.account.push(message);
        self.account.refate(entry, Fate::Recovered(id));
        self.follow(id, call.map(|(_, of)| of));
    }
}

/// A plan or a checkpoint: a text beside the events.
pub(super) fn note(account: &mut Account, file: &EvidenceFile) {
    let Some((bytes, entry)) = whole(account, file, "note", Fate::Dropped(Reason::EmptyMessage)) else { return };
    let name = parts(&file.file).next_back().unwrap_or("note").to_owned();
    let content = String::from_utf8_lossy(&bytes);
    if !text::is_blank(&content) {
        let locator = account.locator(entry).clone();
        let reason = Reason::ExtendedCoverage;
        let message = Message::recovered(name, MessageType::System, Kind::Attachment, content, reason, locator);
        let id = account.push(message);
        account.refate(entry, Fate::Recovered(id));
    }
}

/// `workspace.yaml`: what is known about a session of the command line tool.
pub(super) fn facts(account: &mut Account, file: &EvidenceFile) {
    let fate = Fate::Folded(Reason::Metadata, None);
    let Some((bytes, entry)) = whole(account, file, "workspace", fate) else { return };
    let content = String::from_utf8_lossy(&bytes);
    let mut all = members(&content);
    all.retain(|(_, value)| !value.is_empty() && !matches!(value.as_str(), "null" | "~" | "false" | "0"));
    let mut seen: HashMap<&str, usize> = HashMap::new();
    for (key, value) in &all {
        // A name may stand twice; comments and strays always can.
        let again = seen.entry(key).and_modify(|times| *times += 1).or_default();
        let pointer = if *again > 0 { format!("/{key}#{again}") } else { format!("/{key}") };
        if FACTS.contains(&&**key) || key == COMMENT {
            let block = account.block(entry, pointer, format!("workspace/{key}"), value.len(), fate);
            account.excerpt(block, value);
        } else {
            let block = account.block(entry, pointer.as_str(), "field", value.len(), Fate::Pending);
            let id = account.unknown(block, format!("workspace/{key}"), value);
            // Its number changes as the events before it grow.
            account.message(id).id = format!("workspace{pointer}");
        }
    }
    let get = |key: &str| all.iter().find(|(k, _)| *k == key).map(|(_, value)| value.clone());
    if let Some(folder) = get("cwd") {
        if account.project_dir.is_empty() {
            account.project_name = crate::account::base_name(&folder).to_owned();
            account.project_dir = folder.clone();
        }
        account.cwd.get_or_insert(folder);
    }
    account.git_branch = account.git_branch.take().or_else(|| get("branch"));
    account.slug = account.slug.take().or_else(|| get("name")).or_else(|| get("summary"));
    account.created_at = account.created_at.or_else(|| Timestamp::parse(&get("created_at")?));
}

/// The members of a flat YAML mapping, and comments under the name `#`. A value that is more than one plain or
/// quoted text or a block of lines is given as it stands; so is, without a name, what belongs to no member.
fn members(text: &str) -> Vec<(Cow<'_, str>, String)> {
    let mut all: Vec<(Cow<'_, str>, Vec<&str>)> = Vec::new();
    for line in text.lines() {
        let is_blank = line.trim().is_empty();
        match member(line) {
            Some((key, value)) => all.push((key, vec![value])),
            None if matches!(line.trim_end(), "---" | "...") || line.starts_with('%') => {}
            None if line.starts_with('#') => all.push((Cow::Borrowed(COMMENT), vec![line[1..].trim()])),
            None => match all.last_mut() {
                // What is indented below a key, or in a list below it, belongs to its value.
                Some((key, lines)) if key != COMMENT && (is_blank || key.is_empty() || line.starts_with([' ', '\t', '-'])) => {
                    lines.push(line);
                }
                _ if is_blank => {}
                _ => all.push((Cow::Borrowed(""), vec![line])),
            },
        }
    }
    all.into_iter().map(|(key, lines)| (key, value(&lines))).collect()
}

/// The name of comments.
const COMMENT: &str = "#";

/// The key that a line begins with, and what follows it.
fn member(line: &str) -> Option<(Cow<'_, str>, &str)> {
    let (key, rest) = match line.chars().next()? {
        quote @ ('"' | '\'') => {
            let end = 1 + line[1..].find(quote)?;
            (Cow::Borrowed(&line[1..end]), line[end + 1..].strip_prefix(':')?)
        }
        ' ' | '\t' | '-' | '#' | '%' | '?' | '{' | '[' => return None,
        _ => {
            let end = line.match_indices(':').map(|(at, _)| at).find(|at| matches!(line.as_bytes().get(at + 1), None | Some(b' ' | b'\t')))?;
            (Cow::Borrowed(line[..end].trim_end()), &line[end + 1..])
        }
    };
    (rest.is_empty() || rest.starts_with([' ', '\t'])).then(|| (key, rest.trim()))
}

/// What the lines of a value say.
fn value(lines: &[&str]) -> String {
    let Some((head, below)) = lines.split_first() else { return String::new() };
    let end = below.iter().rposition(|line| !line.trim().is_empty()).map_or(0, |at| at + 1);
    let below = &below[..end];
    let indent = |line: &&&str| line.len() - line.trim_start_matches(' ').len();
    let least = below.iter().filter(|line| !line.trim().is_empty()).map(|line| indent(&line)).min().unwrap_or(0);
    let plain: Vec<&str> = below.iter().map(|line| line.get(least..).unwrap_or("")).collect();
    match *head {
        "|" | "|-" | "|+" => plain.join("\n"),
        // Lines are joined but at blank ones.
        ">" | ">-" | ">+" => {
            let paragraphs: Vec<String> = plain.split(|line| line.trim().is_empty()).map(|lines| lines.join(" ")).collect();
            paragraphs.join("\n")
        }
        head if below.is_empty() => unquoted(head),
        head => [&[head][..], &plain].concat().join("\n").trim_start_matches('\n').to_owned(),
    }
}

/// A scalar without its quotes; one that is not all of what stands there, as it stands.
fn unquoted(value: &str) -> String {
    let inside = |quote: char| value.strip_prefix(quote)?.strip_suffix(quote);
    if let Some(inside) = inside('\'').filter(|inside| !inside.replace("''", "").contains('\'')) {
        return inside.replace("''", "'");
    }
    match inside('"') {
        // Of the escapes that JSON does not have, these are the ones that are written.
        Some(_) => {
            let known = serde_json::from_str(value).or_else(|_| serde_json::from_str(&value.replace("\\x", "\\u00")));
            known.unwrap_or_else(|_| value.to_owned())
        }
        None => value.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flat_mapping_is_read_with_its_quotes_and_blocks() {
        let text = "# made by the tool\nid: a-1\ncwd: \"/home/u/my: shop\"\nname: 'it''s'\nsummary: |-\n  First line\n    second line\n\n  third\nlist:\n- x\n- y\nempty:\n";
        let read = members(text);
        let expected = [
            ("#", "made by the tool"),
            ("id", "a-1"),
            ("cwd", "/home/u/my: shop"),
            ("name", "it's"),
            ("summary", "First line\n  second line\n\nthird"),
            ("list", "- x\n- y"),
            ("empty", ""),
        ];
        assert_eq!(read, expected.map(|(key, value)| (Cow::Borrowed(key), value.to_owned())));
    }

    #[test]
    fn whatever_else_a_file_says_is_told_as_it_stands() {
        for (text, expected) in [
            ("stray\nlines\ncwd: /p\n", &[("", "stray\nlines"), ("cwd", "/p")][..]),
            ("  - indented first\n", &[("", "  - indented first")]),
            ("{\"cwd\": \"/p\"}\n", &[("", "{\"cwd\": \"/p\"}")]),
            ("---\n\"cwd\": /p\n'git root': /g\n...\n", &[("cwd", "/p"), ("git root", "/g")]),
            ("url: https://x/a:b\nat:b: c\n", &[("url", "https://x/a:b"), ("at:b", "c")]),
            ("summary: >\n  one\n  two\n\n  three\n", &[("summary", "one two\nthree")]),
            ("nested:\n  a: 1\n    b: 2\n", &[("nested", "a: 1\n  b: 2")]),
            ("name: two\n  lines\n", &[("name", "two\nlines")]),
            ("name: \"a\\x41\\tb\"\n", &[("name", "aA\tb")]),
            ("name: \"a\" and \"b\"\n", &[("name", "\"a\" and \"b\"")]),
            ("name: 'a' and 'b'\n", &[("name", "'a' and 'b'")]),
            ("# one\n# two\nid: 1\n", &[("#", "one"), ("#", "two"), ("id", "1")]),
        ] {
            let expected: Vec<_> = expected.iter().map(|(k, v)| (Cow::Borrowed(*k), (*v).to_owned())).collect();
            assert_eq!(members(text), expected, "{text}");
        }
    }
}
