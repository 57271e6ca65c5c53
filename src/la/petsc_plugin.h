/** Interface of the PETSc plug-in: a table of functions.  Layer la.
 *
 *  PETSc brings MPI, and starting that costs a third of a second.  So PETSc is no part of the
 * program: `plugin/petsc.c` is built into a shared object of its own, and `la/petsc_backend.c`
 * loads it when `solver.backend: petsc` is chosen.  The object calls nothing of the program and
 * knows only headers of la/ with types and inline functions. */
#pragma once

#include "la/linear_operator.h"
#include "la/ranks.h"

/** Every function that can fail returns one of these; message() then says what happened. */
typedef enum sup_petsc_outcome {
  SUP_PETSC_OK,
  SUP_PETSC_NOT_SPD, /* of the matrix, not of a preconditioner */
  SUP_PETSC_MEMORY,
  SUP_PETSC_OPTION, /* solver.petsc has something that PETSc does not know */
  SUP_PETSC_ERROR
} sup_petsc_outcome;

typedef struct sup_petsc_report {
  int         iterations;
  double      residual;  /* ||D (b - A x)|| / ||D b||, D = diag(A)^(-1/2), computed from x */
  int         is_missed; /* 1: PETSc says that it diverged */
  const char *reason;    /* PETSc's KSPConvergedReason in its own word, "CONVERGED_RTOL" */
} sup_petsc_report;

/** A solver of A x = b on this process. */
typedef struct sup_petsc_plugin {
  size_t      size;             /* of this struct, so that a plug-in of another build is noticed */
  const char *version;          /* of PETSc as it was compiled, "3.18.5" */
  const char *(*message)(void); /* of the last failure, one line */
  /** @param options  PETSc's, as on a command line: "-ksp_type cg -pc_type hypre"; may be "" */
  sup_petsc_outcome (*create)(void **solver, const char *options);
  void (*destroy)(void *solver);
  /** From here on patterns and values are this rank's of a matrix that is the sum over ranks(), and
   * so all calls are made by all of them; owners must outlive the solver. */
  void (*spread)(void *solver, const sup_block_ranks *ranks);
  /** The pattern must outlive its use.
   *  @param[in] last  [num_blocks] nonzero: what contact couples and stiffens; NULL: nothing */
  sup_petsc_outcome (*analyse)(void *solver, const sup_block_pattern *pattern,
                               const unsigned char *last);
  /** Take the values and make the preconditioner, from near-null spaces where A->space is known.
   *  @param[out] failed_block  the block column at which A is seen not to be positive definite;
   * SUP_NONE */
  sup_petsc_outcome (*setup)(void *solver, const sup_linear_operator *A, int *failed_block);
  /** The next setup takes nothing over from matrices before, but for what the pattern says. */
  void (*forget)(void *solver);
  /** b := A^-1 b; also when the tolerance of the residual was not met, as in the report. */
  sup_petsc_outcome (*solve)(void *solver, double tolerance, double *b, sup_petsc_report *report);
  /** b := (A + C)^-1 b, where add(self, x, y) does y += C x with whole vectors.
   *  @param[out] is_negative  1: an odd number of eigenvalues that the iteration saw is negative */
  sup_petsc_outcome (*solve_added)(void *solver,
                                   void (*add)(const void *, const double *, double *),
                                   const void *self, double tolerance, double *b,
                                   sup_petsc_report *report, int *is_negative);
  /** Collective operations by MPI, which is started; NULL: it did not start. */
  const sup_collective *(*ranks)(void);
} sup_petsc_plugin;

#define SUP_PETSC_PLUGIN_FILE "supple-petsc.so"
#define SUP_PETSC_PLUGIN_SYMBOL "sup_petsc_plugin_table"
