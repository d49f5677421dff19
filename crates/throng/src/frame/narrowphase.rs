//! The engine's own test of pairs, called on the worker that found them.

use std::fmt;

use throng_core::{Aabb, HeldPairs, for_both};

use crate::broadphase::Broadphase;
use crate::frame::events::pair_slots::NO_SLOT;
use crate::frame::in_hand::PairData;
use crate::world::category::Category;
use crate::world::ids::{CategoryId, ProxyId, Row};
use crate::world::masks::Masks;

/// What an engine does with pairs whose boxes overlap.
///
/// [`Broadphase::step`](crate::Broadphase::step) calls [`collide`](Self::collide) from many threads at once, each time
/// with one batch of pairs, scratch memory that no other thread is using, and the output of the chunk that the batch
/// belongs to. The batches of one chunk come in order, on one thread. Chunks run in any order, and their outputs are
/// returned in chunk order. So the result is the same on any number of threads, as long as `collide` does not depend on
/// what is in the scratch.
///
/// # Circles
///
/// ```
/// use throng::{Aabb, Broadphase, BroadphaseConfig, CategoryConfig, Narrowphase, PairBatch, Proxy};
///
/// struct Contact { a: u64, b: u64, depth: f32 }
///
/// /// The engine's arrays, in the row order of the one category there is.
/// struct Circles<'a> { radii: &'a [f32] }
///
/// impl Narrowphase for Circles<'_> {
///     type Scratch = ();
///     type Output = Vec<Contact>;
///
///     fn collide(&self, batch: PairBatch<'_>, _scratch: &mut (), contacts: &mut Vec<Contact>) {
///         let [xs, ys] = batch.centers(0);
///         for &[a, b] in batch.pairs() {
///             let [i, j] = [a as usize, b as usize];
///             let [dx, dy] = [xs[i] - xs[j], ys[i] - ys[j]];
///             let reach = self.radii[i] + self.radii[j];
///             let distance_squared = dx * dx + dy * dy;
///             if distance_squared < reach * reach {
///                 let [a, b] = batch.keys([a, b]);
///                 contacts.push(Contact { a, b, depth: reach - distance_squared.sqrt() });
///             }
///         }
///     }
/// }
///
/// let mut world = Broadphase::new(BroadphaseConfig::new().category(CategoryConfig::uniform("balls", 1.0)))?;
/// for (key, x) in [(7, 0.0), (8, 1.5), (9, 9.0)] {
///     world.insert(Proxy::centered([x, 0.0], [1.0, 1.0])?.key(key))?;
/// }
/// let step = world.step(&Circles { radii: &[1.0, 1.0, 1.0] });
/// let contacts: Vec<&Contact> = step.outputs().flatten().collect();
/// assert_eq!(contacts.len(), 1);
/// assert_eq!((contacts[0].a, contacts[0].b, contacts[0].depth), (7, 8, 0.5));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(alias("sensor", "trigger", "contact", "callback"))]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no narrowphase",
    note = "implement `Narrowphase` for the struct that holds your arrays; a closure cannot say what it outputs",
    note = "to have all pairs in lists instead, call `step_pairs`"
)]
pub trait Narrowphase: Sync {
    /// Memory that `collide` may use in any way, and whose contents it must not rely on. Created once per worker and
    /// kept between frames, until [`shrink_to_fit`](crate::Broadphase::shrink_to_fit), a panic, or some hundred steps that did not use
    /// its type; narrowphases with the same type share it. `()` if none is needed.
    type Scratch: Default + Send + 'static;
    /// The result for one chunk, such as a `Vec` of contacts.
    type Output: ChunkOutput;
    /// What comes with each pair besides rows: nothing by default. A narrowphase that only passes batches on to another one
    /// has to ask for what that asks for.
    const PAIR_DATA: PairData = PairData::Nothing;

    /// Handles one batch. `output` already holds the results of earlier batches of the same chunk.
    fn collide(&self, batch: PairBatch<'_>, scratch: &mut Self::Scratch, output: &mut Self::Output);

    /// Bytes that a scratch owns besides its own size, for the report. By default 0: a scratch without memory of its own. Called
    /// once in each step for each scratch.
    ///
    /// ```
    /// # use throng::{Narrowphase, PairBatch};
    /// struct Rows;
    ///
    /// impl Narrowphase for Rows {
    ///     type Scratch = Vec<u32>;
    ///     type Output = u64;
    ///
    ///     fn collide(&self, batch: PairBatch<'_>, rows: &mut Vec<u32>, different: &mut u64) {
    ///         rows.clear();
    ///         rows.extend(batch.pairs().as_flattened());
    ///         rows.sort_unstable();
    ///         rows.dedup();
    ///         *different += rows.len() as u64;
    ///     }
    ///
    ///     fn scratch_bytes(rows: &Vec<u32>) -> usize {
    ///         rows.capacity() * size_of::<u32>()
    ///     }
    /// }
    /// ```
    fn scratch_bytes(scratch: &Self::Scratch) -> usize {
        let _ = scratch;
        0
    }
}

/// The output of a chunk, reused from frame to frame.
///
/// An output that owns memory should say how much, as `Vec` does. The world then counts it in its report, and lets go of
/// what a crowd that is gone has left behind: memory of which hardly any was used for a few hundred frames.
///
/// ```
/// use throng::ChunkOutput;
///
/// #[derive(Default)]
/// struct Found { contacts: Vec<[f32; 3]>, sensors: Vec<[u32; 2]>, deepest: f32 }
///
/// impl ChunkOutput for Found {
///     fn clear(&mut self) {
///         self.contacts.clear();
///         self.sensors.clear();
///         self.deepest = 0.0;
///     }
///     fn used_bytes(&self) -> usize {
///         self.contacts.used_bytes() + self.sensors.used_bytes()
///     }
///     fn held_bytes(&self) -> usize {
///         self.contacts.held_bytes() + self.sensors.held_bytes()
///     }
///     fn shrink_to_fit(&mut self) {
///         self.contacts.shrink_to_fit();
///         self.sensors.shrink_to_fit();
///     }
/// }
/// ```
pub trait ChunkOutput: Default + Send + Sync + 'static {
    /// Removes the last frame's content and keeps the memory; called before the first batch of a chunk.
    fn clear(&mut self);

    /// Bytes that its content takes, of those that it owns besides its own size. By default 0: an output without memory
    /// of its own.
    fn used_bytes(&self) -> usize {
        0
    }

    /// Bytes that it owns besides its own size, used or not. By default 0.
    fn held_bytes(&self) -> usize {
        0
    }

    /// Gives back memory that its content does not take. Not called in a steady state.
    fn shrink_to_fit(&mut self) {}
}

impl<T: Send + Sync + 'static> ChunkOutput for Vec<T> {
    fn clear(&mut self) {
        self.clear();
    }

    fn used_bytes(&self) -> usize {
        size_of_val(self.as_slice())
    }

    fn held_bytes(&self) -> usize {
        self.capacity() * size_of::<T>()
    }

    fn shrink_to_fit(&mut self) {
        self.shrink_to_fit();
    }
}

macro_rules! cleared_to_default {
    ($($output:ty),*) => {$(
        impl ChunkOutput for $output {
            fn clear(&mut self) {
                *self = Default::default();
            }
        }
    )*};
}

cleared_to_default!((), u32, u64, usize, f32, f64);

macro_rules! all_parts {
    ($($part:ident $index:tt),*) => {
        impl<$($part: ChunkOutput),*> ChunkOutput for ($($part,)*) {
            fn clear(&mut self) {
                $(self.$index.clear();)*
            }

            fn used_bytes(&self) -> usize {
                0 $(+ self.$index.used_bytes())*
            }

            fn held_bytes(&self) -> usize {
                0 $(+ self.$index.held_bytes())*
            }

            fn shrink_to_fit(&mut self) {
                $(self.$index.shrink_to_fit();)*
            }
        }
    };
}

all_parts!(A 0, B 1);
all_parts!(A 0, B 1, C 2);

/// Some pairs of one meeting, near each other in space. Their boxes overlap (unless they are
/// [predicted](Self::is_predicted)), their masks agree, they have no common owner and are not excluded, and each pair comes once.
///
/// Rows are indices into the columns of the two categories, and into an engine's arrays that mirror them. The lower
/// category comes first; within one category, the lower row.
#[derive(Clone, Copy)]
pub struct PairBatch<'a> {
    pub(crate) categories: [CategoryId; 2],
    pub(crate) pairs: &'a [[Row; 2]],
    pub(crate) sides: [&'a Category; 2],
    pub(crate) is_predicted: bool,
    pub(crate) world: &'a Broadphase,
    /// The slots of these pairs, if they are known.
    pub(crate) known_slots: Option<&'a [u32]>,
    /// The same pairs with their values, if the narrowphase asked for them.
    pub(crate) held: Option<&'a HeldPairs>,
}

impl fmt::Debug for PairBatch<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PairBatch")
            .field("categories", &self.categories)
            .field("pairs", &self.pairs)
            .field("is_predicted", &self.is_predicted)
            .finish_non_exhaustive()
    }
}

impl<'a> PairBatch<'a> {
    /// The categories that meet: the first row of each pair is of the first, the second row of the second.
    #[inline]
    pub fn categories(&self) -> [CategoryId; 2] {
        self.categories
    }

    /// The pairs of rows; never empty.
    #[inline]
    pub fn pairs(&self) -> &'a [[Row; 2]] {
        self.pairs
    }

    /// The pairs, **the row of `a` first**, if they are of categories `a` and `b`, however the config orders the two; `None` if they are
    /// of others. Methods that take a pair, such as [`keys`](Self::keys), want it as [`pairs`](Self::pairs) has it.
    ///
    /// ```
    /// use throng::{Broadphase, BroadphaseConfig, CategoryConfig, CategoryId, Narrowphase, PairBatch, Proxy};
    ///
    /// struct Damage {
    ///     bullets: CategoryId,
    ///     units: CategoryId,
    /// }
    ///
    /// impl Narrowphase for Damage {
    ///     type Scratch = ();
    ///     type Output = Vec<String>;
    ///
    ///     fn collide(&self, batch: PairBatch<'_>, _: &mut (), hits: &mut Vec<String>) {
    ///         for [bullet, unit] in batch.between(self.bullets, self.units).into_iter().flatten() {
    ///             hits.push(format!("bullet {bullet} hits unit {unit}"));
    ///         }
    ///     }
    /// }
    ///
    /// let config = BroadphaseConfig::new()
    ///     .category(CategoryConfig::uniform("units", 1.0))
    ///     .category(CategoryConfig::uniform("bullets", 0.1));
    /// let mut world = Broadphase::new(config)?;
    /// let [units, bullets] = ["units", "bullets"].map(|name| world.category(name).unwrap());
    /// for x in [0.0, 1.5, 9.0] {
    ///     world.insert(Proxy::centered([x, 0.0], [1.0, 1.0])?.in_category(units))?;
    /// }
    /// world.insert(Proxy::centered([9.5, 0.0], [0.1, 0.1])?)?;
    /// let step = world.step(&Damage { bullets, units });
    /// assert!(step.outputs().flatten().eq(["bullet 0 hits unit 2"]), "and what two units do is not its business");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[inline]
    pub fn between(
        &self,
        a: CategoryId,
        b: CategoryId,
    ) -> Option<impl ExactSizeIterator<Item = [Row; 2]> + use<'a>> {
        let is_flipped = match self.categories {
            [first, second] if [first, second] == [a, b] => false,
            [first, second] if [second, first] == [a, b] => true,
            _ => return None,
        };
        let turned = move |&[first, second]: &[Row; 2]| {
            if is_flipped {
                [second, first]
            } else {
                [first, second]
            }
        };
        Some(self.pairs.iter().map(turned))
    }

    /// Whether these pairs do not overlap yet, but would with the [margins](crate::CategoryConfig::margin) of both, or on their way to
    /// where their [velocities](crate::Broadphase::set_velocity) take them. Batches are either of such pairs or of others;
    /// chunks of predicted pairs come after all others. `false` in a world where nobody looks ahead.
    ///
    /// Where only boxes overlap and not yet the shapes in them, it is `false` as well: a fast shape has to be cast along its way
    /// in batches of either kind.
    #[inline]
    pub fn is_predicted(&self) -> bool {
        self.is_predicted
    }

    /// The ids of a pair of this batch. One read each.
    ///
    /// # Panics
    ///
    /// If a row is not in its category.
    #[inline]
    pub fn ids(&self, pair: [Row; 2]) -> [ProxyId; 2] {
        Category::ids_of_pair(self.sides, pair)
    }

    /// The engine's own names for a pair of this batch, or 0 if not set.
    ///
    /// # Panics
    ///
    /// If a row is not in its category, and the category has keys.
    #[inline]
    pub fn keys(&self, pair: [Row; 2]) -> [u64; 2] {
        for_both(|side| self.sides[side].columns.key(pair[side] as usize))
    }

    /// The keys of all rows of the category on one side (0 or 1) of the meeting; `None` until one is set that is not 0, because until then
    /// none are stored.
    ///
    /// # Panics
    ///
    /// If `side` is neither 0 nor 1.
    #[inline]
    pub fn row_keys(&self, side: usize) -> Option<&'a [u64]> {
        self.sides[side].columns.keys.values()
    }

    /// The slot of a pair of this batch that has not begun in this step: a number that is the pair's as long as it lasts, where
    /// [`pair_slots`](crate::BroadphaseConfig::pair_slots) are on. What an engine keeps for each pair, such as last frame's
    /// impulses, can be in a `Vec` by slot. `None` for a pair that begins in this step, whose slot comes with
    /// [`Step::began`](crate::Step::began); for pairs without events; and if slots are off. A pair that ends in this step but is
    /// still found, as predicted or without events, has its slot for the last time.
    ///
    /// After the first few, the next one in a step or plan waits for an index of all pairs of the last step, O(pairs); the others look
    /// into that. [`slots`](Self::slots) tells those of a batch for less.
    ///
    /// # Panics
    ///
    /// If a row is not in its category.
    #[inline]
    pub fn slot(&self, pair: [Row; 2]) -> Option<u32> {
        self.world.slots_then()?.of_pair(self.categories, pair)
    }

    /// The [`slot`](Self::slot) of the pair in this place of [`pairs`](Self::pairs). Within a step this reads a list, except in
    /// [predicted](Self::is_predicted) batches; there and outside of steps it costs as much as `slot`.
    ///
    /// # Panics
    ///
    /// If `place` is not less than the number of pairs.
    #[inline]
    pub fn slot_at(&self, place: usize) -> Option<u32> {
        match self.known_slots {
            Some(slots) => Some(slots[place]).filter(|&slot| slot != NO_SLOT),
            None => self.slot(self.pairs[place]),
        }
    }

    /// The list that [`slot_at`](Self::slot_at) reads: the slot of each pair, [`NO_SLOT`](crate::NO_SLOT) where it has none. `None` outside
    /// of steps, in [predicted](Self::is_predicted) batches, for pairs without events, and where slots are off.
    #[inline]
    pub fn slot_list(&self) -> Option<&'a [u32]> {
        self.known_slots
    }

    /// The [`slot`](Self::slot) of each pair, in the order of [`pairs`](Self::pairs).
    ///
    /// ```
    /// use throng::{Narrowphase, PairBatch};
    ///
    /// /// Adds up what is kept for each pair.
    /// struct Sum { kept: Vec<f32> }
    ///
    /// impl Narrowphase for Sum {
    ///     type Scratch = ();
    ///     type Output = f32;
    ///
    ///     fn collide(&self, batch: PairBatch<'_>, _: &mut (), sum: &mut f32) {
    ///         // A pair that begins has nothing yet.
    ///         for slot in batch.slots().flatten() {
    ///             *sum += self.kept[slot as usize];
    ///         }
    ///     }
    /// }
    /// ```
    pub fn slots(&self) -> impl ExactSizeIterator<Item = Option<u32>> + '_ {
        (0..self.pairs.len()).map(|place| self.slot_at(place))
    }

    /// The masks of a pair of this batch.
    ///
    /// # Panics
    ///
    /// If a row is not in its category, and the category has masks.
    #[inline]
    pub fn masks(&self, pair: [Row; 2]) -> [Masks; 2] {
        for_both(|side| self.sides[side].columns.masks(pair[side] as usize))
    }

    /// The centers of all rows of the category on one side (0 or 1) of the meeting.
    ///
    /// # Panics
    ///
    /// If `side` is neither 0 nor 1.
    #[inline]
    pub fn centers(&self, side: usize) -> [&'a [f32]; 2] {
        self.sides[side].columns.centers()
    }

    /// The boxes by which a pair was found: on an exact or oversized side the row's own, on a coarse side one with the
    /// bound.
    ///
    /// # Panics
    ///
    /// If a row is not in its category.
    #[inline]
    pub fn aabbs(&self, pair: [Row; 2]) -> [Aabb; 2] {
        for_both(|side| {
            let category = self.sides[side];
            category.aabb(pair[side] as usize, category.bound)
        })
    }

    /// The half extents by which a pair was found: on an exact or oversized side the row's own, on a coarse side the
    /// bound. Infinite on an axis with an infinite side.
    ///
    /// # Panics
    ///
    /// If a row is not in its category.
    #[inline]
    pub fn half_extents(&self, pair: [Row; 2]) -> [[f32; 2]; 2] {
        for_both(|side| {
            let category = self.sides[side];
            category.half_extents(pair[side] as usize, category.bound)
        })
    }
}
