//! One message taken apart, and the published rules' choice among its parts.

use super::store;
use crate::readers::binary;
use crate::readers::json::{JsonType, Value};
use crate::{Account, EntryId, Fate};
use assay_model::{Kind, Locator, Message, MessageType, Reason, text};
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
    published: bool,
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

const MESSAGE_IDS: &[&str] = &[
    "role", "sessionId", "turnId", "turnIndex", "timestamp", "agentMessageId", "id", "messageId", "parentId",
    "createdAt", "updatedAt",
];
const MESSAGE_FACTS: &[&str] = &["status", "agentType", "agentName", "agentMessageType", "modelInfo", "type"];
const STEP_IDS: &[&str] = &["id", "toolCallId", "stepId", "index", "timestamp", "createdAt", "updatedAt"];
const STEP_FACTS: &[&str] = &["status", "type", "timing", "title"];

/// Fields of attachments.
const EXTRAS: &[&str] = &["parsedQuery", "multiMedia", "files", "images", "attachments"];
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
    mapped: bool,
    shadowed: bool,
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
            self.fields.push((inside, field));
        }
    }

    /// The published rules' choice: direct content if it is not blank, else what is nested.
    fn choose(&mut self) {
        if !self.mapped {
            return;
        }
        let is = |part: &Part<'_>, slot: Slot| part.published && part.slot == slot;
        let has = |list: &[Part<'_>], slots: &[Slot]| list.iter().any(|p| slots.iter().any(|slot| is(p, *slot)));
        let direct = self.list.iter().any(|p| is(p, Slot::Direct) && !text::is_blank(&p.text));
        let mut thinking: Vec<&str> = Vec::new();
        let mut texts: Vec<&str> = Vec::new();
        let texts_of: &[Slot] = if direct || self.from == MessageType::User {
            self.shadowed = direct;
            &[Slot::Direct]
        } else if has(&self.list, &[Slot::Proposal, Slot::FinishThought]) {
            &[Slot::Proposal, Slot::FinishThought]
        } else {
            &[Slot::GuidelineThought]
        };
        let thinking_of: &[Slot] = if direct || self.from == MessageType::User {
            &[]
        } else {
            &[Slot::ProposalReasoning, Slot::StepReasoning]
        };
        for part in self.list.iter().filter(|part| part.published) {
            if texts_of.contains(&part.slot) {
                texts.push(&part.text);
            }
            if thinking_of.contains(&part.slot) {
                thinking.push(&part.text);
            }
        }
        let text = text::trim(&texts.join("\n\n")).to_owned();
        let thinking = (!thinking.is_empty()).then(|| thinking.join("\n"));
        (self.text, self.thinking) = (text, thinking);
        if !self.is_kept() {
            return;
        }
        for part in &mut self.list {
            let of_text = texts_of.contains(&part.slot) && !self.text.is_empty();
            part.kept = part.published && (of_text || thinking_of.contains(&part.slot));
        }
    }

    /// Whether the published rules keep the message.
    pub fn is_kept(&self) -> bool {
        !self.text.is_empty() || self.thinking.is_some()
    }

    /// The part at whose place the kept message stands: its last text, else its last thinking.
    pub fn anchor(&self) -> Option<usize> {
        let last = |of: &dyn Fn(&Part<'_>) -> bool| self.list.iter().rposition(of);
        last(&|part| part.kept && part.slot.kind() == Kind::Text).or_else(|| last(&|part| part.kept))
    }

    /// The text that a person wrote or read, to know copies of it.
    pub fn said(&self) -> &str {
        self.list.iter().find(|part| part.slot == Slot::Direct).map_or("", |part| &part.text)
    }

    /// Why the published rules lose `part`.
    pub fn reason(&self, part: &Part<'_>) -> Reason {
        let blank = text::is_blank(&part.text);
        if part.slot == Slot::FinishSummary && self.repeats(part) {
            return Reason::Duplicate;
        }
        match part.slot {
            Slot::Call | Slot::Result => {}
            _ if blank => return Reason::EmptyMessage,
            _ => {}
        }
        if self.copy {
            return Reason::ExtendedCoverage;
        }
        if !self.mapped {
            return Reason::RoleNotMapped;
        }
        if !part.published {
            return Reason::LegacyShape;
        }
        match part.slot {
            Slot::Error => Reason::ErrorRecord,
            Slot::Result => Reason::ToolResult,
            Slot::Call if self.is_kept() => Reason::ToolInput,
            Slot::Call => Reason::ToolOnlyMessage,
            Slot::StepThought if !self.shadowed && !self.is_kept() => Reason::ToolOnlyMessage,
            Slot::StepThought | Slot::FinishSummary | Slot::Other if !self.shadowed => Reason::UnmappedResponsePart,
            Slot::Direct
            | Slot::Proposal
            | Slot::ProposalReasoning
            | Slot::GuidelineThought
            | Slot::FinishThought
            | Slot::FinishSummary
            | Slot::StepThought
            | Slot::StepReasoning
            | Slot::Other => Reason::NestedContentShadowed,
        }
    }

    /// Whether a text stands word for word in another part that is told anyway.
    fn repeats(&self, part: &Part<'_>) -> bool {
        let others = self.list.iter().filter(|p| p.slot == Slot::FinishThought || p.slot == Slot::Direct);
        others.into_iter().any(|other| text::trim(&other.text) == text::trim(&part.text))
    }
}

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
            account.block(entry, extra.pointer.as_str(), "prompt-part", text.len(), Fate::Dropped(Reason::Duplicate));
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
fn readable(value: Value<'_>) -> Cow<'_, str> {
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
