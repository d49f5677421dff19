//! The walls of real maps, where those are stored beside the repository: searched like everything else.

use crate::common::{build, configs, rows_of};
use std::path::Path;
use throng_core::{Aabb, RayCast, Serial};
use throng_scenes::map::GridMap;
use throng_scenes::{BoxScene, overlapping_pairs_between, rows_at_point, rows_in_box, sorted};

/// The maps, if they are there.
fn real_maps() -> impl Iterator<Item = (GridMap, &'static str)> {
    let names = ["BigGameHunters.map", "Paris_1_1024.map", "losttemple.map"];
    let scenes = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/scenes");
    names.into_iter().filter_map(move |name| {
        let path = scenes.join(name);
        if path.exists() {
            return Some((GridMap::read(path).unwrap(), name));
        }
        eprintln!("skipped: there is no {name} in ../shared/scenes");
        None
    })
}

fn check(map: &GridMap, name: &str) {
    let walls = map.walls(2.0);
    let agents = BoxScene::from(&map.spawn(2000, 2.0, [0.9; 2], 60));
    for config in configs() {
        let tree = build(&walls, config, &Serial);
        for aabb in (0..agents.len())
            .step_by(8)
            .filter_map(|row| agents.aabb(row))
        {
            let found = rows_of(|visit| tree.query_aabb(&aabb, visit));
            assert_eq!(found, rows_in_box(&walls, &aabb), "{name}: in {aabb}");
            let point = aabb.center();
            let found = rows_of(|visit| tree.query_point(point, visit).unwrap());
            assert_eq!(found, rows_at_point(&walls, point), "{name}: at {point:?}");
            let shot = RayCast::from_to(point, aabb.min().map(|v| v * 0.7)).unwrap();
            let hits = (0..walls.len()).filter_map(|row| {
                let fraction = shot.entry(&walls.aabb(row)?)?;
                Some((fraction, row as u32))
            });
            let first = hits.reduce(|a, b| if b < a { b } else { a });
            let found = tree.cast_first(&shot).map(|hit| (hit.fraction, hit.row));
            assert_eq!(found, first, "{name}: {shot:?}");
        }
        let mut met = Vec::new();
        let crowd = build(&agents, config, &Serial);
        tree.for_each_meeting(&crowd, [None; 2], |wall, agent| met.push([wall, agent]));
        assert!(
            sorted(met) == overlapping_pairs_between(&walls, &agents),
            "{name}"
        );
    }
    let all =
        rows_of(|visit| build(&walls, configs()[0], &Serial).query_aabb(&Aabb::EVERYWHERE, visit));
    assert_eq!(all.len(), walls.len(), "{name}");
}

#[test]
fn walls_of_the_castle() {
    check(&GridMap::castle(), "the castle");
}

#[test]
fn walls_of_real_maps() {
    for (map, name) in real_maps() {
        check(&map, name);
    }
}
