//! The masks of two categories that meet, translated into the words that kernels compare.
//!
//! Kernels test two words of 32 bits a row, as [`MaskWords::meets`] defines it. An engine has 64 groups and two rules. What
//! matters to a meeting is only who meets whom in it, and a few classes of masks can say that in any bits:
//!
//! 1. Where one side has at most 32 classes, each gets a bit, and the other side's filters are sets of them. Exact for any
//!    rule.
//! 2. Where no bit is above the 32nd, except in masks with all bits, the lower half says everything.
//! 3. Where all are `And`, groups that nobody is in or nobody asks for make no difference, and groups that always come
//!    together count as one. If 32 are left, each gets a bit.
//! 4. Otherwise both halves share the bits. That misses no pair, and pairs are tested again.
//!
//! With the first, it is also known whether nobody meets anybody, and the meeting need not be searched, or whether everybody
//! meets everybody, and no masks need be gathered.

use educe::Educe;
use throng_core::{MaskWords, RowMasks};

use crate::world::mask_column::{MaskColumn, MasksInUse};
use crate::world::masks::{MaskMode, Masks};

const BITS: usize = u32::BITS as usize;

/// The words of each class, on both sides of a meeting. Made anew only when masks come into use or go out of use.
#[derive(Default, Educe)]
#[educe(Clone)]
pub(crate) struct MeetingWords {
    /// The versions of the two columns that these words are of.
    of: Option<[u64; 2]>,
    words: [Vec<MaskWords>; 2],
    kind: Kind,
}

#[derive(Clone, Copy, Default, PartialEq, Debug)]
enum Kind {
    /// Words of this meeting's own.
    Own,
    /// As `Own`, and no class of one side meets any of the other.
    Nobody,
    /// Every class of one side meets every class of the other: there is nothing to test.
    Everybody,
    /// Folded words, which are exact here.
    #[default]
    Folded,
    /// Folded words, which let some pairs pass that do not meet.
    Coarse,
}

impl MeetingWords {
    /// Becomes the words of a meeting of two columns, or of one with itself, unless it has them already. O(classes) if
    /// masks have come into use or gone out of use, otherwise O(1).
    pub(crate) fn update(&mut self, sides: [&MaskColumn; 2]) {
        let versions = Some(sides.map(MaskColumn::version));
        if self.of != versions {
            self.kind = self.translate(sides);
            self.of = versions;
        }
    }

    /// Call this before it becomes the words of another meeting.
    pub(crate) fn forget(&mut self) {
        self.of = None;
    }

    /// The words of all rows of the column on one side; for a column with itself, side 0. None if there is nothing to test.
    #[inline]
    pub(crate) fn of_rows<'a>(
        &'a self,
        side: usize,
        column: &'a MaskColumn,
    ) -> Option<RowMasks<'a>> {
        if self.kind == Kind::Everybody {
            return None;
        }
        let is_own = matches!(self.kind, Kind::Own | Kind::Nobody);
        column.words(is_own.then_some(&self.words[side]))
    }

    /// Whether a search of a column with itself has words to test.
    pub(crate) fn are_tested(&self, column: &MaskColumn) -> bool {
        self.kind != Kind::Nobody && self.of_rows(0, column).is_some()
    }

    /// Whether pairs that pass have to be tested again.
    pub(crate) fn is_coarse(&self) -> bool {
        self.kind == Kind::Coarse
    }

    /// Whether it is known that no pair can pass.
    pub(crate) fn lets_nobody_through(&self) -> bool {
        self.kind == Kind::Nobody
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        let words = self.words.iter().map(Vec::capacity).sum::<usize>();
        words * size_of::<MaskWords>()
    }

    fn translate(&mut self, sides: [&MaskColumn; 2]) -> Kind {
        self.words.iter_mut().for_each(Vec::clear);
        if sides.iter().any(|side| side.in_use() == MasksInUse::Each) {
            return folded(sides);
        }
        if sides.iter().all(|side| !side.is_allocated()) {
            return Kind::Folded;
        }
        // A side without masks, whose rows have all bits, is the one whose classes are numbered.
        let [first, second] = sides.map(|side| side.classes_in_use().count());
        if let Some(kind) = self.number_classes(sides, usize::from(second < first)) {
            return kind;
        }
        match folded(sides) {
            Kind::Coarse => self.number_groups(sides).unwrap_or(Kind::Coarse),
            exact => exact,
        }
    }

    /// Makes room for a word of each class.
    fn make_room(&mut self, sides: [&MaskColumn; 2]) {
        for (words, side) in self.words.iter_mut().zip(sides) {
            words.resize(side.palette_len(), MaskWords::NONE);
        }
    }

    /// Gives each class of one side a bit, if there are enough.
    fn number_classes(&mut self, sides: [&MaskColumn; 2], few: usize) -> Option<Kind> {
        let (mut numbered, mut count) = ([(0, Masks::ALL); BITS], 0);
        for class in masks_of(sides[few]) {
            *numbered.get_mut(count)? = class;
            count += 1;
        }
        let numbered = || numbered[..count].iter().copied().enumerate();
        self.make_room(sides);
        let every_bit = numbered().fold(0_u32, |bits, (bit, _)| bits | 1 << bit);
        let (mut met, mut met_by_all) = (0, every_bit);
        let others = 1 - few;
        for (class, masks) in masks_of(sides[others]) {
            let bits = numbered().filter(|(_, (_, numbered))| numbered.meets(masks));
            let filter = bits.fold(0, |filter, (bit, _)| filter | 1 << bit);
            met |= filter;
            met_by_all &= filter;
            // Whoever is numbered accepts all others, who are in any one group.
            if let Some(words) = self.words[others].get_mut(class) {
                *words = MaskWords {
                    memberships: 1,
                    filter,
                };
            }
        }
        for (bit, (class, _)) in numbered() {
            let memberships = 1 << bit;
            if let Some(words) = self.words[few].get_mut(class) {
                *words = MaskWords {
                    memberships,
                    filter: u32::MAX,
                };
            }
        }
        if std::ptr::eq(sides[0], sides[1]) {
            // Every class is on both sides: its own bit, and those of the classes it meets.
            let [numbers, filters] = &mut self.words;
            for (number, filter) in numbers.iter_mut().zip(filters) {
                number.filter = filter.filter;
            }
        }
        Some(match (met, met_by_all) {
            (0, _) => Kind::Nobody,
            (_, all) if all == every_bit => Kind::Everybody,
            _ => Kind::Own,
        })
    }

    /// Gives each group that makes a difference a bit, if there are enough.
    fn number_groups(&mut self, sides: [&MaskColumn; 2]) -> Option<Kind> {
        let all = || sides.into_iter().flat_map(masks_of).map(|(_, masks)| masks);
        if all().any(|masks| masks.mode != MaskMode::And) {
            return None;
        }
        let [a, b] = sides.map(|side| {
            let none = (0, 0);
            masks_of(side).fold(none, |(members, filters), (_, masks)| {
                (members | masks.memberships, filters | masks.filter)
            })
        });
        let relevant = (a.0 & b.1) | (b.0 & a.1);
        // Groups that no masks have told apart so far.
        let mut groups = [0; BITS];
        groups[0] = relevant;
        let mut count = usize::from(relevant != 0);
        for bits in all().flat_map(|masks| [masks.memberships, masks.filter]) {
            let before = count;
            for k in 0..before {
                let (inside, outside) = (groups[k] & bits, groups[k] & !bits);
                if inside != 0 && outside != 0 {
                    *groups.get_mut(count)? = outside;
                    groups[k] = inside;
                    count += 1;
                }
            }
        }
        let groups = &groups[..count];
        self.make_room(sides);
        let translated = |bits: u64| {
            let inside = groups
                .iter()
                .enumerate()
                .filter(|(_, group)| *group & bits != 0);
            inside.fold(0, |word, (bit, _)| word | 1 << bit)
        };
        for (words, side) in self.words.iter_mut().zip(sides) {
            for (class, masks) in masks_of(side) {
                if let Some(words) = words.get_mut(class) {
                    *words = MaskWords {
                        memberships: translated(masks.memberships),
                        filter: translated(masks.filter),
                    };
                }
            }
        }
        Some(if relevant == 0 {
            Kind::Nobody
        } else {
            Kind::Own
        })
    }
}

/// Whether folded words are exact.
fn folded(sides: [&MaskColumn; 2]) -> Kind {
    if sides.into_iter().all(MaskColumn::folds_exactly) {
        Kind::Folded
    } else {
        Kind::Coarse
    }
}

/// The classes in use and their masks; where nothing is stored, that of all rows.
fn masks_of(side: &MaskColumn) -> impl Iterator<Item = (usize, Masks)> + Clone {
    let stored = side.is_allocated();
    let everything = (!stored).then_some((0, Masks::ALL));
    side.classes_in_use().chain(everything)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use throng_core::Column;

    /// Masks of few groups, of groups far apart, of all groups; and a rule.
    fn masks(most: usize) -> BoxedStrategy<Vec<Masks>> {
        let bits = prop_oneof![
            2 => 0..16_u64,
            2 => (0..64_u32).prop_map(|bit| 1 << bit),
            1 => Just(u64::MAX),
            1 => any::<u64>(),
        ];
        let both = (bits.clone(), bits, any::<bool>());
        let one = both.prop_map(|(memberships, filter, or)| {
            let mode = if or { MaskMode::Or } else { MaskMode::And };
            Masks::new(memberships, filter).with_mode(mode)
        });
        let few = one.clone().prop_map(|masks| masks.with_mode(MaskMode::And));
        prop_oneof![
            prop::collection::vec(one, 1..most),
            prop::collection::vec(few, 1..most),
            prop::collection::vec(Just(Masks::ALL), 1..4),
            prop::collection::vec(
                (0..8_u64, 0..8_u64).prop_map(|(a, b)| Masks::new(a << 40, b << 40)),
                1..most
            ),
        ]
        .boxed()
    }

    fn column(masks: &[Masks]) -> MaskColumn {
        let mut column = MaskColumn::default();
        column.push_defaults(masks.len());
        for (row, &masks) in masks.iter().enumerate() {
            column.set(row, masks);
        }
        column.validate().unwrap();
        column
    }

    fn check(words: &MeetingWords, columns: [&MaskColumn; 2]) -> Result<(), TestCaseError> {
        let is_one = std::ptr::eq(columns[0], columns[1]);
        let [a, b] = [0, usize::from(!is_one)].map(|side| words.of_rows(side, columns[side]));
        let mut met = 0;
        for i in 0..columns[0].rows() {
            for j in 0..columns[1].rows() {
                let word = |words: Option<RowMasks<'_>>, row| {
                    words.map_or(MaskWords::ALL, |words| words.get(row))
                };
                let (passes, meets) = (
                    word(a, i).meets(word(b, j)),
                    columns[0].get(i).meets(columns[1].get(j)),
                );
                prop_assert!(passes || !meets, "{i} and {j} are left out");
                prop_assert!(words.is_coarse() || passes == meets, "{i} and {j} pass");
                met += usize::from(meets);
            }
        }
        prop_assert!(!words.lets_nobody_through() || met == 0);
        Ok(())
    }

    proptest! {
        #[test]
        fn words_say_who_meets_whom(a in masks(80), b in masks(80), later in masks(8)) {
            let (mut a, b) = (column(&a), column(&b));
            let (mut own, mut both) = (MeetingWords::default(), MeetingWords::default());
            for (row, masks) in std::iter::once((0, a.get(0))).chain(later.into_iter().enumerate()) {
                if row < a.rows() {
                    a.set(row, masks);
                }
                own.update([&a, &a]);
                both.update([&a, &b]);
                check(&own, [&a, &a])?;
                check(&both, [&a, &b])?;
            }
        }
    }

    fn teams(count: u32) -> Vec<Masks> {
        (0..count)
            .map(|team| Masks::new(1 << team, !(1 << team)))
            .collect()
    }

    fn kind(a: &[Masks], b: Option<&[Masks]>) -> Kind {
        let mut words = MeetingWords::default();
        let first = column(a);
        match b.map(column) {
            Some(second) => words.update([&first, &second]),
            None => words.update([&first, &first]),
        }
        words.kind
    }

    #[test]
    fn pairs_are_tested_again_only_where_nothing_else_helps() {
        let or = |masks: &Masks| masks.with_mode(MaskMode::Or);
        let many: Vec<Masks> = teams(64);
        assert_eq!(kind(&many[..32], None), Kind::Own);
        assert_eq!(
            kind(&many, Some(&many[..32])),
            Kind::Own,
            "one side is enough"
        );
        assert_eq!(kind(&many, Some(&[Masks::ALL])), Kind::Everybody);
        assert_eq!(kind(&many, None), Kind::Coarse, "64 teams, each of its own");
        let ors: Vec<Masks> = many.iter().map(or).collect();
        assert_eq!(kind(&ors, Some(&ors[..32])), Kind::Own);
        assert_eq!(kind(&ors[..33], None), Kind::Coarse);
        // 48 masks of six groups, all of them high; and of low groups only.
        let few = |shift: u32| -> Vec<Masks> {
            (0..48)
                .map(|k| Masks::new(k << shift, (k * 7 % 64) << shift))
                .collect()
        };
        assert_eq!(kind(&few(40), None), Kind::Own);
        assert_eq!(kind(&few(20), None), Kind::Folded);
        // Sixty groups that nobody asks for.
        let members: Vec<Masks> = (0..60)
            .map(|k| Masks::new(1 << k | 1 << 60, 1 << 60))
            .collect();
        assert_eq!(kind(&members, None), Kind::Own);
    }

    #[test]
    fn masks_that_keep_nobody_apart_are_not_gathered() {
        let differ: Vec<Masks> = (0..32).map(|k| Masks::new(1 << k, u64::MAX)).collect();
        assert_eq!(kind(&differ, None), Kind::Everybody);
        assert_eq!(kind(&differ, Some(&[Masks::ALL])), Kind::Everybody);
        let mut one_apart = differ.clone();
        one_apart[17].filter ^= 1 << 3;
        assert_eq!(kind(&one_apart, None), Kind::Own);
        assert_eq!(kind(&one_apart, Some(&differ)), Kind::Own);
    }

    #[test]
    fn words_are_made_anew_when_masks_become_too_many_for_classes() {
        // A class each, and the last two rows share that of `ALL`, so that none goes out of use.
        let classes = (1..=u64::from(u16::MAX)).map(|k| Masks::new(k, k << 8));
        let mut many = column(&classes.chain([Masks::ALL; 2]).collect::<Vec<_>>());
        let few = column(&[Masks::new(2, 1), Masks::new(1 << 9, 6)]);
        let mut words = MeetingWords::default();
        words.update([&many, &few]);
        assert_eq!(words.kind, Kind::Own);
        check(&words, [&many, &few]).unwrap();
        many.set(many.rows() - 1, Masks::new(1, 1));
        assert_eq!(many.in_use(), MasksInUse::Each);
        words.update([&many, &few]);
        check(&words, [&many, &few]).unwrap();
    }

    #[test]
    fn masks_that_let_nobody_through_are_noticed() {
        let loners = [Masks::new(1 << 50, 1 << 51), Masks::NONE];
        assert_eq!(kind(&loners, None), Kind::Nobody);
        assert_eq!(
            kind(&loners, Some(&[Masks::new(1 << 51, 1 << 50)])),
            Kind::Own
        );
        let many: Vec<Masks> = (0..50).map(|k| Masks::new(1 << k, 1 << 50)).collect();
        assert_eq!(kind(&many, None), Kind::Nobody);
    }
}
