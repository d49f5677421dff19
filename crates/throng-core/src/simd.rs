//! Which instruction sets kernels are compiled for.

use std::fmt;
use std::str::FromStr;

/// A set of vector instructions that a kernel is compiled for. Of one architecture, later levels include earlier ones.
///
/// The level never changes a result, only how fast it is found: a kernel is written once for all of them, and gives
/// the same pairs in the same order.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "lowercase")
)]
#[non_exhaustive]
pub enum SimdLevel {
    /// Portable code, for any processor: in vectors of four where the target always has them (SSE2 on x86-64, NEON on
    /// Arm), else without vectors.
    Scalar,
    /// x86-64 with `avx2`, `bmi1`, `bmi2`, `lzcnt` and `popcnt`.
    Avx2,
    /// All of [`SimdLevel::Avx2`], and `avx512f`, `avx512bw`, `avx512dq` and `avx512vl`.
    Avx512,
    /// 64-bit Arm with NEON, which each such target with an operating system has.
    Neon,
    /// WebAssembly with `simd128`, if the build enables it: a module cannot ask what it runs on.
    Simd128,
}

impl SimdLevel {
    /// Every level of any architecture; of each, the lowest first.
    pub const ALL: [SimdLevel; 5] = [
        SimdLevel::Scalar,
        SimdLevel::Avx2,
        SimdLevel::Avx512,
        SimdLevel::Neon,
        SimdLevel::Simd128,
    ];

    /// The levels of the architecture that this is compiled for, lowest first.
    const OF_TARGET: &'static [SimdLevel] = if cfg!(target_arch = "x86_64") {
        &[SimdLevel::Scalar, SimdLevel::Avx2, SimdLevel::Avx512]
    } else if cfg!(all(
        target_arch = "aarch64",
        target_feature = "neon",
        target_endian = "little"
    )) {
        &[SimdLevel::Scalar, SimdLevel::Neon]
    } else if cfg!(all(target_arch = "wasm32", target_feature = "simd128")) {
        &[SimdLevel::Scalar, SimdLevel::Simd128]
    } else {
        &[SimdLevel::Scalar]
    };

    /// The highest level that this machine can run. On x86-64 it is found out at run time; the standard library caches
    /// the answer, so a call costs a few loads. Elsewhere it is known when this is compiled.
    #[must_use]
    pub fn detect() -> SimdLevel {
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::is_x86_feature_detected as has;
            let avx2 =
                has!("avx2") && has!("bmi1") && has!("bmi2") && has!("lzcnt") && has!("popcnt");
            let avx512 =
                has!("avx512f") && has!("avx512bw") && has!("avx512dq") && has!("avx512vl");
            match (avx2, avx512) {
                (true, true) => SimdLevel::Avx512,
                (true, false) => SimdLevel::Avx2,
                (false, _) => SimdLevel::Scalar,
            }
        }
        // Elsewhere nothing is found out at run time: what this is compiled for is what there is.
        #[cfg(not(target_arch = "x86_64"))]
        {
            const { Self::OF_TARGET[Self::OF_TARGET.len() - 1] }
        }
    }

    /// The levels that this machine can run, lowest first; never empty.
    #[must_use]
    pub fn available() -> &'static [SimdLevel] {
        let best = Self::detect();
        let lower = Self::OF_TARGET.iter().take_while(|level| **level != best);
        &Self::OF_TARGET[..=lower.count()]
    }

    /// Whether this machine can run the level.
    #[must_use]
    pub fn is_available(self) -> bool {
        Self::available().contains(&self)
    }

    /// The level's name: `scalar`, `avx2`, `avx512`, `neon` or `simd128`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            SimdLevel::Scalar => "scalar",
            SimdLevel::Avx2 => "avx2",
            SimdLevel::Avx512 => "avx512",
            SimdLevel::Neon => "neon",
            SimdLevel::Simd128 => "simd128",
        }
    }
}

impl fmt::Display for SimdLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A level that this machine cannot run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("this machine cannot run {given} kernels; the best it can do is {best}")]
pub struct SimdUnavailable {
    /// The level asked for.
    pub given: SimdLevel,
    /// The best available.
    pub best: SimdLevel,
}

/// A word that is not the name of a [`SimdLevel`].
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("`{given}` is not a known instruction set; use scalar, avx2, avx512, neon or simd128")]
pub struct ParseSimdLevelError {
    /// The word as given.
    pub given: String,
}

/// Parses what [`SimdLevel::name`] returns, in upper or lower case.
impl FromStr for SimdLevel {
    type Err = ParseSimdLevelError;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        SimdLevel::ALL
            .into_iter()
            .find(|level| level.name().eq_ignore_ascii_case(word))
            .ok_or_else(|| ParseSimdLevelError {
                given: word.to_owned(),
            })
    }
}

#[cfg(test)]
mod tests {
    use super::SimdLevel;

    #[test]
    fn names_are_read_back() {
        for level in SimdLevel::ALL {
            assert_eq!(level.to_string().parse(), Ok(level));
        }
        assert_eq!("AVX2".parse(), Ok(SimdLevel::Avx2));
        let error = "sse9".parse::<SimdLevel>().unwrap_err();
        assert!(error.to_string().contains("sse9"));
        for level in SimdLevel::ALL {
            assert!(error.to_string().contains(level.name()), "{error}");
        }
    }

    #[test]
    fn available_levels_rise_to_the_detected_one() {
        let available = SimdLevel::available();
        assert_eq!(available.first(), Some(&SimdLevel::Scalar));
        assert_eq!(available.last(), Some(&SimdLevel::detect()));
        assert!(SimdLevel::OF_TARGET.starts_with(available));
        assert!(available.is_sorted_by_key(|level| *level as usize));
        for level in SimdLevel::ALL {
            assert_eq!(level.is_available(), available.contains(&level));
        }
    }
}
