//! The program in C++.

use std::process::Command;

use crate::compilers::{compile, compiler, package, run, sources};
use crate::header::{functions, header, words};

/// What is left to programs that use the functions of C.
const NOT_WRAPPED: [&str; 4] = [
    "throng_output_chunks",
    "throng_outputs_of_chunk",
    "throng_rehearse_panic",
    "throng_version",
];

#[test]
fn a_program_in_cpp_finds_what_it_should() {
    let Some(compiler) = compiler("CXX", "c++") else {
        return;
    };
    let program = compile(&compiler, &["-std=c++17"], &sources("tests/cpp", "cpp"));
    for form in ["static", "shared"] {
        run(&mut Command::new(program.link(form)));
    }
}

#[test]
fn everything_is_wrapped_that_is_not_named_here() {
    let wrappers = std::fs::read_to_string(package().join("include/throng.hpp")).unwrap();
    let (header, wrapped) = (header(), words(&wrappers, "throng_"));
    let mut others = functions(&header);
    others.retain(|name| !wrapped.contains(name));
    assert_eq!(others, NOT_WRAPPED);
}
