/* True cost of a step with nonlinear materials, or of a load step:
 *
 *  phi(v) = 1/2 v^T A v - p^T v + sum_i l_i(J_i v + b_i) + sum_bodies e(u),
 *  e(u) = E(x0 + dt u) - E(x) + dt f . (u - w) - dt^2/2 (u - w)^T K (u - w)
 *
 *  with E the elastic energy and the potential of stiffness damping by increments of strain
 * (fem/increment.c), f the elastic forces and K their stiffness at x, u the velocities of a body's
 * vertices and w those of the base, about which A and p are linear, x = x0 + dt w: phi is the cost
 * of implicit Euler, whatever w. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "la/vector.h"
#include "solve/newton/coupling.h"
#include "solve/newton/line_search.h"
#include "step/column/cables.h"
#include "step/column/chambers.h"
#include "step/numerics.h"
#include "step/strategy/true_cost.h"

/* ---- base ------------------------------------------------------------------------------------ */

sup_status sup_true_cost_allocate(sup_true_cost *cost, int remembers) {
  const sup_step_start *s = cost->start;
  int                   n = s->layout->A_pattern.num_scalars, most_cells = 0;
  for (int i = 0; i < s->model->num_softs; i++)
    if (sup_fem_mesh(s->model->soft[i].fem)->num_cells > most_cells)
      most_cells = sup_fem_mesh(s->model->soft[i].fem)->num_cells;
  SUP_TRY(SUP_ARENA_VECTORS(s->arena, n, &cost->base.v, &cost->trial, &cost->direction, &cost->Av,
                            &cost->impulse, &cost->inv_sqrt_d, &cost->size));
  SUP_TRY(SUP_ARENA(s->arena, cost->R, most_cells));
  SUP_TRY(SUP_ARENA(s->arena, cost->base.energy, s->model->num_softs));
  SUP_TRY(SUP_ARENA(s->arena, cost->force, s->model->num_softs));
  for (int i = 0; i < s->model->num_softs; i++)
    if (cost->assembly->soft[i].is_nonlinear)
      SUP_TRY(SUP_ARENA(s->arena, cost->force[i], 3 * s->model->soft[i].num_vertices));
  if (!remembers) return SUP_OK;
  SUP_TRY(SUP_ARENA(s->arena, cost->trial_energy, s->model->num_softs));
  for (int i = 0; i < s->model->num_softs; i++) cost->trial_energy[i] = (double)NAN;
  memset(cost->trial, 0, (size_t)n * sizeof *cost->trial);
  return SUP_OK;
}

static double energy_at(const sup_true_cost *cost, int i, const double *x) {
  const sup_soft *soft = &cost->start->model->soft[i];
  int             inverted;
  sup_fem_rotations(soft->fem, x, cost->R, &inverted);
  return sup_fem_step_energy(soft->fem, cost->R, x,
                             sup_soft_work_increment(&cost->assembly->soft[i]));
}

double sup_true_cost_base_energy(const sup_true_cost *cost, int i) {
  if (isnan(cost->base.energy[i]))
    cost->base.energy[i] = energy_at(cost, i, cost->assembly->soft[i].x);
  return cost->base.energy[i];
}

void sup_true_cost_record_linearisation_point(const sup_true_cost *cost, int is_tried) {
  const sup_step_start *s = cost->start;
  for (int i = 0; i < s->model->num_softs; i++) {
    const sup_soft_work *work = &cost->assembly->soft[i];
    if (!work->is_nonlinear) continue;
    cost->base.energy[i] = is_tried ? cost->trial_energy[i] : (double)NAN;
    memcpy(cost->force[i], work->elastic,
           3 * (size_t)s->model->soft[i].num_vertices * sizeof *cost->force[i]);
  }
}

void sup_line_search_set_base(const sup_true_cost *cost, const double *v) {
  int n = cost->start->layout->A_pattern.num_scalars, is_tried = cost->trial_energy != NULL;
  for (int i = 0; i < n && is_tried; i++) is_tried &= v[i] == cost->trial[i];
  if (v != cost->base.v) memcpy(cost->base.v, v, (size_t)n * sizeof *v);
  sup_true_cost_record_linearisation_point(cost, is_tried);
}

/* ---- function -------------------------------------------------------------------------------- */

/** Nonlinear part e of the elastic energy of body i at the block velocities v [J].  Overwrites
 * work->v, f and Av. */
static double excess(const sup_true_cost *cost, int i, const double *v) {
  const sup_step_start *s = cost->start;
  const sup_soft       *soft = &s->model->soft[i];
  sup_soft_work        *work = &cost->assembly->soft[i];
  const double         *x0 = s->state->x + 3 * soft->first_vertex;
  double                dt = s->inc->h, *u = work->v, *x = work->f, *Ku = work->Av;
  int                   n = 3 * soft->num_vertices;
  sup_assembly_vertex_velocity(cost->assembly, i, v, u);
  int is_base = 1; /* 0 at the base */
  for (int a = 0; a < n; a++) {
    x[a] = x0[a] + dt * u[a];
    is_base &= x[a] == work->x[a];
  }
  if (is_base && cost->trial_energy) cost->trial_energy[i] = sup_true_cost_base_energy(cost, i);
  if (is_base) return 0;
  double base = sup_true_cost_base_energy(cost, i), energy = energy_at(cost, i, x);
  if (cost->trial_energy) cost->trial_energy[i] = energy;
  energy -= base;
  if (!isfinite(energy)) return HUGE_VAL;
  if (sup_soft_has_follower(soft))
    energy +=
        sup_soft_pressure_energy(soft, s->inc->inputs, s->inc->t0 + dt, work->x, x, s->inc->load);
  for (int a = 0; a < n; a++) u[a] = (x[a] - work->x[a]) / dt;
  sup_assembly_multiply_stiffness(s, cost->assembly, i, u, work->f, Ku);
  return energy + dt * sup_dot(cost->force[i], u, n) - 0.5 * sup_dot(Ku, u, n);
}

/** Energies beyond those of A and p at the velocities v. */
static double excess_of_all(const sup_true_cost *cost, const double *v) {
  const sup_step_start *s = cost->start;
  double                sum = 0;
  for (int i = 0; i < s->model->num_softs; i++)
    if (cost->assembly->soft[i].is_nonlinear) sum += excess(cost, i, v);
  sum += sup_chambers_excess(s, cost->assembly, v);
  return sum + (cost->excess ? cost->excess(cost->user, v)
                             : sup_cables_excess(s, cost->assembly, v, NULL));
}

static double laws_at(const sup_true_cost *cost, const double *v) {
  sup_problem_constraint_velocity(cost->problem, v, 1, cost->solution->vc);
  return sup_problem_evaluate(cost->problem, cost->solution->law, cost->solution->vc,
                              cost->solution->gamma, NULL);
}

/** Line base + alpha direction. */
typedef struct cost_line {
  const sup_true_cost *cost;
  const double        *direction; /* [num_scalars] */
  double slope, curvature;        /* (A v - p).direction at the base, direction.A direction */
  double laws, excess;            /* energies at the base [J] */
  double proximal;                /* at alpha = 1, in A and not in phi [J] */
} cost_line;

/** sup_line.evaluate, value alone; user: a cost_line.  cost->trial := the point.  The value is
 * computed from alpha times direction: for turning stiff bodies A v is mostly round-off. */
static sup_line_value evaluate(double alpha, sup_line_order order, const void *user) {
  const cost_line     *l = user;
  const sup_true_cost *cost = l->cost;
  (void)order;
  for (int i = 0; i < cost->start->layout->A_pattern.num_scalars; i++)
    cost->trial[i] = cost->base.v[i] + alpha * l->direction[i];
  double sum = alpha * (0.5 * alpha * l->curvature + l->slope);
  sum += laws_at(cost, cost->trial) - l->laws;
  sum += excess_of_all(cost, cost->trial) - l->excess;
  sum = isnan(sum) ? HUGE_VAL : sum;
  return (sup_line_value){sum - l->proximal * alpha * alpha, (double)NAN, (double)NAN};
}

/** Line from the base along `direction`.
 *  @param[out] size  of the terms of phi that cancel [J] */
static cost_line line_from_base(const sup_true_cost *cost, const double *direction, double *size) {
  const sup_step_start *s = cost->start;
  int                   n = s->layout->A_pattern.num_scalars;
  cost_line             l = {.cost = cost, .direction = direction};
  sup_assembly_multiply(cost->assembly, cost->base.v, cost->Av);
  for (int i = 0; i < n; i++) l.slope += (cost->Av[i] - cost->assembly->p[i]) * direction[i];
  l.laws = laws_at(cost, cost->base.v), l.excess = excess_of_all(cost, cost->base.v);
  *size = fabs(l.laws) + 0.5 * fabs(sup_dot(cost->Av, cost->base.v, n));
  for (int i = 0; i < s->model->num_softs; i++)
    if (cost->assembly->soft[i].is_nonlinear) *size += fabs(sup_true_cost_base_energy(cost, i));
  *size += sup_chambers_size(cost->assembly) + sup_cables_size(cost->assembly);
  sup_assembly_multiply(cost->assembly, direction, cost->Av);
  l.curvature = sup_dot(cost->Av, direction, n);
  return l;
}

/* ---- line search ----------------------------------------------------------------------------- */

/** Round-off of positions and of A v in the work of forces along d [J]. */
static double round_off_along(const sup_true_cost *cost, const double *d) {
  const sup_step_start *s = cost->start;
  double                sum = 0;
  for (int i = 0; i < s->model->num_softs; i++) {
    const sup_soft *soft = &s->model->soft[i];
    for (int a = 0; a < soft->num_vertices; a++) {
      if (soft->block[a] == SUP_NONE) continue;
      const double *D = sup_assembly_diagonal_block(cost->assembly, soft->block[a]);
      int           first = sup_block_first(&s->layout->A_pattern, soft->block[a]);
      for (int c = 0; c < 3; c++) {
        double x = cost->assembly->soft[i].x[3 * a + c] / s->inc->h, v = cost->base.v[first + c];
        sum += fabs(D[4 * c] * d[first + c]) * (fabs(x) + fabs(v));
      }
    }
  }
  return sup_step_numerics.row * DBL_EPSILON * sum;
}

int sup_line_search_backtrack(const sup_true_cost *cost, double length) {
  const sup_step_start *s = cost->start;
  int                   n = s->layout->A_pattern.num_scalars;
  double                size;
  for (int i = 0; i < n; i++) cost->direction[i] = cost->solution->v[i] - cost->base.v[i];
  cost_line       along = line_from_base(cost, cost->direction, &size);
  sup_line        line = {.evaluate = evaluate,
                          .user = &along,
                          .limit = length,
                          .noise = sup_step_numerics.noise * size,
                          .noise_slope = round_off_along(cost, cost->direction)};
  sup_line_result found = sup_line_search_halving(&line);
  if (!found.ok) return 0;
  memcpy(cost->solution->v, cost->trial, (size_t)n * sizeof *cost->solution->v);
  return found.evaluations;
}

int sup_line_search_negative_curvature(const sup_true_cost *cost, const double *held,
                                       const double *direction, double longest) {
  const sup_step_start *s = cost->start;
  int                   n = s->layout->A_pattern.num_scalars;
  double                size;
  cost_line             along = line_from_base(cost, direction, &size);
  for (int i = 0; i < n; i++) along.proximal += 0.5 * direction[i] * held[i] * direction[i];
  sup_line        line = {.evaluate = evaluate, .user = &along, .limit = longest};
  sup_line_result lowest = sup_line_search_lowest(&line);
  for (int i = 0; i < n; i++) cost->solution->v[i] = cost->base.v[i] + lowest.alpha * direction[i];
  return lowest.ok;
}

/* ---- residual -------------------------------------------------------------------------------- */

static double scaled_norm(const sup_true_cost *cost, const double *a) {
  double sum = 0;
  for (int i = 0; i < cost->start->layout->A_pattern.num_scalars; i++)
    sum += cost->inv_sqrt_d[i] * a[i] * (cost->inv_sqrt_d[i] * a[i]);
  return sqrt(sum);
}

void sup_true_cost_residual(const sup_true_cost *cost, sup_solve_report *solved) {
  const sup_step_start *s = cost->start;
  int                   n = s->layout->A_pattern.num_scalars;
  for (int b = 0; b < s->layout->A_pattern.num_blocks; b++) {
    int           size = sup_block_size(&s->layout->A_pattern, b);
    const double *D = sup_assembly_diagonal_block(cost->assembly, b);
    for (int i = 0; i < size; i++)
      cost->inv_sqrt_d[sup_block_first(&s->layout->A_pattern, b) + i] =
          1 / sqrt(fabs(D[i * size + i])); /* the exact K may have negative curvature */
  }
  sup_assembly_multiply(cost->assembly, cost->solution->v, cost->Av);
  sup_problem_constraint_velocity(cost->problem, cost->solution->v, 1, cost->solution->vc);
  sup_problem_evaluate(cost->problem, cost->solution->law, cost->solution->vc,
                       cost->solution->gamma, NULL);
  if (s->inc->motion > 0 && sup_coupling_is_needed(cost->problem, cost->solution->law)) {
    sup_coupling_set_bounds(cost->problem, cost->solution->law, cost->solution->gamma);
    sup_problem_evaluate(cost->problem, cost->solution->law, cost->solution->vc,
                         cost->solution->gamma, NULL);
  }
  sup_problem_generalized_impulse(cost->problem, cost->solution->gamma, cost->impulse);
  double scale = fmax(scaled_norm(cost, cost->Av), scaled_norm(cost, cost->impulse));
  for (int i = 0; i < n; i++)
    cost->trial[i] = cost->Av[i] - cost->assembly->p[i] - cost->impulse[i];
  solved->residual = cost->trial, solved->momentum = cost->Av, solved->impulse = cost->impulse;
  solved->scaling = cost->inv_sqrt_d;
  solved->momentum_residual = scaled_norm(cost, cost->trial);
  solved->momentum_error =
      scale > 0 ? solved->momentum_residual / scale : solved->momentum_residual;
}
