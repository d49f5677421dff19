//! What events cost: a step that counts pairs, the same with events, with events and slots that the narrowphase reads, and with
//! events while a hundredth of all is replaced in each step. One thread; everybody in turns; everything moves; rows in the order of space.
//!
//! ```sh
//! cargo run --release --manifest-path benches/Cargo.toml --bin events
//! cargo run --release --manifest-path benches/Cargo.toml --bin events -- --agents 1M --rounds 30
//! cargo run --release --manifest-path benches/Cargo.toml --bin events -- --own-sizes
//! cargo run --release --manifest-path benches/Cargo.toml --bin events -- --agents 2k,20k,100k --speeds 0.03 --thrown 0,1,4,16,40
//! ```

use std::hint::black_box;
use std::time::Instant;

use clap::Parser;
use comfy_table::{CellAlignment, Table, presets::UTF8_BORDERS_ONLY};
use indicatif::ProgressBar;
use throng::{
    Broadphase, BroadphaseConfig, CategoryConfig, CategoryId, CountPairs, Narrowphase, PairBatch,
    Permutation, Proxy, RowOrder, Serial,
};
use throng_benches::{
    Samples, give_own_sizes, parse_count, short, sort_centers, there_and_back, world_of_scene,
};
use throng_scenes::{Scene, uniform};

/// Begins and ends of pairs, measured.
#[derive(Parser)]
struct Args {
    /// How many agents; several with commas.
    #[arg(long, value_delimiter = ',', value_parser = parse_count, default_value = "2k,20k,100k,1M")]
    agents: Vec<usize>,
    /// How far each goes in a step on each axis at most, in half extents; several with commas.
    #[arg(long, value_delimiter = ',', default_value = "0.02,0.1")]
    speeds: Vec<f32>,
    /// How many are thrown to somebody else's place in each step; several with commas.
    #[arg(long, value_delimiter = ',', default_value = "0")]
    thrown: Vec<usize>,
    /// How often each is measured; by default less often, the more agents there are.
    #[arg(long)]
    rounds: Option<usize>,
    /// Let agents have sizes of their own, at least half as large as the largest.
    #[arg(long)]
    own_sizes: bool,
}

/// What is measured, as the columns of the table.
const COLUMNS: [&str; 4] = [
    "no events",
    "events",
    "events + slots",
    "events + 1 % replaced",
];
/// In which column the narrowphase reads slots.
const READS_SLOTS: usize = 2;
/// In which column some are replaced.
const CHURNS: usize = 3;

/// Adds up slots, as a solver that starts from last step's impulses reads one for each pair.
struct ReadSlots;

impl Narrowphase for ReadSlots {
    type Scratch = ();
    type Output = u64;

    fn collide(&self, batch: PairBatch<'_>, _: &mut (), sum: &mut u64) {
        *sum += batch.slots().flatten().map(u64::from).sum::<u64>();
    }
}

fn main() {
    let args = Args::parse();
    let mut table = Table::new();
    let head = ["agents", "speed", "thrown"].into_iter().chain(COLUMNS);
    let head = head.chain(["pairs, % of agents", "begin, %", "end, %"]);
    table.load_style(UTF8_BORDERS_ONLY).set_header(head);
    for column in table.column_iter_mut() {
        column.set_cell_alignment(CellAlignment::Right);
    }
    for &agents in &args.agents {
        for &speed in &args.speeds {
            for &thrown in &args.thrown {
                let rounds = args.rounds.unwrap_or((8_000_000 / agents).clamp(16, 400));
                let mut trial = Trial::new(agents, speed, args.own_sizes);
                trial.thrown = thrown;
                let (figures, counts) = trial.run(rounds);
                let cells = figures
                    .iter()
                    .map(|samples| format!("{:.1} / {:.1}", samples.best(), samples.median()));
                let share = |count| format!("{:.1}", 100.0 * count as f64 / agents as f64);
                let first = [short(agents), speed.to_string(), thrown.to_string()];
                table.add_row(first.into_iter().chain(cells).chain(counts.map(share)));
            }
        }
    }
    println!("Nanoseconds an agent, best / median. One thread.\n{table}");
}

const UNITS: CategoryId = CategoryId::new(0);

/// One crowd, in a world for each column.
struct Trial {
    scene: Scene,
    speed: f32,
    /// How many are thrown to somebody else's place in each step.
    thrown: usize,
    worlds: [Broadphase; COLUMNS.len()],
}

impl Trial {
    fn new(agents: usize, speed: f32, own_sizes: bool) -> Self {
        let mut scene = uniform(agents, 1.0, 1);
        if own_sizes {
            give_own_sizes(&mut scene);
        }
        let units = || CategoryConfig::uniform("units", 0.0).half_extents(scene.half);
        let configs = [
            BroadphaseConfig::new().category(units()),
            BroadphaseConfig::new().category(units().events()),
            BroadphaseConfig::new()
                .category(units().events())
                .pair_slots(true),
            BroadphaseConfig::new().category(units().events()),
        ];
        let sorted = configs.map(|config| world_of(&scene, config));
        sort_centers(&mut scene, &sorted[0].1);
        Self {
            scene,
            speed,
            thrown: 0,
            worlds: sorted.map(|(world, _)| world),
        }
    }

    /// Nanoseconds an agent, a column each; and how many pairs there were in the last step with events, and how many of
    /// them began and ended.
    fn run(mut self, rounds: usize) -> ([Samples; COLUMNS.len()], [usize; 3]) {
        let mut figures: [Samples; COLUMNS.len()] = Default::default();
        let mut counts = [0; 3];
        let bar = ProgressBar::new(rounds as u64);
        for round in 0..=rounds {
            there_and_back(&mut self.scene, self.speed, round as u64);
            throw_some(&mut self.scene, self.thrown, round);
            for (column, (world, samples)) in self.worlds.iter_mut().zip(&mut figures).enumerate() {
                if column == CHURNS {
                    replace_some(world, &self.scene, round);
                }
                let started = Instant::now();
                let mut centers = world.centers_mut(UNITS).expect("it moves");
                let filled = centers.fill_from(&self.scene.xs, &self.scene.ys);
                assert_eq!(filled.expect("one for each row").rejected, 0);
                drop(centers);
                if column == READS_SLOTS {
                    let step = world.step_on(&Serial, &ReadSlots);
                    black_box(step.outputs().sum::<u64>());
                } else {
                    world.step_on(&Serial, &CountPairs);
                }
                if round > 0 {
                    samples.push(started.elapsed().as_secs_f64() * 1e9 / self.scene.len() as f64);
                }
                if column == 1 {
                    let report = world.report();
                    counts = [report.pairs as usize, report.began, report.ended];
                }
            }
            bar.inc(1);
        }
        bar.finish_and_clear();
        (figures, counts)
    }
}

/// A world that holds a scene in the order of space, and what that order is.
fn world_of(scene: &Scene, config: BroadphaseConfig) -> (Broadphase, Permutation) {
    let mut world = world_of_scene(scene, config);
    let order = world.sort_rows(UNITS, RowOrder::Space);
    (world, order.expect("it is a category"))
}

/// Throws some, different ones each round, to where others are.
fn throw_some(scene: &mut Scene, count: usize, round: usize) {
    let rows = scene.len();
    for k in 0..count {
        // Primes, so that each round has others.
        let [row, other] = [7919, 104_729].map(|step| (round * count + k + 1) * step % rows);
        scene.xs[row] = scene.xs[other];
        scene.ys[row] = scene.ys[other] + 0.5 * scene.half[1];
    }
}

/// Removes a hundredth of all, different ones each round, and inserts as many.
fn replace_some(world: &mut Broadphase, scene: &Scene, round: usize) {
    let gone: Vec<_> = world
        .proxies(UNITS)
        .skip(round % 100)
        .step_by(100)
        .collect();
    for id in gone {
        world.remove(id).expect("it lives");
        let new = Proxy::centered([0.0, 0.0], scene.half).expect("a sound scene");
        world.insert(new).expect("there is room");
    }
}
