//! The swarm as the page sees it: a picture, the figures of a frame, and what the mouse does.

use std::time::Duration;

use throng::{Aabb, Clock, ProxyId, QueryHit, SimdLevel, Step};
use throng_swarm::{
    bodies::Kind,
    colour::Colour,
    contacts::{Found, Keep},
    failure::Failure,
    figures::{FrameFigures, milliseconds},
    paint::{self, Painter},
    setup::Setup,
    swarm::Swarm,
    view::View,
    witness::Witness,
};

use crate::{
    clock,
    report::{Picked, Report, Stage},
    wish::Sliders,
};

/// The largest picture, and the smallest, along each side.
const PIXELS: [u32; 2] = [16, 8192];
/// How near the mouse has to be to something, in pixels.
const NEAR: f32 = 24.0;
/// The most neighbours that are shown.
const MOST_NEIGHBOURS: usize = 500;

/// A swarm, and the picture of it.
pub struct Page {
    swarm: Swarm,
    painter: Painter,
    /// From the world to the picture.
    view: View,
    /// What was to be looked at when the picture or the world last became another, until the next zoom or pan.
    asked: Option<Look>,
    size: [usize; 2],
    pixels: Vec<Colour>,
    /// The picture as a canvas wants it: red, green, blue, opaque.
    rgba: Vec<[u8; 4]>,
    /// The cells of all indices: left, top, right and bottom in pixels, rows, kind.
    cells: Vec<[f32; 6]>,
    frames: u64,
    figures: FrameFigures,
    seen: Seen,
    /// Whoever was picked last.
    picked: Option<ProxyId>,
    pushed: bool,
}

/// What part of a world somebody looks at.
#[derive(Clone, Copy)]
pub struct Look {
    /// How much closer than the whole of it.
    closer: f32,
    /// What is in the middle of the picture, in parts of the world.
    at: [f32; 2],
}

/// What was seen of the last step.
#[derive(Default)]
struct Seen {
    step: Duration,
    cells: usize,
}

impl Witness for Seen {
    fn now(&self) -> Duration {
        clock::now()
    }

    fn look(&mut self, _: &[Kind], step: &Step<'_, Found>) {
        let report = step.report();
        *self = Self {
            step: report.stages.step,
            cells: report.cells,
        };
    }
}

impl Page {
    /// A swarm at rest, and a black picture of this size.
    pub fn new(sliders: &Sliders, size: [u32; 2]) -> Result<Self, Failure> {
        let wish = sliders.wish();
        let wish = wish.map_err(|refused| Failure::input(refused.to_string()))?;
        let mut swarm = Swarm::new(Setup::new(wish)?)?;
        swarm.set_clock(Clock::Host(clock::now));
        let mut page = Self {
            swarm,
            painter: Painter::default(),
            view: View::whole([1.0; 2], [1; 2], [0; 2]),
            asked: None,
            size: [1; 2],
            pixels: Vec::new(),
            rgba: Vec::new(),
            cells: Vec::new(),
            frames: 0,
            figures: FrameFigures::default(),
            seen: Seen::default(),
            picked: None,
            pushed: false,
        };
        page.view = page.whole();
        page.resize(size);
        Ok(page)
    }

    /// Makes the picture of another size, and shows what it has shown.
    pub fn resize(&mut self, size: [u32; 2]) {
        let look = self.look();
        self.size = size.map(|side| side.clamp(PIXELS[0], PIXELS[1]) as usize);
        let pixels = self.size[0] * self.size[1];
        self.pixels.resize(pixels, 0);
        self.rgba.resize(pixels, [0; 4]);
        self.look_at(look);
    }

    fn middle(&self) -> [f32; 2] {
        self.size.map(|side| 0.5 * side as f32)
    }

    /// What is looked at.
    pub fn look(&self) -> Look {
        self.asked.unwrap_or_else(|| self.seen())
    }

    /// What is in the picture.
    fn seen(&self) -> Look {
        let terrain = self.swarm.terrain();
        let (corner, size) = (terrain.bounds().min(), terrain.size());
        let place = self.view.place(self.middle());
        Look {
            closer: self.view.scale / self.whole().scale,
            at: [0, 1].map(|axis| (place[axis] - corner[axis]) / size[axis]),
        }
    }

    /// Looks at the same part of this world as somebody did of another one, or of this one in another picture.
    pub fn look_at(&mut self, look: Look) {
        self.asked = Some(look);
        let Look { closer, at } = look;
        let (whole, terrain) = (self.whole(), self.swarm.terrain());
        let (corner, size) = (terrain.bounds().min(), terrain.size());
        let place = [0, 1].map(|axis| corner[axis] + at[axis] * size[axis]);
        self.view = if closer > 1.0 {
            self.kept_over(View::of(closer * whole.scale, place, self.middle()))
        } else {
            whole
        };
    }

    /// The view, moved so that it shows as much of the world as it can.
    fn kept_over(&self, view: View) -> View {
        let terrain = self.swarm.terrain();
        view.over(self.size, terrain.size(), terrain.bounds().min())
    }

    fn whole(&self) -> View {
        let terrain = self.swarm.terrain();
        View::whole(terrain.size(), self.size, [0; 2]).with_corner(terrain.bounds().min())
    }

    /// Looks closer by a factor, or from farther for one below 1; what is under a pixel stays where it is, unless
    /// that would show more than a margin beyond the world.
    pub fn zoom(&mut self, factor: f32, pixel: [f32; 2]) {
        if factor > 0.0 && factor.is_finite() && pixel.iter().all(|side| side.is_finite()) {
            self.show(self.view.zoomed(factor, pixel, &self.whole()));
        }
    }

    /// Moves what is shown by so many pixels, as far as there is more of the world.
    pub fn pan(&mut self, by: [f32; 2]) {
        if by.iter().all(|side| side.is_finite()) {
            let View { scale, offset } = self.view;
            let offset = [0, 1].map(|axis| offset[axis] + by[axis]);
            self.show(View { scale, offset });
        }
    }

    /// Looks through another view from here on.
    fn show(&mut self, view: View) {
        self.view = self.kept_over(view);
        self.asked = None;
    }

    /// One frame of the swarm.
    pub fn frame(&mut self) {
        self.figures = self.swarm.frame(Keep::Hash, &mut self.seen);
        self.frames += 1;
    }

    /// Draws the swarm and gives the picture, four bytes a pixel.
    pub fn draw(&mut self) -> &[[u8; 4]] {
        let width = self.size[0];
        (self.painter).draw(&mut self.pixels, width, &self.swarm, &self.view);
        for (rgba, colour) in self.rgba.iter_mut().zip(&self.pixels) {
            let [_, red, green, blue] = colour.to_be_bytes();
            *rgba = [red, green, blue, u8::MAX];
        }
        &self.rgba
    }

    /// The cells of all indices that hold rows: left, top, right and bottom in pixels, rows, and the kind.
    pub fn cells(&mut self) -> &[[f32; 6]] {
        self.cells.clear();
        let Self {
            swarm, view, cells, ..
        } = self;
        for (number, kind) in swarm.kinds().iter().enumerate() {
            swarm.world().visit_cells(kind.category, |cell| {
                if cell.rows > 0 {
                    let [left, top, right, bottom] = in_pixels(view, &cell.bounds);
                    let (rows, kind) = (cell.rows as f32, number as f32);
                    cells.push([left, top, right, bottom, rows, kind]);
                }
            });
        }
        &self.cells
    }

    /// Who is under a pixel, or nearest to it; nobody, if nobody is near.
    pub fn pick(&mut self, pixel: [f32; 2]) -> Option<Picked> {
        self.picked = self.find(pixel);
        self.picked()
    }

    fn find(&self, pixel: [f32; 2]) -> Option<ProxyId> {
        let place = self.view.place(pixel);
        let reach = NEAR / self.view.scale;
        let query = self.swarm.world().query();
        // Of boxes under the mouse, which all are at no distance, the smallest is on top.
        let mut under = Vec::new();
        query.find_at_point(place, &mut under).ok()?;
        let area = |hit: &QueryHit| hit.half_extents[0] * hit.half_extents[1];
        let smallest = under.iter().min_by(|a, b| area(a).total_cmp(&area(b)));
        if let Some(hit) = smallest {
            return Some(hit.id);
        }
        let mut nearest = Vec::new();
        query.find_nearest(place, 1, reach, &mut nearest).ok()?;
        nearest.first().map(|nearest| nearest.hit.id)
    }

    /// Whoever was picked last, wherever it is by now.
    pub fn picked(&self) -> Option<Picked> {
        let world = self.swarm.world();
        let picked = world.get(self.picked?)?;
        let mut neighbours = Vec::new();
        world
            .query()
            .find_in_aabb(&picked.aabb, &mut neighbours)
            .ok()?;
        let others = neighbours.iter().filter(|other| other.id != picked.id);
        let kind = &self.swarm.kinds()[picked.category.index()];
        let [vx, vy] = (kind.bodies.velocities.get(picked.row as usize))
            .copied()
            .unwrap_or_default();
        let [[left, top], [right, bottom]] = [picked.aabb.min(), picked.aabb.max()];
        Some(Picked {
            kind: kind.name.clone(),
            id: format!("{:?}", picked.id),
            row: picked.row,
            bounds: [left, top, right, bottom],
            pixels: in_pixels(&self.view, &picked.aabb),
            speed: (vx * vx + vy * vy).sqrt(),
            overlaps: others.clone().count(),
            neighbours: others
                .take(MOST_NEIGHBOURS)
                .map(|other| in_pixels(&self.view, &other.aabb))
                .collect(),
        })
    }

    /// Drives everybody away from a pixel who is no farther from it than so many pixels.
    pub fn push(&mut self, pixel: [f32; 2], radius: f32, strength: f32) {
        let place = self.view.place(pixel);
        let pushed = self
            .swarm
            .push_away(place, radius / self.view.scale, strength);
        // What is no place is nowhere near anybody.
        self.pushed |= pushed.is_ok();
    }

    /// The colour of each kind, `0x00RRGGBB`.
    pub fn colours(&self) -> Vec<Colour> {
        paint::colours(self.swarm.kinds())
    }

    /// The name of each kind.
    pub fn names(&self) -> Vec<&str> {
        let kinds = self.swarm.kinds().iter();
        kinds.map(|kind| kind.name.as_str()).collect()
    }

    /// The last frame in figures.
    pub fn report(&self) -> Report {
        let counts = self.swarm.counts();
        let figures = &self.figures;
        Report {
            frames: self.frames,
            agents: counts.agents,
            dragons: counts.oversized,
            walls: counts.walls,
            pairs: figures.pairs,
            candidates: figures.candidates,
            contacts: figures.contacts,
            bumps: figures.bumps,
            cells: self.seen.cells,
            bytes: figures.bytes,
            stages: Stage::all(figures),
            step_ms: milliseconds(self.seen.step),
            frame_ms: figures.frame,
            level: SimdLevel::detect().name(),
            pair_hash: format!("{:016x}", self.swarm.pair_hash().value()),
            pushed: self.pushed,
        }
    }
}

/// A box in pixels: left, top, right, bottom.
fn in_pixels(view: &View, aabb: &Aabb) -> [f32; 4] {
    let [[x0, y0], [x1, y1]] = [aabb.min(), aabb.max()];
    let [[left, top], [right, bottom]] = [view.pixel(x0, y0), view.pixel(x1, y1)];
    [left, top, right, bottom]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(sliders: Sliders) -> Page {
        Page::new(&sliders, [960, 600]).unwrap_or_else(|failure| panic!("{sliders:?}: {failure}"))
    }

    /// The pixel of the middle of the first body of a kind.
    fn pixel_of(page: &Page, kind: usize) -> [f32; 2] {
        let bodies = &page.swarm.kinds()[kind].bodies;
        page.view.pixel(bodies.xs[0], bodies.ys[0])
    }

    #[test]
    fn who_is_under_the_mouse_is_picked_and_nobody_far_from_everybody() {
        let mut page = page(Sliders {
            agents: 300,
            crowding: 0.05,
            castle: false,
            ..Sliders::default()
        });
        page.frame();
        for kind in 0..4 {
            let pixel = pixel_of(&page, kind);
            let picked = page.pick(pixel).expect("somebody is there");
            let [left, top, right, bottom] = picked.pixels;
            assert!((left..=right).contains(&pixel[0]) && (top..=bottom).contains(&pixel[1]));
        }
        assert!(page.pick([-500.0, -500.0]).is_none());
        assert!(page.pick([f32::NAN, 1.0]).is_none() && page.picked().is_none());
    }

    #[test]
    fn who_was_picked_is_found_where_it_has_gone() {
        let mut page = page(Sliders {
            agents: 300,
            castle: false,
            ..Sliders::default()
        });
        assert!(page.picked().is_none());
        page.frame();
        let before = page.pick(pixel_of(&page, 1)).expect("somebody is there");
        for _ in 0..60 {
            page.frame();
        }
        let after = page.picked().expect("nobody dies here");
        assert_eq!(after.id, before.id);
        assert_ne!(after.bounds, before.bounds);
    }

    #[test]
    fn what_is_looked_at_stays_in_other_pictures_and_in_other_worlds() {
        let mut page = page(Sliders::default());
        let whole = page.view;
        page.resize([500, 700]);
        page.resize([960, 600]);
        assert_eq!(page.view, whole, "all of it is all of it");
        page.zoom(6.0, [300.0, 200.0]);
        let before = page.view.place([480.0, 300.0]);
        page.pan([30.0, -20.0]);
        let after = page.view.place([480.0, 300.0]);
        let went = [0, 1].map(|axis| (before[axis] - after[axis]) * page.view.scale);
        assert!((went[0] - 30.0).abs() < 0.1 && (went[1] + 20.0).abs() < 0.1);
        page.pan([f32::NAN, 0.0]);
        let look = page.look();
        let is_same = |other: Look| {
            other.closer.is_finite()
                && (other.closer / look.closer - 1.0).abs() < 1e-4
                && (0..2).all(|axis| (other.at[axis] - look.at[axis]).abs() < 1e-4)
        };
        let middle = page.view.place([480.0, 300.0]);
        page.resize([500, 700]);
        assert!(is_same(page.seen()));
        let now = page.view.place([250.0, 350.0]);
        assert!((0..2).all(|axis| (now[axis] - middle[axis]).abs() < 1e-2));
        let mut other = super::tests::page(Sliders {
            agents: 3000,
            castle: false,
            ..Sliders::default()
        });
        other.look_at(page.look());
        assert!(is_same(other.seen()));
    }

    #[test]
    fn what_was_looked_at_comes_back_from_a_picture_that_cannot_show_it() {
        let mut page = page(Sliders::default());
        page.zoom(3.0, [950.0, 590.0]);
        let before = page.view;
        for size in [[300, 900], [900, 300], [960, 600]] {
            page.resize(size);
        }
        let after = page.view;
        assert!((0..2).all(|axis| (after.offset[axis] - before.offset[axis]).abs() < 0.5));
        page.resize([300, 900]);
        page.pan([60.0, 0.0]);
        page.resize([960, 600]);
        assert!(
            (page.view.offset[0] - before.offset[0]).abs() > 1.0,
            "this was asked for last"
        );
    }

    #[test]
    fn the_world_cannot_be_lost() {
        let mut page = page(Sliders::default());
        let whole = page.view;
        let is_seen = |page: &Page| {
            let bounds = page.swarm.terrain().bounds();
            let middle = page.view.place([480.0, 300.0]);
            (0..2).all(|axis| (bounds.min()[axis]..=bounds.max()[axis]).contains(&middle[axis]))
        };
        for pixel in [[3.0, 3.0], [957.0, 2.0], [1.0, 599.0]] {
            for _ in 0..30 {
                page.zoom(1.2, pixel);
                assert!(is_seen(&page));
            }
            page.pan([1e6, -1e6]);
            assert!(is_seen(&page));
            let bounds = page.swarm.terrain().bounds();
            let [left, bottom] = page.view.pixel(bounds.min()[0], bounds.max()[1]);
            assert!(
                (left - 9.6).abs() < 0.1 && (bottom - 594.0).abs() < 0.1,
                "{left} {bottom}"
            );
            page.zoom(1e-3, pixel);
            let back = page.view.offset;
            assert!((0..2).all(|axis| (back[axis] - whole.offset[axis]).abs() < 0.1));
        }
    }

    #[test]
    fn of_several_under_the_mouse_the_smallest_is_picked_and_the_others_are_its_neighbours() {
        let mut page = page(Sliders::default());
        page.frame();
        let (mut several, mut hits) = (0, Vec::new());
        for dragon in 0..page.swarm.kinds()[3].bodies.xs.len() {
            let bodies = &page.swarm.kinds()[3].bodies;
            let place = [bodies.xs[dragon], bodies.ys[dragon]];
            let query = page.swarm.world().query();
            query
                .find_at_point(place, &mut hits)
                .expect("it is a place");
            let widths = hits.iter().map(|hit| 2.0 * hit.half_extents[0]);
            let least = widths.reduce(f32::min).expect("the dragon is there");
            several += usize::from(hits.len() > 1);
            let picked = page.pick(page.view.pixel(place[0], place[1]));
            let picked = picked.expect("the dragon is there");
            let [left, _, right, _] = picked.bounds;
            assert!((right - left - least).abs() < 1e-2 * least);
            assert!(picked.overlaps + 1 >= hits.len());
            assert_eq!(
                picked.neighbours.len(),
                picked.overlaps.min(MOST_NEIGHBOURS)
            );
            assert!(!picked.neighbours.contains(&picked.pixels));
        }
        assert!(several > 0);
    }

    #[test]
    fn pushing_makes_it_a_run_of_its_own() {
        let sliders = Sliders {
            agents: 500,
            ..Sliders::default()
        };
        let hash = |push: bool| {
            let mut page = page(sliders);
            page.frame();
            if push {
                page.push(pixel_of(&page, 1), 80.0, 1.0);
            }
            for _ in 0..10 {
                page.frame();
            }
            let report = page.report();
            assert_eq!((report.frames, report.pushed), (11, push));
            report.pair_hash
        };
        assert_eq!(hash(false), hash(false));
        assert_ne!(hash(false), hash(true));
    }

    #[test]
    fn a_picture_has_the_size_asked_for_and_cells_lie_in_it() {
        let mut page = page(Sliders::default());
        page.frame();
        page.zoom(0.5, [10.0, 10.0]);
        assert!(page.cells().len() > 30);
        let cells: f32 = page.cells().iter().map(|cell| cell[4]).sum();
        let report = page.report();
        let rows = report.agents + report.dragons + report.walls;
        assert!(cells as usize >= rows, "{cells} {rows}");
        let corner = *page.cells().first().expect("there are cells");
        page.zoom(4.0, [10.0, 10.0]);
        assert_ne!(page.cells()[0], corner);
        page.zoom(f32::NAN, [10.0, 10.0]);
        page.resize([320, 0]);
        let picture = page.draw();
        assert_eq!(picture.len(), 320 * 16);
        assert!(picture.iter().all(|pixel| pixel[3] == u8::MAX));
        let first = picture[0];
        assert!(picture.iter().any(|pixel| *pixel != first));
    }
}
