//! The conversation that a fork or an agent came from, as far as a copy of its beginning is to be known by it.
//!
//! Deliberately absent: what its records mean.

use super::telling::Key;
use crate::EvidenceFile;
use crate::readers::json::{Tape, Value};
use crate::readers::records::Content;
use assay_model::hash;
use foldhash::{HashMap, HashSet};

/// What is known of the conversation that this one came from, to tell a copy of it.
#[derive(Debug, Default)]
pub(super) struct Parent {
    /// What its records say, by hash: a copied record is written again with another time.
    payloads: HashSet<Key>,
    /// Its turns. Their ids are names, and say nothing about time.
    turns: HashSet<String>,
    /// The call that started each agent.
    pub spawned: HashMap<String, String>,
    /// The file's length in bytes.
    pub bytes: u64,
}

impl Parent {
    pub fn of(file: &EvidenceFile) -> Self {
        let mut parent = Self::default();
        // Damage in the parent only means that less of the copy is recognised.
        let end = file.records(|span| {
            if let Content::Record(record, _) = span.content
                && let Some(payload) = record.get("payload")
            {
                parent.payloads.insert(fingerprint(payload));
                parent.turns.extend(turn_of(payload));
                parent.spawned.extend(spawned_by(payload));
            }
        });
        parent.bytes = end.unwrap_or(0);
        parent
    }

    /// Whether one of its records says the same.
    pub fn has(&self, payload: Value<'_>) -> bool {
        self.payloads.contains(&fingerprint(payload))
    }

    /// Whether a record belongs to a turn that the parent does not have.
    pub fn lacks_turn(&self, payload: Value<'_>) -> bool {
        !self.turns.is_empty() && turn_of(payload).is_some_and(|turn| !self.turns.contains(&turn))
    }
}

/// The agent that a record says was started, and by which call.
fn spawned_by(payload: Value<'_>) -> Option<(String, String)> {
    let call = payload.get_any(&["call_id", "event_id"])?.non_empty()?.into_owned();
    let agent = match payload.get("output").and_then(Value::str) {
        Some(output) => {
            let mut tape = Tape::new();
            tape.read_whole(output.as_bytes()).ok()?.get("agent_id")?.non_empty()?.into_owned()
        }
        None => payload.get_any(&["new_thread_id", "agent_thread_id"])?.non_empty()?.into_owned(),
    };
    Some((agent, call))
}

fn turn_of(payload: Value<'_>) -> Option<String> {
    const PLACES: [&[&str]; 3] =
        [&["turn_id"], &["internal_chat_message_metadata_passthrough", "turn_id"], &["metadata", "turn_id"]];
    PLACES.iter().find_map(|place| payload.path(place)?.non_empty()).map(Into::into)
}

fn fingerprint(payload: Value<'_>) -> Key {
    let mut key = Key::default();
    key.copy_from_slice(&hash::sha256(payload.raw())[..16]);
    key
}
