//! Which texts say the same thing: Codex writes most of a conversation twice or more.
//!
//! The model's history (`response_item`), the client's (`event_msg`) and, in paginated files, completed
//! items tell the same turns, in no fixed order. One *telling* gathers the copies of one text: the same
//! voice, the same text but for white space, the same turn (by id, else by what was said in between),
//! each stream at most once. Which copy is shown is decided at the end; the others are folded into it.
//! Deliberately absent: what a stream's records look like.

use crate::{EntryId, MessageId};
use assay_model::{Message, Reason, hash};
use foldhash::HashMap;
use std::collections::VecDeque;

/// Whose text it is. Texts of different voices are never the same telling.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Voice {
    User,
    Assistant,
    Reasoning,
    /// Images and sound in a prompt.
    Media,
    /// Instructions and surroundings given to the model: told once, wherever they stand again.
    Context,
}

/// Where a copy stands, best first: of copies that the published rules do not keep, the best is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Stream {
    History,
    Client,
    Completed,
}

/// A text but for its white space.
pub(super) type Key = [u8; 16];

/// A copy that is shown only if no better one turns up.
#[derive(Debug)]
pub(super) struct Waiting {
    pub stream: Stream,
    pub place: u32,
    pub message: Message,
    pub blocks: Vec<EntryId>,
}

/// All copies of one text.
#[derive(Debug)]
pub(super) struct Telling {
    turn: Option<Box<str>>,
    epoch: u32,
    heard: u8,
    /// The message that is sure to be there.
    pub shown: Option<MessageId>,
    /// The best of the others.
    pub waiting: Option<Waiting>,
    /// Blocks that say nothing more, and why.
    pub folded: Vec<(EntryId, Reason)>,
}

impl Telling {
    /// Adds a copy that the published rules do not keep.
    pub fn wait(&mut self, new: Waiting) {
        let fold = |blocks: Vec<EntryId>| blocks.into_iter().map(|b| (b, Reason::Duplicate));
        let better = self.waiting.as_ref().is_none_or(|w| new.stream < w.stream);
        if self.shown.is_some() || !better {
            self.folded.extend(fold(new.blocks));
        } else if let Some(old) = self.waiting.replace(new) {
            self.folded.extend(fold(old.blocks));
        }
    }

    /// Adds a copy that is shown whatever else there is.
    pub fn show(&mut self, message: MessageId) {
        self.shown.get_or_insert(message);
        if let Some(old) = self.waiting.take() {
            self.folded.extend(old.blocks.into_iter().map(|b| (b, Reason::Duplicate)));
        }
    }
}

/// All tellings of a conversation.
#[derive(Debug, Default)]
pub(super) struct Tellings {
    all: Vec<Telling>,
    /// Heard in one stream so far, oldest first.
    single: HashMap<(Voice, Key), VecDeque<u32>>,
    /// Heard in more than one stream last.
    paired: HashMap<(Voice, Key), u32>,
    /// Where a text was first told by anybody; `None`: only in what was copied from another conversation.
    anywhere: HashMap<Key, Option<u32>>,
    users: u32,
    assistants: u32,
    buffer: Vec<u8>,
}

impl Tellings {
    /// The text but for its white space.
    pub fn key(&mut self, text: &str) -> Key {
        // Without a branch for each byte: white space is written over by what follows it.
        self.buffer.resize(text.len(), 0);
        let mut length = 0;
        for byte in text.bytes() {
            self.buffer[length] = byte;
            length += usize::from(!matches!(byte, b'\t'..=b'\r' | b' '));
        }
        self.buffer.truncate(length);
        // All other white space begins with one of these bytes.
        if self.buffer.iter().fold(false, |any, b| any | matches!(b, 0xC2 | 0xE1..=0xE3)) {
            self.buffer.clear();
            self.buffer.extend(text.split_whitespace().flat_map(str::bytes));
        }
        let mut key = Key::default();
        key.copy_from_slice(&hash::sha256(&self.buffer)[..16]);
        key
    }

    /// The telling that a copy in `stream` belongs to, and whether it is a new one.
    pub fn hear(&mut self, voice: Voice, stream: Stream, key: Key, turn: Option<&str>) -> (u32, bool) {
        let bit = 1 << stream as u8;
        let epoch = match voice {
            Voice::User | Voice::Media => self.assistants,
            Voice::Assistant | Voice::Reasoning => self.users,
            Voice::Context => 0,
        };
        let same_turn = |t: &Telling| match (t.turn.as_deref(), turn) {
            (Some(a), Some(b)) => a == b,
            _ => t.epoch == epoch,
        };
        let slot = (voice, key);
        if let Some(&paired) = self.paired.get(&slot) {
            let telling = &mut self.all[paired as usize];
            if telling.heard & bit == 0 && same_turn(telling) {
                telling.heard |= bit;
                return (paired, false);
            }
        }
        let single = self.single.entry(slot).or_default();
        while let Some(&oldest) = single.front() {
            let telling = &mut self.all[oldest as usize];
            if !same_turn(telling) {
                single.pop_front();
                continue;
            }
            if telling.heard & bit != 0 {
                break; // all of them are of this stream
            }
            single.pop_front();
            telling.heard |= bit;
            self.paired.insert(slot, oldest);
            return (oldest, false);
        }
        let index = self.all.len() as u32;
        single.push_back(index);
        self.all.push(Telling {
            turn: turn.map(Into::into),
            epoch,
            heard: bit,
            shown: None,
            waiting: None,
            folded: Vec::new(),
        });
        self.anywhere.insert(key, Some(index));
        match voice {
            Voice::User => self.users += 1,
            Voice::Assistant => self.assistants += 1,
            Voice::Reasoning | Voice::Media | Voice::Context => {}
        }
        (index, true)
    }

    /// Remembers a text of which only the original, elsewhere, is kept.
    pub fn copied(&mut self, key: Key) {
        self.anywhere.entry(key).or_insert(None);
    }

    /// Whether a text was told before, and where.
    pub fn before(&self, key: Key) -> Option<Option<u32>> {
        self.anywhere.get(&key).copied()
    }

    pub fn get(&mut self, index: u32) -> &mut Telling {
        &mut self.all[index as usize]
    }

    /// Every telling, for the end.
    pub fn into_all(self) -> Vec<Telling> {
        self.all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hear(t: &mut Tellings, voice: Voice, stream: Stream, text: &str, turn: Option<&str>) -> (u32, bool) {
        let key = t.key(text);
        t.hear(voice, stream, key, turn)
    }

    #[test]
    fn both_forms_of_a_repeated_answer_are_two_tellings() {
        let mut t = Tellings::default();
        let heard: Vec<_> = [Stream::Client, Stream::History, Stream::Client, Stream::History]
            .map(|stream| hear(&mut t, Voice::Assistant, stream, " Done.\n", None))
            .into();
        assert_eq!(heard, [(0, true), (0, false), (1, true), (1, false)]);
    }

    #[test]
    fn white_space_makes_no_difference() {
        let mut t = Tellings::default();
        let spaced: String = ('\0'..=char::MAX).filter(|c| c.is_whitespace()).flat_map(|c| ['…', c, 'a', c]).collect();
        let bare: String = spaced.chars().filter(|c| !c.is_whitespace()).collect();
        assert_eq!(t.key(&spaced), t.key(&bare));
        assert_ne!(t.key("a b"), t.key("a\u{200B}b"), "no white space");
    }

    #[test]
    fn one_form_in_each_of_two_turns_is_no_pair() {
        let mut t = Tellings::default();
        hear(&mut t, Voice::User, Stream::Client, "a", None);
        let first = hear(&mut t, Voice::Assistant, Stream::Client, "Done.", None);
        hear(&mut t, Voice::User, Stream::Client, "b", None);
        let second = hear(&mut t, Voice::Assistant, Stream::History, "Done.", None);
        assert_ne!(first.0, second.0);
    }

    #[test]
    fn turn_ids_decide_where_there_are_any() {
        let mut t = Tellings::default();
        let a = hear(&mut t, Voice::User, Stream::History, "go on", Some("t1"));
        hear(&mut t, Voice::Assistant, Stream::History, "ok", None);
        assert_eq!(hear(&mut t, Voice::User, Stream::Completed, "go on", Some("t1")), (a.0, false));
        assert!(hear(&mut t, Voice::User, Stream::Completed, "go on", Some("t2")).1);
    }
}
