/* Steps with nonlinear materials: Newton's method on the whole cost.
 *
 *  phi(v) = 1/2 v^T A v - p^T v + sum_i l_i(J_i v + b_i) + sum_bodies e(u),
 *  e(u) = E(x0 + dt u) - E(x) + dt f . (u - w) - dt^2/2 (u - w)^T K (u - w)
 *
 *  with E the elastic energy and the potential of stiffness damping by increments of strain
 * (fem/increment.c), u the velocities of a body's vertices and w those about which A and p are
 * linear, x = x0 + dt w: phi is the cost of implicit Euler, whatever w.  Each iteration solves the
 * convex problem without e, searches a line towards its solution until phi has fallen, and
 * linearises there.  It ends when the residual of the true forces is small.  K is the second
 * derivative of the energies; where A is not positive definite with it, or phi does not fall, the
 * projected one, which leaves out the negative stiffness of compression: near buckling almost all
 * of K. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "fem/material.h"
#include "solve/accept.h"
#include "solve/newton/coupling.h"
#include "solve/round_off.h"
#include "step/nonlinear.h"

int sup_stepper_soft_is_nonlinear(const sup_model *model, int i, int soft_bdf2) {
  const sup_fem_body *fem = model->soft[i].fem;
  if (!sup_fem_body_is_linear(fem)) return 1;
  for (int k = 0; k < sup_fem_num_materials(fem) && soft_bdf2; k++)
    if (sup_fem_material(fem, k)->model == SUP_MATERIAL_LINEAR_COROTATIONAL) return 1;
  return 0;
}

static double dot(const double *a, const double *b, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

static double energy_at(const sup_true_cost *q, int i, const double *x) {
  const sup_soft *soft = &q->s->model->soft[i];
  int             inverted;
  sup_fem_rotations(soft->fem, x, q->R, &inverted);
  return sup_fem_step_energy(soft->fem, q->R, x, sup_stepper_increment(&q->s->assembly.soft[i]));
}

double sup_true_cost_base_energy(const sup_true_cost *q, int i) {
  if (isnan(q->base.energy[i])) q->base.energy[i] = energy_at(q, i, q->s->assembly.soft[i].x);
  return q->base.energy[i];
}

/** Nonlinear part e of the elastic energy of body i at the block velocities v [J].  Overwrites
 * work->v, f and Av. */
static double excess(const sup_true_cost *q, int i, const double *v) {
  sup_stepper    *s = q->s;
  const sup_soft *soft = &s->model->soft[i];
  sup_soft_work  *work = &s->assembly.soft[i];
  const double   *x0 = q->state->x + 3 * soft->first_vertex;
  double          dt = s->inc->h, *u = work->v, *x = work->f, *Ku = work->Av;
  int             n = 3 * soft->num_vertices;
  sup_stepper_vertex_velocity(s, i, v, u);
  int is_base = 1; /* 0 at the base */
  for (int a = 0; a < n; a++) {
    x[a] = x0[a] + dt * u[a];
    is_base &= x[a] == work->x[a];
  }
  if (is_base && q->trial_energy) q->trial_energy[i] = sup_true_cost_base_energy(q, i);
  if (is_base) return 0;
  double base = sup_true_cost_base_energy(q, i), energy = energy_at(q, i, x);
  if (q->trial_energy) q->trial_energy[i] = energy;
  energy -= base;
  if (!isfinite(energy)) return HUGE_VAL;
  for (int a = 0; a < n; a++) u[a] = (x[a] - work->x[a]) / dt;
  sup_stepper_stiffness_multiply(s, i, u, work->f, Ku);
  return energy + dt * dot(q->force[i], u, n) - 0.5 * dot(Ku, u, n);
}

/** Energies at the base of the line search, from which phi is measured. */
typedef struct origin {
  double laws, excess, size; /* at the base; size of the terms that cancel [J] */
} origin;

/** Energies beyond those of A and p at the velocities v. */
static double excess_of_all(const sup_true_cost *q, const double *v) {
  sup_stepper *s = q->s;
  double       sum = 0;
  for (int i = 0; i < s->model->num_softs; i++)
    if (s->assembly.soft[i].is_nonlinear) sum += excess(q, i, v);
  return sum + (q->excess ? q->excess(s, v) : 0);
}

static double laws_at(const sup_true_cost *q, const double *v) {
  sup_stepper *s = q->s;
  sup_problem_constraint_velocity(q->problem, v, 1, s->solution.vc);
  return sup_problem_evaluate(q->problem, s->solution.law, s->solution.vc, s->solution.gamma, NULL);
}

/** Energies at the base; q->impulse := A v - p there. */
static origin origin_at_base(const sup_true_cost *q) {
  sup_stepper *s = q->s;
  int          n = s->A_pattern.num_scalars;
  sup_stepper_multiply(s, q->base.v, q->Av);
  for (int i = 0; i < n; i++) q->impulse[i] = q->Av[i] - s->assembly.p[i];
  origin o = {.laws = laws_at(q, q->base.v), .excess = excess_of_all(q, q->base.v)};
  o.size = fabs(o.laws) + 0.5 * fabs(dot(q->Av, q->base.v, n));
  for (int i = 0; i < s->model->num_softs; i++)
    if (s->assembly.soft[i].is_nonlinear) o.size += fabs(sup_true_cost_base_energy(q, i));
  return o;
}

/** phi at q->trial := base + a d less phi at the base, computed from the difference a d: in A v of
 * stiff bodies that turn almost all is round-off. */
static double rise(const sup_true_cost *q, const origin *o, double a, const double *d) {
  sup_stepper *s = q->s;
  int          n = s->A_pattern.num_scalars;
  for (int i = 0; i < n; i++) q->trial[i] = q->base.v[i] + a * d[i];
  double sum = a * (0.5 * a * dot(q->Av, d, n) + dot(q->impulse, d, n));
  sum += laws_at(q, q->trial) - o->laws;
  sum += excess_of_all(q, q->trial) - o->excess;
  return isnan(sum) ? HUGE_VAL : sum;
}

/** Round-off of positions and of A v in the work of forces along d [J]. */
static double round_off_along(const sup_true_cost *q, const double *d) {
  static const double row = 4; /* of A, over its diagonal */
  const sup_stepper  *s = q->s;
  double              sum = 0;
  for (int i = 0; i < s->model->num_softs; i++) {
    const sup_soft *soft = &s->model->soft[i];
    for (int a = 0; a < soft->num_vertices; a++) {
      if (soft->block[a] == SUP_NONE) continue;
      const double *D = sup_stepper_diagonal_block(s, soft->block[a]);
      int           first = sup_block_first(&s->A_pattern, soft->block[a]);
      for (int c = 0; c < 3; c++) {
        double x = s->assembly.soft[i].x[3 * a + c] / s->inc->h, v = q->base.v[first + c];
        sum += fabs(D[4 * c] * d[first + c]) * (fabs(x) + fabs(v));
      }
    }
  }
  return row * DBL_EPSILON * sum;
}

int sup_line_search_backtrack(const sup_true_cost *q, double length) {
  enum { HALVINGS = 30 };
  static const double noise = 1e-13;
  sup_stepper        *s = q->s;
  int                 n = s->A_pattern.num_scalars;
  origin              o = origin_at_base(q);
  for (int i = 0; i < n; i++) q->direction[i] = s->solution.v[i] - q->base.v[i];
  sup_stepper_multiply(s, q->direction, q->Av);
  double lost = round_off_along(q, q->direction);
  for (int k = 0; k < HALVINGS; k++, length *= 0.5) {
    if (rise(q, &o, length, q->direction) > noise * o.size + length * lost) continue;
    memcpy(s->solution.v, q->trial, (size_t)n * sizeof *s->solution.v);
    return k + 1;
  }
  return 0;
}

int sup_line_search_negative_curvature(const sup_true_cost *q, const double *held,
                                       const double *direction, double longest) {
  enum { HALVINGS = 24 };
  sup_stepper *s = q->s;
  int          n = s->A_pattern.num_scalars;
  double       lowest = 0, a = longest, best = 0, held_energy = 0;
  origin       o = origin_at_base(q);
  sup_stepper_multiply(s, direction, q->Av);
  for (int i = 0; i < n; i++) held_energy += 0.5 * direction[i] * held[i] * direction[i];
  for (int k = 0; k < HALVINGS; k++, a *= 0.5) {
    double now = rise(q, &o, a, direction) - held_energy * a * a;
    if (now < lowest)
      lowest = now, best = a;
    else if (best > 0)
      break;
  }
  for (int i = 0; i < n; i++) s->solution.v[i] = q->base.v[i] + best * direction[i];
  return best > 0;
}

static double scaled_norm(const sup_true_cost *q, const double *a) {
  double sum = 0;
  for (int i = 0; i < q->s->A_pattern.num_scalars; i++)
    sum += q->inv_sqrt_d[i] * a[i] * (q->inv_sqrt_d[i] * a[i]);
  return sqrt(sum);
}

void sup_true_cost_residual(const sup_true_cost *q, sup_solve_report *solved) {
  sup_stepper *s = q->s;
  int          n = s->A_pattern.num_scalars;
  for (int b = 0; b < s->A_pattern.num_blocks; b++) {
    int           size = sup_block_size(&s->A_pattern, b);
    const double *D = sup_stepper_diagonal_block(s, b);
    for (int i = 0; i < size; i++)
      q->inv_sqrt_d[sup_block_first(&s->A_pattern, b) + i] =
          1 / sqrt(fabs(D[i * size + i])); /* the exact K may bend down */
  }
  sup_stepper_multiply(s, s->solution.v, q->Av);
  sup_problem_constraint_velocity(q->problem, s->solution.v, 1, s->solution.vc);
  sup_problem_evaluate(q->problem, s->solution.law, s->solution.vc, s->solution.gamma, NULL);
  if (s->inc->motion > 0 && sup_coupling_is_needed(q->problem, s->solution.law)) {
    sup_coupling_set_bounds(q->problem, s->solution.law, s->solution.gamma);
    sup_problem_evaluate(q->problem, s->solution.law, s->solution.vc, s->solution.gamma, NULL);
  }
  sup_problem_generalized_impulse(q->problem, s->solution.gamma, q->impulse);
  double scale = fmax(scaled_norm(q, q->Av), scaled_norm(q, q->impulse));
  for (int i = 0; i < n; i++) q->trial[i] = q->Av[i] - s->assembly.p[i] - q->impulse[i];
  solved->residual = q->trial, solved->momentum = q->Av, solved->impulse = q->impulse;
  solved->scaling = q->inv_sqrt_d;
  solved->momentum_residual = scaled_norm(q, q->trial);
  solved->momentum_error =
      scale > 0 ? solved->momentum_residual / scale : solved->momentum_residual;
}

/** Norm of the round-off of positions in the elastic forces: of a body at rest they are nothing
 * else. */
static double round_off_of_positions(const sup_true_cost *q) {
  const sup_stepper *s = q->s;
  double             sum = 0;
  for (int i = 0; i < s->model->num_softs; i++) {
    const sup_soft *soft = &s->model->soft[i];
    if (!s->assembly.soft[i].is_nonlinear) continue;
    for (int a = 0; a < 3 * soft->num_vertices; a++) {
      if (soft->block[a / 3] == SUP_NONE) continue;
      int    at = sup_block_first(&s->A_pattern, soft->block[a / 3]) + a % 3;
      double v = DBL_EPSILON * s->assembly.soft[i].x[a] / (s->inc->h * q->inv_sqrt_d[at]);
      sum += v * v;
    }
  }
  return sqrt(sum);
}

/** Acceptance of a residual of the true forces, `before` at the last linearisation.  Below the
 * round-off of positions it is accepted: another solution of the linear problem, to a tolerance
 * relative to all of p, may be a hundred times worse.  A residual that no longer decreases is
 * accepted below the round-off of the sums, in which sticking friction multiplies that of
 * velocities. */
static sup_reason accept(const sup_true_cost *q, const sup_solve_report *solved, double before,
                         double tolerance) {
  static const double progress = 0.5;
  const sup_stepper  *s = q->s;
  double              residual = solved->momentum_residual;
  sup_reason          reason = sup_accept(solved->momentum_error, residual, tolerance);
  if (reason != 0) return reason;
  if (residual <= round_off_of_positions(q)) return SUP_REASON_ABSOLUTE;
  if (!(residual > progress * before)) return 0;
  sup_lost_digits lost = sup_residual_round_off(q->problem, s->solution.law, s->solution.v,
                                                s->solution.vc, q->inv_sqrt_d, q->size);
  return sup_is_round_off(residual, solved->momentum_error, lost) ? SUP_REASON_ROUND_OFF : 0;
}

/** Record the linearisation point x: elastic forces, and energies if `is_tried`, from the last
 * trial at x; else they are computed when needed. */
static void record_linearisation_point(const sup_true_cost *q, int is_tried) {
  const sup_stepper *s = q->s;
  for (int i = 0; i < s->model->num_softs; i++) {
    const sup_soft_work *work = &s->assembly.soft[i];
    if (!work->is_nonlinear) continue;
    q->base.energy[i] = is_tried ? q->trial_energy[i] : (double)NAN;
    memcpy(q->force[i], work->elastic,
           3 * (size_t)s->model->soft[i].num_vertices * sizeof *q->force[i]);
  }
}

void sup_line_search_set_base(const sup_true_cost *q, const double *v) {
  int n = q->s->A_pattern.num_scalars, is_tried = q->trial_energy != NULL;
  for (int i = 0; i < n && is_tried; i++) is_tried &= v[i] == q->trial[i];
  if (v != q->base.v) memcpy(q->base.v, v, (size_t)n * sizeof *v);
  record_linearisation_point(q, is_tried);
}

static sup_status linearise(const sup_true_cost *q, const double *v, int is_exact) {
  sup_stepper *s = q->s;
  s->is_exact = is_exact;
  SUP_TRY(sup_stepper_relinearise(s, q->state, v));
  sup_line_search_set_base(q, v);
  return SUP_OK;
}

sup_status sup_true_cost_allocate(sup_true_cost *q) {
  sup_stepper *s = q->s;
  int          n = s->A_pattern.num_scalars, most_cells = 0;
  double     **vector[] = {&q->base.v,  &q->trial,      &q->direction, &q->Av,
                           &q->impulse, &q->inv_sqrt_d, &q->size};
  for (int i = 0; i < s->model->num_softs; i++)
    if (sup_fem_mesh(s->model->soft[i].fem)->num_cells > most_cells)
      most_cells = sup_fem_mesh(s->model->soft[i].fem)->num_cells;
  for (size_t k = 0; k < sizeof vector / sizeof *vector; k++)
    SUP_TRY(SUP_ARENA(s->arena, *vector[k], n));
  SUP_TRY(SUP_ARENA(s->arena, q->R, most_cells));
  SUP_TRY(SUP_ARENA(s->arena, q->base.energy, s->model->num_softs));
  SUP_TRY(SUP_ARENA(s->arena, q->force, s->model->num_softs));
  for (int i = 0; i < s->model->num_softs; i++)
    if (s->assembly.soft[i].is_nonlinear)
      SUP_TRY(SUP_ARENA(s->arena, q->force[i], 3 * s->model->soft[i].num_vertices));
  return SUP_OK;
}

/** Solve with A and p as they are. */
static sup_status solve(const sup_true_cost *q, const sup_problem *problem,
                        const sup_solve_options *options, sup_solve_report *solved) {
  sup_stepper      *s = q->s;
  int               iterations = solved->iterations, sum = solved->iterations_sum;
  sup_linear_work   linear = solved->linear;
  sup_iteration_log before = solved->log;
  SUP_TRY(sup_reduction_solve(s->reduction, problem, options, s->arena,
                              &(sup_solution){s->solution.v, s->solution.gamma, s->solution.law},
                              solved));
  solved->iterations += iterations, solved->iterations_sum += sum;
  sup_linear_work_add(&solved->linear, &linear);
  sup_iteration_log_follow(&solved->log, &before);
  return SUP_OK;
}

/** Return to the base and solve again with the projected K. */
static sup_status solve_projected(const sup_true_cost *q, const sup_problem *problem,
                                  const sup_solve_options *options, sup_solve_report *solved) {
  sup_stepper *s = q->s;
  memcpy(s->solution.v, q->base.v, (size_t)s->A_pattern.num_scalars * sizeof *s->solution.v);
  SUP_TRY(linearise(q, s->solution.v, 0));
  return solve(q, problem, options, solved);
}

int sup_stepper_keeps(const sup_stepper *s) {
  return !s->is_free && !s->model->ranks && !sup_scheme_is_second_order(&s->inc->scheme);
}

/** Test the residual of the true forces at the solution with the present A: most steps need no
 * other A. If it is rejected, p is linear about the solution, A is not yet; where the energy is not
 * finite there, both are linear about the base again. */
static sup_status test_residual(const sup_true_cost *q, double before, double tolerance,
                                sup_solve_report *solved) {
  sup_stepper *s = q->s;
  int          is_finite = 1;
  SUP_TRY(sup_stepper_renew_forces(s, q->state, s->solution.v));
  sup_true_cost_residual(q, solved);
  solved->reason = accept(q, solved, before, tolerance);
  if (solved->reason > 0) return SUP_OK;
  record_linearisation_point(q, 0);
  for (int i = 0; i < s->model->num_softs; i++)
    is_finite &= !s->assembly.soft[i].is_nonlinear || isfinite(sup_true_cost_base_energy(q, i));
  if (!is_finite || !isfinite(solved->momentum_residual))
    SUP_TRY(linearise(q, q->base.v, s->is_exact));
  return SUP_OK;
}

sup_status sup_stepper_solve_nonlinear(sup_stepper *s, const sup_state *state,
                                       const sup_problem *problem, const sup_solve_options *options,
                                       sup_step_report *report, sup_solve_report *solved) {
  const int     most = sup_strategy_cap(SUP_STRATEGY_LINEARISATION);
  sup_true_cost q = {.s = s, .state = state, .problem = problem};
  SUP_TRY(sup_true_cost_allocate(&q));
  SUP_TRY(SUP_ARENA(s->arena, q.trial_energy, s->model->num_softs));
  for (int i = 0; i < s->model->num_softs; i++) q.trial_energy[i] = (double)NAN;
  memset(q.trial, 0, (size_t)s->A_pattern.num_scalars * sizeof *q.trial);
  memcpy(q.base.v, s->assembly.linear_at, (size_t)s->A_pattern.num_scalars * sizeof *q.base.v);
  if (solved->reason == SUP_REASON_NOT_SPD && s->is_exact)
    SUP_TRY(solve_projected(&q, problem, options, solved));
  if (solved->reason < 0) return SUP_OK;
  if (!sup_stepper_keeps(s)) sup_line_search_set_base(&q, q.base.v);
  sup_reason reason = SUP_REASON_MAX_ITERATIONS;
  double     residual = HUGE_VAL;
  for (int k = 0; k < most; k++) {
    report->linearisations++;
    if (sup_stepper_keeps(s)) {
      SUP_TRY(test_residual(&q, residual, options->tolerance, solved));
      if (solved->reason > 0) return SUP_OK;
      residual = solved->momentum_residual;
    }
    int tries =
        solved->momentum_residual <= sup_absolute_limit ? 1 : sup_line_search_backtrack(&q, 1);
    if (tries == 0 && !s->is_exact) {
      reason = SUP_REASON_LINE_SEARCH;
      break;
    }
    if (tries == 0) {
      SUP_TRY(solve_projected(&q, problem, options, solved));
      if (solved->reason < 0) return SUP_OK;
      continue;
    }
    SUP_TRY(linearise(&q, s->solution.v, 1));
    if (tries > 1 || !sup_stepper_keeps(s)) {
      sup_true_cost_residual(&q, solved);
      solved->reason = accept(&q, solved, residual, options->tolerance);
      residual = solved->momentum_residual;
      if (solved->reason > 0) return SUP_OK;
    }
    SUP_TRY(solve(&q, problem, options, solved));
    if (solved->reason == SUP_REASON_NOT_SPD)
      SUP_TRY(solve_projected(&q, problem, options, solved));
    if (solved->reason < 0) return SUP_OK;
  }
  memcpy(s->solution.v, q.base.v, (size_t)s->A_pattern.num_scalars * sizeof *s->solution.v);
  SUP_TRY(linearise(&q, s->solution.v, 0));
  sup_true_cost_residual(&q, solved); /* of the laws themselves, not of the last convex problem */
  if (reason == SUP_REASON_MAX_ITERATIONS) solved->at_cap |= 1u << SUP_STRATEGY_LINEARISATION;
  solved->reason = reason, solved->iterations = report->linearisations;
  return SUP_OK;
}
