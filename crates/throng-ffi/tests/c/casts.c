// What rays, moving boxes and moving circles touch.
#include <math.h>

#include "check.h"
#include "judge.h"
#include "random.h"
#include "tests.h"

enum { PATHS = 60, MOST_CAST_HITS = 2000 };

typedef struct path {
    throng_point from, to;
    // Half the size of the box that moves; of a ray or a circle, 0.
    throng_point half;
    // The radius of the circle that moves; otherwise 0.
    float radius;
} path;

// A box that moves hits what a point hits in a box that is as much larger.
static throng_aabb widened(throng_aabb box, throng_point by) {
    throng_aabb wider = {{box.min.x - by.x, box.min.y - by.y}, {box.max.x + by.x, box.max.y + by.y}};
    return wider;
}

static throng_cast cast_of(const path *path) {
    throng_point by = {path->to.x - path->from.x, path->to.y - path->from.y};
    if (path->radius > 0) {
        throng_circle circle = {path->from, path->radius};
        return throng_moving_circle(circle, by);
    }
    if (path->half.x == 0) {
        return throng_ray(path->from, path->to);
    }
    throng_aabb start = {path->from, path->from};
    return throng_moving_box(widened(start, path->half), by);
}

// When a thing is touched if what moves is larger by a margin on all sides, or smaller if that is negative.
static double entry_with(float margin, const path *path, const thing *thing) {
    if (path->radius > 0) {
        return circle_entry(thing->aabb, path->from, path->to, path->radius + margin);
    }
    throng_point half = {path->half.x + margin, path->half.y + margin};
    return entry(widened(thing->aabb, half), path->from, path->to);
}

// What is grazed may be found or not; what is cut deeply is found, and what is well apart is not.
static int must_be_found(const path *path, const thing *thing) {
    if (entry_with(-1e-3f, path, thing) <= 1 - 1e-3) {
        return 1;
    }
    return entry_with(1e-3f, path, thing) > 1 + 1e-3 ? -1 : 0;
}

static void check_path(const crowd *crowd, const path *path, const throng_cast_hit *hits, size_t count) {
    unsigned char found[THING_COUNT] = {0};
    for (size_t i = 0; i < count; i++) {
        const thing *thing = thing_of(crowd, &hits[i].hit);
        CHECK(!found[thing - crowd->things]);
        found[thing - crowd->things] = 1;
        CHECK(fabs(hits[i].fraction - entry_with(0, path, thing)) < 1e-2 || must_be_found(path, thing) == 0);
        CHECK(i == 0 || hits[i - 1].fraction <= hits[i].fraction);
        CHECK(box_distance(thing->aabb, hits[i].point) < CLOSE);
        double length = hypot(hits[i].normal.x, hits[i].normal.y);
        CHECK(hits[i].fraction == 0 || fabs(length - 1) < (path->radius > 0 ? 1e-6 : 1e-15));
    }
    for (size_t i = 0; i < THING_COUNT; i++) {
        int must = must_be_found(path, &crowd->things[i]);
        CHECK(must == 0 || found[i] == (must == 1));
    }
}

// Says of a shape that it is where its box is, or missed if its key is odd.
static float even_ones(void *user, const throng_cast_hit *hit) {
    ++*(size_t *)user;
    return hit->hit.key % 2 == 0 ? hit->fraction : -1;
}

static void one_by_one(const crowd *crowd, const path *path) {
    static throng_cast_hit hits[MOST_CAST_HITS], even[MOST_CAST_HITS];
    size_t count, even_count, asked = 0;
    OK(throng_cast_all(crowd->world, NULL, cast_of(path), hits, MOST_CAST_HITS, &count));
    check_path(crowd, path, hits, count);
    throng_cast_hit first;
    bool found;
    OK(throng_cast_first(crowd->world, NULL, cast_of(path), &first, &found));
    CHECK(found == (count > 0) && (!found || first.hit.id == hits[0].hit.id));

    OK(throng_cast_all_by(crowd->world, NULL, cast_of(path), even_ones, &asked, even, MOST_CAST_HITS, &even_count));
    CHECK(asked >= count);
    size_t next = 0;
    for (size_t i = 0; i < count; i++) {
        if (hits[i].hit.key % 2 == 0) {
            CHECK(next < even_count && even[next].hit.id == hits[i].hit.id);
            next++;
        }
    }
    CHECK(next == even_count);
    OK(throng_cast_first_by(crowd->world, NULL, cast_of(path), even_ones, &asked, &first, &found));
    CHECK(found == (even_count > 0) && (!found || first.hit.id == even[0].hit.id));
}

static void many_at_once(const crowd *crowd, const path *paths) {
    static throng_cast_hit hits[50000], alone[MOST_CAST_HITS];
    throng_cast casts[PATHS];
    size_t starts[PATHS + 1], count, count_alone;
    for (int i = 0; i < PATHS; i++) {
        casts[i] = cast_of(&paths[i]);
    }
    OK(throng_cast_batch_all(crowd->world, NULL, casts, PATHS, starts, hits, 50000, &count));
    CHECK(count == starts[PATHS] && count > PATHS);
    for (int i = 0; i < PATHS; i++) {
        OK(throng_cast_all(crowd->world, NULL, casts[i], alone, MOST_CAST_HITS, &count_alone));
        CHECK(count_alone == starts[i + 1] - starts[i]);
        for (size_t k = 0; k < count_alone; k++) {
            CHECK(alone[k].hit.id == hits[starts[i] + k].hit.id && alone[k].fraction == hits[starts[i] + k].fraction);
        }
    }
    OK(throng_cast_batch_first(crowd->world, NULL, casts, PATHS, starts, hits, 50000, &count));
    for (int i = 0; i < PATHS; i++) {
        throng_cast_hit first;
        bool found;
        OK(throng_cast_first(crowd->world, NULL, casts[i], &first, &found));
        CHECK(starts[i + 1] - starts[i] == (found ? 1 : 0) && (!found || hits[starts[i]].hit.id == first.hit.id));
    }
}

void test_casts(void) {
    throng_category_config categories[CATEGORIES];
    usual_categories(categories);
    crowd *crowd = crowd_new(21, categories);
    OK(throng_refresh(crowd->world));
    uint64_t state = 22;
    path paths[PATHS];
    for (int i = 0; i < PATHS; i++) {
        path *path = &paths[i];
        path->from.x = random_float(&state, -70, 70);
        path->from.y = random_float(&state, -70, 70);
        path->to.x = random_float(&state, -70, 70);
        path->to.y = random_float(&state, -70, 70);
        bool is_box = i % 3 == 1;
        path->half.x = is_box ? random_float(&state, 0.1f, 3) : 0;
        path->half.y = is_box ? random_float(&state, 0.1f, 3) : 0;
        path->radius = i % 3 == 2 ? random_float(&state, 0.1f, 3) : 0;
        one_by_one(crowd, path);
    }
    many_at_once(crowd, paths);
    crowd_free(crowd);
}
