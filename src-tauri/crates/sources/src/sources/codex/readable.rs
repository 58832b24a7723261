//! A JSON value as a person reads it, and what every string in it is.
//!
//! Large base64 bodies are told by size and hash. Deliberately absent: which field means what.

use crate::readers::binary;
use crate::readers::json::{JsonType, Value};
use std::borrow::Cow;
use std::fmt::Write;

/// Text in base64 from this length on is a binary body.
const BODY: usize = 1024;

/// The strings inside a value, in no particular order. Without recursion, however deep it goes.
pub(super) fn strings<'a>(value: Value<'a>) -> impl Iterator<Item = Value<'a>> {
    let mut open = vec![value];
    std::iter::from_fn(move || {
        while let Some(value) = open.pop() {
            match value.kind() {
                JsonType::String => return Some(value),
                JsonType::Array => open.extend(value.items()),
                JsonType::Object => open.extend(value.entries().map(|(_, v)| v)),
                JsonType::Null | JsonType::Bool | JsonType::Number => {}
            }
        }
        None
    })
}

/// Whether a string is a binary body rather than text.
fn is_body(text: &str) -> bool {
    let data = text.strip_prefix("data:").and_then(|t| t.split_once(";base64,")).map(|(_, data)| data);
    let base64 = |t: &str| t.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'=' | b'\n' | b'\r'));
    data.is_some() || (text.len() >= BODY && base64(text))
}

/// A string, or what is to be said instead of a binary body.
fn told(text: Cow<'_, str>) -> Cow<'_, str> {
    if is_body(&text) { binary::describe("application/octet-stream", &text).into() } else { text }
}

/// A string as it is; anything else as it is written, with binary bodies described in place.
pub(super) fn text(value: Value<'_>) -> Cow<'_, str> {
    if let Some(text) = value.str() {
        return told(text);
    }
    let base = value.span().start;
    let mut bodies: Vec<(std::ops::Range<usize>, String)> = strings(value)
        .filter(|s| s.str_len() >= BODY || s.raw().starts_with(b"\"data:"))
        .filter_map(|s| {
            let text = s.str().filter(|t| is_body(t))?;
            Some((s.span().start - base..s.span().end - base, binary::describe("application/octet-stream", &text)))
        })
        .collect();
    if bodies.is_empty() {
        return value.raw_text();
    }
    bodies.sort_by_key(|b| b.0.start);
    let raw = value.raw();
    let (mut out, mut at) = (String::new(), 0);
    for (span, description) in bodies {
        out.push_str(&String::from_utf8_lossy(&raw[at..span.start]));
        let _ = write!(out, "\"{description}\"");
        at = span.end;
    }
    out.push_str(&String::from_utf8_lossy(&raw[at..]));
    out.into()
}

/// Everything an object says but `skip` and what carries nothing: the text of `lead` first, the other
/// fields as `name: value` lines. A longer text that stands in several fields is told once. A value that
/// is not an object is its own text.
pub(super) fn fields<'a>(object: Value<'a>, lead: &[&str], skip: &[&str]) -> String {
    if object.kind() != JsonType::Object {
        return text(object).into_owned();
    }
    let mut out = String::new();
    let mut told = Vec::new();
    let mut line = |name: Option<&str>, value: Value<'a>| {
        let repeats = value.str_len() >= 16 && told.contains(&value.raw());
        if value.is_default() || repeats {
            return;
        }
        if value.str_len() >= 16 && told.len() < 64 {
            told.push(value.raw());
        }
        if !out.is_empty() {
            out.push('\n');
        }
        if let Some(name) = name {
            let _ = write!(out, "{name}: ");
        }
        out.push_str(&text(value));
    };
    for key in lead {
        if let Some(value) = object.get(key) {
            line(None, value);
        }
    }
    for (name, value) in object.entries() {
        if !lead.contains(&&*name) && !skip.contains(&&*name) {
            line(Some(&name), value);
        }
    }
    out
}

/// The texts of an object's fields but `skip`; `None` if there are too many to look for.
pub(super) fn texts(object: Value<'_>, skip: &[&str]) -> Option<Vec<String>> {
    const LIMIT: usize = 64;
    let mut texts = Vec::new();
    for (_, member) in object.entries().filter(|(name, _)| !skip.contains(&&**name)) {
        for text in strings(member).filter_map(Value::non_empty) {
            if texts.len() == LIMIT {
                return None;
            }
            texts.push(text.into_owned());
        }
    }
    Some(texts)
}

/// Whether every one of `texts` stands in one of `said`, plain or as JSON writes it.
pub(super) fn are_said_in(texts: &[String], said: &[&str]) -> bool {
    let holds = |said: &str, text: &str| memchr::memmem::find(said.as_bytes(), text.as_bytes()).is_some();
    texts.iter().all(|text| {
        let written = serde_json::to_string(text).unwrap_or_default();
        let written = written.get(1..written.len().saturating_sub(1)).unwrap_or("");
        said.iter().any(|s| holds(s, text) || (written != text && holds(s, written)))
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::readers::json::Tape;

    #[test]
    fn tells_bodies_by_size_and_leaves_text_alone() {
        let mut tape = Tape::new();
        let json = format!(r#"{{"a":"x","b":[{{"data":"{}"}}],"c":null,"d":7}}"#, "QUJD".repeat(400));
        let value = tape.read_whole(json.as_bytes()).unwrap();
        let shown = fields(value, &["a"], &["d"]);
        assert!(shown.starts_with("x\nb: [{\"data\":\"[application/octet-stream, 1200 bytes, sha256 "), "{shown}");
        assert!(!shown.contains("QUJD") && !shown.contains("d: 7"));
    }

    #[test]
    fn deep_nesting_costs_no_stack() {
        let json = format!("{}\"x\"{}", "[".repeat(200_000), "]".repeat(200_000));
        let mut tape = Tape::new();
        let value = tape.read_whole(json.as_bytes()).unwrap();
        assert_eq!(strings(value).count(), 1);
        assert!(text(value).ends_with("]]"));
    }

    #[test]
    fn finds_what_was_said_plain_or_escaped() {
        let mut tape = Tape::new();
        let value = tape.read_whole(br#"{"command":"echo \"hi\"","id":"zzz"}"#).unwrap();
        let said = texts(value, &["id"]).unwrap();
        assert!(are_said_in(&said, &[r#"{"cmd":"echo \"hi\""}"#]));
        assert!(!are_said_in(&said, &["echo"]));
    }
}
