//! What a person types, as a question to the index. Any text is a valid query: it is cut as texts are, and
//! only words that came out of that cut reach the index, quoted. Deliberately absent: the index's own syntax.
//!
//! Words are all wanted; `OR` in capitals between two words wants either; a "quoted phrase" wants its words
//! in a row; the last word may be the beginning of one, unless a space or a quote ends it.

use super::tokens::{Tokens, Words};

/// More than this many parts are not looked for; nobody types them, and a pasted page has to answer too.
const PARTS: usize = 64;

/// All of these.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Query {
    /// Each wanted, in one of its alternatives.
    pub all: Vec<Vec<Term>>,
}

/// One word or phrase.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Term {
    /// Its parts in a row.
    pub parts: Vec<String>,
    /// The same with its names whole, where that is something else.
    pub wholes: Vec<String>,
    /// Whether nothing ended it, so that it may go on.
    unfinished: bool,
}

impl Query {
    pub(crate) fn parse(text: &str) -> Self {
        let mut query = Self::default();
        let (mut room, mut either) = (PARTS, false);
        let mut rest = text.trim_start();
        while let Some(first) = rest.chars().next() {
            let quoted = first == '"';
            let (word, after, finished) = if quoted {
                let inside = &rest[1..];
                match inside.find('"') {
                    Some(end) => (&inside[..end], &inside[end + 1..], true),
                    None => (inside, "", false),
                }
            } else {
                let end = rest.find(|c: char| c.is_whitespace() || c == '"').unwrap_or(rest.len());
                (&rest[..end], &rest[end..], end < rest.len())
            };
            rest = after.trim_start();
            if word == "OR" && !quoted && !query.all.is_empty() && !rest.is_empty() {
                either = true;
                continue;
            }
            let term = Term::of(word, !finished, &mut room);
            if term.parts.is_empty() {
                continue;
            }
            match query.all.last_mut() {
                Some(alternatives) if either => alternatives.push(term),
                Some(_) | None => query.all.push(vec![term]),
            }
            either = false;
        }
        query
    }

    /// In the index's own syntax; `None` where there is nothing to look for.
    pub(crate) fn expression(&self) -> Option<String> {
        let one = |terms: &Vec<Term>| {
            let phrases = terms.iter().flat_map(Term::phrases).collect::<Vec<_>>();
            format!("({})", phrases.join(" OR "))
        };
        let all: Vec<_> = self.all.iter().map(one).collect();
        (!all.is_empty()).then(|| all.join(" AND "))
    }
}

impl Term {
    fn of(word: &str, unfinished: bool, room: &mut usize) -> Self {
        let Tokens { parts, wholes, tails: _ } = Tokens::of(word);
        let some = |words: &Words, room: usize| words.iter().take(room).map(str::to_owned).collect::<Vec<_>>();
        let parts = some(&parts, *room);
        *room -= parts.len();
        Self { parts, wholes: some(&wholes, PARTS), unfinished }
    }

    /// Its forms as quoted phrases. A word holds letters and digits only, so there is nothing to escape.
    fn phrases(&self) -> impl Iterator<Item = String> + '_ {
        self.forms().map(|form| {
            let star = if self.goes_on(form) { " *" } else { "" };
            format!("\"{}\"{star}", form.join(" "))
        })
    }

    /// Whether the last word of a form may be the beginning of one. A single letter is that of half the index.
    pub(crate) fn goes_on(&self, form: &[String]) -> bool {
        self.unfinished && form.last().is_some_and(|last| last.chars().count() > 1)
    }

    /// The rows of words that count as found.
    pub(crate) fn forms(&self) -> impl Iterator<Item = &[String]> {
        [self.parts.as_slice(), &self.wholes].into_iter().filter(|form| !form.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_typed_becomes_phrases_of_words() {
        let cases = [
            ("hello wor", r#"("hello") AND ("wor" *)"#),
            ("hello ", r#"("hello")"#),
            ("getUserName", r#"("get user name" * OR "getusername" *)"#),
            ("悬空", r#"("悬 空")"#),
            ("广西 OR 桂林", r#"("广 西" OR "桂 林")"#),
            ("a (b) \"c d\" ", r#"("a") AND ("b") AND ("c d")"#),
            ("\"un finished", r#"("un finished" *)"#),
            ("OR x OR", r#"("or") AND ("x") AND ("or" *)"#),
            ("NEAR(a, b) * ^ : {", r#"("near a") AND ("b")"#),
        ];
        for (text, expected) in cases {
            assert_eq!(Query::parse(text).expression().unwrap_or_default(), expected, "{text}");
        }
        for nothing in ["", " ", "\"\"", "*", "\0", "… --"] {
            assert_eq!(Query::parse(nothing).expression(), None, "{nothing}");
        }
    }
}
