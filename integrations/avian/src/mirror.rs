//! A world of throng that has the boxes of avian's collider trees.

use std::sync::Arc;

use avian2d::collider_tree::{
    ColliderTree, ColliderTreeProxy, ColliderTreeProxyKey, ColliderTreeType, ColliderTrees,
    MovedProxies, ProxyId as TreeId,
};
use bevy::ecs::entity::Entity;
use bevy::log::error;
use bevy_throng::BevyTasks;
use throng::{Aabb, Broadphase};

use crate::categories::{are_alike, config_for};
use crate::inside::{Inside, with_room};
use crate::per_proxy::PerProxy;
use crate::tuning::Tuning;

/// The colliders of avian's trees in a world of throng, and who of them has moved.
#[derive(Debug)]
pub(crate) struct Mirror {
    pub(crate) world: Broadphase,
    pub(crate) seen: PerProxy<Seen>,
    insides: PerProxy<Option<Inside>>,
    /// How many of each tree are followed.
    counts: [usize; ColliderTreeType::ALL.len()],
    /// Those that have moved, in the order in which avian asks for their pairs.
    moved: Vec<ColliderTreeProxyKey>,
    tuning: Tuning,
    /// How often the config was chosen.
    generation: u32,
    /// Kept for its memory.
    looks: Vec<Look>,
}

/// What has to be known of a proxy for most pairs, at hand.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Seen {
    /// The box that avian's queries compare, as it was when it was last looked at. `None` if it is not a box, as after a position
    /// has become NaN; and for proxies that are gone.
    pub(crate) aabb: Option<Aabb>,
    /// Whose it is; `None` for a proxy that is gone, or was never there.
    pub(crate) collider: Option<Entity>,
    /// 0 for who has not moved, otherwise one more than its place among those that have: who is new, and whose box has changed.
    rank: u32,
}

impl Seen {
    /// When its turn comes to ask for pairs; `None` for who has not moved.
    #[inline]
    pub(crate) fn rank(&self) -> Option<u32> {
        (self.rank != 0).then_some(self.rank)
    }
}

/// A proxy to be looked at, and its box.
type Look = (ColliderTreeProxyKey, Option<Aabb>);

impl Default for Mirror {
    fn default() -> Self {
        let mut world =
            Broadphase::new(config_for(&[], 0)).expect("it has one category of each kind");
        world.set_executor(Some(Arc::new(BevyTasks)));
        Self {
            world,
            seen: PerProxy::default(),
            insides: PerProxy::default(),
            counts: [0; ColliderTreeType::ALL.len()],
            moved: Vec::new(),
            tuning: Tuning::default(),
            generation: 0,
            looks: Vec::new(),
        }
    }
}

impl Mirror {
    /// Brings the world up to date: with those that have moved, with those of `changed`, which have to be all whose key or
    /// layers were written since the last call, and with the loss of those that are gone.
    pub(crate) fn follow(
        &mut self,
        trees: &ColliderTrees,
        moved: &MovedProxies,
        changed: impl Iterator<Item = ColliderTreeProxyKey>,
    ) {
        self.rank(moved);
        // All boxes first: most are in no cache, and are not waited for one by one.
        let mut looks = std::mem::take(&mut self.looks);
        looks.clear();
        looks.extend(self.moved.iter().map(|&key| (key, box_of(key, trees))));
        let others = changed.filter(|&key| self.seen.get(key).is_none_or(|seen| seen.rank == 0));
        looks.extend(others.map(|key| (key, box_of(key, trees))));
        for &look in &looks {
            self.look_at(look, trees);
        }
        self.looks = looks;
        // Whoever came is followed by now. So if there are no more than in the tree, nobody who is gone is among them.
        for tree in ColliderTreeType::ALL {
            if self.counts[tree as usize] != trees.tree_for_type(tree).proxies.len() {
                self.forget_those_gone(tree, trees.tree_for_type(tree));
            }
        }
        self.tune();
    }

    /// Whether nobody has moved, so that avian would ask for no pairs.
    pub(crate) fn is_still(&self) -> bool {
        self.moved.is_empty()
    }

    fn rank(&mut self, moved: &MovedProxies) {
        for key in self.moved.drain(..) {
            self.seen.get_mut(key).rank = 0;
        }
        self.moved.extend_from_slice(moved.proxies());
        for (rank, &key) in (1..).zip(&self.moved) {
            self.seen.get_mut(key).rank = rank;
        }
    }

    fn look_at(&mut self, (key, aabb): Look, trees: &ColliderTrees) {
        let Some(proxy) = trees.get_proxy(key) else {
            return; // No longer there, or a collider that is disabled.
        };
        let seen = self.seen.get_mut(key);
        let inside = self.insides.get_mut(key);
        if seen.collider != Some(proxy.collider) {
            match seen.collider.replace(proxy.collider) {
                Some(_) => remove(&mut self.world, inside),
                None => self.counts[key.tree_type() as usize] += 1,
            }
        }
        seen.aabb = aabb;
        let done = match (&mut *inside, aabb) {
            (_, None) => {
                remove(&mut self.world, inside);
                Ok(())
            }
            (Some(inside), Some(aabb)) => {
                inside.update(&mut self.world, proxy, aabb, seen.rank != 0)
            }
            (None, Some(aabb)) => {
                Inside::insert(&mut self.world, key, proxy, aabb).map(|new| *inside = Some(new))
            }
        };
        if let Err(error) = done {
            let ColliderTreeProxy { collider, .. } = proxy;
            error!("collider {collider} may lack contacts: {error}");
        }
    }

    fn forget_those_gone(&mut self, tree_type: ColliderTreeType, tree: &ColliderTree) {
        for number in 0..self.seen.of_tree(tree_type).len() {
            let id = TreeId::new(number as u32);
            let key = ColliderTreeProxyKey::new(id, tree_type);
            let seen = self.seen.get_mut(key);
            if seen.collider.is_some() && tree.get_proxy(id).is_none() {
                *seen = Seen::default();
                self.counts[tree_type as usize] -= 1;
                remove(&mut self.world, self.insides.get_mut(key));
            }
        }
    }

    /// Chooses other categories if that is due.
    fn tune(&mut self) {
        let moving = [ColliderTreeType::Dynamic, ColliderTreeType::Kinematic];
        let count = moving.map(|tree| self.counts[tree as usize]).iter().sum();
        if !self.tuning.is_due(count, self.world.report()) {
            return;
        }
        let seen = moving.iter().flat_map(|&tree| self.seen.of_tree(tree));
        let boxes = seen.filter_map(|seen| seen.aabb);
        let sample: Vec<_> = boxes
            .map(|aabb| with_room(however_it_turns(aabb)))
            .collect();
        let config = config_for(&sample, self.generation + 1);
        let has_changed = !are_alike(&config, self.world.config());
        self.tuning.note_choice(count, has_changed);
        if has_changed {
            self.generation += 1;
            if let Err(error) = self.world.reconfigure(config) {
                error!("the broad phase keeps its categories: {error}");
            }
        }
    }
}

fn remove(world: &mut Broadphase, inside: &mut Option<Inside>) {
    if let Some(inside) = inside.take()
        && let Err(error) = inside.remove(world)
    {
        error!("a collider that is gone could not be removed: {error}");
    }
}

/// The box of a proxy in avian's trees, if it is one.
fn box_of(key: ColliderTreeProxyKey, trees: &ColliderTrees) -> Option<Aabb> {
    let aabb = trees
        .tree_for_type(key.tree_type())
        .get_proxy_aabb(key.id())?;
    Aabb::new([aabb.min.x, aabb.min.y], [aabb.max.x, aabb.max.y]).ok()
}

/// A box that holds whatever is in this one also when it has turned.
fn however_it_turns(aabb: Aabb) -> Aabb {
    let [x, y] = aabb.half_extents();
    Aabb::from_center(aabb.center(), [x.hypot(y); 2]).unwrap_or(aabb)
}

/// Trees made by hand, in which more can happen than in a world that avian looks after.
#[cfg(test)]
mod tests {
    use avian2d::collider_tree::ColliderTreeProxyFlags;
    use avian2d::prelude::{ColliderAabb, CollisionLayers};
    use bevy::math::Vec2;

    use super::*;

    struct Trees {
        trees: ColliderTrees,
        moved: MovedProxies,
        mirror: Mirror,
    }

    fn entity(number: u32) -> Entity {
        Entity::from_raw_u32(number).unwrap()
    }

    fn unit_box(x: f32) -> ColliderAabb {
        ColliderAabb {
            min: Vec2::new(x - 1.0, -1.0),
            max: Vec2::new(x + 1.0, 1.0),
        }
    }

    impl Trees {
        fn new() -> Self {
            Self {
                trees: ColliderTrees::default(),
                moved: MovedProxies::default(),
                mirror: Mirror::default(),
            }
        }

        fn add(
            &mut self,
            tree: ColliderTreeType,
            number: u32,
            aabb: ColliderAabb,
        ) -> ColliderTreeProxyKey {
            let proxy = ColliderTreeProxy {
                collider: entity(number),
                body: Some(entity(number)),
                layers: CollisionLayers::DEFAULT,
                flags: ColliderTreeProxyFlags::empty(),
            };
            let id = self
                .trees
                .tree_for_type_mut(tree)
                .add_proxy(aabb.into(), proxy);
            ColliderTreeProxyKey::new(id, tree)
        }

        fn add_dynamic(&mut self, number: u32, x: f32) -> ColliderTreeProxyKey {
            self.add(ColliderTreeType::Dynamic, number, unit_box(x))
        }

        fn remove(&mut self, key: ColliderTreeProxyKey) {
            let tree = self.trees.tree_for_type_mut(key.tree_type());
            tree.remove_proxy(key.id()).unwrap();
        }

        fn move_to(&mut self, key: ColliderTreeProxyKey, aabb: ColliderAabb) {
            let tree = self.trees.tree_for_type_mut(key.tree_type());
            tree.resize_proxy_aabb(key.id(), aabb.into());
            self.moved.insert(key);
        }

        /// Lets the world follow, and says which keys overlap there.
        fn pairs(&mut self, changed: &[ColliderTreeProxyKey]) -> Vec<[u64; 2]> {
            self.mirror
                .follow(&self.trees, &self.moved, changed.iter().copied());
            self.moved.clear();
            let mut pairs: Vec<_> = self.mirror.world.step_pairs().keys().collect();
            pairs.iter_mut().for_each(|pair| pair.sort_unstable());
            pairs.sort_unstable();
            pairs
        }

        fn colliders(&self) -> Vec<Option<u32>> {
            let seen = self.mirror.seen.of_tree(ColliderTreeType::Dynamic).iter();
            seen.map(|seen| seen.collider.map(|collider| collider.index_u32()))
                .collect()
        }
    }

    #[test]
    fn whoever_is_added_without_having_moved_is_found() {
        let mut trees = Trees::new();
        let [a, b] = [(1, 0.0), (2, 1.5)].map(|(number, x)| trees.add_dynamic(number, x));
        assert_eq!(trees.pairs(&[a, b]), [[0, 4]]);
        assert_eq!(trees.colliders(), [Some(1), Some(2)]);
    }

    #[test]
    fn whoever_is_gone_is_forgotten_without_being_told() {
        let mut trees = Trees::new();
        let keys = [0, 1, 2].map(|number| trees.add_dynamic(number, number as f32));
        assert_eq!(trees.pairs(&keys).len(), 3);
        trees.remove(keys[1]);
        assert_eq!(trees.pairs(&[]), [[0, 8]]);
        assert_eq!(trees.colliders(), [Some(0), None, Some(2)]);
        assert_eq!(trees.mirror.counts, [2, 0, 0, 0]);
        assert_eq!(trees.mirror.world.len(), 2);
    }

    #[test]
    fn a_number_that_is_given_again_is_somebody_else() {
        let mut trees = Trees::new();
        let keys = [0, 1].map(|number| trees.add_dynamic(number, number as f32));
        assert_eq!(trees.pairs(&keys).len(), 1);
        trees.remove(keys[1]);
        let again = trees.add_dynamic(7, 50.0);
        assert_eq!(again, keys[1]);
        assert_eq!(
            trees.pairs(&[again]),
            [[0; 2]; 0],
            "it is far away, though it has not moved"
        );
        assert_eq!(trees.colliders(), [Some(0), Some(7)]);
        assert_eq!(trees.mirror.world.len(), 2);
    }

    #[test]
    fn a_static_that_takes_the_number_of_another_is_scenery() {
        let mut trees = Trees::new();
        let wall =
            |trees: &mut Trees, number| trees.add(ColliderTreeType::Static, number, unit_box(0.0));
        let one = wall(&mut trees, 1);
        trees.pairs(&[one]);
        trees.remove(one);
        let other = wall(&mut trees, 2);
        assert_eq!(other, one);
        trees.moved.insert(other);
        trees.pairs(&[other]);
        let packed = trees.mirror.world.category("statics").unwrap();
        assert_eq!(trees.mirror.world.rows(packed), 1);
    }

    #[test]
    fn two_standalone_ones_meet_if_they_are_parts_of_something() {
        let mut trees = Trees::new();
        let standalone = ColliderTreeType::Standalone;
        let keys = [1, 2].map(|number| trees.add(standalone, number, unit_box(0.0)));
        assert_eq!(trees.pairs(&keys).len(), 1);
        let set_body = |trees: &mut Trees, body: [Option<Entity>; 2]| {
            for (key, body) in keys.into_iter().zip(body) {
                let tree = trees.trees.tree_for_type_mut(standalone);
                let aabb = tree.get_proxy_aabb(key.id()).unwrap();
                let mut proxy = tree.remove_proxy(key.id()).unwrap();
                proxy.body = body;
                assert_eq!(tree.add_proxy(aabb, proxy), key.id());
            }
        };
        let mut trees = Trees::new();
        let again = [1, 2].map(|number| trees.add(standalone, number, unit_box(0.0)));
        assert_eq!(again, keys);
        set_body(&mut trees, [None; 2]);
        assert_eq!(trees.pairs(&keys).len(), 0);
        set_body(&mut trees, [1, 2].map(|number| Some(entity(number))));
        assert_eq!(trees.pairs(&keys).len(), 1);
    }

    #[test]
    fn what_is_no_box_is_in_no_pair_until_it_is_one() {
        let mut trees = Trees::new();
        let keys = [0, 1, 2].map(|number| trees.add_dynamic(number, number as f32));
        assert_eq!(trees.pairs(&keys).len(), 3);
        for lost in [f32::NAN, f32::INFINITY] {
            let nowhere = ColliderAabb {
                min: Vec2::splat(lost),
                max: Vec2::splat(-lost),
            };
            trees.move_to(keys[1], nowhere);
            assert_eq!(trees.pairs(&[]), [[0, 8]]);
            assert_eq!(trees.mirror.world.len(), 2);
            trees.move_to(keys[1], unit_box(1.0));
            assert_eq!(trees.pairs(&[]).len(), 3);
        }
    }

    #[test]
    fn boxes_without_an_end_meet_everybody_on_their_side() {
        let mut trees = Trees::new();
        let endless = |x: f32| ColliderAabb {
            min: Vec2::new(f32::NEG_INFINITY, f32::NEG_INFINITY),
            max: Vec2::new(x, f32::INFINITY),
        };
        let half_plane = trees.add(ColliderTreeType::Kinematic, 1, endless(-5.0));
        let balls = [(2, -90.0), (3, 3.0)].map(|(number, x)| trees.add_dynamic(number, x));
        assert_eq!(trees.pairs(&[half_plane, balls[0], balls[1]]), [[0, 1]]);
        trees.move_to(half_plane, endless(2.0));
        assert_eq!(trees.pairs(&[]), [[0, 1], [1, 4]]);
        let other_half = ColliderAabb {
            min: Vec2::new(2.0, f32::NEG_INFINITY),
            max: Vec2::new(f32::INFINITY, f32::INFINITY),
        };
        trees.move_to(half_plane, other_half);
        assert_eq!(trees.pairs(&[]), [[1, 4]]);
    }

    #[test]
    fn ranks_are_those_of_the_last_step_only() {
        let mut trees = Trees::new();
        let keys = [0, 1, 2].map(|number| trees.add_dynamic(number, 9.0 * number as f32));
        trees.moved.insert(keys[2]);
        trees.moved.insert(keys[0]);
        trees.pairs(&keys);
        let ranks = |trees: &Trees| keys.map(|key| trees.mirror.seen.get(key).unwrap().rank());
        assert_eq!(ranks(&trees), [Some(2), None, Some(1)]);
        assert!(!trees.mirror.is_still());
        trees.pairs(&[]);
        assert_eq!(ranks(&trees), [None; 3]);
        assert!(trees.mirror.is_still());
    }
}
