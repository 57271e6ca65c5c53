#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "la/supernodal/kernel.h"
#include "test.h"

enum { MAX_SETS = 3, MAX_INNER = 41, MAX_ROWS = 96, SIZE = MAX_ROWS * (MAX_INNER + 8) };

/** All arrays of the kernels in one piece of aligned memory. */
typedef struct workspace {
  double panel[SIZE], operand[MAX_ROWS * MAX_INNER], x[MAX_ROWS], y[MAX_ROWS];
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

static int align_up(int rows) {
  return (rows + SUP_PANEL_ALIGN - 1) / SUP_PANEL_ALIGN * SUP_PANEL_ALIGN;
}

/** A panel of a positive definite matrix: `width` columns, `below` rows under the padded diagonal
 * block. */
static void fill_panel(workspace *w, int width, int below, int *top, int *ld) {
  test_random random = {(uint64_t)(width * 100 + below)};
  *top = align_up(width);
  *ld = *top + align_up(below);
  memset(w, 0, sizeof *w);
  for (int j = 0; j < width; j++) {
    for (int i = j; i < width; i++)
      w->panel[j * *ld + i] = i == j ? width + 1 : test_uniform(&random);
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

/* Joints of a tree from the leaves to the root: branches of 9 couple with themselves and the 4 of
 * the root alone.  The factor has no entry where the matrix has none, so that a branch more costs
 * as many as the last one. */
static void branches_of_a_tree_do_not_fill_in(void) {
  enum { BRANCH = 9, ROOT = 4 };
  const sup_kernels *set[MAX_SETS];
  int                num_sets = find_sets(set), top, ld;
  workspace         *a = new_workspace(), *w = new_workspace();
  for (int s = 0; s < num_sets; s++)
    for (int branches = 1; branches <= 4; branches++) {
      int    n = branches * BRANCH + ROOT, count = 0;
      double pivot;
      fill_panel(a, n, 0, &top, &ld);
      for (int j = 0; j < branches * BRANCH; j++)
        for (int i = j + 1; i < branches * BRANCH; i++)
          if (i / BRANCH != j / BRANCH) a->panel[j * ld + i] = 0;
      memcpy(w, a, sizeof *w);
      CHECK(set[s]->factor(ld, n, w->panel, ld, &pivot) == SUP_NONE);
      for (int j = 0; j < n; j++) {
        w->panel[j * ld + j] = 1 / w->panel[j * ld + j];
        for (int i = j; i < n; i++) {
          double sum = 0;
          for (int k = 0; k <= j; k++) sum += w->panel[k * ld + i] * w->panel[k * ld + j];
          NEAR(sum, a->panel[j * ld + i], 0, 1e-13);
          count += w->panel[j * ld + i] != 0;
        }
      }
      CHECK(count == branches * BRANCH * ((BRANCH + 1) / 2 + ROOT) + ROOT * (ROOT + 1) / 2);
    }
  free(a);
  free(w);
}

/** Rows first .. end of a source go to rows place[] of a target, ascending. */
static int cut_pieces(int first, int end, const int *place, sup_piece *piece) {
  int count = 0;
  for (int r = first; r < end; r++) {
    int vector = place[r] / SUP_PANEL_ALIGN * SUP_PANEL_ALIGN;
    if (r == first || r % SUP_PIECE_GROUP == 0 || piece[count - 1].target != vector)
      piece[count++] = (sup_piece){r, vector, 0};
    piece[count - 1].mask |= 1U << (place[r] - vector);
  }
  return count;
}

/** Places with gaps of 0 to 4 rows. */
static void scatter_rows(test_random *random, int first, int end, int *place) {
  for (int r = first, next = 1; r < end; r++, next++) {
    if (test_uniform(random) > 0.5) next += (int)(4.99 * (test_uniform(random) / 2 + 0.5));
    place[r] = next;
  }
}

static void update_agrees_with_loops(void) {
  enum {
    ROWS = 88,
    TARGET = 400,
    BELOW = 85
  }; /* two rows of padding and a whole group between the ends of others */
  const sup_kernels *set[MAX_SETS];
  int                num_sets = find_sets(set), place[ROWS];
  size_t             bytes = sizeof(double) * TARGET * TARGET;
  workspace         *w = new_workspace();
  double            *to = aligned_alloc(64, bytes), *column[ROWS];
  sup_piece          piece[ROWS];
  test_random        random = {1};
  for (int k = 0; k < SIZE; k++) w->panel[k] = test_uniform(&random);
  for (int s = 0; s < num_sets; s++)
    for (int inner = 1; inner <= MAX_INNER;
         inner += 8) /* from 33 on by groups of rows, before by strips */
      for (int first = 0; first < 70; first += 23)
        for (int count = 1; count <= BELOW - first; count += 7) {
          scatter_rows(&random, first, BELOW, place);
          int num = cut_pieces(first, BELOW, place, piece);
          memset(to, 0, bytes);
          for (int j = 0; j < count; j++) column[j] = to + (ptrdiff_t)place[first + j] * TARGET;
          set[s]->update(&(sup_product){w->panel, ROWS, inner, ROWS, first, count, piece,
                                        piece + num, column, w->operand});
          for (int j = 0; j < count; j++)
            for (int r = first, i = 0; i < TARGET; i++) {
              double expected = 0;
              while (r < BELOW && place[r] < i) r++;
              if (r < first + j) continue; /* above the diagonal: whatever is there */
              for (int k = 0; k < inner && r < BELOW && place[r] == i; k++)
                expected -= w->panel[k * ROWS + r] * w->panel[k * ROWS + first + j];
              NEAR(column[j][i], expected, 0, 1e-13);
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
          for (int i = j; i < width; i++)
            sum += (i == j ? 1 / w->panel[j * ld + j] : w->panel[j * ld + i]) * w->x[i];
          for (int i = 0; i < below; i++) sum += w->panel[j * ld + top + i] * w->y[i];
          NEAR(sum, a->x[j], 0, 1e-13);
        }
      }
  free(a);
  free(w);
}

/* A run on a machine with AVX-512 and one on a machine without must agree: the same bits from every
 * set with FMA. */
static void vector_widths_give_identical_bits(void) {
  const sup_kernels *set[MAX_SETS];
  int                num_sets = find_sets(set), top, ld;
  int                place[MAX_ROWS];
  sup_piece          piece[MAX_ROWS];
  test_random        random = {1};
  if (num_sets < 3) SKIP("this processor runs %d kernel sets; needs AVX2 and AVX-512", num_sets);
#ifdef SUP_SANITIZED
  SKIP("checks between a product and its sum keep the compiler from fusing them; ");
#endif
  workspace *w[2] = {new_workspace(), new_workspace()}, *to[2] = {new_workspace(), new_workspace()};
  for (int width = 1; width <= MAX_INNER; width++)
    for (int below = 1; below <= 40; below += 3) {
      scatter_rows(&random, 0, below, place);
      int num = cut_pieces(0, below, place, piece);
      for (int s = 0; s < 2; s++) {
        double  pivot, *column[MAX_ROWS];
        double *x = w[s]->x, *y = w[s]->y;
        fill_panel(w[s], width, below, &top, &ld);
        memset(to[s], 0, sizeof *to[s]);
        for (int j = 0; j < below; j++) column[j] = to[s]->panel + j * MAX_ROWS;
        CHECK(set[s]->factor(ld, width, w[s]->panel, ld, &pivot) == SUP_NONE);
        set[s]->update(&(sup_product){w[s]->panel + top, ld, width, ld - top, 0, below, piece,
                                      piece + num, column, w[s]->operand});
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
      memset(w, 0, sizeof *w); /* 1 / pivot would be infinite */
      for (int j = 0; j < 23; j++) w->panel[j * ld + j] = j == column ? DBL_MIN / 16 : 1;
      CHECK(set[s]->factor(ld, 23, w->panel, ld, &pivot) == column && pivot == DBL_MIN / 16);
    }
  free(w);
}

SUITE_TESTS(kernel, TEST(factor_reproduces_the_panel), TEST(branches_of_a_tree_do_not_fill_in),
            TEST(update_agrees_with_loops), TEST(solves_undo_the_factor),
            TEST(vector_widths_give_identical_bits), TEST(first_failed_pivot_is_returned));
