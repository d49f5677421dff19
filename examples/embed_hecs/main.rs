//! A small engine over the entities of hecs: a pond in which the bigger swallows the smaller.
//!
//! ```sh
//! cargo run --release --example embed_hecs
//! ```
//!
//! Fish are spawned, move, meet, grow and are despawned; a mouse picks one. The pairs that touch and what is under the
//! mouse are compared in every frame with a search of all fish.
//! `--headless` changes nothing: there is no window.

use std::error::Error;
use std::ops::ControlFlow;

use hecs::{Entity, View, World};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use throng::{
    Aabb, Broadphase, BroadphaseConfig, CategoryConfig, Narrowphase, PairBatch, Placement, Proxy,
    ProxyId,
};

const POND: f32 = 60.0;
const SMALLEST: f32 = 0.2;
const LARGEST: f32 = 3.0;
const FISH: usize = 800;
const FRAMES: usize = 60;
const SECONDS_A_FRAME: f32 = 1.0 / 30.0;

#[derive(Clone, Copy)]
struct Position([f32; 2]);
#[derive(Clone, Copy)]
struct Velocity([f32; 2]);
#[derive(Clone, Copy)]
struct Radius(f32);
/// Where an entity is in the broadphase. The way back is the proxy's key, which is the entity.
#[derive(Clone, Copy)]
struct ProxyHandle(ProxyId);

fn main() -> Result<(), Box<dyn Error>> {
    let mut pond = Pond::new()?;
    let mut random = Pcg64Mcg::seed_from_u64(11);
    let (mut meals, mut migrations, mut picked) = (0, 0, 0);
    for _ in 0..FISH {
        pond.spawn_anywhere(&mut random)?;
    }
    for frame in 0..FRAMES {
        pond.swim()?;

        let touching = pond.find_touching();
        assert_eq!(in_order(touching.clone()), in_order(pond.search_touching()));

        let mouse = [0, 1].map(|_| random.random_range(0.0..POND));
        let under_mouse = pond.pick(mouse)?;
        assert_eq!(under_mouse, pond.search_under(mouse));
        picked += usize::from(under_mouse.is_some());

        for [a, b] in touching {
            if let Some(change) = pond.meet(a, b)? {
                meals += 1;
                migrations += usize::from(matches!(change, Placement::Migrated(_)));
                pond.spawn_anywhere(&mut random)?;
            }
        }
        if frame % 10 == 9 {
            let big = pond
                .space
                .category("big")
                .map_or(0, |big| pond.space.rows(big));
            println!(
                "frame {frame:>2}: {meals:>3} were swallowed so far, {migrations:>3} changed category, {big:>2} are big, {picked:>2} were picked"
            );
        }
    }
    assert_eq!(
        (pond.entities.len() as usize, pond.space.len()),
        (FISH, FISH)
    );
    assert!(
        meals > 0 && migrations > 0 && picked > 0,
        "everything was put to the test"
    );
    Ok(())
}

struct Pond {
    entities: World,
    space: Broadphase,
}

impl Pond {
    fn new() -> Result<Self, Box<dyn Error>> {
        let config = BroadphaseConfig::new()
            .category(CategoryConfig::uniform("small", 1.0))
            .category(CategoryConfig::oversized("big"));
        Ok(Self {
            entities: World::new(),
            space: Broadphase::new(config)?,
        })
    }

    fn spawn(
        &mut self,
        position: [f32; 2],
        velocity: [f32; 2],
        radius: f32,
    ) -> Result<Entity, Box<dyn Error>> {
        let entity = self.entities.reserve_entity();
        let proxy = Proxy::centered(position, [radius; 2])?.key(entity.to_bits().get());
        let handle = ProxyHandle(self.space.insert(proxy)?);
        let components = (
            Position(position),
            Velocity(velocity),
            Radius(radius),
            handle,
        );
        self.entities.insert(entity, components)?;
        Ok(entity)
    }

    fn despawn(&mut self, entity: Entity) -> Result<(), Box<dyn Error>> {
        let ProxyHandle(id) = *self.entities.get::<&ProxyHandle>(entity)?;
        self.space.remove(id)?;
        self.entities.despawn(entity)?;
        Ok(())
    }

    /// Moves everything, and tells the broadphase where it went.
    fn swim(&mut self) -> Result<(), Box<dyn Error>> {
        let fish = self
            .entities
            .query_mut::<(&mut Position, &mut Velocity, &ProxyHandle)>();
        for (Position(position), Velocity(velocity), ProxyHandle(id)) in fish {
            for axis in [0, 1] {
                position[axis] += velocity[axis] * SECONDS_A_FRAME;
                if !(0.0..=POND).contains(&position[axis]) {
                    position[axis] = position[axis].clamp(0.0, POND);
                    velocity[axis] = -velocity[axis];
                }
            }
            self.space.set_center(*id, *position)?;
        }
        Ok(())
    }

    /// One step of the broadphase: who touches whom.
    fn find_touching(&mut self) -> Vec<[Entity; 2]> {
        let circles = Circles(self.entities.view_mut());
        let step = self.space.step(&circles);
        step.outputs().flatten().copied().collect()
    }

    /// The fish under the mouse: the broadphase knows the boxes there, their circles are asked for the rest. If there are
    /// several, the one whose middle is nearest.
    fn pick(&self, mouse: [f32; 2]) -> Result<Option<Entity>, Box<dyn Error>> {
        let mut nearest = None;
        let _ = self.space.query().query_point(mouse, |hit| {
            let key = self.space.get(hit.id).map_or(0, |proxy| proxy.key);
            if let Some(entity) = Entity::from_bits(key) {
                nearest = self.nearer(mouse, entity, nearest);
            }
            ControlFlow::<()>::Continue(())
        })?;
        Ok(nearest.map(|(_, entity)| entity))
    }

    fn nearer(
        &self,
        mouse: [f32; 2],
        entity: Entity,
        best: Option<(f32, Entity)>,
    ) -> Option<(f32, Entity)> {
        let mut query = self.entities.query_one::<(&Position, &Radius)>(entity);
        let (&Position(position), &Radius(radius)) = query.get().ok()?;
        let away = distance(position, mouse);
        let better = away <= radius && best.is_none_or(|(least, _)| away < least);
        if better { Some((away, entity)) } else { best }
    }

    /// What becomes of two that touch: the bigger swallows the smaller if it is a good deal bigger, and grows. `None` if
    /// not, or if one of them has been swallowed already.
    fn meet(&mut self, a: Entity, b: Entity) -> Result<Option<Placement>, Box<dyn Error>> {
        let radius = |entity| self.entities.get::<&Radius>(entity).map(|radius| radius.0);
        let (Ok(radius_a), Ok(radius_b)) = (radius(a), radius(b)) else {
            return Ok(None);
        };
        let (eater, eaten) = if radius_a > radius_b { (a, b) } else { (b, a) };
        if radius_a.max(radius_b) < 1.3 * radius_a.min(radius_b) {
            return Ok(None);
        }
        self.despawn(eaten)?;
        // It gets the area of both, or is a small fish again.
        let grown = radius_a.hypot(radius_b);
        let radius = if grown > LARGEST { SMALLEST } else { grown };
        self.resize(eater, radius).map(Some)
    }

    fn resize(&mut self, entity: Entity, radius: f32) -> Result<Placement, Box<dyn Error>> {
        let fish = self
            .entities
            .query_one_mut::<(&Position, &mut Radius, &ProxyHandle)>(entity)?;
        let (&Position(position), old, &ProxyHandle(id)) = fish;
        *old = Radius(radius);
        Ok(self
            .space
            .set_aabb(id, Aabb::from_center(position, [radius; 2])?)?)
    }

    fn spawn_anywhere(&mut self, random: &mut Pcg64Mcg) -> Result<Entity, Box<dyn Error>> {
        let position = [0, 1].map(|_| random.random_range(0.0..POND));
        let velocity = [0, 1].map(|_| random.random_range(-5.0..5.0));
        self.spawn(position, velocity, random.random_range(SMALLEST..0.6))
    }
}

/// The exact test: circles, whose components are looked up by entity. A view looks up without a lock on any thread.
struct Circles<'w>(View<'w, (&'w Position, &'w Radius)>);

impl Narrowphase for Circles<'_> {
    type Scratch = ();
    type Output = Vec<[Entity; 2]>;

    fn collide(&self, batch: PairBatch<'_>, _: &mut (), touching: &mut Vec<[Entity; 2]>) {
        for &rows in batch.pairs() {
            let [a, b] = batch.keys(rows).map(Entity::from_bits);
            if let (Some(a), Some(b)) = (a, b)
                && let (Some(circle_a), Some(circle_b)) = (self.0.get(a), self.0.get(b))
                && touch(circle_a, circle_b)
            {
                touching.push([a, b]);
            }
        }
    }
}

fn touch(a: (&Position, &Radius), b: (&Position, &Radius)) -> bool {
    distance(a.0.0, b.0.0) <= a.1.0 + b.1.0
}

fn distance(a: [f32; 2], b: [f32; 2]) -> f32 {
    (a[0] - b[0]).hypot(a[1] - b[1])
}

/// What the broadphase is checked against.
impl Pond {
    fn search_touching(&self) -> Vec<[Entity; 2]> {
        let mut query = self.entities.query::<(Entity, &Position, &Radius)>();
        let fish: Vec<_> = query.iter().collect();
        let mut touching = Vec::new();
        for (place, &(a, position_a, radius_a)) in fish.iter().enumerate() {
            for &(b, position_b, radius_b) in &fish[..place] {
                if touch((position_a, radius_a), (position_b, radius_b)) {
                    touching.push([a, b]);
                }
            }
        }
        touching
    }

    fn search_under(&self, mouse: [f32; 2]) -> Option<Entity> {
        let mut nearest = None;
        for entity in self.entities.iter() {
            nearest = self.nearer(mouse, entity.entity(), nearest);
        }
        nearest.map(|(_, entity)| entity)
    }
}

fn in_order(mut pairs: Vec<[Entity; 2]>) -> Vec<[Entity; 2]> {
    pairs.iter_mut().for_each(|pair| pair.sort_unstable());
    pairs.sort_unstable();
    pairs
}
