//! How fast a large library answers: `cargo run --release -p assay-library --example search [MESSAGES]`.
//! A million made-up messages unless told otherwise, indexed, and then what people type: rare and frequent words,
//! beginnings, names, paths, Chinese, many words at once, with filters. Each is asked nine times.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "an example")]

mod made_up;
#[path = "../tests/support/mod.rs"]
mod support;

use assay_library::{Filter, Library, Prepared, Reader, SearchFilter, Sort};
use assay_model::MessageType;
use made_up::{Numbers, text};
use std::time::Instant;
use support::{Line, Parsed};

/// Messages of a conversation.
const EACH: usize = 200;
/// How long they are: most are short.
const BYTES: [usize; 8] = [30, 60, 120, 120, 250, 400, 1000, 3000];

fn main() {
    let messages: usize = std::env::args().nth(1).and_then(|a| a.parse().ok()).unwrap_or(1_000_000);
    let folder = tempfile::tempdir().unwrap();
    let mut library = Library::open(&folder.path().join("library.db")).unwrap();
    let began = Instant::now();
    let text = fill(&mut library, messages);
    println!("{messages} messages, {} MB of text, written in {:.0} s", text / 1_000_000, began.elapsed().as_secs_f64());
    let began = Instant::now();
    while library.index(&mut |_| true).unwrap() {}
    println!("indexed in {:.0} s", began.elapsed().as_secs_f64());
    library.settle().unwrap();
    let reader = library.reader().unwrap();
    println!("{:.2} bytes of file per byte of text\n", reader.bytes() as f64 / text as f64);

    println!("{:>34} {:>8} {:>10} {:>10}", "", "found", "middle ms", "worst ms");
    let all = SearchFilter::default();
    for query in [
        "word4242",
        "悬空引用",
        "重新",
        "检",
        "module_7/file_88.rs",
        "getWhichFrom77",
        "needs which word17",
        "needs which w",
        "module_7/f",
        "wor",
        "the",
        "t",
    ] {
        ask(query, || reader.search(query, &all, 0, 50).unwrap().total);
    }
    let narrow = |conversations| SearchFilter { conversations, ..SearchFilter::default() };
    let one = narrow(Filter { project: Some("project-7".into()), ..Filter::default() });
    let mine = SearchFilter { from: Some(MessageType::User), ..SearchFilter::default() };
    ask("the, of one project", || reader.search("the", &one, 0, 50).unwrap().total);
    ask("the, of the person", || reader.search("the", &mine, 0, 50).unwrap().total);
    ask("the list by time", || list(&reader, &Filter::default()));
    ask("the list of one project", || list(&reader, &one.conversations));
}

/// Writes conversations until there are so many messages; returns the bytes of their texts.
fn fill(library: &mut Library, messages: usize) -> usize {
    let (mut numbers, mut total) = (Numbers(88_172_645_463_325_252), 0);
    let mut group = library.group().unwrap();
    for number in 0..messages / EACH {
        let line = |i: usize| {
            let from = if i.is_multiple_of(2) { MessageType::User } else { MessageType::Assistant };
            let bytes = BYTES[numbers.below(BYTES.len())];
            let text = text(&mut numbers, bytes, true);
            total += text.len();
            let at = Some((number * EACH + i) as i64 * 1000);
            Line { from, text, thinking: None, recovered: i.is_multiple_of(3), at }
        };
        let mut parsed = Parsed::of("codex", &number.to_string(), &(0..EACH).map(line).collect::<Vec<_>>());
        parsed.conversation.project_name = format!("project-{}", number % 40);
        parsed.settle();
        group.store(&parsed.incoming(), &Prepared::new(None, &parsed.incoming())).unwrap();
        if group.is_full() {
            group.commit().unwrap();
            group = library.group().unwrap();
        }
    }
    group.commit().unwrap();
    total
}

fn list(reader: &Reader, filter: &Filter) -> u32 {
    reader.list(filter, Sort::Time, true, 0, 200).unwrap().total
}

fn ask(what: &str, answer: impl Fn() -> u32) {
    let mut found = 0;
    let mut took: Vec<f64> = (0..9)
        .map(|_| {
            let began = Instant::now();
            found = answer();
            began.elapsed().as_secs_f64() * 1000.0
        })
        .collect();
    took.sort_by(f64::total_cmp);
    println!("{what:>34} {found:>8} {:>10.1} {:>10.1}", took[took.len() / 2], took[took.len() - 1]);
}
