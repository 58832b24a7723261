//! One record on its way into the account, and the messages made of it.

use crate::EntryId;
use crate::readers::json::Value;
use assay_model::{Branch, Kind, Locator, Message, MessageType, Reason, When};

/// A record that is being read.
pub(super) struct Line<'a> {
    /// Its entry.
    pub entry: EntryId,
    /// Its value.
    pub value: Value<'a>,
    /// Its place.
    pub locator: &'a Locator,
    /// Its `type`, by which its blocks are named.
    pub kind: String,
    /// The id of its first message: its own, else made of its place.
    pub base: String,
    /// The record it follows.
    pub parent: Option<String>,
    /// Its time.
    pub when: When,
    /// Who its messages are from.
    pub from: MessageType,
    /// The role that it states.
    pub role: String,
    /// Set for a side conversation inside another record.
    pub branch: Option<Branch>,
    /// How many messages were made of it.
    pub made: u32,
}

impl Line<'_> {
    /// A message of the published rules.
    pub fn reference(&mut self, content: String) -> Message {
        let message = Message::new("", self.from, content, self.locator.clone());
        self.placed(message)
    }

    /// A message that only full retention keeps.
    pub fn recovered(&mut self, kind: Kind, content: impl Into<String>, reason: Reason, pointer: &str) -> Message {
        let message = Message::recovered("", self.from, kind, content, reason, self.locator.at(pointer));
        self.placed(message)
    }

    /// The first message has the record's id and parent, the others follow the first.
    fn placed(&mut self, mut message: Message) -> Message {
        if self.made == 0 {
            message.id.clone_from(&self.base);
            message.parent_uuid.clone_from(&self.parent);
        } else {
            message.id = format!("{}#{}", self.base, self.made);
            message.parent_uuid = Some(self.base.clone());
        }
        self.made += 1;
        message.role.clone_from(&self.role);
        message.when = self.when;
        message.branch = self.branch;
        message
    }

    /// The name of a block of it.
    pub fn kind_of(&self, block: &str) -> String {
        format!("{}/{block}", self.kind)
    }
}
