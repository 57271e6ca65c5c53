#include "la/supernodal/retained.h"

#include <string.h>

#include "base/memory.h"
#include "la/numerics.h"

sup_status sup_retained_build(sup_retained *r, const sup_block_pattern *pattern) {
  SUP_TRY(sup_symbolic_analyze(&r->symbolic, pattern, NULL));
  SUP_TRY(SUP_GROW(r->work, r->capacity[0], 2 * (size_t)r->symbolic.num_supernodes));
  SUP_TRY(SUP_GROW(r->cost, r->capacity[1], 2 * (size_t)r->symbolic.num_supernodes));
  return SUP_OK;
}

void sup_retained_free(sup_retained *r) {
  sup_symbolic_free(&r->symbolic);
  SUP_FREE_ALL(&r->work, &r->cost);
  memset(r, 0, sizeof *r);
}

/** left := touched columns and, for each supernode with such a column, all rows below it, up to the
 * root. */
static void close_upwards(const sup_symbolic *s, const unsigned char *touched,
                          unsigned char *left) {
  memcpy(left, touched, (size_t)s->num_blocks);
  for (int k = 0; k < s->num_supernodes; k++) {
    int any = 0;
    for (int c = s->super_start[k]; c < s->super_start[k + 1]; c++) any |= left[s->order[c]];
    for (int r = s->row_start[k]; any && r < s->row_start[k + 1]; r++)
      left[s->order[s->row[r]]] = 1;
  }
}

/** Time of a supernode of S, which is factored in each iteration [ns]. */
static double repeated_time(double width, double below) {
  double nonzeros = width * (width + 1) / 2 + width * below;
  if (!(width > 0)) return 0;
  return sup_la_numerics.retained_iterations *
             (sup_symbolic_time(width, below) + sup_la_numerics.vector_time * nonzeros) +
         sup_la_numerics.analysis_time * nonzeros;
}

/** Time of both choices in each connected part, at the root of its tree: with the closed set, and
 * with the touched columns alone.  Touched columns removed from a supernode become rows of all
 * supernodes above.
 */
static void predict(sup_retained *r, const unsigned char *touched, const unsigned char *closed,
                    double *sparse, double *dense, int *num_touched, int *root) {
  const sup_symbolic *s = &r->symbolic;
  for (int k = 0; k < s->num_supernodes; k++) sparse[k] = dense[k] = 0, num_touched[k] = 0;
  for (int k = 0; k < s->num_supernodes; k++) { /* children come before their parents */
    int width = 0, left = 0, below = 0, own = 0, up = sup_symbolic_parent(s, k);
    for (int c = s->super_start[k]; c < s->super_start[k + 1]; c++) {
      width += sup_symbolic_size(s, c);
      own += touched[s->order[c]] ? sup_symbolic_size(s, c) : 0;
      left += closed[s->order[c]] ? sup_symbolic_size(s, c) : 0;
    }
    for (int b = s->row_start[k]; b < s->row_start[k + 1]; b++)
      below += sup_symbolic_size(s, s->row[b]);
    num_touched[k] += own;
    sparse[k] += repeated_time(left, below);
    if (width > left) sparse[k] += sup_symbolic_time(width - left, left + below);
    if (width > own) dense[k] += sup_symbolic_time(width - own, below + num_touched[k]);
    if (up == SUP_NONE) {
      dense[k] += repeated_time(num_touched[k], 0);
    } else {
      sparse[up] += sparse[k], dense[up] += dense[k], num_touched[up] += num_touched[k];
    }
  }
  for (int k = s->num_supernodes - 1; k >= 0; k--) {
    int up = sup_symbolic_parent(s, k);
    root[k] = up == SUP_NONE ? k : root[up];
  }
}

void sup_retained_choose(sup_retained *r, const unsigned char *touched, unsigned char *left) {
  const sup_symbolic *s = &r->symbolic;
  int                *num_touched = r->work, *root = num_touched + s->num_supernodes;
  double             *sparse = r->cost, *dense = sparse + s->num_supernodes;
  close_upwards(s, touched, left);
  predict(r, touched, left, sparse, dense, num_touched, root);
  for (int c = 0; c < s->num_blocks; c++) {
    int k = root[s->super_of[c]], b = s->order[c];
    if (!(sparse[k] < dense[k])) left[b] = touched[b] != 0;
  }
}
