//! What happened in the last step or refresh.

use std::ffi::c_char;

use throng::Report;

use crate::growing::{Growing, first_size, write_grown};
use crate::pointers::Buffer;
use crate::shapes::{row_ref, throng_row_ref};
use crate::status::throng_status;
use crate::world::{read, throng_world};

/// Counts, times and bytes of the last step or refresh.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct throng_report {
    /// `sizeof(throng_report)`, to be filled in before the report is asked for.
    pub struct_size: usize,
    /// Pairs that were handed over or listed: without those of sensors, those of two that rest, and predicted ones.
    pub pairs: u64,
    /// Pairs of sensors, which come only as events.
    pub sensor_pairs: u64,
    /// Pairs that do not overlap yet, and were handed over or listed after all others.
    pub predicted_pairs: u64,
    /// Comparisons made to find pairs, those of sensors and predicted ones included.
    pub candidates: u64,
    /// Rows in all categories.
    pub rows: usize,
    /// Leaves of the indices that hold rows.
    pub cells: usize,
    /// Rows so far out that they are found slower.
    pub outside: usize,
    /// Rows of scenery that were packed, because some came or changed.
    pub scenery_packed: usize,
    /// Rows that keep their last good center.
    pub rejected: usize,
    /// Pairs with events that began in the last step.
    pub began: usize,
    /// Pairs with events that ended in the last step.
    pub ended: usize,
    /// Proxies that rest; scenery is not counted.
    pub resting: usize,
    /// Pairs of two that rest: see `throng_resting_pairs`.
    pub resting_pairs: usize,
    /// Bytes owned by the world.
    pub bytes: usize,
    /// 1 if there were more pairs than `max_pairs`, and some were dropped; else 0.
    pub cut: u32,
    /// Seconds of the whole call.
    pub step_seconds: f64,
    /// Seconds of building the indices.
    pub index_seconds: f64,
    /// Seconds of finding pairs, of all threads together.
    pub pairs_seconds: f64,
    /// Seconds in the callback, of all threads together.
    pub narrowphase_seconds: f64,
    /// Seconds of finding what began and what ended.
    pub events_seconds: f64,
}

// SAFETY: numbers, of which the first is the size.
unsafe impl Growing for throng_report {
    const FIRST_SIZE: usize = first_size!(events_seconds: f64);
    const NAME: &'static str = "report";
}

impl From<&Report> for throng_report {
    fn from(report: &Report) -> Self {
        let stages = &report.stages;
        Self {
            struct_size: size_of::<Self>(),
            pairs: report.pairs,
            sensor_pairs: report.sensor_pairs,
            predicted_pairs: report.predicted_pairs,
            candidates: report.candidates,
            rows: report.rows,
            cells: report.cells,
            outside: report.outside,
            scenery_packed: report.scenery_packed,
            rejected: report.rejected.len(),
            began: report.began,
            ended: report.ended,
            resting: report.resting,
            resting_pairs: report.resting_pairs,
            bytes: report.bytes,
            cut: u32::from(report.cut.is_some()),
            step_seconds: stages.step.as_secs_f64(),
            index_seconds: stages.index.as_secs_f64(),
            pairs_seconds: stages.pairs.as_secs_f64(),
            narrowphase_seconds: stages.narrowphase.as_secs_f64(),
            events_seconds: stages.events.as_secs_f64(),
        }
    }
}

/// What happened in the last step or refresh. `struct_size` of the report has to be filled in.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_read_report(
    world: *const throng_world,
    report: *mut throng_report,
) -> throng_status {
    // SAFETY: pointers are as the front page asks.
    unsafe {
        read(world, |world| {
            let told = throng_report::from(world.broadphase.report());
            let bytes = told.bytes + world.kept_bytes();
            write_grown(report, throng_report { bytes, ..told })
        })
    }
}

/// The report as a table for people: UTF-8 with a zero at the end, which counts.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_print_report(
    world: *const throng_world,
    text: *mut c_char,
    capacity: usize,
    count: *mut usize,
) -> throng_status {
    // SAFETY: pointers are as the front page asks.
    unsafe {
        read(world, |world| {
            let buffer = Buffer::new(text, capacity, count, "text")?;
            let mut report = world.broadphase.report().clone();
            report.bytes += world.kept_bytes();
            buffer.fill_text(&report.to_string())
        })
    }
}

/// The rows that keep their last good center, because a column had one that is not finite: those of the last step or refresh.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_rejected(
    world: *const throng_world,
    rows: *mut throng_row_ref,
    capacity: usize,
    count: *mut usize,
) -> throng_status {
    // SAFETY: pointers are as the front page asks.
    unsafe {
        read(world, |world| {
            let buffer = Buffer::new(rows, capacity, count, "rows")?;
            let rejected = &world.broadphase.report().rejected;
            buffer.fill(rejected.iter().map(|at| row_ref(at.category, at.row)))
        })
    }
}
