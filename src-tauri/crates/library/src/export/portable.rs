//! The payload of ChatCrystal's remote import, checked before it is written as the receiver checks it.
//!
//! The receiver's checks and its tables were read at its version 03bf99e4: ids of messages are keys of the
//! whole of its database, and no time may be missing. Deliberately absent: sending it.

use super::{Document, Exported, portable_ids};
use assay_model::{Candidate, Message, Timestamp, hash, identity};
use serde::Serialize;
use std::collections::HashSet;

/// A conversation that cannot be put in a payload.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The source.
    pub source: String,
    /// The source's own id.
    pub id: String,
    /// The portable id.
    pub conversation_id: String,
    /// Why.
    pub reason: RefusalReason,
    /// Ids and numbers.
    pub detail: String,
}

/// Why a conversation cannot be put in a payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RefusalReason {
    /// The receiver does not know the source.
    UnknownSource,
    /// The source gave it no id.
    EmptyId,
    /// Another conversation has the same portable id; the receiver would put one in the place of the other.
    IdCollision,
    /// Two messages have the same portable id; the receiver would keep one of them.
    MessageIdCollision,
    /// Fewer than two messages by the published rules.
    FewerThanTwoMessages,
    /// A message has no time at all, not even a made-up one.
    NoTimestamp,
}

impl RefusalReason {
    /// The stable kebab-case code.
    pub fn code(self) -> &'static str {
        match self {
            RefusalReason::UnknownSource => "unknown-source",
            RefusalReason::EmptyId => "empty-id",
            RefusalReason::IdCollision => "id-collision",
            RefusalReason::MessageIdCollision => "message-id-collision",
            RefusalReason::FewerThanTwoMessages => "fewer-than-two-messages",
            RefusalReason::NoTimestamp => "no-timestamp",
        }
    }
}

/// What the scan told, in the words of the surface.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Meta<'a> {
    id: &'a str,
    source: &'a str,
    file_path: std::borrow::Cow<'a, str>,
    file_size: u64,
    file_mtime: Option<Timestamp>,
    project_dir: &'a str,
}

impl<'a> Meta<'a> {
    pub(super) fn of(candidate: &'a Candidate) -> Self {
        Self {
            id: &candidate.id,
            source: &candidate.source,
            file_path: candidate.file_path.to_string_lossy(),
            file_size: candidate.file_size,
            file_mtime: Timestamp::from_millis(candidate.file_mtime.div_euclid(1_000_000)),
            project_dir: &candidate.project_dir,
        }
    }
}

#[derive(Serialize)]
struct Payload<'a> {
    version: u32,
    items: Vec<Item<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Item<'a> {
    source: &'a str,
    source_conversation_id: &'a str,
    conversation_id: &'a str,
    content_hash: String,
    parser_version: &'a str,
    meta: Meta<'a>,
    parsed: Parsed<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Parsed<'a> {
    id: &'a str,
    slug: Option<&'a str>,
    source: &'a str,
    project_dir: &'a str,
    project_name: &'a str,
    cwd: Option<&'a str>,
    git_branch: Option<&'a str>,
    messages: Vec<Portable<'a>>,
    first_message_at: Option<Timestamp>,
    last_message_at: Option<Timestamp>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Portable<'a> {
    id: String,
    parent_uuid: Option<String>,
    r#type: &'a str,
    role: &'a str,
    content: &'a str,
    has_tool_use: bool,
    has_code: bool,
    thinking: Option<&'a str>,
    timestamp: Option<Timestamp>,
}

pub(super) fn write(documents: &[Document], sources: &[&str]) -> Exported {
    let (mut items, mut refused) = (Vec::new(), Vec::new());
    for document in documents {
        match item(document, sources) {
            Ok(item) => items.push(item),
            Err((reason, detail)) => refused.push(Refusal {
                source: document.stored.listed.source.clone(),
                id: document.stored.listed.id.clone(),
                conversation_id: document.portable_id().to_owned(),
                reason,
                detail,
            }),
        }
    }
    Exported { text: crate::code::json(&Payload { version: 1, items }) + "\n", refused }
}

fn item<'a>(document: &'a Document, sources: &[&str]) -> Result<Item<'a>, (RefusalReason, String)> {
    let (listed, c) = (&document.stored.listed, &document.conversation);
    let refuse = |reason, detail: &str| Err((reason, detail.to_owned()));
    if !sources.contains(&c.source.as_str()) {
        return refuse(RefusalReason::UnknownSource, &c.source);
    }
    if assay_model::text::is_blank(&c.id) {
        return refuse(RefusalReason::EmptyId, "");
    }
    if !document.collides_with.is_empty() {
        return refuse(RefusalReason::IdCollision, &document.collides_with.join(" "));
    }
    debug_assert_eq!(listed.conversation_id, identity::namespace(&c.source, &c.id));
    let reference: Vec<&Message> = c.reference().collect();
    if reference.len() < 2 {
        return refuse(RefusalReason::FewerThanTwoMessages, &reference.len().to_string());
    }
    if let Some(timeless) = reference.iter().find(|m| m.when.at().is_none()) {
        return refuse(RefusalReason::NoTimestamp, &timeless.id);
    }
    let messages: Vec<_> = reference.iter().map(|m| portable(&listed.conversation_id, m)).collect();
    let mut ids = HashSet::new();
    if let Some(twice) = messages.iter().find(|m| !ids.insert(m.id.as_str())) {
        return refuse(RefusalReason::MessageIdCollision, &twice.id);
    }
    let times = || reference.iter().filter_map(|m| m.when.at());
    Ok(Item {
        source: &c.source,
        source_conversation_id: &c.id,
        conversation_id: &listed.conversation_id,
        // Of what is written here, which masking may have changed: the receiver makes it again and compares.
        content_hash: hash::hex(&hash::content_hash(c)),
        parser_version: &listed.parser_version,
        meta: Meta::of(&document.stored.candidate),
        parsed: Parsed {
            id: &listed.conversation_id,
            slug: c.slug.as_deref(),
            source: &c.source,
            project_dir: &c.project_dir,
            project_name: &c.project_name,
            cwd: c.cwd.as_deref(),
            git_branch: c.git_branch.as_deref(),
            first_message_at: times().min(),
            last_message_at: times().max(),
            messages,
        },
    })
}

fn portable<'a>(conversation: &str, m: &'a Message) -> Portable<'a> {
    let (id, parent_uuid) = portable_ids(conversation, m);
    Portable {
        id,
        parent_uuid,
        r#type: m.message_type.code(),
        role: &m.role,
        content: &m.content,
        has_tool_use: m.has_tool_use,
        has_code: m.has_code,
        thinking: m.thinking.as_deref(),
        timestamp: m.when.at(),
    }
}
