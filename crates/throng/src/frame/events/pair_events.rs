//! The pairs that began, or that ended, one after the other.

use std::fmt;
use std::iter::FusedIterator;
use std::slice;

use crate::frame::events::event::PairEvent;
use crate::frame::events::listed::ListedPairs;
use crate::frame::events::lists::Lists;
use crate::world::category::Category;
use crate::world::ids::CategoryId;

/// The pairs that [began](crate::Step::began) or [ended](crate::Step::ended). Ids and keys are looked up as they are read.
#[derive(Clone)]
#[must_use = "iterators do nothing until they are read"]
pub struct PairEvents<'w> {
    categories: &'w [Category],
    lists: slice::Iter<'w, ListedPairs>,
    /// The list that is being read, and the place of the next in it.
    list: Option<(&'w ListedPairs, usize)>,
    left: usize,
    /// The only categories that count, if not all do: that of the first proxy, and that of the second.
    between: Option<[CategoryId; 2]>,
}

impl<'w> PairEvents<'w> {
    pub(super) fn of(lists: &'w Lists, categories: &'w [Category]) -> Self {
        Self {
            categories,
            lists: lists.used().iter(),
            list: None,
            left: lists.told(),
            between: None,
        }
    }

    /// Only those of a proxy of category `a` and one of category `b`, **the one of `a` first**; in the same order. None if there is no
    /// such category, or if the two do not meet. Others are not looked up: O(chunks of the step), and then O(1) for each.
    ///
    /// ```
    /// use throng::{Broadphase, BroadphaseConfig, CategoryConfig, Proxy};
    ///
    /// let units = CategoryConfig::uniform("units", 1.0).events();
    /// let bullets = CategoryConfig::uniform("bullets", 0.1).meets(["units"]).events();
    /// let mut world = Broadphase::new(BroadphaseConfig::new().category(units).category(bullets))?;
    /// let [units, bullets] = ["units", "bullets"].map(|name| world.category(name).unwrap());
    /// let boxes = [(units, 0.0, 1.0), (units, 1.5, 1.0), (bullets, -0.7, 0.1)];
    /// for (key, (category, x, half)) in (0..).zip(boxes) {
    ///     let proxy = Proxy::centered([x, 0.0], [half, half])?;
    ///     world.insert(proxy.in_category(category).key(key))?;
    /// }
    /// let step = world.step_pairs();
    /// assert_eq!(step.began().len(), 2);
    /// for hit in step.began().between(bullets, units) {
    ///     let [bullet, unit] = hit.keys;
    ///     assert_eq!((bullet, unit), (2, 0));
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn between(mut self, a: CategoryId, b: CategoryId) -> Self {
        let before = self.between.replace([a, b]);
        // Whoever asks for others among these asks for none.
        let all = before.is_none_or(|[c, d]| [a, b] == [c, d] || [a, b] == [d, c]);
        if !all {
            (self.lists, self.list) = ([].iter(), None);
        }
        self.list = self.list.filter(|(list, _)| is_among(self.between, list));
        let begun = self.list.map_or(0, |(list, place)| list.events() - place);
        let others = self.lists.clone();
        let others = others.filter(|list| is_among(self.between, list));
        self.left = begun + others.map(ListedPairs::events).sum::<usize>();
        self
    }

    /// As it was asked for: the two may be the other way round in the list.
    fn in_order(&self, event: PairEvent) -> PairEvent {
        match self.between {
            Some([first, _]) if event.categories[0] != first => event.flipped(),
            _ => event,
        }
    }
}

/// Whether a list has pairs of these two categories, if not of any.
fn is_among(between: Option<[CategoryId; 2]>, list: &ListedPairs) -> bool {
    between.is_none_or(|[a, b]| list.categories == [a, b] || list.categories == [b, a])
}

impl Iterator for PairEvents<'_> {
    type Item = PairEvent;

    #[inline]
    fn next(&mut self) -> Option<PairEvent> {
        loop {
            if let Some((list, place)) = &mut self.list
                && let Some(event) = list.event(*place, self.categories)
            {
                *place += 1;
                self.left -= 1;
                return Some(self.in_order(event));
            }
            let between = self.between;
            self.list = Some((self.lists.find(|list| is_among(between, list))?, 0));
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl ExactSizeIterator for PairEvents<'_> {}
impl FusedIterator for PairEvents<'_> {}

impl fmt::Debug for PairEvents<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.clone()).finish()
    }
}
