/* Lengths of load steps (THEORY 18.1). */
#include "step/static/load_cuts.h"

#include <math.h>

#include "step/static/numerics.h"

double sup_load_cuts_next(double full, double wanted, double h, int iterations) {
  int is_easy = iterations <= sup_static_numerics.easy;
  return fmin(full, is_easy ? fmax(wanted, sup_static_numerics.longer * h) : wanted);
}

int sup_load_cuts_is_last(double full, double h) {
  return h < 1.5 * full / exp2(sup_static_numerics.cuts);
}

int sup_load_cuts_is_hopeless(int cuts, int both_fall, double first_error, double error) {
  if (cuts >= sup_static_numerics.cuts_falling && both_fall) return 1;
  return cuts >= sup_static_numerics.cuts_hopeless && error > sup_static_numerics.coarse &&
         error > sup_static_numerics.as_first * first_error;
}
