//! Configs as structs.

use std::ffi::c_char;

use throng::{
    BroadphaseConfig, CategoryConfig, DoubleGridConfig, LooseQuadtreeConfig, Resting, SimdLevel,
    StripsConfig,
};

use crate::growing::{Growing, all_grown};
use crate::pointers::{many, text};
use crate::refusals::{Outcome, Refusal};
use crate::shapes::no_such;
use crate::status::throng_status;

/// What a world consists of. Zero stands for what the Rust library has by default.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct throng_config {
    /// `sizeof(throng_config)`.
    pub struct_size: usize,
    /// At least one category.
    pub categories: *const throng_category_config,
    /// How many there are.
    pub category_count: usize,
    /// A sum of `THRONG_CONFIG_...`.
    pub flags: u32,
    /// The fraction of a bound to which a proxy must shrink to move back; 0 for 0.8.
    pub migrate_back: f32,
    /// The most pairs of one step; 0 for any number.
    pub max_pairs: u64,
    /// The instruction set: "avx512", "avx2", "neon", "simd128" or "scalar"; null for the best there is.
    pub simd: *const c_char,
    /// A number that is in every id of the world, if `THRONG_CONFIG_HAS_WORLD_TAG`; else one is drawn.
    pub world_tag: u16,
}

/// `world_tag` counts.
pub const THRONG_CONFIG_HAS_WORLD_TAG: u32 = 1;
/// Each pair with events has a slot as long as it lasts.
pub const THRONG_CONFIG_PAIR_SLOTS: u32 = 2;

/// A part of the world: things that behave alike.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct throng_category_config {
    /// `sizeof(throng_category_config)`.
    pub struct_size: usize,
    /// Unique and not empty.
    pub name: *const c_char,
    /// A `throng_category_kind`.
    pub kind: u32,
    /// A sum of `THRONG_CATEGORY_...`.
    pub flags: u32,
    /// The bound of half extents, for x and y. A uniform category needs one. Zero in both: none.
    pub half_extents: [f32; 2],
    /// A `throng_structure`, for an oversized category.
    pub structure: u32,
    /// The names of the categories that it meets, if `THRONG_CATEGORY_MEETS_ONLY`; else it meets all.
    pub meets: *const *const c_char,
    /// How many names there are.
    pub meets_count: usize,
    /// The names of the categories with which its pairs have events; or all, if `THRONG_CATEGORY_EVENTS`.
    pub events_with: *const *const c_char,
    /// How many names there are.
    pub events_with_count: usize,
    /// After how many steps without a move its proxies rest, 1 to 240; 0 for never, unless they are told to.
    pub rests_after: u32,
    /// How much larger its boxes count, on every side, when predicted pairs are looked for.
    pub margin: f32,
}

/// Everything in it counts as a box with the bound.
pub const THRONG_CATEGORY_COARSE: u32 = 1;
/// It meets only what is in `meets`.
pub const THRONG_CATEGORY_MEETS_ONLY: u32 = 2;
/// All of its pairs have events.
pub const THRONG_CATEGORY_EVENTS: u32 = 4;
/// Its pairs come only as events: they are neither handed to a callback nor listed.
pub const THRONG_CATEGORY_SENSOR: u32 = 8;
/// Its proxies rest when `throng_set_resting` tells them to, and only then.
pub const THRONG_CATEGORY_RESTS_WHEN_TOLD: u32 = 16;
/// Those that rest wake where something that moves touches them.
pub const THRONG_CATEGORY_WAKES_ON_CONTACT: u32 = 32;

/// Which kind of things a category is for.
#[repr(u32)]
#[derive(Clone, Copy)]
pub enum throng_category_kind {
    /// The many that move and are about the same size.
    Uniform = 0,
    /// The few that are bigger than any bound, or unbounded.
    Oversized = 1,
    /// What never moves, or hardly ever.
    Scenery = 2,
}

/// How an oversized category stores its boxes, each as it is by default: TOML has their settings.
#[repr(u32)]
#[derive(Clone, Copy)]
pub enum throng_structure {
    /// Rows of boxes, each sorted along x; rebuilt in every step.
    Strips = 0,
    /// Loose cells under tight ones; only what changed is updated.
    DoubleGrid = 1,
    /// Loose nodes; only what changed is updated, and it adapts to any density.
    Quadtree = 2,
}

// SAFETY: numbers and pointers, of which the first is the size.
unsafe impl Growing for throng_config {
    const FIRST_SIZE: usize = size_of::<Self>();
    const NAME: &'static str = "config";
}

// SAFETY: numbers and pointers, of which the first is the size.
unsafe impl Growing for throng_category_config {
    const FIRST_SIZE: usize = size_of::<Self>();
    const NAME: &'static str = "category_config";
}

impl throng_config {
    /// The config that it stands for, as far as numbers and texts go.
    ///
    /// # Safety
    ///
    /// Its pointers are as the front page asks.
    pub(crate) unsafe fn checked(&self) -> Outcome<BroadphaseConfig> {
        check_flags(
            self.flags,
            THRONG_CONFIG_HAS_WORLD_TAG | THRONG_CONFIG_PAIR_SLOTS,
            "config",
        )?;
        let mut config = BroadphaseConfig::new();
        config.pair_slots = self.flags & THRONG_CONFIG_PAIR_SLOTS != 0;
        if self.flags & THRONG_CONFIG_HAS_WORLD_TAG != 0 {
            config.world_tag = Some(self.world_tag);
        }
        if self.migrate_back != 0.0 {
            config.migrate_back = self.migrate_back;
        }
        config.max_pairs = (self.max_pairs != 0).then_some(self.max_pairs);
        if !self.simd.is_null() {
            // SAFETY: as above.
            let name = unsafe { text(self.simd, "the instruction set") }?;
            let level: Result<SimdLevel, _> = name.parse();
            let unknown = |error: throng::ParseSimdLevelError| {
                Refusal::new(throng_status::BadValue, error.to_string())
            };
            config.simd = Some(level.map_err(unknown)?);
        }
        if self.category_count > throng::MAX_CATEGORIES {
            let message = format!("{} categories are too many", self.category_count);
            return Err(Refusal::new(throng_status::BadValue, message));
        }
        // SAFETY: as above.
        for category in unsafe { all_grown(self.categories, self.category_count) }? {
            // SAFETY: as above.
            config.categories.push(unsafe { category?.checked() }?);
        }
        Ok(config)
    }
}

impl throng_category_config {
    /// # Safety
    ///
    /// As for a [`throng_config`].
    unsafe fn checked(&self) -> Outcome<CategoryConfig> {
        const UNIFORM: u32 = throng_category_kind::Uniform as u32;
        const OVERSIZED: u32 = throng_category_kind::Oversized as u32;
        const SCENERY: u32 = throng_category_kind::Scenery as u32;
        const STRIPS: u32 = throng_structure::Strips as u32;
        const DOUBLE_GRID: u32 = throng_structure::DoubleGrid as u32;
        const QUADTREE: u32 = throng_structure::Quadtree as u32;
        check_flags(
            self.flags,
            THRONG_CATEGORY_COARSE
                | THRONG_CATEGORY_MEETS_ONLY
                | THRONG_CATEGORY_EVENTS
                | THRONG_CATEGORY_SENSOR
                | THRONG_CATEGORY_RESTS_WHEN_TOLD
                | THRONG_CATEGORY_WAKES_ON_CONTACT,
            "category",
        )?;
        // SAFETY: as above.
        let (name, meets, events_with) = unsafe {
            (
                text(self.name, "the name of a category")?,
                names(self.meets, self.meets_count, "meets")?,
                names(self.events_with, self.events_with_count, "events_with")?,
            )
        };
        let mut category = match self.kind {
            UNIFORM => CategoryConfig::uniform(name, 0.0),
            OVERSIZED => CategoryConfig::oversized(name),
            SCENERY => CategoryConfig::scenery(name),
            other => return Err(no_such("kind of category", other)),
        };
        if self.kind == UNIFORM || self.half_extents != [0.0; 2] {
            category = category.half_extents(self.half_extents);
        }
        category = match self.structure {
            STRIPS => category.structure(StripsConfig::default()),
            DOUBLE_GRID => category.structure(DoubleGridConfig::default()),
            QUADTREE => category.structure(LooseQuadtreeConfig::default()),
            other => return Err(no_such("structure", other)),
        };
        if self.flags & THRONG_CATEGORY_COARSE != 0 {
            category = category.coarse();
        }
        if self.flags & THRONG_CATEGORY_MEETS_ONLY != 0 {
            category = category.meets(meets);
        } else if !meets.is_empty() {
            return Err(Refusal::new(
                throng_status::BadValue,
                format!(
                    "category {name:?} has names in `meets`, and not `THRONG_CATEGORY_MEETS_ONLY`"
                ),
            ));
        }
        if self.flags & THRONG_CATEGORY_SENSOR != 0 {
            category = category.sensor();
        }
        if self.flags & THRONG_CATEGORY_EVENTS != 0 {
            category = category.events();
        } else if !events_with.is_empty() {
            category = category.events_with(events_with);
        }
        category = category.margin(self.margin);
        category.rests = self.resting(name)?;
        if self.flags & THRONG_CATEGORY_WAKES_ON_CONTACT != 0 {
            category = category.wakes_on_contact();
        }
        Ok(category)
    }

    /// When its proxies rest.
    fn resting(&self, name: &str) -> Outcome<Resting> {
        let when_told = self.flags & THRONG_CATEGORY_RESTS_WHEN_TOLD != 0;
        match (self.rests_after, when_told) {
            (0, false) => Ok(Resting::Never),
            (0, true) => Ok(Resting::WhenTold),
            (steps, false) => Ok(Resting::After(steps)),
            (steps, true) => {
                let message = format!(
                    "category {name:?} rests after {steps} steps, and has `THRONG_CATEGORY_RESTS_WHEN_TOLD`, by which it rests only \
                     when told; give it one of the two (those that rest after some steps can be told as well)"
                );
                Err(Refusal::new(throng_status::BadValue, message))
            }
        }
    }
}

/// # Safety
///
/// The pointer is as the front page asks, and so are those that it points to.
unsafe fn names<'a>(
    pointer: *const *const c_char,
    count: usize,
    what: &str,
) -> Outcome<Vec<&'a str>> {
    // SAFETY: as above.
    let pointers = unsafe { many(pointer, count, what) }?;
    pointers
        .iter()
        // SAFETY: as above.
        .map(|&name| unsafe { text(name, what) })
        .collect()
}

/// Refuses flags that there are not.
pub(crate) fn check_flags(given: u32, known: u32, what: &str) -> Outcome {
    if given & !known == 0 {
        return Ok(());
    }
    let message = format!(
        "the flags {given:#x} of a {what} have some that this library does not know; it knows {known:#x}"
    );
    Err(Refusal::new(throng_status::BadValue, message))
}
