//! Lists written from marks, each where it belongs.
//!
//! Of each sixteen candidates, those marked are written side by side; sixteen lists are put into order together, and copied to
//! their places. What is written in pieces cannot be loaded at other offsets before it has left the store buffer, and when the
//! last of sixteen lists is done, the first has.

use super::sort_lists::{Column, MOST, sort_lists, sort_one};
use crate::marks::{AS_FLOAT, MarkedPiece, NeighborMarks, TOGETHER};
use throng_core::lanes::{Kernel, Lanes, chunk, chunk_mut, lanes_below};
use throng_core::{Arena, LANES, Share, Simd};

/// Writes each list to its place: that of row `k` is slice `k`.
pub(crate) fn write_lists(
    simd: Simd,
    marks: &NeighborMarks,
    arena: &Arena,
    places: &mut Share<'_, u32>,
) {
    // So much is always written and read behind the longest list.
    let longest = marks.lens.iter().copied().max().unwrap_or(0) as usize;
    let room = longest.next_multiple_of(LANES) + LANES + 1;
    simd.run(WriteLists {
        marks,
        places,
        room,
        lists: arena.alloc_slice_fill(LANES * room, f32::NAN),
        columns: arena.alloc_slice_fill(MOST.min(room - 1), Column::EMPTY),
    });
}

struct WriteLists<'k, 's> {
    marks: &'k NeighborMarks,
    places: &'k mut Share<'s, u32>,
    room: usize,
    lists: &'k mut [f32],
    columns: &'k mut [Column],
}

impl Kernel for WriteLists<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let Self {
            marks:
                NeighborMarks {
                    rows,
                    lens,
                    keys,
                    marks,
                    blocks,
                    pieces,
                },
            places,
            room,
            lists,
            columns,
        } = self;
        let (mut first, mut block, mut mark) = (0, 0, 0);
        for &MarkedPiece { end, ascends } in pieces {
            while first < end {
                let these = first..end.min(first + LANES);
                let [next, later] = scattered(rows, these.end);
                let ends = &blocks[block..block + these.len().div_ceil(TOGETHER)];
                for (at, &end) in (0..).step_by(TOGETHER).zip(ends) {
                    // A few at a time, so that they do not wait for each other.
                    for &row in later.iter().skip(at).take(TOGETHER) {
                        places.prefetch_place(row as usize);
                    }
                    for &row in next.iter().skip(at).take(TOGETHER) {
                        places.prefetch(row as usize);
                    }
                    let at = at * room;
                    let mut ends = [at, at + room, at + 2 * room, at + 3 * room];
                    for mark in &marks[mark..end] {
                        let keys = lanes.load(chunk(keys, mark.from as usize));
                        for (end, &near) in ends.iter_mut().zip(&mark.near) {
                            lanes.store_kept(chunk_mut(lists, *end), near.into(), keys);
                            *end += near.count_ones() as usize;
                        }
                    }
                    mark = end;
                }
                let (rows, lens) = (&rows[these.clone()], &lens[these]);
                if !ascends {
                    let mut each = [0; LANES];
                    each[..rows.len()].copy_from_slice(lens);
                    sort(lanes, lists, room, &each, columns);
                }
                // Each in as many groups as the longest takes, because how many a single one takes is unpredictable.
                let shortest = lens.iter().copied().min().unwrap_or(0) as usize;
                let longest = lens.iter().copied().max().unwrap_or(0) as usize;
                let groups = [shortest / LANES, longest.div_ceil(LANES)];
                for (list, &row) in lists.chunks(room).zip(rows) {
                    if let Some(to) = places.slice(row as usize) {
                        copy(lanes, list, groups, to);
                    }
                }
                (first, block) = (first + rows.len(), block + ends.len());
            }
        }
    }
}

/// The next rows, and those after them: sixteen each, or fewer at the end; none if they follow each other, because what follows
/// the processor sees for itself.
#[inline(always)]
fn scattered(rows: &[u32], first: usize) -> [&[u32]; 2] {
    [first, first + LANES].map(|first| {
        let rows = &rows[rows.len().min(first)..rows.len().min(first + LANES)];
        match rows {
            [first, .., last] if last.wrapping_sub(*first) as usize == rows.len() - 1 => &[],
            _ => rows,
        }
    })
}

/// Sorts sixteen lists, if any is not sorted.
#[inline(always)]
fn sort<L: Lanes>(
    lanes: L,
    lists: &mut [f32],
    room: usize,
    lens: &[u32; LANES],
    columns: &mut [Column],
) {
    let begins = (0..).step_by(room);
    if begins
        .zip(lens)
        .all(|(begin, &len)| ascends(lanes, lists, begin, len as usize))
    {
        return;
    }
    if lens.iter().all(|&len| len as usize <= MOST) {
        sort_lists(lanes, lists, room, lens, columns);
    } else {
        for (list, &len) in lists.chunks_mut(room).zip(lens) {
            sort_one(&mut list[..len as usize]);
        }
    }
}

#[inline(always)]
fn ascends<L: Lanes>(lanes: L, lists: &[f32], begin: usize, len: usize) -> bool {
    let mut descents = 0;
    for at in (0..len).step_by(LANES) {
        let these = lanes.load(chunk(lists, begin + at));
        let next = lanes.load(chunk(lists, begin + at + 1));
        let falls = lanes.bits(lanes.le(lanes.every_lane(), next, these));
        descents |= falls & lanes_below(len - 1 - at);
    }
    descents == 0
}

/// Writes the rows of a list: so many whole groups, and up to so many that are not whole, or that it has not.
#[inline(always)]
fn copy<L: Lanes>(lanes: L, list: &[f32], [whole, groups]: [usize; 2], to: &mut [u32]) {
    let list: &[u32] = bytemuck::cast_slice(list);
    let as_row = lanes.splat_words(!AS_FLOAT);
    let whole = whole.min(to.len() / LANES);
    for group in 0..whole {
        let rows = lanes.and_words(lanes.load_words(chunk(list, group * LANES)), as_row);
        lanes.store_words(chunk_mut(to, group * LANES), rows);
    }
    for group in whole..groups {
        let rows = lanes.and_words(lanes.load_words(chunk(list, group * LANES)), as_row);
        let begin = to.len().min(group * LANES);
        lanes.store_some_words(&mut to[begin..], rows);
    }
}
