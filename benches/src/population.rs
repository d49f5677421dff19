//! What is measured on: a scene for each category of a world.

use throng::CategoryKind;
use throng_scenes::{BoxScene, Scene, log_uniform_boxes, lord_of_the_rings};

/// The rows of one category.
#[derive(Clone, Debug)]
pub struct Group {
    /// Where they are and how big. Named after the category.
    pub scene: Scene,
    /// What keeps them. Rows of a uniform category that have half extents of their own are compared by these.
    pub kind: CategoryKind,
}

/// All that is in a world, as centres and half extents.
///
/// Whoever knows no categories counts rows through all groups, in their order. Sides are computed from centres here as
/// the broadphase computes them, because sides that are rounded otherwise would make other pairs.
#[derive(Clone, Debug)]
pub struct Population {
    /// What it is called in tables.
    pub name: String,
    /// One for each category.
    pub groups: Vec<Group>,
}

/// Sides of a box: min x, min y, max x, max y.
pub type Sides = [f32; 4];

impl Population {
    /// Boxes with half extents from 1 to 100, every ratio as likely as any other, in one oversized category.
    pub fn mixed(rows: usize, pairs: f32, seed: u64) -> Self {
        let boxes = log_uniform_boxes(rows, [1.0, 100.0], pairs, seed);
        Self {
            name: boxes.name.clone(),
            groups: vec![oversized(&boxes)],
        }
    }

    /// Units and faeries in uniform categories, dragons in an oversized one; see [`throng_scenes::LordOfTheRings`].
    pub fn rings(rows: usize, seed: u64) -> Self {
        let rings = lord_of_the_rings(rows, seed);
        Self {
            name: "lord of the rings".to_owned(),
            groups: vec![
                uniform(rings.units),
                uniform(rings.faeries),
                oversized(&rings.dragons),
            ],
        }
    }

    /// How many rows there are in all groups.
    pub fn len(&self) -> usize {
        self.groups.iter().map(|group| group.scene.len()).sum()
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
                let [half_x, half_y] = half_extents(&group.scene, row);
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
        Self {
            name: scene.name.clone(),
            groups: vec![uniform(scene)],
        }
    }
}

/// A row's own half extents, or the bound if it has none.
pub fn half_extents(scene: &Scene, row: usize) -> [f32; 2] {
    match &scene.half_extents {
        Some(half_extents) => half_extents[row],
        None => scene.half,
    }
}

fn uniform(scene: Scene) -> Group {
    Group {
        scene,
        kind: CategoryKind::Uniform,
    }
}

fn oversized(boxes: &BoxScene) -> Group {
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
    Group {
        scene,
        kind: CategoryKind::Oversized,
    }
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
        let firsts = Population::mixed(300, 1.0, 1).first_rows();
        assert_eq!(firsts, [0]);
    }
}
