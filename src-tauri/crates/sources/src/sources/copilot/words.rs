//! How values of a session are put into words: markdown objects, URIs, locations, whatever else as
//! compact JSON, bytes by their size and hash. Deliberately absent: which values are told.

use super::node::{Data, Node};
use crate::readers::binary;
use assay_model::hash;

/// A value as a person reads it.
pub(super) fn plain(node: &Node) -> String {
    match &node.data {
        Data::List(items) => items.iter().map(plain).filter(|s| !s.is_empty()).collect::<Vec<_>>().join("\n"),
        Data::Map(_) => special(node).unwrap_or_else(|| json(node)),
        Data::Text(text) => text.to_string(),
        Data::Null => String::new(),
        Data::Bytes(bytes) => described(bytes),
        Data::Bool(_) | Data::Number(_) | Data::Deep(_) => json(node),
    }
}

fn described(bytes: &[u8]) -> String {
    format!("[{} bytes, sha256 {}]", bytes.len(), hash::hex(&hash::sha256(bytes)))
}

/// Objects that stand for one piece of text.
fn special(node: &Node) -> Option<String> {
    let only = |known: &[&str]| node.members().iter().all(|(k, v)| known.contains(&&**k) || v.is_default());
    if let Some(value) = node.get("value").and_then(Node::str).filter(|_| only(MARKDOWN)) {
        return Some(value.to_owned());
    }
    if let Some(path) = uri(node).filter(|_| only(URI)) {
        return Some(path);
    }
    if let Some(path) = node.get("uri").and_then(uri).filter(|_| only(&["uri", "range"])) {
        return Some(match node.get("range").and_then(|r| r.get("startLineNumber")).and_then(Node::f64) {
            Some(line) => format!("{path}:{line}"),
            None => path,
        });
    }
    let media = || node.get_str("mimeType").unwrap_or("application/octet-stream");
    if let Some(body) = node.get("base64Data").and_then(Node::str) {
        return Some(binary::describe(media(), body));
    }
    match (node.get("isText").map(|n| &n.data), node.get("value").and_then(Node::str)) {
        (Some(Data::Bool(false)), Some(body)) => Some(binary::describe(media(), body)),
        (Some(Data::Bool(true)), Some(text)) if only(&["isText", "value", "type", "mimeType", "uri"]) => {
            Some(text.to_owned())
        }
        _ => None,
    }
}

const MARKDOWN: &[&str] = &["value", "isTrusted", "supportThemeIcons", "supportHtml", "baseUri", "uris", "$mid"];
const URI: &[&str] = &["$mid", "fsPath", "external", "path", "scheme", "authority", "_sep", "query", "fragment"];

/// The path of a serialised URI, or the whole of it if it is no file.
pub(super) fn uri(node: &Node) -> Option<String> {
    let scheme = node.get_str("scheme")?;
    if scheme == "file" {
        return node.get_str("fsPath").or(node.get_str("path")).map(str::to_owned);
    }
    node.get_str("external").map(str::to_owned).or_else(|| {
        let authority = node.get_str("authority").unwrap_or("");
        Some(format!("{scheme}://{authority}{}", node.get_str("path")?))
    })
}

/// A value as compact JSON. URIs are their path, bytes their size and hash.
pub(super) fn json(node: &Node) -> String {
    let mut out = String::new();
    write(node, &mut out);
    out
}

fn write(node: &Node, out: &mut String) {
    match &node.data {
        Data::Null => out.push_str("null"),
        Data::Bool(on) => out.push_str(if *on { "true" } else { "false" }),
        Data::Number(text) | Data::Deep(text) => out.push_str(text),
        Data::Text(text) => quote(text, out),
        Data::Bytes(bytes) => quote(&described(bytes), out),
        Data::List(items) => {
            out.push('[');
            for (i, item) in items.iter().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                write(item, out);
            }
            out.push(']');
        }
        Data::Map(members) => {
            if let Some(text) = special(node).filter(|_| node.get("value").is_none() || node.get("isText").is_some()) {
                return quote(&text, out);
            }
            out.push('{');
            for (i, (key, value)) in members.iter().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                quote(key, out);
                out.push(':');
                write(value, out);
            }
            out.push('}');
        }
    }
}

fn quote(text: &str, out: &mut String) {
    match serde_json::to_string(text) {
        Ok(quoted) => out.push_str(&quoted),
        Err(_) => out.push_str("\"\""),
    }
}

/// The fields of an object, `first` ones as they read and without their name, the others named.
pub(super) fn fields(node: &Node, first: &[&str], without: &[&str]) -> String {
    let mut lines: Vec<String> =
        first.iter().filter_map(|key| node.get(key)).map(plain).filter(|s| !s.is_empty()).collect();
    for (key, value) in node.members() {
        if !value.is_default() && !first.contains(&&**key) && !without.contains(&&**key) {
            lines.push(format!("{key}: {}", plain(value)));
        }
    }
    lines.join("\n")
}

/// Those of `names` that are texts: an id or a name of another type is not taken for one.
pub(super) fn texts(of: &Node, names: &[&'static str]) -> Vec<&'static str> {
    names.iter().copied().filter(|name| of.get(name).is_some_and(|member| member.str().is_some())).collect()
}

/// The bytes of text in a value.
pub(super) fn text_len(node: &Node) -> usize {
    match &node.data {
        Data::Null | Data::Bool(_) => 0,
        Data::Number(text) | Data::Text(text) | Data::Deep(text) => text.len(),
        Data::Bytes(bytes) => bytes.len(),
        Data::List(items) => items.iter().map(text_len).sum(),
        Data::Map(members) => members.iter().map(|(_, v)| text_len(v)).sum(),
    }
}

/// The text leaves of a prompt tree (`{node:{children:[{text}]}}`), as they read.
pub(super) fn prompt_text(node: &Node) -> Option<String> {
    fn walk(node: &Node, out: &mut String) {
        if let Some(text) = node.get("text").and_then(Node::str) {
            if node.get("lineBreakBefore").is_some_and(Node::is_true) && !out.is_empty() {
                out.push('\n');
            }
            out.push_str(text);
        }
        for child in node.get("children").map(Node::items).unwrap_or_default() {
            walk(child, out);
        }
    }
    let mut out = String::new();
    walk(node.get("node")?, &mut out);
    (!out.is_empty()).then_some(out)
}

/// A tool call's id without what the editor appends to it.
pub(super) fn call_id(id: &str) -> &str {
    match id.rsplit_once("__vscode-") {
        Some((id, number)) if !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()) => id,
        _ => id,
    }
}

/// What the tool wrote in place of a value that was too long for it.
pub(super) fn truncation_marker(text: &str) -> bool {
    text.strip_prefix('[')
        .and_then(|rest| rest.split_once(": "))
        .is_some_and(|(product, rest)| !product.contains(']') && rest.starts_with("value truncated for persistence"))
}
