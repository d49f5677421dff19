//! When memory that is kept from frame to frame is let go.

/// What is expected to be needed falls by this share in each frame in which less was needed: after a crowd a thousand times as large
/// as usual, its memory is let go within some 350 frames.
const FORGETTING: f32 = 1.0 / 64.0;
/// This many times as much may be held as is expected to be needed: vectors double when they grow.
const SPARE: usize = 4;
/// Less than this is never worth an allocation.
const FEW_BYTES: usize = 16 * 1024;

/// How much memory is expected to be needed, at most.
#[derive(Clone, Copy, Default)]
pub(crate) struct Need(f32);

impl Need {
    /// Notes that so much is used. Returns whether far more is held than is expected to be needed.
    pub(crate) fn holds_too_much(&mut self, used: usize, held: usize) -> bool {
        self.0 = (self.0 * (1.0 - FORGETTING)).max(used as f32);
        held > FEW_BYTES.max(SPARE.saturating_mul(self.0 as usize))
    }
}
