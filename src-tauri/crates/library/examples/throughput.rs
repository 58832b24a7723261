//! How fast one writer imports: `cargo run --release -p assay-library --example throughput [MEGABYTES]`.
//! Made-up talk with code, names, outputs of tools and Chinese; the same once more in signs only, of which
//! the index holds nothing, to tell what the index costs.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "an example")]

mod made_up;
#[path = "../tests/support/mod.rs"]
mod support;

use assay_library::{Prepared, SearchFilter};
use assay_model::MessageType;
use made_up::{Numbers, Worked, text};
use std::collections::HashMap;
use support::{Line, Parsed, open};

fn main() {
    let megabytes: usize = std::env::args().nth(1).and_then(|a| a.parse().ok()).unwrap_or(100);
    for words in [false, true] {
        let mut numbers = Numbers(88_172_645_463_325_252);
        let (mut stores, mut total) = (Vec::new(), 0);
        while total < megabytes << 20 {
            let lines: Vec<_> = (0..60)
                .map(|i| {
                    let length = [80, 400, 1500, 6000][numbers.below(4)];
                    let from = if i % 2 == 0 { MessageType::User } else { MessageType::Assistant };
                    let text = text(&mut numbers, length, words);
                    total += text.len();
                    Line { from, text, thinking: None, recovered: i % 3 == 0, at: Some(i * 1000) }
                })
                .collect();
            stores.push(Parsed::of("codex", &stores.len().to_string(), &lines));
        }
        let folder = tempfile::tempdir().unwrap();
        let mut library = open(folder.path());
        let rate = |begun: Worked| total as f64 / 1e6 / begun.seconds();

        let begun = Worked::begin();
        let prepared: Vec<_> = stores.iter().map(|s| Prepared::new(None, &s.incoming())).collect();
        println!(
            "words {words}: {} conversations, {} MB; prepared at {:.0} MB/s",
            stores.len(),
            total / 1_000_000,
            rate(begun)
        );

        let begun = Worked::begin();
        let mut group = library.group().unwrap();
        for (store, prepared) in stores.iter().zip(&prepared) {
            group.store(&store.incoming(), prepared).unwrap();
            if group.is_full() {
                group.commit().unwrap();
                group = library.group().unwrap();
            }
        }
        group.commit().unwrap();
        let messages: usize = stores.iter().map(|s| s.conversation.messages.len()).sum();
        let seconds = begun.seconds();
        println!("  written at {:.0} MB/s, {:.0} messages/s", total as f64 / 1e6 / seconds, messages as f64 / seconds);

        let begun = Worked::begin();
        while library.index(&mut |_| true).unwrap() {}
        println!("  indexed at {:.0} MB/s", rate(begun));

        let begun = Worked::begin();
        library.settle().unwrap();
        let size = library.reader().unwrap().bytes();
        println!(
            "  settled in {:.2} s; {:.2} bytes of file per byte of text",
            begun.seconds(),
            size as f64 / total as f64
        );

        let known = library.known("codex").unwrap();
        let begun = Worked::begin();
        let same: HashMap<_, usize> = stores.iter().fold(HashMap::new(), |mut all, s| {
            *all.entry(assay_library::plan(known.get(&s.conversation.id), &s.incoming())).or_default() += 1;
            all
        });
        println!("  compared again at {:.0} MB/s: {same:?}", rate(begun));

        let reader = library.reader().unwrap();
        for query in ["word4242", "悬空引用", "module_7/file_88.rs", "the", "wor", "needs which would word17"] {
            let begun = Worked::begin();
            let page = reader.search(query, &SearchFilter::default(), 0, 20).unwrap();
            println!("  {query}: {} in {:.1} ms", page.total, begun.seconds() * 1e3);
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let mut library = open(folder.path());
    let mut group = library.group().unwrap();
    for i in 0..10_000 {
        let store = Parsed::of("codex", &i.to_string(), &support::talk(4));
        group.store(&store.incoming(), &Prepared::new(None, &store.incoming())).unwrap();
    }
    group.commit().unwrap();
    let reader = library.reader().unwrap();
    for _ in 0..3 {
        let begun = Worked::begin();
        let known = reader.known("codex").unwrap().len();
        println!("{known} conversations known in {:.1} ms", begun.seconds() * 1e3);
    }
}
