//! JSON with places: reads one value into a flat tape that knows where each part stands.
//!
//! Why not `serde_json`: an account of every block needs byte spans, both values of a duplicate key,
//! the exact text of a number, any nesting depth, and text that a strict reader rejects (a lone
//! surrogate, a raw control byte, invalid UTF-8) — and most of a store is text that is never looked
//! at, which a tape skips without decoding. `readers::tests` holds it to `serde_json` on every input
//! both accept, and `make bench` compares their speed.
//!
//! Deliberately absent: lines, records, any knowledge of a source.

mod scanner;
mod value;

use scanner::Scanner;
pub use value::{Value, pointer_to};

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
