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
    const TYPED: &str = "\n#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L\n  : ";
    const END: &str = "\n#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L\n {";
    let mut enums = header.split("enum ");
    let mut plain = enums.next().unwrap().to_owned();
    for text in enums {
        let parts = text
            .split_once(TYPED)
            .filter(|(name, _)| !name.contains(char::is_whitespace));
        let parts = parts.and_then(|(name, rest)| Some((name, rest.split_once(END)?)));
        match parts {
            Some((name, (number, body))) => {
                let condition = TYPED.trim_start().trim_end_matches(" : ").trim_end();
                plain += &format!(
                    "{condition}\nenum {name} : {number}\n#else\nenum{}{{{body}",
                    END.trim_end_matches(" {")
                );
            }
            None => plain += &format!("enum {text}"),
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
