//! The header is what cbindgen makes of the sources. To write it anew:
//!
//! ```sh
//! THRONG_WRITE_HEADER=1 cargo test -p throng-ffi --test the_header_is_current
//! ```

use std::path::Path;

/// Flags that can be cleared with `&= ~` without a warning.
fn with_unsigned_flags(header: &str) -> String {
    let groups = ["CATEGORY", "CONFIG", "PROXY", "FILTER", "PROXIMITY"];
    let with_suffix = |line: &str| {
        let is_flag = groups
            .iter()
            .any(|group| line.starts_with(&format!("#define THRONG_{group}_")));
        let suffix = if is_flag { "u" } else { "" };
        format!("{line}{suffix}\n")
    };
    header.lines().map(with_suffix).collect()
}

/// In C before C23 enums have no tags: a tag and a type of one name are two things there, of which compilers warn who care for C++.
fn with_plain_enums(header: &str) -> String {
    let (mut plain, lines) = (String::new(), Vec::from_iter(header.lines()));
    let mut rest = &lines[..];
    while let [line, others @ ..] = rest {
        rest = others;
        // Its name, and on lines of their own a condition, the type of its numbers, and where the condition ends.
        if let Some(name) = line.strip_prefix("enum ")
            && let [condition, number, end, " {", body @ ..] = others
        {
            rest = body;
            let number = number.trim_start();
            plain += &format!("{condition}\nenum {name} {number}\n#else\nenum\n{end}\n{{\n");
        } else {
            plain += &format!("{line}\n");
        }
    }
    plain
}

#[test]
fn the_header_is_current() {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |file: &str| std::fs::read_to_string(package.join(file)).unwrap();
    let mut config = cbindgen::Config::from_file(package.join("cbindgen.toml")).unwrap();
    config.header = Some(read("include/parts/before.h").trim_end().to_owned());
    config.trailer = Some(read("include/parts/after.h").trim_end().to_owned());
    let mut made = Vec::new();
    let sources = cbindgen::Builder::new()
        .with_crate(package)
        .with_config(config)
        .generate();
    sources.unwrap().write(&mut made);
    let made = with_plain_enums(&with_unsigned_flags(&String::from_utf8(made).unwrap()));

    let header = package.join("include/throng.h");
    if std::env::var_os("THRONG_WRITE_HEADER").is_some() {
        std::fs::write(&header, &made).unwrap();
    }
    let current = std::fs::read_to_string(&header).unwrap_or_default();
    let differs = made.lines().zip(current.lines()).find(|(a, b)| a != b);
    assert!(
        made == current,
        "include/throng.h is not what cbindgen makes of the sources; write it anew with \
         THRONG_WRITE_HEADER=1 cargo test -p throng-ffi --test the_header_is_current\n\
         the first difference: {differs:#?}"
    );
}
