//! From a command line to a swarm: reads the files that it names.

use std::{fs, ops::RangeInclusive, path::Path};

use throng::{BroadphaseConfig, CategoryConfig, CategoryKind};
use throng_scenes::map::GridMap;

use crate::{
    args::{Args, RowOrder},
    failure::Failure,
    setup::{Setup, Wish, default_config, of_kind},
    walls,
};

/// Half extents of which the squares are still ordinary numbers.
const HALF_EXTENTS: RangeInclusive<f32> = 1e-3..=1e6;
/// The map that comes with the scenes, by its name on the command line.
const CASTLE: &str = "castle";

/// The swarm that is asked for.
pub fn setup(args: &Args) -> Result<Setup, Failure> {
    let config = match &args.config {
        Some(path) => read_config(path)?,
        None => default_config(),
    };
    check_categories(&config, args)?;
    let map = args.map.as_deref().map(read_map).transpose()?;
    let packed = |path: &Path| walls::read(path).map(|walls| (path.to_owned(), walls));
    let packed = args.scenery_in.as_deref().map(packed).transpose()?;
    Setup::new(Wish {
        agents: args.agents,
        oversized: args.oversized,
        map,
        cell: args.cell,
        packed,
        seed: args.seed,
        sorts_rows: args.row_order == RowOrder::Space,
        awake: args.awake,
        events: args.events,
        ..Wish::of(config)
    })
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
fn read_text(path: &Path) -> Result<String, Failure> {
    let bytes = fs::read(path)
        .map_err(|error| Failure::file(path, format_args!("cannot be read: {error}")))?;
    String::from_utf8(bytes).map_err(|_| Failure::file(path, "this is not a text file"))
}

fn read_map(path: &Path) -> Result<GridMap, Failure> {
    if path == Path::new(CASTLE) {
        return Ok(GridMap::castle());
    }
    GridMap::parse(&read_text(path)?).map_err(|error| Failure::file(path, error))
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
                Ok(Request::Run(args)) => setup(&args).map(|setup| setup.counts),
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
