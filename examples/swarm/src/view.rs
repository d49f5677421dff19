//! Where in the picture a place in the world is, and the other way round.

/// Parts of the picture left free around the world.
const MARGIN: f32 = 0.01;
/// How much closer than the whole one may look.
const CLOSEST: f32 = 50.0;

/// A map from the world to pixels: the same scale on both axes, the second axis downwards.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    /// Pixels per unit of length.
    pub scale: f32,
    /// The pixel, in fractions, of the world's origin.
    pub offset: [f32; 2],
}

impl View {
    /// The whole of a world of this size, in the middle of a picture of this size, of which some
    /// lines at the top and at the bottom are left free.
    pub fn whole(world: [f32; 2], [width, height]: [usize; 2], [top, bottom]: [usize; 2]) -> Self {
        let height = height.saturating_sub(top + bottom).max(1);
        let room = [width as f32, height as f32];
        let fitting = |axis: usize| room[axis] * (1.0 - 2.0 * MARGIN) / world[axis];
        let scale = fitting(0).min(fitting(1));
        let middle = |axis: usize| 0.5 * (room[axis] - scale * world[axis]);
        Self {
            scale,
            offset: [middle(0), middle(1) + top as f32],
        }
    }

    /// The same of a world of which the corner is not at the origin, but here.
    pub fn with_corner(self, [x, y]: [f32; 2]) -> Self {
        let [left, top] = self.offset;
        Self {
            offset: [left - x * self.scale, top - y * self.scale],
            ..self
        }
    }

    /// A view of this scale in which this place is at this pixel.
    pub fn of(scale: f32, place: [f32; 2], pixel: [f32; 2]) -> Self {
        Self {
            scale,
            offset: [0, 1].map(|axis| pixel[axis] - place[axis] * scale),
        }
    }

    /// The same scale, moved just enough that a world of this size, whose corner is here, is in the middle of a picture of this size,
    /// if all of it fits, and otherwise fills the picture but for a margin.
    pub fn over(&self, size: [usize; 2], world: [f32; 2], corner: [f32; 2]) -> Self {
        let offset = [0, 1].map(|axis| {
            let (room, long) = (size[axis] as f32, world[axis] * self.scale);
            let free = MARGIN * room;
            let first = if long + 2.0 * free <= room {
                0.5 * (room - long)
            } else {
                let first = self.offset[axis] + corner[axis] * self.scale;
                first.max(room - long - free).min(free)
            };
            first - corner[axis] * self.scale
        });
        Self {
            scale: self.scale,
            offset,
        }
    }

    /// The pixel of a place.
    #[inline(always)]
    pub fn pixel(&self, x: f32, y: f32) -> [f32; 2] {
        [
            x * self.scale + self.offset[0],
            y * self.scale + self.offset[1],
        ]
    }

    /// The place of a pixel.
    pub fn place(&self, pixel: [f32; 2]) -> [f32; 2] {
        [0, 1].map(|axis| (pixel[axis] - self.offset[axis]) / self.scale)
    }

    /// Closer by a factor, or farther for one below 1, keeping what is under a pixel where it is;
    /// never farther than `whole`.
    pub fn zoomed(&self, factor: f32, at: [f32; 2], whole: &View) -> Self {
        let scale = self.scale * factor;
        if scale <= whole.scale {
            return *whole;
        }
        Self::of(scale.min(whole.scale * CLOSEST), self.place(at), at)
    }
}

/// A picture of the shape of a world that fits into `most`.
pub fn picture_size(world: [f32; 2], most: [usize; 2]) -> [usize; 2] {
    let View { scale, .. } = View::whole(world, most, [0, 0]);
    [0, 1].map(|axis| {
        let side = (world[axis] * scale / (1.0 - 2.0 * MARGIN)).ceil() as usize;
        side.clamp(16, most[axis])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_and_back() {
        let whole = View::whole([320.0, 200.0], [1280, 800], [50, 40]);
        let near = whole.zoomed(3.0, [100.0, 90.0], &whole);
        let moved = whole.with_corner([20.0, -9.0]).pixel(25.0, 0.0);
        let unmoved = whole.pixel(5.0, 9.0);
        assert!((0..2).all(|axis| (moved[axis] - unmoved[axis]).abs() < 1e-3));
        for view in [whole, near] {
            let [x, y] = view.place(view.pixel(12.5, 170.0));
            assert!((x - 12.5).abs() < 1e-3 && (y - 170.0).abs() < 1e-3);
        }
        assert_eq!(near.zoomed(0.1, [5.0, 5.0], &whole), whole);
    }

    #[test]
    fn zooming_keeps_what_is_under_the_mouse() {
        let whole = View::whole([320.0, 200.0], [1280, 800], [0, 0]);
        let mouse = [700.0, 123.0];
        let (before, after) = (
            whole.place(mouse),
            whole.zoomed(2.0, mouse, &whole).place(mouse),
        );
        assert!((before[0] - after[0]).abs() < 1e-3 && (before[1] - after[1]).abs() < 1e-3);
    }

    #[test]
    fn a_view_is_moved_over_the_world() {
        let (world, corner, size) = ([300.0, 100.0], [20.0, -9.0], [600, 500]);
        let last = [320.0, 91.0];
        // Twice as wide as the picture, and not as high.
        for place in [[-1e4, 1e4], [1e4, -1e4], [170.0, 41.0]] {
            let view = View::of(4.0, place, [300.0, 250.0]).over(size, world, corner);
            let [left, top] = view.pixel(corner[0], corner[1]);
            let [right, bottom] = view.pixel(last[0], last[1]);
            assert!(left <= 6.1 && right >= 600.0 - 6.1, "{left} {right}");
            assert!((top - 50.0).abs() < 0.1 && (bottom - 450.0).abs() < 0.1);
        }
        let inside = View::of(4.0, [170.0, 41.0], [300.0, 250.0]);
        let moved = inside.over(size, world, corner);
        assert!((0..2).all(|axis| (inside.offset[axis] - moved.offset[axis]).abs() < 1e-3));
    }

    #[test]
    fn pictures_have_the_shape_of_the_world() {
        assert_eq!(picture_size([512.0, 512.0], [1280, 800]), [800, 800]);
        assert_eq!(picture_size([1.6, 1.0], [1280, 800]), [1280, 800]);
    }
}
