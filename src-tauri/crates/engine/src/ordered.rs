//! Work on a list side by side with bounded memory, and hand the results on in the list's order.
//!
//! Workers take items strictly in order and only while the bytes in flight stay within a budget; an item
//! larger than the budget runs alone. A result keeps its share of the budget until it was consumed, so a
//! slow consumer slows the workers instead of filling the memory. Because items are taken in order, the
//! one that the consumer waits for is always being worked on, and nothing can lock up.
//! Deliberately absent: what the work is.

use std::collections::BTreeMap;
use std::sync::mpsc::channel;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// How much may be under way.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Threads that work.
    pub threads: usize,
    /// Bytes of input and unconsumed results in flight.
    pub bytes: u64,
}

impl Default for Limits {
    /// All cores and 96 MB.
    fn default() -> Self {
        Self { threads: std::thread::available_parallelism().map_or(2, usize::from), bytes: 96 << 20 }
    }
}

struct Gate {
    next: usize,
    in_flight: u64,
}

/// Bytes that one item holds of the budget; given back when dropped.
struct Share<'a> {
    gate: &'a (Mutex<Gate>, Condvar),
    bytes: u64,
}

impl Share<'_> {
    fn shrink(&mut self, to: u64) {
        let less = self.bytes.saturating_sub(to);
        self.bytes -= less;
        lock(&self.gate.0).in_flight -= less;
        self.gate.1.notify_all();
    }
}

impl Drop for Share<'_> {
    fn drop(&mut self) {
        self.shrink(0);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs `work` over `items`. `weigh` says how many bytes an item takes while it is worked on; `work`
/// returns its result and how many bytes that holds until it is consumed. `consume` is called on this
/// thread, in the order of the items. When `stopped` says so, no further item is begun; those that were
/// begun are finished and consumed.
pub fn map<I: Sync, T: Send>(
    items: &[I],
    limits: Limits,
    stopped: &(impl Fn() -> bool + Sync),
    weigh: &(impl Fn(&I) -> u64 + Sync),
    work: &(impl Fn(&I) -> (T, u64) + Sync),
    consume: &mut impl FnMut(&I, T),
) {
    let gate = (Mutex::new(Gate { next: 0, in_flight: 0 }), Condvar::new());
    let (sender, receiver) = channel();
    std::thread::scope(|scope| {
        for _ in 0..limits.threads.clamp(1, items.len().max(1)) {
            let (sender, gate) = (sender.clone(), &gate);
            scope.spawn(move || {
                while let Some((index, item, mut share)) = take(items, limits, stopped, weigh, gate) {
                    let (result, held) = work(item);
                    share.shrink(held);
                    if sender.send((index, result, share)).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        let mut waiting = BTreeMap::new();
        let mut next = 0;
        for (index, result, share) in receiver {
            waiting.insert(index, (result, share));
            while let Some((result, share)) = waiting.remove(&next) {
                consume(&items[next], result);
                drop(share);
                next += 1;
            }
        }
    });
}

fn take<'a, I>(
    items: &'a [I],
    limits: Limits,
    stopped: &impl Fn() -> bool,
    weigh: &impl Fn(&I) -> u64,
    gate: &'a (Mutex<Gate>, Condvar),
) -> Option<(usize, &'a I, Share<'a>)> {
    let mut state = lock(&gate.0);
    loop {
        let index = state.next;
        let item = items.get(index)?;
        if stopped() {
            return None;
        }
        let bytes = weigh(item);
        if state.in_flight == 0 || state.in_flight + bytes <= limits.bytes {
            state.next += 1;
            state.in_flight += bytes;
            return Some((index, item, Share { gate, bytes }));
        }
        state = gate.1.wait(state).unwrap_or_else(PoisonError::into_inner);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU64, Ordering};

    #[test]
    fn results_come_in_order_and_the_budget_holds() {
        let items: Vec<u64> = (0..500).map(|i| (i * 7919) % 90 + 1).collect();
        let (now, most) = (AtomicU64::new(0), AtomicU64::new(0));
        let mut seen = Vec::new();
        map(
            &items,
            Limits { threads: 4, bytes: 100 },
            &|| false,
            &|bytes| *bytes,
            &|bytes| {
                let held = now.fetch_add(*bytes, Ordering::SeqCst) + bytes;
                most.fetch_max(held, Ordering::SeqCst);
                std::thread::yield_now();
                now.fetch_sub(*bytes, Ordering::SeqCst);
                (*bytes, 0)
            },
            &mut |item, result| {
                assert_eq!(*item, result);
                seen.push(result);
            },
        );
        assert_eq!(seen, items);
        assert!(most.load(Ordering::SeqCst) <= 100);
    }

    #[test]
    fn one_larger_than_the_budget_runs_and_a_stop_leaves_a_prefix() {
        let items = [1000u64, 1, 1000, 1];
        let mut seen = 0;
        map(&items, Limits { threads: 3, bytes: 10 }, &|| false, &|b| *b, &|b| ((), *b), &mut |_, ()| seen += 1);
        assert_eq!(seen, 4);
        let done = AtomicU64::new(0);
        let mut seen = Vec::new();
        map(
            &[0u32, 1, 2, 3, 4, 5],
            Limits { threads: 2, bytes: 10 },
            &|| done.load(Ordering::SeqCst) >= 3,
            &|_| 1,
            &|i| {
                done.fetch_add(1, Ordering::SeqCst);
                (*i, 0)
            },
            &mut |_, i| seen.push(i),
        );
        assert!(seen.len() >= 3 && seen.len() < 6 && seen.is_sorted());
    }
}
