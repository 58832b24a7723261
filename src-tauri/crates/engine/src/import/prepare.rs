//! What a worker does with a conversation that was read: everything that need not wait for the writer's turn.
//! Deliberately absent: reading, and the library.

use crate::examine::{Examined, Hashes, Trouble};
use crate::pipeline::{self, Task};
use crate::plan::{self, Rule, Skip};
use assay_library::{Bytes, Incoming, Known, Original, Prepared};
use assay_model::Verdict;
use assay_model::hash::Hash;
use assay_sources::Evidence;
use std::collections::HashSet;

/// What a worker hands to the writer.
pub(super) enum Read {
    /// To be stored.
    Whole(Box<Whole>),
    /// Its bytes are those that the library has.
    SameBytes(Verdict),
    /// Left out.
    Skipped(Skip, Option<Verdict>, String),
    /// Not among the actions that were asked for.
    Unasked,
    /// Could not be read.
    Failed(Trouble),
}

pub(super) struct Whole {
    pub(super) examined: Examined,
    hashes: Hashes,
    raw_hash: Option<Hash>,
    read_at: i64,
    original: Kept,
    pub(super) prepared: Prepared,
}

/// What becomes of the bytes that a conversation was read from.
enum Kept {
    /// They are kept.
    Yes(Original),
    /// They are not.
    No,
    /// They are the library's.
    Already,
}

impl Kept {
    fn bytes(&self) -> Bytes<'_> {
        match self {
            Kept::Yes(original) => Bytes::Kept(original),
            Kept::No => Bytes::NotKept,
            Kept::Already => Bytes::OfTheLibrary,
        }
    }
}

impl Whole {
    pub(super) fn incoming<'a>(&'a self, task: &'a Task) -> Incoming<'a> {
        incoming(task, &self.examined, &self.hashes, self.raw_hash, self.read_at, self.original.bytes())
    }

    pub(super) fn bytes(&self) -> u64 {
        let text: usize = self.examined.conversation.messages.iter().map(|m| m.content.len() + 500).sum();
        let original = if let Kept::Yes(original) = &self.original { original.held() } else { 0 };
        (text + self.examined.ledger.entries.len() * 300) as u64 + original
    }
}

/// What the library needs of a conversation that was read.
pub(crate) fn incoming<'a>(
    task: &'a Task,
    examined: &'a Examined,
    hashes: &'a Hashes,
    raw_hash: Option<Hash>,
    read_at: i64,
    original: Bytes<'a>,
) -> Incoming<'a> {
    Incoming {
        candidate: &task.candidate,
        conversation: &examined.conversation,
        ledger: &examined.ledger,
        summary: &examined.summary,
        verdict: examined.verdict,
        content_hash: hashes.content,
        chain: &hashes.chain,
        raw_hash,
        parser_version: task.adapter.manifest().parser_version,
        retention: task.retention,
        read_at,
        original,
    }
}

/// How conversations are read.
#[derive(Clone, Copy)]
pub(super) struct Reading<'a> {
    /// Whether the bytes themselves are compared.
    pub(super) verify: bool,
    /// Where evidence comes from.
    pub(super) from: pipeline::Collect<'a>,
    /// Whether that is the library itself.
    pub(super) again: bool,
}

/// Evidence as it is kept.
fn keep(evidence: &Evidence, pieces: &HashSet<Hash>) -> std::io::Result<Original> {
    let mut original = Original::new(evidence.about());
    evidence.streams(&mut |stream| original.add(stream, pieces))?;
    Ok(original)
}

/// What a worker needs to know to do everything that can be done before the writer's turn.
pub(super) struct Preparing<'a> {
    pub(super) how: Reading<'a>,
    pub(super) rule: Rule,
    pub(super) actions: &'a [String],
    pub(super) pieces: &'a HashSet<Hash>,
}

impl Preparing<'_> {
    pub(super) fn prepare(
        &self,
        task: &Task,
        read: Result<(Examined, Evidence), Trouble>,
        known: Option<&Known>,
        read_at: i64,
    ) -> Read {
        let Self { how, rule, actions, pieces } = self;
        let (full, evidence) = match read {
            Ok(read) => read,
            Err(trouble) => return Read::Failed(trouble),
        };
        let raw_hash = evidence.raw_hash().ok();
        let same = |k: &Known| {
            k.raw_hash == raw_hash
                && (k.original || !rule.originals)
                && k.is_current(&task.candidate, task.adapter.manifest().parser_version, task.retention)
        };
        if let Some(known) = known.filter(|k| how.verify && raw_hash.is_some() && same(k)) {
            return Read::SameBytes(known.verdict);
        }
        let examined = full.under(task.retention);
        if plan::is_short(&examined, rule.minimum) {
            let title = assay_library::title(&examined.conversation);
            return Read::Skipped(Skip::FewerThanTwoMessages, Some(examined.verdict), title);
        }
        let original = match (how.again, rule.originals) {
            (true, _) => Kept::Already,
            (false, false) => Kept::No,
            (false, true) => match keep(&evidence, pieces) {
                Ok(original) => Kept::Yes(original),
                Err(error) => return Read::Failed(Trouble { code: "io", detail: error.to_string() }),
            },
        };
        drop(evidence);
        let read_at = known.filter(|_| how.again).map_or(read_at, |k| k.read_at);
        let hashes = Hashes::of(&examined.conversation);
        let prepared = Prepared::new(known, &incoming(task, &examined, &hashes, raw_hash, read_at, original.bytes()));
        if !actions.is_empty() && !actions.iter().any(|a| a == prepared.plan().code()) {
            return Read::Unasked;
        }
        Read::Whole(Box::new(Whole { examined, hashes, raw_hash, read_at, original, prepared }))
    }
}
