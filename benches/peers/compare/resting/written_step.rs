//! throng, with what is written before a step as part of it.

use throng::Fill;
use throng_benches::{Contender, Fingerprint, Frame, Population, WholeStep, Workers, categories};
use throng_peers::Stopwatch;

/// How throng is used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Way {
    /// What has not moved for three steps rests, and only rows that have moved are written.
    Rows,
    /// The same, and all rows are written.
    Columns,
    /// Nothing rests, and all rows are written.
    Never,
}

impl Way {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Rows, Self::Columns, Self::Never];

    /// As in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Rows => "throng, rows written",
            Self::Columns => "throng, columns written",
            Self::Never => "throng, nothing rests",
        }
    }
}

/// Centers written and a step, on one thread.
pub struct WrittenStep {
    step: WholeStep,
    way: Way,
    xs: Vec<f32>,
    ys: Vec<f32>,
}

impl WrittenStep {
    /// A world of the only group of a population.
    ///
    /// # Errors
    ///
    /// If the threads cannot be started.
    pub fn new(population: &Population, way: Way) -> Result<Self, Box<dyn std::error::Error>> {
        let step = WholeStep::new(population, false, None, Workers::new(1)?);
        Ok(Self {
            step: if way == Way::Never {
                step
            } else {
                step.resting()
            },
            way,
            xs: Vec::new(),
            ys: Vec::new(),
        })
    }

    fn write(&mut self, population: &Population) {
        if self.way != Way::Rows {
            return self.step.prepare(population);
        }
        let category = categories().next().expect("there is no end of them");
        let world = self.step.world_mut();
        let mut centers = world.centers_mut(category).expect("it was made with it");
        let fill = centers.set_rows(&population.moved, &self.xs, &self.ys);
        let Fill { rejected, .. } = fill.expect("rows of the group");
        assert_eq!(rejected, 0, "scenes that are measured on are finite");
    }
}

impl Contender for WrittenStep {
    fn name(&self) -> &'static str {
        self.way.name()
    }

    /// An engine has the centers of what has moved in whatever form it wants.
    fn prepare(&mut self, population: &Population) {
        let scene = population.only();
        for (own, all) in [(&mut self.xs, &scene.xs), (&mut self.ys, &scene.ys)] {
            own.clear();
            own.extend(population.moved.iter().map(|&row| all[row as usize]));
        }
    }

    fn frame(&mut self, population: &Population) -> Frame {
        let started = Stopwatch::start(1);
        self.write(population);
        let frame = self.step.frame(population);
        Frame {
            time: started.elapsed(),
            ..frame
        }
    }

    fn fingerprint(&mut self, population: &Population) -> Fingerprint {
        self.write(population);
        self.step.fingerprint(population)
    }

    fn keeps(&self) -> bool {
        true
    }
}
