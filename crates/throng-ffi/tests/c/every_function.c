// Calls every function of throng.h, sees every status, and compares what is found with what this program finds by itself.
#include "check.h"
#include "tests.h"

#define RUN(group)              \
    do {                        \
        group();                \
        printf("%s\n", #group); \
        fflush(stdout);         \
    } while (0)

int main(void) {
    RUN(test_versions);
    RUN(test_worlds);
    RUN(test_proxies);
    RUN(test_changes);
    RUN(test_columns);
    RUN(test_steps);
    RUN(test_threads);
    RUN(test_events);
    RUN(test_resting);
    RUN(test_prediction);
    RUN(test_places);
    RUN(test_casts);
    RUN(test_nearness);
    RUN(test_order);
    RUN(test_growing);
    RUN(test_errors);
    return 0;
}
