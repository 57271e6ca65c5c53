/* Negative curvature of a load step's problem (THEORY 18.6): H as a pencil of subspace.h. */
#include "step/static/saddle.h"

#include <math.h>
#include <string.h>

#include "la/vector.h"
#include "step/column/cables.h"
#include "step/static/numerics.h"
#include "step/static/subspace.h"

typedef struct search {
  const sup_step_convex *convex;
  sup_assembly          *assembly;
  sup_arena             *inner;
  int                    n;
  double                *G, *vc, *gamma;
  double *D, *own, *shifted, *whole; /* [n] the size of H; A's diagonal without the proximal
                                        weights; and with the shift; and as it was */
  double *y;                         /* [2 n] */
} search;

/** D: the size of H's diagonal; that of A is q->own. */
static void set_size(search *q, const double *least) {
  const sup_problem       *p = q->convex->problem;
  const sup_block_pattern *P = p->A_pattern;
  memcpy(q->D, q->own, (size_t)q->n * sizeof *q->D);
  for (int i = 0; i < p->num_constraints; i++) {
    const sup_constraint *c = &p->constraint[i];
    int                   dim = sup_law_dimension(c->law.kind);
    for (int k = 0; k < c->num_blocks; k++) {
      const sup_jacobian_block *block = &p->jacobian[c->first_block + k];
      int first = sup_block_first(P, block->block), size = sup_block_size(P, block->block);
      const double *J = p->jacobian_value + block->value, *G = q->G + 9 * i;
      for (int j = 0; j < size; j++)
        for (int a = 0; a < dim; a++)
          for (int e = 0; e < dim; e++)
            q->D[first + j] += J[a * size + j] * G[a * dim + e] * J[e * size + j];
    }
  }
  sup_subspace_limit_size(q->n, least, q->D);
}

static void multiply(search *q, const double *x, double *y) {
  sup_step_hessian_multiply(q->assembly, q->convex->problem, q->G, x, q->vc, q->gamma, q->y);
  memcpy(y, q->y, (size_t)q->n * sizeof *y);
}

static sup_status solve(void *user, double *x) {
  search *q = user;
  return sup_reduction_apply_inverse(q->convex->reduction, x, q->y);
}

static sup_status factor(void *user, double shift, int *is_definite) {
  search        *q = user;
  sup_reduction *reduction = q->convex->reduction;
  for (int i = 0; i < q->n; i++) q->shifted[i] = q->own[i] + shift * q->D[i];
  sup_assembly_set_diagonal(q->assembly, q->shifted);
  SUP_TRY(sup_arena_reset(q->inner));
  sup_status status = sup_reduction_factor(reduction, q->convex->problem, q->G, q->inner);
  sup_assembly_set_diagonal(q->assembly, q->own);
  for (int i = 0; i < q->n; i++) q->y[i] = q->D[i] * sin(1 + 3. * i);
  if (status == SUP_OK) /* an iterative backend detects an indefinite matrix only here */
    status = sup_reduction_apply_inverse(reduction, q->y, q->y + q->n);
  *is_definite = status == SUP_OK;
  return status == SUP_E_NOT_SPD ? SUP_OK : status;
}

/** Direction of lowest curvature, its curvature and place. */
static void describe(search *q, const sup_subspace *space, double *x, sup_saddle *out) {
  const sup_step_layout   *layout = q->convex->start->layout;
  const sup_block_pattern *P = &layout->A_pattern;
  out->num = space->num, out->is_more = space->num == space->m && space->m < q->n;
  out->block = sup_subspace_choose(space, q->D, P, x);
  for (int b = 0; b < P->num_blocks; b++)
    for (int i = sup_block_first(P, b); i < sup_block_first(P, b + 1); i++)
      if (layout->held_axes[b] >> (i - sup_block_first(P, b)) & 1) x[i] = 0;
  multiply(q, x, q->shifted);
  out->bend = sup_dot(x, q->shifted, q->n);
  out->direction = x, out->curvature = space->lambda[0];
}

sup_status sup_saddle_find(const sup_step_convex *convex, sup_assembly *assembly,
                           const sup_step_solution *x, const double *held, const double *least,
                           sup_arena *inner, sup_saddle *out) {
  const sup_problem *problem = convex->problem;
  sup_arena         *arena = convex->start->arena;
  int                n = problem->A_pattern->num_scalars;
  search             q = {.convex = convex, .assembly = assembly, .inner = inner, .n = n};
  sup_subspace       space;
  double            *direction;
  *out = (sup_saddle){.block = SUP_NONE};
  if (n == 0) return SUP_OK;
  SUP_TRY(SUP_ARENA(arena, q.G, 9 * problem->num_constraints));
  SUP_TRY(SUP_ARENA_VECTORS(arena, problem->num_vc, &q.vc, &q.gamma));
  SUP_TRY(SUP_ARENA_VECTORS(arena, n, &q.D, &q.own, &q.shifted, &q.whole, &direction));
  SUP_TRY(SUP_ARENA(arena, q.y, 2 * n));
  sup_problem_evaluate(problem, x->law, x->vc, q.gamma, q.G);
  sup_assembly_diagonal(assembly, q.whole);
  size_t  num = sup_block_pattern_num_values(problem->A_pattern);
  double *A = NULL;
  if (assembly->num_cables > 0) SUP_TRY(SUP_ARENA(arena, A, num));
  if (A) memcpy(A, assembly->A, num * sizeof *A);
  sup_cables_add_rows(convex->start, assembly);
  sup_assembly_diagonal(assembly, q.own);
  for (int i = 0; i < n; i++) q.own[i] -= held[i];
  set_size(&q, least);
  sup_assembly_set_diagonal(assembly, q.own); /* A without proximal weights */
  sup_pencil H = {n, q.D, factor, solve, &q};
  sup_status status = sup_subspace_find(&H, arena, &space);
  if (status == SUP_OK && space.num > 0) describe(&q, &space, direction, out);
  if (A) memcpy(assembly->A, A, num * sizeof *A);
  sup_assembly_set_diagonal(assembly, q.whole);
  return status;
}

int sup_saddle_is_before(const sup_saddle *saddle, double slope, double longest) {
  /* the maximum of the parabola along d is at slope over curvature */
  return slope > 0 && slope * longest > sup_static_numerics.aside * -saddle->bend;
}

int sup_saddle_is_suspected(double error, double weight) {
  return weight == 0 && error < sup_static_numerics.unstable;
}
