// throng: a 2D broadphase. It finds every pair of overlapping boxes, each exactly once and in parallel, among hundreds of
// thousands to millions that all move. This is its C interface; docs/c.md is a guide to it.
//
//     cargo build --release -p throng-ffi
//     cc game.c -I crates/throng-ffi/include target/release/libthrong_ffi.a -lpthread -ldl -lm
//
// Made by cbindgen from the sources of `crates/throng-ffi`; do not edit it.
//
// - Functions that can fail return a `throng_status`, and `throng_last_error_message()` says what was wrong.
// - A pointer is null or points to as many valid, aligned elements as are said to be there. What a call writes overlaps
//   nothing else that is passed to it.
// - Functions that take a `const throng_world *` may run on any number of threads at once. All others need the world for
//   themselves, and return `THRONG_STATUS_BUSY` if it is in use.
// - What fills a buffer takes its capacity, and tells in `count` how many there are. If that is more than the buffer has room
//   for, it gets the first ones, and the status is `THRONG_STATUS_BUFFER_TOO_SMALL`. With a capacity of 0 the buffer may be
//   null.
// - Callbacks must return: no exception and no `longjmp` may leave them.
// - A struct that begins with `struct_size` needs its own size there, and may grow in later versions. What is zero in it is as
//   it is by default.

#ifndef THRONG_H
#define THRONG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Of the library that this header belongs to.
#define THRONG_VERSION_MAJOR 0

// Of the library that this header belongs to.
#define THRONG_VERSION_MINOR 1

// Of the library that this header belongs to.
#define THRONG_VERSION_PATCH 0

// Grows when a program has to be compiled again, or changed, to work with the library.
#define THRONG_ABI_VERSION 1

// What stands for a proxy that is not there.
#define THRONG_NO_PROXY UINT64_MAX

// Everything in it counts as a box with the bound.
#define THRONG_CATEGORY_COARSE 1u

// It meets only what is in `meets`.
#define THRONG_CATEGORY_MEETS_ONLY 2u

// All of its pairs have events.
#define THRONG_CATEGORY_EVENTS 4u

// Its pairs come only as events: they are neither handed to a callback nor listed.
#define THRONG_CATEGORY_SENSOR 8u

// Its proxies rest when `throng_set_resting` tells them to, and only then.
#define THRONG_CATEGORY_RESTS_WHEN_TOLD 16u

// Those that rest wake where something that moves touches them.
#define THRONG_CATEGORY_WAKES_ON_CONTACT 32u

// The world has `world_tag`. Without this flag it gets one of its own.
#define THRONG_CONFIG_HAS_WORLD_TAG 1u

// Each pair with events has a slot as long as it lasts.
#define THRONG_CONFIG_PAIR_SLOTS 2u

// What is in `first_rejected` if no row was turned away.
#define THRONG_NO_ROW UINT32_MAX

// `masks` tells what it may meet. Without this flag, that is everything.
#define THRONG_PROXY_HAS_MASKS 1u

// It goes to `category`. Without this flag, it goes where its size sends it.
#define THRONG_PROXY_IN_CATEGORY 2u

// It takes no part in anything until it is enabled.
#define THRONG_PROXY_DISABLED 4u

// It has `velocity`. Without this flag, it has none.
#define THRONG_PROXY_HAS_VELOCITY 8u

// What stands for a slot that a pair does not have.
#define THRONG_NO_SLOT UINT32_MAX

// `masks` tells who may be found. Without this flag, everybody may.
#define THRONG_FILTER_HAS_MASKS 1u

// The distance is that of boxes, and not of centers.
#define THRONG_PROXIMITY_OF_BOXES 1u

// Those whose masks do not agree count as well.
#define THRONG_PROXIMITY_IGNORING_MASKS 2u

// Of lists of neighbors: each pair once, in the list of the lower row, or of the row of the lower category.
#define THRONG_PROXIMITY_EACH_PAIR_ONCE 4u

// How a call went. Whatever is not `THRONG_STATUS_OK` has a message: see `throng_last_error_message`. Unless another is said,
// a call that was refused has changed nothing.
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
enum throng_status : int32_t
#else
enum
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
{
    // All is well.
    THRONG_STATUS_OK = 0,
    // A pointer is null that must not be.
    THRONG_STATUS_NULL_POINTER = 1,
    // `struct_size` is not the size of a version of the struct that this library knows. It has to be filled in.
    THRONG_STATUS_BAD_STRUCT_SIZE = 2,
    // A number is none of those that it may be, such as a kind that there is not.
    THRONG_STATUS_BAD_VALUE = 3,
    // A text is not UTF-8.
    THRONG_STATUS_BAD_TEXT = 4,
    // The config is refused. The message has all of its problems, a line each.
    THRONG_STATUS_BAD_CONFIG = 5,
    // The text is not TOML, or not that of a config. The message has the line.
    THRONG_STATUS_BAD_TOML = 6,
    // There is no such category.
    THRONG_STATUS_UNKNOWN_CATEGORY = 7,
    // The id is that of a proxy that was removed, or of scenery that was unloaded.
    THRONG_STATUS_REMOVED_PROXY = 8,
    // The id is that of a proxy, or of scenery, of another world.
    THRONG_STATUS_OTHER_WORLD = 9,
    // The numbers make no box: one is NaN, a lower side is above the upper one, or both are the same infinity.
    THRONG_STATUS_BAD_BOX = 10,
    // A center or a velocity is not finite. The proxy keeps the one that it has.
    THRONG_STATUS_NOT_FINITE = 11,
    // No category holds a box of this size; or not the one that was named.
    THRONG_STATUS_DOES_NOT_FIT = 12,
    // The category, or the world, holds as many proxies as it can.
    THRONG_STATUS_FULL = 13,
    // There is no memory for as many as were asked for.
    THRONG_STATUS_OUT_OF_MEMORY = 14,
    // It is scenery, which has no columns to be filled, and no velocity.
    THRONG_STATUS_IS_SCENERY = 15,
    // The category is not scenery. Only scenery is packed and loaded.
    THRONG_STATUS_NOT_SCENERY = 16,
    // The bytes are not those of packed scenery, or not of any that fits into the category.
    THRONG_STATUS_BAD_SCENERY = 17,
    // There are not as many elements as rows.
    THRONG_STATUS_LENGTH_MISMATCH = 18,
    // There is no such row.
    THRONG_STATUS_NO_SUCH_ROW = 19,
    // Some of many were refused. All others are done.
    THRONG_STATUS_SOME_REFUSED = 20,
    // There has been no step or refresh yet; or rows have come or gone since, were enabled or disabled, or were given other masks, and
    // the answer is by row.
    THRONG_STATUS_STALE_INDEX = 21,
    // What is asked about is no valid shape, or too far away.
    THRONG_STATUS_BAD_SHAPE = 22,
    // There is more than the buffer has room for. It is full, and the count tells how much there is.
    THRONG_STATUS_BUFFER_TOO_SMALL = 23,
    // The world is in use: by another thread, or by the call from whose callback this one comes.
    THRONG_STATUS_BUSY = 24,
    // The library has panicked, which is a mistake in it. If the call could change the world, the world is broken.
    THRONG_STATUS_PANICKED = 25,
    // The world has been broken by a panic. It can only be freed.
    THRONG_STATUS_BROKEN = 26,
    // It cannot be done, for a reason without a code of its own.
    THRONG_STATUS_REFUSED = 27,
    // The category is configured never to rest; or it is scenery, which always does.
    THRONG_STATUS_NEVER_RESTS = 28,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum throng_status throng_status;
#else
typedef int32_t throng_status;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Which kind of things a category is for.
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
enum throng_category_kind : uint32_t
#else
enum
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
{
    // The many that move and are about the same size.
    THRONG_CATEGORY_KIND_UNIFORM = 0,
    // The few that are bigger than any bound, or unbounded.
    THRONG_CATEGORY_KIND_OVERSIZED = 1,
    // What never moves, or hardly ever.
    THRONG_CATEGORY_KIND_SCENERY = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum throng_category_kind throng_category_kind;
#else
typedef uint32_t throng_category_kind;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// How an oversized category stores its boxes.
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
enum throng_structure : uint32_t
#else
enum
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
{
    // Rows of boxes, each sorted along x; rebuilt in every step.
    THRONG_STRUCTURE_STRIPS = 0,
    // Loose cells under tight ones; only what changed is updated.
    THRONG_STRUCTURE_DOUBLE_GRID = 1,
    // Loose nodes; only what changed is updated, and it adapts to any density.
    THRONG_STRUCTURE_QUADTREE = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum throng_structure throng_structure;
#else
typedef uint32_t throng_structure;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Whether both of two proxies have to accept each other.
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
enum throng_mask_mode : uint32_t
#else
enum
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
{
    // Each has to accept the other.
    THRONG_MASK_MODE_AND = 0,
    // It is enough if one accepts the other, if both say so.
    THRONG_MASK_MODE_OR = 1,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum throng_mask_mode throng_mask_mode;
#else
typedef uint32_t throng_mask_mode;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Which kind of thing a proxy is, and how its box is given.
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
enum throng_proxy_kind : uint32_t
#else
enum
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
{
    // It moves, and is given by center and half extents.
    THRONG_PROXY_KIND_CENTERED = 0,
    // It moves, and is given by its corners.
    THRONG_PROXY_KIND_MOVING = 1,
    // It never moves, and is given by its corners.
    THRONG_PROXY_KIND_FIXED = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum throng_proxy_kind throng_proxy_kind;
#else
typedef uint32_t throng_proxy_kind;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// In which order rows are put.
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
enum throng_row_order : uint32_t
#else
enum
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
{
    // What is near each other in the world comes near each other in memory.
    THRONG_ROW_ORDER_SPACE = 0,
    // By key, lowest first; no two may be equal.
    THRONG_ROW_ORDER_KEY = 1,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum throng_row_order throng_row_order;
#else
typedef uint32_t throng_row_order;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// What moves along a path.
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
enum throng_cast_kind : uint32_t
#else
enum
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
{
    // A point.
    THRONG_CAST_KIND_RAY = 0,
    // A box.
    THRONG_CAST_KIND_BOX = 1,
    // A circle.
    THRONG_CAST_KIND_CIRCLE = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum throng_cast_kind throng_cast_kind;
#else
typedef uint32_t throng_cast_kind;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// A world of proxies in categories, and the pairs among them.
typedef struct throng_world throng_world;

// One of a list of tasks, to be called with each number below their count. It may be called from any thread.
typedef void (*throng_task)(void *context, size_t index);

// Calls `task(context, i)` once for each `i` below `count`, from any threads and in any order, and returns when all calls have
// returned. `count` is 2 or more, unless there is only one thread.
//
// It is called while another call of it runs, if several threads ask something at once, and from inside a task, if a test or a shape of
// the engine's own asks a batch of queries. So the thread that calls should work on its list as well, or others may wait for each other.
typedef void (*throng_run_all)(void *user, size_t count, throng_task task, void *context);

// The job system of an engine.
//
// A list of tasks often reads what the list before wrote, and the same part of each list the same memory: give each thread
// the same share of every list, and let those that are done help others from the end of theirs. A task that is repeated or
// forgotten does no harm. One that is called, or still runs, after `run_all` has returned does.
typedef struct throng_executor {
    // `sizeof(throng_executor)`.
    size_t struct_size;
    // How many tasks may run at once, from 1 to 4096. No result depends on it.
    size_t threads;
    // Runs a list of tasks.
    throng_run_all run_all;
    // What `run_all` is called with first.
    void *user;
    // Whether idle threads wait without falling asleep, so that they help at once. If not, a step that was found to be faster on the
    // thread that calls runs there, except for a trial now and then.
    bool threads_spin;
} throng_executor;

// A part of the world: things that behave alike.
typedef struct throng_category_config {
    // `sizeof(throng_category_config)`.
    size_t struct_size;
    // Unique and not empty.
    const char *name;
    // A `throng_category_kind`.
    uint32_t kind;
    // A sum of `THRONG_CATEGORY_...`.
    uint32_t flags;
    // The bound of half extents, for x and y. Zero in both: none, or that of points in a uniform category.
    float half_extents[2];
    // How much larger its boxes count, on every side, when predicted pairs are looked for.
    float margin;
    // A `throng_structure`, for an oversized category. Its settings are further down.
    uint32_t structure;
    // The names of the categories that it meets, if `THRONG_CATEGORY_MEETS_ONLY`; else it meets all.
    const char *const *meets;
    // How many names there are.
    size_t meets_count;
    // The names of the categories with which its pairs have events; or all, if `THRONG_CATEGORY_EVENTS`.
    const char *const *events_with;
    // How many names there are.
    size_t events_with_count;
    // After how many steps without a move its proxies rest, 1 to 240, or sooner if they are told to. With 0 they never rest, or
    // only when told, if `THRONG_CATEGORY_RESTS_WHEN_TOLD`.
    uint32_t rests_after;
    // Of strips: the height of the lowest ones; 0 to have it chosen.
    float strip_height;
    // Of a double grid: the width and height of the smallest loose cells; 0 to have them chosen.
    float loose_cell;
    // Of a double grid: the width and height of the tight cells over these; 0 for twice a loose cell.
    float tight_cell;
    // Of a quadtree: leaves with more rows are split, up to 65536; 0 for what it is by default.
    uint32_t split_above;
    // Of a quadtree: how many times space may be halved, up to 24; 0 for what it is by default.
    uint32_t max_depth;
} throng_category_config;

// What a world consists of. Zero stands for what the Rust library has by default.
typedef struct throng_config {
    // `sizeof(throng_config)`.
    size_t struct_size;
    // At least one category.
    const struct throng_category_config *categories;
    // How many there are.
    size_t category_count;
    // A sum of `THRONG_CONFIG_...`.
    uint32_t flags;
    // The fraction of a bound to which a proxy must shrink to move back; 0 for 0.8.
    float migrate_back;
    // The most pairs of one step; 0 for any number.
    uint64_t max_pairs;
    // The instruction set: "avx512", "avx2", "neon", "simd128" or "scalar"; null for the best there is.
    const char *simd;
    // A number that is in every id of the world, if `THRONG_CONFIG_HAS_WORLD_TAG`; else one is drawn.
    uint16_t world_tag;
} throng_config;

// A point, or how far something moves.
typedef struct throng_point {
    // Along x.
    float x;
    // Along y.
    float y;
} throng_point;

// A box, borders included. Sides may be infinite.
typedef struct throng_aabb {
    // The lower corner.
    struct throng_point min;
    // The upper corner.
    struct throng_point max;
} throng_aabb;

// A row of a category.
typedef struct throng_row_ref {
    // The row, counted from 0.
    uint32_t row;
    // The category that it is a row of.
    uint16_t category;
} throng_row_ref;

// How a proxy went to another category.
typedef struct throng_migration {
    // The proxy.
    uint64_t id;
    // The proxy that was in the last row there and is now in the row of `from`; `THRONG_NO_PROXY` if there is none.
    uint64_t swapped_in;
    // Where it was.
    struct throng_row_ref from;
    // Where it is now: the last row of its category.
    struct throng_row_ref to;
} throng_migration;

// What a write of boxes did to the rows. It is told if the status is `THRONG_STATUS_OK` or `THRONG_STATUS_SOME_REFUSED`. Both lists are
// there until the next write of boxes, `throng_shrink_to_fit`, or the end of the world.
typedef struct throng_aabb_fill {
    // Those that went to another category, in the order in which they did: apply them one after the other.
    const struct throng_migration *migrated;
    // How many they are.
    size_t migrated_count;
    // Those whose box was refused: the row that each was in before any migrated; after `throng_set_aabbs`, its place among those given.
    const uint32_t *refused;
    // How many they are.
    size_t refused_count;
} throng_aabb_fill;

// What filling a column did.
typedef struct throng_fill {
    // Rows that keep what they have because what was given is not finite. If these are centers, they are in the report of the
    // next step.
    size_t rejected;
    // The first of them, or `THRONG_NO_ROW`.
    uint32_t first_rejected;
} throng_fill;

// What a proxy is, and what it may meet: 64 groups each.
typedef struct throng_masks {
    // The groups that it is in.
    uint64_t memberships;
    // The groups that it is willing to meet.
    uint64_t filter;
    // A `throng_mask_mode`.
    uint32_t mode;
} throng_masks;

// What is to be inserted. `throng_proxy_centered` and the like in the header fill it in.
typedef struct throng_proxy {
    // `sizeof(throng_proxy)`.
    size_t struct_size;
    // A `throng_proxy_kind`.
    uint32_t kind;
    // A sum of `THRONG_PROXY_...`.
    uint32_t flags;
    // Of a centered proxy its center and half extents: x, y, x, y. Of others the lower corner and the upper one.
    float place[4];
    // The engine's own name for it; 0 for none.
    uint64_t key;
    // Whose it is; 0 for nobody's. Those of one owner never meet.
    uint64_t owner;
    // If `THRONG_PROXY_HAS_MASKS`; else it is in all groups, and meets all.
    struct throng_masks masks;
    // If `THRONG_PROXY_IN_CATEGORY`; else it goes to the smallest one that holds it.
    uint16_t category;
    // To be left 0: it may get a meaning.
    uint16_t unused[3];
    // How far it will move until the next step, if `THRONG_PROXY_HAS_VELOCITY`; else nowhere. As `throng_set_velocity` sets it.
    struct throng_point velocity;
} throng_proxy;

// Where an inserted proxy is: a new last row.
typedef struct throng_inserted {
    // Its id, by which it is known as long as it lives.
    uint64_t id;
    // Its row: the last one of the category.
    uint32_t row;
    // The category that it is in.
    uint16_t category;
} throng_inserted;

// What a removal did to the rows: the last row of the category moves into the gap.
typedef struct throng_removed {
    // The engine's own name for the removed proxy.
    uint64_t key;
    // The proxy that was in the last row and is in `row` now; `THRONG_NO_PROXY` if the removed one was last.
    uint64_t swapped_in;
    // The row it was in.
    uint32_t row;
    // The category it was in.
    uint16_t category;
} throng_removed;

// Two proxies that rest and whose boxes overlap.
typedef struct throng_resting_pair {
    // Both proxies: the lower category first, or within a category the one whose row was the lower when they came to rest.
    uint64_t ids[2];
    // The category of each.
    uint16_t categories[2];
} throng_resting_pair;

// What a change did to the rows.
typedef struct throng_placement {
    // Whether the proxy is in another category now. If not, it is in the row in which it was, and all else is zero.
    bool migrated;
    // Where it was.
    struct throng_row_ref from;
    // Where it is now: the last row of its category.
    struct throng_row_ref to;
    // The proxy that was in the last row there and is now in the row of `from`; `THRONG_NO_PROXY` if there is none.
    uint64_t swapped_in;
} throng_placement;

// Everything that is known of a proxy.
typedef struct throng_proxy_view {
    // Its id.
    uint64_t id;
    // The engine's own name for it, or 0.
    uint64_t key;
    // Whose it is, or 0.
    uint64_t owner;
    // Which proxies it may pair with.
    struct throng_masks masks;
    // Its center.
    struct throng_point center;
    // Its own, or the bound of a coarse category. Infinite along an axis with an infinite side.
    struct throng_point half_extents;
    // The box by which pairs are found.
    struct throng_aabb aabb;
    // Its row, until the next insert, remove or migration.
    uint32_t row;
    // The category that it is in.
    uint16_t category;
    // Whether it takes part in pairs and queries.
    bool enabled;
    // Whether it was put into its category by name, and so never leaves it by itself.
    bool named;
} throng_proxy_view;

// Some pairs of two categories, or of one: their boxes overlap, unless they are predicted, and each pair comes once. Everything in it is good until the
// callback returns.
typedef struct throng_pair_batch {
    // The first row of each pair is of the first, the second row of the second.
    uint16_t categories[2];
    // Whether these pairs do not overlap yet, but would with their margins, or on the ways that their velocities take them. Batches
    // of such pairs come after all others in the outputs, though they may be called back earlier.
    bool predicted;
    // How many pairs there are; never 0.
    size_t count;
    // Two rows each.
    const uint32_t (*pairs)[2];
    // The centers of all rows of each side: along x.
    const float *xs[2];
    // The same along y.
    const float *ys[2];
    // The library's own.
    const void *batch;
    // The keys of all rows of each side; null until one is set that is not 0.
    const uint64_t *keys[2];
    // The slot of each pair, as `throng_batch_slot` tells it. Null if slots are off, if the pairs have no events, or if they are
    // predicted; `throng_batch_slot` tells what slots there are all the same.
    const uint32_t *slots;
} throng_pair_batch;

// A pair with events: one that began, ended, or is there.
typedef struct throng_pair_event {
    // Both proxies. Sort them before you use them as a key: an end may name them the other way round than its begin.
    uint64_t ids[2];
    // Their keys; of one that was removed, the last one that it had.
    uint64_t keys[2];
    // The categories in which they were in the last step that had the pair.
    uint16_t categories[2];
    // The slot of the pair, or `THRONG_NO_SLOT`.
    uint32_t slot;
} throng_pair_event;

// Counts, times and bytes of the last step or refresh.
typedef struct throng_report {
    // `sizeof(throng_report)`, to be filled in before the report is asked for.
    size_t struct_size;
    // Pairs that were handed over or listed: without those of sensors, those of two that rest, and predicted ones.
    uint64_t pairs;
    // Pairs of sensors, which come only as events.
    uint64_t sensor_pairs;
    // Pairs that do not overlap yet, and were handed over or listed after all others.
    uint64_t predicted_pairs;
    // Comparisons made to find pairs, those of sensors and predicted ones included.
    uint64_t candidates;
    // Rows in all categories.
    size_t rows;
    // Leaves of the indices that hold rows.
    size_t cells;
    // Rows so far out that they are found slower.
    size_t outside;
    // Rows of scenery that were packed, because some came or changed.
    size_t scenery_packed;
    // Rows that keep their last good center.
    size_t rejected;
    // Pairs with events that began in the last step.
    size_t began;
    // Pairs with events that ended in the last step.
    size_t ended;
    // Proxies that rest; scenery is not counted.
    size_t resting;
    // Pairs of two that rest: see `throng_resting_pairs`.
    size_t resting_pairs;
    // Bytes owned by the world.
    size_t bytes;
    // 1 if there were more pairs than `max_pairs`, and some were dropped; else 0.
    uint32_t cut;
    // Seconds of the whole call.
    double step_seconds;
    // Seconds of building the indices.
    double index_seconds;
    // Seconds of finding pairs, of all threads together.
    double pairs_seconds;
    // Seconds in the callback, of all threads together.
    double narrowphase_seconds;
    // Seconds of finding what began and what ended.
    double events_seconds;
} throng_report;

// The test of an engine for pairs whose boxes overlap. Called from many threads at once, each time with a batch, and room for
// as many outputs as there are pairs; returns how many it has filled, from the first on. It must return, and must not call
// anything with this world.
typedef size_t (*throng_collide)(void *user, const struct throng_pair_batch *batch, void *outputs);

// What an engine does with pairs.
typedef struct throng_narrowphase {
    // `sizeof(throng_narrowphase)`.
    size_t struct_size;
    // The test of pairs.
    throng_collide collide;
    // What `collide` is called with first.
    void *user;
    // The size of each output, such as `sizeof(contact)`; at most 65536. 0 for none: `collide` then gets null, and returns 0.
    size_t output_size;
} throng_narrowphase;

// Two proxies whose boxes overlap: the lower category first, or within a category the lower row.
typedef struct throng_pair {
    // The row of each, in its category.
    uint32_t rows[2];
    // The category of each.
    uint16_t categories[2];
} throng_pair;

// A proxy that a query found.
typedef struct throng_query_hit {
    // Its id.
    uint64_t id;
    // The engine's own name for it now, or 0.
    uint64_t key;
    // Where it was when the index was built.
    struct throng_point center;
    // The half extents by which it was found.
    struct throng_point half_extents;
    // The box by which it was found.
    struct throng_aabb aabb;
    // The row in which it is now.
    uint32_t row;
    // The category in which it is now.
    uint16_t category;
} throng_query_hit;

// A test of the engine's own. It must return, and change nothing. A batch of queries calls it from many threads.
typedef bool (*throng_only)(void *user, const struct throng_query_hit *hit);

// Which proxies a query may find: those that meet every condition. Where a query takes a filter, null is for all.
typedef struct throng_query_filter {
    // `sizeof(throng_query_filter)`.
    size_t struct_size;
    // Those of these categories; none of them for all.
    const uint16_t *categories;
    // How many categories there are.
    size_t category_count;
    // Not those of these categories, which may be those of sensors.
    const uint16_t *without;
    // How many they are.
    size_t without_count;
    // A sum of `THRONG_FILTER_...`.
    uint32_t flags;
    // Those whose masks agree with these, if `THRONG_FILTER_HAS_MASKS`.
    struct throng_masks masks;
    // Not those of this owner; 0 for any.
    uint64_t not_of;
    // Not these proxies; meant for a few.
    const uint64_t *except;
    // How many they are.
    size_t except_count;
    // Those that pass this test, if it is not null. It comes last.
    throng_only only;
    // What `only` is called with first.
    void *user;
} throng_query_filter;

// A disc, border included.
typedef struct throng_circle {
    // Its center.
    struct throng_point center;
    // Not negative; may be infinite.
    float radius;
} throng_circle;

// A question about the nearest few.
typedef struct throng_nearest_query {
    // Where to look.
    struct throng_point point;
    // How far to look; may be infinite.
    float max_distance;
    // How many to find.
    size_t k;
} throng_nearest_query;

// A proxy near a point.
typedef struct throng_nearest_hit {
    // The proxy.
    struct throng_query_hit hit;
    // The square of the distance from the point to its box; 0 inside.
    float distance_squared;
} throng_nearest_hit;

// A straight path. `throng_ray`, `throng_moving_box` and `throng_moving_circle` in the header make them.
typedef struct throng_cast {
    // For a ray, its start, in `min`; for a moving box, the box at its start; for a moving circle, its center at the start, in `min`.
    struct throng_aabb begin;
    // For a ray, its end; for a moving box or circle, how far it moves.
    struct throng_point way;
    // For a moving circle, its radius.
    float radius;
    // A `throng_cast_kind`.
    uint32_t kind;
} throng_cast;

// A proxy that a path touches.
typedef struct throng_cast_hit {
    // The proxy.
    struct throng_query_hit hit;
    // How far along the path it is first touched, from 0 at the start to 1 at the end.
    float fraction;
    // Where it is touched.
    struct throng_point point;
    // The outward normal of the side of the box that is struck; zero if the path starts in the box or on its border.
    struct throng_point normal;
} throng_cast_hit;

// Tells after which fraction of the path the engine's own shape of a proxy is touched: from 0 to 1, or anything else for one
// that is missed. It gets the hit of the shape's box. It must return, and change nothing.
typedef float (*throng_shape)(void *user, const struct throng_cast_hit *hit);

// Tells the distance from the point to the engine's own shape of a proxy, not its square: 0 if the point is in it, and less than 0 or NaN
// if it is to be ignored. It gets the hit of the shape's box. It must return, and change nothing.
typedef float (*throng_near_shape)(void *user, const struct throng_nearest_hit *near);

// Which pairs to find: of which categories, how near, and how that is measured.
typedef struct throng_proximity {
    // `sizeof(throng_proximity)`.
    size_t struct_size;
    // Pairs of categories, which may be the same twice.
    const uint16_t (*categories)[2];
    // How many pairs of categories there are; at least 1.
    size_t category_count;
    // How far apart they may be. Finite.
    float distance;
    // A sum of `THRONG_PROXIMITY_...`.
    uint32_t flags;
} throng_proximity;

// Two proxies near each other: the lower category first, or within a category the lower row.
typedef struct throng_near_pair {
    // The row of each, in its category.
    uint32_t rows[2];
    // The category of each.
    uint16_t categories[2];
    // The square of the distance between them when the index was built.
    float distance_squared;
} throng_near_pair;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// What was wrong with the last call on this thread that did not return `THRONG_STATUS_OK`, and what is needed instead: UTF-8,
// perhaps of several lines; empty if there was none. Good until the next such call on this thread. Meant for people; programs
// go by the status.
const char *throng_last_error_message(void);

// The name of a status, such as `BUSY`; `UNKNOWN` if no status has that number.
const char *throng_status_name(int32_t status);

// The version of the library that is linked: a million times the major one, a thousand times the minor one, and the patch.
uint32_t throng_version(void);

// `THRONG_ABI_VERSION` of the library that is linked. If it is not that of the header, do not go on.
uint32_t throng_abi_version(void);

// Has the tasks of a world run by the job system of an engine, from now on. The struct is copied; what `user` points to has to
// last as long as the world does, and to bear being used from each thread that asks something of the world.
throng_status throng_use_executor(struct throng_world *world,
                                  const struct throng_executor *executor);

// Gives a world so many threads of its own, from now on. 1: everything runs on the thread that calls. 0: as in the beginning,
// there is a thread for each processor, which all worlds share. Either way, steps that are faster on the thread that calls stay there.
throng_status throng_use_threads(struct throng_world *world,
                                 size_t threads);

// The config of a world, as TOML: UTF-8 with a zero at the end, which counts.
throng_status throng_config_to_toml(const struct throng_world *world, char *text, size_t capacity, size_t *count);

// Makes an empty world. It has to be freed. If it is refused, `world` gets null, which may be freed as well.
throng_status throng_world_new(const struct throng_config *config, struct throng_world **world);

// Makes an empty world of a config in TOML: that of the files of the Rust library, with everything that can be configured.
// As `throng_world_new`.
throng_status throng_world_new_from_toml(const char *toml,
                                         struct throng_world **world);

// Makes a copy of a world, to come back to it or to look ahead. Free the copy, too. From then on, both find the same in the same
// order, as long as the same is done to both; ids and slots are good in both. A copy does not have the outputs of the last step, the
// pairs of `throng_last_pairs`, or the threads or executor. If it is refused, `clone` gets null.
throng_status throng_world_clone(const struct throng_world *world,
                                 struct throng_world **clone);

// Overwrites a world with a copy of another, and reuses its memory. It keeps its own threads or executor. What began and ended in the
// last step is copied, too; its outputs are gone. If both are the same world, the status is `THRONG_STATUS_BUSY`.
throng_status throng_world_copy_from(struct throng_world *world,
                                     const struct throng_world *source);

// Frees a world. Nothing may use it afterwards. If it is in use, such as by the call from whose callback this one comes, it
// is not freed, and the status is `THRONG_STATUS_BUSY`. Null is allowed, and does nothing.
throng_status throng_world_free(struct throng_world *world);

// The category with a name.
throng_status throng_category(const struct throng_world *world, const char *name, uint16_t *category);

// How many categories there are. They are numbered from 0, in the order of the config.
throng_status throng_categories(const struct throng_world *world, size_t *count);

// Panics inside, as nothing else should: so that a program can see what it does then. The world is broken afterwards.
throng_status throng_rehearse_panic(struct throng_world *world);

// Gives everything in a category another box: row `i` gets `aabbs[i]`. `count` is that of the rows. Does what a `throng_set_aabb` of
// each would, first of those that stay in the category, then of the others, at a fraction of the cost: a box that does not fit any
// more goes to another category. Those that are refused keep the box they had, and all others are written; then the status is
// `THRONG_STATUS_SOME_REFUSED`. `fill` may be null.
//
// Where no size changes, `throng_fill_centers` is faster.
throng_status throng_fill_aabbs(struct throng_world *world,
                                uint16_t category,
                                const struct throng_aabb *aabbs,
                                size_t count,
                                struct throng_aabb_fill *fill);

// As `throng_fill_aabbs`, from structs of yours: `aabbs` points to where the first has its box, and there are `stride` bytes from each
// struct to the next. Nothing else of them is read, and the pointer need not be aligned. Boxes may be of another type with the same
// four floats in the same order. A `stride` below the size of a box is refused with `THRONG_STATUS_BAD_VALUE`, and a `count` that is
// not that of the rows with `THRONG_STATUS_LENGTH_MISMATCH`.
throng_status throng_fill_aabbs_strided(struct throng_world *world,
                                        uint16_t category,
                                        const struct throng_aabb *aabbs,
                                        size_t stride,
                                        size_t count,
                                        struct throng_aabb_fill *fill);

// As `throng_fill_aabbs`, from centers and half extents, both of which are kept as they are: row `i` gets the box around
// `centers[i]` that reaches as far as `half_extents[i]`.
throng_status throng_fill_aabbs_from_centers(struct throng_world *world,
                                             uint16_t category,
                                             const struct throng_point *centers,
                                             const struct throng_point *half_extents,
                                             size_t count,
                                             struct throng_aabb_fill *fill);

// Gives many proxies another box, in order; `refused` lists the places, among those given, of proxies that keep the box they had.
// Otherwise as `throng_fill_aabbs`. For an engine that has boxes by id; one that has them in the order of rows fills columns, which is
// several times faster.
throng_status throng_set_aabbs(struct throng_world *world,
                               const uint64_t *ids,
                               const struct throng_aabb *aabbs,
                               size_t count,
                               struct throng_aabb_fill *fill);

// Gives some rows another box: row `rows[i]` gets `aabbs[i]`; if a row is listed twice, its boxes are set one after the other. Otherwise
// as `throng_fill_aabbs`. If a row does not exist, nothing is written.
throng_status throng_set_row_aabbs(struct throng_world *world,
                                   uint16_t category,
                                   const uint32_t *rows,
                                   const struct throng_aabb *aabbs,
                                   size_t count,
                                   struct throng_aabb_fill *fill);

// Gives some rows another box, out of an array for all rows: `count` structs, one for each row of the category, of which number
// `rows[i]` has the box of row `rows[i]`. `aabbs` and `stride` are as for `throng_fill_aabbs_strided`; for an array of boxes, `stride`
// is `sizeof(throng_aabb)`. Otherwise as `throng_set_row_aabbs`.
throng_status throng_set_row_aabbs_from(struct throng_world *world,
                                        uint16_t category,
                                        const uint32_t *rows,
                                        size_t row_count,
                                        const struct throng_aabb *aabbs,
                                        size_t stride,
                                        size_t count,
                                        struct throng_aabb_fill *fill);

// Moves everything in a category: row `i` goes to `(xs[i], ys[i])`. `count` is that of the rows. Checks and copies, about as
// fast as a copy. A center that is not finite is turned away, which is no error: see `fill`, which may be null.
throng_status throng_fill_centers(struct throng_world *world,
                                  uint16_t category,
                                  const float *xs,
                                  const float *ys,
                                  size_t count,
                                  struct throng_fill *fill);

// The same from an array of points; from two arrays it is faster.
throng_status throng_fill_centers_from_points(struct throng_world *world,
                                              uint16_t category,
                                              const struct throng_point *points,
                                              size_t count,
                                              struct throng_fill *fill);

// As `throng_fill_centers`, from structs of yours: `xs` and `ys` point to where the first has its x and its y, and there are `stride`
// bytes from each struct to the next, so
// `throng_fill_centers_strided(world, 0, &units[0].x, &units[0].y, sizeof units[0], count, NULL)`. Nothing else of them is read, and
// pointers need not be aligned. It is faster than to make two arrays first, and slower than to have them. A `stride` below
// `sizeof(float)` is refused with `THRONG_STATUS_BAD_VALUE`, and a `count` that is not that of the rows with
// `THRONG_STATUS_LENGTH_MISMATCH`.
throng_status throng_fill_centers_strided(struct throng_world *world,
                                          uint16_t category,
                                          const float *xs,
                                          const float *ys,
                                          size_t stride,
                                          size_t count,
                                          struct throng_fill *fill);

// Moves some rows: row `rows[i]` goes to `(xs[i], ys[i])`; if a row is listed twice, to the last of these. Otherwise as
// `throng_fill_centers`. If a row does not exist, nothing is moved. Where most rows rest, it is much cheaper to move those that
// do than to fill the whole column.
throng_status throng_set_row_centers(struct throng_world *world,
                                     uint16_t category,
                                     const uint32_t *rows,
                                     const float *xs,
                                     const float *ys,
                                     size_t count,
                                     struct throng_fill *fill);

// Moves some rows, out of an array for all rows: `count` structs, one for each row of the category, of which number `rows[i]` says
// where row `rows[i]` goes. `xs`, `ys` and `stride` are as for `throng_fill_centers_strided`; for two arrays, `stride` is
// `sizeof(float)`. Otherwise as `throng_set_row_centers`. For an engine that knows which of its rows have moved.
throng_status throng_set_row_centers_from(struct throng_world *world,
                                          uint16_t category,
                                          const uint32_t *rows,
                                          size_t row_count,
                                          const float *xs,
                                          const float *ys,
                                          size_t stride,
                                          size_t count,
                                          struct throng_fill *fill);

// Moves one row.
throng_status throng_set_row_center(struct throng_world *world,
                                    uint16_t category,
                                    uint32_t row,
                                    struct throng_point center);

// The centers of a category, in row order: where they are, to be read until the world is next changed.
throng_status throng_centers(const struct throng_world *world,
                             uint16_t category,
                             const float **xs,
                             const float **ys,
                             size_t *count);

// The keys of a category, in row order: where they are, to be read until the world is next changed. Null until one
// has been set that is not 0, because then none are stored; `count` is that of the rows all the same.
throng_status throng_keys(const struct throng_world *world, uint16_t category, const uint64_t **keys, size_t *count);

// Inserts a proxy in a new last row of the category it names, or of the smallest one that holds it. Pairs and queries include
// it from the next step or refresh on. `inserted` may be null.
throng_status throng_insert(struct throng_world *world,
                            const struct throng_proxy *proxy,
                            struct throng_inserted *inserted);

// Inserts many proxies, in order. One that is refused does not stop the others, and has `THRONG_NO_PROXY` for its id:
// `THRONG_STATUS_SOME_REFUSED`, and the message is that of the first. `ids` may be null, or has room for `count`.
throng_status throng_insert_batch(struct throng_world *world,
                                  const struct throng_proxy *proxies,
                                  size_t count,
                                  uint64_t *ids);

// Removes a proxy. Its id is never given to another. `removed` may be null.
throng_status throng_remove(struct throng_world *world, uint64_t id, struct throng_removed *removed);

// Removes many proxies, in order. One that is refused does not stop the others: `THRONG_STATUS_SOME_REFUSED`. To follow the
// rows, remove them one by one.
throng_status throng_remove_batch(struct throng_world *world,
                                  const uint64_t *ids,
                                  size_t count);

// Removes all proxies of a category, the last row first, and keeps the memory. `removed`, how many there were, may be null.
throng_status throng_clear_category(struct throng_world *world,
                                    uint16_t category,
                                    size_t *removed);

// Removes all proxies, and keeps the memory.
throng_status throng_clear(struct throng_world *world);

// Puts a proxy to rest, or wakes it. One that is told to rest takes part in one more step, in which its pairs are found, and
// rests from the step after that on, unless it is moved in between or told otherwise. One that rests has no margin. One that
// is woken counts as if it had moved.
// `THRONG_STATUS_NEVER_RESTS` if nothing in its category comes to rest.
throng_status throng_set_resting(struct throng_world *world,
                                 uint64_t id,
                                 bool resting);

// Puts many proxies to rest, or wakes them, such as those of an island: each as `throng_set_resting` does. One that is refused does not
// stop the others: `THRONG_STATUS_SOME_REFUSED`, and the message is that of the first.
throng_status throng_set_resting_batch(struct throng_world *world,
                                       const uint64_t *ids,
                                       size_t count,
                                       bool resting);

// The enabled rows of a category that do not rest, ascending: those that an engine goes on moving. As of the last step or refresh,
// and new rows count as awake. A category that never rests gives all its enabled rows, and scenery none. Cheaper than
// `throng_is_resting` for each by far.
throng_status throng_awake_rows(const struct throng_world *world,
                                uint16_t category,
                                uint32_t *rows,
                                size_t capacity,
                                size_t *count);

// Whether a proxy rests, as of the last step or refresh. Scenery always does, and disabled proxies never.
throng_status throng_is_resting(const struct throng_world *world, uint64_t id, bool *resting);

// Whether a proxy comes to rest with the next step, if nothing disturbs it before: it was told to, or has not moved for long
// enough. One that is disabled and was told to rest goes on settling until it has been enabled and taken part in a step. Who saves a
// world writes down who is resting or settling, and tells those to rest when it is loaded.
throng_status throng_is_settling(const struct throng_world *world,
                                 uint64_t id,
                                 bool *settling);

// The pairs of two that rest, as of the last step or refresh: neither a callback nor a list of pairs has them. In no particular
// order, but the same on any number of threads.
throng_status throng_resting_pairs(const struct throng_world *world,
                                   struct throng_resting_pair *pairs,
                                   size_t capacity,
                                   size_t *count);

// The slot of a pair of two that rest, given either way round: for whoever saves what is kept by slot, or reads it, as no callback
// has such a pair. `THRONG_NO_SLOT` for all other pairs, for pairs without events, and where slots are off. As of the last step or
// refresh.
throng_status throng_resting_pair_slot(const struct throng_world *world,
                                       uint64_t a,
                                       uint64_t b,
                                       uint32_t *slot);

// Those that woke with the last step, for whatever reason: they rested as of the step before, are still in the world, and rest no
// more. In the order of categories and rows. A refresh wakes as well, and changes nothing here: the next step tells.
throng_status throng_woken(const struct throng_world *world,
                           uint64_t *ids,
                           size_t capacity,
                           size_t *count);

// Those that came to rest with the last step: they rest, and did not as of the step before. In the order of categories and rows.
// What becomes scenery is not among them.
throng_status throng_came_to_rest(const struct throng_world *world,
                                  uint64_t *ids,
                                  size_t capacity,
                                  size_t *count);

// Everything in a category of scenery as bytes, to be written to a file.
throng_status throng_pack_scenery(const struct throng_world *world,
                                  uint16_t category,
                                  void *bytes,
                                  size_t capacity,
                                  size_t *count);

// Packs boxes as scenery without a world, for tools that make levels: into the bytes that `throng_pack_scenery` gives for them. Row
// `i` is `boxes[i]`. If one is not a box, nothing is packed: `THRONG_STATUS_BAD_BOX`, and the message says which, counted from 0.
//
// To ask for the size first is to pack twice; `64 * box_count + 1024` bytes are always enough. On all threads of the pool that
// worlds share.
throng_status throng_pack_boxes(const struct throng_aabb *boxes,
                                size_t box_count,
                                void *bytes,
                                size_t capacity,
                                size_t *count);

// Replaces everything in a category of scenery with what was packed, in the same order of rows. The bytes are copied.
throng_status throng_load_scenery(struct throng_world *world, uint16_t category, const void *bytes, size_t count);

// Adds what was packed to a category of scenery, in new last rows, in the same order: a piece of a level that is streamed. The
// bytes are copied. `scenery` gets the id by which `throng_unload_scenery` removes it.
throng_status throng_add_scenery(struct throng_world *world,
                                 uint16_t category,
                                 const void *bytes,
                                 size_t count,
                                 uint64_t *scenery);

// Removes every proxy that came with scenery and is still there; `removed`, which may be null, tells how many there were. To
// follow the rows, remove its proxies one by one.
throng_status throng_unload_scenery(struct throng_world *world,
                                    uint64_t scenery,
                                    size_t *removed);

// The proxies that came with scenery, in the order of its rows. Those that were removed since are still listed, with
// the ids that they had.
throng_status throng_scenery_proxies(const struct throng_world *world,
                                     uint64_t scenery,
                                     uint64_t *ids,
                                     size_t capacity,
                                     size_t *count);

// Moves a proxy.
throng_status throng_set_center(struct throng_world *world, uint64_t id, struct throng_point center);

// Moves many proxies, in order. One that is refused does not stop the others: `THRONG_STATUS_SOME_REFUSED`. To move everything
// in a category, `throng_fill_centers` is several times faster.
throng_status throng_set_centers(struct throng_world *world,
                                 const uint64_t *ids,
                                 const struct throng_point *centers,
                                 size_t count);

// Gives a proxy another box, which may take it to another category. `placement` may be null.
throng_status throng_set_aabb(struct throng_world *world,
                              uint64_t id,
                              struct throng_aabb aabb,
                              struct throng_placement *placement);

// Puts a proxy into a category, in which it stays. `placement` may be null.
throng_status throng_set_category(struct throng_world *world,
                                  uint64_t id,
                                  uint16_t category,
                                  struct throng_placement *placement);

// Lets the size of a proxy decide in which category it is, now and from now on. `placement` may be null.
throng_status throng_set_category_by_size(struct throng_world *world, uint64_t id, struct throng_placement *placement);

// Takes a proxy out of pairs and queries, or back in, from the next step or refresh on. One that is taken out is not found
// by queries any more even before that.
throng_status throng_set_enabled(struct throng_world *world,
                                 uint64_t id,
                                 bool enabled);

// Gives a proxy other masks. They count in the pairs of steps from the next one on.
throng_status throng_set_masks(struct throng_world *world, uint64_t id, struct throng_masks masks);

// Gives many proxies other masks: `ids[i]` gets `masks[i]`; if an id is there twice, the last counts. They count as those
// of `throng_set_masks` do. One that is refused does not stop the others: `THRONG_STATUS_SOME_REFUSED`.
throng_status throng_set_masks_batch(struct throng_world *world,
                                     const uint64_t *ids,
                                     const struct throng_masks *masks,
                                     size_t count);

// Gives a proxy to another owner; 0 for nobody.
throng_status throng_set_owner(struct throng_world *world, uint64_t id, uint64_t owner);

// Gives a proxy another key.
throng_status throng_set_key(struct throng_world *world, uint64_t id, uint64_t key);

// Gives many proxies other keys: `ids[i]` gets `keys[i]`; if an id is there twice, the last counts. By id, where `throng_keys` reads
// by row. One that is refused does not stop the others: `THRONG_STATUS_SOME_REFUSED`.
throng_status throng_set_keys(struct throng_world *world,
                              const uint64_t *ids,
                              const uint64_t *keys,
                              size_t count);

// Makes two proxies never meet. `changed`, which may be null, tells whether they could before.
throng_status throng_exclude_pair(struct throng_world *world, uint64_t a, uint64_t b, bool *changed);

// Lets two proxies meet again. `changed`, which may be null, tells whether they were excluded.
throng_status throng_include_pair(struct throng_world *world, uint64_t a, uint64_t b, bool *changed);

// Makes room for so many more proxies in a category, so that inserting them allocates nothing.
throng_status throng_reserve(struct throng_world *world, uint16_t category, size_t additional);

// Puts the rows of a category into another order, a `throng_row_order`, and tells from where each came: what is in row `i` now
// was in row `old_rows[i]`. The engine's own arrays can follow. If there is not room for all rows, nothing is sorted.
throng_status throng_sort_rows(struct throng_world *world,
                               uint16_t category,
                               uint32_t order,
                               uint32_t *old_rows,
                               size_t capacity,
                               size_t *count);

// Whether it pays to sort the rows of a category by space now.
throng_status throng_is_sort_due(const struct throng_world *world, uint16_t category, bool *due);

// Makes the next index of a category depend on its rows alone, so that the order of pairs does not depend on the steps before:
// for machines that must agree although they have not taken the same steps. A copy of a world needs none of this.
throng_status throng_forget_history(struct throng_world *world,
                                    uint16_t category);

// Frees unused memory and what the last step has left: its outputs and listed pairs are gone. Pointers to its events become invalid;
// ask for the events again. So do those to what the last write of boxes did.
throng_status throng_shrink_to_fit(struct throng_world *world);

// Says how far a proxy is expected to move from one step to the next, as a length and not as a length per second: its velocity
// times the time of a step. It stays until it is set again, moves nothing, and wakes nobody. Pairs of which one touches the
// other on the way, and not where they are, are predicted: they come after all others, in batches of their own.
// `THRONG_STATUS_IS_SCENERY` for what never moves.
throng_status throng_set_velocity(struct throng_world *world,
                                  uint64_t id,
                                  struct throng_point velocity);

// The velocity of a proxy, as it was set; 0 if it was not.
throng_status throng_velocity(const struct throng_world *world, uint64_t id, struct throng_point *velocity);

// Sets the velocities of everything in a category: that of row `i` to `(xs[i], ys[i])`. `count` is that of the rows. One that is
// not finite is turned away, which is no error: the row keeps the one that it has. See `fill`, which may be null.
throng_status throng_fill_velocities(struct throng_world *world,
                                     uint16_t category,
                                     const float *xs,
                                     const float *ys,
                                     size_t count,
                                     struct throng_fill *fill);

// The same from an array of points.
throng_status throng_fill_velocities_from_points(struct throng_world *world,
                                                 uint16_t category,
                                                 const struct throng_point *points,
                                                 size_t count,
                                                 struct throng_fill *fill);

// As `throng_fill_velocities`, from structs of yours: see `throng_fill_centers_strided`.
throng_status throng_fill_velocities_strided(struct throng_world *world,
                                             uint16_t category,
                                             const float *xs,
                                             const float *ys,
                                             size_t stride,
                                             size_t count,
                                             struct throng_fill *fill);

// Sets the velocities of some rows: that of row `rows[i]` to `(xs[i], ys[i])`; if a row is listed twice, to the last of these.
// Otherwise as `throng_fill_velocities`. If a row does not exist, none is set.
throng_status throng_set_row_velocities(struct throng_world *world,
                                        uint16_t category,
                                        const uint32_t *rows,
                                        const float *xs,
                                        const float *ys,
                                        size_t count,
                                        struct throng_fill *fill);

// Sets the velocities of some rows, from those of all: see `throng_set_row_centers_from`.
throng_status throng_set_row_velocities_from(struct throng_world *world,
                                             uint16_t category,
                                             const uint32_t *rows,
                                             size_t row_count,
                                             const float *xs,
                                             const float *ys,
                                             size_t stride,
                                             size_t count,
                                             struct throng_fill *fill);

// Everything that is known of a proxy.
throng_status throng_get(const struct throng_world *world, uint64_t id, struct throng_proxy_view *view);

// Whether the id is that of a living proxy of this world.
throng_status throng_contains(const struct throng_world *world, uint64_t id, bool *contains);

// Whether two proxies are an excluded pair.
throng_status throng_is_pair_excluded(const struct throng_world *world, uint64_t a, uint64_t b, bool *excluded);

// How many rows a category has.
throng_status throng_rows(const struct throng_world *world, uint16_t category, size_t *count);

// How many proxies there are, including disabled ones.
throng_status throng_len(const struct throng_world *world, size_t *count);

// The proxies of a category, in row order.
throng_status throng_proxies(const struct throng_world *world,
                             uint16_t category,
                             uint64_t *ids,
                             size_t capacity,
                             size_t *count);

// The proxy in a row.
throng_status throng_proxy_at(const struct throng_world *world, uint16_t category, uint32_t row, uint64_t *id);

// Where a proxy is.
throng_status throng_locate(const struct throng_world *world, uint64_t id, struct throng_row_ref *place);

// The ids of both proxies of a pair, by its place in the batch: two.
throng_status throng_batch_ids(const struct throng_pair_batch *batch, size_t pair, uint64_t (*ids)[2]);

// The ids of both proxies of each pair of a batch: two for each of its `count`. Takes a third of the time of a call for each.
throng_status throng_batch_all_ids(const struct throng_pair_batch *batch,
                                   uint64_t (*ids)[2]);

// The keys of both proxies of a pair: two.
throng_status throng_batch_keys(const struct throng_pair_batch *batch, size_t pair, uint64_t (*keys)[2]);

// The masks of both proxies of a pair: two.
throng_status throng_batch_masks(const struct throng_pair_batch *batch, size_t pair, struct throng_masks (*masks)[2]);

// The boxes by which a pair was found: two.
throng_status throng_batch_aabbs(const struct throng_pair_batch *batch, size_t pair, struct throng_aabb (*aabbs)[2]);

// The boxes by which each pair of a batch was found: two for each of its `count`. Faster than a call for each.
throng_status throng_batch_all_aabbs(const struct throng_pair_batch *batch, struct throng_aabb (*aabbs)[2]);

// The slot of a pair that has not begun in this step: a number that is the pair's as long as it lasts. `THRONG_NO_SLOT` for
// one that begins now, whose slot comes with its event; for pairs without events; and where slots are off. A pair that ends in this
// step but is still found, as predicted or without events, has its slot for the last time.
throng_status throng_batch_slot(const struct throng_pair_batch *batch,
                                size_t pair,
                                uint32_t *slot);

// The pairs with events that began in the last step: where they are, to be read until the next one,
// `throng_shrink_to_fit` or `throng_world_copy_from`. They come in the order in which the step found its pairs, which is that of its
// outputs, too; those of sensors, which have no outputs, are among them.
throng_status throng_began(const struct throng_world *world,
                           const struct throng_pair_event **events,
                           size_t *count);

// The pairs with events that ended in the last step: where they are, to be read until the next one,
// `throng_shrink_to_fit` or `throng_world_copy_from`. They come in the order in which the step before found them.
throng_status throng_ended(const struct throng_world *world, const struct throng_pair_event **events, size_t *count);

// The pairs with events that have begun and not ended, as of the last step, those of two that rest and those with sensors included.
// First those that the step found, in its order; then those that rest, in no particular order. Use it to save what you keep by
// slot.
throng_status throng_event_pairs(const struct throng_world *world,
                                 struct throng_pair_event *pairs,
                                 size_t capacity,
                                 size_t *count);

// How long an array with an element for each slot has to be. It may become less: to 0 with a step before which no pair had a slot,
// and in `throng_shrink_to_fit`.
throng_status throng_pair_slots(const struct throng_world *world,
                                size_t *count);

// In how many chunks the outputs of the last `throng_step` are: 0 if another kind of step, or
// `throng_shrink_to_fit` or `throng_world_copy_from`, has followed.
throng_status throng_output_chunks(const struct throng_world *world, size_t *chunks);

// The outputs of one chunk of the last `throng_step`: where they are, to be read until the next step, `throng_shrink_to_fit` or `throng_world_copy_from`, and
// how many there are.
throng_status throng_outputs_of_chunk(const struct throng_world *world,
                                      size_t chunk,
                                      const void **outputs,
                                      size_t *count);

// Copies all outputs of the last `throng_step`, in order. `capacity` and `count` are numbers of outputs, and `output_size` is the
// size of each, as in the step's `throng_narrowphase`: `THRONG_STATUS_BAD_VALUE` if it is another.
throng_status throng_outputs(const struct throng_world *world,
                             size_t output_size,
                             void *outputs,
                             size_t capacity,
                             size_t *count);

// What happened in the last step or refresh. `struct_size` of the report has to be filled in.
throng_status throng_read_report(const struct throng_world *world, struct throng_report *report);

// The report as a table for people: UTF-8 with a zero at the end, which counts.
throng_status throng_print_report(const struct throng_world *world, char *text, size_t capacity, size_t *count);

// The rows that keep their last good center, because a column had one that is not finite: those of the last step or refresh.
throng_status throng_rejected(const struct throng_world *world,
                              struct throng_row_ref *rows,
                              size_t capacity,
                              size_t *count);

// Runs one frame: brings every index up to date, and calls back with all pairs whose boxes overlap, each once; and with those that
// are predicted, where a category has a margin or a proxy a velocity, in batches of their own. What the callbacks write is kept until
// the next step: see `throng_outputs`. If `narrowphase` is null, pairs are only counted, which is enough for whoever wants events alone.
//
// If a callback says that it has written more outputs than there are pairs in its batch, the step is done nevertheless, and
// `THRONG_STATUS_BAD_VALUE` is returned. Only the first outputs, as many as there are pairs in the batch, are kept. Do not repeat the
// step because of this error.
throng_status throng_step(struct throng_world *world,
                          const struct throng_narrowphase *narrowphase);

// Runs the first half of a frame, so that queries see where things are.
throng_status throng_refresh(struct throng_world *world);

// Runs one frame, and writes all pairs whose boxes overlap, each once; the same ones in the same order on any number of
// threads. If there are more than the buffer has room for, nothing is lost: all are kept for `throng_last_pairs`.
throng_status throng_step_pairs(struct throng_world *world, struct throng_pair *pairs, size_t capacity, size_t *count);

// The pairs of the last `throng_step_pairs`, once more: none if another kind of step, `throng_shrink_to_fit` or `throng_world_copy_from` has followed. Their
// rows are those of the step. Predicted ones are in `throng_last_predicted_pairs`, those of two that rest in `throng_resting_pairs`.
throng_status throng_last_pairs(const struct throng_world *world,
                                struct throng_pair *pairs,
                                size_t capacity,
                                size_t *count);

// The predicted pairs of the last `throng_step_pairs`: those that do not overlap, but would with the margins of their categories
// or on their ways. Each once, in the same order on any number of threads; none if another kind of step, `throng_shrink_to_fit` or `throng_world_copy_from`
// has followed.
throng_status throng_last_predicted_pairs(const struct throng_world *world,
                                          struct throng_pair *pairs,
                                          size_t capacity,
                                          size_t *count);

// All whose boxes hold each of many points. `starts` has room for one more than there are points: the hits of point `i` are
// from `starts[i]` to before `starts[i + 1]`. A point that is refused has none, and does not stop the others:
// `THRONG_STATUS_SOME_REFUSED`.
throng_status throng_find_batch_at_points(const struct throng_world *world,
                                          const struct throng_query_filter *filter,
                                          const struct throng_point *points,
                                          size_t point_count,
                                          size_t *starts,
                                          struct throng_query_hit *hits,
                                          size_t capacity,
                                          size_t *count);

// All whose boxes touch each of many boxes. As `throng_find_batch_at_points`, but that one which is no box refuses all.
throng_status throng_find_batch_in_aabbs(const struct throng_world *world,
                                         const struct throng_query_filter *filter,
                                         const struct throng_aabb *aabbs,
                                         size_t aabb_count,
                                         size_t *starts,
                                         struct throng_query_hit *hits,
                                         size_t capacity,
                                         size_t *count);

// All whose boxes touch each of many circles. As `throng_find_batch_at_points`.
throng_status throng_find_batch_in_circles(const struct throng_world *world,
                                           const struct throng_query_filter *filter,
                                           const struct throng_circle *circles,
                                           size_t circle_count,
                                           size_t *starts,
                                           struct throng_query_hit *hits,
                                           size_t capacity,
                                           size_t *count);

// The nearest few of each of many points. As `throng_find_batch_at_points`.
throng_status throng_find_batch_nearest(const struct throng_world *world,
                                        const struct throng_query_filter *filter,
                                        const struct throng_nearest_query *questions,
                                        size_t question_count,
                                        size_t *starts,
                                        struct throng_nearest_hit *hits,
                                        size_t capacity,
                                        size_t *count);

// Everything that each of many paths touches. As `throng_find_batch_at_points`, but that one which is no path refuses all.
throng_status throng_cast_batch_all(const struct throng_world *world,
                                    const struct throng_query_filter *filter,
                                    const struct throng_cast *casts,
                                    size_t cast_count,
                                    size_t *starts,
                                    struct throng_cast_hit *hits,
                                    size_t capacity,
                                    size_t *count);

// What each of many paths touches first: one hit or none. As `throng_cast_batch_all`.
throng_status throng_cast_batch_first(const struct throng_world *world,
                                      const struct throng_query_filter *filter,
                                      const struct throng_cast *casts,
                                      size_t cast_count,
                                      size_t *starts,
                                      struct throng_cast_hit *hits,
                                      size_t capacity,
                                      size_t *count);

// What a path touches first. `found` tells whether it touches anything; if not, `hit` is left as it is.
throng_status throng_cast_first(const struct throng_world *world,
                                const struct throng_query_filter *filter,
                                struct throng_cast cast,
                                struct throng_cast_hit *hit,
                                bool *found);

// What a path touches first if the engine's own shapes are asked, not only their boxes.
throng_status throng_cast_first_by(const struct throng_world *world,
                                   const struct throng_query_filter *filter,
                                   struct throng_cast cast,
                                   throng_shape shape,
                                   void *user,
                                   struct throng_cast_hit *hit,
                                   bool *found);

// Everything that a path touches, in order along it.
throng_status throng_cast_all(const struct throng_world *world,
                              const struct throng_query_filter *filter,
                              struct throng_cast cast,
                              struct throng_cast_hit *hits,
                              size_t capacity,
                              size_t *count);

// Everything that a path touches if the engine's own shapes are asked, in order along it.
throng_status throng_cast_all_by(const struct throng_world *world,
                                 const struct throng_query_filter *filter,
                                 struct throng_cast cast,
                                 throng_shape shape,
                                 void *user,
                                 struct throng_cast_hit *hits,
                                 size_t capacity,
                                 size_t *count);

// The `k` proxies whose boxes are nearest to a point and no farther than `max_distance`, nearest first. There has to be room
// for `k` hits; `count` tells how many there are.
throng_status throng_find_nearest(const struct throng_world *world,
                                  const struct throng_query_filter *filter,
                                  struct throng_point point,
                                  float max_distance,
                                  struct throng_nearest_hit *hits,
                                  size_t k,
                                  size_t *count);

// The `k` proxies whose shapes, not only their boxes, are nearest to a point and no farther than `max_distance`, nearest first. A shape
// is taken to lie within its box: if its distance is less than that of the box, the box's counts. In the hits, `distance_squared` is that
// of the shape. Shapes are asked in the order of their boxes, roughly the nearest first, and none whose box is farther away than the
// `k`-th nearest shape so far. There has to be room for `k` hits; `count` tells how many there are.
throng_status throng_find_nearest_by(const struct throng_world *world,
                                     const struct throng_query_filter *filter,
                                     struct throng_point point,
                                     float max_distance,
                                     throng_near_shape shape,
                                     void *user,
                                     struct throng_nearest_hit *hits,
                                     size_t k,
                                     size_t *count);

// For each row of a category, the rows of another one, or of the same, that are near it: ascending, one list after the other.
// The categories are the only pair in `proximity`, in this order. `starts` has room for one more than the first has rows: the
// list of row `i` is from `starts[i]` to before `starts[i + 1]`; with less room the status is `THRONG_STATUS_LENGTH_MISMATCH`. It is
// filled also if `rows` has too little room. If each pair is to be in one list, the first category must not be the higher one.
//
// By the index of the last step or refresh, since which no row of either category may have come or gone, been enabled or disabled, or been given other
// masks. On all threads of the world.
throng_status throng_find_neighbors(const struct throng_world *world,
                                    const struct throng_proximity *proximity,
                                    size_t *starts,
                                    size_t start_capacity,
                                    uint32_t *rows,
                                    size_t capacity,
                                    size_t *count);

// All pairs within a distance, each once, by the index of the last step or refresh: on all threads of the world.
throng_status throng_find_pairs_within(const struct throng_world *world,
                                       const struct throng_proximity *proximity,
                                       struct throng_near_pair *pairs,
                                       size_t capacity,
                                       size_t *count);

// All whose boxes hold a point.
throng_status throng_find_at_point(const struct throng_world *world,
                                   const struct throng_query_filter *filter,
                                   struct throng_point point,
                                   struct throng_query_hit *hits,
                                   size_t capacity,
                                   size_t *count);

// All whose boxes touch a box.
throng_status throng_find_in_aabb(const struct throng_world *world,
                                  const struct throng_query_filter *filter,
                                  struct throng_aabb aabb,
                                  struct throng_query_hit *hits,
                                  size_t capacity,
                                  size_t *count);

// All whose boxes touch a circle.
throng_status throng_find_in_circle(const struct throng_world *world,
                                    const struct throng_query_filter *filter,
                                    struct throng_circle circle,
                                    struct throng_query_hit *hits,
                                    size_t capacity,
                                    size_t *count);

// All whose boxes touch a convex polygon, given by its corners in order, either way round.
throng_status throng_find_in_polygon(const struct throng_world *world,
                                     const struct throng_query_filter *filter,
                                     const struct throng_point *corners,
                                     size_t corner_count,
                                     struct throng_query_hit *hits,
                                     size_t capacity,
                                     size_t *count);

// All that make a pair with a proxy: what is inside a sensor, or what touches a unit. Masks, owners and excluded pairs count. Right after
// a step these are all its pairs, those of two that rest, those with a sensor and those that `max_pairs` cut off included. Predicted
// pairs are not among them. A disabled proxy has no partners. If the proxy has moved or was inserted since, its box of now is used; the
// others are found where they were, if they pass the filter.
throng_status throng_find_partners(const struct throng_world *world,
                                   const struct throng_query_filter *filter,
                                   uint64_t id,
                                   struct throng_query_hit *hits,
                                   size_t capacity,
                                   size_t *count);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* THRONG_H */


// Helpers that fill structs in: compiled into the program, so that `struct_size` is what it knows.
#ifndef THRONG_HELPERS_H
#define THRONG_HELPERS_H

#ifdef __cplusplus
#define THRONG_ZEROED \
    {                 \
    }
#else
#define THRONG_ZEROED \
    {                 \
        0             \
    }
#endif

// Something that moves, by its center and half extents.
static inline throng_proxy throng_proxy_centered(float x, float y, float half_x, float half_y) {
    throng_proxy proxy = THRONG_ZEROED;
    proxy.struct_size = sizeof proxy;
    proxy.kind = THRONG_PROXY_KIND_CENTERED;
    proxy.place[0] = x;
    proxy.place[1] = y;
    proxy.place[2] = half_x;
    proxy.place[3] = half_y;
    return proxy;
}

// Something that moves, by its corners.
static inline throng_proxy throng_proxy_moving(throng_aabb aabb) {
    throng_proxy proxy = throng_proxy_centered(aabb.min.x, aabb.min.y, aabb.max.x, aabb.max.y);
    proxy.kind = THRONG_PROXY_KIND_MOVING;
    return proxy;
}

// Something that never moves, by its corners.
static inline throng_proxy throng_proxy_fixed(throng_aabb aabb) {
    throng_proxy proxy = throng_proxy_moving(aabb);
    proxy.kind = THRONG_PROXY_KIND_FIXED;
    return proxy;
}

// Things that move, none with a half extent above this one.
static inline throng_category_config throng_category_uniform(const char *name, float half_extent) {
    throng_category_config category = THRONG_ZEROED;
    category.struct_size = sizeof category;
    category.name = name;
    category.kind = THRONG_CATEGORY_KIND_UNIFORM;
    category.half_extents[0] = half_extent;
    category.half_extents[1] = half_extent;
    return category;
}

// Things that move and may have any size.
static inline throng_category_config throng_category_oversized(const char *name) {
    throng_category_config category = throng_category_uniform(name, 0);
    category.kind = THRONG_CATEGORY_KIND_OVERSIZED;
    return category;
}

// Things that never move.
static inline throng_category_config throng_category_scenery(const char *name) {
    throng_category_config category = throng_category_uniform(name, 0);
    category.kind = THRONG_CATEGORY_KIND_SCENERY;
    return category;
}

// A world of these categories.
static inline throng_config throng_config_of(const throng_category_config *categories, size_t count) {
    throng_config config = THRONG_ZEROED;
    config.struct_size = sizeof config;
    config.categories = categories;
    config.category_count = count;
    return config;
}

// A narrowphase without outputs.
static inline throng_narrowphase throng_narrowphase_of(throng_collide collide, void *user) {
    throng_narrowphase narrowphase = THRONG_ZEROED;
    narrowphase.struct_size = sizeof narrowphase;
    narrowphase.collide = collide;
    narrowphase.user = user;
    return narrowphase;
}

// A job system with so many threads, which sleep while they wait for work.
static inline throng_executor throng_executor_of(size_t threads, throng_run_all run_all, void *user) {
    throng_executor executor = THRONG_ZEROED;
    executor.struct_size = sizeof executor;
    executor.threads = threads;
    executor.run_all = run_all;
    executor.user = user;
    return executor;
}

// A report to be filled in.
static inline throng_report throng_report_empty(void) {
    throng_report report = THRONG_ZEROED;
    report.struct_size = sizeof report;
    return report;
}

// In these groups, and willing to meet those: `UINT64_MAX` for all.
static inline throng_masks throng_masks_of(uint64_t memberships, uint64_t filter) {
    throng_masks masks = THRONG_ZEROED;
    masks.memberships = memberships;
    masks.filter = filter;
    return masks;
}

// A filter that leaves nothing out, to begin with.
static inline throng_query_filter throng_filter_everything(void) {
    throng_query_filter filter = THRONG_ZEROED;
    filter.struct_size = sizeof filter;
    return filter;
}

// Centers no farther apart than this: of pairs of categories, two numbers for each pair.
static inline throng_proximity throng_proximity_of(const uint16_t *categories, size_t pairs, float distance) {
    throng_proximity proximity = THRONG_ZEROED;
    proximity.struct_size = sizeof proximity;
#ifdef __cplusplus
    proximity.categories = reinterpret_cast<const uint16_t(*)[2]>(categories);
#else
    proximity.categories = (const uint16_t(*)[2])(const void *)categories;
#endif
    proximity.category_count = pairs;
    proximity.distance = distance;
    return proximity;
}

// The path of a point.
static inline throng_cast throng_ray(throng_point from, throng_point to) {
    throng_cast cast = THRONG_ZEROED;
    cast.kind = THRONG_CAST_KIND_RAY;
    cast.begin.min = from;
    cast.begin.max = from;
    cast.way = to;
    return cast;
}

// The path of a box.
static inline throng_cast throng_moving_box(throng_aabb begin, throng_point by) {
    throng_cast cast = THRONG_ZEROED;
    cast.kind = THRONG_CAST_KIND_BOX;
    cast.begin = begin;
    cast.way = by;
    return cast;
}

// The path of a circle.
static inline throng_cast throng_moving_circle(throng_circle begin, throng_point by) {
    throng_cast cast = THRONG_ZEROED;
    cast.kind = THRONG_CAST_KIND_CIRCLE;
    cast.begin.min = begin.center;
    cast.begin.max = begin.center;
    cast.radius = begin.radius;
    cast.way = by;
    return cast;
}

#endif  // THRONG_HELPERS_H
