/* Steps with nonlinear materials: Newton's method on the true cost (true_cost.c).
 *
 *      function          sup_assembly_renew_forces, sup_true_cost_residual
 *      test              accept
 *      Jacobian          linearise: A and p about the iterate, K the second derivative
 *      linear solution   solve: the convex problem with them, Newton's own (solve/newton/newton.h)
 *      line search       sup_line_search_backtrack, until phi has fallen
 *
 *  Where A is not positive definite with the exact K, or phi does not fall, K is projected
 * (solve_projected): without the negative stiffness of compression, near buckling almost all of
 * K. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "solve/accept.h"
#include "solve/numerics.h"
#include "solve/round_off.h"
#include "step/numerics.h"
#include "step/strategy/strategy.h"
#include "step/strategy/true_cost.h"

/* ---- test ------------------------------------------------------------------------------------ */

/** Norm of the elastic forces by the round-off of positions; a body at rest has no other elastic
 * forces. */
static double round_off_of_positions(const sup_true_cost *cost) {
  const sup_step_start *s = cost->start;
  double                sum = 0;
  for (int i = 0; i < s->model->num_softs; i++) {
    const sup_soft *soft = &s->model->soft[i];
    if (!cost->assembly->soft[i].is_nonlinear) continue;
    for (int a = 0; a < 3 * soft->num_vertices; a++) {
      if (soft->block[a / 3] == SUP_NONE) continue;
      int    at = sup_block_first(&s->layout->A_pattern, soft->block[a / 3]) + a % 3;
      double v = DBL_EPSILON * cost->assembly->soft[i].x[a] / (s->inc->h * cost->inv_sqrt_d[at]);
      sum += v * v;
    }
  }
  return sqrt(sum);
}

/** Acceptance of a residual of the true forces, `before` at the last linearisation.  A residual
 * below the round-off of positions is accepted: another solution of the linear problem, with a
 * tolerance relative to all of p, may be a hundred times worse.  A residual that no longer
 * decreases is accepted below the round-off of the sums, which includes the round-off of velocities
 * amplified by sticking friction. */
static sup_reason accept(const sup_true_cost *cost, const sup_solve_report *solved, double before,
                         double tolerance) {
  double     residual = solved->momentum_residual;
  sup_reason reason = sup_accept(solved->momentum_error, residual, tolerance);
  if (reason != 0) return reason;
  double floor = round_off_of_positions(cost);
  if (residual <= floor) return SUP_REASON_ABSOLUTE;
  if (!(residual > sup_step_numerics.progress * before)) return 0;
  if (residual <= sup_step_numerics.positions * floor) return SUP_REASON_ROUND_OFF;
  sup_round_off_estimate lost =
      sup_residual_round_off(cost->problem, cost->solution->law, cost->solution->v,
                             cost->solution->vc, cost->inv_sqrt_d, cost->size);
  return sup_is_round_off(residual, solved->momentum_error, lost) ? SUP_REASON_ROUND_OFF : 0;
}

/* ---- Jacobian and linear solution ------------------------------------------------------------ */

static sup_status linearise(const sup_true_cost *cost, const double *v, int is_exact) {
  const sup_step_start *s = cost->start;
  SUP_TRY(sup_assembly_about(s, cost->assembly, v, is_exact));
  sup_line_search_set_base(cost, v);
  return SUP_OK;
}

/** Solve with A and p as they are. */
static sup_status solve(const sup_true_cost *cost, const sup_step_convex *convex,
                        sup_solve_report *solved) {
  int               iterations = solved->iterations, sum = solved->iterations_sum;
  sup_linear_work   linear = solved->linear;
  sup_iteration_log before = solved->log;
  SUP_TRY(sup_step_convex_solve(convex, convex->options, cost->solution, solved));
  solved->iterations += iterations, solved->iterations_sum += sum;
  sup_linear_work_add(&solved->linear, &linear);
  sup_iteration_log_prepend(&solved->log, &before);
  return SUP_OK;
}

/** Return to the base and solve again with the projected K. */
static sup_status solve_projected(const sup_true_cost *cost, const sup_step_convex *convex,
                                  sup_solve_report *solved) {
  const sup_step_start *s = cost->start;
  memcpy(cost->solution->v, cost->base.v,
         (size_t)s->layout->A_pattern.num_scalars * sizeof *cost->solution->v);
  SUP_TRY(linearise(cost, cost->solution->v, 0));
  return solve(cost, convex, solved);
}

/* ---- the iteration --------------------------------------------------------------------------- */

/** Test the residual of the true forces at the solution with the present A: most steps need no
 * other A. After a rejection p is linear about the solution and A is not; if the energy at the
 * solution is not finite, both are linear about the base again. */
static sup_status test_residual(const sup_true_cost *cost, double before, double tolerance,
                                sup_solve_report *solved) {
  const sup_step_start *s = cost->start;
  int                   is_finite = 1;
  SUP_TRY(sup_assembly_renew_forces(s, cost->assembly, cost->solution->v));
  sup_true_cost_residual(cost, solved);
  solved->reason = accept(cost, solved, before, tolerance);
  if (solved->reason > 0) return SUP_OK;
  sup_true_cost_record_linearisation_point(cost, 0);
  for (int i = 0; i < s->model->num_softs; i++)
    is_finite &=
        !cost->assembly->soft[i].is_nonlinear || isfinite(sup_true_cost_base_energy(cost, i));
  if (!is_finite || !isfinite(solved->momentum_residual))
    SUP_TRY(linearise(cost, cost->base.v, cost->assembly->is_exact));
  return SUP_OK;
}

sup_status sup_step_solve_nonlinear(const sup_step_convex *convex, sup_assembly *assembly,
                                    sup_step_solution *solution, sup_step_report *report,
                                    sup_solve_report *solved) {
  const sup_step_start *s = convex->start;
  const double          tolerance = convex->options->tolerance;
  const int             most = sup_strategy_cap(SUP_STRATEGY_LINEARISATION);
  sup_true_cost         cost = {
              .start = s, .problem = convex->problem, .assembly = assembly, .solution = solution};
  SUP_TRY(sup_true_cost_allocate(&cost, 1));
  memcpy(cost.base.v, assembly->linear_at,
         (size_t)s->layout->A_pattern.num_scalars * sizeof *cost.base.v);
  if (solved->reason == SUP_REASON_NOT_SPD && assembly->is_exact)
    SUP_TRY(solve_projected(&cost, convex, solved));
  if (solved->reason < 0) return SUP_OK;
  if (!sup_assembly_can_reuse(s)) sup_line_search_set_base(&cost, cost.base.v);
  sup_reason reason = SUP_REASON_MAX_ITERATIONS;
  double     residual = HUGE_VAL;
  for (int k = 0; k < most; k++) {
    report->linearisations++;
    if (sup_assembly_can_reuse(s)) {
      SUP_TRY(test_residual(&cost, residual, tolerance, solved));
      if (solved->reason > 0) return SUP_OK;
      residual = solved->momentum_residual;
    }
    int tries = solved->momentum_residual <= sup_solve_numerics.absolute
                    ? 1
                    : sup_line_search_backtrack(&cost, 1);
    if (tries == 0 && !assembly->is_exact) {
      reason = SUP_REASON_LINE_SEARCH;
      break;
    }
    if (tries == 0) {
      SUP_TRY(solve_projected(&cost, convex, solved));
      if (solved->reason < 0) return SUP_OK;
      continue;
    }
    SUP_TRY(linearise(&cost, solution->v, 1));
    if (tries > 1 || !sup_assembly_can_reuse(s)) {
      sup_true_cost_residual(&cost, solved);
      solved->reason = accept(&cost, solved, residual, tolerance);
      residual = solved->momentum_residual;
      if (solved->reason > 0) return SUP_OK;
    }
    SUP_TRY(solve(&cost, convex, solved));
    if (solved->reason == SUP_REASON_NOT_SPD) SUP_TRY(solve_projected(&cost, convex, solved));
    if (solved->reason < 0) return SUP_OK;
  }
  memcpy(solution->v, cost.base.v, (size_t)s->layout->A_pattern.num_scalars * sizeof *solution->v);
  SUP_TRY(linearise(&cost, solution->v, 0));
  sup_true_cost_residual(
      &cost, solved); /* impulses of the laws themselves, not of the last convex problem */
  if (reason == SUP_REASON_MAX_ITERATIONS) solved->at_cap |= 1u << SUP_STRATEGY_LINEARISATION;
  solved->reason = reason, solved->iterations = report->linearisations;
  return SUP_OK;
}
