//! Long work: that it can be cancelled, and the signs of life it gives.
//!
//! Deliberately absent: threads. Whoever calls the engine decides where its calls block.

use crate::dto::Progress;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// At most this often a sign of life is given.
const EVERY: Duration = Duration::from_millis(100);

/// A wish to stop; checked between conversations.
#[derive(Debug, Default)]
pub struct Cancel(AtomicBool);

impl Cancel {
    /// Wishes it.
    pub fn ask(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Takes the wish back, before new work begins.
    pub fn reset(&self) {
        self.0.store(false, Ordering::Relaxed);
    }

    /// Whether it was wished.
    pub fn asked(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Who hears the signs of life.
pub type Listener<'a> = &'a (dyn Fn(Progress) + Sync);

struct Part {
    done: u64,
    total: u64,
    bytes_done: u64,
    bytes_total: u64,
    began: Instant,
}

/// Counts work by source and tells of it, not too often.
pub struct Meter<'a> {
    listener: Listener<'a>,
    parts: Mutex<(BTreeMap<String, Part>, Option<Instant>)>,
}

impl<'a> Meter<'a> {
    /// A meter that tells `listener`.
    pub fn new(listener: Listener<'a>) -> Self {
        Self { listener, parts: Mutex::default() }
    }

    /// Work on `source` begins.
    pub fn begin(&self, source: &str, total: u64, bytes_total: u64) {
        let part = Part { done: 0, total, bytes_done: 0, bytes_total, began: Instant::now() };
        let mut parts = self.parts.lock().unwrap_or_else(PoisonError::into_inner);
        (self.listener)(working(source, &part));
        parts.0.insert(source.to_owned(), part);
    }

    /// One conversation of `source` is done.
    pub fn step(&self, source: &str, bytes: u64) {
        let mut parts = self.parts.lock().unwrap_or_else(PoisonError::into_inner);
        let due = parts.1.is_none_or(|told| told.elapsed() >= EVERY);
        let Some(part) = parts.0.get_mut(source) else { return };
        part.done += 1;
        part.bytes_done += bytes;
        if due || part.done == part.total {
            (self.listener)(working(source, part));
            parts.1 = Some(Instant::now());
        }
    }

    /// Tells something else, at once.
    pub fn tell(&self, progress: Progress) {
        (self.listener)(progress);
    }
}

fn working(source: &str, part: &Part) -> Progress {
    let seconds = part.began.elapsed().as_secs_f64();
    let rate = if seconds > 0.0 { (part.bytes_done as f64 / seconds) as u64 } else { 0 };
    let left = part.bytes_total.saturating_sub(part.bytes_done);
    Progress::Working {
        source: source.to_owned(),
        done: part.done,
        total: part.total,
        bytes_done: part.bytes_done,
        bytes_total: part.bytes_total,
        rate,
        // The first half second says nothing about the rest.
        seconds_left: (rate > 0 && seconds > 0.5).then(|| left / rate),
    }
}
