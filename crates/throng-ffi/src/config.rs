//! Configs of worlds as structs.

use std::ffi::c_char;

use throng::{BroadphaseConfig, SimdLevel};

use crate::category_config::throng_category_config;
use crate::growing::{Growing, all_grown, first_size};
use crate::pointers::text;
use crate::refusals::{Outcome, Refusal};
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

/// The world has `world_tag`. Without this flag it gets one of its own.
pub const THRONG_CONFIG_HAS_WORLD_TAG: u32 = 1;
/// Each pair with events has a slot as long as it lasts.
pub const THRONG_CONFIG_PAIR_SLOTS: u32 = 2;

// SAFETY: numbers and pointers, of which the first is the size.
unsafe impl Growing for throng_config {
    const FIRST_SIZE: usize = first_size!(world_tag: u16);
    const NAME: &'static str = "config";
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
        let has_tag = flagged(
            self.flags & THRONG_CONFIG_HAS_WORLD_TAG,
            self.world_tag != 0,
            ["world_tag", "THRONG_CONFIG_HAS_WORLD_TAG"],
        )?;
        config.world_tag = has_tag.then_some(self.world_tag);
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

/// Whether a field counts: whether its flag is there. Refuses one that is set without it.
pub(crate) fn flagged(flag: u32, is_set: bool, [field, name]: [&str; 2]) -> Outcome<bool> {
    if is_set && flag == 0 {
        let message = format!("`{field}` is set, and does not count: `flags` lacks `{name}`");
        return Err(Refusal::new(throng_status::BadValue, message));
    }
    Ok(flag != 0)
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
