//! Nodes in chains, out of one array with a free list.

/// No node, no cell, no slot.
pub(super) const NONE: u32 = u32::MAX;

/// Something that is kept in chains: its first member is the chain's name.
pub(super) trait Node: Copy {
    const EMPTY: Self;
    fn next(&self) -> u32;
    fn set_next(&mut self, next: u32);
}

/// An array of nodes, of which some are in chains and the others in one chain of free ones.
///
/// ```text
/// nodes │ A0 │ B0 │ ·· │ A1 │ ·· │        A0 → A1      B0      free → ·· → ··
/// ```
#[derive(Clone, Debug)]
pub(super) struct Pool<N> {
    nodes: Vec<N>,
    free: u32,
    used: usize,
    /// Nodes taken since they were last in order.
    taken: usize,
}

impl<N> Default for Pool<N> {
    fn default() -> Self {
        Self {
            nodes: Vec::new(),
            free: NONE,
            used: 0,
            taken: 0,
        }
    }
}

impl<N: Node> Pool<N> {
    /// An empty node, which begins a chain that goes on with `next`.
    pub fn take(&mut self, next: u32) -> u32 {
        self.used += 1;
        self.taken += 1;
        let mut node = N::EMPTY;
        node.set_next(next);
        if self.free == NONE {
            self.nodes.push(node);
            return (self.nodes.len() - 1) as u32;
        }
        let at = self.free;
        self.free = self.nodes[at as usize].next();
        self.nodes[at as usize] = node;
        at
    }

    /// Gives back the first node of a chain. Returns where the chain goes on.
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

    /// Nodes in chains.
    pub fn used(&self) -> usize {
        self.used
    }

    /// Nodes in chains, and free ones.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Nodes there is memory for already, once pushed or not.
    pub fn capacity(&self) -> usize {
        self.nodes.capacity()
    }

    pub fn bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<N>()
    }

    pub fn clear(&mut self) {
        self.nodes.clear();
        self.free = NONE;
        self.used = 0;
        self.taken = 0;
    }

    /// Whether many chains no longer lie in memory as [`put_in_order`](Self::put_in_order) left them.
    pub fn is_scattered(&self) -> bool {
        2 * self.taken > self.used
    }

    /// Moves the nodes of all chains together, chain after chain in the order of their heads, and drops the
    /// free ones. Each head becomes what its chain begins with from now on. O(nodes). `places` is scratch.
    pub fn put_in_order(&mut self, heads: &mut [u32], places: &mut Vec<u32>) {
        places.clear();
        places.resize(self.nodes.len(), NONE);
        let mut end = 0;
        for head in heads {
            let mut at = *head;
            *head = end;
            while at != NONE {
                places[at as usize] = end;
                end += 1;
                at = self.nodes[at as usize].next();
            }
        }
        for (at, node) in self.nodes.iter_mut().enumerate() {
            if places[at] == NONE {
                places[at] = end;
                end += 1;
            } else if node.next() != NONE {
                node.set_next(places[node.next() as usize]);
            }
        }
        // Each swap brings a node to its place.
        for at in 0..self.nodes.len() {
            while places[at] as usize != at {
                let place = places[at] as usize;
                self.nodes.swap(at, place);
                places.swap(at, place);
            }
        }
        self.nodes.truncate(self.used);
        self.free = NONE;
        self.taken = 0;
    }

    /// How many nodes are in the free chain, counted.
    pub fn count_free(&self) -> usize {
        self.chain(self.free).count()
    }
}
