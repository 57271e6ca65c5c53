#include "solve/newton/newton_iteration.h"

#include <math.h>
#include <string.h>

#include "solve/round_off.h"

static double dot(const double *a, const double *b, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

static double scaled_norm(const sup_newton *s, const double *a) {
  double sum = 0;
  for (int i = 0; i < s->n; i++) sum += s->inv_sqrt_d[i] * s->inv_sqrt_d[i] * a[i] * a[i];
  return sqrt(sum);
}

static sup_status allocate(sup_newton *s, sup_arena *arena) {
  const sup_problem *p = s->problem;
  double           **vector[] = {&s->inv_sqrt_d, &s->Av, &s->r, &s->dv, &s->dp, &s->JTg};
  double           **per_vc[] = {&s->vc, &s->dvc, &s->trial_vc, &s->trial_gamma};
  for (size_t i = 0; i < sizeof vector / sizeof *vector; i++)
    SUP_TRY(SUP_ARENA(arena, *vector[i], s->n));
  for (size_t i = 0; i < sizeof per_vc / sizeof *per_vc; i++)
    SUP_TRY(SUP_ARENA(arena, *per_vc[i], p->num_vc));
  SUP_TRY(SUP_ARENA(arena, s->G, 9 * p->num_constraints));
  SUP_TRY(SUP_ARENA(arena, s->trial_G, 9 * p->num_constraints));
  SUP_TRY(SUP_ARENA(arena, s->slip, 2 * p->num_constraints));
  SUP_TRY(SUP_ARENA(arena, s->H, sup_block_pattern_num_values(p->H_pattern)));
  SUP_TRY(sup_hessian_map_create(&s->map, p, arena));
  if (!s->law) {
    SUP_TRY(SUP_ARENA(arena, s->law, p->num_constraints));
    sup_problem_copy_laws(p, s->law);
  }
  return SUP_OK;
}

/** ||D A v|| of the whole problem. */
static double momentum_norm(const sup_newton *s) {
  const sup_eliminated *e = s->problem->eliminated;
  if (!e) return scaled_norm(s, s->Av);
  double sum = e->square;
  for (int i = 0; i < s->n; i++) {
    double a = s->inv_sqrt_d[i] * (s->Av[i] + e->momentum[i]);
    sum += a * a;
  }
  return sqrt(sum);
}

/** gamma, G, residual r = A v - p - J^T gamma and its size at the current v. */
void sup_newton_evaluate(sup_newton *s, sup_solve_report *report) {
  s->cost = sup_problem_evaluate(s->problem, s->law, s->vc, s->gamma, s->G);
  sup_newton_residual(s, report);
}

void sup_newton_residual(sup_newton *s, sup_solve_report *report) {
  sup_problem_generalized_impulse(s->problem, s->gamma, s->JTg);
  for (int i = 0; i < s->n; i++) s->r[i] = s->Av[i] - s->problem->p[i] - s->JTg[i];
  s->norm = scaled_norm(s, s->r);
  s->impulse = scaled_norm(s, s->JTg);
  report->worst_block = sup_worst_block(s->problem->A_pattern, s->inv_sqrt_d, s->r);
  report->momentum_error = sup_momentum_error(s->norm, momentum_norm(s), s->impulse);
  report->momentum_residual = s->norm;
}

sup_line_value sup_newton_line_value(double alpha, int with_curvature, void *user) {
  sup_newton    *s = user;
  double        *G = with_curvature ? s->trial_G : NULL;
  sup_line_value out = {.slope = s->A_slope + alpha * s->A_curvature, .curvature = s->A_curvature};
  for (int i = 0; i < s->problem->num_vc; i++) s->trial_vc[i] = s->vc[i] + alpha * s->dvc[i];
  double cost = sup_problem_evaluate(s->problem, s->law, s->trial_vc, s->trial_gamma, G);
  out.fall = s->cost - cost - alpha * (s->A_slope + 0.5 * alpha * s->A_curvature);
  for (int i = 0; i < s->problem->num_constraints; i++) {
    const sup_constraint *c = &s->problem->constraint[i];
    int                   dim = sup_law_dimension(s->law[i].kind);
    const double         *d = s->dvc + c->first_vc, *g = s->trial_gamma + c->first_vc;
    for (int a = 0; a < dim; a++) {
      out.slope -= d[a] * g[a];
      for (int b = 0; b < dim && with_curvature; b++)
        out.curvature += d[a] * G[9 * i + a * dim + b] * d[b];
    }
  }
  return out;
}

double sup_newton_forcing(const sup_newton *s, const sup_solve_report *report) {
  static const double share = 0.3, loosest = 1e-2, tightest = 1e-12, gamma = 0.9;
  double last = fmin(loosest, fmax(tightest, share * s->tolerance / report->momentum_error));
  if (s->problem->num_constraints == 0) return last; /* a linear problem has one direction */
  double eta = s->norm_before > 0 ? gamma * pow(s->norm / s->norm_before, 2) : loosest;
  return fmin(loosest, fmax(last, eta));
}

sup_status sup_newton_factor(sup_newton *s, sup_solve_report *report, int *spd) {
  sup_linear_operator H = {.pattern = s->problem->H_pattern,
                           .values = s->H,
                           .rest = s->problem->rest,
                           .space = s->problem->space,
                           .ranks = s->problem->ranks};
  sup_status          status = SUP_OK;
  int                 is_same = s->factored && s->problem->num_constraints == 0;
  *spd = 1;
  if (s->reuses_factor) return SUP_OK;
  sup_newton_slip_hessian(s);
  sup_hessian_set_constraints(s->problem, &s->map, s->G, s->H);
  if (is_same) return SUP_OK;
  status = s->factored ? sup_linear_solver_update(s->factor, &H)
                       : sup_linear_solver_setup(s->factor, &H);
  report->factorisations++;
  *spd = status != SUP_E_NOT_SPD;
  s->factored = *spd; /* a failed factor cannot be updated */
  return *spd ? status : SUP_OK;
}

sup_status sup_newton_solve(sup_newton *s, sup_solve_report *report, int *spd) {
  sup_linear_report linear;
  for (int i = 0; i < s->n; i++) s->dv[i] = -s->r[i];
  sup_status status =
      sup_linear_solver_solve(s->factor, sup_newton_forcing(s, report), s->dv, &linear);
  *spd = status != SUP_E_NOT_SPD;
  s->factored = *spd;
  if (!*spd) return SUP_OK;
  SUP_TRY(status);
  sup_linear_work_add(&report->linear, &(sup_linear_work){linear.iterations, linear.is_missed,
                                                          linear.residual, linear.reason});
  sup_newton_set_direction(s);
  return SUP_OK;
}

/** A dv, J dv; slope and curvature of the quadratic part of the cost along dv. */
void sup_newton_set_direction(sup_newton *s) {
  sup_problem_multiply(s->problem, s->dv, s->dp);
  sup_problem_constraint_velocity(s->problem, s->dv, 0, s->dvc);
  s->A_curvature = dot(s->dv, s->dp, s->n);
  s->A_slope = 0;
  for (int i = 0; i < s->n; i++) s->A_slope += s->dv[i] * (s->Av[i] - s->problem->p[i]);
}

sup_status sup_newton_direction(sup_newton *s, sup_solve_report *report, int *spd) {
  SUP_TRY(sup_newton_factor(s, report, spd));
  if (*spd) SUP_TRY(sup_newton_solve(s, report, spd));
  return SUP_OK;
}

/** Slope of the cost along dv. */
double sup_newton_slope(const sup_newton *s) {
  return s->A_slope - dot(s->dvc, s->gamma, s->problem->num_vc);
}

void sup_newton_take_step(sup_newton *s, double alpha) {
  s->norm_before = s->norm;
  for (int i = 0; i < s->n; i++) s->v[i] += alpha * s->dv[i], s->Av[i] += alpha * s->dp[i];
  for (int i = 0; i < s->problem->num_vc; i++) s->vc[i] += alpha * s->dvc[i];
}

double sup_newton_cost(const sup_newton *s) {
  return 0.5 * dot(s->v, s->Av, s->n) - dot(s->v, s->problem->p, s->n) + s->cost;
}

/** Share of the way to the end of a barrier's domain that one step may go. */
static const double reach_share = 0.9;

double sup_newton_largest_step(const sup_newton *s) {
  double alpha = HUGE_VAL;
  for (int i = 0; i < s->problem->num_constraints; i++) {
    const sup_constraint *c = &s->problem->constraint[i];
    alpha = fmin(alpha, sup_law_reach(&s->law[i], s->vc + c->first_vc, s->dvc + c->first_vc));
  }
  return reach_share * alpha;
}

sup_reason sup_newton_converged(const sup_newton *s, const sup_solve_report *report) {
  return report->iterations > 0 ? sup_accept(report->momentum_error, s->norm, s->tolerance)
                                : sup_accept_start(s->norm, s->impulse, s->tolerance);
}

sup_reason sup_newton_unless_round_off(sup_newton *s, const sup_solve_report *report,
                                       sup_reason other) {
  sup_lost_digits lost =
      sup_residual_round_off(s->problem, s->law, s->v, s->vc, s->inv_sqrt_d, s->dp);
  return sup_is_round_off(s->norm, report->momentum_error, lost) ? SUP_REASON_ROUND_OFF : other;
}

sup_line_result sup_newton_line_search(sup_newton *s) {
  static const double digits = 1e-14; /* of the cost */
  sup_line            line = {.function = sup_newton_line_value,
                              .user = s,
                              .slope = sup_newton_slope(s),
                              .limit = sup_newton_largest_step(s),
                              .noise = digits * fabs(sup_newton_cost(s))};
  return sup_line_search(s->options->line_search, &line);
}

/** 1: quasi-Newton reuses the factor (THEORY 5.3): its contraction of the residual, from `before`,
 * reaches the tolerance within ten more iterations.  Any positive definite H gives descent. */
static int can_reuse_factor(const sup_newton *s, const sup_solve_report *report, double before) {
  static const double most = 10; /* iterations */
  double              theta = s->norm / before, left = s->tolerance / report->momentum_error;
  if (!s->options->quasi || !s->factored) return 0;
  return theta < 1 && log(left) >= most * log(theta);
}

/** Newton for fixed gn0; s->v, impulses and residual are current on entry and on return. */
sup_status sup_newton_minimise(sup_newton *s, int max_iterations, sup_solve_report *report) {
  enum {
    PATIENCE = 5
  }; /* iterations that do not halve the residual, before round-off is estimated */
  double cost = sup_newton_cost(s), least = HUGE_VAL;
  int    still = 0;
  s->reuses_factor = 0, s->norm_before = 0; /* the laws are new */
  sup_newton_start_slip(s);
  SUP_TRY(sup_newton_log(s, NULL, report));
  for (int k = 0;; k++) {
    if (!isfinite(report->momentum_error)) {
      report->reason = SUP_REASON_NONFINITE;
      return SUP_OK;
    }
    report->reason = sup_newton_converged(s, report);
    if (report->reason > 0) return SUP_OK;
    if (k >= max_iterations) {
      report->reason = sup_newton_unless_round_off(s, report, SUP_REASON_MAX_ITERATIONS);
      return SUP_OK;
    }
    int spd;
    SUP_TRY(sup_newton_direction(s, report, &spd));
    if (!spd) {
      report->reason = SUP_REASON_NOT_SPD;
      report->worst_block = sup_linear_solver_failed_block(s->factor);
      return SUP_OK;
    }
    sup_line_result line = sup_newton_line_search(s);
    report->iterations++;
    report->line_search_evaluations += line.evaluations;
    if (!line.ok && s->reuses_factor) { /* the reused factor gives no descent: refactor */
      s->reuses_factor = 0;
      continue;
    }
    if (!line.ok) { /* without a slope downwards v solves the problem to round-off */
      int is_solved = line.evaluations == 0 && report->momentum_error <= s->tolerance;
      report->reason = is_solved ? SUP_REASON_TOLERANCE
                                 : sup_newton_unless_round_off(s, report, SUP_REASON_LINE_SEARCH);
      return SUP_OK;
    }
    double before = s->norm; /* the residual decreases further when the cost is at round-off */
    sup_newton_advance_slip(s, s->vc);
    sup_newton_take_step(s, line.alpha);
    sup_newton_evaluate(s, report);
    SUP_TRY(sup_newton_log(s, &line, report));
    s->reuses_factor = can_reuse_factor(s, report, before);
    double next = sup_newton_cost(s);
    if (!sup_newton_converged(s, report) && line.alpha > 0.5 && !(s->norm < 0.5 * before) &&
        fabs(next - cost) < 1e-15 * 0.5 * fabs(next + cost)) {
      report->reason = sup_newton_unless_round_off(s, report, SUP_REASON_STALL);
      return SUP_OK;
    }
    cost = next;
    still = s->norm < 0.5 * least ? 0 : still + 1;
    least = fmin(least, s->norm);
    if (still >= PATIENCE && !sup_newton_converged(s, report))
      report->reason = sup_newton_unless_round_off(s, report, (sup_reason)0);
    if (report->reason == SUP_REASON_ROUND_OFF) return SUP_OK;
  }
}

sup_status sup_newton_create(sup_newton *s, const sup_problem *problem, sup_linear_solver *linear,
                             const sup_solve_options *options, sup_arena *arena,
                             sup_solution *solution, sup_solve_report *report) {
  *s = (sup_newton){.problem = problem,
                    .options = options,
                    .factor = linear,
                    .arena = arena,
                    .strategy = SUP_NONE,
                    .v = solution->v,
                    .gamma = solution->gamma,
                    .law = solution->law,
                    .tolerance = options->tolerance,
                    .n = problem->A_pattern->num_scalars};
  *report = (sup_solve_report){.worst_block = SUP_NONE,
                               .sweeps = 1,
                               .round_off_block = SUP_NONE,
                               .ambiguous_constraint = SUP_NONE};
  SUP_TRY(allocate(s, arena));
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
  report->residual = s->r, report->momentum = s->Av, report->impulse = s->JTg,
  report->scaling = s->inv_sqrt_d;
  sup_hessian_set_dynamics(problem, s->H);
  sup_problem_multiply(problem, s->v, s->Av);
  sup_problem_constraint_velocity(problem, s->v, 1, s->vc);
  return SUP_OK;
}
