//! Proxies go in.

use throng::{Aabb, CategoryId, Inserted, Proxy, ProxyId};

use crate::config::{check_flags, flagged};
use crate::growing::{Growing, all_grown, first_size, grown};
use crate::pointers::tell_if_wanted;
use crate::refusals::{Outcome, Refusal};
use crate::shapes::{THRONG_NO_PROXY, no_such, number_of, throng_masks, throng_point};
use crate::status::throng_status;
use crate::world::{State, change, throng_world};

/// What is to be inserted. `throng_proxy_centered` and the like in the header fill it in.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct throng_proxy {
    /// `sizeof(throng_proxy)`.
    pub struct_size: usize,
    /// A `throng_proxy_kind`.
    pub kind: u32,
    /// A sum of `THRONG_PROXY_...`.
    pub flags: u32,
    /// Of a centered proxy its center and half extents: x, y, x, y. Of others the lower corner and the upper one.
    pub place: [f32; 4],
    /// The engine's own name for it; 0 for none.
    pub key: u64,
    /// Whose it is; 0 for nobody's. Those of one owner never meet.
    pub owner: u64,
    /// If `THRONG_PROXY_HAS_MASKS`; else it is in all groups, and meets all.
    pub masks: throng_masks,
    /// If `THRONG_PROXY_IN_CATEGORY`; else it goes to the smallest one that holds it.
    pub category: u16,
    /// To be left 0: it may get a meaning.
    pub unused: [u16; 3],
    /// How far it will move until the next step, if `THRONG_PROXY_HAS_VELOCITY`; else nowhere. As `throng_set_velocity` sets it.
    pub velocity: throng_point,
}

/// Which kind of thing a proxy is, and how its box is given.
#[repr(u32)]
#[derive(Clone, Copy)]
pub enum throng_proxy_kind {
    /// It moves, and is given by center and half extents.
    Centered = 0,
    /// It moves, and is given by its corners.
    Moving = 1,
    /// It never moves, and is given by its corners.
    Fixed = 2,
}

/// `masks` tells what it may meet. Without this flag, that is everything.
pub const THRONG_PROXY_HAS_MASKS: u32 = 1;
/// It goes to `category`. Without this flag, it goes where its size sends it.
pub const THRONG_PROXY_IN_CATEGORY: u32 = 2;
/// It takes no part in anything until it is enabled.
pub const THRONG_PROXY_DISABLED: u32 = 4;
/// It has `velocity`. Without this flag, it has none.
pub const THRONG_PROXY_HAS_VELOCITY: u32 = 8;

/// Where an inserted proxy is: a new last row.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct throng_inserted {
    /// Its id, by which it is known as long as it lives.
    pub id: u64,
    /// Its row: the last one of the category.
    pub row: u32,
    /// The category that it is in.
    pub category: u16,
}

// SAFETY: numbers, of which the first is the size.
unsafe impl Growing for throng_proxy {
    const FIRST_SIZE: usize = first_size!(category: u16);
    const NAME: &'static str = "proxy";
}

impl throng_proxy {
    fn checked(&self) -> Outcome<Proxy> {
        const CENTERED: u32 = throng_proxy_kind::Centered as u32;
        const MOVING: u32 = throng_proxy_kind::Moving as u32;
        const FIXED: u32 = throng_proxy_kind::Fixed as u32;
        let flags = THRONG_PROXY_HAS_MASKS
            | THRONG_PROXY_IN_CATEGORY
            | THRONG_PROXY_DISABLED
            | THRONG_PROXY_HAS_VELOCITY;
        check_flags(self.flags, flags, "proxy")?;
        let velocity: [f32; 2] = self.velocity.into();
        let has_masks = flagged(
            self.flags & THRONG_PROXY_HAS_MASKS,
            !self.masks.is_zero(),
            ["masks", "THRONG_PROXY_HAS_MASKS"],
        )?;
        let is_in_category = flagged(
            self.flags & THRONG_PROXY_IN_CATEGORY,
            self.category != 0,
            ["category", "THRONG_PROXY_IN_CATEGORY"],
        )?;
        let has_velocity = flagged(
            self.flags & THRONG_PROXY_HAS_VELOCITY,
            velocity != [0.0; 2],
            ["velocity", "THRONG_PROXY_HAS_VELOCITY"],
        )?;
        let [a, b, c, d] = self.place;
        let corners = || Aabb::new([a, b], [c, d]);
        let mut proxy = match self.kind {
            CENTERED => Proxy::centered([a, b], [c, d])?,
            MOVING => Proxy::moving(corners()?),
            FIXED => Proxy::fixed(corners()?),
            other => return Err(no_such("kind of proxy", other)),
        };
        proxy = proxy.key(self.key).owner(self.owner);
        if has_masks {
            proxy = proxy.masks(self.masks.checked()?);
        }
        if has_velocity {
            proxy = proxy.velocity(velocity);
        }
        if is_in_category {
            proxy = proxy.in_category(CategoryId::new(self.category));
        }
        if self.flags & THRONG_PROXY_DISABLED != 0 {
            proxy = proxy.disabled();
        }
        Ok(proxy)
    }
}

impl State {
    fn insert(&mut self, proxy: &throng_proxy) -> Outcome<Inserted> {
        Ok(self.broadphase.insert_row(proxy.checked()?)?)
    }
}

/// Inserts a proxy in a new last row of the category it names, or of the smallest one that holds it. Pairs and queries include
/// it from the next step or refresh on. `inserted` may be null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_insert(
    world: *mut throng_world,
    proxy: *const throng_proxy,
    inserted: *mut throng_inserted,
) -> throng_status {
    // SAFETY: pointers are as the front page asks.
    unsafe {
        change(world, |world| {
            let new = world.insert(&grown(proxy)?)?;
            tell_if_wanted(
                inserted,
                throng_inserted {
                    id: new.id.to_bits(),
                    row: new.row,
                    category: number_of(new.category),
                },
            );
            Ok(())
        })
    }
}

/// Inserts many proxies, in order. One that is refused does not stop the others, and has `THRONG_NO_PROXY` for its id:
/// `THRONG_STATUS_SOME_REFUSED`, and the message is that of the first. `ids` may be null, or has room for `count`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_insert_batch(
    world: *mut throng_world,
    proxies: *const throng_proxy,
    count: usize,
    ids: *mut u64,
) -> throng_status {
    // SAFETY: pointers are as the front page asks.
    unsafe {
        change(world, |world| {
            if world.broadphase.categories().len() == 1 && count <= throng::MAX_ROWS {
                // If there is no memory, the inserts will find out.
                let _ = world.broadphase.reserve(CategoryId::new(0), count);
            }
            let mut refused = Refused::default();
            for (index, proxy) in all_grown(proxies, count)?.enumerate() {
                let id = match proxy.and_then(|proxy| world.insert(&proxy)) {
                    Ok(new) => new.id.to_bits(),
                    Err(refusal) => {
                        refused.add(index, refusal);
                        THRONG_NO_PROXY
                    }
                };
                if !ids.is_null() {
                    ids.add(index).write(id);
                }
            }
            refused.finish(count)
        })
    }
}

/// Those of many that were refused.
#[derive(Default)]
pub(crate) struct Refused {
    count: usize,
    first: Option<(usize, String)>,
}

impl Refused {
    /// Changes each of many proxies, in order: its place among them and its id are given. One that is refused does not stop the others.
    pub(crate) fn of_each(
        ids: &[u64],
        mut change: impl FnMut(usize, ProxyId) -> Outcome,
    ) -> Outcome {
        let mut refused = Self::default();
        for (index, &id) in ids.iter().enumerate() {
            if let Err(refusal) = change(index, ProxyId::from_bits(id)) {
                refused.add(index, refusal);
            }
        }
        refused.finish(ids.len())
    }

    pub(crate) fn add(&mut self, index: usize, refusal: Refusal) {
        self.count += 1;
        self.first.get_or_insert((index, refusal.message));
    }

    pub(crate) fn finish(self, of: usize) -> Outcome {
        self.finish_as("number", of)
    }

    /// The same, where those refused are not told by their number among all.
    pub(crate) fn finish_as(self, what: &str, of: usize) -> Outcome {
        let Some((index, message)) = self.first else {
            return Ok(());
        };
        let count = self.count;
        let message = format!(
            "{count} of {of} were refused, and the others are done; {what} {index}: {message}"
        );
        Err(Refusal::new(throng_status::SomeRefused, message))
    }
}
