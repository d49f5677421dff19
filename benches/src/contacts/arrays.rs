//! The arrays of an engine, and the narrowphase that reads them.

use throng::{Narrowphase, PairBatch, Permutation};
use throng_core::Executor;

use super::{Circle, Contact, touch};

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

/// Tests circles by reading them wherever they are, a pair after the other.
impl Narrowphase for Arrays {
    type Scratch = ();
    type Output = Vec<Contact>;

    fn collide(&self, batch: PairBatch<'_>, _: &mut (), contacts: &mut Vec<Contact>) {
        for &[a, b] in batch.pairs() {
            let [i, j] = [a as usize, b as usize];
            let offset = [self.xs[j] - self.xs[i], self.ys[j] - self.ys[i]];
            let velocity = || [self.vxs[j] - self.vxs[i], self.vys[j] - self.vys[i]];
            if let Some([depth, approach]) = touch(offset, self.radii[i] + self.radii[j], velocity)
            {
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
pub(super) struct PairData<'a> {
    pub(super) arrays: &'a Arrays,
    /// The radius of every circle.
    pub(super) radius: f32,
}

impl Narrowphase for PairData<'_> {
    type Scratch = ();
    type Output = Vec<Contact>;
    const PAIR_DATA: throng::PairData = throng::PairData::Centers;

    fn collide(&self, batch: PairBatch<'_>, _: &mut (), contacts: &mut Vec<Contact>) {
        let Arrays { vxs, vys, .. } = self.arrays;
        let ([axs, ays], [bxs, bys]) = (batch.pair_centers(0), batch.pair_centers(1));
        for (k, &[a, b]) in batch.pairs().iter().enumerate() {
            let [i, j] = [a as usize, b as usize];
            let offset = [bxs[k] - axs[k], bys[k] - ays[k]];
            let velocity = || [vxs[j] - vxs[i], vys[j] - vys[i]];
            if let Some([depth, approach]) = touch(offset, self.radius + self.radius, velocity) {
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
