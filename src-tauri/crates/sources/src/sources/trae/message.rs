//! One message taken apart. What becomes of the parts is the next module's choice.

use super::extras::readable;
use super::store;
use crate::readers::json::{JsonType, Value};
use assay_model::{Kind, MessageType};
use std::borrow::Cow;

/// What a part is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Slot {
    /// `content`.
    Direct,
    /// The first visible text of an agent's turn.
    Proposal,
    /// The reasoning before it.
    ProposalReasoning,
    /// The text over a list of steps.
    GuidelineThought,
    /// The visible text of the step that ends the turn: the answer.
    FinishThought,
    /// The same as the step's parameter; builds write one, the other or both.
    FinishSummary,
    /// The visible text of any other step.
    StepThought,
    /// A step's reasoning.
    StepReasoning,
    /// A step's tool and what it was given.
    Call,
    /// What it answered.
    Result,
    /// Text in a place that only some builds use.
    Other,
    /// A recorded error.
    Error,
}

impl Slot {
    /// What the ledger calls it.
    pub fn name(self) -> &'static str {
        match self {
            Slot::Direct => "content",
            Slot::Proposal => "proposal",
            Slot::ProposalReasoning => "proposal-reasoning",
            Slot::GuidelineThought => "guideline-thought",
            Slot::FinishThought => "finish-thought",
            Slot::FinishSummary => "finish-summary",
            Slot::StepThought => "step-thought",
            Slot::StepReasoning => "step-reasoning",
            Slot::Call => "tool-call",
            Slot::Result => "tool-result",
            Slot::Other => "other-text",
            Slot::Error => "error",
        }
    }

    /// What a message made of it is.
    pub fn kind(self) -> Kind {
        match self {
            Slot::Direct
            | Slot::Proposal
            | Slot::GuidelineThought
            | Slot::FinishThought
            | Slot::FinishSummary
            | Slot::StepThought
            | Slot::Other => Kind::Text,
            Slot::ProposalReasoning | Slot::StepReasoning => Kind::Reasoning,
            Slot::Call => Kind::ToolCall,
            Slot::Result => Kind::ToolResult,
            Slot::Error => Kind::Event,
        }
    }
}

/// A part with content.
#[derive(Debug)]
pub(super) struct Part<'a> {
    /// Its place in the message.
    pub pointer: String,
    /// What it is.
    pub slot: Slot,
    /// Its text.
    pub text: Cow<'a, str>,
    /// The tool's name, of a call or a result.
    pub tool: Option<String>,
    /// The call's id.
    pub call: Option<String>,
    /// Whether the published rules keep it.
    pub kept: bool,
    /// Whether it stands where they look at all.
    pub(super) published: bool,
}

/// A field that is no content by itself.
#[derive(Debug)]
pub(super) struct Field<'a> {
    /// Its place.
    pub pointer: String,
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: Value<'a>,
    /// Whether this parser knows it.
    pub known: bool,
}

/// Ids, order and times of a session; its messages are records of their own.
pub(super) const SESSION_IDS: &[&str] = &["sessionId", "id", "key", "createdAt", "updatedAt", "isCurrent", "turnIndex"];
/// What is known about a session.
pub(super) const SESSION_FACTS: &[&str] =
    &["title", "name", "type", "model", "agentType", "agentName", "status", "mode", "version", "schemaVersion"];

/// Ids, order and times of a message.
pub(super) const MESSAGE_IDS: &[&str] = &[
    "role", "sessionId", "turnId", "turnIndex", "timestamp", "agentMessageId", "id", "messageId", "parentId",
    "createdAt", "updatedAt",
];
const MESSAGE_FACTS: &[&str] = &["status", "agentType", "agentName", "agentMessageType", "modelInfo", "type"];
/// What is known about the model that answered.
const MODEL_FACTS: &[&str] = &["config_name", "display_model_name"];
const STEP_IDS: &[&str] = &["id", "toolCallId", "stepId", "index", "timestamp", "createdAt", "updatedAt"];
const STEP_FACTS: &[&str] = &["status", "type", "timing", "title"];

/// Fields of attachments.
pub(super) const EXTRAS: &[&str] = &["parsedQuery", "multiMedia", "files", "images", "attachments"];
const ERRORS: &[&str] = &["error", "errorMessage", "errorInfo"];
const PARAMS: &[&str] = &["params", "arguments", "input"];
const RESULTS: &[&str] = &["result", "output"];
const CALLS: &[&str] = &["toolCall", "tool_call_info", "toolCallInfo"];

/// The fields of an object that carry something: known facts, and whatever is not known. Of a field that
/// stands twice only the last one is known.
pub(super) fn fields<'a>(object: Value<'a>, read: &[&str], facts: &[&str]) -> Vec<Field<'a>> {
    let mut fields = Vec::new();
    for (name, value) in object.entries() {
        let replaced = object.get(&name).is_some_and(|last| last.span() != value.span());
        let is_read = read.contains(&&*name) && !replaced;
        let known = facts.contains(&&*name) && !replaced;
        if !is_read && !value.is_default() && (known || store::has_text(value)) {
            fields.push(Field { pointer: store::step(&name), name: name.into_owned(), value, known });
        }
    }
    fields
}

/// A message taken apart.
#[derive(Debug)]
pub(super) struct Parts<'a> {
    /// Who it is from.
    pub from: MessageType,
    /// As the record states it.
    pub role: String,
    /// The parts, in the order they happened.
    pub list: Vec<Part<'a>>,
    /// What is no content, by what it was found in.
    pub fields: Vec<(&'static str, Field<'a>)>,
    /// The published rules' text.
    pub text: String,
    /// The published rules' thinking.
    pub thinking: Option<String>,
    /// Whether a step used a tool other than `finish`.
    pub has_tool_use: bool,
    /// Whether this is a copy whose original differs.
    pub copy: bool,
    /// Whether the published rules know the role.
    pub(super) mapped: bool,
    /// Whether direct content hides what is nested.
    pub(super) shadowed: bool,
}

impl<'a> Parts<'a> {
    /// Takes `message` apart.
    pub fn of(message: Value<'a>, role: &str, copy: bool) -> Self {
        let (from, mapped) = match role {
            "user" => (MessageType::User, true),
            "assistant" => (MessageType::Assistant, true),
            "ai" | "model" | "agent" | "bot" => (MessageType::Assistant, false),
            "human" => (MessageType::User, false),
            _ => (MessageType::System, false),
        };
        let mut parts = Parts {
            from,
            role: role.to_owned(),
            list: Vec::new(),
            fields: Vec::new(),
            text: String::new(),
            thinking: None,
            has_tool_use: false,
            copy,
            mapped: mapped && !copy,
            shadowed: false,
        };
        parts.message(message);
        parts.choose();
        parts
    }

    fn message(&mut self, message: Value<'a>) {
        let direct = message.get("content");
        let of_user = self.from == MessageType::User;
        let mut read: Vec<&str> = [MESSAGE_IDS, EXTRAS].concat();
        if of_user && self.add_text(direct, "/content", Slot::Direct) {
            read.push("content");
        }
        if let Some(task) = message.get("agentTaskContent").filter(|task| task.kind() == JsonType::Object) {
            self.task(task, "/agentTaskContent", true);
            read.push("agentTaskContent");
        }
        if let Some(object) = direct.filter(|content| content.kind() == JsonType::Object) {
            self.task(object, "/content", false);
            read.push("content");
        }
        // An answer's own text is its last word; the steps led to it.
        if !of_user && self.add_text(direct, "/content", Slot::Direct) {
            read.push("content");
        }
        for name in ERRORS {
            if let Some(error) = message.get(name).filter(|error| store::has_text(*error)) {
                self.add(error, format!("/{name}"), Slot::Error);
                read.push(name);
            }
        }
        self.rest(message, "message", "", &read, MESSAGE_FACTS);
    }

    /// An agent's turn. It may stand in a place that the published rules do not look at.
    fn task(&mut self, task: Value<'a>, at: &str, published: bool) {
        let before = self.list.len();
        let mut read = Vec::new();
        let texts = [("proposalReasoningContent", Slot::ProposalReasoning), ("proposal", Slot::Proposal)];
        for (name, slot) in texts {
            if self.add_text(task.get(name), &format!("{at}/{name}"), slot) {
                read.push(name);
            }
        }
        if let Some(guideline) = task.get("guideline").filter(|g| g.kind() == JsonType::Object) {
            self.guideline(guideline, &format!("{at}/guideline"), published);
            read.push("guideline");
        }
        for name in ["content", "text", "summary"] {
            if self.add_text(task.get(name), &format!("{at}/{name}"), Slot::Other) {
                read.push(name);
            }
        }
        if let Some(data) = task.get("data").filter(|data| data.get("summary").and_then(Value::str).is_some()) {
            self.add_text(data.get("summary"), &format!("{at}/data/summary"), Slot::Other);
            self.rest(data, "task", &format!("{at}/data"), &["summary"], &[]);
            read.push("data");
        }
        self.rest(task, "task", at, &read, MESSAGE_FACTS);
        for part in &mut self.list[before..] {
            part.published = published;
        }
    }

    fn guideline(&mut self, guideline: Value<'a>, at: &str, published: bool) {
        let mut read = Vec::new();
        if self.add_text(guideline.get("thought"), &format!("{at}/thought"), Slot::GuidelineThought) {
            read.push("thought");
        }
        if let Some(items) = guideline.get("planItems").filter(|items| items.kind() == JsonType::Array) {
            for (i, item) in items.items().enumerate() {
                self.step(item, &format!("{at}/planItems/{i}"), published);
            }
            read.push("planItems");
        }
        self.rest(guideline, "guideline", at, &read, STEP_FACTS);
    }

    /// One step of a plan.
    fn step(&mut self, item: Value<'a>, at: &str, published: bool) {
        if item.kind() != JsonType::Object {
            let field = Field { pointer: at.to_owned(), name: "item".to_owned(), value: item, known: false };
            self.fields.extend(store::has_text(item).then_some(("plan-item", field)));
            return;
        }
        let tool = item.get("toolName").and_then(Value::non_empty);
        let finish = tool.as_deref() == Some("finish");
        self.has_tool_use |= published && self.from == MessageType::Assistant && tool.is_some() && !finish;
        let thought = if finish { Slot::FinishThought } else { Slot::StepThought };
        let mut read = [STEP_IDS, &["toolName"]].concat();
        if self.add_text(item.get("reasoningContent"), &format!("{at}/reasoningContent"), Slot::StepReasoning) {
            read.push("reasoningContent");
        }
        if self.add_text(item.get("thought"), &format!("{at}/thought"), thought) {
            read.push("thought");
        }
        read.extend(self.call(item, at, tool, finish));
        for name in CALLS {
            if let Some(call) = item.get(name).filter(|call| call.kind() == JsonType::Object) {
                let at = format!("{at}/{name}");
                let tool = ["name", "toolName"].iter().find_map(|name| call.get(name)?.non_empty());
                let inner = [STEP_IDS, &["name", "toolName"], &self.call(call, &at, tool, finish)].concat();
                self.rest(call, "tool-call", &at, &inner, STEP_FACTS);
                read.push(name);
            }
        }
        for name in ERRORS {
            if let Some(error) = item.get(name).filter(|error| store::has_text(*error)) {
                self.add(error, format!("{at}/{name}"), Slot::Error);
                read.push(name);
            }
        }
        self.rest(item, "plan-item", at, &read, STEP_FACTS);
    }

    /// A tool with what it was given and what it answered. Returns the fields that were read.
    fn call(&mut self, of: Value<'a>, at: &str, tool: Option<Cow<'a, str>>, finish: bool) -> Vec<&'static str> {
        let first = |names: &[&'static str]| {
            names.iter().find_map(|name| Some((*name, of.get(name).filter(|value| !value.is_default())?)))
        };
        let call = ["id", "toolCallId"].iter().find_map(|name| of.get(name)?.non_empty()).map(Cow::into_owned);
        let tool = tool.map(Cow::into_owned);
        let mut read = Vec::new();
        match first(PARAMS) {
            Some((name, params)) => {
                let at = format!("{at}/{name}");
                let summary = params.get("summary").filter(|_| finish);
                let summarised = self.add_text(summary, &format!("{at}/summary"), Slot::FinishSummary);
                if !summarised || params.entries().count() > 1 {
                    self.add(params, at, Slot::Call);
                    self.name_last(tool.as_ref(), call.as_ref());
                }
                read.push(name);
            }
            None if tool.is_some() && !finish => {
                let part = Part {
                    pointer: format!("{at}/toolName"),
                    slot: Slot::Call,
                    text: Cow::Borrowed(""),
                    tool: tool.clone(),
                    call: call.clone(),
                    kept: false,
                    published: true,
                };
                self.list.push(part);
            }
            None => {}
        }
        if let Some((name, result)) = first(RESULTS) {
            self.add(result, format!("{at}/{name}"), Slot::Result);
            self.name_last(tool.as_ref(), call.as_ref());
            read.push(name);
        }
        read
    }

    fn name_last(&mut self, tool: Option<&String>, call: Option<&String>) {
        if let Some(part) = self.list.last_mut() {
            (part.tool, part.call) = (tool.cloned(), call.cloned());
        }
    }

    /// Adds a text; whether it is one. Blank text is one, an empty string is nothing.
    fn add_text(&mut self, value: Option<Value<'a>>, at: &str, slot: Slot) -> bool {
        let Some(text) = value.and_then(Value::str) else { return false };
        if !text.is_empty() {
            self.push(text, at.to_owned(), slot);
        }
        true
    }

    /// Adds a value of any shape.
    fn add(&mut self, value: Value<'a>, at: String, slot: Slot) {
        self.push(readable(value), at, slot);
    }

    fn push(&mut self, text: Cow<'a, str>, pointer: String, slot: Slot) {
        self.list.push(Part { pointer, slot, text, tool: None, call: None, kept: false, published: true });
    }

    fn rest(&mut self, object: Value<'a>, inside: &'static str, at: &str, read: &[&str], facts: &[&str]) {
        for mut field in fields(object, read, facts) {
            field.pointer = format!("{at}{}", field.pointer);
            if field.known && field.name == "modelInfo" {
                let model = fields(field.value, MODEL_FACTS, &[]).into_iter();
                let unknown = model.map(|f| Field { pointer: format!("{}{}", field.pointer, f.pointer), ..f });
                self.fields.extend(unknown.map(|f| (inside, f)));
            }
            self.fields.push((inside, field));
        }
    }
}
