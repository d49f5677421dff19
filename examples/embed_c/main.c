// A swarm of 100,000 marbles in C, with timings. `twin.rs` is the same in Rust.
//
//     embed_c [marbles] [frames] [threads]
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "swarm.h"

static int compare(const void *a, const void *b) {
    double first = *(const double *)a, second = *(const double *)b;
    return (first > second) - (first < second);
}

static size_t argument(int count, char **arguments, int index, size_t usual) {
    if (index >= count) {
        return usual;
    }
    char *end;
    errno = 0;
    unsigned long long number = strtoull(arguments[index], &end, 10);
    if (arguments[index][0] < '0' || arguments[index][0] > '9' || *end != 0 || errno != 0) {
        fprintf(stderr, "\"%s\" is not a whole number; usage: embed_c [marbles] [frames] [threads]\n", arguments[index]);
        exit(2);
    }
    return number;
}

int main(int count, char **arguments) {
    size_t marbles = argument(count, arguments, 1, 100000), frames = argument(count, arguments, 2, 300);
    size_t threads = argument(count, arguments, 3, 0);
    if (throng_abi_version() != THRONG_ABI_VERSION) {
        fprintf(stderr, "the library and its header are of different versions\n");
        return 1;
    }
    if (frames == 0) {
        fprintf(stderr, "there must be at least one frame\n");
        return 2;
    }
    swarm swarm;
    swarm_new(&swarm, marbles, 1, threads);
    double *whole = calloc(frames, sizeof *whole), *steps = calloc(frames, sizeof *steps);
    if (whole == NULL || steps == NULL) {
        fprintf(stderr, "there is no memory for the times of %zu frames\n", frames);
        return 1;
    }
    size_t contacts = 0;
    for (size_t frame = 0; frame < frames; frame++) {
        double started = now();
        swarm_frame(&swarm);
        whole[frame] = 1000 * (now() - started);
        steps[frame] = 1000 * swarm.step_seconds;
        contacts += swarm.contacts;
    }
    qsort(whole, frames, sizeof *whole, compare);
    qsort(steps, frames, sizeof *steps, compare);
    printf("c     %zu marbles, %zu frames, %zu contacts, hash %016llx, ms a frame: %.3f (best %.3f), of which steps: %.3f (best "
           "%.3f)\n",
           marbles, frames, contacts, (unsigned long long)swarm.hash, whole[frames / 2], whole[0], steps[frames / 2], steps[0]);
    free(whole);
    free(steps);
    swarm_free(&swarm);
    return 0;
}
