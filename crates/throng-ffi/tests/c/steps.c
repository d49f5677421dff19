// Steps find what this program finds by itself: in buffers, by callbacks, and as outputs.
#include <pthread.h>

#include "check.h"
#include "crowd.h"
#include "tests.h"

static void check_pairs(const crowd *crowd, const throng_pair *pairs, size_t count) {
    size_t expected_count;
    uint64_t *expected = brute_force_pairs(crowd, &expected_count), *found = numbers_of_pairs(crowd, pairs, count);
    CHECK(count == expected_count && count > 1000);
    CHECK(memcmp(expected, found, count * sizeof *found) == 0);
    free(expected);
    free(found);
}

// What does not fit into the buffer is not lost.
static throng_pair *pairs_in_a_buffer(crowd *crowd, size_t *count) {
    enum { FEW = 100 };
    throng_pair few[FEW + 1];
    memset(few, 0xAB, sizeof few);
    REFUSED(THRONG_STATUS_BUFFER_TOO_SMALL, throng_step_pairs(crowd->world, few, FEW, count));
    CHECK(few[FEW].rows[0] == 0xABABABAB);
    throng_pair *pairs = malloc(*count * sizeof *pairs), *again = malloc(*count * sizeof *again);
    CHECK(pairs != NULL && again != NULL);
    size_t told;
    OK(throng_last_pairs(crowd->world, pairs, *count, &told));
    CHECK(told == *count);
    CHECK(memcmp(few, pairs, FEW * sizeof *pairs) == 0);
    OK(throng_step_pairs(crowd->world, again, *count, &told));
    CHECK(told == *count && memcmp(again, pairs, told * sizeof *pairs) == 0);
    REFUSED(THRONG_STATUS_BUFFER_TOO_SMALL, throng_last_pairs(crowd->world, NULL, 0, &told));
    CHECK(told == *count);
    free(again);
    return pairs;
}

// What a callback keeps of each pair.
typedef struct found {
    uint64_t keys[2];
    double distance_squared;
    throng_pair pair;
} found;

typedef struct search {
    pthread_mutex_t lock;
    size_t pairs, batches, threads;
    pthread_t seen[16];
} search;

static void note(search *search, const throng_pair_batch *batch) {
    pthread_mutex_lock(&search->lock);
    search->pairs += batch->count;
    search->batches++;
    size_t thread = 0;
    while (thread < search->threads && !pthread_equal(search->seen[thread], pthread_self())) {
        thread++;
    }
    if (thread == search->threads && thread < 16) {
        search->seen[search->threads++] = pthread_self();
    }
    pthread_mutex_unlock(&search->lock);
}

static size_t collide(void *user, const throng_pair_batch *batch, void *outputs) {
    note(user, batch);
    found *kept = outputs;
    uint64_t(*all_ids)[2] = malloc(batch->count * sizeof *all_ids);
    throng_aabb(*all_aabbs)[2] = malloc(batch->count * sizeof *all_aabbs);
    CHECK(all_ids != NULL && all_aabbs != NULL);
    OK(throng_batch_all_ids(batch, all_ids));
    OK(throng_batch_all_aabbs(batch, all_aabbs));
    REFUSED(THRONG_STATUS_NULL_POINTER, throng_batch_all_ids(batch, NULL));
    REFUSED(THRONG_STATUS_NULL_POINTER, throng_batch_all_aabbs(NULL, all_aabbs));
    for (size_t i = 0; i < batch->count; i++) {
        uint32_t a = batch->pairs[i][0], b = batch->pairs[i][1];
        double dx = batch->xs[0][a] - batch->xs[1][b], dy = batch->ys[0][a] - batch->ys[1][b];
        OK(throng_batch_keys(batch, i, &kept[i].keys));
        kept[i].distance_squared = dx * dx + dy * dy;
        kept[i].pair.rows[0] = a;
        kept[i].pair.rows[1] = b;
        kept[i].pair.categories[0] = batch->categories[0];
        kept[i].pair.categories[1] = batch->categories[1];
        throng_aabb aabbs[2];
        OK(throng_batch_aabbs(batch, i, &aabbs));
        CHECK(overlap(aabbs[0], aabbs[1]) && memcmp(aabbs, all_aabbs[i], sizeof aabbs) == 0);
        throng_masks masks[2];
        OK(throng_batch_masks(batch, i, &masks));
        CHECK(masks[0].filter == UINT64_MAX && masks[1].memberships == UINT64_MAX);
        uint64_t ids[2];
        OK(throng_batch_ids(batch, i, &ids));
        CHECK(ids[0] != ids[1] && memcmp(ids, all_ids[i], sizeof ids) == 0);
        uint32_t slot;
        OK(throng_batch_slot(batch, i, &slot));
        CHECK(slot == THRONG_NO_SLOT);
        REFUSED(THRONG_STATUS_BAD_VALUE, throng_batch_slot(batch, batch->count, &slot));
    }
    free(all_ids);
    free(all_aabbs);
    return batch->count;
}

static throng_narrowphase narrowphase_of(search *search) {
    throng_narrowphase narrowphase = {0};
    narrowphase.struct_size = sizeof narrowphase;
    narrowphase.collide = collide;
    narrowphase.user = search;
    narrowphase.output_size = sizeof(found);
    return narrowphase;
}

static void check_outputs(const crowd *crowd, const throng_pair *pairs, size_t count) {
    size_t total, chunks;
    REFUSED(THRONG_STATUS_BUFFER_TOO_SMALL, throng_outputs(crowd->world, sizeof(found), NULL, 0, &total));
    CHECK(total == count);
    found *outputs = calloc(total + 1, sizeof *outputs);
    CHECK(outputs != NULL);
    REFUSED(THRONG_STATUS_BUFFER_TOO_SMALL, throng_outputs(crowd->world, sizeof *outputs, outputs, 7, &total));
    size_t none = 0;
    REFUSED(THRONG_STATUS_BAD_VALUE, throng_outputs(crowd->world, sizeof *outputs - 1, outputs, total, &none));
    CHECK(strstr(throng_last_error_message(), "bytes each") != NULL && none == 0);
    CHECK(total == count && outputs[6].keys[0] != 0 && outputs[7].keys[0] == 0);
    OK(throng_outputs(crowd->world, sizeof *outputs, outputs, total, &total));
    OK(throng_output_chunks(crowd->world, &chunks));
    CHECK(chunks > 1);
    size_t in_chunks = 0;
    for (size_t chunk = 0; chunk < chunks; chunk++) {
        const void *of_chunk;
        size_t here;
        OK(throng_outputs_of_chunk(crowd->world, chunk, &of_chunk, &here));
        CHECK((uintptr_t)of_chunk % 8 == 0 || here == 0);
        CHECK(here == 0 || memcmp(of_chunk, &outputs[in_chunks], here * sizeof *outputs) == 0);
        in_chunks += here;
    }
    CHECK(in_chunks == total);
    const void *nothing;
    REFUSED(THRONG_STATUS_BAD_VALUE, throng_outputs_of_chunk(crowd->world, chunks, &nothing, &in_chunks));
    for (size_t i = 0; i < total; i++) {
        const throng_pair *pair = &outputs[i].pair;
        CHECK(memcmp(pair->rows, pairs[i].rows, sizeof pair->rows) == 0);
        CHECK(memcmp(pair->categories, pairs[i].categories, sizeof pair->categories) == 0);
        size_t a = thing_in_row(crowd, pair->categories[0], pair->rows[0]);
        size_t b = thing_in_row(crowd, pair->categories[1], pair->rows[1]);
        CHECK(outputs[i].keys[0] == a + 1 && outputs[i].keys[1] == b + 1);
    }
    free(outputs);
}

static void pairs_by_callback(crowd *crowd, const throng_pair *pairs, size_t count) {
    search search = {.lock = PTHREAD_MUTEX_INITIALIZER};
    throng_narrowphase narrowphase = narrowphase_of(&search);
    OK(throng_step(crowd->world, &narrowphase));
    CHECK(search.pairs == count && search.batches > 1);
    check_outputs(crowd, pairs, count);
    size_t told;
    OK(throng_last_pairs(crowd->world, NULL, 0, &told));
    CHECK(told == 0);
}

static void check_report(const crowd *crowd, size_t pairs) {
    throng_report report;
    report.struct_size = sizeof report;
    OK(throng_read_report(crowd->world, &report));
    CHECK(report.struct_size == sizeof report && report.pairs == pairs && report.candidates >= pairs);
    CHECK(report.rows == THING_COUNT && report.cells > 0 && report.bytes > 1000 && report.cut == 0);
    CHECK(report.step_seconds > 0 && report.narrowphase_seconds >= 0 && report.scenery_packed == 0);
    size_t count;
    REFUSED(THRONG_STATUS_BUFFER_TOO_SMALL, throng_print_report(crowd->world, NULL, 0, &count));
    char *text = malloc(count);
    CHECK(text != NULL);
    OK(throng_print_report(crowd->world, text, count, &count));
    CHECK(strstr(text, "candidates") != NULL && text[count - 1] == 0);
    free(text);
}

void test_steps(void) {
    throng_category_config categories[CATEGORIES];
    usual_categories(categories);
    crowd *crowd = crowd_new(1, categories);
    for (uint64_t frame = 0; frame < 3; frame++) {
        size_t count;
        throng_pair *pairs = pairs_in_a_buffer(crowd, &count);
        check_pairs(crowd, pairs, count);
        pairs_by_callback(crowd, pairs, count);
        check_report(crowd, count);
        free(pairs);
        crowd_move(crowd, frame);
    }
    crowd_free(crowd);
}
