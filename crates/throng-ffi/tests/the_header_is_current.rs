//! The header is what cbindgen makes of the sources. To write it anew:
//!
//! ```sh
//! THRONG_WRITE_HEADER=1 cargo test -p throng-ffi --test the_header_is_current
//! ```

use std::path::Path;

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
    let made = String::from_utf8(made).unwrap();

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
