//! What all peers have in common, and what makes a contender of one.

use std::time::Duration;

use rayon::ThreadPoolBuildError;
use throng_benches::{Contender, Fingerprint, Frame, Population, Workers};

use crate::Stopwatch;

/// A library that finds pairs, used in the way that is fastest for it.
pub trait Peer: Send {
    /// What it is called in tables.
    fn name(&self) -> &'static str;

    /// How it is used, in a line for the reader of its figures.
    fn way(&self) -> &'static str;

    /// Takes over where everything is now, in its own form. Not timed.
    fn prepare(&mut self, population: &Population);

    /// Brings itself up to date and finds all pairs, on this many threads of the rayon pool that it is called in.
    fn search<S: PairSum>(&mut self, threads: usize) -> Found<S>;

    /// Why it takes part on one thread only, if it does.
    fn why_serial(&self) -> Option<&'static str> {
        None
    }

    /// As [`Contender::keeps`].
    fn keeps(&self) -> bool {
        false
    }
}

/// What a search came to.
pub struct Found<S> {
    /// Of all pairs.
    pub sum: S,
    /// How long the peer took.
    pub time: Duration,
    /// How long it took to get from what it finds to the exact pairs.
    pub filter: Duration,
}

impl<S> Found<S> {
    /// Of a peer that finds the exact pairs itself.
    pub fn since(started: Stopwatch, sum: S) -> Self {
        Self {
            sum,
            time: started.elapsed(),
            filter: Duration::ZERO,
        }
    }
}

/// What is made of pairs: the least that no compiler can leave out.
pub trait PairSum: Default + Send {
    /// Adds a pair of rows.
    fn add(&mut self, a: u32, b: u32);

    /// Adds all pairs of another.
    fn merge(&mut self, other: Self);

    /// Of pairs of which a peer knows the number; `for_each` visits them all if their number is not enough.
    fn of_kept(pairs: u64, for_each: impl FnOnce(&mut Self)) -> Self;
}

/// How many pairs, and a sum over rows so that these have to be known.
#[derive(Default)]
struct Count {
    pairs: u64,
    rows: u32,
}

impl PairSum for Count {
    fn add(&mut self, a: u32, b: u32) {
        self.pairs += 1;
        self.rows = self.rows.wrapping_add(a ^ b);
    }

    fn merge(&mut self, other: Self) {
        self.pairs += other.pairs;
        self.rows = self.rows.wrapping_add(other.rows);
    }

    fn of_kept(pairs: u64, _for_each: impl FnOnce(&mut Self)) -> Self {
        Self { pairs, rows: 0 }
    }
}

impl PairSum for Fingerprint {
    fn add(&mut self, a: u32, b: u32) {
        Fingerprint::add(self, a, b);
    }

    fn merge(&mut self, other: Self) {
        Fingerprint::merge(self, other);
    }

    fn of_kept(_pairs: u64, for_each: impl FnOnce(&mut Self)) -> Self {
        let mut all = Self::default();
        for_each(&mut all);
        all
    }
}

/// A peer on a number of threads.
pub struct Entrant<P> {
    peer: P,
    workers: Workers,
}

impl<P: Peer> Entrant<P> {
    /// Starts the threads.
    ///
    /// # Errors
    ///
    /// If the operating system gives none.
    pub fn new(peer: P, threads: usize) -> Result<Self, ThreadPoolBuildError> {
        let workers = Workers::in_a_pool(threads)?;
        Ok(Self { peer, workers })
    }

    fn search<S: PairSum>(&mut self) -> Found<S> {
        let Self { peer, workers } = self;
        let threads = workers.threads();
        workers.run(|_| peer.search(threads))
    }
}

impl<P: Peer> Contender for Entrant<P> {
    fn name(&self) -> &'static str {
        self.peer.name()
    }

    fn threads(&self) -> usize {
        self.workers.threads()
    }

    fn prepare(&mut self, population: &Population) {
        self.peer.prepare(population);
    }

    fn frame(&mut self, _population: &Population) -> Frame {
        let Found { sum, time, filter } = self.search::<Count>();
        std::hint::black_box(sum.rows);
        Frame {
            time,
            filter,
            pairs: sum.pairs,
        }
    }

    fn fingerprint(&mut self, _population: &Population) -> Fingerprint {
        self.search::<Fingerprint>().sum
    }

    fn keeps(&self) -> bool {
        self.peer.keeps()
    }
}
