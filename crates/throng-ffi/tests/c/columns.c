// Whole columns, in and out.
#include <math.h>

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

void test_columns(void) {
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
