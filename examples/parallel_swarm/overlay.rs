//! What the window shows over the swarm: figures, grids and trees, and what the mouse asks for.

use std::time::{Duration, Instant};

use indicatif::HumanCount;
use throng::{Aabb, QueryHit};

use crate::{
    bodies::{Kind, Role},
    canvas::{Canvas, Colour, LETTER, mix},
    figures::STAGES,
    paint,
    run::Run,
    swarm::Swarm,
    terrain::Terrain,
    view::View,
};

const TEXT: Colour = 0x00c8_d4e4;
const POINTED_AT: Colour = 0x00ff_ffff;
const SELECTED: Colour = 0x00ff_f3a0;
/// How strong the frames of cells are, of 256: in a grid of points, and around big boxes.
const POINT_CELL: u32 = 110;
const BOX_CELL: u32 = 190;
/// How much lighter than the big the frames around them are, of 256, to stand out from them.
const LIGHTER: u32 = 130;
const HELP: &str = "space pause  n step  + - agents  d x dragons  g grid  h help  r restart  \
                    point: what is it?  drag: select  scroll: zoom  esc quit";

/// Lines of pixels at the top and at the bottom that figures and keys take up.
const LINES: [usize; 2] = [2 * LETTER[1] + 20, LETTER[1] + 20];

/// The view of a whole world between figures and keys.
pub fn whole(terrain: &Terrain, window: [usize; 2]) -> View {
    View::whole(terrain.size(), window, LINES).with_corner(terrain.bounds().min())
}

/// What the window shows and how.
pub struct Overlay {
    /// From the world to the window.
    pub view: View,
    /// Whether the swarm stands still.
    pub paused: bool,
    /// Whether it is to go on by one frame.
    pub step: bool,
    /// Whether the cells of all indices are shown.
    pub grid: bool,
    /// Whether the keys are shown.
    pub help: bool,
    /// The mouse, if it is in the window.
    pub mouse: Option<[f32; 2]>,
    /// Where the box being dragged began, in the world.
    pub dragging: Option<[f32; 2]>,
    /// The box that was dragged, by two of its corners, in the world.
    pub selection: Option<[[f32; 2]; 2]>,
    /// What mouse and selection found.
    pub look: Look,
    /// How long drawing took.
    pub drawing: Duration,
    frame_rate: f64,
    last: Instant,
}

/// What the queries of one frame found.
#[derive(Default)]
pub struct Look {
    pointed_at: Vec<QueryHit>,
    selected: Vec<QueryHit>,
}

impl Look {
    /// Asks the broadphase what is under the mouse and in the selection.
    pub fn at(swarm: &Swarm, overlay: &Overlay) -> Self {
        let mut look = Self::default();
        let world = swarm.world();
        if let Some(mouse) = overlay.mouse {
            let place = overlay.view.place(mouse);
            let found = world.query().find_at_point(place, &mut look.pointed_at);
            found.expect("a place under the mouse is a point");
            // Boxes overlap and cover more than circles do: of those whose circle is meant, the smallest is
            // on top, and of equals the nearest is it. Walls lie below everyone.
            look.pointed_at.sort_by(|a, b| {
                let rank = |hit: &QueryHit| {
                    let kind = kind_of(swarm, hit);
                    if kind.is_scenery() {
                        return (false, f32::INFINITY, 0.0);
                    }
                    let radius = kind.bodies.radii.of(hit.row as usize);
                    let away = (hit.center[0] - place[0]).hypot(hit.center[1] - place[1]);
                    (away > radius, radius, away)
                };
                let (a, b) = (rank(a), rank(b));
                a.0.cmp(&b.0)
                    .then(a.1.total_cmp(&b.1))
                    .then(a.2.total_cmp(&b.2))
            });
        }
        if let Some([a, b]) = overlay.selection {
            let low = [a[0].min(b[0]), a[1].min(b[1])];
            let high = [a[0].max(b[0]), a[1].max(b[1])];
            if let Ok(aabb) = Aabb::new(low, high) {
                let found = world.query().find_in_aabb(&aabb, &mut look.selected);
                found.expect("every box can be asked about");
            }
        }
        look
    }
}

fn kind_of<'a>(swarm: &'a Swarm, hit: &QueryHit) -> &'a Kind {
    &swarm.kinds()[hit.category.index()]
}

impl Overlay {
    /// Nothing but figures and keys, over this view.
    pub fn new(view: View) -> Self {
        Self {
            view,
            paused: false,
            step: false,
            grid: false,
            help: true,
            mouse: None,
            dragging: None,
            selection: None,
            look: Look::default(),
            drawing: Duration::ZERO,
            frame_rate: 0.0,
            last: Instant::now(),
        }
    }

    /// Notes that a frame was shown.
    pub fn tick(&mut self) {
        let rate = 1.0 / self.last.elapsed().as_secs_f64().max(1e-6);
        self.last = Instant::now();
        let weight = if self.frame_rate == 0.0 { 1.0 } else { 0.05 };
        self.frame_rate += (rate - self.frame_rate) * weight;
    }

    /// The line of figures.
    pub fn figures(&self, run: &Run) -> String {
        let last = run.history.last();
        let stages: Vec<String> = STAGES
            .iter()
            .enumerate()
            .map(|(index, name)| {
                let time = run.history.recent(|frame| frame.stages[index]);
                format!("{name} {time:.2}")
            })
            .collect();
        let counts = run.swarm.counts();
        let [agents, oversized, walls] =
            [counts.agents, counts.oversized, counts.walls].map(|count| HumanCount(count as u64));
        let resting = match last.resting {
            0 => String::new(),
            resting => format!("  {} resting", HumanCount(resting)),
        };
        format!(
            "{agents} agents  {oversized} oversized  {walls} walls{resting}  {} pairs  {} ms  {:.0} fps",
            HumanCount(last.pairs),
            stages.join("  "),
            self.frame_rate,
        )
    }

    /// Draws all of it.
    pub fn draw(&self, canvas: &mut Canvas, run: &Run) {
        if self.grid {
            self.draw_grid(canvas, &run.swarm);
        }
        self.draw_hits(canvas, &run.swarm);
        let mut lines = vec![self.figures(run)];
        lines.push(format!(
            "whole frame {:.2} ms on {} threads  drawing {:.1} ms{}",
            run.history.recent(|frame| frame.frame),
            run.args.threads(),
            self.drawing.as_secs_f64() * 1e3,
            if self.paused { "  PAUSED" } else { "" },
        ));
        lines.extend(self.pointed_at_line(&run.swarm));
        lines.extend(self.selected_line(&run.swarm));
        canvas.panel([8, 8], &lines, TEXT);
        if self.help {
            let top = canvas.height.saturating_sub(LETTER[1] + 18);
            canvas.panel([8, top], &[HELP.to_owned()], TEXT);
        }
    }

    fn draw_grid(&self, canvas: &mut Canvas, swarm: &Swarm) {
        for (kind, colour) in swarm.kinds().iter().zip(paint::colours(swarm.kinds())) {
            let (colour, strength) = match kind.role {
                Role::Agents => (colour, POINT_CELL),
                Role::Oversized(_) | Role::Scenery => (mix(colour, TEXT, LIGHTER), BOX_CELL),
            };
            swarm.world().visit_cells(kind.category, |cell| {
                let [low, high] = [cell.bounds.min(), cell.bounds.max()];
                let [low, high] = [
                    self.view.pixel(low[0], low[1]),
                    self.view.pixel(high[0], high[1]),
                ];
                // What only holds other cells is fainter than what holds rows.
                let strength = strength >> u32::from(cell.rows == 0);
                canvas.frame(low, high, colour, strength);
            });
        }
    }

    fn draw_hits(&self, canvas: &mut Canvas, swarm: &Swarm) {
        let hits = self.look.selected.iter().map(|hit| (hit, SELECTED));
        let hits = hits.chain(self.look.pointed_at.iter().map(|hit| (hit, POINTED_AT)));
        for (hit, colour) in hits {
            let (kind, row) = (kind_of(swarm, hit), hit.row as usize);
            if let Some(wall) = kind.walls.get(row) {
                let [low, high] = [wall.min(), wall.max()];
                let [low, high] = [
                    self.view.pixel(low[0], low[1]),
                    self.view.pixel(high[0], high[1]),
                ];
                canvas.frame(low, high, colour, 256);
                continue;
            }
            let centre = self.view.pixel(kind.bodies.xs[row], kind.bodies.ys[row]);
            let radius = kind.bodies.radii.of(row) * self.view.scale;
            let strength = (radius / 5.0).clamp(0.4, 1.0);
            canvas.ring(centre, radius + 1.0, colour, strength);
            if kind.is_oversized() {
                let low = centre.map(|side| side - radius);
                canvas.frame(low, centre.map(|side| side + radius), colour, 90);
            }
        }
        if let Some([a, b]) = self.selection {
            let low = self.view.pixel(a[0].min(b[0]), a[1].min(b[1]));
            let high = self.view.pixel(a[0].max(b[0]), a[1].max(b[1]));
            canvas.frame(low, high, SELECTED, 220);
        }
    }

    fn pointed_at_line(&self, swarm: &Swarm) -> Option<String> {
        let hit = self.look.pointed_at.first()?;
        let more = self.look.pointed_at.len() - 1;
        let others = if more > 0 {
            format!("  and {more} more")
        } else {
            String::new()
        };
        Some(format!(
            "pointing at {:?}: {}, row {}, at {:.1} {:.1}{others}",
            hit.id,
            kind_of(swarm, hit).name,
            hit.row,
            hit.center[0],
            hit.center[1],
        ))
    }

    fn selected_line(&self, swarm: &Swarm) -> Option<String> {
        self.selection?;
        let mut counts = vec![0_u64; swarm.kinds().len()];
        for hit in &self.look.selected {
            counts[hit.category.index()] += 1;
        }
        let each = swarm.kinds().iter().zip(counts);
        let each = each.map(|(kind, count)| format!("{} {}", HumanCount(count), kind.name));
        Some(format!("selected {}", each.collect::<Vec<_>>().join(", ")))
    }
}

#[cfg(test)]
mod tests {
    use throng::{CategoryId, DoubleGridConfig, LooseQuadtreeConfig, OversizedStructure};

    use super::*;
    use crate::{
        args::{self, Request},
        asked,
    };

    const WINDOW: [usize; 2] = [1280, 800];

    /// A swarm after a few frames, and an overlay that shows the whole of it.
    fn shown(line: &str) -> (Run, Overlay) {
        let line = format!("parallel_swarm {line}");
        let mut run = match args::read(line.split_whitespace().map(Into::into)) {
            Ok(Request::Run(args)) => Run::new(*args).expect(&line),
            other => panic!("{line}: {other:?}"),
        };
        for _ in 0..5 {
            run.frame().expect("nothing is written");
        }
        let overlay = Overlay::new(whole(run.swarm.terrain(), WINDOW));
        (run, overlay)
    }

    /// Where the index has the bodies of a kind.
    fn places(run: &Run, kind: usize) -> Vec<[f32; 2]> {
        let [xs, ys] = run.swarm.world().centers(run.swarm.kinds()[kind].category);
        xs.iter().zip(ys).map(|(x, y)| [*x, *y]).collect()
    }

    #[test]
    fn mouse_and_box_find_the_big_and_what_is_on_top_of_them() {
        let (run, mut overlay) = shown("--agents 400 --oversized 5");
        let dragons = CategoryId::new(3);
        for (row, place) in (0..).zip(places(&run, 3)) {
            overlay.mouse = Some(overlay.view.pixel(place[0], place[1]));
            let look = Look::at(&run.swarm, &overlay);
            let mut found = look.pointed_at.iter();
            assert!(found.any(|hit| (hit.category, hit.row) == (dragons, row)));
        }
        for place in places(&run, 0) {
            overlay.mouse = Some(overlay.view.pixel(place[0], place[1]));
            let look = Look::at(&run.swarm, &overlay);
            assert_ne!(look.pointed_at[0].category, dragons);
        }
        overlay.selection = Some([run.swarm.terrain().size(), [0.0; 2]]);
        let look = Look::at(&run.swarm, &overlay);
        let selected = look.selected.iter();
        assert_eq!(selected.filter(|hit| hit.category == dragons).count(), 5);
    }

    #[test]
    fn the_cells_of_every_structure_are_shown() {
        let structures: [OversizedStructure; 3] = [
            OversizedStructure::default(),
            DoubleGridConfig::default().into(),
            LooseQuadtreeConfig::default().split_above(4).into(),
        ];
        for structure in structures {
            let (mut run, overlay) = shown("--agents 0 --oversized 60");
            let mut setup = asked::setup(&run.args).expect("there is nothing to read");
            setup.config.categories[3].structure = structure;
            run.swarm = Swarm::new(setup).expect("the config is sound");
            run.frame().expect("nothing is written");
            let mut canvas = Canvas::new(WINDOW);
            overlay.draw_grid(&mut canvas, &run.swarm);
            let drawn = canvas.pixels.iter().filter(|pixel| **pixel != 0);
            assert!(drawn.count() > 1000, "{structure:?}");
        }
    }

    #[test]
    fn walls_are_named_and_their_tree_is_shown() {
        let (run, mut overlay) = shown("--agents 40 --map castle");
        let wall = run.swarm.kinds()[4].walls[7].center();
        overlay.mouse = Some(overlay.view.pixel(wall[0], wall[1]));
        overlay.look = Look::at(&run.swarm, &overlay);
        let line = overlay
            .pointed_at_line(&run.swarm)
            .expect("there is a wall");
        assert!(line.contains(": walls, row 7, "), "{line}");
        assert!(overlay.figures(&run).contains(" 274 walls "));

        let mut canvas = Canvas::new(WINDOW);
        overlay.draw_hits(&mut canvas, &run.swarm);
        let framed = canvas.pixels.iter().filter(|pixel| **pixel == POINTED_AT);
        assert!(framed.count() > 20);
        let mut nodes = 0;
        run.swarm
            .world()
            .visit_cells(CategoryId::new(4), |_| nodes += 1);
        let mut canvas = Canvas::new(WINDOW);
        overlay.draw_grid(&mut canvas, &run.swarm);
        let drawn = canvas.pixels.iter().filter(|pixel| **pixel != 0).count();
        assert!(nodes > 17 && drawn > 1000, "{nodes} {drawn}");
    }
}
