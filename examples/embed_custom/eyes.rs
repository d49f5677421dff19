//! What soldiers look for, and what the player looks at: all that is asked of the world besides pairs.

use std::error::Error;

use throng::{
    BatchResults, Broadphase, CastHit, ConvexPolygon, FirstOnly, NearestHit, NearestQuery,
    QueryFilter, QueryHit, RayCast,
};

use crate::bodies::{Soldiers, Team, enemies_of};
use crate::engine::{FIELD, SOLDIERS, WALLS};

/// How far soldiers see.
pub const SIGHT: f32 = 25.0;
/// How far soldiers walk in a second.
const PACE: f32 = 6.0;

/// Questions and answers of soldiers, kept so that a frame allocates nothing.
#[derive(Default)]
pub struct Eyes {
    rows: Vec<usize>,
    searches: Vec<NearestQuery>,
    enemies: BatchResults<NearestHit>,
    lines: Vec<FirstOnly<RayCast>>,
    walls: BatchResults<CastHit>,
}

impl Eyes {
    /// Lets every soldier decide where to go: to the nearest enemy in sight, and around a wall in between.
    pub fn look(
        &mut self,
        world: &Broadphase,
        soldiers: &mut Soldiers,
    ) -> Result<(), Box<dyn Error>> {
        for team in [0, 1] {
            self.look_of(team, world, soldiers)?;
        }
        Ok(())
    }

    fn look_of(
        &mut self,
        team: Team,
        world: &Broadphase,
        soldiers: &mut Soldiers,
    ) -> Result<(), Box<dyn Error>> {
        self.rows.clear();
        self.rows
            .extend((0..soldiers.len()).filter(|&row| soldiers.teams[row] == team));
        self.searches.clear();
        self.searches
            .extend(self.rows.iter().map(|&row| NearestQuery {
                point: soldiers.position(row),
                k: 1,
                max_distance: SIGHT,
            }));
        let enemies = QueryFilter::new()
            .category(SOLDIERS)
            .masks(enemies_of(team));
        world
            .query_with(&enemies)
            .find_batch(&self.searches, &mut self.enemies)?;

        // Where nobody is in sight the way leads to the other side of the field.
        let ahead = if team == 0 {
            [SIGHT, 0.0]
        } else {
            [-SIGHT, 0.0]
        };
        self.lines.clear();
        for (search, found) in self.searches.iter().zip(self.enemies.iter()) {
            let [x, y] = search.point;
            let goal = found
                .first()
                .map_or([x + ahead[0], y + ahead[1]], |enemy| enemy.hit.center);
            self.lines
                .push(FirstOnly(RayCast::from_to(search.point, goal)?));
        }
        let walls = QueryFilter::new().category(WALLS);
        world
            .query_with(&walls)
            .find_batch(&self.lines, &mut self.walls)?;

        for ((&row, line), wall) in self.rows.iter().zip(&self.lines).zip(self.walls.iter()) {
            let (from, to) = (line.0.from(), line.0.to());
            soldiers.velocities[row] = match wall.first() {
                Some(wall) => along(wall, from),
                None => towards(from, to),
            };
        }
        Ok(())
    }
}

fn towards(from: [f32; 2], to: [f32; 2]) -> [f32; 2] {
    let [dx, dy] = [0, 1].map(|axis| to[axis] - from[axis]);
    let distance = dx.hypot(dy);
    // An arm's length away is near enough.
    if distance < 1.0 {
        return [0.0; 2];
    }
    [dx / distance * PACE, dy / distance * PACE]
}

/// Up or down beside a wall, to its nearer end that is on the field.
fn along(wall: &CastHit, [_, y]: [f32; 2]) -> [f32; 2] {
    let aabb = wall.hit.aabb;
    let (low, high) = (aabb.min()[1], aabb.max()[1]);
    let up = (y - low < high - y && low > 1.0) || high > FIELD[1] - 1.0;
    [0.0, if up { -PACE } else { PACE }]
}

/// What is under the mouse: of all whose boxes hold the point, the one whose middle is nearest to it.
pub fn under(
    world: &Broadphase,
    point: [f32; 2],
    hits: &mut Vec<QueryHit>,
) -> Result<Option<QueryHit>, Box<dyn Error>> {
    world.query().find_at_point(point, hits)?;
    let away = |hit: &QueryHit| (hit.center[0] - point[0]).hypot(hit.center[1] - point[1]);
    Ok(hits
        .iter()
        .min_by(|a, b| away(a).total_cmp(&away(b)))
        .copied())
}

/// What a camera sees that circles above the field and is turned a little: a rectangle, but not along the axes.
pub fn camera(frame: u32) -> Result<ConvexPolygon, Box<dyn Error>> {
    let angle = 0.02 * frame as f32;
    let (sin, cos) = angle.sin_cos();
    let middle = [FIELD[0] * (0.5 + 0.25 * cos), FIELD[1] * (0.5 + 0.25 * sin)];
    let (sin, cos) = (0.3 * angle).sin_cos();
    Ok(ConvexPolygon::rectangle(middle, [24.0, 15.0], [cos, sin])?)
}
