//! A stage of a frame: a hundred thousand agents that have moved meet fifty thousand walls that have not.

use std::hint::black_box;
use std::time::Instant;

use throng_benches::Samples;
use throng_core::{Arena, PairOrder, Serial};
use throng_grid::{GridConfig, PointGrid, Points};
use throng_quadtree::{PackedConfig, PackedQuadtree};

/// What meeting scenery costs.
pub struct Figures {
    /// Whether agents have sizes of their own.
    pub exact: bool,
    pub agents: usize,
    pub walls: usize,
    pub pairs_each: f64,
    /// ns per agent, one look for each piece of about a thousand of them.
    pub by_leaf: Samples,
    /// ns per agent, one walk for each of them.
    pub by_agent: Samples,
}

/// The half extent of agents that are all of one size: the mean of those that are not.
const MEAN_HALF: f32 = 0.8;

/// Meets scenery so many times, on one thread: agents with sizes of their own, or all of one size.
pub fn measure(frames: u32, exact: bool) -> Figures {
    let scene = throng_scenes::walls_and_agents(100_000, 50_000, 1.0, 1);
    let tree = PackedQuadtree::build(scene.walls.boxes(), PackedConfig::new(), &Serial);
    let tree = tree.expect("walls make a tree");
    let mut agents = scene.agents;
    if !exact {
        agents.half = [MEAN_HALF; 2];
        agents.half_extents = None;
    }
    let mut grid = PointGrid::new(GridConfig::new(agents.half)).expect("a bound");
    let points = Points {
        xs: &agents.xs,
        ys: &agents.ys,
        half_extents: agents.half_extents.as_deref(),
        absent: None,
    };
    for _ in 0..2 {
        grid.build(points, &Serial).expect("columns of one length");
    }
    let boxes: Vec<_> = (0..agents.len())
        .map(|row| agents.aabb(row).expect("agents have boxes"))
        .collect();
    let mut arena = Arena::with_capacity(grid.meet_boxes_scratch_bytes());
    let (mut by_leaf, mut by_agent) = (Samples::default(), Samples::default());
    let each = agents.len() as f64;
    let mut pairs = 0;
    for _ in 0..frames {
        let started = Instant::now();
        pairs = 0;
        for chunk in 0..grid.meet_boxes_chunks(&tree) {
            let mut consume = |batch: &[[u32; 2]]| {
                black_box(batch);
            };
            let stats = grid.meet_boxes_in_chunk(
                &tree,
                chunk,
                [None; 2],
                PairOrder::Left,
                &mut arena,
                &mut consume,
            );
            pairs += stats.pairs;
        }
        by_leaf.push(started.elapsed().as_nanos() as f64 / each);

        let started = Instant::now();
        let mut found = 0_u64;
        for own in &boxes {
            let _ = tree.query_aabb(own, |wall, _| -> std::ops::ControlFlow<()> {
                black_box(wall);
                found += 1;
                std::ops::ControlFlow::Continue(())
            });
        }
        by_agent.push(started.elapsed().as_nanos() as f64 / each);
        assert_eq!(found, pairs, "one by one and leaf by leaf");
    }
    Figures {
        exact,
        agents: agents.len(),
        walls: scene.walls.len(),
        pairs_each: pairs as f64 / each,
        by_leaf,
        by_agent,
    }
}
