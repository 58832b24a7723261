//! Text as ECMAScript sees it, because the published rules are written in its terms.

use std::borrow::Cow;

/// ECMAScript white space and line terminators: what `String.prototype.trim` takes away.
/// U+FEFF counts, U+0085 and U+180E do not (Rust's own `trim` differs in both directions).
pub fn is_ecma_space(c: char) -> bool {
    matches!(
        c,
        '\u{9}' | '\u{A}' | '\u{B}' | '\u{C}' | '\u{D}' | ' ' | '\u{A0}' | '\u{1680}' | '\u{2000}'
            ..='\u{200A}' | '\u{2028}' | '\u{2029}' | '\u{202F}' | '\u{205F}' | '\u{3000}' | '\u{FEFF}'
    )
}

/// `String.prototype.trim`.
pub fn trim(text: &str) -> &str {
    text.trim_matches(is_ecma_space)
}

/// Whether nothing is left after [`trim`].
pub fn is_blank(text: &str) -> bool {
    trim(text).is_empty()
}

/// Whether the text contains a code fence (three backticks).
pub fn has_fence(text: &str) -> bool {
    memchr::memmem::find(text.as_bytes(), b"```").is_some()
}

/// Texts as lines of one; a single text is not copied.
pub fn join<'a>(mut texts: Vec<Cow<'a, str>>) -> Cow<'a, str> {
    if texts.len() == 1 { texts.swap_remove(0) } else { texts.join("\n").into() }
}

/// The first `limit` characters, with `…` where something was cut off.
pub fn excerpt(text: &str, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trims_what_ecmascript_trims_and_nothing_else() {
        assert_eq!(trim("\u{FEFF}\u{3000} a\u{2028}"), "a");
        assert_eq!(trim("\u{85}a\u{180E}"), "\u{85}a\u{180E}");
        assert!(is_blank("\u{2003}\u{FEFF}\t"));
        assert!(!is_blank("\u{85}"));
    }

    #[test]
    fn excerpts_cut_at_characters() {
        assert_eq!(excerpt("悬空引用", 2), "悬空…");
        assert_eq!(excerpt("ab", 2), "ab");
    }
}
