//! The one place that chooses an instruction set.
#![allow(
    unsafe_code,
    reason = "the tokens that prove an instruction set are made here, behind the check that the machine has it"
)]

#[cfg(all(
    target_arch = "aarch64",
    target_feature = "neon",
    target_endian = "little"
))]
use super::neon::Neon;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
use super::simd128::Simd128;
use super::{Kernel, Lanes, portable::Portable};
#[cfg(target_arch = "x86_64")]
use super::{avx2::Avx2, avx512::Avx512};
use crate::simd::{SimdLevel, SimdUnavailable};

/// An instruction set that this machine has; runs kernels with it. Only [`Simd::new`] creates one, so having one is the
/// proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Simd(SimdLevel);

impl Simd {
    /// The given level, or the best available.
    ///
    /// # Errors
    ///
    /// If the machine does not have the given one.
    pub fn new(level: Option<SimdLevel>) -> Result<Self, SimdUnavailable> {
        let best = SimdLevel::detect();
        match level {
            Some(given) if !given.is_available() => Err(SimdUnavailable { given, best }),
            _ => Ok(Self(level.unwrap_or(best))),
        }
    }

    /// The instruction set in use.
    #[must_use]
    pub fn level(self) -> SimdLevel {
        self.0
    }

    /// Runs the version of a kernel that is compiled for this instruction set.
    #[inline]
    pub fn run<K: Kernel>(self, kernel: K) -> K::Output {
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            SimdLevel::Avx512 => {
                // SAFETY: only `new` makes a `Simd`, and only with a level that the machine was found to have.
                let lanes = unsafe { Avx512::new() };
                lanes.call(kernel)
            }
            #[cfg(target_arch = "x86_64")]
            SimdLevel::Avx2 => {
                // SAFETY: only `new` makes a `Simd`, and only with a level that the machine was found to have.
                let lanes = unsafe { Avx2::new() };
                lanes.call(kernel)
            }
            #[cfg(all(
                target_arch = "aarch64",
                target_feature = "neon",
                target_endian = "little"
            ))]
            SimdLevel::Neon => Neon.call(kernel),
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            SimdLevel::Simd128 => Simd128.call(kernel),
            _ => Portable.call(kernel),
        }
    }
}
