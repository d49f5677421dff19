//! Colours, and how one is laid over another.

/// A colour, `0x00RRGGBB`, as windows want it.
pub type Colour = u32;

/// `strength` of 256 of the second colour over the first.
#[inline(always)]
pub fn mix(under: Colour, over: Colour, strength: u32) -> Colour {
    /// Red and blue leave room for each other's products, and green goes alone.
    const RED_BLUE: u32 = 0x00ff_00ff;
    const GREEN: u32 = 0x0000_ff00;
    let rest = 256 - strength;
    let red_blue = ((under & RED_BLUE) * rest + (over & RED_BLUE) * strength) >> 8;
    let green = ((under & GREEN) * rest + (over & GREEN) * strength) >> 8;
    red_blue & RED_BLUE | green & GREEN
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mixing_goes_from_one_colour_to_the_other() {
        let (under, over) = (0x0012_34f6, 0x00ff_8001);
        assert_eq!(mix(under, over, 0), under);
        assert_eq!(mix(under, over, 256), over);
        assert_eq!(mix(0x0000_0000, 0x0080_8080, 128), 0x0040_4040);
    }
}
