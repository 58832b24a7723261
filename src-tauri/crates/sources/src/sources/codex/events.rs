//! Events of the client: what the published rules read, mirrors of items, and facts that stand nowhere else.
//!
//! Owns `event_msg` and, inside `item_completed`, the items of paginated files (0.146 and later).
//! Deliberately absent: the model's own history (`items`).

use super::rollout::{COPIED, Rollout};
use super::telling::{Stream, Voice};
use super::{context, readable};
use crate::readers::json::{JsonType, Value};
use crate::{Account, Fate};
use assay_model::{Kind, Message, MessageType, Reason, text};

/// What an event is.
#[derive(Debug, Clone, Copy)]
enum Sort {
    Prompt,
    Answer,
    Thought,
    /// State and counters.
    Metadata,
    Title,
    /// About a tool call.
    Call,
    /// The end of a turn, which repeats the last answer.
    TurnEnd,
    Rollback,
    Completed,
    /// Something that happened.
    Notable,
    Error,
}

const EVENTS: &[(&str, Sort)] = &[
    ("user_message", Sort::Prompt),
    ("agent_message", Sort::Answer),
    ("agent_reasoning", Sort::Thought),
    ("agent_reasoning_raw_content", Sort::Thought),
    ("token_count", Sort::Metadata),
    ("task_started", Sort::Metadata),
    ("turn_started", Sort::Metadata),
    ("thread_settings_applied", Sort::Metadata),
    ("session_configured", Sort::Metadata),
    ("agent_reasoning_section_break", Sort::Metadata),
    ("skills_update_available", Sort::Metadata),
    ("shutdown_complete", Sort::Metadata),
    ("thread_name_updated", Sort::Title),
    ("session_renamed", Sort::Title),
    ("task_complete", Sort::TurnEnd),
    ("turn_complete", Sort::TurnEnd),
    ("thread_rolled_back", Sort::Rollback),
    ("item_completed", Sort::Completed),
    ("exec_command_begin", Sort::Call),
    ("exec_command_end", Sort::Call),
    ("mcp_tool_call_begin", Sort::Call),
    ("mcp_tool_call_end", Sort::Call),
    ("web_search_begin", Sort::Call),
    ("web_search_end", Sort::Call),
    ("patch_apply_begin", Sort::Call),
    ("patch_apply_updated", Sort::Call),
    ("patch_apply_end", Sort::Call),
    ("image_generation_end", Sort::Call),
    ("view_image_tool_call", Sort::Call),
    ("dynamic_tool_call_request", Sort::Call),
    ("dynamic_tool_call_response", Sort::Call),
    ("context_compacted", Sort::Notable),
    ("turn_aborted", Sort::Notable),
    ("entered_review_mode", Sort::Notable),
    ("exited_review_mode", Sort::Notable),
    ("undo_completed", Sort::Notable),
    ("thread_goal_updated", Sort::Notable),
    ("sub_agent_activity", Sort::Notable),
    ("collab_agent_spawn_begin", Sort::Notable),
    ("collab_agent_spawn_end", Sort::Notable),
    ("collab_agent_interaction_end", Sort::Notable),
    ("collab_waiting_end", Sort::Notable),
    ("collab_close_end", Sort::Notable),
    ("collab_resume_end", Sort::Notable),
    ("guardian_assessment", Sort::Notable),
    ("guardian_warning", Sort::Notable),
    ("background_event", Sort::Notable),
    ("plan_update", Sort::Notable),
    ("turn_diff", Sort::Notable),
    ("exec_approval_request", Sort::Notable),
    ("apply_patch_approval_request", Sort::Notable),
    ("request_permissions", Sort::Notable),
    ("request_user_input", Sort::Notable),
    ("elicitation_request", Sort::Notable),
    ("model_reroute", Sort::Notable),
    ("hook_started", Sort::Notable),
    ("hook_completed", Sort::Notable),
    ("deprecation_notice", Sort::Notable),
    ("warning", Sort::Notable),
    ("error", Sort::Error),
    ("stream_error", Sort::Error),
];

/// Completed items of paginated files.
const ITEMS: &[(&str, Sort)] = &[
    ("UserMessage", Sort::Prompt),
    ("AgentMessage", Sort::Answer),
    ("Reasoning", Sort::Thought),
    ("CommandExecution", Sort::Call),
    ("DynamicToolCall", Sort::Call),
    ("McpToolCall", Sort::Call),
    ("WebSearch", Sort::Call),
    ("ImageView", Sort::Call),
    ("ImageGeneration", Sort::Call),
    ("FileChange", Sort::Call),
    ("Plan", Sort::Notable),
    ("HookPrompt", Sort::Notable),
    ("CollabAgentToolCall", Sort::Notable),
    ("SubAgentActivity", Sort::Notable),
    ("EnteredReviewMode", Sort::Notable),
    ("ExitedReviewMode", Sort::Notable),
    ("ContextCompaction", Sort::Notable),
];

/// Extension items that are known; any other is kept as unknown.
const EXTENSIONS: &[&str] = &["image_gen.generation", "clock.sleep", "web.search"];

/// Fields that come first in the text of an event, without their name.
const LEAD: &[&str] = &["message", "text", "prompt", "aggregated_output", "stdout", "user_facing_hint", "revised_prompt"];

/// Fields that join or time events and say nothing themselves.
const JOINS: &[&str] = &[
    "type", "call_id", "callId", "id", "turn_id", "turnId", "item_id", "event_id", "process_id", "thread_id",
    "threadId", "started_at_ms", "completed_at_ms", "completed_at", "started_at",
];

/// Beside [`JOINS`], what an event about a call may say without saying anything new.
const STATE: &[&str] =
    &["status", "source", "duration", "cwd", "parsed_cmd", "exit_code", "success", "name", "tool", "kind"];

/// How kinds of events and items begin that are about one tool, and that tool.
const IMPLIED: &[(&str, &str)] = &[
    ("exec_command_", "exec_command"),
    ("CommandExecution", "exec_command"),
    ("web_search_", "web_search"),
    ("WebSearch", "web_search"),
    ("patch_apply_", "apply_patch"),
    ("FileChange", "apply_patch"),
    ("image_generation_", "image_generation"),
    ("ImageGeneration", "image_generation"),
    ("view_image_", "view_image"),
    ("ImageView", "view_image"),
];

/// How the ids of turns begin that were taken over from another tool.
const IMPORTED: &str = "external-import-turn-";

impl Rollout {
    /// Reads one event.
    pub fn event(&mut self, account: &mut Account, payload: Value<'_>) {
        let kind = payload.get_str("type").unwrap_or_default();
        let entry = self.entry();
        let name = format!("event_msg/{kind}");
        account.set_kind(entry, name.clone());
        if let Some(here) = &mut self.here {
            here.turn = payload.get("turn_id").and_then(Value::non_empty).map(Into::into);
            let imported = here.turn.as_ref().filter(|turn| turn.starts_with(IMPORTED));
            self.imported_turns.extend(imported.cloned());
        }
        let Some((_, sort)) = EVENTS.iter().find(|(known, _)| *known == kind) else {
            return self.unknown(account, entry, name, payload);
        };
        match sort {
            Sort::Prompt => self.user_message(account, payload),
            Sort::Answer => self.client_answer(account, payload),
            Sort::Thought => {
                if let Some(said) = payload.get_str("text") {
                    self.thought(account, "/payload/text", &name, Stream::Client, said);
                }
                self.rest(account, payload, "/payload", &name, &["type", "text", "turn_id"]);
                self.wrong_type(account, payload, "text", &name);
            }
            Sort::Metadata => self.metadata(account, &name),
            Sort::Title => {
                let title = payload.get_any(&["thread_name", "name"]).and_then(Value::non_empty);
                self.thread_name = title.map(Into::into).or(self.thread_name.take());
                self.metadata(account, &name);
            }
            Sort::Call => self.call_event(account, payload, "/payload", &name),
            Sort::TurnEnd => self.turn_end(account, payload, &name),
            Sort::Rollback => {
                let turns = payload.get("num_turns").and_then(Value::i64).unwrap_or(0);
                self.roll_back(account, usize::try_from(turns).unwrap_or(0));
                self.notable(account, payload, "/payload", &name, Reason::EventNotMapped);
            }
            Sort::Completed => self.completed(account, payload, &name),
            Sort::Notable => self.notable(account, payload, "/payload", &name, Reason::EventNotMapped),
            Sort::Error => self.notable(account, payload, "/payload", &name, Reason::ErrorRecord),
        }
    }

    /// A field whose value is not the text it should be counts as absent and is kept as unknown.
    fn wrong_type(&self, account: &mut Account, object: Value<'_>, field: &str, name: &str) {
        match object.get(field) {
            Some(value) if value.kind() != JsonType::String && !value.is_default() => {
                self.unknown_field(account, name, "/payload", field, value);
            }
            Some(value) if value.str_len() > 0 => {}
            Some(_) | None => account.refate(self.entry(), Fate::Dropped(Reason::EmptyMessage)),
        }
    }

    fn user_message(&mut self, account: &mut Account, payload: Value<'_>) {
        if let Some(said) = payload.get_str("message") {
            let (before, prompt) = context::split_request(&said);
            if let Some(before) = before {
                self.editor_context(account, "/payload/message", before);
            }
            let block = self.block(account, "/payload/message", "message", prompt);
            if prompt.is_empty() {
                account.refate(block, Fate::Dropped(Reason::EmptyMessage));
            } else {
                let message = self.reference(MessageType::User, prompt);
                self.keep(account, Voice::User, Stream::Client, &[block], message);
            }
        }
        for field in ["images", "local_images", "audio", "local_audio"] {
            let Some(value) = payload.get(field).filter(|v| !v.is_default()) else { continue };
            if value.kind() != JsonType::Array {
                self.media(account, &format!("/payload/{field}"), field, Stream::Client, value);
            }
            for (i, source) in value.items().enumerate() {
                self.media(account, &format!("/payload/{field}/{i}"), field, Stream::Client, source);
            }
        }
        if let Some(elements) = payload.get("text_elements").filter(|v| !v.is_default()) {
            let fate = Fate::Folded(Reason::Metadata, None);
            account.block(self.entry(), "/payload/text_elements", "text_elements", elements.raw().len(), fate);
        }
        const KNOWN: &[&str] = &[
            "type", "message", "images", "local_images", "audio", "local_audio", "text_elements", "client_id", "kind",
            "turn_id",
        ];
        self.rest(account, payload, "/payload", "event_msg/user_message", KNOWN);
        self.wrong_type(account, payload, "message", "event_msg/user_message");
    }

    fn client_answer(&mut self, account: &mut Account, payload: Value<'_>) {
        if let Some(said) = payload.get_str("message") {
            let block = self.block(account, "/payload/message", "message", &said);
            if text::is_blank(&said) {
                account.refate(block, Fate::Dropped(Reason::EmptyMessage));
            } else {
                let message = self.reference(MessageType::Assistant, &said);
                self.latest = Some(self.keep(account, Voice::Assistant, Stream::Client, &[block], message));
            }
        }
        if let Some(citation) = payload.get("memory_citation").filter(|c| !c.is_default()) {
            let pointer = "/payload/memory_citation";
            let content = readable::text(citation);
            let message =
                self.draft(pointer, MessageType::System, Kind::Attachment, content, Reason::EventNotMapped);
            self.recover(account, pointer, "memory_citation", message);
        }
        let name = "event_msg/agent_message";
        self.rest(account, payload, "/payload", name, &["type", "message", "phase", "memory_citation", "turn_id"]);
        self.wrong_type(account, payload, "message", name);
    }

    /// A message of the published rules.
    fn reference(&mut self, from: MessageType, content: &str) -> Message {
        let draft = self.draft("", from, Kind::Text, content, Reason::EventNotMapped);
        Message { provenance: assay_model::Provenance::Reference, has_code: text::has_fence(content), ..draft }
    }

    /// An event with everything it says as its text.
    fn notable(&mut self, account: &mut Account, object: Value<'_>, base: &str, name: &str, reason: Reason) {
        let mut content = readable::fields(object, LEAD, JOINS);
        if content.is_empty() && self.compacted && name.ends_with("/context_compacted") {
            return account.refate(self.entry(), Fate::Folded(Reason::Metadata, None));
        }
        // What has no words of its own is told by its name: "num_turns: 1" alone says nothing.
        if !LEAD.iter().any(|lead| object.get(lead).is_some_and(|said| !said.is_default())) {
            let own = name.rsplit('/').next().unwrap_or(name);
            content = if content.is_empty() { own.to_owned() } else { format!("{own}\n{content}") };
        }
        let mut message = self.draft(base, MessageType::System, Kind::Event, content, reason);
        message.tool_call_id = call_of(object);
        self.recover(account, base, name, message);
    }

    /// An event about a call. It says more than the call's own items (the whole output, a diff, the
    /// results of a search), or the same again.
    fn call_event(&mut self, account: &mut Account, object: Value<'_>, base: &str, name: &str) {
        let call = call_of(object);
        let content = readable::fields(object, LEAD, JOINS);
        let texts = readable::texts(object, &[JOINS, STATE].concat());
        let kind = name.rsplit('/').next().unwrap_or(name);
        let asks = ["_begin", "_request"].iter().any(|end| kind.ends_with(end));
        let (from, form) =
            if asks { (MessageType::Assistant, Kind::ToolCall) } else { (MessageType::System, Kind::ToolResult) };
        let mut message = self.draft(base, from, form, content, Reason::EventNotMapped);
        if !asks {
            message.role = "tool".to_owned();
        }
        let known = call.as_deref().and_then(|c| self.calls.get(c)?.name.clone());
        message.tool_name = known.or_else(|| tool_of(object, kind));
        message.tool_call_id.clone_from(&call);
        if let (Some(call), Some(tool), false) = (&call, &message.tool_name, self.copied) {
            self.calls.entry(call.clone()).or_default().name.get_or_insert_with(|| tool.clone());
        }
        let block = self.block(account, base, name, &message.content);
        match call {
            Some(call) => self.about_call(account, &call, block, texts, message),
            None => self.about_call(account, "", block, None, message),
        }
    }

    fn turn_end(&mut self, account: &mut Account, payload: Value<'_>, name: &str) {
        self.metadata_beside(account, name, "/payload", payload, 0);
        if let Some(said) = payload.get_str("last_agent_message").filter(|t| !text::is_blank(t)) {
            let pointer = "/payload/last_agent_message";
            let message =
                self.draft(pointer, MessageType::Assistant, Kind::Text, said, Reason::EventNotMapped);
            self.once(account, pointer, "last_agent_message", message);
        }
        if let Some(error) = payload.get("error").filter(|e| !e.is_default()) {
            let content = readable::fields(error, &["message"], &[]);
            let message =
                self.draft("/payload/error", MessageType::System, Kind::Event, content, Reason::ErrorRecord);
            self.recover(account, "/payload/error", "error", message);
        }
        const KNOWN: &[&str] = &[
            "type", "turn_id", "last_agent_message", "error", "started_at", "completed_at", "duration_ms",
            "time_to_first_token_ms", "usage",
        ];
        self.rest(account, payload, "/payload", name, KNOWN);
    }

    /// An item of a paginated file.
    fn completed(&mut self, account: &mut Account, payload: Value<'_>, name: &str) {
        let base = "/payload/item";
        let Some(item) = payload.get("item").filter(|i| i.kind() == JsonType::Object) else {
            return self.notable(account, payload, "/payload", name, Reason::EventNotMapped);
        };
        if let Some(here) = &mut self.here {
            here.id = item.get("id").and_then(Value::non_empty).map(Into::into);
        }
        let kind = item.get_str("type").unwrap_or_default();
        let extension = item.get_str("kind").filter(|_| kind == "Extension");
        let name = match &extension {
            Some(extension) => format!("{name}/Extension/{extension}"),
            None => format!("{name}/{kind}"),
        };
        account.set_kind(self.entry(), name.clone());
        let known_extension = extension.is_some_and(|e| EXTENSIONS.contains(&&*e));
        let sort = ITEMS.iter().find(|(known, _)| *known == kind).map(|(_, sort)| *sort);
        match sort.or(known_extension.then_some(Sort::Notable)) {
            None => {
                let block = account.block(self.entry(), base, name.clone(), item.raw().len(), COPIED);
                self.unknown(account, block, name, item);
            }
            Some(sort @ (Sort::Prompt | Sort::Answer)) => {
                self.completed_message(account, item, base, &name, matches!(sort, Sort::Prompt));
            }
            Some(Sort::Thought) => {
                for field in ["summary_text", "raw_content"] {
                    let Some(list) = item.get(field) else { continue };
                    for (i, part) in list.items().enumerate() {
                        let pointer = format!("{base}/{field}/{i}");
                        let said = part.str().or(part.get_str("text")).unwrap_or_else(|| readable::text(part));
                        self.thought(account, &pointer, field, Stream::Completed, said);
                    }
                }
                self.rest(account, item, base, &name, &["type", "id", "summary_text", "raw_content"]);
            }
            Some(Sort::Call) => self.call_event(account, item, base, &name),
            Some(
                Sort::Metadata
                | Sort::Title
                | Sort::TurnEnd
                | Sort::Rollback
                | Sort::Completed
                | Sort::Notable
                | Sort::Error,
            ) => self.notable(account, item, base, &name, Reason::EventNotMapped),
        }
        const KNOWN: &[&str] = &["type", "thread_id", "turn_id", "item", "started_at_ms", "completed_at_ms"];
        self.rest(account, payload, "/payload", "event_msg/item_completed", KNOWN);
    }

    fn completed_message(&mut self, account: &mut Account, item: Value<'_>, base: &str, name: &str, user: bool) {
        let (voice, from) =
            if user { (Voice::User, MessageType::User) } else { (Voice::Assistant, MessageType::Assistant) };
        let (mut words, mut blocks) = (Vec::new(), Vec::new());
        let content = item.get("content");
        for (i, part) in content.into_iter().flat_map(Value::items).enumerate() {
            let pointer = format!("{base}/content/{i}");
            let kind = part.get_str("type").unwrap_or_default();
            if let Some(said) = part.get_str("text") {
                let (before, said) = if user { context::split_request(&said) } else { (None, &*said) };
                if let Some(before) = before {
                    self.editor_context(account, &pointer, before);
                }
                blocks.push(self.block(account, &pointer, "text", said));
                words.push(said.to_owned());
            } else if let Some(source) = part.get_any(&["image_url", "url", "path", "audio_url"]) {
                self.media(account, &pointer, &kind, Stream::Completed, source);
            } else if !part.is_default() {
                let content = readable::fields(part, &[], &["type"]);
                let message = self.draft(&pointer, from, Kind::Attachment, content, Reason::EventNotMapped);
                self.recover(account, &pointer, &kind, message);
            }
        }
        let joined = words.join("\n");
        if text::is_blank(&joined) {
            for block in blocks {
                account.refate(block, Fate::Dropped(Reason::EmptyMessage));
            }
        } else {
            let mut message = self.draft(base, from, Kind::Text, joined, Reason::EventNotMapped);
            message.has_code = text::has_fence(&message.content);
            self.tell(account, voice, Stream::Completed, blocks, message);
        }
        if let Some(citation) = item.get("memory_citation").filter(|c| !c.is_default()) {
            let pointer = format!("{base}/memory_citation");
            let content = readable::text(citation);
            let message =
                self.draft(&pointer, MessageType::System, Kind::Attachment, content, Reason::EventNotMapped);
            self.recover(account, &pointer, "memory_citation", message);
        }
        self.rest(account, item, base, name, &["type", "id", "client_id", "content", "phase", "memory_citation"]);
    }
}

/// Whether an event only counts or sets something.
pub(super) fn is_metadata(kind: &str) -> bool {
    EVENTS.iter().any(|(known, sort)| *known == kind && matches!(sort, Sort::Metadata | Sort::Title))
}

/// The tool that an event names, or that its kind implies.
fn tool_of(object: Value<'_>, kind: &str) -> Option<String> {
    let whole = object.get("invocation").filter(|i| i.kind() == JsonType::Object).unwrap_or(object);
    let named = whole.get("tool").and_then(Value::non_empty);
    if let Some(tool) = named {
        let owner = whole.get_any(&["server", "namespace"]).and_then(Value::non_empty);
        return Some(owner.map_or_else(|| tool.to_string(), |owner| format!("{owner}/{tool}")));
    }
    IMPLIED.iter().find(|(start, _)| kind.starts_with(start)).map(|(_, tool)| (*tool).to_owned())
}

fn call_of(object: Value<'_>) -> Option<String> {
    object.get_any(&["call_id", "callId", "id"]).and_then(Value::non_empty).map(Into::into)
}
