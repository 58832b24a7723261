//! Text cut into the words that the index holds. Texts and queries go through the same cut, so that what
//! is written one way is found the same way.
//!
//! - Each ideograph, kana or hangul is a word, because no space says where a word ends there. A query of
//!   several is a phrase, and so finds every word of any length.
//! - A name in parts (`getUserName`, `main_window.rs`, `error-401`) is its parts in order, and beside them
//!   each of its segments whole (`getusername`) and from each of its parts on (`username`), so that it is
//!   found in parts, whole and run together.
//! - An emoji is a word.
//! - Letter case, diacritics, ligatures and compatibility forms (full width) are folded; ß is ss.
//!
//! Deliberately absent: stemming, stop words, languages.

use std::ops::Range;
use unicode_normalization::char::{decompose_compatible, is_combining_mark};

/// Text behind this many bytes of one message is not indexed: its words might be more than SQLite takes as one value.
const INDEXED: usize = 256 << 20;

/// How much of a text is cut at once, so that where its words stand takes little memory, however long it is.
pub(crate) const PIECE: usize = 4 << 20;

/// A run of letters and digits that is longer than any name is encoded data: one word, not cut into parts.
const NAME: usize = 40;

/// Longest word in bytes; the rest of a longer one is not in the index.
const WORD: usize = 64;

/// Parts of a segment from which on it is a word of its own.
const TAILS: usize = 8;

/// Segments after which what is whole is written down, so that a text without spaces needs no memory.
const SEGMENTS: usize = 256;

/// Words in order, as text that is separated by spaces, and where each stands.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Words {
    /// The words, a space behind each: this is what goes into the index.
    pub text: String,
    words: Vec<Word>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Word {
    /// Where it begins and ends in [`Words::text`].
    folded: (u32, u32),
    /// Where it stands in the original.
    at: (u32, u32),
}

impl Words {
    pub(crate) fn len(&self) -> usize {
        self.words.len()
    }

    /// The folded words.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).map(|n| self.folded(n))
    }

    pub(crate) fn folded(&self, n: usize) -> &str {
        let (start, end) = self.words[n].folded;
        &self.text[start as usize..end as usize]
    }

    /// Where words `of` stand in the original.
    pub(crate) fn span(&self, of: Range<usize>) -> Range<usize> {
        self.words[of.start].at.0 as usize..self.words[of.end - 1].at.1 as usize
    }

    /// Closes the word that was written from `from` on, which stands `at` in the original.
    fn close(&mut self, from: usize, at: Range<usize>) {
        let mut end = self.text.len();
        if end - from > WORD {
            end = self.text.floor_char_boundary(from + WORD);
            self.text.truncate(end);
        }
        if end > from {
            self.words.push(Word { folded: (from as u32, end as u32), at: (at.start as u32, at.end as u32) });
            self.text.push(' ');
        }
    }
}

/// What one text holds.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Tokens {
    /// Every word, names in their parts.
    pub parts: Words,
    /// Names whole, segment by segment; only of names that have a segment in parts.
    pub wholes: Words,
    /// Segments from their second and later parts on, where that is more than one part.
    pub tails: Words,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    /// A letter or digit of a script that sets words apart.
    Letter,
    /// A character that is a word.
    Ideograph,
    /// Holds the parts of one segment together.
    Hyphen,
    /// Holds the segments of one name together.
    Separator,
    /// Anything else ends the name.
    Other,
}

fn class(c: char) -> Class {
    match c {
        'a'..='z' | 'A'..='Z' | '0'..='9' => Class::Letter,
        '-' | '_' => Class::Hyphen,
        '.' | '/' | ':' | '\\' | '@' => Class::Separator,
        '\0'..='\x7f' => Class::Other,
        _ if stands_alone(c) || is_emoji(c) => Class::Ideograph,
        _ if c.is_alphanumeric() => Class::Letter,
        _ => Class::Other,
    }
}

/// Whether it is a character that is a word.
pub(crate) fn is_word(word: &str) -> bool {
    word.chars().next().is_some_and(|c| class(c) == Class::Ideograph)
}

/// Pictures; what only changes the one before it (skin, joiners, variation selectors) is not one.
fn is_emoji(c: char) -> bool {
    matches!(c, '\u{1F000}'..='\u{1F3FA}' | '\u{1F400}'..='\u{1FAFF}' | '\u{2600}'..='\u{27BF}' | '\u{2B1B}'..='\u{2B1C}'
        | '\u{2B50}' | '\u{2B55}' | '\u{231A}'..='\u{231B}' | '\u{23E9}'..='\u{23FA}')
}

/// Scripts that are written without spaces between words.
fn stands_alone(c: char) -> bool {
    matches!(c,
        '\u{E00}'..='\u{EFF}' | '\u{1000}'..='\u{109F}' | '\u{1780}'..='\u{17FF}' // Thai, Lao, Burmese, Khmer
        | '\u{1100}'..='\u{11FF}' | '\u{3130}'..='\u{318F}' | '\u{A960}'..='\u{A97F}' | '\u{AC00}'..='\u{D7FF}' // hangul
        | '\u{2E80}'..='\u{2FDF}' | '\u{3005}'..='\u{3007}' | '\u{3021}'..='\u{3029}' | '\u{3031}'..='\u{3035}'
        | '\u{3041}'..='\u{3096}' | '\u{309D}'..='\u{309F}' | '\u{30A1}'..='\u{30FA}' | '\u{30FC}'..='\u{30FF}' // kana
        | '\u{3100}'..='\u{312F}' | '\u{31A0}'..='\u{31BF}' | '\u{31F0}'..='\u{31FF}'
        | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{3FFFF}'
        | '\u{FF66}'..='\u{FF9F}' | '\u{FFA0}'..='\u{FFDC}' | '\u{1B000}'..='\u{1B16F}')
}

/// A text in pieces that end between two words, wherever there is such a place near, each with where it begins.
pub(crate) fn pieces(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let text = &text[..text.floor_char_boundary(INDEXED)];
    let mut begin = 0;
    std::iter::from_fn(move || {
        let rest = text.get(begin..).filter(|rest| !rest.is_empty() || begin == 0)?;
        let end = match rest.floor_char_boundary(PIECE) {
            end if end == rest.len() => end,
            end => {
                let near = rest.ceil_char_boundary(end - PIECE / 16);
                rest[near..end].rfind(|c: char| c.is_ascii_whitespace()).map_or(end, |space| near + space + 1)
            }
        };
        begin += end.max(1);
        Some((begin - end.max(1), &rest[..end]))
    })
}

/// The words of a text of any length as the index takes them: those that stand in it, and those that are whole.
pub(crate) fn words(text: &str) -> (String, String) {
    let (mut parts, mut wholes) = (String::new(), String::new());
    for (_, piece) in pieces(text) {
        let tokens = Tokens::of(piece);
        parts.push_str(&tokens.parts.text);
        wholes.extend([tokens.wholes.text, tokens.tails.text]);
    }
    (parts, wholes)
}

impl Tokens {
    /// Cuts a text, which is best a piece of one.
    pub(crate) fn of(text: &str) -> Self {
        let mut cut = Cut { text, tokens: Self::default(), segments: Vec::new(), open: 0, in_parts: false };
        cut.tokens.parts.text.reserve(text.len() + text.len() / 4);
        let mut at = 0;
        while let Some(c) = text[at..].chars().next() {
            let width = c.len_utf8();
            match class(c) {
                Class::Letter => {
                    let run = &text[at..];
                    let end = run.find(|c| class(c) != Class::Letter && !is_mark(c)).unwrap_or(run.len());
                    cut.run(at..at + end);
                    at += end;
                    continue;
                }
                Class::Ideograph => cut.ideograph(c, at..at + width),
                Class::Hyphen => {}
                Class::Separator => cut.end_segment(),
                Class::Other => cut.end_name(),
            }
            at += width;
        }
        cut.end_name();
        cut.tokens
    }
}

fn is_mark(c: char) -> bool {
    !c.is_ascii() && !stands_alone(c) && is_combining_mark(c)
}

/// A cut in the making.
struct Cut<'a> {
    text: &'a str,
    tokens: Tokens,
    /// Segments of the name so far, as ranges of parts.
    segments: Vec<Range<usize>>,
    /// The part with which the open segment begins.
    open: usize,
    /// Whether a segment of the name has more than one part.
    in_parts: bool,
}

impl Cut<'_> {
    /// Cuts a run of letters and digits where the letter case says that a part begins: `getUser`, `HTTPServer`.
    fn run(&mut self, run: Range<usize>) {
        let text = &self.text[run.clone()];
        let words = &mut self.tokens.parts;
        let cut = text.len() <= NAME;
        let (mut start, mut from) = (run.start, words.text.len());
        // Of the character before: whether it is upper case, and where it began here and there.
        let (mut upper, mut uppers, mut before) = (false, 0, (run.start, from));
        for (offset, c) in text.char_indices() {
            let here = run.start + offset;
            if cut && !is_mark(c) {
                let (was, many) = (upper, uppers);
                upper = c.is_uppercase();
                uppers = if upper { uppers + 1 } else { 0 };
                if upper && !was && here > start {
                    words.close(from, start..here);
                    (start, from) = (here, words.text.len());
                } else if !upper && many > 1 && c.is_lowercase() {
                    // The last upper-case letter belongs to what follows.
                    let last = words.text.split_off(before.1);
                    words.close(from, start..before.0);
                    (start, from) = (before.0, words.text.len());
                    words.text.push_str(&last);
                }
            }
            if !is_mark(c) {
                before = (here, words.text.len());
            }
            fold(c, &mut words.text);
        }
        words.close(from, start..run.end);
    }

    fn ideograph(&mut self, c: char, at: Range<usize>) {
        self.end_segment();
        let words = &mut self.tokens.parts;
        let from = words.text.len();
        match c {
            // Half-width kana and hangul.
            '\u{FF00}'..='\u{FFEF}' => fold(c, &mut words.text),
            _ => words.text.push(c),
        }
        words.close(from, at);
        self.end_segment();
    }

    fn end_segment(&mut self) {
        let end = self.tokens.parts.len();
        if end > self.open {
            self.in_parts |= end - self.open > 1;
            self.segments.push(self.open..end);
            self.open = end;
        }
        if self.segments.len() >= SEGMENTS {
            self.end_name();
        }
    }

    fn end_name(&mut self) {
        if self.segments.len() < SEGMENTS {
            self.end_segment();
        }
        if std::mem::take(&mut self.in_parts) {
            let Tokens { parts, wholes, tails } = &mut self.tokens;
            for segment in &self.segments {
                let starts = segment.start + 1..segment.end.saturating_sub(1);
                for start in starts.take(TAILS) {
                    let from = tails.text.len();
                    (start..segment.end).for_each(|n| tails.text.push_str(parts.folded(n)));
                    tails.close(from, parts.span(start..segment.end));
                }
                let from = wholes.text.len();
                segment.clone().for_each(|n| wholes.text.push_str(parts.folded(n)));
                wholes.close(from, parts.span(segment.clone()));
            }
        }
        self.segments.clear();
    }
}

/// A character without case, marks and compatibility form.
fn fold(c: char, out: &mut String) {
    if c.is_ascii() {
        out.push(c.to_ascii_lowercase());
        return;
    }
    decompose_compatible(c, |c| {
        for c in c.to_lowercase().filter(|c| c.is_alphanumeric() && !is_combining_mark(*c)) {
            match LIGATURES.iter().find(|(letter, _)| *letter == c) {
                Some((_, plain)) => out.push_str(plain),
                None => out.push(c),
            }
        }
    });
}

/// Letters that no decomposition takes apart, as those write them who do not have them, and the sigma at the end.
const LIGATURES: [(char, &str); 9] =
    [('ß', "ss"), ('æ', "ae"), ('œ', "oe"), ('ø', "o"), ('đ', "d"), ('ð', "d"), ('ł', "l"), ('ı', "i"), ('ς', "σ")];

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cut(text: &str) -> (String, String) {
        let tokens = Tokens::of(text);
        (tokens.parts.text.trim_end().into(), tokens.wholes.text.trim_end().into())
    }

    #[test]
    fn names_are_cut_into_parts_and_kept_whole() {
        let cases = [
            ("plain words, here", "plain words here", ""),
            ("getUserName()", "get user name", "getusername"),
            ("HTTPServer2 parseJSON", "http server2 parse json", "httpserver2 parsejson"),
            ("error-401", "error 401", "error401"),
            ("status:500", "status 500", ""),
            ("src/main_window.rs", "src main window rs", "src mainwindow rs"),
            ("UTF-8 utf8", "utf 8 utf8", "utf8"),
            ("bd-q3fy", "bd q3fy", "bdq3fy"),
            ("悬空引用", "悬 空 引 用", ""),
            ("重跑gen-itgc后", "重 跑 gen itgc 后", "重 跑 genitgc 后"),
            ("カタカナ ｶﾅ 한글", "カ タ カ ナ カ ナ 한 글", ""),
            ("Crème Brûlée É e\u{301}x ＡＢＣ", "creme brulee e ex abc", ""),
            ("İstanbul Straße ½ Łódź Ærø", "istanbul strasse 12 lodz aero", ""),
            ("ΣΊΣΥΦΟΣ Σίσυφος", "σισυφοσ σισυφοσ", ""),
            ("e.g. A b", "e g a b", ""),
            ("", "", ""),
            ("\0\u{1} \u{301} …", "", ""),
            ("done🎉👍🏽 ✅", "done 🎉 👍 ✅", ""),
        ];
        for (text, parts, wholes) in cases {
            assert_eq!(cut(text), (parts.into(), wholes.into()), "{text}");
        }
    }

    #[test]
    fn a_name_is_a_word_from_each_of_its_parts_on() {
        let tails = |text: &str| Tokens::of(text).tails.text.trim_end().to_owned();
        assert_eq!(tails("getUserName"), "username");
        assert_eq!(tails("src/main_window_state.rs"), "windowstate");
        assert_eq!(tails("getUser plain words"), "");
        assert_eq!(tails("a_b_c_d"), "bcd cd");
    }

    #[test]
    fn a_long_text_is_cut_in_pieces_between_words() {
        let long = "悬空 word, ".repeat(PIECE / 8);
        let parts: Vec<_> = pieces(&long).collect();
        assert!(parts.len() > 1 && parts.iter().all(|(_, piece)| piece.len() <= PIECE));
        assert!(parts.iter().all(|(at, piece)| long[*at..].starts_with(piece)));
        assert_eq!(parts.iter().map(|(_, piece)| piece.len()).sum::<usize>(), long.len());
        assert_eq!(words(&long).0, Tokens::of(&long).parts.text);
        let dense = "悬".repeat(PIECE);
        assert_eq!(pieces(&dense).map(|(_, piece)| piece.len()).sum::<usize>(), dense.len());
        assert_eq!(pieces("").count(), 1);
    }

    #[test]
    fn encoded_data_is_one_word_of_bounded_length() {
        let data = "aGVsbG8gV29ybGQ".repeat(1000);
        let (parts, wholes) = cut(&data);
        assert_eq!((parts.len(), wholes.as_str()), (WORD, ""));
        let joined = "a-".repeat(5000);
        assert!(cut(&joined).1.split(' ').all(|w| w.len() <= WORD));
    }

    proptest! {
        #[test]
        fn any_text_is_cut_and_every_word_stands_where_it_says(text in any::<String>()) {
            let tokens = Tokens::of(&text);
            for words in [&tokens.parts, &tokens.wholes, &tokens.tails] {
                for n in 0..words.len() {
                    let word = words.folded(n);
                    prop_assert!(!word.is_empty() && !word.contains(|c: char| c.is_ascii() && !c.is_ascii_alphanumeric()));
                    let original = &text[words.span(n..n + 1)];
                    prop_assert!(!original.is_empty());
                }
            }
        }

        #[test]
        fn a_word_is_cut_as_it_is_cut_within_a_text(word in "[a-zA-Z0-9_./悬空é-]{1,12}") {
            let alone = Tokens::of(&word).parts.text;
            let within = Tokens::of(&format!("(before {word} after)")).parts.text;
            prop_assert_eq!(within, format!("before {alone}after "));
        }
    }
}
