//! Who is using a world: any number of readers, or one who changes it.

use std::sync::atomic::{AtomicIsize, Ordering};

use crate::refusals::{Outcome, Refusal};
use crate::status::throng_status;

/// Nobody is using it.
const FREE: isize = 0;
/// Somebody is changing it. Any number above `FREE` is that of readers.
const CHANGING: isize = -1;
/// Somebody has panicked while changing it.
const BROKEN: isize = -2;

/// Lets in any number of readers or one writer, and nobody once a writer has panicked. Nobody waits.
pub(crate) struct Gate(AtomicIsize);

/// One more reader.
pub(crate) struct Reading<'g>(&'g Gate);

/// The only user.
pub(crate) struct Changing<'g>(&'g Gate);

impl Gate {
    pub(crate) fn new() -> Self {
        Self(AtomicIsize::new(FREE))
    }

    pub(crate) fn read(&self) -> Outcome<Reading<'_>> {
        let one_more = |users: isize| (users >= FREE).then(|| users + 1);
        match self
            .0
            .fetch_update(Ordering::Acquire, Ordering::Relaxed, one_more)
        {
            Ok(_) => Ok(Reading(self)),
            Err(users) => Err(refusal(users)),
        }
    }

    pub(crate) fn change(&self) -> Outcome<Changing<'_>> {
        match self
            .0
            .compare_exchange(FREE, CHANGING, Ordering::Acquire, Ordering::Relaxed)
        {
            Ok(_) => Ok(Changing(self)),
            Err(users) => Err(refusal(users)),
        }
    }

    /// Whether nobody is using it, or nobody can any more.
    pub(crate) fn is_idle(&self) -> bool {
        matches!(self.0.load(Ordering::Acquire), FREE | BROKEN)
    }
}

fn refusal(users: isize) -> Refusal {
    match users {
        BROKEN => Refusal::new(
            throng_status::Broken,
            "an earlier call has panicked while it changed the world; it can only be freed",
        ),
        CHANGING => Refusal::new(
            throng_status::Busy,
            "the world is being changed, by another thread or by the call that called back; wait until that has returned",
        ),
        readers => Refusal::new(
            throng_status::Busy,
            format!(
                "the world is being read by {readers} calls, on other threads or one that called back; change it when they \
                 have returned"
            ),
        ),
    }
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
        self.0.0.store(left, Ordering::Release);
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
        let gate = Gate::new();
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

    #[test]
    fn a_panic_closes_it_for_those_who_change_only() {
        let gate = Gate::new();
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
