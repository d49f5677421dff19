//! What a whole frame costs: throng's ways to read an engine's circles, broccoli with bodies inside its boxes, and parry.
//! Frames in turns, contacts compared in every one.
//!
//! ```sh
//! cargo run --release --manifest-path benches/peers/Cargo.toml --bin contacts
//! cargo run --release --manifest-path benches/peers/Cargo.toml --bin contacts -- --agents 2M --rounds 40 --json
//! ```

use std::process::ExitCode;

fn main() -> ExitCode {
    throng_benches::contacts::run("contacts", throng_peers::contacts::peers)
}
