//! Where a world gets the time.

use std::time::{Duration, Instant};

use crate::broadphase::Broadphase;

/// Where a world gets the time. Times appear in its report. No result depends on them; [`step`](Broadphase::step) goes by them
/// only to decide whether other threads are worth waking.
///
/// ```
/// use std::time::Duration;
/// use throng::{Broadphase, BroadphaseConfig, CategoryConfig, Clock, CountPairs};
///
/// let mut world = Broadphase::new(BroadphaseConfig::new().category(CategoryConfig::uniform("bees", 0.1)))?;
/// world.set_clock(Clock::None);
/// assert_eq!(world.step(&CountPairs).report().stages.step, Duration::ZERO);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub enum Clock {
    /// No clock: all times are zero.
    None,
    /// The clock of the standard library, which panics on platforms without one.
    Std,
    /// The host's own: the time since some fixed moment, the same for every thread. Read twice for each batch of pairs, and four
    /// times where pairs have slots.
    Host(fn() -> Duration),
}

impl Default for Clock {
    /// [`Clock::Std`], but [`Clock::None`] on `wasm32-unknown-unknown` and similar targets, where the standard library
    /// has no clock.
    fn default() -> Self {
        if cfg!(all(target_family = "wasm", target_os = "unknown")) {
            Self::None
        } else {
            Self::Std
        }
    }
}

/// When a clock was read.
#[derive(Clone, Copy)]
pub(crate) enum Moment {
    Never,
    Std(Instant),
    Host(Duration),
}

impl Clock {
    #[inline]
    pub(crate) fn now(self) -> Moment {
        match self {
            Self::None => Moment::Never,
            Self::Std => Moment::Std(Instant::now()),
            Self::Host(read) => Moment::Host(read()),
        }
    }

    /// How long ago that was; zero, if the clock went back.
    #[inline]
    pub(crate) fn since(self, then: Moment) -> Duration {
        self.now().after(then)
    }
}

impl Moment {
    #[inline]
    pub(crate) fn after(self, then: Self) -> Duration {
        match (self, then) {
            (Self::Std(now), Self::Std(then)) => now.saturating_duration_since(then),
            (Self::Host(now), Self::Host(then)) => now.saturating_sub(then),
            _ => Duration::ZERO,
        }
    }
}

impl Broadphase {
    /// Chooses the clock from now on, or none.
    pub fn set_clock(&mut self, clock: Clock) {
        self.clock = clock;
    }
}
