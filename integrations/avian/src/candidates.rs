//! Which pairs of overlapping boxes are new to avian: the filters of its own broad phase, in its own order.

use avian2d::collider_tree::{ColliderTreeProxy, ColliderTreeProxyKey, ColliderTrees};
use avian2d::dynamics::joints::joint_graph::JointGraph;
use avian2d::prelude::ContactGraph;
use throng::{Narrowphase, PairBatch};

use crate::mirror::Seen;
use crate::per_proxy::{PerProxy, from_bits};

/// A candidate for a contact: first who asked for it, as the first collider of the contact, and then who was found.
pub(crate) type Candidate = [ColliderTreeProxyKey; 2];

/// Keeps those pairs that avian's queries would find, all filters but the user's own applied.
///
/// Avian sends each proxy that has moved through its trees. Of two that have both moved, only the first in the order of trees and
/// numbers asks for the other, but sensors always ask; and static ones do not ask for static ones, unless they are sensors. So a
/// pair is found twice if a sensor is the later of two that have moved.
pub(crate) struct FindCandidates<'a> {
    pub(crate) trees: &'a ColliderTrees,
    pub(crate) seen: &'a PerProxy<Seen>,
    pub(crate) contacts: &'a ContactGraph,
    pub(crate) joints: &'a JointGraph,
}

impl Narrowphase for FindCandidates<'_> {
    type Scratch = ();
    type Output = Vec<Candidate>;

    fn collide(&self, batch: PairBatch<'_>, _scratch: &mut (), found: &mut Vec<Candidate>) {
        for &pair in batch.pairs() {
            let [a, b] = batch.keys(pair).map(from_bits);
            let (Some(seen_a), Some(seen_b)) = (self.seen.get(a), self.seen.get(b)) else {
                continue;
            };
            if self.is_new([seen_a, seen_b]) {
                found.extend(
                    self.asked_for([(a, seen_a), (b, seen_b)])
                        .into_iter()
                        .flatten(),
                );
            }
        }
    }
}

impl FindCandidates<'_> {
    /// Whether either of two has moved, their boxes overlap, and they are not in contact: few do, so these are tested first.
    #[inline]
    fn is_new(&self, [a, b]: [&Seen; 2]) -> bool {
        let (Some(box_a), Some(box_b)) = (&a.aabb, &b.aabb) else {
            return false;
        };
        let (Some(collider_a), Some(collider_b)) = (a.collider, b.collider) else {
            return false;
        };
        // Boxes in throng are somewhat larger.
        (a.rank().is_some() || b.rank().is_some())
            && box_a.overlaps(box_b)
            && !self.contacts.contains(collider_a, collider_b)
    }

    /// The pair, with the one first that asks for it; twice if both do; and never, if they cannot be in contact.
    fn asked_for(&self, [a, b]: [(ColliderTreeProxyKey, &Seen); 2]) -> [Option<Candidate>; 2] {
        let (Some(proxy_a), Some(proxy_b)) = (self.trees.get_proxy(a.0), self.trees.get_proxy(b.0))
        else {
            return [None; 2];
        };
        if self.can_touch(proxy_a, proxy_b) {
            [
                asks(a, b, proxy_a.is_sensor()).then_some([a.0, b.0]),
                asks(b, a, proxy_b.is_sensor()).then_some([b.0, a.0]),
            ]
        } else {
            [None; 2]
        }
    }

    /// Whether two may be in contact at all. Their layers have been compared.
    fn can_touch(&self, a: &ColliderTreeProxy, b: &ColliderTreeProxy) -> bool {
        if a.body == b.body {
            return false; // Also if neither has one.
        }
        let (Some(a), Some(b)) = (a.body, b.body) else {
            return true;
        };
        let mut joints = self.joints.joints_between(a, b);
        !joints.any(|joint| joint.collision_disabled)
    }
}

/// Whether a proxy would ask for the other one.
fn asks(
    (asking, seen): (ColliderTreeProxyKey, &Seen),
    (other, seen_other): (ColliderTreeProxyKey, &Seen),
    is_sensor: bool,
) -> bool {
    let place = |key: ColliderTreeProxyKey| (key.tree_type() as u8, key.id());
    let both_static = asking.is_static() && other.is_static();
    let is_left_to_other = place(other) < place(asking) && seen_other.rank().is_some();
    seen.rank().is_some() && (is_sensor || !(both_static || is_left_to_other))
}
