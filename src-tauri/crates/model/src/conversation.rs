//! A parsed conversation: its timeline and what is known about it.

use crate::{Message, Retention, Timestamp};
use serde::{Deserialize, Serialize};

/// How one conversation is related to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Relation {
    /// Run by a tool call of the other.
    SubAgent,
    /// Continues from a copy of the other's beginning.
    Fork,
    /// The same conversation in another place.
    Copy,
    /// What the other said before its source took something back; only a library has it.
    Earlier,
}

/// A pointer to another conversation of the same source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Link {
    /// How this conversation is related to that one.
    pub relation: Relation,
    /// The other's id, not namespaced. It need not exist.
    pub conversation: String,
    /// The call in the other that started this one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub tool_call_id: Option<String>,
}

/// One conversation as a parse returns it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ParsedConversation {
    /// The source's own id.
    pub id: String,
    /// A title or short name, if the tool wrote one.
    pub slug: Option<String>,
    /// The source's name.
    pub source: String,
    /// The project folder as the store names it.
    pub project_dir: String,
    /// A name for people.
    pub project_name: String,
    /// The working directory that the records state.
    pub cwd: Option<String>,
    /// The branch that the records state.
    pub git_branch: Option<String>,
    /// The version of the tool that wrote the records, the last one seen.
    pub tool_version: Option<String>,
    /// Other conversations this one belongs to or comes from.
    pub links: Vec<Link>,
    /// The timeline, in source order.
    pub messages: Vec<Message>,
    /// Positions of the reference messages, in the order that the published rules give them.
    #[serde(skip)]
    pub reference_order: Vec<u32>,
    /// The earliest time of a message.
    pub first_message_at: Option<Timestamp>,
    /// The latest time of a message.
    pub last_message_at: Option<Timestamp>,
}

impl ParsedConversation {
    /// The reference projection: the messages of the published rules, in their order.
    pub fn reference(&self) -> impl Iterator<Item = &Message> {
        self.reference_order.iter().filter_map(|&i| self.messages.get(i as usize))
    }

    /// Leaves out what `retention` does not keep. The ledger has to be told the same, see
    /// [`crate::Ledger::under`]. Returns the new position of each old one.
    pub fn under(&mut self, retention: Retention) -> Vec<Option<u32>> {
        if retention == Retention::Full {
            return (0..self.messages.len() as u32).map(Some).collect();
        }
        let mut next = 0;
        let moved: Vec<Option<u32>> = self
            .messages
            .iter()
            .map(|m| {
                m.is_reference().then(|| {
                    next += 1;
                    next - 1
                })
            })
            .collect();
        self.messages.retain(Message::is_reference);
        for (i, message) in self.messages.iter_mut().enumerate() {
            message.position = i as u32;
        }
        self.reference_order = self.reference_order.iter().filter_map(|&i| moved[i as usize]).collect();
        self.bound_times();
        moved
    }

    /// Sets the first and last time from the messages.
    pub fn bound_times(&mut self) {
        let times = || self.messages.iter().filter_map(|m| m.when.at());
        self.first_message_at = times().min();
        self.last_message_at = times().max();
    }
}
