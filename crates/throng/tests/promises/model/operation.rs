//! What can be done to a world, at random.

use proptest::collection::vec;
use proptest::prelude::*;
use throng::{
    DoubleGridConfig, InfiniteSides, LooseQuadtreeConfig, MaskMode, Masks, OversizedStructure,
    StripsConfig,
};

/// Something to do to a world and to its model; a `usize` picks a living proxy.
#[derive(Clone, Debug)]
pub enum Operation {
    Insert {
        center: [f32; 2],
        half: f32,
        infinite: InfiniteSides,
        masks: Masks,
        named: Option<usize>,
        fixed: bool,
    },
    SetCenter(usize, [f32; 2]),
    SetAabb(usize, [f32; 2], f32, InfiniteSides),
    SetCategory(usize, Option<usize>),
    Remove(usize),
    SetEnabled(usize, bool),
    SetMasks(usize, Masks),
    SetKey(usize, u64),
    SetOwner(usize, u64),
    SetVelocity(usize, [f32; 2]),
    SetResting(usize, bool),
    /// The velocity of every row of a category, but for every fifth.
    Velocities(usize, [f32; 2]),
    Exclude(usize, usize),
    Include(usize, usize),
    Columns(usize, f32),
    /// The box of every row of a category, given in some way: shifted, and most with another size, or none at all.
    Boxes(usize, BoxesBy, f32, f32),
    /// Several steps before each of which the rows of a category move a little, each in a direction of its own; but for every fourth,
    /// unless the steps are an odd number.
    Wander(usize, f32, usize),
    ForgetHistory(usize),
    Clear,
    ClearCategory(usize),
    ReloadScenery,
    /// What is there, packed and loaded beside itself.
    AddScenery,
    /// One of the trees that were loaded, if any.
    UnloadScenery(usize),
    /// By space, by keys as they are, or by keys that are made different first; on so many threads.
    SortRows(usize, SortBy, usize),
    /// Another structure for what is oversized, and whether anybody rests from now on.
    Reconfigure(OversizedStructure, bool),
    /// A copy of the world, which goes on in its place.
    Keep,
    /// Goes back to what was last kept.
    GoBack,
    Step,
    /// Several in a row, in which nothing changes, so that some come to rest.
    Quiet(usize),
    /// So many that everybody does who ever rests without being told.
    QuietForLong,
    Query([f32; 2], f32),
}

/// How boxes are given.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BoxesBy {
    Sides,
    Centers,
    Columns,
    /// The last row first, and some more than once.
    Rows,
    RowsOfAll,
    Asked,
    RowsAsked,
}

#[derive(Clone, Copy, Debug)]
pub enum SortBy {
    Space,
    KeysAsTheyAre,
    DifferentKeys,
}

/// Up to a hundred operations, more of them inserts than removals.
pub fn operations() -> impl Strategy<Value = Vec<Operation>> {
    let operation = prop_oneof![
        12 => (center(), half(), infinite(), masks(), proptest::option::weighted(0.3, 0..6usize), proptest::bool::weighted(0.2))
            .prop_map(|(center, half, infinite, masks, named, fixed)| Operation::Insert { center, half, infinite, masks, named, fixed }),
        6 => (pick(), center()).prop_map(|(pick, center)| Operation::SetCenter(pick, center)),
        6 => (pick(), center(), half(), infinite())
            .prop_map(|(pick, center, half, infinite)| Operation::SetAabb(pick, center, half, infinite)),
        3 => (pick(), proptest::option::of(0..6usize))
            .prop_map(|(pick, category)| Operation::SetCategory(pick, category)),
        4 => pick().prop_map(Operation::Remove),
        3 => (pick(), any::<bool>()).prop_map(|(pick, enabled)| Operation::SetEnabled(pick, enabled)),
        2 => (pick(), masks()).prop_map(|(pick, masks)| Operation::SetMasks(pick, masks)),
        2 => (pick(), 0..3u64).prop_map(|(pick, key)| Operation::SetKey(pick, key)),
        4 => (pick(), 0..3u64).prop_map(|(pick, owner)| Operation::SetOwner(pick, owner)),
        4 => (pick(), velocity()).prop_map(|(pick, velocity)| Operation::SetVelocity(pick, velocity)),
        3 => (pick(), any::<bool>()).prop_map(|(pick, rests)| Operation::SetResting(pick, rests)),
        1 => (0..6usize, velocity()).prop_map(|(category, velocity)| Operation::Velocities(category, velocity)),
        4 => (pick(), pick()).prop_map(|(a, b)| Operation::Exclude(a, b)),
        2 => (pick(), pick()).prop_map(|(a, b)| Operation::Include(a, b)),
        1 => Just(Operation::ReloadScenery),
        1 => Just(Operation::AddScenery),
        1 => pick().prop_map(Operation::UnloadScenery),
        4 => (0..6usize, prop_oneof![
            4 => Just(SortBy::Space),
            1 => Just(SortBy::KeysAsTheyAre),
            3 => Just(SortBy::DifferentKeys),
        ], 1..4usize)
            .prop_map(|(category, by, threads)| Operation::SortRows(category, by, threads)),
        2 => (0..6usize, -8..=8i32).prop_map(|(category, steps)| Operation::Columns(category, steps as f32 / 8.0)),
        5 => (0..6usize, prop_oneof![
            Just(BoxesBy::Sides),
            Just(BoxesBy::Centers),
            Just(BoxesBy::Columns),
            Just(BoxesBy::Rows),
            Just(BoxesBy::RowsOfAll),
            Just(BoxesBy::Asked),
            Just(BoxesBy::RowsAsked),
        ], -4..=4i32, half())
            .prop_map(|(category, by, steps, half)| Operation::Boxes(category, by, steps as f32 / 4.0, half)),
        6 => (0..6usize, 1..=4i32, 1..6usize)
            .prop_map(|(category, step, steps)| Operation::Wander(category, step as f32 / 64.0, steps)),
        2 => (0..6usize).prop_map(Operation::ForgetHistory),
        1 => Just(Operation::Clear),
        2 => (0..6usize).prop_map(Operation::ClearCategory),
        3 => (structure(), any::<bool>())
            .prop_map(|(structure, rests)| Operation::Reconfigure(structure, rests)),
        3 => Just(Operation::Keep),
        2 => Just(Operation::GoBack),
        6 => Just(Operation::Step),
        9 => (2..5usize).prop_map(Operation::Quiet),
        1 => Just(Operation::QuietForLong),
        6 => (center(), 0.0..6.0f32).prop_map(|(center, radius)| Operation::Query(center, radius)),
    ];
    vec(operation, 1..100)
}

/// For what is oversized.
pub fn structure() -> impl Strategy<Value = OversizedStructure> {
    prop_oneof![
        Just(StripsConfig::new().into()),
        Just(DoubleGridConfig::new().into()),
        Just(LooseQuadtreeConfig::new().split_above(3).into()),
    ]
}

fn pick() -> impl Strategy<Value = usize> {
    0..10_000usize
}

/// Quarters, and columns shift by eighths, so that a box computed from a centre gives the centre back, and many things
/// touch exactly.
fn center() -> impl Strategy<Value = [f32; 2]> {
    [-40..40i32, -40..40i32].prop_map(|steps| steps.map(|step| step as f32 / 4.0))
}

/// Slow, standing, or faster than any bound is wide.
fn velocity() -> impl Strategy<Value = [f32; 2]> {
    let steps = || prop_oneof![2 => Just(0), 4 => -8..=8i32, 1 => -200..=200i32];
    [steps(), steps()].prop_map(|steps| steps.map(|step| step as f32 / 8.0))
}

/// From nothing to more than any category with a bound holds.
fn half() -> impl Strategy<Value = f32> {
    prop_oneof![4 => 0..=4i32, 3 => 5..=16i32, 1 => 17..=70i32, 1 => 70..=200i32]
        .prop_map(|steps| steps as f32 / 8.0)
}

/// Mostly none.
fn infinite() -> impl Strategy<Value = InfiniteSides> {
    let some = any::<[bool; 4]>().prop_map(|[a, b, c, d]| InfiniteSides {
        min: [a, b],
        max: [c, d],
    });
    prop_oneof![9 => Just(InfiniteSides::default()), 1 => some]
}

/// Mostly of a few groups; some of groups anywhere, so that a category comes to have more kinds than there are bits in a
/// word; and of either rule.
fn masks() -> impl Strategy<Value = Masks> {
    let bit =
        || prop_oneof![2 => (0..64u32).prop_map(|bit| 1 << bit), 1 => any::<u64>(), 1 => 0..8u64];
    prop_oneof![
        3 => Just(Masks::ALL),
        1 => (1..4u64, 0..4u64).prop_map(|(memberships, filter)| Masks::new(memberships, filter)),
        1 => (1..4u64, 0..4u64)
            .prop_map(|(memberships, filter)| Masks::new(memberships << 40, filter << 40).with_mode(MaskMode::Or)),
        1 => (bit(), bit(), any::<bool>()).prop_map(|(memberships, filter, or)| {
            Masks::new(memberships, filter).with_mode(if or { MaskMode::Or } else { MaskMode::And })
        }),
    ]
}
