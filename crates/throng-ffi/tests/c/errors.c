// Every status there is, each from what a program may do wrong.
#include <math.h>
#include <sys/resource.h>

#include "check.h"
#include "crowd.h"
#include "tests.h"

static void configs_are_refused(void) {
    char nothing;
    throng_world *world = (throng_world *)(void *)&nothing;
    throng_category_config category = throng_category_uniform("all", 1);
    throng_config config = throng_config_of(&category, 1);
    REFUSED(THRONG_STATUS_NULL_POINTER, throng_world_new(NULL, &world));
    // So that it can be freed in any case.
    CHECK(world == NULL);
    REFUSED(THRONG_STATUS_NULL_POINTER, throng_world_new(&config, NULL));
    config = throng_config_of(NULL, 1);
    REFUSED(THRONG_STATUS_NULL_POINTER, throng_world_new(&config, &world));
    config = throng_config_of(NULL, 0);
    REFUSED(THRONG_STATUS_BAD_CONFIG, throng_world_new(&config, &world));
    config = throng_config_of(&category, 1);
    category.kind = 3;
    REFUSED(THRONG_STATUS_BAD_VALUE, throng_world_new(&config, &world));
    category = throng_category_oversized("all");
    category.structure = 3;
    REFUSED(THRONG_STATUS_BAD_VALUE, throng_world_new(&config, &world));
    category = throng_category_uniform("all", 1);
    category.flags = 64;
    REFUSED(THRONG_STATUS_BAD_VALUE, throng_world_new(&config, &world));
    category.flags = THRONG_CATEGORY_RESTS_WHEN_TOLD;
    category.rests_after = 30;
    REFUSED(THRONG_STATUS_BAD_VALUE, throng_world_new(&config, &world));
    category.flags = 0;
    category.rests_after = 241;
    REFUSED(THRONG_STATUS_BAD_CONFIG, throng_world_new(&config, &world));
    category = throng_category_uniform("all", 1);
    category.flags = THRONG_CATEGORY_WAKES_ON_CONTACT;
    REFUSED(THRONG_STATUS_BAD_CONFIG, throng_world_new(&config, &world));
    category = throng_category_scenery("all");
    category.rests_after = 1;
    REFUSED(THRONG_STATUS_BAD_CONFIG, throng_world_new(&config, &world));
    category = throng_category_scenery("all");
    category.margin = 1;
    REFUSED(THRONG_STATUS_BAD_CONFIG, throng_world_new(&config, &world));
    category = throng_category_uniform("all", 1);
    category.margin = 1;
    category.flags = THRONG_CATEGORY_SENSOR;
    REFUSED(THRONG_STATUS_BAD_CONFIG, throng_world_new(&config, &world));
    const float no_margins[] = {-1, INFINITY, NAN};
    category.flags = 0;
    for (int i = 0; i < 3; i++) {
        category.margin = no_margins[i];
        REFUSED(THRONG_STATUS_BAD_CONFIG, throng_world_new(&config, &world));
        CHECK(strstr(throng_last_error_message(), "margin") != NULL);
    }
    const char *names[] = {"all"};
    category = throng_category_uniform("all", 1);
    category.meets = names;
    category.meets_count = 1;
    REFUSED(THRONG_STATUS_BAD_VALUE, throng_world_new(&config, &world));
    category = throng_category_uniform("\xFF", 1);
    REFUSED(THRONG_STATUS_BAD_TEXT, throng_world_new(&config, &world));
    category = throng_category_uniform(NULL, 1);
    REFUSED(THRONG_STATUS_NULL_POINTER, throng_world_new(&config, &world));
    category = throng_category_uniform("all", -1);
    REFUSED(THRONG_STATUS_BAD_CONFIG, throng_world_new(&config, &world));
    category = throng_category_uniform("all", 1);
    config.simd = "abacus";
    REFUSED(THRONG_STATUS_BAD_VALUE, throng_world_new(&config, &world));
    config.simd = NULL;
    config.flags = 64;
    REFUSED(THRONG_STATUS_BAD_VALUE, throng_world_new(&config, &world));
    REFUSED(THRONG_STATUS_BAD_TOML, throng_world_new_from_toml("[[categories]", &world));
    REFUSED(THRONG_STATUS_BAD_TOML, throng_world_new_from_toml("colour = 3", &world));
    CHECK(strstr(throng_last_error_message(), "colour") != NULL);
    REFUSED(THRONG_STATUS_BAD_CONFIG, throng_world_new_from_toml("", &world));
    REFUSED(THRONG_STATUS_NULL_POINTER, throng_world_new_from_toml(NULL, &world));
}

static void ids_are_refused(throng_world *world, throng_world *other) {
    throng_proxy proxy = throng_proxy_centered(0, 0, 0.5f, 0.5f);
    throng_inserted gone, foreign;
    OK(throng_insert(world, &proxy, &gone));
    OK(throng_remove(world, gone.id, NULL));
    OK(throng_insert(other, &proxy, &foreign));
    throng_point center = {0, 0};
    throng_proxy_view view;
    throng_row_ref place;
    REFUSED(THRONG_STATUS_REMOVED_PROXY, throng_set_center(world, gone.id, center));
    REFUSED(THRONG_STATUS_REMOVED_PROXY, throng_get(world, gone.id, &view));
    REFUSED(THRONG_STATUS_REMOVED_PROXY, throng_locate(world, gone.id, &place));
    REFUSED(THRONG_STATUS_REMOVED_PROXY, throng_remove(world, gone.id, NULL));
    REFUSED(THRONG_STATUS_REMOVED_PROXY, throng_exclude_pair(world, gone.id, gone.id, NULL));
    REFUSED(THRONG_STATUS_OTHER_WORLD, throng_set_center(world, foreign.id, center));
    REFUSED(THRONG_STATUS_OTHER_WORLD, throng_get(world, foreign.id, &view));
    CHECK(strstr(throng_last_error_message(), "world tag") != NULL);
}

static void boxes_are_refused(throng_world *world) {
    throng_inserted inserted;
    throng_proxy proxy = throng_proxy_centered(0, 0, 0.5f, 0.5f);
    OK(throng_insert(world, &proxy, &inserted));
    throng_aabb inverted = {{1, 0}, {0, 1}}, wide = {{-5, -5}, {5, 5}};
    throng_point nowhere = {NAN, 0};
    REFUSED(THRONG_STATUS_BAD_BOX, throng_set_aabb(world, inserted.id, inverted, NULL));
    proxy = throng_proxy_moving(inverted);
    REFUSED(THRONG_STATUS_BAD_BOX, throng_insert(world, &proxy, NULL));
    REFUSED(THRONG_STATUS_NOT_FINITE, throng_set_center(world, inserted.id, nowhere));
    REFUSED(THRONG_STATUS_NOT_FINITE, throng_set_row_center(world, 0, 0, nowhere));
    proxy = throng_proxy_moving(wide);
    REFUSED(THRONG_STATUS_DOES_NOT_FIT, throng_insert(world, &proxy, NULL));
    REFUSED(THRONG_STATUS_DOES_NOT_FIT, throng_set_aabb(world, inserted.id, wide, NULL));
    proxy = throng_proxy_centered(0, 0, 0.5f, 0.5f);
    proxy.kind = 9;
    REFUSED(THRONG_STATUS_BAD_VALUE, throng_insert(world, &proxy, NULL));
    proxy.kind = THRONG_PROXY_KIND_CENTERED;
    proxy.flags = 1024;
    REFUSED(THRONG_STATUS_BAD_VALUE, throng_insert(world, &proxy, NULL));
    proxy.flags = THRONG_PROXY_IN_CATEGORY;
    proxy.category = 17;
    REFUSED(THRONG_STATUS_UNKNOWN_CATEGORY, throng_insert(world, &proxy, NULL));
    throng_masks masks = {1, 1, 2};
    REFUSED(THRONG_STATUS_BAD_VALUE, throng_set_masks(world, inserted.id, masks));
    REFUSED(THRONG_STATUS_UNKNOWN_CATEGORY, throng_set_category(world, inserted.id, 17, NULL));
    REFUSED(THRONG_STATUS_NULL_POINTER, throng_insert(world, NULL, NULL));
}

static void columns_are_refused(throng_world *world) {
    float numbers[4] = {0};
    const float *xs, *ys;
    const uint64_t *keys;
    size_t count;
    uint64_t id;
    throng_point center = {0, 0};
    REFUSED(THRONG_STATUS_LENGTH_MISMATCH, throng_fill_centers(world, 0, numbers, numbers, 4, NULL));
    REFUSED(THRONG_STATUS_LENGTH_MISMATCH, throng_fill_centers_from_points(world, 0, NULL, 0, NULL));
    uint32_t row = 55;
    throng_aabb aabb = {{0, 0}, {0, 0}};
    REFUSED(THRONG_STATUS_LENGTH_MISMATCH, throng_fill_aabbs(world, 0, NULL, 0, NULL));
    REFUSED(THRONG_STATUS_LENGTH_MISMATCH, throng_fill_aabbs_from_centers(world, 0, NULL, NULL, 0, NULL));
    REFUSED(THRONG_STATUS_NULL_POINTER, throng_fill_aabbs(world, 0, NULL, 1, NULL));
    REFUSED(THRONG_STATUS_NULL_POINTER, throng_fill_aabbs_from_centers(world, 0, NULL, &center, 1, NULL));
    REFUSED(THRONG_STATUS_NULL_POINTER, throng_fill_aabbs_from_centers(world, 0, &center, NULL, 1, NULL));
    REFUSED(THRONG_STATUS_NO_SUCH_ROW, throng_set_row_aabbs(world, 0, &row, &aabb, 1, NULL));
    REFUSED(THRONG_STATUS_NULL_POINTER, throng_set_row_aabbs(world, 0, NULL, &aabb, 1, NULL));
    REFUSED(THRONG_STATUS_IS_SCENERY, throng_fill_aabbs(world, 1, NULL, 0, NULL));
    REFUSED(THRONG_STATUS_UNKNOWN_CATEGORY, throng_fill_aabbs(world, 2, NULL, 0, NULL));
    REFUSED(THRONG_STATUS_NULL_POINTER, throng_fill_centers(world, 0, NULL, numbers, 1, NULL));
    REFUSED(THRONG_STATUS_BAD_VALUE, throng_fill_centers(world, 0, numbers, numbers, SIZE_MAX / 2, NULL));
    REFUSED(THRONG_STATUS_IS_SCENERY, throng_fill_centers(world, 1, NULL, NULL, 0, NULL));
    REFUSED(THRONG_STATUS_UNKNOWN_CATEGORY, throng_fill_centers(world, 2, NULL, NULL, 0, NULL));
    REFUSED(THRONG_STATUS_UNKNOWN_CATEGORY, throng_centers(world, 2, &xs, &ys, &count));
    REFUSED(THRONG_STATUS_UNKNOWN_CATEGORY, throng_keys(world, 2, &keys, &count));
    REFUSED(THRONG_STATUS_UNKNOWN_CATEGORY, throng_rows(world, 2, &count));
    REFUSED(THRONG_STATUS_NULL_POINTER, throng_rows(world, 0, NULL));
    REFUSED(THRONG_STATUS_NO_SUCH_ROW, throng_set_row_center(world, 0, 55, center));
    REFUSED(THRONG_STATUS_NULL_POINTER, throng_set_row_centers(world, 0, NULL, numbers, numbers, 1, NULL));
    REFUSED(THRONG_STATUS_IS_SCENERY, throng_set_row_centers(world, 1, NULL, NULL, NULL, 0, NULL));
    REFUSED(THRONG_STATUS_NO_SUCH_ROW, throng_proxy_at(world, 0, 55, &id));
    REFUSED(THRONG_STATUS_FULL, throng_reserve(world, 0, SIZE_MAX));
}

static void memory_runs_out(throng_world *world) {
    struct rlimit before, little;
    CHECK(getrlimit(RLIMIT_AS, &before) == 0);
    little = before;
    little.rlim_cur = (rlim_t)1 << 30;
    if (setrlimit(RLIMIT_AS, &little) != 0) {
        printf("memory cannot be limited here\n");
        return;
    }
    throng_status status = throng_reserve(world, 0, 130 * 1000 * 1000);
    CHECK(setrlimit(RLIMIT_AS, &before) == 0);
    REFUSED(THRONG_STATUS_OUT_OF_MEMORY, status);
}

static void executors_are_refused(throng_world *world) {
    throng_executor executor = throng_executor_of(4, NULL, NULL);
    REFUSED(THRONG_STATUS_NULL_POINTER, throng_use_executor(world, &executor));
    executor.threads = 0;
    REFUSED(THRONG_STATUS_BAD_VALUE, throng_use_executor(world, &executor));
    REFUSED(THRONG_STATUS_BAD_VALUE, throng_use_threads(world, 1000000));
    throng_narrowphase narrowphase = throng_narrowphase_of(NULL, NULL);
    REFUSED(THRONG_STATUS_NULL_POINTER, throng_step(world, &narrowphase));
}

static float never(void *user, const throng_cast_hit *hit) {
    (void)user;
    (void)hit;
    return -1;
}

static float always_near(void *user, const throng_nearest_hit *near) {
    (void)user;
    (void)near;
    return 1;
}

// Whatever is wrong with a question: the world has one proxy, and no index yet.
static void questions_are_refused(throng_world *world) {
    throng_query_hit hits[4];
    throng_cast_hit cast_hits[4];
    throng_nearest_hit nearest[4];
    size_t count, starts[3];
    bool found;
    throng_point at = {0, 0}, nowhere = {NAN, 0}, there = {1, 1};
    throng_aabb box = {{0, 0}, {1, 1}}, inverted = {{1, 0}, {0, 1}};
    throng_circle circle = {{0, 0}, -1};
    REFUSED(THRONG_STATUS_STALE_INDEX, throng_find_at_point(world, NULL, at, hits, 4, &count));
    OK(throng_refresh(world));
    REFUSED(THRONG_STATUS_BAD_SHAPE, throng_find_at_point(world, NULL, nowhere, hits, 4, &count));
    REFUSED(THRONG_STATUS_BAD_BOX, throng_find_in_aabb(world, NULL, inverted, hits, 4, &count));
    throng_aabb second_is_bad[2] = {box, inverted};
    REFUSED(THRONG_STATUS_BAD_BOX, throng_find_batch_in_aabbs(world, NULL, second_is_bad, 2, starts, hits, 4, &count));
    CHECK(strstr(throng_last_error_message(), "aabbs[1]: ") != NULL);
    REFUSED(THRONG_STATUS_BAD_SHAPE, throng_find_in_circle(world, NULL, circle, hits, 4, &count));
    REFUSED(THRONG_STATUS_BAD_SHAPE, throng_find_in_polygon(world, NULL, &nowhere, 1, hits, 4, &count));
    REFUSED(THRONG_STATUS_BAD_SHAPE, throng_find_nearest(world, NULL, at, -1, nearest, 4, &count));
    REFUSED(THRONG_STATUS_BAD_SHAPE,
            throng_find_nearest_by(world, NULL, at, -1, always_near, NULL, nearest, 4, &count));
    REFUSED(THRONG_STATUS_NULL_POINTER, throng_find_nearest_by(world, NULL, at, 1, NULL, NULL, nearest, 4, &count));
    throng_query_filter masked = {0};
    masked.struct_size = sizeof masked;
    masked.masks.filter = 1;
    REFUSED(THRONG_STATUS_BAD_VALUE, throng_find_at_point(world, &masked, at, hits, 4, &count));
    masked.flags = THRONG_FILTER_HAS_MASKS;
    OK(throng_find_at_point(world, &masked, at, hits, 4, &count));
    REFUSED(THRONG_STATUS_BAD_SHAPE, throng_cast_first(world, NULL, throng_ray(at, nowhere), cast_hits, &found));
    REFUSED(THRONG_STATUS_BAD_SHAPE,
            throng_cast_first(world, NULL, throng_moving_circle(circle, there), cast_hits, &found));
    throng_cast cast = throng_moving_box(box, there);
    cast.kind = 3;
    REFUSED(THRONG_STATUS_BAD_VALUE, throng_cast_first(world, NULL, cast, cast_hits, &found));
    cast.kind = THRONG_CAST_KIND_BOX;
    REFUSED(THRONG_STATUS_NULL_POINTER, throng_cast_first_by(world, NULL, cast, NULL, NULL, cast_hits, &found));
    REFUSED(THRONG_STATUS_NULL_POINTER, throng_cast_all(world, NULL, cast, NULL, 4, &count));
    OK(throng_cast_first_by(world, NULL, cast, never, NULL, cast_hits, &found));
    CHECK(!found);
    throng_query_filter filter = {0};
    REFUSED(THRONG_STATUS_BAD_STRUCT_SIZE, throng_find_at_point(world, &filter, at, hits, 4, &count));
    uint16_t unknown = 9;
    filter.struct_size = sizeof filter;
    filter.categories = &unknown;
    filter.category_count = 1;
    REFUSED(THRONG_STATUS_UNKNOWN_CATEGORY, throng_find_at_point(world, &filter, at, hits, 4, &count));
    filter.category_count = 0;
    filter.without = &unknown;
    filter.without_count = 1;
    REFUSED(THRONG_STATUS_UNKNOWN_CATEGORY, throng_find_at_point(world, &filter, at, hits, 4, &count));
    filter.without_count = 0;
    filter.flags = 2;
    REFUSED(THRONG_STATUS_BAD_VALUE, throng_find_at_point(world, &filter, at, hits, 4, &count));
}

static void questions_about_distances_are_refused(throng_world *world) {
    throng_near_pair pairs[4];
    uint32_t rows[4];
    size_t count, starts[4];
    const uint16_t units[2][2] = {{0, 0}, {1, 0}}, strangers[1][2] = {{0, 9}}, from_walls[1][2] = {{1, 0}};
    throng_proximity proximity = {sizeof proximity, units, 1, INFINITY, 0};
    REFUSED(THRONG_STATUS_BAD_SHAPE, throng_find_pairs_within(world, &proximity, pairs, 4, &count));
    proximity.distance = 1;
    proximity.flags = 8;
    REFUSED(THRONG_STATUS_BAD_VALUE, throng_find_pairs_within(world, &proximity, pairs, 4, &count));
    proximity.flags = 0;
    proximity.category_count = 0;
    REFUSED(THRONG_STATUS_BAD_VALUE, throng_find_pairs_within(world, &proximity, pairs, 4, &count));
    proximity.category_count = 2;
    REFUSED(THRONG_STATUS_BAD_VALUE, throng_find_neighbors(world, &proximity, starts, 4, rows, 4, &count));
    proximity.categories = strangers;
    proximity.category_count = 1;
    REFUSED(THRONG_STATUS_UNKNOWN_CATEGORY, throng_find_pairs_within(world, &proximity, pairs, 4, &count));
    proximity.categories = from_walls;
    proximity.flags = THRONG_PROXIMITY_EACH_PAIR_ONCE;
    REFUSED(THRONG_STATUS_BAD_VALUE, throng_find_neighbors(world, &proximity, starts, 4, rows, 4, &count));
    proximity.flags = 0;
    throng_proxy proxy = throng_proxy_centered(0, 0, 0.5f, 0.5f);
    OK(throng_insert(world, &proxy, NULL));
    REFUSED(THRONG_STATUS_STALE_INDEX, throng_find_neighbors(world, &proximity, starts, 4, rows, 4, &count));
}

typedef struct meddler {
    throng_world *world;
    throng_status change, read, freed;
} meddler;

static size_t meddle(void *user, const throng_pair_batch *batch, void *outputs) {
    meddler *meddler = user;
    size_t count;
    meddler->change = throng_clear(meddler->world);
    meddler->read = throng_len(meddler->world, &count);
    meddler->freed = throng_world_free(meddler->world);
    (void)outputs;
    return batch->count + 1;
}

static void a_world_in_use_is_left_alone(throng_world *world) {
    OK(throng_clear(world));
    throng_proxy proxies[2] = {throng_proxy_centered(0, 0, 1, 1), throng_proxy_centered(0, 0, 1, 1)};
    OK(throng_insert_batch(world, proxies, 2, NULL));
    meddler meddler = {world, THRONG_STATUS_OK, THRONG_STATUS_OK, THRONG_STATUS_OK};
    throng_narrowphase narrowphase = {sizeof narrowphase, meddle, &meddler, 8};
    // It says that it has written more than there was room for.
    REFUSED(THRONG_STATUS_BAD_VALUE, throng_step(world, &narrowphase));
    CHECK(meddler.change == THRONG_STATUS_BUSY && meddler.read == THRONG_STATUS_BUSY && meddler.freed == THRONG_STATUS_BUSY);
    size_t count;
    OK(throng_len(world, &count));
    CHECK(count == 2);
    narrowphase.output_size = 65537;
    REFUSED(THRONG_STATUS_BAD_VALUE, throng_step(world, &narrowphase));
}

static void a_panic_ends_here(throng_world *world) {
    REFUSED(THRONG_STATUS_PANICKED, throng_rehearse_panic(world));
    CHECK(strstr(throng_last_error_message(), "as it was asked to") != NULL);
    size_t count;
    REFUSED(THRONG_STATUS_BROKEN, throng_len(world, &count));
    REFUSED(THRONG_STATUS_BROKEN, throng_refresh(world));
    OK(throng_world_free(world));
}

void test_errors(void) {
    configs_are_refused();
    throng_category_config categories[2] = {throng_category_uniform("units", 1), throng_category_scenery("walls")};
    throng_config config = throng_config_of(categories, 2);
    throng_world *world, *other;
    OK(throng_world_new(&config, &world));
    OK(throng_world_new(&config, &other));
    size_t count;
    REFUSED(THRONG_STATUS_NULL_POINTER, throng_len(NULL, &count));
    REFUSED(THRONG_STATUS_NULL_POINTER, throng_refresh(NULL));
    ids_are_refused(world, other);
    boxes_are_refused(world);
    columns_are_refused(world);
    questions_are_refused(world);
    questions_about_distances_are_refused(world);
    memory_runs_out(world);
    executors_are_refused(world);
    a_world_in_use_is_left_alone(world);
    a_panic_ends_here(world);
    OK(throng_world_free(other));
}
