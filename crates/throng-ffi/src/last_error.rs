//! What was wrong with the last call of each thread that was refused.

use std::cell::RefCell;
use std::ffi::{CString, c_char};

thread_local! {
    static MESSAGE: RefCell<CString> = RefCell::default();
}

/// What was wrong with the last call on this thread that did not return `THRONG_STATUS_OK`, and what is needed instead: UTF-8,
/// perhaps of several lines; empty if there was none. Good until the next such call on this thread. Meant for people; programs
/// go by the status.
#[unsafe(no_mangle)]
pub extern "C" fn throng_last_error_message() -> *const c_char {
    let pointer = MESSAGE.try_with(|message| message.borrow().as_ptr());
    pointer.unwrap_or(c"".as_ptr())
}

/// Keeps a message for the thread. A thread that is about to end may not be able to.
pub(crate) fn keep(message: String) {
    let mut bytes = message.into_bytes();
    bytes.retain(|&byte| byte != 0);
    let text = CString::new(bytes).unwrap_or_default();
    let _ = MESSAGE.try_with(|message| message.replace(text));
}
