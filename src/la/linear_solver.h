/** Solution of A x = b for a symmetric positive definite A: one interface, several backends, direct
 * or iterative.  Layer la.
 *
 *  The caller marks block columns as `last`.  A direct backend eliminates them after all others, so
 * that what only changes among them (contact, inside a Newton loop) costs a refactorisation of the
 * trailing part alone.  What a direct backend can do beyond solving is in
 * la/supernodal/elimination.h. */
#pragma once

#include "la/linear_operator.h"
#include "supple/options.h"
#include "supple/report.h"

typedef struct sup_linear_solver sup_linear_solver;

/** Report of one solution. */
typedef struct sup_linear_report {
  int    iterations; /* 0: a direct solution */
  double residual;   /* ||D (b - A x)|| / ||D b||, D = diag(A)^(-1/2), as the iteration knows it; 0:
                        direct */
  int         is_missed; /* 1: the iteration ended before the tolerance */
  const char *reason;    /* why an iteration ended, in the backend's word; NULL: it has none */
} sup_linear_report;

/** Add the work `more` to `all`; residual and reason are those of the worse solution. */
void sup_linear_work_add(sup_linear_work *all, const sup_linear_work *more);

/** Size of a direct backend's factor; 0 for an iterative one. */
typedef struct sup_linear_info {
  double nonzeros;       /* of L, scalars */
  double flops;          /* of the full numeric phase */
  double trailing_flops; /* of the trailing part */
  int    num_supernodes;
} sup_linear_info;

/** 1: the backend comes near a solution in iterations; 0: it factors. */
int sup_backend_iterates(sup_backend backend);
/** E_ARG when the backend was not built in (CHOLMOD=0) or its plug-in is not there (PETSc).
 *  @param options  of the backend, in its own words, NULL for none; it outlives the solver */
SUP_NODISCARD sup_status sup_linear_solver_create(sup_linear_solver **solver, sup_backend backend,
                                                  const char *options);
void                     sup_linear_solver_destroy(sup_linear_solver **solver);
/** Patterns and values are those that this rank has of a matrix that is the sum over all, block
 * columns and right-hand sides equal on all; every call is made by all ranks.  `ranks` outlives the
 * solver; its diagonal is not asked for.  E_ARG: the backend works on one rank only. */
SUP_NODISCARD sup_status sup_linear_solver_spread(sup_linear_solver     *solver,
                                                  const sup_block_ranks *ranks);
/** The ranks of MPI, which is started; E_ARG where the plug-in is not there. */
SUP_NODISCARD sup_status sup_ranks_start(const sup_collective **ranks);
/** Order and analyse.  The pattern must outlive the solver's use; when it is built anew, analyse
 * again.  Memory is kept: an analysis that needs no more than an earlier one allocates nothing
 * (supernodal backend).
 *  @param[in] last  [num_blocks] nonzero: eliminate after every block that has 0; NULL: no
 * preference */
SUP_NODISCARD sup_status sup_linear_solver_analyse(sup_linear_solver       *solver,
                                                   const sup_block_pattern *pattern,
                                                   const unsigned char     *last);
/** Take the operator's numbers: factor it, or make a preconditioner.  E_NOT_SPD when a pivot is no
 * positive normal number: sup_linear_solver_failed_block names its block column, and there is
 * nothing to solve with.
 *  @param[in] A  of the analysed pattern; of diagonal blocks only the lower triangle is read.  A
 * backend that iterates reads its values in sup_linear_solver_solve, too: they outlive that. */
SUP_NODISCARD sup_status sup_linear_solver_setup(sup_linear_solver         *solver,
                                                 const sup_linear_operator *A);
/** Set up again when only blocks whose row and column are both `last` changed since
 * sup_linear_solver_setup: the same bits as a full one, also after an update that failed.  Without
 * `last` blocks everything is done again. */
SUP_NODISCARD sup_status sup_linear_solver_update(sup_linear_solver         *solver,
                                                  const sup_linear_operator *A);
/** b := A^-1 b; size num_scalars in the pattern's order.  E_NOT_SPD when an iteration meets a
 * direction x with x^T A x <= 0: b is what it was.  An iteration that ends before the tolerance
 * says so in the report alone.
 *  @param[in]  tolerance  of the report's residual; a direct backend solves to round-off whatever
 * it is
 *  @param[out] report     NULL: not wanted */
SUP_NODISCARD sup_status sup_linear_solver_solve(sup_linear_solver *solver, double tolerance,
                                                 double *b, sup_linear_report *report);
/** Factor a matrix of the analysed pattern that is not symmetric, beside what the solver has: by
 * LU, whatever the backend, whose numbers `lower` and `upper` hold as la/lu.h says.  E_ARG when
 * UMFPACK was not built in.
 *  @param[out] is_singular  1: there is nothing to solve with */
SUP_NODISCARD sup_status sup_linear_solver_setup_general(sup_linear_solver *solver,
                                                         const double *lower, const double *upper,
                                                         bool *is_singular);
/** b := A^-1 b of that matrix. */
SUP_NODISCARD sup_status sup_linear_solver_solve_general(sup_linear_solver *solver, double *b);
/** A matrix of few columns beside the one that was set up, not symmetric. */
typedef struct sup_linear_addition {
  void (*add)(const void *self, const double *x, double *y); /* y += C x, both [num_scalars] */
  const void *self;
} sup_linear_addition;
/** 1: the backend has sup_linear_solver_solve_added. */
bool sup_linear_solver_can_add(const sup_linear_solver *solver);
/** b := (A + C)^-1 b by an iteration that asks for nothing of C but products, with what was made of
 * A by the last setup as preconditioner.  On ranks x and y are whole and equal on all.  An
 * iteration that ends before the tolerance says so in the report.
 *  @param[out] is_negative  1: the determinant of A^-1 (A + C) is negative on what the iteration
 * saw of it */
SUP_NODISCARD sup_status sup_linear_solver_solve_added(sup_linear_solver         *solver,
                                                       const sup_linear_addition *addition,
                                                       double tolerance, double *b,
                                                       sup_linear_report *report, int *is_negative);
/** Block column at which the last setup lost definiteness, SUP_NONE when it did not. */
int             sup_linear_solver_failed_block(const sup_linear_solver *solver);
sup_linear_info sup_linear_solver_info(const sup_linear_solver *solver);
