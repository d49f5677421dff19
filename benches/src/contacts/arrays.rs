//! The arrays of an engine, and the narrowphase that reads them.

use throng::{Narrowphase, PairBatch, PairData, Permutation, prefetch};
use throng_core::Executor;

use super::{Circle, Contact, depth_and_approach, is_within, touch};

/// Circles in row order.
#[derive(Default)]
pub(super) struct Arrays {
    pub(super) xs: Vec<f32>,
    pub(super) ys: Vec<f32>,
    pub(super) vxs: Vec<f32>,
    pub(super) vys: Vec<f32>,
    pub(super) radii: Vec<f32>,
    pub(super) names: Vec<u32>,
}

impl Arrays {
    /// Adds a last row.
    pub(super) fn push(&mut self, circle: &Circle) {
        self.xs.push(circle.center[0]);
        self.ys.push(circle.center[1]);
        self.vxs.push(circle.velocity[0]);
        self.vys.push(circle.velocity[1]);
        self.radii.push(circle.radius);
        self.names.push(circle.name);
    }

    /// Takes a row out, puts the last one into the gap, and returns the name.
    pub(super) fn swap_remove(&mut self, row: usize) -> u32 {
        for column in self.floats() {
            column.swap_remove(row);
        }
        self.names.swap_remove(row)
    }

    fn floats(&mut self) -> [&mut Vec<f32>; 5] {
        let Self {
            xs,
            ys,
            vxs,
            vys,
            radii,
            ..
        } = self;
        [xs, ys, vxs, vys, radii]
    }

    /// Puts all of them into the order of the world's rows.
    pub(super) fn sort(
        &mut self,
        executor: &dyn Executor,
        sorted: &Permutation,
        spare: &mut (Vec<f32>, Vec<u32>),
    ) {
        const SAME: &str = "as many rows as the world";
        for column in self.floats() {
            sorted.apply_on(executor, column, &mut spare.0).expect(SAME);
        }
        let names = &mut self.names;
        sorted.apply_on(executor, names, &mut spare.1).expect(SAME);
    }
}

/// So many pairs before it is tested, what a pair needs is asked for.
const AHEAD: usize = 12;

/// Tests circles by reading them wherever they are, a pair after the other.
pub(super) struct Gather<'a> {
    pub(super) arrays: &'a Arrays,
    /// Whether rows are asked for ahead, because they are in no order.
    pub(super) prefetches: bool,
}

impl Narrowphase for Gather<'_> {
    type Scratch = ();
    type Output = Vec<Contact>;

    fn collide(&self, batch: PairBatch<'_>, _: &mut (), contacts: &mut Vec<Contact>) {
        let Arrays {
            xs,
            ys,
            vxs,
            vys,
            radii,
            ..
        } = self.arrays;
        let ahead = batch.pairs().iter().skip(AHEAD);
        let mut ahead = self.prefetches.then_some(ahead).into_iter().flatten();
        for &[a, b] in batch.pairs() {
            for &row in ahead.next().into_iter().flatten() {
                for column in [xs, ys, vxs, vys, radii] {
                    prefetch(column, row);
                }
            }
            let [i, j] = [a as usize, b as usize];
            let offset = [xs[j] - xs[i], ys[j] - ys[i]];
            let velocity = || [vxs[j] - vxs[i], vys[j] - vys[i]];
            if let Some([depth, approach]) = touch(offset, radii[i] + radii[j], velocity) {
                contacts.push(Contact {
                    a,
                    b,
                    depth,
                    approach,
                });
            }
        }
    }
}

/// Tests circles of one size by the centers that come with each pair; of the arrays only velocities are read, and only of
/// circles that touch.
pub(super) struct InHand<'a> {
    pub(super) arrays: &'a Arrays,
    /// The radius of every circle.
    pub(super) radius: f32,
    /// Whether velocities are asked for ahead, because rows are in no order.
    pub(super) prefetches: bool,
}

/// Finds who touches without a branch, and makes contacts of them afterwards: whether the next two touch cannot be predicted, and
/// a wrong guess takes longer than the test. Where everything has to be read from arrays first, it is slower: then guesses make
/// velocities of the next pairs come while the positions of these are still on their way.
impl Narrowphase for InHand<'_> {
    /// Places of pairs that touch.
    type Scratch = Vec<u32>;
    type Output = Vec<Contact>;
    const PAIR_DATA: PairData = PairData::Centers;

    fn collide(&self, batch: PairBatch<'_>, touching: &mut Vec<u32>, contacts: &mut Vec<Contact>) {
        let Arrays { vxs, vys, .. } = self.arrays;
        let (pairs, reach) = (batch.pairs(), self.radius + self.radius);
        let ([axs, ays], [bxs, bys]) = (batch.pair_centers(0), batch.pair_centers(1));
        let offset = |place: usize| [bxs[place] - axs[place], bys[place] - ays[place]];
        touching.resize(pairs.len(), 0);
        let mut end = 0;
        for (place, &rows) in pairs.iter().enumerate() {
            if self.prefetches {
                for row in rows {
                    prefetch(vxs, row);
                    prefetch(vys, row);
                }
            }
            touching[end] = place as u32;
            end += usize::from(is_within(offset(place), reach));
        }
        contacts.extend(touching[..end].iter().map(|&place| {
            let [a, b] = pairs[place as usize];
            let [i, j] = [a as usize, b as usize];
            let velocity = [vxs[j] - vxs[i], vys[j] - vys[i]];
            let [depth, approach] = depth_and_approach(offset(place as usize), reach, velocity);
            Contact {
                a,
                b,
                depth,
                approach,
            }
        }));
    }
}
