/** Step length of iterations that cycle (THEORY 18.2).  Private to layer step. */
#pragma once

typedef struct sup_step_length {
  double share;        /* fraction of the Newton step that is taken */
  double least_error;  /* since the share changed last */
  double change_error; /* error when the share changed last; 0: it never did */
  int    stalled;      /* iterations that the error has not fallen below least_error */
} sup_step_length;

/** Whole steps. */
sup_step_length sup_step_length_full(void);
/** Errors are compared anew, with the share of before. */
sup_step_length sup_step_length_anew(sup_step_length length);
/** The length after an iterate with this error.
 *  @param[in] is_far  the trust radius limited the last step
 *  @param[in] has_contacts  without contact the cost falls, which ends */
sup_step_length sup_step_length_next(sup_step_length length, double error, int is_far,
                                     int has_contacts);
