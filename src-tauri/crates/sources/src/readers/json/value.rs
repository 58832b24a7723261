//! A value on a tape and what it can be asked: text is decoded here, and only where it is asked for.

use super::{JsonType, Node, Repairs, Tape, surrogate_or_char, tag};
use std::borrow::Cow;
use std::ops::Range;

pub(super) struct Members<'a> {
    pub(super) tape: &'a Tape,
    pub(super) at: u32,
    pub(super) end: u32,
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
    pub(super) tape: &'a Tape,
    pub(super) text: &'a [u8],
    /// The text again, if it is UTF-8: checked once for all its strings.
    pub(super) valid: Option<&'a str>,
    pub(super) node: u32,
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
pub(super) fn unescape(text: &str) -> String {
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
