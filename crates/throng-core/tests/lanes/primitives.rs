//! Every primitive at every level against a loop over arrays.

use proptest::prelude::*;
use throng_core::lanes::{
    GroupMasks, Kernel, Lanes, NUMBERS, Sides, Simd, agreeing, chunk, chunk_mut, emit,
    emit_with_one, lanes_below, overlapping,
};
use throng_core::{
    Arena, LANES, MaskWords, PairBuffer, PairOrder, SimdLevel, SimdUnavailable, overlaps_1d,
};

type SixteenFloats = [f32; LANES];
type SixteenWords = [u32; LANES];

const ALL: u32 = 0xffff;
const TOP: u32 = 1 << 31;

/// Runs checks at every level that this machine has.
macro_rules! at_every_level {
    (|$lanes:ident $(, $given:ident: $of:ty)*| $checks:block) => {{
        struct Checks<T>(T);
        impl Kernel for Checks<($(&$of,)*)> {
            type Output = ();

            #[inline(always)]
            fn run<L: Lanes>(self, $lanes: L) {
                let Checks(($($given,)*)) = self;
                $checks
            }
        }
        for &level in SimdLevel::available() {
            simd(level).run(Checks(($(&$given,)*)));
        }
    }};
}

fn simd(level: SimdLevel) -> Simd {
    Simd::new(Some(level)).expect("an available level")
}

/// Floats of every kind, often equal ones.
fn float() -> BoxedStrategy<f32> {
    let least = f32::from_bits(1);
    prop_oneof![
        2 => any::<u32>().prop_map(f32::from_bits),
        2 => (-3_i8..3).prop_map(f32::from),
        3 => prop::sample::select(vec![
            f32::NAN, -f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, f32::MIN, 0.0, -0.0,
            least, -least, f32::MIN_POSITIVE, f32::MIN_POSITIVE.next_down(),
        ]),
    ]
    .boxed()
}

fn floats() -> BoxedStrategy<[f32; LANES]> {
    prop::array::uniform16(float()).boxed()
}

/// Words of every kind, often equal ones.
fn words() -> BoxedStrategy<[u32; LANES]> {
    prop::array::uniform16(prop_oneof![
        any::<u32>(),
        (0_u32..32).prop_map(|bit| 1 << bit),
        prop::sample::select(vec![0, 1, TOP - 1, TOP, TOP + 1, u32::MAX]),
    ])
    .boxed()
}

fn order() -> BoxedStrategy<PairOrder> {
    prop::sample::select(vec![PairOrder::LowerRow, PairOrder::Left, PairOrder::Right]).boxed()
}

/// Bits of floats; the same for every NaN.
fn bits_of<const N: usize>(floats: [f32; N]) -> [u32; N] {
    floats.map(|float| {
        if float.is_nan() {
            f32::NAN.to_bits()
        } else {
            float.to_bits()
        }
    })
}

#[inline(always)]
fn float_bits<L: Lanes>(lanes: L, floats: L::Floats) -> [u32; LANES] {
    let mut all = [0.0; LANES];
    lanes.store_kept(&mut all, ALL, floats);
    bits_of(all)
}

#[inline(always)]
fn words_in<L: Lanes>(lanes: L, words: L::Words) -> [u32; LANES] {
    let mut all = [0; LANES];
    lanes.store_words(&mut all, words);
    all
}

/// The lanes for which `is` holds, as bits.
fn set(is: impl Fn(usize) -> bool) -> u32 {
    (0..LANES).map(|lane| u32::from(is(lane)) << lane).sum()
}

/// The elements in the lanes of a set.
fn kept<T: Copy>(set: u32, from: &[T]) -> Vec<T> {
    let lanes = (0..LANES).filter(|lane| set >> lane & 1 == 1);
    lanes.map(|lane| from[lane]).collect()
}

fn ordered(order: PairOrder, left: u32, right: u32) -> [u32; 2] {
    match order {
        PairOrder::LowerRow => [left.min(right), left.max(right)],
        PairOrder::Left => [left, right],
        PairOrder::Right => [right, left],
    }
}

proptest! {
    #[test]
    fn what_is_loaded_is_stored(a in floats(), x in words(), float in float(), word: u32) {
        at_every_level!(|lanes, a: SixteenFloats, x: SixteenWords, float: f32, word: u32| {
            assert_eq!(float_bits(lanes, lanes.load(a)), bits_of(*a));
            assert_eq!(words_in(lanes, lanes.load_words(x)), *x);
            assert_eq!(float_bits(lanes, lanes.splat(*float)), bits_of([*float; LANES]));
            assert_eq!(words_in(lanes, lanes.splat_words(*word)), [*word; LANES]);
        });
    }

    #[test]
    fn what_there_is_of_a_group_is_loaded(
        a in prop::array::uniform20(float()), x in prop::array::uniform20(any::<u32>()),
    ) {
        at_every_level!(|lanes, a: [f32; 20], x: [u32; 20]| {
            for len in 0..=20 {
                let (mut floats, mut words) = ([f32::NAN; LANES], [0; LANES]);
                for lane in 0..LANES.min(len) {
                    (floats[lane], words[lane]) = (a[lane], x[lane]);
                }
                assert_eq!(float_bits(lanes, lanes.load_some(&a[..len])), bits_of(floats));
                assert_eq!(words_in(lanes, lanes.load_some_words(&x[..len])), words);
            }
        });
    }

    #[test]
    fn what_there_is_room_for_is_stored(a in floats(), x in words(), before in words()) {
        at_every_level!(|lanes, a: SixteenFloats, x: SixteenWords, before: SixteenWords| {
            let mut floats = [0.0; LANES];
            lanes.store(&mut floats, lanes.load(a));
            assert_eq!(bits_of(floats), bits_of(*a));
            for room in 0..=LANES {
                let mut to = *before;
                lanes.store_some_words(&mut to[..room], lanes.load_words(x));
                assert_eq!((&to[..room], &to[room..]), (&x[..room], &before[room..]));
            }
            let mut more = [7; LANES + 3];
            lanes.store_some_words(&mut more, lanes.load_words(x));
            assert_eq!((&more[..LANES], &more[LANES..]), (&x[..], &[7; 3][..]));
        });
    }

    #[test]
    fn rows_become_columns(groups in prop::array::uniform16(floats())) {
        type SixteenGroups = [SixteenFloats; LANES];
        at_every_level!(|lanes, groups: SixteenGroups| {
            let mut loaded = [lanes.splat(0.0); LANES];
            for (to, from) in loaded.iter_mut().zip(groups) {
                *to = lanes.load(from);
            }
            for (lane, column) in lanes.transpose(loaded).into_iter().enumerate() {
                assert_eq!(float_bits(lanes, column), bits_of(groups.map(|group| group[lane])));
            }
        });
    }

    #[test]
    fn arithmetic_is_that_of_numbers(a in floats(), b in floats(), x in words(), y in words()) {
        at_every_level!(|lanes, a: SixteenFloats, b: SixteenFloats, x: SixteenWords, y: SixteenWords| {
            let each = |of: fn(f32, f32) -> f32| bits_of(std::array::from_fn(|k| of(a[k], b[k])));
            let (va, vb) = (lanes.load(a), lanes.load(b));
            assert_eq!(float_bits(lanes, lanes.add(va, vb)), each(|a, b| a + b));
            assert_eq!(float_bits(lanes, lanes.sub(va, vb)), each(|a, b| a - b));
            assert_eq!(float_bits(lanes, lanes.mul(va, vb)), each(|a, b| a * b));
            let higher = each(|a, b| if a > b { a } else { b });
            assert_eq!(float_bits(lanes, lanes.higher(va, vb)), higher);
            let lower = each(|a, b| if a < b { a } else { b });
            assert_eq!(float_bits(lanes, lanes.lower(va, vb)), lower);
            let each = |of: fn(u32, u32) -> u32| std::array::from_fn(|k| of(x[k], y[k]));
            let (vx, vy) = (lanes.load_words(x), lanes.load_words(y));
            assert_eq!(words_in(lanes, lanes.add_words(vx, vy)), each(u32::wrapping_add));
            assert_eq!(words_in(lanes, lanes.and_words(vx, vy)), each(|x, y| x & y));
            assert_eq!(words_in(lanes, lanes.or_words(vx, vy)), each(|x, y| x | y));
        });
    }

    #[test]
    fn the_highest_passes_over_nan(a in floats(), numbers in 0..=LANES) {
        // No NaN that signals: it need not be passed over.
        let a = a.map(|value| if value.is_nan() { f32::NAN.copysign(value) } else { value });
        let mut few = [f32::NAN; LANES];
        few[LANES - numbers..].copy_from_slice(&a[..numbers]);
        at_every_level!(|lanes, a: SixteenFloats, few: SixteenFloats| {
            for group in [a, few] {
                // Zeros of either sign are equal.
                let highest = group.iter().fold(f32::NEG_INFINITY, |a, &b| a.max(b));
                assert!(lanes.highest(lanes.load(group)) == highest);
            }
        });
    }

    #[test]
    fn of_a_nan_and_a_number_the_second_is_the_higher(a in floats()) {
        at_every_level!(|lanes, a: SixteenFloats| {
            let (numbers, nan) = (lanes.load(a), lanes.splat(f32::NAN));
            assert_eq!(float_bits(lanes, lanes.higher(nan, numbers)), bits_of(*a));
            let higher = lanes.higher(numbers, nan);
            assert!(!lanes.any(lanes.le(lanes.every_lane(), higher, higher)));
        });
    }

    #[test]
    fn nan_stands_behind_as_many_as_there_are(a in floats()) {
        at_every_level!(|lanes, a: SixteenFloats| {
            for count in (0..=LANES + 4).chain([1 << 16, 1 << (usize::BITS / 2), usize::MAX]) {
                let mut expected = *a;
                expected[count.min(LANES)..].fill(f32::NAN);
                let found = lanes.nan_behind(count, lanes.load(a));
                assert_eq!(float_bits(lanes, found), bits_of(expected));
            }
        });
    }

    #[test]
    fn comparisons_narrow_a_set_down(
        a in floats(), b in floats(), x in words(), y in words(), among in words(),
    ) {
        let floats = [a, b];
        let words = [x, y, among];
        at_every_level!(|lanes, floats: [SixteenFloats; 2], words: [SixteenWords; 3]| {
            let ([a, b], [x, y, among]) = (floats, words);
            let (va, vb) = (lanes.load(a), lanes.load(b));
            let (vx, vy) = (lanes.load_words(x), lanes.load_words(y));
            let every = lanes.every_lane();
            assert_eq!(lanes.bits(every), ALL);
            let tops = lanes.top_bit_set(every, lanes.load_words(among));
            for (narrowed, from) in [(every, ALL), (tops, set(|k| among[k] >= TOP))] {
                assert_eq!(lanes.bits(narrowed), from);
                let le = lanes.le(narrowed, va, vb);
                assert_eq!(lanes.bits(le), from & set(|k| a[k] <= b[k]));
                for b in [b, a, &[f32::NAN; LANES]] {
                    let differ = lanes.differ(narrowed, va, lanes.load(b));
                    assert_eq!(lanes.bits(differ), from & set(|k| a[k] != b[k]));
                }
                let shared = lanes.share_a_bit(narrowed, vx, vy);
                assert_eq!(lanes.bits(shared), from & set(|k| x[k] & y[k] != 0));
                let named = lanes.has_bit(narrowed, vx, vy);
                assert_eq!(lanes.bits(named), from & set(|k| x[k] >> (y[k] % 32) & 1 == 1));
                let top = lanes.top_bit_set(narrowed, vx);
                assert_eq!(lanes.bits(top), from & set(|k| x[k] >= TOP));
                // Each goes on with what the other has left, whichever is first.
                let all = lanes.bits(le) & lanes.bits(shared) & lanes.bits(top);
                let in_turn = lanes.top_bit_set(lanes.share_a_bit(le, vx, vy), vx);
                assert_eq!(lanes.bits(in_turn), all);
                let in_turn = lanes.le(lanes.share_a_bit(top, vx, vy), va, vb);
                assert_eq!(lanes.bits(in_turn), all);
                for mask in [narrowed, le, shared, top, in_turn] {
                    assert_eq!(lanes.any(mask), lanes.bits(mask) != 0);
                }
            }
        });
    }

    #[test]
    fn counts_grow_where_it_is_less(counts in words(), a in floats(), b in floats()) {
        at_every_level!(|lanes, counts: SixteenWords, a: SixteenFloats, b: SixteenFloats| {
            let grown = |is: fn(f32, f32) -> bool| -> SixteenWords {
                std::array::from_fn(|k| counts[k].wrapping_add(u32::from(is(a[k], b[k]))))
            };
            let (va, vb, from) = (lanes.load(a), lanes.load(b), lanes.load_words(counts));
            assert_eq!(words_in(lanes, lanes.count_lt(from, va, vb)), grown(|a, b| a < b));
            assert_eq!(words_in(lanes, lanes.count_le(from, va, vb)), grown(|a, b| a <= b));
        });
    }

    #[test]
    fn pairs_of_any_rows_are_stored(
        left in words(), right in words(), keep in 0..=ALL, order in order(),
    ) {
        let rows = [left, right];
        at_every_level!(|lanes, rows: [SixteenWords; 2], keep: u32, order: PairOrder| {
            let [left, right] = rows;
            let each: [_; LANES] = std::array::from_fn(|k| ordered(*order, left[k], right[k]));
            let expected = kept(*keep, &each);
            let (vl, vr) = (lanes.load_words(left), lanes.load_words(right));
            let mut to = [[0; 2]; LANES];
            lanes.store_pairs(&mut to, *keep, *order, vl, vr);
            assert_eq!(to[..expected.len()], expected);
        });
    }

    #[test]
    fn words_are_picked_and_chosen(a in words(), b in words(), at in words()) {
        at_every_level!(|lanes, a: SixteenWords, b: SixteenWords, at: SixteenWords| {
            let [va, vb, vat] = [lanes.load_words(a), lanes.load_words(b), lanes.load_words(at)];
            let place = |k: usize| at[k] as usize % (2 * LANES);
            let picked: [u32; LANES] = std::array::from_fn(|k| a[place(k) % LANES]);
            assert_eq!(words_in(lanes, lanes.pick(va, vat)), picked);
            let picked: [u32; LANES] = std::array::from_fn(|k| {
                if place(k) < LANES { a[place(k)] } else { b[place(k) - LANES] }
            });
            assert_eq!(words_in(lanes, lanes.pick_of_two([va, vb], vat)), picked);
            for count in [0, 1, 5, 8, 31] {
                let shifted = words_in(lanes, lanes.shift_right(va, count));
                assert_eq!(shifted, a.map(|word| word >> count));
            }
            let chosen: [u32; LANES] =
                std::array::from_fn(|k| if a[k] > b[k] { at[k] } else { !at[k] });
            let others = lanes.load_words(&at.map(|word| !word));
            assert_eq!(words_in(lanes, lanes.choose_if_above(va, vb, vat, others)), chosen);
            let mut pairs = [[0; 2]; LANES];
            lanes.store_all_pairs(&mut pairs, va, vb);
            assert_eq!(pairs, std::array::from_fn(|k| [a[k], b[k]]));
        });
    }

    #[test]
    fn boxes_overlap_as_defined(
        sides in prop::array::uniform2(prop::array::uniform4(floats())), among in words(),
    ) {
        at_every_level!(|lanes, sides: [[SixteenFloats; 4]; 2], among: SixteenWords| {
            let [a, b] = sides;
            let both = set(|k| {
                overlaps_1d(a[0][k], a[2][k], b[0][k], b[2][k])
                    && overlaps_1d(a[1][k], a[3][k], b[1][k], b[3][k])
            });
            let [va, vb] = [a, b].map(|columns| columns.each_ref().map(|side| &side[..]));
            let (va, vb) = (Sides::load(lanes, va, 0), Sides::load(lanes, vb, 0));
            let every = lanes.every_lane();
            assert_eq!(lanes.bits(overlapping(lanes, every, &va, &vb)), both);
            assert_eq!(lanes.bits(overlapping(lanes, every, &vb, &va)), both);
            let tops = lanes.top_bit_set(every, lanes.load_words(among));
            let some = both & set(|k| among[k] >= TOP);
            assert_eq!(lanes.bits(overlapping(lanes, tops, &va, &vb)), some);
            // One of them in all lanes.
            let corners = |k: usize| [[b[0][k], b[1][k]], [b[2][k], b[3][k]]];
            for [min, max] in (0..LANES).map(corners) {
                let expected = set(|k| {
                    overlaps_1d(a[0][k], a[2][k], min[0], max[0])
                        && overlaps_1d(a[1][k], a[3][k], min[1], max[1])
                });
                let one = Sides::splat(lanes, [min, max]);
                assert_eq!(lanes.bits(overlapping(lanes, every, &va, &one)), expected);
            }
        });
    }

    #[test]
    fn boxes_are_loaded_and_kept(
        columns in prop::array::uniform4(prop::array::uniform20(float())),
        at in 0_usize..5,
        keep in 0..=ALL,
    ) {
        at_every_level!(|lanes, columns: [[f32; 20]; 4], at: usize, keep: u32| {
            let from = columns.each_ref().map(|side| &side[..]);
            let whole = Sides::load(lanes, from, *at);
            let loaded = [whole.min_x, whole.min_y, whole.max_x, whole.max_y];
            for (loaded, side) in loaded.into_iter().zip(columns) {
                assert_eq!(float_bits(lanes, loaded), bits_of(*chunk(side, *at)));
            }
            let some = Sides::load_some(lanes, from.map(|side| &side[20 - at..]));
            let loaded = [some.min_x, some.min_y, some.max_x, some.max_y];
            for (loaded, side) in loaded.into_iter().zip(columns) {
                let expected = std::array::from_fn(|k| *side.get(20 - at + k).unwrap_or(&f32::NAN));
                assert_eq!(float_bits(lanes, loaded), bits_of(expected));
            }
            let mut to = [[0.5; 24]; 4];
            whole.store_kept(lanes, &mut to.each_mut().map(|side| &mut side[..]), 3, *keep);
            for (to, side) in to.iter().zip(columns) {
                assert!(to[..3] == [0.5; 3] && to[19..] == [0.5; 5], "one group is written");
                let (to, side) = (bits_of(*chunk(to, 3)), bits_of(*chunk(side, *at)));
                let expected = kept(*keep, &side);
                assert_eq!(to[..expected.len()], expected);
            }
        });
    }

    #[test]
    fn masks_agree_as_they_meet(
        a in prop::array::uniform2(words()), b in prop::array::uniform2(words()), among in words(),
    ) {
        at_every_level!(|lanes, a: [SixteenWords; 2], b: [SixteenWords; 2], among: SixteenWords| {
            let of = |masks: &[SixteenWords; 2], k: usize| MaskWords {
                memberships: masks[0][k],
                filter: masks[1][k],
            };
            let [va, vb] = [a, b].map(|masks| masks.each_ref().map(|column| &column[..]));
            let tops = lanes.top_bit_set(lanes.every_lane(), lanes.load_words(among));
            let from = lanes.bits(tops);
            let (ma, mb) = (GroupMasks::load(lanes, true, va, 0), GroupMasks::load(lanes, true, vb, 0));
            let expected = from & set(|k| of(a, k).meets(of(b, k)));
            assert_eq!(lanes.bits(agreeing(lanes, tops, ma, mb)), expected);
            for one in 0..LANES {
                let mb = GroupMasks::splat(lanes, true, vb, one);
                let expected = from & set(|k| of(a, k).meets(of(b, one)));
                assert_eq!(lanes.bits(agreeing(lanes, tops, ma, mb)), expected);
            }
            // Columns of no masks are not read.
            let [ma, mb] = [
                GroupMasks::load(lanes, false, [&[]; 2], 0),
                GroupMasks::splat(lanes, false, [&[]; 2], 0),
            ];
            assert_eq!(lanes.bits(agreeing(lanes, tops, ma, mb)), from);
        });
    }

    #[test]
    fn pairs_are_emitted_in_turn(
        groups in prop::collection::vec((0..=ALL, order(), any::<[u32; 2]>()), 0..200),
    ) {
        let groups = &groups[..];
        at_every_level!(|lanes, groups: &[(u32, PairOrder, [u32; 2])]| {
            let arena = Arena::new();
            let (mut found, mut expected) = (Vec::new(), Vec::new());
            let mut visit = |batch: &[[u32; 2]]| found.extend_from_slice(batch);
            let mut out = PairBuffer::new(&arena, &mut visit);
            for (keep, order, seeds) in *groups {
                let [left, right] = seeds.map(|seed| NUMBERS.map(|k| seed.rotate_left(k)));
                let rows = lanes.load_words(&left);
                emit(lanes, &mut out, *keep, *order, rows, lanes.load_words(&right));
                let each: [_; LANES] = std::array::from_fn(|k| ordered(*order, left[k], right[k]));
                expected.extend(kept(*keep, &each));
                if *order != PairOrder::LowerRow {
                    let one = lanes.splat_words(right[0]);
                    emit_with_one(lanes, &mut out, *keep, *order, rows, one);
                    expected.extend(kept(*keep, &left.map(|left| ordered(*order, left, right[0]))));
                }
            }
            out.flush();
            assert_eq!(found, expected);
        });
    }
}

/// Rows of which either may be the lower one, whether words have a sign or not.
fn two_columns_of_rows() -> [SixteenWords; 2] {
    let left = NUMBERS.map(|k| k.wrapping_mul(0x2545_f491).rotate_left(k));
    let right = NUMBERS.map(|k| {
        if k == 5 {
            left[5]
        } else {
            !left[15 - k as usize]
        }
    });
    [left, right]
}

#[test]
fn every_set_of_lanes_is_kept() {
    let [words, _] = two_columns_of_rows();
    let floats = NUMBERS.map(|k| k as f32 - 7.5);
    at_every_level!(|lanes, floats: SixteenFloats, words: SixteenWords| {
        let (all_floats, all_words) = (lanes.load(floats), lanes.load_words(words));
        for keep in 0..=ALL {
            let (mut to, mut to_words) = ([0.0; LANES], [0; LANES]);
            lanes.store_kept(&mut to, keep, all_floats);
            lanes.store_kept_words(&mut to_words, keep, all_words);
            let kept_words = kept(keep, words);
            assert_eq!(to[..kept_words.len()], kept(keep, floats), "{keep:016b}");
            assert_eq!(to_words[..kept_words.len()], kept_words, "{keep:016b}");
        }
    });
}

#[test]
fn every_set_of_lanes_is_noted() {
    at_every_level!(|lanes| {
        let mut notes = [bytemuck::Zeroable::zeroed(); LANES];
        for set in 0..=ALL {
            for shift in [set % 16, set >> 12] {
                let mask = crate::lanes_of(lanes, set);
                let count = lanes.note(&mut notes, mask, shift as usize);
                let [places, shifts] = lanes.noted(&notes).map(|words| words_in(lanes, words));
                let places = places.map(|place| place & 0xffff);
                assert_eq!(places[..count], kept(set, &NUMBERS), "{set:016b}, {shift}");
                assert_eq!(shifts[..count], vec![shift; count], "{set:016b}, {shift}");
            }
        }
    });
}

#[test]
fn pairs_of_every_set_of_lanes_are_stored() {
    let [left, right] = two_columns_of_rows();
    at_every_level!(|lanes, left: SixteenWords, right: SixteenWords| {
        let (all_left, all_right) = (lanes.load_words(left), lanes.load_words(right));
        for order in [PairOrder::LowerRow, PairOrder::Left, PairOrder::Right] {
            let each: [_; LANES] = std::array::from_fn(|k| ordered(order, left[k], right[k]));
            let each_with_one = left.map(|left| ordered(order, left, right[3]));
            for keep in 0..=ALL {
                let mut to = [[0; 2]; LANES];
                lanes.store_pairs(&mut to, keep, order, all_left, all_right);
                let expected = kept(keep, &each);
                assert_eq!(to[..expected.len()], expected, "{keep:016b}");
                if order == PairOrder::LowerRow {
                    continue;
                }
                let one = lanes.splat_words(right[3]);
                lanes.store_pairs_with_one(&mut to, keep, order, all_left, one);
                let expected = kept(keep, &each_with_one);
                assert_eq!(to[..expected.len()], expected, "{keep:016b}");
            }
        }
    });
}

#[test]
fn a_single_lane_is_any() {
    at_every_level!(|lanes| {
        let every = lanes.every_lane();
        // All bits but the top ones, so no lane is in the mask.
        let mut words = [!TOP; LANES];
        assert!(!lanes.any(lanes.top_bit_set(every, lanes.load_words(&words))));
        for lane in 0..LANES {
            words[lane] = TOP;
            let mask = lanes.top_bit_set(every, lanes.load_words(&words));
            assert!(lanes.any(mask));
            assert_eq!(lanes.bits(mask), 1 << lane);
            words[lane] = !TOP;
        }
    });
}

#[test]
fn lanes_below_are_the_first_ones() {
    for count in (0..100).chain([1 << (usize::BITS / 2), usize::MAX]) {
        assert_eq!(lanes_below(count), set(|lane| lane < count));
    }
    assert_eq!(NUMBERS.to_vec(), (0..16).collect::<Vec<u32>>());
}

#[test]
fn chunks_are_sixteen_from_a_place_on() {
    let mut values: Vec<usize> = (0..40).collect();
    for at in 0..=24 {
        assert!(chunk(&values, at).iter().copied().eq(at..at + LANES));
        assert!(
            chunk_mut(&mut values, at)
                .iter()
                .copied()
                .eq(at..at + LANES)
        );
    }
}

#[test]
#[should_panic(expected = "out of range")]
fn a_chunk_beyond_the_end_is_refused() {
    let _ = chunk(&[0; 40], 25);
}

/// Reports what it is compiled for, from as deep a recursion as it is given.
struct Named {
    depth: usize,
}

impl Kernel for Named {
    type Output = (String, usize);

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> Self::Output {
        if self.depth == 0 {
            return (format!("{lanes:?}"), 0);
        }
        let (name, depth) = lanes.call(Named {
            depth: self.depth - 1,
        });
        (name, depth + 1)
    }
}

#[test]
fn a_kernel_runs_as_compiled_for_the_level_however_deep() {
    for &level in SimdLevel::available() {
        let name = match level {
            SimdLevel::Scalar => "Portable",
            SimdLevel::Avx2 => "Avx2(())",
            SimdLevel::Avx512 => "Avx512(())",
            SimdLevel::Neon => "Neon",
            SimdLevel::Simd128 => "Simd128",
            other => panic!("what are the lanes of {other} called?"),
        };
        let answer = simd(level).run(Named { depth: 50 });
        assert_eq!(answer, (name.to_owned(), 50));
    }
}

#[test]
fn arm_has_neon_and_others_have_not() {
    let arm = cfg!(all(target_arch = "aarch64", target_endian = "little"));
    // Without an operating system there may be no floats in hardware.
    if arm && !cfg!(target_os = "none") {
        assert_eq!(SimdLevel::detect(), SimdLevel::Neon);
    }
    assert!(arm || !SimdLevel::Neon.is_available());
}

/// Emulators and other machines say what they are meant to have: `THRONG_BEST_LEVEL=avx512 cargo test -p throng-core --test lanes`.
#[test]
fn the_best_level_is_the_one_that_is_said_to_be() {
    let levels = SimdLevel::available();
    println!("levels: {levels:?}");
    if let Ok(said) = std::env::var("THRONG_BEST_LEVEL") {
        assert_eq!(levels.last().map(|level| level.name()), Some(said.as_str()));
    }
}

#[test]
fn a_level_the_machine_lacks_is_refused() {
    for level in SimdLevel::ALL {
        let simd = Simd::new(Some(level)).map(Simd::level);
        let best = SimdLevel::detect();
        let refused = SimdUnavailable { given: level, best };
        assert_eq!(simd, level.is_available().then_some(level).ok_or(refused));
    }
    let best = Simd::new(None).expect("there is always one");
    assert_eq!(best.level(), SimdLevel::detect());
}

#[cfg(debug_assertions)]
struct LowerRowWithOne;

#[cfg(debug_assertions)]
impl Kernel for LowerRowWithOne {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let left = lanes.splat_words(1);
        lanes.store_pairs_with_one(&mut [[0; 2]; LANES], ALL, PairOrder::LowerRow, left, left);
    }
}

#[cfg(debug_assertions)]
#[test]
fn pairs_with_one_row_are_not_put_in_the_order_of_rows() {
    for &level in SimdLevel::available() {
        let refused = std::panic::catch_unwind(|| simd(level).run(LowerRowWithOne));
        assert!(refused.is_err(), "{level}");
    }
}

#[test]
fn evens_and_odds_take_pairs_apart() {
    let pairs: [[u32; 2]; LANES] = std::array::from_fn(|lane| [lane as u32, 100 + lane as u32]);
    at_every_level!(|lanes, pairs: [[u32; 2]; LANES]| {
        let [first, second] = lanes.columns_of_pairs(pairs);
        assert_eq!(words_in(lanes, first), pairs.map(|pair| pair[0]));
        assert_eq!(words_in(lanes, second), pairs.map(|pair| pair[1]));
    });
}

proptest! {
    #[test]
    fn pairs_are_equal_if_both_words_are(a in words(), changes in words(), flip in 0_u32..32) {
        // In each word at most one bit differs, so that some pairs are equal and some are only half so.
        let mut b = a;
        for (word, change) in b.iter_mut().zip(changes) {
            *word ^= u32::from(change % 3 == 0) << flip;
        }
        at_every_level!(|lanes, a: SixteenWords, b: SixteenWords| {
            let equal = (0..LANES / 2).map(|k| u32::from(a[2 * k..2 * k + 2] == b[2 * k..2 * k + 2]) << k);
            let found = lanes.equal_pairs(lanes.load_words(a), lanes.load_words(b));
            assert_eq!(found, equal.sum::<u32>());
            assert_eq!(lanes.equal_pairs(lanes.load_words(b), lanes.load_words(b)), 0xff);
        });
    }

    #[test]
    fn points_are_looked_up_and_missing_ones_are_nan(
        at in words(), near in prop::array::uniform16(0_u32..40), points in prop::collection::vec([float(), float()], 0..40),
    ) {
        for at in [at, near] {
            let found = at.map(|index| points.get(index as usize).copied().unwrap_or([f32::NAN; 2]));
            at_every_level!(|lanes, at: SixteenWords, points: Vec<[f32; 2]>, found: [[f32; 2]; LANES]| {
                let [first, second] = lanes.look_up(points, lanes.load_words(at));
                assert_eq!(float_bits(lanes, first), bits_of(found.map(|point| point[0])));
                assert_eq!(float_bits(lanes, second), bits_of(found.map(|point| point[1])));
            });
        }
    }

    #[test]
    fn points_of_pairs_are_looked_up_on_their_sides(
        near in prop::array::uniform16([0_u32..40, 0..40]), far in prop::option::of((0..LANES, 0..2_usize, any::<u32>())),
        points in prop::array::uniform2(prop::collection::vec([float(), float()], 0..60)),
    ) {
        let mut pairs = near;
        if let Some((lane, side, index)) = far {
            pairs[lane][side] = index;
        }
        let found = [0, 1].map(|side| {
            pairs.map(|pair| points[side].get(pair[side] as usize).copied().unwrap_or([f32::NAN; 2]))
        });
        type Points = [Vec<[f32; 2]>; 2];
        at_every_level!(|lanes, pairs: [[u32; 2]; LANES], points: Points, found: [[[f32; 2]; LANES]; 2]| {
            let sides = lanes.look_up_pairs([&points[0], &points[1]], pairs);
            for (side, found) in sides.into_iter().zip(found) {
                for axis in [0, 1] {
                    assert_eq!(float_bits(lanes, side[axis]), bits_of(found.map(|point| point[axis])));
                }
            }
        });
    }
}
