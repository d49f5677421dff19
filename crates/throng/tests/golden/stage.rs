//! A world in which everything moves, and some of it comes, goes and changes now and then.

use throng::{
    Aabb, Broadphase, BroadphaseConfig, CategoryKind, CollectPairs, Executor, Masks, Placement,
    Proxy, ProxyId,
};

use crate::dice::Dice;
use crate::digest::{Digest, Digests, Piece};

/// Distances of which everything that lies on the lattice is a multiple: such things touch exactly, and have equal
/// coordinates.
const LATTICE: f32 = 0.125;

/// Masks change from here on only, so that before it categories without masks are searched as such.
const MASKS_CHANGE_FROM: u32 = 100;

/// From here to there everything is in a quarter of the room: what was planned for one density does for neither.
const GATHER: u32 = 120;
const SPREAD: u32 = 140;

/// One of four groups, of which each meets itself, the next, and whatever is in no group.
pub fn group(index: usize) -> Masks {
    let memberships = 1 << (index % 4);
    Masks::new(
        memberships,
        !0b1111 | memberships | 1 << ((index + 1) % 4) | 1 << ((index + 3) % 4),
    )
}

/// What the stage is told of a proxy, and what it remembers of it.
#[derive(Clone, Copy)]
pub struct Body {
    pub center: [f32; 2],
    pub half_extents: [f32; 2],
    pub masks: Masks,
    pub is_fixed: bool,
    /// To where it is put by name; otherwise it goes by size.
    pub category: Option<&'static str>,
    pub velocity: [f32; 2],
    /// While it is in the world.
    pub id: Option<ProxyId>,
}

impl Body {
    pub fn new(center: [f32; 2], half_extents: [f32; 2]) -> Self {
        Self {
            center,
            half_extents,
            masks: Masks::ALL,
            is_fixed: false,
            category: None,
            velocity: [0.0; 2],
            id: None,
        }
    }
}

/// See the module.
pub struct Stage {
    pub world: Broadphase,
    /// By key less one. Those that are gone have no id.
    pub bodies: Vec<Body>,
    /// From the origin to here.
    pub size: [f32; 2],
    /// Half extents that something may be resized to.
    sizes: Vec<[f32; 2]>,
    dice: Dice,
    frame: u32,
    xs: Vec<f32>,
    ys: Vec<f32>,
}

impl Stage {
    pub fn new(
        config: BroadphaseConfig,
        size: [f32; 2],
        sizes: Vec<[f32; 2]>,
        bodies: Vec<Body>,
        seed: u64,
    ) -> Self {
        let mut stage = Self {
            world: Broadphase::new(config.world_tag(0)).unwrap(),
            bodies: Vec::new(),
            size,
            sizes,
            dice: Dice::new(seed),
            frame: 0,
            xs: Vec::new(),
            ys: Vec::new(),
        };
        bodies.into_iter().for_each(|body| stage.insert(body));
        stage
    }

    /// Takes in a body, every third on the lattice.
    fn insert(&mut self, mut body: Body) {
        let speed = self.size[0] * 1e-3;
        body.velocity = [0; 2].map(|_| self.dice.between(-speed, speed));
        if self.bodies.len().is_multiple_of(3) && !body.is_fixed {
            let snap = |v: f32| (v / LATTICE).trunc() * LATTICE;
            body.center = body.center.map(snap);
            body.velocity = body.velocity.map(snap);
        }
        let proxy = if body.is_fixed {
            Proxy::fixed(Aabb::from_center(body.center, body.half_extents).unwrap())
        } else {
            Proxy::centered(body.center, body.half_extents).unwrap()
        };
        let mut proxy = proxy.key(self.bodies.len() as u64 + 1).masks(body.masks);
        if let Some(name) = body.category {
            proxy = proxy.in_category(self.world.category(name).expect("as configured"));
        }
        body.id = Some(self.world.insert(proxy).unwrap());
        self.bodies.push(body);
    }

    /// Everything that happens before a frame's step.
    pub fn play(&mut self, digests: &mut Digests) {
        self.frame += 1;
        let digest = digests.of(Piece::Operations);
        if self.frame.is_multiple_of(4) {
            for _ in 0..3 + self.bodies.len() / 1000 {
                self.event(digest);
            }
        }
        match self.frame {
            GATHER => self.scale(0.5),
            SPREAD => self.scale(2.0),
            _ => {}
        }
        self.advance(digest);
        self.write_centers(digest);
    }

    /// Everybody moves towards the origin, or away from it.
    fn scale(&mut self, by: f32) {
        for body in self.bodies.iter_mut().filter(|body| !body.is_fixed) {
            body.center = body.center.map(|v| v * by);
        }
    }

    fn advance(&mut self, digest: &mut Digest) {
        let moving = self.bodies.iter_mut().filter(|body| !body.is_fixed);
        for body in moving {
            for (axis, end) in self.size.into_iter().enumerate() {
                let (at, speed) = (&mut body.center[axis], &mut body.velocity[axis]);
                *at += *speed;
                if *at < 0.0 {
                    *speed = speed.abs();
                } else if *at > end {
                    *speed = -speed.abs();
                }
            }
            digest.point(body.center);
        }
    }

    /// As an engine does it, column by column; now and then there is a row that is nowhere.
    fn write_centers(&mut self, digest: &mut Digest) {
        for category in self.world.categories() {
            if self.world.config().categories[category.index()].kind == CategoryKind::Scenery {
                continue;
            }
            let keys = self.world.keys(category).unwrap_or(&[]);
            let centers = keys.iter().map(|&key| self.bodies[key as usize - 1].center);
            self.xs.clear();
            self.ys.clear();
            for [x, y] in centers {
                self.xs.push(x);
                self.ys.push(y);
            }
            if self.frame % 40 == 7 && !self.xs.is_empty() {
                let row = self.frame as usize * 31 % self.xs.len();
                self.xs[row] = f32::NAN;
            }
            let mut columns = self.world.centers_mut(category).unwrap();
            let fill = columns.fill_from(&self.xs, &self.ys).unwrap();
            digest.words(self.xs.len() as u32, fill.rejected as u32);
        }
    }

    /// Something happens to somebody, and what the world says of it is hashed.
    fn event(&mut self, digest: &mut Digest) {
        let dice = &mut self.dice;
        let index = dice.below(self.bodies.len());
        let kind = dice.below(10);
        let body = &mut self.bodies[index];
        let Some(id) = body.id else {
            return;
        };
        // Scenery is packed in some frames only.
        if body.is_fixed && !self.frame.is_multiple_of(20) {
            return;
        }
        digest.words(index as u32, kind as u32);
        digest.count();
        match kind {
            0 => {
                let removed = self.world.remove(id).unwrap();
                body.id = None;
                digest.long(removed.key);
                digest.words(removed.category.index() as u32, removed.row);
                digest.long(removed.swapped_in.map_or(0, ProxyId::to_bits));
            }
            1 => {
                let mut new = Body::new(dice.place(self.size), body.half_extents);
                new.is_fixed = body.is_fixed;
                new.category = body.category;
                new.masks = body.masks;
                self.insert(new);
                let id = self.bodies.last().and_then(|body| body.id);
                digest.long(id.map_or(0, ProxyId::to_bits));
            }
            2 | 3 => {
                let mut aabb = Aabb::from_center(body.center, dice.of(&self.sizes)).unwrap();
                if self.has_oversized() && self.dice.one_in(8) {
                    aabb = self.endless(&aabb);
                }
                self.resize(index, id, aabb, digest);
            }
            4 | 5 => {
                let categories = self.world.categories().len();
                let named = (kind == 4).then(|| dice.below(categories));
                let named = named.map(|index| self.world.categories().nth(index).unwrap());
                let moves = named.is_none_or(|category| {
                    let kind = self.world.config().categories[category.index()].kind;
                    (kind == CategoryKind::Scenery) == body.is_fixed
                });
                if moves {
                    let change = self.world.set_category(id, named).ok();
                    take_change(digest, change);
                }
            }
            6 => self.world.set_enabled(id, false).unwrap(),
            7 => {
                // Whoever was disabled some events ago, as a rule.
                for body in &self.bodies[index..self.bodies.len().min(index + 200)] {
                    if let Some(id) = body.id.filter(|_| !body.is_fixed) {
                        self.world.set_enabled(id, true).unwrap();
                    }
                }
            }
            8 if self.frame >= MASKS_CHANGE_FROM => {
                let masks = dice.of(&[Masks::ALL, Masks::NONE, group(index), group(index + 1)]);
                body.masks = masks;
                self.world.set_masks(id, masks).unwrap();
            }
            _ => {
                // So far away that cells cannot be told apart, or to anywhere.
                body.center = if dice.one_in(20) {
                    [1e9, -3e8]
                } else {
                    dice.place(self.size)
                };
                self.world.set_center(id, body.center).unwrap();
            }
        }
        if let Some(place) = self.world.locate(id) {
            digest.row(place);
        }
    }

    fn resize(&mut self, index: usize, id: ProxyId, aabb: Aabb, digest: &mut Digest) {
        // Refused where it was put by name and is too large.
        let change = self.world.set_aabb(id, aabb).ok();
        take_change(digest, change);
        let view = self.world.get(id).unwrap();
        self.bodies[index].center = view.center;
        digest.point(view.aabb.min());
        digest.point(view.aabb.max());
    }

    /// The box without one of its sides, or without two.
    fn endless(&mut self, aabb: &Aabb) -> Aabb {
        let (mut min, mut max) = (aabb.min(), aabb.max());
        let axis = self.dice.below(2);
        match self.dice.below(3) {
            0 => min[axis] = f32::NEG_INFINITY,
            1 => max[axis] = f32::INFINITY,
            _ => (min[axis], max[axis]) = (f32::NEG_INFINITY, f32::INFINITY),
        }
        Aabb::new(min, max).unwrap()
    }

    fn has_oversized(&self) -> bool {
        let mut categories = self.world.config().categories.iter();
        categories.any(|category| category.kind == CategoryKind::Oversized)
    }

    /// A step, whose pairs are hashed in their order.
    pub fn step(&mut self, executor: &dyn Executor, digests: &mut Digests) {
        let step = self.world.step_on(executor, &CollectPairs);
        let digest = digests.of(Piece::Pairs);
        for list in step.outputs() {
            if let Some(categories) = list.categories() {
                let categories = categories.map(|category| category.index());
                let pairs = list.pairs().iter();
                pairs.for_each(|&pair| digest.pair(categories, pair));
            }
        }
    }
}

fn take_change(digest: &mut Digest, change: Option<Placement>) {
    match change {
        None => digest.words(0, 0),
        Some(Placement::Stayed) => digest.words(0, 1),
        Some(Placement::Migrated(migration)) => {
            digest.row(migration.from);
            digest.row(migration.to);
            digest.long(migration.swapped_in.map_or(0, ProxyId::to_bits));
        }
    }
}
