//! Who takes part in which case.

use rayon::ThreadPoolBuildError;
use throng::SimdLevel;
use throng_benches::{Alone, Contender, Kind, Loose, Population, WholeStep, Workers};
use throng_peers::{Broccoli, Parry, Upkeep};

/// Everybody who takes part.
pub type Contenders = Vec<Box<dyn Contender>>;

/// Other libraries, on one thread each.
pub fn peers(kind: Kind) -> Contenders {
    match kind {
        Kind::Uniform => vec![Box::new(Broccoli::new())],
        Kind::Mixed | Kind::Rings => vec![
            Box::new(Broccoli::new()),
            Box::new(Parry::new(Upkeep::Refit)),
            Box::new(Parry::new(Upkeep::Optimize)),
        ],
    }
}

/// throng's ways to do a frame, the same for every number of threads.
///
/// # Errors
///
/// If the threads cannot be started.
pub fn own(
    kind: Kind,
    population: &Population,
    simd: SimdLevel,
    threads: usize,
) -> Result<Contenders, ThreadPoolBuildError> {
    let workers = || Workers::new(threads);
    let mut own: Contenders = Vec::new();
    match kind {
        Kind::Uniform => {
            let half = population.only().half;
            own.push(Box::new(Alone::grid(half, Some(simd), workers()?)));
        }
        Kind::Mixed => {
            for loose in Loose::ALL {
                own.push(Box::new(Alone::boxes(loose, Some(simd), workers()?)));
            }
        }
        Kind::Rings => {}
    }
    // Peers know no masks, so what they are compared with where they are several has none either.
    let masked: &[bool] = match kind {
        Kind::Uniform => &[true],
        Kind::Mixed | Kind::Rings => &[false, true],
    };
    for &masked in masked {
        let step = WholeStep::new(population, masked, Some(simd), workers()?);
        own.push(Box::new(step));
    }
    Ok(own)
}
