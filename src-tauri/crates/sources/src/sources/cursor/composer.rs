//! A composer: one conversation of the editor, from its own row, its bubbles' rows and the rows beside them.
//! The order of the headers is the tool's own; the published rules order by time with ties as the table
//! holds its rows. Deliberately absent: what a bubble is (`bubble`) and which rows there are (`collect`).

use super::bubble;
use super::fields::{Disposal, dispose};
use super::hint::Hint;
use super::index;
use super::keys;
use super::parents::CHILDREN;
use super::plans;
use super::render;
use super::rows::read_row;
use super::store;
use super::time;
use super::writer::Writer;
use crate::readers::json::{JsonType, Tape, Value};
use crate::{Account, EntryId, Evidence, Fate, MessageId, ReferenceOrder, Row};
use assay_model::{
    Branch, Candidate, Coverage, Kind, Link, Locator, Message, MessageType, NoticeCode, Reason, Relation, Timestamp,
    When,
};
use std::collections::{HashMap, HashSet};

/// The newest `_v` of a composer that this parser knows.
const KNOWN_VERSION: f64 = 17.0;

/// Fields of a composer that code below reads.
const READ: [&str; 7] = [
    "fullConversationHeadersOnly",
    "conversation",
    "conversationMap",
    "text",
    "richText",
    "queueItems",
    "capabilities",
];

/// What a header says of its bubble.
#[derive(Debug, Default)]
pub(super) struct Header {
    pub created: Option<Timestamp>,
}

/// A conversation in the making.
pub(super) struct Composer<'c> {
    pub account: &'c mut Account,
    /// Bubble ids in the tool's own order.
    pub order: Vec<String>,
    pub headers: HashMap<String, Header>,
    /// Bubbles that have a row.
    pub rows: HashSet<&'c str>,
    /// Messages by bubble.
    pub made: HashMap<String, Vec<MessageId>>,
    /// Bubbles in the order of the table.
    seen: Vec<String>,
    /// What belongs to the conversation and to no bubble; it comes last.
    pub tail: Vec<MessageId>,
    /// Set where the published rules do not read the conversation at all.
    lost: Option<Reason>,
    /// Versions that were remarked.
    versions: HashSet<String>,
    /// The composer's own row was there and could be read.
    described: bool,
    /// The bubble whose tool names a diff, by the diff's id.
    diffs: HashMap<String, String>,
}

/// Fills the account of a composer.
pub(super) fn fill(candidate: &Candidate, hint: &Hint, evidence: &Evidence, account: &mut Account) {
    let super::hint::Store::Composer { composer: id, title, created } = &hint.store else { return };
    account.slug = title.clone();
    account.created_at = created.and_then(Timestamp::from_number).map(|(at, _)| at);
    if !candidate.project_dir.is_empty() {
        account.cwd = Some(candidate.project_dir.clone());
    }
    let mut composer = Composer {
        account,
        order: Vec::new(),
        headers: HashMap::new(),
        rows: evidence.rows.iter().filter_map(|r| Some(keys::bubble_key(r.key.as_deref()?)?.1)).collect(),
        made: HashMap::new(),
        seen: Vec::new(),
        tail: Vec::new(),
        lost: (candidate.coverage == Coverage::Extended).then_some(Reason::ExtendedCoverage),
        versions: HashSet::new(),
        described: false,
        diffs: HashMap::new(),
    };
    let mut tape = Tape::new();
    composer.own_diffs(&evidence.rows);
    let (blobs, rows): (Vec<&Row>, Vec<&Row>) =
        evidence.rows.iter().partition(|row| row.key.as_deref().is_some_and(|key| key.starts_with(keys::BLOB)));
    for row in rows {
        match row.key.as_deref().is_some_and(plans::is_plan) {
            true => {
                let made = plans::fill(composer.account, row);
                composer.tail.extend(made);
            }
            false => composer.row(row, &mut tape, evidence),
        }
    }
    if !blobs.is_empty() {
        let first = composer.account.messages().len() as MessageId;
        store::fill_blobs(&evidence.rows, composer.account);
        let made: Vec<MessageId> = (first..composer.account.messages().len() as MessageId).collect();
        composer.account.notice(NoticeCode::BodyMissing, format!("no bubbles {id}: read from blobs"), None);
        composer.order.push(BLOBS.to_owned());
        composer.made.insert(BLOBS.to_owned(), made);
    }
    if evidence.rows.is_empty() {
        composer.account.notice(NoticeCode::BodyMissing, format!("listed, no data {id}"), None);
    }
    composer.arrange();
}

/// The place of what was read from blobs, among the bubbles.
const BLOBS: &str = "blobs";

impl Composer<'_> {
    /// Finds out which bubble each diff is of: its tool names the diff.
    fn own_diffs(&mut self, rows: &[Row]) {
        let key = |row: &Row| row.key.as_deref().unwrap_or("").to_owned();
        let ids: HashSet<String> = rows
            .iter()
            .filter(|row| row.key.as_deref().is_some_and(|k| k.starts_with("codeBlock")))
            .filter_map(|row| Some(key(row).rsplit_once(':')?.1.to_owned()))
            .collect();
        if ids.is_empty() {
            return;
        }
        for row in rows {
            let key = key(row);
            let Some((_, bubble)) = keys::bubble_key(&key) else { continue };
            let words = row.bytes().split(|b| !b.is_ascii_alphanumeric() && !matches!(b, b'-' | b'_'));
            for id in words.filter_map(|word| std::str::from_utf8(word).ok()).filter(|word| ids.contains(*word)) {
                self.diffs.entry(id.to_owned()).or_insert_with(|| bubble.to_owned());
            }
        }
    }

    fn row(&mut self, row: &Row, tape: &mut Tape, evidence: &Evidence) {
        let key = row.key.as_deref().unwrap_or("");
        let bytes = row.bytes();
        let fate = if row.value.is_none() { Reason::Tombstone } else { Reason::BookkeepingRecord };
        let family = key.split(':').next().unwrap_or(key).to_owned();
        let bubble = keys::bubble_key(key).map(|(_, bubble)| bubble.to_owned());
        let entry = self.account.record(row.locator(), family.clone(), bytes.len() as u64, Fate::Dropped(fate));
        if let Some(bubble) = &bubble {
            self.seen.push(bubble.clone());
        }
        if row.value.is_none() {
            return;
        }
        if let Some((fate, excerpted)) = side_row(&family, bytes) {
            self.account.refate(entry, Fate::Dropped(fate));
            if excerpted {
                self.account.excerpt(entry, &String::from_utf8_lossy(&bytes[..bytes.len().min(1024)]));
            }
            return;
        }
        let value = match read_row(self.account, entry, bytes, tape) {
            Ok(value) => value,
            Err(kept) => {
                let list = match bubble {
                    Some(bubble) => self.made.entry(bubble).or_default(),
                    None => &mut self.tail,
                };
                list.extend(kept);
                return;
            }
        };
        match (family.as_str(), bubble) {
            ("composerData", _) => self.own(entry, value),
            (_, Some(bubble)) => self.bubble(entry, "", &bubble, value, None, evidence),
            _ => self.beside(entry, key, &family, value),
        }
    }

    pub(super) fn pen(&mut self, record: EntryId, base: &str, id: &str, from: MessageType) -> Writer<'_> {
        Writer {
            account: self.account,
            record,
            base: base.to_owned(),
            id: id.to_owned(),
            from,
            when: When::MISSING,
            branch: None,
            made: Vec::new(),
        }
    }

    /// The composer's own row: order, metadata, drafts, and in old eras the conversation itself.
    fn own(&mut self, entry: EntryId, value: Value<'_>) {
        if value.kind() != JsonType::Object {
            let id = self.account.unknown(entry, "composerData", &value.raw_text());
            self.tail.push(id);
            return;
        }
        self.described = true;
        let place = self.account.locator(entry).clone();
        self.metadata(value, &place);
        self.read_headers(value, &place);
        self.inline(entry, value);
        self.capability_tools(entry, value);
        self.missing_bodies(entry, value);

        let mut pen = self.pen(entry, "", "composer", MessageType::User);
        bubble::version(&mut pen, value, "composer", KNOWN_VERSION);
        draft(&mut pen, value);
        for (i, item) in value.get("queueItems").into_iter().flat_map(Value::items).enumerate() {
            let place = format!("/queueItems/{i}");
            pen.recover(&place, "composer/queueItems", Kind::Text, prompt(item), Reason::QueuedPrompt);
        }
        if let Some(odd) = value.get("queueItems").filter(|v| v.kind() != JsonType::Array && !v.is_default()) {
            pen.unknown("/queueItems", "composer/queueItems".to_owned(), odd);
        }
        pen.from = MessageType::System;
        let mut read = READ.to_vec();
        if let Some(state) = value.get("conversationState").and_then(Value::str).filter(|s| s.len() > 1) {
            let reason = super::protobuf::opaque(&state);
            pen.drop("/conversationState", "composer/conversationState", &state[..state.len().min(64)], reason);
            read.push("conversationState");
        }
        pen.rest("", "composer", value, &read);
        let headers = value.get("fullConversationHeadersOnly");
        if let Some(all) = headers.filter(|v| !v.is_default()) {
            pen.fold("/fullConversationHeadersOnly", "composer/headers", all.raw().len());
        }
        for (i, header) in headers.into_iter().flat_map(Value::items).enumerate() {
            pen.news(&format!("/fullConversationHeadersOnly/{i}"), "header", header);
            if let Some(grouping) = header.get("grouping") {
                pen.news(&format!("/fullConversationHeadersOnly/{i}/grouping"), "header", grouping);
            }
        }
        if let Some(project) = value.get("workspaceIdentifier") {
            pen.news("/workspaceIdentifier", "workspaceIdentifier", project);
        }
        let made = std::mem::take(&mut pen.made);
        self.tail.extend(made);
    }

    fn metadata(&mut self, value: Value<'_>, place: &Locator) {
        if let Some(name) = value.get("name").and_then(Value::non_empty) {
            self.account.slug = Some(name.into_owned());
        }
        if let When::Recorded(at) = self.account.time(value.get("createdAt").filter(|v| !v.is_default()), place) {
            self.account.created_at = Some(at);
        }
        if let Some(project) = value.get("workspaceIdentifier").and_then(index::project_of) {
            if self.account.project_dir.is_empty() {
                self.account.project_name = crate::account::base_name(&project).to_owned();
                self.account.project_dir = project.clone();
            }
            self.account.cwd.get_or_insert(project);
        }
        let branch = value.get_str("createdOnBranch").or_else(|| value.path(&["activeBranch", "branchName"])?.str());
        if let Some(branch) = branch.filter(|b| !b.is_empty()) {
            self.account.git_branch = Some(branch.into_owned());
        }
        for parent in ["parentComposerId"].iter().filter_map(|k| {
            value.get(k).and_then(Value::non_empty).or_else(|| value.path(&["subagentInfo", k])?.non_empty())
        }) {
            if self.account.links.iter().all(|l| l.relation != Relation::SubAgent) {
                let link =
                    Link { relation: Relation::SubAgent, conversation: parent.into_owned(), tool_call_id: None };
                self.account.links.push(link);
            }
        }
        debug_assert!(CHILDREN.iter().all(|c| dispose("composer", c) == Some(Disposal::Metadata)));
    }

    fn read_headers(&mut self, value: Value<'_>, place: &Locator) {
        for header in value.get("fullConversationHeadersOnly").into_iter().flat_map(Value::items) {
            let Some(id) = header.get("bubbleId").and_then(Value::non_empty).map(|id| id.into_owned()) else {
                continue;
            };
            if !self.headers.contains_key(&id) {
                let created = self.account.time(header.get("createdAt").filter(|v| !v.is_default()), place).at();
                self.headers.insert(id.clone(), Header { created });
                self.order.push(id);
            }
        }
    }

    /// One bubble. `inline`: it stands in the composer's row, and whether it also has a row of its own.
    pub(super) fn bubble(
        &mut self,
        entry: EntryId,
        base: &str,
        id: &str,
        value: Value<'_>,
        inline: Option<bool>,
        evidence: &Evidence,
    ) {
        if value.kind() != JsonType::Object {
            let made = self.account.unknown(entry, "bubble", &value.raw_text());
            self.made.entry(id.to_owned()).or_default().push(made);
            return;
        }
        let place = self.account.locator(entry).clone();
        let header = self.headers.get(id).and_then(|h| h.created);
        let when = time::of(self.account, value, header, &place);
        let own = value.get("bubbleId").and_then(Value::non_empty).unwrap_or_else(|| id.into());
        let lost = match inline {
            Some(_) => Some(Reason::LegacyShape),
            None => self.lost,
        };
        let remark = inline != Some(true)
            && value.get("_v").is_some_and(|v| self.versions.insert(v.raw_text().into_owned()));
        if let Some(cwd) = value.get("workspaceProjectDir").and_then(Value::non_empty) {
            self.account.cwd.get_or_insert(cwd.into_owned());
        }
        let mut pen = self.pen(entry, base, &own, bubble::from(value));
        pen.when = when;
        if inline == Some(true) {
            pen.branch = Some(Branch::Superseded);
            pen.id = format!("{own}@composer");
        }
        if remark {
            bubble::version(&mut pen, value, "bubble", bubble::KNOWN_VERSION);
        }
        bubble::write(&mut pen, value, lost);
        super::content::write(&mut pen, value, evidence);
        let made = std::mem::take(&mut pen.made);
        let list = self.made.entry(id.to_owned()).or_default();
        // What came before from rows beside the bubble or from the composer stays behind its text.
        list.splice(0..0, made);
    }

    /// A row that belongs to a bubble or to the conversation and is neither.
    fn beside(&mut self, entry: EntryId, key: &str, family: &str, value: Value<'_>) {
        if render::is_hollow(value) {
            self.account.refate(entry, Fate::Dropped(Reason::BookkeepingRecord));
            return;
        }
        let last = key.rsplit_once(':').map_or(key, |(_, last)| last);
        let bubble = self.diffs.get(last).cloned().or_else(|| self.rows.get(last).map(|b| (*b).to_owned()));
        let (kind, reason) = match family {
            "codeBlockPartialInlineDiffFates" => (Kind::Event, Reason::SystemRecord),
            _ => (Kind::Attachment, Reason::Attachment),
        };
        let place = self.account.locator(entry).clone();
        let content = render::text(value);
        let message = Message::recovered(key, MessageType::System, kind, content, reason, place);
        let id = self.account.push(message);
        self.account.refate(entry, Fate::Recovered(id));
        match bubble {
            Some(bubble) => self.made.entry(bubble).or_default().push(id),
            None => self.tail.push(id),
        }
    }

    /// Closes the timeline: headers, then bubbles that no header places, then the rest.
    fn arrange(mut self) {
        let mut timeline: Vec<MessageId> = Vec::with_capacity(self.account.messages().len());
        let mut ties = Vec::new();
        for id in &self.seen {
            ties.extend(self.made.get(id).into_iter().flatten().copied());
        }
        let placed = !self.order.is_empty();
        for id in &self.order {
            timeline.extend(self.made.remove(id).unwrap_or_default());
        }
        let mut rest: Vec<(Option<Timestamp>, Vec<MessageId>)> = Vec::new();
        for id in &self.seen {
            let Some(messages) = self.made.remove(id) else { continue };
            rest.push((messages.iter().filter_map(|m| self.account.messages()[*m as usize].when.at()).min(), messages));
        }
        // Tools of bubbles that are nowhere else, in the order they were read.
        let mut nowhere: Vec<Vec<MessageId>> = self.made.into_values().filter(|m| !m.is_empty()).collect();
        nowhere.sort();
        rest.sort_by_key(|(at, _)| at.map_or(i64::MAX, Timestamp::millis));
        rest.extend(nowhere.into_iter().map(|m| (None, m)));
        if !placed && !rest.is_empty() {
            let why = if self.described { "no headers" } else { "session row deleted" };
            self.account.notice(NoticeCode::OrderInferred, why, None);
        }
        for (_, messages) in rest {
            for id in messages {
                if placed {
                    self.account.message(id).branch.get_or_insert(Branch::Unplaced);
                }
                timeline.push(id);
            }
        }
        timeline.extend(self.tail);
        let tied: HashSet<MessageId> = ties.iter().copied().collect();
        ties.extend(timeline.iter().copied().filter(|id| !tied.contains(id)));
        self.account.reference_order = ReferenceOrder::ByTimestampThen(ties);
        self.account.timeline = Some(timeline);
    }
}

/// Rows that hold no conversation, and whether their beginning is worth showing.
fn side_row(family: &str, bytes: &[u8]) -> Option<(Reason, bool)> {
    match family {
        "checkpointId" => Some((Reason::FileCheckpoint, false)),
        "ofsContent" if bytes.is_empty() => Some((Reason::BookkeepingRecord, false)),
        "ofsContent" => Some((Reason::FileCheckpoint, true)),
        "agentKv" => Some((Reason::BookkeepingRecord, false)),
        _ => None,
    }
}

/// Text that was typed and never sent.
fn draft(pen: &mut Writer<'_>, value: Value<'_>) {
    let mut known = String::new();
    for (field, place) in [("text", "/text"), ("richText", "/richText")] {
        let Some(value) = value.get(field).filter(|v| !render::is_hollow(*v)) else { continue };
        let source = value.str().unwrap_or_else(|| value.raw_text());
        let words = if field == "richText" { render::rich_text(&source) } else { source.into_owned() };
        let squashed = render::squash(&words);
        if squashed.is_empty() || known.contains(&squashed) {
            pen.drop(place, format!("composer/{field}"), &words, Reason::Duplicate);
        } else {
            pen.recover(place, format!("composer/{field}"), Kind::Draft, words, Reason::UnsentDraft);
            known.push_str(&squashed);
        }
    }
}

/// A queued prompt: its text, or all of it where that is not all there is.
fn prompt(item: Value<'_>) -> String {
    let text = item.get_any(&["text", "message", "prompt"]).and_then(Value::non_empty);
    let only = item.entries().filter(|(_, v)| v.kind() == JsonType::Array || v.kind() == JsonType::Object);
    match text {
        Some(text) if only.into_iter().all(|(_, v)| render::is_hollow(v)) => text.into_owned(),
        _ => render::text(item),
    }
}
