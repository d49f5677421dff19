//! Which category meets which, and the chunks that this comes to in a frame.

use crate::world::category::Category;
use crate::world::config::{BroadphaseConfig, CategoryKind};
use crate::world::ids::CategoryId;

/// Which categories meet.
///
/// Kept as the lists of the config, sorted, not as a table of all pairs: most worlds name few or
/// none.
pub(crate) struct MeetingTable {
    /// Per category the ids in its list, ascending; `None` for all.
    lists: Vec<Option<Vec<u16>>>,
    /// Per category whether it never moves.
    fixed: Vec<bool>,
}

impl MeetingTable {
    /// O(m log m + c) in names listed and categories; `config` is checked.
    pub(crate) fn new(config: &BroadphaseConfig) -> Self {
        let ids: std::collections::HashMap<&str, u16> = config
            .categories
            .iter()
            .map(|category| category.name.as_str())
            .zip(0..)
            .collect();
        let list = |names: &Vec<String>| {
            let mut list: Vec<u16> = names.iter().map(|name| ids[name.as_str()]).collect();
            list.sort_unstable();
            list
        };
        Self {
            lists: config
                .categories
                .iter()
                .map(|category| category.meets.as_ref().map(list))
                .collect(),
            fixed: config
                .categories
                .iter()
                .map(|category| category.kind == CategoryKind::Scenery)
                .collect(),
        }
    }

    /// Whether either moves and neither's list leaves the other out. Symmetric.
    pub(crate) fn meets(&self, a: CategoryId, b: CategoryId) -> bool {
        let admits = |list: &Option<Vec<u16>>, other: CategoryId| {
            list.as_ref()
                .is_none_or(|list| list.binary_search(&other.raw()).is_ok())
        };
        let moves = !(self.fixed[a.index()] && self.fixed[b.index()]);
        moves && admits(&self.lists[a.index()], b) && admits(&self.lists[b.index()], a)
    }
}

/// The meetings of a frame that have anything to do, in the order of their chunks.
///
/// ```text
/// categories 0, 1, 2     0-0   0-1   0-2   1-1   1-2   2-2      those that meet, lower first
/// chunks                 0..9  9..12 12..13 ...                 first chunk of each, and `chunks` in all
/// ```
#[derive(Default)]
pub(crate) struct PlannedMeetings {
    meetings: Vec<Meeting>,
    chunks: usize,
    /// Arena bytes of the neediest chunk.
    scratch_bytes: usize,
}

/// One meeting and where its chunks begin.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Meeting {
    pub(crate) categories: [CategoryId; 2],
    pub(crate) first_chunk: usize,
}

impl PlannedMeetings {
    /// Plans what the indices as built come to. O(c²) in the categories that have rows in their
    /// index.
    pub(crate) fn plan(&mut self, table: &MeetingTable, categories: &[Category]) {
        self.clear();
        for (a, first) in occupied(categories, 0) {
            for (b, second) in occupied(categories, a) {
                let ids = [a, b].map(CategoryId::from_index);
                if !table.meets(ids[0], ids[1]) {
                    continue;
                }
                let (chunks, scratch) = if a == b {
                    first.structure.chunks()
                } else {
                    first.structure.meet_chunks(&second.structure)
                };
                if chunks > 0 {
                    self.meetings.push(Meeting {
                        categories: ids,
                        first_chunk: self.chunks,
                    });
                    self.chunks += chunks;
                    self.scratch_bytes = self.scratch_bytes.max(scratch);
                }
            }
        }
    }

    pub(crate) fn clear(&mut self) {
        self.meetings.clear();
        self.chunks = 0;
        self.scratch_bytes = 0;
    }

    pub(crate) fn chunks(&self) -> usize {
        self.chunks
    }

    pub(crate) fn scratch_bytes(&self) -> usize {
        self.scratch_bytes
    }

    pub(crate) fn meetings(&self) -> &[Meeting] {
        &self.meetings
    }

    /// Which meeting a chunk belongs to, as an index, if there is such a chunk. O(log m).
    pub(crate) fn meeting_of(&self, chunk: usize) -> Option<usize> {
        if chunk >= self.chunks {
            return None;
        }
        Some(
            self.meetings
                .partition_point(|meeting| meeting.first_chunk <= chunk)
                - 1,
        )
    }
}

fn occupied(categories: &[Category], from: usize) -> impl Iterator<Item = (usize, &Category)> {
    categories
        .iter()
        .enumerate()
        .skip(from)
        .filter(|(_, category)| !category.structure.is_empty())
}
