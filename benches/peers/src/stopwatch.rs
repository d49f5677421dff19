//! How long something takes, on a machine that has other things to do.

use std::time::{Duration, Instant};

use cpu_time::ThreadTime;

/// On one thread, the time that the thread itself had; on more, what a clock on the wall shows.
///
/// With other work on the machine, the wall's time of a long frame has others' in it, and that of a short one has not: this
/// would favor whoever is fast. In quiet the two are the same.
#[derive(Clone, Copy)]
pub enum Stopwatch {
    /// Of the calling thread.
    Thread(ThreadTime),
    /// Of everybody.
    Wall(Instant),
}

impl Stopwatch {
    /// For work on this many threads; if one, it is the calling one.
    pub fn start(threads: usize) -> Self {
        if threads == 1 {
            Self::Thread(ThreadTime::now())
        } else {
            Self::Wall(Instant::now())
        }
    }

    /// Since the start.
    pub fn elapsed(self) -> Duration {
        match self {
            Self::Thread(started) => started.elapsed(),
            Self::Wall(started) => started.elapsed(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::Stopwatch;

    #[test]
    fn a_thread_that_sleeps_has_no_time() {
        let (own, wall) = (Stopwatch::start(1), Stopwatch::start(2));
        std::thread::sleep(Duration::from_millis(30));
        assert!(wall.elapsed() >= Duration::from_millis(30));
        assert!(own.elapsed() < Duration::from_millis(20));
    }
}
