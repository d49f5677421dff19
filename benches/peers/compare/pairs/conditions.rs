//! Under what conditions figures came about: on what, when, and with which versions.

use throng_peers::conditions::{processor, today, version};
use throng_peers::{left_out, ways};

use crate::args::Args;

/// Before the tables.
pub fn for_a_terminal(args: &Args) -> String {
    let mut text = format!(
        "{}, {} processors, {} kernels in throng, {}. ns per agent, frames in turns; x is the median over rounds of the \
         ratio within a round.\n\"before\" is what is not timed, for nobody: making boxes in each one's own form, or filling \
         columns. \"filter\" comes on top where a peer finds more than the exact pairs.\nOn one thread, times are what the \
         thread itself had; on more, the wall's, which other work on the machine lengthens.",
        processor(),
        std::thread::available_parallelism().map_or(1, usize::from),
        args.simd(),
        today(),
    );
    for (name, way) in ways() {
        text += &format!("\n{name}: {}", way.replace('`', ""));
    }
    for (name, why) in left_out() {
        text += &format!("\nnot here: {name}: {why}");
    }
    text
}

/// The versions of all peers, and of throng itself.
pub fn versions() -> String {
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
    said.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::versions;

    #[test]
    fn versions_are_those_of_the_lock_file() {
        assert!(!versions().contains("unknown"), "{}", versions());
    }
}
