/** Negative eigenvalues of a symmetric matrix H against a diagonal D, H x = lambda D x, by Lanczos
 * iteration (THEORY 18.6).  Private to layer step. */
#pragma once

#include "base/memory.h"
#include "la/block_matrix.h"

enum { SUP_SUBSPACE_MAX = 6 }; /* vectors that are looked for */

/** Operator H as functions. */
typedef struct sup_pencil {
  int     n;
  double *D; /* [n], positive */
  /** Factor H + shift D; *is_definite := 0: it is not positive definite. */
  sup_status (*factor)(void *user, double shift, int *is_definite);
  /** x [n] := (H + shift D)^-1 x of the last factor. */
  sup_status (*solve)(void *user, double *x);
  void *user;
} sup_pencil;

typedef struct sup_subspace {
  int     num;                      /* number of negative eigenvalues among .. */
  int     m;                        /* .. the lowest m eigenvalues */
  double  lambda[SUP_SUBSPACE_MAX]; /* [m] ascending */
  double *X;                        /* [m x n] their vectors, row by row, orthonormal in D */
} sup_subspace;

/** D [n]: at least `least` [n], and not round-off of the largest. */
void sup_subspace_limit_size(int n, const double *least, double *D);
/** The lowest eigenvectors, with memory from the arena; num = 0: H is positive definite, as far as
 * 12 digits tell, or not finite. */
SUP_NODISCARD sup_status sup_subspace_find(const sup_pencil *H, sup_arena *arena,
                                           sup_subspace *out);
/** x [n] := the direction of lowest curvature in which the scalar that moves farthest moves most
 * and forwards: a projection, independent of the basis and signs that the iteration ended with.
 * Returns its block; of nearly equal scalars the first counts. */
int sup_subspace_choose(const sup_subspace *space, const double *D, const sup_block_pattern *P,
                        double *x);
