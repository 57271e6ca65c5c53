/* Staggered projections (P4; THEORY 8): normal impulses with fixed friction, then friction with
 * the bounds of these normal impulses, in turns; each problem is convex and solved exactly.  The
 * turns are not proven to converge.  ncp_staggered has the disc, lcp_staggered the square.
 *
 *  With constant contact modes the turns are iterations of a linear system, which Anderson
 * acceleration solves in a few. */
#include <math.h>
#include <string.h>

#include "solve/dual/dual_convex.h"
#include "solve/dual/numerics.h"
#include "solve/newton/anderson.h"

enum { MEMORY = 5 /* number of combined turns */ };

typedef struct staggered {
  sup_dual_convex convex;
  sup_anderson    anderson;
  double         *scale, *before,
      *after;   /* [num_vc] sqrt(w); impulses before and after a turn of both halves */
  double size;  /* change in the previous turn [sqrt(J)] */
  int    alike; /* number of consecutive turns with equal changes */
} staggered;

static sup_status create(staggered *q, sup_dual *d) {
  double **vc[] = {&q->scale, &q->before, &q->after};
  for (size_t k = 0; k < sizeof vc / sizeof *vc; k++)
    SUP_TRY(SUP_ARENA(d->arena, *vc[k], d->problem->num_vc));
  for (int i = 0; i < d->num_rows; i++)
    for (int r = 0; r < d->row[i].dimension; r++) q->scale[d->row[i].first + r] = sqrt(d->row[i].w);
  SUP_TRY(sup_dual_convex_create(&q->convex, d));
  SUP_TRY(sup_anderson_create(&q->anderson, d->problem->num_vc, MEMORY, q->scale, d->arena));
  return SUP_OK;
}

/** lambda of a contact on the bounds that its normal impulse sets. */
static void clamp(const sup_dual *d, const sup_dual_row *row, double *lambda) {
  if (row->cone == SUP_CONE_INTERVAL) {
    sup_dual_clamp(row, lambda);
    return;
  }
  lambda[2] = fmax(lambda[2], 0);
  double bound = row->mu * lambda[2];
  if (d->law != SUP_CONE_LAW_LCP) sup_disc_project(bound, lambda);
  for (int k = 0; k < 2; k++) lambda[k] = fmin(fmax(lambda[k], -bound), bound);
}

/** Next impulses by Anderson acceleration of the last turns.  Changes that grow from turn to turn
 * indicate other contact modes: the history is reset. */
static sup_status combine(sup_dual *d, staggered *q) {
  int    num = d->problem->num_vc;
  double size = 0;
  for (int k = 0; k < num; k++) {
    double step = q->scale[k] * (q->after[k] - q->before[k]);
    size += step * step;
  }
  q->alike = fabs(size - q->size) <= sup_dual_numerics.alike * q->size ? q->alike + 1 : 0;
  if (size > q->size) sup_anderson_reset(&q->anderson);
  q->size = size;
  if (!sup_anderson_next(&q->anderson, q->before, q->after, d->lambda)) return SUP_OK;
  for (int i = 0; i < d->num_rows; i++) clamp(d, &d->row[i], d->lambda + d->row[i].first);
  SUP_TRY(sup_dual_solve_velocity(d));
  return SUP_OK;
}

/** Reduce the proximal weight once if all turns are alike: an impulse changes by u/(eta w) a turn,
 * which is very little for a heavy body on a light one.  A smaller weight costs digits, hence only
 * once. */
static void let_go(staggered *q) {
  enum { ALIKE = 5 };
  double least = sup_dual_numerics.proximal_heavy;
  if (q->alike < ALIKE || q->convex.proximal == least) return;
  q->convex.proximal = least;
  sup_anderson_reset(&q->anderson);
}

static sup_status turn(sup_dual *d, void *user) {
  staggered *q = user;
  size_t     bytes = (size_t)d->problem->num_vc * sizeof(double);
  let_go(q);
  memcpy(q->before, d->lambda, bytes);
  SUP_TRY(sup_dual_convex_solve(&q->convex, d, SUP_DUAL_NORMAL));
  sup_dual_linearise(d);
  SUP_TRY(sup_dual_convex_solve(&q->convex, d, SUP_DUAL_FRICTION));
  memcpy(q->after, d->lambda, bytes);
  SUP_TRY(combine(d, q));
  return SUP_OK;
}

static sup_status solve(sup_cone_law law, const sup_problem *problem, sup_linear_solver *linear,
                        const sup_solve_options *options, sup_arena *arena, sup_solution *solution,
                        sup_solve_report *report) {
  static const sup_dual_method method = {.iterate = turn, .cap = 1000, .patience = 50};
  sup_dual                     d;
  staggered                    q = {.size = HUGE_VAL};
  SUP_TRY(sup_dual_create(&d, problem, linear, law, options, arena, solution, report));
  if (report->reason < 0) return SUP_OK;
  SUP_TRY(create(&q, &d));
  SUP_TRY(sup_dual_iterate(&d, &method, &q, report));
  report->factorisations = q.convex.iterations;
  SUP_TRY(sup_dual_finish(&d, solution, report));
  return SUP_OK;
}

#define ROW(name_, law_)                                                         \
  static sup_status name_(const sup_problem *problem, sup_linear_solver *linear, \
                          const sup_solve_options *options, sup_arena *arena,    \
                          sup_solution *solution, sup_solve_report *report) {    \
    SUP_TRY(solve(law_, problem, linear, options, arena, solution, report));     \
    return SUP_OK;                                                               \
  }                                                                              \
  const sup_contact_solver_row sup_contact_solver_##name_ = {                    \
      .name = #name_, SUP_DUAL_ACCEPTS, .iterates_on_impulses = 1, .solve = name_}

ROW(ncp_staggered, SUP_CONE_LAW_NCP);
ROW(lcp_staggered, SUP_CONE_LAW_LCP);
