//! A game for two over a network. One machine gets the other player's inputs late: it guesses them, and goes back when it was
//! wrong.
//!
//! One machine has all inputs in time. The other learns of the second player's up to seven frames late. Until then it goes on
//! as if that player were still doing what they did last, and keeps a copy of the game as of the beginning of each frame. When
//! an input comes that it had not expected, it goes back to the start of that frame and plays from there again. At the end both
//! games must be the same to the last bit: positions, velocities, which balls touch, in which order, and in which slots.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::time::{Duration, Instant};

use comfy_table::{CellAlignment, Table, presets::UTF8_BORDERS_ONLY};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use throng::{Broadphase, BroadphaseConfig, CategoryConfig, CategoryId, CountPairs, Proxy, Row};

type Error = Box<dyn std::error::Error>;

/// How many frames late an input may come.
const LATEST: usize = 7;
/// Copies kept: of this frame, and of `LATEST` frames before it.
const KEPT: usize = LATEST + 1;
/// Area for each ball; all have a radius of 1.
const ROOM: f32 = 16.0;

/// What both players do in a frame: one pushes the balls in even rows, the other those in odd rows, to the left, to the right, or not
/// at all.
type Inputs = [i8; 2];

/// Everything that decides the next frame.
struct Game {
    world: Broadphase,
    balls: CategoryId,
    /// By the rows of the world, which stay as they are: no ball comes or goes.
    xs: Vec<f32>,
    ys: Vec<f32>,
    velocities: Vec<[f32; 2]>,
    /// Who met in this frame.
    met: Vec<[Row; 2]>,
    size: f32,
}

impl Clone for Game {
    fn clone(&self) -> Self {
        Self {
            world: self.world.clone(),
            balls: self.balls,
            xs: self.xs.clone(),
            ys: self.ys.clone(),
            velocities: self.velocities.clone(),
            met: self.met.clone(),
            size: self.size,
        }
    }

    /// Reuses the memory of an earlier copy.
    fn clone_from(&mut self, source: &Self) {
        self.world.clone_from(&source.world);
        self.balls = source.balls;
        self.xs.clone_from(&source.xs);
        self.ys.clone_from(&source.ys);
        self.velocities.clone_from(&source.velocities);
        self.met.clone_from(&source.met);
        self.size = source.size;
    }
}

impl Game {
    fn new(balls: usize) -> Result<Self, Error> {
        let config = BroadphaseConfig::new()
            .category(CategoryConfig::uniform("balls", 1.0).events())
            .pair_slots(true);
        let world = Broadphase::new(config)?;
        let size = (ROOM * balls as f32).sqrt();
        let mut random = Pcg64Mcg::seed_from_u64(5);
        let mut column = |range: std::ops::Range<f32>| -> Vec<f32> {
            (0..balls)
                .map(|_| random.random_range(range.clone()))
                .collect()
        };
        let (xs, ys) = (column(0.0..size), column(0.0..size));
        let velocities = column(-0.1..0.1).into_iter().zip(column(-0.1..0.1));
        let mut game = Self {
            balls: world.category("balls").ok_or("no such category")?,
            world,
            velocities: velocities.map(|(x, y)| [x, y]).collect(),
            xs,
            ys,
            met: Vec::new(),
            size,
        };
        for (&x, &y) in game.xs.iter().zip(&game.ys) {
            game.world.insert(Proxy::centered([x, y], [1.0, 1.0])?)?;
        }
        Ok(game)
    }

    /// One frame: balls are pushed, fly on, bounce off the edges, and those that meet exchange their velocities.
    fn play(&mut self, inputs: Inputs) -> Result<(), Error> {
        let places = self.xs.iter_mut().zip(&mut self.ys);
        for (row, ([x, y], velocity)) in places
            .map(|(x, y)| [x, y])
            .zip(&mut self.velocities)
            .enumerate()
        {
            velocity[0] += f32::from(inputs[row % 2]) * 0.01;
            for (place, speed) in [x, y].into_iter().zip(velocity) {
                *place += *speed;
                if !(0.0..=self.size).contains(place) {
                    *speed = if *place < 0.0 {
                        speed.abs()
                    } else {
                        -speed.abs()
                    };
                }
            }
        }
        let written = self
            .world
            .centers_mut(self.balls)?
            .fill_from(&self.xs, &self.ys)?;
        assert_eq!(written.rejected, 0, "every center is finite");
        let step = self.world.step(&CountPairs);
        self.met.clear();
        for pair in step.began() {
            let row = |side: usize| step.world().locate(pair.ids[side]).map(|at| at.row);
            self.met.extend(row(0).zip(row(1)).map(|(a, b)| [a, b]));
        }
        // In the order of the pairs: in another, some balls would fly elsewhere.
        for &[a, b] in &self.met {
            self.velocities.swap(a as usize, b as usize);
        }
        Ok(())
    }

    /// A number that differs if anything differs.
    fn hash(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        for value in self.xs.iter().chain(&self.ys) {
            value.to_bits().hash(&mut hasher);
        }
        for velocity in self.velocities.iter().flatten() {
            velocity.to_bits().hash(&mut hasher);
        }
        for pair in self.world.event_pairs() {
            (pair.ids, pair.slot).hash(&mut hasher);
        }
        hasher.finish()
    }
}

/// What both players do, and when the other machine learns what the second one did.
struct Network {
    inputs: Vec<Inputs>,
    arrivals: Vec<usize>,
}

impl Network {
    fn new(frames: usize) -> Self {
        let mut random = Pcg64Mcg::seed_from_u64(6);
        let mut inputs = Vec::new();
        let mut doing = [0; 2];
        for _ in 0..frames {
            for now in &mut doing {
                if random.random_range(0..12) == 0 {
                    *now = random.random_range(-1..=1);
                }
            }
            inputs.push(doing);
        }
        let arrives = |frame: usize| frame + random.random_range(1..=LATEST);
        let arrivals = (0..frames).map(arrives).collect();
        Self { inputs, arrivals }
    }

    /// What the late machine takes the inputs of a frame to be: for the second player, the last one that has arrived by now.
    fn as_known(&self, frame: usize, now: usize) -> Inputs {
        let known = (0..=frame).rev().find(|&frame| self.arrivals[frame] <= now);
        [
            self.inputs[frame][0],
            known.map_or(0, |known| self.inputs[known][1]),
        ]
    }
}

/// What it took to keep up.
#[derive(Default)]
struct Effort {
    returns: usize,
    again: usize,
    copies: usize,
    copying: Duration,
    playing: Duration,
}

impl Effort {
    fn copy(&mut self, to: &mut Game, from: &Game) {
        let begun = Instant::now();
        to.clone_from(from);
        self.copying += begun.elapsed();
        self.copies += 1;
    }

    fn play(&mut self, game: &mut Game, inputs: Inputs) -> Result<(), Error> {
        let begun = Instant::now();
        game.play(inputs)?;
        self.playing += begun.elapsed();
        Ok(())
    }
}

/// The game on the machine that learns late.
fn play_late(mut game: Game, network: &Network) -> Result<(Game, Effort), Error> {
    let mut effort = Effort::default();
    let mut kept = vec![game.clone(); KEPT];
    let mut played: Vec<Inputs> = Vec::new();
    let frames = network.inputs.len();
    // Goes on after the last frame, until all inputs have come.
    for now in 0..frames + LATEST {
        if now < frames {
            effort.copy(&mut kept[now % KEPT], &game);
            played.push(network.as_known(now, now));
            effort.play(&mut game, played[now])?;
        }
        let oldest = now.saturating_sub(LATEST);
        let wrong =
            (oldest..played.len()).find(|&frame| network.as_known(frame, now + 1) != played[frame]);
        let Some(first) = wrong else {
            continue;
        };
        effort.returns += 1;
        effort.copy(&mut game, &kept[first % KEPT]);
        for again in first..played.len() {
            if again > first {
                effort.copy(&mut kept[again % KEPT], &game);
            }
            played[again] = network.as_known(again, now + 1);
            effort.play(&mut game, played[again])?;
            effort.again += 1;
        }
    }
    assert_eq!(played, network.inputs, "all inputs have arrived");
    Ok((game, effort))
}

fn main() -> Result<(), Error> {
    let is_short = std::env::args().any(|argument| argument == "--headless");
    let (frames, crowds) = if is_short {
        (60, &[500][..])
    } else {
        (600, &[500, 2_000, 10_000][..])
    };
    let network = Network::new(frames);
    let mut table = Table::new();
    table.load_style(UTF8_BORDERS_ONLY).set_header([
        "balls",
        "frames",
        "times back",
        "frames taken again",
        "microseconds per frame",
        "per copy",
        "the same in the end",
    ]);
    for column in table.column_iter_mut() {
        column.set_cell_alignment(CellAlignment::Right);
    }
    for &balls in crowds {
        let mut game = Game::new(balls)?;
        let (late, effort) = play_late(game.clone(), &network)?;
        for &inputs in &network.inputs {
            game.play(inputs)?;
        }
        let is_same = late.hash() == game.hash();
        let each = |all: Duration, of: usize| format!("{:.0}", all.as_secs_f64() * 1e6 / of as f64);
        table.add_row([
            balls.to_string(),
            frames.to_string(),
            effort.returns.to_string(),
            effort.again.to_string(),
            each(effort.playing, frames + effort.again),
            each(effort.copying, effort.copies),
            if is_same { "yes" } else { "no" }.to_owned(),
        ]);
        if !is_same {
            println!("{table}");
            return Err("the two machines disagree".into());
        }
    }
    println!("{table}");
    Ok(())
}
