//! What is noted comes in order, as rows and with values, at every level.

use crate::lanes_of;
use proptest::prelude::*;
use throng_core::lanes::{ClassTable, HitRoom, Hits, Kernel, Lanes, Simd, TakePairs};
use throng_core::{
    Arena, HeldBuffer, HeldPairs, LANES, MaskWords, MetClasses, PairBuffer, PairOrder, Placed,
    SimdLevel,
};

/// In how many groups behind one the places of a [`Hits`] are told apart.
const SHIFTS: usize = LANES;

/// Where a group begins, where the groups that it meets are counted from, and the lanes that meet at each shift.
type Group = (usize, usize, [u16; SHIFTS]);

/// Groups of which many lanes meet others, or hardly any: so that either limit is met first, of pairs and of stretches.
fn groups() -> impl Strategy<Value = Vec<Group>> {
    let from = || (0..20_usize, 0..20_usize);
    let many = prop::array::uniform16(prop_oneof![Just(0), any::<u16>()]);
    let one = (0..SHIFTS, 0..LANES).prop_map(|(shift, lane)| {
        let mut sets = [0; SHIFTS];
        sets[shift] = 1 << lane;
        sets
    });
    let few = prop_oneof![Just([0; SHIFTS]), one];
    let group = |((left, right), sets)| (left, right, sets);
    prop_oneof![
        prop::collection::vec((from(), many).prop_map(group), 0..40),
        prop::collection::vec((from(), few).prop_map(group), 0..120),
    ]
}

/// Notes groups, and hands them over when there is no room for more.
struct Note<'a, T> {
    groups: &'a [Group],
    members: &'a Placed<'a>,
    /// Which classes meet, if members have them.
    met: Option<&'a MetClasses>,
    to: &'a mut T,
}

impl<T: TakePairs> Kernel for Note<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let arena = Arena::new();
        let mut hits = Hits::in_room(lanes, HitRoom::in_arena(&arena));
        let met = self.met.map(|met| ClassTable::load(lanes, met));
        for (left, right, sets) in self.groups {
            if !hits.has_room() {
                hits.hand_over(self.members, met, self.to);
            }
            for (shift, &set) in sets.iter().enumerate() {
                hits.note(lanes_of(lanes, set.into()), shift);
            }
            hits.end_stretch([*left, *right]);
        }
        hits.hand_over(self.members, met, self.to);
    }
}

/// A pair of rows, and what comes with each: its center and half extents.
type Found = ([u32; 2], [[f32; 4]; 2]);

proptest! {
    #[test]
    fn hits_are_handed_over_in_the_order_in_which_they_were_noted(
        groups in groups(),
        factor in prop::sample::select(vec![1_u32, 5, 0x8000_0001]),
        own: bool,
        filters in prop::option::of(prop::collection::vec(any::<u32>(), MetClasses::MOST)),
    ) {
        let len = 20 + HitRoom::MEMBERS as u32;
        let mut rows: Vec<u32> = (0..len).map(|k| (k ^ 21).wrapping_mul(factor)).collect();
        // With filters, the lower five bits of a row's word are its class.
        let row_shift = if filters.is_some() { 5 } else { 0 };
        let words = rows.clone();
        rows.iter_mut().for_each(|row| *row >>= row_shift);
        let met = filters.map(|filters| {
            let class = |filter| MaskWords { memberships: u32::MAX, filter };
            let anybody = MaskWords::ALL;
            let words: Vec<_> = filters.iter().map(|&filter| class(filter)).collect();
            let numbers: Vec<_> = (0..32)
                .map(|k| MaskWords { memberships: 1 << k, ..anybody })
                .collect();
            MetClasses::of([&words, &numbers]).unwrap()
        });
        let meet = |i: usize, j: usize| {
            let class = |k: usize| (words[k] % 32) as usize;
            met.as_ref().is_none_or(|met| met.meets(class(i), class(j)))
        };
        let columns = [0.5, 0.25, 0.75, 1.5].map(|more| -> Vec<f32> {
            (0..len).map(|k| k as f32 + more).collect()
        });
        let [xs, ys, widths, heights] = columns.each_ref().map(|column| &column[..]);
        let bound = [3.0, 4.0];
        let members = Placed {
            rows: &words,
            row_shift,
            centers: [xs, ys],
            own: own.then_some([widths, heights]),
            bound,
        };
        let values = |k: usize| {
            let [width, height] = if own { [widths[k], heights[k]] } else { bound };
            [xs[k], ys[k], width, height]
        };
        let mut expected: Vec<Found> = Vec::new();
        for (left, right, sets) in &groups {
            for (shift, set) in sets.iter().enumerate() {
                for lane in (0..LANES).filter(|lane| set >> lane & 1 == 1) {
                    let (i, j) = (left + lane, right + lane + shift);
                    if !meet(i, j) {
                        continue;
                    }
                    let [i, j] = if rows[i] <= rows[j] { [i, j] } else { [j, i] };
                    expected.push(([rows[i], rows[j]], [values(i), values(j)]));
                }
            }
        }
        for simd in SimdLevel::available().iter().map(|&level| Simd::new(Some(level)).expect("available")) {
            let mut found: Vec<Found> = Vec::new();
            let mut visit = |batch: &mut HeldPairs| {
                assert!((1..=HeldPairs::BATCH).contains(&batch.pairs().len()));
                let of = |side: usize, k: usize| {
                    assert!(batch.is_known(side));
                    let ([x, y], [width, height]) = (batch.centers(side), batch.half_extents(side));
                    [x[k], y[k], width[k], height[k]]
                };
                let pairs = batch.pairs().iter().enumerate();
                found.extend(pairs.map(|(k, &pair)| (pair, [of(0, k), of(1, k)])));
            };
            let mut batch = HeldPairs::new(true);
            let mut to = HeldBuffer::new(&mut batch, &mut visit);
            simd.run(Note { groups: &groups, members: &members, met: met.as_ref(), to: &mut to });
            to.flush();
            prop_assert_eq!(to.total(), expected.len() as u64);
            prop_assert_eq!(&found, &expected);

            let arena = Arena::new();
            let mut pairs = Vec::new();
            let mut visit = |batch: &[[u32; 2]]| pairs.extend_from_slice(batch);
            let mut to = PairBuffer::new(&arena, &mut visit);
            simd.run(Note { groups: &groups, members: &members, met: met.as_ref(), to: &mut to });
            to.flush();
            prop_assert!(pairs.into_iter().eq(expected.iter().map(|(pair, _)| *pair)));
        }
    }
}

/// Values that are not known are in a batch of their own.
#[test]
fn what_is_known_does_not_mix_with_what_is_not() {
    let rows: Vec<u32> = (0..60).collect();
    let column = vec![1.0; 60];
    let members = Placed {
        rows: &rows,
        row_shift: 0,
        centers: [&column, &column],
        own: None,
        bound: [1.0; 2],
    };
    let mut batches = Vec::new();
    let mut visit =
        |batch: &mut HeldPairs| batches.push((batch.is_known(0), batch.pairs().to_vec()));
    let mut batch = HeldPairs::new(false);
    let mut to = HeldBuffer::new(&mut batch, &mut visit);
    to.append_rows(&[[7, 8]]);
    let mut sets = [0; SHIFTS];
    sets[3] = 1 << 5;
    let groups = [(2, 10, sets)];
    let simd = Simd::new(None).expect("the best level is available");
    simd.run(Note {
        groups: &groups,
        members: &members,
        met: None,
        to: &mut to,
    });
    to.flush();
    assert_eq!(batches, [(false, vec![[7, 8]]), (true, vec![[7, 18]])]);
}

/// Notes groups whose places on the right are counted from zero, and hands them over when there is no room for more.
struct NoteBetween<'a, 'b> {
    groups: &'a [Group],
    names: [&'a [u32]; 2],
    shifts: [u32; 2],
    order: PairOrder,
    to: &'a mut PairBuffer<'b>,
}

impl Kernel for NoteBetween<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let Self { names, shifts, .. } = self;
        let arena = Arena::new();
        let mut hits = Hits::in_room(lanes, HitRoom::in_arena(&arena));
        for (left, right, sets) in self.groups {
            if !hits.has_room() {
                hits.hand_over_between(names, shifts, self.order, self.to);
            }
            for (shift, &set) in sets.iter().enumerate() {
                hits.note(lanes_of(lanes, set.into()), shift);
            }
            hits.end_stretch([*left, *right]);
        }
        hits.hand_over_between(names, shifts, self.order, self.to);
    }
}

proptest! {
    #[test]
    fn pairs_of_two_runs_are_handed_over_in_the_order_in_which_they_were_noted(
        groups in groups(),
        shifts in prop::array::uniform2(0..6_u32),
        order in prop::sample::select(vec![PairOrder::LowerRow, PairOrder::Left, PairOrder::Right]),
    ) {
        let len = 20 + LANES as u32;
        let names = [7, 12].map(|mix| -> Vec<u32> {
            (0..len).map(|k| (k ^ mix).wrapping_mul(0x2545_f491)).collect()
        });
        let mut expected = Vec::new();
        for (left, right, sets) in &groups {
            for (place, set) in sets.iter().enumerate() {
                for lane in (0..LANES).filter(|lane| set >> lane & 1 == 1) {
                    let left = names[0][left + lane] >> shifts[0];
                    let right = names[1][right + place] >> shifts[1];
                    expected.push(match order {
                        PairOrder::LowerRow => [left.min(right), left.max(right)],
                        PairOrder::Left => [left, right],
                        PairOrder::Right => [right, left],
                    });
                }
            }
        }
        for simd in SimdLevel::available().iter().map(|&level| Simd::new(Some(level)).expect("available")) {
            let arena = Arena::new();
            let mut pairs = Vec::new();
            let mut visit = |batch: &[[u32; 2]]| pairs.extend_from_slice(batch);
            let mut to = PairBuffer::new(&arena, &mut visit);
            simd.run(NoteBetween {
                groups: &groups,
                names: names.each_ref().map(|names| &names[..]),
                shifts,
                order,
                to: &mut to,
            });
            to.flush();
            prop_assert_eq!(&pairs, &expected);
        }
    }
}
