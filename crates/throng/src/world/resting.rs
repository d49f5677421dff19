//! When the proxies of a category come to rest, as configured.

/// When proxies of a category rest. One that rests costs next to nothing, and so does a pair of two that rest. See
/// [`CategoryConfig::rests_after`](crate::CategoryConfig::rests_after).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Resting {
    /// Never: in every step, each pair is found and handed to the narrowphase.
    #[default]
    Never,
    /// After this many steps in which they have not moved, 1 to [`MOST_STEPS`](Self::MOST_STEPS); or sooner if
    /// [told](crate::Broadphase::set_resting).
    After(u32),
    /// Only when [told](crate::Broadphase::set_resting), as by an engine that puts whole islands to sleep.
    WhenTold,
}

impl Resting {
    /// The most steps that proxies may be configured to wait before they rest.
    pub const MOST_STEPS: u32 = 240;

    pub(crate) fn is_never(&self) -> bool {
        *self == Self::Never
    }
}

/// In a file, a number of steps, `"when_told"`, or `false`.
#[cfg(feature = "serde")]
mod of_file {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::Resting;

    #[derive(Serialize, Deserialize)]
    #[serde(
        untagged,
        expecting = "`rests` needs a number of steps, \"when_told\", or `false`"
    )]
    enum Written {
        Never(Never),
        After(u32),
        Told(Told),
    }

    /// `false`, and nothing else.
    #[derive(Serialize, Deserialize)]
    #[serde(into = "bool", try_from = "bool")]
    #[derive(Clone, Copy)]
    struct Never;

    impl From<Never> for bool {
        fn from(_: Never) -> Self {
            false
        }
    }

    impl TryFrom<bool> for Never {
        type Error = &'static str;

        fn try_from(given: bool) -> Result<Self, Self::Error> {
            if given {
                Err("after how many steps?")
            } else {
                Ok(Self)
            }
        }
    }

    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    enum Told {
        WhenTold,
    }

    impl Serialize for Resting {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            let written = match self {
                Self::Never => Written::Never(Never),
                Self::After(steps) => Written::After(*steps),
                Self::WhenTold => Written::Told(Told::WhenTold),
            };
            written.serialize(serializer)
        }
    }

    impl<'de> Deserialize<'de> for Resting {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            Ok(match Written::deserialize(deserializer)? {
                Written::Never(Never) => Self::Never,
                Written::After(steps) => Self::After(steps),
                Written::Told(Told::WhenTold) => Self::WhenTold,
            })
        }
    }
}
