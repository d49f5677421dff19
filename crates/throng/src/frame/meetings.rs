//! The meetings of a frame, and the chunks that they come to.

use crate::world::category::Category;
use crate::world::ids::CategoryId;
use crate::world::meets::MeetingTable;

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
