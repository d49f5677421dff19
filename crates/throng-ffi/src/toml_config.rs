//! Configs as TOML.

use std::ffi::c_char;

use throng::BroadphaseConfig;

use crate::pointers::Buffer;
use crate::refusals::{Outcome, Refusal};
use crate::status::throng_status;
use crate::world::{read, throng_world};

pub(crate) fn config_of_toml(text: &str) -> Outcome<BroadphaseConfig> {
    toml::from_str(text).map_err(|error| Refusal::new(throng_status::BadToml, error.to_string()))
}

/// The config of a world, as TOML: UTF-8 with a zero at the end, which counts.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_config_to_toml(
    world: *const throng_world,
    text: *mut c_char,
    capacity: usize,
    count: *mut usize,
) -> throng_status {
    // SAFETY: pointers are as the front page asks.
    unsafe {
        read(world, |world| {
            let buffer = Buffer::new(text, capacity, count, "text")?;
            let toml = toml::to_string(world.broadphase.config());
            let toml =
                toml.map_err(|error| Refusal::new(throng_status::Refused, error.to_string()))?;
            buffer.fill_text(&toml)
        })
    }
}
