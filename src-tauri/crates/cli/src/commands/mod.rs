//! One module for each command: ask the engine, print the answer.

mod accept;
mod care;
mod detect;
mod export;
mod import;
mod list;
mod preview;
mod reparse;
mod search;
mod show;
mod standing;
mod stats;
mod watch;

use crate::arguments::{Arguments, Command};
use crate::failure::{Failure, words};
use crate::workplace::Workplace;
use assay_engine::dto::Fault;
use serde::Serialize;
use std::io::Write;

/// Where answers go, and in which form.
pub struct Output<'a> {
    /// One JSON object a line.
    pub json: bool,
    /// Answers.
    pub out: &'a mut dyn Write,
    /// Complaints.
    pub err: &'a mut dyn Write,
    /// Whether somebody watches.
    pub terminal: bool,
}

impl Output<'_> {
    /// Writes one line of JSON.
    pub fn line(&mut self, value: &impl Serialize) -> Result<(), Failure> {
        serde_json::to_writer(&mut *self.out, value)?;
        Ok(writeln!(self.out)?)
    }

    /// Lists what failed. Done with failures is 1.
    pub fn failures(&mut self, failures: &[Fault]) -> Result<u8, Failure> {
        self.out.flush()?;
        for fault in failures {
            writeln!(self.err, "assay: {}", words(fault))?;
        }
        Ok(u8::from(!failures.is_empty()))
    }
}

/// Runs a command.
pub fn run(arguments: &Arguments, out: &mut dyn Write, err: &mut dyn Write, terminal: bool) -> Result<u8, Failure> {
    let common = &arguments.common;
    let mut output = Output { json: common.json, out, err, terminal };
    let workplace = Workplace::open(common)?;
    let engine = &workplace.engine;
    if let Some(file) = engine.damaged_settings() {
        let place = engine.short(file);
        writeln!(output.err, "assay: the settings were damaged and are now in {place}; the defaults hold.")?;
    }
    match &arguments.command {
        Command::Detect => detect::run(engine, common, &mut output),
        Command::Preview(leave) => preview::run(engine, common, *leave, &mut output),
        Command::Import(how) => import::run(engine, common, *how, &mut output),
        Command::List(which) => list::run(engine, common, which, &mut output),
        Command::Search(what) => search::run(engine, common, what, &mut output),
        Command::Reparse { id } => reparse::run(engine, common, id, &mut output),
        Command::Watch { every } => watch::run(engine, common, *every, &mut output),
        Command::Stats => stats::run(engine, &mut output),
        Command::Doctor { fix } => care::doctor(engine, *fix, &mut output),
        Command::Vacuum => care::vacuum(engine, &mut output),
        Command::Index { rebuild } => care::index(engine, *rebuild, &mut output),
        Command::Backup { file } => care::backup(engine, file, &mut output),
        Command::Move { file } => care::relocate(engine, file, &mut output),
        Command::Label { add, remove, id } => standing::label(engine, common, add, remove, id, &mut output),
        Command::Pin { off, id } => standing::pin(engine, id, !off, &mut output),
        Command::Delete { purge, id } => standing::delete(engine, id, *purge, &mut output),
        Command::Restore { id } => standing::restore(engine, id, &mut output),
        Command::Accept { no_data } => accept::run(engine, common, *no_data, &mut output),
        Command::Export { format, out, no_mask, mask, id } => {
            let mask = if *mask { Some(true) } else { no_mask.then_some(false) };
            match (format.document(), out) {
                (Some(format), out) => export::run(engine, id, format, mask, out.as_deref(), &mut output),
                (None, Some(folder)) => export::tables(engine, common, id, mask, folder, &mut output),
                (None, None) => Err(Failure::Usage("name the folder for the tables with --out.".to_owned())),
            }
        }
        Command::Show { id, leave } => show::run(engine, id, *leave, &mut output),
    }
}
