//! JSON with places: reads one value into a flat tape that knows where each part stands.
//!
//! Why not `serde_json`: an account of every block needs byte spans, both values of a duplicate key,
//! the exact text of a number, any nesting depth, and text that a strict reader rejects (a lone
//! surrogate, a raw control byte, invalid UTF-8) — and most of a store is text that is never looked
//! at, which a tape skips without decoding. `readers::tests` holds it to `serde_json` on every input
//! both accept, and `make bench` compares their speed.
//!
//! Deliberately absent: lines, records, any knowledge of a source.

use std::borrow::Cow;
use std::ops::Range;

/// What a value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JsonType {
    /// `null`
    Null,
    /// `true` or `false`
    Bool,
    /// Any number, whatever its size.
    Number,
    /// A string.
    String,
    /// An array.
    Array,
    /// An object.
    Object,
}

#[derive(Debug, Clone, Copy)]
struct Node {
    kind: JsonType,
    /// For strings: whether there is an escape in it.
    escaped: bool,
    /// For keys: see [`tag`].
    tag: u16,
    start: u32,
    end: u32,
    /// Index of the node after this value.
    next: u32,
}

/// What had to be put right to read a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Repairs {
    /// Half surrogate pairs and unknown escapes, read as U+FFFD or as they stand.
    pub escapes: u32,
    /// Raw control bytes inside strings.
    pub control_bytes: u32,
    /// Whether the text is not valid UTF-8.
    pub invalid_utf8: bool,
    /// Objects in which a key stands more than once.
    pub duplicate_keys: u32,
}

impl Repairs {
    /// Whether text had to be repaired; a duplicate key alone is no repair.
    pub fn any_text(self) -> bool {
        self.escapes > 0 || self.control_bytes > 0 || self.invalid_utf8
    }
}

/// Why a text is not JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Malformed {
    /// Offset of the first byte that cannot be.
    pub at: usize,
    /// Whether the text just ends too early.
    pub truncated: bool,
}

/// The longest text one tape can hold, in bytes.
pub const MAX_TEXT: usize = u32::MAX as usize;

/// The nodes of one value. Reuse it over many texts: it keeps its memory.
#[derive(Debug, Default)]
pub struct Tape {
    nodes: Vec<Node>,
    open: Vec<u32>,
    repairs: Repairs,
}

impl Tape {
    /// An empty tape.
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads the value at the start of `text` (white space before it is skipped). Returns the value and
    /// the offset after it; what follows is not looked at.
    pub fn read<'a>(&'a mut self, text: &'a [u8]) -> Result<(Value<'a>, usize), Malformed> {
        self.nodes.clear();
        self.open.clear();
        self.repairs = Repairs::default();
        if text.len() > MAX_TEXT {
            return Err(Malformed { at: 0, truncated: false });
        }
        let end = Scanner { text, at: 0, tape: self }.value()?;
        let valid = simdutf8::basic::from_utf8(&text[..end]).ok();
        self.repairs.invalid_utf8 = valid.is_none();
        self.count_control_bytes(&text[..end]);
        Ok((Value { tape: self, text, valid, node: 0 }, end))
    }

    /// Reads a text that holds exactly one value and white space.
    pub fn read_whole<'a>(&'a mut self, text: &'a [u8]) -> Result<Value<'a>, Malformed> {
        let (value, end) = self.read(text)?;
        match text[end..].iter().position(|b| !is_space(*b)) {
            Some(extra) => Err(Malformed { at: end + extra, truncated: false }),
            None => Ok(value),
        }
    }

    /// A text on one line has no control byte, as a rule; one look over all of it is cheaper than one into
    /// each string.
    fn count_control_bytes(&mut self, text: &[u8]) {
        if text.iter().fold(false, |any, b| any | (*b < 0x20)) {
            let strings = self.nodes.iter().filter(|n| n.kind == JsonType::String);
            let bytes = strings.flat_map(|n| &text[n.start as usize..n.end as usize]);
            self.repairs.control_bytes = bytes.filter(|b| **b < 0x20).count() as u32;
        }
    }

    /// What had to be put right in the text read last.
    pub fn repairs(&self) -> Repairs {
        self.repairs
    }
}

/// JSON's four white space bytes.
pub fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// How many bytes of a string are looked at eight by eight before the rest is searched: most strings are
/// short, and escapes stand in groups, so that a search has to be worth its start.
const NEAR: usize = 32;

/// Where the first quote or backslash is.
fn string_end(text: &[u8]) -> Option<usize> {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let (mut near, _) = text.split_at(text.len().min(NEAR));
    let mut at = 0;
    while let Some((word, rest)) = near.split_first_chunk::<8>() {
        let word = u64::from_le_bytes(*word);
        // The high bit of a byte that is zero; one above a true hit may be wrong, the lowest never is.
        let zero = |word: u64| word.wrapping_sub(ONES) & !word & (ONES << 7);
        let hits = zero(word ^ (ONES * b'"' as u64)) | zero(word ^ (ONES * b'\\' as u64));
        if hits != 0 {
            return Some(at + hits.trailing_zeros() as usize / 8);
        }
        at += 8;
        near = rest;
    }
    Some(at + memchr::memchr2(b'"', b'\\', &text[at..])?)
}

struct Scanner<'a, 't> {
    text: &'a [u8],
    at: usize,
    tape: &'t mut Tape,
}

impl Scanner<'_, '_> {
    fn fail<T>(&self) -> Result<T, Malformed> {
        Err(Malformed { at: self.at, truncated: self.at >= self.text.len() })
    }

    fn space(&mut self) {
        while self.text.get(self.at).is_some_and(|b| is_space(*b)) {
            self.at += 1;
        }
    }

    fn push(&mut self, kind: JsonType, escaped: bool, start: usize) {
        let next = self.tape.nodes.len() as u32 + 1;
        self.tape.nodes.push(Node { kind, escaped, tag: 0, start: start as u32, end: self.at as u32, next });
    }

    /// Reads one value without recursion: `open` holds the containers that are not closed yet.
    fn value(mut self) -> Result<usize, Malformed> {
        'value: loop {
            self.space();
            let start = self.at;
            match self.text.get(self.at) {
                Some(b'{') => {
                    self.at += 1;
                    self.tape.open.push(self.tape.nodes.len() as u32);
                    self.push(JsonType::Object, false, start);
                    self.space();
                    if self.text.get(self.at) != Some(&b'}') {
                        self.key()?;
                        continue 'value;
                    }
                }
                Some(b'[') => {
                    self.at += 1;
                    self.tape.open.push(self.tape.nodes.len() as u32);
                    self.push(JsonType::Array, false, start);
                    self.space();
                    if self.text.get(self.at) != Some(&b']') {
                        continue 'value;
                    }
                }
                Some(b'"') => self.string()?,
                Some(b't') => self.word(b"true", JsonType::Bool)?,
                Some(b'f') => self.word(b"false", JsonType::Bool)?,
                Some(b'n') => self.word(b"null", JsonType::Null)?,
                Some(b'-' | b'0'..=b'9') => self.number()?,
                Some(_) | None => return self.fail(),
            }
            // After a value: close what ends here, or go on with the next member.
            loop {
                let Some(&container) = self.tape.open.last() else { return Ok(self.at) };
                let object = self.tape.nodes[container as usize].kind == JsonType::Object;
                self.space();
                match (self.text.get(self.at), object) {
                    (Some(b','), true) => {
                        self.at += 1;
                        self.key()?;
                        continue 'value;
                    }
                    (Some(b','), false) => {
                        self.at += 1;
                        continue 'value;
                    }
                    (Some(b'}'), true) | (Some(b']'), false) => {
                        self.at += 1;
                        self.tape.open.pop();
                        let next = self.tape.nodes.len() as u32;
                        let node = &mut self.tape.nodes[container as usize];
                        node.end = self.at as u32;
                        node.next = next;
                        if object {
                            self.count_duplicates(container);
                        }
                    }
                    _ => return self.fail(),
                }
            }
        }
    }

    fn key(&mut self) -> Result<(), Malformed> {
        self.space();
        if self.text.get(self.at) != Some(&b'"') {
            return self.fail();
        }
        let node = self.tape.nodes.len();
        self.string()?;
        let key = &mut self.tape.nodes[node];
        key.tag = tag(&self.text[key.start as usize..key.end as usize]);
        self.space();
        if self.text.get(self.at) != Some(&b':') {
            return self.fail();
        }
        self.at += 1;
        Ok(())
    }

    fn word(&mut self, word: &[u8], kind: JsonType) -> Result<(), Malformed> {
        let start = self.at;
        for byte in word {
            if self.text.get(self.at) != Some(byte) {
                return self.fail();
            }
            self.at += 1;
        }
        self.push(kind, false, start);
        Ok(())
    }

    fn digits(&mut self) -> Result<(), Malformed> {
        let start = self.at;
        while self.text.get(self.at).is_some_and(u8::is_ascii_digit) {
            self.at += 1;
        }
        if self.at == start { self.fail() } else { Ok(()) }
    }

    fn number(&mut self) -> Result<(), Malformed> {
        let start = self.at;
        if self.text[self.at] == b'-' {
            self.at += 1;
        }
        if self.text.get(self.at) == Some(&b'0') {
            self.at += 1;
        } else {
            self.digits()?;
        }
        if self.text.get(self.at) == Some(&b'.') {
            self.at += 1;
            self.digits()?;
        }
        if let Some(b'e' | b'E') = self.text.get(self.at) {
            self.at += 1;
            if let Some(b'+' | b'-') = self.text.get(self.at) {
                self.at += 1;
            }
            self.digits()?;
        }
        self.push(JsonType::Number, false, start);
        Ok(())
    }

    /// The node's span is the inside of the quotes.
    fn string(&mut self) -> Result<(), Malformed> {
        let start = self.at + 1;
        let mut escaped = false;
        self.at = start;
        loop {
            let Some(offset) = string_end(&self.text[self.at..]) else {
                self.at = self.text.len();
                return self.fail();
            };
            self.at += offset;
            if self.text[self.at] == b'"' {
                break;
            }
            escaped = true;
            self.escape()?;
        }
        self.push(JsonType::String, escaped, start);
        self.at += 1;
        Ok(())
    }

    /// Steps over one escape, or over both halves of a surrogate pair.
    fn escape(&mut self) -> Result<(), Malformed> {
        let Some(&kind) = self.text.get(self.at + 1) else {
            self.at = self.text.len();
            return self.fail();
        };
        if kind != b'u' {
            if !matches!(kind, b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') {
                self.tape.repairs.escapes += 1;
            }
            self.at += 2;
            return Ok(());
        }
        match surrogate_or_char(&self.text[self.at..]) {
            (Some(_), length) => self.at += length,
            (None, length) => {
                self.tape.repairs.escapes += 1;
                self.at += length;
            }
        }
        Ok(())
    }

    fn count_duplicates(&mut self, container: u32) {
        let (mut seen, mut suspicious) = ([0u64; 16], false);
        let keys = || Members { tape: self.tape, at: container + 1, end: self.tape.nodes[container as usize].next };
        for (key, _) in keys() {
            let (word, bit) = (&mut seen[usize::from(key.tag >> 6) % 16], 1 << (key.tag % 64));
            // An escaped key may spell any other: only decoding tells.
            suspicious |= *word & bit != 0 || key.escaped;
            *word |= bit;
        }
        if suspicious {
            let text = |n: Node| {
                let text = String::from_utf8_lossy(&self.text[n.start as usize..n.end as usize]);
                if n.escaped { Cow::Owned(unescape(&text)) } else { text }
            };
            let mut all: Vec<Cow<'_, str>> = keys().map(|(key, _)| text(key)).collect();
            all.sort_unstable();
            if all.windows(2).any(|pair| pair[0] == pair[1]) {
                self.tape.repairs.duplicate_keys += 1;
            }
        }
    }
}

/// A few bits that two equal keys share and two different ones hardly ever, so that a look at a node tells
/// most keys apart.
fn tag(key: &[u8]) -> u16 {
    let at = |i: usize| key.get(i).map_or(0, |b| u16::from(*b));
    let last = key.len().wrapping_sub(1);
    [(key.len() as u16, 1), (at(0), 37), (at(key.len() / 2), 149), (at(last), 599)]
        .iter()
        .fold(0, |sum: u16, (part, weight)| sum.wrapping_add(part.wrapping_mul(*weight)))
}

/// Reads the `\uXXXX` at the start of `text`, with its second half if it is a pair. Returns the
/// character (`None`: not one), and how many bytes that took.
fn surrogate_or_char(text: &[u8]) -> (Option<char>, usize) {
    let unit = |at: usize| {
        let escape = text.get(at..at + 6)?;
        let digits = escape.strip_prefix(b"\\u")?;
        digits.iter().try_fold(0u32, |n, d| Some(n * 16 + (*d as char).to_digit(16)?))
    };
    match unit(0) {
        None => (None, 2),
        Some(high @ 0xD800..=0xDBFF) => match unit(6) {
            Some(low @ 0xDC00..=0xDFFF) => (char::from_u32(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00)), 12),
            _ => (None, 6),
        },
        Some(code) => (char::from_u32(code), 6),
    }
}

struct Members<'a> {
    tape: &'a Tape,
    at: u32,
    end: u32,
}

impl Iterator for Members<'_> {
    type Item = (Node, u32);

    fn next(&mut self) -> Option<Self::Item> {
        if self.at >= self.end {
            return None;
        }
        let key = self.tape.nodes[self.at as usize];
        let value = self.at + 1;
        self.at = self.tape.nodes[value as usize].next;
        Some((key, value))
    }
}

/// A value on a tape. Cheap to copy.
#[derive(Debug, Clone, Copy)]
pub struct Value<'a> {
    tape: &'a Tape,
    text: &'a [u8],
    /// The text again, if it is UTF-8: checked once for all its strings.
    valid: Option<&'a str>,
    node: u32,
}

impl<'a> Value<'a> {
    fn node(self) -> Node {
        self.tape.nodes[self.node as usize]
    }

    fn at(self, node: u32) -> Self {
        Self { node, ..self }
    }

    /// What it is.
    pub fn kind(self) -> JsonType {
        self.node().kind
    }

    /// What had to be put right in the text this value was read from.
    pub fn repairs(self) -> Repairs {
        self.tape.repairs
    }

    /// Whether it is `null`.
    pub fn is_null(self) -> bool {
        self.kind() == JsonType::Null
    }

    /// The bytes it stands in, as offsets into the text that was read; a string's quotes included.
    pub fn span(self) -> Range<usize> {
        let node = self.node();
        let quote = usize::from(node.kind == JsonType::String);
        node.start as usize - quote..node.end as usize + quote
    }

    /// Exactly as it is written.
    pub fn raw(self) -> &'a [u8] {
        &self.text[self.span()]
    }

    /// [`Value::raw`] as text, with U+FFFD for what is not UTF-8.
    pub fn raw_text(self) -> Cow<'a, str> {
        self.lossy(self.span())
    }

    fn lossy(self, span: Range<usize>) -> Cow<'a, str> {
        match self.valid.and_then(|valid| valid.get(span.clone())) {
            Some(text) => Cow::Borrowed(text),
            None => String::from_utf8_lossy(&self.text[span]),
        }
    }

    fn decode(self, string: Node) -> Cow<'a, str> {
        let text = self.lossy(string.start as usize..string.end as usize);
        if string.escaped { Cow::Owned(unescape(&text)) } else { text }
    }

    /// The string, decoded; `None` if it is not one.
    pub fn str(self) -> Option<Cow<'a, str>> {
        let node = self.node();
        (node.kind == JsonType::String).then(|| self.decode(node))
    }

    /// The string's length in bytes as it is written; 0 if it is not one.
    pub fn str_len(self) -> usize {
        let node = self.node();
        if node.kind == JsonType::String { (node.end - node.start) as usize } else { 0 }
    }

    /// The string, if it is there and not empty.
    pub fn non_empty(self) -> Option<Cow<'a, str>> {
        self.str().filter(|s| !s.is_empty())
    }

    /// The boolean; `None` if it is not one.
    pub fn bool(self) -> Option<bool> {
        (self.kind() == JsonType::Bool).then(|| self.raw() == b"true")
    }

    /// The number as a float (infinite where it is too large); `None` if it is not one.
    pub fn f64(self) -> Option<f64> {
        (self.kind() == JsonType::Number).then(|| self.raw_text().parse().ok()).flatten()
    }

    /// The number, if it is a whole one that fits.
    pub fn i64(self) -> Option<i64> {
        (self.kind() == JsonType::Number).then(|| self.raw_text().parse().ok()).flatten()
    }

    /// The member `key` of an object; the last one if there are several, as `JSON.parse` has it.
    pub fn get(self, key: &str) -> Option<Value<'a>> {
        let node = self.node();
        if node.kind != JsonType::Object {
            return None;
        }
        let tag = tag(key.as_bytes());
        let mut found = None;
        for (name, value) in (Members { tape: self.tape, at: self.node + 1, end: node.next }) {
            if name.tag != tag && !name.escaped {
                continue;
            }
            let bytes = &self.text[name.start as usize..name.end as usize];
            if bytes == key.as_bytes() || (name.escaped && self.decode(name) == key) {
                found = Some(self.at(value));
                if self.tape.repairs.duplicate_keys == 0 {
                    break;
                }
            }
        }
        found
    }

    /// The first of `keys` that is there: for fields that are spelt in more than one way.
    pub fn get_any(self, keys: &[&str]) -> Option<Value<'a>> {
        keys.iter().find_map(|key| self.get(key))
    }

    /// Follows object keys.
    pub fn path(self, keys: &[&str]) -> Option<Value<'a>> {
        keys.iter().try_fold(self, |value, key| value.get(key))
    }

    /// Member `key` if it is a string.
    pub fn get_str(self, key: &str) -> Option<Cow<'a, str>> {
        self.get(key)?.str()
    }

    /// The elements of an array; none if it is not one.
    pub fn items(self) -> impl Iterator<Item = Value<'a>> + use<'a> {
        let node = self.node();
        let end = if node.kind == JsonType::Array { node.next } else { 0 };
        let mut at = self.node + 1;
        std::iter::from_fn(move || {
            (at < end).then(|| {
                let value = self.at(at);
                at = value.node().next;
                value
            })
        })
    }

    /// The members of an object in the order they stand, duplicates included; none if it is not one.
    pub fn entries(self) -> impl Iterator<Item = (Cow<'a, str>, Value<'a>)> + use<'a> {
        let node = self.node();
        let end = if node.kind == JsonType::Object { node.next } else { 0 };
        Members { tape: self.tape, at: self.node + 1, end }.map(move |(key, value)| (self.decode(key), self.at(value)))
    }

    /// Whether it carries nothing: null, false, zero, an empty string, array or object.
    pub fn is_default(self) -> bool {
        match self.kind() {
            JsonType::Null => true,
            JsonType::Bool => self.raw() == b"false",
            JsonType::Number => self.f64() == Some(0.0),
            JsonType::String => self.str_len() == 0,
            JsonType::Array | JsonType::Object => self.node().next == self.node + 1,
        }
    }
}

/// The inside of a string with its escapes replaced.
fn unescape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = memchr::memchr(b'\\', rest.as_bytes()) {
        out.push_str(&rest[..at]);
        let mut escape = rest[at + 1..].chars();
        rest = match escape.next() {
            Some('u') => {
                let (c, length) = surrogate_or_char(&rest.as_bytes()[at..]);
                out.push(c.unwrap_or(char::REPLACEMENT_CHARACTER));
                &rest[at + length..]
            }
            kind => {
                out.push(match kind {
                    Some('n') => '\n',
                    Some('t') => '\t',
                    Some('r') => '\r',
                    Some('b') => '\u{8}',
                    Some('f') => '\u{c}',
                    Some(other) => other,
                    None => '\\',
                });
                escape.as_str()
            }
        };
    }
    out.push_str(rest);
    out
}

/// The JSON pointer of a member of what `parent` points at.
pub fn pointer_to(parent: &str, key: &str) -> String {
    if key.contains(['~', '/']) {
        return format!("{parent}/{}", key.replace('~', "~0").replace('/', "~1"));
    }
    format!("{parent}/{key}")
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// What a strict reader would make of it, for comparison.
    fn strict(value: Value<'_>) -> serde_json::Value {
        match value.kind() {
            JsonType::Null => serde_json::Value::Null,
            JsonType::Bool => value.bool().into(),
            JsonType::Number => serde_json::from_slice(value.raw()).unwrap(),
            JsonType::String => value.str().unwrap().into_owned().into(),
            JsonType::Array => value.items().map(strict).collect(),
            JsonType::Object => value.entries().map(|(k, v)| (k.into_owned(), strict(v))).collect(),
        }
    }

    fn json() -> impl Strategy<Value = serde_json::Value> {
        let leaf = prop_oneof![
            Just(serde_json::Value::Null),
            any::<bool>().prop_map(Into::into),
            any::<i64>().prop_map(Into::into),
            any::<f64>().prop_map(Into::into),
            ".*".prop_map(serde_json::Value::from),
        ];
        leaf.prop_recursive(6, 64, 8, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..8).prop_map(Into::into),
                prop::collection::vec((".*", inner), 0..8).prop_map(|m| m.into_iter().collect()),
            ]
        })
    }

    proptest! {
        #[test]
        fn agrees_with_serde_json_on_what_it_writes(value in json(), pretty in any::<bool>()) {
            let text = if pretty { serde_json::to_vec_pretty(&value) } else { serde_json::to_vec(&value) }.unwrap();
            let mut tape = Tape::new();
            let theirs: serde_json::Value = serde_json::from_slice(&text).unwrap();
            prop_assert_eq!(strict(tape.read_whole(&text).unwrap()), theirs);
            prop_assert!(!tape.repairs().any_text());
        }

        #[test]
        fn agrees_with_serde_json_on_what_is_json(text in r#"[\[\]{},:"\\a0-9eE+. ntrufals-]{0,24}"#) {
            let mut tape = Tape::new();
            let ours = tape.read_whole(text.as_bytes()).map(strict).ok();
            let repaired = tape.repairs().any_text();
            let theirs: Option<serde_json::Value> = serde_json::from_str(&text).ok();
            if theirs.is_some() { prop_assert_eq!(ours, theirs); } else if !repaired {
                let out_of_range = serde_json::from_str::<&serde_json::value::RawValue>(&text).is_ok();
                prop_assert!(ours.is_none() || out_of_range, "accepted {}", text);
            }
        }

        #[test]
        fn never_panics(text in prop::collection::vec(any::<u8>(), 0..200)) {
            let mut tape = Tape::new();
            if let Ok((value, end)) = tape.read(&text) {
                prop_assert!(end <= text.len());
                let _ = (value.str(), value.f64(), value.entries().count(), value.is_default());
            }
        }
    }

    #[test]
    fn reads_what_a_strict_reader_rejects() {
        let mut tape = Tape::new();
        let half = br#"{"a":"x\ud83dy","b":"\ud83d\ude80"}"#;
        let value = tape.read_whole(half).unwrap();
        assert_eq!(value.get_str("a").unwrap(), "x\u{FFFD}y");
        assert_eq!(value.get_str("b").unwrap(), "🚀");
        assert_eq!(tape.repairs(), Repairs { escapes: 1, ..Repairs::default() });

        let value = tape.read_whole(b"{\"a\":\"\x01\xff\"}").unwrap();
        assert_eq!(value.get_str("a").unwrap(), "\u{1}\u{FFFD}");
        assert_eq!(tape.repairs(), Repairs { control_bytes: 1, invalid_utf8: true, ..Repairs::default() });

        let value = tape.read_whole(br#"{"a":1,"b":2,"a":3}"#).unwrap();
        assert_eq!(value.get("a").unwrap().i64(), Some(3), "the last one counts");
        assert_eq!(value.entries().count(), 3, "the first is still there");
        assert_eq!(tape.repairs().duplicate_keys, 1);
        let value = tape.read_whole(br#"{"a":1,"\u0061":2}"#).unwrap();
        assert_eq!(value.get("a").unwrap().i64(), Some(2), "however it is spelt");
        assert_eq!(tape.repairs().duplicate_keys, 1);

        let deep = [b"[".repeat(100_000), b"]".repeat(100_000)].concat();
        assert!(tape.read_whole(&deep).is_ok(), "any depth");
        let huge = tape.read_whole(b"[1e400,184467440737095516159]").unwrap();
        let raw: Vec<_> = huge.items().map(Value::raw_text).collect();
        assert_eq!(raw, ["1e400", "184467440737095516159"]);
    }

    #[test]
    fn says_where_it_stopped() {
        let mut tape = Tape::new();
        assert_eq!(tape.read(br#"{"a":"#).unwrap_err(), Malformed { at: 5, truncated: true });
        assert!(tape.read(br#"{"a":"x"#).unwrap_err().truncated);
        assert_eq!(tape.read(br#"{"a" 1}"#).unwrap_err(), Malformed { at: 5, truncated: false });
        assert_eq!(tape.read(br#"{"a":1}{"b":2}"#).unwrap().1, 7, "glued records end where they end");
        let value = tape.read(br#"{"a":{"b":[1,"x"]}}"#).unwrap().0;
        assert_eq!(value.path(&["a", "b"]).unwrap().raw(), br#"[1,"x"]"#);
    }
}
