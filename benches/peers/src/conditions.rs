//! On what and when something was measured, and with which versions.

use std::hint::black_box;
use std::sync::Barrier;
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// What was built is what the lock file says.
const LOCK: &str = include_str!("../../Cargo.lock");

/// The version of a package in the lock file.
pub fn version(package: &str) -> Option<&'static str> {
    let (_, after) = LOCK.split_once(&format!("name = \"{package}\"\nversion = \""))?;
    after.split('"').next()
}

/// The date that the version of LAMMPS goes by, as its library says; `None` if it is not here.
pub fn lammps_version() -> Option<String> {
    #[cfg(feature = "all-peers")]
    return crate::lammps::Lammps::version();
    #[cfg(not(feature = "all-peers"))]
    None
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

/// How often threads are tried, and how many steps each of them computes in a try, which takes some milliseconds.
const TRIES: usize = 25;
const STEPS: u64 = 1 << 21;

/// How many times as much `threads` threads get done together as one does, if they only compute in registers and share nothing. The
/// median of some tries, which take a second at most. It is about `threads` where each has a core of its own, and about one where they are
/// hyperthreads of one core, which some virtual machines give out as two.
pub fn gain_of_threads(threads: usize) -> f64 {
    let mut gains: Vec<f64> = (0..TRIES)
        .map(|_| threads as f64 * time_of(1).as_secs_f64() / time_of(threads).as_secs_f64())
        .collect();
    gains.sort_by(f64::total_cmp);
    gains[TRIES / 2]
}

/// How long it takes so many threads to compute, all at once.
fn time_of(threads: usize) -> Duration {
    let start = Barrier::new(threads);
    let compute_when_all_are_here = || {
        start.wait();
        let started = Instant::now();
        black_box(compute());
        started.elapsed()
    };
    let times: Vec<_> = thread::scope(|scope| {
        let all: Vec<_> = (0..threads)
            .map(|_| scope.spawn(compute_when_all_are_here))
            .collect();
        let times = all.into_iter().map(|thread| thread.join());
        times
            .collect::<Result<_, _>>()
            .expect("computing does not panic")
    });
    times.into_iter().max().unwrap_or_default()
}

/// Eight sequences of numbers that do not wait for each other, so that a core has as much to do as it can.
fn compute() -> [u64; 8] {
    let mut numbers = black_box([1_u64; 8]);
    for _ in 0..STEPS {
        for number in &mut numbers {
            // Knuth's MMIX: no compiler takes a short cut through it.
            *number = (*number)
                .wrapping_mul(0x5851_F42D_4C95_7F2D)
                .wrapping_add(0x1405_7B7E_F767_814F);
        }
    }
    numbers
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
    use super::{date, gain_of_threads, version};

    #[test]
    fn the_gain_of_threads_is_a_number() {
        assert!(gain_of_threads(1) > 0.0);
        assert!(gain_of_threads(2).is_finite());
    }

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
    }
}
