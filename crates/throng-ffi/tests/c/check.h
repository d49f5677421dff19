// How the tests check: the first thing that is wrong ends the program.
#ifndef CHECK_H
#define CHECK_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "throng.h"

#define CHECK(condition)                                                                 \
    do {                                                                                 \
        if (!(condition)) {                                                              \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);      \
            exit(1);                                                                     \
        }                                                                                \
    } while (0)

static inline void check_status(throng_status expected, throng_status status, const char *call, const char *file, int line) {
    if (status != expected) {
        fprintf(stderr, "%s:%d: %s\nis %s (%s), and not %s\n", file, line, call, throng_status_name(status),
                throng_last_error_message(), throng_status_name(expected));
        exit(1);
    }
}

// The call does what it says.
#define OK(call) check_status(THRONG_STATUS_OK, (call), #call, __FILE__, __LINE__)

// The call is refused, and says why.
#define REFUSED(status, call)                                       \
    do {                                                            \
        check_status((status), (call), #call, __FILE__, __LINE__);  \
        CHECK(throng_last_error_message()[0] != 0);                 \
    } while (0)

#endif
