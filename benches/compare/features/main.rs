//! What a game pays for what it uses: the same crowd, with one more feature in each row of the table. Units of two sides walk, a quarter as
//! many bullets fly, and there are walls and pickups; everything moves in each step, rows of units are in the order of space, and the
//! narrowphase counts. What each feature costs beside the others shows where two of them get in each other's way.
//!
//! ```sh
//! cargo run --release --manifest-path benches/Cargo.toml --bin features
//! cargo run --release --manifest-path benches/Cargo.toml --bin features -- --units 200k --rounds 60
//! ```

use std::time::Instant;

use clap::Parser;
use comfy_table::{CellAlignment, Table, presets::UTF8_BORDERS_ONLY};
use indicatif::ProgressBar;
use throng::{
    Aabb, Broadphase, BroadphaseConfig, CategoryConfig, CategoryId, CountPairs, Masks, Proxy,
    ProxyId, RowOrder, Serial,
};
use throng_benches::{Samples, give_own_sizes, parse_count, sort_centers, there_and_back};
use throng_scenes::{Scene, uniform};

/// A game with more and more features, measured.
#[derive(Parser)]
struct Args {
    /// How many units there are.
    #[arg(long, value_parser = parse_count, default_value = "20k")]
    units: usize,
    /// In how many rounds every game has a step.
    #[arg(long, default_value_t = 200)]
    rounds: usize,
}

/// What a game has: all up to its last feature.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum Feature {
    Units,
    OwnSizes,
    Sides,
    Bullets,
    Walls,
    Pickups,
    Events,
    Slots,
    Churn,
    Rest,
    Margin,
    Velocities,
}

/// With what each row of the table says.
const FEATURES: [(Feature, &str); 12] = [
    (Feature::Units, "units of one size"),
    (Feature::OwnSizes, "+ sizes of their own"),
    (Feature::Sides, "+ masks: bullets meet the other side"),
    (Feature::Bullets, "+ bullets"),
    (Feature::Walls, "+ walls"),
    (Feature::Pickups, "+ pickups, which are sensors"),
    (Feature::Events, "+ events"),
    (Feature::Slots, "+ pair slots"),
    (Feature::Churn, "+ 1 % of bullets, 4 units replaced"),
    (Feature::Rest, "+ rest, though all move"),
    (Feature::Margin, "+ a margin for units"),
    (Feature::Velocities, "+ velocities of bullets"),
];

/// How far things go in a step on each axis at most, in half extents.
const WALK: f32 = 0.1;
const FLY: f32 = 5.0;
const BULLET: f32 = 0.1;
const UNITS_REPLACED: usize = 4;
/// In so many steps, not counted, each game makes room.
const WARM_UP: usize = 16;

fn main() {
    let args = Args::parse();
    let mut games: Vec<Game> = (FEATURES.iter())
        .map(|&(last, _)| Game::new(args.units, last))
        .collect();
    let rounds = WARM_UP + args.rounds;
    let bar = ProgressBar::new(rounds as u64);
    for round in 0..rounds {
        for game in &mut games {
            game.step(round, round >= WARM_UP);
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    let mut table = Table::new();
    let head = ["", "writes, µs", "step, µs", "pairs", "predicted", "events"];
    table.load_style(UTF8_BORDERS_ONLY).set_header(head);
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    for (game, (_, name)) in games.iter().zip(FEATURES) {
        let report = game.world.report();
        let times = |samples: &Samples| format!("{:.0} / {:.0}", samples.best(), samples.median());
        table.add_row([
            name.to_owned(),
            times(&game.writes),
            times(&game.steps),
            report.pairs.to_string(),
            report.predicted_pairs.to_string(),
            (report.began + report.ended).to_string(),
        ]);
    }
    println!("One thread, best / median; pairs and events of the last step.\n{table}");
}

/// Things of a category, as an engine has them: by row.
struct Crowd {
    category: CategoryId,
    scene: Scene,
    ids: Vec<ProxyId>,
}

struct Game {
    last: Feature,
    world: Broadphase,
    units: Crowd,
    bullets: Option<Crowd>,
    writes: Samples,
    steps: Samples,
}

impl Game {
    fn new(count: usize, last: Feature) -> Self {
        let has = |feature| last >= feature;
        // So many in the same square.
        let some = |part: usize, seed| uniform(count / part, 1.0 / part as f32, seed);
        let mut world = Broadphase::new(config(last)).expect("a sound config");
        let category = |name| world.category(name);
        let (walls, pickups) = (category("walls"), category("pickups"));
        let mut units = Crowd {
            category: category("units").expect("always there"),
            scene: some(1, 1),
            ids: Vec::new(),
        };
        if has(Feature::OwnSizes) {
            give_own_sizes(&mut units.scene);
        }
        let mut bullets = category("bullets").map(|category| Crowd {
            category,
            scene: Scene {
                half: [BULLET; 2],
                ..some(4, 2)
            },
            ids: Vec::new(),
        });
        for crowd in [Some(&mut units), bullets.as_mut()].into_iter().flatten() {
            for row in 0..crowd.scene.len() {
                let proxy = crowd.proxy(row, has(Feature::Sides));
                crowd.ids.push(world.insert(proxy).expect("it fits"));
            }
        }
        let insert_all = |world: &mut Broadphase, scene: Scene, half: [f32; 2], into| {
            let boxes = scene.xs.iter().zip(&scene.ys).map(|(&x, &y)| {
                let aabb = Aabb::from_center([x, y], half).expect("scenes are finite");
                Proxy::moving(aabb).in_category(into)
            });
            assert_eq!(world.insert_batch(boxes).refused, []);
        };
        if let Some(walls) = walls {
            insert_all(&mut world, some(4, 3), [2.5, 0.5], walls);
        }
        if let Some(pickups) = pickups {
            insert_all(&mut world, some(40, 4), [0.4; 2], pickups);
        }
        let order = world.sort_rows(units.category, RowOrder::Space);
        let order = order.expect("it is a category");
        sort_centers(&mut units.scene, &order);
        let ids = order.old_rows().iter().map(|&row| units.ids[row as usize]);
        units.ids = ids.collect();
        Self {
            last,
            world,
            units,
            bullets,
            writes: Samples::default(),
            steps: Samples::default(),
        }
    }

    fn step(&mut self, round: usize, counts: bool) {
        there_and_back(&mut self.units.scene, WALK, round as u64);
        if let Some(bullets) = &mut self.bullets {
            there_and_back(&mut bullets.scene, FLY, round as u64);
        }
        let velocities = |bullets: &Crowd| {
            let speed = if round % 8 < 4 { FLY } else { -FLY } * BULLET / 2.0;
            vec![speed; bullets.scene.len()]
        };
        let velocities = (self.bullets.as_ref())
            .filter(|_| self.last >= Feature::Velocities)
            .map(velocities);
        let started = Instant::now();
        if self.last >= Feature::Churn {
            self.units.replace(&mut self.world, UNITS_REPLACED, round);
            if let Some(bullets) = &mut self.bullets {
                bullets.replace(&mut self.world, bullets.scene.len() / 100, round);
            }
        }
        for crowd in [Some(&self.units), self.bullets.as_ref()]
            .into_iter()
            .flatten()
        {
            let mut centers = self.world.centers_mut(crowd.category).expect("it moves");
            let fill = centers.fill_from(&crowd.scene.xs, &crowd.scene.ys);
            assert_eq!(fill.expect("one for each row").rejected, 0);
        }
        if let (Some(bullets), Some(along)) = (&self.bullets, velocities) {
            let velocities = self.world.velocities_mut(bullets.category);
            let fill = velocities.expect("it moves").fill_from(&along, &along);
            assert_eq!(fill.expect("one for each row").rejected, 0);
        }
        let written = Instant::now();
        self.world.step_on(&Serial, &CountPairs);
        let done = Instant::now();
        if counts {
            self.writes.push((written - started).as_secs_f64() * 1e6);
            self.steps.push((done - written).as_secs_f64() * 1e6);
        }
    }
}

fn config(last: Feature) -> BroadphaseConfig {
    let has = |feature| last >= feature;
    let mut units = CategoryConfig::uniform("units", 0.5);
    let mut bullets = CategoryConfig::uniform("bullets", BULLET);
    let meets = ["units", "walls"]
        .into_iter()
        .take(1 + usize::from(has(Feature::Walls)));
    bullets = bullets.meets(meets);
    if has(Feature::Events) {
        (units, bullets) = (units.events(), bullets.events());
    }
    if has(Feature::Rest) {
        units = units.rests_after(30);
    }
    if has(Feature::Margin) {
        units = units.margin(0.05);
    }
    let pickups = CategoryConfig::uniform("pickups", 0.4)
        .sensor()
        .meets(["units"]);
    let categories = [
        (Feature::Units, units),
        (Feature::Bullets, bullets),
        (Feature::Walls, CategoryConfig::scenery("walls")),
        (Feature::Pickups, pickups),
    ];
    let categories = categories.into_iter().filter(|&(feature, _)| has(feature));
    let config = BroadphaseConfig::new().pair_slots(has(Feature::Slots));
    categories.fold(config, |config, (_, category)| config.category(category))
}

impl Crowd {
    /// What is in a row.
    fn proxy(&self, row: usize, has_sides: bool) -> Proxy {
        let center = [self.scene.xs[row], self.scene.ys[row]];
        let half_extents = self.scene.half_extents_of(row);
        let proxy = Proxy::centered(center, half_extents).expect("scenes are finite");
        let proxy = proxy.in_category(self.category);
        if !has_sides {
            return proxy;
        }
        // Units of either side meet everything, bullets of one only units of the other.
        const UNITS: [u64; 2] = [1, 2];
        let side = row % 2;
        let (own, meets) = match self.category.index() {
            0 => (UNITS[side], u64::MAX),
            _ => (4, UNITS[1 - side]),
        };
        proxy.masks(Masks::new(own, meets))
    }

    /// Removes some, and puts others where they were. Rows follow those of the world: the last one moves into a gap.
    fn replace(&mut self, world: &mut Broadphase, count: usize, round: usize) {
        for k in 0..count {
            let row = (round * 7919 + k * 104_729) % self.ids.len();
            let proxy = self.proxy(row, true);
            world.remove(self.ids.swap_remove(row)).expect("it lives");
            self.ids.push(world.insert(proxy).expect("it fits"));
            let Scene {
                xs,
                ys,
                half_extents,
                ..
            } = &mut self.scene;
            for column in [xs, ys] {
                let gone = column.swap_remove(row);
                column.push(gone);
            }
            if let Some(half_extents) = half_extents {
                let gone = half_extents.swap_remove(row);
                half_extents.push(gone);
            }
        }
    }
}
