//! Under what conditions figures came about: on what, when, and with which versions.

use throng_peers::conditions::{lammps_version, processor, today, version};
use throng_peers::ways;

use crate::args::Args;
use crate::figures::Trial;

/// Before the tables.
pub fn for_a_terminal(args: &Args) -> String {
    let mut text = format!(
        "{}, {} processors, {} kernels in throng, {}. ns per agent, frames in turns; x is the median over rounds of the \
         ratio within a round.\n\"before\" is how long it takes to make boxes in each one's own form, which is not timed, or \
         to write centers into throng's columns, which is part of its times. \"filter\" comes on top where a peer finds more \
         than the exact pairs.\nOn one thread, times are what the thread itself had; on more, the wall's, which other work on \
         the machine lengthens.",
        processor(),
        std::thread::available_parallelism().map_or(1, usize::from),
        args.simd(),
        today(),
    );
    for (name, way) in ways() {
        text += &format!("\n{name}: {}", way.replace('`', ""));
    }
    text
}

/// The versions of all peers, and of throng itself. LAMMPS is in no lock file, and says its version itself. It is asked only if it
/// has figures: where it cannot be started, to ask would panic.
pub fn versions(trials: &[Trial]) -> String {
    let mut names = vec![
        ("throng", "throng"),
        ("broccoli", "broccoli"),
        ("broccoli-rayon", "broccoli-rayon"),
        ("parry2d", "parry2d"),
        ("rstar", "rstar"),
        ("static_aabb2d_index", "static_aabb2d_index"),
        ("geo-index", "geo-index"),
    ];
    if cfg!(feature = "all-peers") {
        names.extend([
            ("rapier2d", "rapier2d"),
            ("obvhs", "obvhs"),
            ("boxdd-sys (Box2D 3)", "boxdd-sys"),
        ]);
    }
    let said = names.into_iter().map(|(said, package)| {
        let version = version(package).unwrap_or("of an unknown version");
        format!("{said} {version}")
    });
    let is_lammps = |trial: &Trial| {
        let figures = trial.of("LAMMPS", 1);
        figures.is_some_and(|figures| figures.median().is_some())
    };
    let lammps = trials.iter().any(is_lammps).then(lammps_version).flatten();
    let lammps = lammps.map(|date| format!("LAMMPS of {date}"));
    said.chain(lammps).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::versions;
    use crate::tables::tests::a_trial;
    use throng_peers::conditions::lammps_version;

    #[test]
    fn versions_are_those_of_the_lock_file() {
        let versions = versions(&[]);
        assert!(!versions.contains("unknown"), "{versions}");
        assert!(!versions.contains("LAMMPS"), "{versions}");
    }

    #[test]
    fn lammps_is_asked_for_its_version_if_it_takes_part() {
        let mut trial = a_trial();
        trial.figures[2].who.name = "LAMMPS".to_owned();
        let versions = versions(&[trial]);
        match lammps_version() {
            Some(date) => assert!(
                versions.ends_with(&format!("LAMMPS of {date}")),
                "{versions}"
            ),
            None => assert!(!versions.contains("LAMMPS"), "{versions}"),
        }
    }
}
