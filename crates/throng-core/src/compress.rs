//! Moving chosen lanes of a vector to its front, where the instruction set has no instruction for it.

/// For each set of eight lanes, where the lanes in it come from once they are moved to the front.
pub static COMPRESS: [[u32; 8]; 256] = compress_table();

const fn compress_table() -> [[u32; 8]; 256] {
    let mut table = [[0; 8]; 256];
    let mut set = 0;
    while set < 256 {
        let (mut lane, mut kept) = (0, 0);
        while lane < 8 {
            if set >> lane & 1 == 1 {
                table[set][kept] = lane as u32;
                kept += 1;
            }
            lane += 1;
        }
        set += 1;
    }
    table
}
