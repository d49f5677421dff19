//! Everybody who is asked, each in the way that suits it best.

use std::ops::ControlFlow;

use throng::{BatchResults, Broadphase, CategoryKind};
use throng_benches::{
    Answer, BoxColumns, Motion, Moving, Population, Tree, world_of, write_centers,
};
use throng_core::{Aabb, Serial};
use throng_grid::{GridConfig, PointGrid, Points};
use throng_loose::{BoxStrips, LooseStructure, StripsConfig};
use throng_peers::{GeoIndex, ParryTree, Rstar, StaticIndex};
use throng_quadtree::{PackedConfig, PackedQuadtree};

/// Somebody who finds what touches each window.
pub struct Asked<'a> {
    /// Who it is, and how it is asked.
    pub name: &'static str,
    /// Whether it is ours.
    pub is_ours: bool,
    /// Asks.
    pub ask: Ask<'a>,
}

/// Answers for each of some windows what touches it.
type Ask<'a> = Box<dyn FnMut(&[Aabb]) -> Answer + 'a>;

/// Everybody over the rows of a population of one category, ours first; the structure alone before all others.
pub fn everybody<'a>(population: &'a Population, world: &'a Broadphase) -> Vec<Asked<'a>> {
    let columns = BoxColumns::of(population);
    let boxes = columns.boxes();
    let ours = |name, ask| Asked {
        name,
        is_ours: true,
        ask,
    };
    let mut index = <StaticIndex>::build(boxes);
    let mut geo = <GeoIndex>::build(boxes);
    let mut rstar = Rstar::build(boxes);
    let parry = ParryTree::build(population.boxes());
    vec![
        ours("the structure alone", alone(population)),
        ours(
            "world, visited",
            Box::new(|windows| visited(world, windows)),
        ),
        ours("world, found", Box::new(found_one_by_one(world))),
        ours("world, a batch", Box::new(found_in_batch(world, false))),
        ours("the same, read", Box::new(found_in_batch(world, true))),
        peer(
            ParryTree::NAME,
            Box::new(move |windows| parry.touching(windows)),
        ),
        peer(
            Rstar::NAME,
            Box::new(move |windows| rstar.touching(windows)),
        ),
        peer(
            <StaticIndex>::NAME,
            Box::new(move |windows| index.touching(windows)),
        ),
        peer(
            <GeoIndex>::NAME,
            Box::new(move |windows| geo.touching(windows)),
        ),
    ]
}

/// For how many frames everything has moved when it is asked about.
const FRAMES: usize = 20;

/// A world of a population in which whatever moves has moved for a while, so that its indices are as in a game: mostly brought up to
/// date, and not built for what is asked. Also returns where everything is.
pub fn world_in_motion(population: &Population) -> (Broadphase, Population) {
    let mut world = world_of(population, false, None);
    let mut moving = Moving::new(population.clone(), Motion::Drift);
    for _ in 0..FRAMES {
        write_centers(&mut world, moving.advance(), &Serial);
        world.refresh();
    }
    (world, moving.population().clone())
}

fn peer<'a>(name: &'static str, ask: Ask<'a>) -> Asked<'a> {
    Asked {
        name,
        is_ours: false,
        ask,
    }
}

/// The structure that a world keeps such rows in, by itself.
fn alone(population: &Population) -> Ask<'static> {
    let [group] = &population.groups[..] else {
        panic!("a population of one category");
    };
    match group.kind {
        CategoryKind::Uniform => {
            let mut grid = PointGrid::new(GridConfig::new(group.scene.half)).expect("a bound");
            let points = Points {
                xs: &group.scene.xs,
                ys: &group.scene.ys,
                half_extents: group.scene.half_extents.as_deref(),
                absent: None,
            };
            for _ in 0..2 {
                grid.build(points, &Serial).expect("columns of one length");
            }
            Box::new(move |windows| {
                answer(windows, |window, answer| {
                    let _ = grid.query_aabb(window, |hit| count(answer, hit.row));
                })
            })
        }
        CategoryKind::Oversized => {
            let mut strips = BoxStrips::new(StripsConfig::new()).expect("a height");
            let columns = BoxColumns::of(population);
            for _ in 0..2 {
                strips.update(columns.boxes(), &Serial).expect("few enough");
            }
            Box::new(move |windows| {
                answer(windows, |window, answer| {
                    let _ = strips.query_aabb(window, &mut |row, _| count(answer, row));
                })
            })
        }
        CategoryKind::Scenery => {
            let columns = BoxColumns::of(population);
            let tree = PackedQuadtree::build(columns.boxes(), PackedConfig::new(), &Serial);
            let tree = tree.expect("a tree of boxes");
            Box::new(move |windows| {
                answer(windows, |window, answer| {
                    let _ = tree.query_aabb(window, |row, _| count(answer, row));
                })
            })
        }
        kind => panic!("{kind:?} has no structure of its own"),
    }
}

fn visited(world: &Broadphase, windows: &[Aabb]) -> Answer {
    let questions = world.query();
    answer(windows, |window, answer| {
        let found = questions.query_aabb(window, |hit| count(answer, hit.row));
        let _ = found.expect("an index");
    })
}

fn found_one_by_one(world: &Broadphase) -> impl FnMut(&[Aabb]) -> Answer {
    let (questions, mut hits) = (world.query(), Vec::new());
    move |windows| {
        answer(windows, |window, answer| {
            let found = questions.find_in_aabb(window, &mut hits);
            found.expect("an index");
            hits.iter().for_each(|hit| answer.add_row(hit.row));
        })
    }
}

/// All at once, on this thread; and reads the answers only if told to.
fn found_in_batch(world: &Broadphase, read: bool) -> impl FnMut(&[Aabb]) -> Answer {
    let (questions, mut answers) = (world.query(), BatchResults::new());
    move |windows| {
        let found = questions.find_batch_on(&Serial, windows, &mut answers);
        found.expect("an index");
        let mut answer = Answer::default();
        if read {
            let hits = answers.iter().flatten();
            hits.for_each(|hit| answer.add_row(hit.row));
        }
        answer
    }
}

fn answer(windows: &[Aabb], mut ask: impl FnMut(&Aabb, &mut Answer)) -> Answer {
    let mut answer = Answer::default();
    windows.iter().for_each(|window| ask(window, &mut answer));
    answer
}

fn count(answer: &mut Answer, row: u32) -> ControlFlow<()> {
    answer.add_row(row);
    ControlFlow::Continue(())
}
