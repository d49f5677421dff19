//! Second pass of a frame: each category's structure is built from its columns, and the search is
//! planned.

use throng_core::Executor;

use crate::broadphase::Broadphase;
use crate::world::executor::workers;

impl Broadphase {
    /// Rebuilds every index and plans the chunks of the search. O(rows).
    pub(crate) fn index(&mut self, executor: &dyn Executor) {
        // Until it is done: an executor that panics must not leave a plan of half an index.
        self.is_index_stale = true;
        for category in &mut self.categories {
            category.index(executor);
        }
        self.plan_meetings(executor);
        self.is_index_stale = false;
    }

    fn plan_meetings(&mut self, executor: &dyn Executor) {
        self.planned.plan(&self.meetings, &self.categories);
        if self.planned.chunks() > 0 {
            let workers = workers(executor, self.planned.chunks());
            self.arenas.prepare(workers, self.planned.scratch_bytes());
        }
    }
}
