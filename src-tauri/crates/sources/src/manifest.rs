//! What an adapter declares about itself, as data.

use assay_model::{Disposition, Reason};
use serde::Serialize;

/// The same words in both languages, each written for its readers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Words {
    /// English.
    pub en: &'static str,
    /// 简体中文.
    pub zh: &'static str,
}

/// Where a boundary stands in the acceptance matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Group {
    /// What was said.
    Text,
    /// Calls and results.
    Tools,
    /// Reasoning.
    Thinking,
    /// Order and time.
    Time,
    /// Which conversation something belongs to.
    Identity,
    /// Versions and eras.
    Versions,
    /// Damage.
    Damage,
}

/// A named rule at which content can be lost or changed: one row of the acceptance matrix.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Boundary {
    /// The code that entries which crossed it carry.
    pub reason: Reason,
    /// Its place in the matrix.
    pub group: Group,
    /// A short name.
    pub title: Words,
    /// The rule in one line.
    pub rule: Words,
    /// What the published rules make of the content.
    pub reference: Disposition,
    /// What full retention makes of it.
    pub full: Disposition,
    /// The fixture (a folder under `fixtures/<source>/`) that fails without the rule.
    pub fixture: &'static str,
}

/// What an adapter says about itself.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SourceManifest {
    /// The stable name used in ids, files and commands.
    pub name: &'static str,
    /// The tool's own name.
    pub display_name: &'static str,
    /// `name@n`; raised with every change of what a parse returns.
    pub parser_version: &'static str,
    /// What the store is, in a line.
    pub blurb: Words,
    /// Inner markup of a 24×24 SVG icon drawn with `currentColor`; our own drawing.
    pub icon: &'static str,
    /// After how many days the tool deletes sessions by default, if it does.
    pub deletes_after_days: Option<u32>,
    /// The command that resumes a session, with `{id}` for its id.
    pub resume_command: Option<&'static str>,
    /// The rules at which content can be lost.
    pub boundaries: &'static [Boundary],
}
