//! The command line: what may be asked for, and one sentence for what may not.

use std::{
    num::NonZeroUsize,
    path::{Path, PathBuf},
    thread,
};

use clap::{
    Parser, ValueEnum,
    error::{ContextKind, ContextValue, ErrorKind},
};
use serde::Serialize;
use throng_scenes::parse_count;

use crate::{failure::Failure, picture};

/// More than this would not fit in the memory of most machines.
const MOST_AGENTS: usize = 50_000_000;
const MOST_OVERSIZED: usize = 1_000_000;
/// rayon starts every thread it is asked for, so a slip of the finger must not ask for a million.
const MOST_THREADS: usize = 1024;

const EXAMPLES: &str = "\
Examples:
  parallel_swarm                                        a window, where there is a display
  parallel_swarm --agents 500k --threads 2              a large swarm on two threads
  parallel_swarm --oversized 12                         and dragons among the agents
  parallel_swarm --headless --picture swarm.png         no window: a table and a picture
  parallel_swarm --headless --frames 60 --verify --json one line of figures, checked
  parallel_swarm --headless --events --verify           and which pairs began and ended
  parallel_swarm --awake 0.05 --events                  most rest, and pairs flash where they begin
  parallel_swarm --map castle --oversized 3             walls to bump into, on a map that comes with it
  parallel_swarm --map BigGameHunters.map --agents 100k any map of the MovingAI benchmarks
  parallel_swarm --map castle --scenery-out castle.bin  its walls as a packed tree, and back:
  parallel_swarm --map castle --scenery-in castle.bin
  parallel_swarm --config examples/parallel_swarm/swarm.toml

Keys in the window:
  space pause   n one step   + - more or fewer agents   d x a dragon more or less
  g grid and what holds dragons and walls   h help   r restart   esc quit
  point at a unit or a wall to see what it is, drag a box to select, scroll to zoom

--json prints agents, oversized, walls, frames, threads, seed, pairs_total, pairs_by_meeting (pairs of all
frames, by the kinds of categories that met; 0 where there are no such categories), pair_hash,
frame_ms_median, frame_ms_p99, frame_ms_mean, stage_ms, row_order, row_sorts (how often rows were
sorted), row_sort_ms (all the time that took), bytes_per_agent (all that the broadphase holds, walls
too, for each agent or oversized),
allocations_per_frame, events (with --events: how many pairs began and ended in all frames, and how many of
these --verify found wrong; otherwise null), resting and resting_pairs (how many agents and oversized rest at the end,
and how many pairs of two that do, which are not among those of the frame), verified_frames and mismatches.";

/// A swarm of circles of several sizes that steer, collide, push apart and bounce, and dragons.
///
/// Opens a window where there is a display; without one, or with --headless, runs a number of
/// frames and prints a table of stage times.
#[derive(Parser, Clone, Debug, PartialEq)]
#[command(name = "parallel_swarm", after_help = EXAMPLES, version)]
#[command(allow_negative_numbers = true)]
pub struct Args {
    /// How many agents of the uniform categories; 20k and 2M are understood
    #[arg(long, value_name = "N", default_value = "20000", value_parser = agents)]
    pub agents: usize,

    /// How many dragons, or whatever the oversized categories are: 8 to 40 times as large as the
    /// largest agents, where the world has room for that
    #[arg(long, value_name = "N", default_value = "0", value_parser = oversized)]
    pub oversized: usize,

    /// Frames to run, then stop [default: until the window is closed; headless 600, and fewer
    /// for more than 100k agents]
    #[arg(long, value_name = "K", value_parser = frames)]
    pub frames: Option<usize>,

    /// Threads to use [default: one for each processor]
    #[arg(long, value_name = "T", value_parser = threads)]
    pub threads: Option<usize>,

    /// Where the random numbers start; the same seed gives the same run on any number of threads
    #[arg(long, value_name = "S", default_value = "1", value_parser = seed)]
    pub seed: u64,

    /// A broadphase configuration (TOML); each category becomes a kind of unit, and --oversized
    /// needs one with kind = "oversized"
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,

    /// A grid map in the MovingAI .map format, or "castle" for the one that comes with this: units
    /// start on its open cells, and its blocked cells are walls, in the first category of scenery;
    /// one called "walls" is added where there is none. Kinds whose "meets" leaves the walls out
    /// pass through them
    #[arg(long, value_name = "FILE")]
    pub map: Option<PathBuf>,

    /// The side of a cell of the map, in units [default: what makes the map comfortably full]
    #[arg(long, value_name = "SIZE", value_parser = cell, requires = "map")]
    pub cell: Option<f32>,

    /// Writes the walls as a packed tree, which --scenery-in loads
    #[arg(long, value_name = "FILE")]
    pub scenery_out: Option<PathBuf>,

    /// Loads the walls from a packed tree. With --map, they must be that map's, whose cells then have
    /// the size they had. Without, the world is the box around the walls and a little more, and units
    /// start wherever there is no wall
    #[arg(long, value_name = "FILE")]
    pub scenery_in: Option<PathBuf>,

    /// How bodies lie in memory: as they were inserted, in no order, or in the order of space, sorted whenever that pays
    #[arg(long, value_enum, default_value_t = RowOrder::Space)]
    pub row_order: RowOrder,

    /// Opens no window
    #[arg(long)]
    pub headless: bool,

    /// Writes a picture of the last frame
    #[arg(long, value_name = "FILE.png", value_parser = png)]
    pub picture: Option<PathBuf>,

    /// Records the run as an animation
    #[arg(long, value_name = "FILE.gif", value_parser = gif)]
    pub gif: Option<PathBuf>,

    /// Checks the pairs of every frame and those that rest against brute force (large swarms: a sample of agents), and
    /// with --events what began and ended
    #[arg(long)]
    pub verify: bool,

    /// Has the broadphase tell which pairs began and which ended, and counts them
    #[arg(long)]
    pub events: bool,

    /// How many move, from 0 to 1; the others stand still and rest in the broadphase, and slowly they take turns
    /// [default: all move, and nobody rests]
    #[arg(long, value_name = "FRACTION", value_parser = fraction)]
    pub awake: Option<f64>,

    /// Prints one line of JSON instead of the table
    #[arg(long)]
    pub json: bool,
}

/// How bodies lie in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum RowOrder {
    /// As they were inserted.
    Inserted,
    /// In the order of space.
    Space,
}

/// What a command line asks for.
#[derive(Debug, PartialEq)]
pub enum Request {
    /// Run the swarm.
    Run(Box<Args>),
    /// Print this text and stop: help, or the version.
    Print(String),
}

/// Reads a command line, the name of the program first.
pub fn read(line: impl IntoIterator<Item = std::ffi::OsString>) -> Result<Request, Failure> {
    match Args::try_parse_from(line) {
        Ok(args) => args.check().map(|args| Request::Run(Box::new(args))),
        Err(error)
            if matches!(
                error.kind(),
                ErrorKind::DisplayHelp | ErrorKind::DisplayVersion
            ) =>
        {
            Ok(Request::Print(error.render().to_string()))
        }
        Err(error) => Err(Failure::input(sentence(&error))),
    }
}

impl Args {
    /// Looks at what can be known to be wrong before anything is computed.
    fn check(self) -> Result<Self, Failure> {
        if self.agents + self.oversized == 0 {
            return Err(Failure::input(
                "there is nobody to move: --agents and --oversized are both 0",
            ));
        }
        if self.scenery_out.is_some() && self.map.is_none() && self.scenery_in.is_none() {
            return Err(Failure::input(
                "there are no walls to be written by --scenery-out; --map FILE or --scenery-in FILE has some",
            ));
        }
        for path in self.files_to_write() {
            let folder = path
                .parent()
                .filter(|folder| !folder.as_os_str().is_empty());
            if let Some(folder) = folder.filter(|folder| !folder.is_dir()) {
                return Err(Failure::file(
                    path,
                    format_args!("cannot be written, there is no folder {}", folder.display()),
                ));
            }
            picture::check_writable(path)?;
        }
        Ok(self)
    }

    /// All files that are written at the end.
    pub fn files_to_write(&self) -> impl Iterator<Item = &Path> {
        let files = [&self.picture, &self.gif, &self.scenery_out];
        files.into_iter().filter_map(|file| file.as_deref())
    }

    /// The number of threads, asked for or found.
    pub fn threads(&self) -> usize {
        self.threads
            .unwrap_or_else(|| thread::available_parallelism().map_or(1, NonZeroUsize::get))
    }

    /// The frames of a run without a window: about ten seconds' worth at the most.
    pub fn headless_frames(&self) -> usize {
        self.frames
            .unwrap_or_else(|| (600 * 100_000 / (self.agents + self.oversized)).clamp(60, 600))
    }
}

/// clap's error as one sentence.
fn sentence(error: &clap::Error) -> String {
    let text = error.render().to_string();
    let lines: Vec<&str> = text
        .lines()
        .take_while(|line| !line.is_empty())
        .map(str::trim)
        .collect();
    let first = lines.join(" ");
    let first = first.strip_prefix("error: ").unwrap_or(&first);
    let hint = match error.get(ContextKind::SuggestedArg) {
        Some(ContextValue::String(name)) => format!("did you mean '{name}'? "),
        _ => String::new(),
    };
    format!("{first} ({hint}--help shows what there is)")
}

fn agents(text: &str) -> Result<usize, String> {
    parse_count(text, 0..=MOST_AGENTS)
}

fn oversized(text: &str) -> Result<usize, String> {
    parse_count(text, 0..=MOST_OVERSIZED)
}

fn frames(text: &str) -> Result<usize, String> {
    parse_count(text, 1..=usize::MAX)
}

fn threads(text: &str) -> Result<usize, String> {
    parse_count(text, 1..=MOST_THREADS)
}

fn seed(text: &str) -> Result<u64, String> {
    let range = || format!("a whole number from 0 to {} is needed", u64::MAX);
    text.parse().map_err(|_| range())
}

fn cell(text: &str) -> Result<f32, String> {
    match text.parse::<f32>() {
        Ok(size) if (1e-3..=1e6).contains(&size) => Ok(size),
        _ => Err("a size from 0.001 to 1000000 is needed".to_owned()),
    }
}

fn fraction(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(fraction) if (0.0..=1.0).contains(&fraction) => Ok(fraction),
        _ => Err("a number from 0 to 1 is needed".to_owned()),
    }
}

fn png(text: &str) -> Result<PathBuf, String> {
    named(text, "png")
}

fn gif(text: &str) -> Result<PathBuf, String> {
    named(text, "gif")
}

/// The path of a file whose name says which format it is to have.
fn named(text: &str, extension: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    match path.extension() {
        Some(found) if found.eq_ignore_ascii_case(extension) => Ok(path),
        _ => Err(format!("the name must end in .{extension}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Request, Failure> {
        read(
            std::iter::once("parallel_swarm")
                .chain(line.split_whitespace())
                .map(Into::into),
        )
    }

    fn args(line: &str) -> Args {
        match parse(line) {
            Ok(Request::Run(args)) => *args,
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn the_definition_is_sound() {
        use clap::CommandFactory;
        Args::command().debug_assert();
    }

    #[test]
    fn nothing_asks_for_twenty_thousand_agents() {
        let args = args("");
        assert_eq!((args.agents, args.frames, args.seed), (20_000, None, 1));
        assert!(args.threads() >= 1);
        assert_eq!((args.oversized, args.headless_frames()), (0, 600));
        assert_eq!(args.awake, None);
    }

    #[test]
    fn counts_may_be_written_short() {
        assert_eq!(args("--agents 20k").agents, 20_000);
        assert_eq!(args("--agents 2M").agents, 2_000_000);
        assert_eq!(args("--agents 1_234").agents, 1_234);
        assert_eq!(args("--agents 2M").headless_frames(), 60);
        assert_eq!(args("--agents 0 --oversized 1k").oversized, 1_000);
    }

    #[test]
    fn bad_values_are_one_sentence() {
        for (line, part) in [
            ("--agents 0", "nobody to move"),
            ("--agents 51M", "from 0 to 50000000"),
            ("--oversized 2M", "from 0 to 1000000"),
            ("--oversized -1", "a whole number is needed"),
            ("--agents many", "a whole number is needed"),
            ("--agents", "a value is required"),
            ("--agents -5", "a whole number is needed"),
            ("--seed -1", "a whole number from 0"),
            ("--agents 99999999999999999999", "a whole number is needed"),
            ("--frames 0", "at least 1"),
            ("--threads 5000", "from 1 to 1024"),
            ("--cell 2", "--map"),
            ("--map m --cell nan", "from 0.001"),
            ("--awake 1.1", "from 0 to 1"),
            ("--awake -0.1", "from 0 to 1"),
            ("--awake nan", "from 0 to 1"),
            ("--picture swarm.jpg", "must end in .png"),
            ("--picture /proc/swarm.png", "cannot be written"),
            ("--gif /nowhere/at/all.gif", "there is no folder"),
            ("--scenery-out walls.bin", "--map FILE or --scenery-in"),
            (
                "--map castle --scenery-out /nowhere/at/all",
                "there is no folder",
            ),
            ("--agnets 5", "did you mean '--agents'?"),
            ("swarm", "unexpected argument"),
        ] {
            let text = parse(line).expect_err(line).to_string();
            assert!(text.contains(part), "{line}: {text}");
            assert!(!text.contains('\n'), "{line}: {text}");
        }
    }

    #[test]
    fn help_shows_examples() {
        match parse("--help") {
            Ok(Request::Print(text)) => assert!(text.contains("Examples:")),
            other => panic!("{other:?}"),
        }
    }
}
