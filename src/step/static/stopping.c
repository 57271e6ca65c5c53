/* Progress of iterations of a load step (THEORY 18.2). */
#include "step/static/stopping.h"

#include <math.h>

sup_static_progress sup_static_progress_from(int k) {
  return (sup_static_progress){.first = k, .best = k, .error = HUGE_VAL};
}

sup_static_progress sup_static_progress_next(sup_static_progress progress, int k, double error,
                                             int is_falling) {
  static const double better = 0.9;
  if (error < better * progress.error || is_falling) progress.best = k;
  progress.error = fmin(progress.error, error);
  return progress;
}

int sup_static_progress_is_over(sup_static_progress progress, int k) {
  enum { PATIENCE = 50, MOST = 100 };
  return k - progress.first == MOST || k - progress.best > PATIENCE;
}
