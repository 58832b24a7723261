//! `assay search`.

use super::Output;
use crate::arguments::Common;
use crate::failure::Failure;
use assay_engine::lines::HitLine;
use assay_engine::{Engine, Hit};

/// Finds messages, best first.
pub fn run(engine: &Engine, common: &Common, query: &str, limit: u32, output: &mut Output<'_>) -> Result<u8, Failure> {
    let hits = engine.search(&common.source, query, limit)?;
    for hit in &hits {
        if output.json {
            output.line(&HitLine::from(hit))?;
            continue;
        }
        writeln!(output.out, "{} #{}  {}", hit.conversation_id, hit.message_index, hit.title)?;
        writeln!(output.out, "    {}\n", marked(hit))?;
    }
    if !output.json && hits.is_empty() {
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
    out.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}
