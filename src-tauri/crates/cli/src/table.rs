//! Tables and numbers for a terminal.

use std::io::{self, Write};

/// How a column stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    /// Words.
    Left,
    /// Numbers.
    Right,
}

/// A table that is as wide as its cells.
pub struct Table {
    columns: Vec<(&'static str, Align)>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// An empty one with these columns.
    pub fn new(columns: &[(&'static str, Align)]) -> Self {
        Self { columns: columns.to_vec(), rows: Vec::new() }
    }

    /// Adds a row. Whatever a cell says, it stays on its line and steers nothing.
    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().map(|cell| line(&cell)).collect());
    }

    /// Whether it has no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Writes it; nothing if it has no rows.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        if self.rows.is_empty() {
            return Ok(());
        }
        let cell_width = |column: usize| self.rows.iter().map(move |r| r.get(column).map_or(0, |c| width(c)));
        let widths: Vec<usize> = self
            .columns
            .iter()
            .enumerate()
            .map(|(i, (title, _))| cell_width(i).max().unwrap_or(0).max(width(title)))
            .collect();
        let titles: Vec<String> = self.columns.iter().map(|(title, _)| (*title).to_owned()).collect();
        for cells in std::iter::once(&titles).chain(&self.rows) {
            let mut line = String::new();
            for ((cell, (_, align)), wide) in cells.iter().zip(&self.columns).zip(&widths) {
                let gap = " ".repeat(wide.saturating_sub(width(cell)));
                match align {
                    Align::Left => line.extend([cell.as_str(), &gap, "  "]),
                    Align::Right => line.extend([gap.as_str(), cell, "  "]),
                }
            }
            writeln!(out, "{}", line.trim_end())?;
        }
        Ok(())
    }
}

/// Columns that a text takes on a terminal: CJK and full-width forms take two.
pub fn width(text: &str) -> usize {
    text.chars().map(|c| if matches!(c, '\u{1100}'..='\u{115f}' | '\u{2e80}'..='\u{a4cf}' | '\u{ac00}'..='\u{d7a3}' | '\u{f900}'..='\u{faff}' | '\u{fe30}'..='\u{fe6f}' | '\u{ff00}'..='\u{ff60}' | '\u{1f300}'..='\u{1f9ff}' | '\u{20000}'..='\u{3fffd}') { 2 } else { 1 }).sum()
}

/// At most `limit` columns of a text, on one line.
pub fn short(text: &str, limit: usize) -> String {
    let (mut out, mut used) = (String::new(), 0);
    for c in text.chars().map(|c| if steers(c) { ' ' } else { c }) {
        used += width(c.encode_utf8(&mut [0; 4]));
        if used > limit {
            out.push('…');
            break;
        }
        out.push(c);
    }
    out
}

/// A count with separators: `12 345`.
pub fn number(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push('\u{202f}');
        }
        out.push(c);
    }
    out
}

/// Bytes in the largest unit that leaves a digit before the point.
pub fn bytes(n: u64) -> String {
    const UNITS: [&str; 5] = ["B", "kB", "MB", "GB", "TB"];
    let (mut value, mut unit) = (n as f64, 0);
    while value >= 999.5 && unit + 1 < UNITS.len() {
        value /= 1000.0;
        unit += 1;
    }
    if unit == 0 { format!("{n} B") } else { format!("{value:.1} {}", UNITS[unit]) }
}

/// Whether a character moves what a terminal shows: controls, line ends of any kind, and what turns the direction of
/// the text around it.
fn steers(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{fff9}'..='\u{fffb}')
}

/// Text on one line that cannot steer a terminal.
pub fn line(text: &str) -> String {
    text.chars().map(|c| if steers(c) { ' ' } else { c }).collect()
}

/// Text of several lines that cannot steer a terminal.
pub fn lines(text: &str) -> String {
    text.chars().map(|c| if steers(c) && c != '\n' && c != '\t' { '\u{fffd}' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_align_with_wide_characters_and_numbers_read_well() {
        let mut table = Table::new(&[("name", Align::Left), ("n", Align::Right)]);
        table.row(["项目".to_owned(), number(1_234_567)]);
        table.row(["ab".to_owned(), number(7)]);
        let mut out = Vec::new();
        table.write(&mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert_eq!(text, "name          n\n项目  1\u{202f}234\u{202f}567\nab            7\n");
        assert_eq!(short("悬空引用", 5), "悬空…");
        assert_eq!([bytes(999), bytes(1_500), bytes(999_600)], ["999 B", "1.5 kB", "1.0 MB"]);
    }
}
