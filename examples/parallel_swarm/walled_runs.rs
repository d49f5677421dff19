//! What walls do to a swarm, and what becomes of them in a file.

use std::{fs, path::PathBuf};

use throng::{Aabb, Broadphase, BroadphaseConfig, CategoryConfig, CategoryId, Proxy};

use crate::{
    args::{self, Request},
    asked,
    contacts::Keep,
    failure::Failure,
    pair_hash::PairHash,
    swarm::Swarm,
    verify::Verifier,
    walls::write,
    witness::Nobody,
};

fn begun(line: &str) -> Result<Swarm, Failure> {
    let line = format!("parallel_swarm {line}");
    match args::read(line.split_whitespace().map(Into::into)) {
        Ok(Request::Run(args)) => Swarm::new(asked::setup(&args)?),
        other => panic!("{line}: {other:?}"),
    }
}

fn swarm(line: &str) -> Swarm {
    begun(line).unwrap_or_else(|failure| panic!("{line}: {failure}"))
}

/// Why a command line is refused.
fn refused(line: &str) -> String {
    match begun(line) {
        Ok(_) => panic!("{line} is not refused"),
        Err(failure) => failure.to_string(),
    }
}

/// The hash of all pairs after a few frames, all of them verified.
fn hash(mut swarm: Swarm) -> PairHash {
    let mut verifier = Verifier::new(swarm.world(), 1);
    for _ in 0..12 {
        swarm.frame(Keep::Pairs, &mut verifier);
    }
    assert_eq!((verifier.frames, verifier.mismatches), (12, 0));
    swarm.pair_hash()
}

/// A file that is gone when the test is over.
struct TemporaryFile(PathBuf);

impl TemporaryFile {
    fn new(name: &str, content: impl AsRef<[u8]>) -> Self {
        let path = std::env::temp_dir().join(format!("swarm-{}-{name}", std::process::id()));
        fs::write(&path, content).expect("the folder for temporary files is writable");
        Self(path)
    }

    fn map(name: &str, lines: &[&str]) -> Self {
        let (height, width, lines) = (lines.len(), lines[0].len(), lines.join("\n"));
        Self::new(
            name,
            format!("type octile\nheight {height}\nwidth {width}\nmap\n{lines}\n"),
        )
    }

    /// The walls of a swarm.
    fn of_walls(name: &str, swarm: &Swarm) -> Self {
        let file = Self::new(name, []);
        write(&file.0, swarm.world()).expect("it has been written to before");
        file
    }

    fn name(&self) -> &str {
        self.0.to_str().expect("the name is plain")
    }
}

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// The part of its radius by which the body deepest in a wall is in it; above 1 its middle is.
fn deepest(swarm: &Swarm) -> f32 {
    let walls = || swarm.kinds().iter().flat_map(|kind| &kind.walls);
    let depths = swarm.kinds().iter().flat_map(|kind| {
        let bodies = &kind.bodies;
        (0..bodies.len()).map(move |row| {
            let place = [bodies.xs[row], bodies.ys[row]];
            let depth = walls().map(|wall| {
                let [low, high] = [wall.min(), wall.max()];
                let to_face =
                    [0, 1].map(|axis| (place[axis] - low[axis]).min(high[axis] - place[axis]));
                to_face[0].min(to_face[1]).max(0.0) - wall.distance_squared(place).sqrt()
            });
            1.0 + depth.fold(f32::NEG_INFINITY, f32::max) / bodies.radii.of(row)
        })
    });
    depths.fold(0.0, f32::max)
}

#[test]
fn nobody_gets_into_walls() {
    let mut swarm = swarm("--map castle --agents 2000 --oversized 4");
    assert!(deepest(&swarm) < 1e-3, "all start beside them");
    let mut met = [0; 2];
    for frame in 0..600 {
        let pairs = swarm.frame(Keep::Nothing, &mut Nobody).pairs_by_meeting;
        met = [met[0] + pairs[3], met[1] + pairs[4]];
        if frame % 10 == 0 {
            let deepest = deepest(&swarm);
            assert!(deepest < 0.9, "{deepest} after frame {frame}");
        }
    }
    assert!(met[0] > 10_000 && met[1] > 100, "{met:?}");
}

#[test]
fn nobody_gets_through_a_thin_wall() {
    let rooms = ["........@........"; 8];
    let map = TemporaryFile::map("rooms.map", &rooms);
    for cell in [3, 12] {
        let mut swarm = swarm(&format!(
            "--map {} --cell {cell} --agents 500 --oversized 4",
            map.name()
        ));
        let middle = 8.5 * cell as f32;
        let sides = |swarm: &Swarm| -> Vec<bool> {
            let xs = swarm.kinds().iter().flat_map(|kind| &kind.bodies.xs);
            xs.map(|x| *x < middle).collect()
        };
        let before = sides(&swarm);
        assert!(before.contains(&true) && before.contains(&false));
        for _ in 0..1200 {
            swarm.frame(Keep::Nothing, &mut Nobody);
        }
        assert!(sides(&swarm) == before, "cells of {cell}");
    }
}

#[test]
fn walls_read_back_are_the_walls_written() {
    let line = "--map castle --agents 1500 --oversized 5";
    let built = swarm(line);
    let file = TemporaryFile::of_walls("castle.bin", &built);
    let expected = hash(built);
    let loaded = || swarm(&format!("{line} --scenery-in {}", file.name()));
    assert_eq!(loaded().counts().walls, 274);
    let again = TemporaryFile::of_walls("again.bin", &loaded());
    assert!(hash(loaded()) == expected);
    assert!(fs::read(&file.0).expect("it is there") == fs::read(&again.0).expect("so is this"));

    // The cells are as large as they were, though for so few they would be smaller.
    let few = swarm(&format!(
        "--map castle --agents 50 --scenery-in {}",
        file.name()
    ));
    let same = (few.terrain().size()[0] / swarm(line).terrain().size()[0] - 1.0).abs() < 1e-4;
    assert!(same && deepest(&few) < 1e-3);
    hash(few);
}

#[test]
fn walls_alone_are_a_world() {
    let built = swarm("--map castle --agents 1500");
    let file = TemporaryFile::of_walls("alone.bin", &built);
    let line = format!("--agents 1500 --oversized 3 --scenery-in {}", file.name());
    let mut alone = swarm(&line);
    assert_eq!(alone.counts().walls, 274);
    assert!(deepest(&alone) <= 0.0, "all start beside them");
    for _ in 0..100 {
        alone.frame(Keep::Nothing, &mut Nobody);
    }
    assert!(deepest(&alone) < 0.9);
    assert!(hash(swarm(&line)) == hash(swarm(&line)));
}

#[test]
fn what_are_not_the_walls_of_the_map_is_refused() {
    let built = swarm("--map castle --agents 1500");
    let file = TemporaryFile::of_walls("other.bin", &built);
    let other = TemporaryFile::map("other.map", &[".@.", "...", "@.."]);
    let refused = |options: &str| {
        let text = refused(&format!(
            "{options} --agents 10 --scenery-in {}",
            file.name()
        ));
        assert!(text.starts_with(file.name()), "{text}");
        text
    };
    let text = refused(&format!("--map {}", other.name()));
    assert!(text.contains("not the walls of the map"), "{text}");
    let text = refused("--map castle --cell 7");
    assert!(text.contains("with cells of 7"), "{text}");
}

#[test]
fn damaged_files_are_refused_by_name() {
    let file = TemporaryFile::of_walls("sound.bin", &swarm("--map castle --agents 10"));
    let sound = fs::read(&file.0).expect("it is there");
    let mut flipped = sound.clone();
    flipped[sound.len() / 2] ^= 4;
    for (name, content, part) in [
        ("flipped", &flipped[..], "damaged"),
        ("short", &sound[..sound.len() - 1], "bytes were given"),
        ("empty", &[], "0 bytes were given"),
        ("text", &[b' '; 4096][..], "begins with"),
    ] {
        let damaged = TemporaryFile::new(name, content);
        for map in ["", "--map castle"] {
            let text = refused(&format!("{map} --scenery-in {}", damaged.name()));
            assert!(
                text.starts_with(damaged.name()) && text.contains(part),
                "{text}"
            );
        }
    }
    let text = refused("--scenery-in /no/such/file.bin");
    assert!(
        text.starts_with("/no/such/file.bin: cannot be read"),
        "{text}"
    );
}

#[test]
fn walls_that_make_no_world_are_refused() {
    let with = |wall: [[f32; 2]; 2]| {
        let config = BroadphaseConfig::new().category(CategoryConfig::scenery("walls"));
        let mut world = Broadphase::new(config).expect("it is sound");
        let [min, max] = wall;
        let wall = Aabb::new(min, max).expect("a box");
        world.insert(Proxy::fixed(wall)).expect("it fits");
        let file = TemporaryFile::new("single.bin", []);
        write(&file.0, &world).expect("it has been written to before");
        begun(&format!("--agents 20 --scenery-in {}", file.name()))
            .map(|swarm| swarm.counts().walls)
    };
    let text = |wall| with(wall).expect_err("it is no world").to_string();
    let endless = text([[0.0, 0.0], [f32::INFINITY, 1.0]]);
    assert!(endless.contains("coordinates up to"), "{endless}");
    let line = text([[0.0, 5.0], [90.0, 5.0]]);
    assert!(line.contains("no ground to stand on"), "{line}");
    // All of the world but a margin that is too narrow for anybody.
    let full = text([[-2.0, -2.0], [2.0, 2.0]]);
    assert!(full.contains("no room for"), "{full}");
    assert_eq!(with([[-900.0, 300.0], [-500.0, 700.0]]), Ok(1));
}

#[test]
fn maps_may_be_open_and_not_closed() {
    let open = TemporaryFile::map("open.map", &["....", ".G.S", "...."]);
    let line = format!("--agents 300 --oversized 2 --map {}", open.name());
    let built = swarm(&line);
    assert_eq!(built.counts().walls, 0);
    let file = TemporaryFile::of_walls("nothing.bin", &built);
    let expected = hash(built);
    assert!(hash(swarm(&format!("{line} --scenery-in {}", file.name()))) == expected);
    let in_the_open = hash(swarm("--agents 300 --oversized 2"));
    assert!(
        hash(swarm(&format!(
            "--agents 300 --oversized 2 --scenery-in {}",
            file.name()
        ))) == in_the_open
    );

    let closed = TemporaryFile::map("closed.map", &["@@@", "TOW"]);
    let text = refused(&format!("--map {}", closed.name()));
    assert!(
        text.starts_with(closed.name()) && text.contains("no open cell"),
        "{text}"
    );
}

#[test]
fn walls_go_into_the_first_category_of_scenery_or_get_one() {
    let infantry = "[[categories]]\nname = \"walls\"\nhalf_extents = [0.6, 0.6]\n";
    let ghosts =
        "[[categories]]\nname = \"ghosts\"\nhalf_extents = [0.8, 0.8]\nmeets = [\"ghosts\"]\n";
    let castles = "[[categories]]\nname = \"castles\"\nkind = \"scenery\"\n";
    let begun = |name: &str, text: &[&str]| {
        let config = TemporaryFile::new(name, text.concat());
        swarm(&format!(
            "--map castle --agents 800 --config {}",
            config.name()
        ))
    };
    let names = |swarm: &Swarm| -> Vec<String> {
        swarm.kinds().iter().map(|kind| kind.name.clone()).collect()
    };
    let added = begun("added.toml", &[infantry, ghosts]);
    assert_eq!(names(&added), ["walls", "ghosts", "walls'"]);
    assert_eq!(added.kinds()[2].walls.len(), 274);
    let pairs = hash(added);

    let mut own = begun("own.toml", &[castles, ghosts, infantry]);
    assert_eq!(names(&own), ["castles", "ghosts", "walls"]);
    assert_eq!(own.kinds()[0].walls.len(), 274);
    let met: u64 = (0..20)
        .map(|_| own.frame(Keep::Nothing, &mut Nobody).pairs_by_meeting[3])
        .sum();
    assert!(met > 0 && hash(own) != pairs);

    let alone = begun("ghosts.toml", &[ghosts]);
    assert!(!alone.world().meets(CategoryId::new(0), CategoryId::new(1)));
    hash(alone);
}
