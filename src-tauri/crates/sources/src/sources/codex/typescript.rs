//! Sessions of the TypeScript CLI (2025-04 to 2025-08): one JSON object `{session, items}`, written anew
//! on each save. Its items are the records; a file that was cut off still gives those before the cut.

use super::rollout::Rollout;
use crate::readers::json::{JsonType, Tape, Value, is_space};
use crate::{Account, EvidenceFile, Fate};
use assay_model::{Locator, NoticeCode, Reason, When};
use memchr::memmem;

/// The `session` object of a file, if it has one.
pub(super) fn session<'a>(tape: &'a mut Tape, text: &'a [u8]) -> Option<Value<'a>> {
    let head = items_start(text).map(|start| closed(&text[..start]));
    // It stands before the items; a file that another program wrote may have it after them.
    let mut places = [head.as_deref(), Some(text)].into_iter().flatten();
    let span = places.find_map(|text| Some(tape.read_whole(text).ok()?.get("session")?.span()))?;
    // Read once more where it stands: the value borrows the text.
    tape.read(&text[span.clone()]).ok().map(|(value, _)| value).filter(|v| v.kind() == JsonType::Object)
}

/// The text up to the items as an object of its own.
fn closed(head: &[u8]) -> Vec<u8> {
    [head, b"]}"].concat()
}

/// Where the first item begins: after the bracket of the top-level `items`.
fn items_start(text: &[u8]) -> Option<usize> {
    let mut tape = Tape::new();
    for at in memmem::find_iter(text, b"\"items\"").take(64) {
        let mut end = at + b"\"items\"".len();
        for expected in [b':', b'['] {
            while text.get(end).is_some_and(|b| is_space(*b)) {
                end += 1;
            }
            if text.get(end) != Some(&expected) {
                break;
            }
            end += 1;
        }
        if text.get(end - 1) != Some(&b'[') {
            continue;
        }
        // It is the key of the top level if the text before it only lacks these two brackets.
        let top = tape.read_whole(&closed(&text[..end])).is_ok_and(|v| v.get("items").is_some_and(|i| i.items().next().is_none()));
        if top {
            return Some(end);
        }
    }
    None
}

/// Reads such a file into `account`.
pub(super) fn fill(file: &EvidenceFile, account: &mut Account) {
    let text = match file.read_all() {
        Ok(text) => text,
        Err(error) => return account.notice(NoticeCode::TruncatedFile, error.to_string(), None),
    };
    account.extent(file.file.clone(), text.len() as u64);
    let mut spans = Spans { file, text: &text, at: 0, line: 1 };
    let (mut tape, mut item_tape) = (Tape::new(), Tape::new());
    let (head, start) = match items_start(&text) {
        Some(start) => (closed(&text[..start]), start),
        None if tape.read_whole(&text).is_ok_and(|top| top.kind() == JsonType::Object) => (text.to_vec(), text.len()),
        None => {
            if !text.is_empty() {
                let locator = spans.take(text.len());
                let fate = if file.growing { Fate::Pending } else { Fate::Dropped(Reason::MalformedJson) };
                let entry = account.record(locator, "malformed", text.len() as u64, fate);
                account.excerpt(entry, &String::from_utf8_lossy(&text[..text.len().min(4096)]));
            }
            return;
        }
    };
    let mut rollout = Rollout::default();
    let mut when = When::MISSING;
    let locator = spans.take(start);
    let entry = account.record(locator.clone(), "legacy/header", start as u64, Fate::Folded(Reason::Metadata, None));
    let session = session(&mut tape, &text);
    // Items have no time of their own.
    if let Some(at) = session.and_then(|session| account.time(session.get("timestamp"), &locator).at()) {
        account.created_at = Some(at);
        when = When::Derived { at, rule: "session-start" };
    }
    rollout.open(account, entry, locator, When::MISSING);
    beside_items(&mut rollout, account, &mut item_tape, &head, session);
    let mut at = start;
    loop {
        while text.get(at).is_some_and(|b| is_space(*b) || *b == b',') {
            at += 1;
        }
        if at >= text.len() || text[at] == b']' {
            break;
        }
        let Ok((item, length)) = item_tape.read(&text[at..]) else { break };
        let end = at + length;
        let bytes = (end - spans.at) as u64;
        let locator = spans.take(end);
        let entry = account.record(locator.clone(), "item", bytes, Fate::Dropped(Reason::EmptyMessage));
        account.repaired(&locator, item.repairs());
        rollout.open(account, entry, locator, when);
        if item.kind() == JsonType::Object {
            rollout.bare(account, item);
        } else {
            account.unknown(entry, "not-a-record", &item.raw_text());
        }
        at = end;
    }
    if spans.at < text.len() {
        let rest = &text[spans.at..];
        // What closes the items and stands after them, as an object of its own.
        let tail = [b"{\"items\":[", &text[at..]].concat();
        let sound = item_tape.read_whole(&tail).is_ok();
        let cut = rest.iter().all(|b| is_space(*b) || matches!(b, b']' | b'}'));
        let (kind, fate) = match (sound || cut, file.growing) {
            (true, _) => ("end", Fate::Dropped(Reason::BookkeepingRecord)),
            (false, true) => ("malformed", Fate::Pending),
            (false, false) => ("malformed", Fate::Dropped(Reason::MalformedJson)),
        };
        let (bytes, excerpt) = (rest.len() as u64, String::from_utf8_lossy(&rest[..rest.len().min(4096)]));
        let locator = spans.take(text.len());
        let entry = account.record(locator.clone(), kind, bytes, fate);
        if sound {
            rollout.open(account, entry, locator, when);
            beside_items(&mut rollout, account, &mut item_tape, &tail, session);
        } else if !cut {
            account.excerpt(entry, &excerpt);
        }
    }
    rollout.finish(account);
}

/// Tells what `object` says beside its items: the session, if it is the one that `part` has, and what no version
/// known here writes.
fn beside_items(rollout: &mut Rollout, account: &mut Account, tape: &mut Tape, part: &[u8], session: Option<Value<'_>>) {
    let Ok(top) = tape.read_whole(part) else { return };
    let is_session = |value: &Value<'_>| session.is_some_and(|session| session.raw() == value.raw());
    let own = top.get("session").filter(is_session);
    if let Some(session) = own {
        rollout.header(account, session);
    }
    let items = top.entries().find(|(key, value)| key == "items" && value.kind() == JsonType::Array);
    let read = [own, items.map(|(_, items)| items)].map(|value| value.map(|value| value.span().start));
    for (name, value) in top.entries().filter(|(_, value)| !value.is_default()) {
        if !read.contains(&Some(value.span().start)) {
            rollout.unknown_field(account, "legacy", "", &name, value);
        }
    }
}

/// Cuts the text into spans that tile it.
struct Spans<'a> {
    file: &'a EvidenceFile,
    text: &'a [u8],
    at: usize,
    line: u64,
}

impl Spans<'_> {
    fn take(&mut self, end: usize) -> Locator {
        let (start, line) = (self.at, self.line);
        self.line += memchr::memchr_iter(b'\n', &self.text[start..end]).count() as u64;
        self.at = end;
        Locator::Bytes {
            file: self.file.file.clone(),
            byte_start: start as u64,
            byte_end: end as u64,
            line,
            pointer: None,
        }
    }
}
