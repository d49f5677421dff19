//! Errors of the library, each with the status that C gets for it.

use throng::{
    AabbError, BytesError, ColumnError, ConfigError, InsertError, ProxyError, QueryError,
    ReserveError, SceneryError, ShapeError, SortRowsError, StaleIndex, UnknownCategory,
};

use crate::shapes::THRONG_NO_PROXY;
use crate::status::throng_status;

/// Why a call is refused.
#[derive(Debug)]
pub(crate) struct Refusal {
    pub(crate) status: throng_status,
    pub(crate) message: String,
}

impl Refusal {
    pub(crate) fn new(status: throng_status, message: impl Into<String>) -> Self {
        Self {
            status,
            message: message.into(),
        }
    }

    /// The same, said of one of many.
    pub(crate) fn of(self, which: &str) -> Self {
        Self::new(self.status, format!("{which}: {}", self.message))
    }
}

/// What every function has done in the end.
pub(crate) type Outcome<T = ()> = Result<T, Refusal>;

/// Says which status an error has, given the error; its message is what it prints.
macro_rules! statuses {
    ($($error:ty => |$this:pat_param| $status:expr;)*) => {
        $(impl From<$error> for Refusal {
            fn from(error: $error) -> Self {
                let status = {
                    use throng_status::*;
                    let $this = &error;
                    $status
                };
                Self::new(status, in_c(&error.to_string()))
            }
        })*
    };
}

statuses! {
    AabbError => |_| BadBox;
    ShapeError => |_| BadShape;
    ConfigError => |_| BadConfig;
    UnknownCategory => |_| UnknownCategory;
    StaleIndex => |_| StaleIndex;
    BytesError => |_| BadScenery;
    InsertError => |error| match error {
        InsertError::UnknownCategory(_) => UnknownCategory,
        InsertError::Placement(_) => DoesNotFit,
        InsertError::Full { .. } | InsertError::NoIds(_) => Full,
        InsertError::VelocityNotFinite { .. } => NotFinite,
        InsertError::NeverMoves { .. } => IsScenery,
        _ => Refused,
    };
    ColumnError => |error| match error {
        ColumnError::UnknownCategory(_) => UnknownCategory,
        ColumnError::Scenery { .. } | ColumnError::VelocityOfScenery { .. } => IsScenery,
        ColumnError::LengthMismatch { .. }
        | ColumnError::PointsMismatch { .. }
        | ColumnError::AabbsMismatch { .. }
        | ColumnError::HalfExtentsMismatch { .. } => LengthMismatch,
        ColumnError::NoSuchRow { .. } => NoSuchRow,
        ColumnError::NotFinite { .. } | ColumnError::VelocityNotFinite { .. } => NotFinite,
        _ => Refused,
    };
    ReserveError => |error| match error {
        ReserveError::UnknownCategory(_) => UnknownCategory,
        ReserveError::TooMany { .. } => Full,
        ReserveError::Memory { .. } => OutOfMemory,
        _ => Refused,
    };
    SortRowsError => |error| match error {
        SortRowsError::UnknownCategory(_) => UnknownCategory,
        _ => Refused,
    };
    SceneryError => |error| match error {
        SceneryError::UnknownCategory(_) => UnknownCategory,
        SceneryError::NotScenery { .. } => NotScenery,
        SceneryError::TooMany { .. } => Full,
        SceneryError::Unloaded { .. } => RemovedProxy,
        SceneryError::OtherWorld { .. } => OtherWorld,
        _ => BadScenery,
    };
    QueryError => |error| match error {
        QueryError::UnknownCategory(_) => UnknownCategory,
        QueryError::StaleIndex(_) => StaleIndex,
        QueryError::Proxy(error) => of_proxy(error),
        QueryError::Shape(_) | QueryError::EndlessDistance { .. } => BadShape,
        _ => Refused,
    };
}

impl From<ProxyError> for Refusal {
    fn from(error: ProxyError) -> Self {
        let message = match error {
            // These look like ids of other worlds, or of proxies that were removed.
            ProxyError::OtherWorld { id, .. } | ProxyError::Stale { id }
                if id.to_bits() == THRONG_NO_PROXY =>
            {
                "`THRONG_NO_PROXY` is the id of no proxy; a proxy that was not inserted has it"
                    .to_owned()
            }
            ProxyError::OtherWorld { id, .. } | ProxyError::Stale { id } if id.to_bits() == 0 => {
                "0 is the id of no proxy; was it ever set to what an insert returned?".to_owned()
            }
            _ => in_c(&error.to_string()),
        };
        Self::new(of_proxy(&error), message)
    }
}

fn of_proxy(error: &ProxyError) -> throng_status {
    use throng_status::*;
    match error {
        ProxyError::Stale { .. } => RemovedProxy,
        ProxyError::OtherWorld { .. } => OtherWorld,
        ProxyError::NotFinite { .. } | ProxyError::VelocityNotFinite { .. } => NotFinite,
        ProxyError::NeverMoves { .. } => IsScenery,
        ProxyError::NeverRests { .. } => NeverRests,
        ProxyError::Full { .. } => Full,
        ProxyError::UnknownCategory(_) => UnknownCategory,
        ProxyError::Placement { .. } => DoesNotFit,
        ProxyError::BadAabb { .. } => BadBox,
        _ => Refused,
    }
}

/// A message with the names that functions have in C.
fn in_c(message: &str) -> String {
    message
        .replace("`CategoryConfig::", "`throng_category_")
        .replace("`Proxy::fixed", "`throng_proxy_fixed")
        .replace("`Proxy::moving", "`throng_proxy_moving")
        .replace(
            "`set_category` does so",
            "`throng_set_category_by_size` does so",
        )
        .replace("`rests_when_told`", "`THRONG_CATEGORY_RESTS_WHEN_TOLD`")
        .replace("`set_", "`throng_set_")
        .replace("`pack_scenery", "`throng_pack_scenery")
        .replace("`step`", "`throng_step`")
        .replace("`refresh`", "`throng_refresh`")
        .replace("`coarse()`", "`THRONG_CATEGORY_COARSE`")
        .replace("leave `rests` and", "leave `rests_after` and")
}

#[cfg(test)]
mod tests {
    use super::*;
    use throng::PlacementError;

    #[test]
    fn ids_of_nobody_are_not_taken_for_those_of_another_world() {
        let own = 7;
        let id = throng::ProxyId::from_bits(0);
        let refusal = Refusal::from(ProxyError::Stale { id });
        assert!(refusal.message.contains("0 is"), "{}", refusal.message);
        for (bits, said) in [
            (THRONG_NO_PROXY, "THRONG_NO_PROXY"),
            (0, "0 is"),
            (1, "world tag 0"),
        ] {
            let id = throng::ProxyId::from_bits(bits);
            let refusal = Refusal::from(ProxyError::OtherWorld { id, own });
            assert!(refusal.message.contains(said), "{}", refusal.message);
            assert_eq!(refusal.status, throng_status::OtherWorld);
        }
    }

    #[test]
    fn messages_have_the_names_of_c() {
        let said = [
            PlacementError::NoScenery,
            PlacementError::OnlyScenery,
            PlacementError::TooLarge {
                given: [3.0; 2],
                largest: "bees".to_owned(),
                bound: [1.0; 2],
                sensor: None,
            },
            PlacementError::OverBound {
                given: [3.0; 2],
                category: "bees".to_owned(),
                bound: [1.0; 2],
            },
        ]
        .map(|problem| Refusal::from(InsertError::from(problem)).message);
        assert!(said[0].contains("`throng_category_scenery("));
        assert!(
            said[1].contains("`throng_category_oversized(")
                && said[1].contains("`throng_proxy_fixed`")
        );
        let of_config = |category: throng::CategoryConfig| {
            let config = throng::BroadphaseConfig::new().category(category);
            Refusal::from(config.validate().unwrap_err()).message
        };
        let coarse = of_config(throng::CategoryConfig::oversized("bees").coarse());
        assert!(coarse.contains("`THRONG_CATEGORY_COARSE`"), "{coarse}");
        let rests = of_config(throng::CategoryConfig::scenery("hives").rests_after(2));
        assert!(rests.contains("`rests_after` and `wakes"), "{rests}");
        let wakes = of_config(throng::CategoryConfig::uniform("bees", 1.0).wakes_on_contact());
        assert!(
            wakes.contains("`THRONG_CATEGORY_RESTS_WHEN_TOLD`"),
            "{wakes}"
        );
        let by_size = "(`throng_set_category_by_size` does so for a living proxy)";
        assert!(said[3].contains(by_size), "{}", said[3]);
        let given_by_a_user = "a category 'set_aside' and \"Proxy::fixed\"";
        assert_eq!(in_c(given_by_a_user), given_by_a_user);
        assert_eq!(in_c("call `set_key`"), "call `throng_set_key`");
        assert!(
            said.iter().all(|message| !message.contains("::")),
            "{said:?}"
        );
    }
}
