//! The smallest complete embedding: marbles in the game's own arrays, one frame, who touches whom.

use throng::{Broadphase, BroadphaseConfig, CategoryConfig, Narrowphase, PairBatch, Proxy};

const RADIUS: f32 = 1.0;

/// The game's own arrays. A row of the broadphase is an index into them.
struct Marbles {
    xs: Vec<f32>,
    ys: Vec<f32>,
}

impl Narrowphase for Marbles {
    type Scratch = ();
    type Output = Vec<[u32; 2]>;

    /// Gets marbles whose boxes overlap, on any thread, and keeps those that touch.
    fn collide(&self, batch: PairBatch<'_>, _: &mut (), touching: &mut Vec<[u32; 2]>) {
        for &[a, b] in batch.pairs() {
            let [i, j] = [a as usize, b as usize];
            if (self.xs[i] - self.xs[j]).hypot(self.ys[i] - self.ys[j]) <= 2.0 * RADIUS {
                touching.push([a, b]);
            }
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let config = BroadphaseConfig::new().category(CategoryConfig::uniform("marbles", RADIUS));
    let mut world = Broadphase::new(config)?;
    let marbles = world.category("marbles").ok_or("it is in the config")?;

    let (xs, ys) = (vec![0.0, 3.0, 6.0, 9.0, 12.0], vec![0.0; 5]);
    for (x, y) in xs.iter().zip(&ys) {
        world.insert(Proxy::centered([*x, *y], [RADIUS; 2])?)?;
    }
    let mut game = Marbles { xs, ys };

    // One frame: things move, the broadphase is told where they are, and finds who touches whom.
    (game.xs[3], game.ys[3]) = (7.5, 1.9);
    (game.xs[4], game.ys[4]) = (1.5, 1.0);
    let written = world.centers_mut(marbles)?.fill_from(&game.xs, &game.ys)?;
    assert_eq!(written.rejected, 0, "every center is finite");
    let step = world.step(&game);
    let touching: Vec<_> = step.outputs().flatten().collect();

    println!("{touching:?} touch");
    assert_eq!(touching, [&[0, 4], &[1, 4]]);
    Ok(())
}
