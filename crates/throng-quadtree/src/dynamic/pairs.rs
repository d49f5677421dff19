//! Every overlapping pair, once, node by node, without a set of the pairs already found.
//!
//! A node's elements are tested against each other, and against those of the nodes above that touch its square; these
//! are handed down from parent to child, fewer at each step. Two elements may meet in several nodes. The lower corner
//! of their overlap lies in exactly one node of each depth, so it lies in one of the nodes where they meet, and the
//! pair is reported there.

use crate::dynamic::config::MOST_DEPTH;
use crate::dynamic::cursor::{Cursor, Siblings};
use crate::dynamic::nodes::Node;
use crate::dynamic::slots::NONE;
use crate::dynamic::{Element, ElementId, Quadtree};
use std::cell::Cell;
use throng_core::{Arena, BoxRun, PairBuffer, PairOrder};

impl<T> Quadtree<T> {
    /// Visits every pair of elements whose boxes overlap, touching included, exactly once, the one with the lower
    /// index first. In the order of nodes.
    ///
    /// About O(elements + pairs). Allocates scratch memory whose size depends on the fullest nodes; to reuse it, see
    /// [`for_each_pair_in`](Self::for_each_pair_in).
    pub fn for_each_pair<'t>(&'t self, visit: impl FnMut(Element<'t, T>, Element<'t, T>)) {
        self.for_each_pair_in(&mut Arena::new(), visit);
    }

    /// As [`for_each_pair`](Self::for_each_pair), with scratch memory that the caller keeps from frame to frame;
    /// nothing is allocated once that is large enough.
    pub fn for_each_pair_in<'t>(
        &'t self,
        arena: &mut Arena,
        mut visit: impl FnMut(Element<'t, T>, Element<'t, T>),
    ) {
        arena.reset();
        let low = Cell::new(self.region.origin);
        let mut accept = |batch: &[[u32; 2]]| {
            for pair in batch {
                if self.share_above(low.get(), *pair) {
                    let [a, b] = pair.map(|index| self.element(index));
                    visit(a, b);
                }
            }
        };
        let mut out = PairBuffer::new(arena, &mut accept);
        let new_run = || BoxRun::with_capacity(arena, 0, false);
        let mut own = new_run();
        // For each depth: the elements of nodes above that touch the node there, and then, for its children, its own.
        let mut handed: [_; MOST_DEPTH as usize + 1] = std::array::from_fn(|_| new_run());
        let mut cursor = Cursor::new(&self.region);
        while let Some(at) = cursor.next() {
            let node = self.nodes.at(at.node);
            if node == Node::EMPTY {
                continue;
            }
            let depth = at.depth as usize;
            let (parents, own_depth) = handed.split_at_mut(depth);
            let above = &mut own_depth[0];
            above.clear();
            if let Some(parent) = parents.last()
                && !parent.is_empty()
            {
                above.make_room(arena, parent.len());
                let window = self.region.window(at.low, at.depth);
                self.simd
                    .touching(parent.sides(), parent.rows(), &window, above);
            }
            if node.list != NONE {
                low.set(at.low);
                self.gather(node.list, arena, &mut own);
                own.finish(None);
                self.simd.within(&own, &mut out);
                if !above.is_empty() {
                    above.finish(None);
                    self.simd.cross(&own, above, PairOrder::LowerRow, &mut out);
                }
                out.flush();
            }
            if !node.is_leaf() {
                if node.list != NONE {
                    above.make_room(arena, own.len());
                    above.append(own.sides(), own.rows());
                }
                let split = self.region.split(at.low, at.depth);
                cursor.enter(&at, node.children, split, Siblings::ALL);
            }
        }
    }

    /// The pairs that [`for_each_pair`](Self::for_each_pair) visits.
    #[must_use]
    pub fn find_pairs(&self) -> Vec<[ElementId; 2]> {
        let mut found = Vec::new();
        self.for_each_pair(|a, b| found.push([a.id, b.id]));
        found
    }

    /// Fills a run with the boxes of a list.
    fn gather<'a>(&self, list: u32, arena: &'a Arena, run: &mut BoxRun<'a>) {
        run.clear();
        for elements in self.lists.runs(list) {
            run.make_room(arena, elements.len());
            for &index in elements {
                let aabb = &self.boxes[index as usize];
                run.push([aabb.min(), aabb.max()], index);
            }
        }
    }

    /// Whether the lower corner of the overlap of two elements is at or above this lower corner of a node that both
    /// touch: then it is in the node.
    #[inline(always)]
    fn share_above(&self, low: [f32; 2], pair: [u32; 2]) -> bool {
        let [a, b] = pair.map(|index| self.boxes[index as usize].min());
        let origin = self.region.origin;
        let shared = |axis: usize| a[axis].max(b[axis]).max(origin[axis]);
        (low[0] <= shared(0)) & (low[1] <= shared(1))
    }
}
