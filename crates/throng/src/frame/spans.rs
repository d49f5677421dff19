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
