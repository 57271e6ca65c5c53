/** Macros of the tests: one suite a file, tests/<layer>/test_<suite>.c ends with SUITE_TESTS(suite,
 * TEST(f), ...). */
#pragma once

#include <CUnit/CUnit.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>

#include "supple/status.h"

typedef struct test_entry {
  const char *name;
  void (*function)(void);
} test_entry;

#define TEST(function) \
  { #function, function }
#define SUITE_TESTS(suite, ...)                \
  extern const test_entry sup_suite_##suite[]; \
  const test_entry        sup_suite_##suite[] = {__VA_ARGS__, {NULL, NULL}}

/** |actual - expected| <= atol + rtol |expected|; prints both with 17 digits and fails on NaN. */
#define NEAR(actual, expected, rtol, atol) \
  test_near((actual), (expected), (rtol), (atol), #actual, __FILE__, __LINE__)
/** The call returns SUP_OK; prints its message otherwise and ends the test. */
#define OK(call)                                                                                 \
  do {                                                                                           \
    if ((call) != SUP_OK) {                                                                      \
      printf("\n    %s:%d: %s\n%s", __FILE__, __LINE__, sup_error_message(), sup_error_trace()); \
      CU_FAIL_FATAL(#call);                                                                      \
    } else {                                                                                     \
      CU_PASS(#call);                                                                            \
    }                                                                                            \
  } while (0)
/** The call fails with this status and its message contains the text. */
#define FAILS(call, status, text) test_fails((call), (status), (text), #call, __FILE__, __LINE__)
#define CHECK(condition)                                                           \
  do {                                                                             \
    int check_value = (condition) ? 1 : 0;                                         \
    if (!check_value) printf("\n    %s:%d: %s\n", __FILE__, __LINE__, #condition); \
    CU_ASSERT(check_value);                                                        \
  } while (0)
/** End the test with a message when what it needs is absent and no part of the project; checks that
 * were made before count. */
#define SKIP(...)        \
  do {                   \
    printf("skipped: "); \
    printf(__VA_ARGS__); \
    test_mark_skipped(); \
    return;              \
  } while (0)

#define NEED_PETSC \
  if (!test_has_petsc()) SKIP("no PETSc: `make petsc` installs it ")

void test_near(double actual, double expected, double rtol, double atol, const char *what,
               const char *file, int line);
void test_fails(sup_status actual, sup_status expected, const char *text, const char *what,
                const char *file, int line);
void test_mark_skipped(void);

/** False: load steps since the last call took more than 1.5 times the iterations of an earlier
 * version. */
int test_load_steps_are_few(const char *suite, const char *test);
/** False: the sum over all tests that ran is higher by more than a tenth. */
int test_load_steps_sum_is_low(void);

/** Deterministic random numbers (splitmix64). */
typedef struct test_random {
  uint64_t state;
} test_random;
/** Uniform in [-1, 1). */
double test_uniform(test_random *random);
/** Between low and high, both positive; its logarithm is uniform. */
double test_between(test_random *random, double low, double high);
/** 0 .. n - 1. */
int test_one_of(test_random *random, int n);

/** Run the program under test with these arguments (a shell line); its output in out, its exit code
 * returned. */
int test_run_program(const char *arguments, char *out, size_t size);
/** Is PETSc's plug-in there? */
int test_has_petsc(void);
/** Is there a program of this name on the PATH? */
int test_has_program(const char *name);
/** A folder for the files of this suite's tests, empty when the suite begins. */
const char *test_folder(void);
