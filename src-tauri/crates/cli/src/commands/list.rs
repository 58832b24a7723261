//! `assay list`.

use super::Output;
use crate::arguments::{Common, List};
use crate::failure::Failure;
use crate::table::{Align, Table, number, short};
use assay_engine::lines::{ListLine, PurgedLine};
use assay_engine::{Engine, Filter, Link, Listed, relation};

/// Lists the conversations of the library.
pub fn run(engine: &Engine, common: &Common, which: &List, output: &mut Output<'_>) -> Result<u8, Failure> {
    let filter = Filter {
        text: which.text.clone().unwrap_or_default(),
        label: which.label.clone(),
        pinned: which.pinned,
        gone: which.gone.then_some(true),
        deleted: which.deleted,
        earlier: which.earlier,
        ..Filter::default()
    };
    let found = engine.list(&common.source, &filter)?;
    if output.json {
        for listed in &found {
            output.line(&ListLine::from(listed))?;
        }
        for stone in which.deleted.then(|| engine.purged()).transpose()?.iter().flatten() {
            output.line(&PurgedLine::from(stone))?;
        }
        return Ok(0);
    }
    write(engine, &found, output)?;
    if which.deleted {
        return purged(engine, output);
    }
    writeln!(output.out, "\n{} conversations. `assay show ID` shows one.", number(found.len() as u64))?;
    Ok(0)
}

/// What is kept out and can only come back from its source.
fn purged(engine: &Engine, output: &mut Output<'_>) -> Result<u8, Failure> {
    writeln!(output.out, "\n`assay restore ID` brings one back; `assay delete --purge ID` keeps nothing of it.")?;
    let stones = engine.purged()?;
    if !stones.is_empty() {
        writeln!(output.out, "\nPurged; imports leave them out until `assay restore ID` lets them in again:\n")?;
        let mut table = Table::new(&[("since", Align::Left), ("id", Align::Left)]);
        for stone in &stones {
            table.row([day(stone.at.to_string()), format!("{}/{}", stone.source, stone.id)]);
        }
        table.write(output.out)?;
    }
    Ok(0)
}

/// To the minute.
fn day(at: String) -> String {
    at[..16].replace('T', " ")
}

/// The table of conversations, for people.
pub fn write(engine: &Engine, found: &[Listed], output: &mut Output<'_>) -> Result<(), Failure> {
    let shared = engine.shared_ids()?;
    let mut table = Table::new(&[
        ("last message", Align::Left),
        ("messages", Align::Right),
        ("verdict", Align::Left),
        ("title", Align::Left),
        ("project", Align::Left),
        ("part or copy of", Align::Left),
        ("labels", Align::Left),
        ("id", Align::Left),
    ]);
    for listed in found {
        let last = listed.last_message_at.map(|t| t.to_string());
        table.row([
            last.map_or_else(|| "unknown".to_owned(), day),
            number(u64::from(listed.messages)),
            listed.verdict.code().to_owned(),
            short(&listed.title, 48),
            short(&listed.project_name, 20),
            short(&relations(listed), 60),
            standing(listed),
            // By an id that two share neither can be reached.
            match shared.contains(&listed.conversation_id) {
                true => format!("{}/{}", listed.source, listed.id),
                false => listed.conversation_id.clone(),
            },
        ]);
    }
    Ok(table.write(output.out)?)
}

/// Which conversations it belongs to or comes from, and how.
pub fn relations(listed: &Listed) -> String {
    let one = |link: &Link| format!("{} of {}", relation(link.relation), link.conversation);
    listed.links.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// What a person, or the source, says of it.
fn standing(listed: &Listed) -> String {
    let mut all: Vec<String> = listed.pinned_at.iter().map(|_| "pinned".to_owned()).collect();
    all.extend(listed.labels.iter().cloned());
    all.extend((listed.earlier > 0).then(|| format!("{} earlier kept", listed.earlier)));
    all.extend(listed.gone_since.map(|at| format!("source gone since {}", &at.to_string()[..10])));
    short(&all.join(", "), 48)
}
