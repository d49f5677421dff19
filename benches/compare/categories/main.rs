//! What it costs to divide things of one size among categories, rather than to tell them apart by masks: the same crowd, once in one
//! category and once in several. Everything moves in each step, rows are in the order of space, and the narrowphase counts.
//!
//! ```sh
//! cargo run --release --manifest-path benches/Cargo.toml --bin categories
//! cargo run --release --manifest-path benches/Cargo.toml --bin categories -- --agents 100k --rounds 60
//! ```

use std::time::Instant;

use clap::Parser;
use comfy_table::{CellAlignment, Table, presets::UTF8_BORDERS_ONLY};
use indicatif::ProgressBar;
use throng::{
    Broadphase, BroadphaseConfig, CategoryConfig, CategoryId, CountPairs, Masks, Proxy, RowOrder,
    Serial,
};
use throng_benches::{Samples, parse_count, short, sort_centers, there_and_back, world_of_scene};
use throng_scenes::{Scene, uniform};

/// One crowd in one category and in several, measured.
#[derive(Parser)]
struct Args {
    /// How many agents; several with commas.
    #[arg(long, value_delimiter = ',', value_parser = parse_count, default_value = "100,500,2k,20k,100k")]
    agents: Vec<usize>,
    /// How often each is measured; by default less often, the more agents there are.
    #[arg(long)]
    rounds: Option<usize>,
}

/// How a crowd is divided.
#[derive(Clone, Copy)]
enum Division {
    /// All in one category.
    None,
    /// All in one category, with masks of so many kinds. The first kind does not meet itself.
    Masks(usize),
    /// Among so many categories, all of which meet.
    Categories(usize),
    /// Among so many categories, each of which meets only itself.
    Apart(usize),
}

/// Each with its heading in the table.
const DIVISIONS: [(Division, &str); 6] = [
    (Division::None, "one category"),
    (Division::Masks(8), "one, masks of 8 kinds"),
    (Division::Categories(2), "2 categories"),
    (Division::Categories(4), "4 categories"),
    (Division::Categories(8), "8 categories"),
    (Division::Apart(8), "8 that meet only themselves"),
];

/// How far things go in a step on each axis at most, in half extents.
const WALK: f32 = 0.1;

fn main() {
    let args = Args::parse();
    let mut table = Table::new();
    let head = ["agents"].into_iter();
    let head = head.chain(DIVISIONS.map(|(_, name)| name));
    table.load_style(UTF8_BORDERS_ONLY).set_header(head);
    for column in table.column_iter_mut() {
        column.set_cell_alignment(CellAlignment::Right);
    }
    for &agents in &args.agents {
        let rounds = args.rounds.unwrap_or((4_000_000 / agents).clamp(30, 2000));
        let mut scene = sorted_crowd(agents);
        let mut worlds = DIVISIONS.map(|(division, _)| Divided::new(&scene, division));
        let bar = ProgressBar::new(rounds as u64);
        for round in 0..rounds {
            there_and_back(&mut scene, WALK, round as u64);
            for world in &mut worlds {
                world.step(&scene);
            }
            bar.inc(1);
        }
        bar.finish_and_clear();
        let times = |world: &Divided| {
            let [best, median] = [world.steps.best(), world.steps.median()];
            format!("{best:.1} / {median:.1}")
        };
        table.add_row([short(agents)].into_iter().chain(worlds.iter().map(times)));
    }
    println!("Nanoseconds an agent for a step on one thread, best / median.\n{table}");
}

/// Agents of one size, with about one pair each, in the order of space.
fn sorted_crowd(agents: usize) -> Scene {
    let mut scene = uniform(agents, 1.0, 1);
    let all = CategoryConfig::uniform("all", 0.0).half_extents(scene.half);
    let mut world = world_of_scene(&scene, BroadphaseConfig::new().category(all));
    let order = world.sort_rows(CategoryId::new(0), RowOrder::Space);
    sort_centers(&mut scene, &order.expect("it is a category"));
    scene
}

/// A world with a crowd in it.
struct Divided {
    world: Broadphase,
    categories: usize,
    /// The centers of a category, to be written.
    column: [Vec<f32>; 2],
    steps: Samples,
}

impl Divided {
    fn new(scene: &Scene, division: Division) -> Self {
        let (categories, kinds) = match division {
            Division::None => (1, 1),
            Division::Masks(kinds) => (1, kinds),
            Division::Categories(categories) | Division::Apart(categories) => (categories, 1),
        };
        let name = |category: usize| format!("category {category}");
        let mut config = BroadphaseConfig::new();
        for number in 0..categories {
            let mut category = CategoryConfig::uniform(name(number), 0.0).half_extents(scene.half);
            if let Division::Apart(_) = division {
                category = category.meets([name(number)]);
            }
            config = config.category(category);
        }
        let mut world = Broadphase::new(config).expect("a sound config");
        let boxes = scene.xs.iter().zip(&scene.ys).enumerate();
        let proxies = boxes.map(|(row, (&x, &y))| {
            let proxy = Proxy::centered([x, y], scene.half).expect("scenes are finite");
            let own = 1 << (row % kinds);
            let meets = if kinds > 1 && own == 1 { !1 } else { u64::MAX };
            proxy
                .in_category(CategoryId::new((row % categories) as u16))
                .masks(Masks::new(if kinds > 1 { own } else { u64::MAX }, meets))
        });
        assert_eq!(world.insert_batch(proxies).refused, []);
        Self {
            world,
            categories,
            column: Default::default(),
            steps: Samples::default(),
        }
    }

    /// Moves everything to where the crowd is now, and takes a step.
    fn step(&mut self, scene: &Scene) {
        for category in 0..self.categories {
            for (column, all) in self.column.iter_mut().zip([&scene.xs, &scene.ys]) {
                column.clear();
                column.extend(all.iter().skip(category).step_by(self.categories));
            }
            let id = CategoryId::new(category as u16);
            let mut centers = self.world.centers_mut(id).expect("it moves");
            let fill = centers.fill_from(&self.column[0], &self.column[1]);
            assert_eq!(fill.expect("one for each row").rejected, 0);
        }
        let started = Instant::now();
        self.world.step_on(&Serial, &CountPairs);
        let agents = scene.xs.len() as f64;
        self.steps
            .push(started.elapsed().as_secs_f64() * 1e9 / agents);
    }
}
