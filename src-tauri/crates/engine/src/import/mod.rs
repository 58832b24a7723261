//! Importing: what was read goes into the library, one conversation whole or not at all.
//!
//! Three layers are told apart and never added together: what the parser dropped, what the importer left
//! out, what the library did. Whatever fails costs its conversation; recording a failure is best effort
//! and can itself stop nothing. Deliberately absent: how the library writes.

mod prepare;
mod writer;

use crate::dto::{Fault, ImportRequest, ImportResult, Progress, SourceResult};
use crate::engine::{Engine, fault, write};
use crate::examine::{Examined, Trouble, collect};
use crate::job::{Listener, Meter};
use crate::pipeline::{self, Task};
use crate::plan::{Rule, Shelved, Skip};
use crate::preview::{count, most_first};
use crate::reparse;
use crate::survey::Survey;
use assay_library::{Known, Library, OutcomeRow};
use assay_model::hash::Hash;
use assay_model::identity;
use assay_model::{Retention, Timestamp, Verdict};
use assay_sources::{Evidence, Roots, SourceAdapter};
pub(crate) use prepare::incoming;
use prepare::{Preparing, Read, Reading};
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;
use std::sync::mpsc::sync_channel;
use writer::Writer;

/// The importer's word for a conversation that it read.
const READ: &str = "read";

/// The same for one that it read from the library's own bytes.
const REPARSED: &str = "reparsed";

/// What is said of one that its source took words back from.
const EARLIER_KEPT: &str = "earlier-state-kept";

/// How an import is to be done.
#[derive(Debug, Clone, Default)]
pub struct ImportOptions {
    /// What to import.
    pub request: ImportRequest,
    /// Instead of what the settings say.
    pub retention: Option<Retention>,
    /// Whether the bytes are kept, instead of what the settings say.
    pub originals: Option<bool>,
}

/// A finished import.
pub struct Imported {
    /// By source and layer.
    pub result: ImportResult,
    /// What was done with each conversation, by source and id.
    pub outcomes: Vec<OutcomeRow>,
    /// What failed.
    pub failures: Vec<Fault>,
}

/// The parts of a source's result, as they grow.
#[derive(Default)]
pub(crate) struct Layers {
    parser: BTreeMap<String, u64>,
    importer: BTreeMap<String, u64>,
    library: BTreeMap<String, u64>,
    fault: Option<Fault>,
}

impl Layers {
    fn add(&mut self, row: &OutcomeRow) {
        match &row.library {
            Some(done) => *self.library.entry(done.clone()).or_default() += 1,
            None => *self.importer.entry(row.importer.clone()).or_default() += 1,
        }
    }

    fn result(self, source: &str) -> SourceResult {
        let counts = |layer: &BTreeMap<String, u64>| most_first(layer.iter().map(|(code, n)| count(code, *n)));
        SourceResult {
            source: source.to_owned(),
            fault: self.fault,
            parser: counts(&self.parser),
            importer: counts(&self.importer),
            library: counts(&self.library),
        }
    }
}

impl From<assay_library::Error> for Fault {
    fn from(error: assay_library::Error) -> Self {
        let mut fault = fault(error.code(), error.to_string());
        fault.params.insert("path".to_owned(), error.path().to_string_lossy().into_owned());
        fault.params.insert("library".to_owned(), error.path().to_string_lossy().into_owned());
        fault
    }
}

/// One run, while it lasts.
pub(crate) struct Run<'a> {
    engine: &'a Engine,
    options: &'a ImportOptions,
    roots: Arc<Roots>,
    meter: Meter<'a>,
    library: Library,
    /// Pieces of originals that the library has.
    pieces: HashSet<Hash>,
    rule: Rule,
    number: i64,
    outcomes: Vec<OutcomeRow>,
    failures: Vec<Fault>,
    sources: Vec<SourceResult>,
}

impl Engine {
    /// Imports what is new or changed.
    ///
    /// # Errors
    /// Only if nothing could be begun: the library cannot be opened, or other work is running.
    pub fn import(&self, options: &ImportOptions, listener: Listener<'_>) -> Result<Imported, Fault> {
        let _working = self.begin()?;
        let adapters = self.chosen(&options.request.sources, false)?;
        self.is_outside_stores(&self.options.library)?;
        self.open.clear();
        let started = self.now();
        let mut run = Run::begin(self, options, Library::open(&self.options.library)?, started, listener)?;
        if options.request.sources.is_empty() {
            run.leave_out_disabled();
        }
        let roots = run.roots.clone();
        self.each_survey(&adapters, &roots, listener, &mut |survey| run.source(survey));
        let cancelled = self.cancel.asked();
        let imported = run.finish(started, cancelled);
        for (source, preview) in write(&self.previews).iter_mut() {
            let stored = imported.outcomes.iter().filter(|o| o.source == *source && o.library.is_some());
            Arc::make_mut(preview).imported(&stored.map(|o| o.id.as_str()).collect());
        }
        self.open.clear();
        listener(Progress::Finished { cancelled });
        Ok(imported)
    }

    /// Now, to the millisecond.
    pub(crate) fn now(&self) -> Timestamp {
        let millis = self.options.clock.nanos().div_euclid(1_000_000);
        Timestamp::from_millis(millis).unwrap_or(Timestamp::EPOCH)
    }
}

impl<'a> Run<'a> {
    /// Begins a run.
    pub(crate) fn begin(
        engine: &'a Engine,
        options: &'a ImportOptions,
        mut library: Library,
        started: Timestamp,
        listener: Listener<'a>,
    ) -> Result<Self, Fault> {
        Ok(Self {
            engine,
            options,
            roots: engine.roots(),
            meter: Meter::new(listener),
            number: library.begin_run(started)?,
            pieces: library.pieces()?,
            rule: Rule { originals: options.originals.unwrap_or(engine.rule().originals), ..engine.rule() },
            library,
            outcomes: Vec::new(),
            failures: Vec::new(),
            sources: Vec::new(),
        })
    }

    fn leave_out_disabled(&mut self) {
        for adapter in self.engine.options.registry.iter() {
            let source = adapter.manifest().name;
            if !self.engine.is_enabled(source) {
                let mut layers = Layers::default();
                layers.importer.insert(Skip::Disabled.code().to_owned(), self.engine.found_conversations(source));
                self.sources.push(layers.result(source));
            }
        }
    }

    fn source(&mut self, survey: Survey) {
        let source = survey.source();
        self.failures.extend(survey.faults());
        let mut layers =
            Layers { fault: survey.failure().map(|detail| fault("source-failed", detail)), ..Layers::default() };
        let known = self.shelved(source);
        let request = &self.options.request;
        let whole_source = request.keys.is_empty() && request.actions.is_empty();
        let mut gone = Vec::new();
        if survey.is_complete() && whole_source && !self.engine.cancel.asked() {
            gone = self.mark_gone(&survey, &known);
        }
        let adapter = survey.adapter;
        let mut tasks = Task::of(survey, self.engine.retention(source, self.options.retention));
        if !request.keys.is_empty() {
            let keys: HashSet<&str> = request.keys.iter().map(String::as_str).collect();
            tasks.retain(|task| keys.contains(task.key().as_str()));
        }
        let verify = request.verify || self.engine.settings().verify;
        let rule = self.rule;
        let (deleted, tasks): (Vec<Task>, Vec<Task>) = tasks.into_iter().partition(|task| known.is_deleted(task));
        let (current, tasks): (Vec<Task>, Vec<Task>) = tasks
            .into_iter()
            .partition(|task| !verify && known.get(&task.candidate.id).is_some_and(|k| is_current(k, task, rule)));
        self.meter.begin(source, tasks.len() as u64, tasks.iter().map(|t| t.bytes).sum());
        let left_out = |tasks: &[Task], why: Skip| -> Vec<OutcomeRow> {
            let told = |task: &Task| {
                let known = known.get(&task.candidate.id);
                let title = known.map(|k| k.title.clone()).unwrap_or_default();
                row(task, title, why.code(), None, None, known.map(|k| k.verdict))
            };
            tasks.iter().map(told).collect()
        };
        let mut skipped = left_out(&deleted, Skip::Deleted);
        skipped.extend(left_out(&current, Skip::UnchangedMetadata));
        self.keep(skipped, &mut layers);
        let roots = self.roots.clone();
        let from_stores = |task: &Task| collect(task.adapter, &roots, &task.candidate);
        let done =
            self.read_and_write(&tasks, &known, Reading { verify, from: &from_stores, again: false }, &mut layers);
        let rest = tasks[done..].iter().map(|task| {
            let title = known.get(&task.candidate.id).map(|k| k.title.clone()).unwrap_or_default();
            row(task, title, Skip::Cancelled.code(), None, None, None)
        });
        let rest: Vec<OutcomeRow> = rest.collect();
        self.keep(rest, &mut layers);
        if !gone.is_empty() {
            self.again(adapter, &known, &|id| gone.iter().any(|g| g == id), &mut layers);
        }
        self.meter.tell(Progress::SourceDone { source: source.to_owned(), fault: layers.fault.clone() });
        self.sources.push(layers.result(source));
    }

    /// Marks what the source no longer has. Returns what of it an earlier parser, or one under other rules,
    /// read, and can be read again.
    fn mark_gone(&mut self, survey: &Survey, known: &Shelved) -> Vec<String> {
        let present: HashSet<&str> = survey.candidates.iter().map(|c| c.id.as_str()).collect();
        if let Err(error) = self.library.mark(survey.source(), &present, self.engine.now()) {
            self.failures.push(error.into());
        }
        let version = survey.adapter.manifest().parser_version;
        let retention = self.engine.retention(survey.source(), self.options.retention);
        let stale = |k: &Known| k.original && (k.parser_version != version || k.retention != retention);
        let gone = known.known.iter().filter(|(id, k)| !present.contains(id.as_str()) && stale(k));
        gone.map(|(id, _)| id.clone()).collect()
    }

    /// Reads conversations again from the library's own bytes.
    pub(crate) fn again(
        &mut self,
        adapter: &'static dyn SourceAdapter,
        known: &Shelved,
        wanted: &dyn Fn(&str) -> bool,
        layers: &mut Layers,
    ) {
        let retention = self.engine.retention(adapter.manifest().name, self.options.retention);
        let tasks = match reparse::tasks(&self.library, adapter, retention, known, wanted) {
            Ok(tasks) => tasks,
            Err(error) => return self.failures.push(error.into()),
        };
        self.meter.begin(adapter.manifest().name, tasks.len() as u64, tasks.iter().map(|t| t.bytes).sum());
        let (path, scratch) = (self.library.path().to_owned(), self.roots.scratch.clone());
        let from = |task: &Task| reparse::evidence(&path, &scratch, &task.candidate);
        let done = self.read_and_write(&tasks, known, Reading { verify: false, from: &from, again: true }, layers);
        let rest = tasks[done..].iter().map(|t| row(t, String::new(), Skip::Cancelled.code(), None, None, None));
        let rest: Vec<OutcomeRow> = rest.collect();
        self.keep(rest, layers);
    }

    /// Reads every conversation of a source again of which the bytes are kept, or those that are `wanted`.
    pub(crate) fn source_again(&mut self, adapter: &'static dyn SourceAdapter, wanted: &dyn Fn(&str) -> bool) {
        let source = adapter.manifest().name;
        let (mut layers, known) = (Layers::default(), self.shelved(source));
        let without = known.known.iter().filter(|(id, k)| !k.original && wanted(id.as_str()));
        let told = |(id, k): (&String, &Known)| OutcomeRow {
            source: source.to_owned(),
            id: id.clone(),
            title: k.title.clone(),
            importer: Skip::NoOriginal.code().to_owned(),
            library: None,
            reason: None,
            verdict: Some(k.verdict),
        };
        let without: Vec<OutcomeRow> = without.map(told).collect();
        self.keep(without, &mut layers);
        self.again(adapter, &known, wanted, &mut layers);
        self.sources.push(layers.result(source));
    }

    fn shelved(&mut self, source: &str) -> Shelved {
        let known = self.library.known(source);
        let shelved = known.and_then(|known| Ok(Shelved { known, deleted: self.library.left_out(source)? }));
        shelved.unwrap_or_else(|error| {
            self.failures.push(error.into());
            Shelved::default()
        })
    }

    /// Records outcomes that need no conversation written.
    fn keep(&mut self, rows: Vec<OutcomeRow>, layers: &mut Layers) {
        if rows.is_empty() {
            return;
        }
        let recorded = self.library.group().and_then(|mut group| {
            rows.iter().try_for_each(|row| group.record(self.number, row))?;
            group.commit()
        });
        self.failures.extend(recorded.err().map(Fault::from));
        rows.iter().for_each(|row| layers.add(row));
        self.outcomes.extend(rows);
    }

    /// Reads the tasks on all cores and writes what comes of them, in their order. Returns how many were begun.
    fn read_and_write(&mut self, tasks: &[Task], known: &Shelved, how: Reading<'_>, layers: &mut Layers) -> usize {
        let engine = self.engine;
        let (rule, actions) = (self.rule, &self.options.request.actions);
        let (preparing, meter) = (Preparing { how, rule, actions, pieces: &self.pieces }, &self.meter);
        let work = |task: &Task, read: Result<(Examined, Evidence), Trouble>| {
            let known = known.get(&task.candidate.id);
            let read_at = engine.options.clock.nanos();
            let read = preparing.prepare(task, read, known, read_at);
            let held = if let Read::Whole(whole) = &read { whole.bytes() } else { 0 };
            (read, held)
        };
        // A rendezvous: what waits for the writer still counts against the budget.
        let (sender, receiver) = sync_channel(0);
        let mut writer = Writer {
            number: self.number,
            word: if how.again { REPARSED } else { READ },
            library: &mut self.library,
            layers,
            outcomes: &mut self.outcomes,
            failures: &mut self.failures,
        };
        std::thread::scope(|scope| {
            scope.spawn(move || {
                pipeline::run_from(tasks, how.from, &engine.cancel, meter, &work, &mut |_, read| {
                    let _ = sender.send(read);
                });
            });
            writer.run(tasks, &receiver)
        })
    }

    pub(crate) fn finish(mut self, started: Timestamp, cancelled: bool) -> Imported {
        let place = |source: &str| self.engine.options.registry.iter().position(|a| a.manifest().name == source);
        self.sources.sort_by_key(|s| place(&s.source));
        self.outcomes.sort_by(|a, b| (place(&a.source), &a.id).cmp(&(place(&b.source), &b.id)));
        for adapter in self.engine.options.registry.iter() {
            let source = adapter.manifest().name;
            let own = || self.outcomes.iter().filter(|o| o.source == source).map(|o| o.id.as_str());
            let met: HashSet<String> = identity::collisions(source, own()).into_values().flatten().collect();
            for row in self.outcomes.iter_mut().filter(|o| o.source == source && met.contains(&o.id)) {
                row.reason.get_or_insert_with(|| "id-collision".to_owned());
            }
        }
        let ended = self.engine.now();
        let result = ImportResult {
            run: self.number,
            started_at: started.to_string(),
            ended_at: Some(ended.to_string()),
            cancelled,
            sources: self.sources,
            failures: self.failures.len() as u64,
        };
        let json = serde_json::to_value(&result).unwrap_or_default();
        let ended = self.library.finish_run(self.number, ended, cancelled, &json);
        self.failures.extend(ended.err().map(Fault::from));
        Imported { result, outcomes: self.outcomes, failures: self.failures }
    }
}

/// Whether reading again could find nothing new. A store that was modified right before it was read may
/// have been modified right after too, within the same tick of its file system's clock.
/// One whose bytes are to be kept and are not is read for them.
pub(crate) fn is_current(known: &Known, task: &Task, rule: Rule) -> bool {
    const COARSE: i64 = 2_000_000_000;
    const FINE: i64 = 50_000_000;
    let mtime = task.candidate.file_mtime;
    let tick = if mtime % 1_000_000_000 == 0 { COARSE } else { FINE };
    task.trouble.is_none()
        && (known.original || !rule.originals)
        && known.is_current(&task.candidate, task.adapter.manifest().parser_version, task.retention)
        && known.read_at.saturating_sub(mtime) > tick
}

fn row(
    task: &Task,
    title: String,
    importer: &str,
    library: Option<&str>,
    reason: Option<String>,
    verdict: Option<Verdict>,
) -> OutcomeRow {
    OutcomeRow {
        source: task.source().to_owned(),
        id: task.candidate.id.clone(),
        title,
        importer: importer.to_owned(),
        library: library.map(str::to_owned),
        reason,
        verdict,
    }
}
