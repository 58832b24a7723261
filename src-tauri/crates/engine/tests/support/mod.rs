//! A source for tests: a folder of text files, a line a message (`u text`, `a text`). What goes wrong in it
//! is chosen by the test. Deliberately absent: anything of a real tool.
#![allow(dead_code, clippy::unwrap_used, clippy::panic, missing_docs)]

use assay_engine::dto::{ImportRequest, Progress};
use assay_engine::{Clock, Engine, EngineOptions, ImportOptions, Imported, Patience, Platform, Registry, Roots};
use assay_library::{Library, Reader};
use assay_model::{Candidate, Coverage, Locator, Message, MessageType, Reason};
use assay_sources::{
    Account, Detection, Evidence, EvidenceFile, Fate, ReadError, Root, ScanError, SourceAdapter, SourceManifest, Words,
};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, UNIX_EPOCH};
use tempfile::TempDir;

/// A day, in nanoseconds.
pub const DAY: i64 = 86_400_000_000_000;
/// When tests begin: 2026-02-01.
pub const BEGIN: i64 = 1_769_904_000_000_000_000;

/// What goes wrong.
#[derive(Default, Clone)]
pub struct Faults {
    pub detect_panics: bool,
    pub detect_hangs: bool,
    pub scan_panics: bool,
    pub scan_error: bool,
    pub parse_panics_on: Option<&'static str>,
    pub no_permission_on: Option<&'static str>,
    pub reported_version: Option<&'static str>,
    /// Files vanish after they were listed.
    pub vanish_after_scan: Option<&'static str>,
}

pub struct Fake {
    manifest: &'static SourceManifest,
    faults: Faults,
}

impl Fake {
    pub fn leak(name: &'static str, faults: Faults) -> &'static dyn SourceAdapter {
        let words = Words { en: "A test.", zh: "测试。" };
        let version = faults.reported_version.unwrap_or("fake@1");
        let manifest = Box::leak(Box::new(SourceManifest {
            name,
            display_name: name,
            parser_version: version,
            blurb: words,
            icon: "<path/>",
            deletes_after_days: None,
            resume_command: None,
            boundaries: &[],
        }));
        Box::leak(Box::new(Fake { manifest, faults }))
    }

    fn folder(&self, roots: &Roots) -> PathBuf {
        roots.home.join(self.manifest.name)
    }
}

impl SourceAdapter for Fake {
    fn manifest(&self) -> &'static SourceManifest {
        self.manifest
    }

    fn detect(&self, roots: &Roots) -> Detection {
        assert!(!self.faults.detect_panics, "detect broke");
        if self.faults.detect_hangs {
            std::thread::sleep(Duration::from_secs(3600));
        }
        let mut root = Root::look(self.folder(roots), "default");
        root.conversations = std::fs::read_dir(&root.path).map_or(0, |files| files.count() as u64);
        Detection::of(vec![root])
    }

    fn scan(&self, roots: &Roots, _: &Detection, sink: &mut dyn FnMut(Result<Candidate, ScanError>)) {
        let folder = self.folder(roots);
        let Ok(files) = std::fs::read_dir(&folder) else { return };
        let mut paths: Vec<PathBuf> = files.map(|f| f.unwrap().path()).collect();
        paths.sort();
        for path in paths {
            let meta = path.metadata().unwrap();
            let id = path.file_stem().unwrap().to_string_lossy().replace('+', ":");
            sink(Ok(Candidate {
                source: self.manifest.name.to_owned(),
                file_size: meta.len(),
                file_mtime: meta.modified().unwrap().duration_since(UNIX_EPOCH).unwrap().as_nanos() as i64,
                project_dir: "/p".into(),
                coverage: Coverage::Reference,
                hint: serde_json::Value::Null,
                file_path: path.clone(),
                id: id.clone(),
            }));
            if self.faults.vanish_after_scan == Some(&id) {
                std::fs::remove_file(path).unwrap();
            }
        }
        assert!(!self.faults.scan_panics, "scan broke");
        if self.faults.scan_error {
            sink(Err(ScanError::new(&folder, "unreadable")));
        }
    }

    fn collect(&self, roots: &Roots, candidate: &Candidate) -> Result<Evidence, ReadError> {
        if self.faults.no_permission_on == Some(&candidate.id) {
            let denied = std::io::Error::from(std::io::ErrorKind::PermissionDenied);
            return Err(ReadError::io(&candidate.file_path, &denied));
        }
        Evidence::of_file(roots, candidate)
    }

    fn fill(&self, candidate: &Candidate, evidence: &Evidence, account: &mut Account) {
        assert!(self.faults.parse_panics_on != Some(&*candidate.id), "parse broke");
        lines(&evidence.files[0], account);
    }
}

fn lines(file: &EvidenceFile, account: &mut Account) {
    let text = file.read_all().unwrap();
    let mut start = 0;
    for (number, line) in text.split_inclusive(|b| *b == b'\n').enumerate() {
        let end = start + line.len() as u64;
        let locator = Locator::Bytes {
            file: file.file.clone(),
            byte_start: start,
            byte_end: end,
            line: number as u64 + 1,
            pointer: None,
        };
        start = end;
        let line = String::from_utf8_lossy(line);
        let unfinished = file.growing && !line.ends_with('\n');
        let (from, said) = match line.trim_end().split_once(' ') {
            Some(("u", said)) => (MessageType::User, said),
            Some(("a", said)) => (MessageType::Assistant, said),
            _ => {
                let fate = if unfinished { Fate::Pending } else { Fate::Dropped(Reason::SystemRecord) };
                account.record(locator, "other", line.len() as u64, fate);
                continue;
            }
        };
        let message = account.push(Message::new(format!("m{number}"), from, said, locator.clone()));
        account.record(locator, "line", line.len() as u64, Fate::Kept(message));
    }
    account.extent(file.file.clone(), text.len() as u64);
}

/// A home folder, a library and a clock of a test's own.
pub struct Place {
    pub folder: TempDir,
    pub now: Arc<AtomicI64>,
}

impl Place {
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap(), now: Arc::new(AtomicI64::new(BEGIN)) }
    }

    pub fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    pub fn library(&self) -> PathBuf {
        self.folder.path().join("library.db")
    }

    /// Writes a conversation, last modified `days` before the beginning.
    pub fn write(&self, source: &str, id: &str, text: &str, days: i64) -> PathBuf {
        let path = self.home().join(source).join(format!("{}.txt", id.replace(':', "+")));
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        self.touch(&path, BEGIN - days * DAY);
        path
    }

    pub fn touch(&self, path: &Path, nanos: i64) {
        let file = std::fs::File::options().write(true).open(path).unwrap();
        file.set_modified(UNIX_EPOCH + Duration::from_nanos(nanos as u64)).unwrap();
    }

    pub fn engine(&self, adapters: &[&'static dyn SourceAdapter]) -> Engine {
        self.now.fetch_add(1_000_000_000, Ordering::SeqCst);
        let now = self.now.clone();
        Engine::open(EngineOptions {
            roots: Roots::new(self.home(), Platform::Linux),
            library: self.library(),
            registry: Registry::new(adapters).unwrap(),
            clock: Clock::of(move || now.load(Ordering::SeqCst)),
            sample: false,
        })
        .with_patience(Patience { slow: Duration::from_millis(50), give_up: Duration::from_secs(30) })
    }

    pub fn import(&self, adapters: &[&'static dyn SourceAdapter]) -> Imported {
        self.engine(adapters).import(&ImportOptions::default(), &|_| ()).unwrap()
    }

    pub fn verify(&self, adapters: &[&'static dyn SourceAdapter]) -> Imported {
        let request = ImportRequest { verify: true, ..ImportRequest::default() };
        self.engine(adapters).import(&ImportOptions { request, ..ImportOptions::default() }, &|_| ()).unwrap()
    }

    pub fn reader(&self) -> Reader {
        Library::open(&self.library()).unwrap().reader().unwrap()
    }

    /// Every message of the library as `id: text`.
    pub fn texts(&self) -> Vec<String> {
        let reader = self.reader();
        let list = reader.list(&Default::default(), Default::default(), false, 0, u32::MAX).unwrap();
        let mut all = Vec::new();
        for listed in list.rows {
            let stored = reader.show(listed.key).unwrap().unwrap();
            for message in reader.messages(&stored, 0..u32::MAX).unwrap() {
                all.push(format!("{}: {}", listed.conversation_id, message.content));
            }
        }
        all
    }

    /// Everything in the library but its runs, as text.
    pub fn dump(&self) -> String {
        let mut out = String::new();
        let reader = self.reader();
        let list = reader.list(&Default::default(), Default::default(), false, 0, u32::MAX).unwrap();
        for listed in list.rows {
            let stored = reader.show(listed.key).unwrap().unwrap();
            let (c, l) = (reader.conversation(&stored).unwrap(), reader.ledger(&stored).unwrap());
            let mut stored = stored;
            // When it was read differs between two ways to the same library, and its number may.
            stored.read_at = 0;
            stored.listed.key = 0;
            out.push_str(&format!("{stored:#?}\n{c:#?}\n{l:#?}\n"));
        }
        out
    }
}

/// `source id importer library` of every outcome.
pub fn told(imported: &Imported) -> Vec<String> {
    let told = |o: &assay_library::OutcomeRow| {
        format!("{} {} {} {}", o.source, o.id, o.importer, o.library.as_deref().unwrap_or("-"))
    };
    imported.outcomes.iter().map(told).collect()
}

pub fn codes(imported: &Imported) -> BTreeSet<&str> {
    imported.failures.iter().map(|f| f.code.as_str()).collect()
}

/// The conversations that progress told of as done, at most.
pub fn done(progress: &Progress) -> u64 {
    match progress {
        Progress::Working { done, .. } => *done,
        Progress::Detected { .. } | Progress::SourceDone { .. } | Progress::Finished { .. } => 0,
    }
}
