//! The content of an agent's message: a string, or blocks as its stores and its transcripts spell them. The
//! published rules read neither store, so every block is a recovered message. Deliberately absent: order.

use super::render;
use super::writer::Writer;
use crate::readers::json::{JsonType, Value};
use assay_model::{Kind, MessageType, Reason, text};

/// What Cursor writes in place of text that it does not let out.
const REDACTED: &str = "[REDACTED]";

/// The tag around what a person typed.
const QUERY: (&str, &str) = ("<user_query>", "</user_query>");

/// What a block is, by the names it goes by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Block {
    Text,
    Reasoning,
    Redacted,
    Call,
    Result,
    Attachment,
}

const BLOCKS: &[(&str, Block)] = &[
    ("text", Block::Text),
    ("reasoning", Block::Reasoning),
    ("thinking", Block::Reasoning),
    ("redacted-reasoning", Block::Redacted),
    ("redacted_thinking", Block::Redacted),
    ("redacted", Block::Redacted),
    ("tool-call", Block::Call),
    ("tool_call", Block::Call),
    ("tool_use", Block::Call),
    ("tool-result", Block::Result),
    ("tool_result", Block::Result),
    ("command_output", Block::Result),
    ("image", Block::Attachment),
    ("image_url", Block::Attachment),
    ("file", Block::Attachment),
];

/// Who a message is from, by its role.
pub(super) fn from(role: &str) -> MessageType {
    match role {
        "user" | "human" => MessageType::User,
        "assistant" | "ai" | "tool" => MessageType::Assistant,
        _ => MessageType::System,
    }
}

/// Writes a message's content.
pub(super) fn write(pen: &mut Writer<'_>, below: &str, content: Value<'_>) {
    match content.kind() {
        JsonType::String => say(pen, below, &content.str().unwrap_or_default()),
        JsonType::Array => {
            for (i, block) in content.items().enumerate() {
                write_block(pen, &format!("{below}/{i}"), block);
            }
        }
        JsonType::Object => write_block(pen, below, content),
        JsonType::Null => {}
        JsonType::Bool | JsonType::Number => pen.unknown(below, "agent/content".to_owned(), content),
    }
}

fn write_block(pen: &mut Writer<'_>, below: &str, block: Value<'_>) {
    if let Some(text) = block.str() {
        return say(pen, below, &text);
    }
    let name = block.get_str("type").unwrap_or_default();
    let Some((_, kind)) = BLOCKS.iter().find(|(n, _)| *n == name) else {
        return pen.unknown(below, format!("agent/{name}"), block);
    };
    let inner = |keys: &[&'static str]| {
        keys.iter().find_map(|k| Some((*k, block.get(k).filter(|v| !v.is_null())?)))
    };
    let mut read = vec!["type"];
    let first = pen.made.len();
    let mut take = |pen: &mut Writer<'_>, keys: &[&'static str], kind: Kind, reason: Reason| {
        let Some((key, value)) = inner(keys) else { return false };
        read.push(key);
        pen.recover(&format!("{below}/{key}"), format!("agent/{name}"), kind, flat(value), reason);
        true
    };
    match kind {
        Block::Text => match block.get("text").and_then(Value::str) {
            Some(text) => {
                read.push("text");
                say(pen, &format!("{below}/text"), &text);
            }
            None => return pen.unknown(below, "agent/text".to_owned(), block),
        },
        Block::Reasoning => {
            take(pen, &["thinking", "text", "reasoning"], Kind::Reasoning, Reason::Reasoning);
        }
        Block::Redacted => {
            if let Some((key, body)) = inner(&["data", "text"]) {
                read.push(key);
                pen.redacted(&format!("{below}/{key}"), "agent/redacted", body.raw().len());
            } else {
                pen.redacted(below, "agent/redacted", block.raw().len());
                return;
            }
        }
        Block::Call => {
            if !take(pen, &["args", "input", "arguments", "params"], Kind::ToolCall, Reason::ToolInput) {
                pen.recover(below, format!("agent/{name}"), Kind::ToolCall, "", Reason::ToolInput);
            }
        }
        Block::Result => {
            let keys = ["result", "content", "output", "text", "experimental_content"];
            if !take(pen, &keys, Kind::ToolResult, Reason::ToolResult) {
                pen.recover(below, format!("agent/{name}"), Kind::ToolResult, "", Reason::ToolResult);
            }
        }
        Block::Attachment => {
            pen.recover(below, format!("agent/{name}"), Kind::Attachment, render::text(block), Reason::Attachment);
            return;
        }
    }
    let tool = block.get_any(&["toolName", "name"]).and_then(Value::non_empty);
    let call = block.get_any(&["toolCallId", "tool_use_id", "tool_call_id", "id"]).and_then(Value::non_empty);
    if matches!(kind, Block::Call | Block::Result) {
        for id in &pen.made[first..] {
            let message = pen.account.message(*id);
            message.tool_name = tool.as_ref().map(|t| t.to_string());
            message.tool_call_id = call.as_ref().map(|c| c.to_string());
            message.has_tool_use = *kind == Block::Call;
        }
    }
    pen.rest(below, "agent", block, &read);
}

/// A result that is nothing but text blocks, as their text; anything else as it is.
fn flat(value: Value<'_>) -> String {
    let only = |v: Value<'_>| v.get_str("type").as_deref() == Some("text") && v.entries().count() == 2;
    if value.kind() == JsonType::Array && value.items().next().is_some() && value.items().all(only) {
        let texts: Vec<_> = value.items().filter_map(|v| v.get_str("text")).collect();
        return texts.join("\n");
    }
    render::text(value)
}

/// Text of a message. A person's words are taken out of their tag; what stands around the tag was injected.
fn say(pen: &mut Writer<'_>, below: &str, raw: &str) {
    let said = text::trim(raw);
    if said.is_empty() {
        return pen.drop(below, "agent/text", raw, Reason::EmptyMessage);
    }
    if said == REDACTED {
        pen.recover(below, "agent/redacted", Kind::Event, REDACTED, Reason::EncryptedContent);
        return;
    }
    if pen.from == MessageType::System {
        pen.recover(below, "agent/system", Kind::Event, said, Reason::SystemRecord);
        return;
    }
    let tagged = Some(pen.from)
        .filter(|f| *f == MessageType::User)
        .and_then(|_| said.split_once(QUERY.0))
        .and_then(|(before, rest)| rest.rsplit_once(QUERY.1).map(|(query, after)| (before, query, after)));
    let (around, said) = match tagged {
        Some((before, query, after)) => (format!("{before}{after}"), text::trim(query)),
        None => (String::new(), said),
    };
    if !text::is_blank(&around) {
        let mut message =
            pen.message(&format!("{below}/around"), Kind::Attachment, text::trim(&around), Reason::InjectedTag);
        message.message_type = MessageType::System;
        pen.put(below, "agent/injected", message);
    }
    let mut message = pen.message(below, Kind::Text, said, Reason::ExtendedCoverage);
    message.has_code = text::has_fence(said);
    pen.put(below, "agent/text", message);
}
