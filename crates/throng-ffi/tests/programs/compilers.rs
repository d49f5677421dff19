//! The system's compilers, and how programs are linked with the library.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread::{available_parallelism, scope};

/// What a static library of Rust needs of the system.
const SYSTEM_LIBRARIES: [&str; 3] = ["-lpthread", "-ldl", "-lm"];

pub fn package() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The folder with the library, as it was built for this test.
pub fn built() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    test.parent().unwrap().to_owned()
}

/// The compiler in `CC` or `CXX`, or else the usual one, followed by the flags in `CFLAGS` or `CXXFLAGS`; `None` if it does not
/// run here.
pub fn compiler(variable: &str, usual: &str) -> Option<Vec<OsString>> {
    let name = std::env::var_os(variable).unwrap_or_else(|| usual.into());
    let found = Command::new(&name).arg("--version").output();
    if cfg!(unix) && found.is_ok_and(|answer| answer.status.success()) {
        let flags = if variable == "CC" {
            "CFLAGS"
        } else {
            "CXXFLAGS"
        };
        let flags = std::env::var(flags).unwrap_or_default();
        let flags = flags.split_whitespace().map(OsString::from);
        return Some([name].into_iter().chain(flags).collect());
    }
    eprintln!("skipped: there is no {name:?} here; {variable} may name another compiler");
    None
}

/// The files of a folder with an extension.
pub fn sources(folder: &str, extension: &str) -> Vec<PathBuf> {
    let files = std::fs::read_dir(package().join(folder)).unwrap();
    let files = files.map(|file| file.unwrap().path());
    let mut sources: Vec<_> = files
        .filter(|file| file.extension().is_some_and(|found| found == extension))
        .collect();
    sources.sort();
    sources
}

/// How the library is linked: static or shared.
fn linked(form: &str) -> Vec<OsString> {
    let built = built();
    let with_folder = |before: &str| {
        let mut argument = OsString::from(before);
        argument.push(&built);
        argument
    };
    let library = match form {
        "static" => vec![built.join("libthrong_ffi.a").into_os_string()],
        _ => vec![
            with_folder("-L"),
            "-lthrong_ffi".into(),
            with_folder("-Wl,-rpath,"),
        ],
    };
    let system = SYSTEM_LIBRARIES.map(OsString::from);
    library.into_iter().chain(system).collect()
}

/// A program that is compiled, and not linked yet.
pub struct Program<'c> {
    compiler: &'c [OsString],
    /// That of its first source.
    name: String,
    objects: Vec<PathBuf>,
}

/// Compiles a program, each source by itself, on all processors.
pub fn compile<'c>(compiler: &'c [OsString], flags: &[&str], sources: &[PathBuf]) -> Program<'c> {
    let name_of = |source: &Path| source.file_name().unwrap().display().to_string();
    let name = name_of(&sources[0]);
    let object_of = |source: &PathBuf| {
        let object = built().join(format!("throng-ffi-{name}-{}.o", name_of(source)));
        let mut compile = Command::new(&compiler[0]);
        compile
            .args(&compiler[1..])
            .args(["-O1", "-Wall", "-Wextra", "-Wpedantic", "-Werror"])
            .args(flags)
            .arg("-I")
            .arg(package().join("include"))
            .arg("-c")
            .arg(source)
            .arg("-o")
            .arg(&object);
        run(&mut compile);
        object
    };
    let processors = available_parallelism().map_or(1, usize::from);
    let share = sources.len().div_ceil(processors);
    let compile_share = |share: &[PathBuf]| share.iter().map(object_of).collect::<Vec<_>>();
    let objects = scope(|scope| {
        let shares = sources.chunks(share);
        let threads: Vec<_> = shares
            .map(|share| scope.spawn(move || compile_share(share)))
            .collect();
        let compiled = threads
            .into_iter()
            .flat_map(|thread| thread.join().unwrap());
        compiled.collect()
    });
    Program {
        compiler,
        name,
        objects,
    }
}

impl Program<'_> {
    /// Links the program with the library in one of its forms.
    pub fn link(&self, form: &str) -> PathBuf {
        let program = built().join(format!("throng-ffi-{}-{form}", self.name));
        let mut link = Command::new(&self.compiler[0]);
        link.args(&self.compiler[1..])
            .args(&self.objects)
            .arg("-o")
            .arg(&program)
            .args(linked(form));
        run(&mut link);
        program
    }
}

/// Runs a command, which has to succeed. Returns what it says.
pub fn run(command: &mut Command) -> String {
    // Cargo sets these to folders that may hold an older build of the library.
    command
        .env_remove("LD_LIBRARY_PATH")
        .env_remove("DYLD_LIBRARY_PATH");
    let answer = command.output().unwrap();
    let said = String::from_utf8_lossy(&answer.stdout).into_owned();
    assert!(
        answer.status.success(),
        "{command:?}\n{said}{}",
        String::from_utf8_lossy(&answer.stderr)
    );
    said
}
