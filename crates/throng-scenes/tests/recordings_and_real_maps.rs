//! Real maps and a real crowd, if they are present beside the repository, in `shared/scenes`.

use std::path::PathBuf;

use throng_scenes::{GridMap, Replay, overlapping_pairs_sweep};

/// The path of the file; prints that the test has nothing to do if there is none.
fn present(name: &str) -> Option<PathBuf> {
    let shared = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/scenes");
    let path = PathBuf::from(shared).join(name);
    if !path.exists() {
        eprintln!("skipped: there is no {}", path.display());
        return None;
    }
    Some(path)
}

/// How many cells of each map are open, and how many boxes its blocked cells make.
const MAPS: [(&str, usize, usize, usize); 3] = [
    ("BigGameHunters", 512, 179_070, 1770),
    ("Paris_1_1024", 1024, 800_729, 7625),
    ("losttemple", 512, 91_139, 729),
];

#[test]
fn real_maps_are_read() {
    for (name, width, open, _) in MAPS {
        let Some(path) = present(&format!("{name}.map")) else {
            continue;
        };
        let map = GridMap::read(path).unwrap();
        assert_eq!((map.width(), map.open_cells()), (width, open), "{name}");
        let scene = map.spawn(2000, 1.0, [0.3, 0.3], 1);
        let mut cells = scene.xs.iter().zip(&scene.ys);
        assert!(cells.all(|(&x, &y)| map.is_open(x as usize, y as usize)));
    }
}

#[test]
fn real_maps_become_few_boxes_that_cover_them() {
    for (name, width, open, boxes) in MAPS {
        let Some(path) = present(&format!("{name}.map")) else {
            continue;
        };
        let map = GridMap::read(path).unwrap();
        let rectangles = map.blocked_rectangles();
        let mut blocked = vec![false; map.width() * map.height()];
        for rectangle in &rectangles {
            for row in rectangle.rows.clone() {
                for column in rectangle.columns.clone() {
                    assert!(!map.is_open(column, row), "{name}: {rectangle:?}");
                    let cell = &mut blocked[row * width + column];
                    assert!(!std::mem::replace(cell, true), "{name}: {rectangle:?}");
                }
            }
        }
        let covered = blocked.iter().filter(|is_blocked| **is_blocked).count();
        assert_eq!(covered + open, blocked.len(), "{name}");
        assert_eq!(rectangles.len(), boxes, "{name}");
        assert_eq!(map.walls(2.0).len(), boxes, "{name}");
    }
}

#[test]
fn a_real_crowd_is_replayed() {
    let Some(path) = present("sdd_gates_video2.txt") else {
        return;
    };
    // Counted with awk: lines whose seventh field is 0, and distinct values of the first and the sixth.
    let replay = Replay::read(path).unwrap();
    assert_eq!((replay.track_count(), replay.frame_count()), (125, 9006));
    assert_eq!(replay.sighting_count(), 99_266 - 42_557);
    let visible: Vec<_> = (0..9006).map(|n| replay.visible_in(n).count()).collect();
    assert_eq!(visible.iter().sum::<usize>(), replay.sighting_count());
    assert_eq!(visible.iter().max(), Some(&20));
    assert_eq!(visible.iter().filter(|count| **count > 0).count(), 8724);

    let tiled = replay.tiled(5000);
    for frame in [0, 1, 4000, 9005, 9006] {
        let shown = tiled.at_frame(frame).boxes;
        shown.validate().unwrap();
        assert!((4800..5200).contains(&shown.len()), "{}", shown.len());
        let pairs = overlapping_pairs_sweep(&shown).len();
        assert!((100..5000).contains(&pairs), "{pairs} who overlap");
    }
    // Compared without printing: there are thousands.
    let begins_again = tiled.at_frame(0) == tiled.at_frame(9006);
    assert!(begins_again && tiled.at_frame(0) != tiled.at_frame(1));
}
