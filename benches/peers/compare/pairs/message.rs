//! What the process of a scene says to the one that started it: a line of JSON each.

use std::fmt;
use std::io::Write;

use serde::{Deserialize, Serialize};

use crate::figures::Figures;

/// Somebody on a number of threads.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Who {
    /// As in the tables.
    pub name: String,
    /// How many.
    pub threads: usize,
}

impl fmt::Display for Who {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} on {}", self.name, self.threads)
    }
}

/// What is said.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Message {
    /// Is about to have its first frame, in which it builds what it keeps.
    First(Who),
    /// Is about to have a frame.
    Begun(Who),
    /// So many rounds are over, of at most so many.
    Rounds(usize, usize),
    /// All rounds are.
    Done {
        /// Of everybody who was there.
        figures: Vec<Figures>,
        /// As found, on average.
        pairs_each: f64,
    },
}

/// Says it to whoever started this process.
pub fn print(message: Message) {
    let line = serde_json::to_string(&message).expect("there are no maps with odd keys");
    // If nobody listens, nobody waits for the figures either.
    let _ = writeln!(std::io::stdout().lock(), "{line}");
}
