//! Scenery for agents to run into: houses, boulders and long thin walls.

use crate::box_scene::BoxScene;
use crate::random::Random;
use crate::scene::Scene;

/// A crowd that moves and walls that do not, in one square.
#[derive(Clone, PartialEq, Debug)]
pub struct WallsAndAgents {
    /// Half extents from 0.6 to 1; the bound is 1.
    pub agents: Scene,
    /// From 0.5 to 20 wide and high, log-uniform; but one in a hundred is a curtain wall along x or y, 1 thick and 50
    /// to 200 long.
    pub walls: BoxScene,
}

/// Agents and walls spread evenly over a square at the origin, each in random storage order. The size of the square
/// makes an agent touch `walls_per_agent` walls on average, minus what sticks out at the edge.
///
/// # Panics
///
/// If `walls_per_agent` is not above zero.
#[must_use]
pub fn walls_and_agents(
    agents: usize,
    walls: usize,
    walls_per_agent: f32,
    seed: u64,
) -> WallsAndAgents {
    assert!(walls_per_agent > 0.0, "{walls_per_agent} walls per agent");
    let mut random = Random::new(seed);
    let agent_halves: Vec<_> = (0..agents).map(|_| random.in_square(0.6, 1.0)).collect();
    let wall_halves = wall_half_extents(walls, &mut random);

    // An agent touches a wall with a probability of `2 (wx + ax) 2 (wy + ay) / side^2`, and 0.8 is the mean `a`.
    let reach = |half: f32| 2.0 * (f64::from(half) + 0.8);
    let area: f64 = wall_halves.iter().map(|[x, y]| reach(*x) * reach(*y)).sum();
    let side = (area / f64::from(walls_per_agent)).sqrt() as f32;

    let mut place = || random.in_square(0.0, side);
    let mut agents = Scene::new("agents", [1.0; 2], agent_halves.iter().map(|_| place()));
    agents.half_extents = Some(agent_halves);
    let walls = BoxScene::around("walls of all sizes", &wall_halves, place);
    WallsAndAgents { agents, walls }
}

/// Half the sizes of [`WallsAndAgents::walls`].
pub(crate) fn wall_half_extents(n: usize, random: &mut Random) -> Vec<[f32; 2]> {
    let mut half_extents = || {
        let mut half = [0, 1].map(|_| random.log_between(0.25, 10.0));
        if random.below(100) == 0 {
            let along = random.below(2);
            half[along] = random.log_between(25.0, 100.0);
            half[1 - along] = 0.5;
        }
        half
    };
    (0..n).map(|_| half_extents()).collect()
}
