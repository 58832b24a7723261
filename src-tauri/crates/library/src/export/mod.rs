//! Conversations as documents that leave the library. Nothing here opens a file or knows where a document
//! goes; every format says what it leaves out.
//!
//! Deliberately absent: bytes of the original stores, pictures from the network, any knowledge of a source.

mod html;
mod json;
mod markdown;
mod mask;
mod parquet;
mod portable;
mod tables;

use crate::{Error, Reader, Stored};
use assay_model::{Ledger, Message, ParsedConversation, identity};
pub use portable::{Refusal, RefusalReason};
use std::collections::BTreeMap;
use std::sync::Arc;
pub use tables::{LEAVES_OUT as TABLES_LEAVE_OUT, Tables};

/// A form in which conversations leave the library.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// For people and for other tools that read text.
    Markdown,
    /// Everything, one object a line.
    Json,
    /// One page that needs nothing else.
    Html,
    /// The payload of ChatCrystal's remote import.
    Chatcrystal,
}

impl Format {
    /// Every format.
    pub const ALL: [Format; 4] = [Format::Markdown, Format::Json, Format::Html, Format::Chatcrystal];

    /// The word on the command line.
    pub fn code(self) -> &'static str {
        match self {
            Format::Markdown => "markdown",
            Format::Json => "json",
            Format::Html => "html",
            Format::Chatcrystal => "chatcrystal",
        }
    }

    /// The usual ending of a file's name.
    pub fn extension(self) -> &'static str {
        match self {
            Format::Markdown => "md",
            Format::Json => "jsonl",
            Format::Html => "html",
            Format::Chatcrystal => "json",
        }
    }

    /// What is in the library and not in the document, as codes.
    pub fn leaves_out(self) -> &'static [&'static str] {
        match self {
            Format::Markdown | Format::Html => &["ledger-entries", "locators", "message-ids", "parents"],
            Format::Json => &[],
            Format::Chatcrystal => {
                &["recovered-messages", "ledger", "locators", "timestamp-origins", "full-hash", "links", "tool-version"]
            }
        }
    }

    /// Whether secrets should be masked unless a person says otherwise: in what is made to be shown around.
    pub fn masks_by_default(self) -> bool {
        match self {
            Format::Markdown | Format::Html => true,
            Format::Json | Format::Chatcrystal => false,
        }
    }
}

/// One conversation with everything that a format may want.
#[derive(Debug, Clone, PartialEq)]
pub struct Document {
    /// All that is stored but the following.
    pub stored: Stored,
    /// The conversation.
    pub conversation: ParsedConversation,
    /// Its account.
    pub ledger: Ledger,
    /// Other conversations (by the source's own id) with the same portable id.
    pub collides_with: Vec<String>,
    /// What was masked in it, by kind.
    pub masked: BTreeMap<&'static str, u64>,
}

impl Reader {
    /// A conversation as a document, by the library's key.
    pub fn document(&self, key: i64) -> Result<Option<Document>, Error> {
        let Some(stored) = self.show(key)? else { return Ok(None) };
        let (conversation, ledger) = (self.conversation(&stored)?, self.ledger(&stored)?);
        let same = self.by_portable_id(&stored.listed.conversation_id)?;
        let collides_with = same.into_iter().filter(|other| other.key != key).map(|other| other.id).collect();
        Ok(Some(Document { stored, conversation, ledger, collides_with, masked: BTreeMap::new() }))
    }
}

impl Document {
    /// Puts a mark in the place of every secret that can be told by its look, in all that a format may
    /// write. What a stranger would not recognise as a secret is not recognised here either.
    pub fn mask(&mut self) {
        let counts = &mut self.masked;
        let (listed, candidate, c) = (&mut self.stored.listed, &mut self.stored.candidate, &mut self.conversation);
        // Every record names its file; each file is looked at once.
        let mut files: BTreeMap<Arc<str>, Arc<str>> = BTreeMap::new();
        for message in &mut c.messages {
            let texts = [&mut message.thinking, &mut message.tool_name, &mut message.tool_call_id];
            let texts = texts.into_iter().flatten().chain([&mut message.content, &mut message.role]);
            texts.for_each(|text| mask::mask(text, counts));
            mask_file(message.locator.file_mut(), &mut files, counts);
        }
        let texts = [&mut c.slug, &mut c.cwd, &mut c.git_branch, &mut listed.cwd, &mut listed.git_branch];
        let texts = texts.into_iter().flatten().chain([&mut c.project_dir, &mut c.project_name]);
        let texts = texts.chain([&mut listed.title, &mut listed.project_name, &mut candidate.project_dir]);
        texts.for_each(|text| mask::mask(text, counts));
        let mut path = candidate.file_path.to_string_lossy().into_owned();
        let before = path.clone();
        mask::mask(&mut path, counts);
        if path != before {
            candidate.file_path = path.into();
        }
        for entry in &mut self.ledger.entries {
            if let Some(excerpt) = &mut entry.excerpt {
                mask::mask(excerpt, counts);
            }
            if let std::borrow::Cow::Owned(kind) = &mut entry.kind {
                mask::mask(kind, counts);
            }
            mask_file(entry.locator.file_mut(), &mut files, counts);
        }
        for notice in &mut self.ledger.notices {
            mask::mask(&mut notice.detail, counts);
            if let Some(locator) = &mut notice.locator {
                mask_file(locator.file_mut(), &mut files, counts);
            }
        }
        for extent in &mut self.ledger.extents {
            mask_file(&mut extent.file, &mut files, counts);
        }
    }

    fn portable_id(&self) -> &str {
        &self.stored.listed.conversation_id
    }

    /// The heading: its title, else its id.
    fn heading(&self) -> &str {
        let title = self.stored.listed.title.trim();
        if title.is_empty() { self.portable_id() } else { title }
    }

    /// What is said about the conversation before its messages, in this order.
    fn about(&self, format: Format) -> Vec<(&'static str, String)> {
        let (listed, c) = (&self.stored.listed, &self.conversation);
        let time = |at: Option<assay_model::Timestamp>| at.map(|at| at.to_string()).unwrap_or_default();
        let masked: Vec<_> = self.masked.iter().map(|(kind, n)| format!("{kind} {n}")).collect();
        let mut about = vec![
            ("title", self.heading().to_owned()),
            ("source", listed.source.clone()),
            ("conversation", listed.conversation_id.clone()),
            ("project", listed.project_name.clone()),
            ("cwd", c.cwd.clone().unwrap_or_default()),
            ("branch", c.git_branch.clone().unwrap_or_default()),
            ("first", time(listed.first_message_at)),
            ("last", time(listed.last_message_at)),
            ("messages", listed.messages.to_string()),
            ("recovered", listed.recovered.to_string()),
            ("verdict", listed.verdict.code().to_owned()),
            ("lost", listed.lost.to_string()),
            ("retention", listed.retention.code().to_owned()),
            ("parser", listed.parser_version.clone()),
            ("contentHash", assay_model::hash::hex(&self.stored.content_hash)),
            ("fullHash", assay_model::hash::hex(&self.stored.full_hash)),
            ("leavesOut", format.leaves_out().join(", ")),
            ("masked", masked.join(", ")),
        ];
        about.retain(|(_, value)| !value.is_empty());
        about
    }
}

fn mask_file(file: &mut Arc<str>, seen: &mut BTreeMap<Arc<str>, Arc<str>>, counts: &mut BTreeMap<&'static str, u64>) {
    let masked = seen.entry(Arc::clone(file)).or_insert_with(|| {
        let mut path = file.to_string();
        mask::mask(&mut path, counts);
        path.into()
    });
    *file = Arc::clone(masked);
}

/// What is said about a message beside its text: number, who, what, when, and what is special about it.
fn label(message: &Message) -> Vec<String> {
    let mut label = vec![(message.position + 1).to_string(), message.message_type.code().to_owned()];
    if message.kind != assay_model::Kind::Text {
        label.push(message.kind.code().to_owned());
    }
    label.extend(message.tool_name.clone());
    if let Some(at) = message.when.at() {
        label.push(match message.when.rule() {
            None => at.to_string(),
            Some(rule) => format!("{at} ({}: {rule})", message.when.origin()),
        });
    }
    label.extend(message.reason().map(|reason| format!("recovered: {reason}")));
    label.extend(message.branch.map(|branch| branch.code().to_owned()));
    if message.out_of_order {
        label.push("out-of-order".to_owned());
    }
    // In one line, whatever a tool is called.
    label.iter().map(|part| part.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
}

/// A document's text, and what could not be put in it.
#[derive(Debug, Clone, PartialEq)]
pub struct Exported {
    /// The text.
    pub text: String,
    /// Conversations that are not in it, with the reason.
    pub refused: Vec<Refusal>,
}

/// Writes conversations as one document. `sources` are the sources that a receiver knows; only
/// [`Format::Chatcrystal`] has one.
pub fn export(format: Format, documents: &[Document], sources: &[&str]) -> Exported {
    let whole = |text| Exported { text, refused: Vec::new() };
    match format {
        Format::Markdown => whole(markdown::write(documents)),
        Format::Html => whole(html::write(documents)),
        Format::Json => whole(json::write(documents)),
        Format::Chatcrystal => portable::write(documents, sources),
    }
}

/// The portable id of a message, and of a parent where there is one.
fn portable_ids(conversation: &str, message: &Message) -> (String, Option<String>) {
    let parent = message.parent_uuid.as_deref().filter(|parent| !parent.is_empty());
    let portable = |id: &str| identity::namespace_message(conversation, id);
    (portable(&message.id), parent.map(portable))
}
