//! `assay list`.

use super::Output;
use crate::arguments::Common;
use crate::failure::Failure;
use crate::table::{Align, Table, number, short};
use assay_engine::Engine;
use assay_engine::lines::ListLine;

/// Lists the conversations of the library.
pub fn run(engine: &Engine, common: &Common, text: Option<&str>, output: &mut Output<'_>) -> Result<u8, Failure> {
    let found = engine.list(&common.source, text.unwrap_or_default())?;
    if output.json {
        for listed in &found {
            output.line(&ListLine::from(listed))?;
        }
        return Ok(0);
    }
    let mut table = Table::new(&[
        ("last message", Align::Left),
        ("messages", Align::Right),
        ("verdict", Align::Left),
        ("title", Align::Left),
        ("project", Align::Left),
        ("id", Align::Left),
    ]);
    for listed in &found {
        let last = listed.last_message_at.map(|t| t.to_string());
        table.row([
            last.map_or_else(|| "unknown".to_owned(), |t| t[..16].replace('T', " ")),
            number(u64::from(listed.messages)),
            listed.verdict.code().to_owned(),
            short(&listed.title, 48),
            short(&listed.project_name, 20),
            listed.conversation_id.clone(),
        ]);
    }
    table.write(output.out)?;
    writeln!(output.out, "\n{} conversations. `assay show ID` shows one.", number(found.len() as u64))?;
    Ok(0)
}
