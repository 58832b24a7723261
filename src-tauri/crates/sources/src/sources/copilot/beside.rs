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
    for (key, value) in &all {
        let pointer = format!("/{key}");
        if FACTS.contains(key) {
            let block = account.block(entry, pointer, format!("workspace/{key}"), value.len(), fate);
            account.excerpt(block, value);
        } else {
            let block = account.block(entry, pointer, "field", value.len(), Fate::Pending);
            let id = account.unknown(block, format!("workspace/{key}"), value);
            // Its number changes as the events before it grow.
            account.message(id).id = format!("workspace/{key}");
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

/// The members of a flat YAML mapping. What is indented below a key belongs to its value.
fn members(text: &str) -> Vec<(&str, String)> {
    let mut all: Vec<(&str, String)> = Vec::new();
    for line in text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with(['#', '%'])) {
        let top = !line.starts_with([' ', '\t', '-']);
        match line.split_once(':').filter(|(key, _)| top && !key.contains(['"', '{', '['])) {
            Some((key, value)) => all.push((key.trim(), value.trim().to_owned())),
            None => {
                let Some((_, value)) = all.last_mut() else { continue };
                if matches!(value.as_str(), "|" | "|-" | "|+" | ">" | ">-" | ">+") {
                    value.clear();
                }
                if !value.is_empty() {
                    value.push('\n');
                }
                value.push_str(line.trim());
            }
        }
    }
    for (_, value) in &mut all {
        *value = unquoted(value);
    }
    all
}

/// A scalar without its quotes.
fn unquoted(value: &str) -> String {
    let inside = |quote: char| value.strip_prefix(quote)?.strip_suffix(quote);
    if let Some(inside) = inside('\'') {
        return inside.replace("''", "'");
    }
    match inside('"') {
        Some(_) => serde_json::from_str(value).unwrap_or_else(|_| value.trim_matches('"').to_owned()),
        None => value.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flat_mapping_is_read_with_its_quotes_and_blocks() {
        let text = "# made by the tool\nid: a-1\ncwd: \"/home/u/my: shop\"\nname: 'it''s'\nsummary: |-\n  First line\n  second line\nlist:\n- x\n- y\nempty:\n";
        let read = members(text);
        let expected = [
            ("id", "a-1"),
            ("cwd", "/home/u/my: shop"),
            ("name", "it's"),
            ("summary", "First line\nsecond line"),
            ("list", "- x\n- y"),
            ("empty", ""),
        ];
        assert_eq!(read, expected.map(|(key, value)| (key, value.to_owned())));
    }
}
