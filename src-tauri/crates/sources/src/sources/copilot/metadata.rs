//! What the model's side recorded with a request (`result.metadata`): the rounds of tool calls with
//! their arguments, what the tools answered, the full thinking. Joined to the response by the id of a
//! call; what joins nothing is told by itself.
//!
//! Deliberately absent: the response itself (`response.rs`).

use super::reference::Turn;
use super::response::joined;
use super::node::{Data, Node};
use super::state::At;
use super::teller::{Say, Teller};
use super::words;
use crate::readers::json::JsonType;
use assay_model::{Kind, MessageType, Reason};

/// Thinking as the model's side recorded it.
#[derive(Debug)]
pub(super) struct Thought<'s> {
    /// Where it stands.
    pub at: At<'s>,
    /// The text.
    pub text: String,
    id: Option<&'s str>,
}

/// What is recorded about one request and not told yet.
#[derive(Debug, Default)]
pub(super) struct Facts<'s> {
    calls: Vec<(&'s str, At<'s>)>,
    results: Vec<(&'s str, At<'s>)>,
    thoughts: Vec<Thought<'s>>,
    /// What the model said in each round.
    answers: Vec<At<'s>>,
    /// The text of the response.
    pub said: String,
    /// How often the rounds were looked through for the rest of a text.
    searches: usize,
}

/// How often they may be: no response has as many parts that the log may have cut short.
const SEARCHES: usize = 256;


impl<'s> Facts<'s> {
    /// What is recorded about `request`.
    pub fn of(request: &At<'s>) -> Self {
        request.get("result").map(|result| Self::of_result(&result)).unwrap_or_default()
    }

    /// What is recorded in a `result`.
    pub fn of_result(result: &At<'s>) -> Self {
        let mut facts = Self::default();
        let Some(metadata) = result.get("metadata") else { return facts };
        for round in metadata.get("toolCallRounds").iter().flat_map(At::items) {
            for call in round.get("toolCalls").iter().flat_map(At::items) {
                facts.calls.push((words::call_id(call.node.get_str("id").unwrap_or("")), call));
            }
            facts.answers.extend(round.get("response").filter(|r| !r.node.is_default()));
            let thought = round.get("thinking");
            if let Some(at) = thought.as_ref().and_then(|t| t.get("text")).filter(|t| !t.node.is_default()) {
                let id = thought.and_then(|t| t.node.get_str("id"));
                facts.thoughts.push(Thought { text: joined(at.node), at, id });
            }
        }
        for (id, result) in metadata.get("toolCallResults").iter().flat_map(At::members) {
            facts.results.push((words::call_id(id), result));
        }
        facts
    }

    /// The recorded call `id`, once.
    pub fn take_call(&mut self, id: &str) -> Option<At<'s>> {
        let at = self.calls.iter().position(|(known, _)| *known == id)?;
        Some(self.calls.remove(at).1)
    }

    /// The recorded answer to call `id`, once.
    pub fn take_result(&mut self, id: &str) -> Option<At<'s>> {
        let at = self.results.iter().position(|(known, _)| *known == id)?;
        Some(self.results.remove(at).1)
    }

    /// All of a text of which the log may hold only the beginning, where what the model said in a round has it: between
    /// what was said before and the texts that come `after`. The log need not have kept more than `begun` of it.
    pub fn whole_text(&mut self, begun: &str, after: &[(usize, &str)]) -> Option<(At<'s>, String)> {
        self.searches += 1;
        let begun = Some(begun.trim_end()).filter(|begun| !begun.is_empty() && self.searches <= SEARCHES)?;
        self.answers.iter().find_map(|at| {
            let answer = joined(at.node);
            let (before, rest) = answer.split_at(answer.find(begun)?);
            let end = after.iter().find_map(|(_, text)| rest[begun.len()..].find(text.trim())).map_or(rest.len(), |at| begun.len() + at);
            let (whole, behind) = rest.split_at(end);
            // Unless the rest of it is told as well, the answer is better told in one piece.
            let told = self.said.contains(before.trim()) && after.iter().map(|(_, text)| *text).collect::<String>().contains(behind.trim());
            (told && whole.trim_end().len() > begun.len()).then(|| (at.clone(), whole.to_owned()))
        })
    }

    /// The recorded thinking that begins with `text`, once.
    pub fn take_thinking(&mut self, id: Option<&str>, text: &str) -> Option<Thought<'s>> {
        let begins = |t: &Thought<'_>| t.text.starts_with(text);
        let at = self
            .thoughts
            .iter()
            .position(|t| id.is_some() && t.id == id && begins(t))
            .or_else(|| self.thoughts.iter().position(begins))?;
        Some(self.thoughts.remove(at))
    }
}

/// The text of a recorded tool result.
pub(super) fn result_text(node: &Node) -> String {
    let Some(content) = node.get("content") else { return words::plain(node) };
    let piece = |item: &Node| match item.get("value") {
        Some(value) => words::prompt_text(value).unwrap_or_else(|| match &value.data {
            Data::Text(_) if item.get("mimeType").is_none() => words::plain(value),
            _ => words::plain(item),
        }),
        None => words::plain(item),
    };
    let pieces: Vec<String> = content.items().iter().map(piece).filter(|s| !s.is_empty()).collect();
    if content.items().is_empty() { words::plain(content) } else { pieces.join("\n") }
}

const RESULT_HANDLED: &[&str] = &["errorDetails", "metadata"];
const RESULT_FOLDED: &[&str] = &["timings", "details", "usage", "nextQuestion"];

const METADATA_HANDLED: &[&str] = &["toolCallRounds", "toolCallResults", "summary", "summaries"];

/// The expanded prompt, and what is known about the answer.
const METADATA_FOLDED: &[&str] = &[
    "modelMessageId",
    "responseId",
    "sessionId",
    "agentId",
    "renderedUserMessage",
    "renderedGlobalContext",
    "globalContextCacheKey",
    "cacheKey",
    "command",
    "filterCategory",
    "codeBlocks",
    "maxToolCallsExceeded",
    "resolvedModel",
    "promptTokens",
    "outputTokens",
    "toolCallResultsTruncated",
    "vscodeRequestId",
];

const ROUND_HANDLED: &[&str] = &["id", "response", "toolCalls", "thinking", "timestamp", "summary", "compaction"];
const ROUND_FOLDED: &[&str] = &["toolInputRetry", "statefulMarker", "hookContext", "phase", "phaseModelId"];

impl<'s> Teller<'_, 's> {
    /// Tells a `result`: errors, and what is recorded and was not joined to the response.
    pub fn result(&mut self, at: &At<'s>, facts: &mut Facts<'s>, turn: Turn) {
        if !self.is_of(JsonType::Object, at, "request/result") {
            return;
        }
        if let Some(error) = at.get("errorDetails") {
            self.error(&error);
        }
        self.rest(at, "result", RESULT_HANDLED, RESULT_FOLDED, turn.assistant);
        let Some(metadata) = at.get("metadata").filter(|m| self.is_of(JsonType::Object, m, "result/metadata")) else { return };
        for (field, shape) in [("toolCallRounds", JsonType::Array), ("toolCallResults", JsonType::Object)] {
            if let Some(at) = metadata.get(field) {
                self.is_of(shape, &at, &format!("metadata/{field}"));
            }
        }
        for thought in std::mem::take(&mut facts.thoughts) {
            let reason = self.reason(&thought.at.place, Reason::Thinking);
            let say = Say::of(Kind::Reasoning, MessageType::Assistant, thought.text, reason);
            self.say(&thought.at, "metadata/thinking", say);
        }
        for round in metadata.get("toolCallRounds").iter().flat_map(At::items) {
            self.round(&round, &facts.said, turn);
        }
        let calls = std::mem::take(&mut facts.calls);
        let names: Vec<(&str, Option<&str>)> = calls.iter().map(|(id, call)| (*id, call.node.get_str("name"))).collect();
        for (id, call) in calls {
            if !self.is_of(JsonType::Object, &call, "metadata/toolCall") {
                continue;
            }
            let natural = if turn.assistant.is_some() { Reason::ToolInput } else { Reason::ToolOnlyResponse };
            let reason = self.reason(&call.place, natural);
            let text = words::fields(call.node, &["arguments"], &words::texts(call.node, &["id", "name", "type"]));
            let say = Say::of(Kind::ToolCall, MessageType::Assistant, text, reason);
            self.say(&call, "metadata/toolCall", say.tool(call.node.get_str("name"), Some(id)));
        }
        for (id, result) in std::mem::take(&mut facts.results) {
            let reason = self.reason(&result.place, Reason::ToolResult);
            let name = names.iter().find(|(known, _)| *known == id).and_then(|(_, name)| *name);
            let say = Say::of(Kind::ToolResult, MessageType::System, result_text(result.node), reason);
            self.say(&result, "metadata/toolCallResult", say.tool(name, Some(id)));
        }
        for key in ["summary", "summaries"] {
            if let Some(summary) = metadata.get(key) {
                self.summary(&summary);
            }
        }
        self.rest(&metadata, "metadata", METADATA_HANDLED, METADATA_FOLDED, turn.assistant);
    }

    fn round(&mut self, round: &At<'s>, said: &str, turn: Turn) {
        if !self.is_of(JsonType::Object, round, "metadata/round") {
            return;
        }
        if let Some(calls) = round.get("toolCalls") {
            self.is_of(JsonType::Array, &calls, "metadata/toolCalls");
        }
        if let Some(text) = round.get("response").filter(|t| !t.node.is_default()) {
            let response = joined(text.node);
            if said.contains(response.trim()) {
                self.drop(&text, "metadata/response", Reason::Duplicate);
            } else {
                let reason = self.reason(&text.place, Reason::UnmappedResponsePart);
                self.say(&text, "metadata/response", Say::of(Kind::Text, MessageType::Assistant, response, reason));
            }
        }
        if let Some(thinking) = round.get("thinking").filter(|t| self.is_of(JsonType::Object, t, "metadata/thinking")) {
            if let Some(opaque) = thinking.get("encrypted").filter(|e| !e.node.is_default()) {
                self.drop(&opaque, "metadata/thinking/encrypted", Reason::EncryptedContent);
            }
            self.rest(&thinking, "metadata/thinking", &["id", "text", "encrypted"], &["tokens", "metadata"], None);
        }
        for key in ["summary", "compaction"] {
            if let Some(summary) = round.get(key).filter(|s| !s.node.is_default()) {
                self.summary(&summary);
            }
        }
        self.rest(round, "metadata/round", ROUND_HANDLED, ROUND_FOLDED, turn.assistant);
    }

    /// A summary that took the place of earlier turns for the model.
    fn summary(&mut self, at: &At<'s>) {
        let all: Vec<At<'s>> = if at.node.items().is_empty() { vec![at.clone()] } else { at.items().collect() };
        for summary in all {
            let reason = self.reason(&summary.place, Reason::UnmappedResponsePart);
            let text = match summary.node.members().is_empty() {
                true => words::plain(summary.node),
                false => words::fields(summary.node, &["text", "summary"], &["toolCallRoundId"]),
            };
            self.say(&summary, "metadata/summary", Say::event(text, reason));
        }
    }
}
