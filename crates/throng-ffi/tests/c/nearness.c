// Pairs within a distance, and lists of neighbors.
#include <math.h>

#include "check.h"
#include "crowd.h"
#include "judge.h"
#include "tests.h"

static const float DISTANCE = 2.5f;

static double gap(double low, double high, double other_low, double other_high) {
    double gap = other_low - high > low - other_high ? other_low - high : low - other_high;
    return gap > 0 ? gap : 0;
}

static double distance_of(const thing *a, const thing *b, bool of_boxes) {
    throng_aabb p = a->aabb, q = b->aabb;
    double dx, dy;
    if (of_boxes) {
        dx = gap(p.min.x, p.max.x, q.min.x, q.max.x);
        dy = gap(p.min.y, p.max.y, q.min.y, q.max.y);
    } else {
        dx = ((double)p.min.x + p.max.x - q.min.x - q.max.x) / 2;
        dy = ((double)p.min.y + p.max.y - q.min.y - q.max.y) / 2;
    }
    return sqrt(dx * dx + dy * dy);
}

static throng_proximity proximity_of(const uint16_t (*categories)[2], size_t count, uint32_t flags) {
    throng_proximity proximity = throng_proximity_of(categories[0], count, DISTANCE);
    proximity.flags = flags;
    return proximity;
}

static void pairs_are_those_within(const crowd *crowd, uint32_t flags) {
    const uint16_t categories[2][2] = {{UNITS, UNITS}, {GIANTS, WALLS}};
    throng_proximity proximity = proximity_of(categories, 2, flags);
    size_t count, expected = 0, close = 0;
    REFUSED(THRONG_STATUS_BUFFER_TOO_SMALL, throng_find_pairs_within(crowd->world, &proximity, NULL, 0, &count));
    throng_near_pair *pairs = malloc(count * sizeof *pairs);
    uint64_t *numbers = malloc(count * sizeof *numbers);
    CHECK(pairs != NULL && numbers != NULL);
    OK(throng_find_pairs_within(crowd->world, &proximity, pairs, count, &count));
    bool of_boxes = (flags & THRONG_PROXIMITY_OF_BOXES) != 0;
    for (size_t i = 0; i < count; i++) {
        size_t a = thing_in_row(crowd, pairs[i].categories[0], pairs[i].rows[0]);
        size_t b = thing_in_row(crowd, pairs[i].categories[1], pairs[i].rows[1]);
        double distance = distance_of(&crowd->things[a], &crowd->things[b], of_boxes);
        CHECK(distance < DISTANCE + CLOSE && fabs(distance * distance - pairs[i].distance_squared) < 1e-3);
        numbers[i] = pair_of_things(a, b);
    }
    sort_numbers(numbers, count);
    for (size_t i = 1; i < count; i++) {
        CHECK(numbers[i - 1] < numbers[i]);
    }
    for (size_t a = 0; a < THING_COUNT; a++) {
        for (size_t b = a + 1; b < THING_COUNT; b++) {
            uint16_t first = crowd->things[a].category, second = crowd->things[b].category;
            if ((first == UNITS && second == UNITS) || (first == GIANTS && second == WALLS)) {
                double distance = distance_of(&crowd->things[a], &crowd->things[b], of_boxes);
                expected += distance <= DISTANCE;
                close += fabs(distance - DISTANCE) < CLOSE;
            }
        }
    }
    CHECK(count + close >= expected && count <= expected + close && count > 1000);
    free(pairs);
    free(numbers);
}

static void neighbors_are_those_within(const crowd *crowd, const uint16_t categories[2], uint32_t flags) {
    const uint16_t pair[1][2] = {{categories[0], categories[1]}};
    throng_proximity proximity = proximity_of(pair, 1, flags);
    size_t lists, count;
    OK(throng_rows(crowd->world, categories[0], &lists));
    size_t *starts = malloc((lists + 1) * sizeof *starts);
    CHECK(starts != NULL);
    REFUSED(THRONG_STATUS_BUFFER_TOO_SMALL,
            throng_find_neighbors(crowd->world, &proximity, starts, lists + 1, NULL, 0, &count));
    uint32_t *rows = malloc(count * sizeof *rows);
    CHECK(rows != NULL && count > 0);
    REFUSED(THRONG_STATUS_LENGTH_MISMATCH,
            throng_find_neighbors(crowd->world, &proximity, starts, lists, rows, count, &count));
    OK(throng_find_neighbors(crowd->world, &proximity, starts, lists + 1, rows, count, &count));
    CHECK(starts[0] == 0 && starts[lists] == count);
    bool once = (flags & THRONG_PROXIMITY_EACH_PAIR_ONCE) != 0, of_boxes = (flags & THRONG_PROXIMITY_OF_BOXES) != 0;
    for (size_t a = 0; a < THING_COUNT; a++) {
        const thing *of = &crowd->things[a];
        if (of->category != categories[0]) {
            continue;
        }
        const uint32_t *next = &rows[starts[of->row]], *end = &rows[starts[of->row + 1]];
        // What was inserted first has the lower row, so that lists are in the order of things.
        for (size_t b = 0; b < THING_COUNT; b++) {
            const thing *among = &crowd->things[b];
            if (among->category != categories[1] || a == b || (once && categories[0] == categories[1] && b < a)) {
                continue;
            }
            double distance = distance_of(of, among, of_boxes);
            bool found = next < end && *next == among->row;
            next += found;
            CHECK(found ? distance < DISTANCE + CLOSE : distance > DISTANCE - CLOSE);
        }
        CHECK(next == end);
    }
    free(starts);
    free(rows);
}

void test_nearness(void) {
    throng_category_config categories[CATEGORIES];
    usual_categories(categories);
    crowd *crowd = crowd_new(31, categories);
    OK(throng_use_threads(crowd->world, 4));
    OK(throng_refresh(crowd->world));
    pairs_are_those_within(crowd, 0);
    pairs_are_those_within(crowd, THRONG_PROXIMITY_OF_BOXES | THRONG_PROXIMITY_IGNORING_MASKS);
    const uint16_t units[2] = {UNITS, UNITS}, at_walls[2] = {UNITS, WALLS}, of_walls[2] = {WALLS, UNITS};
    neighbors_are_those_within(crowd, units, 0);
    neighbors_are_those_within(crowd, units, THRONG_PROXIMITY_EACH_PAIR_ONCE);
    neighbors_are_those_within(crowd, at_walls, THRONG_PROXIMITY_OF_BOXES);
    neighbors_are_those_within(crowd, of_walls, THRONG_PROXIMITY_OF_BOXES);
    crowd_free(crowd);
}
