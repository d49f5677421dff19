//! How a call went.

/// How a call went. Whatever is not `THRONG_STATUS_OK` has a message: see `throng_last_error_message`. Unless another is said,
/// a call that was refused has changed nothing.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum throng_status {
    /// All is well.
    Ok = 0,
    /// A pointer is null that must not be.
    NullPointer = 1,
    /// `struct_size` is not the size of a version of the struct that this library knows. It has to be filled in.
    BadStructSize = 2,
    /// A number is none of those that it may be, such as a kind that there is not.
    BadValue = 3,
    /// A text is not UTF-8.
    BadText = 4,
    /// The config is refused. The message has all of its problems, a line each.
    BadConfig = 5,
    /// The text is not TOML, or not that of a config. The message has the line.
    BadToml = 6,
    /// There is no such category.
    UnknownCategory = 7,
    /// The id is that of a proxy that was removed, or of scenery that was unloaded.
    RemovedProxy = 8,
    /// The id is that of a proxy, or of scenery, of another world.
    OtherWorld = 9,
    /// The numbers make no box: one is NaN, a lower side is above the upper one, or both are the same infinity.
    BadBox = 10,
    /// A center or a velocity is not finite. The proxy keeps the one that it has.
    NotFinite = 11,
    /// No category holds a box of this size; or not the one that was named.
    DoesNotFit = 12,
    /// The category, or the world, holds as many proxies as it can.
    Full = 13,
    /// There is no memory for as many as were asked for.
    OutOfMemory = 14,
    /// It is scenery, which has no columns to be filled, and no velocity.
    IsScenery = 15,
    /// The category is not scenery. Only scenery is packed and loaded.
    NotScenery = 16,
    /// The bytes are not those of packed scenery, or not of any that fits into the category.
    BadScenery = 17,
    /// There are not as many elements as rows.
    LengthMismatch = 18,
    /// There is no such row.
    NoSuchRow = 19,
    /// Some of many were refused. All others are done.
    SomeRefused = 20,
    /// There has been no step or refresh yet; or rows have come or gone since, were enabled or disabled, or were given other masks, and
    /// the answer is by row.
    StaleIndex = 21,
    /// What is asked about is no valid shape, or too far away.
    BadShape = 22,
    /// There is more than the buffer has room for. It is full, and the count tells how much there is.
    BufferTooSmall = 23,
    /// The world is in use: by another thread, or by the call from whose callback this one comes.
    Busy = 24,
    /// The library has panicked, which is a mistake in it. If the call could change the world, the world is broken.
    Panicked = 25,
    /// The world has been broken by a panic. It can only be freed.
    Broken = 26,
    /// It cannot be done, for a reason without a code of its own.
    Refused = 27,
    /// The category is configured never to rest; or it is scenery, which always does.
    NeverRests = 28,
}

impl throng_status {
    /// The name that the status has in C, without `THRONG_STATUS_`.
    pub(crate) fn name(self) -> &'static std::ffi::CStr {
        match self {
            Self::Ok => c"OK",
            Self::NullPointer => c"NULL_POINTER",
            Self::BadStructSize => c"BAD_STRUCT_SIZE",
            Self::BadValue => c"BAD_VALUE",
            Self::BadText => c"BAD_TEXT",
            Self::BadConfig => c"BAD_CONFIG",
            Self::BadToml => c"BAD_TOML",
            Self::UnknownCategory => c"UNKNOWN_CATEGORY",
            Self::RemovedProxy => c"REMOVED_PROXY",
            Self::OtherWorld => c"OTHER_WORLD",
            Self::BadBox => c"BAD_BOX",
            Self::NotFinite => c"NOT_FINITE",
            Self::DoesNotFit => c"DOES_NOT_FIT",
            Self::Full => c"FULL",
            Self::OutOfMemory => c"OUT_OF_MEMORY",
            Self::IsScenery => c"IS_SCENERY",
            Self::NotScenery => c"NOT_SCENERY",
            Self::BadScenery => c"BAD_SCENERY",
            Self::LengthMismatch => c"LENGTH_MISMATCH",
            Self::NoSuchRow => c"NO_SUCH_ROW",
            Self::SomeRefused => c"SOME_REFUSED",
            Self::StaleIndex => c"STALE_INDEX",
            Self::BadShape => c"BAD_SHAPE",
            Self::BufferTooSmall => c"BUFFER_TOO_SMALL",
            Self::Busy => c"BUSY",
            Self::Panicked => c"PANICKED",
            Self::Broken => c"BROKEN",
            Self::Refused => c"REFUSED",
            Self::NeverRests => c"NEVER_RESTS",
        }
    }

    const ALL: [Self; 29] = [
        Self::Ok,
        Self::NullPointer,
        Self::BadStructSize,
        Self::BadValue,
        Self::BadText,
        Self::BadConfig,
        Self::BadToml,
        Self::UnknownCategory,
        Self::RemovedProxy,
        Self::OtherWorld,
        Self::BadBox,
        Self::NotFinite,
        Self::DoesNotFit,
        Self::Full,
        Self::OutOfMemory,
        Self::IsScenery,
        Self::NotScenery,
        Self::BadScenery,
        Self::LengthMismatch,
        Self::NoSuchRow,
        Self::SomeRefused,
        Self::StaleIndex,
        Self::BadShape,
        Self::BufferTooSmall,
        Self::Busy,
        Self::Panicked,
        Self::Broken,
        Self::Refused,
        Self::NeverRests,
    ];
}

/// The name of a status, such as `BUSY`; `UNKNOWN` if no status has that number.
#[unsafe(no_mangle)]
pub extern "C" fn throng_status_name(status: i32) -> *const std::ffi::c_char {
    let mut all = throng_status::ALL.iter();
    let known = all.find(|known| **known as i32 == status);
    known.map_or(c"UNKNOWN", |known| known.name()).as_ptr()
}
