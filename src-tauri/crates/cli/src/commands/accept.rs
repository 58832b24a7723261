//! `assay accept`.

use super::Output;
use crate::arguments::Common;
use crate::failure::Failure;
use crate::table::{Align, Table, number};
use crate::workplace::Bar;
use assay_engine::{Engine, PreviewRequest};

/// Runs the fixtures, and counts the boundaries in the person's own data.
pub fn run(engine: &Engine, common: &Common, no_data: bool, output: &mut Output<'_>) -> Result<u8, Failure> {
    if !no_data {
        let bar = Bar::new(output.terminal);
        let request = PreviewRequest { sources: common.source.clone(), retention: common.retention.map(Into::into) };
        // What cannot be read is a matter of `preview`; here it is only not counted.
        engine.preview(&request, &|p| bar.hear(p))?;
    }
    let lines = engine.accept(&common.source)?;
    let failed = lines.iter().filter(|l| !l.pass).count();
    let mut table = Table::new(&[
        ("source", Align::Left),
        ("boundary", Align::Left),
        ("fixture", Align::Left),
        ("this build", Align::Left),
        ("in your data", Align::Right),
    ]);
    for line in &lines {
        if output.json {
            output.line(line)?;
            continue;
        }
        let yours = line.yours.map_or_else(|| "not read".to_owned(), number);
        let pass = if line.pass { "pass" } else { "FAIL" };
        table.row([line.source, line.boundary, line.fixture, pass].map(str::to_owned).into_iter().chain([yours]));
    }
    if !output.json {
        table.write(output.out)?;
        let all = number(lines.len() as u64);
        match failed {
            0 => writeln!(output.out, "\nAll {all} boundaries behave as declared.")?,
            n => writeln!(output.out, "\n{n} of {all} do not behave as declared: do not rely on this build for them.")?,
        }
    }
    Ok(u8::from(failed > 0))
}
