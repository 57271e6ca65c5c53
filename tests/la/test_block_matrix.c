#include <omp.h>
#include <string.h>

#include "base/memory.h"
#include "la_case.h"

static void pattern_sorts_pairs_and_drops_repeats(void) {
  sup_block_pattern p = {0};
  int               size[] = {3, 1, 2, 4}, pair[] = {3, 0, 0, 3, 2, 2, 1, 2, 2, 1, 0, 1, 3, 0};
  OK(sup_block_pattern_build(&p, 4, size, 7, pair));
  int expected_start[] = {0, 3, 5, 6, 7}, expected_row[] = {0, 1, 3, 1, 2, 2, 3},
      value[] = {0, 9, 12, 24, 25, 27, 31, 47};
  CHECK(p.num_scalars == 10);
  for (int k = 0; k < 5; k++) CHECK(p.col_start[k] == expected_start[k]);
  for (int k = 0; k < 7; k++) CHECK(p.row[k] == expected_row[k]);
  for (int k = 0; k < 8; k++) CHECK(p.value_start[k] == (size_t)value[k]);
  CHECK(sup_block_pattern_find(&p, 3, 0) == 2);
  CHECK(sup_block_pattern_find(&p, 2, 0) == SUP_NONE);
  CHECK(sup_block_pattern_find(&p, 3, 2) == SUP_NONE);
  sup_block_pattern_free(&p);
}

/* Against a table of all pairs, for a pattern that is rebuilt in place with other sizes. */
static void find_agrees_with_a_table(void) {
  sup_block_pattern p = {0};
  test_random       random = {3};
  for (int round = 0; round < 20; round++) {
    int n = 1 + la_case_pick(&random, 40), num_pairs = la_case_pick(&random, 120), size[40],
        pair[240];
    unsigned char table[40][40] = {{0}};
    for (int b = 0; b < n; b++) size[b] = 1 + la_case_pick(&random, 7), table[b][b] = 1;
    for (int k = 0; k < 2 * num_pairs; k++) pair[k] = la_case_pick(&random, n);
    for (int k = 0; k < num_pairs; k++)
      table[pair[2 * k]][pair[2 * k + 1]] = table[pair[2 * k + 1]][pair[2 * k]] = 1;
    OK(sup_block_pattern_build(&p, n, size, (size_t)num_pairs, pair));
    size_t num_values = 0;
    for (int j = 0; j < n; j++) {
      CHECK(p.row[p.col_start[j]] == j);
      for (int i = j; i < n; i++) {
        int e = sup_block_pattern_find(&p, i, j);
        CHECK((e != SUP_NONE) == table[i][j]);
        if (e != SUP_NONE) CHECK(p.row[e] == i && e >= p.col_start[j] && e < p.col_start[j + 1]);
        if (e != SUP_NONE) num_values += (size_t)(size[i] * size[j]);
      }
    }
    CHECK(sup_block_pattern_num_values(&p) == num_values);
  }
  sup_block_pattern_free(&p);
}

static void product_agrees_with_the_dense_matrix(void) {
  la_case c = {0};
  for (uint64_t seed = 1; seed < 8; seed++) {
    la_case_random(&c, 17, 6, 5, seed);
    int     n = c.pattern.num_scalars;
    double *a = la_case_dense(&c), *x = calloc((size_t)n, sizeof *x),
           *y = calloc((size_t)n, sizeof *y);
    test_random random = {seed};
    for (int i = 0; i < n; i++) x[i] = test_uniform(&random);
    sup_block_multiply(&c.pattern, c.values, x, y);
    for (int i = 0; i < n; i++) {
      double sum = 0;
      for (int j = 0; j < n; j++) sum += a[j * n + i] * x[j];
      NEAR(y[i], sum, 0, 1e-13);
    }
    free(a);
    free(x);
    free(y);
  }
  la_case_free(&c);
}

static void bad_input_is_refused_and_the_pattern_can_be_built_again(void) {
  sup_block_pattern p = {0};
  int size[] = {3, 0, 2}, good[] = {3, 1, 2}, outside[] = {0, 1, 2, 3}, negative[] = {0, -1};
  FAILS(sup_block_pattern_build(&p, -1, size, 0, NULL), SUP_E_ARG, "-1 block columns");
  FAILS(sup_block_pattern_build(&p, 3, size, 0, NULL), SUP_E_ARG, "block column 1 has 0 scalars");
  FAILS(sup_block_pattern_build(&p, 3, good, 2, outside), SUP_E_ARG,
        "pair 1 names block column 3; there are 3");
  FAILS(sup_block_pattern_build(&p, 3, good, 1, negative), SUP_E_ARG,
        "pair 0 names block column -1");
  CHECK(sup_block_pattern_num_values(&p) == 0);
  int huge[] = {2000000000, 2000000000};
  FAILS(sup_block_pattern_build(&p, 2, huge, 0, NULL), SUP_E_ARG, "4000000000 scalars");
  OK(sup_block_pattern_build(&p, 3, good, 1, outside));
  CHECK(sup_block_pattern_num_values(&p) == 9 + 1 + 4 + 3);
  sup_block_pattern_free(&p);
}

static void every_failed_allocation_is_reported_and_survived(void) {
  int size[] = {3, 1, 2, 3}, pair[] = {0, 1, 2, 3, 1, 3};
  for (long k = 1;; k++) {
    sup_block_pattern p = {0};
    sup_memory_fail_at(k);
    sup_status status = sup_block_pattern_build(&p, 4, size, 3, pair);
    sup_memory_fail_at(0);
    CHECK(status == SUP_OK || status == SUP_E_MEMORY);
    OK(sup_block_pattern_build(&p, 4, size, 3, pair));
    CHECK(sup_block_pattern_find(&p, 3, 1) == 3);
    sup_block_pattern_free(&p);
    if (status == SUP_OK) {
      CHECK(k > 5);
      break;
    }
  }
}

static void a_smaller_pattern_allocates_nothing(void) {
  la_case c = {0};
  la_case_random(&c, 60, 5, 8, 1);
  int size[30], pair[] = {0, 29, 3, 4};
  for (int b = 0; b < 30; b++) size[b] = 3;
  sup_memory_fail_at(1);
  sup_status status = sup_block_pattern_build(&c.pattern, 30, size, 2, pair);
  sup_memory_fail_at(0);
  OK(status);
  la_case_free(&c);
}

/** Vertices, and blocks of any sizes. */
static void product_has_the_same_bits_on_any_number_of_threads(void) {
  int before = omp_get_max_threads();
  for (int kind = 0; kind < 2; kind++) {
    la_case c = {0};
    if (kind)
      la_case_random(&c, 900, 6, 30, 5);
    else
      la_case_grid(&c, 12, 12, 12, 5);
    CHECK(sup_block_pattern_num_values(&c.pattern) >
          120000); /* four threads have something to do */
    size_t      n = (size_t)c.pattern.num_scalars;
    double     *x = calloc(n, sizeof *x), *y[2] = {calloc(n, sizeof *x), calloc(n, sizeof *x)};
    test_random random = {6};
    for (size_t i = 0; i < n; i++) x[i] = test_uniform(&random);
    for (int threads = 1; threads <= 4; threads++) {
      omp_set_num_threads(threads);
      sup_block_multiply(&c.pattern, c.values, x, y[threads > 1]);
      if (threads > 1) CHECK(memcmp(y[0], y[1], n * sizeof *x) == 0);
    }
    free(x);
    free(y[0]);
    free(y[1]);
    la_case_free(&c);
  }
  omp_set_num_threads(before);
}

SUITE_TESTS(block_matrix, TEST(pattern_sorts_pairs_and_drops_repeats),
            TEST(find_agrees_with_a_table), TEST(product_agrees_with_the_dense_matrix),
            TEST(bad_input_is_refused_and_the_pattern_can_be_built_again),
            TEST(every_failed_allocation_is_reported_and_survived),
            TEST(a_smaller_pattern_allocates_nothing),
            TEST(product_has_the_same_bits_on_any_number_of_threads));
