//! What a world says against what the model remembers.

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;

use throng::{
    Aabb, CategoryId, CollectPairs, ProxyId, QueryFilter, QueryHit, Row, RowRef, StaleIndex,
};

use super::{Known, MARGINS, Model, WALLS, has_events, meets};
use crate::common::{Threads, sort_pairs};

impl Model {
    /// Everything the world says of its rows against everything remembered of them.
    pub fn check_rows(&self) {
        self.world.validate().unwrap();
        assert_eq!(
            self.world.len(),
            self.rows.iter().map(Vec::len).sum::<usize>()
        );
        for (category, rows) in self.rows.iter().enumerate() {
            let ids: Vec<ProxyId> = self
                .world
                .proxies(CategoryId::new(category as u16))
                .collect();
            assert_eq!(ids, rows.iter().map(|known| known.id).collect::<Vec<_>>());
            for (row, known) in rows.iter().enumerate() {
                let view = self.world.get(known.id).unwrap();
                assert_eq!((view.category.index(), view.row as usize), (category, row));
                assert_eq!((view.center, view.aabb), (known.center, known.aabb()));
                assert_eq!(
                    (view.key, view.masks, view.owner, view.velocity),
                    (known.key, known.masks, known.owner, known.velocity)
                );
                assert_eq!((view.enabled, view.named), (known.enabled, known.named));
                assert_eq!(self.world.key(known.id), Some(known.key));
            }
        }
        assert!(
            self.excluded
                .iter()
                .all(|&[a, b]| self.world.is_pair_excluded(a, b) == Ok(true)
                    && self.world.is_pair_excluded(b, a) == Ok(true))
        );
        let mut links = 0;
        for id in self.rows.iter().flatten().map(|known| known.id) {
            let partners: Vec<ProxyId> = self.world.excluded_partners(id).unwrap().collect();
            let indices: Vec<u32> = partners.iter().map(|partner| partner.index()).collect();
            assert!(indices.is_sorted_by(|a, b| a < b));
            for partner in partners {
                let is_pair = |pair: &&[ProxyId; 2]| pair.contains(&id) && pair.contains(&partner);
                assert_eq!(self.excluded.iter().filter(is_pair).count(), 1);
                links += 1;
            }
        }
        assert_eq!(links, 2 * self.excluded.len());
        let pairs: Vec<_> = self.world.excluded_pairs().collect();
        let indices = pairs.iter().map(|pair| pair.map(ProxyId::index));
        assert!(indices.clone().is_sorted_by(|a, b| a < b));
        assert!(indices.into_iter().all(|[a, b]| a < b));
        let mut remembered = self.excluded.clone();
        for pair in &mut remembered {
            pair.sort_unstable_by_key(|id| id.index());
        }
        remembered.sort_unstable_by_key(|pair| pair.map(ProxyId::index));
        assert_eq!(pairs, remembered);
        assert!(
            self.removed
                .iter()
                .all(|&id| !self.world.contains(id) && self.world.get(id).is_none())
        );
        let mut removed = self.removed.iter();
        assert!(removed.all(|&id| self.world.key(id).is_none()));
    }

    pub(super) fn step(&mut self) {
        let listed = self.world.event_pairs();
        self.lasting.check_listed(listed, |id| self.keys[&id]);
        let step = self.world.step_on(&Threads(2), &CollectPairs);
        self.lasting.follow(&step, has_events, |id| self.keys[&id]);
        let place = |[a, b]: [RowRef; 2]| ([a.category, b.category], [a.row, b.row]);
        let mut found: Vec<_> = step.pairs().map(place).collect();
        let mut predicted: Vec<_> = step.predicted_pairs().map(place).collect();
        assert_eq!(step.report().predicted_pairs, predicted.len() as u64);
        let is_resting = |id: ProxyId| step.world().is_resting(id).unwrap();
        let both_rest = |pair: [RowRef; 2]| {
            pair.iter().all(|at| {
                let id = step.world().proxy_at(*at).unwrap();
                is_resting(id)
            })
        };
        assert!(!step.pairs().any(both_rest), "they are not handed out");
        for pair in step.resting_pairs() {
            assert!(pair.ids.into_iter().all(is_resting), "{pair:?}");
            let mut places = pair.ids.map(|id| step.world().locate(id).unwrap());
            places.sort_unstable_by_key(|at| (at.category, at.row));
            found.push(place(places));
        }
        assert!(self.rests || step.resting_pairs().is_empty());
        for category in step.world().categories() {
            let ids = step.world().proxies(category).enumerate();
            let is_awake = |id| step.world().is_enabled(id) == Ok(true) && !is_resting(id);
            let awake = ids
                .filter(|&(_, id)| is_awake(id))
                .map(|(row, _)| row as u32);
            assert!(step.world().awake_rows(category).eq(awake));
        }
        self.rested += step.resting_pairs().len() as u64;
        sort_pairs(&mut found);
        sort_pairs(&mut predicted);
        let known = self.rows.iter().flatten();
        let resting: HashSet<_> = known
            .map(|known| known.id)
            .filter(|&id| is_resting(id))
            .collect();
        let place = |id| step.world().locate(id).map(|at| (at.category, at.row));
        let is_scenery = |id| place(id).is_some_and(|(category, _)| category.index() == WALLS);
        let at_rest: HashSet<_> = resting
            .iter()
            .copied()
            .filter(|&id| !is_scenery(id))
            .collect();
        let gone = |id: &ProxyId| place(*id).is_none() || is_scenery(*id);
        let mut woken: Vec<_> = self.at_rest.difference(&at_rest).copied().collect();
        woken.retain(|id| !gone(id));
        let mut came: Vec<_> = at_rest.difference(&self.at_rest).copied().collect();
        for ids in [&mut woken, &mut came] {
            ids.sort_unstable_by_key(|id| place(*id));
        }
        assert!(step.woken().eq(woken));
        assert!(step.came_to_rest().eq(came));
        self.at_rest = at_rest;
        let margin = |known: &Known| {
            let rests = resting.contains(&known.id);
            if rests { 0.0 } else { MARGINS[known.category] }
        };
        assert_eq!(found, self.pairs(&Known::pairs_with));
        let will_pair = |a: &Known, b: &Known| a.will_pair_with(margin(a), b, margin(b));
        assert_eq!(predicted, self.pairs(&will_pair));
        self.remember_indexed();
        self.check_partners();
    }

    /// Each proxy's partners are those whose boxes, as they were indexed, overlap its own as it is now, unless something keeps the
    /// two apart now.
    fn check_partners(&self) {
        let known = || self.rows.iter().flatten();
        let now: HashMap<_, _> = known().map(|known| (known.id, known)).collect();
        let (mut hits, mut found) = (Vec::new(), Vec::new());
        for asker in known() {
            let query = self.world.query();
            query.find_partners(asker.id, &mut hits).unwrap();
            found.clear();
            found.extend(hits.iter().map(|hit| hit.id));
            found.sort_unstable();
            let is_partner = |then: &&Known| {
                let meets_asker = |other: &Known| {
                    let [a, b] = [asker.category, other.category];
                    meets(a.min(b), a.max(b))
                };
                let is_let_in = |other: &Known| {
                    let is_excluded = self.are_excluded([asker.id, other.id]);
                    meets_asker(other) && asker.may_pair_with(other) && !is_excluded
                };
                then.id != asker.id
                    && meets_asker(then)
                    && then.aabb().overlaps(&asker.aabb())
                    && now.get(&then.id).is_some_and(|&other| is_let_in(other))
            };
            let partners = self.indexed.iter().filter(is_partner);
            let mut expected: Vec<_> = partners.map(|then| then.id).collect();
            expected.sort_unstable();
            assert_eq!(found, expected, "{asker:?}");
        }
    }

    /// What queries find from now on.
    pub(super) fn remember_indexed(&mut self) {
        let enabled = self.rows.iter().flatten().filter(|known| known.enabled);
        self.indexed = enabled.copied().collect();
        self.was_indexed = true;
    }

    fn pairs(&self, are_pair: &dyn Fn(&Known, &Known) -> bool) -> Vec<([CategoryId; 2], [Row; 2])> {
        let mut pairs = Vec::new();
        for (a, firsts) in self.rows.iter().enumerate() {
            for (b, seconds) in self
                .rows
                .iter()
                .enumerate()
                .skip(a)
                .filter(|&(b, _)| meets(a, b))
            {
                let categories = [a, b].map(|index| CategoryId::new(index as u16));
                for (i, first) in firsts.iter().enumerate() {
                    let from = if a == b { i + 1 } else { 0 };
                    let partners = seconds.iter().enumerate().skip(from);
                    let partners = partners.filter(|(_, second)| {
                        are_pair(first, second) && !self.are_excluded([first.id, second.id])
                    });
                    pairs.extend(partners.map(|(j, _)| (categories, [i as Row, j as Row])));
                }
            }
        }
        sort_pairs(&mut pairs);
        pairs
    }

    /// A query finds what was in the index, where it was, unless it has been removed or disabled
    /// since.
    pub(super) fn query(&self, center: [f32; 2], radius: f32) {
        let sides = |aabb: Aabb| [aabb.min(), aabb.max()].map(|corner| corner.map(f32::to_bits));
        let window = Aabb::from_center(center, [radius; 2]).unwrap();
        let mut found = Vec::new();
        // Nobody's, the first's own and the last one are left out, depending on where it is.
        let owner = (center[0].abs() as u64) % 3;
        let last = self.rows.iter().flatten().last().map(|known| known.id);
        let is_odd = |id: ProxyId| id.to_bits() % 2 == 1;
        let passes = move |hit: &QueryHit| owner == 0 || is_odd(hit.id);
        let mut filter = QueryFilter::new().not_of(owner).only(&passes);
        if let Some(last) = last {
            filter = filter.except(last);
        }
        let all = self.world.query_with(&filter).query_aabb(&window, |hit| {
            let view = self.world.get(hit.id).unwrap();
            assert_eq!(
                (hit.category, hit.row),
                (view.category, view.row),
                "category and row are those of now"
            );
            found.push((hit.id, sides(hit.aabb)));
            ControlFlow::<()>::Continue(())
        });
        if !self.was_indexed && !self.world.is_empty() {
            assert_eq!(all, Err(StaleIndex::NeverIndexed.into()));
            return;
        }
        assert!(all.unwrap().is_continue());
        self.check_partners();
        found.sort_unstable();

        let lives = |known: &&Known| {
            let is_owned = owner != 0
                && self
                    .world
                    .get(known.id)
                    .is_some_and(|view| view.owner == owner);
            let passes = (owner == 0 || is_odd(known.id)) && Some(known.id) != last;
            self.world.is_enabled(known.id) == Ok(true) && !is_owned && passes
        };
        let touched = self
            .indexed
            .iter()
            .filter(lives)
            .filter(|known| known.aabb().overlaps(&window));
        let mut expected: Vec<_> = touched
            .map(|known| (known.id, sides(known.aabb())))
            .collect();
        expected.sort_unstable();
        assert_eq!(found, expected);
    }
}
