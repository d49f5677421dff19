//! What is made only if somebody asks.

use std::sync::OnceLock;

use parking_lot::Mutex;

/// Something that is made when it is first asked for, from the memory of the last one.
#[derive(Default)]
pub(crate) struct Lazy<T> {
    made: OnceLock<T>,
    spare: Mutex<T>,
}

/// A clone has not been asked yet, and `clone_from` keeps only the memory.
impl<T: Default> Clone for Lazy<T> {
    fn clone(&self) -> Self {
        Self::default()
    }

    fn clone_from(&mut self, _: &Self) {
        self.forget();
    }
}

impl<T> Lazy<T> {
    /// If it has been made.
    pub(crate) fn made(&self) -> Option<&T> {
        self.made.get()
    }

    /// Lets it be made anew for whoever asks next.
    pub(crate) fn forget(&mut self) {
        if let Some(made) = self.made.take() {
            *self.spare.get_mut() = made;
        }
    }

    /// The bytes of it, or of the memory for it.
    pub(crate) fn bytes(&self, bytes: impl Fn(&T) -> usize) -> usize {
        (self.made()).map_or_else(|| bytes(&self.spare.lock()), &bytes)
    }
}

impl<T: Default> Lazy<T> {
    /// It, made by `fill` of what the last one has left if nobody has asked before.
    pub(crate) fn get(&self, fill: impl FnOnce(&mut T)) -> &T {
        self.made.get_or_init(|| {
            let mut made = std::mem::take(&mut *self.spare.lock());
            fill(&mut made);
            made
        })
    }
}
