//! `assay show`.

use super::Output;
use crate::arguments::Leave;
use crate::failure::Failure;
use crate::table;
use assay_engine::lines::LineOptions;
use assay_engine::{Engine, ShownMessage};

/// Shows conversations of the library, each in full.
pub fn run(engine: &Engine, ids: &[String], leave: Leave, output: &mut Output<'_>) -> Result<u8, Failure> {
    let options = LineOptions { no_messages: leave.no_messages, no_ledger: leave.no_ledger };
    let mut failures = Vec::new();
    for id in ids {
        let listed = match engine.find(id) {
            Ok(listed) => listed,
            Err(fault) => {
                failures.push(fault);
                continue;
            }
        };
        if output.json {
            engine.show_line(&listed, options, output.out)?;
            continue;
        }
        let (title, project) = (table::line(&listed.title), table::line(&listed.project_name));
        writeln!(output.out, "{title}")?;
        writeln!(output.out, "{} · {project} · {}", table::line(&listed.conversation_id), listed.verdict.code())?;
        let relations = super::list::relations(&listed);
        if !relations.is_empty() {
            writeln!(output.out, "{}", table::line(&relations))?;
        }
        for earlier in engine.earlier(&listed)? {
            let (id, said) = (table::line(&earlier.conversation_id), earlier.messages);
            writeln!(output.out, "Its source took something back; the library keeps {said} messages as {id}.")?;
        }
        let mut written = Ok(());
        engine.show_messages(&listed, &mut |message| {
            written = write(message, output);
            written.is_ok()
        })?;
        written?;
    }
    output.failures(&failures)
}

fn write(m: &ShownMessage, output: &mut Output<'_>) -> Result<(), Failure> {
    // What a time is worth stands before it: nothing for a recorded one.
    let mark = match m.when.origin() {
        "synthetic" => "≈",
        "derived" => "~",
        _ => "",
    };
    let at = m.when.at().map_or_else(|| "unknown".to_owned(), |t| t.to_string());
    let recovered = m.reason().map(|r| format!(" · recovered ({r})")).unwrap_or_default();
    let tool = m.tool_name.as_deref().map(|t| format!(" · {}", table::line(t))).unwrap_or_default();
    writeln!(output.out, "\n── {} · {}{tool} · {mark}{at}{recovered}", table::line(&m.role), m.kind.code())?;
    if let Some(thinking) = &m.thinking {
        writeln!(output.out, "[thinking] {}", table::lines(thinking))?;
    }
    Ok(writeln!(output.out, "{}", table::lines(&m.content))?)
}
