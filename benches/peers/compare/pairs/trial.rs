//! One scene: rounds in which everybody has a frame of the same population.

use std::error::Error;
use std::time::{Duration, Instant};

use throng_benches::{Fingerprint, Population};
use throng_peers::Stopwatch;

use crate::args::Args;
use crate::entry::{Entry, entries};
use crate::figures::compare_with_ours;
use crate::message::{Message, Who};
use crate::scene::Scene;

/// Frames before the first that is timed, for whoever keeps something: in thirty of them things get up to three half extents
/// away from where they were when a tree was built.
const WARM_UP: usize = 30;
/// In how many times its budget these have to be over; those that are not are left out.
const WARM_UP_BUDGETS: u32 = 3;

/// Runs all rounds of a scene, telling what happens.
///
/// # Errors
///
/// If the threads cannot be started, or we ourselves fail.
pub fn run(scene: Scene, args: &Args, tell: &mut dyn FnMut(Message)) -> Result<(), Box<dyn Error>> {
    let mut moving = scene.moving();
    let mut entries = entries(scene, args, moving.population())?;

    // Once untimed, so that memory has grown, and to see that the sets are the same, not only their sizes.
    compare_sets(&mut entries, moving.advance(), Message::First, tell)?;
    for _ in 0..WARM_UP {
        let population = moving.advance();
        for entry in entries.iter_mut().filter(|entry| entry.contender.keeps()) {
            if entry.spent < args.budget() * WARM_UP_BUDGETS {
                let started = Instant::now();
                tell(Message::Begun(entry.figures.who.clone()));
                entry.guarded(|contender| {
                    contender.prepare(population);
                    contender.frame(population);
                });
                entry.spent += started.elapsed();
            }
        }
    }
    entries
        .iter_mut()
        .for_each(|entry| entry.spent = Duration::ZERO);

    let most = args.rounds(scene.agents);
    let (mut pairs, mut rounds) = (0, 0);
    while rounds < most && entries.iter().any(|entry| entry.takes_part(args.budget())) {
        rounds += 1;
        let population = moving.advance();
        pairs += run_round(&mut entries, population, rounds, args.budget(), tell)?;
        tell(Message::Rounds(rounds, most));
    }
    compare_sets(&mut entries, moving.advance(), Message::Begun, tell)?;

    for Entry {
        contender, figures, ..
    } in &mut entries
    {
        let parts = contender.memory().into_iter();
        let per_agent =
            |(part, bytes): (&str, usize)| (part.to_owned(), bytes as f64 / scene.agents as f64);
        figures.memory = parts.map(per_agent).collect();
    }
    let mut figures: Vec<_> = entries.into_iter().map(|entry| entry.figures).collect();
    compare_with_ours(&mut figures);
    tell(Message::Done {
        figures,
        pairs_each: pairs as f64 / (rounds * scene.agents) as f64,
    });
    Ok(())
}

/// Everybody must find the pairs that we find; whoever does not has failed.
fn compare_sets(
    entries: &mut [Entry],
    population: &Population,
    announce: fn(Who) -> Message,
    tell: &mut dyn FnMut(Message),
) -> Result<(), Box<dyn Error>> {
    let mut expected: Option<Fingerprint> = None;
    for entry in entries {
        tell(announce(entry.figures.who.clone()));
        let found = entry.guarded(|contender| {
            contender.prepare(population);
            contender.fingerprint(population)
        });
        match (found, expected) {
            (Some(found), None) => expected = Some(found),
            (Some(found), Some(expected)) if found != expected => {
                entry.figures.failure = Some(disagreement(found.pairs, expected.pairs));
            }
            (None, None) => return Err("throng itself failed".into()),
            _ => {}
        }
    }
    Ok(())
}

fn disagreement(found: u64, expected: u64) -> String {
    if found == expected {
        format!("found {found} pairs, but others than throng")
    } else {
        format!("found {found} pairs where throng found {expected}")
    }
}

/// One frame of each, and how many pairs there were. Who begins changes from round to round, and so does the direction,
/// because it matters a little who was in the caches before.
fn run_round(
    entries: &mut [Entry],
    population: &Population,
    round: usize,
    budget: Duration,
    tell: &mut dyn FnMut(Message),
) -> Result<u64, Box<dyn Error>> {
    let agents = population.movers();
    let all = entries.len();
    let stride = if round.is_multiple_of(2) { 1 } else { all - 1 };
    let mut found = vec![None; all];
    for turn in (0..all).map(|turn| (round + turn * stride) % all) {
        let entry = &mut entries[turn];
        // Ours is there as long as anybody is.
        if turn > 0 && !entry.takes_part(budget) {
            continue;
        }
        tell(Message::Begun(entry.figures.who.clone()));
        let started = Instant::now();
        let is_ours = !entry.figures.is_peer;
        let frame = entry.guarded(|contender| {
            let watch = Stopwatch::start(contender.threads());
            contender.prepare(population);
            let prepare = watch.elapsed();
            // Ours takes the wall's time itself.
            let watch = Stopwatch::start(contender.threads());
            let mut frame = contender.frame(population);
            if is_ours && contender.threads() == 1 {
                frame.time = watch.elapsed();
            }
            if contender.prepares_in_frame() {
                frame.time += prepare;
            }
            (prepare, frame)
        });
        let Some((prepare, frame)) = frame else {
            continue;
        };
        let per_agent = |time: Duration| time.as_secs_f64() * 1e9 / agents as f64;
        let Entry {
            contender,
            figures,
            spent,
        } = entry;
        figures.prepare.push(per_agent(prepare));
        figures.frame.push(per_agent(frame.time));
        figures.filter.push(per_agent(frame.filter));
        figures.add_shares(&**contender, agents);
        *spent += started.elapsed();
        found[turn] = Some(frame.pairs);
    }
    let expected = found[0].ok_or("throng itself failed")?;
    for (entry, found) in entries.iter_mut().zip(found) {
        if let Some(found) = found.filter(|&found| found != expected) {
            entry.figures.failure = Some(disagreement(found, expected));
        }
    }
    Ok(expected)
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use throng_benches::{Contender, Fingerprint, Frame, Population};
    use throng_peers::left_out;

    use super::{Args, Entry, compare_sets, entries, run, run_round};
    use crate::figures::{Figures, OURS};
    use crate::message::Message;
    use crate::scene::{Kind, Scene};

    fn figures(kind: Kind, line: &str) -> Vec<Figures> {
        let args = std::iter::once("pairs").chain(line.split_whitespace());
        let args = Args::parse_from(args);
        let mut done = None;
        let mut tell = |message| {
            if let Message::Done {
                figures,
                pairs_each,
            } = message
            {
                assert!(pairs_each > 0.5);
                done = Some(figures);
            }
        };
        run(Scene::new(kind, 1_000), &args, &mut tell).unwrap();
        done.unwrap()
    }

    #[test]
    fn a_trial_has_figures_of_everybody() {
        let all = figures(Kind::Even, "--rounds 3 --parts");
        for figures in &all {
            let name = &figures.who.name;
            assert_eq!(figures.failure, None, "{name}");
            assert_eq!(figures.frame.len(), 3, "{name}");
            assert!(figures.median().unwrap() > 0.0, "{name}");
        }
        let names = |threads: usize| {
            let on = all
                .iter()
                .filter(move |figures| figures.who.threads == threads);
            on.map(|figures| figures.who.name.as_str())
                .collect::<Vec<_>>()
        };
        // All but those who work on one thread only.
        let left_out = left_out(2);
        let mut of_two = names(1);
        of_two.retain(|name| left_out.iter().all(|(other, _)| other != name));
        assert_eq!(of_two, names(2));
        let own = [OURS, "throng, masks on every row", "grid alone", "broccoli"];
        assert_eq!(names(1)[..4], own);
    }

    #[test]
    fn whoever_is_not_wanted_does_not_take_part() {
        let all = figures(Kind::Walls, "--rounds 2 --only broccoli --threads 1");
        let names: Vec<_> = all
            .iter()
            .map(|figures| figures.who.name.as_str())
            .collect();
        assert_eq!(names, [OURS, "broccoli"]);
        let all = figures(
            Kind::Sizes,
            "--rounds 2 --threads 1 --without broccoli,sweep",
        );
        assert!(all.iter().all(|figures| figures.who.name != "broccoli"));
    }

    /// Loses a pair in every frame, or panics.
    struct Defect(bool);

    impl Contender for Defect {
        fn name(&self) -> &'static str {
            "defect"
        }

        fn prepare(&mut self, _population: &Population) {}

        fn frame(&mut self, population: &Population) -> Frame {
            let pairs = self.fingerprint(population).pairs;
            Frame {
                time: Default::default(),
                filter: Default::default(),
                pairs,
            }
        }

        fn fingerprint(&mut self, population: &Population) -> Fingerprint {
            assert!(self.0, "out of luck");
            let mut found = Fingerprint::default();
            (1..Fingerprint::of(population).pairs).for_each(|row| found.add(0, row as u32));
            found
        }
    }

    #[test]
    fn whoever_finds_something_else_or_panics_has_failed() {
        let args = Args::parse_from(["pairs", "--threads", "1", "--only", "broccoli"]);
        let mut moving = Scene::new(Kind::Even, 500).moving();
        for (defect, why) in [
            (Defect(true), "where throng found"),
            (Defect(false), "out of luck"),
        ] {
            for in_a_round in [true, false] {
                let scene = Scene::new(Kind::Even, 500);
                let mut entries = entries(scene, &args, moving.population()).unwrap();
                entries.push(Entry::new(Box::new(Defect(defect.0)), true));
                let population = moving.advance();
                if in_a_round {
                    run_round(&mut entries, population, 1, args.budget(), &mut |_| {}).unwrap();
                } else {
                    compare_sets(&mut entries, population, Message::Begun, &mut |_| {}).unwrap();
                }
                let failures: Vec<_> = entries
                    .iter()
                    .map(|entry| entry.figures.failure.clone())
                    .collect();
                assert_eq!(failures[..2], [None, None]);
                let failure = failures[2].as_ref().unwrap();
                assert!(failure.contains(why), "{failure}");
            }
        }
    }
}
