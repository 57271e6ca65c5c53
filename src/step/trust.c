/* What the momentum error of the whole scene does not tell: a light group of bodies beside a heavy one, and digits that
 * were lost when stiffness and mass were added. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/log.h"
#include "step/stepper.h"

/* ---- groups: bodies that act on each other ---- */

static int root_of(const int *group, int body) {
  while (group[body] != body) body = group[body];
  return body;
}

/** The smaller number stands for both. */
static void unite(int *group, int a, int b) {
  a = root_of(group, a), b = root_of(group, b);
  if (a < b)
    group[b] = a;
  else
    group[a] = b;
}

sup_status sup_stepper_build_groups(sup_stepper *s) {
  const sup_block_pattern *P = &s->A_pattern;
  const int               *body = s->model->block_body;
  SUP_TRY(SUP_CALLOC(s->group, s->model->num_bodies));
  for (int b = 0; b < s->model->num_bodies; b++) s->group[b] = b;
  for (int j = 0; j < P->num_blocks; j++)
    for (int e = P->col_start[j]; e < P->col_start[j + 1]; e++) unite(s->group, body[P->row[e]], body[j]);
  return SUP_OK;
}

void sup_stepper_find_groups(const sup_stepper *s, const sup_problem *problem, int *group) {
  memcpy(group, s->group, (size_t)s->model->num_bodies * sizeof *group);
  for (int i = 0; i < problem->num_constraints; i++) {
    const sup_constraint *c = &problem->constraint[i];
    int                   pushes = 0;
    for (int k = 0; k < sup_law_dimension(c->law.kind); k++) pushes |= s->gamma[c->first_vc + k] != 0;
    for (int k = 1; k < c->num_blocks && pushes; k++)
      unite(group, s->model->block_body[problem->jacobian[c->first_block].block],
            s->model->block_body[problem->jacobian[c->first_block + k].block]);
  }
  for (int b = 0; b < s->model->num_bodies; b++) group[b] = root_of(group, b);
}

/** Squares of ||D r||, ||D A v|| and ||D J^T gamma|| of a group. */
typedef struct group_sum {
  double residual, momentum, impulse;
} group_sum;

/** Largest momentum error of a group relative to its own momenta; what is below the absolute limit does not count. */
static sup_status group_error(sup_stepper *s, const sup_problem *problem, const sup_solve_report *solved,
                              double *error) {
  const sup_block_pattern *P = &s->A_pattern;
  int                      num = s->model->num_bodies, *group;
  group_sum               *sum;
  *error = 0;
  if (!solved->residual) return SUP_OK;
  SUP_TRY(SUP_ARENA(s->arena, group, num));
  SUP_TRY(SUP_ARENA(s->arena, sum, num));
  memset(sum, 0, (size_t)num * sizeof *sum);
  sup_stepper_find_groups(s, problem, group);
  for (int b = 0; b < P->num_blocks; b++) {
    group_sum *to = &sum[group[s->model->block_body[b]]];
    for (int k = P->offset[b]; k < P->offset[b + 1]; k++) {
      double r = solved->scaling[k] * solved->residual[k], p = solved->scaling[k] * solved->momentum[k];
      double impulse = solved->scaling[k] * solved->impulse[k];
      to->residual += r * r, to->momentum += p * p, to->impulse += impulse * impulse;
    }
  }
  for (int g = 0; g < num; g++) {
    double residual = sqrt(sum[g].residual);
    if (residual > sup_absolute_limit)
      *error = fmax(*error, sup_momentum_error(residual, sqrt(sum[g].momentum), sqrt(sum[g].impulse)));
  }
  return SUP_OK;
}

/** Solve again with a smaller tolerance; what was good enough before is so still. */
static sup_status solve_again(sup_stepper *s, sup_problem *problem, const sup_solve_options *options, double tolerance,
                              sup_solve_report *solved) {
  sup_solve_options once = *options;
  sup_solve_report  before = *solved;
  once.tolerance = tolerance;
  once.sweeps = 1; /* friction's normal impulses stay what they were */
  SUP_TRY(sup_condenser_solve(s->condenser, problem, &once, s->arena, s->v, s->gamma, solved));
  if (solved->momentum_error <= options->tolerance && solved->reason != SUP_REASON_ABSOLUTE)
    solved->reason = SUP_REASON_TOLERANCE;
  solved->iterations += before.iterations;
  solved->line_search_evaluations += before.line_search_evaluations;
  solved->sweeps = before.sweeps;
  solved->sweep_change = before.sweep_change;
  return SUP_OK;
}

sup_status sup_stepper_settle_groups(sup_stepper *s, sup_problem *problem, const sup_solve_options *options,
                                     sup_solve_report *solved, double *error) {
  enum { MAX_ROUNDS = 3 };
  const double limit = fmax(sup_group_share * options->tolerance, 1e-6); /* round-off on light things is above less */
  double       tolerance = options->tolerance, before = HUGE_VAL;
  SUP_TRY(group_error(s, problem, solved, error));
  for (int round = 0; round < MAX_ROUNDS && solved->reason > 0 && !s->is_nonlinear && *error > limit; round++) {
    if (*error > 0.5 * before) break;
    before = *error;
    tolerance = fmin(tolerance, solved->momentum_error) * 0.1 * limit / *error;
    SUP_TRY(solve_again(s, problem, options, tolerance, solved));
    SUP_TRY(group_error(s, problem, solved, error));
  }
  return SUP_OK;
}

/* ---- lost digits ---- */

sup_status sup_stepper_tell_round_off(sup_stepper *s, const sup_state *state, const sup_solve_report *solved) {
  static const double doubtful = 1e-2;
  char                where[SUP_BLOCK_NAME_SIZE];
  if (s->told_round_off || !(solved->round_off > doubtful)) return SUP_OK;
  s->told_round_off = 1;
  SUP_TRY(sup_stepper_describe_place(s, state, solved->round_off_block, NULL, where));
  sup_log(
      SUP_LOG_WARNING,
      "step %ld: rounding changes velocities at %s by about %.2g of their size: what resists its motion is %.0e "
      "times its stiffness or inertia in the matrix, which has 16 digits; a smaller stiffness, or more mass, brings "
      "them together",
      state->step + 1, where, solved->round_off, DBL_EPSILON / solved->round_off);
  return SUP_OK;
}
