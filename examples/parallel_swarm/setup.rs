//! From a command line to a world: which kinds of units, on what ground, how many of each.

use std::{fs, ops::RangeInclusive, path::Path};

use throng::{BroadphaseConfig, CategoryConfig};
use throng_scenes::map::GridMap;

use crate::{
    args::Args,
    bodies::{area_for, shares},
    failure::Failure,
    terrain::{Terrain, cell_for},
};

/// The crowding a world is made for: overlapping boxes per agent, if agents stood anywhere.
const PAIRS_EACH: f64 = 1.0;
/// More than this would keep the machine busy for longer than anyone waits.
const MOST_PAIRS_EACH: f64 = 100.0;
/// Half extents of which the squares are still ordinary numbers.
const SIZES: RangeInclusive<f32> = 1e-3..=1e6;

/// All that decides how a run goes, but for the number of threads.
pub struct Setup {
    /// The categories, each a kind of unit.
    pub config: BroadphaseConfig,
    /// Where units may be.
    pub terrain: Terrain,
    /// How many of each kind there are at first.
    pub counts: Vec<usize>,
    /// Where the random numbers start.
    pub seed: u64,
}

impl Setup {
    /// Reads the files that the arguments name.
    pub fn new(args: &Args) -> Result<Self, Failure> {
        let config = match &args.config {
            Some(path) => read_config(path)?,
            None => default_config(),
        };
        let bounds: Vec<[f32; 2]> = config
            .categories
            .iter()
            .map(|category| category.half_extents)
            .collect();
        let counts = shares(&bounds, args.agents);
        let area = area_for(&bounds, &counts, PAIRS_EACH);
        let terrain = match &args.map {
            Some(path) => {
                let map = read_map(path)?;
                let largest = bounds.iter().flatten().fold(0.0_f32, |a, b| a.max(*b));
                let fitting = cell_for(map.open_cells(), area, largest);
                let cell = args.cell.unwrap_or(fitting);
                let pairs_each = area / (f64::from(cell).powi(2) * map.open_cells() as f64);
                if pairs_each > MOST_PAIRS_EACH {
                    return Err(Failure::input(format!(
                        "on cells of {cell}, agents would overlap about {pairs_each:.0} others each; try --cell {fitting}",
                    )));
                }
                Terrain::from_map(map, cell)
            }
            None => Terrain::open(area),
        };
        Ok(Self {
            config,
            terrain,
            counts,
            seed: args.seed,
        })
    }
}

/// Three kinds of units, each twice the size of the one before.
pub fn default_config() -> BroadphaseConfig {
    BroadphaseConfig::new()
        .category(CategoryConfig::uniform("pixies", 0.3))
        .category(CategoryConfig::uniform("infantry", 0.6))
        .category(CategoryConfig::uniform("cavalry", 1.2))
}

fn read_config(path: &Path) -> Result<BroadphaseConfig, Failure> {
    let text = read_text(path)?;
    let config: BroadphaseConfig = toml::from_str(&text)
        .map_err(|error| Failure::file(path, place_and_reason(&text, &error)))?;
    config
        .validate()
        .map_err(|problems| Failure::file(path, problems))?;
    let is_fit = |half: &[f32; 2]| half.iter().all(|half| SIZES.contains(half));
    match config
        .categories
        .iter()
        .find(|category| !is_fit(&category.half_extents))
    {
        Some(category) => Err(Failure::file(
            path,
            format_args!(
                "category {:?}: units of this swarm have half extents from {} to {}, not {:?}",
                category.name,
                SIZES.start(),
                SIZES.end(),
                category.half_extents,
            ),
        )),
        None => Ok(config),
    }
}

/// A TOML error on one line: where it is, and what it is.
fn place_and_reason(text: &str, error: &toml::de::Error) -> String {
    let reason = error.message().replace('\n', ", ");
    match error.span() {
        Some(span) => {
            let line = text[..span.start.min(text.len())].matches('\n').count() + 1;
            format!("line {line}: {reason}")
        }
        None => reason,
    }
}

fn read_map(path: &Path) -> Result<GridMap, Failure> {
    GridMap::parse(&read_text(path)?).map_err(|error| Failure::file(path, error))
}

fn read_text(path: &Path) -> Result<String, Failure> {
    let bytes = fs::read(path)
        .map_err(|error| Failure::file(path, format_args!("cannot be read: {error}")))?;
    String::from_utf8(bytes).map_err(|_| Failure::file(path, "this is not a text file"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(text: &str) -> String {
        let path =
            std::env::temp_dir().join(format!("swarm-{}-{}.toml", std::process::id(), text.len()));
        fs::write(&path, text).expect("the folder for temporary files is writable");
        let failure = read_config(&path).expect_err(text).to_string();
        fs::remove_file(&path).expect("it was just written");
        assert!(
            failure.starts_with(&path.display().to_string()),
            "{failure}"
        );
        failure
    }

    #[test]
    fn the_config_beside_this_file_is_sound() {
        let config: BroadphaseConfig =
            toml::from_str(include_str!("swarm.toml")).expect("it parses");
        config.validate().expect("it validates");
        assert_eq!(config.categories.len(), 4);
    }

    #[test]
    fn the_default_config_is_sound() {
        default_config().validate().expect("it validates");
    }

    #[test]
    fn broken_configs_say_where_and_what() {
        let unclosed = problem("[[categories]]\nname = \"pixies\nhalf_extents = [1.0, 1.0]\n");
        assert!(unclosed.contains("line 2"), "{unclosed}");
        let unknown = problem("[[categories]]\nname = \"pixies\"\nhalf_extent = [1.0, 1.0]\n");
        assert!(unknown.contains("half_extent"), "{unknown}");
        let negative = problem("[[categories]]\nname = \"pixies\"\nhalf_extents = [-1.0, 1.0]\n");
        assert!(negative.contains("pixies"), "{negative}");
        let nothing = problem("[[categories]]\nname = \"motes\"\nhalf_extents = [0.0, 0.0]\n");
        assert!(nothing.contains("motes"), "{nothing}");
    }

    #[test]
    fn missing_files_are_named() {
        let failure = read_config(Path::new("/no/such/file.toml")).expect_err("it is not there");
        assert!(
            failure
                .to_string()
                .starts_with("/no/such/file.toml: cannot be read")
        );
    }
}
