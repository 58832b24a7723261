//! How bytes are read, whatever they mean: [`json`] with places, [`records`] of line-oriented files,
//! [`sqlite`] databases that their tool is using, the [`pages`] of damaged ones, [`vscode`] workspace folders,
//! bytes set aside.
//!
//! Deliberately absent: sources, messages, the ledger.

pub mod binary;
mod columns;
pub mod json;
pub mod pages;
pub mod records;
pub mod sqlite;
pub mod vscode;
