//! What is measured on: a scene for each category of a world.

use throng::CategoryKind;
use throng_scenes::{BoxScene, Scene, log_uniform_boxes, lord_of_the_rings_with_walls};

/// Several boxes tall, in mean half extents: about how the grid lays out its strips at one pair per agent, but nothing
/// depends on it.
const STRIP_HEIGHT: f32 = 12.0;

/// The rows of one category.
#[derive(Clone, Debug)]
pub struct Group {
    /// Where they are and how big. Named after the category.
    pub scene: Scene,
    /// What keeps them. Rows of a uniform category that have half extents of their own are compared by these.
    pub kind: CategoryKind,
}

impl Group {
    /// Whether it is not scenery.
    pub fn moves(&self) -> bool {
        self.kind != CategoryKind::Scenery
    }
}

/// All that is in a world, as centres and half extents.
///
/// Whoever knows no categories counts rows through all groups, in their order. Sides are computed from centres here as
/// the broadphase computes them, because sides that are rounded otherwise would make other pairs.
#[derive(Clone, Debug)]
pub struct Population {
    /// What it is called in tables.
    pub name: String,
    /// One for each category. Scenery comes last.
    pub groups: Vec<Group>,
    /// The rows that are somewhere else than in the frame before, ascending, or that may be.
    pub moved: Vec<u32>,
}

/// Sides of a box: min x, min y, max x, max y.
pub type Sides = [f32; 4];

impl Population {
    /// Groups of which all rows move but those of scenery.
    pub fn new(name: impl Into<String>, groups: Vec<Group>) -> Self {
        let mut population = Self {
            name: name.into(),
            groups,
            moved: Vec::new(),
        };
        population.moved = (0..population.movers() as u32).collect();
        population
    }

    /// Boxes with half extents from 1 to 100, every ratio as likely as any other, in one oversized category.
    pub fn mixed(rows: usize, pairs: f32, seed: u64) -> Self {
        Self::of_sizes(rows, [1.0, 100.0], pairs, seed)
    }

    /// Boxes with half extents between these two, every ratio as likely as any other, in one oversized category.
    pub fn of_sizes(rows: usize, half_extents: [f32; 2], pairs: f32, seed: u64) -> Self {
        let boxes = log_uniform_boxes(rows, half_extents, pairs, seed);
        Self::new(
            boxes.name.clone(),
            vec![boxed(&boxes, CategoryKind::Oversized)],
        )
    }

    /// The same boxes, which never move, in one category of scenery.
    pub fn walls(rows: usize, half_extents: [f32; 2], pairs: f32, seed: u64) -> Self {
        let boxes = log_uniform_boxes(rows, half_extents, pairs, seed);
        Self::new(
            boxes.name.clone(),
            vec![boxed(&boxes, CategoryKind::Scenery)],
        )
    }

    /// Units and faeries in uniform categories, dragons in an oversized one; see [`throng_scenes::LordOfTheRings`].
    pub fn rings(rows: usize, seed: u64) -> Self {
        Self::rings_with_walls(rows, 0, seed)
    }

    /// The same with walls, if any, in a category of scenery.
    pub fn rings_with_walls(rows: usize, walls: usize, seed: u64) -> Self {
        let rings = lord_of_the_rings_with_walls(rows, walls, seed);
        let mut groups = vec![
            uniform(rings.units),
            uniform(rings.faeries),
            boxed(&rings.dragons, CategoryKind::Oversized),
        ];
        if walls > 0 {
            groups.push(boxed(&rings.walls, CategoryKind::Scenery));
        }
        Self::new("lord of the rings", groups)
    }

    /// Puts the rows of each group in the order of space.
    pub fn sort_by_space(&mut self) {
        for scene in self.groups.iter_mut().map(|group| &mut group.scene) {
            let halves = (0..scene.len()).map(|row| scene.half_extents_of(row)[1]);
            let mean = halves.sum::<f32>() / scene.len().max(1) as f32;
            scene.sort_by_space((STRIP_HEIGHT * mean).max(f32::MIN_POSITIVE));
        }
    }

    /// How many rows there are in all groups.
    pub fn len(&self) -> usize {
        self.groups.iter().map(|group| group.scene.len()).sum()
    }

    /// How many rows come before those of scenery. Two rows of scenery are no pair.
    pub fn movers(&self) -> usize {
        let groups = self.groups.iter().filter(|group| group.moves());
        groups.map(|group| group.scene.len()).sum()
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The scene of the only group.
    ///
    /// # Panics
    ///
    /// If there are others.
    pub fn only(&self) -> &Scene {
        match self.groups.as_slice() {
            [group] => &group.scene,
            groups => panic!("{} groups where one is wanted", groups.len()),
        }
    }

    /// The boxes of all rows.
    pub fn boxes(&self) -> impl Iterator<Item = Sides> {
        self.groups.iter().flat_map(|group| {
            let Scene { xs, ys, .. } = &group.scene;
            xs.iter().zip(ys).enumerate().map(|(row, (&x, &y))| {
                let [half_x, half_y] = group.scene.half_extents_of(row);
                [x - half_x, y - half_y, x + half_x, y + half_y]
            })
        })
    }

    /// The number of each group's first row, where rows are counted through all groups.
    pub fn first_rows(&self) -> Vec<u32> {
        let groups = self.groups.iter();
        let firsts = groups.scan(0, |next, group| {
            let first = *next;
            *next += group.scene.len() as u32;
            Some(first)
        });
        firsts.collect()
    }
}

/// One uniform category.
impl From<Scene> for Population {
    fn from(scene: Scene) -> Self {
        Self::new(scene.name.clone(), vec![uniform(scene)])
    }
}

fn uniform(scene: Scene) -> Group {
    Group {
        scene,
        kind: CategoryKind::Uniform,
    }
}

fn boxed(boxes: &BoxScene, kind: CategoryKind) -> Group {
    let boxes_of =
        (0..boxes.len()).map(|row| boxes.aabb(row).expect("scenes measured on are sound"));
    let (centers, half_extents): (Vec<_>, Vec<_>) = boxes_of
        .map(|aabb| (aabb.center(), aabb.half_extents()))
        .unzip();
    let bound = half_extents.iter().fold([0.0_f32; 2], |bound, half| {
        [bound[0].max(half[0]), bound[1].max(half[1])]
    });
    let mut scene = Scene::new(boxes.name.clone(), bound, centers);
    scene.half_extents = Some(half_extents);
    Group { scene, kind }
}

#[cfg(test)]
mod tests {
    use super::Population;

    #[test]
    fn rows_are_counted_through_all_groups() {
        let rings = Population::rings(2_000, 1);
        assert_eq!(rings.first_rows(), [0, 1_890, 1_990]);
        assert_eq!((rings.len(), rings.boxes().count()), (2_000, 2_000));
        let [min_x, _, max_x, _] = rings.boxes().nth(1_995).unwrap();
        assert!((19.0..41.0).contains(&(max_x - min_x)), "a dragon");
        let mixed = Population::mixed(300, 1.0, 1);
        assert_eq!((mixed.first_rows(), mixed.moved.len()), (vec![0], 300));
    }

    #[test]
    fn scenery_comes_last_and_does_not_move() {
        let walled = Population::rings_with_walls(2_000, 50, 1);
        assert_eq!((walled.len(), walled.movers()), (2_050, 2_000));
        assert_eq!(walled.moved, (0..2_000).collect::<Vec<_>>());
        let rings = Population::rings(2_000, 1);
        assert!(rings.boxes().eq(walled.boxes().take(2_000)));
    }
}
