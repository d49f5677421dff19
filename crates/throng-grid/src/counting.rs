//! A counting sort of whatever has a number below a known one.

/// Sorts items by number into `sorted`, which has room for exactly them; those of one number keep their order. Each item comes
/// with its number, and there is one of `places` for each number; they are overwritten. O(items + numbers).
pub(crate) fn sort_by_number<T: Copy>(
    items: impl Iterator<Item = (u32, T)> + Clone,
    places: &mut [u32],
    sorted: &mut [T],
) {
    places.fill(0);
    for (number, _) in items.clone() {
        places[number as usize] += 1;
    }
    let mut begin = 0;
    for place in places.iter_mut() {
        begin += std::mem::replace(place, begin);
    }
    for (number, item) in items {
        let place = &mut places[number as usize];
        sorted[*place as usize] = item;
        *place += 1;
    }
}
