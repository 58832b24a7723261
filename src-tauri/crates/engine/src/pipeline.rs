//! From surveys to outcomes: the one path that preview and import share.
//!
//! Deliberately absent: what an outcome is for. `work` decides what leaves a worker, so that a preview
//! lets go of the texts at once and an import hands them on.

use crate::examine::{Examined, Trouble, collect, examine_evidence};
use crate::job::{Cancel, Meter};
use crate::ordered::{self, Limits};
use crate::survey::Survey;
use assay_model::{Candidate, Retention};
use assay_sources::{Evidence, Roots, SourceAdapter};
use std::collections::HashMap;
use std::path::Path;

/// One conversation to be read.
#[derive(Clone)]
pub struct Task {
    /// Its source.
    pub adapter: &'static dyn SourceAdapter,
    /// What the scan found.
    pub candidate: Candidate,
    /// The rules that hold for it.
    pub retention: Retention,
    /// Set when it must not be read.
    pub trouble: Option<Trouble>,
    /// Bytes of the store that are its own share.
    pub bytes: u64,
}

impl Task {
    /// The tasks of one survey, by id.
    pub fn of(survey: Survey, retention: Retention) -> Vec<Task> {
        let adapter = survey.adapter;
        let mut sharing: HashMap<&Path, u64> = HashMap::new();
        for candidate in survey.candidates.iter().chain(&survey.doubles) {
            *sharing.entry(&candidate.file_path).or_default() += 1;
        }
        // Conversations that share a database are each weighed by their part of it.
        let bytes: Vec<u64> = survey
            .candidates
            .iter()
            .chain(&survey.doubles)
            .map(|c| c.file_size / sharing.get(&*c.file_path).copied().unwrap_or(1))
            .collect();
        let same_id = |c: &Candidate| Trouble {
            code: "same-id",
            detail: format!("{} has the id of another conversation: {}", c.file_path.display(), c.id),
        };
        let singles = survey.candidates.into_iter().map(|c| (c, None));
        let doubles = survey.doubles.into_iter().map(|c| {
            let trouble = same_id(&c);
            (c, Some(trouble))
        });
        let mut tasks: Vec<Task> = singles
            .chain(doubles)
            .zip(bytes)
            .map(|((candidate, trouble), bytes)| Task { adapter, candidate, retention, trouble, bytes })
            .collect();
        tasks.sort_by(|a, b| a.candidate.id.cmp(&b.candidate.id));
        tasks
    }

    /// The stable name of the source.
    pub fn source(&self) -> &'static str {
        self.adapter.manifest().name
    }

    /// Names the conversation towards the page.
    pub fn key(&self) -> String {
        key(self.source(), &self.candidate.id)
    }

    /// Bytes that it takes while it is worked on: its evidence, and about as much for what is made of it.
    fn weight(&self) -> u64 {
        self.bytes * 2 + (64 << 10)
    }
}

/// Names a conversation towards the page. Unlike the portable id it is never ambiguous: no source has a
/// slash in its name.
pub fn key(source: &str, id: &str) -> String {
    format!("{source}/{id}")
}

/// Where a conversation's evidence comes from.
pub type Collect<'a> = &'a (dyn Fn(&Task) -> Result<Evidence, Trouble> + Sync);

/// Runs `work` over the tasks, side by side within the memory budget, and hands what it returns to
/// `consume` in the order of the tasks. `work` is given what full retention keeps, and the evidence that
/// it came from; it returns how many bytes its result holds.
pub fn run<T: Send>(
    tasks: &[Task],
    roots: &Roots,
    cancel: &Cancel,
    meter: &Meter<'_>,
    work: &(impl Fn(&Task, Result<(Examined, Evidence), Trouble>) -> (T, u64) + Sync),
    consume: &mut impl FnMut(&Task, T),
) {
    run_from(tasks, &|task| collect(task.adapter, roots, &task.candidate), cancel, meter, work, consume);
}

/// As [`run`], with evidence that is not the stores'.
pub fn run_from<T: Send>(
    tasks: &[Task],
    evidence: Collect<'_>,
    cancel: &Cancel,
    meter: &Meter<'_>,
    work: &(impl Fn(&Task, Result<(Examined, Evidence), Trouble>) -> (T, u64) + Sync),
    consume: &mut impl FnMut(&Task, T),
) {
    ordered::map(
        tasks,
        Limits::default(),
        &|| cancel.asked(),
        &Task::weight,
        &|task| work(task, read(task, evidence)),
        &mut |task, result| {
            consume(task, result);
            meter.step(task.source(), task.bytes);
        },
    );
}

fn read(task: &Task, from: Collect<'_>) -> Result<(Examined, Evidence), Trouble> {
    if let Some(trouble) = &task.trouble {
        return Err(trouble.clone());
    }
    let evidence = from(task)?;
    let examined = examine_evidence(task.adapter, &task.candidate, &evidence)?;
    Ok((examined, evidence))
}
