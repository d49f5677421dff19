// A world with things in all kinds of categories, what the program itself knows of them, and what they should be found to do.
#ifndef CROWD_H
#define CROWD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "throng.h"

enum { UNITS, GIANTS, WALLS, CATEGORIES };
enum { UNIT_COUNT = 3000, GIANT_COUNT = 12, WALL_COUNT = 60, THING_COUNT = UNIT_COUNT + GIANT_COUNT + WALL_COUNT };

// One thing. Its key is its index in the crowd, and 1 more.
typedef struct thing {
    uint64_t id;
    throng_aabb aabb;
    // Its box along its way, for those who look ahead.
    throng_aabb swept;
    uint16_t category;
    uint32_t row;
} thing;

typedef struct crowd {
    throng_world *world;
    thing things[THING_COUNT];
} crowd;

// Makes a world and fills it. The same seed makes the same.
crowd *crowd_new(uint64_t seed, const throng_category_config *categories);
void crowd_free(crowd *crowd);

// The usual categories; `names` are theirs, by number.
void usual_categories(throng_category_config categories[CATEGORIES]);

// Looks where everything is now.
void crowd_look(crowd *crowd);

// Moves all units and giants a little, in the world and in what is known of them.
void crowd_move(crowd *crowd, uint64_t seed);

bool overlap(throng_aabb a, throng_aabb b);
// Whether two things are a pair: they overlap, and are not both walls.
bool are_pair(const thing *a, const thing *b);

// A pair as one number: that of the lower thing, and of the higher one.
uint64_t pair_of_things(size_t a, size_t b);
void sort_numbers(uint64_t *numbers, size_t count);
// What two things may be to each other.
typedef bool relation(const thing *a, const thing *b);
// All pairs that are it, found by comparing everything with everything; sorted. To be freed.
uint64_t *brute_force(const crowd *crowd, relation *relation, size_t *count);
// The same for those of `are_pair`.
uint64_t *brute_force_pairs(const crowd *crowd, size_t *count);
// The thing in a row.
size_t thing_in_row(const crowd *crowd, uint16_t category, uint32_t row);
size_t thing_with_id(const crowd *crowd, uint64_t id);
// Pairs of rows as numbers; sorted. To be freed.
uint64_t *numbers_of_pairs(const crowd *crowd, const throng_pair *pairs, size_t count);

#endif
