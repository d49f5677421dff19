//! What it takes to load scenery from bytes, beside a copy of the same bytes. Checking the bytes is apart: it is done once for a
//! file, however often it is loaded. Everything is in turns, in a world of its own, in memory that is new: most of what a copy
//! takes, and of what loading takes, is the system's making of pages.
//!
//! ```sh
//! cargo run --release --manifest-path benches/Cargo.toml --bin loads
//! cargo run --release --manifest-path benches/Cargo.toml --bin loads -- --boxes 10k,1M --rounds 30 --threads 1
//! ```

use std::hint::black_box;
use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;
use comfy_table::{CellAlignment, Table, presets::UTF8_BORDERS_ONLY};
use indicatif::ProgressBar;
use throng::{
    AlignedBytes, Broadphase, BroadphaseConfig, CategoryConfig, CategoryId, PackedQuadtree, Proxy,
    SharedBytes,
};
use throng_benches::{Samples, Workers, parse_count, short};
use throng_scenes::uniform;

/// Loading of scenery, measured.
#[derive(Parser)]
struct Args {
    /// How many boxes there are; several with commas.
    #[arg(long, value_delimiter = ',', value_parser = parse_count, default_value = "10k,100k,1M")]
    boxes: Vec<usize>,
    /// How often each is measured; a round of a million boxes on two threads takes 140 MB, which are kept.
    #[arg(long, default_value_t = 15)]
    rounds: usize,
    /// On how many threads it is loaded; several with commas.
    #[arg(long, value_delimiter = ',', value_parser = parse_count, default_value = "1,2")]
    threads: Vec<usize>,
}

const WALLS: CategoryId = CategoryId::new(0);

fn main() -> ExitCode {
    let args = Args::parse();
    let mut pools = Vec::new();
    for &threads in &args.threads {
        match Workers::in_a_pool(threads) {
            Ok(workers) => pools.push(workers),
            Err(error) => {
                eprintln!("loads: {threads} threads could not be started: {error}");
                return ExitCode::FAILURE;
            }
        }
    }
    let mut table = Table::new();
    let loaded = pools.iter().map(|pool| match pool.threads() {
        1 => "loading, 1 thread".to_owned(),
        threads => format!("loading, {threads} threads"),
    });
    let head = ["boxes", "bytes", "a copy", "checking"].map(str::to_owned);
    table
        .load_style(UTF8_BORDERS_ONLY)
        .set_header(head.into_iter().chain(loaded));
    for column in table.column_iter_mut() {
        column.set_cell_alignment(CellAlignment::Right);
    }
    for &boxes in &args.boxes {
        let bytes = file_of(boxes);
        let figures = measure(&bytes, args.rounds, &pools);
        let copies = &figures[0];
        let mut cells = vec![
            short(boxes),
            format!("{:.2} MB", bytes.len() as f64 / 1e6),
            format!("{:.2} / {:.2}", copies.best(), copies.median()),
        ];
        cells.extend(figures[1..].iter().map(|samples| {
            let times = samples.per_round_over(copies).median();
            format!(
                "{:.2} / {:.2} ({times:.1})",
                samples.best(),
                samples.median()
            )
        }));
        table.add_row(cells);
    }
    println!("Milliseconds, best / median, and times a copy (median of rounds).\n{table}");
    ExitCode::SUCCESS
}

fn empty_world() -> Broadphase {
    let walls = BroadphaseConfig::new().category(CategoryConfig::scenery("walls"));
    Broadphase::new(walls).expect("the config is good")
}

/// Boxes of one size whose rows are in no order.
fn file_of(boxes: usize) -> Vec<u8> {
    let scene = uniform(boxes, 0.5, 1);
    let mut editor = empty_world();
    let proxies = scene.xs.iter().zip(&scene.ys).map(|(&x, &y)| {
        let proxy = Proxy::centered([x, y], scene.half).expect("scenes are finite");
        proxy.in_category(WALLS)
    });
    assert_eq!(editor.insert_batch(proxies).refused, []);
    let tree = editor.pack_scenery(WALLS).expect("it is scenery");
    tree.as_bytes().to_vec()
}

/// Milliseconds of a copy, of checking, and of loading on so many threads.
fn measure(bytes: &[u8], rounds: usize, pools: &[Workers]) -> Vec<Samples> {
    let mut figures = vec![Samples::default(); 2 + pools.len()];
    let bar = ProgressBar::new(rounds as u64);
    let shared = SharedBytes::new(AlignedBytes::from(bytes));
    // Nothing is let go, or its memory would be given to the next, and that is not new.
    let (mut copies, mut worlds) = (Vec::new(), Vec::new());
    for round in 0..=rounds {
        let mut note = |column: usize, started: Instant| {
            // In the first round programs are paged in and threads wake up.
            if round > 0 {
                figures[column].push(started.elapsed().as_secs_f64() * 1e3);
            }
        };
        let started = Instant::now();
        copies.push(black_box(bytes.to_vec()));
        note(0, started);

        let started = Instant::now();
        let tree = PackedQuadtree::from_bytes(shared.clone()).expect("it was packed here");
        note(1, started);

        for (pool, column) in pools.iter().zip(2..) {
            let mut world = empty_world();
            pool.run(|_| {
                let started = Instant::now();
                world
                    .load_scenery(WALLS, &tree)
                    .expect("all rows are there");
                note(column, started);
            });
            assert_eq!(world.len(), tree.len());
            worlds.push(world);
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    figures
}
