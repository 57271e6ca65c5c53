#include "solve/problem.h"

#include <string.h>

static int block_size(const sup_block_pattern *pattern, int block) {
  return pattern->offset[block + 1] - pattern->offset[block];
}

void sup_problem_constraint_velocity(const sup_problem *problem, const double *v, int with_bias, double *vc) {
  for (int i = 0; i < problem->num_constraints; i++) {
    const sup_constraint *c = &problem->constraint[i];
    int                   dim = sup_law_dimension(c->law.kind);
    double               *out = vc + c->first_vc;
    for (int r = 0; r < dim; r++) out[r] = with_bias ? c->bias[r] : 0;
    for (int k = 0; k < c->num_blocks; k++) {
      const sup_jacobian_block *b = &problem->jacobian[c->first_block + k];
      int                       size = block_size(problem->A_pattern, b->block);
      const double             *J = problem->jacobian_value + b->value;
      const double             *x = v + problem->A_pattern->offset[b->block];
      for (int r = 0; r < dim; r++)
        for (int j = 0; j < size; j++) out[r] += J[r * size + j] * x[j];
    }
  }
}

void sup_problem_generalized_impulse(const sup_problem *problem, const double *gamma, double *out) {
  memset(out, 0, (size_t)problem->A_pattern->num_scalars * sizeof *out);
  for (int i = 0; i < problem->num_constraints; i++) {
    const sup_constraint *c = &problem->constraint[i];
    int                   dim = sup_law_dimension(c->law.kind);
    for (int k = 0; k < c->num_blocks; k++) {
      const sup_jacobian_block *b = &problem->jacobian[c->first_block + k];
      int                       size = block_size(problem->A_pattern, b->block);
      const double             *J = problem->jacobian_value + b->value;
      double                   *to = out + problem->A_pattern->offset[b->block];
      for (int r = 0; r < dim; r++)
        for (int j = 0; j < size; j++) to[j] += J[r * size + j] * gamma[c->first_vc + r];
    }
  }
}

double sup_problem_evaluate(const sup_problem *problem, const double *vc, double *gamma, double *G) {
  double cost = 0;
  for (int i = 0; i < problem->num_constraints; i++) {
    const sup_constraint *c = &problem->constraint[i];
    int                   dim = sup_law_dimension(c->law.kind);
    sup_law_value         value;
    sup_law_evaluate(&c->law, vc + c->first_vc, &value);
    cost += value.cost;
    memcpy(gamma + c->first_vc, value.gamma, (size_t)dim * sizeof *gamma);
    if (G) memcpy(G + 9 * i, value.G, (size_t)(dim * dim) * sizeof *G);
  }
  return cost;
}

sup_status sup_hessian_map_create(sup_hessian_map *map, const sup_problem *problem, sup_arena *arena) {
  int count = 0;
  for (int i = 0; i < problem->num_constraints; i++) {
    int n = problem->constraint[i].num_blocks;
    count += n * (n + 1) / 2;
  }
  map->num_pairs = 0;
  SUP_TRY(SUP_ARENA(arena, map->H_entry, count));
  SUP_TRY(SUP_ARENA(arena, map->A_entry, count));
  for (int i = 0; i < problem->num_constraints; i++) {
    const sup_constraint     *c = &problem->constraint[i];
    const sup_jacobian_block *b = problem->jacobian + c->first_block;
    for (int k = 0; k < c->num_blocks; k++)
      for (int l = 0; l <= k; l++) {
        int row = b[k].block > b[l].block ? b[k].block : b[l].block, col = b[k].block + b[l].block - row;
        int entry = sup_block_pattern_find(problem->H_pattern, row, col);
        if (entry == SUP_NONE)
          return SUP_FAIL(SUP_E_ARG, "constraint %d couples blocks %d and %d outside the pattern", i, row, col);
        map->H_entry[map->num_pairs] = entry;
        map->A_entry[map->num_pairs++] = sup_block_pattern_find(problem->A_pattern, row, col);
      }
  }
  return SUP_OK;
}

void sup_hessian_set_dynamics(const sup_problem *problem, double *H) {
  const sup_block_pattern *A = problem->A_pattern, *P = problem->H_pattern;
  int                      num_A = A->col_start[A->num_blocks], num_H = P->col_start[P->num_blocks];
  for (int h = 0, a = 0; h < num_H; h++) { /* both lists ascend */
    size_t bytes = (P->value_start[h + 1] - P->value_start[h]) * sizeof *H;
    if (a < num_A && problem->A_to_H[a] == h)
      memcpy(H + P->value_start[h], problem->A + A->value_start[a++], bytes);
    else
      memset(H + P->value_start[h], 0, bytes);
  }
}

/** Block (row, col) of H += Jr^T (G Jc), column-major. */
static void add_product(double *block, const double *Jr, int rows, const double *GJc, int cols, int dim) {
  for (int j = 0; j < cols; j++)
    for (int i = 0; i < rows; i++) {
      double sum = 0;
      for (int r = 0; r < dim; r++) sum += Jr[r * rows + i] * GJc[r * cols + j];
      block[j * rows + i] += sum;
    }
}

/** Give the entries that constraints touch the values of A again. */
static void restore_dynamics(const sup_problem *problem, const sup_hessian_map *map, double *H) {
  const sup_block_pattern *A = problem->A_pattern, *P = problem->H_pattern;
  for (int k = 0; k < map->num_pairs; k++) {
    int    h = map->H_entry[k], a = map->A_entry[k];
    size_t bytes = (P->value_start[h + 1] - P->value_start[h]) * sizeof *H;
    if (a == SUP_NONE)
      memset(H + P->value_start[h], 0, bytes);
    else
      memcpy(H + P->value_start[h], problem->A + A->value_start[a], bytes);
  }
}

void sup_hessian_set_constraints(const sup_problem *problem, const sup_hessian_map *map, const double *G, double *H) {
  enum { MAX_COLUMNS = 256 };
  double                   GJ[SUP_LAW_MAX_DIMENSION * MAX_COLUMNS];
  const sup_block_pattern *P = problem->H_pattern;
  restore_dynamics(problem, map, H);
  int k = 0;
  for (int i = 0; i < problem->num_constraints; i++) {
    const sup_constraint     *c = &problem->constraint[i];
    const sup_jacobian_block *b = problem->jacobian + c->first_block;
    int                       dim = sup_law_dimension(c->law.kind);
    for (int r = 0; r < c->num_blocks; r++)
      for (int l = 0; l <= r; l++, k++) {
        int           swap = b[r].block < b[l].block; /* the lower triangle holds the larger block as row */
        int           row = swap ? l : r, col = swap ? r : l;
        int           rows = block_size(P, b[row].block), cols = block_size(P, b[col].block);
        const double *Jc = problem->jacobian_value + b[col].value;
        SUP_ASSERT(cols <= MAX_COLUMNS);
        for (int d = 0; d < dim; d++)
          for (int j = 0; j < cols; j++) {
            double sum = 0;
            for (int e = 0; e < dim; e++) sum += G[9 * i + d * dim + e] * Jc[e * cols + j];
            GJ[d * cols + j] = sum;
          }
        add_product(H + P->value_start[map->H_entry[k]], problem->jacobian_value + b[row].value, rows, GJ, cols, dim);
      }
  }
}
