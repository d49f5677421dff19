//! Scenery in a file that is searched where it lies: nothing is read in, parsed or copied.
//!
//! ```sh
//! cargo run --release --example mapped_scenery
//! ```
//!
//! Writes the walls of a castle as a packed tree, maps the file, searches the tree, and puts it into a world.
//! `--headless` changes nothing: there is no window.
#![allow(
    unsafe_code,
    reason = "mapping a file is unsafe, and whoever maps it has to know why it will not change"
)]

use std::{error::Error, fs, fs::File, io::Write, ops::ControlFlow, path::Path};

use memmap2::Mmap;
use throng::{
    Aabb, Broadphase, BroadphaseConfig, CategoryConfig, CategoryId, PackedQuadtree, Proxy, Scenery,
    SharedBytes,
};
use throng_scenes::map::GridMap;

const INFANTRY: CategoryId = CategoryId::new(0);
const CASTLES: CategoryId = CategoryId::new(1);

fn main() -> Result<(), Box<dyn Error>> {
    // Where levels are made: pack the walls, and write them to a file.
    let castle = GridMap::castle().walls(2.0);
    let walls: Vec<Aabb> = (0..castle.len())
        .filter_map(|row| castle.aabb(row))
        .collect();
    let path = std::env::temp_dir().join(format!("castle-{}.throng", std::process::id()));
    // It fails where there is such a file already, which somebody else may have open.
    let mut file = File::create_new(&path)?;
    file.write_all(Scenery::from_boxes(&walls)?.as_bytes())?;

    // In the game: the file is the tree.
    let outcome = File::open(&path).map_err(Into::into).and_then(|file| {
        // SAFETY: the file was made by `create_new` above, so nobody had it open before; its name holds the number of
        // this process, which has written all of it and neither changes nor shortens it until the mapping is gone.
        let mapping = unsafe { Mmap::map(&file)? };
        play(
            &PackedQuadtree::from_bytes(SharedBytes::new(mapping))?,
            &walls,
            &path,
        )
    });
    fs::remove_file(&path)?;
    outcome
}

fn config() -> BroadphaseConfig {
    BroadphaseConfig::new()
        .category(CategoryConfig::uniform("infantry", 1.0))
        .category(CategoryConfig::scenery("castles"))
}

/// Searches a tree in place and in a world, and compares what is found with the walls it was made from.
fn play(tree: &Scenery, walls: &[Aabb], path: &Path) -> Result<(), Box<dyn Error>> {
    println!(
        "{} walls in {} bytes, mapped from {}",
        tree.len(),
        tree.as_bytes().len(),
        path.display()
    );

    let keep = Aabb::new([98.0, 54.0], [122.0, 76.0])?;
    let mut found = Vec::new();
    let _ = tree.query_aabb(&keep, |row, _| {
        found.push(row);
        ControlFlow::<()>::Continue(())
    });
    println!("{} of them are around the keep", found.len());
    found.sort_unstable();
    let expected = (0..).zip(walls).filter(|(_, wall)| wall.overlaps(&keep));
    assert!(found.into_iter().eq(expected.map(|(row, _)| row)));

    // A world shares the tree: its bytes are still those of the file.
    let mut world = Broadphase::new(config())?;
    world.load_scenery(CASTLES, tree)?;
    let place = |number: u32| [(number % 24) as f32 * 8.0, (number / 24) as f32 * 8.0];
    for number in 0..24 * 16 {
        world.insert(Proxy::centered(place(number), [1.0; 2])?.in_category(INFANTRY))?;
    }
    let pairs = world.step_pairs().report().pairs;
    println!(
        "{pairs} times one of {} soldiers stands at a wall",
        world.rows(INFANTRY)
    );
    let soldiers = world.proxies(INFANTRY).filter_map(|id| world.get(id));
    let at_walls = soldiers.map(|soldier| {
        walls
            .iter()
            .filter(|wall| wall.overlaps(&soldier.aabb))
            .count()
    });
    assert_eq!(pairs, at_walls.sum::<usize>() as u64);
    Ok(())
}
