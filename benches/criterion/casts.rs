//! Rays among units: the first box on each, the first circle in one search, and the first circle as it is found without one.

use std::cell::LazyCell;
use std::hint::black_box;

use criterion::Throughput;
use throng::{Broadphase, BroadphaseConfig, CategoryConfig, Proxy, RayCast};
use throng_benches::{criterion, is_test_mode, short};
use throng_scenes::{Scene, uniform};

/// Smaller than the boxes, so that some rays pass between a circle and the corner of its box.
const RADIUS: f32 = 0.35;
const RAYS: usize = 2048;
const LENGTH: f32 = 100.0;

fn main() {
    let mut criterion = criterion();
    let sizes: &[usize] = if is_test_mode() {
        &[1_000]
    } else {
        &[100_000, 1_000_000]
    };
    for &units in sizes {
        // Five boxes on a hundred units of path, of which one in two or three holds a circle that is hit.
        let scene = LazyCell::new(|| uniform(units, 0.1, 1));
        let world = LazyCell::new(|| world_of(&scene));
        for (reach, name) in [(LENGTH, "short"), (f32::INFINITY, "endless")] {
            let rays = LazyCell::new(|| rays(&scene, reach));
            let mut group = criterion.benchmark_group(format!("{name} casts, {}", short(units)));
            group.throughput(Throughput::Elements(RAYS as u64));
            group.bench_function("first box", |bencher| {
                let hit = |ray: &&RayCast| world.query().cast_first(**ray).unwrap().is_some();
                bencher.iter(|| black_box(rays.iter().filter(hit).count()));
            });
            group.bench_function("first circle", |bencher| {
                let hit = |ray: &&RayCast| first_circle(&world, ray).is_some();
                bencher.iter(|| black_box(rays.iter().filter(hit).count()));
            });
            // This is no way to do it for endless rays.
            if reach.is_finite() {
                let mut hits = Vec::new();
                group.bench_function("all boxes, then circles", |bencher| {
                    let mut hit = |ray: &RayCast| {
                        world.query().cast_all(*ray, &mut hits).unwrap();
                        let circles = hits
                            .iter()
                            .filter_map(|hit| ray.circle_entry(hit.hit.center, RADIUS));
                        circles.min_by(f32::total_cmp).is_some()
                    };
                    bencher.iter(|| black_box(rays.iter().filter(|ray| hit(ray)).count()));
                });
            }
            group.finish();
        }
    }
    criterion.final_summary();
}

fn first_circle(world: &Broadphase, ray: &RayCast) -> Option<f32> {
    let first = world.query().cast_first_by(*ray, |candidate| {
        ray.circle_entry(candidate.hit.center, RADIUS)
    });
    first.unwrap().map(|hit| hit.fraction)
}

/// From all over the scene, in all directions.
fn rays(scene: &Scene, reach: f32) -> Vec<RayCast> {
    let step = (scene.len() / RAYS).max(1);
    let rays = (0..RAYS).map(|k| {
        let row = k * step % scene.len();
        let (sin, cos) = (k as f32).sin_cos();
        let from = [scene.xs[row] + 1.0, scene.ys[row]];
        RayCast::from_ray(from, [cos, sin], reach).expect("finite numbers")
    });
    rays.collect()
}

fn world_of(scene: &Scene) -> Broadphase {
    let units = CategoryConfig::uniform("units", 0.0).half_extents(scene.half);
    let config = BroadphaseConfig::new().category(units);
    let mut world = Broadphase::new(config).expect("the config is good");
    for (&x, &y) in scene.xs.iter().zip(&scene.ys) {
        let proxy = Proxy::centered([x, y], scene.half).expect("scenes are finite");
        world.insert(proxy).expect("it fits");
    }
    // Twice: the second build knows how many there are where.
    world.refresh();
    world.refresh();
    world
}
