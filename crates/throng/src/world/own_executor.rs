//! Where a world does its work, if a call names no executor.

use std::ops::Deref;
use std::sync::Arc;

use throng_core::{Executor, Serial, default_executor};

use crate::broadphase::Broadphase;
use crate::frame::short_steps::ShortSteps;

/// The executor that a world was given.
#[derive(Default)]
pub(crate) struct OwnExecutor(Option<Arc<dyn Executor + Send>>);

impl Clone for OwnExecutor {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }

    /// Who does a world's work stays when another world is copied into it.
    fn clone_from(&mut self, _source: &Self) {}
}

/// An executor that is borrowed from nobody, so that it may run what changes the world.
pub(crate) enum ChosenExecutor {
    /// One that is there for all worlds.
    Shared(&'static dyn Executor),
    Own(Arc<dyn Executor + Send>),
}

impl Deref for ChosenExecutor {
    type Target = dyn Executor;

    fn deref(&self) -> &Self::Target {
        match self {
            Self::Shared(shared) => *shared,
            Self::Own(own) => &**own,
        }
    }
}

impl Broadphase {
    /// Chooses who does the work of all calls that name no executor, from now on. With `None`, as in the beginning, that is the rayon
    /// pool that the caller is in, or else the calling thread with the help of the global pool; without the `parallel` feature, the
    /// calling thread.
    ///
    /// No result depends on it. A step, or another call that takes about as long, still runs on the calling thread alone if it is too
    /// short for [threads that sleep](Executor::threads_sleep) to be worth waking. A clone has the executor of its source;
    /// `clone_from` leaves each world the one that it has.
    ///
    /// ```
    /// # use throng::{Broadphase, BroadphaseConfig, CategoryConfig, Serial};
    /// # let mut world = Broadphase::new(BroadphaseConfig::new().category(CategoryConfig::uniform("units", 1.0)))?;
    /// use std::sync::Arc;
    ///
    /// // A pool of the world's own, of two threads.
    /// # #[cfg(feature = "parallel")] {
    /// let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build()?;
    /// world.set_executor(Some(Arc::new(pool)));
    /// assert_eq!(world.executor().threads(), 2);
    /// # }
    ///
    /// // The thread that calls.
    /// world.set_executor(Some(Arc::new(Serial)));
    /// assert_eq!(world.executor().threads(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_executor(&mut self, executor: Option<Arc<dyn Executor + Send>>) {
        self.executor = OwnExecutor(executor);
        self.short_steps = ShortSteps::default();
    }

    /// The executor of calls that name none.
    #[must_use]
    pub fn executor(&self) -> &dyn Executor {
        match &self.executor.0 {
            Some(own) => &**own,
            None => default_executor(),
        }
    }

    /// The same, for calls that change the world.
    pub(crate) fn chosen_executor(&self) -> ChosenExecutor {
        match &self.executor.0 {
            Some(own) => ChosenExecutor::Own(Arc::clone(own)),
            None => ChosenExecutor::Shared(default_executor()),
        }
    }

    /// The same, for calls that take about as long as a step: the calling thread, if that is short and others would have to be woken.
    pub(crate) fn step_executor(&self) -> ChosenExecutor {
        self.executor_if(self.short_steps.is_short(self.len()))
    }

    /// The same, for the next step.
    pub(crate) fn next_step_executor(&self) -> ChosenExecutor {
        self.executor_if(self.short_steps.is_next_short(self.len()))
    }

    fn executor_if(&self, is_short: bool) -> ChosenExecutor {
        if is_short && self.executor().threads_sleep() {
            ChosenExecutor::Shared(&Serial)
        } else {
            self.chosen_executor()
        }
    }
}
