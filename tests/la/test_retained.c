#include "la/supernodal/retained.h"

#include "base/memory.h"
#include "la/supernodal/elimination.h"
#include "la_case.h"

enum { MOST = 2000, SECTION = 6 };

/** Strips of 3 x 2 vertices a section beside each other, not coupled. */
static void make_strips(la_case *c, int num_strips, const int *sections) {
  static int size[MOST], pair[2 * MOST * 28];
  int        first = 0;
  size_t     num_pairs = 0;
  for (int s = 0; s < num_strips; first += SECTION * sections[s++]) {
    la_case grid = {0};
    la_case_grid(&grid, 3, 2, sections[s], 1);
    for (int j = 0; j < grid.pattern.num_blocks; j++)
      for (int e = grid.pattern.col_start[j]; e < grid.pattern.col_start[j + 1]; e++, num_pairs++)
        pair[2 * num_pairs] = first + grid.pattern.row[e], pair[2 * num_pairs + 1] = first + j;
    la_case_free(&grid);
  }
  for (int b = 0; b < first; b++) size[b] = 3;
  OK(sup_block_pattern_build(&c->pattern, first, size, num_pairs, pair));
  la_case_fill(c, 2);
}

/** Touch one side of every other section: from which block column, to which one. */
static void touch(unsigned char *touched, int first, int end) {
  for (int b = first; b < end; b++) touched[b] = b % (2 * SECTION) < SECTION / 2;
}

static int count(const unsigned char *mark, int n) {
  int sum = 0;
  for (int b = 0; b < n; b++) sum += mark[b];
  return sum;
}

/** Operations of the factor of what is left. */
static double flops_left(const la_case *c, const unsigned char *left) {
  sup_linear_solver *leading, *factor;
  sup_block_pattern  S = {0};
  OK(sup_linear_solver_create(&leading, SUP_BACKEND_SUPERNODAL, NULL));
  OK(sup_linear_solver_create(&factor, SUP_BACKEND_SUPERNODAL, NULL));
  OK(sup_linear_solver_analyse(leading, &c->pattern, left));
  OK(sup_linear_solver_schur_pattern(leading, &S));
  OK(sup_linear_solver_analyse(factor, &S, NULL));
  double flops = sup_linear_solver_info(factor).flops;
  sup_linear_solver_destroy(&leading);
  sup_linear_solver_destroy(&factor);
  sup_block_pattern_free(&S);
  return flops;
}

/* With contacts all along a strip, what is left stays sparse: its operations grow with the strip,
 * not with the cube of the contacts, and are fewer than the free factor's. */
static void a_long_strip_stays_sparse(void) {
  double flops[2];
  for (int k = 0; k < 2; k++) {
    la_case       c = {0};
    sup_retained  r = {0};
    unsigned char touched[MOST] = {0}, left[MOST];
    make_strips(&c, 1, (int[]){100 << k});
    int n = c.pattern.num_blocks;
    touch(touched, 0, n);
    OK(sup_retained_build(&r, &c.pattern));
    sup_retained_choose(&r, touched, left);
    for (int b = 0; b < n; b++) CHECK(left[b] <= 1 && left[b] >= touched[b]);
    CHECK(count(left, n) > count(touched, n) && count(left, n) < n);
    flops[k] = flops_left(&c, left);
    CHECK(flops[k] < r.symbolic.flops && flops[k] < flops_left(&c, touched) / 5);
    sup_retained_free(&r);
    la_case_free(&c);
  }
  NEAR(flops[1] / flops[0], 2, .15, 0);
}

/* Few contacts are left alone, also beside a body with many; and nothing when nothing is touched.
 */
static void every_body_has_its_own_choice(void) {
  la_case       c = {0};
  sup_retained  r = {0};
  unsigned char touched[MOST] = {0}, left[MOST];
  make_strips(&c, 2, (int[]){40, 100});
  int n = c.pattern.num_blocks, second = 40 * SECTION;
  OK(sup_retained_build(&r, &c.pattern));
  sup_retained_choose(&r, touched, left);
  CHECK(count(left, n) == 0);
  touch(touched, 0, 4 * SECTION);
  touch(touched, second, n);
  sup_retained_choose(&r, touched, left);
  CHECK(memcmp(left, touched, (size_t)second) == 0);
  CHECK(count(left + second, n - second) > count(touched + second, n - second));
  sup_retained_free(&r);
  la_case_free(&c);
}

SUITE_TESTS(retained, TEST(a_long_strip_stays_sparse), TEST(every_body_has_its_own_choice));
