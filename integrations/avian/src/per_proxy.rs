//! Something for each proxy of avian's collider trees.

use avian2d::collider_tree::{ColliderTreeProxyKey, ColliderTreeType, ProxyId};

/// A `T` for each proxy, by its tree and its number there, which avian hands out again when a collider is gone. What was never
/// written is `T::default()`.
#[derive(Debug, Default)]
pub(crate) struct PerProxy<T> {
    trees: [Vec<T>; ColliderTreeType::ALL.len()],
}

impl<T: Default> PerProxy<T> {
    /// `None` if nobody with so high a number was ever written.
    #[inline]
    pub(crate) fn get(&self, key: ColliderTreeProxyKey) -> Option<&T> {
        self.trees[key.tree_type() as usize].get(key.id().index())
    }

    pub(crate) fn get_mut(&mut self, key: ColliderTreeProxyKey) -> &mut T {
        let tree = &mut self.trees[key.tree_type() as usize];
        let index = key.id().index();
        if tree.len() <= index {
            tree.resize_with(index + 1, T::default);
        }
        &mut tree[index]
    }

    /// All of one tree, by number.
    pub(crate) fn of_tree(&self, tree: ColliderTreeType) -> &[T] {
        &self.trees[tree as usize]
    }
}

/// A proxy's key in avian, as its key in throng.
pub(crate) fn to_bits(key: ColliderTreeProxyKey) -> u64 {
    u64::from(key.id().id()) << 2 | key.tree_type() as u64
}

/// The other way round.
pub(crate) fn from_bits(bits: u64) -> ColliderTreeProxyKey {
    let tree = ColliderTreeType::ALL[(bits & 0b11) as usize];
    ColliderTreeProxyKey::new(ProxyId::new((bits >> 2) as u32), tree)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(id: u32, tree: ColliderTreeType) -> ColliderTreeProxyKey {
        ColliderTreeProxyKey::new(ProxyId::new(id), tree)
    }

    #[test]
    fn keys_come_back_from_bits() {
        for tree in ColliderTreeType::ALL {
            for id in [0, 1, 77, (1 << 30) - 2] {
                assert_eq!(from_bits(to_bits(key(id, tree))), key(id, tree));
            }
        }
    }

    #[test]
    fn trees_do_not_share_numbers() {
        let mut all = PerProxy::<u32>::default();
        for (value, tree) in (1..).zip(ColliderTreeType::ALL) {
            *all.get_mut(key(3, tree)) = value;
        }
        let read = ColliderTreeType::ALL.map(|tree| all.get(key(3, tree)).copied());
        assert_eq!(read, [Some(1), Some(2), Some(3), Some(4)]);
        assert_eq!(all.of_tree(ColliderTreeType::Static), [0, 0, 0, 3]);
        assert_eq!(all.get(key(4, ColliderTreeType::Static)), None);
    }
}
