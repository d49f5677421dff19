//! Who is using a world: any number of readers, or one who changes it.
//!
//! Readers are counted in several places, each in a cache line of its own, and a thread always counts in the same one. With one
//! place for all, two threads that did nothing but begin and end reading took half as long again, and more threads wait for each
//! other's cache line longer. Whoever changes something says so first and then looks for readers, and a reader counts itself first and then looks whether somebody changes
//! something: at least one of the two sees the other.

use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};

use crate::refusals::{Outcome, Refusal};
use crate::status::throng_status;

/// Nobody is changing it.
const FREE: u8 = 0;
/// Somebody is changing it.
const CHANGING: u8 = 1;
/// Somebody has panicked while changing it.
const BROKEN: u8 = 2;

/// In how many places readers are counted.
const PLACES: usize = 8;

/// Lets in any number of readers or one writer, and nobody once a writer has panicked. Nobody waits.
#[derive(Default)]
pub(crate) struct Gate {
    state: AtomicU8,
    readers: [Place; PLACES],
}

/// How many readers there are, of those who count here. Apart from others by two cache lines, which are fetched together.
#[derive(Default)]
#[repr(align(128))]
struct Place(AtomicUsize);

/// One more reader.
pub(crate) struct Reading<'g>(&'g Place);

/// The only user.
pub(crate) struct Changing<'g>(&'g Gate);

impl Gate {
    pub(crate) fn read(&self) -> Outcome<Reading<'_>> {
        let place = &self.readers[own_place()];
        place.0.fetch_add(1, Ordering::SeqCst);
        let reading = Reading(place);
        match self.state.load(Ordering::SeqCst) {
            FREE => Ok(reading),
            state => Err(refusal(state)),
        }
    }

    pub(crate) fn change(&self) -> Outcome<Changing<'_>> {
        let begun =
            self.state
                .compare_exchange(FREE, CHANGING, Ordering::SeqCst, Ordering::Relaxed);
        begun.map_err(refusal)?;
        if self.has_readers() {
            self.state.store(FREE, Ordering::Release);
            return Err(Refusal::new(
                throng_status::Busy,
                "the world is being read, by other threads or by a call that called back; change it when they have returned",
            ));
        }
        Ok(Changing(self))
    }

    /// Whether nobody is using it, or nobody can any more.
    pub(crate) fn is_idle(&self) -> bool {
        self.state.load(Ordering::SeqCst) != CHANGING && !self.has_readers()
    }

    fn has_readers(&self) -> bool {
        let mut places = self.readers.iter();
        places.any(|place| place.0.load(Ordering::SeqCst) != 0)
    }
}

/// Where this thread counts: threads take turns in the order in which they first ask.
fn own_place() -> usize {
    static THREADS: AtomicUsize = AtomicUsize::new(0);
    thread_local! {
        static PLACE: usize = THREADS.fetch_add(1, Ordering::Relaxed) % PLACES;
    }
    PLACE.try_with(|place| *place).unwrap_or(0)
}

fn refusal(state: u8) -> Refusal {
    if state == BROKEN {
        return Refusal::new(
            throng_status::Broken,
            "an earlier call has panicked while it changed the world; it can only be freed",
        );
    }
    Refusal::new(
        throng_status::Busy,
        "the world is being changed, by another thread or by the call that called back; wait until that has returned",
    )
}

impl Drop for Reading<'_> {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Ordering::Release);
    }
}

impl Drop for Changing<'_> {
    fn drop(&mut self) {
        let left = if std::thread::panicking() {
            BROKEN
        } else {
            FREE
        };
        self.0.state.store(left, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;

    fn status<T>(outcome: Outcome<T>) -> throng_status {
        outcome
            .err()
            .map_or(throng_status::Ok, |refusal| refusal.status)
    }

    #[test]
    fn many_may_read_and_one_may_change() {
        let gate = Gate::default();
        let readers = (gate.read().unwrap(), gate.read().unwrap());
        assert_eq!(status(gate.change()), throng_status::Busy);
        drop(readers.0);
        assert!(!gate.is_idle());
        assert_eq!(status(gate.change()), throng_status::Busy);
        drop(readers.1);
        let changing = gate.change().unwrap();
        assert_eq!(status(gate.read()), throng_status::Busy);
        assert_eq!(status(gate.change()), throng_status::Busy);
        drop(changing);
        assert!(gate.is_idle());
        assert_eq!(status(gate.read()), throng_status::Ok);
    }

    /// One of those who change it and those who read it sees the other.
    #[test]
    fn nobody_reads_while_somebody_changes() {
        const ROUNDS: usize = 20_000;
        let (gate, inside) = (Gate::default(), AtomicUsize::new(0));
        let (changes, reads) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let change = || {
            for _ in 0..ROUNDS {
                if let Ok(_changing) = gate.change() {
                    inside.fetch_add(1 << 32, Ordering::Relaxed);
                    assert_eq!(inside.load(Ordering::Relaxed), 1 << 32);
                    inside.fetch_sub(1 << 32, Ordering::Relaxed);
                    changes.fetch_add(1, Ordering::Relaxed);
                }
                std::thread::yield_now();
            }
        };
        let read = || {
            for _ in 0..ROUNDS {
                if let Ok(_reading) = gate.read() {
                    assert!(inside.fetch_add(1, Ordering::Relaxed) < 1 << 32);
                    inside.fetch_sub(1, Ordering::Relaxed);
                    reads.fetch_add(1, Ordering::Relaxed);
                }
            }
        };
        std::thread::scope(|scope| {
            scope.spawn(change);
            scope.spawn(change);
            scope.spawn(read);
            scope.spawn(read);
        });
        assert!(changes.into_inner() > 0 && reads.into_inner() > 0);
    }

    #[test]
    fn a_panic_closes_it_for_those_who_change_only() {
        let gate = Gate::default();
        let read = || {
            let _reading = gate.read();
            panic!("meant to panic");
        };
        assert!(catch_unwind(AssertUnwindSafe(read)).is_err());
        assert_eq!(status(gate.change()), throng_status::Ok);
        let change = || {
            let _changing = gate.change();
            panic!("meant to panic");
        };
        assert!(catch_unwind(AssertUnwindSafe(change)).is_err());
        assert_eq!(status(gate.read()), throng_status::Broken);
        assert_eq!(status(gate.change()), throng_status::Broken);
        assert!(gate.is_idle());
    }
}
