#include "study/optimize/optimizer.h"

#include <math.h>
#include <nlopt.h>
#include <string.h>

#include "base/memory.h"
#include "study/numerics.h"

typedef struct search {
  const sup_optimizer  *o;
  sup_optimizer_report *report;
  nlopt_opt             nlopt;
  sup_status            status;
  sup_optimizer_point   point; /* at `at` */
  bool                  is_taken, has_gradient;
  double               *at, *best, *from, *to; /* [n] */
  double                best_excess;
  double                worst_f, worst_c;
} search;

/* ---- values ---------------------------------------------------------------------------------- */

static bool is_better(const search *s, const sup_optimizer_point *p) {
  bool was = s->report->violation <= s->o->feasible, is = p->violation <= s->o->feasible;
  if (!p->is_there) return false;
  return was != is ? is : is ? p->f < s->report->f : p->violation < s->report->violation;
}

static void keep_best(search *s) {
  if (!is_better(s, &s->point)) return;
  memcpy(s->best, s->at, sizeof(double) * (size_t)s->o->n);
  s->report->f = s->point.f, s->report->violation = s->point.violation;
  s->best_excess = s->point.excess;
}

/** A method of values alone makes planes through them: what has none is as bad as the worst and
 * more.  The others shorten their steps at infinity. */
static void fill_absent(search *s) {
  bool is_finite = s->o->method == SUP_OPTIMIZER_COBYLA;
  s->point.f = is_finite ? s->worst_f + 1 : HUGE_VAL;
  for (int i = 0; i < s->o->m; i++) s->point.c[i] = is_finite ? s->worst_c + 1 : HUGE_VAL;
  s->point.violation = HUGE_VAL;
}

static void measure(search *s) {
  s->point.excess = -HUGE_VAL;
  for (int i = 0; i < s->o->m; i++) s->point.excess = fmax(s->point.excess, s->point.c[i]);
  s->point.violation = fmax(s->point.excess, 0);
  s->worst_f = fmax(s->worst_f, s->point.f), s->worst_c = fmax(s->worst_c, s->point.violation);
}

static void take(search *s, const double *x, bool with_gradient) {
  size_t bytes = sizeof *x * (size_t)s->o->n;
  bool   is_same = s->is_taken && memcmp(x, s->at, bytes) == 0;
  if (s->status != SUP_OK || (is_same && (s->has_gradient || !with_gradient))) return;
  memcpy(s->at, x, bytes);
  s->point.is_there = false;
  s->status = s->o->evaluate(s->o->user, x, with_gradient, &s->point);
  if (s->status != SUP_OK) {
    nlopt_force_stop(s->nlopt);
    return;
  }
  s->report->evaluations += !is_same;
  s->is_taken = true, s->has_gradient = with_gradient;
  if (s->point.is_there)
    measure(s);
  else
    fill_absent(s);
  keep_best(s);
}

static double objective(unsigned n, const double *x, double *gradient, void *user) {
  search *s = user;
  take(s, x, gradient != NULL);
  if (gradient && s->point.is_there)
    memcpy(gradient, s->point.gradient, sizeof *gradient * (size_t)n);
  return s->status == SUP_OK ? s->point.f : HUGE_VAL;
}

static void constraints(unsigned m, double *c, unsigned n, const double *x, double *jacobian,
                        void *user) {
  search *s = user;
  take(s, x, jacobian != NULL);
  if (s->status != SUP_OK) return;
  memcpy(c, s->point.c, sizeof *c * (size_t)m);
  if (jacobian && s->point.is_there)
    memcpy(jacobian, s->point.jacobian, sizeof *c * (size_t)(m * n));
}

/* ---- rounds ---------------------------------------------------------------------------------- */

static nlopt_algorithm algorithm(sup_optimizer_method method) {
  return method == SUP_OPTIMIZER_MMA      ? NLOPT_LD_MMA
         : method == SUP_OPTIMIZER_COBYLA ? NLOPT_LN_COBYLA
                                          : NLOPT_LD_SLSQP;
}

static sup_status begin_round(search *s) {
  const sup_optimizer *o = s->o;
  int                  left = o->evaluations - s->report->evaluations;
  nlopt_opt            opt = nlopt_create(algorithm(o->method), (unsigned)o->n);
  if (!opt) return SUP_FAIL(SUP_E_MEMORY, "no memory for a search by NLopt");
  s->nlopt = opt;
  bool good = nlopt_set_min_objective(opt, objective, s) > 0 &&
              nlopt_set_lower_bounds(opt, o->low) > 0 && nlopt_set_upper_bounds(opt, o->high) > 0 &&
              nlopt_set_ftol_rel(opt, o->tolerance) > 0 &&
              nlopt_set_xtol_abs1(opt, o->tolerance) > 0 &&
              nlopt_set_maxeval(opt, left > 1 ? left : 1) > 0 &&
              nlopt_set_initial_step1(opt, sup_study_numerics.first_step) > 0;
  if (o->m > 0)
    good = good && nlopt_add_inequality_mconstraint(opt, (unsigned)o->m, constraints, s, NULL) > 0;
  return good ? SUP_OK : SUP_FAIL(SUP_E_MEMORY, "NLopt refuses its settings");
}

/** One search by NLopt from x.
 *  @return its result */
static nlopt_result run_round(search *s, double *x) {
  double       f;
  nlopt_result result = NLOPT_FAILURE;
  sup_status   status = begin_round(s);
  if (status == SUP_OK)
    result = nlopt_optimize(s->nlopt, x, &f);
  else
    s->status = status;
  nlopt_destroy(s->nlopt);
  s->nlopt = NULL;
  return result;
}

static sup_optimizer_end end_of(nlopt_result result) {
  return result == NLOPT_MAXEVAL_REACHED ? SUP_OPTIMIZER_EXHAUSTED
         : result > 0                    ? SUP_OPTIMIZER_CONVERGED
                                         : SUP_OPTIMIZER_NO_DESCENT;
}

/** true: the round made the best point better by more than the tolerance. */
static bool has_gained(const search *s, const sup_optimizer_report *before) {
  double feasible = s->o->feasible, scale = fabs(s->report->f);
  if (!(before->violation <= feasible))
    return s->report->violation < (1 - s->o->tolerance) * before->violation;
  return s->report->f < before->f - s->o->tolerance * scale;
}

/** The last point is better than the best but for a small violation, as where a steep constraint is
 * met last. */
static bool is_nearly_feasible(const search *s) {
  const sup_optimizer_point *p = &s->point;
  double                     gain = s->report->f - p->f;
  return s->o->m > 0 && p->is_there && s->report->violation <= s->o->feasible &&
         p->violation > s->o->feasible && p->violation <= sup_study_numerics.nearly_feasible &&
         gain > s->o->tolerance * fabs(s->report->f);
}

/** Feasible points on the way from the best to the last point, by false position in the largest
 * constraint, until what they could still gain is within the tolerance. */
static void restore(search *s, double *x) {
  const sup_optimizer *o = s->o;
  double               gain = s->report->f - s->point.f, inside = s->best_excess, t[2] = {0, 1},
         outside = s->point.violation;
  memcpy(s->from, s->best, sizeof *x * (size_t)o->n);
  memcpy(s->to, s->at, sizeof *x * (size_t)o->n);
  while (s->status == SUP_OK && (t[1] - t[0]) * gain > o->tolerance * fabs(s->report->f) &&
         s->report->evaluations < o->evaluations) {
    double share = fmin(fmax(inside / (inside - outside), 0.1), 0.9),
           middle = t[0] + share * (t[1] - t[0]);
    for (int i = 0; i < o->n; i++) x[i] = s->from[i] + middle * (s->to[i] - s->from[i]);
    take(s, x, false);
    if (!s->point.is_there) return;
    bool is_inside = s->point.violation <= o->feasible;
    *(is_inside ? &inside : &outside) = s->point.excess;
    t[is_inside ? 0 : 1] = middle;
  }
}

static void run_rounds(search *s, double *x) {
  const sup_optimizer *o = s->o;
  take(s, x, o->method != SUP_OPTIMIZER_COBYLA);
  if (s->status == SUP_OK && !s->point.is_there) return;
  for (bool goes_on = true; goes_on && s->status == SUP_OK;) {
    sup_optimizer_report before = *s->report;
    s->report->end = end_of(run_round(s, x));
    s->report->rounds++;
    if (is_nearly_feasible(s)) restore(s, x);
    memcpy(x, s->best, sizeof *x * (size_t)o->n);
    goes_on = has_gained(s, &before) && s->report->evaluations < o->evaluations;
  }
  if (s->report->evaluations >= o->evaluations) s->report->end = SUP_OPTIMIZER_EXHAUSTED;
}

static sup_status allocate(search *s) {
  int n = s->o->n, m = s->o->m;
  SUP_TRY(SUP_CALLOC(s->at, n));
  SUP_TRY(SUP_CALLOC(s->best, n));
  SUP_TRY(SUP_CALLOC(s->from, n));
  SUP_TRY(SUP_CALLOC(s->to, n));
  SUP_TRY(SUP_CALLOC(s->point.c, m + 1));
  SUP_TRY(SUP_CALLOC(s->point.gradient, n));
  SUP_TRY(SUP_CALLOC(s->point.jacobian, m * n + 1));
  return SUP_OK;
}

sup_status sup_optimizer_run(const sup_optimizer *o, double *x, sup_optimizer_report *report) {
  search s = {.o = o, .report = report, .worst_f = -HUGE_VAL};
  *report =
      (sup_optimizer_report){.end = SUP_OPTIMIZER_NOWHERE, .f = HUGE_VAL, .violation = HUGE_VAL};
  s.status = allocate(&s);
  if (s.status == SUP_OK) run_rounds(&s, x);
  SUP_FREE_ALL(&s.at, &s.best, &s.from, &s.to, &s.point.c, &s.point.gradient, &s.point.jacobian);
  return s.status;
}
