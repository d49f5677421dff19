//! How long a step of physics takes with avian's own broad phase and with throng's, and how much of that is the broad phase.
//!
//! Both worlds are stepped in turns, so that whatever else the machine does slows both. The figures are medians over steps.
//!
//! ```sh
//! cargo run --release --example frame_times -- 1000 5000 10000 50000
//! ```

mod scenes;

use std::time::{Duration, Instant};

use avian_throng::ThrongBroadPhasePlugin;
use avian2d::collider_tree::{ColliderTreeDiagnostics, MovedProxies};
use avian2d::collision::CollisionDiagnostics;
use avian2d::prelude::*;
use bevy::prelude::*;
use bevy::tasks::ComputeTaskPool;
use bevy::time::TimeUpdateStrategy;

/// Steps before those that are measured, so that things have met.
const WARM_UP: usize = 120;
/// Steps that are measured: fewer where each takes long.
const MEASURED: fn(usize) -> usize = |bodies| (3_000_000 / bodies).clamp(60, 300);

fn main() {
    let sizes: Vec<usize> = std::env::args()
        .skip(1)
        .filter_map(|size| size.parse().ok())
        .collect();
    let sizes = if sizes.is_empty() {
        vec![1_000, 5_000]
    } else {
        sizes
    };
    for (name, begin) in scenes::ALL {
        println!("\n### {name}\n");
        println!(
            "| bodies | moved | broad phase, avian | throng | ratio | trees | step, avian | throng | ratio |"
        );
        println!("|---|---|---|---|---|---|---|---|---|");
        for &bodies in &sizes {
            println!("{}", row(begin, bodies));
        }
    }
    let threads = ComputeTaskPool::get().thread_num();
    println!("\nMilliseconds, with {threads} thread(s) in the compute pool.");
}

/// One size of one scene.
fn row(begin: scenes::Begin, bodies: usize) -> String {
    let mut apps = [false, true].map(|throng| {
        let mut app = app(throng);
        begin(app.world_mut(), bodies);
        app
    });
    for _ in 0..WARM_UP {
        apps.iter_mut().for_each(App::update);
    }
    let mut measured: [Vec<Times>; 2] = Default::default();
    for step in 0..MEASURED(bodies) {
        // Who is first has the caches of the other one, so they take turns.
        for which in [step % 2, 1 - step % 2] {
            measured[which].push(Times::of_step(&mut apps[which]));
        }
    }
    let median = |which: usize, part: fn(&Times) -> f64| {
        let mut all: Vec<f64> = measured[which].iter().map(part).collect();
        all.sort_unstable_by(f64::total_cmp);
        all[all.len() / 2]
    };
    let broad = [0, 1].map(|which| median(which, |times| times.broad_phase));
    let step = [0, 1].map(|which| median(which, |times| times.step));
    let (moved, trees) = (
        median(0, |times| times.moved),
        median(0, |times| times.trees),
    );
    format!(
        "| {bodies} | {:.0} % | {:.3} | {:.3} | {:.2} | {trees:.3} | {:.2} | {:.2} | {:.2} |",
        100.0 * moved / bodies as f64,
        broad[0],
        broad[1],
        broad[1] / broad[0],
        step[0],
        step[1],
        step[1] / step[0],
    )
}

/// Of one step, in milliseconds.
struct Times {
    step: f64,
    broad_phase: f64,
    /// What avian's trees cost, which both have.
    trees: f64,
    /// How many colliders the broad phase looked at.
    moved: f64,
}

impl Times {
    fn of_step(app: &mut App) -> Self {
        let started = Instant::now();
        app.update();
        let step = started.elapsed();
        let milliseconds = |time: Duration| 1e3 * time.as_secs_f64();
        let world = app.world();
        let trees = world.resource::<ColliderTreeDiagnostics>();
        Self {
            step: milliseconds(step),
            broad_phase: milliseconds(world.resource::<CollisionDiagnostics>().broad_phase),
            trees: milliseconds(trees.update + trees.optimize),
            moved: world.resource::<MovedInStep>().0 as f64,
        }
    }
}

#[derive(Resource, Default)]
struct MovedInStep(usize);

fn count_moved(moved: Res<'_, MovedProxies>, mut count: ResMut<'_, MovedInStep>) {
    count.0 = moved.proxies().len();
}

fn app(throng: bool) -> App {
    let step = Duration::from_secs_f64(1.0 / 64.0);
    let physics = PhysicsPlugins::default().build();
    let physics = if throng {
        physics
            .disable::<BvhBroadPhasePlugin>()
            .add(ThrongBroadPhasePlugin::<()>::default())
    } else {
        physics
    };
    let mut app = App::new();
    app.add_plugins((MinimalPlugins, TransformPlugin, physics))
        .insert_resource(TimeUpdateStrategy::ManualDuration(step))
        .insert_resource(Time::<Fixed>::from_duration(step))
        .init_resource::<MovedInStep>()
        .add_systems(
            PhysicsSchedule,
            count_moved
                .in_set(PhysicsStepSystems::BroadPhase)
                .after(BroadPhaseSystems::CollectCollisions)
                .before(BroadPhaseSystems::Last),
        );
    app.finish();
    app.cleanup();
    app
}
