// Four threads: the library's own, those of a job system, and those of callers.
#include <pthread.h>
#include <stdatomic.h>

#include "check.h"
#include "crowd.h"
#include "job_system.h"
#include "tests.h"

enum { THREADS = 4, MOST_PAIRS = 100000 };

static throng_pair *step(crowd *crowd, size_t *count) {
    throng_pair *pairs = malloc(MOST_PAIRS * sizeof *pairs);
    CHECK(pairs != NULL);
    OK(throng_step_pairs(crowd->world, pairs, MOST_PAIRS, count));
    return pairs;
}

static void check_same(crowd *crowd, const throng_pair *expected, size_t expected_count) {
    size_t count;
    throng_pair *pairs = step(crowd, &count);
    CHECK(count == expected_count && memcmp(pairs, expected, count * sizeof *pairs) == 0);
    free(pairs);
}

static void pairs_are_the_same_on_all_threads(void) {
    throng_category_config categories[CATEGORIES];
    usual_categories(categories);
    crowd *crowd = crowd_new(2, categories);
    OK(throng_use_threads(crowd->world, 1));
    size_t count;
    throng_pair *pairs = step(crowd, &count);
    OK(throng_use_threads(crowd->world, THREADS));
    check_same(crowd, pairs, count);
    OK(throng_use_threads(crowd->world, 0));
    check_same(crowd, pairs, count);

    job_system *system = job_system_new(THREADS);
    throng_executor executor = job_system_executor(system);
    executor.threads_spin = true;  // so that short steps are shared as well
    OK(throng_use_executor(crowd->world, &executor));
    // The thread that calls may be done before any other is awake.
    for (int round = 0; round < 10 || (round < 2000 && job_system_busy_threads(system) == 0); round++) {
        check_same(crowd, pairs, count);
    }
    CHECK(job_system_lists(system) > 2);
    CHECK(job_system_busy_threads(system) > 0);
    OK(throng_refresh(crowd->world));
    OK(throng_use_threads(crowd->world, 1));
    job_system_free(system);
    check_same(crowd, pairs, count);
    free(pairs);
    crowd_free(crowd);
}

typedef struct lists {
    size_t count, shortest;
} lists;

static void run_here(void *user, size_t count, throng_task task, void *context) {
    lists *lists = user;
    if (lists->count++ == 0 || count < lists->shortest) {
        lists->shortest = count;
    }
    for (size_t i = 0; i < count; i++) {
        task(context, i);
    }
}

// Units in rows of 150, of which no two touch.
static void insert_apart(throng_world *world, int count) {
    for (int i = 0; i < count; i++) {
        throng_proxy unit = throng_proxy_centered(3.0f * (float)(i % 150), 3.0f * (float)(i / 150), 1, 1);
        OK(throng_insert(world, &unit, NULL));
    }
}

static void what_one_thread_does_is_not_handed_over(void) {
    throng_category_config category = throng_category_uniform("units", 1);
    throng_config config = throng_config_of(&category, 1);
    throng_world *world;
    OK(throng_world_new(&config, &world));
    lists lists = {0, 0};
    throng_executor executor = {sizeof executor, 4, run_here, &lists, true};
    OK(throng_use_executor(world, &executor));
    size_t count;
    OK(throng_step_pairs(world, NULL, 0, &count));
    throng_proxy unit = throng_proxy_centered(-9, 0, 1, 1);
    OK(throng_insert(world, &unit, NULL));
    OK(throng_step_pairs(world, NULL, 0, &count));
    CHECK(lists.count == 0);  // there was no list of two

    insert_apart(world, 22500);
    OK(throng_step_pairs(world, NULL, 0, &count));
    CHECK(lists.count > 2 && lists.shortest >= 2);

    // Threads that fall asleep are not woken for a step that is too short, but for trials.
    executor.threads_spin = false;
    OK(throng_use_executor(world, &executor));
    OK(throng_clear(world));
    insert_apart(world, 5000);
    size_t before = lists.count;
    OK(throng_refresh(world));
    for (int step = 0; step < 30; step++) {
        OK(throng_step_pairs(world, NULL, 0, &count));
    }
    size_t with_sleep = lists.count - before;
    executor.threads_spin = true;
    OK(throng_use_executor(world, &executor));
    before = lists.count;
    for (int step = 0; step < 30; step++) {
        OK(throng_step_pairs(world, NULL, 0, &count));
    }
    CHECK(with_sleep < lists.count - before);
    OK(throng_world_free(world));
}

// Runs every third task, some twice, and one that there is not.
static void run_badly(void *user, size_t count, throng_task task, void *context) {
    ++*(size_t *)user;
    for (size_t i = 0; i < count; i += 3) {
        task(context, i);
        task(context, i);
    }
    task(context, count + 5);
}

static void a_bad_job_system_does_no_harm(void) {
    throng_category_config categories[CATEGORIES];
    usual_categories(categories);
    crowd *crowd = crowd_new(3, categories);
    size_t count, lists = 0;
    throng_pair *pairs = step(crowd, &count);
    throng_executor executor = {sizeof executor, 3, run_badly, &lists, true};
    OK(throng_use_executor(crowd->world, &executor));
    check_same(crowd, pairs, count);
    CHECK(lists > 0);
    free(pairs);
    crowd_free(crowd);
}

typedef struct reader {
    const crowd *crowd;
    size_t found;
} reader;

static void *read_all(void *argument) {
    reader *reader = argument;
    for (int round = 0; round < 20; round++) {
        for (size_t i = 0; i < THING_COUNT; i++) {
            throng_row_ref place;
            OK(throng_locate(reader->crowd->world, reader->crowd->things[i].id, &place));
            reader->found += place.row == reader->crowd->things[i].row;
        }
    }
    // Each thread has a message of its own.
    CHECK(throng_last_error_message()[0] == 0);
    return NULL;
}

// Has each of some threads read a crowd at the same time, and find so much.
static void read_on_threads(const crowd *crowd, void *(*read)(void *), size_t found) {
    pthread_t threads[THREADS];
    reader readers[THREADS];
    for (size_t i = 0; i < THREADS; i++) {
        readers[i].crowd = crowd;
        readers[i].found = 0;
        CHECK(pthread_create(&threads[i], NULL, read, &readers[i]) == 0);
    }
    for (size_t i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        CHECK(readers[i].found == found);
    }
}

static void many_may_read(void) {
    throng_category_config categories[CATEGORIES];
    usual_categories(categories);
    crowd *crowd = crowd_new(4, categories);
    read_on_threads(crowd, read_all, 20 * THING_COUNT);
    crowd_free(crowd);
}

enum { CIRCLES = 400, MOST_FOUND = 50000, ROUNDS = 5 };

// Asks what is in many circles at once, and returns how much that is.
static size_t ask_many(const crowd *crowd, const throng_query_filter *filter) {
    throng_circle circles[CIRCLES];
    for (size_t i = 0; i < CIRCLES; i++) {
        throng_aabb aabb = crowd->things[i * 7].aabb;
        circles[i].center = aabb.min;
        circles[i].radius = 2;
    }
    size_t count, starts[CIRCLES + 1];
    throng_query_hit *hits = malloc(MOST_FOUND * sizeof *hits);
    CHECK(hits != NULL);
    OK(throng_find_batch_in_circles(crowd->world, filter, circles, CIRCLES, starts, hits, MOST_FOUND, &count));
    free(hits);
    return count;
}

// A test that asks as much itself, of one in two hundred.
static bool asks_in_turn(void *user, const throng_query_hit *hit) {
    return hit->key % 200 > 0 || ask_many(user, NULL) > 0;
}

static void *ask_and_ask_in_turn(void *argument) {
    reader *reader = argument;
    throng_query_filter filter = throng_filter_everything();
    filter.only = asks_in_turn;
    filter.user = (void *)reader->crowd;
    for (int round = 0; round < ROUNDS; round++) {
        reader->found += ask_many(reader->crowd, NULL);
        reader->found += ask_many(reader->crowd, &filter);
    }
    return NULL;
}

static void lists_run_beside_and_within_each_other(void) {
    throng_category_config categories[CATEGORIES];
    usual_categories(categories);
    crowd *crowd = crowd_new(5, categories);
    OK(throng_use_threads(crowd->world, 1));
    OK(throng_refresh(crowd->world));
    size_t alone = ask_many(crowd, NULL);
    job_system *system = job_system_new(THREADS);
    throng_executor executor = job_system_executor(system);
    executor.threads_spin = true;
    OK(throng_use_executor(crowd->world, &executor));
    read_on_threads(crowd, ask_and_ask_in_turn, 2 * ROUNDS * alone);
    // More lists than the threads have asked for: those within others.
    CHECK(job_system_lists(system) > 2 * ROUNDS * THREADS);
    OK(throng_use_threads(crowd->world, 1));
    job_system_free(system);
    crowd_free(crowd);
}

void test_threads(void) {
    pairs_are_the_same_on_all_threads();
    a_bad_job_system_does_no_harm();
    what_one_thread_does_is_not_handed_over();
    many_may_read();
    lists_run_beside_and_within_each_other();
}
