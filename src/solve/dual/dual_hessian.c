#include "solve/dual/dual_hessian.h"

#include <string.h>

#include "solve/dual/numerics.h"

sup_status sup_dual_hessian_create(sup_dual_hessian *q, const sup_dual *d) {
  const sup_problem *p = d->problem;
  SUP_TRY(SUP_ARENA(d->arena, q->D, 9 * p->num_constraints));
  SUP_TRY(SUP_ARENA(d->arena, q->problem, 9 * p->num_constraints));
  SUP_TRY(SUP_ARENA(d->arena, q->H, sup_block_pattern_num_values(p->H_pattern)));
  SUP_TRY(sup_hessian_map_create(&q->map, p, d->arena));
  sup_hessian_set_dynamics(p, q->H);
  return SUP_OK;
}

/** out := T D T with T = S on the tangents, since the Jacobians of the problem are not stretched.
 */
static void unstretch(const sup_anisotropy *S, const double D[9], double out[9]) {
  double T[9] = {S->xx, S->xy, 0, S->xy, S->yy, 0, 0, 0, 1}, DT[9];
  for (int r = 0; r < 3; r++)
    for (int c = 0; c < 3; c++) {
      DT[3 * r + c] = 0;
      for (int k = 0; k < 3; k++) DT[3 * r + c] += D[3 * r + k] * T[3 * k + c];
    }
  for (int r = 0; r < 3; r++)
    for (int c = 0; c < 3; c++) {
      out[3 * r + c] = 0;
      for (int k = 0; k < 3; k++) out[3 * r + c] += T[3 * r + k] * DT[3 * k + c];
    }
}

sup_status sup_dual_hessian_factor(sup_dual_hessian *q, sup_dual *d, bool *is_spd) {
  const sup_problem *p = d->problem;
  memcpy(q->problem, q->D, 9 * (size_t)p->num_constraints * sizeof *q->D);
  for (int i = 0; i < p->num_constraints; i++)
    if (p->constraint[i].law.anisotropy.on)
      unstretch(&p->constraint[i].law.anisotropy, q->D + 9 * i, q->problem + 9 * i);
  sup_hessian_set_constraints(p, &q->map, q->problem, q->H);
  sup_linear_operator op = {.pattern = p->H_pattern, .values = q->H, .space = p->space};
  d->has_dynamics = 0;
  sup_status status = sup_linear_solver_setup(d->factor, &op);
  *is_spd = status != SUP_E_NOT_SPD;
  if (*is_spd) SUP_TRY(status);
  return SUP_OK;
}

sup_status sup_dual_hessian_solve(sup_dual *d, const double *z, double *x) {
  sup_dual_impulse(d, z, d->impulse);
  sup_problem_generalized_impulse(d->problem, d->impulse, d->work);
  for (int k = 0; k < d->n; k++) x[k] += d->work[k];
  SUP_TRY(sup_linear_solver_solve(d->factor, sup_dual_numerics.exact, x, NULL));
  return SUP_OK;
}
