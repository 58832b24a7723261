//! A text as it is compared: wide and half-wide letters as plain ones. Deliberately absent: any other
//! normalisation, and any change to what is written.

use std::borrow::Cow;
use std::ops::Range;
use unicode_normalization::UnicodeNormalization;

/// A text and where each of its bytes came from.
pub(super) struct Folded<'a> {
    /// What is compared.
    pub(super) text: Cow<'a, str>,
    /// Start in the original of what each byte came from, and the end; nothing if both are the same.
    origin: Vec<usize>,
}

fn is_of_other_width(c: char) -> bool {
    matches!(c, '\u{ff01}'..='\u{ffee}')
}

/// Marks that half-wide kana carry as letters of their own.
fn is_voicing(c: char) -> bool {
    matches!(c, '\u{ff9e}' | '\u{ff9f}')
}

impl<'a> Folded<'a> {
    pub(super) fn of(text: &'a str) -> Self {
        if !text.chars().any(is_of_other_width) {
            return Self { text: Cow::Borrowed(text), origin: Vec::new() };
        }
        let (mut folded, mut origin) = (String::with_capacity(text.len()), Vec::with_capacity(text.len() + 1));
        let mut characters = text.char_indices().peekable();
        while let Some((start, c)) = characters.next() {
            if is_of_other_width(c) {
                let voicing = characters.next_if(|(_, next)| is_voicing(*next)).map(|(_, next)| next);
                folded.extend([Some(c), voicing].into_iter().flatten().nfkc());
            } else {
                folded.push(c);
            }
            origin.resize(folded.len(), start);
        }
        origin.push(text.len());
        Self { text: Cow::Owned(folded), origin }
    }

    /// The same span in the original.
    pub(super) fn original(&self, span: &Range<usize>) -> Range<usize> {
        let at = |place: usize| self.origin.get(place).copied().unwrap_or(place);
        at(span.start)..at(span.end)
    }
}
