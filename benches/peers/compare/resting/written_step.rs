//! throng, with what is written before a step as part of it.

use throng::{CategoryId, Fill, RowOrder};
use throng_benches::{
    Contender, Fingerprint, Frame, Population, WholeStep, Workers, categories, row_of_key,
};
use throng_peers::Stopwatch;

/// How throng is used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Way {
    /// What has not moved for three steps rests, and only rows that have moved are written.
    Rows,
    /// The same, and its rows are kept in the order of space, as are the engine's arrays; to sort them again when that is due is part of
    /// the step.
    RowsInOrder,
    /// As `Rows`, but all rows are written.
    Columns,
    /// Nothing rests, and all rows are written.
    Never,
}

impl Way {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Rows, Self::RowsInOrder, Self::Columns, Self::Never];

    /// Whether nothing is written but the rows that have moved.
    fn writes_rows(self) -> bool {
        matches!(self, Self::Rows | Self::RowsInOrder)
    }

    /// As in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Rows => "throng, rows written",
            Self::RowsInOrder => "throng, rows in order",
            Self::Columns => "throng, columns written",
            Self::Never => "throng, nothing rests",
        }
    }
}

/// Centers written and a step, on one thread.
pub struct WrittenStep {
    step: WholeStep,
    way: Way,
    /// The rows to be written, ascending, and their centers.
    rows: Vec<u32>,
    xs: Vec<f32>,
    ys: Vec<f32>,
    /// The world's row for each row of the population, where rows are kept in order.
    row_of: Vec<u32>,
}

impl WrittenStep {
    /// A world of the only group of a population.
    ///
    /// # Errors
    ///
    /// If the threads cannot be started.
    pub fn new(population: &Population, way: Way) -> Result<Self, Box<dyn std::error::Error>> {
        let step = WholeStep::new(population, false, None, Workers::new(1)?);
        let mut new = Self {
            step: if way == Way::Never {
                step
            } else {
                step.resting()
            },
            way,
            rows: Vec::new(),
            xs: Vec::new(),
            ys: Vec::new(),
            row_of: Vec::new(),
        };
        if way == Way::RowsInOrder {
            new.sort();
        }
        Ok(new)
    }

    fn sort(&mut self) {
        let world = self.step.world_mut();
        let sorted = world.sort_rows(category(), RowOrder::Space);
        sorted.expect("it was made with it");
        let keys = world.keys(category()).expect("all have one");
        self.row_of.resize(keys.len(), 0);
        for (row, &key) in (0..).zip(keys) {
            self.row_of[row_of_key(key) as usize] = row;
        }
    }

    fn is_sort_due(&mut self) -> bool {
        self.way == Way::RowsInOrder && self.step.world_mut().is_sort_due(category())
    }

    fn write(&mut self, population: &Population) {
        if !self.way.writes_rows() {
            return self.step.prepare(population);
        }
        let world = self.step.world_mut();
        let mut centers = world.centers_mut(category()).expect("it was made with it");
        let fill = centers.set_rows(&self.rows, &self.xs, &self.ys);
        let Fill { rejected, .. } = fill.expect("rows of the group");
        assert_eq!(rejected, 0, "scenes that are measured on are finite");
    }
}

/// The only one.
fn category() -> CategoryId {
    categories().next().expect("there is no end of them")
}

impl Contender for WrittenStep {
    fn name(&self) -> &'static str {
        self.way.name()
    }

    /// An engine has the centers of what has moved in whatever form it wants, and its arrays in the order of the world's rows.
    fn prepare(&mut self, population: &Population) {
        let (scene, moved) = (population.only(), &population.moved);
        let mut written: Vec<(u32, u32)> = moved.iter().map(|&of| (of, of)).collect();
        if self.way == Way::RowsInOrder {
            for (row, of) in &mut written {
                *row = self.row_of[*of as usize];
            }
            written.sort_unstable();
        }
        self.rows.clear();
        self.rows.extend(written.iter().map(|(row, _)| row));
        for (own, all) in [(&mut self.xs, &scene.xs), (&mut self.ys, &scene.ys)] {
            own.clear();
            own.extend(written.iter().map(|&(_, of)| all[of as usize]));
        }
    }

    fn frame(&mut self, population: &Population) -> Frame {
        let started = Stopwatch::start(1);
        if self.is_sort_due() {
            self.sort();
            // The engine's arrays follow. That is its own work: here, only what has moved is gathered anew.
            self.prepare(population);
        }
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
