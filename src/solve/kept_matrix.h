/** Matrix of an earlier step, by whose factor steps are solved that refine to their own matrix
 * (modified Newton method): part of the state, as results depend on it.  Layer solve. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

typedef struct sup_kept_matrix {
  double  *value; /* [count] 1 for each block column that constraints touched, else 0; then A */
  size_t   count, capacity; /* count 0: no matrix */
  uint64_t stamp;           /* hash of value: equal ones have equal factors */
  int      is_stale;        /* 1: the next step factors its own matrix */
  int      wait;            /* steps until a matrix is kept again */
  int      pause;           /* the last such wait, shorter by one with each step that succeeded,
                               longer by one with each that refined slowly */
} sup_kept_matrix;

SUP_NODISCARD sup_status sup_kept_matrix_set(sup_kept_matrix *kept, const unsigned char *touched,
                                             int num_blocks, const double *A, size_t num_values);
/** Set the stamp of values that were read. */
void sup_kept_matrix_stamp(sup_kept_matrix *kept);
/** Nothing moves while the stamps are equal. */
SUP_NODISCARD sup_status sup_kept_matrix_copy(sup_kept_matrix *to, const sup_kept_matrix *from);
void                     sup_kept_matrix_forget(sup_kept_matrix *kept);
void                     sup_kept_matrix_free(sup_kept_matrix *kept);
/** A step with constraints on these block columns may use the factor. */
bool sup_kept_matrix_serves(const sup_kept_matrix *kept, const unsigned char *touched,
                            int num_blocks);
/** Note the outcome of a step that used the factor. */
void sup_kept_matrix_judge(sup_kept_matrix *kept, bool failed, int refinements);
