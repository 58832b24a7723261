//! `assay doctor`, `vacuum`, `index`, `backup` and `move`: looking after the library.

use super::Output;
use crate::failure::Failure;
use crate::table::{self, bytes, number};
use crate::workplace::Bar;
use assay_engine::lines::FindingLine;
use assay_engine::{Engine, Finding};
use serde::Serialize;
use std::path::Path;

/// Says what is wrong and what to do; with `fix` does first what can be done without losing anything.
pub fn doctor(engine: &Engine, fix: bool, output: &mut Output<'_>) -> Result<u8, Failure> {
    if fix {
        let bar = Bar::new(output.terminal);
        engine.repair(&|p| bar.hear(p))?;
        engine.index(&|p| bar.hear(p))?;
    }
    let found = engine.doctor();
    let wrong = found.iter().filter(|f| f.wrong).count();
    for finding in &found {
        if output.json {
            output.line(&FindingLine::from(finding))?;
        } else {
            writeln!(output.out, "{}  {}", if finding.wrong { "!" } else { "·" }, table::line(&words(finding)))?;
        }
    }
    if !output.json {
        match wrong {
            0 => writeln!(output.out, "Nothing is wrong with {}.", engine.short(engine.library()))?,
            n => writeln!(output.out, "\n{n} of these need something to be done.")?,
        }
    }
    Ok(u8::from(wrong > 0))
}

/// What was found, and what to do about it.
fn words(f: &Finding) -> String {
    let (n, detail) = (number(f.count), f.detail.as_str());
    match f.code {
        "no-library" => format!("There is no library yet at {detail}. `assay import` makes it."),
        "damaged" => {
            format!("The file is damaged ({detail}). Restore a backup, or import into a new one with --library.")
        }
        "newer" => format!("{detail}. It was left alone; update Assay."),
        "older" => format!("{detail}. The next command that reads it does that, after a copy."),
        "orphans" => {
            format!("{n} rows belong to no conversation. Please report this; `assay import --verify` writes anew.")
        }
        "wrong-counts" => {
            format!("{n} conversations have not as many messages as they say. `assay reparse` reads them again.")
        }
        "index-stale" => {
            format!("{n} words of the text index stand for no message. `assay doctor --fix` makes it anew.")
        }
        "loose-pieces" => {
            format!("{n} pieces of originals are left of an import that was killed. `assay doctor --fix` removes them.")
        }
        "original-damaged" => format!(
            "{n} pieces of originals cannot be read ({detail}). `assay import --verify` keeps those anew that are still there."
        ),
        "not-indexed" => format!("{n} messages are not indexed yet. `assay index` does it, the next search too."),
        "no-original" => format!("{n} conversations have no original. An import keeps those of what it finds."),
        "gone-without-original" => {
            format!("{n} of them are gone from their source: what the library has is all there is. Back it up.")
        }
        "killed-runs" => format!("{n} imports were killed. What they wrote is whole; the next import goes on."),
        "read-only-place" => {
            format!("Nothing can be written here ({detail}). It can be read; `assay move` takes it elsewhere.")
        }
        "in-use" => format!("It is in use: {detail}. That is no fault."),
        "backup" => format!(
            "{detail} is a copy from before an update ({}). Delete it when you no longer want to go back.",
            bytes(f.count)
        ),
        "leftover" => format!(
            "{detail} is left of something that was killed ({}). `assay doctor --fix` removes it.",
            bytes(f.count)
        ),
        "settings-damaged" => format!("The settings were damaged and are now in {detail}; the defaults hold."),
        code => format!("{code}: {detail}"),
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Vacuumed {
    bytes_before: u64,
    bytes_after: u64,
}

/// Gives room back.
pub fn vacuum(engine: &Engine, output: &mut Output<'_>) -> Result<u8, Failure> {
    let bar = Bar::new(output.terminal);
    let (bytes_before, bytes_after) = engine.vacuum(&|p| bar.hear(p))?;
    drop(bar);
    match output.json {
        true => output.line(&Vacuumed { bytes_before, bytes_after })?,
        false => writeln!(output.out, "{} before, {} now.", bytes(bytes_before), bytes(bytes_after))?,
    }
    Ok(0)
}

#[derive(Serialize)]
struct Indexed {
    unindexed: u64,
}

/// Indexes what is not indexed yet, or everything.
pub fn index(engine: &Engine, rebuild: bool, output: &mut Output<'_>) -> Result<u8, Failure> {
    let bar = Bar::new(output.terminal);
    let left = if rebuild { engine.rebuild_index(&|p| bar.hear(p)) } else { engine.index(&|p| bar.hear(p)) };
    drop(bar);
    let unindexed = left?;
    match (output.json, unindexed) {
        (true, _) => output.line(&Indexed { unindexed })?,
        (false, 0) => writeln!(output.out, "Everything is indexed.")?,
        (false, n) => writeln!(output.out, "{} messages are not indexed yet.", number(n))?,
    }
    Ok(0)
}

#[derive(Serialize)]
struct Placed<'a> {
    library: &'a Path,
}

/// Copies.
pub fn backup(engine: &Engine, file: &Path, output: &mut Output<'_>) -> Result<u8, Failure> {
    let bar = Bar::new(output.terminal);
    engine.back_up(file, &|p| bar.hear(p))?;
    drop(bar);
    match output.json {
        true => output.line(&Placed { library: file })?,
        false => writeln!(output.out, "{} is a whole library; --library {} opens it.", file.display(), file.display())?,
    }
    Ok(0)
}

/// Moves.
pub fn relocate(engine: &Engine, file: &Path, output: &mut Output<'_>) -> Result<u8, Failure> {
    let bar = Bar::new(output.terminal);
    let to = engine.move_library(file, &|p| bar.hear(p))?;
    drop(bar);
    match output.json {
        true => output.line(&Placed { library: &to })?,
        false => writeln!(output.out, "The library is now {}.", engine.short(&to))?,
    }
    Ok(0)
}
