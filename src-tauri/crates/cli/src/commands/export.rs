//! `assay export`.

use super::Output;
use crate::failure::Failure;
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
        engine.may_write(file)?;
    }
    let exported = engine.export(ids, format, mask)?;
    match file {
        Some(file) => std::fs::write(file, &exported.text)?,
        None => output.out.write_all(exported.text.as_bytes())?,
    }
    if exported.masked > 0 {
        output.out.flush()?;
        writeln!(output.err, "assay: {} secrets were masked; --no-mask leaves them.", exported.masked)?;
    }
    output.failures(&exported.refused)
}
