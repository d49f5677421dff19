// Rows are sorted, and scenery is packed and loaded.
#include "check.h"
#include "crowd.h"
#include "tests.h"

static size_t count_pairs(throng_world *world) {
    size_t count = 0;
    throng_status status = throng_step_pairs(world, NULL, 0, &count);
    CHECK(status == THRONG_STATUS_BUFFER_TOO_SMALL || count == 0);
    return count;
}

static void rows_are_sorted(crowd *crowd) {
    static uint32_t old_rows[UNIT_COUNT];
    static uint64_t before[UNIT_COUNT], after[UNIT_COUNT];
    size_t count, pairs = count_pairs(crowd->world);
    bool due;
    OK(throng_is_sort_due(crowd->world, UNITS, &due));
    CHECK(!due);
    OK(throng_proxies(crowd->world, UNITS, before, UNIT_COUNT, &count));
    REFUSED(THRONG_STATUS_BUFFER_TOO_SMALL,
            throng_sort_rows(crowd->world, UNITS, THRONG_ROW_ORDER_SPACE, old_rows, UNIT_COUNT - 1, &count));
    CHECK(count == UNIT_COUNT);
    OK(throng_proxies(crowd->world, UNITS, after, UNIT_COUNT, &count));
    CHECK(memcmp(before, after, sizeof after) == 0);

    OK(throng_sort_rows(crowd->world, UNITS, THRONG_ROW_ORDER_SPACE, old_rows, UNIT_COUNT, &count));
    CHECK(count == UNIT_COUNT);
    OK(throng_proxies(crowd->world, UNITS, after, UNIT_COUNT, &count));
    CHECK(memcmp(before, after, sizeof after) != 0);
    for (size_t row = 0; row < UNIT_COUNT; row++) {
        CHECK(after[row] == before[old_rows[row]]);
    }
    OK(throng_sort_rows(crowd->world, UNITS, THRONG_ROW_ORDER_KEY, old_rows, UNIT_COUNT, &count));
    OK(throng_proxies(crowd->world, UNITS, after, UNIT_COUNT, &count));
    CHECK(memcmp(before, after, sizeof after) == 0);
    CHECK(count_pairs(crowd->world) == pairs);
    OK(throng_forget_history(crowd->world, UNITS));
    CHECK(count_pairs(crowd->world) == pairs);
    REFUSED(THRONG_STATUS_UNKNOWN_CATEGORY, throng_forget_history(crowd->world, 77));
    OK(throng_shrink_to_fit(crowd->world));
    CHECK(count_pairs(crowd->world) == pairs);

    REFUSED(THRONG_STATUS_BAD_VALUE, throng_sort_rows(crowd->world, UNITS, 2, old_rows, UNIT_COUNT, &count));
    OK(throng_set_key(crowd->world, before[0], 77));
    OK(throng_set_key(crowd->world, before[1], 77));
    REFUSED(THRONG_STATUS_REFUSED,
            throng_sort_rows(crowd->world, UNITS, THRONG_ROW_ORDER_KEY, old_rows, UNIT_COUNT, &count));
}

// The same walls a second time, but for one that breaks, and gone again.
static void scenery_comes_in_pieces(crowd *crowd, const void *bytes, size_t size) {
    uint64_t piece;
    size_t pairs = count_pairs(crowd->world), walls, count, removed;
    OK(throng_rows(crowd->world, WALLS, &walls));
    REFUSED(THRONG_STATUS_BAD_SCENERY, throng_add_scenery(crowd->world, WALLS, bytes, size - 1, &piece));
    OK(throng_add_scenery(crowd->world, WALLS, bytes, size, &piece));
    CHECK(count_pairs(crowd->world) > pairs);
    uint64_t *ids = calloc(walls, sizeof *ids), *rows = calloc(2 * walls, sizeof *rows);
    CHECK(ids != NULL && rows != NULL);
    REFUSED(THRONG_STATUS_BUFFER_TOO_SMALL, throng_scenery_proxies(crowd->world, piece, ids, 0, &count));
    OK(throng_scenery_proxies(crowd->world, piece, ids, walls, &count));
    CHECK(count == walls);
    OK(throng_proxies(crowd->world, WALLS, rows, 2 * walls, &count));
    CHECK(count == 2 * walls && memcmp(ids, rows + walls, walls * sizeof *ids) == 0);
    OK(throng_remove(crowd->world, ids[0], NULL));
    OK(throng_unload_scenery(crowd->world, piece, &removed));
    CHECK(removed == walls - 1);
    REFUSED(THRONG_STATUS_REMOVED_PROXY, throng_unload_scenery(crowd->world, piece, NULL));
    REFUSED(THRONG_STATUS_REMOVED_PROXY, throng_scenery_proxies(crowd->world, piece, ids, walls, &count));
    CHECK(count_pairs(crowd->world) == pairs);
    free(ids);
    free(rows);
}

static void scenery_is_bytes(crowd *crowd) {
    size_t count, pairs = count_pairs(crowd->world);
    REFUSED(THRONG_STATUS_BUFFER_TOO_SMALL, throng_pack_scenery(crowd->world, WALLS, NULL, 0, &count));
    void *bytes = malloc(count);
    CHECK(bytes != NULL);
    OK(throng_pack_scenery(crowd->world, WALLS, bytes, count, &count));
    REFUSED(THRONG_STATUS_NOT_SCENERY, throng_pack_scenery(crowd->world, UNITS, bytes, count, &count));
    REFUSED(THRONG_STATUS_BAD_SCENERY, throng_load_scenery(crowd->world, WALLS, bytes, count - 1));
    REFUSED(THRONG_STATUS_NOT_SCENERY, throng_load_scenery(crowd->world, GIANTS, bytes, count));
    OK(throng_load_scenery(crowd->world, WALLS, bytes, count));
    bool contains;
    OK(throng_contains(crowd->world, crowd->things[THING_COUNT - 1].id, &contains));
    CHECK(!contains);
    CHECK(count_pairs(crowd->world) == pairs);
    scenery_comes_in_pieces(crowd, bytes, count);
    CHECK(count_pairs(crowd->world) == pairs);
    free(bytes);
}

static void boxes_are_packed_without_a_world(void) {
    enum { MOST = 300 };
    throng_aabb boxes[MOST];
    throng_category_config walls = throng_category_scenery("walls");
    throng_config config = throng_config_of(&walls, 1);
    for (size_t i = 0; i < MOST; i++) {
        float x = (float)(i * 37 % 101), y = (float)(i * 53 % 89);
        boxes[i] = (throng_aabb){{x, y}, {x + 2, y + 3}};
    }
    static unsigned char bytes[64 * MOST + 1024], of_world[sizeof bytes];
    for (size_t boxes_here = 0; boxes_here <= MOST; boxes_here += boxes_here < 40 ? 1 : 65) {
        size_t size, expected, count;
        OK(throng_pack_boxes(boxes, boxes_here, bytes, 64 * boxes_here + 1024, &size));
        throng_world *world;
        OK(throng_world_new(&config, &world));
        for (size_t i = 0; i < boxes_here; i++) {
            throng_proxy wall = throng_proxy_fixed(boxes[i]);
            OK(throng_insert(world, &wall, NULL));
        }
        OK(throng_pack_scenery(world, 0, of_world, sizeof of_world, &expected));
        CHECK(size == expected && memcmp(bytes, of_world, size) == 0);
        OK(throng_load_scenery(world, 0, bytes, size));
        OK(throng_rows(world, 0, &count));
        CHECK(count == boxes_here);
        OK(throng_world_free(world));
    }
    size_t size;
    REFUSED(THRONG_STATUS_BUFFER_TOO_SMALL, throng_pack_boxes(boxes, 20, NULL, 0, &size));
    CHECK(size > 20 * sizeof boxes[0]);
    REFUSED(THRONG_STATUS_NULL_POINTER, throng_pack_boxes(NULL, 1, bytes, sizeof bytes, &size));
    REFUSED(THRONG_STATUS_NULL_POINTER, throng_pack_boxes(boxes, 1, bytes, sizeof bytes, NULL));
    boxes[17].max.y = boxes[17].min.y - 1;
    REFUSED(THRONG_STATUS_BAD_BOX, throng_pack_boxes(boxes, 20, bytes, sizeof bytes, &size));
    CHECK(strstr(throng_last_error_message(), "number 17: ") != NULL);
}

void test_order(void) {
    boxes_are_packed_without_a_world();

    throng_category_config categories[CATEGORIES];
    usual_categories(categories);
    crowd *crowd = crowd_new(41, categories);
    OK(throng_use_threads(crowd->world, 4));
    rows_are_sorted(crowd);
    scenery_is_bytes(crowd);
    crowd_free(crowd);
}
