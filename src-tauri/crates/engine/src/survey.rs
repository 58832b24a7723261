//! Looking for the sources: each on a thread of its own, so that none can hold up or bring down another.
//!
//! A source that gives no sign of life is first told as slow and at last given up; its thread is left to
//! the operating system (a dead network mount cannot be interrupted) and whatever it says later is not
//! heard. Deliberately absent: reading conversations.

use crate::dto::Fault;
use crate::engine::fault;
use crate::examine::guarded;
use assay_model::{Candidate, Coverage};
use assay_sources::{Detection, Root, Roots, SourceAdapter, State};
use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

/// How long a source may be silent.
#[derive(Debug, Clone, Copy)]
pub struct Patience {
    /// Before it is told as slow.
    pub slow: Duration,
    /// Before it is given up.
    pub give_up: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self { slow: Duration::from_secs(3), give_up: Duration::from_secs(60) }
    }
}

/// How far to look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    /// What is there.
    Detect,
    /// Every conversation by name.
    Scan,
}

/// What looking for one source found.
#[derive(Clone)]
pub struct Survey {
    /// The source.
    pub adapter: &'static dyn SourceAdapter,
    /// What was found.
    pub detection: Detection,
    /// Every conversation, each id once, by id.
    pub candidates: Vec<Candidate>,
    /// Candidates whose id another one has, which was found in a better place.
    pub doubles: Vec<Candidate>,
    /// Why the scan is not complete.
    pub errors: Vec<Unlisted>,
}

/// Something that a scan could not list.
#[derive(Debug, Clone)]
pub struct Unlisted {
    /// The root or a place in it; none if the scan as a whole broke off.
    pub path: Option<PathBuf>,
    /// Why.
    pub detail: String,
}

impl Survey {
    /// The stable name of the source.
    pub fn source(&self) -> &'static str {
        self.adapter.manifest().name
    }

    /// Why the whole source could not be read, if so.
    pub fn failure(&self) -> Option<&str> {
        match self.detection.state {
            State::Failed | State::Locked => Some(self.detection.error.as_deref().unwrap_or("")),
            State::NotInstalled | State::Found | State::Empty | State::NoPermission | State::Encrypted => None,
        }
    }

    /// What it could not do.
    pub fn faults(&self) -> Vec<Fault> {
        let of = |code: &str, detail: &str| {
            let mut fault = fault(code, detail);
            fault.params.insert("source".to_owned(), self.source().to_owned());
            fault
        };
        let failed = self.failure().map(|detail| of("source-failed", detail));
        let closed = self.detection.roots.iter().filter(|r| r.exists && !r.readable).map(|root| {
            let note = root.note.as_deref().unwrap_or("");
            let mut fault = match root.hindrance {
                Some(State::Failed) => of("scan-incomplete", &format!("{}: {note}", root.path.display())),
                _ => of("no-permission", note),
            };
            fault.params.insert("path".to_owned(), root.path.to_string_lossy().into_owned());
            fault
        });
        let mut closed: Vec<Fault> = if failed.is_some() { Vec::new() } else { closed.collect() };
        // Without a scan, what is below the places is said by nobody else.
        if let (true, State::NoPermission, Some(error)) =
            (closed.is_empty() && self.errors.is_empty(), self.detection.state, &self.detection.error)
        {
            closed.push(of("no-permission", error));
        }
        failed.into_iter().chain(closed).chain(self.errors.iter().map(|e| of("scan-incomplete", &e.detail))).collect()
    }

    /// Whether everything that there is was listed, so that what is missing is really gone.
    pub fn is_complete(&self) -> bool {
        self.errors.is_empty()
            && self.failure().is_none()
            && self.detection.roots.iter().all(|r| !r.exists || r.readable)
            && self.detection.state != State::Encrypted
    }
}

/// What is heard while looking.
pub enum Heard {
    /// What detection found; the scan, if it is wanted, goes on.
    Detected(&'static dyn SourceAdapter, Detection),
    /// No sign of life for a while.
    Slow(&'static dyn SourceAdapter),
    /// Done, failed or given up: the last word on a source.
    Done(Survey),
}

/// Looks for `adapters`, side by side, and tells `heard` in the order in which they answer.
pub fn survey(
    adapters: &[&'static dyn SourceAdapter],
    roots: &Arc<Roots>,
    depth: Depth,
    patience: Patience,
    heard: &mut dyn FnMut(Heard),
) {
    struct Pending {
        signs: Arc<AtomicU64>,
        seen: u64,
        since: Instant,
        told: bool,
    }
    let (sender, receiver) = channel();
    let mut pending: Vec<Option<Pending>> = Vec::new();
    for (index, adapter) in adapters.iter().copied().enumerate() {
        let signs = Arc::new(AtomicU64::new(0));
        pending.push(Some(Pending { signs: signs.clone(), seen: 0, since: Instant::now(), told: false }));
        let (roots, to) = (roots.clone(), sender.clone());
        let name = format!("look-{}", adapter.manifest().name);
        let started = std::thread::Builder::new().name(name).spawn(move || {
            look(adapter, &roots, depth, &signs, &to, index);
        });
        if let Err(error) = started {
            let _ = sender.send((index, Heard::Done(failed(adapter, error.to_string()))));
        }
    }
    drop(sender);
    while pending.iter().any(Option::is_some) {
        match receiver.recv_timeout(patience.slow.min(Duration::from_millis(250))) {
            Ok((index, word)) => {
                if pending[index].is_none() {
                    continue; // given up before
                }
                if matches!(word, Heard::Done(_)) {
                    pending[index] = None;
                } else if let Some(p) = &mut pending[index] {
                    p.since = Instant::now();
                }
                heard(word);
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
        for (slot, adapter) in pending.iter_mut().zip(adapters) {
            let Some(p) = slot else { continue };
            let seen = p.signs.load(Ordering::Relaxed);
            if seen != p.seen {
                (p.seen, p.since, p.told) = (seen, Instant::now(), false);
            }
            if p.since.elapsed() >= patience.give_up {
                *slot = None;
                heard(Heard::Done(failed(*adapter, "stalled".to_owned())));
            } else if !p.told && p.since.elapsed() >= patience.slow {
                p.told = true;
                heard(Heard::Slow(*adapter));
            }
        }
    }
}

fn failed(adapter: &'static dyn SourceAdapter, error: String) -> Survey {
    let roots: Vec<Root> = Vec::new();
    let detection = Detection { state: State::Failed, error: Some(error), ..Detection::of(roots) };
    Survey { adapter, detection, candidates: Vec::new(), doubles: Vec::new(), errors: Vec::new() }
}

fn look(
    adapter: &'static dyn SourceAdapter,
    roots: &Roots,
    depth: Depth,
    signs: &AtomicU64,
    to: &Sender<(usize, Heard)>,
    index: usize,
) {
    let found = match guarded(|| adapter.detect(roots)) {
        Ok(found) => found,
        Err(trouble) => {
            let _ = to.send((index, Heard::Done(failed(adapter, trouble.detail))));
            return;
        }
    };
    let _ = to.send((index, Heard::Detected(adapter, found.clone())));
    let mut survey =
        Survey { adapter, detection: found, candidates: Vec::new(), doubles: Vec::new(), errors: Vec::new() };
    if depth == Depth::Scan {
        let (mut all, mut errors) = (Vec::new(), Vec::new());
        let scanned = guarded(|| {
            adapter.scan(roots, &survey.detection, &mut |one| {
                signs.fetch_add(1, Ordering::Relaxed);
                match one {
                    Ok(candidate) => all.push(candidate),
                    Err(error) => {
                        errors.push(Unlisted { detail: error.to_string(), path: Some(error.path) });
                    }
                }
            });
        });
        if let Err(trouble) = scanned {
            errors.push(Unlisted { path: None, detail: trouble.detail });
        }
        survey.errors = errors;
        (survey.candidates, survey.doubles) = each_id_once(all);
    }
    let _ = to.send((index, Heard::Done(survey)));
}

/// Sorts by id, and sets aside what has an id that was already seen: the reference system's place comes
/// first, then the path. Two conversations of one id would overwrite each other on every import.
fn each_id_once(mut all: Vec<Candidate>) -> (Vec<Candidate>, Vec<Candidate>) {
    let extended = |c: &Candidate| c.coverage == Coverage::Extended;
    all.sort_by(|a, b| (&a.id, extended(a), &a.file_path).cmp(&(&b.id, extended(b), &b.file_path)));
    let mut seen = HashSet::new();
    all.into_iter().partition(|c| seen.insert(c.id.clone()))
}
