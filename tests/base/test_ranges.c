/* Items of ranges: every target gets what one thread adds, in its order. */
#include <omp.h>
#include <string.h>

#include "base/memory.h"
#include "base/ranges.h"
#include "base/share.h"
#include "test.h"

enum { ITEMS = 4000, TARGETS = 1500, EACH = 3, THREADS = 5 };

static int target_of(int i, int k, int is_near) {
  return is_near ? (i * 3 / 8 + k * 7) % TARGETS : (i * 677 + k * 401) % TARGETS;
}

typedef struct sums {
  int      is_near, at_home[ITEMS];
  uint64_t hash[TARGETS];
} sums;

/** The order counts. */
static void add(void *user, const sup_range *range, int i) {
  sums *s = user;
  int   owned = 0;
  for (int k = 0; k < EACH; k++) {
    int t = target_of(i, k, s->is_near);
    if (!sup_range_owns(range, t)) continue;
    s->hash[t] = 31 * s->hash[t] + (uint64_t)(i * EACH + k + 1), owned++;
  }
  if (sup_range_owns_all(range, i)) CHECK(owned == EACH);
  if (sup_range_owns_item(range, i)) s->at_home[i]++;
}

static void each_target_is_added_to_in_the_order_of_the_items(void) {
  static sums first, other;
  int         before = omp_get_max_threads();
  for (int is_near = 0; is_near < 2; is_near++) {
    sup_ranges r;
    OK(sup_ranges_begin(&r, ITEMS, TARGETS));
    for (int i = 0; i < ITEMS; i++)
      for (int k = 0; k < EACH; k++) sup_ranges_touch(&r, i, target_of(i, k, is_near));
    sup_ranges_finish(&r);
    omp_set_num_threads(THREADS);
    for (int threads = 1; threads <= THREADS; threads++) {
      sums *s = threads == 1 ? &first : &other;
      memset(s, 0, sizeof *s);
      s->is_near = is_near;
      sup_ranges_run(&r, threads, add, s);
      for (int i = 0; i < ITEMS; i++) CHECK(s->at_home[i] == 1);
      CHECK(memcmp(s->hash, first.hash, sizeof s->hash) == 0);
    }
    sup_ranges_free(&r);
  }
  omp_set_num_threads(before);
}

/** Each target has its home among the items, at which it is listed once. */
static void targets_are_listed_at_the_first_item_that_adds_to_them(void) {
  sup_ranges r;
  OK(sup_ranges_begin(&r, 4, 5));
  static const int touched[][2] = {{0, 3}, {0, 1}, {1, 3}, {1, 0}, {3, 4}, {3, 1}};
  for (int k = 0; k < 6; k++) sup_ranges_touch(&r, touched[k][0], touched[k][1]);
  sup_ranges_finish(&r);
  static const int home[5] = {1, 0, SUP_NONE, 0, 3}, start[5] = {0, 2, 3, 3, 4},
                   target[4] = {1, 3, 0, 4}, reach[4] = {0, 0, 2, 0}, crossing[5] = {0, 2, 1, 1, 0};
  CHECK(memcmp(r.home, home, sizeof home) == 0 && memcmp(r.first_target, start, sizeof start) == 0);
  CHECK(memcmp(r.target, target, sizeof target) == 0 && memcmp(r.reach, reach, sizeof reach) == 0);
  CHECK(memcmp(r.crossing, crossing, sizeof crossing) == 0);
  sup_ranges_free(&r);
}

static void terms_of(void *user, int i, double *term) {
  const int *width = user;
  for (int k = 0; k < *width; k++) term[k] = 1.0 / (1 + (i * 37 + k * 11) % 1013);
}

static void sums_of_terms_are_those_of_a_plain_loop(void) {
  enum { COUNT = 20011 };
  int before = omp_get_max_threads();
  omp_set_num_threads(3);
  for (int width = 1; width <= 3; width++)
    for (int columns = 1; columns <= width; columns += width - 1 + (width == 1))
      for (int threads = 1; threads <= 3; threads++) {
        double plain[3] = {0}, sum[3] = {0}, term[3];
        for (int i = 0; i < COUNT; i++) {
          terms_of(&width, i, term);
          for (int k = 0; k < width; k++) plain[k % columns] += term[k];
        }
        sup_sum_terms(threads, COUNT, width, columns, terms_of, &width, sum);
        for (int k = 0; k < columns; k++) CHECK(sum[k] == plain[k]);
      }
  omp_set_num_threads(before);
}

SUITE_TESTS(ranges, TEST(each_target_is_added_to_in_the_order_of_the_items),
            TEST(targets_are_listed_at_the_first_item_that_adds_to_them),
            TEST(sums_of_terms_are_those_of_a_plain_loop));
