#include "solve/dual/pgs.h"

#include <math.h>
#include <string.h>

sup_one_contact sup_pgs_alone(const sup_dual_row *row, const double u[3], const double lambda[3]) {
  sup_one_contact out;
  double          A[9];
  memcpy(A, row->G, sizeof A);
  for (int r = 0; r < 3; r++) A[4 * r] += row->R[r];
  sup_one_contact_set(&out, A, row->mu, u, lambda);
  return out;
}

void sup_pgs_approach(double omega, const double x[3], double lambda[3]) {
  for (int k = 0; k < 3; k++)
    lambda[k] = omega == 1 ? x[k] : lambda[k] + omega * (x[k] - lambda[k]);
  lambda[2] = fmax(lambda[2], 0);
}

static void relax_interval(const sup_dual_row *row, double omega, const double u[3],
                           double lambda[3]) {
  double next = lambda[0] - omega * u[0] / (row->G[0] + row->R[0]);
  lambda[0] = fmin(fmax(next, row->lower), row->upper);
}

/** State of a solution. */
typedef struct run {
  const sup_pgs *method;
  double         omega;
  int            still; /* sweeps without progress from which omega changes */
} run;

static void relax_row(const sup_dual *d, const run *r, const sup_dual_row *row, const double u[3],
                      double *lambda) {
  const sup_pgs *m = r->method;
  if (row->cone == SUP_CONE_INTERVAL)
    relax_interval(row, d->options.over_relaxation, u, lambda);
  else
    m->relax(row, r->omega, u, lambda);
}

/** 0: impulses of the row do not change its slack. */
static int moves(const sup_dual_row *row) {
  double trace = 0;
  for (int r = 0; r < row->dimension; r++) trace += row->G[r * (row->dimension + 1)] + row->R[r];
  return trace > 0;
}

static sup_status sweep(sup_dual *d, void *user) {
  run *r = user;
  for (int i = 0; i < d->num_rows; i++) {
    sup_dual_row *row = &d->row[i];
    double        u[3], lambda[3], *old = d->lambda + row->first, change[3];
    sup_dual_slack(d, i, u);
    if (sup_dual_is_open(d, i, u)) continue;
    SUP_TRY(sup_dual_activate(d, i));
    if (!moves(row)) continue;
    memcpy(lambda, old, (size_t)row->dimension * sizeof *lambda);
    relax_row(d, r, row, u, lambda);
    for (int k = 0; k < row->dimension; k++) change[k] = lambda[k] - old[k];
    sup_dual_add(d, i, change);
    memcpy(old, lambda, (size_t)row->dimension * sizeof *old); /* exactly on the cone */
  }
  if (r->method->omega && d->still >= r->still) r->omega = r->method->omega(r->omega);
  return SUP_OK;
}

sup_status sup_pgs_solve(const sup_pgs *method, const sup_problem *problem,
                         sup_linear_solver *linear, const sup_solve_options *options,
                         sup_arena *arena, sup_solution *solution, sup_solve_report *report) {
  enum { LONGER = 4 };
  sup_dual d;
  run      r = {.method = method,
                .omega = method->omega ? 1 : options->dual.over_relaxation,
                .still = options->dual.subspace > 0 ? LONGER * method->patience : 0};
  SUP_TRY(sup_dual_create(&d, problem, linear, method->law, options, arena, solution, report));
  if (report->reason < 0) return SUP_OK;
  for (int i = 0; i < d.num_rows && method->law == SUP_CONE_LAW_RAISIM; i++)
    if (d.lambda[d.row[i].first] != 0 || d.lambda[d.row[i].first + d.row[i].dimension - 1] != 0)
      SUP_TRY(sup_dual_activate(&d, i)); /* the residual of the start needs G */
  sup_dual_method how = {sweep, 1, method->cap, method->patience};
  if (options->dual.subspace > 0) how.patience *= 2 * LONGER; /* steps may fail temporarily */
  SUP_TRY(sup_dual_iterate(&d, &how, &r, report));
  SUP_TRY(sup_dual_finish(&d, solution, report));
  return SUP_OK;
}
