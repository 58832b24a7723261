//! What a person can do with Assay: detect, preview, inspect, import, accept, search, export.
//!
//! Owns: the use cases, jobs with progress and cancel, settings, and the [`dto`]s that cross to a page.
//! Deliberately absent: any one source (the registry has them), windows, words for people.

mod accept;
mod care;
mod clock;
mod dropped;
pub mod dto;
mod engine;
mod examine;
pub mod host;
mod import;
mod index;
mod inspect;
mod job;
mod kept;
pub mod lines;
mod opened;
mod ordered;
mod outside;
mod pipeline;
mod plan;
mod preview;
mod reparse;
mod report;
mod sample;
mod settings;
mod shelf;
mod standing;
mod survey;
mod timeline;
mod watch;

pub use accept::AcceptLine;
pub use assay_library::export::Format;
pub use assay_library::{Filter, Finding, Hit, Listed, Originals, Purged, SearchFilter, Size};
pub use assay_model::{Kind, Link, Message as ShownMessage, MessageType, Retention, Timestamp};
pub use assay_sources::{Platform, Registry, Roots, State, registry};
pub use clock::Clock;
pub use dropped::Offer;
pub use engine::{Engine, EngineOptions, PreviewRequest, state};
pub use import::{ImportOptions, Imported};
pub use job::Listener;
pub use preview::relation;
pub use reparse::ReparseOptions;
pub use report::ReportFormat;
pub use sample::Sample;
pub use shelf::{Exported, Found};
pub use survey::{Patience, Survey};
pub use watch::WatchOptions;
