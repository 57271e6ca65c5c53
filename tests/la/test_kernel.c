#include <stdlib.h>
#include <string.h>

#include "la/kernel.h"
#include "test.h"

enum { MAX_SETS = 3, MAX_INNER = 41, MAX_ROWS = 96, SIZE = MAX_ROWS * (MAX_INNER + 8) };

/** All arrays of the kernels in one piece of aligned memory. */
typedef struct workspace {
  double panel[SIZE], strip[MAX_ROWS * SUP_KERNEL_STRIP], x[MAX_ROWS], y[MAX_ROWS];
} workspace;

static workspace *new_workspace(void) {
  size_t bytes = (sizeof(workspace) + 63) / 64 * 64;
  void  *space = aligned_alloc(64, bytes);
  memset(space, 0, bytes);
  return space;
}

/** Sets that run here; the last is the plain one. */
static int find_sets(const sup_kernels **set) {
  int count = 0;
  for (int k = 0, end = 0;; k++) {
    const sup_kernels *kernels = sup_kernel_set(k, &end);
    if (end) return count;
    if (kernels) set[count++] = kernels;
  }
}

static int align_up(int rows) { return (rows + SUP_PANEL_ALIGN - 1) / SUP_PANEL_ALIGN * SUP_PANEL_ALIGN; }

/** A panel of a positive definite matrix: `width` columns, `below` rows under the padded diagonal block. */
static void fill_panel(workspace *w, int width, int below, int *top, int *ld) {
  test_random random = {(uint64_t)(width * 100 + below)};
  *top = align_up(width);
  *ld = *top + align_up(below);
  memset(w, 0, sizeof *w);
  for (int j = 0; j < width; j++) {
    for (int i = j; i < width; i++) w->panel[j * *ld + i] = i == j ? width + 1 : test_uniform(&random);
    for (int i = 0; i < below; i++) w->panel[j * *ld + *top + i] = test_uniform(&random);
    w->x[j] = test_uniform(&random);
  }
  for (int i = 0; i < below; i++) w->y[i] = test_uniform(&random);
}

static void factor_reproduces_the_panel(void) {
  const sup_kernels *set[MAX_SETS];
  int                num_sets = find_sets(set), top, ld;
  workspace         *a = new_workspace(), *w = new_workspace();
  for (int s = 0; s < num_sets; s++)
    for (int width = 1; width <= MAX_INNER; width++)
      for (int below = 0; below < 44; below += 7) {
        double pivot;
        fill_panel(a, width, below, &top, &ld);
        memcpy(w, a, sizeof *w);
        CHECK(set[s]->factor(ld, width, w->panel, ld, &pivot) == SUP_NONE);
        for (int j = 0; j < width; j++) {
          double *diagonal = &w->panel[j * ld + j];
          CHECK(*diagonal > 0);
          *diagonal = 1 / *diagonal;
          for (int i = j; i < ld; i++) {
            double sum = 0;
            if (i >= width && i < top) CHECK(w->panel[j * ld + i] == 0); /* padding stays zero */
            if (i >= top + below) CHECK(w->panel[j * ld + i] == 0);
            for (int k = 0; k <= j; k++) sum += w->panel[k * ld + i] * w->panel[k * ld + j];
            NEAR(sum, a->panel[j * ld + i], 0, 1e-13);
          }
        }
      }
  free(a);
  free(w);
}

static void update_and_scatter_agree_with_loops(void) {
  const sup_kernels *set[MAX_SETS];
  int                num_sets = find_sets(set);
  workspace         *w = new_workspace(), *to = new_workspace();
  test_random        random = {1};
  for (int k = 0; k < SIZE; k++) w->panel[k] = test_uniform(&random);
  /* the source's rows 16 .. 40 in three runs; the strip starts at row 16, its first column is row 19 */
  const sup_run run[] = {{9, 30, 13}, {22, 3, 1}, {23, 60, 17}};
  for (int s = 0; s < num_sets; s++)
    for (int inner = 1; inner <= 20; inner += 3)
      for (int cols = 1; cols <= SUP_KERNEL_STRIP; cols++) {
        int     rows = 24, base = 16, first = 19, ld = 48;
        double *column[SUP_KERNEL_STRIP];
        memset(to, 0, sizeof *to);
        for (int j = 0; j < cols; j++) column[j] = to->panel + j * MAX_ROWS;
        set[s]->update(rows, cols, inner, w->panel + base, ld, w->panel + first, ld, w->strip);
        set[s]->scatter(run, run + 3, base, first, rows, cols, w->strip, column);
        for (int j = 0; j < cols; j++) {
          double expected[MAX_ROWS] = {0};
          for (int r = first; r < base + rows; r++) {
            int place = r < 22 ? r - 9 + 30 : r < 23 ? 3 : r - 23 + 60;
            for (int k = 0; k < inner; k++) expected[place] -= w->panel[k * ld + r] * w->panel[k * ld + first + j];
          }
          for (int i = 0; i < MAX_ROWS; i++) NEAR(column[j][i], expected[i], 0, 1e-13);
        }
      }
  free(w);
  free(to);
}

static void solves_undo_the_factor(void) {
  const sup_kernels *set[MAX_SETS];
  int                num_sets = find_sets(set), top, ld;
  workspace         *a = new_workspace(), *w = new_workspace();
  for (int s = 0; s < num_sets; s++)
    for (int width = 1; width <= MAX_INNER; width += 2)
      for (int below = 0; below < 48; below += 9) {
        double pivot;
        fill_panel(a, width, below, &top, &ld);
        CHECK(set[s]->factor(ld, width, a->panel, ld, &pivot) == SUP_NONE);
        memcpy(w, a, sizeof *w);
        set[s]->forward(ld, width, top, w->panel, ld, w->x, w->y);
        for (int i = 0; i < top + below; i++) { /* L x is the right-hand side, y = -L21 x */
          double sum = 0;
          if (i >= width && i < top) continue;
          for (int j = 0; j < width && j <= i; j++)
            sum += (i == j ? 1 / w->panel[j * ld + j] : w->panel[j * ld + i]) * w->x[j];
          NEAR(i < top ? sum : -sum, i < top ? a->x[i] : w->y[i - top], 0, 1e-13);
        }
        memcpy(w, a, sizeof *w);
        set[s]->backward(ld, width, top, w->panel, ld, w->x, w->y);
        for (int j = 0; j < width; j++) {
          double sum = 0;
          for (int i = j; i < width; i++) sum += (i == j ? 1 / w->panel[j * ld + j] : w->panel[j * ld + i]) * w->x[i];
          for (int i = 0; i < below; i++) sum += w->panel[j * ld + top + i] * w->y[i];
          NEAR(sum, a->x[j], 0, 1e-13);
        }
      }
  free(a);
  free(w);
}

/* A run on a machine with AVX-512 and one on a machine without must agree: the same bits from every set with FMA. */
static void vector_widths_give_identical_bits(void) {
  const sup_kernels *set[MAX_SETS];
  int                num_sets = find_sets(set), top, ld;
  const sup_run      run[] = {{0, 3, 7}, {7, 20, 3}, {10, 30, 30}};
  if (num_sets < 3) SKIP("this processor runs %d kernel sets; needs AVX2 and AVX-512", num_sets);
#ifdef SUP_SANITIZED
  SKIP("checks between a product and its sum keep the compiler from fusing them; ");
#endif
  workspace *w[2] = {new_workspace(), new_workspace()}, *to[2] = {new_workspace(), new_workspace()};
  for (int width = 1; width <= MAX_INNER; width++)
    for (int below = 1; below <= 40; below += 3) {
      for (int s = 0; s < 2; s++) {
        double  pivot, *column[SUP_KERNEL_STRIP];
        double *x = w[s]->x, *y = w[s]->y;
        int     cols = below < SUP_KERNEL_STRIP ? below : SUP_KERNEL_STRIP;
        fill_panel(w[s], width, below, &top, &ld);
        memset(to[s], 0, sizeof *to[s]);
        for (int j = 0; j < cols; j++) column[j] = to[s]->panel + j * MAX_ROWS;
        CHECK(set[s]->factor(ld, width, w[s]->panel, ld, &pivot) == SUP_NONE);
        set[s]->update(ld - top, cols, width, w[s]->panel + top, ld, w[s]->panel + top, ld, w[s]->strip);
        set[s]->scatter(run, run + 3, 0, 0, ld - top, cols, w[s]->strip, column);
        set[s]->forward(ld, width, top, w[s]->panel, ld, x, y);
        set[s]->backward(ld, width, top, w[s]->panel, ld, x, y);
        for (int j = 0; j < width; j++) /* above the diagonal is garbage */
          memset(w[s]->panel + j * ld, 0, (size_t)j * sizeof(double));
      }
      CHECK(memcmp(w[0], w[1], sizeof *w[0]) == 0);
      CHECK(memcmp(to[0], to[1], sizeof *to[0]) == 0);
    }
  for (int s = 0; s < 2; s++) {
    free(w[s]);
    free(to[s]);
  }
}

static void first_failed_pivot_is_returned(void) {
  const sup_kernels *set[MAX_SETS];
  int                num_sets = find_sets(set), top, ld;
  workspace         *w = new_workspace();
  for (int s = 0; s < num_sets; s++)
    for (int column = 0; column < 23; column++) {
      double pivot = 0;
      fill_panel(w, 23, 5, &top, &ld);
      w->panel[column * ld + column] = -2;
      CHECK(set[s]->factor(ld, 23, w->panel, ld, &pivot) == column);
      CHECK(pivot <= -2);
      fill_panel(w, 23, 5, &top, &ld);
      w->panel[column * ld + column] = (double)NAN;
      CHECK(set[s]->factor(ld, 23, w->panel, ld, &pivot) == column);
    }
  free(w);
}

SUITE_TESTS(kernel, TEST(factor_reproduces_the_panel), TEST(update_and_scatter_agree_with_loops),
            TEST(solves_undo_the_factor), TEST(vector_widths_give_identical_bits),
            TEST(first_failed_pivot_is_returned));
