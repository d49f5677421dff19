//! First pass of a frame: queued commands run, and what was turned away is listed.

use crate::broadphase::Broadphase;
use crate::commands::{Action, CommandDone, CommandOutcome};
use crate::error::CommandError;
use crate::report::RejectedCenter;
use crate::rows::AabbChange;

impl Broadphase {
    /// What became of the commands that ran in the last step or refresh, in the order in which they
    /// ran: all inserts, removals and migrations, and everything that failed. A move that succeeded
    /// is not listed.
    pub fn ingested(&self) -> &[CommandOutcome] {
        &self.inbox.outcomes
    }

    /// Runs what other threads have queued, and lists the rows whose centres were turned away.
    pub(crate) fn ingest(&mut self) {
        self.run_commands();
        self.list_rejected();
    }

    fn run_commands(&mut self) {
        let batch = self.inbox.take_batch();
        self.inbox.outcomes.clear();
        let mut failed = 0;
        for command in &batch {
            let outcome = self.run_command(&command.action);
            failed += usize::from(outcome.is_err());
            if let Some(result) = outcome.transpose() {
                self.inbox.outcomes.push(CommandOutcome {
                    ticket: command.ticket,
                    result,
                });
            }
        }
        self.report.commands = batch.len();
        self.report.commands_failed = failed;
        self.inbox.put_back(batch);
    }

    fn run_command(&mut self, action: &Action) -> Result<Option<CommandDone>, CommandError> {
        Ok(match *action {
            Action::Insert(proxy) => Some(CommandDone::Inserted(self.insert(proxy)?)),
            Action::Remove(id) => Some(CommandDone::Removed(self.remove(id)?)),
            Action::SetAabb(id, aabb) => match self.set_aabb(id, aabb)? {
                AabbChange::Stayed => None,
                AabbChange::Migrated(migration) => Some(CommandDone::Migrated(migration)),
            },
            Action::SetCenter(id, center) => self.set_center(id, center).map(|()| None)?,
            Action::SetEnabled(id, enabled) => self.set_enabled(id, enabled).map(|()| None)?,
            Action::SetMasks(id, masks) => self.set_masks(id, masks).map(|()| None)?,
            Action::SetKey(id, key) => self.set_key(id, key).map(|()| None)?,
        })
    }

    fn list_rejected(&mut self) {
        let mut rejected = std::mem::take(&mut self.report.rejected);
        rejected.clear();
        for id in self.misplaced.drain(..) {
            // One that has been removed since needs no report.
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
