//! `assay detect`.

use super::Output;
use crate::arguments::Common;
use crate::failure::Failure;
use crate::table::{Align, Table, bytes, number};
use assay_engine::lines::DetectLine;
use assay_engine::{Engine, State, Survey};

/// Looks for the sources and says what is there.
pub fn run(engine: &Engine, common: &Common, output: &mut Output<'_>) -> Result<u8, Failure> {
    let surveys = engine.look(&common.source)?;
    let failures: Vec<_> = surveys.iter().flat_map(Survey::faults).collect();
    if output.json {
        for survey in &surveys {
            output.line(&DetectLine::of(survey, engine.is_enabled(survey.source())))?;
        }
        return output.failures(&failures);
    }
    let mut sources = Table::new(&[
        ("source", Align::Left),
        ("state", Align::Left),
        ("conversations", Align::Right),
        ("size", Align::Right),
    ]);
    let mut places = Table::new(&[
        ("source", Align::Left),
        ("place", Align::Left),
        ("why", Align::Left),
        ("conversations", Align::Right),
        ("note", Align::Left),
    ]);
    for survey in &surveys {
        let found = &survey.detection;
        let off = if engine.is_enabled(survey.source()) { "" } else { ", switched off" };
        sources.row([
            survey.source().to_owned(),
            format!("{}{off}", words(found.state)),
            number(found.conversations),
            bytes(found.bytes),
        ]);
        for root in found.roots.iter().filter(|r| r.exists) {
            places.row([
                survey.source().to_owned(),
                engine.short(&root.path),
                root.origin.clone(),
                number(root.conversations),
                root.note.clone().unwrap_or_default(),
            ]);
        }
    }
    sources.write(output.out)?;
    writeln!(output.out)?;
    places.write(output.out)?;
    let absent = surveys.iter().flat_map(|s| &s.detection.roots).filter(|r| !r.exists).count();
    writeln!(
        output.out,
        "\n{} more places were looked at and are not there; --json lists them.",
        number(absent as u64)
    )?;
    output.failures(&failures)
}

/// A state in words.
fn words(state: State) -> &'static str {
    match state {
        State::NotInstalled => "not installed",
        State::Found => "found",
        State::Empty => "found, empty",
        State::NoPermission => "no permission to read it",
        State::Locked => "locked by its tool",
        State::Encrypted => "encrypted, cannot be read",
        State::Failed => "failed",
    }
}
