#include "job_system.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include "check.h"

enum { MOST_THREADS = 16 };

// A list of tasks, in the memory of the thread that waits for it. Many may run at once: several threads may ask a world at the same
// time, and a task may ask something in turn.
typedef struct task_list {
    throng_task task;
    void *context;
    size_t count;
    atomic_size_t next;
    // Behind the lock: how many threads of the system work on it, and the list that was begun before it.
    size_t helpers;
    struct task_list *older;
} task_list;

struct job_system {
    pthread_mutex_t lock;
    // That there is a list, or that a thread has done all it can for one.
    pthread_cond_t wake, done;
    pthread_t threads[MOST_THREADS];
    size_t thread_count;
    // Behind the lock: the list that was begun last, how many there have been, and whether to end.
    task_list *newest;
    size_t lists;
    bool ends;
    atomic_uint busy[MOST_THREADS];
};

typedef struct worker {
    job_system *system;
    size_t index;
} worker;

// Runs tasks of a list until all have begun. Returns how many it ran.
static unsigned work_on_list(task_list *list) {
    for (unsigned ran = 0;; ran++) {
        size_t task = atomic_fetch_add(&list->next, 1);
        if (task >= list->count) {
            return ran;
        }
        list->task(list->context, task);
    }
}

// A list with tasks that have not begun, behind the lock.
static task_list *open_list(const job_system *system) {
    task_list *list = system->newest;
    while (list != NULL && atomic_load(&list->next) >= list->count) {
        list = list->older;
    }
    return list;
}

static void *run_worker(void *argument) {
    worker *own = argument;
    job_system *system = own->system;
    pthread_mutex_lock(&system->lock);
    while (!system->ends) {
        task_list *list = open_list(system);
        if (list == NULL) {
            pthread_cond_wait(&system->wake, &system->lock);
            continue;
        }
        list->helpers++;
        pthread_mutex_unlock(&system->lock);
        unsigned ran = work_on_list(list);
        atomic_fetch_add(&system->busy[own->index], ran);
        pthread_mutex_lock(&system->lock);
        if (--list->helpers == 0) {
            pthread_cond_broadcast(&system->done);
        }
    }
    pthread_mutex_unlock(&system->lock);
    free(own);
    return NULL;
}

// As `throng_run_all` asks. The thread that calls helps with its own list, so that this ends even if all others wait for lists of theirs.
static void run_all(void *user, size_t count, throng_task task, void *context) {
    job_system *system = user;
    task_list list = {.task = task, .context = context, .count = count};
    pthread_mutex_lock(&system->lock);
    list.older = system->newest;
    system->newest = &list;
    system->lists++;
    pthread_cond_broadcast(&system->wake);
    pthread_mutex_unlock(&system->lock);
    work_on_list(&list);
    pthread_mutex_lock(&system->lock);
    task_list **link = &system->newest;
    while (*link != &list) {
        link = &(*link)->older;
    }
    *link = list.older;
    while (list.helpers > 0) {
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
    return system->lists;
}

size_t job_system_busy_threads(const job_system *system) {
    size_t busy = 0;
    for (size_t i = 0; i < system->thread_count; i++) {
        busy += atomic_load(&system->busy[i]) > 0;
    }
    return busy;
}

throng_executor job_system_executor(job_system *system) {
    return throng_executor_of(system->thread_count, run_all, system);
}
