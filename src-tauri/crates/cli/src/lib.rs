//! The command line: everything the app does, for terminals and scripts.
//!
//! Owns: arguments, words and tables for people. What is printed for machines comes from the engine.
//! Deliberately absent: any knowledge of one source, and everything graphical.

mod arguments;
mod commands;
mod failure;
mod table;
mod workplace;

use arguments::Arguments;
use clap::Parser;
use failure::Failure;
use std::ffi::OsString;
use std::io::{self, Write};

/// Runs the command. Answers go to `out`; complaints, and on a terminal the progress, to `err`.
/// Exit status: 0 done, 1 done with failures, 2 usage.
pub fn run(
    arguments: impl IntoIterator<Item = OsString>,
    out: &mut dyn Write,
    err: &mut dyn Write,
    terminal: bool,
) -> u8 {
    let arguments = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments,
        Err(error) => {
            let text = error.render();
            let wanted = !error.use_stderr();
            let _ = if wanted { write!(out, "{text}") } else { write!(err, "{text}") };
            return if wanted { 0 } else { 2 };
        }
    };
    let mut out = io::BufWriter::with_capacity(64 * 1024, out);
    let done = commands::run(&arguments, &mut out, err, terminal).and_then(|code| {
        out.flush()?;
        Ok(code)
    });
    match done {
        Ok(code) => code,
        // Whoever reads us has read enough.
        Err(Failure::Io(error)) if error.kind() == io::ErrorKind::BrokenPipe => 0,
        Err(failure) => {
            let _ = out.flush();
            let _ = writeln!(err, "assay: {failure}");
            failure.status()
        }
    }
}
