//! The results of a batch of queries, in memory that is reused from batch to batch.

use std::fmt;

use throng_core::Executor;

use crate::error::QueryError;
use crate::frame::narrowphase::ChunkOutput;
use crate::frame::outputs::{Outputs, Stored};
use crate::query::order::Order;

/// Queries in a chunk: enough to be worth a task, few enough for even shares.
const CHUNK: usize = 256;
/// How many queries ahead one is prefetched, because those next to each other in space are anywhere in the batch.
const AHEAD: usize = 8;

/// The answers to a batch of queries, in the order in which they were asked.
///
/// Filled by [`find_batch`](crate::Queries::find_batch). Keeps its memory from batch to batch: a batch that needs no
/// more than any before it allocates nothing.
pub struct BatchResults<H> {
    parts: Outputs<ChunkAnswers<H>>,
    pub(crate) order: Order,
    refused: Vec<(usize, QueryError)>,
    /// 0 while a batch runs, so that a panic leaves no answers behind.
    len: usize,
}

/// The answers of one chunk, in the order in which its queries ran.
struct ChunkAnswers<H> {
    hits: Vec<H>,
    /// Where the hits of each query end.
    ends: Vec<usize>,
    refused: Vec<(usize, QueryError)>,
}

impl<H> Default for ChunkAnswers<H> {
    fn default() -> Self {
        Self {
            hits: Vec::new(),
            ends: Vec::new(),
            refused: Vec::new(),
        }
    }
}

impl<H: Send + Sync + 'static> ChunkOutput for ChunkAnswers<H> {
    fn clear(&mut self) {
        self.hits.clear();
        self.ends.clear();
        self.refused.clear();
    }

    fn used_bytes(&self) -> usize {
        self.hits.used_bytes() + self.ends.used_bytes() + self.refused.used_bytes()
    }

    fn held_bytes(&self) -> usize {
        self.hits.held_bytes() + self.ends.held_bytes() + self.refused.held_bytes()
    }

    fn shrink_to_fit(&mut self) {
        self.hits.shrink_to_fit();
        self.ends.shrink_to_fit();
        self.refused.shrink_to_fit();
    }
}

impl<H> ChunkAnswers<H> {
    /// Adds the answer of the next query. `ask` appends it to the vector.
    fn take(&mut self, index: usize, ask: impl FnOnce(&mut Vec<H>) -> Result<(), QueryError>) {
        let answered = ask(&mut self.hits);
        self.refused
            .extend(answered.err().map(|error| (index, error)));
        self.ends.push(self.hits.len());
    }
}

impl<H> Default for BatchResults<H> {
    fn default() -> Self {
        Self {
            parts: Outputs::default(),
            order: Order::default(),
            refused: Vec::new(),
            len: 0,
        }
    }
}

impl<H: Send + Sync + 'static> BatchResults<H> {
    /// No answers, and no memory yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Bytes of memory it holds. O(chunks).
    pub fn memory_bytes(&self) -> usize {
        let refused = self.refused.capacity() * size_of::<(usize, QueryError)>();
        self.parts.held_bytes() + self.order.memory_bytes() + refused
    }

    /// How many queries were asked, including those refused.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether no queries were asked.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The results of a query, by its position in the order asked, from 0. Empty if it found nothing, was refused, or
    /// was not asked. O(1).
    pub fn of(&self, index: usize) -> &[H] {
        if index >= self.len {
            return &[];
        }
        let position = self.order.position_of(index);
        let part = &self.parts.as_slice()[position / CHUNK];
        let here = position % CHUNK;
        let begin = here.checked_sub(1).map_or(0, |before| part.ends[before]);
        &part.hits[begin..part.ends[here]]
    }

    /// The results of each query, in the order asked.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[H]> {
        (0..self.len).map(|index| self.of(index))
    }

    /// The queries that were refused, which does not stop the others: their position in the order asked, from 0, and
    /// why.
    pub fn refused(&self) -> &[(usize, QueryError)] {
        &self.refused
    }

    /// Forgets the answers but keeps the memory.
    pub fn clear(&mut self) {
        self.len = 0;
        self.refused.clear();
    }

    /// Runs a batch of `len` queries in the given order. `ask` takes a query's position in the order asked, and
    /// appends its answer to the vector; `prefetch` takes that of a query that will be asked soon; `resolve_all` takes the answers
    /// of several and where each ends, and may drop some hits.
    pub(crate) fn fill(
        &mut self,
        executor: &dyn Executor,
        len: usize,
        ask: impl Fn(usize, &mut Vec<H>) -> Result<(), QueryError> + Sync,
        prefetch: impl Fn(usize) + Sync,
        resolve_all: impl Fn(&mut Vec<H>, &mut [usize]) + Sync,
    ) {
        let order = &self.order;
        self.parts
            .fill(executor, len.div_ceil(CHUNK), |chunk, part| {
                let end = len.min((chunk + 1) * CHUNK);
                for position in chunk * CHUNK..end {
                    if position + AHEAD < end {
                        prefetch(order.query_at(position + AHEAD));
                    }
                    let index = order.query_at(position);
                    part.take(index, |hits| ask(index, hits));
                }
                resolve_all(&mut part.hits, &mut part.ends);
            });
        let refused = self.parts.as_slice().iter().flat_map(|part| &part.refused);
        self.refused.extend(refused.cloned());
        self.refused.sort_unstable_by_key(|&(index, _)| index);
        self.len = len;
    }
}

impl<H: fmt::Debug + Send + Sync + 'static> fmt::Debug for BatchResults<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}
