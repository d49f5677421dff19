//! Who rests in an index.

use crate::world::category::{Category, IndexPart};
use crate::world::structure::Structure;

/// Whether rows of an index rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RestOfPart {
    /// All do: they have this index of their own, or are scenery.
    All,
    /// None does.
    Nobody,
    /// Some may, among others that do not.
    Some,
}

impl RestOfPart {
    pub(crate) fn of(category: &Category, part: IndexPart) -> Self {
        match (&category.structure, part) {
            (Structure::Scenery(_), _) | (_, IndexPart::Standing) => Self::All,
            (Structure::Boxes(_), _) if category.stillness.is_some() => Self::Some,
            (Structure::Boxes(_) | Structure::Points(_), _) => Self::Nobody,
        }
    }
}
