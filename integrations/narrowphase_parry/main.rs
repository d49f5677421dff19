//! Exact contacts: the broadphase finds the boxes that overlap, parry the shapes that touch.
//!
//! ```sh
//! cargo run --release --manifest-path integrations/narrowphase_parry/Cargo.toml --example narrowphase_parry
//! ```
//!
//! Balls, crates and rocks lie in a walled yard, many on top of others, and push each other away until they hardly
//! overlap. Now and then the contacts are compared with those of every body against every other.
//! `--headless` changes nothing: there is no window.

use std::error::Error;
use std::f32::consts::TAU;

use parry2d::math::{Pose, Rotation, Vector};
use parry2d::query::details::ContactManifoldsWorkspace;
use parry2d::query::{
    ContactManifold, DefaultQueryDispatcher, PersistentQueryDispatcher, Unsupported,
};
use parry2d::shape::{Ball, ConvexPolygon, Cuboid, Shape};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use throng::{
    Aabb, AabbError, Broadphase, BroadphaseConfig, CategoryConfig, CategoryId, Narrowphase,
    PairBatch, Proxy, RowRef,
};

const BALLS: CategoryId = CategoryId::new(0);
const CRATES: CategoryId = CategoryId::new(1);
const ROCKS: CategoryId = CategoryId::new(2);
const WALLS: CategoryId = CategoryId::new(3);

const BALL_RADIUS: f32 = 0.5;
const CRATE_HALF_WIDTH: f32 = 0.7;
/// From the middle of the yard to its walls.
const YARD: f32 = 12.0;
const FRAMES: usize = 121;

/// How much larger boxes are than shapes: parry computes both, and rounds them differently.
const MARGIN: f32 = 0.01;

fn main() -> Result<(), Box<dyn Error>> {
    // A crate turns, but never leaves the circle around it: its category needs a bound, and no boxes.
    let crate_reach = CRATE_HALF_WIDTH.hypot(CRATE_HALF_WIDTH);
    let config = BroadphaseConfig::new()
        .category(CategoryConfig::uniform("balls", BALL_RADIUS + MARGIN).coarse())
        .category(CategoryConfig::uniform("crates", crate_reach + MARGIN).coarse())
        .category(CategoryConfig::oversized("rocks"))
        .category(CategoryConfig::scenery("walls"));
    let mut world = Broadphase::new(config)?;
    let mut yard = Yard::new(&mut world)?;

    let mut depths = Vec::new();
    for frame in 0..FRAMES {
        yard.write_to(&mut world)?;
        let step = world.step(&yard);
        let found: Vec<&Touching> = step.outputs().collect();
        let contacts: Vec<Contact> = found.iter().flat_map(|(list, _)| list).copied().collect();
        assert!(found.iter().all(|(_, unsupported)| *unsupported == 0));
        depths.push(contacts.iter().map(|contact| contact.depth).sum::<f32>());

        if frame % 20 == 0 {
            println!(
                "frame {frame:>3}: {:>4} pairs of boxes overlap, shapes touch in {:>3} points, {:>6.2} deep in all",
                step.report().pairs,
                contacts.len(),
                depths[frame],
            );
            assert_eq!(in_order(contacts.clone()), in_order(yard.all_contacts()?));
        }
        yard.push_apart(&contacts);
    }
    let [first, last] = [depths[0], depths[FRAMES - 1]];
    assert!(
        last < first / 10.0,
        "{first} deep at first and {last} in the end"
    );
    Ok(())
}

/// What is kept of a chunk: contacts, and how many pairs parry had no test for.
type Touching = (Vec<Contact>, u32);

/// Where two shapes touch, in the coordinates of the world.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Contact {
    bodies: [RowRef; 2],
    /// On the surface of the first.
    point: Vector,
    /// From the first to the second.
    normal: Vector,
    depth: f32,
}

/// The game's bodies, category by category: shapes in an array of their own kind, everything else in rows.
struct Yard {
    balls: Vec<Ball>,
    crates: Vec<Cuboid>,
    rocks: Vec<ConvexPolygon>,
    walls: Vec<Cuboid>,
    poses: [Vec<Pose>; 4],
    inertia: [Vec<InverseInertia>; 4],
}

/// How easily a body is moved and turned; a wall is not.
#[derive(Clone, Copy, Default)]
struct InverseInertia {
    mass: f32,
    angular: f32,
}

/// What parry writes to. Emptied before each pair, so that no result depends on the pair before.
#[derive(Default)]
struct Scratch {
    manifolds: Vec<ContactManifold<(), ()>>,
    workspace: Option<ContactManifoldsWorkspace>,
}

impl Narrowphase for Yard {
    type Scratch = Scratch;
    type Output = Touching;

    fn collide(&self, batch: PairBatch<'_>, scratch: &mut Scratch, output: &mut Touching) {
        let (contacts, unsupported) = output;
        let categories = batch.categories();
        for &rows in batch.pairs() {
            let bodies = [0, 1].map(|side| RowRef {
                category: categories[side],
                row: rows[side],
            });
            if self.touch(bodies, scratch, contacts).is_err() {
                *unsupported += 1;
            }
        }
    }
}

impl Yard {
    /// The exact test of one pair.
    fn touch(
        &self,
        bodies: [RowRef; 2],
        scratch: &mut Scratch,
        contacts: &mut Vec<Contact>,
    ) -> Result<(), Unsupported> {
        let [a, b] = bodies.map(|body| self.pose(body));
        scratch.manifolds.clear();
        scratch.workspace = None;
        DefaultQueryDispatcher.contact_manifolds(
            &a.inv_mul(&b),
            self.shape(bodies[0]),
            self.shape(bodies[1]),
            0.0,
            &mut scratch.manifolds,
            &mut scratch.workspace,
        )?;
        for manifold in &scratch.manifolds {
            let touching = manifold.contacts().iter().filter(|point| point.dist <= 0.0);
            contacts.extend(touching.map(|point| Contact {
                bodies,
                point: a * point.local_p1,
                normal: a.rotation * manifold.local_n1,
                depth: -point.dist,
            }));
        }
        Ok(())
    }

    fn shape(&self, body: RowRef) -> &dyn Shape {
        let row = body.row as usize;
        match body.category {
            BALLS => &self.balls[row],
            CRATES => &self.crates[row],
            ROCKS => &self.rocks[row],
            _ => &self.walls[row],
        }
    }

    fn pose(&self, body: RowRef) -> Pose {
        self.poses[body.category.index()][body.row as usize]
    }

    /// Tells the broadphase where everything is.
    fn write_to(&self, world: &mut Broadphase) -> Result<(), Box<dyn Error>> {
        for category in [BALLS, CRATES] {
            let poses = &self.poses[category.index()];
            let fill = world
                .centers_mut(category)?
                .fill_with(|row| poses[row as usize].translation);
            if let Some(row) = fill.first_rejected {
                return Err(format!("row {row} of {category:?} is nowhere").into());
            }
        }
        // Rocks turn, and each is its own box.
        let poses = &self.poses[ROCKS.index()];
        let fill = world.aabbs_mut(ROCKS)?.fill_with(|row| {
            let row = row as usize;
            box_of(&self.rocks[row], &poses[row])
        });
        match fill.refused.into_iter().next() {
            Some((_, problem)) => Err(problem.into()),
            None => Ok(()),
        }
    }

    /// Pushes and turns the bodies of each contact until they are less deep in each other: the positional correction of
    /// Müller et al., "Detailed Rigid Body Simulation with Extended Position Based Dynamics" (2020), in part, since
    /// bodies have many contacts.
    fn push_apart(&mut self, contacts: &[Contact]) {
        const PART: f32 = 0.4;
        for contact in contacts {
            let levers = contact.bodies.map(|body| {
                let arm = contact.point - self.pose(body).translation;
                (
                    self.inertia[body.category.index()][body.row as usize],
                    arm.perp_dot(contact.normal),
                )
            });
            let give =
                levers.map(|(inverse, lever)| inverse.mass + lever * lever * inverse.angular);
            let push = PART * contact.depth / (give[0] + give[1]);
            for (side, push) in [-push, push].into_iter().enumerate() {
                let (body, (inverse, lever)) = (contact.bodies[side], levers[side]);
                let pose = &mut self.poses[body.category.index()][body.row as usize];
                pose.translation += contact.normal * (push * inverse.mass);
                let turned = Rotation::new(push * lever * inverse.angular) * pose.rotation;
                pose.rotation = turned.normalize();
            }
        }
    }

    /// The contacts of every body with every other, found without a broadphase.
    fn all_contacts(&self) -> Result<Vec<Contact>, Unsupported> {
        let bodies: Vec<RowRef> = [BALLS, CRATES, ROCKS, WALLS]
            .into_iter()
            .flat_map(|category| {
                let rows = 0..self.poses[category.index()].len() as u32;
                rows.map(move |row| RowRef { category, row })
            })
            .collect();
        let (mut scratch, mut contacts) = (Scratch::default(), Vec::new());
        for (place, &a) in bodies.iter().enumerate() {
            let others = bodies[place + 1..].iter();
            for &b in others.filter(|b| (a.category, b.category) != (WALLS, WALLS)) {
                self.touch([a, b], &mut scratch, &mut contacts)?;
            }
        }
        Ok(contacts)
    }

    fn new(world: &mut Broadphase) -> Result<Self, Box<dyn Error>> {
        let mut yard = Self {
            balls: Vec::new(),
            crates: Vec::new(),
            rocks: Vec::new(),
            walls: Vec::new(),
            poses: Default::default(),
            inertia: Default::default(),
        };
        let mut random = Pcg64Mcg::seed_from_u64(4);
        for _ in 0..200 {
            let ball = Ball::new(random.random_range(0.2..BALL_RADIUS));
            yard.add(BALLS, &ball, anywhere(&mut random), world)?;
            yard.balls.push(ball);
        }
        for _ in 0..100 {
            let [x, y] = [0, 1].map(|_| random.random_range(0.2..CRATE_HALF_WIDTH));
            let cuboid = Cuboid::new(Vector::new(x, y));
            yard.add(CRATES, &cuboid, anywhere(&mut random), world)?;
            yard.crates.push(cuboid);
        }
        for _ in 0..15 {
            let rock = rock(&mut random).ok_or("points of an ellipse have a hull")?;
            yard.add(ROCKS, &rock, anywhere(&mut random), world)?;
            yard.rocks.push(rock);
        }
        for towards in [Vector::X, Vector::Y, Vector::NEG_X, Vector::NEG_Y] {
            let along = towards.perp().abs();
            let wall = Cuboid::new(towards.abs() * 2.0 + along * (YARD + 4.0));
            yard.add(
                WALLS,
                &wall,
                Pose::from_translation(towards * (YARD + 2.0)),
                world,
            )?;
            yard.walls.push(wall);
        }
        Ok(yard)
    }

    /// A body's pose and inertia in a new last row, and its proxy, which gets the same row.
    fn add(
        &mut self,
        category: CategoryId,
        shape: &dyn Shape,
        pose: Pose,
        world: &mut Broadphase,
    ) -> Result<(), Box<dyn Error>> {
        let mass = shape.mass_properties(1.0);
        let fixed = category == WALLS;
        self.poses[category.index()].push(pose);
        self.inertia[category.index()].push(match fixed {
            true => InverseInertia::default(),
            false => InverseInertia {
                mass: mass.inv_mass,
                angular: mass.inv_principal_inertia,
            },
        });
        let aabb = box_of(shape, &pose)?;
        let proxy = if fixed {
            Proxy::fixed(aabb)
        } else {
            Proxy::moving(aabb)
        };
        // Named, a body stays in its category however it turns.
        world.insert(proxy.in_category(category))?;
        Ok(())
    }
}

fn box_of(shape: &dyn Shape, pose: &Pose) -> Result<Aabb, AabbError> {
    let aabb = shape.compute_aabb(pose);
    let margin = Vector::splat(MARGIN);
    Aabb::new(aabb.mins - margin, aabb.maxs + margin)
}

/// Turned any way, in the inner part of the yard.
fn anywhere(random: &mut Pcg64Mcg) -> Pose {
    let [x, y] = [0, 1].map(|_| random.random_range(-0.8 * YARD..0.8 * YARD));
    Pose::new(Vector::new(x, y), random.random_range(0.0..TAU))
}

/// Each point has one opposite, so that it turns about its middle.
fn rock(random: &mut Pcg64Mcg) -> Option<ConvexPolygon> {
    let axes = [0, 1].map(|_| random.random_range(0.8..2.5));
    let points: Vec<Vector> = (0..5)
        .map(|_| random.random_range(0.0..TAU))
        .map(|angle: f32| Vector::new(axes[0] * angle.cos(), axes[1] * angle.sin()))
        .flat_map(|point| [point, -point])
        .collect();
    ConvexPolygon::from_convex_hull(&points)
}

/// By bodies; the points of one pair stay as they came.
fn in_order(mut contacts: Vec<Contact>) -> Vec<Contact> {
    contacts.sort_by_key(|contact| contact.bodies);
    contacts
}
