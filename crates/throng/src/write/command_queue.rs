//! Commands from other threads, queued without a lock and run in an order that does not depend on timing.
//! `frame/ingest.rs` runs them.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Weak};

use crossbeam::queue::SegQueue;
use throng_core::Aabb;

use crate::error::CommandError;
use crate::world::ids::{CategoryId, ProxyId};
use crate::world::masks::Masks;
use crate::world::proxy::Proxy;
use crate::world::rows::{Inserted, Migration, Removed};

/// Queues commands for a world, from any thread, at any time, without waiting: everything that the world itself can do
/// to a proxy.
///
/// The commands run at the start of the next step or refresh: all of the sender that was created first, in the order in
/// which they were queued, then all of the second, and so on. So if each thread has its own sender, created in a fixed
/// order, and has queued all its commands before the step, the result does not depend on scheduling.
///
/// A narrowphase that indexes the engine's own arrays must not see rows that those do not have yet: see
/// [`Broadphase::ingest`](crate::Broadphase::ingest).
///
/// Afterwards the results of inserts, removals and migrations, and all failures, are in
/// [`Broadphase::ingested`](crate::Broadphase::ingested), under the [`Ticket`] returned here. The rows in a result are those
/// right after its command: mirror the results in order, and identify proxies by id. Queuing may allocate.
///
/// ```
/// use throng::{Broadphase, BroadphaseConfig, CategoryConfig, CommandDone, Proxy};
///
/// let mut world = Broadphase::new(BroadphaseConfig::new().category(CategoryConfig::uniform("bats", 0.5)))?;
/// let mut sender = world.sender();
/// let bat = Proxy::centered([1.0, 2.0], [0.3, 0.3])?;
/// let ticket = std::thread::spawn(move || sender.insert(bat)).join().unwrap();
///
/// world.refresh();
/// let outcome = &world.ingested()[0];
/// assert_eq!(outcome.ticket, ticket);
/// let Ok(CommandDone::Inserted(new)) = outcome.result else { panic!("it fits") };
/// assert!(world.contains(new.id));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct CommandSender {
    queue: Weak<SegQueue<Command>>,
    next: Ticket,
}

/// Identifies a queued command: its sender, and its position in that sender's queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ticket {
    /// The sender's number, in the order of creation, from 0.
    pub sender: u32,
    /// The command's number, in the order in which the sender queued them, from 0.
    pub sequence: u64,
}

/// The result of a queued command.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct CommandOutcome {
    /// Which command it was.
    pub ticket: Ticket,
    /// What it did, or why it did nothing.
    pub result: Result<CommandDone, CommandError>,
}

/// What a queued command did, if there is something to report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CommandDone {
    /// An insert added a row.
    Inserted(Inserted),
    /// A removal changed rows.
    Removed(Removed),
    /// A new box or [`set_category`](CommandSender::set_category) made the proxy migrate.
    Migrated(Migration),
}

impl CommandSender {
    /// Whether its world is still there. If it is gone, or was replaced by a clone, commands are lost; a world that another is
    /// [copied into](Clone::clone_from) stays.
    pub fn is_connected(&self) -> bool {
        self.queue.strong_count() > 0
    }

    /// Queues an [`insert`](crate::Broadphase::insert).
    pub fn insert(&mut self, proxy: Proxy) -> Ticket {
        self.send(Action::Insert(proxy))
    }

    /// Queues a [`remove`](crate::Broadphase::remove).
    pub fn remove(&mut self, id: ProxyId) -> Ticket {
        self.send(Action::Remove(id))
    }

    /// Queues a [`set_center`](crate::Broadphase::set_center).
    pub fn set_center(&mut self, id: ProxyId, center: impl Into<[f32; 2]>) -> Ticket {
        self.send(Action::SetCenter(id, center.into()))
    }

    /// Queues a [`set_velocity`](crate::Broadphase::set_velocity).
    pub fn set_velocity(&mut self, id: ProxyId, velocity: impl Into<[f32; 2]>) -> Ticket {
        self.send(Action::SetVelocity(id, velocity.into()))
    }

    /// Queues a [`set_aabb`](crate::Broadphase::set_aabb).
    pub fn set_aabb(&mut self, id: ProxyId, aabb: Aabb) -> Ticket {
        self.send(Action::SetAabb(id, aabb))
    }

    /// Queues a [`set_category`](crate::Broadphase::set_category).
    pub fn set_category(&mut self, id: ProxyId, category: Option<CategoryId>) -> Ticket {
        self.send(Action::SetCategory(id, category))
    }

    /// Queues a [`set_enabled`](crate::Broadphase::set_enabled).
    pub fn set_enabled(&mut self, id: ProxyId, enabled: bool) -> Ticket {
        self.send(Action::SetEnabled(id, enabled))
    }

    /// Queues a [`set_masks`](crate::Broadphase::set_masks).
    pub fn set_masks(&mut self, id: ProxyId, masks: Masks) -> Ticket {
        self.send(Action::SetMasks(id, masks))
    }

    /// Queues a [`set_owner`](crate::Broadphase::set_owner).
    pub fn set_owner(&mut self, id: ProxyId, owner: u64) -> Ticket {
        self.send(Action::SetOwner(id, owner))
    }

    /// Queues a [`set_resting`](crate::Broadphase::set_resting).
    pub fn set_resting(&mut self, id: ProxyId, resting: bool) -> Ticket {
        self.send(Action::SetResting(id, resting))
    }

    /// Queues an [`exclude_pair`](crate::Broadphase::exclude_pair).
    pub fn exclude_pair(&mut self, a: ProxyId, b: ProxyId) -> Ticket {
        self.send(Action::ExcludePair(a, b))
    }

    /// Queues an [`include_pair`](crate::Broadphase::include_pair).
    pub fn include_pair(&mut self, a: ProxyId, b: ProxyId) -> Ticket {
        self.send(Action::IncludePair(a, b))
    }

    /// Queues a [`set_key`](crate::Broadphase::set_key).
    pub fn set_key(&mut self, id: ProxyId, key: u64) -> Ticket {
        self.send(Action::SetKey(id, key))
    }

    fn send(&mut self, action: Action) -> Ticket {
        let ticket = self.next;
        self.next.sequence += 1;
        if let Some(queue) = self.queue.upgrade() {
            queue.push(Command { ticket, action });
        }
        ticket
    }
}

/// One queued command.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Command {
    pub(crate) ticket: Ticket,
    pub(crate) action: Action,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Action {
    Insert(Proxy),
    Remove(ProxyId),
    SetCenter(ProxyId, [f32; 2]),
    SetVelocity(ProxyId, [f32; 2]),
    SetAabb(ProxyId, Aabb),
    SetCategory(ProxyId, Option<CategoryId>),
    SetEnabled(ProxyId, bool),
    SetMasks(ProxyId, Masks),
    SetOwner(ProxyId, u64),
    SetResting(ProxyId, bool),
    ExcludePair(ProxyId, ProxyId),
    IncludePair(ProxyId, ProxyId),
    SetKey(ProxyId, u64),
}

/// The world's end of the queue.
#[derive(Default)]
pub(crate) struct Inbox {
    queue: Arc<SegQueue<Command>>,
    senders: AtomicU32,
    /// The commands being run; empty between ingests, kept for the memory.
    batch: Vec<Command>,
    /// The results of the last batch.
    pub(crate) outcomes: Vec<CommandOutcome>,
    /// How many commands ran that no report has counted yet, and how many of them failed.
    pub(crate) ran: usize,
    pub(crate) failed: usize,
}

/// Copies what ran, not what is queued: a sender belongs to one world, and a clone has none. Their numbers go on, so that no
/// ticket of a sender that is made later is that of a command that ran before.
impl Clone for Inbox {
    fn clone(&self) -> Self {
        let mut clone = Self::default();
        clone.clone_from(self);
        clone
    }

    fn clone_from(&mut self, source: &Self) {
        self.outcomes.clone_from(&source.outcomes);
        (self.ran, self.failed) = (source.ran, source.failed);
        let theirs = source.senders.load(Ordering::Relaxed);
        let senders = self.senders.get_mut();
        *senders = theirs.max(*senders);
    }
}

impl Inbox {
    pub(crate) fn sender(&self) -> CommandSender {
        let sender = self.senders.fetch_add(1, Ordering::Relaxed);
        CommandSender {
            queue: Arc::downgrade(&self.queue),
            next: Ticket {
                sender,
                sequence: 0,
            },
        }
    }

    /// Everything queued up to now, in the order of tickets. Return it with [`put_back`](Self::put_back).
    pub(crate) fn take_batch(&mut self) -> Vec<Command> {
        let mut batch = std::mem::take(&mut self.batch);
        // Not until the queue is empty: others may keep queuing as long as we keep taking.
        for _ in 0..self.queue.len() {
            batch.extend(self.queue.pop());
        }
        batch.sort_unstable_by_key(|command| command.ticket);
        batch
    }

    pub(crate) fn put_back(&mut self, mut batch: Vec<Command>) {
        batch.clear();
        self.batch = batch;
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        self.batch.capacity() * size_of::<Command>()
            + self.outcomes.capacity() * size_of::<CommandOutcome>()
    }
}
