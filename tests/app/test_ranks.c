/* What ranks do together (base/collective.h), by MPI. */
#include "ranks_test.h"

/* ---- what ranks do together ------------------------------------------------------------------ */

/** Different on each rank, and their sum depends on the order of its terms. */
static double term(int rank, size_t i) {
  test_random random = {(uint64_t)rank * 1000003u + i};
  return test_uniform(&random) * pow(10, (double)(i % 7));
}

static void sums_are_those_of_the_ranks_in_their_order(void) {
  ON_RANKS("ranks.sums_are_those_of_the_ranks_in_their_order");
  static const size_t counts[] = {0, 1, 3, 64, 65, 1000, 65536, 200001};
  for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
    size_t   n = counts[k], wrong = 0;
    double  *x = calloc(n + 1, sizeof *x), *y = calloc(n + 1, sizeof *y);
    int64_t *m = calloc(n + 1, sizeof *m), *l = calloc(n + 1, sizeof *l);
    for (size_t i = 0; i < n; i++) {
      x[i] = y[i] = term(c->rank, i);
      m[i] = l[i] = (int64_t)i * (c->rank + 1) - 50;
    }
    c->sum(c, n, x), c->max(c, n, y), c->sum_integers(c, n, m), c->max_integers(c, n, l);
    for (size_t i = 0; i < n; i++) {
      double sum = term(0, i), largest = term(0, i);
      for (int r = 1; r < c->size; r++) sum += term(r, i), largest = fmax(largest, term(r, i));
      wrong += x[i] != sum || y[i] != largest || m[i] != 3 * (int64_t)i - 100 ||
               l[i] != 2 * (int64_t)i - 50;
    }
    CHECK(wrong == 0);
    free(x), free(y), free(m), free(l);
  }
}

static void a_number_that_is_none_stays_none(void) {
  ON_RANKS("ranks.a_number_that_is_none_stays_none");
  CHECK(isnan(sup_max_of_ranks(c, c->rank == 0 ? NAN : 1)));
  CHECK(isnan(sup_max_of_ranks(c, c->rank == 1 ? NAN : 1)));
  CHECK(isnan(sup_sum_of_ranks(c, c->rank == 1 ? NAN : 1)));
}

static void what_is_gathered_and_exchanged_arrives(void) {
  ON_RANKS("ranks.what_is_gathered_and_exchanged_arrives");
  int         own[3] = {c->rank, 7, 10 * c->rank}, all[3 * TEST_NUM_RANKS], other = 1 - c->rank;
  char        text[TEST_NUM_RANKS * 8], in[8] = "", word[8] = "";
  size_t      bytes[TEST_NUM_RANKS] = {4, 3};
  sup_message message = {.rank = other, .bytes = 2, .out = c->rank ? "b" : "a", .in = in};
  c->gather(c, sizeof own, own, all);
  for (int r = 0; r < c->size; r++)
    CHECK(all[3 * r] == r && all[3 * r + 1] == 7 && all[3 * r + 2] == 10 * r);
  c->gather_parts(c, bytes, c->rank ? "xyz" : "abcd", text);
  CHECK(memcmp(text, "abcdxyz", 7) == 0);
  c->exchange(c, 1, &message);
  CHECK(strcmp(in, c->rank ? "a" : "b") == 0);
  if (c->rank == 1) strcpy(word, "hello");
  c->broadcast(c, 1, sizeof word, word);
  CHECK(strcmp(word, "hello") == 0);
  CHECK(c->meet(c, 30) == 1);
}

static void the_failure_of_one_rank_is_that_of_all(void) {
  ON_RANKS("ranks.the_failure_of_one_rank_is_that_of_all");
  OK(sup_agree(c, SUP_OK));
  sup_status own = c->rank == 1 ? SUP_FAIL(SUP_E_GEOMETRY, "cell 7 is flat") : SUP_OK;
  FAILS(sup_agree(c, own), SUP_E_GEOMETRY, "cell 7 is flat");
}

SUITE_TESTS(ranks, TEST(sums_are_those_of_the_ranks_in_their_order),
            TEST(a_number_that_is_none_stays_none), TEST(what_is_gathered_and_exchanged_arrives),
            TEST(the_failure_of_one_rank_is_that_of_all));
