/* Cholesky by MUMPS: choice by predicted cost, and its result. */
#include <string.h>

#include "la/petsc_numerics.h"
#include "plugin/petsc_parts.h"

/* Systems of fewer unknowns are always factored, those of more never asked. */
enum { ALWAYS_BELOW = 50000, NEVER_ABOVE = 3000000 };
enum { SINGULAR = -10 }; /* MUMPS's word */

/** The graph of the rows of tiles as a matrix, a ninth of the entries. */
static PetscErrorCode make_graph(Mat A, Mat *graph) {
  PetscInt        begin, end, local, size, num, *own, *far, most = 0, count = 0;
  const PetscInt *col;
  PetscCall(MatGetOwnershipRange(A, &begin, &end));
  PetscCall(MatGetSize(A, &size, NULL));
  local = (end - begin) / SUP_TILE;
  PetscCall(PetscCalloc2(local, &own, local, &far));
  for (PetscInt r = 0; r < local; r++) {
    PetscCall(MatGetRow(A, begin + SUP_TILE * r, &num, &col, NULL));
    for (PetscInt k = 0; k < num; k++)
      if (col[k] % SUP_TILE == 0) *(col[k] >= begin && col[k] < end ? own + r : far + r) += 1;
    most = PetscMax(most, num);
    PetscCall(MatRestoreRow(A, begin + SUP_TILE * r, &num, &col, NULL));
  }
  PetscCall(MatCreateAIJ(PetscObjectComm((PetscObject)A), local, local, size / SUP_TILE,
                         size / SUP_TILE, 0, own, 0, far, graph));
  PetscCall(PetscFree2(own, far));
  PetscInt    *tile;
  PetscScalar *one;
  PetscCall(PetscMalloc2(most, &tile, most, &one));
  for (PetscInt k = 0; k < most; k++) one[k] = 1;
  for (PetscInt r = 0; r < local; r++) {
    PetscInt row = begin / SUP_TILE + r;
    PetscCall(MatGetRow(A, begin + SUP_TILE * r, &num, &col, NULL));
    count = 0;
    for (PetscInt k = 0; k < num; k++)
      if (col[k] % SUP_TILE == 0) tile[count++] = col[k] / SUP_TILE;
    PetscCall(MatRestoreRow(A, begin + SUP_TILE * r, &num, &col, NULL));
    PetscCall(MatSetValues(*graph, 1, &row, count, tile, one, INSERT_VALUES));
  }
  PetscCall(PetscFree2(tile, one));
  PetscCall(MatAssemblyBegin(*graph, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*graph, MAT_FINAL_ASSEMBLY));
  PetscCall(MatSetOption(*graph, MAT_SYMMETRIC, PETSC_TRUE));
  return 0;
}

/** Predict the cost of the factor from the graph: a tile has nine numbers and takes 27 times the
 * operations of an entry. */
static PetscErrorCode predict(Mat A, double *flops, double *bytes) {
  Mat           graph, factor;
  MatFactorInfo info;
  PetscReal     number, entries;
  PetscCall(make_graph(A, &graph));
  PetscCall(MatFactorInfoInitialize(&info));
  PetscCall(MatGetFactor(graph, MATSOLVERMUMPS, MAT_FACTOR_CHOLESKY, &factor));
  PetscCall(MatCholeskyFactorSymbolic(factor, graph, NULL, &info));
  PetscCall(MatMumpsGetRinfog(factor, 1, &number));
  PetscInt infog3;
  PetscCall(MatMumpsGetInfog(factor, 3, &infog3)); /* negative: in millions */
  entries = infog3 < 0 ? -1e6 * infog3 : infog3;
  PetscCall(MatDestroy(&factor));
  PetscCall(MatDestroy(&graph));
  *flops = SUP_TILE * SUP_TILE * SUP_TILE * number;
  *bytes = SUP_TILE * SUP_TILE * sizeof(double) * entries;
  return 0;
}

PetscErrorCode sup_petsc_mumps_is_quicker(Mat A, int *is_quicker) {
  PetscInt n;
  double   flops = 0, bytes = 0;
  PetscCall(MatGetSize(A, &n, NULL));
  *is_quicker = n < ALWAYS_BELOW;
  if (*is_quicker || n > NEVER_ABOVE) return 0;
  PetscCall(predict(A, &flops, &bytes));
  *is_quicker =
      flops < sup_petsc_numerics.few_flops * n && bytes < sup_petsc_numerics.few_bytes * n;
  return 0;
}

PetscErrorCode sup_petsc_mumps_negative_pivots(KSP ksp, PetscInt *num) {
  PC            pc;
  PetscBool     is_cholesky;
  PetscInt      error;
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
  PetscCall(MatMumpsGetInfog(factor, 1, &error));
  *num += error == SINGULAR;
  return 0;
}
