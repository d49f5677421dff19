//! Starts a process for each scene, listens to it, and ends it if somebody takes forever.

use std::error::Error;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use throng_peers::ways;

use crate::args::Args;
use crate::figures::{Figures, OURS, Trial};
use crate::message::{Message, Who};
use crate::progress::Progress;
use crate::scene::Scene;

/// Measures every scene that is asked for.
///
/// # Errors
///
/// If a process cannot be started, or ends without anybody else to blame.
pub fn run_all(args: &Args) -> Result<Vec<Trial>, Box<dyn Error>> {
    let scenes = args.scenes();
    let progress = Progress::new(scenes.len());
    let mut trials = Vec::new();
    for (index, scene) in scenes.into_iter().enumerate() {
        let trial = run(index, scene, args, &progress)?;
        progress.end(&trial);
        trials.push(trial);
    }
    progress.finish();
    Ok(trials)
}

/// From here on there is not memory for everybody at once: each peer has a process of its own, with ours.
const CROWD: usize = 4_000_000;

fn run(
    index: usize,
    scene: Scene,
    args: &Args,
    progress: &Progress,
) -> Result<Trial, Box<dyn Error>> {
    if scene.agents <= CROWD {
        return run_together(index, scene, None, args, progress);
    }
    let mut all: Option<Trial> = None;
    for (name, _) in ways() {
        let trial = run_together(index, scene, Some(name), args, progress)?;
        match &mut all {
            None => all = Some(trial),
            Some(all) => {
                let peers = trial.figures.into_iter().filter(|figures| figures.is_peer);
                all.figures.extend(peers);
            }
        }
    }
    all.ok_or_else(|| "there are no peers".into())
}

/// How many times as long as another the first frame may take: trees are built in it, one by one.
const FIRST: u32 = 6;

/// How the process of a scene ended.
enum End {
    Done(Vec<Figures>, f64),
    /// Whose fault it was, and what happened.
    Fault(Who, String),
}

/// Runs a scene with everybody, or with one peer alone.
fn run_together(
    index: usize,
    scene: Scene,
    alone: Option<&str>,
    args: &Args,
    progress: &Progress,
) -> Result<Trial, Box<dyn Error>> {
    progress.begin(scene, alone);
    let mut faults: Vec<(Who, String)> = Vec::new();
    loop {
        let mut child = start(index, alone, &faults)?;
        let heard = listen(&mut child);
        let end = follow(&heard, args.limit(), progress);
        // It has ended by itself, or must now; whoever has ended cannot be ended again.
        if matches!(end, Ok(End::Fault(..)) | Err(_)) {
            let _ = child.kill();
        }
        let status = child.wait()?;
        match end? {
            End::Done(mut figures, pairs_each) => {
                for (who, why) in &faults {
                    let failed = who.on_each_that_it_runs_on(args);
                    figures.extend(failed.map(|who| Figures::failed(who, true, why)));
                }
                return Ok(Trial {
                    scene,
                    pairs_each,
                    figures,
                });
            }
            End::Fault(who, why) if who.name == OURS => {
                return Err(format!("{scene}: {who}: {why} ({status})").into());
            }
            End::Fault(who, why) => {
                progress.say(&format!("{scene}: {who}: {why}"));
                faults.push((who, why));
            }
        }
    }
}

/// This program again, for one scene, without those who have failed.
fn start(index: usize, alone: Option<&str>, faults: &[(Who, String)]) -> std::io::Result<Child> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(std::env::args_os().skip(1));
    command.args(["--child", &index.to_string()]);
    if let Some(alone) = alone {
        command.args(["--alone", alone]);
    }
    for (who, _) in faults {
        command.args(["--failed", &who.name]);
    }
    command.stdin(Stdio::null()).stdout(Stdio::piped());
    if !faults.is_empty() {
        // What it has to say it has said the first time.
        command.stderr(Stdio::null());
    }
    command.spawn()
}

/// What it says, as it comes.
fn listen(child: &mut Child) -> Receiver<Message> {
    let (sender, receiver) = channel();
    if let Some(stdout) = child.stdout.take() {
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                // What a library prints is no message.
                if let Ok(message) = serde_json::from_str(&line)
                    && sender.send(message).is_err()
                {
                    return;
                }
            }
        });
    }
    receiver
}

fn follow(
    heard: &Receiver<Message>,
    limit: Duration,
    progress: &Progress,
) -> Result<End, Box<dyn Error>> {
    let mut at_work: Option<(Who, Duration)> = None;
    loop {
        let message = match &at_work {
            // Scenes take their time, and nobody is to blame.
            None => heard.recv().map_err(|_| RecvTimeoutError::Disconnected),
            Some((_, limit)) => heard.recv_timeout(*limit),
        };
        match (message, at_work.take()) {
            (Ok(Message::First(who)), _) => at_work = Some((who, limit * FIRST)),
            (Ok(Message::Begun(who)), _) => at_work = Some((who, limit)),
            (Ok(Message::Rounds(done, most)), _) => {
                progress.rounds(done, most);
            }
            (
                Ok(Message::Done {
                    figures,
                    pairs_each,
                }),
                _,
            ) => {
                return Ok(End::Done(figures, pairs_each));
            }
            (Err(RecvTimeoutError::Timeout), Some((who, limit))) => {
                let why = format!("cut off: more than {} s for a frame", limit.as_secs());
                return Ok(End::Fault(who, why));
            }
            (Err(_), Some((who, _))) => return Ok(End::Fault(who, "crashed".to_owned())),
            (Err(_), None) => return Err("a scene ended before anybody had begun".into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;
    use std::time::Duration;

    use super::{End, follow};
    use crate::message::{Message, Who};
    use crate::progress::Progress;

    fn somebody() -> Who {
        Who {
            name: "somebody".to_owned(),
            threads: 1,
        }
    }

    #[test]
    fn whoever_takes_forever_or_crashes_is_named() {
        let (sender, receiver) = channel();
        let (limit, progress) = (Duration::from_millis(20), Progress::hidden());
        sender.send(Message::First(somebody())).unwrap();
        sender.send(Message::Begun(somebody())).unwrap();
        let end = follow(&receiver, limit, &progress).unwrap();
        assert!(
            matches!(end, End::Fault(who, why) if who == somebody() && why.contains("cut off"))
        );

        sender.send(Message::Begun(somebody())).unwrap();
        drop(sender);
        let end = follow(&receiver, limit, &progress).unwrap();
        assert!(matches!(end, End::Fault(_, why) if why == "crashed"));
        assert!(follow(&receiver, limit, &progress).is_err());
    }

    #[test]
    fn figures_are_passed_on() {
        let (sender, receiver) = channel();
        let messages = [
            Message::Begun(somebody()),
            Message::Rounds(1, 2),
            Message::Done {
                figures: Vec::new(),
                pairs_each: 1.0,
            },
        ];
        messages
            .into_iter()
            .for_each(|message| sender.send(message).unwrap());
        let end = follow(&receiver, Duration::from_secs(5), &Progress::hidden()).unwrap();
        assert!(matches!(end, End::Done(..)));
    }
}
