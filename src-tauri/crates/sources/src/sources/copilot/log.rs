//! The files of a session: a mutation log (`.jsonl`), a whole session (`.json`), or a row. Reads them
//! into a [`Session`]: the final state, what went on the way, and what could not be applied.
//!
//! The log is replayed as VS Code does (`objectMutationLog.ts`), which gives a session up at the first
//! bad line; here the state before it stands, what follows is listed, and a later snapshot is trusted
//! again. The published rules read the literal first line alone: their messages are made from it before
//! any change is applied. Deliberately absent: what fields mean (`session.rs`).

use super::reference::{self, Turn};
use super::state::{NotApplied, Place, State, Step, path_of};
use crate::readers::json::{JsonType, Malformed, Tape, Value};
use crate::readers::records::Content;
use crate::{Account, EntryId, EvidenceFile, Fate, Record, Row};
use assay_model::{Locator, NoticeCode, Reason};
use std::collections::HashMap;
use std::io::BufRead;
use std::ops::Range;

/// How many times the length of a damaged session may be read in vain in search of what stands whole behind the damage.
const ATTEMPTS: usize = 16;

/// A change that could not be applied.
#[derive(Debug)]
pub(super) struct Unapplied {
    /// What it would have changed; none if that cannot be read.
    pub path: Option<Vec<Step>>,
    /// What it would have written.
    pub node: super::node::Node,
    /// Where that stands.
    pub place: Place,
}

/// A session as it was read.
#[derive(Debug)]
pub(super) struct Session {
    /// The final state, and what went on the way.
    pub state: State,
    /// The entry of each record.
    pub records: Vec<EntryId>,
    /// The messages of the published rules, by request of the first record.
    pub turns: Vec<Turn>,
    /// Why the published rules see nothing of the session, if they do not.
    pub unseen: Option<Reason>,
    /// Changes that stand after damage.
    pub unapplied: Vec<Unapplied>,
    /// Whether there was a snapshot at all.
    pub has_snapshot: bool,
    /// Members of lines that no line is known to have, by place and name.
    pub beside: Vec<(Place, String, super::node::Node)>,
}

impl Session {
    fn new() -> Self {
        Self {
            state: State::empty(),
            records: Vec::new(),
            turns: Vec::new(),
            unseen: None,
            unapplied: Vec::new(),
            has_snapshot: false,
            beside: Vec::new(),
        }
    }

    fn place(&self, pointer: &str) -> Place {
        Place { record: self.records.len().saturating_sub(1) as u32, pointer: pointer.to_owned() }
    }

    /// Gives torn lines their number among the records, so that what is read of them later has an id that stays.
    fn number_torn(&mut self, account: &Account, mut entries: std::ops::Range<EntryId>) {
        entries.start += usize::from(entries.start == 0 && self.records.contains(&0));
        self.records.extend(entries.filter(|entry| account.kind(*entry) == "malformed"));
    }

    /// Takes `value` for the whole session.
    fn snapshot(&mut self, value: Value<'_>) {
        let wrapped = value.get("v").filter(|v| !v.is_null());
        let place = self.place(if wrapped.is_some() { "/v" } else { "" });
        self.state.replace(wrapped.unwrap_or(value), place);
        self.has_snapshot = true;
    }
}

/// What the published rules make of a first record: is it a snapshot?
fn is_snapshot(value: Value<'_>) -> bool {
    value.get("kind").is_none_or(|k| k.f64() == Some(0.0))
}

/// Reads a mutation log.
pub(super) fn read_log(account: &mut Account, file: &EvidenceFile) -> Session {
    let first_line = FirstLine::of(file);
    let mut torn = first_line.torn(file);
    let mut session = Session::new();
    let (mut trusted, mut begun) = (true, false);
    let mut next = 0;
    account.read_jsonl(file, |account, record| {
        if let Some(torn) = torn.take() {
            salvage_first(account, &mut session, &torn, file.growing);
            begun = true;
            next = 1;
        }
        // Damage between this record and the one before it: what stands after it is not applied.
        if (next..record.entry).any(|entry| account.kind(entry) != "blank") && session.has_snapshot {
            trusted = false;
        }
        session.number_torn(account, next..record.entry);
        next = record.entry + 1;
        session.records.push(record.entry);
        let first = !std::mem::replace(&mut begun, true);
        if first {
            session.unseen = first_line.unseen(&record);
        }
        // The session stands in `v`; beside it and the path a line has nothing.
        let beside = record.value.entries().filter(|(key, _)| !["kind", "k", "v", "i"].contains(&&**key));
        let is_line = record.value.get("kind").is_some() || record.value.get("v").is_some();
        if is_line {
            for (key, member) in beside.filter(|(_, member)| !member.is_default()) {
                session.beside.push((session.place(&format!("/{key}")), key.into_owned(), super::node::Node::of(member)));
            }
        }
        if let Err(NotApplied(why)) = apply(account, &mut session, &record, &mut trusted, first) {
            account.notice(NoticeCode::PatchNotApplied, why, Some(record.locator.clone()));
        }
    });
    if let Some(torn) = torn {
        salvage_first(account, &mut session, &torn, file.growing);
    }
    session.number_torn(account, next..(next..).find(|entry| !account.has_entry(*entry)).unwrap_or(next));
    salvage_later(account, &mut session, file);
    if !session.has_snapshot && account.has_entry(0) {
        account.notice(NoticeCode::SnapshotMissing, "", None);
    }
    session
}

fn apply(
    account: &mut Account,
    session: &mut Session,
    record: &Record<'_>,
    trusted: &mut bool,
    first: bool,
) -> Result<(), NotApplied> {
    let value = record.value;
    let kind = value.get("kind");
    let code = kind.and_then(Value::f64).filter(|n| n.fract() == 0.0).map(|n| n as i64);
    // The first record needs no kind: it is the session, or holds it.
    let holds = |value: Value<'_>| value.get_any(&["requests", "sessionId", "version"]).is_some();
    let wrapped = || value.get("v").is_some_and(|v| v.kind() == JsonType::Object);
    let bare = first && kind.is_none() && (holds(value) || wrapped());
    if code == Some(0) || bare {
        account.set_kind(record.entry, "snapshot");
        session.snapshot(value);
        *trusted = true;
        if first && session.unseen.is_none() {
            session.turns = reference::turns(account, &session.state, record.entry);
        }
        return Ok(());
    }
    let v = value.get("v");
    let outcome = match code {
        Some(1 | 3) => {
            account.set_kind(record.entry, if code == Some(1) { "set" } else { "delete" });
            path_of(value.get("k")).and_then(|path| {
                let v = v.filter(|_| code == Some(1));
                if !*trusted {
                    return Err(NotApplied("after damage"));
                }
                if path.is_empty() && v.is_some() {
                    // VS Code takes no notice of it: neither a change nor damage.
                    keep_unapplied(session, Some(path), v);
                    return Ok(());
                }
                let place = session.place("/v");
                session.state.set(&path, v, place)
            })
        }
        Some(2) => {
            account.set_kind(record.entry, "push");
            path_of(value.get("k")).and_then(|path| {
                if !*trusted {
                    return Err(NotApplied("after damage"));
                }
                let keep = match value.get("i") {
                    None => None,
                    Some(i) if i.is_null() => Some(0),
                    Some(i) => match i.i64().and_then(|i| usize::try_from(i).ok()) {
                        Some(i) => Some(i),
                        None => return Err(NotApplied("a length that is none")),
                    },
                };
                let place = session.place("/v");
                session.state.push(&path, v.filter(|v| !v.is_null()), keep, &place)
            })
        }
        _ => {
            let name = match kind {
                Some(kind) => format!("log/{}", kind.raw_text()),
                None => "log".to_owned(),
            };
            account.unknown(record.entry, name, &value.raw_text());
            // Before any snapshot there is no state that it could have spoilt.
            *trusted &= !session.has_snapshot;
            return Err(NotApplied("a kind that is not known"));
        }
    };
    if outcome.is_err() {
        *trusted &= !session.has_snapshot;
        keep_unapplied(session, path_of(value.get("k")).ok(), v);
    }
    outcome
}

fn keep_unapplied(session: &mut Session, path: Option<Vec<Step>>, v: Option<Value<'_>>) {
    if let Some(v) = v {
        let place = session.place("/v");
        session.unapplied.push(Unapplied { path, node: super::node::Node::of(v), place });
    }
}

/// The first physical line, as the published rules cut it off: at a line feed or a carriage return.
struct FirstLine {
    end: u64,
    mark: bool,
    blank: bool,
    finished: bool,
}

impl FirstLine {
    fn of(file: &EvidenceFile) -> Self {
        let mut line = Self { end: 0, mark: false, blank: true, finished: false };
        let Ok(mut reader) = file.reader() else { return line };
        loop {
            let Ok(chunk) = reader.fill_buf() else { return line };
            if chunk.is_empty() {
                return line;
            }
            if line.end == 0 {
                line.mark = chunk.starts_with(b"\xEF\xBB\xBF");
            }
            let end = memchr::memchr2(b'\n', b'\r', chunk);
            let taken = end.unwrap_or(chunk.len());
            line.blank &= chunk[..taken].iter().all(u8::is_ascii_whitespace);
            line.end += taken as u64;
            line.finished = match chunk[..taken].last() {
                Some(last) => *last == b'}' && end.is_some(),
                None => line.finished,
            };
            if end.is_some() {
                return line;
            }
            reader.consume(taken);
        }
    }

    /// The line, if it looks as if it had been cut off and has been. (A line that a tool finished ends
    /// with a brace and a line break, and is not read twice.)
    fn torn(&self, file: &EvidenceFile) -> Option<(Vec<u8>, Malformed)> {
        if self.blank || self.finished {
            return None;
        }
        let mut line = Vec::new();
        file.reader().ok()?.read_until(b'\n', &mut line).ok()?;
        let damage = Tape::new().read(&line).err()?;
        (line.first() == Some(&b'{')).then_some((line, damage))
    }

    /// Why the published rules see nothing, given the first record of the file.
    fn unseen(&self, record: &Record<'_>) -> Option<Reason> {
        if self.blank {
            return Some(Reason::MissingSnapshot);
        }
        let whole = match record.locator {
            Locator::Bytes { byte_start: 0, byte_end, line: 1, .. } => {
                let length = record.value.span().end as u64;
                length <= self.end && *byte_end >= self.end
            }
            Locator::Bytes { .. } | Locator::Row { .. } => false,
        };
        if !whole || self.mark || record.value.repairs().control_bytes > 0 {
            return Some(Reason::DamagedSnapshot);
        }
        (!is_snapshot(record.value)).then_some(Reason::MissingSnapshot)
    }
}

/// Reads a file that is one session.
pub(super) fn read_whole(account: &mut Account, file: &EvidenceFile) -> Session {
    let bytes = match file.read_all() {
        Ok(bytes) => bytes,
        Err(error) => {
            account.notice(NoticeCode::TruncatedFile, error.to_string(), None);
            return Session::new();
        }
    };
    account.extent(file.file.clone(), bytes.len() as u64);
    if bytes.is_empty() {
        return Session::new();
    }
    let locator = Locator::Bytes {
        file: file.file.clone(),
        byte_start: 0,
        byte_end: bytes.len() as u64,
        line: 1,
        pointer: None,
    };
    read_text(account, locator, &bytes, file.growing)
}

/// Reads a session that an old version kept in a row.
pub(super) fn read_row(account: &mut Account, row: &Row) -> Session {
    read_text(account, row.locator(), row.bytes(), false)
}

fn read_text(account: &mut Account, locator: Locator, bytes: &[u8], growing: bool) -> Session {
    let mark = if bytes.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 };
    let text = &bytes[mark..];
    let mut session = Session::new();
    if text.iter().all(u8::is_ascii_whitespace) {
        account.record(locator, "blank", bytes.len() as u64, Fate::Dropped(Reason::BlankLine));
        return session;
    }
    // A crash may leave a run of NUL bytes before what was written later.
    let nul = text.iter().take_while(|b| **b == 0).count();
    let text = &text[nul..];
    let mut tape = Tape::new();
    let read = tape.read_whole(text);
    let (locator, pieces) = match (&read, &locator) {
        (Err(damage), Locator::Bytes { .. }) if !damage.truncated => pieces(&locator, bytes, mark + nul, damage.at),
        _ => (locator, Vec::new()),
    };
    let end = match (&locator, pieces.is_empty()) {
        (Locator::Bytes { byte_end, .. }, false) => *byte_end as usize,
        _ => bytes.len(),
    };
    let text = &text[..end - mark - nul];
    let entry = account.record(locator.clone(), "session", end as u64, Fate::Dropped(Reason::EmptyMessage));
    session.records.push(entry);
    if nul > 0 {
        account.block(entry, "", "nul", nul, Fate::Dropped(Reason::NulRun));
    }
    match read {
        Ok(value) if value.kind() == JsonType::Object => {
            account.repaired(&locator, value.repairs());
            session.unseen = match () {
                () if mark > 0 || nul > 0 || value.repairs().control_bytes > 0 => Some(Reason::DamagedSnapshot),
                () if !is_snapshot(value) => Some(Reason::MissingSnapshot),
                () => None,
            };
            session.snapshot(value);
            if session.unseen.is_none() {
                session.turns = reference::turns(account, &session.state, entry);
            }
        }
        Ok(value) => {
            account.unknown(entry, "not-a-record", &value.raw_text());
        }
        Err(damage) => {
            session.unseen = Some(Reason::DamagedSnapshot);
            if damage.truncated {
                account.notice(NoticeCode::TruncatedFile, "", Some(locator));
            }
            salvage(account, &mut session, entry, text, damage, growing);
            for piece in pieces {
                piece.tell(account, &mut session, bytes);
            }
        }
    }
    session
}

/// A piece of a session behind the first damage: an object that stands whole, or what lies between two of them.
struct Piece {
    locator: Locator,
    range: Range<usize>,
    whole: bool,
}

impl Piece {
    fn tell(self, account: &mut Account, session: &mut Session, bytes: &[u8]) {
        let (text, length) = (&bytes[self.range.clone()], self.range.len() as u64);
        let fate = Fate::Dropped(Reason::MalformedJson);
        let entry = account.record(self.locator.clone(), if self.whole { "piece" } else { "malformed" }, length, fate);
        let mut tape = Tape::new();
        match tape.read_whole(text) {
            Ok(value) if self.whole => {
                account.repaired(&self.locator, value.repairs());
                session.records.push(entry);
                // What is no request is kept, but nobody knows of what it was a part.
                let request = value.get_any(&["requestId", "response"]).is_some();
                let path = request.then(|| vec![Step::Key("requests".into()), Step::Index(0)]);
                let (node, place) = (super::node::Node::of(value), session.place(""));
                session.unapplied.push(Unapplied { path, node, place });
            }
            _ => account.excerpt(entry, &String::from_utf8_lossy(text)),
        }
    }
}

/// Looks behind the damage at `at` of the session that begins at `start` for objects that stand whole. Returns
/// the place of what stands before the damage, and the pieces that follow it without a gap.
fn pieces(whole: &Locator, bytes: &[u8], start: usize, at: usize) -> (Locator, Vec<Piece>) {
    let mut found: Vec<Range<usize>> = Vec::new();
    // An attempt that fails is paid for, so that braces without an end cannot keep this busy.
    let mut budget = ATTEMPTS.saturating_mul(bytes.len());
    let mut tape = Tape::new();
    let mut next = start + at;
    while let Some(open) = bytes.get(next..).and_then(|rest| memchr::memchr(b'{', rest)) {
        let begin = next + open;
        next = match tape.read(&bytes[begin..]) {
            Ok((value, length)) => {
                if value.entries().next().is_some() {
                    found.push(begin..begin + length);
                }
                begin + length
            }
            Err(damage) => {
                let Some(left) = budget.checked_sub(damage.at.max(1)) else { break };
                budget = left;
                begin + 1
            }
        };
    }
    if found.is_empty() {
        return (whole.clone(), Vec::new());
    }
    // Places come in the order they stand: lines are counted on from the last one.
    let (mut line, mut counted) = (1, 0);
    let mut place = |range: &Range<usize>| match whole {
        Locator::Bytes { file, .. } => {
            line += memchr::memchr_iter(b'\n', &bytes[counted..range.start]).count() as u64;
            counted = range.start;
            Locator::Bytes {
                file: file.clone(),
                byte_start: range.start as u64,
                byte_end: range.end as u64,
                line,
                pointer: None,
            }
        }
        Locator::Row { .. } => whole.clone(),
    };
    let before = place(&(0..start + at));
    let (mut pieces, mut end) = (Vec::new(), start + at);
    for range in found.into_iter().chain(std::iter::once(bytes.len()..bytes.len())) {
        if end < range.start {
            let gap = end..range.start;
            pieces.push(Piece { locator: place(&gap), range: gap, whole: false });
        }
        end = range.end;
        if !range.is_empty() {
            pieces.push(Piece { locator: place(&range), range, whole: true });
        }
    }
    (before, pieces)
}

/// Takes what can be read of a first line that was cut off, whose entry is the first of the account.
fn salvage_first(account: &mut Account, session: &mut Session, torn: &(Vec<u8>, Malformed), growing: bool) {
    session.unseen = Some(Reason::DamagedSnapshot);
    if account.has_entry(0) && account.kind(0) == "malformed" {
        session.records.push(0);
        salvage(account, session, 0, &torn.0, torn.1, growing);
    }
}

/// Takes what can be read of later lines that were torn: what they would have changed is listed, as far as it
/// goes, among the changes that could not be applied. (That of a file still being written is on its way.)
fn salvage_later(account: &mut Account, session: &mut Session, file: &EvidenceFile) {
    let start = |entry: EntryId| match account.locator(entry) {
        Locator::Bytes { byte_start, .. } => Some(*byte_start),
        Locator::Row { .. } => None,
    };
    let later = session.records.iter().enumerate().skip(1).filter(|(_, entry)| account.kind(**entry) == "malformed");
    let torn: HashMap<u64, (usize, EntryId)> =
        later.filter_map(|(number, entry)| Some((start(*entry)?, (number, *entry)))).collect();
    if torn.is_empty() {
        return;
    }
    let mut lines = Vec::new();
    // A file that cannot be read a second time was read once: what is whole in it is told.
    let _ = file.records(|span| {
        if let (Content::Malformed { incomplete, .. }, Some(torn)) = (&span.content, torn.get(&span.start))
            && !(*incomplete && file.growing)
        {
            lines.push((*torn, span.bytes.trim_ascii_end().to_vec()));
        }
    });
    let mut tape = Tape::new();
    for ((number, entry), line) in lines {
        let Err(damage) = Tape::new().read(&line) else { continue };
        let whole = &line[..damage.at.min(line.len())];
        let closed = closings(whole).into_iter().find(|closed| tape.read_whole(closed).is_ok());
        let Some(value) = closed.as_ref().and_then(|closed| tape.read_whole(closed).ok()) else { continue };
        let path = match value.get("kind").and_then(Value::f64) {
            Some(0.0) => Some(Vec::new()),
            _ => path_of(value.get("k")).ok(),
        };
        let Some(v) = value.get("v") else { continue };
        let place = Place { record: number as u32, pointer: "/v".to_owned() };
        session.unapplied.push(Unapplied { path, node: super::node::Node::of(v), place });
        // Also where nothing unread stands: what would have come is missing.
        account.block(entry, "", "tail", line.len() - whole.len(), Fate::Dropped(Reason::MalformedJson));
        let place = account.locator(entry).clone();
        account.notice(NoticeCode::PatchNotApplied, "a line that was cut off", Some(place));
    }
    session.unapplied.sort_by_key(|change| change.place.record);
}

/// Closes what a text that was cut off left open, and reads that.
fn salvage(
    account: &mut Account,
    session: &mut Session,
    entry: EntryId,
    text: &[u8],
    damage: Malformed,
    growing: bool,
) {
    let fate = if growing && damage.truncated { Fate::Pending } else { Fate::Dropped(Reason::MalformedJson) };
    account.set_kind(entry, "malformed");
    account.refate(entry, fate);
    let tail = &text[damage.at.min(text.len())..];
    account.excerpt(entry, &String::from_utf8_lossy(if tail.is_empty() { text } else { tail }));
    let mut tape = Tape::new();
    for closed in closings(&text[..damage.at.min(text.len())]) {
        let Ok(value) = tape.read_whole(&closed) else { continue };
        session.snapshot(value);
        account.block(entry, "", "tail", text.len().saturating_sub(damage.at), fate);
        return;
    }
}

/// What is open at the end of a JSON text that was cut off.
struct Open {
    /// What closes it, the outermost first.
    closers: Vec<u8>,
    in_string: bool,
    escaped: bool,
    /// Where the last comma outside of a string stands.
    comma: Option<usize>,
}

impl Open {
    fn at_the_end_of(text: &[u8]) -> Self {
        let mut open = Self { closers: Vec::new(), in_string: false, escaped: false, comma: None };
        for (at, byte) in text.iter().enumerate() {
            match byte {
                _ if open.escaped => open.escaped = false,
                b'\\' if open.in_string => open.escaped = true,
                b'"' => open.in_string = !open.in_string,
                _ if open.in_string => {}
                b'{' => open.closers.push(b'}'),
                b'[' => open.closers.push(b']'),
                b'}' | b']' => {
                    open.closers.pop();
                }
                b',' => open.comma = Some(at),
                _ => {}
            }
        }
        open
    }
}

/// Ways to close a JSON text that was cut off: within a string, or after the last whole member.
pub(super) fn closings(text: &[u8]) -> Vec<Vec<u8>> {
    let open = Open::at_the_end_of(text);
    let close = |end: usize, quote: &[u8], closers: &[u8]| {
        let mut closed = text[..end].to_vec();
        closed.extend_from_slice(quote);
        closed.extend(closers.iter().rev());
        closed
    };
    let mut ways = Vec::new();
    if open.in_string {
        // An escape that was cut in two goes with the cut.
        let keep = (1..=6.min(text.len())).find(|n| text[text.len() - n] == b'\\').filter(|_| {
            let tail = &text[text.len().saturating_sub(6)..];
            open.escaped || tail.windows(2).any(|w| w == b"\\u")
        });
        ways.push(close(text.len() - keep.unwrap_or(0), b"\"", &open.closers));
    } else {
        ways.push(close(text.len(), b"", &open.closers));
    }
    if let Some(at) = open.comma {
        ways.push(close(at, b"", &Open::at_the_end_of(&text[..at]).closers));
    }
    ways
}
