/** Interface of a linear solver's backend; linear_solver.c checks arguments and state and
 * dispatches.  Layer la. */
#pragma once

#include "la/supernodal/elimination.h"

typedef struct sup_linear_backend {
  sup_status (*create)(void **self, const char *options);
  void (*destroy)(void *self);
  /** From now on matrices are sums over ranks (linear_solver.h); NULL: not supported. */
  void (*spread)(void *self, const sup_block_ranks *ranks);
  sup_status (*analyse)(void *self, const sup_block_pattern *pattern, const unsigned char *last);
  /** trailing != 0: only blocks among `last` have changed since the last full call.  E_NOT_SPD with
   * *failed_block set. */
  sup_status (*setup)(void *self, const sup_linear_operator *A, int trailing, int *failed_block);
  sup_status (*solve)(void *self, double tolerance, double *b, sup_linear_report *report);
  sup_linear_info (*info)(const void *self);
  /** Solve (A + C) x = b, C by its products; NULL: not provided. */
  sup_status (*solve_added)(void *self, const sup_linear_addition *addition, double tolerance,
                            double *b, sup_linear_report *report, int *is_negative);
  /* Eigenvalues on several ranks, as in linear_solver.h; NULL: not provided. */
  sup_status (*count_negative)(void *self, const sup_linear_operator *A, int *num);
  sup_status (*find_eigen)(void *self, const double *M, bool is_positive, int more,
                           double tolerance, int *num, const double **theta);
  sup_status (*get_eigen)(void *self, int i, double *x);
  /* Capabilities of direct backends; NULL: not provided. */
  /** Analysis with `last`, updated from the analysis without `last` (la/supernodal/reroot.h). */
  sup_status (*analyse_from)(void *self, const sup_block_pattern *pattern, const sup_symbolic *base,
                             const unsigned char *last);
  /** Pivots, of the leading part alone or of all. */
  void (*pivots)(const void *self, int leading_only, double *pivot);
  sup_status (*schur_pattern)(void *self, sup_block_pattern *out);
  sup_status (*eliminate)(void *self, const double *values, const sup_block_pattern *pattern,
                          double *S, double *b, int *failed_block);
  void (*forward)(void *self, double *b);
  void (*backward)(void *self, double *b);
} sup_linear_backend;

const sup_linear_backend *sup_supernodal_backend(void);
/** NULL when built with CHOLMOD=0. */
const sup_linear_backend *sup_cholmod_backend(void);
/** PETSc; create fails without the plug-in. */
const sup_linear_backend *sup_petsc_backend(void);
/** Conjugate gradients preconditioned with the diagonal blocks. */
const sup_linear_backend *sup_conjugate_gradient_backend(void);
