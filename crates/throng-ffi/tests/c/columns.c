// Whole columns, in and out.
#include <math.h>
#include <string.h>

#include "check.h"
#include "crowd.h"
#include "tests.h"

enum { ROWS = 100 };

static void check_center(const throng_world *world, size_t row, float x, float y) {
    const float *xs, *ys;
    size_t count;
    OK(throng_centers(world, 0, &xs, &ys, &count));
    CHECK(count == ROWS && xs[row] == x && ys[row] == y);
}

static throng_aabb around(float x, float y, float half) {
    throng_aabb aabb = {{x - half, y - half}, {x + half, y + half}};
    return aabb;
}

// Boxes that turn, grow or shrink; some go to the giants, and one is none.
static void boxes_are_columns(void) {
    throng_category_config categories[2] = {throng_category_uniform("all", 0.5f), throng_category_oversized("giants")};
    throng_config config = throng_config_of(categories, 2);
    throng_world *world;
    OK(throng_world_new(&config, &world));
    throng_proxy proxies[ROWS];
    uint64_t ids[ROWS];
    throng_aabb aabbs[ROWS];
    throng_point centers[ROWS], half_extents[ROWS];
    for (size_t i = 0; i < ROWS; i++) {
        proxies[i] = throng_proxy_centered((float)i, 0, 0.25f, 0.25f);
        aabbs[i] = around((float)i, 2, i % 2 ? 0.5f : 0.25f);
        centers[i].x = (float)i;
        centers[i].y = 7;
        half_extents[i].x = 0.125f;
        half_extents[i].y = 0.375f;
    }
    OK(throng_insert_batch(world, proxies, ROWS, ids));
    throng_aabb_fill fill;
    OK(throng_fill_aabbs(world, 0, aabbs, ROWS, &fill));
    CHECK(fill.migrated_count == 0 && fill.refused_count == 0);
    throng_proxy_view view;
    OK(throng_get(world, ids[3], &view));
    CHECK(view.center.y == 2 && view.half_extents.x == 0.5f);

    aabbs[10] = around(10, 2, 4);
    aabbs[98] = around(98, 2, 5);
    aabbs[20].min.x = NAN;
    REFUSED(THRONG_STATUS_SOME_REFUSED, throng_fill_aabbs(world, 0, aabbs, ROWS, &fill));
    CHECK(strstr(throng_last_error_message(), "1 of 100") != NULL && strstr(throng_last_error_message(), "row 20") != NULL);
    CHECK(fill.refused_count == 1 && fill.refused[0] == 20 && fill.migrated_count == 2);
    const throng_migration *migrated = fill.migrated;
    CHECK(migrated[0].id == ids[10] && migrated[0].from.row == 10 && migrated[0].swapped_in == ids[99]);
    CHECK(migrated[0].to.category == 1 && migrated[0].to.row == 0 && migrated[1].to.row == 1);
    CHECK(migrated[1].id == ids[98] && migrated[1].from.row == 98 && migrated[1].swapped_in == THRONG_NO_PROXY);
    OK(throng_get(world, ids[20], &view));
    CHECK(view.half_extents.x == 0.25f);

    // Both giants shrink, and come back.
    uint32_t row = 55;
    throng_aabb inverted = {{1, 1}, {0, 0}};
    REFUSED(THRONG_STATUS_SOME_REFUSED, throng_set_row_aabbs(world, 0, &row, &inverted, 1, &fill));
    CHECK(fill.refused_count == 1 && fill.refused[0] == 55 && strstr(throng_last_error_message(), "row 55") != NULL);
    uint32_t rows[2] = {1, 0};
    throng_aabb small[2] = {around(1, 1, 0.25f), around(2, 2, 0.25f)};
    OK(throng_set_row_aabbs(world, 1, rows, small, 2, &fill));
    CHECK(fill.migrated_count == 2 && fill.migrated[0].id == ids[98] && fill.migrated[1].id == ids[10]);
    OK(throng_fill_aabbs_from_centers(world, 0, centers, half_extents, ROWS, NULL));
    OK(throng_get(world, ids[50], &view));
    CHECK(view.center.x == 50 && view.center.y == 7 && view.half_extents.y == 0.375f);

    uint64_t some[3] = {ids[5], THRONG_NO_PROXY, ids[6]};
    throng_aabb boxes[3] = {around(5, 5, 3), around(0, 0, 0.25f), around(6, 6, 0.25f)};
    boxes[2].max.y = NAN;
    REFUSED(THRONG_STATUS_SOME_REFUSED, throng_set_aabbs(world, some, boxes, 3, &fill));
    CHECK(fill.refused_count == 2 && fill.refused[0] == 1 && fill.refused[1] == 2);
    CHECK(fill.migrated_count == 1 && fill.migrated[0].id == ids[5]);
    OK(throng_set_aabbs(world, some, boxes, 1, NULL));
    REFUSED(THRONG_STATUS_NULL_POINTER, throng_set_aabbs(world, NULL, boxes, 1, NULL));
    OK(throng_shrink_to_fit(world));
    OK(throng_world_free(world));
}

void test_columns(void) {
    boxes_are_columns();

    throng_category_config category = throng_category_uniform("all", 0.5f);
    throng_config config = throng_config_of(&category, 1);
    throng_world *world;
    OK(throng_world_new(&config, &world));
    throng_proxy proxies[ROWS];
    float xs[ROWS], ys[ROWS];
    throng_point points[ROWS];
    for (size_t i = 0; i < ROWS; i++) {
        proxies[i] = throng_proxy_centered((float)i, 0, 0.25f, 0.25f);
        xs[i] = (float)i;
        ys[i] = 2;
        points[i].x = 3;
        points[i].y = (float)i;
    }
    OK(throng_insert_batch(world, proxies, ROWS, NULL));

    const uint64_t *keys;
    size_t count;
    OK(throng_keys(world, 0, &keys, &count));
    CHECK(keys == NULL && count == ROWS);
    uint64_t id;
    OK(throng_proxy_at(world, 0, 7, &id));
    OK(throng_set_key(world, id, 1234));
    OK(throng_keys(world, 0, &keys, &count));
    CHECK(keys != NULL && keys[7] == 1234 && keys[8] == 0 && count == ROWS);

    xs[70] = NAN;
    ys[90] = INFINITY;
    throng_fill fill;
    OK(throng_fill_centers(world, 0, xs, ys, ROWS, &fill));
    CHECK(fill.rejected == 2 && fill.first_rejected == 70);
    check_center(world, 69, 69, 2);
    check_center(world, 70, 70, 0);
    OK(throng_refresh(world));
    throng_row_ref rejected[2];
    OK(throng_rejected(world, rejected, 2, &count));
    CHECK(count == 2 && rejected[0].row + rejected[1].row == 160 && rejected[0].category == 0);

    points[3].x = NAN;
    OK(throng_fill_centers_from_points(world, 0, points, ROWS, &fill));
    CHECK(fill.rejected == 1 && fill.first_rejected == 3);
    OK(throng_fill_centers_from_points(world, 0, points, ROWS, NULL));
    check_center(world, 50, 3, 50);
    throng_point center = {-1, -2};
    OK(throng_set_row_center(world, 0, 50, center));
    check_center(world, 50, -1, -2);

    const uint32_t some[] = {90, 7, 90}, unknown[] = {7, ROWS};
    const float some_xs[] = {1, NAN, 5}, some_ys[] = {2, 4, 6};
    OK(throng_set_row_centers(world, 0, some, some_xs, some_ys, 3, &fill));
    CHECK(fill.rejected == 1 && fill.first_rejected == 7);
    check_center(world, 90, 5, 6);
    check_center(world, 7, 3, 7);
    check_center(world, 91, 3, 91);
    REFUSED(THRONG_STATUS_NO_SUCH_ROW, throng_set_row_centers(world, 0, unknown, some_ys, some_ys, 2, NULL));
    check_center(world, 7, 3, 7);
    OK(throng_set_row_centers(world, 0, NULL, NULL, NULL, 0, NULL));
    OK(throng_world_free(world));
}
