#include "la/supernodal/schur.h"

#include <string.h>

#include "base/memory.h"

/** Every block column's number among the last ones, in the matrix's order; SUP_NONE for leading
 * ones. */
static int number_last(const sup_symbolic *s, int *rank) {
  int count = 0;
  for (int b = 0; b < s->num_blocks; b++)
    rank[b] = s->super_of[s->position[b]] >= s->num_leading ? count++ : SUP_NONE;
  return count;
}

/** Rows of a leading supernode, when all of them are last: no other leading one couples more of
 * them. */
static bool is_root(const sup_symbolic *s, int k) {
  return s->row_start[k] < s->row_start[k + 1] &&
         s->super_of[s->row[s->row_start[k]]] >= s->num_leading;
}

static size_t count_pairs(const sup_symbolic *s, const sup_block_pattern *A, const int *rank) {
  size_t count = 0;
  for (int k = 0; k < s->num_leading; k++) {
    size_t n = (size_t)(s->row_start[k + 1] - s->row_start[k]);
    if (is_root(s, k)) count += n * (n - 1) / 2;
  }
  for (int j = 0; j < A->num_blocks; j++)
    if (rank[j] != SUP_NONE) count += (size_t)(A->col_start[j + 1] - A->col_start[j]);
  return count;
}

/** Blocks of A and all pairs of rows of each root, since elimination couples the neighbours of a
 * subtree. */
static size_t list_pairs(const sup_symbolic *s, const sup_block_pattern *A, const int *rank,
                         int *pair) {
  size_t count = 0;
  for (int k = 0; k < s->num_leading; k++)
    for (int r = s->row_start[k]; is_root(s, k) && r < s->row_start[k + 1]; r++)
      for (int q = s->row_start[k]; q < r; q++) {
        pair[2 * count] = rank[s->order[s->row[r]]];
        pair[2 * count++ + 1] = rank[s->order[s->row[q]]];
      }
  for (int j = 0; j < A->num_blocks; j++)
    for (int e = A->col_start[j]; rank[j] != SUP_NONE && e < A->col_start[j + 1]; e++)
      if (rank[A->row[e]] != SUP_NONE)
        pair[2 * count] = rank[A->row[e]], pair[2 * count++ + 1] = rank[j];
  return count;
}

/** Sort the entries of S by panels, then find the row of every block in its panel. */
static void place_entries(sup_schur *schur, const sup_symbolic *s, sup_plan *plan,
                          const sup_block_pattern *S, const int *old) {
  int *start = schur->panel_start, num = plan->num_panels - s->num_leading;
  memset(start, 0, ((size_t)num + 2) * sizeof *start);
  for (int pass = 0; pass < 2; pass++) {
    for (int j = 0; j < S->num_blocks; j++)
      for (int e = S->col_start[j]; e < S->col_start[j + 1]; e++) {
        int i = S->row[e], row = s->position[old[i]], col = s->position[old[j]],
            kind = SUP_PLACE_PLAIN;
        if (i == j) kind = SUP_PLACE_DIAGONAL;
        if (row < col) kind = SUP_PLACE_TRANSPOSED, row = col, col = s->position[old[i]];
        int k = s->super_of[col] - s->num_leading;
        if (pass == 0)
          start[k + 2]++;
        else /* row and column in the new order until the panel is processed */
          schur->placement[start[k + 1]++] = (sup_placement){S->value_start[e], 0, row, col, kind};
      }
    for (int k = 0; pass == 0 && k < num; k++) start[k + 2] += start[k + 1];
  }
  for (int k = 0; k < num; k++) {
    const sup_panel *panel = &plan->panel[s->num_leading + k];
    sup_plan_locate(plan, s, s->num_leading + k);
    for (sup_placement *p = schur->placement + start[k]; p < schur->placement + start[k + 1]; p++) {
      int row = p->rows, col = p->cols;
      p->place = (s->offset[col] - panel->first) * panel->ld + plan->position[row];
      p->rows = s->offset[row + 1] - s->offset[row];
      p->cols = s->offset[col + 1] - s->offset[col];
    }
  }
}

static void find_in_A(sup_schur *schur, const sup_block_pattern *A, const sup_block_pattern *S,
                      const int *rank, const int *old) {
  for (int j = 0; j < S->num_blocks; j++) {
    int e = S->col_start[j];
    for (int a = A->col_start[old[j]]; a < A->col_start[old[j] + 1]; a++) { /* both ascend */
      if (rank[A->row[a]] == SUP_NONE) continue;
      for (; S->row[e] != rank[A->row[a]]; e++) schur->A_entry[e] = SUP_NONE;
      schur->A_entry[e++] = a;
    }
    for (; e < S->col_start[j + 1]; e++) schur->A_entry[e] = SUP_NONE;
  }
}

sup_status sup_schur_build(sup_schur *schur, const sup_symbolic *s, sup_plan *plan,
                           const sup_block_pattern *A, sup_block_pattern *out) {
  size_t n = (size_t)s->num_blocks;
  SUP_TRY(SUP_GROW(schur->scratch, schur->capacity[3], 3 * n + 1));
  int   *rank = schur->scratch, *old = rank + n, *size = old + n;
  int    num_last = number_last(s, rank);
  size_t num_pairs = count_pairs(s, A, rank);
  SUP_TRY(SUP_GROW(schur->scratch, schur->capacity[3], 3 * n + 2 * num_pairs + 1));
  rank = schur->scratch, old = rank + n, size = old + n;
  for (int b = 0; b < s->num_blocks; b++)
    if (rank[b] != SUP_NONE) old[rank[b]] = b, size[rank[b]] = A->offset[b + 1] - A->offset[b];
  int *pair = size + n;
  num_pairs = list_pairs(s, A, rank, pair);
  SUP_TRY(sup_block_pattern_build(out, num_last, size, num_pairs, pair));
  SUP_TRY(SUP_GROW(schur->panel_start, schur->capacity[0], plan->num_panels - s->num_leading + 2));
  SUP_TRY(SUP_GROW(schur->placement, schur->capacity[1], out->col_start[num_last]));
  SUP_TRY(SUP_GROW(schur->A_entry, schur->capacity[2], out->col_start[num_last]));
  place_entries(schur, s, plan, out, old);
  find_in_A(schur, A, out, rank, old);
  return SUP_OK;
}

void sup_schur_free(sup_schur *schur) {
  SUP_FREE_ALL(&schur->panel_start, &schur->placement, &schur->A_entry, &schur->scratch);
  memset(schur, 0, sizeof *schur);
}

/** Add a block of a panel; of a diagonal block the lower triangle alone. */
static void add_from_panel(const sup_placement *block, const double *from, ptrdiff_t ld,
                           double *to) {
  int rows = block->rows, cols = block->cols;
  for (int j = 0; j < cols; j++, from += ld)
    for (int i = block->kind == SUP_PLACE_DIAGONAL ? j : 0; i < rows; i++) {
      int r = sup_plan_scalar(rows, i), c = sup_plan_scalar(cols, j);
      if (block->kind == SUP_PLACE_TRANSPOSED || (block->kind == SUP_PLACE_DIAGONAL && r < c))
        to[r * cols + c] += from[i];
      else
        to[c * rows + r] += from[i];
    }
}

void sup_schur_extract(const sup_schur *schur, const sup_symbolic *s, const sup_plan *plan,
                       const sup_block_pattern *A, const double *A_values, const double *update,
                       const sup_block_pattern *pattern, double *S) {
  int num_entries = pattern->col_start[pattern->num_blocks],
      num = plan->num_panels - s->num_leading;
  for (int e = 0; e < num_entries; e++) {
    size_t bytes = (pattern->value_start[e + 1] - pattern->value_start[e]) * sizeof *S;
    if (schur->A_entry[e] == SUP_NONE)
      memset(S + pattern->value_start[e], 0, bytes);
    else
      memcpy(S + pattern->value_start[e], A_values + A->value_start[schur->A_entry[e]], bytes);
  }
  for (int k = 0; k < num; k++) {
    const sup_panel *panel = &plan->panel[s->num_leading + k];
    const double    *value = update + (panel->start - plan->panel[s->num_leading].start);
    for (int p = schur->panel_start[k]; p < schur->panel_start[k + 1]; p++) {
      const sup_placement *block = &schur->placement[p];
      const double        *from = value + block->place;
      double              *to = S + block->value;
      if (block->rows == 3 && block->cols == 3 && block->kind == SUP_PLACE_PLAIN) {
        for (int j = 0; j < 3; j++)
          for (int i = 0; i < 3; i++) to[3 * j + i] += from[j * panel->ld + i];
      } else {
        add_from_panel(block, from, panel->ld, to);
      }
    }
  }
}
