/** Solution of A x = b for a symmetric positive definite A: one interface, several backends, direct
 * or iterative.  Layer la.
 *
 *  The caller marks block columns as `last`.  A direct backend eliminates them after all others, so
 * that a change only among them (contact, in a Newton loop) costs a refactorisation of the trailing
 * part alone.  Further capabilities of direct backends are in la/supernodal/elimination.h. */
#pragma once

#include "la/linear_operator.h"
#include "supple/choices.h"
#include "supple/report.h"

typedef struct sup_linear_solver sup_linear_solver;

/** Report of one solution. */
typedef struct sup_linear_report {
  int    iterations;     /* 0: a direct solution */
  double residual;       /* ||D (b - A x)|| / ||D b||, D = diag(A)^(-1/2), by the recurrence of the
                            iteration; 0: direct */
  int         is_missed; /* 1: the iteration ended before the tolerance */
  const char *reason;    /* reason of the iteration's end, in the backend's word; NULL: none */
} sup_linear_report;

/** Add the work `more` to `all`; residual and reason are those of the worse solution. */
void sup_linear_work_add(sup_linear_work *all, const sup_linear_work *more);

/** Size of a direct backend's factor; 0 for an iterative one. */
typedef struct sup_linear_info {
  double nonzeros;       /* of L, scalars */
  double flops;          /* operations of the full numeric phase */
  double trailing_flops; /* operations of the trailing part */
  int    num_supernodes;
} sup_linear_info;

/** 1: iterative backend; 0: direct backend. */
int sup_backend_iterates(sup_backend backend);
/** E_ARG when the backend was not built in (CHOLMOD=0) or its plug-in is not there (PETSc).
 *  @param options of the backend in its own syntax, NULL for none; must outlive the solver */
SUP_NODISCARD sup_status sup_linear_solver_create(sup_linear_solver **solver, sup_backend backend,
                                                  const char *options);
void                     sup_linear_solver_destroy(sup_linear_solver **solver);
/** From now on patterns and values are this rank's part of a sum over all ranks.  Block columns and
 * right-hand sides are equal on all ranks, and all ranks make every call. `ranks` must outlive the
 * solver; its diagonal is not used.  E_ARG: the backend works on one rank only. */
SUP_NODISCARD sup_status sup_linear_solver_spread(sup_linear_solver     *solver,
                                                  const sup_block_ranks *ranks);
/** Start MPI and return its ranks; E_ARG without the plug-in. */
SUP_NODISCARD sup_status sup_ranks_start(const sup_collective **ranks);
/** Order and analyse.  The pattern must outlive the solver's use; after a new build of the pattern,
 * analyse again.  Memory is kept: an analysis that needs no more than an earlier one allocates
 * nothing (supernodal backend).
 *  @param[in] last  [num_blocks] nonzero: eliminate after every block that has 0; NULL: no
 * preference */
SUP_NODISCARD sup_status sup_linear_solver_analyse(sup_linear_solver       *solver,
                                                   const sup_block_pattern *pattern,
                                                   const unsigned char     *last);
/** Factor the operator, or make a preconditioner.  E_NOT_SPD if a pivot is no positive normal
 * number: sup_linear_solver_failed_block names its block column, and no solution is possible.
 *  @param[in] A of the analysed pattern; only the lower triangle of diagonal blocks is read.
 * Iterative backends read the values also in sup_linear_solver_solve: the values must outlive the
 * solution. */
SUP_NODISCARD sup_status sup_linear_solver_setup(sup_linear_solver         *solver,
                                                 const sup_linear_operator *A);
/** Set up again after changes only in blocks whose row and column are both `last`: the same bits as
 * a full setup, also after a failed update.  Without `last` blocks this is a full setup. */
SUP_NODISCARD sup_status sup_linear_solver_update(sup_linear_solver         *solver,
                                                  const sup_linear_operator *A);
/** b := A^-1 b; size num_scalars in the pattern's order.  E_NOT_SPD if an iteration finds a
 * direction x with x^T A x <= 0: b is unchanged.  An iteration that ends before the tolerance sets
 * only the report.
 *  @param[in] tolerance of the report's residual; direct backends always solve to round-off
 *  @param[out] report may be NULL */
SUP_NODISCARD sup_status sup_linear_solver_solve(sup_linear_solver *solver, double tolerance,
                                                 double *b, sup_linear_report *report);
/** Factor an unsymmetric matrix of the analysed pattern by LU, in addition to the solver's own
 * factor, with any backend; `lower` and `upper` hold the values (la/lu.h).  E_ARG without UMFPACK.
 *  @param[out] is_singular 1: no factor exists */
SUP_NODISCARD sup_status sup_linear_solver_setup_general(sup_linear_solver *solver,
                                                         const double *lower, const double *upper,
                                                         bool *is_singular);
/** b := A^-1 b for the unsymmetric matrix. */
SUP_NODISCARD sup_status sup_linear_solver_solve_general(sup_linear_solver *solver, double *b);
/** Unsymmetric matrix of low rank, added to the matrix that was set up. */
typedef struct sup_linear_addition {
  void (*add)(const void *self, const double *x, double *y); /* y += C x, both [num_scalars] */
  const void *self;
} sup_linear_addition;
/** 1: the backend has sup_linear_solver_solve_added. */
bool sup_linear_solver_can_add(const sup_linear_solver *solver);
/** b := (A + C)^-1 b by an iteration that uses only products with C, with the last setup of A as
 * preconditioner.  With several ranks x and y are complete and equal on all.  An iteration that
 * ends before the tolerance sets the report.
 *  @param[out] is_negative 1: the determinant of A^-1 (A + C) is negative on the Krylov space of
 * the iteration */
SUP_NODISCARD sup_status sup_linear_solver_solve_added(sup_linear_solver         *solver,
                                                       const sup_linear_addition *addition,
                                                       double tolerance, double *b,
                                                       sup_linear_report *report, int *is_negative);
/** *num := negative eigenvalues of an operator of the analysed pattern, with a backend for ranks;
 * no solution is possible after it. */
SUP_NODISCARD sup_status sup_linear_solver_count_negative(sup_linear_solver         *solver,
                                                          const sup_linear_operator *A, int *num);
/** Find `more` largest eigenvalues of M x = theta A x beside those of former calls, with the last
 * setup of A on ranks.
 *  @param[in] is_positive  M is at least semidefinite
 *  @param[out] num    found by all calls; less than asked for where there are no others
 *  @param[out] theta  [num] descending, valid until the next call */
SUP_NODISCARD sup_status sup_linear_solver_find_eigen(sup_linear_solver *solver, const double *M,
                                                      bool is_positive, int more, double tolerance,
                                                      int *num, const double **theta);
/** x [num_scalars] := eigenvector i, of norm 1 in M if that is positive, else in A. */
SUP_NODISCARD sup_status sup_linear_solver_get_eigen(sup_linear_solver *solver, int i, double *x);
/** Block column at which the last setup lost definiteness; SUP_NONE: none. */
int             sup_linear_solver_failed_block(const sup_linear_solver *solver);
sup_linear_info sup_linear_solver_info(const sup_linear_solver *solver);
