//! A place in a sorted column, found from a guess.

use crate::LANES;

/// Of the groups of sixteen values, the last that begins below `limit`; 0 if none does. `values` ascend
/// from group to group, roughly evenly between `ends`.
///
/// Where values are spread evenly, the guess is a group or two off, so this reads two or three values. Halving would read
/// one for each doubling of their number, one after the other, and each in another cache line. Where they are not, it
/// takes twice as many steps as halving.
///
/// Values within a group, and of groups next to each other, may be out of order, provided that all before a value that is
/// below the limit are such that the caller may skip them.
#[inline]
#[must_use]
pub fn last_group_below(values: &[f32], ends: [f32; 2], limit: f32) -> usize {
    last_group_below_from(guess_group(values.len(), ends, limit), values, limit)
}

/// About where [`last_group_below`] is among `len` values: one of their groups, or 0 if there are none. For whoever asks for the
/// memory of several before it looks at any.
#[inline(always)]
#[must_use]
pub fn guess_group(len: usize, ends: [f32; 2], limit: f32) -> usize {
    let groups = len.div_ceil(LANES);
    let share = (limit - ends[0]) / (ends[1] - ends[0]);
    // Rounds to zero what is not a number.
    ((share * groups as f32) as usize).min(groups.saturating_sub(1))
}

/// As [`last_group_below`], from a guess.
#[inline(always)]
#[must_use]
pub fn last_group_below_from(guess: usize, values: &[f32], limit: f32) -> usize {
    let groups = values.len().div_ceil(LANES);
    let is_below = |group: usize| values[group * LANES] < limit;
    let Some(last) = groups.checked_sub(1) else {
        return 0;
    };
    let guess = guess.min(last);
    let mut step = 1;
    let (mut first, mut end) = (guess, guess);
    if is_below(guess) {
        end += 1;
        if end == groups || !is_below(end) {
            return first;
        }
        while end < groups && is_below(end) {
            first = end;
            step *= 2;
            end += step;
        }
        end = end.min(groups);
    } else {
        first = first.saturating_sub(1);
        if first == 0 || is_below(first) {
            return first;
        }
        while first > 0 && !is_below(first) {
            end = first;
            step *= 2;
            first = first.saturating_sub(step);
        }
    }
    // No group from `end` on begins below the limit.
    while end - first > 1 {
        let middle = first + (end - first) / 2;
        if is_below(middle) {
            first = middle;
        } else {
            end = middle;
        }
    }
    first
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The last group that begins below the limit, one after the other.
    fn naive(values: &[f32], limit: f32) -> usize {
        let below = values.iter().step_by(LANES).filter(|&&v| v < limit);
        below.count().saturating_sub(1)
    }

    #[test]
    fn the_group_is_found_however_values_are_spread() {
        let spreads: [fn(f32) -> f32; 5] = [
            |k| k,
            |k| k * k,
            |k| (k / 40.0).exp(),
            |_| 7.0,
            |k| if k < 100.0 { f32::NEG_INFINITY } else { k },
        ];
        for spread in spreads {
            for len in (0..400).step_by(7) {
                let values: Vec<_> = (0..len).map(|k| spread(k as f32)).collect();
                let ends = [values.first(), values.last()].map(|v| *v.unwrap_or(&0.0));
                let places = values.iter().flat_map(|v| [v.next_down(), *v, v.next_up()]);
                for limit in places.chain([f32::NEG_INFINITY, -1.0, 1e9, f32::INFINITY]) {
                    let found = last_group_below(&values, ends, limit);
                    assert_eq!(found, naive(&values, limit), "{limit} among {len}");
                    for guess in [0, 3, usize::MAX] {
                        let found = last_group_below_from(guess, &values, limit);
                        assert_eq!(found, naive(&values, limit), "{limit} from {guess}");
                    }
                }
            }
        }
    }

    #[test]
    fn ends_that_say_nothing_only_cost_time() {
        let values: Vec<_> = (0..333).map(|k| k as f32).collect();
        let [nowhere, far] = [f32::NAN, f32::INFINITY];
        for ends in [[nowhere; 2], [0.0; 2], [-far, far], [332.0, 0.0], [far; 2]] {
            for limit in [-1.0, 0.0, 17.5, 160.0, 332.0, far] {
                let found = last_group_below(&values, ends, limit);
                assert_eq!(found, naive(&values, limit), "{limit} between {ends:?}");
            }
        }
    }
}
