// What is at points, in boxes, circles and polygons; one by one, and many at once.
#include <math.h>

#include "check.h"
#include "judge.h"
#include "random.h"
#include "tests.h"

enum { QUESTIONS = 60 };

static throng_point random_point(uint64_t *state) {
    throng_point point = {random_float(state, -70, 70), random_float(state, -70, 70)};
    return point;
}

static throng_aabb box_around(throng_point at, float half) {
    throng_aabb box = {{at.x - half, at.y - half}, {at.x + half, at.y + half}};
    return box;
}

static void one_by_one(const crowd *crowd, uint64_t *state) {
    static throng_query_hit hits[MOST_HITS];
    size_t count, found = 0;
    for (int i = 0; i < QUESTIONS; i++) {
        throng_point at = random_point(state);
        throng_aabb point = {at, at}, box = box_around(at, random_float(state, 0, 20));
        throng_circle circle = {at, random_float(state, 0, 20)};
        throng_point corners[3] = {at, random_point(state), random_point(state)};
        OK(throng_find_at_point(crowd->world, NULL, at, hits, MOST_HITS, &count));
        check_hits(crowd, hits, count, inside_aabb, &point);
        OK(throng_find_in_aabb(crowd->world, NULL, box, hits, MOST_HITS, &count));
        check_hits(crowd, hits, count, inside_aabb, &box);
        OK(throng_find_in_circle(crowd->world, NULL, circle, hits, MOST_HITS, &count));
        check_hits(crowd, hits, count, inside_circle, &circle);
        found += count;
        OK(throng_find_in_polygon(crowd->world, NULL, corners, 3, hits, MOST_HITS, &count));
        check_hits(crowd, hits, count, inside_triangle, corners);
        found += count;
    }
    CHECK(found > QUESTIONS);
}

static void nearest_first(const crowd *crowd, uint64_t *state) {
    enum { K = 12 };
    for (int i = 0; i < QUESTIONS; i++) {
        throng_point at = random_point(state);
        throng_nearest_hit hits[K];
        float reach = random_float(state, 0, 15);
        size_t count;
        OK(throng_find_nearest(crowd->world, NULL, at, reach, hits, K, &count));
        size_t nearer = 0, within = 0;
        double last = 0;
        for (size_t k = 0; k < count; k++) {
            double distance = box_distance(thing_of(crowd, &hits[k].hit)->aabb, at);
            double said = hits[k].distance_squared;
            CHECK(distance * distance - said < 1e-2 && said - distance * distance < 1e-2);
            CHECK(distance > last - CLOSE && distance < reach + CLOSE);
            last = distance;
        }
        for (size_t thing = 0; thing < THING_COUNT; thing++) {
            double distance = box_distance(crowd->things[thing].aabb, at);
            nearer += distance < last - CLOSE;
            within += distance < reach - CLOSE;
        }
        CHECK(count == K ? nearer < K : within <= count);
    }
}

typedef struct circles {
    throng_point at;
    size_t asked;
} circles;

// The distance to the circle within a box; walls are ignored.
static float circle_distance(void *user, const throng_nearest_hit *near) {
    circles *circles = user;
    circles->asked++;
    const throng_query_hit *hit = &near->hit;
    float radius = fminf(hit->half_extents.x, hit->half_extents.y);
    float distance = hypotf(hit->center.x - circles->at.x, hit->center.y - circles->at.y) - radius;
    return hit->category == WALLS ? -1 : fmaxf(distance, 0);
}

static void nearest_circles_first(const crowd *crowd, uint64_t *state) {
    enum { K = 12 };
    size_t ignored = 0;
    for (int i = 0; i < QUESTIONS; i++) {
        circles circles = {random_point(state), 0};
        throng_nearest_hit hits[K];
        float reach = random_float(state, 0, 15);
        size_t count, nearer = 0, within = 0;
        OK(throng_find_nearest_by(crowd->world, NULL, circles.at, reach, circle_distance, &circles, hits, K, &count));
        double last = 0;
        for (size_t k = 0; k < count; k++) {
            double distance = sqrt(hits[k].distance_squared);
            CHECK(hits[k].hit.category != WALLS && distance > last - CLOSE && distance < reach + CLOSE);
            last = distance;
        }
        for (size_t thing = 0; thing < THING_COUNT; thing++) {
            throng_aabb box = crowd->things[thing].aabb;
            if (crowd->things[thing].category == WALLS) {
                ignored += box_distance(box, circles.at) < last - CLOSE;
                continue;
            }
            double half_x = (box.max.x - box.min.x) / 2.0, half_y = (box.max.y - box.min.y) / 2.0;
            double x = (box.min.x + box.max.x) / 2.0 - circles.at.x, y = (box.min.y + box.max.y) / 2.0 - circles.at.y;
            // A shape is no nearer than its box.
            double distance = fmax(fmax(hypot(x, y) - fmin(half_x, half_y), 0), box_distance(box, circles.at));
            nearer += distance < last - CLOSE;
            within += distance < reach - CLOSE;
        }
        CHECK(count == K ? nearer < K : within <= count);
        CHECK(circles.asked >= count && circles.asked < THING_COUNT / 2);
    }
    CHECK(ignored > 0);
}

// Each question of a batch is answered as it is alone.
static void many_at_once(const crowd *crowd, uint64_t *state) {
    static throng_query_hit hits[100000], alone[MOST_HITS];
    static throng_nearest_hit nearest[100000], nearest_alone[20];
    throng_point points[QUESTIONS];
    throng_aabb aabbs[QUESTIONS];
    throng_circle circles[QUESTIONS];
    throng_nearest_query questions[QUESTIONS];
    size_t starts[QUESTIONS + 1], count, count_alone;
    for (int i = 0; i < QUESTIONS; i++) {
        points[i] = random_point(state);
        aabbs[i] = box_around(points[i], random_float(state, 0, 5));
        circles[i].center = points[i];
        circles[i].radius = random_float(state, 0, 5);
        questions[i].point = points[i];
        questions[i].max_distance = 9;
        questions[i].k = (size_t)i % 20;
    }
#define EACH_AS_ALONE(all, alone, ask)                                                                        \
    for (int i = 0; i < QUESTIONS; i++) {                                                                     \
        OK(ask);                                                                                              \
        CHECK(starts[i + 1] - starts[i] == count_alone);                                                      \
        for (size_t k = 0; k < count_alone; k++) {                                                            \
            CHECK(memcmp(&all[starts[i] + k], &alone[k], sizeof alone[k].hit_start) == 0);                    \
        }                                                                                                     \
    }                                                                                                         \
    CHECK(starts[QUESTIONS] == count && count > 0)
#define hit_start id
    OK(throng_find_batch_at_points(crowd->world, NULL, points, QUESTIONS, starts, hits, 100000, &count));
    EACH_AS_ALONE(hits, alone, throng_find_at_point(crowd->world, NULL, points[i], alone, MOST_HITS, &count_alone));
    OK(throng_find_batch_in_aabbs(crowd->world, NULL, aabbs, QUESTIONS, starts, hits, 100000, &count));
    EACH_AS_ALONE(hits, alone, throng_find_in_aabb(crowd->world, NULL, aabbs[i], alone, MOST_HITS, &count_alone));
    OK(throng_find_batch_in_circles(crowd->world, NULL, circles, QUESTIONS, starts, hits, 100000, &count));
    EACH_AS_ALONE(hits, alone, throng_find_in_circle(crowd->world, NULL, circles[i], alone, MOST_HITS, &count_alone));
#undef hit_start
#define hit_start hit.id
    OK(throng_find_batch_nearest(crowd->world, NULL, questions, QUESTIONS, starts, nearest, 100000, &count));
    EACH_AS_ALONE(nearest, nearest_alone,
                  throng_find_nearest(crowd->world, NULL, points[i], 9, nearest_alone, questions[i].k, &count_alone));
#undef hit_start
#undef EACH_AS_ALONE

    REFUSED(THRONG_STATUS_BUFFER_TOO_SMALL,
            throng_find_batch_in_aabbs(crowd->world, NULL, aabbs, QUESTIONS, starts, hits, 1, &count));
    CHECK(count == starts[QUESTIONS]);
    circles[7].radius = -1;
    REFUSED(THRONG_STATUS_SOME_REFUSED,
            throng_find_batch_in_circles(crowd->world, NULL, circles, QUESTIONS, starts, hits, 100000, &count));
    CHECK(starts[7] == starts[8] && count > 0);
}

typedef struct taste {
    size_t asked;
    uint64_t most;
} taste;

static bool has_low_key(void *user, const throng_query_hit *hit) {
    taste *taste = user;
    taste->asked++;
    return hit->key <= taste->most;
}

static void filters_leave_out(const crowd *crowd) {
    static throng_query_hit hits[MOST_HITS];
    throng_aabb everywhere = {{-100, -100}, {100, 100}};
    throng_query_filter filter = throng_filter_everything();
    size_t count;
#define COUNT_IS(expected)                                                                        \
    OK(throng_find_in_aabb(crowd->world, &filter, everywhere, hits, MOST_HITS, &count));          \
    CHECK(count == (size_t)(expected))
    COUNT_IS(THING_COUNT);
    uint16_t categories[] = {WALLS, GIANTS};
    filter.categories = categories;
    filter.category_count = 2;
    COUNT_IS(GIANT_COUNT + WALL_COUNT);
    uint16_t without[] = {GIANTS, UNITS};
    filter.without = without;
    filter.without_count = 1;
    COUNT_IS(WALL_COUNT);
    filter.category_count = 0;
    COUNT_IS(UNIT_COUNT + WALL_COUNT);
    filter.without_count = 2;
    COUNT_IS(WALL_COUNT);
    filter.without_count = 0;
    filter.category_count = 2;
    uint64_t except[] = {crowd->things[THING_COUNT - 1].id};
    filter.except = except;
    filter.except_count = 1;
    COUNT_IS(GIANT_COUNT + WALL_COUNT - 1);
    taste taste = {0, UNIT_COUNT + 3};
    filter.only = has_low_key;
    filter.user = &taste;
    COUNT_IS(3);
    CHECK(taste.asked == GIANT_COUNT + WALL_COUNT - 1);
    filter.only = NULL;
    OK(throng_set_owner(crowd->world, crowd->things[UNIT_COUNT].id, 7));
    filter.not_of = 7;
    COUNT_IS(GIANT_COUNT + WALL_COUNT - 2);
    throng_masks lonely = throng_masks_of(2, 2);
    OK(throng_set_masks(crowd->world, crowd->things[UNIT_COUNT + 1].id, lonely));
    filter.masks.memberships = 1;
    filter.masks.filter = 1;
    filter.flags = THRONG_FILTER_HAS_MASKS;
    COUNT_IS(GIANT_COUNT + WALL_COUNT - 3);
#undef COUNT_IS
}

void test_places(void) {
    throng_category_config categories[CATEGORIES];
    usual_categories(categories);
    crowd *crowd = crowd_new(11, categories);
    OK(throng_use_threads(crowd->world, 4));
    OK(throng_refresh(crowd->world));
    uint64_t state = 12;
    one_by_one(crowd, &state);
    nearest_first(crowd, &state);
    nearest_circles_first(crowd, &state);
    many_at_once(crowd, &state);
    filters_leave_out(crowd);
    crowd_free(crowd);
}
