//! A peer: broccoli 6.3, a k-d tree with sweep and prune.

use std::hint::black_box;
use std::time::Instant;

use broccoli::aabb::BBox;
use broccoli::{Tree, bbox, rect};
use throng_benches::{Contender, Fingerprint, Frame, Population};

/// A broccoli frame: the tree is built anew, then asked for all colliding pairs.
///
/// What makes it fair, or kinder than that: bots carry their box and their row in 20 bytes, the layout its own
/// documentation recommends; they are made anew before every frame, because a tree permutes them, and
/// **making them is not timed**; what is done with a pair is the least that no compiler can leave out, and nothing is
/// stored.
#[derive(Default)]
pub struct Broccoli {
    bots: Vec<BBox<f32, u32>>,
}

impl Broccoli {
    /// Without bots as yet.
    pub fn new() -> Self {
        Self::default()
    }

    fn for_each_pair(&mut self, mut visit: impl FnMut(u32, u32)) {
        let mut tree = Tree::new(&mut self.bots);
        tree.find_colliding_pairs(|a, b| visit(*a.unpack_inner(), *b.unpack_inner()));
    }
}

impl Contender for Broccoli {
    fn name(&self) -> &'static str {
        "broccoli"
    }

    fn prepare(&mut self, population: &Population) {
        self.bots.clear();
        let rows = population.boxes().zip(0..);
        self.bots
            .extend(rows.map(|([min_x, min_y, max_x, max_y], row)| {
                bbox(rect(min_x, max_x, min_y, max_y), row)
            }));
    }

    fn frame(&mut self, _population: &Population) -> Frame {
        let (mut pairs, mut rows) = (0, 0_u32);
        let started = Instant::now();
        self.for_each_pair(|a, b| {
            pairs += 1;
            rows = rows.wrapping_add(a ^ b);
        });
        black_box(rows);
        Frame {
            time: started.elapsed(),
            pairs,
        }
    }

    fn fingerprint(&mut self, _population: &Population) -> Fingerprint {
        let mut fingerprint = Fingerprint::default();
        self.for_each_pair(|a, b| fingerprint.add(a, b));
        fingerprint
    }
}

#[cfg(test)]
mod tests {
    use super::Broccoli;
    use crate::{Parry, Upkeep};
    use throng_benches::{Contender, Motion, Moving, Population, WholeStep, Workers};

    /// Peers are compared with the whole broadphase, which is compared with brute force where it is.
    #[test]
    fn peers_find_the_pairs_of_the_broadphase() {
        for population in [
            Population::from(throng_scenes::uniform(2_000, 1.0, 3)),
            Population::mixed(2_000, 1.0, 3),
            Population::rings(2_000, 3),
        ] {
            let workers = Workers::new(1).unwrap();
            let mut step = WholeStep::new(&population, false, None, workers);
            let mut peers: Vec<Box<dyn Contender>> = vec![
                Box::new(Broccoli::new()),
                Box::new(Parry::new(Upkeep::Refit)),
                Box::new(Parry::new(Upkeep::Optimize)),
            ];
            let mut moving = Moving::new(population, Motion::Drift);
            for _ in 0..3 {
                let now = moving.advance();
                step.prepare(now);
                let expected = step.fingerprint(now);
                assert!(expected.pairs > 1_000, "{expected:?}");
                for peer in &mut peers {
                    let name = peer.name();
                    peer.prepare(now);
                    assert_eq!(peer.frame(now).pairs, expected.pairs, "{name}");
                    peer.prepare(now);
                    assert_eq!(peer.fingerprint(now), expected, "{name}");
                }
            }
        }
    }
}
