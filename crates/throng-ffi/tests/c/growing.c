// Structs of other versions: what a caller does not know of is as it is by default, and what the library does not know of is refused.
#include "check.h"
#include "tests.h"

static void unknown_sizes_are_refused(throng_world *world) {
    throng_category_config category = throng_category_uniform("all", 1);
    throng_config config = throng_config_of(&category, 1);
    throng_world *other;
    config.struct_size = sizeof config + 8;
    REFUSED(THRONG_STATUS_BAD_STRUCT_SIZE, throng_world_new(&config, &other));
    config.struct_size = sizeof config;
    category.struct_size = 0;
    REFUSED(THRONG_STATUS_BAD_STRUCT_SIZE, throng_world_new(&config, &other));
    throng_proxy proxy = throng_proxy_centered(0, 0, 1, 1);
    proxy.struct_size = 0;
    REFUSED(THRONG_STATUS_BAD_STRUCT_SIZE, throng_insert(world, &proxy, NULL));
    REFUSED(THRONG_STATUS_BAD_STRUCT_SIZE, throng_insert_batch(world, &proxy, 1, NULL));
    throng_report report;
    report.struct_size = 1;
    REFUSED(THRONG_STATUS_BAD_STRUCT_SIZE, throng_read_report(world, &report));
    throng_executor executor = {0};
    REFUSED(THRONG_STATUS_BAD_STRUCT_SIZE, throng_use_executor(world, &executor));
    throng_narrowphase narrowphase = {0};
    REFUSED(THRONG_STATUS_BAD_STRUCT_SIZE, throng_step(world, &narrowphase));
}

static void one_of_another_size_in_the_middle_is_refused(throng_world *world) {
    throng_proxy proxies[3];
    for (int i = 0; i < 3; i++) {
        proxies[i] = throng_proxy_centered(0, 0, 1, 1);
    }
    proxies[1].struct_size = 0;
    uint64_t ids[3];
    REFUSED(THRONG_STATUS_SOME_REFUSED, throng_insert_batch(world, proxies, 3, ids));
    CHECK(ids[0] != THRONG_NO_PROXY && ids[1] == THRONG_NO_PROXY && ids[2] != THRONG_NO_PROXY);
}

void test_growing(void) {
    throng_category_config category = throng_category_uniform("all", 1);
    throng_config config = throng_config_of(&category, 1);
    throng_world *world;
    OK(throng_world_new(&config, &world));
    unknown_sizes_are_refused(world);
    one_of_another_size_in_the_middle_is_refused(world);
    OK(throng_world_free(world));
}
