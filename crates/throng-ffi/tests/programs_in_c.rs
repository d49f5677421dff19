//! Programs in C and C++ are compiled by the system's compilers, linked with the library in both of its forms, and run. They
//! compare what it finds with what they find by themselves.
//!
//! `CC` and `CXX` name other compilers, `CFLAGS` and `CXXFLAGS` what else they are told, such as to check memory:
//!
//! ```sh
//! CFLAGS=-fsanitize=address,undefined ASAN_OPTIONS=allocator_may_return_null=1 cargo test -p throng-ffi --test programs_in_c
//! ```

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What a static library of Rust needs of the system.
const SYSTEM_LIBRARIES: [&str; 3] = ["-lpthread", "-ldl", "-lm"];

fn package() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The folder with the library, as it was built for this test.
fn built() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    test.parent().unwrap().to_owned()
}

/// The compiler that a variable names, or the usual one; `None` if there is none.
fn compiler(variable: &str, usual: &str) -> Option<OsString> {
    let name = std::env::var_os(variable).unwrap_or_else(|| usual.into());
    let found = Command::new(&name).arg("--version").output();
    if cfg!(unix) && found.is_ok_and(|answer| answer.status.success()) {
        return Some(name);
    }
    eprintln!("skipped: there is no {name:?} here; {variable} may name another compiler");
    None
}

/// The files of a folder with an extension.
fn sources(folder: &str, extension: &str) -> Vec<PathBuf> {
    let files = std::fs::read_dir(package().join(folder)).unwrap();
    let files = files.map(|file| file.unwrap().path());
    let mut sources: Vec<_> = files
        .filter(|file| file.extension().is_some_and(|found| found == extension))
        .collect();
    sources.sort();
    sources
}

/// How the library is linked.
fn linked(form: &str) -> Vec<OsString> {
    let built = built();
    match form {
        "static" => {
            let mut arguments = vec![built.join("libthrong_ffi.a").into_os_string()];
            arguments.extend(SYSTEM_LIBRARIES.map(OsString::from));
            arguments
        }
        _ => {
            let rpath = |before: &str| {
                let mut argument = OsString::from(before);
                argument.push(&built);
                argument
            };
            vec![
                rpath("-L"),
                "-lthrong_ffi".into(),
                rpath("-Wl,-rpath,"),
                "-lpthread".into(),
                "-lm".into(),
            ]
        }
    }
}

fn compile_and_run(
    (compiler, flags): (&OsString, &str),
    standard: &str,
    sources: &[PathBuf],
    form: &str,
) {
    let program = built().join(format!(
        "throng-ffi-{}-{form}",
        sources[0].extension().unwrap().display()
    ));
    let mut compile = Command::new(compiler);
    compile.args([
        standard,
        "-O1",
        "-g",
        "-Wall",
        "-Wextra",
        "-Wpedantic",
        "-Werror",
    ]);
    let flags = std::env::var(flags).unwrap_or_default();
    compile.args(flags.split_whitespace());
    compile.arg("-I").arg(package().join("include"));
    compile
        .args(sources)
        .arg("-o")
        .arg(&program)
        .args(linked(form));
    run(&mut compile);
    // Cargo names folders in which there may be a library of some other time.
    run(Command::new(program)
        .env_remove("LD_LIBRARY_PATH")
        .env_remove("DYLD_LIBRARY_PATH"));
}

fn run(command: &mut Command) {
    let answer = command.output().unwrap();
    assert!(
        answer.status.success(),
        "{command:?}\n{}{}",
        String::from_utf8_lossy(&answer.stdout),
        String::from_utf8_lossy(&answer.stderr)
    );
}

#[test]
fn a_program_in_c_finds_what_it_should() {
    let Some(compiler) = compiler("CC", "cc") else {
        return;
    };
    for form in ["static", "shared"] {
        let sources = sources("tests/c", "c");
        compile_and_run((&compiler, "CFLAGS"), "-std=gnu11", &sources, form);
    }
}

#[test]
fn a_program_in_cpp_finds_what_it_should() {
    let Some(compiler) = compiler("CXX", "c++") else {
        return;
    };
    for form in ["static", "shared"] {
        let sources = sources("tests/cpp", "cpp");
        compile_and_run((&compiler, "CXXFLAGS"), "-std=c++17", &sources, form);
    }
}

/// The words of a text that begin like this, each once.
fn words<'t>(text: &'t str, begin: &str) -> std::collections::BTreeSet<&'t str> {
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    text.split(|letter| !is_part(letter))
        .filter(|word| word.starts_with(begin) && word.len() > begin.len())
        .collect()
}

fn header() -> String {
    std::fs::read_to_string(package().join("include/throng.h")).unwrap()
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
    let is_function = |name: &&str| {
        let declared = [" ", "*"].map(|before| format!("{before}{name}("));
        declared.iter().any(|start| header.contains(start))
    };
    let functions: Vec<_> = words(&header, "throng_")
        .into_iter()
        .filter(is_function)
        .collect();
    assert!(functions.len() > 50, "{functions:?}");
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
