//! Tool calls and what the tools answered.
//!
//! A result is joined to its call by id over the whole file. Deliberately absent: the tool's own record of
//! what it did, see [`super::outcome`].

use super::blocks::Part;
use super::kinds::{self, BlockKind};
use super::line::Line;
use super::outcome;
use super::render;
use super::session::{Call, Session, body_name};
use crate::readers::json::{JsonType, Value};
use crate::{Account, Fate};
use assay_model::{Branch, Kind, Reason};
use std::borrow::Cow;

impl Session<'_> {
    /// A call: its input becomes a message; an earlier snapshot of it is marked.
    pub fn call(&mut self, account: &mut Account, line: &mut Line<'_>, part: &Part<'_>, name: &str, reason: Reason) {
        let value = part.value;
        let input = value.get("input");
        let shown = match input.map(|i| (i, i.str())) {
            None => String::new(),
            Some((_, Some(text))) => text.into_owned(),
            Some((input, None)) => input.raw_text().into_owned(),
        };
        let id = value.get("id").and_then(Value::non_empty).map(Cow::into_owned);
        let tool = value.get("name").and_then(Value::non_empty).map(Cow::into_owned);
        let mut message = line.recovered(Kind::ToolCall, shown, reason, &part.pointer);
        message.tool_name.clone_from(&tool);
        message.tool_call_id.clone_from(&id);
        let by = message.id.clone();
        let kept = self.keep(account, line, &part.pointer, name, message);
        if let Some(server) = value.get("server_name").filter(|s| !s.is_default()) {
            let at = format!("{}/server_name", part.pointer);
            let text = render::text(server);
            let kind = line.kind_of(&format!("{name}/server_name"));
            let entry = account.block(line.entry, at, kind, text.len(), Fate::Folded(Reason::Metadata, Some(kept)));
            account.excerpt(entry, &text);
        }
        let Some(id) = id else { return };
        let lines = input.map(outcome::line_hashes).unwrap_or_default();
        let earlier = self.calls.insert(id, Call { name: tool, message: kept, lines });
        if let Some(earlier) = earlier.filter(|e| e.message != kept) {
            let old = account.message(earlier.message);
            old.branch = Some(Branch::Superseded);
            old.superseded_by = Some(by);
        }
    }

    /// What a tool answered, with everything in it; a body that was set aside follows it.
    pub fn answer(
        &mut self,
        account: &mut Account,
        line: &mut Line<'_>,
        part: &Part<'_>,
        name: &str,
        id: Option<&str>,
        reason: Reason,
    ) {
        let content = part.value.get("content").filter(|c| !c.is_default());
        let at = format!("{}/content", part.pointer);
        let mut pieces: Vec<(String, String, String)> = Vec::new(); // pointer, name, text
        let (mut sizes, mut unknown) = (Vec::new(), Vec::new());
        match content.map(|c| (c, c.kind())) {
            None => {}
            Some((content, JsonType::Array)) => {
                for (i, item) in content.items().enumerate() {
                    let at = format!("{at}/{i}");
                    let kind = item.get_str("type").unwrap_or_default();
                    let text = match (&*kind, item.str()) {
                        ("", Some(text)) => Some(text.into_owned()),
                        ("text", _) => item.get_str("text").map(Cow::into_owned),
                        (other, _) => kinds::BLOCKS
                            .iter()
                            .find(|(n, k, _)| *n == other && *k == BlockKind::Media)
                            .map(|_| render::media(item)),
                    };
                    let bytes = text.as_ref().map_or(0, |text| render::media_bytes(item, text));
                    match text {
                        Some(text) => {
                            sizes.push(bytes);
                            pieces.push((at, format!("{name}/{kind}"), text));
                        }
                        None if item.is_default() => {}
                        // Server tools answer with blocks of their own; what they say is their text.
                        None if name != "tool_result" => {
                            let text = render::text(item);
                            sizes.push(text.len());
                            pieces.push((at, format!("{name}/{kind}"), text));
                        }
                        None => unknown.push((at, format!("{name}/{kind}"), item)),
                    }
                }
            }
            Some((content, JsonType::Object)) => pieces.push((at, name.to_owned(), render::text(content))),
            Some((content, _)) => {
                let text = content.str().unwrap_or_else(|| content.raw_text());
                pieces.push((part.pointer.clone(), name.to_owned(), text.into_owned()));
            }
        }
        let set_aside = pieces.iter().find_map(|(.., text)| body_name(text, false)).map(str::to_owned);
        sizes.extend(pieces.iter().skip(sizes.len()).map(|(.., text)| text.len()));
        // Nearly always there is one, which may be large.
        let text = match pieces.as_mut_slice() {
            [(.., text)] => std::mem::take(text),
            several => several.iter().map(|(.., text)| text.as_str()).collect::<Vec<_>>().join("\n"),
        };
        let mut message = line.recovered(Kind::ToolResult, text, reason, &part.pointer);
        message.tool_call_id = id.map(str::to_owned);
        let (kept, fate) = if pieces.is_empty() && !unknown.is_empty() {
            (None, Fate::Dropped(Reason::EmptyMessage))
        } else {
            let (id, fate) = self.once(account, line, message);
            (Some(id), fate)
        };
        if pieces.is_empty() && unknown.is_empty() {
            account.block(line.entry, part.pointer.as_str(), line.kind_of(name), 0, fate);
        }
        for ((at, name, _), size) in pieces.into_iter().zip(sizes) {
            account.block(line.entry, at, line.kind_of(name.trim_end_matches('/')), size, fate);
        }
        for (at, name, item) in unknown {
            self.unknown(account, line, &at, name.trim_end_matches('/'), item);
        }
        if part.value.get("is_error").and_then(Value::bool) == Some(true) {
            let at = format!("{}/is_error", part.pointer);
            account.block(line.entry, at, line.kind_of("is_error"), 0, Fate::Folded(Reason::Metadata, kept));
        }
        if let Some(body) = set_aside {
            self.body(account, line, &body, id);
        }
    }
}
