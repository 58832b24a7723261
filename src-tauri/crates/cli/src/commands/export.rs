//! `assay export`.

use super::Output;
use crate::arguments::Common;
use crate::failure::Failure;
use crate::table::number;
use crate::workplace::Bar;
use assay_engine::{Engine, Format};
use std::path::Path;

/// Writes conversations as one document.
pub fn run(
    engine: &Engine,
    ids: &[String],
    format: Format,
    mask: Option<bool>,
    file: Option<&Path>,
    output: &mut Output<'_>,
) -> Result<u8, Failure> {
    if let Some(file) = file {
        engine.may_replace(file)?;
    }
    let exported = engine.export(ids, format, mask)?;
    match file {
        Some(file) => engine.write_out(file, &exported.text)?,
        None => output.out.write_all(exported.text.as_bytes())?,
    }
    if let Some(file) = file.filter(|_| output.json) {
        let (conversations, masked) = (ids.len() - exported.refused.len(), exported.masked);
        output.line(&serde_json::json!({ "file": file, "conversations": conversations, "masked": masked }))?;
    }
    if exported.masked > 0 {
        output.out.flush()?;
        writeln!(output.err, "assay: {} secrets were masked; --no-mask leaves them.", exported.masked)?;
    }
    if !exported.unmasked.is_empty() {
        let kinds: Vec<String> = exported.unmasked.iter().map(|(kind, n)| format!("{kind} {n}")).collect();
        output.out.flush()?;
        writeln!(output.err, "assay: secrets stand in it unmasked ({}); --mask masks them.", kinds.join(", "))?;
    }
    output.failures(&exported.refused)
}

/// Writes conversations as tables into a folder.
pub fn tables(
    engine: &Engine,
    common: &Common,
    ids: &[String],
    mask: Option<bool>,
    folder: &Path,
    output: &mut Output<'_>,
) -> Result<u8, Failure> {
    let bar = Bar::new(output.terminal);
    let (mask, told) = (mask.unwrap_or(true), |p| bar.hear(p));
    let (conversations, files, masked) = engine.export_tables(ids, &common.source, folder, mask, &told)?;
    drop(bar);
    if output.json {
        output.line(&serde_json::json!({ "conversations": conversations, "files": files, "masked": masked }))?;
        return Ok(0);
    }
    let (place, n, many) = (engine.short(folder), number(conversations), number(files));
    writeln!(output.out, "{n} conversations in {many} files below {place}. Left out: {}.", engine.tables_leave_out())?;
    if masked > 0 {
        output.out.flush()?;
        writeln!(output.err, "assay: {masked} secrets were masked; --no-mask leaves them.")?;
    }
    Ok(0)
}
