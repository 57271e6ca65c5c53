/* Static condensation of block columns without constraints: elimination, Newton on the condensed
 * problem, back-substitution, refinement against the round-off of the elimination. */
#include <math.h>
#include <string.h>

#include "la/supernodal/elimination.h"
#include "solve/accept.h"
#include "solve/numerics.h"
#include "solve/reduction_parts.h"
#include "solve/round_off.h"

/** One solve; vectors from the arena: w: of the whole problem, t: of the condensed problem. */
typedef struct reduced {
  sup_reduction     *c;
  sup_kept_matrix   *kept; /* NULL: A is factored and not kept */
  int                refinements;
  const sup_problem *whole;
  sup_problem        problem;
  sup_eliminated     eliminated;
  double            *squares;         /* [num_islands] ||D A v||^2 of eliminated columns [J] */
  double             newton_residual; /* ||D r|| of the condensed problem [sqrt(J)] */
  double             round_off; /* largest residuals so far, of the elimination and of Newton */
  int                round_off_block;
  sup_solution      *solution;                                   /* w, the iterate; laws in force */
  double            *inv_sqrt_d, *b, *Av, *r, *JTg;              /* w */
  double            *inv_sqrt_d_t, *momentum, *p_t, *v_t, *v0_t; /* t */
} reduced;

static sup_status allocate_whole(reduced *q, sup_arena *arena) {
  double **w[] = {&q->inv_sqrt_d, &q->b, &q->Av, &q->r, &q->JTg};
  for (size_t k = 0; k < sizeof w / sizeof *w; k++)
    SUP_TRY(SUP_ARENA(arena, *w[k], q->c->A_pattern->num_scalars));
  return SUP_OK;
}

static sup_status allocate_left(reduced *q, sup_arena *arena) {
  double **t[] = {&q->inv_sqrt_d_t, &q->momentum, &q->p_t, &q->v_t, &q->v0_t};
  for (size_t k = 0; k < sizeof t / sizeof *t; k++)
    SUP_TRY(SUP_ARENA(arena, *t[k], sup_reduction_pattern(q->c)->num_scalars));
  SUP_TRY(SUP_GROW(q->c->S, q->c->S_capacity, sup_block_pattern_num_values(&q->c->S_pattern)));
  SUP_TRY(SUP_ARENA(arena, q->squares, q->c->num_islands));
  return SUP_OK;
}

static double square_norm(const double *scale, const double *a, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += scale[i] * a[i] * (scale[i] * a[i]);
  return sum;
}

/** Residual of the whole problem at v, for the report (THEORY 5.2). */
static void certify(reduced *q, sup_solve_report *report) {
  const sup_problem *whole = q->whole;
  int                n = whole->A_pattern->num_scalars;
  sup_block_multiply(whole->A_pattern, whole->A, q->solution->v, q->Av);
  sup_problem_generalized_impulse(whole, q->solution->gamma, q->JTg);
  for (int i = 0; i < n; i++) q->r[i] = q->Av[i] - whole->p[i] - q->JTg[i];
  report->residual = q->r, report->momentum = q->Av, report->impulse = q->JTg,
  report->scaling = q->inv_sqrt_d;
  report->round_off = q->round_off, report->round_off_block = q->round_off_block;
  report->momentum_residual = sqrt(square_norm(q->inv_sqrt_d, q->r, n));
  report->momentum_error =
      sup_momentum_error(report->momentum_residual, sqrt(square_norm(q->inv_sqrt_d, q->Av, n)),
                         sqrt(square_norm(q->inv_sqrt_d, q->JTg, n)));
  report->worst_block = sup_worst_block(whole->A_pattern, q->inv_sqrt_d, q->r);
}

/** Report that A or its leading part is not positive definite: block column, start's residual. */
static void refuse(reduced *q, int block, sup_solve_report *report) {
  size_t num = (size_t)q->whole->num_vc;
  if (num) memset(q->solution->gamma, 0, num * sizeof *q->solution->gamma);
  certify(q, report);
  report->reason = isfinite(report->momentum_error) ? SUP_REASON_NOT_SPD : SUP_REASON_NONFINITE;
  if (report->reason == SUP_REASON_NOT_SPD) report->worst_block = block;
}

/** p~ from b = p - A v. */
static void reduce_momentum(reduced *q) {
  const sup_block_pattern *P = q->whole->A_pattern, *S = &q->c->S_pattern;
  sup_reduction_gather(q->c, q->solution->v, q->v0_t);
  sup_reduction_gather(q->c, q->b, q->p_t);
  sup_block_multiply(S, q->c->S, q->v0_t, q->momentum);
  for (int i = 0; i < S->num_scalars; i++) q->p_t[i] += q->momentum[i];
  sup_reduction_gather(q->c, q->whole->p, q->momentum);
  for (int i = 0; i < S->num_scalars; i++) q->momentum[i] -= q->p_t[i];
  for (int i = 0; i < q->c->num_islands; i++) q->squares[i] = 0;
  for (int b = 0; b < P->num_blocks; b++)
    if (q->c->rank[b] == SUP_NONE && q->c->island[b] != SUP_NONE)
      q->squares[q->c->island[b]] +=
          square_norm(q->inv_sqrt_d + sup_block_first(P, b), q->whole->p + sup_block_first(P, b),
                      sup_block_size(P, b));
  q->eliminated.square =
      q->c->num_islands == 1 ? q->squares[0] : 0; /* each of several islands has its own */
}

static int block_that_is_left(const sup_reduction *c, int rank) {
  int b = 0;
  while (c->rank[b] != rank) b++;
  return b;
}

/** Round-off of the elimination (sup_round_off); overwrites JTg and r. */
static void measure_round_off(reduced *q) {
  const sup_block_pattern *P = q->whole->A_pattern;
  if (!sup_linear_solver_pivots(q->c->leading, q->JTg)) return;
  for (int i = 0; i < P->num_scalars; i++) q->r[i] = 1 / (q->inv_sqrt_d[i] * q->inv_sqrt_d[i]);
  q->round_off = sup_round_off(P, q->c->rank, q->r, q->JTg, &q->round_off_block);
}

/** Solve the condensed problem: each island by itself, or as one problem for a single island. */
static sup_status solve_left(reduced *q, const sup_solve_options *options, sup_arena *arena,
                             double *v, sup_solve_report *report) {
  sup_solution   left = {v, q->solution->gamma, q->solution->law};
  sup_reduction *c = q->c;
  if (c->num_islands > 1) {
    SUP_TRY(sup_islands_solve(c->islands, &q->problem, q->squares, options, arena, &left, report));
    return SUP_OK;
  }
  SUP_TRY(sup_solve(&q->problem, c->factor, options, arena, &left, report));
  report->iterations_sum = report->iterations;
  report->islands = 1;
  return SUP_OK;
}

/** b := p - A v, with A v in q->Av. */
static void find_lack(reduced *q) {
  for (int i = 0; i < q->c->A_pattern->num_scalars; i++) q->b[i] = q->whole->p[i] - q->Av[i];
}

/** One refinement from v: eliminate the residual, solve, v := solution.  In differences to v,
 * round-off is relative to the change. */
static sup_status improve(reduced *q, const sup_solve_options *options, sup_arena *arena,
                          sup_solve_report *report) {
  sup_reduction *c = q->c;
  reduce_momentum(q);
  sup_reduction_gather(c, q->solution->v, q->v_t);
  *report =
      (sup_solve_report){.reason = SUP_REASON_TOLERANCE, .worst_block = SUP_NONE, .sweeps = 1};
  if (c->S_pattern.num_blocks > 0) SUP_TRY(solve_left(q, options, arena, q->v_t, report));
  q->newton_residual = report->momentum_residual;
  if (report->round_off > q->round_off)
    q->round_off = report->round_off,
    q->round_off_block = block_that_is_left(c, report->round_off_block);
  for (int i = 0; i < c->S_pattern.num_scalars; i++) q->v0_t[i] = q->v_t[i] - q->v0_t[i];
  sup_reduction_scatter(c, q->v0_t, q->b);
  SUP_TRY(sup_linear_solver_backward(c->leading, q->b));
  for (int i = 0; i < c->A_pattern->num_scalars; i++) q->solution->v[i] += q->b[i];
  sup_reduction_scatter(c, q->v_t, q->solution->v);
  return SUP_OK;
}

static bool is_solved(const sup_solve_options *options, const sup_solve_report *report) {
  return sup_accept(report->momentum_error, report->momentum_residual, options->tolerance) > 0;
}

/** 1: the momentum residual is within the cancellation error of A v. */
static bool is_round_off(const reduced *q, const sup_solve_report *report) {
  double sum = 0;
  for (int i = 0; i < q->whole->A_pattern->num_scalars; i++) {
    double size = q->solution->v[i] / q->inv_sqrt_d[i];
    sum += size * size;
  }
  return report->momentum_residual <= sup_solve_numerics.noise * sqrt(sum);
}

/** Bound of the elimination's round-off: small against the tolerance, which is meant for Newton's
 * residual, but not below the accuracy of the product A v. */
static bool is_clean(const reduced *q, const sup_solve_options *options,
                     const sup_solve_report *report) {
  return is_solved(options, report) &&
         (report->momentum_error <= sup_solve_numerics.clean * options->tolerance ||
          report->momentum_residual <= 2 * q->newton_residual || is_round_off(q, report));
}

static sup_status is_round_off_of_sums(const reduced *q, sup_arena *arena,
                                       const sup_solve_report *report, bool *is) {
  double *vc, *size;
  SUP_TRY(SUP_ARENA(arena, vc, q->whole->num_vc));
  SUP_TRY(SUP_ARENA(arena, size, q->whole->A_pattern->num_scalars));
  sup_problem_constraint_velocity(q->whole, q->solution->v, 1, vc);
  *is = sup_is_round_off(
      report->momentum_residual, report->momentum_error,
      sup_residual_round_off(q->whole, q->solution->law, q->solution->v, vc, q->inv_sqrt_d, size));
  return SUP_OK;
}

/** Iterative refinement.  The first solution of the leading part has the round-off of stiffness
 * times velocity, which may exceed the tolerance times the momentum: solve again for the residual.
 */
static sup_status refine(reduced *q, const sup_solve_options *options, sup_arena *arena,
                         sup_solve_report *report) {
  const int         most = q->c->is_older ? 2 * (int)sup_solve_numerics.kept_refinements
                                          : sup_strategy_cap(SUP_STRATEGY_REFINEMENT);
  sup_solve_options once = *options;
  sup_reason        first = report->reason;
  once.sweeps = 1; /* friction bounds keep their normal impulses */
  for (q->refinements = 0; !is_clean(q, options, report); q->refinements++) {
    if (q->refinements == most) {
      if (!q->c->is_older) report->at_cap |= 1u << SUP_STRATEGY_REFINEMENT;
      break;
    }
    sup_solve_report before = *report;
    find_lack(q);
    SUP_TRY(sup_linear_solver_forward(q->c->leading, q->b));
    SUP_TRY(improve(q, &once, arena, report));
    report->reason = SUP_REASON_TOLERANCE;
    sup_solve_report_add(report, &before);
    certify(q, report);
    if (!(report->momentum_residual < 0.5 * before.momentum_residual)) break;
  }
  if (is_solved(options, report)) {
    if (report->reason == SUP_REASON_ROUND_OFF) report->reason = SUP_REASON_TOLERANCE;
    return SUP_OK;
  }
  bool is_sum = 0; /* 1: within the round-off of the residual's sums */
  SUP_TRY(is_round_off_of_sums(q, arena, report, &is_sum));
  if (is_sum)
    report->reason = SUP_REASON_ROUND_OFF;
  else if (first == SUP_REASON_STALL || first == SUP_REASON_ROUND_OFF || is_round_off(q, report))
    report->reason = SUP_REASON_STALL;
  else
    report->reason = SUP_REASON_MAX_ITERATIONS;
  return SUP_OK;
}

static sup_status factor(sup_reduction *c, const double *A, double *b) {
  sup_status status = sup_linear_solver_eliminate(c->leading, A, &c->S_pattern, c->S, b);
  c->has_S = status == SUP_OK, c->stamp = 0, c->is_older = c->is_rough = false;
  return status;
}

/** Factor A, and keep it for the steps to come. */
static sup_status factor_own(reduced *q) {
  sup_reduction *c = q->c;
  SUP_TRY(factor(c, q->whole->A, q->b));
  if (!q->kept) return SUP_OK;
  SUP_TRY(sup_kept_matrix_set(q->kept, c->touched, c->A_pattern->num_blocks, q->whole->A,
                              sup_block_pattern_num_values(c->A_pattern)));
  c->stamp = q->kept->stamp;
  return SUP_OK;
}

/** Compute S and b as sup_linear_solver_forward does; for the A of the previous solution S exists
 * already, for a kept one unless other states were solved between. */
static sup_status eliminate(reduced *q, bool is_same) {
  sup_reduction *c = q->c;
  if (is_same && c->has_S) return sup_linear_solver_forward(c->leading, q->b);
  int n = c->A_pattern->num_blocks;
  if (!q->kept || !sup_kept_matrix_serves(q->kept, c->touched, n)) return factor_own(q);
  if (!c->has_S || c->stamp != q->kept->stamp) SUP_TRY(factor(c, q->kept->value + n, NULL));
  c->stamp = q->kept->stamp, c->is_older = true;
  return sup_linear_solver_forward(c->leading, q->b);
}

/** Solve from solution->v. */
static sup_status solve_from(reduced *q, const sup_solve_options *options, sup_arena *arena,
                             sup_solve_report *report) {
  sup_reduction *c = q->c;
  sup_block_multiply(q->whole->A_pattern, q->whole->A, q->solution->v, q->Av);
  find_lack(q);
  sup_status status = eliminate(q, options->is_same);
  if (status == SUP_E_NOT_SPD) {
    *report = (sup_solve_report){.sweeps = 1};
    refuse(q, sup_linear_solver_failed_block(c->leading), report);
    return SUP_OK;
  }
  SUP_TRY(status);
  measure_round_off(q);
  SUP_TRY(improve(q, options, arena, report));
  sup_reason reason = report->reason;
  int        block = report->worst_block;
  certify(q, report);
  if (reason < 0 && block != SUP_NONE) report->worst_block = block_that_is_left(c, block);
  if (!isfinite(report->momentum_error))
    report->reason = reason < 0 ? reason : SUP_REASON_NONFINITE;
  if (report->reason > 0 && !(options->is_rough && c->is_older))
    SUP_TRY(refine(q, options, arena, report));
  return SUP_OK;
}

/** Refinement solves the remaining problem anew, which must cost little beside the elimination. */
static bool is_worth_keeping(const sup_reduction *c) {
  sup_linear_info info = sup_linear_solver_info(c->leading);
  return info.flops > sup_solve_numerics.kept_flops * info.trailing_flops;
}

/** Solve by the factor of an older matrix, if that serves; by that of A, if this fails. */
static sup_status solve_kept(reduced *q, const sup_solve_options *options, sup_arena *arena,
                             sup_solve_report *report) {
  sup_kept_matrix  *kept = options->kept;
  sup_solve_options anew = *options;
  size_t            n = (size_t)q->c->A_pattern->num_scalars;
  size_t            m = q->solution->law ? (size_t)q->whole->num_constraints : 0;
  double           *v;
  sup_law          *law;
  SUP_TRY(SUP_ARENA(arena, v, n));
  SUP_TRY(SUP_ARENA(arena, law, m));
  memcpy(v, q->solution->v, n * sizeof *v);
  if (m) memcpy(law, q->solution->law, m * sizeof *law);
  if (!options->is_same) q->c->is_rough = false;
  if (!is_worth_keeping(q->c))
    kept->is_stale = 1;
  else if (kept->wait > 0 && !options->is_same)
    kept->wait--;
  else
    q->kept = kept;
  SUP_TRY(solve_from(q, options, arena, report));
  if (!q->c->is_older) return SUP_OK;
  bool failed = report->reason < 0 || !is_clean(q, options, report);
  bool is_due = !options->is_same || q->c->is_rough;
  int  solutions = q->refinements + q->c->is_rough;
  q->c->is_rough = options->is_rough && failed && report->reason > 0;
  if (q->c->is_rough) return SUP_OK;
  if (failed || is_due) sup_kept_matrix_judge(kept, failed, solutions);
  if (!failed) return SUP_OK;
  sup_solve_report before = *report;
  memcpy(q->solution->v, v, n * sizeof *v);
  if (m) memcpy(q->solution->law, law, m * sizeof *law);
  q->kept = NULL, anew.is_same = false, q->round_off = 0, q->round_off_block = SUP_NONE;
  SUP_TRY(solve_from(q, &anew, arena, report));
  sup_solve_report_add(report, &before);
  return SUP_OK;
}

static sup_status solve_reduced(reduced *q, const sup_solve_options *options, sup_arena *arena,
                                sup_solve_report *report) {
  sup_reduction *c = q->c;
  SUP_TRY(allocate_whole(q, arena));
  SUP_TRY(allocate_left(q, arena));
  int bad = sup_momentum_scaling(q->whole, q->inv_sqrt_d);
  if (bad != SUP_NONE) {
    *report = (sup_solve_report){.reason = SUP_REASON_NOT_SPD, .worst_block = bad, .sweeps = 1};
    return SUP_OK;
  }
  sup_reduction_gather(c, q->inv_sqrt_d, q->inv_sqrt_d_t);
  q->eliminated.inv_sqrt_d = q->inv_sqrt_d_t;
  q->eliminated.momentum = q->momentum;
  q->problem.A = c->S;
  q->problem.p = q->p_t;
  q->problem.eliminated = &q->eliminated;
  return options->kept ? solve_kept(q, options, arena, report)
                       : solve_from(q, options, arena, report);
}

/** All block columns have constraints, in several islands. */
static sup_status solve_apart(reduced *q, const sup_solve_options *options, sup_arena *arena,
                              sup_solve_report *report) {
  SUP_TRY(allocate_whole(q, arena));
  *report =
      (sup_solve_report){.reason = SUP_REASON_NOT_SPD, .round_off_block = SUP_NONE, .sweeps = 1};
  report->worst_block = sup_momentum_scaling(q->whole, q->inv_sqrt_d);
  if (report->worst_block != SUP_NONE) return SUP_OK;
  SUP_TRY(solve_left(q, options, arena, q->solution->v, report));
  int block = report->worst_block;
  q->round_off = report->round_off, q->round_off_block = report->round_off_block;
  certify(q, report);
  if (report->reason < 0 && block != SUP_NONE) report->worst_block = block;
  if (!isfinite(report->momentum_error) && report->reason > 0)
    report->reason = SUP_REASON_NONFINITE;
  return SUP_OK;
}

sup_status sup_reduction_solve(sup_reduction *c, const sup_problem *problem,
                               const sup_solve_options *options, sup_arena *arena,
                               sup_solution *solution, sup_solve_report *report) {
  reduced q = {.c = c, .whole = problem, .round_off_block = SUP_NONE, .solution = solution};
  SUP_TRY(sup_reduction_renumber(c, problem, arena, &q.problem));
  if (c->is_reduced)
    SUP_TRY(solve_reduced(&q, options, arena, report));
  else if (c->num_islands > 1)
    SUP_TRY(solve_apart(&q, options, arena, report));
  else
    SUP_TRY(solve_left(&q, options, arena, solution->v, report));
  return SUP_OK;
}
