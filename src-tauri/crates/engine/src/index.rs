//! The text index, brought up to date after imports: the one job that runs beside other work. It gives way
//! to whatever else begins, and holds the library only as long as one commit takes.
//!
//! Deliberately absent: what a word is, and the commits themselves; those are the library's.

use crate::dto::{Fault, Progress};
use crate::engine::{Engine, fault};
use crate::job::{Cancel, Listener, Meter};
use assay_library::Library;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Under which name progress tells of it, in the place of a source.
const NAME: &str = "index";

/// Whether it runs, and who wants it to stop.
#[derive(Debug, Default)]
pub(crate) struct Indexing {
    running: Mutex<()>,
    /// How much other work runs.
    give_way: AtomicUsize,
    /// A person stopped it.
    pub(crate) cancel: Cancel,
}

impl Indexing {
    /// Stops it and keeps it from beginning until as many [`Indexing::may_run`]. Returns when it has committed.
    pub(crate) fn give_way(&self) {
        self.give_way.fetch_add(1, Ordering::Relaxed);
        drop(self.running.lock().unwrap_or_else(PoisonError::into_inner));
    }

    pub(crate) fn may_run(&self) {
        self.give_way.fetch_sub(1, Ordering::Relaxed);
    }

    fn must_stop(&self) -> bool {
        self.give_way.load(Ordering::Relaxed) > 0 || self.cancel.asked()
    }
}

impl Engine {
    /// Indexes what imports left to be indexed, as long as nothing else wants to work; what is done stays.
    /// Returns how many messages are not indexed yet.
    ///
    /// # Errors
    /// If the index cannot be written, for example because another process has the library.
    pub fn index(&self, listener: Listener<'_>) -> Result<u64, Fault> {
        let indexing = &self.indexing;
        let _running = indexing.running.try_lock().map_err(|_| fault("busy", ""))?;
        indexing.cancel.reset();
        // Nothing to do needs no writer, and no library that could be made by opening it.
        let Some(reader) = self.look_inside()? else { return Ok(0) };
        let messages = reader.unindexed()?;
        if messages == 0 {
            return Ok(0);
        }
        let meter = Meter::new(listener);
        meter.begin(NAME, messages, reader.unindexed_bytes()?);
        let mut go_on = |bytes| {
            meter.step(NAME, bytes);
            !indexing.must_stop()
        };
        while !indexing.must_stop() && Library::open(&self.options.library)?.index(&mut go_on)? {}
        meter.tell(Progress::Finished { cancelled: indexing.must_stop() });
        Ok(reader.unindexed()?)
    }
}
