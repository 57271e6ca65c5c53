/* Cholesky by MUMPS: when it is the quicker way, and what it met. */
#include <string.h>

#include "la/petsc_parts.h"

/* Systems of fewer unknowns are always factored, those of more never asked. */
enum { ALWAYS_BELOW = 50000, NEVER_ABOVE = 3000000 };
/* Flops of the factor for each unknown, up to which it beats a solution by GAMG.  Seconds of one
 * thread, GAMG to 1e-6: bar of 55,488 unknowns, 1.2e6 flops each: 2.2 and 1.3; of 180,000, 2.6e6:
 * 12.2 and 6.5; finger of 97,578, 1.1e5: 1.0 and 6.7; of 682,950, 8.0e5: 27.9 and 59.5. */
static const double few_flops = 1e6;
/* Bytes of the factor for each unknown; the same finger has 6,200, GAMG needs about 3,000. */
static const double few_bytes = 10e3;

static PetscErrorCode predict(Mat A, double *flops, double *bytes) {
  Mat           factor;
  MatFactorInfo info;
  PetscInt      megabytes;
  PetscReal     number;
  PetscCall(MatFactorInfoInitialize(&info));
  PetscCall(MatGetFactor(A, MATSOLVERMUMPS, MAT_FACTOR_CHOLESKY, &factor));
  PetscCall(MatCholeskyFactorSymbolic(factor, A, NULL, &info));
  PetscCall(MatMumpsGetRinfog(factor, 1, &number));
  PetscCall(MatMumpsGetInfog(factor, 17, &megabytes)); /* of all ranks */
  PetscCall(MatDestroy(&factor));
  *flops = number, *bytes = 1e6 * megabytes;
  return 0;
}

PetscErrorCode sup_petsc_mumps_is_quicker(Mat A, int *is_quicker) {
  PetscInt n;
  double   flops = 0, bytes = 0;
  PetscCall(MatGetSize(A, &n, NULL));
  *is_quicker = n < ALWAYS_BELOW;
  if (*is_quicker || n > NEVER_ABOVE) return 0;
  PetscCall(predict(A, &flops, &bytes));
  *is_quicker = flops < few_flops * n && bytes < few_bytes * n;
  return 0;
}

PetscErrorCode sup_petsc_mumps_negative_pivots(KSP ksp, PetscInt *num) {
  PC            pc;
  PetscBool     is_cholesky;
  MatSolverType package = NULL;
  Mat           factor;
  *num = 0;
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PetscObjectTypeCompare((PetscObject)pc, PCCHOLESKY, &is_cholesky));
  if (!is_cholesky) return 0;
  PetscCall(PCFactorGetMatSolverType(pc, &package));
  if (!package || strcmp(package, MATSOLVERMUMPS) != 0) return 0;
  PetscCall(PCFactorGetMatrix(pc, &factor));
  PetscCall(MatMumpsGetInfog(factor, 12, num));
  return 0;
}
