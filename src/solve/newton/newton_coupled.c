/* Newton's method with friction coupled to the normal impulse of the solution: parts A and B of the
 * cascade of THEORY 16.4. */
#include <math.h>
#include <string.h>

#include "solve/newton/newton.h"
#include "solve/newton/numerics.h"

/** Set friction bounds to those at s->x.v. */
void sup_newton_evaluate_coupled(sup_newton *s, sup_solve_report *report) {
  s->x.cost = sup_problem_evaluate_coupled(s->problem, s->x.law, s->x.vc, s->x.gamma, s->x.G);
  sup_newton_residual(s, report);
}

/** Take the whole step if it halves the residual; returns 0 without a step. */
static int try_whole_step(sup_newton *s, const sup_coupling *coupling, sup_line_result *line,
                          sup_solve_report *report) {
  int    num = s->problem->num_vc;
  double before = s->x.norm;
  if (sup_newton_largest_step(s) < 1) return 0;
  memcpy(coupling->saved, s->x.v, (size_t)s->n * sizeof *s->x.v);
  memcpy(coupling->saved + s->n, s->x.Av, (size_t)s->n * sizeof *s->x.Av);
  memcpy(s->trial.vc, s->x.vc, (size_t)num * sizeof *s->x.vc);
  sup_newton_take_step(s->problem, &s->x, &s->d, 1);
  *line = (sup_line_result){1, 0, 1};
  sup_newton_evaluate_coupled(s, report);
  if (s->x.norm <= sup_newton_numerics.halved * before || sup_newton_converged(s, report)) {
    sup_newton_advance_slip(s, s->trial.vc);
    return 1;
  }
  memcpy(s->x.v, coupling->saved, (size_t)s->n * sizeof *s->x.v);
  memcpy(s->x.Av, coupling->saved + s->n, (size_t)s->n * sizeof *s->x.Av);
  memcpy(s->x.vc, s->trial.vc, (size_t)num * sizeof *s->x.vc);
  sup_newton_evaluate_coupled(s, report);
  return 0;
}

/** Step by the line search on the convex cost with the bounds at s->x.v; returns the reason to end.
 *  @param[in,out] still  iterations in a row that did not change the cost
 *  @param[out]    line   not ok: no step */
static sup_reason descend_convex(sup_newton *s, int *still, sup_line_result *line,
                                 sup_solve_report *report) {
  enum { PATIENCE = 3 }; /* the residual may still decrease when the cost is at round-off */
  double cost = sup_newton_cost(s->problem, &s->x);
  *line = sup_newton_line_search(s);
  report->line_search_evaluations += line->evaluations;
  if (!line->ok) return sup_newton_without_step(s, report, line);
  sup_newton_advance_slip(s, s->x.vc);
  sup_newton_take_step(s->problem, &s->x, &s->d, line->alpha);
  s->x.cost = sup_problem_evaluate(s->problem, s->x.law, s->x.vc, s->x.gamma, NULL);
  double next = sup_newton_cost(s->problem, &s->x); /* with the previous bounds */
  sup_newton_evaluate_coupled(s, report);
  *still = sup_newton_is_still(line->alpha, cost, next) ? *still + 1 : 0;
  return *still >= PATIENCE && !sup_newton_converged(s, report)
             ? sup_newton_unless_round_off(s, report, SUP_REASON_LINE_SEARCH)
             : (sup_reason)0;
}

double sup_newton_coupling_forcing(const sup_newton *s) {
  if (!(s->x.norm_before > 0)) return sup_newton_numerics.coupling_loosest;
  return fmin(sup_newton_numerics.coupling_loosest,
              fmax(sup_newton_numerics.coupling_tightest,
                   sup_newton_numerics.forcing * pow(s->x.norm / s->x.norm_before, 2)));
}

/** Direction with the coupling, corrected from the one without; both by the factor of H. */
static sup_status direction_by_factor(sup_newton *s, sup_coupling *coupling,
                                      sup_solve_report *report, bool *spd) {
  SUP_TRY(sup_newton_solve(s, report, spd));
  if (!*spd) return SUP_OK;
  memcpy(coupling->uncoupled, s->d.v, (size_t)s->n * sizeof *s->d.v);
  sup_coupling_linearise(coupling, s->x.law, s->x.vc, s->x.gamma, s->x.G);
  sup_status status = sup_coupling_correct(coupling, sup_newton_coupling_forcing(s), s->d.v);
  if (status == SUP_E_NOT_SPD) /* of an iteration; Newton's direction alone has not tested it yet */
    memcpy(s->d.v, coupling->uncoupled, (size_t)s->n * sizeof *s->d.v);
  else
    SUP_TRY(status);
  sup_newton_set_direction(s);
  return SUP_OK;
}

/** Direction with the coupling, by one solve of an iterative backend. */
static sup_status direction_by_iteration(sup_newton *s, sup_coupling *coupling,
                                         sup_solve_report *report) {
  sup_linear_report linear = {0};
  for (int i = 0; i < s->n; i++) s->d.v[i] = -s->x.r[i];
  sup_coupling_linearise(coupling, s->x.law, s->x.vc, s->x.gamma, s->x.G);
  SUP_TRY(sup_coupling_solve(coupling, sup_newton_forcing(s, report), s->d.v, &linear));
  sup_linear_work_add(&report->linear, &(sup_linear_work){linear.iterations, linear.is_missed,
                                                          linear.residual, linear.reason});
  sup_newton_set_direction(s);
  return SUP_OK;
}

/** 1: dv is a descent direction of the convex cost. */
static bool is_descent(const sup_newton *s) {
  return sup_newton_slope(s->problem, &s->x, &s->d) <=
         -sup_newton_numerics.descent * s->d.curvature;
}

/** Factor H and find the direction, with the coupling where this direction is usable.  An iterative
 * solve with the coupling does not detect an indefinite H: if the curvature or the determinant is
 * negative, the direction without the coupling is computed, too. */
static sup_status coupled_direction(sup_newton *s, sup_coupling *coupling, sup_solve_report *report,
                                    bool *spd) {
  bool is_added = sup_linear_solver_can_add(s->H.factor);
  SUP_TRY(sup_newton_factor(s, report, spd));
  if (!*spd) return SUP_OK;
  coupling->has_uncoupled = !is_added;
  if (!is_added) return direction_by_factor(s, coupling, report, spd);
  sup_status status = direction_by_iteration(s, coupling, report);
  if (status == SUP_E_NOT_SPD) *spd = 0, s->H.is_factored = 0;
  if (status != SUP_E_NOT_SPD) SUP_TRY(status);
  if (!*spd || (s->d.curvature > 0 && !coupling->is_negative)) return SUP_OK;
  memcpy(coupling->saved, s->d.v, (size_t)s->n * sizeof *s->d.v);
  SUP_TRY(sup_newton_solve(s, report, spd));
  memcpy(coupling->uncoupled, s->d.v, (size_t)s->n * sizeof *s->d.v);
  memcpy(s->d.v, coupling->saved, (size_t)s->n * sizeof *s->d.v);
  coupling->has_uncoupled = 1;
  return SUP_OK;
}

/** Take the direction without the coupling. */
static sup_status take_uncoupled(sup_newton *s, const sup_coupling *coupling,
                                 sup_solve_report *report, bool *spd) {
  *spd = 1;
  if (coupling->has_uncoupled)
    memcpy(s->d.v, coupling->uncoupled, (size_t)s->n * sizeof *s->d.v);
  else
    SUP_TRY(sup_newton_solve(s, report, spd));
  if (*spd) sup_newton_set_direction(s);
  return SUP_OK;
}

/** 1: the residual is at most half of *least; then *least := residual. */
static int halves(const sup_newton *s, double *least) {
  if (!(s->x.norm <= 0.5 * *least)) return 0;
  *least = s->x.norm;
  return 1;
}

sup_status sup_newton_whole_steps(sup_newton *s, sup_coupling *coupling, int most, int patience,
                                  sup_solve_report *report) {
  double least = s->x.norm;
  bool   spd;
  SUP_TRY(sup_newton_log(s, NULL, report));
  for (int k = 0, bad = 0;; k++) {
    report->reason = sup_newton_test(s, report, k == most || bad == patience);
    if (report->reason) return SUP_OK;
    s->H.is_reused = 0;
    SUP_TRY(coupled_direction(s, coupling, report, &spd));
    if (!spd) {
      sup_newton_report_indefinite(s, report);
      return SUP_OK;
    }
    report->iterations++;
    memcpy(s->trial.vc, s->x.vc, (size_t)s->problem->num_vc * sizeof *s->x.vc);
    sup_newton_take_step(s->problem, &s->x, &s->d, 1);
    sup_newton_evaluate_coupled(s, report);
    sup_newton_advance_slip(s, s->trial.vc);
    SUP_TRY(sup_newton_log(s, &(sup_line_result){1, 0, 1}, report));
    bad = halves(s, &least) ? 0 : bad + 1;
  }
}

/** 1: after `bad` consecutive iterations without a halved residual another start is faster.  Near a
 * solution more iterations are allowed, since the line search still converges. */
static bool is_stagnating(const sup_solve_report *report, int bad, int patience) {
  enum { PATIENCE_NEAR = 6 };
  return patience > 0 &&
         bad >=
             (report->momentum_error > sup_newton_numerics.coupled_near ? patience : PATIENCE_NEAR);
}

/** Iteration of THEORY 16.4.  Part A, and B near the solution, take whole steps while they halve
 * the residual.  Otherwise a line search lowers the convex cost at the bounds of the present
 * velocities, which has no local minima, unlike the residual.  If the direction with the coupling
 * is no descent direction, the direction without it is used. */
sup_status sup_newton_minimise_coupled(sup_newton *s, sup_coupling *coupling, int whole, int most,
                                       int patience, sup_solve_report *report) {
  int             still = 0, bad = 0;
  sup_line_result line;
  s->x.norm_before = 0;
  sup_newton_evaluate_coupled(s, report);
  double least = s->x.norm;
  sup_newton_start_slip(s);
  SUP_TRY(sup_newton_log(s, NULL, report));
  for (int k = 0;; k++) {
    if (k > 0) bad = halves(s, &least) ? 0 : bad + 1;
    report->reason = sup_newton_test(s, report, k == most || is_stagnating(report, bad, patience));
    if (report->reason) return SUP_OK;
    bool spd;
    s->H.is_reused = 0; /* H changes with friction */
    SUP_TRY(coupled_direction(s, coupling, report, &spd));
    if (!spd) {
      sup_newton_report_indefinite(s, report);
      return SUP_OK;
    }
    report->iterations++;
    bool may_jump = k < whole || report->momentum_error < sup_newton_numerics.coupled_near;
    if (may_jump && try_whole_step(s, coupling, &line, report)) {
      SUP_TRY(sup_newton_log(s, &line, report));
      continue;
    }
    if (!is_descent(s)) SUP_TRY(take_uncoupled(s, coupling, report, &spd));
    if (!spd) {
      sup_newton_report_indefinite(s, report);
      return SUP_OK;
    }
    report->reason = descend_convex(s, &still, &line, report);
    if (line.ok) SUP_TRY(sup_newton_log(s, &line, report));
    if (report->reason) return SUP_OK;
  }
}
