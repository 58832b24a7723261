//! Reads the stores of AI coding tools: finds them, lists their conversations, parses one.
//!
//! Owns: the [`SourceAdapter`] trait and its [`registry`], the [`Account`] that a parse fills, the
//! readers (JSON, records, SQLite snapshots, zstd), the adapters under `sources/`, and the embedded
//! [`fixtures`] that hold each adapter to what it declares.
//!
//! Deliberately absent: the library, progress and threads, the environment and the clock (both come
//! in through [`Roots`]), and writing: nothing here changes a store or leaves anything beside it.

mod account;
mod adapter;
mod drift;
mod evidence;
pub mod fixtures;
mod given;
mod manifest;
mod original;
mod prompts;
pub mod readers;
mod roots;
mod sources;

pub use account::{Account, EntryId, Fate, MessageId, Record, ReferenceOrder};
pub use adapter::{Detection, ReadError, Root, ScanError, SourceAdapter, State, parse};
pub use evidence::{Evidence, EvidenceFile, Row};
pub use given::{Given, GivenIds};
pub use manifest::{Boundary, Group, SourceManifest, Words};
pub use roots::{Platform, Roots};
pub use sources::{Registry, RegistryError, registry};
