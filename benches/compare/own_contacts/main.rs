//! What a whole frame costs in each of throng's ways to read an engine's circles. Beside other libraries: the program `contacts`
//! in `benches/peers`.
//!
//! ```sh
//! cargo run --release --manifest-path benches/Cargo.toml --bin own_contacts
//! cargo run --release --manifest-path benches/Cargo.toml --bin own_contacts -- --agents 2M --threads 2
//! ```

use std::process::ExitCode;

fn main() -> ExitCode {
    throng_benches::contacts::run("own_contacts", |_| Vec::new())
}
