//! Scratch memory that lasts for one chunk of one frame.

use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};

use bumpalo::Bump;
use crossbeam::queue::ArrayQueue;

/// A growable array in an [`Arena`]; when it outgrows its capacity, it moves to a larger block of the same arena.
pub type ArenaVec<'a, T> = bumpalo::collections::Vec<'a, T>;

/// A bump allocator for plain data: allocating moves a pointer, and everything is freed at once.
///
/// Slices live until the arena is reset. That takes `&mut Arena`, so it cannot happen while a slice is in use.
/// Nothing allocated here is dropped, so elements are `Copy`.
#[derive(Default)]
pub struct Arena {
    bump: Bump,
}

impl Arena {
    /// An empty arena, which owns no memory yet.
    #[must_use]
    pub fn new() -> Arena {
        Arena::default()
    }

    /// An arena that can hand out `bytes` bytes before it asks the system for more.
    #[must_use]
    pub fn with_capacity(bytes: usize) -> Arena {
        Arena {
            bump: Bump::with_capacity(bytes),
        }
    }

    /// A copy of `value`.
    pub fn alloc<T: Copy>(&self, value: T) -> &mut T {
        &mut self.alloc_slice_fill(1, value)[0]
    }

    /// `len` copies of `value`. O(`len`).
    pub fn alloc_slice_fill<T: Copy>(&self, len: usize, value: T) -> &mut [T] {
        self.bump.alloc_slice_fill_copy(len, value)
    }

    /// `len` elements; element `i` is `element(i)`. O(`len`).
    pub fn alloc_slice_with<T: Copy>(
        &self,
        len: usize,
        element: impl FnMut(usize) -> T,
    ) -> &mut [T] {
        self.bump.alloc_slice_fill_with(len, element)
    }

    /// An empty growable array with room for `capacity` elements.
    pub fn vec<T: Copy>(&self, capacity: usize) -> ArenaVec<'_, T> {
        ArenaVec::with_capacity_in(capacity, &self.bump)
    }

    /// Makes room for `bytes` contiguous bytes, freeing everything allocated so far.
    ///
    /// Each slice takes its own size plus up to its alignment less one in padding. Growing adds a quarter on top, so
    /// a need that creeps up does not grow the arena every frame. Never shrinks.
    pub fn prepare(&mut self, bytes: usize) {
        self.reset();
        if self.bump.chunk_capacity() < bytes {
            // The old block is freed first, so that the two are never held at once.
            self.bump = Bump::new();
            self.bump = Bump::with_capacity(bytes + bytes / 4);
        }
    }

    /// Frees everything allocated so far and keeps the largest block of memory for reuse.
    pub fn reset(&mut self) {
        self.bump.reset();
    }

    /// Bytes that can still be handed out before the arena asks the system for more.
    #[must_use]
    pub fn free_bytes(&self) -> usize {
        self.bump.chunk_capacity()
    }

    /// Bytes the arena holds, used or not.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        self.bump.allocated_bytes_including_metadata()
    }
}

impl fmt::Debug for Arena {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Arena")
            .field("memory_bytes", &self.memory_bytes())
            .field("free_bytes", &self.free_bytes())
            .finish()
    }
}

/// Arenas for the tasks of a frame, borrowed and given back without a lock.
///
/// Before the parallel phase, [`FrameArenas::prepare`] grows one arena per worker to the size that the largest chunk
/// needs, so no task allocates, whichever thread runs it. Any arena can serve any task: sizes depend on the data, not
/// on which worker took what.
///
/// ```
/// use throng_core::FrameArenas;
///
/// let mut arenas = FrameArenas::new();
/// arenas.prepare(2, 4096);
/// let sum = arenas.with(|arena| {
///     let squares = arena.alloc_slice_with(10, |i| i * i);
///     squares.iter().sum::<usize>()
/// });
/// assert_eq!(sum, 285);
/// ```
pub struct FrameArenas {
    idle: ArrayQueue<Arena>,
    /// Of all arenas, idle and lent out, each as of when it was last returned.
    bytes: AtomicUsize,
}

impl FrameArenas {
    /// No arenas yet; the first borrower creates one.
    #[must_use]
    pub fn new() -> FrameArenas {
        FrameArenas {
            idle: ArrayQueue::new(1),
            bytes: AtomicUsize::new(0),
        }
    }

    /// Makes sure that `workers` arenas can each hand out `bytes_each` contiguous bytes.
    ///
    /// Allocates only what is missing, and frees nothing but what it replaces. O(`workers`).
    pub fn prepare(&mut self, workers: usize, bytes_each: usize) {
        let arenas = workers.max(self.idle.len()).max(1);
        if self.idle.capacity() < arenas {
            let roomier = ArrayQueue::new(arenas);
            while let Some(arena) = self.idle.pop() {
                keep(&roomier, arena);
            }
            self.idle = roomier;
        }
        while self.idle.len() < arenas {
            keep(&self.idle, Arena::new());
        }

        // The queue is first in, first out: one turn per arena reaches each of them once.
        let mut bytes = 0;
        for _ in 0..arenas {
            let mut arena = self.idle.pop().unwrap_or_default();
            arena.prepare(bytes_each);
            bytes += arena.memory_bytes();
            keep(&self.idle, arena);
        }
        *self.bytes.get_mut() = bytes;
    }

    /// Lends an empty arena to `work` and takes it back. If all are lent out, creates one more.
    ///
    /// The arena comes back even if `work` panics. May be called from many threads, and from inside `work`.
    pub fn with<R>(&self, work: impl FnOnce(&mut Arena) -> R) -> R {
        let arena = self.idle.pop().unwrap_or_default();
        let mut loan = Loan {
            bytes_before: arena.memory_bytes(),
            arena,
            home: self,
        };
        work(&mut loan.arena)
    }

    /// Bytes held by all arenas. Growth of an arena that is lent out is counted when it comes back.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }

    /// How many arenas are waiting to be borrowed.
    #[must_use]
    pub fn idle(&self) -> usize {
        self.idle.len()
    }
}

/// Puts an arena into a queue that has room for it.
fn keep(queue: &ArrayQueue<Arena>, arena: Arena) {
    let refused = queue.push(arena).is_err();
    debug_assert!(
        !refused,
        "the queue holds as many arenas as are made for it"
    );
}

impl Default for FrameArenas {
    fn default() -> Self {
        FrameArenas::new()
    }
}

impl fmt::Debug for FrameArenas {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FrameArenas")
            .field("idle", &self.idle())
            .field("memory_bytes", &self.memory_bytes())
            .finish()
    }
}

/// A borrowed arena, returned when this is dropped.
struct Loan<'a> {
    arena: Arena,
    bytes_before: usize,
    home: &'a FrameArenas,
}

impl Drop for Loan<'_> {
    fn drop(&mut self) {
        let mut arena = std::mem::take(&mut self.arena);
        arena.reset();
        let bytes_now = arena.memory_bytes();
        let kept = match self.home.idle.push(arena) {
            Ok(()) => bytes_now,
            Err(_) => 0,
        };
        // Wrapping subtraction, since an arena that is not kept counts 0; the sum over all loans is never negative.
        let change = kept.wrapping_sub(self.bytes_before);
        self.home.bytes.fetch_add(change, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::{Arena, FrameArenas};

    #[test]
    fn slices_do_not_overlap_and_keep_what_was_written() {
        let arena = Arena::new();
        let bytes = arena.alloc_slice_fill(3, 7_u8);
        let words = arena.alloc_slice_with(3, |i| i as u64 + 1);
        let squares = arena.alloc_slice_with(4, |i| i * i);
        let mut list = arena.vec(1);
        list.extend([1.5_f32; 100]);
        bytes[1] = 9;
        words[0] = 8;
        squares[3] = 0;
        assert_eq!((&*bytes, &*words), (&[7, 9, 7][..], &[8, 2, 3][..]));
        assert_eq!(*squares, [0, 1, 4, 0]);
        assert_eq!(list.as_slice(), [1.5; 100]);
    }

    #[test]
    fn a_prepared_arena_asks_for_nothing_more() {
        let mut arena = Arena::new();
        arena.prepare(100_000);
        let held = arena.memory_bytes();
        assert!((100_000..=held).contains(&arena.free_bytes()));
        for _ in 0..3 {
            arena.reset();
            arena.alloc_slice_fill(100_000, 0_u8);
            assert_eq!(arena.memory_bytes(), held);
        }
        arena.prepare(100);
        assert_eq!(arena.memory_bytes(), held, "never shrinks");
    }

    #[test]
    fn prepared_arenas_are_reused_whoever_borrows() {
        let mut arenas = FrameArenas::new();
        assert_eq!((arenas.idle(), arenas.memory_bytes()), (0, 0));
        arenas.prepare(3, 10_000);
        let held = arenas.memory_bytes();
        assert!(arenas.idle() == 3 && held >= 30_000);
        for _ in 0..10 {
            arenas.with(|a| {
                a.alloc_slice_fill(10_000, 1_u8);
                arenas.with(|b| b.alloc_slice_fill(5_000, 2_u16).len());
            });
        }
        assert_eq!((arenas.idle(), arenas.memory_bytes()), (3, held));
        arenas.prepare(2, 8_000);
        assert_eq!((arenas.idle(), arenas.memory_bytes()), (3, held));
    }

    #[test]
    fn an_arena_too_many_is_made_and_dropped_again() {
        let arenas = FrameArenas::new();
        let depth_first = |a: &mut Arena| {
            a.alloc_slice_fill(1000, 0_u8);
            arenas.with(|b| b.alloc_slice_fill(5000, 0_u8).len())
        };
        assert_eq!(arenas.with(depth_first), 5000);
        assert_eq!(arenas.idle(), 1);
        let held = arenas.memory_bytes();
        arenas.with(|kept| assert_eq!(kept.memory_bytes(), held));
    }

    #[test]
    fn an_arena_comes_back_from_a_panic() {
        let mut arenas = FrameArenas::new();
        arenas.prepare(1, 100);
        let held = arenas.memory_bytes();
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            arenas.with(|_| panic!("meant to panic"));
        }));
        assert!(outcome.is_err());
        assert_eq!((arenas.idle(), arenas.memory_bytes()), (1, held));
    }
}
