//! The `assay` command.

use std::io::{self, IsTerminal};
use std::process::ExitCode;

fn main() -> ExitCode {
    let terminal = io::stderr().is_terminal();
    let code = assay_cli::run(std::env::args_os(), &mut io::stdout().lock(), &mut io::stderr(), terminal);
    assay_engine::host::leave_nothing();
    ExitCode::from(code)
}
