// Proxies change, one by one.
#include "check.h"
#include "crowd.h"
#include "tests.h"

static size_t pairs_now(throng_world *world) {
    throng_pair pairs[16];
    size_t count;
    OK(throng_step_pairs(world, pairs, 16, &count));
    return count;
}

static throng_proxy_view view_of(const throng_world *world, uint64_t id) {
    throng_proxy_view view;
    OK(throng_get(world, id, &view));
    return view;
}

static uint64_t insert(throng_world *world, float x, float y, float half) {
    throng_proxy proxy = throng_proxy_centered(x, y, half, half);
    throng_inserted inserted;
    OK(throng_insert(world, &proxy, &inserted));
    return inserted.id;
}

static void sizes_and_categories_change(throng_world *world, uint64_t a, uint64_t b) {
    throng_placement placement;
    throng_aabb large = {{-4, -4}, {4, 4}}, small = {{-0.25f, -0.25f}, {0.25f, 0.25f}};
    OK(throng_set_aabb(world, a, large, &placement));
    CHECK(placement.migrated && placement.from.category == UNITS && placement.from.row == 0 && placement.swapped_in == b);
    CHECK(placement.to.category == GIANTS && placement.to.row == 0);
    OK(throng_set_aabb(world, a, large, &placement));
    CHECK(!placement.migrated);
    OK(throng_set_aabb(world, a, small, NULL));
    CHECK(view_of(world, a).category == UNITS);
    OK(throng_set_category(world, a, GIANTS, &placement));
    CHECK(placement.migrated && view_of(world, a).category == GIANTS && view_of(world, a).named);
    OK(throng_set_category_by_size(world, a, &placement));
    CHECK(placement.migrated && placement.to.category == UNITS && !view_of(world, a).named);
}

void test_changes(void) {
    throng_category_config categories[CATEGORIES];
    usual_categories(categories);
    throng_config config = throng_config_of(categories, CATEGORIES);
    throng_world *world;
    OK(throng_world_new(&config, &world));
    OK(throng_reserve(world, UNITS, 100));
    uint64_t a = insert(world, 0, 0, 0.4f), b = insert(world, 0.5f, 0, 0.4f);
    CHECK(pairs_now(world) == 1);

    throng_point away = {9, 9}, back = {0, 0.5f};
    OK(throng_set_center(world, a, away));
    CHECK(view_of(world, a).center.x == 9 && pairs_now(world) == 0);
    OK(throng_set_center(world, a, back));
    CHECK(pairs_now(world) == 1);

    bool changed, excluded;
    OK(throng_exclude_pair(world, a, b, &changed));
    CHECK(changed && pairs_now(world) == 0);
    OK(throng_is_pair_excluded(world, b, a, &excluded));
    CHECK(excluded);
    OK(throng_exclude_pair(world, a, b, &changed));
    CHECK(!changed);
    OK(throng_include_pair(world, a, b, &changed));
    CHECK(changed && pairs_now(world) == 1);
    OK(throng_include_pair(world, a, b, NULL));

    OK(throng_set_enabled(world, a, false));
    CHECK(!view_of(world, a).enabled && pairs_now(world) == 0);
    OK(throng_set_enabled(world, a, true));
    OK(throng_set_owner(world, a, 3));
    CHECK(pairs_now(world) == 1);
    OK(throng_set_owner(world, b, 3));
    CHECK(view_of(world, b).owner == 3 && pairs_now(world) == 0);
    OK(throng_set_owner(world, b, 0));
    throng_masks red = {1, 2, THRONG_MASK_MODE_AND}, blue = {2, 1, THRONG_MASK_MODE_AND};
    OK(throng_set_masks(world, a, red));
    CHECK(pairs_now(world) == 1);
    OK(throng_set_masks(world, b, red));
    CHECK(pairs_now(world) == 0);
    OK(throng_set_masks(world, b, blue));
    CHECK(view_of(world, b).masks.memberships == 2 && pairs_now(world) == 1);
    OK(throng_set_key(world, b, 99));
    CHECK(view_of(world, b).key == 99);
    sizes_and_categories_change(world, a, b);
    OK(throng_world_free(world));
}
