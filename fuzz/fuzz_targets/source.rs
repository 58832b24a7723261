//! Any bytes in place of one file or row of a fixture: no panic, an account that balances, the same twice.
//! The source is the one that this target is named for. The corpus begins with every piece of every fixture,
//! which the first run lays down itself.
#![no_main]

#[path = "../../src-tauri/crates/sources/tests/pieces/mod.rs"]
mod pieces;

use libfuzzer_sys::fuzz_target;
use pieces::Pieces;
use std::sync::LazyLock;

static PIECES: LazyLock<Pieces> = LazyLock::new(|| {
    let pieces = Pieces::of(env!("CARGO_BIN_NAME"));
    if let Some(corpus) = std::env::var_os("FUZZ_SEEDS").map(std::path::PathBuf::from) {
        for (at, seed) in pieces.seeds().into_iter().enumerate() {
            std::fs::write(corpus.join(format!("fixture-{at}")), seed).expect("the corpus can be written");
        }
        std::process::exit(0);
    }
    pieces
});

fuzz_target!(init: { LazyLock::force(&PIECES); }, |input: &[u8]| {
    if let Err(wrong) = PIECES.check(input) {
        panic!("{wrong}");
    }
});
