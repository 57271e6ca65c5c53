/* TAMSI (P2 V; THEORY 7): Newton on the momentum balance with friction coupled to the normal force
 * of the same velocities, each step limited by TALS.
 *
 *      r(v) = A v - p - J_t^T gamma_t - J_n^T gamma_n,    gamma_n = n(v_n),    gamma_t = -mu f n t
 *      r'(v) = A + W_tt + W_nn + W_tn,    W_tn = J_t^T (gamma_t/n) (-n') J_n, which is not
 * symmetric
 *
 * In one-way coupling, friction is bounded by n of the step's start: r' is symmetric, and the
 * solution is that of the Lagged model.  Problems not solved by Newton within its cap are solved by
 * descent of a convex cost, then by substeps with the same A and J, whose impulses add up to the
 * step's balance.
 */
#include <math.h>
#include <string.h>

#include "solve/newton/newton.h"
#include "solve/newton/numerics.h"
#include "solve/newton/tals.h"
#include "solve/numerics.h"

typedef struct tamsi {
  sup_newton s; /* Newton's data at the present velocity; in a substep its problem is `part` */
  const sup_problem       *whole;
  const sup_tamsi_options *options;
  sup_problem              part;
  sup_law                 *law;   /* [num_constraints] laws as given */
  double                  *p;     /* [n] of a substep */
  double                  *start; /* [2 n] v and A v of the step's start */
  double                  *sum;   /* [num_vc] impulses of the substeps so far */
  double                  *upper; /* values at H_pattern: the other triangle of r' */
  int has_factor; /* 1: the factor is that of r' at an earlier velocity of this step */
} tamsi;

static bool is_two_way(const tamsi *t) { return t->options->coupling == SUP_TAMSI_TWO_WAY; }

/* ---- one iteration --------------------------------------------------------------------------- */

/** Evaluate impulses and residual.  In two-way coupling, friction bounds are first set at the
 * present velocity.  The slip over which friction grows is that of the step's start. */
static void evaluate(tamsi *t, sup_solve_report *report) {
  for (int i = 0; i < t->whole->num_constraints && is_two_way(t); i++) {
    double cost, n, slope;
    if (t->s.x.law[i].kind != SUP_LAW_LAGGED) continue;
    sup_normal_evaluate(&t->s.x.law[i].coulomb.normal,
                        t->s.x.vc[t->whole->constraint[i].first_vc + 2], &cost, &n, &slope);
    t->s.x.law[i].coulomb.gn0 = n;
  }
  sup_newton_evaluate(&t->s, report);
}

/** G of the laws, symmetric, becomes that of TAMSI: -d gamma_t/d v_n = (gamma_t/n) (-n'). */
static void couple(tamsi *t) {
  for (int i = 0; i < t->whole->num_constraints; i++) {
    const sup_law *law = &t->s.x.law[i];
    double        *G = t->s.x.G + 9 * i, *gamma = t->s.x.gamma + t->whole->constraint[i].first_vc;
    if (law->kind != SUP_LAW_LAGGED || !(law->coulomb.gn0 > 0)) continue;
    for (int k = 0; k < 2; k++) G[3 * k + 2] = gamma[k] / law->coulomb.gn0 * G[8];
  }
}

static sup_status factor_two_way(tamsi *t, bool *is_singular) {
  couple(t);
  sup_hessian_set_general(&t->part, &t->s.H.map, t->s.x.G, t->s.H.value, t->upper);
  SUP_TRY(sup_linear_solver_setup_general(t->s.H.factor, t->s.H.value, t->upper, is_singular));
  return SUP_OK;
}

static sup_status factor_one_way(tamsi *t, bool *is_singular) {
  sup_hessian_set_constraints(&t->part, &t->s.H.map, t->s.x.G, t->s.H.value);
  sup_linear_operator H = {
      .pattern = t->part.H_pattern, .values = t->s.H.value, .space = t->part.space};
  sup_status status = t->s.H.is_factored ? sup_linear_solver_update(t->s.H.factor, &H)
                                         : sup_linear_solver_setup(t->s.H.factor, &H);
  *is_singular = status == SUP_E_NOT_SPD;
  t->s.H.is_factored = !*is_singular;
  return *is_singular ? SUP_OK : status;
}

/** dv = -r'^-1 r, A dv and J dv. */
static sup_status find_direction(tamsi *t, int reuses_factor, bool *is_singular) {
  *is_singular = 0;
  if (!reuses_factor)
    SUP_TRY(is_two_way(t) ? factor_two_way(t, is_singular) : factor_one_way(t, is_singular));
  t->has_factor = !*is_singular;
  if (*is_singular) return SUP_OK;
  for (int i = 0; i < t->s.n; i++) t->s.d.v[i] = -t->s.x.r[i];
  SUP_TRY(is_two_way(t)
              ? sup_linear_solver_solve_general(t->s.H.factor, t->s.d.v)
              : sup_linear_solver_solve(t->s.H.factor, sup_solve_numerics.exact, t->s.d.v, NULL));
  sup_newton_set_direction(&t->s);
  return SUP_OK;
}

/** Step length of TALS: the smallest of all contacts with friction. */
static double limit_step(const tamsi *t) {
  double alpha = 1;
  for (int i = 0; i < t->whole->num_constraints; i++) {
    const sup_law *law = &t->s.x.law[i];
    int            at = t->whole->constraint[i].first_vc;
    double         u[2], du[2];
    if (law->kind != SUP_LAW_LAGGED || !(law->coulomb.mu * law->coulomb.gn0 > 0)) continue;
    sup_law_slip(law, t->s.x.vc + at, u), sup_law_slip(law, t->s.d.vc + at, du);
    alpha = fmin(alpha, sup_tals_limit(u, du, law->coulomb.eps));
  }
  return alpha;
}

/** Largest change of the velocity of a contact along dv, over v_s. */
static double change_of_velocities(const tamsi *t) {
  double most = 0;
  for (int i = 0; i < t->whole->num_constraints; i++) {
    const sup_law *law = &t->s.x.law[i];
    const double  *d = t->s.d.vc + t->whole->constraint[i].first_vc;
    if (law->kind == SUP_LAW_LAGGED)
      most = fmax(most, fmax(hypot(d[0], d[1]), fabs(d[2])) / law->coulomb.slip);
  }
  return most;
}

/* ---- Newton ---------------------------------------------------------------------------------- */

/** 1: linear convergence at the rate change/last reaches small_change within `more` iterations
 * (Hairer, Wanner, Solving Ordinary Differential Equations II, IV.8). */
static bool is_converging(double last, double change, int more) {
  double rate = change / last;
  return rate < 1 && pow(rate, more) / (1 - rate) * change <= sup_newton_numerics.tamsi_change;
}

/** Iterate from the present velocity; reason < 0: not converged. */
static sup_status iterate(tamsi *t, sup_solve_report *report) {
  enum { PATIENCE = 5 }; /* iterations that do not halve the residual, as in sup_newton_minimise */
  sup_newton *s = &t->s;
  const int   most = t->options->max_iterations;
  double      last = HUGE_VAL, change = HUGE_VAL, alpha = 1, least = HUGE_VAL;
  int         still = 0;
  bool        is_singular;
  t->has_factor = 0;
  for (int k = 0;; k++) {
    evaluate(t, report);
    sup_line_result step = {.alpha = alpha};
    SUP_TRY(sup_newton_log(s, k ? &step : NULL, report));
    report->reason = (sup_reason)0;
    if (!isfinite(report->momentum_error))
      report->reason = SUP_REASON_NONFINITE;
    else if (change < sup_newton_numerics.tamsi_change)
      report->reason = sup_accept(report->momentum_error, s->x.norm, s->tolerance);
    still = s->x.norm < 0.5 * least ? 0 : still + 1;
    least = fmin(least, s->x.norm);
    if (!report->reason && still >= PATIENCE)
      report->reason = sup_newton_unless_round_off(s, report, (sup_reason)0);
    if (!report->reason && k == most) report->reason = SUP_REASON_MAX_ITERATIONS;
    if (report->reason) return SUP_OK;
    int keeps = t->options->is_quasi && t->has_factor && alpha == 1 &&
                is_converging(last, change, most - k);
    SUP_TRY(find_direction(t, keeps, &is_singular));
    report->iterations++;
    if (is_singular) {
      report->reason = SUP_REASON_NOT_SPD;
      return SUP_OK;
    }
    last = change, change = change_of_velocities(t);
    alpha = t->options->is_unlimited ? 1 : limit_step(t);
    sup_newton_take_step(s->problem, &s->x, &s->d, alpha);
  }
}

/* ---- substeps -------------------------------------------------------------------------------- */

static void restart(tamsi *t) {
  size_t n = (size_t)t->s.n, num = (size_t)t->whole->num_constraints;
  memcpy(t->s.x.v, t->start, n * sizeof *t->start);
  memcpy(t->s.x.Av, t->start + n, n * sizeof *t->start);
  if (num) memcpy(t->s.x.law, t->law, num * sizeof *t->law);
  sup_problem_constraint_velocity(t->whole, t->s.x.v, 1, t->s.x.vc);
  t->part = *t->whole;
  t->s.problem = t->whole;
  t->s.tolerance = t->s.options->tolerance;
}

/** Laws of the `count`-th part of the step: contacts use their present gap; joints, like A, use the
 * forces at the end of the whole step. */
static void divide_law(sup_law *law, int count) {
  switch (law->kind) {
    case SUP_LAW_LAGGED:
      law->coulomb.normal.dt /= count, law->coulomb.gn0 /= count;
      break;
    case SUP_LAW_PD:
      law->pd.dt /= count;
      break;
    default:
      law->limit.H /= count;
  }
}

/** Set the contacts' gaps to those after a substep. */
static void advance_law(const tamsi *t, sup_law *law, const double *vc) {
  sup_normal *normal = &law->coulomb.normal;
  if (law->kind != SUP_LAW_LAGGED) return;
  normal->phi0 += normal->dt * vc[2];
  normal->f0 -= normal->k * normal->dt * vc[2];
  if (!is_two_way(t)) law->coulomb.gn0 = sup_normal_lagged(normal, vc[2]);
}

/** Add the impulses of a substep to the sum, and the normal impulses that bounded friction to
 * `bound`. */
static void add_impulses(tamsi *t, double *bound) {
  for (int i = 0; i < t->whole->num_vc; i++) t->sum[i] += t->s.x.gamma[i];
  for (int i = 0; i < t->whole->num_constraints; i++)
    if (t->s.x.law[i].kind == SUP_LAW_LAGGED) bound[i] += t->s.x.law[i].coulomb.gn0;
}

/** Assemble the solution of the whole step: A v - p = J^T (sum of impulses). */
static void assemble_solution(tamsi *t, const double *bound, sup_solve_report *report) {
  size_t num = (size_t)t->whole->num_constraints, num_vc = (size_t)t->whole->num_vc;
  if (num) memcpy(t->s.x.law, t->law, num * sizeof *t->law);
  for (size_t i = 0; i < num; i++)
    if (t->s.x.law[i].kind == SUP_LAW_LAGGED) t->s.x.law[i].coulomb.gn0 = bound[i];
  if (num_vc) memcpy(t->s.x.gamma, t->sum, num_vc * sizeof *t->sum);
  t->s.problem = t->whole;
  sup_newton_residual(&t->s, report);
}

static sup_status solve_divided(tamsi *t, int count, sup_solve_report *report) {
  const sup_problem *whole = t->whole;
  const double      *Av0 = t->start + t->s.n;
  sup_reason         reason = SUP_REASON_TOLERANCE;
  double            *bound;
  SUP_TRY(SUP_ARENA(t->s.arena, bound, whole->num_constraints));
  restart(t);
  for (int i = 0; i < whole->num_vc; i++) t->sum[i] = 0;
  for (int i = 0; i < whole->num_constraints; i++) bound[i] = 0, divide_law(&t->s.x.law[i], count);
  t->s.strategy = SUP_STRATEGY_SUBSTEPS;
  t->part.p = t->p;
  t->s.problem = &t->part;
  t->s.tolerance = t->s.options->tolerance / count; /* residuals of substeps add up */
  for (int k = 0; k < count; k++) {
    for (int i = 0; i < t->s.n; i++) t->p[i] = t->s.x.Av[i] + (whole->p[i] - Av0[i]) / count;
    SUP_TRY(iterate(t, report));
    reason = k ? sup_reason_combine(reason, report->reason) : report->reason;
    if (reason < 0) return SUP_OK;
    add_impulses(t, bound);
    for (int i = 0; i < whole->num_constraints; i++)
      advance_law(t, &t->s.x.law[i], t->s.x.vc + whole->constraint[i].first_vc);
  }
  assemble_solution(t, bound, report);
  report->reason = reason;
  return SUP_OK;
}

/* ---- descent --------------------------------------------------------------------------------- */

/** Couple friction of all contacts to the normal impulse of the solution, or restore the bounds of
 * the laws. */
static void mark_coupled(tamsi *t, int all) {
  for (int i = 0; i < t->whole->num_constraints; i++)
    if (t->s.x.law[i].kind == SUP_LAW_LAGGED)
      t->s.x.law[i].coulomb.is_coupled = all || t->law[i].coulomb.is_coupled;
}

/** Solve TAMSI's equations by descent of their convex cost at the present friction bounds
 * (newton_cascade.c; one-way newton.c).  TALS alone has no merit function: its step length is the
 * smallest over all contacts, about 1/100 if many contacts change their slip direction one after
 * the other. */
static sup_status descend(tamsi *t, sup_solve_report *report) {
  sup_newton *s = &t->s;
  restart(t);
  s->H.is_factored = 0, s->strategy = SUP_STRATEGY_COUPLING;
  mark_coupled(t, is_two_way(t));
  SUP_TRY(sup_newton_solve_laws(s, report));
  mark_coupled(t, 0);
  s->H.is_factored = 0, s->strategy = SUP_NONE;
  if (report->reason < 0) return SUP_OK;
  evaluate(t, report);
  report->reason = sup_accept(report->momentum_error, s->x.norm, s->tolerance);
  if (!report->reason) SUP_TRY(iterate(t, report));
  return SUP_OK;
}

/* ---- the solver ------------------------------------------------------------------------------ */

static sup_status check_laws(const sup_problem *problem) {
  for (int i = 0; i < problem->num_constraints; i++)
    if (sup_law_is_barrier(&problem->constraint[i].law))
      return SUP_FAIL(SUP_E_ARG,
                      "the contact solver tamsi does not keep the gap open that the normal law %s "
                      "needs; newton does",
                      sup_normal_name(problem->constraint[i].law.coulomb.normal.kind));
  return SUP_OK;
}

static sup_status create(tamsi *t, const sup_problem *problem, sup_linear_solver *linear,
                         const sup_solve_options *options, sup_arena *arena, sup_solution *solution,
                         sup_solve_report *report) {
  SUP_TRY(sup_newton_create(&t->s, problem, linear, options, arena, solution, report));
  size_t n = (size_t)t->s.n, num = (size_t)problem->num_constraints,
         num_values = sup_block_pattern_num_values(problem->H_pattern);
  t->whole = problem, t->options = &options->tamsi, t->part = *problem;
  SUP_TRY(SUP_ARENA(arena, t->law, num));
  SUP_TRY(SUP_ARENA(arena, t->p, n));
  SUP_TRY(SUP_ARENA(arena, t->start, 2 * n));
  SUP_TRY(SUP_ARENA(arena, t->sum, problem->num_vc));
  SUP_TRY(SUP_ARENA(arena, t->upper, is_two_way(t) ? num_values : 0));
  if (is_two_way(t)) sup_hessian_set_dynamics(problem, t->upper);
  memcpy(t->start, t->s.x.v, n * sizeof *t->start);
  memcpy(t->start + n, t->s.x.Av, n * sizeof *t->start);
  if (num) memcpy(t->law, t->s.x.law, num * sizeof *t->law);
  return SUP_OK;
}

/** Number of substeps of the next try: 2, 3, .. 20 as in the code of P2, then doubled. */
static int next_count(int count) { return count < 20 ? count + 1 : 2 * count; }

static sup_status solve(const sup_problem *problem, sup_linear_solver *linear,
                        const sup_solve_options *options, sup_arena *arena, sup_solution *solution,
                        sup_solve_report *report) {
  tamsi t = {.whole = problem};
  SUP_TRY(check_laws(problem));
  SUP_TRY(create(&t, problem, linear, options, arena, solution, report));
  if (report->reason < 0) return SUP_OK;
  report->substeps = 1;
  SUP_TRY(iterate(&t, report));
  if (report->reason < 0 && t.options->descends && !t.options->is_unlimited)
    SUP_TRY(descend(&t, report));
  for (int count = 2; report->reason < 0 && count <= t.options->max_substeps;
       count = next_count(count)) {
    report->substeps = count;
    SUP_TRY(solve_divided(&t, count, report));
  }
  if (report->reason > 0) return SUP_OK;
  sup_reason reason = report->reason; /* the report gives the residual of the whole step */
  restart(&t);
  t.s.strategy = SUP_NONE;
  SUP_TRY(iterate(&t, report));
  report->reason = reason;
  report->at_cap |= 1u << SUP_STRATEGY_SUBSTEPS;
  return SUP_OK;
}

static int accepts(sup_law_kind law) {
  return law == SUP_LAW_LAGGED || law == SUP_LAW_LIMIT || law == SUP_LAW_COUPLER ||
         law == SUP_LAW_PD;
}

const sup_contact_solver_row sup_contact_solver_tamsi = {
    .name = "tamsi",
    .accepts = accepts,
    .models = 1u << SUP_MODEL_LAGGED | 1u << SUP_MODEL_LAGGED_REGULARIZED | 1u << SUP_MODEL_COUPLED,
    .solve = solve};
