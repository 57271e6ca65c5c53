/** Iterations of load steps of the tests that ran, of several processes. */
#pragma once

typedef struct test_load_steps {
  int    num;         /* tests with a row that ran */
  double sum, frozen; /* their iterations, and those of an earlier version */
} test_load_steps;

/** Add those of this process. */
void test_load_steps_add(test_load_steps *to);
/** Replace those of this process. */
void test_load_steps_set(const test_load_steps *from);
