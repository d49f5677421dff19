//! From the text of annotations to sightings.

use std::collections::BTreeSet;
use std::str::FromStr;

use throng_core::Aabb;

use super::error::ReplayError;
use super::{Replay, Sighting};

const FIELDS: usize = 10;

pub(super) fn parse(text: &str) -> Result<Replay, ReplayError> {
    let mut tracks = BTreeSet::new();
    let mut last_frame = 0;
    // Each with its line, to name that if the track appears twice.
    let mut visible = Vec::new();
    for (line, text) in (1..).zip(text.lines()) {
        if text.trim().is_empty() {
            continue;
        }
        let (sighting, lost) = parse_line(line, text)?;
        tracks.insert(sighting.track);
        last_frame = last_frame.max(sighting.frame);
        if !lost {
            visible.push((sighting, line));
        }
    }

    visible.sort_by_key(|(sighting, _)| (sighting.frame, sighting.track));
    let who = |&(sighting, _): &(Sighting, usize)| (sighting.frame, sighting.track);
    for twice in visible.windows(2) {
        if who(&twice[0]) == who(&twice[1]) {
            let ((frame, track), line) = (who(&twice[1]), twice[1].1);
            return Err(ReplayError::Twice { line, track, frame });
        }
    }
    let sightings: Vec<_> = visible.into_iter().map(|(sighting, _)| sighting).collect();
    let boxes = sightings.iter().map(|sighting| sighting.aabb);
    let bounds = boxes.reduce(|all, aabb| all.union(&aabb));
    Ok(Replay {
        bounds: bounds.ok_or(ReplayError::NobodyVisible)?,
        sightings,
        frame_count: last_frame.saturating_add(1),
        track_count: tracks.len(),
    })
}

/// A line's box, and whether its track is lost.
fn parse_line(line: usize, text: &str) -> Result<(Sighting, bool), ReplayError> {
    let mut fields = text.split_whitespace();
    let found = fields.clone().count();
    if found != FIELDS {
        return Err(ReplayError::FieldCount { line, found });
    }
    let mut next = |name| Field {
        line,
        name,
        text: fields.next().unwrap_or_default(),
    };

    let track = next("track").number()?;
    let [x0, y0] = [next("xmin").coordinate()?, next("ymin").coordinate()?];
    let [x1, y1] = [next("xmax").coordinate()?, next("ymax").coordinate()?];
    let frame = next("frame").number()?;
    let lost = next("lost").flag()?;
    next("occluded").flag()?;
    next("generated").flag()?;
    next("label").quoted()?;
    let aabb =
        Aabb::new([x0, y0], [x1, y1]).map_err(|source| ReplayError::NoBox { line, source })?;
    Ok((Sighting { frame, track, aabb }, lost))
}

/// A field of a line, not yet checked.
struct Field<'a> {
    line: usize,
    name: &'static str,
    text: &'a str,
}

impl Field<'_> {
    fn number(self) -> Result<u32, ReplayError> {
        // Below `u32::MAX`, so that the count of all is also a `u32`.
        let number = u32::from_str(self.text).ok().filter(|&n| n < u32::MAX);
        number.ok_or_else(|| self.refused("a whole number from 0 to 4294967294"))
    }

    fn coordinate(self) -> Result<f32, ReplayError> {
        // Wider than any picture, and millions of tiles can still be counted.
        let coordinate = f32::from_str(self.text).ok().filter(|v| v.abs() <= 1e6);
        coordinate.ok_or_else(|| self.refused("a coordinate from -1000000 to 1000000"))
    }

    fn flag(self) -> Result<bool, ReplayError> {
        match self.text {
            "0" => Ok(false),
            "1" => Ok(true),
            _ => Err(self.refused("0 or 1")),
        }
    }

    fn quoted(self) -> Result<(), ReplayError> {
        let inside = self
            .text
            .strip_prefix('"')
            .and_then(|t| t.strip_suffix('"'));
        inside
            .map(drop)
            .ok_or_else(|| self.refused("a label in quotes"))
    }

    fn refused(&self, expected: &'static str) -> ReplayError {
        const LONGEST_QUOTE: usize = 40;
        ReplayError::Field {
            line: self.line,
            field: self.name,
            found: self.text.chars().take(LONGEST_QUOTE).collect(),
            expected,
        }
    }
}
