/* Gauss-Seidel visits as the start of Newton's method with coupled friction.  If Newton's own
 * iterates do not converge, visits find the contact modes; one step linearised about the velocities
 * of the visits has their accuracy, and whole steps then converge quadratically. */
#include <math.h>
#include <string.h>

#include "solve/newton/newton.h"
#include "solve/newton/numerics.h"
#include "solve/newton/visits.h"

bool sup_newton_can_visit(const sup_newton *s) {
  return !sup_linear_solver_can_add(s->H.factor) && sup_visits_apply(s->problem);
}

/** Linearise a contact with friction about the local velocity of its visit, as primal-dual Newton
 * does: the slip direction is -gamma_t/bound of the visit, its length that of s->x.vc, so that
 * springs do not overshoot.  Computes G and g := G (target - vc). */
static void linearise_slip(sup_newton *s, const double *impulse, double x, int i, double *g) {
  const sup_law *law = &s->x.law[i];
  const double  *vc = s->x.vc + s->problem->constraint[i].first_vc;
  double        *G = s->x.G + 9 * i, cost, n, slope, t[2] = {0, 0};
  double         f = law->coulomb.mu * law->coulomb.gn0, e = law->coulomb.eps;
  if (f > 0) t[0] = -impulse[0] / f, t[1] = -impulse[1] / f;
  double size = hypot(t[0], t[1]), w = sqrt(vc[0] * vc[0] + vc[1] * vc[1] + e * e);
  if (size > sup_newton_numerics.inside)
    t[0] *= sup_newton_numerics.inside / size, t[1] *= sup_newton_numerics.inside / size;
  sup_normal_evaluate(&law->coulomb.normal, x, &cost, &n, &slope);
  G[0] = f / w * (1 - t[0] * t[0]), G[4] = f / w * (1 - t[1] * t[1]);
  G[1] = G[3] = -f / w * t[0] * t[1];
  G[8] = -slope;
  double d[3] = {w * t[0] - vc[0], w * t[1] - vc[1], x - vc[2]};
  double coupling = sup_law_is_coupled(law) ? law->coulomb.mu * slope * d[2] : 0;
  g[0] = G[0] * d[0] + G[1] * d[1] + coupling * t[0];
  g[1] = G[3] * d[0] + G[4] * d[1] + coupling * t[1];
  g[2] = G[8] * d[2];
}

/** G and residual of the other laws, linearised about the local velocities. */
static void linearise(sup_newton *s, const double *local, int i, double *g) {
  const double *vc = s->x.vc + s->problem->constraint[i].first_vc;
  sup_law_value value;
  double        slope[2], *G = s->x.G + 9 * i;
  int           n = sup_law_dimension(s->x.law[i].kind);
  sup_law_evaluate(&s->x.law[i], local, &value);
  memcpy(G, value.G, (size_t)(n * n) * sizeof *G);
  for (int a = 0; a < n; a++) {
    g[a] = 0;
    for (int b = 0; b < n; b++) g[a] += G[a * n + b] * (local[b] - vc[b]);
  }
  if (!sup_law_is_coupled(&s->x.law[i])) return;
  sup_law_bound_slope(&s->x.law[i], local, value.gamma, slope);
  for (int a = 0; a < 2; a++) g[a] += slope[a] * G[8] * (local[2] - vc[2]);
}

/** Linearise the problem at the velocities of the visits: G, impulses, bounds, and the residual r
 * whose Newton step solves the linearised problem. */
static void linearise_all(sup_newton *s, sup_visits *visits) {
  const sup_problem *p = s->problem;
  sup_visits_velocity(visits, s->x.v);
  sup_problem_multiply(p, s->x.v, s->x.Av);
  sup_problem_constraint_velocity(p, s->x.v, 1, s->x.vc);
  memcpy(s->x.gamma, visits->impulse, (size_t)p->num_vc * sizeof *s->x.gamma);
  sup_coupling_set_bounds(p, s->x.law, s->x.gamma);
  memset(s->x.G, 0, 9 * (size_t)p->num_constraints * sizeof *s->x.G);
  memset(s->trial.gamma, 0, (size_t)p->num_vc * sizeof *s->x.gamma);
  for (int i = 0; i < p->num_constraints; i++) {
    int           at = p->constraint[i].first_vc;
    const double *impulse = visits->impulse + at, *local = visits->local + at;
    if (sup_law_dimension(s->x.law[i].kind) == 3 && !(impulse[2] > 0)) continue; /* apart */
    if (s->x.law[i].kind == SUP_LAW_LAGGED)
      linearise_slip(s, impulse, local[2], i, s->trial.gamma + at);
    else
      linearise(s, local, i, s->trial.gamma + at);
  }
  sup_problem_generalized_impulse(p, s->trial.gamma, s->x.r);
  for (int j = 0; j < s->n; j++) s->x.r[j] = -s->x.r[j];
}

/** Set the slip directions of primal-dual Newton to those of the visits. */
static void start_slip(sup_newton *s, const sup_visits *visits) {
  sup_newton_start_slip(s);
  for (int i = 0; i < s->problem->num_constraints; i++) {
    const double *impulse = visits->impulse + s->problem->constraint[i].first_vc;
    double        f = s->x.law[i].coulomb.mu * s->x.law[i].coulomb.gn0;
    if (s->x.law[i].kind != SUP_LAW_LAGGED || !(f > 0)) continue;
    s->x.slip[2 * i] = -impulse[0] / f, s->x.slip[2 * i + 1] = -impulse[1] / f;
  }
}

/** Step to the solution of the problem linearised about the visits. */
static sup_status step_to_linearised(sup_newton *s, sup_coupling *coupling, sup_visits *visits,
                                     sup_solve_report *report, bool *spd) {
  linearise_all(s, visits);
  sup_newton_start_slip(s); /* G is already final */
  s->H.is_reused = 0, s->x.norm_before = 0;
  SUP_TRY(sup_newton_factor(s, report, spd));
  if (*spd) SUP_TRY(sup_newton_solve(s, report, spd));
  if (!*spd) return SUP_OK;
  sup_coupling_linearise(coupling, s->x.law, visits->local, s->x.gamma, s->x.G);
  sup_status status = sup_coupling_correct(coupling, sup_newton_numerics.coupling_loosest, s->d.v);
  if (status != SUP_E_NOT_SPD) SUP_TRY(status);
  sup_newton_set_direction(s);
  report->iterations++;
  start_slip(s, visits);
  sup_newton_take_step(s->problem, &s->x, &s->d, 1);
  s->x.norm_before = 0;
  sup_newton_evaluate_coupled(s, report);
  return SUP_OK;
}

sup_status sup_newton_solve_by_visits(sup_newton *s, sup_coupling *coupling,
                                      sup_solve_report *report) {
  static const int batch[] = {40, 80, 160, 320, 320, 640}; /* sweeps: most steps need one or two */
  enum { WHOLE = 15, PATIENCE = 3 };
  sup_visits visits;
  int        most = sup_strategy_cap(SUP_STRATEGY_VISITS), strategy = s->strategy;
  bool       spd;
  sup_status status = sup_visits_create(&visits, s->problem, s->arena);
  report->reason = (sup_reason)0;
  if (status == SUP_E_NOT_SPD) return SUP_OK; /* Newton reports an indefinite H */
  SUP_TRY(status);
  sup_visits_start(&visits);
  s->strategy = SUP_STRATEGY_VISITS;
  for (int k = 0; k < most; k++) {
    sup_visits_sweep(&visits, s->x.law, batch[k]);
    SUP_TRY(step_to_linearised(s, coupling, &visits, report, &spd));
    if (!spd) continue;
    SUP_TRY(sup_newton_whole_steps(s, coupling, WHOLE, PATIENCE, report));
    if (report->reason > 0) break;
  }
  s->strategy = strategy;
  if (report->reason > 0) return SUP_OK;
  report->at_cap |= 1u << SUP_STRATEGY_VISITS;
  report->reason = (sup_reason)0;
  return SUP_OK;
}
