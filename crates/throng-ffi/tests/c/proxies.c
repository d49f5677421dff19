// Proxies are inserted, found again, and removed.
#include <math.h>

#include "check.h"
#include "crowd.h"
#include "tests.h"

static throng_world *new_world(void) {
    throng_category_config categories[CATEGORIES];
    usual_categories(categories);
    throng_config config = throng_config_of(categories, CATEGORIES);
    throng_world *world;
    OK(throng_world_new(&config, &world));
    return world;
}

static void what_is_inserted_is_known(throng_world *world) {
    throng_proxy proxy = throng_proxy_centered(1, 2, 0.25f, 0.5f);
    proxy.key = 42;
    proxy.owner = 7;
    proxy.flags = THRONG_PROXY_HAS_MASKS | THRONG_PROXY_DISABLED;
    proxy.masks.memberships = 5;
    proxy.masks.filter = 6;
    proxy.masks.mode = THRONG_MASK_MODE_OR;
    throng_inserted inserted;
    OK(throng_insert(world, &proxy, &inserted));
    CHECK(inserted.category == UNITS && inserted.row == 0);
    throng_proxy_view view;
    OK(throng_get(world, inserted.id, &view));
    CHECK(view.id == inserted.id && view.key == 42 && view.owner == 7 && view.row == 0 && view.category == UNITS);
    CHECK(view.masks.memberships == 5 && view.masks.filter == 6 && view.masks.mode == THRONG_MASK_MODE_OR);
    CHECK(view.center.x == 1 && view.center.y == 2 && view.half_extents.x == 0.25f && view.half_extents.y == 0.5f);
    CHECK(view.aabb.min.x == 0.75f && view.aabb.min.y == 1.5f && view.aabb.max.x == 1.25f && view.aabb.max.y == 2.5f);
    CHECK(!view.enabled && !view.named);

    throng_aabb ground = {{-INFINITY, -INFINITY}, {INFINITY, 0}};
    proxy = throng_proxy_moving(ground);
    OK(throng_insert(world, &proxy, &inserted));
    CHECK(inserted.category == GIANTS);
    proxy = throng_proxy_centered(0, 0, 0.1f, 0.1f);
    proxy.flags = THRONG_PROXY_IN_CATEGORY;
    proxy.category = GIANTS;
    OK(throng_insert(world, &proxy, &inserted));
    CHECK(inserted.category == GIANTS && inserted.row == 1);
    OK(throng_get(world, inserted.id, &view));
    CHECK(view.named && view.enabled && view.masks.filter == UINT64_MAX);
    throng_aabb wall = {{0, 0}, {5, 1}};
    proxy = throng_proxy_fixed(wall);
    OK(throng_insert(world, &proxy, &inserted));
    CHECK(inserted.category == WALLS);
    OK(throng_insert(world, &proxy, NULL));
}

// A field that is set without its flag is a mistake.
static void fields_without_their_flags_are_refused(throng_world *world) {
    throng_proxy proxy = throng_proxy_centered(0, 0, 0.1f, 0.1f);
    proxy.category = GIANTS;
    REFUSED(THRONG_STATUS_BAD_VALUE, throng_insert(world, &proxy, NULL));
    CHECK(strstr(throng_last_error_message(), "THRONG_PROXY_IN_CATEGORY") != NULL);
    proxy.category = 0;
    proxy.masks.mode = THRONG_MASK_MODE_OR;
    REFUSED(THRONG_STATUS_BAD_VALUE, throng_insert(world, &proxy, NULL));
    CHECK(strstr(throng_last_error_message(), "THRONG_PROXY_HAS_MASKS") != NULL);
    proxy.masks.mode = 0;
    proxy.velocity.y = -1;
    REFUSED(THRONG_STATUS_BAD_VALUE, throng_insert(world, &proxy, NULL));
    CHECK(strstr(throng_last_error_message(), "THRONG_PROXY_HAS_VELOCITY") != NULL);
}

static void rows_are_what_they_are_said_to_be(throng_world *world) {
    size_t count;
    OK(throng_len(world, &count));
    CHECK(count == 5);
    OK(throng_rows(world, GIANTS, &count));
    CHECK(count == 2);
    uint64_t ids[2], id;
    OK(throng_proxies(world, GIANTS, ids, 2, &count));
    CHECK(count == 2);
    OK(throng_proxy_at(world, GIANTS, 1, &id));
    CHECK(id == ids[1]);
    throng_row_ref place;
    OK(throng_locate(world, ids[1], &place));
    CHECK(place.category == GIANTS && place.row == 1);
    bool contains;
    OK(throng_contains(world, ids[0], &contains));
    CHECK(contains);

    throng_removed removed;
    OK(throng_remove(world, ids[0], &removed));
    CHECK(removed.category == GIANTS && removed.row == 0 && removed.swapped_in == ids[1] && removed.key == 0);
    OK(throng_contains(world, ids[0], &contains));
    CHECK(!contains);
    OK(throng_locate(world, ids[1], &place));
    CHECK(place.row == 0);
    OK(throng_remove(world, ids[1], &removed));
    CHECK(removed.swapped_in == THRONG_NO_PROXY);
}

static void many_go_in_and_out_at_once(throng_world *world) {
    OK(throng_clear(world));
    size_t count;
    OK(throng_len(world, &count));
    CHECK(count == 0);
    throng_proxy proxies[3];
    proxies[0] = throng_proxy_centered(0, 0, 0.1f, 0.1f);
    proxies[1] = throng_proxy_centered(0, 0, -1, 0.1f);
    proxies[2] = throng_proxy_centered(9, 0, 0.1f, 0.1f);
    uint64_t ids[3];
    REFUSED(THRONG_STATUS_SOME_REFUSED, throng_insert_batch(world, proxies, 3, ids));
    CHECK(ids[0] != THRONG_NO_PROXY && ids[1] == THRONG_NO_PROXY && ids[2] != THRONG_NO_PROXY);
    size_t removed, others;
    OK(throng_rows(world, GIANTS, &others));
    OK(throng_clear_category(world, UNITS, &removed));
    CHECK(removed == 2);
    OK(throng_clear_category(world, UNITS, NULL));
    OK(throng_len(world, &count));
    CHECK(count == others);
    REFUSED(THRONG_STATUS_UNKNOWN_CATEGORY, throng_clear_category(world, 77, &removed));
    CHECK(removed == 2);
    REFUSED(THRONG_STATUS_SOME_REFUSED, throng_insert_batch(world, proxies, 3, ids));
    OK(throng_insert_batch(world, proxies, 1, NULL));
    OK(throng_insert_batch(world, NULL, 0, NULL));
    OK(throng_len(world, &count));
    CHECK(count == 3);

    throng_point centers[3] = {{3, 4}, {5, 6}, {7, 8}};
    REFUSED(THRONG_STATUS_SOME_REFUSED, throng_set_centers(world, ids, centers, 3));
    throng_proxy_view view;
    OK(throng_get(world, ids[2], &view));
    CHECK(view.center.x == 7 && view.center.y == 8);
    uint64_t both[2] = {ids[0], ids[2]};
    OK(throng_set_centers(world, both, centers, 2));
    OK(throng_get(world, ids[2], &view));
    CHECK(view.center.x == 5 && view.center.y == 6);

    uint64_t keys[3] = {11, 12, 13};
    throng_masks masks[3] = {{1, 2, THRONG_MASK_MODE_AND}, {3, 4, THRONG_MASK_MODE_AND}, {5, 6, THRONG_MASK_MODE_OR}};
    REFUSED(THRONG_STATUS_SOME_REFUSED, throng_set_keys(world, ids, keys, 3));
    REFUSED(THRONG_STATUS_SOME_REFUSED, throng_set_masks_batch(world, ids, masks, 3));
    for (int i = 0; i < 3; i += 2) {
        OK(throng_get(world, ids[i], &view));
        CHECK(view.key == keys[i] && view.masks.memberships == masks[i].memberships && view.masks.filter == masks[i].filter &&
              view.masks.mode == masks[i].mode);
    }
    masks[1].mode = 7;
    REFUSED(THRONG_STATUS_SOME_REFUSED, throng_set_masks_batch(world, both, masks, 2));
    CHECK(strstr(throng_last_error_message(), "1 of 2") != NULL);
    OK(throng_get(world, ids[0], &view));
    CHECK(view.masks.memberships == 1);
    OK(throng_get(world, ids[2], &view));
    CHECK(view.masks.memberships == 5);
    REFUSED(THRONG_STATUS_NULL_POINTER, throng_set_keys(world, ids, NULL, 1));
    OK(throng_set_keys(world, NULL, NULL, 0));
    OK(throng_set_masks_batch(world, both, masks, 1));

    REFUSED(THRONG_STATUS_SOME_REFUSED, throng_remove_batch(world, ids, 3));
    OK(throng_len(world, &count));
    CHECK(count == 1);
    OK(throng_remove_batch(world, NULL, 0));
}

void test_proxies(void) {
    throng_world *world = new_world();
    what_is_inserted_is_known(world);
    fields_without_their_flags_are_refused(world);
    rows_are_what_they_are_said_to_be(world);
    many_go_in_and_out_at_once(world);
    OK(throng_world_free(world));
}
