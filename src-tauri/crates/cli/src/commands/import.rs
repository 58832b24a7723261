//! `assay import`.

use super::Output;
use crate::arguments::{Common, Import};
use crate::failure::Failure;
use crate::table::{Align, Table, number};
use crate::workplace::Bar;
use assay_engine::dto::{Count, ImportRequest, ImportResult};
use assay_engine::lines::{ImportLine, OutcomeLine};
use assay_engine::{Engine, ImportOptions, Imported};
use std::io::{self, Write};

/// Imports, and says what was done in three layers.
pub fn run(engine: &Engine, common: &Common, how: Import, output: &mut Output<'_>) -> Result<u8, Failure> {
    let request = ImportRequest { sources: common.source.clone(), verify: how.verify, ..ImportRequest::default() };
    let originals = how.no_originals.then_some(false);
    let options = ImportOptions { request, retention: common.retention.map(Into::into), originals };
    let bar = Bar::new(output.terminal);
    let imported = engine.import(&options, &|p| bar.hear(p))?;
    drop(bar);
    tell(engine, &imported, output)
}

/// Says what was done in three layers.
pub fn tell(engine: &Engine, imported: &Imported, output: &mut Output<'_>) -> Result<u8, Failure> {
    if output.json {
        for outcome in &imported.outcomes {
            output.line(&OutcomeLine::from(outcome))?;
        }
        output.line(&ImportLine::from(&imported.result))?;
    } else {
        write_layers(&imported.result, output.out)?;
        writeln!(output.out, "\nThe library is {}.", engine.short(engine.library()))?;
    }
    output.failures(&imported.failures)
}

fn write_layers(result: &ImportResult, out: &mut dyn Write) -> io::Result<()> {
    let mut table = Table::new(&[
        ("source", Align::Left),
        ("the library", Align::Left),
        ("the importer skipped", Align::Left),
        ("the parser dropped", Align::Left),
    ]);
    for source in &result.sources {
        table.row([source.source.clone(), said(&source.library), said(&source.importer), said(&source.parser)]);
    }
    table.write(out)?;
    if result.cancelled {
        writeln!(out, "\nCancelled. What was written is whole; the next import goes on from here.")?;
    }
    Ok(())
}

/// Counts in words; the longest lists are cut, `--json` has all.
fn said(counts: &[Count]) -> String {
    const SHOWN: usize = 4;
    let mut parts: Vec<String> =
        counts.iter().take(SHOWN).map(|c| format!("{} {}", number(c.count), c.code.replace('-', " "))).collect();
    if counts.len() > SHOWN {
        parts.push(format!("{} more reasons", counts.len() - SHOWN));
    }
    if parts.is_empty() { "–".to_owned() } else { parts.join(", ") }
}
