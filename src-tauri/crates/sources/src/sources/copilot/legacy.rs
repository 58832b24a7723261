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
                let pointer = format!("{pointer}/{i}");
                match is_object(item) {
                    true => message(account, entry, &pointer, item),
                    false => rest(account, entry, pointer, "message", item),
                }
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
    let calls = item.get("tool_calls").map(Node::items).unwrap_or_default();
    for (i, call) in calls.iter().enumerate().filter(|(_, call)| is_object(call)) {
        let function = call.get("function").filter(|f| is_object(f)).unwrap_or(call);
        let arguments = function.get("arguments").map(words::plain).unwrap_or_default();
        let (id, name) = (call.get_str("id"), function.get_str("name"));
        let bytes = arguments.len();
        say(&format!("/tool_calls/{i}"), MessageType::Assistant, Kind::ToolCall, arguments, bytes, id, name);
    }
    // Whatever was not said above is told by its name.
    for (i, piece) in item.get("content").map(Node::items).unwrap_or_default().iter().enumerate() {
        if piece.get("text").is_some() {
            untold(account, entry, &format!("{pointer}/content/{i}"), piece, &["text", "type"]);
        }
    }
    for (i, call) in calls.iter().enumerate() {
        let pointer = format!("{pointer}/tool_calls/{i}");
        let own = words::texts(call, &["id", "type"]);
        match call.get("function").filter(|f| is_object(f)) {
            Some(function) => {
                untold(account, entry, &pointer, call, &[own, vec!["function"]].concat());
                let said = [words::texts(function, &["name"]), vec!["arguments"]].concat();
                untold(account, entry, &format!("{pointer}/function"), function, &said);
            }
            None if is_object(call) => {
                let said = [own, words::texts(call, &["name"]), vec!["arguments"]].concat();
                untold(account, entry, &pointer, call, &said);
            }
            None => rest(account, entry, pointer, "tool_calls", call),
        }
    }
    let said = [words::texts(item, &["role", "tool_call_id", "name"]), vec!["content"]].concat();
    let calls = if calls.is_empty() { Vec::new() } else { vec!["tool_calls"] };
    untold(account, entry, pointer, item, &[said, calls].concat());
}

fn is_object(node: &Node) -> bool {
    matches!(node.data, Data::Map(_))
}

/// The members of an object that no message says.
fn untold(account: &mut Account, entry: EntryId, pointer: &str, of: &Node, said: &[&str]) {
    for (key, member) in of.members().iter().filter(|(key, _)| !said.contains(&&**key)) {
        rest(account, entry, format!("{pointer}/{key}"), key, member);
    }
}

/// A member that is no message.
fn rest(account: &mut Account, entry: EntryId, pointer: String, key: &str, member: &Node) {
    let bytes = words::text_len(member);
    if member.is_default() || bytes == 0 {
        return;
    }
    if KNOWN.contains(&key) && member.items().is_empty() && member.members().is_empty() {
        let block = account.block(entry, pointer, format!("history/{key}"), bytes, Fate::Folded(Reason::Metadata, None));
        account.excerpt(block, &words::plain(member));
    } else {
        let block = account.block(entry, pointer, "field", bytes, Fate::Pending);
        account.unknown(block, format!("history/{key}"), &words::json(member));
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::hint::Shape;
    use super::super::tests::parsed;

    #[test]
    fn no_text_of_a_message_or_a_call_is_lost() {
        let file = r#"{"sessionId":"s","chatMessages":[
            {"role":"user","content":[{"type":"text","text":"t01","cache":"t02"},{"type":"image","url":"t03"}]},
            "t04",
            {"role":"assistant","content":"t05","name":["t06"],"tool_calls":[
                {"id":"call_1","type":"function","note":"t07","function":{"name":"run","arguments":"t08","hint":"t09"}},
                {"id":{"odd":"t10"},"function":{"name":7.5,"arguments":{"path":"t11"}},"name":"t12"},
                {"id":"call_3","name":"edit","arguments":"t13","more":"t14"},
                {"id":"call_4","function":"t15"},
                "t16"]},
            {"role":"assistant","tool_calls":{"odd":"t17"}},
            {"role":"tool","tool_call_id":"call_1","name":"run","content":"t18"}]}"#;
        let (conversation, ledger) = parsed(Shape::Legacy, file.as_bytes());
        assert_eq!(ledger.unaccounted_bytes(), 0);
        let told: String = conversation.messages.iter().map(|m| format!("{}\n", m.content)).collect();
        let lost: Vec<String> = (1..=18).map(|n| format!("t{n:02}")).filter(|token| !told.contains(token)).collect();
        assert!(lost.is_empty(), "{lost:?}\n{told}");
        let twice: Vec<String> = (1..=18).map(|n| format!("t{n:02}")).filter(|token| told.matches(token).count() > 1).collect();
        assert!(twice.is_empty(), "{twice:?}\n{told}");
    }
}
