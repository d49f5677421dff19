//! The programs in `docs/c.md`.

use std::process::Command;

use crate::compilers::{built, compile, compiler, package, run};

/// The programs of a language, in the order of the page.
fn programs<'t>(page: &'t str, language: &str) -> Vec<&'t str> {
    let begin = format!("\n```{language}\n");
    let blocks = page.split(&begin).skip(1);
    blocks
        .map(|rest| rest.split("\n```").next().unwrap())
        .collect()
}

fn run_all(language: &str, standard: &str, (variable, usual): (&str, &str)) {
    let page = std::fs::read_to_string(package().join("../../docs/c.md")).unwrap();
    let programs = programs(&page, language);
    assert!(!programs.is_empty());
    let Some(compiler) = compiler(variable, usual) else {
        return;
    };
    for (number, program) in programs.iter().enumerate() {
        let source = built().join(format!("guide-{number}.{language}"));
        std::fs::write(&source, format!("{program}\n")).unwrap();
        let program = compile(&compiler, &[standard], &[source]);
        run(&mut Command::new(program.link("static")));
    }
}

#[test]
fn programs_in_c_run() {
    run_all("c", "-std=c11", ("CC", "cc"));
}

#[test]
fn programs_in_cpp_run() {
    run_all("cpp", "-std=c++17", ("CXX", "c++"));
}
