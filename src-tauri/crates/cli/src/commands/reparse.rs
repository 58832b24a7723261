//! `assay reparse`.

use super::{Output, import};
use crate::arguments::Common;
use crate::failure::Failure;
use crate::workplace::Bar;
use assay_engine::{Engine, ReparseOptions};

/// Reads again from the library's own bytes, and says what came of it as an import does.
pub fn run(engine: &Engine, common: &Common, ids: &[String], output: &mut Output<'_>) -> Result<u8, Failure> {
    let keys = engine.keys(ids)?;
    let options = ReparseOptions { sources: common.source.clone(), keys, retention: common.retention.map(Into::into) };
    let bar = Bar::new(output.terminal);
    let imported = engine.reparse(&options, &|p| bar.hear(p))?;
    drop(bar);
    import::tell(engine, &imported, output)
}
