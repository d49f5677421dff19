//! Everybody who takes part.

use geo_index::rtree::sort::STRSort;
use rayon::ThreadPoolBuildError;
use throng_benches::Contender;

use crate::{
    Broccoli, Entrant, GeoIndex, HashGrid, Parry, Peer, Rebuilt, Rstar, StaticIndex, Sweep, Upkeep,
};

/// Who is not here on any number of threads, and why.
fn not_here() -> Vec<(&'static str, &'static str)> {
    #[cfg(not(feature = "all-peers"))]
    return ["rapier", "Box2D tree", "obvhs", "LAMMPS"]
        .map(|name| (name, "built without the feature `all-peers`"))
        .to_vec();
    #[cfg(feature = "all-peers")]
    if crate::lammps::Lammps::is_installed() {
        Vec::new()
    } else {
        vec![(
            "LAMMPS",
            "there is no `liblammps.so.0`, which Debian has in its package `lammps`",
        )]
    }
}

/// Who would take part on this many threads and does not, and why.
pub fn left_out(threads: usize) -> Vec<(&'static str, &'static str)> {
    struct Serial(Vec<(&'static str, &'static str)>);
    impl Each for Serial {
        fn with(&mut self, peer: impl Peer + 'static) {
            self.0
                .extend(peer.why_serial().map(|why| (peer.name(), why)));
        }
    }
    let mut all = Serial(not_here());
    if threads > 1 {
        each(&mut all);
    }
    all.0
}

/// Something that is done with each peer.
trait Each {
    fn with(&mut self, peer: impl Peer + 'static);
}

fn each(then: &mut impl Each) {
    then.with(Broccoli::default());
    then.with(Parry::new(Upkeep::Refit));
    then.with(Parry::new(Upkeep::Optimize));
    #[cfg(feature = "all-peers")]
    {
        then.with(crate::rapier::Rapier::default());
        then.with(crate::kept::Kept::<crate::box2d::Box2d>::new());
        then.with(crate::kept::Kept::<crate::obvhs::Obvhs>::new());
        if crate::lammps::Lammps::is_installed() {
            then.with(crate::lammps::Lammps::default());
        }
    }
    then.with(Rebuilt::<Rstar>::default());
    // Of 4, 6, 8, 12 and 16 children, about six are the fastest for windows as small as the boxes.
    then.with(Rebuilt::<StaticIndex<6>>::default());
    // Of 4, 6, 8 and 12 children, eight are the fastest for a join in most scenes.
    then.with(Rebuilt::<GeoIndex<8, STRSort>, GeoIndex<6>>::default());
    then.with(HashGrid::default());
    then.with(Sweep::default());
}

/// Every peer, on this many threads.
///
/// # Errors
///
/// If the threads cannot be started.
pub fn everybody(threads: usize) -> Result<Vec<Box<dyn Contender>>, ThreadPoolBuildError> {
    struct Entrants {
        threads: usize,
        all: Result<Vec<Box<dyn Contender>>, ThreadPoolBuildError>,
    }
    impl Each for Entrants {
        fn with(&mut self, peer: impl Peer + 'static) {
            if peer.why_serial().is_some() && self.threads > 1 {
                return;
            }
            if let Ok(all) = &mut self.all {
                match Entrant::new(peer, self.threads) {
                    Ok(entrant) => all.push(Box::new(entrant)),
                    Err(error) => self.all = Err(error),
                }
            }
        }
    }
    let mut entrants = Entrants {
        threads,
        all: Ok(Vec::new()),
    };
    each(&mut entrants);
    entrants.all
}

/// Each peer's name, and how it is used.
pub fn ways() -> Vec<(&'static str, &'static str)> {
    struct Ways(Vec<(&'static str, &'static str)>);
    impl Each for Ways {
        fn with(&mut self, peer: impl Peer + 'static) {
            self.0.push((peer.name(), peer.way()));
        }
    }
    let mut ways = Ways(Vec::new());
    each(&mut ways);
    ways.0
}

#[cfg(test)]
mod tests {
    use super::{everybody, left_out, ways};
    use throng_benches::{Fingerprint, Motion, Moving, Population};
    use throng_scenes::{
        Line, coincident_groups, lattice, on_a_line, towns_in_a_wide_world, uniform,
    };

    /// Everybody finds what the oracle finds, in frame after frame, by number and by hash.
    fn all_agree(frames: usize, mut moving: Moving) {
        for threads in [1, 2] {
            for mut contender in everybody(threads).unwrap() {
                for frame in 0..frames {
                    let now = moving.advance();
                    let expected = Fingerprint::of(now);
                    let what = format!("{}, frame {frame}, {threads} threads", contender.name());
                    contender.prepare(now);
                    if frame % 2 == 0 {
                        assert_eq!(contender.fingerprint(now), expected, "{what}");
                    } else {
                        assert_eq!(contender.frame(now).pairs, expected.pairs, "{what}");
                    }
                }
            }
        }
    }

    #[test]
    fn everybody_finds_the_pairs_of_the_oracle() {
        for population in [
            uniform(1, 1.0, 3).into(),
            uniform(1_000, 1.0, 3).into(),
            towns_in_a_wide_world(1_000, 1e6, 3).into(),
            coincident_groups(500, 25, 3).into(),
            on_a_line(500, Line::Diagonal, 3).into(),
            Population::mixed(1_000, 1.0, 3),
            Population::mixed(15, 5.0, 3),
            Population::rings_with_walls(1_000, 200, 3),
        ] {
            for motion in [Motion::Hover, Motion::Drift] {
                all_agree(3, Moving::new(population.clone(), motion));
            }
        }
    }

    #[test]
    fn whoever_does_not_take_part_is_left_out() {
        for threads in [1, 2] {
            let all = everybody(threads).unwrap();
            let mut names: Vec<_> = all.iter().map(|contender| contender.name()).collect();
            names.extend(left_out(threads).iter().map(|(name, _)| *name));
            let mut expected: Vec<_> = ways().iter().map(|(name, _)| *name).collect();
            expected.extend(super::not_here().iter().map(|(name, _)| *name));
            for names in [&mut names, &mut expected] {
                names.sort();
            }
            assert_eq!(names, expected, "each once, {threads} threads");
        }
    }

    #[test]
    fn boxes_that_touch_are_pairs() {
        let touching = lattice(400, [0.0; 2], [0.5; 2], 0, 3);
        all_agree(2, Moving::of_few(touching.into(), 0.02));
    }

    #[test]
    fn everybody_finds_them_where_few_move() {
        for share in [0.01, 0.1, 0.4] {
            let population = Population::from(uniform(1_000, 2.0, 3));
            all_agree(9, Moving::of_few(population, share));
        }
        let walled = Population::rings_with_walls(1_000, 200, 3);
        all_agree(8, Moving::of_few(walled, 0.05));
    }
}
