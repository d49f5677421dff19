//! What came out of a run, as a few numbers.

use std::fmt;
use std::ops::ControlFlow;

use throng::{CastHit, CellView, NearestHit, ProximityPair, QueryError, QueryHit, RowRef};
use throng_scenes::PairHash;

/// What is hashed apart from the rest, so that a failure says what has changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Piece {
    /// Where everything was put, frame by frame, and what inserting, removing and resizing said. If this differs, the run
    /// itself was another one, and whatever else differs may only follow from that.
    Operations,
    Pairs,
    Points,
    Boxes,
    Circles,
    Polygons,
    Rays,
    BoxCasts,
    NearestHit,
    Batches,
    BoxesWithin,
    CentersWithin,
    /// The cells for debug drawing. Nobody promises their order, so their hashes are added up.
    Cells,
    /// The bytes of packed scenery, which are a file; a big-endian machine writes others.
    Scenery,
}

impl Piece {
    pub const ALL: [Piece; 14] = [
        Piece::Operations,
        Piece::Pairs,
        Piece::Points,
        Piece::Boxes,
        Piece::Circles,
        Piece::Polygons,
        Piece::Rays,
        Piece::BoxCasts,
        Piece::NearestHit,
        Piece::Batches,
        Piece::BoxesWithin,
        Piece::CentersWithin,
        Piece::Cells,
        Piece::Scenery,
    ];
}

/// A running hash, and how much it was made of.
///
/// Everything is hashed in the order in which it comes, floats by their bits, by [`PairHash`]: two words of 32 bits a step.
#[derive(Clone, Copy, Default)]
pub struct Digest {
    hash: PairHash,
    /// Events, pairs, hits, cells: whatever is counted.
    found: u64,
}

impl Digest {
    pub fn value(&self) -> Value {
        Value {
            found: self.found,
            hash: self.hash.finish(),
        }
    }

    pub fn words(&mut self, a: u32, b: u32) {
        self.hash.update(a, b);
    }

    pub fn long(&mut self, word: u64) {
        self.words(word as u32, (word >> 32) as u32);
    }

    pub fn point(&mut self, [x, y]: [f32; 2]) {
        self.words(x.to_bits(), y.to_bits());
    }

    pub fn count(&mut self) {
        self.found += 1;
    }

    /// A pair of rows of two categories.
    pub fn pair(&mut self, categories: [usize; 2], [a, b]: [u32; 2]) {
        self.words(categories[0] as u32, categories[1] as u32);
        self.words(a, b);
        self.found += 1;
    }

    pub fn row(&mut self, place: RowRef) {
        self.words(place.category.index() as u32, place.row);
    }

    pub fn hit(&mut self, hit: &QueryHit) {
        self.long(hit.id.to_bits());
        self.words(hit.category.index() as u32, hit.row);
        self.point(hit.center);
        self.point(hit.half_extents);
        self.point(hit.aabb.min());
        self.point(hit.aabb.max());
        self.found += 1;
    }

    pub fn cast_hit(&mut self, hit: &CastHit) {
        self.hit(&hit.hit);
        self.words(hit.fraction.to_bits(), 0);
    }

    pub fn nearest(&mut self, near: &NearestHit) {
        self.hit(&near.hit);
        self.words(near.distance_squared.to_bits(), 0);
    }

    pub fn near_pair(&mut self, pair: &ProximityPair) {
        self.near(pair.rows, pair.distance_squared);
    }

    pub fn near(&mut self, rows: [RowRef; 2], distance_squared: f32) {
        rows.iter().for_each(|&place| self.row(place));
        self.words(distance_squared.to_bits(), 0);
        self.found += 1;
    }

    /// Cells in any order.
    pub fn cells(&mut self, visit: impl FnOnce(&mut dyn FnMut(CellView))) {
        let mut sum = 0_u64;
        visit(&mut |cell| {
            let mut own = Digest::default();
            own.point(cell.bounds.min());
            own.point(cell.bounds.max());
            own.words(cell.rows as u32, cell.level as u32);
            sum = sum.wrapping_add(own.hash.finish());
            self.found += 1;
        });
        self.long(sum);
    }

    /// One answer, in its order; where it ends counts too.
    pub fn answer<'h, H: 'h>(
        &mut self,
        hits: impl IntoIterator<Item = &'h H>,
        take: impl Fn(&mut Self, &H),
    ) {
        let before = self.found;
        hits.into_iter().for_each(|hit| take(self, hit));
        self.end_answer(before);
    }

    /// What a query visits, in its order.
    pub fn visited<H>(
        &mut self,
        take: impl Fn(&mut Self, &H),
        query: impl FnOnce(&mut dyn FnMut(H) -> ControlFlow<()>) -> Result<ControlFlow<()>, QueryError>,
    ) {
        let before = self.found;
        let every = query(&mut |hit| {
            take(self, &hit);
            ControlFlow::Continue(())
        });
        assert_eq!(every, Ok(ControlFlow::Continue(())));
        self.end_answer(before);
    }

    fn end_answer(&mut self, found_before: u64) {
        self.words(u32::MAX, (self.found - found_before) as u32);
    }
}

/// What a digest has come to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Value {
    pub found: u64,
    pub hash: u64,
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#018x} of {}", self.hash, self.found)
    }
}

/// A digest for each piece.
#[derive(Clone, Default)]
pub struct Digests([Digest; Piece::ALL.len()]);

impl Digests {
    pub fn of(&mut self, piece: Piece) -> &mut Digest {
        &mut self.0[piece as usize]
    }

    pub fn values(&self) -> [Value; Piece::ALL.len()] {
        self.0.map(|digest| digest.value())
    }
}
