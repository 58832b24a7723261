//! Any bytes in place of one file or row of a fixture: no panic, an account that balances, the same twice.
//! The source is the one that this target is named for. The corpus begins with every piece of every fixture,
//! which the first run lays down itself.
#![no_main]

use assay_sources::fixtures::Pieces;
use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;

static PIECES: LazyLock<Pieces> = LazyLock::new(|| {
    let registry = assay_sources::registry();
    let adapter = registry.get(env!("CARGO_BIN_NAME")).expect("a source of that name");
    let pieces = Pieces::of(adapter).expect("fixtures can be read");
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
