//! A broadphase that holds a population.

use throng::{
    Aabb, Broadphase, BroadphaseConfig, CategoryConfig, CategoryId, CategoryKind, Masks, Proxy,
    Resting, SimdLevel,
};
use throng_core::{Executor, run_each};
use throng_scenes::Scene;

use crate::population::{Group, Population};

/// A world with a category for each group, row `i` of it being row `i` of the group, with a key for every row, and
/// with the masks of [`masks_of_row`] if it is to be `masked`.
///
/// # Panics
///
/// If the population is not sound, or the machine lacks the instruction set.
pub fn world_of(population: &Population, masked: bool, simd: Option<SimdLevel>) -> Broadphase {
    let mut config = BroadphaseConfig::new();
    config.categories = population.groups.iter().map(category_of).collect();
    config.simd = simd;
    let mut world = Broadphase::new(config).expect("sound categories");
    for (group, category) in population.groups.iter().zip(categories()) {
        let scene = &group.scene;
        let proxies = (0..scene.len()).map(|row| {
            proxy_of(group, row)
                .in_category(category)
                .key(key_of_row(row as u32))
                .masks(if masked {
                    masks_of_row(row)
                } else {
                    Masks::ALL
                })
        });
        world
            .reserve(category, scene.len())
            .expect("it was made with it");
        let refused = world.insert_batch(proxies).refused;
        assert_eq!(refused, [], "all fit the category");
    }
    world
}

/// Rows that are written as one task.
const ROWS_EACH: usize = 1 << 15;

/// Writes where everything is that moves into a [`world_of`] a population, a chunk for each task.
///
/// # Panics
///
/// If the world is not of such a population.
pub fn write_centers(world: &mut Broadphase, population: &Population, executor: &dyn Executor) {
    let groups = population.groups.iter().zip(categories());
    for (group, category) in groups.filter(|(group, _)| group.moves()) {
        let mut centers = world.centers_mut(category).expect("it was made with it");
        let (xs, ys) = (&group.scene.xs, &group.scene.ys);
        assert_eq!(xs.len(), centers.len(), "as many rows as the group");
        let parts = xs.chunks(ROWS_EACH).zip(ys.chunks(ROWS_EACH));
        let chunks = centers.chunks(ROWS_EACH).zip(parts);
        run_each(executor, chunks, |_, (mut chunk, (xs, ys))| {
            let fill = chunk.fill_from(xs, ys).expect("of one length");
            assert_eq!(fill.rejected, 0, "scenes that are measured on are finite");
        });
    }
}

/// The same for those rows alone that have moved. `rows` is memory for a list of them.
///
/// # Panics
///
/// If the world is not of such a population.
pub(crate) fn write_moved(world: &mut Broadphase, population: &Population, rows: &mut Vec<u32>) {
    let firsts = population.first_rows().into_iter();
    let groups = population.groups.iter().zip(firsts).zip(categories());
    for ((group, first), category) in groups.filter(|((group, _), _)| group.moves()) {
        let end = first + group.scene.len() as u32;
        let begin = population.moved.partition_point(|&row| row < first);
        let moved = population.moved[begin..]
            .iter()
            .take_while(|row| **row < end);
        rows.clear();
        rows.extend(moved.map(|row| row - first));
        let mut centers = world.centers_mut(category).expect("it was made with it");
        let fill = centers.set_rows_from(rows, &group.scene.xs, &group.scene.ys);
        let fill = fill.expect("rows of the group");
        assert_eq!(fill.rejected, 0, "scenes that are measured on are finite");
    }
}

/// The key of a row in a [`world_of`] a population.
fn key_of_row(row: u32) -> u64 {
    u64::from(row) + 1
}

/// The row that has a key there, as it was inserted.
pub fn row_of_key(key: u64) -> u32 {
    (key - 1) as u32
}

/// A world of a config whose first category takes all of a scene, in the order of its rows.
///
/// # Panics
///
/// If the config or the scene is not sound, or something does not fit.
pub fn world_of_scene(scene: &Scene, config: BroadphaseConfig) -> Broadphase {
    let mut world = Broadphase::new(config).expect("a sound config");
    let proxy = |row| {
        let center = [scene.xs[row], scene.ys[row]];
        Proxy::centered(center, scene.half_extents_of(row)).expect("a sound scene")
    };
    let proxies = (0..scene.len()).map(proxy);
    assert_eq!(world.insert_batch(proxies).refused, []);
    world
}

/// Gives the agents of a scene sizes of their own: from half the bound to all of it.
pub fn give_own_sizes(scene: &mut Scene) {
    let part = |row: usize| 0.5 + (row % 8) as f32 / 14.0;
    let sizes = (0..scene.len()).map(|row| scene.half.map(|half| half * part(row)));
    scene.half_extents = Some(sizes.collect());
}

/// From here on, whatever has not moved for three steps rests.
pub(crate) fn let_rest(world: &mut Broadphase) {
    let mut config = world.config().clone();
    config.world_tag = Some(world.world_tag());
    for category in &mut config.categories {
        if category.kind != CategoryKind::Scenery {
            category.rests = Resting::After(3);
        }
    }
    let done = world.reconfigure(config).expect("nothing else is new");
    assert_eq!(done.rerouted, 0, "all stay where they are");
}

fn proxy_of(group: &Group, row: usize) -> Proxy {
    const FINITE: &str = "scenes that are measured on are finite";
    let center = [group.scene.xs[row], group.scene.ys[row]];
    let half_extents = group.scene.half_extents_of(row);
    if group.moves() {
        Proxy::centered(center, half_extents).expect(FINITE)
    } else {
        Proxy::fixed(Aabb::from_center(center, half_extents).expect(FINITE))
    }
}

/// The categories of such a world, in the order of the groups, and more.
pub fn categories() -> impl Iterator<Item = CategoryId> {
    (0..).map(CategoryId::new)
}

/// Masks that differ from row to row and yet let every pair through, so that the pairs are those of the scene. That is
/// noticed, and so costs nothing.
pub fn masks_of_row(row: usize) -> Masks {
    Masks::new(1 << (row % 32), u64::MAX)
}

fn category_of(Group { scene, kind }: &Group) -> CategoryConfig {
    match kind {
        CategoryKind::Uniform => {
            let config = CategoryConfig::uniform(&scene.name, 0.0).half_extents(scene.half);
            match scene.half_extents {
                Some(_) => config,
                None => config.coarse(),
            }
        }
        CategoryKind::Oversized => CategoryConfig::oversized(&scene.name),
        CategoryKind::Scenery => CategoryConfig::scenery(&scene.name),
        other => unreachable!("no group is {other:?}"),
    }
}
