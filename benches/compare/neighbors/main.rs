//! What neighbours cost: pairs within a distance, lists, and visits, beside a step that finds as many pairs and a grid of
//! cells as one writes it in an afternoon ([`CellGrid`]). One thread; everybody in turns; lists compared before a time is
//! believed.
//!
//! ```sh
//! cargo run --release --manifest-path benches/Cargo.toml --bin neighbors
//! cargo run --release --manifest-path benches/Cargo.toml --bin neighbors -- --agents 1M --neighbors 20 --rounds 15
//! ```

use std::hint::black_box;
use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;
use comfy_table::{CellAlignment, Table, presets::UTF8_BORDERS_ONLY};
use indicatif::ProgressBar;
use throng::{
    Broadphase, BroadphaseConfig, CategoryConfig, CategoryId, CountPairs, NeighborOutputs,
    Neighbors, Proximity, ProximityPairs, Proxy, RowOrder, Serial,
};
use throng_benches::{CellGrid, Samples, parse_count, short, sort_centers};
use throng_scenes::{Scene, uniform};

/// Pairs within a distance, lists of neighbours and visits to neighbourhoods, measured.
#[derive(Parser)]
struct Args {
    /// How many agents; several with commas.
    #[arg(long, value_delimiter = ',', value_parser = parse_count, default_value = "20k,100k,1M")]
    agents: Vec<usize>,
    /// How many neighbours each has on average.
    #[arg(long, value_delimiter = ',', default_value = "20,60")]
    neighbors: Vec<u16>,
    /// How often each is measured; by default less often, the more agents there are.
    #[arg(long)]
    rounds: Option<usize>,
}

/// What is measured, as the columns of the table.
const COLUMNS: [&str; 8] = [
    "step, as many pairs",
    "pairs within, counted",
    "kept",
    "lists, each pair once",
    "lists",
    "visits, summed",
    "cell grid",
    "ascending",
];

fn main() -> ExitCode {
    let args = Args::parse();
    let mut table = Table::new();
    let head = ["agents", "neighbours", "rows"].into_iter().chain(COLUMNS);
    table.load_style(UTF8_BORDERS_ONLY).set_header(head);
    for column in table.column_iter_mut() {
        column.set_cell_alignment(CellAlignment::Right);
    }
    for &agents in &args.agents {
        for &neighbors in &args.neighbors {
            for sorted in [false, true] {
                let rounds = args.rounds.unwrap_or((3_000_000 / agents).clamp(9, 60));
                let Some(figures) = Trial::new(agents, neighbors.into(), sorted).run(rounds) else {
                    eprintln!(
                        "neighbors: the cell grid found different lists, so the times mean nothing"
                    );
                    return ExitCode::FAILURE;
                };
                let order = if sorted {
                    "in the order of space"
                } else {
                    "as inserted"
                };
                let cells = figures
                    .iter()
                    .map(|samples| format!("{:.0} / {:.0}", samples.best(), samples.median()));
                let first = [short(agents), neighbors.to_string(), order.to_owned()];
                table.add_row(first.into_iter().chain(cells));
            }
        }
    }
    println!("Nanoseconds an agent, best / median. One thread.\n{table}");
    ExitCode::SUCCESS
}

/// One crowd.
struct Trial {
    scene: Scene,
    radius: f32,
    world: Broadphase,
    /// The same crowd with boxes so large that a step finds as many pairs.
    boxes: Broadphase,
}

const UNITS: CategoryId = CategoryId::new(0);

impl Trial {
    fn new(agents: usize, neighbors: f32, sorted: bool) -> Self {
        let mut scene = uniform(agents, 1.0, 1);
        // A box touches those whose centres lie in one four times its area, and there is one pair each.
        let density = 1.0 / (8.0 * scene.half[0] * scene.half[1]);
        let mut world = world_of(&scene, scene.half[0]);
        if sorted {
            let order = world
                .sort_rows(UNITS, RowOrder::Space)
                .expect("it is a category");
            world.refresh();
            sort_centers(&mut scene, &order);
        }
        Self {
            radius: (neighbors / (density * std::f32::consts::PI)).sqrt(),
            world,
            boxes: world_of(&scene, (neighbors / (16.0 * density)).sqrt()),
            scene,
        }
    }

    /// Nanoseconds an agent, a column each; nothing if the cell grid has other lists.
    fn run(&mut self, rounds: usize) -> Option<[Samples; COLUMNS.len()]> {
        let within = Proximity::centers([UNITS; 2], self.radius);
        let (world, boxes, scene) = (&self.world, &mut self.boxes, &self.scene);
        let mut pairs = ProximityPairs::new();
        let (mut once, mut lists) = (Neighbors::each_pair_once(), Neighbors::new());
        let mut sums: NeighborOutputs<Vec<[f32; 2]>> = NeighborOutputs::new();
        let (mut grid, mut ascending) = (CellGrid::default(), CellGrid::default());
        let mut figures: [Samples; COLUMNS.len()] = Default::default();
        let bar = ProgressBar::new(rounds as u64);
        let good = "the question is good";
        for round in 0..=rounds {
            let mut jobs: [&mut dyn FnMut(); COLUMNS.len()] = [
                &mut || {
                    _ = black_box(boxes.step_on(&Serial, &CountPairs).outputs().sum::<u64>());
                },
                &mut || {
                    let mut found = 0_u64;
                    let _ = black_box(world.query_pairs_within(&within, |_| {
                        found += 1;
                        std::ops::ControlFlow::<()>::Continue(())
                    }));
                    black_box(found);
                },
                &mut || {
                    world
                        .find_pairs_within_on(&Serial, &within, &mut pairs)
                        .expect(good)
                },
                &mut || {
                    world
                        .find_neighbors_on(&Serial, &within, &mut once)
                        .expect(good)
                },
                &mut || {
                    world
                        .find_neighbors_on(&Serial, &within, &mut lists)
                        .expect(good)
                },
                &mut || {
                    let visited =
                        world.query_neighbors_on(&Serial, &within, &mut sums, |_, near, sums| {
                            sums.push([near.dx, near.dy].map(|along| along.iter().sum()));
                        });
                    visited.expect(good);
                },
                &mut || {
                    _ = black_box(grid.find(&scene.xs, &scene.ys, self.radius));
                },
                &mut || {
                    _ = black_box(ascending.find_ascending(&scene.xs, &scene.ys, self.radius));
                },
            ];
            for (samples, job) in figures.iter_mut().zip(&mut jobs) {
                let started = Instant::now();
                job();
                // The first round makes room.
                if round > 0 {
                    samples.push(started.elapsed().as_secs_f64() * 1e9 / scene.len() as f64);
                }
            }
            bar.inc(1);
        }
        bar.finish_and_clear();
        let peer = ascending.find_ascending(&scene.xs, &scene.ys, self.radius);
        let own = lists.lists(UNITS, UNITS)?;
        (own.starts() == peer.starts && own.rows() == peer.rows).then_some(figures)
    }
}

fn world_of(scene: &Scene, half: f32) -> Broadphase {
    let units = CategoryConfig::uniform("units", 0.0)
        .coarse()
        .half_extents([half; 2]);
    let config = BroadphaseConfig::new().category(units);
    let mut world = Broadphase::new(config).expect("the config is good");
    for (&x, &y) in scene.xs.iter().zip(&scene.ys) {
        let proxy = Proxy::centered([x, y], [half; 2]).expect("scenes are finite");
        world.insert(proxy).expect("it fits");
    }
    // Twice: the second build knows how many there are where.
    world.refresh();
    world.refresh();
    world
}
