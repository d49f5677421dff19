//! Which version this is.

/// Of the library that this header belongs to.
pub const THRONG_VERSION_MAJOR: u32 = 0;
/// Of the library that this header belongs to.
pub const THRONG_VERSION_MINOR: u32 = 1;
/// Of the library that this header belongs to.
pub const THRONG_VERSION_PATCH: u32 = 0;

/// Grows when a program has to be compiled again, or changed, to work with the library.
pub const THRONG_ABI_VERSION: u32 = 1;

/// The version of the library that is linked: a million times the major one, a thousand times the minor one, and the patch.
#[unsafe(no_mangle)]
pub extern "C" fn throng_version() -> u32 {
    (THRONG_VERSION_MAJOR * 1000 + THRONG_VERSION_MINOR) * 1000 + THRONG_VERSION_PATCH
}

/// `THRONG_ABI_VERSION` of the library that is linked. If it is not that of the header, do not go on.
#[unsafe(no_mangle)]
pub extern "C" fn throng_abi_version() -> u32 {
    THRONG_ABI_VERSION
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_that_of_the_package() {
        let numbers = [
            THRONG_VERSION_MAJOR,
            THRONG_VERSION_MINOR,
            THRONG_VERSION_PATCH,
        ];
        let printed = numbers.map(|number| number.to_string()).join(".");
        assert_eq!(printed, env!("CARGO_PKG_VERSION"));
        assert_eq!(throng_version(), 1000);
    }
}
