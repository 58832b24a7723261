//! The desktop app. Everything it does is in the library beside it; the page is compiled in here, so that
//! a change of the page alone rebuilds only this file.
#![cfg_attr(not(debug_assertions), windows_subsystem = "windows")]

/// Parsers make many small texts on one thread that another lets go; the system's allocator takes a fifth of the time.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    assay_shell::run(tauri::generate_context!())
}
