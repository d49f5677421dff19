//! What an update did.

/// What an update of a structure from columns did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct UpdateReport {
    /// Rows held now.
    pub rows: usize,
    /// Rows that are not disabled but left out, because their sides do not make a box.
    pub rejected: usize,
    /// Rows held before and now whose box has changed. In strips, which are sorted again from nothing, all rows.
    pub moved: usize,
    /// Rows held now and not before; in strips always 0.
    pub inserted: usize,
    /// Rows held before and not now; in strips always 0.
    pub removed: usize,
    /// Whether new sizes were chosen and everything distributed again.
    pub planned: bool,
}
