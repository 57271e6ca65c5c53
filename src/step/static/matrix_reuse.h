/** Reuse of A and its factor near a balance (THEORY 18.5).  Private to layer step. */
#pragma once

#include <stdbool.h>

#include "step/static/numerics.h"

typedef struct sup_matrix_reuse {
  int    age;   /* number of linearisations since A was assembled; 0: A is of this iterate */
  double error; /* error at the iterate at which A was assembled */
} sup_matrix_reuse;

/** True if A was assembled so near the equilibrium that its tangent is nearly that of the
 * equilibrium. */
static inline bool sup_matrix_reuse_is_near(sup_matrix_reuse reuse) {
  return reuse.error < sup_static_numerics.near;
}
/** True if errors fall fast enough to reuse the previous matrix. */
static inline bool sup_matrix_reuse_is_fast(double error, double before) {
  return error < sup_static_numerics.fast * before;
}
/** True if the error shows that a step without known energy went towards the equilibrium. */
static inline bool sup_matrix_reuse_is_step(double error, double before) {
  return error < sup_static_numerics.step * before;
}
