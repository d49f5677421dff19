//! The last pass of a mend: what a grid knows of its leaves.

use super::{MendScratch, Upkeep};
use crate::PointGrid;
use crate::leaf::{Bounds, Leaf, list_strips};
use crate::pieces::cut_into_pieces;

/// Chunks are cut again when more than one row in so many has come or gone: about as many as are in a chunk.
const PART_SHIFTED: usize = 64;

impl PointGrid {
    pub(super) fn finish_mend(&mut self, upkeep: &mut Upkeep, scratch: &mut MendScratch) {
        self.places_noted = false;
        self.tighten(&mut scratch.loose);
        let shift = |rows: usize| rows + scratch.arrivals.len() - scratch.departures.len();
        (self.rows, self.rows_given) = (shift(self.rows), shift(self.rows_given));
        if scratch.emptied {
            self.leaves.retain(|leaf| leaf.len > 0);
        }
        merge(&mut self.leaves, &scratch.founded);
        if scratch.emptied || !scratch.founded.is_empty() {
            list_strips(&self.leaves, &mut self.strips);
        }
        if scratch.recut || upkeep.shifted > self.rows / PART_SHIFTED {
            cut_into_pieces(&self.leaves, self.rows, &mut self.pieces, &mut self.chunks);
            upkeep.shifted = 0;
        }
        self.bounds = if scratch.gone.is_within(&self.bounds) {
            self.bounds.union(scratch.come)
        } else {
            Bounds::of_leaves(&self.leaves)
        };
        self.list_rejected(scratch);
        self.drop_unfit_plan(upkeep);
    }

    /// Makes the bounds of leaves tight again where a center on a side has moved.
    fn tighten(&mut self, loose: &mut Vec<u32>) {
        loose.sort_unstable();
        loose.dedup();
        for &leaf in &*loose {
            let centers = self.centers(&self.leaves[leaf as usize]);
            self.leaves[leaf as usize].bounds = Bounds::of(centers.xs, centers.ys);
        }
    }

    fn list_rejected(&mut self, scratch: &mut MendScratch) {
        let rejected = self.buckets.rejected_mut();
        if !rejected.is_empty() {
            scratch.readmitted.sort_unstable();
            rejected.retain(|row| scratch.readmitted.binary_search(row).is_err());
        }
        if !scratch.rejected.is_empty() {
            rejected.extend(&scratch.rejected);
            rejected.sort_unstable();
            rejected.dedup();
        }
    }
}

/// Puts some leaves among others; both are sorted by place.
fn merge(leaves: &mut Vec<Leaf>, founded: &[Leaf]) {
    let mut from = leaves.len();
    leaves.extend(founded);
    for (before, leaf) in founded.iter().enumerate().rev() {
        let at = leaves[..from].partition_point(|other| other.place() < leaf.place());
        leaves.copy_within(at..from, at + before + 1);
        leaves[at + before] = *leaf;
        from = at;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{GridConfig, MovedRow, Points};
    use throng_core::{Serial, lowest};
    use throng_scenes::uniform;

    #[test]
    fn leaves_come_between_others_and_at_both_ends() {
        let some = |blocks: &[i32]| -> Vec<Leaf> {
            blocks
                .iter()
                .map(|&block| Leaf::empty((0, block)))
                .collect()
        };
        for founded in 0..1 << 7 {
            let (mut new, mut old): (Vec<i32>, Vec<i32>) = (Vec::new(), Vec::new());
            for block in 0..7 {
                if founded >> block & 1 == 1 {
                    new.push(block)
                } else {
                    old.push(block)
                }
            }
            let mut leaves = some(&old);
            merge(&mut leaves, &some(&new));
            assert_eq!(leaves, some(&[0, 1, 2, 3, 4, 5, 6]));
        }
    }

    /// Many rows move to where the first chunk is, little by little.
    #[test]
    fn chunks_stay_even() {
        const ROWS: usize = 40_000;
        let mut scene = uniform(ROWS, 1.0, 1);
        let mut grid = PointGrid::new(GridConfig::new(scene.half)).unwrap();
        let points = Points::new(&scene.xs, &scene.ys);
        grid.build(points, &Serial).unwrap();
        let lowest = lowest(&scene.ys);
        for row in (0..ROWS).step_by(ROWS / 4000) {
            let from = Some([scene.xs[row], scene.ys[row]]);
            scene.ys[row] = lowest;
            let points = Points::new(&scene.xs, &scene.ys);
            let row = row as u32;
            assert_eq!(grid.mend(points, None, &[MovedRow { row, from }]), Ok(true));
            let rows_of = |chunk: &[u32]| -> u32 {
                let pieces = &grid.pieces[chunk[0] as usize..chunk[1] as usize];
                pieces.iter().map(|piece| piece.len).sum()
            };
            let most = grid.chunks.windows(2).map(rows_of).max();
            assert!(most < Some(7000), "{most:?}");
        }
    }
}
