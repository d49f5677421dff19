//! How a config is written to a file and read back, where the fields themselves do not say it.

use serde::de::{Error, SeqAccess, Visitor, value::SeqAccessDeserializer};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::world::config::EventsWith;

/// The bound if a file gives none: an oversized category needs none, and for a uniform one it is an error.
pub(super) fn unbounded() -> [f32; 2] {
    [f32::INFINITY; 2]
}

/// No margin is not written.
pub(super) fn is_zero(margin: &f32) -> bool {
    *margin == 0.0
}

/// An infinite bound is not written, because some formats have no infinity.
pub(super) fn is_unbounded(half_extents: &[f32; 2]) -> bool {
    *half_extents == unbounded()
}

/// A bound may be infinite along one axis; one number counts for both.
pub(super) fn bound_of_file<'de, D: Deserializer<'de>>(file: D) -> Result<[f32; 2], D::Error> {
    struct Bound;

    impl<'de> Visitor<'de> for Bound {
        type Value = [f32; 2];

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("half extents: a number, or two of them, for x and y")
        }

        fn visit_f64<E: Error>(self, half_extent: f64) -> Result<[f32; 2], E> {
            Ok([half_extent as f32; 2])
        }

        fn visit_u64<E: Error>(self, half_extent: u64) -> Result<[f32; 2], E> {
            Ok([half_extent as f32; 2])
        }

        fn visit_i64<E: Error>(self, half_extent: i64) -> Result<[f32; 2], E> {
            Ok([half_extent as f32; 2])
        }

        fn visit_seq<S: SeqAccess<'de>>(self, numbers: S) -> Result<[f32; 2], S::Error> {
            throng_core::or_infinite(SeqAccessDeserializer::new(numbers), f32::INFINITY)
        }
    }

    if file.is_human_readable() {
        file.deserialize_any(Bound)
    } else {
        throng_core::or_infinite(file, f32::INFINITY)
    }
}

/// Events in a file: `true`, `false`, or a list of names.
#[derive(Serialize, Deserialize)]
#[serde(
    untagged,
    expecting = "`events` needs `true`, `false`, or a list of names of categories"
)]
enum WrittenEvents {
    All(bool),
    These(Vec<String>),
}

impl Serialize for EventsWith {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Nobody => serializer.serialize_bool(false),
            Self::Everybody => serializer.serialize_bool(true),
            Self::These(names) => names.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for EventsWith {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(match WrittenEvents::deserialize(deserializer)? {
            WrittenEvents::All(true) => Self::Everybody,
            WrittenEvents::All(false) => Self::Nobody,
            WrittenEvents::These(names) => Self::These(names),
        })
    }
}

/// An instruction set in a file: the name that is printed for it.
pub(super) mod simd_name {
    use serde::{Deserialize, Deserializer, Serializer};
    use throng_core::SimdLevel;

    pub fn serialize<S: Serializer>(
        level: &Option<SimdLevel>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        match level {
            Some(level) => serializer.collect_str(level),
            None => serializer.serialize_none(),
        }
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<SimdLevel>, D::Error> {
        let name = Option::<String>::deserialize(deserializer)?;
        name.map(|name| name.parse().map_err(serde::de::Error::custom))
            .transpose()
    }
}
