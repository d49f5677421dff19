//! The swarm of `examples/embed_c` is the same in C as in Rust, to the last contact.

#[path = "../../../../examples/embed_c/swarm.rs"]
mod swarm;

use std::process::Command;

use crate::compilers::{compile, compiler, package, run};
use swarm::Swarm;

#[test]
fn swarms_are_the_same() {
    const MARBLES: usize = 3000;
    const FRAMES: usize = 100;
    let mut swarm = Swarm::new(MARBLES, 1).unwrap();
    let mut contacts = 0;
    for _ in 0..FRAMES {
        let frame = swarm.frame().unwrap();
        assert!(!frame.step.is_zero());
        contacts += frame.contacts;
    }
    assert!(contacts > MARBLES);

    let Some(compiler) = compiler("CC", "cc") else {
        return;
    };
    let folder = package().join("../../examples/embed_c");
    let sources = ["main.c", "swarm.c"].map(|file| folder.join(file));
    let program = compile(&compiler, &["-std=gnu11", "-ffp-contract=off"], &sources);
    let program = program.link("static");
    for threads in ["0", "1", "4"] {
        let arguments = [&MARBLES.to_string(), &FRAMES.to_string(), threads];
        let said = run(Command::new(&program).args(arguments));
        let expected = format!("{contacts} contacts, hash {:016x}", swarm.hash);
        assert!(
            said.contains(&expected),
            "{expected} in Rust, and in C:\n{said}"
        );
    }
}
