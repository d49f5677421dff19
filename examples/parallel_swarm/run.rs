//! A run: the swarm, and those who watch it and write it down.

use std::time::{Duration, Instant};

use throng::Step;

use crate::{
    allocations,
    args::Args,
    asked,
    bodies::Kind,
    contacts::{Found, Keep},
    failure::Failure,
    figures::FrameFigures,
    flashes::Flashes,
    history::History,
    picture::{self, Recorder},
    summary::Summary,
    swarm::Swarm,
    verify::Verifier,
    walls,
    witness::Witness,
};

/// The swarm, and what is written down about it.
pub struct Run {
    /// What was asked for.
    pub args: Args,
    /// The swarm itself.
    pub swarm: Swarm,
    /// The figures of its frames.
    pub history: History,
    /// Where pairs have begun lately.
    pub flashes: Flashes,
    started: Instant,
    keep: Keep,
    verifier: Option<Verifier>,
    recorder: Option<Recorder>,
}

impl Run {
    /// Reads what has to be read, and puts every unit in its place.
    pub fn new(args: Args) -> Result<Self, Failure> {
        let swarm = Swarm::new(asked::setup(&args)?)?;
        let verifier = args.verify.then(|| Verifier::new(swarm.world(), args.seed));
        Ok(Self {
            args,
            swarm,
            history: History::default(),
            flashes: Flashes::default(),
            started: Instant::now(),
            keep: Keep::Nothing,
            verifier,
            recorder: None,
        })
    }

    /// Makes ready for the first of this many frames; `None` if nobody knows how many. Pairs are
    /// hashed if that is wanted or asked for.
    pub fn begin(&mut self, frames: Option<usize>, hash: bool) -> Result<(), Failure> {
        self.keep = match (&self.verifier, hash || self.args.json) {
            (Some(_), _) => Keep::Pairs,
            (None, true) => Keep::Hash,
            (None, false) => Keep::Nothing,
        };
        self.history = History::new(frames);
        self.recorder = match &self.args.gif {
            Some(path) => Some(Recorder::new(path, &self.swarm, frames)?),
            None => None,
        };
        Ok(())
    }

    /// Starts again from the first frame.
    pub fn restart(&mut self) -> Result<(), Failure> {
        self.swarm = Swarm::new(asked::setup(&self.args)?)?;
        self.flashes = Flashes::default();
        self.history = History::new(self.args.frames);
        Ok(())
    }

    /// One frame, written down.
    pub fn frame(&mut self) -> Result<FrameFigures, Failure> {
        let figures = self.swarm.frame(
            self.keep,
            &mut Watcher {
                started: self.started,
                verifier: self.verifier.as_mut(),
                flashes: &mut self.flashes,
            },
        );
        self.history.push(figures);
        if let Some(recorder) = &mut self.recorder {
            recorder.frame(&self.swarm, &self.flashes)?;
        }
        Ok(figures)
    }

    /// Writes what is to be written at the end; mismatches make the run a failure.
    pub fn finish(mut self) -> Result<(), Failure> {
        // Dropping it writes the end of the animation.
        self.recorder = None;
        let summary = Summary {
            args: &self.args,
            history: &self.history,
            hash: (self.keep != Keep::Nothing).then(|| self.swarm.pair_hash()),
            verifier: self.verifier.as_ref(),
        };
        if self.args.json {
            crate::say(&summary.json())?;
        } else {
            crate::say(&summary.table())?;
        }
        if let Some(path) = &self.args.picture {
            picture::write_png(path, &self.swarm, &self.flashes)?;
        }
        if let Some(path) = &self.args.scenery_out {
            walls::write(path, self.swarm.world())?;
        }
        for path in self.args.files_to_write() {
            crate::note(&format!("wrote {}", path.display()));
        }
        match &self.verifier {
            Some(verifier) if verifier.has_failed() => Err(Failure::run(verifier.sentence())),
            Some(verifier) => {
                crate::note(&verifier.sentence());
                Ok(())
            }
            None => Ok(()),
        }
    }
}

/// What looks on while a frame runs.
struct Watcher<'a> {
    started: Instant,
    verifier: Option<&'a mut Verifier>,
    flashes: &'a mut Flashes,
}

impl Witness for Watcher<'_> {
    fn now(&self) -> Duration {
        self.started.elapsed()
    }

    fn allocations(&self) -> u64 {
        allocations::so_far()
    }

    fn look(&mut self, kinds: &[Kind], step: &Step<'_, Found>) {
        if let Some(verifier) = &mut self.verifier {
            verifier.look(kinds, step);
        }
        self.flashes.note(step);
    }
}
