//! The command line.

use std::path::PathBuf;

use clap::Parser;
use throng_scenes::parse_count;

/// What may be asked for.
#[derive(Parser, Clone, Debug)]
#[command(name = "tune_categories", version)]
pub struct Args {
    /// How many agents move in each scene; 20k and 1M are understood
    #[arg(long, value_name = "N", default_value = "10k", value_parser = agents)]
    pub agents: usize,

    /// How many frames of each config are timed
    #[arg(long, value_name = "K", default_value = "9", value_parser = rounds)]
    pub rounds: usize,

    /// Where the random numbers start
    #[arg(long, value_name = "S", default_value = "1")]
    pub seed: u64,

    /// Annotations of the Stanford Drone Dataset, for a real crowd; passed over where there is no such file
    #[arg(
        long,
        value_name = "FILE",
        default_value = "../shared/scenes/sdd_gates_video2.txt"
    )]
    pub recording: PathBuf,

    /// Draws the sizes of the first scene and the time of a frame for one bound or another
    #[arg(long, value_name = "FILE.png")]
    pub picture: Option<PathBuf>,

    /// Writes the config suggested for the first scene
    #[arg(long, value_name = "FILE.toml")]
    pub config_out: Option<PathBuf>,

    /// There is no window, so this changes nothing
    #[arg(long)]
    pub headless: bool,
}

fn agents(text: &str) -> Result<usize, String> {
    parse_count(text, 1_000..=2_000_000)
}

fn rounds(text: &str) -> Result<usize, String> {
    parse_count(text, 1..=1000)
}
