//! What measured sizes, rows and comparisons suggest to configure otherwise.

mod apply;
mod rules;

use std::fmt;

use crate::frame::report::Report;
use crate::world::config::{OversizedStructure, PairMode};

/// One thing in the config, or in how the world is filled, that costs more than it must: which category, what was
/// measured, and what to change. Prints as a sentence or two.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Advice {
    /// The bound of a uniform category is larger than anything in it: lower it.
    LowerBound {
        /// The category.
        category: String,
        /// Its bound.
        bound: [f32; 2],
        /// The largest half extents, per axis, since it was last empty.
        largest: [f32; 2],
        /// Which pairs it reports.
        pairs: PairMode,
        /// Its pairs with itself in the last step, for each row.
        pairs_per_row: f64,
        /// Comparisons made for them, for each row.
        candidates_per_row: f64,
        /// The bound that would do.
        to: [f32; 2],
        /// The share of its pairs, in an exact category of its comparisons, that would go, from 0 to 1.
        saved: f64,
    },
    /// Many in a uniform category are far smaller than its bound: keep them in one of their own.
    Split {
        /// The category.
        category: String,
        /// The largest half extent in it.
        largest: f32,
        /// The half extent of those in the middle: half of all are no larger.
        median: f32,
        /// The bound for a new category.
        at: f32,
        /// How many of the sizes that are known fit that bound.
        below: u64,
        /// How many sizes are known.
        of: u64,
        /// Which pairs it reports.
        pairs: PairMode,
        /// Its pairs with itself in the last step, for each row.
        pairs_per_row: f64,
        /// Comparisons made for them, for each row.
        candidates_per_row: f64,
        /// The share of its pairs, in an exact category of its comparisons, that would go, from 0 to 1.
        saved: f64,
    },
    /// Things in an oversized category are small and much alike: a uniform one would do for them.
    MakeUniform {
        /// The category.
        category: String,
        /// The bound that would do.
        bound: [f32; 2],
        /// Half of all are no larger.
        median: f32,
        /// How many fit that bound.
        below: u64,
        /// How many there are.
        of: u64,
    },
    /// Scenery changes all the time, and is packed anew whenever it does.
    SceneryMoves {
        /// The category.
        category: String,
        /// In how many frames it was packed.
        packed: u32,
        /// Of how many.
        frames: u32,
        /// How many rows are packed each time.
        rows: usize,
    },
    /// Nothing in a category of what moves has moved for a while: scenery costs nothing while it does not.
    MakeScenery {
        /// The category.
        category: String,
        /// Its rows.
        rows: usize,
        /// For how many frames nothing has moved.
        frames: u32,
    },
    /// An oversized category is kept in a structure that costs more than another one would here.
    ChangeStructure {
        /// The category.
        category: String,
        /// Its rows.
        rows: usize,
        /// The share of rows that move from one frame to the next, from 0 to 1, if that was seen.
        moving: Option<f64>,
        /// The structure.
        from: OversizedStructure,
        /// The better one.
        to: OversizedStructure,
    },
    /// Rows are so far out that the index cannot tell their places apart.
    FarOut {
        /// The category.
        category: String,
        /// How many are.
        outside: usize,
        /// Of how many.
        rows: usize,
    },
    /// There is nothing in a category, and was not for a while.
    Empty {
        /// The category.
        category: String,
        /// For how many frames.
        frames: u32,
    },
}

impl Report {
    /// What was measured, up to the last step, suggests to change; nothing if nothing stands out.
    ///
    /// Goes by what [`categories`](Self::categories) knows of sizes and frames, and by the comparisons and pairs of
    /// [`meetings`](Self::meetings). Says nothing where little would be won: ask after some steps, of a world as full
    /// as it gets. O(categories + meetings) when asked; until then a count for each insert, and a look at 32 rows of each
    /// category for each step.
    ///
    /// A new config is for the next world, or for what is inserted from then on: see [`Advice::apply`].
    ///
    /// ```
    /// use throng::{Advice, Broadphase, BroadphaseConfig, CategoryConfig, CountPairs, Proxy};
    ///
    /// let mut config = BroadphaseConfig::new().category(CategoryConfig::uniform("units", 5.0));
    /// let mut world = Broadphase::new(config.clone())?;
    /// world.insert_batch((0..10_000).map(|k| {
    ///     Proxy::centered([(k % 100) as f32, (k / 100) as f32], [0.5, 0.5]).unwrap()
    /// }));
    /// world.step(&CountPairs);
    ///
    /// let advice = world.report().advice();
    /// assert!(matches!(advice[..], [Advice::LowerBound { to: [0.5, 0.5], .. }]));
    /// assert!(advice[0].to_string().starts_with("\"units\": "));
    /// assert!(advice[0].apply(&mut config));
    /// assert_eq!(config.categories[0].half_extents, [0.5, 0.5]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn advice(&self) -> Vec<Advice> {
        let categories = self.categories.iter();
        categories
            .flat_map(|category| rules::of(self, category))
            .collect()
    }
}

impl Advice {
    /// The category that it is about.
    pub fn category(&self) -> &str {
        match self {
            Self::LowerBound { category, .. }
            | Self::Split { category, .. }
            | Self::MakeUniform { category, .. }
            | Self::SceneryMoves { category, .. }
            | Self::MakeScenery { category, .. }
            | Self::ChangeStructure { category, .. }
            | Self::FarOut { category, .. }
            | Self::Empty { category, .. } => category,
        }
    }
}

impl fmt::Display for Advice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = |share: f64| format!("{:.0} %", 100.0 * share);
        write!(f, "{:?}: ", self.category())?;
        match self {
            Self::LowerBound {
                bound,
                largest,
                pairs,
                pairs_per_row,
                candidates_per_row,
                to,
                saved,
                ..
            } => write!(
                f,
                "the bound is {bound:?}, and the largest ever seen in it {largest:?}; {pairs_per_row:.2} pairs and \
                 {candidates_per_row:.1} comparisons a row. With half_extents = {to:?} about {} of the {} would go",
                percent(*saved),
                what_goes(*pairs)
            ),
            Self::Split {
                largest,
                median,
                at,
                below,
                of,
                pairs,
                pairs_per_row,
                candidates_per_row,
                saved,
                ..
            } => write!(
                f,
                "half of its sizes are up to {median}, the largest is {largest}; {pairs_per_row:.2} pairs and \
                 {candidates_per_row:.1} comparisons a row. With one more uniform category with half_extents = \
                 [{at}, {at}], for {below} of {of}, about {} of the {} would go",
                percent(*saved),
                what_goes(*pairs)
            ),
            Self::MakeUniform {
                bound,
                median,
                below,
                of,
                ..
            } if below == of => write!(
                f,
                "all {of} are small and much alike, half of them up to {median} and none larger than {bound:?}; \
                 kind = \"uniform\" with half_extents = {bound:?} and pairs = \"exact\" gives the same pairs for less"
            ),
            Self::MakeUniform {
                bound,
                median,
                below,
                of,
                ..
            } => write!(
                f,
                "{below} of {of} are small and much alike, half of all up to {median}; one more uniform category with \
                 half_extents = {bound:?} and pairs = \"exact\" gives the same pairs for less"
            ),
            Self::SceneryMoves {
                packed,
                frames,
                rows,
                ..
            } => write!(
                f,
                "scenery, and packed anew in {packed} of {frames} frames, all {rows} rows of it. What moves, comes or \
                 goes often belongs in a category that moves (insert it with `Proxy::moving`), or else in a category of \
                 scenery of its own"
            ),
            Self::MakeScenery { rows, frames, .. } => write!(
                f,
                "none of its {rows} rows was seen to move in {frames} frames. If they never do, and need not meet each \
                 other, insert them with `Proxy::fixed` into a category of scenery, which costs nothing while they stand"
            ),
            Self::ChangeStructure {
                rows,
                moving,
                from,
                to,
                ..
            } => {
                let moving = moving.map_or("an unknown share".to_owned(), percent);
                let searched = match to {
                    OversizedStructure::Strips(_) => "they are searched for pairs in every frame",
                    _ => "they do not meet each other",
                };
                write!(
                    f,
                    "{rows} rows in {}, of which {moving} move in a frame, and {searched}: structure = {{ kind = {:?} }} \
                     costs less",
                    name_of(from).replace('_', " "),
                    name_of(to)
                )
            }
            Self::FarOut { outside, rows, .. } => write!(
                f,
                "{outside} of {rows} rows are so far out that their places cannot be told apart, and searched slowly; \
                 bring the origin nearer, or take out what fell out of the world"
            ),
            Self::Empty { frames, .. } => write!(
                f,
                "nothing was in it in {frames} frames; leave it out, unless it waits for something"
            ),
        }
    }
}

/// What a lower bound makes fewer.
fn what_goes(pairs: PairMode) -> &'static str {
    match pairs {
        PairMode::Coarse => "pairs",
        PairMode::Exact => "comparisons",
    }
}

/// A structure's name in a file.
fn name_of(structure: &OversizedStructure) -> &'static str {
    match structure {
        OversizedStructure::Strips(_) => "strips",
        OversizedStructure::DoubleGrid(_) => "double_grid",
        OversizedStructure::Quadtree(_) => "quadtree",
    }
}
