//! The first pass of an update: every box is appended to the buckets of the strips that it touches. The pass itself is
//! in [`throng_core::buckets`].

use super::layers::{Layer, Layers, MOST_CROSSED};
use throng_core::Boxes;
use throng_core::buckets::{self, Appender, GROUP, Placement, group_at};

const ALL_LANES: u32 = u32::MAX;
const _: () = assert!(GROUP == u32::BITS as usize);

/// Words in a record: left, lower, right and upper side (lower, left, upper and right if transposed), and the row with
/// its [`BEGINS_HERE`] bit.
pub(crate) const WORDS: usize = 5;

/// Set in the row word of the copy for the strip of the box's lower side: every box has exactly one such copy. Stored
/// rather than recomputed, so that the arithmetic that chooses strips is done only once.
pub(crate) const BEGINS_HERE: u32 = 1 << 31;
/// The bits of a row word that hold the row.
pub(crate) const ROW: u32 = !BEGINS_HERE;

/// One task's share of the rows.
pub(crate) type Part = buckets::Part<()>;
/// What all tasks read.
pub(crate) type Pass<'a> = buckets::Pass<'a, BoxPlacement<'a>>;

/// Sends each row to a bucket in every strip that it touches, in the layer that takes it.
#[derive(Clone, Copy)]
pub(crate) struct BoxPlacement<'a> {
    boxes: Boxes<'a>,
    layers: &'a Layers,
    lowest: Layer,
}

/// A group of boxes, and where they go in the lowest layer.
struct Group<'a> {
    sides: [&'a [f32; GROUP]; 4],
    first_row: u32,
    first_strip: [i32; GROUP],
    crossed: [u32; GROUP],
    /// The bucket of the first strip, and the block.
    buckets: [u32; GROUP],
    blocks: [u32; GROUP],
    /// One bit for each lane that the lowest layer takes. That layer has no least height.
    fits: u32,
    /// Those of them that cross a border.
    crosses: u32,
}

impl Placement<WORDS> for BoxPlacement<'_> {
    type Notes = ();

    const ROOM_FOR_NONE: u32 = 2;

    #[inline(always)]
    fn is_present(&self, row: usize) -> bool {
        self.boxes.is_present(row)
    }

    #[inline(always)]
    fn is_sound(&self, row: usize) -> bool {
        self.boxes.is_sound(row)
    }

    #[inline(always)]
    fn append_group(&self, first: u32, to: &mut Appender<'_, WORDS>, (): &mut ()) -> bool {
        let [x0, y0, x1, y1] = self.boxes.columns();
        let sides = [
            group_at(x0, first),
            group_at(y0, first),
            group_at(x1, first),
            group_at(y1, first),
        ];
        if !(self.lowest.has_strips() & all_sound(sides) & self.are_present(first as usize)) {
            return false;
        }
        let group = Group::place(&self.lowest, sides, first);
        self.append_placed(&group, to);
        true
    }

    /// Appends a box to the strips that it touches, in the layer that takes it.
    #[inline(never)]
    fn append_row(&self, row: u32, to: &mut Appender<'_, WORDS>, (): &mut ()) {
        let [min, max] = self.boxes.corners(row as usize);
        let (layer, span) = self.layers.place([min, max]);
        let layer = &self.layers.as_slice()[layer];
        let [x, y] = if layer.transposed() { [1, 0] } else { [0, 1] };
        let sides = [min[x], min[y], max[x], max[y]].map(f32::to_bits);
        for strip in span.first..=span.last {
            let begins = if strip == span.first { BEGINS_HERE } else { 0 };
            let record = [sides[0], sides[1], sides[2], sides[3], row | begins];
            to.append(layer.bucket(strip, span.block), record);
        }
    }
}

impl<'a> BoxPlacement<'a> {
    pub fn new(boxes: Boxes<'a>, layers: &'a Layers) -> Self {
        Self {
            boxes,
            layers,
            lowest: layers.as_slice()[0],
        }
    }

    /// First the first copy of every box, which for most is the only one, and then the others: a loop per box would
    /// mispredict for each box with two.
    #[inline(always)]
    fn append_placed(&self, group: &Group<'_>, to: &mut Appender<'_, WORDS>) {
        if group.fits == ALL_LANES {
            let places = to.take_places(&group.buckets);
            for (lane, &place) in places.iter().enumerate() {
                let row = group.row(lane) | BEGINS_HERE;
                to.write(place, group.record(lane, row));
            }
        } else {
            for &bucket in &group.buckets {
                to.ask_for(bucket);
            }
            for lane in 0..GROUP {
                if group.fits >> lane & 1 == 1 {
                    let row = group.row(lane) | BEGINS_HERE;
                    to.append(group.buckets[lane], group.record(lane, row));
                } else {
                    self.append_row(group.row(lane), to, &mut ());
                }
            }
        }
        let mut crosses = group.crosses;
        while crosses != 0 {
            let lane = crosses.trailing_zeros() as usize & (GROUP - 1);
            crosses &= crosses - 1;
            for crossed in 1..=group.crossed[lane] {
                let strip = group.first_strip[lane].wrapping_add(crossed as i32);
                let bucket = self.lowest.bucket(strip, group.blocks[lane]);
                to.append(bucket, group.record(lane, group.row(lane)));
            }
        }
    }

    /// Whether no row of a group is disabled.
    #[inline(always)]
    fn are_present(&self, first: usize) -> bool {
        // A plain loop rather than closures, which would not be inlined into the vector code.
        match self.boxes.absent() {
            Some(disabled) => {
                let end = disabled.len().min(first + GROUP);
                first >= end || !disabled.contains_any_in_range(first..end)
            }
            None => true,
        }
    }
}

impl<'a> Group<'a> {
    #[inline(always)]
    fn place(lowest: &Layer, sides: [&'a [f32; GROUP]; 4], first_row: u32) -> Self {
        let [x0, y0, x1, y1] = sides;
        let strips = lowest.strips;
        // One loop for each array, so that each becomes a few vector instructions.
        let mut first_strip = [0; GROUP];
        let mut crossed = [0; GROUP];
        let mut blocks = [0; GROUP];
        let mut buckets = [0; GROUP];
        for lane in 0..GROUP {
            first_strip[lane] = strips.cell(y0[lane]);
        }
        for lane in 0..GROUP {
            crossed[lane] = strips.cell(y1[lane]).wrapping_sub(first_strip[lane]) as u32;
        }
        for lane in 0..GROUP {
            blocks[lane] = lowest.block(x0[lane]);
        }
        for lane in 0..GROUP {
            buckets[lane] = lowest.bucket(first_strip[lane], blocks[lane]);
        }
        let (mut fits, mut crosses) = (0, 0);
        for lane in 0..GROUP {
            let narrow = x1[lane] - x0[lane] <= lowest.widest;
            let fit = narrow & (crossed[lane] <= MOST_CROSSED as u32);
            fits |= u32::from(fit) << lane;
            crosses |= u32::from(fit & (crossed[lane] > 0)) << lane;
        }
        Self {
            sides,
            first_row,
            first_strip,
            crossed,
            buckets,
            blocks,
            fits,
            crosses,
        }
    }

    #[inline(always)]
    fn row(&self, lane: usize) -> u32 {
        self.first_row + lane as u32
    }

    #[inline(always)]
    fn record(&self, lane: usize, row: u32) -> [u32; WORDS] {
        let [x0, y0, x1, y1] = self.sides;
        let bits = |side: &[f32; GROUP]| side[lane].to_bits();
        [bits(x0), bits(y0), bits(x1), bits(y1), row]
    }
}

/// Whether all rows of a group are boxes, by the rule of [`Boxes::is_sound`].
#[inline(always)]
fn all_sound([x0, y0, x1, y1]: [&[f32; GROUP]; 4]) -> bool {
    let mut sound = true;
    for lane in 0..GROUP {
        sound &= (x0[lane] <= x1[lane]) & (y0[lane] <= y1[lane]);
        sound &= (x0[lane] < f32::INFINITY) & (y0[lane] < f32::INFINITY);
        sound &= (x1[lane] > f32::NEG_INFINITY) & (y1[lane] > f32::NEG_INFINITY);
    }
    sound
}
