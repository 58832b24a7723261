//! Builds the crate anew when a fixture changes: they are embedded in it.
#![allow(clippy::print_stdout)]

fn main() {
    println!("cargo::rerun-if-changed=../../../fixtures");
}
