//! The engine: everything a person can do, behind one value that any number of threads may use.
//!
//! Deliberately absent: the steps themselves (each has its module), windows, words for people.

use crate::accept::Outcomes;
use crate::clock::Clock;
use crate::dto::{
    AcceptanceSummary, AppState, Bilingual, ConversationRow, Fault, LibraryState, Page, Progress, RetentionChoice,
    RootView, RowQuery, Settings, SourceInfo, SourceView,
};
use crate::examine::{Examined, Hashes};
use crate::index::Indexing;
use crate::job::{Cancel, Listener, Meter};
use crate::kept::Searches;
use crate::lines::{ConversationLine, LineOptions};
use crate::opened::Shelf;
use crate::pipeline::{self, Task};
use crate::plan::{self, Shelved};
use crate::preview::{Seen, SourcePreview};
use crate::shelf::look_inside;
use crate::survey::{Depth, Heard, Patience, Survey, survey};
use crate::{host, settings};
use assay_library::Reader;
use assay_model::{Retention, Verdict};

use assay_sources::{Detection, Given, Registry, Roots, SourceAdapter, State};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

/// What an engine is made of. Everything that it knows about the machine comes in here.
pub struct EngineOptions {
    /// Home, platform, environment, scratch folder.
    pub roots: Roots,
    /// The library file; settings are beside it.
    pub library: PathBuf,
    /// The sources.
    pub registry: Registry,
    /// The time.
    pub clock: Clock,
    /// Whether these are the embedded samples and not the person's own stores.
    pub sample: bool,
}

/// What to preview.
#[derive(Debug, Clone, Default)]
pub struct PreviewRequest {
    /// These sources; all that are switched on if empty.
    pub sources: Vec<String>,
    /// Instead of what the settings say.
    pub retention: Option<Retention>,
}

/// See the module.
pub struct Engine {
    pub(crate) options: EngineOptions,
    pub(crate) cancel: Cancel,
    settings: RwLock<Settings>,
    set_aside: Option<PathBuf>,
    pub(crate) patience: Patience,
    /// Held by the one long job that may run.
    working: Mutex<()>,
    pub(crate) indexing: Indexing,
    /// The wish to watch no more.
    pub(crate) watching: Cancel,
    pub(crate) previews: RwLock<BTreeMap<&'static str, Arc<SourcePreview>>>,
    found: RwLock<BTreeMap<&'static str, Found>>,
    pub(crate) open: Shelf,
    pub(crate) searches: Searches,
    pub(crate) accepted: RwLock<BTreeMap<&'static str, Arc<Outcomes>>>,
}

/// The one long job that may run, while it lasts.
pub(crate) struct Job<'a> {
    indexing: &'a Indexing,
    _working: MutexGuard<'a, ()>,
}

impl Drop for Job<'_> {
    fn drop(&mut self) {
        self.indexing.may_run();
    }
}

/// What was found of a source when it was last looked for.
struct Found {
    detection: Detection,
    view: SourceView,
}

impl Engine {
    /// Opens the engine. Reads the settings, and nothing else.
    pub fn open(options: EngineOptions) -> Self {
        assay_sources::readers::sqlite::sweep(&options.roots.scratch, false);
        let loaded = settings::load(&settings_file(&options.library));
        Self {
            options,
            cancel: Cancel::default(),
            settings: RwLock::new(loaded.settings),
            set_aside: loaded.set_aside,
            patience: Patience::default(),
            working: Mutex::new(()),
            indexing: Indexing::default(),
            watching: Cancel::default(),
            previews: RwLock::default(),
            found: RwLock::default(),
            open: Shelf::default(),
            searches: Searches::default(),
            accepted: RwLock::default(),
        }
    }

    /// The same with less patience, for tests.
    pub fn with_patience(mut self, patience: Patience) -> Self {
        self.patience = patience;
        self
    }

    /// What the person chose.
    pub fn settings(&self) -> Settings {
        read(&self.settings).clone()
    }

    /// Where a damaged settings file was put when the engine opened; the defaults hold since.
    pub fn damaged_settings(&self) -> Option<&Path> {
        self.set_aside.as_deref()
    }

    /// Saves what the person chose.
    pub fn save_settings(&self, settings: Settings) -> Result<Settings, Fault> {
        settings::save(&settings_file(&self.options.library), &settings)
            .map_err(|e| fault("settings-not-saved", e.to_string()))?;
        *write(&self.settings) = settings.clone();
        Ok(settings)
    }

    /// The app as it starts. Quick: reads no store.
    pub fn state(&self) -> AppState {
        let settings = self.settings();
        AppState {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            library: self.library_state(),
            sources: self.options.registry.iter().map(|a| source_info(a, &settings)).collect(),
            settings,
            sample: self.options.sample,
        }
    }

    fn library_state(&self) -> LibraryState {
        let mut state = LibraryState {
            path: host::short(&self.options.library, &self.options.roots.home),
            bytes: 0,
            conversations: 0,
            deleted: 0,
            older: false,
            fault: None,
        };
        let look = || -> Result<_, assay_library::Error> {
            let of = |r: Reader| Ok((r.bytes(), r.counts()?.values().sum(), r.deleted()?));
            Reader::open(&self.options.library)?.map(of).transpose()
        };
        match look() {
            Ok(found) => (state.bytes, state.conversations, state.deleted) = found.unwrap_or_default(),
            // It is brought up when it is first used.
            Err(assay_library::Error::Older { .. }) => state.older = true,
            Err(error) => state.fault = Some(error.into()),
        }
        state
    }

    /// Conversations of a source when it was last looked for.
    pub(crate) fn found_conversations(&self, source: &str) -> u64 {
        read(&self.found).get(source).map_or(0, |found| found.detection.conversations)
    }

    /// The state of a source when it was last looked for.
    pub(crate) fn found_state(&self, source: &str) -> Option<State> {
        read(&self.found).get(source).map(|found| found.detection.state)
    }

    /// Sessions that the tool will soon delete, by the last look.
    pub(crate) fn deleted_soon(&self, source: &str) -> Option<u64> {
        read(&self.found).get(source).and_then(|found| found.view.deleted_soon)
    }

    /// What the library knows of a source; nothing if there is no library, or none that can be read.
    pub(crate) fn known(&self, source: &str) -> Shelved {
        let known = || {
            let reader = self.look_inside().ok()??;
            Some(Shelved { known: reader.known(source).ok()?, deleted: reader.left_out(source).ok()? })
        };
        known().unwrap_or_default()
    }

    /// What the settings say of imports.
    pub(crate) fn rule(&self) -> plan::Rule {
        let settings = read(&self.settings);
        plan::Rule { minimum: settings.minimum_messages, originals: settings.keep_originals }
    }

    /// Stops the work that is running; what is done stays.
    pub fn cancel(&self) {
        self.cancel.ask();
        self.indexing.cancel.ask();
        self.watching.ask();
    }

    /// Stops watching; work that runs goes on.
    pub fn stop_watching(&self) {
        self.watching.ask();
    }

    /// Looks for every source, side by side; each is told as it is found.
    pub fn detect(&self, listener: Listener<'_>) -> Vec<Survey> {
        let adapters: Vec<_> = self.options.registry.iter().collect();
        self.survey(&adapters, Depth::Scan, listener)
    }

    /// The sources as they were last found, in the order of the registry.
    pub fn views(&self) -> Vec<SourceView> {
        let views = read(&self.found);
        let of = |adapter: &'static dyn SourceAdapter| {
            let found = views.get(adapter.manifest().name)?;
            Some(self.with_preview(found.view.clone()))
        };
        self.options.registry.iter().filter_map(of).collect()
    }

    /// Looks for `sources` (all if empty) without listing conversations.
    pub fn look(&self, sources: &[String]) -> Result<Vec<Survey>, Fault> {
        Ok(self.survey(&self.chosen(sources, true)?, Depth::Detect, &|_| ()))
    }

    /// Whether a source is switched on.
    pub fn is_enabled(&self, source: &str) -> bool {
        !read(&self.settings).disabled.iter().any(|d| d == source)
    }

    /// Reads everything and writes nothing. What it found is asked for with [`Engine::summary`] and the like.
    /// Returns what failed; the rest was read all the same.
    pub fn preview(&self, request: &PreviewRequest, listener: Listener<'_>) -> Result<Vec<Fault>, Fault> {
        let _working = self.begin()?;
        let adapters = self.chosen(&request.sources, false)?;
        let roots = self.roots();
        let meter = Meter::new(listener);
        let mut failures = Vec::new();
        self.open.clear();
        self.each_survey(&adapters, &roots, listener, &mut |survey| {
            let source = survey.source();
            let failure = survey.failure().map(|detail| fault("source-failed", detail));
            failures.extend(survey.faults());
            let tasks = Task::of(survey, self.retention(source, request.retention));
            meter.begin(source, tasks.len() as u64, tasks.iter().map(|t| t.bytes).sum());
            let mut preview = SourcePreview::new(source, self.options.clock.iso());
            let (known, rule) = (self.known(source), self.rule());
            let work = |task: &Task, read: Result<(Examined, _), _>| {
                let outcome = match read {
                    Ok((full, _)) => {
                        (Seen::of(task, full, |examined| plan::of(task, examined, None, &known, rule)), None)
                    }
                    Err(trouble) => (Seen::troubled(task, &trouble), Some(trouble)),
                };
                (outcome, 0)
            };
            pipeline::run(&tasks, &roots, &self.cancel, &meter, &work, &mut |task, (seen, trouble)| {
                failures.extend(trouble.map(|t| about(task, t.code, &t.detail)));
                preview.push(seen);
            });
            write(&self.previews).insert(source, Arc::new(preview));
            // Told again, now with its strata.
            for view in self.views().into_iter().filter(|v| v.source == source) {
                meter.tell(Progress::Detected { view });
            }
            meter.tell(Progress::SourceDone { source: source.to_owned(), fault: failure });
        });
        meter.tell(Progress::Finished { cancelled: self.cancel.asked() });
        Ok(failures)
    }

    /// The numbers of every source that was previewed, each under the rules that hold for it.
    pub fn summaries(&self, instead: Option<Retention>) -> Vec<(AcceptanceSummary, RetentionChoice)> {
        let of = |adapter: &'static dyn SourceAdapter| {
            let source = adapter.manifest().name;
            let retention = self.retention(source, instead).into();
            self.summary(source, retention).map(|summary| (summary, retention))
        };
        self.options.registry.iter().filter_map(of).collect()
    }

    /// The library file.
    pub fn library(&self) -> &Path {
        &self.options.library
    }

    /// A path for people: the home folder is `~`.
    pub fn short(&self, path: &Path) -> String {
        host::short(path, &self.options.roots.home)
    }

    /// The preview as lines, in the order of the registry and then by id. `emit` says whether it wants more.
    /// Returns what failed, source by source and conversation by conversation.
    pub fn preview_lines(
        &self,
        request: &PreviewRequest,
        options: LineOptions,
        listener: Listener<'_>,
        emit: &mut dyn FnMut(&[u8]) -> bool,
    ) -> Result<Vec<Fault>, Fault> {
        let _working = self.begin()?;
        let adapters = self.chosen(&request.sources, false)?;
        let roots = self.roots();
        let meter = Meter::new(listener);
        let mut failures = Vec::new();
        let mut tasks = Vec::new();
        let mut known = BTreeMap::new();
        let rule = self.rule();
        for survey in self.survey(&adapters, Depth::Scan, listener) {
            let source = survey.source();
            failures.extend(survey.faults());
            known.insert(source, self.known(source));
            let own = Task::of(survey, self.retention(source, request.retention));
            meter.begin(source, own.len() as u64, own.iter().map(|t| t.bytes).sum());
            tasks.extend(own);
        }
        let work = |task: &Task, read: Result<(Examined, _), _>| {
            let mut line = Vec::new();
            let (written, failure) = match read {
                Ok((full, _)) => {
                    let examined = full.under(task.retention);
                    let hashes = Hashes::of(&examined.conversation);
                    let plan = plan::of(task, &examined, Some(&hashes), &known[task.source()], rule);
                    let one = ConversationLine::of(task, &examined, &hashes, plan, options);
                    (serde_json::to_writer(&mut line, &one), None)
                }
                Err(trouble) => {
                    let one = ConversationLine::troubled(task, &trouble, options);
                    (serde_json::to_writer(&mut line, &one), Some(about(task, trouble.code, &trouble.detail)))
                }
            };
            line.push(b'\n');
            let failure = written.err().map(|e| about(task, "not-written", &e.to_string())).or(failure);
            let held = line.capacity() as u64;
            ((line, failure), held)
        };
        pipeline::run(&tasks, &roots, &self.cancel, &meter, &work, &mut |_, (line, failure)| {
            failures.extend(failure);
            if !emit(&line) {
                self.cancel.ask();
            }
        });
        Ok(failures)
    }

    /// The preview of a source in numbers; `None` before a preview.
    pub fn summary(&self, source: &str, retention: RetentionChoice) -> Option<AcceptanceSummary> {
        self.previewed(source).map(|p| p.summary(retention.into()))
    }

    /// A page of the conversation table; empty before a preview.
    pub fn conversations(&self, source: &str, retention: RetentionChoice, query: &RowQuery) -> Page<ConversationRow> {
        match self.previewed(source) {
            Some(preview) => preview.page(retention.into(), query),
            None => Page { total: 0, offset: query.offset, rows: Vec::new() },
        }
    }

    pub(crate) fn previewed(&self, source: &str) -> Option<Arc<SourcePreview>> {
        read(&self.previews).get(source).cloned()
    }

    /// Begins long work, of which there is one at a time. Indexing gives way to it.
    pub(crate) fn begin(&self) -> Result<Job<'_>, Fault> {
        let working = self.working.try_lock().map_err(|_| fault("busy", ""))?;
        let job = Job { indexing: &self.indexing, _working: working };
        self.indexing.give_way();
        self.cancel.reset();
        Ok(job)
    }

    /// The rules that hold for a source.
    pub(crate) fn retention(&self, source: &str, instead: Option<Retention>) -> Retention {
        let chosen = || read(&self.settings).retention.get(source).map_or(Retention::Full, |r| (*r).into());
        instead.unwrap_or_else(chosen)
    }

    /// The adapters of `sources`; of an empty list all that are switched on (or `all`).
    pub(crate) fn chosen(&self, sources: &[String], all: bool) -> Result<Vec<&'static dyn SourceAdapter>, Fault> {
        if let Some(unknown) = sources.iter().find(|s| self.options.registry.get(s).is_none()) {
            return Err(fault("unknown-source", unknown.clone()));
        }
        let wanted = |name: &str| {
            if sources.is_empty() { all || self.is_enabled(name) } else { sources.iter().any(|s| s == name) }
        };
        Ok(self.options.registry.iter().filter(|a| wanted(a.manifest().name)).collect())
    }

    /// The roots of a new run: with the folders that the person added, and the time.
    pub(crate) fn roots(&self) -> Arc<Roots> {
        static RUNS: AtomicU64 = AtomicU64::new(0);
        let mut roots = self.options.roots.clone();
        roots.now = self.options.clock.nanos();
        roots.run = RUNS.fetch_add(1, Ordering::Relaxed) + 1;
        for (source, folders) in &read(&self.settings).folders {
            let own = roots.custom.entry(source.clone()).or_default();
            own.extend(folders.iter().map(PathBuf::from));
        }
        let library = self.options.library.clone();
        roots.given = Given::new(move |source| {
            // Without a library, or with one that cannot be read, ids are given as on the first run.
            let reader = look_inside(&library).ok().flatten();
            reader.and_then(|reader| reader.places(source).ok()).unwrap_or_default()
        });
        Arc::new(roots)
    }

    /// Looks for `adapters` and returns what was found in the order of the registry.
    pub(crate) fn survey(
        &self,
        adapters: &[&'static dyn SourceAdapter],
        depth: Depth,
        listener: Listener<'_>,
    ) -> Vec<Survey> {
        let mut all = Vec::new();
        survey(adapters, &self.roots(), depth, self.patience, &mut |word| {
            self.tell(&word, listener);
            if let Heard::Done(survey) = word {
                all.push(survey);
            }
        });
        let place = |s: &Survey| adapters.iter().position(|a| a.manifest().name == s.source());
        all.sort_by_key(place);
        all
    }

    /// Looks for `adapters` and hands each to `visit` as it is found, while the others are still looked for.
    pub(crate) fn each_survey(
        &self,
        adapters: &[&'static dyn SourceAdapter],
        roots: &Arc<Roots>,
        listener: Listener<'_>,
        visit: &mut dyn FnMut(Survey),
    ) {
        let (sender, receiver) = channel();
        std::thread::scope(|scope| {
            scope.spawn(move || {
                survey(adapters, roots, Depth::Scan, self.patience, &mut |word| {
                    self.tell(&word, listener);
                    if let Heard::Done(survey) = word {
                        let _ = sender.send(survey);
                    }
                });
            });
            for survey in receiver {
                visit(survey);
            }
        });
    }

    fn tell(&self, word: &Heard, listener: Listener<'_>) {
        let view = match word {
            Heard::Detected(adapter, found) => self.view(adapter.manifest().name, found, None),
            Heard::Slow(adapter) => SourceView {
                state: "looking".to_owned(),
                error: Some("stalled".to_owned()),
                ..self.view(adapter.manifest().name, &Detection::of(Vec::new()), None)
            },
            Heard::Done(survey) => {
                let view = self.view(survey.source(), &survey.detection, Some(survey));
                let found = Found { detection: survey.detection.clone(), view: view.clone() };
                write(&self.found).insert(survey.source(), found);
                view
            }
        };
        listener(Progress::Detected { view });
    }

    fn view(&self, source: &'static str, found: &Detection, survey: Option<&Survey>) -> SourceView {
        const SOON: i64 = 3 * DAY;
        const DAY: i64 = 86_400_000_000_000;
        let times = || survey.into_iter().flat_map(|s| s.candidates.iter().map(|c| c.file_mtime));
        let days = self.options.registry.get(source).and_then(|a| a.manifest().deletes_after_days);
        let deleted_soon = days.filter(|_| survey.is_some()).map(|days| {
            let before = self.options.clock.nanos() - i64::from(days) * DAY + SOON;
            times().filter(|t| *t < before).count() as u64
        });
        let troubles = |root: Option<&Path>| {
            let all = survey.into_iter().flat_map(|s| &s.errors);
            let inside = |path: &Option<PathBuf>| root.is_none_or(|r| path.as_ref().is_some_and(|p| p.starts_with(r)));
            all.filter(|e| inside(&e.path)).map(|e| e.detail.clone()).collect()
        };
        let view = SourceView {
            source: source.to_owned(),
            enabled: self.is_enabled(source),
            state: state(found.state).to_owned(),
            error: found.error.clone(),
            troubles: troubles(None),
            roots: found
                .roots
                .iter()
                .map(|r| RootView {
                    path: host::short(&r.path, &self.options.roots.home),
                    origin: r.origin.clone(),
                    exists: r.exists,
                    readable: r.readable,
                    conversations: r.conversations,
                    note: r.note.clone(),
                    troubles: troubles(Some(&r.path)),
                })
                .collect(),
            conversations: found.conversations,
            bytes: found.bytes,
            first_activity: times().min().map(crate::clock::iso),
            last_activity: times().max().map(crate::clock::iso),
            deleted_soon,
            strata: None,
            losing: None,
            unread: None,
        };
        self.with_preview(view)
    }

    /// A source's view with what its preview says under the retention that holds for it.
    fn with_preview(&self, view: SourceView) -> SourceView {
        let Some(preview) = self.previewed(&view.source) else { return view };
        let retention = self.retention(&view.source, None);
        SourceView {
            strata: Some(preview.strata(retention)),
            losing: Some(preview.verdicts(retention, Verdict::Degraded)),
            unread: Some(preview.verdicts(retention, Verdict::Blocked)),
            ..view
        }
    }

    /// A root of a source by its place among those that were looked at, to be shown in the file manager.
    pub fn root(&self, source: &str, root: usize) -> Result<PathBuf, Fault> {
        let found = read(&self.found);
        let root = found.get(source).and_then(|f| f.detection.roots.get(root));
        root.map(|r| r.path.clone()).ok_or_else(|| fault("no-such-root", source))
    }

    /// Whether `path` lies in a place of a source that held something when it was last looked at.
    pub(crate) fn looks_at(&self, source: &str, path: &Path) -> bool {
        let found = read(&self.found);
        let roots = found.get(source).map(|f| &f.detection.roots);
        roots.into_iter().flatten().any(|r| r.conversations > 0 && path.starts_with(&r.path))
    }

    /// Adds a folder to a source.
    pub fn add_folder(&self, source: &str, folder: &Path) -> Result<Settings, Fault> {
        self.chosen(&[source.to_owned()], true)?;
        let mut settings = self.settings();
        let folders = settings.folders.entry(source.to_owned()).or_default();
        let folder = folder.to_string_lossy().into_owned();
        if !folders.contains(&folder) {
            folders.push(folder);
        }
        self.save_settings(settings)
    }
}

fn settings_file(library: &Path) -> PathBuf {
    library.with_file_name("settings.json")
}

fn source_info(adapter: &dyn SourceAdapter, settings: &Settings) -> SourceInfo {
    let m = adapter.manifest();
    SourceInfo {
        source: m.name.to_owned(),
        display_name: m.display_name.to_owned(),
        parser_version: m.parser_version.to_owned(),
        blurb: Bilingual { en: m.blurb.en.to_owned(), zh: m.blurb.zh.to_owned() },
        icon: m.icon.to_owned(),
        deletes_after_days: m.deletes_after_days,
        enabled: !settings.disabled.iter().any(|d| d == m.name),
        retention: settings.retention.get(m.name).copied().unwrap_or(RetentionChoice::Full),
    }
}

/// The kebab-case code of a state.
pub fn state(state: State) -> &'static str {
    match state {
        State::NotInstalled => "not-installed",
        State::Found => "found",
        State::Empty => "empty",
        State::NoPermission => "no-permission",
        State::Locked => "locked",
        State::Encrypted => "encrypted",
        State::Failed => "failed",
    }
}

/// A fault of one conversation.
pub(crate) fn about(task: &Task, code: &str, detail: &str) -> Fault {
    let mut fault = fault(code, detail);
    fault.params.insert("source".to_owned(), task.source().to_owned());
    fault.params.insert("id".to_owned(), task.candidate.id.clone());
    fault
}

/// A fault without parameters.
pub(crate) fn fault(code: &str, detail: impl Into<String>) -> Fault {
    Fault { code: code.to_owned(), params: BTreeMap::new(), detail: detail.into() }
}

pub(crate) fn read<T>(lock: &RwLock<T>) -> std::sync::RwLockReadGuard<'_, T> {
    lock.read().unwrap_or_else(PoisonError::into_inner)
}

pub(crate) fn write<T>(lock: &RwLock<T>) -> std::sync::RwLockWriteGuard<'_, T> {
    lock.write().unwrap_or_else(PoisonError::into_inner)
}
