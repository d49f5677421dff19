//! Quadtrees for 2D boxes.
//!
//! | structure | in short | for |
//! |---|---|---|
//! | [`PackedQuadtree`] | built once into one piece of memory, which is also its file; sixteen boxes compared at once | what never moves: walls, castles, boulders |

mod packed;

pub use packed::{
    ALIGNMENT, AlignedBytes, BytesError, MOST_PACKED_ROWS, PackedConfig, PackedError,
    PackedNodeView, PackedQuadtree, SegmentHit, SharedBytes,
};
