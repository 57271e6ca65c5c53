#include "solve/pgs.h"

#include <math.h>
#include <string.h>

void sup_pgs_relax_normal(const sup_dual_row *row, double omega, const double u[3],
                          double lambda[3]) {
  double mass = row->G[8] + row->R[2];
  if (mass > 0) lambda[2] = fmax(0, lambda[2] - omega * u[2] / mass);
}

void sup_pgs_relax_disc(const sup_dual_row *row, double omega, const double u[3], double bound,
                        double lambda[3]) {
  if (!(row->tangential > 0)) return;
  for (int k = 0; k < 2; k++) lambda[k] -= omega * u[k] / row->tangential;
  sup_disc_project(bound, lambda);
}

void sup_pgs_relax_box(const sup_dual_row *row, double omega, const double u[3], double bound,
                       double lambda[3]) {
  double x = lambda[0], A[2] = {row->G[0] + row->R[0], row->G[4] + row->R[1]};
  if (A[0] > 0) lambda[0] = fmin(fmax(x - omega * u[0] / A[0], -bound), bound);
  double uy = u[1] + row->G[1] * (lambda[0] - x);
  if (A[1] > 0) lambda[1] = fmin(fmax(lambda[1] - omega * uy / A[1], -bound), bound);
}

static void relax_interval(const sup_dual_row *row, double omega, const double u[3],
                           double lambda[3]) {
  double next = lambda[0] - omega * u[0] / row->largest;
  lambda[0] = fmin(fmax(next, row->lower), row->upper);
}

/** A solution under way. */
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

static sup_status sweep(sup_dual *d, void *user) {
  run *r = user;
  for (int i = 0; i < d->num_rows; i++) {
    sup_dual_row *row = &d->row[i];
    double        u[3], lambda[3], *old = d->lambda + row->first, change[3];
    sup_dual_slack(d, i, u);
    if (sup_dual_is_open(d, i, u)) continue;
    SUP_TRY(sup_dual_activate(d, i));
    if (!(row->largest > 0)) continue; /* nothing moves */
    memcpy(lambda, old, (size_t)row->dimension * sizeof *lambda);
    relax_row(d, r, row, u, lambda);
    for (int k = 0; k < row->dimension; k++) change[k] = lambda[k] - old[k];
    sup_dual_add(d, i, change);
    memcpy(old, lambda, (size_t)row->dimension * sizeof *old); /* on the cone to the last bit */
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
  if (options->dual.subspace > 0) how.patience *= 2 * LONGER; /* steps may fail for a while */
  SUP_TRY(sup_dual_iterate(&d, &how, &r, report));
  SUP_TRY(sup_dual_finish(&d, solution, report));
  return SUP_OK;
}
