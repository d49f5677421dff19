//! What comes with pairs besides rows, for engines that cannot put their arrays into another order.
//!
//! Ways to hand it over were measured; they are in the header of `throng-grid/src/sink.rs`, which has those that won. Only
//! the point grid keeps centers to hand out. Boxes of any size are stored by their sides, from which a center cannot be told
//! to the bit, and there are few of them: their values are read from the world's columns, batch by batch.

use throng_core::HeldPairs;

use crate::frame::narrowphase::PairBatch;
use crate::world::category::Category;

/// What a [`Narrowphase`](crate::Narrowphase) is handed with each pair besides rows: its
/// [`PAIR_DATA`](crate::Narrowphase::PAIR_DATA).
///
/// For engines whose arrays are in an order of their own, as in most ECS. There each look at a row of an array is a wait for
/// memory once the arrays outgrow the caches; but the search has just had the row's center and size in the fastest
/// one. A first test of circles or boxes that uses nothing else touches no array, and only true contacts do. If you can
/// reorder your arrays, [`sort_rows`](crate::Broadphase::sort_rows) is better: it makes every read cheap.
///
/// It costs time for each pair, whether or not the narrowphase looks at it: on one core of a server with AVX-512, 2 ns
/// for centers and 2.5 for boxes. A narrowphase that asks for nothing pays nothing. Batches are shorter with it, up to
/// 256 pairs; the pairs and their order are the same.
///
/// ```
/// use throng::{Broadphase, BroadphaseConfig, CategoryConfig, PairData, Narrowphase, PairBatch, Proxy};
///
/// /// An engine's components, in an order that has nothing to do with rows.
/// struct Bubbles { speeds: Vec<f32> }
///
/// impl Narrowphase for Bubbles {
///     type Scratch = ();
///     /// The keys of two bubbles that touch, how deep, and how fast they are together.
///     type Output = Vec<([u64; 2], f32, f32)>;
///     const PAIR_DATA: PairData = PairData::Boxes;
///
///     fn collide(&self, batch: PairBatch<'_>, _scratch: &mut (), touching: &mut Self::Output) {
///         let ([ax, ay], [bx, by]) = (batch.pair_centers(0), batch.pair_centers(1));
///         // A bubble is as wide as its box.
///         let ([a_radii, _], [b_radii, _]) = (batch.pair_half_extents(0), batch.pair_half_extents(1));
///         for (k, &pair) in batch.pairs().iter().enumerate() {
///             let (dx, dy) = (ax[k] - bx[k], ay[k] - by[k]);
///             let (reach, squared) = (a_radii[k] + b_radii[k], dx * dx + dy * dy);
///             if squared < reach * reach {
///                 let keys = batch.keys(pair);
///                 let speeds = keys.map(|key| self.speeds[key as usize]);
///                 touching.push((keys, reach - squared.sqrt(), speeds[0] + speeds[1]));
///             }
///         }
///     }
/// }
///
/// let bubbles = CategoryConfig::uniform("bubbles", 2.0);
/// let mut world = Broadphase::new(BroadphaseConfig::new().category(bubbles))?;
/// for (key, x, y, radius) in [(2, 0.0, 0.0, 1.0), (0, 2.5, 0.0, 2.0), (1, -1.5, 1.5, 1.0)] {
///     world.insert(Proxy::centered([x, y], [radius; 2])?.key(key))?;
/// }
/// let step = world.step(&Bubbles { speeds: vec![3.0, 5.0, 1.0] });
/// // The boxes of the first and the last overlap, but the bubbles do not touch.
/// assert_eq!(step.report().pairs, 2);
/// let touching: Vec<_> = step.outputs().flatten().collect();
/// assert_eq!(touching, [&([2, 0], 0.5, 4.0)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Which values
///
/// In a step they are those of the world's columns, bit for bit: what [`PairBatch::centers`] has at the pair's rows, and
/// what [`PairBatch::half_extents`] returns. Where an engine calls [`Plan::collide`](crate::Plan::collide) after it has
/// written to the columns of a world that was refreshed before, a value in hand is either that of the index, by which the
/// pair was found, or the new one: of a uniform category mostly the former, of others the latter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PairData {
    /// Nothing: rows alone.
    #[default]
    Nothing,
    /// The centers of both: [`PairBatch::pair_centers`].
    Centers,
    /// The centers of both, and the half extents by which the pair was found: [`PairBatch::pair_half_extents`] too.
    Boxes,
}

impl<'a> PairBatch<'a> {
    /// The centers of the members of each pair on one side (0 or 1), along x and along y, in the order of
    /// [`pairs`](Self::pairs).
    ///
    /// # Panics
    ///
    /// If the batch was made for a narrowphase that does not ask for them by its
    /// [`PAIR_DATA`](crate::Narrowphase::PAIR_DATA), or `side` is neither 0 nor 1.
    #[inline]
    pub fn pair_centers(&self, side: usize) -> [&'a [f32]; 2] {
        let held = self
            .held
            .expect("`pair_centers` needs `const PAIR_DATA: PairData = PairData::Centers`, or `Boxes`, in the narrowphase");
        held.centers(side)
    }

    /// The half extents by which each pair was found, of the members on one side (0 or 1), along x and along y: the rows'
    /// own on an exact or oversized side, the bound on a coarse one, infinite on an axis with an infinite side.
    ///
    /// # Panics
    ///
    /// If the batch was made for a narrowphase that does not ask for them by its
    /// [`PAIR_DATA`](crate::Narrowphase::PAIR_DATA), or `side` is neither 0 nor 1.
    #[inline]
    pub fn pair_half_extents(&self, side: usize) -> [&'a [f32]; 2] {
        let held = self.held.filter(|held| held.wants_half_extents());
        let held = held.expect(
            "`pair_half_extents` needs `const PAIR_DATA: PairData = PairData::Boxes` in the narrowphase",
        );
        held.half_extents(side)
    }
}

/// Writes the values that the search has left out, from the columns of the two categories.
pub(crate) fn fill_unknown(held: &mut HeldPairs, sides: [&Category; 2]) {
    for (side, category) in sides.into_iter().enumerate() {
        if !held.is_known(side) {
            let center = |row: usize| category.columns.center(row);
            held.fill(side, center, |row| {
                category.half_extents(row, category.bound)
            });
        }
    }
}
