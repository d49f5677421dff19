//! What our own frames consist of, and what they hold.

use comfy_table::Table;
use throng_benches::Samples;

use crate::figures::{Figures, Trial, samples};
use crate::tables::{new_table, titles};

/// What went into the frames of whoever can say.
pub fn shares(trials: &[Trial]) -> Table {
    let head = [
        "scene",
        "worker time of",
        "threads",
        "median",
        "% of all",
        "quartiles",
    ];
    let mut table = new_table(&head, 2);
    for trial in trials {
        let mut titles = titles(trial);
        for figures in trial
            .figures
            .iter()
            .filter(|figures| !figures.shares.is_empty())
        {
            let all = sum(figures, |_| true).unwrap_or_default();
            let parts = figures
                .shares
                .iter()
                .map(|share| (share.name.as_str(), samples(&share.time)));
            let between = sum(figures, |is_between| is_between);
            let parts =
                parts.chain(between.map(|between| ("meetings of different categories", between)));
            for (name, part) in parts {
                let part = part.per_round_over(&all);
                let [low, high] = part.quartiles();
                table.add_row([
                    titles.next().unwrap_or_default(),
                    format!("{}: {name}", figures.who.name),
                    figures.who.threads.to_string(),
                    format!("{:.1}", part.median() * all.median()),
                    format!("{:.1}", part.median() * 100.0),
                    format!("{:.1} to {:.1}", low * 100.0, high * 100.0),
                ]);
            }
        }
    }
    table
}

/// Round by round, all shares of a kind; `None` if there is none.
fn sum(figures: &Figures, is_meant: impl Fn(bool) -> bool) -> Option<Samples> {
    let shares = figures
        .shares
        .iter()
        .filter(|share| is_meant(share.is_between));
    let times: Vec<_> = shares.map(|share| samples(&share.time)).collect();
    Samples::sum(&times)
}

/// Bytes per agent of whoever can say, on one thread; a column for each scene.
pub fn memory(trials: &[Trial]) -> Table {
    let titles = trials.iter().map(|trial| trial.scene.to_string());
    let head: Vec<String> = std::iter::once("bytes per agent".to_owned())
        .chain(titles)
        .collect();
    let mut table = new_table(&head, 1);
    let held = |trial: &Trial| -> Vec<(String, f64)> {
        let of = |figures: &Figures| {
            let name = figures.who.name.clone();
            let parts = figures.memory.clone().into_iter();
            parts.map(move |(part, bytes)| (format!("{name}: {part}"), bytes))
        };
        let on_one = trial
            .figures
            .iter()
            .filter(|figures| figures.who.threads == 1);
        on_one.flat_map(of).collect()
    };
    let held: Vec<_> = trials.iter().map(held).collect();
    let mut names: Vec<&String> = Vec::new();
    for (name, _) in held.iter().flatten() {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    for name in names {
        let bytes = held.iter().map(|held| {
            let part = held.iter().find(|(part, _)| part == name);
            part.map_or(String::new(), |(_, bytes)| format!("{bytes:.1}"))
        });
        table.add_row(std::iter::once(name.clone()).chain(bytes));
    }
    table
}

#[cfg(test)]
mod tests {
    use crate::tables::tests::a_trial;

    #[test]
    fn shares_and_memory_are_of_whoever_can_say() {
        let trials = [a_trial()];
        let shares = super::shares(&trials).to_string();
        assert!(
            shares.contains("throng: search") && shares.contains("meetings"),
            "{shares}"
        );
        assert!(shares.contains("75.0"), "{shares}");
        let memory = super::memory(&trials).to_string();
        assert!(
            memory.contains("throng: index") && memory.contains("24.0"),
            "{memory}"
        );
    }
}
