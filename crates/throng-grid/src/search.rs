//! Binary searches that start at one end, for answers expected to be near it.

/// [`partition_point`](slice::partition_point), in O(log distance of the answer from the front).
pub(crate) fn partition_point_near_front<T>(items: &[T], before: impl Fn(&T) -> bool) -> usize {
    let mut step = 1;
    while step < items.len() && before(&items[step - 1]) {
        step *= 2;
    }
    let from = step / 2;
    from + items[from..step.min(items.len())].partition_point(before)
}

/// The same, in O(log distance of the answer from the back).
pub(crate) fn partition_point_near_back<T>(items: &[T], before: impl Fn(&T) -> bool) -> usize {
    let len = items.len();
    let mut step = 1;
    while step < len && !before(&items[len - step]) {
        step *= 2;
    }
    let from = len - step.min(len);
    from + items[from..len - step / 2].partition_point(before)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_find_every_partition_point() {
        for len in 0..40_usize {
            let items: Vec<usize> = (0..len).collect();
            for point in 0..=len {
                let before = |item: &usize| *item < point;
                assert_eq!(
                    partition_point_near_front(&items, before),
                    point,
                    "{point} of {len}"
                );
                assert_eq!(
                    partition_point_near_back(&items, before),
                    point,
                    "{point} of {len}"
                );
            }
        }
    }
}
