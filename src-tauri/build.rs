//! Tells Tauri where the capabilities are: not in its default place beside `tauri.conf.json`.
#![allow(clippy::print_stdout)]

fn main() {
    println!("cargo::rerun-if-changed=src-tauri/capabilities");
    let attributes = tauri_build::Attributes::new().capabilities_path_pattern("./src-tauri/capabilities/**/*");
    if let Err(error) = tauri_build::try_build(attributes) {
        println!("cargo::error={error:#}");
        std::process::exit(1);
    }
}
