//! What programs that compare engines do.

use std::process::ExitCode;
use std::sync::Arc;

use clap::{CommandFactory, FromArgMatches};
use rayon::ThreadPoolBuildError;

use super::{Args, Course, Disagreement, Engine, Rows, ThrongEngine, Trial, tables};
use crate::{Workers, work_on};

/// Everybody who takes part.
pub type Engines = Vec<Box<dyn Engine>>;

/// All that the program of this name does: reads the command line, and measures these peers and throng's ways.
pub fn run(program: &'static str, peers: impl Fn(&Arc<Course>) -> Engines) -> ExitCode {
    let matches = Args::command().name(program).get_matches();
    let args = Args::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    match measure(&args, peers) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{program}: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Why there are no figures.
#[derive(Debug, thiserror::Error)]
pub enum ProgramError {
    /// The operating system gave no threads.
    #[error("the threads could not be started: {0}")]
    Threads(#[from] ThreadPoolBuildError),
    /// Speed is of no interest then.
    #[error(transparent)]
    Disagreement(#[from] Disagreement),
}

/// Measures these peers and throng's ways, and prints what it came to: once in a process, whose threads it starts.
///
/// # Errors
///
/// If the threads cannot be started, or somebody finds other contacts.
pub fn measure(args: &Args, peers: impl Fn(&Arc<Course>) -> Engines) -> Result<(), ProgramError> {
    work_on(args.threads.into())?;
    let mut trials = Vec::new();
    for &circles in &args.agents {
        let course = Arc::new(Course::new(circles, args.lifetime));
        let mut engines = peers(&course);
        engines.extend(own(&course, args.threads.into())?);
        let trial = Trial::run(circles, args.rounds(circles), &mut engines)?;
        if args.json {
            for line in trial.lines() {
                println!("{line}");
            }
        }
        trials.push(trial);
    }
    if !args.json {
        println!("{}\n", tables::CONDITIONS);
        println!("{}\n", tables::stages(&trials));
        println!("{}", tables::ratios(&trials));
    }
    Ok(())
}

/// throng, in every way to keep rows.
///
/// # Errors
///
/// If the threads cannot be started.
pub fn own(course: &Arc<Course>, threads: usize) -> Result<Engines, ThreadPoolBuildError> {
    let engine = |rows| -> Result<Box<dyn Engine>, _> {
        let workers = Workers::new(threads)?;
        Ok(Box::new(ThrongEngine::new(course, rows, workers)))
    };
    Rows::ALL.into_iter().map(engine).collect()
}
