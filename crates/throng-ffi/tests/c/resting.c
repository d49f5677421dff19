// What rests: its pairs are in one list or in the other, and together they are what this program finds by itself.
#include "check.h"
#include "crowd.h"
#include "tests.h"

enum { STEPS = 2, MOVED = 200 };

// The pairs of two that rest, as numbers; sorted. To be freed.
static uint64_t *resting_numbers(const crowd *crowd, size_t *count) {
    size_t told;
    REFUSED(THRONG_STATUS_BUFFER_TOO_SMALL, throng_resting_pairs(crowd->world, NULL, 0, &told));
    throng_resting_pair *pairs = malloc(told * sizeof *pairs);
    uint64_t *numbers = malloc(told * sizeof *numbers);
    CHECK(pairs != NULL && numbers != NULL);
    OK(throng_resting_pairs(crowd->world, pairs, told, count));
    CHECK(*count == told);
    for (size_t i = 0; i < told; i++) {
        size_t a = thing_with_id(crowd, pairs[i].ids[0]), b = thing_with_id(crowd, pairs[i].ids[1]);
        CHECK(crowd->things[a].category == pairs[i].categories[0] && crowd->things[b].category == pairs[i].categories[1]);
        CHECK(pairs[i].categories[0] <= pairs[i].categories[1]);
        numbers[i] = pair_of_things(a, b);
    }
    free(pairs);
    sort_numbers(numbers, told);
    return numbers;
}

static void check_report(const crowd *crowd, size_t pairs, size_t resting_pairs, const bool *rests) {
    size_t resting = 0;
    for (size_t i = 0; i < THING_COUNT; i++) {
        resting += rests[i] && crowd->things[i].category != WALLS;
    }
    throng_report report;
    report.struct_size = sizeof report;
    OK(throng_read_report(crowd->world, &report));
    CHECK(report.pairs == pairs && report.resting_pairs == resting_pairs && report.resting == resting);
}

// Runs a step. Fills in who rests.
static void step(crowd *crowd, bool *rests) {
    enum { ROOM = 40000 };
    static throng_pair pairs[ROOM];
    size_t awake_count, resting_count, expected_count, a = 0, r = 0;
    OK(throng_step_pairs(crowd->world, pairs, ROOM, &awake_count));
    for (size_t i = 0; i < THING_COUNT; i++) {
        OK(throng_is_resting(crowd->world, crowd->things[i].id, &rests[i]));
    }
    uint64_t *awake = numbers_of_pairs(crowd, pairs, awake_count);
    uint64_t *resting = resting_numbers(crowd, &resting_count);
    uint64_t *expected = brute_force_pairs(crowd, &expected_count);
    for (size_t i = 0; i < expected_count; i++) {
        if (rests[expected[i] >> 32] && rests[expected[i] & UINT32_MAX]) {
            CHECK(r < resting_count && resting[r++] == expected[i]);
        } else {
            CHECK(a < awake_count && awake[a++] == expected[i]);
        }
    }
    CHECK(a == awake_count && r == resting_count);
    check_report(crowd, awake_count, resting_count, rests);
    free(awake);
    free(resting);
    free(expected);
}

// Moves some units by their rows.
static void move_some(crowd *crowd) {
    uint32_t rows[MOVED];
    float xs[MOVED], ys[MOVED];
    for (size_t i = 0; i < MOVED; i++) {
        throng_proxy_view view;
        OK(throng_get(crowd->world, crowd->things[7 * i].id, &view));
        rows[i] = view.row;
        xs[i] = view.center.x + 0.75f;
        ys[i] = view.center.y - 0.5f;
    }
    throng_fill fill;
    OK(throng_set_row_centers(crowd->world, UNITS, rows, xs, ys, MOVED, &fill));
    CHECK(fill.rejected == 0);
    crowd_look(crowd);
}

static void check_awake_rows(const crowd *crowd, const bool *rests) {
    static uint32_t rows[THING_COUNT];
    static uint64_t ids[THING_COUNT];
    size_t counts[CATEGORIES] = {0}, count;
    for (uint16_t category = 0; category < CATEGORIES; category++) {
        OK(throng_proxies(crowd->world, category, ids, THING_COUNT, &count));
        OK(throng_awake_rows(crowd->world, category, rows, THING_COUNT, &count));
        counts[category] = count;
        for (size_t i = 0; i < count; i++) {
            CHECK(!rests[thing_with_id(crowd, ids[rows[i]])] && (i == 0 || rows[i - 1] < rows[i]));
        }
    }
    for (size_t i = 0; i < THING_COUNT; i++) {
        counts[crowd->things[i].category] -= !rests[i];
    }
    for (uint16_t category = 0; category < CATEGORIES; category++) {
        CHECK(counts[category] == 0);
    }
    REFUSED(THRONG_STATUS_BUFFER_TOO_SMALL, throng_awake_rows(crowd->world, GIANTS, rows, 1, &count));
    REFUSED(THRONG_STATUS_UNKNOWN_CATEGORY, throng_awake_rows(crowd->world, CATEGORIES, rows, 1, &count));
}

static void a_crowd_comes_to_rest(void) {
    throng_category_config categories[CATEGORIES];
    usual_categories(categories);
    categories[UNITS].rests_after = STEPS;
    crowd *crowd = crowd_new(11, categories);
    static bool rests[THING_COUNT];
    bool resting;
    uint64_t unit = crowd->things[0].id, giant = crowd->things[UNIT_COUNT].id, wall = crowd->things[THING_COUNT - 1].id;
    OK(throng_is_resting(crowd->world, unit, &resting));
    CHECK(!resting);
    size_t count;
    OK(throng_resting_pairs(crowd->world, NULL, 0, &count));
    CHECK(count == 0);
    // Whatever is new counts as moved in the first step.
    for (int i = 0; i < 1 + STEPS; i++) {
        REFUSED(THRONG_STATUS_BUFFER_TOO_SMALL, throng_step_pairs(crowd->world, NULL, 0, &count));
    }
    bool settling;
    OK(throng_is_settling(crowd->world, unit, &settling));
    CHECK(settling);
    step(crowd, rests);
    for (size_t i = 0; i < THING_COUNT; i++) {
        CHECK(rests[i] == (crowd->things[i].category != GIANTS));
    }
    OK(throng_is_settling(crowd->world, unit, &settling));
    CHECK(!settling);
    move_some(crowd);
    step(crowd, rests);
    for (size_t i = 0; i < UNIT_COUNT; i++) {
        CHECK(rests[i] == !(i % 7 == 0 && i / 7 < MOVED));
    }
    check_awake_rows(crowd, rests);
    CHECK(rests[1]);
    OK(throng_set_resting(crowd->world, crowd->things[1].id, false));
    step(crowd, rests);
    CHECK(!rests[1] && rests[2] && !rests[7]);
    REFUSED(THRONG_STATUS_NEVER_RESTS, throng_set_resting(crowd->world, giant, true));
    REFUSED(THRONG_STATUS_NEVER_RESTS, throng_set_resting(crowd->world, wall, false));
    OK(throng_remove(crowd->world, unit, NULL));
    REFUSED(THRONG_STATUS_REMOVED_PROXY, throng_set_resting(crowd->world, unit, true));
    REFUSED(THRONG_STATUS_REMOVED_PROXY, throng_is_resting(crowd->world, unit, &resting));
    REFUSED(THRONG_STATUS_NULL_POINTER, throng_is_resting(crowd->world, wall, NULL));
    REFUSED(THRONG_STATUS_REMOVED_PROXY, throng_is_settling(crowd->world, unit, &settling));
    REFUSED(THRONG_STATUS_NULL_POINTER, throng_is_settling(crowd->world, wall, NULL));
    crowd_free(crowd);
}

static throng_world *two_that_touch(uint32_t flags, uint32_t rests_after, uint64_t ids[2]) {
    throng_category_config crates = throng_category_uniform("crates", 1);
    crates.flags = flags;
    crates.rests_after = rests_after;
    throng_config config = throng_config_of(&crates, 1);
    throng_world *world;
    OK(throng_world_new(&config, &world));
    throng_proxy proxies[2] = {throng_proxy_centered(0, 0, 1, 1), throng_proxy_centered(0, 1.5f, 1, 1)};
    OK(throng_insert_batch(world, proxies, 2, ids));
    return world;
}

static size_t pairs_now(throng_world *world) {
    throng_pair pairs[4];
    size_t count;
    OK(throng_step_pairs(world, pairs, 4, &count));
    return count;
}

static void an_island_rests_when_told(void) {
    uint64_t ids[2];
    throng_world *world = two_that_touch(THRONG_CATEGORY_RESTS_WHEN_TOLD, 0, ids);
    for (int i = 0; i < 300; i++) {
        CHECK(pairs_now(world) == 1);
    }
    uint64_t island[3] = {ids[0], THRONG_NO_PROXY, ids[1]};
    REFUSED(THRONG_STATUS_SOME_REFUSED, throng_set_resting_batch(world, island, 3, true));
    CHECK(pairs_now(world) == 1 && pairs_now(world) == 0);
    OK(throng_set_resting_batch(world, ids, 2, false));
    CHECK(pairs_now(world) == 1);
    OK(throng_set_resting_batch(world, ids, 2, true));
    CHECK(pairs_now(world) == 1 && pairs_now(world) == 0);
    throng_resting_pair pair[1];
    size_t count;
    OK(throng_resting_pairs(world, pair, 1, &count));
    CHECK(count == 1 && pair[0].ids[0] == ids[0] && pair[0].ids[1] == ids[1] && pair[0].categories[1] == 0);
    uint64_t changed[2];
    REFUSED(THRONG_STATUS_BUFFER_TOO_SMALL, throng_came_to_rest(world, changed, 1, &count));
    CHECK(count == 2);
    OK(throng_came_to_rest(world, changed, 2, &count));
    CHECK(count == 2 && changed[0] == ids[0] && changed[1] == ids[1]);
    OK(throng_woken(world, changed, 2, &count));
    CHECK(count == 0);
    REFUSED(THRONG_STATUS_NULL_POINTER, throng_woken(world, changed, 2, NULL));
    OK(throng_set_resting(world, ids[1], false));
    CHECK(pairs_now(world) == 1);
    OK(throng_woken(world, changed, 2, &count));
    CHECK(count == 1 && changed[0] == ids[1]);
    OK(throng_came_to_rest(world, changed, 2, &count));
    CHECK(count == 0);
    OK(throng_resting_pairs(world, pair, 1, &count));
    CHECK(count == 0);
    OK(throng_world_free(world));
}

static void who_is_touched_wakes_if_configured(void) {
    for (uint32_t wakes = 0; wakes < 2; wakes++) {
        uint64_t ids[2];
        throng_world *world = two_that_touch(wakes ? THRONG_CATEGORY_WAKES_ON_CONTACT : 0, 1, ids);
        throng_point away = {9, 0}, back = {0, 1.25f};
        OK(throng_set_center(world, ids[1], away));
        bool resting;
        for (int i = 0; i < 3; i++) {
            CHECK(pairs_now(world) == 0);
        }
        OK(throng_is_resting(world, ids[0], &resting));
        CHECK(resting);
        OK(throng_set_center(world, ids[1], back));
        CHECK(pairs_now(world) == 1);
        CHECK(pairs_now(world) == 1);
        OK(throng_is_resting(world, ids[0], &resting));
        CHECK(resting == !wakes);
        OK(throng_world_free(world));
    }
}

void test_resting(void) {
    a_crowd_comes_to_rest();
    an_island_rests_when_told();
    who_is_touched_wakes_if_configured();
}
