//! Who writes, and in which order.

use std::sync::atomic::{AtomicUsize, Ordering};

use rand::SeedableRng;
use rand_pcg::Pcg64Mcg;
use throng::{
    Aabb, Broadphase, BroadphaseConfig, CategoryConfig, Executor, Proxy, Serial, SimdLevel,
};

use super::world;
use crate::common::{Threads, category};

/// Counts the tasks that it is given.
#[derive(Default)]
struct CountsTasks(AtomicUsize);

impl Executor for CountsTasks {
    fn threads(&self) -> usize {
        2
    }

    fn run(&self, tasks: usize, task: &(dyn Fn(usize) + Sync)) {
        self.0.fetch_add(tasks, Ordering::Relaxed);
        (0..tasks).for_each(task);
    }
}

#[test]
fn many_rows_are_written_on_the_executor_that_is_named() {
    let mut random = Pcg64Mcg::seed_from_u64(3);
    let mut world = world(SimdLevel::detect(), 20_000, 2000.0, &mut random);
    let executor = CountsTasks::default();
    let boxes: Vec<Aabb> = world
        .proxies(category(0))
        .map(|id| world.get(id).unwrap().aabb)
        .collect();
    let fill = world
        .aabbs_mut_on(&executor, category(0))
        .unwrap()
        .fill_from(&boxes);
    assert_eq!(fill.unwrap().refused, []);
    assert!(executor.0.into_inner() > 1);
}

#[test]
fn nothing_depends_on_the_order_of_tasks() {
    let units = CategoryConfig::uniform("units", 1.0)
        .rests_after(1)
        .events();
    let config = BroadphaseConfig::new().pair_slots(true).category(units);
    let mut world = Broadphase::new(config).unwrap();
    // Pairs side by side.
    let boxes: Vec<Aabb> = (0..20_000)
        .map(|n| Aabb::from_center([(n / 2) as f32 * 4.0, (n % 2) as f32], [0.9; 2]).unwrap())
        .collect();
    world.insert_batch(boxes.iter().map(|&aabb| Proxy::moving(aabb)));
    for _ in 0..5 {
        world.step_pairs();
    }
    let mut worlds = [world.clone(), world];
    // One of these threads runs tasks from the last to the first.
    let executors: [&dyn Executor; 2] = [&Serial, &Threads(1)];
    let mut all_resting = 0;
    for frame in 0..6 {
        let mut boxes = boxes.clone();
        for row in [1000, 9001, 19_000].into_iter().filter(|_| frame % 3 == 0) {
            let [x, _] = boxes[row].center();
            boxes[row] = Aabb::from_center([x, -50.0], [0.8; 2]).unwrap();
        }
        let told = [0, 1].map(|n| {
            let mut all = worlds[n].aabbs_mut_on(executors[n], category(0)).unwrap();
            let fill = all.fill_from(&boxes).unwrap();
            let step = worlds[n].step_pairs();
            let events = step.began().chain(step.ended());
            let events: Vec<_> = events.map(|event| (event.ids, event.slot)).collect();
            let resting: Vec<_> = step.resting_pairs().to_vec();
            let lasting: Vec<_> = step
                .event_pairs()
                .map(|pair| (pair.ids, pair.slot))
                .collect();
            all_resting += resting.len();
            (fill, events, resting, lasting)
        });
        assert!(told[0] == told[1], "frame {frame}");
        assert!(frame % 3 > 1 || !told[0].1.is_empty(), "frame {frame}");
    }
    assert!(all_resting > 0);
}
