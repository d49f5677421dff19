//! Linked nodes in one array with a free list.

use educe::Educe;

/// No node, no cell, no slot.
pub(super) const NONE: u32 = u32::MAX;

/// An element of a chain. A chain is named by its first node.
pub(super) trait Node: Copy {
    const EMPTY: Self;
    fn next(&self) -> u32;
    fn set_next(&mut self, next: u32);
}

/// An array of nodes. Some are in chains, and the free ones are in a chain of their own.
///
/// ```text
/// nodes │ A0 │ B0 │ ·· │ A1 │ ·· │        A0 → A1      B0      free → ·· → ··
/// ```
#[derive(Debug, Educe)]
#[educe(Clone)]
pub(super) struct Pool<N> {
    nodes: Vec<N>,
    free: u32,
    used: usize,
    /// How many nodes were taken since they were last in order.
    taken: usize,
    /// The most nodes that there have been since it was empty. Counted, as the capacity of an array is not the same in a copy.
    most: usize,
}

impl<N> Default for Pool<N> {
    fn default() -> Self {
        Self {
            nodes: Vec::new(),
            free: NONE,
            used: 0,
            taken: 0,
            most: 0,
        }
    }
}

impl<N: Node> Pool<N> {
    /// An empty node that begins a chain and is followed by `next`.
    pub fn take(&mut self, next: u32) -> u32 {
        self.used += 1;
        self.taken += 1;
        let mut node = N::EMPTY;
        node.set_next(next);
        if self.free == NONE {
            self.nodes.push(node);
            self.most = self.most.max(self.nodes.len());
            return (self.nodes.len() - 1) as u32;
        }
        let at = self.free;
        self.free = self.nodes[at as usize].next();
        self.nodes[at as usize] = node;
        at
    }

    /// Frees the first node of a chain. Returns the next one.
    pub fn give_back(&mut self, at: u32) -> u32 {
        self.used -= 1;
        let next = self.nodes[at as usize].next();
        self.nodes[at as usize].set_next(self.free);
        self.free = at;
        next
    }

    #[inline(always)]
    pub fn get(&self, at: u32) -> &N {
        &self.nodes[at as usize]
    }

    #[inline(always)]
    pub fn get_mut(&mut self, at: u32) -> &mut N {
        &mut self.nodes[at as usize]
    }

    /// The nodes of a chain.
    #[inline(always)]
    pub fn chain(&self, head: u32) -> impl Iterator<Item = &N> {
        let mut at = head;
        std::iter::from_fn(move || {
            let node = self.nodes.get(at as usize)?;
            at = node.next();
            Some(node)
        })
    }

    /// All nodes, in memory order, free ones included.
    pub fn nodes(&self) -> &[N] {
        &self.nodes
    }

    pub fn nodes_mut(&mut self) -> &mut [N] {
        &mut self.nodes
    }

    /// How many nodes are in chains.
    pub fn used(&self) -> usize {
        self.used
    }

    /// How many nodes there are, including free ones.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The most nodes that there have been since it was empty: at least for so many there is memory.
    pub fn most(&self) -> usize {
        self.most
    }

    pub fn bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<N>()
    }

    pub fn clear(&mut self) {
        self.nodes.clear();
        self.free = NONE;
        (self.used, self.taken, self.most) = (0, 0, 0);
    }

    /// Whether many chains are no longer in memory as [`put_in_order`](Self::put_in_order) left them.
    pub fn is_scattered(&self) -> bool {
        2 * self.taken > self.used
    }

    /// Moves the nodes of all chains together, chain by chain in the order of `heads`, and drops the free ones. `heads`
    /// are updated. O(nodes). `moved_to` is scratch.
    pub fn put_in_order(&mut self, heads: &mut [u32], moved_to: &mut Vec<u32>) {
        moved_to.clear();
        moved_to.resize(self.nodes.len(), NONE);
        let mut end = 0;
        for head in heads {
            let mut at = *head;
            *head = end;
            while at != NONE {
                moved_to[at as usize] = end;
                end += 1;
                at = self.nodes[at as usize].next();
            }
        }
        for (at, node) in self.nodes.iter_mut().enumerate() {
            if moved_to[at] == NONE {
                moved_to[at] = end;
                end += 1;
            } else if node.next() != NONE {
                node.set_next(moved_to[node.next() as usize]);
            }
        }
        // Each swap puts one node in its final place.
        for at in 0..self.nodes.len() {
            while moved_to[at] as usize != at {
                let target = moved_to[at] as usize;
                self.nodes.swap(at, target);
                moved_to.swap(at, target);
            }
        }
        self.nodes.truncate(self.used);
        self.free = NONE;
        self.taken = 0;
    }

    /// How many nodes are in the free chain, by counting.
    pub fn count_free(&self) -> usize {
        self.chain(self.free).count()
    }
}

#[cfg(test)]
mod tests {
    use super::{NONE, Node, Pool};

    #[derive(Clone, Copy)]
    struct Link(u32);

    impl Node for Link {
        const EMPTY: Self = Self(NONE);
        fn next(&self) -> u32 {
            self.0
        }
        fn set_next(&mut self, next: u32) {
            self.0 = next;
        }
    }

    #[test]
    fn a_copy_has_had_as_many_nodes() {
        let of = |nodes: usize| {
            let mut pool = Pool::<Link>::default();
            let chain = (0..nodes).fold(NONE, |chain, _| pool.take(chain));
            (1..nodes).fold(chain, |chain, _| pool.give_back(chain));
            pool
        };
        let pool = of(100);
        assert_eq!((pool.used(), pool.most()), (1, 100));
        let mut other = of(1000);
        other.clone_from(&pool);
        for copy in [&mut pool.clone(), &mut other] {
            assert_eq!((copy.used(), copy.most()), (1, 100));
            copy.clear();
            assert_eq!(copy.most(), 0);
        }
    }
}
