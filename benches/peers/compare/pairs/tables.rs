//! What was measured, for a person at a terminal, and for another program.

use comfy_table::{CellAlignment, Table, presets::UTF8_BORDERS_ONLY};
use serde_json::{Value, json};
use throng_benches::Samples;

use crate::absent::{Absent, EVERY_SCENE};
use crate::figures::{Figures, Trial, samples};

/// Everybody on every scene, or why not; ratios say how many times as fast ours is on as many threads. Whoever is not there comes
/// last.
pub fn all(trials: &[Trial], absent: &[Absent]) -> Table {
    let head = [
        "scene",
        "who",
        "threads",
        "before",
        "best",
        "median",
        "filter",
        "throng x",
        "quartiles",
    ];
    let mut table = new_table(&head, 2);
    for trial in trials {
        let mut titles = titles(trial);
        for figures in &trial.figures {
            let mut row = vec![
                titles.next().unwrap_or_default(),
                figures.who.name.clone(),
                figures.who.threads.to_string(),
            ];
            match &figures.failure {
                Some(why) => row.extend([String::new(), String::new(), format!("failed: {why}")]),
                None => {
                    row.push(format!("{:.1}", samples(&figures.prepare).median()));
                    let frame = samples(&figures.frame);
                    row.extend([frame.best(), frame.median()].map(|figure| format!("{figure:.1}")));
                    row.push(said_of_filter(figures).unwrap_or_default());
                    row.extend(ratio(&samples(&figures.ratios)));
                }
            }
            table.add_row(row);
        }
    }
    let mut titles = std::iter::once(EVERY_SCENE.to_owned());
    for absent in absent {
        table.add_row([
            titles.next().unwrap_or_default(),
            absent.name.clone(),
            absent.said_of_threads(),
            String::new(),
            String::new(),
            format!("failed: {}", absent.failure()),
        ]);
    }
    table
}

/// Several threads against one.
pub fn scaling(trials: &[Trial]) -> Table {
    let head = [
        "scene",
        "who",
        "threads",
        "x one: of bests",
        "median",
        "quartiles",
    ];
    let mut table = new_table(&head, 2);
    for trial in trials {
        let mut titles = titles(trial);
        for many in trial
            .figures
            .iter()
            .filter(|figures| figures.who.threads > 1)
        {
            let one = trial.of(&many.who.name, 1);
            let sound = one.filter(|one| one.median().is_some() && many.median().is_some());
            let Some(one) = sound else { continue };
            let mut row = vec![
                titles.next().unwrap_or_default(),
                many.who.name.clone(),
                many.who.threads.to_string(),
            ];
            // Two workers that wake on one processor spoil a median and leave the best alone.
            let bests = samples(&one.frame).best() / samples(&many.frame).best();
            row.push(format!("{bests:.2}"));
            row.extend(ratio(&samples(&one.over(many))));
            table.add_row(row);
        }
    }
    table
}

/// The figures of everybody on a scene, each as a line of JSON.
pub fn json(trial: &Trial) -> Vec<Value> {
    let scene = &trial.scene;
    let of = |figures: &Figures| {
        let said = |figures: &[f64]| {
            let samples = samples(figures);
            json!({ "best": samples.best(), "median": samples.median() })
        };
        json!({
            "scene": scene.to_string(),
            "agents": scene.agents,
            "pairs_each": trial.pairs_each,
            "share": scene.share,
            "who": figures.who.name,
            "threads": figures.who.threads,
            "is_peer": figures.is_peer,
            "failure": figures.failure,
            "rounds": figures.frame.len(),
            "ns_per_agent": said(&figures.frame),
            "filter": said(&figures.filter),
            "before": said(&figures.prepare),
            "times_throng": samples(&figures.ratios).median(),
        })
    };
    trial.figures.iter().map(of).collect()
}

/// Whoever is not there, on each number of threads, as lines of JSON like those of a scene.
pub fn json_of_absent(absent: &Absent) -> Vec<Value> {
    let of = |threads: &usize| {
        json!({
            "scene": null,
            "who": absent.name,
            "threads": threads,
            "is_peer": true,
            "failure": absent.failure(),
            "rounds": 0,
        })
    };
    absent.threads.iter().map(of).collect()
}

/// The time that it takes somebody to get to the exact pairs, if it takes any.
pub fn said_of_filter(figures: &Figures) -> Option<String> {
    let filter = samples(&figures.filter).median();
    (filter > 0.0).then(|| format!("{filter:.1}"))
}

/// What stands before the rows of a scene.
pub fn titles(trial: &Trial) -> impl Iterator<Item = String> + use<> {
    let found = format!("  {:.3} pairs each", trial.pairs_each);
    [trial.scene.to_string(), found].into_iter()
}

/// Nothing where there is nothing to say.
fn ratio(per_round: &Samples) -> [String; 2] {
    if per_round.is_empty() {
        return Default::default();
    }
    let [low, high] = per_round.quartiles();
    [
        format!("{:.2}", per_round.median()),
        format!("{low:.2} to {high:.2}"),
    ]
}

/// The first columns hold words, the others figures.
pub fn new_table<S: ToString>(head: &[S], words: usize) -> Table {
    let mut table = Table::new();
    table
        .load_style(UTF8_BORDERS_ONLY)
        .set_header(head.iter().map(S::to_string));
    for column in table.column_iter_mut().skip(words) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

#[cfg(test)]
pub mod tests {
    use crate::absent::tests::two;
    use crate::figures::{Figures, OURS, Share, Trial, compare_with_ours};
    use crate::message::Who;
    use crate::scene::{Kind, Scene};

    fn figures(name: &str, threads: usize, time: f64) -> Figures {
        let who = Who {
            name: name.to_owned(),
            threads,
        };
        let is_peer = name != OURS;
        let mut figures = Figures::new(who, is_peer);
        figures.frame = vec![time, 2.0 * time, 2.0 * time];
        figures.prepare = vec![1.0; 3];
        figures.filter = vec![if name == "slow" { 7.0 } else { 0.0 }; 3];
        if !is_peer {
            let share = |name: &str, is_between, time| Share {
                name: name.to_owned(),
                is_between,
                time: vec![time; 3],
            };
            figures.shares = vec![share("search", false, 1.0), share("both", true, 3.0)];
            figures.memory = vec![("index".to_owned(), 24.0)];
        }
        figures
    }

    /// Of ours, of a peer that is slow, of one that is fast on two threads, and of one that has failed.
    pub fn a_trial() -> Trial {
        let failed = Who {
            name: "lost".to_owned(),
            threads: 1,
        };
        let mut trial = Trial {
            scene: Scene::new(Kind::Even, 100_000),
            pairs_each: 1.0,
            figures: vec![
                figures(OURS, 1, 10.0),
                figures(OURS, 2, 5.0),
                figures("slow", 1, 80.0),
                figures("slow", 2, 50.0),
                figures("quick", 1, 20.0),
                figures("quick", 2, 4.0),
                Figures::failed(failed, true, "panicked: of boredom"),
            ],
        };
        compare_with_ours(&mut trial.figures);
        trial
    }

    #[test]
    fn everybody_is_in_the_tables_and_so_is_why_not() {
        let trials = [a_trial()];
        let all = super::all(&trials, &two()).to_string();
        for said in [
            "8.00",
            "10.00",
            "0.80",
            "7.0",
            "failed: panicked: of boredom",
            "every scene",
            "failed: left out: gone fishing",
            "failed: left out: works alone",
        ] {
            assert!(all.contains(said), "{said}\n{all}");
        }
        let scaling = super::scaling(&trials).to_string();
        for said in ["1.60", "5.00"] {
            assert!(scaling.contains(said), "{said}\n{scaling}");
        }
        let lines = super::json(&trials[0]);
        assert_eq!(lines.len(), 7);
        assert_eq!(lines[2]["times_throng"], 8.0);
        assert_eq!(lines[6]["failure"], "panicked: of boredom");
        let lines: Vec<_> = two().iter().flat_map(super::json_of_absent).collect();
        assert_eq!(lines.len(), 3);
        assert_eq!(
            (&lines[1]["who"], &lines[1]["threads"]),
            (&"away".into(), &2.into())
        );
        assert_eq!(lines[2]["failure"], "left out: works alone");
    }

    #[test]
    fn the_fastest_peer_is_of_as_many_threads() {
        let trial = a_trial();
        assert_eq!(trial.fastest_peer(1).unwrap().who.name, "quick");
        assert_eq!(trial.fastest_peer(2).unwrap().median(), Some(8.0));
    }
}
