//! Spans around the stages of a frame, for engines that look at them with `tracing`. Without that feature they are nothing.

/// A stage that lasts as long as this does.
#[must_use]
pub(crate) struct Stage {
    #[cfg(feature = "tracing")]
    _span: tracing::span::EnteredSpan,
}

/// Begins a stage, whose name must be a literal.
macro_rules! stage {
    ($name:literal) => {
        crate::frame::spans::Stage::begin(
            #[cfg(feature = "tracing")]
            tracing::debug_span!(target: "throng", $name),
        )
    };
}

pub(crate) use stage;

impl Stage {
    #[cfg(feature = "tracing")]
    pub(crate) fn begin(span: tracing::Span) -> Self {
        Self {
            _span: span.entered(),
        }
    }

    #[cfg(not(feature = "tracing"))]
    #[inline(always)]
    pub(crate) fn begin() -> Self {
        Self {}
    }
}

#[cfg(all(test, feature = "tracing"))]
mod tests {
    use std::sync::{Arc, Mutex};

    use tracing::span::{Attributes, Id, Record};
    use tracing::{Event, Metadata, Subscriber};

    use crate::{Broadphase, BroadphaseConfig, CategoryConfig, CategoryId, CountPairs, RowOrder};

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
}
