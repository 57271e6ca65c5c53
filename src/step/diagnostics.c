/* Diagnostics beyond the momentum error of the scene or of an island: light bodies in reach of
 * heavy ones, and digits lost when stiffness and mass were added. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/log.h"
#include "solve/accept.h"
#include "solve/island.h"
#include "solve/numerics.h"
#include "solve/round_off.h"
#include "step/numerics.h"
#include "step/solution.h"

/* ---- islands of pressing bodies
 * ------------------------------------------------------------------ */

void sup_step_find_islands(const sup_reduction *reduction, const sup_problem *problem,
                           const double *gamma, int *island) {
  int num = problem->A_pattern->num_blocks;
  if (num) memcpy(island, sup_reduction_components(reduction), (size_t)num * sizeof *island);
  sup_island_unite(problem, gamma, island);
  for (int b = 0; b < num; b++) island[b] = island[island[b]]; /* roots are smaller */
}

/** Squares of ||D r||, ||D A v||, ||D J^T gamma|| and of the rounding of D r of an island. */
typedef struct island_sum {
  double residual, momentum, impulse, lost;
} island_sum;

/** Largest momentum error of an island relative to its own momenta.  The solver's islands unite
 * bodies that could touch; these islands unite only bodies that push each other.
 *  @param[in] lost
 * [num_scalars] sizes of the residual's terms [N s, N m s]: an island whose residual is the
 * round-off of these terms does not count; NULL: all count */
static sup_status island_error(const sup_reduction *reduction, sup_arena *arena,
                               const sup_problem *problem, const double *gamma,
                               const sup_solve_report *solved, const double *lost, double *error) {
  const sup_block_pattern *P = problem->A_pattern;
  size_t                   num = (size_t)P->num_blocks;
  int                     *island;
  island_sum              *sum;
  *error = 0;
  if (!solved->residual || num == 0 || solved->reason == SUP_REASON_ABSOLUTE) return SUP_OK;
  if (solved->reason == SUP_REASON_ROUND_OFF &&
      solved->momentum_error > sup_solve_numerics.round_off)
    return SUP_OK; /* the momenta themselves are round-off */
  SUP_TRY(SUP_ARENA(arena, island, num));
  SUP_TRY(SUP_ARENA(arena, sum, num));
  memset(sum, 0, num * sizeof *sum);
  sup_step_find_islands(reduction, problem, gamma, island);
  for (int b = 0; b < P->num_blocks; b++) {
    island_sum *to = &sum[island[b]], own = {0};
    for (int k = sup_block_first(P, b); k < sup_block_first(P, b + 1); k++) {
      double r = solved->scaling[k] * solved->residual[k],
             p = solved->scaling[k] * solved->momentum[k];
      double impulse = solved->scaling[k] * solved->impulse[k];
      double size =
          lost ? sup_solve_numerics.round_off_share * DBL_EPSILON * solved->scaling[k] * lost[k]
               : 0;
      own.residual += r * r, own.momentum += p * p, own.impulse += impulse * impulse;
      own.lost += size * size;
    }
    to->residual += own.residual, to->momentum += own.momentum, to->impulse += own.impulse;
    to->lost += own.lost;
  }
  for (size_t b = 0; b < num; b++) {
    double residual = sqrt(sum[b].residual);
    if (sum[b].residual > sum[b].lost)
      *error =
          fmax(*error, sup_momentum_error(residual, sqrt(sum[b].momentum), sqrt(sum[b].impulse)));
  }
  return SUP_OK;
}

/** Solve again with a smaller tolerance; a solution within the options' tolerance stays accepted.
 */
static sup_status solve_again(const sup_step_convex *convex, double tolerance,
                              sup_step_solution *solution, sup_solve_report *solved) {
  sup_solve_options once = *convex->options;
  sup_solve_report  before = *solved;
  once.tolerance = tolerance;
  once.is_polish = 1;
  once.sweeps = 1; /* normal impulses of friction are unchanged */
  SUP_TRY(sup_step_convex_solve(convex, &once, solution, solved));
  if (solved->reason != SUP_REASON_ABSOLUTE &&
      sup_accept(solved->momentum_error, solved->momentum_residual, convex->options->tolerance) ==
          SUP_REASON_TOLERANCE)
    solved->reason = SUP_REASON_TOLERANCE;
  sup_solve_report_add(solved, &before);
  return SUP_OK;
}

sup_status sup_step_refine_islands(const sup_step_convex *convex, int is_nonlinear,
                                   sup_step_solution *solution, sup_solve_report *solved,
                                   double *error) {
  const sup_step_start *s = convex->start;
  const sup_problem    *problem = convex->problem;
  const double          limit = sup_island_limit(convex->options->tolerance);
  double                tolerance = convex->options->tolerance, before = HUGE_VAL;
  double               *lost;
  SUP_TRY(island_error(convex->reduction, s->arena, problem, solution->gamma, solved, NULL, error));
  if (!(*error > limit)) return SUP_OK;
  SUP_TRY(SUP_ARENA(s->arena, lost, s->layout->A_pattern.num_scalars));
  sup_problem_constraint_velocity(problem, solution->v, 1, solution->vc);
  sup_residual_round_off(problem, solution->law, solution->v, solution->vc, solved->scaling, lost);
  SUP_TRY(island_error(convex->reduction, s->arena, problem, solution->gamma, solved, lost, error));
  for (int round = 0; solved->reason > 0 && !is_nonlinear && *error > limit; round++) {
    if (*error > 0.5 * before) break;
    if (round == sup_strategy_cap(SUP_STRATEGY_SETTLING)) {
      solved->at_cap |= 1u << SUP_STRATEGY_SETTLING;
      break;
    }
    before = *error;
    tolerance = fmin(tolerance, solved->momentum_error) * 0.1 * limit / *error;
    SUP_TRY(solve_again(convex, tolerance, solution, solved));
    SUP_TRY(
        island_error(convex->reduction, s->arena, problem, solution->gamma, solved, lost, error));
  }
  return SUP_OK;
}

int sup_step_error_body(const sup_step_layout *layout, const sup_solve_report *solved,
                        double island_error) {
  const sup_block_pattern *P = &layout->A_pattern;
  int                      worst = SUP_NONE;
  double                   most = 0;
  if (!solved->residual || (solved->momentum_error <= layout->options.tolerance &&
                            island_error <= sup_step_numerics.rough))
    return SUP_NONE;
  for (int b = 0; b < P->num_blocks; b++) {
    double sum = 0;
    for (int k = sup_block_first(P, b); k < sup_block_first(P, b + 1); k++) {
      double r = solved->scaling[k] * solved->residual[k];
      sum += r * r;
    }
    if (!(sum <= most)) most = sum, worst = layout->model->block_body[b];
  }
  return worst;
}

/* ---- lost digits ----------------------------------------------------------------------------- */

sup_status sup_step_warn_round_off(const sup_step_start *s, const sup_assembly *assembly,
                                   const sup_solve_report *solved, sup_step_warnings *told) {
  char where[SUP_BLOCK_NAME_SIZE];
  if (told->round_off || !(solved->round_off > sup_step_numerics.doubtful)) return SUP_OK;
  told->round_off = 1;
  SUP_TRY(sup_step_describe_block(s, assembly, s->state, solved->round_off_block, NULL, where));
  sup_log(SUP_LOG_WARNING,
          "step %ld: rounding changes velocities at %s by about %.2g of their size: what resists "
          "its motion is %.0e times its stiffness or inertia in the matrix, which has 16 digits; a "
          "smaller stiffness, or more mass, brings them together",
          s->state->step + 1, where, solved->round_off, DBL_EPSILON / solved->round_off);
  return SUP_OK;
}

sup_status sup_step_warn_tolerance(const sup_step_start *s, const sup_assembly *assembly,
                                   const sup_solve_report *solved, sup_step_warnings *told) {
  char where[SUP_BLOCK_NAME_SIZE];
  if (told->tolerance || told->round_off || solved->reason != SUP_REASON_ROUND_OFF)
    return SUP_OK; /* the warning of lost digits is more specific */
  told->tolerance = 1;
  SUP_TRY(
      sup_step_describe_block(s, assembly, s->state, solved->worst_block, solved->residual, where));
  sup_log(SUP_LOG_NOTE,
          "step %ld, t = %.4g s: the momentum error stays at %.2g, most of it at %s: round-off of "
          "its sums, accepted though the tolerance is %.2g; a solver.tolerance above it can be met",
          s->state->step + 1, s->state->time, solved->momentum_error, where,
          s->layout->options.tolerance);
  return SUP_OK;
}
