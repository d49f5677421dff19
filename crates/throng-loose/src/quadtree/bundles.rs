//! Where rows are stored: sixteen side by side, in linked lists that make up a leaf.

use crate::quadtree::nodes::{
    Bounds, NONE, NOTHING, Node, give_back, keep_room, push_sparingly, union,
};
use educe::Educe;
use throng_core::{LANES, prefetch_for_reading};

/// Up to sixteen boxes of one leaf, each side in an array of its own: five cache lines, in the order that the search
/// kernels want.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub(super) struct Bundle {
    /// Lower x, lower y, upper x, upper y. NaN where there is no row.
    pub sides: [[f32; LANES]; 4],
    /// [`NONE`] where there is no row.
    pub rows: [u32; LANES],
}

impl Bundle {
    const EMPTY: Self = Self {
        sides: [[f32::NAN; LANES]; 4],
        rows: [NONE; LANES],
    };

    #[inline(always)]
    pub fn bounds_of(&self, lane: usize) -> Bounds {
        self.sides.map(|side| side[lane])
    }

    #[inline(always)]
    pub fn set_bounds(&mut self, lane: usize, bounds: Bounds) {
        for (sides, side) in self.sides.iter_mut().zip(bounds) {
            sides[lane] = side;
        }
    }

    /// Around all of its boxes, of which there is at least one.
    #[inline(always)]
    pub fn bounds(&self) -> Bounds {
        let [x0, y0, x1, y1] = &self.sides;
        [lowest(x0), lowest(y0), highest(x1), highest(y1)]
    }
}

/// The lowest of sixteen numbers that are not all NaN; NaNs are ignored. Four at a time, by a comparison that is one
/// instruction, which [`f32::min`] is not.
#[inline(always)]
fn lowest(side: &[f32; LANES]) -> f32 {
    let mut low = [f32::INFINITY; 4];
    for four in side.as_chunks::<4>().0 {
        for (low, &v) in low.iter_mut().zip(four) {
            *low = if v < *low { v } else { *low };
        }
    }
    low.into_iter().fold(f32::INFINITY, f32::min)
}

#[inline(always)]
fn highest(side: &[f32; LANES]) -> f32 {
    let mut high = [f32::NEG_INFINITY; 4];
    for four in side.as_chunks::<4>().0 {
        for (high, &v) in high.iter_mut().zip(four) {
            *high = if v > *high { v } else { *high };
        }
    }
    high.into_iter().fold(f32::NEG_INFINITY, f32::max)
}

/// What is known about a bundle besides its boxes. Kept apart, so that boxes stay in whole cache lines.
#[derive(Clone, Debug)]
pub(super) struct Link {
    /// The next bundle of the leaf, or of the free list.
    pub next: u32,
    /// The leaf it belongs to.
    pub owner: Node,
    /// How many rows it holds; only the first bundle of a leaf may have fewer than sixteen. 0 if free.
    pub len: u32,
    /// Whether `bounds` still have to be computed.
    pub stale: bool,
    /// Of its boxes.
    pub bounds: Bounds,
}

/// Where a row is stored: sixteen times its bundle, plus the lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Slot(pub u32);

impl Slot {
    /// The slot of a row that is not held.
    pub const NONE: Slot = Slot(NONE);

    #[inline(always)]
    pub fn of(bundle: u32, lane: u32) -> Slot {
        Slot(bundle * LANES as u32 + lane)
    }

    #[inline(always)]
    pub fn bundle(self) -> u32 {
        self.0 / LANES as u32
    }

    #[inline(always)]
    pub fn lane(self) -> usize {
        (self.0 % LANES as u32) as usize
    }
}

/// Bundles in one vector, the free ones linked through `next`.
///
/// ```text
///   a leaf of 37 rows   bundle 7            bundle 3            bundle 9
///                       ▓▓▓▓▓░░░░░░░░░░░ ─► ▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓ ─► ▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓ ─► NONE
///                       rows come and go here
/// ```
#[derive(Debug, Educe)]
#[educe(Clone)]
pub(super) struct Bundles {
    boxes: Vec<Bundle>,
    links: Vec<Link>,
    free: u32,
    free_count: usize,
}

impl Bundles {
    pub fn new() -> Self {
        Self {
            boxes: Vec::new(),
            links: Vec::new(),
            free: NONE,
            free_count: 0,
        }
    }

    /// Frees all bundles and keeps the memory.
    pub fn clear(&mut self) {
        self.boxes.clear();
        self.links.clear();
        self.free = NONE;
        self.free_count = 0;
    }

    #[inline(always)]
    pub fn boxes(&self, bundle: u32) -> &Bundle {
        &self.boxes[bundle as usize]
    }

    #[inline(always)]
    pub fn boxes_mut(&mut self, bundle: u32) -> &mut Bundle {
        &mut self.boxes[bundle as usize]
    }

    #[inline(always)]
    pub fn link(&self, bundle: u32) -> &Link {
        &self.links[bundle as usize]
    }

    #[inline(always)]
    pub fn link_mut(&mut self, bundle: u32) -> &mut Link {
        &mut self.links[bundle as usize]
    }

    /// Fetches a bundle that will be read very soon.
    #[inline(always)]
    pub fn prefetch(&self, bundle: u32) {
        prefetch_for_reading(self.boxes(bundle));
        prefetch_for_reading(self.link(bundle));
    }

    /// All bundles, including free ones, and their links: for passes in memory order.
    pub fn all_mut(&mut self) -> (&mut [Bundle], &mut [Link]) {
        (&mut self.boxes, &mut self.links)
    }

    /// The bundles of a leaf, starting with its first.
    #[inline]
    pub fn linked_from(&self, first: u32) -> impl Iterator<Item = u32> {
        let linked = |bundle: u32| (bundle != NONE).then_some(bundle);
        std::iter::successors(linked(first), move |&bundle| linked(self.link(bundle).next))
    }

    /// Takes a free bundle, and links it in front of `next`.
    fn take(&mut self, next: u32, owner: Node) -> u32 {
        let link = Link {
            next,
            owner,
            len: 0,
            stale: true,
            bounds: NOTHING,
        };
        if self.free == NONE {
            push_sparingly(&mut self.boxes, Bundle::EMPTY);
            push_sparingly(&mut self.links, link);
            return self.boxes.len() as u32 - 1;
        }
        let bundle = self.free;
        self.free = self.link(bundle).next;
        self.free_count -= 1;
        *self.link_mut(bundle) = link;
        *self.boxes_mut(bundle) = Bundle::EMPTY;
        bundle
    }

    /// Frees a bundle, wherever it was linked.
    pub fn release(&mut self, bundle: u32) {
        *self.link_mut(bundle) = Link {
            next: self.free,
            owner: Node::NONE,
            len: 0,
            stale: true,
            bounds: NOTHING,
        };
        self.free = bundle;
        self.free_count += 1;
    }

    /// Adds a row to leaf `owner`, whose first bundle is `first`; that may change.
    #[inline]
    pub fn push(&mut self, first: &mut u32, owner: Node, row: u32, bounds: Bounds) -> Slot {
        if *first == NONE || self.link(*first).len == LANES as u32 {
            *first = self.take(*first, owner);
        }
        let lane = self.link(*first).len;
        let link = self.link_mut(*first);
        link.len += 1;
        link.stale = true;
        let boxes = self.boxes_mut(*first);
        boxes.set_bounds(lane as usize, bounds);
        boxes.rows[lane as usize] = row;
        Slot::of(*first, lane)
    }

    /// Changes the box in a slot.
    #[inline]
    pub fn set(&mut self, slot: Slot, bounds: Bounds) {
        self.boxes_mut(slot.bundle())
            .set_bounds(slot.lane(), bounds);
        self.link_mut(slot.bundle()).stale = true;
    }

    /// Bounds of all boxes of a leaf.
    pub fn leaf_bounds(&mut self, first: u32) -> Bounds {
        let (mut bounds, mut bundle) = (NOTHING, first);
        while bundle != NONE {
            let link = &mut self.links[bundle as usize];
            if link.stale {
                link.bounds = self.boxes[bundle as usize].bounds();
                link.stale = false;
            }
            bounds = union(bounds, link.bounds);
            bundle = link.next;
        }
        bounds
    }

    /// Removes a row from the leaf whose first bundle is `first`, which may change. The last row of the leaf fills the
    /// gap; unless it is the removed row, it is returned: it is in `slot` now.
    #[inline]
    pub fn swap_remove(&mut self, first: &mut u32, slot: Slot) -> Option<u32> {
        let source = *first;
        let last = self.link(source).len - 1;
        let (row, bounds) = {
            let boxes = self.boxes(source);
            (boxes.rows[last as usize], boxes.bounds_of(last as usize))
        };
        let moved = (slot != Slot::of(source, last)).then_some(row);
        if moved.is_some() {
            self.set(slot, bounds);
            self.boxes_mut(slot.bundle()).rows[slot.lane()] = row;
        }
        let boxes = self.boxes_mut(source);
        boxes.set_bounds(last as usize, NOTHING);
        boxes.rows[last as usize] = NONE;
        let link = self.link_mut(source);
        link.len = last;
        link.stale = true;
        if last == 0 {
            *first = self.link(source).next;
            self.release(source);
        }
        moved
    }

    /// How many bundles are in use.
    pub fn used(&self) -> usize {
        self.boxes.len() - self.free_count
    }

    /// How many bundles are in the vector, including free ones.
    pub fn slots(&self) -> usize {
        self.boxes.len()
    }

    /// How many bundles fit before the pool has to grow.
    pub fn capacity(&self) -> usize {
        self.boxes.capacity()
    }

    pub fn free_bundles(&self) -> impl Iterator<Item = u32> {
        self.linked_from(self.free)
    }

    /// Moves each bundle to the index that `to` gives, and truncates to `used`. Overwrites `to`. Links must already use
    /// the new indices.
    pub fn arrange(&mut self, to: &mut [u32], used: usize) {
        for i in 0..to.len() {
            while to[i] as usize != i {
                let target = to[i] as usize;
                self.boxes.swap(i, target);
                self.links.swap(i, target);
                to.swap(i, target);
            }
        }
        self.boxes.truncate(used);
        self.links.truncate(used);
        give_back(&mut self.boxes);
        give_back(&mut self.links);
        keep_room(&mut self.boxes);
        keep_room(&mut self.links);
        self.free = NONE;
        self.free_count = 0;
    }

    pub fn bytes(&self) -> usize {
        self.boxes.capacity() * size_of::<Bundle>() + self.links.capacity() * size_of::<Link>()
    }
}
