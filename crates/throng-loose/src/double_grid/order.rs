//! The order in which loose cells are walked.

use educe::Educe;

use super::layout::TOP;
use super::loose::LooseCells;
use super::pool::NONE;

/// Loose cells by their index as leaves: first those of the last clean-up, sorted by their keys, then those made since,
/// in the order they were made.
///
/// In this order, what one cell finds nearby is still in the cache for the next. And since levels ascend, a cell never
/// looks for smaller ones: small cells find large ones, through small windows.
#[derive(Debug, Default, Educe)]
#[educe(Clone)]
pub(super) struct Order {
    /// The cell of each leaf; [`NONE`] where the cell is gone.
    leaves: Vec<u32>,
    sorted: usize,
    /// Whether some leaf's cell is gone.
    has_gaps: bool,
    /// Scratch of the merge.
    late: Vec<u32>,
}

impl Order {
    pub fn clear(&mut self) {
        self.leaves.clear();
        self.sorted = 0;
        self.has_gaps = false;
    }

    pub fn leaves(&self) -> &[u32] {
        &self.leaves
    }

    /// The index that the next cell to be [`push`](Self::push)ed will get.
    pub fn next(&self) -> u32 {
        self.leaves.len() as u32
    }

    pub fn push(&mut self, id: u32) {
        self.leaves.push(id);
    }

    pub fn forget(&mut self, leaf: u32) {
        self.leaves[leaf as usize] = NONE;
        self.has_gaps = true;
    }

    /// Whether [`sort`](Self::sort) has anything to do.
    pub fn is_sorted(&self) -> bool {
        !self.has_gaps && self.sorted == self.leaves.len()
    }

    /// The lowest level among the leaves from `first` on, including those made since the last clean-up.
    #[inline(always)]
    pub fn lowest_level(&self, first: usize, cells: &LooseCells) -> u8 {
        // New cells are not sorted by level, and a gap does not say what level it was.
        if self.sorted < self.leaves.len() {
            return 0;
        }
        match self.leaves.get(first) {
            Some(&NONE) => 0,
            Some(&id) => cells.get(id).key.level(),
            None => TOP,
        }
    }

    /// Closes the gaps and merges the new cells in. O(cells + new · log new).
    pub fn sort(&mut self, cells: &mut LooseCells) {
        let key = |id: u32| cells.get(id).key;
        self.late.clear();
        self.late
            .extend(self.leaves[self.sorted..].iter().filter(|&&id| id != NONE));
        self.late.sort_unstable_by_key(|&id| key(id));
        self.leaves.truncate(self.sorted);
        self.leaves.retain(|&id| id != NONE);

        // From the back, so that it needs no second array.
        let mut early = self.leaves.len();
        let mut late = self.late.len();
        self.leaves.resize(early + late, NONE);
        while late > 0 {
            let is_early = early > 0 && key(self.leaves[early - 1]) > key(self.late[late - 1]);
            let at = early + late - 1;
            if is_early {
                early -= 1;
                self.leaves[at] = self.leaves[early];
            } else {
                late -= 1;
                self.leaves[at] = self.late[late];
            }
        }
        self.sorted = self.leaves.len();
        self.has_gaps = false;
        for (leaf, &id) in self.leaves.iter().enumerate() {
            cells.get_mut(id).leaf = leaf as u32;
        }
    }

    /// How many leaves are sorted.
    pub fn sorted(&self) -> usize {
        self.sorted
    }

    pub fn bytes(&self) -> usize {
        (self.leaves.capacity() + self.late.capacity()) * size_of::<u32>()
    }
}
