//! The plan of a frame: which categories meet, in how many chunks, and the plan as an engine's own job system uses
//! it.

use std::fmt;

use educe::Educe;
use throng_core::Executor;

use crate::broadphase::Broadphase;
use crate::error::StaleIndex;
use crate::frame::few_rows::{FewAndMany, FewRows};
use crate::frame::prediction::meetings::PredictedMeeting;
use crate::frame::search_arenas::SearchArenas;
use crate::world::category::{Category, IndexPart};
use crate::world::ids::CategoryId;
use crate::world::meeting_words::MeetingWords;
use crate::world::meets::MeetingTable;

impl Broadphase {
    /// Cuts the search into chunks, notes which categories have masks of their own to test, and makes room for the workers. O(c²)
    /// for c categories, and O(n) for n rows that are few among many.
    pub(crate) fn plan_search(&mut self, executor: &dyn Executor) {
        self.planned
            .plan(&self.meetings, &self.categories, &self.arenas);
        for (index, category) in self.categories.iter_mut().enumerate() {
            let own = [CategoryId::from_index(index); 2];
            let words = self.planned.words_between(own);
            category.tests_own_masks =
                words.is_some_and(|words| words.are_tested(&category.columns.masks));
        }
        let (chunks, bytes) = (self.planned.chunks(), self.planned.scratch_bytes());
        self.arenas.prepare(executor, chunks, bytes);
        for category in &mut self.categories {
            category.has_changed = false;
        }
        self.has_index = true;
    }

    /// The search for pairs as data: numbered chunks, each of which can run on any thread.
    ///
    /// For an engine with its own job system: [`refresh`](Self::refresh), then one job per chunk. [`step`](Self::step)
    /// does the same.
    ///
    /// ```
    /// use throng::{Broadphase, BroadphaseConfig, CategoryConfig, CollectPairs, PairList, Proxy};
    ///
    /// let mut world = Broadphase::new(BroadphaseConfig::new().category(CategoryConfig::uniform("fish", 1.0)))?;
    /// world.insert_batch((0..5000).map(|i| Proxy::centered([i as f32 * 1.5, 0.0], [1.0, 1.0]).unwrap()));
    /// world.refresh();
    ///
    /// let plan = world.plan()?;
    /// let mut lists = vec![PairList::default(); plan.chunks()];
    /// std::thread::scope(|jobs| {
    ///     for (chunk, list) in lists.iter_mut().enumerate() {
    ///         jobs.spawn(move || plan.collide(chunk, &CollectPairs, &mut (), list));
    ///     }
    /// });
    /// assert_eq!(lists.iter().map(|list| list.pairs().len()).sum::<usize>(), 4999);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`StaleIndex`] if there has been no step or refresh yet, if the last one did not build every index, or if proxies were
    /// inserted, removed, migrated, enabled, disabled or given other masks since the last one. Centers may have been written:
    /// pairs are those of the index. After a write, a plan is refused only where pairs are
    /// [predicted](crate::PairBatch::is_predicted), because these are found by where things are now.
    pub fn plan(&self) -> Result<Plan<'_>, StaleIndex> {
        self.check_rows()?;
        if !self.has_index {
            return Err(StaleIndex::NeverIndexed);
        }
        let has_moved = (self.categories.iter()).any(|category| category.has_moved);
        if has_moved && self.planned.reads_places() {
            return Err(StaleIndex::Moved);
        }
        Ok(Plan { world: self })
    }
}

/// The chunks of one frame's search. How it is cut depends only on the data: chunks are the same on any machine and
/// with any number of threads.
///
/// Chunks are in the order of meetings: each category of the config with itself, then with each later one. Within a
/// meeting they are in leaf order of the category that is walked. Where some rows of a category rest, the chunks of pairs of two
/// that are awake come first, and then those of pairs with one that rests. Behind all of these are the chunks of pairs that are
/// [predicted](crate::PairBatch::is_predicted), if any are.
#[derive(Clone, Copy)]
#[must_use = "no pair is found until its chunks are run"]
pub struct Plan<'w> {
    pub(crate) world: &'w Broadphase,
}

impl fmt::Debug for Plan<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Plan")
            .field("chunks", &self.chunks())
            .finish_non_exhaustive()
    }
}

impl<'w> Plan<'w> {
    /// How many chunks there are.
    pub fn chunks(&self) -> usize {
        self.world.planned.chunks()
    }

    /// The categories whose meeting a chunk is part of, lower first; `None` if there is no such chunk.
    pub fn categories(&self, chunk: usize) -> Option<[CategoryId; 2]> {
        Some(self.sought_in(chunk)?.categories())
    }

    /// Whether the pairs of a chunk are [predicted](crate::PairBatch::is_predicted); `None` if there is no such chunk.
    pub fn is_predicted(&self, chunk: usize) -> Option<bool> {
        Some(matches!(self.sought_in(chunk)?, Sought::Predicted(_)))
    }

    /// The meeting that a chunk is part of, unless it is one of predicted pairs.
    pub(super) fn meeting(&self, chunk: usize) -> Option<&'w Meeting> {
        match self.sought_in(chunk)? {
            Sought::Overlapping(meeting, _) => Some(meeting),
            Sought::Predicted(_) => None,
        }
    }

    pub(super) fn sought_in(&self, chunk: usize) -> Option<Sought<'w>> {
        self.world.planned.sought_in(chunk)
    }
}

/// How many chunks a search has, and the arena bytes that one takes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Chunks {
    pub(crate) count: usize,
    pub(crate) scratch_bytes: usize,
}

/// What a chunk searches for.
pub(crate) enum Sought<'w> {
    /// Pairs that overlap: a part of a meeting, with its masks.
    Overlapping(&'w Meeting, &'w MeetingWords),
    /// Pairs that are predicted.
    Predicted(&'w PredictedMeeting),
}

impl Sought<'_> {
    pub(super) fn categories(&self) -> [CategoryId; 2] {
        match self {
            Self::Overlapping(meeting, _) => meeting.categories,
            Self::Predicted(meeting) => meeting.categories,
        }
    }

    pub(super) fn first_chunk(&self) -> usize {
        match self {
            Self::Overlapping(meeting, _) => meeting.first_chunk,
            Self::Predicted(meeting) => meeting.first_chunk,
        }
    }

    /// Whether it is of two indices of one category. Which row of a pair is lower is then not known.
    pub(super) fn is_between_parts(&self) -> bool {
        matches!(self, Self::Overlapping(meeting, _) if meeting.is_between_parts())
    }
}

/// The meetings of a frame, in the order of their chunks: all that have work to do. Where categories have two indices, each two of
/// these that may have pairs are a meeting of their own.
///
/// ```text
/// categories 0, 1, 2     0-0   0-1   0-2   1-1   1-2   2-2      those that meet, lower first
/// chunks                 0..9  9..12 12..13 ...                 first chunk of each, and `chunks` in all
/// ```
///
/// After these come the meetings in which somebody looks ahead, for the same categories in the same order.
#[derive(Default, Educe)]
#[educe(Clone)]
pub(crate) struct PlannedMeetings {
    meetings: Vec<Meeting>,
    /// The masks of each two categories that meet; behind `words_used`, the memory of earlier plans.
    words: Vec<PlannedWords>,
    words_used: usize,
    /// Of those meetings in which few rows meet many; behind `few_rows_used`, the memory of earlier ones.
    few_rows: Vec<FewRows>,
    few_rows_used: usize,
    predicted: Vec<PredictedMeeting>,
    /// All chunks, and those before the first of predicted pairs.
    chunks: usize,
    overlapping_chunks: usize,
    /// Arena bytes of the chunk that needs the most.
    scratch_bytes: usize,
}

/// The masks of two categories that meet, as kernels compare them.
#[derive(Default, Educe)]
#[educe(Clone)]
struct PlannedWords {
    categories: [CategoryId; 2],
    words: MeetingWords,
}

/// One meeting, and its first chunk.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Meeting {
    pub(crate) categories: [CategoryId; 2],
    /// Which index of each.
    pub(crate) parts: [IndexPart; 2],
    pub(crate) first_chunk: usize,
    /// The index of their masks among the plan's words, and of their entry in the report.
    pub(crate) words: usize,
    /// Which of the plan's few rows meet many here, if so.
    pub(crate) few_rows: Option<usize>,
    /// Whether pairs of two that rest may be found.
    pub(crate) finds_resting: bool,
}

impl Meeting {
    /// Whether it is of rows of one category.
    pub(crate) fn is_of_one_category(&self) -> bool {
        self.categories[0] == self.categories[1]
    }

    /// Whether it is of the main index of one category with itself, and finds no pairs of two that rest.
    pub(crate) fn is_of_main_index(&self) -> bool {
        self.is_of_one_category() && self.parts == [IndexPart::Main; 2] && !self.finds_resting
    }

    /// Whether it is of two indices of one category. Which row of a pair is lower is then not known.
    pub(crate) fn is_between_parts(&self) -> bool {
        self.is_of_one_category() && self.parts[0] != self.parts[1]
    }
}

impl PlannedMeetings {
    /// Plans the meetings of the current indices. O(c²) for c categories with rows in their index, and O(n) for n rows that
    /// are few among many.
    pub(crate) fn plan(
        &mut self,
        table: &MeetingTable,
        categories: &[Category],
        arenas: &SearchArenas,
    ) {
        self.clear();
        for (a, first) in occupied(categories, 0) {
            for (b, second) in occupied(categories, a) {
                let ids = [a, b].map(CategoryId::from_index);
                if !table.meets(ids[0], ids[1]) {
                    continue;
                }
                let words = self.next_words(ids);
                self.words[words]
                    .words
                    .update([&first.columns.masks, &second.columns.masks]);
                for (part, _) in first.parts() {
                    for (other, _) in second.parts() {
                        let sides = [(first, part), (second, other)];
                        self.plan_meeting(ids, sides, words, arenas);
                    }
                }
            }
        }
        self.plan_predicted(categories, arenas);
    }

    /// Plans the meeting of two indices, unless one of them is empty, all of both rest, masks keep everyone apart, or they
    /// are two of one category the other way round.
    fn plan_meeting(
        &mut self,
        categories: [CategoryId; 2],
        sides: [(&Category, IndexPart); 2],
        words: usize,
        arenas: &SearchArenas,
    ) {
        let structures = sides.map(|(side, part)| side.part(part));
        if structures.iter().any(|structure| structure.is_empty()) {
            return;
        }
        let parts = sides.map(|(_, part)| part);
        let is_of_one = categories[0] == categories[1];
        let is_own = is_of_one && parts[0] == parts[1];
        let rests_wholly = |(side, part): (&Category, _)| {
            part == IndexPart::Standing || side.structure.is_scenery()
        };
        let is_found_already = is_of_one && parts == [IndexPart::Standing, IndexPart::Main];
        let keeps_all_apart = self.words[words].words.lets_nobody_through();
        if sides.into_iter().all(rests_wholly) || is_found_already || keeps_all_apart {
            return;
        }
        let mut chunks = if is_own {
            structures[0].chunks()
        } else {
            structures[0].meet_chunks(structures[1])
        };
        if chunks.count == 0 {
            return;
        }
        let few = few_and_many(sides).filter(|_| !is_own);
        let few = few.and_then(|sides| self.plan_few(&sides, arenas));
        if let Some((_, planned)) = few {
            chunks = planned;
        }
        let may_rest =
            |side: (&Category, IndexPart)| rests_wholly(side) || side.0.rests_in_main_index();
        self.meetings.push(Meeting {
            categories,
            parts,
            first_chunk: self.chunks,
            words,
            few_rows: few.map(|(index, _)| index),
            finds_resting: sides.into_iter().all(may_rest),
        });
        self.add(chunks);
    }

    fn add(&mut self, chunks: Chunks) {
        self.chunks += chunks.count;
        self.scratch_bytes = self.scratch_bytes.max(chunks.scratch_bytes);
    }

    /// Plans the meetings in which somebody looks ahead, behind all others.
    fn plan_predicted(&mut self, categories: &[Category], arenas: &SearchArenas) {
        self.overlapping_chunks = self.chunks;
        if !categories.iter().any(Category::looks_ahead) {
            return;
        }
        for words in 0..self.words_used {
            let of = &self.words[words];
            let (ids, keeps_all_apart) = (of.categories, of.words.lets_nobody_through());
            let sides = ids.map(|id| &categories[id.index()]);
            if keeps_all_apart || sides.iter().any(|side| side.is_sensor) {
                continue;
            }
            for mut predicted in PredictedMeeting::of(ids, sides) {
                let mut chunks = predicted.chunks(sides);
                let few = predicted.few_and_many(sides);
                if let Some((few, planned)) = few.and_then(|few| self.plan_few(&few, arenas)) {
                    predicted.few_rows = Some(few);
                    chunks = planned;
                }
                (predicted.place, predicted.first_chunk) = (self.predicted.len(), self.chunks);
                self.add(chunks);
                if chunks.count > 0 {
                    self.predicted.push(predicted);
                }
            }
        }
    }

    /// Plans a meeting of few rows and many. Returns its index among these, and its chunks, unless it is better planned like any
    /// other.
    fn plan_few(
        &mut self,
        sides: &FewAndMany<'_>,
        arenas: &SearchArenas,
    ) -> Option<(usize, Chunks)> {
        let index = self.few_rows_used;
        if index == self.few_rows.len() {
            self.few_rows.push(FewRows::default());
        }
        let next = &mut self.few_rows[index];
        let planned = arenas.with(|arena| next.plan(sides, arena))?;
        self.few_rows_used += 1;
        Some((index, planned))
    }

    /// The few rows of a meeting in which they meet many, by the number that it has of them.
    pub(crate) fn few_rows(&self, meeting: Option<usize>) -> Option<&FewRows> {
        Some(&self.few_rows[meeting?])
    }

    /// Returns the index of the words for the next two categories that meet. What is there is kept if it was of the same two.
    fn next_words(&mut self, categories: [CategoryId; 2]) -> usize {
        let next = self.words_used;
        if next == self.words.len() {
            self.words.push(PlannedWords::default());
        }
        let of = &mut self.words[next];
        if of.categories != categories {
            of.categories = categories;
            of.words.forget();
        }
        self.words_used += 1;
        next
    }

    /// The words of a meeting.
    pub(crate) fn words(&self, meeting: &Meeting) -> &MeetingWords {
        &self.words[meeting.words].words
    }

    /// The words of the meeting of two categories, the lower one first, if it is planned. O(log m).
    pub(crate) fn words_between(&self, categories: [CategoryId; 2]) -> Option<&MeetingWords> {
        let words = &self.words[..self.words_used];
        let place = words.binary_search_by_key(&categories, |of| of.categories);
        place.ok().map(|place| &words[place].words)
    }

    /// All categories that meet, in the order of their meetings, and whether masks keep everyone of both apart.
    pub(crate) fn categories(&self) -> impl Iterator<Item = ([CategoryId; 2], bool)> {
        let words = self.words[..self.words_used].iter();
        words.map(|of| (of.categories, of.words.lets_nobody_through()))
    }

    /// Bytes of words, and of lists of large boxes.
    pub(crate) fn memory_bytes(&self) -> usize {
        let of_words = self.words.iter().map(|of| of.words.memory_bytes());
        let of_few = self.few_rows.iter().map(FewRows::memory_bytes);
        of_words.sum::<usize>() + of_few.sum::<usize>()
    }

    pub(crate) fn clear(&mut self) {
        self.meetings.clear();
        self.words_used = 0;
        self.predicted.clear();
        self.few_rows_used = 0;
        (self.chunks, self.overlapping_chunks) = (0, 0);
        self.scratch_bytes = 0;
    }

    pub(crate) fn chunks(&self) -> usize {
        self.chunks
    }

    /// How many chunks there are before those of predicted pairs.
    pub(crate) fn overlapping_chunks(&self) -> usize {
        self.overlapping_chunks
    }

    /// Whether a search reads where things are now, and not only where they are in an index.
    pub(crate) fn reads_places(&self) -> bool {
        !self.predicted.is_empty()
    }

    pub(crate) fn scratch_bytes(&self) -> usize {
        self.scratch_bytes
    }

    /// The meetings in which somebody looks ahead.
    pub(crate) fn predicted(&self) -> &[PredictedMeeting] {
        &self.predicted
    }

    /// What a chunk searches for, if there is such a chunk. O(log m).
    pub(crate) fn sought_in(&self, chunk: usize) -> Option<Sought<'_>> {
        if chunk >= self.chunks {
            return None;
        }
        Some(if chunk < self.overlapping_chunks {
            let begins = |meeting: &Meeting| meeting.first_chunk <= chunk;
            let meeting = &self.meetings[self.meetings.partition_point(begins) - 1];
            Sought::Overlapping(meeting, self.words(meeting))
        } else {
            let begins = |meeting: &PredictedMeeting| meeting.first_chunk <= chunk;
            Sought::Predicted(&self.predicted[self.predicted.partition_point(begins) - 1])
        })
    }
}

fn occupied(categories: &[Category], from: usize) -> impl Iterator<Item = (usize, &Category)> {
    categories
        .iter()
        .enumerate()
        .skip(from)
        .filter(|(_, category)| category.indexed_rows() > 0)
}

/// The two sides of a meeting, if one of them has few rows and the other many.
pub(crate) fn few_and_many(sides: [(&Category, IndexPart); 2]) -> Option<FewAndMany<'_>> {
    FewAndMany::of(
        sides.map(|(side, part)| (side.part(part), &side.spacing)),
        0.0,
    )
}
