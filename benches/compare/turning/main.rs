//! What it costs to tell of things that turn, and so have another box in each step: planks that walk and turn, told of in every way
//! that there is. Each way takes its turn in every round; rows in the order of space; the narrowphase counts.
//!
//! ```sh
//! cargo run --release --manifest-path benches/Cargo.toml --bin turning
//! cargo run --release --manifest-path benches/Cargo.toml --bin turning -- --agents 1M --rounds 30 --threads 2
//! ```

use std::time::Instant;

use clap::Parser;
use comfy_table::{CellAlignment, Table, presets::UTF8_BORDERS_ONLY};
use indicatif::ProgressBar;
use throng::{
    Aabb, AabbFill, AabbsMut, BatchAabbs, Broadphase, BroadphaseConfig, CategoryConfig, CategoryId,
    ColumnError, CountPairs, Executor, ProxyId, RowOrder,
};
use throng_benches::{
    Samples, Workers, parse_count, short, sort_centers, there_and_back, world_of_scene,
};
use throng_scenes::{Scene, uniform};

/// Boxes that turn, told of in different ways, measured.
#[derive(Parser)]
struct Args {
    /// How many agents; several with commas.
    #[arg(long, value_delimiter = ',', value_parser = parse_count, default_value = "2k,20k,100k,1M")]
    agents: Vec<usize>,
    /// How often each is measured; by default less often, the more agents there are.
    #[arg(long)]
    rounds: Option<usize>,
    /// How many threads there are.
    #[arg(long, default_value_t = 1)]
    threads: usize,
}

/// In which way a world is told.
#[derive(Clone, Copy)]
enum Way {
    CentersOnly,
    OneByOne,
    ById,
    Boxes,
    Points,
    Columns,
}

/// Each with its heading in the table.
const WAYS: [(Way, &str); 6] = [
    (Way::CentersOnly, "centers only"),
    (Way::OneByOne, "set_aabb"),
    (Way::ById, "set_aabbs"),
    (Way::Boxes, "fill_from"),
    (Way::Points, "fill_from_centers"),
    (Way::Columns, "fill_from_columns"),
];

const PLANKS: CategoryId = CategoryId::new(0);
/// Half the length and half the width of a plank, in half extents of the bound.
const PLANK: [f32; 2] = [0.9, 0.2];
/// How far a plank goes in a step on each axis at most, in half extents; and how far it turns.
const WALK: f32 = 0.05;
const TURN: f32 = 0.05;

fn main() {
    let args = Args::parse();
    let workers = Workers::new(args.threads).expect("threads can be started");
    let mut table = Table::new();
    let head = ["agents"].into_iter().chain(WAYS.map(|(_, name)| name));
    let head = head.chain(["step", "pairs, % of agents"]);
    table.load_style(UTF8_BORDERS_ONLY).set_header(head);
    for column in table.column_iter_mut() {
        column.set_cell_alignment(CellAlignment::Right);
    }
    for &agents in &args.agents {
        let rounds = args.rounds.unwrap_or((8_000_000 / agents).clamp(16, 400));
        let mut trial = Trial::new(agents);
        let bar = ProgressBar::new(rounds as u64);
        for round in 0..rounds {
            workers.run(|executor| trial.round(round, executor));
            bar.inc(1);
        }
        bar.finish_and_clear();
        let times = |samples: &Samples| format!("{:.1} / {:.1}", samples.best(), samples.median());
        let pairs = 100.0 * trial.pairs as f64 / agents as f64;
        let cells = trial.writes.iter().chain([&trial.steps]).map(times);
        let cells = cells.chain([format!("{pairs:.1}")]);
        table.add_row([short(agents)].into_iter().chain(cells));
    }
    println!(
        "Nanoseconds an agent, best / median; {} thread(s).\n{table}",
        args.threads
    );
}

/// One crowd, in a world for each way.
struct Trial {
    scene: Scene,
    angles: Vec<f32>,
    ids: Vec<ProxyId>,
    worlds: [Broadphase; WAYS.len()],
    writes: [Samples; WAYS.len()],
    steps: Samples,
    pairs: u64,
}

/// The boxes of a round, in every form.
#[derive(Default)]
struct Forms {
    boxes: Vec<Aabb>,
    centers: Vec<[f32; 2]>,
    half_extents: Vec<[f32; 2]>,
    by_axis: [Vec<f32>; 2],
}

impl Trial {
    fn new(agents: usize) -> Self {
        let mut scene = uniform(agents, 1.0, 1);
        let bound = CategoryConfig::uniform("planks", 0.0).half_extents(scene.half);
        let mut world = world_of_scene(&scene, BroadphaseConfig::new().category(bound));
        world.step_on(&throng::Serial, &CountPairs);
        let order = world.sort_rows(PLANKS, RowOrder::Space);
        sort_centers(&mut scene, &order.expect("it is a category"));
        Self {
            angles: (0..agents).map(|agent| agent as f32).collect(),
            ids: world.proxies(PLANKS).collect(),
            worlds: std::array::from_fn(|_| world.clone()),
            scene,
            writes: Default::default(),
            steps: Samples::default(),
            pairs: 0,
        }
    }

    fn forms(&self) -> Forms {
        let mut forms = Forms::default();
        for ((&x, &y), angle) in self.scene.xs.iter().zip(&self.scene.ys).zip(&self.angles) {
            let (sin, cos) = angle.sin_cos();
            let [along, across] = [PLANK[0], PLANK[1]].map(|half| half * self.scene.half[0]);
            let half = [
                along * cos.abs() + across * sin.abs(),
                along * sin.abs() + across * cos.abs(),
            ];
            forms
                .boxes
                .push(Aabb::from_center([x, y], half).expect("scenes are finite"));
            forms.centers.push([x, y]);
            forms.half_extents.push(half);
            forms.by_axis[0].push(half[0]);
            forms.by_axis[1].push(half[1]);
        }
        forms
    }

    /// Tells each world of the same boxes, and has a step in each.
    fn round(&mut self, round: usize, executor: &dyn Executor) {
        there_and_back(&mut self.scene, WALK, round as u64);
        for (agent, angle) in self.angles.iter_mut().enumerate() {
            *angle += if agent % 2 == 0 { TURN } else { -TURN };
        }
        let forms = self.forms();
        let agents = self.scene.len() as f64;
        let mut pairs = Vec::new();
        // Another one is first in each round: who comes later finds boxes in the cache.
        for turn in 0..WAYS.len() {
            let place = (round + turn) % WAYS.len();
            let (way, _) = WAYS[place];
            let (world, writes) = (&mut self.worlds[place], &mut self.writes[place]);
            let started = Instant::now();
            tell(world, way, &self.scene, &self.ids, &forms, executor);
            writes.push(started.elapsed().as_nanos() as f64 / agents);
            let started = Instant::now();
            let found = world.step_on(executor, &CountPairs).report().pairs;
            if !matches!(way, Way::CentersOnly) {
                self.steps
                    .push(started.elapsed().as_nanos() as f64 / agents);
                pairs.push(found);
            }
        }
        self.pairs = pairs[0];
        let most = pairs.iter().max().expect("there are ways");
        let least = pairs.iter().min().expect("there are ways");
        // What is given by sides may come out an ulp larger than what is given by half extents.
        assert!(most - least <= self.pairs / 1000, "{pairs:?}");
    }
}

fn tell(
    world: &mut Broadphase,
    way: Way,
    scene: &Scene,
    ids: &[ProxyId],
    forms: &Forms,
    executor: &dyn Executor,
) {
    let mut fill = |write: &dyn Fn(&mut AabbsMut<'_>) -> Result<AabbFill, ColumnError>| {
        let mut planks = world.aabbs_mut_on(executor, PLANKS).expect("it moves");
        assert_eq!(write(&mut planks), Ok(AabbFill::default()));
    };
    let [half_xs, half_ys] = &forms.by_axis;
    match way {
        Way::CentersOnly => {
            let mut centers = world.centers_mut(PLANKS).expect("it moves");
            let filled = centers.fill_from(&scene.xs, &scene.ys);
            assert_eq!(filled.expect("one for each row").rejected, 0);
        }
        Way::OneByOne => {
            for (&id, &aabb) in ids.iter().zip(&forms.boxes) {
                assert!(world.set_aabb(id, aabb).is_ok());
            }
        }
        Way::ById => {
            let set = world.set_aabbs(ids.iter().copied().zip(forms.boxes.iter().copied()));
            assert_eq!(set, BatchAabbs::default());
        }
        Way::Boxes => fill(&|planks| planks.fill_from(&forms.boxes)),
        Way::Points => {
            fill(&|planks| planks.fill_from_centers(&forms.centers, &forms.half_extents));
        }
        Way::Columns => {
            fill(&|planks| planks.fill_from_columns([&scene.xs, &scene.ys], [half_xs, half_ys]))
        }
    }
}
