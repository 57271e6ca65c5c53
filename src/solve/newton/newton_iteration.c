/* Newton's method, part by part in the order of newton.h: function, Jacobian, linear solution, line
 * search, step, test, then the iteration that they make. */
#include "solve/newton/newton.h"

#include <math.h>
#include <string.h>

#include "la/vector.h"
#include "law/properties.h"
#include "solve/newton/numerics.h"
#include "solve/round_off.h"

static double scaled_norm(const sup_newton *s, const double *a) {
  double sum = 0;
  for (int i = 0; i < s->n; i++) sum += s->inv_sqrt_d[i] * s->inv_sqrt_d[i] * a[i] * a[i];
  return sqrt(sum);
}

/* ---- function -------------------------------------------------------------------------------- */

/** ||D A v|| of the whole problem. */
static double momentum_norm(const sup_newton *s) {
  const sup_eliminated *e = s->problem->eliminated;
  if (!e) return scaled_norm(s, s->x.Av);
  double sum = e->square;
  for (int i = 0; i < s->n; i++) {
    double a = s->inv_sqrt_d[i] * (s->x.Av[i] + e->momentum[i]);
    sum += a * a;
  }
  return sqrt(sum);
}

void sup_newton_evaluate(sup_newton *s, sup_solve_report *report) {
  s->x.cost = sup_problem_evaluate(s->problem, s->x.law, s->x.vc, s->x.gamma, s->x.G);
  sup_newton_residual(s, report);
}

void sup_newton_residual(sup_newton *s, sup_solve_report *report) {
  sup_problem_generalized_impulse(s->problem, s->x.gamma, s->x.JTg);
  for (int i = 0; i < s->n; i++) s->x.r[i] = s->x.Av[i] - s->problem->p[i] - s->x.JTg[i];
  s->x.norm = scaled_norm(s, s->x.r);
  s->x.impulse = scaled_norm(s, s->x.JTg);
  report->worst_block = sup_worst_block(s->problem->A_pattern, s->inv_sqrt_d, s->x.r);
  report->momentum_error = sup_momentum_error(s->x.norm, momentum_norm(s), s->x.impulse);
  report->momentum_residual = s->x.norm;
}

/* ---- Jacobian: slip directions of primal-dual Newton (law.h), H and its factor --------------- */

static bool has_directions(const sup_newton *s) {
  return s->options->newton == SUP_NEWTON_PRIMAL_DUAL;
}

void sup_newton_start_slip(sup_newton *s) {
  for (int i = 0; i < s->problem->num_constraints && has_directions(s); i++) {
    const sup_constraint *c = &s->problem->constraint[i];
    sup_slip_start(&s->x.law[i], s->x.vc + c->first_vc, s->x.slip + 2 * i);
  }
}

void sup_newton_advance_slip(sup_newton *s, const double *vc) {
  for (int i = 0; i < s->problem->num_constraints && has_directions(s); i++) {
    const sup_constraint *c = &s->problem->constraint[i];
    sup_slip_advance(&s->x.law[i], vc + c->first_vc, s->d.vc + c->first_vc, s->x.slip + 2 * i);
  }
}

/** Replace G of the laws by that of primal-dual Newton. */
static void set_slip_hessian(sup_newton *s) {
  for (int i = 0; i < s->problem->num_constraints && has_directions(s); i++) {
    const sup_constraint *c = &s->problem->constraint[i];
    if (sup_law_dimension(s->x.law[i].kind) < 3) continue;
    sup_slip_hessian(&s->x.law[i], s->x.vc + c->first_vc, s->x.gamma[c->first_vc + 2],
                     s->x.slip + 2 * i, s->x.G + 9 * i);
  }
}

sup_status sup_newton_factor(sup_newton *s, sup_solve_report *report, bool *spd) {
  sup_linear_operator H = {.pattern = s->problem->H_pattern,
                           .values = s->H.value,
                           .rest = s->problem->rest,
                           .space = s->problem->space,
                           .ranks = s->problem->ranks};
  sup_status          status = SUP_OK;
  bool                is_same = s->H.is_factored && s->problem->num_constraints == 0;
  *spd = 1;
  if (s->H.is_reused) return SUP_OK;
  set_slip_hessian(s);
  sup_hessian_set_constraints(s->problem, &s->H.map, s->x.G, s->H.value);
  if (is_same) return SUP_OK;
  status = s->H.is_factored ? sup_linear_solver_update(s->H.factor, &H)
                            : sup_linear_solver_setup(s->H.factor, &H);
  report->factorisations++;
  *spd = status != SUP_E_NOT_SPD;
  s->H.is_factored = *spd; /* a failed factorisation cannot be updated */
  return *spd ? status : SUP_OK;
}

/* ---- linear solution ------------------------------------------------------------------------- */

double sup_newton_forcing(const sup_newton *s, const sup_solve_report *report) {
  double last = fmin(sup_newton_numerics.loosest,
                     fmax(sup_newton_numerics.tightest,
                          sup_newton_numerics.last * s->tolerance / report->momentum_error));
  if (s->problem->num_constraints == 0) return last; /* a linear problem has one direction */
  double eta = s->x.norm_before > 0
                   ? sup_newton_numerics.forcing * pow(s->x.norm / s->x.norm_before, 2)
                   : sup_newton_numerics.loosest;
  return fmin(sup_newton_numerics.loosest, fmax(last, eta));
}

void sup_newton_set_direction(sup_newton *s) {
  sup_problem_multiply(s->problem, s->d.v, s->d.Av);
  sup_problem_constraint_velocity(s->problem, s->d.v, 0, s->d.vc);
  s->d.curvature = sup_dot(s->d.v, s->d.Av, s->n);
  s->d.slope = 0;
  for (int i = 0; i < s->n; i++) s->d.slope += s->d.v[i] * (s->x.Av[i] - s->problem->p[i]);
}

sup_status sup_newton_solve(sup_newton *s, sup_solve_report *report, bool *spd) {
  sup_linear_report linear;
  for (int i = 0; i < s->n; i++) s->d.v[i] = -s->x.r[i];
  sup_status status =
      sup_linear_solver_solve(s->H.factor, sup_newton_forcing(s, report), s->d.v, &linear);
  *spd = status != SUP_E_NOT_SPD;
  s->H.is_factored = *spd;
  if (!*spd) return SUP_OK;
  SUP_TRY(status);
  sup_linear_work_add(&report->linear, &(sup_linear_work){linear.iterations, linear.is_missed,
                                                          linear.residual, linear.reason});
  return SUP_OK;
}

void sup_newton_report_indefinite(const sup_newton *s, sup_solve_report *report) {
  report->reason = SUP_REASON_NOT_SPD;
  report->worst_block = sup_linear_solver_failed_block(s->H.factor);
}

sup_status sup_newton_factor_and_solve(sup_newton *s, sup_solve_report *report, bool *spd) {
  SUP_TRY(sup_newton_factor(s, report, spd));
  if (*spd) SUP_TRY(sup_newton_solve(s, report, spd));
  if (*spd) sup_newton_set_direction(s);
  return SUP_OK;
}

/* ---- line search ----------------------------------------------------------------------------- */

double sup_newton_slope(const sup_problem *problem, const sup_newton_iterate *x,
                        const sup_newton_direction *d) {
  return d->slope - sup_dot(d->vc, x->gamma, problem->num_vc);
}

double sup_newton_cost(const sup_problem *problem, const sup_newton_iterate *x) {
  int n = problem->A_pattern->num_scalars;
  return 0.5 * sup_dot(x->v, x->Av, n) - sup_dot(x->v, problem->p, n) + x->cost;
}

double sup_newton_largest_step(const sup_newton *s) {
  double alpha = HUGE_VAL;
  for (int i = 0; i < s->problem->num_constraints && s->has_barriers; i++) {
    int at = s->problem->constraint[i].first_vc;
    alpha = fmin(alpha, sup_law_max_step(&s->x.law[i], s->x.vc + at, s->d.vc + at));
  }
  return sup_newton_numerics.domain * alpha;
}

/** sup_line.evaluate; user: a sup_newton. */
static sup_line_value evaluate_line(double alpha, sup_line_order order, const void *user) {
  const sup_newton *s = user;
  int               with_curvature = order == SUP_LINE_CURVATURE;
  double           *G = with_curvature ? s->trial.G : NULL;
  sup_line_value out = {.slope = s->d.slope + alpha * s->d.curvature, .curvature = s->d.curvature};
  for (int i = 0; i < s->problem->num_vc; i++) s->trial.vc[i] = s->x.vc[i] + alpha * s->d.vc[i];
  double cost = sup_problem_evaluate(s->problem, s->x.law, s->trial.vc, s->trial.gamma, G);
  out.value = cost - s->x.cost + alpha * (s->d.slope + 0.5 * alpha * s->d.curvature);
  for (int i = 0; i < s->problem->num_constraints; i++) {
    const sup_constraint *c = &s->problem->constraint[i];
    int                   dim = sup_law_dimension(s->x.law[i].kind);
    const double         *d = s->d.vc + c->first_vc, *g = s->trial.gamma + c->first_vc;
    for (int a = 0; a < dim; a++) {
      out.slope -= d[a] * g[a];
      for (int b = 0; b < dim && with_curvature; b++)
        out.curvature += d[a] * G[9 * i + a * dim + b] * d[b];
    }
  }
  return out;
}

sup_line sup_newton_line(const sup_newton *s) {
  return (sup_line){
      .evaluate = evaluate_line,
      .user = s,
      .slope = sup_newton_slope(s->problem, &s->x, &s->d),
      .limit = sup_newton_largest_step(s),
      .noise = sup_newton_numerics.cost_digits * fabs(sup_newton_cost(s->problem, &s->x))};
}

sup_line_result sup_newton_line_search(const sup_newton *s) {
  sup_line line = sup_newton_line(s);
  return sup_line_search(s->options->line_search, &line);
}

/* ---- step ------------------------------------------------------------------------------------ */

void sup_newton_take_step(const sup_problem *problem, sup_newton_iterate *x,
                          const sup_newton_direction *d, double alpha) {
  x->norm_before = x->norm;
  for (int i = 0; i < problem->A_pattern->num_scalars; i++)
    x->v[i] += alpha * d->v[i], x->Av[i] += alpha * d->Av[i];
  for (int i = 0; i < problem->num_vc; i++) x->vc[i] += alpha * d->vc[i];
}

/* ---- test ------------------------------------------------------------------------------------ */

sup_reason sup_newton_converged(const sup_newton *s, const sup_solve_report *report) {
  return report->iterations > 0 ? sup_accept(report->momentum_error, s->x.norm, s->tolerance)
                                : sup_accept_start(s->x.norm, s->x.impulse, s->tolerance);
}

sup_reason sup_newton_unless_round_off(sup_newton *s, const sup_solve_report *report,
                                       sup_reason other) {
  sup_round_off_estimate lost =
      sup_residual_round_off(s->problem, s->x.law, s->x.v, s->x.vc, s->inv_sqrt_d, s->d.Av);
  return sup_is_round_off(s->x.norm, report->momentum_error, lost) ? SUP_REASON_ROUND_OFF : other;
}

sup_reason sup_newton_test(sup_newton *s, const sup_solve_report *report, bool is_last) {
  if (!isfinite(report->momentum_error)) return SUP_REASON_NONFINITE;
  sup_reason reason = sup_newton_converged(s, report);
  return reason || !is_last ? reason
                            : sup_newton_unless_round_off(s, report, SUP_REASON_MAX_ITERATIONS);
}

sup_reason sup_newton_without_step(sup_newton *s, const sup_solve_report *report,
                                   const sup_line_result *line) {
  bool is_solved = line->evaluations == 0 && report->momentum_error <= s->tolerance;
  return is_solved ? SUP_REASON_TOLERANCE
                   : sup_newton_unless_round_off(s, report, SUP_REASON_LINE_SEARCH);
}

bool sup_newton_is_still(double alpha, double before, double after) {
  return alpha > 0.5 && fabs(after - before) < 1e-15 * 0.5 * fabs(after + before);
}

/* ---- log ------------------------------------------------------------------------------------- */

/** Slip, and residuals of the contacts that push. */
static void log_contacts(const sup_newton *s, sup_iteration *row) {
  for (int i = 0; i < s->problem->num_constraints; i++) {
    int                  at = s->problem->constraint[i].first_vc;
    sup_contact_residual own;
    if (sup_law_dimension(s->x.law[i].kind) < 3) continue;
    sup_contact_residual_at(&s->x.law[i], s->x.vc + at, s->x.gamma + at, &own);
    row->slip = fmax(row->slip, own.slip);
    row->residual.primal = fmax(row->residual.primal, own.primal);
    row->residual.dual = fmax(row->residual.dual, own.dual);
    row->residual.complementarity = fmax(row->residual.complementarity, own.complementarity);
  }
}

sup_status sup_newton_log(const sup_newton *s, const sup_line_result *line,
                          sup_solve_report *report) {
  if (!s->options->log) return SUP_OK;
  sup_iteration row = {
      .number = report->iterations,
      .strategy = s->strategy,
      .momentum_error = report->momentum_error,
      .step = line ? line->alpha : 0,
      .evaluations = line ? line->evaluations : 0,
      .residual = {.relative = (double)NAN, .energy = sup_newton_cost(s->problem, &s->x)}};
  log_contacts(s, &row);
  SUP_TRY(sup_iteration_log_add(&report->log, s->arena, &row));
  return SUP_OK;
}

/* ---- the iteration --------------------------------------------------------------------------- */

/** 1: quasi-Newton reuses the factor (THEORY 5.3): the contraction of the residual from `before`
 * would reach the tolerance within ten more iterations.  Any positive definite H gives a descent
 * direction. */
static bool can_reuse_factor(const sup_newton *s, const sup_solve_report *report, double before) {
  double theta = s->x.norm / before, left = s->tolerance / report->momentum_error;
  if (!s->options->quasi || !s->H.is_factored) return 0;
  return theta < 1 && log(left) >= sup_newton_numerics.reuse * log(theta);
}

/** Newton for fixed gn0; s->x.v, impulses and residual are current on entry and on return. */
sup_status sup_newton_minimise(sup_newton *s, int max_iterations, sup_solve_report *report) {
  enum { PATIENCE = 5 }; /* iterations without a halved residual before the test for round-off */
  double cost = sup_newton_cost(s->problem, &s->x), least = HUGE_VAL;
  int    still = 0;
  s->H.is_reused = 0, s->x.norm_before = 0; /* the laws have changed */
  sup_newton_start_slip(s);
  SUP_TRY(sup_newton_log(s, NULL, report));
  for (int k = 0;; k++) {
    bool spd;
    report->reason = sup_newton_test(s, report, k >= max_iterations);
    if (report->reason) return SUP_OK;
    SUP_TRY(sup_newton_factor_and_solve(s, report, &spd));
    if (!spd) {
      sup_newton_report_indefinite(s, report);
      return SUP_OK;
    }
    sup_line_result line = sup_newton_line_search(s);
    report->iterations++;
    report->line_search_evaluations += line.evaluations;
    if (!line.ok && s->H.is_reused) { /* the reused factor gives no descent: refactor */
      s->H.is_reused = 0;
      continue;
    }
    if (!line.ok) {
      report->reason = sup_newton_without_step(s, report, &line);
      return SUP_OK;
    }
    double before = s->x.norm; /* the residual decreases further when the cost is at round-off */
    sup_newton_advance_slip(s, s->x.vc);
    sup_newton_take_step(s->problem, &s->x, &s->d, line.alpha);
    sup_newton_evaluate(s, report);
    SUP_TRY(sup_newton_log(s, &line, report));
    s->H.is_reused = can_reuse_factor(s, report, before);
    double next = sup_newton_cost(s->problem, &s->x);
    if (!sup_newton_converged(s, report) && !(s->x.norm < 0.5 * before) &&
        sup_newton_is_still(line.alpha, cost, next)) {
      report->reason = sup_newton_unless_round_off(s, report, SUP_REASON_STALL);
      return SUP_OK;
    }
    cost = next;
    still = s->x.norm < 0.5 * least ? 0 : still + 1;
    least = fmin(least, s->x.norm);
    if (still >= PATIENCE && !sup_newton_converged(s, report))
      report->reason = sup_newton_unless_round_off(s, report, (sup_reason)0);
    if (report->reason == SUP_REASON_ROUND_OFF) return SUP_OK;
  }
}

/* ---- creation -------------------------------------------------------------------------------- */

static sup_status allocate(sup_newton *s, sup_arena *arena) {
  const sup_problem *p = s->problem;
  double           **vector[] = {&s->inv_sqrt_d, &s->x.Av, &s->x.r, &s->d.v, &s->d.Av, &s->x.JTg};
  double           **per_vc[] = {&s->x.vc, &s->d.vc, &s->trial.vc, &s->trial.gamma};
  for (size_t i = 0; i < sizeof vector / sizeof *vector; i++)
    SUP_TRY(SUP_ARENA(arena, *vector[i], s->n));
  for (size_t i = 0; i < sizeof per_vc / sizeof *per_vc; i++)
    SUP_TRY(SUP_ARENA(arena, *per_vc[i], p->num_vc));
  SUP_TRY(SUP_ARENA(arena, s->x.G, 9 * p->num_constraints));
  SUP_TRY(SUP_ARENA(arena, s->trial.G, 9 * p->num_constraints));
  SUP_TRY(SUP_ARENA(arena, s->x.slip, 2 * p->num_constraints));
  SUP_TRY(SUP_ARENA(arena, s->H.value, sup_block_pattern_num_values(p->H_pattern)));
  SUP_TRY(sup_hessian_map_create(&s->H.map, p, arena));
  if (!s->x.law) {
    SUP_TRY(SUP_ARENA(arena, s->x.law, p->num_constraints));
    sup_problem_copy_laws(p, s->x.law);
  }
  return SUP_OK;
}

sup_status sup_newton_create(sup_newton *s, const sup_problem *problem, sup_linear_solver *linear,
                             const sup_solve_options *options, sup_arena *arena,
                             sup_solution *solution, sup_solve_report *report) {
  *s = (sup_newton){.problem = problem,
                    .options = options,
                    .arena = arena,
                    .n = problem->A_pattern->num_scalars,
                    .tolerance = options->tolerance,
                    .strategy = SUP_NONE,
                    .x = {.v = solution->v, .gamma = solution->gamma, .law = solution->law},
                    .H = {.factor = linear}};
  *report = (sup_solve_report){.worst_block = SUP_NONE,
                               .sweeps = 1,
                               .round_off_block = SUP_NONE,
                               .ambiguous_constraint = SUP_NONE};
  SUP_TRY(allocate(s, arena));
  for (int i = 0; i < problem->num_constraints && !s->has_barriers; i++)
    s->has_barriers = sup_law_is_barrier(&s->x.law[i]);
  int bad = SUP_NONE;
  if (problem->eliminated)
    memcpy(s->inv_sqrt_d, problem->eliminated->inv_sqrt_d, (size_t)s->n * sizeof *s->inv_sqrt_d);
  else
    bad = sup_momentum_scaling(problem, s->inv_sqrt_d);
  if (bad != SUP_NONE) {
    report->reason = SUP_REASON_NOT_SPD;
    report->worst_block = bad;
    return SUP_OK;
  }
  report->residual = s->x.r, report->momentum = s->x.Av, report->impulse = s->x.JTg,
  report->scaling = s->inv_sqrt_d;
  sup_hessian_set_dynamics(problem, s->H.value);
  sup_problem_multiply(problem, s->x.v, s->x.Av);
  sup_problem_constraint_velocity(problem, s->x.v, 1, s->x.vc);
  return SUP_OK;
}
