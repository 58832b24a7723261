//! `composer.planRegistry`: plans of all composers in one row of the global `ItemTable`. A plan belongs to the
//! composer whose id stands anywhere in it; one that names none is told with the others of its kind. Nobody has
//! published the shape, so a plan is its text where it has one, and otherwise told as it stands. Deliberately
//! absent: plans that are files (`files`).

use super::hint::Spot;
use super::render;
use super::writer::Writer;
use crate::readers::json::{JsonType, Tape, Value, pointer_to};
use crate::readers::sqlite::Reader;
use crate::{Account, Evidence, Fate, MessageId, ReadError, Row};
use assay_model::{Kind, MessageType, NoticeCode, Reason, When};
use std::collections::{BTreeMap, BTreeSet};

/// The row's key.
const REGISTRY: &str = "composer.planRegistry";

/// Whose plans stand where in the registry.
#[derive(Debug, Default)]
pub(super) struct Plans {
    /// By composer.
    pub of: BTreeMap<String, Vec<Spot>>,
    /// Of nobody.
    pub alone: Vec<Spot>,
}

/// One plan of the registry.
struct Element<'a> {
    pointer: String,
    /// Its name, where plans stand in an object.
    name: Option<std::borrow::Cow<'a, str>>,
    plan: Value<'a>,
}

/// What says something in a registry: an array of plans, or an object by id, perhaps with more around it.
fn elements(value: Value<'_>) -> Vec<Element<'_>> {
    let mut found = Vec::new();
    let mut open = vec![(String::new(), None, value)];
    while let Some((pointer, name, value)) = open.pop() {
        // Only the registry itself and the member `plans` of it hold plans.
        let holds = matches!(pointer.as_str(), "" | "/plans");
        let start = open.len();
        match value.kind() {
            JsonType::Object if holds => {
                open.extend(value.entries().map(|(name, plan)| {
                    (pointer_to(&pointer, &name), Some(name), plan)
                }));
            }
            JsonType::Array if holds => {
                open.extend(value.items().enumerate().map(|(i, plan)| (format!("{pointer}/{i}"), None, plan)));
            }
            JsonType::Object | JsonType::Array | JsonType::String if !render::is_hollow(value) => {
                found.push(Element { pointer, name, plan: value });
            }
            JsonType::Object | JsonType::Array | JsonType::String => {}
            // The version of the registry, or the like.
            JsonType::Null | JsonType::Bool | JsonType::Number => {}
        }
        open[start..].reverse();
    }
    found
}

/// Reads the registry of a database that has these composers.
pub(super) fn registry(reader: &Reader<'_>, composers: &BTreeSet<&str>) -> Result<Plans, ReadError> {
    let mut plans = Plans::default();
    if !reader.has_table("ItemTable")? {
        return Ok(plans);
    }
    let Some(row) = reader.row("ItemTable", REGISTRY)?.filter(|row| !row.bytes().is_empty()) else { return Ok(plans) };
    let mut tape = Tape::new();
    let Ok(value) = tape.read_whole(row.bytes()) else {
        // Damaged, but there: it is told as it stands.
        plans.alone.push(Spot { pointer: String::new(), start: 0, length: row.bytes().len() });
        return Ok(plans);
    };
    for Element { pointer, name, plan } in elements(value) {
        let named = name.into_iter().chain(render::leaves(plan).into_iter().filter_map(Value::str));
        let composer = named.into_iter().find(|text| composers.contains(&**text));
        let spot = Spot { pointer, start: plan.span().start, length: plan.span().len() };
        match composer {
            Some(composer) => plans.of.entry(composer.into_owned()).or_default().push(spot),
            None => plans.alone.push(spot),
        }
    }
    Ok(plans)
}

/// Takes plans into the evidence, each a slice of the registry's row.
pub(super) fn collect(reader: &Reader<'_>, spots: &[Spot], evidence: &mut Evidence) -> Result<(), ReadError> {
    if spots.is_empty() || !reader.has_table("ItemTable")? {
        return Ok(());
    }
    let mut tape = Tape::new();
    for spot in spots {
        // A row of another encoding has no such piece; one that changed since the scan has another one there.
        let piece = reader.piece("ItemTable", REGISTRY, spot.start, spot.length).ok().flatten();
        let plan = match piece.filter(|piece| tape.read_whole(piece).is_ok()) {
            Some(plan) => Some(plan),
            None => again(reader, spot, &mut tape)?,
        };
        let Some(plan) = plan else {
            evidence.notice(NoticeCode::BodyMissing, format!("{REGISTRY}#{}", spot.pointer));
            continue;
        };
        let key = if spot.pointer.is_empty() { REGISTRY.to_owned() } else { format!("{REGISTRY}#{}", spot.pointer) };
        evidence.rows.push(Row {
            file: reader.file(),
            table: "ItemTable".into(),
            key: Some(key.into()),
            value: Some(plan),
        });
    }
    Ok(())
}

/// A plan by its place in the registry as it is now, or the whole registry if it is damaged.
fn again(reader: &Reader<'_>, spot: &Spot, tape: &mut Tape) -> Result<Option<Vec<u8>>, ReadError> {
    let Some(row) = reader.row("ItemTable", REGISTRY)? else { return Ok(None) };
    Ok(match tape.read_whole(row.bytes()) {
        Ok(value) => {
            let found = elements(value).into_iter().find(|element| element.pointer == spot.pointer);
            found.map(|element| element.plan.raw().to_vec())
        }
        Err(_) if spot.pointer.is_empty() => row.value,
        Err(_) => None,
    })
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
