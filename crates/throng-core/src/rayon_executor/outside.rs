//! Lists of a caller who is in no pool: it does its share of the tasks on its own thread, and workers of the global pool help.
//!
//! A caller who entered the pool instead would fall asleep until the frame was done: its processor, where the data are in the cache,
//! would go idle, and all workers would have to be woken, often two of them on one processor (figures in `docs/architecture.md`).
//!
//! A helper is a job in the pool that does tasks of a list, and then waits for the next one, for longer than is between two lists of a
//! frame; after a few lists it leaves and has to be sent for again, so that whatever else is to be done in the pool gets its turn.
//!
//! A list is lent to helpers through a lock: they have it for reading while they run tasks, and the caller takes it back for writing
//! when nothing is left to claim. So the list is back before `run` returns, however it does. Helpers never wait for the lock. A task may
//! wait for jobs of its own, and what it or one of these runs meanwhile may be another helper: if that one waited for the lock, it
//! would wait for the caller, who waits for the task.
#![allow(
    unsafe_code,
    reason = "jobs of a pool outlive the list that they are lent, as far as the compiler knows"
)]

use std::any::Any;
use std::cell::Cell;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::{Mutex, RwLock};

use super::list::TaskList;
use super::wait::Patience;

thread_local! {
    /// The team of this thread's lists. Empty while a list runs, so that a list that one of its tasks starts has another team.
    static TEAM: Cell<Option<Arc<Team>>> = const { Cell::new(None) };
    /// Whether this thread, which is one of the pool's, runs tasks as a helper.
    static HELPS: Cell<bool> = const { Cell::new(false) };
}

/// After so many lists a helper leaves: those of a step, more or less.
const LISTS_EACH: usize = 4;

/// A caller and its helpers.
#[derive(Default)]
struct Team {
    /// The list that is lent, if one is.
    lent: RwLock<Option<&'static TaskList<'static>>>,
    /// How many lists there have been.
    lists: AtomicUsize,
    /// How many helpers there are, or will be once workers are awake.
    helpers: AtomicUsize,
    /// What a task that a helper ran has panicked with.
    panic: Mutex<Option<Box<dyn Any + Send>>>,
}

/// Runs a list on the calling thread and up to `helpers` helpers.
pub(super) fn run(list: &TaskList<'_>, helpers: usize) {
    // There is none any more where a thread is about to end.
    let team = TEAM.try_with(Cell::take).ok().flatten().unwrap_or_default();
    let loan = Loan::new(&team, list);
    let there = team.helpers.load(Ordering::SeqCst);
    if there < helpers {
        team.helpers.fetch_add(helpers - there, Ordering::SeqCst);
        send(&team, there + 1..helpers + 1);
    }
    list.work_as(0, |task| task());
    drop(loan);
    let panic = team.panic.lock().take();
    let _kept = TEAM.try_with(|kept| kept.set(Some(team)));
    if let Some(panic) = panic {
        resume_unwind(panic);
    }
}

/// Sends a helper for each of these numbers of workers. To wake a worker takes microseconds, so each wakes others before it helps.
fn send(team: &Arc<Team>, mut places: Range<usize>) {
    let team = Arc::clone(team);
    rayon::spawn(move || {
        while places.len() > 1 {
            let middle = places.start + places.len() / 2;
            send(&team, middle..places.end);
            places.end = middle;
        }
        team.help(places.start);
    });
}

/// A list that is lent until this is dropped.
struct Loan<'t>(&'t Team);

impl<'t> Loan<'t> {
    fn new(team: &'t Team, list: &'t TaskList<'_>) -> Self {
        // SAFETY: helpers use the list only while they hold the lock for reading. Only this puts a list there, and dropping the loan
        // takes it out under the lock for writing, at the end of `run` or while it unwinds: before the list itself is dropped.
        let lent =
            unsafe { std::mem::transmute::<&TaskList<'_>, &'static TaskList<'static>>(list) };
        *team.lent.write() = Some(lent);
        team.lists.fetch_add(1, Ordering::SeqCst);
        Self(team)
    }
}

impl Drop for Loan<'_> {
    /// Takes the list back, when helpers are done with the tasks that they are in the middle of.
    fn drop(&mut self) {
        let mut patience = Patience::default();
        loop {
            if let Some(mut lent) = self.0.lent.try_write() {
                *lent = None;
                return;
            }
            if !patience.wait() {
                *self.0.lent.write() = None;
                return;
            }
        }
    }
}

impl Team {
    /// Does tasks of some lists as worker `place`, unless no list comes for a while.
    ///
    /// The caller must not count on a helper who is about to leave. So one does not count any more from its last list on; and if it
    /// leaves because none has come, it looks once more when it does not count, which is why orders are sequential.
    fn help(&self, place: usize) {
        if HELPS.replace(true) {
            self.helpers.fetch_sub(1, Ordering::SeqCst);
            return;
        }
        let (mut seen, mut left) = (0, LISTS_EACH);
        let mut patience = Patience::default();
        while left > 0 {
            let mut lists = self.lists.load(Ordering::SeqCst);
            if lists == seen {
                if patience.wait() {
                    continue;
                }
                left = 1;
            }
            left -= 1;
            if left == 0 {
                self.helpers.fetch_sub(1, Ordering::SeqCst);
                lists = self.lists.load(Ordering::SeqCst);
            }
            if lists != seen {
                (seen, patience) = (lists, Patience::default());
                self.help_with_list(place);
            }
        }
        HELPS.set(false);
    }

    fn help_with_list(&self, place: usize) {
        // If the caller has the lock, or waits for it, nothing is left to claim.
        let Some(lent) = self.lent.try_read() else {
            return;
        };
        let Some(list) = *lent else {
            return;
        };
        // A panic here would end the program.
        let tasks = AssertUnwindSafe(|| list.work_as(place, |task| task()));
        if let Err(panic) = catch_unwind(tasks) {
            let mut first = self.panic.lock();
            if first.is_none() {
                *first = Some(panic);
            } else {
                // To drop it might panic as well.
                std::mem::forget(panic);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;
    use std::time::{Duration, Instant};

    use super::*;
    use crate::executor::Executor;
    use crate::executor::tests::assert_each_runs_once;
    use crate::rayon_executor::{Rayon, Unfinished};

    /// These tests share the global pool, and some wait for helpers, which are not sure to come while others need them.
    static ALONE: Mutex<()> = Mutex::new(());

    fn many_lists() {
        assert!(rayon::current_thread_index().is_none());
        for _ in 0..20 {
            assert_each_runs_once(&Rayon);
        }
    }

    /// Tasks that wait until so many are at work, but not for ever.
    struct Meeting {
        at_work: AtomicUsize,
        wanted: usize,
        started: Instant,
    }

    impl Meeting {
        fn of(wanted: usize) -> Self {
            Self {
                at_work: AtomicUsize::new(0),
                wanted,
                started: Instant::now(),
            }
        }

        fn join(&self) {
            self.at_work.fetch_add(1, Ordering::Relaxed);
            while self.at_work.load(Ordering::Relaxed) < self.wanted && !self.is_late() {
                thread::yield_now();
            }
        }

        fn is_late(&self) -> bool {
            self.started.elapsed().as_secs() >= 20
        }
    }

    /// Tests run on threads of no pool.
    #[test]
    fn each_runs_once() {
        let _alone = ALONE.lock();
        many_lists();
    }

    #[test]
    fn callers_on_several_threads_do_not_mind_each_other() {
        let _alone = ALONE.lock();
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(many_lists);
            }
        });
    }

    #[test]
    fn helpers_come_and_leave_again() {
        let _alone = ALONE.lock();
        let workers = rayon::current_num_threads().min(4);
        let all_at_work = || {
            let meeting = Meeting::of(workers);
            Rayon.run(workers, &|_| meeting.join());
            !meeting.is_late()
        };
        if rayon::current_num_threads() == 1 {
            println!("skipped: there is only one worker");
            return;
        }
        for _ in 0..10 {
            assert!(all_at_work(), "somebody did not help");
            let team = TEAM.take().expect("it is kept");
            let waits = Instant::now();
            assert!(team.helpers.load(Ordering::Relaxed) < rayon::current_num_threads());
            while team.helpers.load(Ordering::Relaxed) > 0 {
                assert!(waits.elapsed().as_secs() < 20, "a helper stays for ever");
                thread::sleep(Duration::from_millis(1));
            }
            assert!(team.lent.read().is_none());
            TEAM.set(Some(team));
        }
    }

    /// A list stays lent, and its caller waits, for as long as a helper's task takes.
    #[test]
    fn a_helper_may_take_longer_than_anybody_has_patience() {
        let _alone = ALONE.lock();
        let workers = rayon::current_num_threads().min(2);
        for _ in 0..5 {
            let (meeting, done) = (Meeting::of(workers), AtomicUsize::new(0));
            Rayon.run(2, &|_| {
                meeting.join();
                if rayon::current_thread_index().is_some() {
                    thread::sleep(Duration::from_millis(30));
                }
                done.fetch_add(1, Ordering::Relaxed);
            });
            assert_eq!(
                done.into_inner(),
                2,
                "the list was taken back from a helper"
            );
        }
    }

    /// A helper's task waits for a job of its own, and finds another helper's to run meanwhile, while the caller waits for the lock; or
    /// the job that it waits for is on another thread, and finds one.
    #[test]
    fn a_helper_inside_of_a_helpers_task_waits_for_nobody() {
        let _alone = ALONE.lock();
        for is_on_its_thread in [true, false] {
            let team = Arc::new(Team::default());
            let list = TaskList::new(1, 1, &|_| {}).expect("one task");
            let (loan, left) = (Loan::new(&team, &list), AtomicUsize::new(0));
            HELPS.set(is_on_its_thread);
            let reads = team.lent.read();
            thread::scope(|scope| {
                scope.spawn(|| {
                    drop(loan);
                    left.fetch_add(1, Ordering::Relaxed);
                });
                thread::sleep(Duration::from_millis(30));
                team.helpers.fetch_add(1, Ordering::Relaxed);
                team.help(1);
                assert_eq!(left.load(Ordering::Relaxed), 0, "the list is still lent");
                assert_eq!(HELPS.replace(false), is_on_its_thread);
                drop(reads);
            });
            assert_eq!(
                [team.helpers.load(Ordering::Relaxed), left.into_inner()],
                [0, 1]
            );
            assert!(team.lent.read().is_none());
        }
    }

    #[test]
    fn a_list_runs_where_a_thread_is_about_to_end() {
        let _alone = ALONE.lock();
        struct RunsAtTheEnd(Cell<usize>);
        impl Drop for RunsAtTheEnd {
            fn drop(&mut self) {
                if self.0.get() > 0 {
                    assert_each_runs_once(&Rayon);
                    ENDED.fetch_add(1, Ordering::Relaxed);
                }
            }
        }
        static ENDED: AtomicUsize = AtomicUsize::new(0);
        thread_local! {
            static AT_THE_END: RunsAtTheEnd = const { RunsAtTheEnd(Cell::new(0)) };
        }
        for first in [true, false] {
            let thread = thread::spawn(move || {
                if first {
                    AT_THE_END.with(|at_the_end| at_the_end.0.set(1));
                }
                assert_each_runs_once(&Rayon);
                AT_THE_END.with(|at_the_end| at_the_end.0.set(1));
            });
            thread.join().unwrap();
        }
        assert_eq!(ENDED.load(Ordering::Relaxed), 2);
    }

    /// Callers who leave no pause keep nobody from the pool.
    #[test]
    fn others_get_their_turn() {
        let _alone = ALONE.lock();
        let (stop, started) = (AtomicUsize::new(0), Instant::now());
        thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    while stop.load(Ordering::Relaxed) == 0 && started.elapsed().as_secs() < 20 {
                        Rayon.run(16, &|_| {
                            std::hint::black_box((0..1000).sum::<usize>());
                        });
                    }
                });
            }
            for _ in 0..20 {
                rayon::join(|| {}, || {});
            }
            stop.store(1, Ordering::Relaxed);
        });
        assert!(started.elapsed().as_secs() < 20, "they had to wait");
    }

    #[test]
    fn a_panic_of_a_helper_reaches_the_caller() {
        let _alone = ALONE.lock();
        let workers = rayon::current_num_threads().min(2);
        for _ in 0..10 {
            let meeting = Meeting::of(workers);
            let outcome = catch_unwind(AssertUnwindSafe(|| {
                Rayon.run(2, &|_| {
                    meeting.join();
                    assert!(rayon::current_thread_index().is_none(), "meant to panic");
                });
            }));
            assert_eq!(outcome.is_err(), workers > 1);
        }
    }

    /// No matter who runs the task that panics. Tasks use what is on the caller's stack, so none may still run then.
    #[test]
    fn a_panic_reaches_the_caller_when_all_tasks_are_done() {
        let _alone = ALONE.lock();
        for panics in 0..64 {
            let running = Unfinished(AtomicUsize::new(0));
            let outcome = catch_unwind(AssertUnwindSafe(|| {
                Rayon.run(64, &|i| {
                    running.0.fetch_add(1, Ordering::Relaxed);
                    running.one_less_after(|| assert_ne!(i, panics, "meant to panic"));
                });
            }));
            let panic = outcome.expect_err("a task has panicked");
            let message = panic.downcast_ref::<String>().expect("a text");
            assert!(message.contains("meant to panic"), "{message}");
            assert_eq!(running.0.into_inner(), 0, "one still runs");
            assert_each_runs_once(&Rayon);
        }
    }

    #[test]
    fn tasks_may_run_lists_and_join() {
        let _alone = ALONE.lock();
        let runs = AtomicUsize::new(0);
        let count = |by: usize| {
            runs.fetch_add(by, Ordering::Relaxed);
        };
        for _ in 0..20 {
            Rayon.run(7, &|_| {
                rayon::join(|| count(1), || Rayon.run(5, &|_| count(1)));
                Rayon.run(3, &|_| count(1));
            });
        }
        assert_eq!(runs.into_inner(), 20 * 7 * 9);
    }
}
