//! A run in a window, with keys and mouse.

use std::time::{Duration, Instant};

use minifb::{MouseButton, MouseMode, Window};
use rayon::ThreadPool;

use crate::{
    bodies::Kind,
    canvas::Canvas,
    display,
    failure::Failure,
    keyboard::{self, ESCAPE, Press},
    overlay::{self, Look, Overlay},
    paint::Painter,
    run::Run,
    view::View,
};

/// The size of the window at first.
const SIZE: [usize; 2] = [1280, 800];
/// How much closer one notch of the wheel leads.
const ZOOM: f32 = 1.2;
/// Each kind gains or loses one in this many by a key.
const GROWTH: usize = 10;
/// How often the title changes.
const TITLE_EVERY: Duration = Duration::from_millis(500);

/// Opens the window, or says why there is none.
pub fn open() -> Result<Window, String> {
    display::open("parallel_swarm", SIZE)
}

/// Runs until the window is closed, or for the frames that were asked for.
pub fn run(mut window: Window, run: &mut Run, pool: &ThreadPool) -> Result<(), Failure> {
    run.begin(run.args.frames, false)?;
    let presses = keyboard::listen(&mut window);
    let mut canvas = Canvas::new(SIZE);
    let mut whole = overlay::whole(run.swarm.terrain(), SIZE);
    let mut overlay = Overlay::new(whole);
    let mut painter = Painter::default();
    let mut titled: Option<Instant> = None;

    while window.is_open() {
        let size = <[usize; 2]>::from(window.get_size()).map(|side| side.max(16));
        if size != [canvas.width, canvas.height] {
            canvas = Canvas::new(size);
            whole = overlay::whole(run.swarm.terrain(), size);
            overlay.view = whole;
        }
        for press in presses.try_iter() {
            if press.letter == ESCAPE {
                return Ok(());
            }
            key(press, run, &mut overlay)?;
        }
        mouse(&window, &mut overlay, &whole);

        if !overlay.paused || overlay.step {
            pool.install(|| run.frame())?;
        }
        overlay.step = false;
        overlay.look = Look::at(&run.swarm, &overlay);

        let start = Instant::now();
        pool.install(|| painter.draw(&mut canvas.pixels, size[0], &run.swarm, &overlay.view));
        run.flashes.draw(&mut canvas, &overlay.view);
        overlay.draw(&mut canvas, run);
        overlay.drawing = start.elapsed();

        if titled.is_none_or(|at| at.elapsed() > TITLE_EVERY) {
            window.set_title(&format!("parallel_swarm: {}", overlay.figures(run)));
            titled = Some(Instant::now());
        }
        window
            .update_with_buffer(&canvas.pixels, canvas.width, canvas.height)
            .map_err(|error| Failure::run(format!("the window could not be drawn: {error}")))?;
        overlay.tick();
        if run
            .args
            .frames
            .is_some_and(|frames| run.history.frames().len() >= frames)
        {
            break;
        }
    }
    Ok(())
}

fn key(press: Press, run: &mut Run, overlay: &mut Overlay) -> Result<(), Failure> {
    match press.letter.to_ascii_lowercase() {
        'n' => (overlay.paused, overlay.step) = (true, true),
        '+' | '=' => more(run),
        '-' => fewer(run),
        'd' => one_dragon_more(run),
        'x' => one_dragon_less(run),
        // These would flicker if a held key counted.
        _ if press.again => {}
        ' ' => overlay.paused = !overlay.paused,
        'g' => overlay.grid = !overlay.grid,
        'h' => overlay.help = !overlay.help,
        'r' => {
            run.restart()?;
            overlay.selection = None;
            // A world that stands still has nothing to show or to find before its first step.
            overlay.step = true;
        }
        _ => {}
    }
    Ok(())
}

fn more(run: &mut Run) {
    for kind in kinds(run, Kind::is_of_agents) {
        add(run, kind, some_of(run, kind));
    }
}

/// Adds some of a kind, or says why there are none to be added.
fn add(run: &mut Run, kind: usize, count: usize) {
    if let Err(failure) = run.swarm.add(kind, count) {
        crate::note(&failure.to_string());
    }
    run.history.disturbed();
}

fn fewer(run: &mut Run) {
    for kind in kinds(run, Kind::is_of_agents) {
        run.swarm.remove(kind, some_of(run, kind));
    }
    run.history.disturbed();
}

/// Adds a dragon, or whatever there are fewest of among the oversized kinds.
fn one_dragon_more(run: &mut Run) {
    match kinds(run, Kind::is_oversized)
        .into_iter()
        .min_by_key(|kind| count(run, *kind))
    {
        Some(kind) => add(run, kind, 1),
        None => crate::note("the configuration has no oversized category to add anything to"),
    }
}

fn one_dragon_less(run: &mut Run) {
    if let Some(kind) = kinds(run, Kind::is_oversized)
        .into_iter()
        .max_by_key(|kind| count(run, *kind))
    {
        run.swarm.remove(kind, 1);
    }
    run.history.disturbed();
}

/// The kinds of one sort.
fn kinds(run: &Run, is_one: impl Fn(&Kind) -> bool) -> Vec<usize> {
    let kinds = run.swarm.kinds().iter().enumerate();
    let kinds = kinds.filter(|(_, kind)| is_one(kind));
    kinds.map(|(number, _)| number).collect()
}

fn count(run: &Run, kind: usize) -> usize {
    run.swarm.kinds()[kind].bodies.len()
}

/// How many of a kind a key adds or removes.
fn some_of(run: &Run, kind: usize) -> usize {
    count(run, kind).div_ceil(GROWTH).max(1)
}

fn mouse(window: &Window, overlay: &mut Overlay, whole: &View) {
    let at = window
        .get_mouse_pos(MouseMode::Discard)
        .map(<[f32; 2]>::from);
    let down = window.get_mouse_down(MouseButton::Left);
    let turns = window.get_scroll_wheel().map_or(0.0, |(_, turns)| turns);
    if let (Some(at), true) = (at, turns != 0.0) {
        let factor = if turns > 0.0 { ZOOM } else { 1.0 / ZOOM };
        overlay.view = overlay.view.zoomed(factor, at, whole);
    }
    overlay.mouse = at;
    match (down, overlay.dragging, at) {
        (true, None, Some(at)) => {
            let corner = overlay.view.place(at);
            overlay.dragging = Some(corner);
            overlay.selection = None;
        }
        (true, Some(corner), Some(at)) => {
            let other = overlay.view.place(at);
            overlay.selection = (other != corner).then_some([corner, other]);
        }
        (false, Some(_), _) => overlay.dragging = None,
        _ => {}
    }
}
