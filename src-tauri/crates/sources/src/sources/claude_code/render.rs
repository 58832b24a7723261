//! Any JSON value as text that a person can read: one line for each thing it says.
//!
//! Deliberately absent: what a field means. The tables of [`super::kinds`] say which values are read this way.

use crate::readers::binary;
use crate::readers::json::{JsonType, Value};
use std::borrow::Cow;

/// Below this depth a value is shown as it is written.
const DEPTH: u32 = 24;

/// One thing a value says.
pub(super) struct Leaf<'a> {
    /// Keys and indices that lead to it, joined by dots.
    pub path: String,
    /// Its text; a binary body is described.
    pub text: Cow<'a, str>,
    /// How many bytes it has as it is written, where the text only describes it.
    pub bytes: usize,
    /// Whether it is a word of the tool's own (a number, a flag, a type) and not content.
    pub state: bool,
}

/// Keys whose strings name a state.
const STATE_KEYS: [&str; 6] = ["type", "status", "mode", "kind", "id", "uuid"];

/// Keys whose strings only the provider can read.
const OPAQUE: [&str; 3] = ["encrypted_content", "encrypted_index", "signature"];

/// Everything that a value says, in order. What carries nothing is left out, and so is a member of the
/// outermost object for which `skip` is true.
pub(super) fn leaves<'a>(value: Value<'a>, skip: impl Fn(&str) -> bool) -> Vec<Leaf<'a>> {
    let mut out = Vec::new();
    if value.kind() == JsonType::Object {
        for (key, member) in value.entries().filter(|(key, _)| !skip(key)) {
            visit(key.into_owned(), member, 1, &mut out);
        }
    } else {
        visit(String::new(), value, 0, &mut out);
    }
    out
}

fn visit<'a>(path: String, value: Value<'a>, depth: u32, out: &mut Vec<Leaf<'a>>) {
    if value.is_default() {
        return;
    }
    let below = |key: &str| if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
    match value.kind() {
        JsonType::Array | JsonType::Object if depth >= DEPTH => {
            let text = value.raw_text();
            out.push(Leaf { path, bytes: text.len(), text, state: false });
        }
        JsonType::Object => {
            let body = body_key(value);
            for (key, member) in value.entries() {
                if OPAQUE.contains(&&*key) && member.str_len() > 0 {
                    let text = format!("[encrypted, {} bytes]", member.str_len()).into();
                    out.push(Leaf { path: below(&key), bytes: member.str_len(), text, state: true });
                    continue;
                }
                match member.str().filter(|_| Some(&*key) == body) {
                    Some(body) => {
                        let text = binary::describe(&media_type(value), &body).into();
                        out.push(Leaf { path: below(&key), bytes: body.len(), text, state: false });
                    }
                    None => visit(below(&key), member, depth + 1, out),
                }
            }
        }
        JsonType::Array => {
            if value.items().all(|item| item.kind() == JsonType::String) {
                let lines: Vec<_> = value.items().filter_map(Value::str).collect();
                let text: Cow<'_, str> = lines.join("\n").into();
                out.push(Leaf { path, bytes: text.len(), text, state: false });
            } else {
                for (i, item) in value.items().enumerate() {
                    visit(below(&i.to_string()), item, depth + 1, out);
                }
            }
        }
        JsonType::String => {
            let state = STATE_KEYS.contains(&path.rsplit('.').next().unwrap_or(""));
            let text = value.str().unwrap_or_default();
            out.push(Leaf { bytes: text.len(), text, path, state });
        }
        JsonType::Null | JsonType::Bool | JsonType::Number => {
            let text = value.raw_text();
            out.push(Leaf { path, bytes: text.len(), text, state: true });
        }
    }
}

/// The key that holds base64 in an object that says of what type it is.
fn body_key(object: Value<'_>) -> Option<&'static str> {
    let holds = |key: &str| object.get(key).is_some_and(|v| v.kind() == JsonType::String);
    if holds("base64") {
        return Some("base64");
    }
    (holds("data") && object.get_str("type").as_deref() == Some("base64")).then_some("data")
}

fn media_type(object: Value<'_>) -> Cow<'_, str> {
    let named = object.get_any(&["media_type", "mediaType"]).and_then(Value::non_empty);
    named.or_else(|| object.get("type").and_then(Value::non_empty)).unwrap_or("binary".into())
}

/// One line for each leaf, with its path; a single leaf stands alone.
pub(super) fn lines(leaves: &[Leaf<'_>]) -> String {
    match leaves {
        [] => String::new(),
        [only] if !only.state => only.text.to_string(),
        many => {
            let lines: Vec<_> = many
                .iter()
                .map(|l| if l.path.is_empty() { l.text.to_string() } else { format!("{}: {}", l.path, l.text) })
                .collect();
            lines.join("\n")
        }
    }
}

/// A whole value as text.
pub(super) fn text(value: Value<'_>) -> String {
    lines(&leaves(value, |_| false))
}

/// An image or a document by its source: text as it stands, a body by size and hash, else where it is.
pub(super) fn media(block: Value<'_>) -> String {
    let source = block.get("source");
    let of_text = source.filter(|s| s.get_str("type").as_deref() == Some("text")).and_then(|s| s.get_str("data"));
    let body = match (of_text, source) {
        (Some(text), _) => text.into_owned(),
        (None, Some(source)) => match source.get("data").and_then(Value::str) {
            Some(data) => binary::describe(&media_type(source), &data),
            None => lines(&leaves(source, |key| key == "type")),
        },
        (None, None) => String::new(),
    };
    let about = lines(&leaves(block, |key| matches!(key, "type" | "source" | "cache_control" | "citations")));
    match (about.is_empty(), body.is_empty()) {
        (true, _) => body,
        (false, true) => about,
        (false, false) => format!("{about}\n{body}"),
    }
}

/// The content bytes of an image or a document that `shown` shows or describes: those of its body, where it has
/// one.
pub(super) fn media_bytes(block: Value<'_>, shown: &str) -> usize {
    let source = block.get("source").filter(|s| s.get_str("type").as_deref() != Some("text"));
    source.and_then(|s| s.get("data")).map(Value::str_len).filter(|n| *n > 0).unwrap_or(shown.len())
}
