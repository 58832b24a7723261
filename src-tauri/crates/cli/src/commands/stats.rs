//! `assay stats`.

use super::Output;
use crate::failure::Failure;
use crate::table::{Align, Table, bytes, number};
use assay_engine::Engine;
use assay_engine::lines::SizeLine;

/// Says how much there is, and what it takes.
pub fn run(engine: &Engine, output: &mut Output<'_>) -> Result<u8, Failure> {
    let size = engine.size()?;
    if output.json {
        output.line(&SizeLine::from(size))?;
        return Ok(0);
    }
    let mut table = Table::new(&[("what", Align::Left), ("how much", Align::Right), ("takes", Align::Right)]);
    let o = size.originals;
    let mut row = |what: &str, count: String, takes: u64| table.row([what.to_owned(), count, bytes(takes)]);
    row("messages", number(size.messages), size.message_bytes);
    row("text index", format!("{} messages", number(size.messages - size.unindexed)), size.index_bytes);
    row("accounts", format!("{} conversations", number(size.conversations)), size.ledger_bytes);
    row("originals", format!("{} conversations, {}", number(o.conversations), bytes(o.bytes)), o.stored);
    row("free", String::new(), size.free);
    row("the whole file", String::new(), size.file);
    table.write(output.out)?;
    writeln!(output.out, "\nThe library is {}.", engine.short(engine.library()))?;
    if size.unindexed > 0 {
        let left = number(size.unindexed);
        writeln!(output.out, "{left} messages are not indexed yet; the next `assay search` does it.")?;
    }
    if size.deleted > 0 {
        writeln!(output.out, "{} of the conversations are deleted; `assay list --deleted` shows them.", size.deleted)?;
    }
    if size.earlier > 0 {
        let kept = number(size.earlier);
        writeln!(output.out, "{kept} earlier states are kept of what sources took back; see `assay list --earlier`.")?;
    }
    if o.conversations < size.conversations {
        let without = number(size.conversations - o.conversations);
        writeln!(output.out, "{without} conversations have no original; an import keeps those of what it finds.")?;
    }
    Ok(0)
}
