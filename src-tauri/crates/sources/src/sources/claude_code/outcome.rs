//! `toolUseResult`: the tool's own record of what it did, beside the text that the model was given.
//!
//! Most of it repeats that text or the call's input. What stands only here — a patch, the file as it was,
//! a person's answers, whether the person changed an edit — is kept, and nothing is kept twice.

use super::line::Line;
use super::queue::hash;
use super::render::{self, Leaf};
use super::session::{Session, body_name};
use crate::readers::json::Value;
use crate::{Account, Fate};
use assay_model::{Kind, Reason};
use foldhash::HashSet;
use std::cell::LazyCell;

/// How the model is told of a call that failed; the tool's own record has only what is inside.
const ERROR: (&str, &str) = ("<tool_use_error>", "</tool_use_error>");

/// What is shorter may stand in a text by chance, in bytes; and of more pieces than this, none is looked for.
const SHORTEST: usize = 5;
const LOOKED_FOR: usize = 64;

/// The field that names a body that was set aside.
const BODY_PATH: &str = "persistedOutputPath";

/// Reads what a tool did. `call` is the call that the record answers, `start` its first message.
pub(super) fn read(
    session: &mut Session<'_>,
    account: &mut Account,
    line: &mut Line<'_>,
    result: Value<'_>,
    pointer: &str,
    call: Option<&str>,
    start: usize,
) {
    let said = &account.messages()[start..];
    let answer = said.iter().position(|m| m.kind == Kind::ToolResult).map(|i| (start + i) as u32);
    let known = LazyCell::new(|| {
        let asked = call.and_then(|id| session.calls.get(id)).map_or(&[][..], |call| &call.lines);
        said.iter().flat_map(|m| hashes(&m.content)).chain(asked.iter().copied()).collect::<HashSet<u64>>()
    });
    let leaves = render::leaves(result, |key| key == BODY_PATH);
    // Of an agent's turns only counters and the provider's words for them.
    let is_state = |leaf: &Leaf<'_>| leaf.state || leaf.path.starts_with("usage.");
    let few = leaves.len() <= LOOKED_FOR;
    let is_said = |text: &str| said.iter().any(|m| m.content == text || (few && stands_in(text, &m.content)));
    let is_known = |text: &str| is_said(text) || text.lines().all(|l| l.trim().is_empty() || known.contains(&hash(line_of(l))));
    let only_here = |leaf: &Leaf<'_>| !is_state(leaf) && !is_known(leaf.text.strip_prefix("Error: ").unwrap_or(&leaf.text));
    let new: Vec<bool> = leaves.iter().map(only_here).collect();
    let changed_by_person = result.get("userModified").and_then(Value::bool) == Some(true);
    if new.contains(&true) || changed_by_person {
        let unique: Vec<Leaf<'_>> =
            leaves
            .into_iter()
            .zip(&new)
            .filter(|(leaf, new)| **new || (is_state(leaf) && !leaf.path.ends_with("type")))
            .map(|(leaf, _)| leaf)
            .collect();
        // A body is described in the text; what it has as it is written counts.
        let described: usize = unique.iter().map(|l| l.bytes.saturating_sub(l.text.len())).sum();
        let mut message = line.recovered(Kind::ToolResult, render::lines(&unique), Reason::ToolResult, pointer);
        message.tool_call_id = call.filter(|c| !c.is_empty()).map(str::to_owned);
        let bytes = message.content.len() + described;
        let (_, fate) = session.once(account, line, message);
        account.block(line.entry, pointer, line.kind_of("toolUseResult"), bytes, fate);
    } else {
        let bytes = leaves.iter().map(|l| l.bytes).sum();
        let states = leaves.iter().all(is_state);
        let reason = if states { Reason::Metadata } else { Reason::Duplicate };
        let entry = account.block(
            line.entry,
            pointer,
            line.kind_of("toolUseResult"),
            bytes,
            Fate::Folded(reason, answer),
        );
        account.excerpt(entry, &render::lines(&leaves));
    }
    let body = result.get(BODY_PATH).and_then(Value::non_empty);
    if let Some(name) = body.as_deref().and_then(|path| body_name(path, true)) {
        session.body(account, line, name, call.filter(|c| !c.is_empty()));
    }
}

/// Hashes of the lines of every text in a value.
pub(super) fn line_hashes(value: Value<'_>) -> Vec<u64> {
    render::leaves(value, |_| false).iter().flat_map(|l| hashes(&l.text).collect::<Vec<_>>()).collect()
}

/// Hashes of a text's lines, each as it stands and without the number that a listing puts before it.
fn hashes(text: &str) -> impl Iterator<Item = u64> + '_ {
    text.lines().filter(|l| !l.trim().is_empty()).flat_map(|l| {
        let plain = line_of(l);
        [Some(hash(plain)), numbered(plain).map(|rest| hash(rest.trim()))].into_iter().flatten()
    })
}

fn line_of(line: &str) -> &str {
    let line = line.trim();
    let inside = line.strip_prefix(ERROR.0).unwrap_or(line);
    inside.strip_suffix(ERROR.1).unwrap_or(inside)
}

/// Whether a line stands in a text, and not as a part of a longer word.
fn stands_in(line: &str, text: &str) -> bool {
    let ends_word = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
    line.len() >= SHORTEST
        && memchr::memmem::find_iter(text.as_bytes(), line.as_bytes())
            .any(|at| ends_word(text[..at].chars().next_back()) && ends_word(text[at + line.len()..].chars().next()))
}

/// A listing's line without its number.
fn numbered(line: &str) -> Option<&str> {
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
    if rest.len() == line.len() {
        return None;
    }
    rest.strip_prefix(['→', '\t'])
}
