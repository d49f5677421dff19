//! Promise: steps run on bevy's own threads, and find what one thread finds, in the same order.

use std::collections::HashSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bevy_app::App;
use bevy_tasks::{ComputeTaskPool, TaskPoolBuilder};
use bevy_throng::{BevyTasks, BroadphasePlugin, Space};
use throng::{Broadphase, BroadphaseConfig, CategoryConfig, Executor, Proxy, Serial};

#[test]
fn every_task_runs_once_and_the_pairs_are_those_of_one_thread() {
    let threads = ComputeTaskPool::get_or_init(|| TaskPoolBuilder::new().num_threads(3).build());
    assert_eq!(BevyTasks.threads(), threads.thread_num());
    for tasks in [0, 1, 2, 3, 1000] {
        let runs: Vec<_> = (0..tasks).map(|_| AtomicUsize::new(0)).collect();
        BevyTasks.run(tasks, &|task| {
            runs[task].fetch_add(1, Ordering::Relaxed);
        });
        assert!(
            runs.into_iter().all(|runs| runs.into_inner() == 1),
            "of {tasks} tasks"
        );
    }

    let config = BroadphaseConfig::new().category(CategoryConfig::uniform("sheep", 1.0).coarse());
    let mut world = Broadphase::new(config).unwrap();
    for number in 0..20_000_u32 {
        let [x, y] = [number % 141, number / 141].map(|place| place as f32 * 1.7);
        world
            .insert(Proxy::centered([x, y], [1.0; 2]).unwrap())
            .unwrap();
    }
    let mut pairs = |executor: &dyn Executor| -> Vec<[u32; 2]> {
        let step = world.step_on(executor, &throng::CollectPairs);
        step.outputs()
            .flat_map(|list| list.pairs())
            .copied()
            .collect()
    };
    let expected = pairs(&Serial);
    assert!(expected.len() > 20_000);
    assert!(pairs(&BevyTasks) == expected);
}

#[cfg(feature = "multi_threaded")]
#[test]
fn a_panic_in_a_task_reaches_the_caller() {
    ComputeTaskPool::get_or_init(|| TaskPoolBuilder::new().num_threads(3).build());
    let run = || BevyTasks.run(10, &|task| assert_ne!(task, 5, "meant to panic"));
    assert!(std::panic::catch_unwind(run).is_err());
}

/// Steps, searches and all else that has no executor named.
#[test]
fn a_space_has_bevys_threads() {
    let config = BroadphaseConfig::new().category(CategoryConfig::uniform("sheep", 1.0));
    let mut app = App::new();
    app.add_plugins(BroadphasePlugin::new(config).unwrap());
    let space = app.world().resource::<Space>();
    let (executor, expected): (_, &dyn Executor) = (space.executor(), &BevyTasks);
    assert!(executor.threads() == expected.threads() && executor.threads_sleep());
    let names = Mutex::new(HashSet::new());
    let of_bevy = |name: &Option<String>| name.as_ref().is_some_and(|n| n.contains("TaskPool"));
    let is_alone = executor.threads() == 1;
    // Bevy's threads are those of all tests, and may be busy with others for a while.
    let have_helped = (0..200).any(|_| {
        executor.run(1000, &|_| {
            std::thread::sleep(Duration::from_micros(10));
            let thread = std::thread::current();
            names
                .lock()
                .unwrap()
                .insert(thread.name().map(String::from));
        });
        names.lock().unwrap().iter().any(of_bevy)
    });
    assert!(is_alone || have_helped);
}
