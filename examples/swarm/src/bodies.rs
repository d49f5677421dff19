//! The state of the swarm: for each kind of unit, one column per quantity, in the row order of its
//! category, so that a row of the broadphase indexes these columns directly.

use throng::{
    Aabb, BroadphaseConfig, CategoryConfig, CategoryId, CategoryKind, PairMode, Permutation,
    PermutationError, ProxyId, Resting, Row,
};

use crate::{sizes::Sizes, sleep::Sleep};

/// The part of its category's bound that a unit fills: a bound is an upper bound, as in any engine.
const BODY_OF_BOUND: f32 = 0.9;
/// Radii per second at which the smallest kind travels.
const CRUISE: f32 = 12.0;
/// How much faster than the fastest agents the big travel.
const CRUISE_OF_BIG: f32 = 2.0;

/// What a kind is in the swarm, as its category is in the broadphase.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Role {
    /// Many, all of one size.
    Agents,
    /// Few, big, and of these sizes.
    Oversized(Sizes),
    /// Walls: nothing of it moves, and it has no bodies.
    Scenery,
}

/// One kind of unit: what all its bodies share, and a column for each thing in which they differ. Or the walls.
pub struct Kind {
    /// Its name, which is that of its category.
    pub name: String,
    /// Its category in the broadphase.
    pub category: CategoryId,
    /// The upper bound of its boxes, half of it.
    pub bound: [f32; 2],
    /// Whether pairs are found by the boxes of its circles, not by the bound.
    pub exact: bool,
    /// What it is.
    pub role: Role,
    /// The radius of its circles, or a typical one; 0 of scenery.
    pub radius: f32,
    /// One over the mass that goes with `radius`.
    inverse_mass: f32,
    /// The speed it travels at when nothing is in its way.
    pub cruise: f32,
    /// Its bodies.
    pub bodies: Bodies,
    /// Whether those of them that do not move come to rest in the broadphase.
    pub rests: bool,
    /// Who of them sleeps, unless all are awake.
    pub sleep: Option<Sleep>,
    /// Its walls, in the row order of its category.
    pub walls: Vec<Aabb>,
}

impl Kind {
    /// Whether its bodies are the many of one size.
    pub fn is_of_agents(&self) -> bool {
        self.role == Role::Agents
    }

    /// Whether its bodies are the big ones.
    pub fn is_oversized(&self) -> bool {
        matches!(self.role, Role::Oversized(_))
    }

    /// Whether it is made of walls.
    pub fn is_scenery(&self) -> bool {
        self.role == Role::Scenery
    }

    /// Whether a body sleeps.
    #[inline(always)]
    pub fn is_asleep(&self, row: usize) -> bool {
        self.sleep
            .as_ref()
            .is_some_and(|sleep| sleep.is_asleep(row))
    }

    /// To be called when rows were added, removed or sorted.
    pub fn rows_changed(&mut self) {
        if let Some(sleep) = &mut self.sleep {
            sleep.rows_changed();
        }
    }

    /// One over the mass of a body; mass goes with area, and who sleeps cannot be moved.
    #[inline(always)]
    pub fn inverse_mass(&self, row: usize) -> f32 {
        if self.is_asleep(row) {
            return 0.0;
        }
        match &self.bodies.radii {
            Radii::Same(_) => self.inverse_mass,
            Radii::Own(radii) => inverse_mass(radii[row]),
        }
    }
}

fn inverse_mass(radius: f32) -> f32 {
    1.0 / (radius * radius)
}

/// The radii of one kind's circles.
pub enum Radii {
    /// All have this one.
    Same(f32),
    /// One for each row.
    Own(Vec<f32>),
}

impl Radii {
    /// The radius of a row.
    #[inline(always)]
    pub fn of(&self, row: usize) -> f32 {
        match self {
            Self::Same(radius) => *radius,
            Self::Own(radii) => radii[row],
        }
    }

    /// The same, of nobody.
    pub fn empty(&self) -> Self {
        match self {
            Self::Same(radius) => Self::Same(*radius),
            Self::Own(_) => Self::Own(Vec::new()),
        }
    }
}

/// The columns of one kind; all of one length.
pub struct Bodies {
    /// Centres, first axis.
    pub xs: Vec<f32>,
    /// Centres, second axis.
    pub ys: Vec<f32>,
    /// Velocities, in units per second.
    pub velocities: Vec<[f32; 2]>,
    /// How hard each was hit lately, for drawing.
    pub glow: Vec<u8>,
    /// The broadphase's handle of each.
    pub ids: Vec<ProxyId>,
    /// How big they are.
    pub radii: Radii,
}

impl Bodies {
    /// Nobody yet.
    pub fn new(radii: Radii) -> Self {
        Self {
            xs: Vec::new(),
            ys: Vec::new(),
            velocities: Vec::new(),
            glow: Vec::new(),
            ids: Vec::new(),
            radii,
        }
    }

    /// How many bodies there are.
    pub fn len(&self) -> usize {
        self.xs.len()
    }

    /// Whether there is nobody.
    pub fn is_empty(&self) -> bool {
        self.xs.is_empty()
    }

    /// Adds a body at rest, in a new last row. Its radius counts where each has its own.
    pub fn push(&mut self, [x, y]: [f32; 2], radius: f32, id: ProxyId) {
        self.xs.push(x);
        self.ys.push(y);
        self.velocities.push([0.0; 2]);
        self.glow.push(0);
        self.ids.push(id);
        if let Radii::Own(radii) = &mut self.radii {
            radii.push(radius);
        }
    }

    /// Takes a row out and puts the last row in its place, as the broadphase does.
    pub fn swap_remove(&mut self, row: usize) {
        self.xs.swap_remove(row);
        self.ys.swap_remove(row);
        self.velocities.swap_remove(row);
        self.glow.swap_remove(row);
        self.ids.swap_remove(row);
        if let Radii::Own(radii) = &mut self.radii {
            radii.swap_remove(row);
        }
    }

    /// Lets a body lie still in a place.
    pub fn lay_down(&mut self, row: usize, [x, y]: [f32; 2]) {
        (self.xs[row], self.ys[row]) = (x, y);
        self.velocities[row] = [0.0; 2];
        self.glow[row] = 0;
    }

    /// Becomes a copy of some rows.
    pub fn gather(&mut self, all: &Self, rows: &[Row]) {
        fn copy<T: Copy>(to: &mut Vec<T>, from: &[T], rows: &[Row]) {
            to.clear();
            to.extend(rows.iter().map(|row| from[*row as usize]));
        }
        copy(&mut self.xs, &all.xs, rows);
        copy(&mut self.ys, &all.ys, rows);
        copy(&mut self.velocities, &all.velocities, rows);
        copy(&mut self.glow, &all.glow, rows);
        copy(&mut self.ids, &all.ids, rows);
        if let (Radii::Own(to), Radii::Own(from)) = (&mut self.radii, &all.radii) {
            copy(to, from, rows);
        }
    }

    /// Takes back what changes when bodies move, of some rows.
    pub fn scatter(&mut self, moved: &Self, rows: &[Row]) {
        for (from, row) in rows.iter().enumerate() {
            let row = *row as usize;
            (self.xs[row], self.ys[row]) = (moved.xs[from], moved.ys[from]);
            self.velocities[row] = moved.velocities[from];
            self.glow[row] = moved.glow[from];
        }
    }

    /// Puts all columns into the order into which the rows of the broadphase were sorted.
    pub fn follow(
        &mut self,
        sorted: &Permutation,
        spare: &mut Spare,
    ) -> Result<(), PermutationError> {
        sorted.apply(&mut self.xs, &mut spare.floats)?;
        sorted.apply(&mut self.ys, &mut spare.floats)?;
        sorted.apply(&mut self.velocities, &mut spare.pairs)?;
        sorted.apply(&mut self.glow, &mut spare.bytes)?;
        sorted.apply(&mut self.ids, &mut spare.ids)?;
        match &mut self.radii {
            Radii::Same(_) => Ok(()),
            Radii::Own(radii) => sorted.apply(radii, &mut spare.floats),
        }
    }
}

/// Arrays that columns are sorted into, one for each type: they take turns with the columns.
#[derive(Default)]
pub struct Spare {
    floats: Vec<f32>,
    pairs: Vec<[f32; 2]>,
    bytes: Vec<u8>,
    ids: Vec<ProxyId>,
}

/// How many there are of everything.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Agents.
    pub agents: usize,
    /// Oversized bodies.
    pub oversized: usize,
    /// Walls.
    pub walls: usize,
}

impl Counts {
    /// Counts these kinds.
    pub fn of(kinds: &[Kind]) -> Self {
        let mut counts = Self::default();
        for kind in kinds {
            match kind.role {
                Role::Agents => counts.agents += kind.bodies.len(),
                Role::Oversized(_) => counts.oversized += kind.bodies.len(),
                Role::Scenery => counts.walls += kind.walls.len(),
            }
        }
        counts
    }

    /// Everything that moves.
    pub fn bodies(&self) -> usize {
        self.agents + self.oversized
    }
}

/// The kinds of units that a configuration describes, in its order, without any bodies yet.
pub fn kinds(config: &BroadphaseConfig, sizes: Sizes) -> Vec<Kind> {
    let role = |category: &CategoryConfig| {
        let [x, y] = category.half_extents;
        match category.kind {
            CategoryKind::Scenery => Role::Scenery,
            CategoryKind::Oversized => Role::Oversized(sizes.within(x.min(y))),
            _ => Role::Agents,
        }
    };
    let radius = |category: &CategoryConfig| match role(category) {
        Role::Agents => BODY_OF_BOUND * category.half_extents[0].min(category.half_extents[1]),
        Role::Oversized(sizes) => sizes.typical(),
        Role::Scenery => 0.0,
    };
    let of_agents = || {
        let agents = config.categories.iter();
        agents.filter(|category| role(category) == Role::Agents)
    };
    let smallest = of_agents().map(radius).fold(f32::INFINITY, f32::min);
    let cruise = |radius: f32| CRUISE * (radius * smallest).sqrt();
    let speeds = of_agents().map(|agents| cruise(radius(agents)));
    // Where there are no agents, nobody says what is fast.
    let fastest = speeds.reduce(f32::max).unwrap_or(CRUISE);
    config
        .categories
        .iter()
        .zip(0..)
        .map(|(described, index)| {
            let (radius, role) = (radius(described), role(described));
            let (radii, cruise) = match role {
                Role::Agents => (Radii::Same(radius), cruise(radius)),
                Role::Oversized(_) => (Radii::Own(Vec::new()), CRUISE_OF_BIG * fastest),
                Role::Scenery => (Radii::Same(radius), 0.0),
            };
            Kind {
                name: described.name.clone(),
                category: CategoryId::new(index),
                bound: described.half_extents,
                exact: described.pairs == PairMode::Exact,
                role,
                radius,
                inverse_mass: inverse_mass(radius),
                cruise,
                bodies: Bodies::new(radii),
                rests: described.rests != Resting::Never,
                sleep: None,
                walls: Vec::new(),
            }
        })
        .collect()
}

/// How many agents of each kind there are among `agents`: the smaller, the more numerous.
pub fn shares(bounds: &[[f32; 2]], agents: usize) -> Vec<usize> {
    // One over the bound to the power of one and a half, by operations that are the same to the bit everywhere.
    let weight = |bound: &[f32; 2]| {
        let bound = f64::from(bound[0].min(bound[1]));
        1.0 / (bound * bound.sqrt())
    };
    let total: f64 = bounds.iter().map(weight).sum();
    let mut shares: Vec<usize> = bounds
        .iter()
        .map(|bound| (agents as f64 * weight(bound) / total) as usize)
        .collect();
    let left = agents.saturating_sub(shares.iter().sum());
    // What rounding down left over goes round the kinds once more.
    let kinds = shares.len().max(1);
    for (turn, share) in shares.iter_mut().enumerate() {
        *share += left / kinds + usize::from(turn < left % kinds);
    }
    shares
}

/// The area in which these numbers of each kind make about `pairs_each` overlapping pairs per agent.
pub fn area_for(bounds: &[[f32; 2]], counts: &[usize], pairs_each: f64) -> f64 {
    let mut pairs_times_area = 0.0;
    for (a, count_a) in counts.iter().enumerate() {
        for (b, count_b) in counts.iter().enumerate().skip(a) {
            let reach = |axis: usize| 2.0 * f64::from(bounds[a][axis] + bounds[b][axis]);
            let couples = *count_a as f64 * *count_b as f64 / if a == b { 2.0 } else { 1.0 };
            pairs_times_area += couples * reach(0) * reach(1);
        }
    }
    let agents: usize = counts.iter().sum();
    pairs_times_area / (agents.max(1) as f64 * pairs_each)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_add_up_and_favour_the_small() {
        let bounds = [[0.3, 0.3], [0.6, 0.6], [1.2, 1.2]];
        for agents in [1, 2, 3, 7, 20_000, 99_999] {
            let shares = shares(&bounds, agents);
            assert_eq!(shares.iter().sum::<usize>(), agents);
            assert!(shares.is_sorted_by(|a, b| a >= b), "{shares:?}");
        }
    }

    #[test]
    fn one_kind_needs_the_area_of_the_textbook() {
        // P = density * (4h)^2 / 2, so at one pair each a body has 8 h^2 to itself.
        let area = area_for(&[[0.5, 0.5]], &[1000], 1.0);
        assert!((area - 2000.0).abs() < 1e-6, "{area}");
    }
}
