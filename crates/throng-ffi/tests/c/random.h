// Numbers that look random, and are the same everywhere: Vigna's splitmix64 (2015).
#ifndef RANDOM_H
#define RANDOM_H

#include <stdint.h>

static inline uint64_t random_bits(uint64_t *state) {
    uint64_t bits = *state += 0x9E3779B97F4A7C15u;
    bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9u;
    bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EBu;
    return bits ^ (bits >> 31);
}

// From `low` to `high`.
static inline float random_float(uint64_t *state, float low, float high) {
    return low + (high - low) * (float)(random_bits(state) >> 40) / 16777216.0f;
}

#endif
