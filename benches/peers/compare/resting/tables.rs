//! What was measured, as a table.

use crate::trial::{Figures, Trial};
use crate::written_step::Way;

/// A row for each scene, as Markdown: medians and best times, then how many times as long as throng with rows written.
pub fn all(trials: &[Trial]) -> String {
    let Some(first) = trials.first() else {
        return String::new();
    };
    let names = || first.figures.iter().map(|figures| figures.name);
    let mut text = "| µs a step |".to_owned();
    names().for_each(|name| text += &format!(" {name} |"));
    text += "\n|---|";
    names().for_each(|_| text += "---:|");
    for trial in trials {
        text += &format!("\n| {} |", trial.scene);
        trial
            .figures
            .iter()
            .for_each(|figures| text += &format!(" {} |", cell(figures)));
    }
    text += "\n\n| times as long as throng with rows written |";
    names()
        .skip(1)
        .for_each(|name| text += &format!(" {name} |"));
    text += "\n|---|";
    names().skip(1).for_each(|_| text += "---:|");
    for trial in trials {
        text += &format!("\n| {} |", trial.scene);
        for figures in &trial.figures[1..] {
            text += &format!(" {} |", ratio(trial, figures));
        }
    }
    text + "\n"
}

fn cell(figures: &Figures) -> String {
    let (median, best) = (figures.step.median(), figures.step.best());
    let filter = figures.filter.median();
    let filter = if filter > 0.0 {
        format!(" + {filter:.0}")
    } else {
        String::new()
    };
    format!("{median:.0}{filter} ({best:.0})")
}

/// The median over rounds, and that of the best times.
fn ratio(trial: &Trial, figures: &Figures) -> String {
    let Some(ours) = trial.of(Way::Rows.name()) else {
        return String::new();
    };
    let median = figures.step.per_round_over(&ours.step).median();
    format!(
        "{median:.2} ({:.2})",
        figures.step.best() / ours.step.best()
    )
}

#[cfg(test)]
pub mod tests {
    use super::all;
    use crate::scene::{Layout, Scene};
    use crate::trial::{Figures, Trial};
    use crate::written_step::Way;

    /// With figures that nobody measured.
    pub fn a_trial(share: f64, layout: Layout) -> Trial {
        let scene = Scene {
            agents: 200_000,
            share,
            layout,
        };
        let figures = |name, step: [f64; 2], filter: f64| Figures {
            name,
            step: step.into_iter().collect(),
            filter: [filter; 2].into_iter().collect(),
        };
        Trial {
            scene,
            figures: vec![
                figures(Way::Rows.name(), [100.0, 200.0], 0.0),
                figures(Way::Columns.name(), [200.0, 300.0], 0.0),
                figures("rapier", [900.0, 1_000.0], 50.0),
            ],
        }
    }

    #[test]
    fn a_table_has_times_and_ratios() {
        let text = all(&[a_trial(0.01, Layout::Bunch)]);
        for said in [
            "| 200k, 1 % move, in one bunch | 150 (100) | 250 (200) | 950 + 50 (900) |",
            "| 200k, 1 % move, in one bunch | 1.75 (2.00) | 7.00 (9.00) |",
        ] {
            assert!(text.contains(said), "{text}");
        }
        assert_eq!(all(&[]), "");
    }
}
