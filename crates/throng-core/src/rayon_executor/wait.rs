//! How long it pays to stay awake.

/// Rounds of waiting for something that is only a moment away. To be woken again takes as long as thousands of rows do.
#[derive(Default)]
pub(super) struct Patience {
    rounds: usize,
}

impl Patience {
    /// First it only spins, some tens of microseconds in all: so many rounds, and pauses in each.
    const SPINS: usize = 64;
    const PAUSES: usize = 16;
    /// Then others may have the processor, so many times.
    const YIELDS: usize = 512;

    /// Waits for a moment; `false`, at once, if it has been long enough.
    pub fn wait(&mut self) -> bool {
        if self.rounds >= Self::SPINS + Self::YIELDS {
            return false;
        }
        if self.rounds < Self::SPINS {
            (0..Self::PAUSES).for_each(|_| std::hint::spin_loop());
        } else {
            std::thread::yield_now();
        }
        self.rounds += 1;
        true
    }
}
