//! Trees that an engine keeps from frame to frame, with boxes larger than what is in them.

use rayon::prelude::*;
use throng_benches::{Population, Sides};

use crate::exact_pairs::ExactPairs;
use crate::hash_grid::overlap;
use crate::queries::{SpatialOrder, Touching, pairs_by_queries};
use crate::{Found, PairSum, Peer, Stopwatch};

/// By how much of its size a box is kept larger on each side; Box2D's own fraction.
const MARGIN: f32 = 0.125;

/// A tree whose leaves can be changed.
pub trait MovingTree: Touching + Send + Sized {
    /// What it is called in tables.
    const NAME: &'static str;
    /// How it is used.
    const WAY: &'static str;

    /// A tree of these.
    fn build(boxes: &[Sides]) -> Self;

    /// Nearly every box has changed: these rows have.
    fn change_most(&mut self, boxes: &[Sides], changed: &[u32]);

    /// These few rows have changed, and the others have not.
    fn change_few(&mut self, boxes: &[Sides], changed: &[u32]);
}

/// A frame of such a tree.
///
/// Where most things move, keeping pairs does not pay: the tree has the boxes as they are, and is asked for every row.
/// Where few do, the tree has larger boxes, and is asked only for those that have left theirs; pairs are kept, as an engine
/// keeps its contacts, and **keeping and comparing them is shown apart**.
pub struct Kept<T> {
    tree: Option<T>,
    boxes: Vec<Sides>,
    moved: Vec<u32>,
    movers: usize,
    order: SpatialOrder,
    /// What the tree has, where few move.
    larger: Vec<Sides>,
    pairs: ExactPairs,
}

impl<T> Kept<T> {
    /// Without a tree as yet.
    pub fn new() -> Self {
        Self {
            tree: None,
            boxes: Vec::new(),
            moved: Vec::new(),
            movers: 0,
            order: SpatialOrder::default(),
            larger: Vec::new(),
            pairs: ExactPairs::default(),
        }
    }
}

impl<T: MovingTree> Peer for Kept<T> {
    fn name(&self) -> &'static str {
        T::NAME
    }

    fn way(&self) -> &'static str {
        T::WAY
    }

    fn prepare(&mut self, population: &Population) {
        self.boxes.clear();
        self.boxes.extend(population.boxes());
        self.moved.clone_from(&population.moved);
        self.movers = population.movers();
        self.order.refreshed(&self.boxes, self.movers);
    }

    fn search<S: PairSum>(&mut self, threads: usize) -> Found<S> {
        if self.most_move() {
            self.search_anew(threads)
        } else {
            self.search_changes(threads)
        }
    }

    fn keeps(&self) -> bool {
        !self.most_move()
    }
}

impl<T: MovingTree> Kept<T> {
    fn most_move(&self) -> bool {
        self.moved.len() * 2 > self.movers
    }

    fn search_anew<S: PairSum>(&mut self, threads: usize) -> Found<S> {
        let started = Stopwatch::start(threads);
        match &mut self.tree {
            Some(tree) => tree.change_most(&self.boxes, &self.moved),
            None => self.tree = Some(T::build(&self.boxes)),
        }
        let tree = self.tree.as_ref().expect("it was just made");
        let sum = pairs_by_queries(tree, self.order.rows(), &self.boxes, threads);
        Found::since(started, sum)
    }

    fn search_changes<S: PairSum>(&mut self, threads: usize) -> Found<S> {
        let begun = Stopwatch::start(threads);
        self.pairs
            .begin(&self.boxes, &self.moved, self.movers as u32);
        let mut filter = begun.elapsed();

        let started = Stopwatch::start(threads);
        let changed = self.change();
        let tree = self.tree.as_ref().expect("it was made in a change");
        let found = partners(tree, &changed, &self.larger, threads);
        let time = started.elapsed();

        let begun = Stopwatch::start(threads);
        self.keep(&changed, &found);
        let sum = self.pairs.finish(&self.moved);
        filter += begun.elapsed();
        Found { sum, time, filter }
    }

    /// Brings the tree up to date, and says whose boxes have changed in it.
    fn change(&mut self) -> Vec<u32> {
        if self.tree.is_none() {
            self.larger = self.boxes.iter().map(enlarged).collect();
            self.tree = Some(T::build(&self.larger));
            return (0..self.movers as u32).collect();
        }
        let mut changed = Vec::new();
        for &row in &self.moved {
            let (own, larger) = (&self.boxes[row as usize], &mut self.larger[row as usize]);
            if !contains(larger, own) {
                *larger = enlarged(own);
                changed.push(row);
            }
        }
        if let Some(tree) = &mut self.tree {
            tree.change_few(&self.larger, &changed);
        }
        changed
    }

    /// Replaces all pairs of what has changed.
    fn keep(&mut self, changed: &[u32], found: &[[u32; 2]]) {
        for &row in changed {
            for partner in self.pairs.partners(row).to_vec() {
                self.pairs.remove(row, partner);
            }
        }
        for &[row, partner] in found {
            // Of two that have changed, each has found the other.
            let is_twice = changed.binary_search(&partner).is_ok();
            if row < partner || !is_twice {
                self.pairs.add(row, partner);
            }
        }
    }
}

/// Every row that has changed with every row that its box in the tree overlaps.
fn partners<T: MovingTree>(
    tree: &T,
    changed: &[u32],
    larger: &[Sides],
    threads: usize,
) -> Vec<[u32; 2]> {
    let of_part = |rows: &[u32]| {
        let (mut scratch, mut found) = (T::Scratch::default(), Vec::new());
        for &row in rows {
            let own = larger[row as usize];
            tree.touching(&own, &mut scratch, |other| {
                if other != row && overlap(&own, &larger[other as usize]) {
                    found.push([row, other]);
                }
            });
        }
        found
    };
    if threads == 1 {
        of_part(changed)
    } else {
        changed.par_chunks(128).flat_map_iter(of_part).collect()
    }
}

fn enlarged(&[min_x, min_y, max_x, max_y]: &Sides) -> Sides {
    let margin = MARGIN * (max_x - min_x).max(max_y - min_y);
    [
        min_x - margin,
        min_y - margin,
        max_x + margin,
        max_y + margin,
    ]
}

/// Whether the second lies in the first.
pub(crate) fn contains(a: &Sides, b: &Sides) -> bool {
    (a[0] <= b[0]) & (a[1] <= b[1]) & (b[2] <= a[2]) & (b[3] <= a[3])
}
