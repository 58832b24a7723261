//! The published rules: what the reference system makes of a session's first snapshot.
//!
//! Deliberately absent: everything those rules lose (`session.rs`, `response.rs`).

use super::node::Node;
use super::state::{At, State};
use crate::{Account, EntryId};
use assay_model::{Locator, Message, MessageType, NoticeCode, Timestamp, When, text};
use std::collections::HashMap;

/// The messages of one request.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Turn {
    /// The prompt.
    pub user: Option<u32>,
    /// The answer.
    pub assistant: Option<u32>,
    /// How many parts of the answer its text was made of.
    pub texts: usize,
}

/// What a response part is to the published rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part<'a> {
    /// Text, never empty.
    Text(&'a str),
    /// Thinking, never empty.
    Thinking(&'a str),
    /// Sets the flag.
    Tool,
    /// Nothing to them.
    Unmapped,
}

/// Sorts a response part as the published rules do.
pub(super) fn part(node: &Node) -> Part<'_> {
    let value = node.get_str("value");
    match (node.get("kind").and_then(Node::str), value) {
        (Some("thinking"), Some(value)) => Part::Thinking(value),
        (Some("text") | None, Some(value)) => Part::Text(value),
        (Some("toolInvocationSerialized" | "prepareToolInvocation"), _) => Part::Tool,
        (Some(_) | None, _) => Part::Unmapped,
    }
}

/// A request's own time.
pub(super) fn time(account: &mut Account, record: EntryId, request: &At<'_>) -> When {
    let Some(at) = request.get("timestamp") else { return When::MISSING };
    let place = account.locator(record).at(at.place.pointer.as_str());
    match at.node.f64().and_then(Timestamp::from_number) {
        Some((time, false)) => {
            if !time.is_sane() {
                account.notice(NoticeCode::InsaneTimestamp, super::words::json(at.node), Some(place));
            }
            When::Recorded(time)
        }
        Some((time, true)) => {
            account.notice(NoticeCode::InsaneTimestamp, super::words::json(at.node), Some(place));
            When::Derived { at: time, rule: "seconds-as-milliseconds" }
        }
        None => {
            account.notice(NoticeCode::InsaneTimestamp, super::words::json(at.node), Some(place));
            When::MISSING
        }
    }
}

/// The time of what answers a request.
pub(super) fn answer_time(request: When) -> When {
    match request.at() {
        Some(at) => When::Derived { at: at.plus_millis(1), rule: "request-time-plus-1ms" },
        None => When::MISSING,
    }
}

/// Makes the messages of the published rules from the snapshot in `record`.
pub(super) fn turns(account: &mut Account, state: &State, record: EntryId) -> Vec<Turn> {
    let root = At { state, node: &state.root, place: state.root_place() };
    let Some(requests) = root.get("requests") else { return Vec::new() };
    let mut ids = Ids::default();
    requests.items().enumerate().map(|(index, request)| turn(account, record, index, &request, &mut ids)).collect()
}

/// The ids in use, with the requests that have them.
type Ids<'s> = HashMap<String, At<'s>>;

/// The id of the request `index`, which has one that another has: told apart by its place, which stays what it is
/// when the session grows.
pub(super) fn apart(id: &str, index: usize) -> String {
    format!("{id}~{index}")
}

/// The id of a request that no other has, nor an answer.
fn distinct<'s>(account: &mut Account, ids: &mut Ids<'s>, index: usize, request: &At<'s>, place: &Locator) -> String {
    let id = request.node.get_str("requestId").unwrap_or(&request.place.pointer);
    let mut own = id.to_owned();
    let of_answer = |own: &str| format!("resp-{own}");
    if let Some(first) = ids.get(id) {
        let same = prompt(first) == prompt(request) && answer(first) == answer(request);
        own = apart(id, index);
        let detail = format!("requestId {own} {} {id}", if same { "=" } else { "differs from" });
        account.notice(NoticeCode::DuplicateOf, detail, Some(place.at(request.place.pointer.as_str())));
    }
    while ids.contains_key(&own) || ids.contains_key(&of_answer(&own)) {
        own.push('+');
    }
    ids.insert(of_answer(&own), request.clone());
    ids.insert(own.clone(), request.clone());
    own
}

/// What a prompt says, if it says anything.
pub(super) fn prompt<'s>(request: &At<'s>) -> Option<&'s str> {
    let text = request.node.get("message")?.get("text")?.str()?;
    Some(text::trim(text)).filter(|t| !t.is_empty())
}

/// What a response says.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Answer {
    /// The text, trimmed.
    pub content: String,
    /// The thinking, as it stands.
    pub thinking: Option<String>,
    /// How many parts the text was made of.
    pub texts: usize,
    tools: bool,
    code: bool,
}

/// What a response says, if it says or thinks anything.
pub(super) fn answer(request: &At<'_>) -> Option<Answer> {
    let (mut texts, mut thinking, mut tools, mut code) = (Vec::new(), Vec::new(), false, false);
    for item in request.node.get("response")?.items() {
        match part(item) {
            Part::Text(value) => {
                code |= text::has_fence(value);
                texts.push(value);
            }
            Part::Thinking(value) => thinking.push(value),
            Part::Tool => tools = true,
            Part::Unmapped => {}
        }
    }
    let content = texts.join("\n");
    let content = text::trim(&content);
    if content.is_empty() && thinking.is_empty() {
        return None;
    }
    let thinking = (!thinking.is_empty()).then(|| thinking.join("\n"));
    Some(Answer { content: content.to_owned(), thinking, texts: texts.len(), tools, code })
}

fn turn<'s>(account: &mut Account, record: EntryId, index: usize, request: &At<'s>, ids: &mut Ids<'s>) -> Turn {
    let mut turn = Turn::default();
    let when = time(account, record, request);
    let place = account.locator(record).clone();
    let id = distinct(account, ids, index, request, &place);
    if let Some(text) = prompt(request) {
        let id = if request.node.get_str("requestId").is_some() { id.clone() } else { format!("user-{id}") };
        let pointer = format!("{}/message/text", request.place.pointer);
        let mut message = Message::new(id, MessageType::User, text, place.at(pointer));
        message.has_code = text::has_fence(text);
        message.when = when;
        turn.user = Some(account.push(message));
    }
    if let Some(answer) = answer(request) {
        let pointer = format!("{}/response", request.place.pointer);
        let mut message = Message::new(format!("resp-{id}"), MessageType::Assistant, answer.content, place.at(pointer));
        message.thinking = answer.thinking;
        message.has_tool_use = answer.tools;
        message.has_code = answer.code;
        message.when = answer_time(when);
        turn.texts = answer.texts;
        turn.assistant = Some(account.push(message));
    }
    turn
}
