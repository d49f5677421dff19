//! The pass over a leaf, in which its rows are read anew and it is measured how far they are out of order.

use crate::leaf::{Bounds, Leaf};
use crate::mend::Columns;
use crate::row_word::RowWord;

/// What was found in a leaf.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Refitted {
    pub bounds: Bounds,
    /// How far a center lies to the left of an earlier one at most.
    pub disorder: f32,
    /// Whether all centers are finite, and all half extents within the bound.
    pub is_good: bool,
}

impl Refitted {
    pub const NONE: Self = Self {
        bounds: Bounds::NONE,
        disorder: 0.0,
        is_good: false,
    };
}

/// Reads the rows of a leaf anew; `words` begins with its memory, and `said` is what its records have said of their rows so far.
#[inline(always)]
pub(crate) fn refit_leaf(
    words: &mut [u32],
    leaf: &Leaf,
    columns: &Columns<'_>,
    said: RowWord,
) -> Refitted {
    let (len, stride) = (leaf.len as usize, leaf.stride as usize);
    let Columns {
        points,
        classes,
        row_word,
        bound,
    } = *columns;
    let (to_xs, rest) = words.split_at_mut(stride);
    let (to_ys, rest) = rest.split_at_mut(stride);
    let (rows, rest) = rest.split_at_mut(stride);
    let (to_xs, to_ys, rows) = (&mut to_xs[..len], &mut to_ys[..len], &mut rows[..len]);
    let xs = points.xs;
    let ys = &points.ys[..xs.len()];
    let mut order = Order::default();
    for at in 0..len {
        let row = said.row(rows[at]) as usize;
        let (x, y) = (xs[row], ys[row]);
        order.add(x);
        to_xs[at] = x.to_bits();
        to_ys[at] = y.to_bits();
    }
    if !row_word.is_plain() {
        for word in &mut *rows {
            let row = said.row(*word);
            *word = row_word.word(row, classes[row as usize]);
        }
    } else if !said.is_plain() {
        for word in &mut *rows {
            *word = said.row(*word);
        }
    }
    let mut is_good = true;
    if let Some(own) = points.half_extents {
        let (to_widths, to_heights) = rest.split_at_mut(stride);
        for ((width, height), &word) in to_widths.iter_mut().zip(to_heights).zip(&*rows) {
            let half = own[row_word.row(word) as usize];
            is_good &= (half[0] >= 0.0) & (half[0] <= bound[0]);
            is_good &= (half[1] >= 0.0) & (half[1] <= bound[1]);
            (*width, *height) = (half[0].to_bits(), half[1].to_bits());
        }
    }
    let (xs, ys): (&[f32], &[f32]) = (bytemuck::cast_slice(to_xs), bytemuck::cast_slice(to_ys));
    for (x, y) in xs.iter().zip(ys) {
        is_good &= x.is_finite() & y.is_finite();
    }
    Refitted {
        bounds: Bounds::of(xs, ys),
        disorder: order.disorder,
        is_good,
    }
}

/// What there is to be found in a leaf whose rows have been read, all of them good.
#[inline(always)]
pub(crate) fn measure_leaf([xs, ys]: [&[f32]; 2]) -> Refitted {
    let mut order = Order::default();
    for &x in xs {
        order.add(x);
    }
    Refitted {
        bounds: Bounds::of(xs, ys),
        disorder: order.disorder,
        is_good: true,
    }
}

/// How far centers are out of order along x, one after the other.
struct Order {
    furthest: f32,
    /// How far one lies to the left of an earlier one at most.
    disorder: f32,
}

impl Default for Order {
    fn default() -> Self {
        Self {
            furthest: f32::NEG_INFINITY,
            disorder: 0.0,
        }
    }
}

impl Order {
    #[inline(always)]
    fn add(&mut self, x: f32) {
        self.furthest = if x > self.furthest { x } else { self.furthest };
        let back = self.furthest - x;
        self.disorder = if back > self.disorder {
            back
        } else {
            self.disorder
        };
    }
}
