// Worlds are made and freed, from structs and from text.
#include "check.h"
#include "crowd.h"
#include "tests.h"

void test_versions(void) {
    CHECK(throng_abi_version() == THRONG_ABI_VERSION);
    CHECK(throng_version() == (THRONG_VERSION_MAJOR * 1000 + THRONG_VERSION_MINOR) * 1000 + THRONG_VERSION_PATCH);
    CHECK(strcmp(throng_status_name(THRONG_STATUS_BUSY), "BUSY") == 0);
    CHECK(strcmp(throng_status_name(-1), "UNKNOWN") == 0);
    CHECK(throng_last_error_message()[0] == 0);
}

static char *toml_of(const throng_world *world) {
    size_t count;
    REFUSED(THRONG_STATUS_BUFFER_TOO_SMALL, throng_config_to_toml(world, NULL, 0, &count));
    char *text = malloc(count);
    CHECK(text != NULL);
    OK(throng_config_to_toml(world, text, count, &count));
    CHECK(text[count - 1] == 0 && strlen(text) + 1 == count);
    return text;
}

static void everything_in_a_struct_is_in_the_config(void) {
    const char *meets[] = {"units", "giants"};
    const char *watched[] = {"units"};
    throng_category_config categories[] = {
        throng_category_uniform("units", 0.5f),
        throng_category_oversized("giants"),
        throng_category_scenery("walls"),
    };
    categories[0].flags = THRONG_CATEGORY_COARSE | THRONG_CATEGORY_MEETS_ONLY | THRONG_CATEGORY_EVENTS;
    categories[0].meets = meets;
    categories[0].meets_count = 2;
    categories[0].flags |= THRONG_CATEGORY_WAKES_ON_CONTACT;
    categories[0].rests_after = 30;
    categories[0].margin = 0.375f;
    categories[1].flags = THRONG_CATEGORY_RESTS_WHEN_TOLD;
    categories[1].structure = THRONG_STRUCTURE_QUADTREE;
    categories[1].events_with = watched;
    categories[1].events_with_count = 1;
    throng_config config = throng_config_of(categories, 3);
    config.flags = THRONG_CONFIG_HAS_WORLD_TAG | THRONG_CONFIG_PAIR_SLOTS;
    config.world_tag = 77;
    config.migrate_back = 0.25f;
    config.max_pairs = 123456;
    config.simd = "scalar";
    throng_world *world;
    OK(throng_world_new(&config, &world));
    char *text = toml_of(world);
    const char *expected[] = {"migrate_back = 0.25", "max_pairs = 123456", "pair_slots = true", "world_tag = 77", "scalar",
                              "coarse", "quadtree", "meets = [\"units\", \"giants\"]", "events = true",
                              "events = [\"units\"]", "\"scenery\"", "rests = 30", "rests = \"when_told\"",
                              "wakes_on_contact = true", "margin = 0.375"};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        if (strstr(text, expected[i]) == NULL) {
            fprintf(stderr, "no %s in\n%s\n", expected[i], text);
            exit(1);
        }
    }
    // The text makes the same world.
    throng_world *copy;
    OK(throng_world_new_from_toml(text, &copy));
    char *copied = toml_of(copy);
    CHECK(strcmp(text, copied) == 0);
    free(copied);
    free(text);
    OK(throng_world_free(copy));
    OK(throng_world_free(world));
}

// Each structure, as it is by default and as it is set.
static void structures_have_settings(void) {
    throng_category_config categories[6];
    static const char *names[6] = {"a", "b", "c", "d", "e", "f"};
    for (int i = 0; i < 6; i++) {
        categories[i] = throng_category_oversized(names[i]);
        categories[i].structure = i / 2;
    }
    categories[1].strip_height = 12.5f;
    categories[3].loose_cell = 20.5f;
    categories[3].tight_cell = 60.25f;
    categories[5].split_above = 33;
    categories[5].max_depth = 9;
    throng_config config = throng_config_of(categories, 6);
    throng_world *world;
    OK(throng_world_new(&config, &world));
    char *text = toml_of(world);
    const char *expected[] = {"strip_height = 12.5", "loose_cell = 20.5", "tight_cell = 60.25", "split_above = 33", "max_depth = 9"};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        CHECK(strstr(text, expected[i]) != NULL);
    }
    free(text);
    OK(throng_world_free(world));

    for (uint32_t structure = 0; structure < 3; structure++) {
        throng_category_config giants = throng_category_oversized("giants");
        giants.strip_height = 12.5f;
        giants.split_above = 33;
        giants.structure = structure;
        config = throng_config_of(&giants, 1);
        REFUSED(THRONG_STATUS_BAD_VALUE, throng_world_new(&config, &world));
    }
    throng_category_config giants = throng_category_oversized("giants");
    config = throng_config_of(&giants, 1);
    giants.strip_height = -1;
    REFUSED(THRONG_STATUS_BAD_CONFIG, throng_world_new(&config, &world));
    giants = throng_category_uniform("units", 1);
    giants.strip_height = 1;
    REFUSED(THRONG_STATUS_BAD_CONFIG, throng_world_new(&config, &world));
}

static void categories_have_names_and_numbers(void) {
    throng_world *world;
    OK(throng_world_new_from_toml("[[categories]]\nname = \"ants\"\nhalf_extents = 0.1\n"
                                  "[[categories]]\nname = \"trees\"\nkind = \"scenery\"\n",
                                  &world));
    size_t count;
    OK(throng_categories(world, &count));
    CHECK(count == 2);
    uint16_t trees;
    OK(throng_category(world, "trees", &trees));
    CHECK(trees == 1);
    REFUSED(THRONG_STATUS_UNKNOWN_CATEGORY, throng_category(world, "bees", &trees));
    OK(throng_world_free(world));
}

static void insert_at(throng_world *world, float x, uint64_t *id) {
    throng_proxy proxy = throng_proxy_centered(x, 0, 1, 1);
    throng_inserted inserted;
    OK(throng_insert(world, &proxy, &inserted));
    *id = inserted.id;
}

static void copies_go_on_as_the_world(void) {
    throng_category_config category = throng_category_uniform("units", 1);
    category.flags = THRONG_CATEGORY_EVENTS;
    throng_config config = throng_config_of(&category, 1);
    throng_world *world, *copy;
    OK(throng_world_new(&config, &world));
    uint64_t ids[2];
    throng_pair pairs[8];
    size_t count;
    insert_at(world, 0, &ids[0]);
    insert_at(world, 1.5f, &ids[1]);
    OK(throng_step_pairs(world, pairs, 8, &count));
    REFUSED(THRONG_STATUS_NULL_POINTER, throng_world_clone(world, NULL));
    REFUSED(THRONG_STATUS_NULL_POINTER, throng_world_clone(NULL, &copy));
    OK(throng_world_clone(world, &copy));
    throng_world *both[] = {world, copy};
    OK(throng_last_pairs(copy, pairs, 8, &count));
    CHECK(count == 0);
    const throng_pair_event *events;
    for (int i = 0; i < 2; i++) {
        OK(throng_began(both[i], &events, &count));
        CHECK(count == 1 && events[0].ids[0] == ids[0]);
        OK(throng_set_center(both[i], ids[1], (throng_point){9, 0}));
        OK(throng_step_pairs(both[i], pairs, 8, &count));
        OK(throng_ended(both[i], &events, &count));
        CHECK(count == 1 && events[0].ids[1] == ids[1]);
    }
    // Back to where one of them was.
    OK(throng_remove(world, ids[0], NULL));
    REFUSED(THRONG_STATUS_NULL_POINTER, throng_world_copy_from(world, NULL));
    REFUSED(THRONG_STATUS_NULL_POINTER, throng_world_copy_from(NULL, copy));
    CHECK(throng_world_copy_from(world, world) == THRONG_STATUS_BUSY);
    OK(throng_world_copy_from(world, copy));
    OK(throng_last_pairs(world, pairs, 8, &count));
    CHECK(count == 0);
    OK(throng_ended(world, &events, &count));
    CHECK(count == 1 && events[0].ids[1] == ids[1]);
    OK(throng_len(world, &count));
    CHECK(count == 2);
    OK(throng_world_free(copy));
    OK(throng_set_center(world, ids[1], (throng_point){1.5f, 0}));
    OK(throng_step_pairs(world, pairs, 8, &count));
    OK(throng_began(world, &events, &count));
    CHECK(count == 1);
    OK(throng_world_free(world));
}

void test_worlds(void) {
    OK(throng_world_free(NULL));
    everything_in_a_struct_is_in_the_config();
    structures_have_settings();
    categories_have_names_and_numbers();
    copies_go_on_as_the_world();
}
