/* Newton's method on the convex problem, and the strategies around it: a start inside the domains
 * of barriers, continuation from softer springs for near-rigid contact, friction bounded by the
 * present normal impulse (THEORY 15.4: sweeps; THEORY 16: coupled). */
#include <math.h>
#include <string.h>

#include "la/supernodal/elimination.h"
#include "solve/newton/coupling.h"
#include "solve/newton/newton.h"
#include "solve/newton/numerics.h"

/* ---- a start inside the domain of barriers --------------------------------------------------- */

static bool is_inside(const sup_newton *s, const sup_law *law) {
  for (int i = 0; i < s->problem->num_constraints; i++)
    if (!(sup_law_domain_distance(&law[i], s->x.vc + s->problem->constraint[i].first_vc) > 0))
      return 0;
  return 1;
}

/** Inverse mass of the present normal velocity, J_n diag(A)^-1 J_n^T. */
static double inverse_mass(const sup_newton *s, const sup_constraint *c) {
  const sup_block_pattern *P = s->problem->A_pattern;
  double                   w = 0;
  for (int k = 0; k < c->num_blocks; k++) {
    const sup_jacobian_block *b = &s->problem->jacobian[c->first_block + k];
    int                       first = sup_block_first(P, b->block), n = sup_block_size(P, b->block);
    const double             *J = s->problem->jacobian_value + b->value + (size_t)(2 * n);
    for (int j = 0; j < n; j++)
      w += J[j] * J[j] * s->inv_sqrt_d[first + j] * s->inv_sqrt_d[first + j];
  }
  return w;
}

/** copy := laws in force, for later restoration. */
static sup_status copy_laws(const sup_newton *s, sup_law **copy) {
  SUP_TRY(SUP_ARENA(s->arena, *copy, s->problem->num_constraints));
  memcpy(*copy, s->x.law, (size_t)s->problem->num_constraints * sizeof **copy);
  return SUP_OK;
}

/** Find a start inside the domain of barriers: the warm start may close a gap that a barrier keeps
 * open.  The step is solved with springs instead of barriers, stiffer from round to round, until
 * the solution is inside.  Problems with springs are strictly convex and defined everywhere; the
 * last one is close to the problem with barriers. reason = 0 if v is inside. */
static sup_status enter_domain(sup_newton *s, sup_solve_report *report) {
  const int          most = sup_strategy_cap(SUP_STRATEGY_DOMAIN);
  const sup_problem *problem = s->problem;
  sup_law           *law;
  report->reason = (sup_reason)0;
  if (!s->has_barriers) return SUP_OK;
  SUP_TRY(copy_laws(s, &law));
  int    inside = is_inside(s, law);
  double factor = 10;
  s->strategy = SUP_STRATEGY_DOMAIN;
  for (int round = 0; !inside && round < most; round++, factor *= 100) {
    for (int i = 0; i < problem->num_constraints; i++) {
      if (!sup_law_is_barrier(&law[i])) continue;
      double w = inverse_mass(s, &problem->constraint[i]);
      s->x.law[i] = sup_law_relaxed_barrier(&law[i], w > 0 ? factor / w : 0);
    }
    sup_newton_evaluate(s, report);
    SUP_TRY(sup_newton_minimise(s, s->options->max_iterations, report));
    if (report->reason < 0) break;
    inside = is_inside(s, law);
  }
  memcpy(s->x.law, law, (size_t)problem->num_constraints * sizeof *law);
  s->strategy = SUP_NONE;
  if (!inside && report->reason >= 0) report->at_cap |= 1u << SUP_STRATEGY_DOMAIN;
  if (report->reason >= 0) report->reason = inside ? (sup_reason)0 : SUP_REASON_INFEASIBLE;
  return SUP_OK;
}

/* ---- near-rigid contact ---------------------------------------------------------------------- */

/** Limit the stiffness of linear laws to dt^2 k w = ratio; returns the number of softened laws. */
static int soften_laws(sup_newton *s, const sup_law *law, double ratio) {
  int count = 0;
  for (int i = 0; i < s->problem->num_constraints; i++) {
    s->x.law[i] = law[i];
    if (sup_law_table(law[i].kind)->form != SUP_FORM_COULOMB) continue;
    sup_normal *normal = &s->x.law[i].coulomb.normal;
    double      share =
        ratio / (normal->dt * normal->dt * normal->k * inverse_mass(s, &s->problem->constraint[i]));
    if (!(share < 1)) continue;
    normal->k *= share, normal->f0 *= share;
    count++;
  }
  return count;
}

/** Continuation in stiffness.  The cost of stiff springs with friction coupled to them has a curved
 * valley, in which a line search takes small steps only.  A problem not solved in PATIENCE
 * iterations is first solved roughly with softer springs, ten times stiffer from round to round.
 * Successive solutions differ little, and each is inside the valley of the next problem. */
sup_status sup_newton_minimise_stiff(sup_newton *s, sup_solve_report *report) {
  enum { PATIENCE = 25 };
  const sup_problem *problem = s->problem;
  sup_law           *law;
  int                start = report->iterations, most = s->options->max_iterations;
  int                strategy = s->strategy;
  double             wanted = s->tolerance;
  SUP_TRY(sup_newton_minimise(s, most < PATIENCE ? most : PATIENCE, report));
  if (report->reason != SUP_REASON_MAX_ITERATIONS || most <= PATIENCE) return SUP_OK;
  SUP_TRY(copy_laws(s, &law));
  s->tolerance = fmax(sup_newton_numerics.rough, wanted);
  double ratio = 10;
  s->strategy = SUP_STRATEGY_CONTINUATION;
  for (int round = 0; soften_laws(s, law, ratio) > 0; ratio *= 10) {
    if (round++ == sup_strategy_cap(SUP_STRATEGY_CONTINUATION)) {
      report->at_cap |= 1u << SUP_STRATEGY_CONTINUATION;
      break;
    }
    sup_newton_evaluate(s, report);
    SUP_TRY(sup_newton_minimise(s, PATIENCE, report));
    if (report->reason < 0 && report->reason != SUP_REASON_MAX_ITERATIONS) break;
  }
  memcpy(s->x.law, law, (size_t)problem->num_constraints * sizeof *law);
  s->tolerance = wanted, s->strategy = strategy;
  sup_newton_evaluate(s, report);
  SUP_TRY(sup_newton_minimise(s, most - (report->iterations - start), report));
  return SUP_OK;
}

/** gn0 := gamma_n of every law with a bound; returns the largest change relative to the largest
 * gn0. */
static double update_lagged_impulses(sup_newton *s) {
  double change = 0, size = 0;
  for (int i = 0; i < s->problem->num_constraints; i++) {
    if (!sup_law_has_bound(&s->x.law[i])) continue;
    double gn = s->x.gamma[s->problem->constraint[i].first_vc + 2], gn0 = s->x.law[i].coulomb.gn0;
    change = fmax(change, fabs(gn - gn0));
    size = fmax(size, fmax(gn, gn0));
    sup_law_set_lagged_impulse(&s->x.law[i], gn);
  }
  return size > 0 ? change / size : 0;
}

/** Digits lost in the last factor.  The reference diagonal is that of H, or of A for columns
 * eliminated before. */
static void measure_round_off(sup_newton *s, sup_solve_report *report) {
  const sup_block_pattern *P = s->problem->H_pattern;
  double                  *pivot = s->d.v, *diagonal = s->d.Av;
  if (!s->H.is_factored || !sup_linear_solver_pivots(s->H.factor, pivot)) return;
  for (int b = 0; b < P->num_blocks; b++) {
    const double *H = s->H.value + sup_block_diagonal(P, b);
    for (int first = sup_block_first(P, b), n = sup_block_size(P, b), i = 0; i < n; i++) {
      double root = s->inv_sqrt_d[first + i];
      diagonal[first + i] = fmax(H[i * n + i], 1 / (root * root));
    }
  }
  report->round_off = sup_round_off(P, NULL, diagonal, pivot, &report->round_off_block);
}

sup_status sup_newton_solve_laws(sup_newton *s, sup_solve_report *report) {
  if (sup_coupling_is_needed(s->problem, s->x.law)) return sup_newton_solve_coupled(s, report);
  sup_newton_evaluate(s, report);
  return sup_newton_minimise_stiff(s, report);
}

static sup_status sweep(sup_newton *s, sup_solve_report *report) {
  const sup_solve_options *options = s->options;
  for (;; report->sweeps++) {
    SUP_TRY(sup_newton_solve_laws(s, report));
    if (report->reason < 0 || options->sweeps <= 1) return SUP_OK;
    /* The last sweep leaves gn0 as friction used it. */
    if (report->sweeps == options->sweeps) {
      report->at_cap |= 1u << SUP_STRATEGY_SWEEPS;
      return SUP_OK;
    }
    report->sweep_change = update_lagged_impulses(s);
    if (report->sweep_change <= options->sweep_tolerance) return SUP_OK;
    s->strategy = SUP_STRATEGY_SWEEPS;
  }
}

static int accepts(sup_law_kind law) { return law < SUP_NUM_LAWS; }

static sup_status solve(const sup_problem *problem, sup_linear_solver *linear,
                        const sup_solve_options *options, sup_arena *arena, sup_solution *solution,
                        sup_solve_report *report) {
  sup_newton s;
  SUP_TRY(sup_newton_create(&s, problem, linear, options, arena, solution, report));
  if (report->reason < 0) return SUP_OK;
  SUP_TRY(enter_domain(&s, report));
  if (report->reason < 0) return SUP_OK;
  SUP_TRY(sweep(&s, report));
  measure_round_off(&s, report);
  return SUP_OK;
}

const sup_contact_solver_row sup_contact_solver_newton = {
    .name = "newton", .accepts = accepts, .models = ~0u, .takes_barriers = 1, .solve = solve};
