//! Pictures of the swarm in files: the last frame as PNG, a run as GIF.

use std::{
    fmt,
    fs::{self, File, OpenOptions},
    io::{self, BufWriter},
    path::{Path, PathBuf},
};

use color_quant::NeuQuant;
use gif::{DisposalMethod, Encoder, Frame, Repeat};

use crate::{
    canvas::Canvas,
    failure::Failure,
    flashes::Flashes,
    paint::Painter,
    swarm::Swarm,
    view::{View, picture_size},
};

/// The largest picture of the last frame.
const PICTURE: [usize; 2] = [1280, 800];
/// The largest frame of an animation: animations are for looking at, not for measuring.
const ANIMATION: [usize; 2] = [480, 300];
/// About how many frames an animation of a run of known length has.
const ANIMATION_FRAMES: usize = 100;
/// The fewest frames of the swarm for each frame of an animation.
const EVERY: usize = 3;
/// Colours of an animation: few, so that its file is small.
const COLOURS: usize = 64;
/// How hard to look for the best ones, from 1 (long) to 30.
const COLOUR_SPEED: i32 = 10;
/// Stands for a pixel that has not changed since the frame before.
const UNCHANGED: u8 = COLOURS as u8;

/// Tries whether a file can be written, so that nobody has to wait for a run to learn that it cannot.
pub fn check_writable(path: &Path) -> Result<(), Failure> {
    let tried = match OpenOptions::new().write(true).create_new(true).open(path) {
        Ok(_) => fs::remove_file(path),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            OpenOptions::new().append(true).open(path).map(|_| ())
        }
        Err(error) => Err(error),
    };
    tried.map_err(|error| cannot_write(path, &error))
}

/// Writes a picture of the whole swarm.
pub fn write_png(path: &Path, swarm: &Swarm, flashes: &Flashes) -> Result<(), Failure> {
    whole_swarm(swarm, flashes, PICTURE, &mut Painter::default())
        .write_png(path)
        .map_err(|error| cannot_write(path, &error))
}

fn cannot_write(path: &Path, error: &dyn fmt::Display) -> Failure {
    Failure::file(path, format_args!("cannot be written: {error}"))
}

/// Records a run.
pub struct Recorder {
    path: PathBuf,
    encoder: Encoder<BufWriter<File>>,
    painter: Painter,
    every: usize,
    seen: usize,
    /// Those of the first frame, for all of them.
    colours: Option<NeuQuant>,
    /// The frame before, in colours.
    before: Vec<u8>,
}

impl Recorder {
    /// Begins an animation of a run of this many frames, if that is known.
    pub fn new(path: &Path, swarm: &Swarm, frames: Option<usize>) -> Result<Self, Failure> {
        let file = File::create(path).map_err(|error| cannot_write(path, &error))?;
        let [width, height] =
            picture_size(swarm.terrain().size(), ANIMATION).map(|side| side as u16);
        let encoder = Encoder::new(BufWriter::new(file), width, height, &[])
            .and_then(|mut encoder| {
                encoder.set_repeat(Repeat::Infinite)?;
                Ok(encoder)
            })
            .map_err(|error| cannot_write(path, &error))?;
        Ok(Self {
            path: path.to_owned(),
            encoder,
            painter: Painter::default(),
            every: frames.map_or(EVERY, |frames| frames.div_ceil(ANIMATION_FRAMES).max(EVERY)),
            seen: 0,
            colours: None,
            before: Vec::new(),
        })
    }

    /// Looks at a frame, and records it if it is one of those to be recorded.
    pub fn frame(&mut self, swarm: &Swarm, flashes: &Flashes) -> Result<(), Failure> {
        self.seen += 1;
        if !(self.seen - 1).is_multiple_of(self.every) {
            return Ok(());
        }
        let canvas = whole_swarm(swarm, flashes, ANIMATION, &mut self.painter);
        let (width, height) = (canvas.width as u16, canvas.height as u16);
        let rgba = |colour: &u32| {
            let [_, red, green, blue] = colour.to_be_bytes();
            [red, green, blue, u8::MAX]
        };
        let pixels: Vec<u8> = canvas.pixels.iter().flat_map(rgba).collect();
        let colours = self
            .colours
            .get_or_insert_with(|| NeuQuant::new(COLOUR_SPEED, COLOURS, &pixels));
        let now: Vec<u8> = pixels
            .chunks_exact(4)
            .map(|pixel| colours.index_of(pixel) as u8)
            .collect();
        let mut changed = now.clone();
        for (pixel, before) in changed.iter_mut().zip(&self.before) {
            if pixel == before {
                *pixel = UNCHANGED;
            }
        }
        self.before = now;
        let mut palette = colours.color_map_rgb();
        palette.extend([0; 3]);
        let mut frame =
            Frame::from_palette_pixels(width, height, changed, palette, Some(UNCHANGED));
        // As fast as the swarm lives, at 60 frames a second; in hundredths of a second.
        frame.delay = u16::try_from(100 * self.every / 60).unwrap_or(u16::MAX);
        frame.dispose = DisposalMethod::Keep;
        self.encoder
            .write_frame(&frame)
            .map_err(|error| cannot_write(&self.path, &error))
    }
}

fn whole_swarm(
    swarm: &Swarm,
    flashes: &Flashes,
    most: [usize; 2],
    painter: &mut Painter,
) -> Canvas {
    let world = swarm.terrain().size();
    let size = picture_size(world, most);
    let mut canvas = Canvas::new(size);
    let view = View::whole(world, size, [0, 0]).with_corner(swarm.terrain().bounds().min());
    painter.draw(&mut canvas.pixels, size[0], swarm, &view);
    flashes.draw(&mut canvas, &view);
    canvas
}
