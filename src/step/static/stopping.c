/* Progress of iterations of a load step (THEORY 18.2). */
#include "step/static/stopping.h"
#include "step/static/numerics.h"

#include <math.h>

sup_static_progress sup_static_progress_from(int k) {
  return (sup_static_progress){.first = k, .best = k, .error = HUGE_VAL};
}

sup_static_progress sup_static_progress_next(sup_static_progress progress, int k, double error,
                                             int is_falling) {
  if (error < sup_static_numerics.progress * progress.error || is_falling) progress.best = k;
  progress.error = fmin(progress.error, error);
  return progress;
}

int sup_static_progress_is_over(sup_static_progress progress, int k) {
  return k - progress.first == sup_static_numerics.iterations ||
         k - progress.best > sup_static_numerics.patience;
}

double sup_static_inner_tolerance(double tolerance, double error, int has_trees, int iterates) {
  double share = has_trees ? sup_static_numerics.inner_of_trees : sup_static_numerics.inner;
  double least = share * fmax(tolerance, sup_static_numerics.inner_least);
  if (!iterates || has_trees) return least;
  return fmax(least, fmin(sup_static_numerics.digits * error, sup_static_numerics.roughest));
}

double sup_static_error(double residual, double scale, double largest) {
  return residual /
         fmax(scale, fmax(sup_static_numerics.noise * largest, sup_static_numerics.no_force));
}

int sup_static_is_solved(sup_reason reason, double momentum_error) {
  return reason > 0 ||
         (reason != SUP_REASON_NOT_SPD && momentum_error < sup_static_numerics.solved);
}
