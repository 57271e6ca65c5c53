/** Interface of the PETSc plug-in: a table of functions.  Layer la.
 *
 *  PETSc needs MPI, whose start takes a third of a second.  Therefore PETSc is no part of the
 * program: `plugin/petsc.c` is built into a shared object of its own, and `la/petsc_backend.c`
 * loads it when `solver.backend: petsc` is chosen.  The object calls no function of the program and
 * includes only headers of la/ with types and inline functions. */
#pragma once

#include "la/linear_operator.h"
#include "la/ranks.h"

/** Return values of functions that can fail; message() describes the failure. */
typedef enum sup_petsc_outcome {
  SUP_PETSC_OK,
  SUP_PETSC_NOT_SPD, /* the matrix (not a preconditioner) is indefinite */
  SUP_PETSC_MEMORY,
  SUP_PETSC_OPTION, /* solver.petsc contains an option unknown to PETSc */
  SUP_PETSC_ERROR
} sup_petsc_outcome;

typedef struct sup_petsc_report {
  int         iterations;
  double      residual;  /* ||D (b - A x)|| / ||D b||, D = diag(A)^(-1/2), computed from x */
  int         is_missed; /* 1: PETSc reports divergence */
  const char *reason;    /* PETSc's KSPConvergedReason in its own word, "CONVERGED_RTOL" */
} sup_petsc_report;

/** A solver of A x = b on this process. */
typedef struct sup_petsc_plugin {
  size_t      size;             /* size of this struct, to detect a plug-in of another build */
  const char *version;          /* of PETSc as it was compiled, "3.18.5" */
  const char *(*message)(void); /* of the last failure, one line */
  /** @param options  PETSc's, as on a command line: "-ksp_type cg -pc_type hypre"; may be "" */
  sup_petsc_outcome (*create)(void **solver, const char *options);
  void (*destroy)(void *solver);
  /** From now on patterns and values are this rank's part of a sum over ranks(), and all ranks make
   * every call; `owners` must outlive the solver. */
  void (*spread)(void *solver, const sup_block_ranks *ranks);
  /** The pattern must outlive its use.
   *  @param[in] last  [num_blocks] nonzero: block columns coupled and stiffened by contact; NULL:
   * none */
  sup_petsc_outcome (*analyse)(void *solver, const sup_block_pattern *pattern,
                               const unsigned char *last);
  /** Set the values and make the preconditioner, with near-null spaces if A->space is known.
   *  @param[out] failed_block block column at which A proves not to be positive definite; SUP_NONE
   */
  sup_petsc_outcome (*setup)(void *solver, const sup_linear_operator *A, int *failed_block);
  /** The next setup reuses only data that depend on the pattern. */
  void (*forget)(void *solver);
  /** b := A^-1 b; the report tells whether the residual met the tolerance. */
  sup_petsc_outcome (*solve)(void *solver, double tolerance, double *b, sup_petsc_report *report);
  /** b := (A + C)^-1 b, where add(self, x, y) does y += C x with whole vectors.
   *  @param[out] is_negative  1: an odd number of eigenvalues found by the iteration is negative */
  sup_petsc_outcome (*solve_added)(void *solver,
                                   void (*add)(const void *, const double *, double *),
                                   const void *self, double tolerance, double *b,
                                   sup_petsc_report *report, int *is_negative);
  /** Number of negative eigenvalues of a matrix that need not be definite. */
  sup_petsc_outcome (*count_negative)(void *solver, const sup_linear_operator *A, int *num);
  /** SLEPc: `more` largest eigenvalues of M x = theta A x, of the A that was set up by a factor,
   * beside those of former calls.
   *  @param[in] is_positive  1: M is at least semidefinite
   *  @param[out] num    of all calls; more or, if there are no others, less than asked for
   *  @param[out] theta  [num] descending, valid until the next call */
  sup_petsc_outcome (*find_eigen)(void *solver, const double *M, int is_positive, int more,
                                  double tolerance, int *num, const double **theta);
  /** x [num_scalars] := vector i of find_eigen, of norm 1 in M if that is positive, else in A. */
  sup_petsc_outcome (*get_eigen)(void *solver, int i, double *x);
  /** Start MPI and return its collective operations; NULL: MPI did not start. */
  const sup_collective *(*ranks)(void);
} sup_petsc_plugin;

#define SUP_PETSC_PLUGIN_FILE "supple-petsc.so"
#define SUP_PETSC_PLUGIN_SYMBOL "sup_petsc_plugin_table"
