//! The partition against the simplest one possible.

use super::*;
use crate::executor::Executor;

const ABSENT: u32 = u32::MAX;
const UNSOUND: u32 = u32::MAX - 1;
const WORDS: usize = 2;
const BUCKETS: usize = 5;

/// Runs tasks last to first, and claims to have this many threads.
struct Threads(usize);

impl Executor for Threads {
    fn threads(&self) -> usize {
        self.0
    }
    fn run(&self, tasks: usize, task: &(dyn Fn(usize) + Sync)) {
        (0..tasks).rev().for_each(task);
    }
}

/// A row goes to the bucket of its key, and one with an odd key to the next bucket too.
#[derive(Clone, Copy)]
struct ByKey<'a>(&'a [u32]);

fn buckets_of(key: u32) -> impl Iterator<Item = u32> {
    (0..=key % 2).map(move |next| (key + next) % BUCKETS as u32)
}

/// How many rows were placed in groups, and how many row by row.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Placed([usize; 2]);

impl Placement<WORDS> for ByKey<'_> {
    type Notes = Placed;

    const ROOM_FOR_NONE: u32 = 1;

    fn is_present(&self, row: usize) -> bool {
        self.0[row] != ABSENT
    }

    fn is_sound(&self, row: usize) -> bool {
        self.0[row] != UNSOUND
    }

    fn append_group(&self, first: u32, to: &mut Appender<'_, WORDS>, placed: &mut Placed) -> bool {
        assert!(first.is_multiple_of(GROUP as u32));
        let keys = group_at(self.0, first);
        let plain = keys.iter().all(|&key| key < UNSOUND);
        for (row, &key) in (first..).zip(keys).filter(|_| plain) {
            for bucket in buckets_of(key) {
                to.ask_for(bucket);
                to.append(bucket, [key, row]);
            }
            placed.0[0] += 1;
        }
        plain
    }

    fn append_row(&self, row: u32, to: &mut Appender<'_, WORDS>, placed: &mut Placed) {
        let key = self.0[row as usize];
        buckets_of(key).for_each(|bucket| to.append(bucket, [key, row]));
        placed.0[1] += 1;
    }
}

fn fill(partition: &mut Partition<Placed>, keys: &[u32], threads: usize) -> bool {
    let (placement, executor) = (ByKey(keys), Threads(threads));
    partition.fill(placement, keys.len(), BUCKETS, &executor, |pass, part| {
        pass.run::<WORDS>(part)
    })
}

/// Every bucket's records, run by run.
fn records(partition: &mut Partition<Placed>) -> Vec<Vec<[u32; WORDS]>> {
    let (filled, words) = partition.filled_mut();
    let (records, _) = words.as_chunks::<WORDS>();
    let bucket = |bucket: usize| {
        let runs = filled.runs_of(bucket, 0);
        assert!(runs[filled.parts()..].iter().all(|run| run.is_empty()));
        let found: Vec<_> = runs.into_iter().flat_map(|run| &records[run]).collect();
        assert_eq!(found.len(), filled.count(bucket) as usize);
        let room = filled.starts()[bucket]..filled.starts()[bucket + 1];
        assert!(found.len() <= room.len());
        found.into_iter().copied().collect()
    };
    (0..BUCKETS).map(bucket).collect()
}

fn check(partition: &mut Partition<Placed>, keys: &[u32]) {
    let mut expected = vec![Vec::new(); BUCKETS];
    let mut rejected = Vec::new();
    for (row, &key) in (0..).zip(keys) {
        match key {
            ABSENT => {}
            UNSOUND => rejected.push(row),
            _ => buckets_of(key).for_each(|bucket| expected[bucket as usize].push([key, row])),
        }
    }
    assert!(records(partition) == expected);
    assert_eq!(partition.rejected(), rejected);
    let held = keys.iter().filter(|&&key| key < UNSOUND).count();
    assert_eq!(partition.rows(), held);
    let noted: usize = partition.notes().flat_map(|placed| placed.0).sum();
    assert_eq!(noted, held);
}

/// Keys of rows, some of them disabled or unsound, in clusters, so that there are groups of every kind.
fn keys(rows: u32, spread: u32) -> Vec<u32> {
    let key = |row: u32| match row.wrapping_mul(2_654_435_761) >> 16 {
        some if row % 1000 < 100 && some % 50 == 0 => ABSENT,
        some if row % 1000 < 200 && some % 50 == 1 => UNSOUND,
        some => some % spread,
    };
    (0..rows).map(key).collect()
}

#[test]
fn buckets_hold_their_rows_in_order_however_many_parts_there_are() {
    for rows in [0, 1, 31, 32, 33, 64, 100, 20_000, 60_001, 300_000] {
        let keys = keys(rows, 1000);
        for threads in [1, 2, 3, 16, usize::MAX] {
            let mut partition = Partition::default();
            fill(&mut partition, &keys, threads);
            check(&mut partition, &keys);
            assert!(!fill(&mut partition, &keys, threads), "counts are known");
            check(&mut partition, &keys);
        }
    }
}

#[test]
fn groups_are_placed_together_and_the_others_row_by_row() {
    let mut partition = Partition::default();
    let mut keys = vec![0; 3 * GROUP + 5];
    keys[GROUP + 7] = UNSOUND;
    fill(&mut partition, &keys, 1);
    let placed: Vec<_> = partition.notes().copied().collect();
    assert_eq!(placed, [Placed([2 * GROUP, GROUP - 1 + 5])]);
}

#[test]
fn what_grows_or_shrinks_is_counted_anew_and_its_memory_follows() {
    let mut partition = Partition::default();
    assert!(
        fill(&mut partition, &keys(50_000, 1000), 2),
        "nothing is known"
    );
    let held = partition.record_bytes();
    for (rows, spread) in [
        (50_000, 1),
        (50_000, 1000),
        (70_000, 7),
        (10, 3),
        (50_000, 1000),
    ] {
        let keys = keys(rows, spread);
        fill(&mut partition, &keys, 2);
        check(&mut partition, &keys);
    }
    assert!(partition.record_bytes() < 2 * held);
    // After the first time, the room follows what was counted the time before.
    for _ in 0..2 {
        fill(&mut partition, &keys(10, 3), 2);
    }
    assert!(partition.record_bytes() < held / 10);
    partition.forget_counts();
    assert!(
        fill(&mut partition, &keys(50_000, 1000), 2),
        "all is forgotten"
    );
    check(&mut partition, &keys(50_000, 1000));
}

#[test]
fn records_too_many_for_a_room_are_noticed_whichever_it_is() {
    // Key 0 goes to the first bucket, and key 1 to the next two, which have no more room between them.
    for more in 0..80 {
        let mut partition = Partition::default();
        for rows in [200, 200 + more] {
            let keys: Vec<u32> = (0..rows).map(|_| 0).chain([1; 40]).collect();
            fill(&mut partition, &keys, 1);
            check(&mut partition, &keys);
        }
    }
}

#[test]
fn shares_are_every_bucket_once_and_about_even() {
    let rooms = |buckets: usize| (0..buckets).map(|bucket| (bucket * 7919 % 300) as u32);
    for buckets in [0, 1, 2, 100, 3000] {
        let mut starts = vec![0];
        starts.extend(rooms(buckets).scan(0, |end, room| {
            *end += room;
            Some(*end)
        }));
        let records = starts[buckets] as usize;
        let shares: Vec<_> = even_shares(&starts).collect();
        assert!(shares.len() == (records / 2048 + 1).min(64));
        assert!(shares.iter().cloned().flatten().eq(0..buckets));
        let most = records / shares.len() + 300;
        for share in shares {
            assert!((starts[share.end] - starts[share.start]) as usize <= most);
        }
    }
}

#[test]
fn memory_fits_and_is_kept_while_it_does() {
    let mut words = Vec::new();
    fit_words(&mut words, 1000);
    assert!((1000..1100).contains(&words.len()));
    let len = words.len();
    words[0] = 7;
    for needed in [len, 1000, len / 4] {
        fit_words(&mut words, needed);
        assert_eq!((words.len(), words[0]), (len, 7), "for {needed}");
    }
    fit_words(&mut words, len + 1);
    assert!(words.len() > len && words[0] == 0);
    fit_words(&mut words, 10);
    assert!((10..20).contains(&words.len()), "{}", words.len());
}
