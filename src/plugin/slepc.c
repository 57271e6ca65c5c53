/* SLEPc (Hernandez, Roman, Vidal 2005): eigenvalues of pencils whose matrices are sums over ranks,
 * by its Krylov-Schur iteration on the factor of petsc.c.  Left out where SLEPc is missing. */
#include <slepceps.h>
#include <stdlib.h>

#include "plugin/petsc_parts.h"

struct sup_slepc {
  Mat        M;           /* D M D */
  int        is_positive; /* M is, and A perhaps hardly */
  Vec       *x;           /* [num] of norm 1 in D M D where M is positive, else in D A D */
  PetscReal *theta;
  PetscInt   num;
};

/** M of the values.  The arrays of A are lent, and have their values again. */
static PetscErrorCode take_mass(sup_petsc_system *s, Mat A, const double *values, Mat *M) {
  const double *own = s->source;
  s->is_filled_up = 0;
  PetscCall(sup_petsc_fill_matrix(s, values, A));
  s->is_filled_up = 1;
  PetscCall(MatDuplicate(A, MAT_COPY_VALUES, M));
  return sup_petsc_fill_matrix(s, own, A);
}

PetscErrorCode sup_slepc_begin(sup_slepc **out, sup_petsc_system *system, Mat A,
                               const double *values, int is_positive) {
  PetscBool is_running;
  *out = NULL;
  PetscCall(SlepcInitialized(&is_running));
  if (!is_running) PetscCall(SlepcInitialize(NULL, NULL, NULL, NULL));
  PetscCall(PetscCalloc1(1, out));
  (*out)->is_positive = is_positive;
  return take_mass(system, A, values, &(*out)->M);
}

void sup_slepc_destroy(sup_slepc **s) {
  if (!*s) return;
  (void)MatDestroy(&(*s)->M);
  for (PetscInt i = 0; i < (*s)->num; i++) (void)VecDestroy(&(*s)->x[i]);
  free((*s)->x), free((*s)->theta);
  (void)PetscFree(*s);
}

/** Insert vector i of the solver by its value. */
static PetscErrorCode keep(sup_slepc *s, EPS eps, PetscInt i) {
  Vec         x;
  PetscScalar theta;
  PetscInt    at = s->num;
  PetscCall(MatCreateVecs(s->M, &x, NULL));
  PetscCall(EPSGetEigenpair(eps, i, &theta, NULL, x, NULL));
  if (s->is_positive) theta = 1 / theta;
  for (; at > 0 && s->theta[at - 1] < theta; at--)
    s->theta[at] = s->theta[at - 1], s->x[at] = s->x[at - 1];
  s->theta[at] = theta, s->x[at] = x, s->num++;
  return 0;
}

PetscErrorCode sup_slepc_find(sup_slepc *s, Mat A, KSP of_A, PetscInt more, PetscReal tolerance) {
  EPS      eps;
  ST       st;
  PetscInt n, num;
  void    *x, *theta;
  PetscCall(MatGetSize(A, &n, NULL));
  more = PetscMin(more, n - s->num);
  if (more <= 0) return 0;
  PetscCall(EPSCreate(PetscObjectComm((PetscObject)A), &eps));
  PetscCall(EPSGetST(eps, &st));
  PetscCall(STSetKSP(st, of_A));
  if (s->is_positive) { /* A x = 1/theta M x next to 0 */
    PetscCall(EPSSetOperators(eps, A, s->M));
    PetscCall(EPSSetWhichEigenpairs(eps, EPS_TARGET_MAGNITUDE));
    PetscCall(STSetType(st, STSINVERT));
  } else {
    PetscCall(EPSSetOperators(eps, s->M, A));
    PetscCall(EPSSetWhichEigenpairs(eps, EPS_LARGEST_REAL));
  }
  PetscCall(EPSSetProblemType(eps, EPS_GHEP));
  PetscCall(EPSSetDimensions(eps, more, PETSC_DEFAULT, PETSC_DEFAULT));
  PetscCall(EPSSetTolerances(eps, tolerance, PETSC_DEFAULT));
  PetscCall(EPSSetDeflationSpace(eps, s->num, s->x));
  PetscCall(KSPSetReusePreconditioner(of_A, PETSC_TRUE)); /* A's values were away */
  PetscCall(EPSSolve(eps));
  PetscCall(KSPSetReusePreconditioner(of_A, PETSC_FALSE));
  PetscCall(EPSGetConverged(eps, &num));
  x = realloc(s->x, (size_t)(s->num + num + 1) * sizeof *s->x);
  if (x) s->x = x;
  theta = realloc(s->theta, (size_t)(s->num + num + 1) * sizeof *s->theta);
  if (theta) s->theta = theta;
  if (!x || !theta) return PETSC_ERR_MEM;
  for (PetscInt i = 0; i < num; i++) PetscCall(keep(s, eps, i));
  return EPSDestroy(&eps);
}

PetscInt sup_slepc_pairs(const sup_slepc *s, const PetscReal **theta, const Vec **x) {
  *theta = s->theta, *x = s->x;
  return s->num;
}
