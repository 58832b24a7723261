//! `assay label`, `assay pin`, `assay delete`, `assay restore`: what a person says of conversations.

use super::{Output, list};
use crate::arguments::Common;
use crate::failure::Failure;
use crate::table::{Align, Table, number};
use assay_engine::Engine;
use assay_engine::lines::{LabelLine, ListLine};

/// Gives and takes labels; without ids tells every label.
pub fn label(
    engine: &Engine,
    common: &Common,
    add: &[String],
    remove: &[String],
    ids: &[String],
    output: &mut Output<'_>,
) -> Result<u8, Failure> {
    if !ids.is_empty() {
        let keys = engine.keys(ids)?;
        if !(add.is_empty() && remove.is_empty()) {
            engine.relabel(&keys, add, remove)?;
        }
        return told(engine, &keys, output);
    }
    if !(add.is_empty() && remove.is_empty() && common.source.is_empty()) {
        return Err(Failure::Usage("name the conversations, as `assay list` prints them.".to_owned()));
    }
    let mut table = Table::new(&[("label", Align::Left), ("conversations", Align::Right)]);
    for count in engine.labels()? {
        match output.json {
            true => output.line(&LabelLine::from(&count))?,
            false => table.row([count.code, number(count.count)]),
        }
    }
    if !output.json && table.is_empty() {
        writeln!(output.out, "No conversation bears a label yet. `assay label --add LABEL ID` gives one.")?;
    }
    table.write(output.out)?;
    Ok(0)
}

/// Pins, or takes the pin away.
pub fn pin(engine: &Engine, ids: &[String], pinned: bool, output: &mut Output<'_>) -> Result<u8, Failure> {
    let keys = engine.keys(ids)?;
    engine.set_pin(&keys, pinned)?;
    told(engine, &keys, output)
}

/// Deletes; with `purge` for good.
pub fn delete(engine: &Engine, ids: &[String], purge: bool, output: &mut Output<'_>) -> Result<u8, Failure> {
    let keys = engine.keys(ids)?;
    if purge {
        engine.purge(&keys)?;
        if !output.json {
            writeln!(output.out, "{} purged. Imports leave them out.", number(keys.len() as u64))?;
        }
        return Ok(0);
    }
    engine.delete(&keys)?;
    told(engine, &keys, output)?;
    if !output.json {
        writeln!(output.out, "\nDeleted. `assay restore` with the same ids brings them back.")?;
    }
    Ok(0)
}

/// Brings back.
pub fn restore(engine: &Engine, ids: &[String], output: &mut Output<'_>) -> Result<u8, Failure> {
    let keys = engine.keys(ids)?;
    engine.restore(&keys)?;
    let let_in = told(engine, &keys, output)?;
    if !output.json {
        writeln!(output.out, "\nRestored. What was purged comes back with the next `assay import`.")?;
    }
    Ok(let_in)
}

/// The conversations as they are now.
fn told(engine: &Engine, keys: &[String], output: &mut Output<'_>) -> Result<u8, Failure> {
    let all = engine.named(keys)?;
    if output.json {
        for listed in &all {
            output.line(&ListLine::from(listed))?;
        }
    } else {
        list::write(engine, &all, output)?;
    }
    Ok(0)
}
