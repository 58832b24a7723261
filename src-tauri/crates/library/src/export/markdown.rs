//! Markdown in which each message stays within its place: text that would reach out of it (an open fence, a
//! heading of our rank, raw HTML, a definition of links) is written in a fence that is longer than any in it.

use super::{Document, Format, label};
use assay_model::{Kind, text};
use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag};

pub(super) fn write(documents: &[Document]) -> String {
    let mut out = String::new();
    // Front matter is only that at the beginning of a file.
    let alone = documents.len() == 1;
    for document in documents {
        let about: String = document
            .about(Format::Markdown)
            .iter()
            .map(|(name, value)| format!("{name}: {}\n", serde_json::Value::from(value.as_str())))
            .collect();
        if alone {
            out += &format!("---\n{about}---\n\n");
        }
        out += &format!("# {}\n\n", in_line(document.heading()));
        if !alone {
            out += &fenced("yaml", &about);
        }
        for message in &document.conversation.messages {
            out += &format!("## {}\n\n", in_line(&label(message).join(" · ")));
            if let Some(thinking) = &message.thinking {
                out += &fenced("thinking", thinking);
            }
            if message.content.is_empty() {
                continue;
            }
            match message.kind {
                Kind::Text if keeps_its_place(&message.content) => {
                    out += &message.content;
                    out += if message.content.ends_with('\n') { "\n" } else { "\n\n" };
                }
                Kind::Text => out += &fenced("markdown", &message.content),
                Kind::ToolCall | Kind::ToolResult | Kind::Reasoning | Kind::Event | Kind::Attachment | Kind::Draft => {
                    out += &fenced(message.kind.code(), &message.content)
                }
            }
        }
        let reasons = &document.stored.summary.by_reason;
        if !reasons.is_empty() {
            out += "## Ledger\n\n| reason | entries |\n|---|---:|\n";
            reasons.iter().for_each(|(reason, n)| out += &format!("| {reason} | {n} |\n"));
            out.push('\n');
        }
    }
    out
}

/// A text in a fence that nothing in it can close.
fn fenced(info: &str, text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    let end = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    format!("{fence}{info}\n{text}{end}{fence}\n\n")
}

/// A text in one line that means nothing to Markdown.
fn in_line(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '#' | '|' | '~' | '&' | '!' => out.extend(['\\', c]),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

/// Whether Markdown reads this text, and what follows it, as if each stood alone.
fn keeps_its_place(text: &str) -> bool {
    // What follows is a heading. It has to be read as one, at the top.
    let followed = format!("{text}\n\n## Next\n");
    let parser = Parser::new_ext(&followed, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH);
    let mut depth = 0_usize;
    let mut headings = 0;
    if parser.reference_definitions().iter().next().is_some() || is_front_matter(text) {
        return false;
    }
    for event in parser {
        match event {
            Event::Html(_) | Event::InlineHtml(_) => return false,
            Event::Start(Tag::Heading { level: HeadingLevel::H1 | HeadingLevel::H2, .. }) => {
                headings += 1;
                if depth > 0 {
                    return false;
                }
                depth += 1;
            }
            Event::Start(_) => depth += 1,
            Event::End(_) => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    headings == 1
}

fn is_front_matter(written: &str) -> bool {
    text::trim(written).starts_with("---")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn text_that_would_reach_out_is_fenced() {
        for fine in [
            "plain",
            "```rust\nfn x() {}\n```",
            "- a\n  - b",
            "### small heading",
            "`<b>` and a < b",
            "| a |\n|---|\n| b |",
        ] {
            assert!(keeps_its_place(fine), "{fine}");
        }
        for reaching in [
            "```\nopen",
            "# Big",
            "a\n---",
            "<script>x</script>",
            "x <b>y</b>",
            "<!-- open",
            "[a]: http://x",
            "~~~\n```",
        ] {
            assert!(!keeps_its_place(reaching), "{reaching}");
        }
    }

    proptest! {
        #[test]
        fn a_fence_holds_whatever_is_in_it(text in "[`~a \n#<]{0,40}") {
            let written = fenced("text", &text);
            let mut inside = String::new();
            let mut blocks = 0;
            for event in Parser::new(&written) {
                match event {
                    Event::Start(Tag::CodeBlock(_)) => blocks += 1,
                    Event::Text(t) => inside.push_str(&t),
                    Event::End(_) => {}
                    other => prop_assert!(false, "{other:?} in {written:?}"),
                }
            }
            prop_assert_eq!(blocks, 1);
            prop_assert_eq!(inside.trim_end_matches('\n'), text.trim_end_matches('\n'));
        }

        #[test]
        fn what_keeps_its_place_never_hides_what_follows(text in "[`~a1 \n#<>!|*_\\[\\]():.-]{0,30}") {
            if keeps_its_place(&text) {
                let written = format!("## One\n\n{text}\n\n## Two\n\n{}", fenced("x", "end"));
                let headings = Parser::new_ext(&written, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH)
                    .filter(|e| matches!(e, Event::Start(Tag::Heading { level: HeadingLevel::H2, .. })))
                    .count();
                prop_assert_eq!(headings, 2, "{:?}", written);
            }
        }
    }
}
