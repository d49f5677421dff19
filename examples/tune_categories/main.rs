//! Which categories a world should have: measured, advised, suggested, and tried against each other.
//!
//! ```sh
//! cargo run --release --example tune_categories
//! cargo run --release --example tune_categories -- --agents 50k --picture sizes.png
//! ```
//!
//! Each scene begins as worlds do, with one category for everybody. After some frames the report's advice is printed
//! and followed until there is none left. Then the first config, the advised one, and the one suggested for the scene's
//! boxes are run by turns, and a table says what each costs. `--headless` changes nothing: there is no window.

mod args;
#[path = "../shared/canvas.rs"]
#[allow(dead_code, reason = "a plot has no use for rings")]
mod canvas;
mod check;
mod crowd;
mod plot;
mod table;
mod trial;

use std::{error::Error, process::ExitCode};

use clap::Parser;
use throng::{Advice, BroadphaseConfig, CategoryConfig};

use args::Args;
use crowd::Crowd;
use trial::Trial;

/// Frames before advice is asked for.
const FRAMES_TO_LEARN: usize = 4;
/// How often advice is followed before what is left of it is taken as it is.
const MOST_ROUNDS: usize = 6;

fn main() -> ExitCode {
    match run(&Args::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("tune_categories: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: &Args) -> Result<(), Box<dyn Error>> {
    let mut crowds = vec![
        crowd::lord_of_the_rings(args.agents, args.seed),
        crowd::log_uniform(args.agents, args.seed),
    ];
    match crowd::recorded(&args.recording, args.agents)? {
        Some(recorded) => crowds.push(recorded),
        None => println!(
            "No recorded crowd: there is no {}\n",
            args.recording.display()
        ),
    }
    let mut tuned = Vec::new();
    for crowd in crowds {
        let configs = tune(&crowd, args.rounds)?;
        tuned.push((crowd, configs));
    }
    let (crowd, configs) = &tuned[0];
    if let Some(path) = &args.picture {
        let bounds = plot::sweep(crowd, args.rounds)?;
        plot::write(path, crowd, configs, &bounds)?;
        println!(
            "Sizes and times of the first scene are drawn in {}",
            path.display()
        );
    }
    if let Some(path) = &args.config_out {
        let file = toml::to_string(&configs.suggested)?;
        std::fs::write(path, &file)?;
        let read: BroadphaseConfig = toml::from_str(&file)?;
        if read != configs.suggested {
            return Err("the config that was written is not the one that is read".into());
        }
        println!(
            "The config suggested for the first scene is in {}",
            path.display()
        );
    }
    Ok(())
}

/// The configs of a scene.
pub struct Configs {
    /// One category for everybody.
    pub first: BroadphaseConfig,
    /// What following the advice made of it.
    pub advised: BroadphaseConfig,
    /// What is suggested for the scene's boxes.
    pub suggested: BroadphaseConfig,
}

/// Finds a scene's configs, checks that all of them find the same, and prints what each costs.
fn tune(crowd: &Crowd, rounds: usize) -> Result<Configs, Box<dyn Error>> {
    println!("== {}: {} agents\n", crowd.name, crowd.agents());
    let first = first_config(crowd);
    let advised = follow_advice(crowd, &first)?;
    let configs = Configs {
        suggested: BroadphaseConfig::suggest_with_scenery(&crowd.sample(), &crowd.fixed),
        first,
        advised,
    };
    println!(
        "suggested for its boxes:\n\n{}",
        toml::to_string(&configs.suggested)?
    );

    let named = [
        ("one category", &configs.first),
        ("as advised", &configs.advised),
        ("as suggested", &configs.suggested),
    ];
    check::same_pairs(crowd, &named)?;
    let mut trials = Vec::new();
    for (name, config) in named {
        trials.push((name, Trial::new(crowd, config.clone())?));
    }
    trial::by_turns(crowd, &mut trials, rounds)?;
    println!("{}", table::of(&trials));
    let [first, advised, suggested] = [0, 1, 2].map(|k: usize| trials[k].1.median());
    println!(
        "One category takes {:.2} times as long as the advised ones, and {:.2} times as long as the suggested ones. The \
         pairs are the same, and those of brute force.\n",
        first / advised,
        first / suggested
    );
    Ok(configs)
}

/// One category for everything that moves, as large as the largest.
fn first_config(crowd: &Crowd) -> BroadphaseConfig {
    let config = BroadphaseConfig::new().category(
        CategoryConfig::uniform("everybody", 0.0)
            .coarse()
            .half_extents(crowd.largest()),
    );
    if crowd.fixed.is_empty() {
        config
    } else {
        config.category(CategoryConfig::scenery("walls"))
    }
}

/// Runs some frames, prints the advice, follows it, and so on until there is none.
fn follow_advice(
    crowd: &Crowd,
    first: &BroadphaseConfig,
) -> Result<BroadphaseConfig, Box<dyn Error>> {
    let mut config = first.clone();
    let mut given = advice(crowd, &config)?;
    let before = given.len();
    for _ in 0..MOST_ROUNDS {
        given
            .iter()
            .for_each(|advice| println!("Advice for {advice}.\n"));
        let followed = given.iter().filter(|advice| advice.apply(&mut config));
        if followed.count() == 0 {
            break;
        }
        config.validate()?;
        given = advice(crowd, &config)?;
    }
    match (before, given.len()) {
        (0, _) => println!("No advice: it is well as it is.\n"),
        (_, 0) => println!("No advice is left once that is followed.\n"),
        (before, left) if left < before => {
            println!("Of {before} pieces of advice {left} are left.\n")
        }
        _ => return Err("following the advice did not make it less".into()),
    }
    Ok(config)
}

fn advice(crowd: &Crowd, config: &BroadphaseConfig) -> Result<Vec<Advice>, Box<dyn Error>> {
    let mut trial = Trial::new(crowd, config.clone())?;
    for frame in 0..FRAMES_TO_LEARN {
        trial.frame(crowd, frame)?;
    }
    Ok(trial.report().advice())
}
