/** Lowest eigenvalues of sparse symmetric pencils, K x = lambda M x, by Lanczos iteration on a
 * factor of K + shift M; eigenvalues below a bound counted by Sylvester's law of inertia.  Layer
 * la.
 */
#pragma once

#include "la/lanczos.h"
#include "la/linear_solver.h"

/** Kind of pencil, by its positive matrix. */
typedef enum sup_eigen_kind {
  SUP_EIGEN_MASS,  /* M is positive semidefinite: the lowest eigenvalues, of any sign */
  SUP_EIGEN_FACTOR /* K is positive definite, M indefinite: the lowest positive eigenvalues */
} sup_eigen_kind;

/** Dense parts of K beside its pattern, sum u u^T / softness, which leave the factor as sparse as
 * it is. */
typedef struct sup_eigen_rows {
  int           num;
  double      **u;        /* [num] each [num_scalars] */
  const double *softness; /* [num]; 0: u . x = 0 */
} sup_eigen_rows;

typedef struct sup_eigen_problem {
  sup_eigen_kind           kind;
  const sup_block_pattern *pattern;
  const double            *K, *M; /* values of the pattern, both with whole diagonal blocks */
  double noise; /* of the other kind: round-off of M over the diagonal of K; pairs of it are left
                   out */
  sup_eigen_rows         rows;  /* of the first kind, on one rank */
  const sup_block_ranks *ranks; /* K and M are sums over ranks, by PETSc and SLEPc; NULL: one */
} sup_eigen_problem;

typedef struct sup_eigen_pairs {
  int     num;      /* eigenvalues found, at most those asked for */
  double *lambda;   /* [num] ascending */
  double *X;        /* [num x n] vectors, row by row; x M x = 1, of the other kind x K x = 1 */
  double *residual; /* [num] of K x = lambda M x, over the sizes of both sides */
  double  shift;    /* that made K + shift M positive definite */
  double  bound;    /* above the last one, with so many eigenvalues below it .. */
  int     below;    /* .. by inertia; of the other kind between 0 and it */
  bool    is_whole; /* all eigenvalues were found: the bound is infinite */
  int     solves;   /* with the factor */
} sup_eigen_pairs;

/** The lowest `num` eigenvalues, so that none is missed below the bound.  E_NOT_SPD: no shift makes
 * K positive definite (of the other kind: K is not); E_NOT_CONVERGED: inertia and vectors found do
 * not agree. */
SUP_NODISCARD sup_status sup_eigen_find(const sup_eigen_problem *problem, int num,
                                        sup_eigen_pairs *out);
void                     sup_eigen_pairs_free(sup_eigen_pairs *pairs);
/** *num := number of negative eigenvalues of K - lambda M. */
SUP_NODISCARD sup_status sup_eigen_count(const sup_eigen_problem *problem, double lambda, int *num);
