//! On what and when something was measured, and with which versions.

use std::time::{SystemTime, UNIX_EPOCH};

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
    use super::{date, version};

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
