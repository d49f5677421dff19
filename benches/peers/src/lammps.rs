//! A peer: the neighbor build of LAMMPS, a simulator of molecules, from its shared library, if that is installed.
//!
//! It knows particles and distances, not boxes. A box is a particle here, and two boxes that overlap are no farther apart than
//! half of their diagonals together, so all pairs within that distance are asked for, and looked at once more.

#![allow(
    unsafe_code,
    reason = "the interface is C functions that take pointers"
)]

use std::ffi::{CString, c_char, c_double, c_int, c_void};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use libloading::Library;
use throng_benches::{Population, Sides};

use crate::hash_grid::overlap;
use crate::{Found, PairSum, Peer, Stopwatch};

/// On Debian and its derivatives: `apt-get install lammps`, with which comes what MPI needs.
const FILE: &str = "liblammps.so.0";

/// Particles of a type have diagonals that differ by no more than this factor: the distance is one for each two types.
const SIZES_OF_A_TYPE: f64 = 1.25;
/// The types there are room for; the last takes whatever is larger.
const MOST_TYPES: usize = 48;
/// It looks through bins by area: as many as this for each particle at most, where half of the distance would make more. Of 4, 32
/// and 256, 32 was the fastest for three sparse scenes of four, and 256 for one.
const MOST_BINS_EACH: f64 = 64.0;
/// Of what it says of a partner, the upper bits are about chemical bonds.
const ROW_BITS: c_int = 0x1FFF_FFFF;

/// The functions that are called.
struct Calls {
    open: unsafe extern "C" fn(c_int, *mut *mut c_char, *mut *mut c_void) -> *mut c_void,
    close: unsafe extern "C" fn(*mut c_void),
    version: unsafe extern "C" fn(*mut c_void) -> c_int,
    commands: unsafe extern "C" fn(*mut c_void, *const c_char),
    has_error: unsafe extern "C" fn(*mut c_void) -> c_int,
    setting: unsafe extern "C" fn(*mut c_void, *const c_char) -> c_int,
    create_atoms: unsafe extern "C" fn(
        *mut c_void,
        c_int,
        *const c_int,
        *const c_int,
        *const c_double,
        *const c_double,
        *const c_int,
        c_int,
    ) -> c_int,
    atoms: unsafe extern "C" fn(*mut c_void, *const c_char) -> *mut c_void,
    find_list: unsafe extern "C" fn(*mut c_void, *const c_char, c_int, c_int, c_int) -> c_int,
    list_len: unsafe extern "C" fn(*mut c_void, c_int) -> c_int,
    list_element:
        unsafe extern "C" fn(*mut c_void, c_int, c_int, *mut c_int, *mut c_int, *mut *mut c_int),
    // What the functions above are in. It is never closed.
    _library: Library,
}

impl Calls {
    /// `None` if it is not installed.
    fn of_installed() -> Option<&'static Self> {
        static CALLS: OnceLock<Option<Calls>> = OnceLock::new();
        // SAFETY: what runs when the library is loaded is its own and that of MPI, and the functions are those of its documentation,
        // in its version of January 2022 and since.
        let load = || unsafe {
            let library = Library::new(FILE).ok()?;
            Some(Calls {
                open: *library.get(b"lammps_open_no_mpi\0").ok()?,
                close: *library.get(b"lammps_close\0").ok()?,
                version: *library.get(b"lammps_version\0").ok()?,
                commands: *library.get(b"lammps_commands_string\0").ok()?,
                has_error: *library.get(b"lammps_has_error\0").ok()?,
                setting: *library.get(b"lammps_extract_setting\0").ok()?,
                create_atoms: *library.get(b"lammps_create_atoms\0").ok()?,
                atoms: *library.get(b"lammps_extract_atom\0").ok()?,
                find_list: *library.get(b"lammps_find_pair_neighlist\0").ok()?,
                list_len: *library.get(b"lammps_neighlist_num_elements\0").ok()?,
                list_element: *library.get(b"lammps_neighlist_element_neighbors\0").ok()?,
                _library: library,
            })
        };
        CALLS.get_or_init(load).as_ref()
    }
}

/// A simulation in which nothing is simulated: particles are where they are put, and in each step all neighbors are found.
struct Simulation {
    calls: &'static Calls,
    handle: *mut c_void,
    rows: usize,
}

// SAFETY: whoever uses any simulation is in the `turn`, and which thread that is makes no difference: nothing is kept by thread, and
// one process alone sends no messages.
unsafe impl Send for Simulation {}

/// Nobody else calls the library until this is dropped.
fn turn() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Simulation {
    /// Without particles as yet.
    fn open(calls: &'static Calls) -> Self {
        let arguments = ["throng", "-log", "none", "-screen", "none", "-nocite"];
        let arguments = arguments.map(|text| CString::new(text).expect("no zero in it"));
        let mut pointers = arguments.each_ref().map(|text| text.as_ptr().cast_mut());
        // SAFETY: as many strings as it is told, which it copies.
        let handle = unsafe {
            (calls.open)(
                pointers.len() as c_int,
                pointers.as_mut_ptr(),
                std::ptr::null_mut(),
            )
        };
        assert!(!handle.is_null(), "LAMMPS does not start");
        Self {
            calls,
            handle,
            rows: 0,
        }
    }

    fn new(calls: &'static Calls, boxes: &[Sides], movers: usize) -> Self {
        let mut simulation = Self::open(calls);
        let handle = simulation.handle;
        simulation.rows = boxes.len();
        // SAFETY: the simulation is sound, and the name a string.
        let bytes_of_a_row = unsafe { (calls.setting)(handle, c"tagint".as_ptr()) };
        assert_eq!(
            bytes_of_a_row, 4,
            "its rows are 32 bits wide, as by default"
        );

        let types = Types::of(boxes, movers);
        simulation.command(&types.commands(boxes));
        let ids: Vec<c_int> = (1..=boxes.len() as c_int).collect();
        let places: Vec<c_double> = boxes.iter().flat_map(place).collect();
        // SAFETY: as many of each as there are rows; null stands for no velocities and no images.
        let created = unsafe {
            (calls.create_atoms)(
                handle,
                boxes.len() as c_int,
                ids.as_ptr(),
                types.of_rows.as_ptr(),
                places.as_ptr(),
                std::ptr::null(),
                std::ptr::null(),
                1,
            )
        };
        assert_eq!(created as usize, boxes.len(), "all of them are inside");
        simulation.command("run 0 post no\n");
        simulation
    }

    fn command(&mut self, text: &str) {
        let text = CString::new(text).expect("no zero in it");
        // SAFETY: the simulation is sound, and the text a string.
        let has_error = unsafe {
            (self.calls.commands)(self.handle, text.as_ptr());
            (self.calls.has_error)(self.handle)
        };
        assert_eq!(has_error, 0, "LAMMPS refuses {text:?}");
    }

    /// Which row each particle is, from one on, in the order in which it keeps them.
    fn ids(&self) -> &[c_int] {
        // SAFETY: there is a number for each particle, until it is next called with `&mut`.
        unsafe {
            let ids = (self.calls.atoms)(self.handle, c"id".as_ptr()).cast::<c_int>();
            std::slice::from_raw_parts(ids, self.rows)
        }
    }

    /// Puts the particles where the boxes are.
    fn put(&mut self, boxes: &[Sides]) {
        // SAFETY: a pointer to three numbers for each particle.
        let places = unsafe {
            let places =
                (self.calls.atoms)(self.handle, c"x".as_ptr()).cast::<*mut [c_double; 3]>();
            std::slice::from_raw_parts(places, self.rows)
        };
        for (&id, &to) in self.ids().iter().zip(places) {
            // SAFETY: as above.
            unsafe { *to = place(&boxes[id as usize - 1]) };
        }
    }

    /// All neighbors anew, by a step in which nothing moves.
    fn find_neighbors(&mut self) {
        self.command("run 1 pre no post no\n");
    }

    /// Each pair of rows that are near each other, once.
    fn for_each_pair(&self, mut visit: impl FnMut(u32, u32)) {
        let (calls, handle, ids) = (self.calls, self.handle, self.ids());
        let row = |particle: c_int| (ids[particle as usize] - 1) as u32;
        // SAFETY: the simulation is sound, and the name a string.
        let list = unsafe { (calls.find_list)(handle, c"zero".as_ptr(), 1, 0, 0) };
        assert!(list >= 0, "there is a list");
        // SAFETY: it is one of the lists of the simulation.
        let elements = unsafe { (calls.list_len)(handle, list) };
        for element in 0..elements {
            let (mut particle, mut count, mut first) = (-1, 0, std::ptr::null_mut());
            // SAFETY: it writes to the three places, and the neighbors are there until its next step.
            let near = unsafe {
                (calls.list_element)(handle, list, element, &mut particle, &mut count, &mut first);
                if count == 0 {
                    continue;
                }
                std::slice::from_raw_parts(first.cast_const(), count as usize)
            };
            let a = row(particle);
            near.iter()
                .for_each(|&other| visit(a, row(other & ROW_BITS)));
        }
    }
}

impl Drop for Simulation {
    fn drop(&mut self) {
        // SAFETY: nobody uses it after this.
        unsafe { (self.calls.close)(self.handle) };
    }
}

fn place(&[min_x, min_y, max_x, max_y]: &Sides) -> [c_double; 3] {
    let middle = |min: f32, max: f32| 0.5 * (c_double::from(min) + c_double::from(max));
    [middle(min_x, max_x), middle(min_y, max_y), 0.0]
}

/// Which particles are about as large, and which never move.
struct Types {
    of_rows: Vec<c_int>,
    /// Half of the longest diagonal of each.
    reach: Vec<f64>,
    /// Those of what never moves, of whom two are no pair, come after these.
    movers: usize,
}

impl Types {
    fn of(boxes: &[Sides], movers: usize) -> Self {
        let reach = |&[min_x, min_y, max_x, max_y]: &Sides| {
            let [width, height] = [max_x - min_x, max_y - min_y].map(f64::from);
            0.5 * width.hypot(height)
        };
        let least = boxes.iter().map(reach).fold(f64::INFINITY, f64::min);
        let mut types = Self {
            of_rows: Vec::with_capacity(boxes.len()),
            reach: Vec::new(),
            movers: 0,
        };
        for (part, is_of_movers) in [(&boxes[..movers], true), (&boxes[movers..], false)] {
            let mut numbers = [0; MOST_TYPES];
            for reach in part.iter().map(reach) {
                let class = (reach / least).log(SIZES_OF_A_TYPE);
                let number = &mut numbers[(class as usize).min(MOST_TYPES - 1)];
                if *number == 0 {
                    types.reach.push(0.0);
                    *number = types.reach.len();
                }
                types.of_rows.push(*number as c_int);
                let longest = &mut types.reach[*number - 1];
                *longest = longest.max(reach);
            }
            if is_of_movers {
                types.movers = types.reach.len();
            }
        }
        types
    }

    /// The input of a simulation of these, without the particles.
    fn commands(&self, boxes: &[Sides]) -> String {
        let bounds = boxes.iter().fold([0.0_f32; 4], |all, one| {
            [
                all[0].min(one[0]),
                all[1].min(one[1]),
                all[2].max(one[2]),
                all[3].max(one[3]),
            ]
        });
        // Sides are rounded, by less than this, and so will those of later frames be.
        let farthest = bounds.iter().fold(1.0, |all: f32, one| all.max(one.abs()));
        let slack = f64::from(8.0 * farthest * f32::EPSILON);
        let types = self.reach.len();
        let longest = 2.0 * self.reach.iter().fold(0.0, |all: f64, &one| all.max(one)) + slack;
        // Its world grows with its particles, and is never smaller than a distance.
        let [min_x, min_y] = [bounds[0], bounds[1]].map(|side| f64::from(side) - longest);
        let [max_x, max_y] = [bounds[2], bounds[3]].map(|side| f64::from(side) + longest);
        let area = (max_x - min_x) * (max_y - min_y);
        let bin = (0.5 * longest).max((area / (MOST_BINS_EACH * boxes.len() as f64)).sqrt());
        let mut text = format!(
            "units lj\ndimension 2\nboundary m m p\natom_style atomic\natom_modify sort 100 {bin}\n\
             region all block {min_x} {max_x} {min_y} {max_y} -{bin} {bin}\ncreate_box {types} all\nmass * 1.0\n\
             pair_style zero {longest}\npair_coeff * *\n"
        );
        for a in 0..types {
            for b in a..types {
                let (one, other, within) = (a + 1, b + 1, self.reach[a] + self.reach[b] + slack);
                text += &format!("pair_coeff {one} {other} {within}\n");
                if a >= self.movers {
                    text += &format!("neigh_modify exclude type {one} {other}\n");
                }
            }
        }
        // Of several types, each has bins by its own distance.
        text += &if types > 1 {
            "neighbor 0.0 multi\n".to_owned()
        } else {
            format!("neighbor 0.0 bin\nneigh_modify binsize {bin}\n")
        };
        text + "neigh_modify delay 0 every 1 check no one 200000 page 4000000\nthermo 1000000000\n"
    }
}

fn half_extents(population: &Population) -> Vec<[f32; 2]> {
    let scenes = population.groups.iter().map(|group| &group.scene);
    scenes
        .flat_map(|scene| (0..scene.len()).map(|row| scene.half_extents_of(row)))
        .collect()
}

/// LAMMPS on one thread.
#[derive(Default)]
pub struct Lammps {
    simulation: Option<Simulation>,
    /// The half extents of its particles, and how many particles move.
    made_for: (Vec<[f32; 2]>, usize),
    boxes: Vec<Sides>,
}

impl Lammps {
    /// Whether the library is there to be loaded.
    pub fn is_installed() -> bool {
        Calls::of_installed().is_some()
    }

    /// The date that its version goes by, as in 2021-09-29; `None` if it is not installed.
    pub fn version() -> Option<String> {
        let calls = Calls::of_installed()?;
        let _turn = turn();
        let simulation = Simulation::open(calls);
        // SAFETY: the simulation is sound.
        let date = unsafe { (calls.version)(simulation.handle) };
        let [year, month, day] = [date / 10_000, date / 100 % 100, date % 100];
        Some(format!("{year}-{month:02}-{day:02}"))
    }
}

impl Drop for Lammps {
    fn drop(&mut self) {
        let _turn = turn();
        self.simulation = None;
    }
}

impl Peer for Lammps {
    fn name(&self) -> &'static str {
        "LAMMPS"
    }

    fn way(&self) -> &'static str {
        "its neighbor build by way of its C library, on one thread: a step of a simulation with `pair_style zero`, no `fix`es, no skin, \
         particles sorted every hundred steps, a type for each size class; finds particles within half of both diagonals, of which \
         the boxes are compared in the time shown as \"filter\""
    }

    fn why_serial(&self) -> Option<&'static str> {
        Some("as Debian builds it, it has none of its packages for threads")
    }

    fn prepare(&mut self, population: &Population) {
        let _turn = turn();
        self.boxes.clear();
        self.boxes.extend(population.boxes());
        let now = (half_extents(population), population.movers());
        if self.simulation.is_none() || self.made_for != now {
            // One at a time: the old one has to be gone.
            self.simulation = None;
            let calls = Calls::of_installed().expect("it takes part only if it is there");
            self.simulation = Some(Simulation::new(calls, &self.boxes, now.1));
            self.made_for = now;
        }
        let simulation = self.simulation.as_mut().expect("made above");
        simulation.put(&self.boxes);
    }

    fn search<S: PairSum>(&mut self, threads: usize) -> Found<S> {
        let _turn = turn();
        let simulation = self.simulation.as_mut().expect("it was prepared");
        let started = Stopwatch::start(threads);
        simulation.find_neighbors();
        let time = started.elapsed();
        let started = Stopwatch::start(threads);
        let mut sum = S::default();
        simulation.for_each_pair(|a, b| {
            if overlap(&self.boxes[a as usize], &self.boxes[b as usize]) {
                sum.add(a, b);
            }
        });
        Found {
            sum,
            time,
            filter: started.elapsed(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Lammps;

    #[test]
    fn its_version_is_a_date() {
        // If it is not installed, there is nothing to ask.
        let version = Lammps::version();
        assert_eq!(version.is_some(), Lammps::is_installed());
        if let Some(version) = version {
            let parts: Vec<u32> = version
                .split('-')
                .map(|part| part.parse().unwrap())
                .collect();
            let [year, month, day] = parts[..] else {
                panic!("{version}");
            };
            assert!((2020..2100).contains(&year), "{version}");
            assert!(
                (1..=12).contains(&month) && (1..=31).contains(&day),
                "{version}"
            );
        }
    }
}
