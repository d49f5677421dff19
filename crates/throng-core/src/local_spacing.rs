//! How far apart boxes are: if they are evenly spread, and where they are, whatever lies between.

use crate::aabb::Corners;
use crate::for_both::for_both;

/// How many parts are looked at.
const PARTS: usize = 64;

/// How far apart boxes are where they are dense, as a sample of a structure's parts tells: a quarter of the parts is denser.
/// `part` gives the bounds of a part whose boxes are close together, and how many there are; `None` if it is no such part. `None` if
/// no part tells. O(1): looks at 64 parts at most, and allocates nothing.
///
/// A sample of all boxes tells only how far apart they would be if they were spread evenly. With 200,000 in towns in a world a
/// million wide, that is about a thousand times as far as they are.
///
/// ```
/// use throng_core::spacing_of_parts;
///
/// // Two towns, far apart: in each, ten boxes lie two units apart.
/// let town = |k: usize| Some(([[1e6 * k as f32, 0.0], [1e6 * k as f32 + 20.0, 2.0]], 10));
/// assert_eq!(spacing_of_parts(2, town), Some(2.0));
/// assert_eq!(spacing_of_parts(2, |_| None), None);
/// ```
#[must_use]
pub fn spacing_of_parts(
    parts: usize,
    part: impl Fn(usize) -> Option<(Corners, usize)>,
) -> Option<f32> {
    let looks = parts.min(PARTS);
    let (mut spacings, mut known) = ([0.0_f32; PARTS], 0);
    for (bounds, boxes) in (0..looks).filter_map(|look| part(look * parts / looks)) {
        let [min, max] = bounds.map(|corner| corner.map(f64::from));
        let extent = for_both(|axis| max[axis] - min[axis]);
        let spacing = even_spacing(extent, boxes as f64) as f32;
        if spacing > 0.0 && spacing < f32::INFINITY {
            spacings[known] = spacing;
            known += 1;
        }
    }
    let known = &mut spacings[..known];
    known.sort_unstable_by(f32::total_cmp);
    known.get(known.len() / 4).copied()
}

/// How far apart so many boxes are that are evenly spread over an extent, or over a line if it is one.
#[must_use]
pub fn even_spacing([width, height]: [f64; 2], boxes: f64) -> f64 {
    let room = (width * height / boxes).sqrt();
    room.max(width.max(height) / boxes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quarter_of_the_parts_is_denser() {
        let square = |side: f32| Some(([[0.0; 2], [side; 2]], 16));
        assert_eq!(spacing_of_parts(1, |_| square(8.0)), Some(2.0));
        let of_each = |parts: usize| spacing_of_parts(parts, |k| square(4.0 * k as f32));
        assert_eq!(
            of_each(5),
            Some(2.0),
            "of 4, 8, 12 and 16; one that takes no room does not count"
        );
        // Of so many, only every tenth is looked at.
        assert_eq!(of_each(10 * PARTS), Some(160.0));
    }

    #[test]
    fn boxes_on_a_line_are_as_far_apart_as_they_are_along_it() {
        let line = |_| Some(([[0.0, 3.0], [100.0, 3.0]], 10));
        assert_eq!(spacing_of_parts(3, line), Some(10.0));
    }

    #[test]
    fn parts_without_an_end_do_not_count() {
        let endless = |k: usize| {
            let side = if k == 0 { f32::INFINITY } else { 6.0 };
            Some(([[0.0; 2], [side, 6.0]], 9))
        };
        assert_eq!(spacing_of_parts(2, endless), Some(2.0));
        assert_eq!(spacing_of_parts(1, endless), None);
        assert_eq!(spacing_of_parts(0, endless), None);
        let nothing = |_| Some(([[f32::NAN; 2]; 2], 9));
        assert_eq!(spacing_of_parts(5, nothing), None);
    }
}
