/* Friction coupled to the normal impulse of the solution: the cascade of THEORY 16.4. Parts A and B
 * are Newton's method with the coupling (newton_coupled.c), with Gauss-Seidel visits between them
 * where possible (newton_visits.c).  Part C are sweeps g += th (T(g) - g) with adaptive relaxation,
 * where T(g) are the normal impulses of the convex problem with friction bounds from g.  A and B
 * start from the velocities, C from the impulses of the step's start.  A solution with a negative
 * determinant of H is never unique (16.3): then C searches for the solution on the side of the
 * step's start. */
#include <math.h>
#include <string.h>

#include "la/vector.h"
#include "solve/newton/newton.h"
#include "solve/newton/numerics.h"

enum { FIRST = 30 }; /* iterations of A */

typedef struct cascade {
  sup_newton  *s;
  sup_coupling coupling;
  double      *start;         /* [n] velocities */
  double      *found, *kept;  /* [n] solution of Newton's method; velocities of a sweep */
  double      *bound;         /* [num_constraints] g */
  double      *change, *last; /* [num_constraints] T(g) - g of this sweep and the one before */
} cascade;

static sup_status create(cascade *c, sup_newton *s) {
  double **scalar[] = {&c->start, &c->found, &c->kept};
  double **row[] = {&c->bound, &c->change, &c->last};
  *c = (cascade){.s = s};
  int num_change = sup_linear_solver_can_add(s->H.factor) ? 1 : SUP_COUPLING_MOST;
  SUP_TRY(sup_coupling_create(&c->coupling, s->problem, s->H.factor, num_change, s->arena));
  for (size_t i = 0; i < sizeof scalar / sizeof *scalar; i++)
    SUP_TRY(SUP_ARENA(s->arena, *scalar[i], s->n));
  for (size_t i = 0; i < sizeof row / sizeof *row; i++)
    SUP_TRY(SUP_ARENA(s->arena, *row[i], s->problem->num_constraints));
  memcpy(c->start, s->x.v, (size_t)s->n * sizeof *c->start);
  return SUP_OK;
}

/** Set s->x.v := v and the quantities linear in v. */
static void set_velocities(sup_newton *s, const double *v) {
  memcpy(s->x.v, v, (size_t)s->n * sizeof *v);
  sup_problem_multiply(s->problem, s->x.v, s->x.Av);
  sup_problem_constraint_velocity(s->problem, s->x.v, 1, s->x.vc);
}

static void set_bounds(const cascade *c) {
  for (int i = 0; i < c->s->problem->num_constraints; i++)
    if (sup_law_is_coupled(&c->s->x.law[i]))
      sup_law_set_lagged_impulse(&c->s->x.law[i], c->bound[i]);
}

/** change := T(g) - g from the present impulses. */
static void measure_change(const cascade *c) {
  const sup_newton *s = c->s;
  for (int i = 0; i < s->problem->num_constraints; i++)
    c->change[i] = sup_law_is_coupled(&s->x.law[i])
                       ? s->x.gamma[s->problem->constraint[i].first_vc + 2] - c->bound[i]
                       : 0;
}

/** Relaxation of the next sweep: doubled while the change keeps its direction; after a reversal 1,
 * then halved. */
static double next_relaxation(const cascade *c, double relaxation) {
  int    n = c->s->problem->num_constraints;
  double size = sup_norm(c->change, n) * sup_norm(c->last, n), cosine;
  if (!(size > 0)) return relaxation;
  cosine = sup_dot(c->change, c->last, n) / size;
  if (cosine > sup_newton_numerics.straight)
    return fmin(sup_newton_numerics.relaxation_most, 2 * relaxation);
  if (cosine < 0)
    return relaxation > 1 ? 1 : fmax(sup_newton_numerics.relaxation_least, 0.5 * relaxation);
  return relaxation;
}

/** 1: the iteration can continue after this outcome. */
static bool can_continue(const sup_solve_report *report) {
  return report->reason != SUP_REASON_NOT_SPD && report->reason != SUP_REASON_NONFINITE;
}

/** Solve one convex problem, to a tolerance a little below that of the options. */
static sup_status sweep(cascade *c, sup_solve_report *report) {
  sup_newton *s = c->s;
  double      tolerance = s->tolerance;
  set_bounds(c);
  sup_newton_evaluate(s, report);
  s->tolerance = sup_newton_numerics.sweep * tolerance;
  sup_status status = sup_newton_minimise_stiff(s, report);
  s->tolerance = tolerance;
  report->sweeps++;
  return status;
}

/** Part C, from the present iterate.  reason 0: not converged, s has the last sweep's solution. */
static sup_status relax(cascade *c, sup_solve_report *report) {
  enum { TRY_EVERY = 4, TRY_WHOLE = 15 };
  const int   most = sup_strategy_cap(SUP_STRATEGY_RELAXATION);
  sup_newton *s = c->s;
  int         n = s->problem->num_constraints;
  double      relaxation = 0.5;
  s->strategy = SUP_STRATEGY_RELAXATION;
  for (int i = 0; i < n; i++)
    c->bound[i] = sup_law_has_bound(&s->x.law[i]) ? s->problem->constraint[i].law.coulomb.gn0 : 0;
  memset(c->last, 0, (size_t)n * sizeof *c->last);
  for (int k = 0;; k++) {
    SUP_TRY(sweep(c, report));
    if (!can_continue(report)) return SUP_OK;
    if (report->reason == SUP_REASON_MAX_ITERATIONS)
      break; /* the start of the next one has an error as large */
    measure_change(c);
    sup_newton_evaluate_coupled(s, report);
    report->reason = sup_newton_converged(s, report);
    if (report->reason > 0) return SUP_OK;
    if (k + 1 == most) break;
    relaxation = next_relaxation(c, relaxation);
    memcpy(c->last, c->change, (size_t)n * sizeof *c->last);
    if (k % TRY_EVERY == TRY_EVERY - 1) {
      memcpy(c->kept, s->x.v, (size_t)s->n * sizeof *c->kept);
      SUP_TRY(sup_newton_minimise_coupled(s, &c->coupling, TRY_WHOLE, TRY_WHOLE, 0, report));
      if (report->reason > 0 || report->reason == SUP_REASON_NOT_SPD) return SUP_OK;
      set_velocities(s, c->kept);
    }
    for (int i = 0; i < n; i++) c->bound[i] = fmax(0, c->bound[i] + relaxation * c->change[i]);
  }
  report->at_cap |= 1u << SUP_STRATEGY_RELAXATION;
  set_bounds(c); /* the last sweep's */
  sup_newton_evaluate(s, report);
  report->reason = (sup_reason)0;
  return SUP_OK;
}

/** 1: the line search failed with a momentum error close to the tolerance or round-off. */
static bool is_nearly_solved(const sup_newton *s, const sup_solve_report *report) {
  return report->reason == SUP_REASON_LINE_SEARCH &&
         report->momentum_error <=
             fmin(sup_newton_numerics.nearly_rough * s->tolerance, sup_newton_numerics.nearly_most);
}

/** Iterations without a halved residual before visits.  With few contacts a batch of visits takes
 * the time of three iterations, with the many of pressure fields that of ten and more. */
static int patience_of(const sup_newton *s) {
  enum { FEW = 2, IMPATIENT = 1, PATIENT = 3 }; /* components of contacts per unknown */
  if (!sup_newton_can_visit(s)) return 0;
  return s->problem->num_vc <= FEW * s->n ? IMPATIENT : PATIENT;
}

/** Parts A, visits and B.  reason 0: not converged. */
static sup_status iterate(cascade *c, sup_solve_report *report) {
  sup_newton *s = c->s;
  const int   allowed = s->options->max_iterations, cap = sup_strategy_cap(SUP_STRATEGY_COUPLING);
  const int   most[2] = {FIRST < allowed ? FIRST : allowed, cap < allowed ? cap : allowed};
  s->strategy = SUP_STRATEGY_COUPLING;
  const int patience = patience_of(s);
  for (int part = 0; part < 2; part++) {
    if (part > 0) set_velocities(s, c->start);
    SUP_TRY(sup_newton_minimise_coupled(s, &c->coupling, part ? 0 : FIRST, most[part],
                                        part == 0 ? patience : 0, report));
    if (report->reason > 0 || report->reason == SUP_REASON_NOT_SPD || is_nearly_solved(s, report))
      return SUP_OK;
    if (part > 0 || patience == 0 || report->iterations >= allowed) continue;
    SUP_TRY(sup_newton_solve_by_visits(s, &c->coupling, report));
    if (report->reason > 0) return SUP_OK;
  }
  if (report->reason == SUP_REASON_MAX_ITERATIONS) report->at_cap |= 1u << SUP_STRATEGY_COUPLING;
  report->reason = (sup_reason)0;
  return SUP_OK;
}

/** *is := 1: det H < 0 at the solution.  Computed only if the Hessenberg matrix of the last GMRES
 * solve has a negative determinant. */
static sup_status is_ambiguous(cascade *c, sup_solve_report *report, int *is) {
  sup_newton *s = c->s;
  bool        spd;
  int         sign;
  *is = 0;
  if (!c->coupling.is_negative) return SUP_OK;
  sup_newton_start_slip(s);
  SUP_TRY(sup_newton_factor_and_solve(s, report, &spd));
  if (!spd) return SUP_OK;
  sup_coupling_linearise(&c->coupling, s->x.law, s->x.vc, s->x.gamma, s->x.G);
  SUP_TRY(sup_coupling_sign(&c->coupling, s->arena, &sign, &report->ambiguous_constraint));
  *is = sign < 0;
  return SUP_OK;
}

/** Replace an ambiguous solution by the one on the side of the step's start. */
static sup_status choose_side(cascade *c, sup_solve_report *report) {
  sup_newton *s = c->s;
  int         is;
  sup_reason  reason = report->reason;
  SUP_TRY(is_ambiguous(c, report, &is));
  if (!is) return SUP_OK;
  report->ambiguous = 1;
  memcpy(c->found, s->x.v, (size_t)s->n * sizeof *c->found);
  set_velocities(s, c->start);
  SUP_TRY(relax(c, report));
  if (report->reason > 0) return SUP_OK;
  set_velocities(s, c->found);
  sup_newton_evaluate_coupled(s, report);
  report->reason = reason;
  return SUP_OK;
}

/** Part A, started from a solution to a larger tolerance.  If A fails, this solution is kept, since
 * B and C would start from the same velocities. */
static sup_status polish(cascade *c, sup_solve_report *report) {
  sup_newton *s = c->s;
  sup_newton_evaluate(s, report);
  double norm = s->x.norm;
  s->strategy = SUP_STRATEGY_COUPLING;
  SUP_TRY(sup_newton_minimise_coupled(s, &c->coupling, FIRST, FIRST, 0, report));
  if (report->reason > 0 || s->x.norm < norm) return SUP_OK;
  set_velocities(s, c->start);
  sup_newton_evaluate_coupled(s, report);
  return SUP_OK;
}

sup_status sup_newton_solve_coupled(sup_newton *s, sup_solve_report *report) {
  cascade c;
  SUP_TRY(create(&c, s));
  if (s->options->is_polish) {
    SUP_TRY(polish(&c, report));
    return SUP_OK;
  }
  SUP_TRY(iterate(&c, report));
  if (report->reason > 0) SUP_TRY(choose_side(&c, report));
  if (report->reason) return SUP_OK;
  set_velocities(s, c.start);
  SUP_TRY(relax(&c, report));
  if (report->reason) return SUP_OK;
  SUP_TRY(sup_newton_minimise_stiff(s, report)); /* with the friction of the last sweep */
  return SUP_OK;
}
