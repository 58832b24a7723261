//! A conversation on its way in, what is known of it already, and what will have to be done.
//!
//! [`Prepared`] is everything that can be worked out before the writer's turn (on the thread that parsed),
//! so that the one writer only writes. Deliberately absent: the decision to read a store at all, and the
//! database.

use crate::code::json;
use crate::ledger::{Chunk, chunks};
use crate::message::Files;
use crate::original::Original;
use assay_model::hash::{self, Hash};
use assay_model::{
    Candidate, Kind, Ledger, Message, MessageType, ParsedConversation, Retention, Summary, Verdict, text,
};
use std::collections::HashMap;

/// What the library knows of a conversation without opening it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Known {
    /// The library's key.
    pub key: i64,
    /// Where it was read from.
    pub file_path: String,
    /// Bytes of the store, as it was read.
    pub file_size: u64,
    /// Modification time of the store, as it was read; nanoseconds since 1970.
    pub file_mtime: i64,
    /// The parser that read it, `name@n`.
    pub parser_version: String,
    /// Under which retention.
    pub retention: Retention,
    /// The hash of the reference messages.
    pub content_hash: Hash,
    /// The hash of the whole timeline.
    pub full_hash: Hash,
    /// The hash of all that the other two leave out: ids, times, places, the account, what the scan told.
    pub rest_hash: Hash,
    /// The hash of the store's own bytes, if it was made.
    pub raw_hash: Option<Hash>,
    /// When it was read, nanoseconds since 1970.
    pub read_at: i64,
    /// Messages in the library.
    pub messages: u32,
    /// Since when the source no longer has it, milliseconds since 1970.
    pub gone_since: Option<i64>,
    /// How well it survived.
    pub verdict: Verdict,
    /// Its title.
    pub title: String,
    /// Whether the bytes that it was read from are kept.
    pub original: bool,
    /// Whether its last record was still being written.
    pub pending: bool,
}

impl Known {
    /// Whether place, size and time of the store, the parser and the retention are what they were, so that
    /// reading it again could find nothing new (if its time can be trusted, which the caller has to know). A
    /// record that was still being written is looked at again: nobody may have finished it.
    pub fn is_current(&self, candidate: &Candidate, parser_version: &str, retention: Retention) -> bool {
        !self.pending
            && self.file_size == candidate.file_size
            && self.file_mtime == candidate.file_mtime
            && self.parser_version == parser_version
            && self.retention == retention
            && self.file_path == candidate.file_path.to_string_lossy()
    }

    /// Whether the timeline in the library is the beginning of this one.
    pub(crate) fn is_head_of(&self, incoming: &Incoming<'_>) -> bool {
        let head = self.messages as usize;
        let root = || hash::chain_root(incoming.conversation);
        let link = head.checked_sub(1).map_or_else(|| Some(root()), |last| incoming.chain.get(last).copied());
        head < incoming.chain.len() && link == Some(self.full_hash)
    }
}

/// Conversations of one source by the source's own id.
pub type KnownOfSource = HashMap<String, Known>;

/// What is to become of the bytes that a conversation was read from.
#[derive(Debug, Clone, Copy)]
pub enum Bytes<'a> {
    /// They are kept.
    Kept(&'a Original),
    /// They are the library's own, and stay.
    OfTheLibrary,
    /// They are not kept, and what is kept of an earlier state goes.
    NotKept,
}

/// A conversation as it was parsed, already under the retention in use.
#[derive(Debug, Clone, Copy)]
pub struct Incoming<'a> {
    /// What the scan found.
    pub candidate: &'a Candidate,
    /// What the parse made of it.
    pub conversation: &'a ParsedConversation,
    /// The account.
    pub ledger: &'a Ledger,
    /// The account in numbers.
    pub summary: &'a Summary,
    /// The verdict.
    pub verdict: Verdict,
    /// See [`hash::content_hash`].
    pub content_hash: Hash,
    /// See [`hash::chain`]; one link for each message.
    pub chain: &'a [Hash],
    /// Hash of the store's own bytes.
    pub raw_hash: Option<Hash>,
    /// `name@n`.
    pub parser_version: &'a str,
    /// The retention in use.
    pub retention: Retention,
    /// When the store was read, nanoseconds since 1970.
    pub read_at: i64,
    /// What it was read from.
    pub original: Bytes<'a>,
}

/// What an import would have to do with a conversation that was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Plan {
    /// Not in the library yet.
    New,
    /// The library has its beginning.
    Grown,
    /// The library has something else under its id.
    Changed,
    /// Every message is the same; something about them, or the account, is not.
    Metadata,
    /// Nothing is different.
    Unchanged,
}

impl Plan {
    /// The stable kebab-case code.
    pub fn code(self) -> &'static str {
        match self {
            Plan::New => "new",
            Plan::Grown => "grown",
            Plan::Changed => "changed",
            Plan::Metadata => "metadata",
            Plan::Unchanged => "unchanged",
        }
    }

    /// What carrying it out is called.
    pub fn outcome(self) -> Outcome {
        match self {
            Plan::New => Outcome::Inserted,
            Plan::Grown => Outcome::Grown,
            Plan::Changed => Outcome::Replaced,
            Plan::Metadata => Outcome::MetadataUpdated,
            Plan::Unchanged => Outcome::Unchanged,
        }
    }
}

/// What the library did with a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Outcome {
    /// It is new.
    Inserted,
    /// It took the place of another content.
    Replaced,
    /// Messages were added at its end.
    Grown,
    /// Its messages stayed; what is known about them was brought up to date.
    MetadataUpdated,
    /// Nothing was written.
    Unchanged,
}

impl Outcome {
    /// The stable kebab-case code.
    pub fn code(self) -> &'static str {
        match self {
            Outcome::Inserted => "inserted",
            Outcome::Replaced => "replaced",
            Outcome::Grown => "grown",
            Outcome::MetadataUpdated => "metadata-updated",
            Outcome::Unchanged => "unchanged",
        }
    }
}

impl Incoming<'_> {
    /// The hash of the whole timeline.
    pub fn full_hash(&self) -> Hash {
        self.chain.last().copied().unwrap_or_else(|| hash::chain_root(self.conversation))
    }

    /// The hash of everything that is stored and in neither of the other two. When it was read is not in
    /// it: reading the same again must find nothing to write.
    fn rest_hash(&self, files: &Files) -> Hash {
        let ParsedConversation { slug, project_dir, project_name, cwd, git_branch, tool_version, links, .. } =
            self.conversation;
        let mut sink = hash::Stream::default();
        let mut part = |value: String| {
            sink.update(&(value.len() as u64).to_le_bytes());
            sink.update(value.as_bytes());
        };
        let Candidate { id: _, source: _, file_path, file_size, file_mtime, project_dir: scanned, coverage, hint } =
            self.candidate;
        part(json(&(file_path.to_string_lossy(), file_size, file_mtime, scanned, coverage, hint)));
        part(json(&(slug, project_dir, project_name, cwd, git_branch, tool_version, links)));
        part(json(&(self.summary, self.verdict, self.parser_version, self.retention, files.paths())));
        part(json(&(&self.ledger.extents, self.ledger.rows, self.ledger.row_bytes, &self.ledger.notices)));
        part(json(&self.conversation.reference_order));
        for messages in self.conversation.messages.chunks(64) {
            let about: Vec<_> = messages.iter().map(about).collect();
            part(json(&about));
        }
        for entries in crate::ledger::uncompressed(self.ledger, files) {
            part(entries);
        }
        sink.finish()
    }
}

/// What is stored of a message and is not in the chain of hashes.
fn about(m: &Message) -> impl serde::Serialize {
    (&m.id, &m.parent_uuid, m.when.at(), m.when.origin(), m.when.rule(), &m.superseded_by, m.out_of_order, &m.locator)
}

/// Compares what was read with what is known.
pub fn plan(known: Option<&Known>, incoming: &Incoming<'_>) -> Plan {
    Compared::with(known, incoming).plan
}

struct Compared {
    plan: Plan,
    /// Messages that the library has already, with the same texts.
    head: u32,
    files: Files,
    rest_hash: Hash,
}

impl Compared {
    fn with(known: Option<&Known>, incoming: &Incoming<'_>) -> Self {
        let files = Files::of(incoming.conversation, incoming.ledger);
        let rest_hash = incoming.rest_hash(&files);
        let (plan, head) = match known {
            None => (Plan::New, 0),
            Some(k) if k.content_hash == incoming.content_hash && k.full_hash == incoming.full_hash() => {
                let kept = k.original || !matches!(incoming.original, Bytes::Kept(_));
                let same = kept && k.rest_hash == rest_hash && incoming.raw_hash.is_none_or(|h| k.raw_hash == Some(h));
                (if same { Plan::Unchanged } else { Plan::Metadata }, k.messages)
            }
            Some(k) if k.is_head_of(incoming) => (Plan::Grown, k.messages),
            Some(_) => (Plan::Changed, 0),
        };
        Self { plan, head, files, rest_hash }
    }
}

/// What the writer needs of an [`Incoming`], worked out beforehand.
#[derive(Debug)]
pub struct Prepared {
    pub(crate) plan: Plan,
    pub(crate) head: u32,
    pub(crate) files: Files,
    pub(crate) rest_hash: Hash,
    pub(crate) chunks: Vec<Chunk>,
    pub(crate) title: String,
    /// What the library knew: the key and the hashes.
    known: Option<Fingerprint>,
}

type Fingerprint = (i64, Hash, Hash, Hash, Option<Hash>, bool);

fn fingerprint(k: &Known) -> Fingerprint {
    (k.key, k.content_hash, k.full_hash, k.rest_hash, k.raw_hash, k.original)
}

impl Prepared {
    /// Works out what storing `incoming` takes, given what the library knows of it.
    pub fn new(known: Option<&Known>, incoming: &Incoming<'_>) -> Self {
        let Compared { plan, head, files, rest_hash } = Compared::with(known, incoming);
        let chunks = if plan == Plan::Unchanged { Vec::new() } else { chunks(incoming.ledger, &files) };
        let title = title(incoming.conversation);
        Self { plan, head, files, rest_hash, chunks, title, known: known.map(fingerprint) }
    }

    /// What will be done.
    pub fn plan(&self) -> Plan {
        self.plan
    }

    /// Whether this is what the library knew when it was prepared.
    pub(crate) fn is_for(&self, known: Option<&Known>) -> bool {
        self.known == known.map(fingerprint)
    }
}

/// The title that the tool wrote, else the beginning of the first prompt, else of whatever was said first.
pub fn title(conversation: &ParsedConversation) -> String {
    let slug = conversation.slug.as_deref().filter(|s| !text::is_blank(s));
    // A prompt by the published rules, else one that was recovered, else whatever was said first.
    let wanted: [fn(&Message) -> bool; 3] = [
        |m| m.message_type == MessageType::User && m.is_reference(),
        |m| m.message_type == MessageType::User && m.kind == Kind::Text,
        |m| m.kind == Kind::Text,
    ];
    let said = |wanted: &fn(&Message) -> bool| {
        let prompts = conversation.messages.iter().filter(|m| wanted(m));
        prompts.map(|m| m.content.as_str()).find(|c| !text::is_blank(c))
    };
    let words = slug.or_else(|| wanted.iter().find_map(said)).unwrap_or_default().split_whitespace();
    // Enough words for the excerpt, without joining a prompt of megabytes.
    text::excerpt(&words.take(121).collect::<Vec<_>>().join(" "), 120)
}
