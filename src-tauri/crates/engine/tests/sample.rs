//! The sample home goes through everything a page asks for. What comes out is what the page's stand-in for
//! the app serves: `UPDATE_SAMPLE=1 cargo test -p assay-engine --test sample` writes it.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use assay_engine::dto::{Fate, LibraryQuery, OutcomeQuery, Progress, RetentionChoice, RowQuery};
use assay_engine::{Clock, Engine, ImportOptions, PreviewRequest, Sample, registry};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Mutex;

/// 2026-11-30T09:00:00Z: a little after the last conversation of the sample.
const NOW: i64 = 1_796_029_200_000_000_000;
/// The most items that a page of the stand-in holds.
const ALL: u32 = 500;

/// Characters and blocks of a raw record in the stand-in.
const RAW: usize = 1_500;
const BLOCKS: usize = 12;

const RETENTIONS: [(&str, RetentionChoice); 2] =
    [("reference", RetentionChoice::Reference), ("full", RetentionChoice::Full)];

fn both(of: impl Fn(RetentionChoice) -> Value) -> Value {
    RETENTIONS.iter().map(|(name, retention)| ((*name).to_owned(), of(*retention))).collect::<Map<_, _>>().into()
}

fn sample() -> Value {
    let clock = Clock::of(|| NOW);
    let home = Sample::lay_out(&clock).unwrap();
    let engine = Engine::open(home.options(registry(), clock));
    let state = json!(engine.state());
    let heard = Mutex::new(Map::new());
    engine.detect(&|progress| {
        if let Progress::Detected { view } = progress {
            heard.lock().unwrap().insert(view.source.clone(), json!(view));
        }
    });
    let failures = engine.preview(&PreviewRequest::default(), &|_| ()).unwrap();
    assert!(failures.is_empty(), "{failures:?}");
    // After the preview the views have their strata; in the order of the registry.
    let views: Vec<Value> = engine.views().into_iter().map(|view| json!(view)).collect();
    let plan = json!(engine.plan());
    let (mut summaries, mut boundaries, mut rows) = (Map::new(), Map::new(), Map::new());
    let (mut inspections, mut items, mut records) = (Map::new(), Map::new(), Map::new());
    for adapter in registry().iter() {
        let source = adapter.manifest().name;
        summaries.insert(source.into(), both(|r| json!(engine.summary(source, r))));
        boundaries.insert(source.into(), json!(engine.matrix(source).unwrap()));
        let query = RowQuery { limit: ALL, ..RowQuery::default() };
        rows.insert(source.into(), both(|r| json!(engine.conversations(source, r, &query).rows)));
        for row in engine.conversations(source, RetentionChoice::Full, &query).rows {
            let key = row.key;
            inspections.insert(key.clone(), both(|r| json!(engine.inspect(&key, r).unwrap())));
            items.insert(key.clone(), both(|r| json!(engine.timeline(&key, r, 0, ALL).unwrap())));
            check_timeline(&engine, &key);
            check_records(&engine, &key);
            for entry in 0.. {
                let Ok(record) = engine.record(&key, RetentionChoice::Full, entry) else { break };
                assert!(!record.text.is_empty() || record.bytes == 0, "{key}: entry {entry} has no text");
            }
            // The stand-in opens records from items and chips only.
            let shown = RETENTIONS.map(|(_, r)| engine.timeline(&key, r, 0, ALL).unwrap());
            let entries: BTreeSet<u32> = shown
                .iter()
                .flatten()
                .flat_map(|i| i.entry.into_iter().chain(i.chips.iter().map(|c| c.entry)))
                .collect();
            let short = |retention: RetentionChoice, entry: u32| {
                let mut record = engine.record(&key, retention, entry).unwrap();
                if let Some((end, _)) = record.text.char_indices().nth(RAW) {
                    record.text.truncate(end);
                    record.cut = true;
                }
                record.blocks.truncate(BLOCKS);
                (entry.to_string(), json!(record))
            };
            let of_key = |r| -> Value { entries.iter().map(|e| short(r, *e)).collect::<Map<String, Value>>().into() };
            records.insert(key.clone(), both(of_key));
        }
    }
    let imported = engine.import(&ImportOptions::default(), &|_| ()).unwrap();
    assert!(imported.failures.is_empty(), "{:?}", imported.failures);
    let query = OutcomeQuery { run: imported.result.run, limit: ALL, ..OutcomeQuery::default() };
    // Sources are imported side by side: which of them ends first is not the same each time.
    let mut outcomes = engine.outcomes(&query).unwrap();
    outcomes.rows.sort_by(|a, b| a.key.cmp(&b.key));
    engine.index(&|_| ()).unwrap();
    let all = LibraryQuery { limit: ALL, ..LibraryQuery::default() };
    let mut kept = engine.kept(&all).unwrap().rows;
    for row in &kept {
        let previewed = format!("{}/{}", row.source, row.id);
        check_kept(&engine, &row.key, &previewed);
        // The library's list counts what is lost as the preview does.
        let before = engine.inspect(&previewed, RetentionChoice::Full).unwrap().row;
        assert_eq!((row.dropped, row.unknown), (before.dropped, before.unknown), "{previewed}");
    }
    // What a run says was dropped opens the conversations it was dropped from, as that run kept them.
    for source in &imported.result.sources {
        for dropped in &source.parser {
            let (run, reason) = (imported.result.run, Some(dropped.code.clone()));
            let query =
                OutcomeQuery { run, source: Some(source.source.clone()), reason, limit: ALL, ..Default::default() };
            let rows = engine.outcomes(&query).unwrap().rows;
            assert!(!rows.is_empty() && rows.iter().all(|r| r.kept.is_some()), "{}: {}", source.source, dropped.code);
        }
    }
    kept.sort_by(|a, b| a.key.cmp(&b.key));
    let library = json!({ "rows": kept, "forms": engine.export_forms(),
        "history": engine.kept_history().unwrap() });
    let text = json!({
        "state": state, "views": views, "summaries": summaries, "boundaries": boundaries, "rows": rows,
        "inspections": inspections, "items": items, "records": records, "plan": plan,
        "result": imported.result, "history": engine.history().unwrap(),
        "outcomes": outcomes, "library": library,
    })
    .to_string();
    serde_json::from_str(&text.replace(&*home.home().to_string_lossy(), "~")).unwrap()
}

/// What is read from the library is what was read from the store.
fn check_kept(engine: &Engine, kept: &str, previewed: &str) {
    for (_, retention) in RETENTIONS {
        let told = |key: &str| {
            let mut inspection = json!(engine.inspect(key, retention).unwrap());
            let row = inspection["row"].as_object_mut().unwrap();
            ["key", "plan", "planReason", "title", "bytes"].iter().for_each(|name| {
                row.remove(*name);
            });
            for differs in ["links", "kept"] {
                inspection[differs].take();
            }
            (inspection, json!(engine.timeline(key, retention, 0, ALL).unwrap()))
        };
        assert_eq!(told(kept), told(previewed), "{previewed}");
    }
    if engine.inspect(kept, RetentionChoice::Full).unwrap().row.dropped > 0 {
        let record = |key| json!(engine.record(key, RetentionChoice::Full, 0).unwrap());
        assert_eq!(record(kept), record(previewed), "{previewed}");
    }
}

/// The drawer tells of a record what the timeline beside it tells.
fn check_records(engine: &Engine, key: &str) {
    for (_, retention) in RETENTIONS {
        let strongest = |fates: &[Fate]| {
            let order = [Fate::Kept, Fate::Recovered, Fate::Folded, Fate::Unknown, Fate::Dropped, Fate::Pending];
            order.into_iter().find(|f| fates.contains(f))
        };
        for item in engine.timeline(key, retention, 0, ALL).unwrap() {
            let Some(entry) = item.entry else { continue };
            let record = engine.record(key, retention, entry).unwrap();
            let mut all: Vec<Fate> = record.blocks.iter().map(|b| b.disposition).collect();
            all.push(record.disposition);
            assert!(all.contains(&item.disposition), "{key}: item {} under {retention:?}", item.index);
            assert_eq!(strongest(&all), Some(record.disposition), "{key}: item {}", item.index);
        }
    }
}

/// Everything that either retention shows of a conversation hangs together.
fn check_timeline(engine: &Engine, key: &str) {
    for (_, retention) in RETENTIONS {
        let inspection = engine.inspect(key, retention).unwrap();
        let items = engine.timeline(key, retention, 0, ALL).unwrap();
        assert_eq!(items.len() as u32, inspection.items.min(ALL), "{key}");
        let messages = items.iter().filter(|i| i.item == "message").count() as u32;
        let expected = match retention {
            RetentionChoice::Reference => inspection.reference_messages,
            RetentionChoice::Full => inspection.full_messages,
        };
        assert_eq!(messages, expected, "{key}: every message is an item");
        for (at, item) in items.iter().enumerate() {
            assert_eq!(item.index as usize, at);
            let whole = engine.whole_text(key, retention, item.index).unwrap();
            assert!(whole.starts_with(&item.content), "{key}: the page shows the beginning of the whole text");
            assert!(item.item == "message" || item.entry.is_some(), "{key}: a ghost has its entry");
        }
        for run in &inspection.core {
            assert!(run.item < inspection.items.max(1), "{key}: the core sample points into the timeline");
        }
    }
    // What full retention recovers, reference shows as a ghost or as a chip.
    let full = engine.timeline(key, RetentionChoice::Full, 0, ALL).unwrap();
    let reference = engine.timeline(key, RetentionChoice::Reference, 0, ALL).unwrap();
    let recovered = full.iter().any(|i| i.disposition == assay_engine::dto::Fate::Recovered);
    let shown = reference.iter().any(|i| i.item == "ghost" || !i.chips.is_empty());
    assert!(!recovered || shown, "{key}: recovered content leaves no trace under the published rules");
}

#[test]
fn the_page_stands_in_with_what_the_engine_says() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../ui/src/lib/backend/generated/sample.json");
    let text = serde_json::to_string_pretty(&sample()).unwrap() + "\n";
    #[allow(clippy::disallowed_methods)]
    if std::env::var_os("UPDATE_SAMPLE").is_some() {
        std::fs::write(&file, &text).unwrap();
    }
    let fresh = std::fs::read_to_string(&file).unwrap_or_default() == text;
    assert!(fresh, "stale: run UPDATE_SAMPLE=1 cargo test -p assay-engine --test sample");
}
