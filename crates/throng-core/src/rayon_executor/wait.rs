//! How long it pays to stay awake.

/// Rounds of waiting for something that is only a moment away. To be woken again takes as long as to process thousands of rows.
#[derive(Default)]
pub(super) struct Patience {
    rounds: usize,
}

impl Patience {
    /// At first it only spins, some tens of microseconds in all: this many rounds, with this many pauses in each.
    const SPINS: usize = 64;
    const PAUSES: usize = 16;
    /// After that it lets others have the processor, this many times.
    const YIELDS: usize = 512;

    /// Waits for a moment. Returns `false`, without waiting, once it has waited long enough.
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
