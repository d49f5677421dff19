//! A sample of many rows, for plans that need not look at all of them.

/// At most `most` of `rows` rows, ascending, chosen by a fixed scramble of their numbers: regularities in the storage
/// order cannot bias the sample, and the same rows are chosen every time.
#[must_use]
pub fn sampled_rows(rows: usize, most: usize) -> Vec<usize> {
    if rows <= most {
        return (0..rows).collect();
    }
    let mut chosen: Vec<usize> = (0..most as u64)
        .map(|i| (scramble(i) % rows as u64) as usize)
        .collect();
    chosen.sort_unstable();
    chosen.dedup();
    chosen
}

/// The finaliser of SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number
/// generators", 2014).
fn scramble(value: u64) -> u64 {
    let z = value.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scrambling_is_that_of_the_paper() {
        // The first numbers of a generator whose seed is 0.
        let first = [
            0xe220_a839_7b1d_cdaf,
            0x6e78_9e6a_a1b9_65f4,
            0x06c4_5d18_8009_454f,
        ];
        assert_eq!([0, 1, 2].map(scramble), first);
    }

    #[test]
    fn rows_of_all_or_scattered_over_all() {
        assert_eq!(sampled_rows(5, 8), [0, 1, 2, 3, 4]);
        let some = sampled_rows(100_000, 1000);
        assert!(some.is_sorted_by(|a, b| a < b) && (950..=1000).contains(&some.len()));
        let halves = some.iter().filter(|&&row| row < 50_000).count();
        assert!((400..600).contains(&halves) && some[some.len() - 1] < 100_000);
    }
}
