//! Binary searches, of which some start at one end, for answers expected to be near it.
//!
//! Items may be out of order, as they are after a refit. Then there are several answers, and one of these is given: an index such that
//! the item before it, if there is one, is `before`, and the item at it, if there is one, is not. The standard library promises
//! nothing in this case.

/// [`slice::partition_point`], also for items that are out of order.
pub(crate) fn partition_point<T>(items: &[T], before: impl Fn(&T) -> bool) -> usize {
    let (mut first, mut end) = (0, items.len());
    while first < end {
        let middle = first + (end - first) / 2;
        if before(&items[middle]) {
            first = middle + 1;
        } else {
            end = middle;
        }
    }
    first
}

/// [`partition_point`], in O(log distance of the answer from the front).
pub(crate) fn partition_point_near_front<T>(items: &[T], before: impl Fn(&T) -> bool) -> usize {
    let mut step = 1;
    while step < items.len() && before(&items[step - 1]) {
        step *= 2;
    }
    let from = step / 2;
    from + partition_point(&items[from..step.min(items.len())], before)
}

/// The same, in O(log distance of the answer from the back).
pub(crate) fn partition_point_near_back<T>(items: &[T], before: impl Fn(&T) -> bool) -> usize {
    let len = items.len();
    let mut step = 1;
    while step < len && !before(&items[len - step]) {
        step *= 2;
    }
    let from = len - step.min(len);
    from + partition_point(&items[from..len - step / 2], before)
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

    /// All orders of up to nine items, of which some are before: the one before the answer is, and the one at it is not.
    #[test]
    fn items_out_of_order_have_an_answer_between_two_that_differ() {
        for len in 0..=9 {
            for bits in 0..1_u32 << len {
                let items: Vec<bool> = (0..len).map(|k| bits >> k & 1 == 1).collect();
                let answers = [
                    partition_point(&items, |&item| item),
                    partition_point_near_front(&items, |&item| item),
                    partition_point_near_back(&items, |&item| item),
                ];
                for answer in answers {
                    let is_before = answer.checked_sub(1).map(|before| items[before]);
                    assert_ne!(is_before, Some(false), "{answer} of {items:?}");
                    assert_ne!(items.get(answer), Some(&true), "{answer} of {items:?}");
                }
            }
        }
    }
}
