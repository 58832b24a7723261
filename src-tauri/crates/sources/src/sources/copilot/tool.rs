//! A tool call in a response: what was asked, what was decided, what was answered. The pieces stand in three
//! places and are joined by the id of the call.
//!
//! Deliberately absent: calls that no response part names (`metadata.rs`).

use super::metadata::{Facts, result_text};
use super::node::{Data, Node};
use super::reference::Turn;
use super::state::At;
use super::teller::{Say, Teller};
use super::words;
use assay_model::{Kind, MessageType, Reason};

const TOOL_HANDLED: &[&str] = &[
    "kind",
    "toolCallId",
    "toolId",
    "toolName",
    "invocationMessage",
    "originMessage",
    "pastTenseMessage",
    "toolSpecificData",
    "resultDetails",
    "resultError",
    "isComplete",
];

const TOOL_FOLDED: &[&str] = &[
    "isConfirmed",
    "presentation",
    "source",
    "generatedTitle",
    "subAgentInvocationId",
    "isAttachedToThinking",
    "fromSubAgent",
    "icon",
    "toolReferenceName",
];

/// Fields of a tool's own data that are what it answered; all others are what it was asked.
const ANSWERS: &[&str] = &["terminalCommandOutput", "terminalCommandState", "output", "result"];

impl<'s> Teller<'_, 's> {
    pub fn tool_part(&mut self, at: &At<'s>, turn: Turn, facts: &mut Facts<'s>, alone: bool) {
        let natural = if turn.assistant.is_some() { Reason::ToolInput } else { Reason::ToolOnlyResponse };
        if at.node.get_str("kind") == Some("prepareToolInvocation") {
            let reason = self.reason(&at.place, natural);
            let tool = at.node.get_str("toolName");
            if alone {
                let text = words::fields(at.node, &["toolName"], &["kind"]);
                let say = Say::of(Kind::ToolCall, MessageType::Assistant, text, reason).tool(tool, None);
                self.say(at, "response/prepareToolInvocation", say);
            } else {
                self.fold(at, "response/prepareToolInvocation", reason, turn.assistant);
                self.rest(at, "response/prepareToolInvocation", &["kind", "toolName"], &[], None);
            }
            return;
        }
        self.tool(at, natural, facts);
    }

    /// A call, what it was asked and what it answered.
    fn tool(&mut self, at: &At<'s>, natural: Reason, facts: &mut Facts<'s>) {
        let node = at.node;
        let call = node.get_str("toolCallId").map(words::call_id);
        let recorded = call.and_then(|id| facts.take_call(id));
        let name = node
            .get_str("toolId")
            .or(node.get_str("toolName"))
            .or(recorded.as_ref().and_then(|c| c.node.get_str("name")));
        let own = at.get("toolSpecificData");
        let details = at.get("resultDetails");

        let mut lines: Vec<String> = Vec::new();
        let mut line = |text: String| {
            if !text.is_empty() && !lines.contains(&text) {
                lines.push(text);
            }
        };
        for key in ["invocationMessage", "originMessage", "pastTenseMessage"] {
            line(node.get(key).map(words::plain).unwrap_or_default());
        }
        let arguments = recorded.as_ref().and_then(|c| c.get("arguments"));
        line(arguments.as_ref().map(|a| words::plain(a.node)).unwrap_or_default());
        if let Some(own) = &own {
            let mut without = vec!["kind"];
            without.extend(ANSWERS);
            line(match own.node.members().is_empty() {
                true => words::plain(own.node),
                false => words::fields(own.node, &["rawInput", "input", "prompt", "command"], &without),
            });
            if let Some(child) = own.node.get("chatResource").map(words::plain).filter(|c| !c.is_empty()) {
                self.link(child, call);
            }
        }
        line(details.as_ref().and_then(|d| d.node.get("input")).map(words::plain).unwrap_or_default());
        line(decision(node.get("isConfirmed")).to_owned());
        if node.get("isComplete").is_some_and(|n| n.data == Data::Bool(false)) {
            line("interrupted".to_owned());
        }
        let reason = self.reason(&at.place, natural);
        let say = Say::of(Kind::ToolCall, MessageType::Assistant, lines.join("\n"), reason).tool(name, call);
        let id = self.say(at, "response/toolInvocationSerialized", say);
        if let Some(arguments) = arguments.filter(|a| !a.node.is_default()) {
            self.also(&arguments, "metadata/toolCall", id);
        }
        if let Some(recorded) = &recorded {
            let own_name = recorded.node.get_str("name").filter(|own| Some(*own) == name).map(|_| "name");
            let said = words::texts(recorded.node, &["id", "type"]).into_iter().chain(own_name).chain(["arguments"]);
            self.rest(recorded, "metadata/toolCall", &said.collect::<Vec<_>>(), &["name"], id);
        }
        self.rest(at, "response/tool", TOOL_HANDLED, TOOL_FOLDED, id);
        self.answer(at, name, call, own, details, facts);
    }

    /// What a call answered, wherever that stands: once.
    fn answer(
        &mut self,
        at: &At<'s>,
        name: Option<&'s str>,
        call: Option<&'s str>,
        own: Option<At<'s>>,
        details: Option<At<'s>>,
        facts: &mut Facts<'s>,
    ) {
        let mut sources: Vec<(At<'s>, &'static str, String)> = Vec::new();
        if let Some(result) = call.and_then(|id| facts.take_result(id)) {
            let text = result_text(result.node);
            sources.push((result, "metadata/toolCallResult", text));
        }
        for key in ANSWERS {
            if let Some(answer) = own.as_ref().and_then(|own| own.get(key)) {
                let text = match *key {
                    "terminalCommandOutput" => words::fields(answer.node, &["text"], &[]),
                    "terminalCommandState" => words::fields(answer.node, &[], &["timestamp", "duration"]),
                    _ => words::plain(answer.node),
                };
                let text = if answer.node.members().is_empty() { words::plain(answer.node) } else { text };
                sources.push((answer, "response/toolSpecificData", text));
            }
        }
        if let Some(details) = details {
            let text = match &details.node.data {
                Data::Map(_) => words::fields(details.node, &["output"], &["input"]),
                _ => words::plain(details.node),
            };
            sources.push((details, "response/resultDetails", text));
        }
        if let Some(error) = at.get("resultError") {
            let text = words::plain(error.node);
            sources.push((error, "response/resultError", text));
        }
        sources.retain(|(_, _, text)| !text.is_empty());
        let mut text = String::new();
        for (_, _, piece) in &sources {
            if !text.contains(piece.as_str()) {
                if !text.is_empty() {
                    text.push('\n');
                }
                text.push_str(piece);
            }
        }
        let Some(((first, block, _), more)) = sources.split_first() else { return };
        let reason = self.reason(&first.place, Reason::ToolResult);
        let say = Say::of(Kind::ToolResult, MessageType::System, text, reason).tool(name, call);
        let id = self.say(first, *block, say);
        for (source, block, _) in more {
            self.also(source, *block, id);
        }
    }
}

/// What the person decided about a call, where that is worth a word.
fn decision(confirmed: Option<&Node>) -> &'static str {
    let Some(confirmed) = confirmed else { return "" };
    match (&confirmed.data, confirmed.get("type").and_then(Node::f64)) {
        (Data::Bool(false), _) | (_, Some(0.0)) => "denied",
        (_, Some(5.0)) => "skipped",
        _ => "",
    }
}
