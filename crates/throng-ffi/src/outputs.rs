//! What the callbacks of a step wrote, kept until the next one.
//!
//! A callback gets room for one output for each pair, of a size that the caller names, and says how many it has filled. So one
//! call a batch is all that outputs cost, each chunk of the search has its own, and they are read in chunk order: the same on
//! any number of threads. A function to append an output, which was the other way considered, is a call across the border for
//! each contact.

use std::ffi::c_void;
use std::mem::MaybeUninit;

use throng::ChunkOutput;

use crate::pointers::{Buffer, Out};
use crate::refusals::Refusal;
use crate::status::throng_status;
use crate::world::{State, read, throng_world};

/// As much as any type of C needs to be aligned.
#[repr(C, align(16))]
#[derive(Clone, Copy)]
struct Block([MaybeUninit<u8>; 16]);

const BLANK: Block = Block([MaybeUninit::uninit(); 16]);

/// The outputs of one chunk.
#[derive(Default)]
pub(crate) struct RawOutputs {
    blocks: Vec<Block>,
    bytes: usize,
}

impl RawOutputs {
    /// Room for so many more bytes, behind those that are there.
    pub(crate) fn room_for(&mut self, bytes: usize) -> *mut c_void {
        let blocks = (self.bytes + bytes).div_ceil(size_of::<Block>());
        if self.blocks.len() < blocks {
            // Doubles what it has room for when it has to grow, as any vector does.
            self.blocks.resize(blocks, BLANK);
        }
        let first = self.blocks.as_mut_ptr().cast::<u8>();
        first.wrapping_add(self.bytes).cast()
    }

    /// Keeps so many bytes of that room.
    pub(crate) fn keep(&mut self, bytes: usize) {
        self.bytes += bytes;
        debug_assert!(self.bytes <= size_of_val(self.blocks.as_slice()));
    }

    fn as_bytes(&self) -> &[MaybeUninit<u8>] {
        // SAFETY: the bytes of all blocks, of which no more are kept than there are.
        let all = unsafe {
            let bytes = size_of_val(self.blocks.as_slice());
            std::slice::from_raw_parts(self.blocks.as_ptr().cast::<MaybeUninit<u8>>(), bytes)
        };
        &all[..self.bytes]
    }
}

impl ChunkOutput for RawOutputs {
    fn clear(&mut self) {
        self.bytes = 0;
    }

    fn used_bytes(&self) -> usize {
        self.bytes
    }

    fn held_bytes(&self) -> usize {
        self.blocks.capacity() * size_of::<Block>()
    }

    fn shrink_to_fit(&mut self) {
        self.blocks
            .truncate(self.bytes.div_ceil(size_of::<Block>()));
        self.blocks.shrink_to_fit();
    }
}

impl State {
    /// The outputs of each chunk of the last step, if it had any.
    fn last_outputs(&self) -> &[RawOutputs] {
        self.broadphase.last_outputs::<RawOutputs>().as_slice()
    }

    fn count_of(&self, outputs: &RawOutputs) -> usize {
        outputs.bytes.checked_div(self.output_size).unwrap_or(0)
    }
}

/// In how many chunks the outputs of the last `throng_step` are: 0 if another kind of step, or
/// `throng_shrink_to_fit` or `throng_world_copy_from`, has followed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_output_chunks(
    world: *const throng_world,
    chunks: *mut usize,
) -> throng_status {
    // SAFETY: pointers are as the front page asks.
    unsafe {
        read(world, |world| {
            Out::new(chunks, "chunks")?.write(world.last_outputs().len());
            Ok(())
        })
    }
}

/// The outputs of one chunk of the last `throng_step`: where they are, to be read until the next step, `throng_shrink_to_fit` or `throng_world_copy_from`, and
/// how many there are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_outputs_of_chunk(
    world: *const throng_world,
    chunk: usize,
    outputs: *mut *const c_void,
    count: *mut usize,
) -> throng_status {
    // SAFETY: pointers are as the front page asks.
    unsafe {
        read(world, |world| {
            let (place, count) = (Out::new(outputs, "outputs")?, Out::new(count, "count")?);
            let chunks = world.last_outputs();
            let outputs = chunks.get(chunk).ok_or_else(|| {
                let message = format!(
                    "there are outputs of {} chunks, and not of number {chunk}",
                    chunks.len()
                );
                Refusal::new(throng_status::BadValue, message)
            })?;
            place.write(outputs.blocks.as_ptr().cast());
            count.write(world.count_of(outputs));
            Ok(())
        })
    }
}

/// Copies all outputs of the last `throng_step`, in order. `capacity` and `count` are numbers of outputs, and `output_size` is the
/// size of each, as in the step's `throng_narrowphase`: `THRONG_STATUS_BAD_VALUE` if it is another.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_outputs(
    world: *const throng_world,
    output_size: usize,
    outputs: *mut c_void,
    capacity: usize,
    count: *mut usize,
) -> throng_status {
    // SAFETY: pointers are as the front page asks.
    unsafe {
        read(world, |world| {
            let place = Out::new(count, "count")?;
            let chunks = world.last_outputs();
            let total: usize = chunks.iter().map(|chunk| world.count_of(chunk)).sum();
            if !chunks.is_empty() && output_size != world.output_size {
                let message = format!(
                    "the outputs of the last step have {} bytes each, and not {output_size}",
                    world.output_size
                );
                return Err(Refusal::new(throng_status::BadValue, message));
            }
            let bytes = capacity.checked_mul(output_size).ok_or_else(|| {
                Refusal::new(
                    throng_status::BadValue,
                    "`capacity` is more than there can be in memory",
                )
            })?;
            let mut copied = 0;
            let buffer = outputs.cast::<MaybeUninit<u8>>();
            let mut buffer = Buffer::new(buffer, bytes, &raw mut copied, "outputs")?;
            chunks
                .iter()
                .for_each(|chunk| buffer.push_all(chunk.as_bytes()));
            place.write(total);
            buffer.finish().map_err(|_| {
                let message = format!(
                    "there are {total}, and the buffer has room for {capacity}: it has the first"
                );
                Refusal::new(throng_status::BufferTooSmall, message)
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(outputs: &mut RawOutputs, room: usize, text: &[u8]) {
        let place = outputs.room_for(room).cast::<u8>();
        assert!(text.len() <= room);
        // SAFETY: there is room.
        unsafe { place.copy_from(text.as_ptr(), text.len()) };
        outputs.keep(text.len());
    }

    fn read(outputs: &RawOutputs) -> Vec<u8> {
        let bytes = outputs.as_bytes().iter();
        // SAFETY: what is kept was written.
        bytes.map(|byte| unsafe { byte.assume_init() }).collect()
    }

    #[test]
    fn what_is_kept_is_what_was_written() {
        let mut outputs = RawOutputs::default();
        for text in [&b"one "[..], b"", b"and another, longer than a block "] {
            write(&mut outputs, 40, text);
        }
        assert_eq!(read(&outputs), b"one and another, longer than a block ");
        assert_eq!(outputs.room_for(1) as usize % 16, 37 % 16);
        outputs.shrink_to_fit();
        assert_eq!(outputs.held_bytes(), 48);
        outputs.clear();
        write(&mut outputs, 3, b"new");
        assert_eq!(read(&outputs), b"new");
    }
}
