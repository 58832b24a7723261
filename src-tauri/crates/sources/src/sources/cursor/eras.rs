//! What earlier eras keep in a composer's own row: whole bubbles, their tools apart from them, and headers
//! whose bubble is nowhere. Deliberately absent: the rest of that row (`composer`).

use super::bubble;
use super::composer::Composer;
use super::render;
use super::tool;
use crate::readers::json::{JsonType, Tape, Value, pointer_to};
use crate::{EntryId, Evidence};
use assay_model::{Kind, MessageType, NoticeCode, Reason, When};

impl Composer<'_> {
    /// Eras that keep bubbles in the composer's row: `conversation[]`, then `conversationMap`. A bubble's own
    /// row is newer than its copy in there.
    pub(super) fn inline(&mut self, entry: EntryId, value: Value<'_>) {
        let list = value.get("conversation").into_iter().flat_map(Value::items).enumerate();
        let list = list.map(|(i, bubble)| {
            let id = bubble.get("bubbleId").and_then(Value::non_empty).map(|id| id.into_owned());
            (format!("/conversation/{i}"), id.unwrap_or_else(|| format!("conversation-{i}")), bubble)
        });
        let map = value.get("conversationMap").into_iter().flat_map(Value::entries).map(|(id, bubble)| {
            let place = pointer_to("/conversationMap", &id);
            (place, id.into_owned(), bubble)
        });
        let both: Vec<(String, String, Value<'_>)> = list.chain(map).collect();
        for (place, id, bubble) in both {
            if bubble.kind() != JsonType::Object {
                let mut pen = self.pen(entry, "", &id, MessageType::System);
                pen.unknown(&place, "composer/conversation".to_owned(), bubble);
                let made = std::mem::take(&mut pen.made);
                self.made.entry(id).or_default().extend(made);
                continue;
            }
            if !self.order.contains(&id) {
                self.order.push(id.clone());
            }
            let twice = self.rows.contains(id.as_str()) || self.made.contains_key(&id);
            self.bubble(entry, &place, &id, bubble, Some(twice), &Evidence::default());
        }
        for (field, kind) in [
            ("conversation", JsonType::Array),
            ("conversationMap", JsonType::Object),
            ("fullConversationHeadersOnly", JsonType::Array),
            ("capabilities", JsonType::Array),
        ] {
            if let Some(odd) = value.get(field).filter(|v| v.kind() != kind && !v.is_default()) {
                let mut pen = self.pen(entry, "", "composer", MessageType::System);
                pen.unknown(&format!("/{field}"), format!("composer/{field}"), odd);
                let made = std::mem::take(&mut pen.made);
                self.tail.extend(made);
            }
        }
    }

    /// Tools of the inline era: a map by bubble, as JSON inside a string, in the capability of type 15.
    pub(super) fn capability_tools(&mut self, entry: EntryId, value: Value<'_>) {
        for (i, capability) in value.get("capabilities").into_iter().flat_map(Value::items).enumerate() {
            let place = format!("/capabilities/{i}");
            let data = capability.get("data").filter(|d| d.kind() == JsonType::Object);
            let map = data.and_then(|d| d.get("bubbleDataMap"));
            let text = map.map(|m| m.str().unwrap_or_else(|| m.raw_text()).into_owned()).unwrap_or_default();
            let mut tape = Tape::new();
            let map = tape.read_whole(text.as_bytes()).ok().filter(|v| v.kind() == JsonType::Object);
            for (bubble, tool) in map.into_iter().flat_map(Value::entries) {
                let below = pointer_to(&format!("{place}/data/bubbleDataMap"), &bubble);
                self.capability_tool(entry, &bubble, &below, tool);
            }
            let mut pen = self.pen(entry, "", "composer", MessageType::System);
            match data {
                _ if capability.kind() != JsonType::Object && !render::is_hollow(capability) => {
                    pen.unknown(&place, "composer/capabilities".to_owned(), capability);
                }
                Some(data) => {
                    pen.rest(&place, "capability", capability, &["data"]);
                    let read: &[&str] = if map.is_some() { &["bubbleDataMap"] } else { &[] };
                    pen.rest(&format!("{place}/data"), "capability-data", data, read);
                }
                None => pen.rest(&place, "capability", capability, &[]),
            }
            let made = std::mem::take(&mut pen.made);
            self.tail.extend(made);
        }
    }

    fn capability_tool(&mut self, entry: EntryId, bubble: &str, below: &str, value: Value<'_>) {
        let mut pen = self.pen(entry, "", bubble, MessageType::Assistant);
        let nested = value.get("toolFormerData").filter(|v| v.kind() == JsonType::Object);
        match (nested, value.kind()) {
            (Some(tool), _) => {
                let below = format!("{below}/toolFormerData");
                tool::write(&mut pen, &below, tool, true);
                pen.rest(below.trim_end_matches("/toolFormerData"), "bubble", value, &["toolFormerData"]);
            }
            (None, JsonType::Object) => tool::write(&mut pen, below, value, true),
            _ if render::is_hollow(value) => {}
            _ => pen.unknown(below, "composer/bubbleDataMap".to_owned(), value),
        }
        let made = std::mem::take(&mut pen.made);
        self.made.entry(bubble.to_owned()).or_default().extend(made);
    }

    /// Headers whose bubble is nowhere: a placeholder with the preview that the header has.
    pub(super) fn missing_bodies(&mut self, entry: EntryId, value: Value<'_>) {
        for (i, header) in value.get("fullConversationHeadersOnly").into_iter().flat_map(Value::items).enumerate() {
            let id = header.get("bubbleId").and_then(Value::non_empty).unwrap_or_default();
            if self.rows.contains(&*id) || self.made.contains_key(&*id) {
                continue;
            }
            let preview = header.path(&["grouping", "textPreview"]).and_then(Value::str).unwrap_or_default();
            let created = self.headers.get(&*id).and_then(|h| h.created);
            let mut pen = self.pen(entry, "", &id, bubble::from(header));
            if let Some(at) = created {
                pen.when = When::Derived { at, rule: "header-created-at" };
            }
            let place = format!("/fullConversationHeadersOnly/{i}");
            let shown = format!("body missing: {preview}");
            let shown = shown.trim_end_matches([':', ' ']);
            pen.recover(&place, "composer/header", Kind::Event, shown, Reason::BodyMissing);
            let made = std::mem::take(&mut pen.made);
            let place = self.account.locator(entry).at(place);
            self.account.notice(NoticeCode::BodyMissing, &*id, Some(place));
            match id.is_empty() {
                true => self.tail.extend(made),
                false => self.made.entry(id.into_owned()).or_default().extend(made),
            }
        }
    }
}
