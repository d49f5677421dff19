//! The slots of pairs that go on, from the list of one step to that of the next.

use crate::frame::events::pair_slots::NO_SLOT;
use crate::world::ids::Row;

/// Pairs of this step, walked beside pairs of the last one, which have slots.
pub(super) struct Matches<'m> {
    /// Those of now that were walked, and which of them are unmatched.
    pub(super) now: [&'m [[Row; 2]]; 2],
    /// The same of the last step.
    pub(super) then: [&'m [[Row; 2]]; 2],
    /// The slots of those of the last step, and maybe of more behind them.
    pub(super) slots: &'m [u32],
    /// Those of now that were not walked.
    pub(super) others: &'m [[Row; 2]],
    /// Which of now have begun, in order; none if rows have changed.
    pub(super) began: &'m [[Row; 2]],
}

impl Matches<'_> {
    /// Appends the slot of each pair of now: that of the pair of then that it matches, or else what `look_up` says.
    ///
    /// Pairs that match are in the same order in both lists, so what is unmatched cuts both into the same runs.
    pub(super) fn append_slots(mut self, look_up: impl Fn([Row; 2]) -> u32, slots: &mut Vec<u32>) {
        let first = slots.len();
        let [mut now, mut then] =
            [self.now, self.then].map(|[all, unmatched]| Runs::new(all, unmatched));
        while now.at < now.all.len() {
            if now.at == now.next {
                slots.push(self.slot_of_unmatched(now.all[now.at], &look_up));
                now.pass_unmatched();
            } else if then.at == then.next {
                then.pass_unmatched();
            } else {
                let run = (now.next - now.at).min(then.next - then.at);
                slots.extend_from_slice(&self.slots[then.at..then.at + run]);
                (now.at, then.at) = (now.at + run, then.at + run);
            }
        }
        for &pair in self.others {
            slots.push(self.slot_of_unmatched(pair, &look_up));
        }
        let all = self.now[0].iter().chain(self.others);
        debug_assert!(
            all.map(|&pair| look_up(pair))
                .eq(slots[first..].iter().copied()),
            "a look-up says the same"
        );
    }

    /// The slot of the next pair that is unmatched.
    fn slot_of_unmatched(&mut self, pair: [Row; 2], look_up: &impl Fn([Row; 2]) -> u32) -> u32 {
        let has_begun = self.began.first() == Some(&pair);
        self.began = &self.began[usize::from(has_begun)..];
        if has_begun { NO_SLOT } else { look_up(pair) }
    }
}

/// A list, and those in it that are unmatched, from some place on.
struct Runs<'c> {
    all: &'c [[Row; 2]],
    unmatched: std::slice::Iter<'c, [Row; 2]>,
    at: usize,
    /// Where the next unmatched one is, or the end.
    next: usize,
}

impl<'c> Runs<'c> {
    fn new(all: &'c [[Row; 2]], unmatched: &'c [[Row; 2]]) -> Self {
        let unmatched = unmatched.iter();
        let mut runs = Self {
            all,
            unmatched,
            at: 0,
            next: 0,
        };
        runs.find_next();
        runs
    }

    /// Passes the unmatched one that it has come to.
    fn pass_unmatched(&mut self) {
        self.at += 1;
        self.next = self.at;
        self.find_next();
    }

    fn find_next(&mut self) {
        let left = &self.all[self.next..];
        let next = self.unmatched.next();
        let run = next.and_then(|next| left.iter().position(|pair| pair == next));
        self.next += run.unwrap_or(left.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(numbers: &[Row]) -> Vec<[Row; 2]> {
        numbers.iter().map(|&number| [number, number + 1]).collect()
    }

    /// The slots of pairs of now, if the slot of each of then is ten times its number, and a look-up says the same of those below 100.
    fn slots(now: [&[Row]; 2], then: [&[Row]; 2], others: &[Row], began: &[Row]) -> Vec<u32> {
        let [now, unmatched, then, unmatched_then, others, began] =
            [now[0], now[1], then[0], then[1], others, began].map(pairs);
        let slot_of = |pair: [Row; 2]| if pair[0] < 100 { 10 * pair[0] } else { NO_SLOT };
        let of_then: Vec<u32> = then.iter().map(|&pair| slot_of(pair)).collect();
        let matches = Matches {
            now: [&now, &unmatched],
            then: [&then, &unmatched_then],
            slots: &of_then,
            others: &others,
            began: &began,
        };
        let mut slots = vec![7];
        matches.append_slots(slot_of, &mut slots);
        slots.split_off(1)
    }

    #[test]
    fn those_that_match_keep_their_slots_wherever_others_are_between_them() {
        // Unmatched ones first, next to each other, and last; in one list, and in both at the same place.
        let now = [&[101, 1, 2, 102, 103, 3, 4, 104][..], &[101, 102, 103, 104]];
        let then = [&[50, 51, 1, 52, 2, 3, 53, 4, 54][..], &[50, 51, 52, 53, 54]];
        let none = NO_SLOT;
        for began in [&[101, 102, 103, 104][..], &[]] {
            let found = slots(now, then, &[], began);
            assert_eq!(found, [none, 10, 20, none, none, 30, 40, none]);
        }
        assert_eq!(slots([&[], &[]], then, &[], &[]), []);
    }

    #[test]
    fn those_that_were_not_walked_are_looked_up_unless_they_began() {
        let found = slots([&[5, 105], &[105]], [&[5], &[]], &[9, 106, 8], &[105, 106]);
        assert_eq!(found, [50, NO_SLOT, 90, NO_SLOT, 80]);
    }
}
