//! `composer.planRegistry`: plans of all composers in one row of the global `ItemTable`. A plan belongs to the
//! composer whose id stands anywhere in it; one that names none is told with the others of its kind. Nobody has
//! published the shape, so a plan is its text where it has one, and otherwise told as it stands. Deliberately
//! absent: plans that are files (`files`).

use super::render;
use super::writer::Writer;
use crate::readers::json::{JsonType, Tape, Value};
use crate::readers::sqlite::Reader;
use crate::{Account, Evidence, Fate, MessageId, ReadError, Row};
use assay_model::{Kind, MessageType, Reason, When};
use std::collections::{BTreeMap, BTreeSet};

/// The row's key.
const REGISTRY: &str = "composer.planRegistry";

/// Whose plans stand where in the registry.
#[derive(Debug, Default)]
pub(super) struct Plans {
    /// By composer.
    pub of: BTreeMap<String, Vec<usize>>,
    /// Of nobody.
    pub alone: Vec<usize>,
}

/// The plans in a registry: an array of them, or an object by id.
fn elements(value: Value<'_>) -> Vec<Value<'_>> {
    let inner = value.get("plans").filter(|v| matches!(v.kind(), JsonType::Array | JsonType::Object)).unwrap_or(value);
    match inner.kind() {
        JsonType::Object => inner.entries().map(|(_, plan)| plan).collect(),
        JsonType::Array => inner.items().collect(),
        JsonType::Null | JsonType::Bool | JsonType::Number | JsonType::String => Vec::new(),
    }
}

/// Reads the registry of a database that has these composers.
pub(super) fn registry(reader: &Reader<'_>, composers: &BTreeSet<&str>) -> Result<Plans, ReadError> {
    let mut plans = Plans::default();
    if !reader.has_table("ItemTable")? {
        return Ok(plans);
    }
    let Some(row) = reader.row("ItemTable", REGISTRY)? else { return Ok(plans) };
    let mut tape = Tape::new();
    let Ok(value) = tape.read_whole(row.bytes()) else {
        // Damaged, but there: it is told as it stands.
        plans.alone.extend(row.value.is_some().then_some(0));
        return Ok(plans);
    };
    for (index, plan) in elements(value).into_iter().enumerate().filter(|(_, plan)| !render::is_hollow(*plan)) {
        let named = render::leaves(plan).into_iter().filter_map(Value::str);
        match named.into_iter().find(|text| composers.contains(&**text)) {
            Some(composer) => plans.of.entry(composer.into_owned()).or_default().push(index),
            None => plans.alone.push(index),
        }
    }
    Ok(plans)
}

/// Takes plans into the evidence, each a slice of the registry's row.
pub(super) fn collect(reader: &Reader<'_>, indexes: &[usize], evidence: &mut Evidence) -> Result<(), ReadError> {
    if indexes.is_empty() || !reader.has_table("ItemTable")? {
        return Ok(());
    }
    let Some(row) = reader.row("ItemTable", REGISTRY)? else { return Ok(()) };
    let mut tape = Tape::new();
    let Ok(value) = tape.read_whole(row.bytes()) else {
        evidence.rows.push(row);
        return Ok(());
    };
    let all = elements(value);
    for index in indexes {
        if let Some(plan) = all.get(*index) {
            let key = Some(format!("{REGISTRY}#/{index}").into());
            evidence.rows.push(Row { key, value: Some(plan.raw().to_vec()), file: row.file.clone(), table: row.table.clone() });
        }
    }
    Ok(())
}

/// Whether a row of the evidence is a plan.
pub(super) fn is_plan(key: &str) -> bool {
    key.starts_with(REGISTRY)
}

/// Tells one plan.
pub(super) fn fill(account: &mut Account, row: &Row) -> Vec<MessageId> {
    let fate = Fate::Dropped(Reason::BookkeepingRecord);
    let entry = account.record(row.locator(), "planRegistry", row.bytes().len() as u64, fate);
    let mut tape = Tape::new();
    let plan = match super::rows::read_row(account, entry, row.bytes(), &mut tape) {
        Ok(plan) => plan,
        Err(kept) => return kept.into_iter().collect(),
    };
    let place = account.locator(entry).clone();
    let when = account.time(plan.get_any(&["updatedAt", "lastUpdatedAt", "createdAt"]).filter(|v| !v.is_default()), &place);
    let mut pen = Writer {
        record: entry,
        base: String::new(),
        id: row.key.as_deref().unwrap_or("plan").to_owned(),
        from: MessageType::Assistant,
        when: if plan.kind() == JsonType::Object { when } else { When::MISSING },
        branch: None,
        made: Vec::new(),
        account,
    };
    let texts = ["plan", "content", "markdown", "text", "body"];
    let said = texts.iter().find_map(|name| Some((*name, plan.get(name).and_then(Value::non_empty)?)));
    match said {
        Some((name, text)) => {
            pen.recover(&format!("/{name}"), "plan/text", Kind::Attachment, text, Reason::Attachment);
            pen.rest("", "plan", plan, &[name]);
        }
        None => {
            pen.recover("", "plan", Kind::Attachment, render::text(plan), Reason::Attachment);
        }
    }
    pen.made
}
