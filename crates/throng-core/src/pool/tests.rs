//! Edge cases of the pool that random operations do not reach.

use super::{Handle, HandleRun, Handles, Pool, PoolFull, RETIRED, State};

#[test]
fn a_removed_value_is_never_found_again() {
    let mut pool = Pool::new();
    let first = pool.insert("first");
    assert_eq!(pool.remove(first), Some("first"));
    let second = pool.insert("second");
    assert_eq!(second.index(), first.index(), "the slot is used again");
    assert_ne!(second, first);
    assert_eq!(pool.get(first), None);
    assert_eq!(pool.remove(first), None);
    assert_eq!(pool.get(second), Some(&"second"));
    assert_eq!(pool.get(Handle::default()), None);
    pool.validate().unwrap();
}

#[test]
fn a_slot_retires_rather_than_wrap() {
    let mut pool = Pool::new();
    let young = pool.insert(1);
    pool.slots[0].generation = RETIRED - 1;
    let last = pool.handle_at(0).unwrap();
    assert_eq!(pool.remove(last), Some(1));
    pool.validate().unwrap();
    assert_eq!(pool.insert(2).index(), 1);
    assert!(!pool.contains(young) && !pool.contains(last));
    assert_eq!(pool.get_at(0), None);

    pool.clear();
    pool.validate().unwrap();
    assert_eq!(pool.insert(3).index(), 1, "clearing brings nothing back");
}

#[test]
fn a_handle_of_a_pool_with_another_tag_is_stale() {
    let mut pools = [0, 1, Handle::MAX_TAG].map(|tag| Pool::new().with_tag(tag));
    let handles = pools.each_mut().map(|pool| pool.insert(7));
    for (i, pool) in pools.iter().enumerate() {
        for (k, &handle) in handles.iter().enumerate() {
            assert_eq!(handle.tag(), pools[k].tag());
            assert_eq!(pool.get(handle), (i == k).then_some(&7));
        }
        pool.validate().unwrap();
    }
    let [_, pool, _] = &mut pools;
    pool.slots[0].generation += 1 << Handle::GENERATION_BITS;
    assert!(pool.validate().is_err(), "another tag than the pool's");
}

#[test]
fn a_tagged_slot_retires_with_its_tag() {
    let mut pool = Pool::new().with_tag(5);
    pool.insert('a');
    pool.slots[0].generation = 5 << Handle::GENERATION_BITS | (RETIRED - 1);
    let last = pool.handle_at(0).unwrap();
    assert_eq!(pool.remove(last), Some('a'));
    pool.validate().unwrap();
    assert_eq!(pool.insert('b').index(), 1, "the first slot is used up");
    assert_eq!(pool.slots[0].generation >> Handle::GENERATION_BITS, 5);
}

#[test]
fn more_room_than_there_can_be_is_an_error() {
    let mut pool = Pool::<[u64; 2]>::new();
    assert!(pool.try_reserve(usize::MAX / 2).is_err());
    assert_eq!(pool.try_reserve(100), Ok(()));
    assert!(pool.memory_bytes() >= 1600);
}

#[test]
fn a_full_pool_says_so_and_stays_as_it_was() {
    let mut pool = Pool::with_max_slots(2);
    let handles = [pool.insert('a'), pool.insert('b')];
    assert_eq!(
        pool.try_insert('c'),
        Err(PoolFull {
            wanted: 1,
            slots: 2,
            left: 0
        })
    );
    assert_eq!(pool.len(), 2);
    pool.validate().unwrap();
    pool.remove(handles[0]);
    assert!(pool.try_insert('c').is_ok());
}

#[test]
fn clearing_leaves_no_handle_valid_and_starts_from_slot_0() {
    let mut pool = Pool::new();
    let old: Vec<_> = (0..5).map(|value| pool.insert(value)).collect();
    pool.remove(old[2]);
    pool.clear();
    pool.validate().unwrap();
    assert!(pool.is_empty() && old.iter().all(|&handle| !pool.contains(handle)));
    let new: Vec<_> = (0..5).map(|value| pool.insert(value).index()).collect();
    assert_eq!(new, [0, 1, 2, 3, 4]);
}

#[test]
fn a_value_with_a_spare_bit_pattern_costs_no_tag() {
    #[derive(Clone, Copy)]
    struct Spot {
        _row: u32,
        _category: std::num::NonZeroU16,
    }
    assert_eq!(size_of::<super::Slot<Spot>>(), 4 + size_of::<Spot>());
}

#[test]
fn the_validator_finds_what_is_wrong() {
    let sound = || {
        let mut pool = Pool::new();
        let handles = [pool.insert(0), pool.insert(1), pool.insert(2)];
        pool.remove(handles[0]);
        pool.remove(handles[1]);
        pool
    };
    sound().validate().unwrap();

    let breaks: [fn(&mut Pool<i32>); 5] = [
        |pool| pool.len = 2,
        |pool| pool.first_vacant = 0,
        |pool| pool.slots[0].state = State::Vacant { next: 1 },
        |pool| pool.slots[2].generation = 0,
        |pool| pool.slots[2].generation = RETIRED,
    ];
    for (i, make_wrong) in breaks.into_iter().enumerate() {
        let mut pool = sound();
        make_wrong(&mut pool);
        assert!(pool.validate().is_err(), "break {i} goes unnoticed");
    }
}

fn listed(handles: &Handles) -> Vec<Handle> {
    let mut list = vec![Handle::default(); handles.len()];
    handles.write(&mut list);
    assert!(handles.iter().eq(list.iter().copied()));
    assert!(handles.iter().rev().eq(list.iter().rev().copied()));
    list
}

#[test]
fn many_come_together() {
    let mut pool = Pool::new().with_tag(9);
    let first = pool.insert('a');
    let insert_all = |pool: &mut Pool<char>, values: &str| {
        let values: Vec<char> = values.chars().collect();
        let handles = pool.try_insert_all(values.iter().copied()).unwrap();
        let list = listed(&handles);
        let found: Vec<char> = list.iter().map(|&h| *pool.get(h).unwrap()).collect();
        assert_eq!(found, values);
        pool.validate().unwrap();
        (handles, list)
    };
    let runs = |handles: &Handles| handles.memory_bytes().div_ceil(size_of::<HandleRun>());
    let (handles, come) = insert_all(&mut pool, "bcd");
    assert!((handles.len(), runs(&handles)) == (3, 1) && !handles.is_empty());

    // Vacant slots are used first.
    pool.remove(first).unwrap();
    pool.remove(come[1]).unwrap();
    let (handles, come) = insert_all(&mut pool, "efg");
    assert_eq!(come.iter().map(|h| h.index).collect::<Vec<_>>(), [2, 0, 4]);
    assert_eq!((pool.len(), pool.slots_len()), (5, 5));
    assert!(!handles.is_empty());
    let (none, _) = insert_all(&mut pool, "");
    assert!(none.is_empty() && runs(&none) == 0);

    // Slots that follow each other, but whose generations are not the same.
    let [b, e, f] = [1, 2, 0].map(|index| pool.handle_at(index).unwrap());
    assert_eq!(e.generation, f.generation);
    for gone in [e, b, f] {
        pool.remove(gone).unwrap();
    }
    let (handles, come) = insert_all(&mut pool, "xyz");
    assert_eq!(come.iter().map(|h| h.index).collect::<Vec<_>>(), [0, 1, 2]);
    assert_ne!(come[0].generation, come[1].generation);
    assert_eq!(handles.len(), 3);
}

/// What comes in place of as many that went, the last first, has handles in a row, with new slots for those that are more.
#[test]
fn a_run_that_went_leaves_room_for_a_run() {
    let mut pool = Pool::new();
    pool.insert(0);
    let there = pool.try_insert_all(0..100).unwrap();
    pool.insert(0);
    for handle in there.iter().rev() {
        pool.remove(handle).unwrap();
    }
    let again = pool.try_insert_all(0..100).unwrap();
    assert_eq!(again, Handles::from(run_of(1, 2, 100)));
    for handle in again.iter().rev() {
        pool.remove(handle).unwrap();
    }
    let more = pool.try_insert_all(0..103).unwrap();
    let mut expected = Handles::from(run_of(1, 3, 100));
    run_of(102, 1, 3)
        .iter()
        .for_each(|handle| expected.push(handle));
    assert_eq!(more, expected);
    pool.validate().unwrap();
}

fn run_of(index: u32, generation: u32, len: u32) -> HandleRun {
    let first = Handle { index, generation };
    HandleRun { first, len }
}

#[test]
fn all_come_or_none() {
    for vacant in [0, 1, 2] {
        let mut pool = Pool::with_max_slots(5);
        let handles = listed(&pool.try_insert_all(0..2).unwrap());
        for &handle in &handles[..vacant] {
            pool.remove(handle).unwrap();
        }
        let wanted = 4 + vacant;
        let full = pool.try_insert_all(10..10 + wanted as i32).unwrap_err();
        let left = 3 + vacant as u32;
        assert_eq!(
            full,
            PoolFull {
                wanted,
                slots: 5,
                left
            }
        );
        assert_eq!(pool.len(), 2 - vacant);
        assert!(
            handles[vacant..]
                .iter()
                .all(|&handle| pool.contains(handle))
        );
        pool.validate().unwrap();
        let rest = listed(&pool.try_insert_all(20..20 + 3 + vacant as i32).unwrap());
        assert!(rest.iter().all(|&handle| pool.contains(handle)));
        assert_eq!(pool.len(), 5);
        pool.validate().unwrap();
    }
}

/// What an iterator that panics has brought is in the pool like all else.
#[test]
fn values_that_came_before_a_panic_are_counted() {
    for vacant in [false, true] {
        let mut pool = Pool::new();
        if vacant {
            let gone = pool.insert(0);
            pool.remove(gone).unwrap();
        }
        let values = (0..5).map(|k| if k == 3 { panic!("meant to panic") } else { k });
        let insert = std::panic::AssertUnwindSafe(|| pool.try_insert_all(values));
        assert!(std::panic::catch_unwind(insert).is_err());
        assert_eq!((pool.len(), pool.validate()), (3, Ok(())));
    }
}

/// Slots are used again in the order in which they would have been.
#[test]
fn all_who_went_again_leave_slots_in_their_order() {
    let mut pool = Pool::with_max_slots(4);
    let four = pool.try_insert_all(0..4).unwrap();
    four.iter()
        .rev()
        .for_each(|handle| assert!(pool.remove(handle).is_some()));
    assert!(pool.try_insert_all(0..5).is_err());
    let again = listed(&pool.try_insert_all(0..4).unwrap());
    assert!(again.iter().map(|handle| handle.index).eq(0..4));
}
