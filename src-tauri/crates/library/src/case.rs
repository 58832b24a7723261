//! Text of which letter case does not matter, in any script: SQLite itself knows only that of ASCII. A function of
//! our connections, so that the file needs nothing of it. Deliberately absent: letters without their marks.

use rusqlite::Connection;
use rusqlite::functions::FunctionFlags;
use std::borrow::Cow;
use unicode_normalization::UnicodeNormalization;

/// Makes `folded(text)` known to a connection.
pub(crate) fn teach(db: &Connection) -> rusqlite::Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    db.create_scalar_function("folded", 1, flags, |of| {
        Ok(of.get_raw(0).as_str_or_null()?.map(|text| fold(text).into_owned()))
    })
}

/// Text as all that differ from it only in letter case, or in how a letter with a mark is written, have it.
pub(crate) fn fold(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return match text.bytes().any(|b| b.is_ascii_uppercase()) {
            true => text.to_ascii_lowercase().into(),
            false => text.into(),
        };
    }
    let lower = text.nfc().flat_map(char::to_lowercase);
    lower.map(|c| if c == 'ς' { 'σ' } else { c }).collect::<String>().into()
}

#[cfg(test)]
mod tests {
    use super::fold;

    #[test]
    fn case_does_not_matter_and_marks_do() {
        for (one, other) in
            [("Äpfel", "äPFEL"), ("ΣΊΣΥΦΟΣ", "σίσυφος"), ("Ёлка", "ёЛКА"), ("e\u{301}", "É"), ("Ab", "aB")]
        {
            assert_eq!(fold(one), fold(other));
        }
        assert_ne!(fold("é"), fold("e"));
    }
}
