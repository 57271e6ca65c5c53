/** Largest eigenvalues of an operator that is self-adjoint in a metric, by block Lanczos iteration
 * with full orthogonalisation (Golub, Underwood 1977).  Layer la.
 *
 *  A block of b vectors finds eigenvalues of multiplicity b, round-off and sup_lanczos_restart
 * those of a higher one.  All vectors are kept and stay orthonormal to round-off. */
#pragma once

#include "base/memory.h"

typedef struct sup_lanczos_operator {
  int n;
  /** x [n] := T x */
  sup_status (*apply)(void *user, double *x);
  /** y [n] := C x, the metric: positive semidefinite, C T symmetric. */
  void (*metric)(void *user, const double *x, double *y);
  void *user;
} sup_lanczos_operator;

/** One vector of the basis. */
typedef struct sup_lanczos_vector {
  double *q, *Cq; /* [n] */
  double *t;      /* [num_t] T q in the basis, once it is applied */
  int     num_t;
} sup_lanczos_vector;

typedef struct sup_lanczos {
  sup_lanczos_operator op;
  sup_arena           *arena;
  sup_lanczos_vector  *v; /* [m] basis, orthonormal in C; T is applied to the first `used` */
  size_t               capacity;
  int                  m, used, seeds;
  int                  num;       /* eigenvalues that have converged, from the largest */
  double              *theta, *S; /* [used] descending; [used x used] vectors in the basis, rows */
} sup_lanczos;

SUP_NODISCARD sup_status sup_lanczos_create(sup_lanczos **lanczos, const sup_lanczos_operator *op);
void                     sup_lanczos_destroy(sup_lanczos **lanczos);
/** Iterate until the largest `num` eigenvalues have residuals of `tolerance` times their size, or
 * the basis has all vectors that T reaches. */
SUP_NODISCARD sup_status sup_lanczos_find(sup_lanczos *lanczos, int num, double tolerance);
/** Add a block of new directions, for copies of eigenvalues that were not seen so far. */
SUP_NODISCARD sup_status sup_lanczos_restart(sup_lanczos *lanczos);
/** x [n] := vector i < used, of norm 1 in C. */
void sup_lanczos_get(const sup_lanczos *lanczos, int i, double *x);
