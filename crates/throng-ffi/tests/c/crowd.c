#include "crowd.h"

#include <stdlib.h>

#include "check.h"
#include "random.h"

static const float EXTENT = 60;
// What is inserted category by category: the first thing of each.
static const size_t FIRST[CATEGORIES] = {0, UNIT_COUNT, UNIT_COUNT + GIANT_COUNT};

void usual_categories(throng_category_config categories[CATEGORIES]) {
    categories[UNITS] = throng_category_uniform("units", 0.5f);
    categories[GIANTS] = throng_category_oversized("giants");
    categories[WALLS] = throng_category_scenery("walls");
}

static throng_aabb random_box(uint64_t *state, float least, float most) {
    float x = random_float(state, -EXTENT, EXTENT), y = random_float(state, -EXTENT, EXTENT);
    float half_x = random_float(state, least, most), half_y = random_float(state, least, most);
    throng_aabb box = {{x - half_x, y - half_y}, {x + half_x, y + half_y}};
    return box;
}

static void ask_where(const crowd *crowd, thing *thing) {
    throng_proxy_view view;
    OK(throng_get(crowd->world, thing->id, &view));
    thing->aabb = view.aabb;
    thing->category = view.category;
    thing->row = view.row;
}

crowd *crowd_new(uint64_t seed, const throng_category_config *categories) {
    crowd *made = calloc(1, sizeof *made);
    CHECK(made != NULL);
    throng_config config = throng_config_of(categories, CATEGORIES);
    OK(throng_world_new(&config, &made->world));
    throng_proxy *proxies = calloc(THING_COUNT, sizeof *proxies);
    uint64_t *ids = calloc(THING_COUNT, sizeof *ids);
    CHECK(proxies != NULL && ids != NULL);
    for (size_t i = 0; i < THING_COUNT; i++) {
        if (i < FIRST[GIANTS]) {
            proxies[i] = throng_proxy_moving(random_box(&seed, 0.1f, 0.49f));
        } else if (i < FIRST[WALLS]) {
            proxies[i] = throng_proxy_moving(random_box(&seed, 1, 9));
        } else {
            proxies[i] = throng_proxy_fixed(random_box(&seed, 0.1f, 7));
        }
        proxies[i].key = i + 1;
    }
    OK(throng_insert_batch(made->world, proxies, THING_COUNT, ids));
    for (size_t i = 0; i < THING_COUNT; i++) {
        made->things[i].id = ids[i];
        ask_where(made, &made->things[i]);
        CHECK(made->things[i].row < THING_COUNT);
    }
    free(proxies);
    free(ids);
    return made;
}

void crowd_free(crowd *crowd) {
    OK(throng_world_free(crowd->world));
    free(crowd);
}

void crowd_look(crowd *crowd) {
    for (size_t i = 0; i < THING_COUNT; i++) {
        ask_where(crowd, &crowd->things[i]);
    }
}

void crowd_move(crowd *crowd, uint64_t seed) {
    for (uint16_t category = UNITS; category <= GIANTS; category++) {
        const float *xs, *ys;
        size_t count;
        OK(throng_centers(crowd->world, category, &xs, &ys, &count));
        float *new_xs = malloc(count * sizeof *new_xs), *new_ys = malloc(count * sizeof *new_ys);
        CHECK(new_xs != NULL && new_ys != NULL);
        for (size_t row = 0; row < count; row++) {
            new_xs[row] = xs[row] + random_float(&seed, -1, 1);
            new_ys[row] = ys[row] + random_float(&seed, -1, 1);
        }
        throng_fill fill;
        OK(throng_fill_centers(crowd->world, category, new_xs, new_ys, count, &fill));
        CHECK(fill.rejected == 0 && fill.first_rejected == THRONG_NO_ROW);
        free(new_xs);
        free(new_ys);
    }
    crowd_look(crowd);
}

bool overlap(throng_aabb a, throng_aabb b) {
    return a.min.x <= b.max.x && b.min.x <= a.max.x && a.min.y <= b.max.y && b.min.y <= a.max.y;
}

bool are_pair(const thing *a, const thing *b) {
    return !(a->category == WALLS && b->category == WALLS) && overlap(a->aabb, b->aabb);
}

uint64_t pair_of_things(size_t a, size_t b) {
    return a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
}

static int compare(const void *a, const void *b) {
    uint64_t first = *(const uint64_t *)a, second = *(const uint64_t *)b;
    return (first > second) - (first < second);
}

void sort_numbers(uint64_t *numbers, size_t count) {
    if (count > 0) {
        qsort(numbers, count, sizeof *numbers, compare);
    }
}

uint64_t *brute_force_pairs(const crowd *crowd, size_t *count) {
    return brute_force(crowd, are_pair, count);
}

uint64_t *brute_force(const crowd *crowd, relation *relation, size_t *count) {
    uint64_t *pairs = NULL;
    size_t room = 0;
    *count = 0;
    for (size_t a = 0; a < THING_COUNT; a++) {
        for (size_t b = a + 1; b < THING_COUNT; b++) {
            if (relation(&crowd->things[a], &crowd->things[b])) {
                if (*count == room) {
                    room = 2 * room + 64;
                    pairs = realloc(pairs, room * sizeof *pairs);
                    CHECK(pairs != NULL);
                }
                pairs[(*count)++] = pair_of_things(a, b);
            }
        }
    }
    sort_numbers(pairs, *count);
    return pairs;
}

size_t thing_in_row(const crowd *crowd, uint16_t category, uint32_t row) {
    uint64_t id;
    OK(throng_proxy_at(crowd->world, category, row, &id));
    return thing_with_id(crowd, id);
}

size_t thing_with_id(const crowd *crowd, uint64_t id) {
    for (size_t i = 0; i < THING_COUNT; i++) {
        if (crowd->things[i].id == id) {
            return i;
        }
    }
    CHECK(!"it is in the crowd");
    return 0;
}

uint64_t *numbers_of_pairs(const crowd *crowd, const throng_pair *pairs, size_t count) {
    uint64_t *numbers = malloc((count + 1) * sizeof *numbers);
    CHECK(numbers != NULL);
    for (size_t i = 0; i < count; i++) {
        size_t a = thing_in_row(crowd, pairs[i].categories[0], pairs[i].rows[0]);
        size_t b = thing_in_row(crowd, pairs[i].categories[1], pairs[i].rows[1]);
        numbers[i] = pair_of_things(a, b);
    }
    sort_numbers(numbers, count);
    return numbers;
}
