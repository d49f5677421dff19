//! Who moves, frame by frame, and what stands in the way.

use std::{collections::HashMap, error::Error, path::Path};

use throng::Aabb;
use throng_scenes::{
    BoxScene, Replay, log_uniform_squares, lord_of_the_rings_with_walls, step_box_motion,
};

/// Frames that are kept; after the last comes the first.
const FRAMES: usize = 8;
/// Frames of a recording from one that is kept to the next: about a third of a second.
const RECORDED_STEP: u64 = 10;

/// A scene that moves.
pub struct Crowd {
    /// What it is called in the output.
    pub name: &'static str,
    /// Where each agent is in each frame, `None` if it is not there.
    frames: Vec<Vec<Option<Aabb>>>,
    /// What never moves.
    pub fixed: Vec<Aabb>,
}

impl Crowd {
    /// Where everybody is in a frame, by agent.
    pub fn frame(&self, frame: usize) -> &[Option<Aabb>] {
        &self.frames[frame % self.frames.len()]
    }

    /// How many agents there are, over all frames.
    pub fn agents(&self) -> usize {
        self.frames[0].len()
    }

    /// Everybody in the first frame.
    pub fn sample(&self) -> Vec<Aabb> {
        self.frames[0].iter().flatten().copied().collect()
    }

    /// Half extents, per axis, that hold everybody in every frame.
    pub fn largest(&self) -> [f32; 2] {
        let boxes = self.frames.iter().flatten().flatten();
        boxes.fold([0.0; 2], |most, aabb| {
            let half = aabb.half_extents();
            [0, 1].map(|axis| f32::max(most[axis], half[axis]))
        })
    }
}

/// Armies, faeries among them and dragons above, and walls.
pub fn lord_of_the_rings(agents: usize, seed: u64) -> Crowd {
    let scene = lord_of_the_rings_with_walls(agents, agents / 10, seed);
    let fixed = boxes(&scene.walls).collect();
    let parts = [
        BoxScene::from(&scene.units),
        BoxScene::from(&scene.faeries),
        scene.dragons,
    ];
    let moving = BoxScene::new("all that move", parts.iter().flat_map(boxes));
    Crowd {
        name: "Lord of the Rings",
        frames: walking(moving, 0.1),
        fixed,
    }
}

/// Squares of every size from 1 to 32.
pub fn log_uniform(agents: usize, seed: u64) -> Crowd {
    Crowd {
        name: "every size from 1 to 32",
        frames: walking(log_uniform_squares(agents, [0.5, 16.0], 1.0, seed), 0.1),
        fixed: Vec::new(),
    }
}

/// A crowd filmed from above, repeated side by side until there are enough; `None` if there is no such file.
pub fn recorded(path: &Path, agents: usize) -> Result<Option<Crowd>, Box<dyn Error>> {
    if !path.exists() {
        return Ok(None);
    }
    let crowd = Replay::read(path)?.tiled(agents);
    let mut numbers = HashMap::new();
    let mut frames = Vec::new();
    for frame in 0..FRAMES as u64 {
        let seen = crowd.at_frame(frame * RECORDED_STEP);
        let mut places = vec![None; numbers.len()];
        for (name, aabb) in seen.agents.iter().zip(boxes(&seen.boxes)) {
            let next = numbers.len();
            let number = *numbers.entry(*name).or_insert(next);
            places.resize(places.len().max(number + 1), None);
            places[number] = Some(aabb);
        }
        frames.push(places);
    }
    for places in &mut frames {
        places.resize(numbers.len(), None);
    }
    Ok(Some(Crowd {
        name: "a recorded crowd",
        frames,
        fixed: Vec::new(),
    }))
}

fn walking(mut scene: BoxScene, speed: f32) -> Vec<Vec<Option<Aabb>>> {
    let frames = (0..FRAMES as u64).map(|frame| {
        step_box_motion(&mut scene, speed, frame);
        boxes(&scene).map(Some).collect()
    });
    frames.collect()
}

/// A scene's boxes, with sides at whole multiples of 1/256: then nothing is rounded, whatever a category stores of a box,
/// and two configs find the very same pairs.
fn boxes(scene: &BoxScene) -> impl Iterator<Item = Aabb> {
    let snapped = |corner: [f32; 2]| corner.map(|side| (side * 256.0).round() / 256.0);
    let boxes = (0..scene.len()).filter_map(|row| scene.aabb(row));
    boxes.filter_map(move |aabb| Aabb::new(snapped(aabb.min()), snapped(aabb.max())).ok())
}
