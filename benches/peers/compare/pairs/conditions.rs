//! Under what conditions figures came about: on what, when, and with which versions.

use std::time::{SystemTime, UNIX_EPOCH};

use throng_peers::{LEFT_OUT, ways};

use crate::args::Args;

/// What was built is what the lock file says.
const LOCK: &str = include_str!("../../Cargo.lock");

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
    for (name, why) in LEFT_OUT {
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

/// The version of a package in the lock file.
fn version(package: &str) -> Option<&'static str> {
    let (_, after) = LOCK.split_once(&format!("name = \"{package}\"\nversion = \""))?;
    after.split('"').next()
}

/// Its name, as it says itself.
pub fn processor() -> String {
    let said = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = said.lines().find(|line| line.starts_with("model name"));
    let name = name.and_then(|line| line.split_once(':'));
    name.map_or("an unknown processor".to_owned(), |(_, name)| {
        name.trim().to_owned()
    })
}

/// The date, as in 2026-11-22.
pub fn today() -> String {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    date(since.as_secs() / 86_400)
}

/// So many days after 1970-01-01, in the calendar (Howard Hinnant, "chrono-compatible low-level date algorithms").
fn date(days: u64) -> String {
    // Years begin in March here, so that a leap day is the last of its year.
    let days = days + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year + year / 4 - year / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 {
        month_from_march + 3
    } else {
        month_from_march - 9
    };
    let year = year + era * 400 + u64::from(month <= 2);
    format!("{year}-{month:02}-{day:02}")
}

#[cfg(test)]
mod tests {
    use super::{date, version, versions};

    #[test]
    fn days_have_dates() {
        let dates = [0, 58, 59, 11_016, 11_017, 20_779].map(date);
        let expected = [
            "1970-01-01",
            "1970-02-28",
            "1970-03-01",
            "2000-02-29",
            "2000-03-01",
            "2026-11-22",
        ];
        assert_eq!(dates, expected);
    }

    #[test]
    fn versions_are_those_of_the_lock_file() {
        assert!(version("broccoli").unwrap().starts_with("6."));
        assert!(version("broccoli-rayon").unwrap().starts_with("0."));
        assert_eq!(version("no such thing"), None);
        assert!(!versions().contains("unknown"), "{}", versions());
    }
}
