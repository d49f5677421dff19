//! What holds for every flock.

use rayon::ThreadPoolBuilder;
use throng::Row;

use crate::{boids::Boid, flock::Flock, rules::SPEEDS};

/// The hash after some frames on some threads, with sorts between them.
fn outcome(seed: u64, threads: usize) -> u64 {
    let pool = ThreadPoolBuilder::new().num_threads(threads).build();
    pool.expect("a few threads").install(|| {
        let mut flock = Flock::new(20_000, seed).expect("it is a flock");
        flock.sort_every = Some(6);
        for _ in 0..20 {
            flock.frame().expect("they are somewhere");
        }
        assert!(flock.turns.iter().len() > 3, "chunks for all threads");
        assert_eq!(flock.sorts, 1 + 3);
        flock.hash()
    })
}

#[test]
fn any_number_of_threads_gives_the_same_run() {
    let alone = outcome(1, 1);
    assert_eq!(outcome(1, 3), alone);
    assert_ne!(outcome(2, 1), alone, "another seed is another run");
}

#[test]
fn boids_stay_inside_and_within_their_speeds() {
    let mut flock = Flock::new(1000, 1).expect("it is a flock");
    for _ in 0..300 {
        flock.frame().expect("they are somewhere");
    }
    let side = flock.around.side;
    for row in 0..1000 {
        let Boid { center, velocity } = flock.boids.boid(row);
        for place in center {
            // The edge is soft.
            assert!((-1.0..side + 1.0).contains(&place), "{place}");
        }
        let speed = velocity[0].hypot(velocity[1]);
        assert!(
            (0.999 * SPEEDS[0]..1.001 * SPEEDS[1]).contains(&speed),
            "{speed}"
        );
    }
}

#[test]
fn they_flee_from_a_predator() {
    let mut flock = Flock::new(3000, 1).expect("it is a flock");
    let middle = 0.5 * flock.around.side;
    flock.around.predator = Some([middle; 2]);
    let near = |flock: &Flock| {
        let rows = (0..flock.boids.len() as Row).map(|row| flock.boids.boid(row).center);
        rows.filter(|[x, y]| (x - middle).hypot(y - middle) < 3.0)
            .count()
    };
    let before = near(&flock);
    for _ in 0..120 {
        flock.frame().expect("they are somewhere");
    }
    assert!(near(&flock) * 4 < before, "{} of {before}", near(&flock));
}
