// Whole columns, in and out.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
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

// What a game might keep of each thing; packed, so that hardly anything in it is aligned.
#pragma pack(push, 1)
typedef struct {
    char kind;
    float y, x;
    double mass;
    throng_aabb box;
    float vx, vy;
} unit;
#pragma pack(pop)

// The functions that read structs write what is in them, and nothing else.
static void structs_are_columns(void) {
    throng_category_config category = throng_category_uniform("all", 0.5f);
    throng_config config = throng_config_of(&category, 1);
    throng_world *world;
    OK(throng_world_new(&config, &world));
    // In memory of exactly their size, so that a sanitizer sees if anything else is read.
    unit *units = malloc(ROWS * sizeof *units);
    throng_proxy proxies[ROWS];
    uint64_t ids[ROWS];
    for (size_t i = 0; i < ROWS; i++) {
        proxies[i] = throng_proxy_centered((float)i, 0, 0.25f, 0.25f);
        units[i].x = (float)i + 0.25f;
        units[i].y = 3;
        units[i].vx = 0.5f * (float)i;
        units[i].vy = 1;
        units[i].box = around((float)i, 8, i % 2 ? 0.5f : 0.25f);
    }
    OK(throng_insert_batch(world, proxies, ROWS, ids));
    const size_t stride = sizeof *units;
    const char *const first = (const char *)units;
    const float *xs = (const float *)(first + offsetof(unit, x)), *ys = (const float *)(first + offsetof(unit, y));
    const float *vxs = (const float *)(first + offsetof(unit, vx)), *vys = (const float *)(first + offsetof(unit, vy));
    const throng_aabb *boxes = (const throng_aabb *)(first + offsetof(unit, box));

    units[70].x = NAN;
    throng_fill fill;
    OK(throng_fill_centers_strided(world, 0, xs, ys, stride, ROWS, &fill));
    CHECK(fill.rejected == 1 && fill.first_rejected == 70);
    check_center(world, 69, 69.25f, 3);
    check_center(world, 70, 70, 0);
    check_center(world, ROWS - 1, ROWS - 1 + 0.25f, 3);
    units[5].x = units[6].x = 7;
    const uint32_t some[] = {6, 70}, unknown[] = {6, ROWS};
    OK(throng_set_row_centers_from(world, 0, some, 2, xs, ys, stride, ROWS, &fill));
    CHECK(fill.rejected == 1 && fill.first_rejected == 70);
    check_center(world, 5, 5.25f, 3);
    check_center(world, 6, 7, 3);

    OK(throng_fill_velocities_strided(world, 0, vxs, vys, stride, ROWS, NULL));
    throng_point velocity;
    OK(throng_velocity(world, ids[98], &velocity));
    CHECK(velocity.x == 49 && velocity.y == 1);
    units[98].vx = units[99].vx = -1;
    OK(throng_set_row_velocities_from(world, 0, some, 1, vxs, vys, stride, ROWS, NULL));
    OK(throng_velocity(world, ids[98], &velocity));
    CHECK(velocity.x == 49);
    const uint32_t last = 98;
    OK(throng_set_row_velocities_from(world, 0, &last, 1, vxs, vys, stride, ROWS, NULL));
    OK(throng_velocity(world, ids[98], &velocity));
    CHECK(velocity.x == -1);

    units[20].box.min.x = NAN;
    throng_aabb_fill boxes_filled;
    REFUSED(THRONG_STATUS_SOME_REFUSED, throng_fill_aabbs_strided(world, 0, boxes, stride, ROWS, &boxes_filled));
    CHECK(boxes_filled.refused_count == 1 && boxes_filled.refused[0] == 20 && boxes_filled.migrated_count == 0);
    throng_proxy_view view;
    OK(throng_get(world, ids[99], &view));
    CHECK(view.center.x == 99 && view.center.y == 8 && view.half_extents.x == 0.5f);
    units[20].box = units[21].box = around(4, 4, 0.125f);
    OK(throng_set_row_aabbs_from(world, 0, &last, 1, boxes, stride, ROWS, NULL));
    const uint32_t twenty = 20;
    OK(throng_set_row_aabbs_from(world, 0, &twenty, 1, boxes, stride, ROWS, NULL));
    OK(throng_get(world, ids[20], &view));
    CHECK(view.center.x == 4 && view.half_extents.y == 0.125f);
    OK(throng_get(world, ids[21], &view));
    CHECK(view.center.x == 21);

    units[20].box.min.x = NAN;
    REFUSED(THRONG_STATUS_SOME_REFUSED, throng_set_row_aabbs_from(world, 0, &twenty, 1, boxes, stride, ROWS, NULL));
    CHECK(strstr(throng_last_error_message(), "1 of 1") != NULL && strstr(throng_last_error_message(), "row 20") != NULL);

    // Two arrays are structs of one number.
    float one_xs[ROWS] = {0}, one_ys[ROWS] = {0};
    one_xs[6] = -3;
    OK(throng_set_row_centers_from(world, 0, some, 1, one_xs, one_ys, sizeof(float), ROWS, NULL));
    check_center(world, 6, -3, 0);

    REFUSED(THRONG_STATUS_NO_SUCH_ROW, throng_set_row_centers_from(world, 0, unknown, 2, xs, ys, stride, ROWS, NULL));
    check_center(world, 6, -3, 0);
    REFUSED(THRONG_STATUS_NO_SUCH_ROW, throng_set_row_velocities_from(world, 0, unknown, 2, vxs, vys, stride, ROWS, NULL));
    REFUSED(THRONG_STATUS_NO_SUCH_ROW, throng_set_row_aabbs_from(world, 0, unknown, 2, boxes, stride, ROWS, NULL));
    REFUSED(THRONG_STATUS_LENGTH_MISMATCH, throng_fill_centers_strided(world, 0, xs, ys, stride, ROWS - 1, NULL));
    CHECK(strstr(throng_last_error_message(), "99 centers were given for the 100 rows of the category") != NULL);
    REFUSED(THRONG_STATUS_LENGTH_MISMATCH, throng_set_row_centers_from(world, 0, some, 1, xs, ys, stride, 7, NULL));
    REFUSED(THRONG_STATUS_LENGTH_MISMATCH, throng_fill_velocities_strided(world, 0, vxs, vys, stride, 0, NULL));
    REFUSED(THRONG_STATUS_LENGTH_MISMATCH, throng_set_row_velocities_from(world, 0, some, 1, vxs, vys, stride, 9, NULL));
    REFUSED(THRONG_STATUS_LENGTH_MISMATCH, throng_fill_aabbs_strided(world, 0, boxes, stride, 1, NULL));
    REFUSED(THRONG_STATUS_LENGTH_MISMATCH, throng_set_row_aabbs_from(world, 0, some, 1, boxes, stride, 1, NULL));
    REFUSED(THRONG_STATUS_BAD_VALUE, throng_fill_centers_strided(world, 0, xs, ys, 3, ROWS, NULL));
    CHECK(strstr(throng_last_error_message(), "stride is 3, less than the 4 bytes of each of xs") != NULL);
    REFUSED(THRONG_STATUS_BAD_VALUE, throng_fill_aabbs_strided(world, 0, boxes, 15, ROWS, NULL));
    REFUSED(THRONG_STATUS_BAD_VALUE, throng_fill_centers_strided(world, 0, xs, ys, SIZE_MAX / 4, ROWS, NULL));
    CHECK(strstr(throng_last_error_message(), "more than there can be in memory") != NULL);
    REFUSED(THRONG_STATUS_NULL_POINTER, throng_fill_centers_strided(world, 0, NULL, ys, stride, ROWS, NULL));
    REFUSED(THRONG_STATUS_NULL_POINTER, throng_fill_aabbs_strided(world, 0, NULL, stride, ROWS, NULL));
    free(units);
    OK(throng_clear(world));
    OK(throng_fill_centers_strided(world, 0, NULL, NULL, 0, 0, NULL));
    OK(throng_world_free(world));
}

void test_columns(void) {
    boxes_are_columns();
    structs_are_columns();

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
