// Pairs that are about to touch: those whose boxes overlap with their margins and on their ways, and not where they are.
#include <math.h>

#include "check.h"
#include "crowd.h"
#include "random.h"
#include "tests.h"

enum { ROOM = 200000 };
static const float MARGIN = 0.125f;

// How far each thing goes.
static throng_point ways[THING_COUNT];

static void sweep(crowd *crowd) {
    for (size_t i = 0; i < THING_COUNT; i++) {
        thing *thing = &crowd->things[i];
        throng_point way = ways[i], told;
        OK(throng_velocity(crowd->world, thing->id, &told));
        CHECK(told.x == way.x && told.y == way.y);
        float margin = thing->category == UNITS ? MARGIN : 0;
        thing->swept.min.x = thing->aabb.min.x + fminf(way.x, 0) - margin;
        thing->swept.min.y = thing->aabb.min.y + fminf(way.y, 0) - margin;
        thing->swept.max.x = thing->aabb.max.x + fmaxf(way.x, 0) + margin;
        thing->swept.max.y = thing->aabb.max.y + fmaxf(way.y, 0) + margin;
    }
}

static bool are_about_to_touch(const thing *a, const thing *b) {
    return !(a->category == WALLS && b->category == WALLS) && !overlap(a->aabb, b->aabb) && overlap(a->swept, b->swept);
}

// Writes new velocities of units and giants, in each of the ways there are.
static void new_ways(crowd *crowd, uint64_t frame) {
    static float xs[UNIT_COUNT], ys[UNIT_COUNT];
    static throng_point points[UNIT_COUNT];
    static uint32_t rows[UNIT_COUNT];
    uint64_t seed = 1000 + frame;
    throng_fill fill;
    // The rows of units are those in which they were inserted.
    for (uint32_t i = 0; i < UNIT_COUNT; i++) {
        CHECK(crowd->things[i].category == UNITS && crowd->things[i].row == i);
        bool is_fast = i % 9 == frame;
        throng_point way = {is_fast ? random_float(&seed, -20, 20) : 0, is_fast ? random_float(&seed, -20, 20) : 0};
        ways[i] = points[i] = way;
        xs[i] = way.x;
        ys[i] = way.y;
        rows[i] = i;
    }
    if (frame == 0) {
        OK(throng_fill_velocities(crowd->world, UNITS, xs, ys, UNIT_COUNT, &fill));
        CHECK(fill.rejected == 0 && fill.first_rejected == THRONG_NO_ROW);
    } else if (frame == 1) {
        OK(throng_fill_velocities_from_points(crowd->world, UNITS, points, UNIT_COUNT, &fill));
        CHECK(fill.rejected == 0);
    } else {
        // Who is turned away keeps what it has.
        throng_point before;
        OK(throng_velocity(crowd->world, crowd->things[7].id, &before));
        ys[7] = NAN;
        ways[7] = before;
        OK(throng_set_row_velocities(crowd->world, UNITS, rows, xs, ys, UNIT_COUNT, &fill));
        CHECK(fill.rejected == 1 && fill.first_rejected == 7);
    }
    for (size_t i = UNIT_COUNT; i < UNIT_COUNT + GIANT_COUNT; i += 2) {
        ways[i].x = random_float(&seed, -9, 9);
        ways[i].y = random_float(&seed, -9, 9);
        OK(throng_set_velocity(crowd->world, crowd->things[i].id, ways[i]));
    }
}

static void check_pairs(const crowd *crowd, const throng_pair *pairs, size_t count, relation *relation) {
    size_t expected_count;
    uint64_t *expected = brute_force(crowd, relation, &expected_count), *found = numbers_of_pairs(crowd, pairs, count);
    CHECK(count == expected_count && count > 500);
    CHECK(memcmp(expected, found, count * sizeof *found) == 0);
    free(expected);
    free(found);
}

// A pair as a callback gets it.
typedef struct noted {
    throng_pair pair;
    uint32_t predicted;
} noted;

static size_t note(void *user, const throng_pair_batch *batch, void *outputs) {
    noted *noted = outputs;
    (void)user;
    for (size_t i = 0; i < batch->count; i++) {
        memcpy(noted[i].pair.rows, batch->pairs[i], sizeof noted[i].pair.rows);
        memcpy(noted[i].pair.categories, batch->categories, sizeof batch->categories);
        noted[i].predicted = batch->predicted;
        throng_aabb aabbs[2];
        OK(throng_batch_aabbs(batch, i, &aabbs));
        CHECK(overlap(aabbs[0], aabbs[1]) == !batch->predicted);
    }
    return batch->count;
}

static bool is_same(const throng_pair *a, const throng_pair *b) {
    return memcmp(a->rows, b->rows, sizeof a->rows) == 0 && memcmp(a->categories, b->categories, sizeof a->categories) == 0;
}

// Callbacks get the pairs, and then the predicted ones, on any number of threads.
static void check_callbacks(crowd *crowd, const throng_pair *pairs, size_t count, const throng_pair *predicted,
                            size_t predicted_count) {
    static noted noted[ROOM];
    throng_narrowphase narrowphase = {sizeof narrowphase, note, NULL, sizeof *noted};
    for (size_t threads = 1; threads <= 4; threads += 3) {
        OK(throng_use_threads(crowd->world, threads));
        OK(throng_step(crowd->world, &narrowphase));
        size_t total;
        OK(throng_outputs(crowd->world, sizeof *noted, noted, ROOM, &total));
        CHECK(total == count + predicted_count);
        for (size_t i = 0; i < total; i++) {
            CHECK(noted[i].predicted == (i >= count));
            CHECK(is_same(&noted[i].pair, i < count ? &pairs[i] : &predicted[i - count]));
        }
    }
    size_t none;
    OK(throng_last_predicted_pairs(crowd->world, NULL, 0, &none));
    CHECK(none == 0);
}

// A bullet that is new is found on its way in its first step.
static void what_is_new_comes_with_its_velocity(void) {
    throng_category_config categories[2] = {throng_category_uniform("bullets", 0.5f), throng_category_scenery("walls")};
    throng_config config = throng_config_of(categories, 2);
    throng_world *world;
    OK(throng_world_new(&config, &world));
    throng_aabb box = {{10, -1}, {11, 1}};
    throng_proxy proxies[2] = {throng_proxy_centered(0, 0, 0.5f, 0.5f), throng_proxy_fixed(box)};
    proxies[0].flags = THRONG_PROXY_HAS_VELOCITY;
    proxies[0].velocity.x = 30;
    OK(throng_insert_batch(world, proxies, 2, NULL));
    throng_pair pair;
    size_t count;
    OK(throng_step_pairs(world, NULL, 0, &count));
    CHECK(count == 0);
    OK(throng_last_predicted_pairs(world, &pair, 1, &count));
    CHECK(count == 1 && pair.categories[0] == 0 && pair.categories[1] == 1);
    proxies[0].velocity.x = NAN;
    REFUSED(THRONG_STATUS_NOT_FINITE, throng_insert(world, &proxies[0], NULL));
    proxies[1].flags = THRONG_PROXY_HAS_VELOCITY;
    proxies[1].velocity.y = 1;
    REFUSED(THRONG_STATUS_IS_SCENERY, throng_insert(world, &proxies[1], NULL));
    OK(throng_world_free(world));
}

static void a_crowd_looks_ahead(void) {
    static throng_pair pairs[ROOM], predicted[ROOM];
    throng_category_config categories[CATEGORIES];
    usual_categories(categories);
    categories[UNITS].margin = MARGIN;
    crowd *crowd = crowd_new(12, categories);
    size_t count, predicted_count;
    for (uint64_t frame = 0; frame < 3; frame++) {
        new_ways(crowd, frame);
        sweep(crowd);
        OK(throng_step_pairs(crowd->world, pairs, ROOM, &count));
        check_pairs(crowd, pairs, count, are_pair);
        REFUSED(THRONG_STATUS_BUFFER_TOO_SMALL, throng_last_predicted_pairs(crowd->world, predicted, 9, &predicted_count));
        OK(throng_last_predicted_pairs(crowd->world, predicted, ROOM, &predicted_count));
        check_pairs(crowd, predicted, predicted_count, are_about_to_touch);
        throng_report report;
        report.struct_size = sizeof report;
        OK(throng_read_report(crowd->world, &report));
        CHECK(report.pairs == count && report.predicted_pairs == predicted_count);
        check_callbacks(crowd, pairs, count, predicted, predicted_count);
        crowd_move(crowd, 200 + frame);
    }
    crowd_free(crowd);
}

static void velocities_are_refused(void) {
    throng_category_config categories[CATEGORIES];
    usual_categories(categories);
    throng_config config = throng_config_of(categories, CATEGORIES);
    throng_world *world;
    OK(throng_world_new(&config, &world));
    throng_proxy proxy = throng_proxy_centered(0, 0, 0.5f, 0.5f);
    throng_inserted unit, wall;
    OK(throng_insert(world, &proxy, &unit));
    throng_aabb box = {{0, 0}, {1, 1}};
    proxy = throng_proxy_fixed(box);
    OK(throng_insert(world, &proxy, &wall));
    throng_point way = {1, 2}, endless = {INFINITY, 0}, found;
    float numbers[2] = {0};
    uint32_t row = 1;
    OK(throng_set_velocity(world, unit.id, way));
    REFUSED(THRONG_STATUS_NOT_FINITE, throng_set_velocity(world, unit.id, endless));
    CHECK(strstr(throng_last_error_message(), "velocity") != NULL);
    OK(throng_velocity(world, unit.id, &found));
    CHECK(found.x == 1 && found.y == 2);
    REFUSED(THRONG_STATUS_IS_SCENERY, throng_set_velocity(world, wall.id, way));
    REFUSED(THRONG_STATUS_IS_SCENERY, throng_fill_velocities(world, WALLS, numbers, numbers, 1, NULL));
    REFUSED(THRONG_STATUS_UNKNOWN_CATEGORY, throng_fill_velocities(world, 9, numbers, numbers, 1, NULL));
    REFUSED(THRONG_STATUS_LENGTH_MISMATCH, throng_fill_velocities(world, UNITS, numbers, numbers, 2, NULL));
    REFUSED(THRONG_STATUS_LENGTH_MISMATCH, throng_fill_velocities_from_points(world, UNITS, NULL, 0, NULL));
    REFUSED(THRONG_STATUS_NO_SUCH_ROW, throng_set_row_velocities(world, UNITS, &row, numbers, numbers, 1, NULL));
    REFUSED(THRONG_STATUS_NULL_POINTER, throng_set_row_velocities(world, UNITS, NULL, numbers, numbers, 1, NULL));
    REFUSED(THRONG_STATUS_NULL_POINTER, throng_velocity(world, unit.id, NULL));
    OK(throng_remove(world, unit.id, NULL));
    REFUSED(THRONG_STATUS_REMOVED_PROXY, throng_set_velocity(world, unit.id, way));
    REFUSED(THRONG_STATUS_REMOVED_PROXY, throng_velocity(world, unit.id, &found));
    OK(throng_world_free(world));
}

void test_prediction(void) {
    a_crowd_looks_ahead();
    what_is_new_comes_with_its_velocity();
    velocities_are_refused();
}
