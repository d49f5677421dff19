//! `Pool` against a model: every handle ever given, with what it should find.

use proptest::prelude::*;
use throng_core::{Handle, Pool};

#[derive(Clone, Debug)]
enum Operation {
    Insert(u32),
    /// The n-th handle ever given out, stale ones included.
    Remove(usize),
    Write(usize, u32),
    Clear,
}

fn operations() -> BoxedStrategy<Vec<Operation>> {
    let operation = prop_oneof![
        8 => any::<u32>().prop_map(Operation::Insert),
        5 => any::<usize>().prop_map(Operation::Remove),
        2 => any::<(usize, u32)>().prop_map(|(nth, value)| Operation::Write(nth, value)),
        1 => Just(Operation::Clear),
    ];
    prop::collection::vec(operation, 0..200).boxed()
}

/// Every handle ever given out; `None` once its value is gone.
type Model = Vec<(Handle, Option<u32>)>;

fn check(pool: &Pool<u32>, model: &Model) {
    pool.validate().unwrap();
    for &(handle, value) in model {
        assert_eq!(pool.get(handle).copied(), value, "{handle}");
        assert_eq!(pool.contains(handle), value.is_some());
        if value.is_some() {
            assert_eq!(pool.handle_at(handle.index()), Some(handle));
            assert_eq!(pool.get_at(handle.index()).copied(), value);
        }
    }
    let mut expected: Vec<_> = model
        .iter()
        .filter_map(|&(handle, value)| Some((handle, value?)))
        .collect();
    expected.sort_unstable();
    let found: Vec<_> = pool
        .iter()
        .map(|(handle, &value)| (handle, value))
        .collect();
    assert_eq!(found, expected);
    assert_eq!(pool.len(), expected.len());
    assert_eq!(pool.is_empty(), expected.is_empty());
}

proptest! {
    #[test]
    fn pool_matches_the_model(operations in operations()) {
        let mut pool = Pool::new();
        let mut model = Model::new();
        for operation in operations {
            match operation {
                Operation::Insert(value) => {
                    let handle = pool.insert(value);
                    prop_assert!(model.iter().all(|&(old, _)| old != handle), "{handle} twice");
                    model.push((handle, Some(value)));
                }
                Operation::Remove(nth) if !model.is_empty() => {
                    let nth = nth % model.len();
                    let (handle, value) = &mut model[nth];
                    prop_assert_eq!(pool.remove(*handle), value.take());
                }
                Operation::Write(nth, value) if !model.is_empty() => {
                    let nth = nth % model.len();
                    let (handle, expected) = &mut model[nth];
                    if let Some(found) = pool.get_mut(*handle) {
                        *found = value;
                        *expected = Some(value);
                    }
                }
                Operation::Clear => {
                    pool.clear();
                    model.iter_mut().for_each(|(_, value)| *value = None);
                }
                Operation::Remove(_) | Operation::Write(..) => {}
            }
            check(&pool, &model);
        }
        let most = model.len();
        prop_assert!(pool.slots_len() as usize <= most);
    }
}

#[test]
fn slots_are_reused_last_in_first_out() {
    let mut pool = Pool::new();
    let handles: Vec<_> = (0..4).map(|value| pool.insert(value)).collect();
    pool.remove(handles[1]);
    pool.remove(handles[3]);
    assert_eq!(pool.insert(10).index(), 3);
    assert_eq!(pool.insert(11).index(), 1);
    assert_eq!(pool.insert(12).index(), 4);
}

#[test]
fn a_reserved_pool_does_not_grow() {
    let mut pool = Pool::new();
    pool.try_reserve(100).unwrap();
    let held = pool.memory_bytes();
    for value in 0..100 {
        pool.insert(value);
    }
    assert_eq!(pool.memory_bytes(), held);
}
