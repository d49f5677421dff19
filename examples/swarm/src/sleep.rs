//! Who moves and who sleeps, with `--awake`: a share of the bodies is awake, and slowly the others take turns.
//!
//! Who sleeps stands still, gives way to nobody, and is not written to the broadphase, in which it comes to rest after a few
//! steps. Those awake are gathered into columns of their own, moved there, and written from there by their rows, so that a
//! frame costs as much as there are awake. Who that is follows from a number drawn from each body's id and from the frame:
//! nothing has to be kept in step with rows that are added, removed or sorted.

use throng::{ProxyId, Row};

use crate::bodies::Bodies;

/// Steps after which who sleeps rests in the broadphase.
pub const RESTS_AFTER: u32 = 4;
/// How often some fall asleep and as many wake, in frames.
const FRAMES_OF_A_TURN: u64 = 16;
/// How many turns one is awake.
const TURNS_AWAKE: u64 = 20;
/// As a share: everybody.
const ALL: u64 = 1 << 32;

/// How many are awake.
#[derive(Clone, Copy, Debug)]
pub struct Share {
    /// Of [`ALL`].
    awake: u64,
    seed: u64,
}

impl Share {
    /// A share of 0 to 1; the seed decides who is the first to be awake.
    pub fn new(share: f64, seed: u64) -> Self {
        Self {
            awake: (share * ALL as f64) as u64,
            seed,
        }
    }

    /// The awake are an arc of a circle on which each body has a place. The arc moves on a little in each turn.
    fn is_awake(self, id: ProxyId, turn: u64) -> bool {
        let begin = turn.wrapping_mul(self.awake / TURNS_AWAKE);
        let from_begin = place_of(self.seed, id).wrapping_sub(begin) % ALL;
        from_begin < self.awake
    }
}

/// A body's place on the circle: any number, for each seed another one (splitmix64).
fn place_of(seed: u64, id: ProxyId) -> u64 {
    let mut bits = (seed ^ u64::from(id.index()) << 32).wrapping_add(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

/// Who of one kind is awake.
pub struct Sleep {
    share: Share,
    /// The rows of those awake, in order.
    pub rows: Vec<Row>,
    /// Those awake, in the order of `rows`.
    pub awake: Bodies,
    /// For each row, whether it sleeps.
    asleep: Vec<bool>,
    /// When they were chosen, unless rows have changed since.
    turn: Option<u64>,
}

impl Sleep {
    /// Of a kind that has nobody yet.
    pub fn new(share: Share, of: &Bodies) -> Self {
        Self {
            share,
            rows: Vec::new(),
            awake: Bodies::new(of.radii.empty()),
            asleep: Vec::new(),
            turn: None,
        }
    }

    /// Whether a row sleeps.
    #[inline(always)]
    pub fn is_asleep(&self, row: usize) -> bool {
        self.asleep[row]
    }

    /// To be called when rows were added, removed or sorted.
    pub fn rows_changed(&mut self) {
        self.turn = None;
    }

    /// Chooses who is awake in a frame, if there is anything new. Whoever sleeps then lies where the broadphase has it.
    pub fn choose(&mut self, bodies: &mut Bodies, [xs, ys]: [&[f32]; 2], frame: u64) {
        let turn = frame / FRAMES_OF_A_TURN;
        if self.turn.replace(turn) == Some(turn) {
            return;
        }
        self.rows.clear();
        self.asleep.clear();
        for row in 0..bodies.len() {
            let is_awake = self.share.is_awake(bodies.ids[row], turn);
            self.asleep.push(!is_awake);
            if is_awake {
                self.rows.push(row as Row);
            } else {
                bodies.lay_down(row, [xs[row], ys[row]]);
            }
        }
    }

    /// Copies those awake out of the columns of all.
    pub fn gather(&mut self, all: &Bodies) {
        self.awake.gather(all, &self.rows);
    }

    /// Copies them back when they have moved.
    pub fn scatter(&self, all: &mut Bodies) {
        all.scatter(&self.awake, &self.rows);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn awake(share: f64, turn: u64) -> Vec<u32> {
        let share = Share::new(share, 7);
        let is_awake = |index: &u32| share.is_awake(ProxyId::from_bits(u64::from(*index)), turn);
        (0..20_000).filter(is_awake).collect()
    }

    #[test]
    fn as_many_as_asked_for_are_awake_and_take_turns() {
        assert_eq!((awake(1.0, 9).len(), awake(0.0, 9).len()), (20_000, 0));
        let mut seen = std::collections::HashSet::new();
        for turn in 0..210 {
            let now = awake(0.1, turn);
            assert!((1_850..2_150).contains(&now.len()), "{}", now.len());
            let next = awake(0.1, turn + 1);
            let left = now.iter().filter(|who| next.binary_search(who).is_err());
            assert!((60..150).contains(&left.count()), "a twentieth of them");
            seen.extend(now);
        }
        assert!(seen.len() == 20_000, "everybody has a turn");
    }
}
