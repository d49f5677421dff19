#include "swarm.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static const float RADIUS = 0.5f;
// Twice this many marbles on the area of one box: about one pair each.
static const float MARBLES_PER_AREA = 0.5f;
static const float FASTEST = 0.2f;

static void check(throng_status status) {
    if (status != THRONG_STATUS_OK) {
        fprintf(stderr, "%s: %s\n", throng_status_name(status), throng_last_error_message());
        exit(1);
    }
}

static void *allocate(size_t count, size_t size) {
    void *memory = calloc(count, size);
    if (memory == NULL) {
        fprintf(stderr, "there is no memory for %zu elements\n", count);
        exit(1);
    }
    return memory;
}

double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

// Vigna's splitmix64 (2015), from `low` to `high`.
static float random_between(uint64_t *state, float low, float high) {
    uint64_t bits = *state += 0x9E3779B97F4A7C15u;
    bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9u;
    bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EBu;
    return low + (high - low) * ((float)((bits ^ (bits >> 31)) >> 40) / 16777216.0f);
}

void swarm_new(swarm *swarm, size_t count, uint64_t seed, size_t threads) {
    throng_category_config marbles = throng_category_uniform("marbles", RADIUS);
    throng_config config = throng_config_of(&marbles, 1);
    check(throng_world_new(&config, &swarm->world));
    check(throng_category(swarm->world, "marbles", &swarm->category));
    check(throng_use_threads(swarm->world, threads));
    swarm->count = count;
    swarm->side = sqrtf((float)count / MARBLES_PER_AREA);
    swarm->xs = allocate(count, sizeof(float));
    swarm->ys = allocate(count, sizeof(float));
    swarm->speeds_x = allocate(count, sizeof(float));
    swarm->speeds_y = allocate(count, sizeof(float));
    swarm->spare = allocate(count, sizeof(float));
    swarm->old_rows = allocate(count, sizeof(uint32_t));
    swarm->hash = 0;
    throng_proxy *proxies = allocate(count, sizeof *proxies);
    for (size_t i = 0; i < count; i++) {
        swarm->xs[i] = random_between(&seed, 0, swarm->side);
        swarm->ys[i] = random_between(&seed, 0, swarm->side);
        swarm->speeds_x[i] = random_between(&seed, -FASTEST, FASTEST);
        swarm->speeds_y[i] = random_between(&seed, -FASTEST, FASTEST);
        proxies[i] = throng_proxy_centered(swarm->xs[i], swarm->ys[i], RADIUS, RADIUS);
    }
    check(throng_insert_batch(swarm->world, proxies, count, NULL));
    free(proxies);
}

void swarm_free(swarm *swarm) {
    check(throng_world_free(swarm->world));
    free(swarm->xs);
    free(swarm->ys);
    free(swarm->speeds_x);
    free(swarm->speeds_y);
    free(swarm->spare);
    free(swarm->old_rows);
}

static void move_along(float *restrict places, float *restrict speeds, size_t count, float side) {
    for (size_t i = 0; i < count; i++) {
        float place = places[i] + speeds[i];
        places[i] = place;
        if (place < 0 || place > side) {
            speeds[i] = -speeds[i];
            places[i] = place < 0 ? 0 : side;
        }
    }
}

// Gets marbles whose boxes overlap, on any thread, and keeps those that touch.
static size_t collide(void *user, const throng_pair_batch *batch, void *room) {
    const swarm *swarm = user;
    const float *xs = swarm->xs, *ys = swarm->ys;
    contact *contacts = room;
    size_t touching = 0;
    for (size_t i = 0; i < batch->count; i++) {
        uint32_t a = batch->pairs[i][0], b = batch->pairs[i][1];
        float dx = xs[b] - xs[a], dy = ys[b] - ys[a];
        float squared = dx * dx + dy * dy;
        if (squared < 4 * RADIUS * RADIUS && squared > 0) {
            float distance = sqrtf(squared);
            contacts[touching++] = (contact){a, b, dx / distance, dy / distance, 2 * RADIUS - distance};
        }
    }
    return touching;
}

// Pushes two marbles apart, and swaps what they have of speed along the line between them.
static void resolve(swarm *swarm, const contact *contact) {
    uint32_t a = contact->a, b = contact->b;
    float x = contact->normal_x, y = contact->normal_y, push = contact->depth / 2;
    swarm->xs[a] -= x * push;
    swarm->ys[a] -= y * push;
    swarm->xs[b] += x * push;
    swarm->ys[b] += y * push;
    float closing = (swarm->speeds_x[a] - swarm->speeds_x[b]) * x + (swarm->speeds_y[a] - swarm->speeds_y[b]) * y;
    if (closing > 0) {
        swarm->speeds_x[a] -= closing * x;
        swarm->speeds_y[a] -= closing * y;
        swarm->speeds_x[b] += closing * x;
        swarm->speeds_y[b] += closing * y;
    }
    swarm->hash = (swarm->hash ^ ((uint64_t)a << 32 | b)) * 0x9E3779B97F4A7C15u;
}

static void follow(float **column, swarm *swarm) {
    for (size_t row = 0; row < swarm->count; row++) {
        swarm->spare[row] = (*column)[swarm->old_rows[row]];
    }
    float *old = *column;
    *column = swarm->spare;
    swarm->spare = old;
}

// Now and then rows are put into the order of space, so that who meets is near each other in memory.
static void sort_if_due(swarm *swarm) {
    bool due;
    check(throng_is_sort_due(swarm->world, swarm->category, &due));
    if (due) {
        size_t count;
        check(throng_sort_rows(swarm->world, swarm->category, THRONG_ROW_ORDER_SPACE, swarm->old_rows, swarm->count, &count));
        follow(&swarm->xs, swarm);
        follow(&swarm->ys, swarm);
        follow(&swarm->speeds_x, swarm);
        follow(&swarm->speeds_y, swarm);
    }
}

void swarm_frame(swarm *swarm) {
    sort_if_due(swarm);
    move_along(swarm->xs, swarm->speeds_x, swarm->count, swarm->side);
    move_along(swarm->ys, swarm->speeds_y, swarm->count, swarm->side);

    double started = now();
    check(throng_fill_centers(swarm->world, swarm->category, swarm->xs, swarm->ys, swarm->count, NULL));
    throng_narrowphase narrowphase = throng_narrowphase_of(collide, swarm);
    narrowphase.output_size = sizeof(contact);
    check(throng_step(swarm->world, &narrowphase));
    swarm->step_seconds = now() - started;

    size_t chunks, count;
    const void *contacts;
    swarm->contacts = 0;
    check(throng_output_chunks(swarm->world, &chunks));
    for (size_t chunk = 0; chunk < chunks; chunk++) {
        check(throng_outputs_of_chunk(swarm->world, chunk, &contacts, &count));
        for (size_t i = 0; i < count; i++) {
            resolve(swarm, (const contact *)contacts + i);
        }
        swarm->contacts += count;
    }
}
