//! Watching: new and changed conversations are imported as they settle, for as long as a person wants it.
//!
//! It looks again and again instead of listening: that works on every drive, holds no handle, and one look
//! at stores in which nothing changed takes as long as an import that finds nothing to do. Deliberately
//! absent: reading what is still being written; it waits until a store has been quiet for a while.

use crate::dto::{Fault, ImportRequest};
use crate::engine::{Engine, fault};
use crate::import::{ImportOptions, Imported, is_current};
use crate::job::Listener;
use crate::pipeline::Task;
use crate::survey::Depth;
use assay_model::Retention;
use std::collections::HashMap;
use std::time::{Duration, Instant};

/// How to watch.
#[derive(Debug, Clone)]
pub struct WatchOptions {
    /// These sources; all that are switched on if empty.
    pub sources: Vec<String>,
    /// Instead of what the settings say.
    pub retention: Option<Retention>,
    /// How long to wait between two looks.
    pub every: Duration,
    /// For how long a store must have been quiet.
    pub settled: Duration,
}

impl Default for WatchOptions {
    fn default() -> Self {
        let (every, settled) = (Duration::from_secs(10), Duration::from_secs(5));
        Self { sources: Vec::new(), retention: None, every, settled }
    }
}

impl Engine {
    /// Imports what is new or changed as it settles, until [`Engine::cancel`]; `told` hears of every import and
    /// says whether to go on. While another job runs it waits.
    ///
    /// # Errors
    /// If the library is no longer where it was, or became one that cannot be written: nothing is begun anew there.
    pub fn watch(
        &self,
        options: &WatchOptions,
        listener: Listener<'_>,
        told: &mut dyn FnMut(Result<Imported, Fault>) -> bool,
    ) -> Result<(), Fault> {
        self.chosen(&options.sources, false)?;
        let stop = &self.watching;
        stop.reset();
        // What was tried as it is now and is not in the library: too short, not to be read.
        let mut tried = HashMap::new();
        let mut there = false;
        while !stop.asked() {
            let keys = self.settled(options, &mut tried)?;
            match self.library().exists() {
                false if there => return Err(fault("library-gone", self.library().to_string_lossy())),
                found => there |= found,
            }
            if !keys.is_empty() {
                let request = ImportRequest { sources: options.sources.clone(), keys, ..ImportRequest::default() };
                let import = ImportOptions { request, retention: options.retention, ..ImportOptions::default() };
                match self.import(&import, listener) {
                    // It is tried again with the next look.
                    Err(fault) if ["busy", "in-use"].contains(&fault.code.as_str()) => tried.clear(),
                    Err(fault) if ["newer", "not-a-library", "damaged"].contains(&fault.code.as_str()) => {
                        return Err(fault);
                    }
                    imported => {
                        there |= imported.is_ok();
                        if !told(imported) {
                            return Ok(());
                        }
                    }
                }
            }
            let since = Instant::now();
            while since.elapsed() < options.every && !stop.asked() {
                std::thread::sleep(Duration::from_millis(50).min(options.every));
            }
        }
        Ok(())
    }

    /// The keys of conversations that are new or changed, and quiet.
    fn settled(&self, options: &WatchOptions, tried: &mut HashMap<String, (u64, i64)>) -> Result<Vec<String>, Fault> {
        let (now, rule) = (self.options.clock.nanos(), self.rule());
        let quiet = i64::try_from(options.settled.as_nanos()).unwrap_or(i64::MAX);
        let mut keys = Vec::new();
        for survey in self.survey(&self.chosen(&options.sources, false)?, Depth::Scan, &|_| ()) {
            let source = survey.source();
            let shelved = self.known(source);
            for task in Task::of(survey, self.retention(source, options.retention)) {
                let (key, stamp) = (task.key(), (task.candidate.file_size, task.candidate.file_mtime));
                let known = shelved.get(&task.candidate.id);
                let wanted = !shelved.is_deleted(&task)
                    && !known.is_some_and(|k| is_current(k, &task, rule))
                    && now.saturating_sub(stamp.1) >= quiet
                    && tried.get(&key) != Some(&stamp);
                if wanted {
                    tried.insert(key.clone(), stamp);
                    keys.push(key);
                }
            }
        }
        Ok(keys)
    }
}
