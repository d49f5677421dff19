//! Promise: every public type can be sent to and shared among threads, and printed.

use std::fmt::Debug;

use throng::*;

fn shared<T: Send + Sync + Debug>() {}

macro_rules! all_shared {
    ($($type:ty),* $(,)?) => { $(shared::<$type>();)* };
}

#[test]
fn all_of_them() {
    all_shared![
        // The world and its parts.
        Broadphase,
        BroadphaseConfig,
        CategoryConfig,
        CategoryKind,
        OversizedStructure,
        PairMode,
        StripsConfig,
        DoubleGridConfig,
        LooseQuadtreeConfig,
        CategoryId,
        ProxyId,
        RowRef,
        Proxy,
        ProxyView,
        Clock,
        // Writes.
        CentersMut<'_>,
        CenterChunk<'_>,
        Fill,
        CommandSender,
        CommandOutcome,
        CommandDone,
        Ticket,
        BatchInsert,
        BatchRemove,
        Inserted,
        Removed,
        Placement,
        Migration,
        Reconfigured,
        Unplaced,
        RowOrder,
        Permutation,
        // The frame.
        Plan<'_>,
        Step<'_, Vec<u32>>,
        PairBatch<'_>,
        PairData,
        CollectPairs,
        CountPairs,
        PairList,
        Serial,
        SimdLevel,
        // Queries.
        Queries<'_>,
        QueryFilter<'_>,
        QueryHit,
        CastHit,
        NearestHit,
        BatchResults<QueryHit>,
        FirstOnly<RayCast>,
        Cast,
        RayCast,
        BoxCast,
        CircleCast,
        Circle,
        ConvexPolygon,
        NearestQuery,
        CellView,
        Proximity,
        ProximityBatch<'_>,
        ProximityPair,
        ProximityPairs,
        Neighbors,
        NeighborLists<'_>,
        Neighborhood<'_>,
        NeighborOutputs<u32>,
        Masks,
        Aabb,
        Axis,
        InfiniteSides,
        // Scenery.
        Scenery,
        PackedQuadtree<&[u8]>,
        AlignedBytes,
        SharedBytes,
        // Reports.
        Report,
        CategoryReport,
        MeetingReport,
        ChunkStats,
        StageTimes,
        StepCut,
        RejectedCenter,
        MemoryReport,
        CategoryMemory,
        Activity,
        RowScatter,
        SizeCounts,
        SizeStep,
        Advice,
    ];
}

#[test]
fn errors_too() {
    fn error<T: std::error::Error + Send + Sync + 'static>() {}
    macro_rules! all_errors {
        ($($type:ty),* $(,)?) => { $(error::<$type>();)* };
    }
    all_errors![
        AabbError,
        BytesError,
        ColumnError,
        CommandError,
        ConfigError,
        ConfigProblem,
        ConvexPolygonError,
        InsertError,
        LooseError,
        PermutationError,
        PlacementError,
        ProxyError,
        QueryError,
        ReconfigureError,
        RefusedCenters,
        ReserveError,
        SceneryError,
        ShapeError,
        SortRowsError,
        StaleIndex,
        UnknownCategory,
    ];
}

/// With what they are, and not the memory behind it.
#[test]
fn views_say_what_they_are_of() {
    let config = BroadphaseConfig::new().category(CategoryConfig::uniform("sheep", 1.0));
    let mut world = Broadphase::new(config).unwrap();
    let sheep = CategoryId::new(0);
    world.insert_batch((0..2).map(|i| Proxy::centered([i as f32, 0.0], [1.0; 2]).unwrap()));
    world.refresh();
    let says = |view: &dyn Debug, expected: &str| assert_eq!(format!("{view:?}"), expected);
    says(&world.plan().unwrap(), "Plan { chunks: 1, .. }");
    let filter = "Queries { filter: QueryFilter { categories: [], without: [], masks: None, not_of: 0, except: [], only: None }, .. }";
    says(&world.query(), filter);
    let mut centers = world.centers_mut(sheep).unwrap();
    let rows = "CentersMut { category: \"sheep\", rows: 2, .. }";
    says(&centers, rows);
    let mut chunks = centers.chunks(1);
    let last = "CenterChunk { category: \"sheep\", rows: 1..2, .. }";
    says(&chunks.nth(1).unwrap(), last);
    drop(chunks);
    drop(centers);

    struct Prints;
    impl Narrowphase for Prints {
        type Scratch = ();
        type Output = Vec<String>;
        fn collide(&self, batch: PairBatch<'_>, _: &mut (), printed: &mut Vec<String>) {
            printed.push(format!("{batch:?}"));
        }
    }
    let step = world.step(&Prints);
    let printed: Vec<&String> = step.outputs().flatten().collect();
    let batch = "PairBatch { categories: [CategoryId(0), CategoryId(0)], pairs: [[0, 1]], is_predicted: false, .. }";
    assert_eq!(printed, [batch]);
    let words = format!("{step:?}");
    assert!(
        words.starts_with("Step { outputs: 1, report: Report {"),
        "{words}"
    );
}
