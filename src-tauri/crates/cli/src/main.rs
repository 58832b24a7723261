//! The `assay` command.

use std::io::{self, IsTerminal};
use std::process::ExitCode;

/// Parsers make many small texts on one thread that another lets go; the system's allocator takes a fifth of the time.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let terminal = io::stderr().is_terminal();
    let code = assay_cli::run(std::env::args_os(), &mut io::stdout().lock(), &mut io::stderr(), terminal);
    assay_engine::host::leave_nothing();
    ExitCode::from(code)
}
