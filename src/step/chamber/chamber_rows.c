/* Rows of chambers beside A (THEORY 4.9): with the impulses lambda of their pressures the problem
 * is
 *
 *      min over v:  1/2 v^T A v - (p + G lambda)^T v + sum_i l_i(J_i v + b_i),
 *      lambda_c / (dt s_c) + dt y_c = e_c,     y = G^T v + known,
 *
 *  whose left side grows with lambda.  Newton's method on lambda, the mobility dy/dlambda by
 * Broyden's updates: without contact y is linear, and one chamber takes three solutions with one
 * factor of A, which stays as sparse as without chambers. */
#include <math.h>
#include <string.h>

#include "la/dense_lu.h"
#include "la/vector.h"
#include "step/chamber/chambers.h"
#include "step/numerics.h"
#include "step/solution.h"

/** Equations of the rows; arrays [num]. */
typedef struct rows {
  const sup_step_convex *convex;
  sup_chamber_work     **chamber;
  int                    num, all; /* rows, chambers */
  int                   *number;   /* of each row's chamber */
  double *impulse, *error, *size;  /* lambda [Pa s]; of the equation, its terms [m^3] */
  double *change, *before, *J;     /* J [num x num] */
} rows;

static sup_status find_rows(const sup_step_convex *convex, sup_arena *arena, rows *r) {
  sup_assembly *assembly = convex->assembly;
  int           n = assembly->layout->model->num_chambers;
  *r = (rows){.convex = convex, .all = n};
  SUP_TRY(SUP_ARENA(arena, r->chamber, n));
  SUP_TRY(SUP_ARENA(arena, r->number, n));
  for (int c = 0; c < n; c++)
    if (assembly->chamber[c].stiffness > 0)
      r->number[r->num] = c, r->chamber[r->num++] = &assembly->chamber[c];
  SUP_TRY(
      SUP_ARENA_VECTORS(arena, r->num, &r->impulse, &r->error, &r->size, &r->change, &r->before));
  SUP_TRY(SUP_ARENA(arena, r->J, r->num * r->num));
  for (int i = 0; i < r->num; i++) r->impulse[i] = 0;
  return SUP_OK;
}

static double *mobility(const rows *r, int i, int j) {
  return &r->convex->assembly->chamber_mobility[r->number[i] * r->all + r->number[j]];
}

/** Errors of the equations at the velocities v. */
static void evaluate(rows *r, const double *v) {
  double dt = r->convex->start->inc->h;
  int    n = r->convex->start->layout->A_pattern.num_scalars;
  for (int i = 0; i < r->num; i++) {
    const sup_chamber_work *c = r->chamber[i];
    double                  change = dt * (sup_dot(c->column, v, n) + c->known), given = 0;
    if (c->law.fill == SUP_CHAMBER_VOLUME)
      given = c->law.volume - c->volume - c->pressure / c->law.stiffness;
    double fill = r->impulse[i] / (dt * c->stiffness);
    r->error[i] = fill + change - given;
    r->size[i] = fabs(fill) + fabs(change) + fabs(given);
  }
}

static bool is_solved(const rows *r) {
  for (int i = 0; i < r->num; i++)
    if (!(fabs(r->error[i]) <= sup_step_numerics.chamber_row * r->size[i] +
                                   sup_step_numerics.chamber_volume * r->chamber[i]->volume))
      return false;
  return true;
}

/** First mobilities, of vertices that move by themselves. */
static void begin_mobility(rows *r) {
  const sup_assembly      *assembly = r->convex->assembly;
  const sup_block_pattern *P = &assembly->layout->A_pattern;
  for (int i = 0; i < r->num; i++) {
    if (*mobility(r, i, i) > 0) continue;
    double sum = 0;
    for (int b = 0; b < P->num_blocks; b++) {
      const double *D = sup_assembly_diagonal_block(assembly, b);
      int           n = sup_block_size(P, b), first = sup_block_first(P, b);
      for (int k = 0; k < n; k++) {
        double g = r->chamber[i]->column[first + k];
        if (g != 0) sum += g * g / fabs(D[k * (n + 1)]);
      }
    }
    *mobility(r, i, i) = sum;
  }
}

/** Broyden's update: the last change of lambda changed the equations as it did. */
static void learn(rows *r) {
  double dt = r->convex->start->inc->h, square = sup_dot(r->change, r->change, r->num);
  for (int i = 0; i < r->num && square > 0; i++) {
    double seen = r->error[i] - r->before[i] - r->change[i] / (dt * r->chamber[i]->stiffness);
    for (int j = 0; j < r->num; j++) seen -= dt * *mobility(r, i, j) * r->change[j];
    for (int j = 0; j < r->num; j++) *mobility(r, i, j) += seen * r->change[j] / (dt * square);
  }
}

/** lambda := Newton's. */
static sup_status advance(rows *r, sup_arena *arena) {
  double dt = r->convex->start->inc->h;
  int   *pivot;
  SUP_TRY(SUP_ARENA(arena, pivot, r->num));
  for (int i = 0; i < r->num; i++) {
    for (int j = 0; j < r->num; j++)
      r->J[i * r->num + j] =
          dt * *mobility(r, i, j) + (i == j ? 1 / (dt * r->chamber[i]->stiffness) : 0);
    r->change[i] = -r->error[i], r->before[i] = r->error[i];
  }
  if (sup_dense_lu(r->num, r->J, pivot) < r->num)
    return SUP_FAIL(SUP_E_NOT_CONVERGED, "the volumes of the chambers depend on each other");
  sup_dense_lu_solve(r->num, r->J, pivot, r->change);
  for (int i = 0; i < r->num; i++) r->impulse[i] += r->change[i];
  return SUP_OK;
}

/** Given volumes: pressures of the rows, and the slope of the structure for line searches. */
static void keep(rows *r) {
  double dt = r->convex->start->inc->h;
  for (int i = 0; i < r->num; i++) {
    sup_chamber_work *c = r->chamber[i];
    if (c->law.fill != SUP_CHAMBER_VOLUME) continue;
    c->multiplier = c->pressure + r->impulse[i] / dt;
    c->penalty = fmax(0, fmin(c->law.stiffness, 1 / (dt * dt * *mobility(r, i, i))));
  }
}

sup_status sup_step_convex_solve_in(const sup_step_convex *convex, const sup_solve_options *options,
                                    sup_arena *arena, sup_step_solution *x,
                                    sup_solve_report *solved) {
  enum { MOST = 40 };
  rows              r = {.num = 0};
  sup_problem       problem = *convex->problem;
  sup_solve_options now = *options;
  double           *p;
  if (convex->start->model->num_chambers > 0) SUP_TRY(find_rows(convex, arena, &r));
  if (r.num == 0)
    return sup_reduction_solve(convex->reduction, convex->problem, options, arena,
                               &(sup_solution){x->v, x->gamma, x->law}, solved);
  SUP_TRY(SUP_ARENA(arena, p, problem.A_pattern->num_scalars));
  problem.p = p;
  for (int k = 0; k < MOST; k++) {
    sup_solve_report before = k > 0 ? *solved : (sup_solve_report){.sweeps = 0};
    memcpy(p, convex->problem->p, (size_t)problem.A_pattern->num_scalars * sizeof *p);
    for (int i = 0; i < r.num; i++)
      for (int a = 0; a < problem.A_pattern->num_scalars; a++)
        p[a] += r.impulse[i] * r.chamber[i]->column[a];
    SUP_TRY(sup_reduction_solve(convex->reduction, &problem, &now, arena,
                                &(sup_solution){x->v, x->gamma, x->law}, solved));
    if (k > 0) sup_solve_report_add(solved, &before);
    if (solved->reason < 0) return SUP_OK;
    now.is_same = true;
    evaluate(&r, x->v);
    if (k == 0) begin_mobility(&r);
    if (k > 0) learn(&r);
    if (is_solved(&r)) {
      keep(&r);
      return SUP_OK;
    }
    SUP_TRY(advance(&r, arena));
  }
  solved->reason = SUP_REASON_MAX_ITERATIONS;
  return SUP_OK;
}
