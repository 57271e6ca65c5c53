/* Step length of iterations that cycle (THEORY 18.2): a contact patch can oscillate between two
 * places on a surface, with the equilibrium between them. */
#include <math.h>

#include "step/static/numerics.h"
#include "step/static/step_length.h"

sup_step_length sup_step_length_full(void) {
  return (sup_step_length){.share = 1, .least_error = HUGE_VAL};
}

sup_step_length sup_step_length_anew(sup_step_length length) {
  length.stalled = 0, length.least_error = HUGE_VAL;
  return length;
}

sup_step_length sup_step_length_next(sup_step_length length, double error, int is_far,
                                     int has_contacts) {
  length.stalled++;
  if (is_far) /* still moving to a region of other forces */
    length.least_error = error, length.stalled = 0;
  if (error < sup_static_numerics.share_gone * length.change_error)
    length.share = fmin(2 * length.share, 1), length.change_error = error;
  if (error < sup_static_numerics.cycle_progress * length.least_error)
    length.least_error = error, length.stalled = 0;
  if (length.stalled < sup_static_numerics.cycle || !has_contacts) return length;
  length.share = fmax(0.5 * length.share, sup_static_numerics.share_least);
  length.least_error = length.change_error = error, length.stalled = 0;
  return length;
}
