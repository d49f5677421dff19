//! Some bodies and walls of a large swarm, each compared with all others.

use rand::RngExt;
use rand_pcg::Pcg64Mcg;
use rayon::prelude::*;
use throng::Aabb;
use throng_scenes::BoxScene;

use crate::contacts::KindPair;

/// Agents chosen at random.
pub struct Sample {
    /// For each kind and row, whether it was chosen.
    chosen: Vec<Vec<bool>>,
    /// Kind and row of each that was chosen.
    rows: Vec<(u16, u32)>,
}

impl Sample {
    /// Chooses `size` times, from one kind after the other so that the few are not forgotten over the
    /// many; who comes up more than once counts once.
    pub fn choose(scenes: &[BoxScene], size: usize, random: &mut Pcg64Mcg) -> Self {
        let mut sample = Self {
            chosen: scenes
                .iter()
                .map(|scene| vec![false; scene.len()])
                .collect(),
            rows: Vec::new(),
        };
        let populated = (0..scenes.len()).filter(|kind| !scenes[*kind].is_empty());
        for kind in populated.cycle().take(size) {
            let row = random.random_range(0..scenes[kind].len());
            if !std::mem::replace(&mut sample.chosen[kind][row], true) {
                sample.rows.push((kind as u16, row as u32));
            }
        }
        sample
    }

    /// Whether an agent of the sample is on either side of a pair, or a row that does not exist.
    pub fn holds(&self, (kinds, rows): &KindPair) -> bool {
        (0..2).any(|side| {
            let chosen = self.chosen[kinds[side] as usize].get(rows[side] as usize);
            chosen.is_none_or(|chosen| *chosen)
        })
    }

    /// The pairs that have an agent of the sample on at least one side, each once, sorted.
    pub fn pairs(&self, scenes: &[BoxScene], meetings: &[[u16; 2]]) -> Vec<KindPair> {
        let boxes: Vec<Vec<Aabb>> = scenes.par_iter().map(boxes).collect();
        let of_agent = |&(kind, row): &(u16, u32)| {
            let mine = boxes[kind as usize][row as usize];
            let mut pairs = Vec::new();
            for meeting in meetings.iter().filter(|meeting| meeting.contains(&kind)) {
                let other = meeting[usize::from(meeting[0] == kind)];
                for (other_row, theirs) in (0_u32..).zip(&boxes[other as usize]) {
                    if mine.overlaps(theirs) && (other, other_row) != (kind, row) {
                        let is_first = (kind, row) < (other, other_row);
                        let rows = if is_first {
                            [row, other_row]
                        } else {
                            [other_row, row]
                        };
                        pairs.push((*meeting, rows));
                    }
                }
            }
            pairs
        };
        let mut pairs: Vec<KindPair> = self.rows.par_iter().flat_map_iter(of_agent).collect();
        pairs.par_sort_unstable();
        pairs.dedup();
        pairs
    }
}

fn boxes(scene: &BoxScene) -> Vec<Aabb> {
    let aabb = |row| scene.aabb(row).expect("all of them are boxes");
    (0..scene.len()).map(aabb).collect()
}
