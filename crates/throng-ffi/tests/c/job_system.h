// A job system, as an engine may have one: so many threads that wait for lists of tasks.
#ifndef JOB_SYSTEM_H
#define JOB_SYSTEM_H

#include <stddef.h>

#include "throng.h"

typedef struct job_system job_system;

job_system *job_system_new(size_t threads);
void job_system_free(job_system *system);
// How many lists it has run so far, and on how many threads tasks have run.
size_t job_system_lists(const job_system *system);
size_t job_system_busy_threads(const job_system *system);
throng_executor job_system_executor(job_system *system);

#endif
