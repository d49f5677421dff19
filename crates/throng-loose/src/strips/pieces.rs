//! The work of a search, cut by the data alone.

use super::buckets::Slot;

/// Part of a slot's run of copies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    pub slot: u32,
    pub first: u32,
    pub len: u32,
}

/// Longest piece: what looks for larger boxes, or for another structure's, looks once for each.
pub(crate) const LONGEST: u32 = 1024;
/// Chunks to aim at, and the fewest and most copies that one may have because of it. Enough of them that
/// stealing evens out, large enough that handing one out does not show.
const CHUNKS: usize = 64;
const COPIES_PER_CHUNK: [usize; 2] = [4096, 16384];

/// Lists the pieces in slot order, and where each chunk of them begins.
pub(crate) fn cut_into_pieces(slots: &[Slot], pieces: &mut Vec<Piece>, chunks: &mut Vec<u32>) {
    pieces.clear();
    for (index, slot) in (0_u32..).zip(slots).filter(|(_, slot)| slot.len > 0) {
        let parts = slot.len.div_ceil(LONGEST);
        // Equal lengths, in whole groups of lanes.
        let len = slot.len.div_ceil(parts).next_multiple_of(16);
        let firsts = (0..slot.len).step_by(len as usize);
        pieces.extend(firsts.map(|first| Piece {
            slot: index,
            first,
            len: len.min(slot.len - first),
        }));
    }
    chunks.clear();
    let copies: usize = slots.iter().map(|slot| slot.len as usize).sum();
    let enough = (copies / CHUNKS).clamp(COPIES_PER_CHUNK[0], COPIES_PER_CHUNK[1]);
    let mut gathered = enough;
    for (index, piece) in (0_u32..).zip(pieces.iter()) {
        if gathered >= enough {
            chunks.push(index);
            gathered = 0;
        }
        gathered += piece.len as usize;
    }
    chunks.push(pieces.len() as u32);
}
