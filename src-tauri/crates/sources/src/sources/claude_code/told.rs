//! What the tool tells: notices, attachments, progress, titles, queued prompts and its bookkeeping.

use super::blocks::Said;
use super::kinds::{self, Field, RecordKind, Rule};
use super::line::Line;
use super::queue::{CopyOf, Late};
use super::render;
use super::session::{Session, body_name};
use crate::readers::json::{JsonType, Value};
use crate::{Account, EntryId, Fate, MessageId};
use assay_model::{Branch, Kind, Link, MessageType, NoticeCode, Reason, Relation, When};
use std::borrow::Cow;

/// Kinds of progress; their own text is a step on the way to a result.
const PROGRESS: [&str; 7] = [
    "",
    "hook_progress",
    "bash_progress",
    "mcp_progress",
    "query_update",
    "search_results_received",
    "waiting_for_task",
];

/// Kinds of progress that show what a tool has said so far.
const OUTPUT: [&str; 2] = ["bash_progress", "mcp_progress"];

impl Session<'_> {
    /// Reads a record in which nobody speaks.
    pub fn told(&mut self, account: &mut Account, line: &mut Line<'_>, kind: RecordKind) {
        let value = line.value;
        match kind {
            RecordKind::Said => {} // read by `said`
            RecordKind::System => self.system(account, line),
            RecordKind::Attachment => self.attachment(account, line),
            RecordKind::Progress => {
                self.progress(account, line);
                self.fields(account, line);
            }
            RecordKind::Title(field, from) => {
                let title = value.get_str(field);
                let leaf = value.get("leafUuid").and_then(Value::non_empty).map(Cow::into_owned);
                self.counted(account, line);
                self.context.title(from, title.map(Cow::into_owned), leaf);
            }
            RecordKind::LastPrompt => {
                if let Some(leaf) = value.get("leafUuid").and_then(Value::non_empty) {
                    self.tree.leaf = Some(leaf.into_owned());
                }
                match value.get("lastPrompt").and_then(Value::non_empty) {
                    Some(prompt) => self.draft(account, line, "/lastPrompt", CopyOf::Any, prompt.into_owned()),
                    None => self.counted(account, line),
                }
            }
            RecordKind::Queue => match value.get("content").filter(|c| !c.is_default()) {
                Some(content) => {
                    let enqueued = value.get_str("operation").as_deref() == Some("enqueue");
                    let copy_of = if enqueued { CopyOf::Delivery } else { CopyOf::Any };
                    self.draft(account, line, "/content", copy_of, prompt_text(content));
                }
                None => self.counted(account, line),
            },
            RecordKind::Event => {
                let text = render::lines(&render::leaves(value, envelope));
                self.apply(account, line, Rule::Keep(Kind::Event), value, "", text, Reason::BookkeepingRecord);
            }
            RecordKind::ForkContext => {
                if let Some(parent) = value.get("parentSessionId").and_then(Value::non_empty) {
                    let link =
                        Link { relation: Relation::Fork, conversation: parent.into_owned(), tool_call_id: None };
                    account.links.push(link);
                }
                self.counted(account, line);
            }
            RecordKind::Relocated => {
                if let Some(cwd) = value.get("relocatedCwd").and_then(Value::non_empty) {
                    account.notice(NoticeCode::CwdChanged, cwd, Some(line.locator.clone()));
                }
                self.counted(account, line);
            }
            RecordKind::Bookkeeping => self.counted(account, line),
        }
    }

    /// Bookkeeping: a state of the session, its words beside the entry.
    fn counted(&mut self, account: &mut Account, line: &Line<'_>) {
        account.refate(line.entry, Fate::Folded(Reason::BookkeepingRecord, None));
        account.excerpt(line.entry, &render::lines(&render::leaves(line.value, envelope)));
    }

    fn system(&mut self, account: &mut Account, line: &mut Line<'_>) {
        let subtype = line.value.get_str("subtype").unwrap_or_default();
        if !subtype.is_empty() {
            line.kind = line.kind_of(&subtype);
            account.set_kind(line.entry, line.kind.clone());
        }
        let Some(rule) = kinds::find(kinds::SYSTEM, &subtype) else {
            return self.unknown_record(account, line, line.kind.clone());
        };
        let text = render::lines(&render::leaves(line.value, envelope));
        self.apply(account, line, rule, line.value, "", text, Reason::SystemRecord);
    }

    fn attachment(&mut self, account: &mut Account, line: &mut Line<'_>) {
        const AT: &str = "/attachment";
        let body = line.value.get("attachment").filter(|a| a.kind() == JsonType::Object);
        let Some(body) = body else {
            return self.unknown_record(account, line, "attachment/no-attachment".to_owned());
        };
        let name = body.get_str("type").unwrap_or_default();
        line.kind = line.kind_of(&name);
        account.set_kind(line.entry, line.kind.clone());
        match kinds::find(kinds::ATTACHMENTS, &name) {
            _ if name == "queued_command" => self.queued(account, line, body),
            Some(rule) => {
                let text = render::lines(&render::leaves(body, |key| key == "type"));
                self.apply(account, line, rule, body, AT, text, Reason::Attachment);
            }
            None => self.unknown(account, line, AT, "attachment", body),
        }
        self.fields(account, line);
    }

    /// A prompt that was typed while the model was busy, as it was delivered.
    fn queued(&mut self, account: &mut Account, line: &mut Line<'_>, body: Value<'_>) {
        const AT: &str = "/attachment/prompt";
        line.from = MessageType::User;
        line.role = MessageType::User.code().to_owned();
        if line.when == When::MISSING && body.get_str("timestamp").is_some() {
            line.when = account.time(body.get("timestamp"), line.locator);
        }
        let text = body.get("prompt").map(prompt_text).unwrap_or_default();
        let mut message = line.recovered(Kind::Text, text, Reason::QueuedPrompt, AT);
        if body.get_str("commandMode").as_deref() == Some("task-notification") {
            message.kind = Kind::Event;
        }
        if body.get("source_uuid").and_then(Value::non_empty).is_some() {
            let after = account.messages().len() as MessageId;
            self.queue.wait(line.entry, AT, "attachment/queued_command", CopyOf::Any, after, message);
        } else {
            let id = self.keep(account, line, AT, "prompt", message);
            let text = account.messages()[id as usize].content.clone();
            self.queue.prompt(&text, id);
        }
        let known = ["type", "prompt", "commandMode", "timestamp", "source_uuid", "isMeta", "imagePasteIds"];
        let rest = render::lines(&render::leaves(body, |key| known.contains(&key)));
        if !rest.is_empty() {
            self.state(account, line, "/attachment", "about", rest, Reason::Metadata);
        }
    }

    fn progress(&mut self, account: &mut Account, line: &mut Line<'_>) {
        let data = line.value.get("data");
        let name = data.and_then(|d| d.get_str("type")).unwrap_or_default();
        if !name.is_empty() {
            line.kind = line.kind_of(&name);
            account.set_kind(line.entry, line.kind.clone());
        }
        let (Some(data), true) = (data, name == "agent_progress") else {
            if PROGRESS.contains(&&*name) {
                let call = line.value.get_any(&["parentToolUseID", "toolUseID"]).and_then(Value::non_empty);
                let block = self.step(account, line, data, Reason::BookkeepingRecord);
                if let (Some(call), Some(data), true) = (call, data, OUTPUT.contains(&&*name)) {
                    let said = render::lines(&render::leaves(data, |key| key == "type"));
                    let mut message = line.recovered(Kind::ToolResult, said, Reason::BookkeepingRecord, "/data");
                    message.tool_call_id = Some(call.to_string());
                    let after = account.messages().len() as MessageId;
                    self.steps.insert(call.into_owned(), Late { after, block, message });
                }
            } else if let Some(data) = data {
                self.unknown(account, line, "/data", "data", data);
            }
            return;
        };
        let agent = data.get_str("agentId").unwrap_or_default();
        let nested = data.get("message").filter(|m| m.kind() == JsonType::Object);
        match nested {
            Some(nested) if !self.hint.agents.iter().any(|a| **a == *agent) => {
                let mut inner = self.inside(account, line, nested);
                let said = Said::of(nested, "/data/message", Some(Reason::BookkeepingRecord));
                self.said(account, &mut inner, said);
            }
            // The sub-agent's own transcript has it, or there is nothing nested at all.
            other => {
                let reason = if other.is_some() { Reason::Duplicate } else { Reason::BookkeepingRecord };
                self.step(account, line, Some(data), reason);
                return;
            }
        }
        let rest = render::lines(&render::leaves(data, |key| matches!(key, "type" | "message" | "agentId")));
        if !rest.is_empty() {
            self.state(account, line, "/data", "about", rest, Reason::BookkeepingRecord);
        }
    }

    /// A step on the way to what a call gives: folded into the call, its words beside the entry.
    fn step(&self, account: &mut Account, line: &Line<'_>, data: Option<Value<'_>>, reason: Reason) -> EntryId {
        let text = data.map(render::text).unwrap_or_default();
        let ids = ["parentToolUseID", "toolUseID"].map(|key| line.value.get(key).and_then(Value::non_empty));
        let call = ids.into_iter().flatten().find_map(|id| self.calls.get(&*id)).map(|call| call.message);
        let entry = account.block(line.entry, "/data", line.kind.clone(), text.len(), Fate::Folded(reason, call));
        account.excerpt(entry, &text);
        entry
    }

    /// The record of a sub-agent inside a record of progress.
    fn inside<'a>(&self, account: &mut Account, line: &Line<'a>, nested: Value<'_>) -> Line<'a> {
        let from = match nested.get_str("type").as_deref() {
            Some("assistant") => MessageType::Assistant,
            Some("user") => MessageType::User,
            Some(_) | None => MessageType::System,
        };
        let role = nested.path(&["message", "role"]).and_then(Value::str);
        let when = match nested.get_str("timestamp") {
            Some(_) => account.time(nested.get("timestamp"), line.locator),
            None => line.when,
        };
        Line {
            entry: line.entry,
            value: line.value,
            locator: line.locator,
            kind: line.kind.clone(),
            base: line.base.clone(),
            parent: line.parent.clone(),
            when,
            from,
            role: role.map_or(from.code().to_owned(), Cow::into_owned),
            branch: Some(Branch::Sidechain),
            made: line.made,
        }
    }

    /// Does what a table says with the text of a notice or an attachment.
    #[allow(clippy::too_many_arguments)]
    fn apply(
        &mut self,
        account: &mut Account,
        line: &mut Line<'_>,
        rule: Rule,
        body: Value<'_>,
        pointer: &str,
        text: String,
        reason: Reason,
    ) {
        let kind = match rule {
            Rule::Keep(kind) => Some(kind),
            Rule::KeepIf(fields) => {
                let holds = |f: &&str| body.get(f).is_some_and(|v| !v.is_default());
                fields.iter().any(holds).then_some(Kind::Event)
            }
            Rule::Fold | Rule::Drop(_) => None,
        };
        match (rule, kind.filter(|_| !text.is_empty())) {
            (Rule::Drop(catalogue), _) => {
                let kind = line.kind.clone();
                let entry = account.block(line.entry, pointer, kind, text.len(), Fate::Dropped(catalogue));
                account.excerpt(entry, &text);
            }
            (Rule::Keep(_) | Rule::KeepIf(_) | Rule::Fold, None) if text.is_empty() => {
                account.refate(line.entry, Fate::Folded(reason, None));
            }
            (Rule::Keep(_) | Rule::KeepIf(_) | Rule::Fold, None) => {
                self.state(account, line, pointer, "state", text, reason);
            }
            (Rule::Keep(_) | Rule::KeepIf(_) | Rule::Fold, Some(kind)) => {
                let mut message = line.recovered(kind, text, reason, pointer);
                let call = body.get_any(&["toolUseID", "toolUseId"]).and_then(Value::non_empty);
                message.tool_call_id = call.map(Cow::into_owned);
                let bytes = message.content.len();
                let (_, fate) = self.once(account, line, message);
                account.block(line.entry, pointer, line.kind.clone(), bytes, fate);
                let aside: Vec<String> = render::leaves(body, |_| false)
                    .iter()
                    .filter_map(|leaf| body_name(&leaf.text, false).map(str::to_owned))
                    .collect();
                for name in aside {
                    self.body(account, line, &name, None);
                }
            }
        }
    }

    /// A prompt that may be the only copy.
    fn draft(
        &mut self,
        account: &mut Account,
        line: &mut Line<'_>,
        pointer: &'static str,
        copy_of: CopyOf,
        text: String,
    ) {
        line.from = MessageType::User;
        line.role = MessageType::User.code().to_owned();
        let message = line.recovered(Kind::Draft, text, Reason::QueuedPrompt, pointer);
        let after = account.messages().len() as MessageId;
        self.queue.wait(line.entry, pointer, "prompt", copy_of, after, message);
    }
}

/// Fields that say where a record belongs and not what it tells.
fn envelope(key: &str) -> bool {
    kinds::field(key) == Some(Field::Structure) || matches!(key, "operation" | "leafUuid")
}

/// The text of a queued prompt: a string, or blocks.
fn prompt_text(prompt: Value<'_>) -> String {
    if let Some(text) = prompt.str() {
        return text.into_owned();
    }
    let texts: Vec<String> = prompt
        .items()
        .map(|item| match (item.get_str("type").as_deref(), item.get_str("text")) {
            (Some("text"), Some(text)) => text.into_owned(),
            (Some("image" | "document" | "file"), _) => render::media(item),
            (Some(_), _) | (None, _) => render::text(item),
        })
        .collect();
    if texts.is_empty() { render::text(prompt) } else { texts.join("\n") }
}
