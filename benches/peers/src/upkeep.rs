//! How parry's tree is kept good.

use parry2d::partitioning::{Bvh, BvhWorkspace};

/// What is done after every leaf has been updated. Building the tree anew in every frame takes three times as long as either.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Upkeep {
    /// Nothing: bounds are made to fit, and the tree stays the one that was built for the first frame. The fastest as
    /// long as nothing gets far, and slower from frame to frame where things do. On one thread even where there are several:
    /// `refit_parallel`, which lays the tree out afresh, made frames of 100k boxes 1.4 times as long on two.
    Refit,
    /// As rapier does it: a part of the tree is built anew in every frame, then all of it is laid out afresh.
    Optimize,
}

impl Upkeep {
    /// Makes the tree fit its leaves again, on this many threads of the rayon pool that it is called in.
    pub fn keep_up(self, tree: &mut Bvh, workspace: &mut BvhWorkspace, threads: usize) {
        match self {
            Upkeep::Refit => tree.refit_without_opt(),
            Upkeep::Optimize => {
                tree.optimize_incremental(workspace);
                if threads == 1 {
                    tree.refit(workspace);
                } else {
                    tree.refit_parallel(workspace);
                }
            }
        }
    }
}
