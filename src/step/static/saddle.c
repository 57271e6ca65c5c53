/* Negative curvature of a load step's problem (THEORY 18.6): H as a pencil of subspace.h. */
#include "step/static/saddle.h"

#include <math.h>
#include <string.h>

#include "la/vector.h"
#include "step/static/numerics.h"
#include "step/static/statics.h"
#include "step/static/subspace.h"

typedef struct search {
  sup_stepper       *s;
  const sup_problem *problem;
  int                n;
  double            *G, *vc, *gamma;
  double            *D;       /* [n] */
  double            *own;     /* [n] A's diagonal without the proximal weights */
  double            *shifted; /* [n] and with the shift */
  double            *whole;   /* [n] and as it was */
  double            *y;       /* [2 n] */
} search;

/** D: the size of H's diagonal; that of A is q->own. */
static void set_size(search *q, const double *least) {
  const sup_problem *p = q->problem;
  memcpy(q->D, q->own, (size_t)q->n * sizeof *q->D);
  for (int i = 0; i < p->num_constraints; i++) {
    const sup_constraint *c = &p->constraint[i];
    int                   dim = sup_law_dimension(c->law.kind);
    for (int k = 0; k < c->num_blocks; k++) {
      const sup_jacobian_block *block = &p->jacobian[c->first_block + k];
      int                       first = sup_block_first(&q->s->layout->A_pattern, block->block);
      int                       size = sup_block_size(&q->s->layout->A_pattern, block->block);
      const double             *J = p->jacobian_value + block->value, *G = q->G + 9 * i;
      for (int j = 0; j < size; j++)
        for (int a = 0; a < dim; a++)
          for (int e = 0; e < dim; e++)
            q->D[first + j] += J[a * size + j] * G[a * dim + e] * J[e * size + j];
    }
  }
  sup_subspace_limit_size(q->n, least, q->D);
}

static void multiply(void *user, const double *x, double *y) {
  search *q = user;
  sup_step_hessian_multiply(&q->s->assembly, q->problem, q->G, x, q->vc, q->gamma, q->y);
  memcpy(y, q->y, (size_t)q->n * sizeof *y);
}

static sup_status solve(void *user, double *x) {
  search *q = user;
  return sup_reduction_apply_inverse(q->s->reduction, x, q->y);
}

static sup_status factor(void *user, double shift, int *is_definite) {
  search *q = user;
  for (int i = 0; i < q->n; i++) q->shifted[i] = q->own[i] + shift * q->D[i];
  sup_assembly_set_diagonal(&q->s->assembly, q->shifted);
  SUP_TRY(sup_arena_reset(q->s->statics->inner));
  sup_status status = sup_reduction_factor(q->s->reduction, q->problem, q->G, q->s->statics->inner);
  sup_assembly_set_diagonal(&q->s->assembly, q->own);
  for (int i = 0; i < q->n; i++) q->y[i] = q->D[i] * sin(1 + 3. * i);
  if (status == SUP_OK) /* a backend that iterates finds out now */
    status = sup_reduction_apply_inverse(q->s->reduction, q->y, q->y + q->n);
  *is_definite = status == SUP_OK;
  return status == SUP_E_NOT_SPD ? SUP_OK : status;
}

/** Direction of lowest curvature, its curvature and place. */
static void describe(search *q, const sup_subspace *space, double *x, sup_saddle *out) {
  const sup_block_pattern *P = &q->s->layout->A_pattern;
  out->num = space->num, out->is_more = space->num == space->m && space->m < q->n;
  out->block = sup_subspace_choose(space, q->D, P, x);
  for (int b = 0; b < P->num_blocks; b++)
    for (int i = sup_block_first(P, b); i < sup_block_first(P, b + 1); i++)
      if (q->s->layout->held_axes[b] >> (i - sup_block_first(P, b)) & 1) x[i] = 0;
  multiply(q, x, q->shifted);
  out->bend = sup_dot(x, q->shifted, q->n);
  out->direction = x, out->curvature = space->lambda[0];
}

static sup_status allocate(search *q) {
  sup_arena *arena = q->s->start.arena;
  SUP_TRY(SUP_ARENA(arena, q->G, 9 * q->problem->num_constraints));
  SUP_TRY(SUP_ARENA(arena, q->vc, q->problem->num_vc));
  SUP_TRY(SUP_ARENA(arena, q->gamma, q->problem->num_vc));
  SUP_TRY(SUP_ARENA(arena, q->D, q->n));
  SUP_TRY(SUP_ARENA(arena, q->own, q->n));
  SUP_TRY(SUP_ARENA(arena, q->shifted, q->n));
  SUP_TRY(SUP_ARENA(arena, q->whole, q->n));
  SUP_TRY(SUP_ARENA(arena, q->y, 2 * q->n));
  return SUP_OK;
}

sup_status sup_saddle_find(sup_stepper *s, const sup_problem *problem, const double *held,
                           const double *least, sup_saddle *out) {
  search       q = {.s = s, .problem = problem, .n = s->layout->A_pattern.num_scalars};
  sup_subspace space;
  double      *x;
  *out = (sup_saddle){.block = SUP_NONE};
  if (q.n == 0) return SUP_OK;
  SUP_TRY(allocate(&q));
  SUP_TRY(SUP_ARENA(s->start.arena, x, q.n));
  sup_problem_evaluate(problem, s->solution.law, s->solution.vc, q.gamma, q.G);
  sup_assembly_diagonal(&s->assembly, q.whole);
  for (int i = 0; i < q.n; i++) q.own[i] = q.whole[i] - held[i];
  set_size(&q, least);
  sup_assembly_set_diagonal(&s->assembly, q.own); /* A is bare */
  sup_pencil H = {q.n, q.D, multiply, factor, solve, &q};
  sup_status status = sup_subspace_find(&H, s->start.arena, &space);
  if (status == SUP_OK && space.num > 0) describe(&q, &space, x, out);
  sup_assembly_set_diagonal(&s->assembly, q.whole);
  return status;
}

int sup_saddle_is_before(const sup_saddle *saddle, double slope, double longest) {
  /* the top of the parabola along d is at slope over its curvature */
  return slope > 0 && slope * longest > sup_static_numerics.aside * -saddle->bend;
}

int sup_saddle_is_suspected(double error, double weight) {
  return weight == 0 && error < sup_static_numerics.unstable;
}
