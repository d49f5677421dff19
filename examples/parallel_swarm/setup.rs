//! From a command line to a world: which kinds of units, on what ground, how many of each.

use std::{fs, ops::RangeInclusive, path::Path};

use throng::{BroadphaseConfig, CategoryConfig, CategoryKind, EventsWith, Resting};

use crate::{
    args::{Args, RowOrder},
    bodies::shares,
    failure::Failure,
    ground::{Crowd, Ground},
    sizes::Sizes,
    sleep::{self, Share},
    terrain::Terrain,
    walls::{self, Walls},
};

/// Half extents of which the squares are still ordinary numbers.
const HALF_EXTENTS: RangeInclusive<f32> = 1e-3..=1e6;

/// All that decides how a run goes, but for the number of threads.
pub struct Setup {
    /// The categories, each a kind of unit.
    pub config: BroadphaseConfig,
    /// Where units may be.
    pub terrain: Terrain,
    /// What they run into there.
    pub walls: Walls,
    /// How many of each kind there are at first.
    pub counts: Vec<usize>,
    /// How big the oversized are.
    pub sizes: Sizes,
    /// Where the random numbers start.
    pub seed: u64,
    /// How bodies lie in memory.
    pub row_order: RowOrder,
    /// How many of them are awake, unless all are.
    pub awake: Option<Share>,
}

impl Setup {
    /// Reads the files that the arguments name.
    pub fn new(args: &Args) -> Result<Self, Failure> {
        let mut config = match &args.config {
            Some(path) => read_config(path)?,
            None => default_config(),
        };
        check_categories(&config, args)?;
        if args.map.is_some() || args.scenery_in.is_some() {
            walls::make_room(&mut config);
        }
        if args.events {
            for category in &mut config.categories {
                category.events = EventsWith::Everybody;
            }
        }
        if args.awake.is_some() {
            let categories = config.categories.iter_mut();
            let moving = categories.filter(|category| category.kind != CategoryKind::Scenery);
            for category in moving.filter(|category| category.rests == Resting::Never) {
                category.rests = Resting::After(sleep::RESTS_AFTER);
            }
        }
        let bounds: Vec<[f32; 2]> = of_kind(&config, CategoryKind::Uniform)
            .map(|(_, category)| category.half_extents)
            .collect();
        let shares = shares(&bounds, args.agents);
        let largest = bounds.iter().flatten().copied().reduce(f32::max);
        let crowd = Crowd {
            oversized: args.oversized,
            // Where there are no agents to be larger than, a unit of length is as good as any.
            largest: largest.unwrap_or(1.0),
            bounds,
            shares,
        };
        let Ground {
            terrain,
            walls,
            open_area,
        } = crowd.ground(args)?;
        Ok(Self {
            counts: counts(&config, &crowd.shares, args.oversized),
            sizes: Sizes::new(crowd.largest, open_area),
            config,
            terrain,
            walls,
            seed: args.seed,
            row_order: args.row_order,
            awake: args.awake.map(|share| Share::new(share, args.seed)),
        })
    }
}

/// Refuses to look for those asked for where the configuration has no place for them.
fn check_categories(config: &BroadphaseConfig, args: &Args) -> Result<(), Failure> {
    for (asked, option, kind, name) in [
        (args.agents, "--agents", CategoryKind::Uniform, "uniform"),
        (
            args.oversized,
            "--oversized",
            CategoryKind::Oversized,
            "oversized",
        ),
    ] {
        if asked > 0 && of_kind(config, kind).next().is_none() {
            let sentence = format!(
                "there is no category for {option} {asked}; add one with kind = \"{name}\", or ask for {option} 0"
            );
            return Err(match &args.config {
                Some(path) => Failure::file(path, sentence),
                None => Failure::input(sentence),
            });
        }
    }
    Ok(())
}

/// The categories of one kind, each with its place in the configuration.
fn of_kind(
    config: &BroadphaseConfig,
    kind: CategoryKind,
) -> impl Iterator<Item = (usize, &CategoryConfig)> {
    let categories = config.categories.iter().enumerate();
    categories.filter(move |(_, category)| category.kind == kind)
}

/// How many there are in each category: agents as they are shared out, and an equal part of the oversized.
fn counts(config: &BroadphaseConfig, shares: &[usize], oversized: usize) -> Vec<usize> {
    let mut counts = vec![0; config.categories.len()];
    for ((place, _), share) in of_kind(config, CategoryKind::Uniform).zip(shares) {
        counts[place] = *share;
    }
    let kinds = of_kind(config, CategoryKind::Oversized).count().max(1);
    for (turn, (place, _)) in of_kind(config, CategoryKind::Oversized).enumerate() {
        counts[place] = oversized / kinds + usize::from(turn < oversized % kinds);
    }
    counts
}

/// Three kinds of agents, each twice the size of the one before, and dragons.
pub fn default_config() -> BroadphaseConfig {
    BroadphaseConfig::new()
        .category(CategoryConfig::uniform("pixies", 0.3).coarse())
        .category(CategoryConfig::uniform("infantry", 0.6).coarse())
        .category(CategoryConfig::uniform("cavalry", 1.2).coarse())
        .category(CategoryConfig::oversized("dragons"))
}

fn read_config(path: &Path) -> Result<BroadphaseConfig, Failure> {
    let text = read_text(path)?;
    let config: BroadphaseConfig = toml::from_str(&text)
        .map_err(|error| Failure::file(path, place_and_reason(&text, &error)))?;
    config
        .validate()
        .map_err(|problems| Failure::file(path, problems))?;
    let is_fit = |category: &&CategoryConfig| {
        // The bound of an oversized category may be infinite, its bodies have sizes of their own; so may that of walls.
        let least = HALF_EXTENTS.start();
        category
            .half_extents
            .iter()
            .all(|half| match category.kind {
                CategoryKind::Oversized | CategoryKind::Scenery => half >= least,
                _ => HALF_EXTENTS.contains(half),
            })
    };
    match config.categories.iter().find(|category| !is_fit(category)) {
        Some(category) => Err(Failure::file(
            path,
            format_args!(
                "category {:?}: units of this swarm have half extents from {} to {}, not {:?}",
                category.name,
                HALF_EXTENTS.start(),
                HALF_EXTENTS.end(),
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

/// The text of a file.
pub fn read_text(path: &Path) -> Result<String, Failure> {
    let bytes = fs::read(path)
        .map_err(|error| Failure::file(path, format_args!("cannot be read: {error}")))?;
    String::from_utf8(bytes).map_err(|_| Failure::file(path, "this is not a text file"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{self, Request};

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
        assert_eq!(config.categories.len(), 5);
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
        let flat = problem(
            "[[categories]]\nname = \"eels\"\nkind = \"oversized\"\nhalf_extents = [5.0, 0.0]\n",
        );
        assert!(flat.contains("eels"), "{flat}");
    }

    #[test]
    fn everyone_asked_for_needs_a_category() {
        let path = std::env::temp_dir().join(format!("swarm-{}-kinds.toml", std::process::id()));
        let asked = |kind: &str, options: &str| {
            let bound = "half_extents = [1.0, 1.0]";
            let text = format!("[[categories]]\nname = \"all\"\nkind = {kind:?}\n{bound}\n");
            fs::write(&path, text).expect("the folder for temporary files is writable");
            let path = path.to_str().expect("the name is plain");
            let line = ["parallel_swarm", "--config", path];
            let line = line.into_iter().chain(options.split(' '));
            match args::read(line.map(Into::into)) {
                Ok(Request::Run(args)) => Setup::new(&args).map(|setup| setup.counts),
                other => panic!("{options}: {other:?}"),
            }
        };
        let without = asked("uniform", "--agents 9 --oversized 2").expect_err("no oversized");
        assert!(without.to_string().contains("--oversized 2"), "{without}");
        let without = asked("oversized", "--oversized 2").expect_err("no uniform");
        assert!(without.to_string().contains("--agents 20000"), "{without}");
        assert_eq!(asked("uniform", "--agents 9"), Ok(vec![9]));
        assert_eq!(asked("oversized", "--agents 0 --oversized 2"), Ok(vec![2]));
        fs::remove_file(&path).expect("it was just written");
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
