//! One item of a conversation's timeline.

use crate::{Locator, Reason, When};
use serde::ser::SerializeStruct;
use serde::{Deserialize, Serialize, Serializer};

/// Who a message is from, in the reference system's three words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MessageType {
    /// The person.
    User,
    /// The model.
    Assistant,
    /// The tool itself, or something injected.
    System,
}

impl MessageType {
    /// `user`, `assistant` or `system`.
    pub fn code(self) -> &'static str {
        match self {
            MessageType::User => "user",
            MessageType::Assistant => "assistant",
            MessageType::System => "system",
        }
    }
}

/// What a message is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Something said.
    Text,
    /// A tool being called, with its input.
    ToolCall,
    /// What a tool answered.
    ToolResult,
    /// The model's reasoning.
    Reasoning,
    /// Something that happened: compaction, an error, an interruption.
    Event,
    /// A file, an image, context handed to the model.
    Attachment,
    /// Written but never sent.
    Draft,
}

impl Kind {
    /// The kebab-case code.
    pub fn code(self) -> &'static str {
        match self {
            Kind::Text => "text",
            Kind::ToolCall => "tool-call",
            Kind::ToolResult => "tool-result",
            Kind::Reasoning => "reasoning",
            Kind::Event => "event",
            Kind::Attachment => "attachment",
            Kind::Draft => "draft",
        }
    }
}

/// Whether the published rules keep a message, or full retention recovered it and from what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Provenance {
    /// Kept by the published rules.
    Reference,
    /// Recovered; the reason is the boundary it crossed.
    Recovered(Reason),
}

/// A message that is not on the conversation's live path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Branch {
    /// On a branch that was left (a rewind, an edited prompt).
    Abandoned,
    /// A side conversation inside the same store.
    Sidechain,
    /// Replaced by a later version of itself.
    Superseded,
    /// Taken back by the tool (a rollback, a refusal).
    RolledBack,
    /// Not placed by the tool's own order.
    Unplaced,
}

impl Branch {
    /// The kebab-case code.
    pub fn code(self) -> &'static str {
        match self {
            Branch::Abandoned => "abandoned",
            Branch::Sidechain => "sidechain",
            Branch::Superseded => "superseded",
            Branch::RolledBack => "rolled-back",
            Branch::Unplaced => "unplaced",
        }
    }
}

/// One item of the timeline. See [`Message::new`] for a plain one.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    /// The tool's own id where it wrote one, else derived from the record's place.
    pub id: String,
    /// The tool's id of the message this one follows. May name a message that is not here.
    pub parent_uuid: Option<String>,
    /// Who it is from.
    pub message_type: MessageType,
    /// The role as the record states it; free text.
    pub role: String,
    /// What it is.
    pub kind: Kind,
    /// The text.
    pub content: String,
    /// Reasoning that belongs to the message.
    pub thinking: Option<String>,
    /// Whether tools were used; tool calls of the published rules survive only as this flag.
    pub has_tool_use: bool,
    /// Whether it holds code, by the source's own rule.
    pub has_code: bool,
    /// Its time and where that came from.
    pub when: When,
    /// Whether the published rules keep it.
    pub provenance: Provenance,
    /// The tool's name, for calls and results.
    pub tool_name: Option<String>,
    /// The id that joins a call to its result.
    pub tool_call_id: Option<String>,
    /// Index in the timeline. Set when the account is closed.
    pub position: u32,
    /// Where it came from.
    pub locator: Locator,
    /// Set when it is not on the live path.
    pub branch: Option<Branch>,
    /// Id of the message that replaced it.
    pub superseded_by: Option<String>,
    /// Whether its recorded time disagrees with its position. Set when the account is closed.
    pub out_of_order: bool,
}

impl Message {
    /// A message of the published rules with nothing but text; change the other fields as needed.
    pub fn new(id: impl Into<String>, from: MessageType, content: impl Into<String>, locator: Locator) -> Self {
        Self {
            id: id.into(),
            parent_uuid: None,
            message_type: from,
            role: from.code().to_owned(),
            kind: Kind::Text,
            content: content.into(),
            thinking: None,
            has_tool_use: false,
            has_code: false,
            when: When::MISSING,
            provenance: Provenance::Reference,
            tool_name: None,
            tool_call_id: None,
            position: 0,
            locator,
            branch: None,
            superseded_by: None,
            out_of_order: false,
        }
    }

    /// A message that only full retention keeps.
    pub fn recovered(
        id: impl Into<String>,
        from: MessageType,
        kind: Kind,
        content: impl Into<String>,
        reason: Reason,
        locator: Locator,
    ) -> Self {
        Self { kind, provenance: Provenance::Recovered(reason), ..Self::new(id, from, content, locator) }
    }

    /// Whether the published rules keep it.
    pub fn is_reference(&self) -> bool {
        self.provenance == Provenance::Reference
    }

    /// The boundary it crossed, for a recovered one.
    pub fn reason(&self) -> Option<Reason> {
        match self.provenance {
            Provenance::Reference => None,
            Provenance::Recovered(reason) => Some(reason),
        }
    }
}

impl Serialize for Message {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut s = serializer.serialize_struct("Message", 21)?;
        s.serialize_field("id", &self.id)?;
        s.serialize_field("parentUuid", &self.parent_uuid)?;
        s.serialize_field("type", &self.message_type)?;
        s.serialize_field("role", &self.role)?;
        s.serialize_field("kind", &self.kind)?;
        s.serialize_field("content", &self.content)?;
        s.serialize_field("thinking", &self.thinking)?;
        s.serialize_field("hasToolUse", &self.has_tool_use)?;
        s.serialize_field("hasCode", &self.has_code)?;
        s.serialize_field("timestamp", &self.when.at())?;
        s.serialize_field("timestampOrigin", self.when.origin())?;
        s.serialize_field("timestampRule", &self.when.rule())?;
        s.serialize_field("retention", if self.is_reference() { "reference" } else { "recovered" })?;
        s.serialize_field("reason", &self.reason())?;
        s.serialize_field("toolName", &self.tool_name)?;
        s.serialize_field("toolCallId", &self.tool_call_id)?;
        s.serialize_field("position", &self.position)?;
        s.serialize_field("locator", &self.locator)?;
        s.serialize_field("branch", &self.branch)?;
        s.serialize_field("supersededBy", &self.superseded_by)?;
        s.serialize_field("outOfOrder", &self.out_of_order)?;
        s.end()
    }
}
