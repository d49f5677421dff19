//! The swarm of `swarm.c`, in Rust: the same arrays, the same arithmetic, the same order.

use std::time::{Duration, Instant};

use throng::{
    Broadphase, BroadphaseConfig, CategoryConfig, CategoryId, Narrowphase, PairBatch, Proxy,
    RowOrder,
};

const RADIUS: f32 = 0.5;
/// Twice this many marbles on the area of one box: about one pair each.
const MARBLES_PER_AREA: f32 = 0.5;
const FASTEST: f32 = 0.2;

type Failure = Box<dyn std::error::Error>;

/// Two marbles that touch: how deep, and in which direction the second is from the first.
pub struct Contact {
    a: u32,
    b: u32,
    normal: [f32; 2],
    depth: f32,
}

/// The engine's own arrays, by row of the world.
#[derive(Default)]
struct Marbles {
    xs: Vec<f32>,
    ys: Vec<f32>,
    speeds_x: Vec<f32>,
    speeds_y: Vec<f32>,
}

impl Narrowphase for Marbles {
    type Scratch = ();
    type Output = Vec<Contact>;

    /// Gets marbles whose boxes overlap, on any thread, and keeps those that touch.
    fn collide(&self, batch: PairBatch<'_>, _: &mut (), contacts: &mut Vec<Contact>) {
        for &[a, b] in batch.pairs() {
            let [i, j] = [a as usize, b as usize];
            let [dx, dy] = [self.xs[j] - self.xs[i], self.ys[j] - self.ys[i]];
            let squared = dx * dx + dy * dy;
            if squared < 4.0 * RADIUS * RADIUS && squared > 0.0 {
                let distance = squared.sqrt();
                contacts.push(Contact {
                    a,
                    b,
                    normal: [dx / distance, dy / distance],
                    depth: 2.0 * RADIUS - distance,
                });
            }
        }
    }
}

impl Marbles {
    /// Pushes two marbles apart, and swaps what they have of speed along the line between them.
    fn resolve(&mut self, contact: &Contact) {
        let [i, j] = [contact.a as usize, contact.b as usize];
        let ([x, y], push) = (contact.normal, contact.depth / 2.0);
        self.xs[i] -= x * push;
        self.ys[i] -= y * push;
        self.xs[j] += x * push;
        self.ys[j] += y * push;
        let closing =
            (self.speeds_x[i] - self.speeds_x[j]) * x + (self.speeds_y[i] - self.speeds_y[j]) * y;
        if closing > 0.0 {
            self.speeds_x[i] -= closing * x;
            self.speeds_y[i] -= closing * y;
            self.speeds_x[j] += closing * x;
            self.speeds_y[j] += closing * y;
        }
    }
}

/// Of the last frame.
pub struct Frame {
    pub contacts: usize,
    pub step: Duration,
}

/// A swarm of marbles in a box, with throng's broadphase under it.
pub struct Swarm {
    world: Broadphase,
    category: CategoryId,
    side: f32,
    marbles: Marbles,
    spare: Vec<f32>,
    /// Of all contacts so far, in their order.
    pub hash: u64,
}

impl Swarm {
    /// A swarm of so many marbles, which the seed throws.
    pub fn new(count: usize, mut seed: u64) -> Result<Self, Failure> {
        let config = BroadphaseConfig::new().category(CategoryConfig::uniform("marbles", RADIUS));
        let mut world = Broadphase::new(config)?;
        let category = world.category("marbles").ok_or("it is in the config")?;
        let side = (count as f32 / MARBLES_PER_AREA).sqrt();
        let mut marbles = Marbles::default();
        let mut proxies = Vec::with_capacity(count);
        for i in 0..count {
            marbles.xs.push(random_between(&mut seed, 0.0, side));
            marbles.ys.push(random_between(&mut seed, 0.0, side));
            let mut speed = || random_between(&mut seed, -FASTEST, FASTEST);
            marbles.speeds_x.push(speed());
            marbles.speeds_y.push(speed());
            proxies.push(Proxy::centered(
                [marbles.xs[i], marbles.ys[i]],
                [RADIUS; 2],
            )?);
        }
        if let Some((_, error)) = world.insert_batch(proxies).refused.into_iter().next() {
            return Err(error.into());
        }
        Ok(Self {
            world,
            category,
            side,
            marbles,
            spare: Vec::new(),
            hash: 0,
        })
    }

    /// Moves everything, finds who touches whom, and pushes them apart.
    pub fn frame(&mut self) -> Result<Frame, Failure> {
        self.sort_if_due()?;
        let Self { world, marbles, .. } = self;
        move_along(&mut marbles.xs, &mut marbles.speeds_x, self.side);
        move_along(&mut marbles.ys, &mut marbles.speeds_y, self.side);

        let started = Instant::now();
        let mut centers = world.centers_mut(self.category)?;
        let _ = centers.fill_from(&marbles.xs, &marbles.ys)?;
        drop(centers);
        world.step(marbles);
        let step = started.elapsed();

        let mut contacts = 0;
        for chunk in world.last_outputs::<Vec<Contact>>() {
            for contact in chunk {
                marbles.resolve(contact);
                let pair = u64::from(contact.a) << 32 | u64::from(contact.b);
                self.hash = (self.hash ^ pair).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            }
            contacts += chunk.len();
        }
        Ok(Frame { contacts, step })
    }

    /// Now and then rows are put into the order of space, so that who meets is near each other in memory.
    fn sort_if_due(&mut self) -> Result<(), Failure> {
        if self.world.is_sort_due(self.category) {
            let sorted = self.world.sort_rows(self.category, RowOrder::Space)?;
            let Marbles {
                xs,
                ys,
                speeds_x,
                speeds_y,
            } = &mut self.marbles;
            for column in [xs, ys, speeds_x, speeds_y] {
                sorted.apply(column, &mut self.spare)?;
            }
        }
        Ok(())
    }
}

fn move_along(places: &mut [f32], speeds: &mut [f32], side: f32) {
    for (place, speed) in places.iter_mut().zip(speeds) {
        *place += *speed;
        if *place < 0.0 || *place > side {
            *speed = -*speed;
            *place = if *place < 0.0 { 0.0 } else { side };
        }
    }
}

/// Vigna's splitmix64 (2015), from `low` to `high`.
fn random_between(state: &mut u64, low: f32, high: f32) -> f32 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut bits = *state;
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    low + (high - low) * (((bits ^ (bits >> 31)) >> 40) as f32 / 16_777_216.0)
}
