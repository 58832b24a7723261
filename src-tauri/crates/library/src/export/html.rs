//! One page that works without a network and runs nothing. Two walls against what strangers and models
//! wrote: raw HTML in a message becomes text before it is rendered, and what was rendered is cleaned; and
//! the page's own policy allows nothing but its one style sheet.

use super::{Document, Format, label};
use ammonia::Builder;
use assay_model::{Kind, Message, hash};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use pulldown_cmark::{CowStr, Event, Options, Parser, Tag, TagEnd};
use std::collections::HashSet;
use std::sync::LazyLock;

const STYLE: &str = include_str!("page.css");

pub(super) fn write(documents: &[Document]) -> String {
    let title = match documents {
        [one] => escaped(one.heading()),
        _ => format!("{} conversations", documents.len()),
    };
    let style = STANDARD.encode(hash::sha256(STYLE.as_bytes()));
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'sha256-{style}'; base-uri 'none'; form-action 'none'\">\n\
         <meta name=\"referrer\" content=\"no-referrer\">\n<meta name=\"viewport\" content=\"width=device-width\">\n\
         <title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n"
    );
    if documents.len() > 1 {
        out += "<nav><ol>\n";
        for (n, document) in documents.iter().enumerate() {
            out += &format!("<li><a href=\"#c{n}\">{}</a></li>\n", escaped(document.heading()));
        }
        out += "</ol></nav>\n";
    }
    for (n, document) in documents.iter().enumerate() {
        conversation(document, n, &mut out);
    }
    out + "</body>\n</html>\n"
}

fn conversation(document: &Document, number: usize, out: &mut String) {
    *out += &format!("<main id=\"c{number}\">\n<h1 dir=\"auto\">{}</h1>\n<dl>\n", escaped(document.heading()));
    for (name, value) in document.about(Format::Html).iter().skip(1) {
        *out += &format!("<dt>{name}</dt><dd>{}</dd>\n", escaped(value));
    }
    *out += "</dl>\n";
    for m in &document.conversation.messages {
        message(m, out);
    }
    let reasons = &document.stored.summary.by_reason;
    if !reasons.is_empty() {
        *out += "<h2>Ledger</h2>\n<table>\n<tr><th>reason</th><th>entries</th></tr>\n";
        for (reason, n) in reasons {
            *out += &format!("<tr><td>{}</td><td>{n}</td></tr>\n", escaped(reason));
        }
        *out += "</table>\n";
    }
    *out += "</main>\n";
}

fn message(m: &Message, out: &mut String) {
    let recovered = if m.is_reference() { "" } else { " recovered" };
    let label = escaped(&label(m).join(" · "));
    *out +=
        &format!("<article class=\"{}{recovered}\" dir=\"auto\">\n<header>{label}</header>\n", m.message_type.code());
    if let Some(thinking) = &m.thinking {
        *out += &format!("<details><summary>thinking</summary><pre>{}</pre></details>\n", escaped(thinking));
    }
    match m.kind {
        Kind::Text => *out += &rendered(&m.content),
        Kind::ToolCall | Kind::ToolResult | Kind::Reasoning | Kind::Event | Kind::Attachment | Kind::Draft => {
            *out += &format!("<pre>{}</pre>", escaped(&m.content));
        }
    }
    *out += "\n</article>\n";
}

/// A text as text.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            '\'' => out += "&#39;",
            // A page cannot hold it.
            '\0' => out.push('\u{FFFD}'),
            c => out.push(c),
        }
    }
    out
}

/// What may stand in a rendered message: nothing that loads, runs, or looks like the page around it.
static CLEAN: LazyLock<Builder<'static>> = LazyLock::new(|| {
    let mut builder = Builder::default();
    builder
        .tags(HashSet::from([
            "p",
            "br",
            "hr",
            "h1",
            "h2",
            "h3",
            "h4",
            "h5",
            "h6",
            "strong",
            "em",
            "del",
            "code",
            "pre",
            "blockquote",
            "ul",
            "ol",
            "li",
            "table",
            "thead",
            "tbody",
            "tr",
            "th",
            "td",
            "a",
        ]))
        .generic_attributes(HashSet::new())
        .tag_attributes([("a", HashSet::from(["href"])), ("ol", HashSet::from(["start"]))].into())
        .url_schemes(HashSet::from(["http", "https", "mailto"]))
        .link_rel(Some("noopener noreferrer nofollow"));
    builder
});

fn rendered(text: &str) -> String {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
    // A picture would be loaded from wherever it says; its words and its address are shown instead.
    let mut pictures = Vec::new();
    let events = Parser::new_ext(text, options).map(|event| match event {
        Event::Html(raw) | Event::InlineHtml(raw) => Event::Text(raw),
        Event::Start(Tag::Image { dest_url, .. }) => {
            pictures.push(dest_url);
            Event::Text(CowStr::Borrowed("!["))
        }
        Event::End(TagEnd::Image) => {
            Event::Text(format!("]({})", pictures.pop().unwrap_or(CowStr::Borrowed(""))).into())
        }
        other => other,
    });
    let mut html = String::new();
    pulldown_cmark::html::push_html(&mut html, events);
    CLEAN.clean(&html).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn nothing_that_runs_or_loads_is_left() {
        let cases = [
            ("<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"),
            ("a <b onclick=x>b</b>", "<p>a &lt;b onclick=x&gt;b&lt;/b&gt;</p>"),
            ("![x](https://e.example/p.png)", "<p>![x](https://e.example/p.png)</p>"),
            ("[x](javascript:alert(1))", "<p><a rel=\"noopener noreferrer nofollow\">x</a></p>"),
            ("**b** `c`", "<p><strong>b</strong> <code>c</code></p>"),
        ];
        for (text, expected) in cases {
            assert_eq!(rendered(text).trim(), expected, "{text}");
        }
    }

    proptest! {
        #[test]
        fn only_known_tags_come_out(text in "[<>/a-z\"'=!\\[\\]()` \n&;:-]{0,60}") {
            let html = rendered(&text);
            for tag in html.split('<').skip(1) {
                let name: String = tag.trim_start_matches('/').chars().take_while(char::is_ascii_alphanumeric).collect();
                prop_assert!(!matches!(name.as_str(), "script" | "img" | "iframe" | "style" | "svg" | "object" | ""), "{html}");
            }
        }
    }
}
