/** Step length of iterations that cycle (THEORY 18.2).  Private to layer step. */
#pragma once

typedef struct sup_step_length {
  double share;        /* fraction of the Newton step that is taken */
  double least_error;  /* iterations since the last change of the share */
  double change_error; /* error at the last change of the share; 0: no change yet */
  int    stalled;      /* iterations since the error last fell below least_error */
} sup_step_length;

/** Start with full Newton steps. */
sup_step_length sup_step_length_full(void);
/** Restart the comparison of errors, keep the share. */
sup_step_length sup_step_length_anew(sup_step_length length);
/** Step length after an iterate with this error.
 *  @param[in] is_far  the trust radius limited the last step
 *  @param[in] has_contacts 0: the cost falls in each step, so that cycles cannot occur */
sup_step_length sup_step_length_next(sup_step_length length, double error, int is_far,
                                     int has_contacts);
