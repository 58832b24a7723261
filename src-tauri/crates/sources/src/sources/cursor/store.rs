//! The agent's `store.db`: content-addressed blobs, of which a tree from the latest root is the
//! conversation. Leaves are JSON messages, newer ones inside field 4 of a protobuf node; what the root does
//! not reach are answers that were replaced and states in between. No message has a time of its own.
//! The editor's database holds such trees too (`agentKv:`), as the only copy where the bubbles are gone.
//! Deliberately absent: the protobuf's other fields, whose meaning nobody has published.

use super::blocks;
use super::keys::BLOB;
use super::protobuf::{Wire, fields};
use super::writer::Writer;
use crate::readers::json::{JsonType, Tape, Value};
use crate::{Account, EntryId, Evidence, Fate, Row};
use assay_model::{
    Branch, Kind, Message, MessageType, NoticeCode, Reason, Timestamp, When, hash,
};
use std::collections::{HashMap, HashSet};

/// How deep messages inside messages are looked into for pointers.
const DEPTH: u32 = 8;

/// A part of a blob, in the order it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part<'e> {
    /// A JSON message.
    Json(&'e [u8]),
    /// Another blob.
    Child(usize),
    /// Another blob that is not there, by its raw id.
    Missing(&'e [u8]),
    /// Words that are in no message.
    Words(&'e str),
}

struct Store<'e, 'a> {
    account: &'a mut Account,
    rows: &'e [Row],
    entries: Vec<EntryId>,
    by_id: HashMap<&'e str, usize>,
    visited: HashSet<usize>,
    /// Messages that are in the timeline, to tell copies in intermediate states.
    told: HashSet<hash::Hash>,
}

/// Fills the account of a store.
pub(super) fn fill(evidence: &Evidence, account: &mut Account) {
    let rows = &evidence.rows;
    let mut root = None;
    let mut entries = Vec::with_capacity(rows.len());
    for row in rows {
        let kind = if &*row.table == "meta" { "meta" } else { "blob" };
        let fate = Fate::Dropped(Reason::BookkeepingRecord);
        let entry = account.record(row.locator(), kind, row.bytes().len() as u64, fate);
        if kind == "meta" {
            root = meta(account, entry, row).or(root);
        }
        entries.push(entry);
    }
    for file in &evidence.consulted {
        match file.read_all() {
            Ok(bytes) => beside(account, &bytes),
            Err(error) => account.notice(NoticeCode::BodyMissing, error.to_string(), None),
        }
    }
    let blobs = || rows.iter().enumerate().filter(|(_, r)| &*r.table == "blobs");
    let by_id = blobs().filter_map(|(i, r)| Some((r.key.as_deref()?, i))).collect();
    let mut store = Store { account, rows, entries, by_id, visited: HashSet::new(), told: HashSet::new() };
    let start = root.as_deref().and_then(|root| store.by_id.get(root).copied());
    if let (Some(root), None) = (root, start) {
        store.account.notice(NoticeCode::BodyMissing, root, None);
    }
    if start.is_none() && !store.by_id.is_empty() {
        store.account.notice(NoticeCode::OrderInferred, "root missing, blobs as the table holds them", None);
    }
    if let Some(start) = start {
        store.walk(start, None);
    }
    let branch = start.map(|_| Branch::Superseded);
    for (i, _) in blobs() {
        if !store.visited.contains(&i) {
            store.parts(i, branch);
        }
    }
}

/// Tells the trees of blobs among the rows of a composer, from the blobs that its other rows name.
pub(super) fn fill_blobs(rows: &[Row], account: &mut Account) {
    let id = |row: &Row| row.key.as_deref().and_then(|key| key.strip_prefix(BLOB)).map(str::to_owned);
    let blobs: Vec<Row> = rows
        .iter()
        .filter_map(|row| Some(Row { table: "blobs".into(), key: Some(id(row)?.into()), ..row.clone() }))
        .collect();
    let mut entries = Vec::with_capacity(blobs.len());
    for row in rows.iter().filter(|row| id(row).is_some()) {
        let fate = Fate::Dropped(Reason::BookkeepingRecord);
        entries.push(account.record(row.locator(), "agentKv/blob", row.bytes().len() as u64, fate));
    }
    let by_id: HashMap<&str, usize> = blobs.iter().enumerate().filter_map(|(i, r)| Some((r.key.as_deref()?, i))).collect();
    let mut store = Store { account, rows: &blobs, entries, by_id, visited: HashSet::new(), told: HashSet::new() };
    for root in rows.iter().filter(|row| id(row).is_none()).flat_map(|row| pointers(row.bytes())) {
        if let Some(start) = store.by_id.get(root.as_str()).copied() {
            store.walk(start, None);
        }
    }
    for blob in 0..blobs.len() {
        if !store.visited.contains(&blob) {
            store.parts(blob, Some(Branch::Unplaced));
        }
    }
}

/// The ids of blobs that a value names: raw in a protobuf message (also one in base64 behind a tilde), or as
/// sixty-four digits in a text.
pub(super) fn pointers(bytes: &[u8]) -> Vec<String> {
    let mut found = Vec::new();
    if let Ok(text) = std::str::from_utf8(bytes) {
        let words = text.split(|c: char| !c.is_ascii_alphanumeric());
        found.extend(words.filter(|w| w.len() == 64 && w.bytes().all(|b| b.is_ascii_hexdigit())).map(str::to_ascii_lowercase));
        for state in text.split('"').filter_map(|part| part.strip_prefix('~')) {
            found.extend(super::protobuf::decoded(state).iter().flat_map(|inner| raw_pointers(inner)));
        }
        if !found.is_empty() || text.starts_with('{') {
            return found;
        }
    }
    match bytes.len() {
        32 => found.push(hash_text(bytes)),
        _ => found.extend(raw_pointers(bytes)),
    }
    found
}

/// Every field of thirty-two bytes, at any depth.
fn raw_pointers(message: &[u8]) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![(message, 0)];
    while let Some((bytes, depth)) = open.pop() {
        let start = open.len();
        for (_, wire) in fields(bytes).unwrap_or_default() {
            match wire {
                Wire::Bytes(inner) if inner.len() == 32 => found.push(hash_text(inner)),
                Wire::Bytes(inner) if depth < DEPTH && inner.len() > 32 => open.push((inner, depth + 1)),
                Wire::Bytes(_) | Wire::Number(_) | Wire::Fixed(_) => {}
            }
        }
        open[start..].reverse();
    }
    found
}

/// The store's own row: hex of JSON, or JSON. Returns the id of the latest root.
fn meta(account: &mut Account, entry: EntryId, row: &Row) -> Option<String> {
    let text = String::from_utf8_lossy(row.bytes());
    let bytes = unhex(text.trim()).unwrap_or_else(|| row.bytes().to_vec());
    let mut tape = Tape::new();
    let Some(meta) = tape.read_whole(&bytes).ok().filter(|v| v.kind() == JsonType::Object) else {
        if !row.bytes().is_empty() {
            account.unknown(entry, "store/meta", &text);
        }
        return None;
    };
    account.refate(entry, Fate::Folded(Reason::Metadata, None));
    if let Some(name) = meta.get("name").and_then(Value::non_empty) {
        account.slug = Some(name.into_owned());
    }
    account.created_at = created(account, meta.get("createdAt"), entry).or(account.created_at);
    meta.get("latestRootBlobId").and_then(Value::non_empty).map(|id| id.into_owned())
}

fn created(account: &mut Account, value: Option<Value<'_>>, entry: EntryId) -> Option<Timestamp> {
    let place = account.locator(entry).clone();
    account.time(value, &place).at()
}

/// `meta.json` beside the store: folder, title, creation.
fn beside(account: &mut Account, bytes: &[u8]) {
    let mut tape = Tape::new();
    let Ok(meta) = tape.read_whole(bytes) else { return };
    if let Some(cwd) = meta.get("cwd").and_then(Value::non_empty) {
        account.project_name = crate::account::base_name(&cwd).to_owned();
        account.project_dir = cwd.clone().into_owned();
        account.cwd = Some(cwd.into_owned());
    }
    if let (None, Some(title)) = (&account.slug, meta.get("title").and_then(Value::non_empty)) {
        account.slug = Some(title.into_owned());
    }
    if account.created_at.is_none() {
        let created = meta.get("createdAtMs").and_then(Value::f64).and_then(Timestamp::from_number);
        account.created_at = created.map(|(at, _)| at);
    }
}

impl<'e> Store<'e, '_> {
    /// Goes down from a blob; children where they stand.
    fn walk(&mut self, start: usize, branch: Option<Branch>) {
        let mut open = vec![Part::Child(start)];
        let mut owners = vec![start];
        while let (Some(part), Some(owner)) = (open.pop(), owners.pop()) {
            match part {
                Part::Child(child) => {
                    if self.visited.insert(child) {
                        let parts = self.split(child);
                        owners.extend(std::iter::repeat_n(child, parts.len()));
                        open.extend(parts.into_iter().rev());
                    }
                }
                other => self.part(owner, other, branch),
            }
        }
    }

    /// Writes what a blob itself holds, without going on to its children.
    fn parts(&mut self, blob: usize, branch: Option<Branch>) {
        self.visited.insert(blob);
        for part in self.split(blob) {
            if !matches!(part, Part::Child(_) | Part::Missing(_)) {
                self.part(blob, part, branch);
            }
        }
    }

    fn split(&self, blob: usize) -> Vec<Part<'e>> {
        let Some(row) = self.rows.get(blob) else { return Vec::new() };
        let bytes = row.bytes();
        if is_json(bytes) {
            return vec![Part::Json(bytes)];
        }
        let mut parts = Vec::new();
        match fields(bytes) {
            Some(list) => {
                // A node of nothing but pointers is a tree: there, an id that is not a blob is one missing.
                let tree = list.iter().all(|(n, w)| *n <= 2 && matches!(w, Wire::Bytes(b) if b.len() == 32));
                self.pieces(&list, tree, 0, &mut parts);
            }
            None => parts.extend(std::str::from_utf8(bytes).ok().filter(|t| !t.trim().is_empty()).map(Part::Words)),
        }
        parts
    }

    fn pieces(&self, list: &[(u64, Wire<'e>)], tree: bool, depth: u32, parts: &mut Vec<Part<'e>>) {
        for (_, wire) in list {
            let Wire::Bytes(bytes) = *wire else { continue };
            if bytes.len() == 32 {
                match self.by_id.get(hash_text(bytes).as_str()) {
                    Some(child) => parts.push(Part::Child(*child)),
                    None if tree => parts.push(Part::Missing(bytes)),
                    None => {}
                }
                continue;
            }
            if is_json(bytes) {
                parts.push(Part::Json(bytes));
                continue;
            }
            // A text may look like a message; a message of readable bytes only is a text.
            let words = std::str::from_utf8(bytes).ok().filter(|t| !t.chars().any(|c| c.is_control() && c != '\n' && c != '\t' && c != '\r'));
            match (words, fields(bytes)) {
                (Some(words), _) if words.contains(' ') => parts.push(Part::Words(words)),
                (_, Some(inner)) if depth < DEPTH => self.pieces(&inner, false, depth + 1, parts),
                _ => {}
            }
        }
    }

    fn part(&mut self, owner: usize, part: Part<'e>, branch: Option<Branch>) {
        let (Some(&entry), Some(row)) = (self.entries.get(owner), self.rows.get(owner)) else { return };
        let id = row.key.as_deref().unwrap_or("blob");
        match part {
            Part::Json(bytes) => self.message(entry, id, bytes, branch),
            Part::Words(words) => {
                let block = self.account.block(entry, "/words", "store/words", words.len(), Fate::Pending);
                let made = self.account.unknown(block, "store/words", words);
                self.account.message(made).branch = branch;
            }
            Part::Missing(child) => {
                let child = hash_text(child);
                let place = self.account.locator(entry).at(format!("/{child}"));
                let shown = format!("blob missing: {child}");
                let message = Message::recovered(
                    format!("{id}#{child}"),
                    MessageType::System,
                    Kind::Event,
                    shown,
                    Reason::BodyMissing,
                    place.clone(),
                );
                self.account.recover(entry, format!("/{child}"), "store/missing", message);
                self.account.notice(NoticeCode::BodyMissing, child, Some(place));
            }
            Part::Child(_) => {}
        }
    }

    fn message(&mut self, entry: EntryId, id: &str, bytes: &[u8], branch: Option<Branch>) {
        if !self.told.insert(hash::sha256(bytes)) {
            let at = self.account.block(entry, "/4", "store/copy", bytes.len(), Fate::Dropped(Reason::Duplicate));
            self.account.excerpt(at, &String::from_utf8_lossy(bytes));
            return;
        }
        let mut tape = Tape::new();
        let value = match super::rows::read_json(self.account, entry, bytes, &mut tape) {
            Ok(value) => value,
            Err(made) => {
                if let Some(made) = made {
                    self.account.message(made).branch = branch;
                }
                return;
            }
        };
        let role = value.get_str("role").unwrap_or_default();
        let own = value.get("id").and_then(Value::non_empty).map(|i| i.into_owned());
        let mut pen = Writer {
            record: entry,
            base: String::new(),
            id: own.unwrap_or_else(|| id.to_owned()),
            from: blocks::from(&role),
            when: When::MISSING,
            branch,
            made: Vec::new(),
            account: self.account,
        };
        match value.get("content") {
            Some(content) if !role.is_empty() => {
                blocks::write(&mut pen, "/content", content);
                pen.rest("", "message", value, &["role", "content", "id"]);
            }
            _ => pen.unknown("/json", "store/json".to_owned(), value),
        }
        for made in pen.made.clone() {
            let message = pen.account.message(made);
            if !role.is_empty() {
                message.role = role.clone().into_owned();
            }
        }
    }
}

fn is_json(bytes: &[u8]) -> bool {
    bytes.starts_with(b"{\"") && bytes.ends_with(b"}")
}

fn hash_text(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    if text.is_empty() || !text.len().is_multiple_of(2) || !text.bytes().all(|b| b.is_ascii_hexdigit()) {
        return None;
    }
    text.as_bytes().chunks(2).map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()).collect()
}
