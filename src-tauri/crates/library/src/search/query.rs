//! What a person types, as a question to the index. Any text is a valid query: it is cut as texts are, and
//! only words that came out of that cut reach the index, quoted. Deliberately absent: the index's own syntax.
//!
//! Words are all wanted; `OR` in capitals between two words wants either; a "quoted phrase" wants its words
//! in a row; the last word may be the beginning of one, unless a space or a quote ends it. A single letter is one
//! only behind something else.

use super::tokens::{Tokens, Words, is_word};

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
    /// Whether it is all there is of the query.
    alone: bool,
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
        if let [only] = query.all.as_mut_slice() {
            only.iter_mut().for_each(|term| term.alone = term.parts.len() == 1);
        }
        query
    }

    /// In the index's own syntax; `None` where there is nothing to look for. May answer more than was asked, see
    /// [`Query::unsure`].
    pub(crate) fn expression(&self) -> Option<String> {
        self.written(|term, form| match form {
            [head @ .., _] if term.is_letter(form) => (head, ""),
            _ if term.goes_on(form) => (form, " *"),
            _ => (form, ""),
        })
    }

    /// The same for what has every word as it stands; `None` where that is no other question.
    pub(crate) fn exact(&self) -> Option<String> {
        let goes_on = self.all.iter().flatten().any(|term| term.forms().any(|form| term.goes_on(form)));
        self.written(|_, form| (form, "")).filter(|_| goes_on)
    }

    /// The alternatives of which one ends in the first letter of a word. What begins so is half of the index, so that
    /// the expression asks for the words before it only, and what it finds has to be looked at.
    pub(crate) fn unsure(&self) -> Option<&[Term]> {
        let ends_so = |terms: &&Vec<Term>| terms.iter().any(|term| term.forms().any(|form| term.is_letter(form)));
        self.all.iter().find(ends_so).map(Vec::as_slice)
    }

    /// All forms of all terms as quoted phrases, each as what `write` makes of it: words and what stands behind them.
    /// A word holds letters and digits only, so there is nothing to escape.
    fn written<'a>(&'a self, write: impl Fn(&Term, &'a [String]) -> (&'a [String], &'static str)) -> Option<String> {
        let one = |terms: &'a Vec<Term>| {
            let forms = terms.iter().flat_map(|term| term.forms().map(|form| write(term, form)));
            let phrases: Vec<_> =
                forms.map(|(words, star)| (words.len(), format!("\"{}\"{star}", words.join(" ")))).collect();
            // One that asks for no word is met by everything.
            let asks = phrases.iter().all(|(words, _)| *words > 0);
            asks.then(|| phrases.into_iter().map(|(_, phrase)| phrase).collect::<Vec<_>>().join(" OR "))
        };
        let all: Vec<_> = self.all.iter().filter_map(one).map(|phrases| format!("({phrases})")).collect();
        (!all.is_empty()).then(|| all.join(" AND "))
    }
}

impl Term {
    fn of(word: &str, unfinished: bool, room: &mut usize) -> Self {
        let Tokens { parts, wholes, tails: _ } = Tokens::of(word);
        let some = |words: &Words, room: usize| words.iter().take(room).map(str::to_owned).collect::<Vec<_>>();
        let parts = some(&parts, *room);
        *room -= parts.len();
        Self { parts, wholes: some(&wholes, PARTS), unfinished, alone: false }
    }

    /// Whether the last word of a form may be the beginning of one. A letter that is alone is that of everything, and
    /// a character that is a word is that of nothing.
    pub(crate) fn goes_on(&self, form: &[String]) -> bool {
        let begins = |last: &String| !is_word(last) && (!self.alone || last.chars().count() > 1);
        self.unfinished && form.last().is_some_and(begins)
    }

    /// Whether that is a single letter.
    fn is_letter(&self, form: &[String]) -> bool {
        self.goes_on(form) && form.last().is_some_and(|last| last.chars().count() == 1)
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
            ("a", r#"("a")"#),
            ("quick b", r#"("quick")"#),
            ("status:5", r#"("status")"#),
            ("b OR c", r#"("b" OR "c")"#),
            ("getUserN", r#"("get user" OR "getusern" *)"#),
        ];
        for (text, expected) in cases {
            assert_eq!(Query::parse(text).expression().unwrap_or_default(), expected, "{text}");
        }
        assert!(Query::parse("status:5").unsure().is_some() && Query::parse("5").unsure().is_none());
        assert_eq!(Query::parse("one tw").exact().as_deref(), Some(r#"("one") AND ("tw")"#));
        assert_eq!(Query::parse("one two ").exact(), None);
        for nothing in ["", " ", "\"\"", "*", "\0", "… --"] {
            assert_eq!(Query::parse(nothing).expression(), None, "{nothing}");
        }
    }
}
