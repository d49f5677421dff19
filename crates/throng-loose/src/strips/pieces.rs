//! The work of a search, cut into pieces and chunks in a way that depends only on the data.

use super::buckets::{Buckets, Copies};
use throng_core::LANES;

/// A part of a slot's copies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StripPiece {
    pub slot: u32,
    pub first: u32,
    pub len: u32,
}

/// The longest piece. Each looks once for larger boxes, or for those of another structure.
pub(crate) const LONGEST: u32 = 1024;
/// The shortest piece of a crowd: each looks for larger boxes again.
const SHORTEST: u32 = 128;
/// About how many chunks to make, and the least and most work per chunk for that, in copies outside crowds. Enough for
/// work stealing to balance them, and large enough that handing one out costs nothing noticeable.
const CHUNKS: usize = 64;
const WORK_PER_CHUNK: [usize; 2] = [4096, 16384];
/// A copy with this many others that begin before it ends costs twice as much as one without.
const CROWD: usize = 128;
/// How many copies of a piece are sampled for its work.
const ASKED: usize = 8;

/// Lists the pieces in slot order, and where each chunk of them begins.
pub(crate) fn cut_into_pieces(
    buckets: &Buckets,
    pieces: &mut Vec<StripPiece>,
    chunks: &mut Vec<u32>,
) {
    pieces.clear();
    chunks.clear();
    let slots = buckets.slots();
    let copies: usize = slots.iter().map(|slot| slot.len as usize).sum();
    let enough = (copies / CHUNKS).clamp(WORK_PER_CHUNK[0], WORK_PER_CHUNK[1]);
    let mut gathered = enough;
    for (index, slot) in (0_u32..).zip(slots).filter(|(_, slot)| slot.len > 0) {
        let copies = buckets.copies(slot);
        for (first, len) in in_parts(0, slot.len, slot.len.div_ceil(LONGEST)) {
            let work = work(&copies, first as usize, len as usize);
            let parts = (work / enough).clamp(1, (len / SHORTEST).max(1) as usize);
            for (first, len) in in_parts(first, len, parts as u32) {
                if gathered >= enough {
                    chunks.push(pieces.len() as u32);
                    gathered = 0;
                }
                gathered += work / parts;
                pieces.push(StripPiece {
                    slot: index,
                    first,
                    len,
                });
            }
        }
    }
    chunks.push(pieces.len() as u32);
}

/// Cuts a range into parts of equal length, in whole groups of lanes: the start and the length of each.
fn in_parts(first: u32, len: u32, parts: u32) -> impl Iterator<Item = (u32, u32)> {
    let part = len.div_ceil(parts).next_multiple_of(LANES as u32);
    let begins = (0..len).step_by(part as usize);
    begins.map(move |at| (first + at, part.min(len - at)))
}

/// Estimates the work of a range of copies, in copies outside crowds, from a few of them.
fn work(copies: &Copies<'_>, first: usize, len: usize) -> usize {
    let asked = (0..ASKED).map(|k| first + (2 * k + 1) * len / (2 * ASKED));
    let ahead = asked.map(|k| {
        let reach = copies.max_x[k];
        let crowd = k + CROWD;
        if crowd >= copies.len || copies.min_x[crowd] > reach {
            return 0;
        }
        CROWD + copies.min_x[crowd..copies.len].partition_point(|&x| x <= reach)
    });
    len + len * (ahead.sum::<usize>() / ASKED) / CROWD
}
