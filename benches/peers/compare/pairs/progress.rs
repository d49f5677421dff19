//! What is seen while scenes are measured: a bar on a terminal; and elsewhere, such as in the file that a long run is written to, a
//! line for each scene that is done, for each fault, and for each peer that has a process of its own.

use std::fmt::Display;
use std::io::{IsTerminal, stderr};
use std::time::Instant;

use indicatif::{ProgressBar, ProgressStyle};

use crate::figures::{OURS, Trial};

/// Where a run of some scenes is, on stderr.
pub struct Progress {
    bar: ProgressBar,
    in_lines: bool,
    begun: Instant,
}

impl Progress {
    /// Nothing is done of so many scenes.
    pub fn new(scenes: usize) -> Self {
        let style =
            ProgressStyle::with_template("{bar:30} {pos}/{len} scenes  {elapsed}  {msg}  {prefix}")
                .expect("the template is sound");
        Self {
            bar: ProgressBar::new(scenes as u64).with_style(style),
            in_lines: !stderr().is_terminal(),
            begun: Instant::now(),
        }
    }

    /// Shown to nobody.
    #[cfg(test)]
    pub fn hidden() -> Self {
        Self {
            bar: ProgressBar::hidden(),
            in_lines: false,
            begun: Instant::now(),
        }
    }

    /// A scene is measured from now on, with everybody or with one peer alone.
    pub fn begin(&self, scene: impl Display, alone: Option<&str>) {
        let text = match alone {
            None => scene.to_string(),
            Some(alone) => format!("{scene}, {alone}"),
        };
        if self.in_lines && alone.is_some() {
            self.say(&text);
        }
        self.bar.set_message(text);
    }

    /// So many rounds of it are done.
    pub fn rounds(&self, done: usize, most: usize) {
        self.bar
            .set_prefix(format!("round {done} of {most} at most"));
        self.bar.tick();
    }

    /// It is done.
    pub fn end(&self, trial: &Trial) {
        self.bar.inc(1);
        if self.in_lines {
            self.say(&told(trial));
        }
    }

    /// Something that is to be read later as well.
    pub fn say(&self, text: &str) {
        if self.in_lines {
            let of = self.bar.length().unwrap_or(0);
            let seconds = self.begun.elapsed().as_secs();
            eprintln!(
                "{:3} of {of} done, {seconds:5} s  {text}",
                self.bar.position()
            );
        } else {
            self.bar.println(text);
        }
    }

    /// All scenes are done.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

/// A scene in a line: how long our frame takes on each number of threads, and that of whoever is fastest beside it.
fn told(trial: &Trial) -> String {
    let mut text = trial.scene.to_string();
    let ours = trial.figures.iter();
    for ours in ours.filter(|figures| figures.who.name == OURS) {
        let Some(median) = ours.median() else {
            continue;
        };
        text += &format!("; {}: {median:.1} ns an agent", ours.who);
        let fastest = trial.fastest_peer(ours.who.threads);
        if let Some((peer, median)) = fastest.and_then(|peer| Some((peer, peer.median()?))) {
            text += &format!(", {} {median:.1}", peer.who.name);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::told;
    use crate::figures::{Figures, OURS, Trial};
    use crate::message::Who;
    use crate::scene::{Kind, Scene};

    #[test]
    fn a_scene_is_told_in_a_line() {
        let figures = |name: &str, threads, frame: f64| {
            let name = name.to_owned();
            let is_peer = name != OURS;
            let mut figures = Figures::new(Who { name, threads }, is_peer);
            figures.frame = vec![frame];
            figures
        };
        let scene = Scene::new(Kind::Spots, 1_000);
        let mut trial = Trial {
            scene,
            pairs_each: 1.0,
            figures: vec![
                figures(OURS, 1, 20.04),
                figures(OURS, 2, 11.0),
                figures("slow", 1, 300.0),
                figures("fast", 1, 200.0),
                Figures::failed(
                    Who {
                        name: "fast".to_owned(),
                        threads: 2,
                    },
                    true,
                    "crashed",
                ),
            ],
        };
        let [one, two] = [0, 1].map(|k| trial.figures[k].who.to_string());
        assert_eq!(
            told(&trial),
            format!("{scene}; {one}: 20.0 ns an agent, fast 200.0; {two}: 11.0 ns an agent")
        );
        trial.figures.clear();
        assert_eq!(told(&trial), scene.to_string());
    }
}
