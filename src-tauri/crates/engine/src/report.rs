//! The report of an import run, to be kept or sent: what was done in three layers, and every conversation
//! that is not simply in the library. Deliberately absent: texts of conversations.

use crate::dto::{Count, Fault, ImportResult, OutcomeQuery, OutcomeRow};
use crate::engine::{Engine, fault};
use serde::{Deserialize, Serialize};
use std::fmt::Write;
use std::path::Path;

/// The form of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReportFormat {
    /// For people.
    Markdown,
    /// Everything, for programs.
    Json,
}

impl ReportFormat {
    /// How the name of such a file ends.
    pub fn ending(self) -> &'static str {
        match self {
            ReportFormat::Markdown => "md",
            ReportFormat::Json => "json",
        }
    }
}

impl Engine {
    /// Writes the report of a run to `file`, which must not be inside a store.
    pub fn save_report(&self, run: i64, format: ReportFormat, file: &Path) -> Result<(), Fault> {
        self.may_write(file)?;
        let text = self.report(run, format)?;
        self.write_out(file, &text)
    }

    /// The report of a run.
    pub fn report(&self, run: i64, format: ReportFormat) -> Result<String, Fault> {
        let result = self.history()?.into_iter().find(|r| r.run == run);
        let result = result.ok_or_else(|| fault("no-such-run", run.to_string()))?;
        let mut outcomes = Vec::new();
        loop {
            let offset = outcomes.len() as u32;
            let page = self.outcomes(&OutcomeQuery { run, offset, limit: 500, ..OutcomeQuery::default() })?;
            let last = page.rows.is_empty();
            outcomes.extend(page.rows);
            if last || outcomes.len() as u32 >= page.total {
                break;
            }
        }
        match format {
            ReportFormat::Json => {
                let all = serde_json::json!({ "result": result, "outcomes": outcomes });
                serde_json::to_string_pretty(&all).map_err(|e| fault("not-written", e.to_string()))
            }
            ReportFormat::Markdown => Ok(markdown(&result, &outcomes)),
        }
    }
}

fn markdown(result: &ImportResult, outcomes: &[OutcomeRow]) -> String {
    let mut out = String::new();
    let ended = result.ended_at.as_deref().unwrap_or("never (it was killed)");
    let _ = writeln!(out, "# Import {}\n\nBegan {}, ended {ended}.", result.run, result.started_at);
    if result.cancelled {
        let _ = writeln!(out, "\nIt was cancelled; what was written is whole.");
    }
    for source in &result.sources {
        let _ = writeln!(out, "\n## {}\n", source.source);
        if let Some(fault) = &source.fault {
            let _ = writeln!(out, "Failed: {} {}\n", fault.code, cell(&fault.detail));
        }
        let _ = writeln!(out, "| layer | what | how many |\n| --- | --- | ---: |");
        let layers =
            [("library", &source.library), ("importer skipped", &source.importer), ("parser dropped", &source.parser)];
        for (layer, counts) in layers {
            for Count { code, count } in counts {
                let _ = writeln!(out, "| {layer} | {code} | {count} |");
            }
        }
    }
    let notable: Vec<&OutcomeRow> = outcomes
        .iter()
        .filter(|o| o.detail.is_some() || matches!(o.verdict.as_deref(), Some("degraded" | "blocked")))
        .collect();
    if !notable.is_empty() {
        let _ = writeln!(out, "\n## Not everything of these is in the library\n");
        let _ = writeln!(
            out,
            "| conversation | title | importer | library | verdict | why |\n| --- | --- | --- | --- | --- | --- |"
        );
        for o in notable {
            let _ = writeln!(
                out,
                "| {} | {} | {} | {} | {} | {} |",
                cell(&o.key),
                cell(&o.title),
                o.importer,
                o.library.as_deref().unwrap_or(""),
                o.verdict.as_deref().unwrap_or(""),
                cell(o.detail.as_deref().unwrap_or(""))
            );
        }
    }
    out
}

/// Text that stays in its cell.
fn cell(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect::<String>()
        .replace('|', "\\|")
        .replace('<', "&lt;")
}
