/* The iteration of methods on impulses: which iterate is the best and when it ends. */
#include <math.h>
#include <string.h>

#include "solve/dual.h"

sup_status sup_dual_iterate(sup_dual *d, const sup_dual_method *method, void *user,
                            sup_solve_report *report) {
  size_t           num = (size_t)d->problem->num_vc;
  int              cap = d->options.max_iterations > 0 ? d->options.max_iterations : method->cap;
  int              still = 0; /* iterations since the residual last fell by a tenth */
  double          *best, least = HUGE_VAL, mark = HUGE_VAL;
  sup_trace_row   *trace = NULL;
  sup_law_residual now;
  SUP_TRY(SUP_ARENA(d->arena, best, num));
  if (d->options.log) SUP_TRY(SUP_ARENA(d->arena, trace, cap + 1));
  report->trace = trace;
  for (int k = 0;; k++) {
    sup_dual_linearise(d);
    sup_dual_measure(d, &now);
    if (trace) trace[report->num_trace++] = (sup_trace_row){0, k, now};
    if (!(now.relative >= least)) {
      least = now.relative;
      report->law = now;
      if (num) memcpy(best, d->lambda, num * sizeof *best);
    }
    still = least < 0.9 * mark ? 0 : still + 1;
    if (still == 0) mark = least;
    if (now.relative <= d->options.tolerance || k == cap || !isfinite(now.relative)) break;
    if (method->patience > 0 && still > method->patience) break;
    SUP_TRY(method->sweep(d, user));
    report->iterations++;
  }
  if (num) memcpy(d->lambda, best, num * sizeof *best);
  report->reason = isfinite(least) ? SUP_REASON_TOLERANCE : SUP_REASON_NONFINITE;
  return SUP_OK;
}
