#include <math.h>

#include "base/memory.h"
#include "la/supernodal/nested_dissection.h"
#include "la/supernodal/reroot.h"
#include "la_case.h"

/** Structure of the Cholesky factor of the permuted graph by plain elimination: fill[i * n + j], i
 * > j. */
static unsigned char *eliminate(const sup_symbolic *s) {
  int            n = s->num_blocks;
  unsigned char *fill = calloc((size_t)n * (size_t)n + 1, 1);
  for (int j = 0; j < n; j++)
    for (int p = s->graph.start[s->order[j]]; p < s->graph.start[s->order[j] + 1]; p++)
      fill[s->position[s->graph.neighbor[p]] * n + j] = 1;
  for (int k = 0; k < n; k++)
    for (int j = k + 1; j < n; j++)
      for (int i = j + 1; fill[j * n + k] && i < n; i++)
        if (fill[i * n + k]) fill[i * n + j] = 1;
  return fill;
}

/** 1: the block (i, j), i > j, is stored in a panel. */
static int is_stored(const sup_symbolic *s, int i, int j) {
  int k = s->super_of[j];
  if (s->super_of[i] == k) return 1;
  for (int r = s->row_start[k]; r < s->row_start[k + 1]; r++)
    if (s->row[r] == i) return 1;
  return 0;
}

static void check_order(const sup_symbolic *s, const sup_block_pattern *pattern,
                        const unsigned char *last) {
  int n = pattern->num_blocks;
  CHECK(s->num_blocks == n && s->super_start[s->num_supernodes] == n);
  CHECK(s->offset[n] == pattern->num_scalars);
  for (int k = 0; k < n; k++) {
    CHECK(s->position[s->order[k]] == k);
    CHECK((s->super_of[k] >= s->num_leading) ==
          (last && last[s->order[k]])); /* last ones last, never mixed */
  }
}

static void check_rows(const sup_symbolic *s) {
  for (int k = 0; k < s->num_supernodes; k++) {
    int below = s->super_start[k + 1];
    CHECK(s->super_start[k] < below);
    for (int r = s->row_start[k]; r < s->row_start[k + 1]; r++) {
      CHECK(s->row[r] >= below);
      below = s->row[r] + 1;
    }
  }
}

/** Panels hold the factor of their order, and a row below a supernode is a true entry of one of its
 * columns: amalgamation adds zeros, never rows. */
static void check_factor(const sup_symbolic *s, const sup_block_pattern *pattern,
                         const unsigned char *last) {
  int n = pattern->num_blocks;
  check_order(s, pattern, last);
  check_rows(s);
  unsigned char *fill = eliminate(s);
  for (int j = 0; j < n; j++)
    for (int i = j + 1; i < n; i++) CHECK(!fill[i * n + j] || is_stored(s, i, j));
  for (int k = 0; k < s->num_supernodes; k++)
    for (int r = s->row_start[k]; r < s->row_start[k + 1]; r++) {
      int found = 0;
      for (int j = s->super_start[k]; j < s->super_start[k + 1]; j++)
        found |= fill[s->row[r] * n + j];
      CHECK(found);
    }
  free(fill);
}

static void panels_hold_the_whole_factor(void) {
  sup_symbolic s = {0};
  la_case      c = {0};
  for (int round = 0; round < 24; round++) {
    unsigned char last[70] = {0};
    la_case_random(&c, 1 + 9 * round % 70, 1 + round % 9, 1 + round % 5, (uint64_t)round);
    for (int b = 0; b < c.pattern.num_blocks; b++)
      last[b] = round % 3 == 2 && b % (2 + round % 4) == 0;
    OK(sup_symbolic_analyze(&s, &c.pattern, round % 3 ? last : NULL));
    check_factor(&s, &c.pattern, last);
  }
  la_case_free(&c);
  sup_symbolic_free(&s);
}

static int same_structure(const sup_symbolic *a, const sup_symbolic *b) {
  size_t n = (size_t)a->num_blocks, k = (size_t)a->num_supernodes;
  if (b->num_blocks != a->num_blocks || b->num_supernodes != a->num_supernodes ||
      b->num_leading != a->num_leading)
    return 0;
  return memcmp(a->order, b->order, n * sizeof(int)) == 0 &&
         memcmp(a->super_start, b->super_start, (k + 1) * sizeof(int)) == 0 &&
         memcmp(a->row_start, b->row_start, (k + 1) * sizeof(int)) == 0 &&
         memcmp(a->row, b->row, (size_t)a->row_start[k] * sizeof(int)) == 0;
}

/* From none to all columns last, on graphs of one part and of many, one working memory after the
 * other: what came before does not matter. */
static void a_new_root_keeps_the_whole_factor(void) {
  sup_symbolic base = {0}, s = {0}, other = {0};
  sup_reroot   work = {0}, afresh = {0};
  la_case      c = {0};
  test_random  random = {7};
  for (int round = 0; round < 40; round++) {
    unsigned char last[80];
    if (round % 4 == 3)
      la_case_grid(&c, 2, 3, 2 + round / 4, (uint64_t)round);
    else
      la_case_random(&c, 1 + 11 * round % 80, 1 + round % 9, 1 + round % 5, (uint64_t)round);
    OK(sup_symbolic_analyze(&base, &c.pattern, NULL));
    for (int b = 0; b < c.pattern.num_blocks; b++)
      last[b] = la_case_pick(&random, 10) < (round / 4) % 11;
    OK(sup_reroot_analyze(&work, &s, &base, &c.pattern, last));
    check_factor(&s, &c.pattern, last);
    OK(sup_reroot_analyze(&afresh, &other, &base, &c.pattern, last));
    CHECK(same_structure(&s, &other));
    sup_reroot_free(&afresh);
    sup_symbolic_free(&other);
  }
  la_case_free(&c);
  sup_symbolic_free(&base);
  sup_symbolic_free(&s);
  sup_reroot_free(&work);
}

/* Patches that move along a bar and through a cube: the leading part takes a tenth more operations
 * than the factor without last columns, or no more than an order of all columns. */
static void a_new_root_takes_hardly_more_operations(void) {
  static const int size[2][3] = {{4, 4, 63}, {10, 10, 10}};
  sup_symbolic     base = {0}, s = {0}, whole = {0};
  sup_reroot       work = {0};
  la_case          c = {0};
  for (int k = 0; k < 2; k++) {
    int    nx = size[k][0], ny = size[k][1], nz = size[k][2];
    double most = 0;
    la_case_grid(&c, nx, ny, nz, 1);
    OK(sup_symbolic_analyze(&base, &c.pattern, NULL));
    for (int at = 0; at + 4 <= nz; at += nz / 8) {
      unsigned char last[1024] = {0};
      for (int z = at; z < at + 4; z++)
        for (int x = 0; x < nx; x++) last[(z * ny + ny - 1) * nx + x] = 1;
      OK(sup_reroot_analyze(&work, &s, &base, &c.pattern, last));
      OK(sup_symbolic_analyze(&whole, &c.pattern, last));
      double flops = s.flops - s.trailing_flops,
             limit = fmax(1.1 * base.flops, whole.flops - whole.trailing_flops);
      CHECK(flops <= limit);
      most = fmax(most, flops / (whole.flops - whole.trailing_flops));
    }
    printf("at most %.2f times those of an order of all, ", most);
    CHECK(most < 1.25);
  }
  la_case_free(&c);
  sup_symbolic_free(&base);
  sup_symbolic_free(&s);
  sup_symbolic_free(&whole);
  sup_reroot_free(&work);
}

/* A chain of blocks has a factor without fill in any good order, and a dense matrix is one
 * supernode. */
static void extreme_graphs_have_the_expected_factor(void) {
  sup_symbolic      s = {0};
  sup_block_pattern p = {0};
  int               size[30] = {0}, pair[900], num_pairs = 0;
  for (int b = 0; b < 30; b++) size[b] = 3;
  for (int i = 0; i < 30; i++)
    for (int j = 0; j < i; j++) pair[2 * num_pairs] = i, pair[2 * num_pairs++ + 1] = j;
  OK(sup_block_pattern_build(&p, 30, size, (size_t)num_pairs, pair));
  OK(sup_symbolic_analyze(&s, &p, NULL));
  CHECK(s.num_supernodes == 1);
  NEAR(s.nonzeros, 90 * 91 / 2, 0, 0);
  NEAR(s.flops, 90.0 * 90 * 90 / 3, 1e-14, 0);
  OK(sup_block_pattern_build(&p, 30, size, 0, NULL));
  OK(sup_symbolic_analyze(&s, &p, NULL));
  CHECK(s.num_supernodes == 30 && s.row_start[30] == 0);
  NEAR(s.nonzeros, 30 * 6, 0, 0);
  num_pairs = 0;
  for (int i = 1; i < 30; i++) pair[2 * num_pairs] = i, pair[2 * num_pairs++ + 1] = i - 1;
  OK(sup_block_pattern_build(&p, 30, size, (size_t)num_pairs, pair));
  OK(sup_symbolic_analyze(&s, &p, NULL));
  unsigned char *fill = eliminate(&s);
  int            count = 0;
  for (int k = 0; k < 900; k++) count += k / 30 > k % 30 && fill[k];
  CHECK(count == 29);
  free(fill);
  sup_block_pattern_free(&p);
  sup_symbolic_free(&s);
}

/** 1: the first n of both hold the same nodes. */
static int same_nodes(const int *a, const int *b, int n) {
  int count[1000] = {0}, same = 1;
  for (int k = 0; k < n; k++) count[a[k]]++, count[b[k]]--;
  for (int k = 0; k < 1000; k++) same &= count[k] == 0;
  return same;
}

static void nested_dissection_reorders_the_leading_nodes_alone(void) {
  sup_symbolic   s = {0};
  sup_order_work work = {0};
  la_case        c = {0};
  int            start[1000], order[2][1000];
  la_case_grid(&c, 10, 10, 10, 1);
  OK(sup_symbolic_analyze(&s, &c.pattern, NULL));
  for (int k = 0; k < 1000; k++) start[k] = 999 - k;
  for (int count = 1000; count >= 0; count -= 250) {
    for (int k = 0; k < 2; k++) {
      memcpy(order[k], start, sizeof start);
      OK(sup_nested_dissection(&work, &s.graph, count, order[k]));
    }
    CHECK(memcmp(order[0], order[1], sizeof start) == 0);
    CHECK(same_nodes(order[0], start, count));
    CHECK(memcmp(order[0] + count, start + count, (size_t)(1000 - count) * sizeof *start) == 0);
  }
  sup_order_work_free(&work);
  sup_symbolic_free(&s);
  la_case_free(&c);
}

/* Minimum degree takes 2.4e8 operations for the cube, nested dissection 1.6e8; a bar of the same
 * number of vertices is left to minimum degree. */
static void compact_meshes_are_dissected(void) {
  sup_symbolic s = {0};
  la_case      c = {0};
  la_case_grid(&c, 10, 10, 10, 1);
  OK(sup_symbolic_analyze(&s, &c.pattern, NULL));
  CHECK(s.flops < 1.9e8);
  la_case_grid(&c, 4, 4, 63, 1);
  OK(sup_symbolic_analyze(&s, &c.pattern, NULL));
  CHECK(s.flops < 2.2e7);
  sup_symbolic_free(&s);
  la_case_free(&c);
}

/** Both numberings give an order of all nodes, those that are last at its end. */
static void check_orders(const sup_graph *graph, const unsigned char *last) {
  sup_order_work work = {0};
  int            n = graph->num_nodes, *order = calloc((size_t)n, sizeof *order),
      *seen = calloc((size_t)n, sizeof *seen);
  for (int by_levels = 0; by_levels < 2; by_levels++) {
    int begun = 0;
    OK(sup_order_compute(&work, graph, last, by_levels, order));
    for (int k = 0; k < n; k++) {
      CHECK(order[k] >= 0 && order[k] < n && seen[order[k]]++ == by_levels);
      begun |= last[order[k]];
      CHECK(last[order[k]] == begun);
    }
  }
  sup_order_work_free(&work);
  free(order);
  free(seen);
}

/* Operations with nodes numbered by levels: 1.5e8 (bar), 3.4e8 (plate); in their own order:
 * 1.8e8, 2.4e8. */
static void the_better_numbering_is_taken(void) {
  sup_symbolic  s = {0};
  la_case       c = {0};
  unsigned char last[1024];
  la_case_grid(&c, 8, 8, 16, 1);
  OK(sup_symbolic_analyze(&s, &c.pattern, NULL));
  CHECK(s.flops < 1.65e8);
  for (int b = 0; b < 1024; b++) last[b] = b % 9 == 4;
  check_orders(&s.graph, last);
  la_case_grid(&c, 2, 40, 40, 1);
  OK(sup_symbolic_analyze(&s, &c.pattern, NULL));
  CHECK(s.flops < 2.6e8);
  la_case_random(&c, 1000, 3, 2.5, 1); /* many separate parts */
  OK(sup_symbolic_analyze(&s, &c.pattern, NULL));
  check_orders(&s.graph, last);
  sup_symbolic_free(&s);
  la_case_free(&c);
}

/* Wide supernodes come in pieces; a block wider than a piece stays whole. */
static void wide_supernodes_come_in_pieces(void) {
  sup_symbolic      s = {0};
  sup_block_pattern p = {0};
  int               size[200], pair[40000], num_pairs = 0;
  for (int b = 0; b < 200; b++) size[b] = b == 77 ? 500 : 3;
  for (int i = 0; i < 200; i++)
    for (int j = 0; j < i && num_pairs < 20000; j++)
      pair[2 * num_pairs] = i, pair[2 * num_pairs++ + 1] = j;
  OK(sup_block_pattern_build(&p, 200, size, (size_t)num_pairs, pair));
  OK(sup_symbolic_analyze(&s, &p, NULL));
  CHECK(s.num_supernodes >= 5);
  for (int k = 0; k < s.num_supernodes; k++) {
    int width = s.offset[s.super_start[k + 1]] - s.offset[s.super_start[k]];
    CHECK(width <= 216 || (width == 500 && s.super_start[k + 1] - s.super_start[k] == 1));
    CHECK(s.row_start[k + 1] - s.row_start[k] ==
          200 - s.super_start[k + 1]); /* dense: every later block */
  }
  sup_block_pattern_free(&p);
  sup_symbolic_free(&s);
}

SUITE_TESTS(symbolic, TEST(panels_hold_the_whole_factor), TEST(a_new_root_keeps_the_whole_factor),
            TEST(a_new_root_takes_hardly_more_operations),
            TEST(extreme_graphs_have_the_expected_factor),
            TEST(nested_dissection_reorders_the_leading_nodes_alone),
            TEST(compact_meshes_are_dissected), TEST(the_better_numbering_is_taken),
            TEST(wide_supernodes_come_in_pieces));
