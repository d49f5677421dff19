//! Written bytes read back as the same tree; damaged ones are refused.

use crate::common::{build, configs, query};
use crate::scenes::scenes;
use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::Arc;
use throng_core::{Aabb, Serial, for_both};
use throng_quadtree::{ALIGNMENT, AlignedBytes, BytesError, PackedConfig, PackedQuadtree};
use throng_scenes::{log_uniform_boxes, windows};

fn small() -> PackedQuadtree {
    build(
        &log_uniform_boxes(100, [1.0, 20.0], 1.0, 50),
        PackedConfig::new().leaf_size(3),
        &Serial,
    )
}

#[test]
fn round_trips() {
    for scene in scenes(300, 51) {
        for config in configs() {
            let built = build(&scene, config, &Serial);
            let file = AlignedBytes::read_from(built.as_bytes()).unwrap();
            let read = PackedQuadtree::from_bytes(file).unwrap();
            let borrowed = PackedQuadtree::from_bytes(built.as_bytes()).unwrap();
            assert_eq!(
                borrowed.as_bytes().as_ptr(),
                built.as_bytes().as_ptr(),
                "not copied"
            );
            assert!(read.as_bytes() == built.as_bytes(), "{}", scene.name);
            let counts = |tree: &PackedQuadtree| {
                (
                    tree.len(),
                    tree.rows(),
                    tree.rejected(),
                    tree.depth(),
                    tree.leaves(),
                    tree.bounds(),
                )
            };
            assert_eq!(counts(&read), counts(&built), "{}", scene.name);
            for window in windows(&scene, 29) {
                let expected = query(&built, &window, usize::MAX);
                assert!(
                    query(&read, &window, usize::MAX) == expected,
                    "{}",
                    scene.name
                );
            }
            assert_eq!(read.into_bytes()[..], *built.as_bytes());
        }
    }
}

#[test]
fn whatever_holds_the_bytes_will_do() {
    let built = small();
    let shared = Arc::new(PackedQuadtree::from_bytes(built.as_bytes()).unwrap());
    let found = std::thread::scope(|scope| {
        let searches = for_both(|_| {
            let shared = Arc::clone(&shared);
            scope.spawn(move || {
                let mut rows = Vec::new();
                shared.find_in_aabb(&Aabb::EVERYWHERE, &mut rows);
                rows.len()
            })
        });
        searches.map(|search| search.join().unwrap())
    });
    assert_eq!(found, [100, 100]);
}

/// The bytes must be refused; returns the reason.
fn refused(bytes: &[u8], name: &str) -> BytesError {
    match PackedQuadtree::from_bytes(bytes) {
        Err(error) => error,
        Ok(_) => panic!("{name}: accepted"),
    }
}

#[test]
fn a_byte_changed_anywhere_is_refused() {
    let mut bytes = AlignedBytes::from(small().as_bytes());
    for at in 0..bytes.len() {
        for flip in [1, 0x80, 0xFF] {
            bytes[at] ^= flip;
            refused(&bytes, &format!("byte {at} by {flip:#x}"));
            bytes[at] ^= flip;
        }
    }
    assert!(PackedQuadtree::from_bytes(&bytes[..]).is_ok());
}

#[test]
fn a_file_cut_short_anywhere_is_refused() {
    let tree = small();
    let whole = tree.as_bytes();
    for len in 0..whole.len() {
        let error = refused(&whole[..len], &format!("{len} bytes"));
        assert!(
            matches!(error, BytesError::Length { .. }),
            "{len} bytes: {error}"
        );
    }
    let mut longer = AlignedBytes::zeroed(whole.len() + 64);
    longer[..whole.len()].copy_from_slice(whole);
    let error = refused(&longer, "longer");
    assert!(
        error.to_string().contains(&whole.len().to_string()),
        "{error}"
    );
}

#[test]
fn what_is_no_tree_is_refused_with_a_reason() {
    let tree = small();
    let change = |at: usize, to: &[u8]| {
        let mut bytes = AlignedBytes::from(tree.as_bytes());
        bytes[at..at + to.len()].copy_from_slice(to);
        refused(&bytes, &format!("{to:?} at {at}"))
    };
    assert!(matches!(change(0, b"PK"), BytesError::NotATree { .. }));
    assert_eq!(change(8, &[9, 0, 0, 0]), BytesError::Version { given: 9 });
    assert_eq!(
        change(12, &0x0403_0201_u32.to_ne_bytes()),
        BytesError::ByteOrder
    );
    assert!(matches!(change(500, &[1; 4]), BytesError::Checksum { .. }));
    let said = change(8, &[9, 0, 0, 0]).to_string();
    assert!(
        said.contains("version 1") && said.contains("version 9"),
        "{said}"
    );

    let mut shifted = AlignedBytes::zeroed(tree.as_bytes().len() + 4);
    shifted[4..].copy_from_slice(tree.as_bytes());
    let error = refused(&shifted[4..], "shifted");
    assert_eq!(error, BytesError::Misaligned { past: 4 });
    assert!(
        error.to_string().contains(&ALIGNMENT.to_string()),
        "{error}"
    );
}

/// Bytes that were changed and given a correct checksum again, as an attacker might: they give an error too, or a
/// tree that can be searched.
#[test]
fn bytes_made_to_deceive_do_no_harm() {
    let tree = small();
    let mut refusals = 0;
    for at in (0..tree.as_bytes().len())
        .step_by(4)
        .filter(|at| !(24..32).contains(at))
    {
        for word in [
            0,
            1,
            16,
            99,
            100,
            1 << 20,
            u32::MAX,
            0x7F80_0000,
            0xFF80_0000,
            0x7FC0_0000,
        ] {
            let mut bytes = AlignedBytes::from(tree.as_bytes());
            bytes[at..at + 4].copy_from_slice(&word.to_ne_bytes());
            let Err(BytesError::Checksum { computed, .. }) = PackedQuadtree::from_bytes(&bytes[..])
            else {
                continue;
            };
            bytes[24..32].copy_from_slice(&computed.to_ne_bytes());
            match PackedQuadtree::from_bytes(&bytes[..]) {
                Err(_) => refusals += 1,
                Ok(tree) => {
                    let (mut found, mut rows) = (0, HashSet::new());
                    let every: ControlFlow<()> = tree.query_aabb(&Aabb::EVERYWHERE, |row, _| {
                        assert!((row as usize) < tree.rows() && rows.insert(row));
                        found += 1;
                        ControlFlow::Continue(())
                    });
                    assert!(
                        every.is_continue() && found == tree.len(),
                        "word {word:#x} at {at}"
                    );
                }
            }
        }
    }
    assert!(refusals > 1000, "{refusals}");
}
