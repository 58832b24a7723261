//! The place in a text that answers a query, cut out with what is to be marked in it. Deliberately absent:
//! how a mark looks.

use super::query::{Query, Term};
use super::tokens::{Tokens, Words, pieces};
use std::ops::Range;

/// Characters of text before the first mark, and in all.
const BEFORE: usize = 40;
const LENGTH: usize = 200;

/// Places that are compared; a text that has more is long enough.
const PLACES: usize = 1000;

/// Pieces of a long text that are looked at for a better place than was found.
const MORE: usize = 4;

/// A piece of the original text.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Snippet {
    /// The text as it stands, with `…` where something was cut off.
    pub text: String,
    /// What was found, as byte ranges of `text`.
    pub marks: Vec<Range<usize>>,
}

/// The best place of `text` and how many of the wanted terms are there; `None` if there is none. Of a long text, the
/// best of the first piece that has all, if there is one.
pub(crate) fn best(text: &str, query: &Query) -> Option<(usize, Snippet)> {
    let mut found: Option<(usize, Vec<Range<usize>>)> = None;
    let mut more = MORE;
    for (from, piece) in pieces(text) {
        more -= usize::from(found.is_some());
        let best = if more > 0 { best_of(piece, query) } else { break };
        let Some((kinds, marks)) = best else { continue };
        if found.as_ref().is_none_or(|(before, _)| *before < kinds) {
            found = Some((kinds, marks.into_iter().map(|m| m.start + from..m.end + from).collect()));
        }
        if kinds == query.all.len() {
            break;
        }
    }
    found.map(|(kinds, marks)| (kinds, cut(text, &marks)))
}

/// How many of the wanted terms are at the best place of a piece, and where they stand.
fn best_of(text: &str, query: &Query) -> Option<(usize, Vec<Range<usize>>)> {
    let places = places(text, query);
    let window = |first: usize| {
        let end = advance(text, places[first].0.start, LENGTH - BEFORE);
        let many = places[first..].iter().take_while(|p| p.0.end <= end).count();
        &places[first..first + many.max(1)]
    };
    let kinds = |first: &usize| window(*first).iter().fold(0_u64, |seen, p| seen | 1 << p.1.min(63)).count_ones();
    // The first of those with the most.
    let best = (0..places.len()).rev().max_by_key(kinds)?;
    Some((kinds(&best) as usize, window(best).iter().map(|p| p.0.clone()).collect()))
}

/// The same for a text that a name stands before.
pub(crate) fn behind(name: &str, text: &str, query: &Query) -> Snippet {
    let shown = format!("{name}  {}", &text[..advance(text, 0, LENGTH)]);
    best(&shown, query).map(|(_, snippet)| snippet).unwrap_or_default()
}

/// Whether one of the terms stands in a text.
pub(crate) fn has(text: &str, terms: &[Term]) -> bool {
    pieces(text).any(|(_, piece)| {
        let (tokens, mut found) = (Tokens::of(piece), Vec::new());
        for term in terms {
            for words in [&tokens.parts, &tokens.wholes, &tokens.tails] {
                term.forms().for_each(|form| find(words, form, term, 0, &mut found));
            }
        }
        !found.is_empty()
    })
}

/// Where the terms stand, in order, each with its number; what overlaps is one.
fn places(text: &str, query: &Query) -> Vec<(Range<usize>, usize)> {
    let tokens = Tokens::of(text);
    let mut found = Vec::new();
    for (number, alternatives) in query.all.iter().enumerate() {
        for term in alternatives {
            for words in [&tokens.parts, &tokens.wholes] {
                term.forms().for_each(|form| find(words, form, term, number, &mut found));
            }
            // Where nothing shorter is found.
            let mut more = Vec::new();
            term.forms().for_each(|form| find(&tokens.tails, form, term, number, &mut more));
            let before = found.len();
            more.retain(|(place, _)| {
                !found[..before].iter().any(|(f, _): &(Range<usize>, usize)| f.start < place.end && place.start < f.end)
            });
            found.append(&mut more);
        }
    }
    found.sort_by_key(|(place, _)| (place.start, usize::MAX - place.end));
    found.dedup_by(|next, before| next.0.start < before.0.end);
    found.truncate(PLACES);
    found
}

fn find(words: &Words, form: &[String], term: &Term, number: usize, found: &mut Vec<(Range<usize>, usize)>) {
    let Some((last, head)) = form.split_last() else { return };
    let mut room = PLACES;
    for at in 0..(words.len() + 1).saturating_sub(form.len()) {
        let end = at + form.len();
        let ends = |word: &str| if term.goes_on(form) { word.starts_with(last.as_str()) } else { word == last };
        if ends(words.folded(end - 1)) && head.iter().enumerate().all(|(n, word)| words.folded(at + n) == word) {
            found.push((words.span(at..end), number));
            room -= 1;
            if room == 0 {
                return;
            }
        }
    }
}

/// The byte `characters` after `from`, or the end.
fn advance(text: &str, from: usize, characters: usize) -> usize {
    text[from..].char_indices().nth(characters).map_or(text.len(), |(n, _)| from + n)
}

fn cut(text: &str, marks: &[Range<usize>]) -> Snippet {
    let (Some(first), Some(last)) = (marks.first(), marks.last()) else { return Snippet::default() };
    let start = text[..first.start].char_indices().rev().take(BEFORE).last().map_or(first.start, |(n, _)| n);
    // From a word's beginning, if there is one in what comes before.
    let start = match text[start..first.start].find(char::is_whitespace) {
        Some(space) if start > 0 => start + space + 1,
        Some(_) | None => start,
    };
    let start = text.ceil_char_boundary(start).min(first.start);
    let end = advance(text, start, LENGTH).max(last.end);
    let (before, after) = (if start > 0 { "…" } else { "" }, if end < text.len() { "…" } else { "" });
    let moved = |n: usize| n - start + before.len();
    Snippet {
        text: format!("{before}{}{after}", &text[start..end]),
        marks: marks.iter().map(|m| moved(m.start)..moved(m.end)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn marked(text: &str, query: &str) -> String {
        let Some((_, snippet)) = best(text, &Query::parse(query)) else { return String::new() };
        let mut out = snippet.text.clone();
        for mark in snippet.marks.iter().rev() {
            out.insert(mark.end, ']');
            out.insert(mark.start, '[');
        }
        out
    }

    #[test]
    fn what_is_found_is_marked_in_the_original_text() {
        let cases = [
            ("Call getUserName() now", "username", "Call get[UserName]() now"),
            ("die Straße", "strasse", "die [Straße]"),
            ("done 🎉 at last", "🎉", "done [🎉] at last"),
            ("Call getUserName() now", "getusername", "Call [getUserName]() now"),
            ("Call getUserName() now", "user", "Call get[User]Name() now"),
            ("这里有悬空引用的问题", "悬空", "这里有[悬空]引用的问题"),
            ("Crème brûlée", "creme BRULEE", "[Crème] [brûlée]"),
            ("see src/main_window.rs:12", "main_window.rs", "see src/[main_window.rs]:12"),
            ("a prefix", "pref", "a [prefix]"),
        ];
        for (text, query, expected) in cases {
            assert_eq!(marked(text, query), expected, "{query}");
        }
    }

    #[test]
    fn the_place_with_the_most_is_shown() {
        let text = format!("alpha {} alpha beta {}", "x ".repeat(300), "y ".repeat(300));
        let shown = marked(&text, "alpha beta ");
        assert!(shown.starts_with("…x ") && shown.contains("[alpha] [beta]") && shown.ends_with('…'), "{shown}");
    }

    proptest! {
        #[test]
        fn any_text_and_any_query_give_ranges_of_the_snippet(text in any::<String>(), query in any::<String>()) {
            for query in [query, text.chars().skip(1).take(4).collect()] {
                if let Some((_, snippet)) = best(&text, &Query::parse(&query)) {
                    let mut end = 0;
                    for mark in snippet.marks {
                        prop_assert!(mark.start >= end && snippet.text.get(mark.clone()).is_some_and(|m| !m.is_empty()));
                        end = mark.end;
                    }
                }
            }
        }
    }
}
