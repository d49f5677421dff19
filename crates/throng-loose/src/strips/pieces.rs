//! The work of a search, cut by the data alone.

use super::buckets::{Buckets, Copies};
use throng_core::LANES;

/// Part of a slot's run of copies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    pub slot: u32,
    pub first: u32,
    pub len: u32,
}

/// Longest piece: what looks for larger boxes, or for another structure's, looks once for each.
pub(crate) const LONGEST: u32 = 1024;
/// The shortest piece that a crowd is cut into: each looks for larger boxes again.
const SHORTEST: u32 = 128;
/// Chunks to aim at, and the least and most work that one may have because of it, in copies of no crowd.
/// Enough of them that stealing evens out, large enough that handing one out does not show.
const CHUNKS: usize = 64;
const WORK_PER_CHUNK: [usize; 2] = [4096, 16384];
/// To compare a copy with so many that begin before it ends takes as long as all else that is done with it.
const CROWD: usize = 128;
/// Copies of a piece that are asked whether they are in a crowd.
const ASKED: usize = 8;

/// Lists the pieces in slot order, and where each chunk of them begins.
pub(crate) fn cut_into_pieces(buckets: &Buckets, pieces: &mut Vec<Piece>, chunks: &mut Vec<u32>) {
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
                pieces.push(Piece {
                    slot: index,
                    first,
                    len,
                });
            }
        }
    }
    chunks.push(pieces.len() as u32);
}

/// Cuts a stretch into parts of equal lengths, in whole groups of lanes: where each begins, and how long it
/// is.
fn in_parts(first: u32, len: u32, parts: u32) -> impl Iterator<Item = (u32, u32)> {
    let part = len.div_ceil(parts).next_multiple_of(LANES as u32);
    let begins = (0..len).step_by(part as usize);
    begins.map(move |at| (first + at, part.min(len - at)))
}

/// How much work the copies of a stretch are, as so many copies of no crowd: from a few of them.
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
