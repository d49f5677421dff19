// A swarm of marbles in a box: an engine's own arrays, with throng's broadphase under them.
#ifndef SWARM_H
#define SWARM_H

#include <stddef.h>
#include <stdint.h>

#include "throng.h"

// Two marbles that touch: how deep, and in which direction the second is from the first.
typedef struct contact {
    uint32_t a, b;
    float normal_x, normal_y, depth;
} contact;

typedef struct swarm {
    throng_world *world;
    uint16_t category;
    float side;
    size_t count;
    // By row of the world.
    float *xs, *ys, *speeds_x, *speeds_y;
    // Memory for rows in another order.
    uint32_t *old_rows;
    float *spare;
    // Of the last frame.
    size_t contacts;
    double step_seconds;
    // Of all contacts so far, in their order.
    uint64_t hash;
} swarm;

// Makes a swarm of so many marbles, which the seed throws. `threads` is as for `throng_use_threads`.
void swarm_new(swarm *swarm, size_t count, uint64_t seed, size_t threads);
void swarm_frame(swarm *swarm);
void swarm_free(swarm *swarm);

// Seconds since some time in the past.
double now(void);

#endif
