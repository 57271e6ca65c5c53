/* Iteration of methods on impulses: steps of all contacts at once, choice of the best iterate, and
 * stopping. */
#include <math.h>
#include <string.h>

#include "solve/dual/dual_subspace.h"
#include "solve/dual/numerics.h"

/** Steps of all contacts at once between the sweeps of a method. */
typedef struct acceleration {
  sup_dual_subspace subspace;
  int               every;     /* sweeps after a step before its test; 0: no steps */
  int               sweeps;    /* sweeps since the last step, or since the start */
  int               is_made;   /* 1: the subspace exists */
  int               is_judged; /* 1: the last step was tested */
  int               failed;    /* steps in a row without progress */
  int               rest;      /* further sweeps before the next step */
  int               has_energy;
  sup_law_residual  before; /* the last step */
  double            least;  /* residual so far */
} acceleration;

/** 1: after its sweeps the last step is no better than without it.  After a step some impulses are
 * too large or too small and sweeps correct them; the energy after the sweeps decides, or the
 * residual if the law has no energy.  The residual is that of the worst contact and may rise near a
 * solution while all others fall, hence `slack`.  Steps without progress over the previous step can
 * cycle, hence LONG. */
static bool is_worse(const acceleration *a, int still, const sup_law_residual *now) {
  enum { LONG = 150 };
  if (a->has_energy)
    return a->subspace.share < 1 && now->energy > a->before.energy - a->subspace.fall;
  double bound = a->least;
  if (still < LONG)
    bound = fmax(a->before.relative,
                 a->least < sup_dual_numerics.near ? sup_dual_numerics.slack * a->least : 0);
  return !(now->relative <= bound);
}

/** Undo the last step, and shorten the next step unless undoing was progress.  Returns 1 if the
 * step was undone. */
static bool is_in_vain(acceleration *a, int still, const sup_law_residual *now) {
  enum { PATIENCE = 3, REST = 50 };
  if (a->is_judged || a->sweeps < (a->has_energy ? (a->every + 1) / 2 : a->every)) return 0;
  a->is_judged = 1;
  int worse = is_worse(a, still, now);
  if (!worse || (a->has_energy && a->subspace.share > sup_dual_numerics.short_step)) {
    double gain = a->has_energy ? sup_dual_numerics.gain : a->before.relative / now->relative;
    sup_dual_subspace_lengthen(&a->subspace, worse ? 1 : gain);
    a->failed = 0;
    return worse;
  }
  sup_dual_subspace_shorten(&a->subspace);
  if (++a->failed > PATIENCE) a->failed = 0, a->rest = REST;
  return 1;
}

static sup_status step(sup_dual *d, acceleration *a, const sup_law_residual *now) {
  if (!a->is_made) SUP_TRY(sup_dual_subspace_create(&a->subspace, d));
  a->is_made = 1, a->is_judged = 0, a->sweeps = 0, a->rest = 0, a->before = *now;
  SUP_TRY(sup_dual_subspace_step(d, &a->subspace));
  return SUP_OK;
}

/** One step of all contacts, or one sweep. */
static sup_status iterate(sup_dual *d, const sup_dual_method *method, void *user, acceleration *a,
                          const sup_law_residual *now) {
  if (a->every > 0 && a->sweeps >= a->every + a->rest) {
    SUP_TRY(step(d, a, now));
    return SUP_OK;
  }
  SUP_TRY(method->iterate(d, user));
  a->sweeps++;
  return SUP_OK;
}

static void measure(sup_dual *d, sup_law_residual *now) {
  sup_dual_linearise(d);
  sup_dual_measure(d, now);
}

/** Largest slip of contacts with an impulse, in coordinates of round cones [m/s]. */
static double fastest_slip(const sup_dual *d) {
  double most = 0;
  for (int i = 0; i < d->num_rows; i++) {
    const sup_dual_row *row = &d->row[i];
    const double       *lambda = d->lambda + row->first;
    double              u[3], c[2];
    if (row->cone != SUP_CONE_FRICTION || !(lambda[2] > 0)) continue;
    sup_dual_slack(d, i, u);
    for (int k = 0; k < 2; k++) c[k] = u[k] - row->R[k] * lambda[k] + row->target[k];
    most = fmax(most, hypot(c[0], c[1]));
  }
  return most;
}

static sup_status log_iteration(const sup_dual *d, int k, const sup_law_residual *now,
                                sup_solve_report *report) {
  sup_iteration row = {.number = k,
                       .strategy = SUP_NONE,
                       .momentum_error = (double)NAN,
                       .step = (double)NAN,
                       .slip = fastest_slip(d),
                       .residual = *now};
  SUP_TRY(sup_iteration_log_add(&report->log, d->arena, &row));
  return SUP_OK;
}

sup_status sup_dual_iterate(sup_dual *d, const sup_dual_method *method, void *user,
                            sup_solve_report *report) {
  size_t           num = (size_t)d->problem->num_vc;
  int              cap = d->options.max_iterations > 0 ? d->options.max_iterations : method->cap;
  double          *best, least = HUGE_VAL, mark = HUGE_VAL;
  sup_law_residual now;
  acceleration     a = {.every = method->is_sweep ? d->options.subspace : 0,
                        .is_judged = 1,
                        .has_energy = sup_dual_has_energy(d)};
  SUP_TRY(SUP_ARENA(d->arena, best, num));
  for (int k = 0;; k++) {
    measure(d, &now);
    if (is_in_vain(&a, d->still, &now)) {
      sup_dual_subspace_undo(d, &a.subspace);
      measure(d, &now);
    }
    if (d->log) SUP_TRY(log_iteration(d, k, &now, report));
    if (!(now.relative >= least)) {
      least = now.relative;
      report->law = now;
      if (num) memcpy(best, d->lambda, num * sizeof *best);
    }
    a.least = least;
    d->still = least < sup_dual_numerics.progress * mark ? 0 : d->still + 1;
    if (d->still == 0) mark = least;
    if (now.relative <= d->options.tolerance || k == cap || !isfinite(now.relative)) break;
    if (method->patience > 0 && d->still > method->patience) break;
    SUP_TRY(iterate(d, method, user, &a, &now));
    report->iterations++;
  }
  if (num) memcpy(d->lambda, best, num * sizeof *best);
  report->reason = isfinite(least) ? SUP_REASON_TOLERANCE : SUP_REASON_NONFINITE;
  return SUP_OK;
}
