//! `assay watch`.

use super::Output;
use crate::arguments::Common;
use crate::failure::{Failure, words};
use crate::table;
use assay_engine::lines::OutcomeLine;
use assay_engine::{Engine, Imported, WatchOptions};
use std::time::Duration;

/// Imports what settles, and tells each conversation as it is done.
pub fn run(engine: &Engine, common: &Common, every: u64, output: &mut Output<'_>) -> Result<u8, Failure> {
    let options = WatchOptions {
        sources: common.source.clone(),
        retention: common.retention.map(Into::into),
        every: Duration::from_secs(every),
        ..WatchOptions::default()
    };
    writeln!(output.err, "assay: watching; Ctrl-C stops it.")?;
    let mut broken = Ok(());
    engine.watch(&options, &|_| (), &mut |imported| {
        broken = match imported {
            Ok(imported) => tell(&imported, output),
            Err(fault) => writeln!(output.err, "assay: {}", words(&fault)).map_err(Failure::from),
        };
        broken.is_ok()
    })?;
    broken.map(|()| 0)
}

fn tell(imported: &Imported, output: &mut Output<'_>) -> Result<(), Failure> {
    for outcome in &imported.outcomes {
        if output.json {
            output.line(&OutcomeLine::from(outcome))?;
            continue;
        }
        let what = outcome.library.as_deref().unwrap_or(&outcome.importer).replace('-', " ");
        writeln!(
            output.out,
            "{what}  {}:{}  {}",
            outcome.source,
            table::line(&outcome.id),
            table::line(&outcome.title)
        )?;
    }
    for fault in &imported.failures {
        writeln!(output.err, "assay: {}", words(fault))?;
    }
    Ok(output.out.flush()?)
}
