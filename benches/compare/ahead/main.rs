//! What it costs to look ahead: a crowd in which everything moves, and of which nobody, some or all have a velocity or a margin. Whoever
//! has a velocity has another one in each step, written as a column together with the centers; rows are in the order of space, and the
//! narrowphase counts.
//!
//! ```sh
//! cargo run --release --manifest-path benches/Cargo.toml --bin ahead
//! cargo run --release --manifest-path benches/Cargo.toml --bin ahead -- --agents 1M --rounds 30 --threads 2
//! ```

use std::time::Instant;

use clap::Parser;
use comfy_table::{CellAlignment, Table, presets::UTF8_BORDERS_ONLY};
use indicatif::ProgressBar;
use throng::{
    Aabb, Broadphase, BroadphaseConfig, CategoryConfig, CategoryId, CountPairs, Executor, Proxy,
    RowOrder,
};
use throng_benches::{
    Samples, Workers, give_own_sizes, parse_count, short, sort_centers, there_and_back,
    world_of_scene,
};
use throng_scenes::{Scene, uniform};

/// Crowds that look ahead, measured.
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

/// Who looks ahead, and how far. Lengths are in half extents of an agent.
#[derive(Clone, Copy)]
struct Ahead {
    name: &'static str,
    /// Of so many agents one has a velocity, which goes up to so far along each axis; 0 for none.
    one_in: usize,
    speed: f32,
    margin: f32,
    own_sizes: bool,
    walls: bool,
}

const NOBODY: Ahead = Ahead {
    name: "nobody",
    one_in: 0,
    speed: 0.0,
    margin: 0.0,
    own_sizes: false,
    walls: false,
};

const CASES: [Ahead; 15] = [
    NOBODY,
    velocities("nobody, but there are velocities, all 0", 1, 0.0),
    velocities("one in a thousand, up to ten times its size", 1000, 20.0),
    velocities("one in a hundred, as far", 100, 20.0),
    velocities("one in ten, as far", 10, 20.0),
    velocities("all, up to a twentieth of their size", 1, 0.1),
    velocities("all, up to half their size", 1, 1.0),
    velocities("all, up to five times their size", 1, 10.0),
    Ahead {
        name: "all, by a margin of a twentieth of their size",
        margin: 0.1,
        ..NOBODY
    },
    Ahead {
        margin: 0.1,
        ..velocities("all, by such a margin and such a velocity", 1, 0.1)
    },
    Ahead {
        name: "sizes differ; nobody",
        own_sizes: true,
        ..NOBODY
    },
    Ahead {
        name: "sizes differ; all, by such a margin",
        margin: 0.1,
        own_sizes: true,
        ..NOBODY
    },
    Ahead {
        own_sizes: true,
        ..velocities("sizes differ; all, by such a velocity", 1, 0.1)
    },
    Ahead {
        name: "a quarter as many walls; nobody",
        walls: true,
        ..NOBODY
    },
    Ahead {
        walls: true,
        ..velocities("such walls; all, by such a velocity", 1, 0.1)
    },
];

const fn velocities(name: &'static str, one_in: usize, speed: f32) -> Ahead {
    Ahead {
        name,
        one_in,
        speed,
        ..NOBODY
    }
}

const AGENTS: CategoryId = CategoryId::new(0);
/// How far everything goes in a step on each axis at most.
const WALK: f32 = 0.03;
/// Half extents of a wall, in those of an agent.
const WALL: [f32; 2] = [5.0, 1.0];
/// In so many steps, not counted, each world makes room.
const WARM_UP: usize = 16;

fn main() {
    let args = Args::parse();
    let workers = Workers::new(args.threads).expect("threads can be started");
    let mut table = Table::new();
    let counts = args.agents.iter().map(|&agents| short(agents));
    let head = std::iter::once("who looks ahead".to_owned()).chain(counts);
    table.load_style(UTF8_BORDERS_ONLY).set_header(head);
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    let mut rows: Vec<Vec<String>> = (CASES.iter())
        .map(|case| vec![case.name.to_owned()])
        .collect();
    for &agents in &args.agents {
        let mut crowds: Vec<_> = (CASES.iter())
            .map(|&case| Crowd::new(agents, case))
            .collect();
        let rounds = (args.rounds).unwrap_or_else(|| (4_000_000 / agents.max(1)).clamp(20, 400));
        let bar = ProgressBar::new((WARM_UP + rounds) as u64);
        workers.run(|executor| {
            for round in 0..WARM_UP + rounds {
                for crowd in &mut crowds {
                    crowd.step(round, executor);
                }
                bar.inc(1);
            }
        });
        bar.finish_and_clear();
        for (row, crowd) in rows.iter_mut().zip(&crowds) {
            row.push(format!(
                "{:.1} / {:.1}",
                crowd.times.best(),
                crowd.times.median()
            ));
        }
    }
    table.add_rows(rows);
    println!(
        "Nanoseconds an agent, writes and step, {} threads; best / median.\n{table}",
        workers.threads()
    );
}

struct Crowd {
    world: Broadphase,
    scene: Scene,
    case: Ahead,
    velocities: [Vec<f32>; 2],
    times: Samples,
}

impl Crowd {
    fn new(agents: usize, case: Ahead) -> Self {
        let mut scene = uniform(agents, 1.0, 1);
        if case.own_sizes {
            give_own_sizes(&mut scene);
        }
        let half = scene.half[0];
        let category = CategoryConfig::uniform("agents", half).margin(case.margin * half);
        let walls = CategoryConfig::scenery("walls");
        let config = BroadphaseConfig::new().category(category).category(walls);
        let mut world = world_of_scene(&scene, config);
        if case.walls {
            let some = uniform(agents / 4, 0.25, 3);
            for (&x, &y) in some.xs.iter().zip(&some.ys) {
                let wall = Aabb::from_center([x, y], WALL.map(|length| length * half));
                let wall = Proxy::fixed(wall.expect("scenes are finite"));
                world.insert(wall).expect("it fits");
            }
        }
        let order = world.sort_rows(AGENTS, RowOrder::Space);
        sort_centers(&mut scene, &order.expect("it is a category"));
        Self {
            velocities: [vec![0.0; agents], vec![0.0; agents]],
            times: Samples::default(),
            world,
            scene,
            case,
        }
    }

    fn step(&mut self, round: usize, executor: &dyn Executor) {
        there_and_back(&mut self.scene, WALK, round as u64);
        let speed = self.case.speed * self.scene.half[0];
        if self.case.one_in > 0 {
            // From -1 to 1, another one in each step, for each row and along each axis.
            let part = |row: usize, axis: usize| {
                let dice = (row * 128 + (round % 64) * 2 + axis) as u64;
                let dice = (dice + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
                let dice = (dice ^ (dice >> 32)).wrapping_mul(0xD6E8_FEB8_6659_FD93) >> 40;
                dice as f32 / (1 << 23) as f32 - 1.0
            };
            for row in (0..self.scene.len()).step_by(self.case.one_in) {
                for axis in 0..2 {
                    self.velocities[axis][row] = speed * part(row, axis);
                }
            }
        }
        let started = Instant::now();
        let centers = self.world.centers_mut(AGENTS).expect("it moves");
        let fill = { centers }.fill_from(&self.scene.xs, &self.scene.ys);
        assert_eq!(fill.expect("one for each row").rejected, 0);
        if self.case.one_in > 0 {
            let [xs, ys] = &self.velocities;
            let velocities = self.world.velocities_mut(AGENTS).expect("it moves");
            let fill = { velocities }.fill_from(xs, ys);
            assert_eq!(fill.expect("one for each row").rejected, 0);
        }
        self.world.step_on(executor, &CountPairs);
        if round >= WARM_UP {
            let time = started.elapsed().as_secs_f64() * 1e9;
            self.times.push(time / self.scene.len() as f64);
        }
    }
}
