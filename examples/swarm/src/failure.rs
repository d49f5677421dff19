//! What ends a run early: one sentence for the person, one exit code for the script.

use std::{fmt, path::Path, process::ExitCode};

/// The exit code for arguments and files that cannot be used.
const BAD_INPUT: u8 = 2;
/// The exit code for a run that began and could not be finished, or that found mismatches.
const FAILED_RUN: u8 = 1;

/// A sentence about what is wrong, and the exit code that goes with it.
#[derive(Debug, PartialEq)]
pub struct Failure {
    sentence: String,
    code: u8,
}

impl Failure {
    /// The person gave something that cannot be used.
    pub fn input(sentence: impl Into<String>) -> Self {
        Self {
            sentence: sentence.into(),
            code: BAD_INPUT,
        }
    }

    /// A file the person named cannot be used, and why.
    pub fn file(path: &Path, what: impl fmt::Display) -> Self {
        Self::input(format!("{}: {what}", path.display()))
    }

    /// The run itself failed.
    pub fn run(sentence: impl Into<String>) -> Self {
        Self {
            sentence: sentence.into(),
            code: FAILED_RUN,
        }
    }

    /// The exit code of the process.
    pub fn exit_code(&self) -> ExitCode {
        ExitCode::from(self.code)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sentence)
    }
}
