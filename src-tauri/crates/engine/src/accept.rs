//! Whether this build behaves as its adapters declare: the embedded fixtures, run here and now.
//!
//! Deliberately absent: what a fixture must give; it stands beside the fixture.

use crate::dto::{Bilingual, BoundaryRow, Fault};
use crate::engine::{Engine, fault};
use assay_sources::fixtures;
use assay_sources::{Boundary, Group, SourceAdapter};
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;

/// How a fixture went: `None` if it gave what it declares, else the first difference.
pub(crate) type Outcomes = BTreeMap<String, Option<String>>;

/// A boundary, as `assay accept --json` prints it.
#[derive(Debug, Serialize)]
pub struct AcceptLine {
    /// The source.
    pub source: &'static str,
    /// The boundary's code.
    pub boundary: &'static str,
    /// The fixture that fails without it.
    pub fixture: &'static str,
    /// Whether this build behaves as the fixture declares.
    pub pass: bool,
    /// How often it was crossed in the person's own data; `null` before a preview.
    pub yours: Option<u64>,
}

impl Engine {
    /// The acceptance matrix of a source.
    pub fn matrix(&self, source: &str) -> Result<Vec<BoundaryRow>, Fault> {
        let adapter = self.options.registry.get(source).ok_or_else(|| fault("unknown-source", source))?;
        let outcomes = self.outcomes_of(adapter)?;
        let preview = self.previewed(source);
        let mut boundaries: Vec<&Boundary> = adapter.manifest().boundaries.iter().collect();
        boundaries.sort_by_key(|b| b.group);
        let row = |b: &Boundary| {
            let outcome = outcomes.get(b.fixture);
            BoundaryRow {
                code: b.reason.code().to_owned(),
                group: group(b.group).to_owned(),
                title: Bilingual { en: b.title.en.to_owned(), zh: b.title.zh.to_owned() },
                rule: Bilingual { en: b.rule.en.to_owned(), zh: b.rule.zh.to_owned() },
                reference: b.reference.into(),
                full: b.full.into(),
                fixture: b.fixture.to_owned(),
                pass: outcome.is_some_and(Option::is_none),
                difference: match outcome {
                    Some(difference) => difference.clone(),
                    None => Some("no such fixture".to_owned()),
                },
                yours: preview.as_ref().map(|p| p.crossed(b.reason)),
            }
        };
        Ok(boundaries.into_iter().map(row).collect())
    }

    /// Every boundary of `sources` (all if empty), in the order of the registry.
    pub fn accept(&self, sources: &[String]) -> Result<Vec<AcceptLine>, Fault> {
        let mut lines = Vec::new();
        for adapter in self.chosen(sources, true)? {
            let manifest = adapter.manifest();
            let outcomes = self.outcomes_of(adapter)?;
            let preview = self.previewed(manifest.name);
            lines.extend(manifest.boundaries.iter().map(|b| AcceptLine {
                source: manifest.name,
                boundary: b.reason.code(),
                fixture: b.fixture,
                pass: outcomes.get(b.fixture).is_some_and(Option::is_none),
                yours: preview.as_ref().map(|p| p.crossed(b.reason)),
            }));
        }
        Ok(lines)
    }

    /// Runs the fixtures of a source; once, because a build does not change while it runs.
    fn outcomes_of(&self, adapter: &'static dyn SourceAdapter) -> Result<Arc<Outcomes>, Fault> {
        let source = adapter.manifest().name;
        if let Some(known) = crate::engine::read(&self.accepted).get(source) {
            return Ok(known.clone());
        }
        let failed = |e: fixtures::FixtureError| fault("fixture-not-run", e.to_string());
        let mut outcomes = Outcomes::new();
        for case in fixtures::cases(source).map_err(failed)? {
            let given = case.render(&self.options.registry).map_err(failed)?;
            let difference = (given != case.expected).then(|| first_difference(&case.expected, &given));
            outcomes.insert(case.name, difference);
        }
        let outcomes = Arc::new(outcomes);
        crate::engine::write(&self.accepted).insert(source, outcomes.clone());
        Ok(outcomes)
    }
}

fn first_difference(expected: &str, given: &str) -> String {
    let (mut a, mut b) = (expected.lines(), given.lines());
    loop {
        match (a.next(), b.next()) {
            (None, None) => return "line ends".to_owned(),
            (a, b) if a == b => {}
            (a, b) => return format!("- {}\n+ {}", a.unwrap_or(""), b.unwrap_or("")),
        }
    }
}

fn group(group: Group) -> &'static str {
    match group {
        Group::Text => "text",
        Group::Tools => "tools",
        Group::Thinking => "thinking",
        Group::Time => "time",
        Group::Identity => "identity",
        Group::Versions => "versions",
        Group::Damage => "damage",
    }
}
