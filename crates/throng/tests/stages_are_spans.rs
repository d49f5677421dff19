//! Promise: an engine that listens with `tracing` hears each stage of a frame.
//!
//! It is alone in its process: if another test met the same spans first, with no listener, `tracing` might take them for unwanted
//! until the process ends.
#![cfg(feature = "tracing")]

use std::sync::{Arc, Mutex};

use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

use throng::{Broadphase, BroadphaseConfig, CategoryConfig, CategoryId, CountPairs, RowOrder};

/// Notes the names of spans as they are entered and left.
#[derive(Clone, Default)]
struct Names {
    known: Arc<Mutex<Vec<&'static str>>>,
    seen: Arc<Mutex<Vec<String>>>,
}

impl Names {
    fn note(&self, what: &str, span: &Id) {
        let name = self.known.lock().unwrap()[span.into_u64() as usize - 1];
        self.seen.lock().unwrap().push(format!("{what}{name}"));
    }
}

impl Subscriber for Names {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() == "throng"
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let mut known = self.known.lock().unwrap();
        known.push(span.metadata().name());
        Id::from_u64(known.len() as u64)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn event(&self, _: &Event<'_>) {}

    fn enter(&self, span: &Id) {
        self.note("+", span);
    }

    fn exit(&self, span: &Id) {
        self.note("-", span);
    }
}

#[test]
fn a_frame_has_a_span_for_each_stage() {
    let names = Names::default();
    tracing::subscriber::with_default(names.clone(), || {
        let units = CategoryConfig::uniform("units", 1.0);
        let mut world = Broadphase::new(BroadphaseConfig::new().category(units)).unwrap();
        world.step(&CountPairs);
        world
            .sort_rows(CategoryId::new(0), RowOrder::Space)
            .unwrap();
    });
    let seen = names.seen.lock().unwrap().join(" ");
    let step = "+step +ingest -ingest +index -index +plan -plan +pairs -pairs -step";
    assert!(seen.starts_with(step), "{seen}");
    assert!(
        seen.contains("+sort_rows") && seen.ends_with("-sort_rows"),
        "{seen}"
    );
}
