//! Walls: where they come from, and how they get into the broadphase.

use std::{fs, fs::File, path::Path};

use throng::{
    Aabb, AlignedBytes, Broadphase, BroadphaseConfig, CategoryConfig, CategoryId, CategoryKind,
    PackedQuadtree, Proxy, Scenery, SharedBytes,
};
use throng_scenes::{BoxScene, map::GridMap};

use crate::failure::Failure;

/// What the category is called that is added where walls have none to be in.
const NAME: &str = "walls";
/// The largest coordinates that walls may have, or their squares would soon be no ordinary numbers.
const FARTHEST: f32 = 1e7;
/// By how much, of a cell, a wall of a file may miss its place on a map.
const TOLERANCE: f32 = 1e-3;

/// What a world's walls are made of.
pub enum Walls {
    /// There are none.
    None,
    /// Boxes.
    Boxes(BoxScene),
    /// A tree, as it was read.
    Packed(Scenery),
}

/// The category for walls: the first one of scenery.
pub fn category(config: &BroadphaseConfig) -> Option<CategoryId> {
    let mut categories = (0..).zip(&config.categories);
    let scenery = categories.find(|(_, category)| category.kind == CategoryKind::Scenery);
    scenery.map(|(index, _)| CategoryId::new(index))
}

/// Sees to it that there is a category for walls: adds one at the end if there is none of scenery.
pub fn make_room(config: &mut BroadphaseConfig) {
    if category(config).is_none() {
        let is_taken = |name: &str| config.categories.iter().any(|other| other.name == name);
        let mut name = NAME.to_owned();
        while is_taken(&name) {
            name.push('\'');
        }
        config.categories.push(CategoryConfig::scenery(name));
    }
}

impl Walls {
    /// Puts all of them into the category for walls, which is empty, and gives their boxes by row.
    pub fn build(self, world: &mut Broadphase) -> Result<Vec<Aabb>, Failure> {
        let Some(category) = category(world.config()) else {
            return Ok(Vec::new());
        };
        match self {
            Self::None => Ok(Vec::new()),
            Self::Boxes(scene) => {
                let boxes: Vec<Aabb> = (0..scene.len()).filter_map(|row| scene.aabb(row)).collect();
                let walls = boxes
                    .iter()
                    .map(|wall| Proxy::fixed(*wall).in_category(category));
                match world.insert_batch(walls).refused.first() {
                    Some((_, error)) => Err(Failure::input(error.to_string())),
                    None => Ok(boxes),
                }
            }
            Self::Packed(tree) => {
                let loaded = world.load_scenery(category, &tree);
                loaded.map_err(|error| Failure::input(error.to_string()))?;
                let mut boxes = vec![Aabb::EVERYWHERE; tree.rows()];
                tree.for_each_box(|row, wall| boxes[row as usize] = wall);
                Ok(boxes)
            }
        }
    }
}

/// Reads a packed tree.
pub fn read(path: &Path) -> Result<Scenery, Failure> {
    let bytes = File::open(path).and_then(AlignedBytes::read_from);
    let bytes =
        bytes.map_err(|error| Failure::file(path, format_args!("cannot be read: {error}")))?;
    PackedQuadtree::from_bytes(SharedBytes::new(bytes)).map_err(|error| Failure::file(path, error))
}

/// Writes the walls of a world as a packed tree.
pub fn write(path: &Path, world: &Broadphase) -> Result<(), Failure> {
    let category = category(world.config())
        .ok_or_else(|| Failure::run("there is no category of scenery to be written"))?;
    let tree = world.pack_scenery(category);
    let tree = tree.map_err(|error| Failure::run(error.to_string()))?;
    fs::write(path, tree.as_bytes())
        .map_err(|error| Failure::file(path, format_args!("cannot be written: {error}")))
}

/// The box around all walls, if there are any; they must leave a world around them to be in.
pub fn bounds(walls: &Scenery) -> Result<Option<Aabb>, String> {
    let Some(bounds) = walls.bounds() else {
        return Ok(None);
    };
    let [low, high] = [bounds.min(), bounds.max()];
    if low.iter().chain(&high).any(|side| side.abs() > FARTHEST) {
        return Err(format!(
            "the walls reach from {low:?} to {high:?}; this swarm can use coordinates up to {FARTHEST:e}"
        ));
    }
    if low[0] >= high[0] || low[1] >= high[1] {
        return Err(format!(
            "the walls reach from {low:?} to {high:?}, which is no ground to stand on; name a map too"
        ));
    }
    Ok(Some(bounds))
}

/// The cell size at which a map's walls would end where these do, if there are any.
pub fn measured_cell(walls: &Scenery, map: &GridMap) -> Option<f32> {
    let cells = map.walls(1.0).bounds()?;
    Some(walls.bounds()?.max()[0] / cells.max()[0])
}

/// Whether these are a map's walls, with cells of this size.
pub fn are_of_map(walls: &Scenery, map: &GridMap, cell: f32) -> bool {
    if !(cell.is_finite() && cell > 0.0) {
        return false;
    }
    let of_map = map.walls(cell);
    if [walls.rows(), walls.len()] != [of_map.len(); 2] {
        return false;
    }
    let mut same = true;
    walls.for_each_box(|row, wall| {
        same &= of_map.aabb(row as usize).is_some_and(|expected| {
            let corners = [(wall.min(), expected.min()), (wall.max(), expected.max())];
            let mut sides = corners.iter().flat_map(|(a, b)| a.iter().zip(b));
            sides.all(|(a, b)| (a - b).abs() <= TOLERANCE * cell)
        });
    });
    same
}
