#include "job_system.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include "check.h"

enum { MOST_THREADS = 16 };

struct job_system {
    pthread_mutex_t lock;
    pthread_cond_t wake, done;
    pthread_t threads[MOST_THREADS];
    size_t thread_count;
    // Behind the lock: the number of the current list, how many threads are done with it, and whether to end.
    size_t list, idle;
    bool ends;
    // The list.
    throng_task task;
    void *context;
    size_t count;
    atomic_size_t next;
    atomic_uint busy[MOST_THREADS];
};

typedef struct worker {
    job_system *system;
    size_t index;
} worker;

static void work_on_list(job_system *system, size_t index) {
    for (;;) {
        size_t task = atomic_fetch_add(&system->next, 1);
        if (task >= system->count) {
            return;
        }
        atomic_fetch_add(&system->busy[index], 1);
        system->task(system->context, task);
    }
}

static void *run_worker(void *argument) {
    worker *own = argument;
    job_system *system = own->system;
    size_t last_list = 0;
    pthread_mutex_lock(&system->lock);
    for (;;) {
        while (system->list == last_list && !system->ends) {
            pthread_cond_wait(&system->wake, &system->lock);
        }
        if (system->ends) {
            break;
        }
        last_list = system->list;
        pthread_mutex_unlock(&system->lock);
        work_on_list(system, own->index);
        pthread_mutex_lock(&system->lock);
        system->idle++;
        pthread_cond_signal(&system->done);
    }
    pthread_mutex_unlock(&system->lock);
    free(own);
    return NULL;
}

// As `throng_run_all` asks. The thread that calls waits, so that all tasks run on threads of the system.
static void run_all(void *user, size_t count, throng_task task, void *context) {
    job_system *system = user;
    pthread_mutex_lock(&system->lock);
    system->task = task;
    system->context = context;
    system->count = count;
    atomic_store(&system->next, 0);
    system->idle = 0;
    system->list++;
    pthread_cond_broadcast(&system->wake);
    while (system->idle < system->thread_count) {
        pthread_cond_wait(&system->done, &system->lock);
    }
    pthread_mutex_unlock(&system->lock);
}

job_system *job_system_new(size_t threads) {
    CHECK(threads <= MOST_THREADS);
    job_system *system = calloc(1, sizeof *system);
    CHECK(system != NULL);
    pthread_mutex_init(&system->lock, NULL);
    pthread_cond_init(&system->wake, NULL);
    pthread_cond_init(&system->done, NULL);
    system->thread_count = threads;
    for (size_t i = 0; i < threads; i++) {
        worker *own = malloc(sizeof *own);
        CHECK(own != NULL);
        own->system = system;
        own->index = i;
        CHECK(pthread_create(&system->threads[i], NULL, run_worker, own) == 0);
    }
    return system;
}

void job_system_free(job_system *system) {
    pthread_mutex_lock(&system->lock);
    system->ends = true;
    pthread_cond_broadcast(&system->wake);
    pthread_mutex_unlock(&system->lock);
    for (size_t i = 0; i < system->thread_count; i++) {
        pthread_join(system->threads[i], NULL);
    }
    pthread_cond_destroy(&system->wake);
    pthread_cond_destroy(&system->done);
    pthread_mutex_destroy(&system->lock);
    free(system);
}

size_t job_system_lists(const job_system *system) {
    return system->list;
}

size_t job_system_busy_threads(const job_system *system) {
    size_t busy = 0;
    for (size_t i = 0; i < system->thread_count; i++) {
        busy += atomic_load(&system->busy[i]) > 0;
    }
    return busy;
}

throng_executor job_system_executor(job_system *system) {
    throng_executor executor = {0};
    executor.struct_size = sizeof executor;
    executor.threads = system->thread_count;
    executor.run_all = run_all;
    executor.user = system;
    return executor;
}
