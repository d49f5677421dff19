//! Sixteen lanes: what every kernel is written in terms of, once for all processors.
//!
//! A kernel is a type that implements [`Kernel`]: its fields are the arguments, and [`run`](Kernel::run) has the loops,
//! generic over [`Lanes`]. [`Simd::run`] compiles it for each instruction set and calls the version that the machine
//! can run. All versions walk the same sixteen logical lanes, so the order of what they find does not depend on the
//! machine.
//!
//! | file | sixteen lanes are |
//! |---|---|
//! | `avx512.rs` | one vector; a set of lanes is a mask register |
//! | `avx2.rs` | two vectors; a set of lanes is two vectors |
//! | `neon.rs` | four vectors of four, of Arm |
//! | `simd128.rs` | four vectors of four, of WebAssembly where the build enables them |
//! | `portable.rs` | four vectors of four, of whatever the target always has: SSE2, NEON, simd128 |
//!
//! These files contain primitives and nothing else, and no other file has `unsafe` vector code. A new processor is one
//! more file and one more arm in [`Simd::run`].
//!
//! # Why no call is left in a loop
//!
//! A primitive is `#[inline(always)]` and is not compiled for an instruction set of its own, and neither is a kernel.
//! Both are inlined into `call`, the one `#[target_feature]` function of each file, and only there do intrinsics become
//! instructions. A closure, or a function without `#[inline(always)]`, breaks that chain: it is compiled for the
//! baseline, and each intrinsic in it becomes a call. So kernels are plain loops, and recursion goes through
//! [`Lanes::call`]. memchr and pulp work in the same way.
//!
//! # Why a trait of our own
//!
//! Two crates come close. `fearless_simd` 1.2 has run-time choice, sixteen lanes and `compress`. Written with it, the
//! step of a sweep was as fast as this with AVX-512, but took a third more instructions with AVX2 (160 against 119):
//! its `compress` joins the two halves and clears what follows them, while a kernel only has to store them one after
//! the other. Its AVX-512 also requires Ice Lake, so earlier processors that have everything needed here get AVX2.
//! `pulp` 0.22 has no `compress`, and its number of lanes depends on the machine, while the order of pairs needs
//! sixteen everywhere. For the portable file a crate is the right choice: `wide` knows each target's own vectors.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod dispatch;
mod group;
mod hits;
#[cfg(all(
    target_arch = "aarch64",
    target_feature = "neon",
    target_endian = "little"
))]
mod neon;
mod notes;
mod places;
mod portable;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod simd128;

pub use dispatch::Simd;
pub use group::{
    ClassTable, GroupMasks, Sides, agreeing, chunk, chunk_mut, emit, emit_with_one, keep_touching,
    overlapping,
};

pub use hits::{HitRoom, Hits, Picked, TakePairs};
pub use places::{PlaceRoom, Places};

use crate::pair_buffer::{LANES, PairOrder};
use bytemuck::Pod;
use std::fmt::Debug;

/// The index of each lane.
pub const NUMBERS: [u32; LANES] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];

/// Twice the index of each lane, and one more: where the first and the second of sixteen pairs are.
pub const EVENS: [u32; LANES] = [0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30];
/// See [`EVENS`].
pub const ODDS: [u32; LANES] = [1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31];

/// A loop over sixteen lanes at a time, compiled for each instruction set. [`Simd::run`] calls it.
pub trait Kernel {
    /// What it returns.
    type Output;

    /// Runs it. Must be `#[inline(always)]`, like every function between it and a primitive: see the module's header.
    fn run<L: Lanes>(self, lanes: L) -> Self::Output;
}

/// The primitives that kernels are made of: what an instruction set does with sixteen lanes.
///
/// A value of a type that implements it proves that the machine has the instructions. There are three ways to name
/// lanes: a [`Mask`](Self::Mask) is the result of comparisons, in the form that suits the instruction set; a `u32` is a
/// set of lanes as bits, lane 0 the lowest; and a count means the first lanes.
pub trait Lanes: Copy + Debug {
    /// Sixteen floats.
    type Floats: Copy;
    /// Sixteen words.
    type Words: Copy;
    /// A set of lanes, as the result of comparisons.
    type Mask: Copy;
    /// A lane and a shift, as whatever is noted and looked up fastest: see [`Hits`].
    type Note: Pod;

    /// Runs a kernel in a function of its own, as recursion needs.
    fn call<K: Kernel>(self, kernel: K) -> K::Output;

    /// A group of floats.
    fn load(self, from: &[f32; LANES]) -> Self::Floats;

    /// A group of words.
    fn load_words(self, from: &[u32; LANES]) -> Self::Words;

    /// The first sixteen floats of a slice; NaN for missing ones.
    #[inline(always)]
    fn load_some(self, from: &[f32]) -> Self::Floats {
        let mut group = [f32::NAN; LANES];
        let count = from.len().min(LANES);
        group[..count].copy_from_slice(&from[..count]);
        self.load(&group)
    }

    /// The first sixteen words of a slice; zero for missing ones.
    #[inline(always)]
    fn load_some_words(self, from: &[u32]) -> Self::Words {
        let mut group = [0; LANES];
        let count = from.len().min(LANES);
        group[..count].copy_from_slice(&from[..count]);
        self.load_words(&group)
    }

    /// Writes a group of words.
    fn store_words(self, to: &mut [u32; LANES], words: Self::Words);

    /// Writes a group of floats.
    fn store(self, to: &mut [f32; LANES], floats: Self::Floats);

    /// Writes the first words of a group: as many as there is room for, and nothing after them.
    fn store_some_words(self, to: &mut [u32], words: Self::Words);

    /// Writes the floats of the lanes in `keep` side by side, and anything after them.
    fn store_kept(self, to: &mut [f32; LANES], keep: u32, floats: Self::Floats);

    /// Writes the words of the lanes in `keep` side by side, and anything after them.
    fn store_kept_words(self, to: &mut [u32; LANES], keep: u32, words: Self::Words);

    /// Notes the lanes of a set side by side, each with a shift below sixteen, and writes anything after them. Returns how many
    /// they are.
    fn note(self, to: &mut [Self::Note; LANES], set: Self::Mask, shift: usize) -> usize;

    /// The lanes and the shifts of sixteen notes. Of each lane, only the lower sixteen bits count.
    fn noted(self, notes: &[Self::Note; LANES]) -> [Self::Words; 2];

    /// Writes a pair for each lane in `keep`, side by side in lane order, and anything after them.
    fn store_pairs(
        self,
        to: &mut [[u32; 2]; LANES],
        keep: u32,
        order: PairOrder,
        left: Self::Words,
        right: Self::Words,
    );

    /// The same where all lanes of `right` are the same row, and the order does not depend on which row is lower.
    ///
    /// # Panics
    ///
    /// In a debug build, if the order is [`PairOrder::LowerRow`].
    #[inline(always)]
    fn store_pairs_with_one(
        self,
        to: &mut [[u32; 2]; LANES],
        keep: u32,
        order: PairOrder,
        left: Self::Words,
        right: Self::Words,
    ) {
        debug_assert_ne!(order, PairOrder::LowerRow);
        self.store_pairs(to, keep, order, left, right);
    }

    /// Writes the pairs of all lanes, in lane order.
    fn store_all_pairs(self, to: &mut [[u32; 2]; LANES], first: Self::Words, second: Self::Words);

    /// In each lane the word of `from` in the lane that the lower four bits of `at` name.
    fn pick(self, from: Self::Words, at: Self::Words) -> Self::Words;

    /// The same among thirty-two words, of which the lower five bits of `at` name one.
    fn pick_of_two(self, from: [Self::Words; 2], at: Self::Words) -> Self::Words;

    /// The points that words are the indices of: their first coordinates, and their second. NaN for an index behind the last.
    #[inline(always)]
    fn look_up(self, points: &[[f32; 2]], at: Self::Words) -> [Self::Floats; 2] {
        let mut indices = [0; LANES];
        self.store_words(&mut indices, at);
        let (mut first, mut second) = ([0.0; LANES], [0.0; LANES]);
        for (lane, &index) in indices.iter().enumerate() {
            let point = points.get(index as usize);
            [first[lane], second[lane]] = point.copied().unwrap_or([f32::NAN; 2]);
        }
        [self.load(&first), self.load(&second)]
    }

    /// As [`look_up`](Self::look_up): the first index of each pair among the first points, the second among the second.
    #[inline(always)]
    fn look_up_pairs(
        self,
        points: [&[[f32; 2]]; 2],
        pairs: &[[u32; 2]; LANES],
    ) -> [[Self::Floats; 2]; 2] {
        look_up_sides(self, points, pairs)
    }

    /// The first words of pairs, and the second.
    #[inline(always)]
    fn columns_of_pairs(self, pairs: &[[u32; 2]; LANES]) -> [Self::Words; 2] {
        let (halves, _) = pairs.as_flattened().as_chunks::<LANES>();
        let words = [self.load_words(&halves[0]), self.load_words(&halves[1])];
        [
            self.pick_of_two(words, self.load_words(&EVENS)),
            self.pick_of_two(words, self.load_words(&ODDS)),
        ]
    }

    /// A float in all lanes.
    fn splat(self, value: f32) -> Self::Floats;

    /// A word in all lanes.
    fn splat_words(self, value: u32) -> Self::Words;

    /// `a + b`.
    fn add(self, a: Self::Floats, b: Self::Floats) -> Self::Floats;

    /// `a - b`.
    fn sub(self, a: Self::Floats, b: Self::Floats) -> Self::Floats;

    /// `a * b`.
    fn mul(self, a: Self::Floats, b: Self::Floats) -> Self::Floats;

    /// The higher of the two: `if a > b { a } else { b }`, so `b` where either is NaN.
    fn higher(self, a: Self::Floats, b: Self::Floats) -> Self::Floats;

    /// The lower of the two: `if a < b { a } else { b }`, so `b` where either is NaN.
    fn lower(self, a: Self::Floats, b: Self::Floats) -> Self::Floats;

    /// The highest of the lanes that are not NaN; negative infinity if all are. A signaling NaN, which no
    /// arithmetic yields, may come through: compilers do not always tell it from others.
    fn highest(self, floats: Self::Floats) -> f32;

    /// `a + b`, wrapping.
    fn add_words(self, a: Self::Words, b: Self::Words) -> Self::Words;

    /// `a & b`.
    fn and_words(self, a: Self::Words, b: Self::Words) -> Self::Words;

    /// `a | b`.
    fn or_words(self, a: Self::Words, b: Self::Words) -> Self::Words;

    /// Rows become columns: lane `i` of group `j` becomes lane `j` of group `i`.
    fn transpose(self, groups: [Self::Floats; LANES]) -> [Self::Floats; LANES];

    /// Each word without its lower `count` bits; `count` must be below 32.
    fn shift_right(self, words: Self::Words, count: u32) -> Self::Words;

    /// In each lane `then` if `a > b`, otherwise `or`.
    fn choose_if_above(
        self,
        a: Self::Words,
        b: Self::Words,
        then: Self::Words,
        or: Self::Words,
    ) -> Self::Words;

    /// All lanes.
    fn every_lane(self) -> Self::Mask;

    /// The lanes of `among` in which `a <= b`; never a lane with a NaN.
    fn le(self, among: Self::Mask, a: Self::Floats, b: Self::Floats) -> Self::Mask;

    /// The lanes of `among` in which `a != b`; also those with a NaN.
    fn differ(self, among: Self::Mask, a: Self::Floats, b: Self::Floats) -> Self::Mask;

    /// The lanes of `among` in which some bit is set in both words.
    fn share_a_bit(self, among: Self::Mask, a: Self::Words, b: Self::Words) -> Self::Mask;

    /// The lanes of `among` in which a word has the bit that the lower five bits of `at` name.
    fn has_bit(self, among: Self::Mask, words: Self::Words, at: Self::Words) -> Self::Mask;

    /// The lanes of `among` in which a word's top bit is set.
    fn top_bit_set(self, among: Self::Mask, words: Self::Words) -> Self::Mask;

    /// Of words as eight pairs: which pairs are equal, as the lowest eight bits.
    fn equal_pairs(self, a: Self::Words, b: Self::Words) -> u32;

    /// Adds one in each lane in which `a < b`.
    fn count_lt(self, counts: Self::Words, a: Self::Floats, b: Self::Floats) -> Self::Words;

    /// Adds one in each lane in which `a <= b`.
    fn count_le(self, counts: Self::Words, a: Self::Floats, b: Self::Floats) -> Self::Words;

    /// The set as bits.
    fn bits(self, mask: Self::Mask) -> u32;

    /// Whether any lane is in the set.
    fn any(self, mask: Self::Mask) -> bool;

    /// The first `count` floats, and NaN in the lanes after them: no comparison with those is true.
    fn nan_behind(self, count: usize, floats: Self::Floats) -> Self::Floats;
}

/// [`Lanes::look_up_pairs`], one side after the other, wherever the indices point.
#[inline(always)]
fn look_up_sides<L: Lanes>(
    lanes: L,
    points: [&[[f32; 2]]; 2],
    pairs: &[[u32; 2]; LANES],
) -> [[L::Floats; 2]; 2] {
    let [first, second] = lanes.columns_of_pairs(pairs);
    [
        lanes.look_up(points[0], first),
        lanes.look_up(points[1], second),
    ]
}

/// The first `count` lanes, as bits; all if `count` is larger.
#[inline(always)]
#[must_use]
pub fn lanes_below(count: usize) -> u32 {
    if count >= LANES {
        (1 << LANES) - 1
    } else {
        (1 << count) - 1
    }
}

/// Makes the function that this is inlined into align its stack frame as a vector is aligned.
///
/// Without it the frame is aligned as the calling convention asks, to sixteen bytes, and so are the vectors in it that do not
/// fit into registers. If many of them lie across two cache lines, each load of one waits for the store before it. Searches
/// with AVX2 took up to twice as long, or not, depending on how many bytes their callers had on the stack.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn align_frame<Vector>() {
    // Something that is aligned so, and whose address is taken.
    std::hint::black_box(&mut std::mem::MaybeUninit::<Vector>::uninit());
}
