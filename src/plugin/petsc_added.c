/* Solutions with A + C, where C is known by its products alone and A has a preconditioner: GMRES
 * from the right (Saad, Schultz, SIAM J. Sci. Stat. Comput. 7 (1986) 856), whose residual is the
 * one that is asked for.  C has few columns, so that all but a few eigenvalues of M^-1 (A + C) are
 * those of M^-1 A, and GMRES takes little more iterations than conjugate gradients take for A. */
#include <stdlib.h>
#include <string.h>

#include "plugin/petsc_parts.h"

enum { RESTART = 60, MOST = 300 };

typedef struct added {
  const sup_petsc_system *system;
  Mat                     A;
  PC                      pc; /* of A */
  void (*add)(const void *, const double *, double *);
  const void *self;
  double     *x, *y;    /* [num_scalars] whole vectors */
  Vec         in_scale; /* C x in PETSc's unknowns */
} added;

static PetscErrorCode multiply(Mat shell, Vec in, Vec out) {
  added       *a;
  PetscScalar *y;
  PetscCall(MatShellGetContext(shell, &a));
  PetscCall(MatMult(a->A, in, out));
  PetscCall(sup_petsc_gather(a->system, in, a->x));
  memset(a->y, 0, (size_t)a->system->pattern->num_scalars * sizeof *a->y);
  a->add(a->self, a->x, a->y);
  PetscCall(VecGetArray(a->in_scale, &y));
  sup_petsc_to(a->system, a->y, y);
  PetscCall(VecRestoreArray(a->in_scale, &y));
  PetscCall(VecAXPY(out, 1, a->in_scale));
  return 0;
}

static PetscErrorCode precondition(PC shell, Vec in, Vec out) {
  added *a;
  PetscCall(PCShellGetContext(shell, &a));
  PetscCall(PCApply(a->pc, in, out));
  return 0;
}

/** A shell in the place of A's own preconditioner, which stays that of A. */
static PetscErrorCode make_solver(added *a, Vec x, double tolerance, Mat *C, KSP *ksp) {
  PetscInt n, num;
  PC       shell;
  MPI_Comm comm = sup_petsc_comm(a->system);
  PetscCall(VecGetLocalSize(x, &n));
  PetscCall(VecGetSize(x, &num));
  PetscCall(MatCreateShell(comm, n, n, num, num, a, C));
  PetscCall(MatShellSetOperation(*C, MATOP_MULT, (void (*)(void))multiply));
  PetscCall(KSPCreate(comm, ksp));
  PetscCall(KSPSetOperators(*ksp, *C, *C));
  PetscCall(KSPSetType(*ksp, KSPGMRES));
  PetscCall(KSPGMRESSetRestart(*ksp, RESTART));
  PetscCall(KSPSetPCSide(*ksp, PC_RIGHT));
  PetscCall(KSPSetTolerances(*ksp, tolerance, 0, PETSC_DEFAULT, MOST));
  PetscCall(KSPSetComputeEigenvalues(*ksp, PETSC_TRUE));
  PetscCall(KSPGetPC(*ksp, &shell));
  PetscCall(PCSetType(shell, PCSHELL));
  PetscCall(PCShellSetContext(shell, a));
  PetscCall(PCShellSetApply(shell, precondition));
  return 0;
}

/** *is_negative := 1: an odd number of the Ritz values is real and negative. */
static PetscErrorCode ask_sign(KSP ksp, int *is_negative) {
  PetscReal real[RESTART], imaginary[RESTART];
  PetscInt  num = 0;
  *is_negative = 0;
  PetscCall(KSPComputeEigenvalues(ksp, RESTART, real, imaginary, &num));
  for (PetscInt i = 0; i < num; i++) *is_negative ^= real[i] < 0 && imaginary[i] == 0;
  return 0;
}

static PetscErrorCode run(added *a, Vec b, Vec x, double tolerance, sup_petsc_report *report,
                          int *is_negative) {
  Mat                C = NULL;
  KSP                ksp = NULL;
  KSPConvergedReason reason;
  PetscInt           iterations;
  PetscReal          before, after;
  PetscCall(make_solver(a, x, tolerance, &C, &ksp));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  PetscCall(KSPGetConvergedReasonString(ksp, &report->reason));
  PetscCall(KSPGetIterationNumber(ksp, &iterations));
  PetscCall(KSPGetResidualNorm(ksp, &after));
  PetscCall(VecNorm(b, NORM_2, &before));
  if (iterations > 0) PetscCall(ask_sign(ksp, is_negative));
  report->is_missed = reason < 0;
  report->iterations = (int)iterations;
  report->residual = before > 0 ? after / before : 0;
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatDestroy(&C));
  return 0;
}

PetscErrorCode sup_petsc_solve_added(const sup_petsc_system *system, KSP of_A, Vec b, Vec x,
                                     Vec work, void (*add)(const void *, const double *, double *),
                                     const void *self, double tolerance, sup_petsc_report *report,
                                     int *is_negative) {
  size_t n = (size_t)system->pattern->num_scalars;
  added  a = {.system = system, .add = add, .self = self, .in_scale = work};
  *is_negative = 0;
  PetscCall(KSPGetOperators(of_A, &a.A, NULL));
  PetscCall(KSPGetPC(of_A, &a.pc));
  a.x = malloc(n * sizeof *a.x + 1), a.y = malloc(n * sizeof *a.y + 1);
  PetscErrorCode code = a.x && a.y ? run(&a, b, x, tolerance, report, is_negative) : PETSC_ERR_MEM;
  free(a.x), free(a.y);
  return code;
}
