//! One frame, with a callback for each batch of pairs.

use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, Ordering};

use throng::{CountPairs, Narrowphase, PairBatch};

use crate::batch::throng_pair_batch;
use crate::growing::{Growing, first_size, grown};
use crate::outputs::RawOutputs;
use crate::pointers::callback;
use crate::refusals::{Outcome, Refusal};
use crate::status::throng_status;
use crate::world::{State, change, throng_world};

/// Outputs may be as large as this.
const LARGEST_OUTPUT: usize = 1 << 16;

/// The test of an engine for pairs whose boxes overlap. Called from many threads at once, each time with a batch, and room for
/// as many outputs as there are pairs; returns how many it has filled, from the first on. It must return, and must not call
/// anything with this world.
pub type throng_collide = Option<
    unsafe extern "C" fn(
        user: *mut c_void,
        batch: *const throng_pair_batch,
        outputs: *mut c_void,
    ) -> usize,
>;

/// What an engine does with pairs.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct throng_narrowphase {
    /// `sizeof(throng_narrowphase)`.
    pub struct_size: usize,
    /// The test of pairs.
    pub collide: throng_collide,
    /// What `collide` is called with first.
    pub user: *mut c_void,
    /// The size of each output, such as `sizeof(contact)`; at most 65536. 0 for none: `collide` then gets null, and returns 0.
    pub output_size: usize,
}

// SAFETY: numbers and pointers, of which the first is the size.
unsafe impl Growing for throng_narrowphase {
    const FIRST_SIZE: usize = first_size!(output_size: usize);
    const NAME: &'static str = "narrowphase";
}

struct Callback {
    collide: unsafe extern "C" fn(*mut c_void, *const throng_pair_batch, *mut c_void) -> usize,
    user: *mut c_void,
    output_size: usize,
    has_overrun: AtomicBool,
}

// SAFETY: `user` is only passed on; `throng_collide` says that this is from many threads at once.
unsafe impl Sync for Callback {}

impl Narrowphase for Callback {
    type Scratch = ();
    type Output = RawOutputs;

    #[inline]
    fn collide(&self, batch: PairBatch<'_>, _scratch: &mut (), outputs: &mut RawOutputs) {
        let room = batch.pairs().len();
        let place = if self.output_size == 0 {
            std::ptr::null_mut()
        } else {
            outputs.room_for(room * self.output_size)
        };
        let batch = throng_pair_batch::of(&batch);
        // SAFETY: the callback is called as `throng_collide` says.
        let filled = unsafe { (self.collide)(self.user, &batch, place) };
        if filled > room {
            self.has_overrun.store(true, Ordering::Relaxed);
        }
        outputs.keep(filled.min(room) * self.output_size);
    }
}

impl State {
    /// One frame, with any narrowphase. Keeps its events.
    pub(crate) fn step<N: Narrowphase>(&mut self, narrowphase: &N) {
        let step = self.broadphase.step(narrowphase);
        self.events.keep(step.began(), step.ended());
    }
}

/// Runs one frame: brings every index up to date, and calls back with all pairs whose boxes overlap, each once; and with those that
/// are predicted, where a category has a margin or a proxy a velocity, in batches of their own. What the callbacks write is kept until
/// the next step: see `throng_outputs`. If `narrowphase` is null, pairs are only counted, which is enough for whoever wants events alone.
///
/// If a callback says that it has written more outputs than there are pairs in its batch, the step is done nevertheless, and
/// `THRONG_STATUS_BAD_VALUE` is returned. Only the first outputs, as many as there are pairs in the batch, are kept. Do not repeat the
/// step because of this error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_step(
    world: *mut throng_world,
    narrowphase: *const throng_narrowphase,
) -> throng_status {
    // SAFETY: pointers are as the front page asks.
    unsafe {
        change(world, |world| {
            if narrowphase.is_null() {
                world.output_size = 0;
                world.step(&CountPairs);
                return Ok(());
            }
            let callback = checked(&grown(narrowphase)?)?;
            world.output_size = callback.output_size;
            world.step(&callback);
            if callback.has_overrun.into_inner() {
                return Err(Refusal::new(
                    throng_status::BadValue,
                    "`collide` has returned more than there are pairs in the batch; as many outputs are kept as there are pairs",
                ));
            }
            Ok(())
        })
    }
}

fn checked(narrowphase: &throng_narrowphase) -> Outcome<Callback> {
    let &throng_narrowphase {
        collide,
        user,
        output_size,
        ..
    } = narrowphase;
    let collide = callback(collide, "collide")?;
    if output_size > LARGEST_OUTPUT {
        let message =
            format!("outputs of {output_size} bytes are too large; they may have {LARGEST_OUTPUT}");
        return Err(Refusal::new(throng_status::BadValue, message));
    }
    Ok(Callback {
        collide,
        user,
        output_size,
        has_overrun: AtomicBool::new(false),
    })
}

/// Runs the first half of a frame, so that queries see where things are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_refresh(world: *mut throng_world) -> throng_status {
    // SAFETY: the pointer is as the front page asks.
    unsafe {
        change(world, |world| {
            world.broadphase.refresh();
            Ok(())
        })
    }
}
