// The groups of tests, in the order in which they run.
#ifndef TESTS_H
#define TESTS_H

void test_versions(void);
void test_worlds(void);
void test_proxies(void);
void test_changes(void);
void test_columns(void);
void test_steps(void);
void test_threads(void);
void test_events(void);
void test_resting(void);
void test_prediction(void);
void test_places(void);
void test_casts(void);
void test_nearness(void);
void test_order(void);
void test_errors(void);
void test_growing(void);

#endif
