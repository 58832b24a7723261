//! Writes what one record (or one bubble inside a record) becomes: messages that share its id, time and
//! branch, and an entry for each of its blocks. Deliberately absent: what the blocks mean.

use super::fields::{Disposal, dispose};
use super::render;
use crate::readers::json::{Value, pointer_to};
use crate::{Account, EntryId, Fate, MessageId};
use assay_model::{Branch, Kind, Message, MessageType, NoticeCode, Reason, When};
use std::borrow::Cow;

/// The pen for one bubble or record.
pub(super) struct Writer<'w> {
    pub account: &'w mut Account,
    /// The record that the blocks are of.
    pub record: EntryId,
    /// Where in the record the value stands; empty for the record itself.
    pub base: String,
    /// Prefix of the ids of its messages.
    pub id: String,
    /// Who its messages are from where nothing else is said.
    pub from: MessageType,
    /// Its time.
    pub when: When,
    /// Set when it is not on the live path.
    pub branch: Option<Branch>,
    /// The messages it became, in order.
    pub made: Vec<MessageId>,
}

impl Writer<'_> {
    fn pointer(&self, below: &str) -> String {
        format!("{}{below}", self.base)
    }

    /// Adds a message and the block it came from.
    pub fn put(&mut self, below: &str, name: impl Into<Cow<'static, str>>, mut message: Message) -> MessageId {
        message.when = self.when;
        message.branch = message.branch.or(self.branch);
        let bytes = message.content.len() + message.thinking.as_ref().map_or(0, String::len);
        let recovered = !message.is_reference();
        let id = self.account.push(message);
        let fate = if recovered { Fate::Recovered(id) } else { Fate::Kept(id) };
        let pointer = self.pointer(below);
        self.account.block(self.record, pointer, name, bytes, fate);
        self.made.push(id);
        id
    }

    /// Adds a recovered message of a block. Its id is the record's with the block's place after it.
    pub fn recover(
        &mut self,
        below: &str,
        name: impl Into<Cow<'static, str>>,
        kind: Kind,
        content: impl Into<String>,
        reason: Reason,
    ) -> MessageId {
        let message = self.message(below, kind, content, reason);
        self.put(below, name, message)
    }

    /// A recovered message that is not yet in the timeline.
    pub fn message(&self, below: &str, kind: Kind, content: impl Into<String>, reason: Reason) -> Message {
        let place = self.account.locator(self.record).at(self.pointer(below));
        let id = format!("{}#{}", self.id, below.trim_start_matches('/'));
        Message::recovered(id, self.from, kind, content, reason, place)
    }

    /// A block whose content is in a message that is already there.
    pub fn kept(&mut self, below: &str, name: impl Into<Cow<'static, str>>, bytes: usize, message: MessageId) {
        let pointer = self.pointer(below);
        self.account.block(self.record, pointer, name, bytes, Fate::Kept(message));
    }

    /// A block whose content is in a recovered message that is already there.
    pub fn recovered_in(&mut self, below: &str, name: impl Into<Cow<'static, str>>, bytes: usize, message: MessageId) {
        let pointer = self.pointer(below);
        self.account.block(self.record, pointer, name, bytes, Fate::Recovered(message));
    }

    /// A block that is in no message.
    pub fn drop(&mut self, below: &str, name: impl Into<Cow<'static, str>>, content: &str, reason: Reason) {
        self.omit(below, name, content.len(), content, reason);
    }

    /// A block of `bytes` that is in no message and is shown as something shorter than it is.
    pub fn omit(
        &mut self,
        below: &str,
        name: impl Into<Cow<'static, str>>,
        bytes: usize,
        shown: &str,
        reason: Reason,
    ) -> EntryId {
        let pointer = self.pointer(below);
        let entry = self.account.block(self.record, pointer, name, bytes, Fate::Dropped(reason));
        self.account.excerpt(entry, shown);
        entry
    }

    /// A block that nobody outside can read: it is in no message, and one stands in its place that says what was
    /// there.
    pub fn hide(
        &mut self,
        below: &str,
        name: impl Into<Cow<'static, str>>,
        bytes: usize,
        lost: Reason,
        stand_in: Message,
    ) -> MessageId {
        let entry = self.omit(below, name, bytes, &stand_in.content, lost);
        let mut message = stand_in;
        message.when = self.when;
        message.branch = message.branch.or(self.branch);
        let id = self.account.push(message);
        self.account.stands_in(entry, id);
        self.made.push(id);
        id
    }

    /// Thinking that the provider does not let out: that there was some is said in its place.
    pub fn redacted(&mut self, below: &str, name: impl Into<Cow<'static, str>>, bytes: usize) {
        let said = self.message(below, Kind::Event, "[redacted thinking]", Reason::EncryptedContent);
        self.hide(below, name, bytes, Reason::EncryptedContent, said);
    }

    /// A block that is part of what is known about the conversation.
    pub fn fold(&mut self, below: &str, name: impl Into<Cow<'static, str>>, bytes: usize) {
        let (pointer, onto) = (self.pointer(below), self.made.first().copied());
        self.account.block(self.record, pointer, name, bytes, Fate::Folded(Reason::Metadata, onto));
    }

    /// A block of a kind that this parser does not know: kept raw and listed by name.
    pub fn unknown(&mut self, below: &str, name: String, value: Value<'_>) {
        let raw = render::text(value);
        let pointer = self.pointer(below);
        let entry = self.account.block(self.record, pointer, "unknown", raw.len(), Fate::Pending);
        let id = self.account.unknown(entry, name, &raw);
        let message = self.account.message(id);
        message.when = self.when;
        message.branch = self.branch;
        self.made.push(id);
    }

    /// Keeps the fields of an object that is otherwise only known about which are in no table and say something.
    pub fn news(&mut self, below: &str, object: &'static str, value: Value<'_>) {
        for (field, value) in value.entries() {
            let says = value.str().is_some_and(|text| text.trim().contains(char::is_whitespace));
            if says && dispose(object, &field).is_none() {
                self.unknown(&pointer_to(below, &field), format!("{object}/{field}"), value);
            }
        }
    }

    /// Gives every field that says something, and that nobody has `read`, what the table of its object has
    /// for it. A field that is in no table is unknown, unless it is only a number or a flag.
    pub fn rest(&mut self, below: &str, object: &'static str, value: Value<'_>, read: &[&str]) {
        for (field, value) in value.entries() {
            if value.is_default() || read.contains(&&*field) {
                continue;
            }
            let place = pointer_to(below, &field);
            let disposal = dispose(object, &field);
            if disposal != Some(Disposal::Plain) && render::is_hollow(value) {
                continue;
            }
            match disposal {
                Some(Disposal::Plain) if is_plain(value) => {}
                Some(Disposal::Metadata) => self.fold(&place, format!("{object}/{field}"), value.raw().len()),
                Some(Disposal::Recover(kind, reason)) => {
                    self.recover(&place, format!("{object}/{field}"), kind, render::text(value), reason);
                }
                Some(Disposal::Drop(Reason::EncryptedContent)) => {
                    self.redacted(&place, format!("{object}/{field}"), value.raw().len());
                }
                Some(Disposal::Drop(reason)) => self.drop(&place, format!("{object}/{field}"), &value.raw_text(), reason),
                None if value.bool().is_some() || value.f64().is_some() => {
                    let place = self.account.locator(self.record).at(self.pointer(&place));
                    self.account.notice(NoticeCode::UnknownField, format!("{object}/{field}"), Some(place));
                }
                Some(Disposal::Plain) | None => self.unknown(&place, format!("{object}/{field}"), value),
            }
        }
    }
}

/// Ids, times, flags and numbers need no entry of their own; whatever could be a text does.
fn is_plain(value: Value<'_>) -> bool {
    match value.str() {
        Some(text) => text.len() <= 200,
        None => value.bool().is_some() || value.f64().is_some(),
    }
}
