//! Categories as structs.

use std::ffi::c_char;

use throng::{
    CategoryConfig, DoubleGridConfig, LooseQuadtreeConfig, OversizedStructure, Resting,
    StripsConfig,
};

use crate::config::check_flags;
use crate::growing::{Growing, first_size};
use crate::pointers::{many, text};
use crate::refusals::{Outcome, Refusal};
use crate::shapes::no_such;
use crate::status::throng_status;

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
    /// The bound of half extents, for x and y. Zero in both: none, or that of points in a uniform category.
    pub half_extents: [f32; 2],
    /// How much larger its boxes count, on every side, when predicted pairs are looked for.
    pub margin: f32,
    /// A `throng_structure`, for an oversized category. Its settings are further down.
    pub structure: u32,
    /// The names of the categories that it meets, if `THRONG_CATEGORY_MEETS_ONLY`; else it meets all.
    pub meets: *const *const c_char,
    /// How many names there are.
    pub meets_count: usize,
    /// The names of the categories with which its pairs have events; or all, if `THRONG_CATEGORY_EVENTS`.
    pub events_with: *const *const c_char,
    /// How many names there are.
    pub events_with_count: usize,
    /// After how many steps without a move its proxies rest, 1 to 240, or sooner if they are told to. With 0 they never rest, or
    /// only when told, if `THRONG_CATEGORY_RESTS_WHEN_TOLD`.
    pub rests_after: u32,
    /// Of strips: the height of the lowest ones; 0 to have it chosen.
    pub strip_height: f32,
    /// Of a double grid: the width and height of the smallest loose cells; 0 to have them chosen.
    pub loose_cell: f32,
    /// Of a double grid: the width and height of the tight cells over these; 0 for twice a loose cell.
    pub tight_cell: f32,
    /// Of a quadtree: leaves with more rows are split, up to 65536; 0 for what it is by default.
    pub split_above: u32,
    /// Of a quadtree: how many times space may be halved, up to 24; 0 for what it is by default.
    pub max_depth: u32,
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

/// How an oversized category stores its boxes.
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
unsafe impl Growing for throng_category_config {
    const FIRST_SIZE: usize = first_size!(max_depth: u32);
    const NAME: &'static str = "category_config";
}

impl throng_category_config {
    /// # Safety
    ///
    /// Its pointers are as the front page asks.
    pub(crate) unsafe fn checked(&self) -> Outcome<CategoryConfig> {
        const UNIFORM: u32 = throng_category_kind::Uniform as u32;
        const OVERSIZED: u32 = throng_category_kind::Oversized as u32;
        const SCENERY: u32 = throng_category_kind::Scenery as u32;
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
        category = category.structure(self.structure(name)?);
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

    /// Its structure, with its settings.
    fn structure(&self, name: &str) -> Outcome<OversizedStructure> {
        const STRIPS: u32 = throng_structure::Strips as u32;
        const DOUBLE_GRID: u32 = throng_structure::DoubleGrid as u32;
        const QUADTREE: u32 = throng_structure::Quadtree as u32;
        let settings = [
            ("strip_height", self.strip_height != 0.0, STRIPS),
            ("loose_cell", self.loose_cell != 0.0, DOUBLE_GRID),
            ("tight_cell", self.tight_cell != 0.0, DOUBLE_GRID),
            ("split_above", self.split_above != 0, QUADTREE),
            ("max_depth", self.max_depth != 0, QUADTREE),
        ];
        let of_another = |&(_, is_given, of): &(_, bool, u32)| is_given && of != self.structure;
        if let Some((setting, ..)) = settings.into_iter().find(of_another) {
            let message = format!(
                "category {name:?} has a `{setting}`, which its structure, number {}, does not know; leave it 0, or choose another \
                 structure",
                self.structure
            );
            return Err(Refusal::new(throng_status::BadValue, message));
        }
        let given = |length: f32| (length != 0.0).then_some(length);
        Ok(match self.structure {
            STRIPS => StripsConfig {
                strip_height: given(self.strip_height),
                ..Default::default()
            }
            .into(),
            DOUBLE_GRID => DoubleGridConfig {
                loose_cell: given(self.loose_cell),
                tight_cell: given(self.tight_cell),
                ..Default::default()
            }
            .into(),
            QUADTREE => {
                let mut tree = LooseQuadtreeConfig::default();
                if self.split_above != 0 {
                    tree.split_above = self.split_above as usize;
                }
                if self.max_depth != 0 {
                    tree.max_depth = self.max_depth;
                }
                tree.into()
            }
            other => return Err(no_such("structure", other)),
        })
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
