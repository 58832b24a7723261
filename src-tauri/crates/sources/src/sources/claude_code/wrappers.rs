//! What the tool writes around a person's words: the tags that the published rules take out, and the fixed
//! beginnings by which a whole message is known not to be a prompt.
//!
//! Deliberately absent: tags inside tool results (those stay as they are) and any rule that looks for a
//! tag's name alone: a prompt that only mentions one is left untouched.

use assay_model::{Kind, text};
use memchr::memmem;
use std::borrow::Cow;
use std::ops::Range;

/// What may stand between a tag and its end.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Inside {
    /// Anything, up to the nearest end.
    Anything,
    /// Nothing with a `<` in it.
    Plain,
}

/// The tags that are taken out, in the order in which the reference system does it: what one rule leaves
/// is what the next one sees.
const INJECTED: [(&str, &str, Inside); 6] = [
    ("<system-reminder>", "</system-reminder>", Inside::Anything),
    ("<command-name>", "</command-name>", Inside::Plain),
    ("<command-message>", "</command-message>", Inside::Plain),
    ("<command-args>", "</command-args>", Inside::Plain),
    ("<local-command-stdout>", "</local-command-stdout>", Inside::Plain),
    ("<local-command-caveat>", "</local-command-caveat>", Inside::Anything),
];

/// A text without its injected tags.
pub(super) struct Cleaned<'a> {
    /// What is left, trimmed.
    pub text: Cow<'a, str>,
    /// What was taken out: spans of the original text, in order, none touching another.
    pub removed: Vec<Range<usize>>,
}

/// Takes the injected tags out of a text and trims it.
pub(super) fn clean(original: &str) -> Cleaned<'_> {
    let opens = |at: usize| INJECTED.iter().any(|(open, ..)| original.as_bytes()[at..].starts_with(open.as_bytes()));
    if !memchr::memchr_iter(b'<', original.as_bytes()).any(opens) {
        return Cleaned { text: text::trim(original).into(), removed: Vec::new() };
    }
    let mut kept: Vec<Range<usize>> = std::iter::once(0..original.len()).collect();
    let mut current = Cow::Borrowed(original);
    for (open, close, inside) in INJECTED {
        let found = find(&current, open, close, inside);
        if !found.is_empty() {
            kept = without(&kept, &found);
            current = kept.iter().map(|span| &original[span.clone()]).collect::<String>().into();
        }
    }
    let mut removed = Vec::new();
    let mut at = 0;
    for span in kept.iter().filter(|span| !span.is_empty()).cloned().chain(std::iter::once(original.len()..original.len())) {
        if span.start > at {
            removed.push(at..span.start);
        }
        at = span.end;
    }
    Cleaned { text: text::trim(&current).to_owned().into(), removed }
}

fn find(text: &str, open: &str, close: &str, inside: Inside) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = memmem::find(&text.as_bytes()[at..], open.as_bytes()).map(|i| at + i) {
        let body = start + open.len();
        let end = match inside {
            Inside::Anything => memmem::find(&text.as_bytes()[body..], close.as_bytes()).map(|i| body + i),
            Inside::Plain => memchr::memchr(b'<', &text.as_bytes()[body..]).map(|i| body + i),
        };
        match end {
            Some(end) if text[end..].starts_with(close) => {
                at = end + close.len();
                found.push(start..at);
            }
            Some(_) => at = body,
            None => break,
        }
    }
    found
}

/// Cuts `found`, which are spans of the concatenation of `kept`, out of `kept`.
fn without(kept: &[Range<usize>], found: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    let mut cuts = found.iter().peekable();
    let mut base = 0;
    for span in kept {
        let mut at = span.start;
        let here = base..base + span.len();
        while let Some(cut) = cuts.peek() {
            if cut.start >= here.end {
                break;
            }
            let start = span.start + cut.start.max(here.start) - here.start;
            let end = span.start + cut.end.min(here.end) - here.start;
            if start > at {
                out.push(at..start);
            }
            at = end;
            if cut.end > here.end {
                break; // goes on in the next piece
            }
            cuts.next();
        }
        if at < span.end {
            out.push(at..span.end);
        }
        base = here.end;
    }
    out
}

/// Beginnings of a message that is not a prompt although it stands in a person's record.
const EVENTS: [&str; 14] = [
    "[Request interrupted by user",
    "This session is being continued from a previous conversation",
    "<task-notification>",
    "<teammate-message",
    "<bash-input>",
    "<bash-stdout>",
    "<bash-stderr>",
    "<local-command-stdout>",
    "<local-command-stderr>",
    "<user-prompt-submit-hook>",
    "<session-start-hook>",
    "<tick>",
    "<goal>",
    "Stop hook feedback:",
];

/// What a kept text is: an event if it begins as one, else something said.
pub(super) fn kind_of(text: &str) -> Kind {
    if EVENTS.iter().any(|start| text.starts_with(start)) { Kind::Event } else { Kind::Text }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cleaned(text: &str) -> (String, Vec<&str>) {
        let c = clean(text);
        (c.text.into_owned(), c.removed.iter().map(|r| &text[r.clone()]).collect())
    }

    #[test]
    fn tags_go_and_their_spans_are_known() {
        let cases: [(&str, &str, &[&str]); 8] = [
            ("plain", "plain", &[]),
            ("why does <system-reminder> appear?", "why does <system-reminder> appear?", &[]),
            (
                "<system-reminder>\na <b>\n</system-reminder>\nreal",
                "real",
                &["<system-reminder>\na <b>\n</system-reminder>"],
            ),
            ("a<command-args>x <y></command-args>b", "a<command-args>x <y></command-args>b", &[]),
            (
                "<command-args><command-args>x</command-args>",
                "<command-args>",
                &["<command-args>x</command-args>"],
            ),
            (
                "<command-name>/a<system-reminder>r</system-reminder></command-name> b",
                "b",
                &["<command-name>/a<system-reminder>r</system-reminder></command-name>"],
            ),
            (
                "<command-name>a<local-command-caveat>x</local-command-caveat>b</command-name>",
                "<command-name>ab</command-name>",
                &["<local-command-caveat>x</local-command-caveat>"],
            ),
            (
                "<local-command-stdout>a</local-command-stdout> é <command-message>m</command-message>",
                "é",
                &["<local-command-stdout>a</local-command-stdout>", "<command-message>m</command-message>"],
            ),
        ];
        for (input, text, removed) in cases {
            assert_eq!(cleaned(input), (text.to_owned(), removed.to_vec()), "{input}");
        }
    }

    #[test]
    fn a_cut_may_reach_over_pieces() {
        // The second rule's tag is put together by what the first one took out.
        let text = "<command-name>a<system-reminder>1</system-reminder>b<system-reminder>2</system-reminder>c</command-name>!";
        assert_eq!(cleaned(text).0, "!");
        assert_eq!(cleaned(text).1, [&text[..text.len() - 1]]);
    }
}
