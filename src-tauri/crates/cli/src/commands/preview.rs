//! `assay preview`.

use super::Output;
use crate::arguments::{Common, Leave};
use crate::failure::Failure;
use crate::table::{Align, Table, bytes, number};
use crate::workplace::Bar;
use assay_engine::dto::{AcceptanceSummary, RetentionChoice};
use assay_engine::lines::LineOptions;
use assay_engine::{Engine, PreviewRequest, Retention};
use std::io::{self, Write};

/// Reads everything, writes nothing, and says what an import would make of it.
pub fn run(engine: &Engine, common: &Common, leave: Leave, output: &mut Output<'_>) -> Result<u8, Failure> {
    let request = PreviewRequest { sources: common.source.clone(), retention: common.retention.map(Into::into) };
    let bar = Bar::new(output.terminal);
    if output.json {
        let options = LineOptions { no_messages: leave.no_messages, no_ledger: leave.no_ledger };
        let mut broken: io::Result<()> = Ok(());
        let out = &mut *output.out;
        let failures = engine.preview_lines(&request, options, &|p| bar.hear(p), &mut |line| {
            broken = out.write_all(line);
            broken.is_ok()
        })?;
        drop(bar);
        broken?;
        return output.failures(&failures);
    }
    let failures = engine.preview(&request, &|p| bar.hear(p))?;
    drop(bar);
    let summaries = engine.summaries(request.retention);
    write_summaries(&summaries, output.out)?;
    output.failures(&failures)
}

fn write_summaries(summaries: &[(AcceptanceSummary, RetentionChoice)], out: &mut dyn Write) -> io::Result<()> {
    let mut strata = Table::new(&[
        ("source", Align::Left),
        ("rules", Align::Left),
        ("conversations", Align::Right),
        ("kept", Align::Right),
        ("recovered", Align::Right),
        ("folded", Align::Right),
        ("unknown", Align::Right),
        ("dropped", Align::Right),
        ("pending", Align::Right),
        ("made-up times", Align::Right),
    ]);
    let mut verdicts = Table::new(&[
        ("source", Align::Left),
        ("exact", Align::Right),
        ("complete", Align::Right),
        ("degraded", Align::Right),
        ("blocked", Align::Right),
        ("an import would", Align::Left),
    ]);
    let mut losses =
        Table::new(&[("source", Align::Left), ("lost because of", Align::Left), ("conversations", Align::Right)]);
    let mut unknown = Table::new(&[
        ("source", Align::Left),
        ("unknown kind", Align::Left),
        ("times", Align::Right),
        ("written by", Align::Left),
    ]);
    for (s, retention) in summaries {
        let rules = Retention::from(*retention).code();
        let t = &s.strata;
        let cells = [t.kept, t.recovered, t.folded, t.unknown, t.dropped, t.pending].map(bytes);
        strata.row(
            [s.source.clone(), rules.to_owned(), number(s.conversations)]
                .into_iter()
                .chain(cells)
                .chain([number(s.synthetic)]),
        );
        let verdict = |name: &str| number(s.verdicts.iter().find(|v| v.code == name).map_or(0, |v| v.count));
        let plans: Vec<String> = s.plan.iter().map(|p| format!("{} {}", number(p.count), plan(&p.code))).collect();
        verdicts.row([
            s.source.clone(),
            verdict("exact"),
            verdict("complete"),
            verdict("degraded"),
            verdict("blocked"),
            plans.join(", "),
        ]);
        for loss in &s.losses {
            losses.row([s.source.clone(), loss.code.clone(), number(loss.count)]);
        }
        for kind in &s.unknown_kinds {
            unknown.row([s.source.clone(), kind.kind.clone(), number(kind.count), kind.versions.join(", ")]);
        }
        if s.unaccounted_bytes > 0 {
            writeln!(
                out,
                "{}: {} bytes are not accounted for. This is a fault of Assay; please report it.",
                s.source,
                number(s.unaccounted_bytes)
            )?;
        }
    }
    writeln!(out, "Content by what becomes of it:\n")?;
    strata.write(out)?;
    writeln!(out, "\nConversations by how well they survive:\n")?;
    verdicts.write(out)?;
    for (title, table) in
        [("What is lost, and why:", &losses), ("Kinds that this version does not know (kept raw):", &unknown)]
    {
        if !table.is_empty() {
            writeln!(out, "\n{title}\n")?;
            table.write(out)?;
        }
    }
    writeln!(out, "\nNothing was written. `assay import` does what the last column of the second table says.")
}

/// A plan in words.
pub fn plan(code: &str) -> &str {
    match code {
        "new" => "add",
        "grown" => "grow",
        "changed" => "replace",
        "metadata" => "update",
        "unchanged" => "leave alone",
        "skipped" => "skip",
        "blocked" => "not be able to read",
        other => other,
    }
}
