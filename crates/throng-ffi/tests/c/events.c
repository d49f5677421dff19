// Begins and ends are what has changed between two lists of pairs, each found by comparing everything with everything.
#include "check.h"
#include "crowd.h"
#include "tests.h"

static bool is_among(const uint64_t *sorted, size_t count, uint64_t number) {
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (sorted[middle] < number) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < count && sorted[low] == number;
}

// What is among the first and not among the others has events, and nothing else.
static void check_events(const throng_pair_event *events, size_t count, const uint64_t *among, size_t among_count,
                         const uint64_t *not_among, size_t not_among_count) {
    size_t expected = 0;
    for (size_t i = 0; i < among_count; i++) {
        expected += !is_among(not_among, not_among_count, among[i]);
    }
    CHECK(count == expected && count > 0);
    for (size_t i = 0; i < count; i++) {
        uint64_t pair = pair_of_things(events[i].keys[0] - 1, events[i].keys[1] - 1);
        CHECK(is_among(among, among_count, pair) && !is_among(not_among, not_among_count, pair));
        CHECK(events[i].ids[0] != events[i].ids[1] && events[i].categories[0] <= events[i].categories[1]);
        CHECK(events[i].slot == THRONG_NO_SLOT);
    }
}

static size_t count_pairs(void *user, const throng_pair_batch *batch, void *outputs) {
    CHECK(outputs == NULL);
    *(size_t *)user += batch->count;
    return 0;
}

// Without a narrowphase pairs are only counted.
static void step(throng_world *world) {
    OK(throng_step(world, NULL));
    throng_report report = throng_report_empty();
    OK(throng_read_report(world, &report));
    size_t counted = 0;
    throng_narrowphase narrowphase = throng_narrowphase_of(count_pairs, &counted);
    throng_world *copy;
    OK(throng_world_clone(world, &copy));
    OK(throng_use_threads(copy, 1));
    OK(throng_step(copy, &narrowphase));
    CHECK(counted == report.pairs);
    OK(throng_world_free(copy));
}

static void events_are_what_has_changed(void) {
    throng_category_config categories[CATEGORIES];
    usual_categories(categories);
    for (int i = 0; i < CATEGORIES; i++) {
        categories[i].flags |= THRONG_CATEGORY_EVENTS;
    }
    crowd *crowd = crowd_new(5, categories);
    size_t before_count = 0, now_count;
    uint64_t *before = NULL, *now;
    for (uint64_t frame = 0; frame < 4; frame++) {
        step(crowd->world);
        now = brute_force_pairs(crowd, &now_count);
        const throng_pair_event *events;
        size_t count;
        OK(throng_began(crowd->world, &events, &count));
        check_events(events, count, now, now_count, before, before_count);
        OK(throng_ended(crowd->world, &events, &count));
        if (frame == 0) {
            CHECK(count == 0);
        } else {
            check_events(events, count, before, before_count, now, now_count);
        }
        free(before);
        before = now;
        before_count = now_count;
        crowd_move(crowd, 100 + frame);
    }
    free(before);
    crowd_free(crowd);
}

static size_t look_up_slot(void *user, const throng_pair_batch *batch, void *outputs) {
    (void)outputs;
    OK(throng_batch_slot(batch, 0, user));
    return 0;
}

static void a_pair_keeps_its_slot(void) {
    throng_category_config category = throng_category_uniform("all", 1);
    category.flags = THRONG_CATEGORY_EVENTS | THRONG_CATEGORY_RESTS_WHEN_TOLD;
    throng_config config = throng_config_of(&category, 1);
    config.flags = THRONG_CONFIG_PAIR_SLOTS;
    throng_world *world;
    OK(throng_world_new(&config, &world));
    throng_proxy proxies[2] = {throng_proxy_centered(0, 0, 1, 1), throng_proxy_centered(1, 0, 1, 1)};
    uint64_t ids[2];
    OK(throng_insert_batch(world, proxies, 2, ids));
    uint32_t slot = 0;
    throng_narrowphase narrowphase = {sizeof narrowphase, look_up_slot, &slot, 0};
    OK(throng_step(world, &narrowphase));
    CHECK(slot == THRONG_NO_SLOT);
    const throng_pair_event *began;
    size_t count;
    OK(throng_began(world, &began, &count));
    CHECK(count == 1 && began[0].slot != THRONG_NO_SLOT);
    uint32_t given = began[0].slot;
    OK(throng_pair_slots(world, &count));
    CHECK(given < count);
    OK(throng_step(world, &narrowphase));
    CHECK(slot == given);
    OK(throng_resting_pair_slot(world, ids[0], ids[1], &slot));
    CHECK(slot == THRONG_NO_SLOT);
    for (int i = 0; i < 2; i++) {
        OK(throng_set_resting(world, ids[i], true));
    }
    OK(throng_step(world, &narrowphase));
    OK(throng_step(world, &narrowphase));
    for (int i = 0; i < 2; i++) {
        OK(throng_resting_pair_slot(world, ids[i], ids[1 - i], &slot));
        CHECK(slot == given);
    }
    REFUSED(THRONG_STATUS_NULL_POINTER, throng_resting_pair_slot(world, ids[0], ids[1], NULL));
    throng_pair_event pair;
    OK(throng_event_pairs(world, &pair, 1, &count));
    CHECK(count == 1 && pair.slot == given && pair.ids[0] + pair.ids[1] == ids[0] + ids[1]);
    REFUSED(THRONG_STATUS_BUFFER_TOO_SMALL, throng_event_pairs(world, NULL, 0, &count));
    CHECK(count == 1);
    OK(throng_world_free(world));
}

// Two of three that touch are a pair; the third is a sensor, whose pairs are events and nothing else.
static void a_sensor_is_only_told_of(void) {
    throng_category_config categories[2] = {throng_category_uniform("solid", 1), throng_category_uniform("ears", 1)};
    categories[1].flags = THRONG_CATEGORY_SENSOR;
    throng_config config = throng_config_of(categories, 2);
    throng_world *world;
    OK(throng_world_new(&config, &world));
    throng_proxy proxies[3] = {throng_proxy_centered(0, 0, 1, 1), throng_proxy_centered(1, 0, 1, 1),
                               throng_proxy_centered(0.5f, 0, 1, 1)};
    for (size_t i = 0; i < 3; i++) {
        proxies[i].flags |= THRONG_PROXY_IN_CATEGORY;
        proxies[i].category = i == 2;
    }
    uint64_t ids[3];
    OK(throng_insert_batch(world, proxies, 3, ids));
    throng_pair pairs[3];
    size_t count;
    OK(throng_step_pairs(world, pairs, 3, &count));
    CHECK(count == 1 && pairs[0].rows[0] == 0 && pairs[0].rows[1] == 1);
    throng_query_hit hits[3];
    OK(throng_find_partners(world, NULL, ids[2], hits, 3, &count));
    CHECK(count == 2 && hits[0].id == ids[0] && hits[1].id == ids[1]);
    OK(throng_find_partners(world, NULL, ids[0], hits, 3, &count));
    CHECK(count == 2 && hits[0].id == ids[1] && hits[1].id == ids[2]);
    REFUSED(THRONG_STATUS_BUFFER_TOO_SMALL, throng_find_partners(world, NULL, ids[0], hits, 1, &count));
    OK(throng_remove(world, ids[1], NULL));
    REFUSED(THRONG_STATUS_REMOVED_PROXY, throng_find_partners(world, NULL, ids[1], hits, 3, &count));
    throng_report report = throng_report_empty();
    OK(throng_read_report(world, &report));
    CHECK(report.pairs == 1 && report.sensor_pairs == 2);
    const throng_pair_event *began;
    OK(throng_began(world, &began, &count));
    CHECK(count == 2);
    OK(throng_world_free(world));
}

void test_events(void) {
    a_sensor_is_only_told_of();
    events_are_what_has_changed();
    a_pair_keeps_its_slot();
}
