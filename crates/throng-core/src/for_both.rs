//! What is done along x and along y, or on one side of a pair and on the other.

/// `[f(0), f(1)]`.
///
/// The same as `[0, 1].map(f)`, which becomes half a dozen functions for each `f`, and which builds without LTO between
/// codegen units, as ours for tests, do not inline: a third of what the promises of `throng` took was in it.
#[inline(always)]
pub fn for_both<T>(mut f: impl FnMut(usize) -> T) -> [T; 2] {
    [f(0), f(1)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_comes_first() {
        let mut asked = Vec::new();
        let twice = for_both(|axis| {
            asked.push(axis);
            axis * 2
        });
        assert_eq!((twice, asked), ([0, 2], vec![0, 1]));
    }
}
