//! A world, made and freed; what it has besides the broadphase; and how functions get at it.

use std::cell::UnsafeCell;
use std::ptr::null_mut;

use throng::{Broadphase, BroadphaseConfig, CategoryId};

use crate::aabbs::KeptFill;
use crate::border::border;
use crate::config::throng_config;
use crate::events::KeptEvents;
use crate::gate::Gate;
use crate::growing::grown;
use crate::pointers::{Out, one, tell_if_wanted, text};
use crate::refusals::{Outcome, Refusal};
use crate::status::throng_status;
use crate::toml_config::config_of_toml;

/// A world of proxies in categories, and the pairs among them.
pub struct throng_world {
    gate: Gate,
    state: UnsafeCell<State>,
}

/// What is behind the gate.
pub(crate) struct State {
    pub(crate) broadphase: Broadphase,
    /// What began and what ended in the last step.
    pub(crate) events: KeptEvents,
    /// What the last write of boxes did to the rows.
    pub(crate) aabb_fill: KeptFill,
    /// How large each output of the last step is, if it had any.
    pub(crate) output_size: usize,
}

/// Does something to a world that nobody else is using.
///
/// # Safety
///
/// The pointer is null, or that of a world.
pub(crate) unsafe fn change(
    world: *mut throng_world,
    work: impl FnOnce(&mut State) -> Outcome,
) -> throng_status {
    border(|| {
        // SAFETY: as above.
        let world = unsafe { one(world, "the world") }?;
        let _changing = world.gate.change()?;
        // SAFETY: the gate lets in nobody else.
        work(unsafe { &mut *world.state.get() })
    })
}

/// Looks at a world that nobody is changing.
///
/// # Safety
///
/// The pointer is null, or that of a world.
pub(crate) unsafe fn read(
    world: *const throng_world,
    work: impl FnOnce(&State) -> Outcome,
) -> throng_status {
    border(|| {
        // SAFETY: as above.
        let world = unsafe { one(world, "the world") }?;
        let _reading = world.gate.read()?;
        // SAFETY: the gate lets in only others who read.
        work(unsafe { &*world.state.get() })
    })
}

/// Makes an empty world. It has to be freed. If it is refused, `world` gets null, which may be freed as well.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_world_new(
    config: *const throng_config,
    world: *mut *mut throng_world,
) -> throng_status {
    border(|| {
        // SAFETY: pointers are as the front page asks.
        let (place, config) = unsafe {
            tell_if_wanted(world, null_mut());
            let place = Out::new(world, "the place for the world")?;
            (place, grown(config)?.checked()?)
        };
        make(config, place)
    })
}

/// Makes an empty world of a config in TOML: that of the files of the Rust library, with everything that can be configured.
/// As `throng_world_new`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_world_new_from_toml(
    toml: *const std::ffi::c_char,
    world: *mut *mut throng_world,
) -> throng_status {
    border(|| {
        // SAFETY: pointers are as the front page asks.
        let (place, toml) = unsafe {
            tell_if_wanted(world, null_mut());
            let place = Out::new(world, "the place for the world")?;
            (place, text(toml, "the config")?)
        };
        make(config_of_toml(toml)?, place)
    })
}

fn make(config: BroadphaseConfig, place: Out<'_, *mut throng_world>) -> Outcome {
    place_world(Broadphase::new(config)?, KeptEvents::default(), place);
    Ok(())
}

fn place_world(broadphase: Broadphase, events: KeptEvents, place: Out<'_, *mut throng_world>) {
    let state = State {
        broadphase,
        events,
        aabb_fill: KeptFill::default(),
        output_size: 0,
    };
    place.write(Box::into_raw(Box::new(throng_world {
        gate: Gate::default(),
        state: UnsafeCell::new(state),
    })));
}

/// Makes a copy of a world, to come back to it or to look ahead. Free the copy, too. From then on, both find the same in the same
/// order, as long as the same is done to both; ids and slots are good in both. A copy does not have the outputs of the last step, the
/// pairs of `throng_last_pairs`, or the threads or executor. If it is refused, `clone` gets null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_world_clone(
    world: *const throng_world,
    clone: *mut *mut throng_world,
) -> throng_status {
    // SAFETY: pointers are as the front page asks.
    unsafe {
        tell_if_wanted(clone, null_mut());
        read(world, |world| {
            let place = Out::new(clone, "the place for the clone")?;
            let mut broadphase = world.broadphase.clone();
            broadphase.set_executor(None);
            place_world(broadphase, world.events.clone(), place);
            Ok(())
        })
    }
}

/// Overwrites a world with a copy of another, and reuses its memory. It keeps its own threads or executor. What began and ended in the
/// last step is copied, too; its outputs are gone. If both are the same world, the status is `THRONG_STATUS_BUSY`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_world_copy_from(
    world: *mut throng_world,
    source: *const throng_world,
) -> throng_status {
    // SAFETY: pointers are as the front page asks.
    unsafe {
        change(world, |world| {
            let source = one(source, "the source")?;
            let _reading = source.gate.read()?;
            // A world that is being changed cannot be read, so this is another one, which nobody changes.
            let source = &*source.state.get();
            world.broadphase.clone_from(&source.broadphase);
            world.events.clone_from(&source.events);
            Ok(())
        })
    }
}

/// Frees a world. Nothing may use it afterwards. If it is in use, such as by the call from whose callback this one comes, it
/// is not freed, and the status is `THRONG_STATUS_BUSY`. Null is allowed, and does nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_world_free(world: *mut throng_world) -> throng_status {
    border(|| {
        // SAFETY: the pointer is as the front page asks.
        let Ok(shared) = (unsafe { one(world, "the world") }) else {
            return Ok(());
        };
        if !shared.gate.is_idle() {
            return Err(Refusal::new(
                throng_status::Busy,
                "the world is in use, by another thread or by the call that called back, and is not freed",
            ));
        }
        // SAFETY: it was made by `place_world`, and nobody uses it.
        drop(unsafe { Box::from_raw(world) });
        Ok(())
    })
}

/// The category with a name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_category(
    world: *const throng_world,
    name: *const std::ffi::c_char,
    category: *mut u16,
) -> throng_status {
    // SAFETY: pointers are as the front page asks.
    unsafe {
        read(world, |world| {
            let (place, name) = (Out::new(category, "category")?, text(name, "the name")?);
            let found = world.broadphase.category(name).ok_or_else(|| {
                let message = format!("there is no category {name:?}");
                Refusal::new(throng_status::UnknownCategory, message)
            })?;
            place.write(crate::shapes::number_of(found));
            Ok(())
        })
    }
}

/// How many categories there are. They are numbered from 0, in the order of the config.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_categories(
    world: *const throng_world,
    count: *mut usize,
) -> throng_status {
    // SAFETY: pointers are as the front page asks.
    unsafe {
        read(world, |world| {
            Out::new(count, "count")?.write(world.broadphase.categories().len());
            Ok(())
        })
    }
}

impl State {
    /// The size in bytes of the lists that C reads through pointers.
    pub(crate) fn kept_bytes(&self) -> usize {
        self.events.memory_bytes() + self.aabb_fill.memory_bytes()
    }

    /// A category that this world has.
    pub(crate) fn known(&self, category: u16) -> Outcome<CategoryId> {
        let categories = self.broadphase.categories().len();
        if usize::from(category) < categories {
            return Ok(CategoryId::new(category));
        }
        let message = format!(
            "there is no category number {category}; this world has {categories}, counted from 0"
        );
        Err(Refusal::new(throng_status::UnknownCategory, message))
    }
}

/// Panics inside, as nothing else should: so that a program can see what it does then. The world is broken afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_rehearse_panic(world: *mut throng_world) -> throng_status {
    // SAFETY: the pointer is as the front page asks.
    unsafe { change(world, |_| panic!("as it was asked to")) }
}
