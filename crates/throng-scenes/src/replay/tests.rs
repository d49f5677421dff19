use super::*;
use crate::oracle::overlapping_pairs;

/// Track 7 walks right through frames 0 to 3 and is lost in frame 2; track 3 stands in frames 1 and 2.
const SMALL: &str = "\
7 0 0 10 10 0 0 0 0 \"Pedestrian\"
7 4 0 14 10 1 0 0 1 \"Pedestrian\"
7 8 0 18 10 2 1 0 1 \"Pedestrian\"
7 12 0 22.5 10 3 0 1 1 \"Pedestrian\"
3 12 5 20 30 2 0 0 0 \"Biker\"
3 12 5 20 30 1 0 0 0 \"Biker\"

9 90 90 99 99 2 1 0 0 \"Cart\"
";

fn aabb(min: [f32; 2], max: [f32; 2]) -> Aabb {
    Aabb::new(min, max).unwrap()
}

#[test]
fn a_small_recording_is_read() {
    let replay = Replay::parse(SMALL).unwrap();
    let counts = (
        replay.frame_count(),
        replay.track_count(),
        replay.sighting_count(),
    );
    assert_eq!(counts, (4, 3, 5));
    assert_eq!(
        replay.bounds(),
        aabb([0.0, 0.0], [22.5, 30.0]),
        "without who is lost"
    );
    let in_frame = |frame| replay.visible_in(frame).collect::<Vec<_>>();
    let standing = (3, aabb([12.0, 5.0], [20.0, 30.0]));
    assert_eq!(in_frame(0), [(7, aabb([0.0, 0.0], [10.0, 10.0]))]);
    assert_eq!(in_frame(1), [standing, (7, aabb([4.0, 0.0], [14.0, 10.0]))]);
    assert_eq!(in_frame(2), [standing]);
    assert_eq!(in_frame(4), []);
}

#[test]
fn what_is_no_recording_is_refused_by_line() {
    let line = |fields: &str| format!("1 0 0 5 5 0 0 0 0 \"Biker\"\n{fields}\n");
    let cases = [
        (
            "",
            "nobody is visible in the recording; at least one line with `lost` 0 is needed",
        ),
        ("1 0 0 5 5 0 1 0 0 \"Biker\"", "nobody is visible"),
        (
            &line("2 0 0 5 5 0 0 0 0"),
            "line 2 of the recording has 9 fields; the ten `track xmin",
        ),
        (
            &line("2 0 0 5 5 0 0 0 0 \"A\" 1"),
            "line 2 of the recording has 11 fields",
        ),
        (
            &line("-2 0 0 5 5 0 0 0 0 \"A\""),
            "`track` in line 2 of the recording is `-2`; a whole number from 0 to 4294967294 is needed",
        ),
        (
            &line("2 0 nan 5 5 0 0 0 0 \"A\""),
            "`ymin` in line 2 of the recording is `nan`; a coordinate from -1000000 to 1000000 is needed",
        ),
        (
            &line("2 0 0 5 5 1.5 0 0 0 \"A\""),
            "`frame` in line 2 of the recording is `1.5`",
        ),
        (
            &line("2 0 0 5 5 0 2 0 0 \"A\""),
            "`lost` in line 2 of the recording is `2`; 0 or 1 is needed",
        ),
        (
            &line("2 0 0 5 5 0 0 0 0 A"),
            "`label` in line 2 of the recording is `A`; a label in quotes is needed",
        ),
        (
            &line("2 6 0 5 5 0 0 0 0 \"A\""),
            "line 2 of the recording: the box is inverted in x: min 6 is above max 5",
        ),
        (
            &line("1 3 3 8 8 0 0 0 0 \"Biker\""),
            "line 2 of the recording: track 1 is in frame 0 a second time; once is needed",
        ),
    ];
    for (text, words) in cases {
        let error = Replay::parse(text).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    }
    let missing = Replay::read("no such file.txt").unwrap_err();
    assert!(missing.to_string().contains("no such file.txt"));
}

#[test]
fn tiles_meet_and_are_out_of_step() {
    let tiled = Replay::parse(SMALL).unwrap().tiled(50);
    // 5 sightings in 4 frames: 40 tiles show 50 people, 8 tiles in a row, because tiles are higher than wide.
    assert_eq!(tiled.tile_count(), 40);
    assert_eq!(
        [tiled.offset(0), tiled.offset(6)],
        [[0.0, 0.0], [6.0 * 22.5, 0.0]]
    );
    assert_eq!(tiled.offset(9), [22.5, 30.0]);
    let starts: Vec<_> = (0..40).map(|tile| tiled.frame_of(tile, 0)).collect();
    for frame in 0..4 {
        let tiles = starts.iter().filter(|start| **start == frame).count();
        assert!(
            (8..13).contains(&tiles),
            "{tiles} tiles start at frame {frame}"
        );
        assert_eq!(
            tiled.frame_of(5, u64::from(frame) + 4),
            tiled.frame_of(5, frame.into())
        );
    }

    for frame in [0, 1, 2, 3, 1 << 40] {
        let ReplayFrame { boxes, agents } = tiled.at_frame(frame);
        boxes.validate().unwrap();
        assert!((45..56).contains(&boxes.len()), "{}", boxes.len());
        assert_eq!(boxes.len(), agents.len());
        assert!(agents.is_sorted(), "tile by tile, each by track");
        for (row, [tile, track]) in agents.into_iter().enumerate() {
            let shown = tiled.frame_of(tile, frame);
            let (_, there) = tiled
                .replay()
                .visible_in(shown)
                .find(|seen| seen.0 == track)
                .unwrap();
            let [dx, dy] = tiled.offset(tile);
            let min = [there.min()[0] + dx, there.min()[1] + dy];
            assert_eq!(boxes.aabb(row).unwrap().min(), min);
        }
        let across = overlapping_pairs(&boxes);
        assert!(!across.is_empty(), "people meet");
    }
}

#[test]
fn no_one_and_the_flattest_crowd_are_tiled() {
    let point = "0 5 5 5 5 0 0 0 0 \"A\"\n";
    let tiled = Replay::parse(point).unwrap().tiled(9);
    let frame = tiled.at_frame(0).boxes;
    assert_eq!((frame.len(), overlapping_pairs(&frame).len()), (9, 0));
    let none = Replay::parse(SMALL).unwrap().tiled(0);
    assert!(none.at_frame(3).boxes.is_empty());
}
