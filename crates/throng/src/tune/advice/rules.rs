//! When there is something to say about a category: each rule with its thresholds.

use throng_core::for_both;
use throng_loose::{DoubleGridConfig, StripsConfig};

use super::Advice;
use crate::frame::report::{CategoryReport, ChunkStats, MeetingReport, Report};
use crate::tune::cost::{
    CANDIDATE, COMPARED_ALONE, COMPARED_PER_PAIR, EXACT_ROW, Group, Kept, OVERSIZED_ROW, PAIR,
    UNIFORM_ROW, meetings,
};
use crate::tune::sizes::{SizeCounts, rounded_up};
use crate::world::config::{CategoryKind, OversizedStructure, PairMode};

/// A bound is close enough if the lowest possible one would leave more than this share of its overlaps.
const CLOSE_BOUND: f64 = 0.8;
/// The least that a change of sizes must save per row, where a row costs 10: savings are estimates.
const WORTH: f64 = 2.0;
/// Fewer rows than this cost nothing worth saving.
const FEW_ROWS: usize = 256;
/// In this many of the last 64 frames, packing is no coincidence.
const OFTEN_PACKED: u32 = 8;
/// After this many frames without moving, things are taken to be fixed.
const LONG: u32 = 64;
/// If fewer rows than this share move, applying differences does less work than rebuilding.
const FEW_MOVE: f64 = 0.05;
/// A chunk has at most about 16,000 rows, so more pairs than this are at least sixty a row.
const CROWD: u64 = 1_000_000;
/// A chunk with this many times the pairs of the others is a crowd, and not a world that is full everywhere.
const UNEVEN: u64 = 4;
/// By the time fully scattered rows have been left for this many steps, sorting would have paid several times over.
const LONG_UNSORTED: f32 = 16.0;
/// Bounds are about the same if none is this many times another.
const ALIKE: f32 = 1.25;
/// Two categories may be apart for many reasons, and their meeting costs no more than they do.
const FEWEST_MERGED: usize = 3;
/// One row in this many being outside does no harm.
const OUTSIDE_OF: usize = 100;

/// Everything there is to say about one category.
pub(super) fn of(report: &Report, category: &CategoryReport) -> impl Iterator<Item = Advice> {
    let self_pairs = SelfPairs::of(report, category);
    let uniform = make_uniform(category, &self_pairs);
    // If a uniform category would be better, there is no need for another structure.
    let structure = match &uniform {
        Some(Advice::MakeUniform { below, of, .. }) if below == of => None,
        _ => change_structure(report, category, &self_pairs),
    };
    let rules = [
        same_bound(report, category).or_else(|| empty(report, category)),
        lower_bound(report, category, &self_pairs),
        split(category, &self_pairs),
        uniform,
        structure,
        make_scenery(category),
        scenery_moves(category),
        far_out(category),
        sort_rows(category),
        crowd(report, category),
        meets_nobody(report, category),
    ];
    rules.into_iter().flatten()
}

/// What there is to say about several categories together.
pub(super) fn merges(report: &Report) -> Vec<Advice> {
    let (mut advice, mut left): (_, Vec<_>) = (Vec::new(), report.categories.iter().collect());
    while let Some(first) = left.first().copied() {
        let (mut alike, mut others) = (Vec::new(), Vec::new());
        for category in left {
            let is_first = std::ptr::eq(category, first);
            let meets = |other: &&CategoryReport| are_searched(report, category, other);
            let is_one = is_first || are_alike(first, category);
            if is_one && meets(&category) && alike.iter().all(meets) {
                alike.push(category);
            } else if !is_first {
                others.push(category);
            }
        }
        advice.extend(merge(&alike));
        left = others;
    }
    advice
}

/// Whether two categories might as well be one.
fn are_alike(a: &CategoryReport, b: &CategoryReport) -> bool {
    let bounds = |axis: usize| {
        let [a, b] = [a.bound[axis], b.bound[axis]];
        a.max(b) <= ALIKE * a.min(b)
    };
    let are_uniform = [a, b]
        .iter()
        .all(|category| category.kind == CategoryKind::Uniform);
    are_uniform && a.pairs == b.pairs && bounds(0) && bounds(1)
}

/// Whether two categories were searched for pairs that go to the narrowphase.
fn are_searched(report: &Report, a: &CategoryReport, b: &CategoryReport) -> bool {
    searched_meeting(report, [a, b]).is_some_and(|meeting| meeting.stats.sensor_pairs == 0)
}

fn merge(alike: &[&CategoryReport]) -> Option<Advice> {
    let [first, others @ ..] = alike else {
        return None;
    };
    let rows: usize = alike.iter().map(|category| category.rows).sum();
    let met = alike
        .iter()
        .map(|category| meetings(category.rows as f64, rows as f64, Kept::Uniform));
    let gain = met.sum::<f64>() / rows.max(1) as f64;
    let is_worth_it = rows >= FEW_ROWS && gain >= 2.0 * WORTH;
    (alike.len() >= FEWEST_MERGED && is_worth_it).then(|| Advice::Merge {
        category: first.name.clone(),
        with: others
            .iter()
            .map(|category| category.name.clone())
            .collect(),
        bound: for_both(|axis| {
            let bounds = alike.iter().map(|category| category.bound[axis]);
            bounds.fold(0.0, f32::max)
        }),
        rows,
        searches: alike.len() * (alike.len() + 1) / 2,
        saved: gain / (UNIFORM_ROW + gain),
    })
}

/// A category's meeting with itself, if it was searched.
fn own_meeting<'r>(report: &'r Report, category: &CategoryReport) -> Option<&'r MeetingReport> {
    searched_meeting(report, [category; 2])
}

/// The meeting of two categories, given either way round, if it was searched.
fn searched_meeting<'r>(
    report: &'r Report,
    between: [&CategoryReport; 2],
) -> Option<&'r MeetingReport> {
    let mut both = between.map(|category| category.category);
    both.sort_unstable();
    let mut meetings = report.meetings.iter();
    meetings.find(|meeting| meeting.categories == both && !meeting.keeps_all_apart)
}

/// The cost of a category's pairs with itself.
struct SelfPairs {
    /// Whether the category was searched for them.
    searched: bool,
    stats: ChunkStats,
}

impl SelfPairs {
    fn of(report: &Report, category: &CategoryReport) -> Self {
        let meeting = own_meeting(report, category);
        Self {
            searched: meeting.is_some(),
            stats: meeting.map_or_else(ChunkStats::default, |meeting| meeting.stats),
        }
    }
}

/// What a larger bound adds to: the pairs of a coarse category, the comparisons of an exact one.
struct ByBound {
    /// The cost of each.
    price: f64,
    /// How many depend on the bound.
    count: f64,
    /// How many there are.
    all: f64,
}

impl ByBound {
    fn of(category: &CategoryReport, stats: &ChunkStats) -> Self {
        match category.pairs {
            PairMode::Coarse => Self {
                price: PAIR,
                count: stats.all_pairs() as f64,
                all: stats.all_pairs() as f64,
            },
            PairMode::Exact => {
                let all = stats.candidates as f64;
                Self {
                    price: CANDIDATE,
                    count: (all - COMPARED_ALONE * category.rows as f64).max(0.0),
                    all,
                }
            }
        }
    }
}

fn empty(report: &Report, category: &CategoryReport) -> Option<Advice> {
    let activity = category.activity;
    // If the whole world is empty, that says nothing about one category.
    (report.rows > 0 && activity.frames > 0 && activity.occupied == 0).then(|| Advice::Empty {
        category: category.name.clone(),
        frames: activity.frames,
    })
}

/// An empty category that comes after one with rows in the order of routing, if both hold the same sizes.
fn same_bound(report: &Report, category: &CategoryReport) -> Option<Advice> {
    if category.activity.frames == 0 || category.activity.occupied > 0 {
        return None;
    }
    let mut before = report
        .categories
        .iter()
        .take_while(|other| other.category != category.category);
    let first =
        before.find(|other| other.kind == category.kind && other.bound == category.bound)?;
    (first.rows > 0).then(|| Advice::SameBound {
        category: category.name.clone(),
        first: first.name.clone(),
        bound: category.bound,
    })
}

fn lower_bound(
    report: &Report,
    category: &CategoryReport,
    self_pairs: &SelfPairs,
) -> Option<Advice> {
    if category.kind != CategoryKind::Uniform || category.rows == 0 {
        return None;
    }
    let largest = category.largest;
    let to = for_both(|axis| rounded_up(largest[axis]).min(category.bound[axis]));
    let alone = shrink(category.bound, to, [0.0; 2]);
    if alone > CLOSE_BOUND {
        return None;
    }
    let (mut saved, mut all, mut cost) = (0.0, 0.0, 0.0);
    for meeting in &report.meetings {
        let [a, b] = meeting.categories;
        if a != category.category && b != category.category {
            continue;
        }
        let ratio = if a == b {
            alone
        } else {
            let other = if a == category.category { b } else { a };
            let other = report.categories.get(other.index())?;
            shrink(category.bound, to, typical_reach(other))
        };
        let by_bound = ByBound::of(category, &meeting.stats);
        saved += by_bound.count * (1.0 - ratio);
        cost += by_bound.price * by_bound.count * (1.0 - ratio);
        all += by_bound.all;
    }
    (cost / category.rows as f64 >= WORTH).then(|| Advice::LowerBound {
        category: category.name.clone(),
        bound: category.bound,
        largest,
        pairs: category.pairs,
        pairs_per_row: per_row(category, self_pairs.stats.all_pairs()),
        candidates_per_row: per_row(category, self_pairs.stats.candidates),
        to,
        saved: saved / all,
    })
}

/// The share of overlaps with something else that remains, if a bound is lowered.
fn shrink(from: [f32; 2], to: [f32; 2], other: [f64; 2]) -> f64 {
    let ratio = |axis: usize| {
        let (from, to) = (f64::from(from[axis]), f64::from(to[axis]));
        let reach = from + other[axis];
        if reach > 0.0 {
            (to + other[axis]) / reach
        } else {
            1.0
        }
    };
    ratio(0) * ratio(1)
}

/// The half extents that rows of another category are taken to have, roughly.
fn typical_reach(category: &CategoryReport) -> [f64; 2] {
    match category.kind {
        CategoryKind::Uniform => category.bound.map(f64::from),
        CategoryKind::Oversized | CategoryKind::Scenery => {
            [f64::from(category.sizes.quantile(0.5)).min(f64::from(f32::MAX)); 2]
        }
    }
}

fn per_row(category: &CategoryReport, count: u64) -> f64 {
    count as f64 / category.rows.max(1) as f64
}

fn split(category: &CategoryReport, self_pairs: &SelfPairs) -> Option<Advice> {
    if category.kind != CategoryKind::Uniform || category.rows < FEW_ROWS {
        return None;
    }
    // As if the bound were as low as it can be; a bound that is too high is another rule's business.
    let bound = for_both(|axis| category.largest[axis].min(category.bound[axis]));
    let lowered = shrink(category.bound, bound, [0.0; 2]);
    let by_bound = ByBound::of(category, &self_pairs.stats);
    let cost = by_bound.price * by_bound.count * lowered / category.rows as f64;
    let cut = best_cut(&category.sizes, bound, cost)?;
    let left = by_bound.all - by_bound.count * (1.0 - lowered);
    (cut.gain >= WORTH).then(|| Advice::Split {
        category: category.name.clone(),
        largest: category.largest[0].max(category.largest[1]),
        median: category.sizes.quantile(0.5),
        at: cut.at,
        below: cut.below,
        of: category.sizes.total(),
        pairs: category.pairs,
        pairs_per_row: per_row(category, self_pairs.stats.all_pairs()),
        candidates_per_row: per_row(category, self_pairs.stats.candidates),
        saved: cut.saved * by_bound.count * lowered / left,
    })
}

/// Where to cut a category in two.
struct Cut {
    at: f32,
    /// How many are no larger than that.
    below: u64,
    /// The share of overlaps of boxes of the bound that is saved.
    saved: f64,
    /// What that saves per row, after the cost of the meeting.
    gain: f64,
}

/// The best size to cut at, if all overlaps of boxes of the bound have this cost per row.
fn best_cut(sizes: &SizeCounts, bound: [f32; 2], cost: f64) -> Option<Cut> {
    let total = sizes.total();
    let counted = |rows: u64, most: f32| {
        Group::alike(rows as f64, bound.map(|half| f64::from(half.min(most))))
    };
    let all = counted(total, f32::INFINITY).pairs_by_area();
    let mut below = 0;
    let cuts = sizes.steps().filter_map(|step| {
        below += step.count;
        let both = counted(below, step.up_to).and(&counted(total - below, f32::INFINITY));
        let saved = 1.0 - both.pairs_by_area() / all;
        let rows = [below, total - below].map(|rows| rows as f64 / total as f64);
        let met: f64 = rows
            .map(|rows| meetings(rows, 1.0, Kept::Uniform))
            .iter()
            .sum();
        (below < total && saved > 0.0).then_some(Cut {
            at: step.up_to,
            below,
            saved,
            gain: cost * saved - met,
        })
    });
    cuts.max_by(|a, b| a.gain.total_cmp(&b.gain))
}

fn make_uniform(category: &CategoryReport, self_pairs: &SelfPairs) -> Option<Advice> {
    // Without pairs of its self_pairs, there is no telling how many a bound would add.
    if category.kind != CategoryKind::Oversized || !self_pairs.searched {
        return None;
    }
    let of = category.sizes.total();
    let pairs = per_row(category, self_pairs.stats.all_pairs());
    let true_overlaps = group(&category.sizes).pairs_by_area();
    let mut best: Option<(f64, f32, u64)> = None;
    let mut below = Group::default();
    for step in category.sizes.steps() {
        let half = f64::from(step.up_to);
        below = below.and(&Group::alike(step.count as f64, [half; 2]));
        if step.up_to.is_infinite() || below.rows < FEW_ROWS as f64 {
            continue;
        }
        let share = below.rows / of as f64;
        let overlaps = below.coarse().pairs_by_area() / true_overlaps.max(f64::MIN_POSITIVE);
        let compared = CANDIDATE * COMPARED_PER_PAIR * overlaps * pairs;
        let met = meetings(share, 1.0, Kept::Uniform) + meetings(1.0 - share, 1.0, Kept::Oversized);
        let gain = (OVERSIZED_ROW - EXACT_ROW) * share - compared - met;
        if gain >= 2.0 * WORTH && best.is_none_or(|(most, ..)| gain >= most) {
            best = Some((gain, step.up_to, below.rows as u64));
        }
    }
    best.map(|(_, up_to, below)| {
        let bound = category.largest.map(|half| rounded_up(half.min(up_to)));
        Advice::MakeUniform {
            category: category.name.clone(),
            bound,
            median: category.sizes.quantile(0.5),
            below,
            of,
        }
    })
}

/// Sizes as square boxes, each as large as its step.
fn group(sizes: &SizeCounts) -> Group {
    let steps = sizes.steps().filter(|step| step.up_to.is_finite());
    steps
        .map(|step| Group::alike(step.count as f64, [f64::from(step.up_to); 2]))
        .fold(Group::default(), |all, step| all.and(&step))
}

fn change_structure(
    report: &Report,
    category: &CategoryReport,
    self_pairs: &SelfPairs,
) -> Option<Advice> {
    if category.kind != CategoryKind::Oversized || category.rows < FEW_ROWS {
        return None;
    }
    let moving = category.activity.moving_share();
    let to: OversizedStructure = match category.structure {
        OversizedStructure::DoubleGrid(_) | OversizedStructure::Quadtree(_)
            if self_pairs.searched =>
        {
            StripsConfig::new().into()
        }
        OversizedStructure::Strips(_)
            if !self_pairs.searched
                && moving.is_some_and(|share| share <= FEW_MOVE)
                && rows_met(report, category) <= category.rows =>
        {
            DoubleGridConfig::new().into()
        }
        _ => return None,
    };
    Some(Advice::ChangeStructure {
        category: category.name.clone(),
        rows: category.rows,
        moving,
        from: category.structure,
        to,
    })
}

/// How many rows of other categories a category meets.
fn rows_met(report: &Report, category: &CategoryReport) -> usize {
    let id = category.category;
    let met = report
        .meetings
        .iter()
        .filter(|meeting| meeting.categories.contains(&id) && !meeting.keeps_all_apart);
    let others = met.flat_map(|meeting| meeting.categories);
    let others = others.filter(|other| *other != id);
    others
        .filter_map(|other| report.categories.get(other.index()))
        .map(|other| other.rows)
        .sum()
}

fn make_scenery(category: &CategoryReport) -> Option<Advice> {
    let quiet = category.activity.quiet >= LONG && category.rows >= FEW_ROWS;
    (category.kind != CategoryKind::Scenery && quiet).then(|| Advice::MakeScenery {
        category: category.name.clone(),
        rows: category.rows,
        frames: category.activity.quiet,
    })
}

fn scenery_moves(category: &CategoryReport) -> Option<Advice> {
    let activity = category.activity;
    (activity.packed >= OFTEN_PACKED).then(|| Advice::SceneryMoves {
        category: category.name.clone(),
        packed: activity.packed,
        frames: activity.frames,
        rows: category.rows,
    })
}

fn far_out(category: &CategoryReport) -> Option<Advice> {
    (category.outside * OUTSIDE_OF > category.rows).then(|| Advice::FarOut {
        category: category.name.clone(),
        outside: category.outside,
        rows: category.rows,
    })
}

fn sort_rows(category: &CategoryReport) -> Option<Advice> {
    let scatter = category.scatter;
    (scatter.since_sorted > LONG_UNSORTED).then(|| Advice::SortRows {
        category: category.name.clone(),
        rows: category.rows,
        apart: scatter.apart,
        decay: scatter.decay,
    })
}

fn crowd(report: &Report, category: &CategoryReport) -> Option<Advice> {
    let meeting = own_meeting(report, category)?;
    // The chunk at which a step was cut off is no longer among those that are counted.
    let dropped = report
        .cut
        .filter(|cut| cut.categories == meeting.categories)
        .map_or(0, |cut| cut.pairs);
    let in_one_chunk = meeting.busiest_chunk.max(dropped);
    let others = meeting
        .stats
        .all_pairs()
        .saturating_sub(meeting.busiest_chunk);
    let mean = others / (meeting.chunks as u64).max(2);
    let is_crowd = in_one_chunk > CROWD && in_one_chunk > UNEVEN * mean;
    is_crowd.then(|| Advice::Crowd {
        category: category.name.clone(),
        rows: category.rows,
        pairs: meeting.stats.all_pairs(),
        in_one_chunk,
    })
}

/// Nothing is said of categories that meet nothing by their config, or are alone: no masks keep those apart.
fn meets_nobody(report: &Report, category: &CategoryReport) -> Option<Advice> {
    let meetings = report.meetings.iter();
    let mut own = meetings.filter(|meeting| meeting.categories.contains(&category.category));
    let apart = own.clone().count();
    let is_apart = apart > 0 && own.all(|meeting| meeting.keeps_all_apart);
    is_apart.then(|| Advice::MasksMeetNobody {
        category: category.name.clone(),
        rows: category.rows,
        meetings: apart,
    })
}

#[cfg(test)]
mod tests {
    use super::shrink;

    #[test]
    fn overlaps_shrink_with_the_reach_of_both() {
        assert_eq!(shrink([4.0, 2.0], [1.0, 2.0], [0.0; 2]), 0.25);
        assert_eq!(shrink([4.0, 2.0], [1.0, 1.0], [2.0, 0.0]), 0.5 * 0.5);
        assert_eq!(
            shrink([0.0; 2], [0.0; 2], [0.0; 2]),
            1.0,
            "points stay points"
        );
    }
}
