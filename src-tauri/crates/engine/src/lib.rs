//! What a person can do with Assay: detect, preview, inspect, import, accept, search, export.
//!
//! Owns: the use cases, jobs with progress and cancel, settings, and the [`dto`]s that cross to a page.
//! Deliberately absent: any one source (the registry has them), windows, words for people.

pub mod dto;
