//! How a box becomes a layer, strips, a block of them and buckets.

use crate::sides::Corners;
use throng_core::cell::CellMap;

/// The most borders between strips that a box may cross; it is copied into one strip more than that.
///
/// Seven, so that sizes that differ a thousandfold still fit one layer where strips are a few times as tall
/// as the common box; few come near the limit. Twice that would need 32 slots in every layer, empty or not.
pub(crate) const MOST_CROSSED: i32 = 7;
/// The most copies of a box, whatever its size.
pub(crate) const MOST_COPIES: usize = MOST_CROSSED as usize + 1;
/// Strips of one layer that have buckets of their own, as a power of two, at least. See [`Layer`].
pub(crate) const FEWEST_STRIP_BITS: u32 = 4;
const _: () = assert!(1 << FEWEST_STRIP_BITS > 2 * MOST_CROSSED);

/// How much taller the strips of a layer are than those of the layer below it.
///
/// One more than [`MOST_CROSSED`], so that what is just too tall for one layer crosses one border or two in
/// the next.
pub(crate) const LAYER_RATIO: f32 = 8.0;
/// Layers of strips, at most.
pub(crate) const MOST_LADDER: usize = 7;
/// Layers, the two that are one strip each included, at most.
pub(crate) const MOST_LAYERS: usize = MOST_LADDER + 2;

/// What a layer is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Strips of one height, that take boxes of some sizes.
    Strips,
    /// One strip that lies across: its boxes are stored with x and y exchanged, so that they ascend by their
    /// lower sides. It takes what is wider than tall.
    Across,
    /// One strip that takes everything.
    Top,
}

/// Strips of one height, or a single one.
///
/// Buckets wrap around along y like a torus, strip `s` having the buckets of `s mod 2^strip_bits`, so
/// that there is no world to declare and no table that grows with it. Along x there are as many blocks as
/// the plan saw a need for, and the outermost hold whatever lies beyond; so the buckets of a strip, one
/// after the other, ascend along x.
///
/// # Why a shared bucket neither loses nor doubles a pair
///
/// Let two boxes overlap. Some y lies in both, and its strip in the ranges of strips that both are copied
/// to; so all strips of either are within `MOST_CROSSED` of that one, and any two of them are less than
/// `2^strip_bits` apart. In any bucket there is therefore at most one copy of each of the two, and if
/// there are both, they are copies for the same strip.
///
/// # Why wide boxes lie across
///
/// Boxes as wide as the world all overlap along x, so a strip that is sorted by left sides compares each with
/// every other in it. In strips wide enough for them, which are as tall as thousands of them, that is every
/// pair. Sorted by lower sides each is compared with those that it overlaps along y.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Layer {
    pub strips: CellMap,
    pub blocks: CellMap,
    pub strip_bits: u32,
    pub block_bits: u32,
    /// The layer's first bucket.
    pub first_bucket: u32,
    /// The widest box it takes, and how tall a box must be; of strips alone.
    pub widest: f32,
    pub least_height: f32,
    pub kind: Kind,
}

/// Where a box goes in a layer: the strips that it is copied to, and its block in each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub first: i32,
    pub last: i32,
    pub block: u32,
}

impl Layer {
    /// A layer that is one strip.
    pub fn single(kind: Kind, blocks: CellMap) -> Self {
        Self {
            strips: CellMap::new(0.0, 1.0),
            blocks,
            strip_bits: 0,
            block_bits: 0,
            first_bucket: 0,
            widest: f32::INFINITY,
            least_height: 0.0,
            kind,
        }
    }

    /// Whether its boxes are stored with x and y exchanged.
    #[inline(always)]
    pub fn lies_across(&self) -> bool {
        self.kind == Kind::Across
    }

    /// Whether it is strips rather than a single one.
    #[inline(always)]
    pub fn has_strips(&self) -> bool {
        self.kind == Kind::Strips
    }

    /// The strip of a height. Monotone.
    #[inline(always)]
    pub fn strip(&self, y: f32) -> i32 {
        if self.has_strips() {
            self.strips.cell(y)
        } else {
            0
        }
    }

    /// The block of a left side, or of a lower one where boxes lie across. Monotone.
    #[inline(always)]
    pub fn block(&self, side: f32) -> u32 {
        self.blocks.cell(side).clamp(0, (1 << self.block_bits) - 1) as u32
    }

    /// The strips and the block of a box, if the layer takes it.
    #[inline(always)]
    pub fn place(&self, [min, max]: Corners) -> Option<Place> {
        let place = Place {
            first: self.strip(min[1]),
            last: self.strip(max[1]),
            block: self.block(min[usize::from(self.lies_across())]),
        };
        let [width, height] = [max[0] - min[0], max[1] - min[1]];
        // Cells ascend, and their difference fits a `u32` although not an `i32`.
        let crossed = place.last.wrapping_sub(place.first) as u32;
        let fits = match self.kind {
            Kind::Strips => {
                (crossed <= MOST_CROSSED as u32)
                    & (width <= self.widest)
                    & (height >= self.least_height)
            }
            Kind::Across => width > height,
            Kind::Top => true,
        };
        fits.then_some(place)
    }

    /// Which of the layer's strip buckets a strip shares.
    #[inline(always)]
    pub fn slot(&self, strip: i32) -> u32 {
        strip as u32 & ((1 << self.strip_bits) - 1)
    }

    /// The bucket of a strip and a block.
    #[inline(always)]
    pub fn bucket(&self, strip: i32, block: u32) -> u32 {
        self.first_bucket + (self.slot(strip) << self.block_bits) + block
    }

    /// In how many slots its strips lie.
    pub fn slots(&self) -> usize {
        1 << self.strip_bits
    }

    /// How many buckets it has.
    pub fn buckets(&self) -> usize {
        1 << (self.strip_bits + self.block_bits)
    }
}

/// All layers of a plan: the lowest strips first, then what lies across, and what takes everything last.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Layers {
    layers: [Layer; MOST_LAYERS],
    count: usize,
}

impl Layers {
    /// The layer that takes everything alone: what serves where there is little.
    pub fn single() -> Self {
        let top = Layer::single(Kind::Top, CellMap::new(0.0, 1.0));
        Self {
            layers: [top; MOST_LAYERS],
            count: 1,
        }
    }

    /// Layers of the given order; their buckets are numbered here.
    ///
    /// # Panics
    ///
    /// If there are none, or more than [`MOST_LAYERS`].
    pub fn new(given: &[Layer]) -> Self {
        let mut layers = Self::single();
        layers.count = given.len();
        let mut first_bucket = 0;
        for (layer, given) in layers.layers.iter_mut().zip(given) {
            *layer = Layer {
                first_bucket,
                ..*given
            };
            first_bucket += given.buckets() as u32;
        }
        assert!((1..=MOST_LAYERS).contains(&given.len()));
        layers
    }

    #[inline(always)]
    pub fn as_slice(&self) -> &[Layer] {
        &self.layers[..self.count]
    }

    /// The lowest layer that takes a box, and its place there.
    #[inline(always)]
    pub fn place(&self, corners: Corners) -> (usize, Place) {
        for (index, layer) in self.as_slice().iter().enumerate() {
            if let Some(place) = layer.place(corners) {
                return (index, place);
            }
        }
        unreachable!("the topmost layer takes everything")
    }

    pub fn buckets(&self) -> usize {
        self.as_slice().iter().map(Layer::buckets).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn layer(height: f32) -> Layer {
        Layer {
            strips: CellMap::new(3.0, height),
            blocks: CellMap::new(-5.0, 7.0),
            strip_bits: FEWEST_STRIP_BITS,
            block_bits: 2,
            first_bucket: 0,
            widest: height * MOST_CROSSED as f32,
            least_height: 0.0,
            kind: Kind::Strips,
        }
    }

    fn side() -> impl Strategy<Value = f32> {
        let any = any::<u32>()
            .prop_map(f32::from_bits)
            .prop_filter("a number", |v| !v.is_nan());
        prop_oneof![3 => -100.0_f32..100.0, 1 => any]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4096))]

        #[test]
        fn overlapping_boxes_share_a_slot_once_for_each_strip_they_share(
            a in (side(), side()), b in (side(), side()), height in 0.1_f32..50.0,
        ) {
            let layer = layer(height);
            let place = |(p, q): (f32, f32)| layer.place([[0.0, p.min(q)], [1.0, p.max(q)]]);
            let overlap = a.0.min(a.1) <= b.0.max(b.1) && b.0.min(b.1) <= a.0.max(a.1);
            if let (Some(a), Some(b), true) = (place(a), place(b), overlap) {
                let shared = (a.first..=a.last).filter(|s| (b.first..=b.last).contains(s)).count();
                let slots = |p: Place| (p.first..=p.last).map(|s| layer.slot(s)).collect::<Vec<_>>();
                let (a, b) = (slots(a), slots(b));
                prop_assert!(shared > 0);
                prop_assert_eq!(a.iter().filter(|slot| b.contains(slot)).count(), shared);
            }
        }

        #[test]
        fn every_box_has_a_layer_and_few_copies(
            x in (side(), side()), y in (side(), side()), height in 1e-30_f32..1e30,
        ) {
            let lowest = layer(height);
            let above = Layer {
                strips: CellMap::new(3.0, height * 8.0), widest: f32::MAX, least_height: height, ..lowest
            };
            let single = |kind| Layer::single(kind, lowest.blocks);
            let layers = Layers::new(&[lowest, above, single(Kind::Across), single(Kind::Top)]);
            let corners = [[x.0.min(x.1), y.0.min(y.1)], [x.0.max(x.1), y.0.max(y.1)]];
            let (index, place) = layers.place(corners);
            prop_assert!(index < 4 && place.first <= place.last);
            prop_assert!((place.last - place.first) < MOST_COPIES as i32);
            let layer = &layers.as_slice()[index];
            let bucket = layer.bucket(place.last, place.block) as usize;
            prop_assert!(bucket < layers.buckets());
        }
    }
}
