//! Sessions that are a stream of events: the command line tool, and the transcripts that the editor's
//! extension keeps. The published rules read neither, so everything here is recovered.
//!
//! Deliberately absent: what becomes of each type (`event_types.rs`), sessions of the editor, databases
//! that the tool derives from these files.

use super::beside;
use super::event_types::{EPHEMERAL, EVENTS, Treat};
use super::node::{Data, Node};
use super::words;
use crate::readers::binary;
use crate::readers::json::{JsonType, Tape};
use crate::{Account, EntryId, EvidenceFile, Fate, MessageId, Record};
use assay_model::{Branch, Kind, Message, MessageType, NoticeCode, Reason, Timestamp, When, text};
use std::collections::{HashMap, HashSet};

/// Fields that say which message, turn or request something is, not what it says.
const IDS: &[&str] = &[
    "messageId",
    "turnId",
    "interactionId",
    "requestId",
    "serviceRequestId",
    "providerCallId",
    "clientRequestId",
    "apiCallId",
    "reasoningId",
    "hookInvocationId",
    "toolCallId",
    "parentToolCallId",
    "sessionId",
    "assetId",
];

/// Where what the person said may stand: the first that says something does. The last is how the model got it.
const PROMPTS: &[&str] = &["content", "prompt", "transformedContent"];

#[derive(Default)]
struct Stream {
    ids: HashSet<String>,
    /// Calls by id: the message, the name, the arguments as said, whether an answer came.
    calls: HashMap<String, Call>,
    /// Messages that come in chunks.
    chunks: HashMap<String, MessageId>,
    thoughts: HashSet<String>,
    /// Calls of tools outside, by the request that their end names.
    outside: HashMap<String, String>,
}

struct Call {
    message: MessageId,
    name: Option<String>,
    arguments: String,
    started: bool,
    answered: bool,
}

/// One event being told.
struct Event<'a> {
    entry: EntryId,
    id: &'a str,
    parent: Option<&'a str>,
    kind: &'a str,
    when: When,
    branch: Option<Branch>,
    data: &'a Node,
}

/// Tells a session of events, and the notes beside it.
pub(super) fn tell(account: &mut Account, files: &[EvidenceFile]) {
    let mut stream = Stream::default();
    account.known = Some(&super::known::KNOWN);
    for file in files {
        match file.file.rsplit('.').next() {
            Some("md") => beside::note(account, file),
            Some("yaml") => beside::facts(account, file),
            Some(_) | None => account.read_jsonl(file, |account, record| stream.record(account, &record)),
        }
    }
    for call in stream.calls.values().filter(|call| !call.answered) {
        let content = &mut account.message(call.message).content;
        content.push_str(if content.is_empty() { "interrupted" } else { "\ninterrupted" });
    }
    if account.cwd.is_none() && !account.project_dir.is_empty() {
        account.cwd = Some(account.project_dir.clone());
    }
}

impl Stream {
    fn record(&mut self, account: &mut Account, record: &Record<'_>) {
        let value = record.value;
        let kind = value.get_str("type").unwrap_or_default();
        let data = value.get("data").filter(|d| d.kind() == JsonType::Object);
        account.set_kind(record.entry, kind.clone().into_owned());
        let treat = EVENTS.iter().find(|(name, _)| *name == kind).map(|(_, treat)| *treat);
        let treat = treat.or_else(|| EPHEMERAL.contains(&&*kind).then_some(Treat::Fold));
        let (Some(treat), Some(data)) = (treat, data) else {
            let name = if kind.is_empty() { "event".to_owned() } else { kind.into_owned() };
            let when = account.time(value.get("timestamp"), record.locator);
            let id = account.unknown(record.entry, name, &value.raw_text());
            account.message(id).when = when;
            return;
        };
        let node = Node::of(data);
        let id = value.get_str("id").filter(|id| !id.is_empty()).unwrap_or_default();
        let parent = value.get_str("parentId");
        let side = node.get_str("parentToolCallId").is_some() || value.get("agentId").is_some_and(|a| a.str().is_some());
        let event = Event {
            entry: record.entry,
            id: &id,
            parent: parent.as_deref().filter(|p| !p.is_empty()),
            kind: &kind,
            when: account.time(value.get("timestamp"), record.locator),
            branch: side.then_some(Branch::Sidechain),
            data: &node,
        };
        account.refate(record.entry, Fate::Folded(Reason::Metadata, None));
        self.event(account, &event, treat);
        for (key, field) in value.entries() {
            if !["type", "data", "id", "timestamp", "parentId", "ephemeral", "agentId"].contains(&&*key)
                && !field.is_default()
            {
                let entry = account.block(record.entry, format!("/{key}"), "field", field.raw().len(), Fate::Pending);
                account.unknown(entry, format!("{kind}/{key}"), &field.raw_text());
            }
        }
    }

    fn event(&mut self, account: &mut Account, event: &Event<'_>, treat: Treat) {
        match treat {
            Treat::User => self.user(account, event),
            Treat::Assistant => self.assistant(account, event),
            Treat::Reasoning => {
                self.thought(account, event, "content");
                self.fold(account, event, &["content"]);
            }
            Treat::Call => self.call(account, event),
            Treat::Answer => self.answer(account, event),
            Treat::Say(fields) => self.say(account, event, fields),
            Treat::SayFailure(fields) => {
                let result = event.data.get("result").and_then(|result| result.get_str("kind").or(result.str()));
                let denied = result.is_some_and(|kind| kind.starts_with("denied"));
                let failed = event.data.get("success").is_some_and(|s| s.data == Data::Bool(false));
                self.say(account, event, if denied || failed { fields } else { &[] });
            }
            Treat::Asset => {
                let data = event.data.get_str("data").unwrap_or_default();
                let content = binary::describe(event.data.get_str("mimeType").unwrap_or("application/octet-stream"), data);
                let content = match event.data.get_str("description") {
                    Some(description) => format!("{content} {description}"),
                    None => content,
                };
                let id = self.push(account, event, "", Kind::Attachment, MessageType::User, content);
                account.block(event.entry, "/data/data", "asset", data.len(), Fate::Recovered(id));
                self.fold(account, event, &["data", "mimeType", "type", "description"]);
            }
            Treat::About => {
                about(account, event);
                self.fold(account, event, &[]);
            }
            Treat::Fold => {
                let call = event.data.get_str("requestId").and_then(|request| self.outside.get(request));
                if let Some(known) = call.filter(|_| event.kind == "external_tool.completed") {
                    self.calls.entry(known.clone()).and_modify(|call| call.answered = true);
                }
                self.fold(account, event, &[]);
            }
            Treat::Ui => account.refate(event.entry, Fate::Dropped(Reason::UiState)),
        }
    }

    fn push(
        &mut self,
        account: &mut Account,
        event: &Event<'_>,
        part: &str,
        kind: Kind,
        from: MessageType,
        content: String,
    ) -> MessageId {
        let mut id = match event.id {
            "" => format!("event-{}{part}", event.entry),
            id => format!("{id}{part}"),
        };
        while !self.ids.insert(id.clone()) {
            id.push('+');
        }
        let locator = account.locator(event.entry).clone();
        let mut message = Message::recovered(id, from, kind, content, Reason::ExtendedCoverage, locator);
        message.when = event.when;
        message.parent_uuid = event.parent.map(str::to_owned);
        message.branch = event.branch;
        message.has_code = kind == Kind::Text && text::has_fence(&message.content);
        message.has_tool_use = kind == Kind::ToolCall;
        account.push(message)
    }

    /// Every field that was not told is known about the event by its name.
    fn fold(&mut self, account: &mut Account, event: &Event<'_>, told: &[&str]) {
        for (key, field) in event.data.members() {
            if told.contains(&&**key) || IDS.contains(&&**key) || words::text_len(field) == 0 || field.is_default() {
                continue;
            }
            let (bytes, fate) = (words::text_len(field), Fate::Folded(Reason::Metadata, None));
            let entry = account.block(event.entry, format!("/data/{key}"), format!("{}/{key}", event.kind), bytes, fate);
            account.excerpt(entry, &words::plain(field));
        }
    }

    fn say(&mut self, account: &mut Account, event: &Event<'_>, fields: &[&str]) {
        let said: Vec<String> =
            fields.iter().filter_map(|f| event.data.get(f)).map(words::plain).filter(|s| !s.is_empty()).collect();
        if !fields.is_empty() {
            let failed = event.data.get("success").is_some_and(|s| s.data == Data::Bool(false));
            let mut content = said.join("\n");
            if failed {
                content = format!("failed\n{content}");
            }
            let content = if content.is_empty() { event.kind.to_owned() } else { content };
            let bytes = content.len();
            let id = self.push(account, event, "", Kind::Event, MessageType::System, content);
            account.message(id).tool_call_id = event.data.get_str("toolCallId").map(str::to_owned);
            account.block(event.entry, "/data", event.kind.to_owned(), bytes, Fate::Recovered(id));
        }
        self.fold(account, event, fields);
    }

    fn user(&mut self, account: &mut Account, event: &Event<'_>) {
        let said = |key: &&str| event.data.get(key).is_some_and(|said| words::text_len(said) > 0);
        let key = PROMPTS.iter().copied().find(said).unwrap_or("content");
        let content = event.data.get(key).map(words::plain).unwrap_or_default();
        let by_tool = event.data.get_str("source").is_some_and(|s| s.starts_with("skill"))
            || event.data.get("isAutopilotContinuation").is_some_and(Node::is_true);
        let from = if by_tool { MessageType::System } else { MessageType::User };
        let bytes = content.len();
        let id = self.push(account, event, "", Kind::Text, from, content);
        if by_tool {
            account.message(id).role = "system-initiated".to_owned();
        }
        let place = format!("/data/{key}");
        account.block(event.entry, place, format!("user.message/{key}"), bytes, Fate::Recovered(id));
        for (i, item) in event.data.get("attachments").map(Node::items).unwrap_or_default().iter().enumerate() {
            let content = match (item.get_str("data"), item.get_str("mimeType")) {
                (Some(body), Some(media)) => {
                    let about = words::fields(item, &["displayName", "path"], &["data", "mimeType"]);
                    format!("{} {about}", binary::describe(media, body))
                }
                _ => match item.members().is_empty() {
                    true => words::plain(item),
                    false => words::fields(item, &["displayName", "path", "text"], &[]),
                },
            };
            let bytes = words::text_len(item);
            let id = self.push(account, event, &format!("/attachment/{i}"), Kind::Attachment, MessageType::User, content);
            let pointer = format!("/data/attachments/{i}");
            account.block(event.entry, pointer, "user.message/attachment", bytes, Fate::Recovered(id));
        }
        self.fold(account, event, &[key, "attachments"]);
    }

    fn assistant(&mut self, account: &mut Account, event: &Event<'_>) {
        let data = event.data;
        let content = data.get("content").map(words::plain).unwrap_or_default();
        self.thought(account, event, "reasoningText");
        let part = data.get("chunkCount").and_then(Node::f64).filter(|n| *n > 1.0).and(data.get_str("messageId"));
        if !content.is_empty() {
            let bytes = content.len();
            let id = match part.and_then(|id| self.chunks.get(id)) {
                Some(&id) => {
                    account.message(id).content.push_str(&content);
                    id
                }
                None => self.push(account, event, "", Kind::Text, MessageType::Assistant, content),
            };
            if let Some(part) = part {
                self.chunks.insert(part.to_owned(), id);
            }
            account.block(event.entry, "/data/content", "assistant.message/content", bytes, Fate::Recovered(id));
        }
        for (i, request) in data.get("toolRequests").map(Node::items).unwrap_or_default().iter().enumerate() {
            let name = request.get_str("name").or(request.get_str("toolName"));
            let call = request.get_str("toolCallId").or(request.get_str("id"));
            let pointer = format!("/data/toolRequests/{i}");
            self.request(account, event, &pointer, request, name, call);
        }
        for key in ["reasoningOpaque", "encryptedContent"] {
            if let Some(opaque) = data.get_str(key) {
                let fate = Fate::Dropped(Reason::EncryptedContent);
                account.block(event.entry, format!("/data/{key}"), format!("{}/{key}", event.kind), opaque.len(), fate);
            }
        }
        let told = ["content", "reasoningText", "toolRequests", "reasoningOpaque", "encryptedContent"];
        self.fold(account, event, &told);
    }

    /// Reasoning, which stands both by itself and with its message.
    fn thought(&mut self, account: &mut Account, event: &Event<'_>, key: &str) {
        let Some(content) = event.data.get_str(key) else { return };
        let name = format!("{}/{key}", event.kind);
        let fate = if self.thoughts.insert(content.to_owned()) {
            let content = content.to_owned();
            Fate::Recovered(self.push(account, event, "/reasoning", Kind::Reasoning, MessageType::Assistant, content))
        } else {
            Fate::Dropped(Reason::Duplicate)
        };
        account.block(event.entry, format!("/data/{key}"), name, content.len(), fate);
    }

    fn call(&mut self, account: &mut Account, event: &Event<'_>) {
        // A tool of a server goes by both names.
        let of_server = || Some(format!("{}-{}", event.data.get_str("mcpServerName")?, event.data.get_str("mcpToolName")?));
        let name = event.data.get_str("toolName").map(str::to_owned).or_else(of_server);
        let call = event.data.get_str("toolCallId");
        self.request(account, event, "/data", event.data, name.as_deref(), call);
        if let (Some(request), Some(call)) = (event.data.get_str("requestId"), call) {
            self.outside.insert(request.to_owned(), call.to_owned());
        }
        let said = if event.data.get_str("toolName").is_some() { &["arguments", "toolName"][..] } else { &["arguments"] };
        self.fold(account, event, said);
    }

    /// One call, which stands with the message that asked for it and again when it starts. Another tool, or a start
    /// after the answer, is another call though it goes by the same id.
    fn request(
        &mut self,
        account: &mut Account,
        event: &Event<'_>,
        pointer: &str,
        request: &Node,
        name: Option<&str>,
        call: Option<&str>,
    ) {
        let arguments = request.get("arguments").map(words::plain).unwrap_or_default();
        let normal = normal(&arguments);
        let same_name = |known: &Call| known.name.is_none() || name.is_none() || known.name.as_deref() == name;
        let starts = pointer == "/data";
        let ended = |known: &Call| known.started && known.answered;
        let same = |known: &&mut Call| known.arguments == normal && same_name(known) && !ended(known);
        if let Some(known) = call.and_then(|call| self.calls.get_mut(call)).filter(same) {
            known.started |= starts;
            let fate = Fate::Folded(Reason::Duplicate, Some(known.message));
            account.block(event.entry, format!("{pointer}/arguments"), event.kind.to_owned(), arguments.len(), fate);
            return;
        }
        let without = ["arguments", "name", "toolName", "toolCallId", "id", "type"];
        let more = if starts { String::new() } else { words::fields(request, &[], &without) };
        let content = [arguments.as_str(), more.as_str()].iter().filter(|s| !s.is_empty()).copied().collect::<Vec<_>>();
        let content = content.join("\n");
        let bytes = content.len();
        let part = if starts { String::new() } else { pointer.trim_start_matches("/data").to_owned() };
        let id = self.push(account, event, &part, Kind::ToolCall, MessageType::Assistant, content);
        let message = account.message(id);
        message.tool_name = name.map(str::to_owned);
        message.tool_call_id = call.map(str::to_owned);
        if event.kind == "tool.user_requested" {
            message.message_type = MessageType::User;
            message.role = MessageType::User.code().to_owned();
        }
        account.block(event.entry, pointer.to_owned(), event.kind.to_owned(), bytes, Fate::Recovered(id));
        if let Some(call) = call {
            let call_of = Call { message: id, name: name.map(str::to_owned), arguments: normal, started: starts, answered: false };
            self.calls.insert(call.to_owned(), call_of);
        }
    }

    fn answer(&mut self, account: &mut Account, event: &Event<'_>) {
        let call = event.data.get_str("toolCallId");
        let mut name = None;
        if let Some(known) = call.and_then(|call| self.calls.get_mut(call)) {
            known.answered = true;
            name = known.name.clone();
        }
        let result = event.data.get("result");
        let mut pieces: Vec<String> = Vec::new();
        match result.map(|r| (r, r.members().is_empty())) {
            Some((result, true)) => pieces.push(words::plain(result)),
            Some((result, false)) => {
                let full = ["detailedContent", "content"].iter().find_map(|key| result.get_str(key));
                pieces.extend(full.map(str::to_owned));
                let same = |key: &str| result.get_str(key).is_none_or(|t| full.is_some_and(|f| f.contains(t)));
                let mut without = vec!["detailedContent"];
                if same("content") {
                    without.push("content");
                }
                pieces.push(words::fields(result, &[], &without));
            }
            None => {}
        }
        if let Some(error) = event.data.get("error") {
            pieces.push(words::fields(error, &["message"], &[]));
            if error.members().is_empty() {
                pieces.push(words::plain(error));
            }
        }
        if event.data.get("success").is_some_and(|s| s.data == Data::Bool(false)) {
            pieces.insert(0, "failed".to_owned());
        }
        pieces.retain(|p| !p.is_empty());
        let content = pieces.join("\n");
        let bytes = content.len();
        let id = self.push(account, event, "", Kind::ToolResult, MessageType::System, content);
        let message = account.message(id);
        message.tool_name = name;
        message.tool_call_id = call.map(str::to_owned);
        account.block(event.entry, "/data", event.kind.to_owned(), bytes, Fate::Recovered(id));
        self.fold(account, event, &["result", "error", "success"]);
    }
}

/// Arguments without regard to how they are spaced: as text they are JSON, as an object they were.
fn normal(arguments: &str) -> String {
    let mut tape = Tape::new();
    match tape.read_whole(arguments.as_bytes()) {
        Ok(value) => words::json(&Node::of(value)),
        Err(_) => arguments.to_owned(),
    }
}

/// Folder, branch, version and title of the session.
fn about(account: &mut Account, event: &Event<'_>) {
    let data = event.data;
    let context = data.get("context").unwrap_or(data);
    if let Some(folder) = context.get_str("cwd") {
        if account.cwd.as_deref().is_some_and(|known| known != folder) {
            account.notice(NoticeCode::CwdChanged, folder, Some(account.locator(event.entry).clone()));
        } else {
            account.cwd = Some(folder.to_owned());
        }
        if account.project_dir.is_empty() {
            account.project_dir = folder.to_owned();
            account.project_name = crate::account::base_name(folder).to_owned();
        }
    }
    if let Some(branch) = context.get_str("branch") {
        account.git_branch = Some(branch.to_owned());
    }
    if let Some(version) = data.get_str("copilotVersion") {
        account.tool_version = Some(version.to_owned());
    }
    if let Some(at) = data.get_str("startTime").and_then(Timestamp::parse) {
        account.created_at.get_or_insert(at);
    }
    if data.get("version").and_then(Node::f64).is_some_and(|v| v > 1.0) {
        let version = data.get("version").map(words::json).unwrap_or_default();
        account.notice(NoticeCode::UnknownVersion, version, None);
    }
}
