//! The program in C++.

use std::process::Command;

use crate::compilers::{compile, compiler, run, sources};

#[test]
fn a_program_in_cpp_finds_what_it_should() {
    let Some(compiler) = compiler("CXX", "c++") else {
        return;
    };
    for form in ["static", "shared"] {
        let sources = sources("tests/cpp", "cpp");
        let program = compile(&compiler, &["-std=c++17"], &sources, form);
        run(&mut Command::new(program));
    }
}
