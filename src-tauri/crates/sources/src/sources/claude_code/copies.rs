//! Transcripts that share records: sessions that were taken up again, branched or handed to the background.
//!
//! Older versions wrote the whole history into a new file when a session was taken up again, and a hand-over to
//! the background still does; only the records' own ids show it. Each file stays a conversation with all its
//! messages, as the published rules have it; what it shares is counted and linked, once and from the copy to what it
//! was copied from. Deliberately absent: copies whose ids were made anew, which state where they come from, and
//! any match by text.

use super::queue::hash;
use super::tree::Tree;
use crate::readers::json::{Tape, Value};
use crate::readers::records::Content;
use crate::{Account, Evidence, EvidenceFile, Roots, roots};
use assay_model::{Link, NoticeCode, Relation};
use foldhash::HashSet;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

/// How far into a transcript its first record with an id is looked for, in bytes and lines.
const HEAD: u64 = 1 << 20;
const HEAD_LINES: usize = 64;

/// How many transcripts of a group one is compared with on either side. A session that was taken up again a
/// hundred times is a hundred files, each with the whole history; those of the nearest length are the ones that
/// it was copied from and to, and reading all the others for each would take forever.
const NEAREST: usize = 4;

/// What the first records of a transcript say about it.
#[derive(Debug, Default)]
pub(super) struct Head {
    /// The length of the transcript in bytes.
    pub bytes: u64,
    /// The id of the first record that has one, and a hash of what it says: a copy keeps both. Its time a copy may
    /// not keep: answers were stamped anew.
    pub first: Option<String>,
    /// The session that it states.
    pub session: Option<String>,
}

/// A conversation whose transcript begins with the same record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Peer {
    pub id: String,
    pub path: PathBuf,
    /// Whether the scan lists it first.
    #[serde(default)]
    pub before: bool,
}

/// Reads the head of a transcript. One that cannot be read has none; its parse will say why.
pub(super) fn head(path: &Path) -> Head {
    let mut head = Head::default();
    let Ok(file) = roots::open_plain(path) else { return head };
    head.bytes = file.metadata().map_or(0, |meta| meta.len());
    let mut reader = BufReader::new(file.take(HEAD));
    let (mut tape, mut line) = (Tape::new(), Vec::new());
    for _ in 0..HEAD_LINES {
        line.clear();
        if !reader.read_until(b'\n', &mut line).is_ok_and(|read| read > 0) {
            break;
        }
        let Ok((record, _)) = tape.read(line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&line)) else { continue };
        let text = |key: &str| record.get(key).and_then(Value::non_empty).map(std::borrow::Cow::into_owned);
        head.session = head.session.take().or_else(|| text("sessionId"));
        head.first = text("uuid").map(|id| {
            let said = record.path(&["message", "content"]).or(record.get("content"));
            format!("{id} {:x}", hash(said.map(words).unwrap_or_default()))
        });
        if head.first.is_some() {
            break;
        }
    }
    head
}

/// The words of a content: a copy may have them in a block where the original has a plain string.
fn words(content: Value<'_>) -> String {
    let blocks = content.items().filter_map(|block| block.get_str("text"));
    content.str().into_iter().chain(blocks).collect::<Vec<_>>().join("\n")
}

/// The nearest peers of each transcript that has any, by its place in the list.
pub(super) fn peers<'a>(
    transcripts: impl Iterator<Item = (&'a str, &'a Path)>,
    heads: &[Head],
) -> HashMap<usize, Vec<Peer>> {
    let all: Vec<_> = transcripts.collect();
    let mut groups: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, head) in heads.iter().enumerate() {
        if let Some(first) = &head.first {
            groups.entry(first).or_default().push(at);
        }
    }
    let mut found = HashMap::new();
    for mut group in groups.into_values().filter(|group| group.len() > 1) {
        group.sort_by_key(|at| (heads[*at].bytes, *at));
        for (place, at) in group.iter().enumerate() {
            let peer = |other: &usize| {
                let (id, path) = all[*other];
                Peer { id: id.to_owned(), path: path.to_owned(), before: other < at }
            };
            let mut near = group[place.saturating_sub(NEAREST)..group.len().min(place + NEAREST + 1)].to_vec();
            near.sort_unstable();
            found.insert(*at, near.iter().filter(|other| *other != at).map(peer).collect());
        }
    }
    found
}

/// Opens the peers' transcripts beside the evidence.
pub(super) fn consult(roots: &Roots, peers: &[Peer], evidence: &mut Evidence) {
    for peer in peers {
        match EvidenceFile::open(roots, &peer.path) {
            Ok(file) => evidence.consulted.push(file),
            Err(error) => evidence.notice(NoticeCode::ChangedWhileReading, error.to_string()),
        }
    }
}

/// What a peer's transcript has of this one's.
#[derive(Default)]
struct Shared {
    /// Ids of both.
    both: usize,
    /// Ids of the peer.
    theirs: usize,
    /// Whether the peer says that it was written in the background.
    background: bool,
    /// Whether the peer says that it was branched off a session.
    branched: bool,
}

fn shared(file: &EvidenceFile, tree: &Tree) -> Shared {
    let mut shared = Shared::default();
    let mut ids: HashSet<String> = HashSet::default();
    // Damage in the peer only means that less is recognised.
    let _ = file.records(|span| {
        let Content::Record(record, _) = span.content else { return };
        shared.background |= record.get_str("sessionKind").as_deref() == Some("bg");
        shared.branched |= record.path(&["forkedFrom", "sessionId"]).and_then(Value::non_empty).is_some();
        let Some(id) = record.get("uuid").and_then(Value::non_empty) else { return };
        if ids.insert(id.to_string()) {
            shared.both += usize::from(tree.contains(&id));
        }
    });
    shared.theirs = ids.len();
    shared
}

/// Links a conversation to those that it was copied from. `background`: it says itself that it was.
pub(super) fn link(account: &mut Account, peers: &[Peer], tree: &Tree, background: bool, evidence: &Evidence) {
    if account.links.iter().any(|link| link.relation == Relation::Fork) {
        return; // it states itself where it comes from
    }
    for peer in peers {
        let path = roots::display(&peer.path);
        let file = evidence.consulted.iter().find(|f| f.file == path);
        let Some(file) = file else { continue };
        let shared = shared(file, tree);
        let ours = tree.len();
        let (all_of_ours, all_of_theirs) = (shared.both == ours, shared.both == shared.theirs);
        let (relation, code) = match (all_of_ours, all_of_theirs) {
            _ if shared.both == 0 => continue, // changed since the scan
            // It states itself that it comes from here.
            _ if shared.branched || (shared.background && !background) => continue,
            _ if background => (Relation::Fork, NoticeCode::Replay),
            (true, true) if !peer.before => continue, // the copy is the other
            (true, _) => (Relation::Copy, NoticeCode::DuplicateOf),
            // It was taken up again here, or both went on from the same beginning.
            (false, _) => (Relation::Fork, NoticeCode::Replay),
        };
        account.notice(code, format!("{} {} of {ours}", peer.id, shared.both), None);
        account.links.push(Link { relation, conversation: peer.id.clone(), tool_call_id: None });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_taken_up_a_hundred_times_is_compared_with_its_neighbours() {
        let files: Vec<(String, PathBuf)> = (0..100).map(|n| (format!("s{n}"), PathBuf::from(format!("{n}.jsonl")))).collect();
        let heads: Vec<Head> =
            (0..100).map(|n| Head { bytes: 1_000 - n, first: Some("u t".to_owned()), session: None }).collect();
        let found = peers(files.iter().map(|(id, path)| (id.as_str(), path.as_path())), &heads);
        assert_eq!(found.len(), 100, "each has peers");
        assert!(found.values().all(|peers| (NEAREST..=2 * NEAREST).contains(&peers.len())));
        let ids: Vec<&str> = found[&50].iter().map(|peer| peer.id.as_str()).collect();
        assert_eq!(ids, ["s46", "s47", "s48", "s49", "s51", "s52", "s53", "s54"], "in the order of the list");
    }
}
