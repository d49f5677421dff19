//! The worlds that are run.

use throng::{BroadphaseConfig, CategoryConfig, OversizedStructure, SimdLevel};
use throng_scenes::GridMap;

use crate::common::worlds::structures;
use crate::dice::Dice;
use crate::stage::{Body, Stage, group};

/// 20,000 units of three sizes: coarse and crowded, exact and with masks, coarse.
pub fn units(level: SimdLevel) -> Stage {
    let config = BroadphaseConfig::new()
        .category(CategoryConfig::uniform("small", 0.25).coarse())
        .category(CategoryConfig::uniform("medium", 1.0))
        .category(CategoryConfig::uniform("large", 3.0).coarse())
        .simd(level);
    let size = [260.0; 2];
    let mut dice = Dice::new(1);
    let towns: Vec<_> = (0..8).map(|_| dice.place([220.0; 2])).collect();
    let bodies = (0..20_000).map(|index| match index % 10 {
        0..3 => Body::new(dice.place(size), [0.25; 2]),
        3..6 => {
            let ([x, y], [dx, dy]) = (dice.of(&towns), dice.place([18.0; 2]));
            Body::new([x + dx, y + dy], [0.25, 0.125])
        }
        6..9 => {
            let half = [0.375, 0.5, 0.75, 1.0];
            let mut body = Body::new(dice.place(size), [dice.of(&half), dice.of(&half)]);
            if dice.one_in(2) {
                body.masks = group(index);
            }
            body
        }
        _ => Body::new(dice.place(size), [3.0, dice.between(1.5, 3.0)]),
    });
    let bodies = bodies.collect();
    let sizes = vec![[0.25; 2], [0.5, 0.2], [1.0; 2], [0.9, 2.0], [3.0; 2]];
    Stage::new(config, size, sizes, bodies, 2)
}

/// Units, faeries and dragons, the dragons in one structure and some giants in the next.
pub fn dragons(level: SimdLevel, structure: usize) -> Stage {
    let structures: [OversizedStructure; 3] = structures();
    let config = BroadphaseConfig::new()
        .category(CategoryConfig::uniform("faeries", 0.2).coarse())
        .category(CategoryConfig::uniform("units", 1.0))
        .category(CategoryConfig::oversized("dragons").structure(structures[structure]))
        .category(
            CategoryConfig::oversized("giants")
                .structure(structures[(structure + 1) % 3])
                .meets(["units", "dragons"]),
        )
        .simd(level);
    let size = [160.0; 2];
    let mut dice = Dice::new(3);
    let bodies = (0..6000).map(|index| {
        let center = dice.place(size);
        match index % 200 {
            0 => Body {
                category: Some("giants"),
                ..Body::new(center, [dice.between(10.0, 40.0), dice.between(10.0, 40.0)])
            },
            1..12 => {
                let half = [1.25, 2.0, 3.0, 5.0, 8.0, 13.0, 20.0];
                let mut body = Body::new(center, [dice.of(&half), dice.of(&half)]);
                if dice.one_in(3) {
                    body.masks = group(index);
                }
                body
            }
            12..25 => Body::new(center, [dice.between(0.05, 0.2), 0.125]),
            _ => Body::new(
                center,
                [dice.between(0.6, 1.0), dice.of(&[0.625, 0.75, 1.0])],
            ),
        }
    });
    let bodies = bodies.collect();
    let sizes = vec![
        [0.1; 2],
        [1.0; 2],
        [0.7, 0.9],
        [9.0, 0.5],
        [2.5, 14.0],
        [20.0; 2],
    ];
    Stage::new(config, size, sizes, bodies, 4)
}

/// People and wagons among the walls of a castle, which change now and then.
pub fn castle(level: SimdLevel) -> Stage {
    const CELL: f32 = 4.0;
    let config = BroadphaseConfig::new()
        .category(CategoryConfig::uniform("people", 0.5).coarse())
        .category(CategoryConfig::uniform("knights", 1.5))
        .category(CategoryConfig::oversized("wagons"))
        .category(CategoryConfig::scenery("boulders").half_extents([4.0; 2]))
        .category(CategoryConfig::scenery("walls"))
        .simd(level);
    let map = GridMap::castle();
    let size = [map.width() as f32 * CELL, map.height() as f32 * CELL];
    let walls = map.walls(CELL);
    let mut bodies: Vec<_> = (0..walls.len())
        .map(|row| {
            let aabb = walls.aabb(row).expect("walls are boxes");
            Body {
                is_fixed: true,
                ..Body::new(aabb.center(), aabb.half_extents())
            }
        })
        .collect();
    let mut dice = Dice::new(5);
    bodies.extend((0..7000).map(|index| {
        let mut center = dice.place(size);
        while !map.is_open((center[0] / CELL) as usize, (center[1] / CELL) as usize) {
            center = dice.place(size);
        }
        match index % 100 {
            0 => Body::new(center, [dice.between(2.0, 12.0), dice.of(&[2.0, 3.0])]),
            1..20 => Body {
                masks: group(index),
                ..Body::new(center, [dice.between(0.75, 1.5); 2])
            },
            _ => Body::new(center, [0.5; 2]),
        }
    }));
    let sizes = vec![[0.5; 2], [1.0, 1.25], [4.0; 2], [2.0, 30.0], [12.0, 2.0]];
    Stage::new(config, size, sizes, bodies, 6)
}

/// So many on one spot that leaves are cut into pieces.
pub fn crowd(level: SimdLevel) -> Stage {
    let [strips, double_grid, _] = structures();
    let config = BroadphaseConfig::new()
        .category(CategoryConfig::uniform("small", 0.25).coarse())
        .category(CategoryConfig::uniform("large", 0.5))
        .category(CategoryConfig::oversized("dragons").structure(strips))
        .category(CategoryConfig::oversized("giants").structure(double_grid))
        .simd(level);
    let size = [0.3, 0.2];
    let mut dice = Dice::new(7);
    let bodies = (0..4200).map(|index| {
        let center = dice.place(size);
        match index % 20 {
            0..16 => Body::new([0.07, 0.03], [0.25; 2]),
            16..18 => Body {
                masks: group(index),
                ..Body::new(center, [dice.between(0.3, 0.5), 0.375])
            },
            18 => Body::new(
                center,
                [dice.between(0.6, 2.0), dice.of(&[0.625, 0.75, 1.0])],
            ),
            _ => Body {
                category: Some("giants"),
                ..Body::new(center, [0.75, dice.between(0.75, 9.0)])
            },
        }
    });
    let bodies = bodies.collect();
    Stage::new(config, size, vec![[0.25; 2], [0.5; 2], [1.0; 2]], bodies, 8)
}

/// So many boxes of all sizes that structures are planned by a sample of them.
pub fn boulders(level: SimdLevel) -> Stage {
    let [strips, double_grid, _] = structures();
    let config = BroadphaseConfig::new()
        .category(CategoryConfig::oversized("rocks").structure(double_grid))
        .category(CategoryConfig::oversized("logs").structure(strips))
        .simd(level);
    let size = [900.0, 600.0];
    let mut dice = Dice::new(9);
    let bodies = (0..20_000).map(|index| {
        let most = dice.of(&[0.5, 0.5, 1.0, 1.0, 2.0, 4.0, 8.0]);
        let half_extents = [dice.between(0.25, most), dice.between(0.25, most)];
        Body {
            category: (index % 2 > 0).then_some("logs"),
            ..Body::new(dice.place(size), half_extents)
        }
    });
    let bodies = bodies.collect();
    Stage::new(config, size, vec![[0.5; 2], [2.0, 9.0]], bodies, 10)
}
