//! Tool calls, what came of them, and events that say more about them.
//!
//! A call and its result are joined by `call_id`. Deliberately absent: which events are about calls
//! (`events`).

use super::items::{MEDIA, media_text, parts};
use super::readable;
use super::rollout::Rollout;
use crate::readers::json::{JsonType, Value};
use crate::{Account, EntryId, Fate, MessageId};
use assay_model::{Kind, Message, MessageType, Reason, text};
use std::borrow::Cow;

/// A tool call: its type, the tool where the type names it, the field that is the input, and whether
/// the published rules set a flag for it.
pub(super) struct CallShape {
    pub kind: &'static str,
    tool: Option<&'static str>,
    input: &'static str,
    flag: bool,
}

pub(super) const CALLS: &[CallShape] = &[
    CallShape { kind: "function_call", tool: None, input: "arguments", flag: true },
    CallShape { kind: "custom_tool_call", tool: None, input: "input", flag: true },
    CallShape { kind: "local_shell_call", tool: Some("local_shell"), input: "action", flag: false },
    CallShape { kind: "tool_search_call", tool: Some("tool_search"), input: "arguments", flag: false },
    CallShape { kind: "web_search_call", tool: Some("web_search"), input: "action", flag: false },
    CallShape { kind: "image_generation_call", tool: Some("image_generation"), input: "revised_prompt", flag: false },
];

/// A tool call and what came of it.
#[derive(Debug, Default)]
pub(super) struct Call {
    pub name: Option<String>,
    pub call: Option<MessageId>,
    pub result: Option<MessageId>,
}

/// An event about a call, until it is known whether the call and its result say as much.
#[derive(Debug)]
pub(super) struct AboutCall {
    pub place: u32,
    message: Message,
    block: EntryId,
    texts: Option<Vec<String>>,
}

impl Rollout {
    /// Reads a call.
    pub fn call(&mut self, account: &mut Account, item: Value<'_>, base: &str, shape: &CallShape) {
        let legacy = self.here.as_ref().is_some_and(|h| h.legacy);
        let reason = match (shape.flag && !legacy, self.latest) {
            (true, Some(latest)) => {
                account.message(latest).has_tool_use = true;
                Reason::ToolInput
            }
            (true, None) => Reason::OrphanToolCall,
            (false, _) => Reason::EventNotMapped,
        };
        let tool = item.get("name").and_then(Value::non_empty).or(shape.tool.map(Cow::Borrowed));
        let tool = match item.get("namespace").and_then(Value::non_empty) {
            Some(namespace) => tool.map(|t| Cow::Owned(format!("{namespace}/{t}"))),
            None => tool,
        };
        let call_id = item.get("call_id").and_then(Value::non_empty).or(item.get("id").and_then(Value::non_empty));
        let mut content = item.get(shape.input).map(readable::text).unwrap_or_default().into_owned();
        if let Some(result) = item.get("result").filter(|r| !r.is_default()) {
            // The picture that was made.
            content.push_str(if content.is_empty() { "" } else { "\n" });
            content.push_str(&media_text(result, shape.kind));
        }
        let pointer = format!("{base}/{}", shape.input);
        let mut message = self.draft(&pointer, MessageType::Assistant, Kind::ToolCall, content, reason);
        message.tool_name = tool.clone().map(Cow::into_owned);
        message.tool_call_id = call_id.clone().map(Cow::into_owned);
        let call = self.recover(account, &pointer, shape.kind, message);
        if let Some(id) = call_id {
            let known = self.calls.entry(id.into_owned()).or_default();
            *known = Call { name: tool.map(Cow::into_owned), call, result: known.result };
        }
        self.encrypted(
            account,
            &format!("{base}/encrypted_function_args"),
            item.get("encrypted_function_args"),
        );
    }

    /// Reads what a call gave.
    pub fn call_output(&mut self, account: &mut Account, item: Value<'_>, base: &str, field: &str) {
        let pointer = format!("{base}/{field}");
        let output = item.get(field).filter(|o| !o.is_null());
        let mut said = Vec::new();
        match output {
            Some(list) if field == "output" && list.kind() == JsonType::Array => {
                let parts = parts(Some(list), &pointer);
                self.other_fields(account, &parts);
                for part in parts {
                    if let Some(body) = part.encrypted() {
                        self.encrypted(account, &part.pointer, Some(body));
                    } else if let Some(source) = part.value.get_any(MEDIA).filter(|s| !s.is_default()) {
                        said.push(Cow::Owned(media_text(source, &part.kind)));
                    } else {
                        said.push(part.text().unwrap_or_else(|| readable::text(part.value)));
                    }
                }
            }
            Some(object) if field == "output" && object.kind() == JsonType::Object => {
                said.push(readable::fields(object, &["content", "text"], &["type"]).into());
            }
            Some(value) => said.push(readable::text(value)),
            None => {}
        }
        let call_id = item.get("call_id").and_then(Value::non_empty);
        let mut message =
            self.draft(&pointer, MessageType::System, Kind::ToolResult, text::join(said), Reason::ToolResult);
        message.role = "tool".to_owned();
        message.tool_name = call_id
            .as_deref()
            .and_then(|id| self.calls.get(id)?.name.clone())
            .or(item.get("name").and_then(Value::non_empty).map(Into::into));
        message.tool_call_id = call_id.clone().map(Cow::into_owned);
        let result = self.recover(account, &pointer, "output", message);
        if let Some(id) = call_id {
            self.answered(account, &id, result);
        }
    }

    /// An event about a call: shown only if the call and its result do not say as much.
    pub fn about_call(
        &mut self,
        account: &mut Account,
        call: &str,
        block: EntryId,
        texts: Option<Vec<String>>,
        message: Message,
    ) {
        if self.copied {
            let key = self.tellings.key(&message.content);
            return self.repeats_parent(&[block], key);
        }
        let about = AboutCall { place: self.place(account), message, block, texts };
        if self.calls.get(call).is_some_and(|c| c.result.is_some()) {
            self.settle(account, call, about);
        } else {
            self.about.entry(call.to_owned()).or_default().push(about);
        }
    }

    /// Folds an event into its call, or shows it.
    pub fn settle(&mut self, account: &mut Account, call: &str, about: AboutCall) {
        let known = self.calls.get(call).map(|c| (c.call, c.result));
        let (asked, answered) = known.unwrap_or_default();
        let said: Vec<&str> =
            [asked, answered].into_iter().flatten().map(|m| account.messages()[m as usize].content.as_str()).collect();
        let folds = about.texts.as_deref().is_some_and(|t| !said.is_empty() && readable::are_said_in(t, &said));
        if folds {
            account.refate(about.block, Fate::Folded(Reason::Duplicate, answered.or(asked)));
        } else {
            let id = self.push_at(account, about.place, about.message);
            account.refate(about.block, Fate::Recovered(id));
        }
    }

    /// The result of a call is there: what waited for it can be settled.
    pub fn answered(&mut self, account: &mut Account, call: &str, result: Option<MessageId>) {
        self.calls.entry(call.to_owned()).or_default().result = result;
        for about in self.about.remove(call).unwrap_or_default() {
            self.settle(account, call, about);
        }
    }
}
