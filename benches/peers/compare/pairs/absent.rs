//! Who would take part and does not: named as failures, once for all scenes.

use throng_peers::left_out;

use crate::args::Args;
use crate::message::Who;

/// What stands in place of a scene.
pub const EVERY_SCENE: &str = "every scene";

/// Somebody who has figures on no scene.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Absent {
    /// As in the tables.
    pub name: String,
    /// On how many threads it is left out.
    pub threads: Vec<usize>,
    /// Why.
    pub why: &'static str,
}

/// All who were asked for and do not take part, each once for each reason.
pub fn absent(args: &Args) -> Vec<Absent> {
    let mut all: Vec<Absent> = Vec::new();
    for threads in args.thread_counts() {
        for (name, why) in left_out(threads) {
            let name = name.to_owned();
            let who = Who { name, threads };
            if !args.wants(&who) {
                continue;
            }
            let same = |absent: &&mut Absent| absent.name == who.name && absent.why == why;
            match all.iter_mut().find(same) {
                Some(absent) => absent.threads.push(threads),
                None => all.push(Absent {
                    name: who.name,
                    threads: vec![threads],
                    why,
                }),
            }
        }
    }
    all
}

impl Who {
    /// The same on each number of threads for which it is not left out: whoever fails on one has not been asked on the others.
    pub fn on_each_that_it_runs_on(&self, args: &Args) -> impl Iterator<Item = Self> {
        let is_left_out = |threads| {
            left_out(threads)
                .into_iter()
                .any(|(name, _)| name == self.name)
        };
        let counts = args.thread_counts().into_iter();
        let counts = counts.filter(move |&threads| !is_left_out(threads));
        counts.map(|threads| Self {
            threads,
            ..self.clone()
        })
    }
}

impl Absent {
    /// What failed, as failures are said.
    pub fn failure(&self) -> String {
        format!("left out: {}", self.why)
    }

    /// The numbers of threads, in words.
    pub fn said_of_threads(&self) -> String {
        let counts: Vec<_> = self.threads.iter().map(usize::to_string).collect();
        counts.join(" and ")
    }
}

#[cfg(test)]
pub mod tests {
    use clap::Parser;

    use super::{Absent, absent};
    use crate::args::Args;
    use crate::message::Who;

    /// Somebody who is not there on either number of threads, and somebody who is on one.
    pub fn two() -> Vec<Absent> {
        let absent = |name: &str, threads: &[usize], why| Absent {
            name: name.to_owned(),
            threads: threads.to_vec(),
            why,
        };
        vec![
            absent("away", &[1, 2], "gone fishing"),
            absent("loner", &[2], "works alone"),
        ]
    }

    fn of(line: &[&str]) -> Vec<Absent> {
        absent(&Args::parse_from([&["pairs"], line].concat()))
    }

    #[test]
    fn whoever_fails_has_failed_where_it_runs() {
        let args = Args::parse_from(["pairs"]);
        let failed_on = |name: &str| {
            let who = Who {
                name: name.to_owned(),
                threads: 1,
            };
            let each = who.on_each_that_it_runs_on(&args);
            each.map(|who| who.threads).collect::<Vec<_>>()
        };
        assert_eq!(failed_on("broccoli"), [1, 2]);
        assert!([&[1][..], &[]].contains(&&*failed_on("LAMMPS")));
    }

    #[test]
    fn whoever_is_not_there_is_named_once_if_wanted() {
        // Here or not, it does not run on two threads.
        let all = of(&[]);
        let named = all.iter().filter(|absent| absent.name == "LAMMPS");
        let counts: Vec<_> = named.map(|absent| absent.threads.as_slice()).collect();
        assert!(counts == [&[1, 2][..]] || counts == [&[2][..]], "{all:?}");
        let is_here = cfg!(feature = "all-peers");
        let are_named = |name: &str| all.iter().filter(|absent| absent.name == name).count();
        for name in ["rapier", "obvhs", "Box2D tree"] {
            assert_eq!(are_named(name), usize::from(!is_here), "{name}");
        }
        assert_eq!(of(&["--only", "broccoli"]), []);
        let others = of(&["--without", "LAMMPS"]);
        assert!(others.iter().all(|absent| absent.name != "LAMMPS"));
    }
}
