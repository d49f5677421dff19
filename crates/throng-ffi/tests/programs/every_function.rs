//! The program in C, and whether it leaves anything out.

use std::path::PathBuf;
use std::process::Command;

use crate::compilers::{compile, compiler, run, sources};
use crate::header::{functions, header, words};

#[test]
fn a_program_in_c_finds_what_it_should() {
    let Some(compiler) = compiler("CC", "cc") else {
        return;
    };
    let program = compile(&compiler, &["-std=gnu11"], &sources("tests/c", "c"));
    for form in ["static", "shared"] {
        run(&mut Command::new(program.link(form)));
    }
}

/// For those who compile with more warnings than others.
#[test]
fn the_header_gives_no_warnings() {
    let strict = [
        "-std=c11",
        "-Wc++-compat",
        "-Wconversion",
        "-Wmissing-prototypes",
        "-Wshadow",
        "-Wsign-conversion",
        "-Wstrict-prototypes",
        "-Wundef",
    ];
    let in_cpp = [
        "-std=c++17",
        "-Wconversion",
        "-Wold-style-cast",
        "-Wshadow",
        "-Wsign-conversion",
    ];
    for (variable, name, extension, flags) in [
        ("CC", "cc", "c", &strict[..]),
        ("CXX", "c++", "cpp", &in_cpp),
    ] {
        if let Some(compiler) = compiler(variable, name) {
            compile(&compiler, flags, &sources("tests/strict", extension));
        }
    }
}

/// All of the program in C.
fn program() -> String {
    let files = ["c", "h"].map(|extension| sources("tests/c", extension));
    let read = |file: &PathBuf| std::fs::read_to_string(file).unwrap();
    files.iter().flatten().map(read).collect()
}

#[test]
fn the_program_calls_every_function() {
    let (header, program) = (header(), program());
    let functions = functions(&header);
    let is_called = |name: &&&str| program.contains(&format!("{name}("));
    let forgotten: Vec<_> = functions.iter().filter(|name| !is_called(name)).collect();
    assert!(forgotten.is_empty(), "never called: {forgotten:?}");
}

#[test]
fn the_program_sees_every_status() {
    let (header, program) = (header(), program());
    let statuses = words(&header, "THRONG_STATUS_");
    assert!(statuses.len() > 20);
    let is_seen = |name: &&&str| {
        program.contains(&format!("REFUSED({name},")) || **name == "THRONG_STATUS_OK"
    };
    let unseen: Vec<_> = statuses.iter().filter(|name| !is_seen(name)).collect();
    let expected = ["THRONG_STATUS_BUSY"];
    assert_eq!(unseen, expected.iter().collect::<Vec<_>>());
    assert!(program.contains("== THRONG_STATUS_BUSY"));
}
