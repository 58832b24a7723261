//! The one that writes, group by group, in the order of the tasks. Deliberately absent: how the library writes.

use super::prepare::Read;
use super::{EARLIER_KEPT, Layers, row};
use crate::dto::Fault;
use crate::engine::about;
use crate::examine::Examined;
use crate::pipeline::Task;
use crate::plan::Skip;
use assay_library::{Group, Library, OutcomeRow, Plan};
use assay_model::{Disposition, Verdict};
use std::collections::BTreeMap;
use std::sync::mpsc::Receiver;

/// The one that writes, group by group.
pub(super) struct Writer<'a> {
    pub(super) number: i64,
    /// The importer's word for what it read.
    pub(super) word: &'static str,
    pub(super) library: &'a mut Library,
    pub(super) layers: &'a mut Layers,
    pub(super) outcomes: &'a mut Vec<OutcomeRow>,
    pub(super) failures: &'a mut Vec<Fault>,
}

impl Writer<'_> {
    /// Writes what comes, in the order of the tasks, until no more comes. Returns how many came.
    pub(super) fn run(&mut self, tasks: &[Task], receiver: &Receiver<Read>) -> usize {
        let mut came = 0;
        let mut next = receiver.recv().ok();
        while let Some(first) = next.take() {
            // What is in the group is only believed once it is committed.
            let mut rows = Vec::new();
            let mut parsed = Vec::new();
            let written = match self.library.group() {
                Ok(mut group) => {
                    let mut one = Some(first);
                    while let Some(read) = one.take() {
                        rows.extend(Self::write(
                            &mut group,
                            (self.number, self.word),
                            &tasks[came],
                            read,
                            &mut parsed,
                            self.failures,
                        ));
                        came += 1;
                        if !group.is_full() {
                            one = receiver.recv().ok();
                        }
                    }
                    group.commit()
                }
                Err(error) => {
                    rows.push(row(&tasks[came], String::new(), Skip::Failed.code(), None, None, None));
                    came += 1;
                    Err(error)
                }
            };
            if let Err(error) = written {
                let why = format!("{}: {error}", error.code());
                self.failures.push(error.into());
                for row in &mut rows {
                    row.importer = Skip::Failed.code().to_owned();
                    row.library = None;
                    row.reason = Some(why.clone());
                }
            }
            for reasons in parsed {
                for (reason, n) in reasons {
                    *self.layers.parser.entry(reason).or_default() += n;
                }
            }
            rows.iter().for_each(|row| self.layers.add(row));
            self.outcomes.append(&mut rows);
            next = receiver.recv().ok();
        }
        came
    }

    fn write(
        group: &mut Group<'_>,
        (run, word): (i64, &str),
        task: &Task,
        read: Read,
        parsed: &mut Vec<BTreeMap<String, u64>>,
        failures: &mut Vec<Fault>,
    ) -> Option<OutcomeRow> {
        let row = match read {
            Read::Unasked => return None,
            Read::Skipped(skip, verdict, title) => row(task, title, skip.code(), None, None, verdict),
            Read::SameBytes(verdict) => {
                row(task, String::new(), word, Some(Plan::Unchanged.outcome().code()), None, Some(verdict))
            }
            Read::Failed(trouble) => {
                failures.push(about(task, trouble.code, &trouble.detail));
                let skip = if trouble.is_block() { Skip::Blocked } else { Skip::Failed };
                let why = format!("{}: {}", trouble.code, trouble.detail);
                row(task, String::new(), skip.code(), None, Some(why), Some(Verdict::Blocked))
            }
            Read::Whole(whole) => {
                parsed.push(dropped(&whole.examined));
                let title = assay_library::title(&whole.examined.conversation);
                let verdict = Some(whole.examined.verdict);
                match group.store(&whole.incoming(task), &whole.prepared) {
                    Ok(done) => {
                        let why = done.earlier_kept.then(|| EARLIER_KEPT.to_owned());
                        row(task, title, word, Some(done.outcome.code()), why, verdict)
                    }
                    Err(error) => {
                        failures.push(about(task, error.code(), &error.to_string()));
                        let why = format!("{}: {error}", error.code());
                        row(task, title, Skip::Failed.code(), None, Some(why), verdict)
                    }
                }
            }
        };
        // Best effort: what cannot be recorded is still told.
        let _ = group.record(run, &row);
        Some(row)
    }
}

/// What the parser dropped, by reason.
fn dropped(examined: &Examined) -> BTreeMap<String, u64> {
    let mut reasons = BTreeMap::new();
    for (_, entry) in examined.ledger.leaves().filter(|(_, e)| e.disposition == Disposition::Dropped) {
        if let Some(reason) = entry.reason {
            *reasons.entry(reason.code().to_owned()).or_default() += 1;
        }
    }
    reasons
}
