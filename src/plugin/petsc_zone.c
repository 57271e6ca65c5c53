/* The contact zone, solved exactly before and after a cycle of multigrid, on one process.
 *
 *  PETSc's PCCOMPOSITE would do that, too, with two products with the whole matrix for what is left
 * in between.  But a correction of the zone changes the residual by the zone's columns alone, which
 * are its rows, and the second one asks for the residual in the zone's rows alone. */
#include "plugin/petsc_parts.h"

typedef struct around_cycle {
  IS  zone;
  PC  exact, cycle;
  Mat A;
  Vec r, y;
} around_cycle;

static PetscErrorCode destroy(PC shell) {
  around_cycle *a;
  PetscCall(PCShellGetContext(shell, &a));
  PetscCall(ISDestroy(&a->zone));
  PetscCall(PCDestroy(&a->exact));
  PetscCall(PCDestroy(&a->cycle));
  PetscCall(VecDestroy(&a->r));
  PetscCall(VecDestroy(&a->y));
  PetscCall(PetscFree(a));
  return 0;
}

/** r := b - A x, where x is zero outside the zone; or, `only` the zone's rows of it for any x and
 * zero elsewhere. */
static PetscErrorCode find_rest(const around_cycle *a, Vec b, Vec x, int only, Vec r) {
  PetscInt           num;
  const PetscInt    *zone, *start, *col;
  PetscScalar       *value, *out;
  const PetscScalar *at, *in;
  PetscCall(MatSeqAIJGetCSRAndMemType(a->A, &start, &col, &value, NULL));
  PetscCall(ISGetLocalSize(a->zone, &num));
  PetscCall(ISGetIndices(a->zone, &zone));
  if (only)
    PetscCall(VecSet(r, 0));
  else
    PetscCall(VecCopy(b, r));
  PetscCall(VecGetArrayRead(b, &in));
  PetscCall(VecGetArrayRead(x, &at));
  PetscCall(VecGetArray(r, &out));
  for (PetscInt k = 0; k < num; k++) {
    PetscInt    i = zone[k];
    PetscScalar sum = in[i];
    for (PetscInt e = start[i]; e < start[i + 1]; e++)
      if (only)
        sum -= value[e] * at[col[e]];
      else
        out[col[e]] -= value[e] * at[i];
    if (only) out[i] = sum;
  }
  PetscCall(VecRestoreArray(r, &out));
  PetscCall(VecRestoreArrayRead(x, &at));
  PetscCall(VecRestoreArrayRead(b, &in));
  PetscCall(ISRestoreIndices(a->zone, &zone));
  return 0;
}

static PetscErrorCode apply(PC shell, Vec b, Vec x) {
  around_cycle *a;
  PetscCall(PCShellGetContext(shell, &a));
  PetscCall(PCApply(a->exact, b, x));
  PetscCall(find_rest(a, b, x, 0, a->r));
  PetscCall(PCApply(a->cycle, a->r, a->y));
  PetscCall(VecAXPY(x, 1, a->y));
  PetscCall(find_rest(a, b, x, 1, a->r));
  PetscCall(PCApply(a->exact, a->r, a->y));
  PetscCall(VecAXPY(x, 1, a->y));
  return 0;
}

PetscErrorCode sup_petsc_zone_create(PC shell, Mat A, IS zone, PC *exact, PC *cycle) {
  around_cycle *a;
  PetscCall(PetscNew(&a));
  PetscCall(PCSetType(shell, PCSHELL));
  PetscCall(PCShellSetContext(shell, a));
  PetscCall(PCShellSetDestroy(shell, destroy));
  PetscCall(PCShellSetApply(shell, apply));
  PetscCall(PetscObjectReference((PetscObject)zone));
  a->zone = zone, a->A = A;
  PetscCall(PCCreate(PETSC_COMM_SELF, &a->exact));
  PetscCall(PCSetOperators(a->exact, A, A));
  PetscCall(PCSetType(a->exact, PCASM));
  PetscCall(PCCreate(PETSC_COMM_SELF, &a->cycle));
  PetscCall(PCSetOperators(a->cycle, A, A));
  PetscCall(PCSetType(a->cycle, PCGAMG));
  PetscCall(MatCreateVecs(A, &a->r, &a->y));
  *exact = a->exact, *cycle = a->cycle;
  return 0;
}

PetscErrorCode sup_petsc_zone_cycle(PC shell, PC *cycle) {
  around_cycle *a;
  PetscCall(PCShellGetContext(shell, &a));
  *cycle = a->cycle;
  return 0;
}
