//! A config for a world, from a sample of what is in it.

use std::collections::BTreeMap;

use throng_core::{Aabb, for_both};

use crate::tune::cost::{Group, Kept, OVERSIZED_ROW, PAIR, UNIFORM_ROW, meetings};
use crate::tune::crowding::area_as_if_even;
use crate::tune::sizes::{rounded, rounded_up, step_of};
use crate::world::config::{BroadphaseConfig, CategoryConfig};
use crate::world::proxy::Extent;
use crate::world::routing::fits;

/// How often bounds are chosen again, each time with a better estimate of the result.
const ROUNDS: usize = 3;

impl BroadphaseConfig {
    /// A config for a world in which things like these move: which uniform categories, with which bounds, and whether
    /// the largest things are better kept in an oversized one.
    ///
    /// Everything in the sample fits, but anything larger than all of it may not: add an oversized category if that
    /// can occur. All categories meet. The best sample is everything there is at some moment of play:
    /// its boxes also say how crowded the world is, and so what a bound that is too large would cost.
    ///
    /// Of all ways to cut the sizes into categories, this takes the cheapest, where a row costs 10 in a uniform
    /// category and 24 in an oversized one, a pair 5, and meeting all others, for `n` of `all` rows, `12 (sqrt(n all) - n)`
    /// in a uniform category and twice that in an oversized one: proportions as measured. Pairs are estimated
    /// for boxes that lie anywhere, whatever their size, as crowded as the sample. Bounds are then rounded to three
    /// digits. An empty sample gives an oversized category, which takes anything. The same sample gives the same
    /// config on every machine. O(n) in the boxes.
    ///
    /// ```
    /// use throng::{Aabb, BroadphaseConfig, CategoryKind};
    ///
    /// let at = |k: usize, half: f32| {
    ///     Aabb::from_center([(k % 100) as f32, (k / 100) as f32], [half; 2]).unwrap()
    /// };
    /// let pixies = (0..9000).map(|k| at(k, 0.1));
    /// let ogres = (0..1000).map(|k| at(10 * k, 1.5));
    /// let config = BroadphaseConfig::suggest(&pixies.chain(ogres).collect::<Vec<_>>());
    ///
    /// let bounds: Vec<_> = config.categories.iter().map(|category| category.half_extents[0]).collect();
    /// assert_eq!(bounds, [0.1, 1.5]);
    /// assert!(config.categories.iter().all(|category| category.kind == CategoryKind::Uniform));
    /// ```
    pub fn suggest(moving: &[Aabb]) -> Self {
        Self::suggest_with_scenery(moving, &[])
    }

    /// As [`suggest`](Self::suggest), for a world in which some things never move: with a category of scenery if
    /// there are any.
    pub fn suggest_with_scenery(moving: &[Aabb], fixed: &[Aabb]) -> Self {
        let mut config = Self::new();
        for (name, half_extents) in named(best_cuts(moving).rounded(moving)) {
            config = config.category(match half_extents {
                Some(bound) => CategoryConfig::uniform(name, 0.0).half_extents(bound),
                None => CategoryConfig::oversized(name),
            });
        }
        if !fixed.is_empty() {
            config = config.category(CategoryConfig::scenery("scenery"));
        }
        config
    }
}

/// Categories of moving things, smallest bound first: the bounds of uniform ones, and whether the rest is oversized.
#[derive(Clone, Debug, Default, PartialEq)]
struct Cuts {
    bounds: Vec<[f32; 2]>,
    oversized: bool,
}

impl Cuts {
    /// The same with rounded bounds, which still hold whatever fits the old ones.
    fn rounded(mut self, moving: &[Aabb]) -> Self {
        for bound in &mut self.bounds {
            let nearest = bound.map(rounded);
            // Sides are rounded, so a box can come out larger than intended by an ulp.
            let mut extents = moving.iter().map(|aabb| Extent::of(*aabb));
            let all_fit = extents.all(|extent| !fits(&extent, *bound) || fits(&extent, nearest));
            *bound = if all_fit {
                nearest
            } else {
                bound.map(rounded_up)
            };
        }
        self
    }
}

/// Each category's name, and its bound if it is uniform.
fn named(cuts: Cuts) -> Vec<(String, Option<[f32; 2]>)> {
    let uniform = cuts.bounds.len();
    let name = |index: usize| match (uniform, index) {
        (1, _) => "units".to_owned(),
        (_, 0) if uniform <= 3 => "small".to_owned(),
        (3, 1) => "medium".to_owned(),
        (2 | 3, _) => "large".to_owned(),
        _ => format!("size {}", index + 1),
    };
    let bounds = cuts.bounds.into_iter().enumerate();
    let mut named: Vec<_> = bounds
        .map(|(index, bound)| (name(index), Some(bound)))
        .collect();
    if cuts.oversized {
        named.push(("oversized".to_owned(), None));
    }
    named
}

fn best_cuts(moving: &[Aabb]) -> Cuts {
    if moving.is_empty() {
        return Cuts {
            bounds: Vec::new(),
            oversized: true,
        };
    }
    let steps = by_size(moving);
    let all = steps.iter().copied().reduce(|all, step| all.and(&step));
    let all = all.expect("there is a box");
    let mut model = Model {
        rows: all.rows,
        area: area_as_if_even(moving),
        sums: all.sums,
    };
    let mut best: Option<(f64, Cuts)> = None;
    for _ in 0..ROUNDS {
        let groups = model.cut(&steps);
        let (cost, sums) = model.cost(&groups);
        if best.as_ref().is_none_or(|(least, _)| cost < *least) {
            best = Some((cost, cuts_of(&groups)));
        }
        model.sums = sums;
    }
    best.expect("there was a round").1
}

fn cuts_of(groups: &[(Group, Kept)]) -> Cuts {
    let uniform = groups.iter().filter(|(_, kept)| *kept == Kept::Uniform);
    Cuts {
        bounds: uniform
            .map(|(group, _)| group.largest.map(|half| half as f32))
            .collect(),
        oversized: groups.iter().any(|(_, kept)| *kept == Kept::Oversized),
    }
}

/// The boxes in groups of about one size, smallest first.
///
/// A box larger than the whole sample counts as being just as large, because no box can meet more than that.
fn by_size(moving: &[Aabb]) -> Vec<Group> {
    let finite = moving.iter().filter(|aabb| aabb.is_finite()).copied();
    let bounds = finite.reduce(|all, aabb| all.union(&aabb));
    let most = bounds.map_or([1.0; 2], |all| Extent::of(all).half_extents);
    let mut steps = BTreeMap::<i32, Group>::new();
    for aabb in moving {
        let half = Extent::of(*aabb).half_extents;
        let counted = for_both(|axis| f64::from(half[axis].min(most[axis])));
        let mut one = Group::alike(1.0, counted);
        one.largest = half.map(f64::from);
        let step = steps.entry(step_of(half)).or_default();
        *step = step.and(&one);
    }
    steps.into_values().collect()
}

/// The cost of categories in a world.
struct Model {
    rows: f64,
    area: f64,
    /// Sums of half extents over all rows, as they are expected to be in the end. The pairs between categories depend
    /// on the product of two such sums; with one of them known, each category has its own cost.
    sums: [f64; 2],
}

impl Model {
    /// A group's own part of the cost, in this kind of category; infinite if it cannot be kept there.
    fn part(&self, group: &Group, kept: Kept) -> f64 {
        let (counted, row) = match kept {
            Kept::Uniform
                if group
                    .largest
                    .iter()
                    .all(|half| *half <= f64::from(f32::MAX)) =>
            {
                (group.coarse(), UNIFORM_ROW)
            }
            Kept::Uniform => return f64::INFINITY,
            Kept::Oversized => (*group, OVERSIZED_ROW),
        };
        let crossed = (self.sums[0] * counted.sums[1] + self.sums[1] * counted.sums[0]) / 2.0;
        let pairs = 4.0 / self.area * (self.rows * counted.products + crossed);
        row * group.rows + PAIR * pairs + meetings(group.rows, self.rows, kept)
    }

    /// The cheapest way to cut the steps into runs: uniform ones, of which the last may be oversized instead.
    ///
    /// `cheapest[n]` is the cost of the first `n` steps, and where the last run of them begins.
    fn cut(&self, steps: &[Group]) -> Vec<(Group, Kept)> {
        let mut cheapest = vec![(0.0, 0)];
        for end in 1..=steps.len() {
            cheapest.push(self.last_run(steps, end, Kept::Uniform, &cheapest));
        }
        let mut end = steps.len();
        let mut kept = Kept::Uniform;
        let mut run = cheapest[end];
        let oversized = self.last_run(steps, end, Kept::Oversized, &cheapest);
        if oversized.0 < run.0 {
            (run, kept) = (oversized, Kept::Oversized);
        }
        let mut groups = Vec::new();
        while end > 0 {
            let all = steps[run.1..end].iter().copied();
            groups.push((all.fold(Group::default(), |all, step| all.and(&step)), kept));
            (end, kept) = (run.1, Kept::Uniform);
            run = cheapest[end];
        }
        groups.reverse();
        groups
    }

    /// The lowest cost of the first `end` steps if the last run of them is kept this way, and where that run begins.
    fn last_run(
        &self,
        steps: &[Group],
        end: usize,
        kept: Kept,
        cheapest: &[(f64, usize)],
    ) -> (f64, usize) {
        let mut best = (f64::INFINITY, 0);
        let mut run = Group::default();
        for start in (0..end).rev() {
            run = run.and(&steps[start]);
            let cost = cheapest[start].0 + self.part(&run, kept);
            if cost < best.0 {
                best = (cost, start);
            }
        }
        best
    }

    /// The cost of all of them together, and the sums of half extents as they turned out.
    fn cost(&self, groups: &[(Group, Kept)]) -> (f64, [f64; 2]) {
        let mut all = Group::default();
        let mut rows = 0.0;
        for (group, kept) in groups {
            let (counted, row) = match kept {
                Kept::Uniform => (group.coarse(), UNIFORM_ROW),
                Kept::Oversized => (*group, OVERSIZED_ROW),
            };
            rows += row * group.rows + meetings(group.rows, self.rows, *kept);
            all = all.and(&counted);
        }
        let pairs = 4.0 / self.area * all.pairs_by_area();
        (rows + PAIR * pairs, all.sums)
    }
}
