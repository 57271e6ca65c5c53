/* Which block columns the constraints of this step couple, and the analysis of H when that changed. */
#include <stdlib.h>
#include <string.h>

#include "step/stepper.h"

static int ascending(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

/** Sorted block pairs that constraints couple and A does not, and the block columns that take part. */
static sup_status gather(sup_stepper *s, int64_t **pair, size_t *num_pairs, unsigned char *last) {
  const sup_rows *rows = &s->rows;
  size_t          room = 0, count = 0;
  for (int i = 0; i < rows->num_constraints; i++)
    room += (size_t)(rows->constraint[i].num_blocks * rows->constraint[i].num_blocks);
  SUP_TRY(SUP_ARENA(s->arena, *pair, room));
  memset(last, 0, (size_t)s->A_pattern.num_blocks);
  for (int i = 0; i < rows->num_constraints; i++) {
    const sup_constraint     *c = &rows->constraint[i];
    const sup_jacobian_block *b = rows->jacobian + c->first_block;
    for (int k = 0; k < c->num_blocks; k++) {
      last[b[k].block] = 1;
      for (int l = 0; l < k; l++) {
        int row = b[k].block > b[l].block ? b[k].block : b[l].block, col = b[k].block + b[l].block - row;
        if (sup_block_pattern_find(&s->A_pattern, row, col) == SUP_NONE)
          (*pair)[count++] = (int64_t)row * s->A_pattern.num_blocks + col;
      }
    }
  }
  if (count > 0) qsort(*pair, count, sizeof **pair, ascending);
  size_t kept = 0;
  for (size_t i = 0; i < count; i++)
    if (i == 0 || (*pair)[i] != (*pair)[i - 1]) (*pair)[kept++] = (*pair)[i];
  *num_pairs = kept;
  return SUP_OK;
}

/** Entry of H for each entry of A: both lists ascend within a column. */
static void map_entries(sup_stepper *s) {
  const sup_block_pattern *A = &s->A_pattern, *H = &s->H_pattern;
  for (int j = 0; j < A->num_blocks; j++) {
    int h = H->col_start[j];
    for (int e = A->col_start[j]; e < A->col_start[j + 1]; e++) {
      while (H->row[h] != A->row[e]) h++;
      s->A_to_H[e] = h;
    }
  }
}

static sup_status build_pattern(sup_stepper *s) {
  const sup_model *model = s->model;
  size_t           num = model->num_base_pairs + s->num_coupling;
  int             *pair;
  SUP_TRY(SUP_ARENA(s->arena, pair, 2 * num));
  if (model->num_base_pairs) memcpy(pair, model->base_pair, 2 * model->num_base_pairs * sizeof *pair);
  for (size_t i = 0; i < s->num_coupling; i++) {
    pair[2 * (model->num_base_pairs + i)] = (int)(s->coupling[i] / model->num_blocks);
    pair[2 * (model->num_base_pairs + i) + 1] = (int)(s->coupling[i] % model->num_blocks);
  }
  SUP_TRY(sup_block_pattern_build(&s->H_pattern, model->num_blocks, model->block_size, num, pair));
  return SUP_OK;
}

sup_status sup_stepper_analyse(sup_stepper *s, int *analysed) {
  int            n = s->A_pattern.num_blocks;
  int64_t       *pair;
  size_t         num_pairs;
  unsigned char *last;
  SUP_TRY(SUP_ARENA(s->arena, last, n));
  SUP_TRY(gather(s, &pair, &num_pairs, last));
  int same = s->is_analysed && num_pairs == s->num_coupling &&
             (num_pairs == 0 || memcmp(pair, s->coupling, num_pairs * sizeof *pair) == 0) &&
             (n == 0 || memcmp(last, s->last, (size_t)n) == 0);
  *analysed |= !same;
  if (same) return SUP_OK;
  s->is_analysed = 0;
  SUP_TRY(SUP_GROW(s->coupling, s->coupling_capacity, num_pairs));
  if (num_pairs) memcpy(s->coupling, pair, num_pairs * sizeof *pair);
  s->num_coupling = num_pairs;
  if (n) memcpy(s->last, last, (size_t)n);
  SUP_TRY(build_pattern(s));
  map_entries(s);
  SUP_TRY(sup_factor_analyze(s->factor, &s->H_pattern, s->last));
  s->is_analysed = 1;
  return SUP_OK;
}
