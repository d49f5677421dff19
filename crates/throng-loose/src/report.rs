//! What an update did.

/// What an update of a structure from columns did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct UpdateReport {
    /// Rows held now.
    pub rows: usize,
    /// Rows that are not disabled but left out, because their sides do not make a box.
    pub rejected: usize,
    /// Rows held before and now whose box has changed.
    pub moved: usize,
    /// Rows held now and not before.
    pub inserted: usize,
    /// Rows held before and not now.
    pub removed: usize,
    /// Whether new sizes were chosen and everything distributed again.
    pub planned: bool,
}
