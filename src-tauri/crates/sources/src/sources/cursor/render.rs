//! Values as text: what goes into a message where the store holds JSON, and whether a text is kept already.
//! Deliberately absent: which field means what.

use crate::readers::binary;
use crate::readers::json::{JsonType, Tape, Value};
use std::collections::BTreeSet;

/// A string of at least this many bytes that looks like base64 is described instead of carried along.
const LONG: usize = 1024;

/// All leaves below a value, in the order they stand. No recursion: a hostile store may nest deeply.
pub(super) fn leaves(value: Value<'_>) -> Vec<Value<'_>> {
    let (mut found, mut open) = (Vec::new(), vec![value]);
    while let Some(value) = open.pop() {
        let start = open.len();
        match value.kind() {
            JsonType::Object => open.extend(value.entries().map(|(_, v)| v)),
            JsonType::Array => open.extend(value.items()),
            JsonType::Null | JsonType::Bool | JsonType::Number | JsonType::String => found.push(value),
        }
        open[start..].reverse();
    }
    found
}

/// Whether nothing below the value says anything: only empty containers, nulls, zeros, empty strings.
pub(super) fn is_hollow(value: Value<'_>) -> bool {
    value.is_default() || leaves(value).into_iter().all(Value::is_default)
}

/// A string as it is, anything else as JSON; long base64 bodies are described by size and hash.
pub(super) fn text(value: Value<'_>) -> String {
    match value.str() {
        Some(text) if is_base64(&text) => binary::describe("application/octet-stream", &text),
        Some(text) if text.len() >= LONG && text.starts_with(['{', '[']) => {
            // JSON inside a string may carry an image as well.
            let mut tape = Tape::new();
            match tape.read_whole(text.as_bytes()) {
                Ok(inner) => json(inner),
                Err(_) => text.into_owned(),
            }
        }
        Some(text) => text.into_owned(),
        None => json(value),
    }
}

fn json(value: Value<'_>) -> String {
    let raw = value.raw_text();
    if raw.len() < LONG {
        return raw.into_owned();
    }
    let base = value.span().start;
    let mut out = String::new();
    let mut at = 0;
    let bytes = value.raw();
    for leaf in leaves(value) {
        let Some(body) = (leaf.str_len() >= LONG).then(|| leaf.str()).flatten().filter(|s| is_base64(s)) else {
            continue;
        };
        let span = leaf.span();
        out.push_str(&String::from_utf8_lossy(&bytes[at..span.start - base]));
        out.push('"');
        out.push_str(&binary::describe("application/octet-stream", &body));
        out.push('"');
        at = span.end - base;
    }
    if at == 0 {
        return raw.into_owned();
    }
    out.push_str(&String::from_utf8_lossy(&bytes[at..]));
    out
}

/// Whether a text is a long base64 body, with or without a `data:` head.
fn is_base64(text: &str) -> bool {
    if text.len() < LONG {
        return false;
    }
    let body = text.strip_prefix("data:").and_then(|t| t.split_once(',')).map_or(text, |(_, body)| body);
    body.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'=' | b'-' | b'_' | b'\n' | b'\r'))
}

/// Text without its white space, to compare what editors space differently.
pub(super) fn squash(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

/// Whether every word below `value` stands in `kept` or is a value of the JSON in it.
pub(super) fn is_covered(value: &str, kept: &str) -> bool {
    if value == kept {
        return true;
    }
    let (mut tape, mut other) = (Tape::new(), Tape::new());
    let Ok(value) = tape.read_whole(value.as_bytes()) else { return kept.contains(value) };
    let pieces = match other.read_whole(kept.as_bytes()) {
        Ok(kept) => leaves(kept).into_iter().map(scalar).collect(),
        Err(_) => BTreeSet::new(),
    };
    let mut known = Known { whole: kept, pieces, searches: SEARCHES };
    leaves(value).into_iter().all(|leaf| leaf.is_default() || known.has(&scalar(leaf)))
}

/// How often a text is looked through for words that are no piece of it. Whatever is not found by then counts as
/// news: to tell a text twice is better than to look for ever.
const SEARCHES: usize = 256;

/// A text that is kept, to know its words again.
struct Known<'k> {
    whole: &'k str,
    pieces: BTreeSet<String>,
    searches: usize,
}

impl Known<'_> {
    /// Whether `words` are a piece of the text, or stand in it.
    fn has(&mut self, words: &str) -> bool {
        self.pieces.contains(words) || {
            let left = self.searches.checked_sub(1);
            self.searches = left.unwrap_or(0);
            left.is_some() && self.whole.contains(words)
        }
    }
}

fn scalar(leaf: Value<'_>) -> String {
    leaf.str().unwrap_or_else(|| leaf.raw_text()).into_owned()
}

/// Members of a Lexical node that say how it looks, and nothing else.
const LOOKS: [&str; 9] = ["type", "format", "style", "mode", "direction", "detail", "indent", "version", "storedKey"];

/// The words of `richText`: the text and the mentions of a Lexical document, or plain text. A document that
/// says more than its text nodes do is given as it stands.
pub(super) fn rich_text(text: &str) -> String {
    let mut tape = Tape::new();
    let Ok(document) = tape.read_whole(text.as_bytes()) else { return text.to_owned() };
    let Some(root) = document.get("root") else { return text.to_owned() };
    let (words, pieces) = lexical_words(root);
    let mut known = Known { whole: &words, pieces, searches: SEARCHES };
    let mut open = vec![document];
    while let Some(value) = open.pop() {
        if value.str().is_some_and(|leaf| !known.has(&leaf)) {
            return text.to_owned();
        }
        open.extend(value.items());
        open.extend(value.entries().filter(|(key, _)| !LOOKS.contains(&&**key)).map(|(_, member)| member));
    }
    words
}

/// The words below a node, together and one by one.
fn lexical_words(root: Value<'_>) -> (String, BTreeSet<String>) {
    let (mut out, mut pieces) = (String::new(), BTreeSet::new());
    let mut open = vec![root];
    while let Some(node) = open.pop() {
        if node.kind() != JsonType::Object {
            continue;
        }
        match node.get_str("text").or_else(|| node.get_str("mentionName")) {
            Some(words) => {
                out.push_str(&words);
                pieces.insert(words.into_owned());
            }
            None if matches!(node.get_str("type").as_deref(), Some("linebreak" | "paragraph")) && !out.is_empty() => {
                out.push('\n');
            }
            None => {}
        }
        let start = open.len();
        open.extend(node.get("children").into_iter().flat_map(Value::items));
        open[start..].reverse();
    }
    (out, pieces)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn with<T>(json: &str, f: impl FnOnce(Value<'_>) -> T) -> T {
        f(Tape::new().read_whole(json.as_bytes()).unwrap())
    }

    #[test]
    fn hollow_is_what_says_nothing_at_any_depth() {
        assert!(with(r#"{"a":[{"b":""},[]],"c":0,"d":null,"e":false}"#, is_hollow));
        assert!(!with(r#"{"a":[{"b":"x"}]}"#, is_hollow));
        let deep = [vec![b'['; 50_000], vec![b']'; 50_000]].concat();
        assert!(is_hollow(Tape::new().read_whole(&deep).unwrap()), "any depth");
    }

    #[test]
    fn long_bodies_are_described_and_words_are_not() {
        let body = "QUJD".repeat(400);
        let shown = with(&format!(r#"{{"name":"a.png","data":"data:image/png;base64,{body}"}}"#), text);
        assert!(shown.starts_with(r#"{"name":"a.png","data":"[image/png, 1200 bytes, sha256 "#), "{shown}");
        assert_eq!(with(r#""plain""#, text), "plain");
        let words = "a b ".repeat(400);
        assert_eq!(with(&format!("{words:?}"), text), words);
    }

    #[test]
    fn lexical_documents_give_their_words() {
        let document = r#"{"root":{"children":[{"children":[{"type":"text","text":"see "},
            {"type":"mention","mentionName":"main.rs"}],"type":"paragraph"},
            {"children":[{"type":"text","text":"please"}],"type":"paragraph"}],"type":"root"}}"#;
        assert_eq!(rich_text(document), "see main.rs\nplease");
        assert_eq!(rich_text("plain"), "plain");
    }

    #[test]
    fn a_text_is_not_looked_through_for_each_of_its_words() {
        let mut known = Known { whole: "one two", pieces: BTreeSet::from(["one".to_owned()]), searches: 2 };
        assert!((0..100).all(|_| known.has("one")), "a piece is found without looking");
        assert_eq!(["two", "six", "two", "one"].map(|words| known.has(words)), [true, false, false, true]);
        // A long document is its words all the same.
        let node = |n: usize| format!(r#"{{"type":"text","text":"word {n} "}},{{"type":"mention","mentionName":"file{n}.rs"}}"#);
        let nodes: Vec<String> = (0..2000).map(node).collect();
        let words = rich_text(&format!(r#"{{"root":{{"type":"root","children":[{}]}}}}"#, nodes.join(",")));
        assert!(words.starts_with("word 0 file0.rsword 1 ") && words.ends_with("file1999.rs"));
    }

    #[test]
    fn a_copy_is_covered_and_news_is_not() {
        assert!(is_covered(r#"{"command":"ls"}"#, r#"{"command":"ls","cwd":"/p"}"#));
        assert!(!is_covered(r#"{"command":"ls -la"}"#, r#"{"command":"ls","cwd":"/p"}"#));
    }
}
