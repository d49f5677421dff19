//! The dynamic quadtree: its parts, and operations on a single element.
//!
//! | file | holds |
//! |---|---|
//! | `config`, `error`, `element` | settings, what is refused, what searches return |
//! | `region` | the lines that divide the plane, and how deep a box may go |
//! | `nodes`, `lists`, `slots` | nodes, the elements in each, and the pool that both live in |
//! | `cursor` | the walk through the tree |
//! | `place` | adding an element to its nodes, removing it, dividing a leaf |
//! | `change` | insert, move, remove |
//! | `clean_up` | merge, choose the region, free memory: once a frame |
//! | `search`, `pairs` | queries and pairs |
//! | `inspect`, `validate` | drawing, memory, invariants |

mod change;
mod clean_up;
mod config;
mod cursor;
mod element;
mod error;
mod inspect;
mod lists;
mod nodes;
mod pairs;
mod place;
mod region;
mod search;
mod sides;
mod slots;
mod validate;

pub use config::QuadtreeConfig;
pub use element::{Element, ElementId};
pub use error::{MOST_ELEMENTS, QuadtreeError};
pub use inspect::{QuadtreeMemory, QuadtreeNode};

use clean_up::Scratch;
use lists::Lists;
use nodes::Nodes;
use region::{Limits, Region};
use throng_core::{Aabb, Pool, Simd, SimdLevel, for_both};

/// A quadtree of boxes that come, go and move, each with a value of any type: one general index for tools and
/// engines.
///
/// ```text
///   ┌───────────────┬───────┬───────┐
///   │               │       │       │      Dots are boxes: a is in one leaf, b in two.
///   │       a       │     ··b··     │
///   │               │       │       │      c, if it may be in two nodes, is in the two upper quarters: in
///   │               ├───────┼───────┤      a leaf, and in an inner node.
///   │               │       │       │
///   │  ·············c············   │
///   │               │       │       │      node   ┌──────────┬──────┐        ┌──────────────────┬───┬───┐
///   ├───────────────┼───────┴───────┤             │ children │ list ─┼──────► │ 13 elements      │len│ … │
///   │               │               │             └──────────┴──────┘        └──────────────────┴───┴───┘
///   │               │               d···          8 bytes                     64 bytes, and more if need be
///   │               │               │
///   └───────────────┴───────────────┘      d lies beyond the region, where the outermost nodes extend to infinity.
/// ```
///
/// ```
/// use std::ops::ControlFlow;
/// use throng_core::Aabb;
/// use throng_quadtree::{Quadtree, QuadtreeConfig};
///
/// let mut tree = Quadtree::new(QuadtreeConfig::new())?;
/// let wall = tree.insert(Aabb::new([0.0, 0.0], [100.0, 2.0])?, "wall")?;
/// let door = tree.insert(Aabb::new([90.0, 1.0], [91.0, 3.0])?, "door")?;
/// let tower = tree.insert(Aabb::new([5.0, 5.0], [6.0, 6.0])?, "tower")?;
/// assert_eq!(tree.find_pairs(), [[wall, door]]);
///
/// tree.set_aabb(tower, Aabb::new([90.5, 2.0], [92.0, 9.0])?)?;
/// tree.clean_up();
/// let first = tree.query_point([91.5, 8.0], |element| ControlFlow::Break(*element.value()))?;
/// assert_eq!(first, ControlFlow::Break("tower"));
/// assert_eq!(tree.remove(door)?, "door");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// The idea is Dragon Energy's, from the answers to "Efficient (and well explained) implementation of a Quadtree for
/// 2D collision detection" (Stack Overflow, 2018): nodes of eight bytes, four siblings side by side, nodes' boxes
/// computed on the way down rather than stored, elements stored once and listed in every leaf that they touch, free
/// lists, and a clean-up once a frame.
///
/// # What is different here
///
/// - **A node lists its elements thirteen to a cache line**, not in a linked list of single ones. That made box
///   queries two to six times as fast and pairs two to three times (100,000 boxes, equal ones and of 1 to 100).
///   Storing copies of the boxes beside them made neither faster, and moves five to twelve times slower.
/// - **Boxes have a level.** An element goes down while it touches at most [`max_copies`](QuadtreeConfig::max_copies)
///   nodes, and is listed in those, inner ones too. So a wall across the world, or an infinite box, takes no more
///   entries than any other, and a search meets it on its way down.
/// - **All lines are multiples of a power of two**, so the boxes of nodes are exact. Whether an element touches one
///   is a comparison of stored numbers, with the same answer every time.
/// - **A move that stays in its nodes**, as most do, writes the box and nothing else.
///
/// With `max_copies` of 1 this becomes the tree in which each value lives in the smallest node that wholly contains
/// it (Gershon Kedem, "The quad-CIF tree", 1982). Whatever crosses a line then stays near the root, in the way of
/// every search. For 100,000 boxes of 1 to 100, one pair each, 1 against 8 took 2240 ns against 240 for a box query
/// with one hit, 49 against 35 per box for all pairs, 37 either way for a small move, and 330 against 390 for an
/// insertion, the only thing it is better at. With equal boxes, in towns, among walls, and for 10,000 boxes the
/// picture is the same.
///
/// # Changing it
///
/// [`insert`](Self::insert), [`set_aabb`](Self::set_aabb) and [`remove`](Self::remove) change one element, and
/// searches see every change at once. A leaf that is too full is divided on the spot; nearly empty ones are merged by
/// [`clean_up`](Self::clean_up), to be called once a frame. Answers are right without it; it only keeps them fast.
///
/// Searches take `&self`, may run on many threads at once, and report nothing twice: an element or a pair is reported
/// by the one node that holds the lower corner of the overlap.
///
/// # Where the elements are
///
/// There are no world bounds. The tree divides a square around most of its elements. It chooses another when many
/// have left it: checked when their number has doubled, and in a clean-up. What is outside belongs to the outermost
/// nodes; it is found just as exactly, and costs more the more of it there is. A [`region`](QuadtreeConfig::region)
/// set in the config is never changed.
///
/// Any number of boxes may lie on one spot. They end up in the deepest nodes allowed, and removing one searches for
/// it among them.
///
/// # Memory
///
/// An element takes its value, 25 bytes or a little more, and 4 bytes for each node that it is in, in bundles that
/// are seldom full: 55 bytes altogether for 100,000 boxes with values of 4 bytes. There is a node for about every ten
/// of those. Clean-ups free nodes and lists when most are unused; the slots of elements are kept for later ones.
/// Nothing depends on the area of the world.
///
/// # Invariants
///
/// Checked by [`validate`](Self::validate): every element is listed exactly once in each node at its level that its
/// box touches, or in the leaf above it; inner nodes hold none that may go deeper; no leaf holds more of those than
/// [`split_above`](QuadtreeConfig::split_above); counts are right; everything not in use is in a free list.
#[derive(Clone, Debug)]
pub struct Quadtree<T> {
    limits: Limits,
    split_above: u32,
    simd: Simd,
    region: Region,
    /// Whether the region is the tree's own choice.
    region_is_chosen: bool,
    /// The number of elements at which an insertion next checks whether the region still suits.
    next_look: usize,
    values: Pool<T>,
    /// Each element's box, by index; apart from the values, because searches read nothing else.
    boxes: Vec<Aabb>,
    /// The current generation of each index, from which a search makes ids without reading the values.
    generations: Vec<u32>,
    /// By index: none of the element's nodes is deeper than this.
    deepest: Vec<u8>,
    nodes: Nodes,
    lists: Lists,
    /// Whether any element has entered or left a node since the last clean-up.
    changed: bool,
    scratch: Scratch,
}

impl<T> Quadtree<T> {
    /// An empty tree.
    ///
    /// # Errors
    ///
    /// If a setting is out of range, or this machine does not have the instruction set asked for.
    pub fn new(config: QuadtreeConfig) -> Result<Self, QuadtreeError> {
        config.check()?;
        let simd = Simd::new(config.simd)?;
        let limits = Limits {
            max_depth: config.max_depth,
            min_node_size: config.min_node_size,
            max_copies: config.max_copies,
        };
        let extent = match config.region {
            Some(region) => {
                let (min, max) = (region.min(), region.max());
                for_both(|axis| [f64::from(min[axis]), f64::from(max[axis])])
            }
            None => [[0.0, 1.0]; 2],
        };
        Ok(Self {
            limits,
            split_above: config.split_above as u32,
            simd,
            region: Region::around(extent, limits),
            region_is_chosen: config.region.is_none(),
            next_look: config.split_above,
            values: Pool::with_max_slots(MOST_ELEMENTS),
            boxes: Vec::new(),
            generations: Vec::new(),
            deepest: Vec::new(),
            nodes: Nodes::new(),
            lists: Lists::with_capacity(0),
            changed: false,
            scratch: Scratch::default(),
        })
    }

    /// How many elements there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there are no elements.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Whether the element is there. O(1).
    #[must_use]
    pub fn contains(&self, id: ElementId) -> bool {
        self.values.contains(id.0)
    }

    /// An element's value. O(1).
    ///
    /// # Errors
    ///
    /// If it is no longer there.
    pub fn get(&self, id: ElementId) -> Result<&T, QuadtreeError> {
        self.values.get(id.0).ok_or(QuadtreeError::Stale { id })
    }

    /// An element's value, mutably. O(1).
    ///
    /// # Errors
    ///
    /// If it is no longer there.
    pub fn get_mut(&mut self, id: ElementId) -> Result<&mut T, QuadtreeError> {
        self.values.get_mut(id.0).ok_or(QuadtreeError::Stale { id })
    }

    /// An element's box, as given. O(1).
    ///
    /// # Errors
    ///
    /// If it is no longer there.
    pub fn aabb(&self, id: ElementId) -> Result<Aabb, QuadtreeError> {
        if !self.contains(id) {
            return Err(QuadtreeError::Stale { id });
        }
        Ok(self.boxes[id.index() as usize])
    }

    /// Every element, in order of index. O(most elements there ever were).
    pub fn iter(&self) -> impl Iterator<Item = Element<'_, T>> {
        self.values
            .iter()
            .map(|(handle, _)| self.element(handle.index()))
    }

    /// The instruction set in use.
    #[must_use]
    pub fn simd(&self) -> SimdLevel {
        self.simd.level()
    }

    /// The element with this index, which is in the tree.
    #[inline(always)]
    fn element(&self, index: u32) -> Element<'_, T> {
        let generation = self.generations[index as usize];
        Element {
            id: ElementId::new(index, generation),
            aabb: self.boxes[index as usize],
            values: &self.values,
        }
    }
}
