//! `history-session-state`: sessions of the command line tool before 0.0.342, one JSON object each. Nobody has
//! published its shape, so it is read by what it looks like: a list of objects with a role is a list of messages
//! as the model's interface has them. Whatever else says something is kept as it is, by name.
//!
//! Deliberately absent: later sessions (`events.rs`), which the tool makes of these when they are resumed.

use super::beside;
use super::node::{Data, Node};
use super::words;
use crate::readers::json::{JsonType, Tape};
use crate::{Account, EntryId, EvidenceFile, Fate};
use assay_model::{Kind, Message, MessageType, NoticeCode, Reason, Timestamp, When, text};

/// Members that are known about the session or a message rather than part of what was said.
const KNOWN: &[&str] = &["sessionId", "id", "startTime", "createdAt", "timestamp", "version", "cwd", "model", "title"];

/// Tells a session.
pub(super) fn tell(account: &mut Account, file: &EvidenceFile) {
    let kind = "history-session-state";
    let Some((bytes, entry)) = beside::whole(account, file, kind, Fate::Pending) else { return };
    let mut tape = Tape::new();
    let value = tape.read_whole(&bytes).ok().filter(|value| value.kind() == JsonType::Object);
    let node = value.map(Node::of);
    let lists = node.as_ref().map(|node| node.members().iter().filter(|(_, list)| is_conversation(list)).count());
    let (Some(value), Some(node), Some(1..)) = (value, node, lists) else {
        account.unknown(entry, kind, &String::from_utf8_lossy(&bytes));
        return;
    };
    let place = account.locator(entry).clone();
    account.repaired(&place, value.repairs());
    account.notice(NoticeCode::Inferred, "shape of a file that nobody has published", Some(place));
    account.refate(entry, Fate::Folded(Reason::Metadata, None));
    account.cwd = node.get_str("cwd").map(str::to_owned);
    account.slug = node.get_str("title").map(str::to_owned);
    account.created_at = ["startTime", "createdAt"].iter().find_map(|key| time(node.get(key)?).at());
    for (key, member) in node.members() {
        let pointer = format!("/{key}");
        if is_conversation(member) {
            for (i, item) in member.items().iter().enumerate() {
                message(account, entry, &format!("{pointer}/{i}"), item);
            }
        } else {
            rest(account, entry, pointer, key, member);
        }
    }
}

/// Whether a list is one of messages: objects, and the first of them has a role.
fn is_conversation(list: &Node) -> bool {
    list.items().first().is_some_and(|item| item.get_str("role").is_some())
}

fn time(node: &Node) -> When {
    let at = match &node.data {
        Data::Text(text) => Timestamp::parse(text),
        _ => node.f64().and_then(Timestamp::from_number).map(|(at, _)| at),
    };
    at.filter(|at| at.is_sane()).map_or(When::MISSING, When::Recorded)
}

fn message(account: &mut Account, entry: EntryId, pointer: &str, item: &Node) {
    let role = item.get_str("role").unwrap_or_default();
    let (from, kind) = match role {
        "user" => (MessageType::User, Kind::Text),
        "assistant" => (MessageType::Assistant, Kind::Text),
        "tool" => (MessageType::System, Kind::ToolResult),
        _ => (MessageType::System, Kind::Event),
    };
    let when = item.get("timestamp").map_or(When::MISSING, time);
    let mut say = |part: &str, from: MessageType, kind: Kind, content: String, bytes: usize, call: Option<&str>, tool: Option<&str>| {
        let place = format!("{pointer}{part}");
        let name = format!("history/{}", if part.is_empty() { role } else { part.split('/').nth(1).unwrap_or(role) });
        if text::is_blank(&content) && kind != Kind::ToolCall {
            if bytes > 0 {
                account.block(entry, place, name, bytes, Fate::Dropped(Reason::EmptyMessage));
            }
            return;
        }
        let locator = account.locator(entry).at(place.as_str());
        let mut message = Message::recovered(place.clone(), from, kind, content, Reason::ExtendedCoverage, locator);
        message.role = role.to_owned();
        message.when = when;
        message.has_code = kind == Kind::Text && text::has_fence(&message.content);
        message.has_tool_use = kind == Kind::ToolCall;
        message.tool_call_id = call.map(str::to_owned);
        message.tool_name = tool.map(str::to_owned);
        let id = account.push(message);
        account.block(entry, place, name, bytes, Fate::Recovered(id));
    };
    if let Some(content) = item.get("content") {
        let said = match content.items() {
            [] => words::plain(content),
            pieces => pieces.iter().map(|p| p.get("text").map_or_else(|| words::plain(p), words::plain)).collect::<Vec<_>>().join("\n"),
        };
        let (call, tool) = (item.get_str("tool_call_id"), item.get_str("name"));
        say("/content", from, kind, said, words::text_len(content), call, tool);
    }
    for (i, call) in item.get("tool_calls").map(Node::items).unwrap_or_default().iter().enumerate() {
        let function = call.get("function").unwrap_or(call);
        let arguments = function.get("arguments").map(words::plain).unwrap_or_default();
        let (id, name) = (call.get_str("id"), function.get_str("name"));
        let bytes = words::text_len(call);
        say(&format!("/tool_calls/{i}"), MessageType::Assistant, Kind::ToolCall, arguments, bytes, id, name);
    }
    for (key, member) in item.members() {
        if !["role", "content", "tool_calls", "tool_call_id", "name"].contains(&&**key) {
            rest(account, entry, format!("{pointer}/{key}"), key, member);
        }
    }
}

/// A member that is no message.
fn rest(account: &mut Account, entry: EntryId, pointer: String, key: &str, member: &Node) {
    let bytes = words::text_len(member);
    if member.is_default() || bytes == 0 {
        return;
    }
    if KNOWN.contains(&key) {
        let block = account.block(entry, pointer, format!("history/{key}"), bytes, Fate::Folded(Reason::Metadata, None));
        account.excerpt(block, &words::plain(member));
    } else {
        let block = account.block(entry, pointer, "field", bytes, Fate::Pending);
        account.unknown(block, format!("history/{key}"), &words::json(member));
    }
}
