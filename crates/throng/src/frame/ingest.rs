//! What a frame begins with: runs queued commands, and lists rejected rows.

use std::mem;

use crate::broadphase::Broadphase;
use crate::error::CommandError;
use crate::frame::report::RejectedCenter;
use crate::world::rows::Placement;
use crate::write::command_queue::{Action, CommandDone, CommandOutcome};

impl Broadphase {
    /// The results of the commands that ran in the last [`ingest`](Self::ingest), in the order in which they ran: all inserts,
    /// removals and migrations, and everything that failed. Successful moves are not listed.
    ///
    /// A step and a refresh begin with an ingest, and so do [`reconfigure`](Self::reconfigure) and
    /// [`shrink_to_fit`](Self::shrink_to_fit): read this before the next of them.
    pub fn ingested(&self) -> &[CommandOutcome] {
        &self.inbox.outcomes
    }

    /// Runs what other threads have queued, and nothing else. This is the first part of a [`step`](Self::step), for an
    /// engine that mirrors rows.
    ///
    /// A step runs queued commands and then calls the narrowphase, which may then see rows that the engine does not
    /// know yet. So call this first, update the engine's arrays from [`ingested`](Self::ingested), then step. Do not
    /// queue commands in between: that step would run them. A second call without new commands costs nothing, and leaves
    /// [`ingested`](Self::ingested) empty. The report of a step counts what ran since the previous step or refresh.
    ///
    /// ```
    /// use throng::{Broadphase, BroadphaseConfig, CategoryConfig, CommandDone, Proxy};
    ///
    /// let mut world = Broadphase::new(BroadphaseConfig::new().category(CategoryConfig::uniform("bats", 0.5)))?;
    /// let mut names = Vec::new(); // one for each row
    /// world.sender().insert(Proxy::centered([1.0, 2.0], [0.3, 0.3])?.key(7));
    ///
    /// world.ingest();
    /// for outcome in world.ingested() {
    ///     if let Ok(CommandDone::Inserted(new)) = outcome.result {
    ///         assert_eq!(new.row as usize, names.len());
    ///         names.push(world.get(new.id).unwrap().key);
    ///     }
    /// }
    /// world.step_pairs();
    /// assert_eq!(names, [7]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn ingest(&mut self) {
        let batch = self.inbox.take_batch();
        self.inbox.outcomes.clear();
        self.inbox.ran += batch.len();
        for command in &batch {
            let outcome = self.run_command(&command.action);
            self.inbox.failed += usize::from(outcome.is_err());
            if let Some(result) = outcome.transpose() {
                self.inbox.outcomes.push(CommandOutcome {
                    ticket: command.ticket,
                    result,
                });
            }
        }
        self.inbox.put_back(batch);
    }

    /// Drops all commands that are queued, unseen, and returns how many there were: for a world that has gone back to a
    /// [copy](Self#copies), where they are of a future that is forgotten.
    pub fn discard_commands(&mut self) -> usize {
        let batch = self.inbox.take_batch();
        let discarded = batch.len();
        self.inbox.put_back(batch);
        discarded
    }

    fn run_command(&mut self, action: &Action) -> Result<Option<CommandDone>, CommandError> {
        Ok(match *action {
            Action::Insert(proxy) => Some(CommandDone::Inserted(self.insert_row(proxy)?)),
            Action::Remove(id) => Some(CommandDone::Removed(self.remove(id)?)),
            Action::SetAabb(id, aabb) => migrated(self.set_aabb(id, aabb)?),
            Action::SetCategory(id, category) => migrated(self.set_category(id, category)?),
            Action::SetCenter(id, center) => self.set_center(id, center).map(|()| None)?,
            Action::SetVelocity(id, velocity) => self.set_velocity(id, velocity).map(|()| None)?,
            Action::SetEnabled(id, enabled) => self.set_enabled(id, enabled).map(|()| None)?,
            Action::SetMasks(id, masks) => self.set_masks(id, masks).map(|()| None)?,
            Action::SetOwner(id, owner) => self.set_owner(id, owner).map(|()| None)?,
            Action::SetResting(id, resting) => self.set_resting(id, resting).map(|()| None)?,
            Action::ExcludePair(a, b) => self.exclude_pair(a, b).map(|_| None)?,
            Action::IncludePair(a, b) => self.include_pair(a, b).map(|_| None)?,
            Action::SetKey(id, key) => self.set_key(id, key).map(|()| None)?,
        })
    }

    /// Reports what ran and what was rejected since the last report.
    pub(crate) fn report_ingested(&mut self) {
        self.report.commands = mem::take(&mut self.inbox.ran);
        self.report.commands_failed = mem::take(&mut self.inbox.failed);
        self.list_rejected();
    }

    fn list_rejected(&mut self) {
        let mut rejected = mem::take(&mut self.report.rejected);
        rejected.clear();
        for id in self.misplaced.drain(..) {
            // Proxies that were removed since are not reported.
            let slot = self.pool.get(id.0);
            rejected.extend(slot.map(|slot| RejectedCenter {
                category: slot.category(),
                row: slot.row,
                id,
            }));
        }
        rejected.sort_unstable_by_key(|rejected| (rejected.category, rejected.row));
        rejected.dedup();
        self.report.rejected = rejected;
    }
}

fn migrated(placement: Placement) -> Option<CommandDone> {
    match placement {
        Placement::Stayed => None,
        Placement::Migrated(migration) => Some(CommandDone::Migrated(migration)),
    }
}
