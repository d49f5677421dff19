//! Who has moved and who rests, row by row, beside a naive count.

use std::collections::{BTreeMap, BTreeSet};

use throng_core::Columns;

use super::*;

/// A row as it ought to be.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Naive {
    center: [f32; 2],
    last: [f32; 2],
    still: u8,
}

impl Naive {
    /// Notes whether it has moved; returns that, and whether it was resting.
    fn find_moved(&mut self, moved: u8) -> [bool; 2] {
        let is_elsewhere = self.center != self.last;
        let was_resting = self.still == RESTING;
        if is_elsewhere || self.still <= moved {
            (self.last, self.still) = (self.center, moved);
            return [is_elsewhere, was_resting];
        }
        [false, false]
    }
}

struct World {
    stillness: Box<Stillness>,
    columns: ProxyColumns,
    naive: Vec<Naive>,
    /// Those that rest, as an index has them.
    standing: BTreeMap<Row, [f32; 2]>,
    seed: u64,
}

impl World {
    fn of(rows: usize) -> Self {
        let config = CategoryConfig::uniform("ants", 1.0).rests_after(3);
        let mut columns = ProxyColumns::default();
        columns.still.allocate();
        columns.last_xs.allocate();
        columns.last_ys.allocate();
        columns.push_rows(rows);
        let naive = Naive {
            center: [0.0; 2],
            last: [0.0; 2],
            still: 0,
        };
        Self {
            stillness: Stillness::new(&config).expect("it rests"),
            columns,
            naive: vec![naive; rows],
            standing: BTreeMap::new(),
            seed: 1,
        }
    }

    fn next(&mut self, below: usize) -> usize {
        self.seed = self
            .seed
            .wrapping_mul(0x5851_f42d_4c95_7f2d)
            .wrapping_add(1);
        (self.seed >> 33) as usize % below
    }

    /// Moves one row in so many, and takes another one for new.
    fn write(&mut self, every: usize) {
        for row in 0..self.naive.len() {
            if self.next(every) == 0 {
                let axis = self.next(2);
                self.naive[row].center[axis] += 1.0;
                [self.columns.xs[row], self.columns.ys[row]] = self.naive[row].center;
            }
        }
        let row = self.next(self.naive.len());
        if std::mem::replace(&mut self.naive[row].still, 0) == RESTING {
            let center = self.columns.last_center(row);
            self.stillness.note_awake(row, center);
        }
        self.columns.still.values_mut()[row] = 0;
    }

    /// Finds who has moved, counts a step, and compares.
    fn step(&mut self, moved: u8) {
        let rows = self.naive.len();
        self.stillness.note_all_written();
        let mut woken = BTreeSet::new();
        self.stillness
            .find_moved(&mut self.columns, None, moved, &mut |row| {
                assert!(woken.insert(row), "{row} wakes twice");
            });
        let mut is_elsewhere = BTreeSet::new();
        for (row, naive) in (0..).zip(&mut self.naive) {
            let [elsewhere, was_resting] = naive.find_moved(moved);
            assert_eq!(woken.contains(&row), was_resting, "row {row}");
            if elsewhere {
                is_elsewhere.insert(row);
            }
        }
        let now = (0..rows).map(|row| Naive {
            center: [self.columns.xs[row], self.columns.ys[row]],
            last: [self.columns.last_xs.get(row), self.columns.last_ys.get(row)],
            still: self.columns.still.get(row),
        });
        assert!(now.eq(self.naive.iter().copied()));
        self.index(!is_elsewhere.is_empty());
        let mut settled = 0;
        let mut count_settled = |_| settled += 1;
        self.stillness
            .tick(&mut self.columns, None, true, &mut count_settled);
        self.stillness.count(&self.columns, None, |_, _| true);
        for row in 0..rows {
            let still = self.columns.still.get(row);
            let before = std::mem::replace(&mut self.naive[row].still, still);
            settled -= i32::from(still == RESTING && before != RESTING);
        }
        assert_eq!(settled, 0, "each that comes to rest is told");
    }
}

impl World {
    /// Mends a list of those that rest by what has been noted, as an index would be, and compares.
    fn index(&mut self, have_moved: bool) {
        let changes = &mut self.stillness.changes;
        assert!(!have_moved || !changes.are_none());
        let still = self.columns.still.values().unwrap();
        let rests = |row: Row| still[row as usize] == RESTING;
        match changes.list(rests) {
            Some(noted) => {
                for change in noted {
                    let had = self.standing.remove(&change.row);
                    assert_eq!(had, change.from, "row {}", change.row);
                    if rests(change.row) {
                        let center = self.columns.center(change.row as usize);
                        self.standing.insert(change.row, center);
                    }
                }
                changes.mended(rests);
            }
            None => {
                let all = (0..self.naive.len() as Row).filter(|&row| rests(row));
                let all: Vec<Row> = all.collect();
                changes.built(&all, self.naive.len());
                let with_center = |row: Row| (row, self.columns.center(row as usize));
                self.standing = all.into_iter().map(with_center).collect();
            }
        }
        changes.restart(self.naive.len());
        let resting = (0..)
            .zip(&self.naive)
            .filter(|(_, naive)| naive.still == RESTING);
        let resting = resting.map(|(row, naive)| (row, naive.center));
        assert!(
            self.standing
                .iter()
                .map(|(row, center)| (*row, *center))
                .eq(resting)
        );
    }
}

#[test]
fn those_who_woke_are_sorted_among_those_awake() {
    for (rows, sorted) in [
        (vec![], vec![]),
        (vec![3], vec![3]),
        (vec![1, 5, 9], vec![1, 5, 9]),
        (vec![1, 5, 9, 7, 0, 20], vec![0, 1, 5, 7, 9, 20]),
        (vec![9, 1], vec![1, 9]),
        (vec![4, 6, 5], vec![4, 5, 6]),
    ] {
        let mut awake = rows.clone();
        sort_awake(&mut awake, &mut vec![1, 2, 3]);
        assert_eq!(awake, sorted, "{rows:?}");
    }
}

#[test]
fn who_has_moved_is_found_however_many_have() {
    // Whole blocks, and a part of one.
    for rows in [1, BLOCK, 5 * BLOCK + 13] {
        let mut world = World::of(rows);
        world.step(MOVED);
        for every in [
            100, 100, 2, 2, 3, 2, 1000, 1000, 1000, 1000, 1000, 2, 3, 20, 20, 50,
        ] {
            world.write(every);
            let moved = [MOVED, MOVED, MOVED, 0][world.next(4)];
            world.step(moved);
        }
    }
}

#[test]
fn while_all_move_only_some_are_looked_at() {
    let mut world = World::of(BLOCK);
    for step in 0..9 {
        // Whatever was known, this step and the next one take no turns, and the index is built anew in this one.
        if step == 4 {
            world.stillness.forget_history();
        }
        world.columns.xs.iter_mut().for_each(|x| *x += 1.0);
        world.stillness.note_all_written();
        world
            .stillness
            .find_moved(&mut world.columns, None, MOVED, &mut |_| {});
        assert_eq!(world.stillness.forgets_index(), step == 4, "step {step}");
        let skips_most = [1, 2, 3].contains(&step) || step >= 6;
        assert_eq!(world.stillness.turn.is_some(), skips_most, "step {step}");
        let columns = &mut world.columns;
        world.stillness.tick(columns, None, true, &mut |_| ());
    }
}

/// Disabled rows count on among others, and are never due: neither those that were told to rest, which are still told, nor others.
#[test]
fn disabled_rows_are_never_due() {
    const ROWS: usize = 3 * BLOCK + 5;
    let mut world = World::of(ROWS);
    let disabled: FixedBitSet = [1, 2, BLOCK, 2 * BLOCK + 3].into_iter().collect();
    world.columns.still.values_mut()[2] = TOLD;
    for step in 0..300_u32 {
        let columns = &mut world.columns;
        let mut settled = Vec::new();
        let (stillness, settles) = (&mut world.stillness, &mut |id: ProxyId| settled.push(id));
        stillness.tick(columns, Some(&disabled), true, settles);
        stillness.count(columns, Some(&disabled), |_, _| true);
        let still = |row: usize| columns.still.get(row);
        for row in [1, BLOCK, 2 * BLOCK + 3] {
            assert_eq!(u32::from(still(row)), (step + 1).min(u32::from(LONGEST)));
        }
        assert_eq!(still(2), TOLD);
        let others = [0, 3, BLOCK + 1, ROWS - 1].map(still);
        assert!(others.iter().all(|&other| other == others[0]));
        assert_eq!(
            others[0] == RESTING,
            step >= 4,
            "step {step}: {}",
            others[0]
        );
        let resting = if step >= 4 { ROWS - 4 } else { 0 };
        assert_eq!(stillness.resting, resting);
        assert_eq!(settled.len(), if step == 4 { resting } else { 0 });
    }
}
