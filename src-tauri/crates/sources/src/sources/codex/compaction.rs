//! A compaction: what the model is told instead of the history so far.
//!
//! `replacement_history` repeats what stands before it, images and all, and adds a summary; in large files
//! most bytes are these copies. What was told before is folded, in one entry; only the rest is recovered.

use super::rollout::Rollout;
use super::{context, items, readable};
use crate::readers::json::{JsonType, Value};
use crate::{Account, Fate};
use assay_model::{Kind, MessageType, Reason, text};

impl Rollout {
    /// Reads one compaction.
    pub fn compacted(&mut self, account: &mut Account, payload: Value<'_>) {
        account.set_kind(self.entry(), "compacted");
        self.compacted = true;
        let said = payload.get_str("message").filter(|t| !text::is_blank(t));
        let pointer = if said.is_some() { "/payload/message" } else { "/payload" };
        let content = said.unwrap_or("compacted".into());
        let message = self.draft(pointer, MessageType::System, Kind::Event, content, Reason::EventNotMapped);
        self.recover(account, pointer, "compacted", message);
        if let Some(history) = payload.get("replacement_history").filter(|h| !h.is_default()) {
            self.replacement(account, history);
        }
        const KNOWN: &[&str] = &[
            "message", "replacement_history", "replacement_history_metadata", "window_number", "first_window_id",
            "previous_window_id", "window_id", "type",
        ];
        self.rest(account, payload, "/payload", "compacted", KNOWN);
    }

    fn replacement(&mut self, account: &mut Account, history: Value<'_>) {
        let base = "/payload/replacement_history";
        if self.copied || history.kind() != JsonType::Array {
            return self.unknown_field(account, "compacted", "/payload", "replacement_history", history);
        }
        let mut repeated = 0;
        for (i, item) in history.items().enumerate() {
            repeated += self.replaced(account, item, &format!("{base}/{i}"));
        }
        if repeated > 0 {
            let fate = Fate::Folded(Reason::CompactionHistory, None);
            account.block(self.entry(), base, "compacted/replacement_history", repeated, fate);
        }
    }

    /// One item of the new history. Returns the bytes of it that stand before.
    fn replaced(&mut self, account: &mut Account, item: Value<'_>, base: &str) -> usize {
        let kind = item.get_str("type").unwrap_or_default();
        let known_call = item.get_any(&["call_id", "id"]).and_then(Value::non_empty);
        let list = match &*kind {
            "message" => "content",
            "reasoning" => "summary",
            "ghost_snapshot" => return item.raw().len(),
            _ if known_call.is_some_and(|id| self.is_repeated_call(account, item, &id)) => return item.raw().len(),
            _ if item.get("encrypted_content").is_some_and(|e| e.str_len() > 0) => {
                self.encrypted(account, &format!("{base}/encrypted_content"), item.get("encrypted_content"));
                return 0;
            }
            _ => {
                let content = readable::text(item);
                let message =
                    self.draft(base, MessageType::System, Kind::Event, content, Reason::CompactionHistory);
                self.once(account, base, &kind, message);
                return 0;
            }
        };
        self.encrypted(account, &format!("{base}/encrypted_content"), item.get("encrypted_content"));
        let role = item.get_str("role").unwrap_or_default();
        let content = item.get(list);
        let single = content.filter(|c| c.kind() != JsonType::Array);
        let mut repeated = 0;
        for (i, part) in content.into_iter().flat_map(Value::items).chain(single).enumerate() {
            let said = match part.str().or(part.get_str("text")) {
                Some(said) => said.into_owned(),
                None => match part.get_any(&["image_url", "audio_url"]) {
                    Some(source) => items::media_text(source, ""),
                    None if part.is_default() => continue,
                    None => readable::text(part).into_owned(),
                },
            };
            if self.was_told(&said) {
                repeated += part.raw().len();
                continue;
            }
            let pointer = format!("{base}/{list}/{i}");
            let from = if role == "assistant" { MessageType::Assistant } else { MessageType::System };
            let mut message = self.draft(&pointer, from, Kind::Text, said, Reason::CompactionHistory);
            message.role = role.to_string();
            self.once(account, &pointer, "compacted/summary", message);
        }
        repeated
    }

    /// Whether every piece of a text stands before.
    fn was_told(&mut self, said: &str) -> bool {
        let (before, prompt) = context::split_request(said);
        [Some(said), before.map(|_| prompt)].into_iter().flatten().any(|whole| {
            let key = self.tellings.key(whole);
            self.tellings.before(key).is_some()
        }) && before.is_none_or(|before| {
            let key = self.tellings.key(before);
            self.tellings.before(key).is_some()
        }) || context::is_label(said)
    }

    /// Whether a call or its output is the one that stands before, word for word.
    fn is_repeated_call(&self, account: &Account, item: Value<'_>, id: &str) -> bool {
        let Some(call) = self.calls.get(id) else { return false };
        let texts = readable::texts(item, &["type", "id", "call_id", "name", "status", "namespace"]);
        let said: Vec<&str> = [call.call, call.result]
            .into_iter()
            .flatten()
            .map(|m| account.messages()[m as usize].content.as_str())
            .collect();
        texts.is_some_and(|texts| readable::are_said_in(&texts, &said))
    }
}
