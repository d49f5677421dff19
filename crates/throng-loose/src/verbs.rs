//! What can be asked of every structure of leaves, in one wording.

/// Gives a structure that has [`Leaves`](crate::leaves::Leaves), `len` and a field `work` the public verbs
/// that search it. A macro, because a trait would have to be imported by whoever uses the structure.
macro_rules! search_verbs {
    ($structure:ty) => {
        impl $structure {
            /// In how many chunks the search for pairs comes. A function of the data alone.
            pub fn chunks(&self) -> usize {
                if self.is_empty() {
                    0
                } else {
                    self.work.chunks()
                }
            }

            /// How much arena memory a chunk's search takes, unless the rows are extraordinarily crowded,
            /// when it grows the arena.
            pub fn chunk_scratch_bytes(&self) -> usize {
                $crate::search::scratch_bytes(&self.work)
            }

            /// Visits every overlapping pair whose earlier row lies in the chunk, in batches of at most
            /// about a thousand: pairs of rows, the lower row first, in an order that depends on the data
            /// and the changes before alone. No batch holds pairs of two leaves.
            ///
            /// With `masks` (one per row), pairs whose masks do not agree are not made. Chunks may be
            /// searched in any order, on any thread, each with an arena of its own.
            ///
            /// # Panics
            ///
            /// If there is no such chunk, or `masks` is too short for the rows.
            pub fn pairs_in_chunk(
                &self,
                chunk: usize,
                masks: Option<throng_core::RowMasks<'_>>,
                arena: &mut throng_core::Arena,
                visit: &mut dyn FnMut(&[[u32; 2]]),
            ) -> throng_core::ChunkStats {
                $crate::search::pairs_in_chunk(self, &self.work, chunk, masks, arena, visit)
            }

            /// Visits every overlapping pair once, on the calling thread, in the order of the chunks.
            pub fn for_each_pair(
                &self,
                masks: Option<throng_core::RowMasks<'_>>,
                visit: impl FnMut(u32, u32),
            ) -> throng_core::ChunkStats {
                let search = |chunk: usize,
                              arena: &mut throng_core::Arena,
                              visit: &mut dyn FnMut(&[[u32; 2]])| {
                    self.pairs_in_chunk(chunk, masks, arena, visit)
                };
                throng_core::search_chunks(self.chunks(), self.chunk_scratch_bytes(), search, visit)
            }

            /// In how many chunks the search for pairs with `other` comes. A function of the data alone.
            pub fn meet_chunks(&self, other: &dyn throng_core::BoxSource) -> usize {
                if other.is_empty() { 0 } else { self.chunks() }
            }

            /// Visits every pair of a row of this structure and a row of `other` whose boxes overlap, in
            /// batches: this one's row first for [`PairOrder::Left`](throng_core::PairOrder), second for
            /// `Right`. Otherwise as [`pairs_in_chunk`](Self::pairs_in_chunk); `masks` are those of this
            /// structure's rows and of the other's, and rows without any meet everything that admits them.
            ///
            /// This structure's leaves are walked, and `other` is asked once for each of them: of two,
            /// walk the one with more rows.
            ///
            /// # Panics
            ///
            /// If there is no such chunk, or masks are too short for the rows.
            pub fn meet_in_chunk(
                &self,
                other: &dyn throng_core::BoxSource,
                chunk: usize,
                masks: [Option<throng_core::RowMasks<'_>>; 2],
                order: throng_core::PairOrder,
                arena: &mut throng_core::Arena,
                visit: &mut dyn FnMut(&[[u32; 2]]),
            ) -> throng_core::ChunkStats {
                $crate::search::meet_in_chunk(
                    self, &self.work, other, chunk, masks, order, arena, visit,
                )
            }

            /// Visits every overlapping pair of the two structures once, on the calling thread, in chunk
            /// order: this one's row first.
            pub fn for_each_meeting(
                &self,
                other: &dyn throng_core::BoxSource,
                masks: [Option<throng_core::RowMasks<'_>>; 2],
                visit: impl FnMut(u32, u32),
            ) -> throng_core::ChunkStats {
                let search = |chunk: usize,
                              arena: &mut throng_core::Arena,
                              visit: &mut dyn FnMut(&[[u32; 2]])| {
                    self.meet_in_chunk(
                        other,
                        chunk,
                        masks,
                        throng_core::PairOrder::Left,
                        arena,
                        visit,
                    )
                };
                throng_core::search_chunks(
                    self.meet_chunks(other),
                    self.chunk_scratch_bytes(),
                    search,
                    visit,
                )
            }

            /// Visits every row whose box touches `window`, borders included, once, until the visitor
            /// breaks. In an order that depends on the data and the changes before alone; allocates
            /// nothing.
            pub fn query_box<B>(
                &self,
                window: &throng_core::Aabb,
                visit: impl FnMut(u32, throng_core::Aabb) -> std::ops::ControlFlow<B>,
            ) -> std::ops::ControlFlow<B> {
                $crate::search::query_box(self, window, visit)
            }
        }

        impl throng_core::BoxSource for $structure {
            fn gather<'a>(
                &self,
                window: &throng_core::Aabb,
                arena: &'a throng_core::Arena,
                found: &mut throng_core::BoxRun<'a>,
            ) {
                $crate::search::gather(self, window, arena, found);
            }

            fn is_empty(&self) -> bool {
                self.len() == 0
            }

            fn bounds(&self) -> Option<throng_core::Aabb> {
                $crate::search::bounds(self)
            }
        }

        impl throng_core::BoxPieces for $structure {
            fn piece_chunks(&self) -> usize {
                self.chunks()
            }

            fn visit_pieces<'a>(
                &self,
                chunk: usize,
                arena: &'a throng_core::Arena,
                piece: &mut throng_core::BoxRun<'a>,
                visit: &mut dyn FnMut(&mut throng_core::BoxRun<'a>) -> std::ops::ControlFlow<()>,
            ) -> std::ops::ControlFlow<()> {
                $crate::search::visit_pieces(self, &self.work, chunk, arena, piece, visit)
            }
        }
    };
}

pub(crate) use search_verbs;
