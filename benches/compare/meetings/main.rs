//! What it costs that some meet many: 10 movers among a million walls, or as many as there are; everybody evenly spread, the movers in
//! one bunch, or all in towns in a wide world. Of movers that are points, with
//! scenery, strips and a grid of points; the search alone, the index being there, and with scenery a whole step. Beside them
//! a walk of a packed tree for each mover, as one writes it by hand. One thread; everybody in turns; everybody has to find
//! as many pairs.
//!
//! ```sh
//! cargo run --release --manifest-path benches/Cargo.toml --bin meetings
//! cargo run --release --manifest-path benches/Cargo.toml --bin meetings -- --among 200k --movers 100,1k --rounds 200
//! ```

use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;
use comfy_table::{CellAlignment, Table, presets::UTF8_BORDERS_ONLY};
use indicatif::ProgressBar;
use throng::{
    Aabb, Broadphase, BroadphaseConfig, CategoryConfig, CategoryId, CountPairs, Proxy, Serial,
};
use throng_benches::{
    BoxColumns, Packed, Population, Samples, Tree, parse_count, short, there_and_back,
};
use throng_scenes::{Scene, towns_in_a_wide_world, uniform};

/// Meetings of few and many, measured.
#[derive(Parser)]
struct Args {
    /// How many they are among; several with commas.
    #[arg(long, value_delimiter = ',', value_parser = parse_count, default_value = "10k,100k,1M")]
    among: Vec<usize>,
    /// How many move; several with commas. More than there are others are left out.
    #[arg(long, value_delimiter = ',', value_parser = parse_count, default_value = "10,100,1k,10k,100k,1M")]
    movers: Vec<usize>,
    /// How often each is measured; by default less often, the more movers there are.
    #[arg(long)]
    rounds: Option<usize>,
}

/// What is measured, as the columns of the table.
const COLUMNS: [&str; 5] = ["a walk for each", "scenery", "its step", "strips", "points"];

/// Where everybody is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Layout {
    /// All are evenly spread.
    Even,
    /// The many are evenly spread, and the movers in one bunch of them.
    Bunch,
    /// The many are in towns in a wide world, and the movers are spread over all towns.
    Towns,
}

impl Layout {
    const ALL: [Self; 3] = [Self::Even, Self::Bunch, Self::Towns];

    fn name(self) -> &'static str {
        match self {
            Self::Even => "evenly spread",
            Self::Bunch => "in one bunch",
            Self::Towns => "in towns",
        }
    }
}

fn main() -> ExitCode {
    let args = Args::parse();
    let mut table = Table::new();
    let head = ["movers", "among", "where"].into_iter().chain(COLUMNS);
    table.load_style(UTF8_BORDERS_ONLY).set_header(head);
    for column in table.column_iter_mut() {
        column.set_cell_alignment(CellAlignment::Right);
    }
    for &among in &args.among {
        for layout in Layout::ALL {
            for &movers in args.movers.iter().filter(|&&movers| movers <= among) {
                let rounds = args.rounds.unwrap_or((3_000_000 / movers).clamp(9, 300));
                let Some(figures) = Trial::new(movers, among, layout).run(rounds) else {
                    eprintln!(
                        "meetings: not everybody found as many pairs, so the times mean nothing"
                    );
                    return ExitCode::FAILURE;
                };
                let walks = &figures[0];
                let cells = figures.iter().map(|samples| {
                    let times = samples.per_round_over(walks).median();
                    format!(
                        "{:.0} / {:.0} ({times:.2})",
                        samples.best(),
                        samples.median()
                    )
                });
                let first = [short(movers), short(among), layout.name().to_owned()];
                table.add_row(first.into_iter().chain(cells));
            }
        }
    }
    println!(
        "Nanoseconds a mover, best / median, and times a walk for each (median of rounds). One thread.\n{table}"
    );
    ExitCode::SUCCESS
}

/// How wide the world is that has towns in it.
const TOWNS_WIDE: f32 = 1e6;

const MOVERS: CategoryId = CategoryId::new(0);

/// One crowd among others.
struct Trial {
    movers: Scene,
    tree: Packed,
    /// The same with the many as scenery, as boxes of any size and as points.
    worlds: [Broadphase; 3],
}

impl Trial {
    fn new(movers: usize, among: usize, layout: Layout) -> Self {
        // As many pairs as movers: each box touches one of those it is among.
        let (many, mut few) = if layout == Layout::Towns {
            // Places in the same towns: every so many of those of the others, and a little aside.
            let many = towns_in_a_wide_world(among, TOWNS_WIDE, 1);
            let mut few = many.clone();
            let step = among / movers;
            for column in [&mut few.xs, &mut few.ys] {
                *column = column.iter().copied().step_by(step).take(movers).collect();
            }
            let aside = 3.0 * many.half[0];
            few.xs.iter_mut().for_each(|x| *x += aside);
            (many, few)
        } else {
            (uniform(among, 0.5, 1), uniform(movers, 0.5, 2))
        };
        let times_as_wide = (among as f32 / movers as f32).sqrt();
        let middle = many.xs.iter().copied().fold(0.0, f32::max) / 2.0;
        for center in few.xs.iter_mut().chain(&mut few.ys) {
            match layout {
                Layout::Even => *center *= times_as_wide,
                Layout::Bunch => *center += middle - middle / times_as_wide,
                Layout::Towns => {}
            }
        }
        few.half = many.half;
        let kinds = [
            CategoryConfig::scenery("many"),
            CategoryConfig::oversized("many"),
            CategoryConfig::uniform("many", 0.0).half_extents(many.half),
        ];
        let population = Population::from(many.clone());
        Self {
            tree: Packed::build(BoxColumns::of(&population).boxes()),
            worlds: kinds.map(|kind| world_of(&few, &many, kind)),
            movers: few,
        }
    }

    /// Nanoseconds a mover, a column each; nothing if not all find as many.
    fn run(mut self, rounds: usize) -> Option<[Samples; COLUMNS.len()]> {
        let mut figures: [Samples; COLUMNS.len()] = Default::default();
        let bar = ProgressBar::new(rounds as u64);
        for round in 0..=rounds {
            there_and_back(&mut self.movers, 0.1, round as u64);
            let movers = &self.movers;
            let mut nanoseconds = [0.0; COLUMNS.len()];
            let mut found = [0; COLUMNS.len()];
            let mut measure = |column: usize, job: &mut dyn FnMut() -> u64| {
                let started = Instant::now();
                found[column] = job();
                nanoseconds[column] = started.elapsed().as_secs_f64() * 1e9 / movers.len() as f64;
            };
            measure(0, &mut || walk_for_each(movers, &self.tree));
            for (world, column) in self.worlds.iter_mut().zip([1, 3, 4]) {
                fill(world, movers);
                world.refresh();
                measure(column, &mut || search(world));
            }
            let scenery = &mut self.worlds[0];
            measure(2, &mut || {
                fill(scenery, movers);
                scenery.step_on(&Serial, &CountPairs).report().pairs
            });
            if found.iter().any(|&pairs| pairs != found[0]) {
                return None;
            }
            // The first round makes room.
            if round > 0 {
                for (samples, time) in figures.iter_mut().zip(nanoseconds) {
                    samples.push(time);
                }
            }
            bar.inc(1);
        }
        bar.finish_and_clear();
        Some(figures)
    }
}

/// A world in which the few meet the many, and nobody else anybody.
fn world_of(few: &Scene, many: &Scene, kind: CategoryConfig) -> Broadphase {
    let movers = CategoryConfig::uniform("movers", 0.0).half_extents(few.half);
    let config = BroadphaseConfig::new()
        .category(movers.coarse().meets(["many"]))
        .category(kind.meets(["movers"]));
    let mut world = Broadphase::new(config).expect("the config is good");
    for (scene, category) in [(few, 0), (many, 1)] {
        let proxies = scene.xs.iter().zip(&scene.ys).map(|(&x, &y)| {
            let proxy = Proxy::centered([x, y], scene.half).expect("scenes are finite");
            proxy.in_category(CategoryId::new(category))
        });
        assert_eq!(world.insert_batch(proxies).refused, []);
    }
    world
}

fn fill(world: &mut Broadphase, movers: &Scene) {
    let mut centers = world.centers_mut(MOVERS).expect("it moves");
    let filled = centers.fill_from(&movers.xs, &movers.ys);
    assert_eq!(filled.expect("one for each row").rejected, 0);
}

fn search(world: &Broadphase) -> u64 {
    let plan = world.plan().expect("it was refreshed");
    let mut pairs = 0;
    for chunk in 0..plan.chunks() {
        pairs += plan.collide(chunk, &CountPairs, &mut (), &mut 0).pairs;
    }
    pairs
}

fn walk_for_each(movers: &Scene, tree: &Packed) -> u64 {
    let mut found = 0;
    for (&x, &y) in movers.xs.iter().zip(&movers.ys) {
        let window = Aabb::from_center([x, y], movers.half).expect("scenes are finite");
        let _ = tree.tree().query_aabb(&window, |_, _| {
            found += 1;
            std::ops::ControlFlow::<()>::Continue(())
        });
    }
    found
}
