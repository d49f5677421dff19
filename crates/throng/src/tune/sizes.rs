//! The sizes of the things in a category, counted.

use educe::Educe;

/// Mantissa bits that are ignored: what is left divides each doubling into four sizes.
const STEP_BITS: u32 = 21;

/// How many things there are of each size. A *size* is the larger half extent, infinite if a side is.
///
/// Sizes are counted in steps, four to each doubling, and a step includes its upper end. A count is O(1), and a size
/// is known to within a quarter at worst, and exactly at powers of two and at 1.25, 1.5 and 1.75 times them.
///
/// # What it knows
///
/// Exact and oversized categories and scenery store sizes, so these are the sizes of what is there. A coarse category
/// stores none. There the sizes are those that things had when they were inserted or resized, and when one is
/// removed, its size is not known. It is taken to be as mixed as the rest: whenever more have been removed than are
/// left, all counts are halved. So shares reflect what was added lately, and [`total`](Self::total) is not the number
/// of rows.
#[derive(Debug, Default, PartialEq, Educe)]
#[educe(Clone)]
pub struct SizeCounts {
    /// The step of the first count.
    first: i32,
    /// One for each step from `first` on.
    counts: Vec<u64>,
    /// How many of unknown size were removed since the counts were last halved.
    gone: u64,
}

/// The things of about one size.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct SizeStep {
    /// The largest size in this step; all are larger than the previous step's.
    pub up_to: f32,
    /// How many there are.
    pub count: u64,
}

impl SizeCounts {
    /// Counts the given half extents, which must not be NaN or negative.
    pub(crate) fn of(half_extents: impl IntoIterator<Item = [f32; 2]>) -> Self {
        let mut counts = Self::default();
        half_extents
            .into_iter()
            .for_each(|half| counts.add(half, 1));
        counts
    }

    /// How many things are counted.
    pub fn total(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Every step that is not empty, smallest first.
    pub fn steps(&self) -> impl Iterator<Item = SizeStep> {
        let steps = (self.first..).zip(&self.counts);
        steps
            .filter(|(_, count)| **count > 0)
            .map(|(step, &count)| SizeStep {
                up_to: upper_end(step),
                count,
            })
    }

    /// How many things are at most this large, rounded up to a step.
    pub fn up_to(&self, size: f32) -> u64 {
        let steps = self.steps().take_while(|step| step.up_to <= size);
        steps.map(|step| step.count).sum()
    }

    /// A size that this share of all things, from 0 to 1, does not exceed; 0 if nothing is counted.
    pub fn quantile(&self, share: f64) -> f32 {
        let wanted = (share * self.total() as f64).ceil() as u64;
        let mut counted = 0;
        let mut reaching = self.steps().skip_while(|step| {
            counted += step.count;
            counted < wanted
        });
        reaching.next().map_or(0.0, |step| step.up_to)
    }

    /// Counts `times` more things.
    #[inline]
    pub(crate) fn add(&mut self, half_extents: [f32; 2], times: u64) {
        let step = step_of(half_extents);
        let index = step.wrapping_sub(self.first) as usize;
        if index >= self.counts.len() {
            self.make_room(step);
        }
        self.counts[(step - self.first) as usize] += times;
    }

    /// Adds steps, so that there is a count for this one.
    #[cold]
    fn make_room(&mut self, step: i32) {
        if self.counts.is_empty() {
            self.first = step;
        }
        if step < self.first {
            let missing = (self.first - step) as usize;
            self.counts.splice(0..0, std::iter::repeat_n(0, missing));
            self.first = step;
        }
        let len = (step - self.first) as usize + 1;
        self.counts.resize(len.max(self.counts.len()), 0);
    }

    /// Removes `times` things that were counted.
    pub(crate) fn take_off(&mut self, half_extents: [f32; 2], times: u64) {
        let index = step_of(half_extents) - self.first;
        let count = usize::try_from(index)
            .ok()
            .and_then(|index| self.counts.get_mut(index));
        debug_assert!(count.as_ref().is_some_and(|count| **count >= times));
        if let Some(count) = count {
            *count = count.saturating_sub(times);
        }
    }

    /// A thing that was counted has another size.
    #[inline]
    pub(crate) fn replace(&mut self, before: [f32; 2], now: [f32; 2]) {
        if step_of(before) != step_of(now) {
            self.take_off(before, 1);
            self.add(now, 1);
        }
    }

    /// One thing of unknown size was removed, and `left` remain.
    pub(crate) fn forget_one(&mut self, left: usize) {
        self.gone += 1;
        if self.gone > left as u64 {
            self.gone = 0;
            self.counts.iter_mut().for_each(|count| *count /= 2);
        }
    }

    /// Adds the counts of `other`.
    pub(crate) fn merge(&mut self, other: &Self) {
        for SizeStep { up_to, count } in other.steps() {
            self.add([up_to, 0.0], count);
        }
    }

    /// Counts as many more or fewer things as `changes` says.
    pub(crate) fn apply(&mut self, changes: &SizeChanges) {
        let steps = (changes.first..).zip(changes.in_use());
        for (step, &change) in steps.filter(|(_, change)| **change != 0) {
            let size = [upper_end(step), 0.0];
            if change > 0 {
                self.add(size, change as u64);
            } else {
                self.take_off(size, u64::from(change.unsigned_abs()));
            }
        }
    }

    pub(crate) fn clear(&mut self) {
        self.counts.clear();
        self.gone = 0;
    }

    /// Becomes a copy, reusing its memory.
    pub(crate) fn copy_from(&mut self, other: &Self) {
        self.first = other.first;
        self.counts.clone_from(&other.counts);
        self.gone = other.gone;
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        self.counts.capacity() * size_of::<u64>()
    }
}

/// How many more or fewer things there are of each size than there were. Has room for every size, and so never
/// allocates.
pub(crate) struct SizeChanges {
    /// One for each step, from [`FIRST_STEP`] on.
    by_step: [i32; STEPS],
    /// The steps that may have changed.
    first: i32,
    end: i32,
}

/// The step of zero.
const FIRST_STEP: i32 = -1;
/// How many steps there are, up to that of infinity.
const STEPS: usize =
    (((f32::INFINITY.to_bits() as i32 - 1) >> STEP_BITS) - FIRST_STEP + 1) as usize;

impl SizeChanges {
    pub(crate) const NONE: Self = Self {
        by_step: [0; STEPS],
        first: FIRST_STEP + STEPS as i32,
        end: FIRST_STEP,
    };

    /// Counts one more thing of the given half extents.
    #[inline]
    pub(crate) fn add(&mut self, half_extents: [f32; 2]) {
        self.change(step_of(half_extents), 1);
    }

    /// Counts a thing that changes its size.
    #[inline]
    pub(crate) fn replace(&mut self, before: [f32; 2], now: [f32; 2]) {
        let [before, now] = [before, now].map(step_of);
        if before != now {
            self.change(before, -1);
            self.change(now, 1);
        }
    }

    #[inline]
    fn change(&mut self, step: i32, by: i32) {
        self.by_step[(step - FIRST_STEP) as usize] += by;
        self.first = self.first.min(step);
        self.end = self.end.max(step + 1);
    }

    /// Whether nothing was counted.
    pub(crate) fn are_none(&self) -> bool {
        self.first >= self.end
    }

    /// The changes of the steps from `first` on that may have changed.
    fn in_use(&self) -> &[i32] {
        let [first, end] = [self.first, self.end].map(|step| (step - FIRST_STEP) as usize);
        self.by_step.get(first..end).unwrap_or_default()
    }
}

/// The step of a size. The bits of floats without a sign sort as the floats do; zero, also with a minus, comes before all steps.
#[inline]
pub(crate) fn step_of([x, y]: [f32; 2]) -> i32 {
    (x.max(y).abs().to_bits() as i32 - 1) >> STEP_BITS
}

/// The largest size of a step.
fn upper_end(step: i32) -> f32 {
    f32::from_bits(((step + 1) as u32) << STEP_BITS)
}

/// The nearest number of three digits, as somebody would write it in a file; unchanged if there is none.
pub(crate) fn rounded(size: f32) -> f32 {
    let nearest = format!("{size:.2e}").parse().unwrap_or(size);
    if f32::is_finite(nearest) {
        nearest
    } else {
        size
    }
}

/// The next number of three digits that is not lower; unchanged if there is none.
pub(crate) fn rounded_up(size: f32) -> f32 {
    if rounded(size) >= size {
        return rounded(size);
    }
    let nearest = format!("{size:.2e}");
    let (digits, exponent) = nearest.split_once('e').unwrap_or(("", ""));
    let digits: Option<u32> = digits.replace('.', "").parse().ok();
    let exponent: Option<i32> = exponent.parse().ok();
    let above = digits.zip(exponent).map(|(digits, exponent)| {
        let above = format!("{}e{}", digits + 1, exponent - 2);
        above.parse().unwrap_or(size)
    });
    above.map_or(size, |above: f32| {
        if above.is_finite() {
            above.max(size)
        } else {
            size
        }
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn counts(sizes: &[f32]) -> SizeCounts {
        SizeCounts::of(sizes.iter().map(|&size| [size, 0.0]))
    }

    #[test]
    fn zero_with_a_minus_is_zero() {
        for size in [[-0.0, -0.0], [0.0, -0.0], [-0.0, 0.0]] {
            assert_eq!(step_of(size), step_of([0.0; 2]), "{size:?}");
        }
    }

    #[test]
    fn steps_include_their_upper_ends() {
        for size in [0.0, 1.0, 1.25, 1.5, 1.75, 2.0, 0.125, f32::INFINITY] {
            let step = counts(&[size]).steps().next().unwrap();
            assert_eq!((step.up_to, step.count), (size, 1));
            let above = counts(&[size.next_up()]).steps().next().unwrap();
            assert!(above.up_to > size || size.is_infinite());
        }
    }

    #[test]
    fn changes_are_counted_as_one_by_one() {
        let sizes = [0.0, 1e-40, 0.9, 1.0, 1.1, 7.0, f32::MAX, f32::INFINITY];
        let mut counts = counts(&sizes);
        let mut changes = SizeChanges::NONE;
        counts.apply(&changes);
        for size in sizes {
            changes.replace([0.0, size], [size * 2.0, 3.0]);
        }
        changes.add([0.5, 0.0]);
        let mut expected = SizeCounts::of(sizes.map(|size| [size * 2.0, 3.0]));
        expected.add([0.5; 2], 1);
        counts.apply(&changes);
        assert!(counts.steps().eq(expected.steps()), "{counts:?}");
    }

    #[test]
    fn the_larger_half_extent_counts() {
        let counts = SizeCounts::of([[1.0, 4.0], [4.0, 1.0], [f32::INFINITY, 0.0]]);
        let steps: Vec<_> = counts
            .steps()
            .map(|step| (step.up_to, step.count))
            .collect();
        assert_eq!(steps, [(4.0, 2), (f32::INFINITY, 1)]);
    }

    #[test]
    fn bounds_are_rounded_to_what_reads_well() {
        for (size, rounded) in [
            (0.0, 0.0),
            (0.2, 0.2),
            (0.199_96, 0.2),
            (1.000_01, 1.01),
            (0.999_1, 1.0),
            (123_456.0, 124_000.0),
            (9.999e-12, 1e-11),
        ] {
            assert_eq!(rounded_up(size), rounded);
        }
        for size in [
            f32::MAX,
            f32::INFINITY,
            f32::from_bits(1),
            f32::MIN_POSITIVE,
        ] {
            assert!(rounded_up(size) >= size);
        }
    }

    #[test]
    fn quantiles_of_a_known_mix() {
        let counts = counts(&[0.0, 1.0, 1.0, 1.0, 8.0]);
        let quantiles = [0.0, 0.2, 0.21, 0.8, 0.81, 1.0].map(|share| counts.quantile(share));
        assert_eq!(quantiles, [0.0, 0.0, 1.0, 1.0, 8.0, 8.0]);
        assert_eq!(SizeCounts::default().quantile(0.5), 0.0);
        assert_eq!(counts.up_to(1.0), 4);
    }

    #[test]
    fn what_came_long_ago_is_forgotten() {
        let mut counts = counts(&[64.0; 1000]);
        for _ in 0..20_000 {
            counts.forget_one(999);
            counts.add([1.0; 2], 1);
        }
        assert_eq!(counts.up_to(1.0), counts.total());
        assert!(counts.total() <= 3000, "{}", counts.total());
    }

    proptest! {
        #[test]
        fn counts_are_those_of_the_sizes(sizes in prop::collection::vec(0.0..=f32::MAX, 1..50), cut in 0usize..50) {
            let all = counts(&sizes);
            prop_assert_eq!(all.total(), sizes.len() as u64);
            for step in all.steps() {
                let true_count = sizes.iter().filter(|&&size| size <= step.up_to).count();
                prop_assert_eq!(all.up_to(step.up_to), true_count as u64);
            }
            let (left, right) = sizes.split_at(cut.min(sizes.len()));
            let mut merged = counts(left);
            merged.merge(&counts(right));
            for &size in right {
                merged.take_off([size, size / 2.0], 1);
            }
            prop_assert!(merged.steps().eq(counts(left).steps()));
        }
    }
}
