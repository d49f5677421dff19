//! `Columns` against a simple model: one `Vec` of whole rows.

use proptest::prelude::*;
use throng_core::{Columns, MaskWords, OptionalColumn, Permutation, Serial, columns};

columns! {
    /// Columns of every kind.
    struct Rows {
        xs: Vec<f32>,
        names: Vec<String>,
        keys: OptionalColumn<u64>,
        masks: OptionalColumn<MaskWords>,
    }
}

/// One row of the model.
#[derive(Clone, Debug, Default, PartialEq)]
struct Row {
    x: f32,
    name: String,
    key: u64,
    masks: MaskWords,
}

#[derive(Clone, Debug)]
enum Operation {
    Push(usize),
    WriteX(usize, f32),
    WriteKey(usize, u64),
    WriteMasks(usize, u32),
    SwapRemove(usize),
    Truncate(usize),
    Reorder(u64),
    Forget,
}

fn operations() -> BoxedStrategy<Vec<Operation>> {
    let row = || any::<usize>();
    let operation = prop_oneof![
        4 => (0_usize..5).prop_map(Operation::Push),
        2 => (row(), -1.0_f32..1.0).prop_map(|(row, x)| Operation::WriteX(row, x)),
        2 => (row(), 0_u64..3).prop_map(|(row, key)| Operation::WriteKey(row, key)),
        1 => (row(), any::<u32>()).prop_map(|(row, bits)| Operation::WriteMasks(row, bits)),
        4 => row().prop_map(Operation::SwapRemove),
        1 => row().prop_map(Operation::Truncate),
        2 => any::<u64>().prop_map(Operation::Reorder),
        1 => Just(Operation::Forget),
    ];
    prop::collection::vec(operation, 0..100).boxed()
}

fn check(rows: &Rows, model: &[Row]) {
    rows.validate().unwrap();
    assert_eq!(rows.rows(), model.len());
    for (i, expected) in model.iter().enumerate() {
        let found = Row {
            x: rows.xs[i],
            name: rows.names[i].clone(),
            key: rows.keys.get(i),
            masks: rows.masks.get(i),
        };
        assert_eq!(&found, expected, "row {i}");
    }
    assert_eq!(rows.keys.values().is_some(), rows.keys.is_allocated());
}

proptest! {
    #[test]
    fn columns_match_a_vec_of_rows(operations in operations()) {
        let mut rows = Rows::default();
        let mut model = Vec::<Row>::new();
        for operation in operations {
            let pick = |row: usize| row % model.len().max(1);
            match operation {
                Operation::Push(count) => {
                    let first = rows.push_rows(count);
                    prop_assert_eq!(first, model.len());
                    for row in first..first + count {
                        rows.names[row] = format!("{row}");
                        model.push(Row { name: format!("{row}"), ..Row::default() });
                    }
                }
                Operation::Truncate(most) => {
                    let most = most % (model.len() + 2);
                    rows.truncate_rows(most);
                    model.truncate(most);
                }
                Operation::Reorder(seed) => {
                    let mut old_rows: Vec<u32> = (0..model.len() as u32).collect();
                    old_rows.sort_by_key(|&row| (u64::from(row) ^ seed).wrapping_mul(0x9e37_79b9_7f4a_7c15));
                    let order = Permutation::from_old_rows(old_rows).unwrap();
                    rows.reorder_rows(&order, &Serial);
                    order.apply_in_place(&mut model).unwrap();
                }
                Operation::Forget => {
                    rows.keys.forget();
                    model.iter_mut().for_each(|row| row.key = 0);
                }
                _ if model.is_empty() => {}
                Operation::WriteX(row, x) => {
                    let row = pick(row);
                    rows.xs[row] = x;
                    model[row].x = x;
                }
                Operation::WriteKey(row, key) => {
                    let row = pick(row);
                    rows.keys.set(row, key);
                    model[row].key = key;
                }
                Operation::WriteMasks(row, filter) => {
                    let row = pick(row);
                    let masks = MaskWords { filter, ..MaskWords::ALL };
                    rows.masks.set(row, masks);
                    model[row].masks = masks;
                }
                Operation::SwapRemove(row) => {
                    let row = pick(row);
                    let last = model.len() - 1;
                    let moved = rows.swap_remove_row(row);
                    prop_assert_eq!(moved, (row != last).then_some(last));
                    model.swap_remove(row);
                }
            }
            check(&rows, &model);
        }
    }
}

#[test]
fn a_row_that_is_not_there_changes_no_column() {
    let mut rows = Rows::default();
    rows.push_rows(3);
    let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        rows.swap_remove_row(3);
    }));
    assert!(outcome.is_err());
    assert_eq!(rows.rows(), 3);
    rows.validate().unwrap();
}

#[test]
fn the_validator_names_the_column_out_of_step() {
    let mut rows = Rows::default();
    rows.push_rows(3);
    rows.names.pop();
    let words = rows.validate().unwrap_err();
    assert_eq!(words, "column `names` has 2 rows instead of 3");
}

#[test]
fn memory_counts_what_is_allocated_and_reserving_prevents_growth() {
    let mut rows = Rows::default();
    assert_eq!(rows.memory_bytes(), 0);
    rows.try_reserve_rows(100).unwrap();
    let held = rows.memory_bytes();
    assert!(held >= 100 * (size_of::<f32>() + size_of::<String>()));
    rows.push_rows(100);
    assert_eq!(
        rows.memory_bytes(),
        held,
        "defaults of optional columns are free"
    );
    rows.keys.set(7, 1);
    assert!(rows.memory_bytes() >= held + 100 * size_of::<u64>());
    rows.clear_rows();
    assert_eq!(rows.rows(), 0);
}
