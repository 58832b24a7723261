//! `assay search`.

use super::Output;
use crate::arguments::{Common, Search};
use crate::failure::Failure;
use crate::failure::words;
use crate::table::{self, number};
use crate::workplace::Bar;
use assay_engine::lines::HitLine;
use assay_engine::{Engine, Filter, Hit, SearchFilter};

/// Finds messages, best first, after what was imported since the last time has been indexed. If that cannot
/// be, what is indexed is searched, and how much is not is said.
pub fn run(engine: &Engine, common: &Common, what: &Search, output: &mut Output<'_>) -> Result<u8, Failure> {
    let bar = Bar::new(output.terminal);
    let indexed = engine.index(&|p| bar.hear(p));
    drop(bar);
    let query = what.query.join(" ");
    let conversations = Filter {
        project: what.project.clone(),
        from: what.since.map(|day| day.begin),
        before: what.until.map(|day| day.end),
        lossy: what.lossy,
        earlier: what.earlier,
        synthetic: what.synthetic,
        label: what.label.clone(),
        pinned: what.pinned,
        ..Filter::default()
    };
    let filter = SearchFilter {
        conversations,
        from: what.role.map(Into::into),
        kinds: what.kind.iter().map(|k| (*k).into()).collect(),
        code: what.code,
        tools: what.tools,
        ..SearchFilter::default()
    };
    let found = engine.search(&common.source, &query, &filter, what.limit)?;
    if let (Err(fault), true) = (&indexed, found.unindexed > 0) {
        let (left, why) = (number(found.unindexed), words(fault));
        writeln!(output.err, "assay: {left} messages are not indexed yet and were not searched: {why}")?;
    }
    for hit in &found.hits {
        if output.json {
            output.line(&HitLine::from(hit))?;
            continue;
        }
        let (id, title) = (table::line(&hit.conversation_id), table::line(&hit.title));
        writeln!(output.out, "{id} #{}  {title}", hit.message_index)?;
        writeln!(output.out, "    {}\n", marked(hit))?;
    }
    if !output.json && found.hits.is_empty() {
        writeln!(output.out, "Nothing in the library answers {query:?}. `assay import` brings in what is new.")?;
    }
    Ok(0)
}

/// The snippet on one line, with what was found in brackets.
fn marked(hit: &Hit) -> String {
    let (text, mut out, mut done) = (&hit.snippet.text, String::new(), 0);
    for mark in &hit.snippet.marks {
        if let (Some(before), Some(found)) = (text.get(done..mark.start), text.get(mark.clone())) {
            out.extend([before, "[", found, "]"]);
            done = mark.end;
        }
    }
    out.push_str(text.get(done..).unwrap_or_default());
    table::line(&out)
}
