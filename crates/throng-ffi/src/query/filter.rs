//! Which proxies a query may find.

use std::ffi::c_void;

use throng::{CategoryId, ProxyId, Queries, QueryFilter, QueryHit};

use crate::config::{check_flags, flagged};
use crate::growing::{Growing, first_size, grown};
use crate::pointers::many;
use crate::query::hits::throng_query_hit;
use crate::refusals::Outcome;
use crate::shapes::throng_masks;
use crate::status::throng_status;
use crate::world::{State, read, throng_world};

/// A test of the engine's own. It must return, and change nothing. A batch of queries calls it from many threads.
pub type throng_only =
    Option<unsafe extern "C" fn(user: *mut c_void, hit: *const throng_query_hit) -> bool>;

/// Which proxies a query may find: those that meet every condition. Where a query takes a filter, null is for all.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct throng_query_filter {
    /// `sizeof(throng_query_filter)`.
    pub struct_size: usize,
    /// Those of these categories; none of them for all.
    pub categories: *const u16,
    /// How many categories there are.
    pub category_count: usize,
    /// Not those of these categories, which may be those of sensors.
    pub without: *const u16,
    /// How many they are.
    pub without_count: usize,
    /// A sum of `THRONG_FILTER_...`.
    pub flags: u32,
    /// Those whose masks agree with these, if `THRONG_FILTER_HAS_MASKS`.
    pub masks: throng_masks,
    /// Not those of this owner; 0 for any.
    pub not_of: u64,
    /// Not these proxies; meant for a few.
    pub except: *const u64,
    /// How many they are.
    pub except_count: usize,
    /// Those that pass this test, if it is not null. It comes last.
    pub only: throng_only,
    /// What `only` is called with first.
    pub user: *mut c_void,
}

/// `masks` tells who may be found. Without this flag, everybody may.
pub const THRONG_FILTER_HAS_MASKS: u32 = 1;

// SAFETY: numbers and pointers, of which the first is the size.
unsafe impl Growing for throng_query_filter {
    const FIRST_SIZE: usize = first_size!(user: *mut c_void);
    const NAME: &'static str = "query_filter";
}

/// The test of an engine, with what it is called with.
struct Only {
    passes: unsafe extern "C" fn(*mut c_void, *const throng_query_hit) -> bool,
    user: *mut c_void,
}

// SAFETY: `user` is only passed on; `throng_only` says that this may be from many threads.
unsafe impl Sync for Only {}

impl Only {
    fn passes(&self, hit: &QueryHit) -> bool {
        let hit = throng_query_hit::from(hit);
        // SAFETY: it is called as `throng_only` says.
        unsafe { (self.passes)(self.user, &hit) }
    }
}

/// Asks a world that nobody is changing about what passes a filter.
///
/// # Safety
///
/// Pointers are as the front page asks.
pub(crate) unsafe fn ask(
    world: *const throng_world,
    filter: *const throng_query_filter,
    work: impl FnOnce(&State, Queries<'_>) -> Outcome,
) -> throng_status {
    // SAFETY: as above.
    unsafe {
        read(world, |world| {
            if filter.is_null() {
                return work(world, world.broadphase.query());
            }
            let filter = grown(filter)?;
            let only = filter.only.map(|passes| Only {
                passes,
                user: filter.user,
            });
            let passes = only.as_ref().map(|only| |hit: &QueryHit| only.passes(hit));
            let mut question = filter.checked()?;
            if let Some(passes) = &passes {
                question = question.only(passes);
            }
            work(world, world.broadphase.query_with(&question))
        })
    }
}

impl throng_query_filter {
    /// All conditions but the engine's own.
    ///
    /// # Safety
    ///
    /// Its pointers are as the front page asks.
    unsafe fn checked<'p>(&self) -> Outcome<QueryFilter<'p>> {
        check_flags(self.flags, THRONG_FILTER_HAS_MASKS, "query filter")?;
        // SAFETY: as above.
        let (categories, without, except) = unsafe {
            (
                many(self.categories, self.category_count, "categories")?,
                many(self.without, self.without_count, "without")?,
                many(self.except, self.except_count, "except")?,
            )
        };
        let mut filter = QueryFilter::new().not_of(self.not_of);
        for &category in categories {
            filter = filter.category(CategoryId::new(category));
        }
        for &category in without {
            filter = filter.without(CategoryId::new(category));
        }
        for &id in except {
            filter = filter.except(ProxyId::from_bits(id));
        }
        let has_masks = flagged(
            self.flags & THRONG_FILTER_HAS_MASKS,
            !self.masks.is_zero(),
            ["masks", "THRONG_FILTER_HAS_MASKS"],
        )?;
        if has_masks {
            filter = filter.masks(self.masks.checked()?);
        }
        Ok(filter)
    }
}
