//! The words of a message: what the published rules keep of them, and what was injected between.

use super::blocks::{Part, PartKind};
use super::kinds::BlockKind;
use super::line::Line;
use super::session::Session;
use super::wrappers::{self, Cleaned};
use crate::readers::json::Value;
use crate::{Account, Fate, MessageId};
use assay_model::{Branch, Kind, Reason, text};
use std::borrow::Cow;
use std::ops::Range;

/// The text of a message, joined as the published rules do it, and where each block stands in it.
pub(super) struct Joined<'a> {
    pub text: Cow<'a, str>,
    pub spans: Vec<Option<Range<usize>>>,
}

/// Joins the texts of a message.
pub(super) fn join<'a>(parts: &[Part<'a>]) -> Joined<'a> {
    let mut text: Option<Cow<'a, str>> = None;
    let mut spans = Vec::with_capacity(parts.len());
    for part in parts {
        spans.push(part.text().map(|t| match &mut text {
            None => {
                let span = 0..t.len();
                text = Some(t);
                span
            }
            Some(all) => {
                let all = all.to_mut();
                all.push('\n');
                all.push_str(&t);
                all.len() - t.len()..all.len()
            }
        }));
    }
    Joined { text: text.unwrap_or_default(), spans }
}

impl Session<'_> {
    /// The message of the published rules, if they make one.
    pub fn reference(
        &mut self,
        account: &mut Account,
        line: &mut Line<'_>,
        parts: &[Part<'_>],
        joined: &Joined<'_>,
        cleaned: &Cleaned<'_>,
        api: Option<Value<'_>>,
    ) -> Option<MessageId> {
        let thinking: Vec<Cow<'_, str>> = parts.iter().filter_map(Part::thinking).collect();
        let has_tool_use = parts.iter().any(|p| p.is(BlockKind::Call(Reason::ToolInput)));
        let content = &*cleaned.text;
        if content.is_empty() && thinking.is_empty() && !has_tool_use {
            return None;
        }
        let whole = matches!(parts, [Part { kind: PartKind::Whole, .. }]);
        let mut message = line.reference(content.to_owned());
        message.has_tool_use = has_tool_use;
        message.has_code = text::has_fence(if whole { content } else { &joined.text });
        message.thinking = (!thinking.is_empty()).then(|| text::join(thinking).into_owned());
        let injected = ["isMeta", "isCompactSummary", "isApiErrorMessage"];
        let is_event = injected.iter().any(|key| line.value.get(key).and_then(Value::bool) == Some(true));
        message.kind = if is_event { Kind::Event } else { wrappers::kind_of(content) };
        let id = account.push(message);
        self.snapshot(account, id, api.and_then(|m| m.get("id")).and_then(Value::non_empty));
        Some(id)
    }

    /// Marks the earlier snapshot of an answer that this line repeats and continues.
    fn snapshot(&mut self, account: &mut Account, id: MessageId, api: Option<Cow<'_, str>>) {
        let Some(api) = api else { return };
        if let Some(earlier) = self.answers.get(&*api).copied() {
            let (old, new) = (&account.messages()[earlier as usize], &account.messages()[id as usize]);
            if !old.content.is_empty() && new.content.starts_with(&old.content) {
                let by = new.id.clone();
                let old = account.message(earlier);
                old.branch = Some(Branch::Superseded);
                old.superseded_by = Some(by);
            }
        }
        if !account.messages()[id as usize].content.is_empty() {
            self.answers.insert(api.into_owned(), id);
        }
    }

    /// Accounts for the text of a block: what is kept of it, and what was injected.
    #[allow(clippy::too_many_arguments)]
    pub fn spoken(
        &mut self,
        account: &mut Account,
        line: &mut Line<'_>,
        part: &Part<'_>,
        span: &Range<usize>,
        joined: &Joined<'_>,
        cleaned: &Cleaned<'_>,
        reference: Option<MessageId>,
        outer: Option<Reason>,
    ) {
        let whole = &joined.text[span.clone()];
        if let Some(outer) = outer {
            let message = line.recovered(Kind::Text, whole, outer, &part.pointer);
            self.keep(account, line, &part.pointer, "text", message);
            return;
        }
        let inside = cleaned.removed.iter().filter(|r| r.start < span.end && r.end > span.start);
        let taken: Vec<&str> =
            inside.map(|r| &joined.text[r.start.max(span.start)..r.end.min(span.end)]).collect();
        let removed: usize = taken.iter().map(|t| t.len()).sum();
        let blank_rest = removed == whole.len() || {
            let mut at = span.start;
            let mut blank = true;
            for piece in &taken {
                let start = piece.as_ptr() as usize - joined.text.as_ptr() as usize;
                blank &= text::is_blank(&joined.text[at..start]);
                at = start + piece.len();
            }
            blank && text::is_blank(&joined.text[at..span.end])
        };
        match reference {
            Some(id) if !blank_rest => {
                account.block(
                    line.entry,
                    part.pointer.as_str(),
                    line.kind_of("text"),
                    whole.len() - removed,
                    Fate::Kept(id),
                );
            }
            Some(_) | None if taken.is_empty() => {
                let fate = Fate::Dropped(Reason::EmptyMessage);
                account.block(line.entry, part.pointer.as_str(), line.kind_of("text"), whole.len(), fate);
            }
            Some(_) | None => {}
        }
        if !taken.is_empty() {
            let message = line.recovered(Kind::Event, taken.join("\n"), Reason::InjectedTag, &part.pointer);
            self.keep(account, line, &part.pointer, "injected", message);
        }
    }
}
