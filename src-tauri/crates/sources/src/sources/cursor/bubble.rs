//! A bubble: one message with its thinking, its tool call and its context, or only some of them. The
//! published rules keep what has text; the rest is recovered beside it. Deliberately absent: order (`composer`).

use super::render;
use super::tool;
use super::writer::Writer;
use crate::readers::json::{JsonType, Value};
use assay_model::{Kind, Locator, Message, MessageType, Reason, text};

/// The newest `_v` of a bubble that this parser knows.
pub(super) const KNOWN_VERSION: f64 = 3.0;

/// Fields that [`write`] itself reads.
const READ: [&str; 7] =
    ["text", "rawText", "richText", "thinking", "allThinkingBlocks", "toolFormerData", "capabilities"];

/// Who a bubble is from: `type` 1 (in legacy chats `"user"`) is the person, anything else the model.
pub(super) fn from(bubble: Value<'_>) -> MessageType {
    let kind = bubble.get("type");
    let user = kind.and_then(Value::f64) == Some(1.0);
    if user { MessageType::User } else { MessageType::Assistant }
}

/// Whether an array is there and has something in it.
fn has_items(bubble: Value<'_>, key: &str) -> bool {
    bubble.get(key).is_some_and(|v| v.items().next().is_some())
}

/// Writes a bubble. `lost`: the published rules never see it, for this reason.
pub(super) fn write(pen: &mut Writer<'_>, bubble: Value<'_>, lost: Option<Reason>) {
    let assistant = pen.from == MessageType::Assistant;
    let raw = bubble.get_str("text").unwrap_or_default();
    let said = text::trim(&raw);
    let shown = !assistant || !said.is_empty();
    let tool = bubble.get("toolFormerData").filter(|v| v.kind() == JsonType::Object && !v.is_default());

    if let Some(value) = bubble.get("text").filter(|v| v.str().is_none() && !v.is_null()) {
        pen.unknown("/text", "bubble/text".to_owned(), value);
    }
    let thinking = Thinking::read(bubble);
    // What the published rules do not read of the thinking, or all of it where they skip the bubble. One
    // thinks before one speaks.
    let reason = if shown { Reason::Thinking } else { Reason::ThinkingOnlyBubble };
    for piece in thinking.pieces.iter().filter(|p| !shown || !p.published) {
        let told = |other: &Piece| other.published && other.text == piece.text;
        if !piece.published && thinking.pieces.iter().any(told) {
            pen.drop(&piece.place, "thinking", &piece.text, Reason::Duplicate);
        } else {
            pen.recover(&piece.place, "thinking", Kind::Reasoning, piece.text.as_str(), reason);
        }
    }
    if shown {
        let place = pen.account.locator(pen.record).at(format!("{}/text", pen.base));
        let mut message = Message::new(pen.id.clone(), pen.from, said, place);
        if let Some(reason) = lost {
            let place = message.locator.clone();
            message = Message::recovered(pen.id.clone(), pen.from, Kind::Text, said, reason, place);
        }
        message.has_tool_use = has_items(bubble, "toolResults") || bubble.get("isAgentic").and_then(Value::bool) == Some(true);
        message.has_code =
            text::has_fence(said) || has_items(bubble, "codeBlocks") || has_items(bubble, "suggestedCodeBlocks");
        message.thinking = thinking.published();
        put_with_thinking(pen, message, &thinking);
    }
    thinking_rest(pen, bubble);
    words(pen, bubble, said);
    if let Some(tool) = tool {
        tool::write(pen, "/toolFormerData", tool, !shown);
    } else if let Some(odd) = bubble.get("toolFormerData").filter(|v| !v.is_default()) {
        pen.unknown("/toolFormerData", "bubble/toolFormerData".to_owned(), odd);
    }
    code_blocks(pen, bubble, said);
    pen.rest("", "bubble", bubble, &[READ.as_slice(), &["codeBlocks", "suggestedCodeBlocks"]].concat());
    if let Some(list) = bubble.get("capabilities").filter(|v| !render::is_hollow(*v)) {
        pen.fold("/capabilities", "bubble/capabilities", list.raw().len());
    }
    if !shown {
        nothing_said(pen, bubble, &raw);
    }
}

/// An assistant bubble without text: the published rules skip it before they look at anything else.
fn nothing_said(pen: &mut Writer<'_>, bubble: Value<'_>, raw: &str) {
    match bubble.get("capabilityType").and_then(Value::f64) {
        Some(22.0) if pen.made.is_empty() => {
            let marker = "context summarised; the summary is not in the store";
            pen.recover("/capabilityType", "bubble/summarized", Kind::Event, marker, Reason::SystemRecord);
        }
        _ if pen.made.is_empty() => pen.drop("/text", "bubble/text", raw, Reason::EmptyAssistantBubble),
        _ if !raw.is_empty() => pen.drop("/text", "bubble/text", raw, Reason::BlankLine),
        _ => {}
    }
}

fn put_with_thinking(pen: &mut Writer<'_>, message: Message, thinking: &Thinking) {
    let bytes = message.content.len();
    let recovered = message.reason().is_some();
    let mut bare = message;
    let published = bare.thinking.take();
    let id = pen.put("/text", "bubble/text", bare);
    pen.account.message(id).thinking = published;
    debug_assert_eq!(bytes, pen.account.messages()[id as usize].content.len());
    for piece in thinking.pieces.iter().filter(|p| p.published) {
        if recovered {
            pen.recovered_in(&piece.place, "thinking", piece.text.len(), id);
        } else {
            pen.kept(&piece.place, "thinking", piece.text.len(), id);
        }
    }
}

/// One piece of thinking and whether the published rules read it.
struct Piece {
    place: String,
    text: String,
    published: bool,
}

/// The thinking of a bubble, from both of its homes.
struct Thinking {
    pieces: Vec<Piece>,
}

impl Thinking {
    /// `allThinkingBlocks` counts when it has any, else `thinking` (a string, or an object with `text`).
    fn read(bubble: Value<'_>) -> Self {
        let mut pieces = Vec::new();
        let mut push = |place: String, text: Option<std::borrow::Cow<'_, str>>, published: bool| {
            if let Some(text) = text.filter(|t| !t.is_empty()) {
                pieces.push(Piece { place, text: text.into_owned(), published });
            }
        };
        let blocks = bubble.get("allThinkingBlocks").into_iter().flat_map(Value::items);
        let mut any = false;
        for (i, block) in blocks.enumerate() {
            any = true;
            let first = block.get_str("thinking").filter(|t| !t.is_empty());
            let both = first.is_some();
            push(format!("/allThinkingBlocks/{i}/thinking"), first, true);
            push(format!("/allThinkingBlocks/{i}/text"), block.get_str("text"), !both);
            // A bare string is not what the published rules expect there.
            push(format!("/allThinkingBlocks/{i}"), block.str(), false);
        }
        if let Some(thinking) = bubble.get("thinking") {
            push("/thinking".to_owned(), thinking.str(), !any);
            push("/thinking/text".to_owned(), thinking.get_str("text"), !any);
        }
        Self { pieces }
    }

    /// What the published rules make of it; nothing if all of it is empty.
    fn published(&self) -> Option<String> {
        let texts: Vec<&str> = self.pieces.iter().filter(|p| p.published).map(|p| p.text.as_str()).collect();
        (!texts.is_empty()).then(|| texts.join("\n"))
    }
}

/// What stands beside the text of thinking: signatures, redacted bodies, other types.
fn thinking_rest(pen: &mut Writer<'_>, bubble: Value<'_>) {
    if let Some(thinking) = bubble.get("thinking").filter(|v| !v.is_default() && v.str().is_none()) {
        match thinking.kind() {
            JsonType::Object => pen.rest("/thinking", "thinking", thinking, string_fields(thinking, &["text"])),
            _ => pen.unknown("/thinking", "bubble/thinking".to_owned(), thinking),
        }
    }
    let Some(blocks) = bubble.get("allThinkingBlocks").filter(|v| !v.is_default()) else { return };
    if blocks.kind() != JsonType::Array {
        pen.unknown("/allThinkingBlocks", "bubble/allThinkingBlocks".to_owned(), blocks);
    }
    for (i, block) in blocks.items().enumerate().filter(|(_, b)| b.str().is_none()) {
        let place = format!("/allThinkingBlocks/{i}");
        match block.kind() {
            JsonType::Object => pen.rest(&place, "thinking", block, string_fields(block, &["thinking", "text"])),
            _ => pen.unknown(&place, "bubble/allThinkingBlocks".to_owned(), block),
        }
    }
}

/// `names`, unless one of them is not a string: then none of them was read.
fn string_fields<'n>(object: Value<'_>, names: &'n [&'n str]) -> &'n [&'n str] {
    let read = names.iter().all(|n| object.get(n).is_none_or(|v| v.str().is_some()));
    if read { names } else { &[] }
}

/// `rawText` and `richText` are copies of the text, unless the text is empty or leaves something out.
fn words(pen: &mut Writer<'_>, bubble: Value<'_>, said: &str) {
    let mut known = render::squash(said);
    for (field, place) in [("rawText", "/rawText"), ("richText", "/richText")] {
        let Some(value) = bubble.get(field).filter(|v| !v.is_default()) else { continue };
        let Some(source) = value.str() else {
            if !render::is_hollow(value) {
                let words = render::rich_text(&value.raw_text());
                pen.recover(place, format!("bubble/{field}"), Kind::Text, words, Reason::NonTextBlock);
            }
            continue;
        };
        let words = if field == "richText" { render::rich_text(&source) } else { source.into_owned() };
        let squashed = render::squash(&words);
        if known.contains(&squashed) {
            pen.drop(place, format!("bubble/{field}"), &words, Reason::Duplicate);
        } else {
            pen.recover(place, format!("bubble/{field}"), Kind::Text, text::trim(&words), Reason::NonTextBlock);
            known.push_str(&squashed);
        }
    }
}

/// Code beside the text: a copy where the text has the same lines, else code that only stands here.
fn code_blocks(pen: &mut Writer<'_>, bubble: Value<'_>, said: &str) {
    for field in ["codeBlocks", "suggestedCodeBlocks"] {
        let Some(list) = bubble.get(field).filter(|v| !render::is_hollow(*v)) else { continue };
        let (place, name) = (format!("/{field}"), format!("bubble/{field}"));
        if list.kind() != JsonType::Array {
            pen.unknown(&place, name, list);
            continue;
        }
        for (i, block) in list.items().enumerate().filter(|(_, b)| !render::is_hollow(*b)) {
            let place = format!("{place}/{i}");
            let code = block.get_any(&["content", "code"]).and_then(Value::str);
            let copy = code.as_deref().is_some_and(|c| said.contains(text::trim(c)));
            if copy {
                pen.drop(&place, name.clone(), &block.raw_text(), Reason::Duplicate);
            } else {
                pen.recover(&place, name.clone(), Kind::Attachment, render::text(block), Reason::NonTextBlock);
            }
        }
    }
}

/// Remarks a version that is newer than this parser; it is read all the same.
pub(super) fn version(pen: &mut Writer<'_>, value: Value<'_>, object: &str, known: f64) {
    if let Some(version) = value.get("_v").filter(|v| v.f64().is_some_and(|n| n > known)) {
        let place: Locator = pen.account.locator(pen.record).clone();
        let detail = format!("{object} _v {}", version.raw_text());
        pen.account.notice(assay_model::NoticeCode::UnknownVersion, detail, Some(place));
    }
}
