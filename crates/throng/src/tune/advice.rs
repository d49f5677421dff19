//! What measured sizes, rows and comparisons suggest changing in the config.

mod apply;
mod rules;

use std::fmt;

use crate::frame::report::Report;
use crate::world::config::{OversizedStructure, PairMode};

/// One thing in the config, or in how the world is filled, that costs more than it must: which category, what was
/// measured, and what to change. Displays as a sentence or two.
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
        /// Its pairs with itself in the last step, per row.
        pairs_per_row: f64,
        /// Comparisons made for them, per row.
        candidates_per_row: f64,
        /// The bound that would be enough.
        to: [f32; 2],
        /// The share of its pairs (in an exact category, of its comparisons) that would be saved, from 0 to 1.
        saved: f64,
    },
    /// Many things in a uniform category are far smaller than its bound: give them a category of their own.
    Split {
        /// The category.
        category: String,
        /// The largest half extent in it.
        largest: f32,
        /// The median half extent.
        median: f32,
        /// The bound for a new category.
        at: f32,
        /// How many of the known sizes fit that bound.
        below: u64,
        /// How many sizes are known.
        of: u64,
        /// Which pairs it reports.
        pairs: PairMode,
        /// Its pairs with itself in the last step, per row.
        pairs_per_row: f64,
        /// Comparisons made for them, per row.
        candidates_per_row: f64,
        /// The share of its pairs (in an exact category, of its comparisons) that would be saved, from 0 to 1.
        saved: f64,
    },
    /// Several uniform categories are of about one bound, and each two of them meet: one category would be searched once.
    Merge {
        /// The first of them.
        category: String,
        /// The others.
        with: Vec<String>,
        /// A bound that is enough for all.
        bound: [f32; 2],
        /// The rows of all of them.
        rows: usize,
        /// How many searches their pairs take: one for each two categories that meet.
        searches: usize,
        /// The share of the time for them that would be saved, from 0 to 1: an estimate, without the pairs.
        saved: f64,
    },
    /// Things in an oversized category are small and of similar size: a uniform one would do.
    MakeUniform {
        /// The category.
        category: String,
        /// The bound that would be enough.
        bound: [f32; 2],
        /// The median half extent.
        median: f32,
        /// How many fit that bound.
        below: u64,
        /// How many there are.
        of: u64,
    },
    /// Much of the scenery keeps changing, so that most of it is packed again each time.
    SceneryMoves {
        /// The category.
        category: String,
        /// In how many frames most of it was packed.
        packed: u32,
        /// Out of how many.
        frames: u32,
        /// How many rows there are.
        rows: usize,
    },
    /// Nothing in a category of moving things has moved for a while: scenery costs nothing while it does not move.
    MakeScenery {
        /// The category.
        category: String,
        /// Its rows.
        rows: usize,
        /// For how many frames nothing has moved.
        frames: u32,
    },
    /// An oversized category is kept in a structure that costs more here than another one would.
    ChangeStructure {
        /// The category.
        category: String,
        /// Its rows.
        rows: usize,
        /// The share of rows that move from one frame to the next, from 0 to 1, if it was sampled.
        moving: Option<f64>,
        /// The structure.
        from: OversizedStructure,
        /// The better one.
        to: OversizedStructure,
    },
    /// Rows are so far out that the index cannot tell their positions apart.
    FarOut {
        /// The category.
        category: String,
        /// How many rows are that far out.
        outside: usize,
        /// Out of how many.
        rows: usize,
    },
    /// A crowd on one spot: its pairs grow with its square.
    Crowd {
        /// The category.
        category: String,
        /// Its rows.
        rows: usize,
        /// Its pairs with itself in the last step, as far as they were not dropped.
        pairs: u64,
        /// How many came from one chunk of the search, which is several thousand rows.
        in_one_chunk: u64,
    },
    /// Rows are in no order of space, so a narrowphase that reads arrays by row waits for memory.
    SortRows {
        /// The category.
        category: String,
        /// Its rows.
        rows: usize,
        /// How many rows lie, in the order of space, between a row and the row after it: the median.
        apart: u32,
        /// The share of rows that are too far from the row after them to be in the cache together, from 0 to 1.
        decay: f32,
    },
    /// A category is empty because an earlier one has the same bound: everything routed by size goes to that one.
    SameBound {
        /// The category.
        category: String,
        /// The one that comes first.
        first: String,
        /// The bound of both.
        bound: [f32; 2],
    },
    /// The masks of all rows of a category agree with nobody's: it meets others by the config, but has no pairs.
    MasksMeetNobody {
        /// The category.
        category: String,
        /// Its rows.
        rows: usize,
        /// How many categories it would meet, itself included.
        meetings: usize,
    },
    /// A category is empty, and has been for a while.
    Empty {
        /// The category.
        category: String,
        /// For how many frames.
        frames: u32,
    },
}

impl Report {
    /// What to change, judging by measurements up to the last step; empty if nothing stands out.
    ///
    /// Goes by the sizes and frames in [`categories`](Self::categories), and by the comparisons and pairs in
    /// [`meetings`](Self::meetings). Says nothing where there is little to gain: ask after some steps, with the world
    /// as full as it gets. O(categories + meetings) when asked; until then it costs one count per insert, and per
    /// step a look at 32 rows of each category.
    ///
    /// A changed config is for the next world, or for what is inserted later: see [`Advice::apply`].
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
        let of_each = categories.flat_map(|category| rules::of(self, category));
        of_each.chain(rules::merges(self)).collect()
    }
}

impl Advice {
    /// The category that it is about, or the first of several.
    pub fn category(&self) -> &str {
        match self {
            Self::LowerBound { category, .. }
            | Self::Split { category, .. }
            | Self::Merge { category, .. }
            | Self::MakeUniform { category, .. }
            | Self::SceneryMoves { category, .. }
            | Self::MakeScenery { category, .. }
            | Self::ChangeStructure { category, .. }
            | Self::FarOut { category, .. }
            | Self::Crowd { category, .. }
            | Self::SortRows { category, .. }
            | Self::SameBound { category, .. }
            | Self::MasksMeetNobody { category, .. }
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
                "the bound is {bound:?}, and the largest ever seen in it is {largest:?}; {pairs_per_row:.2} pairs and \
                 {candidates_per_row:.1} comparisons per row. With half_extents = {to:?}, about {} of the {} would be saved",
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
                 {candidates_per_row:.1} comparisons per row. With another uniform category with half_extents = \
                 [{at}, {at}], for {below} of {of}, about {} of the {} would be saved",
                percent(*saved),
                what_goes(*pairs)
            ),
            Self::Merge {
                with,
                bound,
                rows,
                searches,
                saved,
                ..
            } => {
                let with: Vec<_> = with.iter().map(|name| format!("{name:?}")).collect();
                write!(
                    f,
                    "with {} it is of about one size, and each two of them meet: {searches} searches in a step. One category with \
                     half_extents = {bound:?} takes one, and about {} of the time for these {rows} rows would be saved. Your arrays \
                     know which row is which, and masks say who meets whom. Keep apart what has events, rest or margins that others \
                     do not have",
                    with.join(", "),
                    percent(*saved)
                )
            }
            Self::MakeUniform {
                bound,
                median,
                below,
                of,
                ..
            } if below == of => write!(
                f,
                "all {of} are small and of similar size, half of them up to {median} and none larger than {bound:?}; \
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
                "{below} of {of} are small and of similar size, half of all up to {median}; another uniform category with \
                 half_extents = {bound:?} and pairs = \"exact\" gives the same pairs for less"
            ),
            Self::SceneryMoves {
                packed,
                frames,
                rows,
                ..
            } => write!(
                f,
                "scenery, but most of its {rows} rows were packed again in {packed} of {frames} frames. What moves, comes or \
                 goes often belongs in a category that moves (insert it with `Proxy::moving`), or else in a category of \
                 scenery of its own"
            ),
            Self::MakeScenery { rows, frames, .. } => write!(
                f,
                "none of its {rows} rows was seen to move in {frames} frames. If they never do, and need not meet each \
                 other, insert them with `Proxy::fixed` into a category of scenery, which costs nothing while they stay"
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
                "{outside} of {rows} rows are so far out that their positions cannot be told apart, which makes searches slow; \
                 move the origin closer, or remove what fell out of the world"
            ),
            Self::Crowd {
                rows, in_one_chunk, ..
            } => write!(
                f,
                "of its {rows} rows several thousand have {in_one_chunk} pairs: a crowd on one spot, whose pairs grow with its \
                 square. Spread things out where they appear, or give them masks by which they do not meet; `max_pairs` keeps \
                 such a step from taking all memory"
            ),
            Self::SortRows {
                rows, apart, decay, ..
            } => write!(
                f,
                "{} of its {rows} rows are more than 16,384 rows away, in the order of space, from the row after them (the median \
                 is {apart}). A narrowphase that reads arrays by row waits for memory about {:.0} times a step; `sort_rows` \
                 with `RowOrder::Space` avoids that. `is_sort_due` says when to sort again",
                percent(f64::from(*decay)),
                f64::from(*decay) * *rows as f64
            ),
            Self::SameBound { first, bound, .. } => write!(
                f,
                "it is empty, and stays empty unless proxies name it: {first:?}, which comes before it in the config, has the \
                 same bound {bound:?} and gets everything that is placed by size. Name the category of each proxy with \
                 `Proxy::in_category`, or give this one another bound"
            ),
            Self::MasksMeetNobody { rows, meetings, .. } => write!(
                f,
                "the masks of its {rows} rows agree with nobody's in any of the {meetings} categories that it meets, so it has no \
                 pairs. If that is a mistake, compare memberships with the others' filters, and filters with their \
                 memberships: both have to agree, unless both say `MaskMode::Or`. If it is meant, say so once and \
                 for all with `meets` in the config"
            ),
            Self::Empty { frames, .. } => write!(
                f,
                "it was empty in all {frames} frames; remove it, unless something is still to come"
            ),
        }
    }
}

/// What a lower bound saves.
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
