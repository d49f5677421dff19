//! What an update did.

/// What an update of a structure from columns did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct UpdateReport {
    /// Rows held now.
    pub rows: usize,
    /// Rows that are present but left out, because their sides do not make a box.
    pub rejected: usize,
    /// Rows held before and now whose box changed.
    pub moved: usize,
    /// Rows that came.
    pub inserted: usize,
    /// Rows that went.
    pub removed: usize,
    /// Whether sizes were chosen anew, and everything distributed again.
    pub planned: bool,
}
