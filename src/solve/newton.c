#include "solve/newton.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "la/elimination.h"
#include "solve/coupling.h"
#include "solve/line_search.h"
#include "solve/round_off.h"

/** Vectors of one solve; all from the arena. */
typedef struct newton {
  sup_problem             *problem;
  const sup_solve_options *options;
  sup_linear_solver       *factor;
  sup_hessian_map          map;
  int                      n;          /* scalars */
  double                  *inv_sqrt_d; /* D = diag(A)^(-1/2) */
  double                  *v, *Av, *r, *dv, *dp, *JTg;
  double                  *vc, *dvc, *gamma, *trial_vc, *trial_gamma, *G, *trial_G, *H;
  double                  *slip;      /* [num_constraints x 2] slip directions */
  double                  *plain;     /* [n] direction without the coupling of friction */
  double                  *kept;      /* [2 n] v and A v before a trial */
  double                   tolerance; /* of the problem under way */
  double                   cost;      /* of the constraints at v_c */
  double                   norm;      /* ||D r|| [sqrt(J)] */
  double                   impulse;   /* ||D J^T gamma|| [sqrt(J)] */
  double                   a0, d2A;   /* dv.(A v - p), dv.dp: the dynamics' part along the direction */
  int                      factored;  /* the leading part of H is factored */
} newton;

static double dot(const double *a, const double *b, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

static double scaled_norm(const newton *s, const double *a) {
  double sum = 0;
  for (int i = 0; i < s->n; i++) sum += s->inv_sqrt_d[i] * s->inv_sqrt_d[i] * a[i] * a[i];
  return sqrt(sum);
}

static sup_status allocate(newton *s, sup_arena *arena) {
  const sup_problem *p = s->problem;
  double           **vector[] = {&s->inv_sqrt_d, &s->Av, &s->r, &s->dv, &s->dp, &s->JTg};
  double           **per_vc[] = {&s->vc, &s->dvc, &s->trial_vc, &s->trial_gamma};
  for (size_t i = 0; i < sizeof vector / sizeof *vector; i++) SUP_TRY(SUP_ARENA(arena, *vector[i], s->n));
  for (size_t i = 0; i < sizeof per_vc / sizeof *per_vc; i++) SUP_TRY(SUP_ARENA(arena, *per_vc[i], p->num_vc));
  SUP_TRY(SUP_ARENA(arena, s->G, 9 * p->num_constraints));
  SUP_TRY(SUP_ARENA(arena, s->trial_G, 9 * p->num_constraints));
  SUP_TRY(SUP_ARENA(arena, s->slip, 2 * p->num_constraints));
  SUP_TRY(SUP_ARENA(arena, s->H, sup_block_pattern_num_values(p->H_pattern)));
  SUP_TRY(sup_hessian_map_create(&s->map, p, arena));
  return SUP_OK;
}

int sup_momentum_scaling(const sup_problem *problem, double *inv_sqrt_d) {
  const sup_block_pattern *P = problem->A_pattern;
  for (int b = 0; b < P->num_blocks; b++) {
    int           size = P->offset[b + 1] - P->offset[b];
    const double *D = problem->A + P->value_start[P->col_start[b]];
    for (int i = 0; i < size; i++) {
      if (!(D[i * size + i] > 0)) return b;
      inv_sqrt_d[P->offset[b] + i] = 1 / sqrt(D[i * size + i]);
    }
  }
  return SUP_NONE;
}

static int block_of_scalar(const sup_block_pattern *P, int scalar) {
  int low = 0, high = P->num_blocks - 1;
  while (low < high) {
    int middle = (low + high + 1) / 2;
    if (P->offset[middle] <= scalar)
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

int sup_worst_block(const sup_block_pattern *pattern, const double *inv_sqrt_d, const double *r) {
  double worst = -1;
  int    worst_index = 0;
  for (int i = 0; i < pattern->num_scalars; i++) {
    double size = fabs(r[i]) * inv_sqrt_d[i];
    if (!isfinite(size)) size = HUGE_VAL; /* the first such place is the worst */
    if (size > worst) worst = size, worst_index = i;
  }
  return block_of_scalar(pattern, worst_index);
}

double sup_round_off(const sup_block_pattern *P, const int *rank, const double *diagonal, const double *pivot,
                     int *block) {
  double most = 0;
  *block = SUP_NONE;
  for (int b = 0; b < P->num_blocks; b++) {
    if (rank && rank[b] != SUP_NONE) continue;
    for (int i = P->offset[b]; i < P->offset[b + 1]; i++)
      if (DBL_EPSILON * diagonal[i] > most * pivot[i]) most = DBL_EPSILON * diagonal[i] / pivot[i], *block = b;
  }
  return most;
}

double sup_momentum_error(double residual, double momentum, double impulse) {
  double scale = fmax(momentum, impulse);
  if (!(scale > 1e-100)) scale = residual; /* nothing moves yet: the residual is its own scale */
  return residual > 0 ? residual / scale : residual;
}

/** ||D A v|| of the whole problem. */
static double momentum_norm(const newton *s) {
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
static void evaluate(newton *s, sup_solve_report *report) {
  s->cost = sup_problem_evaluate(s->problem, s->vc, s->gamma, s->G);
  sup_problem_generalized_impulse(s->problem, s->gamma, s->JTg);
  for (int i = 0; i < s->n; i++) s->r[i] = s->Av[i] - s->problem->p[i] - s->JTg[i];
  s->norm = scaled_norm(s, s->r);
  s->impulse = scaled_norm(s, s->JTg);
  report->worst_block = sup_worst_block(s->problem->A_pattern, s->inv_sqrt_d, s->r);
  report->momentum_error = sup_momentum_error(s->norm, momentum_norm(s), s->impulse);
  report->momentum_residual = s->norm;
}

static void line_function(double alpha, double *slope, double *curvature, void *user) {
  newton *s = user;
  *slope = s->a0 + alpha * s->d2A;
  *curvature = s->d2A;
  for (int i = 0; i < s->problem->num_vc; i++) s->trial_vc[i] = s->vc[i] + alpha * s->dvc[i];
  sup_problem_evaluate(s->problem, s->trial_vc, s->trial_gamma, s->trial_G);
  for (int i = 0; i < s->problem->num_constraints; i++) {
    const sup_constraint *c = &s->problem->constraint[i];
    int                   dim = sup_law_dimension(c->law.kind);
    const double         *d = s->dvc + c->first_vc, *g = s->trial_gamma + c->first_vc, *G = s->trial_G + 9 * i;
    for (int a = 0; a < dim; a++) {
      *slope -= d[a] * g[a];
      for (int b = 0; b < dim; b++) *curvature += d[a] * G[a * dim + b] * d[b];
    }
  }
}

static void start_slip(newton *s) {
  for (int i = 0; i < s->problem->num_constraints; i++) {
    const sup_constraint *c = &s->problem->constraint[i];
    sup_slip_start(&c->law, s->vc + c->first_vc, s->slip + 2 * i);
  }
}

/** vc: before the step dvc. */
static void advance_slip(newton *s, const double *vc) {
  for (int i = 0; i < s->problem->num_constraints; i++) {
    const sup_constraint *c = &s->problem->constraint[i];
    sup_slip_advance(&c->law, vc + c->first_vc, s->dvc + c->first_vc, s->slip + 2 * i);
  }
}

static void set_hessian(newton *s) {
  for (int i = 0; i < s->problem->num_constraints; i++) {
    const sup_constraint *c = &s->problem->constraint[i];
    if (sup_law_dimension(c->law.kind) < 3) continue;
    sup_slip_hessian(&c->law, s->vc + c->first_vc, s->gamma[c->first_vc + 2], s->slip + 2 * i, s->G + 9 * i);
  }
  sup_hessian_set_constraints(s->problem, &s->map, s->G, s->H);
}

/** How far an iterative backend has to bring a direction: below the tolerance with the last one, but no step is
 *  better than Newton's own. */
static double direction_tolerance(const newton *s, const sup_solve_report *report) {
  static const double share = 0.3, loosest = 1e-3, tightest = 1e-12;
  double              wanted = share * s->tolerance / report->momentum_error;
  return wanted < tightest ? tightest : wanted < loosest ? wanted : loosest;
}

/** dv = -H^-1 r. */
static sup_status factor_and_solve(newton *s, sup_solve_report *report) {
  sup_linear_operator H = {.pattern = s->problem->H_pattern, .values = s->H, .space = s->problem->space};
  sup_linear_report   linear;
  sup_status status = s->factored ? sup_linear_solver_update(s->factor, &H) : sup_linear_solver_setup(s->factor, &H);
  if (status != SUP_OK) return status;
  for (int i = 0; i < s->n; i++) s->dv[i] = -s->r[i];
  status = sup_linear_solver_solve(s->factor, direction_tolerance(s, report), s->dv, &linear);
  if (status == SUP_OK) report->linear_iterations += linear.iterations;
  return status;
}

/** The dynamics' part along dv. */
static void aim(newton *s) {
  sup_block_multiply(s->problem->A_pattern, s->problem->A, s->dv, s->dp);
  sup_problem_constraint_velocity(s->problem, s->dv, 0, s->dvc);
  s->d2A = dot(s->dv, s->dp, s->n);
  s->a0 = 0;
  for (int i = 0; i < s->n; i++) s->a0 += s->dv[i] * (s->Av[i] - s->problem->p[i]);
}

/** dv and what the line search needs of it; spd is 0 when H is not positive definite. */
static sup_status newton_direction(newton *s, sup_solve_report *report, int *spd) {
  set_hessian(s);
  sup_status status = factor_and_solve(s, report);
  *spd = status != SUP_E_NOT_SPD;
  s->factored = *spd; /* of what failed there is nothing to go on from */
  if (!*spd) return SUP_OK;
  SUP_TRY(status);
  aim(s);
  return SUP_OK;
}

/** Slope of the cost along dv. */
static double slope_along(const newton *s) { return s->a0 - dot(s->dvc, s->gamma, s->problem->num_vc); }

static void go(newton *s, double alpha) {
  for (int i = 0; i < s->n; i++) s->v[i] += alpha * s->dv[i], s->Av[i] += alpha * s->dp[i];
  for (int i = 0; i < s->problem->num_vc; i++) s->vc[i] += alpha * s->dvc[i];
}

static double total_cost(const newton *s) {
  return 0.5 * dot(s->v, s->Av, s->n) - dot(s->v, s->problem->p, s->n) + s->cost;
}

/** Share of the way to the end of a barrier's domain that one step may go. */
static const double reach_share = 0.9;

static double largest_step(const newton *s) {
  double alpha = HUGE_VAL;
  for (int i = 0; i < s->problem->num_constraints; i++) {
    const sup_constraint *c = &s->problem->constraint[i];
    alpha = fmin(alpha, sup_law_reach(&c->law, s->vc + c->first_vc, s->dvc + c->first_vc));
  }
  return reach_share * alpha;
}

/** THEORY 5.2, but that the start is a solution only when its residual is small against the constraints' impulses
 * alone: against all momenta the whole impulse of a step on a fast body, or on a light one beside others, may be small,
 * and would be forgotten step after step.  0: go on. */
static sup_reason converged(const newton *s, const sup_solve_report *report) {
  int is_small = report->iterations > 0 ? report->momentum_error <= s->tolerance : s->norm <= s->tolerance * s->impulse;
  return is_small ? SUP_REASON_TOLERANCE : s->norm <= sup_absolute_limit ? SUP_REASON_ABSOLUTE : (sup_reason)0;
}

/** `other`, unless the residual is round-off; spoils dp. */
static sup_reason unless_round_off(newton *s, const sup_solve_report *report, sup_reason other) {
  double estimate = sup_residual_round_off(s->problem, s->v, s->vc, s->inv_sqrt_d, s->dp);
  return sup_is_round_off(s->norm, report->momentum_error, estimate) ? SUP_REASON_ROUND_OFF : other;
}

/** Newton for fixed gn0; s->v and what follows from it are current on entry and on return. */
static sup_status minimise(newton *s, int max_iterations, sup_solve_report *report) {
  enum { PATIENCE = 5 }; /* iterations that do not halve the residual, before it is asked whether it can be less */
  double cost = total_cost(s), least = HUGE_VAL;
  int    still = 0;
  start_slip(s);
  for (int k = 0;; k++) {
    if (!isfinite(report->momentum_error)) {
      report->reason = SUP_REASON_NONFINITE;
      return SUP_OK;
    }
    report->reason = converged(s, report);
    if (report->reason > 0) return SUP_OK;
    if (k >= max_iterations) {
      report->reason = SUP_REASON_MAX_ITERATIONS;
      return SUP_OK;
    }
    int spd;
    SUP_TRY(newton_direction(s, report, &spd));
    if (!spd) {
      report->reason = SUP_REASON_NOT_SPD;
      report->worst_block = sup_linear_solver_failed_block(s->factor);
      return SUP_OK;
    }
    sup_line_result line = sup_line_search(line_function, s, slope_along(s), largest_step(s));
    report->iterations++;
    report->line_search_evaluations += line.evaluations;
    if (!line.ok) { /* without a slope downwards v solves the problem to round-off */
      int is_solved = line.evaluations == 0 && report->momentum_error <= s->tolerance;
      report->reason = is_solved ? SUP_REASON_TOLERANCE : unless_round_off(s, report, SUP_REASON_LINE_SEARCH);
      return SUP_OK;
    }
    advance_slip(s, s->vc);
    go(s, line.alpha);
    evaluate(s, report);
    double next = total_cost(s);
    if (!converged(s, report) && line.alpha > 0.5 && fabs(next - cost) < 1e-30 + 1e-15 * 0.5 * fabs(next + cost)) {
      report->reason = unless_round_off(s, report, SUP_REASON_STALL);
      return SUP_OK;
    }
    cost = next;
    still = s->norm < 0.5 * least ? 0 : still + 1;
    least = fmin(least, s->norm);
    if (still >= PATIENCE && !converged(s, report)) report->reason = unless_round_off(s, report, (sup_reason)0);
    if (report->reason == SUP_REASON_ROUND_OFF) return SUP_OK;
  }
}

/* ---- a start inside the domain of barriers ---- */

static int is_inside(const newton *s, const sup_law *law) {
  for (int i = 0; i < s->problem->num_constraints; i++)
    if (!(sup_law_room(&law[i], s->vc + s->problem->constraint[i].first_vc) > 0)) return 0;
  return 1;
}

/** Inverse mass of the present normal velocity, J_n diag(A)^-1 J_n^T. */
static double inverse_mass(const newton *s, const sup_constraint *c) {
  const sup_block_pattern *P = s->problem->A_pattern;
  double                   w = 0;
  for (int k = 0; k < c->num_blocks; k++) {
    const sup_jacobian_block *b = &s->problem->jacobian[c->first_block + k];
    int                       first = P->offset[b->block], n = P->offset[b->block + 1] - first;
    const double             *J = s->problem->jacobian_value + b->value + (size_t)(2 * n);
    for (int j = 0; j < n; j++) w += J[j] * J[j] * s->inv_sqrt_d[first + j] * s->inv_sqrt_d[first + j];
  }
  return w;
}

/** The warm start may close a gap that a barrier keeps open.  Then the step is solved with springs in the barriers'
 *  place, ever stiffer, until its solution is inside: strictly convex problems that are defined everywhere, the last of
 *  them close to the one that is meant.  reason = 0 when v is inside. */
static sup_status enter_domain(newton *s, sup_arena *arena, sup_solve_report *report) {
  enum { MAX_ROUNDS = 7 };
  sup_problem *problem = s->problem;
  sup_law     *law;
  report->reason = (sup_reason)0;
  SUP_TRY(SUP_ARENA(arena, law, problem->num_constraints));
  for (int i = 0; i < problem->num_constraints; i++) law[i] = problem->constraint[i].law;
  int    inside = is_inside(s, law);
  double factor = 10;
  for (int round = 0; !inside && round < MAX_ROUNDS; round++, factor *= 100) {
    for (int i = 0; i < problem->num_constraints; i++) {
      if (!sup_law_is_barrier(&law[i])) continue;
      double w = inverse_mass(s, &problem->constraint[i]);
      problem->constraint[i].law = sup_law_relaxed_barrier(&law[i], w > 0 ? factor / w : 0);
    }
    evaluate(s, report);
    SUP_TRY(minimise(s, s->options->max_iterations, report));
    if (report->reason < 0) break;
    inside = is_inside(s, law);
  }
  for (int i = 0; i < problem->num_constraints; i++) problem->constraint[i].law = law[i];
  if (report->reason >= 0) report->reason = inside ? (sup_reason)0 : SUP_REASON_INFEASIBLE;
  return SUP_OK;
}

/* ---- near-rigid contact ------------------------------------------------------------------------------------------ */

/** Let no linear law be stiffer than dt^2 k w = ratio.  How many are softer than they should be. */
static int soften(newton *s, const sup_law *law, double ratio) {
  int count = 0;
  for (int i = 0; i < s->problem->num_constraints; i++) {
    sup_constraint *c = &s->problem->constraint[i];
    c->law = law[i];
    if (law[i].kind != SUP_LAW_LAGGED && law[i].kind != SUP_LAW_SIMILAR) continue;
    sup_normal *normal = &c->law.coulomb.normal;
    double      share = ratio / (normal->dt * normal->dt * normal->k * inverse_mass(s, c));
    if (!(share < 1)) continue;
    normal->k *= share, normal->f0 *= share;
    count++;
  }
  return count;
}

/** Newton on stiff springs that friction is coupled to goes along a curved valley, which a line search leaves in small
 *  steps only.  A problem that has not been solved by then is solved roughly with softer springs, ten times stiffer
 * from round to round: their solutions differ little, and each is inside the next one's valley. */
static sup_status minimise_stiff(newton *s, sup_arena *arena, sup_solve_report *report) {
  enum { PATIENCE = 25 };
  static const double rough = 1e-2;
  sup_problem        *problem = s->problem;
  sup_law            *law;
  int                 start = report->iterations, most = s->options->max_iterations;
  SUP_TRY(minimise(s, most < PATIENCE ? most : PATIENCE, report));
  if (report->reason != SUP_REASON_MAX_ITERATIONS || most <= PATIENCE) return SUP_OK;
  SUP_TRY(SUP_ARENA(arena, law, problem->num_constraints));
  for (int i = 0; i < problem->num_constraints; i++) law[i] = problem->constraint[i].law;
  s->tolerance = fmax(rough, s->options->tolerance);
  for (double ratio = 10; soften(s, law, ratio) > 0; ratio *= 10) {
    evaluate(s, report);
    SUP_TRY(minimise(s, PATIENCE, report));
    if (report->reason < 0 && report->reason != SUP_REASON_MAX_ITERATIONS) break;
  }
  for (int i = 0; i < problem->num_constraints; i++) problem->constraint[i].law = law[i];
  s->tolerance = s->options->tolerance;
  evaluate(s, report);
  SUP_TRY(minimise(s, most - (report->iterations - start), report));
  return SUP_OK;
}

/** gn0 := gamma_n of every lagged law; largest change relative to the largest gn0. */
static double relag(sup_problem *problem, const double *gamma) {
  double change = 0, size = 0;
  for (int i = 0; i < problem->num_constraints; i++) {
    sup_constraint *c = &problem->constraint[i];
    if (c->law.kind != SUP_LAW_LAGGED) continue;
    double gn = gamma[c->first_vc + 2], gn0 = c->law.coulomb.gn0;
    change = fmax(change, fabs(gn - gn0));
    size = fmax(size, fmax(gn, gn0));
    sup_law_set_lagged_impulse(&c->law, gn);
  }
  return size > 0 ? change / size : 0;
}

/** Digits that the last factor lost; its diagonal is that of H or, eliminated before, of A. */
static void measure_round_off(newton *s, sup_solve_report *report) {
  const sup_block_pattern *P = s->problem->H_pattern;
  double                  *pivot = s->dv, *diagonal = s->dp;
  if (!s->factored || !sup_linear_solver_pivots(s->factor, pivot)) return;
  for (int b = 0; b < P->num_blocks; b++) {
    const double *H = s->H + P->value_start[P->col_start[b]];
    for (int first = P->offset[b], n = P->offset[b + 1] - first, i = 0; i < n; i++) {
      double root = s->inv_sqrt_d[first + i];
      diagonal[first + i] = fmax(H[i * n + i], 1 / (root * root));
    }
  }
  report->round_off = sup_round_off(P, NULL, diagonal, pivot, &report->round_off_block);
}

/* ---- friction by its own normal impulse ---------------------------------------------------------------------------
 */

/** Friction's bounds become those of s->v. */
static void evaluate_coupled(newton *s, sup_solve_report *report) {
  evaluate(s, report); /* normal impulses do not depend on the bounds */
  sup_coupling_set_bounds(s->problem, s->gamma);
  evaluate(s, report);
}

/** The whole way along dv, if that leaves at most half of the residual; else none.  0: none. */
static int try_whole(newton *s, sup_solve_report *report) {
  static const double enough = 0.5;
  int                 num = s->problem->num_vc;
  double              before = s->norm;
  if (largest_step(s) < 1) return 0;
  memcpy(s->kept, s->v, (size_t)s->n * sizeof *s->v);
  memcpy(s->kept + s->n, s->Av, (size_t)s->n * sizeof *s->Av);
  memcpy(s->trial_vc, s->vc, (size_t)num * sizeof *s->vc);
  go(s, 1);
  evaluate_coupled(s, report);
  if (s->norm <= enough * before || converged(s, report)) {
    advance_slip(s, s->trial_vc);
    return 1;
  }
  memcpy(s->v, s->kept, (size_t)s->n * sizeof *s->v);
  memcpy(s->Av, s->kept + s->n, (size_t)s->n * sizeof *s->Av);
  memcpy(s->vc, s->trial_vc, (size_t)num * sizeof *s->vc);
  evaluate_coupled(s, report);
  return 0;
}

/** Down the convex cost with the bounds of s->v as they are; a reason where that ends. */
static sup_reason go_down(newton *s, sup_solve_report *report) {
  double          cost = total_cost(s);
  sup_line_result line = sup_line_search(line_function, s, slope_along(s), largest_step(s));
  report->line_search_evaluations += line.evaluations;
  if (!line.ok) { /* as in minimise */
    int is_solved = line.evaluations == 0 && report->momentum_error <= s->tolerance;
    return is_solved ? SUP_REASON_TOLERANCE : unless_round_off(s, report, SUP_REASON_LINE_SEARCH);
  }
  advance_slip(s, s->vc);
  go(s, line.alpha);
  evaluate(s, report);
  double next = total_cost(s);
  evaluate_coupled(s, report);
  int is_still = line.alpha > 0.5 && fabs(next - cost) < 1e-30 + 1e-15 * 0.5 * fabs(next + cost);
  return is_still && !converged(s, report) ? unless_round_off(s, report, SUP_REASON_STALL) : (sup_reason)0;
}

/** The iteration of THEORY_2 16.4, A and then B: Newton with the coupling, the whole way while that halves the
 *  residual, else down the convex cost with the bounds of the present velocities, which has none of the valleys that
 *  the residual has; without the coupling where Newton's direction with it does not lead down. */
static sup_status minimise_coupled(newton *s, sup_coupling *coupling, sup_solve_report *report) {
  enum { WHOLE = 30, MOST = 110 };
  static const double least = 0.1; /* slope of a direction down, over dv . A dv */
  evaluate_coupled(s, report);
  start_slip(s);
  for (int k = 0;; k++) {
    report->reason = !isfinite(report->momentum_error) ? SUP_REASON_NONFINITE : converged(s, report);
    if (!report->reason && k == MOST) report->reason = SUP_REASON_MAX_ITERATIONS;
    if (report->reason) return SUP_OK;
    int spd;
    SUP_TRY(newton_direction(s, report, &spd));
    if (!spd) {
      report->reason = SUP_REASON_NOT_SPD;
      report->worst_block = sup_linear_solver_failed_block(s->factor);
      return SUP_OK;
    }
    report->iterations++;
    memcpy(s->plain, s->dv, (size_t)s->n * sizeof *s->dv);
    sup_status status = sup_coupling_correct(coupling, s->problem, s->factor, s->gamma, s->G, s->dv);
    if (status == SUP_E_NOT_SPD) /* an iteration's; by Newton's direction it has not met that yet */
      memcpy(s->dv, s->plain, (size_t)s->n * sizeof *s->dv);
    else
      SUP_TRY(status);
    aim(s);
    if (k < WHOLE && try_whole(s, report)) continue;
    if (!(slope_along(s) <= -least * s->d2A)) {
      memcpy(s->dv, s->plain, (size_t)s->n * sizeof *s->dv);
      aim(s);
    }
    report->reason = go_down(s, report);
    if (report->reason) return SUP_OK;
  }
}

/** Where the coupled problem is not found, the convex one with the bounds of the start is. */
static sup_status solve_coupled(newton *s, sup_arena *arena, sup_solve_report *report) {
  static const double rough = 1e3; /* times the tolerance: less is round-off */
  sup_coupling        coupling;
  double             *start, *bound;
  SUP_TRY(sup_coupling_create(&coupling, s->problem, arena));
  SUP_TRY(SUP_ARENA(arena, s->plain, s->n));
  SUP_TRY(SUP_ARENA(arena, s->kept, 2 * s->n));
  SUP_TRY(SUP_ARENA(arena, start, s->n));
  SUP_TRY(SUP_ARENA(arena, bound, s->problem->num_vc));
  memcpy(start, s->v, (size_t)s->n * sizeof *start);
  evaluate(s, report);
  memcpy(bound, s->gamma, (size_t)s->problem->num_vc * sizeof *bound);
  SUP_TRY(minimise_coupled(s, &coupling, report));
  if (report->reason > 0 || report->reason == SUP_REASON_NOT_SPD || report->momentum_error <= rough * s->tolerance)
    return SUP_OK;
  memcpy(s->v, start, (size_t)s->n * sizeof *start);
  sup_block_multiply(s->problem->A_pattern, s->problem->A, s->v, s->Av);
  sup_problem_constraint_velocity(s->problem, s->v, 1, s->vc);
  sup_coupling_set_bounds(s->problem, bound);
  evaluate(s, report);
  return minimise_stiff(s, arena, report);
}

static int has_coupling(const sup_problem *problem) {
  for (int i = 0; i < problem->num_constraints; i++)
    if (problem->constraint[i].law.kind == SUP_LAW_LAGGED && problem->constraint[i].law.coulomb.mu > 0) return 1;
  return 0;
}

static sup_status sweep(newton *s, sup_arena *arena, sup_solve_report *report) {
  const sup_solve_options *options = s->options;
  for (;; report->sweeps++) {
    evaluate(s, report);
    SUP_TRY(minimise_stiff(s, arena, report));
    if (report->reason < 0 || options->sweeps <= 1) return SUP_OK;
    /* The last sweep leaves gn0 as friction used it. */
    if (report->sweeps == options->sweeps) return SUP_OK;
    report->sweep_change = relag(s->problem, s->gamma);
    if (report->sweep_change <= options->sweep_tolerance) return SUP_OK;
  }
}

sup_status sup_solve(sup_problem *problem, sup_linear_solver *factor, const sup_solve_options *options,
                     sup_arena *arena, double *v, double *gamma, sup_solve_report *report) {
  newton s = {.problem = problem, .options = options, .factor = factor, .v = v, .gamma = gamma};
  s.tolerance = options->tolerance;
  s.n = problem->A_pattern->num_scalars;
  *report = (sup_solve_report){.worst_block = SUP_NONE, .sweeps = 1, .round_off_block = SUP_NONE};
  SUP_TRY(allocate(&s, arena));
  int bad = SUP_NONE;
  if (problem->eliminated)
    memcpy(s.inv_sqrt_d, problem->eliminated->inv_sqrt_d, (size_t)s.n * sizeof *s.inv_sqrt_d);
  else
    bad = sup_momentum_scaling(problem, s.inv_sqrt_d);
  if (bad != SUP_NONE) {
    report->reason = SUP_REASON_NOT_SPD;
    report->worst_block = bad;
    return SUP_OK;
  }
  report->residual = s.r, report->momentum = s.Av, report->impulse = s.JTg, report->scaling = s.inv_sqrt_d;
  sup_hessian_set_dynamics(problem, s.H);
  sup_block_multiply(problem->A_pattern, problem->A, v, s.Av);
  sup_problem_constraint_velocity(problem, v, 1, s.vc);
  SUP_TRY(enter_domain(&s, arena, report));
  if (report->reason < 0) return SUP_OK;
  SUP_TRY(options->is_coupled && has_coupling(problem) ? solve_coupled(&s, arena, report) : sweep(&s, arena, report));
  measure_round_off(&s, report);
  return SUP_OK;
}
