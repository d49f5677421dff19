//! The clock of the page: `wasm32-unknown-unknown` has none of its own.

use std::time::Duration;

/// The time since some fixed moment.
#[cfg(target_family = "wasm")]
pub fn now() -> Duration {
    #[allow(
        unsafe_code,
        reason = "what a page provides can only be declared as foreign"
    )]
    mod page {
        #[link(wasm_import_module = "page")]
        unsafe extern "C" {
            /// Milliseconds since some fixed moment, as `performance.now` gives them.
            pub safe fn now() -> f64;
        }
    }
    // What is no time, as from a page that has something else under this name, is the fixed moment itself.
    Duration::try_from_secs_f64(page::now() * 1e-3).unwrap_or_default()
}

/// The time since some fixed moment.
#[cfg(not(target_family = "wasm"))]
pub fn now() -> Duration {
    use std::{sync::LazyLock, time::Instant};

    static STARTED: LazyLock<Instant> = LazyLock::new(Instant::now);
    STARTED.elapsed()
}
