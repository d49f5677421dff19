//! Where Rust ends and C begins: nothing unwinds across, and every refusal leaves a message.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::last_error;
use crate::refusals::{Outcome, Refusal};
use crate::status::throng_status;

/// Does the work of one function, whatever comes of it.
pub(crate) fn border(work: impl FnOnce() -> Outcome) -> throng_status {
    // What is half changed by a panic is behind a gate, which stays closed from then on.
    let outcome = catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let message = format!("the library has panicked: {}", message_of(&*panic));
        // What drops it could panic as well, and whatever that panics with is not worth a third attempt.
        catch_unwind(AssertUnwindSafe(|| drop(panic))).unwrap_or_else(std::mem::forget);
        Err(Refusal::new(throng_status::Panicked, message))
    });
    match outcome {
        Ok(()) => throng_status::Ok,
        Err(refusal) => {
            last_error::keep(refusal.message);
            refusal.status
        }
    }
}

fn message_of(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("without a message")
}
