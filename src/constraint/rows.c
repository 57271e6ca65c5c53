#include "constraint/rows.h"

#include <string.h>

void sup_rows_reset(sup_rows *rows) {
  rows->num_constraints = rows->num_vc = rows->num_jacobian_blocks = rows->num_clusters = 0;
  rows->num_values = 0;
}

void sup_rows_free(sup_rows *rows) {
  SUP_FREE_ALL(&rows->constraint, &rows->jacobian, &rows->jacobian_value, &rows->cluster,
               &rows->span);
}

sup_status sup_rows_begin(sup_rows *rows, const sup_law *law) {
  SUP_TRY(SUP_GROW(rows->constraint, rows->capacity[0], rows->num_constraints + 1));
  rows->constraint[rows->num_constraints++] = (sup_constraint){
      .law = *law, .first_vc = rows->num_vc, .first_block = rows->num_jacobian_blocks};
  rows->num_vc += sup_law_dimension(law->kind);
  return SUP_OK;
}

sup_status sup_rows_block(sup_rows *rows, int block, int size, double **J) {
  sup_constraint *c = sup_rows_last(rows);
  for (int k = 0; k < c->num_blocks; k++)
    if (rows->jacobian[c->first_block + k].block == block) {
      *J = rows->jacobian_value + rows->jacobian[c->first_block + k].value;
      return SUP_OK;
    }
  size_t count = (size_t)(sup_law_dimension(c->law.kind) * size);
  SUP_TRY(SUP_GROW(rows->jacobian, rows->capacity[1], rows->num_jacobian_blocks + 1));
  SUP_TRY(SUP_GROW(rows->jacobian_value, rows->capacity[2], rows->num_values + count));
  rows->jacobian[rows->num_jacobian_blocks++] = (sup_jacobian_block){block, rows->num_values};
  *J = rows->jacobian_value + rows->num_values;
  memset(*J, 0, count * sizeof **J);
  rows->num_values += count;
  c->num_blocks++;
  return SUP_OK;
}

sup_status sup_rows_cluster(sup_rows *rows, int first, const int *size, double **S, double *T[2]) {
  const sup_constraint *c = &rows->constraint[first];
  sup_cluster           cluster = {
                .first = first, .count = rows->num_constraints - first, .S = rows->num_values};
  size_t total = 18 * (size_t)cluster.count, start = rows->num_values;
  for (int k = 0; k < c->num_blocks; k++) {
    cluster.T[k] = (sup_jacobian_block){rows->jacobian[c->first_block + k].block, start + total};
    total += 6 * (size_t)size[k];
  }
  SUP_TRY(SUP_GROW(rows->cluster, rows->capacity[3], rows->num_clusters + 1));
  SUP_TRY(SUP_GROW(rows->jacobian_value, rows->capacity[2], start + total));
  rows->cluster[rows->num_clusters++] = cluster;
  rows->num_values += total;
  *S = rows->jacobian_value + start;
  for (int k = 0; k < c->num_blocks; k++) {
    T[k] = rows->jacobian_value + cluster.T[k].value;
    memset(T[k], 0, 6 * (size_t)size[k] * sizeof *T[k]);
  }
  return SUP_OK;
}

/** Append the spans of a block of `dim` rows behind the *count there are. */
static sup_status set_spans(sup_rows *rows, const sup_block_pattern *P, int dim,
                            sup_jacobian_block *b, int *count) {
  enum { FREE_BODY = 6 };
  int size = sup_block_size(P, b->block);
  if (size <= FREE_BODY) return SUP_OK;
  SUP_TRY(SUP_GROW(rows->span, rows->capacity[4], *count + (size + 1) / 2));
  b->span = *count;
  b->num_spans =
      sup_nonzero_spans(dim, size, rows->jacobian_value + b->value, rows->span + b->span);
  *count += b->num_spans;
  return SUP_OK;
}

sup_status sup_rows_set_spans(sup_rows *rows, const sup_block_pattern *A_pattern) {
  int count = 0;
  for (int i = 0; i < rows->num_constraints; i++) {
    const sup_constraint *c = &rows->constraint[i];
    for (int k = 0; k < c->num_blocks; k++)
      SUP_TRY(set_spans(rows, A_pattern, sup_law_dimension(c->law.kind),
                        &rows->jacobian[c->first_block + k], &count));
  }
  for (int i = 0; i < rows->num_clusters; i++)
    for (int k = 0; k < rows->constraint[rows->cluster[i].first].num_blocks; k++)
      SUP_TRY(set_spans(rows, A_pattern, 6, &rows->cluster[i].T[k], &count));
  return SUP_OK;
}
