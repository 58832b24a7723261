//! Prompts that waited: the tool writes them more than once, and only what stands nowhere else is kept.
//!
//! A prompt that was queued comes back as a person's record or as an attachment when it is delivered, and
//! the latest prompt is copied again and again. Which of them is the only copy is known at the end of the
//! file. Deliberately absent: any match by time or by nearness; texts are equal or they are not.

use crate::{Account, EntryId, Fate, MessageId};
use assay_model::{Message, Reason, text};
use foldhash::HashMap;
use std::hash::{BuildHasher, Hash};

/// What a waiting text may be a copy of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CopyOf {
    /// A prompt that comes later, each one once: what left the queue.
    Delivery,
    /// Any prompt.
    Any,
}

struct Waiting {
    entry: EntryId,
    pointer: &'static str,
    kind: &'static str,
    after: MessageId,
    copy_of: CopyOf,
    message: Message,
}

/// A message that is kept after all, for what was said to be in none.
pub(super) struct Late {
    /// The message before which it stands in the timeline.
    pub after: MessageId,
    /// The block that it recovers.
    pub block: EntryId,
    pub message: Message,
}

/// The prompts of a session and the texts that may be copies of them.
#[derive(Default)]
pub(super) struct Queue {
    prompts: HashMap<u64, Vec<(MessageId, bool)>>,
    waiting: Vec<Waiting>,
    /// Messages that are kept after all.
    pub late: Vec<Late>,
}

/// A hash that two equal texts share, in every run.
pub(super) fn hash(value: impl Hash) -> u64 {
    foldhash::quality::FixedState::default().hash_one(value)
}

impl Queue {
    /// Remembers a prompt and the message that holds it.
    pub fn prompt(&mut self, prompt: &str, message: MessageId) {
        self.prompts.entry(hash(text::trim(prompt))).or_default().push((message, false));
    }

    /// Puts a message aside until it is known whether its text stands elsewhere.
    pub fn wait(
        &mut self,
        entry: EntryId,
        pointer: &'static str,
        kind: &'static str,
        copy_of: CopyOf,
        after: MessageId,
        message: Message,
    ) {
        self.waiting.push(Waiting { entry, pointer, kind, after, copy_of, message });
    }

    /// Decides about everything that waits, and puts what is kept in its place in the timeline.
    pub fn settle(&mut self, account: &mut Account) {
        let before = account.messages().len() as MessageId;
        let mut inserts: Vec<(MessageId, MessageId)> = Vec::new();
        for waiting in std::mem::take(&mut self.waiting) {
            let key = hash(text::trim(&waiting.message.content));
            let bytes = waiting.message.content.len();
            let original = self.original(key, &waiting).or_else(|| cut_short(account, &waiting.message.content));
            let fate = match original {
                Some(id) => Fate::Folded(Reason::Duplicate, Some(id)),
                None => {
                    let id = account.push(waiting.message);
                    inserts.push((waiting.after, id));
                    self.prompts.entry(key).or_default().push((id, true));
                    Fate::Recovered(id)
                }
            };
            account.block(waiting.entry, waiting.pointer, waiting.kind, bytes, fate);
        }
        for late in std::mem::take(&mut self.late) {
            let id = account.push(late.message);
            account.refate(late.block, Fate::Recovered(id));
            inserts.push((late.after, id));
        }
        if !inserts.is_empty() {
            inserts.sort_by_key(|(after, _)| *after);
            let mut inserts = inserts.into_iter().peekable();
            let mut order = Vec::with_capacity(account.messages().len());
            for id in 0..before {
                while let Some((_, insert)) = inserts.next_if(|(after, _)| *after <= id) {
                    order.push(insert);
                }
                order.push(id);
            }
            order.extend(inserts.map(|(_, id)| id));
            account.timeline = Some(order);
        }
    }

    fn original(&mut self, key: u64, waiting: &Waiting) -> Option<MessageId> {
        let prompts = self.prompts.get_mut(&key)?;
        match waiting.copy_of {
            CopyOf::Any => prompts.first().map(|(id, _)| *id),
            CopyOf::Delivery => {
                let free = prompts.iter_mut().find(|(id, taken)| !taken && *id >= waiting.after)?;
                free.1 = true;
                Some(free.0)
            }
        }
    }
}

/// The prompt that a text is the beginning of, if it says itself that it was cut short.
fn cut_short(account: &Account, copy: &str) -> Option<MessageId> {
    let start = copy.strip_suffix('…').filter(|start| !start.is_empty())?;
    let whole = |m: &Message| text::trim(&m.content).starts_with(text::trim(start));
    account.messages().iter().position(whole).map(|i| i as MessageId)
}
