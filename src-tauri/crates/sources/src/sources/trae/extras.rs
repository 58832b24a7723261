//! What comes with a message beside its text, and values as a person can read them.

use super::message::{EXTRAS, MESSAGE_IDS, fields};
use super::store;
use crate::readers::binary;
use crate::readers::json::{JsonType, Value};
use crate::{Account, EntryId, Fate};
use assay_model::{Kind, Locator, Message, MessageType, Reason, text};
use std::borrow::Cow;

/// Something handed to the model with a prompt.
#[derive(Debug)]
pub(super) struct Extra<'a> {
    pointer: String,
    value: Value<'a>,
    /// Whether the prompt says it anyway.
    said: bool,
}

/// Attachments of a message. `said` is the message's own text: prompts repeat themselves in pieces.
pub(super) fn extras<'a>(object: Value<'a>, said: &str) -> Vec<Extra<'a>> {
    let mut extras = Vec::new();
    for name in EXTRAS {
        let Some(value) = object.get(name).filter(|value| store::has_text(*value)) else { continue };
        let elements = store::members(value);
        let whole = elements.is_empty().then(|| (String::new(), value));
        for (step, value) in elements.into_iter().chain(whole) {
            if !value.is_default() {
                let said = value.str().is_some_and(|text| said.contains(text::trim(&text)));
                extras.push(Extra { pointer: format!("/{name}{step}"), value, said });
            }
        }
    }
    extras
}

/// Attachments of a prompt of the input history, and fields of it that nobody knows.
pub(super) fn prompt_extras<'a>(prompt: Value<'a>, said: &str) -> Vec<Extra<'a>> {
    let mut extras = extras(prompt, said);
    let read = [EXTRAS, MESSAGE_IDS, &["inputText"]].concat();
    let rest = fields(prompt, &read, &[]);
    extras.extend(rest.into_iter().map(|field| Extra { pointer: field.pointer, value: field.value, said: false }));
    extras
}

/// Gives an attachment its message.
pub(super) fn recover_extra(account: &mut Account, entry: EntryId, id: &str, extra: Extra<'_>, at: &Locator) {
    let text = readable(extra.value);
    if extra.said {
        let block =
            account.block(entry, extra.pointer.as_str(), "prompt-part", text.len(), Fate::Folded(Reason::Duplicate, None));
        return account.excerpt(block, &text);
    }
    let (from, kind) = (MessageType::User, Kind::Attachment);
    let place = at.at(extra.pointer.as_str());
    let message = Message::recovered(format!("{id}{}", extra.pointer), from, kind, text, Reason::Attachment, place);
    account.recover(entry, extra.pointer, "attachment", message);
}

/// From this length on a string is looked at for being a body in base64.
const LONG: usize = 512;

/// A value as a person can read it: text as text, anything else as it is written, bodies in base64 told
/// by size and hash.
pub(super) fn readable(value: Value<'_>) -> Cow<'_, str> {
    match value.str() {
        Some(text) if is_body(&text) => binary::describe("application/octet-stream", &text).into(),
        Some(text) => text,
        None if value.raw().len() < LONG => value.raw_text(),
        None => match bodies(value).as_slice() {
            [] => value.raw_text(),
            found => {
                let (mut out, mut at) = (String::new(), value.span().start);
                let raw = |from: usize, to: usize| {
                    let start = value.span().start;
                    String::from_utf8_lossy(&value.raw()[from - start..to - start]).into_owned()
                };
                for (span, description) in found {
                    out.push_str(&raw(at, span.start));
                    out.push('"');
                    out.push_str(description);
                    out.push('"');
                    at = span.end;
                }
                out.push_str(&raw(at, value.span().end));
                out.into()
            }
        },
    }
}

/// The bodies in base64 inside a value, in order, without recursion: nesting may be of any depth.
fn bodies(value: Value<'_>) -> Vec<(std::ops::Range<usize>, String)> {
    let (mut found, mut open) = (Vec::new(), vec![value]);
    while let Some(value) = open.pop() {
        match value.kind() {
            JsonType::String => {
                if let Some(text) = value.str().filter(|text| is_body(text)) {
                    found.push((value.span(), binary::describe("application/octet-stream", &text)));
                }
            }
            JsonType::Array => open.extend(value.items()),
            JsonType::Object => open.extend(value.entries().map(|(_, member)| member)),
            JsonType::Null | JsonType::Bool | JsonType::Number => {}
        }
    }
    found.sort_by_key(|(span, _)| span.start);
    found
}

fn is_body(text: &str) -> bool {
    text.len() >= LONG
        && (text.starts_with("data:") && text.contains(";base64,")
            || text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'=')))
}
