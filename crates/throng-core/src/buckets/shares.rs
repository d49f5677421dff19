//! Cuts buckets into tasks for the sort.

use std::ops::Range;

/// Records that make another share worthwhile.
const RECORDS_PER_SHARE: usize = 2048;
/// Shares, at most.
const MOST_SHARES: usize = 64;

/// Cuts the buckets into shares of consecutive ones with about equally many records. `starts` says where each bucket
/// begins, in records; the last element is the end.
///
/// # Panics
///
/// If `starts` is empty.
pub fn even_shares(starts: &[u32]) -> impl ExactSizeIterator<Item = Range<usize>> {
    let (&end, buckets) = starts.split_last().expect("starts end with the end");
    let buckets = buckets.len();
    let records = end as usize;
    let shares = (records / RECORDS_PER_SHARE + 1).min(MOST_SHARES);
    let mut first = 0;
    (0..shares).map(move |share| {
        let until = (records * (share + 1)).div_ceil(shares) as u32;
        let end = if share + 1 < shares {
            starts
                .partition_point(|&start| start < until)
                .clamp(first, buckets)
        } else {
            buckets
        };
        std::mem::replace(&mut first, end)..end
    })
}
