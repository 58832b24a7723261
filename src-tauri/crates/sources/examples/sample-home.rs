//! Lays the embedded sample home out below the folder named: `cargo run -p assay-sources --example sample-home -- DIR`.

use assay_sources::fixtures;
use std::process::ExitCode;

fn main() -> ExitCode {
    let Some(home) = std::env::args_os().nth(1) else {
        return ExitCode::from(2);
    };
    match fixtures::lay_out_sample(home.as_ref()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}
