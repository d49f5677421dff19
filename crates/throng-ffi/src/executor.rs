//! Who runs the tasks of a world: threads of its own, or the job system of an engine.

use std::any::Any;
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Mutex};

use throng::{Executor, Serial};

use crate::growing::{Growing, first_size, grown};
use crate::pointers::callback;
use crate::refusals::{Outcome, Refusal};
use crate::status::throng_status;
use crate::world::{change, throng_world};

/// The most threads that a world may be given.
const MOST_THREADS: usize = 4096;

/// One of a list of tasks, to be called with each number below their count. It may be called from any thread.
pub type throng_task = Option<unsafe extern "C" fn(context: *mut c_void, index: usize)>;

/// Calls `task(context, i)` once for each `i` below `count`, from any threads and in any order, and returns when all calls have
/// returned. `count` is 2 or more, unless there is only one thread.
///
/// It is called while another call of it runs, if several threads ask something at once, and from inside a task, if a test or a shape of
/// the engine's own asks a batch of queries. So the thread that calls should work on its list as well, or others may wait for each other.
pub type throng_run_all = Option<
    unsafe extern "C" fn(user: *mut c_void, count: usize, task: throng_task, context: *mut c_void),
>;

/// The job system of an engine.
///
/// A list of tasks often reads what the list before wrote, and the same part of each list the same memory: give each thread
/// the same share of every list, and let those that are done help others from the end of theirs. A task that is repeated or
/// forgotten does no harm. One that is called, or still runs, after `run_all` has returned does.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct throng_executor {
    /// `sizeof(throng_executor)`.
    pub struct_size: usize,
    /// How many tasks may run at once, from 1 to 4096. No result depends on it.
    pub threads: usize,
    /// Runs a list of tasks.
    pub run_all: throng_run_all,
    /// What `run_all` is called with first.
    pub user: *mut c_void,
    /// Whether idle threads wait without falling asleep, so that they help at once. If not, a step that was found to be faster on the
    /// thread that calls runs there, except for a trial now and then.
    pub threads_spin: bool,
}

// SAFETY: numbers and pointers, of which the first is the size.
unsafe impl Growing for throng_executor {
    const FIRST_SIZE: usize = first_size!(user: *mut c_void);
    const NAME: &'static str = "executor";
}

/// Runs tasks through the callback of a C program.
struct Jobs {
    threads: usize,
    run_all: unsafe extern "C" fn(*mut c_void, usize, throng_task, *mut c_void),
    user: *mut c_void,
    threads_spin: bool,
}

// SAFETY: `user` is only passed on; `throng_use_executor` says that this may be from any thread.
unsafe impl Send for Jobs {}
// SAFETY: as above.
unsafe impl Sync for Jobs {}

/// A list of tasks, while it runs.
struct List<'t> {
    task: &'t (dyn Fn(usize) + Sync),
    /// What the first task to panic has panicked with.
    panic: Mutex<Option<Box<dyn Any + Send>>>,
}

impl Executor for Jobs {
    fn threads(&self) -> usize {
        self.threads
    }

    fn threads_sleep(&self) -> bool {
        !self.threads_spin
    }

    fn run(&self, tasks: usize, task: &(dyn Fn(usize) + Sync)) {
        let list = List {
            task,
            panic: Mutex::new(None),
        };
        let context = (&raw const list).cast_mut().cast::<c_void>();
        // SAFETY: it calls `run_task` with this context only until it returns, as `throng_executor` says.
        unsafe { (self.run_all)(self.user, tasks, Some(run_task), context) };
        let panic = list.panic.into_inner().unwrap_or_default();
        if let Some(panic) = panic {
            resume_unwind(panic);
        }
    }
}

/// Runs a task on a thread of the C program, where no panic may end up.
unsafe extern "C" fn run_task(context: *mut c_void, index: usize) {
    // SAFETY: it is the list that `run` has passed on, and `run` has not returned.
    let list = unsafe { &*context.cast_const().cast::<List<'_>>() };
    let outcome = catch_unwind(AssertUnwindSafe(|| (list.task)(index)));
    if let (Err(panic), Ok(mut first)) = (outcome, list.panic.lock()) {
        first.get_or_insert(panic);
    }
}

/// Has the tasks of a world run by the job system of an engine, from now on. The struct is copied; what `user` points to has to
/// last as long as the world does, and to bear being used from each thread that asks something of the world.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_use_executor(
    world: *mut throng_world,
    executor: *const throng_executor,
) -> throng_status {
    // SAFETY: pointers are as the front page asks.
    unsafe {
        change(world, |world| {
            let executor = grown(executor)?;
            check_threads(executor.threads, 1)?;
            let run_all = callback(executor.run_all, "run_all")?;
            world.broadphase.set_executor(Some(Arc::new(Jobs {
                threads: executor.threads,
                run_all,
                user: executor.user,
                threads_spin: executor.threads_spin,
            })));
            Ok(())
        })
    }
}

/// Gives a world so many threads of its own, from now on. 1: everything runs on the thread that calls. 0: as in the beginning,
/// there is a thread for each processor, which all worlds share. Either way, steps that are faster on the thread that calls stay there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_use_threads(
    world: *mut throng_world,
    threads: usize,
) -> throng_status {
    // SAFETY: the pointer is as the front page asks.
    unsafe {
        change(world, |world| {
            check_threads(threads, 0)?;
            let executor: Option<Arc<dyn Executor + Send>> = match threads {
                0 => None,
                1 => Some(Arc::new(Serial)),
                _ => {
                    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
                    let pool = pool.build().map_err(|error| {
                        Refusal::new(throng_status::OutOfMemory, error.to_string())
                    })?;
                    Some(Arc::new(pool))
                }
            };
            world.broadphase.set_executor(executor);
            Ok(())
        })
    }
}

fn check_threads(threads: usize, least: usize) -> Outcome {
    if (least..=MOST_THREADS).contains(&threads) {
        return Ok(());
    }
    let message =
        format!("{threads} threads were given, and there must be from {least} to {MOST_THREADS}");
    Err(Refusal::new(throng_status::BadValue, message))
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    struct Pointer(*mut c_void);

    // SAFETY: it points to a list of tasks, which may be shared.
    unsafe impl Sync for Pointer {}

    /// Runs all tasks on another thread, as a program in C would.
    unsafe extern "C" fn elsewhere(
        _: *mut c_void,
        count: usize,
        task: throng_task,
        context: *mut c_void,
    ) {
        let (task, context) = (task.unwrap(), &Pointer(context));
        std::thread::scope(|scope| {
            scope.spawn(move || {
                // SAFETY: `run` waits for this function.
                (0..count).for_each(|index| unsafe { task(context.0, index) });
            });
        });
    }

    #[test]
    fn a_panic_on_a_thread_of_c_reaches_who_waits() {
        let jobs = Jobs {
            threads: 1,
            run_all: elsewhere,
            user: std::ptr::null_mut(),
            threads_spin: false,
        };
        let runs = AtomicUsize::new(0);
        let run = || {
            jobs.run(10, &|index| {
                runs.fetch_add(1, Ordering::Relaxed);
                assert_ne!(index, 3, "meant to panic");
            });
        };
        assert!(catch_unwind(AssertUnwindSafe(run)).is_err());
        assert_eq!(runs.into_inner(), 10, "and the others have run");
    }
}
